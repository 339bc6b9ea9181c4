//! Contracts and loop invariants become statements, and every procedure gets one body.
//!
//! A failed assertion ends an execution only once its guesses are confirmed ([`crate::assertions`]), and the same holds for
//! contracts. Their meaning is that of `dally check`: a precondition is checked on entry to a procedure (and assumed on entry to
//! the program), a postcondition on exit, an invariant at the loop head; a procedure without a body assigns to the variables
//! that it may modify any values that its postconditions allow.
//!
//! A procedure with a contract, or with implementations, keeps its name and gets a body that checks the contract around a call of
//! `p$body`: so parameters may have other names there, and no `return` skips the check.

use dally_bpl::ast::{
    Ast, Attrs, Body, Decl, DeclKind, ExprId, Flavour, Guard, Ident, If, LoopSpecKind, Procedure, Role,
    Signature, Spec, SpecKind, Stmt, StmtKind,
};
use dally_bpl::check::{Info, VarKind};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build::{self, stmt};
use crate::origins::{Check, Lowered};
use crate::unit::Unit;

pub(crate) fn lower(unit: &mut Unit, info: &Info) {
    let mut elsewhere: FxHashMap<Sym, Vec<(Signature, Body)>> = FxHashMap::default();
    let mut decls = Vec::new();
    for decl in std::mem::take(&mut unit.ast.decls) {
        match decl.kind {
            DeclKind::Implementation(i) => {
                let name = i.signature.name.name;
                elsewhere.entry(name).or_default().push((i.signature, i.body));
            }
            kind => decls.push(Decl { kind, ..decl }),
        }
    }
    for mut decl in decls {
        if let DeclKind::Procedure(procedure) = &mut decl.kind {
            let bodies = elsewhere.remove(&procedure.signature.name.name).unwrap_or_default();
            lower_procedure(unit, info, procedure, bodies);
        }
        unit.ast.decls.push(decl);
    }
    let lowered = &mut unit.lowered;
    build::rewrite_bodies(&mut unit.ast, |ast, stmt, out| lower_loop(ast, lowered, stmt, out));
}

fn lower_procedure(
    unit: &mut Unit,
    info: &Info,
    procedure: &mut Procedure,
    mut bodies: Vec<(Signature, Body)>,
) {
    procedure.flavour = Flavour::Plain;
    let specs = std::mem::take(&mut procedure.specs);
    let promises = |s: &Spec| matches!(s.kind, SpecKind::Requires { .. } | SpecKind::Ensures { .. });
    if bodies.is_empty() && procedure.body.is_some() && !specs.iter().any(promises) {
        return;
    }
    if let Some(body) = procedure.body.take() {
        let mut signature = procedure.signature.clone();
        signature.ins = build::same_vars(&signature.ins);
        bodies.insert(0, (signature, body));
    }
    let ast = &mut unit.ast;
    let Ident { name, span } = procedure.signature.name;
    let callees: Vec<Sym> = bodies.iter().map(|_| build::derive(ast, name, "body", Role::Body)).collect();
    for ((mut signature, body), callee) in bodies.into_iter().zip(&callees) {
        signature.name = Ident { name: *callee, span };
        build::declare_procedure(ast, signature, body.locals, body.block.stmts, Attrs::NONE);
    }
    let is_entry = unit.entries.iter().any(|e| e.procedure == name);
    if is_entry && specs.iter().any(|s| matches!(s.kind, SpecKind::Requires { .. })) {
        let mut entry = procedure.clone();
        entry.signature.name = Ident { name: build::derive(ast, name, "entry", Role::Version), span };
        let specs: Vec<Spec> = specs.iter().map(|s| copy_spec(ast, s)).collect();
        entry.body = Some(checked(unit, info, &entry, &specs, &callees, true));
        for e in unit.entries.iter_mut().filter(|e| e.procedure == name) {
            e.procedure = entry.signature.name.name;
        }
        build::declare(&mut unit.ast, DeclKind::Procedure(Box::new(entry)), Attrs::NONE);
    }
    procedure.body = Some(checked(unit, info, procedure, &specs, &callees, false));
}

