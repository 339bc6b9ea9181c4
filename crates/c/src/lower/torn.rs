//! Torn accesses, for `--atomic-width`: a plain access to shared data that is wider than the machine's word is made in parts,
//! between which other threads may run.
//!
//! C does not fix the order of the parts, and compilers for small controllers differ: both the ascending and the descending one
//! are explored. Atomic objects and operations, bit-fields, and what the library does in one step are not torn.

use dally_bpl::ast::{Attrs, BinaryOp, Branch, Guard, If, StmtKind};
use dally_text::symbol::Sym;

use super::Lowerer;
use super::emit::block;
use super::places::{Base, Place, Value};
use super::term::{self, Range, T};
use crate::types::IntType;

/// How a scalar is divided.
#[derive(Clone, Copy)]
struct Parts {
    int: IntType,
    count: u32,
    /// The number of bits of a part.
    width: u32,
}

impl Parts {
    /// The value of the lowest bit of a part.
    fn unit(self, n: u32) -> T {
        term::int(1 << (n * self.width))
    }

    /// A part of a value, from 0 on.
    fn of(self, value: &T, n: u32) -> T {
        let shifted = match n {
            0 => value.clone(),
            _ => term::binary(BinaryOp::Div, value.clone(), self.unit(n)),
        };
        term::binary(BinaryOp::Mod, shifted, term::int(1 << self.width))
    }
}

impl Lowerer<'_> {
    fn parts(&self, place: &Place) -> Option<Parts> {
        let width = self.options.atomic_width?;
        let types = &self.program.types;
        let is_shared = match &place.base {
            Base::Variables(object, _) => self.object(*object).shared,
            Base::Memory(_) => true,
        };
        let is_plain = place.bits.is_none() && !types.is_atomic(place.ty);
        let may_interrupt = self.facts.threaded && self.proc.atomic == 0;
        let mut int = types.as_int(place.ty).filter(|_| is_shared && is_plain && may_interrupt)?;
        let bits = 8 * types.size(place.ty)?.min(8) as u32;
        // An address has 64 bits, whatever the size of pointers.
        let whole = if types.pointee(place.ty).is_some() { 64 } else { bits };
        int.bits = whole as u8;
        let count = bits / width;
        (bits > width).then(|| Parts { int, count, width: whole / count })
    }

    /// Reads a place in parts, if it has to be.
    pub(super) fn load_torn(&mut self, place: &Place) -> Option<Value> {
        let parts = self.parts(place)?;
        self.keep_numbers(parts);
        let place = self.settled_place(place.clone());
        let read: Vec<Sym> = (0..parts.count).map(|_| self.temporary(false)).collect();
        self.in_either_order(parts.count, |l, n| {
            let whole = l.load(&place);
            let (whole, _) = l.ranged(whole);
            l.set(read[n as usize], &parts.of(&whole, n));
        });
        let mut bits = term::var(read[0]);
        for n in 1..parts.count {
            bits = term::add(bits, term::mul(term::var(read[n as usize]), parts.unit(n)));
        }
        let all = Range::of(IntType { signed: false, ..parts.int });
        let value = self.wrapped(bits, all, parts.int);
        Some(Value::Int(value, self.range_of(place.ty, None)))
    }

    /// Stores a value in parts, if it has to be. Returns false otherwise.
    pub(super) fn store_torn(&mut self, place: &Place, value: &T) -> bool {
        let Some(parts) = self.parts(place) else { return false };
        self.keep_numbers(parts);
        let value = self.stable(value.clone());
        let place = self.settled_place(place.clone());
        self.in_either_order(parts.count, |l, n| {
            let old = l.load(&place);
            let (old, _) = l.ranged(old);
            let old = l.stable(old);
            let change = term::sub(parts.of(&value, n), parts.of(&old, n));
            let new = term::add(old, term::mul(change, parts.unit(n)));
            let new = l.wrapped(new, Range { low: i128::MIN, high: i128::MAX }, parts.int);
            l.store(&place, Value::Int(new, Range::of(parts.int)));
        });
        true
    }

    /// A part of an address is not recognised as a reference: objects must keep their numbers.
    fn keep_numbers(&mut self, parts: Parts) {
        self.facts.observes_addresses |= parts.int.bits >= self.program.types.pointer_bits();
    }

    /// `if (*) { yield; part 0; yield; part 1 } else { yield; part 1; yield; part 0 }`
    fn in_either_order(&mut self, count: u32, part: impl Fn(&mut Self, u32)) {
        let step = |l: &mut Self, n: u32| {
            l.scheduling_point();
            l.proc.atomic += 1;
            part(l, n);
            l.proc.atomic -= 1;
        };
        self.begin();
        (0..count).for_each(|n| step(self, n));
        let ascending = self.end();
        self.begin();
        (0..count).rev().for_each(|n| step(self, n));
        let descending = self.end();
        let branch = Branch { attrs: Attrs::NONE, guard: Guard::Any, block: block(ascending) };
        let otherwise = Some(block(descending));
        self.push(StmtKind::If(Box::new(If { branches: vec![branch], otherwise })));
    }
}
