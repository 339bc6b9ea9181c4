//! Local variables whose address is taken.
//!
//! The address of an operand of a builtin does not escape, and neither does that of an array in a subscript.

use crate::hir::{Expr, ExprKind, Init, Local, Stmt, StmtKind};

/// Sets [`Local::address_taken`] for the variables of a function.
pub(super) fn mark(locals: &mut [Local], body: &[Stmt]) {
    let mut marker = Marker { locals };
    marker.stmts(body);
}

struct Marker<'a> {
    locals: &'a mut [Local],
}

impl Marker<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        dally_text::stack::grow(|| match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Vla(_, e) => self.expr(e),
            StmtKind::Declare(_, Some(init)) => self.init(init),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If(c, then, otherwise) => {
                self.expr(c);
                self.stmt(then);
                otherwise.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) | StmtKind::Switch(c, body) => {
                self.expr(c);
                self.stmt(body);
            }
            StmtKind::For(c, step, body) => {
                c.iter().chain(step).for_each(|e| self.expr(e));
                self.stmt(body);
            }
            _ => {}
        });
    }

    fn init(&mut self, init: &Init) {
        init.parts.iter().for_each(|part| self.expr(&part.value));
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
            ExprKind::Compound(_, init) => self.init(init),
            ExprKind::Member(a, _) | ExprKind::Load(a) | ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                self.expr(a);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::PointerAdd(a, b)
            | ExprKind::PointerDiff(a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Assign(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(c, a, b) => {
                self.expr(c);
                a.iter().for_each(|a| self.expr(a));
                self.expr(b);
            }
            ExprKind::Update(update) => {
                self.expr(&update.target);
                self.expr(&update.operand);
            }
            ExprKind::Call(callee, arguments) => {
                self.expr(callee);
                arguments.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Block(stmts) => self.stmts(stmts),
            _ => {}
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
