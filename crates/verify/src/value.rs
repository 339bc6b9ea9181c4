//! Values, as a model gives them.

use dally_text::stack::grow;

use crate::lambda;
use crate::logic::{Logic, Shape};
use crate::sexpr::{Sexpr, shown};
use crate::term::Sort;

/// A value of a variable, constant or function in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of `bool`.
    Bool(bool),
    /// Of `int`: its digits, with a minus where it is negative.
    Int(String),
    /// Of `real`: a numerator and a denominator.
    Real(String, String),
    /// Of `bvN`: its digits as a natural number, and its width.
    Bv(String, u32),
    /// A map: what it has at some indices, the last entry for an index counting, and everywhere else. One with several
    /// indices is a map of maps.
    Map(Vec<(Value, Value)>, Box<Value>),
    /// A value that a constructor has made, by its name in the program.
    Data(String, Vec<Value>),
    /// A value of a type that the program declares: equal ones have equal names.
    Abstract(String),
    /// It does not matter.
    Any,
    /// What is not one of these, as the solver writes it.
    Other(String),
}

impl Value {
    /// The number, if it is an integer that fits.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// Reads what a solver says a term of this sort is.
pub(crate) fn read(logic: &Logic<'_>, sort: Sort, text: &Sexpr) -> Value {
    text.expanded().map_or_else(|| other(text), |text| plain(logic, sort, &text))
}

/// The same of a text without abbreviations.
pub(crate) fn plain(logic: &Logic<'_>, sort: Sort, text: &Sexpr) -> Value {
    grow(|| match logic.shape(sort) {
        Shape::Map(index, value) => map(logic, *index, *value, text),
        Shape::Datatype(constructors) => {
            let (head, args) = match text {
                Sexpr::Word(word) => (word.as_str(), &[][..]),
                Sexpr::List(parts) => match parts.split_first() {
                    Some((Sexpr::Word(word), args)) if word != "as" => (word.as_str(), args),
                    // `((as C T) x)`, `(as C T)`
                    Some((first, args)) => match first.headed("as").and_then(|a| a.first()) {
                        Some(Sexpr::Word(word)) => (word.as_str(), args),
                        _ => match text.headed("as").and_then(|a| a.first()) {
                            Some(Sexpr::Word(word)) => (word.as_str(), &[][..]),
                            _ => return other(text),
                        },
                    },
                    None => return other(text),
                },
            };
            match constructors.iter().find(|c| c.name == head) {
                Some(c) if c.fields.len() == args.len() => {
                    let parts = c.fields.iter().zip(args).map(|((_, s), a)| plain(logic, *s, a)).collect();
                    Value::Data(c.original.clone(), parts)
                }
                _ => other(text),
            }
        }
        Shape::Abstract => match text {
            Sexpr::Word(word) => Value::Abstract(logic.abstract_name(sort, word)),
            list => Value::Abstract(flat(list)),
        },
        Shape::NoBits => Value::Bv("0".to_owned(), 0),
        Shape::Scalar => scalar(text),
    })
}

fn scalar(text: &Sexpr) -> Value {
    match text {
        Sexpr::Word(word) => match word.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word if word.chars().all(|c| c.is_ascii_digit()) => Value::Int(word.to_owned()),
            word => {
                if let Some(digits) = word.strip_suffix(".0")
                    && digits.chars().all(|c| c.is_ascii_digit())
                {
                    return Value::Real(digits.to_owned(), "1".to_owned());
                }
                let radix = |prefix: &str, radix: u32, bits: usize| {
                    let digits = word.strip_prefix(prefix)?;
                    let n = num_bigint::BigUint::parse_bytes(digits.as_bytes(), radix)?;
                    Some(Value::Bv(n.to_string(), (digits.len() * bits) as u32))
                };
                radix("#b", 2, 1).or_else(|| radix("#x", 16, 4)).unwrap_or_else(|| other(text))
            }
        },
        list => {
            if let Some([inner]) = list.headed("-") {
                return match scalar(inner) {
                    Value::Int(digits) => Value::Int(format!("-{digits}")),
                    Value::Real(n, d) => Value::Real(format!("-{n}"), d),
                    _ => other(text),
                };
            }
            if let Some([n, d]) = list.headed("/") {
                return match (scalar(n), scalar(d)) {
                    (Value::Real(n, _) | Value::Int(n), Value::Real(d, _) | Value::Int(d)) => {
                        Value::Real(n, d)
                    }
                    _ => other(text),
                };
            }
            if let Some([Sexpr::Word(value), Sexpr::Word(width)]) = list.headed("_")
                && let Some(digits) = value.strip_prefix("bv")
                && let Ok(width) = width.parse()
            {
                return Value::Bv(digits.to_owned(), width);
            }
            other(text)
        }
    }
}

/// `(store (store ((as const S) d) i v) j w)`, or a function.
fn map(logic: &Logic<'_>, index: Sort, value: Sort, text: &Sexpr) -> Value {
    let mut entries = Vec::new();
    let mut at = text;
    while let Some([inner, i, v]) = at.headed("store") {
        entries.push((plain(logic, index, i), plain(logic, value, v)));
        at = inner;
    }
    entries.reverse();
    match at.list() {
        Some([first, default]) if first.headed("as").is_some_and(|a| a[0].word() == Some("const")) => {
            Value::Map(entries, Box::new(plain(logic, value, default)))
        }
        _ => match lambda::table(at) {
            Some((points, default)) => {
                let point = |(i, v): &(Sexpr, Sexpr)| (plain(logic, index, i), plain(logic, value, v));
                let all = points.iter().map(point).chain(entries).collect();
                Value::Map(all, Box::new(plain(logic, value, &default)))
            }
            None => other(text),
        },
    }
}

fn other(text: &Sexpr) -> Value {
    Value::Other(flat(text))
}

/// The text again, as far as anybody reads it.
fn flat(text: &Sexpr) -> String {
    let mut out = String::new();
    let mut todo = vec![Some(text)];
    while let Some(item) = todo.pop() {
        match item {
            None => out.push(')'),
            Some(Sexpr::Word(word)) => {
                if !out.is_empty() && !out.ends_with('(') {
                    out.push(' ');
                }
                out.push_str(word);
            }
            Some(Sexpr::List(list)) => {
                out.push_str(if out.is_empty() || out.ends_with('(') { "(" } else { " (" });
                todo.push(None);
                todo.extend(list.iter().rev().map(Some));
            }
        }
        if out.len() > 10_000 {
            return shown(&out);
        }
    }
    out
}
