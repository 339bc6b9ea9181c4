//! Iterative preemption bounding, the baseline of [POPL11 §4]: to switch away from a task that could go on
//! costs one, whomever to; all other switches are free.
//!
//! Deviations:
//! 1. A task that yields gives up its turn at no cost, as in CHESS.
//! 2. A parked thread that may wake up for no reason comes last in the order.

use shuttle::scheduler::{Task, TaskId};

use super::{Point, Policy, Price};

/// Preemption bounding.
#[derive(Default)]
pub(crate) struct Preemptions {
    put_off: Vec<TaskId>,
}

impl Policy for Preemptions {
    fn begin(&mut self) {}

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (TaskId, Price) {
        let is_current = |task: &&&Task| Some(task.id()) == point.current;
        let can_go_on = point.tasks.iter().find(|task| is_current(task) && task.runnable());
        let stays = can_go_on.filter(|_| !point.yielding);
        let others = point.tasks.iter().filter(|task| !is_current(task) && task.runnable());
        let yielding = can_go_on.filter(|_| point.yielding);
        let dozing = point.tasks.iter().filter(|task| !task.runnable());
        let mut order = stays.into_iter().chain(others).chain(yielding).chain(dozing).map(|task| task.id());

        self.put_off.clear();
        self.put_off.extend(stays.filter(|_| nth > 0).map(|task| task.id()));
        let price = Price { first: u32::from(stays.is_some()), further: 0 };
        let Some(task) = order.nth(nth) else { unreachable!("the order holds every task that can run") };
        (task, price)
    }

    fn put_off(&self) -> &[TaskId] {
        &self.put_off
    }
}
