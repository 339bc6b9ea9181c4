//! The range of a nondeterministic value, from the assumption that follows: `x = nondet(); assume(0 <= x && x < 5);`
//!
//! The values outside of the range would be discarded by the assumption, so that it suffices to choose from the range.
//! Only conjunctions of comparisons of a local variable with constants are understood, and only small ranges are used.

use super::Lowerer;
use super::stmt::root_local;
use super::term::Range;
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind, LocalId, Stmt, StmtKind};

/// Larger ranges are left to the usual choice.
const MOST: i128 = 64;

impl Lowerer<'_> {
    /// The values of a choice in `stmt`, if `next` is an assumption about them.
    pub(super) fn assumed_range(&self, stmt: &Stmt, next: &Stmt) -> Option<Range> {
        let (local, value) = match &stmt.kind {
            StmtKind::Declare(local, Some(init)) => match &init.parts[..] {
                [part] if part.offset == 0 && part.bits.is_none() => (*local, &part.value),
                _ => return None,
            },
            StmtKind::Expr(Expr { kind: ExprKind::Assign(target, value), .. }) => {
                let ExprKind::Local(_) = target.kind else { return None };
                (root_local(target)?, &**value)
            }
            _ => return None,
        };
        if !self.is_choice(value) {
            return None;
        }
        let int = self.program.types.as_int(self.program.types.unqualified(value.ty))?;
        let mut range = Range::of(int);
        self.narrow(self.assumption(next)?, local, &mut range)?;
        (range.low <= range.high && range.high - range.low < MOST).then_some(range)
    }

    /// Returns true for a call of a library function that only chooses a value of its type.
    fn is_choice(&self, e: &Expr) -> bool {
        let ExprKind::Call(callee, args) = &e.kind else { return false };
        let ExprKind::Function(function) = callee.kind else { return false };
        let function = self.function(function);
        let [Stmt { kind: StmtKind::Return(Some(result)), .. }] = function.body.as_deref().unwrap_or(&[])
        else {
            return false;
        };
        function.library && args.is_empty() && matches!(result.kind, ExprKind::Builtin(Builtin::Nondet, _))
    }

    /// The condition of an assumption.
    fn assumption<'e>(&self, stmt: &'e Stmt) -> Option<&'e Expr> {
        let StmtKind::Expr(e) = &stmt.kind else { return None };
        match &e.kind {
            ExprKind::Builtin(Builtin::Assume, args) => args.first(),
            ExprKind::Call(callee, args) => {
                let ExprKind::Function(function) = callee.kind else { return None };
                let function = self.function(function);
                // Programs of SV-COMP define the last one themselves, all in the same way.
                let names = ["__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume"];
                let known = function.library && names.contains(&function.name.as_str())
                    || function.name == "assume_abort_if_not";
                args.first().filter(|_| known)
            }
            _ => None,
        }
    }

    /// Narrows a range by a condition; none if the condition is not understood.
    fn narrow(&self, condition: &Expr, local: LocalId, range: &mut Range) -> Option<()> {
        match &condition.kind {
            ExprKind::And(a, b) => {
                self.narrow(a, local, range)?;
                self.narrow(b, local, range)
            }
            // A truth value is converted to another type, or compared with zero.
            ExprKind::Cast(inner) => self.narrow(inner, local, range),
            ExprKind::Binary(BinaryOp::Ne, a, zero)
                if matches!(zero.kind, ExprKind::Int(0)) && is_truth(a) =>
            {
                self.narrow(a, local, range)
            }
            ExprKind::Conditional(c, Some(one), zero)
                if matches!((&one.kind, &zero.kind), (ExprKind::Int(1), ExprKind::Int(0))) =>
            {
                self.narrow(c, local, range)
            }
            ExprKind::Binary(op, a, b) => match (&a.kind, &b.kind) {
                (_, ExprKind::Int(n)) if self.is_local(a, local) => compare(*op, *n, range),
                (ExprKind::Int(n), _) if self.is_local(b, local) => compare(mirror(*op), *n, range),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true for the value of the variable, perhaps converted to a type that has all of its values.
    fn is_local(&self, e: &Expr, local: LocalId) -> bool {
        let types = &self.program.types;
        match &e.kind {
            ExprKind::Load(lvalue) => matches!(lvalue.kind, ExprKind::Local(id) if id == local),
            ExprKind::Cast(inner) => {
                let range = |ty| types.as_int(types.unqualified(ty)).map(Range::of);
                let keeps =
                    matches!((range(inner.ty), range(e.ty)), (Some(from), Some(to)) if from.within(to));
                keeps && self.is_local(inner, local)
            }
            _ => false,
        }
    }
}

fn is_truth(e: &Expr) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(e.kind, ExprKind::And(..) | ExprKind::Binary(Lt | Le | Gt | Ge | Eq | Ne, ..))
}

/// The operator with its operands exchanged.
fn mirror(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

fn compare(op: BinaryOp, n: i128, range: &mut Range) -> Option<()> {
    match op {
        BinaryOp::Lt => range.high = range.high.min(n - 1),
        BinaryOp::Le => range.high = range.high.min(n),
        BinaryOp::Gt => range.low = range.low.max(n + 1),
        BinaryOp::Ge => range.low = range.low.max(n),
        BinaryOp::Eq => (range.low, range.high) = (range.low.max(n), range.high.min(n)),
        // The assumption itself excludes this value.
        BinaryOp::Ne => {}
        _ => return None,
    }
    Some(())
}
