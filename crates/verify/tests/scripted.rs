//! The verifier with a scripted solver: canned answers, and a record of the queries.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::VecDeque;

use dally_bpl::Program;
use dally_bpl::literal::Literal;
use dally_text::source::SourceMap;
use dally_verify::{
    Answer, Binding, Effort, InlineOptions, NoAnswer, NoValue, Path, QueryMode, Solver, SolverError,
    StepKind, Theory, Verifier, VerifyLimits,
};

fn load(text: &str) -> Program {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    dally_bpl::load(&sources).unwrap()
}

/// Answers queries in order; values of terms come from a function.
struct Scripted {
    answers: VecDeque<Result<String, SolverError>>,
    value: fn(&str) -> &'static str,
    /// Everything that was sent.
    sent: String,
    queries: Vec<String>,
    /// The modes that were set.
    modes: Vec<QueryMode>,
}

impl Scripted {
    fn new(answers: &[&str], value: fn(&str) -> &'static str) -> Scripted {
        let answers = answers.iter().map(|a| Ok((*a).to_owned())).collect();
        Scripted { answers, value, sent: String::new(), queries: Vec::new(), modes: Vec::new() }
    }

    /// The queries for satisfiability.
    fn checks(&self) -> Vec<&str> {
        self.queries.iter().map(|q| q.trim()).filter(|q| q.starts_with("(check-sat")).collect()
    }

    /// The values of the terms of `(get-value (a (not b) …))`.
    fn values(&self, command: &str) -> Option<String> {
        let terms = command.trim().strip_prefix("(get-value (")?.strip_suffix("))")?;
        let value = |term: &str| format!("({term} {})", (self.value)(term));
        Some(format!("({})", split(terms).into_iter().map(value).collect::<Vec<_>>().join(" ")))
    }
}

/// Splits a text at spaces outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let terms = text.split(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ' ' && depth == 0
    });
    terms.filter(|term| !term.is_empty()).collect()
}

impl Solver for Scripted {
    fn send(&mut self, commands: &str) -> Result<(), SolverError> {
        self.sent.push_str(commands);
        Ok(())
    }

    fn query(&mut self, command: &str) -> Result<String, SolverError> {
        self.queries.push(command.to_owned());
        if let Some(values) = self.values(command) {
            return Ok(values);
        }
        self.answers.pop_front().unwrap_or(Err(SolverError::Time))
    }

    fn set_mode(&mut self, mode: QueryMode) -> Result<(), SolverError> {
        self.modes.push(mode);
        Ok(())
    }
}

/// All conditions hold, and numbers are 7.
fn failing(term: &str) -> &'static str {
    if term.contains("x") { "7" } else { "true" }
}

fn verify(text: &str, recursion: u32, solver: &mut Scripted) -> (Result<Answer, NoAnswer>, Effort) {
    let program = load(text);
    let root = program.ast.symbols.get("main").unwrap();
    let options = InlineOptions::default();
    let mut verifier = Verifier::new(&program, root, &options).unwrap();
    (verifier.run(recursion, solver), verifier.effort())
}

const SQUARE: &str = "procedure main(x: int) { assert x * x != 49; }";

#[test]
fn unsat_is_a_proof() {
    let mut solver = Scripted::new(&["unsat"], failing);
    let (answer, effort) = verify(SQUARE, 1, &mut solver);
    assert!(matches!(answer, Ok(Answer::Proved)), "{answer:?}");
    assert_eq!((effort.queries, solver.checks().len()), (1, 1));
    assert!(solver.sent.contains("(assert "), "{}", solver.sent);
}

#[test]
fn what_folds_to_false_needs_no_query() {
    let mut solver = Scripted::new(&[], failing);
    let (answer, _) = verify("procedure main() { var x: int; x := 3; assert x == 3; }", 1, &mut solver);
    assert!(matches!(answer, Ok(Answer::Proved)), "{answer:?}");
    assert_eq!(solver.queries, Vec::<String>::new());
}

fn path(answer: Result<Answer, NoAnswer>) -> Box<Path> {
    match answer {
        Ok(Answer::Bug(path)) => path,
        other => panic!("{other:?}"),
    }
}

/// A model: the assertion fails (its condition is false), and `x` is 7.
fn square(term: &str) -> &'static str {
    if term.starts_with('x') { "7" } else { "false" }
}

#[test]
fn sat_is_a_path_with_the_values_of_the_model() {
    let mut solver = Scripted::new(&["sat"], square);
    let (answer, _) = verify(SQUARE, 1, &mut solver);
    let path = path(answer);
    assert!(path.certain && path.left_out.is_empty() && !path.forbidden);
    assert_eq!(path.failure.message, "an assertion does not hold");
    let StepKind::Enter { variables, .. } = &path.steps[0].kind else { panic!("{:?}", path.steps) };
    let [Binding { value, .. }] = &variables[..] else { panic!("{variables:?}") };
    assert_eq!(*value, Ok(Literal::Int(7.into())));
}

