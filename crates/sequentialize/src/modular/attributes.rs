//! Attributes that change what Boogie verifies.
//!
//! `assert {:verified_under A} P;` is checked where A does not hold. Others are reported.

use dally_bpl::ast::{Ast, Attr, AttrArg, BinaryOp, DeclKind, ExprId, LoopSpec, SpecKind, Stmt, StmtKind};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;

use crate::build;

/// Makes the meaning of attributes explicit. Those that are not supported are reported.
pub(super) fn lower(ast: &mut Ast) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for decl in &ast.decls {
        let selective = ast.attr(&decl.attrs, "selective_checking");
        let (specs, body) = match &decl.kind {
            DeclKind::Procedure(procedure) => (&procedure.specs[..], procedure.body.as_ref()),
            DeclKind::Implementation(implementation) => (&[][..], Some(&implementation.body)),
            _ => continue,
        };
        let ensures = specs.iter().filter(|spec| matches!(spec.kind, SpecKind::Ensures { .. }));
        let always = ensures.filter_map(|spec| ast.attr(&spec.attrs, "always_assume"));
        let locals = body.into_iter().flat_map(|body| &body.locals);
        let assumptions = locals.filter_map(|local| ast.attr(&local.attrs, "assumption"));
        problems.extend(
            selective.into_iter().chain(always).chain(assumptions).map(|attr| unsupported(ast, attr)),
        );
    }
    build::rewrite_bodies(ast, |ast, stmt, out| {
        let under = ast.attr(&stmt.attrs, "verified_under").cloned();
        let inside = match &stmt.kind {
            StmtKind::While(w) => {
                w.specs.iter().find_map(|spec: &LoopSpec| ast.attr(&spec.attrs, "verified_under"))
            }
            _ => None,
        };
        problems.extend(inside.map(|attr| unsupported(ast, attr)));
        match (&stmt.kind, under) {
            (StmtKind::Assert(condition), Some(_)) => {
                let condition = *condition;
                verified_under(ast, &stmt, condition, out);
            }
            (_, Some(attr)) => {
                problems.push(unsupported(ast, &attr));
                out.push(stmt);
            }
            (_, None) => out.push(stmt),
        }
    });
    problems
}

/// `assert A || P; assume P;`
fn verified_under(ast: &mut Ast, stmt: &Stmt, condition: ExprId, out: &mut Vec<Stmt>) {
    let holds = ast.copy_expr(condition);
    let mut checked = condition;
    // Of several conditions, the first one counts.
    let name = ast.symbols.intern("verified_under");
    if let Some(under) = stmt.attrs.find(name).and_then(condition_of) {
        let under = ast.copy_expr(under);
        checked = build::binary(ast, BinaryOp::Or, under, condition);
    }
    let span = stmt.span;
    let attrs = stmt.attrs.without(name);
    out.push(Stmt { kind: StmtKind::Assert(checked), attrs, ..stmt.clone() });
    let id = ast.new_stmt_id(span);
    out.push(Stmt { id: Some(id), span, ..build::assume(holds) });
}

fn condition_of(attr: &Attr) -> Option<ExprId> {
    match attr.args[..] {
        [AttrArg::Expr(condition)] => Some(condition),
        _ => None,
    }
}

fn unsupported(ast: &Ast, attr: &Attr) -> Diagnostic {
    let message = format!("`{{:{}}}` is not supported here", ast.text(attr.name));
    Diagnostic::new(codes::NOT_SEQUENTIAL, attr.span, message)
        .help("its meaning would change what is verified; remove the attribute")
}
