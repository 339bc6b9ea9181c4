//! Reals: exact fractions.
//!
//! They are compared and hashed by numerator and denominator. (`num-rational` does both by continued fractions, with a
//! recursion as deep as a fraction is long.)

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;

/// A fraction in lowest terms.
///
/// Invariants: the denominator is positive, and has no divisor in common with the numerator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Real {
    numerator: BigInt,
    denominator: BigInt,
}

/// Literals with more digits, or a larger exponent, are not supported: reducing fractions takes quadratic time.
const MOST_DIGITS: usize = 1 << 14;

impl Real {
    /// The quotient of two integers; none if the denominator is zero.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Option<Self> {
        if denominator.sign() == Sign::NoSign {
            return None;
        }
        let divisor = numerator.gcd(&denominator);
        let divisor = if denominator.sign() == Sign::Minus { -divisor } else { divisor };
        Some(Real { numerator: numerator / &divisor, denominator: denominator / divisor })
    }

    /// The fraction that is equal to an integer.
    pub fn from_int(n: BigInt) -> Self {
        Real { numerator: n, denominator: BigInt::from(1) }
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> BigInt {
        self.numerator.div_floor(&self.denominator)
    }

    /// Parses a literal such as `1.5`, `2e10` or `15e-1`. Returns none if the number is too large.
    pub fn literal(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let numerator: BigInt = (digits.len() <= MOST_DIGITS).then(|| digits.parse().ok())??;
        if numerator.sign() == Sign::NoSign {
            return Some(Real::from_int(numerator));
        }
        let shift = exponent.checked_sub(fraction.len() as i64)?;
        let zeros = shift.unsigned_abs();
        let power = BigInt::from(10).pow(u32::try_from(zeros).ok().filter(|n| *n as usize <= MOST_DIGITS)?);
        if shift >= 0 { Some(Real::from_int(numerator * power)) } else { Real::new(numerator, power) }
    }

    /// The numerator.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator, which is positive.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    /// The number of bits of numerator and denominator together.
    pub fn bits(&self) -> u64 {
        self.numerator.bits() + self.denominator.bits()
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes `2.0`, `1/3`, `-1/3`.
impl fmt::Display for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == BigInt::from(1) {
            write!(f, "{}.0", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

/// Parses the form that `Display` writes.
impl FromStr for Real {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let integer = |digits: &str| {
            let plain = digits.strip_prefix('-').unwrap_or(digits);
            let is_number = !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| digits.parse::<BigInt>().ok()).flatten().ok_or(())
        };
        if text.len() > MOST_DIGITS {
            return Err(());
        }
        match text.strip_suffix(".0") {
            Some(digits) => Ok(Real::from_int(integer(digits)?)),
            None => {
                let (numerator, denominator) = text.split_once('/').ok_or(())?;
                Real::new(integer(numerator)?, integer(denominator)?).ok_or(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(text: &str) -> Real {
        Real::literal(text).unwrap()
    }

    fn of(n: i64, d: i64) -> Real {
        Real::new(n.into(), d.into()).unwrap()
    }

    #[test]
    fn literals_are_what_they_say() {
        for (text, shown) in [
            ("1.5", "3/2"),
            ("0.0", "0.0"),
            ("2e3", "2000.0"),
            ("15e-1", "3/2"),
            ("1.5e1", "15.0"),
            ("0.125", "1/8"),
            ("007.50", "15/2"),
            ("0e999999999999", "0.0"),
        ] {
            assert_eq!(real(text).to_string(), shown);
            assert_eq!(shown.parse(), Ok(real(text)));
        }
        for text in ["1e999999999", "1e-999999999", "1e99999999999999999999", "1e16385"] {
            assert_eq!(Real::literal(text), None, "{text}");
        }
        for text in ["", "1", "1/0", "1/", "/2", "1.5", "--1/2", ".0", "1/2.0"] {
            assert!(text.parse::<Real>().is_err(), "{text}");
        }
        assert_eq!("2/-4".parse(), Ok(of(-1, 2)));
    }

    #[test]
    fn floors_are_those_of_integers() {
        for (n, d) in (-6..=6).flat_map(|n| (1..=5).map(move |d| (n, d))) {
            assert_eq!(of(n, d).floor(), BigInt::from(n.div_euclid(d)));
        }
    }
}
