//! Proofs by Horn clauses against the bounded engine, on random programs with loops and recursion.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_smt::{Budget, Process};
use dally_testing::{Random, for_seeds};
use dally_text::source::SourceMap;
use dally_verify::{Answer, InlineOptions, Limits, Solver, Verifier, horn_clauses};

fn start() -> Process {
    let budget = Budget::default();
    Process::start("z3", None, budget).unwrap()
}

/// A condition over the variables.
fn condition(random: &mut Random) -> String {
    let var = ["g", "h", "x"][random.below(3) as usize];
    let op = ["<", "<=", "==", "!=", ">="][random.below(5) as usize];
    format!("{var} {op} {}", random.below(4))
}

/// Statements; loops and calls as far as the depth allows.
fn statements(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let var = ["g", "h", "x"][random.below(3) as usize];
        text.push_str(&match random.below(if depth > 0 { 8 } else { 4 }) {
            0 => format!("{var} := {}; ", random.below(4)),
            1 => format!("{var} := {var} + 1; "),
            2 => format!("{var} := {}; ", ["g", "h", "x"][random.below(3) as usize]),
            3 => format!("assume {}; ", condition(random)),
            4 => format!("while (*) {{ {}}} ", statements(random, depth - 1)),
            5 => format!("while ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            6 => format!("if ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            _ => "call x := f(x); ".to_owned(),
        });
    }
    text
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (inner, outer) = (statements(&mut random, 1), statements(&mut random, 2));
    let (guard, claim) = (condition(&mut random), condition(&mut random));
    format!(
        "var g: int; var h: int;\n\
         procedure f(a: int) returns (x: int) modifies g, h; {{ x := a; if ({guard}) {{ return; }} {inner}}}\n\
         procedure main() modifies g, h; {{ var x: int; g := 0; h := 0; x := 0; {outer}assert {claim}; }}"
    )
}

#[test]
fn proofs_by_horn_clauses_agree_with_the_bounded_engine() {
    let (mut proofs, mut bugs) = (0, 0);
    for_seeds("proofs_by_horn_clauses_agree_with_the_bounded_engine", 60, |seed| {
        let text = program(seed);
        let mut sources = SourceMap::default();
        sources.add("program.bpl", text.as_str()).unwrap();
        let program = dally_bpl::load(&sources).unwrap();
        let root = program.ast.symbols.get("main").unwrap();
        let Some(clauses) = horn_clauses(&program, root, &Limits::default()) else { return };
        let mut verifier = Verifier::new(&program, root, &InlineOptions::default()).unwrap();
        let bounded = verifier.run(5, &mut start()).unwrap();
        let mut solver = start();
        // A measure of work: a search that does not end says nothing.
        solver.send(&format!("(set-option :rlimit 2000000)\n{clauses}")).unwrap();
        let proved = solver.query("(check-sat)\n").unwrap();
        bugs += u32::from(matches!(bounded, Answer::Bug(_)));
        match (proved.as_str(), &bounded) {
            ("sat", Answer::Bug(_)) => panic!("a program with a bug is proved:\n{text}\n{clauses}"),
            ("unsat", Answer::Proved) => panic!("a program that is proved has a bug:\n{text}\n{clauses}"),
            ("sat", _) => proofs += 1,
            _ => {}
        }
    });
    assert!(proofs > 0 && bugs > 0, "{proofs} proofs, {bugs} bugs");
}
