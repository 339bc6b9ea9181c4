//! The states that constraints exclude from a search.

use dally_step::Frame;
use smallvec::smallvec;

use crate::execute::{Run, Start};
use crate::machine::Machine;
use crate::state::{Meta, Stack, State};

impl Machine {
    /// Returns true if some constraint is false. One that cannot be evaluated, because a variable is still
    /// arbitrary, excludes nothing.
    pub(crate) fn violates_constraint(&self, state: &State) -> bool {
        let meta = Meta { task: 0, level: 0, buffer: 0, handle: false };
        let control = self.control_of(state);
        self.code.constraints.iter().any(|address| {
            let stack =
                Stack { frames: smallvec![Frame { function: 0, pc: *address, base: 0 }], ..Stack::default() };
            let globals = state.globals.iter().collect();
            let start = Start { meta, globals, stack: &stack, control };
            Run::new(&self.context(), start, ()).await_holds() == Some(false)
        })
    }
}
