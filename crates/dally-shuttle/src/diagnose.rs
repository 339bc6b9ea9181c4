//! Diagnosing a failure: the failing execution is run once more, to find which tasks were delayed where.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use shuttle::scheduler::TaskId;

use crate::hook::{Crash, Panic};
use crate::interleaving::{Moment, steps_to_show};
use crate::locate::{Capture, Site, relative};
use crate::page::{self, Record};
use crate::policy::Delayed;
use crate::report::{Bug, BugKind, Departure, Panicked, TaskName, Waiting};
use crate::run::Departure as Departed;
use crate::search::Search;
use crate::{Config, Deviations, Explorer, Strategy};

/// The stack size that a task needs for capturing a backtrace.
const STACK_FOR_BACKTRACES: usize = 0x4_0000;

/// The failing execution, as the search recorded it.
struct Scene {
    schedule: Deviations,
    strategy: Strategy,
    trace: Vec<TaskId>,
    departures: Vec<Departed>,
    cost: u32,
}

impl Scene {
    fn of(search: &Search) -> Self {
        Self {
            schedule: search.schedule(),
            strategy: search.strategy().clone(),
            trace: search.run.trace.clone(),
            departures: search.departures(),
            cost: search.run.cost(),
        }
    }

    /// The indices of the steps that a report shows.
    fn shown(&self) -> BTreeSet<usize> {
        steps_to_show(self.trace.len(), self.departures.iter().map(Departed::step))
    }

    /// The steps that a report shows.
    fn moments(&self, capture: &Capture) -> Vec<Moment> {
        let moment = |step: usize| Moment {
            step: step + 1,
            task: name(capture, self.trace[step]),
            place: capture.exact_place(&self.trace, step, self.trace[step]),
            departures: self
                .departures
                .iter()
                .filter(|departed| departed.step() == step)
                .map(|departed| self.describe(*departed, capture))
                .collect(),
        };
        self.shown().into_iter().map(moment).collect()
    }

    /// All tasks that have run.
    fn tasks(&self) -> Vec<TaskId> {
        let mut tasks = self.trace.clone();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }

    /// The steps at which locations are captured.
    fn capture(&self, failure: BugKind) -> Capture {
        let mut capture = Capture::default();
        for departure in &self.departures {
            if let Departed::Delayed(Delayed { step, task }) = departure {
                capture.want(&self.trace, *step, *task);
            }
        }
        for step in self.shown() {
            capture.want(&self.trace, step, self.trace[step]);
        }
        let at_the_end = match failure {
            BugKind::Deadlock => self.tasks(),
            BugKind::StepLimit => self.trace.last().copied().into_iter().collect(),
            BugKind::Panic => Vec::new(),
        };
        at_the_end.into_iter().for_each(|task| capture.want(&self.trace, self.trace.len(), task));
        capture
    }

    fn describe(&self, departed: Departed, capture: &Capture) -> Departure {
        match departed {
            Departed::Delayed(Delayed { step, task }) => Departure::Delayed {
                task: name(capture, task),
                place: capture.place(&self.trace, step, task),
                begun: self.trace[..step].contains(&task),
            },
            Departed::Value { step, nth, of } => {
                let task = self.trace[..step].last().copied().unwrap_or_else(|| TaskId::from(0));
                Departure::Value { nth, of, task: name(capture, task) }
            }
        }
    }

    /// The tasks that are blocked at the end, and where.
    fn waiting(&self, capture: &Capture, message: &str) -> Vec<Waiting> {
        let end = self.trace.len();
        let waiting = |task: TaskId| Waiting {
            task: name(capture, task),
            place: capture.place(&self.trace, end, task),
            exact: capture.is_exact(&self.trace, end, task),
        };
        blocked_tasks(message).into_iter().map(TaskId::from).map(waiting).collect()
    }

    /// Writes the page of the execution into a folder.
    fn page(&self, folder: &Path, bug: &Bug, capture: &Capture) -> Result<PathBuf, String> {
        let record = capture.record.as_ref().filter(|_| bug.repeatable);
        let record = record.ok_or("the execution was different when it was run again")?;
        let name = |task| capture.name(task).map(str::to_owned);
        let execution =
            page::Execution { tasks: &self.trace, departures: &self.departures, record, name: &name, bug };
        let (trace, sources) = page::trace(&execution);
        page::write(folder, &trace, &sources)
    }

    /// The last known location of the task that ran last.
    fn last_place(&self, capture: &Capture) -> Option<Site> {
        capture.place(&self.trace, self.trace.len(), *self.trace.last()?)
    }
}

