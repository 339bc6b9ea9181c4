//! States and time with partial-order reduction, compared with SPIN's.
//!
//! ```text
//! cargo run --release -p dally-bench --bin reduction [-- models|p] [--only NAME]
//! ```
//!
//! The first table compares models in Rust, and in P or Boogie, with Promela models of the same
//! processes and channels. The second one (`p`) has the correct examples in P,
//! and rings, pipelines and trees of machines.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is a command line")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dally_bench::cpu::timed;
use dally_bench::peterson::Reduced;
use dally_bench::reduction::commit::Commit;
use dally_bench::reduction::german::German;
use dally_bench::reduction::ring::Ring;
use dally_bench::reduction::window::Window;
use dally_bench::{boogie, memory, spin};
use dally_explore::policy::Policy;
use dally_explore::{
    Arrangement, Delays, Exhaustive, Limit, Options, Program, SchedulerName, Search, StateCoverage, Verdict,
    Watch,
};
use dally_text::source::SourceMap;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time limit of a search.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The memory limits of a search, and of SPIN in megabytes.
const MEMORY: usize = 4 << 30;
const SPIN_MEMORY: &str = "-DMEMLIM=4096";

struct Deadline(Instant);

impl<S> Watch<S> for Deadline {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (self.0.elapsed() > TIME_LIMIT).then_some(Limit::Time)
    }
}

/// The states and CPU seconds of a search.
#[derive(Clone, Copy)]
struct Cost {
    states: u64,
    seconds: f64,
    /// False if a limit ended the search.
    is_complete: bool,
}

impl Cost {
    fn states(cost: Option<Self>) -> String {
        match cost {
            None => "–".to_owned(),
            Some(Cost { states, is_complete: true, .. }) => grouped(states),
            Some(Cost { states, .. }) => format!("> {}", grouped(states)),
        }
    }

    fn seconds(cost: Option<Self>) -> String {
        cost.map_or("–".to_owned(), |cost| format!("{:.2}", cost.seconds))
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// A row: the costs of SPIN with and without reduction, and whether searches without it are run.
struct Model<'a> {
    name: &'a str,
    spin: Option<[Option<Cost>; 2]>,
    fully: bool,
}

impl<'a> Model<'a> {
    fn new(name: &'a str, file: &str, definitions: &[String], fully: bool) -> Self {
        let path = models().join(format!("{file}.pml"));
        let run = |flags: &[&str]| {
            let outcome = spin::verify(&path, definitions, flags)?;
            let seconds = outcome.cpu.as_secs_f64();
            Some(Cost { states: outcome.states, seconds, is_complete: outcome.is_proof })
        };
        let costs = || [run(&[SPIN_MEMORY]), fully.then(|| run(&["-DNOREDUCE", SPIN_MEMORY])).flatten()];
        Model { name, spin: spin::is_installed().then(costs), fully }
    }

    /// Prints the row of a program in a language.
    fn row<P: Program>(&self, language: &str, load: impl Fn() -> P) {
        let reduced = cost(&load(), &Exhaustive, true);
        let full = self.fully.then(|| cost(&load(), &Exhaustive, false));
        let rr = cost(&load(), &Delays::named(&SchedulerName::Rr(Arrangement::Creation)), true);
        let rtc = cost(&load(), &Delays::named(&SchedulerName::Rtc), true);
        let [spin, spin_full] = self.spin.unwrap_or_default();
        let ratio = |of: fn(&Cost) -> f64, least: f64| match spin {
            Some(spin) if reduced.is_complete && spin.is_complete && spin.seconds >= least => {
                format!("{:.2}", of(&reduced) / of(&spin))
            }
            _ => "–".to_owned(),
        };
        println!(
            "| {} | {language} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.name,
            Cost::states(full),
            Cost::states(Some(reduced)),
            Cost::states(Some(rr)),
            Cost::states(Some(rtc)),
            Cost::states(spin_full),
            Cost::states(spin),
            ratio(|cost| cost.states as f64, 0.0),
            Cost::seconds(Some(reduced)),
            Cost::seconds(spin),
            ratio(|cost| cost.seconds, 1.0),
        );
    }
}

fn main() -> ExitCode {
    memory::kept(benchmark)
}

fn benchmark() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only =
        arguments.iter().skip_while(|argument| *argument != "--only").nth(1).map_or("", String::as_str);
    if arguments.iter().any(|argument| argument == "p") {
        return examples(only);
    }
    if !spin::is_installed() {
        eprintln!("{}", spin::HINT);
    }
    println!(
        "| model | language | states | reduced | rr, reduced | rtc, reduced | SPIN | SPIN, reduced | reduced/SPIN, reduced | seconds | SPIN | ratio |"
    );
    println!("|{}", "---|".repeat(12));
    if "ring".contains(only) {
        ring::<5>(true);
        ring::<6>(false);
        ring::<7>(false);
        ring::<8>(false);
    }
    if "commit".contains(only) {
        commit::<2>();
        commit::<3>();
    }
    if "window".contains(only) {
        window(3, 0);
        window(7, 1);
    }
    if "german".contains(only) {
        let model = Model::new("German", "german", &[], true);
        model.row("Rust", || German { is_correct: true });
        model.row("P", || p(&models().join("../../examples/p/german_fixed.p"), 0));
    }
    if "peterson".contains(only) {
        peterson::<4>(true);
        peterson::<5>(false);
    }
}

