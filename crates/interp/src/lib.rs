//! The semantics of asynchronous Boogie programs.
//!
//! A program is compiled to flat code, and explored as a [`dally_explore::Program`]: [`Machine`].
//!
//! # What a step is
//!
//! A task runs until it yields, blocks or ends; in between nobody else moves. It also stops where it posts a
//! task of a higher level, which then runs at once. A step has several outcomes where the task chooses: a
//! `goto` with several targets, a guard `*`, a variable whose value is arbitrary.
//!
//! # Arbitrary values
//!
//! What was never assigned to, or was havocked, has an arbitrary value. It is chosen when it is first read, if
//! the type is finite (`bool`, small bitvectors, datatypes of such, or anything with `{:range}`); to read any
//! other arbitrary value is `unsupported`. `assume x == e` gives an arbitrary `x` its value.
//!
//! # Levels and buffers [FSE12 §3]
//!
//! A task belongs to the buffer of its poster, and runs at its level. Only tasks of the highest level of a
//! buffer at which somebody can move may run; one that was stopped by a task of a higher level goes on before
//! any other of its own level. At a `zield`, any buffer may go on; where the buffer whose turn it is cannot
//! move, so may any other.
//!
//! Deviations from the design:
//! 1. A task that blocks inside of an atomic section lets others run until it can go on, as in Promela.
//! 2. With `preempt`, statements are atomic: a switch may happen before each one that touches a shared
//!    variable, not between two accesses of one statement.

mod bv;
mod code;
mod compile;
mod effect;
mod evaluate;
mod execute;
mod explain;
mod liveness;
mod machine;
mod memo;
mod packed;
mod quantifier;
mod real;
mod script;
mod state;
mod value;
mod wide;

pub use compile::{Decision, Inputs, Options, Script};
pub use machine::Machine;
pub use state::State;
pub use value::Value;
