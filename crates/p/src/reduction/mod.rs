//! Partial-order reduction for P: which steps of a machine form a persistent set of their own.
//!
//! Machines share nothing but queues, monitors and the numbers of new machines. A step of a machine does at
//! most one of these at its beginning: it dequeues an event, sends one, or creates a machine. Then it runs
//! up to its next scheduling point; the monitors that see its events run inside it.
//!
//! The rule: the next step of a machine m commutes with everything that the others can do before it, unless
//!
//! | the step of m | and before it |
//! |---|---|
//! | sends an event to x (which may be m) | another machine may send to x, x itself included |
//! | sends an event to x | x may look for an event, find none, and handle `null` |
//! | finds no event, and will handle `null` | another machine may send to m |
//! | creates a machine | another machine may create one: machines are numbered in order |
//! | is seen by a monitor | an event of another machine may be seen by the same monitor |
//!
//! A machine dequeues the first event that its state does not defer, and others only append to its queue: so
//! a dequeue commutes with sends, and m stays enabled. `halt` needs no row: whether an event arrives
//! before or after the receiver halts, the event is dropped. Ignored events need none either: they are
//! dropped from the front of the queue of an idle machine, whether they arrive before or after it is idle.
//!
//! "May" is decided for a state, without m moving:
//! 1. [`origin`] finds from which variables each `send` takes its receiver and the references in its
//!    payload, once for each kind of machine.
//! 2. [`reach`] finds what a kind of machine may do from a control point on, once, too.
//! 3. [`future`] adds the references that a machine holds. They are cached with the interned machine.
//! 4. [`Others`] starts with the machines that are enabled, and follows their sends: a receiver may move,
//!    and hold the references that were sent to it. References in the queue of m reach no other machine.

mod future;
mod origin;
mod reach;
#[cfg(test)]
pub(crate) mod tests;

use std::hash::Hasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use dally_explore::{Fingerprinter, Footprint, Object};
use dally_step::engine::{Reached, Step};
use dally_step::memo::Cache;
use smallvec::SmallVec;

pub(crate) use future::Future;
use future::{MOST_MACHINES, Machines, Next, refs};
use reach::{Control, monitor_bit};

use crate::execute::End;
use crate::machine::{Machine, Taking};
use crate::state::{Mode, State};

/// The limit on the outcomes of a step that are examined for monitors.
const MOST_OUTCOMES: usize = 256;

/// The limit on the receivers that are followed for one step. Among many machines that refer to each other, the
/// references spread in a number of rounds that is cubic in the machines; beyond the limit, the step conflicts.
const MOST_FOLLOWED: u32 = 1 << 9;

/// The static part of the analysis, and caches of the dynamic part.
#[derive(Debug, Default)]
pub(crate) struct Reduction {
    /// By kind of machine.
    controls: Arc<OnceLock<Vec<Control>>>,
    /// The bytes of the futures, which are cached with the interned machines.
    futures: AtomicUsize,
    /// The monitors that see a step, as a bit set; `None` if they are not known.
    seen: Cache<Option<u64>>,
    rules: Rules,
}

impl Reduction {
    /// A copy without the dynamic part.
    pub(crate) fn without_states(&self) -> Self {
        Reduction { controls: Arc::clone(&self.controls), ..Reduction::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.seen.bytes() + self.futures.load(Ordering::Relaxed)
    }
}

/// The parts of the rule. Tests drop one of them, to show that it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Two sends to the same machine conflict.
    Senders,
    /// A send conflicts with a receiver that may handle `null`.
    Defaults,
    /// Handling `null` conflicts with sends to the machine.
    FindsNothing,
    /// Creations conflict.
    Creates,
    /// Events that the same monitor sees conflict.
    Monitors,
    /// A machine may send `this`, and to `this`.
    Own,
    /// A machine may use references that it receives.
    Received,
    /// A machine may use references in its queue.
    Queued,
    /// A machine may use references in the functions that it runs.
    Frames,
    /// A machine that is blocked may be sent an event, and move.
    Wakes,
    /// A machine that is created may use the references of its creator.
    Children,
}

/// The rules in force.
#[derive(Clone, Copy, Debug, Default)]
struct Rules {
    #[cfg(test)]
    dropped: Option<Rule>,
}

impl Rules {
    #[cfg(test)]
    fn keeps(self, rule: Rule) -> bool {
        self.dropped != Some(rule)
    }

