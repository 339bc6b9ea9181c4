//! Values of Boogie types as data: what a solver's model says, a trace keeps, and the interpreter is given.
//!
//! The text of a value is `true`, `-5`, `1/3`, `2.0`, `7bv8`, `0x1.8e0f24e8`, `RNE`, `[1 := 2, else 0]`, `Cons(1, Nil())`, or `|v|` for the element `v` of
//! a type without a definition.

use std::fmt;
use std::str::FromStr;

use dally_text::stack::grow;
use num_bigint::{BigInt, BigUint};
use serde::{Deserialize, Serialize};

use crate::ast::RoundingMode;
use crate::float::Float;
use crate::real::Real;

/// A value of a Boogie type. It is serialised as its text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Literal {
    /// Of `bool`.
    Bool(bool),
    /// Of `int`.
    Int(BigInt),
    /// Of `real`.
    Real(Real),
    /// Of a bitvector type: the number, and the width.
    Bv(BigUint, u32),
    /// Of a floating-point type.
    Float(Float),
    /// Of the type of rounding modes.
    Rounding(RoundingMode),
    /// Of a map type: the value at some indices, where the last entry for an index counts, and at all others. A map with
    /// several indices is a map of maps.
    Map(Vec<(Literal, Literal)>, Box<Literal>),
    /// Of a datatype: the name of a constructor, and its fields.
    Data(String, Vec<Literal>),
    /// Of a type without a definition; equal elements have equal names.
    Abstract(String),
}

/// Deepest nesting of a value that is read.
const MOST_DEPTH: usize = 2000;
/// Most digits of a number that is read.
pub const MOST_DIGITS: usize = 100_000;

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grow(|| match self {
            Literal::Bool(b) => write!(f, "{b}"),
            Literal::Int(n) => write!(f, "{n}"),
            Literal::Real(n) => write!(f, "{n}"),
            Literal::Bv(n, width) => write!(f, "{n}bv{width}"),
            Literal::Float(float) => write!(f, "{float}"),
            Literal::Rounding(mode) => f.write_str(mode.spelling()),
            Literal::Map(entries, default) => {
                f.write_str("[")?;
                entries.iter().try_for_each(|(index, value)| write!(f, "{index} := {value}, "))?;
                write!(f, "else {default}]")
            }
            Literal::Data(name, fields) => {
                write!(f, "{name}(")?;
                for (nth, field) in fields.iter().enumerate() {
                    write!(f, "{}{field}", if nth > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Literal::Abstract(name) => write!(f, "|{}|", name.replace('\\', "\\\\").replace('|', "\\|")),
        })
    }
}

impl From<Literal> for String {
    fn from(literal: Literal) -> String {
        literal.to_string()
    }
}

impl TryFrom<String> for Literal {
    type Error = LiteralError;

    fn try_from(text: String) -> Result<Self, LiteralError> {
        text.parse()
    }
}

/// The error for a text that is not a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiteralError {
    /// The text, or its beginning.
    text: String,
    why: &'static str,
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a value: {}", self.text, self.why)
    }
}

impl std::error::Error for LiteralError {}

