//! Structs and unions, and their layout.
//!
//! The layout is that of the System V ABI: a member lies at the next multiple of its alignment, and a bit-field never
//! crosses a storage unit of its type. Bit-fields are described by a storage unit of their type at an aligned offset.
//! `packed` and `#pragma pack` lower alignments, and let bit-fields cross units: see [`Packing`].

use dally_text::code::Code;
use dally_text::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::basic::Class;
use super::scope::Tag;
use super::{Checked, Checker};
use crate::ast::{Attrs, Declarator, ExprId, Member, RecordSpec, Specs};
use crate::codes;
use crate::types::{BitField, Field, IntType, Record, RecordId, Type, TypeId};

/// Structs with more members than this have an index of their names.
const FEW: usize = 16;

/// How the members of a record are packed.
#[derive(Clone, Copy)]
struct Packing {
    /// `__attribute__((packed))`
    packed: bool,
    /// The largest alignment of a member, which `#pragma pack` gives; 0 if there is none.
    most: u64,
}

impl Packing {
    /// Bit-fields follow each other without gaps.
    fn is_dense(self) -> bool {
        self.packed || self.most > 0
    }

    fn limit(self, align: u64) -> u64 {
        if self.most > 0 { align.min(self.most) } else { align }
    }
}

/// A member before its place is known.
struct Plan {
    name: String,
    ty: TypeId,
    width: Option<u8>,
    align: u64,
}

