//! From a recorded execution to a trace.

use std::collections::HashMap;

use dally_explore::{Path, Schedule, ScheduleStep};
use dally_text::source::SourceMap;
use dally_trace::{
    Change, End, Failed, Kind as FailureKind, LeftOut, Location, Message, Source, Statement, StatementKind,
    TaskName as TraceTask, Trace, TraceStep, VERSION,
};
use shuttle::scheduler::TaskId;

use super::objects::Note;
use super::record::{Located, Record};
use super::state::{Passed, State};
use crate::locate::Site;
use crate::policy::Delayed;
use crate::report::{Bug, BugKind, Waiting};
use crate::run::Departure;

/// An execution that fails.
pub(crate) struct Execution<'a> {
    /// The task of each step.
    pub(crate) tasks: &'a [TaskId],
    pub(crate) departures: &'a [Departure],
    pub(crate) record: &'a Record,
    /// The names of tasks in the program.
    pub(crate) name: &'a dyn Fn(TaskId) -> Option<String>,
    pub(crate) bug: &'a Bug,
}

impl Execution<'_> {
    fn title(&self, task: TaskId) -> TraceTask {
        let id = usize::from(task);
        let name = (self.name)(task);
        let name = name.unwrap_or_else(|| if id == 0 { "main" } else { "thread" }.to_owned());
        TraceTask { task: id as u32, name }
    }
}

/// The trace of an execution, and the source files that it mentions.
pub(crate) fn trace(execution: &Execution<'_>) -> (Trace, SourceMap) {
    let located = execution.record.located();
    let files = located.iter().filter_map(|at| at.site.as_ref()).chain(&execution.bug.place);
    let sources = super::sources(files.map(|site| &*site.file));
    let mut assembly = Assembly::new(execution, located, &sources);
    let steps = assembly.steps();
    let bug = execution.bug;
    let all = execution.tasks.len();
    let after = steps.iter().zip(1..).take_while(|(step, number)| step.number == *number).count();
    let missing = all - steps.len();
    let trace = Trace {
        version: VERSION,
        program: Source { files: vec![super::test_name()], ..Source::default() },
        failure: Failed {
            kind: match bug.failure {
                BugKind::Panic => FailureKind::Assertion,
                BugKind::Deadlock => FailureKind::Deadlock,
                BugKind::StepLimit => FailureKind::Runtime,
            },
            message: failure(bug),
            location: bug.place.as_ref().map(location),
        },
        cost: bug.delays,
        schedule: assembly.schedule(),
        unfair: false,
        steps,
        left_out: (missing > 0).then_some(LeftOut { after, steps: missing }),
        initial: changes(assembly.state.unused()),
        globals: changes(assembly.state.all()),
        given: Vec::new(),
        solved: false,
        inputs: None,
        messages: std::mem::take(&mut assembly.messages),
        notes: notes(bug),
    };
    (trace, sources)
}

fn failure(bug: &Bug) -> String {
    match bug.failure {
        BugKind::Panic => bug.message.trim_end().to_owned(),
        BugKind::Deadlock => "no thread can run".to_owned(),
        BugKind::StepLimit => "too many steps".to_owned(),
    }
}

fn notes(bug: &Bug) -> Vec<String> {
    let waits = bug.waiting.iter().map(waiting);
    waits.chain([format!("schedule {}", bug.schedule)]).collect()
}

fn waiting(waiting: &Waiting) -> String {
    let Waiting { task, place, exact } = waiting;
    match place {
        Some(place) if *exact => format!("{task} waits at {place}"),
        Some(place) => format!("{task} waits, last seen at {place}"),
        None => format!("{task} waits"),
    }
}

fn location(site: &Site) -> Location {
    Location { file: site.file.clone(), line: site.line as usize, column: 1 }
}

fn changes(values: Vec<(String, String)>) -> Vec<Change> {
    values.into_iter().map(|(variable, value)| Change { variable, shared: true, value }).collect()
}

/// The trace so far.
struct Assembly<'a> {
    execution: &'a Execution<'a>,
    located: Vec<Located>,
    sources: &'a SourceMap,
    state: State,
    messages: Vec<Message>,
    /// For each task, the index of its last step so far.
    last: HashMap<TaskId, usize>,
    /// For each task, the index of its last step.
    final_steps: HashMap<TaskId, usize>,
    /// The index of the step in which the panic began that is the failure.
    panicked: Option<usize>,
}

