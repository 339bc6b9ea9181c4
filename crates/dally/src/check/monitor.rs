//! Monitoring a search: the clock, Ctrl-C, and progress on a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dally_explore::{Explored, Limit, Sampled, StateCoverage, Watch, count};
use dally_report::stats::Recorder;
use dally_trace::Explain;

use crate::budget::Budget;
use crate::status_line::StatusLine;

/// Ends a search at the end of its budget, and shows its progress.
pub(crate) struct Monitor {
    started: Instant,
    /// The time that the search took, once it has ended.
    took: OnceLock<Duration>,
    budget: Budget,
    progress: Option<StatusLine>,
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
        let progress = StatusLine::new().filter(|_| show);
        Monitor { started, took: OnceLock::new(), budget, progress }
    }

    /// The time since the search began; if it has ended, the time that it took.
    pub(crate) fn elapsed(&self) -> Duration {
        self.took.get().copied().unwrap_or_else(|| self.started.elapsed())
    }

    fn show(&self, line: impl FnOnce(f64) -> String) {
        if let Some(progress) = &self.progress {
            progress.show(|| line(self.elapsed().as_secs_f64()));
        }
    }

    /// The search has ended: stops the clock, and clears the line.
    pub(crate) fn finish(&self) {
        self.took.get_or_init(|| self.started.elapsed());
        if let Some(progress) = &self.progress {
            progress.clear();
        }
    }
}

/// Monitors the search of a program, and records what it reaches.
pub(crate) struct Recording<'a, M> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) program: &'a M,
    pub(crate) recorder: Option<&'a Recorder>,
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

impl<M: Explain> Watch<M::State> for Recording<'_, M> {
    fn poll(&self, coverage: &StateCoverage) -> Option<Limit> {
        Watch::<M::State>::poll(self.monitor, coverage)
    }

    fn poll_samples(&self, sampled: &Sampled) -> Option<Limit> {
        Watch::<M::State>::poll_samples(self.monitor, sampled)
    }

    fn explored(&self, explored: &Explored<'_>) {
        if let Some(recorder) = self.recorder {
            recorder.explored(explored, &self.program.coverage(), self.monitor.elapsed());
        }
    }

    fn sampled(&self, _: &Sampled) {
        if let Some(recorder) = self.recorder {
            recorder.sampled(&self.program.coverage());
        }
    }
}
