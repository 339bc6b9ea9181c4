//! Bodies of procedures, implementations and code expressions.

use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::frame::Effects;
use super::labels::Enclosing;
use super::{BodyVars, Checker, ProcedureId, Ty, VarId, VarKind};
use crate::ast::{Body, CodeId, ExprId, Signature, VarDecl};

/// The context of the body that is being checked.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// The procedure, unless its name is unknown.
    pub(super) procedure: Option<ProcedureId>,
    pub(super) effects: Effects,
    /// The labels of the body and their spans.
    pub(super) labels: FxHashMap<Sym, Span>,
    /// The enclosing statements.
    pub(super) enclosing: Vec<Enclosing>,
}

impl Checker<'_> {
    /// Declares the parameters and results of an implementation.
    pub(super) fn declare_signature(&mut self, signature: &Signature, ins: &[Ty], outs: &[Ty]) -> BodyVars {
        let ins = self.declare_all(&signature.ins, ins, VarKind::In);
        let outs = self.declare_all(&signature.outs, outs, VarKind::Out);
        BodyVars { ins, outs, locals: Vec::new() }
    }

    pub(super) fn declare_all(&mut self, decls: &[VarDecl], types: &[Ty], kind: VarKind) -> Vec<VarId> {
        decls.iter().zip(types).map(|(d, ty)| self.declare(d.var.name, *ty, kind)).collect()
    }

    /// Checks the attributes and `where` clauses of variables that have been declared.
    pub(super) fn check_vars(&mut self, decls: &[VarDecl], vars: &[VarId]) {
        let mut about_variables = false;
        for (i, (decl, var)) in decls.iter().zip(vars).enumerate() {
            let before = i.checked_sub(1).map(|j| &decls[j]);
            // Variables that are declared together share attributes: check them once.
            if !before.is_some_and(|b| b.attrs.shared_with(&decl.attrs)) {
                self.attrs(&decl.attrs);
                about_variables = self.are_about_variables(&decl.attrs);
            }
            if about_variables {
                self.var_attrs(&decl.attrs, *var, decl.var.where_clause);
            }
            match decl.var.where_clause {
                Some(e) if before.and_then(|b| b.var.where_clause) != Some(e) => {
                    self.condition(e, "the `where` clause");
                }
                _ => {}
            }
        }
    }

    /// Checks a body whose parameters have been declared.
    pub(super) fn body(
        &mut self,
        body: &Body,
        procedure: Option<ProcedureId>,
        mut vars: BodyVars,
        decl: usize,
    ) {
        vars.locals = self.locals(body);
        self.info.bodies.insert(decl, vars);
        let outer = self.current.replace(Current { procedure, ..Current::default() });
        self.collect_labels(&body.block);
        self.block(&body.block);
        if let Some(current) = std::mem::replace(&mut self.current, outer) {
            self.effects.push(Effects { procedure, ..current.effects });
        }
    }

    fn locals(&mut self, body: &Body) -> Vec<VarId> {
        let types = self.tys(body.locals.iter().map(|v| v.var.ty));
        let locals = self.declare_all(&body.locals, &types, VarKind::Local);
        self.check_vars(&body.locals, &locals);
        locals
    }

    /// A code expression: it has its own labels and variables, and its effects count for the procedure.
    pub(super) fn code(&mut self, id: ExprId, code: CodeId) -> Ty {
        let body = self.ast.exprs.code(code);
        // Its statements are inferred separately: set aside the unknowns of the enclosing expression.
        let unknowns = std::mem::take(&mut self.unknowns);
        let pending = (std::mem::take(&mut self.pending_exprs), std::mem::take(&mut self.pending_vars));
        self.scoped(|c| {
            let locals = c.locals(body);
            c.info.bound_vars.insert(id, locals);
            let outer = c.current.take();
            let procedure = outer.as_ref().and_then(|o| o.procedure);
            c.current = Some(Current { procedure, ..Current::default() });
            c.collect_labels(&body.block);
            c.block(&body.block);
            if let Some(inner) = std::mem::replace(&mut c.current, outer) {
                c.effects.push(Effects { procedure, ..inner.effects });
            }
        });
        self.unknowns = unknowns;
        (self.pending_exprs, self.pending_vars) = pending;
        Ty::BOOL
    }
}
