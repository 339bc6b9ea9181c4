//! A scheduler with rules around another one, the base.
//!
//! At each state the rules select some of the enabled tasks, and the base proposes one of those, in its own order:
//!
//! 1. tasks that were not delayed, or else the one that was delayed first;
//! 2. of these, the task that runs *until* something happens;
//! 3. or else those that a reaction moved to the *first* place, until they wait, complete or are delayed;
//! 4. or else those of the group that stays *together*, if one of them ran last;
//! 5. and of what remains, those before which no other one has to run.
//!
//! A delay puts the task at the end of the *late* tasks, where it stays until it runs or is woken. So successive delays at
//! a state propose the tasks that are not late, each once, and then the late ones, each once: every enabled task is
//! proposed after fewer delays than there are enabled tasks, whatever the rules say. Seals are the exception: a rule that
//! forbids a delay ends the proposals at a state, and the verdict says so.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::order::{Class, End, Event, Hold, Moved, Order};
use super::{RuleKind, RuleSet, Whom};
use crate::{DelayingScheduler, Did, Observed, Ready, Scheduler, TaskId, Why};

/// Rules around another scheduler.
#[derive(Debug)]
pub struct Ruled {
    base: Scheduler,
    rules: RuleSet,
    /// The cost of delays for which no rule gives another.
    cost: u32,
    /// The rules, prepared for the program when its initial state is observed.
    order: Option<Arc<Order>>,
    /// The tasks, ascending, with their classes.
    tasks: SmallVec<[(TaskId, Class); 8]>,
    /// The tasks that were delayed, in that order.
    late: SmallVec<[TaskId; 4]>,
    /// The tasks that reactions moved to the first place.
    moved: SmallVec<[TaskId; 4]>,
    /// The tasks that run until something happens, with the numbers of their rules.
    held: SmallVec<[(TaskId, u16); 2]>,
    /// The group of the task that ran last.
    group: Option<u16>,
    /// The conditions that hold, as bits.
    conditions: u64,
}

reusing_clone!(Ruled { base, rules, cost, order, tasks, late, moved, held, group, conditions });

impl PartialEq for Ruled {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base && self.rules == other.rules && self.state() == other.state()
    }
}

impl Eq for Ruled {}

impl Hash for Ruled {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.base.hash(hasher);
        self.state().hash(hasher);
    }
}

/// For each task, the base may propose this many that are not selected.
const MOST_PASSED: usize = 16;

type Tasks = SmallVec<[TaskId; 8]>;

impl Ruled {
    /// Rules around an empty scheduler.
    pub fn new(base: Scheduler, rules: RuleSet) -> Self {
        let any = rules.list().iter().find_map(|rule| match rule.kind {
            RuleKind::Cost { whom: Whom::Any, cost } => Some(cost),
            _ => None,
        });
        let cost = any.unwrap_or_else(|| base.delay_cost().max(1));
        Ruled {
            base,
            rules,
            cost,
            order: None,
            tasks: SmallVec::new(),
            late: SmallVec::new(),
            moved: SmallVec::new(),
            held: SmallVec::new(),
            group: None,
            conditions: 0,
        }
    }

    /// Everything that changes along an execution, but for the base.
    fn state(&self) -> impl Hash + Eq + '_ {
        (&self.tasks[..], &self.late[..], &self.moved[..], &self.held[..], self.group, self.conditions)
    }

    fn class(&self, task: TaskId) -> Class {
        let place = self.tasks.binary_search_by_key(&task, |(other, _)| *other);
        place.map_or(0, |place| self.tasks[place].1)
    }

    fn remove(&mut self, task: TaskId) {
        self.tasks.retain(|(other, _)| *other != task);
        self.late.retain(|other| *other != task);
        self.moved.retain(|other| *other != task);
        self.held.retain(|(other, _)| *other != task);
    }

    /// The enabled tasks of which the base proposes one.
    fn selected(&self, enabled: &[TaskId]) -> Tasks {
        let mut tasks: Tasks = enabled.iter().copied().filter(|task| !self.late.contains(task)).collect();
        if tasks.is_empty() {
            return self.late.iter().copied().find(|task| enabled.contains(task)).into_iter().collect();
        }
        let Some(order) = &self.order else { return tasks };
        if let Some((held, _)) = self.held.iter().rev().find(|(task, _)| tasks.contains(task)) {
            return SmallVec::from_slice(&[*held]);
        }
        if !keep(&mut tasks, |task| self.moved.contains(&task)) && self.group.is_some() {
            keep(&mut tasks, |task| order.groups[usize::from(self.class(task))] == self.group);
        }
        let classes: SmallVec<[Class; 8]> = tasks.iter().map(|task| self.class(*task)).collect();
        keep(&mut tasks, |task| {
            let class = self.class(task);
            !classes.iter().any(|other| order.is_before(*other, class))
        });
        tasks
    }

    fn has(&self, task: TaskId) -> bool {
        self.tasks.binary_search_by_key(&task, |(other, _)| *other).is_ok()
    }

    fn react(&mut self, order: &Order, (it, class): (Option<TaskId>, Class), did: Did) {
        for reaction in &order.reactions {
            let (happens, receiver) = match (reaction.trigger, did) {
                (Event::Sent(wanted), Did::Sent { event, to }) => (event == Some(wanted), Some(to)),
                (Event::Received(wanted), Did::Received(event)) => (event == wanted, it),
                (Event::Created(wanted), Did::Posted(task)) => (self.class(task) == wanted, Some(task)),
                (Event::Completed(wanted), Did::Completed) | (Event::Blocked(wanted), Did::Blocked) => {
                    (class == wanted, it)
                }
                (Event::Entered(wanted, place), Did::Entered(at)) => (class == wanted && at == place, it),
                _ => (false, None),
            };
            if !happens {
                continue;
            }
            let moved: Tasks = match reaction.run {
                Moved::It => it.into_iter().collect(),
                Moved::Receiver => receiver.into_iter().collect(),
                Moved::Class(class) => {
                    self.tasks.iter().filter(|(_, other)| *other == class).map(|(task, _)| *task).collect()
                }
            };
            for task in moved.into_iter().filter(|task| self.has(*task)).collect::<Tasks>() {
                self.late.retain(|other| *other != task);
                self.moved.retain(|other| *other != task);
                if reaction.first { self.moved.push(task) } else { self.late.push(task) }
            }
        }
        if let Some(task) = it.filter(|task| self.has(*task)) {
            self.hold(order, (task, class), did);
        }
    }

    /// Begins and ends to run tasks until something happens.
    fn hold(&mut self, order: &Order, (task, class): (TaskId, Class), did: Did) {
        let ends = |hold: &Hold| match (hold.until, did) {
            (End::Sends(wanted), Did::Sent { event, .. }) => wanted.is_none() || wanted == event,
            (End::Receives(wanted), Did::Received(event)) => wanted.is_none_or(|wanted| wanted == event),
            (End::Blocks, Did::Blocked) | (End::Completes, Did::Completed) => true,
            (End::Enters(place), Did::Entered(at)) => place == at,
            _ => false,
        };
        self.held.retain(|(other, nth)| *other != task || !ends(&order.holds[usize::from(*nth)]));
        if let Did::Received(event) = did {
            let begins = |hold: &Hold| hold.event == event && hold.is_about(class);
            for (nth, _) in (0..).zip(&order.holds).filter(|(_, hold)| begins(hold)) {
                self.held.retain(|held| *held != (task, nth));
                self.held.push((task, nth));
            }
        }
    }
}

