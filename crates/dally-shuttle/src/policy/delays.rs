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

use super::{Point, Policy, Price};
use crate::Level;

/// Delay bounding under a scheduler.
pub(crate) struct Delays<S> {
    /// The scheduler before anything has happened.
    empty: S,
    scheduler: S,
    /// The tasks that can run, ascending, and their bits.
    ready: Vec<TaskId>,
    bits: u64,
    /// The tasks that are blocked, but may wake up for no reason.
    dozing: Vec<TaskId>,
    /// For each task that the scheduler was given: when it was seen last among those that can run. Ids are handed
    /// out one by one.
    seen: Vec<u64>,
    /// How often those who can run were not the same as before.
    changes: u64,
    /// What has happened so far, in place of the program's state, which nobody knows.
    state: u64,
    /// Whether the scheduler looks at levels.
    levels: bool,
    /// Those who can run and come last at this point, because they have yielded.
    last: Vec<TaskId>,
    /// A buffer for [`Self::propose`]: who has not been proposed yet.
    rest: Vec<TaskId>,
    put_off: Vec<shuttle::TaskId>,
}

impl<S: DelayingScheduler> Delays<S> {
    /// Under this scheduler, which is empty, and which looks at levels or does not.
    pub(crate) fn new(empty: S, levels: bool) -> Self {
        Self {
            scheduler: empty.clone(),
            empty,
            ready: Vec::new(),
            bits: 0,
            dozing: Vec::new(),
            seen: Vec::new(),
            changes: 0,
            state: 0,
            levels,
            last: Vec::new(),
            rest: Vec::new(),
            put_off: Vec::new(),
        }
    }

    /// Tells the scheduler what has happened since the last point.
    fn observe(&mut self, point: &Point<'_>) {
        self.look_around(point);
        if let Some(current) = point.current.map(ours) {
            let goes_on = self.ready(0).contains(current);
            self.scheduler.give(current, if goes_on { Why::Yielded } else { Why::Blocked(None) });
        }
    }

    /// Whether the same tasks can run as at the last point. If so, the one that has run since is among them.
    #[inline]
    fn same_as_before(&self, point: &Point<'_>) -> bool {
        let same = |(task, id): (&&Task, &TaskId)| ours(task.id()) == *id && task.runnable();
        self.dozing.is_empty()
            && point.tasks.len() == self.ready.len()
            && point.tasks.iter().zip(&self.ready).all(same)
    }

    fn look_around(&mut self, point: &Point<'_>) {
        let (before, now) = (self.changes, self.changes + 1);
        self.changes = now;
        self.ready.clear();
        self.dozing.clear();
        let mut bits = 0;
        for task in point.tasks {
            let id = ours(task.id());
            if !task.runnable() {
                self.dozing.push(id);
                continue;
            }
            self.ready.push(id);
            bits |= Ready::bit(id);
            let seen = self.seen.get_mut(id.index()).map(|seen| std::mem::replace(seen, now));
            if seen != Some(before) {
                self.give_newcomer(task, point.current);
            }
        }
        self.bits = bits;
    }

