//! Resolved types: interned, with synonyms expanded.
//!
//! Two types are equal, up to names and order of the variables that map types bind, exactly if their [`Ty`]s are.
//! Variables bound by a map type are de Bruijn indices, in the order of their first occurrence.

use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::Ast;

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Ty(u32);

/// A type constructor that the program declares, in [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TyCon(pub(super) u32);

impl TyCon {
    /// The index of the constructor, for tables by id.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    /// The type of an expression with a reported error; compatible with every type.
    Error,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `string`
    Str,
    /// `regex`
    Regex,
    /// `rmode`
    Rounding,
    /// `bvN`
    Bv(u32),
    /// `floatSeE`
    Float(u32, u32),
    /// A declared type constructor or datatype, applied.
    Con(TyCon, Box<[Ty]>),
    /// A map: the number of variables that it binds, the index types and the value type.
    Map(u32, Box<[Ty]>, Ty),
    /// A task, with the type of its result if it has one.
    Task(Option<Ty>),
    /// A type variable that a function, procedure or quantifier binds.
    Param(u32),
    /// A type variable that a map type binds: the number of map types in between, and its index in the binder.
    Bound(u32, u32),
    /// An unknown type, to be inferred.
    Infer(u32),
}

const HAS_PARAM: u8 = 1;
const HAS_INFER: u8 = 2;
const HAS_ERROR: u8 = 4;

/// A declared type constructor.
#[derive(Clone, Debug)]
pub struct TyConInfo {
    /// Its name.
    pub name: Sym,
    /// The number of its arguments.
    pub arity: usize,
}

/// The interned types.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<TyKind>,
    flags: Vec<u8>,
    /// The number of enclosing map types that a type needs to be closed.
    loose: Vec<u32>,
    ids: FxHashMap<TyKind, Ty>,
    /// The type constructors.
    pub constructors: Vec<TyConInfo>,
    /// The names of type variables, for messages.
    params: Vec<Sym>,
}

impl Ty {
    pub(crate) const ERROR: Ty = Ty(0);
    /// `bool`
    pub const BOOL: Ty = Ty(1);
    /// `int`
    pub const INT: Ty = Ty(2);
    /// `real`
    pub const REAL: Ty = Ty(3);
    pub(crate) const STR: Ty = Ty(4);
    pub(crate) const REGEX: Ty = Ty(5);
    pub(crate) const ROUNDING: Ty = Ty(6);
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Types {
            kinds: Vec::new(),
            flags: Vec::new(),
            loose: Vec::new(),
            ids: FxHashMap::default(),
            constructors: Vec::new(),
            params: Vec::new(),
        };
        // In the order of the constants of `Ty`.
        for kind in [
            TyKind::Error,
            TyKind::Bool,
            TyKind::Int,
            TyKind::Real,
            TyKind::Str,
            TyKind::Regex,
            TyKind::Rounding,
        ] {
            types.intern(kind);
        }
        types
    }
}

impl Types {
    /// Interns a type.
    pub(crate) fn intern(&mut self, kind: TyKind) -> Ty {
        if let Some(ty) = self.ids.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        let (flags, loose) = self.properties(&kind);
        self.flags.push(flags);
        self.loose.push(loose);
        self.kinds.push(kind.clone());
        self.ids.insert(kind, ty);
        ty
    }

    fn properties(&self, kind: &TyKind) -> (u8, u32) {
        let all = |parts: &mut dyn Iterator<Item = Ty>| {
            parts.fold((0, 0), |(f, l), t| (f | self.flags[t.0 as usize], l.max(self.loose[t.0 as usize])))
        };
        match kind {
            TyKind::Error => (HAS_ERROR, 0),
            TyKind::Con(_, args) => all(&mut args.iter().copied()),
            TyKind::Map(_, args, result) => {
                let (flags, loose) = all(&mut args.iter().copied().chain([*result]));
                (flags, loose.saturating_sub(1))
            }
            TyKind::Task(Some(result)) => all(&mut [*result].into_iter()),
            TyKind::Param(_) => (HAS_PARAM, 0),
            TyKind::Bound(depth, _) => (0, depth + 1),
            TyKind::Infer(_) => (HAS_INFER, 0),
            _ => (0, 0),
        }
    }

    /// The kind of a type.
    pub fn kind(&self, ty: Ty) -> &TyKind {
        &self.kinds[ty.0 as usize]
    }

    pub(super) fn has_param(&self, ty: Ty) -> bool {
        self.flags[ty.0 as usize] & HAS_PARAM != 0
    }

