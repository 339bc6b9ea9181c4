//! The engines of `dally verify`: abstraction, invariants, and what the report says about them.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use common::verify;

const MAPS: &str = "var a, b, c: [int]int;
procedure main() modifies a, b, c;
{
  a[0] := 1;
  b[1] := a[0];
  c[2] := b[1];
  if (c[2] == 7) { c[2] := 8; }
  assert b[1] == 1;
}
";

#[test]
fn tracked_globals_are_reported() {
    let (code, said) = verify(MAPS, &["--track", "b"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("tracked 2 of 3 globals (a, b); the others were arbitrary\n"), "{said}");
    let (_, json) = verify(MAPS, &["--track", "b", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tracked"], serde_json::json!(["a", "b"]));
    assert_eq!(json["verdict"], "proved");
    let (code, said) = verify(MAPS, &["--track", "all"]);
    assert!(code == Some(0) && !said.contains("tracked"), "{said}");
}

#[test]
fn a_bug_of_an_abstraction_is_replayed_with_everything_tracked() {
    let (code, said) = verify(&MAPS.replace("b[1] == 1", "c[2] != 1"), &["--track", "c"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("assert c[2] != 1") && said.contains("c = "), "{said}");
}

#[test]
fn asynchronous_programs_are_abstracted_with_all_copies_of_a_variable() {
    let text =
        "var a, b: [int]int; procedure task() modifies a, b; { b[0] := a[0]; yield; a[0] := a[0] + 1; }
                procedure main() modifies a, b; { a[0] := 0; async call task(); async call task(); yield;
                  assert a[0] CLAIM; }";
    let flags = ["--track", "b", "--delays", "2"];
    let (code, said) = verify(&text.replace("CLAIM", "<= 2"), &flags);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("proved") && !said.contains("tracked 1"), "{said}");
    let (code, said) = verify(&text.replace("CLAIM", "!= 2"), &flags);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn a_name_that_no_global_has_is_refused() {
    let (code, said) = verify(MAPS, &["--track", "b,z", "--json"]);
    assert!(code == Some(2) && said.contains("--track: the program has no global variable `z`"), "{said}");
}

/// A function without a definition keeps Horn clauses away.
#[test]
fn invariants_prove_what_unrolling_does_not() {
    let text = "function f(x: int): int; const {:existential true} low: bool; const {:existential true} high: bool;
                procedure main() { var x, y: int; x := 0; y := 0;
                  while (y < f(7)) invariant low ==> x >= y; invariant high ==> x == 3; { x := x + 2; y := y + 1; }
                  assert x >= y; }";
    let (code, said) = verify(text, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("proved"), "{said}");
    assert!(said.contains("by inductive invariants (Houdini: "), "{said}");
    assert!(
        said.contains("; candidates that hold: low; candidates that do not hold in general: high\n"),
        "{said}"
    );
}
