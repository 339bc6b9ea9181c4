//! What the parser says about errors.

use super::{Parser, Reported};
use crate::codes;
use crate::lexer::{Bad, T};
use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, did_you_mean};

impl Parser<'_> {
    pub(super) fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        self.expected_or(what, None)
    }

    /// The same, with what to do about it where that is obvious.
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
        // What is missing at the end of a line is missing after the token before it.
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
                    true => "a string ends on the line on which it begins, and `\\\"` does not end it",
                    false => "a string ends on the line on which it begins",
                };
                let message = "this string has no closing quote";
                Diagnostic::new(Code::UNTERMINATED_STRING, span, message).help(help)
            }
            Bad::UnterminatedComment => {
                let start = self.token.start;
                let opening = self.span_at(start, start + 2);
                Diagnostic::new(Code::UNTERMINATED_COMMENT, opening, "this comment is never closed")
                    .help("comments nest: each `/*` needs its own `*/`")
            }
            Bad::Pragma => Diagnostic::new(codes::BAD_PRAGMA, span, "this line is no pragma").help(
                "a line that begins with `#` is `#if`, `#elsif`, `#else`, `#endif` or `#line NUMBER FILE`",
            ),
            Bad::Conditional => {
                Diagnostic::new(codes::BAD_PRAGMA, span, format!("`{text}` without its counterpart")).help(
                    "`#if` is closed by `#endif`, with at most one `#else`, the last branch, in between",
                )
            }
        });
    }

    /// Says which character of the current string is one that a terminal would act upon.
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
            format!("nested more than {limit} levels deep: the rest of the file is not read"),
        ));
        self.stop();
        Reported
    }
}

/// "did you mean", for a word in the place of a keyword: a misspelt one, or the beginning of one.
pub(super) fn misspelt(word: &str, keywords: &[&str]) -> Option<String> {
    let begun = keywords.iter().find(|k| word.len() >= 3 && k.starts_with(word) && **k != word);
    let begun = begun.map(|k| format!("did you mean `{k}`?"));
    begun.or_else(|| did_you_mean(word, keywords.iter().copied()))
}

/// The beginning of a text that may be long.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
