//! Executions of dynamic partial-order reduction, expressed by their delays of `rr`.

use dally_schedule::{Arrangement, Rr, TaskId};
use shuttle::scheduler as shuttle_scheduler;

use crate::policy::{Delayed, Delays, Guide, Point, Policy, Price};
use crate::reduction::{Candidate, Reduction};

/// The search, and the order that its executions are expressed in.
pub(crate) struct Traces {
    pub(crate) reduction: Reduction,
    order: Delays<Rr>,
}

impl Default for Traces {
    fn default() -> Self {
        Self { reduction: Reduction::default(), order: Delays::new(Rr::new(Arrangement::Creation), false) }
    }
}

impl Traces {
    /// An execution begins.
    pub(crate) fn begin(&mut self) {
        self.reduction.begin();
        self.order.begin();
    }

    /// The next task, its position in the order, and its price; `None` if the execution shows nothing new.
    pub(crate) fn next_task(
        &mut self,
        point: &Point<'_>,
    ) -> Option<(shuttle_scheduler::TaskId, usize, Price)> {
        let candidate =
            |task: &&shuttle_scheduler::Task| Candidate { task: task.id().into(), runnable: task.runnable() };
        let tasks: Vec<Candidate> = point.tasks.iter().map(candidate).collect();
        let chosen = self.reduction.next_task(&tasks, point.current.map(usize::from), point.yielding)?;
        Some(self.order.follow(point, &mut Chosen(TaskId(chosen as u32))))
    }

    /// The tasks that the execution has delayed.
    pub(crate) fn delayed(&self) -> &[Delayed] {
        self.order.delayed()
    }
}

/// Accepts one task.
struct Chosen(TaskId);

impl Guide for Chosen {
    fn accepts(&mut self, task: TaskId) -> bool {
        task == self.0
    }

    fn runs(&mut self, _: TaskId, _: usize) {}
}
