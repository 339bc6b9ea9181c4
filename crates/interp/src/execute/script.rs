//! Execution of scripts.

use super::{Flow, Observer, Run};
use crate::code::VarStorage;
use crate::script::{Act, Scripts};
use crate::value::Value;

impl<O: Observer> Run<'_, O> {
    /// The next decision in the task's script. Advances the position.
    fn next_act(&mut self) -> Option<&Act> {
        let scripts = self.code.scripts.as_deref()?;
        let place = VarStorage::ThreadLocal(scripts.position);
        let (act, position) = scripts.next(self.variable(place))?;
        self.assign(place, position);
        Some(act)
    }

    /// Jumps to the target that the script selects.
    pub(super) fn follow_to(&mut self, place: u32, list: u32) -> Flow {
        if let Some(flow) = self.burn() {
            return flow;
        }
        let option = match self.next_act() {
            Some(Act::Choose(at, option)) if *at == place => *option,
            _ => return self.discard(),
        };
        let Some(target) = self.code.targets[list as usize].get(option as usize) else {
            return self.discard();
        };
        self.pc = target.to;
        Flow::On
    }

    /// Assigns the values that the script gives.
    pub(super) fn follow_values(&mut self, place: u32) -> Flow {
        let values = match self.next_act() {
            Some(Act::Set(at, values)) if *at == place => values.clone(),
            _ => return self.discard(),
        };
        for (place, value) in values {
            if !self.domain(place).may_hold(value) {
                return self.discard();
            }
            self.assign(place, value);
        }
        self.pc += 1;
        Flow::On
    }

    /// The position at which a posted task starts in its script. `None` if the script posts no task here.
    pub(super) fn posted_script(&mut self) -> Option<Value> {
        match self.next_act() {
            Some(Act::Post(script)) => Some(Scripts::beginning(*script)),
            _ => None,
        }
    }
}
