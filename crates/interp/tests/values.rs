//! Values beyond integers and words: reals, wide bitvectors, and quantifiers over small types.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_explore::{Exhaustive, FailureKind, Search, Verdict, replay};
use dally_interp::{Machine, MachineOptions};
use dally_text::source::SourceMap;
use dally_trace::{Explain, TaskNumbers};

const HEADER: &str = "
datatype Color { Red(), Green(), Mixed(b: bool) }
function {:bvbuiltin \"bvadd\"} add(a: bv128, b: bv128): bv128;
function {:bvbuiltin \"bvneg\"} neg(a: bv128): bv128;
function {:bvbuiltin \"bvsdiv\"} sdiv(a: bv128, b: bv128): bv128;
function {:bvbuiltin \"bvslt\"} slt(a: bv128, b: bv128): bool;
function {:bvbuiltin \"sign_extend 64\"} sext(a: bv64): bv128;
function {:bvbuiltin \"zero_extend 64\"} zext(a: bv64): bv128;
function {:bvbuiltin \"bvxor\"} xor(a: bv4, b: bv4): bv4;
var r: real; var m: [real]bv100; var w: bv128; var x: int; var c: Color;
";

fn verdict(statements: &str) -> (Machine, Verdict) {
    let text = format!("{HEADER} procedure main() {{ {statements} }}");
    let mut sources = SourceMap::default();
    sources.add("test.bpl", &*text).unwrap();
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{:?} in {text}", d[0].message));
    let machine =
        Machine::new(&program, &sources, &MachineOptions::default()).unwrap_or_else(|d| panic!("{:?}", d[0]));
    let verdict = Search::new(&machine, &Exhaustive, &dally_explore::Options::default(), &()).run().verdict;
    (machine, verdict)
}

#[track_caller]
fn holds(condition: &str) {
    assert_eq!(verdict(&format!("assert {condition};")).1, Verdict::Proved, "{condition}");
    assert_eq!(failure(&format!("assert !({condition});")), FailureKind::Assertion, "{condition}");
}

#[track_caller]
fn failure(statements: &str) -> FailureKind {
    let (machine, verdict) = verdict(statements);
    let Verdict::Bug(bug) = verdict else { panic!("{statements}: {verdict:?}") };
    assert_eq!(replay(&machine, &bug.schedule, |_| {}).unwrap().failure.as_ref(), Some(&bug.failure));
    bug.failure.kind
}

#[test]
fn reals_are_exact() {
    for condition in [
        "0.1 + 0.2 == 0.3",
        "1.0 / 3.0 * 3.0 == 1.0",
        "1 / 4 == 0.25",
        "-1.5 < 1e-3 && 2.50 >= 2.5 && 1.5 != 1.25",
        "int(-1.5) == -2 && int(1.5) == 1 && int(2.0) == 2",
        "real(3) - 1e0 == 2.0 && real(int(2.75)) == 2.0",
        "(if 1.0 < 2.0 then 1.5 else 0.0) == 15e-1",
        "-(0.5) == 0.0 - 0.5",
    ] {
        holds(condition);
    }
    assert_eq!(failure("r := 0.0; r := 1.0 / r;"), FailureKind::Runtime);
    let squares = "r := 1.1; while (true) { r := r * r; }";
    assert!(
        matches!(verdict(squares).1, Verdict::Unsupported(m) if m.contains("above the limit of a million bits"))
    );
}

#[test]
fn reals_are_keys_and_shown() {
    let (machine, verdict) =
        verdict("r := 1.0 / 3.0; m[r] := 5bv100; m[2.0 / 6.0] := 6bv100; assert m[r] == 5bv100;");
    let Verdict::Bug(bug) = verdict else { panic!() };
    let state = replay(&machine, &bug.schedule, |_| {}).unwrap().state;
    let globals = machine.variables(&state, &TaskNumbers::default());
    let shown: Vec<&str> = globals.iter().map(|global| global.value.as_str()).collect();
    assert_eq!(shown[..2], ["1/3", "[1/3 := 6, else *]"]);
}

#[test]
fn wide_bitvectors_agree_across_the_word_boundary() {
    for condition in [
        "add(18446744073709551615bv128, 1bv128) == 18446744073709551616bv128",
        "add(neg(7bv128), 7bv128) == 0bv128",
        "sext(18446744073709551615bv64) == neg(1bv128) && zext(9bv64) == 9bv128",
        "slt(neg(2bv128), 1bv128) && sdiv(neg(9bv128), 2bv128) == neg(4bv128)",
        "(1bv64 ++ 2bv64)[128:64] == 1bv64 && (1bv64 ++ 2bv64)[66:0] == 18446744073709551618bv66",
        "(1bv64 ++ 9bv64)[2:0] == 1bv2",
        "(5bv100 ++ 1bv2)[102:1] == (5bv100 ++ 0bv1)",
    ] {
        holds(condition);
    }
}

#[test]
fn quantifiers_over_small_types_cover_all_values() {
    for condition in [
        "(forall b: bool :: b || !b) && (exists b: bool :: b)",
        "(forall a, b: bv4 :: xor(a, b) == xor(b, a)) && !(forall a, b: bv4 :: a == b)",
        "(forall a: bv4 :: (exists b: bv4 :: xor(a, b) == 5bv4))",
        "!(exists b: bv4 :: (forall a: bv4 :: xor(a, b) == 5bv4))",
        "(forall c: Color :: c == Red() || c == Green() || c is Mixed)",
        "(exists c: Color :: c is Mixed && c->b)",
        "(forall b: bool :: (lambda d: Color :: (if d is Mixed then d->b == b else b))[Mixed(b)])",
        "(forall a: bv16 :: a != 7bv16 || (exists b: bool :: b))",
    ] {
        holds(condition);
    }
    // A nondeterministic choice can happen inside a quantifier.
    assert_eq!(
        failure("havoc c; assert (exists b: bool :: c == Mixed(b)) || c == Red();"),
        FailureKind::Assertion
    );
    assert_eq!(verdict("havoc c; assert (forall b: bool :: c == c);").1, Verdict::Proved);
}
