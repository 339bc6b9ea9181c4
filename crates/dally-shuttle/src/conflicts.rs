//! The branches at which a delay matters: before a step that conflicts with a later one of another task.
//!
//! A step that conflicts with no later step of another task could as well have run later: to delay its task there
//! leads to an execution that ends in the same state, unless another task depends on the absence of the steps between.
//! So a search that delays only before conflicting steps covers fewer executions at the same bound, and does not
//! promise all of them. Steps whose accesses are unknown conflict with every other.

use rustc_hash::FxHashMap;

use crate::operations::{self, Footprint, Object};

/// The steps of the current execution.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    steps: Vec<(usize, Footprint)>,
    /// The branches, and the step before which each of them is; `None` for values.
    branches: Vec<(u32, Option<usize>)>,
}

/// The tasks that access an object after a step: one, or several.
#[derive(Clone, Copy, Debug, Default)]
struct Later {
    readers: Tasks,
    writers: Tasks,
}

/// No task, one, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tasks {
    #[default]
    None,
    One(usize),
    Several,
}

impl Tasks {
    fn add(&mut self, task: usize) {
        *self = match *self {
            Self::None => Self::One(task),
            Self::One(other) if other == task => Self::One(task),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    fn has_other_than(self, task: usize) -> bool {
        match self {
            Self::None => false,
            Self::One(other) => other != task,
            Self::Several => true,
        }
    }
}

impl Conflicts {
    /// An execution begins.
    pub(crate) fn begin(&mut self) {
        self.steps.clear();
        self.branches.clear();
    }

    /// Ends the last step at a scheduling point. `gone`: its task has terminated or is blocked.
    pub(crate) fn end_step(&mut self, gone: bool) {
        if let Some((_, footprint)) = self.steps.last_mut() {
            operations::end_step(footprint, gone);
        }
    }

    /// A task runs, after this branch if there was one.
    pub(crate) fn begin_step(&mut self, task: usize, branch: Option<u32>) {
        self.branches.extend(branch.map(|branch| (branch, Some(self.steps.len()))));
        self.steps.push((task, Footprint::default()));
        operations::begin_step(task);
    }

    /// A value was chosen at this branch.
    pub(crate) fn value(&mut self, branch: u32) {
        self.branches.push((branch, None));
    }

    /// The execution has ended. Passes the branches at which deviations matter, in ascending order.
    pub(crate) fn end(&mut self, sites: &mut Vec<u32>) {
        if let Some((_, footprint)) = self.steps.last_mut() {
            operations::end_execution(footprint);
        }
        let mut later: FxHashMap<Object, Later> = FxHashMap::default();
        let (mut all, mut unknown) = (Tasks::None, Tasks::None);
        let mut matters = vec![false; self.steps.len()];
        for (nth, (task, footprint)) in self.steps.iter().enumerate().rev() {
            matters[nth] = unknown.has_other_than(*task)
                || footprint.unknown && all.has_other_than(*task)
                || footprint.accesses.iter().any(|access| {
                    let Later { readers, writers } = later.get(&access.object).copied().unwrap_or_default();
                    writers.has_other_than(*task) || access.is_write() && readers.has_other_than(*task)
                });
            all.add(*task);
            if footprint.unknown {
                unknown.add(*task);
            }
            for access in &footprint.accesses {
                let later = later.entry(access.object).or_default();
                if access.is_write() { later.writers.add(*task) } else { later.readers.add(*task) }
            }
        }
        sites.clear();
        let at_sites = self.branches.iter().filter(|(_, step)| step.is_none_or(|step| matters[step]));
        sites.extend(at_sites.map(|(branch, _)| *branch));
    }
}
