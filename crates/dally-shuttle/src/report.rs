//! The report of a search.

use std::fmt;
use std::path::PathBuf;

use dally_schedule::Unit;

use crate::interleaving::Table;
use crate::{Deviations, ExecutionCoverage, Moment, Site};

/// The report of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The bound of the search, if it was reached.
    pub bound: Option<u32>,
    /// The executions that it has run.
    pub coverage: ExecutionCoverage,
    /// Remarks for the user, such as a strategy that was given up.
    pub notes: Vec<String>,
}

/// The verdict of a search, whose bugs are [executions that fail](Bug).
pub type Verdict = dally_explore::Verdict<Bug>;

/// An execution that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// The kind of failure.
    pub failure: BugKind,
    /// The message of the failure.
    pub message: String,
    /// The task that ran last.
    pub task: TaskName,
    /// The location of the panic; if it had too many steps, the last known location of the task that ran last.
    pub place: Option<Site>,
    /// The deviations from the order of the strategy.
    pub departures: Vec<Departure>,
    /// The steps around the deviations, and at the end.
    pub moments: Vec<Moment>,
    /// In a deadlock: the blocked tasks.
    pub waiting: Vec<Waiting>,
    /// If the failure is not a panic: earlier panics, which the program caught, or whose unwinding led to the failure.
    pub panics: Vec<Panicked>,
    /// The execution, to be [replayed](crate::replay).
    pub schedule: Deviations,
    /// The number of its delays (or preemptions).
    pub delays: u32,
    /// True if it failed in the same way when it was run again. Otherwise the program depends on something that shuttle
    /// does not control.
    pub repeatable: bool,
    /// The page that shows it, or why there is none, if [one is wanted](crate::Config::html).
    pub page: Option<Result<PathBuf, String>>,
    /// The unit of the bound: delays or preemptions.
    pub(crate) unit: Unit,
    /// True if the schedule replays under the default configuration.
    pub(crate) default_replays: bool,
}

/// A blocked task in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The task.
    pub task: TaskName,
    /// Its location, if known.
    pub place: Option<Site>,
    /// True if the location is exact. Otherwise the task waits there or later: the scheduler is not called when the last
    /// task blocks.
    pub exact: bool,
}

/// A panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// Its message.
    pub message: String,
    /// Its location.
    pub place: Option<Site>,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BugKind {
    /// A task panicked.
    Panic,
    /// No task is enabled, and some are blocked.
    Deadlock,
    /// It had too many steps, although every task that could run had its turns: a livelock, or an infinite loop.
    StepLimit,
}

impl BugKind {
    /// The kind of failure, according to the message of shuttle.
    pub(crate) fn of(message: &str) -> Self {
        if message.starts_with("deadlock!") {
            Self::Deadlock
        } else if message.starts_with("exceeded max_steps bound") {
            Self::StepLimit
        } else {
            Self::Panic
        }
    }
}

/// A task, in reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskName {
    /// Its number: 0 is the main task.
    pub id: usize,
    /// Its name in the program.
    pub name: Option<String>,
}

/// A deviation of an execution from the order of its strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// A task was delayed.
    Delayed {
        /// The task.
        task: TaskName,
        /// Its location; `None` if it had not begun.
        place: Option<Site>,
        /// True if it had run before.
        begun: bool,
    },
    /// `rand` returned another value than the first.
    Value {
        /// The index of the value.
        nth: usize,
        /// The number of values.
        of: u32,
        /// The task that requested it.
        task: TaskName,
    },
}

/// In one short clause, for the table of the interleaving.
impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delayed { task, .. } => write!(f, "{task} is delayed"),
            Self::Value { nth, of, task } => write!(f, "{task} gets value {nth} of 0..{of}"),
        }
    }
}

impl fmt::Display for TestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = self.verdict.headline();
        match &self.verdict {
            Verdict::Proved => write!(f, "{headline}: no schedule fails{SEQUENTIAL}")?,
            Verdict::ProvedWithin(bound) => {
                write!(f, "{headline}: no schedule with at most {} fails{SEQUENTIAL}", self.count(*bound))?;
            }
            Verdict::NoBug => {
                let bound = self.bound.map(|bound| format!(" with at most {}", self.count(bound)));
                let bound = bound.unwrap_or_default();
                write!(
                    f,
                    "{headline}: no schedule{bound} fails with the values that `shuttle::rand` returned{SEQUENTIAL}"
                )?;
            }
            // The first line of a bug is its headline.
            Verdict::Bug(bug) => writeln!(f, "{bug}")?,
            Verdict::Inconclusive(limit) => write!(f, "{headline}: {limit}")?,
            Verdict::Unsupported(reason) => write!(f, "{headline}: {reason}")?,
        }
        write!(f, "\n{}", self.coverage)?;
        self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"))?;
        if self.coverage.schedules > 0 && self.coverage.branches == 0 {
            f.write_str(
                "\nwarning: no two threads could run at the same time; does the test use the types of shuttle \
                 (`shuttle::sync`, `shuttle::thread`) instead of those of `std`?",
            )?;
        }
        Ok(())
    }
}

/// The assumption of all proofs: shuttle runs one thread at a time, whatever the orderings of atomic operations.
const SEQUENTIAL: &str = ", assuming sequential consistency";

impl TestReport {
    /// A bound in the units of the strategies: `2 delays`, or `2 delays or preemptions`.
    fn count(&self, bound: u32) -> String {
        let mut units: Vec<Unit> = self.coverage.strategies.iter().map(|it| it.strategy.unit()).collect();
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

impl fmt::Display for BugKind {
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
        let task = if self.failure == BugKind::Panic { format!(" in {}", self.task) } else { String::new() };
        writeln!(f, "{}{task}, with {} under {strategy}", self.failure, self.unit.count(self.delays))?;
        let place = self.place.as_ref().filter(|_| self.failure == BugKind::Panic);
        writeln!(f, "  {}", Said(&self.message, place))?;
        if self.failure == BugKind::StepLimit {
            let seen = self.place.as_ref().map(|place| format!(", last seen at {}", Before(place)));
            writeln!(f, "{} ran last{}", self.task, seen.unwrap_or_default())?;
            writeln!(
                f,
                "every thread that could run had its turns: a livelock, unless the test needs more steps \
                 (Config::steps)"
            )?;
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
        if !self.moments.is_empty() {
            write!(f, "interleaving (each step begins with the operation shown):\n{}", Table(&self.moments))?;
        }
        if !self.repeatable {
            writeln!(
                f,
                "It did not fail in the same way when it was run again: it depends on something besides the schedule."
            )?;
        }
        match &self.page {
            Some(Ok(page)) => writeln!(f, "page: {}", page.display())?,
            Some(Err(reason)) => writeln!(f, "no page is written: {reason}")?,
            None => {}
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

/// The message of a panic and its location, indented.
struct Said<'a>(&'a str, Option<&'a Site>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.trim_end().replace('\n', "\n  "))?;
        self.1.iter().try_for_each(|place| write!(f, " ({place})"))
    }
}

/// A location, and the next operation there.
struct Before<'a>(&'a Site);

impl fmt::Display for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, Operation(" before", self.0))
    }
}

struct Operation<'a>(&'static str, &'a Site);

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(preposition, place) = self;
        place.operation.iter().try_for_each(|operation| write!(f, "{preposition} `{operation}`"))
    }
}
