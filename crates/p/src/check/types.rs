//! Interned types: equal types have equal ids. Aliases are expanded.
//!
//! Deviation from P: an alias of a machine or an enumeration is allowed wherever the aliased type is. P's own checker
//! rejects some of these uses.

use std::sync::Mutex;

use dally_text::stack;
use dally_text::symbol::{Sym, Symbols};
use rustc_hash::FxHashMap;

use super::info::EventSet;

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Ty(u32);

/// The kinds of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// The type of an expression with a reported error; compatible with every type.
    Error,
    /// The type of `null`, of events without payload, and of functions without result.
    Null,
    Bool,
    Int,
    Float,
    Str,
    Data,
    Any,
    Event,
    Machine,
    Enum(u32),
    Foreign(Sym),
    /// A machine with the events that can be sent to it, and the name in the source.
    Permission(Permission, Sym),
    Seq(Ty),
    Set(Ty),
    Map(Ty, Ty),
    Tuple(Vec<Ty>),
    Named(Vec<(Sym, Ty)>),
}

impl Kind {
    /// The types of the components.
    fn parts(&self) -> Vec<Ty> {
        match self {
            Kind::Seq(t) | Kind::Set(t) => vec![*t],
            Kind::Map(a, b) => vec![*a, *b],
            Kind::Tuple(fields) => fields.clone(),
            Kind::Named(fields) => fields.iter().map(|field| field.1).collect(),
            _ => Vec::new(),
        }
    }
}

/// The source of a permission to send events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Permission {
    /// An interface; each machine has one of the same name.
    Interface(u32),
    /// A set of events.
    Set(u32),
    /// One event.
    Event(u32),
    /// A specification, to which no event can be sent.
    Spec,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    kinds: Vec<Kind>,
    ids: FxHashMap<Kind, Ty>,
    /// The events of each permission, known after resolution.
    pub(super) allowed: FxHashMap<Permission, EventSet>,
    /// Names of enumerations.
    pub(super) enums: Vec<Sym>,
    known: Known,
}

/// A memo of pairs of assignable types: types share components, so without it checks take exponential time.
#[derive(Debug, Default)]
struct Known(Mutex<FxHashMap<(Ty, Ty), bool>>);

impl Clone for Known {
    fn clone(&self) -> Self {
        // The memo can be recomputed.
        Self::default()
    }
}