pub(crate) fn copy_spec(ast: &mut Ast, spec: &Spec) -> Spec {
    let kind = match &spec.kind {
        SpecKind::Requires { free, expr } => SpecKind::Requires { free: *free, expr: ast.copy_expr(*expr) },
        SpecKind::Ensures { free, expr } => SpecKind::Ensures { free: *free, expr: ast.copy_expr(*expr) },
        other => other.clone(),
    };
    Spec { attrs: Attrs::NONE, kind, span: spec.span }
}

/// A body that checks the contract around a call.
fn checked(
    unit: &mut Unit,
    info: &Info,
    procedure: &Procedure,
    specs: &[Spec],
    callees: &[Sym],
    assuming: bool,
) -> Body {
    let (ast, lowered) = (&mut unit.ast, &mut unit.lowered);
    let mut stmts = Vec::new();
    for spec in specs {
        if let SpecKind::Requires { free, expr } = spec.kind {
            let clause = Check { message: "a precondition does not hold", span: spec.span };
            stmts.push(check(ast, lowered, clause, free || assuming, expr));
        }
    }
    let signature = &procedure.signature;
    let (ins, outs) = (build::var_names(&signature.ins), build::var_names(&signature.outs));
    stmts.extend(match callees {
        [] => {
            let changed = [frame(info, signature.name.name), outs].concat();
            let span = signature.name.span;
            let id = ast.new_stmt_id(span);
            lowered.effect(id, signature.name.name);
            build::havoc(&changed).into_iter().map(|stmt| Stmt { id: Some(id), span, ..stmt }).collect()
        }
        [callee] => {
            let args = build::names(ast, &ins);
            vec![build::call(ast, &outs, *callee, &args)]
        }
        [last @ .., first] => {
            let call = |ast: &mut Ast, callee: Sym| {
                let args = build::names(ast, &ins);
                vec![build::call(ast, &outs, callee, &args)]
            };
            let branches = last.iter().map(|c| build::branch(Guard::Any, call(ast, *c))).collect();
            let otherwise = Some(build::block(call(ast, *first)));
            vec![stmt(StmtKind::If(Box::new(If { branches, otherwise })))]
        }
    });
    for spec in specs {
        let SpecKind::Ensures { free, expr } = spec.kind else { continue };
        let assumed = callees.is_empty();
        if assumed || !free {
            let clause = Check { message: "a postcondition does not hold", span: spec.span };
            stmts.push(check(ast, lowered, clause, assumed, expr));
        }
    }
    Body { locals: Vec::new(), block: build::block(stmts) }
}

/// A statement that checks or assumes a condition.
fn check(ast: &mut Ast, lowered: &mut Lowered, clause: Check, assumed: bool, condition: ExprId) -> Stmt {
    let id = ast.new_stmt_id(clause.span);
    if !assumed {
        lowered.check(id, clause);
    }
    let kind = if assumed { StmtKind::Assume(condition) } else { StmtKind::Assert(condition) };
    Stmt { id: Some(id), span: clause.span, ..stmt(kind) }
}

/// The globals that a procedure may change.
fn frame(info: &Info, procedure: Sym) -> Vec<Sym> {
    let Some(id) = info.procedure(procedure) else { return Vec::new() };
    let vars = info[id].modifies.clone().into_iter().map(|v| &info[v]);
    vars.filter(|v| v.kind == VarKind::Global).map(|v| v.name).collect()
}

/// Invariants are checked before the loop and after each iteration.
fn lower_loop(ast: &mut Ast, lowered: &mut Lowered, mut stmt: Stmt, out: &mut Vec<Stmt>) {
    let StmtKind::While(w) = &mut stmt.kind else { return out.push(stmt) };
    let mut before = Vec::new();
    for spec in std::mem::take(&mut w.specs) {
        let LoopSpecKind::Invariant { free, expr } = spec.kind else { continue };
        let clause = Check { message: "a loop invariant does not hold", span: ast.exprs.span(expr) };
        let again = ast.copy_expr(expr);
        before.push(check(ast, lowered, clause, free, expr));
        w.body.stmts.push(check(ast, lowered, clause, free, again));
    }
    build::push_after(ast, before, stmt, out);
}
