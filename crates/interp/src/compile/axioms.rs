//! Axioms, where the inputs give values to constants and functions: the axioms that can be evaluated are
//! assumed.
//!
//! These are the quantifier-free axioms over types that can be explored, in which every function has values
//! in the inputs. A solver that used any symbol of such an axiom has assigned values to all its symbols.
//! Hence an axiom without such a symbol is irrelevant, and a constant without a value in a relevant axiom
//! must not be read.
//!
//! An axiom that is one `forall` is evaluated for the values that the execution mentions
//! ([`crate::quantifier`]), if its functions have values for all of them. It is not checked for other
//! values: the source of the inputs has to establish it.

use dally_bpl::ast::{BinaryOp, BinderKind, DeclKind, Expr, ExprId};
use dally_bpl::check::{Ref, TyKind, VarId, VarKind};
use rustc_hash::FxHashSet;

use super::{Compiler, Inputs, Meaning};
use crate::wide;

/// The limit on the variables of a quantified axiom: more have too many combinations of values.
const MOST_VARIABLES: usize = 2;

impl Compiler<'_> {
    /// Continues only if the axioms hold that can be evaluated.
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
        // Evaluating an axiom for mentioned values only does not make the execution approximate.
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

    /// The axioms that are one `forall` over few variables.
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

    /// Returns true if a quantified axiom can be evaluated for all values of its variables. It cannot if it
    /// contains a partial operation (division, field access), or a function with a body, which may contain
    /// one: the inputs do not define their results for all values.
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
