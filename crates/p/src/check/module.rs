//! The module system: which machine implements which interface, and which monitors observe it.
//!
//! The rules are those of P's own checker.

use std::collections::{BTreeMap, BTreeSet};

use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::Checker;
use super::info::{Bound, EventSet, Link, Linked, Monitor, TestInfo};
use super::types::{Ty, Types};
use crate::ast::{Binding, MachineKind, ModuleExpr, ModuleKind, Name, TestDecl};
use crate::codes;

/// A module: its public events and interfaces, bindings and monitors.
#[derive(Clone, Debug, Default)]
struct Module {
    private_events: EventSet,
    sends: EventSet,
    receives: EventSet,
    creates: BTreeSet<u32>,
    /// The bound interfaces and their machines.
    bound: BTreeMap<u32, u32>,
    /// For each bound interface, the interface that is created for each one that its machine names in `new`.
    links: BTreeMap<u32, BTreeMap<u32, u32>>,
    monitors: Vec<Monitor>,
}

impl Module {
    /// The interfaces that are either bound or created, but not both.
    fn one_sided(&self) -> BTreeSet<u32> {
        let bound: BTreeSet<u32> = self.bound.keys().copied().collect();
        bound.symmetric_difference(&self.creates).copied().collect()
    }

    fn interfaces(&self) -> BTreeSet<u32> {
        self.bound.keys().chain(&self.creates).copied().collect()
    }

    fn public_events(&self) -> EventSet {
        let mut all = self.sends.clone();
        all.extend(&self.receives);
        all
    }
}

/// The error of a function that has already reported a diagnostic.
struct Reported;

