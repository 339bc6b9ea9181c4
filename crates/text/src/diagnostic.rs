//! What is wrong with a program, as data.
//!
//! Every diagnostic has a stable [`Code`]; `docs/diagnostics.md` lists them all. How it looks on a terminal
//! is the business of [`crate::render`].

use crate::code::{Code, Severity};
use crate::source::Span;

/// A piece of source text with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The text.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// Something that the user should know about the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of thing it is.
    pub code: Code,
    /// One sentence, without a full stop.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it, where that is obvious.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without remarks.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: bounded(message.into()),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Adds a remark at the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = bounded(text.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn with(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: bounded(text.into()) });
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(bounded(text.into()));
        self
    }

    /// Adds what to do about it, if there is something.
    #[must_use]
    pub fn maybe_help(mut self, text: Option<String>) -> Self {
        self.help = text.map(bounded).or(self.help);
        self
    }

    /// How grave it is.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The text with long names in backquotes cut: a name may have megabytes.
fn bounded(text: String) -> String {
    // More than any sentence of ours, and than a type that has been cut already.
    const MOST: usize = 300;
    if text.len() <= MOST {
        return text;
    }
    let cut = |part: &str, most: usize| match part.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &part[..end]),
        None => part.to_owned(),
    };
    // A backquote may be part of a name.
    cut(&text.split('`').map(|part| cut(part, MOST)).collect::<Vec<_>>().join("`"), 10 * MOST)
}

/// The diagnostics of a run: all that were found, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// No input makes us collect more than this many: nobody reads them, and each needs memory.
    pub const LIMIT: usize = 1000;

    /// Adds one, unless the limit is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::LIMIT {
            self.list.push(diagnostic);
        }
    }

    /// Whether no more will be taken.
    pub fn is_full(&self) -> bool {
        self.list.len() >= Self::LIMIT
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing stands in the way of using the program.
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

/// "did you mean", if one of the candidates is close to what was written.
pub fn did_you_mean<'a>(written: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    // Nobody misspells a name of 100 letters by chance, and comparing costs the product of the lengths.
    if written.len() > 100 {
        return None;
    }
    // Any two names of one or two letters are close.
    let allowed = (written.chars().count() / 3).min(4);
    candidates
        .filter(|c| c.len().abs_diff(written.len()) <= allowed && *c != written)
        .map(|c| (strsim::osa_distance(written, c), c))
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
