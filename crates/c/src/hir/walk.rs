//! Walks over the typed tree.
//!
//! The parts of each kind of node are listed once, for shared and for exclusive references.

use super::{Expr, ExprKind, Stmt, StmtKind};

/// Defines a type of parts, and the functions that give the parts of a statement and of an expression.
macro_rules! parts {
    ($(#[$attribute:meta])* $part:ident, $of_stmt:ident, $of_expr:ident, $iter:ident $(, $mut:tt)?) => {
        /// A part of a statement or expression.
        $(#[$attribute])*
        pub(crate) enum $part<'a> {
            Expr(&'a $($mut)? Expr),
            Stmt(&'a $($mut)? Stmt),
        }

        /// Calls `f` for each expression and statement directly inside of a statement, expressions first.
        pub(crate) fn $of_stmt<'a>(stmt: &'a $($mut)? Stmt, f: &mut dyn FnMut($part<'a>)) {
            match &$($mut)? stmt.kind {
                StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Vla(_, e) => f($part::Expr(e)),
                StmtKind::Declare(_, init) => {
                    init.$iter().flat_map(|i| i.parts.$iter()).for_each(|p| f($part::Expr(&$($mut)? p.value)));
                }
                StmtKind::Block(stmts) => stmts.$iter().for_each(|s| f($part::Stmt(s))),
                StmtKind::If(c, then, otherwise) => {
                    f($part::Expr(c));
                    f($part::Stmt(then));
                    otherwise.$iter().for_each(|s| f($part::Stmt(s)));
                }
                StmtKind::While(c, body) | StmtKind::DoWhile(body, c) | StmtKind::Switch(c, body) => {
                    f($part::Expr(c));
                    f($part::Stmt(body));
                }
                StmtKind::For(c, step, body) => {
                    c.$iter().chain(step).for_each(|e| f($part::Expr(e)));
                    f($part::Stmt(body));
                }
                StmtKind::Case(..)
                | StmtKind::Default
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_)
                | StmtKind::Label(_)
                | StmtKind::Return(None)
                | StmtKind::Empty => {}
            }
        }

        /// Calls `f` for each operand of an expression, lvalues included, and for each statement of a block.
        pub(crate) fn $of_expr<'a>(e: &'a $($mut)? Expr, f: &mut dyn FnMut($part<'a>)) {
            match &$($mut)? e.kind {
                ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::String(_)
                | ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Function(_) => {}
                ExprKind::Compound(_, init) => {
                    init.parts.$iter().for_each(|p| f($part::Expr(&$($mut)? p.value)));
                }
                ExprKind::Deref(a)
                | ExprKind::Member(a, _)
                | ExprKind::Load(a)
                | ExprKind::Decay(a)
                | ExprKind::AddressOf(a)
                | ExprKind::Unary(_, a)
                | ExprKind::Cast(a) => f($part::Expr(a)),
                ExprKind::Binary(_, a, b)
                | ExprKind::PointerAdd(a, b)
                | ExprKind::PointerDiff(a, b)
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b)
                | ExprKind::Comma(a, b)
                | ExprKind::Assign(a, b) => {
                    f($part::Expr(a));
                    f($part::Expr(b));
                }
                ExprKind::Conditional(c, a, b) => {
                    f($part::Expr(c));
                    a.$iter().for_each(|a| f($part::Expr(a)));
                    f($part::Expr(b));
                }
                ExprKind::Update(update) => {
                    f($part::Expr(&$($mut)? update.target));
                    f($part::Expr(&$($mut)? update.operand));
                }
                ExprKind::Call(callee, args) => {
                    f($part::Expr(callee));
                    args.$iter().for_each(|a| f($part::Expr(a)));
                }
                ExprKind::Builtin(_, args) => args.$iter().for_each(|a| f($part::Expr(a))),
                ExprKind::Block(stmts) => stmts.$iter().for_each(|s| f($part::Stmt(s))),
            }
        }
    };
}

parts!(
    #[derive(Clone, Copy)]
    Part,
    parts_of_stmt,
    parts_of_expr,
    iter
);
parts!(PartMut, parts_of_stmt_mut, parts_of_expr_mut, iter_mut, mut);

/// Calls `f` for each direct subexpression, lvalues included. Those of a block are the outermost expressions of its
/// statements.
pub(crate) fn children<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    parts_of_expr(e, &mut |part| outermost(part, f));
}

/// Calls `f` for each outermost expression of a statement and of the statements inside it.
pub(crate) fn roots<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(&'a Expr)) {
    parts_of_stmt(stmt, &mut |part| outermost(part, f));
}

fn outermost<'a>(part: Part<'a>, f: &mut dyn FnMut(&'a Expr)) {
    match part {
        Part::Expr(e) => f(e),
        Part::Stmt(s) => dally_text::stack::grow(|| roots(s, f)),
    }
}

/// Calls `f` for each expression, outer ones first.
pub(crate) fn every<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(e);
    dally_text::stack::grow(|| children(e, &mut |child| every(child, f)));
}

/// Calls `f` for each statement, outer ones first; not for those of statement expressions.
pub(crate) fn statements<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    stmts.iter().for_each(|stmt| statement(stmt, f));
}

fn statement<'a>(stmt: &'a Stmt, f: &mut dyn FnMut(&'a Stmt)) {
    f(stmt);
    parts_of_stmt(stmt, &mut |part| {
        if let Part::Stmt(inner) = part {
            dally_text::stack::grow(|| statement(inner, f));
        }
    });
}
