//! Quantifiers, lambdas, `let`, and the rules for triggers.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use rustc_hash::FxHashSet;

use super::{Checker, Ty, VarId, VarKind};
use crate::ast::{BinaryOp, Binder, BinderId, BinderKind, Expr, ExprId, LetId, LetVar, Precedence, Trigger};
use crate::codes;

/// The names that a trigger mentions.
#[derive(Debug, Default)]
pub(super) struct Mentioned {
    pub(super) vars: FxHashSet<VarId>,
    pub(super) exprs: Vec<ExprId>,
}

impl Checker<'_> {
    pub(super) fn binder(&mut self, id: ExprId, binder: BinderId) -> Ty {
        let binder = self.ast.exprs.binder(binder);
        if self.trigger.is_some() {
            self.bad_trigger(id, "quantifiers are");
        }
        self.scoped(|c| {
            let first = c.declare_type_vars(&binder.type_params);
            let types = c.tys(binder.vars.iter().map(|v| v.ty));
            let vars: Vec<VarId> = binder
                .vars
                .iter()
                .zip(&types)
                .map(|(v, ty)| c.declare(v.name, *ty, VarKind::Bound))
                .collect();
            c.info.bound_vars.insert(id, vars.clone());
            for var in &binder.vars {
                c.attr_exprs(&var.attrs);
            }
            c.attr_exprs(&binder.attrs);
            let unmentioned = c.unmentioned_type_vars(binder, first, &types);
            for trigger in &binder.triggers {
                c.check_trigger(trigger, binder, &vars, &unmentioned);
            }
            let body = c.expr(binder.body);
            if binder.kind == BinderKind::Lambda {
                if let Some((name, _)) = unmentioned.first() {
                    let message = format!(
                        "the type variable `{}` does not occur in the lambda's parameters",
                        c.text(*name)
                    );
                    c.report(codes::UNUSED_TYPE_VARIABLE, c.span(id), message);
                }
                let body = c.known(body);
                return c.info.types.close(first, binder.type_params.len() as u32, &types, body);
            }
            c.expect_type(Code::NOT_BOOL, c.span(binder.body), body, Ty::BOOL, "the body of the quantifier");
            Ty::BOOL
        })
    }

    /// The type variables that do not occur in the types of the bound variables, with their numbers.
    fn unmentioned_type_vars(
        &self,
        binder: &Binder,
        first: u32,
        types: &[Ty],
    ) -> Vec<(dally_text::symbol::Sym, u32)> {
        if binder.type_params.is_empty() {
            return Vec::new();
        }
        let mentioned = self.info.types.params_in(types);
        let numbered = binder.type_params.iter().zip(first..).map(|(p, number)| (p.name, number));
        numbered.filter(|(_, number)| !mentioned.contains(number)).collect()
    }

    fn check_trigger(
        &mut self,
        trigger: &Trigger,
        binder: &Binder,
        vars: &[VarId],
        unmentioned: &[(dally_text::symbol::Sym, u32)],
    ) {
        let outer = self.trigger.replace(Mentioned::default());
        for e in self.ast.exprs.list(trigger.exprs) {
            self.expr(*e);
            if let Expr::Name(name) = self.ast.exprs[*e] {
                let message = format!("the variable `{}` alone cannot be a trigger", self.text(name));
                self.report(codes::BAD_TRIGGER, self.span(*e), message);
            }
        }
        let mentioned = std::mem::replace(&mut self.trigger, outer).unwrap_or_default();
        if !trigger.positive {
            return;
        }
        for (var, bound) in vars.iter().zip(&binder.vars) {
            if !mentioned.vars.contains(var) {
                let message =
                    format!("the trigger does not mention the variable `{}`", self.text(bound.name.name));
                let help = "a trigger must mention all variables of its quantifier";
                self.error(Diagnostic::new(codes::BAD_TRIGGER, trigger.span, message).help(help));
            }
        }
        if unmentioned.is_empty() {
            return;
        }
        let types: Vec<Ty> = mentioned.exprs.iter().map(|e| self.info.expr_types[e.index()]).collect();
        let types: Vec<Ty> = types.into_iter().map(|t| self.known(t)).collect();
        let found = self.info.types.params_in(&types);
        for (name, number) in unmentioned {
            if !found.contains(number) {
                let message = format!(
                    "the trigger does not mention the type variable `{}`, and neither do the bound variables",
                    self.text(*name)
                );
                self.report(codes::BAD_TRIGGER, trigger.span, message);
            }
        }
    }

    fn bad_trigger(&mut self, id: ExprId, what: &str) {
        self.report(codes::BAD_TRIGGER, self.span(id), format!("{what} not allowed in triggers"));
    }

    /// Reports a boolean operator in a trigger.
    pub(super) fn no_boolean_trigger(&mut self, id: ExprId, what: &str) {
        if self.trigger.is_some() {
            self.bad_trigger(id, what);
        }
    }

    /// Reports a comparison or boolean operator in a trigger.
    pub(super) fn check_trigger_operator(&mut self, id: ExprId, op: BinaryOp) {
        let what = match (op, op.precedence()) {
            // As in Boogie, a disequality is allowed.
            (BinaryOp::Neq, _) => return,
            (BinaryOp::Eq, _) => "equality is",
            (_, Precedence::Relational) => "comparisons are",
            (_, Precedence::Iff | Precedence::Implies | Precedence::Logical) => "boolean operators are",
            _ => return,
        };
        self.no_boolean_trigger(id, what);
    }

    pub(super) fn binding(&mut self, id: ExprId, binding: LetId) -> Ty {
        let binding = self.ast.exprs.binding(binding);
        let values = self.ast.exprs.list(binding.values);
        if binding.vars.len() != values.len() {
            self.report_count(self.span(id), "this `var`", "values", binding.vars.len(), values.len());
        }
        let types: Vec<Ty> = values.iter().map(|v| self.expr(*v)).collect();
        self.scoped(|c| {
            let mut vars = Vec::new();
            for (i, LetVar { attrs, name }) in binding.vars.iter().enumerate() {
                let ty = types.get(i).copied().unwrap_or(Ty::ERROR);
                vars.push(c.declare(*name, ty, VarKind::Bound));
                c.attr_exprs(attrs);
            }
            c.info.bound_vars.insert(id, vars);
            c.attr_exprs(&binding.attrs);
            c.expr(binding.body)
        })
    }
}
