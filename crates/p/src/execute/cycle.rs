//! Cycles inside one step: a machine may raise events for ever without reaching a scheduling point.
//!
//! If the cycle contains a choice, its other options are explored anyway, and the cycle is a bug only if a
//! monitor stays hot in it. A cycle without a choice is a failure: the machine never lets others run.

use std::hash::Hasher;

use dally_explore::{Failure, Fingerprint, Fingerprinter};
use dally_step::engine::Pause;

use super::{Choice, Counters, End, Observer, Run, Runner, fail, fails};
use crate::check::info::EventId;
use crate::liveness::starving;
use crate::value::Value;

/// The number of raised events after which a step is checked for cycles.
const MANY_HOPS: u32 = 32;
const FEW_HOPS: u32 = 2;

impl<O: Observer> Runner<'_, O> {
    /// Ends the step if the machine has been in this configuration before, in this step.
    pub(super) fn look_for_cycle(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.counters.hops += 1;
        // A cycle that violates a liveness property is shown in a trace, and should be short.
        let matters = self.counters.chosen > 0 && !self.code.liveness.is_empty();
        if self.counters.hops < if matters { FEW_HOPS } else { MANY_HOPS } {
            return Ok(());
        }
        let here = self.raising(event, payload);
        let counters = self.counters;
        match self.effects.get_mut().visits.visit(here, counters) {
            None => Ok(()),
            Some(seen) if seen.chosen < counters.chosen => Err(self.chosen_cycle(seen)),
            Some(_) => {
                let name = self.name();
                fails(format!("`{name}` repeats a cycle for ever, and never lets other machines run"))
            }
        }
    }

    /// The fingerprint of everything that the rest of the step depends on.
    fn raising(&self, event: EventId, payload: Value) -> Fingerprint {
        // No event is enqueued between two raised events.
        let mut here = self.store.fingerprint(&self.local);
        for (monitor, local) in &self.effects.monitors {
            here = here.with(Fingerprint::of(monitor)).with(self.store.fingerprint(local));
        }
        let mut hash = Fingerprinter::default();
        hash.write_u32(self.pc);
        hash.write_u32(event);
        self.store.heap.write(payload, &mut hash);
        here.with(hash.fingerprint())
    }

    /// The end of a step that has chosen to repeat a cycle. A monitor that is hot in the cycle, and never
    /// cold, stays hot for ever. If the cycle contains fair choices, repeating it for ever may be unfair,
    /// and the execution is discarded.
    pub(super) fn chosen_cycle(&self, from: Counters) -> Pause<Choice, End> {
        let machines = &self.code.machines;
        let state_of = |monitor: u32| {
            let changed = self.effects.monitors.iter().find(|(number, _)| *number == monitor);
            let state = match changed {
                Some((_, local)) => local.state,
                None => self.store.locals.get(self.monitors[monitor as usize]).state,
            };
            let machine = &machines[self.code.monitors[monitor as usize].0 as usize];
            (&machine.name, &machine.states[state as usize])
        };
        let starves = |monitor: &&u32| {
            let cycle = self.effects.heat[from.heat..].iter().filter(|(other, _)| other == *monitor);
            let (hot, cold) = cycle.fold((false, false), |(hot, cold), (_, h)| (hot | h.hot, cold | h.cold));
            !cold && (hot || state_of(**monitor).1.hot)
        };
        let found = self.code.liveness.iter().find(starves).filter(|_| self.counters.fair == from.fair);
        let Some((monitor, state)) = found.map(|monitor| state_of(*monitor)) else {
            return Pause::Discarded;
        };
        let (starving, machine) = (starving(monitor, &state.name, state.hot), self.name());
        let message =
            format!("{starving}: `{machine}` can repeat a cycle here and never let other machines run");
        fail(Failure::liveness(message))
    }
}
