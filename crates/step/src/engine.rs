//! One step of a task, through all of its outcomes.
//!
//! A step leads from one scheduling point to the next. Where the task makes a nondeterministic choice,
//! the engine sets a *choice point* and takes the first option; when that execution of the step is done,
//! it backtracks: the task undoes what it changed since the choice point, and takes the next option.
//! Outcomes are produced depth first, in the order of the options. So the n-th outcome of a step is the
//! same in every run, and the *path* to it, the option taken at each choice, can be replayed.
//!
//! The outcomes of a step must not multiply: a step is *suspended* at a choice among more values than the
//! search enumerates at once, and where its enumeration would exceed [`MAX_OUTCOMES`]. The search resumes
//! it there with a longer path. A resumed step is executed from its beginning.
//!
//! A language implements [`Task`]: registers, instructions and an undo log ([`crate::undo`]). The division
//! is that of Miri, whose `InterpCx` is shared and whose `Machine` is the language's.
//!
//! Invariants:
//! 1. [`Task::rewind`] restores exactly the state of [`Task::mark`], so that paths are independent of each
//!    other.
//! 2. A choice point with one option left is dropped before that option is taken: nothing is saved for it.
//! 3. Between two suspensions, the product of the numbers of options along a path is at most
//!    [`MAX_OUTCOMES`], and therefore so is the number of outcomes.

use dally_explore::{Fingerprint, Path, StepLimits};
use smallvec::SmallVec;

use crate::meter::{Exhausted, Meter};

/// The most outcomes of a step that are enumerated before it is suspended.
pub const MAX_OUTCOMES: u64 = 1 << 12;

/// The most choices on one path of a step.
pub const MAX_CHOICES: usize = 10_000;

/// The result of executing a step along one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached<E> {
    /// The step ends.
    End(E),
    /// The step is suspended at a choice among this many options.
    Choice(u64),
}

/// The context shared by all steps of a program.
#[derive(Debug)]
pub struct Context<'m, C, S> {
    /// The compiled program.
    pub code: &'m C,
    /// The interned parts of states.
    pub store: &'m S,
    /// The limits of the search.
    pub limits: &'m StepLimits,
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

    /// Undoes all changes since the mark.
    fn rewind(&mut self, mark: &Self::Mark);

    /// Drops a mark, after all changes since it were undone.
    fn release(&mut self, mark: Self::Mark);

    /// The first option from this one on that can be taken; by default, that one. A language can skip
    /// options here whose guards are cheap to refute.
    fn next_option(&mut self, _: Self::Choice, from: u64) -> u64 {
        from
    }

    /// Returns true for a choice of a value, and false for one of control flow. Control flow is enumerated
    /// whatever the number of options: nested `if (*)` and a `goto` to many labels mean the same.
    fn chooses_value(_: Self::Choice) -> bool;

    /// The configuration of a task that has paused before a choice. Tasks that began the same step and have
    /// the same configuration have the same outcomes.
    fn configuration(&self) -> Fingerprint;

    /// Takes an option of the choice at which the task has paused.
    fn take(&mut self, choice: Self::Choice, nth: u64);

    /// Compares the task with its configuration at a mark. The default detects no cycle.
    fn since(&self, _: &Self::Mark) -> Since {
        Since::Changed
    }

    /// The end of an execution that has returned to an earlier choice, whose mark this is, in the same
    /// configuration.
    fn cycle(&mut self, _: &Self::Mark) -> Pause<Self::Choice, Self::End> {
        Pause::Discarded
    }

    /// The end of a step that has exhausted its budget or reached a limit.
    fn exhausted(&mut self, why: Exhausted) -> Self::End;

    /// The meter of this step.
    fn meter(&mut self) -> &mut Meter<'m>;

    /// The bytes that count against the memory limit, the undo log included.
    fn bytes(&self) -> usize;
}

/// A choice of which an option is drawn.
pub(crate) struct Offered<'o> {
    pub(crate) options: u64,
    /// See [`Task::chooses_value`].
    pub(crate) is_value: bool,
    /// The first option from its argument on that is not refuted.
    pub(crate) next_option: &'o mut dyn FnMut(u64) -> u64,
}

/// Draws an option that is not refuted. The result is `None` if no option is left.
pub(crate) type DrawOption<'d> = dyn FnMut(Offered<'_>) -> Option<u64> + 'd;

/// The paths of a step to execute.
enum Mode<'p> {
    /// Paths that begin with `path`. Beyond it, choices among more than `inline` values suspend the step.
    From { path: &'p [u32], inline: u64 },
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
    /// The product of the numbers of options from the beginning of the enumeration to this point.
    product: u64,
    /// The fuel left at the choice.
    fuel: i64,
    /// The configuration of the task at the choice, in a resumed step.
    configuration: Option<Fingerprint>,
    mark: M,
}

/// A step of a task, and an iterator over its outcomes.
pub struct Step<'p, 'm, T: Task<'m>> {
    task: T,
    points: SmallVec<[ChoicePoint<T::Choice, T::Mark>; 1]>,
    path: Path,
    mode: Mode<'p>,
    /// The product of the numbers of options on the path since the enumeration began.
    product: u64,
    begun: bool,
}

