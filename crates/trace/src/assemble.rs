//! From a bug to its trace, in one replay.

use std::collections::HashMap;

use dally_explore::{Bug, Moment, ReplayError, StepAt, TaskId, Turn, confirm, cut};
use dally_text::source::{SourceMap, Span};

use crate::arrows::receive;
use crate::explain::{Explain, Line, LineKind, Taken};
use crate::left_out::{Steps, StepsKept};
use crate::{
    Change, End, Failed, Message, Source, Statement, StatementKind, TaskName, TaskNumbers, Trace, TraceStep,
    VERSION,
};

/// Replays a bug and records what each step did. The cycle of a lasso must be fair, unless `unfair`.
///
/// Each step is executed once to find its successor and, if the trace shows it, once more to record its statements.
pub fn trace<P: Explain>(
    program: &P,
    bug: &Bug,
    sources: &SourceMap,
    source: Source,
    unfair: bool,
) -> Result<Trace, ReplayError> {
    let mut recording = Recording::new(program, sources, bug.schedule.steps.len());
    let replayed =
        confirm(program, &bug.schedule, !unfair, |moment, delayed| recording.add(moment, delayed))?;
    let failure = replayed.failure.unwrap_or_else(|| bug.failure.clone());
    let globals = program.variables(&replayed.state, &recording.tasks);
    let StepsKept { steps, left_out, mut messages } = recording.steps.finish();
    receive(&steps, &mut messages);
    Ok(Trace {
        version: VERSION,
        program: source,
        failure: Failed {
            kind: failure.kind.into(),
            message: failure.message,
            location: recording.failed_at.and_then(|span| sources.location(span)),
        },
        cost: bug.cost,
        schedule: bug.schedule.clone(),
        unfair,
        steps,
        left_out,
        initial: recording.initial,
        globals,
        given: program.given(),
        solved: false,
        inputs: None,
        messages,
        notes: program.notes(),
    })
}

/// The statements of a step, as a trace would show them.
pub fn statements<P: Explain>(
    program: &P,
    taken: &Taken<'_, P::State>,
    sources: &SourceMap,
) -> Vec<Statement> {
    let mut recording = Recording::new(program, sources, 1);
    recording.tasks = taken.tasks.clone();
    recording.statements(taken).0
}

/// The steps recorded so far.
struct Recording<'a, P> {
    program: &'a P,
    sources: &'a SourceMap,
    tasks: TaskNumbers,
    steps: Steps,
    /// The shared variables before the first step, and after the step recorded last.
    initial: Vec<Change>,
    variables: Vec<Change>,
    /// The statement at which the last step failed.
    failed_at: Option<Span>,
}

impl<'a, P: Explain> Recording<'a, P> {
    /// Begins the trace of a schedule with this many steps.
    fn new(program: &'a P, sources: &'a SourceMap, steps: usize) -> Self {
        Recording {
            program,
            sources,
            tasks: TaskNumbers::default(),
            steps: Steps::new(steps),
            initial: Vec::new(),
            variables: Vec::new(),
            failed_at: None,
        }
    }

    fn add(&mut self, moment: &Moment<'_, P::State>, delayed: &[TaskId]) {
        self.tasks.add(moment.events);
        let Some(StepAt { step, .. }) = moment.step else {
            self.initial = self.program.variables(moment.after, &self.tasks);
            self.variables.clone_from(&self.initial);
            return;
        };
        let tasks = self.tasks.clone();
        let taken = Taken {
            before: moment.before,
            after: moment.after,
            task: step.task,
            choices: &step.choices,
            tasks: &tasks,
        };
        let moved = self.program.moved_objects(&taken);
        if !self.steps.wants_next() {
            moved.iter().for_each(|moved| self.tasks.move_objects(moved));
            return self.steps.leave_out();
        }
        let TaskName { task, name } = self.named(moment.before, step.task);
        let delayed = delayed.iter().map(|other| self.named(moment.before, *other)).collect();
        let end = self.end(moment);
        let (statements, messages) = self.statements(&taken);
        moved.iter().for_each(|moved| self.tasks.move_objects(moved));
        let variables = self.changed_variables(moment.after);
        let number = self.steps.number_of_next();
        self.steps.push(TraceStep { number, task, name, delayed, statements, end, variables }, messages);
    }

