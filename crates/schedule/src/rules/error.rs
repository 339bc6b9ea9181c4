//! Errors in rules.

use std::fmt;
use std::ops::Range;

/// An error in the text of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleError {
    /// The offending part of the text, in bytes.
    pub span: Range<usize>,
    /// The mistake.
    pub message: String,
    /// A correction, if there is an obvious one.
    pub help: Option<String>,
}

impl RuleError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        RuleError { span, message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "; {help}"))
    }
}

impl std::error::Error for RuleError {}

/// The word of a list that is most similar to a misspelt one.
pub(crate) fn similar<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let scored = words.map(|other| {
        let (a, b) = (word.to_lowercase(), other.to_lowercase());
        (strsim::normalized_damerau_levenshtein(&a, &b), other)
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.5).then_some(best.1)
}
