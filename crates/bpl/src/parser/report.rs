//! Error messages of the parser.

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, did_you_mean};

use super::{Parser, Reported};
use crate::codes;
use crate::lexer::{Bad, T};

impl Parser<'_> {
    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that `what` was expected at the current token.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        self.expected_or(what, None)
    }

    /// As [`expected`](Self::expected), with optional help.
    pub(super) fn expected_or(&mut self, what: &str, help: Option<String>) -> Reported {
        if self.last_error == Some(self.token.start) {
            return Reported;
        }
        self.last_error = Some(self.token.start);
        let found = match self.kind() {
            T::Eof => "the end of the file".to_owned(),
            T::Str => "a string".to_owned(),
            _ => format!("`{}`", shorten(self.token_text())),
        };
        // Point a missing `;` or `)` at the end of the previous token: the current one may be on another line.
        let span = match what {
            "`;`" | "`)`" if !self.at(T::Eof) => self.span_at(self.last_end, self.last_end),
            _ => self.token_span(),
        };
        self.error(
            Diagnostic::new(Code::UNEXPECTED_TOKEN, span, format!("expected {what}, found {found}"))
                .label(format!("expected {what}"))
                .maybe_help(help),
        );
        Reported
    }

    pub(super) fn report_bad(&mut self, bad: Bad) {
        let span = self.token_span();
        let text = shorten(self.token_text());
        self.error(match bad {
            Bad::Characters => {
                let help = (text == "&").then(|| "did you mean `&&`?".to_owned());
                let message = format!("`{text}` is not part of the language");
                Diagnostic::new(Code::UNEXPECTED_CHARACTER, span, message).maybe_help(help)
            }
            Bad::ControlCharacter => self.control_character(),
            Bad::UnterminatedString => {
                let help = match self.token_text().contains("\\\"") {
                    true => "a string must end on the line on which it begins; `\\\"` does not end it",
                    false => "a string must end on the line on which it begins",
                };
                let message = "this string has no closing quote";
                Diagnostic::new(Code::UNTERMINATED_STRING, span, message).help(help)
            }
            Bad::UnterminatedComment => {
                let start = self.token.start;
                let opening = self.span_at(start, start + 2);
                Diagnostic::new(Code::UNTERMINATED_COMMENT, opening, "this comment is not closed")
                    .help("comments nest: each `/*` needs its own `*/`")
            }
            Bad::Pragma => Diagnostic::new(codes::BAD_PRAGMA, span, "unknown directive")
                .help("the directives are `#if`, `#elsif`, `#else`, `#endif` and `#line NUMBER FILE`"),
            Bad::Conditional => Diagnostic::new(codes::BAD_PRAGMA, span, format!("unbalanced `{text}`"))
                .help("each `#if` needs an `#endif`, and at most one `#else` as its last branch"),
        });
    }

    /// A diagnostic for the first control character of the current string.
    fn control_character(&self) -> Diagnostic {
        let found = self.token_text().char_indices().find(|(_, c)| crate::lexer::is_control(*c));
        let (offset, character) = found.unwrap_or((0, '"'));
        let start = self.token.start + offset;
        let span = self.span_at(start, start + character.len_utf8());
        let message = format!("a control character in a string: U+{:04X}", u32::from(character));
        Diagnostic::new(Code::UNEXPECTED_CHARACTER, span, message)
    }

    pub(super) fn too_deep(&mut self, limit: u32) -> Reported {
        let span = self.token_span();
        self.error(Diagnostic::new(
            Code::TOO_DEEP,
            span,
            format!("nesting exceeds {limit} levels; the rest of the file is skipped"),
        ));
        self.stop();
        Reported
    }
}

/// A suggestion for a word in the place of a keyword: one that it is close to, or a prefix of.
pub(super) fn misspelt(word: &str, keywords: &[&str]) -> Option<String> {
    let begun = keywords.iter().find(|k| word.len() >= 3 && k.starts_with(word) && **k != word);
    let begun = begun.map(|k| format!("did you mean `{k}`?"));
    begun.or_else(|| did_you_mean(word, keywords.iter().copied()))
}

/// Truncates a text that may be long.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