    /// The shared variables that have changed since the step recorded last.
    fn changed_variables(&mut self, after: &P::State) -> Vec<Change> {
        let now = self.program.variables(after, &self.tasks);
        let before: HashMap<&str, &str> =
            self.variables.iter().map(|change| (&*change.variable, &*change.value)).collect();
        let is_new = |change: &&Change| before.get(&*change.variable) != Some(&&*change.value);
        let changed = now.iter().filter(is_new).cloned().collect();
        self.variables = now;
        changed
    }

    fn named(&self, state: &P::State, task: TaskId) -> TaskName {
        TaskName { task: self.tasks.of(task), name: self.program.task_name(state, task) }
    }

    /// How a task left a step.
    fn end(&self, moment: &Moment<'_, P::State>) -> End {
        match (moment.failure, moment.turn) {
            (Some(_), _) => End::Fails,
            (None, Turn::Yields) => End::Yields,
            (None, Turn::Blocks(task)) => End::Blocks { task: task.map(|t| self.tasks.of(t)) },
            (None, Turn::Completes) => End::Completes,
        }
    }

    fn statements(&mut self, taken: &Taken<'_, P::State>) -> (Vec<Statement>, Vec<Message>) {
        let explained = self.program.explain(taken);
        self.failed_at = explained.failed_at;
        let lines = explained.lines;
        let from = self.named(taken.before, taken.task);
        let messages = lines.iter().filter_map(|line| self.message(taken.after, &from, line)).collect();
        (Statement::all(lines.map(|line| self.statement(taken.after, line))), messages)
    }

    fn message(&self, after: &P::State, from: &TaskName, line: &Line) -> Option<Message> {
        let (to, text, creates, fails) = match &line.kind {
            LineKind::Send { to, text, fails } => (to, text.as_str(), false, *fails),
            LineKind::Create(task) => (task, "new", true, false),
            _ => return None,
        };
        Some(Message {
            from: from.clone(),
            to: self.named(after, *to),
            text: text.to_owned(),
            step: self.steps.number_of_next(),
            received: None,
            creates,
            fails,
        })
    }

    fn statement(&self, after: &P::State, line: Line) -> Statement {
        let (kind, text) = match line.kind {
            LineKind::Statement => {
                (StatementKind::Statement, one_line(self.sources.text(line.span).unwrap_or("")))
            }
            LineKind::Return => (StatementKind::Return, "↩".to_owned()),
            LineKind::Dequeue(event) => (StatementKind::Dequeue, format!("· dequeues {event}")),
            LineKind::Choice(value) => (StatementKind::Choice, format!("· chooses {value}")),
            LineKind::Print(text) => (StatementKind::Print, format!("· prints {text}")),
            LineKind::Remark(text) => (StatementKind::Remark, format!("· {text}")),
            LineKind::Send { to, text, fails } => {
                let arrow = if fails { "✗→" } else { "→" };
                (StatementKind::Send, format!("{arrow} {}: {text}", self.named(after, to).name))
            }
            LineKind::Create(task) => (StatementKind::Create, format!("+ {}", self.named(after, task).name)),
        };
        Statement {
            location: self.sources.location(line.span),
            kind,
            text,
            procedure: line.procedure,
            depth: line.depth,
            changes: line.changes,
            posts: line.posts.iter().map(|task| self.named(after, *task)).collect(),
            left_out: None,
        }
    }
}

/// The most characters of a statement, and of one that names its location in the original source.
pub(crate) const MOST_SHOWN: usize = 70;
const MOST_MARKED: usize = 1000;

/// The first line of a statement, without its block and without comments.
fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.contains("{:source") {
        // Attributes that name a location of the original source are part of the text, however long.
        return cut(line.trim(), MOST_MARKED);
    }
    let line = line.split("//").next().unwrap_or("").trim_end();
    let block = line.starts_with("if") || line.starts_with("while");
    // A statement on one line with its block: the block begins after the guard.
    let end = line.find(") {").map(|i| i + 1).or_else(|| line.strip_suffix('{').map(str::len));
    let line = line[..end.filter(|_| block).unwrap_or(line.len())].trim();
    cut(line, MOST_SHOWN)
}
