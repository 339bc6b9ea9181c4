//! Rules as text that reads back as the same rules.

use std::fmt;

use super::parse::WORDS;
use super::token::is_plain;
use super::{Comparison, Literal, Name, Predicate, RuleKind, Target, Trigger, Until, Whom};

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(&self.text) && !WORDS.contains(&self.text.as_str()) {
            f.write_str(&self.text)
        } else {
            write!(f, "\"{}\"", self.text)
        }
    }
}

fn list(names: &[Name]) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(" and ")
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |first: &bool| if *first { "first" } else { "last" };
        match self {
            Self::Before(groups) => {
                let groups: Vec<String> = groups.iter().map(|group| list(group)).collect();
                f.write_str(&groups.join(" before "))
            }
            Self::Extreme { names, first } => write!(f, "{} {}", list(names), end(first)),
            Self::After { trigger, run, first } => write!(f, "after {trigger} run {run} {}", end(first)),
            Self::Until { who, event, until } => {
                write!(f, "{who} that receives {event} runs until it {until}")
            }
            Self::Together(names) => write!(f, "keep {} together", list(names)),
            Self::Never { whom, condition } => {
                write!(f, "never delay {whom}")?;
                condition.as_ref().map_or(Ok(()), |condition| write!(f, " while {condition}"))
            }
            Self::Only(names) => write!(f, "delay only {}", list(names)),
            Self::Cost { whom, cost } => write!(f, "delay of {whom} costs {cost}"),
        }
    }
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Named(names) => f.write_str(&list(names)),
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sent(event) => write!(f, "{event}"),
            Self::Received(event) => write!(f, "receiving {event}"),
            Self::Created(task) => write!(f, "creating {task}"),
            Self::Completed(task) => write!(f, "{task} completes"),
            Self::Blocked(task) => write!(f, "{task} blocks"),
            Self::Entered(task, place) => write!(f, "{task} enters {place}"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => name.fmt(f),
            Self::It => f.write_str("it"),
            Self::Receiver => f.write_str("receiver"),
        }
    }
}

impl fmt::Display for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sends(None) => f.write_str("sends"),
            Self::Sends(Some(event)) => write!(f, "sends {event}"),
            Self::Receives(None) => f.write_str("receives"),
            Self::Receives(Some(event)) => write!(f, "receives {event}"),
            Self::Blocks => f.write_str("blocks"),
            Self::Completes => f.write_str("completes"),
            Self::Enters(place) => write!(f, "enters {place}"),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(name, place) => write!(f, "{name} in {place}"),
            Self::Variable(name, comparison, value) => write!(f, "{name} {comparison} {value}"),
            Self::Queue(name, comparison, number) => write!(f, "queue {name} {comparison} {number}"),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::And(left, right) => write!(f, "({left}) and ({right})"),
            Self::Or(left, right) => write!(f, "({left}) or ({right})"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}
