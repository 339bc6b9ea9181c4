//! A bounded verifier for sequential Boogie programs.
//!
//! It decides whether an assertion can fail: for all inputs at once, with an SMT solver, and up to a bound on
//! recursion and on iterations of loops. The passes: control flow with contracts as instructions (`flow`);
//! loops become recursion (`loops`); symbolic execution of a procedure, all paths at once (`execute`); calls
//! are inlined where counterexamples need them (`inline`); a model becomes a path (`walk`).
//!
//! The caller provides the solver: see [`Solver`]. Nothing here touches processes, files or the clock.
//!
//! # What it assumes
//!
//! Integers are mathematical, maps are arrays (one with several indices is a map of maps), bitvectors are
//! bitvectors, functions and axioms are the solver's. A function whose body is not recursive is inlined.
//! Division by zero has an arbitrary value, and so has a field that a value does not have: neither is a failure here.

mod abstraction;
mod axioms;
mod build;
mod contradiction;
mod emit;
mod execute;
mod expr;
mod facts;
mod flow;
mod horn;
mod houdini;
mod inline;
mod lambda;
mod limits;
mod logic;
mod loops;
mod merge;
mod path;
mod pointwise;
mod sexpr;
mod solve;
mod solver;
mod term;
mod value;
mod walk;
mod witness;

pub use crate::abstraction::{Abstraction, Group, Start, asserted, groups};
pub use crate::contradiction::Theory;
pub use crate::horn::horn_clauses;
pub use crate::houdini::Invariants;
pub use crate::inline::{Answer, Effort, InlineOptions, NoAnswer, Verifier};
pub use crate::limits::VerifyLimits;
pub use crate::path::{Application, Binding, Division, Failed, Path, PathElement, Site, StepKind};
pub use crate::solver::{QueryMode, Solver, SolverError};
pub use crate::value::{ModelValue, NoValue};
