//! Spans through line markers and macros.

#![allow(clippy::unwrap_used, reason = "test code")]

use dally_c::{ParseOptions, Unit};
use dally_text::code::Severity;
use dally_text::source::SourceMap;

/// The text and place of each error of a unit that is made of one file.
fn errors(original: &str, unit: &str) -> Vec<String> {
    let units = [Unit { name: "x.i".to_owned(), text: unit.to_owned() }];
    let mut sources = SourceMap::default();
    let mut read = |name: &str| (name == "x.c").then(|| original.to_owned());
    let errors = dally_c::parse(&units, &mut sources, &mut read, &ParseOptions::default()).unwrap_err();
    let show = |d: &dally_text::diagnostic::Diagnostic| {
        let place = sources.location(d.primary.span).map_or("nowhere".to_owned(), |l| l.to_string());
        format!("{place} {}", sources.text(d.primary.span).unwrap_or("?"))
    };
    errors.iter().filter(|d| d.severity() == Severity::Error).map(show).collect()
}

#[test]
fn lines_that_are_copied() {
    let original = "int x;\n\n  int f(void) { return y; } // y\n";
    assert_eq!(errors(original, "# 1 \"x.c\"\nint x;\n\n  int f(void) { return y; }\n"), ["x.c:3:24 y"]);
    assert_eq!(errors(original, "# 3 \"x.c\"\n int f(void) { return y; }\n"), ["x.c:3:24 y"]);
    assert_eq!(errors(original, "#line 3 \"x.c\"\nint f(void) {return y;}\n"), ["x.c:3:24 y"]);
}

#[test]
fn arguments_of_macros_keep_their_place() {
    let original = "int f(void) { CHECK(a == 1); return b; }\n";
    let unit = "# 1 \"x.c\"\nint f(void) { do { if (!(a == 1)) fail(\"a == 1\"); } while (0); return b; }\n";
    assert_eq!(errors(original, unit), ["x.c:1:21 a", "x.c:1:37 b"]);
}

#[test]
fn tokens_of_a_macro_have_the_span_of_its_use() {
    let original = "int f(void) { return 1 + LIMIT(2); }\n";
    let unit = "# 1 \"x.c\"\nint f(void) { return 1 + (hidden + 2); }\n";
    assert_eq!(errors(original, unit), ["x.c:1:26 LIMIT(2)"]);
}

#[test]
fn several_uses_in_a_line() {
    let original = "int f(void) { INC(a); x = MAX(b, LIMIT); INC(c); NOTHING return d; }\n";
    let inc = |name: &str| format!("do {{ int t = ({name}); {name} = t + 1; }} while (0)");
    let unit = format!(
        "# 1 \"x.c\"\nint f(void) {{ {}; x = ((b) > (10) ? (b) : (hidden)); {}; return d; }}\n",
        inc("a"),
        inc("c")
    );
    let expected = ["x.c:1:19 a", "x.c:1:23 x", "x.c:1:31 b", "x.c:1:46 c", "x.c:1:65 d"];
    let mut found = errors(original, &unit);
    found.dedup();
    assert_eq!(found, expected);
}

/// The preprocessor marks what comes from macros of system headers.
#[test]
fn parts_of_a_line() {
    let original = "int f(void) { check(a, NULL); check(NULL, b); }\nint x = c;\n";
    let unit = "# 1 \"x.c\"\nint f(void) { check(a, \n# 1 \"x.c\" 3 4\n  (hidden)\n# 1 \"x.c\"\n  ); check(\n\
                # 1 \"x.c\" 3 4\n  (hidden)\n# 1 \"x.c\"\n  , b); }\nint x = c;\n";
    let mut found = errors(original, unit);
    found.sort();
    found.dedup();
    assert_eq!(found, ["x.c:1:21 a", "x.c:1:24 NULL", "x.c:1:43 b", "x.c:2:9 c"]);
}

#[test]
fn a_use_over_several_lines() {
    let original = "int f(void) { CHECK(a,\n  b);\n  return c; }\n";
    let unit = "# 1 \"x.c\"\nint f(void) { check(a, b);\n\n  return c; }\n";
    assert_eq!(errors(original, unit), ["x.c:1:21 a", "x.c:2:3 b", "x.c:3:10 c"]);
}

#[test]
fn the_unit_is_the_source_without_markers() {
    assert_eq!(errors("", "int x = y;\n"), ["x.i:1:9 y"]);
    assert_eq!(errors("", "# 9 \"x.c\"\nint x = y;\n"), ["x.i:2:9 y"]);
    assert_eq!(errors("", "# 1 \"<built-in>\"\nint x = y;\n"), ["x.i:2:9 y"]);
}

#[test]
fn files_outside_of_the_program_are_refused() {
    assert_eq!(errors("", "# 1 \"/etc/passwd\"\nint x;\n"), ["x.i:1:1 # 1 \"/etc/passwd\""]);
}

#[test]
fn names_with_universal_characters() {
    assert_eq!(errors("int é = ö;\n", "# 1 \"x.c\"\nint \\U000000e9 = \\u00f6;\n"), ["x.c:1:9 ö"]);
}
