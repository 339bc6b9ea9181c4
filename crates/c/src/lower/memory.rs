//! Memory: objects whose address escapes, string literals and the heap.
//!
//! `runtime.bpl` has the representation. Each access begins with a test for the cell that it expects; only if that
//! fails is the pointer checked, and the cell made.

use dally_bpl::ast::BinaryOp;
use dally_text::symbol::Sym;

use super::Lowerer;
use super::objects::{Leaf, Storage};
use super::places::{Base, Place, Projection, Value};
use super::term::{self, Range, T, Term};
use crate::hir::StringId;
use crate::types::{BitField, Type, TypeId};

/// An address is the number of an object times this, plus an offset.
pub(super) const OBJECT: i128 = 1 << 32;

/// The kind of objects that `free` must not release; see `$zeroed` in `runtime.bpl`.
pub(super) const STACK: i128 = 2;

/// Larger records are copied by pieces instead of scalars.
const MOST_STEPS: u64 = 16;

/// Structs of at most this many scalars are copied scalar by scalar.
const MOST_COPIED: u64 = 64;

/// An entry of `$cell` for a scalar: see `runtime.bpl`.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) size: i128,
    pub(super) code: i128,
}

impl Cell {
    pub(super) const CHAR: Self = Self { size: 1, code: -1 };

    /// The cell of a pointer with this many bytes.
    pub(super) fn pointer(size: u64) -> Self {
        let size = i128::from(size);
        Self { size, code: 16 + size }
    }
}

