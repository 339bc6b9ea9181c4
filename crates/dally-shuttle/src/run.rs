//! The current execution: its deviations, and the record of its steps.

use shuttle::scheduler::TaskId;

use crate::enumeration::{Branches, Outcome};
use crate::policy::{Delayed, Price};

/// The branch of the next deviation, if there is none.
const NEVER: u32 = u32::MAX;

/// The current execution.
#[derive(Debug)]
pub(crate) struct Run {
    /// The branches at which it deviates.
    deviations: Branches,
    /// The number of deviations taken, and the branch of the next one.
    taken: usize,
    next: u32,
    /// Its branches so far.
    outcome: Outcome,
    /// The task of each step.
    pub(crate) trace: Vec<TaskId>,
    /// The number of values requested.
    values: usize,
    /// A hash of the tasks and values so far.
    history: u64,
    /// The values other than the default.
    pub(crate) chosen: Vec<Departure>,
    /// The cost of its deviations so far.
    cost: u32,
    /// True if a branch lacked the alternative of a deviation.
    misfit: bool,
    /// The number of steps that the last task took one after the other, although others could run.
    streak: usize,
}

/// A deviation of an execution from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// A task was delayed.
    Delayed(Delayed),
    /// Before this step, the nth of several values was chosen.
    Value { step: usize, nth: usize, of: u32 },
}

impl Departure {
    /// The step before which it took place.
    pub(crate) fn step(&self) -> usize {
        match *self {
            Self::Delayed(Delayed { step, .. }) | Self::Value { step, .. } => step,
        }
    }
}

impl Run {
    /// An execution with these deviations, before its first step.
    pub(crate) fn new(deviations: Branches) -> Self {
        let mut run = Self {
            deviations: Branches::default(),
            taken: 0,
            next: NEVER,
            outcome: Outcome::default(),
            trace: Vec::new(),
            values: 0,
            history: 0,
            chosen: Vec::new(),
            cost: 0,
            misfit: false,
            streak: 0,
        };
        run.restart(deviations);
        run
    }

    /// Begins another execution, and reuses the buffers.
    pub(crate) fn restart(&mut self, deviations: Branches) {
        self.next = deviations.first().copied().unwrap_or(NEVER);
        self.deviations = deviations;
        (self.taken, self.misfit, self.values, self.history, self.cost) = (0, false, 0, 0, 0);
        self.streak = 0;
        self.outcome.clear();
        self.trace.clear();
        self.chosen.clear();
    }

    /// Decides at a branch with this many alternatives. Returns the decision, and the index of the alternative.
    #[inline]
    pub(crate) fn branch<T>(
        &mut self,
        options: usize,
        decide: impl FnOnce(usize) -> (T, Price),
    ) -> (T, usize) {
        let nth = if self.is_due() { self.deviate(options) } else { 0 };
        let (choice, price) = decide(nth);
        self.pass(price, (nth, options));
        (choice, nth)
    }

    /// Records the alternative of a branch that a guide has selected.
    pub(crate) fn guided(&mut self, price: Price, nth: usize) {
        self.deviations.extend(std::iter::repeat_n(self.outcome.branches, nth));
        self.taken = self.deviations.len();
        self.cost += price.paid();
        self.outcome.branches += 1;
    }

    /// True if the execution deviates at the next branch.
    fn is_due(&self) -> bool {
        self.outcome.branches == self.next
    }

    /// The alternative that the deviations select at this branch.
    fn deviate(&mut self, options: usize) -> usize {
        let mut nth = 0;
        while self.is_due() {
            nth += 1;
            self.taken += 1;
            self.next = self.deviations.get(self.taken).copied().unwrap_or(NEVER);
        }
        self.misfit |= nth >= options;
        nth.min(options - 1)
    }

    /// Records the alternative taken at this branch: the index `nth` of `options`.
    #[inline]
    pub(crate) fn pass(&mut self, price: Price, way: (usize, usize)) {
        if price != Price::USUAL {
            self.pay(price, way);
        }
        self.outcome.branches += 1;
    }

    fn pay(&mut self, price: Price, (nth, options): (usize, usize)) {
        self.cost += price.paid();
        if self.next == NEVER {
            if nth > 0 {
                self.outcome.further = (nth + 1 < options).then_some(price.further());
            } else if price.first() == 0 {
                self.outcome.free.push(self.outcome.branches);
            }
        }
    }

    /// Records a step of a task. `stays`: it ran before, and others could run.
    pub(crate) fn ran(&mut self, task: TaskId, stays: bool) {
        self.streak = if stays { self.streak + 1 } else { 0 };
        self.trace.push(task);
        self.happened(usize::from(task));
    }

    /// True if the last task took this many steps although others could run.
    pub(crate) fn has_used_quantum(&self, quantum: usize) -> bool {
        self.streak >= quantum
    }

    /// Records that the nth value was returned; seeded values count as 0.
    pub(crate) fn returned(&mut self, nth: usize) {
        self.values += 1;
        self.happened(usize::MAX - nth);
    }

    fn happened(&mut self, what: usize) {
        // The hash of rustc's hash tables, which suffices for lists of small numbers.
        self.history =
            (self.history.rotate_left(5) ^ (what as u64).wrapping_add(1)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// A hash of all steps so far.
    pub(crate) fn history(&self) -> u64 {
        self.history
    }

    /// The number of steps so far: of tasks, and values requested.
    pub(crate) fn steps(&self) -> usize {
        self.trace.len() + self.values
    }

    /// The number of values requested so far.
    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// The cost of its deviations so far.
    pub(crate) fn cost(&self) -> u32 {
        self.cost
    }

    /// The number of branches so far.
    pub(crate) fn branches(&self) -> u32 {
        self.outcome.branches
    }

    pub(crate) fn deviations(&self) -> &[u32] {
        &self.deviations
    }

    /// After the last step: true if the execution could follow its deviations.
    pub(crate) fn fits(&self) -> bool {
        !self.misfit && self.taken == self.deviations.len()
    }

    /// After the last step: its branches.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// After the last step: restricts its children to deviations at these branches.
    pub(crate) fn restrict(&mut self, sites: impl FnOnce(&mut Vec<u32>)) {
        self.outcome.restricted = true;
        sites(&mut self.outcome.sites);
    }

    /// After the last step: its deviations, as a buffer for those of the next execution.
    pub(crate) fn take_deviations(&mut self) -> Branches {
        std::mem::take(&mut self.deviations)
    }
}
