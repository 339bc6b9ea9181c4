//! A schedule as plain data: which task ran, step by step, and what it chose.
//!
//! It prints as one line, `rr: 0 1+1 0#2 1`: the policy, then a step for each word, with `+d` for d
//! delays spent before it and `#c` for the c-th outcome where the task chose (from 0). An initial state
//! other than the first is given as `@i` before the steps. Steps in parentheses, at the end, are gone through for ever:
//! `rr: 0 ( 1 0 )`.

use std::fmt;
use std::str::FromStr;

use dally_schedule::TaskId;
use serde::{Deserialize, Serialize};

/// One execution of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The scheduler or other policy that found it.
    pub policy: String,
    /// Which of the initial states it begins in.
    pub initial: u32,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The step from which on it is gone through for ever: that a step comes back to where this one began is a failure.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
}

/// One step of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The task that ran.
    #[serde(with = "task_as_number")]
    pub task: TaskId,
    /// What was spent at this point, before the step: delays, or whatever the policy counts.
    pub cost: u32,
    /// Which outcome of the step, where there are several.
    pub choice: u32,
}

mod task_as_number {
    use dally_schedule::TaskId;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(task: &TaskId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(task.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TaskId, D::Error> {
        u32::deserialize(deserializer).map(TaskId)
    }
}

impl Schedule {
    /// What all of it costs.
    pub fn cost(&self) -> u32 {
        self.steps.iter().map(|step| step.cost).sum()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.policy)?;
        if self.initial > 0 {
            write!(f, " @{}", self.initial)?;
        }
        for (nth, step) in self.steps.iter().enumerate() {
            let begins = self.cycle == Some(nth);
            write!(f, "{}{step}", if begins { " ( " } else { " " })?;
        }
        if self.cycle.is_some() { f.write_str(" )") } else { Ok(()) }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.task)?;
        if self.cost > 0 {
            write!(f, "+{}", self.cost)?;
        }
        if self.choice > 0 {
            write!(f, "#{}", self.choice)?;
        }
        Ok(())
    }
}

/// Text that is not a schedule: the offending word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError(String);

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not part of a schedule; one looks like `rr: 0 1+1 0#2 1`", self.0)
    }
}

impl std::error::Error for ScheduleError {}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        // Names of schedulers have colons too, but none that is followed by a space.
        let text = format!("{text} ");
        let (policy, rest) = text.split_once(": ").ok_or_else(|| ScheduleError(text.trim().to_owned()))?;
        let mut schedule = Self { policy: policy.trim().to_owned(), ..Self::default() };
        let mut words = rest.split_whitespace();
        while let Some(word) = words.next() {
            match word.strip_prefix('@') {
                Some(initial) => schedule.initial = number(initial, word)?,
                None if word == "(" && schedule.cycle.is_none() => {
                    schedule.cycle = Some(schedule.steps.len());
                }
                None if word == ")" && schedule.cycle.is_some_and(|from| from < schedule.steps.len()) => {
                    return words.next().map_or(Ok(schedule), |more| Err(ScheduleError(more.to_owned())));
                }
                None => schedule.steps.push(word.parse()?),
            }
        }
        if schedule.cycle.is_some() {
            return Err(ScheduleError("(".to_owned()));
        }
        Ok(schedule)
    }
}

impl FromStr for Step {
    type Err = ScheduleError;

    fn from_str(word: &str) -> Result<Self, ScheduleError> {
        let (rest, choice) = word.split_once('#').map_or((word, "0"), |(rest, choice)| (rest, choice));
        let (task, cost) = rest.split_once('+').map_or((rest, "0"), |(task, cost)| (task, cost));
        Ok(Self {
            task: TaskId(number(task, word)?),
            cost: number(cost, word)?,
            choice: number(choice, word)?,
        })
    }
}

fn number(text: &str, word: &str) -> Result<u32, ScheduleError> {
    text.parse().map_err(|_| ScheduleError(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_print_as_they_are_parsed() {
        for text in ["rr: 0 1+1 0#2 1+3#4", "priority(random:3): @2 0", "rr:reverse:", "rr: 0 ( 1+1 0 )"] {
            assert_eq!(text.parse::<Schedule>().map(|schedule| schedule.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("rr: 0 1+1 0".parse::<Schedule>().map(|schedule| schedule.cost()), Ok(1));
        for text in ["rr: 0 ( 1", "rr: 0 )", "rr: 0 ( )", "rr: ( 0 ) 1"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        let error = "rr: 0 x 1".parse::<Schedule>().expect_err("x is no task");
        assert!(error.to_string().starts_with("`x` is not part of a schedule"));
    }
}
