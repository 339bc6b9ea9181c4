//! Assertions become a flag.
//!
//! [FSE12 App. A]. A sequentialised execution is one of the original program only once its guesses are confirmed,
//! at the very end: so a failed assertion raises the flag `error` and leaves the task; tasks that begin or resume
//! with the flag raised return at once; and the last statement of the sequential program asserts that it is down.
//!
//! The flag is a variable of the *original* program: translations copy it for each round like any other.
//!
//! Deviations:
//! 1. The paper throws an exception; here, calls of procedures that may have raised the flag are followed by a
//!    test of it.

use dally_bpl::ast::{Attrs, StmtKind, TypeExpr};
use dally_text::symbol::Sym;

use crate::build::{self, stmt};
use crate::origins::Check;
use crate::unit::{Unit, as_procedure};

pub(crate) fn lower(unit: &mut Unit, levels: bool) {
    let mut asserts = false;
    build::each_stmt(&mut unit.ast, |_, stmt| asserts |= matches!(stmt.kind, StmtKind::Assert(_)));
    if !asserts {
        return;
    }
    let error = build::fresh(&mut unit.ast, "error");
    let ty = build::type_expr(&mut unit.ast, TypeExpr::Bool);
    build::declare_global(&mut unit.ast, build::var(error, ty, Attrs::NONE));
    unit.error = Some(error);
    let switches = |kind: &StmtKind| match kind {
        StmtKind::Yield | StmtKind::Zield | StmtKind::Wait(..) | StmtKind::Await(_) => true,
        // A task of a higher level runs at once.
        StmtKind::Async(post) => levels && post.level.is_some(),
        _ => false,
    };
    let may_fail = unit.closure(|stmt| matches!(stmt.kind, StmtKind::Assert(_)) || switches(&stmt.kind));
    let lowered = &mut unit.lowered;
    build::rewrite_bodies(&mut unit.ast, |ast, s, out| {
        let test = switches(&s.kind)
            || matches!(&s.kind, StmtKind::Call(call) if may_fail.contains(&call.procedure.name));
        if let StmtKind::Assert(condition) = s.kind {
            let (condition, failed) = (build::not(ast, condition), build::boolean(ast, true));
            let raise = vec![build::set(ast, &[error], &[failed]), stmt(StmtKind::Return)];
            let mut check = build::when(condition, raise);
            (check.id, check.span, check.attrs) = (s.id, s.span, s.attrs);
            if let Some(id) = s.id {
                lowered.check(id, Check { message: "an assertion does not hold", span: s.span });
            }
            return out.push(check);
        }
        out.push(s);
        if test {
            out.push(leave(ast, error));
        }
    });
    leave_at_start(unit, error);
}

/// `if (error) { return; }`
fn leave(ast: &mut dally_bpl::ast::Ast, error: Sym) -> dally_bpl::ast::Stmt {
    let raised = build::name(ast, error);
    build::when(raised, vec![stmt(StmtKind::Return)])
}

fn leave_at_start(unit: &mut Unit, error: Sym) {
    let tasks = unit.task_procedures();
    build::each_body(&mut unit.ast, |ast, decl| {
        if as_procedure(decl).is_some_and(|p| tasks.contains(&p.signature.name.name))
            && let Some(body) = build::body_mut(decl)
        {
            body.block.stmts.insert(0, leave(ast, error));
        }
    });
}
