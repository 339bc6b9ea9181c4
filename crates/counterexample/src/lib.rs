//! From a model of a sequential program to an execution of the original one.
//!
//! The verifier reports a [`Path`] of the program that it saw: the translation of an asynchronous program. This crate takes it
//! back to the original program in two steps:
//!
//! 1. [`inputs`] reads from the path what the original program leaves open: values of variables, constants and functions, and
//!    for each task a script of its nondeterministic choices. The [`Origins`] of the translation say what each variable,
//!    procedure and statement stands for.
//! 2. [`replay`] searches for an execution of the original program, in the interpreter, that follows these inputs and fails.
//!    Only the order of tasks is searched for, under the scheduler and within the bound of the translation.
//!
//! A bug is reported only if its execution has been found: a path without one is a defect, of dally or of the solver.

mod inputs;
mod replay;
mod script;

pub use crate::inputs::{Translated, failure, inputs, unreadable};
pub use crate::replay::{Confirmation, Execution, Original, replay};

#[cfg(doc)]
use dally_sequentialize::Origins;
#[cfg(doc)]
use dally_verify::Path;
