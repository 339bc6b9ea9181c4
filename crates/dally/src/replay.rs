//! `dally replay`: run a trace again and confirm its bug.

use dally_explore::{Bug, Failure, FailureKind, Name};
use dally_trace::{Kind, Trace};

use crate::cli::{ProgramArgs, Replay};
use crate::output::{self, Exit};
use crate::subject::{Rejected, Subject};
use crate::traces;

pub(crate) fn run(arguments: &Replay) -> Exit {
    match confirm(arguments) {
        Ok((trace, true)) => {
            let text = format!(
                "the bug is confirmed: {}\n\n{}",
                dally_bpl::render::printable(&trace.failure.message),
                dally_bpl::render::printable(&dally_trace::text(&trace))
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
    if trace.solved {
        let why = "it is of dally verify, which has run it, with values and choices of the solver";
        return Err(format!("the trace cannot be run by its schedule alone: {why}"));
    }
    let program = ProgramArgs {
        files: trace.program.files.clone(),
        entry: trace.program.entry.clone(),
        preempt: trace.program.preempt,
        test: trace.program.test.clone(),
    };
    let policies = ["preemptions", "contexts", "depth"];
    let policy = &trace.schedule.policy;
    if policy.parse::<Name>().is_err() && !policies.contains(&policy.as_str()) {
        return Err(format!("the trace does not replay: there is no scheduler `{policy}`"));
    }
    let loaded = Subject::load(&program);
    let sources = loaded.as_ref().map_or_else(|rejected| &rejected.sources, |loaded| &loaded.0);
    // A program that is no longer one has changed, too.
    let readable = !sources.files().is_empty();
    if readable && traces::hash(sources) != trace.program.hash {
        return Err("the program has changed since the trace was made: run `dally check` again".to_owned());
    }
    let first =
        |rejected: Rejected| rejected.diagnostics.first().map_or(String::new(), |d| d.message.clone());
    let (sources, subject) = loaded.map_err(first)?;
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
