//! Tokens of preprocessed text.
//!
//! The lexer knows nothing of lines: [`crate::markers`] reads line markers, and gives tokens their spans.

use dally_text::symbol::Symbols;

use crate::token::{K, Op, T};

/// A lexical element, before keywords are told from identifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Raw {
    Space,
    Newline,
    /// `#` anywhere.
    Hash,
    Word,
    Number,
    Char,
    Str,
    Op(Op),
    Bad,
    UnterminatedString,
    UnterminatedComment,
}

/// The token, white space or comment at `at`, and where it ends; the text does not end at `at`.
pub(crate) fn scan(text: &[u8], at: usize) -> (Raw, usize) {
    match text[at] {
        b'\n' => (Raw::Newline, at + 1),
        b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
            (Raw::Space, skip(text, at, |b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)))
        }
        b'\\' if continued(text, at).is_some() => (Raw::Space, continued(text, at).unwrap_or(at + 1)),
        b'/' if text.get(at + 1) == Some(&b'*') => match find(text, at + 2, b"*/") {
            Some(end) => (Raw::Space, end),
            None => (Raw::UnterminatedComment, text.len()),
        },
        b'/' if text.get(at + 1) == Some(&b'/') => (Raw::Space, skip(text, at, |b| b != b'\n')),
        b'#' => (Raw::Hash, at + 1),
        b'"' => quoted(text, at, b'"', Raw::Str),
        b'\'' => quoted(text, at, b'\'', Raw::Char),
        b'0'..=b'9' => (Raw::Number, number(text, at)),
        b'.' if text.get(at + 1).is_some_and(u8::is_ascii_digit) => (Raw::Number, number(text, at)),
        b if is_word(b) => word(text, at),
        b'\\' if universal(text, at).is_some() => word(text, at),
        _ => operator(text, at),
    }
}

/// The end of a backslash and the line break after it.
fn continued(text: &[u8], at: usize) -> Option<usize> {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some(b'\n'), _) => Some(at + 2),
        (Some(b'\r'), Some(b'\n')) => Some(at + 3),
        _ => None,
    }
}

/// The end of a universal character name such as `\u00e9`, which preprocessors write into names.
fn universal(text: &[u8], at: usize) -> Option<usize> {
    let digits = match text.get(at..at + 2)? {
        b"\\u" => 4,
        b"\\U" => 8,
        _ => return None,
    };
    let end = at + 2 + digits;
    text.get(at + 2..end)?.iter().all(u8::is_ascii_hexdigit).then_some(end)
}

/// The name with its universal character names as characters.
fn decoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut at = 0;
    while let Some(found) = name[at..].find('\\') {
        let start = at + found;
        out.push_str(&name[at..start]);
        let end = universal(name.as_bytes(), start).unwrap_or(start + 1);
        let value = name.get(start + 2..end).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        out.extend(value.and_then(char::from_u32));
        at = end;
    }
    out.push_str(&name[at..]);
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn skip(text: &[u8], from: usize, while_: impl Fn(u8) -> bool) -> usize {
    text[from..].iter().position(|b| !while_(*b)).map_or(text.len(), |n| from + n)
}

fn find(text: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    text.get(from..)?.windows(what.len()).position(|w| w == what).map(|n| from + n + what.len())
}

/// A name, or a string or character with a prefix such as `L`.
fn word(text: &[u8], at: usize) -> (Raw, usize) {
    let mut end = skip(text, at, is_word);
    while let Some(after) = universal(text, end) {
        end = skip(text, after, is_word);
    }
    if end - at <= 2 && matches!(&text[at..end], b"L" | b"u" | b"U" | b"u8") {
        match text.get(end) {
            Some(b'"') => return quoted(text, end, b'"', Raw::Str),
            Some(b'\'') => return quoted(text, end, b'\'', Raw::Char),
            _ => {}
        }
    }
    (Raw::Word, end)
}

/// A preprocessing number: letters, digits, dots, and signs of exponents.
fn number(text: &[u8], at: usize) -> usize {
    let hex = matches!(text.get(at + 1), Some(b'x' | b'X'));
    let mut end = at + 1;
    while let Some(&b) = text.get(end) {
        let exponent = match text[end - 1] {
            b'e' | b'E' => !hex,
            b'p' | b'P' => hex,
            _ => false,
        };
        if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || (exponent && matches!(b, b'+' | b'-'))) {
            break;
        }
        end += 1;
    }
    end
}

fn quoted(text: &[u8], open: usize, quote: u8, kind: Raw) -> (Raw, usize) {
    let mut at = open + 1;
    while let Some(&b) = text.get(at) {
        match b {
            b'\\' => at += 2,
            b'\n' => break,
            b if b == quote => return (kind, at + 1),
            _ => at += 1,
        }
    }
    (Raw::UnterminatedString, at.min(text.len()))
}

fn operator(text: &[u8], at: usize) -> (Raw, usize) {
    for op in Op::ALL {
        if text[at..].starts_with(op.text().as_bytes()) {
            return (Raw::Op(*op), at + op.text().len());
        }
    }
    let end = skip(text, at + 1, |b| b < b' ' && b != b'\n' && b != b'\t' && b != b'\r');
    (Raw::Bad, end)
}

/// The kind of a token; none for white space.
pub(crate) fn kind(raw: Raw, text: &str, symbols: &mut Symbols) -> Option<T> {
    Some(match raw {
        Raw::Space | Raw::Newline => return None,
        Raw::Word => {
            let sym = if text.contains('\\') { symbols.intern(&decoded(text)) } else { symbols.intern(text) };
            K::of(sym).map_or(T::Ident(sym), T::Key)
        }
        Raw::Hash => T::Directive,
        Raw::Number => T::Number,
        Raw::Char => T::Char,
        Raw::Str => T::Str,
        Raw::Op(op) => T::Op(op),
        Raw::Bad => T::Bad,
        Raw::UnterminatedString => T::UnterminatedString,
        Raw::UnterminatedComment => T::UnterminatedComment,
    })
}
