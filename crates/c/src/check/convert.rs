//! Conversions.

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::{Checked, Checker};
use crate::codes;
use crate::hir::{Expr, ExprKind};
use crate::types::{Field, FloatType, IntType, Type, TypeId};

impl Checker<'_> {
    pub(super) fn int_expr(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(value), ty, span }
    }

    /// Returns true if the expression denotes an object.
    pub(super) fn is_lvalue(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Compound(..)
            | ExprKind::Deref(_) => true,
            ExprKind::Member(base, _) => Self::is_lvalue(base),
            _ => false,
        }
    }

    /// The member of a struct or union type.
    pub(super) fn field(&self, ty: TypeId, index: u32) -> Option<&Field> {
        match self.class(ty) {
            Class::Record(id) => self.types.records[id.0 as usize].fields.as_ref()?.get(index as usize),
            _ => None,
        }
    }

    /// The value of an operand: lvalues are read, and arrays become pointers.
    pub(super) fn decay(&mut self, expr: Expr) -> Checked<Expr> {
        let (ty, span) = (expr.ty, expr.span);
        if let Class::Array(element) = self.class(ty) {
            let lvalue = if Self::is_lvalue(&expr) { expr } else { self.materialise(expr)? };
            let ty = self.pointer(element);
            return Some(Expr { kind: ExprKind::Decay(Box::new(lvalue)), ty, span });
        }
        if !Self::is_lvalue(&expr) {
            return Some(expr);
        }
        if self.types.size(ty).is_none() {
            self.incomplete(ty, span);
            return None;
        }
        let ty = self.types.unqualified(ty);
        Some(Expr { kind: ExprKind::Load(Box::new(expr)), ty, span })
    }

    /// An array that is a member of a value, not of an object: the value is copied into an object.
    fn materialise(&mut self, expr: Expr) -> Checked<Expr> {
        let Expr { kind: ExprKind::Member(base, index), ty, span } = expr else {
            self.error(codes::NOT_AN_LVALUE, expr.span, "this array is not an object");
            return None;
        };
        let base = if self.is_record(base.ty) && !matches!(base.kind, ExprKind::Member(..)) {
            let local = self.add_local("", base.ty, span)?;
            let (record, at) = (base.ty, base.span);
            let part = crate::hir::InitPart { offset: 0, bits: None, ty: record, value: *base };
            let init = crate::hir::Init { zero_rest: false, parts: vec![part] };
            Expr { kind: ExprKind::Compound(local, Box::new(init)), ty: record, span: at }
        } else {
            self.materialise(*base)?
        };
        Some(Expr { kind: ExprKind::Member(Box::new(base), index), ty, span })
    }

    /// The expression in a type that it can be converted to without complaint.
    pub(super) fn convert(&mut self, expr: Expr, ty: TypeId) -> Expr {
        let ty = self.types.unqualified(ty);
        if expr.ty == ty {
            return expr;
        }
        if self.types.equal_but_for_const(expr.ty, ty) {
            return Expr { ty, ..expr };
        }
        let span = expr.span;
        let folded = match (&expr.kind, self.class(ty)) {
            (ExprKind::Int(value), Class::Integer(int)) => {
                let is_bool = self.types.get(ty) == &Type::Bool;
                Some(ExprKind::Int(if is_bool { i128::from(*value != 0) } else { int.wrap(*value) }))
            }
            (ExprKind::Int(value), Class::Pointer(_)) => {
                let int = IntType { bits: self.types.pointer_bits(), signed: false };
                Some(ExprKind::Int(int.wrap(*value)))
            }
            (ExprKind::Int(value), Class::Float(float)) => {
                Some(ExprKind::Float(rounded(*value as f64, float)))
            }
            (ExprKind::Float(value), Class::Float(float)) => Some(ExprKind::Float(rounded(*value, float))),
            (ExprKind::Float(value), Class::Integer(_)) => self.truncated(*value, ty).ok().map(ExprKind::Int),
            _ => None,
        };
        let kind = folded.unwrap_or_else(|| ExprKind::Cast(Box::new(expr)));
        Expr { kind, ty, span }
    }

    /// The type after the integer promotions.
    pub(super) fn promoted_type(&self, expr: &Expr) -> TypeId {
        let Class::Integer(int) = self.class(expr.ty) else { return self.types.unqualified(expr.ty) };
        if let ExprKind::Load(lvalue) = &expr.kind
            && let ExprKind::Member(base, index) = &lvalue.kind
            && let Some(bits) = self.field(base.ty, *index).and_then(|field| field.bits)
            && (bits.width < 32 || (bits.width == 32 && int.signed))
        {
            return self.basic.int;
        }
        if int.bits < 32 {
            return self.basic.int;
        }
        match self.types.get(self.types.unqualified(expr.ty)) {
            Type::Enum(_) if int.bits == 32 && int.signed => self.basic.int,
            Type::Enum(_) if int.bits == 32 => self.basic.uint,
            _ => self.types.unqualified(expr.ty),
        }
    }

    pub(super) fn promote(&mut self, expr: Expr) -> Expr {
        let ty = self.promoted_type(&expr);
        self.convert(expr, ty)
    }

    /// The type of the usual arithmetic conversions.
    pub(super) fn common_type(&mut self, a: &Expr, b: &Expr) -> TypeId {
        let rank = |float| match float {
            FloatType::Float => 0,
            FloatType::Double => 1,
            FloatType::LongDouble => 2,
        };
        match (self.class(a.ty), self.class(b.ty)) {
            (Class::Float(x), Class::Float(y)) => {
                self.types.unqualified(if rank(x) >= rank(y) { a.ty } else { b.ty })
            }
            (Class::Float(_), _) => self.types.unqualified(a.ty),
            (_, Class::Float(_)) => self.types.unqualified(b.ty),
            _ => {
                let (x, y) = (self.promoted_type(a), self.promoted_type(b));
                match (self.types.as_int(x), self.types.as_int(y)) {
                    (Some(i), Some(j)) if i.bits == j.bits => self.types.int(i.bits, i.signed && j.signed),
                    (Some(i), Some(j)) => {
                        let wider = if i.bits > j.bits { i } else { j };
                        self.types.int(wider.bits, wider.signed)
                    }
                    _ => self.basic.int,
                }
            }
        }
    }

    /// A constant that converts to every pointer type.
    pub(super) fn is_null(&self, expr: &Expr) -> bool {
        match (&expr.kind, self.class(expr.ty)) {
            (ExprKind::Int(0), Class::Integer(_)) => true,
            (ExprKind::Int(0), Class::Pointer(target)) => self.class(target) == Class::Void,
            (_, Class::Integer(_)) => self.constant_of(expr) == Ok(0),
            _ => false,
        }
    }

    /// The argument of a function without a prototype, or beyond its parameters.
    pub(super) fn default_promote(&mut self, expr: Expr) -> Expr {
        match self.class(expr.ty) {
            Class::Float(FloatType::Float) => {
                let double = self.basic.double;
                self.convert(expr, double)
            }
            _ => self.promote(expr),
        }
    }

    /// The value as converted by an assignment to a variable of this type. Compilers only warn of many conversions
    /// that C does not have.
    pub(super) fn assignable(&mut self, expr: Expr, ty: TypeId, what: &str) -> Checked<Expr> {
        let span = expr.span;
        let doubtful = match (self.class(ty), self.class(expr.ty)) {
            (target, source) if target.is_arithmetic() && source.is_arithmetic() => false,
            (Class::Pointer(_), Class::Integer(_)) => !self.is_null(&expr),
            (Class::Pointer(a), Class::Pointer(b)) => !self.pointers_agree(a, b, &expr),
            (Class::Integer(_), Class::Pointer(_)) => {
                self.types.get(self.types.unqualified(ty)) != &Type::Bool
            }
            (Class::Record(_), Class::Record(_)) if self.compatible(ty, expr.ty) => {
                // Equal structs of two units: the value is read as the other one.
                return Some(Expr { ty: self.types.unqualified(ty), ..expr });
            }
            _ => {
                let message = format!(
                    "{what} has type `{}`, but `{}` is expected",
                    self.describe(expr.ty),
                    self.describe(ty)
                );
                self.error(Code::TYPE_MISMATCH, span, message);
                return None;
            }
        };
        if doubtful && !self.library {
            let message = format!(
                "{what} has type `{}`, but `{}` is expected",
                self.describe(expr.ty),
                self.describe(ty)
            );
            self.error(codes::DOUBTFUL_CONVERSION, span, message);
        }
        Some(self.convert(expr, ty))
    }

    fn pointers_agree(&self, a: TypeId, b: TypeId, source: &Expr) -> bool {
        let generic = |ty| self.class(ty) == Class::Void;
        // Compilers are lenient about the signedness of characters and integers of one size.
        let alike = match (self.types.as_int(a), self.types.as_int(b)) {
            (Some(i), Some(j)) => {
                !self.class(a).is_pointer() && !self.class(b).is_pointer() && i.bits == j.bits
            }
            _ => false,
        };
        generic(a) || generic(b) || alike || self.is_null(source) || self.compatible(a, b)
    }

    /// A condition: any scalar.
    pub(super) fn condition(&mut self, expr: Expr) -> Checked<Expr> {
        if self.class(expr.ty).is_scalar() {
            return Some(expr);
        }
        let message = format!("a condition is a number or a pointer, not `{}`", self.describe(expr.ty));
        self.error(Code::TYPE_MISMATCH, expr.span, message);
        None
    }
}

/// The value in the precision of the type.
fn rounded(value: f64, float: FloatType) -> f64 {
    match float {
        FloatType::Float => f64::from(value as f32),
        FloatType::Double | FloatType::LongDouble => value,
    }
}
