//! Origins of references: where a machine may take the receiver and the payload of its next sends from.
//!
//! A flow-insensitive analysis of the variables of one kind of machine, with a flow-sensitive operand
//! stack. A variable holds its value in the current state and everything that is assigned to it anywhere.
//! So the receivers of a send are, in a state, the references in some fields, in the running functions, in
//! received events, and the machine itself.

use rustc_hash::FxHashMap;

use crate::check::info::EventId;
use crate::code::{Action, Code, Op, Shape};
use crate::value::Value;

/// A set of origins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Origins(u64);

impl Origins {
    pub(super) const NONE: Self = Origins(0);
    /// `this`.
    pub(super) const OWN: Self = Origins(1);
    /// A machine that it creates.
    pub(super) const NEW: Self = Origins(1 << 1);
    /// The payload of an event that it dequeues.
    pub(super) const RECEIVED: Self = Origins(1 << 2);
    /// A variable or operand of a running function, or the payload of a state transition.
    pub(super) const FRAME: Self = Origins(1 << 3);
    pub(super) const ALL: Self = Origins(u64::MAX);
    const FIRST_FIELD: u32 = 4;

    /// A field. The last bit stands for all fields that have no bit of their own.
    pub(super) fn field(field: usize) -> Self {
        Origins(1 << (Self::FIRST_FIELD as usize + field).min(63))
    }

    pub(super) fn or(self, other: Self) -> Self {
        Origins(self.0 | other.0)
    }

    /// Returns true if the sets have a common origin.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Self) -> bool {
        let old = std::mem::replace(self, self.or(other));
        old != *self
    }
}

/// A `send` or an `announce`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Emission {
    /// The receivers.
    pub(super) to: Origins,
    /// The references in the payload.
    pub(super) refs: Origins,
    /// The event, if it is a constant.
    pub(super) event: Option<EventId>,
}

/// An operand: its origins, and the event if it is a constant one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Operand {
    origins: Origins,
    event: Option<EventId>,
}

impl Operand {
    fn join(&mut self, other: Operand) -> bool {
        let old = *self;
        self.origins.add(other.origins);
        if self.event != other.event {
            self.event = None;
        }
        old != *self
    }
}

/// The flow of references in a kind of machine.
pub(super) struct Flow<'c> {
    code: &'c Code,
    /// The functions that it may call.
    pub(super) functions: Vec<u32>,
    /// By address.
    pub(super) emissions: FxHashMap<u32, Emission>,
    fields: Vec<Origins>,
    /// By function and slot.
    locals: FxHashMap<(u32, u32), Origins>,
    /// By function.
    results: FxHashMap<u32, Origins>,
    /// The payloads of raised events and state transitions.
    raised: Origins,
    changed: bool,
}

impl<'c> Flow<'c> {
    /// Analyses a machine.
    pub(super) fn of(code: &'c Code, machine: u32) -> Self {
        let fields = code.machines[machine as usize].fields.len();
        let handlers = handlers(code, machine);
        let mut flow = Flow {
            code,
            functions: called(code, &handlers),
            emissions: FxHashMap::default(),
            fields: (0..fields).map(Origins::field).collect(),
            locals: FxHashMap::default(),
            results: FxHashMap::default(),
            raised: Origins::NONE,
            changed: true,
        };
        while std::mem::take(&mut flow.changed) {
            for handler in &handlers {
                // The payload of a handler, or of the constructor.
                flow.assign_local(*handler, 0, Origins::RECEIVED.or(flow.raised));
            }
            for function in flow.functions.clone() {
                flow.body(function);
            }
        }
        flow
    }

    fn assign_local(&mut self, function: u32, slot: u32, origins: Origins) {
        // A function that runs now has a value in the variable already.
        self.changed |= self.locals.entry((function, slot)).or_insert(Origins::FRAME).add(origins);
    }

    fn assign_field(&mut self, field: u32, origins: Origins) {
        self.changed |= self.fields[field as usize].add(origins);
    }

    fn local(&self, function: u32, slot: u32) -> Origins {
        self.locals.get(&(function, slot)).copied().unwrap_or(Origins::FRAME)
    }

    /// Passes through the body of a function.
    fn body(&mut self, function: u32) {
        let entry = self.code.functions[function as usize].entry;
        let mut stacks: FxHashMap<u32, Vec<Operand>> = FxHashMap::default();
        stacks.insert(entry, Vec::new());
        let mut open = vec![entry];
        while let Some(address) = open.pop() {
            let mut stack = stacks[&address].clone();
            let effect = self.code.effect(address);
            let operands = stack.split_off(stack.len().saturating_sub(effect.pops as usize));
            let result = self.execute(function, address, &operands);
            if !effect.resumes.is_empty() {
                // The machine may stop here. Its fields may change before it goes on; its operands do not.
                stack.iter_mut().for_each(|operand| operand.origins = operand.origins.or(Origins::FRAME));
            }
            for exit in &effect.exits {
                let mut after = stack.clone();
                after.resize(stack.len() + exit.pushes as usize, result);
                let grown = match stacks.get_mut(&exit.to) {
                    Some(known) => {
                        known.iter_mut().zip(after).fold(false, |grown, (old, new)| old.join(new) | grown)
                    }
                    None => stacks.insert(exit.to, after).is_none(),
                };
                if grown {
                    open.push(exit.to);
                }
            }
        }
    }

