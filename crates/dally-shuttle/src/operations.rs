//! The operations of tasks on shared objects, as the types of [`sync`](crate::sync) and [`thread`](crate::thread)
//! announce them.
//!
//! Shuttle does not tell its scheduler what a task is about to do. So the types of this crate, which wrap those of
//! shuttle, announce an operation before they call shuttle: the object, and the kind of access. Shuttle's scheduling point
//! precedes the effect of the operation, so the announcement tells what the *next* step of the task accesses, and the
//! accesses of a step are known when it has ended.
//!
//! A step that begins or ends at a scheduling point without an announcement, of a type that is not wrapped, is
//! *unknown*: it is taken to conflict with every other step.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// A shared object: its number in the execution.
pub(crate) type Object = u64;

/// The table of tasks: threads are numbered in the order of their creation.
const SPAWNING: Object = 0;

/// The source of the values of `shuttle::rand`, which all tasks share.
const RANDOM: Object = 1;

/// The first number of an object of the program.
const FIRST: Object = 16;

/// A task, as an object: its termination.
const TASKS: Object = 1 << 48;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Read,
    Write,
    /// Acquires a lock, and is not enabled while another task holds it.
    Acquire,
    Release,
    /// Acquires a lock that other readers may hold.
    AcquireShared,
    ReleaseShared,
    /// A `try_lock` has acquired a lock.
    Taken,
    TakenShared,
}

impl Kind {
    /// True if accesses of these kinds to one object commute.
    fn is_shared(self) -> bool {
        matches!(self, Self::Read | Self::AcquireShared | Self::ReleaseShared | Self::TakenShared)
    }
}

/// An access to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub(crate) object: Object,
    pub(crate) kind: Kind,
}

impl Access {
    /// True if two accesses do not commute.
    pub(crate) fn conflicts(self, other: Self) -> bool {
        self.object == other.object && !(self.kind.is_shared() && other.kind.is_shared())
    }

    /// True if this is the wait for the termination of a task.
    pub(crate) fn joins(self, task: usize) -> bool {
        self.object == TASKS + task as u64 && self.kind == Kind::Read
    }

    pub(crate) fn is_write(self) -> bool {
        !self.kind.is_shared()
    }
}

/// The accesses of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// True if the step may have other accesses than these.
    pub(crate) unknown: bool,
    pub(crate) accesses: Vec<Access>,
}

impl Footprint {
    fn clear(&mut self) {
        self.unknown = false;
        self.accesses.clear();
    }

    fn add(&mut self, access: Access) {
        if !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }

    /// True if two steps may not commute.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        self.unknown
            || other.unknown
            || self.accesses.iter().any(|one| other.accesses.iter().any(|two| one.conflicts(*two)))
    }
}

/// The accesses between two scheduling points of an operation.
pub(crate) type Phase = [Option<Access>; 2];

/// The accesses of an operation: one phase after each of its scheduling points. The last one lasts until it returns.
#[derive(Clone, Copy, Debug)]
struct Script {
    phases: [Phase; 3],
    length: usize,
    at: usize,
}

/// The known operations of a task.
#[derive(Debug)]
struct TaskOperations {
    script: Option<Script>,
    /// The accesses of its next step.
    pending: Footprint,
    exited: bool,
}

impl Default for TaskOperations {
    /// A task that was not spawned by [`thread`](crate::thread): nothing is known about its first step.
    fn default() -> Self {
        let pending = Footprint { unknown: true, ..Footprint::default() };
        Self { script: None, pending, exited: false }
    }
}

/// The operations of the current execution.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// Objects are numbered anew in each execution.
    next: Object,
    running: usize,
    tasks: Vec<TaskOperations>,
    /// The accesses of the current step.
    step: Footprint,
    /// The number of operations that were announced.
    announced: u64,
}

thread_local! {
    static OPERATIONS: RefCell<Operations> = RefCell::default();
    /// The number of the execution whose operations are recorded; 0 if none are.
    static RECORDING: Cell<u32> = const { Cell::new(0) };
    static EXECUTIONS: Cell<u32> = const { Cell::new(0) };
    /// True if an operation was announced on this thread, recorded or not.
    static USED: Cell<bool> = const { Cell::new(false) };
}

