//! Arithmetic of bitvectors of more than 64 bits, as SMT-LIB defines it.
//!
//! The type alone decides where a bitvector is stored: in the heap ([`Value::Wide`]) if it has more than 64 bits, in a word
//! ([`Value::Bv`]) otherwise.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use crate::code::{BvOp, WideOp};
use crate::evaluate::{Trouble, not_one};
use crate::value::{Heap, Value};

/// Wider bitvectors are not supported.
pub(crate) const MAX_WIDTH: u32 = 1 << 20;

fn power(width: u32) -> BigUint {
    BigUint::from(1_u8) << width
}

/// The lowest `width` bits of a number.
fn wrap(n: BigUint, width: u32) -> BigUint {
    if n.bits() <= u64::from(width) { n } else { n % power(width) }
}

/// The two's complement number that the bits encode.
fn signed(n: &BigUint, width: u32) -> BigInt {
    let number = BigInt::from(n.clone());
    let negative = width > 0 && n.bit(u64::from(width) - 1);
    if negative { number - BigInt::from(power(width)) } else { number }
}

/// The bits of a number in two's complement.
fn unsigned(n: &BigInt, width: u32) -> BigUint {
    n.mod_floor(&BigInt::from(power(width))).into_parts().1
}

/// The natural number that the bits of a value encode.
pub(crate) fn natural(heap: &Heap, value: Value) -> Result<BigUint, Trouble> {
    match value {
        Value::Bv(n) => Ok(n.into()),
        Value::Wide(id) => Ok(heap.wides.get(id).clone()),
        _ => Err(not_one(value)),
    }
}

/// An operation on one bitvector.
pub(crate) fn unary(heap: &Heap, op: WideOp, value: Value) -> Result<Value, Trouble> {
    let n = natural(heap, value)?;
    Ok(match op {
        WideOp::Extract(high, low) => heap.bits(wrap(n >> low, high - low), high - low),
        WideOp::ZeroExtend(to) => heap.bits(n, to),
        WideOp::SignExtend(from, to) => heap.bits(unsigned(&signed(&n, from), to), to),
        WideOp::Bv(BvOp::Not, width) => heap.bits(power(width) - 1_u8 - n, width),
        WideOp::Bv(_, width) => heap.bits(wrap(power(width) - n, width), width),
        WideOp::Concat(_) => return Err(Trouble::Types),
    })
}

/// An operation on two bitvectors.
pub(crate) fn binary(heap: &Heap, op: WideOp, a: Value, b: Value) -> Result<Value, Trouble> {
    let (a, b) = (natural(heap, a)?, natural(heap, b)?);
    match op {
        WideOp::Concat(right) => Ok(heap.bits(a << right | b, u32::MAX)),
        WideOp::Bv(op, width) => Ok(match compare(op, &a, &b, width) {
            Some(truth) => Value::Bool(truth),
            None if op == BvOp::Comp => Value::Bv(u64::from(a == b)),
            None => heap.bits(compute(op, a, b, width), width),
        }),
        _ => Err(Trouble::Types),
    }
}

/// The result of a comparison; none if the operation is not one.
fn compare(op: BvOp, a: &BigUint, b: &BigUint, width: u32) -> Option<bool> {
    let by_sign = || (signed(a, width), signed(b, width));
    Some(match op {
        BvOp::Ult => a < b,
        BvOp::Ule => a <= b,
        BvOp::Ugt => a > b,
        BvOp::Uge => a >= b,
        BvOp::Slt => by_sign().0 < by_sign().1,
        BvOp::Sle => by_sign().0 <= by_sign().1,
        BvOp::Sgt => by_sign().0 > by_sign().1,
        BvOp::Sge => by_sign().0 >= by_sign().1,
        _ => return None,
    })
}

