//! Operations on values.

use std::cmp::Ordering;

use num_bigint::BigInt;

use crate::bv;
use crate::code::{Arith, Compare, Op};
use crate::real::{self, MAX_BITS as MAX_REAL_BITS, Real};
use crate::value::{Heap, Value};

/// The reason why a value cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It depends on an arbitrary value.
    Arbitrary,
    /// Division by zero.
    DivisionByZero,
    /// A field that the value does not have.
    MissingField,
    /// The number exceeds the limit on bits.
    TooLarge,
    /// SMT-LIB does not specify the result.
    Unspecified,
    /// The value is of another type, which the type checker rules out.
    Types,
}

impl Trouble {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Trouble::Arbitrary => "this depends on an arbitrary value: assign to it first",
            Trouble::TooLarge => {
                "a number above the limit of a million bits for integers, or 65,536 for reals"
            }
            Trouble::Unspecified => "a result that SMT-LIB does not specify",
            Trouble::DivisionByZero => "division by zero",
            Trouble::MissingField => "the value has no such field",
            Trouble::Types => "the value is of another type",
        }
    }
}

/// The limit on the bits of both operands together: integers are unbounded, but memory and time are not.
const MAX_BITS: u64 = 1 << 20;

pub(crate) fn arith(heap: &Heap, op: Arith, a: Value, b: Value) -> Result<Value, Trouble> {
    if let (Value::Int(x), Value::Int(y)) = (a, b) {
        let small = match op {
            Arith::Add => x.checked_add(y),
            Arith::Sub => x.checked_sub(y),
            Arith::Mul => x.checked_mul(y),
            // As in SMT-LIB, the remainder is never negative.
            Arith::Div | Arith::Mod if y == 0 => return Err(Trouble::DivisionByZero),
            Arith::Div => x.checked_div_euclid(y),
            Arith::Mod => x.checked_rem_euclid(y),
            Arith::Quotient => None,
        };
        if let Some(n) = small {
            return Ok(Value::Int(n));
        }
    }
    if op == Arith::Quotient || matches!((a, b), (Value::Real(_), _) | (_, Value::Real(_))) {
        return Ok(heap.real(real::arith(op, &real(heap, a)?, &real(heap, b)?)?));
    }
    let (x, y) = (number(heap, a)?, number(heap, b)?);
    if x.bits() + y.bits() > MAX_BITS {
        return Err(Trouble::TooLarge);
    }
    Ok(heap.int(match op {
        Arith::Add => x + y,
        Arith::Sub => x - y,
        Arith::Mul => x * y,
        Arith::Quotient => return Err(Trouble::Types),
        Arith::Div | Arith::Mod => {
            let zero = BigInt::from(0);
            if y == zero {
                return Err(Trouble::DivisionByZero);
            }
            let (mut quotient, mut remainder) = (&x / &y, &x % &y);
            if remainder < zero {
                let up = y < zero;
                quotient += if up { 1 } else { -1 };
                remainder += if up { -y } else { y };
            }
            if op == Arith::Div { quotient } else { remainder }
        }
    }))
}

fn number(heap: &Heap, value: Value) -> Result<BigInt, Trouble> {
    heap.big(value).ok_or(not_one(value))
}

fn real(heap: &Heap, value: Value) -> Result<Real, Trouble> {
    heap.as_real(value).ok_or(not_one(value))
}

/// The error for a value that is not of the expected type.
pub(crate) fn not_one(value: Value) -> Trouble {
    if value == Value::Unset { Trouble::Arbitrary } else { Trouble::Types }
}

/// The greatest integer that is at most the real.
pub(crate) fn floor(heap: &Heap, value: Value) -> Result<Value, Trouble> {
    Ok(heap.int(real(heap, value)?.floor()))
}

/// The real that is equal to an integer.
pub(crate) fn to_real(heap: &Heap, value: Value) -> Result<Value, Trouble> {
    let real = real(heap, value)?;
    if real.bits() > MAX_REAL_BITS { Err(Trouble::TooLarge) } else { Ok(heap.real(real)) }
}

pub(crate) fn negate(heap: &Heap, value: Value) -> Result<Value, Trouble> {
    arith(heap, Arith::Sub, Value::Int(0), value)
}

pub(crate) fn compare(heap: &Heap, op: Compare, a: Value, b: Value) -> Result<Value, Trouble> {
    let ordering = match (a, b) {
        (Value::Int(x), Value::Int(y)) => x.cmp(&y),
        (Value::Real(_), _) | (_, Value::Real(_)) => real(heap, a)?.cmp(&real(heap, b)?),
        _ => number(heap, a)?.cmp(&number(heap, b)?),
    };
    Ok(Value::Bool(ordered(op, ordering)))
}

/// The result of a comparison of two values with this ordering.
#[inline]
pub(crate) fn ordered(op: Compare, ordering: Ordering) -> bool {
    match op {
        Compare::Lt => ordering == Ordering::Less,
        Compare::Le => ordering != Ordering::Greater,
        Compare::Gt => ordering == Ordering::Greater,
        Compare::Ge => ordering != Ordering::Less,
    }
}

/// True if two values are equal; an error if that depends on an arbitrary value.
#[inline]
pub(crate) fn equal(heap: &Heap, a: Value, b: Value) -> Result<bool, Trouble> {
    let word = |v| !matches!(v, Value::Unset | Value::Map(_) | Value::Data(_));
    if word(a) && word(b) {
        return Ok(a == b);
    }
    equal_parts(heap, a, b)
}