/// True if an operation was announced on this thread.
pub(crate) fn are_announced() -> bool {
    USED.get()
}

/// The entry of a task.
fn entry(tasks: &mut Vec<TaskOperations>, task: usize) -> &mut TaskOperations {
    if tasks.len() <= task {
        tasks.resize_with(task + 1, TaskOperations::default);
    }
    &mut tasks[task]
}

/// Accesses the operations, unless they are borrowed.
fn with<T>(work: impl FnOnce(&mut Operations) -> T) -> Option<T> {
    OPERATIONS.with(|cell| cell.try_borrow_mut().ok().map(|mut operations| work(&mut operations)))
}

/// Begins to record the operations of an execution, or stops to record any.
pub(crate) fn begin(recording: bool) {
    EXECUTIONS.set(EXECUTIONS.get().wrapping_add(1).max(1));
    RECORDING.set(if recording { EXECUTIONS.get() } else { 0 });
    with(|operations| {
        operations.next = FIRST;
        operations.running = 0;
        operations.tasks.clear();
        operations.step.clear();
        operations.announced = 0;
    });
}

/// The number of operations that were announced in this execution.
pub(crate) fn announced() -> u64 {
    with(|operations| operations.announced).unwrap_or(0)
}

/// The number of the next object that is accessed for the first time.
pub(crate) fn next_object() -> Object {
    with(|operations| operations.next).unwrap_or(FIRST)
}

/// Ends the current step at a scheduling point. Stores its accesses in `footprint`. `gone`: the task that ran has
/// terminated or is blocked.
pub(crate) fn end_step(footprint: &mut Footprint, gone: bool) {
    with(|operations| {
        let Operations { running, tasks, step, .. } = operations;
        let task = entry(tasks, *running);
        task.pending.clear();
        match &mut task.script {
            Some(script) => {
                script.phases[script.at].iter().flatten().for_each(|access| task.pending.add(*access));
                script.at = (script.at + 1).min(script.length - 1);
            }
            // It has terminated.
            None if task.exited && gone => {}
            // An operation that was not announced may have an effect before its scheduling point.
            None => (task.pending.unknown, step.unknown) = (true, true),
        }
        std::mem::swap(footprint, step);
        step.clear();
    });
}

/// The last step has ended.
pub(crate) fn end_execution(footprint: &mut Footprint) {
    with(|operations| std::mem::swap(footprint, &mut operations.step));
    RECORDING.set(0);
}

/// Begins a step of a task.
pub(crate) fn begin_step(task: usize) {
    with(|operations| {
        operations.running = task;
        operations.step.clear();
        let Operations { tasks, step, .. } = operations;
        let pending = &entry(tasks, task).pending;
        step.unknown = pending.unknown;
        step.accesses.extend_from_slice(&pending.accesses);
    });
}

/// The accesses of the next step of a task, as far as they were announced.
pub(crate) fn pending(task: usize) -> Footprint {
    with(|operations| entry(&mut operations.tasks, task).pending.clone())
        .unwrap_or_else(|| TaskOperations::default().pending)
}

/// A thread was spawned by [`thread`](crate::thread): before its first scheduling point, it accesses nothing.
pub(crate) fn spawned(task: usize) {
    if RECORDING.get() > 0 {
        with(|operations| entry(&mut operations.tasks, task).pending.clear());
    }
}

/// The main thread is about to terminate. Threads that still run go on; only tasks whose steps are unknown do not.
pub(crate) fn main_ends() {
    if RECORDING.get() > 0 {
        std::mem::forget(announce_nothing());
        // The program has announced nothing by this.
        with(|operations| operations.announced -= 1);
    }
}

/// The tasks that are not known to have terminated.
pub(crate) fn unfinished() -> Vec<usize> {
    with(|operations| {
        let tasks = operations.tasks.iter().enumerate().skip(1);
        tasks.filter(|(_, task)| !task.exited).map(|(nth, _)| nth).collect()
    })
    .unwrap_or_default()
}

