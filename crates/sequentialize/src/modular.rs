//! Modular verification, as Boogie does it: each procedure by itself, against contracts.
//!
//! The result is an ordinary program. A call has the effect that the contract of the callee allows: it is a call of
//! `p$contract`, which has no body. A loop is cut at its head ([`cut`]): its invariants are checked on entry, the variables that
//! it changes get arbitrary values that satisfy the invariants, and after one iteration the invariants are checked again. So
//! no execution has a loop or recursion, and a proof needs no bound; but a failing execution of this program need not be one of
//! the original program, if contracts or invariants are too weak.
//!
//! Deviations from Boogie:
//! 1. Procedures with `{:inline}` are inlined at any depth, not up to the depth that the attribute names.
//! 2. Measures are ignored: termination is not checked.
//! 3. A loop with several heads gets one, as in Boogie: jumps to the others lead to copies of its blocks.

mod attributes;
mod cut;
mod flat;

use dally_bpl::Program;
use dally_bpl::ast::{
    Ast, Attrs, Decl, DeclKind, Flavour, Ident, Implementation, Procedure, Role, Signature, Spec, SpecKind,
    StmtKind, VarDecl,
};
use dally_bpl::check::{Info, VarKind};
use dally_bpl::codes;
use dally_text::code::Severity;
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build;

/// The program in which each procedure is executed by itself: calls and loops have the effects that contracts and invariants
/// allow.
///
/// The procedures to start in are those that still have a body, except for those with `{:inline}` ([`is_inlined`]). If a
/// procedure has several bodies, each but the first becomes a procedure of its own.
pub fn modular(program: &Program) -> Result<Program, Vec<Diagnostic>> {
    let mut ast = program.ast.clone();
    let info = &program.info;
    let mut problems = attributes::lower(&mut ast);
    problems.extend(asynchrony(&mut ast));
    problems.extend(cut::loops(&mut ast, info));
    if !problems.is_empty() {
        return Err(problems);
    }
    attributes::assumption_variables(&mut ast);
    one_body_each(&mut ast);
    let stubs = declare_contracts(&mut ast, info);
    let problems = call_contracts(&mut ast, &stubs);
    if !problems.is_empty() {
        return Err(problems);
    }
    attributes::always_assume(&mut ast);
    let (info, diagnostics) = dally_bpl::check(&ast);
    match diagnostics.iter().find(|d| d.severity() != Severity::Warning) {
        Some(first) => {
            let message = format!("this program cannot be verified by contracts: {}", first.message);
            Err(vec![Diagnostic::new(codes::NOT_SEQUENTIAL, first.primary.span, message)])
        }
        None => Ok(Program { ast, info, warnings: program.warnings.clone() }),
    }
}

/// True if calls of a procedure are replaced by its body: it has the attribute `{:inline}`, or is an action.
pub fn is_inlined(ast: &Ast, decl: &Decl) -> bool {
    let is_action = matches!(&decl.kind, DeclKind::Procedure(p) if p.flavour == Flavour::PureAction);
    is_action || ast.attr(&decl.attrs, "inline").is_some_and(|attr| !attr.args.is_empty())
}

/// Contracts say nothing of other tasks.
fn asynchrony(ast: &mut Ast) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    build::each_stmt(ast, |_, stmt| {
        let what = match &stmt.kind {
            StmtKind::Async(_) => "a post",
            StmtKind::Wait(..) => "a wait",
            StmtKind::Await(_) => "an await",
            StmtKind::Yield | StmtKind::Zield => "a yield",
            _ => return,
        };
        let message = format!("{what} in a procedure that is verified by itself");
        let help = "verify the program without `--modular`";
        found.push(Diagnostic::new(codes::NOT_SEQUENTIAL, stmt.span, message).help(help));
    });
    found
}

/// The procedures that stand for the contract of a procedure.
struct Contract {
    name: Sym,
    /// The version for `free call`, which checks no precondition.
    unchecked: Sym,
    /// The version for `call {:verified_under …}`, which assumes preconditions; none if the program has no such calls.
    assumed: Option<Sym>,
}

/// Declares `p$contract` for each procedure `p` that has a body, and is not inlined.
fn declare_contracts(ast: &mut Ast, info: &Info) -> FxHashMap<Sym, Contract> {
    let bodies = implemented(ast);
    let mut assumes = false;
    build::each_stmt(ast, |ast, stmt| assumes |= attributes::assumes(ast, stmt));
    let mut stubs = FxHashMap::default();
    let mut decls = std::mem::take(&mut ast.decls);
    for decl in &mut decls {
        let inlined = is_inlined(ast, decl);
        let DeclKind::Procedure(procedure) = &mut decl.kind else { continue };
        let name = procedure.signature.name.name;
        let has_body = procedure.body.is_some() || bodies.contains(&name);
        if has_body && inlined {
            continue;
        }
        let frame = frame(info, procedure);
        let unchecked = build::derive(ast, name, "unchecked", Role::Version);
        let version =
            stub(ast, procedure, unchecked, &frame, |spec| !matches!(spec.kind, SpecKind::Requires { .. }));
        build::declare(ast, DeclKind::Procedure(Box::new(version)), Attrs::NONE);
        let always = procedure.specs.iter().map(|spec| ast.attr(&spec.attrs, "always_assume").is_some());
        let always: Vec<bool> = always.collect();
        let specs = procedure.specs.clone();
        let unassumed = |spec: &Spec| {
            let at = specs.iter().position(|other| other.span == spec.span);
            !matches!(spec.kind, SpecKind::Requires { free: true, .. }) || at.is_some_and(|at| always[at])
        };
        let assumed = assumes.then(|| assuming(ast, procedure, &frame, unassumed));
        let contract = if has_body {
            let contract = build::derive(ast, name, "contract", Role::Version);
            let version = stub(ast, procedure, contract, &frame, unassumed);
            build::declare(ast, DeclKind::Procedure(Box::new(version)), Attrs::NONE);
            contract
        } else {
            // A caller neither checks nor assumes a free precondition.
            procedure.specs.retain(unassumed);
            name
        };
        stubs.insert(name, Contract { name: contract, unchecked, assumed });
    }
    decls.append(&mut ast.decls);
    ast.decls = decls;
    stubs
}