impl Checker<'_> {
    pub(super) fn check_tests(&mut self) {
        let ast = self.ast;
        for module in &ast.modules {
            let _ = self.module(&module.body, &mut Vec::new());
        }
        for test in &ast.tests {
            let Ok(module) = self.module(&test.body, &mut Vec::new()) else { continue };
            if let Some(right) = &test.refines {
                let _ = self.module(right, &mut Vec::new());
                let message = "refinement tests are not supported";
                self.error(codes::REFINEMENT, test.name.span, message);
                continue;
            }
            self.add_tests(test, &module);
        }
        if ast.tests.is_empty() {
            self.default_test();
        }
        self.warn_about_specifications();
    }

    /// Warns about specifications that no test asserts.
    fn warn_about_specifications(&mut self) {
        if !self.diagnostics.are_warnings() || self.info.tests.is_empty() {
            return;
        }
        for index in 0..self.info.machines.len() {
            let machine = &self.info.machines[index];
            if machine.kind != MachineKind::Spec {
                continue;
            }
            let (name, span) = (self.text(machine.name), machine.span);
            let is_this = |m: &Monitor| m.machine == index as u32;
            if !self.info.tests.iter().any(|t| t.linked.monitors.iter().any(is_this)) {
                let message = format!("no test asserts `{name}`, so it is not checked");
                let help = "declare a test: `test T [main=M]: assert Spec in { M, … };`";
                self.report(Diagnostic::new(codes::NOT_ASSERTED, span, message).help(help));
            }
        }
    }

    fn bad(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.error(codes::BAD_MODULE, span, message);
        Reported
    }

    fn interface_name(&self, interface: u32) -> &str {
        self.ast.symbols.text(self.info.interfaces[interface as usize].name)
    }

    fn event_name(&self, event: u32) -> &str {
        self.ast.symbols.text(self.info.events[event as usize].name)
    }

    /// The events that can be sent to machines in a value of this type.
    fn permissions(&self, ty: Ty) -> EventSet {
        self.info.types.permissions(ty).unwrap_or_else(|| self.universal.clone())
    }

    /// Evaluates a module expression. `open` are the enclosing named modules, to detect cycles.
    fn module(&mut self, expr: &ModuleExpr, open: &mut Vec<Sym>) -> Result<Module, Reported> {
        dally_text::stack::grow(|| self.module_here(expr, open))
    }

    fn module_here(&mut self, expr: &ModuleExpr, open: &mut Vec<Sym>) -> Result<Module, Reported> {
        match &expr.kind {
            ModuleKind::Bind(bindings) => self.bind(bindings, expr.span),
            ModuleKind::Name(name) => self.named_module(*name, open),
            ModuleKind::Join { compose, parts } => {
                let parts = parts.iter().map(|p| self.module(p, open)).collect::<Result<Vec<_>, _>>()?;
                self.join(*compose, &parts, expr.span)
            }
            ModuleKind::HideEvents(names, inner) => {
                let inner = self.module(inner, open)?;
                let events = self.events(names);
                self.hide_events(&events, inner, expr.span)
            }
            ModuleKind::HideInterfaces(names, inner) => {
                let inner = self.module(inner, open)?;
                self.hide_interfaces(names, inner)
            }
            ModuleKind::Assert(names, inner) => {
                let inner = self.module(inner, open)?;
                self.assert(names, inner)
            }
            ModuleKind::Rename(old, new, inner) => {
                let inner = self.module(inner, open)?;
                self.rename(*old, *new, &inner)
            }
            ModuleKind::Main(inner) => self.module(inner, open),
        }
    }

    fn named_module(&mut self, name: Name, open: &mut Vec<Sym>) -> Result<Module, Reported> {
        let Some(index) = self.globals.modules.get(&name.sym).copied() else {
            let known: Vec<Sym> = self.globals.modules.keys().copied().collect();
            self.unknown(codes::BAD_MODULE, "module", name, known.iter());
            return Err(Reported);
        };
        if open.contains(&name.sym) {
            let message = format!("the module `{}` is cyclic", self.text(name.sym));
            return Err(self.bad(name.span, message));
        }
        open.push(name.sym);
        let module = self.module(&self.ast.modules[index].body, open);
        open.pop();
        module
    }

    fn bind(&mut self, bindings: &[Binding], span: Span) -> Result<Module, Reported> {
        let mut pairs = Vec::new();
        for Binding { machine, interface } in bindings {
            let bound = self.interface(interface.unwrap_or(*machine)).ok_or(Reported)?;
            let Some(index) = self.globals.machines.get(&machine.sym).copied() else {
                let known: Vec<Sym> = self.globals.machines.keys().copied().collect();
                self.unknown(codes::UNKNOWN_MACHINE, "machine", *machine, known.iter());
                return Err(Reported);
            };
            if pairs.iter().any(|(other, _)| *other == bound) {
                let message = format!("the interface `{}` is bound twice", self.interface_name(bound));
                return Err(self.bad(interface.unwrap_or(*machine).span, message));
            }
            pairs.push((bound, index));
        }
        self.bound_module(&pairs, span)
    }

    fn bound_module(&mut self, pairs: &[(u32, u32)], span: Span) -> Result<Module, Reported> {
        let mut module = Module::default();
        for (interface, machine) in pairs {
            let (info, bound) =
                (&self.info.machines[*machine as usize], &self.info.interfaces[*interface as usize]);
            let names = format!("`{}` and `{}`", self.text(bound.name), self.text(info.name));
            if let Some(event) = bound.receives.first_outside(&info.receives) {
                let event = self.event_name(event);
                let message = format!("{names} cannot be bound: the machine does not receive `{event}`");
                return Err(self.bad(span, message));
            }
            if !self.info.types.fits(info.payload, bound.payload) {
                let message = format!("{names} cannot be bound: their constructors take different types");
                return Err(self.bad(span, message));
            }
            module.bound.insert(*interface, *machine);
            module.links.insert(*interface, info.creates.iter().map(|i| (*i, *i)).collect());
            module.sends.extend(&info.sends);
            module.receives.extend(&info.receives);
            module.creates.extend(&info.creates);
        }
        Ok(module)
    }

    fn join(&mut self, compose: bool, parts: &[Module], span: Span) -> Result<Module, Reported> {
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[i + 1..] {
                self.check_join(compose, a, b, span)?;
            }
        }
        let mut all = Module::default();
        for part in parts {
            all.private_events.extend(&part.private_events);
            all.sends.extend(&part.sends);
            all.receives.extend(&part.receives);
            all.creates.extend(&part.creates);
            all.bound.extend(&part.bound);
            all.links.extend(part.links.clone());
            all.monitors.extend(part.monitors.iter().cloned());
        }
        Ok(all)
    }

    fn check_join(&mut self, compose: bool, a: &Module, b: &Module, span: Span) -> Result<(), Reported> {
        if let Some(shared) = a.bound.keys().find(|i| b.bound.contains_key(i)) {
            let message = format!("`{}` is bound in both modules", self.interface_name(*shared));
            return Err(self.bad(span, message));
        }
        let observes = |module: &Module, m: &Monitor| module.monitors.iter().any(|n| n.machine == m.machine);
        if let Some(shared) = a.monitors.iter().find(|m| observes(b, m)) {
            let name = self.text(self.info.machines[shared.machine as usize].name);
            return Err(self.bad(span, format!("`{name}` observes both modules")));
        }
        let mut private = a.private_events.clone();
        private.extend(&b.private_events);
        let mut public = a.public_events();
        public.extend(&b.public_events());
        let mut leaks = public.clone();
        for event in public.iter() {
            leaks.extend(&self.permissions(self.info.events[event as usize].payload));
        }
        for interface in a.one_sided().union(&b.one_sided()) {
            leaks.extend(&self.info.interfaces[*interface as usize].receives);
        }
        for interface in a.interfaces().union(&b.interfaces()) {
            leaks.extend(&self.permissions(self.info.interfaces[*interface as usize].payload));
        }
        if let Some(event) = private.first_shared(&leaks) {
            let message =
                format!("the hidden event `{}` is used outside of its module", self.event_name(event));
            return Err(self.bad(span, message));
        }
        if compose {
            if let Some(event) = a.sends.first_shared(&b.sends) {
                let message =
                    format!("both modules send `{}`, which `compose` does not allow", self.event_name(event));
                return Err(self.bad(span, message));
            }
            if let Some(shared) = a.creates.intersection(&b.creates).next() {
                let message = format!(
                    "both modules create `{}`, which `compose` does not allow",
                    self.interface_name(*shared)
                );
                return Err(self.bad(span, message));
            }
        }
        Ok(())
    }

    fn hide_events(&mut self, events: &EventSet, mut inner: Module, span: Span) -> Result<Module, Reported> {
        let both: EventSet = inner.sends.iter().filter(|e| inner.receives.contains(*e)).collect();
        if let Some(event) = events.first_outside(&both) {
            let message = format!(
                "`{}` cannot be hidden: the module must both send and receive it",
                self.event_name(event)
            );
            return Err(self.bad(span, message));
        }
        let mut leaks = EventSet::default();
        for interface in inner.one_sided() {
            leaks.extend(&self.info.interfaces[interface as usize].receives);
        }
        for event in inner.public_events().iter().filter(|e| !events.contains(*e)) {
            leaks.extend(&self.permissions(self.info.events[event as usize].payload));
        }
        for interface in inner.interfaces() {
            leaks.extend(&self.permissions(self.info.interfaces[interface as usize].payload));
        }
        if let Some(event) = events.first_shared(&leaks) {
            let message = format!("`{}` cannot be hidden: it is used outside", self.event_name(event));
            return Err(self.bad(span, message));
        }
        inner.private_events.extend(events);
        inner.sends = inner.sends.iter().filter(|e| !events.contains(*e)).collect();
        inner.receives = inner.receives.iter().filter(|e| !events.contains(*e)).collect();
        Ok(inner)
    }

    fn hide_interfaces(&mut self, names: &[Name], inner: Module) -> Result<Module, Reported> {
        for name in names {
            let interface = self.interface(*name).ok_or(Reported)?;
            if !inner.creates.contains(&interface) || !inner.bound.contains_key(&interface) {
                let message = format!(
                    "`{}` cannot be hidden: the module must both create and bind it",
                    self.text(name.sym)
                );
                return Err(self.bad(name.span, message));
            }
        }
        Ok(inner)
    }

    fn assert(&mut self, names: &[Name], mut inner: Module) -> Result<Module, Reported> {
        let watched: Vec<u32> = inner.bound.keys().copied().collect();
        for name in names {
            let found = self.globals.machines.get(&name.sym).copied();
            let Some(monitor) = found.filter(|m| self.info.machines[*m as usize].is_monitor()) else {
                let specs = |m: &u32| self.info.machines[*m as usize].is_monitor();
                let known: Vec<Sym> =
                    self.globals.machines.iter().filter(|(_, m)| specs(m)).map(|(s, _)| *s).collect();
                self.unknown(codes::BAD_MODULE, "specification", *name, known.iter());
                return Err(Reported);
            };
            if let Some(event) = self.info.machines[monitor as usize].observes.first_outside(&inner.sends) {
                let message = format!(
                    "`{}` observes `{}`, which the module does not send",
                    self.text(name.sym),
                    self.event_name(event)
                );
                return Err(self.bad(name.span, message));
            }
            if inner.monitors.iter().any(|m| m.machine == monitor) {
                let message = format!("`{}` already observes the module", self.text(name.sym));
                return Err(self.bad(name.span, message));
            }
            inner.monitors.push(Monitor { machine: monitor, observed: watched.clone() });
        }
        Ok(inner)
    }

    fn rename(&mut self, old: Name, new: Name, inner: &Module) -> Result<Module, Reported> {
        let from = self.interface(old).ok_or(Reported)?;
        let to = self.interface(new).ok_or(Reported)?;
        let (old_text, new_text) = (self.text(old.sym), self.text(new.sym));
        if self.info.interfaces[from as usize].receives != self.info.interfaces[to as usize].receives {
            let message = format!("`{old_text}` and `{new_text}` must receive the same events");
            return Err(self.bad(new.span, message));
        }
        if !inner.interfaces().contains(&from) {
            return Err(self.bad(old.span, format!("the module neither binds nor creates `{old_text}`")));
        }
        if inner.interfaces().contains(&to) {
            return Err(self.bad(new.span, format!("the module already binds or creates `{new_text}`")));
        }
        let renamed = |i: u32| if i == from { to } else { i };
        let mut module = inner.clone();
        module.creates = inner.creates.iter().map(|i| renamed(*i)).collect();
        module.bound = inner.bound.iter().map(|(i, m)| (renamed(*i), *m)).collect();
        module.links = inner
            .links
            .iter()
            .map(|(i, l)| (renamed(*i), l.iter().map(|(k, v)| (*k, renamed(*v))).collect()))
            .collect();
        for monitor in &mut module.monitors {
            monitor.observed.iter_mut().for_each(|i| *i = renamed(*i));
        }
        Ok(module)
    }

    // Tests.

    /// Adds the tests of a declaration: one for each combination of parameter values.
    fn add_tests(&mut self, test: &TestDecl, module: &Module) {
        let span = test.name.span;
        if !self.check_closed(module, span) {
            return;
        }
        let main = test.main.map_or("Main", |m| self.text(m.sym));
        let is_main = |m: &u32| self.text(self.info.machines[*m as usize].name) == main;
        let Some(machine) = module.bound.values().copied().find(is_main) else {
            let message = format!("the main machine `{main}` is not in the module");
            self.error(codes::BAD_TEST, test.main.map_or(span, |m| m.span), message);
            return;
        };
        if self.info.machines[machine as usize].payload != Types::NULL {
            let message = format!("`{main}` cannot be the main machine: its start state takes a parameter");
            self.error(codes::BAD_TEST, test.main.map_or(span, |m| m.span), message);
            return;
        }
        let Some(assignments) = self.assignments(test) else { return };
        for params in assignments {
            let name = self.test_name(self.text(test.name.sym), &params);
            self.info.tests.push(TestInfo { name, span, params, main: machine, linked: link(module) });
        }
    }

    /// Checks that all created interfaces are bound; returns false after a report.
    fn check_closed(&mut self, module: &Module, span: Span) -> bool {
        let missing = module.creates.iter().find(|i| !module.bound.contains_key(i));
        if let Some(missing) = missing {
            let message =
                format!("`{}` is created, but no machine is bound to it", self.interface_name(*missing));
            self.error(codes::BAD_TEST, span, message);
        }
        missing.is_none()
    }

    /// The test of a program without declared tests: all machines, with `Main` as the main machine.
    fn default_test(&mut self) {
        let is_main = |m: &&u32| self.text(self.info.machines[**m as usize].name) == "Main";
        let Some(main) = self.globals.machines.values().find(is_main).copied() else { return };
        let machines = (0..).zip(&self.info.machines);
        let pairs: Vec<(u32, u32)> = machines.filter_map(|(i, m)| Some((m.interface?, i))).collect();
        let span = self.info.machines[main as usize].span;
        let Ok(module) = self.bound_module(&pairs, span) else { return };
        if self.check_closed(&module, span) {
            self.info.tests.push(TestInfo {
                name: "DefaultImpl".to_owned(),
                span,
                params: Vec::new(),
                main,
                linked: link(&module),
            });
        }
    }
}

fn link(module: &Module) -> Linked {
    let bound = module.bound.iter().map(|(interface, machine)| Bound {
        interface: *interface,
        machine: *machine,
        links: module.links[interface]
            .iter()
            .map(|(named, created)| Link { named: *named, created: *created })
            .collect(),
    });
    Linked { bound: bound.collect(), monitors: module.monitors.clone() }
}
