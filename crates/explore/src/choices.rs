//! A schedule: the choices of one execution, as plain data.
//!
//! It prints as one line, `rr: 0 1+1 0#2.0 1`: the strategy, then one word for each step. A word is the task, with `+d`
//! where d was spent before the step (delays, say), and `#a.b` where the task made nondeterministic choices in the
//! step: the option that it took at each of them, from 0. `!c` at the end of a word says that these options cost c. Before
//! the steps, `@i` selects an initial state other than the first. Steps in parentheses, at the end, are the cycle of a
//! lasso: `rr: 0 ( 1 0 )`.

use std::fmt;
use std::str::FromStr;

use dally_schedule::{StrategyName, TaskId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The options taken at the nondeterministic choices of a step, in order.
pub type Path = SmallVec<[u32; 4]>;

/// The choices of one execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The strategy under which it was found.
    #[serde(rename = "policy", with = "strategy_as_text")]
    pub strategy: StrategyName,
    /// The index of the initial state.
    pub initial: u32,
    /// Its steps.
    pub steps: Vec<ScheduleStep>,
    /// In a lasso, the index of the first step of the cycle, which ends with the last step.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleStep {
    /// The task that runs.
    #[serde(with = "task_as_number")]
    pub task: TaskId,
    /// The cost of the deviations before the step, in the unit of the strategy.
    pub cost: u32,
    /// The option taken at each nondeterministic choice of the step.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub choices: Path,
    /// The cost of these options.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub choice_cost: u32,
}

impl ScheduleStep {
    /// A step without nondeterministic choices.
    pub fn new(task: TaskId, cost: u32) -> Self {
        Self { task, cost, choices: Path::new(), choice_cost: 0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

mod strategy_as_text {
    use dally_schedule::StrategyName;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(name: &StrategyName, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(name)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<StrategyName, D::Error> {
        String::deserialize(deserializer).map(|text| StrategyName::known_or_custom(&text))
    }
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
    /// The schedule of an execution that has not taken a step, from the first initial state.
    pub fn new(strategy: StrategyName) -> Self {
        Self { strategy, initial: 0, steps: Vec::new(), cycle: None }
    }

    /// The cost of the execution: of its deviations and of its choices.
    pub fn cost(&self) -> u32 {
        self.deviations() + self.choice_cost()
    }

    /// The cost of the deviations from the strategy's order, in its unit.
    pub fn deviations(&self) -> u32 {
        self.steps.iter().map(|step| step.cost).sum()
    }

    /// The cost of the options taken at nondeterministic choices.
    pub fn choice_cost(&self) -> u32 {
        self.steps.iter().map(|step| step.choice_cost).sum()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.strategy)?;
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

impl fmt::Display for ScheduleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.task)?;
        if self.cost > 0 {
            write!(f, "+{}", self.cost)?;
        }
        for (nth, option) in self.choices.iter().enumerate() {
            write!(f, "{}{option}", if nth == 0 { '#' } else { '.' })?;
        }
        if self.choice_cost > 0 {
            write!(f, "!{}", self.choice_cost)?;
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
        // Names of schedulers and rules may have colons too, and steps have none.
        let text = format!("{text} ");
        let (strategy, rest) = text.rsplit_once(": ").ok_or_else(|| ScheduleError(text.trim().to_owned()))?;
        let mut schedule = Self::new(StrategyName::known_or_custom(strategy));
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

impl FromStr for ScheduleStep {
    type Err = ScheduleError;

    fn from_str(word: &str) -> Result<Self, ScheduleError> {
        let (rest, choice_cost) = word.split_once('!').unwrap_or((word, "0"));
        let (rest, choices) = rest.split_once('#').map_or((rest, None), |(rest, path)| (rest, Some(path)));
        let (task, cost) = rest.split_once('+').unwrap_or((rest, "0"));
        let options = choices.iter().flat_map(|path| path.split('.'));
        Ok(Self {
            task: TaskId(number(task, word)?),
            cost: number(cost, word)?,
            choices: options.map(|option| number(option, word)).collect::<Result<_, _>>()?,
            choice_cost: number(choice_cost, word)?,
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
    fn json_has_choices_only_where_a_step_makes_some() {
        let json = r#"{"policy":"rr:reverse","initial":0,"steps":[{"task":0,"cost":1}]}"#;
        let mut schedule: Schedule = serde_json::from_str(json).expect("it is a schedule");
        assert_eq!(schedule.to_string(), "rr:reverse: 0+1");
        assert_eq!(serde_json::to_string(&schedule).expect("it is plain data"), json);
        schedule.steps[0].choices.extend([0, 7]);
        schedule.steps[0].choice_cost = 2;
        let json = serde_json::to_string(&schedule).expect("it is plain data");
        assert!(json.contains(r#""choices":[0,7],"choice_cost":2"#), "{json}");
        assert_eq!(serde_json::from_str::<Schedule>(&json).expect("it is a schedule"), schedule);
        assert_eq!((schedule.deviations(), schedule.choice_cost(), schedule.cost()), (1, 2, 3));
    }

    #[test]
    fn schedules_print_as_they_are_parsed() {
        for text in [
            "rr: 0 1+1 0#2 1+3#4",
            "rr: 0#0.12.1 1+3#4!1 2!3",
            "priority(random:3): @2 0",
            "rr:reverse:",
            "rr: 0 ( 1+1 0 )",
            "preemptions: @2 0+1#1",
            "my own scheduler: 0",
        ] {
            assert_eq!(text.parse::<Schedule>().map(|schedule| schedule.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("rr: 0 1+1 0".parse::<Schedule>().map(|schedule| schedule.cost()), Ok(1));
        for text in ["rr: 0 ( 1", "rr: 0 )", "rr: 0 ( )", "rr: ( 0 ) 1", "rr: 0 #1", "rr: #", "rr: 0#1."] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        let error = "rr: 0 x 1".parse::<Schedule>().expect_err("x is not a task");
        assert!(error.to_string().starts_with("`x` is not part of a schedule"));
    }
}
