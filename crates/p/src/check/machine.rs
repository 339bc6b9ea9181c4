//! States and their handlers.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::Checker;
use super::info::{EventId, Handler, NULL_EVENT, Reaction, StateInfo};
use super::types::{Kind, Ty, Types};
use crate::ast::{Action, Entry, FunId, Item, ItemKind, Name, State};
use crate::codes;

impl Checker<'_> {
    pub(super) fn check_machines(&mut self) {
        let ast = self.ast;
        for (index, machine) in ast.machines.iter().enumerate() {
            for entry in &machine.entries {
                if let Entry::State(state) = entry {
                    self.resolve_state(index, state);
                }
            }
            self.find_start(index);
        }
        for index in 0..ast.machines.len() {
            self.check_payloads(index);
        }
    }

    fn resolve_state(&mut self, machine: usize, state: &State) {
        let number = self.info.machines[machine].states.len() as u32;
        self.info.machines[machine].states.push(StateInfo {
            name: state.name.sym,
            span: state.name.span,
            temperature: state.temperature,
            entry: None,
            exit: None,
            handlers: Vec::new(),
        });
        if state.start {
            match self.info.machines[machine].start {
                None => self.info.machines[machine].start = Some(number),
                Some(first) => {
                    let first = self.info.machines[machine].states[first as usize].span;
                    let message = "a second start state";
                    self.report(
                        Diagnostic::new(codes::BAD_STATE, state.name.span, message)
                            .with(first, "the first start state"),
                    );
                }
            }
        }
        for item in &state.items {
            self.resolve_item(machine, number, item);
        }
    }

    fn resolve_item(&mut self, machine: usize, state: u32, item: &Item) {
        match &item.kind {
            ItemKind::Entry(action) => {
                let Some(fun) = self.action(machine, *action) else { return };
                self.handler_arity(fun, 1, item.span);
                self.set_once(machine, state, fun, item.span, true);
            }
            ItemKind::Exit(action) => {
                let Some(fun) = self.action(machine, *action) else { return };
                self.handler_arity(fun, 0, item.span);
                self.set_once(machine, state, fun, item.span, false);
            }
            ItemKind::Defer(events) => {
                if self.info.machines[machine].is_monitor() {
                    self.error(codes::MONITOR_OPERATION, item.span, "a monitor cannot defer events");
                }
                self.add_handlers(machine, state, events, Handler::Defer);
            }
            ItemKind::Ignore(events) => self.add_handlers(machine, state, events, Handler::Ignore),
            ItemKind::Do(events, action) => {
                let Some(fun) = self.action(machine, *action) else { return };
                self.handler_arity(fun, 1, item.span);
                self.add_handlers(machine, state, events, Handler::Do(fun));
            }
            ItemKind::Goto(events, target, action) => {
                let fun = match action {
                    None => None,
                    Some(action) => {
                        let Some(fun) = self.action(machine, *action) else { return };
                        self.handler_arity(fun, 1, item.span);
                        Some(fun)
                    }
                };
                let Some(target) = self.state_of(machine, *target) else { return };
                self.add_handlers(machine, state, events, Handler::Goto(target, fun));
            }
        }
    }

    /// The state of this name; reports one that is not declared.
    pub(super) fn state_of(&mut self, machine: usize, name: Name) -> Option<u32> {
        let found = self.members[machine].states.get(&name.sym).copied();
        if found.is_none() {
            let known: Vec<Sym> = self.members[machine].states.keys().copied().collect();
            self.unknown(codes::UNKNOWN_STATE, "state", name, known.iter());
        }
        found
    }

    fn action(&mut self, machine: usize, action: Action) -> Option<FunId> {
        let name = match action {
            Action::Block(fun) => return Some(fun),
            Action::Named(name) => name,
        };
        let own = self.members[machine].funs.get(&name.sym).copied();
        let Some(fun) = own.or_else(|| self.globals.funs.get(&name.sym).copied()) else {
            let known: Vec<Sym> = self.members[machine].funs.keys().copied().collect();
            self.unknown(Code::UNKNOWN_FUNCTION, "function", name, known.iter());
            return None;
        };
        if own.is_none() || self.ast.funs[fun.index()].body.is_none() {
            let message = format!(
                "`{}` cannot be a handler: a handler must be a function of the machine with a body",
                self.text(name.sym)
            );
            self.error(codes::BAD_HANDLER, name.span, message);
            return None;
        }
        Some(fun)
    }

    fn handler_arity(&mut self, fun: FunId, most: usize, span: Span) {
        let count = self.ast.funs[fun.index()].params.len();
        if count > most {
            let message = if most == 0 {
                "an exit function takes no parameters".to_owned()
            } else {
                format!("a handler takes at most one parameter, found {count}")
            };
            self.error(codes::BAD_HANDLER, span, message);
        }
    }

    /// Sets the entry or exit function; reports a second one.
    fn set_once(&mut self, machine: usize, state: u32, fun: FunId, span: Span, entry: bool) {
        let state = &mut self.info.machines[machine].states[state as usize];
        let place = if entry { &mut state.entry } else { &mut state.exit };
        if place.replace(fun).is_some() {
            let word = if entry { "entry" } else { "exit" };
            self.error(codes::BAD_STATE, span, format!("the state already has an `{word}`"));
        }
    }

    fn add_handlers(&mut self, machine: usize, state: u32, events: &[Name], handler: Handler) {
        for name in events {
            let Some(event) = self.event(*name) else { continue };
            let info = &self.info.machines[machine];
            if event == NULL_EVENT && info.is_monitor() {
                self.error(codes::MONITOR_OPERATION, name.span, "a monitor cannot handle `null`");
            }
            let handlers = &self.info.machines[machine].states[state as usize].handlers;
            if let Some(first) = handlers.iter().find(|h| h.event == event).map(|h| h.span) {
                let message = format!("the state already has a handler for `{}`", self.text(name.sym));
                let diagnostic = Diagnostic::new(codes::BAD_STATE, name.span, message).with(first, "here");
                self.report(diagnostic);
                continue;
            }
            let handlers = &mut self.info.machines[machine].states[state as usize].handlers;
            handlers.push(Reaction { event, handler, span: name.span });
        }
    }

    fn find_start(&mut self, index: usize) {
        let machine = &self.info.machines[index];
        let Some(start) = machine.start else {
            let message = format!("the machine `{}` has no start state", self.text(machine.name));
            let span = machine.span;
            self.report(
                Diagnostic::new(codes::BAD_STATE, span, message)
                    .help("declare one of its states with `start state`"),
            );
            return;
        };
        let payload = self.first_param(machine.states[start as usize].entry).unwrap_or(Types::NULL);
        let interface = machine.interface;
        self.info.machines[index].payload = payload;
        if let Some(interface) = interface {
            self.info.interfaces[interface as usize].payload = payload;
        }
    }

    /// The type of a handler's parameter.
    pub(super) fn first_param(&self, fun: Option<FunId>) -> Option<Ty> {
        self.info.funs[fun?.index()].params.first().map(|p| p.ty)
    }

    /// Checks that payloads have the types of the handlers' parameters.
    fn check_payloads(&mut self, machine: usize) {
        for state in self.info.machines[machine].states.clone() {
            for Reaction { event, handler, span } in &state.handlers {
                match handler {
                    Handler::Do(fun) => self.check_payload(*event, Some(*fun), *span),
                    Handler::Goto(target, fun) => {
                        let entry = self.info.machines[machine].states[*target as usize].entry;
                        self.check_payload(*event, entry, *span);
                        self.check_payload(*event, *fun, *span);
                    }
                    Handler::Defer | Handler::Ignore => {}
                }
            }
        }
    }

    fn check_payload(&mut self, event: EventId, fun: Option<FunId>, span: Span) {
        let Some(wanted) = self.first_param(fun) else { return };
        let payload = self.info.events[event as usize].payload;
        let single = match self.info.types.kind(payload) {
            Kind::Tuple(fields) if fields.len() == 1 => Some(fields[0]),
            _ => None,
        };
        if single.is_some_and(|field| self.info.types.fits(wanted, field)) {
            return;
        }
        self.expect(wanted, payload, span);
    }
}
