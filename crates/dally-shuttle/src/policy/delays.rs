//! Delay bounding [POPL11 §3, §4]: the n-th task in the order of a delaying scheduler costs n delays.
//!
//! Deviations:
//! 1. At one point each task comes up once: one that was put off counts as blocked until the next point. So an
//!    execution is enumerated exactly once.
//! 2. A proposal of a task that cannot run is passed over at no cost: in real code there is nothing else to
//!    do with it. (In [POPL11] the execution would end there.)
//! 3. A task that yields (`yield_now`, `spin_loop`) is delayed at no cost, and comes last in the order of this
//!    point, or else a thread that spins would spin forever. The same holds for a parked thread that may wake
//!    up for no reason. Where levels matter, a task that has yielded stays at the end until it runs again, or
//!    everybody who can run has yielded: or else two tasks of a high level that spin would keep those of a lower one
//!    from running.
//! 4. What a scheduler never proposes comes at the end of the order. So every scheduler is delay-accessible
//!    here, `priority` included.
//! 5. Shuttle does not tell a task that has ended from one that is blocked. Both are passed over.

use ::shuttle::scheduler::{self as shuttle, Task};
use dally_schedule::{DelayingScheduler, Post, Ready, TaskId, Why};

use super::tasks::Tasks;
use super::{Point, Policy, Price};
use crate::Level;

/// Delay bounding under a scheduler.
pub(crate) struct Delays<S> {
    /// The scheduler before anything has happened.
    empty: S,
    scheduler: S,
    /// The tasks that can run.
    ready: Tasks,
    /// A buffer for [`Self::look_around`]: those that could run before.
    before: Tasks,
    /// The tasks that are blocked, but may wake up for no reason.
    dozing: Vec<TaskId>,
    /// How many tasks the scheduler was given: those with the first ids, which are handed out one by one.
    given: usize,
    /// Whether the scheduler looks at levels.
    levels: bool,
    /// Those who can run and come last at this point, because they have yielded.
    last: Vec<TaskId>,
    /// A buffer for [`Self::propose`]: who has not been proposed yet.
    rest: Tasks,
    /// Who had to stand back in this execution, and before which step.
    put_off: Vec<(usize, shuttle::TaskId)>,
}

