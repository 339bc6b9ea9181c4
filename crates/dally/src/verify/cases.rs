//! The verdicts of a run as test cases, one for each entry point, for the reports of continuous integration.

use std::cell::RefCell;

use dally_explore::Verdict;
use dally_report::ci::{Case, CaseResult};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::JsonDiagnostic;
use dally_text::source::SourceMap;
use dally_trace::{Location, Trace};

use super::entries::Entry;
use crate::cli::Verify;
use crate::output::{self, Exit};
use crate::traces;

/// A verdict.
pub(crate) struct Ended {
    pub(crate) name: Option<String>,
    pub(crate) seconds: f64,
    pub(crate) result: CaseResult,
    pub(crate) message: String,
    pub(crate) location: Option<Location>,
    pub(crate) trace: Option<Box<Trace>>,
    pub(crate) diagnostics: Vec<JsonDiagnostic>,
}

/// The verdicts so far.
#[derive(Default)]
pub(crate) struct Cases(RefCell<Vec<Ended>>);

impl Cases {
    pub(crate) fn add(&self, ended: Ended) {
        self.0.borrow_mut().push(ended);
    }

    /// Adds an entry point without a verdict.
    pub(crate) fn add_without_verdict(&self, entry: &Entry, exit: Exit, message: &str) {
        self.add(Ended { name: entry.name.clone(), ..without_verdict(exit, message) });
    }

    /// Adds errors in the program.
    pub(crate) fn add_errors(
        &self,
        name: Option<String>,
        exit: Exit,
        sources: &SourceMap,
        diagnostics: &[Diagnostic],
    ) {
        let message = diagnostics.first().map_or("", |first| &*first.message);
        let diagnostics = output::json(sources, diagnostics);
        self.add(Ended { name, diagnostics, ..without_verdict(exit, message) });
    }

    /// Writes the reports that the flags ask for.
    pub(crate) fn write(&self, arguments: &Verify) {
        let file = arguments.program.files.first().cloned().unwrap_or_default();
        let all = self.0.borrow();
        let entry = arguments.program.entry.as_ref().unwrap_or(&file);
        let cases = all.iter().map(|ended| Case {
            file: file.clone(),
            name: ended.name.as_ref().unwrap_or(entry).clone(),
            seconds: ended.seconds,
            result: ended.result,
            message: ended.message.clone(),
            location: ended.location.clone(),
            trace: ended.trace.as_deref(),
            diagnostics: &ended.diagnostics,
        });
        let cases: Vec<Case<'_>> = cases.collect();
        traces::write_cases(&arguments.cases, "dally verify", &cases);
    }
}

fn without_verdict(exit: Exit, message: &str) -> Ended {
    Ended {
        name: None,
        seconds: 0.0,
        result: CaseResult::NoVerdict(exit.word()),
        message: message.to_owned(),
        location: None,
        trace: None,
        diagnostics: Vec::new(),
    }
}

/// How a case with this verdict has ended.
pub(crate) fn result<B>(verdict: &Verdict<B>) -> CaseResult {
    match verdict {
        Verdict::Bug(_) => CaseResult::Failed,
        verdict if verdict.is_clean() => CaseResult::Passed,
        verdict => CaseResult::NoVerdict(verdict.word()),
    }
}
