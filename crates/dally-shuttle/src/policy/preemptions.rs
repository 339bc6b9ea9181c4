//! Iterative preemption bounding, the baseline of [POPL11 §4]: to switch away from a task that could go on
//! costs one, whomever to; all other switches are free.
//!
//! Deviations:
//! 1. A task that yields gives its turn to the next in creation order at no cost, and to any other, or to itself, for
//!    one: if all of them were free, tasks that spin could pass the turn to each other forever.
//! 2. To wake up a parked thread for no reason costs one.

use shuttle::scheduler::{Task, TaskId};

use super::{Point, Policy, Price};

/// Preemption bounding.
#[derive(Default)]
pub(crate) struct Preemptions {
    put_off: Vec<(usize, TaskId)>,
}

impl Policy for Preemptions {
    fn begin(&mut self) {
        self.put_off.clear();
    }

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price) {
        if let [only] = point.tasks {
            // There is nothing to choose, and no price.
            return (only.id(), Price::USUAL);
        }
        let is_current = |task: &&&Task| Some(task.id()) == point.current;
        let can_go_on = point.tasks.iter().find(|task| is_current(task) && task.runnable());
        let stays = can_go_on.filter(|_| !point.yielding);
        if let (Some(task), 0) = (stays, nth) {
            return (task.id(), Price::USUAL);
        }
        // Round and round, so that two tasks that yield do not keep a third from running.
        let others = |later: bool| {
            let is_other =
                move |task: &&&Task| (Some(task.id()) > point.current) == later && !is_current(task);
            point.tasks.iter().filter(is_other).filter(|task| task.runnable())
        };
        let yielding = can_go_on.filter(|_| point.yielding);
        let dozing = point.tasks.iter().filter(|task| !task.runnable());
        let willing = stays.into_iter().chain(others(true)).chain(others(false));
        let mut order = willing.chain(yielding).chain(dozing).map(|task| task.id());

        let free = if can_go_on.is_some() { 1 } else { others(true).count() + others(false).count() };
        let costs_more_after = |nth: usize| nth + 1 == free;
        let paid = u32::from(nth >= free);
        let price = Price::new(costs_more_after(0), costs_more_after(nth), paid);
        let default = order.next();
        let chosen = if nth == 0 { default } else { order.nth(nth - 1) };
        let Some(task) = chosen else { unreachable!("the order holds every task that can run") };
        if nth > 0 && paid > 0 {
            self.put_off.extend(default.map(|task| (point.step, task)));
        }
        (task, price)
    }

    fn put_off(&self) -> &[(usize, TaskId)] {
        &self.put_off
    }
}
