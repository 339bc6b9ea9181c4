//! Instructions per step under dally's schedulers, compared with shuttle's depth-first scheduler.
//!
//! Counted by valgrind, which must be on the PATH: this program runs itself under it. The first
//! table compares equal work: all executions of two threads with three increments, which every
//! search covers (one of three steps is a delay then). The second is typical work: the executions
//! with the fewest delays of four threads with five increments.
//!
//! ```text
//! cargo run --release -p dally-bench --features shuttle --bin shuttle_overhead
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use std::process::Command;

use dally_bench::{on_shuttle, table};
use dally_shuttle::{Config, Explorer, Strategy};
use shuttle::scheduler::DfsScheduler;

/// The program to be run, and the number of executions.
#[derive(Clone, Copy)]
struct Work {
    threads: usize,
    /// Increments of each thread.
    times: usize,
    executions: u64,
}

const NAMES: [&str; 5] = ["depth-first", "rr", "rr:reverse", "rtc", "preemptions"];

/// Runs the executions, and returns the number of steps.
fn run(name: &str, Work { threads, times, executions }: Work) -> u64 {
    let program = on_shuttle::increments(threads, times);
    let counts = if name == NAMES[0] {
        on_shuttle::run(DfsScheduler::new(Some(executions as usize), false), program).1
    } else {
        let strategies = Strategy::list(name).unwrap_or_default();
        let config =
            Config { strategies, samplers: Vec::new(), schedules: Some(executions), ..Config::default() };
        on_shuttle::run(Explorer::new(&config), program).1
    };
    counts.steps.get()
}

/// The instructions that valgrind counts for this program with these arguments.
fn instructions(name: &str, Work { threads, times, executions }: Work) -> Option<u64> {
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

/// Instructions per step, without those for start and exit of the program.
fn per_step(name: &str, work: Work) -> Option<f64> {
    let start = Work { executions: 1, ..work };
    let instructions = instructions(name, work)? - instructions(name, start)?;
    Some(instructions as f64 / (run(name, work) - run(name, start)) as f64)
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [name, numbers @ ..] = &arguments[..] {
        let number = |at: usize| numbers.get(at).and_then(|text| text.parse().ok()).unwrap_or(1_u64);
        run(name, Work { threads: number(0) as usize, times: number(1) as usize, executions: number(2) });
        return;
    }
    let all = Work { threads: 2, times: 3, executions: 1_000_000 };
    let few = Work { threads: 4, times: 5, executions: 988 };
    for (title, work) in [("all executions, 2 × 3", all), ("fewest delays, 4 × 5", few)] {
        let Some(base) = per_step(NAMES[0], work) else {
            println!("valgrind is not installed (Debian: apt-get install valgrind)");
            return;
        };
        let row = |name: &str| {
            let number = per_step(name, work).unwrap_or(f64::NAN);
            vec![name.to_owned(), format!("{number:.0}"), format!("{:+.1} %", 100.0 * (number / base - 1.0))]
        };
        println!("{}", table(&[title, "instructions per step", "overhead"], &NAMES.map(row)));
    }
}
