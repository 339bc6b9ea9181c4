//! Executions told in the terms of another language, which is lowered to Boogie.
//!
//! The lowering marks declarations and statements by attributes:
//!
//! - `{:c "name"}` on a variable or procedure: its name in the source. A variable whose name contains `$` and has no
//!   such attribute, or an empty name, is not shown; nor are the statements of procedures whose name begins with `$`. `{:ctype N}`: the type by which its values are written.
//! - `{:shows "p->next", N}` on an assignment: the assigned place in the source, and the type of the value.
//! - `assume {:print "x = %d", e} true`: an output of the program. The arguments are variables or literals.
//! - `assume {:await} {:waits "mutex m", e} …`: the event that the task waits for; `e`, a variable, is one more than
//!   the number of the task that holds it, or 0. `{:waits "mutex m", e, i}` has it at an index of a map.
//! - `assume {:await} {:ends n} …`: the condition becomes true where task number `n` ends, not before. Tasks are numbered in the
//!   order of creation, from 0. `dfw` treats it as a `wait`, and so does its translation if a variable `{:thread_local} {:number}`
//!   has the number of each task. `n` is a variable or a literal.
//!
//! A [`Notation`] knows the types.

use std::fmt;
use std::sync::Arc;

use dally_explore::TaskId;
use dally_step::effect::Address;
use dally_text::symbol::Sym;
use dally_trace::{Explain, TaskNumbers};
use rustc_hash::FxHashMap;

use crate::code::{Operand, VarStorage};
use crate::machine::Machine;
use crate::state::{Stack, State};
use crate::value::Value;

/// Writes values as the source language does.
pub trait Notation: fmt::Debug + Send + Sync {
    /// A number of a type.
    fn number(&self, ty: u32, number: i128) -> String;

    /// An address, as the value of a pointer is written.
    fn address(&self, address: i128) -> String {
        address.to_string()
    }

    /// The text that a program prints. Arguments whose value is arbitrary are none.
    fn print(&self, format: &str, arguments: &[Option<i128>]) -> String;
}

/// The notation of a program, from its attributes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Telling {
    pub(crate) notation: Option<Arc<dyn Notation>>,
    /// At the instruction that assigns: the place and its type.
    pub(crate) shows: FxHashMap<Address, (Sym, u32)>,
    pub(crate) prints: Vec<Print>,
    /// At an `await`: the event, and where the holder is.
    pub(crate) waits: FxHashMap<Address, (Sym, Option<Holder>)>,
}

/// The variable with the task that holds what another waits for, and its index if it is a map.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) variable: Operand,
    pub(crate) index: Option<Operand>,
}

/// An output of the program.
#[derive(Clone, Debug)]
pub(crate) struct Print {
    pub(crate) format: Sym,
    pub(crate) arguments: Vec<Operand>,
}

/// The text of a string in an attribute, which is kept as it was written.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(next @ ('\\' | '"'))) => out.push(next),
            _ => {
                out.push(c);
                continue;
            }
        }
        chars.next();
    }
    out
}

impl Machine {
    /// A value in the notation of its type.
    pub(crate) fn show_typed(&self, value: Value, ty: Option<u32>, tasks: &TaskNumbers) -> String {
        match (&self.code.telling.notation, ty) {
            (Some(notation), Some(ty)) if let Some(number) = self.told_number(value, tasks) => {
                notation.number(ty, number)
            }
            _ => self.show(value, tasks),
        }
    }

    /// The text of an output.
    pub(crate) fn printed(&self, print: u32, values: &[Value], tasks: &TaskNumbers) -> String {
        let format = unescaped(self.text(self.code.telling.prints[print as usize].format));
        let values: Vec<Option<i128>> = values.iter().map(|value| self.told_number(*value, tasks)).collect();
        match &self.code.telling.notation {
            Some(notation) => notation.print(&format, &values),
            None => format,
        }
    }

    /// A number, with objects numbered as in the trace.
    fn told_number(&self, value: Value, tasks: &TaskNumbers) -> Option<i128> {
        match (value, &self.code.heap) {
            (Value::Int(n), Some(layout)) => Some(i128::from(layout.told(n, tasks))),
            _ => self.number(value),
        }
    }

    fn number(&self, value: Value) -> Option<i128> {
        match value {
            Value::Int(n) => Some(i128::from(n)),
            Value::Bool(b) => Some(i128::from(b)),
            Value::Big(id) => self.store.heap.bigs.get(id).to_string().parse().ok(),
            _ => None,
        }
    }

    /// The value of an operand of an attribute, in the current procedure of a task.
    pub(crate) fn told_value(&self, state: &State, stack: &Stack, operand: &Operand) -> Option<Value> {
        let frame = stack.frames.last()?;
        match *operand {
            Operand::VarStorage(VarStorage::Global(global)) => Some(state.globals.get(global as usize)),
            Operand::VarStorage(VarStorage::Local(local)) => {
                stack.values.get((frame.base + local) as usize).copied()
            }
            Operand::Const(constant) => self.code.constants.get(constant as usize).copied(),
            _ => None,
        }
    }

    /// The event for which a task waits at an `await`, and the task that holds it.
    pub(crate) fn awaited(&self, state: &State, stack: &Stack) -> Option<String> {
        let frame = stack.frames.last()?;
        let (event, holder) = self.code.telling.waits.get(&frame.pc)?;
        let event = unescaped(self.text(*event));
        let value = |operand: &Operand| self.told_value(state, stack, operand);
        let holder = holder.as_ref().and_then(|holder| match &holder.index {
            Some(index) => Some(self.store.heap.select(value(&holder.variable)?, value(index)?)),
            None => value(&holder.variable),
        });
        let holder = match holder {
            Some(Value::Int(n @ 1..)) => {
                u32::try_from(n - 1).ok().map(|task| match self.task_name(state, TaskId(task)) {
                    name if name.is_empty() => format!(", which thread {task} held at its end"),
                    name => format!(", which {name} (task {task}) holds"),
                })
            }
            _ => None,
        };
        Some(format!("waits for {event}{}", holder.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn escapes_are_those_of_strings() {
        assert_eq!(unescaped(r#"a\"b\\n\n%d\t"#), "a\"b\\n\n%d\\t");
    }
}
