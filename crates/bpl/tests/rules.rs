//! Rules of the language, each with a program that satisfies it and one that violates it.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_bpl::codes;
use dally_text::code::Code;
use support::{errors, sources};

fn codes(text: &str) -> Vec<Code> {
    errors(text).iter().map(|d| d.code).collect()
}

/// Asserts that a program is without errors.
fn loads(text: &str) {
    assert_eq!(errors(text), [], "{text}");
}

#[test]
fn results_are_not_in_scope_in_preconditions() {
    assert_eq!(codes("procedure p() returns (r: int); requires r > 0;"), [Code::UNKNOWN_NAME]);
    assert_eq!(codes("procedure p(x: int where x < r) returns (r: int);"), [Code::UNKNOWN_NAME]);
    assert_eq!(codes("procedure p(x: int) returns (r: int); measure r;"), [Code::UNKNOWN_NAME]);
    loads("procedure p(x: int where x > 0) returns (r: int where r > x); ensures r > old(x);");
    loads("procedure {:a r} p() returns (r: int);");
}

#[test]
fn preconditions_see_a_global_with_the_name_of_a_result() {
    loads("var r: int; procedure p() returns (r: bool); requires r > 0; ensures r;");
    assert_eq!(
        codes("var r: int; procedure p() returns (r: bool); requires r; ensures r > 0;"),
        [Code::NOT_BOOL, Code::NOT_APPLICABLE]
    );
}

#[test]
fn contracts_have_variables_for_parameters_and_results() {
    let text = "procedure p(x: int, y: int) returns (r: bool); requires x < y; ensures r;";
    let program = dally_bpl::load(&sources(text)).unwrap();
    let p = program.info.procedure(program.ast.symbols.get("p").unwrap()).unwrap();
    let names: Vec<&str> =
        program.info.signature_vars(p).iter().map(|v| program.ast.text(program.info[*v].name)).collect();
    assert_eq!(names, ["x", "y", "r"]);
}

#[test]
fn pure_procedures_have_no_side_effects() {
    let pure = |body: &str| {
        codes(&format!(
            "var g: int; var m: [int]int; pure procedure f() returns (r: int) {{ r := 1; }}
             procedure q(); pure procedure p() {{ var x: int; {body} }}"
        ))
    };
    assert_eq!(pure("x := 1; call x := f(); havoc x;"), []);
    for body in ["g := 1;", "m[0] := 1;", "havoc g;", "call g := f();", "call q();"] {
        assert_eq!(pure(body), [codes::IMPURE], "{body}");
    }
    for body in ["yield;", "async call f();", "call {:async} q();", "assume {:await} true;"] {
        assert_eq!(pure(body), [codes::IMPURE], "{body}");
    }
    assert_eq!(pure("x := g;"), [codes::GLOBAL_IN_STATELESS_CONTEXT]);
    let implementation = "var g: int; pure procedure p(); implementation p() { assert g == 0; g := 1; }";
    assert_eq!(codes(implementation), [codes::GLOBAL_IN_STATELESS_CONTEXT, codes::IMPURE]);
}

#[test]
fn attributes_of_variables_come_first() {
    assert_eq!(codes("var x: int, {:range 0, 3} y: int;"), [codes::MISPLACED_CLAUSE]);
    assert_eq!(codes("procedure p() { var x: int, {:range 0, 3} y: int; }"), [codes::MISPLACED_CLAUSE]);
    loads("var {:range 0, 3} x: int, y: int; procedure p({:a} x: int, {:b} y: int) { }");
}

#[test]
fn errors_in_shared_types_and_attributes_are_reported_once() {
    assert_eq!(codes("var x, y: Nothing where oops;"), [Code::UNKNOWN_TYPE, Code::UNKNOWN_NAME]);
    assert_eq!(codes("procedure p(x, y: Nothing) { var {:a oops} a, b: int, c: bool; }").len(), 2);
    assert_eq!(codes("axiom (forall x, y: Nothing :: x == y);"), [Code::UNKNOWN_TYPE]);
}

