//! Random small programs whose executions are finite: procedures call and post only later ones, loops are bounded,
//! and all values are small.

use std::fmt::Write;

use super::random::Random;

/// The features that a random program may use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Features {
    pub(crate) yields: bool,
    pub(crate) waits: bool,
    /// Tasks are passed to other tasks, which wait for them.
    pub(crate) passed_tasks: bool,
    pub(crate) asserts: bool,
    pub(crate) awaits: bool,
    pub(crate) atomic: bool,
    pub(crate) thread_locals: bool,
    /// How many levels there are; 0 and 1 mean the same.
    pub(crate) levels: u64,
    pub(crate) buffers: u64,
    /// How many posts there are at most, as far as the text goes.
    pub(crate) posts: u64,
    /// Values are 0 up to this.
    pub(crate) high: u64,
    pub(crate) globals: u64,
    /// Percent of statements that choose.
    pub(crate) choices: u64,
    /// Scheduling points before each access to a global are written out. All else stays the same.
    pub(crate) explicit: bool,
    /// Procedures may suppress inserted scheduling points.
    pub(crate) suppress: bool,
}

/// Programs with posts only.
pub(crate) const SMALL: Features = Features {
    yields: false,
    waits: false,
    passed_tasks: false,
    asserts: false,
    awaits: false,
    atomic: false,
    thread_locals: false,
    levels: 1,
    buffers: 1,
    posts: 4,
    high: 1,
    globals: 2,
    choices: 30,
    explicit: false,
    suppress: false,
};

/// Everything that dfs, df and dfw know.
pub(crate) const RICH: Features =
    Features { yields: true, waits: true, passed_tasks: true, thread_locals: true, ..SMALL };

struct Generator {
    random: Random,
    features: Features,
    posts_left: u64,
    out: String,
    indent: usize,
    /// The procedure that is being written, and how many there are.
    at: u64,
    procedures: u64,
    /// How many handles, and loops, the procedure has.
    handles: u64,
    loops: u64,
    /// Handles that have been assigned in this block or one around it.
    assigned: Vec<String>,
    in_atomic: bool,
    /// It is the procedure that waits for a task that it is given.
    waiter: bool,
    /// The previous line of this block is an `await`.
    awaited: bool,
    /// The scheduling points before accesses in this procedure.
    points: Vec<&'static str>,
}

/// A random program.
pub(crate) fn program(seed: u64, features: Features) -> String {
    let mut random = Random::new(seed);
    let procedures = 2 + random.below(2);
    let mut g = Generator {
        random,
        features,
        posts_left: features.posts,
        out: String::new(),
        indent: 1,
        at: 0,
        procedures,
        handles: 0,
        loops: 0,
        assigned: Vec::new(),
        in_atomic: false,
        waiter: false,
        awaited: false,
        points: Vec::new(),
    };
    g.program();
    g.out
}

/// The names of the globals of a random program.
pub(crate) fn globals(features: Features) -> Vec<String> {
    (0..features.globals).map(|i| format!("g{i}")).collect()
}

