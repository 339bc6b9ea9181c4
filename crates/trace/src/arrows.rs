//! Lanes and arrows: the tasks of a trace, and which step of which task follows from which.
//!
//! An arrow leads from the statement that sends a message, or posts or creates a task, to the step in which the receiver
//! takes the message, or begins. The pictures of a trace draw them.

use std::collections::HashMap;

use serde::Serialize;

use crate::text::titled;
use crate::{Message, StatementKind, TaskName, Trace, TraceStep};

/// The column of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Lane {
    pub(crate) task: u32,
    /// The name of the task with its number.
    pub(crate) title: String,
}

/// The kinds of arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ArrowKind {
    Message,
    Create,
    Post,
}

/// An arrow from one lane to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Arrow {
    pub(crate) kind: ArrowKind,
    /// The lanes, by their indices.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The index of the step that sends, and of the statement in it.
    pub(crate) sent: usize,
    pub(crate) statement: usize,
    /// The index of the step that receives, if there is one.
    pub(crate) received: Option<usize>,
    pub(crate) text: String,
    /// True if the message does not arrive.
    pub(crate) fails: bool,
}

/// The lanes and arrows of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) arrows: Vec<Arrow>,
}

impl Picture {
    pub(crate) fn of(trace: &Trace) -> Self {
        let lanes = lanes(trace);
        let by_task: HashMap<u32, usize> = lanes.iter().enumerate().map(|(i, lane)| (lane.task, i)).collect();
        let mut found =
            Arrows { trace, by_task: &by_task, first_steps: first_steps(&trace.steps), all: Vec::new() };
        found.collect();
        let arrows = found.all;
        Picture { lanes, arrows }
    }
}

/// The tasks of a trace in the order of their numbers.
fn lanes(trace: &Trace) -> Vec<Lane> {
    let mut names: HashMap<u32, &str> = HashMap::new();
    for step in &trace.steps {
        names.entry(step.task).or_insert(&step.name);
        let posted = step.statements.iter().flat_map(|statement| &statement.posts);
        for TaskName { task, name } in step.delayed.iter().chain(posted) {
            names.entry(*task).or_insert(name);
        }
    }
    for TaskName { task, name } in trace.messages.iter().flat_map(|message| [&message.from, &message.to]) {
        names.entry(*task).or_insert(name);
    }
    let lane = |(task, name): (u32, &str)| Lane { task, title: titled(name, task) };
    let mut lanes: Vec<Lane> = names.into_iter().map(lane).collect();
    lanes.sort_by_key(|lane| lane.task);
    lanes
}

/// The index of the first recorded step of each task.
fn first_steps(steps: &[TraceStep]) -> HashMap<u32, usize> {
    let mut first = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        first.entry(step.task).or_insert(index);
    }
    first
}

/// The arrows found so far.
struct Arrows<'a> {
    trace: &'a Trace,
    by_task: &'a HashMap<u32, usize>,
    first_steps: HashMap<u32, usize>,
    all: Vec<Arrow>,
}

impl Arrows<'_> {
    /// Collects all arrows. The messages of a trace are in the order of the statements that send them.
    fn collect(&mut self) {
        let trace = self.trace;
        let indices: HashMap<usize, usize> =
            trace.steps.iter().enumerate().map(|(index, step)| (step.number, index)).collect();
        let mut messages = trace.messages.iter();
        for (sent, step) in trace.steps.iter().enumerate() {
            for (statement, entry) in step.statements.iter().enumerate() {
                let at = Sent { task: step.task, step: sent, statement };
                if matches!(entry.kind, StatementKind::Send | StatementKind::Create) {
                    let Some(message) = messages.next() else { continue };
                    let received = message.received.and_then(|number| indices.get(&number).copied());
                    self.message(&at, message, received);
                } else {
                    entry.posts.iter().for_each(|posted| self.post(&at, posted));
                }
            }
        }
    }

    fn message(&mut self, at: &Sent, message: &Message, received: Option<usize>) {
        let kind = if message.creates { ArrowKind::Create } else { ArrowKind::Message };
        self.add(at, message.to.task, kind, &message.text, received);
        if let Some(arrow) = self.all.last_mut() {
            arrow.fails = message.fails;
        }
    }

    fn post(&mut self, at: &Sent, posted: &TaskName) {
        let received = self.first_steps.get(&posted.task).copied().filter(|first| *first >= at.step);
        self.add(at, posted.task, ArrowKind::Post, &posted.name, received);
    }

    fn add(&mut self, at: &Sent, to: u32, kind: ArrowKind, text: &str, received: Option<usize>) {
        let (Some(&from), Some(&to)) = (self.by_task.get(&at.task), self.by_task.get(&to)) else { return };
        let Sent { step: sent, statement, .. } = *at;
        self.all.push(Arrow {
            kind,
            from,
            to,
            sent,
            statement,
            received,
            text: text.to_owned(),
            fails: false,
        });
    }
}

