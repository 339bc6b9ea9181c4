//! Expressions.

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, did_you_mean};
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker};
use crate::ast::{self, Binary, Designator, ExprId, IntSuffix, Name, Prefix, Quals, TypeName, Unary};
use crate::codes;
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind, Init, InitPart, Stmt, StmtKind};
use crate::types::{IntType, Type, TypeId};

impl Checker<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, id: ExprId) -> Checked<Expr> {
        let operand = self.operand(id)?;
        self.decay(operand)
    }

    /// An expression of which an lvalue is not read.
    pub(super) fn operand(&mut self, id: ExprId) -> Checked<Expr> {
        dally_text::stack::grow(|| self.operand_here(id))
    }

    fn operand_here(&mut self, id: ExprId) -> Checked<Expr> {
        let ast = self.ast;
        let ast::Expr { kind, span, .. } = ast.expr(id);
        let span = *span;
        use ast::ExprKind as E;
        match kind {
            E::Error => None,
            E::Ident(sym) => self.name(*sym, span),
            E::Int(value, suffix) => Some(self.integer(*value, *suffix, span)),
            E::Float(value, float) => {
                let ty = self.types.intern(Type::Float(*float));
                Some(Expr { kind: ExprKind::Float(*value), ty, span })
            }
            E::Char(value, prefix) => Some(self.character(*value, *prefix, span)),
            E::Str(units, prefix) => Some(self.string_literal(units, *prefix, span)),
            E::Func => {
                let name = self.current.as_ref().map_or(String::new(), |c| c.name.clone());
                Some(self.string_expr(&name, span))
            }
            E::Unary(op, operand) => self.unary(*op, *operand, span),
            E::Binary(op, a, b) => self.binary_chain(id, *op, *a, *b, span),
            E::Assign(op, target, value) => self.assignment(*op, *target, *value, span),
            E::Conditional(c, a, b) => self.conditional(*c, *a, *b, span),
            E::Cast(ty, operand) => self.cast(ty, *operand, span),
            E::Compound(ty, init) => self.compound_literal(ty, init, span),
            E::SizeofExpr(operand) => self.sizeof_expr(*operand, span),
            E::SizeofType(ty) => self.sizeof_type(ty, span),
            E::AlignofExpr(operand) => {
                let operand = self.operand(*operand)?;
                Some(self.size_expr(self.types.align(operand.ty), span))
            }
            E::AlignofType(ty) => {
                let ty = self.type_name(ty)?;
                Some(self.size_expr(self.types.align(ty), span))
            }
            E::Call(callee, arguments) => self.call(*callee, arguments, span),
            E::Index(a, b) => self.index(*a, *b, span),
            E::Member(base, name) => {
                let base = self.operand(*base)?;
                self.member_of(base, *name, span)
            }
            E::Arrow(base, name) => {
                let pointer = self.value(*base)?;
                let base = self.deref(pointer, span)?;
                self.member_of(base, *name, span)
            }
            E::Block(stmts) => self.block_expr(stmts, span),
            E::Generic(selector, cases) => self.generic(*selector, cases, span),
            E::Offsetof(ty, path) => self.offsetof(ty, path, span),
            E::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a)?, self.type_name(b)?);
                let (a, b) = (self.types.unqualified(a), self.types.unqualified(b));
                Some(self.int_expr(i128::from(self.generic_agrees(a, b)), self.basic.int, span))
            }
            E::VaArg(list, ty) => {
                let list = self.value(*list)?;
                let ty = self.type_name(ty)?;
                self.next_argument(list, ty, span)
            }
            E::Nondet(ty) => {
                let ty = self.type_name(ty)?;
                let ty = self.types.unqualified(ty);
                Some(Expr { kind: ExprKind::Builtin(Builtin::Nondet, Vec::new()), ty, span })
            }
            E::LabelAddress => {
                self.unsupported(span, "the addresses of labels");
                None
            }
        }
    }

    fn name(&mut self, sym: Sym, span: Span) -> Checked<Expr> {
        match self.scopes.get(sym) {
            Some(Entity::Local(id, Some(_))) => {
                let ty = self.local_type(id);
                let local = Expr { kind: ExprKind::Local(id), ty, span };
                Some(Expr { kind: ExprKind::Load(Box::new(local)), ty, span })
            }
            Some(Entity::Local(id, None)) => {
                Some(Expr { kind: ExprKind::Local(id), ty: self.local_type(id), span })
            }
            Some(Entity::Global(id)) => {
                Some(Expr { kind: ExprKind::Global(id), ty: self.globals[id.index()].ty, span })
            }
            Some(Entity::Enumerator(value, ty)) => Some(self.int_expr(value, ty, span)),
            Some(Entity::Function(id)) => Some(self.function_expr(id, span)),
            Some(Entity::Typedef(_)) => {
                let message = format!("`{}` is a type; an expression is expected here", self.text(sym));
                self.error(Code::UNEXPECTED_TOKEN, span, message);
                None
            }
            Some(Entity::Error) => None,
            None => self.unknown_name(sym, span),
        }
    }

    /// A name that nothing declares: a constant of C23, or an error.
    fn unknown_name(&mut self, sym: Sym, span: Span) -> Checked<Expr> {
        match self.text(sym) {
            "true" => return Some(self.int_expr(1, self.basic.bool, span)),
            "false" => return Some(self.int_expr(0, self.basic.bool, span)),
            "nullptr" => return Some(self.int_expr(0, self.basic.void_ptr, span)),
            _ => {}
        }
        // The search for a suggestion takes time.
        if !self.diagnostics.is_full() {
            let text = self.text(sym);
            let names = self.scopes.visible().map(|s| self.text(s));
            let help = did_you_mean(text, names);
            let message = format!("`{text}` is not declared");
            self.diagnostics.push(Diagnostic::new(Code::UNKNOWN_NAME, span, message).maybe_help(help));
        }
        // The other uses of the name are not reported.
        self.scopes.declare(sym, Entity::Error);
        None
    }

    pub(super) fn local_type(&self, id: crate::hir::LocalId) -> TypeId {
        self.current.as_ref().map_or(self.basic.int, |c| c.locals[id.index()].ty)
    }

    pub(super) fn function_expr(&mut self, id: crate::hir::FunctionId, span: Span) -> Expr {
        self.want(id);
        let ty = self.pointer(self.signatures[id.index()]);
        Expr { kind: ExprKind::Function(id), ty, span }
    }

    /// The first type of the standard's list that holds the literal.
    fn integer(&mut self, value: u64, suffix: IntSuffix, span: Span) -> Expr {
        let long = self.types.pointer_bits();
        let widths = [32, long, 64];
        let mut chosen = IntType { bits: 64, signed: false };
        'found: for bits in &widths[usize::from(suffix.longs)..] {
            for signed in [true, false] {
                // Decimal literals without `u` are signed; the largest ones have no other type.
                if (signed && suffix.unsigned) || (!signed && !suffix.unsigned && suffix.decimal) {
                    continue;
                }
                let int = IntType { bits: *bits, signed };
                if i128::from(value) <= int.max() {
                    chosen = int;
                    break 'found;
                }
            }
        }
        let ty = self.types.int(chosen.bits, chosen.signed);
        self.int_expr(i128::from(value), ty, span)
    }

    fn unit_type(&mut self, prefix: Prefix) -> TypeId {
        match prefix {
            Prefix::None => self.basic.char,
            Prefix::Wide => self.wide(),
            Prefix::Utf16 => self.types.int(16, false),
            Prefix::Utf32 => self.basic.uint,
        }
    }

    fn character(&mut self, value: i64, prefix: Prefix, span: Span) -> Expr {
        let ty = if prefix == Prefix::None { self.basic.int } else { self.unit_type(prefix) };
        self.int_expr(i128::from(value), ty, span)
    }

    fn string_literal(&mut self, units: &[u32], prefix: Prefix, span: Span) -> Expr {
        let element = self.unit_type(prefix);
        let size = self.types.size(element).unwrap_or(1) as usize;
        let mut bytes = Vec::with_capacity((units.len() + 1) * size);
        for unit in units.iter().chain([&0]) {
            bytes.extend_from_slice(&unit.to_le_bytes()[..size]);
        }
        let ty = self.types.intern(Type::Array(element, Some(units.len() as u64 + 1)));
        Expr { kind: ExprKind::String(self.add_string(bytes)), ty, span }
    }

    /// The operands of a chain of operators are checked in a loop, from the left.
    fn binary_chain(&mut self, id: ExprId, op: Binary, a: ExprId, b: ExprId, span: Span) -> Checked<Expr> {
        let ast = self.ast;
        let mut rights = vec![(op, b, span)];
        let mut left = a;
        let _ = id;
        while let ast::Expr { kind: ast::ExprKind::Binary(op, a, b), span, .. } = ast.expr(left) {
            rights.push((*op, *b, *span));
            left = *a;
        }
        // Only the operand of the innermost comma can be an lvalue, and it is read.
        let mut result = self.value(left)?;
        for (op, right, span) in rights.into_iter().rev() {
            let right = self.value(right)?;
            result = self.binary(op, result, right, span)?;
        }
        Some(result)
    }

    fn unary(&mut self, op: Unary, operand: ExprId, span: Span) -> Checked<Expr> {
        match op {
            Unary::AddressOf => {
                let lvalue = self.operand(operand)?;
                self.address_of(lvalue, span)
            }
            Unary::Deref => {
                let pointer = self.value(operand)?;
                self.deref(pointer, span)
            }
            Unary::Step { op, old } => self.step(op, old, operand, span),
            Unary::Complex => {
                self.unsupported(span, "complex numbers");
                None
            }
            Unary::Plus | Unary::Neg | Unary::BitNot | Unary::Not => {
                let operand = self.value(operand)?;
                self.arithmetic_unary(op, operand, span)
            }
        }
    }

    /// `*pointer`; a function is its own address.
    pub(super) fn deref(&mut self, pointer: Expr, span: Span) -> Checked<Expr> {
        let Class::Pointer(target) = self.class(pointer.ty) else {
            let message = format!("a pointer is expected, not `{}`", self.describe(pointer.ty));
            self.error(Code::TYPE_MISMATCH, pointer.span, message);
            return None;
        };
        if self.class(target) == Class::Function {
            return Some(Expr { span, ..pointer });
        }
        if let ExprKind::AddressOf(lvalue) = pointer.kind {
            return Some(Expr { span, ..*lvalue });
        }
        Some(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: target, span })
    }

    fn address_of(&mut self, lvalue: Expr, span: Span) -> Checked<Expr> {
        if let ExprKind::Function(_) = lvalue.kind {
            return Some(Expr { span, ..lvalue });
        }
        // A dereferenced pointer to a function is the pointer.
        let is_function = self.types.pointee(lvalue.ty).is_some_and(|t| self.class(t) == Class::Function);
        if !Self::is_lvalue(&lvalue) && is_function {
            return Some(Expr { span, ..lvalue });
        }
        if !Self::is_lvalue(&lvalue) {
            self.error(codes::NOT_AN_LVALUE, lvalue.span, "only objects have an address");
            return None;
        }
        if let ExprKind::Member(base, index) = &lvalue.kind
            && self.field(base.ty, *index).is_some_and(|field| field.bits.is_some())
        {
            self.error(codes::NOT_AN_LVALUE, lvalue.span, "a bit-field has no address");
            return None;
        }
        let ty = self.pointer(lvalue.ty);
        if let ExprKind::Deref(pointer) = lvalue.kind {
            return Some(Expr { ty, span, ..*pointer });
        }
        Some(Expr { kind: ExprKind::AddressOf(Box::new(lvalue)), ty, span })
    }

    fn index(&mut self, a: ExprId, b: ExprId, span: Span) -> Checked<Expr> {
        let (a, b) = (self.value(a)?, self.value(b)?);
        let (pointer, index) = if self.class(a.ty).is_pointer() { (a, b) } else { (b, a) };
        if !self.class(pointer.ty).is_pointer() || !self.class(index.ty).is_integer() {
            let message = format!("`{}` has no elements", self.describe(pointer.ty));
            self.error(Code::NOT_APPLICABLE, span, message);
            return None;
        }
        let sum = self.pointer_add(pointer, index, false, span)?;
        self.deref(sum, span)
    }

    /// The member of an operand of struct or union type.
    pub(super) fn member_of(&mut self, base: Expr, name: Name, span: Span) -> Checked<Expr> {
        let Class::Record(id) = self.class(base.ty) else {
            let message = format!("`{}` has no members", self.describe(base.ty));
            self.error(Code::NOT_APPLICABLE, base.span, message);
            return None;
        };
        if self.types.records[id.0 as usize].fields.is_none() {
            self.incomplete(base.ty, base.span);
            return None;
        }
        let text = self.text(name.sym).to_owned();
        let Some(path) = self.find_member(id, &text) else {
            let fields = self.types.records[id.0 as usize].fields.iter().flatten();
            let help = did_you_mean(&text, fields.map(|f| f.name.as_str()));
            let message = format!("`{}` has no member `{text}`", self.describe(base.ty));
            self.diagnostics.push(Diagnostic::new(Code::UNKNOWN_FIELD, name.span, message).maybe_help(help));
            return None;
        };
        Some(path.into_iter().fold(base, |base, index| self.member_node(base, index, span)))
    }

    /// A member inherits the qualifiers of the whole.
    pub(super) fn member_node(&mut self, base: Expr, index: u32, span: Span) -> Expr {
        let quals = Quals { atomic: false, ..self.quals(base.ty) };
        let ty = self.field(base.ty, index).map_or(self.basic.int, |field| field.ty);
        let ty = if Self::is_lvalue(&base) { self.qualified(ty, quals) } else { self.types.unqualified(ty) };
        Expr { kind: ExprKind::Member(Box::new(base), index), ty, span }
    }

    fn cast(&mut self, ty: &TypeName, operand: ExprId, span: Span) -> Checked<Expr> {
        let ty = self.type_name(ty)?;
        let operand = self.operand(operand)?;
        if self.class(ty) == Class::Void {
            let void = self.basic.void;
            let value = if self.class(operand.ty) == Class::Void { operand } else { self.decay(operand)? };
            return Some(Expr { kind: ExprKind::Cast(Box::new(value)), ty: void, span });
        }
        let value = self.decay(operand)?;
        if let Class::Record(id) = self.class(ty)
            && self.types.records[id.0 as usize].is_union
            && !self.compatible(ty, value.ty)
        {
            return self.cast_to_union(ty, value, span);
        }
        let (target, source) = (self.class(ty), self.class(value.ty));
        let fits = match (target, source) {
            (Class::Pointer(_), Class::Float(_)) | (Class::Float(_), Class::Pointer(_)) => false,
            (a, b) if a.is_scalar() && b.is_scalar() => true,
            // GNU C: a cast of a struct to its own type.
            (Class::Record(_), Class::Record(_)) => self.compatible(ty, value.ty),
            _ => false,
        };
        if !fits {
            let message =
                format!("`{}` cannot be converted to `{}`", self.describe(value.ty), self.describe(ty));
            self.error(Code::TYPE_MISMATCH, span, message);
            return None;
        }
        Some(Expr { span, ..self.convert(value, ty) })
    }

    /// GNU C: a union with the value in the first member of its type.
    fn cast_to_union(&mut self, ty: TypeId, value: Expr, span: Span) -> Checked<Expr> {
        let fields = match self.class(ty) {
            Class::Record(id) => self.types.records[id.0 as usize].fields.clone().unwrap_or_default(),
            _ => Vec::new(),
        };
        let Some(field) = fields.iter().find(|field| self.compatible(field.ty, value.ty)) else {
            let message =
                format!("`{}` has no member of type `{}`", self.describe(ty), self.describe(value.ty));
            self.error(Code::TYPE_MISMATCH, span, message);
            return None;
        };
        let value = self.assignable(value, field.ty, "this value")?;
        let ty = self.types.unqualified(ty);
        let part = InitPart { offset: 0, bits: field.bits, ty: value.ty, value };
        let local = self.add_local("", ty, span)?;
        let init = Init { zero_rest: true, parts: vec![part] };
        let literal = Expr { kind: ExprKind::Compound(local, Box::new(init)), ty, span };
        self.decay(literal)
    }

    pub(super) fn size_expr(&self, size: u64, span: Span) -> Expr {
        self.int_expr(i128::from(size), self.basic.ulong, span)
    }

    fn sizeof_expr(&mut self, operand: ExprId, span: Span) -> Checked<Expr> {
        if let ast::ExprKind::Ident(sym) = self.ast.expr(operand).kind
            && let Some(Entity::Local(id, Some(count))) = self.scopes.get(sym)
        {
            let element = self.types.pointee(self.local_type(id))?;
            return self.vla_size(count, element, span);
        }
        let operand = self.operand(operand)?;
        if let ExprKind::Function(_) = operand.kind {
            return Some(self.size_expr(1, span));
        }
        self.sizeof(operand.ty, span)
    }

    fn vla_size(&mut self, count: crate::hir::LocalId, element: TypeId, span: Span) -> Checked<Expr> {
        let ty = self.basic.ulong;
        let local = Expr { kind: ExprKind::Local(count), ty, span };
        let count = Expr { kind: ExprKind::Load(Box::new(local)), ty, span };
        self.times_size(count, element, span)
    }

    fn times_size(&mut self, count: Expr, element: TypeId, span: Span) -> Checked<Expr> {
        let size = self.sizeof(element, span)?;
        self.binary(Binary::Op(BinaryOp::Mul), count, size, span)
    }

    fn sizeof_type(&mut self, name: &TypeName, span: Span) -> Checked<Expr> {
        let shape = self.type_name_shape(name)?;
        match shape.length {
            Some(count) => self.times_size(count, shape.ty, span),
            None => self.sizeof(shape.ty, span),
        }
    }

    fn sizeof(&mut self, ty: TypeId, span: Span) -> Checked<Expr> {
        if self.class(ty) == Class::Function {
            return Some(self.size_expr(1, span));
        }
        match self.types.size(ty) {
            Some(size) => Some(self.size_expr(size, span)),
            None => {
                self.incomplete(ty, span);
                None
            }
        }
    }

    fn block_expr(&mut self, stmts: &[crate::ast::StmtId], span: Span) -> Checked<Expr> {
        if self.current.is_none() {
            self.error(codes::NOT_CONSTANT, span, "statements are not allowed here");
            return None;
        }
        let mut stmts: Vec<Stmt> = self.block(stmts);
        let ty = match stmts.last() {
            Some(Stmt { kind: StmtKind::Expr(last), .. }) => last.ty,
            _ => self.basic.void,
        };
        stmts.shrink_to_fit();
        Some(Expr { kind: ExprKind::Block(stmts), ty, span })
    }

    fn generic(
        &mut self,
        selector: ExprId,
        cases: &[(Option<TypeName>, ExprId)],
        span: Span,
    ) -> Checked<Expr> {
        let selector = self.value(selector)?;
        let (mut default, mut chosen) = (None, None);
        for (ty, value) in cases {
            let Some(ty) = ty else {
                default = Some(*value);
                continue;
            };
            let ty = self.type_name(ty)?;
            if self.generic_agrees(ty, selector.ty) {
                chosen = chosen.or(Some(*value));
            }
        }
        match chosen.or(default) {
            Some(value) => self.operand(value),
            None => {
                let message = format!("no association is for the type `{}`", self.describe(selector.ty));
                self.error(Code::TYPE_MISMATCH, span, message);
                None
            }
        }
    }

    /// Returns true if an association of `_Generic` is for values of a type. Unlike elsewhere, the qualifiers of what
    /// pointers point to count.
    fn generic_agrees(&self, association: TypeId, selector: TypeId) -> bool {
        if association == selector {
            return true;
        }
        if self.quals(association) != self.quals(selector) {
            return false;
        }
        match (self.types.pointee(association), self.types.pointee(selector)) {
            (Some(a), Some(b)) => self.generic_agrees(a, b),
            _ => self.compatible(association, selector),
        }
    }

    fn offsetof(&mut self, name: &TypeName, path: &[Designator], span: Span) -> Checked<Expr> {
        let ty = self.type_name(name)?;
        let pointer = self.pointer(ty);
        let null = self.int_expr(0, pointer, span);
        let mut place = self.deref(null, span)?;
        for step in path {
            place = match step {
                Designator::Member(name) => self.member_of(place, *name, span)?,
                Designator::Index(index, _) => {
                    let index = self.value(*index)?;
                    let base = self.decay(place)?;
                    let sum = self.pointer_add(base, index, false, span)?;
                    self.deref(sum, span)?
                }
            };
        }
        let ulong = self.basic.ulong;
        let address = self.address_of(place, span)?;
        if let Ok(offset) = self.constant_of(&address) {
            return Some(self.int_expr(offset, ulong, span));
        }
        Some(self.convert(address, ulong))
    }
}
