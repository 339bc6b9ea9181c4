//! What a trace leaves out: most of a very long step, and most steps of a very long execution.
//!
//! A trace is for people, and for tools that show it to them. Nobody reads a million statements, and the schedule is all
//! that is needed to run an execution again. So a trace has what comes first and what comes last.

use dally_explore::{Excerpt, Kept};
use serde::{Deserialize, Serialize};

use crate::{Message, Statement, TraceStep};

/// How many statements of a trace are kept at either end.
const OF_A_TRACE: usize = 2500;

/// Steps that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many steps come before.
    pub after: usize,
    /// How many steps they are.
    pub steps: usize,
}

/// Collects the steps of a trace, with what was sent in each.
#[derive(Clone, Debug)]
pub struct Steps {
    kept: Excerpt<(TraceStep, Vec<Message>)>,
    /// How many there will be.
    all: usize,
}

impl Steps {
    /// For a schedule of so many steps.
    pub fn new(all: usize) -> Self {
        Self { kept: Excerpt::new(OF_A_TRACE, |(step, _)| weight(step)), all }
    }

    /// The next step, which is made only if it may be kept.
    pub fn push(&mut self, make: impl FnOnce() -> (TraceStep, Vec<Message>)) {
        if self.kept.may_keep(self.all.saturating_sub(self.kept.len() + 1)) {
            self.kept.push(make());
        } else {
            self.kept.leave_out();
        }
    }

    /// The steps that are kept, which are left out, and what was sent in those that are kept.
    pub fn finish(self) -> (Vec<TraceStep>, Option<LeftOut>, Vec<Message>) {
        let Kept { first, left_out: steps, last } = self.kept.finish();
        let left_out = (steps > 0).then_some(LeftOut { after: first.len(), steps });
        let (steps, messages): (Vec<_>, Vec<_>) = first.into_iter().chain(last).unzip();
        (steps, left_out, messages.into_iter().flatten().collect())
    }
}

/// About how many lines a step is as text.
fn weight(step: &TraceStep) -> usize {
    1 + step.delayed.len() + step.statements.len()
}

impl Statement {
    /// The statements of a step, with an entry for those that are left out.
    pub fn all(kept: Kept<Statement>) -> Vec<Statement> {
        let entry = (kept.left_out > 0).then(|| Statement::left_out(kept.left_out));
        kept.first.into_iter().chain(entry).chain(kept.last).collect()
    }

    /// Stands for so many statements.
    fn left_out(many: usize) -> Self {
        Statement {
            location: None,
            text: are_left_out(many, "statement"),
            procedure: String::new(),
            depth: 1,
            changes: Vec::new(),
            posts: Vec::new(),
            left_out: Some(many),
        }
    }
}

/// Says that so many of something are missing.
pub(crate) fn are_left_out(many: usize, what: &str) -> String {
    match many {
        1 => format!("… 1 {what} is left out …"),
        _ => format!("… {} {what}s are left out …", count(many)),
    }
}

/// A number with its digits in groups of three.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap_or("")).collect();
    groups.join(",")
}
