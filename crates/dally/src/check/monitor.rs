//! Monitoring a search: the clock, Ctrl-C, and progress on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use dally_explore::{Limit, Sampled, StateCoverage, Watch, count};

use crate::budget::Budget;

/// The time between two lines of progress, and before the first.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Ends a search at the end of its budget, and shows its progress.
pub(crate) struct Monitor {
    started: Instant,
    /// The time that the search took, once it has ended.
    took: OnceLock<Duration>,
    budget: Budget,
    progress: Option<Mutex<Instant>>,
}

/// Interrupts a step that is still running at the time limit.
pub(crate) fn interrupt_after(time: Duration, interrupt: Arc<AtomicBool>) {
    let clock = move || {
        std::thread::sleep(time);
        interrupt.store(true, Ordering::Relaxed);
    };
    // The thread is detached and ends with the process. If it cannot be started, the time is checked between steps only.
    drop(std::thread::Builder::new().spawn(clock));
}

impl Monitor {
    pub(crate) fn new(budget: Budget, show: bool) -> Self {
        let started = Instant::now();
        let progress = (show && std::io::stderr().is_terminal()).then(|| Mutex::new(started));
        Monitor { started, took: OnceLock::new(), budget, progress }
    }

    /// The time since the search began; if it has ended, the time that it took.
    pub(crate) fn elapsed(&self) -> Duration {
        self.took.get().copied().unwrap_or_else(|| self.started.elapsed())
    }

    fn show(&self, line: impl FnOnce(f64) -> String) {
        let Some(progress) = &self.progress else { return };
        // If another thread holds the lock, it is writing a line already.
        let Ok(mut last) = progress.try_lock() else { return };
        if last.elapsed() < PROGRESS_EVERY {
            return;
        }
        *last = Instant::now();
        let line = line(self.elapsed().as_secs_f64());
        let mut err = std::io::stderr().lock();
        // Progress is optional: an error is ignored.
        let _ = write!(err, "\r\x1b[2K{line}").and_then(|()| err.flush());
    }

    /// The search has ended: stops the clock, and clears the line.
    pub(crate) fn finish(&self) {
        self.took.get_or_init(|| self.started.elapsed());
        if self.progress.is_some() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
        }
    }
}

impl<S> Watch<S> for Monitor {
    fn poll(&self, coverage: &StateCoverage) -> Option<Limit> {
        self.show(|seconds| {
            format!(
                "bound {} · {} states · {} states/s · frontier {} · {seconds:.0} s",
                coverage.bound,
                count(coverage.states),
                count((coverage.states as f64 / seconds) as usize),
                count(coverage.frontier),
            )
        });
        self.budget.reached()
    }

    fn poll_samples(&self, sampled: &Sampled) -> Option<Limit> {
        self.show(|seconds| {
            format!(
                "{} executions · {} steps/s · longest {} · {seconds:.0} s",
                count(sampled.walks as usize),
                count((sampled.steps as f64 / seconds) as usize),
                count(sampled.longest as usize),
            )
        });
        self.budget.reached()
    }
}
