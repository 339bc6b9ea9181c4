//! JUnit's XML: a test suite with a case for each run. Bugs are failures, runs without a verdict are errors.

use std::fmt::Write;

use dally_text::render::markup;
use dally_trace::{Look, text};

use super::{Case, CaseResult};

/// The runs as a test suite. The name of the suite is that of the command.
pub fn junit(suite: &str, cases: &[Case<'_>]) -> String {
    let count = |is: &dyn Fn(CaseResult) -> bool| cases.iter().filter(|case| is(case.result)).count();
    let failures = count(&|result| result == CaseResult::Failed);
    let errors = count(&|result| matches!(result, CaseResult::NoVerdict(_)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" \
         time=\"{seconds:.3}\">",
        attribute(suite),
        cases.len()
    );
    cases.iter().for_each(|case| out.push_str(&testcase(case)));
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

fn testcase(case: &Case<'_>) -> String {
    let head = format!(
        "<testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3}\">\n",
        attribute(&case.file),
        attribute(&case.name),
        attribute(&case.file),
        case.seconds
    );
    let message = attribute(&case.message);
    let detail = match case.result {
        CaseResult::Passed => format!("<system-out>{}</system-out>\n", markup(&case.message)),
        CaseResult::Failed => {
            let kind = case.trace.map_or("bug", |trace| trace.failure.kind.word());
            let trace = case.trace.map(|trace| text(trace, &Look::default())).unwrap_or_default();
            format!("<failure type=\"{kind}\" message=\"{message}\">{}</failure>\n", markup(&trace))
        }
        CaseResult::NoVerdict(word) => {
            let lines: String = case.diagnostics.iter().map(diagnostic).collect();
            format!("<error type=\"{word}\" message=\"{message}\">{}</error>\n", markup(&lines))
        }
    };
    format!("{head}{detail}</testcase>\n")
}

/// An attribute has one line.
fn attribute(text: &str) -> String {
    markup(&text.replace(['\n', '\r'], " "))
}

fn diagnostic(diagnostic: &dally_text::render::JsonDiagnostic) -> String {
    let place = diagnostic.location.as_ref().map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column));
    format!(
        "{}{}[{}]: {}\n",
        place.unwrap_or_default(),
        diagnostic.severity,
        diagnostic.code,
        diagnostic.message
    )
}
