//! The bugs of the examples: each is found at its bound, and missed below it.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "test code")]

use dally_shuttle::{Bug, BugKind, Config, Strategy, Verdict, explore};

#[path = "../examples/bugs/all.rs"]
mod bugs;

/// For the first programs, the smallest bound that finds the bug, under `rr`, `rr:reverse`, `rtc` and `preemptions`; `None` where that takes
/// too long for a test.
const BOUNDS: &[(&str, [Option<u32>; 4])] = &[
    ("bank_account", [Some(1), Some(1), Some(1), Some(1)]),
    ("lazy_initialisation", [Some(1), Some(1), Some(1), Some(1)]),
    ("lost_wakeup", [Some(2), Some(2), Some(1), Some(2)]),
    ("work_stealing", [Some(2), Some(2), Some(1), Some(2)]),
    ("treiber_stack", [Some(1), Some(2), Some(1), Some(1)]),
    ("bounded_buffer", [Some(0), Some(1), Some(2), Some(0)]),
    ("reader_writer", [Some(1), Some(1), Some(1), Some(1)]),
    ("philosophers", [Some(2), Some(1), Some(2), Some(1)]),
    ("token_ring", [Some(1), Some(2), Some(1), Some(1)]),
    ("two_stage", [Some(1), Some(2), Some(1), Some(1)]),
    ("wrong_lock", [Some(1), Some(1), Some(1), Some(1)]),
    ("cancellation", [Some(1), Some(1), Some(0), Some(1)]),
    ("relay", [Some(3), Some(4), Some(3), Some(3)]),
    ("writers_3", [Some(3), Some(1), Some(3), Some(1)]),
    ("writers_5", [Some(5), Some(1), Some(5), None]),
    ("writers_10", [None, Some(1), None, None]),
    ("writers_20", [None, Some(1), None, None]),
    ("two_stage_100", [None, Some(2), None, None]),
];

fn search(program: &bugs::Program, strategies: &str, delays: Option<u32>) -> (Verdict, u64) {
    let strategies = Strategy::list(strategies).unwrap();
    let schedules = delays.is_none().then_some(10_000);
    let config = Config { strategies, delays, schedules, ..Config::default() };
    let report = explore(&config, program.run);
    (report.verdict, report.coverage.schedules)
}

fn bug(verdict: Verdict) -> Bug {
    match verdict {
        Verdict::Bug(bug) => *bug,
        other => panic!("no bug: {other:?}"),
    }
}

fn check_bounds(strategy: usize, name: &str) {
    for (program, (known, bounds)) in bugs::PROGRAMS.iter().zip(BOUNDS) {
        assert_eq!(program.name, *known);
        let Some(bound) = bounds[strategy] else { continue };
        assert_eq!(bug(search(program, name, Some(bound)).0).delays, bound, "{known} under {name}");
        if let Some(below) = bound.checked_sub(1) {
            assert_eq!(
                search(program, name, Some(below)).0,
                Verdict::ProvedWithin(below),
                "{known} under {name}"
            );
        }
    }
}

#[test]
fn creation_order() {
    check_bounds(0, "rr");
}

#[test]
fn reverse_order() {
    check_bounds(1, "rr:reverse");
}

#[test]
fn run_to_completion() {
    check_bounds(2, "rtc");
}

#[test]
fn preemptions() {
    check_bounds(3, "preemptions");
}

#[test]
fn the_portfolio_finds_each_bug_within_its_default_limit() {
    for program in bugs::PROGRAMS.iter().filter(|program| program.name != "two_stage_100") {
        let (verdict, schedules) = search(program, "portfolio", None);
        assert!(bug(verdict).repeatable);
        let most = if program.name.starts_with("reorder") { 3_000 } else { 300 };
        assert!(schedules < most, "{}: {schedules} schedules", program.name);
    }
}

#[test]
fn failures_have_their_kind() {
    let deadlocks =
        ["lost_wakeup", "bounded_buffer", "philosophers", "carter", "deadlock", "notified_before"];
    for program in bugs::PROGRAMS.iter().filter(|program| program.name != "two_stage_100") {
        let expected = if deadlocks.contains(&program.name) { BugKind::Deadlock } else { BugKind::Panic };
        assert_eq!(bug(search(program, "portfolio", None).0).failure, expected, "{}", program.name);
    }
}
