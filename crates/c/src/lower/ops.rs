//! Arithmetic: wrapping, truncating division, shifts and bit operators.
//!
//! Values stay in the range of their C type. A result is wrapped only if the intervals of the operands allow it to
//! leave the range.

use dally_bpl::ast::BinaryOp as B;

use super::Lowerer;
use super::places::Value;
use super::term::{self, Range, T, Term};
use crate::hir::{BinaryOp, UnaryOp};
use crate::types::{IntType, Type, TypeId};

impl Lowerer<'_> {
    /// The value as an integer term.
    pub(super) fn int(&mut self, value: Value) -> T {
        match value {
            Value::Int(t, _) => t,
            Value::Bool(t) => match *t {
                Term::Bool(b) => term::int(i128::from(b)),
                _ => term::ite(t, term::int(1), term::int(0)),
            },
            Value::Address(place) => match place.base {
                super::places::Base::Memory(address) => address,
                super::places::Base::Variables(..) => {
                    self.internal("the address of a variable is needed");
                    term::int(0)
                }
            },
            Value::Record(_) | Value::Void => term::int(0),
        }
    }

    /// The value as an integer term with its interval.
    pub(super) fn ranged(&mut self, value: Value) -> (T, Range) {
        let range = match &value {
            Value::Int(_, range) => *range,
            Value::Bool(_) => Range { low: 0, high: 1 },
            _ => Range { low: 0, high: i128::from(u64::MAX) },
        };
        (self.int(value), range)
    }

    /// The value as a condition: it is not zero.
    pub(super) fn condition(&mut self, value: Value) -> T {
        match value {
            Value::Bool(t) => t,
            Value::Address(place) => match place.base {
                super::places::Base::Variables(..) => term::boolean(true),
                super::places::Base::Memory(address) => term::binary(B::Neq, address, term::int(0)),
            },
            other => {
                let (t, range) = self.ranged(other);
                match (range.low, range.high) {
                    (1.., _) | (_, ..0) => term::boolean(true),
                    _ => match &*t {
                        Term::Str(_) => term::boolean(true),
                        _ => term::binary(B::Neq, t, term::int(0)),
                    },
                }
            }
        }
    }

    /// The integer modulo 2ⁿ, in the range of the type.
    pub(super) fn wrapped(&mut self, t: T, range: Range, int: IntType) -> T {
        if range.within(Range::of(int)) {
            return t;
        }
        if let Some(n) = t.as_int() {
            return term::int(int.wrap(n));
        }
        match int.bits {
            8 | 16 | 32 | 64 => {
                let name = format!("${}{}", if int.signed { 'i' } else { 'u' }, int.bits);
                let name = self.sym(&name);
                term::call(name, vec![t])
            }
            bits if !int.signed => term::binary(B::Mod, t, term::int(1_i128 << bits.min(126))),
            bits => {
                let (half, whole) = (1_i128 << (bits.min(126) - 1), 1_i128 << bits.min(126));
                let shifted = term::binary(B::Mod, term::add(t, term::int(half)), term::int(whole));
                term::sub(shifted, term::int(half))
            }
        }
    }

    /// The result of an arithmetic operation: wrapped, or checked for signed overflow on request.
    fn result(&mut self, t: T, range: Range, int: IntType) -> Value {
        let all = Range::of(int);
        if range.within(all) {
            return Value::Int(t, range);
        }
        if int.signed && self.checks_overflow() {
            let low = term::binary(B::Le, term::int(all.low), t.clone());
            let high = term::binary(B::Le, t.clone(), term::int(all.high));
            self.check(&term::and(low, high), OVERFLOW);
            return Value::Int(t, all);
        }
        Value::Int(self.wrapped(t, range, int), all)
    }

    fn checks_overflow(&self) -> bool {
        self.options.overflow && self.library_depth() == 0
    }

    /// Converts a scalar value to a type.
    pub(super) fn convert(&mut self, value: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.program.types;
        let (from, to) = (types.unqualified(from), types.unqualified(to));
        if from == to {
            return value;
        }
        match types.get(to) {
            Type::Void => return Value::Void,
            Type::Bool if !self.is_float(from) => {
                let condition = self.condition(value);
                return Value::Bool(condition);
            }
            Type::Pointer(_) => return self.pointer_from(value, from),
            Type::Record(_) => return value,
            _ => {}
        }
        if self.is_float(from) || self.is_float(to) {
            self.unsupported("floating-point numbers");
            return Value::constant(0);
        }
        let Some(int) = self.program.types.as_int(to) else { return value };
        if let Value::Bool(_) = value {
            return value;
        }
        let from_pointer = self.program.types.pointee(from).is_some();
        let (t, range) = self.ranged(value);
        let t = if self.is_cut_address(from, to) { self.uncut(t) } else { t };
        // An address keeps its value in an integer that is as wide as a pointer.
        if from_pointer && int.bits >= self.program.types.pointer_bits() {
            return Value::Int(t, Range::of(int).join(Range { low: 0, high: i128::from(i64::MAX) }));
        }
        let wrapped = self.wrapped(t, range, int);
        let range = if range.within(Range::of(int)) { range } else { Range::of(int) };
        Value::Int(wrapped, range)
    }

    /// True for a conversion of a pointer to an integer, if an address does not fit into any integer of that size.
    pub(super) fn is_cut_address(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.program.types;
        let to_int = matches!(types.get(types.unqualified(to)), Type::Int(_) | Type::Enum(_));
        types.pointer_bits() < 64 && types.pointee(from).is_some() && to_int
    }

    /// A value that is not an address.
    fn uncut(&mut self, value: T) -> T {
        let value = self.stable(value);
        let is_address = term::binary(B::Ge, value.clone(), term::int(super::memory::OBJECT));
        self.unsupported_if(&is_address, "an address as an integer with 32-bit pointers");
        value
    }

    fn pointer_from(&mut self, value: Value, from: TypeId) -> Value {
        match value {
            Value::Address(_) => value,
            other => {
                let (t, range) = self.ranged(other);
                let int = IntType { bits: 64, signed: false };
                let is_pointer = self.program.types.pointee(from).is_some();
                let t = if is_pointer { t } else { self.wrapped(t, range, int) };
                Value::Int(t, Range::of(int))
            }
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, value: Value, ty: TypeId) -> Value {
        if op == UnaryOp::Not {
            let condition = self.condition(value);
            return Value::Bool(term::not(condition));
        }
        let Some(int) = self.program.types.as_int(ty) else {
            self.unsupported("floating-point numbers");
            return Value::constant(0);
        };
        let (t, range) = self.ranged(value);
        match op {
            UnaryOp::Neg => {
                let negated = Range { low: range.high.saturating_neg(), high: range.low.saturating_neg() };
                self.result(term::neg(t), negated, int)
            }
            _ if int.signed => {
                let range = Range { low: -1 - range.high, high: -1 - range.low };
                Value::Int(term::sub(term::int(-1), t), range)
            }
            _ => Value::Int(term::sub(term::int(int.max()), t), Range::of(int)),
        }
    }

    /// An operator on integers of one type; comparisons of pointers, too.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value, ty: TypeId) -> Value {
        if let Some(compare) = comparison(op) {
            return self.compare(compare, a, b);
        }
        let Some(int) = self.program.types.as_int(ty) else {
            self.unsupported("floating-point numbers");
            return Value::constant(0);
        };
        if int.bits > 64 {
            self.unsupported("integers of 128 bits");
            return Value::constant(0);
        }
        let ((a, ra), (b, rb)) = (self.ranged(a), self.ranged(b));
        match op {
            BinaryOp::Add => {
                let range = ra.corners(rb, i128::checked_add).unwrap_or(EVERYTHING);
                self.result(term::add(a, b), range, int)
            }
            BinaryOp::Sub => {
                let range = ra.corners(rb, i128::checked_sub).unwrap_or(EVERYTHING);
                self.result(term::sub(a, b), range, int)
            }
            BinaryOp::Mul => {
                let range = ra.corners(rb, i128::checked_mul).unwrap_or(EVERYTHING);
                self.result(term::mul(a, b), range, int)
            }
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, (a, ra), (b, rb), int),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, (a, ra), (b, rb), int),
            _ => self.bitwise(op, (a, ra), (b, rb), int),
        }
    }

    fn compare(&mut self, op: B, a: Value, b: Value) -> Value {
        // The address of a variable differs from null; two of them are equal if they are the same place.
        if let (Value::Address(_), _) | (_, Value::Address(_)) = (&a, &b)
            && let Some(answer) = compare_addresses(op, &a, &b)
        {
            return Value::Bool(term::boolean(answer));
        }
        if let (Value::Bool(x), Value::Bool(y)) = (&a, &b)
            && matches!(op, B::Eq | B::Neq)
        {
            let same = term::binary(B::Iff, x.clone(), y.clone());
            return Value::Bool(if op == B::Eq { same } else { term::not(same) });
        }
        // `(a < b) == 0`
        if let (Value::Bool(x), Value::Int(n, _)) = (&a, &b)
            && let (Some(n @ 0..=1), B::Eq | B::Neq) = (n.as_int(), op)
        {
            return Value::Bool(if (n == 1) == (op == B::Eq) { x.clone() } else { term::not(x.clone()) });
        }
        let ((a, ra), (b, rb)) = (self.ranged(a), self.ranged(b));
        Value::Bool(match op {
            B::Lt if ra.high < rb.low => term::boolean(true),
            B::Lt | B::Le if ra.low > rb.high => term::boolean(false),
            B::Le if ra.high <= rb.low => term::boolean(true),
            B::Gt | B::Ge if ra.high < rb.low => term::boolean(false),
            B::Ge if ra.low >= rb.high => term::boolean(true),
            _ => term::binary(op, a, b),
        })
    }

    fn divide(&mut self, op: BinaryOp, (a, ra): (T, Range), (b, rb): (T, Range), int: IntType) -> Value {
        if rb.low <= 0 && rb.high >= 0 {
            let b = &b;
            let nonzero = self.differs(b.clone(), 0);
            self.check(&nonzero, "division by zero");
        }
        let all = Range::of(int);
        let largest = ra.low.saturating_abs().max(ra.high.saturating_abs());
        let is_div = op == BinaryOp::Div;
        let range = match (is_div, ra.low >= 0 && rb.low >= 0) {
            (true, true) => Range { low: 0, high: ra.high },
            (true, false) => Range { low: -largest, high: largest },
            (false, true) => Range { low: 0, high: ra.high.min(rb.high.max(0)) },
            (false, false) => {
                let most = largest.min(rb.low.saturating_abs().max(rb.high.saturating_abs()));
                Range { low: if ra.low < 0 { -most } else { 0 }, high: most }
            }
        };
        if ra.low >= 0 {
            let op = if is_div { B::Div } else { B::Mod };
            return self.result(term::binary(op, a, b), range, int);
        }
        let function = self.sym(if is_div { "$div" } else { "$rem" });
        let overflow = rb.low <= -1 && rb.high >= -1 && ra.low == all.low;
        if overflow && !is_div && self.checks_overflow() {
            let (smallest, minus) = (self.differs(a.clone(), all.low), self.differs(b.clone(), -1));
            self.check(&term::or(smallest, minus), OVERFLOW);
        }
        let range = if overflow && is_div {
            range
        } else {
            Range { low: range.low.max(all.low), high: range.high.min(all.high) }
        };
        self.result(term::call(function, vec![a, b]), range, int)
    }

    fn shift(&mut self, op: BinaryOp, (a, ra): (T, Range), (b, rb): (T, Range), int: IntType) -> Value {
        let width = i128::from(int.bits);
        if self.options.overflow && !rb.within(Range { low: 0, high: width - 1 }) {
            let low = term::binary(B::Le, term::int(0), b.clone());
            let high = term::binary(B::Lt, b.clone(), term::int(width));
            self.check(&term::and(low, high), "shift by a negative number or beyond the width");
        }
        if op == BinaryOp::Shl && int.signed && self.checks_overflow() {
            self.check_left_shift((&a, ra), &b, int);
        }
        if let Some(n @ 0..64) = b.as_int() {
            let power = term::int(1_i128 << n);
            return match op {
                BinaryOp::Shl => {
                    let range = ra.corners(Range::exactly(1 << n), i128::checked_mul).unwrap_or(EVERYTHING);
                    // A shift discards the upper bits.
                    let value = self.wrapped(term::mul(a, power), range, int);
                    Value::Int(value, if range.within(Range::of(int)) { range } else { Range::of(int) })
                }
                _ => {
                    let range = Range { low: ra.low >> n, high: ra.high >> n };
                    Value::Int(term::binary(B::Div, a, power), range)
                }
            };
        }
        let name = match (op, int.signed) {
            (BinaryOp::Shl, _) => "shl",
            (_, false) => "lshr",
            (_, true) => "ashr",
        };
        self.by_bits(name, a, b, int)
    }

    /// A signed left shift is of a number that is not negative, and its result is in the range of the type (C11 6.5.7).
    fn check_left_shift(&mut self, (a, range): (&T, Range), n: &T, int: IntType) {
        let most = match n.as_int() {
            Some(n) => term::int(int.max() >> n.clamp(0, 127)),
            None => {
                let shifted = self.by_bits("lshr", term::int(int.max()), n.clone(), int);
                self.int(shifted)
            }
        };
        if range.low < 0 {
            let low = term::binary(B::Le, term::int(0), a.clone());
            self.check(&low, "signed integer overflow: a negative number is shifted to the left");
        }
        if most.as_int().is_none_or(|most| range.high > most) {
            self.check(&term::binary(B::Le, a.clone(), most), OVERFLOW);
        }
    }

    fn bitwise(&mut self, op: BinaryOp, (a, ra): (T, Range), (b, rb): (T, Range), int: IntType) -> Value {
        if op == BinaryOp::BitAnd {
            for ((x, rx), (mask, _)) in [((&a, ra), (&b, rb)), ((&b, rb), (&a, ra))] {
                if let Some(value) = masked(x, rx, mask) {
                    return value;
                }
            }
        }
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
            let value = match op {
                BinaryOp::BitAnd => x & y,
                BinaryOp::BitOr => x | y,
                _ => x ^ y,
            };
            return Value::constant(int.wrap(value));
        }
        if op != BinaryOp::BitAnd && b.as_int() == Some(0) {
            return Value::Int(a, ra);
        }
        if op != BinaryOp::BitAnd && a.as_int() == Some(0) {
            return Value::Int(b, rb);
        }
        let one = Range { low: 0, high: 1 };
        if ra.within(one) && rb.within(one) {
            return Value::Int(bit_operation(op, a, b), one);
        }
        let name = match op {
            BinaryOp::BitAnd => "and",
            BinaryOp::BitOr => "or",
            _ => "xor",
        };
        self.by_bits(name, a, b, int)
    }

    /// An operation on the bits of two integers.
    fn by_bits(&mut self, name: &str, a: T, b: T, int: IntType) -> Value {
        // Atomic operations are not promoted to `int`. Upper bits are copies of the sign, and are cut off.
        let width = if int.bits <= 32 { 32 } else { 64 };
        let function = self.sym(&format!("${name}{width}"));
        let bits = term::call(function, vec![a, b]);
        let unsigned = Range { low: 0, high: (1_i128 << width) - 1 };
        let value = self.wrapped(bits, unsigned, int);
        Value::Int(value, Range::of(int))
    }
}