#[test]
fn a_value_that_is_a_formula_is_kept_as_such() {
    let mut solver =
        Scripted::new(&["sat"], |term| if term.starts_with('x') { "(mystery 7)" } else { "false" });
    let (answer, _) = verify(SQUARE, 1, &mut solver);
    let path = path(answer);
    let StepKind::Enter { variables, .. } = &path.steps[0].kind else { panic!("{:?}", path.steps) };
    assert_eq!(variables[0].value, Err(NoValue::Formula));
}

#[test]
fn a_model_that_does_not_fail_is_an_error_of_the_solver() {
    let mut solver = Scripted::new(&["sat"], failing);
    let (answer, _) = verify(SQUARE, 1, &mut solver);
    match answer {
        Err(NoAnswer::Solver(SolverError::Broken(message))) => {
            assert_eq!(message, "the solver's model does not lead to a failure");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_is_a_failure_with_its_reason() {
    let mut solver = Scripted::new(&["unknown", "(:reason-unknown \"timeout\")"], failing);
    let (answer, _) = verify(SQUARE, 1, &mut solver);
    assert!(matches!(&answer, Err(NoAnswer::Unknown(reason)) if reason == "timeout"), "{answer:?}");
    // Where only quantifiers are in doubt, there is a model all the same.
    let mut solver = Scripted::new(&["unknown", "(:reason-unknown \"(incomplete quantifiers)\")"], square);
    let (answer, _) = verify(SQUARE, 1, &mut solver);
    assert!(!path(answer).certain);
}

#[test]
fn malformed_answers_are_errors() {
    for answer in ["maybe", "unsatisfied", "(sat)", ""] {
        let mut solver = Scripted::new(&[answer], failing);
        let (result, _) = verify(SQUARE, 1, &mut solver);
        assert!(matches!(result, Err(NoAnswer::Solver(SolverError::Broken(_)))), "`{answer}`: {result:?}");
    }
    for reason in ["(", ")", "\"", ""] {
        let mut solver = Scripted::new(&["unknown", reason], failing);
        let (result, _) = verify(SQUARE, 1, &mut solver);
        let is_error = matches!(result, Err(NoAnswer::Solver(SolverError::Broken(_)) | NoAnswer::Unknown(_)));
        assert!(is_error, "`{reason}`: {result:?}");
    }
}

#[test]
fn errors_of_the_solver_end_the_run() {
    for error in [SolverError::Time, SolverError::QueryTime, SolverError::Cancelled] {
        let mut solver = Scripted::new(&[], failing);
        solver.answers.push_back(Err(error.clone()));
        let (result, _) = verify(SQUARE, 1, &mut solver);
        assert!(matches!(&result, Err(NoAnswer::Solver(e)) if *e == error), "{result:?}");
    }
}

const RECURSIVE: &str = "var g: int;
    procedure main() { call down(); assert g != 5; }
    procedure down() { if (*) { g := g + 1; call down(); } }";

/// Open calls are blocked at first; the over-approximation then says whether the recursion bound matters.
#[test]
fn calls_are_blocked_and_then_open() {
    let mut solver = Scripted::new(&["unsat", "unsat"], failing);
    let (answer, effort) = verify(RECURSIVE, 1, &mut solver);
    assert!(matches!(answer, Ok(Answer::Proved)), "{answer:?}");
    assert_eq!(effort.queries, 2);
    let checks = solver.checks();
    assert!(checks[0].starts_with("(check-sat-assuming ((not "), "{checks:?}");
}

/// With the calls beyond the bound blocked there is no failure, and without blocking there is one: no bug within the bound.
#[test]
fn a_failure_beyond_the_bound_is_not_a_proof() {
    let mut solver = Scripted::new(&["unsat", "unsat", "sat"], failing);
    let (answer, _) = verify(RECURSIVE, 0, &mut solver);
    assert!(matches!(answer, Ok(Answer::NoBug)), "{answer:?}");
    let checks = solver.checks();
    assert_eq!(checks.last(), Some(&"(check-sat)"), "{checks:?}");
}

/// A model of the over-approximation makes the verifier inline the calls that it touches, up to the bound.
#[test]
fn calls_that_a_model_touches_are_inlined() {
    let once = |bound: u32| {
        let mut answers = vec!["unsat", "sat"];
        answers.extend(["unsat"; 20]);
        let mut solver = Scripted::new(&answers, failing);
        verify(RECURSIVE, bound, &mut solver).1
    };
    let without = verify(RECURSIVE, 4, &mut Scripted::new(&["unsat", "unsat"], failing)).1;
    assert!(once(4).inlined > without.inlined, "{:?} {without:?}", once(4));
    assert!(once(4).queries > without.queries);
}

#[test]
fn contradictory_axioms_are_found_with_limited_effort() {
    let program = load("const c: int; axiom c > 1; axiom c < 1; procedure main() { assert c == 9; }");
    let root = program.ast.symbols.get("main").unwrap();
    let options = InlineOptions::default();
    let mut verifier = Verifier::new(&program, root, &options).unwrap();
    let mut solver = Scripted::new(&["unsat", "unsat"], failing);
    assert!(matches!(verifier.run(1, &mut solver), Ok(Answer::Proved)));
    let found = verifier.contradiction(&mut solver).unwrap();
    assert_eq!(found, Some(Theory::Axioms));
    assert_eq!(solver.modes.first(), Some(&QueryMode::Limited), "{:?}", solver.modes);
}

/// The axiom contradicts itself where `n` is 0.
const QUOTIENT: &str = "function f(x: int, n: int): int;
    axiom (forall x, n: int :: {f(x, n)} n * f(x, n) <= x && x < n * (f(x, n) + 1));
    procedure main(x: int) { assert f(x, 2) * 2 <= x; }";

/// Runs a proof, and the search for a contradiction after it. Returns what the latter sends.
fn contradiction(only_triggers: bool, answers: &[&str]) -> (Option<Theory>, String, Scripted) {
    let program = load(QUOTIENT);
    let root = program.ast.symbols.get("main").unwrap();
    let options = InlineOptions { only_triggers, ..InlineOptions::default() };
    let mut verifier = Verifier::new(&program, root, &options).unwrap();
    let mut solver = Scripted::new(answers, failing);
    assert!(matches!(verifier.run(1, &mut solver), Ok(Answer::Proved)));
    let before = solver.sent.len();
    let found = verifier.contradiction(&mut solver).unwrap();
    let sent = solver.sent[before..].to_owned();
    (found, sent, solver)
}

#[test]
fn axioms_are_probed_where_definitions_tend_to_be_forgotten() {
    let (found, sent, _) = contradiction(false, &["unsat", "unknown", "unknown", "unsat"]);
    assert_eq!(found, Some(Theory::Axioms));
    let applied = |args: &str| sent.lines().any(|line| !line.contains("forall") && line.contains(args));
    for args in [" 0 0)", " (- 1) (- 1))", " probe!"] {
        assert!(applied(args), "{args}: {sent}");
    }
}

#[test]
fn a_proof_by_triggers_is_checked_with_the_terms_of_the_program() {
    let (found, sent, solver) = contradiction(true, &["unsat", "unknown", "unknown"]);
    assert_eq!(found, None);
    assert!(solver.modes.iter().all(|mode| *mode != QueryMode::Limited), "{:?}", solver.modes);
    assert!(solver.modes.contains(&QueryMode::Triggers), "{:?}", solver.modes);
    assert!(sent.contains("either!") && !sent.contains(" 0 0)"), "{sent}");
    assert_eq!(contradiction(true, &["unsat", "unsat"]).0, Some(Theory::Axioms));
}

/// The query of the proof is repeated, for its unsatisfiable core.
#[test]
fn a_proof_without_its_claim_is_a_contradiction() {
    let answers = ["unsat", "unknown", "unsat"];
    let with_core = |core: &str| contradiction(true, &[&answers[..], &[core]].concat());
    let (found, sent, solver) = with_core("()");
    assert_eq!(found, Some(Theory::Axioms));
    assert!(sent.contains(":named claim!"), "{sent}");
    assert_eq!(solver.queries.last().map(|q| q.trim()), Some("(get-unsat-core)"));
    assert_eq!(with_core("(claim!7)").0, None);
    let unknown = ["unsat", "unknown", "unknown", "unknown", "unsat", "()"];
    assert_eq!(contradiction(false, &unknown).0, Some(Theory::Axioms));
    assert_eq!(contradiction(false, &["unsat", "sat"]).0, None);
}

#[test]
fn a_search_by_triggers_finds_no_bugs() {
    let program = load(QUOTIENT);
    let root = program.ast.symbols.get("main").unwrap();
    let options = InlineOptions { only_triggers: true, ..InlineOptions::default() };
    for answers in [&["sat"][..], &["unknown", "(:reason-unknown \"(incomplete quantifiers)\")"]] {
        let mut verifier = Verifier::new(&program, root, &options).unwrap();
        let answer = verifier.run(1, &mut Scripted::new(answers, failing));
        assert!(matches!(answer, Err(NoAnswer::Unknown(_))), "{answer:?}");
    }
}

#[test]
fn a_limit_on_terms_ends_inlining() {
    let program = load(RECURSIVE);
    let root = program.ast.symbols.get("main").unwrap();
    let limits = VerifyLimits { terms: 60, ..VerifyLimits::default() };
    let options = InlineOptions { full: true, limits, ..InlineOptions::default() };
    let result = Verifier::new(&program, root, &options).and_then(|mut verifier| {
        let answers = ["unsat", "sat"].repeat(50);
        verifier.run(1 << 20, &mut Scripted::new(&answers, failing))
    });
    assert!(matches!(result, Err(NoAnswer::TooLarge)), "{result:?}");
}