impl<'a> Assembly<'a> {
    fn new(execution: &'a Execution<'a>, located: Vec<Located>, sources: &'a SourceMap) -> Self {
        let final_steps = execution.tasks.iter().enumerate().map(|(step, task)| (*task, step)).collect();
        let (state, messages, last) = (State::default(), Vec::new(), HashMap::new());
        let is_panic = execution.bug.failure == BugKind::Panic;
        let panicked = execution.record.told.last_panic().filter(|_| is_panic);
        Self { execution, located, sources, state, messages, last, final_steps, panicked }
    }

    /// The steps that the page shows.
    fn steps(&mut self) -> Vec<TraceStep> {
        let notes = self.execution.record.told.until_failure();
        let mut steps = Vec::new();
        for (index, task) in self.execution.tasks.iter().enumerate() {
            let entry = self.operation(index, *task);
            let (passed, values) =
                self.follow(index, *task, &entry, notes.get(&index).map_or(&[][..], Vec::as_slice));
            self.last.insert(*task, index);
            if self.execution.record.shows(index) {
                steps.push(self.step(index, *task, (entry, passed, values)));
            }
        }
        let shown = |message: &Message| self.execution.record.shows(message.step - 1);
        self.messages.retain(shown);
        steps
    }

    /// Follows what happens to objects in a step. Returns messages that are sent or received, and changes.
    fn follow(
        &mut self,
        index: usize,
        task: TaskId,
        entry: &Entry,
        notes: &[Note],
    ) -> (Vec<Passed>, Vec<Change>) {
        let tries = entry.operation.starts_with("try_");
        let mut all = Vec::new();
        for note in notes {
            let Note::Object(deed, object, channel) = note else { continue };
            let next = self.messages.len();
            let passed = self.state.apply(usize::from(task), (*deed, *object, *channel), tries, next);
            match passed {
                Some(Passed::Sent(object)) => {
                    let from = self.execution.title(task);
                    let text = self.state.name(object);
                    let (to, step) = (from.clone(), index + 1);
                    self.messages.push(Message {
                        from,
                        to,
                        text,
                        step,
                        received: None,
                        creates: false,
                        fails: false,
                    });
                }
                Some(Passed::Received(message)) => {
                    let to = self.execution.title(task);
                    if let Some(message) = self.messages.get_mut(message) {
                        (message.to, message.received) = (to, Some(index + 1));
                    }
                }
                None => {}
            }
            all.extend(passed);
        }
        let execution = self.execution;
        let title = |id: usize| {
            let TraceTask { task, name } = execution.title(TaskId::from(id));
            dally_trace::titled(&name, task)
        };
        (all, changes(self.state.changes(title)))
    }

