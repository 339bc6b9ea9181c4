//! Liveness searches: the columns of \[TR15\] Table 3.
//!
//! ```text
//! liveness [quick] [FILTER]
//! ```
//!
//! The models have the names of the paper's, but our own bugs: the paper's seeded bugs are not
//! published. For each model, the table has the bound at which the bug is found; states and seconds
//! of nested depth-first search (NDFS), iterative NDFS, iterative MAP, and MAP with two threads;
//! the share of each phase of MAP; and states per second. The rows of the corrected models explore
//! all states. Seconds are CPU time, except for the comparison of one and two threads, which is
//! wall-clock time. A cell is the best of at least three runs. The limit of the speed-up comes from
//! two independent searches at the same time.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use dally_bench::cpu::{Took, timed};
use dally_bench::memory;
use dally_bench::threads::Threads;
use dally_explore::{
    Cycles, Delays, Limit, Liveness, Method, Options, Phase, Report, SchedulerName, StateCoverage, Verdict,
    Watch,
};
use dally_p::Machine;
use dally_text::source::SourceMap;

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time limit of a search.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Runs of each search.
const RUNS: usize = 3;

/// A file and one of its tests.
#[derive(Clone, Copy)]
struct Model {
    file: &'static str,
    test: &'static str,
}

const fn model(file: &'static str, test: &'static str) -> Model {
    Model { file, test }
}

const BUGS: [Model; 4] = [
    model("elevator_door", "Deep"),
    model("lann", "Deep"),
    model("elevator_planning", "Deep"),
    model("tree_identification", "Deep"),
];
const FIXED: [Model; 4] = [
    model("elevator_door_fixed", "Six"),
    model("lann_fixed", "Six"),
    model("elevator_planning_fixed", "Five"),
    model("tree_identification_fixed", "Line5"),
];

/// Measures the time of each phase, and enforces the time limit.
struct Clock {
    started: Instant,
    /// The current phase, and its start.
    phase: Mutex<(Phase, Instant)>,
    /// The time spent exploring, calculating, refining, and in other phases.
    spent: Mutex<[Duration; 4]>,
}

impl Clock {
    fn new() -> Self {
        let now = Instant::now();
        Clock { started: now, phase: Mutex::new((Phase::Explore, now)), spent: Mutex::default() }
    }

    fn enter(&self, phase: Phase) {
        let (Ok(mut last), Ok(mut spent)) = (self.phase.lock(), self.spent.lock()) else { return };
        let index = match last.0 {
            Phase::Explore => 0,
            Phase::Calculate => 1,
            Phase::Refine => 2,
            Phase::Nested | Phase::Trace => 3,
        };
        spent[index] += last.1.elapsed();
        *last = (phase, Instant::now());
    }
}

impl<S> Watch<S> for Clock {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (self.started.elapsed() > TIME_LIMIT).then_some(Limit::Time)
    }

    fn phase(&self, phase: Phase) {
        self.enter(phase);
    }
}

/// The result of a search.
struct Run {
    report: Report,
    /// CPU time.
    seconds: f64,
    /// Wall-clock time in seconds.
    wall: f64,
    spent: [Duration; 4],
}

impl Run {
    fn states(&self) -> String {
        match self.report.verdict {
            Verdict::Inconclusive(_) => "*".to_owned(),
            _ => self.report.coverage.states.to_string(),
        }
    }

    fn time(&self) -> String {
        match self.report.verdict {
            Verdict::Inconclusive(_) => "*".to_owned(),
            _ => format!("{:.2}", self.seconds),
        }
    }

    /// The share of a phase in the time, in percent.
    fn part(&self, phase: usize) -> f64 {
        100.0 * self.spent[phase].as_secs_f64() / self.wall
    }
}

fn run_once(machine: &Machine, method: Method, threads: usize) -> (Run, Took) {
    let options = Options { threads, memory: Some(6 << 30), ..Options::default() };
    let clock = Clock::new();
    let random = Delays::named(&SchedulerName::Random(1));
    let liveness = Liveness { method, fair: true };
    let (report, took) = timed(|| Cycles::new(machine, &random, &options, liveness, &clock).run());
    clock.enter(Phase::Trace);
    let spent = clock.spent.into_inner().unwrap_or_default();
    let run =
        Run { report, seconds: took.cpu.as_secs_f64().max(0.005), wall: took.wall.as_secs_f64(), spent };
    (run, took)
}

/// The best of several runs. Each has a new machine, since interned parts are never freed.
fn run(load: impl Fn() -> Option<Machine>, method: Method, runs: usize) -> Option<Run> {
    let runs = (0..runs).map(|_| Some(run_once(&load()?, method, 1).0));
    runs.collect::<Option<Vec<_>>>()?.into_iter().min_by(|a, b| a.wall.total_cmp(&b.wall))
}

fn machine(Model { file, test }: Model) -> Option<Machine> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/liveness").join(format!("{file}.p"));
    let mut sources = SourceMap::default();
    sources.add(file, std::fs::read_to_string(path).ok()?).ok()?;
    let program = dally_p::load(&sources).ok()?;
    Some(Machine::new(&program, program.test(Some(test)).ok()?, &sources))
}

/// A row of the table.
fn row(model: Model, runs: usize) -> Option<String> {
    let load = || machine(model);
    load()?;
    // First, since the first searches allocate the memory that all others reuse.
    let threads = Threads::time(|threads| {
        run_once(&load().expect("the model was loaded before"), Method::Map, threads)
    });
    let map = run(load, Method::Map, runs)?;
    let ndfs = run(load, Method::Ndfs, runs)?;
    let iterative = run(load, Method::IterativeNdfs, runs)?;
    let found = match map.report.verdict {
        Verdict::Bug(_) => format!("at {}", map.report.coverage.bound),
        _ => map.report.verdict.to_string(),
    };
    Some(format!(
        "| {} {} | {found} | {} | {} | {} | {} | {} | {} | {} | {:.0} % | {:.0} % | {:.0} % | {:.1} × | {:.2} × | {:.2} × | {:.0} |",
        model.file,
        model.test,
        ndfs.states(),
        iterative.states(),
        map.states(),
        ndfs.time(),
        iterative.time(),
        map.time(),
        format_args!("{:.2} / {:.2}", threads.two.wall.as_secs_f64(), threads.one.wall.as_secs_f64()),
        map.part(0),
        map.part(1),
        map.part(2),
        iterative.seconds / map.seconds,
        threads.speed_up(),
        threads.limit(),
        // From the shortest of all runs with one thread.
        map.report.coverage.states as f64 / map.wall.min(threads.one.wall.as_secs_f64()),
    ))
}

fn main() -> ExitCode {
    memory::kept(benchmark)
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn benchmark() {
    let (quick, filters): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word == "quick");
    let runs = if quick.is_empty() { RUNS } else { 1 };
    let wanted = |model: &Model| filters.first().is_none_or(|filter| model.file.contains(filter.as_str()));
    println!(
        "| model | found | states: NDFS | iterative NDFS | MAP | seconds: NDFS | iterative NDFS | MAP | MAP, 2 threads / 1 thread, wall-clock | \
         explore | calculate | refine | iterative NDFS / MAP | speed-up of 2 threads | limit | states/s |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for model in BUGS.into_iter().chain(FIXED).filter(wanted) {
        match row(model, runs) {
            Some(row) => println!("{row}"),
            None => println!("| {} {} cannot be loaded |", model.file, model.test),
        }
    }
}
