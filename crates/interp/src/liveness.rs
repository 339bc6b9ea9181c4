//! Globals marked `{:hot}`: it is a bug if one stays true for ever, or is true when the program terminates.

use dally_explore::Failure;

use crate::execute::{Observer, Run};
use crate::machine::Machine;
use crate::state::State;
use crate::value::Value;

impl Machine {
    /// Returns true if the program has globals marked `{:hot}`.
    pub fn has_hot_globals(&self) -> bool {
        !self.code.hot.is_empty()
    }

    /// The hot globals that were true at any time in a step, and those that were false, as bit sets. An
    /// arbitrary value counts as true: nothing has fixed it to false.
    pub(crate) fn heat(&self, before: &State, run: &Run<'_, impl Observer>) -> (u64, u64) {
        let (mut hot, mut cold) = (0, 0);
        // Searches for lassos report more than 64 hot globals as `unsupported`.
        for (bit, global) in (0..u64::BITS).zip(&self.code.hot) {
            let ends = [before.globals.get(*global as usize), run.globals[*global as usize]];
            for value in run.earlier_values(*global).chain(ends) {
                hot |= u64::from(value != Value::Bool(false)) << bit;
                cold |= u64::from(value == Value::Bool(false)) << bit;
            }
        }
        (hot, cold)
    }

    /// The failure of an execution that terminates in this state with a hot global true.
    pub(crate) fn hot_at_termination(&self, state: &State) -> Option<Failure> {
        let is_hot = |global: &&u32| state.globals.get(**global as usize) != Value::Bool(false);
        let name = self.hot_name(*self.code.hot.iter().find(is_hot)?);
        Some(Failure::liveness(format!("the program terminates with `{name}` still true")))
    }

    /// The failure of a lasso on whose cycle a hot global stays true.
    pub(crate) fn stays_hot(&self, property: u32) -> Failure {
        let name = self.hot_name(self.code.hot[property as usize]);
        Failure::liveness(format!("`{name}` may stay true for ever"))
    }

    fn hot_name(&self, global: u32) -> &str {
        self.text(self.code.globals[global as usize].name)
    }
}
