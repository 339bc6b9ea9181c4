//! What ends a step that takes long. The search itself looks at its limits between steps only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Failure, Limit};

/// What ends a step that takes long, for programs whose steps may.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Becomes true when steps shall end as soon as they can.
    pub interrupt: Arc<AtomicBool>,
    /// How many bytes the values of all states may take.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { interrupt: Arc::default(), memory: usize::MAX }
    }
}

impl Limits {
    /// The failure with which a step ends now, if a limit is reached; `bytes` tells what the values take.
    #[cold]
    pub fn reached(&self, bytes: impl FnOnce() -> usize) -> Option<Failure> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Failure::interrupted(Limit::Cancelled));
        }
        (bytes() > self.memory).then(|| Failure::interrupted(Limit::Memory))
    }
}