    /// Executes an instruction on its operands. Returns what it pushes.
    fn execute(&mut self, function: u32, address: u32, operands: &[Operand]) -> Operand {
        let all = operands.iter().fold(Origins::NONE, |all, operand| all.or(operand.origins));
        let last = operands.last().copied().unwrap_or_default();
        let origins = match self.code.ops[address as usize] {
            Op::Const(number) => match self.code.constants[number as usize] {
                Value::Event(event) => return Operand { origins: Origins::NONE, event: Some(event) },
                _ => Origins::NONE,
            },
            Op::This => Origins::OWN,
            Op::New(_) => Origins::NEW,
            Op::Receive(_) => Origins::RECEIVED,
            Op::Local(slot) | Op::Foreach(slot, _) => self.local(function, slot),
            Op::Field(field) => self.fields[field as usize],
            Op::SetLocal(slot) => {
                self.assign_local(function, slot, all);
                Origins::NONE
            }
            Op::SetField(field) => {
                self.assign_field(field, all);
                Origins::NONE
            }
            Op::Update(path, _) => {
                let path = &self.code.paths[path as usize];
                match path.field {
                    true => self.assign_field(path.variable, all),
                    false => self.assign_local(function, path.variable, all),
                }
                Origins::NONE
            }
            Op::Call(callee) => {
                for (slot, operand) in (0..).zip(operands) {
                    self.assign_local(callee, slot, operand.origins);
                }
                self.results.get(&callee).copied().unwrap_or_default()
            }
            Op::Return => {
                self.changed |= self.results.entry(function).or_default().add(all);
                Origins::NONE
            }
            Op::Raise | Op::Goto(_) => {
                self.changed |= self.raised.add(last.origins);
                Origins::NONE
            }
            Op::Send | Op::Announce => {
                self.emit(address, operands);
                all
            }
            // Results without references.
            Op::Binary(_) | Op::Not | Op::Neg | Op::Sizeof | Op::Format(..) | Op::Nondet | Op::FairNondet => {
                Origins::NONE
            }
            _ => all,
        };
        Operand { origins, event: None }
    }

    fn emit(&mut self, address: u32, operands: &[Operand]) {
        let [receiver @ .., event, payload] = operands else { return };
        let carries = |event| may_refer(self.code, self.code.event_shapes[event as usize]);
        let refs = if event.event.is_none_or(carries) { payload.origins } else { Origins::NONE };
        let to = receiver.first().map_or(Origins::NONE, |receiver| receiver.origins);
        self.emissions.insert(address, Emission { to, refs, event: event.event });
    }
}

/// The functions that handle events or belong to states.
fn handlers(code: &Code, machine: u32) -> Vec<u32> {
    let mut handlers = Vec::new();
    for state in &code.machines[machine as usize].states {
        handlers.extend(state.entry.iter().chain(&state.exit));
        for action in &state.actions {
            match *action {
                Action::Do(function) | Action::Goto(_, Some(function)) => handlers.push(function),
                Action::Goto(_, None) | Action::Unhandled | Action::Defer | Action::Ignore => {}
            }
        }
    }
    handlers.sort_unstable();
    handlers.dedup();
    handlers
}

/// These functions, and those that they call.
fn called(code: &Code, handlers: &[u32]) -> Vec<u32> {
    let mut functions = handlers.to_vec();
    let mut at = 0;
    while let Some(function) = functions.get(at) {
        let function = &code.functions[*function as usize];
        for op in &code.ops[function.entry as usize..function.end as usize] {
            if let Op::Call(callee) = *op
                && !functions.contains(&callee)
            {
                functions.push(callee);
            }
        }
        at += 1;
    }
    functions
}

/// Returns true if a value of this shape may contain a reference.
fn may_refer(code: &Code, shape: u32) -> bool {
    let part = |shape: &u32| dally_text::stack::grow(|| may_refer(code, *shape));
    match &code.shapes[shape as usize].0 {
        Shape::Any | Shape::Machine => true,
        Shape::Bool | Shape::Int | Shape::Float | Shape::Str | Shape::Event => false,
        Shape::Tuple(_, fields) => fields.iter().any(part),
        Shape::Seq(element) | Shape::Set(element) => part(element),
        Shape::Map(key, value) => part(key) || part(value),
    }
}
