//! `dally print`: check a program and print it in canonical form.

use dally_bpl::Program;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use serde::Serialize;

use crate::cli::Print;
use crate::input;
use crate::output::{self, Exit};
use crate::p;

/// What `dally print --json` writes, and `dally sequentialize --json`.
#[derive(Serialize)]
struct Report {
    /// `ok`, `error` or `unsupported`.
    verdict: &'static str,
    /// The program in canonical form, if it is without errors.
    program: Option<String>,
    diagnostics: Vec<dally_text::render::JsonDiagnostic>,
}

pub(crate) fn run(arguments: &Print) -> Exit {
    show(&arguments.files, arguments.json, |program| Ok(dally_bpl::print(&program.ast)))
}

/// Reads a program, and prints the text that is made of it, or what is wrong with it.
pub(crate) fn show(
    files: &[String],
    json: bool,
    make: impl FnOnce(&Program) -> Result<String, Vec<Diagnostic>>,
) -> Exit {
    if p::is_p(files) {
        return output::complain("P programs are for `dally check`; this command reads Boogie programs");
    }
    let sources = match input::read(files) {
        Ok(sources) => sources,
        Err(error) => {
            let (sources, diagnostic) = error.into_diagnostic();
            return report_errors(json, &sources, &[diagnostic]);
        }
    };
    let made = dally_bpl::load(&sources).and_then(|program| Ok((make(&program)?, program.warnings)));
    match made {
        Err(diagnostics) => report_errors(json, &sources, &diagnostics),
        Ok((text, warnings)) if json => {
            let diagnostics = output::json(&sources, &warnings);
            output::write_json(&Report { verdict: "ok", program: Some(text), diagnostics })
        }
        Ok((text, warnings)) => {
            output::warn(&sources, &warnings);
            output::stdout(text.as_bytes())
        }
    }
}

fn report_errors(json: bool, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
    if !json {
        return output::show(sources, diagnostics);
    }
    let exit = output::exit_of(diagnostics);
    let verdict = exit.word();
    let report = Report { verdict, program: None, diagnostics: output::json(sources, diagnostics) };
    output::exit_after(output::write_json(&report), exit)
}
