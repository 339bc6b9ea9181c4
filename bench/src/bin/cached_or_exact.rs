//! States stored with and without the scheduler's state: \[TR15\] Table 1.
//!
//! A cached search stores a state once; an exact one stores it once for each state of the
//! scheduler.
//!
//! ```text
//! cargo run --release -p dally-bench --bin cached_or_exact
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use dally_bench::cpu::timed;
use dally_bench::leader::Leader;
use dally_bench::peterson::Peterson;
use dally_bench::two_phase_commit::TwoPhaseCommit;
use dally_explore::{Delays, Options, Program, SchedulerName, Search, Verdict};

/// The limit on states.
const MAX_STATES: usize = 5_000_000;

fn main() {
    println!("States until the frontier is empty; `>` if there are more than {MAX_STATES}.\n");
    println!("| model | scheduler | bound | cached states | s | exact states | s | exact/cached |");
    println!("|---|---|---|---|---|---|---|---|");
    for resource_managers in 2..=5 {
        row(&format!("two-phase commit, {resource_managers}"), &TwoPhaseCommit { resource_managers });
    }
    row("Peterson, 2", &Peterson::<2> { one_by_one: false });
    row("Peterson, 3", &Peterson::<3> { one_by_one: false });
    row("Peterson, 4", &Peterson::<4> { one_by_one: false });
    row("Peterson, 5", &Peterson::<5> { one_by_one: false });
    row("ring leader, 2", &Leader::<2>);
    row("ring leader, 3", &Leader::<3>);
    row("ring leader, 4", &Leader::<4>);
    row("ring leader, 5", &Leader::<5>);
}

fn row(model: &str, program: &impl Program) {
    for scheduler in ["rr", "rtc", "random:1"] {
        let policy = Delays::named(&scheduler.parse::<SchedulerName>().expect("a good name"));
        let run = |exact: bool| {
            let options = Options { exact, states: Some(MAX_STATES), ..Options::default() };
            timed(|| Search::new(program, &policy, &options, &()).run())
        };
        let ((cached, cached_took), (exact, exact_took)) = (run(false), run(true));
        let more = if matches!(exact.verdict, Verdict::Inconclusive(_)) { ">" } else { "" };
        let (few, many) = (cached.coverage.states, exact.coverage.states);
        println!(
            "| {model} | {scheduler} | {} | {few} | {:.2} | {more}{many} | {:.2} | {more}{:.1} |",
            cached.coverage.bound,
            cached_took.cpu.as_secs_f64(),
            exact_took.cpu.as_secs_f64(),
            many as f64 / few as f64,
        );
    }
}
