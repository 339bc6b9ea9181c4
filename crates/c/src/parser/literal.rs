//! Numbers, characters and strings.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::parse::{Parse, Parsed};
use dally_text::source::Span;

use super::Parser;
use crate::ast::{ExprId, ExprKind, IntSuffix, Prefix};
use crate::codes;
use crate::token::T;
use crate::types::FloatType;

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        let text = self.cursor.text(token);
        let kind = integer(text).map(|(value, suffix)| ExprKind::Int(value, suffix)).or_else(|| float(text));
        let Some(kind) = kind else {
            let message = format!("`{text}` is no number of C, or is out of range");
            self.report(Diagnostic::new(Code::BAD_NUMBER, token.span, message));
            return self.add(ExprKind::Error, token.span);
        };
        self.add(kind, token.span)
    }

    pub(super) fn character(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        let (prefix, body) = split(self.cursor.text(token));
        let Some(units) = decode(body, prefix) else { return self.bad_escape(token.span) };
        let value = match (prefix, &units[..]) {
            (_, []) => return self.bad_escape(token.span),
            // Several characters in one constant: the last four bytes.
            (Prefix::None, many) if many.len() > 1 => {
                i64::from(many.iter().fold(0_u32, |value, unit| (value << 8) | (unit & 0xff)) as i32)
            }
            (Prefix::None, [one, ..]) => i64::from(*one as u8 as i8),
            (Prefix::Wide, [one, ..]) => i64::from(*one as i32),
            (_, [one, ..]) => i64::from(*one),
        };
        self.add(ExprKind::Char(value, prefix), token.span)
    }

    /// One or more adjacent strings.
    pub(super) fn string(&mut self) -> Parsed<ExprId> {
        if self.peek() != T::Str {
            return Err(self.unexpected("a string"));
        }
        let first = self.cursor.at;
        let mut prefix = Prefix::None;
        while self.peek() == T::Str {
            let (own, _) = split(self.cursor.text(self.cursor.token()));
            prefix = if own == Prefix::None { prefix } else { own };
            self.bump();
        }
        let mut units = Vec::new();
        for i in first..self.cursor.at {
            let token = self.cursor.tokens[i];
            let (_, body) = split(self.cursor.text(token));
            match decode(body, prefix) {
                Some(mut more) => units.append(&mut more),
                None => return self.bad_escape(token.span),
            }
        }
        let span = Self::join(self.cursor.tokens[first].span, self.cursor.last().span);
        self.add(ExprKind::Str(units, prefix), span)
    }

    fn bad_escape(&mut self, span: Span) -> Parsed<ExprId> {
        let message = "this literal has a malformed escape sequence, or is empty";
        self.report(Diagnostic::new(codes::BAD_ESCAPE, span, message));
        self.add(ExprKind::Error, span)
    }
}

/// The value and suffix of an integer literal.
fn integer(text: &str) -> Option<(u64, IntSuffix)> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', ..] => (&lower[..], 8),
        _ => (&lower[..], 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = u64::from_str_radix(&digits[..end], radix).ok()?;
    let (unsigned, longs) = match &digits[end..] {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    Some((value, IntSuffix { unsigned, longs, decimal: radix == 10 }))
}

fn float(text: &str) -> Option<ExprKind> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return hex_float(hex);
    }
    let (digits, ty) = match lower.as_bytes().last()? {
        b'f' => (&lower[..lower.len() - 1], FloatType::Float),
        b'l' => (&lower[..lower.len() - 1], FloatType::LongDouble),
        _ => (&lower[..], FloatType::Double),
    };
    // Rust's parser also accepts integers, and words such as `inf`.
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !digits.contains(['.', 'e']) {
        return None;
    }
    let value = digits.parse::<f64>().ok()?;
    let value = if ty == FloatType::Float { f64::from(value as f32) } else { value };
    Some(ExprKind::Float(value, ty))
}

/// `1.8p3`, after `0x`.
fn hex_float(text: &str) -> Option<ExprKind> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (exponent, ty) = match exponent.as_bytes().last()? {
        b'f' => (&exponent[..exponent.len() - 1], FloatType::Float),
        b'l' => (&exponent[..exponent.len() - 1], FloatType::LongDouble),
        _ => (exponent, FloatType::Double),
    };
    let exponent = exponent.parse::<i32>().ok()?;
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0_f64;
    for digit in whole.chars().chain(part.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let scale = exponent.checked_sub(4_i32.checked_mul(i32::try_from(part.len()).ok()?)?)?;
    Some(ExprKind::Float(value * 2.0_f64.powi(scale), ty))
}

/// The prefix of a literal, and the text between its quotes.
fn split(text: &str) -> (Prefix, &str) {
    let open = text.find(['"', '\'']).unwrap_or(0);
    let prefix = match &text[..open] {
        "L" => Prefix::Wide,
        "u" => Prefix::Utf16,
        "U" => Prefix::Utf32,
        _ => Prefix::None,
    };
    (prefix, text.get(open + 1..text.len() - 1).unwrap_or(""))
}

/// The code units of the text of a literal: bytes if it has no prefix.
fn decode(text: &str, prefix: Prefix) -> Option<Vec<u32>> {
    let mut units = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            encode(c, prefix, &mut units);
            continue;
        }
        let escape = chars.next()?;
        match escape {
            'n' => units.push(10),
            't' => units.push(9),
            'r' => units.push(13),
            'a' => units.push(7),
            'b' => units.push(8),
            'f' => units.push(12),
            'v' => units.push(11),
            'e' | 'E' => units.push(27),
            '0'..='7' => {
                let mut value = escape.to_digit(8)?;
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    chars.next();
                }
                units.push(value);
            }
            'x' => {
                let mut value = chars.next()?.to_digit(16)?;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    chars.next();
                }
                units.push(value);
            }
            'u' | 'U' => {
                let count = if escape == 'u' { 4 } else { 8 };
                let digits: String = chars.by_ref().take(count).collect();
                let c = char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?;
                encode(c, prefix, &mut units);
            }
            // Compilers take an unknown escape for the character itself.
            _ => encode(escape, prefix, &mut units),
        }
    }
    Some(units)
}

fn encode(c: char, prefix: Prefix, units: &mut Vec<u32>) {
    match prefix {
        Prefix::None => {
            let mut buffer = [0; 4];
            units.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Prefix::Utf16 => {
            let mut buffer = [0; 2];
            units.extend(c.encode_utf16(&mut buffer).iter().map(|unit| u32::from(*unit)));
        }
        Prefix::Wide | Prefix::Utf32 => units.push(c as u32),
    }
}
