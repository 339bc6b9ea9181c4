//! Unification of types.
//!
//! Types share components, so a type can be exponentially larger as a tree than in memory. Every traversal
//! therefore memoises the types that it has visited.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ty::{Ty, TyKind, Types};

/// The unknown types of one expression.
#[derive(Debug, Default)]
pub(super) struct Unknowns {
    found: Vec<Option<Ty>>,
    /// Pairs of types that have been unified.
    solved: FxHashSet<(Ty, Ty)>,
    /// The undo log.
    trail: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    /// An unknown was solved.
    Found(u32),
    /// Two types were unified.
    Solved(Ty, Ty),
}

/// A position in the undo log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    unknowns: usize,
    steps: usize,
}

impl Unknowns {
    /// A new unknown type.
    pub(super) fn fresh(&mut self, types: &mut Types) -> Ty {
        self.found.push(None);
        types.intern(TyKind::Infer(self.found.len() as u32 - 1))
    }

    /// Forgets all unknowns.
    pub(super) fn clear(&mut self) {
        // Clearing a table takes time linear in its capacity: one large expression must not slow down all others.
        const KEPT: usize = 1024;
        self.found.clear();
        self.trail.clear();
        if self.solved.capacity() > KEPT {
            self.solved = FxHashSet::default();
        }
        self.solved.clear();
    }

    /// The current position in the undo log.
    pub(super) fn now(&self) -> Moment {
        Moment { unknowns: self.found.len(), steps: self.trail.len() }
    }

    /// Undoes everything since `to`. Returns the undone solutions of older unknowns.
    pub(super) fn undo(&mut self, to: Moment) -> Vec<(u32, Ty)> {
        let mut undone = Vec::new();
        for step in self.trail.drain(to.steps..) {
            match step {
                Step::Found(unknown) => {
                    let found = self.found[unknown as usize].take();
                    undone.extend(found.map(|ty| (unknown, ty)));
                }
                Step::Solved(a, b) => {
                    self.solved.remove(&(a, b));
                }
            }
        }
        self.found.truncate(to.unknowns);
        undone
    }

    /// Repeats solutions that were undone.
    pub(super) fn redo(&mut self, undone: &[(u32, Ty)]) {
        for (unknown, ty) in undone {
            self.set(*unknown, *ty);
        }
    }

    fn set(&mut self, unknown: u32, ty: Ty) {
        if let Some(slot) = self.found.get_mut(unknown as usize) {
            *slot = Some(ty);
            self.trail.push(Step::Found(unknown));
        }
    }

    /// Resolves an unknown at the top of the type, if it is solved.
    pub(super) fn shallow(&self, types: &Types, mut ty: Ty) -> Ty {
        while let TyKind::Infer(i) = types.kind(ty) {
            match self.found.get(*i as usize) {
                Some(Some(known)) => ty = *known,
                _ => break,
            }
        }
        ty
    }

    /// Replaces all solved unknowns in the type.
    pub(super) fn deep(&self, types: &mut Types, ty: Ty) -> Ty {
        Resolution::default().resolve(self, types, ty)
    }

    /// Unifies two types; returns false if that is impossible. [`TyKind::Error`] unifies with every type.
    pub(super) fn unify(&mut self, types: &mut Types, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.shallow(types, a), self.shallow(types, b));
        if a == b || types.has_error(a) || types.has_error(b) {
            return true;
        }
        if !types.has_infer(a) && !types.has_infer(b) {
            return false;
        }
        let (xs, ys) = match (types.kind(a), types.kind(b)) {
            (TyKind::Infer(i), _) => return self.bind(types, *i, b),
            (_, TyKind::Infer(i)) => return self.bind(types, *i, a),
            (TyKind::Con(c, xs), TyKind::Con(d, ys)) if c == d => (xs.to_vec(), ys.to_vec()),
            (TyKind::Task(Some(x)), TyKind::Task(Some(y))) => (vec![*x], vec![*y]),
            (TyKind::Map(n, xs, x), TyKind::Map(m, ys, y)) if n == m && xs.len() == ys.len() => {
                ([&xs[..], &[*x]].concat(), [&ys[..], &[*y]].concat())
            }
            _ => return false,
        };
        self.solved.contains(&(a, b)) || self.unify_parts(types, (a, b), &xs, &ys)
    }

    fn unify_parts(&mut self, types: &mut Types, pair: (Ty, Ty), xs: &[Ty], ys: &[Ty]) -> bool {
        let equal = dally_text::stack::grow(|| xs.iter().zip(ys).all(|(x, y)| self.unify(types, *x, *y)));
        if equal && self.solved.insert(pair) {
            self.trail.push(Step::Solved(pair.0, pair.1));
        }
        equal
    }

    /// Solves an unknown, unless a bound variable would escape its map type or the type would contain itself.
    fn bind(&mut self, types: &mut Types, unknown: u32, ty: Ty) -> bool {
        let mut resolution = Resolution { watched: Some(unknown), ..Resolution::default() };
        let full = resolution.resolve(self, types, ty);
        if resolution.met || !types.is_closed(full) {
            return false;
        }
        self.set(unknown, full);
        true
    }
}

/// Replaces solved unknowns, with one memo table for several types.
#[derive(Debug, Default)]
pub(super) struct Resolution {
    /// The replacement of unsolved types.
    rest: Option<Ty>,
    /// The unknown of the occurs check, and true if it occurred.
    watched: Option<u32>,
    met: bool,
    done: FxHashMap<Ty, Ty>,
}

impl Resolution {
    /// Replaces unsolved types by `rest`.
    pub(super) fn or(rest: Ty) -> Self {
        Resolution { rest: Some(rest), ..Resolution::default() }
    }

    pub(super) fn resolve(&mut self, unknowns: &Unknowns, types: &mut Types, ty: Ty) -> Ty {
        let ty = unknowns.shallow(types, ty);
        if !types.has_infer(ty) {
            return ty;
        }
        if let TyKind::Infer(unknown) = types.kind(ty) {
            self.met |= self.watched == Some(*unknown);
            return self.rest.unwrap_or(ty);
        }
        if let Some(result) = self.done.get(&ty) {
            return *result;
        }
        let result = dally_text::stack::grow(|| {
            types.map_parts(ty, &mut |types, part, _| self.resolve(unknowns, types, part))
        });
        let result = result.unwrap_or(ty);
        self.done.insert(ty, result);
        result
    }
}
