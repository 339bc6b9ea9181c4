//! Rendering of diagnostics as text and as JSON.
//!
//! Source text is untrusted: control characters are replaced, and of long lines only a window around each span is
//! shown.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use crate::code::Severity;
use crate::diagnostic::{Diagnostic, Label};
use crate::source::{SourceFile, SourceMap, Span};

/// Renders a diagnostic with excerpts of the source text.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let code = diagnostic.code.to_string();
    let message = printable(&diagnostic.message);
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Unsupported => Level::ERROR.with_name("unsupported"),
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(message.as_str()).id(code.as_str()));
    let excerpts = excerpts(sources, diagnostic);
    for (i, excerpt) in excerpts.iter().enumerate() {
        group = group.element(excerpt.snippet().path(marker(i)));
    }
    let help = diagnostic.help.as_deref().map(printable);
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let mut text = renderer.render(&[group]);
    for (i, excerpt) in excerpts.iter().enumerate() {
        text = with_place(&text, &marker(i), excerpt);
    }
    text.push('\n');
    text
}

/// A placeholder for a file name while the excerpt is laid out; no printable text contains it.
fn marker(index: usize) -> String {
    format!("\u{1}{index}\u{1}")
}

/// Replaces a marker, and the position after it, by the position of the excerpt. The layout cannot know the true
/// column, since the excerpt may be a window of its line with characters replaced.
fn with_place(text: &str, marker: &str, excerpt: &Excerpt) -> String {
    let Some((before, after)) = text.split_once(marker) else { return text.to_owned() };
    let after = after.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    let Excerpt { file, line, column, .. } = excerpt;
    format!("{before}{file}:{line}:{column}{after}")
}

/// The replacement of a tab.
const TAB: &str = "    ";

/// Replaces characters that a terminal would interpret.
pub fn printable(text: &str) -> String {
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n')) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str(TAB),
            c if is_dangerous(c) => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

/// A text in XML and HTML, also inside of quoted attributes. Control characters, and those that change the direction of
/// text, are replaced.
pub fn markup(text: &str) -> String {
    printable(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Escapes characters that a terminal would interpret in the text of a JSON value, which keeps its meaning.
pub fn printable_json(json: &str) -> String {
    if !json.chars().any(is_dangerous) {
        return json.to_owned();
    }
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        // JSON has such characters only inside of strings, and all of them have 16 bits.
        if is_dangerous(c) { shown.push_str(&format!("\\u{:04x}", c as u32)) } else { shown.push(c) }
    }
    shown
}

/// Returns true for control characters, and for characters that are invisible or change the direction of text.
fn is_dangerous(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A line of a file, or a window of it, with marked spans.
struct Excerpt {
    file: String,
    /// The number of the first line.
    line: usize,
    /// The column of the first mark, in the line of the file.
    column: usize,
    /// The span of the shown text.
    shown: Span,
    text: String,
    marks: Vec<Mark>,
}

impl Excerpt {
    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let mut snippet = Snippet::source(self.text.as_str()).line_start(self.line);
        for mark in &self.marks {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = (!mark.text.is_empty()).then_some(mark.text.as_str());
            snippet = snippet.annotation(kind.span(mark.range.clone()).label(label));
        }
        snippet
    }
}

struct Mark {
    range: Range<usize>,
    text: String,
    primary: bool,
}

/// One excerpt for each span; spans with the same window share one.
fn excerpts(sources: &SourceMap, diagnostic: &Diagnostic) -> Vec<Excerpt> {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    if let Some(excerpt) = excerpt(sources, &diagnostic.primary, true) {
        excerpts.push(excerpt);
    }
    for label in &diagnostic.secondary {
        let Some(next) = excerpt(sources, label, false) else { continue };
        // An earlier excerpt shows the same window: add the mark to it.
        match excerpts.iter_mut().find(|e| e.shown == next.shown) {
            Some(same) => same.marks.extend(next.marks),
            None => excerpts.push(next),
        }
    }
    excerpts
}

/// The size of the window before and after a span in a long line, in bytes.
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
    // Replaced characters have other lengths: recompute the offsets.
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
    // A span in the line break, which was removed, moves to the end of the line.
    let start = start.min(text.len());
    let end = end.clamp(start, text.len());
    let marks = vec![Mark { range: start..end, text: printable(&label.text), primary }];
    let column = file.line_column(label.span.start).column;
    let shown = Span::new(file.start + shown.start as u32, file.start + shown.end as u32);
    Some(Excerpt { file: printable(&file.name), line, column, shown, text, marks })
}

/// The line on which a span begins, and the part of the span on that line, in bytes of the file.
fn first_line(file: &SourceFile, span: Span) -> Option<(usize, Range<usize>)> {
    let line = file.line_column(span.start).line;
    let whole = file.line_range(line)?;
    let local = |offset: u32| offset.saturating_sub(file.start) as usize;
    let start = local(span.start).clamp(whole.start, whole.end);
    let end = local(span.end).clamp(start, whole.end);
    Some((line, start..end))
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    (0..=offset).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// A diagnostic as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct JsonDiagnostic {
    /// The stable code, `E0201`.
    pub code: String,
    /// `error`, `unsupported` or `warning`.
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// The primary location; absent if the diagnostic has no span.
    pub location: Option<JsonLocation>,
    /// Other places that matter.
    pub related: Vec<JsonLabel>,
    /// A suggestion.
    pub help: Option<String>,
}

/// A location with an annotation.
#[derive(Clone, Debug, Serialize)]
pub struct JsonLabel {
    /// The location.
    pub location: JsonLocation,
    /// The annotation.
    pub message: String,
}

/// A range in a file. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, Serialize)]
pub struct JsonLocation {
    /// The file name as given by the user.
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

/// Converts a diagnostic to JSON.
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
    let (start, end) = (file.line_column(span.start), file.line_column(span.end));
    Some(JsonLocation {
        file: file.name.clone(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    })
}
