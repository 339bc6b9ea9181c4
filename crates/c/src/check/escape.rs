//! Local variables whose address is taken.
//!
//! The address of an operand of a builtin does not escape, and neither does that of an array in a subscript.

use crate::hir::walk::{Part, parts_of_expr, parts_of_stmt};
use crate::hir::{Expr, ExprKind, Local, Stmt};

/// Sets [`Local::address_taken`] for the variables of a function.
pub(super) fn mark(locals: &mut [Local], body: &[Stmt]) {
    let mut marker = Marker { locals };
    body.iter().for_each(|s| marker.part(Part::Stmt(s)));
}

struct Marker<'a> {
    locals: &'a mut [Local],
}

impl Marker<'_> {
    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => self.expr(e),
            Part::Stmt(s) => dally_text::stack::grow(|| parts_of_stmt(s, &mut |p| self.part(p))),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        dally_text::stack::grow(|| self.expr_here(expr));
    }

    fn expr_here(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => {
                self.taken(lvalue);
                self.expr(lvalue);
            }
            ExprKind::Deref(pointer) => self.subscript(pointer),
            ExprKind::Builtin(_, operands) => {
                for operand in operands {
                    match &operand.kind {
                        ExprKind::AddressOf(lvalue) => self.expr(lvalue),
                        _ => self.expr(operand),
                    }
                }
            }
            _ => parts_of_expr(expr, &mut |p| self.part(p)),
        }
    }

    /// The pointer of a dereference: an array in it is only subscripted.
    fn subscript(&mut self, pointer: &Expr) {
        match &pointer.kind {
            ExprKind::Decay(array) => self.expr(array),
            ExprKind::PointerAdd(base, index) => {
                self.expr(index);
                match &base.kind {
                    ExprKind::Decay(array) => self.expr(array),
                    _ => self.expr(base),
                }
            }
            _ => self.expr(pointer),
        }
    }

    /// The address of the variable that an lvalue is a part of is taken.
    fn taken(&mut self, mut lvalue: &Expr) {
        loop {
            lvalue = match &lvalue.kind {
                ExprKind::Local(id) | ExprKind::Compound(id, _) => {
                    self.locals[id.index()].address_taken = true;
                    return;
                }
                ExprKind::Member(base, _) => base,
                ExprKind::Deref(pointer) => match &pointer.kind {
                    ExprKind::Decay(array) => array,
                    ExprKind::PointerAdd(base, _) => match &base.kind {
                        ExprKind::Decay(array) => array,
                        _ => return,
                    },
                    _ => return,
                },
                _ => return,
            };
        }
    }
}
