//! A template: dally with one scheduler more.
//!
//! ```console
//! $ cargo run --example own_scheduler -- check --scheduler longest-queue examples/p/german.p
//! ```

use dally_schedule::{DelayingScheduler, Observed, OwnScheduler, Ready, TaskId, Why};

/// The task with the most waiting events runs first; of several, the one with the least number. A delay puts a task after
/// all others, until it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct LongestQueue {
    /// The tasks, with the lengths of their queues.
    tasks: Vec<(TaskId, usize)>,
    late: Vec<TaskId>,
}

impl DelayingScheduler for LongestQueue {
    fn give(&mut self, task: TaskId, why: Why) {
        if let Why::Posted(_) = why {
            self.tasks.push((task, 0));
        }
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        let is_free = |task: &TaskId| ready.contains(*task) && !self.late.contains(task);
        let free = self.tasks.iter().filter(|(task, _)| is_free(task));
        let longest = free.max_by_key(|(task, length)| (*length, std::cmp::Reverse(*task)));
        longest
            .map(|(task, _)| *task)
            .or_else(|| self.late.iter().copied().find(|task| ready.contains(*task)))
    }

    fn delay(&mut self, task: TaskId) {
        self.late.retain(|other| *other != task);
        self.late.push(task);
    }

    fn complete(&mut self, task: TaskId) {
        self.tasks.retain(|(other, _)| *other != task);
        self.late.retain(|other| *other != task);
    }

    fn patience(&self) -> usize {
        self.tasks.len()
    }

    fn looks(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Observed<'_>) {
        self.late.retain(|task| Some(*task) != step.task);
        for (task, length) in &mut self.tasks {
            *length = step.after.queue(*task).len();
        }
    }
}

fn dally() -> dally::Dally {
    let about = "the machine with the most waiting events first";
    dally::Dally::new().with_scheduler(OwnScheduler::new("longest-queue", about, LongestQueue::default()))
}

fn main() -> std::process::ExitCode {
    dally().main()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// `check` finds the bug and writes its trace, `replay` confirms it, and a dally without the scheduler says why it
    /// cannot.
    #[test]
    fn all_commands_know_the_scheduler() {
        let program = root().join("examples/p/german.p").display().to_string();
        let trace = std::env::temp_dir().join(format!("own_scheduler_{}.json", std::process::id()));
        let trace = trace.display().to_string();
        let check = ["dally", "check", "--scheduler", "longest-queue", "--trace", &trace, &program];
        assert_eq!(dally().run(check), 1, "german.p has a bug");
        assert_eq!(dally().run(["dally", "replay", &trace]), 1, "the bug is confirmed");
        assert_eq!(dally::Dally::new().run(["dally", "replay", &trace]), 2, "there is no such scheduler");
        let ruled =
            ["dally", "check", "--scheduler", "longest-queue", "--rule", "Client first", "--trace", &trace];
        assert_eq!(dally().run(ruled.into_iter().chain([program.as_str()])), 1);
        assert_eq!(dally().run(["dally", "replay", &trace]), 1, "with rules around it");
        std::fs::remove_file(&trace).unwrap();
    }

    /// A search of one's own, without the command line.
    #[test]
    fn a_project_is_searched() {
        let program = root().join("examples/p/german.p").display().to_string();
        let project = dally::Project::load(&[&program]).unwrap();
        let scheduler = OwnScheduler::new("longest-queue", "", LongestQueue::default()).into();
        let report = project.check(scheduler, dally_explore::Options::default());
        assert!(report.bug().is_some());
        assert!(project.trace(&report).unwrap().unwrap().contains("Host"));
    }
}
