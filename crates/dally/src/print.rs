//! `dally print`: check a program and print it in canonical form.

use dally_bpl::Program;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;
use serde::Serialize;

use crate::cli::{Print, ProgramArgs};
use crate::input::Rejected;
use crate::language::Language;
use crate::output::{self, Exit};

/// The output of `dally print --json` and `dally sequentialize --json`.
#[derive(Serialize)]
struct PrintJson {
    /// `ok`, `error` or `unsupported`.
    verdict: &'static str,
    /// The program in canonical form; none if it has errors.
    program: Option<String>,
    diagnostics: Vec<dally_text::render::JsonDiagnostic>,
}

pub(crate) fn run(arguments: &Print) -> Exit {
    let program =
        ProgramArgs { files: arguments.files.clone(), c: arguments.c.clone(), ..ProgramArgs::default() };
    show(&program, arguments.json, |program| Ok(dally_bpl::print(&program.ast)))
}

/// Loads a Boogie program and prints the text that `make` derives from it, or the errors.
pub(crate) fn show(
    arguments: &ProgramArgs,
    json: bool,
    make: impl FnOnce(&Program) -> Result<String, Vec<Diagnostic>>,
) -> Exit {
    let language = Language::of(&arguments.files);
    if let Some(message) = language.refuses(&arguments.c.given()) {
        return output::complain(&message);
    }
    if !language.is_boogie {
        let name = language.name;
        return output::complain(&format!(
            "this command reads Boogie programs; {name} programs are for `dally check`"
        ));
    }
    let loaded = match language.load(arguments) {
        Ok(loaded) => loaded,
        Err(Rejected { sources, diagnostics }) => return report_errors(json, &sources, &diagnostics),
    };
    let (sources, warnings) = (loaded.sources(), loaded.warnings());
    match loaded.boogie().map(make) {
        None => output::complain("the program was not lowered to Boogie"),
        Some(Err(diagnostics)) => report_errors(json, sources, &diagnostics),
        Some(Ok(text)) if json => {
            let diagnostics = output::json(sources, warnings);
            output::write_json(&PrintJson { verdict: "ok", program: Some(text), diagnostics })
        }
        Some(Ok(text)) => {
            output::warn(sources, warnings);
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
    let report = PrintJson { verdict, program: None, diagnostics: output::json(sources, diagnostics) };
    output::exit_after(output::write_json(&report), exit)
}
