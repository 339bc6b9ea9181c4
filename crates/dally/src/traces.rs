//! Making, writing and reading traces.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use dally_explore::{
    Bug, Event, Failure, Fingerprint, Moment, Program, ReplayError, Schedule, Step, TaskId, Turn, cut,
    delayed_tasks, replay, replay_cycle,
};
use dally_interp::{Change, Line, Machine, State};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use dally_trace::{
    End, Failed, Given, Location, Source, Statement, Steps, TaskName, Trace, TraceStep, VERSION,
};

use crate::cli::ProgramArgs;
use crate::output;

/// A hash of the texts of a program.
pub(crate) fn hash(sources: &SourceMap) -> String {
    let texts: Vec<&str> = sources.files().iter().map(|f| &*f.text).collect();
    format!("{:032x}", Fingerprint::of(&texts).0)
}

/// A program, twice: as it was searched, and with a number of its own for each task.
pub(crate) struct Machines {
    pub(crate) searched: Machine,
    numbered: Machine,
    /// What the user should know about the program.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Machines {
    pub(crate) fn new(sources: &SourceMap, program: &ProgramArgs) -> Result<Self, Vec<Diagnostic>> {
        let loaded = dally_bpl::load(sources)?;
        let machines = Machines::of(&loaded, sources, &program.options())?;
        Ok(Machines { warnings: loaded.warnings, ..machines })
    }

    /// Those of a program that is loaded.
    pub(crate) fn of(
        loaded: &dally_bpl::Program,
        sources: &SourceMap,
        options: &dally_interp::Options,
    ) -> Result<Self, Vec<Diagnostic>> {
        let numbered = dally_interp::Options { number_tasks: true, ..options.clone() };
        Ok(Machines {
            searched: Machine::new(loaded, sources, options)?,
            numbered: Machine::new(loaded, sources, &numbered)?,
            warnings: Vec::new(),
        })
    }
}

/// What an execution rests on if it is evaluated so.
const MENTIONS: &str = "quantifiers were evaluated for the values that the execution mentions";

/// Replays a bug and tells what happened.
pub(crate) fn explain(
    machines: &Machines,
    sources: &SourceMap,
    program: &ProgramArgs,
    bug: &Bug,
    unfair: bool,
) -> Result<Trace, ReplayError> {
    let Numbered { schedule, delayed } = number(&machines.searched, &bug.schedule)?;
    let machine = &machines.numbered;
    let mut steps = Steps::new(schedule.steps.len());
    let mut failed_at = None;
    let replayed = replay(machine, &schedule, |moment| {
        if let Some((nth, at)) = moment.step {
            steps.push(|| (step(machine, sources, moment, at, &delayed[nth], &mut failed_at), Vec::new()));
        }
    })?;
    let (steps, left_out, _) = steps.finish();
    let failure = failure(&machines.searched, bug, replayed.failure, unfair)?;
    let globals = machine.globals(&replayed.state);
    Ok(Trace {
        version: VERSION,
        program: Source {
            files: program.files.clone(),
            hash: hash(sources),
            entry: program.entry.clone(),
            preempt: program.preempt,
            test: None,
        },
        failure: Failed {
            kind: failure.kind.into(),
            message: failure.message,
            location: failed_at.and_then(|span| location(sources, span)),
        },
        cost: bug.cost,
        schedule: bug.schedule.clone(),
        unfair,
        steps,
        left_out,
        globals: globals
            .into_iter()
            .map(|(variable, value)| dally_trace::Change { variable, shared: true, value })
            .collect(),
        given: machine.given().into_iter().map(|(term, value)| Given { term, value }).collect(),
        solved: false,
        inputs: None,
        messages: Vec::new(),
        notes: if machine.mentions() { vec![MENTIONS.to_owned()] } else { Vec::new() },
    })
}

/// What failed, given what failed in the last step: if there is a loop, that is looked at.
pub(crate) fn failure(
    program: &impl Program,
    bug: &Bug,
    failed: Option<Failure>,
    unfair: bool,
) -> Result<Failure, ReplayError> {
    match bug.schedule.cycle {
        None => Ok(failed.unwrap_or_else(|| bug.failure.clone())),
        Some(_) => replay_cycle(program, &bug.schedule, !unfair, |_| {}),
    }
}

/// A schedule in which each task has a number of its own.
struct Numbered {
    schedule: Schedule,
    /// For each step, the tasks that were delayed before it.
    delayed: Vec<Vec<TaskId>>,
}

fn number(machine: &Machine, schedule: &Schedule) -> Result<Numbered, ReplayError> {
    let mut delayed = delayed_tasks(machine, schedule)?;
    let mut numbered = schedule.clone();
    let mut numbers: HashMap<TaskId, TaskId> = HashMap::new();
    let mut next = 0..;
    replay(machine, schedule, |moment| {
        if let Some((nth, step)) = moment.step {
            let number = |task: &TaskId| numbers.get(task).copied().unwrap_or(*task);
            numbered.steps[nth].task = number(&step.task);
            delayed[nth].iter_mut().for_each(|task| *task = number(task));
        }
        for event in moment.events {
            if let Event::Posted(task, _) = event {
                numbers.extend(next.next().map(|number| (*task, TaskId(number))));
            }
        }
    })?;
    Ok(Numbered { schedule: numbered, delayed })
}

