//! Witnesses: Skolem constants for the quantifiers of the program.
//!
//! If `forall x :: P(x)` does not hold, there is a value for which `P` does not; if `exists x :: P(x)` holds, there is one for
//! which it does. The solver knows that value under a name of its own. To query it, a fresh constant `w` is introduced with
//! `(forall x :: P(x)) || !P(w)`, which excludes nothing.

use dally_bpl::ast::{BinderKind, Expr, ExprId};
use dally_bpl::check::VarId;

use crate::expr::Scope;
use crate::logic::{Found, Logic};
use crate::term::{Node, Term};

/// Deeper quantifiers have no witnesses: each of them is written twice.
const MOST_NESTED: u32 = 3;
/// Quantifiers with more variables have no witnesses.
const MOST: usize = 300;

impl Logic<'_> {
    /// Runs a function during which quantifiers get no witnesses.
    pub(crate) fn without_witnesses<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.witnessing.take();
        let result = f(self);
        self.witnessing = outer;
        result
    }

    /// Skolemises a quantifier, unless it is in an axiom. Returns the term that stands for it: a
    /// [pointwise](crate::pointwise) one is replaced.
    pub(crate) fn quantifier_of_program(
        &mut self,
        e: ExprId,
        quantified: Term,
        scope: &mut Scope<'_>,
    ) -> Found<Term> {
        let Some(depth) = self.witnessing.filter(|d| *d < MOST_NESTED) else { return Ok(quantified) };
        let closed =
            matches!(self.terms.node(quantified), Node::Quantified(..)) && !self.terms.is_open(quantified);
        if !closed || self.witnesses.len() >= MOST {
            return Ok(quantified);
        }
        let term = self.pointwise(quantified).unwrap_or(quantified);
        self.witness(e, term, depth, scope)?;
        Ok(term)
    }

    fn witness(&mut self, e: ExprId, quantified: Term, depth: u32, scope: &mut Scope<'_>) -> Found<()> {
        let program = self.program;
        let Expr::Binder(id) = program.ast.exprs[e] else { return Ok(()) };
        let binder = program.ast.exprs.binder(id);
        let vars: Vec<VarId> = program.info.bound_vars(e).to_vec();
        for var in vars {
            let value = self.arbitrary(var)?;
            scope.bind([(var, value)]);
            self.witnesses.push((var, value));
        }
        self.witnessing = Some(depth + 1);
        let body = self.expr(binder.body, scope);
        self.witnessing = Some(depth);
        let body = body?;
        let fact = match binder.kind {
            BinderKind::Forall => {
                let fails = self.terms.not(body);
                self.terms.or(quantified, fails)
            }
            BinderKind::Exists => {
                let fails = self.terms.not(quantified);
                self.terms.or(fails, body)
            }
            BinderKind::Lambda => return Ok(()),
        };
        self.axioms.push(fact);
        Ok(())
    }
}
