//! The operations of IEEE 754.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use super::{Exact, Float, Number};
use crate::ast::RoundingMode;

impl Float {
    /// The number with the other sign.
    #[must_use]
    pub fn negate(&self) -> Float {
        if self.is_nan() {
            return self.clone();
        }
        let sign = BigUint::from(1_u8) << (self.format.width() - 1);
        Float { format: self.format, bits: &self.bits ^ sign }
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(&self) -> Float {
        if self.is_negative() { self.negate() } else { self.clone() }
    }

    /// The sum of two numbers.
    #[must_use]
    pub fn add(&self, other: &Float, mode: RoundingMode) -> Float {
        match (self.number(), other.number()) {
            (Number::NaN, _) | (_, Number::NaN) => Float::nan(self.format),
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => {
                Float::nan(self.format)
            }
            (Number::Infinite { .. }, _) => self.clone(),
            (_, Number::Infinite { .. }) => other.clone(),
            (a, b) => sum(&a, &b, mode).round(self.format, mode),
        }
    }

    /// The difference of two numbers.
    #[must_use]
    pub fn subtract(&self, other: &Float, mode: RoundingMode) -> Float {
        self.add(&other.negate(), mode)
    }

    /// The product of two numbers.
    #[must_use]
    pub fn multiply(&self, other: &Float, mode: RoundingMode) -> Float {
        match product(&self.number(), &other.number()) {
            Number::NaN => Float::nan(self.format),
            Number::Infinite { negative } => Float::infinite(self.format, negative),
            Number::Finite { negative, mantissa, exponent } => {
                Exact { negative, mantissa, exponent, inexact: false }.round(self.format, mode)
            }
        }
    }

    /// The product of two numbers plus a third one, rounded once.
    #[must_use]
    pub fn multiply_add(&self, other: &Float, more: &Float, mode: RoundingMode) -> Float {
        match (product(&self.number(), &other.number()), more.number()) {
            (Number::NaN, _) | (_, Number::NaN) => Float::nan(self.format),
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => {
                Float::nan(self.format)
            }
            (Number::Infinite { negative }, _) => Float::infinite(self.format, negative),
            (_, Number::Infinite { .. }) => more.clone(),
            (a, b) => sum(&a, &b, mode).round(self.format, mode),
        }
    }

    /// The quotient of two numbers.
    #[must_use]
    pub fn divide(&self, other: &Float, mode: RoundingMode) -> Float {
        let negative = self.is_negative() != other.is_negative();
        match (self.number(), other.number()) {
            (Number::NaN, _) | (_, Number::NaN) => Float::nan(self.format),
            (Number::Infinite { .. }, Number::Infinite { .. }) => Float::nan(self.format),
            (Number::Infinite { .. }, _) => Float::infinite(self.format, negative),
            (_, Number::Infinite { .. }) => Float::zero(self.format, negative),
            _ if other.is_zero() => match self.is_zero() {
                true => Float::nan(self.format),
                false => Float::infinite(self.format, negative),
            },
            (
                Number::Finite { mantissa: a, exponent: x, .. },
                Number::Finite { mantissa: b, exponent: y, .. },
            ) => Exact::quotient(negative, &a, &b, x - y, self.format).round(self.format, mode),
        }
    }

    /// The square root of a number.
    #[must_use]
    pub fn square_root(&self, mode: RoundingMode) -> Float {
        match self.number() {
            Number::NaN => self.clone(),
            _ if self.is_zero() => self.clone(),
            _ if self.is_negative() => Float::nan(self.format),
            Number::Infinite { .. } => self.clone(),
            Number::Finite { mantissa, exponent, .. } => {
                let wanted = 2 * (u64::from(self.format.significand) + 3);
                let shift = wanted.saturating_sub(mantissa.bits());
                // The root of a power of two with an odd exponent is irrational.
                let shift = shift + u64::from((exponent - shift as i64).is_odd());
                let square = mantissa << shift;
                let root = square.sqrt();
                let inexact = &root * &root != square;
                let exponent = (exponent - shift as i64) / 2;
                Exact { negative: false, mantissa: root, exponent, inexact }.round(self.format, mode)
            }
        }
    }

    /// The IEEE remainder: x − y · n, where n is the integer nearest to x / y, and the even one of two.
    #[must_use]
    pub fn remainder(&self, other: &Float) -> Float {
        if self.is_nan() || other.is_nan() || self.is_infinite() || other.is_zero() {
            return Float::nan(self.format);
        }
        let (Some((a, b)), Some((c, d))) = (self.as_fraction(), other.as_fraction()) else {
            return self.clone();
        };
        // x and y as multiples of a common fraction.
        let (x, y) = (a * BigInt::from(d.clone()), c * BigInt::from(b.clone()));
        let size = BigInt::from(y.magnitude().clone());
        let (mut quotient, mut rest) = x.div_mod_floor(&size);
        let twice: BigInt = &rest * 2;
        if twice > size || twice == size && quotient.is_odd() {
            rest -= size;
            quotient += 1;
        }
        match rest.sign() {
            Sign::NoSign => Float::zero(self.format, self.is_negative()),
            _ => Float::of_fraction(self.format, RoundingMode::Rne, &rest, &(b * d)),
        }
    }

    /// The nearest integral number in the direction of the mode.
    #[must_use]
    pub fn round_to_integral(&self, mode: RoundingMode) -> Float {
        match (self.number(), self.to_integer(mode)) {
            (Number::Finite { negative, exponent: ..0, .. }, Some(integer)) => match integer.sign() {
                Sign::NoSign => Float::zero(self.format, negative),
                _ => Float::rounded(self.format, mode, &integer, 0),
            },
            _ => self.clone(),
        }
    }
}

/// The exact sum of two finite numbers.
fn sum(a: &Number, b: &Number, mode: RoundingMode) -> Exact {
    let (
        Number::Finite { negative: m, mantissa: a, exponent: x },
        Number::Finite { negative: n, mantissa: b, exponent: y },
    ) = (a, b)
    else {
        return Exact { negative: false, mantissa: BigUint::ZERO, exponent: 0, inexact: false };
    };
    let exponent = (*x).min(*y);
    let signed = |negative: bool, mantissa: &BigUint, from: i64| {
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, mantissa << (from - exponent))
    };
    let total = signed(*m, a, *x) + signed(*n, b, *y);
    let negative = match total.sign() {
        Sign::Minus => true,
        Sign::Plus => false,
        // Zeros of one sign have that sign; otherwise the mode decides.
        Sign::NoSign if a.bits() == 0 && b.bits() == 0 && m == n => *m,
        Sign::NoSign => mode == RoundingMode::Rtn,
    };
    Exact { negative, mantissa: total.into_parts().1, exponent, inexact: false }
}

