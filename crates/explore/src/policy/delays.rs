//! Delay bounding: the k-th proposal at a state costs k delays.
//!
//! [TR15 §4.1, Fig. 1] and [POPL11 §3]. The state of the policy is the scheduler, with its seals.

use std::hash::{Hash, Hasher};

use dally_schedule::{
    DelayingScheduler, Ready, Scheduler, SchedulerName, Sealable, StrategyName, TaskId, Why,
};

use super::{Happened, Listener, Omission, Point, Policy, Proposal};
use crate::fingerprint::Fingerprinter;

/// Delay bounding under a scheduler.
#[derive(Clone, Debug)]
pub struct Delays<S = Scheduler> {
    strategy: StrategyName,
    empty: S,
}

impl Delays<Scheduler> {
    /// Delay bounding under the scheduler of this name.
    pub fn named(name: &SchedulerName) -> Self {
        Self { strategy: name.clone().into(), empty: name.build() }
    }
}

impl<S> Delays<S> {
    /// Delay bounding under a scheduler, given empty. Its name stands for it in schedules.
    pub fn new(name: &str, empty: S) -> Self {
        Self { strategy: StrategyName::known_or_custom(name), empty }
    }
}

/// The position in the proposals at one state.
#[derive(Clone, Debug, Default, Hash)]
pub struct ProposalCursor {
    /// The task of the current proposal.
    task: Option<TaskId>,
    proposals: u32,
    /// The enabled tasks that were proposed, by their position.
    seen: Positions,
    /// The hash of the scheduler at an earlier proposal: if it occurs again, the proposals repeat. It is updated at
    /// powers of two, which finds every cycle (Brent's algorithm).
    landmark: u64,
}

/// A small set of positions. There is one for each state in the frontier.
#[derive(Clone, Debug, Default, Hash)]
struct Positions {
    first: u64,
    /// Behind one pointer, since few programs have more than 64 tasks.
    more: Option<Box<Words>>,
}

#[derive(Clone, Debug, Default, Hash)]
struct Words(Vec<u64>);

impl Positions {
    /// Adds a position. Returns true if it is new.
    fn insert(&mut self, position: usize) -> bool {
        let word = match position / 64 {
            0 => &mut self.first,
            nth => {
                let Words(more) = &mut **self.more.get_or_insert_default();
                if more.len() < nth {
                    more.resize(nth, 0);
                }
                &mut more[nth - 1]
            }
        };
        let bit = 1 << (position % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn len(&self) -> usize {
        let words = [&self.first].into_iter().chain(self.more.iter().flat_map(|more| &more.0));
        words.map(|word| word.count_ones() as usize).sum()
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = Fingerprinter::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<S: DelayingScheduler> Listener for Sealable<S> {
    #[inline]
    fn gets(&mut self, task: TaskId, why: Why) {
        self.give(task, why);
    }

    #[inline]
    fn completes(&mut self, task: TaskId) {
        self.complete(task);
    }

    #[inline]
    fn seals(&mut self, sealed: bool) {
        self.seal(sealed);
    }
}

impl<S: DelayingScheduler + Send + Sync> Policy for Delays<S> {
    type SchedulerState = Sealable<S>;
    type Cursor = ProposalCursor;

    fn start(&self) -> Sealable<S> {
        Sealable::new(self.empty.clone())
    }

    fn propose(
        &self,
        scheduler: &mut Sealable<S>,
        cursor: &mut ProposalCursor,
        point: &Point<'_>,
    ) -> Proposal {
        cursor.task = scheduler.take(&point.ready);
        let Some(task) = cursor.task else { return Proposal::End };
        if point.exact {
            let here = hash_of(&(&*scheduler, task));
            if cursor.proposals > 0 && here == cursor.landmark {
                cursor.task = None;
                return Proposal::End;
            }
            if (cursor.proposals + 1).is_power_of_two() {
                cursor.landmark = here;
            }
        }
        cursor.proposals = cursor.proposals.saturating_add(1);
        match point.ready.position(task) {
            Some(position) if cursor.seen.insert(position) || point.exact => Proposal::Run(task),
            _ => Proposal::Pass,
        }
    }

    fn advance(
        &self,
        scheduler: &mut Sealable<S>,
        cursor: &mut ProposalCursor,
        point: &Point<'_>,
    ) -> Option<u32> {
        let task = cursor.task?;
        if !may_delay(scheduler, task) || !point.exact && all_proposed(scheduler, cursor, &point.ready) {
            return None;
        }
        let cost = scheduler.cost_of_delay(task);
        scheduler.delay(task);
        Some(cost)
    }

    fn after(&self, scheduler: &Sealable<S>, happened: &Happened<'_>) -> Sealable<S> {
        let mut scheduler = scheduler.clone();
        happened.tell(&mut scheduler);
        happened.show(&mut scheduler);
        scheduler
    }

    fn omission(&self, scheduler: &Sealable<S>, cursor: &ProposalCursor, point: &Point<'_>) -> Omission {
        if cursor.seen.len() == point.ready.enabled().len() {
            Omission::Nothing
        } else if scheduler.is_sealed() || cursor.task.is_some_and(|task| scheduler.seals(task)) {
            Omission::Sealed
        } else {
            Omission::Unproposed
        }
    }

    fn allows_steps_ahead(&self, scheduler: &Sealable<S>) -> bool {
        // A scheduler that looks orders tasks by what they did: a step ahead of its turn could change the order of the others.
        scheduler.allows_steps_ahead() && !scheduler.looks()
    }

    fn heap_bytes(&self, scheduler: &Sealable<S>) -> usize {
        scheduler.heap_bytes()
    }

    fn strategy(&self) -> StrategyName {
        self.strategy.clone()
    }
}

#[inline]
fn may_delay<S: DelayingScheduler>(scheduler: &Sealable<S>, task: TaskId) -> bool {
    scheduler.can_delay() && !scheduler.seals(task)
}

fn all_proposed<S: DelayingScheduler>(
    scheduler: &Sealable<S>,
    cursor: &ProposalCursor,
    ready: &Ready<'_>,
) -> bool {
    cursor.seen.len() == ready.enabled().len() || cursor.proposals as usize > scheduler.patience()
}
