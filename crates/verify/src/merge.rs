//! Where ways through a procedure come together.
//!
//! The way to a block is a list of conditions, each added where a way parts or something is assumed. Two ways that come
//! together again share the beginning of their lists; only the rest says which one was taken. Ways exclude
//! each other: everything that is chosen is a value of its own.

use std::rc::Rc;

use crate::term::{Node, Term, Terms};

/// A list of conditions in [`Ways`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way(u32);

impl Way {
    /// No condition: where a procedure begins.
    pub(crate) const START: Way = Way(0);
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    condition: Term,
    /// The conjunction of the whole list.
    all: Term,
    length: u32,
}

/// The ways through a procedure.
#[derive(Debug)]
pub(crate) struct Ways {
    links: Vec<Link>,
}

impl Default for Ways {
    fn default() -> Self {
        Ways { links: vec![Link { before: 0, condition: Terms::TRUE, all: Terms::TRUE, length: 0 }] }
    }
}

/// The values of variables, by slot. Ways share them until one changes something.
pub(crate) type Values = Rc<Vec<Term>>;

impl Ways {
    /// All conditions together.
    pub(crate) fn all(&self, way: Way) -> Term {
        self.links[way.0 as usize].all
    }

    /// The way on which a condition holds as well; none if it cannot hold.
    pub(crate) fn with(&mut self, terms: &mut Terms, way: Way, condition: Term) -> Option<Way> {
        match self.known(terms, way, condition) {
            Some(true) => Some(way),
            Some(false) => None,
            None => {
                let Link { all, length, .. } = self.links[way.0 as usize];
                let all = terms.and(all, condition);
                self.links.push(Link { before: way.0, condition, all, length: length + 1 });
                Some(Way(self.links.len() as u32 - 1))
            }
        }
    }

    /// Whether a condition holds on a way, as far as one of the last conditions of its list says so.
    pub(crate) fn known(&self, terms: &mut Terms, way: Way, condition: Term) -> Option<bool> {
        const LAST: usize = 64;
        if let Node::Bool(value) = terms.node(condition) {
            return Some(*value);
        }
        let negated = terms.not(condition);
        let mut at = way.0;
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

    /// The conditions after those that all ways share, and the way up to there.
    fn apart(&self, ways: &[Way]) -> (Way, Vec<Vec<Term>>) {
        let mut shared = ways[0].0;
        for way in &ways[1..] {
            let mut other = way.0;
            while shared != other {
                if self.links[shared as usize].length >= self.links[other as usize].length {
                    shared = self.links[shared as usize].before;
                } else {
                    other = self.links[other as usize].before;
                }
            }
        }
        let rest = |way: &Way| {
            let mut conditions = Vec::new();
            let mut at = way.0;
            while at != shared {
                conditions.push(self.links[at as usize].condition);
                at = self.links[at as usize].before;
            }
            conditions.reverse();
            conditions
        };
        (Way(shared), ways.iter().map(rest).collect())
    }

    /// Brings ways together; none if there are none.
    pub(crate) fn merge(&mut self, terms: &mut Terms, incoming: Vec<(Way, Values)>) -> Option<(Way, Values)> {
        if incoming.len() <= 1 {
            return incoming.into_iter().next();
        }
        let ways: Vec<Way> = incoming.iter().map(|(way, _)| *way).collect();
        let (shared, rests) = self.apart(&ways);
        let parts: Vec<(&[Term], Values)> = rests
            .iter()
            .map(Vec::as_slice)
            .zip(incoming.iter().map(|(_, values)| Rc::clone(values)))
            .collect();
        let (condition, values) = join(terms, &parts);
        let way = self.with(terms, shared, condition)?;
        Some((way, values))
    }
}

/// The condition that one of the ways was taken, and the values of variables then.
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
        // All begin with a condition or its opposite.
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
