//! `dally verify --modular`: a program whose procedures are all proved by themselves has no failing execution. These tests need
//! a solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;
#[path = "../../sequentialize/tests/support/mod.rs"]
mod support;

use std::fmt::Write;

use support::random::{Random, for_seeds};

/// Writes procedures over three Boolean variables.
struct Writer {
    random: Random,
    text: String,
    /// The number of `while` loops that may still be written.
    loops: u64,
}

impl Writer {
    fn literal(&mut self) -> &'static str {
        self.random.pick::<&str>(&["a", "b", "c", "!a", "!b", "!c"])
    }

    /// A formula that is often weak.
    fn formula(&mut self) -> String {
        let (x, y) = (self.literal(), self.literal());
        match self.random.below(5) {
            0 => "true".to_owned(),
            1 => x.to_owned(),
            2 => format!("({x} && {y})"),
            _ => format!("({x} || {y})"),
        }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").unwrap();
    }

    fn statement(&mut self, label: Option<&str>) {
        let x = *self.random.pick::<&str>(&["a", "b", "c"]);
        let formula = self.formula();
        match self.random.below(10) {
            0..=2 => self.line(&format!("{x} := {formula};")),
            3 => self.line(&format!("havoc {x};")),
            4 => self.line(&format!("assert {formula};")),
            5 => self.line(&format!("assume {formula};")),
            6 => self.line("call p();"),
            7 if self.loops > 0 => self.while_loop(),
            _ => match label {
                Some(label) => self.line(&format!("if ({formula}) {{ goto {label}; }}")),
                None => self.line(&format!("if ({formula}) {{ {x} := !{x}; }}")),
            },
        }
    }

    fn while_loop(&mut self) {
        self.loops -= 1;
        let (guard, invariant) = (self.formula(), self.formula());
        let free = if self.random.below(6) == 0 { "free " } else { "" };
        let guard = if self.random.below(2) == 0 { "*".to_owned() } else { guard };
        self.line(&format!("while ({guard})\n    {free}invariant {invariant};\n  {{"));
        for _ in 0..=self.random.below(2) {
            self.statement(None);
        }
        if self.random.below(3) == 0 {
            let formula = self.formula();
            self.line(&format!("if ({formula}) {{ break; }}"));
        }
        self.line("}");
    }

    /// Blocks that begin with their invariants, and jump anywhere.
    fn body(&mut self, blocks: u64) {
        for block in 0..blocks {
            self.text.push_str(&format!("l{block}:\n"));
            if self.random.below(2) == 0 {
                let invariant = self.formula();
                self.line(&format!("assert {invariant};"));
            }
            for _ in 0..self.random.below(3) {
                let label = format!("l{}", self.random.below(blocks));
                self.statement(Some(&label));
            }
            let targets: Vec<String> =
                (0..=self.random.below(2)).map(|_| format!("l{}", self.random.below(blocks))).collect();
            match self.random.below(3) {
                0 => self.line("return;"),
                _ => self.line(&format!("goto {};", targets.join(", "))),
            }
        }
    }

    /// A procedure `p` with a contract, and one that calls it.
    fn program(mut self) -> String {
        self.text.push_str("var a, b, c: bool;\nprocedure p()\n  modifies a, b;\n");
        let (requires, ensures) = (self.formula(), self.formula());
        let old = self.formula();
        self.text.push_str(&format!("  requires {requires};\n  ensures {ensures} || old({old});\n{{\n"));
        for _ in 0..self.random.below(3) {
            let x = *self.random.pick::<&str>(&["a", "b"]);
            let formula = self.formula();
            self.line(&format!("{x} := {formula};"));
        }
        self.text.push_str("}\nprocedure main()\n  modifies a, b, c;\n{\n");
        let blocks = 1 + self.random.below(4);
        self.body(blocks);
        self.text.push_str("}\n");
        self.text
    }
}

#[test]
fn programs_that_fail_are_not_proved() {
    let (mut proved, mut failing) = (0, 0);
    for_seeds("modular verification", 120, |seed| {
        let writer = Writer { random: Random::new(seed), text: String::new(), loops: 2 };
        let text = writer.program();
        // A loop without an end may keep the search from completing, but not from finding a bug.
        let fails = common::dally(&["check", "-", "--time", "20s"], text.as_bytes()).status.code() == Some(1);
        let (code, said) = common::verify(&text, &["--modular"]);
        if said.contains("a loop with several heads") {
            return false;
        }
        assert!(matches!(code, Some(0 | 1)), "{said}\nDALLY_SEED={seed}\n{text}");
        assert!(!fails || code == Some(1), "a failing program is proved, DALLY_SEED={seed}\n{text}\n{said}");
        proved += u32::from(code == Some(0));
        failing += u32::from(fails);
        true
    });
    assert!(proved > 0 && failing > 0, "{proved} programs are proved, {failing} fail");
}

