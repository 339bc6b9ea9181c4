//! Places: what lvalues denote. Reads and writes of them.

use dally_text::symbol::Sym;

use super::Lowerer;
use super::objects::{Leaf, ObjectId, Storage};
use super::term::{self, Range, T, Term};
use crate::hir::{Expr, ExprKind};
use crate::types::{BitField, Type, TypeId};

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An integer, with an interval that contains it.
    Int(T, Range),
    /// A truth value: the integer is 1 or 0.
    Bool(T),
    /// The address of a place.
    Address(Place),
    /// The value of a struct or union is what the place holds.
    Record(Place),
    /// No value.
    Void,
}

/// The object, or the part of one, that an lvalue denotes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) base: Base,
    pub(super) ty: TypeId,
    pub(super) bits: Option<BitField>,
}

#[derive(Clone, Debug)]
pub(super) enum Base {
    /// Part of an object that is represented by variables.
    Variables(ObjectId, Vec<Projection>),
    /// At an address.
    Memory(T),
}

/// A step from an object to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Projection {
    Field(u32),
    Element(T, Range),
}

/// A scalar in variables, found.
pub(super) struct Scalar {
    pub(super) leaf: Leaf,
    pub(super) index: Option<T>,
    pub(super) shared: bool,
}

impl Value {
    pub(super) fn constant(value: i128) -> Value {
        Value::Int(term::int(value), Range::exactly(value))
    }
}

impl Place {
    pub(super) fn memory(address: T, ty: TypeId) -> Place {
        Place { base: Base::Memory(address), ty, bits: None }
    }

    pub(super) fn of_object(object: ObjectId, ty: TypeId) -> Place {
        Place { base: Base::Variables(object, Vec::new()), ty, bits: None }
    }
}

