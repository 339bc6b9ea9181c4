//! Mistakes in rules that can be read: contradictions between them, and names that a program does not have.

use std::collections::BTreeMap;
use std::ops::Range;

use super::error::similar;
use super::{Name, Predicate, Rule, RuleError, RuleKind, RuleSet, Target, Trigger, Until, Whom};
use crate::Names;

/// Priorities are compared for all pairs of names.
const MOST_NAMES: usize = 200;

/// Conditions are bits of a word in the scheduler's state.
const MOST_CONDITIONS: usize = 64;

/// Which tasks run before which: a relation on names, transitively closed. Number 0 is all tasks without a priority.
#[derive(Clone, Debug, Default)]
pub(super) struct Priorities {
    /// The numbers of the names.
    pub(super) numbers: BTreeMap<String, usize>,
    /// The rule that says that the first runs before the second, directly or through others.
    rules: Vec<Vec<Option<usize>>>,
}

impl Priorities {
    /// The priorities of rules with at most [`MOST_NAMES`] names.
    pub(super) fn new(list: &[Rule]) -> Self {
        let mut numbers = BTreeMap::new();
        for name in list.iter().flat_map(|rule| ordered(&rule.kind)) {
            let next = numbers.len() + 1;
            numbers.entry(name.text.clone()).or_insert(next);
        }
        let rules = vec![vec![None; numbers.len() + 1]; numbers.len() + 1];
        let mut all = Priorities { numbers, rules };
        list.iter().enumerate().for_each(|(nth, rule)| all.add(nth, &rule.kind, list));
        all.close();
        all
    }

