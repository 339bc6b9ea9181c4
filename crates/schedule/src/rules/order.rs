//! Rules prepared for a program: names become numbers.
//!
//! A *class* is a name of tasks that some rule mentions; class 0 is all other tasks.

use super::check::Priorities;
use super::predicate::Condition;
use super::{Name, RuleKind, RuleSet, Target, Trigger, Until, Whom};
use crate::{Names, Symbol};

/// A name of tasks that some rule mentions, or 0.
pub(super) type Class = u16;

/// Rules, prepared for a program.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The class of each name of tasks.
    classes: Vec<Class>,
    names: Vec<String>,
    /// By pairs of classes: true if tasks of the first run before those of the second.
    before: Vec<Vec<bool>>,
    /// By class: its group that stays together.
    pub(super) groups: Vec<Option<u16>>,
    pub(super) reactions: Vec<Reaction>,
    pub(super) holds: Vec<Hold>,
    pub(super) conditions: Vec<Condition>,
    seals: Vec<Seal>,
    /// If only some classes are delayed: which.
    only: Option<Vec<Class>>,
    /// By class: the cost of a delay, if a rule gives it.
    costs: Vec<Option<u32>>,
}

#[derive(Debug)]
pub(super) struct Reaction {
    pub(super) trigger: Event,
    pub(super) run: Moved,
    pub(super) first: bool,
}

/// The event to which a rule reacts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Sent(Symbol),
    Received(Symbol),
    Created(Class),
    Completed(Class),
    Blocked(Class),
    Entered(Class, Symbol),
}

/// The tasks that a reaction moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved {
    Class(Class),
    It,
    Receiver,
}

/// A task that receives the event runs before all others until something happens.
#[derive(Debug)]
pub(super) struct Hold {
    /// `None` for all classes.
    classes: Option<Vec<Class>>,
    pub(super) event: Symbol,
    pub(super) until: End,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Sends(Option<Symbol>),
    Receives(Option<Symbol>),
    Blocks,
    Completes,
    Enters(Symbol),
}

#[derive(Debug)]
struct Seal {
    classes: Option<Vec<Class>>,
    /// The number of its condition.
    condition: Option<usize>,
}

impl Order {
    /// Prepares rules for a program. A rule about a name that the program does not have is left out.
    pub(super) fn new(rules: &RuleSet, names: &Names) -> Self {
        let mut order = Order::default();
        order.names.push(String::new());
        for rule in rules.list() {
            order.add(&rule.kind, names);
        }
        let priorities = Priorities::new(rules.list());
        let numbers: Vec<usize> = order.names.iter().map(|name| priorities.number(name)).collect();
        let row = |one: &usize| numbers.iter().map(|other| priorities.is_before(*one, *other)).collect();
        order.before = numbers.iter().map(row).collect();
        order.classes = names.tasks.iter().map(|name| order.class_of(name)).collect();
        order.groups.resize(order.names.len(), None);
        order.costs.resize(order.names.len(), None);
        order
    }

    /// The class of tasks with this name.
    pub(super) fn class(&self, name: Option<Symbol>) -> Class {
        name.and_then(|name| self.classes.get(name.index())).copied().unwrap_or(0)
    }

    pub(super) fn is_before(&self, one: Class, other: Class) -> bool {
        self.before[usize::from(one)][usize::from(other)]
    }

    /// True if tasks of this class must not be delayed while these conditions hold.
    pub(super) fn seals(&self, class: Class, conditions: u64) -> bool {
        let holds = |seal: &Seal| {
            is_in(seal.classes.as_ref(), class) && seal.condition.is_none_or(|nth| conditions >> nth & 1 == 1)
        };
        self.only.as_ref().is_some_and(|only| !only.contains(&class)) || self.seals.iter().any(holds)
    }

    /// The cost of a delay, if a rule gives it.
    pub(super) fn cost(&self, class: Class) -> Option<u32> {
        self.costs[usize::from(class)]
    }

