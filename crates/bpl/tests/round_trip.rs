//! Parsing inverts printing on every tree, and printing inverts parsing on canonical text.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use arbtest::arbtest;
use support::{dump::dump, generate, parse_ok};

fn assert_round_trip(ast: &dally_bpl::ast::Ast) {
    let text = dally_bpl::print(ast);
    let again = parse_ok(&text);
    assert_eq!(dump(ast), dump(&again), "printed as:\n{text}");
    assert_eq!(text, dally_bpl::print(&again), "canonical text is a fixed point");
}

#[test]
fn expressions() {
    arbtest(|u| {
        assert_round_trip(&generate::axiom(u)?);
        Ok(())
    })
    .budget_ms(4_000);
}

#[test]
fn programs() {
    arbtest(|u| {
        assert_round_trip(&generate::program(u)?);
        Ok(())
    })
    .size_max(4_096)
    .budget_ms(6_000);
}
