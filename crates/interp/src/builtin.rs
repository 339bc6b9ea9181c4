//! Functions of SMT-LIB that have no instruction of their own, and the map functions of Boogie's library.
//!
//! Floating-point numbers and rounding modes are values of reserved constructors: their bits and their format.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

use dally_bpl::ast::RoundingMode;
use dally_bpl::float::{Float, Format};
use dally_step::collection::Entry;

use crate::code::{Arith, Compare};
use crate::evaluate::{self as eval, Trouble, not_one, truth};
use crate::real::Real;
use crate::value::{DataValue, Heap, Value};
use crate::wide;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    /// An operation on values of any type.
    Scalar(Scalar),
    /// An operation on the elements of maps.
    Pointwise(Scalar),
    /// An operation on bits, with the width of the first operand.
    Bits(Bits, u32),
    /// An operation on floating-point numbers.
    Float(FloatOp),
}

/// An operation on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    And,
    Or,
    Not,
    Xor,
    Implies,
    Eq,
    IfThenElse,
    Arith(Arith),
    Compare(Compare),
    /// The absolute value of a number.
    Abs,
    /// The remainder of z3: that of division by the absolute value, with the sign of the divisor.
    Rem,
    /// True if a real is an integer.
    IsInt,
}

/// An operation on bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// Rotations by a constant, to the left.
    Rotate(u32),
    /// Rotations by the second operand.
    RotateBy {
        left: bool,
    },
    Repeat(u32),
    /// The bits from the second up to the first, exclusive.
    Extract(u32, u32),
    ToNatural,
    ToSigned,
    /// The lowest bits of an integer; the width is that of the result.
    OfInt,
    /// True in one bit if some bit is set, or all are.
    AnySet,
    AllSet,
}

/// An operation on floating-point numbers. Operations that round take the mode first, unless it is part of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatOp {
    pub(crate) kind: FloatKind,
    pub(crate) mode: Option<RoundingMode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatKind {
    Abs,
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Fma,
    Sqrt,
    Rem,
    RoundToIntegral,
    Min,
    Max,
    Compare(Compare),
    Eq,
    IsNormal,
    IsSubnormal,
    IsZero,
    IsInfinite,
    IsNaN,
    IsNegative,
    IsPositive,
    /// From the bits of a number.
    OfBits(Format),
    /// From three bitvectors: sign, exponent and significand, of this many bits.
    OfFields(Format),
    /// From a floating-point number, a real, or an integer in bits of this width.
    Convert(Format),
    OfSigned(Format, u32),
    OfUnsigned(Format),
    ToReal,
    ToSigned(u32),
    ToUnsigned(u32),
    ToBits,
}

impl FloatKind {
    /// True if the operation rounds.
    pub(crate) fn rounds(self) -> bool {
        use FloatKind as F;
        let operates =
            matches!(self, F::Add | F::Sub | F::Mul | F::Div | F::Fma | F::Sqrt | F::RoundToIntegral);
        let converts = matches!(self, F::Convert(_) | F::OfSigned(..) | F::OfUnsigned(_));
        operates || converts || matches!(self, F::ToSigned(_) | F::ToUnsigned(_))
    }
}

impl DataValue {
    /// The constructor of floating-point numbers: bits, significand bits, exponent bits.
    pub(crate) const FLOAT: u32 = u32::MAX - 1;
    /// The constructor of rounding modes.
    pub(crate) const ROUNDING: u32 = u32::MAX - 2;
}

const MODES: [RoundingMode; 5] =
    [RoundingMode::Rne, RoundingMode::Rna, RoundingMode::Rtp, RoundingMode::Rtn, RoundingMode::Rtz];

impl Heap {
    /// A floating-point number.
    pub(crate) fn float(&self, float: &Float) -> Value {
        let Format { significand, exponent } = float.format();
        let bits = self.bits(float.bits().clone(), float.format().width());
        let fields = [bits, Value::Bv(significand.into()), Value::Bv(exponent.into())];
        self.construct(DataValue::FLOAT, &fields)
    }