    fn class_of(&self, name: &str) -> Class {
        self.names.iter().position(|other| other == name).unwrap_or(0) as Class
    }

    fn named(&mut self, name: &Name) -> Class {
        if !self.names.contains(&name.text) {
            self.names.push(name.text.clone());
        }
        self.class_of(&name.text)
    }

    fn all(&mut self, names: &[Name]) -> Vec<Class> {
        names.iter().map(|name| self.named(name)).collect()
    }

    fn whom(&mut self, whom: &Whom) -> Option<Vec<Class>> {
        match whom {
            Whom::Any => None,
            Whom::Named(names) => Some(self.all(names)),
        }
    }

    fn add(&mut self, rule: &RuleKind, names: &Names) {
        match rule {
            RuleKind::Before(groups) => groups.iter().for_each(|group| drop(self.all(group))),
            RuleKind::Extreme { names, .. } => drop(self.all(names)),
            RuleKind::After { trigger, run, first } => {
                let trigger = self.event(trigger, names);
                let run = match run {
                    Target::Named(name) => Moved::Class(self.named(name)),
                    Target::It => Moved::It,
                    Target::Receiver => Moved::Receiver,
                };
                self.reactions.extend(trigger.map(|trigger| Reaction { trigger, run, first: *first }));
            }
            RuleKind::Until { who, event, until } => {
                let classes = self.whom(who);
                let (event, until) = (names.event(&event.text), end(until, names));
                self.holds.extend(event.zip(until).map(|(event, until)| Hold { classes, event, until }));
            }
            RuleKind::Together(together) => {
                let group = Some(self.groups.iter().flatten().max().map_or(0, |group| group + 1));
                for class in self.all(together) {
                    let class = usize::from(class);
                    self.groups.resize(self.groups.len().max(class + 1), None);
                    self.groups[class] = group;
                }
            }
            RuleKind::Never { whom, condition } => {
                let classes = self.whom(whom);
                let condition = condition.as_ref().map(|condition| {
                    self.conditions.push(Condition::new(condition, names));
                    self.conditions.len() - 1
                });
                self.seals.push(Seal { classes, condition });
            }
            RuleKind::Only(names) => self.only = Some(self.all(names)),
            RuleKind::Cost { whom: Whom::Named(names), cost } => {
                for class in self.all(names) {
                    let class = usize::from(class);
                    self.costs.resize(self.costs.len().max(class + 1), None);
                    self.costs[class] = Some(*cost);
                }
            }
            // The default is kept with the scheduler.
            RuleKind::Cost { whom: Whom::Any, .. } => {}
        }
    }

    fn event(&mut self, trigger: &Trigger, names: &Names) -> Option<Event> {
        Some(match trigger {
            Trigger::Sent(event) => Event::Sent(names.event(&event.text)?),
            Trigger::Received(event) => Event::Received(names.event(&event.text)?),
            Trigger::Created(task) => Event::Created(self.named(task)),
            Trigger::Completed(task) => Event::Completed(self.named(task)),
            Trigger::Blocked(task) => Event::Blocked(self.named(task)),
            Trigger::Entered(task, place) => Event::Entered(self.named(task), names.place(&place.text)?),
        })
    }
}

fn end(until: &Until, names: &Names) -> Option<End> {
    let event = |event: &Option<Name>| match event {
        None => Some(None),
        Some(event) => names.event(&event.text).map(Some),
    };
    Some(match until {
        Until::Sends(name) => End::Sends(event(name)?),
        Until::Receives(name) => End::Receives(event(name)?),
        Until::Blocks => End::Blocks,
        Until::Completes => End::Completes,
        Until::Enters(place) => End::Enters(names.place(&place.text)?),
    })
}

impl Hold {
    /// True if it is about tasks of this class.
    pub(super) fn is_about(&self, class: Class) -> bool {
        is_in(self.classes.as_ref(), class)
    }
}

fn is_in(classes: Option<&Vec<Class>>, class: Class) -> bool {
    classes.is_none_or(|classes| classes.contains(&class))
}
