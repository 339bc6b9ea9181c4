//! The trait of delaying schedulers: a deterministic data structure over task ids, with an operation `delay`.
//!
//! [POPL11 §2.1, §3] and [TR15 §2] are the same idea: ⟨D, empty, give, take, delay⟩ there, and
//! ⟨D, Next, Step, Delay⟩ here. We follow the former, and pass what happened in a step as the
//! reasons of `give`.
//!
//! Deviations:
//! 1. A task is an id, not a stack of frames; whether it was just posted or resumes, which [POPL11] reads off the
//!    frames, is given as [`Why`].
//! 2. [`DelayingScheduler::complete`] reports that a task has completed. [POPL11] has no such operation;
//!    the trees of [SPIN14 §3] need it.
//! 3. The state of the program is visible as the set of enabled tasks and one number, [`Ready`]; schedulers that ask for more
//!    [observe](DelayingScheduler::observe) each step with the states before and after it, by names.

use std::hash::Hash;

use crate::view::Observed;

/// A task (thread, process, machine) of the program under test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for TaskId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The origin of a new task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Post {
    /// The task that posted it; `None` for the first tasks of a program.
    pub by: Option<TaskId>,
    /// Its priority level: a higher one runs first, under schedulers that look at levels.
    pub level: u32,
    /// The task buffer that it was put into [FSE12 §3].
    pub buffer: u32,
    /// Tasks of one kind are copies of each other (same procedure, same arguments): this is what
    /// [`BoundedBag`](crate::BoundedBag) counts. Zero means unlike every other.
    pub kind: u64,
}

/// The reason why a task is given to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// It is new.
    Posted(Post),
    /// It ran and yielded. A task that was interrupted by one of a higher level yields, too: it is not
    /// enabled until it can resume.
    Yielded,
    /// It ran and now waits for the given task to complete, or for another event. A program must report
    /// *each* wait, even if the other task has completed already: `dfw` runs the subtasks of the waiting
    /// task first.
    Blocked(Option<TaskId>),
    /// It did not run, and the running task (if given) has sent it a message that may enable it.
    /// The scheduler holds the task already, and may only change its place.
    Woken(Option<TaskId>),
}

/// The part of the program's state that a scheduler sees when it proposes a task.
#[derive(Clone, Copy, Debug)]
pub struct Ready<'a> {
    /// The enabled tasks: ascending, without repetition.
    enabled: &'a [TaskId],
    /// The enabled tasks with numbers below 64, as a bit set: nearly always all of them.
    few: u64,
    state: u64,
}

impl<'a> Ready<'a> {
    /// These tasks, ascending and without repetition, are enabled.
    pub fn new(enabled: &'a [TaskId]) -> Self {
        Self::at(enabled, 0)
    }

    /// These tasks are enabled, in a state with this hash, for schedulers whose order depends on the state.
    pub fn at(enabled: &'a [TaskId], state: u64) -> Self {
        Self::with_bits(enabled, enabled.iter().fold(0, |few, task| few | Self::bit(*task)), state)
    }

    /// These tasks, whose [bits](Self::bit) the caller knows already, are enabled in a state with this hash.
    #[inline]
    pub fn with_bits(enabled: &'a [TaskId], few: u64, state: u64) -> Self {
        debug_assert!(enabled.windows(2).all(|pair| pair[0] < pair[1]), "{enabled:?} is not ascending");
        debug_assert_eq!(few, enabled.iter().fold(0, |few, task| few | Self::bit(*task)));
        Self { enabled, few, state }
    }

    /// The bit of a task; only the first 64 tasks have one.
    #[inline]
    pub fn bit(task: TaskId) -> u64 {
        if task.0 < u64::BITS { 1 << task.0 } else { 0 }
    }

    /// The enabled tasks, ascending.
    pub fn enabled(&self) -> &'a [TaskId] {
        self.enabled
    }

    /// A hash of the program's state.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// True if the task is enabled.
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        if task.0 < u64::BITS { self.few >> task.0 & 1 == 1 } else { is_among(self.enabled, task) }
    }

    /// True if a constant-time test shows that the task is not enabled; `false` implies nothing.
    #[inline]
    pub fn lacks(&self, task: TaskId) -> bool {
        task.0 < u64::BITS && self.few >> task.0 & 1 == 0
    }

    /// The position of the task among the enabled tasks.
    pub fn position(&self, task: TaskId) -> Option<usize> {
        self.enabled.binary_search(&task).ok()
    }
}

