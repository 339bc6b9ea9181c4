//! One step of a task, through all of its outcomes.
//!
//! A step leads from one scheduling point to the next. Where the task makes a nondeterministic choice,
//! the engine sets a *choice point* and takes the first option; when that execution of the step is done,
//! it backtracks: the task undoes what it changed since the choice point, and takes the next option.
//! Outcomes are produced depth first, in the order of the options. So the n-th outcome of a step is the
//! same in every run, and the *path* to it, the option taken at each choice, can be replayed.
//!
//! A language implements [`Task`]: registers, instructions and an undo log ([`crate::undo`]). The division
//! is that of Miri, whose `InterpCx` is shared and whose `Machine` is the language's.
//!
//! Invariants:
//! 1. [`Task::rewind`] restores exactly the state of [`Task::mark`], so that paths are independent of each
//!    other.
//! 2. A choice point with one option left is dropped before that option is taken: nothing is saved for it.

use dally_explore::Limits;
use smallvec::SmallVec;

use crate::meter::{Exhausted, Meter};

/// The options taken at the choices of a step, in order.
pub type Path = SmallVec<[u32; 4]>;

/// The context shared by all steps of a program.
#[derive(Debug)]
pub struct Context<'m, C, S> {
    /// The compiled program.
    pub code: &'m C,
    /// The interned parts of states.
    pub store: &'m S,
    /// The limits of the search.
    pub limits: &'m Limits,
}

/// The reason for which a task has paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause<C, E> {
    /// The step ends.
    Ends(E),
    /// An assumption does not hold: this execution of the step does not exist.
    Discarded,
    /// The task chooses among this many options. None exists if the count is 0.
    Chooses(C, u64),
}

/// The relation of a task's configuration to an earlier choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The task has changed since that choice.
    Changed,
    /// Nothing has changed, but the task is at another instruction.
    Elsewhere,
    /// Nothing has changed, and the task is about to make the same choice: it can repeat this cycle for
    /// ever.
    Back,
}

/// A task in the middle of a step.
pub trait Task<'m> {
    /// A nondeterministic choice: a description of its options.
    type Choice: Copy;
    /// A point in the undo log, with the registers that are saved eagerly.
    type Mark;
    /// The end of a step.
    type End;

    /// Executes instructions until the step ends or the task has to choose.
    fn run(&mut self) -> Pause<Self::Choice, Self::End>;

    /// Sets a mark: later changes are logged.
    fn mark(&mut self) -> Self::Mark;

    /// Undoes all changes since the mark. Returns true if there were any.
    fn rewind(&mut self, mark: &Self::Mark) -> bool;

    /// Drops a mark, after all changes since it were undone.
    fn release(&mut self, mark: Self::Mark);

    /// The first option from this one on that can be taken; by default, that one. A language can skip
    /// options here whose guards are cheap to refute.
    fn next_option(&mut self, _: Self::Choice, from: u64) -> u64 {
        from
    }

    /// Takes an option of the choice at which the task has paused.
    fn take(&mut self, choice: Self::Choice, nth: u64);

    /// Compares the task with its configuration at a mark. The default detects no cycle.
    fn since(&self, _: &Self::Mark) -> Since {
        Since::Changed
    }

    /// The end of an execution that has returned to an earlier choice with nothing changed.
    fn cycle(&mut self) -> Pause<Self::Choice, Self::End> {
        Pause::Discarded
    }

    /// The end of a step that has exhausted its budget or reached a limit.
    fn exhausted(&mut self, why: Exhausted) -> Self::End;

    /// The meter of this step.
    fn meter(&mut self) -> &mut Meter<'m>;

    /// The bytes that count against the memory limit, the undo log included.
    fn bytes(&self) -> usize;
}

/// Draws an option: of this many, and not one that is refuted. The second argument returns the first option
/// from its argument on that is not. The result is `None` if no option is left.
pub(crate) type DrawOption<'d> = dyn FnMut(u64, &mut dyn FnMut(u64) -> u64) -> Option<u64> + 'd;

