//! Scripts: the decisions of tasks at nondeterministic choices, given in the inputs. See `compile::script`.

use crate::code::VarStorage;
use crate::value::Value;

/// The kind of a decision site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Site {
    /// A nondeterministic choice.
    Choose,
    /// A `havoc`, or another statement that makes variables arbitrary.
    Set,
    /// The entry of a procedure.
    Enter,
}

/// A decision, at the site of this number.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Act {
    /// Select an option of a choice.
    Choose(u32, u32),
    /// Assign values to variables.
    Set(u32, Vec<(VarStorage, Value)>),
    /// Post a task that follows this script.
    Post(u32),
}

/// The scripts of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    pub(crate) acts: Vec<Vec<Act>>,
    /// The scripts of the first tasks, in the order of the entry points.
    pub(crate) entries: Vec<u32>,
    /// The thread-local variable that holds a task's position in its script.
    pub(crate) position: u32,
}

impl Scripts {
    /// The position at the start of a script.
    pub(crate) fn beginning(script: u32) -> Value {
        Value::Int(i64::from(script) << 32)
    }

    /// The decision at a position, and the position after it.
    pub(crate) fn next(&self, position: Value) -> Option<(&Act, Value)> {
        let Value::Int(position) = position else { return None };
        let script = self.acts.get((position >> 32) as usize)?;
        let act = script.get((position & i64::from(u32::MAX)) as usize)?;
        Some((act, Value::Int(position + 1)))
    }
}