const OVERFLOW: &str = "signed integer overflow";

const EVERYTHING: Range = Range { low: i128::MIN, high: i128::MAX };

fn comparison(op: BinaryOp) -> Option<B> {
    Some(match op {
        BinaryOp::Lt => B::Lt,
        BinaryOp::Le => B::Le,
        BinaryOp::Gt => B::Gt,
        BinaryOp::Ge => B::Ge,
        BinaryOp::Eq => B::Eq,
        BinaryOp::Ne => B::Neq,
        _ => return None,
    })
}

/// The comparison of the address of a variable with null.
fn compare_addresses(op: B, a: &Value, b: &Value) -> Option<bool> {
    let is_variable =
        |v: &Value| matches!(v, Value::Address(p) if matches!(p.base, super::places::Base::Variables(..)));
    let is_null = |v: &Value| matches!(v, Value::Int(t, _) if t.as_int() == Some(0));
    if !(is_variable(a) && is_null(b) || is_null(a) && is_variable(b)) {
        return None;
    }
    match op {
        B::Eq => Some(false),
        B::Neq => Some(true),
        _ => None,
    }
}

/// `x & mask` for a mask of consecutive ones, or of a single bit.
fn masked(x: &T, range: Range, mask: &T) -> Option<Value> {
    let mask = mask.as_int().filter(|m| *m >= 0)?;
    if mask == 0 {
        return Some(Value::constant(0));
    }
    let low = mask.trailing_zeros();
    let ones = mask >> low;
    if ones & (ones + 1) != 0 {
        return None;
    }
    if low == 0 && range.within(Range { low: 0, high: mask }) {
        return Some(Value::Int(x.clone(), range));
    }
    let shifted = if low == 0 { x.clone() } else { term::binary(B::Div, x.clone(), term::int(1 << low)) };
    let bits = term::binary(B::Mod, shifted, term::int(ones + 1));
    Some(Value::Int(term::mul(bits, term::int(1 << low)), Range { low: 0, high: mask }))
}

