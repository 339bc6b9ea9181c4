//! Scripts at run time: the nondeterministic choices of tasks, as inputs (see `compile::script`).

use crate::code::Place;
use crate::value::Value;

/// The kinds of places with decisions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Site {
    /// At a choice.
    Choose,
    /// Where variables become arbitrary.
    Set,
    /// Where a procedure begins.
    Enter,
}

/// A decision, with the number of its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Act {
    /// Takes this outcome.
    Choose(u32, u32),
    /// Assigns values to variables.
    Set(u32, Vec<(Place, Value)>),
    /// Lets a posted task follow this script.
    Post(u32),
}

/// The scripts of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    pub(crate) acts: Vec<Vec<Act>>,
    /// The scripts of the first tasks, in the order of the entry points.
    pub(crate) entries: Vec<u32>,
    /// The thread-local variable with the position of a task in its script.
    pub(crate) position: u32,
}

impl Scripts {
    /// The position at the beginning of a script.
    pub(crate) fn beginning(script: u32) -> Value {
        Value::Int(i64::from(script) << 32)
    }

    /// The next decision, and the position after it.
    pub(crate) fn next(&self, position: Value) -> Option<(&Act, Value)> {
        let Value::Int(position) = position else { return None };
        let script = self.acts.get((position >> 32) as usize)?;
        let act = script.get((position & i64::from(u32::MAX)) as usize)?;
        Some((act, Value::Int(position + 1)))
    }
}
