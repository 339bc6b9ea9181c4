//! Invariants by Houdini: what they prove, and that they prove no program that has a bug.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_bpl::check::VarId;
use dally_smt::Process;
use dally_testing::for_seeds;
use dally_verify::{
    Answer, InlineOptions, Invariants, QueryMode, Solver, SolverError, Verifier, VerifyLimits,
};

/// Infers invariants with one solver, and searches with them; none if the program has no invariants to infer.
fn assuming(text: &str, recursion: u32, inferring: &mut dyn Solver) -> Option<Answer> {
    let (program, root) = support::load(text);
    let invariants = Invariants::infer(&program, root, &VerifyLimits::default(), inferring).unwrap()?;
    let options = InlineOptions::default();
    let mut verifier = Verifier::assuming(&program, root, &options, invariants).unwrap();
    Some(verifier.run(recursion, &mut support::start()).unwrap())
}

fn is_proved(text: &str) -> bool {
    matches!(assuming(text, 1, &mut support::start()), Some(Answer::Proved))
}

#[test]
fn loops_and_recursion_are_proved_without_a_bound() {
    for text in [
        "procedure main() { var x, n: int; assume n >= 0; x := 0; while (x < n) { x := x + 1; } assert x == n; }",
        "procedure main() { var x, y: int; x := 0; y := 0; while (*) { x := x + 1; y := y + 1; if (*) { y := y - 1; } } \
         assert y <= x; }",
        "var locked: bool; procedure main() modifies locked; { locked := false; while (*) { call lock(); \
         while (*) { call unlock(); call lock(); } call unlock(); } assert !locked; } \
         procedure lock() modifies locked; { assert !locked; locked := true; } \
         procedure unlock() modifies locked; { assert locked; locked := false; }",
        "var g: int; procedure p(n: int) modifies g; { if (n > 0) { g := g + 1; call p(n - 1); } } \
         procedure main() modifies g; { var n: int; g := 5; call p(n); assert g >= 5; }",
        "var m: [int]int; procedure p() modifies m; { if (*) { m[0] := 1; call p(); m[0] := 0; } assume m[0] == 0; } \
         procedure main() modifies m; { var i: int; i := 0; while (i < 10) { i := i + 1; } assert 0 <= i && i <= 10; }",
    ] {
        assert!(is_proved(text), "{text}");
    }
}

#[test]
fn candidates_of_the_user_are_tried() {
    let text = "const {:existential true} even: bool; const {:existential true} wrong: bool;
                procedure main() { var x: int; x := 0;
                  while (*) invariant even ==> x mod 2 == 0; invariant wrong ==> x == 7; { x := x + 2; }
                  assert x mod 2 == 0; }";
    let (program, root) = support::load(text);
    let found =
        Invariants::infer(&program, root, &VerifyLimits::default(), &mut support::start()).unwrap().unwrap();
    let name = |var: VarId| program.ast.text(program.info[var].name).to_owned();
    let mut marks: Vec<(String, bool)> =
        found.marks.iter().map(|(var, holds)| (name(*var), *holds)).collect();
    marks.sort();
    assert_eq!(marks, [("even".to_owned(), true), ("wrong".to_owned(), false)]);
    assert!(is_proved(text));
    assert!(!is_proved(&text.replace("x := x + 2", "x := x + 1")));
}

#[test]
fn postconditions_and_preconditions_of_the_user_are_tried() {
    let text = "const {:existential true} b: bool; var g: int;
                procedure p(n: int) modifies g; requires b ==> n mod 3 == 0; ensures b ==> g mod 3 == 0;
                { if (*) { call p(n + 3); } else { g := n; } }
                procedure main() modifies g; { call p(6); assert g mod 3 == 0; }";
    assert!(is_proved(text));
    assert!(!is_proved(&text.replace("p(6)", "p(7)")));
}

/// Wrong proofs and right ones, on random programs.
fn proofs(name: &str, count: u64, inferring: &dyn Fn() -> Box<dyn Solver>) -> (u32, u32) {
    let (mut right, mut wrong) = (0, 0);
    for_seeds(name, count, |seed| {
        let text = support::program(seed);
        let (program, root) = support::load(&text);
        let Some(answer) = assuming(&text, 1, inferring().as_mut()) else { return };
        let expected = support::bounded(&program, root, 5);
        match (&answer, &expected) {
            (Answer::Proved, Answer::Bug(_)) => wrong += 1,
            (Answer::Proved, _) => right += 1,
            (Answer::Bug(_), Answer::Proved | Answer::NoBug) => panic!("{answer:?}\n{text}"),
            _ => {}
        }
    });
    (right, wrong)
}

#[test]
fn no_program_with_a_bug_is_proved() {
    let (right, wrong) = proofs("no_program_with_a_bug_is_proved", 120, &|| Box::new(support::start()));
    assert!(right > 10 && wrong == 0, "{right} proofs of programs without a bug, {wrong} of others");
}

/// A solver that confirms some candidates without a look at them.
struct Credulous {
    solver: Process,
    asked: usize,
    /// Of so many queries, it answers one.
    honest: usize,
}

impl Solver for Credulous {
    fn send(&mut self, commands: &str) -> Result<(), SolverError> {
        self.solver.send(commands)
    }

    fn query(&mut self, command: &str) -> Result<String, SolverError> {
        let answer = self.solver.query(command)?;
        if !command.starts_with("(check-sat") {
            return Ok(answer);
        }
        self.asked += 1;
        Ok(if self.asked.is_multiple_of(self.honest) { answer } else { "unsat".to_owned() })
    }

    fn set_mode(&mut self, mode: QueryMode) -> Result<(), SolverError> {
        self.solver.set_mode(mode)
    }
}

/// Candidates that are not dropped lead to wrong proofs, which the comparison notices.
#[test]
fn candidates_that_are_not_checked_are_noticed() {
    for honest in [usize::MAX, 3] {
        let inferring =
            || -> Box<dyn Solver> { Box::new(Credulous { solver: support::start(), asked: 0, honest }) };
        let (_, wrong) = proofs("candidates_that_are_not_checked_are_noticed", 30, &inferring);
        assert!(wrong > 0, "every query but each {honest}th is skipped");
    }
}
