//! Verification in a thread of its own, so that the run keeps its limits in every phase.
//!
//! Translations, conditions and replays poll the limits where they can. Some of their parts cannot: a pass over a large
//! program, or the release of its memory. So another thread waits for the result, and a short time after a limit was
//! reached it no longer does: it reports what is known, and ends the process. Solvers end with it, by their guard.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use dally_explore::Limit;
use dally_verify::{NoAnswer, SolverError};

use super::engine::Basis;
use super::progress::{Display, Progress};
use super::replay::Evidence;
use super::report::Finding;
use crate::budget::Budget;

/// The time between two looks at the progress.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The time after a limit in which the verification may end by itself.
const GRACE: Duration = Duration::from_millis(600);
/// The part of it for a replay that has not begun when the limit is reached.
pub(crate) const LAST_REPLAY: Duration = Duration::from_millis(300);

/// A report of the verifying thread.
pub(crate) enum Message {
    /// The search has ended; a failing execution will be replayed.
    Found(Arc<Finding>),
    /// The replay has ended, if there was one.
    Replayed(Option<Evidence>),
}

/// The result of a verification.
pub(crate) struct Done {
    pub(crate) finding: Arc<Finding>,
    pub(crate) replayed: Option<Evidence>,
    /// True if the verifying thread is still running.
    pub(crate) abandoned: bool,
}

/// Waits for the result, and shows the progress. None if the verifying thread has panicked.
pub(crate) fn wait(
    messages: &Receiver<Message>,
    budget: &Budget,
    progress: &Progress,
    display: &Display,
) -> Option<Done> {
    let mut found: Option<Arc<Finding>> = None;
    let mut deadline = None;
    let done = loop {
        match messages.recv_timeout(LOOK_EVERY) {
            Ok(Message::Found(finding)) => found = Some(finding),
            Ok(Message::Replayed(replayed)) => {
                break found.map(|finding| Done { finding, replayed, abandoned: false });
            }
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        display.update(progress);
        let Some(limit) = budget.reached() else { continue };
        if Instant::now() >= *deadline.get_or_insert_with(|| Instant::now() + GRACE) {
            break Some(abandon(found, limit, progress));
        }
    };
    display.update(progress);
    display.clear();
    done
}

/// The result at a limit, if the verification does not end.
fn abandon(found: Option<Arc<Finding>>, limit: Limit, progress: &Progress) -> Done {
    match found {
        Some(finding) => {
            let replayed = Some(Evidence::Not(limit.to_string()));
            Done { finding, replayed, abandoned: true }
        }
        None => {
            let end = Err(NoAnswer::Solver(error(limit)));
            let finding = Arc::new(Finding { end, coverage: progress.coverage(), basis: Basis::default() });
            Done { finding, replayed: None, abandoned: true }
        }
    }
}

/// The error of a search that a limit has ended.
pub(crate) fn error(limit: Limit) -> SolverError {
    match limit {
        Limit::Memory => SolverError::Memory,
        Limit::Cancelled => SolverError::Cancelled,
        _ => SolverError::Time,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::budget::RunLimits;

    /// A budget whose time is up.
    fn exhausted() -> Budget {
        let limits = RunLimits { time: Some(Duration::ZERO), memory: None };
        Budget::unwatched(limits, Arc::default(), Arc::default())
    }

    #[test]
    fn a_verification_that_does_not_end_is_abandoned() {
        let (sender, messages) = mpsc::channel();
        let progress = Progress::new(Arc::default());
        let done = wait(&messages, &exhausted(), &progress, &Display::new(false)).unwrap();
        assert!(done.abandoned && done.replayed.is_none());
        assert!(matches!(done.finding.end, Err(NoAnswer::Solver(SolverError::Time))));
        // It had found something, and its replay does not end.
        let found = Finding { end: Ok(None), coverage: progress.coverage(), basis: Basis::default() };
        sender.send(Message::Found(Arc::new(found))).unwrap();
        let done = wait(&messages, &exhausted(), &progress, &Display::new(false)).unwrap();
        assert!(done.abandoned && matches!(done.finding.end, Ok(None)));
        assert!(matches!(done.replayed, Some(Evidence::Not(reason)) if reason == "the time is up"));
    }

    #[test]
    fn a_result_at_the_limit_counts() {
        let (sender, messages) = mpsc::channel();
        let progress = Progress::new(Arc::default());
        let found = Finding { end: Ok(None), coverage: progress.coverage(), basis: Basis::default() };
        sender.send(Message::Found(Arc::new(found))).unwrap();
        sender.send(Message::Replayed(None)).unwrap();
        let done = wait(&messages, &exhausted(), &progress, &Display::new(false)).unwrap();
        assert!(!done.abandoned && done.replayed.is_none());
    }
}
