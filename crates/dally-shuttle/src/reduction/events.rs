//! The events of an execution, and their partial order.
//!
//! An event is a step of a task. It *happens before* a later one if it is of the same task, conflicts with it, or
//! enables it; and transitively. Executions with the same partial order differ only in the order of steps that commute,
//! and end in the same state: they are one *trace* \[Mazurkiewicz: Trace theory, 1986\].
//!
//! Two events are in a *race* if they are of different tasks, conflict, and no event is between them in that
//! order; then some execution has them in the other order, unless the first one enables the second.
//!
//! A step that acquires a lock is enabled only while the lock is free, so it cannot come before the step that
//! releases the lock, but it can come before the step that acquired it: these two are in a race.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::operations::{Access, Footprint, Kind, Object};

/// A step.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) task: usize,
    pub(super) footprint: Footprint,
    /// The last event before which the task could not take this step.
    pub(super) enabled_by: Option<usize>,
    /// True if that event happens before this one: it has created or woken the task. The release of a lock only
    /// lets the task acquire it, as does any other release.
    pub(super) caused: bool,
}

/// For each task, the number of its events that happen before.
pub(super) type Clock = Vec<u32>;

/// A pair of events in a race, and the events that happen before the second one.
#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) before_second: Clock,
}

/// The last accesses to an object.
#[derive(Debug, Default)]
struct Accesses {
    write: Option<usize>,
    /// Reads since then.
    reads: Vec<usize>,
    /// The last step that acquired the object as a lock, and those that share it since then.
    acquired: Option<usize>,
    shared: Vec<usize>,
}

/// The partial order of an execution, event by event.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) clocks: Vec<Clock>,
    /// The number of each event among those of its task.
    pub(super) numbers: Vec<u32>,
    objects: FxHashMap<Object, Accesses>,
    /// The last event of each task, and the last one whose accesses are unknown.
    last: Vec<Option<usize>>,
    unknown: Option<usize>,
}

/// True if an event of a task, given by its number, is in a clock.
pub(super) fn covers(clock: &Clock, task: usize, number: u32) -> bool {
    clock.get(task).is_some_and(|events| *events > number)
}

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(one, two)| *one = (*one).max(*two));
}

impl Order {
    /// True if an event is in a clock.
    pub(super) fn covered(&self, clock: &Clock, events: &[Event], event: usize) -> bool {
        covers(clock, events[event].task, self.numbers[event])
    }

    fn join_event(&self, clock: &mut Clock, event: usize) {
        join(clock, &self.clocks[event]);
    }

    /// Adds the next event, and passes its races with earlier ones.
    pub(super) fn add(&mut self, events: &[Event], mut found: impl FnMut(Race)) {
        let second = self.clocks.len();
        let event = &events[second];
        if self.last.len() <= event.task {
            self.last.resize(event.task + 1, None);
        }
        let mut clock = Clock::new();
        if let Some(previous) = self.last[event.task] {
            self.join_event(&mut clock, previous);
        }
        if let Some(cause) = event.enabled_by.filter(|_| event.caused) {
            self.join_event(&mut clock, cause);
        }
        // The release of a lock may conflict with this step for another reason, too, such as an unknown access. That does
        // not put the acquisition before this step: the release cannot be reversed alone.
        let own = clock.clone();
        // From the last one to the first, so that those that happen before a later one are recognised.
        let mut earlier = self.conflicting(event);
        earlier.sort_unstable();
        earlier.dedup();
        for first in earlier.into_iter().rev() {
            if self.covered(&clock, events, first) {
                continue;
            }
            // A step that waits for the termination of a task never comes before it.
            let joins = event.footprint.accesses.iter().any(|access| access.joins(events[first].task));
            if event.enabled_by != Some(first) && !joins {
                found(Race { first, second, before_second: clock.clone() });
            }
            self.join_event(&mut clock, first);
        }
        for access in &event.footprint.accesses {
            self.acquire(events, *access, &own, &mut clock, &mut found);
        }
        self.record(event.task, &event.footprint, clock);
    }