    pub(super) fn has_infer(&self, ty: Ty) -> bool {
        self.flags[ty.0 as usize] & HAS_INFER != 0
    }

    pub(super) fn has_error(&self, ty: Ty) -> bool {
        self.flags[ty.0 as usize] & HAS_ERROR != 0
    }

    pub(super) fn is_closed(&self, ty: Ty) -> bool {
        self.loose[ty.0 as usize] == 0
    }

    /// Adds type variables of these names. Returns the number of the first one.
    pub(super) fn new_params(&mut self, names: impl IntoIterator<Item = Sym>) -> u32 {
        let first = self.params.len() as u32;
        self.params.extend(names);
        first
    }

    /// Applies `f` to each component of a type; none for a type without components. `f` also gets the number of
    /// binders that it enters: 1 for components of a map type, 0 for others.
    pub(super) fn map_parts(&mut self, ty: Ty, f: &mut dyn FnMut(&mut Types, Ty, u32) -> Ty) -> Option<Ty> {
        let kind = match self.kind(ty).clone() {
            TyKind::Con(con, args) => TyKind::Con(con, args.iter().map(|t| f(self, *t, 0)).collect()),
            TyKind::Map(params, args, value) => {
                let args = args.iter().map(|t| f(self, *t, 1)).collect();
                TyKind::Map(params, args, f(self, value, 1))
            }
            TyKind::Task(Some(value)) => TyKind::Task(Some(f(self, value, 0))),
            _ => return None,
        };
        Some(self.intern(kind))
    }

    /// Rebuilds a type: `leaf` maps each component that is not a constructor, map or task, given the number of
    /// enclosing map types; components for which `skip` holds are left unchanged.
    pub(super) fn rebuild(
        &mut self,
        ty: Ty,
        skip: &dyn Fn(&Types, Ty, u32) -> bool,
        leaf: &mut dyn FnMut(&mut Types, Ty, u32) -> Ty,
    ) -> Ty {
        self.rebuild_at(ty, 0, skip, leaf, &mut FxHashMap::default())
    }

    fn rebuild_at(
        &mut self,
        ty: Ty,
        depth: u32,
        skip: &dyn Fn(&Types, Ty, u32) -> bool,
        leaf: &mut dyn FnMut(&mut Types, Ty, u32) -> Ty,
        done: &mut FxHashMap<(Ty, u32), Ty>,
    ) -> Ty {
        if skip(self, ty, depth) {
            return ty;
        }
        if let Some(result) = done.get(&(ty, depth)) {
            return *result;
        }
        let result = dally_text::stack::grow(|| {
            let rebuilt = self.map_parts(ty, &mut |types, part, inside| {
                types.rebuild_at(part, depth + inside, skip, leaf, done)
            });
            rebuilt.unwrap_or_else(|| leaf(self, ty, depth))
        });
        done.insert((ty, depth), result);
        result
    }

    /// Substitutes type variables. The replacements must be closed.
    pub(super) fn subst(&mut self, ty: Ty, with: &dyn Fn(u32) -> Option<Ty>) -> Ty {
        self.rebuild(ty, &|types, t, _| !types.has_param(t), &mut |types, t, _| match types.kind(t) {
            TyKind::Param(p) => with(*p).unwrap_or(t),
            _ => t,
        })
    }

    /// Substitutes the type variables `first`, `first + 1`, ….
    pub(super) fn subst_params(&mut self, ty: Ty, first: u32, with: &[Ty]) -> Ty {
        if !self.has_param(ty) {
            return ty;
        }
        self.subst(ty, &|p| p.checked_sub(first).and_then(|i| with.get(i as usize)).copied())
    }

    /// Instantiates the bound variables in a component of a map type.
    pub(super) fn open(&mut self, part: Ty, with: &[Ty]) -> Ty {
        self.rebuild(part, &|types, t, depth| types.loose[t.0 as usize] <= depth, &mut |types, t, depth| {
            match *types.kind(t) {
                TyKind::Bound(d, i) if d == depth => with[i as usize],
                _ => t,
            }
        })
    }

    /// The map type that binds the variables from `first` on, in the order of their occurrence.
    pub(super) fn close(&mut self, first: u32, count: u32, args: &[Ty], value: Ty) -> Ty {
        let mut order: FxHashMap<u32, u32> = FxHashMap::default();
        let mut parts: Vec<Ty> = args.iter().copied().chain([value]).collect();
        for part in &mut parts {
            let mut leaf = |types: &mut Types, t: Ty, depth: u32| match *types.kind(t) {
                TyKind::Param(p) if (first..first + count).contains(&p) => {
                    let next = order.len() as u32;
                    let index = *order.entry(p).or_insert(next);
                    types.intern(TyKind::Bound(depth, index))
                }
                _ => t,
            };
            *part = self.rebuild(*part, &|types, t, _| !types.has_param(t), &mut leaf);
        }
        let value = parts.pop().unwrap_or(Ty::ERROR);
        self.intern(TyKind::Map(count, parts.into(), value))
    }

