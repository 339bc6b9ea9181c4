//! Running what the solver has found: the original program is explored with the values of the model for whatever it
//! leaves open, under the scheduler and within the bound for which the solver has found a failing execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dally_bpl::Program;
use dally_bpl::check::VarId;
use dally_explore::policy::Policy;
use dally_explore::{Delays, Exhaustive, Limits, Options, Report, SchedulerName, Search, Verdict};
use dally_interp::{Input, Inputs, Machine};
use dally_sequentialize::Target;
use dally_text::source::SourceMap;
use dally_text::symbol::Sym;
use dally_trace::{Kind, Location, Trace};
use dally_verify::{Path, StepKind, Value};

use super::script;
use crate::check::monitor::{self, Monitor};
use crate::cli::ProgramArgs;

/// How long an execution is looked for.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came of it.
pub(crate) enum Replayed {
    /// The execution.
    Trace(Box<Trace>),
    /// It cannot be run, for this reason.
    Not(String),
    /// There is no such execution. Whether quantifiers were evaluated for the values only that it mentions.
    Nowhere(bool),
}

impl Replayed {
    /// The same, unless what fails is something else than the solver says.
    pub(crate) fn at(self, expected: Option<&Location>) -> Self {
        match self {
            Replayed::Trace(trace)
                if trace.failure.location.as_ref() != expected || trace.failure.kind == Kind::Runtime =>
            {
                let what = match trace.failure.kind {
                    Kind::Runtime => "it comes to an error first that dally verify takes for some value",
                    _ => "something else fails first",
                };
                Replayed::Not(format!("{what}: {}", trace.failure.message))
            }
            other => other,
        }
    }

    /// The same, given whether the solver has checked all quantifiers, and which of its values cannot be read: an execution
    /// that is not found may need others than were tried.
    pub(crate) fn judged(self, certain: bool, unreadable: Option<&str>) -> Self {
        match self {
            // Then nobody has.
            Replayed::Trace(trace) if !certain && !trace.notes.is_empty() => {
                Replayed::Not(trace.notes.join(", "))
            }
            Replayed::Nowhere(partly) => match (unreadable, partly) {
                (Some(what), _) => Replayed::Not(format!("it depends on values of the solver {what}")),
                (None, false) => self,
                (None, true) => Replayed::Not(
                    "it was not found where quantifiers are evaluated for the values that the execution mentions"
                        .to_owned(),
                ),
            },
            other => other,
        }
    }
}

/// Runs a path of a program, given what the solver saw of it. First as it was found, choice by choice: only the order of tasks
/// is searched for. A translation may have changed a place in the text; so if there is no such execution, one is searched for
/// with the values that the solver has for each variable, and in the end with those that it has for others.
pub(crate) fn replay(
    original: (&Program, &SourceMap, &ProgramArgs),
    inputs: Inputs,
    target: Option<Target>,
    ends: (&Arc<AtomicBool>, &Arc<AtomicBool>),
) -> Replayed {
    // Time and Ctrl-C hold here as well.
    monitor::interrupt_after(PATIENCE, Arc::clone(ends.1));
    let free = Inputs { scripts: Vec::new(), entries: Vec::new(), ..inputs.clone() };
    match attempt(original, inputs, target, ends) {
        Replayed::Trace(trace) => return Replayed::Trace(trace),
        Replayed::Nowhere(_) | Replayed::Not(_) => {}
    }
    match attempt(original, free.clone(), target, ends) {
        Replayed::Nowhere(_) => attempt(original, Inputs { wide: true, ..free }, target, ends),
        other => other,
    }
}

fn attempt(
    (program, sources, arguments): (&Program, &SourceMap, &ProgramArgs),
    inputs: Inputs,
    target: Option<Target>,
    (cancelled, interrupt): (&Arc<AtomicBool>, &Arc<AtomicBool>),
) -> Replayed {
    // A sequential program is one step, with all that it can choose, unless it is taken apart.
    let preempt = arguments.preempt || target.is_none() && inputs.scripts.is_empty();
    let arguments = &ProgramArgs { preempt, ..arguments.clone() };
    let written = serde_json::to_value(&inputs).ok();
    let options = dally_interp::Options { inputs: Some(inputs), ..arguments.options() };
    let mut machine = match Machine::new(program, sources, &options) {
        Ok(machine) => machine,
        Err(diagnostics) => {
            let reason = diagnostics.first().map_or("it cannot be compiled", |d| d.message.as_str());
            return Replayed::Not(reason.to_owned());
        }
    };
    machine.limit_steps(Limits { interrupt: Arc::clone(interrupt), memory: usize::MAX });
    let report = search(&machine, target, &Monitor::new(Some(PATIENCE), Arc::clone(cancelled), false));
    match report.verdict {
        Verdict::Bug(bug) => {
            match dally_trace::trace(&machine, &bug, sources, arguments.source(sources), false) {
                Ok(trace) => Replayed::Trace(Box::new(Trace { solved: true, inputs: written, ..trace })),
                Err(error) => Replayed::Not(error.to_string()),
            }
        }
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::NoBug => {
            Replayed::Nowhere(machine.mentions() || machine.tries_axioms())
        }
        Verdict::Inconclusive(limit) => {
            let limit = limit.to_string();
            Replayed::Not(match () {
                () if cancelled.load(Ordering::Relaxed) => "interrupted".to_owned(),
                // Whoever interrupts a run that nobody has cancelled is the clock.
                () if interrupt.load(Ordering::Relaxed) => "it takes too long to look for it".to_owned(),
                () => limit,
            })
        }
        Verdict::Unsupported(message) => Replayed::Not(message),
    }
}

