//! Values from outside as texts, as traces have them: `true`, `-5`, `1/3`, `2.0`, `7bv8`, `[1 := 2, else 0]`, `Cons(1, Nil())`, and
//! `|v|` for the value `v` of a type without a definition.

use std::fmt;
use std::str::FromStr;

use dally_text::stack::grow;
use num_bigint::BigInt;

use super::Input;
use crate::real::Real;

/// Values are not read that are nested deeper than this.
const MOST_DEPTH: usize = 2000;
/// Nor are numbers with more digits.
const MOST_DIGITS: usize = 100_000;

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grow(|| match self {
            Input::Bool(b) => write!(f, "{b}"),
            Input::Int(text) | Input::Real(text) => f.write_str(text),
            Input::Bv(n, width) => write!(f, "{n}bv{width}"),
            Input::Map(entries, default) => {
                f.write_str("[")?;
                entries.iter().try_for_each(|(index, value)| write!(f, "{index} := {value}, "))?;
                write!(f, "else {default}]")
            }
            Input::Data(name, fields) => {
                write!(f, "{name}(")?;
                for (nth, field) in fields.iter().enumerate() {
                    write!(f, "{}{field}", if nth > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Input::Abstract(name) => write!(f, "|{}|", name.replace('\\', "\\\\").replace('|', "\\|")),
        })
    }
}

impl From<Input> for String {
    fn from(input: Input) -> String {
        input.to_string()
    }
}

impl TryFrom<String> for Input {
    type Error = InputError;

    fn try_from(text: String) -> Result<Self, InputError> {
        text.parse()
    }
}

/// Why a text is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// The text, or its beginning.
    text: String,
    why: &'static str,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no value: {}", self.text, self.why)
    }
}

impl std::error::Error for InputError {}

/// The text, or its beginning if it is long.
pub(super) fn beginning(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl FromStr for Input {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let mut reader = Reader { rest: text };
        let read = reader.value(0).and_then(|value| match reader.rest {
            "" => Ok(value),
            _ => Err("something follows it"),
        });
        read.map_err(|why| InputError { text: beginning(text), why })
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

    fn value(&mut self, depth: usize) -> Result<Input, &'static str> {
        if depth > MOST_DEPTH {
            return Err("it is nested too deep");
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

    /// What comes behind `[`.
    fn map(&mut self, depth: usize) -> Result<Input, &'static str> {
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
        Ok(Input::Map(entries, Box::new(default)))
    }

    /// What comes behind `|`.
    fn name(&mut self) -> Result<Input, &'static str> {
        let mut name = String::new();
        let mut chars = self.rest.chars();
        while let Some(c) = chars.next() {
            match c {
                '|' => {
                    self.rest = chars.as_str();
                    return Ok(Input::Abstract(name));
                }
                '\\' => name.extend(chars.next()),
                c => name.push(c),
            }
        }
        Err("the second | is missing")
    }

    /// What comes behind a constructor and `(`.
    fn data(&mut self, constructor: &str, depth: usize) -> Result<Input, &'static str> {
        let mut fields = Vec::new();
        while !self.skip(")") {
            if !fields.is_empty() {
                self.expect(", ", "fields are separated by commas")?;
            }
            fields.push(self.value(depth + 1)?);
        }
        Ok(Input::Data(constructor.to_owned(), fields))
    }
}

fn scalar(word: &str) -> Result<Input, &'static str> {
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match word {
        "true" => Ok(Input::Bool(true)),
        "false" => Ok(Input::Bool(false)),
        _ if word.len() > MOST_DIGITS => Err("it is too long"),
        _ if is_number(word.strip_prefix('-').unwrap_or(word)) => {
            let number: BigInt = word.parse().map_err(|_| "it is no number")?;
            Ok(Input::Int(number.to_string()))
        }
        _ if word.contains(['/', '.']) => match word.parse::<Real>() {
            Ok(real) => Ok(Input::Real(real.to_string())),
            Err(()) => Err("a real is like 2.0 or 1/3"),
        },
        _ => match word.split_once("bv").map(|(n, width)| (n.parse(), width.parse())) {
            Some((Ok(n), Ok(width))) => Ok(Input::Bv(n, width)),
            Some(_) => Err("a bitvector is like 7bv8"),
            None => Err("it is neither a number nor anything else that is known"),
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
            assert_eq!(text.parse::<Input>().map(|value| value.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("4/-6".parse(), Ok(Input::Real("-2/3".to_owned())));
        assert_eq!("-007".parse(), Ok(Input::Int("-7".to_owned())));
    }

    #[test]
    fn other_texts_are_no_values() {
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
            assert!(text.parse::<Input>().is_err(), "{text}");
        }
        for text in
            ["[", "[]", "[1]", "[1 := 2]", "[else 0", "[1 := 2 else 0]", "|a", "|a\\|", "(]", "f(,)", "𝔘"]
        {
            assert!(text.parse::<Input>().is_err(), "{text}");
        }
        for deep in ["f(", "[else ", "[", "|"] {
            assert!(deep.repeat(1_000_000).parse::<Input>().is_err());
        }
        assert!("9".repeat(1_000_000).parse::<Input>().is_err());
    }
}
