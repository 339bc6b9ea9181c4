//! Initial values of variables.

use super::Lowerer;
use super::memory::{Cell, OBJECT, STACK};
use super::objects::{Leaf, ObjectId, Storage};
use super::places::{Base, Place, Projection, Value};
use super::term::{self, Range, T};
use crate::hir::{ExprKind, FunctionId, GlobalId, Init, InitPart, LocalId};
use crate::types::{BitField, IntType, Type, TypeId, Types};

/// Objects in memory of at most this many scalars get all their cells at once.
const MOST_CELLS: u64 = 64;

impl Lowerer<'_> {
    /// A local begins to exist.
    pub(super) fn initialise(&mut self, local: LocalId, init: Option<&Init>) {
        let Some(function) = self.proc.frames.last().map(|f| f.function) else { return };
        let ty = self.local_of(function, local).ty;
        let Some(storage) = self.local_storage(local) else {
            return self.internal("a local has no storage");
        };
        match (storage, init) {
            (Storage::Variables(object), None) => self.forget(function, object),
            (Storage::Variables(object), Some(init)) => self.initialise_object(object, ty, init),
            (Storage::Memory(address), Some(init)) => self.initialise_memory(&address, ty, init),
            _ => {}
        }
    }

    /// A variable without an initialiser is arbitrary whenever its declaration is reached.
    fn forget(&mut self, function: FunctionId, object: ObjectId) {
        if !self.facts.repeats.contains(&function) || self.library_depth() > 0 {
            return;
        }
        for leaf in self.object(object).leaves.clone() {
            self.havoc(leaf.var);
        }
    }

    fn initialise_object(&mut self, object: ObjectId, ty: TypeId, init: &Init) {
        let whole = Place::of_object(object, ty);
        if let ([part], false) = (&init.parts[..], self.is_record(ty)) {
            let is_scalar = self.object(object).leaves.len() == 1 && !self.object(object).leaves[0].is_map();
            if is_scalar && part.bits.is_none() {
                self.assign_place(&whole, &part.value, false);
                return;
            }
        }
        self.proc.atomic += 1;
        if init.zero_rest {
            for leaf in self.object(object).leaves.clone() {
                if leaf.is_map() || !covers(init, &leaf) {
                    self.set(leaf.var, &Self::zero_of(&leaf));
                }
            }
        }
        self.proc.atomic -= 1;
        self.initialise_parts(&whole, init);
    }

    fn initialise_memory(&mut self, address: &T, ty: TypeId, init: &Init) {
        let whole = Place::memory(address.clone(), ty);
        self.proc.atomic += 1;
        if init.zero_rest {
            self.zero_memory(&whole, init);
        }
        self.proc.atomic -= 1;
        self.initialise_parts(&whole, init);
    }

    /// Zeros what the initialiser does not mention.
    fn zero_memory(&mut self, whole: &Place, init: &Init) {
        let leaves = self.leaves_of(whole.ty).unwrap_or_default();
        let count: u64 = leaves.iter().map(Leaf::count).sum();
        if (1..=16).contains(&count) && leaves.iter().all(|l| l.bits.is_none()) {
            for leaf in &leaves {
                let free = |n: &u64| !init.parts.iter().any(|p| p.offset == leaf.offset_of(*n));
                for n in (0..leaf.count()).filter(free) {
                    self.store(&self.part(whole, leaf, n), Value::constant(0));
                }
            }
            return;
        }
        let (Base::Memory(address), Some(size)) = (&whole.base, self.program.types.size(whole.ty)) else {
            return;
        };
        let args = [address.clone(), term::int(0), term::int(i128::from(size))];
        self.call(Vec::new(), "$fill", &args);
    }

    fn initialise_parts(&mut self, whole: &Place, init: &Init) {
        for part in &init.parts {
            let Some(place) = self.part_at(whole, part) else {
                self.internal("an initialiser does not fit its variable");
                continue;
            };
            match &part.value.kind {
                ExprKind::String(string) => {
                    let bytes = self.program.strings[string.index()].clone();
                    self.initialise_characters(&place, &bytes);
                }
                _ => self.initialise_part(&place, part),
            }
        }
    }

    fn initialise_part(&mut self, place: &Place, part: &InitPart) {
        let mut value = self.value(&part.value);
        if place.bits.is_some() {
            value = self.fit_bits(place, value);
        }
        // A scalar was read before, and other threads do not see the new object yet. A record is read while it is copied.
        let is_read = !self.is_record(place.ty);
        self.proc.atomic += u32::from(is_read);
        self.store(place, value);
        self.proc.atomic -= u32::from(is_read);
    }

    fn initialise_characters(&mut self, array: &Place, bytes: &[u8]) {
        let Type::Array(element, length) = self.program.types.get(self.program.types.unqualified(array.ty))
        else {
            return;
        };
        let (element, length) = (*element, length.unwrap_or(bytes.len() as u64));
        let int = self.program.types.as_int(element).unwrap_or(IntType { bits: 8, signed: true });
        let width = usize::from(int.bits / 8).max(1);
        self.proc.atomic += 1;
        let first = self.first_element(array.clone());
        for (n, chunk) in (0..length).zip(bytes.chunks(width)) {
            let bits = chunk.iter().rev().fold(0_i128, |n, byte| n << 8 | i128::from(*byte));
            let index = i128::from(n);
            let place = match self.element_at(&first, &term::int(index), Range::exactly(index)) {
                Some(place) => place,
                None => offset_place(&first, index * width as i128, element),
            };
            self.store(&place, Value::constant(int.wrap(bits)));
        }
        self.proc.atomic -= 1;
    }

    /// The place of a part of an initialiser.
    fn part_at(&mut self, whole: &Place, part: &InitPart) -> Option<Place> {
        match &whole.base {
            Base::Memory(_) => {
                let mut place = offset_place(whole, i128::from(part.offset), part.ty);
                place.bits = part.bits;
                Some(place)
            }
            Base::Variables(object, steps) => {
                let mut steps = steps.clone();
                steps_to(&self.program.types, whole.ty, (part.offset, part.ty, part.bits), &mut steps)?;
                Some(Place { base: Base::Variables(*object, steps), ty: part.ty, bits: part.bits })
            }
        }
    }

    // Static storage.

    /// The variables of the runtime.
    pub(super) fn initialise_runtime(&mut self) {
        for name in ["$mem", "$cell", "$size", "$zeroed", "$result"] {
            let name = self.sym(name);
            self.set(name, &term::constant(term::int(0)));
        }
        let ended = self.sym("$ended");
        self.set(ended, &term::constant(term::boolean(false)));
        let fixed = self.sym("$fixed");
        self.set(fixed, &term::boolean(false));
        for (name, value) in [("$heap", 0), ("$threads", 1), ("$self", 0)] {
            let name = self.sym(name);
            self.set(name, &term::int(value));
        }
    }

    /// `$size[number] := size;`
    pub(super) fn static_object(&mut self, number: i128, size: i128) {
        let sizes = self.sym("$size");
        self.set_element(sizes, &term::int(number), &term::int(if size == 0 { -2 } else { size }));
    }

    /// Sets a cell of a static object.
    pub(super) fn static_cell(&mut self, address: i128, cell: Cell, value: &T) {
        let (cells, memory) = (self.sym("$cell"), self.sym("$mem"));
        self.set_element(cells, &term::int(address), &term::int(cell.code));
        if !Self::is_zero(value) {
            self.set_element(memory, &term::int(address), value);
        }
    }

    pub(super) fn initialise_globals(&mut self) {
        let program = self.program;
        self.proc.atomic += 1;
        for (index, global) in program.globals.iter().enumerate() {
            if global.thread_local || !self.used_globals.contains(&GlobalId(index as u32)) {
                continue;
            }
            let init = global.init.clone().unwrap_or(Init { zero_rest: true, parts: Vec::new() });
            let init = Init { zero_rest: true, ..init };
            self.proc.span = global.span;
            match self.globals[index].clone() {
                Storage::Variables(object) => self.initialise_object(object, global.ty, &init),
                Storage::Memory(address) => self.initialise_static(&address, global.ty, &init),
                Storage::Bound(_) => {}
            }
        }
        self.initialise_strings();
        self.proc.atomic -= 1;
    }

    fn initialise_static(&mut self, address: &T, ty: TypeId, init: &Init) {
        let Some(start) = address.as_int() else { return };
        let size = self.program.types.size(ty).unwrap_or(0);
        self.static_object(start / OBJECT, i128::from(size));
        let whole = Place::memory(address.clone(), ty);
        let leaves = self.leaves_of(ty).unwrap_or_default();
        let count: u64 = leaves.iter().map(Leaf::count).sum();
        let has_cells = (1..=MOST_CELLS).contains(&count) && leaves.iter().all(|l| l.bits.is_none());
        if !has_cells {
            let zeroed = self.sym("$zeroed");
            self.set_element(zeroed, &term::int(start / OBJECT), &term::int(1));
            return self.initialise_parts(&whole, init);
        }
        for leaf in &leaves {
            let cell = self.cell_of(leaf.ty);
            for n in 0..leaf.count() {
                let offset = leaf.offset_of(n);
                let part = init
                    .parts
                    .iter()
                    .find(|p| p.offset == offset && !matches!(p.value.kind, ExprKind::String(_)));
                let value = match part.filter(|p| !self.is_record(p.ty)) {
                    Some(part) => {
                        let value = self.value(&part.value);
                        self.int(value)
                    }
                    None => term::int(0),
                };
                self.static_cell(start + i128::from(offset), cell, &value);
            }
        }
        let is_text = |p: &&InitPart| matches!(p.value.kind, ExprKind::String(_));
        let texts: Vec<InitPart> = init.parts.iter().filter(is_text).cloned().collect();
        self.initialise_parts(&whole, &Init { zero_rest: true, parts: texts });
    }

    /// The string literals whose address is used.
    fn initialise_strings(&mut self) {
        for index in 0..self.strings.len() {
            let Some(number) = self.strings[index] else { continue };
            let bytes = self.program.strings[index].clone();
            self.static_object(number, bytes.len() as i128);
            for (offset, byte) in (0..).zip(&bytes) {
                let value = term::int(i128::from(*byte as i8));
                self.static_cell(number * OBJECT + offset, Cell::CHAR, &value);
            }
        }
    }

    /// Thread-local variables: each thread has a copy.
    pub(super) fn initialise_thread_locals(&mut self) {
        let program = self.program;
        self.proc.atomic += 1;
        for (index, global) in program.globals.iter().enumerate() {
            if !global.thread_local || !self.used_globals.contains(&GlobalId(index as u32)) {
                continue;
            }
            let init = global.init.clone().unwrap_or(Init { zero_rest: true, parts: Vec::new() });
            let init = Init { zero_rest: true, ..init };
            match self.globals[index].clone() {
                Storage::Variables(object) => self.initialise_object(object, global.ty, &init),
                Storage::Memory(address) => {
                    let size = self.program.types.size(global.ty).unwrap_or(0);
                    if let term::Term::Var(variable) = *address {
                        let args = [term::int(i128::from(size)), term::int(STACK)];
                        self.call(vec![Some(variable)], "$allocate", &args);
                    }
                    self.initialise_memory(&address, global.ty, &init);
                }
                Storage::Bound(_) => {}
            }
        }
        self.proc.atomic -= 1;
    }
}

