//! Random expressions over reals, bitvectors of any width and quantifiers: the interpreter and the solver agree on what they
//! come to, and what the solver finds about unknown ones runs again. These tests need a solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;
#[path = "../../sequentialize/tests/support/mod.rs"]
mod support;

use support::random::{Random, for_seeds};

const WIDTHS: [u32; 7] = [2, 3, 8, 64, 65, 100, 128];
const BINARY: [&str; 17] = [
    "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvand", "bvor", "bvxor",
    "bvnand", "bvnor", "bvxnor", "bvshl", "bvlshr", "bvashr",
];
const COMPARE: [&str; 8] = ["bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"];

/// A program with these declarations, and with the built-in functions that it uses.
fn program(text: &str) -> String {
    let names: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let declarations = built_in();
    let used = declarations.iter().filter(|(name, _)| names.contains(&name.as_str()));
    let used: String = used.map(|(_, declaration)| declaration.as_str()).collect();
    format!("datatype Color {{ Red(), Green(), Mixed(b: bool) }}\n{used}{text}\n")
}

/// The functions that are built in, by name.
fn built_in() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for w in WIDTHS {
        let mut declare = |op: &str, params: &str, result: &str, name: &str| {
            let built_in = format!("{{:bvbuiltin \"{op}\"}}");
            all.push((name.to_owned(), format!("function {built_in} {name}({params}): {result};\n")));
        };
        let two = format!("a: bv{w}, b: bv{w}");
        for op in BINARY {
            declare(op, &two, &format!("bv{w}"), &format!("{op}_{w}"));
        }
        for op in COMPARE {
            declare(op, &two, "bool", &format!("{op}_{w}"));
        }
        for op in ["bvnot", "bvneg"] {
            declare(op, &format!("a: bv{w}"), &format!("bv{w}"), &format!("{op}_{w}"));
        }
        for from in WIDTHS.into_iter().filter(|from| *from < w) {
            for op in ["zero_extend", "sign_extend"] {
                let with = format!("{op} {}", w - from);
                declare(&with, &format!("a: bv{from}"), &format!("bv{w}"), &format!("{op}_{from}_{w}"));
            }
        }
    }
    all
}

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Bool,
    Int,
    Real,
    Bits(u32),
    Color,
}

impl Type {
    fn text(self) -> String {
        match self {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Bits(w) => format!("bv{w}"),
            Type::Color => "Color".into(),
        }
    }
}

/// Writes expressions. Whatever is open is a variable.
struct Writer {
    random: Random,
    vars: Vec<(String, Type)>,
    names: u32,
    /// The types that quantifiers range over.
    quantified: &'static [Type],
}

const FINITE: [Type; 4] = [Type::Bool, Type::Bits(2), Type::Bits(3), Type::Color];
const ALL: [Type; 6] = [Type::Bool, Type::Bits(2), Type::Color, Type::Int, Type::Int, Type::Real];

impl Writer {
    fn new(seed: u64, quantified: &'static [Type]) -> Writer {
        Writer { random: Random::new(seed), vars: Vec::new(), names: 0, quantified }
    }