fn step(
    machine: &Machine,
    sources: &SourceMap,
    moment: &Moment<'_, State>,
    step: Step,
    delayed: &[TaskId],
    failed_at: &mut Option<Span>,
) -> TraceStep {
    let named = |task: &TaskId| TaskName { task: task.0, name: machine.task_name(moment.before, *task) };
    let (lines, failed) = machine.explain(moment.before, step.task, step.choice);
    *failed_at = failed;
    TraceStep {
        task: step.task.0,
        name: machine.task_name(moment.before, step.task),
        delayed: delayed.iter().map(named).collect(),
        statements: Statement::all(lines.map(|line| statement(sources, line))),
        end: end(moment),
    }
}

/// How a task left a step.
pub(crate) fn end<S>(moment: &Moment<'_, S>) -> End {
    match (moment.failure, moment.turn) {
        (Some(_), _) => End::Fails,
        (None, Turn::Yields) => End::Yields,
        (None, Turn::Blocks(task)) => End::Blocks { task: task.map(|t| t.0) },
        (None, Turn::Completes) => End::Completes,
    }
}

pub(crate) fn location(sources: &SourceMap, span: Span) -> Option<Location> {
    let place = sources.place(span)?;
    Some(Location { file: place.file.to_owned(), line: place.line, column: place.column })
}

fn statement(sources: &SourceMap, line: Line) -> Statement {
    Statement {
        location: location(sources, line.span),
        text: one_line(sources.text(line.span).unwrap_or("")),
        procedure: line.procedure,
        depth: line.depth,
        changes: line
            .changes
            .into_iter()
            .map(|Change { variable, shared, value }| dally_trace::Change { variable, shared, value })
            .collect(),
        posts: line.posts.into_iter().map(|(task, name)| TaskName { task: task.0, name }).collect(),
        left_out: None,
    }
}

/// The beginning of a statement, without its block and without remarks.
pub(crate) fn one_line(text: &str) -> String {
    const MOST: usize = 70;
    let line = text.lines().next().unwrap_or("");
    let line = line.split("//").next().unwrap_or("").trim_end();
    let block = line.starts_with("if") || line.starts_with("while");
    // The block of a statement of one line begins behind the guard.
    let end = line.find(") {").map(|i| i + 1).or_else(|| line.strip_suffix('{').map(str::len));
    let line = line[..end.filter(|_| block).unwrap_or(line.len())].trim();
    cut(line, MOST)
}

/// Refuses to write a trace where the program is, or where no file is.
pub(crate) fn cannot_go_to(program: &ProgramArgs, trace: Option<&str>) -> Option<String> {
    match trace {
        Some("-") => {
            return Some(
                "--trace: `-` is no file; --json writes the trace to the standard output".to_owned(),
            );
        }
        Some("") => return Some("--trace: it names no file".to_owned()),
        _ => {}
    }
    let same = |file: &str, other: &str| {
        let paths = (std::fs::canonicalize(file), std::fs::canonicalize(other));
        matches!(paths, (Ok(path), Ok(other)) if path == other)
    };
    let trace = trace?;
    if program.files.iter().any(|file| same(file, trace)) {
        return Some(format!("--trace: `{trace}` is the program"));
    }
    // Before a long search rather than after it.
    no_file_at(trace).map(|error| cannot_write(trace, &error))
}

/// Why no file can be made there, as far as that can be seen without making one.
fn no_file_at(file: &str) -> Option<std::io::Error> {
    let path = Path::new(file);
    if path.is_dir() {
        return Some(ErrorKind::IsADirectory.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(ErrorKind::NotADirectory.into()),
        Err(error) => Some(error),
    }
}

fn cannot_write(file: &str, error: &std::io::Error) -> String {
    format!("cannot write `{file}`: {error}")
}

/// Writes a trace to a file, or says why not: the bug was found and shown all the same.
pub(crate) fn write_or_complain(trace: &Trace, file: &str) {
    let json = serde_json::to_string_pretty(trace).map_err(|e| format!("cannot write JSON: {e}"));
    let written = json.and_then(|json| std::fs::write(file, json + "\n").map_err(|e| cannot_write(file, &e)));
    if let Err(message) = written {
        output::complain(&message);
    }
}

/// Reads a trace from a file.
pub(crate) fn read(file: &str) -> Result<Trace, String> {
    let json = std::fs::read(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
    let trace: Trace =
        serde_json::from_slice(&json).map_err(|e| format!("`{file}` is no trace of dally: {e}"))?;
    if trace.version != VERSION {
        return Err(format!(
            "`{file}` has version {} of the format of traces; this dally reads version {VERSION}",
            trace.version
        ));
    }
    Ok(trace)
}
