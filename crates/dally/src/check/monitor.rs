//! Watching a search: the clock, Ctrl-C, and progress on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dally_explore::{Coverage, Limit, Watch};
use dally_trace::count;

/// Progress is shown from here on, and this often.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Ends a search when its time is up or somebody wants it to end, and shows how far it is.
pub(crate) struct Monitor {
    started: Instant,
    time: Option<Duration>,
    cancelled: Arc<AtomicBool>,
    progress: Option<Mutex<Instant>>,
}

/// Asks for the search to end when Ctrl-C is pressed or the process is told to end; the second time, it ends at once.
/// Steps that take long are interrupted.
pub(crate) fn on_interrupt(
    cancelled: &Arc<AtomicBool>,
    interrupt: &Arc<AtomicBool>,
) -> Result<(), ctrlc::Error> {
    let (cancelled, interrupt) = (Arc::clone(cancelled), Arc::clone(interrupt));
    ctrlc::set_handler(move || {
        interrupt.store(true, Ordering::Relaxed);
        if cancelled.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
}

/// Interrupts steps that go on when the time is up.
pub(crate) fn interrupt_after(time: Duration, interrupt: Arc<AtomicBool>) {
    let clock = move || {
        std::thread::sleep(time);
        interrupt.store(true, Ordering::Relaxed);
    };
    // Nobody waits for it: it ends with the program. Where there are no threads to be had, time is looked at between steps.
    drop(std::thread::Builder::new().spawn(clock));
}

impl Monitor {
    pub(crate) fn new(time: Option<Duration>, cancelled: Arc<AtomicBool>, show: bool) -> Self {
        let started = Instant::now();
        let progress = (show && std::io::stderr().is_terminal()).then(|| Mutex::new(started));
        Monitor { started, time, cancelled, progress }
    }

    /// How long it has taken.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn show(&self, coverage: &Coverage) {
        let Some(progress) = &self.progress else { return };
        // Another thread is showing it: that will do.
        let Ok(mut last) = progress.try_lock() else { return };
        if last.elapsed() < PROGRESS_EVERY {
            return;
        }
        *last = Instant::now();
        let seconds = self.elapsed().as_secs_f64();
        let line = format!(
            "bound {} · {} states · {} states/s · frontier {} · {:.0} s",
            coverage.bound,
            count(coverage.states),
            count((coverage.states as f64 / seconds) as usize),
            count(coverage.frontier),
            seconds
        );
        let mut err = std::io::stderr().lock();
        // If it cannot be shown, nobody misses it.
        let _ = write!(err, "\r\x1b[2K{line}").and_then(|()| err.flush());
    }

    /// Clears the line.
    pub(crate) fn finish(&self) {
        if self.progress.is_some() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
        }
    }
}

impl<S> Watch<S> for Monitor {
    fn poll(&self, coverage: &Coverage) -> Option<Limit> {
        self.show(coverage);
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Cancelled);
        }
        self.time.is_some_and(|t| self.elapsed() >= t).then_some(Limit::Time)
    }
}