/// Returns true if the text has the name of a global.
fn mentions_global(text: &str) -> bool {
    let names = text.split(|c: char| !c.is_ascii_alphanumeric());
    names.into_iter().any(|name| name.strip_prefix('g').is_some_and(|rest| rest.parse::<u64>().is_ok()))
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.line_that(mentions_global(text) || text.starts_with("if {:atomic}"), text);
    }

    /// A line, and whether it accesses a global.
    fn line_that(&mut self, accesses: bool, text: &str) {
        let follows = std::mem::replace(&mut self.awaited, text.starts_with("assume {:await}"));
        let in_section = self.in_atomic && !text.starts_with("if {:atomic}");
        if self.features.explicit && accesses && !follows && !in_section {
            self.write_points();
        }
        self.write(text);
    }

    fn write_points(&mut self) {
        for point in self.points.clone() {
            self.write(point);
        }
    }

    fn write(&mut self, text: &str) {
        writeln!(self.out, "{:1$}{text}", "", 2 * self.indent).unwrap();
    }

    /// Chooses the scheduling points of a procedure. Returns the attributes that suppress the others.
    fn choose_points(&mut self) -> String {
        let [noyield, nozield] = [0, 1].map(|_| self.features.suppress && self.random.chance(40));
        let several = self.features.buffers > 1;
        let points = [(!noyield).then_some("yield;"), (several && !nozield).then_some("zield;")];
        self.points = points.into_iter().flatten().collect();
        let attrs = [noyield.then_some("{:noyield} "), nozield.then_some("{:nozield} ")];
        attrs.into_iter().flatten().collect()
    }

    fn program(&mut self) {
        let high = self.features.high;
        for i in 0..self.features.globals {
            writeln!(self.out, "var {{:range 0, {high}}} g{i}: int;").unwrap();
        }
        if self.features.thread_locals {
            writeln!(self.out, "var {{:thread_local}} {{:range 0, {high}}} own: int;").unwrap();
        }
        for buffer in 0..self.features.buffers.max(1) {
            self.entry(buffer);
        }
        for at in 1..=self.procedures {
            self.at = at;
            let atomic = if self.features.atomic && self.random.chance(20) { "{:atomic} " } else { "" };
            self.in_atomic = !atomic.is_empty();
            let suppressed = self.choose_points();
            writeln!(
                self.out,
                "procedure {atomic}{suppressed}p{at}(a: int) returns ({{:range 0, {high}}} r: int)"
            )
            .unwrap();
            self.body(at == self.procedures);
        }
        if self.features.passed_tasks {
            self.at = self.procedures;
            self.in_atomic = false;
            let suppressed = self.choose_points();
            writeln!(
                self.out,
                "procedure {suppressed}waiter(a: int, other: task int) returns ({{:range 0, {high}}} r: int)"
            )
            .unwrap();
            self.waiter = true;
            self.body(true);
        }
    }

    fn entry(&mut self, buffer: u64) {
        self.at = 0;
        self.in_atomic = false;
        let attrs = match self.features.buffers {
            0 | 1 => String::new(),
            _ => format!("{{:entrypoint}} {{:buffer {buffer}}} "),
        };
        let suppressed = self.choose_points();
        let name = if buffer == 0 { "main".to_owned() } else { format!("main{buffer}") };
        writeln!(self.out, "procedure {attrs}{suppressed}{name}()").unwrap();
        self.body(false);
    }

    fn body(&mut self, last: bool) {
        (self.handles, self.loops) = (0, 0);
        self.assigned.clear();
        let outer = std::mem::take(&mut self.out);
        if self.at == 0 && !outer.contains("g0 := 0;") {
            for i in 0..self.features.globals {
                self.line(&format!("g{i} := {};", i % (self.features.high + 1)));
            }
        }
        if self.features.thread_locals {
            self.line("own := 0;");
        }
        if self.at > 0 {
            self.line("r := a;");
        }
        if self.waiter {
            self.line("call l := wait(other);");
        }
        let count = if last { 1 + self.random.below(3) } else { 2 + self.random.below(4) };
        self.stmts(count, 0);
        let inner = std::mem::replace(&mut self.out, outer);
        self.out.push_str("{\n  var l, result: int;\n");
        for i in 0..self.handles {
            writeln!(self.out, "  var t{i}: task int;").unwrap();
        }
        for i in 0..self.loops {
            writeln!(self.out, "  var i{i}: int;").unwrap();
        }
        self.out.push_str("  l := 0;\n");
        self.out.push_str(&inner);
        self.out.push_str("}\n");
    }

    fn stmts(&mut self, count: u64, depth: u64) {
        let known = self.assigned.len();
        for _ in 0..count {
            self.stmt(depth);
        }
        self.assigned.truncate(known);
    }

    fn global(&mut self) -> String {
        format!("g{}", self.random.below(self.features.globals))
    }

    fn variable(&mut self) -> String {
        let mut all = vec!["l".to_owned()];
        if self.at > 0 {
            all.extend(["a".to_owned(), "r".to_owned()]);
        }
        if self.features.thread_locals {
            all.push("own".to_owned());
        }
        let global = self.global();
        if self.random.chance(60) { global } else { self.random.pick(&all).clone() }
    }

    fn target(&mut self) -> String {
        loop {
            let variable = self.variable();
            if variable != "a" {
                return variable;
            }
        }
    }

    fn value(&mut self) -> u64 {
        self.random.below(self.features.high + 1)
    }

    fn expr(&mut self) -> String {
        match self.random.below(3) {
            0 => self.value().to_string(),
            1 => self.variable(),
            _ => {
                let (variable, more) = (self.variable(), 1 + self.random.below(2));
                format!("({variable} + {more}) mod {}", self.features.high + 1)
            }
        }
    }

    fn condition(&mut self) -> String {
        let (variable, value) = (self.variable(), self.value());
        let op = *self.random.pick(&["==", "!=", "<", ">="]);
        format!("{variable} {op} {value}")
    }

    fn block(&mut self, depth: u64) {
        self.indent += 1;
        let count = 1 + self.random.below(2);
        self.stmts(count, depth + 1);
        self.indent -= 1;
    }

    fn stmt(&mut self, depth: u64) {
        let features = self.features;
        let kind = self.random.below(100);
        let later = self.at < self.procedures;
        match kind {
            0..=24 => {
                let (target, value) = (self.target(), self.expr());
                self.line(&format!("{target} := {value};"));
            }
            25..=49 if later && self.posts_left > 0 => self.post(),
            50..=57 if features.buffers > 1 => self.line("zield;"),
            50..=64 if features.yields => self.line("yield;"),
            65..=74 if features.waits && !self.assigned.is_empty() => {
                let task = self.random.pick(&self.assigned).clone();
                let out = self.target();
                self.line(&format!("call {out} := wait({task});"));
            }
            75..=79 if features.passed_tasks && later && !self.assigned.is_empty() && self.posts_left > 0 => {
                self.posts_left -= 1;
                let (value, task) = (self.expr(), self.random.pick(&self.assigned).clone());
                self.line(&format!("call {{:async}} waiter({value}, {task});"));
            }
            75..=82 if depth < 2 => {
                let guard =
                    if self.random.chance(features.choices) { "*".to_owned() } else { self.condition() };
                self.line(&format!("if ({guard}) {{"));
                self.block(depth);
                if self.random.chance(50) {
                    self.line("} else {");
                    self.block(depth);
                }
                self.line("}");
            }
            83..=85 if depth == 0 => {
                let counter = format!("i{}", self.loops);
                self.loops += 1;
                let posts = std::mem::replace(&mut self.posts_left, 0);
                self.line(&format!("{counter} := 0;"));
                self.line(&format!("while ({counter} < 2) {{"));
                self.block(depth + 1);
                self.line(&format!("  {counter} := {counter} + 1;"));
                self.line("}");
                self.posts_left = posts;
            }
            86..=88 if later => self.call(),
            89..=91 if self.random.chance(features.choices) => {
                let high = features.high;
                self.line(&format!("havoc {{:range 0, {high}}} l;"));
            }
            // With several buffers, it is these that are of interest.
            86..=97 if features.awaits && features.buffers > 1 && !self.in_atomic => {
                let condition = self.condition();
                self.line(&format!("assume {{:await}} {condition};"));
            }
            92..=93 => {
                let condition = self.condition();
                self.line(&format!("assume {condition};"));
            }
            94..=95 if features.asserts => {
                let condition = self.condition();
                self.line(&format!("assert {condition};"));
            }
            96..=97 if features.awaits && !self.in_atomic => {
                let condition = self.condition();
                self.line(&format!("assume {{:await}} {condition};"));
            }
            98..=99 if features.atomic && depth < 2 => {
                let condition = self.condition();
                let outer = std::mem::replace(&mut self.in_atomic, true);
                self.line(&format!("if {{:atomic}} ({condition}) {{"));
                self.block(depth);
                self.line("}");
                self.in_atomic = outer;
            }
            _ => {
                let (target, value) = (self.global(), self.expr());
                self.line(&format!("{target} := {value};"));
            }
        }
    }

    fn callee(&mut self) -> u64 {
        self.at + 1 + self.random.below(self.procedures - self.at)
    }

    fn post(&mut self) {
        self.posts_left -= 1;
        let (callee, arguments) = (self.callee(), self.expr());
        let level = match self.features.levels {
            0 | 1 => String::new(),
            levels if self.random.chance(70) && !self.in_atomic => {
                format!("{{:level {}}} ", self.random.below(levels))
            }
            _ => String::new(),
        };
        if self.features.waits && self.random.chance(70) {
            let task = format!("t{}", self.handles);
            self.handles += 1;
            self.line(&format!("call {{:async}} {level}{task} := p{callee}({arguments});"));
            self.assigned.push(task);
        } else {
            self.line(&format!("call {{:async}} {level}p{callee}({arguments});"));
        }
    }

    fn call(&mut self) {
        let (target, callee, arguments) = (self.target(), self.callee(), self.expr());
        if self.features.explicit && target.starts_with('g') {
            // Other tasks may run between the return and the assignment.
            self.line_that(true, &format!("call result := p{callee}({arguments});"));
            self.line(&format!("{target} := result;"));
        } else {
            self.line(&format!("call {target} := p{callee}({arguments});"));
        }
    }
}