#[test]
fn another_declaration_overrides_an_extern_one() {
    // Only `x` is declared elsewhere: `y` must stay.
    loads("var {:extern} x, y: int; var x: bool; procedure p() { x := y > 0; }");
    loads("var x: bool; var {:extern} x, y: int; procedure p() { x := y > 0; }");
    loads("const {:extern} a, b: int; const a: bool; axiom a && b > 0;");
    loads("const {:extern} a: int; const a: bool; axiom a;");
    loads("type {:extern} T, U; type T = int; const c: T; const d: U; axiom c == 1;");
    // The frame is that of the overriding declaration.
    let frame = "var g: int; procedure {:extern} p(); modifies; procedure p(); modifies g;
                 procedure q(); modifies; implementation q() { call p(); }";
    assert_eq!(codes(frame), [codes::NOT_IN_MODIFIES]);
}

#[test]
fn frames_are_inferred_through_calls() {
    let text = "var a, b, c, d: int;
                procedure p() { a := 1; call q(); } procedure q() { b := 1; call r(); call p(); }
                procedure r() { c := 1; } procedure s(); modifies d; procedure t() { call p(); call s(); }
                procedure u() { async call t(); }";
    let program = dally_bpl::load(&sources(text)).unwrap();
    let frame = |name: &str| {
        let procedure = program.info.procedure(program.ast.symbols.get(name).unwrap()).unwrap();
        let vars = program.info[procedure].modifies.iter();
        vars.map(|v| program.ast.text(program.info[v].name)).collect::<String>()
    };
    assert_eq!(["p", "q", "r", "s", "t", "u"].map(frame), ["abc", "abc", "c", "d", "abcd", ""]);
}

#[test]
fn a_call_outside_of_the_frame_is_reported_once() {
    let text =
        "var a, b: int; procedure q() { a := 1; b := 1; } procedure p() modifies a; { call q(); call q(); }";
    let found = errors(text);
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [codes::NOT_IN_MODIFIES]);
    assert_eq!(found[0].primary.span.start as usize, text.find("q(); call q(); }").unwrap() + 1);
}

#[test]
fn calls_take_wildcards() {
    let call = |call: &str| {
        codes(&format!(
            "procedure p(x: int, y: bool) returns (a: int, b: bool); procedure t() returns (r: int);
             procedure q() {{ var x: int; var b: bool; {call} }}"
        ))
    };
    for good in [
        "call x, b := p(*, *);",
        "call x, b := p(x, *);",
        "call *, b := p(*, b);",
        "call *, * := p(1, true);",
        "call * := t();",
        "async call p(*, true);",
    ] {
        assert_eq!(call(good), [], "{good}");
    }
    assert_eq!(call("call x, b := p(*);"), [Code::WRONG_COUNT]);
    assert_eq!(call("call b, * := p(1, *);"), [Code::TYPE_MISMATCH]);
    assert_eq!(call("call p(1, *);"), [Code::WRONG_COUNT]);
    assert_eq!(call("x := *;"), [Code::UNEXPECTED_TOKEN]);
    assert_eq!(call("call x, b := p(* + 1, b);"), [Code::UNEXPECTED_TOKEN]);
}

#[test]
fn a_quote_after_a_backslash_is_part_of_the_string() {
    loads("axiom {:a \"x\\\"y\"} true;");
    loads("axiom {:a \"c:\\x\"} true;");
    for text in ["axiom {:a \"x\\\"} true;", "axiom {:a \"x\\\\\"} true;\naxiom {:b \"\"} true;"] {
        assert_eq!(codes(text), [Code::UNTERMINATED_STRING], "{text}");
    }
}

#[test]
fn strings_have_no_control_characters() {
    loads("axiom {:a \"x\ty\"} true;");
    for c in ["\u{1b}", "\0", "\r", "\u{7f}", "\u{9b}"] {
        let found = errors(&format!("axiom {{:a \"x{c}y\"}} true;"));
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::UNEXPECTED_CHARACTER], "{c:?}");
        assert_eq!(found[0].primary.span.start, 13);
    }
}

