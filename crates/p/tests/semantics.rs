//! The semantics of P: small programs, each with its expected verdict.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::sync::atomic::Ordering;

use dally_explore::{
    Cycles, Delays, FailureKind, Limit, Liveness, Method, Options, Program, Report, SchedulerName, Search,
    StepLimits, Verdict, replay_cycle,
};
use dally_p::Machine;
use dally_text::source::SourceMap;

fn machine(text: &str) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("test.p", text).unwrap();
    let program = dally_p::load(&sources).unwrap_or_else(|d| panic!("{text}\n{d:?}"));
    Machine::new(&program, &program.tests[0], &sources)
}

fn search(text: &str) -> Report {
    search_with(text, &Options::default())
}

fn search_with(text: &str, options: &Options) -> Report {
    let machine = machine(text);
    Search::new(&machine, &Delays::named(&SchedulerName::Rtc), options, &()).run()
}

#[track_caller]
fn proved(text: &str) -> usize {
    let report = search(text);
    assert_eq!(report.verdict, Verdict::Proved, "{text}");
    report.coverage.states
}

/// Asserts a bug of this kind whose message contains `says`.
#[track_caller]
fn fails(text: &str, kind: FailureKind, says: &str) {
    match search(text).verdict {
        Verdict::Bug(bug) => {
            assert_eq!(bug.failure.kind, kind, "{text}: {}", bug.failure);
            assert!(bug.failure.message.contains(says), "{text}: {}", bug.failure);
        }
        other => panic!("{text}: {other}"),
    }
}

/// A program whose main machine executes these statements on entry.
fn main_does(statements: &str) -> String {
    format!(
        "event E: int; event F; machine Main {{ start state S {{ entry {{ {statements} }} ignore E, F; }} }}"
    )
}

const RUNTIME: FailureKind = FailureKind::Runtime;
const ASSERTION: FailureKind = FailureKind::Assertion;
const LIVENESS: FailureKind = FailureKind::Liveness;

#[test]
fn runtime_errors() {
    for (statements, says) in [
        ("var s: seq[int]; s += (1, 2);", "out of range"),
        ("var s: seq[int]; s -= (0);", "out of range"),
        ("var s: seq[int]; s[0] = 1;", "out of range"),
        ("var s: seq[int]; print format(\"{0}\", s[-1]);", "out of range"),
        ("var m: map[int, int]; m += (1, 2); m += (1, 3);", "already has this key"),
        ("var m: map[int, int]; assert m[1] == 0;", "does not have this key"),
        ("var m: map[int, seq[int]]; m[1] += (0, 1);", "does not have this key"),
        ("var a: any; var i: int; a = true; i = a as int;", "True, which is not of type `int`"),
        ("var a: any; var i: int; i = a as int;", "not of type `int`"),
        ("var a: any; var s: seq[int]; a = (1, true); s = a as seq[int];", "not of type `seq[int]`"),
        (
            "var a: any; var s: seq[bool]; var t: seq[int]; s += (0, true); a = s; t = a as seq[int];",
            "not of type `seq[int]`",
        ),
        ("var a: any; var p: (int, int); a = (1, true); p = a as (int, int);", "not of type `(int, int)`"),
        ("print format(\"{0}\", choose(-1));", "-1 options"),
        ("var i: int; i = 2147483647 + 1; i = i * i; i = (i + i) / -1;", "too large"),
        ("var m: machine; send m, F;", "to `null`"),
        ("var e: event; send this, e;", "`null` instead of an event"),
        ("var e: event; raise e;", "`null` instead of an event"),
        ("var s: set[int]; print format(\"{0}\", choose(s));", "nothing to choose"),
        ("print format(\"{0}\", choose(10000 + 1));", "10001 options"),
        (
            "var s: seq[int]; var i: int; while (i < 10001) { s += (0, i); i = i + 1; } i = choose(s);",
            "10001 options",
        ),
        ("var a: any; assert 1 in (a as set[int]);", "`in` is applied to `null`"),
        ("var a: any; assert sizeof(a as seq[int]) == 0;", "`sizeof` is applied to `null`"),
        ("var a: any; assert (a as (int, int)).0 == 0;", "a field of `null` is read"),
        ("var i: int; i = 1 / i;", "division by zero"),
        ("var i: int; i = 1 % i;", "division by zero"),
        ("goto S;", "repeats a cycle for ever"),
        ("var s: set[machine]; s += (default(machine));", "cannot be an element of a set"),
        ("var m: map[event, int]; m[default(event)] = 1;", "`null` cannot be a key"),
        ("var m: map[event, int]; assert !(default(event) in m);", "`null` cannot be a key"),
        (
            "var m: map[int, event]; m[1] = default(event); assert sizeof(values(m)) == 1;",
            "a value of the map is `null`",
        ),
        (
            "var a: any; var p: (int, int); a = (x = 1, y = 2); p = a as (int, int);",
            "not of type `(int, int)`",
        ),
        ("var a: any; var p: (x: int); a = (y = 1,); p = a as (x: int);", "not of type `(x: int)`"),
        ("announce halt;", "announces `halt`"),
        ("raise halt; assert false;", ""),
        ("var a: any; var t: (int, seq[bool]); a = t; t = a as (int, seq[bool]);", ""),
        ("if ($) { goto S; }", ""),
        ("print format(\"{0}\", choose(0));", ""),
    ] {
        if says.is_empty() {
            proved(&main_does(statements));
        } else {
            fails(&main_does(statements), RUNTIME, says);
        }
    }
}

