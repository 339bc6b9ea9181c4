//! Proofs by Horn clauses against the bounded engine, on random programs with loops and recursion.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_testing::for_seeds;
use dally_verify::{Answer, Solver, VerifyLimits, horn_clauses};

/// The answer of the solver to clauses.
fn decide(clauses: &str) -> String {
    let mut solver = support::start();
    // A measure of work: a search that does not end says nothing.
    solver.send(&format!("(set-option :rlimit 2000000)\n{clauses}")).unwrap();
    solver.query("(check-sat)\n").unwrap()
}

#[test]
fn proofs_by_horn_clauses_agree_with_the_bounded_engine() {
    let (mut proofs, mut bugs) = (0, 0);
    for_seeds("proofs_by_horn_clauses_agree_with_the_bounded_engine", 150, |seed| {
        let text = support::program(seed);
        let (program, root) = support::load(&text);
        let Some(clauses) = horn_clauses(&program, root, &VerifyLimits::default()) else { return };
        let bounded = support::bounded(&program, root, 5);
        bugs += u32::from(matches!(bounded, Answer::Bug(_)));
        match (decide(&clauses).as_str(), &bounded) {
            ("sat", Answer::Bug(_)) => panic!("a program with a bug is proved:\n{text}\n{clauses}"),
            ("unsat", Answer::Proved) => panic!("a program that is proved has a bug:\n{text}\n{clauses}"),
            ("sat", _) => proofs += 1,
            _ => {}
        }
    });
    assert!(proofs > 10 && bugs > 10, "{proofs} proofs, {bugs} bugs");
}

/// Selects clauses by their number and text.
type Selection<'a> = &'a dyn Fn(usize, &str) -> bool;

/// Clauses with one kind left out: each proves a program that has a bug.
#[test]
fn clauses_that_are_left_out_are_missed() {
    let goal = |clause: &str| clause.ends_with(" false)))") || clause.ends_with(" false))");
    let kinds: [(&str, Selection<'_>); 3] = [
        ("the goal", &|_, clause| goal(clause)),
        // Each predicate has two clauses, after the goal.
        ("the definitions", &|nth, clause| !goal(clause) && nth % 2 == 1),
        ("calls that do nothing", &|nth, clause| !goal(clause) && nth % 2 == 0),
    ];
    let mut wrong = [0; 3];
    for_seeds("clauses_that_are_left_out_are_missed", 40, |seed| {
        let (program, root) = support::load(&support::program(seed));
        let Some(clauses) = horn_clauses(&program, root, &VerifyLimits::default()) else { return };
        if !matches!(support::bounded(&program, root, 3), Answer::Bug(_)) {
            return;
        }
        for (kind, (_, is_left_out)) in kinds.iter().enumerate() {
            let mut nth = 0;
            let kept = clauses.lines().filter(|line| {
                nth += usize::from(line.starts_with("(assert "));
                !line.starts_with("(assert ") || !is_left_out(nth - 1, line)
            });
            let kept = kept.collect::<Vec<_>>().join("\n");
            wrong[kind] += u32::from(decide(&format!("{kept}\n")) == "sat");
        }
    });
    for ((kind, _), wrong) in kinds.iter().zip(wrong) {
        assert!(wrong > 0, "without {kind}, no program with a bug is proved");
    }
}
