//! From an execution that has failed to a report of who was delayed where: it is run once more.

use std::path::Path;

use shuttle::scheduler::TaskId;

use crate::explorer::Search;
use crate::hook::{Crash, Panic};
use crate::locate::{Capture, Place, relative};
use crate::report::{Bug, Departure, Failure, TaskName};
use crate::run::Departure as Departed;
use crate::{Config, Explorer, Schedule, Strategy};

/// Taking a backtrace needs room on the stack of the task.
const STACK_FOR_BACKTRACES: usize = 0x4_0000;

/// The execution that has failed, as the search remembers it.
struct Scene {
    schedule: Schedule,
    strategy: Strategy,
    trace: Vec<TaskId>,
    departures: Vec<Departed>,
}

impl Scene {
    fn of(search: &Search) -> Self {
        Self {
            schedule: search.schedule(),
            strategy: search.strategy().clone(),
            trace: search.run.trace.clone(),
            departures: search.run.departures.clone(),
        }
    }

    /// All tasks that have run.
    fn tasks(&self) -> Vec<TaskId> {
        let mut tasks = self.trace.clone();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }

    /// The steps of interest.
    fn capture(&self, failure: Failure) -> Capture {
        let mut capture = Capture::default();
        for departure in &self.departures {
            if let Departed::PutOff(step, task) = departure {
                capture.want(&self.trace, *step, *task);
            }
        }
        if failure == Failure::Deadlock {
            self.tasks().iter().for_each(|task| capture.want(&self.trace, self.trace.len(), *task));
        }
        capture
    }

    fn describe(&self, departed: Departed, capture: &Capture) -> Departure {
        match departed {
            Departed::PutOff(step, task) => Departure::Delayed {
                task: name(capture, task),
                place: capture.place(&self.trace, step, task),
                begun: self.trace[..step].contains(&task),
            },
            Departed::Value(step, nth, of) => {
                let task = self.trace[..step].last().copied().unwrap_or_else(|| TaskId::from(0));
                Departure::Value { nth, of, task: name(capture, task) }
            }
        }
    }

    fn waiting(&self, capture: &Capture) -> Vec<(TaskName, Place)> {
        let place =
            |task: TaskId| Some((name(capture, task), capture.place(&self.trace, self.trace.len(), task)?));
        self.tasks().into_iter().filter_map(place).collect()
    }
}

/// Runs the execution that has failed once more, to see where everybody stands.
pub(crate) fn diagnose(
    config: &Config,
    explorer: &Explorer,
    crash: Crash,
    run: impl FnOnce(&Explorer, shuttle::Config) -> Result<(), Crash>,
) -> Bug {
    let Some(scene) = explorer.inspect(Scene::of) else { unreachable!("the search has ended") };
    let failure = failure_of(&crash.message);

    let again = Explorer::replaying(config, &scene.strategy, &scene.schedule, scene.capture(failure));
    let mut shuttle = config.for_shuttle();
    shuttle.stack_size = shuttle.stack_size.max(STACK_FOR_BACKTRACES);
    let repeatable = run(&again, shuttle).is_err_and(|second| failure_of(&second.message) == failure);
    let capture = again.into_capture().unwrap_or_default();

    let departures: Vec<_> =
        scene.departures.iter().map(|departed| scene.describe(*departed, &capture)).collect();
    let delays = departures.iter().filter(|departure| matches!(departure, Departure::Delayed { .. })).count();
    Bug {
        failure,
        task: name(&capture, scene.trace.last().copied().unwrap_or_else(|| TaskId::from(0))),
        place: if failure == Failure::Panic { place_of_panic(&crash) } else { None },
        departures,
        waiting: if failure == Failure::Deadlock { scene.waiting(&capture) } else { Vec::new() },
        delays: delays as u32,
        repeatable,
        unit: scene.strategy.unit(),
        message: crash.message,
        schedule: scene.schedule,
    }
}

/// How an execution failed, by what shuttle says.
fn failure_of(message: &str) -> Failure {
    if message.starts_with("deadlock!") {
        Failure::Deadlock
    } else if message.starts_with("exceeded max_steps bound") {
        Failure::StepLimit
    } else {
        Failure::Panic
    }
}

fn place_of_panic(crash: &Crash) -> Option<Place> {
    let Panic { place, .. } = crash.panics.iter().find(|panic| panic.message == crash.message)?;
    let (file, line) = place.clone()?;
    Some(Place { file: relative(Path::new(&file)), line, operation: None })
}

fn name(capture: &Capture, task: TaskId) -> TaskName {
    TaskName { id: task.into(), name: capture.name(task).map(str::to_owned) }
}
