//! The values of constants that axioms define.
//!
//! `axiom c == e` gives `c` the value of `e`, if that can be evaluated from literals and other constants.
//! Unique constants of a type without a definition are pairwise distinct.

use dally_bpl::ast::{BinaryOp, DeclKind, Expr, ExprId, UnaryOp};
use dally_bpl::check::{Ref, TyKind, VarId, VarKind};
use dally_bpl::float::Float;

use super::{Compiler, Meaning};
use crate::code::Arith;
use crate::evaluate;
use crate::real::Real;
use crate::value::Value;
use crate::wide;

impl Compiler<'_> {
    pub(super) fn evaluate_constants(&mut self) {
        for (index, var) in self.info.vars.iter().enumerate() {
            if let VarKind::Const { unique: true } = var.kind
                && let TyKind::Con(con, _) = self.info.types.kind(var.ty)
                && !self.info.datatypes.contains_key(con)
                && let Some(id) = self.info.global(var.name).filter(|v| v.index() == index)
            {
                let value = Value::Atom(self.code.atoms.len() as u32);
                self.code.atoms.push(var.name);
                self.code.atom_types.push(Some(var.ty));
                self.meanings.insert(id, Meaning::Const(value));
            }
        }
        let mut equations = self.equations();
        // An axiom may precede those that it depends on.
        loop {
            let before = equations.len();
            equations.retain(|(constant, value)| match self.constant(*value) {
                Some(value) => {
                    self.meanings.entry(*constant).or_insert(Meaning::Const(value));
                    false
                }
                None => true,
            });
            if equations.len() == before {
                return;
            }
        }
    }

    /// The axioms that define a constant.
    fn equations(&self) -> Vec<(VarId, ExprId)> {
        let mut todo: Vec<ExprId> = Vec::new();
        for decl in &self.ast.decls {
            match &decl.kind {
                DeclKind::Axiom(axiom) => todo.push(axiom.expr),
                DeclKind::Const(c) => todo.extend(c.uses.iter().map(|used| used.axiom.expr)),
                _ => {}
            }
        }
        let mut equations = Vec::new();
        while let Some(e) = todo.pop() {
            match self.ast.exprs[e] {
                Expr::Binary(BinaryOp::And, a, b) => todo.extend([a, b]),
                Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => {
                    equations.extend(self.constant_name(a).map(|c| (c, b)));
                    equations.extend(self.constant_name(b).map(|c| (c, a)));
                }
                _ => {}
            }
        }
        equations
    }

    fn constant_name(&self, e: ExprId) -> Option<VarId> {
        match (self.ast.exprs[e], self.info.meaning(e)) {
            (Expr::Name(_), Some(Ref::Var(v))) if matches!(self.info[v].kind, VarKind::Const { .. }) => {
                Some(v)
            }
            _ => None,
        }
    }

    /// The value of a literal, a known constant, or a little arithmetic with these.
    pub(super) fn constant(&self, e: ExprId) -> Option<Value> {
        match self.ast.exprs[e] {
            Expr::Bool(b) => Some(Value::Bool(b)),
            Expr::Int(digits) => Some(self.heap.int(self.text(digits).parse().ok()?)),
            Expr::Real(text) => Some(self.heap.real(Real::literal(self.text(text))?)),
            Expr::Bv(digits, width) if width <= 64 => {
                self.text(digits).parse().ok().map(|n: u64| Value::Bv(crate::bv::wrap(n, width as u8)))
            }
            Expr::Bv(digits, width) if width <= wide::MAX_WIDTH => {
                Some(self.heap.bits(self.text(digits).parse().ok()?, width))
            }
            Expr::Float(text) => Some(self.heap.float(&Float::literal(self.text(text))?)),
            Expr::Rounding(mode) => Some(self.heap.rounding(mode)),
            Expr::Name(_) => match self.meanings.get(&self.constant_name(e)?) {
                Some(Meaning::Const(value)) => Some(*value),
                _ => None,
            },
            Expr::Unary(UnaryOp::Neg, inner) => evaluate::negate(&self.heap, self.part(inner)?).ok(),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    BinaryOp::Add => Arith::Add,
                    BinaryOp::Sub => Arith::Sub,
                    BinaryOp::Mul => Arith::Mul,
                    _ => return None,
                };
                evaluate::arith(&self.heap, op, self.part(a)?, self.part(b)?).ok()
            }
            _ => None,
        }
    }

    fn part(&self, e: ExprId) -> Option<Value> {
        dally_text::stack::grow(|| self.constant(e))
    }
}
