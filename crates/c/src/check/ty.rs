//! Types of specifiers, declarators and type names.

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::scope::{Entity, Tag};
use super::{Checked, Checker};
use crate::ast::{
    Alignment, Attrs, Declarator, Derived, EnumSpec, ExprId, Params, Quals, Specs, TypeName, TypeSpec, Width,
};
use crate::codes;
use crate::hir::Expr;
use crate::types::{Enum, EnumId, FunctionType, IntType, Type, TypeId};

/// The type of a declarator.
pub(super) struct Shape {
    pub(super) ty: TypeId,
    /// For an array of variable length: the number of elements; `ty` is the type of an element.
    pub(super) length: Option<Expr>,
}

impl Checker<'_> {
    /// The type that specifiers say. `__auto_type` is not known here.
    pub(super) fn specs_type(&mut self, specs: &Specs) -> Checked<TypeId> {
        let ty = match &specs.ty {
            TypeSpec::Void => self.basic.void,
            TypeSpec::Bool => self.basic.bool,
            TypeSpec::Int(width, signed) => self.int_type(*width, *signed),
            TypeSpec::Float => self.basic.float,
            TypeSpec::Double => self.basic.double,
            TypeSpec::LongDouble => self.basic.long_double,
            TypeSpec::Unsupported(what) => {
                self.unsupported(specs.span, &format!("`{what}`"));
                return None;
            }
            TypeSpec::VaList => self.basic.va_list,
            TypeSpec::Typedef(name) => match self.scopes.get(name.sym) {
                Some(Entity::Typedef(ty)) => ty,
                // The parser takes `bool` for a type unless it is declared.
                None => self.basic.bool,
                Some(_) => return None,
            },
            TypeSpec::Record(spec) => self.record_type(spec)?,
            TypeSpec::Enum(spec) => self.enum_type(spec)?,
            TypeSpec::TypeofExpr(expr) => self.typeof_expr(*expr)?,
            TypeSpec::TypeofType(name) | TypeSpec::Atomic(name) => self.type_name(name)?,
            TypeSpec::Auto => {
                self.error(codes::BAD_DECLARATION, specs.span, "`__auto_type` needs an initialiser");
                return None;
            }
            TypeSpec::Missing => self.basic.int,
        };
        if let Some(span) = specs.attrs.vector {
            self.unsupported(span, "vectors");
            return None;
        }
        let ty = self.with_mode(ty, &specs.attrs);
        let atomic = specs.quals.atomic || matches!(specs.ty, TypeSpec::Atomic(_));
        Some(self.qualified(ty, Quals { atomic, ..specs.quals }))
    }

    fn int_type(&mut self, width: Width, signed: bool) -> TypeId {
        let bits = match width {
            Width::Char => 8,
            Width::Short => 16,
            Width::Int => 32,
            Width::Long => self.types.pointer_bits(),
            Width::LongLong => 64,
            Width::Int128 => 128,
        };
        self.types.int(bits, signed)
    }

    /// `__attribute__((mode(DI)))` changes the width of an integer.
    pub(super) fn with_mode(&mut self, ty: TypeId, attrs: &Attrs) -> TypeId {
        match (attrs.mode, self.types.get(ty)) {
            (Some(bits), Type::Int(int)) => {
                let bits = if bits == 0 { self.types.pointer_bits() } else { bits };
                let signed = int.signed;
                self.types.int(bits, signed)
            }
            _ => ty,
        }
    }

    fn typeof_expr(&mut self, expr: ExprId) -> Checked<TypeId> {
        let expr = self.operand(expr)?;
        // The address of a function has the type of the function here.
        match (&expr.kind, self.types.pointee(expr.ty)) {
            (crate::hir::ExprKind::Function(_), Some(target)) => Some(target),
            _ => Some(expr.ty),
        }
    }

    /// The type of a type name; arrays in it have a constant length.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Checked<TypeId> {
        let shape = self.type_name_shape(name)?;
        if shape.length.is_some() {
            self.unsupported(name.span, "arrays of variable length here");
            return None;
        }
        Some(shape.ty)
    }

    pub(super) fn type_name_shape(&mut self, name: &TypeName) -> Checked<Shape> {
        let base = self.specs_type(&name.specs)?;
        self.shape(base, &name.declarator)
    }

    /// The type of a declarator with a constant length.
    pub(super) fn declared(&mut self, base: TypeId, declarator: &Declarator) -> Checked<TypeId> {
        let shape = self.shape(base, declarator)?;
        if shape.length.is_some() {
            self.error(codes::NOT_CONSTANT, declarator.span, "the length of this array is not constant");
            return None;
        }
        Some(shape.ty)
    }

    pub(super) fn shape(&mut self, base: TypeId, declarator: &Declarator) -> Checked<Shape> {
        let mut ty = self.with_mode(base, &declarator.attrs);
        if let Some(span) = declarator.attrs.vector {
            self.unsupported(span, "vectors");
            return None;
        }
        let last = declarator.derived.len().wrapping_sub(1);
        for (index, derived) in declarator.derived.iter().enumerate() {
            let made = match derived {
                Derived::Pointer(quals) => {
                    let pointer = self.make(Type::Pointer(ty));
                    pointer.map(|id| self.qualified(id, *quals))
                }
                Derived::Array { size, span } => {
                    let length = match size {
                        None => None,
                        Some(size) => match self.array_length(*size, *span)? {
                            Length::Constant(n) => Some(n),
                            Length::Variable(count) if index == last => {
                                return Some(Shape { ty, length: Some(count) });
                            }
                            Length::Variable(_) => {
                                self.unsupported(*span, "inner dimensions of variable length");
                                return None;
                            }
                        },
                    };
                    self.array_type(ty, length, *span)?
                }
                // A result is a value, and values have no qualifiers.
                Derived::Function(params) => {
                    self.function_type(self.types.unqualified(ty), params, declarator.span)?
                }
            };
            let Some(made) = made else {
                self.error(Code::TOO_DEEP, declarator.span, "this type is nested too deeply");
                return None;
            };
            ty = made;
        }
        Some(Shape { ty, length: None })
    }

    fn array_type(&mut self, element: TypeId, length: Option<u64>, span: Span) -> Checked<Option<TypeId>> {
        /// Larger objects do not fit the address space of any machine.
        const LARGEST: u64 = 1 << 40;
        match self.types.size(element) {
            None => {
                self.incomplete(element, span);
                None
            }
            Some(size) if size.checked_mul(length.unwrap_or(1)).is_none_or(|bytes| bytes > LARGEST) => {
                self.error(codes::BAD_DECLARATION, span, "this array is too large");
                None
            }
            Some(_) => Some(self.make(Type::Array(element, length))),
        }
    }

    fn array_length(&mut self, size: ExprId, span: Span) -> Checked<Length> {
        let size = self.value(size)?;
        if !self.class(size.ty).is_integer() {
            self.error(Code::TYPE_MISMATCH, span, "the length of an array is an integer");
            return None;
        }
        match self.constant_of(&size) {
            Ok(n) => match u64::try_from(n) {
                Ok(n) => Some(Length::Constant(n)),
                Err(_) => {
                    self.error(codes::BAD_DECLARATION, span, "the length of this array is negative");
                    None
                }
            },
            Err(_) if self.current.is_some() => {
                let ulong = self.basic.ulong;
                Some(Length::Variable(self.convert(size, ulong)))
            }
            Err(why) => {
                self.not_constant(why, span);
                None
            }
        }
    }

    fn function_type(&mut self, result: TypeId, params: &Params, span: Span) -> Checked<Option<TypeId>> {
        if matches!(self.class(result), Class::Array(_) | Class::Function) {
            self.error(codes::BAD_DECLARATION, span, "a function cannot return an array or a function");
            return None;
        }
        let mut types = Vec::new();
        self.scopes.open();
        for param in &params.list {
            match self.param_type(&param.specs, &param.declarator) {
                Some(ty) => {
                    // Later parameters can mention it, as in `int n, int a[n]`: those lengths are ignored.
                    if let Some(name) = param.declarator.name {
                        self.scopes.declare(name.sym, Entity::Error);
                    }
                    types.push(self.types.unqualified(ty));
                }
                None => {
                    self.scopes.close();
                    return None;
                }
            }
        }
        self.scopes.close();
        let result = self.types.unqualified(result);
        let variadic = params.variadic || params.unspecified;
        Some(self.make(Type::Function(FunctionType { result, params: types, variadic })))
    }

    /// The type of a parameter: arrays and functions become pointers.
    pub(super) fn param_type(&mut self, specs: &Specs, declarator: &Declarator) -> Checked<TypeId> {
        let base = self.specs_type(specs)?;
        // The length of the outermost array does not matter.
        if let Some((Derived::Array { .. }, rest)) = declarator.derived.split_last() {
            let element = Declarator { derived: rest.to_vec(), ..declarator.clone() };
            let element = self.declared(base, &element)?;
            return Some(self.pointer(element));
        }
        let ty = self.declared(base, declarator)?;
        Some(self.adjusted(ty))
    }

    /// The type as that of a parameter.
    pub(super) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match self.class(ty) {
            Class::Array(element) => self.pointer(element),
            Class::Function => self.pointer(ty),
            _ => ty,
        }
    }

    /// The largest alignment that attributes ask for; 1 if none.
    pub(super) fn alignment(&mut self, attrs: &Attrs) -> u64 {
        let mut largest = 1;
        for alignment in &attrs.aligned {
            let value = match alignment {
                Alignment::Largest => 16,
                Alignment::Type(name) => self.type_name(name).map_or(1, |ty| self.types.align(ty)),
                Alignment::Value(expr) => {
                    self.constant_int(*expr).and_then(|n| u64::try_from(n).ok()).unwrap_or(1)
                }
            };
            if value.is_power_of_two() && value <= 1 << 28 {
                largest = largest.max(value);
            }
        }
        largest
    }

    fn enum_type(&mut self, spec: &EnumSpec) -> Checked<TypeId> {
        let Some(enumerators) = &spec.enumerators else {
            let tag = spec.tag?;
            return match self.scopes.tag(tag.sym) {
                Some(Tag::Enum(id)) => Some(self.types.intern(Type::Enum(id))),
                Some(Tag::Record(_)) => {
                    let message = format!("`{}` is the tag of a struct or union", self.text(tag.sym));
                    self.error(codes::CONFLICT, tag.span, message);
                    None
                }
                // GNU C accepts an enumeration that is defined later.
                None => {
                    let id = self.new_enum(Some(tag.sym));
                    Some(self.types.intern(Type::Enum(id)))
                }
            };
        };
        let id = match spec.tag.and_then(|tag| self.scopes.tag_here(tag.sym)) {
            Some(Tag::Enum(id)) if self.types.enums[id.0 as usize].enumerators.is_empty() => id,
            Some(_) => {
                self.error(Code::DUPLICATE, spec.span, "this tag is already defined");
                return None;
            }
            None => self.new_enum(spec.tag.map(|tag| tag.sym)),
        };
        self.enumerators(id, enumerators, spec.packed);
        Some(self.types.intern(Type::Enum(id)))
    }

    fn new_enum(&mut self, tag: Option<dally_text::symbol::Sym>) -> EnumId {
        let id = EnumId(self.types.enums.len() as u32);
        let text = tag.map(|tag| self.text(tag).to_owned());
        let repr = IntType { bits: 32, signed: false };
        self.types.enums.push(Enum { tag: text, repr, enumerators: Vec::new() });
        if let Some(tag) = tag {
            self.scopes.declare_tag(tag, Tag::Enum(id));
        }
        id
    }

    fn enumerators(&mut self, id: EnumId, list: &[(crate::ast::Name, Option<ExprId>)], packed: bool) {
        let mut next = 0_i128;
        let mut all = Vec::with_capacity(list.len());
        let mut ty = self.basic.int;
        for (name, value) in list {
            if let Some(value) = value {
                next = self.constant_int(*value).unwrap_or(next);
            }
            let int = IntType { bits: 32, signed: true };
            if next < int.min() || next > int.max() {
                let unsigned = next >= 0;
                ty = if unsigned && next <= i128::from(u32::MAX) {
                    self.basic.uint
                } else {
                    self.long_long(!unsigned)
                };
            }
            if self.scopes.here(name.sym).is_some() && !self.scopes.is_library(name.sym) {
                let message = format!("`{}` is declared twice in this scope", self.text(name.sym));
                self.error(Code::DUPLICATE, name.span, message);
            }
            self.scopes.declare(name.sym, Entity::Enumerator(next, ty));
            all.push((self.text(name.sym).to_owned(), next));
            next += 1;
        }
        let (least, most) = all.iter().fold((0, 0), |(l, m), (_, v)| (l.min(*v), m.max(*v)));
        let sizes: &[u8] = if packed { &[8, 16, 32, 64] } else { &[32, 64] };
        let fits = |bits: &&u8| {
            let int = IntType { bits: **bits, signed: least < 0 };
            int.min() <= least && most <= int.max()
        };
        let bits = sizes.iter().find(fits).copied().unwrap_or(64);
        let target = &mut self.types.enums[id.0 as usize];
        target.repr = IntType { bits, signed: least < 0 };
        target.enumerators = all;
    }
}

enum Length {
    Constant(u64),
    Variable(Expr),
}
