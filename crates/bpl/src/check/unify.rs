//! Making types equal by finding out the unknown ones.

use super::ty::{Ty, TyKind, Types};

/// The unknown types of one expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Unknowns {
    found: Vec<Option<Ty>>,
}

impl Unknowns {
    /// A new unknown type.
    pub(super) fn fresh(&mut self, types: &mut Types) -> Ty {
        self.found.push(None);
        types.intern(TyKind::Infer(self.found.len() as u32 - 1))
    }

    /// A copy to go back to, if one is needed.
    pub(super) fn clone_if(&self, needed: bool) -> Option<Self> {
        needed.then(|| self.clone())
    }

    /// Forgets all unknowns.
    pub(super) fn clear(&mut self) {
        self.found.clear();
    }

    /// The type itself, or what has been found out about it at the top.
    pub(super) fn shallow(&self, types: &Types, mut ty: Ty) -> Ty {
        while let TyKind::Infer(i) = types.kind(ty) {
            match self.found.get(*i as usize) {
                Some(Some(known)) => ty = *known,
                _ => break,
            }
        }
        ty
    }

    /// The type with everything that has been found out put in. What is still unknown becomes `rest`.
    pub(super) fn deep(&self, types: &mut Types, ty: Ty, rest: Option<Ty>) -> Ty {
        if !types.has_infer(ty) {
            return ty;
        }
        types.rebuild(ty, &|types, t, _| !types.has_infer(t), &mut |types, t, _| {
            let known = self.shallow(types, t);
            match types.kind(known) {
                TyKind::Infer(_) => rest.unwrap_or(known),
                _ => crate::stack::grow(|| self.deep(types, known, rest)),
            }
        })
    }

    /// Makes the two equal, if that is possible. Types that have been reported as wrong fit everything.
    pub(super) fn unify(&mut self, types: &mut Types, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.shallow(types, a), self.shallow(types, b));
        if a == b || types.has_error(a) || types.has_error(b) {
            return true;
        }
        if !types.has_infer(a) && !types.has_infer(b) {
            return false;
        }
        match (types.kind(a).clone(), types.kind(b).clone()) {
            (TyKind::Infer(i), _) => self.bind(types, i, b),
            (_, TyKind::Infer(i)) => self.bind(types, i, a),
            (TyKind::Con(c, xs), TyKind::Con(d, ys)) if c == d => self.unify_all(types, &xs, &ys),
            (TyKind::Task(Some(x)), TyKind::Task(Some(y))) => self.unify_all(types, &[x], &[y]),
            (TyKind::Map(n, xs, x), TyKind::Map(m, ys, y)) if n == m && xs.len() == ys.len() => {
                self.unify_all(types, &xs, &ys) && self.unify_all(types, &[x], &[y])
            }
            _ => false,
        }
    }

    fn unify_all(&mut self, types: &mut Types, xs: &[Ty], ys: &[Ty]) -> bool {
        crate::stack::grow(|| xs.iter().zip(ys).all(|(x, y)| self.unify(types, *x, *y)))
    }

    /// What a map binds must not escape from it, and no type contains itself.
    fn bind(&mut self, types: &mut Types, unknown: u32, ty: Ty) -> bool {
        let full = self.deep(types, ty, None);
        let itself = types.intern(TyKind::Infer(unknown));
        let mut occurs = false;
        types.rebuild(full, &|types, t, _| !types.has_infer(t), &mut |_, t, _| {
            occurs |= t == itself;
            t
        });
        if occurs || !types.is_closed(full) {
            return false;
        }
        if let Some(slot) = self.found.get_mut(unknown as usize) {
            *slot = Some(full);
        }
        true
    }
}
