//! Axioms, where constants and functions have values from outside: those that can be evaluated must hold.
//!
//! Those are the ones without quantifiers, about values that can be explored, and about functions that are given only. If a
//! solver has used anything that such an axiom mentions, it has a value for everything in it: so one that mentions nothing
//! that is given does not matter, and a constant in one that is not given has no value that anybody may read.

use dally_bpl::ast::{DeclKind, Expr, ExprId};
use dally_bpl::check::{Ref, TyKind, VarId, VarKind};
use rustc_hash::FxHashSet;

use super::{Compiler, Inputs, Meaning};
use crate::wide;

impl Compiler<'_> {
    /// Goes on only if the axioms hold, as far as they can be evaluated.
    pub(super) fn assume_axioms(&mut self) {
        let Some(inputs) = &self.options.inputs else { return };
        let checked = self.plain_axioms().into_iter().filter(|axiom| self.can_be_checked(inputs, *axiom));
        for axiom in checked.collect::<Vec<ExprId>>() {
            self.assume(axiom);
        }
    }

    /// The axioms without quantifiers.
    fn plain_axioms(&self) -> Vec<ExprId> {
        let axioms = self.ast.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Axiom(axiom) => Some(axiom.expr),
            _ => None,
        });
        let quantified = |part| matches!(self.ast.exprs[part], Expr::Binder(_));
        axioms.filter(|axiom| !self.ast.exprs.any(*axiom, &mut |part| quantified(part))).collect()
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
