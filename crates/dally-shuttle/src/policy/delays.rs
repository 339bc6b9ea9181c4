//! Delay bounding [POPL11 §3, §4]: the n-th task in the order of a delaying scheduler costs n delays.
//!
//! Deviations:
//! 1. At one scheduling point each task is proposed once: a delayed task counts as blocked until the next point. So each
//!    execution is enumerated exactly once.
//! 2. A proposal of a task that cannot run is skipped at no cost, since real code cannot run it. (In [POPL11] the
//!    execution ends there.)
//! 3. A task that yields (`yield_now`, `spin_loop`) is delayed at no cost, and is last in the order of this
//!    point; otherwise a thread that spins would spin forever. The same holds for a parked thread that may wake up
//!    spuriously. Under schedulers with levels, a task that has yielded stays last until it runs again, or all tasks
//!    that can run have yielded; otherwise two spinning tasks of a high level would starve those of a lower one.
//! 4. Tasks that a scheduler never proposes are last in the order. So every scheduler is delay-accessible
//!    here, including `priority`.
//! 5. Shuttle does not distinguish a terminated task from a blocked one. Both are skipped.

use ::shuttle::scheduler::{self as shuttle, Task};
use dally_schedule::{DelayingScheduler, Post, Ready, TaskId, Why};

use super::tasks::Tasks;
use super::{Delayed, Point, Policy, Price};
use crate::Level;

/// Delay bounding under a scheduler.
pub(crate) struct Delays<S> {
    /// The scheduler before the first step.
    empty: S,
    scheduler: S,
    /// The tasks that can run.
    ready: Tasks,
    /// A buffer for [`Self::update_ready`]: the tasks that could run before.
    before: Tasks,
    /// The blocked tasks that may wake up spuriously.
    dozing: Vec<TaskId>,
    /// The number of tasks that the scheduler was given. Ids are assigned consecutively, so these are the first ids.
    given: usize,
    /// True if the scheduler uses levels.
    levels: bool,
    /// The tasks that can run and are last at this point, because they have yielded.
    last: Vec<TaskId>,
    /// A buffer for [`Self::propose`]: the tasks that have not been proposed yet.
    rest: Tasks,
    /// The tasks that were delayed in this execution.
    delayed: Vec<Delayed>,
}

impl<S: DelayingScheduler> Delays<S> {
    /// Delay bounding under this scheduler, which is empty. `levels`: it uses levels.
    pub(crate) fn new(empty: S, levels: bool) -> Self {
        Self {
            scheduler: empty.clone(),
            empty,
            ready: Tasks::default(),
            before: Tasks::default(),
            dozing: Vec::new(),
            given: 0,
            levels,
            last: Vec::new(),
            rest: Tasks::default(),
            delayed: Vec::new(),
        }
    }

    /// Reports the events since the last point to the scheduler, and to a listener.
    fn observe(&mut self, point: &Point<'_>, same: bool, listen: &mut impl FnMut(TaskId, Why)) {
        if !same {
            self.update_ready(point, listen);
        }
        if let Some(current) = point.current.map(ours) {
            let goes_on = same || self.ready.contains(current);
            let why = if goes_on { Why::Yielded } else { Why::Blocked(None) };
            self.scheduler.give(current, why);
            listen(current, why);
        }
    }

    /// True if the same tasks can run as at the last point. Then the task that has run since is among them.
    #[inline]
    fn same_as_before(&self, point: &Point<'_>) -> bool {
        let same = |(task, id): (&&Task, &TaskId)| ours(task.id()) == *id && task.runnable();
        self.dozing.is_empty()
            && point.tasks.len() == self.ready.ids().len()
            && point.tasks.iter().zip(self.ready.ids()).all(same)
    }

    fn update_ready(&mut self, point: &Point<'_>, listen: &mut impl FnMut(TaskId, Why)) {
        std::mem::swap(&mut self.before, &mut self.ready);
        self.ready.clear();
        self.dozing.clear();
        for task in point.tasks {
            let id = ours(task.id());
            if !task.runnable() {
                self.dozing.push(id);
                continue;
            }
            self.ready.push(id);
            let why = if id.index() >= self.given {
                self.posted(task)
            } else if !self.before.contains(id) && Some(task.id()) != point.current {
                // It could not run before, and did not run: so the task that ran has woken it.
                Why::Woken(point.current.map(ours))
            } else {
                continue;
            };
            self.scheduler.give(id, why);
            listen(id, why);
        }
    }

