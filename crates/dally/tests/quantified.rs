//! `dally verify` and `dally check --exact` agree on random programs with quantifiers and lambdas over small types, which `check`
//! evaluates for all values. The solver sees them as formulas. These tests need a solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use dally_testing::{Random, for_seeds};

/// A program with the globals `a: bv2`, `b: bool`, `m: [bv2]bool`, `n: [bv2, bool]bv2`, `k: [bv2][bv2]bool`.
struct Generator {
    random: Random,
    /// The variables of type `bv2` in scope.
    vectors: Vec<String>,
    /// The variables of type `bool` in scope.
    conditions: Vec<String>,
    bound: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
        Generator {
            random: Random::new(seed),
            vectors: names(&["a", "c"]),
            conditions: names(&["b"]),
            bound: 0,
        }
    }

    /// Binds a variable in the text that `f` writes.
    fn binder(&mut self, word: &str, vector: bool, f: impl FnOnce(&mut Self) -> String) -> String {
        self.bound += 1;
        let name = format!("x{}", self.bound);
        let (ty, scope) = if vector { ("bv2", &mut self.vectors) } else { ("bool", &mut self.conditions) };
        scope.push(name.clone());
        let body = f(self);
        if vector {
            self.vectors.pop()
        } else {
            self.conditions.pop()
        };
        format!("({word} {name}: {ty} :: {body})")
    }

    fn vector(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.chance(40) {
            let known = self.vectors.clone();
            return match self.random.below(3) {
                0 => format!("{}bv2", self.random.below(4)),
                _ => self.random.pick(&known).clone(),
            };
        }
        match self.random.below(4) {
            0 => format!("plus({}, {})", self.vector(depth - 1), self.vector(depth - 1)),
            1 => format!(
                "(if {} then {} else {})",
                self.condition(depth - 1),
                self.vector(depth - 1),
                self.vector(depth - 1)
            ),
            2 => format!("n[{}, {}]", self.vector(depth - 1), self.condition(depth - 1)),
            _ => {
                let lambda = self.binder("lambda", true, |g| g.vector(depth - 1));
                format!("{lambda}[{}]", self.vector(depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.chance(20) {
            let known = self.conditions.clone();
            return self.random.pick(&known).clone();
        }
        let d = depth - 1;
        match self.random.below(10) {
            0 => format!("({} == {})", self.vector(d), self.vector(d)),
            1 => format!("less({}, {})", self.vector(d), self.vector(d)),
            2 => format!("m[{}]", self.vector(d)),
            3 => format!("k[{}][{}]", self.vector(d), self.vector(d)),
            4 => format!("!{}", self.condition(d)),
            5 => {
                let op = *self.random.pick(&["&&", "||", "==>", "<==>"]);
                format!("({} {op} {})", self.condition(d), self.condition(d))
            }
            6 => {
                let lambda = self.map(d);
                format!("{lambda}[{}]", self.vector(d))
            }
            _ => {
                let word = *self.random.pick(&["forall", "exists"]);
                let vector = self.random.chance(70);
                self.binder(word, vector, |g| g.condition(d))
            }
        }
    }

    fn map(&mut self, depth: u32) -> String {
        self.binder("lambda", true, |g| g.condition(depth))
    }

    fn stmt(&mut self) -> String {
        match self.random.below(9) {
            0 => format!("a := {};", self.vector(2)),
            1 => format!("b := {};", self.condition(3)),
            2 => format!("m := {};", self.map(3)),
            3 => format!("m[{}] := {};", self.vector(1), self.condition(2)),
            4 => {
                let outer = self.binder("lambda", true, |g| g.map(2));
                format!("k := {outer};")
            }
            5 => {
                let (x, y) = (self.random.chance(50), self.vector(1));
                format!("n[{y}, {x}] := {};", self.vector(2))
            }
            6 => "havoc b;".to_owned(),
            7 => format!("if ({}) {{ havoc a; }} else {{ c := {}; }}", self.condition(2), self.vector(1)),
            _ => format!("assume {};", self.condition(3)),
        }
    }

    fn program(&mut self) -> String {
        let count = 2 + self.random.below(4);
        let stmts: Vec<String> = (0..count).map(|_| self.stmt()).collect();
        let claim = self.condition(4);
        format!(
            "function {{:bvbuiltin \"bvadd\"}} plus(bv2, bv2): bv2;\n\
             function {{:bvbuiltin \"bvult\"}} less(bv2, bv2): bool;\n\
             var a, c: bv2; var b: bool; var m: [bv2]bool; var n: [bv2, bool]bv2; var k: [bv2][bv2]bool;\n\
             procedure main()\n  modifies a, b, c, m, n, k;\n{{\n\
             a := 0bv2; c := 1bv2; b := false; m := (lambda x: bv2 :: x == 2bv2);\n\
             n := (lambda x: bv2, y: bool :: if y then x else 3bv2);\n\
             k := (lambda x: bv2 :: (lambda y: bv2 :: less(x, y)));\n\
             {}\n  assert {claim};\n}}\n",
            stmts.join("\n")
        )
    }
}

#[test]
fn quantifiers_and_lambdas() {
    let (mut bugs, mut decided) = (0, 0);
    for_seeds("agreement (quantifiers)", 60, |seed| {
        let text = Generator::new(seed).program();
        let checked = common::dally(&["check", "-", "--exact"], text.as_bytes());
        let (code, said) = common::verify(&text, &[]);
        let expected = checked.status.code();
        assert!(matches!(expected, Some(0 | 1)), "{}\n{text}", String::from_utf8_lossy(&checked.stdout));
        // A solver may give up on quantifiers, but then it has no verdict.
        assert!(
            code == expected || code == Some(2),
            "check: {expected:?}, verify: {said}\nDALLY_SEED={seed}\n{text}"
        );
        decided += u64::from(code == expected);
        bugs += u64::from(expected == Some(1));
    });
    assert!(bugs > 0 && decided > bugs, "{decided} decided, {bugs} bugs");
}