/// An operation on integers that are 0 or 1.
fn bit_operation(op: BinaryOp, a: T, b: T) -> T {
    match op {
        BinaryOp::BitAnd => term::mul(a, b),
        BinaryOp::BitOr => {
            let either = term::binary(B::Gt, term::add(a, b), term::int(0));
            term::ite(either, term::int(1), term::int(0))
        }
        _ => term::binary(B::Mod, term::add(a, b), term::int(2)),
    }
}

/// The Boogie text of the functions on integers.
pub(super) fn functions() -> String {
    use std::fmt::Write as _;
    let mut text = String::from(
        "function $div(a: int, b: int): int { if a >= 0 then a div b else -(-a div b) }\n\
         function $rem(a: int, b: int): int { if a >= 0 then a mod b else -(-a mod b) }\n",
    );
    for bits in [8_u32, 16, 32, 64] {
        let (whole, half) = (1_i128 << bits, 1_i128 << (bits - 1));
        let _ = write!(
            text,
            "function $u{bits}(n: int): int {{ n mod {whole} }}\n\
             function $i{bits}(n: int): int {{ if n >= -{half} && n < {half} then n else (n + {half}) mod {whole} - {half} }}\n"
        );
    }
    for bits in [32, 64] {
        let _ = write!(
            text,
            "function {{:bvbuiltin \"(_ int2bv {bits})\"}} $bits{bits}(n: int): bv{bits};\n\
             function {{:bvbuiltin \"bv2nat\"}} $number{bits}(n: bv{bits}): int;\n"
        );
        for op in ["and", "or", "xor", "shl", "lshr", "ashr"] {
            let _ = write!(
                text,
                "function {{:bvbuiltin \"bv{op}\"}} $bv{op}{bits}(a: bv{bits}, b: bv{bits}): bv{bits};\n\
                 function ${op}{bits}(a: int, b: int): int {{ $number{bits}($bv{op}{bits}($bits{bits}(a), $bits{bits}(b))) }}\n"
            );
        }
    }
    text
}
