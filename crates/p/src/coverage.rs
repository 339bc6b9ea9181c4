//! Coverage: the functions, statements and branches that executions have reached, the events that were sent, the states
//! that were entered, the handlers that ran, and the changes of state.
//!
//! As in Boogie, executions mark only the instructions after which control may go elsewhere (see
//! [`dally_step::sites`]).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use dally_step::sites::Sites;
use dally_text::source::Span;
use dally_trace::{CoverageItem, ItemKind};

use crate::Machine;
use crate::check::info::{EventId, HALT, NULL_EVENT};
use crate::code::{Action, Code, Function, MachineCode, Op, State};
use crate::value::Value;

/// Marks of what executions have reached.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// By address.
    pub(crate) ops: Sites,
    /// Events that were sent, raised or announced.
    pub(crate) events: Sites,
    /// By state, and then by event.
    handlers: Sites,
    /// The states of each machine are numbered from this one on.
    first_state: Vec<u32>,
    /// By state.
    states: Sites,
    /// By state, and then by target: all states of the same machine.
    transitions: Sites,
    /// The transitions of each machine are numbered from this one on.
    first_transition: Vec<u32>,
    event_count: u32,
}

impl Marks {
    pub(crate) fn new(code: &Code) -> Self {
        let (mut states, mut transitions) = (0, 0);
        let (mut first_state, mut first_transition) = (Vec::new(), Vec::new());
        for machine in &code.machines {
            first_state.push(states);
            first_transition.push(transitions);
            let count = machine.states.len() as u32;
            states += count;
            transitions += count * count;
        }
        let event_count = code.events.len() as u32;
        let marks = Marks {
            ops: Sites::new(code.ops.len()),
            events: Sites::new(code.events.len()),
            handlers: Sites::new((states * event_count) as usize),
            states: Sites::new(states as usize),
            transitions: Sites::new(transitions as usize),
            first_state,
            first_transition,
            event_count,
        };
        marks.create(code, code.kinds.get(code.main as usize).map_or(0, |kind| kind.machine));
        code.monitors.iter().for_each(|(monitor, _)| marks.create(code, *monitor));
        marks
    }

    fn state(&self, machine: u32, state: u32) -> u32 {
        self.first_state.get(machine as usize).map_or(u32::MAX, |first| first + state)
    }

    fn handler(&self, machine: u32, state: u32, event: EventId) -> u32 {
        self.state(machine, state).saturating_mul(self.event_count).saturating_add(event)
    }

    fn transition(&self, code: &Code, machine: u32, from: u32, to: u32) -> u32 {
        let count = code.machines[machine as usize].states.len() as u32;
        self.first_transition.get(machine as usize).map_or(u32::MAX, |first| first + from * count + to)
    }

    /// A machine begins in its start state.
    pub(crate) fn create(&self, code: &Code, machine: u32) {
        if let Some(created) = code.machines.get(machine as usize) {
            self.states.enter(self.state(machine, created.start));
        }
    }

    /// A machine enters a state.
    #[inline]
    pub(crate) fn change_state(&self, code: &Code, machine: u32, from: u32, to: u32) {
        self.states.enter(self.state(machine, to));
        self.transitions.enter(self.transition(code, machine, from, to));
    }

    /// A machine reacts to an event.
    #[inline]
    pub(crate) fn handle(&self, machine: u32, state: u32, event: EventId) {
        self.handlers.enter(self.handler(machine, state, event));
    }
}

impl Machine {
    /// The parts of the test, in a fixed order.
    pub(crate) fn coverage_items(&self) -> Vec<CoverageItem> {
        let mut items = self.code_items();
        items.extend(self.event_items());
        for (number, machine) in (0..).zip(&self.code.machines) {
            self.machine_items(number, machine, &mut items);
        }
        items
    }

    /// Functions, statements and branches.
    fn code_items(&self) -> Vec<CoverageItem> {
        let reached = self.store.marks.ops.reached(|at, todo| self.follow(at, todo));
        let mut items = Vec::new();
        let mut statements: BTreeMap<Span, CoverageItem> = BTreeMap::new();
        for function in &self.code.functions {
            let name = &function.name;
            let body = function.entry..function.end;
            let span = |at: u32| self.code.spans[at as usize];
            // Handlers are listed as such.
            if !name.is_empty() {
                items.push(CoverageItem {
                    kind: ItemKind::Procedure,
                    span: body
                        .clone()
                        .map(span)
                        .filter(|span| *span != Span::NONE)
                        .min()
                        .unwrap_or(Span::NONE),
                    name: name.clone(),
                    reached: body.clone().any(|at| reached[at as usize]),
                });
            }
            for at in body.filter(|at| span(*at) != Span::NONE) {
                let item = statements.entry(span(at)).or_insert_with(|| CoverageItem {
                    kind: ItemKind::Statement,
                    span: span(at),
                    name: name.clone(),
                    reached: false,
                });
                item.reached |= reached[at as usize];
                let marks = &self.store.marks.ops;
                if let Op::JumpIfNot(_) | Op::Foreach(..) = self.code.ops[at as usize] {
                    for (name, reached) in [("true", marks.is_passed(at)), ("false", marks.is_left(at))] {
                        let (kind, name) = (ItemKind::Branch, name.to_owned());
                        items.push(CoverageItem { kind, span: span(at), name, reached });
                    }
                }
            }
        }
        items.extend(statements.into_values());
        items
    }