/// The exact product of two numbers.
fn product(a: &Number, b: &Number) -> Number {
    let negative = is_negative(a) != is_negative(b);
    let is_zero = |n: &Number| matches!(n, Number::Finite { mantissa, .. } if mantissa.bits() == 0);
    match (a, b) {
        (Number::NaN, _) | (_, Number::NaN) => Number::NaN,
        (Number::Infinite { .. }, other) | (other, Number::Infinite { .. }) => match is_zero(other) {
            true => Number::NaN,
            false => Number::Infinite { negative },
        },
        (
            Number::Finite { mantissa: a, exponent: x, .. },
            Number::Finite { mantissa: b, exponent: y, .. },
        ) => Number::Finite { negative, mantissa: a * b, exponent: x + y },
    }
}

fn is_negative(number: &Number) -> bool {
    match number {
        Number::NaN => false,
        Number::Infinite { negative } | Number::Finite { negative, .. } => *negative,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use super::*;
    use crate::float::Format;

    const DOUBLE: Format = Format { significand: 53, exponent: 11 };
    const SINGLE: Format = Format::SINGLE;

    fn double(n: f64) -> Float {
        Float::from_bits(DOUBLE, n.to_bits().into())
    }

    fn single(n: f32) -> Float {
        Float::from_bits(SINGLE, n.to_bits().into())
    }

    /// Numbers of all classes.
    fn doubles() -> Vec<f64> {
        let some = [0.0, 1.0, 1.5, 2.0, 3.0, 0.1, 1e10, 1e-10, 1e300, 1e-300, 7.25, 1e16, 12345.678];
        let edges = [f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, 5e-324, 1e-310, 2.2e-308, f64::EPSILON];
        let all = some.into_iter().chain(edges);
        all.flat_map(|n: f64| [n, -n]).chain([f64::NAN]).collect()
    }

    /// The processor rounds to nearest, ties to even.
    #[test]
    fn results_are_those_of_the_processor() {
        let rne = RoundingMode::Rne;
        for a in doubles() {
            let x = double(a);
            assert_eq!(x.square_root(rne), double(a.sqrt()), "sqrt {a}");
            assert_eq!(x.convert(SINGLE, rne), single(a as f32), "single {a}");
            assert_eq!(x.round_to_integral(RoundingMode::Rtz), double(a.trunc()), "trunc {a}");
            assert_eq!(x.round_to_integral(RoundingMode::Rtn), double(a.floor()), "floor {a}");
            assert_eq!(x.round_to_integral(RoundingMode::Rtp), double(a.ceil()), "ceil {a}");
            assert_eq!(x.round_to_integral(RoundingMode::Rna), double(a.round()), "round {a}");
            assert_eq!(x.round_to_integral(rne), double(a.round_ties_even()), "even {a}");
            assert_eq!(x.is_normal(), a.is_normal(), "{a}");
            assert_eq!(x.is_subnormal(), a.is_subnormal(), "{a}");
            for b in doubles() {
                let y = double(b);
                assert_eq!(x.add(&y, rne), double(a + b), "{a} + {b}");
                assert_eq!(x.subtract(&y, rne), double(a - b), "{a} - {b}");
                assert_eq!(x.multiply(&y, rne), double(a * b), "{a} * {b}");
                assert_eq!(x.divide(&y, rne), double(a / b), "{a} / {b}");
                assert_eq!(x.order(&y), a.partial_cmp(&b), "{a} <=> {b}");
                for c in [0.0, -0.0, 1e-16, 3.0, -1e300, f64::INFINITY] {
                    let fused = a.mul_add(b, c);
                    assert_eq!(x.multiply_add(&y, &double(c), rne), double(fused), "{a} * {b} + {c}");
                }
            }
        }
    }

    #[test]
    fn modes_surround_the_exact_result() {
        let (one, three) = (double(1.0), double(3.0));
        let third = |mode| one.divide(&three, mode);
        let below = third(RoundingMode::Rtz);
        assert_eq!(below, third(RoundingMode::Rtn));
        let above = third(RoundingMode::Rtp);
        assert_eq!(below.order(&above), Some(std::cmp::Ordering::Less));
        let most = double(f64::MAX);
        assert_eq!(most.add(&most, RoundingMode::Rtz), most);
        assert_eq!(most.negate().add(&most.negate(), RoundingMode::Rtp), most.negate());
        assert!(most.add(&most, RoundingMode::Rna).is_infinite());
        let tie = |n: f64, mode| double(n).to_integer(mode).unwrap();
        assert_eq!(tie(2.5, RoundingMode::Rne), 2.into());
        assert_eq!(tie(2.5, RoundingMode::Rna), 3.into());
        assert_eq!(tie(-2.5, RoundingMode::Rtp), (-2).into());
        assert_eq!(one.add(&one.negate(), RoundingMode::Rtn), double(-0.0));
    }

    #[test]
    fn remainders_are_nearest() {
        for (x, y, r) in
            [(5.0, 3.0, -1.0), (4.0, 3.0, 1.0), (-5.0, 2.0, -1.0), (7.0, 2.0, -1.0), (6.0, 4.0, -2.0)]
        {
            assert_eq!(double(x).remainder(&double(y)), double(r), "{x} {y}");
        }
        assert_eq!(double(-4.0).remainder(&double(2.0)), double(-0.0));
        assert_eq!(double(3.0).remainder(&double(f64::INFINITY)), double(3.0));
        assert!(double(3.0).remainder(&double(0.0)).is_nan());
    }
}
