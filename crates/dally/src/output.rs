//! Writing results, diagnostics and exit codes.

use std::io::Write;

pub(crate) use dally_explore::Exit;
use dally_text::code::Severity;
use dally_text::diagnostic::Diagnostic;
use dally_text::render::{self, JsonDiagnostic};
use dally_text::source::SourceMap;
use dally_trace::Look;
use terminal_size::Width;

/// The exit code for a program with these diagnostics.
pub(crate) fn exit_of(diagnostics: &[Diagnostic]) -> Exit {
    match diagnostics.iter().map(Diagnostic::severity).min() {
        None | Some(Severity::Warning) => Exit::Success,
        Some(Severity::Error) => Exit::Error,
        Some(Severity::Unsupported) => Exit::Inconclusive,
    }
}

/// Writes to standard output. A closed pipe is not an error.
pub(crate) fn stdout(bytes: &[u8]) -> Exit {
    write(std::io::stdout().lock(), bytes)
}

/// Writes a text to standard output, with its colours only on a terminal.
pub(crate) fn coloured(text: &str) -> Exit {
    if !text.contains('\x1b') {
        return stdout(text.as_bytes());
    }
    write(anstream::stdout().lock(), text.as_bytes())
}

/// The look of traces on standard output.
pub(crate) fn look() -> Look {
    let choice = anstream::AutoStream::choice(&std::io::stdout());
    let columns =
        terminal_size::terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| columns.into());
    Look { colours: choice != anstream::ColorChoice::Never, width: columns }
}

fn write(mut out: impl Write, bytes: &[u8]) -> Exit {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Exit::Success,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Exit::Success,
        Err(e) => complain(&format!("cannot write the output: {e}")),
    }
}

/// The exit of a command after its result was written: an error of writing comes first.
pub(crate) fn exit_after(written: Exit, exit: Exit) -> Exit {
    if written == Exit::Success { exit } else { written }
}

/// Shows the help, the version, or an error in the flags.
pub(crate) fn usage(message: &clap::Error) -> Exit {
    let text = message.render().ansi().to_string();
    if !message.use_stderr() {
        return coloured(&text);
    }
    // The error repeats the arguments of the user.
    let lines: Vec<String> = text.lines().map(shortened).collect();
    stderr(&format!("{}\n", lines.join("\n").trim_end()));
    Exit::Error
}

/// The first characters of a text that may be megabytes of input.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 2000;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reports an error without a location.
pub(crate) fn complain(message: &str) -> Exit {
    stderr(&format!("error: {}\n", render::printable(&shortened(message))));
    Exit::Error
}

/// Reports a warning without a location. It does not change the exit code.
pub(crate) fn remark(message: &str) {
    stderr(&format!("warning: {}\n", render::printable(&shortened(message))));
}

/// Reports a partial result, on standard error.
pub(crate) fn progress(message: &str) {
    stderr(&format!("{}\n", render::printable(&shortened(message))));
}

/// Writes to standard error, with colours only on a terminal.
fn stderr(text: &str) {
    // An error of standard error cannot be reported anywhere.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Diagnostics as text, without colours.
pub(crate) fn text(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render::render(sources, diagnostic, false)).collect()
}

/// Shows diagnostics as text.
pub(crate) fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
    // The summary counts the rest.
    const MOST: usize = 50;
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MOST) {
        text.push_str(&render::render(sources, diagnostic, true));
        text.push('\n');
    }
    text.push_str(&summary(diagnostics, MOST));
    stderr(&text);
    exit_of(diagnostics)
}

/// Shows warnings as text, if there are any.
pub(crate) fn warn(sources: &SourceMap, warnings: &[Diagnostic]) {
    if !warnings.is_empty() {
        show(sources, warnings);
    }
}

fn summary(diagnostics: &[Diagnostic], shown: usize) -> String {
    let count = |severity| diagnostics.iter().filter(|d| d.severity() == severity).count();
    let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let limit = dally_text::diagnostic::Diagnostics::LIMIT;
    let mut parts = Vec::new();
    match count(Severity::Error) {
        0 => {}
        n if n >= limit => parts.push(format!("{limit} errors or more")),
        n => parts.push(plural(n, "error", "errors")),
    }
    match count(Severity::Unsupported) {
        0 => {}
        n => parts.push(plural(n, "unsupported construct", "unsupported constructs")),
    }
    match count(Severity::Warning) {
        0 => {}
        n => parts.push(plural(n, "warning", "warnings")),
    }
    let rest = diagnostics.len().saturating_sub(shown);
    let hidden = if rest > 0 { format!(" ({rest} not shown)") } else { String::new() };
    format!("{}{hidden}\n", parts.join(", "))
}

/// Diagnostics as JSON.
pub(crate) fn json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<JsonDiagnostic> {
    diagnostics.iter().map(|d| render::to_json(sources, d)).collect()
}

/// Writes a value as one line of JSON.
pub(crate) fn write_json(value: &impl serde::Serialize) -> Exit {
    match serde_json::to_string(value) {
        Ok(line) => stdout(format!("{}\n", render::printable_json(&line)).as_bytes()),
        Err(e) => complain(&format!("cannot write JSON: {e}")),
    }
}
