//! Conditions on states.

use super::{Comparison, Literal, Name, Predicate};
use crate::{Names, Seen, StateView, Symbol};

/// A condition over the symbols of a program. What a name that the program does not have says is never true.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    False,
    Not(Box<Self>),
    /// A task of this name has stopped at this place.
    In(Symbol, Symbol),
    Variable(Symbol, Comparison, Literal),
    Queue(Symbol, Comparison, i64),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

impl Condition {
    pub(super) fn new(predicate: &Predicate, names: &Names) -> Self {
        let new = |inner: &Predicate| Box::new(Self::new(inner, names));
        let found = match predicate {
            Predicate::In(name, place) => Self::is_in(name, place, names),
            Predicate::Variable(name, comparison, value) => names
                .variable(&name.text)
                .map(|variable| Self::Variable(variable, *comparison, value.clone())),
            Predicate::Queue(name, comparison, number) => {
                names.task(&name.text).map(|task| Self::Queue(task, *comparison, *number))
            }
            Predicate::Not(inner) => Some(Self::Not(new(inner))),
            Predicate::And(left, right) => Some(Self::And(new(left), new(right))),
            Predicate::Or(left, right) => Some(Self::Or(new(left), new(right))),
        };
        found.unwrap_or(Self::False)
    }

    fn is_in(name: &Name, place: &Name, names: &Names) -> Option<Self> {
        if let Some(variable) = names.variable(&name.text) {
            return Some(Self::Variable(variable, Comparison::Equal, Literal::Text(place.text.clone())));
        }
        Some(Self::In(names.task(&name.text)?, names.place(&place.text)?))
    }

    /// True if the condition holds in a state.
    pub(super) fn holds(&self, state: &dyn StateView) -> bool {
        let any = |name: Symbol, test: &dyn Fn(crate::TaskId) -> bool| {
            state.tasks().into_iter().any(|task| state.name(task) == Some(name) && test(task))
        };
        match self {
            Self::False => false,
            Self::In(name, place) => any(*name, &|task| state.place(task) == Some(*place)),
            Self::Variable(variable, comparison, value) => {
                state.variable(*variable).is_some_and(|seen| compares(&seen, *comparison, value))
            }
            Self::Queue(name, comparison, number) => {
                any(*name, &|task| compare(*comparison, &(state.queue(task).len() as i64), number))
            }
            Self::Not(inner) => !inner.holds(state),
            Self::And(left, right) => left.holds(state) && right.holds(state),
            Self::Or(left, right) => left.holds(state) || right.holds(state),
        }
    }
}

fn compares(seen: &Seen, comparison: Comparison, value: &Literal) -> bool {
    match (seen, value) {
        (Seen::Int(seen), Literal::Int(value)) => compare(comparison, seen, value),
        (Seen::Int(seen), Literal::Bool(value)) => compare(comparison, &(*seen != 0), value),
        (Seen::Bool(seen), Literal::Bool(value)) => compare(comparison, seen, value),
        (Seen::Text(seen), Literal::Text(value)) => compare(comparison, seen, value),
        (Seen::Text(seen), Literal::Int(value)) => {
            seen.parse().is_ok_and(|seen: i64| compare(comparison, &seen, value))
        }
        _ => comparison == Comparison::NotEqual,
    }
}

fn compare<T: PartialOrd>(comparison: Comparison, one: &T, other: &T) -> bool {
    match comparison {
        Comparison::Equal => one == other,
        Comparison::NotEqual => one != other,
        Comparison::Less => one < other,
        Comparison::AtMost => one <= other,
        Comparison::Greater => one > other,
        Comparison::AtLeast => one >= other,
    }
}
