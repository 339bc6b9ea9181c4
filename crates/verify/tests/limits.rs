//! Limits that end a run before it has used all memory or time.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_bpl::Program;
use dally_text::source::SourceMap;
use dally_verify::{InlineOptions, NoAnswer, SolverError, Verifier, VerifyLimits};

/// A program with 2^40 calls.
fn exponential() -> Program {
    let mut text = String::from("var g: int;\nprocedure p40() { assert g != 7; }\n");
    for i in 0..40 {
        let next = i + 1;
        text += &format!("procedure p{i}() {{ g := g * 3 + {i}; call p{next}(); call p{next}(); }}\n");
    }
    load(text)
}

fn load(text: String) -> Program {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    dally_bpl::load(&sources).unwrap()
}

fn failure(program: &Program, limits: VerifyLimits) -> NoAnswer {
    let root = program.ast.symbols.get("p0").unwrap();
    let options = InlineOptions { full: true, limits, ..InlineOptions::default() };
    Verifier::new(program, root, &options).unwrap_err()
}

#[test]
fn too_much_to_inline() {
    let found = failure(&exponential(), VerifyLimits { terms: 10_000, ..VerifyLimits::default() });
    assert!(matches!(found, NoAnswer::TooLarge), "{found:?}");
}

#[test]
fn interrupted() {
    let over = || VerifyLimits { interrupt: Arc::new(AtomicBool::new(true)), ..VerifyLimits::default() };
    let found = failure(&exponential(), over());
    assert!(matches!(found, NoAnswer::Solver(SolverError::Cancelled)), "{found:?}");
    // An expression is not looked at any more: that it is not supported is not noticed.
    let found = failure(&load("axiom 2.0 ** 3.0 == 8.0; procedure p0() {}".to_owned()), over());
    assert!(matches!(found, NoAnswer::Solver(SolverError::Cancelled)), "{found:?}");
}