impl Lowerer<'_> {
    /// The place that an lvalue denotes.
    pub(super) fn place(&mut self, e: &Expr) -> Place {
        dally_text::stack::grow(|| self.place_node(e))
    }

    fn place_node(&mut self, e: &Expr) -> Place {
        match &e.kind {
            ExprKind::Local(local) => {
                let storage = self.proc.frames.last().and_then(|f| f.locals.get(local)).cloned();
                self.place_of(storage, e)
            }
            ExprKind::Global(global) => {
                let storage = self.globals.get(global.index()).cloned();
                self.place_of(storage, e)
            }
            ExprKind::Compound(local, init) => {
                self.initialise(*local, Some(init));
                let storage = self.proc.frames.last().and_then(|f| f.locals.get(local)).cloned();
                self.place_of(storage, e)
            }
            ExprKind::String(string) => Place::memory(T::new(Term::Str(*string)), e.ty),
            ExprKind::Deref(pointer) => {
                let pointer = self.value(pointer);
                let mut place = self.target(pointer, e.ty);
                // The type of the access decides, unless it is incomplete.
                if !matches!(self.program.types.get(e.ty), Type::Void) {
                    place.ty = e.ty;
                }
                place
            }
            ExprKind::Member(record, number) => {
                let record = match self.is_lvalue(record) {
                    true => self.place(record),
                    false => match self.value(record) {
                        Value::Record(place) => place,
                        _ => self.no_place(e.ty),
                    },
                };
                self.member(record, *number)
            }
            _ => match self.value(e) {
                Value::Record(place) => place,
                _ => self.no_place(e.ty),
            },
        }
    }

    fn is_lvalue(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Member(record, _) => self.is_lvalue(record),
            kind => matches!(
                kind,
                ExprKind::Local(_)
                    | ExprKind::Global(_)
                    | ExprKind::Compound(..)
                    | ExprKind::String(_)
                    | ExprKind::Deref(_)
            ),
        }
    }

    fn place_of(&mut self, storage: Option<Storage>, e: &Expr) -> Place {
        match storage {
            Some(Storage::Variables(object)) => Place::of_object(object, e.ty),
            Some(Storage::Memory(address)) => Place::memory(address, e.ty),
            Some(Storage::Bound(_)) | None => self.no_place(e.ty),
        }
    }

    fn no_place(&mut self, ty: TypeId) -> Place {
        self.internal("an expression is not an lvalue");
        Place::memory(term::int(0), ty)
    }

    /// The place that a pointer points to.
    pub(super) fn target(&mut self, pointer: Value, ty: TypeId) -> Place {
        match pointer {
            Value::Address(place) => place,
            other => {
                let address = self.int(other);
                Place::memory(address, ty)
            }
        }
    }

    pub(super) fn member(&mut self, record: Place, number: u32) -> Place {
        let ty = self.program.types.unqualified(record.ty);
        let Type::Record(id) = self.program.types.get(ty) else { return record };
        let fields = self.program.types.records[id.0 as usize].fields.as_ref();
        let Some(field) = fields.and_then(|f| f.get(number as usize)) else { return record };
        let (offset, ty, bits) = (field.offset, field.ty, field.bits);
        let base = match record.base {
            Base::Variables(object, mut steps) => {
                steps.push(Projection::Field(number));
                Base::Variables(object, steps)
            }
            Base::Memory(address) => Base::Memory(term::add(address, term::int(i128::from(offset)))),
        };
        Place { base, ty, bits }
    }

    /// The first element of an array.
    pub(super) fn first_element(&mut self, array: Place) -> Place {
        let Type::Array(element, _) = self.program.types.get(self.program.types.unqualified(array.ty)) else {
            return array;
        };
        let ty = *element;
        let base = match array.base {
            Base::Variables(object, mut steps) => {
                steps.push(Projection::Element(term::int(0), Range::exactly(0)));
                Base::Variables(object, steps)
            }
            memory => memory,
        };
        Place { base, ty, bits: None }
    }

    /// The element of the same array that is `n` elements further.
    pub(super) fn element_at(&mut self, place: &Place, n: &T, range: Range) -> Option<Place> {
        let mut place = place.clone();
        let Base::Variables(_, steps) = &mut place.base else { return None };
        match steps.last_mut() {
            Some(Projection::Element(index, old)) => {
                *index = term::add(index.clone(), n.clone());
                *old = Range {
                    low: old.low.saturating_add(range.low),
                    high: old.high.saturating_add(range.high),
                };
                Some(place)
            }
            _ if n.as_int() == Some(0) => Some(place),
            _ => None,
        }
    }

    /// The scalar at a place, with checks of its indices.
    pub(super) fn scalar(&mut self, object: ObjectId, steps: &[Projection]) -> Option<Scalar> {
        let found = self.leaf_at(object, steps);
        let Some(leaf) = found else {
            self.internal("a scalar has no variable");
            return None;
        };
        let indices = steps.iter().filter_map(|s| match s {
            Projection::Element(index, range) => Some((index.clone(), *range)),
            Projection::Field(_) => None,
        });
        let mut linear: Option<T> = None;
        for ((index, range), (length, _)) in indices.zip(leaf.dimensions.clone()) {
            self.check_index(&index, range, length);
            linear = Some(match linear {
                Some(outer) => term::add(term::mul(outer, term::int(i128::from(length))), index),
                None => index,
            });
        }
        let shared = self.object(object).shared;
        Some(Scalar { leaf, index: linear, shared })
    }

    fn leaf_at(&self, object: ObjectId, steps: &[Projection]) -> Option<Leaf> {
        let matches = |leaf: &&Leaf| {
            leaf.path.len() == steps.len()
                && leaf.path.iter().zip(steps).all(|(p, s)| match (p, s) {
                    (Some(field), Projection::Field(number)) => field == number,
                    (None, Projection::Element(..)) => true,
                    _ => false,
                })
        };
        self.object(object).leaves.iter().find(matches).cloned()
    }

    fn check_index(&mut self, index: &T, range: Range, length: u64) {
        let within = Range { low: 0, high: i128::from(length) - 1 };
        if range.within(within) {
            return;
        }
        let low = match range.low >= 0 {
            true => term::boolean(true),
            false => term::binary(dally_bpl::ast::BinaryOp::Le, term::int(0), index.clone()),
        };
        let high = term::binary(dally_bpl::ast::BinaryOp::Lt, index.clone(), term::int(i128::from(length)));
        self.check(&term::and(low, high), "the index is out of bounds");
    }

    /// The term that reads a variable or an element of it.
    pub(super) fn read_term(scalar: &Scalar) -> T {
        let variable = term::var(scalar.leaf.var);
        match &scalar.index {
            Some(index) => term::select(variable, index.clone()),
            None => variable,
        }
    }

    /// The range of values of a scalar type.
    pub(super) fn range_of(&self, ty: TypeId, bits: Option<BitField>) -> Range {
        let types = &self.program.types;
        let Some(mut int) = types.as_int(ty) else {
            return Range { low: i128::from(i64::MIN), high: i128::from(i64::MAX) };
        };
        if matches!(types.get(types.unqualified(ty)), Type::Bool) {
            return Range { low: 0, high: 1 };
        }
        if types.pointee(ty).is_some() {
            return Range { low: 0, high: i128::from(u64::MAX) };
        }
        if let Some(bits) = bits {
            int.bits = bits.width;
        }
        Range::of(int)
    }

    /// Reads a place.
    pub(super) fn load(&mut self, place: &Place) -> Value {
        let types = &self.program.types;
        if matches!(types.get(types.unqualified(place.ty)), Type::Record(_)) {
            return match types.is_atomic(place.ty) {
                true => self.indivisible(place, |l| l.snapshot(place)),
                false => Value::Record(place.clone()),
            };
        }
        if let Some(value) = self.load_torn(place) {
            return value;
        }
        let range = self.range_of(place.ty, place.bits);
        match &place.base {
            Base::Variables(object, steps) => {
                let Some(scalar) = self.scalar(*object, steps) else { return Value::constant(0) };
                if scalar.shared {
                    self.scheduling_point();
                }
                let read = Self::read_term(&scalar);
                Value::Int(if scalar.shared { self.slot(read) } else { read }, range)
            }
            Base::Memory(address) => {
                let unit = self.load_memory(&address.clone(), place.ty);
                match place.bits {
                    Some(bits) => self.extract(unit, place.ty, bits),
                    None => Value::Int(unit, range),
                }
            }
        }
    }

    /// Stores a value that is in the range of the type. The scheduling point precedes it.
    pub(super) fn store(&mut self, place: &Place, value: Value) {
        if let Value::Record(from) = value {
            return match self.program.types.is_atomic(place.ty) {
                true => self.indivisible(place, |l| l.copy_record(place, &from)),
                false => self.copy_record(place, &from),
            };
        }
        let value = self.int(value);
        if !self.store_torn(place, &value) {
            self.store_term(place, &value);
        }
    }

    fn store_term(&mut self, place: &Place, value: &T) {
        match &place.base {
            Base::Variables(object, steps) => {
                let Some(scalar) = self.scalar(*object, steps) else { return };
                if scalar.shared {
                    self.scheduling_point();
                }
                self.store_scalar(&scalar, value);
            }
            Base::Memory(address) => {
                let address = address.clone();
                match place.bits {
                    Some(bits) => self.store_bits(&address, place.ty, bits, value),
                    None => self.store_memory(&address, place.ty, value),
                }
            }
        }
    }

    fn store_scalar(&mut self, scalar: &Scalar, value: &T) {
        match &scalar.index {
            Some(index) => self.set_element(scalar.leaf.var, index, value),
            None => self.set(scalar.leaf.var, value),
        }
    }

    /// The variable, if the place is one that only this thread uses.
    pub(super) fn own_variable(&mut self, place: &Place) -> Option<Sym> {
        let Base::Variables(object, steps) = &place.base else { return None };
        let leaf = self.leaf_at(*object, steps)?;
        let shared = self.object(*object).shared;
        (!shared && !leaf.is_map()).then_some(leaf.var)
    }
}
