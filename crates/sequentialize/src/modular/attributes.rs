//! Attributes that change what Boogie verifies.
//!
//! | attribute | meaning |
//! |---|---|
//! | `{:verified_under A}` | an assertion, a precondition of a call or an invariant is checked where `A` does not hold, and assumed |
//! | `{:selective_checking}` | the assertions of a body are checked only after `assume {:start_checking_here} …` |
//! | `{:assumption}` | a boolean that is true at first, and that `havoc` can only make false |
//! | `{:always_assume}` | a free precondition is assumed by callers; a free postcondition, before those after it are checked |

use dally_bpl::ast::{
    Ast, Attr, AttrArg, Attrs, BinaryOp, Decl, DeclKind, Expr, ExprId, Guard, If, LoopSpec, LoopSpecKind,
    Spec, SpecKind, Stmt, StmtKind, TypeExpr,
};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::build;

const UNDER: &str = "verified_under";

/// Makes the meaning of attributes of statements explicit. Those that are not supported are reported.
pub(super) fn lower(ast: &mut Ast) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let contracts = contracts(ast);
    build::each_body(ast, |ast, decl| selective_checking(ast, decl, &contracts, &mut problems));
    build::rewrite_bodies(ast, |ast, stmt, out| {
        let Some(under) = ast.attr(&stmt.attrs, UNDER).cloned() else { return out.push(stmt) };
        let name = under.name;
        match (&stmt.kind, condition_of(&under)) {
            (StmtKind::Assert(condition), Some(under)) => {
                let condition = *condition;
                let attrs = stmt.attrs.without(name);
                unless(ast, under, condition, Stmt { attrs, ..stmt }, out);
            }
            // The attribute marks the call that assumes preconditions.
            (StmtKind::Call(_), Some(under)) => {
                let otherwise = Stmt { attrs: stmt.attrs.without(name), ..stmt.clone() };
                let id = Some(ast.new_stmt_id(stmt.span));
                let guard = Guard::Expr(ast.copy_expr(under));
                let span = stmt.span;
                let branches = vec![build::branch(guard, vec![Stmt { id, ..stmt }])];
                let conditional = If { branches, otherwise: Some(build::block(vec![otherwise])) };
                let id = Some(ast.new_stmt_id(span));
                out.push(Stmt { id, span, ..build::stmt(StmtKind::If(Box::new(conditional))) });
            }
            _ => {
                problems.push(unsupported(ast, &under));
                out.push(stmt);
            }
        }
    });
    problems
}

/// `assert condition;` where another condition does not hold, and `assume condition;`
fn unless(ast: &mut Ast, under: ExprId, condition: ExprId, stmt: Stmt, out: &mut Vec<Stmt>) {
    let (holds, span) = (ast.copy_expr(condition), stmt.span);
    let checked = either(ast, under, condition);
    out.push(Stmt { kind: StmtKind::Assert(checked), ..stmt });
    let id = Some(ast.new_stmt_id(span));
    out.push(Stmt { id, span, ..build::assume(holds) });
}

/// `under || condition`, at the place of the condition.
fn either(ast: &mut Ast, under: ExprId, condition: ExprId) -> ExprId {
    let (under, span) = (ast.copy_expr(under), ast.exprs.span(condition));
    ast.exprs.add(Expr::Binary(BinaryOp::Or, under, condition), span)
}

/// The condition that is checked for an invariant.
pub(super) fn checked_invariant(ast: &mut Ast, spec: &LoopSpec, condition: ExprId) -> ExprId {
    match ast.attr(&spec.attrs, UNDER).and_then(condition_of) {
        Some(under) => either(ast, under, condition),
        None => condition,
    }
}

/// True if a call assumes the preconditions of the callee.
pub(super) fn assumes(ast: &Ast, call: &Stmt) -> bool {
    ast.attr(&call.attrs, UNDER).is_some()
}

/// The procedures with preconditions that callers check, and those with postconditions that their bodies are checked for.
struct Contracts {
    required: Vec<Sym>,
    ensured: Vec<Sym>,
}

fn contracts(ast: &Ast) -> Contracts {
    let with = |kind: fn(&Spec) -> bool| {
        let procedures = ast.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Procedure(p) if p.specs.iter().any(kind) => Some(p.signature.name.name),
            _ => None,
        });
        procedures.collect()
    };
    Contracts {
        required: with(|spec| matches!(spec.kind, SpecKind::Requires { free: false, .. })),
        ensured: with(|spec| matches!(spec.kind, SpecKind::Ensures { free: false, .. })),
    }
}

/// Assertions before `assume {:start_checking_here} …` become assumptions.
fn selective_checking(ast: &mut Ast, decl: &mut Decl, contracts: &Contracts, problems: &mut Vec<Diagnostic>) {
    let Some(attr) = ast.attr(&decl.attrs, "selective_checking").cloned() else { return };
    let name = build::procedure_name(decl);
    let mut checks_more = name.is_some_and(|name| contracts.ensured.contains(&name));
    let Some(body) = build::body_mut(decl) else { return };
    let checking = build::fresh(ast, "checking");
    let ty = build::type_expr(ast, TypeExpr::Bool);
    body.locals.push(build::var(checking, ty, Attrs::NONE));
    build::rewrite(&mut body.block, &mut |stmt, out| match &stmt.kind {
        StmtKind::Assert(condition) => {
            let (condition, on) = (*condition, build::name(ast, checking));
            let off = build::not(ast, on);
            unless(ast, off, condition, stmt, out);
        }
        StmtKind::Assume(_) if ast.attr(&stmt.attrs, "start_checking_here").is_some() => {
            let span = stmt.span;
            out.push(stmt);
            out.push(set(ast, checking, true, span));
        }
        kind => {
            checks_more |= match kind {
                StmtKind::Call(call) => contracts.required.contains(&call.procedure.name),
                StmtKind::While(w) => {
                    let is_checked =
                        |spec: &LoopSpec| matches!(spec.kind, LoopSpecKind::Invariant { free: false, .. });
                    w.specs.iter().any(is_checked)
                }
                _ => false,
            };
            out.push(stmt);
        }
    });
    body.block.stmts.insert(0, set(ast, checking, false, attr.span));
    if checks_more {
        problems.push(unsupported(ast, &attr));
    }
}