/// The number of an object, which it gets in each execution when it is accessed for the first time.
#[derive(Debug, Default)]
pub(crate) struct Id(AtomicU64);

impl Id {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    fn get(&self, execution: u32, operations: &mut Operations) -> Object {
        let known = self.0.load(Ordering::Relaxed);
        if known >> 32 == u64::from(execution) {
            return known & 0xffff_ffff;
        }
        let object = operations.next;
        operations.next += 1;
        self.0.store(u64::from(execution) << 32 | object, Ordering::Relaxed);
        object
    }

    /// Announces an operation with one access.
    pub(crate) fn announce(&self, kind: Kind) -> Announced {
        self.announce_all(&[(self, kind)], &[], &[])
    }

    /// Announces an operation with several phases: the accesses after each of its scheduling points.
    pub(crate) fn announce_all(
        &self,
        first: &[(&Self, Kind)],
        second: &[(&Self, Kind)],
        third: &[(&Self, Kind)],
    ) -> Announced {
        let execution = RECORDING.get();
        if execution == 0 {
            USED.set(true);
            return Announced(None);
        }
        announce(|operations| {
            let mut phase = |accesses: &[(&Self, Kind)]| {
                let mut phase = Phase::default();
                for (slot, (id, kind)) in phase.iter_mut().zip(accesses) {
                    *slot = Some(Access { object: id.get(execution, operations), kind: *kind });
                }
                phase
            };
            let phases = [phase(first), phase(second), phase(third)];
            let length = 1 + usize::from(!second.is_empty()) + usize::from(!third.is_empty());
            Script { phases, length, at: 0 }
        })
    }

    /// Records an access of the current step that has no scheduling point.
    pub(crate) fn touch(&self, kind: Kind) {
        let execution = RECORDING.get();
        if execution > 0 {
            with(|operations| {
                let object = self.get(execution, operations);
                operations.step.add(Access { object, kind });
            });
        }
    }
}

/// An operation is in progress; ends when it is dropped.
#[must_use]
pub(crate) struct Announced(Option<Option<Script>>);

impl Drop for Announced {
    fn drop(&mut self) {
        if let Some(outer) = self.0.take()
            && RECORDING.get() > 0
        {
            with(|operations| {
                if let Some(task) = operations.tasks.get_mut(operations.running) {
                    task.script = outer;
                }
            });
        }
    }
}

fn announce(script: impl FnOnce(&mut Operations) -> Script) -> Announced {
    let outer = with(|operations| {
        let script = script(operations);
        operations.announced += 1;
        entry(&mut operations.tasks, operations.running).script.replace(script)
    });
    Announced(outer)
}

fn announce_one(access: Option<Access>) -> Announced {
    if RECORDING.get() == 0 {
        return Announced(None);
    }
    announce(|_| Script { phases: [[access, None], Phase::default(), Phase::default()], length: 1, at: 0 })
}

/// Announces an operation without an effect, such as `yield_now`.
pub(crate) fn announce_nothing() -> Announced {
    announce_one(None)
}

/// Announces that a thread is spawned.
pub(crate) fn announce_spawn() -> Announced {
    announce_one(Some(Access { object: SPAWNING, kind: Kind::Write }))
}

/// Announces that the termination of a task is awaited.
pub(crate) fn announce_join(task: usize) -> Announced {
    announce_one(Some(Access { object: TASKS + task as u64, kind: Kind::Read }))
}

/// The running task terminates, without a further scheduling point.
pub(crate) fn exit() {
    if RECORDING.get() > 0 {
        with(|operations| {
            let running = operations.running;
            operations.step.add(Access { object: TASKS + running as u64, kind: Kind::Write });
            entry(&mut operations.tasks, running).exited = true;
        });
    }
}

/// The running task has requested a value from `rand`.
pub(crate) fn draw() {
    if RECORDING.get() > 0 {
        with(|operations| operations.step.add(Access { object: RANDOM, kind: Kind::Write }));
    }
}
