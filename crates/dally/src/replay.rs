//! `dally replay`: run a trace again and confirm its bug.
//!
//! A trace whose program has not changed must end in its failure. If the program has changed, the schedule is followed
//! as far as it goes, and the result says what has become of the bug.

use dally_explore::{Bug, Failure, NoCycle, ReplayError, Schedule, SchedulerName, StrategyName};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::printable;
use dally_text::source::SourceMap;
use dally_trace::{Failed, Kind, Source, Statement, StatementKind, Trace};

use crate::cli::{ProgramArgs, Replay};
use crate::input::Rejected;
use crate::language::{Explorable, Language};
use crate::output::{self, Exit};
use crate::own::OwnSchedulers;
use crate::{regression, traces};

pub(crate) fn run(arguments: &Replay, own: &OwnSchedulers) -> Exit {
    match &arguments.traces[..] {
        [file] if !arguments.json && !std::path::Path::new(file).is_dir() => run_one(file, arguments, own),
        traces => regression::run(traces, arguments.json, own),
    }
}

fn run_one(file: &str, arguments: &Replay, own: &OwnSchedulers) -> Exit {
    let format = arguments.format;
    let Followed { replayed, sources } = replay(file, own);
    let (headline, trace) = match replayed {
        ReplayOutcome::Fails { trace, remark } if trace.failure.kind == Kind::Path => {
            (format!("the path is confirmed: no step of it fails{remark}"), trace)
        }
        ReplayOutcome::Fails { trace, remark } => {
            (format!("the bug is confirmed: {}{remark}", trace.failure.message), trace)
        }
        ReplayOutcome::Differs { trace } => {
            (format!("the program has changed, and fails in another way: {}", trace.failure.message), trace)
        }
        ReplayOutcome::Passes => {
            let text =
                "passes: the program has changed, and the schedule of the trace does not fail any more\n";
            return output::stdout(text.as_bytes());
        }
        ReplayOutcome::Lost(message) => return output::complain(&message),
    };
    if let Some(file) = &arguments.html {
        traces::write(file, &dally_trace::html(&trace, &sources, &output::look()));
    }
    let exit = if trace.failure.kind == Kind::Path { Exit::Success } else { Exit::Bug };
    let text = (format.write)(&trace, &sources, &output::look());
    let written = if format.for_people {
        output::coloured(&format!("{}\n\n{text}", printable(&headline)))
    } else {
        output::stdout(text.as_bytes())
    };
    output::exit_after(written, exit)
}

/// The result of replaying a trace.
pub(crate) enum ReplayOutcome {
    /// The program still fails in this way. The remark is empty if the program has not changed.
    Fails { trace: Box<Trace>, remark: String },
    /// The program has changed, and fails in another way.
    Differs { trace: Box<Trace> },
    /// The program has changed, and the schedule runs to its end without a failure.
    Passes,
    /// The trace cannot be followed, for this reason.
    Lost(String),
}

/// The result of a replay, and the files of the program.
pub(crate) struct Followed {
    pub(crate) replayed: ReplayOutcome,
    sources: SourceMap,
}

/// Replays the trace in a file.
pub(crate) fn replay(file: &str, own: &OwnSchedulers) -> Followed {
    let mut sources = SourceMap::default();
    let replayed = traces::read(file).and_then(|mut trace| {
        let strategy = std::mem::replace(&mut trace.schedule.strategy, StrategyName::Exhaustive);
        trace.schedule.strategy = own.resolve(strategy);
        follow(file, &trace, &mut sources)
    });
    Followed { replayed: replayed.unwrap_or_else(ReplayOutcome::Lost), sources }
}

