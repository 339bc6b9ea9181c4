//! Floating-point numbers of any format, as IEEE 754 and SMT-LIB define them.
//!
//! A number is its bits. There is one NaN of each format, as in SMT-LIB, so that equal bits are equal values; `fp.eq`, which
//! is `==` in Boogie, is [`Float::same`]. Operations compute the exact result and round it once.

mod arithmetic;
mod literal;

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use crate::ast::RoundingMode;
pub(crate) use literal::check;

/// A format: the bits of the significand, with the hidden bit, and of the exponent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Format {
    /// The bits of the significand, the hidden bit included; at least 2.
    pub significand: u32,
    /// The bits of the exponent; at least 2.
    pub exponent: u32,
}

/// Wider exponents are not computed with: exact results would have millions of bits.
const MOST_EXPONENT: u32 = 16;
/// Nor are longer significands.
const MOST_SIGNIFICAND: u32 = 4096;

impl Format {
    /// The format, if numbers of it can be computed with.
    pub fn new(significand: u32, exponent: u32) -> Option<Format> {
        let fits = (2..=MOST_SIGNIFICAND).contains(&significand) && (2..=MOST_EXPONENT).contains(&exponent);
        fits.then_some(Format { significand, exponent })
    }

    /// The bits of a number.
    pub fn width(self) -> u32 {
        self.significand + self.exponent
    }

    /// The greatest exponent of a finite number, which is also the bias.
    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the lowest bit of the smallest positive number.
    fn lowest(self) -> i64 {
        2 - self.bias() - i64::from(self.significand)
    }
}

/// A number of a format.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Float {
    format: Format,
    /// Sign, exponent and significand without its hidden bit, as IEEE 754 encodes them.
    bits: BigUint,
}

/// The value of a number.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Number {
    NaN,
    Infinite {
        negative: bool,
    },
    /// ± mantissa · 2^exponent.
    Finite {
        negative: bool,
        mantissa: BigUint,
        exponent: i64,
    },
}

impl Float {
    /// The number with these bits.
    pub fn from_bits(format: Format, bits: BigUint) -> Float {
        let bits = bits % (BigUint::from(1_u8) << format.width());
        let float = Float { format, bits };
        if matches!(float.number(), Number::NaN) { Float::nan(format) } else { float }
    }

    /// The bits of the number.
    pub fn bits(&self) -> &BigUint {
        &self.bits
    }

    /// The format of the number.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The NaN of a format.
    pub fn nan(format: Format) -> Float {
        let fraction = BigUint::from(1_u8) << (format.significand - 2);
        Float { format, bits: Float::infinite(format, false).bits | fraction }
    }

    /// An infinity.
    pub fn infinite(format: Format, negative: bool) -> Float {
        let exponent = ((BigUint::from(1_u8) << format.exponent) - 1_u8) << (format.significand - 1);
        Float::zero(format, negative).with(exponent)
    }

    /// A zero.
    pub fn zero(format: Format, negative: bool) -> Float {
        let sign = BigUint::from(u8::from(negative)) << (format.width() - 1);
        Float { format, bits: sign }
    }

    fn with(self, bits: BigUint) -> Float {
        Float { bits: self.bits | bits, ..self }
    }

    /// The number nearest to an integer times a power of two, in the direction of the mode.
    pub fn rounded(format: Format, mode: RoundingMode, n: &BigInt, exponent: i64) -> Float {
        Exact { negative: n.sign() == Sign::Minus, mantissa: n.magnitude().clone(), exponent, inexact: false }
            .round(format, mode)
    }

    /// The number nearest to a fraction, in the direction of the mode.
    pub fn of_fraction(
        format: Format,
        mode: RoundingMode,
        numerator: &BigInt,
        denominator: &BigUint,
    ) -> Float {
        let negative = numerator.sign() == Sign::Minus;
        Exact::quotient(negative, numerator.magnitude(), denominator, 0, format).round(format, mode)
    }

    /// The number in another format.
    pub fn convert(&self, format: Format, mode: RoundingMode) -> Float {
        match self.number() {
            Number::NaN => Float::nan(format),
            Number::Infinite { negative } => Float::infinite(format, negative),
            Number::Finite { negative, mantissa, exponent } => {
                Exact { negative, mantissa, exponent, inexact: false }.round(format, mode)
            }
        }
    }

    /// The fraction that is equal to the number; none for infinities and NaN.
    pub fn as_fraction(&self) -> Option<(BigInt, BigUint)> {
        let Number::Finite { negative, mantissa, exponent } = self.number() else { return None };
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let one = BigUint::from(1_u8);
        Some(match exponent {
            0.. => (BigInt::from_biguint(sign, mantissa << exponent), one),
            _ => (BigInt::from_biguint(sign, mantissa), one << exponent.unsigned_abs()),
        })
    }