    /// The last events that conflict with one, but for those that it only has to wait for, as it acquires a lock.
    fn conflicting(&self, event: &Event) -> Vec<usize> {
        if event.footprint.unknown {
            return self.last.iter().flatten().copied().collect();
        }
        let mut earlier: Vec<usize> = self.unknown.into_iter().collect();
        for access in &event.footprint.accesses {
            if matches!(access.kind, Kind::Acquire | Kind::AcquireShared) {
                continue;
            }
            if let Some(object) = self.objects.get(&access.object) {
                earlier.extend(object.write);
                if access.is_write() {
                    earlier.extend(&object.reads);
                }
            }
        }
        earlier
    }

    /// A step that acquires a lock is in a race with the last ones that acquired it, although the lock was released
    /// between them. `before` has what happens before the step apart from its own conflicts.
    fn acquire(
        &self,
        events: &[Event],
        access: Access,
        before: &Clock,
        clock: &mut Clock,
        found: &mut impl FnMut(Race),
    ) {
        let exclusive = match access.kind {
            Kind::Acquire => true,
            Kind::AcquireShared => false,
            _ => return,
        };
        let Some(object) = self.objects.get(&access.object) else { return };
        let second = self.clocks.len();
        let shared = object.shared.iter().filter(|_| exclusive);
        // Failed attempts to lock, and steps of condition variables, are accesses of another kind.
        let others = object.write.iter().chain(object.reads.iter().filter(|_| exclusive));
        let is_release = |event: &usize| {
            let of_object = events[*event].footprint.accesses.iter().filter(|it| it.object == access.object);
            of_object.clone().all(|it| matches!(it.kind, Kind::Release | Kind::ReleaseShared))
        };
        let mut earlier: Vec<usize> = object
            .acquired
            .iter()
            .chain(shared)
            .chain(others.filter(|event| !is_release(event)))
            .copied()
            .collect();
        earlier.sort_unstable();
        earlier.dedup();
        for first in earlier {
            if !self.covered(before, events, first) {
                found(Race { first, second, before_second: before.clone() });
            }
        }
        object.write.iter().for_each(|event| self.join_event(clock, *event));
        object.reads.iter().filter(|_| exclusive).for_each(|event| self.join_event(clock, *event));
    }

    fn record(&mut self, task: usize, footprint: &Footprint, mut clock: Clock) {
        let this = self.clocks.len();
        if clock.len() <= task {
            clock.resize(task + 1, 0);
        }
        self.numbers.push(clock[task]);
        clock[task] += 1;
        self.clocks.push(clock);
        self.last[task] = Some(this);
        if footprint.unknown {
            self.unknown = Some(this);
        }
        for access in &footprint.accesses {
            let object = self.objects.entry(access.object).or_default();
            if access.is_write() {
                object.write = Some(this);
                object.reads.clear();
            } else {
                object.reads.push(this);
            }
            match access.kind {
                Kind::Acquire | Kind::Taken => {
                    object.acquired = Some(this);
                    object.shared.clear();
                }
                Kind::AcquireShared | Kind::TakenShared => object.shared.push(this),
                _ => {}
            }
        }
    }
}

/// A hash of the partial order of an execution: equal for executions of one trace.
pub(super) fn fingerprint(events: &[Event]) -> u64 {
    let mut last: Vec<u64> = Vec::new();
    let mut unknown = 0_u64;
    // For each object: the hash of the last write, and the sum of those of the reads since then.
    let mut objects: FxHashMap<Object, (u64, u64)> = FxHashMap::default();
    let mut sum = 0_u64;
    for Event { task, footprint, .. } in events {
        if last.len() <= *task {
            last.resize(task + 1, 0);
        }
        let mut hasher = FxHasher::default();
        (task, last[*task], unknown, footprint.unknown).hash(&mut hasher);
        if footprint.unknown {
            last.iter().fold(0, |sum: u64, hash| sum.wrapping_add(*hash)).hash(&mut hasher);
        }
        for access in &footprint.accesses {
            let (write, reads) = objects.get(&access.object).copied().unwrap_or_default();
            (access.kind, write, if access.is_write() { reads } else { 0 }).hash(&mut hasher);
        }
        // Multiplied and shifted, since the hashes of events are added.
        let hash = (hasher.finish() ^ hasher.finish() >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for access in &footprint.accesses {
            let object = objects.entry(access.object).or_default();
            if access.is_write() {
                *object = (hash, 0);
            } else {
                object.1 = object.1.wrapping_add(hash);
            }
        }
        last[*task] = hash;
        if footprint.unknown {
            unknown = hash;
        }
        sum = sum.wrapping_add(hash ^ hash >> 29);
    }
    sum
}