    /// The floating-point number, if the value is one.
    pub(crate) fn as_float(&self, value: Value) -> Result<Float, Trouble> {
        let Value::Data(id) = value else { return Err(not_one(value)) };
        let data = self.data.get(id);
        match data.fields[..] {
            [bits, Value::Bv(significand), Value::Bv(exponent)] if data.constructor == DataValue::FLOAT => {
                let format = Format { significand: significand as u32, exponent: exponent as u32 };
                Ok(Float::from_bits(format, wide::natural(self, bits)?))
            }
            _ => Err(Trouble::Types),
        }
    }

    /// A rounding mode.
    pub(crate) fn rounding(&self, mode: RoundingMode) -> Value {
        let number = MODES.iter().position(|other| *other == mode).unwrap_or(0);
        self.construct(DataValue::ROUNDING, &[Value::Bv(number as u64)])
    }

    /// The rounding mode, if the value is one.
    pub(crate) fn as_rounding(&self, value: Value) -> Result<RoundingMode, Trouble> {
        let Value::Data(id) = value else { return Err(not_one(value)) };
        let data = self.data.get(id);
        match data.fields[..] {
            [Value::Bv(number)] if data.constructor == DataValue::ROUNDING => {
                MODES.get(number as usize).copied().ok_or(Trouble::Types)
            }
            _ => Err(Trouble::Types),
        }
    }
}

/// The result of a function.
pub(crate) fn apply(heap: &Heap, function: BuiltIn, args: &[Value]) -> Result<Value, Trouble> {
    match function {
        BuiltIn::Scalar(op) => scalar(heap, op, args),
        BuiltIn::Pointwise(op) => pointwise(heap, op, args),
        BuiltIn::Bits(op, width) => bits(heap, op, width, args),
        BuiltIn::Float(FloatOp { kind, mode }) => {
            let (mode, args) = match (mode, args) {
                (Some(mode), _) => (mode, args),
                (None, [mode, rest @ ..]) if kind.rounds() => (heap.as_rounding(*mode)?, rest),
                _ => (RoundingMode::Rne, args),
            };
            float(heap, kind, mode, args)
        }
    }
}

fn scalar(heap: &Heap, op: Scalar, args: &[Value]) -> Result<Value, Trouble> {
    Ok(match (op, args) {
        (Scalar::And, [a, b]) => Value::Bool(truth(*a)? && truth(*b)?),
        (Scalar::Or, [a, b]) => Value::Bool(truth(*a)? || truth(*b)?),
        (Scalar::Implies, [a, b]) => Value::Bool(!truth(*a)? || truth(*b)?),
        (Scalar::Xor, [a, b]) => Value::Bool(truth(*a)? != truth(*b)?),
        (Scalar::Not, [a]) => Value::Bool(!truth(*a)?),
        (Scalar::Eq, [a, b]) => Value::Bool(eval::equal(heap, *a, *b)?),
        (Scalar::IfThenElse, [condition, a, b]) => {
            if truth(*condition)? {
                *a
            } else {
                *b
            }
        }
        (Scalar::Arith(op), [a, b]) => eval::arith(heap, op, *a, *b)?,
        (Scalar::Compare(op), [a, b]) => eval::compare(heap, op, *a, *b)?,
        (Scalar::Abs, [a]) => match eval::compare(heap, Compare::Lt, *a, Value::Int(0))? {
            Value::Bool(true) => eval::negate(heap, *a)?,
            _ => *a,
        },
        (Scalar::Rem, [a, b]) => {
            let rest = eval::arith(heap, Arith::Mod, *a, *b)?;
            match eval::compare(heap, Compare::Lt, *b, Value::Int(0))? {
                Value::Bool(true) => eval::negate(heap, rest)?,
                _ => rest,
            }
        }
        (Scalar::IsInt, [a]) => {
            let real = heap.as_real(*a).ok_or(not_one(*a))?;
            Value::Bool(*real.denominator() == BigInt::from(1))
        }
        _ => return Err(Trouble::Types),
    })
}

