//! Reading the values of a model.

use dally_bpl::ast::RoundingMode;
use dally_bpl::float::{Float, Format};
use dally_bpl::literal::{Literal, MOST_DIGITS};
use dally_bpl::real::Real;
use dally_text::stack::grow;
use num_bigint::{BigInt, BigUint};

use crate::lambda;
use crate::logic::{Constructor, Logic, Shape};
use crate::sexpr::{Sexpr, shown};
use crate::term::Sort;

/// The value of a term in a model, or the reason why it has none that can be used.
pub type ModelValue = Result<Literal, NoValue>;

/// The reasons why a term has no value that can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The solver does not know the term: any value will do.
    Arbitrary,
    /// A real that is not a fraction.
    Irrational,
    /// A number of too many digits.
    TooLong,
    /// The solver gives a formula that is not understood.
    Formula,
}

/// Reads the value that a solver prints for a term of this sort.
pub(crate) fn read(logic: &Logic<'_>, sort: Sort, text: &Sexpr) -> ModelValue {
    text.expanded().map_or_else(|| Err(refused(text)), |text| plain(logic, sort, &text))
}

/// Reads a value without `let`.
pub(crate) fn plain(logic: &Logic<'_>, sort: Sort, text: &Sexpr) -> ModelValue {
    grow(|| match logic.shape(sort) {
        Shape::Map(index, value) => map(logic, *index, *value, text),
        Shape::Datatype(constructors) => data(logic, constructors, text),
        Shape::Abstract => Ok(Literal::Abstract(match text {
            Sexpr::Word(word) => logic.abstract_name(sort, word),
            list => flat(list),
        })),
        Shape::NoBits => Ok(Literal::Bv(BigUint::ZERO, 0)),
        Shape::Scalar => scalar(text),
    })
}