#[test]
fn payloads_of_the_wrong_type() {
    let program = |send: &str| {
        format!(
            "event E: int; event F: seq[int]; event G: int;
             machine Main {{ start state S {{ entry {{ var e: event; new M(this); {send} }}
                on E do Take; ignore F; on G goto T; }}
                state T {{ entry (n: int) {{ }} }}
                fun Take(n: int) {{ assert n == 7; }} }}
             machine M {{ start state S {{ entry (m: machine) {{ }} on F do (s: seq[int]) {{ }} }}
                fun Wait() {{ receive {{ case F: (s: seq[int]) {{ }} }} }} }}"
        )
    };
    proved(&program("e = E; send this, e, 7;"));
    proved(&program("e = F; send this, e, true;"));
    // A missing payload is `null`.
    fails(
        &program("e = E; send this, e;"),
        RUNTIME,
        "the payload of the event is null, which is not of type `int`",
    );
    fails(&program("e = E; announce e, true;"), RUNTIME, "which is not of type `int`");
    proved(&program("e = E; announce e;"));
    for send in ["e = E; send this, e, true;", "e = E; raise e, true;", "e = G; send this, e, \"7\";"] {
        fails(&program(send), RUNTIME, "which is not of type `int`");
    }
    fails(
        "event F: seq[int]; machine Main { start state S { entry { var e: event; e = F; send this, e, (1, 2);
            receive { case F: (s: seq[int]) { } } } } }",
        RUNTIME,
        "the payload of the event is <1,2,>, which is not of type `seq[int]`",
    );
}

#[test]
fn steps_stop_at_a_limit() {
    let text = main_does("var i: int; while (true) { i = i + 1; }");
    let mut sources = SourceMap::default();
    sources.add("test.p", text).unwrap();
    let program = dally_p::load(&sources).unwrap();
    let mut machine = Machine::new(&program, &program.tests[0], &sources);
    let limits = StepLimits::default();
    limits.interrupt.store(true, Ordering::Relaxed);
    machine.limit_steps(limits);
    let report = Search::new(&machine, &Delays::named(&SchedulerName::Rtc), &Options::default(), &()).run();
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Cancelled));
}

