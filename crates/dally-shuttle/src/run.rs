//! One execution while it runs: where it deviates, and what is written down on the way.

use shuttle::scheduler::TaskId;

use crate::enumeration::{Branches, Outcome};
use crate::policy::Price;

/// No more deviations.
const NEVER: u32 = u32::MAX;

/// One execution while it runs.
#[derive(Debug)]
pub(crate) struct Run {
    /// Where it deviates.
    deviations: Branches,
    /// How many of these are behind it, and the branch of the next one.
    taken: usize,
    next: u32,
    /// What is known of it so far.
    outcome: Outcome,
    /// The tasks that ran, step by step.
    pub(crate) trace: Vec<TaskId>,
    /// How many values were asked for.
    values: usize,
    /// A hash of all that: tasks and values.
    history: u64,
    /// The values that it did not get by default.
    pub(crate) chosen: Vec<Departure>,
    /// What its deviations cost so far.
    cost: u32,
    /// There was no such alternative at some branch.
    misfit: bool,
}

/// How an execution departed from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    /// Before this step, this task had to stand back.
    PutOff(usize, TaskId),
    /// Before this step, the nth of so many values was chosen.
    Value(usize, usize, u32),
}

impl Departure {
    /// The step before which it happened.
    pub(crate) fn step(&self) -> usize {
        match *self {
            Self::PutOff(step, _) | Self::Value(step, ..) => step,
        }
    }
}

impl Run {
    /// The execution with these deviations, before it begins.
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
        };
        run.restart(deviations);
        run
    }

    /// Another execution, in the same buffers.
    pub(crate) fn restart(&mut self, deviations: Branches) {
        self.next = deviations.first().copied().unwrap_or(NEVER);
        self.deviations = deviations;
        (self.taken, self.misfit, self.values, self.history, self.cost) = (0, false, 0, 0, 0);
        self.outcome.clear();
        self.trace.clear();
        self.chosen.clear();
    }

    /// Decides at a branch with so many ways to go on. Says what was decided, and which alternative it was.
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

    /// Whether an alternative is due at the next branch.
    fn is_due(&self) -> bool {
        self.outcome.branches == self.next
    }

    /// The alternative that is due at this branch.
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

    /// The nth of so many ways was taken at this branch.
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

    /// A task runs.
    pub(crate) fn ran(&mut self, task: TaskId) {
        self.trace.push(task);
        self.happened(usize::from(task));
    }

    /// The nth value was returned; what comes from a seed counts as 0.
    pub(crate) fn returned(&mut self, nth: usize) {
        self.values += 1;
        self.happened(usize::MAX - nth);
    }

    fn happened(&mut self, what: usize) {
        // As in rustc's hash tables, where it is good enough for lists of small numbers.
        self.history =
            (self.history.rotate_left(5) ^ (what as u64).wrapping_add(1)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    /// A hash of all steps so far.
    pub(crate) fn history(&self) -> u64 {
        self.history
    }

    /// Steps so far: tasks that ran, and values that were asked for.
    pub(crate) fn steps(&self) -> usize {
        self.trace.len() + self.values
    }

    /// Values that were asked for so far.
    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// What its deviations cost so far.
    pub(crate) fn cost(&self) -> u32 {
        self.cost
    }

    /// Branches so far.
    pub(crate) fn branches(&self) -> u32 {
        self.outcome.branches
    }

    pub(crate) fn deviations(&self) -> &[u32] {
        &self.deviations
    }

    /// Whether the execution could follow its deviations, now that it is over.
    pub(crate) fn fits(&self) -> bool {
        !self.misfit && self.taken == self.deviations.len()
    }

    /// What is known of it, once it is over.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The deviations of an execution that is over, as a buffer for those of the next.
    pub(crate) fn take_deviations(&mut self) -> Branches {
        std::mem::take(&mut self.deviations)
    }
}