    /// The nearest integer in the direction of the mode; none for infinities and NaN.
    pub fn to_integer(&self, mode: RoundingMode) -> Option<BigInt> {
        let Number::Finite { negative, mantissa, exponent } = self.number() else { return None };
        let exact = Exact { negative, mantissa, exponent, inexact: false };
        let (magnitude, _) = exact.at(0, mode);
        Some(BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, magnitude))
    }

    fn number(&self) -> Number {
        let Format { significand, exponent } = self.format;
        let fraction_bits = significand - 1;
        let fraction = &self.bits % (BigUint::from(1_u8) << fraction_bits);
        let negative = self.bits.bit(u64::from(self.format.width()) - 1);
        let field = (&self.bits >> fraction_bits) % (BigUint::from(1_u8) << exponent);
        let field = field.iter_u64_digits().next().unwrap_or(0) as i64;
        match field {
            0 => Number::Finite { negative, mantissa: fraction, exponent: self.format.lowest() },
            _ if field == (1 << exponent) - 1 => match fraction.bits() {
                0 => Number::Infinite { negative },
                _ => Number::NaN,
            },
            _ => {
                let mantissa = fraction | (BigUint::from(1_u8) << fraction_bits);
                Number::Finite { negative, mantissa, exponent: self.format.lowest() + field - 1 }
            }
        }
    }

    /// True for NaN.
    pub fn is_nan(&self) -> bool {
        matches!(self.number(), Number::NaN)
    }

    /// True for an infinity.
    pub fn is_infinite(&self) -> bool {
        matches!(self.number(), Number::Infinite { .. })
    }

    /// True for a zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.number(), Number::Finite { mantissa, .. } if mantissa.bits() == 0)
    }

    /// True for a finite number with the full precision.
    pub fn is_normal(&self) -> bool {
        matches!(self.number(), Number::Finite { mantissa, .. } if mantissa.bits() == u64::from(self.format.significand))
    }

    /// True for a finite number, other than zero, with less than the full precision.
    pub fn is_subnormal(&self) -> bool {
        !self.is_nan() && !self.is_infinite() && !self.is_zero() && !self.is_normal()
    }

    /// True if the sign bit is set; false for NaN.
    pub fn is_negative(&self) -> bool {
        !self.is_nan() && self.bits.bit(u64::from(self.format.width()) - 1)
    }

    /// The order of two numbers: zeros are equal, and NaN has none.
    pub fn order(&self, other: &Float) -> Option<Ordering> {
        let key = |float: &Float| match float.number() {
            Number::NaN => None,
            Number::Infinite { negative } => Some((if negative { -1 } else { 1 }, BigInt::ZERO)),
            Number::Finite { negative, mantissa, exponent } => {
                let sign = if negative { Sign::Minus } else { Sign::Plus };
                let shift = exponent - float.format.lowest();
                Some((0, BigInt::from_biguint(sign, mantissa << shift)))
            }
        };
        Some(key(self)?.cmp(&key(other)?))
    }

    /// `fp.eq`.
    pub fn same(&self, other: &Float) -> bool {
        self.order(other) == Some(Ordering::Equal)
    }
}

/// An exact result: ± mantissa · 2^exponent, and a bit more if it is inexact.
struct Exact {
    negative: bool,
    mantissa: BigUint,
    exponent: i64,
    /// True if the exact result lies above the mantissa, by less than its last bit. The mantissa has more bits than the
    /// format then.
    inexact: bool,
}

impl Exact {
    /// ± (numerator / denominator) · 2^exponent, with enough bits for a format.
    fn quotient(
        negative: bool,
        numerator: &BigUint,
        denominator: &BigUint,
        exponent: i64,
        format: Format,
    ) -> Exact {
        let wanted = u64::from(format.significand) + 3 + denominator.bits();
        let shift = wanted.saturating_sub(numerator.bits());
        let (mantissa, rest) = (numerator << shift).div_rem(denominator);
        Exact { negative, mantissa, exponent: exponent - shift as i64, inexact: rest.bits() > 0 }
    }

    /// The magnitude as a multiple of a power of two, rounded. True if it is exact.
    fn at(&self, lowest: i64, mode: RoundingMode) -> (BigUint, bool) {
        let shift = lowest - self.exponent;
        if shift <= 0 {
            return (&self.mantissa << shift.unsigned_abs(), !self.inexact);
        }
        let shift = shift as u64;
        let whole = &self.mantissa >> shift;
        let half = self.mantissa.bit(shift - 1);
        let below = self.inexact || self.mantissa.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
        let up = match mode {
            RoundingMode::Rne => half && (below || whole.bit(0)),
            RoundingMode::Rna => half,
            RoundingMode::Rtp => !self.negative && (half || below),
            RoundingMode::Rtn => self.negative && (half || below),
            RoundingMode::Rtz => false,
        };
        (if up { whole + 1_u8 } else { whole }, !half && !below)
    }

    /// The number of a format.
    fn round(&self, format: Format, mode: RoundingMode) -> Float {
        let precision = i64::from(format.significand);
        let own = self.exponent + self.mantissa.bits() as i64 - precision;
        let mut lowest = own.max(format.lowest());
        let (mut whole, _) = self.at(lowest, mode);
        if whole.bits() as i64 > precision {
            // It was rounded up to a power of two.
            whole >>= 1_u8;
            lowest += 1;
        }
        let normal = whole.bits() as i64 == precision;
        let highest = lowest + precision - 1;
        if normal && highest > format.bias() {
            return self.overflow(format, mode);
        }
        let field = if normal { highest + format.bias() } else { 0 };
        let hidden = BigUint::from(u8::from(normal)) << (format.significand - 1);
        let field = BigUint::from(field.unsigned_abs()) << (format.significand - 1);
        Float::zero(format, self.negative).with(field | (whole - hidden))
    }

    /// The result beyond the greatest finite number: that number, or infinity.
    fn overflow(&self, format: Format, mode: RoundingMode) -> Float {
        let to_zero = match mode {
            RoundingMode::Rne | RoundingMode::Rna => false,
            RoundingMode::Rtp => self.negative,
            RoundingMode::Rtn => !self.negative,
            RoundingMode::Rtz => true,
        };
        let infinite = Float::infinite(format, self.negative);
        if to_zero { Float { format, bits: infinite.bits - 1_u8 } } else { infinite }
    }
}
