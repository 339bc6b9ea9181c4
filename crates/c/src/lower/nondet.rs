//! Nondeterministic values: chosen from a finite set.

use super::Lowerer;
use super::places::Value;
use super::term::{self, Range, T};
use crate::types::{Type, TypeId};

/// At most this many values are tried by default.
const MOST: usize = 16;

impl Lowerer<'_> {
    /// An arbitrary value of a type.
    pub(super) fn nondet(&mut self, ty: TypeId, what: &str) -> Value {
        let types = &self.program.types;
        let unqualified = types.unqualified(ty);
        match types.get(unqualified) {
            Type::Void => return Value::Void,
            Type::Float(_) => {
                self.unsupported("floating-point numbers");
                return Value::constant(0);
            }
            Type::Pointer(_) => {
                self.caveat_nondet(&format!("pointers of {what} were null"), true);
                return Value::constant(0);
            }
            Type::Bool if self.options.symbolic => {
                let bit = Range { low: 0, high: 1 };
                return self.any_of(bit, bit);
            }
            Type::Bool => {
                let result = self.temporary(false);
                self.pick(result, 0, 1);
                return Value::Int(term::var(result), Range { low: 0, high: 1 });
            }
            _ => {}
        }
        let Some(int) = types.as_int(unqualified) else {
            self.unsupported("a nondeterministic struct");
            return Value::Void;
        };
        let all = Range::of(int);
        if self.options.symbolic {
            let wanted = self.options.nondet.map_or(all, |(low, high)| Range {
                low: i128::from(low).max(all.low),
                high: i128::from(high).min(all.high),
            });
            return self.any_of(wanted, all);
        }
        if let Some(range) = self.assumed.take() {
            return self.pick_range(range);
        }
        if let Some((low, high)) = self.options.nondet {
            let range = Range { low: i128::from(low).max(all.low), high: i128::from(high).min(all.high) };
            self.caveat_nondet(&format!("{what} were chosen from {low} to {high}"), range != all);
            return self.pick_range(range);
        }
        if int.bits == 8 && self.facts.constants.len() > MOST {
            self.caveat_nondet(&format!("{what} were chosen from {{0, 1}}"), true);
            return self.pick_range(Range { low: 0, high: 1 });
        }
        let values = self.candidates(all);
        let shown: Vec<String> = values.iter().map(i128::to_string).collect();
        self.caveat_nondet(&format!("{what} were chosen from {{{}}}", shown.join(", ")), true);
        let result = self.temporary(false);
        self.pick(result, 0, values.len() as i128 - 1);
        let chosen = term::var(result);
        let value = chain(&chosen, &values);
        self.set(result, &value);
        Value::Int(term::var(result), all)
    }

    /// Any value of a range.
    fn any_of(&mut self, Range { low, high }: Range, all: Range) -> Value {
        let result = self.temporary(false);
        self.havoc(result);
        let value = term::var(result);
        let above = term::binary(dally_bpl::ast::BinaryOp::Le, term::int(low), value.clone());
        let below = term::binary(dally_bpl::ast::BinaryOp::Le, value.clone(), term::int(high));
        self.assume(&term::and(above, below));
        Value::Int(value, all)
    }

    fn pick_range(&mut self, range: Range) -> Value {
        let result = self.temporary(false);
        self.pick(result, range.low.min(range.high), range.high);
        Value::Int(term::var(result), range)
    }

    /// 0, 1, 2, -1, and the constants with which the program compares, with their neighbours.
    fn candidates(&self, all: Range) -> Vec<i128> {
        let mut values: Vec<i128> = Vec::new();
        let near = self.facts.constants.iter().flat_map(|c| [*c, c - 1, c + 1]);
        for value in [0, 1, 2, -1].into_iter().chain(near) {
            if Range::exactly(value).within(all) && !values.contains(&value) && values.len() < MOST {
                values.push(value);
            }
        }
        values
    }
}

/// The n-th of some values.
fn chain(n: &T, values: &[i128]) -> T {
    let Some((last, first)) = values.split_last() else { return term::int(0) };
    let mut result = term::int(*last);
    for (index, value) in first.iter().enumerate().rev() {
        result = term::ite(term::eq(n.clone(), term::int(index as i128)), term::int(*value), result);
    }
    result
}
