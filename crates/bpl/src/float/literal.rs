//! Floating-point literals: `0xH.HeDfSeE`, and the special values `0NaNSeE`, `0+ooSeE`, `0-ooSeE`.
//!
//! The exponent counts hexadecimal digits. S is the number of significand bits, the hidden bit included, and E
//! the number of exponent bits. As in Boogie, the type must represent the literal exactly.

use num_bigint::{BigInt, BigUint};

use super::{Float, Format};
use crate::ast::RoundingMode;

impl Format {
    /// `float24e8`.
    pub(crate) const SINGLE: Format = Format { significand: 24, exponent: 8 };

    /// The type of a literal.
    pub(crate) fn of(literal: &str) -> Option<Format> {
        let (head, exponent) = literal.rsplit_once('e')?;
        let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
        let significand = head[head.len() - digits..].parse().ok()?;
        Some(Format { significand, exponent: exponent.parse().ok()? })
    }
}

impl Float {
    /// The value of a literal; none if it is not one, or its format is too large.
    pub fn literal(text: &str) -> Option<Float> {
        let format = Format::of(text)?;
        let format = Format::new(format.significand, format.exponent)?;
        check(text).ok()?;
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let Some(hex) = magnitude.strip_prefix("0x") else {
            return Some(match magnitude.get(1..3)? {
                "Na" => Float::nan(format),
                sign => Float::infinite(format, sign.starts_with('-')),
            });
        };
        let (whole, rest) = hex.split_once('.')?;
        let (number, _format) = rest.rsplit_once('f')?;
        let (fraction, power) = number.rsplit_once('e')?;
        let digits = format!("{whole}{fraction}");
        let mantissa = BigUint::parse_bytes(digits.as_bytes(), 16)?;
        if mantissa.bits() == 0 {
            return Some(Float::zero(format, negative));
        }
        let exponent = 4 * (power.parse::<i64>().ok()? - fraction.len() as i64);
        let rounded = Float::rounded(format, RoundingMode::Rne, &BigInt::from(mantissa), exponent);
        Some(if negative { rounded.negate() } else { rounded })
    }
}

/// The literal, as Boogie writes it.
impl std::fmt::Display for Float {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Format { significand, exponent } = self.format;
        let sign = if self.is_negative() { "-" } else { "" };
        let (mantissa, power) = match self.number() {
            super::Number::NaN => return write!(f, "0NaN{significand}e{exponent}"),
            super::Number::Infinite { negative } => {
                return write!(f, "0{}oo{significand}e{exponent}", if negative { '-' } else { '+' });
            }
            super::Number::Finite { mantissa, .. } if mantissa.bits() == 0 => (mantissa, 0),
            super::Number::Finite { mantissa, exponent, .. } => {
                let zeros = mantissa.trailing_zeros().unwrap_or(0);
                (mantissa >> zeros, exponent + zeros as i64)
            }
        };
        // Hexadecimal digits: the exponent becomes a multiple of four, and one digit precedes the point.
        let mantissa = mantissa << power.rem_euclid(4);
        let digits = mantissa.to_str_radix(16);
        let (first, rest) = digits.split_at(1);
        let rest = rest.trim_end_matches('0');
        let power = power.div_euclid(4) + digits.len() as i64 - 1;
        let rest = if rest.is_empty() { "0" } else { rest };
        write!(f, "{sign}0x{first}.{rest}e{power}f{significand}e{exponent}")
    }
}

/// Checks that the type represents the literal exactly; otherwise returns the error message.
pub(crate) fn check(text: &str) -> Result<(), &'static str> {
    const RANGE: &str = "this value cannot be represented exactly in its floating-point type";
    let format = Format::of(text).ok_or("the type of this literal is out of range")?;
    let Format { significand, exponent } = format;
    if significand < 2 || exponent < 2 {
        return Err("a floating-point type has at least 2 bits of significand and 2 of exponent");
    }
    let text = text.strip_prefix('-').unwrap_or(text);
    let Some(hex) = text.strip_prefix("0x") else { return Ok(()) };
    let (whole, rest) = hex.split_once('.').ok_or(RANGE)?;
    let (number, _format) = rest.rsplit_once('f').ok_or(RANGE)?;
    let (fraction, power) = number.rsplit_once('e').ok_or(RANGE)?;
    let power: i64 = power.parse().ok().filter(|p: &i64| p.unsigned_abs() < 1 << 40).ok_or(RANGE)?;
    let Some((highest, lowest)) = extent(whole, fraction) else { return Ok(()) };
    let (highest, lowest) = (highest + 4 * power, lowest + 4 * power);
    // The exponent of every literal fits in 60 bits.
    let bias = (1_i64 << (exponent.min(60) - 1)) - 1;
    let smallest = 1 - bias - (i64::from(significand) - 1);
    let fits = highest - lowest < i64::from(significand) && highest <= bias && lowest >= smallest;
    if fits { Ok(()) } else { Err(RANGE) }
}

/// The exponents of the highest and the lowest set bit; none for zero.
fn extent(whole: &str, fraction: &str) -> Option<(i64, i64)> {
    let top = 4 * whole.len() as i64 - 1;
    let mut bits = whole
        .chars()
        .chain(fraction.chars())
        .flat_map(|c| {
            let nibble = c.to_digit(16).unwrap_or(0);
            (0..4).map(move |i| nibble >> (3 - i) & 1 == 1)
        })
        .enumerate()
        .filter(|(_, set)| *set)
        .map(|(i, _)| top - i as i64);
    let highest = bits.next()?;
    Some((highest, bits.last().unwrap_or(highest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        for good in ["0x0.0e0f2e2", "0x0.000008e-32f24e8", "0x0.8e32f24e8", "0x0.ffffffe0f24e8", "0NaN24e8"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let out_of_range = "0x1.0e-9223372036854775808f24e8";
        for bad in [out_of_range, "0x0.0e0f2e1", "0x0.000004e-32f24e8", "0x1.0e32f24e8", "-0x1.ffffffe0f24e8"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert_eq!(Format::of("0+oo53e11"), Some(Format { significand: 53, exponent: 11 }));
        assert_eq!(Format::of("0x1.8e2f24e8"), Some(Format::SINGLE));
    }

    #[test]
    fn literals_have_values_and_values_have_literals() {
        let single = |n: f32| Float::from_bits(Format::SINGLE, n.to_bits().into());
        for (text, value) in [
            ("0x0.0e0f24e8", 0.0),
            ("-0x0.0e0f24e8", -0.0),
            ("0x1.8e0f24e8", 1.5),
            ("-0x1.0e1f24e8", -16.0),
            ("0x8.0e-1f24e8", 0.5),
            ("0x2.0e-1f24e8", 0.125),
            ("0xf.fffffe31f24e8", f32::MAX),
            ("0NaN24e8", f32::NAN),
            ("0+oo24e8", f32::INFINITY),
            ("0-oo24e8", f32::NEG_INFINITY),
        ] {
            assert_eq!(Float::literal(text), Some(single(value)), "{text}");
            assert_eq!(single(value).to_string(), text);
        }
        for value in [0.1, 3.0e-40, -1e38, 65537.0, f32::MIN_POSITIVE, 1e-45] {
            assert_eq!(Float::literal(&single(value).to_string()), Some(single(value)), "{value}");
        }
        assert_eq!(Float::literal("0x1.0e0f24e40"), None);
    }
}
