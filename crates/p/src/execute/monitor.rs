//! Monitors: they run inside the step of the machine whose event they see.

use dally_step::engine::Pause;

use super::{Counters, End, Heat, Note, Observer, Run, Runner, first};
use crate::check::info::EventId;
use crate::state::Local;
use crate::value::Value;

impl<O: Observer> Runner<'_, O> {
    /// Announces an event to the monitors.
    pub(super) fn announce(&mut self, event: EventId, payload: Value) -> Run<()> {
        let code = self.code;
        for monitor in &code.kinds[self.local.kind as usize].monitors[event as usize] {
            let place = self.effects.monitors.iter().position(|(number, _)| number == monitor);
            if self.skips_monitors {
                if place.is_none() {
                    self.effects.get_mut().monitors.push((*monitor, Local::halted(0)));
                }
                continue;
            }
            let local = match place {
                Some(place) => self.effects.monitors[place].1.clone(),
                None => self.store.unpack(self.monitors[*monitor as usize]),
            };
            let local = self.run_monitor(*monitor, local, |runner| runner.handle(event, payload))?;
            let monitors = &mut self.effects.get_mut().monitors;
            match place {
                Some(place) => monitors[place].1 = local,
                None => monitors.push((*monitor, local)),
            }
        }
        Ok(())
    }

    /// Runs a monitor until it waits for the next event. It replaces the machine meanwhile.
    fn run_monitor(
        &mut self,
        monitor: u32,
        local: Local,
        begin: impl FnOnce(&mut Self) -> Run<()>,
    ) -> Run<Local> {
        let machine = std::mem::replace(&mut self.local, local);
        let (pc, counters) = (self.pc, std::mem::take(&mut self.counters));
        // A monitor makes no choices, so no choice point is set in between.
        let visits = std::mem::take(&mut self.effects.get_mut().visits);
        self.in_monitor = true;
        self.heat = Heat::default();
        self.note(Note::Monitor(Some(monitor)));
        let pause = begin(self).and_then(|()| self.execute_all());
        self.note(Note::Monitor(None));
        let monitor_local = std::mem::replace(&mut self.local, machine);
        self.in_monitor = false;
        match pause {
            // The address stays that of the monitor's instruction.
            Err(pause @ Pause::Ends(End::Fails(_))) => return Err(pause),
            Err(Pause::Ends(End::Stops)) => {}
            // The type checker rejects monitors that halt or choose.
            _ => return Err(Pause::Discarded),
        }
        let heat = std::mem::take(&mut self.heat);
        let effects = self.effects.get_mut();
        effects.visits = visits;
        if heat.hot || heat.cold {
            effects.heat.push((monitor, heat));
        }
        self.pc = pc;
        self.counters = Counters { heat: effects.heat.len(), ..counters };
        Ok(monitor_local)
    }

    /// A monitor before its first event.
    pub(crate) fn first_monitor(&mut self, monitor: u32) -> Run<Local> {
        let (machine, _) = self.code.monitors[monitor as usize];
        let local = first(self.code, machine, machine, Value::Null, true);
        self.run_monitor(monitor, local, |_| Ok(()))
    }
}