impl Known {
    fn with<A>(&self, f: impl FnOnce(&mut FxHashMap<(Ty, Ty), bool>) -> A) -> A {
        f(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl Types {
    /// See [`Kind::Error`].
    pub(crate) const ERROR: Ty = Ty(0);
    /// See [`Kind::Null`].
    pub(crate) const NULL: Ty = Ty(1);
    pub(crate) const BOOL: Ty = Ty(2);
    pub(crate) const INT: Ty = Ty(3);
    pub(crate) const FLOAT: Ty = Ty(4);
    pub(crate) const STR: Ty = Ty(5);
    pub(crate) const EVENT: Ty = Ty(6);
    pub(crate) const MACHINE: Ty = Ty(7);
    pub(crate) const ANY: Ty = Ty(8);

    pub(super) fn new() -> Self {
        let mut types = Types {
            kinds: Vec::new(),
            ids: FxHashMap::default(),
            allowed: FxHashMap::default(),
            enums: Vec::new(),
            known: Known::default(),
        };
        for kind in [
            Kind::Error,
            Kind::Null,
            Kind::Bool,
            Kind::Int,
            Kind::Float,
            Kind::Str,
            Kind::Event,
            Kind::Machine,
            Kind::Any,
        ] {
            types.intern(kind);
        }
        types
    }

    /// Interns a type.
    pub(crate) fn intern(&mut self, kind: Kind) -> Ty {
        if let Some(ty) = self.ids.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, ty);
        ty
    }

    /// The kind of a type.
    pub(crate) fn kind(&self, ty: Ty) -> &Kind {
        &self.kinds[ty.0 as usize]
    }

    /// Returns true if a value of type `from` is assignable to type `to`.
    pub(crate) fn fits(&self, to: Ty, from: Ty) -> bool {
        if to == from || to == Self::ERROR || from == Self::ERROR || to == Self::ANY {
            return true;
        }
        if let Some(known) = self.known.with(|known| known.get(&(to, from)).copied()) {
            return known;
        }
        let fits = stack::grow(|| self.fits_inside(to, from));
        self.known.with(|known| known.insert((to, from), fits));
        fits
    }

    fn fits_inside(&self, to: Ty, from: Ty) -> bool {
        match (self.kind(to), self.kind(from)) {
            (Kind::Machine, Kind::Null | Kind::Permission(..)) | (Kind::Event, Kind::Null) => true,
            (Kind::Data, _) => self.permissions(from).is_some_and(|p| p.is_empty()),
            (Kind::Permission(a, _), Kind::Permission(b, _)) => self.allowed(*a) == self.allowed(*b),
            (Kind::Seq(a), Kind::Seq(b)) | (Kind::Set(a), Kind::Set(b)) => self.fits(*a, *b),
            (Kind::Map(a, b), Kind::Map(c, d)) => self.fits(*a, *c) && self.fits(*b, *d),
            (Kind::Tuple(a), Kind::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.fits(*a, *b))
            }
            (Kind::Named(a), Kind::Named(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && self.fits(a.1, b.1))
            }
            _ => false,
        }
    }

    /// Returns true if each type is assignable to the other.
    pub(crate) fn same(&self, a: Ty, b: Ty) -> bool {
        self.fits(a, b) && self.fits(b, a)
    }

    /// The events of a permission.
    pub(crate) fn allowed(&self, permission: Permission) -> Option<&EventSet> {
        self.allowed.get(&permission)
    }

    /// The kinds of a type and of all types in it, each once.
    fn kinds_in(&self, ty: Ty) -> impl Iterator<Item = &Kind> {
        let mut seen = vec![false; self.kinds.len()];
        let mut todo = vec![ty];
        std::iter::from_fn(move || {
            while let Some(ty) = todo.pop() {
                if !std::mem::replace(&mut seen[ty.0 as usize], true) {
                    todo.extend(self.kind(ty).parts());
                    return Some(self.kind(ty));
                }
            }
            None
        })
    }

    /// The events that can be sent to machines in a value of this type; `None` for all events.
    pub(crate) fn permissions(&self, ty: Ty) -> Option<EventSet> {
        let mut all = EventSet::default();
        for kind in self.kinds_in(ty) {
            match kind {
                Kind::Any | Kind::Machine | Kind::Foreign(_) => return None,
                Kind::Permission(permission, _) => all.extend(self.allowed(*permission)?),
                _ => {}
            }
        }
        Some(all)
    }

    /// Adds the names of the foreign types that the type mentions.
    pub(crate) fn foreign_in(&self, ty: Ty, names: &mut Vec<Sym>) {
        for kind in self.kinds_in(ty) {
            match kind {
                Kind::Foreign(name) if !names.contains(name) => names.push(*name),
                _ => {}
            }
        }
    }

    /// The text of the type, for messages.
    pub(crate) fn show(&self, ty: Ty, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(ty, symbols, &mut out);
        out
    }

    fn write(&self, ty: Ty, symbols: &Symbols, out: &mut String) {
        // Types share components: the text can be exponentially longer than the type.
        const MOST: usize = 120;
        if out.len() > MOST {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        let mut list = |open: &str, parts: &[(Option<Sym>, Ty)], close: &str| {
            out.push_str(open);
            for (i, (name, ty)) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if let Some(name) = name {
                    out.push_str(symbols.text(*name));
                    out.push_str(": ");
                }
                stack::grow(|| self.write(*ty, symbols, out));
            }
            out.push_str(close);
        };
        match self.kind(ty) {
            Kind::Error => out.push('?'),
            Kind::Null => out.push_str("null"),
            Kind::Bool => out.push_str("bool"),
            Kind::Int => out.push_str("int"),
            Kind::Float => out.push_str("float"),
            Kind::Str => out.push_str("string"),
            Kind::Event => out.push_str("event"),
            Kind::Machine => out.push_str("machine"),
            Kind::Data => out.push_str("data"),
            Kind::Any => out.push_str("any"),
            Kind::Enum(e) => out.push_str(symbols.text(self.enums[*e as usize])),
            Kind::Foreign(name) | Kind::Permission(_, name) => out.push_str(symbols.text(*name)),
            Kind::Seq(t) => list("seq[", &[(None, *t)], "]"),
            Kind::Set(t) => list("set[", &[(None, *t)], "]"),
            Kind::Map(k, v) => list("map[", &[(None, *k), (None, *v)], "]"),
            Kind::Tuple(fields) => {
                let fields: Vec<_> = fields.iter().map(|t| (None, *t)).collect();
                list("(", &fields, ")");
            }
            Kind::Named(fields) => {
                let fields: Vec<_> = fields.iter().map(|(n, t)| (Some(*n), *t)).collect();
                list("(", &fields, ")");
            }
        }
    }
}
