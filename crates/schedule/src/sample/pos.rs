//! `pos`: partial-order sampling.
//!
//! The next step of each enabled task has a random priority, and the step of highest priority runs. Then the
//! steps that conflict with it get new priorities; the others keep theirs \[POS\]. Orders of steps that commute
//! are one partial order, and so is the order in which a task with a low priority runs after many steps of the
//! others, if it conflicts with none of them: under `random`, the probability of that order decreases
//! exponentially with the number of these steps; here it is 1 / (n + 1) for n steps of one other task.
//!
//! If all steps conflict, this is `random`.
//!
//! Deviations:
//! 1. Priorities are drawn when steps are compared: a step that is alone at a scheduling point needs none.
//! 2. Only the first tasks have priorities that last ([`Estimates::MAX_TASKS`]); the others draw a new one at
//!    each point.

use super::{Estimates, Generator, TaskSampler};
use crate::{Ready, TaskId};

/// Random priorities of steps, which conflicts reset.
#[derive(Clone, Debug, Default)]
pub struct PartialOrders {
    /// The priority of the next step, by task; 0 if it is not drawn.
    priorities: Vec<u64>,
}

impl PartialOrders {
    /// The priority of the next step of a task.
    fn priority(&mut self, task: TaskId, random: &mut Generator) -> u64 {
        let index = task.index();
        if index >= Estimates::MAX_TASKS {
            return random.next_number();
        }
        if self.priorities.len() <= index {
            self.priorities.resize(index + 1, 0);
        }
        let priority = &mut self.priorities[index];
        if *priority == 0 {
            *priority = random.next_number().max(1);
        }
        *priority
    }

    fn forget(&mut self, task: TaskId) {
        if let Some(priority) = self.priorities.get_mut(task.index()) {
            *priority = 0;
        }
    }
}

impl TaskSampler for PartialOrders {
    fn begin(&mut self, _: &Estimates, _: &mut Generator) {
        self.priorities.clear();
    }

    fn complete(&mut self, task: TaskId) {
        self.forget(task);
    }

    fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId> {
        let picked = match ready.enabled() {
            [only] => *only,
            tasks => *tasks.iter().max_by_key(|task| self.priority(**task, random))?,
        };
        self.forget(picked);
        Some(picked)
    }

    fn wants_conflicts(&self) -> bool {
        true
    }

    fn conflict(&mut self, task: TaskId) {
        self.forget(task);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Uniform;
    use super::*;

    const WALKS: u64 = 20_000;

    /// A mutation: steps that conflict keep their priority.
    #[derive(Default)]
    struct IgnoresConflicts(PartialOrders);

    impl TaskSampler for IgnoresConflicts {
        fn begin(&mut self, estimates: &Estimates, random: &mut Generator) {
            self.0.begin(estimates, random);
        }

        fn pick(&mut self, ready: &Ready<'_>, random: &mut Generator) -> Option<TaskId> {
            self.0.pick(ready, random)
        }
    }

    /// Executes tasks with these numbers of steps; `conflicts` says if two steps conflict, each given by its
    /// task and its number in the task.
    fn walk(
        sampler: &mut dyn TaskSampler,
        lengths: &[usize],
        conflicts: impl Fn((usize, usize), (usize, usize)) -> bool,
        random: &mut Generator,
    ) -> Vec<usize> {
        let (mut done, mut order) = (vec![0; lengths.len()], Vec::new());
        sampler.begin(&Estimates::default(), random);
        loop {
            let enabled: Vec<TaskId> =
                (0..lengths.len()).filter(|n| done[*n] < lengths[*n]).map(|n| TaskId(n as u32)).collect();
            let Some(task) = sampler.pick(&Ready::new(&enabled), random) else { return order };
            let step = (task.index(), done[task.index()]);
            for other in enabled.iter().filter(|other| **other != task) {
                if conflicts(step, (other.index(), done[other.index()])) {
                    sampler.conflict(*other);
                }
            }
            done[task.index()] += 1;
            order.push(task.index());
        }
    }

    /// The number of walks per thousand in which the first task runs first, up to its end.
    fn first_runs_first(sampler: &mut dyn TaskSampler, steps: usize, conflict: bool) -> u64 {
        let whole = |order: &[usize]| order[..steps].iter().all(|task| *task == 0);
        let walks = (0..WALKS).filter(|index| {
            let mut random = Generator::new(3, *index);
            whole(&walk(sampler, &[steps, steps], |_, _| conflict, &mut random))
        });
        walks.count() as u64 * 1_000 / WALKS
    }

    #[test]
    fn steps_without_conflicts_keep_their_priority() {
        for steps in [1, 2, 4, 9] {
            // The first step of the second task has the lowest of n + 1 priorities.
            let expected = 1_000 / (steps as u64 + 1);
            let found = first_runs_first(&mut PartialOrders::default(), steps, false);
            assert!(found.abs_diff(expected) <= 10, "{steps} steps: {found}, {expected}");
        }
    }

    #[test]
    fn steps_that_conflict_are_redrawn() {
        for steps in [1, 2, 4, 9] {
            let expected = 1_000 >> steps;
            let found = first_runs_first(&mut PartialOrders::default(), steps, true);
            assert!(found.abs_diff(expected) <= 10, "{steps} steps: {found}, {expected}");
            let uniform = first_runs_first(&mut Uniform, steps, true);
            assert!(uniform.abs_diff(expected) <= 10, "{steps} steps: {uniform}, {expected}");
        }
    }

    #[test]
    fn a_sampler_that_ignores_conflicts_is_noticed() {
        let found = first_runs_first(&mut IgnoresConflicts::default(), 4, true);
        assert!(found.abs_diff(1_000 >> 4) > 100, "{found}");
    }

    /// Two tasks; the last step of each writes the same variable. The short task has one step.
    #[test]
    fn partial_orders_are_more_even_than_interleavings() {
        const LONG: usize = 9;
        let last = |(task, step): (usize, usize)| task == 1 || step == LONG - 1;
        let late = |sampler: &mut dyn TaskSampler| {
            let walks = (0..WALKS).filter(|index| {
                let mut random = Generator::new(5, *index);
                let order = walk(sampler, &[LONG, 1], |one, other| last(one) && last(other), &mut random);
                order.last() == Some(&1)
            });
            walks.count() as u64 * 1_000 / WALKS
        };
        assert!(late(&mut PartialOrders::default()).abs_diff(1_000 / (LONG as u64 + 1)) <= 10);
        assert!(late(&mut Uniform) <= 5);
    }

    #[test]
    fn every_interleaving_is_sampled() {
        for conflict in [false, true] {
            let mut orders = std::collections::BTreeMap::new();
            for index in 0..WALKS {
                let mut random = Generator::new(1, index);
                let order = walk(&mut PartialOrders::default(), &[2, 2, 2], |_, _| conflict, &mut random);
                *orders.entry(order).or_insert(0) += 1;
            }
            // 6! / (2! 2! 2!)
            assert_eq!(orders.len(), 90);
            // The rarest ones need six descending priorities: 1 / 6! of the walks are 28.
            assert!(orders.values().all(|walks| *walks > 10), "{orders:?}");
        }
    }

    #[test]
    fn numbers_of_tasks_may_be_large() {
        let tasks = [TaskId(1), TaskId(u32::MAX)];
        let (mut sampler, mut random) = (PartialOrders::default(), Generator::new(0, 0));
        let picked = (0..100).filter_map(|_| sampler.pick(&Ready::new(&tasks), &mut random));
        assert!((20..80).contains(&picked.filter(|task| *task == tasks[0]).count()));
        assert!(sampler.priorities.len() <= 2);
    }
}