    #[cfg(not(test))]
    #[allow(clippy::unused_self, reason = "tests drop rules")]
    fn keeps(self, _: Rule) -> bool {
        true
    }
}

/// The part of a machine's next step that other machines may observe.
#[derive(Clone, Copy, Debug)]
struct Observed {
    next: Next,
    /// The machine finds no event that it can dequeue, and will handle `null`.
    finds_nothing: bool,
    monitors: u64,
}

impl Observed {
    fn is_local(&self) -> bool {
        self.next == Next::Local && !self.finds_nothing && self.monitors == 0
    }
}

impl Machine {
    /// Returns true if the next step of an enabled machine commutes with all steps that others can take
    /// before it.
    pub(crate) fn commutes_alone(&self, state: &State, task: u32) -> bool {
        let taking = self.taking(state, task);
        let Some(observed) = self.observed(&taking) else { return false };
        observed.is_local()
            || taking.view.machines() <= MOST_MACHINES && !Others::new(self, &taking).conflict(&observed)
    }

    /// Describes the objects of the next step of a machine: queues, monitors, and the number of machines.
    pub(crate) fn footprint_of(&self, state: &State, task: u32, out: &mut Footprint) {
        let queue = |machine: u32| Object(u64::from(machine));
        let (monitor, count) = (|number: u32| Object(1 << 32 | u64::from(number)), Object(1 << 33));
        let taking = self.taking(state, task);
        let Some(observed) = self.observed(&taking) else { return out.touches_everything() };
        match observed.next {
            Next::Local => {}
            Next::Sends(target) => out.writes(queue(target)),
            Next::Creates => out.writes(count),
        }
        if observed.finds_nothing {
            out.reads(queue(task));
        }
        for number in (0..64).filter(|number| observed.monitors & monitor_bit(*number) != 0) {
            out.writes(monitor(number));
        }
    }

    fn controls(&self) -> &[Control] {
        self.reduction.controls.get_or_init(|| Control::of_all(&self.code))
    }

    /// The future footprint of an interned machine.
    fn future(&self, local: u32) -> &Future {
        self.store.locals.get(local).future.get_or_init(|| {
            let (rules, unpacked) = (self.reduction.rules, self.store.unpack(local));
            let future = Future::of(&self.code, &self.store.heap, self.controls(), &unpacked, rules);
            self.reduction.futures.fetch_add(future.bytes(), Ordering::Relaxed);
            Box::new(future)
        })
    }

    /// The part of a step that other machines may observe; `None` if it is not known.
    fn observed(&self, taking: &Taking) -> Option<Observed> {
        let local = taking.view.machine(taking.task).local;
        let future = self.future(local);
        let is_idle = self.store.locals.get(local).mode == Mode::Idle;
        let monitors = if future.reach.monitors == 0 { 0 } else { self.seen(taking)? };
        Some(Observed { next: future.next, finds_nothing: is_idle && taking.taken.is_none(), monitors })
    }

    /// The monitors that see a step, as a bit set.
    fn seen(&self, taking: &Taking) -> Option<u64> {
        let Taking { view, task, taken, .. } = taking;
        let mut hash = Fingerprinter::default();
        hash.write_u64(u64::from(*task) << 32 | u64::from(view.machine(*task).local));
        hash.write_u64(u64::from(view.machines()) << 32 | taken.map_or(0, |id| u64::from(id) + 1));
        let key = hash.fingerprint();
        let seen = &self.reduction.seen;
        seen.read(key, |seen| *seen).unwrap_or_else(|| {
            let found = self.find_seen(taking);
            seen.put(key, found, 0);
            found
        })
    }

    /// Executes a step without its monitors. They cannot change its course, unless they fail.
    fn find_seen(&self, taking: &Taking) -> Option<u64> {
        let mut runner = self.start(taking, ());
        runner.skips_monitors = true;
        // The search may not take this step.
        runner.marks = &self.store.unmarked;
        let mut step = Step::along(runner, &[], u64::MAX);
        let mut seen = 0;
        for _ in 0..MOST_OUTCOMES {
            let reached = step.next_outcome();
            let monitors = step.task().effects.monitors.iter();
            seen = monitors.fold(seen, |seen, (monitor, _)| seen | monitor_bit(*monitor));
            match reached {
                None => return Some(seen),
                Some(Reached::End(End::Stops | End::Halts)) => {}
                Some(Reached::End(End::Fails(_)) | Reached::Choice(_)) => return None,
            }
        }
        None
    }
}

