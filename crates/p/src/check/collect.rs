//! Collection of declared names, with a check for duplicates.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use super::info::{ElementInfo, EnumInfo, EventInfo, EventSet, FunInfo, InterfaceInfo, MachineInfo, Slot};
use super::types::Types;
use super::{Checker, Constant, Members};
use crate::ast::{Action, Element, Entry, FunId, ItemKind, MachineKind, Name};

/// The spans of the first declarations in a namespace.
type Seen = FxHashMap<Sym, Span>;

impl Checker<'_> {
    pub(super) fn collect(&mut self) {
        self.collect_types();
        self.collect_events();
        self.collect_functions();
        self.collect_machines();
        self.collect_tests();
    }

    /// Declares a name; reports a duplicate and returns false.
    fn declare(&mut self, name: Name, what: &str, seen: &mut Seen) -> bool {
        let Some(first) = seen.get(&name.sym).copied() else {
            seen.insert(name.sym, name.span);
            return true;
        };
        let message = format!("the {what} `{}` is declared twice", self.text(name.sym));
        let mut diagnostic = Diagnostic::new(Code::DUPLICATE, name.span, message);
        if first != Span::NONE {
            diagnostic = diagnostic.with(first, "first declared here");
        }
        self.report(diagnostic);
        false
    }

    /// Types, enumerations, machines and interfaces share a namespace.
    fn collect_types(&mut self) {
        let ast = self.ast;
        let mut seen = Seen::default();
        // A type with a body is the stub of a foreign type of the same name.
        let bodies: FxHashSet<Sym> =
            ast.typedefs.iter().filter(|t| t.body.is_some()).map(|t| t.name.sym).collect();
        for (i, typedef) in ast.typedefs.iter().enumerate() {
            let has_stub = typedef.body.is_none() && bodies.contains(&typedef.name.sym);
            if !has_stub && self.declare(typedef.name, "type", &mut seen) {
                self.globals.typedefs.insert(typedef.name.sym, i);
            }
        }
        for (i, decl) in ast.enums.iter().enumerate() {
            if self.declare(decl.name, "type", &mut seen) {
                self.globals.enums.insert(decl.name.sym, i);
            }
            self.info.types.enums.push(decl.name.sym);
        }
        for machine in &ast.machines {
            let index = self.info.machines.len() as u32;
            let is_machine = machine.kind == MachineKind::Machine;
            let what = if is_machine { "machine" } else { "monitor" };
            let first = self.declare(machine.name, what, &mut seen);
            let interface = is_machine.then(|| self.add_interface(machine.name.sym));
            if first {
                self.globals.machines.insert(machine.name.sym, index);
                self.globals.interfaces.extend(interface.map(|i| (machine.name.sym, i)));
            }
            self.info.machines.push(MachineInfo {
                name: machine.name.sym,
                span: machine.name.span,
                kind: machine.kind,
                interface,
                fields: Vec::new(),
                states: Vec::new(),
                start: None,
                payload: Types::NULL,
                receives: EventSet::default(),
                sends: EventSet::default(),
                observes: EventSet::default(),
                creates: Vec::new(),
                funs: Vec::new(),
            });
        }
        for decl in &ast.interfaces {
            let first = self.declare(decl.name, "interface", &mut seen);
            let index = self.add_interface(decl.name.sym);
            if first {
                self.globals.interfaces.insert(decl.name.sym, index);
            }
        }
        let mut seen: Seen = ast.interfaces.iter().map(|i| (i.name.sym, i.name.span)).collect();
        for (i, set) in ast.event_sets.iter().enumerate() {
            if self.declare(set.name, "event set", &mut seen) {
                self.globals.event_sets.insert(set.name.sym, i);
            }
        }
    }

    fn add_interface(&mut self, name: Sym) -> u32 {
        self.info.interfaces.push(InterfaceInfo {
            name,
            payload: Types::NULL,
            receives: EventSet::default(),
        });
        self.info.interfaces.len() as u32 - 1
    }

    /// Events and elements of enumerations share a namespace.
    fn collect_events(&mut self) {
        let ast = self.ast;
        let mut seen = Seen::default();
        for name in ["null", "halt"] {
            let sym = ast.symbols.get(name).expect("the parser interns these");
            self.globals.events.insert(sym, self.info.events.len() as u32);
            seen.insert(sym, Span::NONE);
            self.info.events.push(EventInfo { name: sym, payload: Types::NULL });
        }
        self.universal.insert(super::info::HALT);
        for event in &ast.events {
            let index = self.info.events.len() as u32;
            if self.declare(event.name, "event", &mut seen) {
                self.globals.events.insert(event.name.sym, index);
            }
            self.info.events.push(EventInfo { name: event.name.sym, payload: Types::NULL });
            self.universal.insert(index);
        }
        for (i, decl) in ast.enums.iter().enumerate() {
            for Element { name, value } in &decl.elements {
                if self.declare(*name, "element or event", &mut seen) {
                    self.globals.elements.insert(name.sym, Constant { enumeration: i as u32, value: *value });
                }
            }
            let elements =
                decl.elements.iter().map(|e| ElementInfo { name: e.name.sym, value: e.value }).collect();
            let least = decl.elements.iter().map(|e| e.value).min().unwrap_or(0);
            self.info.enums.push(EnumInfo { least, elements });
        }
        let mut seen = Seen::default();
        for name in ast.params.iter().flat_map(|decl| &decl.names) {
            if self.declare(*name, "parameter", &mut seen) {
                self.globals.params.insert(name.sym, self.info.params.len() as u32);
            }
            self.info.params.push(Slot { name: name.sym, ty: Types::ERROR });
        }
    }

    fn collect_functions(&mut self) {
        for _ in &self.ast.funs {
            self.info.funs.push(FunInfo {
                owner: None,
                params: Vec::new(),
                vars: Vec::new(),
                slots: Vec::new(),
                ret: Types::NULL,
                callees: Vec::new(),
                creates: Vec::new(),
                effects: super::info::Effects::default(),
            });
        }
        // A function with a body is the stub of a foreign function of the same name; calls refer to the latter.
        let (mut bodies, mut foreign) = (Seen::default(), Seen::default());
        for fun in &self.ast.globals {
            let decl = &self.ast.funs[fun.index()];
            let Some(name) = decl.name else { continue };
            let is_foreign = decl.may_have_stub();
            if self.declare(name, "function", if is_foreign { &mut foreign } else { &mut bodies })
                && (is_foreign || !foreign.contains_key(&name.sym))
            {
                self.globals.funs.insert(name.sym, *fun);
            }
        }
    }

    fn collect_machines(&mut self) {
        let ast = self.ast;
        for (index, machine) in ast.machines.iter().enumerate() {
            let mut members = Members::default();
            let (mut vars, mut funs, mut states) = (Seen::default(), Seen::default(), Seen::default());
            let (mut fields, mut count) = (0, 0);
            for entry in &machine.entries {
                match entry {
                    Entry::Vars(decl) => {
                        for name in &decl.names {
                            if self.declare(*name, "variable", &mut vars) {
                                members.fields.insert(name.sym, fields);
                            }
                            fields += 1;
                        }
                    }
                    Entry::Fun(fun) => {
                        let Some(name) = ast.funs[fun.index()].name else { continue };
                        // A function must not have the name of an earlier state.
                        if let Some(span) = states.get(&name.sym) {
                            funs.entry(name.sym).or_insert(*span);
                        }
                        if self.declare(name, "function or state", &mut funs) {
                            members.funs.insert(name.sym, *fun);
                        }
                        self.own(*fun, index);
                    }
                    Entry::State(state) => {
                        if self.declare(state.name, "state", &mut states) {
                            members.states.insert(state.name.sym, count);
                        }
                        count += 1;
                        let blocks = state.items.iter().filter_map(|item| match &item.kind {
                            ItemKind::Entry(Action::Block(fun))
                            | ItemKind::Exit(Action::Block(fun))
                            | ItemKind::Do(_, Action::Block(fun))
                            | ItemKind::Goto(_, _, Some(Action::Block(fun))) => Some(*fun),
                            _ => None,
                        });
                        blocks.for_each(|fun| self.own(fun, index));
                    }
                }
            }
            self.members.push(members);
        }
    }

    fn own(&mut self, fun: FunId, machine: usize) {
        self.info.funs[fun.index()].owner = Some(machine as u32);
        self.info.machines[machine].funs.push(fun);
    }

    fn collect_tests(&mut self) {
        let ast = self.ast;
        let mut seen = Seen::default();
        for (i, module) in ast.modules.iter().enumerate() {
            if self.declare(module.name, "module", &mut seen) {
                self.globals.modules.insert(module.name.sym, i);
            }
        }
        let mut seen = Seen::default();
        for (i, test) in ast.tests.iter().enumerate() {
            if self.declare(test.name, "test", &mut seen) {
                self.globals.tests.insert(test.name.sym, i);
            }
        }
    }
}
