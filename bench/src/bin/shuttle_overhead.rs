//! Instructions for each step under our schedulers, beside shuttle's depth-first one.
//!
//! Counted by valgrind, which must be on the PATH: this program runs itself under it. The first table is about equal
//! work: all executions of two threads with three increments, which every search covers, though one of three
//! steps is then a delay. The second is about the usual work: the executions with the fewest delays, of four threads
//! with five increments.
//!
//! ```text
//! cargo run --release -p dally-bench --features shuttle --bin shuttle_overhead
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use std::process::Command;

use dally_bench::{on_shuttle, table};
use dally_shuttle::{Config, Explorer, Strategy};
use shuttle::scheduler::DfsScheduler;

/// Threads, increments, executions.
type Work = (usize, usize, u64);

const NAMES: [&str; 5] = ["depth-first", "rr", "rr:reverse", "rtc", "preemptions"];

/// Runs so many executions, and returns the number of steps.
fn run(name: &str, (threads, times, executions): Work) -> u64 {
    let program = on_shuttle::increments(threads, times);
    let counts = if name == NAMES[0] {
        on_shuttle::run(DfsScheduler::new(Some(executions as usize), false), program).1
    } else {
        let strategies = Strategy::list(name).unwrap_or_default();
        let config = Config { strategies, schedules: Some(executions), ..Config::default() };
        on_shuttle::run(Explorer::new(&config), program).1
    };
    counts.steps.get()
}

/// Instructions that valgrind counts for this program with these arguments.
fn instructions(name: &str, (threads, times, executions): Work) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args([name.to_owned(), threads.to_string(), times.to_string(), executions.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("refs:"))?;
    line.rsplit(':').next()?.trim().replace(',', "").parse().ok()
}

/// Instructions for each step, without those for starting and ending the program.
fn per_step(name: &str, work: Work) -> Option<f64> {
    let start = (work.0, work.1, 1);
    let instructions = instructions(name, work)? - instructions(name, start)?;
    Some(instructions as f64 / (run(name, work) - run(name, start)) as f64)
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [name, numbers @ ..] = &arguments[..] {
        let number = |at: usize| numbers.get(at).and_then(|text| text.parse().ok()).unwrap_or(1_u64);
        run(name, (number(0) as usize, number(1) as usize, number(2)));
        return;
    }
    for (title, work) in [("all executions, 2 × 3", (2, 3, 1_000_000)), ("fewest delays, 4 × 5", (4, 5, 988))]
    {
        let Some(base) = per_step(NAMES[0], work) else {
            println!("valgrind is missing: apt install valgrind");
            return;
        };
        let row = |name: &str| {
            let number = per_step(name, work).unwrap_or(f64::NAN);
            vec![name.to_owned(), format!("{number:.0}"), format!("{:+.1} %", 100.0 * (number / base - 1.0))]
        };
        println!("{}", table(&[title, "instructions per step", "overhead"], &NAMES.map(row)));
    }
}
