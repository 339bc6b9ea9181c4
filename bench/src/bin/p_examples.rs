//! Speed on the examples in P, and the cost of finding their bugs: two tables.
//!
//! ```text
//! p_examples [PATH/examples/p]
//! ```
//!
//! The first table explores all states of the correct versions with one thread: states, bytes per
//! state, states per second. The second has the columns of \[TR15\] Table 2 for the versions with a
//! bug: delays (for depth-bounded search: steps) and states until the bug is found. Deviation:
//! depth is bounded by breadth-first search, not by random walks.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dally_explore::policy::Policy;
use dally_explore::{
    Arrangement, Delays, Depth, Limit, Options, Report, SchedulerName, Search, StateCoverage, Verdict, Watch,
};
use dally_p::Machine;
use dally_text::source::SourceMap;

/// The time limit of a search.
const TIME_LIMIT: Duration = Duration::from_secs(60);

struct Deadline(Instant);

impl<S> Watch<S> for Deadline {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (self.0.elapsed() > TIME_LIMIT).then_some(Limit::Time)
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/p"), PathBuf::from);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_fixed = |file: &&PathBuf| file.to_string_lossy().ends_with("_fixed.p");
    println!(
        "| program | verdict | states | bytes/state | transitions | states/s |\n|---|---|---|---|---|---|"
    );
    for file in files.iter().filter(is_fixed) {
        for (name, machine) in machines(file) {
            println!("| {name} | {} |", speed(&machine));
        }
    }
    println!("\n| program | depth | random:1 | rtc | rr |\n|---|---|---|---|---|");
    for file in files.iter().filter(|f| !is_fixed(f)) {
        for (name, machine) in machines(file) {
            let delays = |name: SchedulerName| found(&search(&machine, &Delays::named(&name)));
            let (random, rtc) = (delays(SchedulerName::Random(1)), delays(SchedulerName::Rtc));
            let rr = delays(SchedulerName::Rr(Arrangement::Creation));
            println!("| {name} | {} | {random} | {rtc} | {rr} |", found(&search(&machine, &Depth)));
        }
    }
}

/// The tests of a program.
#[expect(clippy::print_stdout, reason = "a benchmark reports programs that it cannot run")]
fn machines(file: &Path) -> Vec<(String, Machine)> {
    let mut sources = SourceMap::default();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let stem = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(Ok(program)) = sources.add(stem.clone(), text).ok().map(|_| dally_p::load(&sources)) else {
        println!("{stem} cannot be loaded");
        return Vec::new();
    };
    let several = program.tests.len() > 1;
    let tests = program.tests.iter().map(|test| {
        let name = if several { format!("{stem} {}", test.name) } else { stem.clone() };
        (name, Machine::new(&program, test, &sources))
    });
    tests.collect()
}

fn search<O: Policy>(machine: &Machine, policy: &O) -> Report {
    let options = Options { memory: Some(4 << 30), ..Options::default() };
    Search::new(machine, policy, &options, &Deadline(Instant::now())).run()
}

fn speed(machine: &Machine) -> String {
    let started = Instant::now();
    let report = search(machine, &Delays::named(&SchedulerName::Rtc));
    let seconds = started.elapsed().as_secs_f64();
    let StateCoverage { states, peak_bytes, transitions, .. } = report.coverage;
    let rate = states as f64 / seconds;
    format!("{} | {states} | {} | {transitions} | {rate:.0}", report.verdict, peak_bytes / states.max(1))
}

/// The cost of the bug, and the number of states until it is found.
fn found(report: &Report) -> String {
    match &report.verdict {
        Verdict::Bug(bug) => format!("{} · {}", bug.cost, report.coverage.states),
        other => format!("({other})"),
    }
}
