//! What a search has to say in the end.

use std::fmt;

use dally_schedule::Unit;

use crate::{Deviations, Place, Statistics};

/// What a search has to say in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// The bound of the search, if it was reached.
    pub bound: Option<u32>,
    /// What it has done.
    pub statistics: Statistics,
}

/// The verdict of a search, whose bugs are [executions that fail](Bug).
pub type Verdict = dally_explore::Verdict<Bug>;

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// How it fails.
    pub failure: Failure,
    /// What it said in the end.
    pub message: String,
    /// The task that ran last.
    pub task: TaskName,
    /// Where it panicked; or, where it had too many steps, where the task that ran last was seen last.
    pub place: Option<Place>,
    /// What departs from the order of the strategy.
    pub departures: Vec<Departure>,
    /// In a deadlock: everybody who waits.
    pub waiting: Vec<Waiting>,
    /// If it did not fail by a panic: what has panicked before, be it that the program caught it, or that unwinding led
    /// to the failure.
    pub panics: Vec<Panicked>,
    /// The execution, to be [replayed](crate::replay).
    pub schedule: Deviations,
    /// The delays (or preemptions) in it.
    pub delays: u32,
    /// It failed in the same way when it was run again. Otherwise the program depends on something that
    /// shuttle does not control.
    pub repeatable: bool,
    /// What is counted: `delay` or `preemption`.
    pub(crate) unit: Unit,
    /// The schedule means the same under the default configuration.
    pub(crate) default_replays: bool,
}

/// A task that waits in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub task: TaskName,
    /// Where, if that is known.
    pub place: Option<Place>,
    /// It waits there. Otherwise it was seen there last, and waits there or later: nobody looks any more
    /// when the last task blocks.
    pub exact: bool,
}

/// A panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// What it said.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
}

/// How an execution fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// A task panicked.
    Panic,
    /// Nobody can move, and somebody waits.
    Deadlock,
    /// It had too many steps: a livelock, or a loop without end.
    StepLimit,
}

/// A task, as reports speak of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskName {
    /// Its number: 0 is the main one.
    pub id: usize,
    /// The name that the program gave it.
    pub name: Option<String>,
}

/// How an execution departs from the order of its strategy at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// A task was put off.
    Delayed {
        /// Who.
        task: TaskName,
        /// Where it stood; nowhere, if it had not begun.
        place: Option<Place>,
        /// Whether it had run before.
        begun: bool,
    },
    /// `rand` returned another value than the first.
    Value {
        /// Which of the values.
        nth: usize,
        /// How many there are.
        of: u32,
        /// Who asked.
        task: TaskName,
    },
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = self.verdict.headline();
        match &self.verdict {
            Verdict::Proved => write!(f, "{headline}: no schedule fails")?,
            Verdict::ProvedWithin(bound) => {
                write!(f, "{headline}: no schedule with at most {} fails", self.count(*bound))?;
            }
            Verdict::NoBug => {
                let bound = self.bound.map(|bound| format!(" with at most {}", self.count(bound)));
                let bound = bound.unwrap_or_default();
                write!(
                    f,
                    "{headline}: no schedule{bound} fails with the values that `shuttle::rand` returned"
                )?;
            }
            // Its first line says what failed.
            Verdict::Bug(bug) => writeln!(f, "{bug}")?,
            Verdict::Inconclusive(limit) => write!(f, "{headline}: {limit}")?,
            Verdict::Unsupported(reason) => write!(f, "{headline}: {reason}")?,
        }
        write!(f, "\n{}", self.statistics)
    }
}

impl Report {
    /// A bound in the units of the strategies: `2 delays`, or `2 delays or preemptions`.
    fn count(&self, bound: u32) -> String {
        let mut units: Vec<Unit> = self.statistics.strategies.iter().map(|it| it.strategy.unit()).collect();
        units.dedup();
        match units[..] {
            [Unit::Preemption] => Unit::Preemption.count(bound),
            [] | [Unit::Delay] => Unit::Delay.count(bound),
            _ => format!(
                "{} or {}",
                Unit::Delay.count(bound),
                if bound == 1 { "preemption" } else { "preemptions" }
            ),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panic => "panic",
            Self::Deadlock => "deadlock",
            Self::StepLimit => "too many steps",
        })
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.id) {
            (_, 0) => f.write_str("the main thread"),
            (None, id) => write!(f, "thread {id}"),
            (Some(name), id) => write!(f, "thread {id} ({name:?})"),
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let strategy = &self.schedule.strategy;
        let task = if self.failure == Failure::Panic { format!(" in {}", self.task) } else { String::new() };
        writeln!(f, "{}{task}, with {} under {strategy}", self.failure, self.unit.count(self.delays))?;
        let place = self.place.as_ref().filter(|_| self.failure == Failure::Panic);
        writeln!(f, "  {}", Said(&self.message, place))?;
        if self.failure == Failure::StepLimit {
            let seen = self.place.as_ref().map(|place| format!(", last seen at {}", Before(place)));
            writeln!(f, "{} ran last{}", self.task, seen.unwrap_or_default())?;
        }
        for Panicked { message, place } in &self.panics {
            writeln!(f, "before that, a panic: {}", Said(message, place.as_ref()))?;
        }
        for departure in &self.departures {
            self.describe(departure, f)?;
        }
        for Waiting { task, place, exact } in &self.waiting {
            match place {
                Some(place) if *exact => writeln!(f, "{task} waits at {place}{}", Operation(" in", place))?,
                Some(place) => writeln!(f, "{task} waits, last seen at {}", Before(place))?,
                None => writeln!(f, "{task} waits at an unknown place")?,
            }
        }
        if !self.repeatable {
            writeln!(
                f,
                "It did not fail like this when it was run again: it depends on something besides the schedule."
            )?;
        }
        write!(
            f,
            "schedule: {schedule}\n\
             Run the test with {variable}='{schedule}' to see it again, or call {replay}.",
            schedule = self.schedule,
            variable = crate::REPLAY,
            replay = if self.default_replays {
                "dally_shuttle::replay"
            } else {
                "dally_shuttle::replay_with and the same configuration"
            },
        )
    }
}

impl Bug {
    fn describe(&self, departure: &Departure, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.unit == Unit::Delay { "delayed" } else { "preempted" };
        match departure {
            Departure::Delayed { task, begun: false, .. } => writeln!(f, "{task} was {verb} before it began"),
            Departure::Delayed { task, place: Some(place), .. } => {
                writeln!(f, "{task} was {verb} at {}", Before(place))
            }
            Departure::Delayed { task, place: None, .. } => {
                writeln!(f, "{task} was {verb} at an unknown place")
            }
            Departure::Value { nth, of, task } => {
                writeln!(f, "{task} got value {nth} of 0..{of} from `rand`")
            }
        }
    }
}

/// What a panic said, and where, indented.
struct Said<'a>(&'a str, Option<&'a Place>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.trim_end().replace('\n', "\n  "))?;
        self.1.iter().try_for_each(|place| write!(f, " ({place})"))
    }
}

/// A place, and what comes next there.
struct Before<'a>(&'a Place);

impl fmt::Display for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, Operation(" before", self.0))
    }
}

struct Operation<'a>(&'static str, &'a Place);

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(preposition, place) = self;
        place.operation.iter().try_for_each(|operation| write!(f, "{preposition} `{operation}`"))
    }
}
