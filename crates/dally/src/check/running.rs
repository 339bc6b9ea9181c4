//! The task that keeps a bound from completing, in words.

use std::time::{Duration, Instant};

use dally_explore::{Running, count};
use dally_text::render::printable;
use dally_text::source::{Location, SourceMap};
use dally_trace::{LastStep, TaskName, titled};
use serde::Serialize;

use crate::language::{Explorable, Language};

/// The time for taking the steps of the execution. If it does not suffice, an earlier step is shown.
const MOST: Duration = Duration::from_secs(1);

/// A task that keeps running.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Runner {
    /// None if none of its steps could be taken again.
    task: Option<TaskName>,
    /// The number of its steps, or of those of tasks like it.
    steps: usize,
    /// The number of all steps of the execution.
    of: usize,
    /// A statement that it executed; the last one, if there was time.
    location: Option<Location>,
    /// True if it ends, and tasks like it are posted again and again.
    reposted: bool,
}

impl Runner {
    pub(crate) fn new(running: &Running, program: &dyn Explorable, sources: &SourceMap) -> Self {
        let began = Instant::now();
        let last = program.last_step(running, sources, &mut || began.elapsed() < MOST);
        let reposted = last.as_ref().is_some_and(|last| 2 * last.steps < Running::RECENT);
        let (task, location) = match last {
            Some(LastStep { task, location, .. }) => (Some(task), location),
            None => (None, None),
        };
        Self { task, steps: running.steps, of: running.of, location, reposted }
    }

    /// Two lines: the task that keeps running, and the remedies.
    pub(crate) fn text(&self, language: &Language) -> String {
        let name = match &self.task {
            Some(TaskName { task, name }) => titled(name, *task),
            None => "one task".to_owned(),
        };
        let at = self.location.as_ref().map_or(String::new(), |at| format!(", such as the one at {at}"));
        let (steps, of, end) = (count(self.steps), count(self.of), if self.reposted { "them" } else { "it" });
        let keeps = match self.reposted {
            true => format!("tasks such as {name} are posted again and again, in an execution of {of} steps"),
            false => format!("{name} keeps running: it took {steps} of the {of} steps of an execution"),
        };
        let instead = match language.is_boogie {
            true => "cut executions off with --steps N, or leave states out with --constraint EXPR",
            false => "or cut executions off with --steps N",
        };
        let keeps = format!("{keeps} that goes on{at}");
        format!("{}\nto complete a bound, give {end} an end, {instead}\n", printable(&keeps))
    }
}
