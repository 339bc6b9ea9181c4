//! Initialisers, flattened into parts with offsets.

use std::collections::BTreeMap;

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::{Checked, Checker};
use crate::ast::{Designator, ExprId, ExprKind as E, InitItem, Initialiser, Name, TypeName};
use crate::codes;
use crate::hir::{Expr, ExprKind, Global, Init, InitPart};
use crate::types::{BitField, RecordId, Type, TypeId};

/// The most parts of one initialiser.
const MOST_PARTS: usize = 1 << 20;

/// A place that is initialised.
#[derive(Clone, Copy)]
struct Spot {
    ty: TypeId,
    offset: u64,
    bits: Option<BitField>,
}

/// The values of a list in braces, consumed in order.
struct Values<'a> {
    items: &'a [InitItem],
    /// The index of the next item.
    at: usize,
    /// The list.
    span: Span,
}

impl<'a> Values<'a> {
    fn next(&self) -> Option<&'a InitItem> {
        self.items.get(self.at)
    }

    /// Returns true if an array or struct without braces, which began with item `start`, has no more values.
    fn ends_elided(&self, start: usize) -> bool {
        self.next().is_none_or(|item| self.at > start && !item.designators.is_empty())
    }
}

/// The parts so far, by offset and first bit.
#[derive(Default)]
struct Parts {
    map: BTreeMap<(u64, u8), InitPart>,
    /// The number of elements that the outermost array needs.
    length: u64,
    full: bool,
}