/// The text, or its beginning if it is long: for messages.
pub fn beginning(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl FromStr for Literal {
    type Err = LiteralError;

    fn from_str(text: &str) -> Result<Self, LiteralError> {
        let mut reader = Reader { rest: text };
        let read = reader.value(0).and_then(|value| match reader.rest {
            "" => Ok(value),
            _ => Err("text follows it"),
        });
        read.map_err(|why| LiteralError { text: beginning(text), why })
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str, otherwise: &'static str) -> Result<(), &'static str> {
        if self.skip(text) { Ok(()) } else { Err(otherwise) }
    }

    fn value(&mut self, depth: usize) -> Result<Literal, &'static str> {
        if depth > MOST_DEPTH {
            return Err("it is nested too deeply");
        }
        grow(|| {
            if self.skip("[") {
                return self.map(depth);
            }
            if self.skip("|") {
                return self.name();
            }
            let word = self.word();
            if self.skip("(") {
                return self.data(word, depth);
            }
            scalar(word)
        })
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| "()[],|".contains(c) || c.is_whitespace());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// Reads a map after its `[`.
    fn map(&mut self, depth: usize) -> Result<Literal, &'static str> {
        let mut entries = Vec::new();
        while !self.skip("else ") {
            let index = self.value(depth + 1)?;
            self.expect(" := ", "a map is like [1 := 2, else 0]")?;
            let value = self.value(depth + 1)?;
            self.expect(", ", "a map is like [1 := 2, else 0]")?;
            entries.push((index, value));
        }
        let default = self.value(depth + 1)?;
        self.expect("]", "a map is like [1 := 2, else 0]")?;
        Ok(Literal::Map(entries, Box::new(default)))
    }

    /// Reads the name of an element after its `|`.
    fn name(&mut self) -> Result<Literal, &'static str> {
        let mut name = String::new();
        let mut chars = self.rest.chars();
        while let Some(c) = chars.next() {
            match c {
                '|' => {
                    self.rest = chars.as_str();
                    return Ok(Literal::Abstract(name));
                }
                '\\' => name.extend(chars.next()),
                c => name.push(c),
            }
        }
        Err("the second | is missing")
    }

    /// Reads the fields of a constructor after its `(`.
    fn data(&mut self, constructor: &str, depth: usize) -> Result<Literal, &'static str> {
        let mut fields = Vec::new();
        while !self.skip(")") {
            if !fields.is_empty() {
                self.expect(", ", "fields are separated by commas")?;
            }
            fields.push(self.value(depth + 1)?);
        }
        Ok(Literal::Data(constructor.to_owned(), fields))
    }
}

fn scalar(word: &str) -> Result<Literal, &'static str> {
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match word {
        "true" => Ok(Literal::Bool(true)),
        "false" => Ok(Literal::Bool(false)),
        _ if word.len() > MOST_DIGITS => Err("it is too long"),
        _ if is_number(word.strip_prefix('-').unwrap_or(word)) => {
            word.parse().map(Literal::Int).map_err(|_| "it is not a number")
        }
        _ if let Some(float) = Float::literal(word) => Ok(Literal::Float(float)),
        _ if let Some(mode) = RoundingMode::named(word) => Ok(Literal::Rounding(mode)),
        _ if word.contains(['/', '.']) => match word.parse::<Real>() {
            Ok(real) => Ok(Literal::Real(real)),
            Err(()) => Err("a real is like 2.0 or 1/3"),
        },
        _ => match word.split_once("bv").map(|(n, width)| (n.parse(), width.parse())) {
            Some((Ok(n), Ok(width))) => Ok(Literal::Bv(n, width)),
            Some(_) => Err("a bitvector is like 7bv8"),
            None => Err("it is neither a number nor the text of another value"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_they_are_read() {
        for text in [
            "true",
            "-5",
            "123456789012345678901234567890",
            "7bv8",
            "-0x1.8e0f24e8",
            "0NaN53e11",
            "[RNE := 0+oo24e8, else 0-oo24e8]",
            "340282366920938463463374607431768211455bv128",
            "-1/3",
            "[2.0 := 1/2, else 0.0]",
            "[else 0]",
            "[1 := [else 2], -3 := [4 := 5, else 6], else [else 0]]",
            "Cons(1, Cons([else true], Nil()))",
            "|T!val!0|",
            "|a \\| b \\\\ c, )|",
            "Pair(|a|, |b|)",
        ] {
            assert_eq!(text.parse::<Literal>().map(|value| value.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("4/-6".parse(), Ok(Literal::Real("-2/3".parse().unwrap())));
        assert_eq!("-007".parse(), Ok(Literal::Int((-7).into())));
    }

    #[test]
    fn other_texts_are_not_values() {
        for text in [
            "",
            " ",
            "-",
            "--1",
            "1 2",
            "bv",
            "1bv",
            "1/0",
            "1.5",
            "1/2/3",
            "-1bv8",
            "1bv99999999999999999999",
            "f",
            "f(",
            "f(1 2)",
        ] {
            assert!(text.parse::<Literal>().is_err(), "{text}");
        }
        for text in
            ["[", "[]", "[1]", "[1 := 2]", "[else 0", "[1 := 2 else 0]", "|a", "|a\\|", "(]", "f(,)", "𝔘"]
        {
            assert!(text.parse::<Literal>().is_err(), "{text}");
        }
        for deep in ["f(", "[else ", "[", "|"] {
            assert!(deep.repeat(1_000_000).parse::<Literal>().is_err());
        }
        assert!("9".repeat(1_000_000).parse::<Literal>().is_err());
    }
}
