//! The number of schedules with at most two delays, and with at most two preemptions, by the number
//! of threads.
//!
//! Each thread locks a counter and increments it twice.
//!
//! ```text
//! cargo run --release -p dally-bench --features shuttle --bin shuttle_growth
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use dally_bench::{on_shuttle, table};
use dally_shuttle::{Config, Strategy, Verdict, explore};

/// The limit on schedules.
const LIMIT: u64 = 100_000;

fn schedules(strategy: &str, threads: usize) -> Option<u64> {
    let strategies = Strategy::list(strategy).unwrap_or_default();
    let config = Config {
        strategies,
        delays: Some(2),
        schedules: Some(LIMIT),
        samplers: Vec::new(),
        ..Config::default()
    };
    let report = explore(&config, on_shuttle::increments(threads, 2));
    let complete = matches!(report.verdict, Verdict::ProvedWithin(_) | Verdict::Proved);
    complete.then_some(report.coverage.schedules)
}

fn main() {
    let mut rows = Vec::new();
    let mut before: Option<(usize, u64)> = None;
    for threads in [2, 3, 4, 6, 8, 12, 16] {
        let cell =
            |schedules: Option<u64>| schedules.map_or(format!("> {LIMIT}"), |number| number.to_string());
        let rr = schedules("rr", threads);
        let degree = rr.zip(before).map(|(now, (fewer, then))| {
            (now as f64 / then as f64).ln() / (threads as f64 / fewer as f64).ln()
        });
        rows.push(vec![
            threads.to_string(),
            cell(rr),
            degree.map_or("–".to_owned(), |degree| format!("{degree:.2}")),
            cell(schedules("rtc", threads)),
            cell(schedules("preemptions", threads)),
        ]);
        before = rr.map(|now| (threads, now)).or(before);
    }
    println!("{}", table(&["threads", "2 delays (rr)", "degree", "2 delays (rtc)", "2 preemptions"], &rows));
}
