//! The loops of quantifiers.

use super::{Flow, Observer, Run};
use crate::code::{Address, Quantifier};
use crate::evaluate::{self as eval, Trouble};
use crate::quantifier::Mentioned;
use crate::value::{DataValue, Value};

/// A value that is being tried for a quantifier which is evaluated for some values only: how to leave it out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// Where the loop begins.
    begin: Address,
    /// How many values there were on the stack, and functions that were being evaluated.
    values: usize,
    applications: usize,
    /// Where the values of the current function begin.
    base: usize,
}

impl<O: Observer> Run<'_, O> {
    /// Pushes the values of a kind that the execution mentions, as a tuple.
    pub(super) fn mentioned(&mut self, kind: u32) {
        let heap = &self.store.heap;
        let mut mentioned = Mentioned::new(self.code, heap, kind);
        mentioned.look(self.globals.iter().copied());
        mentioned.look(self.local.stack.values[self.local.base..].iter().copied());
        // The values of other quantifiers are there as well, in tuples.
        let tuple = |value: &Value| match value {
            Value::Data(id) => heap.data.get(*id).constructor == DataValue::TUPLE,
            _ => false,
        };
        mentioned.look(self.expression.values.iter().copied().filter(|value| !tuple(value)));
        let tuple = mentioned.tuple();
        self.push(tuple);
    }

    /// Begins with the next value; if there is none, nothing has decided.
    pub(super) fn each(&mut self, quantifier: Quantifier, exit: Address) -> Result<Flow, Trouble> {
        let values = &mut self.expression.values;
        let below = values.len().checked_sub(2).ok_or(Trouble::Types)?;
        let (Value::Data(tuple), Value::Int(nth)) = (values[below], values[below + 1]) else {
            return Err(Trouble::Types);
        };
        match self.store.heap.data.get(tuple).fields.get(nth as usize) {
            Some(value) => {
                if !quantifier.exact {
                    self.expression.trials.push(Trial {
                        begin: self.pc,
                        values: below + 2,
                        applications: self.expression.applications.len(),
                        base: self.expression.base,
                    });
                }
                self.push(*value);
                self.pc += 1;
            }
            None => {
                values.truncate(below);
                self.push(Value::Bool(quantifier.forall));
                self.pc = exit;
            }
        }
        Ok(Flow::On)
    }

    /// Goes on with the next value, unless this one has decided.
    pub(super) fn again(&mut self, quantifier: Quantifier, begin: Address) -> Result<Flow, Trouble> {
        let holds = eval::truth(self.pop())?;
        if !quantifier.exact {
            self.expression.trials.pop();
        }
        if holds != quantifier.forall {
            let values = &mut self.expression.values;
            values.truncate(values.len() - 3);
            self.push(Value::Bool(holds));
            self.pc += 1;
            return Ok(Flow::On);
        }
        self.pop();
        Ok(self.next_value(begin))
    }

    /// Leaves out the value that is being tried: what comes out for it depends on what nobody has said. Whether there is one.
    pub(super) fn leave_out(&mut self) -> Option<Flow> {
        let Trial { begin, values, applications, base } = self.expression.trials.pop()?;
        self.expression.values.truncate(values);
        self.expression.applications.truncate(applications);
        self.expression.base = base;
        Some(self.next_value(begin))
    }

    fn next_value(&mut self, begin: Address) -> Flow {
        if let Some(Value::Int(nth)) = self.expression.values.last_mut() {
            *nth += 1;
        }
        self.pc = begin;
        self.burn().unwrap_or(Flow::On)
    }
}