/// A free call checks no precondition; free clauses are assumed where Boogie assumes them.
#[test]
fn free_clauses_and_calls() {
    let verify = |body: &str| {
        let text = format!(
            "var g: int;\n\
             procedure p(x: int) returns (y: int);\n\
             modifies g;\n\
             requires x > 0;\n\
             free requires g == 7;\n\
             ensures y > x;\n\
             free ensures g == 9;\n\
             procedure q(x: int)\n\
             modifies g;\n\
             {{ var y: int; {body} }}"
        );
        common::verify(&text, &["--modular"]).0
    };
    assert_eq!(verify("call y := p(1); assert y > 1 && g == 9;"), Some(0));
    assert_eq!(verify("call y := p(x);"), Some(1));
    assert_eq!(verify("free call y := p(x); assert y > x;"), Some(0));
    // A caller does not assume a free precondition.
    assert_eq!(verify("call y := p(1); assert old(g) == 7;"), Some(1));
}

/// Only the contract of a procedure counts where it is called, also in its own body; a procedure with `{:inline}` is inlined.
#[test]
fn contracts_hide_bodies() {
    let one = "{ r := 1; } procedure main() { var r: int; call r := one(); assert r == 1; }";
    let verify = |text: &str| common::verify(text, &["--modular", "--entry", "main"]).0;
    assert_eq!(verify(&format!("procedure one() returns (r: int) {one}")), Some(1));
    assert_eq!(verify(&format!("procedure {{:inline 1}} one() returns (r: int) {one}")), Some(0));
    let recursive = "procedure f(n: int) returns (r: int)\n\
                     requires n >= 0;\n\
                     ensures r >= n;\n\
                     { if (n > 0) { call r := f(n - 1); r := r + 1; } else { r := 0; } }";
    assert_eq!(common::verify(recursive, &["--modular"]).0, Some(0));
}

/// Each body of a procedure is verified, and asynchrony is refused.
#[test]
fn several_bodies() {
    let text = "procedure p() returns (r: int); ensures r > 0;\n\
                implementation p() returns (s: int) { s := 1; }\n\
                implementation p() returns (t: int) { t := 0; }";
    let (code, said) = common::verify(text, &["--modular"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 entry points: 1 with a bug, 1 without a bug"), "{said}");
    let (code, said) = common::verify("procedure main() { yield; }", &["--modular"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("a yield in a procedure that is verified by itself"), "{said}");
}

/// A trace of a procedure that was verified by itself is replayed as such.
#[test]
fn traces_record_the_flag() {
    let folder = std::env::temp_dir().join(format!("dally-modular-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (program, trace) = (folder.join("p.bpl"), folder.join("p.json"));
    let text = "procedure p() returns (r: int) ensures r > 0; { r := 1; }\n\
                procedure q() { var r: int; call r := p(); assert r == 1; }";
    std::fs::write(&program, text).unwrap();
    let (program, trace) = (program.display().to_string(), trace.display().to_string());
    let output = common::dally(&["verify", "--modular", "--entry", "q", "--trace", &trace, &program], b"");
    assert_eq!(output.status.code(), Some(1));
    let replayed = common::dally(&["replay", &trace], b"");
    assert_eq!(replayed.status.code(), Some(1), "{}", String::from_utf8_lossy(&replayed.stdout));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Axioms that contradict each other prove nothing, also where the solver finds the contradiction only among the terms of a proof:
/// the unsatisfiable core tells. (Sizes of multisets: a multiplicity may be negative here, and a size may not.)
#[test]
fn a_proof_needs_its_claim() {
    let axioms = "type E;\nfunction size<T>([T]int): int;\nfunction none<T>(): [T]int;\n\
        axiom (forall<T> s: [T]int :: { size(s) } 0 <= size(s));\n\
        axiom (forall<T> s: [T]int, x: T, n: int :: { size(s[x := n]) } 0 <= n ==> size(s[x := n]) == size(s) - s[x] + n);\n\
        axiom (forall<T> o: T :: { none()[o] } (none(): [T]int)[o] == 0);\n\
        axiom (forall<T> s: [T]int :: { size(s) } (size(s) == 0 <==> s == none()) && \
        (size(s) != 0 ==> (exists x: T :: 0 < s[x])));\n";
    let claim =
        "procedure p(e: E, n: int) { var s: [E]int; assume size(s) == n; assert size(s[e := 7]) == n; }";
    let (code, said) = common::verify(&format!("{axioms}{claim}"), &["--modular"]);
    assert_ne!(code, Some(0), "{said}");
}