impl Checker<'_> {
    pub(super) fn record_type(&mut self, spec: &RecordSpec) -> Checked<TypeId> {
        let id = self.record_id(spec)?;
        if let Some(members) = &spec.members {
            if self.types.records[id.0 as usize].fields.is_some() {
                self.error(Code::DUPLICATE, spec.span, "this tag is already defined");
                return None;
            }
            self.define_record(id, members, spec);
        }
        Some(self.types.intern(Type::Record(id)))
    }

    /// The struct that the tag denotes, or a new one.
    fn record_id(&mut self, spec: &RecordSpec) -> Checked<RecordId> {
        let Some(tag) = spec.tag else { return Some(self.new_record(None, spec.is_union)) };
        let known =
            if spec.members.is_some() { self.scopes.tag_here(tag.sym) } else { self.scopes.tag(tag.sym) };
        match known {
            Some(Tag::Record(id)) if self.types.records[id.0 as usize].is_union == spec.is_union => Some(id),
            Some(_) => {
                let message = format!("`{}` is another kind of tag", self.text(tag.sym));
                self.error(codes::CONFLICT, tag.span, message);
                None
            }
            None => {
                let text = self.text(tag.sym).to_owned();
                let id = self.new_record(Some(text), spec.is_union);
                self.scopes.declare_tag(tag.sym, Tag::Record(id));
                Some(id)
            }
        }
    }

    fn new_record(&mut self, tag: Option<String>, is_union: bool) -> RecordId {
        self.types.records.push(Record { tag, is_union, fields: None, size: 0, align: 1 });
        RecordId(self.types.records.len() as u32 - 1)
    }

    fn define_record(&mut self, id: RecordId, members: &[Member], spec: &RecordSpec) {
        let mut plans = Vec::new();
        let packing = Packing { packed: spec.attrs.packed, most: u64::from(spec.pack) };
        for member in members {
            self.member(member, packing, &mut plans);
        }
        self.unique_members(&plans, spec.span);
        let least = self.alignment(&spec.attrs);
        let (mut fields, size, align) = self.layout(plans, spec.is_union, packing);
        let align = align.max(least);
        let size = size.next_multiple_of(align);
        if packing.is_dense() && !self.fit_units(&mut fields, size) {
            self.unsupported(spec.span, "a packed bit-field that lies in more bytes than its type has");
        }
        find_locations(&mut fields);
        let record = &mut self.types.records[id.0 as usize];
        record.fields = Some(fields);
        record.align = align;
        record.size = size;
    }

    fn member(&mut self, member: &Member, packing: Packing, plans: &mut Vec<Plan>) {
        if let Some(condition) = member.assertion {
            self.assertion(condition, None, member.span);
            return;
        }
        let Some(base) = self.specs_type(&member.specs) else { return };
        if member.declarators.is_empty() {
            // An anonymous struct or union; a tag alone declares no member.
            let anonymous = match &member.specs.ty {
                crate::ast::TypeSpec::Record(spec) => spec.tag.is_none(),
                _ => false,
            };
            if anonymous {
                let align = self.member_align(base, packing, &member.specs.attrs, None);
                plans.push(Plan { name: String::new(), ty: base, width: None, align });
            }
            return;
        }
        for one in &member.declarators {
            self.one_member(base, &member.specs, &one.declarator, one.width, packing, plans);
        }
    }

    fn one_member(
        &mut self,
        base: TypeId,
        specs: &Specs,
        declarator: &Declarator,
        width: Option<ExprId>,
        packing: Packing,
        plans: &mut Vec<Plan>,
    ) {
        let Some(ty) = self.declared(base, declarator) else { return };
        let flexible = matches!(self.types.get(ty), Type::Array(_, None));
        if self.class(ty) == Class::Function || (self.types.size(ty).is_none() && !flexible) {
            return self.incomplete(ty, declarator.span);
        }
        let width = match width {
            None => None,
            Some(expr) => match self.bit_width(ty, expr, declarator) {
                Some(width) => Some(width),
                None => return,
            },
        };
        let name = declarator.name.map_or(String::new(), |name| self.text(name.sym).to_owned());
        let packing = Packing { packed: packing.packed || declarator.attrs.packed, ..packing };
        let align = self.member_align(ty, packing, &specs.attrs, Some(&declarator.attrs));
        plans.push(Plan { name, ty, width, align });
    }

    fn member_align(&mut self, ty: TypeId, packing: Packing, specs: &Attrs, own: Option<&Attrs>) -> u64 {
        let natural = if packing.packed { 1 } else { self.types.align(ty) };
        let asked = self.alignment(specs).max(own.map_or(1, |attrs| self.alignment(attrs)));
        packing.limit(natural.max(asked))
    }

    fn bit_width(&mut self, ty: TypeId, expr: ExprId, declarator: &Declarator) -> Checked<u8> {
        let Class::Integer(int) = self.class(ty) else {
            self.error(codes::BAD_MEMBER, declarator.span, "a bit-field has an integer type");
            return None;
        };
        let width = self.constant_int(expr)?;
        let most =
            if self.types.get(self.types.unqualified(ty)) == &Type::Bool { 1 } else { i128::from(int.bits) };
        if width < 0 || width > most || (width == 0 && declarator.name.is_some()) {
            self.error(
                codes::BAD_MEMBER,
                declarator.span,
                format!("a bit-field of this type has at most {most} bits"),
            );
            return None;
        }
        Some(width as u8)
    }

    fn unique_members(&mut self, plans: &[Plan], span: Span) {
        let mut seen = FxHashSet::default();
        if let Some(plan) = plans.iter().find(|p| !p.name.is_empty() && !seen.insert(p.name.as_str())) {
            let message = format!("two members are called `{}`", plan.name);
            self.error(Code::DUPLICATE, span, message);
        }
    }

    /// The fields, the size before it is rounded up, and the alignment.
    fn layout(&self, plans: Vec<Plan>, is_union: bool, packing: Packing) -> (Vec<Field>, u64, u64) {
        // In bits.
        let mut next = 0_u64;
        let mut size = 0_u64;
        let mut align = 1_u64;
        let dense = packing.is_dense();
        let mut fields = Vec::new();
        // Until their places are known, the location of bit-fields is the number of their sequence.
        let mut sequence = 0;
        for plan in plans {
            let bytes = self.types.size(plan.ty).unwrap_or(0);
            if is_union {
                next = 0;
            }
            let Some(width) = plan.width else {
                sequence += 1;
                next = next.next_multiple_of(8 * plan.align);
                let offset = next / 8;
                next += 8 * bytes;
                size = size.max(next);
                align = align.max(plan.align);
                fields.push(Field { name: plan.name, ty: plan.ty, offset, bits: None });
                continue;
            };
            let unit = 8 * bytes;
            if width == 0 {
                next = next.next_multiple_of(unit);
                sequence += 1;
                continue;
            }
            let crosses = next / unit != (next + u64::from(width) - 1) / unit;
            if crosses && !dense {
                next = next.next_multiple_of(unit);
            }
            if !plan.name.is_empty() {
                // Packed bit-fields that cross a unit begin at their own byte.
                let offset = if crosses && dense { next / 8 } else { next / unit * bytes };
                let bits = Some(BitField { low: (next - 8 * offset) as u8, width, location: sequence });
                fields.push(Field { name: plan.name, ty: plan.ty, offset, bits });
                align = align.max(plan.align);
            }
            next += u64::from(width);
            size = size.max(next);
        }
        (fields, size.div_ceil(8), align)
    }

    /// Moves and shrinks the storage units of packed bit-fields until the record contains them. False if that is impossible.
    fn fit_units(&mut self, fields: &mut [Field], size: u64) -> bool {
        for field in fields {
            let Some(bits) = &mut field.bits else { continue };
            let Some(int) = self.types.as_int(field.ty) else { continue };
            let (first, width) = (8 * field.offset + u64::from(bits.low), u64::from(bits.width));
            let declared = u64::from(int.bits) / 8;
            let fits =
                |at: u64, unit: u64| at + unit <= size && 8 * at <= first && first + width <= 8 * (at + unit);
            if fits(field.offset, declared) {
                continue;
            }
            let found = [8, 4, 2, 1]
                .into_iter()
                .filter(|unit| *unit <= declared && *unit <= size)
                .map(|unit| ((first / 8).min(size - unit), unit))
                .find(|(at, unit)| fits(*at, *unit));
            let Some((at, unit)) = found else { return false };
            field.offset = at;
            bits.low = (first - 8 * at) as u8;
            if unit != declared {
                field.ty = self.types.intern(Type::Int(IntType { bits: 8 * unit as u8, signed: int.signed }));
            }
        }
        true
    }

    /// The member of this name, as a path of indices through anonymous members.
    pub(super) fn find_member(&mut self, id: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = self.types.records[id.0 as usize].fields.as_ref()?;
        if fields.len() <= FEW {
            return self.search_member(id, name);
        }
        self.members.entry(id).or_insert_with(|| {
            let mut index = FxHashMap::default();
            for (i, field) in fields.iter().enumerate() {
                index.insert(field.name.clone(), i as u32);
            }
            index
        });
        match self.members.get(&id).and_then(|index| index.get(name)) {
            Some(index) => Some(vec![*index]),
            None => self.search_member(id, name),
        }
    }

    fn search_member(&self, id: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = self.types.records[id.0 as usize].fields.as_ref()?;
        if let Some(index) = fields.iter().position(|f| f.name == name) {
            return Some(vec![index as u32]);
        }
        for (index, field) in fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()) {
            if let Class::Record(inner) = self.class(field.ty)
                && let Some(mut path) = self.search_member(inner, name)
            {
                path.insert(0, index as u32);
                return Some(path);
            }
        }
        None
    }
}

/// Finds the memory locations of adjacent bit-fields: those of the same sequence, as far as storage units contain them.
fn find_locations(fields: &mut [Field]) {
    let at = |field: &Field| {
        field.bits.map(|bits| (8 * field.offset + u64::from(bits.low), bits.width, bits.location))
    };
    let all: Vec<(u64, u8, u64)> = fields.iter().filter_map(at).collect();
    for field in fields {
        let start = 8 * field.offset;
        let Some(bits) = &mut field.bits else { continue };
        let own = std::mem::take(&mut bits.location);
        let first = all.partition_point(|(_, _, sequence)| *sequence < own);
        let adjacent = all[first..].iter().take_while(|(_, _, sequence)| *sequence == own);
        for (first, width, _) in adjacent {
            for bit in *first..first + u64::from(*width) {
                if (start..start + 64).contains(&bit) {
                    bits.location |= 1 << (bit - start);
                }
            }
        }
    }
}