#[test]
fn civl_constructs_are_reported_as_unsupported() {
    for text in [
        "procedure p() requires call I(); { }",
        "procedure p(); ensures call I(); requires true;",
        "procedure p() preserves {:expand} (var x := 1; x == 1); { }",
        "procedure p() asserts true; refines A; { }",
        "procedure p() refines atomic action A { var x: int; x := 1; } modifies; { }",
        "procedure p() { while (*) invariant call I(); invariant true; { } }",
        "procedure p() { par p() | p(); assert true; }",
        "procedure p() { call p() | p(); }",
    ] {
        let found = codes(text);
        assert!(!found.is_empty() && found.iter().all(|c| *c == codes::CIVL), "{text}: {found:?}");
    }
    // Parsing continues after the construct.
    let text = "procedure p() { par p() | p(); assert ; } procedure q() requires call I(); { assert ; }";
    assert_eq!(codes(text).iter().filter(|c| **c == Code::UNEXPECTED_TOKEN).count(), 2);
    loads("procedure p() { var par: int; par := 1; }");
}

#[test]
fn pending_bounds_are_dropped_after_an_error() {
    let text = "procedure p() { assert x[1:2 + ]; assert true; assert x[0]; }";
    assert_eq!(codes(text), [Code::UNEXPECTED_TOKEN]);
    let text = "axiom f(1:0, );\naxiom true;";
    assert_eq!(codes(text), [codes::BAD_EXTRACT, Code::UNEXPECTED_TOKEN]);
}

#[test]
fn keywords_are_suggested() {
    let help = |text: &str| errors(text)[0].help.clone().unwrap_or_default();
    assert_eq!(help("procedure p() { yeild; }"), "did you mean `yield`?");
    assert_eq!(help("procedure p() { asert true; }"), "did you mean `assert`?");
    assert_eq!(help("proc p() { }"), "did you mean `procedure`?");
    assert_eq!(help("procedure p() { x = 1; }"), "use `:=` for assignment");
    assert_eq!(help("axiom a & b;"), "did you mean `&&`?");
    assert_eq!(errors("axiom a & b;").len(), 1);
}

#[test]
fn the_number_of_type_variables_is_limited() {
    let params: String = (0..1001).map(|i| format!(" a{i}")).collect();
    assert_eq!(codes(&format!("type T{params};")), [codes::BAD_PARAMETER]);
}

/// The codes of the warnings of a program without errors.
fn warnings(text: &str) -> Vec<Code> {
    dally_bpl::load(&sources(text)).unwrap().warnings.iter().map(|d| d.code).collect()
}

#[test]
fn slash_divides_integers_in_programs_that_predate_reals() {
    let old = "function half(x: int) returns (int) { x / 2 }";
    assert_eq!(warnings(old), [codes::OLD_DIVISION]);
    let program = dally_bpl::load(&sources(old)).unwrap();
    let again = dally_bpl::print(&program.ast);
    assert_eq!(warnings(&again), [codes::OLD_DIVISION]);
    // A program that mentions reals, or is well-typed with real division, does not predate reals.
    assert_eq!(codes(&format!("{old} var r: real;")), [Code::TYPE_MISMATCH]);
    assert_eq!(codes(&format!("{old} axiom 1.5 == 1.5;")), [Code::TYPE_MISMATCH]);
    assert_eq!(warnings("function f(x: int, y: int) returns (bool) { x / y < y / x }"), []);
    // With other errors, `/` keeps its current meaning.
    assert_eq!(
        codes("function f(x: int) returns (int) { x / y }"),
        [Code::TYPE_MISMATCH, Code::UNKNOWN_NAME]
    );
}

#[test]
fn the_documented_example_is_well_typed() {
    let chapter = include_str!("../../../docs/language.md");
    let (_, rest) = chapter.split_once("```boogie\n").unwrap();
    loads(rest.split_once("```").unwrap().0);
}