/// Follows a trace, and reads the files of its program into `sources`.
fn follow(file: &str, trace: &Trace, sources: &mut SourceMap) -> Result<ReplayOutcome, String> {
    if trace.solved && trace.inputs.is_none() {
        return Err(
            "the trace does not replay: it was written by dally verify, and has no `inputs` with the values \
                    and choices of the solver"
                .to_owned(),
        );
    }
    if let StrategyName::Custom(name) = &trace.schedule.strategy {
        return Err(format!("the trace does not replay: there is no scheduler `{name}`"));
    }
    let Loaded { sources: read, program } = load(&traces::arguments(file, trace)?, trace.inputs.as_ref());
    *sources = read;
    let has_changed = !sources.files().is_empty() && Source::hash(sources) != trace.program.hash;
    if !has_changed {
        return confirm(trace, &*program?, sources);
    }
    // The inputs of a solver are for positions in the text.
    if trace.solved || reads_standard_input(trace) {
        return Err(changed(trace));
    }
    let program = program.map_err(|error| format!("{}: it has errors now: {error}", changed(trace)))?;
    follow_changed(trace, &*program, sources)
}

/// Replays a trace of a program that has not changed: it must end in the failure of the trace.
fn confirm(trace: &Trace, program: &dyn Explorable, sources: &SourceMap) -> Result<ReplayOutcome, String> {
    let again = retrace(trace, trace.schedule.clone(), program, sources);
    let again = again.map_err(|e| format!("the trace does not replay: {e}"))?;
    if trace.cost != trace.schedule.cost() {
        return Err("the trace does not replay: its cost is not the sum of the costs of its steps".to_owned());
    }
    // The files may be found in another folder, but their texts are the same.
    let place = |failure: &Failed| failure.location.as_ref().map(|at| (at.line, at.column));
    let same_place = place(&again.failure) == place(&trace.failure);
    if !same_place || !is_same_failure(&again.failure, &trace.failure) {
        return Err("the schedule replays, but does not end in the failure of the trace".to_owned());
    }
    Ok(ReplayOutcome::Fails { trace: Box::new(again), remark: String::new() })
}

/// Replays a trace of a program that has changed.
fn follow_changed(
    trace: &Trace,
    program: &dyn Explorable,
    sources: &SourceMap,
) -> Result<ReplayOutcome, String> {
    let again = match retrace(trace, trace.schedule.clone(), program, sources) {
        // The execution may exist, although the scheduler would order the tasks in another way now.
        Err(ReplayError::NotProposed(..)) => retrace(trace, in_any_order(&trace.schedule), program, sources),
        other => other,
    };
    match again {
        Ok(again) => Ok(compare(trace, again)),
        Err(ReplayError::NoCycle(NoCycle::NothingHot | NoCycle::Starves(_) | NoCycle::NeverTaken)) => {
            Ok(ReplayOutcome::Passes)
        }
        Err(ReplayError::FailsEarly(step, _)) => {
            let mut schedule = in_any_order(&trace.schedule);
            schedule.steps.truncate(step);
            schedule.cycle = None;
            let again = retrace(trace, schedule, program, sources);
            again.map(|again| compare(trace, again)).map_err(|e| format!("{}: {e}", changed(trace)))
        }
        Err(error) => {
            Err(format!("{}, and the schedule cannot be followed any more: {error}", changed(trace)))
        }
    }
}

/// Compares the executions of a program before and after a change.
fn compare(old: &Trace, new: Trace) -> ReplayOutcome {
    if is_same_failure(&new.failure, &old.failure) {
        let remark = match difference(old, &new) {
            None => " (the program has changed, but not the lines that are executed)".to_owned(),
            Some(difference) => format!(" (the program has changed: {difference})"),
        };
        ReplayOutcome::Fails { trace: Box::new(new), remark }
    } else if new.failure.message.is_empty() {
        ReplayOutcome::Passes
    } else {
        ReplayOutcome::Differs { trace: Box::new(new) }
    }
}

/// Replays a schedule and records its trace. Without a failure, the message of the failure is empty.
fn retrace(
    trace: &Trace,
    schedule: Schedule,
    program: &dyn Explorable,
    sources: &SourceMap,
) -> Result<Trace, ReplayError> {
    let nothing = match trace.failure.kind {
        Kind::Path => Failure::path(),
        kind => Failure { kind: kind.into(), message: String::new() },
    };
    let cost = schedule.cost();
    let mut again = program.trace(&Bug { failure: nothing, schedule, cost }, sources, trace.unfair)?;
    again.program.relative.clone_from(&trace.program.relative);
    Ok(again)
}