fn ring<const N: usize>(fully: bool) {
    let name = format!("ring of {N}");
    let model = Model::new(&name, "ring", &[format!("-DN={N}")], fully);
    model.row("Rust", || Ring::<N>);
    model.row("P", || p(&models().join("ring.p"), N - 5));
}

/// The protocol with this many retries, which the test of this number has.
fn window(retries: u8, test: usize) {
    let name = format!("sliding window, {retries} retries");
    let model = Model::new(&name, "window", &[format!("-DRETRIES={retries}")], retries < 7);
    model.row("Rust", || Window { numbers: 3, retries });
    model.row("P", || p(&models().join("window.p"), test));
}

fn peterson<const N: usize>(fully: bool) {
    let name = format!("Peterson, {N}");
    let model = Model::new(&name, "peterson_tasks", &[format!("-DN={N}")], fully);
    model.row("Rust", || Reduced::<N>);
    model.row("Boogie", || boogie::machine(&boogie::peterson_tasks(N)));
}

fn commit<const N: usize>() {
    let name = format!("two-phase commit, {N}");
    let model = Model::new(&name, "commit", &[format!("-DN={N}")], true);
    model.row("Rust", || Commit::<N> { is_correct: true });
    model.row("P", || p(&models().join("../../examples/p/two_phase_commit_fixed.p"), N - 2));
}

/// The folder of models in Promela, P and Boogie.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// A test of a P program, by its position.
///
/// # Panics
///
/// Panics if there is none. The programs of this benchmark have no errors.
fn p(file: &Path, test: usize) -> dally_p::Machine {
    let mut machines = tests(file);
    assert!(test < machines.len(), "{} has no test {test}", file.display());
    machines.swap_remove(test).1
}

/// The tests of a P program, with their names.
fn tests(file: &Path) -> Vec<(String, dally_p::Machine)> {
    let mut sources = SourceMap::default();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let program = match sources.add(stem.clone(), text).ok().map(|_| dally_p::load(&sources)) {
        Some(Ok(program)) => program,
        Some(Err(errors)) => {
            errors.iter().for_each(|e| eprintln!("{}", dally_text::render::render(&sources, e, false)));
            return Vec::new();
        }
        None => return Vec::new(),
    };
    let several = program.tests.len() > 1;
    let machines = program.tests.iter().map(|test| {
        let name = if several { format!("{stem} {}", test.name) } else { stem.clone() };
        (name, dally_p::Machine::new(&program, test, &sources))
    });
    machines.collect()
}

/// Explores all states, with or without reduction.
///
/// # Panics
///
/// Panics if there is a bug: the programs of this benchmark are correct.
fn cost<P: Program, O: Policy>(program: &P, policy: &O, reduction: bool) -> Cost {
    let options = Options { memory: Some(MEMORY), reduction, ..Options::default() };
    let watch = Deadline(Instant::now());
    let (report, took) = timed(|| Search::new(program, policy, &options, &watch).run());
    if let Verdict::Bug(bug) = &report.verdict {
        panic!("a correct program has a bug: {}", bug.failure);
    }
    Cost {
        states: report.coverage.states as u64,
        seconds: took.cpu.as_secs_f64(),
        is_complete: report.verdict == Verdict::Proved,
    }
}

/// The table of the examples in P.
fn examples(only: &str) {
    let examples = dally_bench::files::with_extension(&models().join("../../examples/p"), "p");
    let correct = examples.into_iter().filter(|file| file.to_string_lossy().ends_with("_fixed.p"));
    let shapes = ["ring", "pipeline", "tree"].map(|shape| models().join(shape).with_extension("p"));
    println!("| program | rtc | reduced | ratio | exhaustive | reduced | ratio |");
    println!("|{}", "---|".repeat(7));
    for file in correct.chain(shapes) {
        for (name, machine) in tests(&file) {
            if name.contains(only) {
                let rtc = Delays::named(&SchedulerName::Rtc);
                println!("| {name} | {} | {} |", pair(&machine, &rtc), pair(&machine, &Exhaustive));
            }
        }
    }
}

/// States without and with reduction, and how many times fewer they are.
fn pair<O: Policy>(machine: &dally_p::Machine, policy: &O) -> String {
    let [full, reduced] = [false, true].map(|reduction| cost(machine, policy, reduction));
    let times = full.states as f64 / reduced.states as f64;
    let ratio = match (full.is_complete, reduced.is_complete) {
        (true, true) => format!("{times:.1} ×"),
        (false, true) => format!("> {times:.1} ×"),
        (_, false) => "–".to_owned(),
    };
    format!("{} | {} | {ratio}", Cost::states(Some(full)), Cost::states(Some(reduced)))
}
