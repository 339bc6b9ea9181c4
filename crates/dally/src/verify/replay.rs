//! Replaying what the solver has found: searching for the execution, and explaining it as a trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dally_bpl::Program;
use dally_counterexample::{Execution, Original};
use dally_interp::{Inputs, Notation};
use dally_sequentialize::Target;
use dally_text::source::SourceMap;
use dally_trace::{Kind, Location, Trace};

use super::work::LAST_REPLAY;
use crate::budget::{self, Budget};
use crate::check::monitor::{self, Monitor};
use crate::cli::ProgramArgs;

/// Time for the search for an execution.
const PATIENCE: Duration = Duration::from_secs(20);

/// The result of a replay.
pub(crate) enum Evidence {
    /// The execution.
    Trace(Box<Trace>),
    /// It cannot be run, for this reason.
    Not(String),
    /// There is no such execution. True if quantifiers were evaluated only for the values that it mentions.
    Absent(bool),
}

impl Evidence {
    /// Rejects a trace whose failure is another one than the solver reports.
    pub(crate) fn at(self, expected: Option<&Location>) -> Self {
        match self {
            Evidence::Trace(trace)
                if trace.failure.location.as_ref() != expected || trace.failure.kind == Kind::Runtime =>
            {
                let what = match trace.failure.kind {
                    Kind::Runtime => {
                        "a run-time error comes first, where dally verify assumes an arbitrary value"
                    }
                    _ => "something else fails first",
                };
                Evidence::Not(format!("{what}: {}", trace.failure.message))
            }
            other => other,
        }
    }

    /// Weighs the result, given whether the solver has checked all quantifiers, and which of its values are not usable: an
    /// execution that was not found may need other values than were tried.
    pub(crate) fn judged(self, certain: bool, unreadable: Option<&str>) -> Self {
        match self {
            // Then neither the solver nor the interpreter has checked them.
            Evidence::Trace(trace) if !certain && !trace.notes.is_empty() => {
                Evidence::Not(trace.notes.join(", "))
            }
            Evidence::Absent(partly) => match (unreadable, partly) {
                (Some(what), _) => Evidence::Not(format!("it depends on values of the solver {what}")),
                (None, false) => self,
                (None, true) => Evidence::Not(
                    "it was not found where quantifiers are evaluated for the values that the execution mentions"
                        .to_owned(),
                ),
            },
            other => other,
        }
    }
}

/// The original program, and the budget of the run.
pub(crate) struct Replay<'r> {
    pub(crate) program: &'r Program,
    pub(crate) sources: &'r SourceMap,
    pub(crate) arguments: &'r ProgramArgs,
    pub(crate) budget: &'r Budget,
    pub(crate) notation: Option<&'r Arc<dyn Notation>>,
}

impl Replay<'_> {
    /// Searches for the execution that the inputs describe, and explains it.
    pub(crate) fn run(&self, inputs: &Inputs, target: Option<Target>) -> Evidence {
        let left = self.budget.until().map(|until| until.saturating_duration_since(Instant::now()));
        // Also a replay that begins when the time is up may find its execution.
        let time = left.map_or(PATIENCE, |left| (left + LAST_REPLAY).min(PATIENCE));
        let cancelled = Arc::clone(&self.budget.cancelled);
        // The flag of the budget would end the replay at once.
        let interrupt = Arc::new(AtomicBool::new(false));
        monitor::interrupt_after(time, Arc::clone(&interrupt));
        let options = self.arguments.options();
        let original = Original {
            notation: self.notation,
            program: self.program,
            sources: self.sources,
            options: &options,
            interrupt: &interrupt,
        };
        let limits = budget::RunLimits { time: Some(time), memory: None };
        let monitor = Monitor::new(Budget::unwatched(limits, cancelled, Arc::clone(&interrupt)), false);
        match dally_counterexample::replay(&original, inputs, target, &monitor) {
            dally_counterexample::Confirmation::Found(execution) => self.explain(*execution),
            dally_counterexample::Confirmation::Absent { partly } => Evidence::Absent(partly),
            dally_counterexample::Confirmation::Refused(reason) => Evidence::Not(reason),
            dally_counterexample::Confirmation::Stopped(limit) => Evidence::Not(match () {
                () if let Some(limit) = self.budget.reached() => limit.to_string(),
                // Otherwise only the clock interrupts.
                () if interrupt.load(Ordering::Relaxed) => "the search for it takes too long".to_owned(),
                () => limit.to_string(),
            }),
        }
    }

    fn explain(&self, Execution { bug, machine, options }: Execution) -> Evidence {
        let inputs = serde_json::to_value(&options.inputs).ok();
        let arguments = ProgramArgs { preempt: options.program.preempt, ..self.arguments.clone() };
        match dally_trace::trace(&machine, &bug, self.sources, arguments.source(self.sources), false) {
            Ok(trace) => Evidence::Trace(Box::new(Trace { solved: true, inputs, ..trace })),
            Err(error) => Evidence::Not(error.to_string()),
        }
    }
}