fn equal_parts(heap: &Heap, a: Value, b: Value) -> Result<bool, Trouble> {
    if a == Value::Unset || b == Value::Unset {
        return Err(Trouble::Arbitrary);
    }
    if heap.is_known(a) && heap.is_known(b) {
        return Ok(a == b);
    }
    if differ(heap, a, b) { Ok(false) } else { Err(Trouble::Arbitrary) }
}

/// True if two values differ wherever they are known in part: in a constructor, a field, or the element at an index.
fn differ(heap: &Heap, a: Value, b: Value) -> bool {
    dally_text::stack::grow(|| match (a, b) {
        (Value::Map(left), Value::Map(right)) => {
            let keys = [left, right].into_iter().flat_map(|id| heap.maps.get(id).entries.iter());
            let mut keys = keys.map(|entry| entry.key).filter(|key| heap.is_known(*key));
            keys.any(|key| differ(heap, heap.select(a, key), heap.select(b, key)))
        }
        (Value::Data(left), Value::Data(right)) => {
            let (left, right) = (heap.data.get(left), heap.data.get(right));
            let mut fields = left.fields.iter().zip(&right.fields);
            left.constructor != right.constructor || fields.any(|(a, b)| differ(heap, *a, *b))
        }
        _ => matches!(equal(heap, a, b), Ok(false)),
    })
}

pub(crate) fn truth(value: Value) -> Result<bool, Trouble> {
    match value {
        Value::Bool(b) => Ok(b),
        Value::Unset => Err(Trouble::Arbitrary),
        _ => Err(Trouble::Types),
    }
}

pub(crate) fn bits(value: Value) -> Result<u64, Trouble> {
    match value {
        Value::Bv(n) => Ok(n),
        Value::Unset => Err(Trouble::Arbitrary),
        _ => Err(Trouble::Types),
    }
}

/// The operations on one bitvector.
pub(crate) fn bits_unary(op: Op, value: Value) -> Result<Value, Trouble> {
    let n = bits(value)?;
    Ok(match op {
        Op::Extract(high, low) => Value::Bv(bv::wrap(n >> low.min(63), high - low)),
        Op::SignExtend(from, to) => Value::Bv(bv::sign_extend(n, from, to)),
        Op::Bv(op, width) => bv::unary(op, n, width),
        _ => Value::Bv(n),
    })
}

/// The field of a value, given its place in each constructor.
pub(crate) fn field(heap: &Heap, places: &[(u32, u32)], value: Value) -> Result<Value, Trouble> {
    let Value::Data(id) = value else { return Err(not_one(value)) };
    let data = heap.data.get(id);
    let place = places.iter().find(|(c, _)| *c == data.constructor).ok_or(Trouble::MissingField)?;
    Ok(data.fields[place.1 as usize])
}

/// The value with another value for a field.
pub(crate) fn field_update(
    heap: &Heap,
    places: &[(u32, u32)],
    value: Value,
    new: Value,
) -> Result<Value, Trouble> {
    field(heap, places, value)?;
    let Value::Data(id) = value else { return Err(Trouble::Types) };
    let data = heap.data.get(id);
    let mut fields = data.fields.clone();
    if let Some((_, place)) = places.iter().find(|(c, _)| *c == data.constructor) {
        fields[*place as usize] = new;
    }
    Ok(heap.construct(data.constructor, &fields))
}

pub(crate) fn is_constructor(heap: &Heap, constructor: u32, value: Value) -> Result<Value, Trouble> {
    match value {
        Value::Data(id) => Ok(Value::Bool(heap.data.get(id).constructor == constructor)),
        Value::Unset => Err(Trouble::Arbitrary),
        _ => Err(Trouble::Types),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_do_not_overflow() {
        let heap = Heap::default();
        let big = arith(&heap, Arith::Mul, Value::Int(i64::MAX), Value::Int(4)).unwrap();
        assert!(matches!(big, Value::Big(_)));
        assert_eq!(arith(&heap, Arith::Div, big, Value::Int(4)), Ok(Value::Int(i64::MAX)));
        assert_eq!(compare(&heap, Compare::Gt, big, Value::Int(1)), Ok(Value::Bool(true)));
        assert_eq!(
            negate(&heap, Value::Int(i64::MIN)).map(|v| heap.big(v)),
            Ok(Some(-BigInt::from(i64::MIN)))
        );
    }

    #[test]
    fn division_is_that_of_smt_lib() {
        let heap = Heap::default();
        for a in -7..=7 {
            for b in [-3, -2, 2, 3] {
                let (q, r) = (a_div(&heap, a, b, Arith::Div), a_div(&heap, a, b, Arith::Mod));
                assert!((0..b.abs()).contains(&r) && q * b + r == a, "{a} {b}: {q} {r}");
                let shift = i128::from(i64::MAX) * 8;
                let large = heap.int(BigInt::from(i128::from(a) + shift * i128::from(b)));
                let Ok(Value::Int(m)) = arith(&heap, Arith::Mod, large, Value::Int(b)) else { panic!() };
                assert_eq!(m, r);
            }
        }
        assert_eq!(arith(&heap, Arith::Div, Value::Int(1), Value::Int(0)), Err(Trouble::DivisionByZero));
    }

    fn a_div(heap: &Heap, a: i64, b: i64, op: Arith) -> i64 {
        match arith(heap, op, Value::Int(a), Value::Int(b)) {
            Ok(Value::Int(n)) => n,
            other => panic!("{other:?}"),
        }
    }
}
