//! Control: what each kind of machine may do from each of its control points on.
//!
//! For an instruction, a state that is entered, and a state that a machine is in: the sends, the monitors
//! that see its events, whether it creates machines, and whether it handles `null`. Machines that it
//! creates count as parts of it.

use crate::check::info::NULL_EVENT;
use crate::code::{Action, Code, Op};
use crate::reduction::origin::{Emission, Flow, Origins};

/// The operations that a machine may execute from a control point on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// A bit set of [`Control::sends`].
    pub(super) sends: u64,
    /// The monitors that see its events, as a bit set.
    pub(super) monitors: u64,
    pub(super) creates: bool,
    /// It may be in a state that handles `null`.
    pub(super) defaults: bool,
}

impl Reach {
    pub(super) fn or(self, other: Reach) -> Reach {
        Reach {
            sends: self.sends | other.sends,
            monitors: self.monitors | other.monitors,
            creates: self.creates | other.creates,
            defaults: self.defaults | other.defaults,
        }
    }

    fn add(&mut self, other: Reach) -> bool {
        let old = std::mem::replace(self, self.or(other));
        old != *self
    }
}

/// The control points of a kind of machine.
#[derive(Debug)]
pub(super) struct Control {
    /// The sends: their receivers, and the references in their payloads. The first one stands for all sends
    /// of machines that this one creates, the last one possibly for several.
    pub(super) sends: Vec<(Origins, Origins)>,
    /// By address; meaningful for the functions of this kind.
    at: Vec<Reach>,
    /// By state: when it is entered, and after that.
    enter: Vec<Reach>,
    stay: Vec<Reach>,
    /// The immediate operations of each `send` and `announce`, by address.
    emits: Vec<(u32, Reach)>,
    functions: Vec<u32>,
}

/// The position of the last send.
const LAST_SEND: usize = 63;

/// The bit of a monitor.
pub(super) fn monitor_bit(monitor: u32) -> u64 {
    1 << monitor.min(63)
}

impl Control {
    /// The control points of all kinds of machines.
    pub(super) fn of_all(code: &Code) -> Vec<Control> {
        let mut all: Vec<Control> = (0..code.kinds.len()).map(|kind| Control::new(code, kind)).collect();
        loop {
            let mut changed = false;
            for kind in 0..all.len() {
                // A machine that is created begins by entering its first state.
                let machine = |kind: u32| &code.machines[code.kinds[kind as usize].machine as usize];
                let created = code.kinds[kind].links.iter().map(|link| match all.get(*link as usize) {
                    Some(child) => child.enter[machine(*link).start as usize],
                    None => Reach::default(),
                });
                let created: Vec<Reach> = created.collect();
                changed |= all[kind].pass(code, kind, &created);
            }
            if !changed {
                return all;
            }
        }
    }

    fn new(code: &Code, kind: usize) -> Control {
        let machine = code.kinds[kind].machine;
        let flow = Flow::of(code, machine);
        let states = code.machines[machine as usize].states.len();
        let mut sends = vec![(Origins::ALL, Origins::ALL)];
        let mut emissions: Vec<(u32, Emission)> = flow.emissions.iter().map(|(at, e)| (*at, *e)).collect();
        emissions.sort_unstable_by_key(|(address, _)| *address);
        let emits = emissions.into_iter().map(|(address, emission)| {
            let is_send = code.ops[address as usize] == Op::Send;
            let send = if is_send { place_of(&mut sends, emission.to, emission.refs) } else { 0 };
            let monitors = seen_by(code, kind, emission, is_send);
            (address, Reach { sends: u64::from(is_send) << send, monitors, ..Reach::default() })
        });
        Control {
            emits: emits.collect(),
            sends,
            at: vec![Reach::default(); code.ops.len() + 1],
            enter: vec![Reach::default(); states],
            stay: vec![Reach::default(); states],
            functions: flow.functions,
        }
    }

    /// Propagates once. Returns true if something has changed.
    fn pass(&mut self, code: &Code, kind: usize, created: &[Reach]) -> bool {
        let mut changed = false;
        for nth in 0..self.functions.len() {
            let function = &code.functions[self.functions[nth] as usize];
            for address in (function.entry..function.end).rev() {
                let mut reach = match code.ops[address as usize] {
                    Op::Call(callee) => self.function(code, callee),
                    Op::Goto(state) => self.enter[state as usize],
                    Op::New(interface) => {
                        let child = created[interface as usize];
                        Reach { sends: u64::from(child.sends != 0), creates: true, defaults: false, ..child }
                    }
                    Op::Send | Op::Announce => {
                        let place = self.emits.binary_search_by_key(&address, |(at, _)| *at);
                        place.map_or(Reach::default(), |place| self.emits[place].1)
                    }
                    _ => Reach::default(),
                };
                for exit in &code.effect(address).exits {
                    reach = reach.or(self.at[exit.to as usize]);
                }
                changed |= self.at[address as usize].add(reach);
            }
        }
        let states = &code.machines[code.kinds[kind].machine as usize].states;
        for (number, state) in states.iter().enumerate() {
            let function =
                |function: Option<u32>| function.map_or(Reach::default(), |f| self.function(code, f));
            let mut stay = function(state.exit);
            for action in &state.actions {
                stay = stay.or(match *action {
                    Action::Do(handler) => function(Some(handler)),
                    Action::Goto(target, handler) => function(handler).or(self.enter[target as usize]),
                    Action::Unhandled | Action::Defer | Action::Ignore => Reach::default(),
                });
            }
            stay.defaults |= state.actions[NULL_EVENT as usize] != Action::Unhandled;
            let enter = function(state.entry).or(stay);
            changed |= self.stay[number].add(stay) | self.enter[number].add(enter);
        }
        changed
    }

    /// From an instruction on, in its function.
    pub(super) fn at(&self, address: u32) -> Reach {
        self.at[address as usize]
    }

    pub(super) fn function(&self, code: &Code, function: u32) -> Reach {
        self.at[code.functions[function as usize].entry as usize]
    }

    /// From the entry of a state on.
    pub(super) fn enter(&self, state: u32) -> Reach {
        self.enter[state as usize]
    }

    /// In a state, after its entry.
    pub(super) fn stay(&self, state: u32) -> Reach {
        self.stay[state as usize]
    }
}

/// The position of a send in the list; adds it if it is new.
fn place_of(sends: &mut Vec<(Origins, Origins)>, to: Origins, refs: Origins) -> usize {
    if let Some(place) = sends.iter().skip(1).position(|send| *send == (to, refs)) {
        return place + 1;
    }
    if sends.len() <= LAST_SEND {
        sends.push((to, refs));
    } else {
        let last = &mut sends[LAST_SEND];
        *last = (last.0.or(to), last.1.or(refs));
    }
    sends.len() - 1
}

/// The monitors that see an event of a kind of machine.
fn seen_by(code: &Code, kind: usize, emission: Emission, is_send: bool) -> u64 {
    let kind = &code.kinds[kind];
    let bits = |monitors: &Vec<u32>| monitors.iter().fold(0, |bits, monitor| bits | monitor_bit(*monitor));
    match emission.event {
        Some(event) => bits(&kind.monitors[event as usize]),
        None => (0..)
            .zip(&kind.monitors)
            // A send of an event that the machine may not send fails before a monitor sees it.
            .filter(|(event, _)| !is_send || kind.sends.contains(*event))
            .fold(0, |all, (_, monitors)| all | bits(monitors)),
    }
}
