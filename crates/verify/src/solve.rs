//! Equations that hold in every execution are solved before the solver sees them.
//!
//! A sequentialised program guesses values and confirms them later: its assertions contain many equations between an unknown and
//! a term. Solving one enables the next: once the initial values of a task are known, its tests fold, and the equations of its
//! own guesses become visible. Each unknown becomes a definition, so that models still contain it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::NoAnswer;
use crate::limits::VerifyLimits;
use crate::term::{Node, Op, Term, Terms};

/// Assertions after equations have been solved.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    /// The remaining assertions.
    pub(crate) rest: Vec<Term>,
    /// Unknowns and their definitions, which are acyclic.
    pub(crate) definitions: FxHashMap<Term, Term>,
}

/// Larger terms are not searched for the unknown that they would define.
const LARGE: usize = 5_000;
/// After this much work the rest is left to the solver.
const MOST_VISITS: usize = 300_000_000;

/// Solves the equations of an assertion. The unknowns in `kept` are not eliminated.
pub(crate) fn solve(
    terms: &mut Terms,
    assertion: Term,
    kept: &FxHashSet<Term>,
    limits: &VerifyLimits,
) -> Result<Solved, NoAnswer> {
    let mut solved = Solved::default();
    let mut fresh = vec![assertion];
    let mut visits = 0;
    loop {
        let mut found: FxHashMap<Term, Term> = FxHashMap::default();
        while let Some(term) = fresh.pop() {
            limits.hold(terms.len())?;
            match terms.node(term) {
                Node::Bool(true) => continue,
                Node::App(Op::And, args) => {
                    fresh.extend(args.iter());
                    continue;
                }
                _ => {}
            }
            let binding = binding(terms, term).into_iter().find(|(unknown, value)| {
                !kept.contains(unknown)
                    && !found.contains_key(unknown)
                    && !mentions(terms, &found, *value, *unknown)
            });
            match binding {
                Some((unknown, value)) => {
                    found.insert(unknown, value);
                }
                None => solved.rest.push(term),
            }
        }
        if found.is_empty() || visits > MOST_VISITS {
            solved.definitions.extend(found);
            return Ok(solved);
        }
        // A new definition may occur in the remaining assertions only: earlier definitions are not rewritten.
        let mut rewrite = Rewrite::new(&found);
        for term in std::mem::take(&mut solved.rest) {
            let simpler = rewrite.term(terms, term, limits)?;
            if simpler == term { solved.rest.push(term) } else { fresh.push(simpler) }
        }
        visits += rewrite.done.len();
        solved.definitions.extend(found);
    }
}

/// The definitions of an unknown that a condition implies.
fn binding(terms: &Terms, condition: Term) -> Vec<(Term, Term)> {
    let unknown = |t: Term| matches!(terms.node(t), Node::Unknown(_));
    match terms.node(condition) {
        Node::Unknown(_) => vec![(condition, Terms::TRUE)],
        Node::App(Op::Not, args) if unknown(args[0]) => vec![(args[0], Terms::FALSE)],
        Node::App(Op::Eq, args) => {
            let both = [(args[0], args[1]), (args[1], args[0])];
            both.into_iter().filter(|(u, _)| unknown(*u)).collect()
        }
        _ => Vec::new(),
    }
}

/// True if an unknown occurs in a term, or in a definition of an unknown in it.
fn mentions(terms: &Terms, found: &FxHashMap<Term, Term>, value: Term, unknown: Term) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![value];
    while let Some(term) = todo.pop() {
        if term == unknown || seen.len() > LARGE {
            return true;
        }
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::App(_, args) => todo.extend(args.iter()),
            Node::Quantified(_, _, body, _) => todo.push(*body),
            Node::Unknown(_) => todo.extend(found.get(&term)),
            _ => {}
        }
    }
    false
}

/// Substitutes definitions for unknowns.
struct Rewrite<'f> {
    found: &'f FxHashMap<Term, Term>,
    /// The unknowns, sorted.
    unknowns: Vec<Term>,
    done: FxHashMap<Term, Term>,
}

impl<'f> Rewrite<'f> {
    fn new(found: &'f FxHashMap<Term, Term>) -> Self {
        let mut unknowns: Vec<Term> = found.keys().copied().collect();
        unknowns.sort_unstable();
        Rewrite { found, unknowns, done: FxHashMap::default() }
    }

