//! Joins of paths through a procedure.
//!
//! The path condition of a block is a list of conditions, extended at each branch and assumption. Two paths that join share a
//! prefix of their lists; only the rest says which one was taken. Paths exclude each other: the outcome of each
//! nondeterministic choice is an unknown.

use std::rc::Rc;

use crate::term::{Node, Term, Terms};

/// A path condition: a list in [`Paths`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathId(u32);

impl PathId {
    /// No condition: the entry of a procedure.
    pub(crate) const START: PathId = PathId(0);
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    condition: Term,
    /// The conjunction of the whole list.
    all: Term,
    length: u32,
}

/// The path conditions of a procedure.
#[derive(Debug)]
pub(crate) struct Paths {
    links: Vec<Link>,
}

impl Default for Paths {
    fn default() -> Self {
        Paths { links: vec![Link { before: 0, condition: Terms::TRUE, all: Terms::TRUE, length: 0 }] }
    }
}

/// The values of variables, by slot; shared between paths until one of them changes a value.
pub(crate) type Values = Rc<Vec<Term>>;

impl Paths {
    /// All conditions together.
    pub(crate) fn all(&self, path: PathId) -> Term {
        self.links[path.0 as usize].all
    }

    /// The path on which a condition holds as well; none if it cannot hold.
    pub(crate) fn with(&mut self, terms: &mut Terms, path: PathId, condition: Term) -> Option<PathId> {
        match self.known(terms, path, condition) {
            Some(true) => Some(path),
            Some(false) => None,
            None => {
                let Link { all, length, .. } = self.links[path.0 as usize];
                let all = terms.and(all, condition);
                self.links.push(Link { before: path.0, condition, all, length: length + 1 });
                Some(PathId(self.links.len() as u32 - 1))
            }
        }
    }

    /// The value of a condition on a path, if one of the last conditions of its list implies it.
    pub(crate) fn known(&self, terms: &mut Terms, path: PathId, condition: Term) -> Option<bool> {
        const LAST: usize = 64;
        if let Node::Bool(value) = terms.node(condition) {
            return Some(*value);
        }
        let negated = terms.not(condition);
        let mut at = path.0;
        for _ in 0..LAST {
            let link = &self.links[at as usize];
            if link.length == 0 {
                return None;
            }
            if link.condition == condition {
                return Some(true);
            }
            if link.condition == negated {
                return Some(false);
            }
            at = link.before;
        }
        None
    }

    /// The conditions after the common prefix of all paths, and the prefix.
    fn split_prefix(&self, paths: &[PathId]) -> (PathId, Vec<Vec<Term>>) {
        let mut shared = paths[0].0;
        for path in &paths[1..] {
            let mut other = path.0;
            while shared != other {
                if self.links[shared as usize].length >= self.links[other as usize].length {
                    shared = self.links[shared as usize].before;
                } else {
                    other = self.links[other as usize].before;
                }
            }
        }
        let rest = |path: &PathId| {
            let mut conditions = Vec::new();
            let mut at = path.0;
            while at != shared {
                conditions.push(self.links[at as usize].condition);
                at = self.links[at as usize].before;
            }
            conditions.reverse();
            conditions
        };
        (PathId(shared), paths.iter().map(rest).collect())
    }

    /// Joins paths; none if there are none.
    pub(crate) fn merge(
        &mut self,
        terms: &mut Terms,
        incoming: Vec<(PathId, Values)>,
    ) -> Option<(PathId, Values)> {
        if incoming.len() <= 1 {
            return incoming.into_iter().next();
        }
        let paths: Vec<PathId> = incoming.iter().map(|(path, _)| *path).collect();
        let (shared, rests) = self.split_prefix(&paths);
        let parts: Vec<(&[Term], Values)> = rests
            .iter()
            .map(Vec::as_slice)
            .zip(incoming.iter().map(|(_, values)| Rc::clone(values)))
            .collect();
        let (condition, values) = join(terms, &parts);
        let path = self.with(terms, shared, condition)?;
        Some((path, values))
    }
}

/// The condition that one of the paths was taken, and the values of variables then.
fn join(terms: &mut Terms, parts: &[(&[Term], Values)]) -> (Term, Values) {
    if let [(conditions, values)] = parts {
        let all = conditions.iter().fold(Terms::TRUE, |all, c| terms.and(all, *c));
        return (all, Rc::clone(values));
    }
    let first = parts.iter().find_map(|(conditions, _)| conditions.first().copied());
    let Some(first) = first else { return (Terms::TRUE, Rc::clone(&parts[0].1)) };
    let negated = terms.not(first);
    let begins = |with: Term| {
        let own = parts.iter().filter(move |(c, _)| c.first() == Some(&with));
        own.map(|(c, v)| (&c[1..], Rc::clone(v))).collect::<Vec<_>>()
    };
    let (yes, no) = (begins(first), begins(negated));
    if yes.len() + no.len() == parts.len() {
        // All lists begin with a condition or its negation.
        return dally_text::stack::grow(|| match (yes.is_empty(), no.is_empty()) {
            (false, true) => under(terms, first, &yes),
            (true, false) => under(terms, negated, &no),
            _ => {
                let (a, b) = (join(terms, &yes), join(terms, &no));
                (terms.ite(first, a.0, b.0), choose(terms, first, &a.1, &b.1))
            }
        });
    }
    let (yes, others): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|(c, _)| c.first() == Some(&first));
    dally_text::stack::grow(|| {
        let yes: Vec<_> = yes.iter().map(|(c, v)| (&c[1..], Rc::clone(v))).collect();
        let (a, b) = (under(terms, first, &yes), join(terms, &others));
        (terms.or(a.0, b.0), choose(terms, a.0, &a.1, &b.1))
    })
}

fn under(terms: &mut Terms, condition: Term, parts: &[(&[Term], Values)]) -> (Term, Values) {
    let (rest, values) = join(terms, parts);
    (terms.and(condition, rest), values)
}

fn choose(terms: &mut Terms, condition: Term, a: &Values, b: &Values) -> Values {
    if Rc::ptr_eq(a, b) || a == b {
        return Rc::clone(a);
    }
    Rc::new(a.iter().zip(b.iter()).map(|(a, b)| terms.ite(condition, *a, *b)).collect())
}
