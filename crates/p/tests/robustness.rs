//! No text makes the front end panic, hang or overflow the stack, and no program the search.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::Path;

use dally_explore::{Delays, Exhaustive, Limit, Options, Report, SchedulerName, Search, Verdict};
use dally_p::Machine;
use dally_text::source::SourceMap;
use dally_trace::Source;

fn sources(text: &str) -> SourceMap {
    let mut sources = SourceMap::default();
    sources.add("test.p", text).unwrap();
    sources
}

/// All tests of a program.
fn machines(text: &str) -> Option<Vec<Machine>> {
    let sources = sources(text);
    let program = dally_p::load(&sources).ok()?;
    Some(program.tests.iter().map(|test| Machine::new(&program, test, &sources)).collect())
}

fn options() -> Options {
    Options { states: Some(2_000), ..Options::default() }
}

fn search(machine: &Machine) -> Report {
    Search::new(machine, &Delays::named(&SchedulerName::Rtc), &options(), &()).run()
}

/// The examples, except for the largest.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/p");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let texts: Vec<String> = files.iter().map(|f| std::fs::read_to_string(f).unwrap()).collect();
    assert!(texts.len() >= 18, "the examples were not found");
    texts
}

/// Splits a program at white space and punctuation.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
        let mut rest = line;
        while !rest.is_empty() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let end = if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) };
            pieces.push(&rest[..end]);
            rest = &rest[end..];
        }
        pieces.push("\n");
    }
    pieces
}

/// Mutations of programs, with a piece deleted, repeated or replaced, are parsed, and run if they have no errors.
#[test]
fn mutilated_programs_do_no_harm() {
    let examples = examples();
    let mut read = 0;
    dally_testing::for_inputs(1_000, |u| {
        let mut pieces = pieces(u.choose(&examples)?);
        let other = pieces.clone();
        for _ in 0..u.int_in_range(1..=3)? {
            let at = u.choose_index(pieces.len())?;
            match u.int_in_range(0..=2)? {
                0 => {
                    pieces.remove(at);
                }
                1 => pieces[at] = u.choose(&other)?,
                _ => pieces.insert(at, u.choose(&other)?),
            }
        }
        for machine in machines(&pieces.concat()).unwrap_or_default() {
            read += 1;
            let report = search(&machine);
            if let Verdict::Bug(bug) = report.verdict {
                let trace =
                    dally_trace::trace(&machine, &bug, &SourceMap::default(), Source::default(), false);
                assert_eq!(trace.unwrap().failure.message, bug.failure.message);
            }
        }
        Ok(())
    });
    assert!(read > 0, "no program was run");
}

#[test]
fn random_text_is_parsed() {
    const WORDS: &[&str] = &[
        "machine", "Main", "{", "}", "start", "state", "S", "entry", "(", ")", ";", ",", ".", "x", "=", "+=",
        "1", "\"a\"", "event", ":", "int", "seq", "[", "]", "on", "do", "goto", "if", "$", "test", "é", "\"",
        "/*", "fun", "new", "send", "this", "halt", "null", "as", "to", "format", "receive", "case",
        "module", "union", "in",
    ];
    dally_testing::for_inputs(5_000, |u| {
        let count = u.int_in_range(0..=60)?;
        let words = (0..count).map(|_| u.choose(WORDS).copied()).collect::<Result<Vec<_>, _>>()?;
        let _ = dally_p::load(&sources(&words.join(" ")));
        Ok(())
    });
}

fn in_main(statements: &str) -> String {
    format!("machine Main {{ var x: int; var a: any; start state S {{ entry {{ {statements} }} }} }}")
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("sizeof(", ")")] {
        let deep = format!("x = {}1{};", open.repeat(100_000), close.repeat(100_000));
        assert!(dally_p::load(&sources(&in_main(&deep))).is_err());
    }
    let blocks = format!("{}{}", "{".repeat(100_000), "}".repeat(100_000));
    assert!(dally_p::load(&sources(&in_main(&blocks))).is_err());
    let types = format!("type T = {}int{};", "seq[".repeat(100_000), "]".repeat(100_000));
    assert!(dally_p::load(&sources(&types)).is_err());
}

