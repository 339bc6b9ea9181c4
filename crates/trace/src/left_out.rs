//! Shortening: a trace keeps the first and the last statements of a long step, and the first and the last steps of a
//! long execution.
//!
//! A trace is for people, and for tools that present it to them. The schedule is always complete, and suffices to replay
//! the execution.

use std::borrow::Cow;

use dally_explore::{Excerpt, Kept, count};
use serde::{Deserialize, Serialize};

use crate::{Message, Statement, StatementKind, Trace, TraceStep};

/// The number of lines of text that a trace keeps at either end: enough for pages of 10,000 steps.
const OF_A_TRACE: usize = 20_000;

/// The number of lines that a text shows of a trace at either end.
const OF_A_TEXT: usize = 2500;

/// The steps that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The number of steps before them.
    pub after: usize,
    /// Their number.
    pub steps: usize,
}

/// A step, and the messages sent in it.
#[derive(Clone, Debug)]
struct Entry {
    step: TraceStep,
    messages: Vec<Message>,
}

/// Collects the steps of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    kept: Excerpt<Entry>,
    /// The length of the schedule.
    all: usize,
}

/// The steps that a trace keeps.
#[derive(Clone, Debug)]
pub(crate) struct StepsKept {
    pub(crate) steps: Vec<TraceStep>,
    pub(crate) left_out: Option<LeftOut>,
    /// The messages sent in `steps`.
    pub(crate) messages: Vec<Message>,
}

impl Steps {
    /// For a schedule of this length.
    pub(crate) fn new(all: usize) -> Self {
        Self { kept: Excerpt::new(OF_A_TRACE, |entry| lines(&entry.step)), all }
    }

    /// True if the trace may keep the next step. Otherwise it need not be recorded.
    pub(crate) fn wants_next(&self) -> bool {
        self.kept.may_keep(self.all.saturating_sub(self.kept.len() + 1))
    }

    /// The number of the next step, from 1.
    pub(crate) fn number_of_next(&self) -> usize {
        self.kept.len() + 1
    }

    /// Adds the next step.
    pub(crate) fn push(&mut self, step: TraceStep, messages: Vec<Message>) {
        self.kept.push(Entry { step, messages });
    }

    /// Counts the next step, which was not recorded.
    pub(crate) fn leave_out(&mut self) {
        self.kept.leave_out();
    }

    pub(crate) fn finish(self) -> StepsKept {
        let Kept { first, left_out: missing, last } = self.kept.finish();
        let left_out = (missing > 0).then_some(LeftOut { after: first.len(), steps: missing });
        let mut kept = StepsKept { steps: Vec::new(), left_out, messages: Vec::new() };
        for Entry { step, messages } in first.into_iter().chain(last) {
            kept.steps.push(step);
            kept.messages.extend(messages);
        }
        kept
    }
}

impl Trace {
    /// The trace as a text shows it: without the middle, if it is long.
    pub(crate) fn shortened(&self) -> Cow<'_, Trace> {
        let all: usize = self.steps.iter().map(lines).sum();
        if all <= 2 * OF_A_TEXT {
            return Cow::Borrowed(self);
        }
        // The gap that the trace has, if any, lies in the middle: its ends have more lines than a text shows.
        let whole = self.steps.len() + self.left_out.map_or(0, |left_out| left_out.steps);
        let after = count_of_steps(self.steps.iter());
        let before_end = count_of_steps(self.steps.iter().rev());
        let last = &self.steps[self.steps.len() - before_end..];
        let steps: Vec<TraceStep> = self.steps[..after].iter().chain(last).cloned().collect();
        let left_out = Some(LeftOut { after, steps: whole - steps.len() });
        let is_shown = |message: &&Message| message.step <= after || message.step > whole - before_end;
        let messages = self.messages.iter().filter(is_shown).cloned().collect();
        Cow::Owned(Trace { steps, left_out, messages, ..self.clone_without_steps() })
    }

    /// A copy without steps and messages, which can be large.
    fn clone_without_steps(&self) -> Trace {
        Trace {
            version: self.version,
            program: self.program.clone(),
            failure: self.failure.clone(),
            cost: self.cost,
            schedule: self.schedule.clone(),
            unfair: self.unfair,
            steps: Vec::new(),
            left_out: None,
            initial: self.initial.clone(),
            globals: self.globals.clone(),
            given: self.given.clone(),
            solved: self.solved,
            inputs: self.inputs.clone(),
            messages: Vec::new(),
            notes: self.notes.clone(),
        }
    }
}

/// The number of the first steps that have as many lines as a text shows.
fn count_of_steps<'t>(steps: impl Iterator<Item = &'t TraceStep>) -> usize {
    let mut total = 0;
    steps
        .take_while(|step| {
            total += lines(step);
            total <= OF_A_TEXT
        })
        .count()
        .max(1)
}

/// The approximate number of lines of a step as text.
fn lines(step: &TraceStep) -> usize {
    1 + step.delayed.len() + step.statements.len()
}

impl Statement {
    /// The statements of a step, with a placeholder for those that are left out.
    pub(crate) fn all(kept: Kept<Statement>) -> Vec<Statement> {
        let entry = (kept.left_out > 0).then(|| Statement::left_out(kept.left_out));
        kept.first.into_iter().chain(entry).chain(kept.last).collect()
    }

    /// The placeholder for this many statements.
    pub(crate) fn left_out(many: usize) -> Self {
        Statement {
            location: None,
            kind: StatementKind::Remark,
            text: are_left_out(many, "statement"),
            procedure: String::new(),
            depth: 1,
            changes: Vec::new(),
            posts: Vec::new(),
            left_out: Some(many),
        }
    }
}

/// Says how many steps or statements are missing.
pub(crate) fn are_left_out(many: usize, what: &str) -> String {
    match many {
        1 => format!("… 1 {what} is left out …"),
        _ => format!("… {} {what}s are left out …", count(many)),
    }
}
