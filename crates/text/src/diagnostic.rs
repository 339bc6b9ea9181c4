//! Diagnostics: errors and warnings as data.
//!
//! Every diagnostic has a stable [`Code`]; `docs/diagnostics.md` lists them all. [`crate::render`] turns diagnostics
//! into text and JSON.

use crate::code::{Code, Severity};
use crate::source::Span;

/// A span with an annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The annotation; may be empty.
    pub text: String,
}

/// An error or warning about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Its code, which determines the severity.
    pub code: Code,
    /// One sentence, without a full stop.
    pub message: String,
    /// The primary span.
    pub primary: Label,
    /// Related spans.
    pub secondary: Vec<Label>,
    /// A suggestion, if there is an obvious one.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without annotations and help.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: bounded(message.into()),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Sets the annotation of the primary span.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = bounded(text.into());
        self
    }

    /// Adds a related span.
    #[must_use]
    pub fn with(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: bounded(text.into()) });
        self
    }

    /// Sets the suggestion.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(bounded(text.into()));
        self
    }

    /// Sets the suggestion, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.map(bounded).or(self.help);
        self
    }

    /// The severity of its code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// Truncates the long parts of a message, such as names in backquotes: a name can be megabytes long.
fn bounded(text: String) -> String {
    // Longer than every fixed message, and than a type that is already truncated.
    const MOST: usize = 300;
    if text.len() <= MOST {
        return text;
    }
    let cut = |part: &str, most: usize| match part.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &part[..end]),
        None => part.to_owned(),
    };
    // Names can contain backquotes.
    cut(&text.split('`').map(|part| cut(part, MOST)).collect::<Vec<_>>().join("`"), 10 * MOST)
}

/// The diagnostics of a pass, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The maximal number of diagnostics, which bounds time and memory on malformed input.
    pub const LIMIT: usize = 1000;

    /// Adds a diagnostic, unless the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Returns true if the limit is reached.
    pub fn is_full(&self) -> bool {
        self.list.len() >= Self::LIMIT
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if all diagnostics are warnings, so that the program can be used.
    pub fn are_warnings(&self) -> bool {
        self.list.iter().all(|d| d.severity() == Severity::Warning)
    }

    /// The diagnostics in the order of the text.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| (d.primary.span, d.code.number()));
        self.list
    }

    /// The diagnostics in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

/// The number of slips (insertions, deletions, replacements, transpositions) between two names, which should be short.
pub fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}

/// A suggestion ("did you mean …"), if one of the candidates is close to the written name.
pub fn did_you_mean<'a>(written: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    // Edit distance takes time proportional to the product of the lengths.
    if written.len() > 100 {
        return None;
    }
    // The tolerance grows with the length: all names of one or two letters are close to each other.
    let allowed = (written.chars().count() / 3).min(4);
    candidates
        .filter(|c| c.len().abs_diff(written.len()) <= allowed && *c != written)
        .map(|c| (distance(written, c), c))
        .filter(|(d, _)| *d <= allowed)
        .min()
        .map(|(_, c)| format!("did you mean `{c}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested() {
        assert_eq!(
            did_you_mean("blance", ["total", "balance"].into_iter()),
            Some("did you mean `balance`?".into())
        );
        assert_eq!(did_you_mean("x", ["total"].into_iter()), None);
    }
}
