//! Any one of the schedulers of this crate.

use crate::rules::Ruled;
use crate::{Bag, BoundedBag, DelayingScheduler, Df, Dfs, Dfw, Pct, Priority, Random, Ready, Rr, Rtc};
use crate::{BoxedScheduler, Observed, TaskId, Why};

/// A scheduler of this crate, built by [`SchedulerName::build`](crate::SchedulerName::build). Each state in the frontier
/// of a search has one, so large schedulers are boxed.
#[derive(Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is documented at the type that it holds")]
pub enum Scheduler {
    Bag(Bag),
    BoundedBag(Box<BoundedBag>),
    Rr(Rr),
    Dfs(Box<Dfs>),
    Df(Df),
    Dfw(Box<Dfw>),
    Rtc(Rtc),
    Random(Random),
    Priority(Box<Priority<Scheduler>>),
    Pct(Box<Pct>),
    Ruled(Box<Ruled>),
    Own(BoxedScheduler),
}

const _: () = assert!(size_of::<Scheduler>() <= 48, "each state in the frontier has one");

/// Evaluates an expression with the scheduler that the enum holds.
macro_rules! each {
    ($any:expr, $scheduler:ident => $body:expr) => {
        match $any {
            Scheduler::Bag($scheduler) => $body,
            Scheduler::BoundedBag($scheduler) => $body,
            Scheduler::Rr($scheduler) => $body,
            Scheduler::Dfs($scheduler) => $body,
            Scheduler::Df($scheduler) => $body,
            Scheduler::Dfw($scheduler) => $body,
            Scheduler::Rtc($scheduler) => $body,
            Scheduler::Random($scheduler) => $body,
            Scheduler::Priority($scheduler) => $body,
            Scheduler::Pct($scheduler) => $body,
            Scheduler::Ruled($scheduler) => $body,
            Scheduler::Own($scheduler) => $body,
        }
    };
}

impl Clone for Scheduler {
    fn clone(&self) -> Self {
        match self {
            Self::Bag(it) => Self::Bag(it.clone()),
            Self::BoundedBag(it) => Self::BoundedBag(it.clone()),
            Self::Rr(it) => Self::Rr(it.clone()),
            Self::Dfs(it) => Self::Dfs(it.clone()),
            Self::Df(it) => Self::Df(it.clone()),
            Self::Dfw(it) => Self::Dfw(it.clone()),
            Self::Rtc(it) => Self::Rtc(it.clone()),
            Self::Random(it) => Self::Random(it.clone()),
            Self::Priority(it) => Self::Priority(it.clone()),
            Self::Pct(it) => Self::Pct(it.clone()),
            Self::Ruled(it) => Self::Ruled(it.clone()),
            Self::Own(it) => Self::Own(it.clone()),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        match (self, other) {
            (Self::Rr(to), Self::Rr(from)) => to.clone_from(from),
            (Self::Dfs(to), Self::Dfs(from)) => to.clone_from(from),
            (Self::Df(to), Self::Df(from)) => to.clone_from(from),
            (Self::Dfw(to), Self::Dfw(from)) => to.clone_from(from),
            (Self::Rtc(to), Self::Rtc(from)) => to.clone_from(from),
            (Self::Priority(to), Self::Priority(from)) => to.clone_from(from),
            (Self::Ruled(to), Self::Ruled(from)) => to.clone_from(from),
            (to, from) => *to = from.clone(),
        }
    }
}

impl DelayingScheduler for Scheduler {
    fn give(&mut self, task: TaskId, why: Why) {
        each!(self, it => it.give(task, why));
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        each!(self, it => it.take(ready))
    }

    fn delay(&mut self, task: TaskId) {
        each!(self, it => it.delay(task));
    }

    fn complete(&mut self, task: TaskId) {
        each!(self, it => it.complete(task));
    }

    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        each!(self, it => it.stays(task, ready))
    }

    fn patience(&self) -> usize {
        each!(self, it => it.patience())
    }

    fn delay_cost(&self) -> u32 {
        each!(self, it => it.delay_cost())
    }

    fn allows_steps_ahead(&self) -> bool {
        each!(self, it => it.allows_steps_ahead())
    }

    fn can_delay(&self) -> bool {
        each!(self, it => it.can_delay())
    }

    fn cost_of_delay(&self, task: TaskId) -> u32 {
        each!(self, it => it.cost_of_delay(task))
    }

    fn seals(&self, task: TaskId) -> bool {
        each!(self, it => it.seals(task))
    }

    #[inline]
    fn looks(&self) -> bool {
        match self {
            Self::Ruled(_) => true,
            Self::Own(it) => it.looks(),
            Self::Priority(it) => it.looks(),
            _ => false,
        }
    }

    fn observe(&mut self, step: &Observed<'_>) {
        each!(self, it => it.observe(step));
    }

    fn heap_bytes(&self) -> usize {
        let elsewhere = match self {
            Self::BoundedBag(it) => size_of_val(&**it),
            Self::Dfs(it) => size_of_val(&**it),
            Self::Dfw(it) => size_of_val(&**it),
            Self::Priority(it) => size_of_val(&**it),
            Self::Pct(it) => size_of_val(&**it),
            Self::Ruled(it) => size_of_val(&**it),
            Self::Own(_) | Self::Bag(_) | Self::Rr(_) | Self::Df(_) | Self::Rtc(_) | Self::Random(_) => 0,
        };
        elsewhere + each!(self, it => it.heap_bytes())
    }
}