#[test]
fn long_chains_are_parsed_and_run() {
    let sum = format!("x = {}1; assert x == 50001;", "1 + ".repeat(50_000));
    let machines = machines(&in_main(&sum)).unwrap();
    assert_eq!(search(&machines[0]).verdict, Verdict::Proved);
}

#[test]
fn types_that_share_components_take_linear_time() {
    let mut text = "type T0 = (int, int); type U0 = (int, bool);".to_owned();
    for n in 1..200 {
        text.push_str(&format!("type T{n} = (T{0}, T{0}); type U{n} = (U{0}, U{0});", n - 1));
    }
    text.push_str("machine Main { var t: T199; var u: U199; start state S { entry { t = u; } } }");
    let diagnostics = dally_p::load(&sources(&text)).unwrap_err();
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.len() < 1_000);
}

#[test]
fn nonterminating_programs_reach_a_limit() {
    let endless =
        ["while (true) { }", "while (true) { a = (a, a); }", "while (true) { x = x + choose(10000); }"];
    for statements in endless {
        let machines = machines(&in_main(statements)).unwrap();
        let verdict = search(&machines[0]).verdict;
        let given_up = matches!(verdict, Verdict::Unsupported(_) | Verdict::Inconclusive(_));
        assert!(given_up, "{statements}: {verdict}");
    }
    let calls = "fun F() { F(); } machine Main { start state S { entry { F(); } } }";
    let verdict = search(&machines(calls).unwrap()[0]).verdict;
    assert!(matches!(verdict, Verdict::Unsupported(_)), "{verdict}");
    // The text of values that share components grows exponentially.
    for (ty, more) in [("(any, any)", "(a, a)"), ("any", "s")] {
        let text = format!(
            "machine Main {{ start state S {{ entry {{ var a: any; var t: {ty}; var s: set[any]; var i: int; a = 0;
                while (i < 60) {{ s = default(set[any]); s += (a); s += (i); t = {more}; a = t; i = i + 1; }}
                print format(\"{{0}}\", a); }} }} }}"
        );
        let verdict = search(&machines(&text).unwrap()[0]).verdict;
        assert!(matches!(verdict, Verdict::Unsupported(_) | Verdict::Proved), "{verdict}");
    }
}

/// A step with more failing outcomes than can be enumerated: the first one is reported.
#[test]
fn one_failure_of_a_step_is_enough() {
    let text = "machine Main { start state S { entry { var i: int; var x: int;
        while (i < 40) { x = choose(2); i = i + 1; } assert x == 1; } } }";
    let verdict = search(&machines(text).unwrap()[0]).verdict;
    assert!(matches!(verdict, Verdict::Bug(_)), "{verdict}");
}

/// Delay-bounded and unbounded search visit the same states without reduction, and have the same verdicts with it. The
/// number of threads makes no difference.
#[test]
fn all_searches_see_the_same_states() {
    let mut compared = 0;
    let (programs, rtc) = (examples(), Delays::named(&SchedulerName::Rtc));
    for (text, reduction) in programs.iter().flat_map(|text| [(text, false), (text, true)]) {
        for machine in machines(text).unwrap() {
            let options = Options { reduction, ..options() };
            let delays = Search::new(&machine, &rtc, &options, &()).run();
            let all = Search::new(&machine, &Exhaustive, &options, &()).run();
            let shared = Search::new(&machine, &rtc, &Options { threads: 3, ..options }, &()).run();
            if matches!(delays.verdict, Verdict::Inconclusive(Limit::States)) {
                continue;
            }
            compared += 1;
            assert_eq!(delays.verdict, shared.verdict);
            assert_eq!(delays.coverage.states, shared.coverage.states);
            match (&delays.verdict, &all.verdict) {
                (Verdict::Proved, verdict) => {
                    assert_eq!(verdict, &Verdict::Proved);
                    assert!(reduction || delays.coverage.states == all.coverage.states);
                }
                (_, verdict) => {
                    assert!(matches!(verdict, Verdict::Bug(_) | Verdict::Inconclusive(_)), "{verdict}");
                }
            }
        }
    }
    assert!(compared > 24, "{compared} programs were compared");
}