/// The paths of a step to execute.
enum Mode<'p> {
    /// All of them.
    All,
    /// One path. If it ends at a choice, the execution is a cycle back to that choice.
    Follow(&'p [u32]),
    /// One path, up to the next choice.
    Suspend(&'p [u32]),
    /// One path, whose options are drawn.
    Draw(&'p mut DrawOption<'p>),
}

/// A choice to which the engine backtracks.
struct ChoicePoint<C, M> {
    choice: C,
    /// The next option to take, and the number of options.
    next: u64,
    count: u64,
    /// The number of choices before it on the path.
    depth: usize,
    /// The fuel left at the choice.
    fuel: i64,
    mark: M,
}

/// A step of a task, and an iterator over its outcomes.
pub struct Step<'p, 'm, T: Task<'m>> {
    task: T,
    points: SmallVec<[ChoicePoint<T::Choice, T::Mark>; 1]>,
    path: Path,
    mode: Mode<'p>,
    begun: bool,
    /// The number of options of the choice at which the step is suspended.
    suspended: Option<u64>,
}

impl<'p, 'm, T: Task<'m>> Step<'p, 'm, T> {
    /// A step that has not started.
    pub fn new(task: T) -> Self {
        Step {
            task,
            points: SmallVec::new(),
            path: Path::new(),
            mode: Mode::All,
            begun: false,
            suspended: None,
        }
    }

    /// A step that executes only one path.
    pub fn following(task: T, path: &'p [u32]) -> Self {
        Step { mode: Mode::Follow(path), ..Step::new(task) }
    }

    /// A step that executes one path up to the next choice, where it is [suspended](Self::suspended).
    pub fn suspending(task: T, path: &'p [u32]) -> Self {
        Step { mode: Mode::Suspend(path), ..Step::new(task) }
    }

    /// A step that executes one path, whose options are drawn.
    pub(crate) fn drawing(task: T, draw: &'p mut DrawOption<'p>) -> Self {
        Step { mode: Mode::Draw(draw), ..Step::new(task) }
    }

    /// The task.
    pub fn task(&self) -> &T {
        &self.task
    }

    /// The task, mutably, after an outcome.
    pub fn task_mut(&mut self) -> &mut T {
        &mut self.task
    }

    /// The task, when the step is over.
    pub fn into_task(self) -> T {
        self.task
    }

    /// The options taken on the path to the current outcome.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// The number of options of the choice at which the step was suspended, if it was.
    pub fn suspended(&self) -> Option<u64> {
        self.suspended
    }

    /// Executes the step to its next outcome, if any is left.
    #[inline]
    pub fn next_outcome(&mut self) -> Option<T::End> {
        if std::mem::replace(&mut self.begun, true) {
            self.task.meter().outcomes += 1;
            if let Some(why) = self.exhausted() {
                self.points.clear();
                return Some(self.task.exhausted(why));
            }
            if !self.backtrack() {
                return None;
            }
        }
        loop {
            let mut pause = self.task.run();
            if let Pause::Chooses(choice, count) = pause {
                pause = match self.choose(choice, count) {
                    Some(pause) => pause,
                    None => continue,
                };
            }
            match pause {
                Pause::Ends(end) => return Some(end),
                Pause::Discarded => {
                    if !self.backtrack() {
                        return None;
                    }
                }
                Pause::Chooses(_, count) => {
                    self.suspended = Some(count);
                    return None;
                }
            }
        }
    }

    /// The path to the n-th outcome, counted from 0, if it exists.
    pub fn path_to(mut self, nth: u32) -> Option<Path> {
        for _ in 0..=nth {
            self.next_outcome()?;
        }
        Some(self.path)
    }

    /// Takes the first option of a choice, and sets a choice point for the others. Returns the end of the
    /// execution if it cannot continue, or the choice itself if the step is suspended.
    fn choose(&mut self, choice: T::Choice, count: u64) -> Option<Pause<T::Choice, T::End>> {
        if let Some(why) = self.exhausted() {
            return Some(self.give_up(why));
        }
        match &mut self.mode {
            Mode::All => {
                if self.is_cycle() {
                    return Some(self.task.cycle());
                }
                let fuel = self.task.meter().fuel();
                let mark = self.task.mark();
                let depth = self.path.len();
                self.points.push(ChoicePoint { choice, next: 0, count, depth, fuel, mark });
                if self.take_next() { None } else { self.settle() }
            }
            Mode::Draw(draw) => {
                let task = &mut self.task;
                let Some(nth) = draw(count, &mut |from| task.next_option(choice, from)) else {
                    return Some(Pause::Discarded);
                };
                self.path.push(nth as u32);
                self.task.take(choice, nth);
                None
            }
            Mode::Follow(path) | Mode::Suspend(path) => match path.get(self.path.len()) {
                Some(nth) if u64::from(*nth) < count => {
                    self.path.push(*nth);
                    let first = self.task.next_option(choice, u64::from(*nth));
                    if first != u64::from(*nth) {
                        return Some(Pause::Discarded);
                    }
                    self.task.take(choice, first);
                    None
                }
                Some(_) => Some(Pause::Discarded),
                None if matches!(self.mode, Mode::Suspend(_)) => Some(Pause::Chooses(choice, count)),
                None => Some(self.task.cycle()),
            },
        }
    }

    /// Returns true if the task has returned to one of its choices with nothing changed since.
    fn is_cycle(&self) -> bool {
        let since = self.points.iter().rev().map(|point| self.task.since(&point.mark));
        since.take_while(|since| *since != Since::Changed).any(|since| since == Since::Back)
    }

    /// Backtracks from the newest choice point, which has no option that can be taken.
    fn settle(&mut self) -> Option<Pause<T::Choice, T::End>> {
        if self.backtrack() { None } else { Some(Pause::Discarded) }
    }

    /// Backtracks to the last choice point with an option left, and takes it. Returns false if there is
    /// none.
    fn backtrack(&mut self) -> bool {
        while let Some(point) = self.points.last() {
            let fuel = point.fuel;
            let changed = self.task.rewind(&point.mark);
            let meter = self.task.meter();
            meter.backtrack(fuel);
            meter.discarded += usize::from(changed);
            if self.take_next() {
                return true;
            }
        }
        false
    }

    /// Takes the next option of the last choice point, at which the task is. Drops the point before its
    /// last option. Returns false if no option is left.
    fn take_next(&mut self) -> bool {
        let Some(point) = self.points.last_mut() else { return false };
        let (choice, depth) = (point.choice, point.depth);
        let nth =
            if point.next < point.count { self.task.next_option(choice, point.next) } else { point.count };
        point.next = nth + 1;
        if point.next >= point.count
            && let Some(point) = self.points.pop()
        {
            self.task.release(point.mark);
            if nth >= point.count {
                return false;
            }
        }
        self.path.truncate(depth);
        // Languages offer fewer than 2³² options.
        self.path.push(nth as u32);
        self.task.take(choice, nth);
        true
    }

    /// Checks the limits at intervals. Returns the one that ends the step, if any.
    fn exhausted(&mut self) -> Option<Exhausted> {
        let points = self.points.len();
        let meter = self.task.meter();
        if !meter.check_is_due(points) {
            return None;
        }
        let bytes = self.task.bytes();
        self.task.meter().limit(points, bytes)
    }

    /// Ends the step. Its remaining outcomes are not explored.
    #[cold]
    fn give_up(&mut self, why: Exhausted) -> Pause<T::Choice, T::End> {
        self.points.clear();
        Pause::Ends(self.task.exhausted(why))
    }
}
