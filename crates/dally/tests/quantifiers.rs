//! Pointwise quantifiers over maps: `verify` agrees with an exploration of all elements that matter. These tests need a
//! solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;
#[path = "../../sequentialize/tests/support/mod.rs"]
mod support;

use support::random::{Random, for_seeds};

/// Programs access indices below this. One more element stands for all others.
const INDICES: u64 = 3;
const MAPS: [&str; 2] = ["m", "n"];

/// A program over maps whose elements are 0, 1 or 2, twice: constrained by quantifiers, and with explicit elements.
struct Writer {
    random: Random,
    quantified: String,
    explicit: String,
}

impl Writer {
    fn both(&mut self, line: &str) {
        self.quantified.push_str(line);
        self.explicit.push_str(line);
    }

    fn index(&mut self) -> String {
        match self.random.below(3) {
            0 => "i".to_owned(),
            _ => self.random.below(INDICES).to_string(),
        }
    }

    fn element(&mut self) -> String {
        let map = *self.random.pick(&MAPS);
        match self.random.below(4) {
            0 => self.random.below(3).to_string(),
            _ => format!("{map}[{}]", self.index()),
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.random.pick::<&str>(&["==", "!=", "<", "<="])
    }

    /// A condition on the elements at `x`.
    fn pointwise(&mut self, map: &str, x: &str) -> String {
        let (compare, constant) = (self.comparison(), self.random.below(3));
        let other = MAPS.into_iter().find(|other| *other != map).unwrap();
        match self.random.below(4) {
            0 => format!("{map}[{x}] {compare} {constant}"),
            1 => format!("{map}[{x}] == {other}[{x}] || {map}[{x}] {compare} {constant}"),
            2 => format!("{x} == i || {map}[{x}] == {other}[{x}]"),
            _ => format!("{x} != 1 ==> {map}[{x}] {compare} {constant}"),
        }
    }

    /// A map gets arbitrary elements, which satisfy a condition unless it is the first time.
    fn havoc(&mut self, map: &str, first: bool) {
        let seed = self.random.number();
        let condition = |x: &str| {
            if first {
                return "true".to_owned();
            }
            let mut same =
                Writer { random: Random::new(seed), quantified: String::new(), explicit: String::new() };
            same.pointwise(map, x)
        };
        self.quantified.push_str(&format!(
            "  havoc {map}; assume (forall x: int :: 0 <= {map}[x] && {map}[x] <= 2 && ({}));\n",
            condition("x")
        ));
        for index in 0..=INDICES {
            let element = format!("havoc {{:range 0, 2}} v; {map}[{index}] := v;");
            self.explicit.push_str(&format!("  {element} assume {};\n", condition(&index.to_string())));
        }
    }

    fn statement(&mut self) {
        match self.random.below(5) {
            0 => {
                let map = *self.random.pick(&MAPS);
                self.havoc(map, false);
            }
            1 => self.both("  havoc {:range 0, 2} i;\n"),
            2 => {
                let (map, index, value) = (*self.random.pick(&MAPS), self.index(), self.element());
                self.both(&format!("  {map}[{index}] := {value};\n"));
            }
            3 => {
                let (a, compare, b) = (self.element(), self.comparison(), self.element());
                self.both(&format!("  if ({a} {compare} {b}) {{ i := 1; }}\n"));
            }
            _ => {
                let (a, compare, b) = (self.element(), self.comparison(), self.element());
                self.both(&format!("  assume {a} {compare} {b};\n"));
            }
        }
    }

    fn programs(seed: u64) -> [String; 2] {
        let mut writer =
            Writer { random: Random::new(seed), quantified: String::new(), explicit: String::new() };
        writer.both("  i := 0;\n");
        MAPS.into_iter().for_each(|map| writer.havoc(map, true));
        for _ in 0..writer.random.below(5) {
            writer.statement();
        }
        let (a, compare, b) = (writer.element(), writer.comparison(), writer.element());
        writer.both(&format!("  assert {a} {compare} {b};\n"));
        [writer.quantified, writer.explicit]
            .map(|body| format!("var m, n: [int]int;\nprocedure main() {{\n  var i, v: int;\n{body}}}\n"))
    }
}

#[test]
fn pointwise_quantifiers_are_decided() {
    for_seeds("pointwise quantifiers", 60, |seed| {
        let [quantified, explicit] = Writer::programs(seed);
        let expected = support::explore_named(&explicit, "rr", None).fails;
        let (code, said) = common::verify(&quantified, &["--time", "60s"]);
        assert_eq!(code, Some(i32::from(expected)), "{said}\n{quantified}\n{explicit}");
        true
    });
}