    #[inline]
    fn ready(&self, history: u64) -> Ready<'_> {
        Ready::with_bits(&self.ready, self.bits, history)
    }

    /// A task can run that could not before: it is new, or was woken, or is the one that has run.
    #[inline(never)]
    fn give_newcomer(&mut self, task: &Task, current: Option<shuttle::TaskId>) {
        let id = ours(task.id());
        if id.index() >= self.seen.len() {
            self.seen.resize(id.index() + 1, self.changes);
            let level = if self.levels { Level::of(task.id()) } else { 0 };
            let by = task.parent_task_id().map(ours);
            self.scheduler.give(id, Why::Posted(Post { by, level, ..Post::default() }));
        } else if Some(task.id()) != current {
            self.scheduler.give(id, Why::Woken(current.map(ours)));
        }
    }

    /// The task that has asked for others to run, if it could go on and there are others.
    fn yielding(&self, point: &Point<'_>) -> Option<TaskId> {
        point.current.map(ours).filter(|current| self.ready.len() > 1 && self.ready.contains(current))
    }

    /// Decides who comes last, now that a task may have asked for others to run.
    #[inline(never)]
    fn put_last(&mut self, point: &Point<'_>) {
        let yielding = if point.yielding { self.yielding(point) } else { None };
        if yielding.is_none() && self.last.is_empty() {
            return;
        }
        if self.levels {
            self.last.retain(|task| Some(*task) != yielding && self.ready.contains(task));
        } else {
            self.last.clear();
        }
        self.last.extend(yielding);
        if self.last.len() == self.ready.len() {
            self.last.clear();
            self.last.extend(yielding);
        }
    }

    /// How many proposals of tasks that cannot run, or were proposed before, are worth waiting for.
    fn patience(&self) -> usize {
        match self.scheduler.patience() {
            usize::MAX => 2 * self.seen.len(),
            patience => patience,
        }
    }

    /// Makes the scheduler propose this task, whatever else it would propose first.
    fn settle_on(&mut self, task: TaskId) {
        for _ in 0..=self.patience() {
            match self.scheduler.take(&Ready::at(&[task], self.state)) {
                Some(proposed) if proposed != task => self.scheduler.delay(proposed),
                _ => return,
            }
        }
    }

    /// The n-th task of the order, whoever can run now, and comes last.
    #[inline(never)]
    fn choose_afresh(&mut self, point: &Point<'_>, nth: usize) -> (shuttle::TaskId, Price) {
        self.observe(point);
        self.put_off.clear();
        self.state = point.history;
        if point.yielding || !self.last.is_empty() {
            self.put_last(point);
        }
        let task = if nth == 0 && self.last.is_empty() { self.first_task() } else { self.deviate(nth) };
        (theirs(task), Price::new(true, true, nth as u32))
    }

    /// The first task of the order, where nobody comes last.
    #[inline]
    fn first_task(&mut self) -> TaskId {
        let ready = Ready::with_bits(&self.ready, self.bits, self.state);
        match self.scheduler.take(&ready) {
            Some(task) if ready.contains(task) => return task,
            Some(blocked) => self.scheduler.delay(blocked),
            None => {}
        }
        self.deviate(0)
    }

    #[inline(never)]
    fn deviate(&mut self, nth: usize) -> TaskId {
        self.rest.clear();
        let first = if nth > 0 && self.last.is_empty() { self.put_off_first() } else { None };
        self.rest.extend(self.ready.iter().filter(|task| Some(**task) != first));
        for place in 0..self.last.len() {
            let resting = self.last[place];
            self.settle_on(resting);
            self.scheduler.delay(resting);
            self.rest.retain(|task| *task != resting);
        }
        let task = self.propose(nth).unwrap_or_else(|| self.choose_unproposed(nth));
        self.last.retain(|resting| *resting != task);
        task
    }

    /// Delays the first task of the order, which is to stand back, if the scheduler proposes one.
    fn put_off_first(&mut self) -> Option<TaskId> {
        let ready = Ready::with_bits(&self.ready, self.bits, self.state);
        let first = self.scheduler.take(&ready)?;
        if ready.contains(first) {
            self.put_off.push(theirs(first));
        }
        self.scheduler.delay(first);
        Some(first)
    }

    /// The n-th task of the order, if the scheduler proposes that many.
    fn propose(&mut self, nth: usize) -> Option<TaskId> {
        let mut patience = self.patience();
        while !self.rest.is_empty() && patience > 0 {
            let task = self.scheduler.take(&Ready::at(&self.rest, self.state))?;
            match self.rest.iter().position(|other| *other == task) {
                Some(_) if self.put_off.len() == nth => return Some(task),
                Some(place) => self.put_off.push(theirs(self.rest.remove(place))),
                None => patience -= 1,
            }
            self.scheduler.delay(task);
        }
        None
    }

    /// The n-th task of the order, where the scheduler has nothing more to propose.
    fn choose_unproposed(&mut self, nth: usize) -> TaskId {
        let others = self.ready.iter().filter(|task| !self.last.contains(task));
        let everybody = others.chain(&self.last).chain(&self.dozing).copied();
        let left: Vec<_> = everybody.filter(|task| !self.put_off.contains(&theirs(*task))).collect();
        let nth = nth - self.put_off.len();
        self.put_off.extend(left[..nth].iter().copied().map(theirs));
        self.settle_on(left[nth]);
        left[nth]
    }
}

impl<S: DelayingScheduler> Policy for Delays<S> {
    fn begin(&mut self) {
        self.scheduler.clone_from(&self.empty);
        self.ready.clear();
        self.bits = 0;
        self.dozing.clear();
        self.last.clear();
        self.seen.clear();
    }

    fn choose(&mut self, point: &Point<'_>, nth: usize) -> (shuttle::TaskId, Price) {
        // Nearly always the same tasks can run as before, and the same one goes on: so that should cost little.
        match point.current {
            Some(current)
                if nth == 0
                    && !point.yielding
                    && self.last.is_empty()
                    && self.scheduler.stays(ours(current))
                    && self.same_as_before(point) =>
            {
                (current, Price::USUAL)
            }
            _ => self.choose_afresh(point, nth),
        }
    }

    fn put_off(&self) -> &[shuttle::TaskId] {
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