/// Runs the failing execution once more, to capture the locations of its tasks.
pub(crate) fn diagnose(
    config: &Config,
    explorer: &Explorer,
    crash: Crash,
    run: impl FnOnce(&Explorer, shuttle::Config) -> Result<(), Crash>,
) -> Bug {
    let Some(scene) = explorer.inspect(Scene::of) else { unreachable!("the search has ended") };
    let failure = BugKind::of(&crash.message);

    let mut capture = scene.capture(failure);
    capture.record = config.html.is_some().then(|| Record::new(scene.trace.len()));
    let told = capture.record.as_ref().map(Record::told).unwrap_or_default();
    let again = Explorer::replaying(config, &scene.strategy, &scene.schedule, capture);
    let mut shuttle = config.for_shuttle();
    shuttle.stack_size = shuttle.stack_size.max(STACK_FOR_BACKTRACES);
    let second = match config.html {
        Some(_) => page::listen(told, || run(&again, shuttle)),
        None => run(&again, shuttle),
    };
    let second = second.err().filter(|second| BugKind::of(&second.message) == failure);
    let capture = again.into_capture().unwrap_or_default();

    let departures: Vec<_> =
        scene.departures.iter().map(|departed| scene.describe(*departed, &capture)).collect();
    let mut bug = Bug {
        page: None,
        failure,
        task: name(&capture, scene.trace.last().copied().unwrap_or_else(|| TaskId::from(0))),
        place: match failure {
            BugKind::Panic => place_of_panic(&crash),
            BugKind::StepLimit => scene.last_place(&capture),
            BugKind::Deadlock => None,
        },
        departures,
        moments: scene.moments(&capture),
        waiting: if failure == BugKind::Deadlock {
            scene.waiting(&capture, &crash.message)
        } else {
            Vec::new()
        },
        panics: match &second {
            Some(second) if failure != BugKind::Panic => panics_before(second),
            _ => Vec::new(),
        },
        delays: scene.cost,
        repeatable: second.is_some(),
        default_replays: config.steps == Config::default().steps
            && Strategy::try_from(&scene.schedule.strategy).is_ok(),
        unit: scene.strategy.unit(),
        message: match crash.root() {
            Some(root) if failure == BugKind::Panic => root.message.clone(),
            _ => crash.message,
        },
        schedule: scene.schedule.clone(),
    };
    bug.page = config.html.as_deref().map(|folder| scene.page(folder, &bug, &capture));
    bug
}

/// The numbers of the blocked tasks, according to the message of shuttle: `name (task TaskId(1), detached), …`, or
/// `name (task name(1))`, each with its backtrace if shuttle captured one.
fn blocked_tasks(message: &str) -> Vec<usize> {
    let number = |task: &str| {
        let after_name = task.split_inclusive('(').skip(1);
        let mut numbers = after_name.filter_map(|text| {
            let (number, rest) = text.split_once(')')?;
            number.parse().ok().filter(|_| rest.starts_with([')', ',']))
        });
        numbers.next()
    };
    let mut tasks: Vec<_> = message.split(" (task ").skip(1).filter_map(number).collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}

/// The panics of the execution before its failure, in chronological order.
fn panics_before(crash: &Crash) -> Vec<Panicked> {
    let others = crash.panics.iter().rev().filter(|panic| panic.message != crash.message);
    others.map(|panic| Panicked { message: panic.message.clone(), place: place_of(panic) }).collect()
}

fn place_of_panic(crash: &Crash) -> Option<Site> {
    place_of(crash.root()?)
}

fn place_of(panic: &Panic) -> Option<Site> {
    let (file, line) = panic.place.as_ref()?;
    Some(Site { file: relative(Path::new(file)), line: *line, operation: None })
}

fn name(capture: &Capture, task: TaskId) -> TaskName {
    TaskName { id: task.into(), name: capture.name(task).map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocked_tasks_are_read_off_the_message() {
        for (message, tasks) in [
            (
                "deadlock! blocked tasks: [main-thread (task main-thread(0)), <unknown> (task TaskId(2))]",
                &[0, 2][..],
            ),
            ("deadlock! blocked tasks: [a (1) (task a (1)(7), detached, pending future)]", &[7]),
            (
                "deadlock! blocked tasks: [x (task TaskId(3))\nBacktrace:\n 0: f(1)\n, y (task y(4))\n]",
                &[3, 4],
            ),
            ("deadlock! blocked tasks: []", &[]),
        ] {
            assert_eq!(blocked_tasks(message), tasks, "{message}");
        }
    }
}
