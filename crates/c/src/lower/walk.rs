//! Walks over the typed tree.

use crate::hir::{Expr, ExprKind, Init, Stmt, StmtKind};

/// Calls `f` for each direct subexpression, lvalues included.
pub(super) fn children<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Function(_) => {}
        ExprKind::Compound(_, init) => init.parts.iter().for_each(|p| f(&p.value)),
        ExprKind::Deref(a)
        | ExprKind::Member(a, _)
        | ExprKind::Load(a)
        | ExprKind::Decay(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a) => f(a),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerAdd(a, b)
        | ExprKind::PointerDiff(a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Conditional(a, b, c) => {
            f(a);
            b.iter().for_each(|b| f(b));
            f(c);
        }
        ExprKind::Update(update) => {
            f(&update.target);
            f(&update.operand);
        }
        ExprKind::Call(callee, args) => {
            f(callee);
            args.iter().for_each(f);
        }
        ExprKind::Builtin(_, args) => args.iter().for_each(f),
        ExprKind::Block(stmts) => stmts.iter().for_each(|s| roots(s, f)),
    }
}

/// Calls `f` for each outermost expression of a statement and of the statements inside it.
pub(super) fn roots<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(&'a Expr)) {
    let of_init = |init: &'a Init, f: &mut dyn FnMut(&'a Expr)| init.parts.iter().for_each(|p| f(&p.value));
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Vla(_, e) => f(e),
        StmtKind::Declare(_, init) => init.iter().for_each(|i| of_init(i, f)),
        StmtKind::Block(stmts) => stmts.iter().for_each(|s| roots(s, f)),
        StmtKind::If(c, then, otherwise) => {
            f(c);
            roots(then, f);
            otherwise.iter().for_each(|s| roots(s, f));
        }
        StmtKind::While(c, body) | StmtKind::DoWhile(body, c) | StmtKind::Switch(c, body) => {
            f(c);
            roots(body, f);
        }
        StmtKind::For(c, step, body) => {
            c.iter().chain(step).for_each(&mut *f);
            roots(body, f);
        }
        StmtKind::Return(value) => value.iter().for_each(f),
        StmtKind::Case(..)
        | StmtKind::Default
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Goto(_)
        | StmtKind::Label(_)
        | StmtKind::Empty => {}
    }
}

/// Calls `f` for each expression, outer ones first.
pub(super) fn every<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(e);
    dally_text::stack::grow(|| children(e, &mut |child| every(child, f)));
}

/// Calls `f` for each statement, outer ones first; not for those of statement expressions.
pub(super) fn statements<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        match &stmt.kind {
            StmtKind::Block(inner) => statements(inner, f),
            StmtKind::If(_, then, otherwise) => {
                statements(std::slice::from_ref(then), f);
                otherwise.iter().for_each(|s| statements(std::slice::from_ref(s), f));
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::For(_, _, body)
            | StmtKind::Switch(_, body) => statements(std::slice::from_ref(body), f),
            _ => {}
        }
    }
}