/// Keeps the tasks of which something is true, if there are any.
fn keep(tasks: &mut Tasks, wanted: impl Fn(TaskId) -> bool) -> bool {
    let some = tasks.iter().any(|task| wanted(*task));
    if some {
        tasks.retain(|task| wanted(*task));
    }
    some
}

impl DelayingScheduler for Ruled {
    fn give(&mut self, task: TaskId, why: Why) {
        match why {
            Why::Posted(_) => {
                let place = self.tasks.partition_point(|(other, _)| *other < task);
                self.tasks.insert(place, (task, 0));
            }
            Why::Woken(_) => self.late.retain(|other| *other != task),
            Why::Yielded | Why::Blocked(_) => {}
        }
        self.base.give(task, why);
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let selected = self.selected(ready.enabled());
        let some = Ready::at(&selected, ready.state());
        // Some schedulers propose blocked tasks, for which every task counts that is not selected. They are delayed at no
        // cost, as in a system in which such a task would give up its turn at once.
        for _ in 0..MOST_PASSED * (1 + self.tasks.len()) {
            match self.base.take(&some) {
                Some(task) if selected.contains(&task) => return Some(task),
                Some(task) => self.base.delay(task),
                None => break,
            }
        }
        // Whatever the base does, a selected task is proposed.
        selected.first().copied()
    }

    fn delay(&mut self, task: TaskId) {
        self.moved.retain(|other| *other != task);
        self.held.retain(|(other, _)| *other != task);
        self.late.retain(|other| *other != task);
        self.late.push(task);
        // A random order ends at each state. It is new at the next one, and until then the task is late.
        if !matches!(self.base, Scheduler::Random(_)) {
            self.base.delay(task);
        }
    }

    fn complete(&mut self, task: TaskId) {
        self.remove(task);
        self.base.complete(task);
    }

    fn patience(&self) -> usize {
        self.tasks.len()
    }

    fn delay_cost(&self) -> u32 {
        self.cost
    }

    fn cost_of_delay(&self, task: TaskId) -> u32 {
        let cost = self.order.as_ref().and_then(|order| order.cost(self.class(task)));
        cost.unwrap_or(self.cost)
    }

    fn can_delay(&self) -> bool {
        self.base.can_delay()
    }

    fn seals(&self, task: TaskId) -> bool {
        let sealed = |order: &Arc<Order>| order.seals(self.class(task), self.conditions);
        self.base.seals(task) || self.order.as_ref().is_some_and(sealed)
    }

    fn looks(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Observed<'_>) {
        self.base.observe(step);
        let rules = &self.rules;
        let order = self.order.get_or_insert_with(|| Arc::new(Order::new(rules, step.after.names())));
        let order = Arc::clone(order);
        for did in step.did {
            if let Did::Posted(new) = did
                && let Ok(place) = self.tasks.binary_search_by_key(new, |(task, _)| *task)
            {
                self.tasks[place].1 = order.class(step.after.name(*new));
            }
        }
        // A task that has completed is not among the tasks any more.
        let class = step.task.map_or(0, |task| order.class(step.before.and_then(|before| before.name(task))));
        if let Some(task) = step.task {
            self.late.retain(|other| *other != task);
            self.group = order.groups[usize::from(class)];
            if step.did.contains(&Did::Blocked) {
                self.moved.retain(|other| *other != task);
            }
        }
        for did in step.did {
            self.react(&order, (step.task, class), *did);
        }
        let conditions = (0..).zip(&order.conditions);
        self.conditions = conditions.fold(0, |bits, (nth, it)| bits | u64::from(it.holds(step.after)) << nth);
    }

    fn heap_bytes(&self) -> usize {
        let lists =
            self.tasks.len() * size_of::<(TaskId, Class)>() + (self.late.len() + self.moved.len()) * 4;
        self.base.heap_bytes() + lists
    }
}
