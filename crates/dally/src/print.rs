//! `dally print`: check a program and print it in canonical form.

use serde::Serialize;

use crate::cli::Print;
use crate::input;
use crate::output::{self, Exit};

/// What `dally print --json` writes.
#[derive(Serialize)]
struct Report {
    /// `ok`, `error` or `unsupported`.
    verdict: &'static str,
    /// The program in canonical form, if it is without errors.
    program: Option<String>,
    diagnostics: Vec<dally_bpl::render::JsonDiagnostic>,
}

pub(crate) fn run(arguments: &Print) -> Exit {
    let sources = match input::read(&arguments.files) {
        Ok(sources) => sources,
        Err(error) => {
            let (sources, diagnostic) = error.into_diagnostic();
            return report_errors(arguments, &sources, &[diagnostic]);
        }
    };
    match dally_bpl::load(&sources) {
        Err(diagnostics) => report_errors(arguments, &sources, &diagnostics),
        Ok(program) => {
            let text = dally_bpl::print(&program.ast);
            if arguments.json {
                let diagnostics = output::json(&sources, &program.warnings);
                output::write_json(&Report { verdict: "ok", program: Some(text), diagnostics })
            } else {
                output::warn(&sources, &program.warnings);
                output::stdout(text.as_bytes())
            }
        }
    }
}

fn report_errors(
    arguments: &Print,
    sources: &dally_bpl::source::SourceMap,
    diagnostics: &[dally_bpl::diagnostic::Diagnostic],
) -> Exit {
    if !arguments.json {
        return output::show(sources, diagnostics);
    }
    let exit = Exit::of(diagnostics);
    let verdict = if exit == Exit::Inconclusive { "unsupported" } else { "error" };
    let report = Report { verdict, program: None, diagnostics: output::json(sources, diagnostics) };
    output::exit_after(output::write_json(&report), exit)
}