    /// The numbers of the type variables that occur in the types.
    pub(super) fn params_in(&self, types: &[Ty]) -> FxHashSet<u32> {
        let mut params = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut todo = types.to_vec();
        while let Some(ty) = todo.pop() {
            if !self.has_param(ty) || !seen.insert(ty) {
                continue;
            }
            match self.kind(ty) {
                TyKind::Param(p) => {
                    params.insert(*p);
                }
                TyKind::Con(_, args) => todo.extend_from_slice(args),
                TyKind::Map(_, args, value) => {
                    todo.extend_from_slice(args);
                    todo.push(*value);
                }
                TyKind::Task(result) => todo.extend(*result),
                _ => {}
            }
        }
        params
    }

    /// The text of the type, for messages.
    pub(crate) fn display(&self, ast: &Ast, ty: Ty) -> String {
        let mut writer = Writer { types: self, ast, bound: Vec::new(), out: String::new() };
        writer.ty(ty, false);
        writer.out
    }
}

/// Writes types for messages.
struct Writer<'a> {
    types: &'a Types,
    ast: &'a Ast,
    /// For each enclosing map type, the number of its first bound variable.
    bound: Vec<u32>,
    out: String,
}

impl Writer<'_> {
    /// Writes a type. One that is an argument of a type constructor may need parentheses.
    fn ty(&mut self, ty: Ty, as_arg: bool) {
        // The text of a type can be exponentially larger than its declaration.
        const MOST: usize = 200;
        if self.out.len() > MOST || self.bound.len() > 20 {
            if !self.out.ends_with('…') {
                self.out.push('…');
            }
            return;
        }
        let types = self.types;
        match types.kind(ty) {
            TyKind::Error | TyKind::Infer(_) => self.out.push('?'),
            TyKind::Bool => self.out.push_str("bool"),
            TyKind::Int => self.out.push_str("int"),
            TyKind::Real => self.out.push_str("real"),
            TyKind::Str => self.out.push_str("string"),
            TyKind::Regex => self.out.push_str("regex"),
            TyKind::Rounding => self.out.push_str("rmode"),
            TyKind::Bv(n) => self.out.push_str(&format!("bv{n}")),
            TyKind::Float(s, e) => self.out.push_str(&format!("float{s}e{e}")),
            TyKind::Param(p) => self.out.push_str(self.ast.text(types.params[*p as usize])),
            TyKind::Bound(depth, index) => {
                let binder = self.bound.len().checked_sub(1 + *depth as usize);
                let first = binder.map_or(0, |i| self.bound[i]);
                self.out.push_str(&bound_name(first + index));
            }
            TyKind::Task(result) => self.application("task", result.as_slice(), as_arg),
            TyKind::Con(con, args) => {
                let name = self.ast.text(types.constructors[con.index()].name);
                self.application(name, args, as_arg);
            }
            TyKind::Map(params, args, value) => self.map(*params, args, *value, as_arg),
        }
    }

    /// A type constructor applied to arguments.
    fn application(&mut self, name: &str, args: &[Ty], as_arg: bool) {
        let parens = as_arg && !args.is_empty();
        self.out.push_str(if parens { "(" } else { "" });
        self.out.push_str(name);
        for arg in args {
            self.out.push(' ');
            self.ty(*arg, true);
        }
        self.out.push_str(if parens { ")" } else { "" });
    }

    fn map(&mut self, params: u32, args: &[Ty], value: Ty, as_arg: bool) {
        let first = self.bound.len() as u32;
        let names: Vec<_> = (0..params).map(|i| bound_name(first + i)).collect();
        self.out.push_str(if as_arg { "(" } else { "" });
        if !names.is_empty() {
            self.out.push_str(&format!("<{}>", names.join(", ")));
        }
        self.bound.push(first);
        self.out.push('[');
        for (i, arg) in args.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.ty(*arg, false);
        }
        self.out.push(']');
        self.ty(value, false);
        self.bound.pop();
        self.out.push_str(if as_arg { ")" } else { "" });
    }
}

/// Names for the variables that map types bind: a, b, …, z, a1, …
fn bound_name(index: u32) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        n => format!("{letter}{n}"),
    }
}