/// The result of an operation whose result is a bitvector.
fn compute(op: BvOp, a: BigUint, b: BigUint, width: u32) -> BigUint {
    let zero = BigUint::ZERO;
    let ones = || power(width) - 1_u8;
    let by_sign = || (signed(&a, width), signed(&b, width));
    // A shift by the width or more shifts out every bit.
    let distance = u32::try_from(&b).unwrap_or(u32::MAX).min(width);
    match op {
        BvOp::Add => wrap(a + b, width),
        BvOp::Sub => wrap(power(width) + a - b, width),
        BvOp::Mul => wrap(a * b, width),
        // Division by zero is defined: all ones, and the dividend as the remainder.
        BvOp::Udiv if b == zero => ones(),
        BvOp::Udiv => a / b,
        BvOp::Urem | BvOp::Srem | BvOp::Smod if b == zero => a,
        BvOp::Urem => a % b,
        BvOp::Sdiv if b == zero => match signed(&a, width).sign() {
            Sign::Minus => BigUint::from(1_u8),
            _ => ones(),
        },
        BvOp::Sdiv => unsigned(&(by_sign().0 / by_sign().1), width),
        BvOp::Srem => unsigned(&(by_sign().0 % by_sign().1), width),
        BvOp::Smod => unsigned(&by_sign().0.mod_floor(&by_sign().1), width),
        BvOp::And => a & b,
        BvOp::Or => a | b,
        BvOp::Xor => a ^ b,
        BvOp::Nand => ones() - (a & b),
        BvOp::Nor => ones() - (a | b),
        BvOp::Xnor => ones() - (a ^ b),
        BvOp::Shl => wrap(a << distance, width),
        BvOp::Lshr => a >> distance,
        BvOp::Ashr => unsigned(&(signed(&a, width) >> distance), width),
        BvOp::Not => ones() - a,
        BvOp::Neg => wrap(power(width) - a, width),
        BvOp::Comp => BigUint::from(u8::from(a == b)),
        BvOp::Ult | BvOp::Ule | BvOp::Ugt | BvOp::Uge => zero,
        BvOp::Slt | BvOp::Sle | BvOp::Sgt | BvOp::Sge => zero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bv;

    const ALL: [BvOp; 26] = [
        BvOp::Add,
        BvOp::Sub,
        BvOp::Mul,
        BvOp::Udiv,
        BvOp::Urem,
        BvOp::Sdiv,
        BvOp::Srem,
        BvOp::Smod,
        BvOp::And,
        BvOp::Or,
        BvOp::Xor,
        BvOp::Nand,
        BvOp::Nor,
        BvOp::Xnor,
        BvOp::Comp,
        BvOp::Shl,
        BvOp::Lshr,
        BvOp::Ashr,
        BvOp::Ult,
        BvOp::Ule,
        BvOp::Ugt,
        BvOp::Uge,
        BvOp::Slt,
        BvOp::Sle,
        BvOp::Sgt,
        BvOp::Sge,
    ];

    /// Boundary values.
    fn corners(width: u32) -> Vec<u64> {
        let half = 1_u64 << (width - 1);
        let all = [
            0,
            1,
            2,
            3,
            5,
            7,
            63,
            64,
            half - 1,
            half,
            half + 1,
            0x9e37_79b9_7f4a_7c15,
            u64::MAX - 1,
            u64::MAX,
        ];
        all.map(|n| bv::wrap(n, width as u8)).to_vec()
    }

    /// Up to 64 bits, both implementations agree.
    #[test]
    fn any_width_agrees_with_words() {
        let heap = Heap::default();
        for width in [1, 2, 4, 7, 8, 31, 32, 33, 63, 64] {
            for a in corners(width) {
                for op in [BvOp::Not, BvOp::Neg] {
                    let wide = unary(&heap, WideOp::Bv(op, width), Value::Bv(a));
                    assert_eq!(wide, Ok(bv::unary(op, a, width as u8)), "{op:?} {a} {width}");
                }
                for b in corners(width) {
                    for op in ALL {
                        let wide = binary(&heap, WideOp::Bv(op, width), Value::Bv(a), Value::Bv(b));
                        assert_eq!(wide, Ok(bv::binary(op, a, b, width as u8)), "{op:?} {a} {b} {width}");
                    }
                }
            }
        }
    }

    /// With operands in the high half of 128 bits and zeros below, the results match those of words.
    #[test]
    fn high_bits_agree_with_words() {
        let heap = Heap::default();
        let (word, wide) = (64, 128);
        let up = |n: u64| heap.bits(BigUint::from(n) << 64_u32, wide);
        let down = |v: Result<Value, Trouble>| match v.unwrap() {
            Value::Bool(b) => Value::Bool(b),
            bits => unary(&heap, WideOp::Extract(128, 64), bits).unwrap(),
        };
        for a in corners(word) {
            for b in corners(word) {
                for op in
                    [BvOp::Add, BvOp::Sub, BvOp::And, BvOp::Or, BvOp::Xor, BvOp::Ult, BvOp::Sle, BvOp::Srem]
                {
                    if op == BvOp::Srem && b == 0 {
                        continue;
                    }
                    let result = down(binary(&heap, WideOp::Bv(op, wide), up(a), up(b)));
                    assert_eq!(result, bv::binary(op, a, b, 64), "{op:?} {a} {b}");
                }
            }
        }
    }

    /// Concatenation followed by extraction is the identity, across the boundary of 64 bits.
    #[test]
    fn extraction_inverts_concatenation_and_extension() {
        let heap = Heap::default();
        let (a, b) = (0x8123_4567_89ab_cdef_u64, 0xfedc_ba98_7654_3210_u64);
        let both = binary(&heap, WideOp::Concat(64), Value::Bv(a), Value::Bv(b)).unwrap();
        assert!(matches!(both, Value::Wide(_)));
        assert_eq!(unary(&heap, WideOp::Extract(128, 64), both), Ok(Value::Bv(a)));
        assert_eq!(unary(&heap, WideOp::Extract(64, 0), both), Ok(Value::Bv(b)));
        assert_eq!(unary(&heap, WideOp::Extract(96, 32), both), Ok(Value::Bv(a << 32 | b >> 32)));
        let extended = unary(&heap, WideOp::SignExtend(64, 128), Value::Bv(a)).unwrap();
        assert_eq!(unary(&heap, WideOp::Extract(128, 64), extended), Ok(Value::Bv(u64::MAX)));
        let zeros = unary(&heap, WideOp::ZeroExtend(65), Value::Bv(a)).unwrap();
        assert_eq!(natural(&heap, zeros), Ok(a.into()));
        assert!(matches!(zeros, Value::Wide(_)));
        let negated = unary(&heap, WideOp::Bv(BvOp::Neg, 128), extended).unwrap();
        let sum = binary(&heap, WideOp::Bv(BvOp::Add, 128), negated, extended).unwrap();
        assert_eq!(natural(&heap, sum), Ok(BigUint::ZERO));
    }
}
