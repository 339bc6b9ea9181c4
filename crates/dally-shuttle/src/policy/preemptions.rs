//! Iterative preemption bounding, the baseline of [POPL11 §4]: a switch away from a task that is still enabled costs 1,
//! to any other task; all other switches are free.
//!
//! Deviations:
//! 1. When a task yields, a switch to the next task in creation order is free, and to any other, or to itself, costs 1:
//!    if all were free, spinning tasks could alternate forever.
//! 2. A spurious wake-up of a parked thread costs 1.

use shuttle::scheduler::{Task, TaskId};

use super::{Delayed, Point, Policy, Price};

/// Preemption bounding.
#[derive(Default)]
pub(crate) struct Preemptions {
    delayed: Vec<Delayed>,
}

impl Policy for Preemptions {
    fn begin(&mut self) {
        self.delayed.clear();
    }

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price) {
        if let [only] = point.tasks {
            // There is no alternative.
            return (only.id(), Price::USUAL);
        }
        let is_current = |task: &&&Task| Some(task.id()) == point.current;
        let can_go_on = point.tasks.iter().find(|task| is_current(task) && task.runnable());
        let stays = can_go_on.filter(|_| !point.yielding);
        if let (Some(task), 0) = (stays, nth) {
            return (task.id(), Price::USUAL);
        }
        // In cyclic order, so that two yielding tasks do not starve a third.
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
            self.delayed.extend(default.map(|task| Delayed { step: point.step, task }));
        }
        (task, price)
    }

    fn delayed(&self) -> &[Delayed] {
        &self.delayed
    }
}
