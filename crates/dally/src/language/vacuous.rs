//! Warnings about verdicts that are vacuous.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;

/// The statements that make a verdict without a bug vacuous, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Vacuous {
    /// The assertions that no execution has reached.
    pub(crate) unreached: Vec<Span>,
    /// The assumptions that have discarded every execution that reached them.
    pub(crate) discarding: Vec<Span>,
}

/// The places that one warning shows.
const MOST: usize = 4;

impl Vacuous {
    /// One warning of each kind.
    pub(crate) fn warnings(&self) -> Vec<Diagnostic> {
        let discarding = "every execution that reaches this assumption is discarded";
        let unreached = "no explored execution reaches this assertion";
        let discarding = warning(Code::DISCARDS_ALL, discarding, &self.discarding);
        let unreached = warning(Code::NEVER_REACHED, unreached, &self.unreached);
        discarding.into_iter().chain(unreached).collect()
    }
}

fn warning(code: Code, message: &str, spans: &[Span]) -> Option<Diagnostic> {
    let (first, others) = spans.split_first()?;
    let message = match others.len() {
        0 => message.to_owned(),
        1 => format!("{message}; the same holds for 1 other"),
        n => format!("{message}; the same holds for {n} others"),
    };
    let shown = others.iter().take(MOST - 1);
    let diagnostic = Diagnostic::new(code, *first, message).help(code.advice());
    Some(shown.fold(diagnostic, |diagnostic, span| diagnostic.with(*span, "")))
}
