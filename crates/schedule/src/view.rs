//! The program by names, for schedulers that look at it: `Step(s, d, s')` of [TR15 §2] in full generality.
//!
//! Schedulers that only order tasks pay nothing for it: the views are built for those that
//! [look](crate::DelayingScheduler::looks). Names are interned: a [`Symbol`] is a position in one of the lists of the
//! program's [`Names`].

use crate::TaskId;

/// A name of a program: a position in one of the lists of its [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The symbol as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names that a program uses, by their kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The names of tasks: procedures, machine types, functions of threads.
    pub tasks: Vec<String>,
    /// Events and messages.
    pub events: Vec<String>,
    /// Where tasks stop: states of machines; procedures in which a task can be suspended.
    pub places: Vec<String>,
    /// Shared variables, and monitors, whose value is the name of their state.
    pub variables: Vec<String>,
}

/// The names of a program that has none.
pub static NO_NAMES: Names =
    Names { tasks: Vec::new(), events: Vec::new(), places: Vec::new(), variables: Vec::new() };

impl Names {
    /// The symbol of a name in one of the lists.
    pub fn find(list: &[String], name: &str) -> Option<Symbol> {
        let place = list.iter().position(|other| other == name)?;
        u32::try_from(place).ok().map(Symbol)
    }

    /// The symbol of what a task runs.
    pub fn task(&self, name: &str) -> Option<Symbol> {
        Self::find(&self.tasks, name)
    }

    /// The symbol of an event.
    pub fn event(&self, name: &str) -> Option<Symbol> {
        Self::find(&self.events, name)
    }

    /// The symbol of a place.
    pub fn place(&self, name: &str) -> Option<Symbol> {
        Self::find(&self.places, name)
    }

    /// The symbol of a variable.
    pub fn variable(&self, name: &str) -> Option<Symbol> {
        Self::find(&self.variables, name)
    }
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// Any other value, as traces show it.
    Text(String),
}

/// A state of the program, by names. Every method but [`names`](Self::names) answers "unknown" by default.
pub trait StateView {
    /// The names of the program.
    fn names(&self) -> &Names;

    /// The tasks that exist.
    fn tasks(&self) -> Vec<TaskId> {
        Vec::new()
    }

    /// The procedure, machine type or function that a task runs.
    fn name(&self, _task: TaskId) -> Option<Symbol> {
        None
    }

    /// The place at which a task has stopped.
    fn place(&self, _task: TaskId) -> Option<Symbol> {
        None
    }

    /// The events that wait for a task, in the order of their arrival.
    fn queue(&self, _task: TaskId) -> Vec<Symbol> {
        Vec::new()
    }

    /// The event that the next step of a task takes.
    fn next_event(&self, _task: TaskId) -> Option<Symbol> {
        None
    }

    /// The value of a shared variable.
    fn variable(&self, _variable: Symbol) -> Option<Seen> {
        None
    }
}

/// An action of a task in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It took an event from its queue.
    Received(Symbol),
    /// It created a task.
    Posted(TaskId),
    /// It sent an event, or another message or signal, to a task.
    Sent {
        /// The receiver.
        to: TaskId,
        /// The event, if it has a name.
        event: Option<Symbol>,
    },
    /// It ended another task.
    Ended(TaskId),
    /// It stopped at another place than before.
    Entered(Symbol),
    /// It waits.
    Blocked,
    /// It has completed.
    Completed,
}

/// A step, as a scheduler observes it.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// The task that took the step; `None` for the initial state.
    pub task: Option<TaskId>,
    /// Its actions.
    pub did: &'a [Did],
    /// The state before the step; `None` for the initial state.
    pub before: Option<&'a dyn StateView>,
    /// The state after it.
    pub after: &'a dyn StateView,
}

impl std::fmt::Debug for Observed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observed").field("task", &self.task).field("did", &self.did).finish_non_exhaustive()
    }
}