    /// The addresses to which control went from an instruction that was reached.
    fn follow(&self, at: u32, todo: &mut Vec<u32>) {
        let (marks, next) = (&self.store.marks.ops, at + 1);
        match self.code.ops[at as usize] {
            Op::Jump(to) => todo.push(to),
            Op::JumpIfNot(to) | Op::Foreach(_, to) => {
                todo.extend(marks.is_passed(at).then_some(next));
                todo.extend(marks.is_left(at).then_some(to));
            }
            Op::Assume(_) => todo.extend(marks.is_passed(at).then_some(next)),
            Op::JumpIf(_, to) => todo.extend([next, to]),
            // Where the execution goes on, it is marked.
            Op::Call(_) | Op::Return | Op::Yield | Op::Send | Op::Receive(_) => {}
            Op::Goto(_) | Op::Raise | Op::Fail | Op::Foreign(_) | Op::Seal(_) => {}
            _ => todo.push(next),
        }
    }

    /// The events that the test mentions: machines handle them, or emit them by name.
    fn event_items(&self) -> Vec<CoverageItem> {
        let states = self.code.machines.iter().flat_map(|machine| &machine.states);
        let handled = states.flat_map(|state| state.handlers.iter().map(|(event, _)| *event));
        let emitted = self.code.ops.iter().filter_map(|op| match op {
            Op::Const(constant) => match self.code.constants[*constant as usize] {
                Value::Event(event) => Some(event),
                _ => None,
            },
            _ => None,
        });
        let mentioned: BTreeSet<EventId> = handled.chain(emitted).collect();
        let declared = mentioned.into_iter().filter(|event| ![HALT, NULL_EVENT].contains(event));
        let item = |event: EventId| {
            let code = &self.code.events[event as usize];
            CoverageItem {
                kind: ItemKind::Event,
                span: code.span,
                name: code.name.clone(),
                reached: self.store.marks.events.is_entered(event),
            }
        };
        declared.map(item).collect()
    }

    /// The states of a machine, its handlers, and its changes of state.
    fn machine_items(&self, number: u32, machine: &MachineCode, items: &mut Vec<CoverageItem>) {
        let marks = &self.store.marks;
        let mut add = |kind, span, name, reached| items.push(CoverageItem { kind, span, name, reached });
        for (nth, state) in (0..).zip(&machine.states) {
            let name = format!("{}.{}", machine.name, state.name);
            let is_entered = marks.states.is_entered(marks.state(number, nth));
            add(ItemKind::State, state.span, name.clone(), is_entered);
            for (event, span) in &state.handlers {
                if matches!(state.actions[*event as usize], Action::Do(_) | Action::Goto(..)) {
                    let event_name = &self.code.events[*event as usize].name;
                    let reached = marks.handlers.is_entered(marks.handler(number, nth, *event));
                    add(ItemKind::Handler, *span, format!("{name} on {event_name}"), reached);
                }
            }
            for target in self.targets(state) {
                let reached = marks.transitions.is_entered(marks.transition(&self.code, number, nth, target));
                let target = &machine.states[target as usize].name;
                add(ItemKind::Transition, state.span, format!("{name} → {target}"), reached);
            }
        }
    }

    /// The states to which handlers of a state may lead: by their declarations, and by `goto` in a function that they
    /// call.
    fn targets(&self, state: &State) -> BTreeSet<u32> {
        let mut targets = BTreeSet::new();
        let mut todo: Vec<u32> = state.entry.into_iter().collect();
        for action in &state.actions {
            match action {
                Action::Do(function) => todo.push(*function),
                // The function of a transition runs between two states, and cannot change the target.
                Action::Goto(target, _) => {
                    targets.insert(*target);
                }
                Action::Unhandled | Action::Defer | Action::Ignore => {}
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(function) = todo.pop() {
            if !seen.insert(function) {
                continue;
            }
            let &Function { entry, end, .. } = &self.code.functions[function as usize];
            for op in &self.code.ops[entry as usize..end as usize] {
                match op {
                    Op::Goto(target) => {
                        targets.insert(*target);
                    }
                    Op::Call(callee) => todo.push(*callee),
                    _ => {}
                }
            }
        }
        targets
    }
}
