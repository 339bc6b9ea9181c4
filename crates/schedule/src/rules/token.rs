//! The words of rules.

use std::ops::Range;

use super::RuleError;

/// A word, with its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word of the language, or a name.
    Word(String),
    /// A name in quotation marks, which is never a word of the language.
    Quoted(String),
    Number(i64),
    Sign(&'static str),
    /// Between two rules: `;`, `,` or the end of a line.
    Separator,
}

/// The characters of names, besides letters and digits.
const IN_NAMES: &str = "_.$#@~^";

const SIGNS: [&str; 9] = ["==", "!=", "<=", ">=", "<", ">", "=", "(", ")"];

/// True if a name needs no quotation marks, as far as its characters are concerned.
pub(super) fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_alphabetic() || IN_NAMES.contains(c) && c != '#');
    begins && chars.all(|c| c.is_alphanumeric() || IN_NAMES.contains(c))
}

/// Splits a text into words. Characters that begin no word are reported.
pub(super) fn tokens(text: &str, errors: &mut Vec<RuleError>) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = |test: &dyn Fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
        let (kind, end) = if first == '\n' || first == ';' || first == ',' {
            (Some(TokenKind::Separator), at + 1)
        } else if first.is_whitespace() {
            (None, at + first.len_utf8())
        } else if first == '#' || rest.starts_with("//") {
            (None, at + length(&|c| c != '\n'))
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Some(TokenKind::Sign(sign)), at + sign.len())
        } else if first == '"' {
            quoted(text, at, errors)
        } else if first.is_ascii_digit() || first == '-' {
            let end = at + 1 + text[at + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
            match text[at..end].parse() {
                Ok(number) => (Some(TokenKind::Number(number)), end),
                Err(_) => {
                    errors.push(RuleError::new(at..end, "this is not a number of 64 bits"));
                    (None, end)
                }
            }
        } else if first.is_alphabetic() || IN_NAMES.contains(first) {
            let end = at + length(&|c| c.is_alphanumeric() || IN_NAMES.contains(c));
            (Some(TokenKind::Word(text[at..end].to_owned())), end)
        } else {
            let end = at + first.len_utf8();
            errors.push(RuleError::new(at..end, "this character is not part of a rule"));
            (None, end)
        };
        tokens.extend(kind.map(|kind| Token { kind, span: at..end }));
        at = end;
    }
    tokens
}

/// A name in quotation marks, up to the next one.
fn quoted(text: &str, at: usize, errors: &mut Vec<RuleError>) -> (Option<TokenKind>, usize) {
    let inner = &text[at + 1..];
    let line = &inner[..inner.find('\n').unwrap_or(inner.len())];
    match line.find('"') {
        Some(0) => {
            errors.push(RuleError::new(at..at + 2, "the name in the quotation marks is empty"));
            (None, at + 2)
        }
        // Names of schedulers are printed, to terminals too.
        Some(end) if inner[..end].chars().any(is_unprintable) => {
            errors.push(RuleError::new(
                at..at + end + 2,
                "there is a control character in the quotation marks",
            ));
            (None, at + end + 2)
        }
        Some(end) => (Some(TokenKind::Quoted(inner[..end].to_owned())), at + end + 2),
        None => {
            let end = at + 1 + line.len();
            errors.push(RuleError::new(at..end, "the closing quotation mark is missing"));
            (None, end)
        }
    }
}

/// Control characters, and those that change the direction of text.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
