//! Globals marked `{:hot}`: to stay true for ever is a bug, and so is to be true when the program ends.

use dally_explore::Failure;

use crate::execute::{Observer, Run};
use crate::machine::Machine;
use crate::state::State;
use crate::value::Value;

impl Machine {
    /// Whether there are globals marked `{:hot}`.
    pub fn has_hot_globals(&self) -> bool {
        !self.code.hot.is_empty()
    }

    /// The hot globals that were true at any time in a step, and those that were false, as bits. What is arbitrary
    /// may be true, as long as nobody looks.
    pub(crate) fn heat(&self, before: &State, run: &Run<'_, impl Observer>) -> (u64, u64) {
        let (mut hot, mut cold) = (0, 0);
        // A search for cycles answers with `unsupported` where there are more.
        for (bit, global) in (0..u64::BITS).zip(&self.code.hot) {
            let ends = [before.globals.get(*global as usize), run.globals[*global as usize]];
            for value in run.earlier_values(*global).chain(ends) {
                hot |= u64::from(value != Value::Bool(false)) << bit;
                cold |= u64::from(value == Value::Bool(false)) << bit;
            }
        }
        (hot, cold)
    }

    /// What is wrong if an execution ends here.
    pub(crate) fn hot_at_the_end(&self, state: &State) -> Option<Failure> {
        let is_hot = |global: &&u32| state.globals.get(**global as usize) != Value::Bool(false);
        let name = self.hot_name(*self.code.hot.iter().find(is_hot)?);
        Some(Failure::liveness(format!("the program ends, and `{name}` is still true")))
    }

    /// What is wrong with a circle in which a hot global stays true.
    pub(crate) fn stays_hot(&self, property: u32) -> Failure {
        let name = self.hot_name(self.code.hot[property as usize]);
        Failure::liveness(format!("`{name}` may stay true for ever"))
    }

    fn hot_name(&self, global: u32) -> &str {
        self.text(self.code.globals[global as usize].name)
    }
}