fn search(machine: &Machine, target: Option<Target>, monitor: &Monitor) -> Report {
    let bounded = |name: SchedulerName, delays: u32| {
        let options = Options { bound: Some(delays), exact: true, ..Options::default() };
        run(machine, &Delays::named(&name), &options, monitor)
    };
    let free = |policy: SchedulerName| run(machine, &Delays::named(&policy), &Options::default(), monitor);
    let by_delays = match target {
        Some(Target::Dfs(bounds)) => Some((SchedulerName::Dfs, bounds)),
        Some(Target::Df(bounds)) => Some((SchedulerName::Df, bounds)),
        Some(Target::Dfw(bounds)) => Some((SchedulerName::Dfw, bounds)),
        _ => None,
    };
    match (target, by_delays) {
        // The order of tasks does not matter where there is one.
        (None, _) => run(machine, &Exhaustive, &Options::default(), monitor),
        (_, Some((name, bounds))) if bounds.delays.is_some() => bounded(name, bounds.delays.unwrap_or(0)),
        _ => free(SchedulerName::Rr(dally_explore::Arrangement::Creation)),
    }
}

fn run<O: Policy>(machine: &Machine, policy: &O, options: &Options, monitor: &Monitor) -> Report {
    Search::new(machine, policy, options, monitor).run()
}

/// What the model says of all that a program leaves open. The path is one of the program that the solver saw, whose
/// variables are those of the original, and copies of them.
pub(crate) fn inputs(
    original: &Program,
    translated: &Program,
    path: &Path,
    sequential: Option<Sym>,
) -> Inputs {
    let (scripts, entries) = script::scripts(original, translated, path, sequential);
    let mut inputs = Inputs { scripts, entries, ..Inputs::default() };
    let name = |var: VarId| translated.ast.text(translated.info[var].name).to_owned();
    let mut add = |var: VarId, value: &Value| {
        let Some(input) = input(value) else { return };
        let name = name(var);
        // The copies are named after the original.
        for name in [name.as_str(), name.split('$').next().unwrap_or_default()] {
            let known = inputs.variables.entry(name.to_owned()).or_default();
            if !known.contains(&input) {
                known.push(input.clone());
            }
        }
    };
    path.globals.iter().for_each(|(var, value)| add(*var, value));
    for step in &path.steps {
        if let StepKind::Enter { variables, .. } | StepKind::Havoc(variables) = &step.kind {
            variables.iter().for_each(|(var, value)| add(*var, value));
        }
    }
    let constants = path.constants.iter().filter_map(|(var, value)| Some((name(*var), input(value)?)));
    inputs.constants = constants.collect();
    for application in &path.functions {
        let function = translated.ast.text(translated.info[application.function].name).to_owned();
        let args: Option<Vec<Input>> = application.args.iter().map(input).collect();
        if let (Some(args), Some(value)) = (args, input(&application.value)) {
            inputs.functions.entry(function).or_default().push((args, value));
        }
    }
    for (var, value) in &path.witnesses {
        inputs.witnesses.entry(name(*var)).or_default().extend(input(value));
    }
    for division in &path.divisions {
        if let (Some(dividend), Some(value)) = (input(&division.dividend), input(&division.value)) {
            inputs.divisions.push((division.remainder, dividend, value));
        }
    }
    // What is about copies of variables, and about what a translation has added, does not matter.
    inputs.fit(original);
    inputs
}

/// What is in the way of running a path, if some of its values cannot be read: what they are.
pub(crate) fn unreadable(path: &Path) -> Option<&'static str> {
    let variables = path.steps.iter().flat_map(|step| match &step.kind {
        StepKind::Enter { variables, .. } | StepKind::Havoc(variables) => &variables[..],
        _ => &[],
    });
    let named = path.globals.iter().chain(&path.constants).chain(&path.witnesses).chain(variables);
    let named = named.map(|(_, value)| value);
    let points = path.functions.iter().flat_map(|f| f.args.iter().chain([&f.value]));
    let divisions = path.divisions.iter().flat_map(|d| [&d.dividend, &d.value]);
    let mut all: Vec<&Value> = named.chain(points).chain(divisions).collect();
    while let Some(value) = all.pop() {
        match value {
            Value::Other(text) if text.contains("root-obj") => return Some("that are no fractions"),
            Value::Other(_) => return Some("that it gives as formulas"),
            Value::Real(..) if input(value).is_none() => return Some("that have too many digits"),
            Value::Data(_, fields) => all.extend(fields),
            Value::Map(entries, default) => {
                all.extend(entries.iter().flat_map(|(index, value)| [index, value]).chain([&**default]));
            }
            _ => {}
        }
    }
    None
}

pub(crate) fn input(value: &Value) -> Option<Input> {
    dally_text::stack::grow(|| {
        Some(match value {
            Value::Bool(b) => Input::Bool(*b),
            Value::Int(digits) => Input::Int(digits.clone()),
            Value::Real(numerator, denominator) => Input::real(numerator, denominator)?,
            Value::Bv(digits, width) => Input::Bv(digits.parse().ok()?, *width),
            Value::Map(entries, default) => {
                // The last entry for an index counts: so does the last one that is stored.
                let entries = entries.iter().map(|(index, value)| Some((input(index)?, input(value)?)));
                Input::Map(entries.collect::<Option<_>>()?, Box::new(input(default)?))
            }
            Value::Data(name, fields) => {
                Input::Data(name.clone(), fields.iter().map(input).collect::<Option<_>>()?)
            }
            Value::Abstract(name) => Input::Abstract(name.clone()),
            Value::Any | Value::Other(_) => return None,
        })
    })
}
