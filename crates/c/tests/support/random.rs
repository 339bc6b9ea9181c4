//! Random sequential C programs without undefined behaviour, apart from signed overflow, which wraps.

use std::fmt::Write as _;

use dally_testing::Random;

fn one<'a>(random: &mut Random, list: &[&'a str]) -> &'a str {
    list[random.below(list.len() as u64) as usize]
}

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
];

/// Scalars in local variables.
const LOCALS: [&str; 11] =
    ["ls.a", "ls.c", "ls.d", "ls.e", "pv", "(*q)", "lu.i", "ln.s.a", "ln.x", "ln.next->x", "ln.next->s.d"];

/// Declarations with a suffix that makes their names unique; `test{n}` returns a checksum.
pub(crate) struct Program {
    random: Random,
    n: u64,
    text: String,
    depth: u32,
    labels: u32,
    in_helper: bool,
}

impl Program {
    /// The text of a program.
    pub(crate) fn text(seed: u64, n: u64) -> String {
        let mut p = Program {
            random: Random::new(seed),
            n,
            text: String::new(),
            depth: 0,
            labels: 0,
            in_helper: false,
        };
        p.declarations();
        p.text
    }

    fn declarations(&mut self) {
        let n = self.n;
        let t: Vec<&str> = (0..16).map(|_| one(&mut self.random, &TYPES)).collect();
        let fields = [3, 5, 7, 12, 17].map(|_| 1 + self.random.below(7));
        let _ = writeln!(
            self.text,
            "struct S{n} {{ {} a; {} b[3]; unsigned c : {}; int d : {}; {} e; }};\n\
             struct N{n} {{ int x; struct S{n} s; struct N{n} *next; }};\n\
             union U{n} {{ int i; unsigned char bytes[8]; unsigned short h[2]; {} other; }};\n\
             static {} g0; static {} g1 = 5; static {} ga[8]; static int gm[3][4]; static struct S{n} gs;\n\
             static struct S{n} gt[2]; static {} *gp = &g1; static union U{n} gu; static struct N{n} gn;",
            t[0], t[1], fields[0], fields[1], t[2], t[3], t[4], t[5], t[6], t[5]
        );
        self.text = self.text.replace(" g0", &format!(" g0_{n}"));
        for name in ["g1", "ga", "gm", "gs", "gt", "gp", "gu", "gn"] {
            self.text = self.text.replace(&format!(" {name}"), &format!(" {name}_{n}"));
            self.text = self.text.replace(&format!("*{name}"), &format!("*{name}_{n}"));
            self.text = self.text.replace(&format!("&{name}"), &format!("&{name}_{n}"));
        }
        self.helpers(&t);
        self.test();
    }

    fn helpers(&mut self, t: &[&str]) {
        let n = self.n;
        self.in_helper = true;
        let _ = writeln!(self.text, "static {} h{n}({} v0, {} v1) {{ int v2 = v1;", t[7], t[8], t[9]);
        self.block(2);
        let result = self.expr();
        let _ = writeln!(self.text, "  return {result}; }}");
        self.in_helper = false;
        let _ = writeln!(
            self.text,
            "static struct S{n} k{n}(struct S{n} s, int i) {{ s.a += i; s.b[1] = s.a ^ i; s.d = i; return s; }}\n\
             static void w{n}({} *p, int i) {{ *p = *p * 3 + i; }}\n\
             static int r{n}(int i) {{ return i <= 0 ? 1 : i + r{n}(i - 2) * 2; }}",
            t[10]
        );
        let _ = writeln!(self.text, "typedef {} P{n};", t[10]);
    }

    fn test(&mut self) {
        let n = self.n;
        let t: Vec<&str> = (0..3).map(|_| one(&mut self.random, &TYPES)).collect();
        let _ = writeln!(
            self.text,
            "static unsigned long test{n}(void) {{\n  {} v0 = 3; {} v1 = 7; {} v2 = 1; {} la[8] = {{ 1, 2, 3 }};\n\
             struct S{n} ls = {{ 1, {{ 2, 3 }}, 4, 5 }}; P{n} pv = 9, pa[4] = {{ 4 }}; P{n} *q = &pa[1]; union U{n} lu = {{ 77 }};\n\
             struct N{n} ln; ln.x = 1; ln.s = ls; ln.next = &gn_{n};",
            t[0],
            t[1],
            t[2],
            one(&mut self.random, &TYPES)
        );
        self.block(8);
        let _ = writeln!(self.text, "  unsigned long sum = 17;");
        let parts = ["v0", "v1", "v2", "ls.b[0]", "ls.b[1]", "ls.b[2]"];
        let globals = [
            "g0_@",
            "g1_@",
            "gs_@.a",
            "gs_@.d",
            "gt_@[1].c",
            "gt_@[0].b[2]",
            "(*gp_@)",
            "gu_@.bytes[1]",
            "gu_@.i",
        ];
        for value in parts.into_iter().chain(LOCALS).chain(globals) {
            let value = value.replace('@', &n.to_string());
            let _ = writeln!(self.text, "  sum = sum * 31 + (unsigned long)({value});");
        }
        let _ = writeln!(
            self.text,
            "  for (int i = 0; i < 8; i++) sum = sum * 7 + la[i] + ga_{n}[i];\n  for (int i = 0; i < 12; i++) sum = sum * 7 + \
             gm_{n}[i / 4][i % 4];\n  for (int i = 0; i < 4; i++) sum = sum * 7 + pa[i];\n  return sum;\n}}"
        );
    }

