//! `dally replay`: run a trace again and confirm its bug.

use dally_explore::{Bug, Failure, FailureKind, StrategyName};
use dally_interp::Inputs;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use dally_trace::{Kind, Trace};
use serde::Deserialize;

use crate::cli::{ProgramArgs, Replay};
use crate::input;
use crate::output::{self, Exit};
use crate::p;
use crate::subject::{Rejected, Subject};
use crate::traces::{self, Machines};

pub(crate) fn run(arguments: &Replay) -> Exit {
    match confirm(arguments) {
        Ok((trace, true)) => {
            let text = format!(
                "the bug is confirmed: {}\n\n{}",
                dally_text::render::printable(&trace.failure.message),
                dally_text::render::printable(&dally_trace::text(&trace))
            );
            output::exit_after(output::stdout(text.as_bytes()), Exit::Bug)
        }
        Ok((_, false)) => {
            output::complain("the schedule runs, but what it comes to is not what the trace says")
        }
        Err(message) => output::complain(&message),
    }
}

/// The trace as it happened now, and whether the same thing failed.
fn confirm(arguments: &Replay) -> Result<(Trace, bool), String> {
    let trace = traces::read(&arguments.trace)?;
    let inputs = inputs(&trace)?;
    let program = ProgramArgs {
        files: trace.program.files.clone(),
        entry: trace.program.entry.clone(),
        preempt: trace.program.preempt,
        test: trace.program.test.clone(),
    };
    if let StrategyName::Custom(name) = &trace.schedule.strategy {
        return Err(format!("the trace does not replay: there is no scheduler `{name}`"));
    }
    let (sources, subject) = load(&program, inputs);
    // A program that is no longer one has changed, too.
    let readable = !sources.files().is_empty();
    if readable && traces::hash(&sources) != trace.program.hash {
        return Err(changed(&trace));
    }
    let subject = subject?;
    let kind = match trace.failure.kind {
        Kind::Assertion => FailureKind::Assertion,
        Kind::Deadlock => FailureKind::Deadlock,
        Kind::Liveness => FailureKind::Liveness,
        Kind::Runtime => FailureKind::Runtime,
    };
    // What is to be shown if nothing fails; that it fails is what is to be confirmed.
    let nothing = Failure { kind, message: String::new() };
    let bug = Bug { failure: nothing, schedule: trace.schedule.clone(), cost: trace.cost };
    let again = subject
        .explain(&sources, &program, &bug, trace.unfair)
        .map_err(|e| format!("the trace does not replay: {e}"))?;
    if trace.cost != trace.schedule.cost() {
        return Err("the trace does not replay: its cost is not the sum of what its steps cost".to_owned());
    }
    let confirmed = again.failure == trace.failure;
    Ok((again, confirmed))
}

/// What to do if the program is not that of the trace.
fn changed(trace: &Trace) -> String {
    if trace.program.files.iter().any(|file| file == "-") {
        return "the trace is of a program on standard input, which has to be given there again, as it was"
            .to_owned();
    }
    let command = if trace.solved { "verify" } else { "check" };
    format!("the program has changed since the trace was made: run `dally {command}` again")
}

/// The values and choices of a solver, if the trace needs them.
fn inputs(trace: &Trace) -> Result<Option<Inputs>, String> {
    let inputs = match &trace.inputs {
        Some(inputs) => inputs,
        None if trace.solved => {
            let why = "it is of dally verify, and has no `inputs`: the values and choices of the solver";
            return Err(format!("the trace cannot be run by its schedule alone: {why}"));
        }
        None => return Ok(None),
    };
    if p::is_p(&trace.program.files) {
        return Err("the trace does not replay: a program in P has no `inputs`".to_owned());
    }
    let inputs = Inputs::deserialize(inputs);
    inputs.map(Some).map_err(|e| {
        // It may have all that could not be read in it.
        let why: String = e.to_string().chars().take(300).collect();
        format!("the `inputs` of the trace cannot be read: {why}")
    })
}

/// The files of a program, and the program with the values and choices of a solver, if there are any.
fn load(program: &ProgramArgs, inputs: Option<Inputs>) -> (SourceMap, Result<Subject, String>) {
    let first =
        |diagnostics: Vec<Diagnostic>| diagnostics.first().map_or(String::new(), |d| d.message.clone());
    let rejected = |rejected: Rejected| (rejected.sources, Err(first(rejected.diagnostics)));
    let Some(mut inputs) = inputs else {
        return Subject::load(program).map_or_else(rejected, |(sources, subject)| (sources, Ok(subject)));
    };
    let sources = match input::read(&program.files) {
        Ok(sources) => sources,
        Err(error) => return rejected(error.into()),
    };
    let subject = dally_bpl::load(&sources).map_err(first).and_then(|loaded| {
        if let Some(message) = inputs.fit(&loaded).first() {
            return Err(format!("the `inputs` of the trace are not those of the program: {message}"));
        }
        let options = dally_interp::Options { inputs: Some(inputs), ..program.options() };
        Machines::of(&loaded, &sources, &options).map_err(first)
    });
    (sources, subject.map(|machines| Subject::Boogie(Box::new(machines))))
}
