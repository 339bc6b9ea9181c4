//! Reports for continuous integration: JUnit's XML, which test dashboards read, and SARIF 2.1.0, which code-scanning
//! services and editors read.

mod junit;
mod sarif;

use dally_text::render::JsonDiagnostic;
use dally_trace::{Location, Trace};

pub use junit::junit;
pub use sarif::sarif;

/// A run of dally on one program or trace, as a test case.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The file of the program or trace.
    pub file: String,
    /// The test, if the program has several, or what was run.
    pub name: String,
    /// The time that it took.
    pub seconds: f64,
    /// How it ended.
    pub result: CaseResult,
    /// The verdict in one sentence.
    pub message: String,
    /// The location of a bug that has no trace.
    pub location: Option<Location>,
    /// The trace of a bug.
    pub trace: Option<&'a Trace>,
    /// Errors and warnings about the program.
    pub diagnostics: &'a [JsonDiagnostic],
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseResult {
    /// No bug was found.
    Passed,
    /// A bug was found.
    Failed,
    /// The run was inconclusive, or the program has errors or unsupported constructs: this word says which.
    NoVerdict(&'static str),
}
