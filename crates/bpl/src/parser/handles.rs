//! Task handles of c2s, whose type is `int`.
//!
//! c2s has no type for tasks: `var t: int; call {:async t} p(e); assume {:wait t} true;`. After all files are
//! parsed, this pass gives such a local variable the type `task`, or `task T` if the procedure returns a `T`. A
//! variable that is also used as a number is then a type error.

use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::ast::{Ast, Body, DeclKind, Expr, StmtKind, TypeExpr, TypeId, for_each_stmt_mut};

/// The result types of procedures with at most one result.
type Results = FxHashMap<Sym, Option<TypeId>>;

/// Gives the local variables that are task handles of type `int` a task type.
pub(super) fn retype(ast: &mut Ast) {
    let mut results = Results::default();
    for decl in &ast.decls {
        if let DeclKind::Procedure(procedure) = &decl.kind {
            let signature = &procedure.signature;
            if let [] | [_] = signature.outs[..] {
                results.insert(signature.name.name, signature.outs.first().map(|out| out.var.ty));
            }
        }
    }
    let mut decls = std::mem::take(&mut ast.decls);
    for decl in &mut decls {
        match &mut decl.kind {
            DeclKind::Procedure(procedure) => {
                if let Some(body) = &mut procedure.body {
                    retype_locals(ast, body, &results);
                }
            }
            DeclKind::Implementation(implementation) => {
                retype_locals(ast, &mut implementation.body, &results);
            }
            _ => {}
        }
    }
    ast.decls = decls;
}

fn retype_locals(ast: &mut Ast, body: &mut Body, results: &Results) {
    for (handle, result) in handles(ast, body, results) {
        let Some(local) = body.locals.iter_mut().find(|local| local.var.name.name == handle) else {
            continue;
        };
        if !matches!(ast.types[local.var.ty], TypeExpr::Int) {
            continue;
        }
        let args = ast.types.add_list(result.as_slice());
        let task = ast.symbols.intern("task");
        let span = ast.types.span(local.var.ty);
        local.var.ty = ast.types.add(TypeExpr::Named(task, args), span);
    }
}

/// The variables that are certainly handles, with the result type of their tasks: the post names another variable
/// for the result, or there is no result, or the task is waited for. (In Corral, the variable of an
/// asynchronous call is an arbitrary result.)
fn handles(ast: &Ast, body: &mut Body, results: &Results) -> Vec<(Sym, Option<TypeId>)> {
    let mut waited = Vec::new();
    for_each_stmt_mut(&mut body.block, &mut |stmt| {
        if let StmtKind::Wait(_, task) = stmt.kind
            && let Expr::Name(name) = ast.exprs[task]
        {
            waited.push(name);
        }
    });
    let mut found = Vec::new();
    for_each_stmt_mut(&mut body.block, &mut |stmt| {
        if let StmtKind::Async(post) = &stmt.kind
            && let Some(handle) = post.handle
            && let Some(result) = results.get(&post.procedure.name)
            && (post.result.is_some() || result.is_none() || waited.contains(&handle.name))
        {
            found.push((handle.name, *result));
        }
    });
    found
}
