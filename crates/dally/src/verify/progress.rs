//! The progress of a verification. The verifying thread writes it; another thread shows and reports it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dally_explore::{BoundCoverage, Coverage, InliningCoverage, count, counted};
use dally_smt::Processes;

use super::report;
use crate::output;
use crate::status_line::StatusLine;

/// Results of bounds are shown on a terminal if a run takes longer than this.
const LONG: Duration = Duration::from_secs(2);

/// The current phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The program is translated to a sequential one.
    Translating,
    /// Procedures become terms, and terms become queries.
    Building,
    /// A failing execution is searched for in the original program.
    Replaying,
}

/// The progress of a run.
pub(crate) struct Progress {
    started: Instant,
    solvers: Arc<Processes>,
    /// The queries of earlier runs with these solvers.
    queries_before: usize,
    /// Counts inlined calls.
    pub(crate) inlined: Arc<AtomicUsize>,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// The bound on schedules in words, and that on recursion.
    bound: Option<String>,
    recursion: u32,
    completed: Vec<BoundCoverage>,
    /// Results that were not shown yet.
    results: Vec<String>,
}

impl Progress {
    pub(crate) fn new(solvers: Arc<Processes>) -> Self {
        Progress {
            started: Instant::now(),
            queries_before: solvers.queries(),
            solvers,
            inlined: Arc::default(),
            state: Mutex::new(State {
                phase: Phase::Translating,
                bound: None,
                recursion: 0,
                completed: Vec::new(),
                results: Vec::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A phase begins.
    pub(crate) fn begin(&self, phase: Phase) {
        self.lock().phase = phase;
    }

    /// A search within these bounds begins.
    pub(crate) fn search(&self, bound: Option<String>, recursion: u32) {
        let mut state = self.lock();
        (state.phase, state.bound, state.recursion) = (Phase::Building, bound, recursion);
    }

    /// A bound has a result; `completed` are the results of all bounds so far.
    pub(crate) fn complete(&self, result: &BoundCoverage, completed: Vec<BoundCoverage>) {
        let covered = self.coverage().sentence("", self.started.elapsed());
        let mut state = self.lock();
        state.results.push(format!("{}; {covered}", result_of(result)));
        state.completed = completed;
    }

    /// The coverage so far.
    pub(crate) fn coverage(&self) -> InliningCoverage {
        InliningCoverage {
            bounds: self.lock().completed.clone(),
            inlined: self.inlined.load(Ordering::Relaxed),
            queries: self.solvers.queries() - self.queries_before,
        }
    }

    /// The line that says what is under way.
    fn line(&self) -> String {
        let InliningCoverage { inlined, queries, .. } = self.coverage();
        let state = self.lock();
        let bound = state.bound.as_ref().map(|bound| format!("{bound} · ")).unwrap_or_default();
        let doing = match (state.phase, self.solvers.running_query()) {
            (Phase::Replaying, _) => "replaying the execution".to_owned(),
            (_, Some(since)) => {
                format!("query {} runs for {:.0} s", count(queries), since.as_secs_f64())
            }
            (Phase::Translating, None) => "translating".to_owned(),
            (Phase::Building, None) => "building the next query".to_owned(),
        };
        format!(
            "{bound}recursion {} · {} · {} · {doing} · {:.0} s",
            state.recursion,
            counted(inlined, "inlined call"),
            counted(queries, "query"),
            self.started.elapsed().as_secs_f64()
        )
    }
}

/// The result of a bound in words.
fn result_of(result: &BoundCoverage) -> String {
    let bound = result.bound.as_ref().map(|bound| format!(" {bound}")).unwrap_or_default();
    match result.proved {
        true => format!("no execution{bound} fails"),
        false => format!("no bug{bound} {}", report::recursively(result.recursion)),
    }
}

/// Shows progress on standard error.
pub(crate) struct Display {
    line: Option<StatusLine>,
    /// True if results are shown wherever standard error goes, and at once.
    always: bool,
}

impl Display {
    pub(crate) fn new(always: bool) -> Self {
        Display { line: StatusLine::new(), always }
    }

    /// Shows what is new.
    pub(crate) fn update(&self, progress: &Progress) {
        let is_due = self.always || self.line.is_some() && progress.started.elapsed() >= LONG;
        if is_due {
            let results = std::mem::take(&mut progress.lock().results);
            if !results.is_empty() {
                self.clear();
                results.iter().for_each(|result| output::progress(result));
            }
        }
        if let Some(line) = &self.line {
            line.show(|| progress.line());
        }
    }

    /// Removes the line.
    pub(crate) fn clear(&self) {
        if let Some(line) = &self.line {
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_bounds_and_what_is_under_way() {
        let progress = Progress::new(Arc::default());
        progress.inlined.store(1234, Ordering::Relaxed);
        assert!(
            progress.line().starts_with("recursion 0 · 1,234 inlined calls · 0 queries · translating · ")
        );
        progress.search(Some("with at most 1 delay under dfw".to_owned()), 4);
        let line = progress.line();
        assert!(line.starts_with("with at most 1 delay under dfw · recursion 4 · 1,234 inlined"), "{line}");
        assert!(line.contains("· building the next query ·"), "{line}");
        progress.begin(Phase::Replaying);
        assert!(progress.line().contains("· replaying the execution ·"));
    }

    #[test]
    fn completed_bounds_are_results_and_coverage() {
        let progress = Progress::new(Arc::default());
        let first = BoundCoverage { bound: Some("with K".to_owned()), recursion: 1, proved: false };
        progress.complete(&first, vec![first.clone()]);
        let second = BoundCoverage { proved: true, ..first.clone() };
        progress.complete(&second, vec![second.clone()]);
        assert_eq!(progress.coverage().bounds, [second]);
        let results = &progress.lock().results;
        let begins = |index: usize, text: &str| assert!(results[index].starts_with(text), "{results:?}");
        begins(
            0,
            "no bug with K within 1 iteration of each loop and 1 level of recursion; covered 0 inlined",
        );
        begins(1, "no execution with K fails; covered");
    }
}