    fn variable(&mut self, ty: Type) -> Option<String> {
        let fitting: Vec<String> =
            self.vars.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name.clone()).collect();
        (!fitting.is_empty() && self.random.chance(60)).then(|| self.random.pick(&fitting).clone())
    }

    fn bool(&mut self, depth: u32) -> String {
        if let Some(name) = self.variable(Type::Bool).filter(|_| depth == 0 || self.random.chance(20)) {
            return name;
        }
        let next = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 5 } else { 10 }) {
            0 | 1 => {
                let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = (self.real(next), self.real(next));
                format!("({a} {op} {b})")
            }
            2 => {
                let op = *self.random.pick(&["<", "<=", "==", "!="]);
                let (a, b) = (self.int(next), self.int(next));
                format!("({a} {op} {b})")
            }
            3 | 4 => {
                let width = *self.random.pick(&WIDTHS);
                let op = *self.random.pick(&COMPARE);
                let (a, b) = (self.bits(width, next), self.bits(width, next));
                if self.random.chance(30) {
                    format!("({a} == {b})")
                } else {
                    format!("{op}_{width}({a}, {b})")
                }
            }
            5 => format!("!({})", self.bool(next)),
            6 | 7 => {
                let op = *self.random.pick(&["&&", "||", "==>", "<==>"]);
                let (a, b) = (self.bool(next), self.bool(next));
                format!("(({a}) {op} ({b}))")
            }
            _ => self.quantifier(next),
        }
    }

    fn quantifier(&mut self, depth: u32) -> String {
        let word = *self.random.pick(&["forall", "exists"]);
        let ty = *self.random.pick(self.quantified);
        self.names += 1;
        let name = format!("q{}", self.names);
        self.vars.push((name.clone(), ty));
        let about = match ty {
            Type::Color => format!("({name} == Red() || ({name} is Mixed && {name}->b))"),
            Type::Bool => name.clone(),
            _ => {
                let other = self.of(ty, depth);
                format!("{name} == {other}")
            }
        };
        let op = *self.random.pick(&["&&", "||", "==>", "<==>"]);
        let body = self.bool(depth);
        self.vars.pop();
        format!("({word} {name}: {} :: ({about}) {op} ({body}))", ty.text())
    }

    fn of(&mut self, ty: Type, depth: u32) -> String {
        match ty {
            Type::Bool => self.bool(depth),
            Type::Int => self.int(depth),
            Type::Real => self.real(depth),
            Type::Bits(w) => self.bits(w, depth),
            Type::Color => self.random.pick(&["Red()", "Green()", "Mixed(true)"]).to_string(),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        if let Some(name) = self.variable(Type::Int) {
            return name;
        }
        let next = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 1 } else { 4 }) {
            0 => format!("{}", self.random.below(9)),
            1 => format!("int({})", self.real(next)),
            2 => format!("(-{})", self.int(next)),
            _ => {
                let op = *self.random.pick(&["+", "-"]);
                let (a, b) = (self.int(next), self.int(next));
                format!("({a} {op} {b})")
            }
        }
    }

    fn real(&mut self, depth: u32) -> String {
        if let Some(name) = self.variable(Type::Real) {
            return name;
        }
        let next = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => format!("{}.{}", self.random.below(9), self.random.below(99)),
            1 => format!("{}e{}", self.random.below(9), self.random.below(5)),
            2 => format!("{}e-{}", self.random.below(99), self.random.below(4)),
            3 => format!("real({})", self.int(next)),
            4 => format!("(-{})", self.real(next)),
            5 => {
                let divisor = *self.random.pick(&["0.5", "3.0", "7e-1"]);
                format!("({} / {divisor})", self.real(next))
            }
            6 => {
                let (c, a, b) = (self.bool(0), self.real(next), self.real(next));
                format!("(if {c} then {a} else {b})")
            }
            _ => {
                // Unknown values are multiplied with literals only, so that terms stay linear.
                let linear = !self.vars.is_empty();
                let op = *self.random.pick(if linear { &["+", "-", "-"] } else { &["+", "-", "*"] });
                let (a, b) = (self.real(next), self.real(next));
                format!("({a} {op} {b})")
            }
        }
    }

    fn bits(&mut self, width: u32, depth: u32) -> String {
        if let Some(name) = self.variable(Type::Bits(width)) {
            return name;
        }
        let next = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 1 } else { 7 }) {
            0 => {
                let mut n = u128::from(self.random.number()) << 64 | u128::from(self.random.number());
                n >>= if self.random.chance(50) { 128 - width } else { 126 };
                format!("{n}bv{width}")
            }
            1 => {
                let op = *self.random.pick(&["bvnot", "bvneg"]);
                format!("{op}_{width}({})", self.bits(width, next))
            }
            2 => {
                let from: Vec<u32> = WIDTHS.into_iter().filter(|w| *w > width).collect();
                if from.is_empty() {
                    return self.bits(width, 0);
                }
                let from = *self.random.pick(&from);
                let low = self.random.below(u64::from(from - width) + 1) as u32;
                format!("({}[{}:{low}])", self.bits(from, next), low + width)
            }
            3 => {
                let from: Vec<u32> = WIDTHS.into_iter().filter(|w| *w < width).collect();
                if from.is_empty() {
                    return self.bits(width, 0);
                }
                let from = *self.random.pick(&from);
                let op = *self.random.pick(&["zero_extend", "sign_extend"]);
                format!("{op}_{from}_{width}({})", self.bits(from, next))
            }
            4 => match width {
                128 => format!("({} ++ {})", self.bits(64, next), self.bits(64, next)),
                3 => format!("({} ++ {}[1:0])", self.bits(2, next), self.bits(8, next)),
                _ => self.bits(width, 0),
            },
            _ => {
                let op = *self.random.pick(&BINARY);
                let (a, b) = (self.bits(width, next), self.bits(width, next));
                format!("{op}_{width}({a}, {b})")
            }
        }
    }
}

