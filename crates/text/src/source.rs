//! Source files and positions in them.
//!
//! All files of a program share one space of byte offsets, as in rustc: a [`Span`] takes eight bytes and needs no
//! file id, and the [`SourceMap`] finds the file when a diagnostic is rendered.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A range of bytes in the offset space of a [`SourceMap`]. Serialised as `[start, end]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// The span of generated code, which has no source text.
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// The span from `start` up to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        debug_assert!(start <= end);
        Span { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<(u32, u32)> for Span {
    fn from((start, end): (u32, u32)) -> Span {
        Span { start, end: end.max(start) }
    }
}

impl From<Span> for (u32, u32) {
    fn from(span: Span) -> Self {
        (span.start, span.end)
    }
}

/// A file: its name as given by the user, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown in diagnostics.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
    /// The offset of the first byte in the offset space.
    pub start: u32,
    /// The offsets within the file at which lines begin.
    line_starts: Vec<u32>,
}

/// The error for a file that exceeds the limit of 4 GiB for all files of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// A position in a file; lines and columns count from 1. It prints as `file:line:column`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Location {
    /// The file, as it was named on the command line.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The files of a program, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its index.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Result<usize, TooLarge> {
        let text = text.into();
        // Offset 0 belongs to no file, so that `Span::NONE` has no position.
        let start = self.files.last().map_or(1, |f| f.start as usize + f.text.len() + 1);
        if start + text.len() >= u32::MAX as usize {
            return Err(TooLarge);
        }
        let mut line_starts = vec![0];
        line_starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1));
        self.files.push(SourceFile { name: name.into(), text, start: start as u32, line_starts });
        Ok(self.files.len() - 1)
    }

    /// The files.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file in which the span begins.
    pub fn file_of(&self, span: Span) -> Option<&SourceFile> {
        let i = self.files.partition_point(|f| f.start <= span.start);
        self.files.get(i.checked_sub(1)?)
    }

    /// The position at which the span begins; none if the span is in no file.
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file_of(span)?;
        let LineColumn { line, column } = file.line_column(span.start);
        Some(Location { file: file.name.clone(), line, column })
    }

    /// The text of the span, if it lies within one file.
    pub fn text(&self, span: Span) -> Option<&str> {
        let file = self.file_of(span)?;
        file.text.get((span.start - file.start) as usize..(span.end - file.start) as usize)
    }
}

/// A position in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl SourceFile {
    /// The position in this file of an offset in the space of all files.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let local = (offset.saturating_sub(self.start) as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&s| s as usize <= local);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text.get(start..local).map_or(0, |s| s.chars().count()) + 1;
        LineColumn { line, column }
    }

    /// The byte range within this file's text of a line, counted from 1, without its line break.
    pub fn line_range(&self, line: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.line_starts.get(line.checked_sub(1)?)? as usize;
        let end = self.line_starts.get(line).map_or(self.text.len(), |&e| e as usize - 1);
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_across_files() {
        let mut map = SourceMap::default();
        map.add("a", "x\ny").unwrap();
        map.add("b", "é\n\nzz").unwrap();
        let b = map.files()[1].start;
        assert_eq!(
            map.location(Span::new(3, 4)),
            Some(Location { file: "a".to_owned(), line: 2, column: 1 })
        );
        assert_eq!(
            map.location(Span::new(b + 2, b + 2)),
            Some(Location { file: "b".to_owned(), line: 1, column: 2 })
        );
        assert_eq!(
            map.location(Span::new(b + 5, b + 6)),
            Some(Location { file: "b".to_owned(), line: 3, column: 2 })
        );
        assert_eq!(map.text(Span::new(b + 4, b + 6)), Some("zz"));
        assert_eq!(map.location(Span::NONE), None);
    }
}
