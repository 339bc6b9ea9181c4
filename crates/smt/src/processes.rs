//! The solver processes of a run: their memory, and the queries under way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The processes that share a budget.
#[derive(Debug, Default)]
pub struct Processes {
    /// The number of satisfiability queries.
    queries: AtomicUsize,
    /// The numbers of those that are running, and when the query under way began.
    running: Mutex<Vec<(u32, Option<Instant>)>>,
}

impl Processes {
    /// The resident memory of all solvers and of the processes that they have started, in bytes, on systems that report
    /// it.
    pub fn resident(&self) -> u64 {
        let solvers: Vec<u32> = self.lock().iter().map(|(process, _)| *process).collect();
        solvers.into_iter().map(resident_with_children).sum()
    }

    /// The number of satisfiability queries so far.
    pub fn queries(&self) -> usize {
        self.queries.load(Ordering::Relaxed)
    }

    /// How long the oldest query under way has been running.
    pub fn running_query(&self) -> Option<Duration> {
        self.lock().iter().filter_map(|(_, since)| *since).min().map(|since| since.elapsed())
    }

    /// A solver has started.
    pub(crate) fn enter(&self, process: u32) {
        self.lock().push((process, None));
    }

    /// A solver is gone.
    pub(crate) fn leave(&self, process: u32) {
        self.lock().retain(|(other, _)| *other != process);
    }

    /// A solver begins to work on a command, or has answered.
    pub(crate) fn set_busy(&self, process: u32, command: Option<&str>) {
        if command.is_some_and(|command| command.starts_with("(check-sat")) {
            self.queries.fetch_add(1, Ordering::Relaxed);
        }
        let since = command.map(|_| Instant::now());
        for (_, busy) in self.lock().iter_mut().filter(|(other, _)| *other == process) {
            *busy = since;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u32, Option<Instant>)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The resident memory of a process and of all that descend from it.
fn resident_with_children(process: u32) -> u64 {
    let mut total = 0;
    let mut left = vec![process];
    while let Some(process) = left.pop() {
        total += resident(process).unwrap_or(0);
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        left.extend(children.unwrap_or_default().split_whitespace().filter_map(|n| n.parse::<u32>().ok()));
    }
    total
}

fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A process that ends with its input.
    fn reader() -> Child {
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    }

    #[test]
    fn memory_of_solvers_and_their_children_is_counted() {
        if resident(std::process::id()).is_none() {
            return;
        }
        let processes = Processes::default();
        assert_eq!(processes.resident(), 0);
        let mut one = reader();
        processes.enter(one.id());
        assert!(processes.resident() > 0);
        assert!(resident_with_children(std::process::id()) > resident(one.id()).unwrap());
        processes.leave(one.id());
        assert_eq!(processes.resident(), 0);
        drop(one.stdin.take());
        one.wait().unwrap();
    }

    #[test]
    fn queries_are_counted_and_timed() {
        let processes = Processes::default();
        let mut one = reader();
        processes.enter(one.id());
        assert_eq!(processes.running_query(), None);
        processes.set_busy(one.id(), Some("(check-sat)\n"));
        assert!(processes.running_query().is_some());
        processes.set_busy(one.id(), None);
        processes.set_busy(one.id(), Some("(get-value (x))\n"));
        assert_eq!(processes.queries(), 1);
        drop(one.stdin.take());
        one.wait().unwrap();
    }
}