/// The exit code and the output of `dally verify`.
fn verified(text: &str) -> (Option<i32>, String) {
    common::verify(text, &["--time", "60s"])
}

/// The interpreter says what expressions come to; the solver proves that, and nothing else.
#[test]
fn what_is_known_comes_to_the_same() {
    for_seeds("expressions", 12, |seed| {
        const COUNT: usize = 6;
        let mut writer = Writer::new(seed, &FINITE);
        let expressions: Vec<String> = (0..COUNT).map(|_| writer.bool(4)).collect();
        let vars: Vec<String> = (0..COUNT).map(|i| format!("r{i}")).collect();
        let sets: Vec<String> = vars.iter().zip(&expressions).map(|(r, e)| format!("{r} := {e};")).collect();
        let text =
            program(&format!("var {}: bool; procedure main() {{ {} }}", vars.join(", "), sets.join("\n")));
        let outcomes = support::explore_named(&text, "rr", None);
        assert_eq!(outcomes.finals.len(), 1, "DALLY_SEED={seed}\n{text}");
        let values: Vec<bool> =
            outcomes.finals.first().unwrap().iter().map(|(_, value)| value == "true").collect();
        let asserting = |values: &[bool]| {
            let asserts =
                expressions.iter().zip(values).map(|(e, value)| format!("assert {e} == {value};\n"));
            program(&format!("procedure main() {{ {} }}", asserts.collect::<String>()))
        };
        let (code, said) = verified(&asserting(&values));
        if code == Some(3) && said.contains("inconclusive") {
            return false;
        }
        assert_eq!(code, Some(0), "DALLY_SEED={seed}: {said}\n{}", asserting(&values));
        // A false equation is reported as a bug, and the bug replays.
        let mut wrong = values;
        let flipped = seed as usize % COUNT;
        wrong[flipped] = !wrong[flipped];
        let (code, said) = verified(&asserting(&wrong));
        if said.contains("the time is up") {
            return false;
        }
        assert_eq!(code, Some(1), "DALLY_SEED={seed}: {said}\n{}", asserting(&wrong));
        assert!(said.starts_with("bug: ") && !said.contains("defect"), "DALLY_SEED={seed}: {said}");
        true
    });
}

/// Whatever the solver finds about unknown values runs again, or cannot, for a reason: it is never a defect.
#[test]
fn what_is_found_about_unknown_values_runs_again() {
    let mut found = 0;
    for_seeds("unknown values", 12, |seed| {
        let mut writer = Writer::new(seed, &ALL);
        let unknown =
            [Type::Real, Type::Real, Type::Int, Type::Int, Type::Bits(100), Type::Bits(64), Type::Bool];
        for (i, ty) in unknown.into_iter().enumerate() {
            writer.vars.push((format!("x{i}"), ty));
        }
        let vars: Vec<String> =
            writer.vars.iter().map(|(name, ty)| format!("var {name}: {};", ty.text())).collect();
        let (assumed, asserted) = (writer.bool(2), writer.bool(3));
        let text = program(&format!(
            "procedure main() {{ {} assume {assumed}; assert {asserted}; }}",
            vars.join(" ")
        ));
        let (code, said) = verified(&text);
        assert!(!said.contains("defect"), "DALLY_SEED={seed}: {said}\n{text}");
        assert!(matches!(code, Some(0 | 1 | 3)), "DALLY_SEED={seed}: {said}\n{text}");
        found += u64::from(code == Some(1));
        true
    });
    assert!(found > 0, "no program has a bug that runs again");
}