    /// The post of a new task.
    #[inline(never)]
    fn posted(&mut self, task: &Task) -> Why {
        self.given = ours(task.id()).index() + 1;
        let level = if self.levels { Level::of(task.id()) } else { 0 };
        let by = task.parent_task_id().map(ours);
        Why::Posted(Post { by, level, ..Post::default() })
    }

    /// The task that yields, if it can run and others can.
    fn yielding(&self, point: &Point<'_>) -> Option<TaskId> {
        point.current.map(ours).filter(|current| self.ready.ids().len() > 1 && self.ready.contains(*current))
    }

    /// Updates the tasks that are last, after a task may have yielded.
    #[inline(never)]
    fn put_last(&mut self, point: &Point<'_>) {
        let yielding = if point.yielding { self.yielding(point) } else { None };
        if yielding.is_none() && self.last.is_empty() {
            return;
        }
        if self.levels {
            self.last.retain(|task| Some(*task) != yielding && self.ready.contains(*task));
        } else {
            self.last.clear();
        }
        self.last.extend(yielding);
        if self.last.len() == self.ready.ids().len() {
            self.last.clear();
            self.last.extend(yielding);
        }
    }

    /// The number of useless proposals after which the scheduler has proposed every task: of tasks that cannot run, or
    /// were proposed before.
    fn patience(&self) -> usize {
        match self.scheduler.patience() {
            usize::MAX => 2 * self.given,
            patience => patience,
        }
    }

    /// Delays other tasks until the scheduler proposes this one.
    fn settle_on(&mut self, task: TaskId, point: &Point<'_>) {
        for _ in 0..=self.patience() {
            match self.scheduler.take(&Ready::at(&[task], point.history)) {
                Some(proposed) if proposed != task => self.scheduler.delay(proposed),
                _ => return,
            }
        }
    }

    /// The n-th task of the order, in the general case. `same`: the same tasks can run as before.
    #[inline(never)]
    fn choose_afresh(&mut self, point: &Point<'_>, nth: usize, same: bool) -> (shuttle::TaskId, Price) {
        self.observe(point, same, &mut |_, _| {});
        if point.yielding || !self.last.is_empty() {
            self.put_last(point);
        }
        let usual = self.last.is_empty();
        let task = if usual { self.nth_task(point, nth) } else { self.nth_before_last(point, nth) };
        (theirs(task), Price::new(true, true, nth as u32))
    }

    /// The n-th task of the order, if no task is last.
    #[inline]
    fn nth_task(&mut self, point: &Point<'_>, nth: usize) -> TaskId {
        match self.scheduler.take(&self.ready.at(point.history)) {
            Some(first) if self.ready.contains(first) => match nth {
                0 => first,
                _ => self.nth_after(first, point, nth),
            },
            useless => self.nth_past(useless, point, nth),
        }
    }

    /// The n-th task of the order, if the first proposal is useless: none, or a task that cannot run.
    #[inline(never)]
    fn nth_past(&mut self, useless: Option<TaskId>, point: &Point<'_>, nth: usize) -> TaskId {
        useless.into_iter().for_each(|task| self.scheduler.delay(task));
        self.rest.set_to(&self.ready);
        let until = self.delayed.len() + nth;
        self.propose(point, &mut |_, delays| delays == until)
    }

    /// The n-th task of the order, after the first, which was proposed and can run.
    #[inline(never)]
    fn nth_after(&mut self, first: TaskId, point: &Point<'_>, nth: usize) -> TaskId {
        let until = self.delayed.len() + nth;
        self.delayed.push(Delayed { step: point.step, task: theirs(first) });
        self.scheduler.delay(first);
        self.rest.set_to_all_but(first, &self.ready);
        self.propose(point, &mut |_, delays| delays == until)
    }

    /// The n-th task of the order, if some tasks are last: these are delayed first, at no cost.
    #[inline(never)]
    fn nth_before_last(&mut self, point: &Point<'_>, nth: usize) -> TaskId {
        let until = self.delayed.len() + nth;
        self.first_accepted(point, &mut |_, delays| delays == until)
    }

    /// The first task of the order that is accepted. Tasks that are last are delayed first, at no cost.
    #[inline]
    fn first_accepted(
        &mut self,
        point: &Point<'_>,
        accept: &mut impl FnMut(TaskId, usize) -> bool,
    ) -> TaskId {
        self.rest.set_to(&self.ready);
        for place in 0..self.last.len() {
            let resting = self.last[place];
            self.settle_on(resting, point);
            self.scheduler.delay(resting);
            self.rest.remove(resting);
        }
        let task = self.propose(point, accept);
        self.last.retain(|resting| *resting != task);
        task
    }

