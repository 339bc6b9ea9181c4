//! Diagnostics as text for people, and as data for machines.
//!
//! Source text is untrusted: control characters never reach the terminal, and only a window around each
//! place is shown, so that a line of megabytes stays readable.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceFile, SourceMap, Span};

/// Shows a diagnostic with the source text that it speaks of.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let code = diagnostic.code.to_string();
    let message = printable(&diagnostic.message);
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Unsupported => Level::ERROR.with_name("unsupported"),
    };
    let mut group = Group::with_title(level.primary_title(message.as_str()).id(code.as_str()));
    let excerpts = excerpts(sources, diagnostic);
    for excerpt in &excerpts {
        let mut snippet =
            Snippet::source(excerpt.text.as_str()).line_start(excerpt.line).path(excerpt.file.as_str());
        for mark in &excerpt.marks {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = (!mark.text.is_empty()).then_some(mark.text.as_str());
            snippet = snippet.annotation(kind.span(mark.range.clone()).label(label));
        }
        group = group.element(snippet);
    }
    let help = diagnostic.help.as_deref().map(printable);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut text = renderer.render(&[group]);
    for Excerpt { file, line, column, .. } in &excerpts {
        if let Some((shown, real)) = column {
            text = text.replacen(&format!("{file}:{line}:{shown}"), &format!("{file}:{line}:{real}"), 1);
        }
    }
    text.push('\n');
    text
}

/// Replaces what a terminal would act upon.
pub fn printable(text: &str) -> String {
    let dangerous = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if dangerous(c) { '\u{fffd}' } else { c }).collect()
}

/// Some lines of a file, with marks.
struct Excerpt {
    file: String,
    /// The number of the first line.
    line: usize,
    /// If the line was cut: the column of the place in the excerpt, and that in the file.
    column: Option<(usize, usize)>,
    text: String,
    marks: Vec<Mark>,
}

struct Mark {
    range: std::ops::Range<usize>,
    text: String,
    primary: bool,
}

/// One excerpt for each place, or for places close together.
fn excerpts(sources: &SourceMap, diagnostic: &Diagnostic) -> Vec<Excerpt> {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    if let Some(excerpt) = excerpt(sources, &diagnostic.primary, true) {
        excerpts.push(excerpt);
    }
    for label in &diagnostic.secondary {
        let Some(next) = excerpt(sources, label, false) else { continue };
        // On the same line as one before, and cut out the same way: one excerpt shows both.
        match excerpts.iter_mut().find(|e| e.file == next.file && e.line == next.line && e.text == next.text)
        {
            Some(same) => same.marks.extend(next.marks),
            None => excerpts.push(next),
        }
    }
    excerpts
}

/// How much of a long line is shown before and after a place, in bytes.
const WINDOW: usize = 60;
/// Lines up to this length are shown whole.
const LONG_LINE: usize = 240;

fn excerpt(sources: &SourceMap, label: &Label, primary: bool) -> Option<Excerpt> {
    let file = sources.file_of(label.span)?;
    let (line, range) = first_line(file, label.span)?;
    let whole = file.line_range(line)?;
    let shown = if whole.len() <= LONG_LINE {
        whole.clone()
    } else {
        let start = floor_boundary(&file.text, range.start.saturating_sub(WINDOW).max(whole.start));
        let end = floor_boundary(&file.text, (range.start + 2 * WINDOW).min(whole.end));
        start..end
    };
    let mut text = printable(file.text[shown.start..shown.end].trim_end_matches('\r'));
    // Bytes and characters move apart where a character was replaced: count again.
    let moved =
        |offset: usize| printable(&file.text[shown.start..offset.clamp(shown.start, shown.end)]).len();
    let (mut start, mut end) = (moved(range.start), moved(range.end));
    if shown.start > whole.start {
        text.insert(0, '…');
        (start, end) = (start + '…'.len_utf8(), end + '…'.len_utf8());
    }
    if shown.end < whole.end {
        text.push('…');
    }
    // A place in the line break that was cut off is at the end of the line.
    let start = start.min(text.len());
    let end = end.clamp(start, text.len());
    let marks = vec![Mark { range: start..end, text: printable(&label.text), primary }];
    let column =
        (shown != whole).then(|| (text[..start].chars().count() + 1, file.line_column(label.span.start).1));
    Some(Excerpt { file: printable(&file.name), line, column, text, marks })
}

/// The line on which a span begins, and the part of the span on that line, in bytes of the file.
fn first_line(file: &SourceFile, span: Span) -> Option<(usize, std::ops::Range<usize>)> {
    let (line, _) = file.line_column(span.start);
    let whole = file.line_range(line)?;
    let local = |offset: u32| offset.saturating_sub(file.start) as usize;
    let start = local(span.start).clamp(whole.start, whole.end);
    let end = local(span.end).clamp(start, whole.end);
    Some((line, start..end))
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    (0..=offset).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// A diagnostic for machines.
#[derive(Clone, Debug, Serialize)]
pub struct JsonDiagnostic {
    /// The stable code, `E0201`.
    pub code: String,
    /// `error` or `unsupported`.
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// Where; absent if it is about no place in particular.
    pub location: Option<JsonLocation>,
    /// Other places that matter.
    pub related: Vec<JsonLabel>,
    /// What to do about it.
    pub help: Option<String>,
}

/// A place, with a remark.
#[derive(Clone, Debug, Serialize)]
pub struct JsonLabel {
    /// Where.
    pub location: JsonLocation,
    /// The remark.
    pub message: String,
}

/// A range in a file. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, Serialize)]
pub struct JsonLocation {
    /// The file, as it was named.
    pub file: String,
    /// The line on which it begins.
    pub line: usize,
    /// The column at which it begins.
    pub column: usize,
    /// The line on which it ends.
    pub end_line: usize,
    /// The column at which it ends.
    pub end_column: usize,
}

/// A diagnostic as data.
pub fn to_json(sources: &SourceMap, diagnostic: &Diagnostic) -> JsonDiagnostic {
    JsonDiagnostic {
        code: diagnostic.code.to_string(),
        severity: diagnostic.severity().word(),
        message: diagnostic.message.clone(),
        location: location(sources, diagnostic.primary.span),
        related: diagnostic
            .secondary
            .iter()
            .filter_map(|l| Some(JsonLabel { location: location(sources, l.span)?, message: l.text.clone() }))
            .collect(),
        help: diagnostic.help.clone(),
    }
}

fn location(sources: &SourceMap, span: Span) -> Option<JsonLocation> {
    let file = sources.file_of(span)?;
    let (line, column) = file.line_column(span.start);
    let (end_line, end_column) = file.line_column(span.end);
    Some(JsonLocation { file: file.name.clone(), line, column, end_line, end_column })
}
