//! The semantics of asynchronous Boogie programs.
//!
//! A program is compiled to flat code, and explored as a [`dally_explore::Program`]: [`Machine`].
//!
//! # Steps
//!
//! A task runs until it yields, blocks or terminates; no other task runs in between. It also stops where it
//! posts a task of a higher level, which then runs at once. A step has several outcomes where the task
//! makes a nondeterministic choice: a `goto` with several targets, a guard `*`, or the first read of an
//! arbitrary variable.
//!
//! # Arbitrary values
//!
//! A variable that was havocked, or never assigned to, has an arbitrary value. If its type is finite
//! (`bool`, small bitvectors, datatypes of such types, or any type with `{:range}`), the first read chooses
//! the value nondeterministically. Reading any other arbitrary value is `unsupported`. `assume x == e`
//! gives an arbitrary `x` its value.
//!
//! # Levels and buffers [FSE12 §3]
//!
//! A task belongs to the buffer of its poster, and runs at that task's level unless the post names another.
//! In each buffer, only tasks of the highest level with an enabled task may run; a task that was
//! interrupted by a task of a higher level resumes before all others of its level. A `zield` lets any
//! buffer run next; so does a buffer without an enabled task.
//!
//! Deviations from the design:
//! 1. A task that blocks inside an atomic section lets others run until it is enabled, as in Promela.
//! 2. With `preempt`, statements are atomic: a switch may happen before each one that touches a shared
//!    variable, not between two accesses of one statement.

mod builtin;
mod bv;
mod canonical;
mod code;
mod compile;
mod constraint;
mod coverage;
mod effect;
mod evaluate;
mod execute;
mod explain;
mod footprint;
#[cfg(test)]
mod generated;
mod liveness;
mod locks;
mod machine;
mod memo;
mod names;
mod notation;
mod packed;
mod quantifier;
mod real;
mod script;
mod state;
mod vacuous;
mod value;
mod wide;

pub use compile::{Decision, DivisionByZero, FunctionPoint, Inputs, MachineOptions, Script};
pub use machine::Machine;
pub use notation::Notation;
pub use state::State;
pub use value::Value;