/// The steps that other machines may take before a given step.
struct Others<'m> {
    machine: &'m Machine,
    taking: &'m Taking,
    /// The machines that may move.
    moving: Machines,
    /// By machine: the references in its queue, now or later.
    received: SmallVec<[Machines; 16]>,
    /// The number of receivers that were followed.
    followed: u32,
}

impl<'m> Others<'m> {
    fn new(machine: &'m Machine, taking: &'m Taking) -> Self {
        let store = &machine.store;
        let mut moving = 0;
        let mut received = SmallVec::new();
        for number in 0..taking.view.machines() {
            let actor = taking.view.machine(number);
            let in_queue = |all, id: &u32| all | refs(&store.heap, store.messages.get(*id).payload);
            let queued = machine.reduction.rules.keeps(Rule::Queued);
            received.push(if queued { actor.queue.iter().fold(0, in_queue) } else { 0 });
            if number != taking.task
                && store.can_move(&machine.code, actor.local, actor.queue.iter().copied())
            {
                moving |= 1 << number;
            }
        }
        Others { machine, taking, moving, received, followed: 0 }
    }

    fn keeps(&self, rule: Rule) -> bool {
        self.machine.reduction.rules.keeps(rule)
    }

    /// Returns true if one of the others may do something that conflicts with a step.
    fn conflict(&mut self, observed: &Observed) -> bool {
        // The machines whose sends are yet to be followed, and those that may do more than they were tested for. All are
        // tested before the first is followed: most conflicts are found then.
        let (mut open, mut untested) = (self.moving, self.moving);
        loop {
            while untested != 0 {
                let number = untested.trailing_zeros();
                untested &= untested - 1;
                if self.conflicts(number, self.future_of(number), observed) {
                    return true;
                }
            }
            if open == 0 {
                return false;
            }
            let number = open.trailing_zeros();
            open &= open - 1;
            untested = self.follow(number, self.future_of(number));
            open |= untested;
            if self.followed > MOST_FOLLOWED {
                return true;
            }
        }
    }

    fn future_of(&self, number: u32) -> &'m Future {
        self.machine.future(self.taking.view.machine(number).local)
    }

    /// Returns true if this machine may do something that conflicts with a step.
    fn conflicts(&self, number: u32, future: &Future, observed: &Observed) -> bool {
        let reach = &future.reach;
        let is_receiver = match observed.next {
            Next::Creates if reach.creates && self.keeps(Rule::Creates) => return true,
            Next::Local | Next::Creates => None,
            Next::Sends(target) => Some(target),
        };
        let task = self.taking.task;
        let watched = is_receiver.filter(|_| self.keeps(Rule::Senders)).map_or(0, |target| 1_u128 << target)
            | u128::from(observed.finds_nothing && self.keeps(Rule::FindsNothing)) << task;
        is_receiver == Some(number) && reach.defaults && self.keeps(Rule::Defaults)
            || observed.monitors & reach.monitors != 0 && self.keeps(Rule::Monitors)
            || future.sends.iter().any(|send| self.resolve(send.to, number) & watched != 0)
    }

    fn resolve(&self, mut refs: future::Refs, number: u32) -> Machines {
        refs.own &= self.keeps(Rule::Own);
        refs.received &= self.keeps(Rule::Received);
        let existing = Machines::MAX >> (MOST_MACHINES - self.taking.view.machines());
        refs.resolve(number, self.received[number as usize]) & existing
    }

    /// Follows the sends of a machine. Returns the machines that may do more than was known before.
    fn follow(&mut self, number: u32, future: &Future) -> Machines {
        let mut more = 0;
        for send in &future.sends {
            let refs = self.resolve(send.refs, number);
            let mut receivers = self.resolve(send.to, number) & !(1 << self.taking.task);
            while receivers != 0 {
                let receiver = receivers.trailing_zeros();
                receivers &= receivers - 1;
                let bit = 1 << receiver;
                self.followed += 1;
                if !self.keeps(Rule::Wakes) && self.moving & bit == 0 {
                    continue;
                }
                let received = &mut self.received[receiver as usize];
                if self.moving & bit == 0 || *received | refs != *received {
                    more |= bit;
                }
                *received |= refs;
                self.moving |= bit;
            }
        }
        more
    }
}
