//! Arithmetic on reals: exact fractions.

pub(crate) use dally_bpl::real::Real;

use crate::code::Arith;
use crate::evaluate::Trouble;

/// The limit on the bits of a fraction: the greatest common divisor takes quadratic time.
pub(crate) const MAX_BITS: u64 = 1 << 16;

/// The result of an operation on two fractions.
pub(crate) fn arith(op: Arith, a: &Real, b: &Real) -> Result<Real, Trouble> {
    if a.bits() + b.bits() > MAX_BITS {
        return Err(Trouble::TooLarge);
    }
    let (n, d) = match op {
        Arith::Add => (
            a.numerator() * b.denominator() + b.numerator() * a.denominator(),
            a.denominator() * b.denominator(),
        ),
        Arith::Sub => (
            a.numerator() * b.denominator() - b.numerator() * a.denominator(),
            a.denominator() * b.denominator(),
        ),
        Arith::Mul => (a.numerator() * b.numerator(), a.denominator() * b.denominator()),
        Arith::Quotient => (a.numerator() * b.denominator(), a.denominator() * b.numerator()),
        Arith::Div | Arith::Mod => return Err(Trouble::Types),
    };
    Real::new(n, d).ok_or(Trouble::DivisionByZero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: i64, d: i64) -> Real {
        Real::new(n.into(), d.into()).unwrap()
    }

    /// Arithmetic on small fractions agrees with integer arithmetic on numerators and denominators.
    #[test]
    fn arithmetic_agrees_with_that_of_integers() {
        let all = (-6..=6).flat_map(|n| (1..=5).map(move |d| (n, d)));
        for (n, d) in all.clone() {
            for (m, e) in all.clone() {
                let (a, b) = (of(n, d), of(m, e));
                assert_eq!(a.cmp(&b), (n * e).cmp(&(m * d)));
                assert_eq!(a == b, n * e == m * d);
                assert_eq!(arith(Arith::Add, &a, &b), Ok(of(n * e + m * d, d * e)));
                assert_eq!(arith(Arith::Sub, &a, &b), Ok(of(n * e - m * d, d * e)));
                assert_eq!(arith(Arith::Mul, &a, &b), Ok(of(n * m, d * e)));
                let quotient = arith(Arith::Quotient, &a, &b);
                match m {
                    0 => assert_eq!(quotient, Err(Trouble::DivisionByZero)),
                    _ => assert_eq!(quotient, Ok(of(n * e, d * m))),
                }
            }
        }
    }

    #[test]
    fn large_fractions_are_rejected() {
        let mut third = of(1, 3);
        let result = (0..20).try_for_each(|_| {
            third = arith(Arith::Mul, &third, &third)?;
            Ok(())
        });
        assert_eq!(result, Err(Trouble::TooLarge));
        assert!(third.bits() <= MAX_BITS);
    }
}
