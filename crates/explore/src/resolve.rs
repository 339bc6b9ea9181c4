//! From links of the search tree to a schedule.
//!
//! A link says which outcome of a step was taken; a schedule lists the options of each choice in it, so
//! that it can be replayed without enumerating outcomes. The steps are executed once more to find them. A
//! step that was suspended has several links.

use dally_schedule::{StrategyName, TaskId};

use crate::Program;
use crate::choices::{Path, Schedule, ScheduleStep};
use crate::expand::Finder;
use crate::successors::Successors;
use crate::tree::{Branch, Link, Spent};

/// A step or a part of one, as a search took it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) task: TaskId,
    pub(crate) branch: Branch,
    pub(crate) spent: Spent,
    /// The number of steps that are fused with it, and follow it.
    pub(crate) fused: u8,
}

impl Segment {
    /// True unless a suspended step is resumed.
    pub(crate) fn begins(&self) -> bool {
        self.branch.option().is_none()
    }
}

impl From<&Link> for Segment {
    fn from(link: &Link) -> Self {
        Self { task: link.task, branch: link.branch, spent: link.spent, fused: link.fused }
    }
}

/// Executes a program along segments.
pub(crate) struct Resolver<'a, P: Program> {
    program: &'a P,
    successors: Successors<P::State>,
    finder: Finder<P::State>,
    state: Option<P::State>,
    /// The options taken in the current step.
    path: Path,
    schedule: Schedule,
}

impl<'a, P: Program> Resolver<'a, P> {
    /// Begins at the initial state of this number. The finder is that of the search.
    pub(crate) fn new(
        program: &'a P,
        strategy: StrategyName,
        initial: u32,
        finder: Finder<P::State>,
    ) -> Self {
        let inline = finder.successors.inline;
        let mut successors = Successors { inline, paths: Some(Vec::new()), ..Successors::default() };
        program.initial(&mut successors);
        let state = successors.states.get(initial as usize).cloned();
        let schedule = Schedule { initial, ..Schedule::new(strategy) };
        Self { program, successors, finder, state, path: Path::new(), schedule }
    }

    /// Executes segments. Invariant of the search: the program can take them.
    pub(crate) fn follow(&mut self, segments: impl IntoIterator<Item = Segment>) {
        segments.into_iter().for_each(|segment| self.take(segment));
    }

    fn take(&mut self, segment: Segment) {
        self.take_step(segment);
        let mut last = segment.task;
        for _ in 0..segment.fused {
            let next = self.state.as_ref().and_then(|state| self.finder.find_any(self.program, state, last));
            let Some(task) = next else { return };
            self.take_step(Segment { task, branch: Branch::step(0), spent: Spent::default(), fused: 0 });
            last = task;
        }
    }

    fn take_step(&mut self, Segment { task, branch, spent, .. }: Segment) {
        let Some(state) = &self.state else { return };
        let out = &mut self.successors;
        match branch.option() {
            None => {
                self.path.clear();
                out.clear();
                self.program.step(state, task, out);
                self.schedule.steps.push(ScheduleStep::new(task, 0));
            }
            Some(option) => {
                self.path.push(option);
                self.program.resume(state, task, &self.path, out);
            }
        }
        let nth = branch.nth() as usize;
        self.path = out.path_to(nth);
        if let Some(step) = self.schedule.steps.last_mut() {
            step.cost += spent.deviations();
            step.choice_cost += spent.choices();
            step.choices.clone_from(&self.path);
        }
        if out.suspended(nth).is_none() {
            let before = out.outcomes.iter().take(nth).filter(|outcome| outcome.has_state).count();
            self.state = out.states.get(before).cloned();
        }
    }

    /// The number of steps so far.
    pub(crate) fn steps(&self) -> usize {
        self.schedule.steps.len()
    }

    /// The schedule of what was executed.
    pub(crate) fn finish(self) -> Schedule {
        self.schedule
    }
}