#[test]
fn values() {
    for statements in [
        "var s: seq[int]; s += (0, 2); s += (0, 1); assert s[0] == 1 && s[1] == 2 && sizeof(s) == 2; s -= (0); assert s[0] == 2;",
        "var s: set[int]; s += (2); s += (1); s += (2); assert sizeof(s) == 2 && s[0] == 1; s -= (7); s -= (1); assert !(1 in s);",
        "var m: map[string, int]; m[\"b\"] = 1; m[\"a\"] = 2; assert keys(m)[0] == \"a\" && values(m)[0] == 2; m -= (\"b\"); assert sizeof(m) == 1;",
        "var t: (x: int, y: (bool, seq[int])); t.y.1 += (0, 5); t.y.0 = true; t.x = 3; assert t == (x = 3, y = (true, t.y.1)) && t.y.1[0] == 5;",
        "var a: any; var b: any; a = (1, 2); b = (1, 2); assert a == b; assert (1 to float) / 2.0 == 0.5; assert 2.9 to int == 2;",
        "assert format(\"{0}-{1} {{{0}}}\", 1, true) == \"1-True {{1}}\"; assert \"a\" + \"b\" == \"ab\" && \"a\" < \"b\";",
        "var i: int; while (true) { i = i + 1; if (i == 2) { continue; } if (i == 5) { break; } } assert i == 5;",
        "var s: seq[int]; var i: int; var n: int; s += (0, 1); s += (1, 2); foreach (i in s) { s += (0, 9); n = n + i; } assert n == 3;",
        "assert !(false && 1 / 0 == 1) && (true || 1 / 0 == 1) && (false ==> 1 / 0 == 1) && (true <==> true);",
        "assert default((int, bool)) == (0, false) && -7 / 2 == -3 && -7 % 2 == -1;",
        "assert true, format(\"{0}\", 1 / 0);",
        "var a: any; var p: (y: int, x: int); a = (x = 1, y = 2); p = a as (y: int, x: int); assert p.x == 1 && p.y == 2;",
        "var a: any; var b: any; a = (x = 1, y = 2); b = (v = 1, w = 2); assert a != b; b = (1, 2); assert a != b;",
        "var s: set[int]; var m: machine; s += (9); s += (10); assert format(\"{0}{1}{2}{3}\", s, (1, 2), (x = 1, y = false), m) == \"(<10>, <9>)<1,2,><x:1, y:False, >\";",
    ] {
        proved(&main_does(statements));
    }
}

/// Updates of collections cost logarithmic time and memory, so that a step can build large ones.
#[test]
fn one_step_builds_large_collections() {
    for (statements, ends) in [
        (
            "var s: seq[int]; while (i < 100001) { s += (i, i); i = i + 1; } s[777] = 5; s -= (0);",
            "sizeof(s) == 100000 && s[776] == 5 && s[777] == 778 && s[99999] == 100000",
        ),
        (
            "var s: set[int]; while (i < 100001) { s += (50000 - i); i = i + 1; } s -= (0);",
            "sizeof(s) == 100000 && s[0] == -50000 && 7 in s && !(0 in s) && s[99999] == 50000",
        ),
        (
            "var m: map[int, int]; while (i < 100001) { m[i] = i * 2; i = i + 1; } m -= (3);",
            "sizeof(m) == 100000 && m[99999] == 199998 && !(3 in m) && values(m)[3] == 8",
        ),
    ] {
        let text = main_does(&format!("var i: int; {statements} assert {ends};"));
        assert_eq!(proved(&text), 2, "{text}");
    }
}

/// Large collections with the same elements are the same state, however they were built.
#[test]
fn large_collections_are_equal_by_content() {
    let build = |from: &str, next: &str| {
        format!("i = {from}; while (0 <= i && i < 1000) {{ s += (i % 700); m[i] = 1; i = i {next}; }}")
    };
    let either = format!("if ($) {{ {} }} else {{ {} }}", build("0", "+ 1"), build("999", "- 1"));
    let text = main_does(&format!(
        "var i: int; var s: set[int]; var m: map[int, int]; var t: set[int]; {either}
         i = 0; while (i < 700) {{ t += (i); i = i + 1; }} assert s == t; t += (700); assert s != t;"
    ));
    assert_eq!(proved(&text), 2);
}

