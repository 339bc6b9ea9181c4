//! No input crashes the front end, and every diagnostic has a span inside of the text.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_bpl::codes;
use dally_testing::arbitrary::Unstructured;
use dally_testing::for_inputs;
use dally_text::code::Code;
use support::{errors, sources};

fn codes(text: &str) -> Vec<Code> {
    errors(text).iter().map(|d| d.code).collect()
}

/// Parses, checks, prints and renders every diagnostic; spans must lie inside of the text.
fn run(text: &str) {
    let sources = sources(text);
    match dally_bpl::load(&sources) {
        Ok(program) => {
            let printed = dally_bpl::print(&program.ast);
            assert_eq!(errors(&printed), [], "printed as:\n{printed}");
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for d in &diagnostics {
                assert!(sources.text(d.primary.span).is_some(), "{d:?} points nowhere in {text:?}");
                let shown = dally_text::render::render(&sources, d, false);
                assert!(!shown.contains('\u{1b}') && !shown.contains('\0'), "{shown:?}");
                dally_text::render::to_json(&sources, d);
            }
        }
    }
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_nesting_is_reported() {
    for (open, inner, close) in [
        ("(", "true", ")"),
        ("!", "true", ""),
        ("old(", "true", ")"),
        ("f(", "true", ")"),
        ("x[", "0", "]"),
        ("x[0 := ", "0", "]"),
        ("(forall x: int :: ", "true", ")"),
        ("if true then ", "true", " else true"),
        ("true ==> ", "true", ""),
        ("(var x := true; ", "x", ")"),
        ("|{ A: assume ", "true", "; return true; }|"),
    ] {
        let text = format!("axiom {};", nested(open, inner, close, 100_000));
        assert_eq!(codes(&text), [Code::TOO_DEEP], "{open}");
        run(&format!("axiom {};", nested(open, inner, close, 2_000)));
    }
}

#[test]
fn deep_types_and_statements_are_reported() {
    assert_eq!(codes(&format!("var x: {};", nested("[int]", "int", "", 100_000))), [Code::TOO_DEEP]);
    assert_eq!(codes(&format!("var x: {};", nested("(", "int", ")", 100_000))), [Code::TOO_DEEP]);
    let block = nested("if (*) {", "", "}", 100_000);
    assert_eq!(codes(&format!("procedure p() {{ {block} }}")), [Code::TOO_DEEP]);
    run(&format!("var x: {};", nested("[int]", "int", "", 2_000)));
    run(&format!("procedure p() {{ {} }}", nested("while (*) {", "", "}", 500)));
}

#[test]
fn long_chains_do_not_count_as_nesting() {
    let n = 100_000;
    for text in [
        format!("axiom true{};", " && true".repeat(n)),
        format!("axiom 0{} == 0;", " + 0".repeat(n)),
        format!("axiom true{};", " <==> true".repeat(n)),
        format!("const m: [int]int; axiom m{} == m;", "[0 := 1]".repeat(n)),
        format!("procedure p() {{ {} }}", "assume true;".repeat(n)),
        format!("procedure p() {{ if (*) {{}}{} }}", " else if (*) {}".repeat(n)),
        format!("const {}: int;", (0..n).map(|i| format!("c{i}")).collect::<Vec<_>>().join(", ")),
    ] {
        assert_eq!(codes(&text), []);
    }
}

#[test]
fn long_lines_are_truncated() {
    let text = format!("{}axiom oops;{}", " ".repeat(5_000_000), " ".repeat(5_000_000));
    let sources = sources(&text);
    let diagnostics = dally_bpl::load(&sources).err().unwrap_or_default();
    let shown = dally_text::render::render(&sources, &diagnostics[0], false);
    assert!(shown.contains(":1:5000007") && shown.contains("axiom oops;") && shown.len() < 1_000, "{shown}");
}

#[test]
fn both_spans_on_a_long_line_have_the_right_columns() {
    let gap = format!("/*{}*/", "é".repeat(300));
    let text = format!("{gap}var x: int;{gap}var x: int;{gap}");
    let sources = sources(&text);
    let diagnostics = dally_bpl::load(&sources).err().unwrap_or_default();
    let shown = dally_text::render::render(&sources, &diagnostics[0], false);
    assert!(shown.contains("--> test.bpl:1:624\n"), "{shown}");
    assert!(shown.contains("::: test.bpl:1:309\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 240), "{shown}");
}

#[test]
fn tabs_are_shown_as_spaces() {
    let sources = sources("axiom\t\ttrue &&\t1;");
    let diagnostics = dally_bpl::load(&sources).err().unwrap_or_default();
    let shown = dally_text::render::render(&sources, &diagnostics[0], false);
    let excerpt = "1 | axiom        true &&    1;\n  |              ----^^^^^^^-\n";
    assert!(shown.contains(excerpt) && shown.contains("test.bpl:1:8\n"), "{shown}");
}

#[test]
fn invisible_characters_are_replaced() {
    for c in ['\u{1b}', '\u{61c}', '\u{202e}', '\u{2066}', '\u{200b}'] {
        assert_eq!(dally_text::render::printable(&format!("a{c}b")), "a\u{fffd}b");
    }
}

#[test]
fn carriage_returns_do_not_break_rendering() {
    run("axiom\r\n");
    run("axiom 1 \u{1}\r\n== 2;\r\n");
    run("axiom 1 \r== 2;\r");
}

#[test]
fn unterminated_tokens_are_reported() {
    assert_eq!(codes("axiom {:x \"abc"), [Code::UNTERMINATED_STRING]);
    assert_eq!(codes("axiom true; /* /* */"), [Code::UNTERMINATED_COMMENT]);
    assert_eq!(codes("#if A\n"), [codes::BAD_PRAGMA]);
}

#[test]
fn all_errors_are_reported() {
    let text = "procedure p() { x := ; y : = 1; call ; assert true } var ; procedure q() { assert tru; }";
    assert!(codes(text).len() >= 4, "{:?}", errors(text));
    let text = "procedure p() { x := 1; assert y; call z(); goto l; }";
    assert_eq!(
        codes(text),
        [Code::UNKNOWN_NAME, Code::UNKNOWN_NAME, codes::UNKNOWN_PROCEDURE, codes::UNKNOWN_LABEL]
    );
}

#[test]
fn the_number_of_diagnostics_is_limited() {
    assert_eq!(codes(&"\u{1} ;".repeat(10_000)).len(), dally_text::diagnostic::Diagnostics::LIMIT);
}

#[test]
fn duplicate_declarations_do_not_crash() {
    for first in
        ["type D;", "type D = int;", "datatype D { A(), B(x: int, y: D) }", "datatype D { C(z: int) }"]
    {
        for second in
            ["type D;", "type D = bool;", "datatype D { E(x: int) }", "datatype D { A(), A(), F(y: D) }"]
        {
            assert!(codes(&format!("{first} {second}")).contains(&Code::DUPLICATE), "{first} {second}");
        }
    }
    run("procedure p(); procedure p(x: int) { call p(x); } implementation p(y: int) { call p(); }");
    run("function f(x: int): int { x } function f(x: bool): bool { x } axiom f(1) == 1;");
}

#[test]
fn cyclic_types_are_reported() {
    assert!(codes("type A = B; type B = A;").contains(&Code::CYCLIC_SYNONYM));
    assert!(codes("type A x = A (A x); var v: A int;").contains(&Code::CYCLIC_SYNONYM));
    assert!(codes("datatype L { Cons(tail: L) }").contains(&codes::NOT_WELL_FOUNDED));
    let doubling: String = (1..64).map(|i| format!("type T{i} = [T{0}]T{0};", i - 1)).collect();
    assert_eq!(codes(&format!("type T0 = int; {doubling} var x: T63;")), []);
    let wrong = format!("type T0 = int; {doubling} const x: T63; axiom x == 1;");
    assert_eq!(codes(&wrong), [Code::NOT_APPLICABLE]);
}

/// Types share components and calls share callees: without memoisation, these would take exponential time.
#[test]
fn what_is_shared_is_looked_at_once() {
    let doubling: String = (1..64).map(|i| format!("type D{i} a = P (D{0} a) (D{0} a);", i - 1)).collect();
    let types = format!("type P a b; type D0 a = a; {doubling}");
    assert_eq!(codes(&format!("{types} function f<a>(D63 a): a; const c: D63 int; axiom f(c) == 1;")), []);
    let same = "function g<a>(D63 a, D63 a): a; const c: D63 int; function h<a>(a): D63 a;";
    assert_eq!(codes(&format!("{types} {same} axiom g(c, h(1)) == 1 && g(h(2), h(3)) == 4;")), []);
    assert_eq!(codes(&format!("{types} {same} axiom g(c, h(true)) == 1;")), [Code::TYPE_MISMATCH]);
    let chain = format!("function g<a>(): a; axiom g(){};", "[0]".repeat(5_000));
    assert_eq!(codes(&chain), []);
    let calls = |i: usize| format!("var g{i}: int; procedure p{i}() {{ g{i} := 0; call p{}(); }}", i + 1);
    let procedures: String = (0..3_000).map(calls).collect();
    assert_eq!(codes(&format!("{procedures} procedure p3000(); modifies g0;")), []);
}

#[test]
fn long_names_are_truncated() {
    let name = "x".repeat(1_000_000);
    for text in [format!("axiom {name};"), format!("const {name}: int; axiom {name};")] {
        let sources = sources(&text);
        let diagnostics = dally_bpl::load(&sources).err().unwrap_or_default();
        let shown = dally_text::render::render(&sources, &diagnostics[0], false);
        assert!(shown.len() < 2_000, "{}", shown.len());
    }
}

const WORDS: &[&str] = &[
    "procedure",
    "implementation",
    "function",
    "axiom",
    "var",
    "const",
    "type",
    "datatype",
    "x",
    "y",
    "p",
    "int",
    "bool",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    ":=",
    "==",
    "==>",
    "<==",
    "&&",
    "||",
    "+",
    "-",
    "*",
    "!",
    "<",
    ">",
    "call",
    "async",
    "assume",
    "assert",
    "havoc",
    "while",
    "if",
    "else",
    "then",
    "goto",
    "return",
    "break",
    "{:async}",
    "{:yield}",
    "{:wait",
    "true",
    "1",
    "2bv8",
    "0x1.0e0f24e8",
    "forall",
    "lambda",
    "::",
    "old",
    "is",
    "->",
    "|{",
    "}|",
    "\"s\"",
    "returns",
    "requires",
    "modifies",
    "invariant",
    "yield",
    "action",
    "uses",
    "#",
    "/*",
    "*/",
    "//",
    "\n",
    "#if",
    "#endif",
    "\u{0}",
    "é",
    "∀",
    "•",
    "'",
    "\\",
    "1.5",
    "7e",
    ".",
    "wait",
    "task",
    "unique",
    "where",
    "free",
    "pure",
    "measure",
    "{:level",
    "{:layer 1}",
];

fn random_text(u: &mut Unstructured<'_>) -> dally_testing::arbitrary::Result<String> {
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=60)? {
        text.push_str(u.choose(WORDS)?);
        if u.ratio(4, 5)? {
            text.push(' ');
        }
    }
    Ok(text)
}

#[test]
fn random_words() {
    for_inputs(5_000, |u| {
        run(&random_text(u)?);
        Ok(())
    });
}

#[test]
fn random_bytes() {
    for_inputs(5_000, |u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        run(&String::from_utf8_lossy(&bytes));
        Ok(())
    });
}

/// Mutations of valid programs, a piece deleted or duplicated: these reach the later passes.
#[test]
fn damaged_programs() {
    let program = include_str!("everything.bpl");
    assert_eq!(errors(program), []);
    let boundary = |mut i: usize| {
        while !program.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    for_inputs(8_000, |u| {
        let a = boundary(u.choose_index(program.len())?);
        let b = boundary((a + u.int_in_range(0..=30)?).min(program.len()));
        let word = if u.arbitrary()? { u.choose(WORDS)? } else { &program[a..b] };
        let rest = if u.arbitrary()? { &program[b..] } else { &program[a..] };
        run(&format!("{}{word}{rest}", &program[..a]));
        Ok(())
    });
}