/// `(C x y)`, `C`, `((as C T) x y)` or `(as C T)`.
fn data(logic: &Logic<'_>, constructors: &[Constructor], text: &Sexpr) -> ModelValue {
    let qualified = |e: &Sexpr| match e.headed("as").and_then(|a| a.first()) {
        Some(Sexpr::Word(word)) => Some(word.clone()),
        _ => None,
    };
    let none: &[Sexpr] = &[];
    let applied = match text {
        Sexpr::Word(word) => Some((word.clone(), none)),
        Sexpr::List(parts) => match parts.split_first() {
            Some((Sexpr::Word(word), args)) if word != "as" => Some((word.clone(), args)),
            Some((first, args)) => match qualified(first) {
                Some(word) => Some((word, args)),
                None => qualified(text).map(|word| (word, none)),
            },
            None => None,
        },
    };
    let Some((head, args)) = applied else { return Err(refused(text)) };
    match constructors.iter().find(|c| c.name == head) {
        Some(c) if c.fields.len() == args.len() => {
            let fields = c.fields.iter().zip(args).map(|((_, s), a)| plain(logic, *s, a));
            Ok(Literal::Data(c.original.clone(), fields.collect::<Result<_, _>>()?))
        }
        _ => Err(refused(text)),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A number of decimal digits.
fn number(digits: &str) -> Result<BigInt, NoValue> {
    if digits.len() > MOST_DIGITS {
        return Err(NoValue::TooLong);
    }
    digits.parse().map_err(|_| NoValue::Formula)
}

fn fraction(numerator: &BigInt, denominator: &BigInt) -> ModelValue {
    // The text has a limit on digits.
    let real: Result<Real, ()> = format!("{numerator}/{denominator}").parse();
    real.map(Literal::Real).map_err(|()| NoValue::TooLong)
}

fn scalar(text: &Sexpr) -> ModelValue {
    match text {
        Sexpr::Word(word) => scalar_word(word).unwrap_or_else(|| Err(refused(text))),
        list => scalar_list(list).unwrap_or_else(|| Err(refused(text))),
    }
}

/// `true`, `12`, `1.0`, `#b01` or `#xff`.
fn scalar_word(word: &str) -> Option<ModelValue> {
    if let Some(mode) = RoundingMode::named(word) {
        return Some(Ok(Literal::Rounding(mode)));
    }
    match word {
        "true" => return Some(Ok(Literal::Bool(true))),
        "false" => return Some(Ok(Literal::Bool(false))),
        _ if is_digits(word) => return Some(number(word).map(Literal::Int)),
        _ => {}
    }
    if let Some(digits) = word.strip_suffix(".0").filter(|digits| is_digits(digits)) {
        return Some(number(digits).and_then(|n| fraction(&n, &1.into())));
    }
    let bits = |prefix: &str, radix: u32, bits: usize| {
        let digits = word.strip_prefix(prefix)?;
        let n = BigUint::parse_bytes(digits.as_bytes(), radix)?;
        Some(Ok(Literal::Bv(n, (digits.len() * bits) as u32)))
    };
    bits("#b", 2, 1).or_else(|| bits("#x", 16, 4))
}

/// `(- 5)`, `(/ 1 3)` or `(_ bv5 8)`.
fn scalar_list(list: &Sexpr) -> Option<ModelValue> {
    if let Some([inner]) = list.headed("-") {
        return Some(match scalar(inner) {
            Ok(Literal::Int(n)) => Ok(Literal::Int(-n)),
            Ok(Literal::Real(n)) => fraction(&-n.numerator(), n.denominator()),
            Err(other) => Err(other),
            _ => return None,
        });
    }
    if let Some(float) = float(list) {
        return Some(Ok(Literal::Float(float)));
    }
    if let Some([n, d]) = list.headed("/") {
        let whole = |part: &Sexpr| match scalar(part)? {
            Literal::Int(n) => Ok(n),
            Literal::Real(n) if *n.denominator() == BigInt::from(1) => Ok(n.numerator().clone()),
            _ => Err(refused(part)),
        };
        return Some(whole(n).and_then(|n| whole(d).and_then(|d| fraction(&n, &d))));
    }
    if let Some([Sexpr::Word(value), Sexpr::Word(width)]) = list.headed("_")
        && let Some(n) = value.strip_prefix("bv").and_then(|digits| digits.parse().ok())
        && let Ok(width) = width.parse()
    {
        return Some(Ok(Literal::Bv(n, width)));
    }
    None
}

/// `(fp #b0 #b01111111 #b…)`, or a special value: `(_ NaN 8 24)`, `(_ +oo 8 24)`, `(_ -zero 8 24)`.
fn float(list: &Sexpr) -> Option<Float> {
    if let Some([sign, exponent, fraction]) = list.headed("fp") {
        let bits = |part: &Sexpr| match scalar(part) {
            Ok(Literal::Bv(n, width)) => Some((n, width)),
            _ => None,
        };
        let ((sign, _), (exponent, e), (fraction, s)) = (bits(sign)?, bits(exponent)?, bits(fraction)?);
        let format = Format::new(s + 1, e)?;
        return Some(Float::from_bits(format, (sign << e | exponent) << s | fraction));
    }
    let [Sexpr::Word(special), Sexpr::Word(e), Sexpr::Word(s)] = list.headed("_")? else { return None };
    let format = Format::new(s.parse().ok()?, e.parse().ok()?)?;
    match special.as_str() {
        "NaN" => Some(Float::nan(format)),
        "+oo" | "-oo" => Some(Float::infinite(format, special == "-oo")),
        "+zero" | "-zero" => Some(Float::zero(format, special == "-zero")),
        _ => None,
    }
}

/// `(store (store ((as const S) d) i v) j w)`, or a function.
fn map(logic: &Logic<'_>, index: Sort, value: Sort, text: &Sexpr) -> ModelValue {
    let entry = |i: &Sexpr, v: &Sexpr| Ok((plain(logic, index, i)?, plain(logic, value, v)?));
    let mut stores = Vec::new();
    let mut at = text;
    while let Some([inner, i, v]) = at.headed("store") {
        stores.push(entry(i, v)?);
        at = inner;
    }
    stores.reverse();
    match at.list() {
        Some([first, default]) if first.headed("as").is_some_and(|a| a[0].word() == Some("const")) => {
            Ok(Literal::Map(stores, Box::new(plain(logic, value, default)?)))
        }
        _ => {
            let Some((points, default)) = lambda::table(at) else { return Err(refused(text)) };
            let mut entries = points.iter().map(|(i, v)| entry(i, v)).collect::<Result<Vec<_>, NoValue>>()?;
            entries.extend(stores);
            Ok(Literal::Map(entries, Box::new(plain(logic, value, &default)?)))
        }
    }
}

/// The reason why a text is not read. Z3 writes algebraic numbers as roots of polynomials.
fn refused(text: &Sexpr) -> NoValue {
    if flat(text).contains("root-obj") { NoValue::Irrational } else { NoValue::Formula }
}

/// The text of an expression, or its beginning.
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
