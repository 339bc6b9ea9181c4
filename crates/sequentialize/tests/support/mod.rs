//! Shared parts of the property tests: random programs, their executions, and those of their translations.

#![allow(dead_code, reason = "each test uses a part of this")]

pub(crate) mod evaluate;
pub(crate) mod generate;
pub(crate) mod random;

use std::collections::BTreeSet;
use std::sync::Mutex;

use dally_bpl::ProgramOptions;
use dally_explore::policy::Policy;
use dally_explore::{
    Delays, FailureKind, Fingerprint, Options, Program, SchedulerName, Search, Successors, TaskId, Verdict,
    Watch,
};
use dally_interp::{Machine, MachineOptions, State};
use dally_sequentialize::{Sequential, Target, TranslationOptions, sequentialize};
use dally_text::source::SourceMap;
use dally_trace::{Explain, TaskNumbers};

/// The outcomes of a program: the values of its globals when all tasks have ended, and failed assertions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcomes {
    pub(crate) finals: BTreeSet<Vec<(String, String)>>,
    pub(crate) fails: bool,
}

impl Outcomes {
    /// The same, of some globals only.
    pub(crate) fn only(&self, globals: &[String]) -> Outcomes {
        let project = |values: &Vec<(String, String)>| {
            values.iter().filter(|(name, _)| globals.contains(name)).cloned().collect()
        };
        Outcomes { finals: self.finals.iter().map(project).collect(), fails: self.fails }
    }
}

pub(crate) fn load(text: &str) -> (dally_bpl::Program, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{} in\n{text}", d[0].message));
    (program, sources)
}

/// A program whose deadlocks are ends like any others, so that a search goes on.
struct GoingOn<'a>(&'a Machine);

impl Program for GoingOn<'_> {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        self.0.initial(out);
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        self.0.enabled(state, tasks);
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        self.0.step(state, task, out);
    }

    fn resume(&self, state: &State, task: TaskId, path: &[u32], out: &mut Successors<State>) {
        self.0.resume(state, task, path, out);
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        self.0.fingerprint(state)
    }
}

struct Collect<'a>(&'a Machine, Mutex<BTreeSet<Vec<(String, String)>>>);

impl Watch<State> for Collect<'_> {
    fn final_state(&self, state: &State) {
        if self.0.deadlock(state).is_none() {
            let globals = self.0.variables(state, &TaskNumbers::default()).into_iter();
            self.1.lock().unwrap().insert(globals.map(|global| (global.variable, global.value)).collect());
        }
    }
}

/// The outcomes of the executions of a program that a policy allows within a bound.
///
/// A search ends at the first failed assertion: of a program that fails, there are no final values.
pub(crate) fn explore(text: &str, policy: &impl Policy, bound: Option<u32>) -> Outcomes {
    explore_with(text, policy, bound, &MachineOptions::default())
}

/// The outcomes of executions in which tasks may be switched before each access to a shared variable.
pub(crate) fn explore_preempted(text: &str, scheduler: &str, bound: Option<u32>) -> Outcomes {
    let options = MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() };
    explore_with(text, &Delays::named(&scheduler.parse::<SchedulerName>().unwrap()), bound, &options)
}

fn explore_with(text: &str, policy: &impl Policy, bound: Option<u32>, options: &MachineOptions) -> Outcomes {
    let (program, sources) = load(text);
    let machine = Machine::new(&program, &sources, options).unwrap();
    let collect = Collect(&machine, Mutex::default());
    let options = Options { bound, exact: bound.is_some(), ..Options::default() };
    let verdict = Search::new(&GoingOn(&machine), policy, &options, &collect).run().verdict;
    match verdict {
        Verdict::Bug(bug) if bug.failure.kind == FailureKind::Assertion => {
            Outcomes { finals: BTreeSet::new(), fails: true }
        }
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::NoBug => {
            Outcomes { finals: collect.1.into_inner().unwrap(), fails: false }
        }
        other => panic!("{other} of\n{text}"),
    }
}

pub(crate) fn explore_named(text: &str, scheduler: &str, bound: Option<u32>) -> Outcomes {
    explore(text, &Delays::named(&scheduler.parse::<SchedulerName>().unwrap()), bound)
}

/// The translation of a program, printed.
pub(crate) fn translated(text: &str, to: Target) -> String {
    printed(text, &TranslationOptions::new(to))
}

/// The translation of a program whose tasks may be put off before they begin.
pub(crate) fn reordered(text: &str, to: Target) -> String {
    printed(text, &TranslationOptions { reorder: true, ..TranslationOptions::new(to) })
}

pub(crate) fn printed(text: &str, options: &TranslationOptions) -> String {
    let (program, _) = load(text);
    let Sequential { program, .. } =
        sequentialize(&program, options).unwrap_or_else(|d| panic!("{} in\n{text}", d[0].message));
    dally_bpl::print(&program.ast)
}

/// The outcomes of a sequential program, projected to some globals.
///
/// Of a program that fails, there are no final values either, so that both sides can be compared. There are none
/// of a program that takes too long.
pub(crate) fn run(text: &str, globals: &[String]) -> Option<Outcomes> {
    let (program, _) = load(text);
    let mut outcomes = evaluate::evaluate(&program, globals)?;
    if outcomes.fails {
        outcomes.finals.clear();
    }
    Some(outcomes)
}