impl<S: DelayingScheduler> Delays<S> {
    /// Under this scheduler, which is empty, and which looks at levels or does not.
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
            put_off: Vec::new(),
        }
    }

    /// Tells the scheduler what has happened since the last point.
    fn observe(&mut self, point: &Point<'_>, same: bool) {
        if !same {
            self.look_around(point);
        }
        if let Some(current) = point.current.map(ours) {
            let goes_on = same || self.ready.contains(current);
            self.scheduler.give(current, if goes_on { Why::Yielded } else { Why::Blocked(None) });
        }
    }

    /// Whether the same tasks can run as at the last point. If so, the one that has run since is among them.
    #[inline]
    fn same_as_before(&self, point: &Point<'_>) -> bool {
        let same = |(task, id): (&&Task, &TaskId)| ours(task.id()) == *id && task.runnable();
        self.dozing.is_empty()
            && point.tasks.len() == self.ready.ids().len()
            && point.tasks.iter().zip(self.ready.ids()).all(same)
    }

    fn look_around(&mut self, point: &Point<'_>) {
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
            if id.index() >= self.given {
                self.give_new(task);
            } else if !self.before.contains(id) && Some(task.id()) != point.current {
                // It could not run before, and is not the one that has run: so that one has woken it.
                self.scheduler.give(id, Why::Woken(point.current.map(ours)));
            }
        }
    }

    /// A task is new.
    #[inline(never)]
    fn give_new(&mut self, task: &Task) {
        let id = ours(task.id());
        self.given = id.index() + 1;
        let level = if self.levels { Level::of(task.id()) } else { 0 };
        let by = task.parent_task_id().map(ours);
        self.scheduler.give(id, Why::Posted(Post { by, level, ..Post::default() }));
    }

    /// The task that has asked for others to run, if it could go on and there are others.
    fn yielding(&self, point: &Point<'_>) -> Option<TaskId> {
        point.current.map(ours).filter(|current| self.ready.ids().len() > 1 && self.ready.contains(*current))
    }

    /// Decides who comes last, now that a task may have asked for others to run.
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

    /// How many proposals of tasks that cannot run, or were proposed before, are worth waiting for.
    fn patience(&self) -> usize {
        match self.scheduler.patience() {
            usize::MAX => 2 * self.given,
            patience => patience,
        }
    }

    /// Makes the scheduler propose this task, whatever else it would propose first.
    fn settle_on(&mut self, task: TaskId, point: &Point<'_>) {
        for _ in 0..=self.patience() {
            match self.scheduler.take(&Ready::at(&[task], point.history)) {
                Some(proposed) if proposed != task => self.scheduler.delay(proposed),
                _ => return,
            }
        }
    }

    /// The n-th task of the order, whoever can run now (the same as before, or not), and comes last.
    #[inline(never)]
    fn choose_afresh(&mut self, point: &Point<'_>, nth: usize, same: bool) -> (shuttle::TaskId, Price) {
        self.observe(point, same);
        if point.yielding || !self.last.is_empty() {
            self.put_last(point);
        }
        let usual = self.last.is_empty();
        let task = if usual { self.nth_task(point, nth) } else { self.nth_before_last(point, nth) };
        (theirs(task), Price::new(true, true, nth as u32))
    }

    /// The n-th task of the order, where nobody comes last.
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

    /// The n-th task of the order, where nobody was proposed first, or one that cannot run.
    #[inline(never)]
    fn nth_past(&mut self, useless: Option<TaskId>, point: &Point<'_>, nth: usize) -> TaskId {
        useless.into_iter().for_each(|task| self.scheduler.delay(task));
        self.rest.set_to(&self.ready);
        self.propose(point, self.put_off.len() + nth)
    }

    /// The n-th task of the order, where the first was proposed and can run.
    #[inline(never)]
    fn nth_after(&mut self, first: TaskId, point: &Point<'_>, nth: usize) -> TaskId {
        let until = self.put_off.len() + nth;
        self.put_off.push((point.step, theirs(first)));
        self.scheduler.delay(first);
        self.rest.set_to_all_but(first, &self.ready);
        self.propose(point, until)
    }

    /// The n-th task of the order, where some come last: they are delayed first, at no cost.
    #[inline(never)]
    fn nth_before_last(&mut self, point: &Point<'_>, nth: usize) -> TaskId {
        self.rest.set_to(&self.ready);
        for place in 0..self.last.len() {
            let resting = self.last[place];
            self.settle_on(resting, point);
            self.scheduler.delay(resting);
            self.rest.remove(resting);
        }
        let task = self.propose(point, self.put_off.len() + nth);
        self.last.retain(|resting| *resting != task);
        task
    }

    /// The task among the rest that comes when so many have been put off. Part of its callers, of which one in three
    /// steps may need one: by itself it would be a call more for each delay.
    #[inline(always)]
    fn propose(&mut self, point: &Point<'_>, until: usize) -> TaskId {
        let mut patience = self.patience();
        while !self.rest.ids().is_empty() && patience > 0 {
            let Some(task) = self.scheduler.take(&self.rest.at(point.history)) else { break };
            if !self.rest.contains(task) {
                patience -= 1;
            } else if self.put_off.len() == until {
                return task;
            } else {
                self.put_off.push((point.step, theirs(task)));
                self.rest.remove(task);
            }
            self.scheduler.delay(task);
        }
        self.choose_unproposed(point, until)
    }

    /// Likewise, where the scheduler has nothing more to propose.
    #[inline(never)]
    fn choose_unproposed(&mut self, point: &Point<'_>, until: usize) -> TaskId {
        let before = self.put_off.partition_point(|(step, _)| *step < point.step);
        let is_left = |task: &TaskId| !self.put_off[before..].contains(&(point.step, theirs(*task)));
        let others = self.ready.ids().iter().filter(|task| !self.last.contains(task));
        let everybody = others.chain(&self.last).chain(&self.dozing).copied();
        let left: Vec<_> = everybody.filter(is_left).collect();
        let nth = until - self.put_off.len();
        self.put_off.extend(left[..nth].iter().map(|task| (point.step, theirs(*task))));
        self.settle_on(left[nth], point);
        left[nth]
    }
}

impl<S: DelayingScheduler> Policy for Delays<S> {
    fn begin(&mut self) {
        self.scheduler.clone_from(&self.empty);
        self.ready.clear();
        self.dozing.clear();
        self.last.clear();
        self.given = 0;
        self.put_off.clear();
    }

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (shuttle::TaskId, Price) {
        // Nearly always the same tasks can run as before, and the same one goes on: so that should cost little.
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

    fn put_off(&self) -> &[(usize, shuttle::TaskId)] {
        &self.put_off
    }
}

fn ours(task: shuttle::TaskId) -> TaskId {
    // Shuttle keeps all tasks of an execution in memory: there are far fewer than 2³².
    TaskId(usize::from(task) as u32)
}

fn theirs(task: TaskId) -> shuttle::TaskId {
    shuttle::TaskId::from(task.index())
}
