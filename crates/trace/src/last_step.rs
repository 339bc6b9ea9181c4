//! The last step of a schedule, for messages.

use dally_explore::{Event, Schedule, replay};
use dally_text::source::{Location, SourceMap};

use crate::explain::{Explain, Taken};
use crate::{TaskName, TaskNumbers};

/// The last step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastStep {
    /// The task that ran.
    pub task: TaskName,
    /// The last statement that it executed.
    pub location: Option<Location>,
    /// The number of steps of this task. Steps of an earlier task with the same id do not count.
    pub steps: usize,
}

/// Replays a schedule, and describes its last step. `None` if there is no step, or the program cannot follow
/// the schedule.
pub fn last_step<P: Explain>(program: &P, schedule: &Schedule, sources: &SourceMap) -> Option<LastStep> {
    let task = schedule.steps.last()?.task;
    let mut numbers = TaskNumbers::default();
    let mut steps = 0;
    let mut found = None;
    let replayed = replay(program, schedule, |moment| {
        numbers.add(moment.events);
        let is_own = moment.step.is_some_and(|at| at.step.task == task);
        steps += usize::from(is_own);
        let is_last = moment.step.is_some_and(|at| at.index + 1 == schedule.steps.len());
        if let (true, Some(at)) = (is_last, moment.step) {
            let (before, after) = (moment.before, moment.after);
            let explained =
                program.explain(&Taken { before, after, task, choices: &at.step.choices, tasks: &numbers });
            found = Some(LastStep {
                task: TaskName { task: numbers.of(task), name: program.task_name(before, task) },
                location: explained.lines.iter().filter_map(|line| sources.location(line.span)).last(),
                steps,
            });
        } else if moment.events.iter().any(|event| matches!(event, Event::Posted(new, _) if *new == task)) {
            steps = 0;
        }
    });
    replayed.ok().and(found)
}