impl Checker<'_> {
    /// Checks an initialiser; also returns the type, in which the length of an array is known.
    pub(super) fn initialiser(
        &mut self,
        ty: TypeId,
        init: &Initialiser,
        span: Span,
    ) -> Checked<(Init, TypeId)> {
        let mut parts = Parts::default();
        let spot = Spot { ty, offset: 0, bits: None };
        self.any(spot, init, &mut parts, span)?;
        if parts.full {
            self.error(codes::TOO_MANY_VALUES, span, "this initialiser has too many values");
            return None;
        }
        let ty = match *self.types.get(ty) {
            Type::Array(element, None) => self.types.intern(Type::Array(element, Some(parts.length))),
            _ => ty,
        };
        let scalar = !matches!(self.class(ty), Class::Array(_) | Class::Record(_));
        let whole = parts
            .map
            .values()
            .any(|part| part.offset == 0 && part.ty == self.types.unqualified(ty) && self.is_record(ty));
        let mut all: Vec<InitPart> = parts.map.into_values().collect();
        if self.is_static {
            for part in &mut all {
                self.static_value(&mut part.value)?;
            }
        }
        Some((Init { zero_rest: !scalar && !whole, parts: all }, ty))
    }

    fn any(&mut self, spot: Spot, init: &Initialiser, parts: &mut Parts, span: Span) -> Checked<()> {
        match init {
            Initialiser::Expr(expr) => self.by_expr(spot, *expr, parts, span),
            Initialiser::List(items, list) => {
                dally_text::stack::grow(|| self.by_list(spot, items, parts, *list))
            }
        }
    }

    fn by_list(&mut self, spot: Spot, items: &[InitItem], parts: &mut Parts, span: Span) -> Checked<()> {
        match self.class(spot.ty) {
            Class::Array(element) => {
                // `char s[] = { "text" }`
                if let [InitItem { designators, value: Initialiser::Expr(expr) }] = items
                    && designators.is_empty()
                    && self.fills(element, *expr)
                {
                    return self.by_expr(spot, *expr, parts, span);
                }
                self.array(spot, &mut Values { items, at: 0, span }, parts)
            }
            Class::Record(id)
                if self.is_replaced(id) && self.foreign_braces(spot, id, items, parts, span) =>
            {
                Some(())
            }
            Class::Record(id) => self.record(spot, id, &mut Values { items, at: 0, span }, parts),
            _ => match items {
                [] => Some(()),
                [first, rest @ ..] => {
                    if !rest.is_empty() {
                        self.excess(span);
                    }
                    self.any(spot, &first.value, parts, span)
                }
            },
        }
    }

    fn by_expr(&mut self, spot: Spot, expr: ExprId, parts: &mut Parts, span: Span) -> Checked<()> {
        let ast = self.ast;
        if let Class::Array(element) = self.class(spot.ty) {
            if self.fills(element, expr) {
                return self.by_string(spot, expr, parts);
            }
            if let E::Compound(_, init) = &ast.expr(expr).kind {
                return self.any(spot, init, parts, span);
            }
            self.error(
                codes::BAD_INITIALISER,
                ast.expr(expr).span,
                "an array is initialised by braces or a string",
            );
            return None;
        }
        if let (Class::Record(_), E::Compound(name, init), true) =
            (self.class(spot.ty), &ast.expr(expr).kind, self.is_static)
        {
            let ty = self.type_name(name)?;
            if self.compatible(ty, spot.ty) {
                return self.any(spot, init, parts, span);
            }
        }
        let value = self.value(expr)?;
        self.by_value(spot, value, parts)
    }

    fn by_value(&mut self, spot: Spot, value: Expr, parts: &mut Parts) -> Checked<()> {
        let value = self.assignable(value, spot.ty, "this initialiser")?;
        self.part(spot, value, parts);
        Some(())
    }

    fn part(&mut self, spot: Spot, value: Expr, parts: &mut Parts) {
        if parts.map.len() >= MOST_PARTS {
            parts.full = true;
            return;
        }
        let size = self.types.size(spot.ty).unwrap_or(1);
        let low = spot.bits.map_or(0, |b| b.low);
        // A later value replaces earlier ones.
        if spot.bits.is_none() {
            let covered = parts.map.range((spot.offset, 0)..(spot.offset + size.max(1), 0));
            let covered: Vec<_> = covered.map(|(key, _)| *key).collect();
            for key in covered {
                parts.map.remove(&key);
            }
        }
        let ty = self.types.unqualified(spot.ty);
        parts.map.insert((spot.offset, low), InitPart { offset: spot.offset, bits: spot.bits, ty, value });
    }

    /// Returns true if the expression is a string that fills an array of this element type.
    fn fills(&self, element: TypeId, expr: ExprId) -> bool {
        let E::Str(_, prefix) = &self.ast.expr(expr).kind else { return false };
        let wanted = match prefix {
            crate::ast::Prefix::None => 1,
            crate::ast::Prefix::Utf16 => 2,
            _ => 4,
        };
        self.class(element).is_integer() && self.types.size(element) == Some(wanted)
    }

    fn by_string(&mut self, spot: Spot, expr: ExprId, parts: &mut Parts) -> Checked<()> {
        let value = self.operand(expr)?;
        let Type::Array(_, Some(units)) = *self.types.get(value.ty) else { return None };
        let Type::Array(element, length) = *self.types.get(self.types.unqualified(spot.ty)) else {
            return None;
        };
        if length.is_some_and(|n| units > n + 1) {
            let message = "this string is longer than the array";
            self.error(codes::EXCESS_INITIALISER, value.span, message);
        }
        if length.is_none() {
            parts.length = parts.length.max(units);
        }
        let ty = self.types.intern(Type::Array(element, Some(length.unwrap_or(units))));
        self.part(Spot { ty, ..spot }, value, parts);
        Some(())
    }

    fn excess(&mut self, span: Span) {
        if !self.library {
            self.error(
                codes::EXCESS_INITIALISER,
                span,
                "this initialiser has more values than there are places",
            );
        }
    }

    fn array(&mut self, spot: Spot, values: &mut Values<'_>, parts: &mut Parts) -> Checked<()> {
        let Type::Array(element, length) = *self.types.get(self.types.unqualified(spot.ty)) else {
            return None;
        };
        let size = self.types.size(element)?;
        let outermost = length.is_none();
        let mut index = 0_u64;
        while let Some(item) = values.next() {
            let (first, last) = match item.designators.first() {
                Some(Designator::Index(low, high)) => self.range(*low, *high, length)?,
                Some(Designator::Member(name)) => {
                    self.error(codes::BAD_INITIALISER, name.span, "an array has no members");
                    return None;
                }
                None => (index, index),
            };
            if length.is_some_and(|n| first >= n) {
                self.excess(values.span);
                return Some(());
            }
            if (last - first) as usize >= MOST_PARTS {
                parts.full = true;
                return Some(());
            }
            let start = values.at;
            for i in first..=last {
                values.at = start;
                let spot = Spot { ty: element, offset: spot.offset + i * size, bits: None };
                let rest = item.designators.get(1..).unwrap_or(&[]);
                self.item(spot, rest, values, parts)?;
                if parts.full {
                    return Some(());
                }
            }
            // Elements without members take no values.
            values.at = values.at.max(start + 1);
            index = last + 1;
            if outermost {
                parts.length = parts.length.max(index);
            }
        }
        Some(())
    }

    fn range(&mut self, low: ExprId, high: Option<ExprId>, length: Option<u64>) -> Checked<(u64, u64)> {
        let first = self.constant_int(low)?;
        let last = match high {
            Some(high) => self.constant_int(high)?,
            None => first,
        };
        let most = length.map_or(i128::from(u32::MAX), i128::from);
        if first < 0 || last < first || last >= most {
            let span = self.ast.expr(low).span;
            self.error(codes::BAD_INITIALISER, span, "this index is outside of the array");
            return None;
        }
        Some((first as u64, last as u64))
    }

    fn record(
        &mut self,
        spot: Spot,
        id: RecordId,
        values: &mut Values<'_>,
        parts: &mut Parts,
    ) -> Checked<()> {
        let span = values.span;
        let record = &self.types.records[id.0 as usize];
        let is_union = record.is_union;
        let Some(fields) = record.fields.clone() else {
            self.incomplete(spot.ty, span);
            return None;
        };
        let mut index = 0;
        while let Some(item) = values.next() {
            let start = values.at;
            match item.designators.split_first() {
                Some((Designator::Member(name), rest)) => {
                    let (outer, place) = self.member_spot(spot, id, *name)?;
                    self.item(place, rest, values, parts)?;
                    index = outer + 1;
                }
                Some((Designator::Index(low, _), _)) => {
                    let span = self.ast.expr(*low).span;
                    self.error(codes::BAD_INITIALISER, span, "a struct has no elements");
                    return None;
                }
                None => {
                    let done = index >= fields.len() || (is_union && index > 0);
                    if done {
                        self.excess(span);
                        return Some(());
                    }
                    let field = &fields[index];
                    if matches!(self.types.get(field.ty), Type::Array(_, None)) {
                        self.unsupported(span, "initialisers of flexible array members");
                        return None;
                    }
                    let place = Spot { ty: field.ty, offset: spot.offset + field.offset, bits: field.bits };
                    self.item(place, &[], values, parts)?;
                    index += 1;
                    // An empty member takes no value.
                    if values.at == start && self.types.size(field.ty) != Some(0) {
                        values.at += 1;
                    }
                }
            }
        }
        Some(())
    }

    /// The place of a named member, and the index of the outermost member that it is in.
    fn member_spot(&mut self, spot: Spot, id: RecordId, name: Name) -> Checked<(usize, Spot)> {
        let text = self.text(name.sym).to_owned();
        let Some(path) = self.find_member(id, &text) else {
            let message = format!("`{}` has no member `{}`", self.describe(spot.ty), self.text(name.sym));
            self.error(Code::UNKNOWN_FIELD, name.span, message);
            return None;
        };
        let mut place = spot;
        for index in &path {
            let field = self.field(place.ty, *index)?;
            place = Spot { ty: field.ty, offset: place.offset + field.offset, bits: field.bits };
        }
        Some((path[0] as usize, place))
    }

    /// The next item initialises the place, after its designators; values without braces may go on into members.
    fn item(
        &mut self,
        spot: Spot,
        designators: &[Designator],
        values: &mut Values<'_>,
        parts: &mut Parts,
    ) -> Checked<()> {
        let span = values.span;
        let value = &values.next()?.value;
        if let Some((first, rest)) = designators.split_first() {
            let place = match (first, self.class(spot.ty)) {
                (Designator::Member(name), Class::Record(id)) => self.member_spot(spot, id, *name)?.1,
                (Designator::Index(low, None), Class::Array(element)) => {
                    let (index, _) = self.range(*low, None, None)?;
                    let size = self.types.size(element)?;
                    Spot { ty: element, offset: spot.offset + index * size, bits: None }
                }
                _ => {
                    self.error(codes::BAD_INITIALISER, span, "this designator does not fit the type");
                    return None;
                }
            };
            return self.item(place, rest, values, parts);
        }
        let Initialiser::Expr(expr) = value else {
            values.at += 1;
            return self.any(spot, value, parts, span);
        };
        match self.class(spot.ty) {
            Class::Array(element) if !self.fills(element, *expr) => {
                dally_text::stack::grow(|| self.elided_array(spot, values, parts))
            }
            Class::Record(id) => dally_text::stack::grow(|| self.record_item(spot, id, *expr, values, parts)),
            _ => {
                values.at += 1;
                self.by_expr(spot, *expr, parts, span)
            }
        }
    }

    /// An array whose braces are left out. The designators of the first item belong to what is around it.
    fn elided_array(&mut self, spot: Spot, values: &mut Values<'_>, parts: &mut Parts) -> Checked<()> {
        let Type::Array(element, Some(length)) = *self.types.get(self.types.unqualified(spot.ty)) else {
            self.unsupported(values.span, "initialisers of flexible array members");
            return None;
        };
        let size = self.types.size(element)?;
        let start = values.at;
        for index in 0..length {
            if values.ends_elided(start) {
                break;
            }
            let before = values.at;
            let place = Spot { ty: element, offset: spot.offset + index * size, bits: None };
            self.item(place, &[], values, parts)?;
            if values.at == before || parts.full {
                break;
            }
        }
        Some(())
    }

    /// A struct that is initialised by a value of its type, or by the values of its members without braces.
    fn record_item(
        &mut self,
        spot: Spot,
        id: RecordId,
        expr: ExprId,
        values: &mut Values<'_>,
        parts: &mut Parts,
    ) -> Checked<()> {
        if self.may_be_record(expr) {
            let is_literal = matches!(self.ast.expr(expr).kind, E::Compound(..));
            if is_literal {
                values.at += 1;
                return self.by_expr(spot, expr, parts, values.span);
            }
            let value = self.value(expr)?;
            if self.is_record(value.ty) {
                values.at += 1;
                return self.by_value(spot, value, parts);
            }
        }
        let fields = self.types.records[id.0 as usize].fields.clone()?;
        let is_union = self.types.records[id.0 as usize].is_union;
        let start = values.at;
        for field in fields.iter().take(if is_union { 1 } else { usize::MAX }) {
            if values.ends_elided(start) {
                break;
            }
            let place = Spot { ty: field.ty, offset: spot.offset + field.offset, bits: field.bits };
            self.item(place, &[], values, parts)?;
        }
        Some(())
    }

    /// False for expressions that are numbers whatever their operands are.
    fn may_be_record(&self, expr: ExprId) -> bool {
        !matches!(
            self.ast.expr(expr).kind,
            E::Int(..) | E::Float(..) | E::Char(..) | E::Str(..) | E::SizeofExpr(_) | E::SizeofType(_)
        )
    }

    /// Returns true for types of the library that stand for those of system headers.
    fn is_replaced(&self, id: RecordId) -> bool {
        let Some(record) = self.types.records.get(id.0 as usize) else { return false };
        !self.library
            && record.fields.as_ref().is_some_and(|fields| fields.iter().all(|f| f.name.starts_with("__")))
            && record.tag.as_deref() != Some("__va_list_tag")
    }

    /// Braces for a type of the library as system headers write them: zeros, and the kind of a mutex among them.
    fn foreign_braces(
        &mut self,
        spot: Spot,
        id: RecordId,
        items: &[InitItem],
        parts: &mut Parts,
        span: Span,
    ) -> bool {
        let mut kind = 0;
        if !self.only_numbers(items, &mut kind) {
            return false;
        }
        if kind == 0 {
            return true;
        }
        let fields = self.types.records[id.0 as usize].fields.clone().unwrap_or_default();
        let Some(field) = fields.iter().find(|f| f.name == "__kind") else { return false };
        let place = Spot { ty: field.ty, offset: spot.offset + field.offset, bits: None };
        let value = self.int_expr(kind, self.basic.int, span);
        let value = self.convert(value, field.ty);
        self.part(place, value, parts);
        true
    }

    /// Returns true if all values in the braces are constants; `kind` is the last one that is not zero.
    fn only_numbers(&mut self, items: &[InitItem], kind: &mut i128) -> bool {
        for item in items {
            match &item.value {
                Initialiser::List(items, _) => {
                    if !dally_text::stack::grow(|| self.only_numbers(items, kind)) {
                        return false;
                    }
                }
                Initialiser::Expr(expr) => {
                    let Some(value) = self.value(*expr) else { return false };
                    match self.constant_of(&value) {
                        Ok(0) => {}
                        Ok(value) => *kind = value,
                        Err(_) => return false,
                    }
                }
            }
        }
        true
    }

    // Compound literals.

    pub(super) fn compound_literal(
        &mut self,
        name: &TypeName,
        init: &Initialiser,
        span: Span,
    ) -> Checked<Expr> {
        let ty = self.type_name(name)?;
        if self.current.is_some() && !self.is_static {
            let local = self.add_local("", ty, span)?;
            let (init, ty) = self.initialiser(ty, init, span)?;
            if let Some(current) = &mut self.current {
                current.locals[local.index()].ty = ty;
            }
            return Some(Expr { kind: ExprKind::Compound(local, Box::new(init)), ty, span });
        }
        let (init, ty) = self.static_initialiser(ty, init, span)?;
        let function = self.current.as_ref().map(|c| c.id);
        let id = self.add_global(Global {
            name: String::new(),
            function,
            ty,
            thread_local: false,
            external: false,
            init: Some(init),
            span,
        });
        Some(Expr { kind: ExprKind::Global(id), ty, span })
    }

    // Values of variables with static storage.

    /// Folds the value, or checks that it is an address that is known before the program runs.
    fn static_value(&mut self, value: &mut Expr) -> Checked<()> {
        if matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_)) {
            return Some(());
        }
        match self.constant_of(value) {
            Ok(number) => value.kind = ExprKind::Int(number),
            Err(why) if !Self::is_address(value) => {
                let span = value.span;
                self.not_constant(why, span);
                return None;
            }
            Err(_) => {}
        }
        Some(())
    }

    fn is_address(value: &Expr) -> bool {
        dally_text::stack::grow(|| match &value.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => true,
            ExprKind::Cast(inner) => Self::is_address(inner),
            ExprKind::PointerAdd(base, _) => Self::is_address(base),
            ExprKind::Binary(_, a, b) => Self::is_address(a) && Self::is_address(b),
            ExprKind::Conditional(_, Some(a), b) => Self::is_address(a) && Self::is_address(b),
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => Self::is_static_place(lvalue),
            _ => false,
        })
    }

    fn is_static_place(lvalue: &Expr) -> bool {
        match &lvalue.kind {
            ExprKind::Global(_) | ExprKind::String(_) => true,
            ExprKind::Member(base, _) => Self::is_static_place(base),
            ExprKind::Deref(pointer) => Self::is_address(pointer),
            _ => false,
        }
    }
}
