//! Time to explore a whole state space: with one thread, compared with SPIN and Stateright, and
//! with two.
//!
//! ```text
//! cargo run --release -p dally-bench --features stateright --bin exhaust [-- quick]
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is a command line")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use dally_bench::boogie;
use dally_bench::cpu::{Took, timed};
use dally_bench::leader::Leader;
use dally_bench::memory;
use dally_bench::peterson::Peterson;
use dally_bench::spin;
use dally_bench::threads::Threads;
use dally_bench::two_phase_commit::TwoPhaseCommit;
use dally_explore::{Exhaustive, Options, Program, Report, Search};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// CPU times of Stateright on the same model.
#[derive(Clone, Copy)]
struct Stateright {
    /// With the states of the Rust model, which are packed into words.
    packed: Duration,
    /// With states of vectors and sets, in the style of its users.
    sets: Duration,
}

fn main() -> ExitCode {
    memory::kept(benchmark)
}

fn benchmark() {
    let quick = std::env::args().any(|argument| argument == "quick");
    if !spin::is_installed() {
        eprintln!("{}", spin::HINT);
    }
    println!(
        "CPU seconds to explore the whole state space with one thread, the least of three runs; wall-clock seconds \
         with one and two threads.\n"
    );
    println!(
        "| model | states | transitions | dally | SPIN | dally/SPIN | Stateright, packed | ratio | Stateright, sets | ratio | B/state | SPIN B/state | 1 thread | 2 threads | speed-up | limit |"
    );
    println!("|{}", "---|".repeat(16));
    for resource_managers in if quick { 7..=8 } else { 7..=9 } {
        let definitions = [format!("-DN={resource_managers}")];
        let stateright = stateright_column(resource_managers);
        row(
            &format!("two-phase commit, {resource_managers}"),
            || TwoPhaseCommit { resource_managers },
            "two_phase_commit",
            &definitions,
            stateright,
            0,
        );
        let boogie = || boogie::machine(&boogie::two_phase_commit(resource_managers as usize));
        let name = format!("the same in Boogie, {resource_managers}");
        row(&name, boogie, "two_phase_commit", &definitions, stateright, 1);
    }
    row("Peterson, 4", || Peterson::<4> { one_by_one: true }, "peterson", &[], None, 0);
    row("the same in Boogie", || boogie::machine(&boogie::peterson()), "peterson", &[], None, 1);
    row("ring leader, 5", || Leader::<5>, "leader", &[], None, 0);
    row("the same in Boogie", || boogie::machine(&boogie::leader()), "leader", &[], None, 1);
    println!("\nThe bottleneck is memory: most transitions wait for a cache line of the visited set.");
    println!(
        "Two threads: the shortest of several runs. Limit: the speed-up of two independent searches at the same time."
    );
}

/// Prints one row. The program has `more` states than the Promela model.
fn row<P: Program>(
    name: &str,
    load: impl Fn() -> P + Sync,
    model: &str,
    definitions: &[String],
    stateright: Option<Stateright>,
    more: u64,
) {
    let (report, cpu) = least(|| {
        let (report, took) = search(&load(), 1);
        (report, took.cpu)
    });
    let (shared, _) = search(&load(), 2);
    let threads = Threads::time(|threads| search(&load(), threads));
    assert_eq!(
        report.coverage.states, shared.coverage.states,
        "the result is the same for any number of threads"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("models/{model}.pml"));
    let spin = spin::is_installed().then(|| {
        least(|| {
            let spin = spin::run(&path, definitions);
            let cpu = spin.as_ref().map_or(Duration::MAX, |spin| spin.cpu);
            (spin, cpu)
        })
    });
    let spin = spin.and_then(|(spin, _)| spin);
    let coverage = &report.coverage;
    if let Some(spin) = &spin {
        assert_eq!(spin.states + more, coverage.states as u64, "{name}: SPIN has the same number of states");
    }
    let seconds =
        |time: Option<Duration>| time.map_or("–".to_owned(), |time| format!("{:.2}", time.as_secs_f64()));
    let ratio = |other: Option<Duration>| {
        other.map_or("–".to_owned(), |other| format!("{:.2}", cpu.as_secs_f64() / other.as_secs_f64()))
    };
    let spin_cpu = spin.as_ref().map(|spin| spin.cpu);
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} | {} | {} | {} | {:.2} | {:.2} |",
        coverage.states,
        coverage.transitions,
        seconds(Some(cpu)),
        seconds(spin_cpu),
        ratio(spin_cpu),
        seconds(stateright.map(|times| times.packed)),
        ratio(stateright.map(|times| times.packed)),
        seconds(stateright.map(|times| times.sets)),
        ratio(stateright.map(|times| times.sets)),
        coverage.visited_bytes as f64 / coverage.states as f64,
        spin.map_or("–".to_owned(), |spin| format!("{:.1}", spin.bytes_per_state)),
        seconds(Some(threads.one.wall)),
        seconds(Some(threads.two.wall)),
        threads.speed_up(),
        threads.limit(),
    );
}

/// The run with the least CPU time, of three, or of as many as fit into a minute.
fn least<T>(run: impl Fn() -> (T, Duration)) -> (T, Duration) {
    let begun = Instant::now();
    let mut best = run();
    for _ in 1..3 {
        if begun.elapsed() > Duration::from_secs(60) {
            break;
        }
        let again = run();
        if again.1 < best.1 {
            best = again;
        }
    }
    best
}

fn search(program: &impl Program, threads: usize) -> (Report, Took) {
    let options = Options { threads, ..Options::default() };
    timed(|| Search::new(program, &Exhaustive, &options, &()).run())
}

#[cfg(not(feature = "stateright"))]
fn stateright_column(_: u32) -> Option<Stateright> {
    None
}

/// Stateright's depth-first search, which is its fastest.
#[cfg(feature = "stateright")]
fn stateright_column(resource_managers: u32) -> Option<Stateright> {
    use dally_bench::stateright_sets::Sets;
    use dally_explore::{Successors, TaskId};
    use stateright::{Checker, Model, Property};

    /// The Rust model as a model of Stateright.
    struct Packed(TwoPhaseCommit);

    type State = <TwoPhaseCommit as Program>::State;

    impl Model for Packed {
        type State = State;
        type Action = State;

        fn init_states(&self) -> Vec<State> {
            vec![State::default()]
        }

        fn actions(&self, state: &State, actions: &mut Vec<State>) {
            let (mut tasks, mut successors) = (Vec::<TaskId>::new(), Successors::default());
            self.0.enabled(state, &mut tasks);
            tasks.iter().for_each(|task| self.0.step(state, *task, &mut successors));
            actions.extend_from_slice(successors.states());
        }

        fn next_state(&self, _: &State, action: State) -> Option<State> {
            Some(action)
        }

        fn properties(&self) -> Vec<Property<Self>> {
            vec![Property::<Self>::always("consistent", |_, _| true)]
        }
    }

    let (packed_states, packed) = least(|| {
        let model = Packed(TwoPhaseCommit { resource_managers });
        let (checker, took) = timed(|| model.checker().spawn_dfs().join());
        (checker.unique_state_count(), took.cpu)
    });
    let (set_states, sets) = least(|| {
        let model = Sets { resource_managers: resource_managers as usize };
        let (checker, took) = timed(|| model.checker().spawn_dfs().join());
        (checker.unique_state_count(), took.cpu)
    });
    assert_eq!(packed_states, set_states, "the models have the same states");
    Some(Stateright { packed, sets })
}
