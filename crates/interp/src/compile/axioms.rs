//! Axioms, where constants and functions have inputs: those that can be evaluated must hold.
//!
//! These are the axioms without quantifiers over explored values and given functions. If a solver has used a symbol of such an
//! axiom, it has values for all of its symbols: so an axiom without given symbols does not matter, and reading a constant of one
//! that is not given is an error.
//!
//! An axiom that is one `forall` is evaluated for the values that the execution mentions ([`crate::quantifier`]), where the
//! functions that it applies are given. That it holds for all others is up to the solver.

use dally_bpl::ast::{BinaryOp, BinderKind, DeclKind, Expr, ExprId};
use dally_bpl::check::{Ref, TyKind, VarId, VarKind};
use rustc_hash::FxHashSet;

use super::{Compiler, Inputs, Meaning};
use crate::wide;

/// The most variables of a quantified axiom that is evaluated: more have too many combinations of values.
const MOST_VARIABLES: usize = 2;

impl Compiler<'_> {
    /// Assumes the axioms that can be evaluated.
    pub(super) fn assume_axioms(&mut self) {
        let Some(inputs) = &self.options.inputs else { return };
        let checked = self.plain_axioms().into_iter().filter(|axiom| self.can_be_checked(inputs, *axiom));
        for axiom in checked.collect::<Vec<ExprId>>() {
            self.assume(axiom);
        }
        let partly = self.code.partly;
        self.in_axiom = true;
        for axiom in self.universal_axioms() {
            if self.can_be_tried(inputs, axiom) {
                self.assume(axiom);
                self.code.tries_axioms = true;
            }
        }
        self.in_axiom = false;
        // Their evaluation does not change the execution.
        self.code.partly = partly;
    }

    fn axioms(&self) -> impl Iterator<Item = ExprId> {
        self.ast.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Axiom(axiom) => Some(axiom.expr),
            _ => None,
        })
    }

    fn has_binder(&self, e: ExprId) -> bool {
        self.ast.exprs.any(e, &mut |part| matches!(self.ast.exprs[part], Expr::Binder(_)))
    }

    /// The axioms without quantifiers.
    fn plain_axioms(&self) -> Vec<ExprId> {
        self.axioms().filter(|axiom| !self.has_binder(*axiom)).collect()
    }

    /// The axioms that are one `forall`, about few variables.
    fn universal_axioms(&self) -> Vec<ExprId> {
        let universal = |axiom: &ExprId| match self.ast.exprs[*axiom] {
            Expr::Binder(id) => {
                let binder = self.ast.exprs.binder(id);
                binder.kind == BinderKind::Forall
                    && binder.type_params.is_empty()
                    && self.info.bound_vars(*axiom).len() <= MOST_VARIABLES
                    && !self.has_binder(binder.body)
            }
            _ => false,
        };
        self.axioms().filter(universal).collect()
    }

    /// True if a quantified axiom can be evaluated for all values of its variables: it divides by no variable, and selects no field, since
    /// inputs give such values at single points only.
    fn can_be_tried(&mut self, inputs: &Inputs, axiom: ExprId) -> bool {
        let Expr::Binder(id) = self.ast.exprs[axiom] else { return false };
        let body = self.ast.exprs.binder(id).body;
        let vars = self.info.bound_vars(axiom);
        let partial = self.ast.exprs.any(body, &mut |part| match self.ast.exprs[part] {
            Expr::Field(..) | Expr::FieldUpdate(..) => true,
            Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Mod | BinaryOp::RealDiv),
            _ => match self.info.meaning(part) {
                Some(Ref::Function(f)) => self.has_body(f),
                _ => false,
            },
        });
        !partial
            && self.can_be_checked(inputs, body)
            && vars.iter().all(|var| self.values_for(self.info[*var].ty).is_some())
    }

    /// The constants that axioms without quantifiers mention.
    pub(super) fn constrained(&self) -> FxHashSet<VarId> {
        let mut found = FxHashSet::default();
        for axiom in self.plain_axioms() {
            self.ast.exprs.any(axiom, &mut |part| {
                found.extend(match self.info.meaning(part) {
                    Some(Ref::Var(v)) if matches!(self.info[v].kind, VarKind::Const { .. }) => Some(v),
                    _ => None,
                });
                false
            });
        }
        found
    }

    fn can_be_checked(&self, inputs: &Inputs, axiom: ExprId) -> bool {
        let mut mentions_given = false;
        let open = self.ast.exprs.any(axiom, &mut |part| {
            let unknown = match self.info.meaning(part) {
                Some(Ref::Function(f)) => {
                    let given = inputs.functions.contains_key(self.text(self.info[f].name));
                    mentions_given |= given;
                    self.info[f].constructs.is_none() && !given
                }
                Some(Ref::Var(v)) if self.info[v].kind == VarKind::Bound => false,
                Some(Ref::Var(v)) => {
                    mentions_given |= inputs.constants.contains_key(self.text(self.info[v].name));
                    !matches!(self.meanings.get(&v), Some(Meaning::Const(_)))
                }
                _ => false,
            };
            let explicit = match self.info.types.kind(self.info.type_of(part)) {
                TyKind::Bool | TyKind::Int | TyKind::Real | TyKind::Con(..) => true,
                TyKind::Bv(width) => *width <= wide::MAX_WIDTH,
                _ => false,
            };
            unknown || !explicit || matches!(self.ast.exprs[part], Expr::Code(_))
        });
        mentions_given && !open
    }
}