/// Assigns `true` or `false`.
fn set(ast: &mut Ast, variable: Sym, value: bool, span: Span) -> Stmt {
    let value = build::boolean(ast, value);
    let id = Some(ast.new_stmt_id(span));
    Stmt { id, span, ..build::set(ast, &[variable], &[value]) }
}

/// Gives assumption variables their meaning, where loops have been cut: `havoc a;` becomes `if (*) { a := false; }`.
pub(super) fn assumption_variables(ast: &mut Ast) {
    let is_assumption = |ast: &Ast, attrs: &Attrs| ast.attr(attrs, "assumption").is_some();
    let globals: Vec<Sym> = ast
        .decls
        .iter()
        .filter_map(|decl| match &decl.kind {
            DeclKind::Var(var) if is_assumption(ast, &decl.attrs) => Some(var.name.name),
            _ => None,
        })
        .collect();
    build::each_body(ast, |ast, decl| {
        let hidden = super::cut::parameters(decl);
        let Some(body) = build::body_mut(decl) else { return };
        let (own, others): (Vec<_>, Vec<_>) =
            body.locals.iter().partition(|local| is_assumption(ast, &local.attrs));
        let own = build::var_names(&own.into_iter().cloned().collect::<Vec<_>>());
        let others: Vec<Sym> = others.iter().map(|local| local.var.name.name).collect();
        let globals = globals.iter().filter(|g| !hidden.contains(g) && !others.contains(g));
        let all: Vec<Sym> = own.iter().chain(globals).copied().collect();
        if all.is_empty() {
            return;
        }
        // The attribute allows no other assignments.
        let attr = ast.symbols.intern("assumption");
        body.locals.iter_mut().for_each(|local| local.attrs = local.attrs.without(attr));
        build::rewrite(&mut body.block, &mut |stmt, out| weaken(ast, &all, stmt, out));
        for variable in own {
            let first = set(ast, variable, true, Span::NONE);
            body.block.stmts.insert(0, first);
        }
    });
    let attr = ast.symbols.intern("assumption");
    for decl in ast.decls.iter_mut().filter(|decl| matches!(decl.kind, DeclKind::Var(_))) {
        decl.attrs = decl.attrs.without(attr);
    }
}

fn weaken(ast: &mut Ast, assumptions: &[Sym], mut stmt: Stmt, out: &mut Vec<Stmt>) {
    let span = stmt.span;
    let StmtKind::Havoc(vars) = &mut stmt.kind else { return out.push(stmt) };
    let weakened: Vec<Sym> =
        vars.iter().map(|var| var.name).filter(|name| assumptions.contains(name)).collect();
    vars.retain(|var| !assumptions.contains(&var.name));
    if !vars.is_empty() {
        out.push(stmt);
    }
    for variable in weakened {
        let branches = vec![build::branch(Guard::Any, vec![set(ast, variable, false, span)])];
        let id = Some(ast.new_stmt_id(span));
        let conditional = StmtKind::If(Box::new(If { branches, otherwise: None }));
        out.push(Stmt { id, span, ..build::stmt(conditional) });
    }
}

/// `free ensures {:always_assume} P; ensures Q;` checks `P ==> Q`.
pub(super) fn always_assume(ast: &mut Ast) {
    let mut decls = std::mem::take(&mut ast.decls);
    for decl in &mut decls {
        let DeclKind::Procedure(procedure) = &mut decl.kind else { continue };
        let mut assumed: Vec<ExprId> = Vec::new();
        for spec in &mut procedure.specs {
            let always = ast.attr(&spec.attrs, "always_assume").is_some();
            match &mut spec.kind {
                SpecKind::Ensures { free: true, expr } if always => assumed.push(*expr),
                SpecKind::Ensures { free: false, expr } => {
                    for assumption in &assumed {
                        let copy = ast.copy_expr(*assumption);
                        let fails = build::not(ast, copy);
                        *expr = either(ast, fails, *expr);
                    }
                }
                _ => {}
            }
        }
    }
    decls.append(&mut ast.decls);
    ast.decls = decls;
}

fn condition_of(attr: &Attr) -> Option<ExprId> {
    match attr.args[..] {
        [AttrArg::Expr(condition)] => Some(condition),
        _ => None,
    }
}

pub(super) fn unsupported(ast: &Ast, attr: &Attr) -> Diagnostic {
    let message = format!("`{{:{}}}` is not supported here", ast.text(attr.name));
    Diagnostic::new(codes::NOT_SEQUENTIAL, attr.span, message)
        .help("its meaning would change what is verified; remove the attribute")
}
