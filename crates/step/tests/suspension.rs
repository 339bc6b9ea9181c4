//! A step that is suspended at each choice of a value and resumed has the same outcomes, in the same order, as one that is not.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dally_explore::{Failure, Program, Successors, TaskId};
use dally_text::source::SourceMap;

/// The outcomes of a step, in order: the fingerprints of their states.
fn outcomes<P: Program>(program: &P, out: &Successors<P::State>) -> Vec<u128> {
    out.states().iter().map(|state| program.fingerprint(state).0).collect()
}

/// The outcomes of a step along the paths that begin with `path`, where it is suspended at each choice of a
/// value. Returns the number of suspensions.
fn resume<P: Program>(
    program: &P,
    (state, task): (&P::State, TaskId),
    path: &[u32],
    all: &mut Vec<u128>,
) -> usize {
    let mut out = Successors::suspending_above(1);
    program.resume(state, task, path, &mut out);
    let mut states = out.states().iter();
    let mut suspensions = 0;
    for nth in 0..out.len() {
        match out.suspended(nth) {
            None => all.extend(states.next().map(|state| program.fingerprint(state).0)),
            Some(at) => {
                for option in 0..at.options {
                    let path = [&at.path[..], &[option]].concat();
                    suspensions += resume(program, (state, task), &path, all);
                }
                suspensions += 1;
            }
        }
    }
    suspensions
}

/// Draws paths of a step, and compares their outcomes with those of the resumed step.
fn compare_drawn<P: Program>(program: &P, state: &P::State, task: TaskId, name: &Path) {
    let (mut drawn, mut resumed) = (Successors::default(), Successors::default());
    let mut seed = task.0;
    for _ in 0..4 {
        let mut choose = |options: u64| {
            assert!(options > 1, "{}: a choice without alternatives", name.display());
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u64::from(seed >> 8) % options
        };
        let taken = program.draw(state, task, &mut choose, &mut drawn);
        let path: Vec<u32> = taken.iter().map(|drawn| drawn.option).collect();
        if !drawn.is_empty() {
            program.resume(state, task, &path, &mut resumed);
            assert_eq!(outcomes(program, &drawn), outcomes(program, &resumed), "{}", name.display());
        }
        assert!(drawn.len() <= 1);
    }
}

/// Compares both on the first states of a program. Returns the largest number of suspensions of a step.
fn compare<P: Program>(program: &P, name: &Path) -> usize {
    let mut out = Successors::default();
    program.initial(&mut out);
    let mut open = out.states().to_vec();
    let mut seen = HashSet::new();
    let (mut tasks, mut most) = (Vec::new(), 0);
    while let Some(state) = open.pop().filter(|_| seen.len() < 200) {
        if !seen.insert(program.fingerprint(&state)) {
            continue;
        }
        tasks.clear();
        program.enabled(&state, &mut tasks);
        for task in &tasks {
            out.clear();
            program.step(&state, *task, &mut out);
            let whole = outcomes(program, &out);
            let mut parts = Vec::new();
            let suspensions = resume(program, (&state, *task), &[], &mut parts);
            // A step stops at its first failure; a suspended one continues with the other options.
            assert!(parts.starts_with(&whole), "{}: task {task}", name.display());
            compare_drawn(program, &state, *task, name);
            most = most.max(suspensions);
            open.extend(out.states().iter().cloned());
        }
    }
    most
}

fn examples(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension() == Some(extension.as_ref())).collect()
}

#[test]
fn boogie() {
    let mut most = 0;
    for file in examples("", "bpl") {
        let mut sources = SourceMap::default();
        sources.add("test.bpl", std::fs::read_to_string(&file).unwrap()).unwrap();
        let Ok(program) = dally_bpl::load(&sources) else { continue };
        let Ok(machine) = dally_interp::Machine::new(&program, &sources, &Default::default()) else {
            continue;
        };
        most = most.max(compare(&machine, &file));
    }
    assert!(most >= 2, "no example is suspended twice in a step");
}

#[test]
fn a_refuted_option_is_replaced_by_the_next() {
    let program = "
        var {:range 0, 99} x: int;
        procedure main() modifies x; {
            havoc x;
            goto less, more;
            less: assume x * x < 2500; assume x == 7; return;
            more: assume x * x > 90000; return;
        }";
    let mut sources = SourceMap::default();
    sources.add("test.bpl", program.to_owned()).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let machine = dally_interp::Machine::new(&program, &sources, &Default::default()).unwrap();
    let (mut initial, mut out) = (Successors::default(), Successors::default());
    machine.initial(&mut initial);
    // The value is chosen at its first use.
    for option in [0, 7, 8, 99] {
        let taken = machine.draw(&initial.states()[0], TaskId(0), &mut |_| option, &mut out);
        assert_eq!(taken.iter().map(|drawn| drawn.option).collect::<Vec<_>>(), [0, 7]);
        assert_eq!(out.len(), 1);
    }
}

#[test]
fn p() {
    let mut most = 0;
    for file in examples("p", "p").into_iter().chain(examples("liveness", "p")) {
        let mut sources = SourceMap::default();
        sources.add("test.p", std::fs::read_to_string(&file).unwrap()).unwrap();
        let program = dally_p::load(&sources).unwrap();
        for test in &program.tests {
            let machine = dally_p::Machine::new(&program, test, &sources);
            most = most.max(compare(&machine, &file));
        }
    }
    assert!(most >= 1, "no example chooses");
}

/// Counts down from a number that it chooses, by steps that it chooses.
struct Countdown;

impl Program for Countdown {
    type State = u32;

    fn initial(&self, out: &mut Successors<u32>) {
        out.push(9).posts(TaskId(0));
    }

    fn enabled(&self, state: &u32, tasks: &mut Vec<TaskId>) {
        tasks.extend((*state > 0).then_some(TaskId(0)));
    }

    fn step(&self, state: &u32, _: TaskId, out: &mut Successors<u32>) {
        for less in 1..=3.min(*state) {
            let successor = out.push(state - less).wakes(TaskId(0));
            if less == 3 {
                successor.fails(Failure::assertion("three at once"));
            }
        }
    }
}

#[test]
fn models_in_rust_have_one_choice_in_each_step() {
    assert_eq!(compare(&Countdown, Path::new("countdown")), 0);
    let mut out = Successors::default();
    Countdown.resume(&9, TaskId(0), &[], &mut out);
    assert_eq!(out.states(), [8, 7, 6]);
    Countdown.resume(&9, TaskId(0), &[1], &mut out);
    assert_eq!(out.states(), [7]);
    Countdown.resume(&9, TaskId(0), &[5], &mut out);
    assert!(out.is_empty());
    Countdown.resume(&1, TaskId(0), &[0], &mut out);
    assert_eq!(out.states(), [0]);
}
