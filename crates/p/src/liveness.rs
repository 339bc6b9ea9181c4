//! Hot and cold states of monitors.
//!
//! As in P's own checker, a monitor becomes hot in hot states and cold in cold states; other states do not
//! change it. It is a bug if an infinite execution visits hot states infinitely often and cold states only
//! finitely often, or if an execution terminates in a hot state.

use dally_explore::Failure;

use crate::execute::{Heat, Observer, Runner};
use crate::machine::Machine;
use crate::state::{State, View};

impl Machine {
    /// Returns true if the test has monitors with hot states.
    pub fn has_hot_states(&self) -> bool {
        !self.code.liveness.is_empty()
    }

    fn heat_of(&self, monitor: u32, state: u32) -> Heat {
        let (machine, _) = self.code.monitors[monitor as usize];
        let state = &self.code.machines[machine as usize].states[state as usize];
        Heat { hot: state.hot, cold: state.cold }
    }

    /// The monitors that were hot at any time in a step, and those that were cold, as bit sets.
    pub(crate) fn heat<O: Observer>(&self, before: &View, runner: &Runner<'_, O>) -> (u64, u64) {
        let (mut hot, mut cold) = (0, 0);
        // Searches for lassos report more than 64 monitors as `unsupported`.
        for (bit, monitor) in (0..u64::BITS).zip(&self.code.liveness) {
            let first = self.store.locals.get(before.monitors()[*monitor as usize]).state;
            let first = self.heat_of(*monitor, first);
            let later = runner.effects.heat.iter().filter(|(number, _)| number == monitor);
            for heat in later.map(|(_, heat)| *heat).chain([first]) {
                hot |= u64::from(heat.hot) << bit;
                cold |= u64::from(heat.cold) << bit;
            }
        }
        (hot, cold)
    }

    /// The failure of an execution that terminates in this state with a monitor hot.
    pub(crate) fn hot_at_termination(&self, state: &State) -> Option<Failure> {
        let is_hot = |monitor: &&u32| self.heat_of(**monitor, self.monitor_of(state, **monitor).state).hot;
        let (monitor, state) = self.names(*self.code.liveness.iter().find(is_hot)?, state);
        let message =
            format!("the program terminates with the monitor `{monitor}` in its hot state `{state}`");
        Some(Failure::liveness(message))
    }

    /// The failure of a lasso through this state on whose cycle a monitor is never cold.
    pub(crate) fn stays_hot(&self, property: u32, state: &State) -> Failure {
        let monitor = self.code.liveness[property as usize];
        let hot = self.heat_of(monitor, self.monitor_of(state, monitor).state).hot;
        let (monitor, state) = self.names(monitor, state);
        Failure::liveness(starving(monitor, state, hot))
    }

    fn names(&self, monitor: u32, state: &State) -> (&str, &str) {
        let (machine, _) = self.code.monitors[monitor as usize];
        let machine = &self.code.machines[machine as usize];
        (&machine.name, &machine.states[self.monitor_of(state, monitor).state as usize].name)
    }
}

/// The message for a monitor that is never cold on a cycle through this state of it.
pub(crate) fn starving(monitor: &str, state: &str, hot: bool) -> String {
    if hot {
        format!("the monitor `{monitor}` may stay hot for ever (in its state `{state}`)")
    } else {
        format!(
            "the monitor `{monitor}` may be hot infinitely often and never become cold (from its state `{state}` on)"
        )
    }
}
