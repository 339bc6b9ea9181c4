//! Resolution of declarations: types, event sets, variables and signatures.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::stack;
use dally_text::symbol::Sym;

use super::Checker;
use super::info::{EventSet, Local, Slot};
use super::types::{Kind, Permission, Ty, Types};
use crate::ast::{Entry, FunId, MachineKind, Name, TypeId, TypeKind};
use crate::lexer::K;

impl Checker<'_> {
    pub(super) fn resolve_declarations(&mut self) {
        let ast = self.ast;
        for i in 0..ast.typedefs.len() {
            self.alias(i);
        }
        for (i, event) in ast.events.iter().enumerate() {
            // Events 0 and 1 are `null` and `halt`.
            self.info.events[i + 2].payload = self.optional_ty(event.payload);
        }
        for (i, set) in (0..).zip(&ast.event_sets) {
            let events = self.events(&set.events);
            self.info.types.allowed.insert(Permission::Set(i), events);
        }
        let first = ast.machines.iter().filter(|m| m.kind == MachineKind::Machine).count();
        for (i, decl) in ast.interfaces.iter().enumerate() {
            self.info.interfaces[first + i].payload = self.optional_ty(decl.payload);
            let receives = self.events(&decl.receives);
            self.set_receives((first + i) as u32, receives);
        }
        let params = ast.params.iter().flat_map(|decl| decl.names.iter().map(|n| (*n, decl.ty)));
        for (i, (_, ty)) in params.enumerate() {
            self.info.params[i].ty = self.ty(ty);
        }
        for event in 0..self.info.events.len() as u32 {
            self.info.types.allowed.insert(Permission::Event(event), [event].into_iter().collect());
        }
        self.info.types.allowed.insert(Permission::Spec, EventSet::default());
        self.resolve_machines();
        self.resolve_signatures();
    }

    fn set_receives(&mut self, interface: u32, events: EventSet) {
        self.info.types.allowed.insert(Permission::Interface(interface), events.clone());
        self.info.interfaces[interface as usize].receives = events;
    }

    fn resolve_machines(&mut self) {
        let ast = self.ast;
        for (index, machine) in ast.machines.iter().enumerate() {
            let or_all = |this: &mut Self, set: &Option<Vec<Name>>| match set {
                Some(names) => this.events(names),
                None => this.universal.clone(),
            };
            if let Some(interface) = self.info.machines[index].interface {
                let receives = or_all(self, &machine.receives);
                self.set_receives(interface, receives.clone());
                self.info.machines[index].receives = receives;
                self.info.machines[index].sends = or_all(self, &machine.sends);
            }
            self.info.machines[index].observes = self.events(&machine.observes);
            for entry in &machine.entries {
                let Entry::Vars(decl) = entry else { continue };
                let ty = self.ty(decl.ty);
                for name in &decl.names {
                    self.reject_parameter(*name);
                    self.info.machines[index].fields.push(Slot { name: name.sym, ty });
                }
            }
        }
    }

    /// Reports a variable with the name of a global parameter.
    pub(super) fn reject_parameter(&mut self, name: Name) {
        if self.globals.params.contains_key(&name.sym) {
            let message = format!("`{}` is already the name of a global parameter", self.text(name.sym));
            self.error(Code::DUPLICATE, name.span, message);
        }
    }

    fn resolve_signatures(&mut self) {
        let ast = self.ast;
        for (i, fun) in ast.funs.iter().enumerate() {
            let ret = self.optional_ty(fun.ret);
            self.info.funs[i].ret = ret;
            for (slot, param) in (0..).zip(&fun.params) {
                let ty = self.ty(param.ty);
                self.info.funs[i].params.push(Local { slot, ty });
            }
            for name in &fun.creates {
                if let Some(interface) = self.interface(*name) {
                    self.info.funs[i].creates.push(interface);
                }
            }
        }
    }

    pub(super) fn param_types(&self, fun: FunId) -> Vec<Ty> {
        self.info.funs[fun.index()].params.iter().map(|p| p.ty).collect()
    }

    fn optional_ty(&mut self, ty: Option<TypeId>) -> Ty {
        ty.map_or(Types::NULL, |ty| self.ty(ty))
    }

    /// The type that a type expression denotes.
    pub(super) fn ty(&mut self, id: TypeId) -> Ty {
        if let Some(ty) = self.info.written.get(&id) {
            return *ty;
        }
        let ty = stack::grow(|| self.ty_new(id));
        self.info.written.insert(id, ty);
        ty
    }

    fn ty_new(&mut self, id: TypeId) -> Ty {
        let ast = self.ast;
        let written = &ast.types[id.index()];
        let kind = match &written.kind {
            TypeKind::BuiltIn(key) => built_in(*key),
            TypeKind::Seq(t) => Kind::Seq(self.ty(*t)),
            TypeKind::Set(t) => Kind::Set(self.ty(*t)),
            TypeKind::Map(k, v) => Kind::Map(self.ty(*k), self.ty(*v)),
            TypeKind::Tuple(fields) => Kind::Tuple(fields.iter().map(|t| self.ty(*t)).collect()),
            TypeKind::Named(fields) => {
                let mut all: Vec<(Sym, Ty)> = Vec::new();
                for (name, ty) in fields {
                    let ty = self.ty(*ty);
                    self.reject_repeated(*name, all.iter().map(|f| f.0));
                    all.push((name.sym, ty));
                }
                Kind::Named(all)
            }
            TypeKind::Name(name) => return self.named_ty(Name { sym: *name, span: written.span }),
        };
        self.info.types.intern(kind)
    }

    /// Reports a duplicate field of a tuple.
    pub(super) fn reject_repeated(&mut self, name: Name, mut before: impl Iterator<Item = Sym>) {
        if before.any(|sym| sym == name.sym) {
            let message = format!("the field `{}` occurs twice in the tuple", self.text(name.sym));
            self.error(Code::DUPLICATE, name.span, message);
        }
    }

    fn named_ty(&mut self, name: Name) -> Ty {
        let sym = name.sym;
        let globals = &self.globals;
        if let Some(i) = globals.enums.get(&sym) {
            return self.info.types.intern(Kind::Enum(*i as u32));
        }
        if let Some(i) = globals.typedefs.get(&sym).copied() {
            return self.alias_at(i, name.span);
        }
        let permission = if let Some(i) = globals.event_sets.get(&sym) {
            Permission::Set(*i as u32)
        } else if let Some(i) = globals.interfaces.get(&sym) {
            Permission::Interface(*i)
        } else if globals.machines.contains_key(&sym) {
            Permission::Spec
        } else if let Some(event) = globals.events.get(&sym) {
            Permission::Event(*event)
        } else {
            let known: Vec<Sym> = globals
                .typedefs
                .keys()
                .chain(globals.enums.keys())
                .chain(globals.interfaces.keys())
                .copied()
                .collect();
            self.unknown(Code::UNKNOWN_TYPE, "type", name, known.iter());
            return Types::ERROR;
        };
        self.info.types.intern(Kind::Permission(permission, sym))
    }

    fn alias_at(&mut self, index: usize, span: Span) -> Ty {
        if self.open_aliases[index] {
            let message = format!("the type `{}` is cyclic", self.text(self.ast.typedefs[index].name.sym));
            self.report(Diagnostic::new(Code::CYCLIC_SYNONYM, span, message));
            return Types::ERROR;
        }
        self.alias(index)
    }

    fn alias(&mut self, index: usize) -> Ty {
        if let Some(ty) = self.aliases[index] {
            return ty;
        }
        let typedef = &self.ast.typedefs[index];
        let ty = match typedef.body {
            None => self.info.types.intern(Kind::Foreign(typedef.name.sym)),
            Some(body) => {
                self.open_aliases[index] = true;
                let ty = self.ty(body);
                self.open_aliases[index] = false;
                ty
            }
        };
        self.aliases[index] = Some(ty);
        ty
    }
}

/// The built-in type of a keyword.
fn built_in(key: K) -> Kind {
    match key {
        K::Bool => Kind::Bool,
        K::Int => Kind::Int,
        K::Float => Kind::Float,
        K::Str => Kind::Str,
        K::Data => Kind::Data,
        K::Event => Kind::Event,
        K::Machine => Kind::Machine,
        K::Any => Kind::Any,
        // The parser accepts no other keyword as a type.
        _ => Kind::Error,
    }
}
