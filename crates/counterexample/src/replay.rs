//! Searching for the execution that a path describes: the original program is explored with the inputs of the path, under the
//! scheduler and within the bound of the translation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_bpl::{Program, ProgramOptions};
use dally_explore::policy::Policy;
use dally_explore::{
    Bug, Delays, Exhaustive, Limit, Options, Report, SchedulerName, Search, StepLimits, Verdict, Watch,
};
use dally_interp::{Inputs, Machine, MachineOptions, Notation, State};
use dally_sequentialize::{Bounds, Target};
use dally_text::source::SourceMap;

/// The original program.
#[derive(Clone, Copy)]
pub struct Original<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its text.
    pub sources: &'p SourceMap,
    /// How it is compiled; its inputs are replaced.
    pub options: &'p ProgramOptions,
    /// The notation of its source language, if it was lowered to Boogie: traces use it.
    pub notation: Option<&'p Arc<dyn Notation>>,
    /// Set to end long steps.
    pub interrupt: &'p Arc<AtomicBool>,
}

/// A failing execution of the original program.
pub struct Execution {
    /// The failure and its schedule.
    pub bug: Bug,
    /// The program with the inputs of the execution.
    pub machine: Machine,
    /// How it was compiled, with the inputs.
    pub options: MachineOptions,
}

/// The result of a replay.
pub enum Confirmation {
    /// The execution was found.
    Found(Box<Execution>),
    /// There is no such execution.
    Absent {
        /// True if quantifiers were evaluated only for the values that the execution mentions: then there may be one.
        partly: bool,
    },
    /// The search ended at a limit.
    Stopped(Limit),
    /// The program cannot be run, for this reason.
    Refused(String),
}

/// Replays a path of a program, given its inputs; `target` is the translation, none for a sequential program.
///
/// First it follows the scripts of the path, choice by choice. A translation may have changed what a choice is about; so if there
/// is no such execution, the search goes through the values that the path has for each variable, and in the end also through
/// those that it has for other variables of the same type.
pub fn replay(
    original: &Original<'_>,
    inputs: &Inputs,
    target: Option<Target>,
    watch: &impl Watch<State>,
) -> Confirmation {
    let scripted = attempt(original, inputs.clone(), target, watch);
    if matches!(scripted, Confirmation::Found(_)) {
        return scripted;
    }
    let free = Inputs { scripts: Vec::new(), entries: Vec::new(), ..inputs.clone() };
    match attempt(original, free.clone(), target, watch) {
        Confirmation::Absent { .. } => attempt(original, Inputs { wide: true, ..free }, target, watch),
        other => other,
    }
}

fn attempt(
    original: &Original<'_>,
    inputs: Inputs,
    target: Option<Target>,
    watch: &impl Watch<State>,
) -> Confirmation {
    // A sequential program is one step, with all of its choices, unless it is preempted.
    let preempt = original.options.preempt || target.is_none() && inputs.scripts.is_empty();
    let program = ProgramOptions { preempt, ..original.options.clone() };
    let options = MachineOptions { inputs: Some(inputs), program, notation: original.notation.cloned() };
    let mut machine = match Machine::new(original.program, original.sources, &options) {
        Ok(machine) => machine,
        Err(diagnostics) => {
            let reason = diagnostics.first().map_or("it cannot be compiled", |d| d.message.as_str());
            return Confirmation::Refused(reason.to_owned());
        }
    };
    machine.limit_steps(StepLimits { interrupt: Arc::clone(original.interrupt), memory: usize::MAX });
    match search(&machine, target, watch).verdict {
        Verdict::Bug(bug) => Confirmation::Found(Box::new(Execution { bug: *bug, machine, options })),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::NoBug => {
            Confirmation::Absent { partly: machine.mentions() || machine.tries_axioms() }
        }
        Verdict::Inconclusive(limit) => Confirmation::Stopped(limit),
        Verdict::Unsupported(message) => Confirmation::Refused(message),
    }
}

/// Explores the order of tasks.
fn search(machine: &Machine, target: Option<Target>, watch: &impl Watch<State>) -> Report {
    let bounded = |name: SchedulerName, bounds: Bounds| match bounds.delays {
        Some(delays) => {
            let options = Options { bound: Some(delays), exact: true, ..Options::default() };
            run(machine, &Delays::named(&name), &options, watch)
        }
        None => by_creation(machine, watch),
    };
    match target {
        // With one task there is one order.
        None => run(machine, &Exhaustive, &Options::default(), watch),
        Some(Target::Dfs(bounds)) => bounded(SchedulerName::Dfs, bounds),
        Some(Target::Df(bounds)) => bounded(SchedulerName::Df, bounds),
        Some(Target::Dfw(bounds)) => bounded(SchedulerName::Dfw, bounds),
        Some(_) => by_creation(machine, watch),
    }
}

/// Explores with any number of delays.
fn by_creation(machine: &Machine, watch: &impl Watch<State>) -> Report {
    let name = SchedulerName::Rr(dally_explore::Arrangement::Creation);
    run(machine, &Delays::named(&name), &Options::default(), watch)
}

fn run(machine: &Machine, policy: &impl Policy, options: &Options, watch: &impl Watch<State>) -> Report {
    Search::new(machine, policy, options, watch).run()
}
