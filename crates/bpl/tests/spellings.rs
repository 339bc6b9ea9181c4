//! All spellings of asynchronous statements parse to the same tree.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use support::{dump::dump, errors, parse_ok};

const DECLS: &str = "procedure p(x: int) returns (r: int) { r := x; } procedure q() { }\n";

fn body(statements: &str) -> String {
    format!("{DECLS} procedure main() {{ var t: task int; var r: int; {statements} }}")
}

/// Asserts that all spellings parse to one tree, and that it is printed in the canonical one.
fn assert_same(canonical: &str, others: &[&str]) {
    let ast = parse_ok(&body(canonical));
    let printed = dally_bpl::print(&ast);
    assert!(printed.contains(canonical), "{canonical} is canonical, but was printed as\n{printed}");
    assert_eq!(errors(&body(canonical)), []);
    for other in others {
        assert_eq!(dump(&ast), dump(&parse_ok(&body(other))), "{other}");
        assert_eq!(errors(&body(other)), [], "{other}");
    }
}

#[test]
fn post() {
    assert_same("call {:async} q();", &["async call q();", "async call {:async} q();"]);
}

#[test]
fn post_with_a_handle() {
    assert_same(
        "call {:async} t := p(1);",
        &["call {:async t} r := p(1);", "async call t := p(1);", "call {:async t} p(1);"],
    );
}

#[test]
fn the_result_variable_of_a_c2s_post_is_checked() {
    for (text, message) in [
        ("call {:async t} missing := p(1);", "there is no variable `missing`"),
        (
            "call {:async t} t := p(1);",
            "the variable for the result should be of type `int`, but is of type `task int`",
        ),
    ] {
        let errors = errors(&body(text));
        assert_eq!(errors.iter().map(|d| &d.message[..]).collect::<Vec<_>>(), [message]);
    }
}

/// c2s has no type for tasks.
#[test]
fn a_handle_of_type_int_is_a_task() {
    let program = |locals: &str, statements: &str| {
        format!("{DECLS} procedure main() {{ var r: int; {locals} {statements} }}")
    };
    let posts = "call {:async t} r := p(1); call {:async u} q(); assume {:wait r, t} true;";
    let task = program("var t: task int; var u: task;", posts);
    for int in [program("var t, u: int;", posts), program("var t: int; var u: task;", posts)] {
        assert_eq!(errors(&int), []);
        assert_eq!(dump(&parse_ok(&task)), dump(&parse_ok(&int)));
    }
    let waited = program("var t: int;", "call {:async} t := p(1); call r := wait(t);");
    assert_eq!(errors(&waited), []);
    let number = program("var u: int;", "call {:async u} q(); r := u + 1;");
    assert_eq!(errors(&number).len(), 1);
    // In Corral, the result of an asynchronous call is an arbitrary value.
    assert_eq!(errors(&program("", "call {:async} r := p(1); r := r + 1;")), []);
}

#[test]
fn post_at_a_level() {
    assert_same(
        "call {:async} {:level 2} q();",
        &["async call {:level 2} q();", "call {:level 2} {:async} q();"],
    );
}

#[test]
fn wait() {
    assert_same("call r := wait(t);", &["assume {:wait r, t} true;"]);
    assert_same("call wait(t);", &["assume {:wait t} true;"]);
}

#[test]
fn a_declared_wait_is_an_ordinary_procedure() {
    let text = "procedure wait(x: int); procedure main() { call wait(1); }";
    assert_eq!(errors(text), []);
    assert!(dump(&parse_ok(text)).contains("(call false (ids) wait (list (int 1)))"));
}

#[test]
fn yields() {
    assert_same("yield;", &["assume {:yield} true;", "call corral_yield();"]);
    assert_same("zield;", &["assume {:zield} true;"]);
}

#[test]
fn atomic_sections() {
    let declared = "procedure corral_atomic_begin(); procedure corral_atomic_end();";
    let text = "procedure main() { call corral_atomic_begin(); call corral_atomic_end(); }";
    assert_eq!(errors(text), []);
    assert_eq!(errors(&format!("{declared}{text}")), []);
    assert!(dump(&parse_ok(text)).contains("AtomicBegin"));
}

#[test]
fn other_attributes_are_kept() {
    assert_same("assume {:await} {:source \"f.c\"} r > 0;", &["assume {:source \"f.c\"} {:await} r > 0;"]);
    assert_same("yield {:source \"f.c\"};", &["assume {:source \"f.c\"} {:yield} true;"]);
}

#[test]
fn thread_id_procedures_need_no_declaration() {
    assert_eq!(errors("procedure main() { var x: int; call x := corral_getThreadID(); }"), []);
    let declared = "procedure corral_getChildThreadID() returns (tid: int);
                    procedure main() { var x: int; call x := corral_getChildThreadID(); }";
    assert_eq!(errors(declared), []);
}

#[test]
fn soft_keywords_can_be_names() {
    let text = "var yield: int; var zield: int; var async: bool; type task;
                procedure main() { var t: task; yield := 1; zield := yield; async := true; yield: goto yield; }";
    assert_eq!(errors(text), []);
}
