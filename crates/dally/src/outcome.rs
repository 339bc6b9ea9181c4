//! The JSON of outcomes: the keys that all commands share.

use std::time::Duration;

use dally_explore::{Coverage, Exit, Limit, Verdict};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::{JsonDiagnostic, printable};
use dally_text::source::SourceMap;
use dally_trace::Trace;
use serde::Serialize;

use crate::output;

/// The object that `--json` prints for a run: its outcome, and what only this command has to say.
#[derive(Serialize)]
pub(crate) struct OutcomeJson<'a, C, M> {
    /// `proved`, `no-bug`, `bug`, `inconclusive`, `unsupported` or `error`.
    pub(crate) verdict: &'static str,
    /// The verdict in words.
    pub(crate) message: &'a str,
    /// The strategy, or the translation with its last bound.
    pub(crate) policy: Option<String>,
    pub(crate) coverage: Option<Timed<C>>,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) diagnostics: Vec<JsonDiagnostic>,
    #[serde(flatten)]
    pub(crate) more: M,
}

/// Where the tasks of a program are switched, in languages that leave it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchedulingPoints {
    /// Where a task yields, waits or ends.
    Explicit,
    /// Also before each access to a shared variable.
    Accesses,
    /// In C: before each access to memory that threads may share, and where a thread blocks or yields.
    Memory,
}

impl SchedulingPoints {
    /// The word that stands for it in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Accesses => "accesses",
            Self::Memory => "memory",
        }
    }

    /// The assumption on which a verdict without a bug rests, as a line.
    pub(crate) fn assumption<B>(self, verdict: &Verdict<B>) -> Option<&'static str> {
        (verdict.is_clean() && self == Self::Explicit).then_some(
            "tasks switch only where they yield, wait or end; --preempt adds each access to a shared variable\n",
        )
    }
}

/// The coverage of a run, and the time that it took.
#[derive(Serialize)]
pub(crate) struct Timed<C> {
    #[serde(flatten)]
    coverage: C,
    seconds: f64,
}

impl<C: Coverage> Timed<C> {
    pub(crate) fn new(coverage: C, elapsed: Duration) -> Self {
        Timed { coverage, seconds: elapsed.as_secs_f64() }
    }
}

impl<C: Coverage, M: Default + Serialize> OutcomeJson<'_, C, M> {
    /// Prints the outcome of a run that ended before there was a verdict.
    fn fail(verdict: &'static str, exit: Exit, message: &str, diagnostics: Vec<JsonDiagnostic>) -> Exit {
        let json = OutcomeJson {
            verdict,
            message,
            policy: None,
            coverage: None::<Timed<C>>,
            trace: None,
            diagnostics,
            more: M::default(),
        };
        output::exit_after(output::write_json(&json), exit)
    }

    /// Reports a program with errors.
    pub(crate) fn errors(json: bool, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
        if !json {
            return output::show(sources, diagnostics);
        }
        let message = diagnostics.first().map_or("", |first| &first.message);
        let exit = output::exit_of(diagnostics);
        Self::fail(exit.word(), exit, message, output::json(sources, diagnostics))
    }

    /// Reports a limit that was reached before these files were read and compiled.
    pub(crate) fn ended_early(json: bool, files: &[String], limit: Limit) -> Exit {
        let verdict = Verdict::<()>::Inconclusive(limit);
        let files: Vec<String> = files.iter().map(|file| format!("`{}`", output::shortened(file))).collect();
        let message = format!(
            "{}: {limit}, before {} could be read and compiled",
            verdict.headline(),
            files.join(", ")
        );
        if json {
            Self::fail(verdict.word(), verdict.exit(), &message, Vec::new())
        } else {
            output::exit_after(
                output::stdout(format!("{}\n", printable(&message)).as_bytes()),
                verdict.exit(),
            )
        }
    }

    /// Reports a reason, not in the program, why nothing can be done.
    pub(crate) fn refuse(json: bool, message: &str) -> Exit {
        if json {
            Self::fail(Exit::Error.word(), Exit::Error, &output::shortened(message), Vec::new())
        } else {
            output::complain(message)
        }
    }
}
