//! Arithmetic of bitvectors of up to 64 bits, as SMT-LIB defines it.

use crate::code::BvOp;
use crate::value::Value;

/// The lowest `width` bits of a number.
pub(crate) fn wrap(n: u64, width: u8) -> u64 {
    match width {
        0 => 0,
        64.. => n,
        w => n & ((1 << w) - 1),
    }
}

/// The two's complement number that the bits encode.
pub(crate) fn signed(n: u64, width: u8) -> i64 {
    match width {
        0 => 0,
        64.. => n as i64,
        w => ((n << (64 - w)) as i64) >> (64 - w),
    }
}

/// Sign extension from one width to another.
pub(crate) fn sign_extend(n: u64, from: u8, to: u8) -> u64 {
    wrap(signed(n, from) as u64, to)
}

/// An operation on one bitvector.
pub(crate) fn unary(op: BvOp, a: u64, width: u8) -> Value {
    Value::Bv(wrap(if op == BvOp::Not { !a } else { a.wrapping_neg() }, width))
}

/// An operation on two bitvectors of the same width.
pub(crate) fn binary(op: BvOp, a: u64, b: u64, width: u8) -> Value {
    let ones = wrap(u64::MAX, width);
    let (sa, sb) = (signed(a, width), signed(b, width));
    let bits = |n: u64| Value::Bv(wrap(n, width));
    let shift = |f: fn(u64, u32) -> u64| if b >= u64::from(width) { 0 } else { f(a, b as u32) };
    match op {
        BvOp::Add => bits(a.wrapping_add(b)),
        BvOp::Sub => bits(a.wrapping_sub(b)),
        BvOp::Mul => bits(a.wrapping_mul(b)),
        // Division by zero is defined: all ones, and the dividend as the remainder.
        BvOp::Udiv => bits(a.checked_div(b).unwrap_or(ones)),
        BvOp::Urem => bits(a.checked_rem(b).unwrap_or(a)),
        BvOp::Sdiv if b == 0 => bits(if sa < 0 { 1 } else { ones }),
        BvOp::Sdiv => bits(sa.wrapping_div(sb) as u64),
        BvOp::Srem if b == 0 => bits(a),
        BvOp::Srem => bits(sa.wrapping_rem(sb) as u64),
        BvOp::Smod if b == 0 => bits(a),
        BvOp::Smod => {
            let r = sa.wrapping_rem(sb);
            bits(if r != 0 && (r < 0) != (sb < 0) { r.wrapping_add(sb) } else { r } as u64)
        }
        BvOp::And => bits(a & b),
        BvOp::Or => bits(a | b),
        BvOp::Xor => bits(a ^ b),
        BvOp::Nand => bits(!(a & b)),
        BvOp::Nor => bits(!(a | b)),
        BvOp::Xnor => bits(!(a ^ b)),
        BvOp::Comp => Value::Bv(u64::from(a == b)),
        BvOp::Shl => bits(shift(|a, b| a << b)),
        BvOp::Lshr => bits(shift(|a, b| a >> b)),
        BvOp::Ashr => bits((sa >> b.min(63)) as u64),
        BvOp::Ult => Value::Bool(a < b),
        BvOp::Ule => Value::Bool(a <= b),
        BvOp::Ugt => Value::Bool(a > b),
        BvOp::Uge => Value::Bool(a >= b),
        BvOp::Slt => Value::Bool(sa < sb),
        BvOp::Sle => Value::Bool(sa <= sb),
        BvOp::Sgt => Value::Bool(sa > sb),
        BvOp::Sge => Value::Bool(sa >= sb),
        BvOp::Not | BvOp::Neg => unary(op, a, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_widths_agree_with_the_definition() {
        for a in 0..16_u64 {
            for b in 0..16_u64 {
                assert_eq!(binary(BvOp::Add, a, b, 4), Value::Bv((a + b) % 16));
                assert_eq!(binary(BvOp::Ult, a, b, 4), Value::Bool(a < b));
                let (sa, sb) = (signed(a, 4), signed(b, 4));
                assert_eq!((-8..8).contains(&sa).then_some(sa.rem_euclid(16) as u64), Some(a));
                assert_eq!(binary(BvOp::Slt, a, b, 4), Value::Bool(sa < sb));
                if b != 0 {
                    assert_eq!(binary(BvOp::Sdiv, a, b, 4), Value::Bv(wrap((sa / sb) as u64, 4)));
                    let smod = sa - sb * (sa as f64 / sb as f64).floor() as i64;
                    assert_eq!(binary(BvOp::Smod, a, b, 4), Value::Bv(wrap(smod as u64, 4)));
                }
            }
        }
        assert_eq!(binary(BvOp::Udiv, 5, 0, 4), Value::Bv(15));
        assert_eq!(binary(BvOp::Shl, 1, 70, 64), Value::Bv(0));
        assert_eq!(binary(BvOp::Ashr, 8, 9, 4), Value::Bv(15));
        assert_eq!(sign_extend(8, 4, 8), 0xf8);
    }
}
