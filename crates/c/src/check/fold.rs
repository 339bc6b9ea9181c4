//! Constant expressions.

use dally_text::source::Span;

use super::{Checked, Checker};
use crate::ast::ExprId;
use crate::codes;
use crate::hir::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::types::{IntType, Type, TypeId};

/// The reason for which an expression has no value at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotConstant {
    DivisionByZero,
    Variable,
}

type Folded = Result<i128, NotConstant>;

impl Checker<'_> {
    /// The value of an expression that C requires to be an integer constant.
    pub(super) fn constant_int(&mut self, id: ExprId) -> Checked<i128> {
        let expr = self.value(id)?;
        let span = expr.span;
        if !self.class(expr.ty).is_integer() {
            self.error(codes::NOT_CONSTANT, span, "an integer constant is expected here");
            return None;
        }
        match self.constant_of(&expr) {
            Ok(value) => Some(value),
            Err(why) => {
                self.not_constant(why, span);
                None
            }
        }
    }

    pub(super) fn not_constant(&mut self, why: NotConstant, span: Span) {
        let message = match why {
            NotConstant::DivisionByZero => "this constant divides by zero",
            NotConstant::Variable => "this expression is not constant",
        };
        self.error(codes::NOT_CONSTANT, span, message);
    }

    /// The value of a constant expression: an integer, or an address that is a number.
    pub(super) fn constant_of(&self, expr: &Expr) -> Folded {
        dally_text::stack::grow(|| self.fold_here(expr))
    }

    fn fold_here(&self, expr: &Expr) -> Folded {
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Cast(inner) => match inner.kind {
                ExprKind::Float(value) => self.truncated(value, expr.ty),
                _ => self.wrap(self.constant_of(inner)?, expr.ty),
            },
            ExprKind::Unary(op, a) => {
                let value = self.constant_of(a)?;
                match op {
                    UnaryOp::Neg => self.wrap(value.wrapping_neg(), expr.ty),
                    UnaryOp::BitNot => self.wrap(!value, expr.ty),
                    UnaryOp::Not => Ok(i128::from(value == 0)),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.constant_of(a)?, self.constant_of(b)?);
                let int = self.types.as_int(a.ty).ok_or(NotConstant::Variable)?;
                Ok(compute(*op, int, x, y)?.0)
            }
            ExprKind::And(a, b) => match self.constant_of(a)? {
                0 => Ok(0),
                _ => Ok(i128::from(self.constant_of(b)? != 0)),
            },
            ExprKind::Or(a, b) => match self.constant_of(a)? {
                0 => Ok(i128::from(self.constant_of(b)? != 0)),
                _ => Ok(1),
            },
            ExprKind::Conditional(c, a, b) => match (self.constant_of(c)?, a) {
                (0, _) => self.constant_of(b),
                (_, Some(a)) => self.constant_of(a),
                (value, None) => self.wrap(value, expr.ty),
            },
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.address(lvalue),
            ExprKind::PointerAdd(p, i) => {
                let size = self.types.pointee(p.ty).and_then(|t| self.types.size(t)).unwrap_or(1);
                let moved = self.constant_of(i)?.wrapping_mul(i128::from(size));
                self.wrap(self.constant_of(p)?.wrapping_add(moved), expr.ty)
            }
            ExprKind::PointerDiff(p, q) => {
                let size = self.types.pointee(p.ty).and_then(|t| self.types.size(t)).unwrap_or(1).max(1);
                Ok((self.constant_of(p)? - self.constant_of(q)?) / i128::from(size))
            }
            _ => Err(NotConstant::Variable),
        }
    }

    /// The address of an lvalue at a constant address, as in `&((struct s *)0)->member`.
    fn address(&self, lvalue: &Expr) -> Folded {
        match &lvalue.kind {
            ExprKind::Deref(pointer) => self.constant_of(pointer),
            ExprKind::Member(base, index) => {
                let offset = self.field(base.ty, *index).map_or(0, |field| field.offset);
                Ok(self.address(base)?.wrapping_add(i128::from(offset)))
            }
            _ => Err(NotConstant::Variable),
        }
    }

    fn wrap(&self, value: i128, ty: TypeId) -> Folded {
        if self.types.get(self.types.unqualified(ty)) == &Type::Bool {
            return Ok(i128::from(value != 0));
        }
        self.types.as_int(ty).map(|int| int.wrap(value)).ok_or(NotConstant::Variable)
    }

    /// The integer that a floating-point value is converted to.
    pub(super) fn truncated(&self, value: f64, ty: TypeId) -> Folded {
        if self.types.get(self.types.unqualified(ty)) == &Type::Bool {
            return Ok(i128::from(value != 0.0));
        }
        self.wrap(value as i128, ty)
    }

    /// An operator of two constants; none if it has no value, or would overflow.
    pub(super) fn simplify(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<i128> {
        let (ExprKind::Int(x), ExprKind::Int(y)) = (&a.kind, &b.kind) else { return None };
        match compute(op, self.types.as_int(a.ty)?, *x, *y) {
            Ok((value, false)) => Some(value),
            _ => None,
        }
    }
}

/// The result of an operator in this type, and true if it has overflown a signed type.
fn compute(op: BinaryOp, int: IntType, x: i128, y: i128) -> Result<(i128, bool), NotConstant> {
    let shift = || u32::try_from(y).ok().filter(|n| *n < u32::from(int.bits)).ok_or(NotConstant::Variable);
    let truth = |holds: bool| Ok((i128::from(holds), false));
    let exact = match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        // The product of two 64-bit numbers is right modulo 2¹²⁸, which is all that an unsigned type needs.
        BinaryOp::Mul => Some(x.wrapping_mul(y)),
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return Err(NotConstant::DivisionByZero),
        BinaryOp::Div => x.checked_div(y),
        // As the quotient, the remainder of the smallest number and -1 overflows.
        BinaryOp::Rem if int.signed && y == -1 => return Ok((0, x == -int.max() - 1)),
        BinaryOp::Rem => x.checked_rem(y),
        BinaryOp::Shl => {
            let exact = x.wrapping_shl(shift()?);
            let value = int.wrap(exact);
            return Ok((value, int.signed && (x < 0 || value != exact)));
        }
        BinaryOp::Shr => Some(x >> shift()?),
        BinaryOp::BitAnd => Some(x & y),
        BinaryOp::BitOr => Some(x | y),
        BinaryOp::BitXor => Some(x ^ y),
        BinaryOp::Lt => return truth(x < y),
        BinaryOp::Le => return truth(x <= y),
        BinaryOp::Gt => return truth(x > y),
        BinaryOp::Ge => return truth(x >= y),
        BinaryOp::Eq => return truth(x == y),
        BinaryOp::Ne => return truth(x != y),
    };
    let exact = exact.ok_or(NotConstant::Variable)?;
    let value = int.wrap(exact);
    Ok((value, int.signed && value != exact))
}
