//! SMT solvers for [`dally_verify`], as child processes that speak SMT-LIB 2.
//!
//! A crash or a time-out of a solver stays outside of the process that asks. What differs between solvers is one row each
//! in the table of [`dialects`](DIALECTS): add a solver there.
//!
//! ```no_run
//! use dally_smt::{SolverBudget, Process};
//! use dally_verify::Solver;
//!
//! let mut solver = Process::start("z3", None, SolverBudget::default()).expect("z3 is installed");
//! solver.send("(declare-const x Int)\n(assert (> x 0))\n").unwrap();
//! assert_eq!(solver.query("(check-sat)\n").unwrap(), "sat");
//! ```

mod answer;
mod dialect;
#[cfg(unix)]
mod guard;
mod pipes;
mod portfolio;
mod process;
mod processes;

pub use crate::dialect::{DIALECTS, Dialect, Modes, has_horn_clauses};
pub use crate::portfolio::{Logs, Portfolio};
pub use crate::process::{Process, SolverBudget};
pub use crate::processes::Processes;