/// Declares the version of a contract in which preconditions are assumed.
fn assuming(ast: &mut Ast, procedure: &Procedure, frame: &[Sym], kept: impl Fn(&Spec) -> bool) -> Sym {
    let name = build::derive(ast, procedure.signature.name.name, "assumed", Role::Version);
    let mut version = stub(ast, procedure, name, frame, kept);
    for spec in &mut version.specs {
        if let SpecKind::Requires { free, .. } = &mut spec.kind {
            *free = true;
        }
    }
    build::declare(ast, DeclKind::Procedure(Box::new(version)), Attrs::NONE);
    name
}

/// The procedures with implementations.
fn implemented(ast: &Ast) -> Vec<Sym> {
    let name = |decl: &Decl| match &decl.kind {
        DeclKind::Implementation(implementation) => Some(implementation.signature.name.name),
        _ => None,
    };
    ast.decls.iter().filter_map(name).collect()
}

/// The globals that a procedure without a `modifies` clause changes: its contract has no body to infer them from.
fn frame(info: &Info, procedure: &Procedure) -> Vec<Sym> {
    let is_given = procedure.specs.iter().any(|spec| matches!(spec.kind, SpecKind::Modifies(_)));
    let Some(id) = info.procedure(procedure.signature.name.name).filter(|_| !is_given) else {
        return Vec::new();
    };
    let modified = info[id].modifies.clone().into_iter().map(|var| &info[var]);
    modified.filter(|var| var.kind == VarKind::Global).map(|var| var.name).collect()
}

/// A procedure without a body, with the clauses of a contract for which `kept` holds.
fn stub(
    ast: &mut Ast,
    procedure: &Procedure,
    name: Sym,
    frame: &[Sym],
    kept: impl Fn(&Spec) -> bool,
) -> Procedure {
    let mut specs: Vec<Spec> =
        procedure.specs.iter().filter(|s| kept(s)).map(|s| crate::contracts::copy_spec(ast, s)).collect();
    let span = procedure.signature.name.span;
    if !frame.is_empty() {
        let vars = frame.iter().map(|var| Ident { name: *var, span }).collect();
        specs.push(Spec { attrs: Attrs::NONE, kind: SpecKind::Modifies(vars), span });
    }
    Procedure {
        flavour: procedure.flavour,
        signature: renamed(ast, &procedure.signature, name),
        specs,
        body: None,
    }
}

/// A signature with another name.
fn renamed(ast: &mut Ast, signature: &Signature, name: Sym) -> Signature {
    Signature {
        name: Ident { name, ..signature.name },
        type_params: signature.type_params.clone(),
        ins: copy_vars(ast, &signature.ins),
        outs: copy_vars(ast, &signature.outs),
    }
}

fn copy_vars(ast: &mut Ast, vars: &[VarDecl]) -> Vec<VarDecl> {
    let mut copies = vars.to_vec();
    for copy in &mut copies {
        copy.attrs = Attrs::NONE;
        copy.var.where_clause = copy.var.where_clause.map(|condition| ast.copy_expr(condition));
    }
    copies
}

/// Redirects calls to contracts.
fn call_contracts(ast: &mut Ast, stubs: &FxHashMap<Sym, Contract>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    build::each_stmt(ast, |ast, stmt| {
        let assumes = attributes::assumes(ast, stmt);
        let StmtKind::Call(call) = &mut stmt.kind else { return };
        let contract = stubs.get(&call.procedure.name);
        match contract {
            Some(contract) if call.free => call.procedure.name = contract.unchecked,
            Some(Contract { assumed: Some(assumed), .. }) if assumes => call.procedure.name = *assumed,
            Some(contract) => call.procedure.name = contract.name,
            None if assumes => {
                problems.extend(stmt.attrs.iter().map(|attr| attributes::unsupported(ast, attr)));
            }
            None => {}
        }
    });
    problems
}

/// Declares a procedure with the same contract for each body of a procedure but the first.
fn one_body_each(ast: &mut Ast) {
    let mut found: FxHashMap<Sym, Procedure> = FxHashMap::default();
    for decl in &ast.decls {
        if let DeclKind::Procedure(procedure) = &decl.kind
            && !is_inlined(ast, decl)
        {
            found.insert(procedure.signature.name.name, (**procedure).clone());
        }
    }
    let mut has_one: Vec<Sym> =
        found.values().filter(|p| p.body.is_some()).map(|p| p.signature.name.name).collect();
    let mut decls = std::mem::take(&mut ast.decls);
    for decl in &mut decls {
        let DeclKind::Implementation(implementation) = &mut decl.kind else { continue };
        let Implementation { signature, .. } = &mut **implementation;
        let name = signature.name.name;
        let Some(procedure) = found.get(&name) else { continue };
        if !has_one.contains(&name) {
            has_one.push(name);
            continue;
        }
        let another = build::derive(ast, name, "implementation", Role::Version);
        signature.name.name = another;
        let version = stub(ast, procedure, another, &[], |_| true);
        build::declare(ast, DeclKind::Procedure(Box::new(version)), Attrs::NONE);
    }
    decls.append(&mut ast.decls);
    ast.decls = decls;
}
