//! What ends a run that takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::inline::Failure;
use crate::solver::SolverError;

/// What ends a run that takes long. Nothing here reads a clock: whoever does sets the flag.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Becomes true when a run shall end as soon as it can: it fails with [`SolverError::Cancelled`].
    pub interrupt: Arc<AtomicBool>,
    /// The most terms that may be held; with all that comes with them, each takes some hundred bytes. With more, a run
    /// fails with [`Failure::TooLarge`].
    pub terms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { interrupt: Arc::default(), terms: Limits::TERMS }
    }
}

impl Limits {
    /// So many terms fit into a few gigabytes.
    pub const TERMS: usize = 8_000_000;

    /// Fails if somebody wants the run to end.
    pub(crate) fn poll(&self) -> Result<(), Failure> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Failure::Solver(SolverError::Cancelled)),
            false => Ok(()),
        }
    }

    /// Fails if a limit is reached, where so many terms are held.
    pub(crate) fn hold(&self, terms: usize) -> Result<(), Failure> {
        if terms > self.terms {
            return Err(Failure::TooLarge);
        }
        self.poll()
    }
}