/// Memory that a step takes counts while it runs.
#[test]
fn collections_of_a_step_count_against_the_memory_limit() {
    let text = main_does("var s: seq[int]; while (true) { s += (0, 1); }");
    let mut sources = SourceMap::default();
    sources.add("test.p", text).unwrap();
    let program = dally_p::load(&sources).unwrap();
    let mut machine = Machine::new(&program, &program.tests[0], &sources);
    machine.limit_steps(StepLimits { memory: 16 << 20, ..StepLimits::default() });
    let report = Search::new(&machine, &Delays::named(&SchedulerName::Rtc), &Options::default(), &()).run();
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Memory));
}

/// An operand that is a variable is read after all function calls in the expression.
#[test]
fn a_copy_without_states_has_the_same_executions() {
    let text = main_does(
        "var names: map[string, seq[int]]; var i: int;
         while (i < 3) { names[format(\"{0} of {1}\", i, choose(4))] = default(seq[int]); i = i + 1; }
         assert sizeof(names) == 3, \"a name is missing\"; send this, F; assert $, \"late\";",
    );
    let machine = machine(&text);
    let rtc = Delays::named(&SchedulerName::Rtc);
    let run = |machine: &Machine| Search::new(machine, &rtc, &Options::default(), &()).run();
    let (empty, report) = (machine.shared_bytes(), run(&machine));
    assert!(matches!(&report.verdict, Verdict::Bug(bug) if bug.failure.message.contains("late")));
    assert!(machine.shared_bytes() > empty);
    let copy = machine.without_states().unwrap();
    assert!(copy.shared_bytes() <= empty, "the copy has the constants only");
    let again = run(&copy);
    assert_eq!((again.verdict, again.coverage.states), (report.verdict, report.coverage.states));
    assert!(copy.unreached_assertions().is_empty() && machine.unreached_assertions().is_empty());
}

#[test]
fn a_copy_reports_the_assertions_that_it_reaches() {
    let machine = machine(&main_does("assert 1 + 1 == 2;"));
    assert_eq!(machine.unreached_assertions().len(), 1);
    let copy = machine.without_states().unwrap();
    Search::new(&copy, &Delays::named(&SchedulerName::Rtc), &Options::default(), &()).run();
    assert!(machine.unreached_assertions().is_empty());
}

#[test]
fn variables_are_read_late() {
    let program = |statements: &str| {
        format!(
            "machine Main {{ var x: int; var s: seq[int]; var i: int;
                start state S {{ entry {{ var y: int; var k: int; s += (0, 7); s += (1, 8); {statements} }} }}
                fun F(): int {{ x = x + 10; i = 1; return 1; }}
                fun Two(a: int, b: int): int {{ return a; }} }}"
        )
    };
    for statements in [
        "y = x + F(); assert y == 11;",
        "y = F() + x; assert y == 11;",
        "y = x + 0 + F(); assert y == 1;",
        "assert x == F() - 1 || x == 10;",
        "s[i] = F(); assert s[1] == 1;",
        "s += (i, F()); assert s[1] == 1;",
        "assert s[i + F() - 1] == 8;",
        "y = Two(x, F()); assert y == 0;",
        "assert (x, F()).0 == 0;",
        "assert !(x in s) && x < F() + 10;",
    ] {
        proved(&program(statements));
    }
}

/// A machine whose queue is empty handles `null`, even if an event arrives before the handler runs.
#[test]
fn others_run_before_null_is_handled() {
    let program = |null: &str| {
        format!(
            "event e; event X; event Y;
             spec Mon observes X, Y {{ var seen: bool;
                start state A {{ on X do {{ seen = true; }} on Y do {{ assert !seen, \"Y after X\"; }} }} }}
             machine M {{ start state A {{ {null} on e goto B; }} state B {{ ignore e; }} }}
             machine Main {{ start state S {{ entry {{ var m: M; m = new M(); send m, e; announce X; }} }} }}
             test T [main=Main]: assert Mon in {{ Main, M }};"
        )
    };
    fails(&program("on null do { announce Y; }"), ASSERTION, "Y after X");
    proved(&program(""));
}

#[test]
fn queues_defer_and_ignore() {
    let program = |a: &str, expected: &str| {
        format!(
            "event A; event B; event C; machine Main {{ var seen: string;
                start state S {{ entry {{ send this, A; send this, B; send this, C; goto T; }} }}
                state T {{ {a} on C goto U; on B do {{ seen = seen + \"b\"; }} }}
                state U {{ on A do {{ seen = seen + \"A\"; Done(); }} on null do Done; }}
                fun Done() {{ assert seen == \"{expected}\", seen; goto End; }}
                state End {{ }} }}"
        )
    };
    proved(&program("defer A;", "bA"));
    proved(&program("ignore A;", "b"));
    fails(&program("", ""), RUNTIME, "`Main` does not handle `A` in state `T` (test.p:3:23)");
}

#[test]
fn a_raised_event_ends_the_function_and_precedes_the_queue() {
    proved(
        "event A; event B; machine Main { var done: bool; start state S {
            entry { send this, B; F(); assert false; }
            on A do { done = true; }
            on B do { assert done; } }
         fun F() { raise A; } }",
    );
}

#[test]
fn exit_and_entry_functions_run_on_transitions() {
    proved(
        "event A: int; machine Main { var log: string;
            start state S { entry { raise A, 7; } exit { log = log + \"x\"; }
                on A goto T with (n: int) { log = log + format(\"{0}\", n); } }
            state T { entry (n: int) { assert n == 7 && log == \"x7\", log; goto U, n + 1; } exit { log = \"\"; } }
            state U { entry (n: int) { assert n == 8 && log == \"\"; } } }",
    );
    // The exit function runs before the unhandled event is reported.
    fails(
        "event A; machine Main { start state S { entry { raise A; } exit { assert false, \"left\"; } } }",
        ASSERTION,
        "left",
    );
}

#[test]
fn events_sent_to_a_halted_machine_are_dropped() {
    proved(
        "event A; machine Main { start state S { entry { var m: M; m = new M(); send m, halt; send m, A; } } }
         machine M { start state S { on A do { } } }",
    );
    fails(
        "event A; machine Main { start state S { entry { var m: M; m = new M(); send m, halt; send m, A; } } }
         machine M { start state S { ignore halt; } }",
        RUNTIME,
        "`M` does not handle `A`",
    );
}

#[test]
fn receive_waits_for_its_cases() {
    let program = |send: &str| {
        format!(
            "event A: int; event B; machine Main {{ start state S {{
                entry {{ new M(this); assert Get() == 3; }} on B do {{ }} }}
             fun Get(): int {{ var n: int; receive {{ case A: (x: int) {{ n = x; }} }} return n; }} }}
             machine M {{ start state S {{ entry (m: machine) {{ send m, B; {send} }} }} }}"
        )
    };
    proved(&program("send m, A, 3;"));
    fails(&program("send m, A, 4;"), ASSERTION, "");
    fails(&program("if ($) { send m, A, 3; }"), FailureKind::Deadlock, "waits to receive `A`");
    proved(&program("send m, halt;"));
}

#[test]
fn asserted_monitors_observe_an_event_when_it_is_sent() {
    let program = |test: &str| {
        format!(
            "event A; event B; spec W observes A, B {{
                start state S {{ on A goto T; }} state T {{ on B goto S; on A do {{ assert false, \"twice\"; }} }} }}
             machine Main {{ start state S {{ entry {{ send this, A; announce B; send this, A; announce B; }}
                on A do {{ announce B; }} ignore B; }} }} {test}"
        )
    };
    fails(
        &program("test T [main=Main]: assert W in { Main };"),
        RUNTIME,
        "the monitor `W` does not handle `B`",
    );
    proved(&program("test T [main=Main]: { Main };"));
    proved(&program(""));
}

#[test]
fn hot_monitors_fail_when_the_program_terminates() {
    let program = |more: &str| {
        format!(
            "event A; event B; spec W observes A, B {{ start cold state S {{ on A goto T; }} hot state T {{ on B goto S; }} }}
             machine Main {{ start state S {{ entry {{ announce A; {more} }} }} }}
             test T [main=Main]: assert W in {{ Main }};"
        )
    };
    fails(&program("if ($) { announce B; }"), LIVENESS, "the monitor `W` in its hot state `T`");
    proved(&program("announce B;"));
}

/// A machine that runs a handler forever, with a monitor that is hot after `A`, cold after `B` and neither after `C`.
fn goes_on(body: &str) -> String {
    format!(
        "event A; event B; event C; event Again; spec W observes A, B, C {{
             start cold state S {{ on A goto T; ignore B, C; }}
             hot state T {{ on B goto S; on C goto U; ignore A; }}
             state U {{ on A goto T; on B goto S; ignore C; }}
         }}
         machine Main {{
             var n: int; var x: bool; var y: bool; var s: set[int];
             start state S {{ entry {{ send this, Again; }} on Again do {{ {body} send this, Again; }} }}
         }}
         test T [main=Main]: assert W in {{ Main }};"
    )
}

#[track_caller]
fn loops(body: &str, fair: bool, expected: bool) {
    let text = goes_on(body);
    let mut sources = SourceMap::default();
    sources.add("test.p", text.as_str()).unwrap();
    let program = dally_p::load(&sources).unwrap_or_else(|d| panic!("{text}\n{d:?}"));
    let machine = Machine::new(&program, &program.tests[0], &sources);
    for method in [Method::Map, Method::Ndfs, Method::IterativeNdfs] {
        let liveness = Liveness { method, fair };
        let (rtc, options) = (Delays::named(&SchedulerName::Rtc), Options::default());
        let report = Cycles::new(&machine, &rtc, &options, liveness, &()).run();
        match report.bug() {
            Some(bug) => {
                assert!(expected, "{body} {method:?}: {}", bug.failure);
                assert_eq!(bug.failure.kind, LIVENESS, "{body}: {}", bug.failure);
                let replayed = replay_cycle(&machine, &bug.schedule, fair, |_| {});
                assert_eq!(replayed, Ok(bug.failure.clone()), "{body}");
            }
            None => assert!(
                !expected && report.verdict == Verdict::Proved,
                "{body} {method:?}: {}",
                report.verdict
            ),
        }
    }
}

#[test]
fn monitors_must_not_stay_hot_forever() {
    loops("announce A;", true, true);
    loops("announce A; announce B;", true, false);
    // Hot infinitely often and never cold.
    loops("announce A; announce C;", true, true);
    // Neither hot nor cold forever.
    loops("if (n == 0) { announce A; n = 1; } announce C;", true, false);
    // Cold only in the middle of a step.
    loops("announce B; announce A;", true, false);
    // An unfair choice and a fair choice.
    loops("announce A; if ($) { announce B; }", true, true);
    loops("announce A; if ($$) { announce B; }", true, false);
    loops("announce A; if ($$) { announce B; }", false, true);
    // `choose` is fair to each of its values; a map and a set count by position.
    loops("announce A; if (choose(2) == 1) { announce B; }", true, false);
    loops("announce A; if (choose(10) == 9) { announce B; }", true, false);
    loops("announce A; if (choose(10) == 9) { announce B; }", false, true);
    loops("announce A; n = choose(3);", true, true);
    loops("announce A; if (choose() == true) { announce B; }", true, true);
    let chooses = |more: &str| {
        format!(
            "if (sizeof(s) == 0) {{ s += (5); s += (7); }} announce A; {more} if (choose(s) == 7) {{ announce B; }}"
        )
    };
    loops(&chooses(""), true, false);
    // The second option is never available.
    loops(&chooses("s -= (7);"), true, true);
    // It is available every other time.
    loops(&chooses("if (7 in s) { s -= (7); } else { s += (7); }"), true, false);
    // Each choice takes both values infinitely often, but never at the same time.
    loops("announce A; x = $$; y = $$; if (x && y) { announce B; } x = false; y = false;", true, true);
    // The second choice is made infinitely often, so fairness applies to it.
    loops("announce A; if ($$) { if ($$) { announce B; } }", true, false);
}

#[test]
fn interfaces_and_permissions_restrict_sends() {
    let program = |body: &str| {
        format!(
            "event A; event B; interface I() receives A; machine M receives A, B; {{ start state S {{ ignore A, B; }} }}
             machine Main sends A, B; {{ start state S {{ entry {{ var i: I; i = new I(); {body} }} }} }}
             test T [main=Main]: {{ Main, M -> I }};"
        )
    };
    proved(&program("send i, A;"));
    fails(&program("send i, B;"), RUNTIME, "may not be sent");
    let narrow = program("send i, A;").replace("sends A, B", "sends B");
    fails(&narrow, RUNTIME, "not among the events that it sends");
}

#[test]
fn parametric_tests_set_their_parameters() {
    let text = "param n: int; param b: bool; machine Main { start state S { entry { assert n == 2 && b; } } }
                test param (n in [2, -1], b in [true]) assume n > 0 T [main=Main]: { Main };";
    proved(text);
    let mut sources = SourceMap::default();
    sources.add("test.p", text.replace("assume n > 0", "")).unwrap();
    let tests = dally_p::load(&sources).unwrap().tests;
    let names: Vec<&str> = tests.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["T___n_2__b_true", "T___n_neg1__b_true"]);
}

/// Three parameters of two values: four tests cover all pairs, eight all combinations.
#[test]
fn pairs_are_covered_by_few_tests() {
    let count = |wise: &str| {
        let text = format!(
            "param a: int; param b: int; param c: int; machine Main {{ start state S {{ }} }}
             test param (a in [1, 2], b in [1, 2], c in [1, 2]) {wise} T [main=Main]: {{ Main }};"
        );
        let mut sources = SourceMap::default();
        sources.add("test.p", text).unwrap();
        dally_p::load(&sources).unwrap().tests.len()
    };
    assert_eq!([count(""), count("(3 wise)"), count("pairwise"), count("(1 wise)")], [8, 8, 4, 2]);
}

#[test]
fn interleavings_are_counted() {
    // Main: before `new`, before `send`, done. M waits from its creation on: its event is not sent, sent, or dequeued;
    // it can be dequeued only after Main is done.
    let text = "event A; machine Main { start state S { entry { var m: M; m = new M(); send m, A; } } }
                machine M { start state S { on A goto T; } state T { } }";
    // Initial; before `new`; created, before `send`; sent and done; dequeued.
    let all = Options { reduction: false, ..Options::default() };
    assert_eq!(search_with(text, &all).coverage.states, 5);
    // Two senders in either order: the order of the sends is the order in the queue.
    let text = "event A: int; machine Main { var first: int; start state S { entry { new P((this, 1)); new P((this, 2)); }
                    on A do (n: int) { if (first == 0) { first = n; } assert first == 1 || first == 2; } } }
                machine P { start state S { entry (x: (machine, int)) { send x.0, A, x.1; } } }";
    proved(text);
    fails(&text.replace("|| first == 2", ""), ASSERTION, "");
}

#[test]
fn a_machine_may_choose_forever() {
    let text = "event A; machine Main { start state S { entry { if ($) { raise A; } } on A goto S; } }";
    proved(text);
    // If the same statement raises different events, the step does not cycle.
    fails(
        "event A; event B; machine Main { var n: int; start state S { entry { Raise(A); }
            on A do { n = 1 - n; if ($) { Raise(B); } Raise(A); }
            on B do { if ($) { Raise(B); } assert n == 0, \"odd\"; } }
         fun Raise(e: event) { raise e; } }",
        ASSERTION,
        "odd",
    );
    fails(
        "event A; event B; machine Main { var n: int; start state S { entry { raise A; }
            on A do { n = n + 1; if (n < 100) { raise A; } assert $, \"far\"; } } }",
        ASSERTION,
        "far",
    );
}

/// The verdict on a program of several files, with one test.
fn verdict_of(files: &[&str]) -> Result<Verdict, String> {
    let mut sources = SourceMap::default();
    for (nth, text) in files.iter().enumerate() {
        sources.add(format!("{nth}.p"), *text).unwrap();
    }
    let first = |d: Vec<dally_text::diagnostic::Diagnostic>| d[0].message.clone();
    let program = dally_p::load(&sources).map_err(first)?;
    let machine = Machine::new(&program, &program.tests[0], &sources);
    let rtc = Delays::named(&SchedulerName::Rtc);
    Ok(Search::new(&machine, &rtc, &Options::default(), &()).run().verdict)
}

#[test]
fn foreign_functions_and_types_can_have_stubs() {
    let program = "type Clock; fun Now(clock: Clock): int; fun Unused(): Clock;
        machine Main { var clock: Clock; fun Later(clock: Clock): int;
            start state S { entry { if ($) { assert Now(clock) + Later(clock) == 5, \"too late\"; } } } }";
    let says = |verdict: Result<Verdict, String>| verdict.map_or_else(|error| error, |v| v.to_string());
    let missing = says(verdict_of(&[program]));
    assert!(
        missing.contains(
            "`type Clock = any; fun Now(clock: Clock): int { return default(int); }` (this test can call 1 other"
        ),
        "{missing}"
    );
    // The suggested stub is a stub.
    let now = "type Clock = any; fun Now(clock: Clock): int { return default(int); }";
    let missing = says(verdict_of(&[program, now]));
    assert!(missing.contains("`fun Later(clock: any): int { return default(int); }` (0.p:2:"), "{missing}");
    // A function outside of machines is the stub of one inside.
    let later = "fun Later(c: any): int { return 5; }";
    assert_eq!(verdict_of(&[program, now, later]), Ok(Verdict::Proved));
    let wrong = says(verdict_of(&[now, program, &later.replace('5', "6")]));
    assert!(wrong.contains("too late"), "{wrong}");
    // A test that does not call a foreign function needs no stub.
    let other =
        "fun Now(): int; machine Main { start state S { entry { if (false) { assert Now() == 1; } } } }";
    assert_eq!(verdict_of(&[other]), Ok(Verdict::Proved));
    // A stub has the signature of the declaration, and there is only one.
    let error = says(verdict_of(&[other, "fun Now(x: int): int { return x; }"]));
    assert!(
        error.contains("`fun Now(x: int): int`, but the foreign function is `fun Now(): int`"),
        "{error}"
    );
    let stub = "fun Now(): int { return 1; }";
    assert!(says(verdict_of(&[other, stub, stub])).contains("declared twice"));
    // A monitor must not send, in a stub either.
    let monitor =
        "event E; fun F(m: machine); spec W observes E { start state S { on E do { F(null as machine); } } }
        machine Main { start state S { entry { announce E; } } } test T [main=Main]: assert W in { Main };";
    let error = says(verdict_of(&[monitor, "fun F(m: machine) { send m, E; }"]));
    assert!(error.contains("monitor") || error.contains("spec"), "{error}");
}

#[test]
fn the_documented_example_fails() {
    let chapter = include_str!("../../../docs/p.md");
    let (_, rest) = chapter.split_once("```p\n").unwrap();
    fails(rest.split_once("```").unwrap().0, ASSERTION, "descending order");
}

#[test]
fn pure_functions_are_called() {
    let entry = |condition: &str| main_does(&format!("assert {condition};"));
    proved(&format!("pure Twice(x: int): int = x + x; {}", entry("Twice(2) == 4")));
    // A function is the stub of a pure one without a definition, and of one that only the verifier can evaluate.
    for pure in ["pure f(): int;", "pure f(): int = Main.count;", "pure f(): int = forall (x: int) :: x;"] {
        proved(&format!("{pure} fun f(): int {{ return 3; }} {}", entry("f() == 3")));
        let verdict = search(&format!("{pure} {}", entry("f() == 3"))).verdict;
        assert!(matches!(&verdict, Verdict::Unsupported(m) if m.contains("`f`")), "{verdict}");
    }
}

#[test]
fn expressions_of_the_verifier_matter_only_where_they_are_evaluated() {
    for expression in [
        "forall (x: int) :: x > 0",
        "exists new (e: E) :: sent e",
        "this is Main",
        "inflight this",
        "this targets this",
    ] {
        proved(&main_does(&format!("if (false) {{ assert {expression}; }}")));
        let verdict = search(&main_does(&format!("assert {expression};"))).verdict;
        assert!(
            matches!(&verdict, Verdict::Unsupported(m) if m.contains("verifier")),
            "{expression}: {verdict}"
        );
    }
}