/// Applies an operation to the elements of maps. Where an element is arbitrary, or the result is not specified, the result is
/// arbitrary.
fn pointwise(heap: &Heap, op: Scalar, args: &[Value]) -> Result<Value, Trouble> {
    let mut maps = Vec::new();
    for arg in args {
        let Value::Map(id) = arg else { return Err(not_one(*arg)) };
        maps.push(heap.maps.get(*id));
    }
    let value = |elements: &[Value]| match scalar(heap, op, elements) {
        Err(Trouble::Types) => Err(Trouble::Types),
        other => Ok(other.unwrap_or(Value::Unset)),
    };
    let defaults: Vec<Value> = maps.iter().map(|map| map.default).collect();
    let mut entries = Vec::new();
    for key in maps.iter().flat_map(|map| map.entries.iter().map(|entry| entry.key)) {
        if entries.iter().any(|entry: &Entry<Value>| entry.key == key) {
            continue;
        }
        let elements: Vec<Value> = args.iter().map(|map| heap.select(*map, key)).collect();
        entries.push(Entry { key, value: value(&elements)? });
    }
    Ok(heap.map_of(value(&defaults)?, entries))
}

fn bits(heap: &Heap, op: Bits, width: u32, args: &[Value]) -> Result<Value, Trouble> {
    let [first, rest @ ..] = args else { return Err(Trouble::Types) };
    let modulus = |width: u32| BigUint::from(1_u8) << width;
    if op == Bits::OfInt {
        let n = heap.big(*first).ok_or(not_one(*first))?;
        let low = n.mod_floor(&BigInt::from(modulus(width))).into_parts().1;
        return Ok(heap.bits(low, width));
    }
    let n = wide::natural(heap, *first)?;
    let rotated = |left: u32| {
        let left = left % width.max(1);
        heap.bits((n.clone() << left | n.clone() >> (width - left)) % modulus(width), width)
    };
    Ok(match op {
        Bits::Rotate(left) => rotated(left),
        Bits::RotateBy { left } => {
            let [by] = rest else { return Err(Trouble::Types) };
            let by = wide::natural(heap, *by)? % width.max(1);
            let by = u32::try_from(by).map_err(|_| Trouble::TooLarge)?;
            rotated(if left { by } else { width - by })
        }
        Bits::Repeat(times) => {
            let total = width.checked_mul(times).filter(|total| *total <= wide::MAX_WIDTH);
            let total = total.ok_or(Trouble::TooLarge)?;
            heap.bits((0..times).fold(BigUint::ZERO, |all, _| all << width | &n), total)
        }
        Bits::Extract(high, low) => heap.bits((n >> low) % modulus(high - low), high - low),
        Bits::ToNatural | Bits::OfInt => heap.int(n.into()),
        Bits::ToSigned => {
            let negative = width > 0 && n.bit(u64::from(width) - 1);
            heap.int(if negative { BigInt::from(n) - BigInt::from(modulus(width)) } else { n.into() })
        }
        Bits::AnySet => Value::Bv(u64::from(n.bits() > 0)),
        Bits::AllSet => Value::Bv(u64::from(n == modulus(width) - 1_u8)),
    })
}

fn float(heap: &Heap, kind: FloatKind, mode: RoundingMode, args: &[Value]) -> Result<Value, Trouble> {
    use FloatKind as F;
    match (kind, args) {
        (F::OfBits(_) | F::OfFields(_) | F::Convert(_) | F::OfSigned(..) | F::OfUnsigned(_), _) => {
            to_float(heap, kind, mode, args).map(|float| heap.float(&float))
        }
        (F::Fma, [a, b, c]) => {
            let (a, b, c) = (heap.as_float(*a)?, heap.as_float(*b)?, heap.as_float(*c)?);
            Ok(heap.float(&a.multiply_add(&b, &c, mode)))
        }
        (_, [a]) => float_unary(heap, kind, mode, &heap.as_float(*a)?),
        (_, [a, b]) => float_binary(heap, kind, mode, &heap.as_float(*a)?, &heap.as_float(*b)?),
        _ => Err(Trouble::Types),
    }
}

