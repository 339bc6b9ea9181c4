//! Trace files: checking the destination, writing and reading.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use dally_report::ci::{self, Case};
use dally_text::source::SourceMap;
use dally_trace::{Look, Source, Trace};

use crate::cli::{CArgs, CaseFiles, MODULAR, ProgramArgs, TraceFiles};
use crate::input::tidy;
use crate::output::{self, Exit};

/// Why a trace cannot be written to one of these files, each with its flag, if so. Checked before a search, which may
/// take long.
pub(crate) fn cannot_go_to<'a>(
    program: &ProgramArgs,
    mut files: impl Iterator<Item = (&'static str, &'a str)>,
) -> Option<String> {
    let same = |file: &str, other: &str| {
        let paths = (std::fs::canonicalize(file), std::fs::canonicalize(other));
        matches!(paths, (Ok(path), Ok(other)) if path == other)
    };
    files.find_map(|(flag, file)| match file {
        "-" if flag == "--trace" => {
            Some("--trace: `-` is not a file; --json writes the trace to standard output".to_owned())
        }
        "-" => Some(format!("{flag}: `-` is not a file; dally show writes to standard output")),
        "" => Some(format!("{flag}: the name of the file is empty")),
        file if program.files.iter().any(|program| same(program, file)) => {
            Some(format!("{flag}: `{file}` is the program"))
        }
        file => no_file_at(file).map(|error| cannot_write(file, &error)),
    })
}

/// Why no file can be created there, as far as that is known without creating it.
fn no_file_at(file: &str) -> Option<std::io::Error> {
    let path = Path::new(file);
    if path.is_dir() {
        return Some(ErrorKind::IsADirectory.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(ErrorKind::NotADirectory.into()),
        Err(error) => Some(error),
    }
}

fn cannot_write(file: &str, error: &std::io::Error) -> String {
    format!("cannot write `{file}`: {error}")
}

/// Writes a trace to files, or reports why not. The exit code stays that of the bug, which has been shown.
pub(crate) fn write_or_complain(trace: &Trace, sources: &SourceMap, files: &TraceFiles) {
    if let Some(file) = &files.trace {
        let mut trace = trace.clone();
        trace.program.relative = relative(&trace.program.files, file).unwrap_or_default();
        write(file, &dally_trace::json(&trace));
    }
    if let Some(file) = &files.html {
        write(file, &dally_trace::html(trace, sources, &Look::default()));
    }
}

/// Writes reports for continuous integration, or reports why not.
pub(crate) fn write_cases(files: &CaseFiles, command: &str, cases: &[Case<'_>]) {
    if let Some(file) = &files.junit {
        write(file, &ci::junit(command, cases));
    }
    if let Some(file) = &files.sarif {
        write(file, &ci::sarif(env!("CARGO_PKG_VERSION"), cases));
    }
}

/// Writes a file, or reports why not.
pub(crate) fn write(file: &str, text: &str) -> Exit {
    match std::fs::write(file, text) {
        Ok(()) => Exit::Success,
        Err(error) => output::complain(&cannot_write(file, &error)),
    }
}

/// Reads a trace from a file.
pub(crate) fn read(file: &str) -> Result<Trace, String> {
    let json = std::fs::read(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
    dally_trace::from_json(&json).map_err(|e| format!("`{file}` {e}"))
}

/// The files of a program, relative to the folder of the trace file: a project can be moved with its traces.
fn relative(files: &[String], trace: &str) -> Option<Vec<String>> {
    let folder = std::fs::canonicalize(folder_of(trace)).ok()?;
    let relative = |file: &String| {
        let file = std::fs::canonicalize(file).ok()?;
        let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let up = folder.components().skip(common).map(|_| Component::ParentDir);
        let path: PathBuf = up.chain(file.components().skip(common)).collect();
        path.to_str().map(|path| if path.is_empty() { "." } else { path }.to_owned())
    };
    files.iter().map(relative).collect()
}

fn folder_of(file: &str) -> &Path {
    let folder = Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The program of a trace, as flags of the command line.
pub(crate) fn arguments(file: &str, trace: &Trace) -> Result<ProgramArgs, String> {
    let (modular, flags): (Vec<String>, Vec<String>) =
        trace.program.flags.iter().cloned().partition(|flag| flag == MODULAR);
    Ok(ProgramArgs {
        files: locate(file, &trace.program),
        entry: trace.program.entry.clone(),
        preempt: trace.program.preempt,
        test: trace.program.test.clone(),
        modular: !modular.is_empty(),
        monomorphic: trace.solved,
        c: CArgs::of_trace(&flags)?,
    })
}

/// Finds the files of a trace: relative to the trace, then in the current folder.
fn locate(trace: &str, program: &Source) -> Vec<String> {
    let near = |named: &String, relative: &String| {
        let path = folder_of(trace).join(relative);
        let Ok(found) = std::fs::canonicalize(&path) else { return named.clone() };
        match std::fs::canonicalize(named) {
            // The name that the user has given says more than a path through other folders.
            Ok(here) if here == found => named.clone(),
            _ => tidy(&path).display().to_string(),
        }
    };
    // Older traces have no paths relative to themselves.
    let relative =
        if program.relative.len() == program.files.len() { &program.relative } else { &program.files };
    let pairs = program.files.iter().zip(relative);
    pairs.map(|(named, relative)| if named == "-" { named.clone() } else { near(named, relative) }).collect()
}