    pub(super) fn number(&self, name: &str) -> usize {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    pub(super) fn is_before(&self, one: usize, other: usize) -> bool {
        self.rules[one][other].is_some()
    }

    fn add(&mut self, nth: usize, rule: &RuleKind, list: &[Rule]) {
        match rule {
            RuleKind::Before(groups) => {
                for (earlier, later) in groups.iter().zip(&groups[1..]) {
                    for (one, other) in
                        earlier.iter().flat_map(|one| later.iter().map(move |other| (one, other)))
                    {
                        let (one, other) = (self.number(&one.text), self.number(&other.text));
                        self.rules[one][other].get_or_insert(nth);
                    }
                }
            }
            RuleKind::Extreme { names, first } => {
                let same = extremes(list, *first);
                let others: Vec<usize> = (0..self.rules.len())
                    .filter(|other| !same.iter().any(|name| self.number(name) == *other))
                    .collect();
                for name in names {
                    let number = self.number(&name.text);
                    for other in &others {
                        let (one, other) = if *first { (number, *other) } else { (*other, number) };
                        self.rules[one][other].get_or_insert(nth);
                    }
                }
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        for middle in 0..self.rules.len() {
            for one in 0..self.rules.len() {
                let Some(rule) = self.rules[one][middle] else { continue };
                for other in 0..self.rules.len() {
                    if let Some(next) = self.rules[middle][other] {
                        self.rules[one][other].get_or_insert(rule.max(next));
                    }
                }
            }
        }
    }
}

/// The names that a rule gives a priority.
fn ordered(rule: &RuleKind) -> Vec<&Name> {
    match rule {
        RuleKind::Before(groups) => groups.iter().flatten().collect(),
        RuleKind::Extreme { names, .. } => names.iter().collect(),
        _ => Vec::new(),
    }
}

/// The names that run first, or last.
fn extremes(list: &[Rule], wanted: bool) -> Vec<&str> {
    let names = list.iter().flat_map(|rule| match &rule.kind {
        RuleKind::Extreme { names, first } if *first == wanted => &names[..],
        _ => &[],
    });
    names.map(|name| name.text.as_str()).collect()
}

/// The contradictions between rules.
pub(super) fn contradictions(list: &[Rule]) -> Vec<RuleError> {
    let mut conditions =
        list.iter().filter(|rule| matches!(rule.kind, RuleKind::Never { condition: Some(_), .. }));
    if let Some(rule) = conditions.nth(MOST_CONDITIONS) {
        return vec![RuleError::new(
            rule.span.clone(),
            format!("there are more than {MOST_CONDITIONS} conditions"),
        )];
    }
    let mut names: Vec<&str> =
        list.iter().flat_map(|rule| ordered(&rule.kind)).map(|name| name.text.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > MOST_NAMES {
        let last = list.iter().rfind(|rule| !ordered(&rule.kind).is_empty());
        let span = last.map_or(0..0, |rule| rule.span.clone());
        return vec![RuleError::new(
            span,
            format!("priorities are about {} names, and at most {MOST_NAMES} are possible", names.len()),
        )];
    }
    let mut errors = cycle(list).map_or(Vec::new(), |error| vec![error]);
    errors.extend(repeated_in_groups(list));
    errors.extend(costs(list));
    errors.extend(forbidden(list));
    errors
}

/// A cycle of priorities.
fn cycle(list: &[Rule]) -> Option<RuleError> {
    let all = Priorities::new(list);
    let name = |number: usize| {
        let found = all.numbers.iter().find(|(_, other)| **other == number);
        found.map_or("the tasks without a priority", |(name, _)| name.as_str())
    };
    let start = (0..all.rules.len()).find(|one| all.is_before(*one, *one))?;
    let rule = all.rules[start][start]?;
    let other =
        (0..all.rules.len()).find(|o| *o != start && all.is_before(start, *o) && all.is_before(*o, start));
    let message = match other {
        None => format!("`{}` runs before itself", name(start)),
        Some(other) => {
            let (one, other) = if start == 0 { (other, start) } else { (start, other) };
            let quoted =
                |number| if number == 0 { name(number).to_owned() } else { format!("`{}`", name(number)) };
            format!("a cycle of priorities: {} runs before {}, and also after it", quoted(one), quoted(other))
        }
    };
    Some(RuleError::new(list[rule].span.clone(), message).with_help("leave out one of the rules that say so"))
}

/// Names that belong to two groups that stay together.
fn repeated_in_groups(list: &[Rule]) -> Vec<RuleError> {
    let mut seen: Vec<&str> = Vec::new();
    let mut errors = Vec::new();
    for rule in list {
        let RuleKind::Together(names) = &rule.kind else { continue };
        for name in names {
            if seen.contains(&name.text.as_str()) {
                errors.push(RuleError::new(
                    name.span.clone(),
                    format!("`{}` is in such a group already", name.text),
                ));
            }
            seen.push(&name.text);
        }
    }
    errors
}

/// Two costs for the same tasks.
fn costs(list: &[Rule]) -> Vec<RuleError> {
    let mut seen: Vec<(Option<&str>, u32)> = Vec::new();
    let mut errors = Vec::new();
    for rule in list {
        let RuleKind::Cost { whom, cost } = &rule.kind else { continue };
        let names: Vec<(Option<&str>, Range<usize>)> = match whom {
            Whom::Any => vec![(None, rule.span.clone())],
            Whom::Named(names) => names.iter().map(|n| (Some(n.text.as_str()), n.span.clone())).collect(),
        };
        for (name, span) in names {
            match seen.iter().find(|(other, _)| *other == name) {
                Some((_, earlier)) if earlier != cost => {
                    let message = format!("a delay of `{}` costs {earlier} already", name.unwrap_or("any"));
                    errors.push(RuleError::new(span, message));
                }
                _ => seen.push((name, *cost)),
            }
        }
    }
    errors
}

/// Tasks that are never delayed, although other rules are about their delays.
fn forbidden(list: &[Rule]) -> Vec<RuleError> {
    let never = list.iter().flat_map(|rule| match &rule.kind {
        RuleKind::Never { whom: Whom::Named(names), condition: None } => &names[..],
        _ => &[],
    });
    let never: Vec<&str> = never.map(|name| name.text.as_str()).collect();
    let mut only: Option<&[Name]> = None;
    let mut errors = Vec::new();
    for rule in list {
        let (names, says) = match &rule.kind {
            RuleKind::Only(names) => (&names[..], "delayed"),
            RuleKind::Cost { whom: Whom::Named(names), .. } => (&names[..], "charged for delays"),
            _ => continue,
        };
        for name in names.iter().filter(|name| never.contains(&name.text.as_str())) {
            let message =
                format!("`{}` cannot be {says}: another rule says that it is never delayed", name.text);
            errors.push(RuleError::new(name.span.clone(), message));
        }
        if matches!(rule.kind, RuleKind::Only(_)) && only.replace(names).is_some() {
            let error = RuleError::new(rule.span.clone(), "there is a rule `delay only` already");
            errors.push(error.with_help("name all tasks in one rule, with `and`"));
        }
    }
    errors
}

impl RuleSet {
    /// The names in the rules that a program does not have.
    pub fn check(&self, names: &Names) -> Vec<RuleError> {
        let mut checker = Checker { names, errors: Vec::new() };
        self.list.iter().for_each(|rule| checker.rule(&rule.kind));
        checker.errors
    }
}

/// Compares names with those of a program.
struct Checker<'n> {
    names: &'n Names,
    errors: Vec<RuleError>,
}

impl Checker<'_> {
    fn rule(&mut self, rule: &RuleKind) {
        match rule {
            RuleKind::Before(groups) => groups.iter().for_each(|group| self.tasks(group)),
            RuleKind::Extreme { names, .. } | RuleKind::Together(names) | RuleKind::Only(names) => {
                self.tasks(names);
            }
            RuleKind::After { trigger, run, .. } => {
                match trigger {
                    Trigger::Sent(event) | Trigger::Received(event) => self.event(event),
                    Trigger::Created(task) | Trigger::Completed(task) | Trigger::Blocked(task) => {
                        self.task(task);
                    }
                    Trigger::Entered(task, place) => {
                        self.task(task);
                        self.place(place);
                    }
                }
                if let Target::Named(name) = run {
                    self.task(name);
                }
            }
            RuleKind::Until { who, event, until } => {
                self.whom(who);
                self.event(event);
                match until {
                    Until::Sends(Some(event)) | Until::Receives(Some(event)) => self.event(event),
                    Until::Enters(place) => self.place(place),
                    Until::Sends(None) | Until::Receives(None) | Until::Blocks | Until::Completes => {}
                }
            }
            RuleKind::Never { whom, condition } => {
                self.whom(whom);
                condition.iter().for_each(|condition| self.condition(condition));
            }
            RuleKind::Cost { whom, .. } => self.whom(whom),
        }
    }

    fn condition(&mut self, condition: &Predicate) {
        match condition {
            Predicate::In(name, place) => {
                if self.names.variable(&name.text).is_none() {
                    self.one_of(name, "a task or a monitor", &[&self.names.tasks, &self.names.variables]);
                }
                self.place(place);
            }
            Predicate::Variable(name, ..) => self.one_of(name, "a variable", &[&self.names.variables]),
            Predicate::Queue(name, ..) => self.task(name),
            Predicate::Not(inner) => self.condition(inner),
            Predicate::And(left, right) | Predicate::Or(left, right) => {
                self.condition(left);
                self.condition(right);
            }
        }
    }

    fn whom(&mut self, whom: &Whom) {
        if let Whom::Named(names) = whom {
            self.tasks(names);
        }
    }

    fn tasks(&mut self, names: &[Name]) {
        names.iter().for_each(|name| self.task(name));
    }

    fn task(&mut self, name: &Name) {
        self.one_of(name, "a task", &[&self.names.tasks]);
    }

    fn event(&mut self, name: &Name) {
        self.one_of(name, "an event", &[&self.names.events]);
    }

    fn place(&mut self, name: &Name) {
        self.one_of(name, "a state or procedure in which a task stops", &[&self.names.places]);
    }

    /// Reports a name that is in none of these lists.
    fn one_of(&mut self, name: &Name, what: &str, lists: &[&Vec<String>]) {
        let mut known = lists.iter().flat_map(|list| list.iter());
        if known.any(|other| *other == name.text) {
            return;
        }
        let error =
            RuleError::new(name.span.clone(), format!("the program has no `{}`: expected {what}", name.text));
        let close = similar(&name.text, lists.iter().flat_map(|list| list.iter()).map(String::as_str));
        self.errors.push(match (close, lists.iter().all(|list| list.is_empty())) {
            (Some(other), _) => error.with_help(format!("did you mean `{other}`?")),
            (None, true) => error.with_help("the program has no names of this kind"),
            (None, false) => {
                let some: Vec<String> =
                    lists.iter().flat_map(|l| l.iter()).take(8).map(|n| format!("`{n}`")).collect();
                let more = if lists.iter().map(|list| list.len()).sum::<usize>() > 8 { ", …" } else { "" };
                error.with_help(format!("it has {}{more}", some.join(", ")))
            }
        });
    }
}