impl Lowerer<'_> {
    /// The entry of `$cell` for a scalar type.
    pub(super) fn cell_of(&mut self, ty: TypeId) -> Cell {
        let types = &self.program.types;
        let size = types.size(ty).unwrap_or(1).clamp(1, 8);
        if types.pointee(ty).is_some() {
            return Cell::pointer(size);
        }
        let size = i128::from(size);
        let signed = types.as_int(ty).is_some_and(|int| int.signed);
        Cell { size, code: if signed { -size } else { size } }
    }

    /// Reads the scalar at an address.
    pub(super) fn load_memory(&mut self, address: &T, ty: TypeId) -> T {
        self.scheduling_point();
        let address = self.stable(address.clone());
        let cell = self.cell_of(ty);
        self.expect_cell(&address, cell, "$to_read");
        let memory = self.runtime_var("$mem");
        self.slot(term::select(memory, address))
    }

    /// Stores a scalar at an address.
    pub(super) fn store_memory(&mut self, address: &T, ty: TypeId, value: &T) {
        self.scheduling_point();
        let address = self.stable(address.clone());
        let cell = self.cell_of(ty);
        // The value is evaluated before the cell is made.
        let value = match value.is_constant() {
            true => value.clone(),
            false => self.stable(value.clone()),
        };
        self.expect_cell(&address, cell, "$to_write");
        let memory = self.sym("$mem");
        let shows = self.describe_store(ty);
        self.set_element_shown(memory, &address, &value, shows);
    }

    fn expect_cell(&mut self, address: &T, cell: Cell, otherwise: &str) {
        let cells = self.runtime_var("$cell");
        let mut differs = self.differs(term::select(cells, address.clone()), cell.code);
        // A symbolic runtime keeps the cells of objects that no longer exist; static objects always exist.
        if self.options.symbolic && !address.is_constant() {
            let object = term::binary(BinaryOp::Div, address.clone(), term::int(OBJECT));
            let size = term::select(self.runtime_var("$size"), object);
            differs = term::or(differs, term::eq(size, term::int(-1)));
        }
        self.when(&differs, |l| {
            l.check_access(address, &term::int(cell.size));
            if otherwise == "$to_read" && cell.code < 16 && l.program.types.pointer_bits() < 64 {
                // The runtime checks this, too, but has no place.
                let (cells, memory) = (l.runtime_var("$cell"), l.runtime_var("$mem"));
                let is_pointer =
                    term::binary(BinaryOp::Ge, term::select(cells, address.clone()), term::int(16));
                let value = term::select(memory, address.clone());
                let is_address = term::and(is_pointer, term::binary(BinaryOp::Ge, value, term::int(OBJECT)));
                l.unsupported_if(&is_address, "an address as an integer with 32-bit pointers");
            }
            l.call(Vec::new(), otherwise, &[address.clone(), term::int(cell.code)]);
        });
    }

    /// `$fixed := true;` if the addresses are in different objects: their distance tells the numbers of the objects.
    pub(super) fn observe_distance(&mut self, a: &T, b: &T) {
        let object = |address: &T| term::binary(BinaryOp::Div, address.clone(), term::int(OBJECT));
        let apart = term::binary(BinaryOp::Neq, object(a), object(b));
        self.when(&apart, |l| {
            let fixed = l.sym("$fixed");
            l.set(fixed, &term::boolean(true));
        });
    }

    /// Checks that the bytes from an address on belong to a live object. The address is stable.
    pub(super) fn check_access(&mut self, address: &T, size: &T) {
        let object = term::binary(BinaryOp::Div, address.clone(), term::int(OBJECT));
        let offset = term::binary(BinaryOp::Mod, address.clone(), term::int(OBJECT));
        let sizes = self.runtime_var("$size");
        let object_size = term::select(sizes, object.clone());
        // Members of an object at the null pointer are near it.
        let not_null = term::binary(BinaryOp::Ge, address.clone(), term::int(OBJECT));
        self.check(&not_null, "a null pointer is dereferenced");
        let not_released = self.differs(object_size.clone(), -1);
        let ended = self.runtime_var("$zeroed");
        let ended = term::eq(term::select(ended, object), term::int(-2));
        let not_freed = term::or(not_released.clone(), ended);
        self.check(&not_freed, "use after free: the object no longer exists");
        self.check(
            &not_released,
            "use after scope: the variable no longer exists, since its block, function or thread has ended",
        );
        let exists = self.differs(object_size.clone(), 0);
        self.check(&exists, "a wild pointer is dereferenced");
        let end = term::add(offset, size.clone());
        let inside = term::binary(BinaryOp::Le, end, object_size);
        self.check(&inside, "out of bounds: the access reaches beyond the end of the object");
    }

    /// A bit-field of its storage unit.
    pub(super) fn extract(&mut self, unit: T, ty: TypeId, bits: BitField) -> Value {
        let range = self.range_of(ty, Some(bits));
        let shifted = term::binary(BinaryOp::Div, unit, term::int(1 << bits.low));
        let field = term::binary(BinaryOp::Mod, shifted, term::int(1 << bits.width));
        let value = match range.low < 0 {
            true => {
                let field = self.stable(field);
                let negative = term::binary(BinaryOp::Gt, field.clone(), term::int(range.high));
                term::ite(negative, term::sub(field.clone(), term::int(1 << bits.width)), field)
            }
            false => field,
        };
        Value::Int(value, range)
    }

    /// Stores a bit-field. The bit-fields beside it in the storage unit are the same memory location: the unit is read, and
    /// written later, so that a write of another thread to one of them may be lost. The rest of the unit is left alone.
    pub(super) fn store_bits(&mut self, address: &T, ty: TypeId, bits: BitField, value: &T) {
        let value = self.stable(value.clone());
        let address = self.stable(address.clone());
        let unit_bits = 8 * self.program.types.size(ty).unwrap_or(1).clamp(1, 8) as u32;
        let location = bits.location & (u64::MAX >> (64 - unit_bits));
        let low = location.trailing_zeros().min(u32::from(bits.low));
        let high = (64 - location.leading_zeros()).max(u32::from(bits.low) + u32::from(bits.width));
        let old = self.load_memory(&address, ty);
        let old = self.stable(old);
        let part = |unit: T, low: u32, width: u32| {
            term::binary(BinaryOp::Mod, shifted_down(unit, low), term::int(1 << width))
        };
        let field = part(old.clone(), u32::from(bits.low), u32::from(bits.width));
        let new = term::binary(BinaryOp::Mod, value, term::int(1 << bits.width));
        let change = term::mul(term::sub(new, field), term::int(1 << bits.low));
        let is_alone = !bits.has_neighbours();
        if !is_alone {
            self.scheduling_point();
        }
        self.proc.atomic += 1;
        let changed = match is_alone || high - low == unit_bits {
            true => term::add(old, change),
            false => {
                let now = self.load_memory(&address, ty);
                let now = self.stable(now);
                let lost = term::sub(part(old, low, high - low), part(now.clone(), low, high - low));
                let lost = term::mul(lost, term::int(1 << low));
                term::add(term::add(now, lost), change)
            }
        };
        let int = self.program.types.as_int(ty);
        let changed = int.map_or(changed.clone(), |int| {
            self.wrapped(changed, Range { low: i128::MIN, high: i128::MAX }, int)
        });
        // Traces would show the whole unit.
        let lvalue = self.proc.lvalue.take();
        self.store_memory(&address, ty, &changed);
        self.proc.lvalue = lvalue;
        self.proc.atomic -= 1;
    }

    /// The n-th scalar of a leaf of the record at a place.
    pub(super) fn part(&self, place: &Place, leaf: &Leaf, n: u64) -> Place {
        let base = match &place.base {
            Base::Memory(address) => {
                Base::Memory(term::add(address.clone(), term::int(i128::from(leaf.offset_of(n)))))
            }
            Base::Variables(object, steps) => {
                let mut steps = steps.clone();
                steps.extend(steps_to(leaf, n));
                Base::Variables(*object, steps)
            }
        };
        Place { base, ty: leaf.ty, bits: leaf.bits }
    }

    /// Copies a struct or union.
    pub(super) fn copy_record(&mut self, to: &Place, from: &Place) {
        let (to, from) = (self.settled_place(to.clone()), self.settled_place(from.clone()));
        let leaves = self.leaves_of(to.ty);
        if let (Base::Memory(target), Base::Memory(source)) = (&to.base, &from.base) {
            let (target, source) = (self.stable(target.clone()), self.stable(source.clone()));
            for (offset, size) in self.copied_parts(to.ty, leaves.as_deref()) {
                let at = |address: &T| term::add(address.clone(), term::int(offset));
                self.move_bytes(&at(&target), &at(&source), &term::int(size));
            }
            return;
        }
        let Some(leaves) = leaves else { return self.internal("a union has variables") };
        for leaf in &leaves {
            if let Some((a, b)) = self.whole_maps(&to, &from, leaf) {
                self.set(a, &term::var(b));
                continue;
            }
            if leaf.count() > MOST_COPIED {
                return self.unsupported("an assignment of a large struct");
            }
            for n in 0..leaf.count() {
                let value = self.load(&self.part(&from, leaf, n));
                self.store(&self.part(&to, leaf, n), value);
            }
        }
    }

    /// The offsets and sizes that an assignment of a record copies one after the other: its scalars, or all of it if other
    /// threads cannot see the difference, and for unions and large records.
    fn copied_parts(&self, ty: TypeId, leaves: Option<&[Leaf]>) -> Vec<(i128, i128)> {
        let types = &self.program.types;
        let size = |ty| types.size(ty).map_or(0, i128::from);
        let leaves = leaves.filter(|_| self.facts.threaded && self.proc.atomic == 0).unwrap_or(&[]);
        let count: u64 = leaves.iter().map(Leaf::count).sum();
        if !(1..=MOST_STEPS).contains(&count) || leaves.iter().any(|leaf| leaf.bits.is_some()) {
            return vec![(0, size(ty))];
        }
        let parts = |leaf: &Leaf| {
            let size = size(leaf.ty);
            (0..leaf.count()).map(|n| (i128::from(leaf.offset_of(n)), size)).collect::<Vec<_>>()
        };
        leaves.iter().flat_map(parts).collect()
    }

    /// The maps of an array inside of two records that are not themselves elements.
    fn whole_maps(&mut self, to: &Place, from: &Place, leaf: &Leaf) -> Option<(Sym, Sym)> {
        let map = |l: &Self, place: &Place| {
            let Base::Variables(object, steps) = &place.base else { return None };
            let fixed = steps.iter().all(|s| matches!(s, Projection::Field(_)));
            let mut path: Vec<Option<u32>> = steps
                .iter()
                .map(|s| match s {
                    Projection::Field(n) => Some(*n),
                    Projection::Element(..) => None,
                })
                .collect();
            path.extend(&leaf.path);
            let object = l.object(*object);
            let found = object.leaves.iter().find(|known| known.path == path)?;
            (fixed && !object.shared && found.is_map()).then_some(found.var)
        };
        Some((map(self, to)?, map(self, from)?))
    }

    /// The address of a string literal.
    pub(super) fn string_address(&mut self, string: StringId) -> i128 {
        if let Some(number) = self.strings[string.index()] {
            return number * OBJECT;
        }
        let number = self.new_static();
        self.strings[string.index()] = Some(number);
        let text = String::from_utf8_lossy(&self.program.strings[string.index()]);
        let name = format!("{:?}", text.trim_end_matches('\0'));
        self.notation.objects.insert(number, crate::notation::Object { name, element: 1, is_array: true });
        number * OBJECT
    }

    /// The number of a new static object.
    pub(super) fn new_static(&mut self) -> i128 {
        self.statics += 1;
        self.statics
    }

    /// A variable for the address of an object.
    pub(super) fn stack_address(&mut self, name: &str) -> Sym {
        let wanted = if name.is_empty() { "$at".to_owned() } else { format!("{name}$at") };
        let address = self.fresh(&wanted);
        let decl = self.var_decl(address, false, dally_bpl::ast::Attrs::NONE);
        self.proc.locals.push(decl);
        address
    }

    /// An object that exists until the function returns; its address is in a variable.
    pub(super) fn stack_object(&mut self, name: &str, size: &T) -> Storage {
        let address = self.stack_address(name);
        self.call(vec![Some(address)], "$allocate", &[size.clone(), term::int(STACK)]);
        self.proc.stack.push(address);
        Storage::Memory(term::var(address))
    }

    /// Releases the objects of the function.
    pub(super) fn release_stack(&mut self) {
        for address in self.proc.stack.clone() {
            self.call(Vec::new(), "$release", &[term::var(address)]);
        }
    }

    /// Releases the objects of a function that returns. Those of `main` exist until the end of the program.
    pub(super) fn release_at_return(&mut self) {
        if !self.is_main() {
            self.leave_all_scopes();
            self.release_stack();
        }
    }

    /// A variable of the runtime.
    pub(super) fn runtime_var(&mut self, name: &str) -> T {
        term::var(self.sym(name))
    }

    /// Returns true if objects of this type have scalars only through their members.
    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(self.program.types.unqualified(ty)), Type::Record(_))
    }

    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(self.program.types.unqualified(ty)), Type::Float(_))
    }

    /// True for a term that is the constant 0.
    pub(super) fn is_zero(term: &Term) -> bool {
        term.as_int() == Some(0)
    }
}

/// The bits of a storage unit from `low` on.
fn shifted_down(unit: T, low: u32) -> T {
    term::binary(BinaryOp::Div, unit, term::int(1 << low))
}

/// The steps from a record to the n-th scalar of one of its leaves.
fn steps_to(leaf: &Leaf, mut n: u64) -> Vec<Projection> {
    let mut indices: Vec<u64> = Vec::new();
    for (length, _) in leaf.dimensions.iter().rev() {
        indices.push(n % length);
        n /= length;
    }
    let step = |p: &Option<u32>| match p {
        Some(field) => Projection::Field(*field),
        None => {
            let index = i128::from(indices.pop().unwrap_or(0));
            Projection::Element(term::int(index), Range::exactly(index))
        }
    };
    leaf.path.iter().map(step).collect()
}
