//! The questions of the page, and their answers.

use dally_trace::{Change, Statement, TaskName, TraceStep};
use serde::{Deserialize, Serialize};

/// A path from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkPath {
    /// The index of the initial state.
    #[serde(default)]
    pub initial: u32,
    /// The steps.
    pub steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// The number of the task, as schedules have it.
    pub task: u32,
    /// The option taken at each nondeterministic choice.
    #[serde(default)]
    pub choices: Vec<u32>,
}

/// The state at the end of a path.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The strategy that proposes tasks.
    pub strategy: String,
    /// The number of initial states.
    pub initials: usize,
    /// The steps of the path, explained. A long path is shortened: this many steps are missing after the first ones.
    pub steps: Vec<TraceStep>,
    /// The number of steps that are missing.
    pub missing: usize,
    /// The deviations on the path: delays, say.
    pub spent: u32,
    /// The values of the shared variables.
    pub values: Vec<Change>,
    /// The failure of the last step, or the deadlock in this state.
    pub failure: Option<String>,
    /// The tasks that the strategy proposes, in its order.
    pub offers: Vec<OfferView>,
}

/// A task that can run.
#[derive(Clone, Debug, Serialize)]
pub struct OfferView {
    /// Its number, as schedules have it.
    pub task: u32,
    /// Its name and its number in traces.
    pub name: TaskName,
    /// The deviations before it is proposed.
    pub cost: u32,
    /// The tasks that are delayed before it.
    pub delayed: Vec<TaskName>,
    /// The outcomes of its step.
    pub outcomes: Vec<OutcomeView>,
    /// The number of outcomes that are not shown.
    pub more: usize,
}

/// One outcome of a step.
#[derive(Clone, Debug, Serialize)]
pub struct OutcomeView {
    /// The option taken at each nondeterministic choice.
    pub choices: Vec<u32>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The shared variables that it changes.
    pub changes: Vec<Change>,
    /// Its failure, or the deadlock after it.
    pub failure: Option<String>,
}
