//! Error traces: what happened, step by step, as data.
//!
//! A trace is made by replaying a schedule and asking the program what it did. It is independent of the
//! language of the program. [`text`] shows it to people; as JSON (with serde) it is for machines, and can be
//! replayed: `docs/trace.md` describes every field.

mod left_out;
mod sequence;
mod text;

pub use left_out::{LeftOut, Steps, count};
pub use text::text;

use dally_explore::{FailureKind, Schedule};
use serde::{Deserialize, Serialize};

/// The version of the format that this library writes.
pub const VERSION: u32 = 1;

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The version of the format.
    pub version: u32,
    /// How the program was read, so that it can be read again.
    pub program: Source,
    /// What failed.
    pub failure: Failed,
    /// What was spent: delays, or whatever the policy counts.
    pub cost: u32,
    /// The execution.
    pub schedule: Schedule,
    /// Whether the loop, if there is one, may be unfair to tasks and choices.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfair: bool,
    /// The steps, one for each of the schedule, unless some are left out. If that has a loop, they end with it.
    pub steps: Vec<TraceStep>,
    /// The steps of the schedule that are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The values of the shared variables at the end; of a P program, the states of monitors and machines.
    pub globals: Vec<Change>,
    /// What is given from outside: constants, and functions where they are used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Given>,
    /// Whether values and choices are those of a solver: then the schedule alone does not lead there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solved: bool,
    /// These values and choices, in the form of the language of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<serde_json::Value>,
    /// What was sent to whom in these steps, in order; only machines of P send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// What the execution rests on, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A constant, or a function at arguments, that has a value from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// As it is written: `N`, `f(1, 2)`, `7 div 0`.
    pub term: String,
    /// Its value.
    pub value: String,
}

/// Something that one task sent to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The sender.
    pub from: TaskName,
    /// The receiver.
    pub to: TaskName,
    /// What was sent.
    pub text: String,
    /// Whether the receiver was created by this.
    pub creates: bool,
}

/// How a program was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The files, as they were named.
    pub files: Vec<String>,
    /// A hash of their texts: a trace of another text does not replay.
    pub hash: String,
    /// The procedure in which execution starts, if it was named.
    pub entry: Option<String>,
    /// Whether tasks may be switched before each access to a shared variable.
    pub preempt: bool,
    /// The test of a P program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
}

/// What failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// `assertion`, `deadlock`, `liveness` or `runtime`.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An assertion does not hold.
    Assertion,
    /// Nobody can move, and somebody waits.
    Deadlock,
    /// Something that should happen may never do so.
    Liveness,
    /// The program did what it must not.
    Runtime,
}

impl From<FailureKind> for Kind {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Assertion => Kind::Assertion,
            FailureKind::Deadlock => Kind::Deadlock,
            FailureKind::Liveness => Kind::Liveness,
            FailureKind::Runtime | FailureKind::Unsupported | FailureKind::Interrupted(_) => Kind::Runtime,
        }
    }
}

/// A place in a file; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file, as it was named.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// One step: a task runs until it yields, blocks, ends or fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The task.
    pub task: u32,
    /// The procedure that it was posted to run.
    pub name: String,
    /// The tasks that were delayed before it, in this order.
    pub delayed: Vec<TaskName>,
    /// What it executed.
    pub statements: Vec<Statement>,
    /// How it left the step.
    pub end: End,
}

/// A task with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskName {
    /// Its number.
    pub task: u32,
    /// Its procedure.
    pub name: String,
}

/// A statement that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Where it stands.
    pub location: Option<Location>,
    /// Its text, on one line.
    pub text: String,
    /// The procedure that it belongs to.
    pub procedure: String,
    /// How many calls deep it is, from 1.
    pub depth: usize,
    /// What it assigned.
    pub changes: Vec<Change>,
    /// The tasks that it posted.
    pub posts: Vec<TaskName>,
    /// If it is none, but stands for statements that are left out: how many they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

/// A variable that has a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// Whether other tasks see it.
    pub shared: bool,
    /// Its value.
    pub value: String,
}

/// How a task left a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "how")]
pub enum End {
    /// It could go on.
    Yields,
    /// It waits, perhaps for a task.
    Blocks {
        /// The task that it waits for.
        task: Option<u32>,
    },
    /// It has ended.
    Completes,
    /// It failed.
    Fails,
}
