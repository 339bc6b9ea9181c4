//! The arguments of `...`: a call stores them one after the other in an object, each in a multiple of 8 bytes, and passes its
//! address. It exists until the call returns. `lib/variadic.c` reads it.

use dally_bpl::ast::VarDecl;

use super::Lowerer;
use super::memory::STACK;
use super::places::{Place, Value};
use super::term::{self, T};
use crate::hir::FunctionId;
use crate::types::TypeId;

impl Lowerer<'_> {
    /// Returns true if a function reads arguments that have no parameter.
    pub(super) fn reads_extra_arguments(&self, function: FunctionId) -> bool {
        self.facts.variadic.contains(&function)
    }

    /// The parameter for the address of the arguments.
    pub(super) fn extra_parameter(&mut self, function: FunctionId) -> Option<VarDecl> {
        if !self.reads_extra_arguments(function) {
            return None;
        }
        let area = self.fresh("$arguments");
        self.proc.frames.last_mut().into_iter().for_each(|f| f.extra = Some(term::var(area)));
        let hidden = self.attr_text("c", "");
        Some(self.var_decl(area, false, [hidden].into_iter().collect()))
    }

    /// The address of the arguments of the function that is lowered.
    pub(super) fn extra_address(&mut self) -> Value {
        let address = self.proc.frames.last().and_then(|f| f.extra.clone());
        let range = term::Range { low: 0, high: i128::from(u64::MAX) };
        Value::Int(address.unwrap_or_else(|| term::int(0)), range)
    }

    /// Stores arguments in a new object; returns its address, or 0 if there are none.
    pub(super) fn store_extra(&mut self, arguments: &[(Value, TypeId)]) -> T {
        let size = |ty: TypeId| i128::from(self.program.types.size(ty).unwrap_or(8).max(1));
        let slots: Vec<i128> = arguments.iter().map(|(_, ty)| (size(*ty) + 7) / 8 * 8).collect();
        if slots.is_empty() {
            return term::int(0);
        }
        let values: Vec<(Value, TypeId)> =
            arguments.iter().map(|(value, ty)| (self.stable_value(value.clone()), *ty)).collect();
        let area = self.temporary(false);
        let total = term::int(slots.iter().sum());
        self.call(vec![Some(area)], "$allocate", &[total, term::int(STACK)]);
        // Traces show the call, and not this.
        let lvalue = self.proc.lvalue.take();
        let mut offset = 0;
        for ((value, ty), slot) in values.into_iter().zip(slots) {
            let address = term::add(term::var(area), term::int(offset));
            offset += slot;
            match value {
                Value::Record(from) => self.copy_record(&Place::memory(address, ty), &from),
                value => {
                    self.proc.atomic += 1;
                    let value = self.int(value);
                    self.store_memory(&address, ty, &value);
                    self.proc.atomic -= 1;
                }
            }
        }
        self.proc.lvalue = lvalue;
        term::var(area)
    }

    /// The arguments of a call no longer exist.
    pub(super) fn release_extra(&mut self, area: &T) {
        if area.as_int().is_none() {
            self.call(Vec::new(), "$release", std::slice::from_ref(area));
        }
    }

    /// The arguments that a call by the runtime passes, one for each parameter.
    pub(super) fn padded(&self, function: FunctionId, args: &[T]) -> Vec<T> {
        let mut args = args.to_vec();
        args.resize(self.function(function).params.len(), term::int(0));
        args.extend(self.reads_extra_arguments(function).then(|| term::int(0)));
        args
    }
}
