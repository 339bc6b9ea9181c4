//! The deviations of an execution from a scheduler and from the first options.

use std::collections::BTreeMap;

use dally_schedule::TaskId;
use smallvec::SmallVec;

use crate::sample::Taken;

/// A step of a task: the task, and the number of steps that it took before.
pub(crate) type Local = (TaskId, u32);

/// The deviations of an execution. Each belongs to a step of a task, so that it keeps its meaning in other
/// interleavings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deviations {
    pub(crate) initial: u32,
    /// How often a task is delayed before a step.
    delays: BTreeMap<Local, u32>,
    /// The options taken in a step.
    choices: BTreeMap<Local, SmallVec<[u32; 2]>>,
}

/// A deviation that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// All delays before a step.
    Delay(Local),
    /// An option other than the first, at the choice of this number in a step.
    Choice(Local, usize),
}

/// The objectives of the search, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score {
    /// The cost of the deviations.
    pub(crate) cost: u32,
    pub(crate) steps: usize,
    /// The number of options other than the first, free ones included.
    pub(crate) options: usize,
}

/// Counts the steps of each task, and its delays before the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters(Vec<Counter>);

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    steps: u32,
    delays: u32,
}

impl Counters {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The next step of a task.
    pub(crate) fn next(&self, task: TaskId) -> Local {
        (task, self.0.get(task.index()).map_or(0, |counter| counter.steps))
    }

    /// How often a task was delayed before its next step.
    pub(crate) fn delayed(&self, task: TaskId) -> u32 {
        self.0.get(task.index()).map_or(0, |counter| counter.delays)
    }

    pub(crate) fn delay(&mut self, task: TaskId) {
        self.counter(task).delays += 1;
    }

    pub(crate) fn step(&mut self, task: TaskId) {
        let counter = self.counter(task);
        *counter = Counter { steps: counter.steps + 1, delays: 0 };
    }

    fn counter(&mut self, task: TaskId) -> &mut Counter {
        if self.0.len() <= task.index() {
            self.0.resize(task.index() + 1, Counter::default());
        }
        &mut self.0[task.index()]
    }
}

/// Calls `each` for the steps of an execution, with the counters before the step.
pub(crate) fn for_each_step<'s>(steps: &'s [Taken], mut each: impl FnMut(&Counters, &'s Taken)) {
    let mut counters = Counters::default();
    for step in steps {
        each(&counters, step);
        counters.step(step.task);
    }
}

impl Deviations {
    /// The deviations of an execution.
    pub(crate) fn of(initial: u32, steps: &[Taken]) -> Self {
        let mut deviations = Deviations { initial, ..Deviations::default() };
        for_each_step(steps, |counters, step| {
            for task in &step.delayed {
                *deviations.delays.entry(counters.next(*task)).or_default() += 1;
            }
            if step.drawn.iter().any(|drawn| drawn.option > 0) {
                let options = step.drawn.iter().map(|drawn| drawn.option).collect();
                deviations.choices.insert(counters.next(step.task), options);
            }
        });
        deviations
    }

    /// The deviations in the order of an execution.
    pub(crate) fn items(steps: &[Taken]) -> Vec<Item> {
        let mut items = Vec::new();
        for_each_step(steps, |counters, step| {
            for task in &step.delayed {
                let item = Item::Delay(counters.next(*task));
                if !items.contains(&item) {
                    items.push(item);
                }
            }
            let options = step.drawn.iter().enumerate().filter(|(_, drawn)| drawn.option > 0);
            items.extend(options.map(|(nth, _)| Item::Choice(counters.next(step.task), nth)));
        });
        items
    }

    /// How often a task is delayed before a step.
    pub(crate) fn delays(&self, at: Local) -> u32 {
        self.delays.get(&at).copied().unwrap_or(0)
    }

    /// The options taken in a step.
    pub(crate) fn options(&self, at: Local) -> &[u32] {
        self.choices.get(&at).map_or(&[], |options| options)
    }

    pub(crate) fn remove(&mut self, item: Item) {
        match item {
            Item::Delay(at) => {
                self.delays.remove(&at);
            }
            Item::Choice(at, nth) => {
                if let Some(option) = self.choices.get_mut(&at).and_then(|options| options.get_mut(nth)) {
                    *option = 0;
                }
            }
        }
    }

    /// Sets the number of delays before a step.
    pub(crate) fn set_delays(&mut self, at: Local, delays: u32) {
        self.delays.insert(at, delays);
    }

    pub(crate) fn remove_delays(&mut self) {
        self.delays.clear();
    }

    pub(crate) fn remove_choices(&mut self) {
        self.choices.clear();
    }
}
