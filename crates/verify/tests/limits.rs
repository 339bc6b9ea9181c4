//! What ends a run before it has taken all memory, or all patience.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_bpl::Program;
use dally_bpl::source::SourceMap;
use dally_verify::{Failure, Limits, Options, SolverError, Verifier};

/// A program with 2^40 calls.
fn exponential() -> Program {
    let mut text = String::from("var g: int;\nprocedure p40() { assert g != 7; }\n");
    for i in 0..40 {
        let next = i + 1;
        text += &format!("procedure p{i}() {{ g := g * 3 + {i}; call p{next}(); call p{next}(); }}\n");
    }
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    dally_bpl::load(&sources).unwrap()
}

fn failure(limits: Limits) -> Failure {
    let program = exponential();
    let root = program.ast.symbols.get("p0").unwrap();
    let options = Options { full: true, calls: None, limits };
    Verifier::new(&program, root, &options).unwrap_err()
}

#[test]
fn too_much_to_inline() {
    let found = failure(Limits { terms: 10_000, ..Limits::default() });
    assert!(matches!(found, Failure::TooLarge), "{found:?}");
}

#[test]
fn interrupted() {
    let found = failure(Limits { interrupt: Arc::new(AtomicBool::new(true)), ..Limits::default() });
    assert!(matches!(found, Failure::Solver(SolverError::Cancelled)), "{found:?}");
}