    /// The operation that begins a step.
    fn operation(&self, index: usize, task: TaskId) -> Entry {
        let Some(before) = self.last.get(&task) else {
            return Entry::without_location("begins");
        };
        if self.panicked.is_some_and(|panicked| index > panicked) {
            return Entry::without_location("unwinds after the panic");
        }
        let stack = self.execution.record.stack(before + 1);
        let site = stack.and_then(|stack| self.located.get(stack)).and_then(|at| at.site.as_ref());
        let Some(site) = site.filter(|_| self.execution.record.shows(index)) else {
            return Entry::without_location("continues in a library");
        };
        let operation = site.operation.clone().unwrap_or_default();
        let file = self.sources.files().iter().find(|file| file.name == site.file);
        let line =
            file.and_then(|file| file.text.get(file.line_range(site.line as usize)?)).unwrap_or_default();
        let text = [&*operation, line.trim()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        Entry { location: Some(location(site)), text: text.join(" · "), operation }
    }

    fn step(
        &self,
        index: usize,
        task: TaskId,
        (entry, passed, values): (Entry, Vec<Passed>, Vec<Change>),
    ) -> TraceStep {
        let TraceTask { task: number, name } = self.execution.title(task);
        let mut statements = self.choices(index);
        let sends = passed.iter().filter(|passed| matches!(passed, Passed::Sent(_))).count();
        let receives = passed.iter().any(|passed| matches!(passed, Passed::Received(_)));
        let kind = match () {
            () if receives => StatementKind::Dequeue,
            () if sends > 0 => StatementKind::Send,
            () if entry.location.is_none() => StatementKind::Remark,
            () => StatementKind::Statement,
        };
        let posts = self.posts(index);
        let statement = |kind, text, changes, posts| Statement {
            location: entry.location.clone(),
            kind,
            text,
            procedure: String::new(),
            depth: 1,
            changes,
            posts,
            left_out: None,
        };
        // Each message belongs to one entry.
        let more = (1..sends.max(1))
            .map(|_| statement(StatementKind::Send, "sends again".to_owned(), Vec::new(), Vec::new()));
        let more: Vec<_> = more.collect();
        statements.push(statement(kind, entry.text.clone(), values, posts));
        statements.extend(more);
        TraceStep {
            number: index + 1,
            task: number,
            name,
            delayed: self.delayed(index),
            statements,
            end: self.end(index, task),
            variables: Vec::new(),
        }
    }

    /// The tasks that were created in a step: they were seen before the next one.
    fn posts(&self, index: usize) -> Vec<TraceTask> {
        let created =
            self.execution.record.created.iter().filter(|(_, parent, seen)| {
                *seen == index + 1 && *parent == Some(self.execution.tasks[index])
            });
        created.map(|(task, ..)| self.execution.title(*task)).collect()
    }

    fn delayed(&self, index: usize) -> Vec<TraceTask> {
        let delays = self.execution.departures.iter().filter_map(|departure| match departure {
            Departure::Delayed(Delayed { step, task }) if *step == index => Some(self.execution.title(*task)),
            _ => None,
        });
        if self.execution.bug.unit == dally_schedule::Unit::Delay { delays.collect() } else { Vec::new() }
    }

    /// The values that `rand` returned before a step.
    fn choices(&self, index: usize) -> Vec<Statement> {
        let value = |departure: &Departure| match *departure {
            Departure::Value { step, nth, of } if step == index => Some(Statement {
                location: None,
                kind: StatementKind::Choice,
                text: format!("· rand returned value {nth} of 0..{of}"),
                procedure: String::new(),
                depth: 1,
                changes: Vec::new(),
                posts: Vec::new(),
                left_out: None,
            }),
            _ => None,
        };
        self.execution.departures.iter().filter_map(value).collect()
    }

    fn end(&self, index: usize, task: TaskId) -> End {
        let bug = self.execution.bug;
        let waits = || bug.waiting.iter().any(|waiting| waiting.task.id == usize::from(task));
        let is_last_step = index + 1 == self.execution.tasks.len();
        if is_last_step {
            return match bug.failure {
                BugKind::Panic => End::Fails,
                _ if waits() => End::Blocks { task: None },
                _ => End::Yields,
            };
        }
        if self.execution.record.continues.get(index + 1).is_none_or(|continues| *continues) {
            return End::Yields;
        }
        let returns_later = self.final_steps.get(&task).is_some_and(|last| *last > index);
        let stack = self.execution.record.stack(index + 1).and_then(|stack| self.located.get(stack));
        if returns_later
            || waits()
            || self.state.is_blocked(usize::from(task))
            || stack.is_none_or(|at| at.runs)
        {
            return End::Blocks { task: None };
        }
        End::Completes
    }

    fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::new(self.execution.bug.schedule.strategy.clone());
        schedule.steps = (self.execution.tasks.iter())
            .map(|task| ScheduleStep::new(dally_schedule::TaskId(usize::from(*task) as u32), 0))
            .collect();
        for departure in self.execution.departures {
            let Some(step) = schedule.steps.get_mut(departure.step()) else { continue };
            match departure {
                Departure::Delayed(_) => step.cost += 1,
                Departure::Value { nth, .. } => {
                    let mut choices: Path = std::mem::take(&mut step.choices);
                    choices.push(*nth as u32);
                    step.choices = choices;
                }
            }
        }
        schedule
    }
}

/// A step in words.
struct Entry {
    location: Option<Location>,
    operation: String,
    text: String,
}

impl Entry {
    fn without_location(text: &str) -> Self {
        Self { location: None, operation: String::new(), text: text.to_owned() }
    }
}
