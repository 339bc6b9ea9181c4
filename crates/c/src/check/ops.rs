//! Operators.

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::{Checked, Checker};
use crate::ast::{Binary, ExprId, Unary};
use crate::codes;
use crate::hir::{BinaryOp, Expr, ExprKind, UnaryOp, Update};
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn arithmetic_unary(&mut self, op: Unary, operand: Expr, span: Span) -> Checked<Expr> {
        let class = self.class(operand.ty);
        let fits = match op {
            Unary::BitNot => class.is_integer(),
            Unary::Not => class.is_scalar(),
            _ => class.is_arithmetic(),
        };
        if !fits {
            let message = format!("this operator does not apply to `{}`", self.describe(operand.ty));
            self.error(Code::NOT_APPLICABLE, span, message);
            return None;
        }
        if op == Unary::Not {
            let kind = match operand.kind {
                ExprKind::Int(value) => ExprKind::Int(i128::from(value == 0)),
                _ => ExprKind::Unary(UnaryOp::Not, Box::new(operand)),
            };
            return Some(Expr { kind, ty: self.basic.int, span });
        }
        let operand = self.promote(operand);
        let ty = operand.ty;
        if op == Unary::Plus {
            return Some(Expr { span, ..operand });
        }
        let op = if op == Unary::Neg { UnaryOp::Neg } else { UnaryOp::BitNot };
        let kind = match (&operand.kind, self.types.as_int(ty)) {
            (ExprKind::Int(value), Some(int)) => {
                let exact = if op == UnaryOp::Neg { value.wrapping_neg() } else { !value };
                let wrapped = int.wrap(exact);
                if int.signed && wrapped != exact {
                    ExprKind::Unary(op, Box::new(operand))
                } else {
                    ExprKind::Int(wrapped)
                }
            }
            (ExprKind::Float(value), _) => ExprKind::Float(-value),
            _ => ExprKind::Unary(op, Box::new(operand)),
        };
        Some(Expr { kind, ty, span })
    }

    /// An operator with two values.
    pub(super) fn binary(&mut self, op: Binary, a: Expr, b: Expr, span: Span) -> Checked<Expr> {
        match op {
            Binary::Comma => {
                let ty = b.ty;
                Some(Expr { kind: ExprKind::Comma(Box::new(a), Box::new(b)), ty, span })
            }
            Binary::And | Binary::Or => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                let (a, b) = (Box::new(a), Box::new(b));
                let kind = if op == Binary::And { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
                Some(Expr { kind, ty: self.basic.int, span })
            }
            Binary::Op(op) => self.operator(op, a, b, span),
        }
    }

    fn operator(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Checked<Expr> {
        let (x, y) = (self.class(a.ty), self.class(b.ty));
        let arithmetic = x.is_arithmetic() && y.is_arithmetic();
        match op {
            BinaryOp::Add if x.is_pointer() && y.is_integer() => self.pointer_add(a, b, false, span),
            BinaryOp::Add if x.is_integer() && y.is_pointer() => self.pointer_add(b, a, false, span),
            BinaryOp::Sub if x.is_pointer() && y.is_integer() => self.pointer_add(a, b, true, span),
            BinaryOp::Sub if x.is_pointer() && y.is_pointer() => self.pointer_difference(a, b, span),
            BinaryOp::Shl | BinaryOp::Shr if x.is_integer() && y.is_integer() => {
                let (a, b) = (self.promote(a), self.promote(b));
                Some(self.node(op, a, b, span))
            }
            BinaryOp::Rem
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr
                if !(x.is_integer() && y.is_integer()) =>
            {
                self.inapplicable(&a, &b, span)
            }
            _ if arithmetic => {
                let ty = self.common_type(&a, &b);
                let (a, b) = (self.convert(a, ty), self.convert(b, ty));
                Some(self.node(op, a, b, span))
            }
            _ if is_comparison(op) && x.is_scalar() && y.is_scalar() => self.compare_pointers(op, a, b, span),
            _ => self.inapplicable(&a, &b, span),
        }
    }

    fn inapplicable(&mut self, a: &Expr, b: &Expr, span: Span) -> Checked<Expr> {
        let message = format!(
            "this operator does not apply to `{}` and `{}`",
            self.describe(a.ty),
            self.describe(b.ty)
        );
        self.error(Code::NOT_APPLICABLE, span, message);
        None
    }

    /// An operator whose operands are converted.
    fn node(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let ty = if is_comparison(op) { self.basic.int } else { a.ty };
        if let Some(value) = self.simplify(op, &a, &b) {
            return self.int_expr(value, ty, span);
        }
        if let (ExprKind::Float(x), ExprKind::Float(y)) = (&a.kind, &b.kind)
            && let Some(kind) = float_operator(op, *x, *y)
        {
            let folded = Expr { kind, ty, span };
            return folded;
        }
        Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span }
    }

    fn compare_pointers(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Checked<Expr> {
        if matches!(self.class(a.ty), Class::Float(_)) || matches!(self.class(b.ty), Class::Float(_)) {
            return self.inapplicable(&a, &b, span);
        }
        let ty = if self.class(a.ty).is_pointer() { a.ty } else { b.ty };
        for side in [&a, &b] {
            if self.class(side.ty).is_integer() && !self.is_null(side) && !self.library {
                let message = "a pointer is compared with an integer";
                self.error(codes::DOUBTFUL_CONVERSION, span, message);
            }
        }
        let (a, b) = (self.convert(a, ty), self.convert(b, ty));
        Some(self.node(op, a, b, span))
    }

    /// A pointer plus or minus a number of elements.
    pub(super) fn pointer_add(
        &mut self,
        pointer: Expr,
        count: Expr,
        minus: bool,
        span: Span,
    ) -> Checked<Expr> {
        self.sized_target(pointer.ty, span)?;
        let long = self.basic.long;
        let mut count = self.convert(count, long);
        if minus {
            count = self.arithmetic_unary(Unary::Neg, count, span)?;
        }
        let ty = pointer.ty;
        Some(Expr { kind: ExprKind::PointerAdd(Box::new(pointer), Box::new(count)), ty, span })
    }

    fn sized_target(&mut self, pointer: TypeId, span: Span) -> Checked<()> {
        let target = self.types.pointee(pointer)?;
        if self.types.size(target).is_none() && self.class(target) != Class::Function {
            self.incomplete(target, span);
            return None;
        }
        Some(())
    }

    fn pointer_difference(&mut self, a: Expr, b: Expr, span: Span) -> Checked<Expr> {
        self.sized_target(a.ty, span)?;
        let b = self.convert(b, a.ty);
        let kind = ExprKind::PointerDiff(Box::new(a), Box::new(b));
        Some(Expr { kind, ty: self.basic.long, span })
    }

    /// Returns the operand if a value can be stored in it.
    fn target(&mut self, lvalue: Expr) -> Checked<Expr> {
        let class = self.class(lvalue.ty);
        if !Self::is_lvalue(&lvalue) || matches!(class, Class::Array(_) | Class::Function | Class::Void) {
            self.error(codes::NOT_AN_LVALUE, lvalue.span, "this is not an object that can be assigned to");
            return None;
        }
        if self.types.size(lvalue.ty).is_none() {
            self.incomplete(lvalue.ty, lvalue.span);
            return None;
        }
        if self.quals(lvalue.ty).constant {
            let message = format!(
                "this object has the type `{}`; no value can be assigned to it",
                self.describe(lvalue.ty)
            );
            self.error(codes::NOT_AN_LVALUE, lvalue.span, message);
            return None;
        }
        Some(lvalue)
    }

    pub(super) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> Checked<Expr> {
        let target = self.operand(target);
        let value = self.value(value);
        let (target, value) = (self.target(target?)?, value?);
        let Some(op) = op else {
            return self.assign(target, value, span);
        };
        self.update(target, op, value, false, span)
    }

    /// `target = value`, of which the target is an lvalue.
    pub(super) fn assign(&mut self, target: Expr, value: Expr, span: Span) -> Checked<Expr> {
        let value = self.assignable(value, target.ty, "this value")?;
        let ty = self.types.unqualified(target.ty);
        Some(Expr { kind: ExprKind::Assign(Box::new(target), Box::new(value)), ty, span })
    }

    fn update(&mut self, target: Expr, op: BinaryOp, operand: Expr, old: bool, span: Span) -> Checked<Expr> {
        let (x, y) = (self.class(target.ty), self.class(operand.ty));
        let ty = self.types.unqualified(target.ty);
        let additive = matches!(op, BinaryOp::Add | BinaryOp::Sub);
        let (operand, compute) = match op {
            _ if x.is_pointer() && y.is_integer() && additive => {
                self.sized_target(target.ty, span)?;
                let long = self.basic.long;
                (self.convert(operand, long), ty)
            }
            BinaryOp::Shl | BinaryOp::Shr if x.is_integer() && y.is_integer() => {
                let read = self.decay(target.clone())?;
                (self.promote(operand), self.promoted_type(&read))
            }
            _ if x.is_integer() && y.is_integer()
                || (x.is_arithmetic()
                    && y.is_arithmetic()
                    && (additive || matches!(op, BinaryOp::Mul | BinaryOp::Div))) =>
            {
                let read = self.decay(target.clone())?;
                let compute = self.common_type(&read, &operand);
                (self.convert(operand, compute), compute)
            }
            _ => return self.inapplicable(&target, &operand, span),
        };
        let update = Update { target, op, operand, compute, old };
        Some(Expr { kind: ExprKind::Update(Box::new(update)), ty, span })
    }

    /// `++` and `--`
    pub(super) fn step(&mut self, op: BinaryOp, old: bool, operand: ExprId, span: Span) -> Checked<Expr> {
        let target = self.operand(operand)?;
        let target = self.target(target)?;
        let one = self.int_expr(1, self.basic.int, span);
        self.update(target, op, one, old, span)
    }

    pub(super) fn conditional(
        &mut self,
        c: ExprId,
        a: Option<ExprId>,
        b: ExprId,
        span: Span,
    ) -> Checked<Expr> {
        let condition = self.value(c)?;
        let condition = self.condition(condition)?;
        let a = match a {
            Some(a) => Some(self.value(a)?),
            None => None,
        };
        let b = self.value(b)?;
        let ty = self.conditional_type(a.as_ref().unwrap_or(&condition), &b, span)?;
        let is_void = self.class(ty) == Class::Void;
        let mut fit = |expr: Expr| {
            if is_void || self.is_record(ty) { expr } else { self.convert(expr, ty) }
        };
        let (a, b) = (a.map(&mut fit), fit(b));
        let kind = ExprKind::Conditional(Box::new(condition), a.map(Box::new), Box::new(b));
        Some(Expr { kind, ty, span })
    }

    fn conditional_type(&mut self, a: &Expr, b: &Expr, span: Span) -> Checked<TypeId> {
        let (x, y) = (self.class(a.ty), self.class(b.ty));
        match (x, y) {
            (Class::Void, _) | (_, Class::Void) => Some(self.basic.void),
            _ if x.is_arithmetic() && y.is_arithmetic() => Some(self.common_type(a, b)),
            (Class::Record(_), Class::Record(_)) if self.compatible(a.ty, b.ty) => Some(a.ty),
            (Class::Pointer(_), _) if self.is_null(b) && y.is_integer() => Some(a.ty),
            (_, Class::Pointer(_)) if self.is_null(a) && x.is_integer() => Some(b.ty),
            (Class::Pointer(_), Class::Pointer(_)) if self.is_null(b) => Some(a.ty),
            (Class::Pointer(_), Class::Pointer(_)) if self.is_null(a) => Some(b.ty),
            (Class::Pointer(p), Class::Pointer(q)) => {
                let is_void = self.class(q) == Class::Void;
                let (target, other) = if is_void { (q, p) } else { (p, q) };
                let target = self.qualified(target, self.quals(other));
                Some(self.pointer(target))
            }
            (Class::Pointer(_), Class::Integer(_)) => Some(a.ty),
            (Class::Integer(_), Class::Pointer(_)) => Some(b.ty),
            _ => {
                self.inapplicable(a, b, span);
                None
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne)
}

#[expect(clippy::float_cmp, reason = "C compares floats exactly")]
fn float_operator(op: BinaryOp, x: f64, y: f64) -> Option<ExprKind> {
    let truth = |holds: bool| ExprKind::Int(i128::from(holds));
    Some(match op {
        BinaryOp::Add => ExprKind::Float(x + y),
        BinaryOp::Sub => ExprKind::Float(x - y),
        BinaryOp::Mul => ExprKind::Float(x * y),
        BinaryOp::Div => ExprKind::Float(x / y),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Le => truth(x <= y),
        BinaryOp::Gt => truth(x > y),
        BinaryOp::Ge => truth(x >= y),
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        _ => return None,
    })
}