    /// The first task among the rest that is accepted, given the task and the number of delays before it. Inlined, since
    /// one in three steps may need it, and a call would cost more for each delay.
    #[inline(always)]
    fn propose(&mut self, point: &Point<'_>, accept: &mut impl FnMut(TaskId, usize) -> bool) -> TaskId {
        let mut patience = self.patience();
        while !self.rest.ids().is_empty() && patience > 0 {
            let Some(task) = self.scheduler.take(&self.rest.at(point.history)) else { break };
            if !self.rest.contains(task) {
                patience -= 1;
            } else if accept(task, self.delayed.len()) {
                return task;
            } else {
                self.delayed.push(Delayed { step: point.step, task: theirs(task) });
                self.rest.remove(task);
            }
            self.scheduler.delay(task);
        }
        self.choose_unproposed(point, accept)
    }

    /// The first task that is accepted, if the scheduler proposes no more tasks.
    #[inline(never)]
    fn choose_unproposed(
        &mut self,
        point: &Point<'_>,
        accept: &mut impl FnMut(TaskId, usize) -> bool,
    ) -> TaskId {
        let delayed = |task: TaskId| Delayed { step: point.step, task: theirs(task) };
        let before = self.delayed.partition_point(|earlier| earlier.step < point.step);
        let is_left = |task: &TaskId| !self.delayed[before..].contains(&delayed(*task));
        let others = self.ready.ids().iter().filter(|task| !self.last.contains(task));
        let all = others.chain(&self.last).chain(&self.dozing).copied();
        let left: Vec<_> = all.filter(is_left).collect();
        let before = self.delayed.len();
        let accepted = (0..).zip(&left).position(|(nth, task)| accept(*task, before + nth));
        let Some(nth) = accepted else { unreachable!("one of the tasks at a point is accepted") };
        self.delayed.extend(left[..nth].iter().map(|task| delayed(*task)));
        self.settle_on(left[nth], point);
        left[nth]
    }

    /// Lets a guide select the task. Returns it with its position in the order, and its price.
    pub(crate) fn follow(
        &mut self,
        point: &Point<'_>,
        guide: &mut dyn Guide,
    ) -> (shuttle::TaskId, usize, Price) {
        let same = self.same_as_before(point);
        self.observe(point, same, &mut |task, why| guide.give(task, why));
        if point.yielding || !self.last.is_empty() {
            self.put_last(point);
        }
        guide.arrive(&self.ready.at(point.history));
        let before = self.delayed.len();
        let task = self.first_accepted(point, &mut |task, _| guide.accepts(task));
        guide.runs(task, point.tasks.len());
        let nth = self.delayed.len() - before;
        (theirs(task), nth, Price::new(true, true, nth as u32))
    }
}

/// Selects the tasks of an execution, expressed by the delays of a scheduler.
pub(crate) trait Guide {
    /// A task was posted, has yielded, was blocked, or was woken.
    fn give(&mut self, _task: TaskId, _why: Why) {}

    /// The execution is at a point at which these tasks can run.
    fn arrive(&mut self, _ready: &Ready<'_>) {}

    /// Returns false if the task, which the scheduler proposes, is delayed. Accepts one of the tasks at each point.
    fn accepts(&mut self, task: TaskId) -> bool;

    /// The task runs, at a point with this many tasks.
    fn runs(&mut self, task: TaskId, tasks: usize);
}

impl<S: DelayingScheduler> Policy for Delays<S> {
    fn begin(&mut self) {
        self.scheduler.clone_from(&self.empty);
        self.ready.clear();
        self.dozing.clear();
        self.last.clear();
        self.given = 0;
        self.delayed.clear();
    }

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (shuttle::TaskId, Price) {
        // The common case, which must be fast: the same tasks can run as before, and the current one continues.
        let same = self.same_as_before(point);
        match point.current {
            Some(current)
                if same
                    && !point.yielding
                    && self.last.is_empty()
                    && self.scheduler.stays(ours(current), &self.ready.at(point.history)) =>
            {
                if nth == 0 {
                    return (current, Price::USUAL);
                }
                let task = self.nth_after(ours(current), point, nth);
                (theirs(task), Price::new(true, true, nth as u32))
            }
            _ => self.choose_afresh(point, nth, same),
        }
    }

    fn delayed(&self) -> &[Delayed] {
        &self.delayed
    }
}

fn ours(task: shuttle::TaskId) -> TaskId {
    // Shuttle keeps all tasks of an execution in memory, so there are far fewer than 2³².
    TaskId(usize::from(task) as u32)
}

fn theirs(task: TaskId) -> shuttle::TaskId {
    shuttle::TaskId::from(task.index())
}
