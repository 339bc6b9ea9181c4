//! Calls on the stack of a task.

use serde::{Deserialize, Serialize};

/// One call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// The procedure or function that was called.
    pub function: u32,
    /// The next instruction.
    pub pc: u32,
    /// The index of its first variable among the values of the task.
    pub base: u32,
}