/// A statement that sends or posts.
struct Sent {
    task: u32,
    step: usize,
    statement: usize,
}

/// Finds the step in which each message is received. Queues are first in, first out: of equal messages to one receiver,
/// the one sent first is taken first.
pub(crate) fn receive(steps: &[TraceStep], messages: &mut [Message]) {
    let mut waiting: HashMap<(u32, String), std::collections::VecDeque<usize>> = HashMap::new();
    let mut created: HashMap<u32, usize> = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        if message.creates {
            created.insert(message.to.task, index);
        } else if !message.fails {
            waiting.entry((message.to.task, message.text.clone())).or_default().push_back(index);
        }
    }
    for step in steps {
        if let Some(index) = created.remove(&step.task) {
            messages[index].received = Some(step.number);
        }
        for entry in step.statements.iter().filter(|entry| entry.kind == StatementKind::Dequeue) {
            let text = entry.text.trim_start_matches("· dequeues ").to_owned();
            let Some(queue) = waiting.get_mut(&(step.task, text)) else { continue };
            let sent_before = |index: &usize| messages[*index].step <= step.number;
            if let Some(index) = queue.front().copied().filter(sent_before) {
                queue.pop_front();
                messages[index].received = Some(step.number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Statement};

    fn task(task: u32) -> TaskName {
        TaskName { task, name: format!("M({task})") }
    }

    fn entry(kind: StatementKind, text: &str) -> Statement {
        Statement {
            location: None,
            kind,
            text: text.to_owned(),
            procedure: String::new(),
            depth: 1,
            changes: Vec::new(),
            posts: Vec::new(),
            left_out: None,
        }
    }

    fn step(number: usize, of: u32, statements: Vec<Statement>) -> TraceStep {
        let TaskName { task, name } = task(of);
        let end = End::Yields;
        TraceStep { number, task, name, delayed: Vec::new(), statements, end, variables: Vec::new() }
    }

    fn message(step: usize, to: u32, text: &str) -> Message {
        let (from, to) = (task(0), task(to));
        Message { from, to, text: text.to_owned(), step, received: None, creates: false, fails: false }
    }

    #[test]
    fn equal_messages_are_received_in_the_order_in_which_they_were_sent() {
        let send = |text| entry(StatementKind::Send, text);
        let take = |text: &str| entry(StatementKind::Dequeue, &format!("· dequeues {text}"));
        let mut trace = crate::text::tests::trace(None, 0);
        trace.steps = vec![
            step(1, 0, vec![send("→ M(1): a"), send("→ M(1): b"), send("→ M(1): a")]),
            step(2, 1, vec![take("a")]),
            step(3, 1, vec![take("a")]),
        ];
        trace.messages = vec![message(1, 1, "a"), message(1, 1, "b"), message(1, 1, "a")];
        receive(&trace.steps, &mut trace.messages);
        let received: Vec<Option<usize>> = trace.messages.iter().map(|message| message.received).collect();
        assert_eq!(received, [Some(2), None, Some(3)]);
        let Picture { lanes, arrows } = Picture::of(&trace);
        assert_eq!(lanes.iter().map(|lane| &*lane.title).collect::<Vec<_>>(), ["M(0)", "M(1)"]);
        let ends: Vec<_> = arrows.iter().map(|arrow| (arrow.statement, arrow.received)).collect();
        assert_eq!(ends, [(0, Some(1)), (1, None), (2, Some(2))]);
    }

    #[test]
    fn a_post_leads_to_the_first_step_of_its_task() {
        let mut post = entry(StatementKind::Statement, "call {:async} p();");
        post.posts = vec![task(1), task(2)];
        let mut trace = crate::text::tests::trace(None, 0);
        trace.steps = vec![step(1, 0, vec![post]), step(2, 0, vec![]), step(3, 1, vec![])];
        let Picture { lanes, arrows } = Picture::of(&trace);
        assert_eq!(lanes.len(), 3);
        let ends: Vec<_> = arrows.iter().map(|arrow| (arrow.to, arrow.received)).collect();
        assert_eq!(ends, [(1, Some(2)), (2, None)]);
    }
}
