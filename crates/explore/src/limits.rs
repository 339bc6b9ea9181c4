//! Limits that are checked inside a step. The search itself checks its limits between steps only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Failure, Limit};

/// Limits on a step, for programs whose steps may take long.
#[derive(Clone, Debug)]
pub struct StepLimits {
    /// Becomes true when a running step must stop.
    pub interrupt: Arc<AtomicBool>,
    /// The limit on the bytes that the values of all states take.
    pub memory: usize,
}

impl Default for StepLimits {
    fn default() -> Self {
        StepLimits { interrupt: Arc::default(), memory: usize::MAX }
    }
}

impl StepLimits {
    /// The failure with which the step stops, if a limit is reached. `bytes` counts the bytes of the values.
    #[cold]
    pub fn reached(&self, bytes: impl FnOnce() -> usize) -> Option<Failure> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Failure::interrupted(Limit::Cancelled));
        }
        (bytes() > self.memory).then(|| Failure::interrupted(Limit::Memory))
    }
}
