//! The loops of quantifiers.

use super::{Flow, Observer, Run};
use crate::code::{Address, Quantifier};
use crate::evaluate::{self as eval, Trouble};
use crate::quantifier::Mentioned;
use crate::value::{DataValue, Value};

/// The current instance of a quantifier that is evaluated only for mentioned values, with the state to
/// restore if the instance is skipped.
#[derive(Clone, Copy, Debug, Hash)]
pub(super) struct Trial {
    /// The start of the loop.
    begin: Address,
    /// The numbers of operands and of open function applications.
    values: usize,
    applications: usize,
    /// The index of the first operand of the current function.
    base: usize,
}

impl<O: Observer> Run<'_, O> {
    /// Pushes the values of a kind that the execution mentions, as a tuple.
    pub(super) fn mentioned(&mut self, kind: u32) {
        let heap = &self.store.heap;
        let mut mentioned = Mentioned::new(self.code, heap, kind);
        mentioned.look(self.globals.iter().copied());
        mentioned.look(self.local.stack.values[self.local.base..].iter().copied());
        // The tuples of enclosing quantifiers are on the stack too.
        let tuple = |value: &Value| match value {
            Value::Data(id) => heap.data.get(*id).constructor == DataValue::TUPLE,
            _ => false,
        };
        mentioned.look(self.expression.values.iter().copied().filter(|value| !tuple(value)));
        let tuple = mentioned.tuple();
        self.push(tuple);
    }

    /// Pushes the next instance. If none is left, no instance has decided the quantifier.
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

    /// Continues with the next instance, unless this one has decided the quantifier.
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

    /// Skips the current instance, which depends on a value that the inputs do not define. Returns `None`
    /// if there is no current instance.
    pub(super) fn skip_instance(&mut self) -> Option<Flow> {
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