fn to_float(heap: &Heap, kind: FloatKind, mode: RoundingMode, args: &[Value]) -> Result<Float, Trouble> {
    use FloatKind as F;
    Ok(match (kind, args) {
        (F::OfBits(format), [bits]) => Float::from_bits(format, wide::natural(heap, *bits)?),
        (F::OfFields(format), [sign, exponent, significand]) => {
            let high = wide::natural(heap, *sign)? << format.exponent | wide::natural(heap, *exponent)?;
            let bits = high << (format.significand - 1) | wide::natural(heap, *significand)?;
            Float::from_bits(format, bits)
        }
        (F::Convert(format), [value @ Value::Data(_)]) => heap.as_float(*value)?.convert(format, mode),
        (F::Convert(format), [value]) => {
            let real = heap.as_real(*value).ok_or(not_one(*value))?;
            Float::of_fraction(format, mode, real.numerator(), real.denominator().magnitude())
        }
        (F::OfSigned(format, width), [bits]) => {
            let number = self::bits(heap, Bits::ToSigned, width, &[*bits])?;
            let number = heap.big(number).ok_or(Trouble::Types)?;
            Float::rounded(format, mode, &number, 0)
        }
        (F::OfUnsigned(format), [bits]) => {
            Float::rounded(format, mode, &BigInt::from(wide::natural(heap, *bits)?), 0)
        }
        _ => return Err(Trouble::Types),
    })
}

fn float_unary(heap: &Heap, kind: FloatKind, mode: RoundingMode, a: &Float) -> Result<Value, Trouble> {
    use FloatKind as F;
    Ok(match kind {
        F::Abs => heap.float(&a.absolute()),
        F::Neg => heap.float(&a.negate()),
        F::Sqrt => heap.float(&a.square_root(mode)),
        F::RoundToIntegral => heap.float(&a.round_to_integral(mode)),
        F::IsNormal => Value::Bool(a.is_normal()),
        F::IsSubnormal => Value::Bool(a.is_subnormal()),
        F::IsZero => Value::Bool(a.is_zero()),
        F::IsInfinite => Value::Bool(a.is_infinite()),
        F::IsNaN => Value::Bool(a.is_nan()),
        F::IsNegative => Value::Bool(a.is_negative()),
        F::IsPositive => Value::Bool(!a.is_nan() && !a.is_negative()),
        F::ToReal => {
            let (numerator, denominator) = a.as_fraction().ok_or(Trouble::Unspecified)?;
            heap.real(Real::new(numerator, denominator.into()).ok_or(Trouble::Types)?)
        }
        F::ToSigned(width) | F::ToUnsigned(width) => {
            let n = a.to_integer(mode).ok_or(Trouble::Unspecified)?;
            let signed = matches!(kind, F::ToSigned(_));
            let (low, high) = match signed {
                true => (-(BigInt::from(1) << (width - 1)), BigInt::from(1) << (width - 1)),
                false => (BigInt::ZERO, BigInt::from(1) << width),
            };
            if n < low || n >= high {
                return Err(Trouble::Unspecified);
            }
            let number = heap.int(n);
            bits(heap, Bits::OfInt, width, &[number])?
        }
        F::ToBits if a.is_nan() => return Err(Trouble::Unspecified),
        F::ToBits => heap.bits(a.bits().clone(), a.format().width()),
        _ => return Err(Trouble::Types),
    })
}

