//! Loops are cut at their heads.
//!
//! `while (g) invariant I { … }` becomes
//!
//! ```text
//! check I; havoc targets; assume I; while (g) { … check I; assume false; break; }
//! ```
//!
//! where `check I` is a loop that is not entered: `while (false) invariant I { break; }`. It says of a failure that it is one of
//! an invariant. A body that jumps back by `goto` is made flat first ([`super::flat`]): the loops of its control flow are cut in
//! the same way, and their invariants are the assertions and assumptions with which their heads begin.

use dally_bpl::ast::{
    Ast, Attrs, Block, Body, Decl, Guard, Ident, LoopSpec, LoopSpecKind, Stmt, StmtKind, While,
};
use dally_bpl::check::{Info, VarKind};
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;

use super::{attributes, flat};
use crate::build;

/// Cuts the loops of all bodies.
pub(super) fn loops(ast: &mut Ast, info: &Info) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    build::each_body(ast, |ast, decl| {
        let parameters = parameters(decl);
        let Some(body) = build::body_mut(decl) else { return };
        let locals = body.locals.iter().map(|local| local.var.name.name);
        let mut cutter = Cutter {
            ast,
            info,
            hidden: parameters.into_iter().chain(locals).collect(),
            problems: Vec::new(),
        };
        cutter.body(body);
        problems.append(&mut cutter.problems);
    });
    problems
}

pub(super) fn parameters(decl: &Decl) -> Vec<Sym> {
    use dally_bpl::ast::DeclKind;
    let signature = match &decl.kind {
        DeclKind::Procedure(procedure) => &procedure.signature,
        DeclKind::Implementation(implementation) => &implementation.signature,
        _ => return Vec::new(),
    };
    [build::var_names(&signature.ins), build::var_names(&signature.outs)].concat()
}

/// Cuts the loops of a body.
pub(super) struct Cutter<'a> {
    pub(super) ast: &'a mut Ast,
    pub(super) info: &'a Info,
    /// Parameters and local variables, which may hide globals.
    hidden: FxHashSet<Sym>,
    pub(super) problems: Vec<Diagnostic>,
}

impl Cutter<'_> {
    fn body(&mut self, body: &mut Body) {
        if flat::jumps_back(&body.block) {
            flat::cut(self, &mut body.block);
        } else {
            build::rewrite(&mut body.block, &mut |stmt, out| self.stmt(stmt, out));
        }
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let StmtKind::While(w) = &mut stmt.kind else { return out.push(stmt) };
        let mut targets = Vec::new();
        self.targets(&w.body, &mut targets);
        let specs = std::mem::take(&mut w.specs);
        let mut before: Vec<Stmt> = self.check(&specs, span).into_iter().collect();
        before.extend(self.havoc(targets, span));
        before.extend(self.assume(&specs));
        w.body.stmts.extend(self.check(&specs, span));
        w.body.stmts.push(self.stop(span));
        w.body.stmts.push(build::stmt(StmtKind::Break(None)));
        build::push_after(self.ast, before, stmt, out);
    }

    /// The variables that statements assign to, calls included.
    pub(super) fn targets(&mut self, block: &Block, found: &mut Vec<Ident>) {
        let mut block = block.clone();
        let (info, ast) = (self.info, &mut *self.ast);
        let (hidden, problems) = (&self.hidden, &mut self.problems);
        dally_bpl::ast::for_each_stmt_mut(&mut block, &mut |stmt| {
            found.extend(stmt.kind.accesses(&ast.exprs).assigned);
            let StmtKind::Call(call) = &stmt.kind else { return };
            let Some(callee) = info.procedure(call.procedure.name) else { return };
            let modified = info[callee].modifies.clone().into_iter().map(|var| &info[var]);
            for global in modified.filter(|var| var.kind == VarKind::Global) {
                if hidden.contains(&global.name) {
                    let message = format!(
                        "a loop with a call that changes the global `{}`, which a local variable hides",
                        ast.text(global.name)
                    );
                    problems.push(
                        Diagnostic::new(codes::NOT_SEQUENTIAL, stmt.span, message)
                            .help("rename the variable"),
                    );
                }
                found.push(Ident { name: global.name, span: stmt.span });
            }
        });
    }

    /// `while (false) invariant …; { break; }`, or nothing.
    pub(super) fn check(&mut self, specs: &[LoopSpec], span: Span) -> Option<Stmt> {
        let specs: Vec<LoopSpec> = specs.iter().filter_map(|spec| self.invariant(spec)).collect();
        if specs.is_empty() {
            return None;
        }
        let guard = Guard::Expr(build::boolean(self.ast, false));
        let body = build::block(vec![build::stmt(StmtKind::Break(None))]);
        Some(self.new_stmt(StmtKind::While(Box::new(While { guard, specs, body })), span))
    }

    fn invariant(&mut self, spec: &LoopSpec) -> Option<LoopSpec> {
        let LoopSpecKind::Invariant { free, expr } = spec.kind else { return None };
        let copy = self.ast.copy_expr(expr);
        let kind =
            LoopSpecKind::Invariant { free, expr: attributes::checked_invariant(self.ast, spec, copy) };
        Some(LoopSpec { attrs: Attrs::NONE, kind })
    }

    /// Assumptions of invariants.
    pub(super) fn assume(&mut self, specs: &[LoopSpec]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for spec in specs {
            if let LoopSpecKind::Invariant { expr, .. } = spec.kind {
                let (again, span) = (self.ast.copy_expr(expr), self.ast.exprs.span(expr));
                stmts.push(self.new_stmt(StmtKind::Assume(again), span));
            }
        }
        stmts
    }

    /// `havoc targets;`, or nothing.
    pub(super) fn havoc(&mut self, mut targets: Vec<Ident>, span: Span) -> Option<Stmt> {
        targets.sort_by_key(|target| target.name);
        targets.dedup_by_key(|target| target.name);
        (!targets.is_empty()).then(|| self.new_stmt(StmtKind::Havoc(targets), span))
    }

    /// `assume false;`
    pub(super) fn stop(&mut self, span: Span) -> Stmt {
        let never = build::boolean(self.ast, false);
        self.new_stmt(StmtKind::Assume(never), span)
    }

    pub(super) fn new_stmt(&mut self, kind: StmtKind, span: Span) -> Stmt {
        Stmt { id: Some(self.ast.new_stmt_id(span)), kind, attrs: Attrs::NONE, span }
    }
}
