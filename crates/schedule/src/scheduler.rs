//! The one abstraction: a deterministic data structure over task ids that can be told to delay.
//!
//! [POPL11 §2.1, §3] and [TR15 §2] are the same idea: ⟨D, empty, give, take, delay⟩ there, and
//! ⟨D, Next, Step, Delay⟩ here. We follow the former, and pass what happened in a step as the
//! reasons of `give`.
//!
//! Deviations:
//! 1. A task is an id, not a stack of frames; what [POPL11] reads off the frames (was it just posted,
//!    or does it resume?) comes as [`Why`].
//! 2. A scheduler is told when the task that it proposed has completed. [POPL11] lets it vanish;
//!    the trees of [SPIN14 §3] need to know.
//! 3. The state of the program is visible as the set of enabled tasks and one number, [`Ready`].

use std::hash::Hash;

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

/// Where a new task comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Post {
    /// The task that posted it; none for the first tasks of a program.
    pub by: Option<TaskId>,
    /// Its priority level: a higher one runs first, under schedulers that look at levels.
    pub level: u32,
    /// The task buffer that it was put into [FSE12 §3].
    pub buffer: u32,
    /// Tasks of one kind are copies of each other (same procedure, same arguments): this is what
    /// [`BoundedBag`](crate::BoundedBag) counts. Zero means unlike every other.
    pub kind: u64,
}

/// Why a task is given to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// It is new.
    Posted(Post),
    /// It was running and has given up control, but could go on. A task that was interrupted by one
    /// of a higher level counts as yielding too: until it may go on, it is not enabled.
    Yielded,
    /// It was running and now waits, for the given task to complete, or for anything else. A program
    /// must say so at *each* wait, even if the other task has completed already: `dfw` runs the
    /// subtasks of the waiting task first.
    Blocked(Option<TaskId>),
    /// It was not running, and the running task (if given) has sent it something that may enable it.
    /// The scheduler has the task already: this changes its place at most.
    Woken(Option<TaskId>),
}

/// What a scheduler may know of the program's state when it proposes a task.
#[derive(Clone, Copy, Debug)]
pub struct Ready<'a> {
    /// The tasks that can run: ascending, without repetition.
    enabled: &'a [TaskId],
    /// Those of them whose number is less than 64, a bit each: nearly always all.
    few: u64,
    state: u64,
}

impl<'a> Ready<'a> {
    /// The given tasks, ascending and without repetition, can run.
    pub fn new(enabled: &'a [TaskId]) -> Self {
        Self::at(enabled, 0)
    }

    /// Likewise, with a hash of the program's state, for schedulers whose order depends on it.
    pub fn at(enabled: &'a [TaskId], state: u64) -> Self {
        Self::with_bits(enabled, enabled.iter().fold(0, |few, task| few | Self::bit(*task)), state)
    }

    /// Likewise, where the [bits](Self::bit) of these tasks are known already.
    #[inline]
    pub fn with_bits(enabled: &'a [TaskId], few: u64, state: u64) -> Self {
        debug_assert!(enabled.windows(2).all(|pair| pair[0] < pair[1]), "{enabled:?} is not ascending");
        debug_assert_eq!(few, enabled.iter().fold(0, |few, task| few | Self::bit(*task)));
        Self { enabled, few, state }
    }

    /// The bit that stands for a task; only the first 64 have one.
    #[inline]
    pub fn bit(task: TaskId) -> u64 {
        if task.0 < u64::BITS { 1 << task.0 } else { 0 }
    }

    /// The tasks that can run, ascending.
    pub fn enabled(&self) -> &'a [TaskId] {
        self.enabled
    }

    /// A hash of the program's state.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Whether the task can run.
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        if task.0 < u64::BITS { self.few >> task.0 & 1 == 1 } else { is_among(self.enabled, task) }
    }

    /// Whether the task is known not to run without a search: `false` says nothing.
    #[inline]
    pub fn lacks(&self, task: TaskId) -> bool {
        task.0 < u64::BITS && self.few >> task.0 & 1 == 0
    }

    /// The position of the task among those that can run.
    pub fn position(&self, task: TaskId) -> Option<usize> {
        self.enabled.binary_search(&task).ok()
    }
}

/// Out of line, and without a reference to the rest of [`Ready`], which would have to be written to memory for it:
/// so nobody pays for it who has few tasks.
#[cold]
#[inline(never)]
fn is_among(enabled: &[TaskId], task: TaskId) -> bool {
    enabled.binary_search(&task).is_ok()
}

/// A deterministic order of tasks that deviates only when told to.
///
/// The protocol: new tasks are [given](Self::give). Then, again and again, [`take`](Self::take)
/// proposes a task, and its caller answers with either [`delay`](Self::delay), and asks again; or it
/// runs the task, gives the tasks that it posted and woke, and at last gives the task itself back, or
/// says that it has [completed](Self::complete).
///
/// Obligations, tested for every scheduler of this crate:
/// - *deterministic*: equal schedulers that are told the same propose the same;
/// - *refines bag*: only tasks that were given, and not taken since, are proposed;
/// - *lossless*: an enabled task that was given stays within reach ([`BoundedBag`](crate::BoundedBag)
///   is the exception);
/// - *delay-accessible*: successive delays propose every enabled task, after at most
///   [`patience`](Self::patience) of them ([`Priority`](crate::Priority) only those of the highest
///   level, and see [`Dfw`](crate::Dfw));
/// - *non-blocking*: only enabled tasks are proposed ([`Dfs`](crate::Dfs) and [`Df`](crate::Df) are
///   the exceptions: there, delays are the only way past a blocked task).
///
/// Its whole state is a value: explorers save, restore, compare and hash it.
pub trait DelayingScheduler: Clone + Eq + Hash {
    /// A task was posted, has yielded, blocks, or was woken.
    fn give(&mut self, task: TaskId, why: Why);

    /// Proposes the task that runs next: the first in the order that can run. The task is out of the
    /// scheduler until it is delayed or given back. `None`: it has nothing (more) to propose here.
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId>;

    /// The task just proposed is postponed, and back in the scheduler.
    fn delay(&mut self, task: TaskId);

    /// A task has ended and is forgotten.
    fn complete(&mut self, task: TaskId);

    /// Whether the task that was taken comes up again at once, if it yields and can go on, and all is as it was then.
    /// To say so saves the caller from giving it back, and from asking: it runs on, or is delayed, as if it had
    /// been proposed again. `false` is never wrong.
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        let _ = (task, ready);
        false
    }

    /// After how many successive delays at the most every enabled task has been proposed.
    fn patience(&self) -> usize {
        usize::MAX
    }

    /// What a delay costs. Zero makes every order of tasks free: that is the nondeterministic
    /// reference, [`Bag`](crate::Bag).
    fn delay_cost(&self) -> u32 {
        1
    }

    /// Bytes that it holds beyond its own size, for memory budgets.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// Whether the next proposal may be delayed: not while sealed, not with the budget spent.
    fn can_delay(&self) -> bool {
        true
    }
}
