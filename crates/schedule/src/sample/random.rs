//! `random`: each enabled task is equally likely.

use super::{Estimates, Generator, TaskSampler};
use crate::{Ready, TaskId};

/// Uniform over the enabled tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl TaskSampler for Uniform {
    fn begin(&mut self, _: &Estimates, _: &mut Generator) {}

    fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId> {
        match ready.enabled() {
            [only] => Some(*only),
            tasks => tasks.get(random.below(tasks.len() as u64) as usize).copied(),
        }
    }
}