impl<'p, 'm, T: Task<'m>> Step<'p, 'm, T> {
    /// A step that executes the paths that begin with `path`; choices among more than `inline` values
    /// suspend it.
    pub fn along(task: T, path: &'p [u32], inline: u64) -> Self {
        Self::new(task, Mode::From { path, inline })
    }

    /// A step that executes one path, whose options are drawn.
    pub(crate) fn drawing(task: T, draw: &'p mut DrawOption<'p>) -> Self {
        Self::new(task, Mode::Draw(draw))
    }

    fn new(task: T, mode: Mode<'p>) -> Self {
        Step { task, points: SmallVec::new(), path: Path::new(), mode, product: 1, begun: false }
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

    /// Executes the step to its next outcome, if any is left.
    #[inline]
    pub fn next_outcome(&mut self) -> Option<Reached<T::End>> {
        if std::mem::replace(&mut self.begun, true) {
            if let Some(why) = self.exhausted() {
                self.points.clear();
                return Some(Reached::End(self.task.exhausted(why)));
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
                Pause::Ends(end) => return Some(Reached::End(end)),
                Pause::Chooses(_, count) => return Some(Reached::Choice(count)),
                Pause::Discarded => {
                    if !self.backtrack() {
                        return None;
                    }
                }
            }
        }
    }

    /// Takes the first option of a choice, and sets a choice point for the others. Returns the end of the
    /// execution if it cannot continue, or the choice itself if the step is suspended.
    #[inline]
    fn choose(&mut self, choice: T::Choice, count: u64) -> Option<Pause<T::Choice, T::End>> {
        let many = (self.path.len() >= MAX_CHOICES).then_some(Exhausted::Choices);
        if let Some(why) = many.or_else(|| self.exhausted()) {
            return Some(self.give_up(why));
        }
        match &mut self.mode {
            Mode::Draw(draw) => {
                let task = &mut self.task;
                let next_option = &mut |from| task.next_option(choice, from);
                let is_value = T::chooses_value(choice);
                let Some(nth) = draw(Offered { options: count, is_value, next_option }) else {
                    return Some(Pause::Discarded);
                };
                self.path.push(nth as u32);
                self.task.take(choice, nth);
                None
            }
            Mode::From { path, .. } if self.path.len() < path.len() => {
                let nth = u64::from(path[self.path.len()]);
                self.follow(choice, nth, count)
            }
            Mode::From { inline, .. } => {
                let inline = *inline;
                if let Some(earlier) = self.earlier_visit() {
                    return Some(self.task.cycle(&self.points[earlier].mark));
                }
                let product = self.product.saturating_mul(count);
                let many = product > MAX_OUTCOMES || count > inline && T::chooses_value(choice);
                if many && self.has_alternatives(choice, count) {
                    return Some(Pause::Chooses(choice, count));
                }
                self.set_point(choice, count, 0);
                self.product = product;
                if self.take_next() { None } else { self.settle() }
            }
        }
    }

    /// Takes an option of a choice on the path from which the step continues. The mark serves to detect
    /// cycles.
    fn follow(&mut self, choice: T::Choice, nth: u64, count: u64) -> Option<Pause<T::Choice, T::End>> {
        if nth >= count || self.task.next_option(choice, nth) != nth {
            return Some(Pause::Discarded);
        }
        self.set_point(choice, count, count);
        self.path.push(nth as u32);
        self.task.take(choice, nth);
        None
    }

    fn set_point(&mut self, choice: T::Choice, count: u64, next: u64) {
        let fuel = self.task.meter().fuel();
        let mark = self.task.mark();
        let (depth, product, configuration) = (self.path.len(), self.product, self.configuration());
        self.points.push(ChoicePoint { choice, next, count, depth, product, fuel, configuration, mark });
    }

    /// Returns true if at least two options are not refuted.
    fn has_alternatives(&mut self, choice: T::Choice, count: u64) -> bool {
        let first = self.task.next_option(choice, 0);
        first + 1 < count && self.task.next_option(choice, first + 1) < count
    }

    /// The configuration of the task, in a resumed step. A step that can make choices for ever is suspended
    /// at some time, so that configurations are compared only after that.
    fn configuration(&self) -> Option<Fingerprint> {
        match self.mode {
            Mode::From { path: [_, ..], .. } => Some(self.task.configuration()),
            _ => None,
        }
    }

    /// The choice point to which the task has returned, with nothing changed since or in the same
    /// configuration, if there is one.
    fn earlier_visit(&self) -> Option<usize> {
        if let Some(here) = self.configuration() {
            return self.points.iter().rposition(|point| point.configuration == Some(here));
        }
        let since =
            self.points.iter().enumerate().rev().map(|(nth, point)| (nth, self.task.since(&point.mark)));
        let mut unchanged = since.take_while(|(_, since)| *since != Since::Changed);
        unchanged.find(|(_, since)| *since == Since::Back).map(|(nth, _)| nth)
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
            self.task.rewind(&point.mark);
            self.task.meter().backtrack(fuel);
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
        self.product = point.product.saturating_mul(point.count);
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
        if !self.task.meter().check_is_due() {
            return None;
        }
        let bytes = self.task.bytes();
        self.task.meter().limit(bytes)
    }

    /// Ends the step. Its remaining outcomes are not explored.
    #[cold]
    fn give_up(&mut self, why: Exhausted) -> Pause<T::Choice, T::End> {
        self.points.clear();
        Pause::Ends(self.task.exhausted(why))
    }
}