/// The steps of a schedule under a scheduler that admits every order.
fn in_any_order(schedule: &Schedule) -> Schedule {
    let mut schedule = schedule.clone();
    schedule.strategy = SchedulerName::Bag.into();
    schedule.steps.iter_mut().for_each(|step| step.cost = 0);
    schedule
}

/// True if two failures differ at most in places in the source.
fn is_same_failure(one: &Failed, other: &Failed) -> bool {
    one.kind == other.kind && without_places(&one.message) == without_places(&other.message)
}

/// The message without places such as ` (file.bpl:3:5)`.
fn without_places(message: &str) -> String {
    let is_place = |text: &str| {
        let mut parts = text.rsplitn(3, ':');
        let mut number = || parts.next().is_some_and(|part| part.parse::<usize>().is_ok());
        number() && number() && parts.next().is_some()
    };
    let mut rest = message;
    let mut kept = String::new();
    while let Some(start) = rest.find(" (") {
        let (before, after) = rest.split_at(start);
        kept.push_str(before);
        match after.find(')') {
            Some(end) if is_place(&after[2..end]) => rest = &after[end + 1..],
            _ => {
                kept.push_str(" (");
                rest = &after[2..];
            }
        }
    }
    kept + rest
}

/// The first executed statement that differs, in words.
fn difference(old: &Trace, new: &Trace) -> Option<String> {
    let is_statement = |entry: &&Statement| entry.kind == StatementKind::Statement;
    for (number, (old, new)) in (1..).zip(old.steps.iter().zip(&new.steps)) {
        let mut old = old.statements.iter().filter(is_statement).map(|entry| &entry.text);
        let mut new = new.statements.iter().filter(is_statement).map(|entry| &entry.text);
        loop {
            match (old.next(), new.next()) {
                (None, None) => break,
                (old, new) if old == new => {}
                (_, Some(new)) => return Some(format!("step {number} executes `{new}` now")),
                (Some(old), None) => return Some(format!("step {number} does not execute `{old}` any more")),
            }
        }
    }
    None
}

fn reads_standard_input(trace: &Trace) -> bool {
    trace.program.files.iter().any(|file| file == "-")
}

/// The message for a program whose text is not that of the trace.
fn changed(trace: &Trace) -> String {
    if reads_standard_input(trace) {
        return "the trace is of a program on standard input: give the same text there again".to_owned();
    }
    let command = if trace.solved { "verify" } else { "check" };
    format!("the program has changed since the trace was written (run `dally {command}` again)")
}

/// The files of a trace, and the program in them, or why there is none.
struct Loaded {
    sources: SourceMap,
    program: Result<Box<dyn Explorable>, String>,
}

/// Loads and compiles a program, with the values and choices of a solver if there are any.
fn load(arguments: &ProgramArgs, inputs: Option<&serde_json::Value>) -> Loaded {
    match Language::of(&arguments.files).load(arguments) {
        Err(Rejected { sources, diagnostics }) => {
            let program = Err(first(&sources, &diagnostics));
            Loaded { sources, program }
        }
        Ok(mut loaded) => {
            let fixed = inputs.map_or(Ok(()), |inputs| loaded.fix_inputs(inputs));
            let sources = loaded.sources().clone();
            let program = fixed.and_then(|()| loaded.compile(arguments).map_err(|all| first(&sources, &all)));
            Loaded { sources, program }
        }
    }
}

/// The message of the first diagnostic, with its location.
fn first(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let Some(first) = diagnostics.first() else { return String::new() };
    let location = sources.location(first.primary.span).map(|at| format!(" ({at})"));
    first.message.clone() + &location.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::without_places;

    #[test]
    fn places_are_left_out_of_messages() {
        for (message, expected) in [
            ("it fails (a.bpl:3:5)", "it fails"),
            ("A waits (a b.p:1:2); B waits (c:\\d.p:3:4)", "A waits; B waits"),
            ("f (x) fails (a.p:1:2) (again)", "f (x) fails (again)"),
            ("(a:1:2) ( (", "(a:1:2) ( ("),
            ("balance (1:2)", "balance (1:2)"),
        ] {
            assert_eq!(without_places(message), expected);
        }
    }
}
