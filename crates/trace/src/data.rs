//! A trace as plain data. `docs/trace.md` describes every field of its JSON form.

use dally_explore::{FailureKind, Fingerprint, Schedule};
use dally_text::source::{Location, SourceMap};
use serde::{Deserialize, Serialize};

use crate::left_out::LeftOut;

/// The version of the format that this library writes.
pub const VERSION: u32 = 1;

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The version of the format.
    pub version: u32,
    /// The program, and the flags with which it was loaded.
    pub program: Source,
    /// The failure.
    pub failure: Failed,
    /// The cost of the schedule: delays, or the unit that the policy counts.
    pub cost: u32,
    /// The schedule, which replays the execution.
    pub schedule: Schedule,
    /// True if the cycle of a lasso may be unfair to tasks and choices.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfair: bool,
    /// One entry per step of the schedule, except for those in `left_out`. The cycle of a lasso comes last.
    pub steps: Vec<TraceStep>,
    /// The steps of the schedule that have no entry in `steps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Values of the shared variables before the first step; of a P program, the states of monitors and machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<Change>,
    /// Final values of the shared variables; of a P program, the states of monitors and machines.
    pub globals: Vec<Change>,
    /// Values that come from outside: constants, and functions at the points where they are used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Given>,
    /// True if a solver supplied values and choices: then `inputs` has them, and the schedule alone does not replay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solved: bool,
    /// The values and choices of the solver, in a form that the language of the program defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<serde_json::Value>,
    /// The messages sent in these steps, in order. Only P machines send messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// Assumptions that the execution rests on, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A term with a value that comes from outside the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The term as the program writes it: `N`, `f(1, 2)`, `7 div 0`.
    pub term: String,
    /// Its value.
    pub value: String,
}

/// A message from one task to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The sender.
    pub from: TaskName,
    /// The receiver.
    pub to: TaskName,
    /// The event and its payload.
    pub text: String,
    /// The number of the step that sends the message, from 1.
    #[serde(default)]
    pub step: usize,
    /// The number of the step in which the receiver takes the message; of a message that creates its receiver, the
    /// receiver's first step. None if that step is not recorded, or never happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<usize>,
    /// True if the message creates the receiver.
    pub creates: bool,
    /// True if sending the message fails: it does not arrive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
}

/// The files of a program, and the flags with which it was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The files, as they were named on the command line.
    pub files: Vec<String>,
    /// The source files, relative to the folder of the trace file, if the trace was written to a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relative: Vec<String>,
    /// A hash of their texts, which says if the program has changed.
    pub hash: String,
    /// The procedure named by `--entry`.
    pub entry: Option<String>,
    /// True if tasks may be preempted before each access to a shared variable.
    pub preempt: bool,
    /// The test of a P program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Other flags with which the program was loaded, which only its language has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl Source {
    /// The hash of a program's texts.
    pub fn hash(sources: &SourceMap) -> String {
        let texts: Vec<&str> = sources.files().iter().map(|f| &*f.text).collect();
        format!("{:032x}", Fingerprint::of(&texts).0)
    }
}

/// A failure and its location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// `assertion`, `deadlock`, `liveness`, `runtime` or `path`.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// The statement that failed.
    pub location: Option<Location>,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An assertion does not hold.
    Assertion,
    /// No task is enabled, and some task is blocked.
    Deadlock,
    /// A liveness property is violated.
    Liveness,
    /// A run-time error, such as a division by zero.
    Runtime,
    /// No failure: a path that was saved before any step fails.
    Path,
}

impl Kind {
    /// The word that stands for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Assertion => "assertion",
            Kind::Deadlock => "deadlock",
            Kind::Liveness => "liveness",
            Kind::Runtime => "runtime",
            Kind::Path => "path",
        }
    }

    /// The mark before the message.
    pub(crate) fn mark(self) -> char {
        if self == Kind::Path { '■' } else { '✗' }
    }
}

impl From<FailureKind> for Kind {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Assertion => Kind::Assertion,
            FailureKind::Deadlock => Kind::Deadlock,
            FailureKind::Liveness => Kind::Liveness,
            FailureKind::Path => Kind::Path,
            FailureKind::Runtime | FailureKind::Unsupported | FailureKind::Interrupted(_) => Kind::Runtime,
        }
    }
}

impl From<Kind> for FailureKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Assertion => FailureKind::Assertion,
            Kind::Deadlock => FailureKind::Deadlock,
            Kind::Liveness => FailureKind::Liveness,
            Kind::Runtime => FailureKind::Runtime,
            Kind::Path => FailureKind::Path,
        }
    }
}

/// One step: a task runs until it yields, blocks, terminates or fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Its number in the schedule, from 1.
    #[serde(default)]
    pub number: usize,
    /// The task.
    pub task: u32,
    /// The procedure or machine that it runs.
    pub name: String,
    /// The tasks that the scheduler delayed before this step, in order.
    pub delayed: Vec<TaskName>,
    /// The executed statements.
    pub statements: Vec<Statement>,
    /// How the step ended.
    pub end: End,
    /// The shared variables whose values differ from those after the recorded step before; of a P program, the states
    /// of monitors and machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<Change>,
}

/// A task with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskName {
    /// Its number, in order of creation; no two tasks of a trace share one.
    pub task: u32,
    /// The procedure or machine that it runs.
    pub name: String,
}

/// An executed statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Its position in the source.
    pub location: Option<Location>,
    /// The kind of the entry: a statement, or an action of the language's runtime.
    #[serde(default, skip_serializing_if = "StatementKind::is_statement")]
    pub kind: StatementKind,
    /// Its text, on one line.
    pub text: String,
    /// The procedure that it belongs to.
    pub procedure: String,
    /// The depth of calls, from 1.
    pub depth: usize,
    /// The variables that it assigned.
    pub changes: Vec<Change>,
    /// The tasks that it posted.
    pub posts: Vec<TaskName>,
    /// If the entry is a placeholder for statements that are left out: their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

/// The kinds of entries among the statements of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatementKind {
    /// A statement of the program.
    #[default]
    Statement,
    /// The rest of a statement, after a call in it has returned.
    Return,
    /// The task takes an event or message.
    Dequeue,
    /// A nondeterministic choice.
    Choice,
    /// The program prints a text.
    Print,
    /// A message is sent.
    Send,
    /// A task is created.
    Create,
    /// Anything else that the runtime of the language does.
    Remark,
}

impl StatementKind {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_statement(&self) -> bool {
        *self == StatementKind::Statement
    }
}

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// True if other tasks can read the variable.
    pub shared: bool,
    /// Its value.
    pub value: String,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "how")]
pub enum End {
    /// The task yielded, and may continue.
    Yields,
    /// The task is blocked, perhaps on another task.
    Blocks {
        /// The task that it waits for.
        task: Option<u32>,
    },
    /// The task terminated.
    Completes,
    /// The task failed.
    Fails,
}
