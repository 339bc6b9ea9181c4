//! Axioms, where constants and functions have values from outside: those that can be evaluated must hold.
//!
//! Those are the ones without quantifiers, about values that can be explored, and about nothing but what is given.

use dally_bpl::ast::{DeclKind, Expr, ExprId};
use dally_bpl::check::{Ref, TyKind, VarKind};

use super::{Compiler, Inputs, Meaning};
use crate::wide;

impl Compiler<'_> {
    /// Goes on only if the axioms hold, as far as they can be evaluated.
    pub(super) fn assume_axioms(&mut self) {
        let Some(inputs) = &self.options.inputs else { return };
        let axioms = self.ast.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Axiom(axiom) => Some(axiom.expr),
            _ => None,
        });
        let checked: Vec<ExprId> = axioms.filter(|axiom| self.can_be_checked(inputs, *axiom)).collect();
        for axiom in checked {
            self.assume(axiom);
        }
    }

    fn can_be_checked(&self, inputs: &Inputs, axiom: ExprId) -> bool {
        !self.ast.exprs.any(axiom, &mut |part| {
            let unknown = match self.info.meaning(part) {
                Some(Ref::Function(f)) => {
                    let given = inputs.functions.contains_key(self.text(self.info[f].name));
                    self.info[f].constructs.is_none() && !given
                }
                Some(Ref::Var(v)) => {
                    let value = matches!(self.meanings.get(&v), Some(Meaning::Const(_)));
                    !matches!(self.info[v].kind, VarKind::Const { .. })
                        || !value
                        || !inputs.constants.contains_key(self.text(self.info[v].name))
                }
                _ => false,
            };
            let explicit = match self.info.types.kind(self.info.type_of(part)) {
                TyKind::Bool | TyKind::Int | TyKind::Real | TyKind::Con(..) => true,
                TyKind::Bv(width) => *width <= wide::MAX_WIDTH,
                _ => false,
            };
            unknown || !explicit || matches!(self.ast.exprs[part], Expr::Binder(_) | Expr::Code(_))
        })
    }
}