    fn block(&mut self, statements: u64) {
        for _ in 0..=self.random.below(statements) {
            self.statement();
        }
    }

    fn scalar(&mut self) -> String {
        let n = self.n;
        let always = [
            "v0", "v1", "v2", "g0_@", "g1_@", "gs_@.a", "gs_@.d", "gs_@.c", "gs_@.e", "(*gp_@)", "gu_@.i",
            "gn_@.x",
        ];
        let lvalue = match self.random.below(8) {
            0..=3 => one(&mut self.random, &always).to_owned(),
            4..=5 if !self.in_helper => one(&mut self.random, &LOCALS).to_owned(),
            6 if self.depth < 3 => self.element(),
            _ => one(&mut self.random, &["v0", "v1", "v2"]).to_owned(),
        };
        lvalue.replace('@', &n.to_string())
    }

    fn element(&mut self) -> String {
        self.depth += 1;
        let index = self.expr();
        self.depth -= 1;
        let index = format!("({index})");
        match self.random.below(if self.in_helper { 4 } else { 9 }) {
            0 => format!("ga_@[{index} & 7]"),
            1 => format!("gm_@[{index} & 1][{index} & 3]"),
            2 => format!("gt_@[{index} & 1].b[({index} & 1) + 1]"),
            3 => format!("gu_@.bytes[{index} & 3]"),
            4 => format!("la[{index} & 7]"),
            5 => format!("pa[{index} & 3]"),
            6 => format!("q[(int)({index} & 3) - 1]"),
            7 => format!("ls.b[{index} & 1]"),
            _ => format!("lu.h[{index} & 1]"),
        }
    }

    fn constant(&mut self) -> String {
        match self.random.below(8) {
            0..=3 => self.random.below(10).to_string(),
            4 => (self.random.number() as i32).to_string(),
            5 => format!("{}u", self.random.number() as u32),
            6 => format!("{}L", self.random.number() as i64 >> 1),
            _ => one(
                &mut self.random,
                &["127", "128", "255", "256", "32767", "65535", "2147483647", "0xffffffffu"],
            )
            .to_owned(),
        }
    }

    fn expr(&mut self) -> String {
        self.depth += 1;
        let text = if self.depth > 4 { self.leaf() } else { self.inner() };
        self.depth -= 1;
        text
    }

    fn leaf(&mut self) -> String {
        if self.random.below(3) == 0 { self.constant() } else { self.scalar() }
    }

