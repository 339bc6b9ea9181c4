//! Type expressions, as written.

use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::ast::Ident;

/// A type expression in [`TypeExprs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeId(u32);

/// A list of type expressions in [`TypeExprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TypeList {
    start: u32,
    len: u32,
}

/// A type as it is written, before resolution.
#[derive(Clone, Debug)]
pub enum TypeExpr {
    /// `bool`.
    Bool,
    /// `int`, the mathematical integers.
    Int,
    /// `real`.
    Real,
    /// `bvN`.
    Bv(u32),
    /// `floatSeE`, with S bits of significand and E of exponent.
    Float(u32, u32),
    /// A type constructor, synonym or variable, with its arguments; also `string`, `regex`, `rmode` and
    /// `task`, unless the program declares these itself.
    Named(Sym, TypeList),
    /// `<params>[args]result`.
    Map(Box<MapType>),
}

/// The parts of a map type.
#[derive(Clone, Debug)]
pub struct MapType {
    /// The type variables that it binds.
    pub params: Vec<Ident>,
    /// The types of the indices.
    pub args: TypeList,
    /// The type of the values.
    pub result: TypeId,
}

/// The arena of type expressions. A type expression comes after its components.
#[derive(Clone, Debug, Default)]
pub struct TypeExprs {
    nodes: Vec<(TypeExpr, Span)>,
    lists: Vec<TypeId>,
}

impl TypeExprs {
    /// Adds a type expression.
    pub fn add(&mut self, ty: TypeExpr, span: Span) -> TypeId {
        self.nodes.push((ty, span));
        TypeId((self.nodes.len() - 1) as u32)
    }

    /// All type expressions, components first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TypeExpr> {
        self.nodes.iter().map(|(ty, _)| ty)
    }

    /// Adds a list.
    pub fn add_list(&mut self, items: &[TypeId]) -> TypeList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        TypeList { start, len: items.len() as u32 }
    }

    /// The types of a list.
    pub fn list(&self, list: TypeList) -> &[TypeId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// The ids of all type expressions, unreferenced ones included.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.nodes.len() as u32).map(TypeId)
    }

    /// Replaces a type expression. The components of the new one must come before it in the arena.
    pub fn replace(&mut self, id: TypeId, ty: TypeExpr) {
        self.nodes[id.0 as usize].0 = ty;
    }

    /// Its span.
    pub(crate) fn span(&self, id: TypeId) -> Span {
        self.nodes[id.0 as usize].1
    }
}

impl std::ops::Index<TypeId> for TypeExprs {
    type Output = TypeExpr;

    fn index(&self, id: TypeId) -> &TypeExpr {
        &self.nodes[id.0 as usize].0
    }
}
