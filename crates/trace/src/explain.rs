//! The trait that a language implements so that its executions can be shown.

use dally_explore::{Checked, Kept, Program, TaskId, Tracked};
use dally_text::source::Span;

use crate::{Change, CoverageItem, Given, MovedObjects, TaskNumbers};

/// A program that can say what it did in a step.
///
/// Only the names of tasks are required: a trace then shows which task ran when. A model in Rust overrides
/// [`action`](Explain::action), which names what a step does, and [`variables`](Explain::variables), which shows a state:
/// traces, pages and the explorer show what changes. A language overrides [`explain`](Explain::explain), which adds
/// statements.
pub trait Explain: Program {
    /// The procedure or machine that a task runs.
    fn task_name(&self, state: &Self::State, task: TaskId) -> String;

    /// The name of the action that a step takes, for models without statements. By default it has none.
    fn action(&self, _taken: &Taken<'_, Self::State>) -> Option<String> {
        None
    }

    /// The statements and other events of one outcome of a step. By default, its [`action`](Self::action).
    fn explain(&self, taken: &Taken<'_, Self::State>) -> Explained {
        let line = |text: String| Line {
            kind: LineKind::Remark(text),
            span: Span::NONE,
            procedure: self.task_name(taken.before, taken.task),
            depth: 1,
            changes: Vec::new(),
            posts: Vec::new(),
        };
        let first = self.action(taken).map(line).into_iter().collect();
        Explained { lines: Kept { first, left_out: 0, last: Vec::new() }, failed_at: None }
    }

    /// The shared variables and their values in a state.
    fn variables(&self, _state: &Self::State, _tasks: &TaskNumbers) -> Vec<Change> {
        Vec::new()
    }

    /// The variables of single tasks and their values in a state, which the explorer shows beside the shared ones.
    fn task_variables(&self, _state: &Self::State, _tasks: &TaskNumbers) -> Vec<Change> {
        Vec::new()
    }

    /// The objects after a step, if the program numbers them anew.
    fn moved_objects(&self, _taken: &Taken<'_, Self::State>) -> Option<MovedObjects> {
        None
    }

    /// Values that come from outside the program.
    fn given(&self) -> Vec<Given> {
        Vec::new()
    }

    /// The parts of the program, in a fixed order, and whether executions have reached them so far. By default the
    /// program has no parts.
    fn coverage(&self) -> Vec<CoverageItem> {
        Vec::new()
    }

    /// Assumptions that each execution rests on, one sentence each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// One outcome of a step, taken in a replay.
#[derive(Debug)]
pub struct Taken<'a, S> {
    /// The state before the step.
    pub before: &'a S,
    /// The state after it.
    pub after: &'a S,
    /// The task that ran.
    pub task: TaskId,
    /// The option taken at each nondeterministic choice of the step.
    pub choices: &'a [u32],
    /// The numbers of all tasks, including those posted in this step. Values that refer to tasks are shown with them.
    pub tasks: &'a TaskNumbers,
}

/// The events of a step.
#[derive(Clone, Debug, Default)]
pub struct Explained {
    /// The first and the last lines, in order of execution.
    pub lines: Kept<Line>,
    /// The statement that failed, if the step failed.
    pub failed_at: Option<Span>,
}

/// One event of a step, as its language describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The kind of event.
    pub kind: LineKind,
    /// The statement; [`Span::NONE`] if there is none.
    pub span: Span,
    /// The procedure or machine that executed it.
    pub procedure: String,
    /// The depth of calls, from 1.
    pub depth: usize,
    /// The variables that it assigned.
    pub changes: Vec<Change>,
    /// The tasks that it posted.
    pub posts: Vec<TaskId>,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A statement of the program. A trace shows its source text.
    Statement,
    /// The rest of a statement, after a call in it has returned. Its text was shown at the call.
    Return,
    /// The task takes an event or message.
    Dequeue(String),
    /// A nondeterministic choice: the value.
    Choice(String),
    /// The program prints a text.
    Print(String),
    /// Anything else that the runtime of the language does: a machine enters a state.
    Remark(String),
    /// A message is sent.
    Send {
        /// The receiver.
        to: TaskId,
        /// The event and its payload.
        text: String,
        /// True if the message does not arrive, because sending it fails.
        fails: bool,
    },
    /// A task is created.
    Create(TaskId),
}

impl<P: Explain> Explain for Checked<P> {
    fn task_name(&self, at: &Self::State, task: TaskId) -> String {
        self.program().task_name(&at.state, task)
    }

    fn action(&self, taken: &Taken<'_, Self::State>) -> Option<String> {
        self.program().action(&taken.inner())
    }

    fn explain(&self, taken: &Taken<'_, Self::State>) -> Explained {
        self.program().explain(&taken.inner())
    }

    /// The variables of the model, and the conditions that must hold eventually.
    fn variables(&self, at: &Self::State, tasks: &TaskNumbers) -> Vec<Change> {
        let condition = |(name, held): (&str, bool)| Change {
            variable: format!("eventually {name}"),
            shared: true,
            value: if held { "has held" } else { "not yet" }.to_owned(),
        };
        let variables = self.program().variables(&at.state, tasks);
        variables.into_iter().chain(self.held(at).map(condition)).collect()
    }

    fn task_variables(&self, at: &Self::State, tasks: &TaskNumbers) -> Vec<Change> {
        self.program().task_variables(&at.state, tasks)
    }

    fn given(&self) -> Vec<Given> {
        self.program().given()
    }

    fn coverage(&self) -> Vec<CoverageItem> {
        self.program().coverage()
    }

    fn notes(&self) -> Vec<String> {
        self.program().notes()
    }
}

impl<'a, S> Taken<'a, Tracked<S>> {
    /// The step of the program whose properties are checked.
    fn inner(&self) -> Taken<'a, S> {
        let Taken { before, after, task, choices, tasks } = *self;
        Taken { before: &before.state, after: &after.state, task, choices, tasks }
    }
}
