//! The line of progress on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The time between two lines of progress, and before the first.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// A line at the bottom of the terminal, which is overwritten.
pub(crate) struct StatusLine {
    last: Mutex<Instant>,
}

impl StatusLine {
    /// None if standard error is not a terminal.
    pub(crate) fn new() -> Option<Self> {
        std::io::stderr().is_terminal().then(|| StatusLine { last: Mutex::new(Instant::now()) })
    }

    /// Shows a line, unless the last one is recent.
    pub(crate) fn show(&self, line: impl FnOnce() -> String) {
        // If another thread holds the lock, it is writing a line already.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() < PROGRESS_EVERY {
            return;
        }
        *last = Instant::now();
        let line = fit(&line());
        let mut err = std::io::stderr().lock();
        // Progress is optional: an error is ignored.
        let _ = write!(err, "\r\x1b[2K{line}").and_then(|()| err.flush());
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r\x1b[2K").and_then(|()| err.flush());
    }
}

/// The beginning of a line, as far as it fits: a line that wraps could not be overwritten.
fn fit(line: &str) -> String {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0);
    line.chars().take(usize::from(width.max(2)) - 1).collect()
}
