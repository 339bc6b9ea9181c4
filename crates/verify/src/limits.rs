//! Limits of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::inline::NoAnswer;
use crate::solver::SolverError;

/// Limits of a run. This crate reads no clock: the caller sets the flag when the time is up.
#[derive(Clone, Debug)]
pub struct VerifyLimits {
    /// Set to end the run as soon as possible: it fails with [`SolverError::Cancelled`].
    pub interrupt: Arc<AtomicBool>,
    /// Set if the result is no longer needed: the run ends as if it were interrupted.
    pub decided: Arc<AtomicBool>,
    /// The most terms; each takes some hundred bytes. A run with more fails with [`NoAnswer::TooLarge`].
    pub terms: usize,
    /// Counts inlined calls while a run is under way.
    pub inlined: Arc<AtomicUsize>,
}

impl Default for VerifyLimits {
    fn default() -> Self {
        VerifyLimits {
            interrupt: Arc::default(),
            decided: Arc::default(),
            terms: VerifyLimits::TERMS,
            inlined: Arc::default(),
        }
    }
}

impl VerifyLimits {
    /// The default: this many terms take a few gigabytes.
    pub const TERMS: usize = 8_000_000;

    /// Fails if the run has been interrupted.
    pub(crate) fn poll(&self) -> Result<(), NoAnswer> {
        match self.interrupt.load(Ordering::Relaxed) || self.decided.load(Ordering::Relaxed) {
            true => Err(NoAnswer::Solver(SolverError::Cancelled)),
            false => Ok(()),
        }
    }

    /// Fails if a limit is reached, given the number of terms.
    pub(crate) fn hold(&self, terms: usize) -> Result<(), NoAnswer> {
        if terms > self.terms {
            return Err(NoAnswer::TooLarge);
        }
        self.poll()
    }
}
