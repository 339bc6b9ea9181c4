//! Parsing inverts printing on every tree, and printing inverts parsing on canonical text.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_testing::{for_inputs, for_inputs_of};
use support::{dump::dump, generate, parse_ok};

fn assert_round_trip(ast: &dally_bpl::ast::Ast) {
    let text = dally_bpl::print(ast);
    let again = parse_ok(&text);
    assert_eq!(dump(ast), dump(&again), "printed as:\n{text}");
    assert_eq!(text, dally_bpl::print(&again), "canonical text is a fixed point");
}

#[test]
fn expressions() {
    for_inputs(10_000, |u| {
        assert_round_trip(&generate::axiom(u)?);
        Ok(())
    });
}

#[test]
fn programs() {
    for_inputs_of(32..4_096, 10_000, |u| {
        assert_round_trip(&generate::program(u)?);
        Ok(())
    });
}

/// A line that begins with `#` is a directive.
#[test]
fn names_like_directives() {
    let text = "procedure p() { var #x: int; goto \\#if; \\#if: #x := 1; \\#else: #x := #x; goto #if; }";
    assert_round_trip(&parse_ok(text));
}
