//! Statements.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::frame::Assignment;
use super::labels::Enclosing;
use super::{Checker, Ty, VarId, VarKind};
use crate::ast::{
    Access, BinaryOp, Block, Expr, ExprId, ExprList, Guard, Ident, If, Lhs, LoopSpecKind, Stmt, StmtKind,
    Unpack, While,
};
use crate::codes;

/// The statements since the last label: the head of a loop in unstructured code.
#[derive(Clone, Copy, Debug, Default)]
struct LoopHead {
    labelled: bool,
    measured: bool,
    changed: bool,
}

impl Checker<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        let mut label = None;
        let mut head = LoopHead::default();
        for stmt in &block.stmts {
            if self.diagnostics.is_full() {
                return;
            }
            self.stmt(stmt, label);
            self.check_measure_place(stmt, &mut head);
            // `break L` applies only to the statement right after the label.
            label = match &stmt.kind {
                StmtKind::Label(name) => Some(name.name),
                _ => None,
            };
        }
    }

    fn stmt(&mut self, stmt: &Stmt, label: Option<Sym>) {
        self.stmt_attrs(&stmt.attrs, stmt.span);
        match &stmt.kind {
            StmtKind::Label(_) | StmtKind::Return | StmtKind::Scope(_) => {}
            StmtKind::Assert(e) => self.condition(*e, "an asserted condition"),
            StmtKind::Assume(e) => self.condition(*e, "an assumed condition"),
            StmtKind::ReturnExpr(e) => self.condition(*e, "the result of a code expression"),
            StmtKind::Havoc(vars) => {
                for var in vars {
                    self.assign_to(*var);
                }
                self.range_attr_of_havoc(stmt, vars);
            }
            StmtKind::Assign(targets, values) => self.assign(targets, *values, stmt.span),
            StmtKind::Unpack(unpack) => self.unpack(unpack),
            StmtKind::Call(call) => self.call_stmt(call),
            StmtKind::If(conditional) => self.conditional(conditional, label),
            StmtKind::While(w) => self.while_loop(w, label),
            StmtKind::Break(target) => self.break_out(*target, stmt.span),
            StmtKind::Goto(targets) => self.goto(targets),
            StmtKind::Measure(exprs) => self.measure(*exprs),
            StmtKind::Reveal(_, function) => {
                if let Some(name) = function {
                    self.function(*name);
                }
            }
            _ => self.asynchronous(stmt),
        }
    }

    fn guard(&mut self, guard: Guard) {
        if let Guard::Expr(e) = guard {
            self.condition(e, "the condition");
        }
    }

    fn nested(&mut self, block: &Block, label: Option<Sym>, is_loop: bool) {
        if let Some(current) = &mut self.current {
            current.enclosing.push(Enclosing { label, is_loop });
        }
        dally_text::stack::grow(|| self.block(block));
        if let Some(current) = &mut self.current {
            current.enclosing.pop();
        }
    }

    fn conditional(&mut self, conditional: &If, label: Option<Sym>) {
        for branch in &conditional.branches {
            self.attrs(&branch.attrs);
            self.guard(branch.guard);
            self.nested(&branch.block, label, false);
        }
        if let Some(otherwise) = &conditional.otherwise {
            self.nested(otherwise, label, false);
        }
    }

    fn while_loop(&mut self, w: &While, label: Option<Sym>) {
        self.guard(w.guard);
        for spec in &w.specs {
            let span = match spec.kind {
                LoopSpecKind::Invariant { expr, .. } => {
                    self.condition(expr, "an invariant");
                    self.span(expr)
                }
                LoopSpecKind::Measure(exprs) => {
                    self.measure(exprs);
                    Span::NONE
                }
            };
            self.stmt_attrs(&spec.attrs, span);
        }
        if let Some(second) = w.specs.iter().filter(|s| matches!(s.kind, LoopSpecKind::Measure(_))).nth(1)
            && let LoopSpecKind::Measure(exprs) = second.kind
            && let Some(first) = self.ast.exprs.list(exprs).first()
        {
            self.report(codes::MISPLACED_CLAUSE, self.span(*first), "a loop can have only one measure");
        }
        self.nested(&w.body, label, true);
    }

    pub(super) fn measure(&mut self, exprs: ExprList) {
        for e in self.ast.exprs.list(exprs) {
            let ty = self.expr(*e);
            if !self.unify(ty, Ty::INT) && !self.unify(ty, Ty::BOOL) {
                let message = format!("a measure must be of type `int` or `bool`, not `{}`", self.show(ty));
                self.report(Code::TYPE_MISMATCH, self.span(*e), message);
            }
            self.finish();
        }
    }

    /// Checks that a measure in unstructured code is in a loop head: after a label, before any change of state.
    fn check_measure_place(&mut self, stmt: &Stmt, head: &mut LoopHead) {
        match &stmt.kind {
            StmtKind::Label(_) => *head = LoopHead { labelled: true, ..LoopHead::default() },
            StmtKind::Assert(_) | StmtKind::Assume(_) => {}
            StmtKind::Measure(_) => {
                let message = match head {
                    LoopHead { labelled: false, .. } => "a measure outside of a loop head",
                    LoopHead { measured: true, .. } => "a loop can have only one measure",
                    LoopHead { changed: true, .. } => "a measure after a change of the state",
                    _ => return head.measured = true,
                };
                let help = "write it between `while (…)` and the body, or right after the label of a loop";
                self.error(Diagnostic::new(Code::MISPLACED_STATEMENT, stmt.span, message).help(help));
            }
            _ => head.changed = true,
        }
    }

    /// The variable of this name; reports one that cannot be assigned to.
    pub(super) fn assign_to(&mut self, name: Ident) -> Option<VarId> {
        let var = self.lookup(name)?;
        let why = match self.info[var].kind {
            VarKind::Global => {
                self.require_impure(name.span, "cannot assign to global variables");
                if let Some(current) = &mut self.current {
                    current.effects.assigned.push(Assignment { var, span: name.span });
                }
                return Some(var);
            }
            VarKind::Out | VarKind::Local => return Some(var),
            VarKind::Const { .. } => "is a constant",
            VarKind::In => "is a parameter",
            VarKind::Bound => "is bound by a quantifier",
        };
        let message = format!("`{}` {why} and cannot be assigned to", self.text(name.name));
        let help = (self.info[var].kind == VarKind::In)
            .then(|| "copy it into a local variable first, or declare it among the results".to_owned());
        self.error(Diagnostic::new(Code::IMMUTABLE, name.span, message).maybe_help(help));
        Some(var)
    }

    /// Reports variables that the statement assigns to twice.
    pub(super) fn check_distinct(&mut self, names: &[Ident]) {
        if names.len() < 2 {
            return;
        }
        let mut seen: FxHashMap<Sym, Ident> = FxHashMap::default();
        for name in names {
            if let Some(first) = seen.insert(name.name, *name) {
                let message = format!("`{}` is assigned to twice", self.text(name.name));
                self.error(
                    Diagnostic::new(codes::ASSIGNED_TWICE, name.span, message)
                        .with(first.span, "here already"),
                );
                return;
            }
        }
    }

    fn assign(&mut self, targets: &[Lhs], values: ExprList, span: Span) {
        let values = self.ast.exprs.list(values);
        if targets.len() != values.len() {
            let message = format!("{} values are assigned to {} places", values.len(), targets.len());
            return self.report(Code::WRONG_COUNT, span, message);
        }
        self.check_distinct(&targets.iter().map(|t| t.base).collect::<Vec<_>>());
        for (target, value) in targets.iter().zip(values) {
            let target_ty = self.lhs(target);
            let ty = self.expr(*value);
            self.expect_type(Code::TYPE_MISMATCH, self.span(*value), ty, target_ty, "the value assigned");
            self.finish();
            self.check_assumption(target, *value);
        }
    }

    fn lhs(&mut self, lhs: &Lhs) -> Ty {
        let Some(var) = self.assign_to(lhs.base) else { return Ty::ERROR };
        let mut ty = self.info[var].ty;
        let mut span = lhs.base.span;
        for access in &lhs.path {
            match access {
                Access::Index(indices, at) => {
                    let indices = self.ast.exprs.list(*indices);
                    ty = self.element(span, ty, indices, "indexing").unwrap_or(Ty::ERROR);
                    span = span.to(*at);
                }
                Access::Field(field) => {
                    ty = self.field(*field, span, ty);
                    span = span.to(field.span);
                }
            }
        }
        ty
    }

    /// Checks that an assumption variable is only strengthened, and only once: `a := a && e`.
    fn check_assumption(&mut self, target: &Lhs, value: ExprId) {
        let Some(var) = self.var_of[target.base.name.index()] else { return };
        let Some(assigned) = self.assumptions.insert(var, true) else {
            self.assumptions.remove(&var);
            return;
        };
        let strengthens = match self.ast.exprs[value] {
            Expr::Binary(BinaryOp::And, left, _) => self.ast.exprs[left] == Expr::Name(target.base.name),
            _ => false,
        };
        let name = self.text(target.base.name);
        if !strengthens {
            let message = format!("the only assignment to an assumption variable is `{name} := {name} && …`");
            self.report(codes::BAD_ASSUMPTION_VARIABLE, self.span(value), message);
        } else if assigned {
            let message = "an assumption variable can be assigned to only once";
            self.report(codes::BAD_ASSUMPTION_VARIABLE, target.span, message);
        }
    }

    fn unpack(&mut self, unpack: &Unpack) {
        let value = self.expr(unpack.value);
        let vars: Vec<Option<VarId>> = unpack.vars.iter().map(|v| self.assign_to(*v)).collect();
        self.check_distinct(&unpack.vars);
        let Some(function) = self.function(unpack.constructor) else { return };
        let name = self.text(unpack.constructor.name);
        if self.info[function].constructs.is_none() {
            let message = format!("`{name}` is not a constructor of a datatype");
            return self.report(Code::NOT_APPLICABLE, unpack.constructor.span, message);
        }
        let instance = self.instantiate(self.info[function].type_params);
        let result = self.in_instance(self.info[function].result, &instance);
        self.expect_type(Code::TYPE_MISMATCH, self.span(unpack.value), value, result, "the value");
        let params = self.info[function].params.clone();
        if params.len() != vars.len() {
            let span = unpack.constructor.span;
            self.report_count(span, &format!("`{name}`"), "variables", params.len(), vars.len());
        }
        for ((var, name), param) in vars.iter().zip(&unpack.vars).zip(params) {
            let Some(var) = var else { continue };
            let param = self.in_instance(param, &instance);
            let ty = self.info[*var].ty;
            self.expect_type(Code::TYPE_MISMATCH, name.span, ty, param, "the variable");
        }
        self.finish();
    }
}