    /// True if one of the unknowns may occur in a term.
    fn concerns(&self, terms: &Terms, term: Term) -> bool {
        let Some((first, last)) = terms.unknowns(term) else { return false };
        let at = self.unknowns.partition_point(|u| *u < first);
        self.unknowns.get(at).is_some_and(|u| *u <= last)
    }

    /// The result for a term, if it is known.
    fn known(&self, terms: &Terms, term: Term) -> Option<Term> {
        if let Some(result) = self.done.get(&term) {
            return Some(*result);
        }
        (!self.concerns(terms, term)).then_some(term)
    }

    fn term(&mut self, terms: &mut Terms, root: Term, limits: &VerifyLimits) -> Result<Term, NoAnswer> {
        let mut todo = vec![root];
        while let Some(term) = todo.last().copied() {
            limits.hold(terms.len())?;
            if self.known(terms, term).is_some() {
                todo.pop();
                continue;
            }
            // A definition may contain further unknowns that have definitions.
            let parts: Vec<Term> = match terms.node(term) {
                Node::Unknown(_) => self.found.get(&term).copied().into_iter().collect(),
                Node::App(_, args) => args.to_vec(),
                Node::Quantified(_, _, body, patterns) => {
                    [*body].into_iter().chain(patterns.iter().flat_map(|p| p.iter().copied())).collect()
                }
                _ => Vec::new(),
            };
            let before = todo.len();
            todo.extend(parts.iter().copied().filter(|p| self.known(terms, *p).is_none()));
            if todo.len() > before {
                continue;
            }
            todo.pop();
            let result = self.rebuilt(terms, term, &parts);
            self.done.insert(term, result);
        }
        Ok(self.known(terms, root).unwrap_or(root))
    }

    fn rebuilt(&self, terms: &mut Terms, term: Term, parts: &[Term]) -> Term {
        let new: Vec<Term> = parts.iter().map(|p| self.known(terms, *p).unwrap_or(*p)).collect();
        match terms.node(term).clone() {
            Node::Unknown(_) => new.first().copied().unwrap_or(term),
            Node::App(op, _) => {
                let sort = terms.sort_of(term);
                terms.rebuild(&op, &new, sort)
            }
            Node::Quantified(head, vars, _, patterns) => {
                let mut rest = new[1..].iter().copied();
                let patterns = patterns.iter().map(|p| rest.by_ref().take(p.len()).collect()).collect();
                let head = terms.text(head).to_owned();
                terms.quantified(&head, &vars, new[0], patterns)
            }
            _ => term,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn guesses_unlock_each_other() {
        let mut terms = Terms::default();
        let (x, y) = (terms.unknown("x", Sort::INT), terms.unknown("y", Sort::INT));
        let (e, f) = (terms.unknown("e", Sort::BOOL), terms.unknown("f", Sort::BOOL));
        // ¬e ∧ (e ∨ (x = 1 ∧ (f ∨ y = x + 1))) ∧ ¬f ∧ y ≠ 2
        let (one, two) = (terms.int(1), terms.int(2));
        let next = terms.add_terms(x, one);
        let (a, b, c) = (terms.eq(x, one), terms.eq(y, next), terms.eq(y, two));
        let inner = terms.or(f, b);
        let both = terms.and(a, inner);
        let middle = terms.or(e, both);
        let (not_e, not_f, not_c) = (terms.not(e), terms.not(f), terms.not(c));
        let mut all = terms.and(not_e, middle);
        for more in [not_f, not_c] {
            all = terms.and(all, more);
        }
        let solved = solve(&mut terms, all, &FxHashSet::default(), &VerifyLimits::default()).unwrap();
        assert_eq!(solved.rest, vec![Terms::FALSE]);
        assert_eq!(solved.definitions[&x], one);
    }

    #[test]
    fn cyclic_equations_are_kept() {
        let mut terms = Terms::default();
        let (x, y) = (terms.unknown("x", Sort::INT), terms.unknown("y", Sort::INT));
        let one = terms.int(1);
        let (a, b) = (terms.add_terms(x, one), terms.add_terms(y, one));
        let (a, b) = (terms.eq(y, a), terms.eq(x, b));
        let all = terms.and(a, b);
        let solved = solve(&mut terms, all, &FxHashSet::default(), &VerifyLimits::default()).unwrap();
        assert_eq!(solved.definitions.len(), 1);
        assert_eq!(solved.rest.len(), 1);
    }
}
