//! `dally replay FOLDER`: saved traces as regression tests.

use std::path::{Path, PathBuf};

use dally_text::render::printable;
use dally_trace::Kind;
use serde::Serialize;

use crate::output::{self, Exit};
use crate::own::OwnSchedulers;
use crate::replay::{ReplayOutcome, replay};

/// The result of replaying one trace, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// The program still fails in this way.
    Fails,
    /// It fails in another way.
    Differs,
    Passes,
    /// The trace cannot be followed.
    Lost,
}

impl Outcome {
    const ALL: [Outcome; 4] = [Outcome::Fails, Outcome::Differs, Outcome::Passes, Outcome::Lost];

    /// The outcome of one trace, and of several.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Outcome::Fails => ("still fails", "still fail"),
            Outcome::Differs => ("fails differently", "fail differently"),
            Outcome::Passes => ("passes now", "pass now"),
            Outcome::Lost => ("cannot be followed", "cannot be followed"),
        }
    }
}

/// The result for one trace.
#[derive(Serialize)]
struct Row {
    file: String,
    outcome: Outcome,
    /// The failure, or the reason why the trace cannot be followed; empty if it passes.
    message: String,
}

/// The object that `dally replay --json` prints.
#[derive(Serialize)]
struct Json<'a> {
    traces: &'a [Row],
    summary: &'a str,
}

/// Replays traces, and all traces in folders. Any that still fails makes the exit code that of a bug.
pub(crate) fn run(given: &[String], json: bool, own: &OwnSchedulers) -> Exit {
    let files = match files(given) {
        Ok(files) => files,
        Err(message) => return output::complain(&message),
    };
    let rows: Vec<Row> = files.into_iter().map(|file| row(file, own)).collect();
    let summary = summary(&rows);
    let written = if json {
        output::write_json(&Json { traces: &rows, summary: &summary })
    } else {
        let lines: String = rows.iter().map(line).collect();
        output::stdout(format!("{lines}{summary}\n").as_bytes())
    };
    output::exit_after(written, exit(&rows))
}

/// The traces among the given files, and in the given folders and their subfolders.
fn files(given: &[String]) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for name in given {
        let path = Path::new(name);
        if !path.is_dir() {
            files.push(name.clone());
            continue;
        }
        let mut found = Vec::new();
        find(path, &mut found).map_err(|error| format!("cannot read `{name}`: {error}"))?;
        if found.is_empty() {
            return Err(format!("there are no traces (files `.json`) in `{name}`"));
        }
        found.sort();
        files.extend(found.iter().map(|path| path.display().to_string()));
    }
    Ok(files)
}

/// Adds the files `.json` below a folder. Links to folders are not followed, since they can form cycles.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "json") && !path.is_dir() {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn row(file: String, own: &OwnSchedulers) -> Row {
    let (outcome, message) = match replay(&file, own).replayed {
        ReplayOutcome::Fails { trace, remark } if trace.failure.kind == Kind::Path => {
            (Outcome::Passes, trace.failure.message + &remark)
        }
        ReplayOutcome::Fails { trace, remark } => (Outcome::Fails, trace.failure.message + &remark),
        ReplayOutcome::Differs { trace } => (Outcome::Differs, trace.failure.message),
        ReplayOutcome::Passes => (Outcome::Passes, String::new()),
        ReplayOutcome::Lost(message) => (Outcome::Lost, message),
    };
    Row { file, outcome, message }
}

fn line(row: &Row) -> String {
    let (word, _) = row.outcome.words();
    let message = if row.message.is_empty() { String::new() } else { format!(": {}", row.message) };
    // A message may have several lines, and the name of a file, too.
    printable(&format!("{word:<18}  {}{message}", row.file).replace('\n', " ")) + "\n"
}

fn summary(rows: &[Row]) -> String {
    let parts = Outcome::ALL.iter().filter_map(|outcome| {
        let (one, many) = outcome.words();
        match rows.iter().filter(|row| row.outcome == *outcome).count() {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        }
    });
    let plural = if rows.len() == 1 { "" } else { "s" };
    format!("{} trace{plural}: {}", rows.len(), parts.collect::<Vec<_>>().join(", "))
}

fn exit(rows: &[Row]) -> Exit {
    let has = |outcome| rows.iter().any(|row| row.outcome == outcome);
    if has(Outcome::Fails) || has(Outcome::Differs) {
        Exit::Bug
    } else if has(Outcome::Lost) {
        Exit::Inconclusive
    } else {
        Exit::Success
    }
}
