//! The values that a variable may have.

use dally_bpl::ast::{AttrArg, Attrs};
use dally_bpl::check::{ConstructorInfo, Ty, TyKind, VarId};

use super::Compiler;
use crate::code::{Domain, Variable};
use crate::value::Value;

/// The limit on the size of an enumerated domain.
const MOST: usize = 1 << 16;

impl Compiler<'_> {
    pub(super) fn variable(&mut self, var: VarId, attrs: &Attrs) -> Variable {
        let info = &self.info[var];
        let domain = match self.range(attrs) {
            Some((low, high)) => match self.info.types.kind(info.ty) {
                TyKind::Bv(_) => Domain::Bvs(low as u64, high as u64),
                _ => Domain::Ints(low, high),
            },
            None => match self.domain(info.ty) {
                natural @ (Domain::Unbounded | Domain::Map) => self.domain_of_inputs(var).unwrap_or(natural),
                natural => natural,
            },
        };
        let is_number = matches!(self.info.types.kind(info.ty), TyKind::Int | TyKind::Bv(_));
        let (told, ty) = self.told(info.name, attrs);
        let name = told.unwrap_or(info.name);
        Variable { name, ty, domain, is_number, hidden: told.is_none(), given: None }
    }

    /// `{:range low, high}`
    pub(super) fn range(&self, attrs: &Attrs) -> Option<(i64, i64)> {
        match self.ast.attr(attrs, "range")?.args[..] {
            [AttrArg::Expr(low), AttrArg::Expr(high)] => {
                Some((self.ast.int_literal(low)?, self.ast.int_literal(high)?))
            }
            _ => None,
        }
    }

    pub(super) fn domain(&mut self, ty: Ty) -> Domain {
        match self.info.types.kind(ty) {
            TyKind::Bool => Domain::Values(vec![Value::Bool(false), Value::Bool(true)]),
            TyKind::Bv(width) if *width <= 16 => Domain::Bvs(0, (1 << width) - 1),
            TyKind::Map(..) => Domain::Map,
            TyKind::Con(..) => match self.enumerate(ty, 0) {
                Some(values) => Domain::Values(values),
                None => Domain::Unbounded,
            },
            _ => Domain::Unbounded,
        }
    }

    /// All values of a datatype whose fields are of finite types.
    fn enumerate(&mut self, ty: Ty, depth: u32) -> Option<Vec<Value>> {
        let con = match self.info.types.kind(ty) {
            TyKind::Con(con, _) if depth < 8 => con,
            TyKind::Bool | TyKind::Bv(0..=8) => {
                return match self.domain(ty) {
                    Domain::Values(values) => Some(values),
                    Domain::Bvs(low, high) => Some((low..=high).map(Value::Bv).collect()),
                    _ => None,
                };
            }
            _ => return None,
        };
        let mut all = Vec::new();
        for ConstructorInfo { function: constructor, .. } in
            self.info.datatypes.get(con)?.constructors.clone()
        {
            let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
            for field in self.info[constructor].params.clone() {
                let values = self.enumerate(field, depth + 1)?;
                if tuples.len() * values.len() > MOST {
                    return None;
                }
                tuples = tuples
                    .iter()
                    .flat_map(|t| values.iter().map(move |v| t.iter().copied().chain([*v]).collect()))
                    .collect();
            }
            let number = self.constructor(constructor);
            all.extend(tuples.iter().map(|fields| self.heap.construct(number, fields)));
        }
        (all.len() <= MOST).then_some(all)
    }
}
