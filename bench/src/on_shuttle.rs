//! The programs of `dally-shuttle` under shuttle's schedulers, with the number of executions.
#![allow(missing_docs, clippy::unwrap_used, reason = "the programs are examples, not an interface")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{FailurePersistence, Runner};

#[path = "../../crates/dally-shuttle/examples/bugs/all.rs"]
pub mod bugs;
#[path = "../../crates/dally-shuttle/tests/support/increments.rs"]
mod increments;

pub use increments::increments;

/// A scheduler that counts executions and steps.
struct Counting<S> {
    inner: S,
    counts: Rc<Counts>,
}

/// Numbers of executions and steps.
#[derive(Debug, Default)]
pub struct Counts {
    pub executions: Cell<u64>,
    pub steps: Cell<u64>,
}

impl<S: Scheduler> Scheduler for Counting<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let schedule = self.inner.new_execution()?;
        self.counts.executions.update(|executions| executions + 1);
        Some(schedule)
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        self.counts.steps.update(|steps| steps + 1);
        self.inner.next_task(tasks, current, yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.next_u64()
    }
}

/// Runs a program under a scheduler until it fails or the scheduler is done. Returns true if it
/// failed, and the counts.
pub fn run(
    scheduler: impl Scheduler + 'static,
    program: impl Fn() + Send + Sync + 'static,
) -> (bool, Rc<Counts>) {
    let counts = Rc::<Counts>::default();
    let scheduler = Counting { inner: scheduler, counts: Rc::clone(&counts) };
    let mut config = shuttle::Config::default();
    config.failure_persistence = FailurePersistence::None;
    let failed = catch_unwind(AssertUnwindSafe(|| Runner::new(scheduler, config).run(program))).is_err();
    (failed, counts)
}
