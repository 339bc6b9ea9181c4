//! Schedules until the bug is found: delay bounding, preemption bounding, shuttle's schedulers, and
//! loom.
//!
//! The comparison of [POPL11] Fig. 5, for the programs of `dally-shuttle`. Random schedulers are
//! run with several seeds; the table has the median.
//!
//! ```text
//! cargo run --release -p dally-bench --features shuttle --bin shuttle_schedules 2>/dev/null
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use dally_bench::on_shuttle::bugs::{PROGRAMS, Program};
use dally_bench::{on_loom, on_shuttle, table};
use dally_shuttle::{Config, Strategy, Verdict, explore};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, UrwRandomScheduler};

/// The limit on schedules for every column.
const LIMIT: u64 = 100_000;
const SEEDS: [u64; 3] = [1, 2, 3];

/// Schedules until the bug is found; `None` if it is not.
type Found = Option<u64>;

/// A search with strategies only, or with all strategies and samplers of the default.
fn searched(program: &Program, strategies: &str) -> Found {
    let config = match strategies {
        "default" => Config::default(),
        names => Config {
            strategies: Strategy::list(names).unwrap_or_default(),
            samplers: Vec::new(),
            ..Config::default()
        },
    };
    let report = explore(&Config { schedules: Some(LIMIT), ..config }, program.run);
    matches!(report.verdict, Verdict::Bug(_)).then_some(report.coverage.schedules)
}

fn sampled<S: shuttle::scheduler::Scheduler + 'static>(
    program: &Program,
    scheduler: impl Fn(u64) -> S,
) -> Found {
    let sample = |seed| {
        let (failed, counts) = on_shuttle::run(scheduler(seed), program.run);
        if failed { counts.executions.get() } else { u64::MAX }
    };
    let mut samples = SEEDS.map(sample);
    samples.sort_unstable();
    Some(samples[SEEDS.len() / 2]).filter(|schedules| *schedules < u64::MAX)
}

fn depth_first(program: &Program) -> Found {
    let (failed, counts) = on_shuttle::run(DfsScheduler::new(Some(LIMIT as usize), true), program.run);
    failed.then(|| counts.executions.get())
}

const COLUMNS: [&str; 11] = [
    "rr",
    "rr:reverse",
    "rtc",
    "portfolio",
    "preemptions",
    "default",
    "random",
    "PCT (3)",
    "URW",
    "depth-first",
    "loom",
];

/// A row of the table; `None` where a tool cannot run the program.
fn row(program: &Program) -> Vec<Option<Found>> {
    let mut row: Vec<_> = COLUMNS[..6].iter().map(|strategies| Some(searched(program, strategies))).collect();
    row.push(Some(sampled(program, |seed| RandomScheduler::new_from_seed(seed, LIMIT as usize))));
    row.push(Some(sampled(program, |seed| PctScheduler::new_from_seed(seed, 3, LIMIT as usize))));
    row.push(Some(sampled(program, |seed| UrwRandomScheduler::new_from_seed(seed, LIMIT as usize))));
    row.push(Some(depth_first(program)));
    row.push(on_loom::until_bug(program.name));
    row
}

fn cell(found: Option<Found>) -> String {
    match found {
        None => "–".to_owned(),
        Some(None) => format!("> {LIMIT}"),
        Some(Some(schedules)) => schedules.to_string(),
    }
}

/// The columns of the default configuration and of preemption bounding.
const DEFAULT: usize = 5;
const PREEMPTIONS: usize = 4;

/// The geometric mean of a column, over the programs that the tool can run. A bug that is not found counts as the limit.
fn mean(rows: &[Vec<Option<Found>>], column: usize) -> f64 {
    let logarithm = |found: Found| (found.unwrap_or(LIMIT) as f64).ln();
    let logarithms: Vec<f64> = rows.iter().filter_map(|row| row[column].map(logarithm)).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

/// Bars for each program, on a logarithmic scale: the default configuration, and preemption bounding.
fn plot(rows: &[Vec<Option<Found>>]) {
    let bar = |found: Found| {
        let length = found.unwrap_or(LIMIT) as f64;
        "█".repeat((1.0 + 8.0 * length.log10()) as usize) + if found.is_none() { "…" } else { "" }
    };
    for (program, row) in PROGRAMS.iter().zip(rows) {
        for column in [DEFAULT, PREEMPTIONS] {
            let found = row[column].flatten();
            println!("{:>20} {:>12} {} {}", program.name, COLUMNS[column], bar(found), cell(row[column]));
        }
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [_loom, name] = &arguments[..] {
        return on_loom::answer(name, LIMIT);
    }
    // Shuttle installs its panic hook, which prints each failure, with the first execution: replace
    // it.
    on_shuttle::run(DfsScheduler::new(Some(1), false), || {});
    std::panic::set_hook(Box::new(|_| {}));

    let rows: Vec<_> = PROGRAMS.iter().map(row).collect();
    let line = |(program, row): (&Program, &Vec<Option<Found>>)| {
        [program.name.to_owned()].into_iter().chain(row.iter().map(|found| cell(*found))).collect()
    };
    let mut lines: Vec<Vec<String>> = PROGRAMS.iter().zip(&rows).map(line).collect();
    let means = (0..COLUMNS.len()).map(|column| format!("{:.1}", mean(&rows, column)));
    lines.push(["geometric mean".to_owned()].into_iter().chain(means).collect());
    println!("{}", table(&[&["program"], &COLUMNS[..]].concat(), &lines));
    plot(&rows);
}