impl Lowerer<'_> {
    /// The thread-local variables in memory no longer exist.
    pub(super) fn release_thread_locals(&mut self) {
        for (index, global) in self.program.globals.iter().enumerate() {
            let is_used = self.used_globals.contains(&GlobalId(index as u32));
            if let (true, true, Storage::Memory(address)) =
                (global.thread_local, is_used, self.globals[index].clone())
            {
                self.call(Vec::new(), "$release", &[address]);
            }
        }
    }
}

/// Returns true if the initialiser has a part for a scalar.
fn covers(init: &Init, leaf: &Leaf) -> bool {
    init.parts.iter().any(|p| p.offset == leaf.offset && p.bits == leaf.bits)
}

fn offset_place(whole: &Place, offset: i128, ty: TypeId) -> Place {
    let base = match &whole.base {
        Base::Memory(address) => Base::Memory(term::add(address.clone(), term::int(offset))),
        variables @ Base::Variables(..) => variables.clone(),
    };
    Place { base, ty, bits: None }
}

/// The steps from an object to its part of a type at an offset.
fn steps_to(
    types: &Types,
    ty: TypeId,
    (offset, target, bits): (u64, TypeId, Option<BitField>),
    steps: &mut Vec<Projection>,
) -> Option<()> {
    let ty = types.unqualified(ty);
    let same = |a: TypeId, b: TypeId| types.unqualified(a) == types.unqualified(b);
    if offset == 0 && bits.is_none() && same(ty, target) {
        return Some(());
    }
    match types.get(ty) {
        Type::Array(element, _) => {
            let size = types.size(*element)?.max(1);
            // A string fills an array whose declared length may differ from its own.
            if offset == 0
                && matches!(types.get(types.unqualified(target)), Type::Array(inner, _) if same(*inner, *element))
            {
                return Some(());
            }
            let index = i128::from(offset / size);
            steps.push(Projection::Element(term::int(index), Range::exactly(index)));
            steps_to(types, *element, (offset % size, target, bits), steps)
        }
        Type::Record(record) => {
            let record = &types.records[record.0 as usize];
            let fields = record.fields.as_ref()?;
            // The storage unit of a bit-field may overlap other members.
            let is_field = |f: &crate::types::Field| bits.is_some() && f.offset == offset && f.bits == bits;
            let contains = |f: &crate::types::Field| {
                let end = f.offset + types.size(f.ty).unwrap_or(0).max(1);
                let can_hold = bits.is_none() || types.as_int(f.ty).is_none();
                f.bits.is_none() && can_hold && f.offset <= offset && offset < end
            };
            let number = fields.iter().position(is_field).or_else(|| fields.iter().position(contains))?;
            let field = &fields[number];
            steps.push(Projection::Field(number as u32));
            if bits.is_some() && field.bits == bits {
                return Some(());
            }
            steps_to(types, field.ty, (offset - field.offset, target, bits), steps)
        }
        // A scalar whose type differs in name only.
        _ if offset == 0 && bits.is_none() => Some(()),
        _ => None,
    }
}
