//! A step that is suspended at each choice and resumed has the same outcomes, in the same order, as one that is not.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dally_explore::{Failure, Program, Successors, TaskId};
use dally_text::source::SourceMap;

/// The outcomes of a step, in order: the fingerprints of their states.
fn outcomes<P: Program>(program: &P, out: &Successors<P::State>) -> Vec<u128> {
    out.states().iter().map(|state| program.fingerprint(state).0).collect()
}

/// All outcomes of a step that is suspended at each choice, and the largest number of choices on a path.
fn resumed<P: Program>(program: &P, state: &P::State, task: TaskId) -> (Vec<u128>, usize) {
    let (mut all, mut deepest) = (Vec::new(), 0);
    let mut open = vec![Vec::new()];
    let mut out = Successors::default();
    while let Some(path) = open.pop() {
        deepest = deepest.max(path.len());
        match program.resume(state, task, &path, &mut out) {
            None => all.extend(outcomes(program, &out)),
            Some(options) => {
                let longer = (0..options as u32).rev().map(|nth| [&path[..], &[nth]].concat());
                open.extend(longer);
            }
        }
    }
    (all, deepest)
}

/// Compares both on the first states of a program. Returns the largest number of choices in a step.
fn compare<P: Program>(program: &P, name: &Path) -> usize {
    let mut out = Successors::default();
    program.initial(&mut out);
    let mut open = out.states().to_vec();
    let mut seen = HashSet::new();
    let (mut tasks, mut deepest) = (Vec::new(), 0);
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
            let (parts, choices) = resumed(program, &state, *task);
            // A step stops at its first failure; a suspended one continues with the other options.
            assert!(parts.starts_with(&whole), "{}: task {task}", name.display());
            deepest = deepest.max(choices);
            open.extend(out.states().iter().cloned());
        }
    }
    deepest
}

fn examples(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension() == Some(extension.as_ref())).collect()
}

#[test]
fn boogie() {
    let mut deepest = 0;
    for file in examples("", "bpl") {
        let mut sources = SourceMap::default();
        sources.add("test.bpl", std::fs::read_to_string(&file).unwrap()).unwrap();
        let Ok(program) = dally_bpl::load(&sources) else { continue };
        let Ok(machine) = dally_interp::Machine::new(&program, &sources, &Default::default()) else {
            continue;
        };
        deepest = deepest.max(compare(&machine, &file));
    }
    assert!(deepest >= 2, "no example chooses twice in a step");
}

#[test]
fn p() {
    let mut deepest = 0;
    for file in examples("p", "p").into_iter().chain(examples("liveness", "p")) {
        let mut sources = SourceMap::default();
        sources.add("test.p", std::fs::read_to_string(&file).unwrap()).unwrap();
        let program = dally_p::load(&sources).unwrap();
        for test in &program.tests {
            let machine = dally_p::Machine::new(&program, test, &sources).unwrap();
            deepest = deepest.max(compare(&machine, &file));
        }
    }
    assert!(deepest >= 1, "no example chooses");
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
    assert_eq!(compare(&Countdown, Path::new("countdown")), 1);
    let mut out = Successors::default();
    assert_eq!(Countdown.resume(&9, TaskId(0), &[], &mut out), Some(3));
    assert_eq!(Countdown.resume(&9, TaskId(0), &[1], &mut out), None);
    assert_eq!(out.states(), [7]);
    assert_eq!(Countdown.resume(&9, TaskId(0), &[5], &mut out), None);
    assert!(out.is_empty());
    assert_eq!(Countdown.resume(&1, TaskId(0), &[], &mut out), None);
    assert_eq!(out.states(), [0]);
}
