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
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler};

/// The limit on schedules for every column.
const LIMIT: u64 = 100_000;
const SEEDS: [u64; 3] = [1, 2, 3];

/// Schedules until the bug is found; `None` if it is not.
type Found = Option<u64>;

fn systematic(program: &Program, strategies: &str) -> Found {
    let strategies = Strategy::list(strategies).unwrap_or_default();
    let config = Config { strategies, schedules: Some(LIMIT), ..Config::default() };
    let report = explore(&config, program.run);
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

const COLUMNS: [&str; 9] =
    ["rr", "rr:reverse", "rtc", "portfolio", "preemptions", "random", "PCT (3)", "depth-first", "loom"];

/// A row of the table; `None` where a tool cannot run the program.
fn row(program: &Program) -> Vec<Option<Found>> {
    let mut row: Vec<_> =
        COLUMNS[..5].iter().map(|strategies| Some(systematic(program, strategies))).collect();
    row.push(Some(sampled(program, |seed| RandomScheduler::new_from_seed(seed, LIMIT as usize))));
    row.push(Some(sampled(program, |seed| PctScheduler::new_from_seed(seed, 3, LIMIT as usize))));
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

/// The median ratio of a column to the portfolio's. A bug that is not found counts as the limit.
fn median_ratio(rows: &[Vec<Option<Found>>], column: usize) -> f64 {
    let number = |found: Found| found.unwrap_or(LIMIT) as f64;
    let ratio = |row: &Vec<Option<Found>>| Some(number(row[column]?) / number(row[3]?));
    let mut ratios: Vec<_> = rows.iter().filter_map(ratio).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// Bars for each program, on a logarithmic scale: the portfolio, and preemption bounding.
fn plot(rows: &[Vec<Option<Found>>]) {
    let bar = |found: Found| {
        let length = found.unwrap_or(LIMIT) as f64;
        "█".repeat((1.0 + 8.0 * length.log10()) as usize) + if found.is_none() { "…" } else { "" }
    };
    for (program, row) in PROGRAMS.iter().zip(rows) {
        for column in [3, 4] {
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
    let ratios = (0..COLUMNS.len()).map(|column| format!("{:.2}", median_ratio(&rows, column)));
    lines.push(["median, portfolio = 1".to_owned()].into_iter().chain(ratios).collect());
    println!("{}", table(&[&["program"], &COLUMNS[..]].concat(), &lines));
    plot(&rows);
}