/// Not inlined, and without a reference to [`Ready`], which would force it into memory: so programs with few tasks do
/// not pay for it.
#[cold]
#[inline(never)]
fn is_among(enabled: &[TaskId], task: TaskId) -> bool {
    enabled.binary_search(&task).is_ok()
}

/// A deterministic order of tasks, from which delays deviate.
///
/// The protocol: the caller [gives](Self::give) new tasks. Then it repeats: [`take`](Self::take) proposes a
/// task; the caller either [delays](Self::delay) it and takes again, or runs it, gives the tasks that it
/// posted and woke, and finally gives back the task itself, or [completes](Self::complete) it.
///
/// Obligations, tested for every scheduler of this crate:
/// - *deterministic*: after the same calls, equal schedulers propose the same task;
/// - *refines bag*: only tasks that were given, and not taken since, are proposed;
/// - *lossless*: an enabled task that was given can be proposed ([`BoundedBag`](crate::BoundedBag)
///   is the exception);
/// - *delay-accessible*: successive delays propose every enabled task, after at most
///   [`patience`](Self::patience) of them ([`Priority`](crate::Priority) only those of the highest
///   level, and see [`Dfw`](crate::Dfw));
/// - *non-blocking*: only enabled tasks are proposed ([`Dfs`](crate::Dfs) and [`Df`](crate::Df) are
///   the exceptions: a delay is needed to pass a blocked task).
///
/// Its whole state is a value: explorers save, restore, compare and hash it.
pub trait DelayingScheduler: Clone + Eq + Hash {
    /// A task was posted, yielded, blocked, or was woken.
    fn give(&mut self, task: TaskId, why: Why);

    /// Proposes the task that runs next: the first enabled one in the order. The scheduler does not hold the
    /// task until it is delayed or given back. `None` if there is no (other) task to propose.
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId>;

    /// Postpones the task just proposed; the scheduler holds it again.
    fn delay(&mut self, task: TaskId);

    /// A task has completed; the scheduler removes it.
    fn complete(&mut self, task: TaskId);

    /// True if the task that was taken would be proposed again at once, if it yields, is enabled, and no other task has
    /// changed. The caller then need not give it back and take it again: it runs on, or is delayed, as if it had been
    /// proposed again. `false` is always correct.
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        let _ = (task, ready);
        false
    }

    /// The number of successive delays after which every enabled task has been proposed, at most.
    fn patience(&self) -> usize {
        usize::MAX
    }

    /// The cost of a delay. Zero makes every order of tasks free, as in the nondeterministic
    /// reference, [`Bag`](crate::Bag).
    fn delay_cost(&self) -> u32 {
        1
    }

    /// Its heap bytes, for memory limits.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// True if a task may take a step ahead of its turn: it is given back, or completes, although another task was
    /// proposed, and the order of the others stays. A search that reduces takes steps that commute so.
    fn allows_steps_ahead(&self) -> bool {
        false
    }

    /// True if the next proposal may be delayed: not while sealed, nor after the budget is spent.
    fn can_delay(&self) -> bool {
        true
    }

    /// The cost of delaying this task, which was just proposed: at least 1, unless every order is free.
    fn cost_of_delay(&self, _task: TaskId) -> u32 {
        self.delay_cost()
    }

    /// True if this task, which was just proposed, must not be delayed: a seal of the scheduler itself. Verdicts of a
    /// search say that they are modulo seals.
    fn seals(&self, _task: TaskId) -> bool {
        false
    }

    /// True if the scheduler [observes](Self::observe) steps. The caller describes steps and states only to those that do.
    ///
    /// Such a scheduler must not [allow steps ahead](Self::allows_steps_ahead): it would observe a step before its turn, and
    /// the events in it could change the order of the others. Then a search that reduces takes commuting steps in the order
    /// of the proposals only, and fused steps are proposed and observed one by one.
    fn looks(&self) -> bool {
        false
    }

    /// A step has ended, after everything that it gave. The first one is the initial state, without a task.
    fn observe(&mut self, _step: &Observed<'_>) {}
}
