//! The future of an interned machine: its control points, with the references that it holds.

use smallvec::SmallVec;

use crate::code::{Code, Op};
use crate::reduction::origin::Origins;
use crate::reduction::reach::{Control, Reach};
use crate::reduction::{Rule, Rules};
use crate::state::{Local, Mode, Then, spilled};
use crate::value::{Data, Heap, Value};

/// A set of machines: those with lower numbers than [`MOST_MACHINES`].
pub(super) type Machines = u128;

/// States with more machines are not reduced, except for steps that no other machine can observe.
pub(super) const MOST_MACHINES: u32 = Machines::BITS;

/// References: to known machines, to the machine itself, and those that it will receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refs {
    pub(super) known: Machines,
    pub(super) own: bool,
    pub(super) received: bool,
}

impl Refs {
    /// The references, for the machine of this number that has received these.
    pub(super) fn resolve(self, machine: u32, received: Machines) -> Machines {
        self.known | u128::from(self.own) << machine | if self.received { received } else { 0 }
    }

    fn or(self, other: Refs) -> Refs {
        Refs {
            known: self.known | other.known,
            own: self.own | other.own,
            received: self.received | other.received,
        }
    }
}

/// A send: its possible receivers, and the references in its payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Send {
    pub(super) to: Refs,
    pub(super) refs: Refs,
}

/// The beginning of the next step, as far as other machines observe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// They do not, unless through a monitor.
    Local,
    /// It sends an event to this machine.
    Sends(u32),
    Creates,
}

/// The future footprint of a machine.
#[derive(Debug)]
pub(crate) struct Future {
    pub(super) next: Next,
    pub(super) reach: Reach,
    pub(super) sends: SmallVec<[Send; 2]>,
}

impl Future {
    pub(super) fn of(code: &Code, heap: &Heap, controls: &[Control], local: &Local, rules: Rules) -> Future {
        let control = &controls[local.kind as usize];
        let mut reach = reach(code, control, local);
        if !rules.keeps(Rule::Children) {
            reach.sends &= !1;
        }
        let next = next(code, local);
        let machine = code.kinds[local.kind as usize].machine;
        let fields = code.machines[machine as usize].fields.len().min(local.values.len());
        let (fields, mut rest) = local.values.split_at(fields);
        let mut sends: SmallVec<[Send; 2]> = SmallVec::new();
        if let (Next::Sends(_), [before @ .., target, _, payload]) = (next, rest) {
            let exactly = |value: Value| Refs { known: refs(heap, value), ..Refs::default() };
            sends.push(Send { to: exactly(*target), refs: exactly(*payload) });
            rest = before;
        }
        let held = Held {
            fields: fields.iter().map(|value| refs(heap, *value)).collect(),
            frame: if rules.keeps(Rule::Frames) {
                rest.iter().fold(refs(heap, local.payload), |all, value| all | refs(heap, *value))
            } else {
                0
            },
            creates: reach.creates,
        };
        for (nth, (to, refs)) in control.sends.iter().enumerate() {
            if reach.sends & 1 << nth != 0 {
                let send = Send { to: held.resolve(*to), refs: held.resolve(*refs) };
                // Sends to the same receivers are one.
                match sends.iter_mut().find(|other| other.to == send.to) {
                    Some(other) => other.refs = other.refs.or(send.refs),
                    None => sends.push(send),
                }
            }
        }
        Future { next, reach, sends }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + spilled(&self.sends)
    }
}

/// The references that a machine holds, by origin.
struct Held {
    fields: SmallVec<[Machines; 8]>,
    frame: Machines,
    creates: bool,
}

impl Held {
    fn resolve(&self, origins: Origins) -> Refs {
        let frame = if origins.meets(Origins::FRAME) { self.frame } else { 0 };
        let fields = self.fields.iter().enumerate();
        let fields = fields.filter(|(field, _)| origins.meets(Origins::field(*field)));
        // New machines count as parts of the machine that creates them.
        let own = origins.meets(Origins::OWN) || self.creates && origins.meets(Origins::NEW);
        Refs {
            known: fields.fold(frame, |all, (_, refs)| all | refs),
            own,
            received: origins.meets(Origins::RECEIVED),
        }
    }
}

fn reach(code: &Code, control: &Control, local: &Local) -> Reach {
    if local.mode == Mode::Halted {
        return Reach::default();
    }
    let mut reach = control.stay(local.state);
    let top = local.frames.len().saturating_sub(1);
    for (nth, frame) in local.frames.iter().enumerate() {
        // A `receive` resumes in one of its cases.
        let in_receive = nth == top && matches!(local.mode, Mode::Receiving(_));
        reach = reach.or(control.at(frame.pc - u32::from(in_receive)));
    }
    reach.or(match local.then {
        Then::Rest | Then::Unhandled => Reach::default(),
        Then::Enter(target) | Then::Leave(target, None) => control.enter(target),
        Then::Leave(target, Some(function)) => control.enter(target).or(control.function(code, function)),
    })
}

fn next(code: &Code, local: &Local) -> Next {
    let running = local.frames.last().filter(|_| local.mode == Mode::Running);
    match running.map(|frame| code.ops[frame.pc as usize]) {
        Some(Op::Enqueue) => match local.values[..] {
            [.., Value::Machine { id, .. }, _, _] => Next::Sends(id),
            _ => Next::Local,
        },
        Some(Op::New(_)) => Next::Creates,
        _ => Next::Local,
    }
}

/// The limit on the parts of a value that are examined. A larger value may refer to every machine.
const MOST_PARTS: u32 = 4096;

/// The machines that a value refers to.
pub(super) fn refs(heap: &Heap, value: Value) -> Machines {
    match value {
        Value::Machine { id, .. } => 1_u128.checked_shl(id).unwrap_or(0),
        Value::Data(_) => {
            let (mut found, mut left) = (0, MOST_PARTS);
            let mut open = vec![value];
            while let Some(part) = open.pop() {
                match part {
                    Value::Machine { .. } => found |= refs(heap, part),
                    Value::Data(id) => match heap.data(id) {
                        Data::Tuple(_, fields) => open.extend_from_slice(fields),
                        Data::Seq(values) | Data::Set(values) => open.extend(values.iter()),
                        Data::Map(entries) => open.extend(entries.iter().flat_map(|e| [e.key, e.value])),
                    },
                    _ => {}
                }
                left = left.saturating_sub(1);
                if left == 0 || open.len() > MOST_PARTS as usize {
                    return Machines::MAX;
                }
            }
            found
        }
        _ => 0,
    }
}