fn float_binary(
    heap: &Heap,
    kind: FloatKind,
    mode: RoundingMode,
    a: &Float,
    b: &Float,
) -> Result<Value, Trouble> {
    use FloatKind as F;
    Ok(match kind {
        F::Add => heap.float(&a.add(b, mode)),
        F::Sub => heap.float(&a.subtract(b, mode)),
        F::Mul => heap.float(&a.multiply(b, mode)),
        F::Div => heap.float(&a.divide(b, mode)),
        F::Rem => heap.float(&a.remainder(b)),
        F::Eq => Value::Bool(a.same(b)),
        F::Compare(op) => Value::Bool(a.order(b).is_some_and(|order| eval::ordered(op, order))),
        F::Min | F::Max => {
            if a.is_zero() && b.is_zero() && a != b {
                return Err(Trouble::Unspecified);
            }
            let wanted = if kind == F::Min { Compare::Le } else { Compare::Ge };
            let first = b.is_nan() || a.order(b).is_some_and(|order| eval::ordered(wanted, order));
            heap.float(if first { a } else { b })
        }
        _ => return Err(Trouble::Types),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(heap: &Heap, op: Bits, width: u32, args: &[u64]) -> Option<BigInt> {
        let args: Vec<Value> = args.iter().map(|n| heap.bits((*n).into(), width)).collect();
        match bits(heap, op, width, &args).unwrap() {
            value @ (Value::Bv(_) | Value::Wide(_)) => Some(wide::natural(heap, value).unwrap().into()),
            value => heap.big(value),
        }
    }

    #[test]
    fn bits_are_rotated_and_repeated() {
        let heap = Heap::default();
        let n = |op, width, args: &[u64]| words(&heap, op, width, args).unwrap();
        assert_eq!(n(Bits::Rotate(1), 8, &[0x81]), 3.into());
        assert_eq!(n(Bits::Rotate(9), 8, &[0x81]), 3.into());
        assert_eq!(n(Bits::Rotate(0), 8, &[0x81]), 0x81.into());
        assert_eq!(n(Bits::RotateBy { left: false }, 8, &[0x81, 1]), 0xc0.into());
        assert_eq!(n(Bits::RotateBy { left: false }, 8, &[0x81, 8]), 0x81.into());
        assert_eq!(n(Bits::Repeat(3), 4, &[0xa]), 0xaaa.into());
        assert_eq!(n(Bits::ToSigned, 4, &[0xa]), (-6).into());
        assert_eq!(n(Bits::Extract(6, 2), 8, &[0xff]), 15.into());
        assert_eq!(bits(&heap, Bits::OfInt, 8, &[Value::Int(-1)]), Ok(Value::Bv(255)));
    }

    #[test]
    fn remainders_have_the_sign_of_the_divisor() {
        let heap = Heap::default();
        for (a, b, rest) in [(7, 3, 1), (-7, 3, 2), (7, -3, -1), (-7, -3, -2)] {
            let args = [Value::Int(a), Value::Int(b)];
            assert_eq!(scalar(&heap, Scalar::Rem, &args), Ok(Value::Int(rest)), "{a} {b}");
        }
    }

    #[test]
    fn maps_are_combined_element_by_element() {
        let heap = Heap::default();
        let map = |default: i64, at: i64, value: i64| {
            heap.store(heap.constant_map(Value::Int(default)), Value::Int(at), Value::Int(value))
        };
        let (a, b) = (map(1, 5, 10), map(2, 6, 20));
        let sum = pointwise(&heap, Scalar::Arith(Arith::Add), &[a, b]).unwrap();
        let at = |key: i64| heap.select(sum, Value::Int(key));
        assert_eq!((at(0), at(5), at(6)), (Value::Int(3), Value::Int(12), Value::Int(21)));
        let zero = heap.constant_map(Value::Int(0));
        let quotient = pointwise(&heap, Scalar::Arith(Arith::Div), &[a, zero]).unwrap();
        assert_eq!(heap.select(quotient, Value::Int(5)), Value::Unset);
    }
}
