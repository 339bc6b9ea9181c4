//! Scopes: what names stand for.

use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::hir::{FunctionId, GlobalId, LocalId};
use crate::types::{EnumId, RecordId, TypeId};

/// The meaning of an ordinary name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entity {
    Typedef(TypeId),
    Enumerator(i128, TypeId),
    Global(GlobalId),
    Function(FunctionId),
    /// A local variable; for an array of variable length also the variable with the number of elements.
    Local(LocalId, Option<LocalId>),
    /// A name whose declaration has an error, which was reported.
    Error,
}

/// The meaning of a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// The bindings of one kind of names.
#[derive(Debug)]
struct Space<V> {
    /// Innermost last, with the level of the scope.
    bindings: FxHashMap<Sym, Vec<(u32, V)>>,
    /// The names that each scope above the outermost declares.
    log: Vec<Vec<Sym>>,
}

impl<V: Copy> Space<V> {
    fn declare(&mut self, sym: Sym, value: V) {
        let level = self.log.len() as u32;
        let list = self.bindings.entry(sym).or_default();
        match list.last_mut() {
            Some((at, old)) if *at == level => *old = value,
            _ => {
                list.push((level, value));
                if let Some(log) = self.log.last_mut() {
                    log.push(sym);
                }
            }
        }
    }

    fn close(&mut self) {
        for sym in self.log.pop().unwrap_or_default() {
            if let Some(list) = self.bindings.get_mut(&sym) {
                list.pop();
            }
        }
    }

    fn get(&self, sym: Sym) -> Option<(u32, V)> {
        self.bindings.get(&sym)?.last().copied()
    }
}

impl<V> Default for Space<V> {
    fn default() -> Self {
        Space { bindings: FxHashMap::default(), log: Vec::new() }
    }
}

/// All scopes that are open. Level 0 is the library, level 1 the file scope of a unit.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    names: Space<Entity>,
    tags: Space<Tag>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.names.log.push(Vec::new());
        self.tags.log.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        self.names.close();
        self.tags.close();
    }

    pub(super) fn declare(&mut self, sym: Sym, entity: Entity) {
        self.names.declare(sym, entity);
    }

    pub(super) fn get(&self, sym: Sym) -> Option<Entity> {
        self.names.get(sym).map(|(_, entity)| entity)
    }

    /// The meaning of the name in the innermost scope.
    pub(super) fn here(&self, sym: Sym) -> Option<Entity> {
        let (level, entity) = self.names.get(sym)?;
        (level as usize == self.names.log.len()).then_some(entity)
    }

    /// The meaning of the name in the library.
    pub(super) fn library(&self, sym: Sym) -> Option<Entity> {
        let (level, entity) = self.names.bindings.get(&sym)?.first()?;
        (*level == 0).then_some(*entity)
    }

    /// Returns true if the name is declared by the library only.
    pub(super) fn is_library(&self, sym: Sym) -> bool {
        self.names.get(sym).is_some_and(|(level, _)| level == 0)
    }

    pub(super) fn declare_tag(&mut self, sym: Sym, tag: Tag) {
        self.tags.declare(sym, tag);
    }

    pub(super) fn tag(&self, sym: Sym) -> Option<Tag> {
        self.tags.get(sym).map(|(_, tag)| tag)
    }

    pub(super) fn tag_here(&self, sym: Sym) -> Option<Tag> {
        let (level, tag) = self.tags.get(sym)?;
        (level as usize == self.tags.log.len()).then_some(tag)
    }

    /// The names that are visible, for suggestions.
    pub(super) fn visible(&self) -> impl Iterator<Item = Sym> + '_ {
        self.names.bindings.iter().filter(|(_, list)| !list.is_empty()).map(|(sym, _)| *sym)
    }
}
