//! The error output of the compiler as diagnostics.

use dally_c::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};

use super::Allowed;
use crate::input::Rejected;

/// An error that is not in the program.
pub(super) fn rejected(message: String) -> Rejected {
    let diagnostic = Diagnostic::new(codes::PREPROCESSOR, Span::NONE, message);
    Rejected { sources: SourceMap::default(), diagnostics: vec![diagnostic] }
}

/// Headers, or a copy of a file, cannot be written.
pub(super) fn not_written(error: &std::io::Error) -> Rejected {
    rejected(format!("the folder for temporary files cannot be used: {error}"))
}

/// One line of the error output: `file:line:column: error: message`.
struct Message<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

fn message(line: &str) -> Option<Message<'_>> {
    let (place, text) = [": fatal error: ", ": error: "].iter().find_map(|mark| line.split_once(mark))?;
    let mut parts = place.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
    match (first, middle.and_then(|m| m.parse().ok()), last.parse().ok()) {
        (Some(file), Some(line), Some(column)) => Some(Message { file, line, column, text }),
        // Some compilers name no column.
        (_, _, Some(line)) => {
            let file = place.strip_suffix(last)?.strip_suffix(':')?;
            Some(Message { file, line, column: 1, text })
        }
        _ => None,
    }
}

/// The errors of the compiler, at their places in the program.
pub(super) fn of_compiler(file: &str, errors: &str, allowed: &Allowed) -> Rejected {
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    for found in errors.lines().filter_map(message) {
        let span = span(&mut sources, &found, allowed);
        let diagnostic = Diagnostic::new(codes::PREPROCESSOR, span, found.text);
        let missing =
            found.text.ends_with("No such file or directory") || found.text.contains("file not found");
        let help = "dally has its own headers for the C library and POSIX threads; -I names folders of other headers";
        diagnostics.push(diagnostic.maybe_help(missing.then(|| help.to_owned())));
    }
    if diagnostics.is_empty() {
        let said: String = errors.lines().last().unwrap_or("it says nothing").chars().take(300).collect();
        return rejected(format!("`{file}` cannot be preprocessed: {said}"));
    }
    Rejected { sources, diagnostics }
}

/// The place of a message: from its column to the end of the word or the string there.
fn span(sources: &mut SourceMap, message: &Message<'_>, allowed: &Allowed) -> Span {
    let known = sources.files().iter().position(|file| file.name == message.file);
    let index = known.or_else(|| sources.add(message.file, allowed.read(message.file)?).ok());
    let Some(file) = index.map(|index| &sources.files()[index]) else { return Span::NONE };
    let Some(range) = file.line_range(message.line) else { return Span::NONE };
    let text = &file.text[range.clone()];
    // Columns count bytes.
    let column =
        (0..=message.column.saturating_sub(1).min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let column = column.unwrap_or(0);
    let word = text[column..].find(char::is_whitespace).unwrap_or(text.len() - column).max(1);
    let start = range.start + column;
    let end = (start + word).min(range.end.max(start));
    Span::new(file.start + start as u32, file.start + end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_compilers_are_read() {
        let read = |line| message(line).map(|m| (m.file, m.line, m.column, m.text));
        assert_eq!(
            read("a.c:3:10: fatal error: x.h: No such file"),
            Some(("a.c", 3, 10, "x.h: No such file"))
        );
        assert_eq!(read("a.c:3: error: #error no"), Some(("a.c", 3, 1, "#error no")));
        assert_eq!(read("a.c:3:1: warning: w"), None);
        assert_eq!(read("compilation terminated."), None);
    }
}