    fn inner(&mut self) -> String {
        match self.random.below(16) {
            0..=4 => self.leaf(),
            5..=7 => {
                let op = one(&mut self.random, &["+", "-", "*", "+", "-"]);
                format!("({} {op} {})", self.expr(), self.expr())
            }
            8 => {
                let op = one(&mut self.random, &["/", "%"]);
                match self.random.below(3) {
                    0 => format!(
                        "({} {op} {})",
                        self.expr(),
                        one(&mut self.random, &["3", "-3", "7u", "10L", "-5L"])
                    ),
                    _ => format!("({} {op} (({} & 15) + 1))", self.expr(), self.expr()),
                }
            }
            9..=10 => {
                let op = one(&mut self.random, &["&", "|", "^"]);
                format!("({} {op} {})", self.expr(), self.expr())
            }
            11 => {
                let op = one(&mut self.random, &["<<", ">>"]);
                match self.random.below(2) {
                    0 => format!("({} {op} {})", self.expr(), self.random.below(31)),
                    _ => format!("({} {op} ({} & 15))", self.expr(), self.expr()),
                }
            }
            12 => {
                let op = one(&mut self.random, &["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                format!("({} {op} {})", self.expr(), self.expr())
            }
            13 => format!("({}({}))", one(&mut self.random, &["-", "~", "!", "+"]), self.expr()),
            14 => format!("(({})({}))", one(&mut self.random, &TYPES), self.expr()),
            _ => format!("({} ? {} : {})", self.expr(), self.expr(), self.expr()),
        }
    }

    fn statement(&mut self) {
        self.depth += 1;
        let n = self.n;
        let choice = if self.depth > 4 { self.random.below(6) } else { self.random.below(17) };
        let text = match choice {
            0..=2 => {
                let value = self.expr();
                format!("{} = {value};", self.scalar())
            }
            3 => {
                let op = one(&mut self.random, &["+=", "-=", "*=", "&=", "|=", "^="]);
                let value = self.expr();
                format!("{} {op} {value};", self.scalar())
            }
            4 => {
                let op = one(&mut self.random, &["<<=", ">>=", "/=", "%="]);
                format!("{} {op} {};", self.scalar(), 1 + self.random.below(7))
            }
            5 => match self.random.below(4) {
                0 => format!("{}++;", self.scalar()),
                1 => format!("--{};", self.scalar()),
                2 => {
                    format!(
                        "v0 = {}v1{};",
                        one(&mut self.random, &["++", "--"]),
                        one(&mut self.random, &["", " + 1"])
                    )
                }
                _ => format!("v2 = v1{};", one(&mut self.random, &["++", "--"])),
            },
            6..=7 => return self.compound(),
            8 => return self.switch(),
            9 => return self.jumps(),
            10 if !self.in_helper => format!("v0 = h{n}({}, {});", self.expr(), self.expr()),
            11 if !self.in_helper => format!("ls = k{n}(gs_{n}, {}); gt_{n}[1] = ls;", self.expr()),
            12 if !self.in_helper => {
                let target = one(&mut self.random, &["&pv", "&pa[2]", "q", "pa"]);
                format!("w{n}({target}, {});", self.expr())
            }
            13 if !self.in_helper => {
                format!("q = &pa[1 + ({} & 0)]; v1 = r{n}({} & 7);", self.expr(), self.expr())
            }
            14 if !self.in_helper => "gt_@[0] = gs_@; gs_@ = gt_@[1]; lu = gu_@; ln.s = ls; gn_@.s = ln.s;"
                .replace('@', &n.to_string()),
            15 if !self.in_helper => format!("gu_{n}.i = {}; lu.bytes[2] = {};", self.expr(), self.expr()),
            _ => format!("v1 = (v0 = {}, v0 + 1);", self.expr()),
        };
        let _ = writeln!(self.text, "  {text}");
        self.depth -= 1;
    }

    fn compound(&mut self) {
        let condition = self.expr();
        let counter = format!("i{}", self.labels);
        self.labels += 1;
        let (head, tail) = match self.random.below(4) {
            0 => (format!("if ({condition}) {{"), "}".to_owned()),
            1 => (format!("for (int {counter} = 0; {counter} < 3; {counter}++) {{"), "}".to_owned()),
            2 => (
                format!("{{ int {counter} = 0; while ({counter}++ < 3 && ({condition})) {{"),
                "} }".to_owned(),
            ),
            _ => (
                format!("{{ int {counter} = 2; do {{"),
                format!("}} while ({counter}-- > 0 && ({condition})); }}"),
            ),
        };
        let is_loop = !head.starts_with("if");
        let _ = writeln!(self.text, "  {head}");
        self.block(2);
        if is_loop && self.random.below(2) == 0 {
            let exit = one(&mut self.random, &["break", "continue"]);
            let condition = self.expr();
            let _ = writeln!(self.text, "  if ({condition}) {exit};");
            self.block(1);
        }
        let _ = writeln!(self.text, "  {tail}");
        if !is_loop && self.random.below(2) == 0 {
            let _ = writeln!(self.text, "  else {{");
            self.block(2);
            let _ = writeln!(self.text, "  }}");
        }
        self.depth -= 1;
    }

    fn switch(&mut self) {
        let value = self.expr();
        let _ = writeln!(self.text, "  switch (({value}) & 7) {{");
        for case in ["case 0:", "case 1: case 4:", "default:", "case 5 ... 6:"] {
            let _ = writeln!(self.text, "  {case}");
            self.block(1);
            if self.random.below(2) == 0 {
                let _ = writeln!(self.text, "  break;");
            }
        }
        let _ = writeln!(self.text, "  }}");
        self.depth -= 1;
    }

    fn jumps(&mut self) {
        let label = format!("l{}", self.labels);
        self.labels += 1;
        let condition = self.expr();
        let _ = writeln!(self.text, "  if ({condition}) goto {label};");
        self.block(2);
        let _ = writeln!(self.text, "  {label}: ;");
        self.depth -= 1;
    }
}
