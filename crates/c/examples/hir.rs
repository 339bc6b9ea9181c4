//! Reads preprocessed files and prints the typed tree, or the errors: `hir [--quiet] [--lower] file.i…`.

use std::process::ExitCode;

use dally_c::library::{LibraryOptions, prelude};
use dally_c::{LowerOptions, ParseOptions, Unit};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for developers")]
fn main() -> ExitCode {
    let mut units = Vec::new();
    let (mut quiet, mut lower) = (false, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quiet" => quiet = true,
            "--lower" => lower = true,
            path => match std::fs::read_to_string(path) {
                Ok(text) => units.push(Unit { name: argument, text }),
                Err(error) => {
                    eprintln!("{path}: {error}");
                    return ExitCode::FAILURE;
                }
            },
        }
    }
    let mut sources = SourceMap::default();
    let (diagnostics, failed) = match run(&units, &mut sources, lower) {
        Ok((text, warnings)) => {
            if !quiet {
                print!("{text}");
            }
            (warnings, false)
        }
        Err(diagnostics) => (diagnostics, true),
    };
    for diagnostic in &diagnostics {
        let place = sources.location(diagnostic.primary.span).map_or(String::new(), |l| l.to_string());
        let text = sources.text(diagnostic.primary.span).unwrap_or("?");
        let (word, message) = (diagnostic.severity().word(), &diagnostic.message);
        eprintln!("{place}: {word} {}: {message} [{text}]", diagnostic.code);
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(
    units: &[Unit],
    sources: &mut SourceMap,
    lower: bool,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut read = |name: &str| Some(std::fs::read_to_string(name).unwrap_or_default());
    let library = LibraryOptions::of(units.iter().map(|unit| unit.text.as_str()));
    let library = [Unit { name: "library".to_owned(), text: prelude(&library) }];
    let options = ParseOptions { prelude: &library, ..ParseOptions::default() };
    let parsed = dally_c::parse(units, sources, &mut read, &options)?;
    if lower {
        let lowered = dally_c::lower(&parsed.program, &LowerOptions::default())?;
        return Ok((dally_bpl::print(&lowered.program.ast), parsed.warnings));
    }
    Ok((dally_c::dump::program(&parsed.program), parsed.warnings))
}
