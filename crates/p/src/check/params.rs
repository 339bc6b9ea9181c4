//! Parametric tests: combinations of parameter values.
//!
//! The default is all combinations that satisfy the assumption. With `(n wise)`, it is a subset that covers all
//! combinations of values of each `n` parameters, chosen greedily as P does.

use crate::codes;
use rustc_hash::FxHashSet;

use super::Checker;
use super::info::{AssignedParam, Assignment, Use};
use super::types::Types;
use crate::ast::{Binary, ExprId, ExprKind, Literal, ParamDomain, ParamValue, TestDecl, Unary, Wise};

/// The values of a parameter of a test.
struct Domain {
    param: u32,
    values: Vec<Literal>,
}

/// The maximal number of combinations.
const MOST: usize = 100_000;

impl Checker<'_> {
    /// The combinations of parameter values of a test; none after an error.
    pub(super) fn assignments(&mut self, test: &TestDecl) -> Option<Vec<Assignment>> {
        let mut domains: Vec<Domain> = Vec::new();
        for ParamDomain { name, values } in &test.params {
            let Some(param) = self.globals.params.get(&name.sym).copied() else {
                let known: Vec<_> = self.globals.params.keys().copied().collect();
                self.unknown(codes::BAD_TEST, "parameter", *name, known.iter());
                return None;
            };
            if domains.iter().any(|d| d.param == param) {
                let message = format!("`{}` already has values", self.text(name.sym));
                self.error(codes::BAD_TEST, name.span, message);
                return None;
            }
            let mut domain = Vec::new();
            for ParamValue { value, span } in values {
                let ty = if matches!(value, Literal::Int(_)) { Types::INT } else { Types::BOOL };
                if !self.expect(self.info.params[param as usize].ty, ty, *span) {
                    return None;
                }
                if matches!(value, Literal::Int(_)) && domain.contains(value) {
                    self.error(codes::BAD_TEST, *span, "the values of a parameter must differ");
                    return None;
                }
                domain.push(*value);
            }
            domains.push(Domain { param, values: domain });
        }
        self.check_wise(test, domains.len())?;
        if let Some(assume) = test.assume {
            let ty = self.expr(None, assume);
            if !self.expect(Types::BOOL, ty, self.ast.exprs[assume.index()].span) || ty == Types::ERROR {
                return None;
            }
        }
        let all = self.all_combinations(test, &domains)?;
        match test.wise {
            Some(Wise { n, .. }) if (n as usize) < domains.len() => Some(covering(&all, n as usize)),
            _ => Some(all),
        }
    }

    fn check_wise(&mut self, test: &TestDecl, params: usize) -> Option<()> {
        if let Some(Wise { n, span }) = test.wise
            && (n < 1 || n as usize > params)
        {
            let message = format!("a test with {params} parameters cannot combine {n} of them");
            self.error(codes::BAD_TEST, span, message);
            return None;
        }
        Some(())
    }

    /// All combinations that satisfy the assumption. The first parameter varies fastest.
    fn all_combinations(&mut self, test: &TestDecl, domains: &[Domain]) -> Option<Vec<Assignment>> {
        let size = domains.iter().try_fold(1_usize, |n, d| n.checked_mul(d.values.len()));
        let Some(size) = size.filter(|n| *n <= MOST) else {
            let message = format!("the test has more than {MOST} combinations of parameter values");
            self.error(codes::BAD_TEST, test.name.span, message);
            return None;
        };
        let mut all = Vec::new();
        for mut number in 0..size {
            let mut assignment = Vec::new();
            for Domain { param, values } in domains {
                assignment.push(AssignedParam { param: *param, value: values[number % values.len()] });
                number /= values.len();
            }
            match test.assume.map(|e| self.evaluate(e, &assignment)) {
                None | Some(Some(Literal::Bool(true))) => all.push(assignment),
                Some(Some(_)) => {}
                Some(None) => {
                    let assume = test.assume.unwrap_or(ExprId(0));
                    let message = "this is not a constant expression over parameters";
                    self.error(codes::BAD_TEST, self.ast.exprs[assume.index()].span, message);
                    return None;
                }
            }
        }
        Some(all)
    }

    /// The value of an expression over parameters.
    fn evaluate(&self, expr: ExprId, params: &Assignment) -> Option<Literal> {
        use Literal::{Bool, Int};
        dally_text::stack::grow(|| match &self.ast.exprs[expr.index()].kind {
            ExprKind::Bool(b) => Some(Bool(*b)),
            ExprKind::Int(n) => Some(Int(*n)),
            ExprKind::Name(_) => match self.info.use_of(expr) {
                Use::Param(param) => params.iter().find(|p| p.param == param).map(|p| p.value),
                _ => None,
            },
            ExprKind::Unary(op, operand) => match (op, self.evaluate(*operand, params)?) {
                (Unary::Neg, Int(n)) => n.checked_neg().map(Int),
                (Unary::Not, Bool(b)) => Some(Bool(!b)),
                _ => None,
            },
            ExprKind::Binary(op, left, right) => {
                match (op, self.evaluate(*left, params)?, self.evaluate(*right, params)?) {
                    (Binary::Add, Int(a), Int(b)) => a.checked_add(b).map(Int),
                    (Binary::Sub, Int(a), Int(b)) => a.checked_sub(b).map(Int),
                    (Binary::Mul, Int(a), Int(b)) => a.checked_mul(b).map(Int),
                    (Binary::Div, Int(a), Int(b)) => a.checked_div(b).map(Int),
                    (Binary::Mod, Int(a), Int(b)) => a.checked_rem(b).map(Int),
                    (Binary::Lt, Int(a), Int(b)) => Some(Bool(a < b)),
                    (Binary::Le, Int(a), Int(b)) => Some(Bool(a <= b)),
                    (Binary::Gt, Int(a), Int(b)) => Some(Bool(a > b)),
                    (Binary::Ge, Int(a), Int(b)) => Some(Bool(a >= b)),
                    (Binary::And, Bool(a), Bool(b)) => Some(Bool(a && b)),
                    (Binary::Or, Bool(a), Bool(b)) => Some(Bool(a || b)),
                    (Binary::Implies, Bool(a), Bool(b)) => Some(Bool(!a || b)),
                    (Binary::Iff, Bool(a), Bool(b)) => Some(Bool(a == b)),
                    (Binary::Eq, a, b) => Some(Bool(a == b)),
                    (Binary::Ne, a, b) => Some(Bool(a != b)),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// `T___x_neg1__y_true`.
    pub(super) fn test_name(&self, name: &str, params: &Assignment) -> String {
        let value = |value: &Literal| match value {
            Literal::Int(n) if *n < 0 => format!("neg{}", n.unsigned_abs()),
            Literal::Int(n) => n.to_string(),
            Literal::Bool(b) => b.to_string(),
        };
        let parts = params.iter().map(|assigned| {
            let param = &self.info.params[assigned.param as usize];
            format!("{}_{}", self.text(param.name), value(&assigned.value))
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { name.to_owned() } else { format!("{name}___{}", parts.join("__")) }
    }
}

/// A subset of the assignments that covers all combinations of values of each `n` parameters.
fn covering(all: &[Assignment], n: usize) -> Vec<Assignment> {
    let mut covers: Vec<FxHashSet<Assignment>> = all.iter().map(|a| subsets(a, n)).collect();
    let mut chosen = Vec::new();
    let mut left: Vec<usize> = (0..all.len()).collect();
    // Greedily take the first assignment that covers most.
    while let Some(best) =
        left.iter().copied().rev().max_by_key(|i| covers[*i].len()).filter(|i| !covers[*i].is_empty())
    {
        chosen.push(all[best].clone());
        left.retain(|i| *i != best);
        let covered = std::mem::take(&mut covers[best]);
        for i in &left {
            covers[*i].retain(|s| !covered.contains(s));
        }
    }
    chosen
}

/// The restrictions of an assignment to `n` parameters.
fn subsets(assignment: &Assignment, n: usize) -> FxHashSet<Assignment> {
    let mut found: Vec<Assignment> = vec![Vec::new()];
    for (i, assigned) in assignment.iter().enumerate() {
        let rest = assignment.len() - i;
        let mut next = Vec::new();
        for subset in found {
            if subset.len() < n {
                let mut with = subset.clone();
                with.push(*assigned);
                next.push(with);
            }
            if subset.len() + rest > n {
                next.push(subset);
            }
        }
        found = next;
    }
    found.into_iter().filter(|s| s.len() == n).collect()
}
