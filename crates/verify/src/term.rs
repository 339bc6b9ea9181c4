//! Terms of the solver's logic: hash-consed, so that equal terms have equal ids, and simplified as they are built.
//!
//! The result of a procedure is a term over its inputs. Much of it is known in advance (rounds, flags that are not set, values
//! that are restored), and is folded here instead of being left to the solver.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

/// A term in [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Term(u32);

/// A sort in [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Sort(u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Sort {
    pub(crate) const BOOL: Sort = Sort(0);
    pub(crate) const INT: Sort = Sort(1);
    pub(crate) const REAL: Sort = Sort(2);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    Not,
    And,
    Or,
    Ite,
    Eq,
    Add,
    Sub,
    Mul,
    Neg,
    Lt,
    Le,
    Select,
    Store,
    /// A constructor of a datatype, by its index.
    Construct(u32),
    /// A field of a datatype: the index of the constructor, and of the field.
    Get(u32, u32),
    /// The test for a constructor.
    Is(u32),
    /// Any other operator, by its text.
    Named(u32),
}

/// A term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Bool(bool),
    Int(BigInt),
    /// A literal, by its text.
    Literal(u32),
    /// An uninterpreted constant, by its name.
    Unknown(u32),
    /// A bound variable, by its name.
    Bound(u32),
    App(Op, Box<[Term]>),
    /// A quantifier: its text up to the body (`forall ((x Int))`), its variables, the body, and its patterns.
    Quantified(u32, Box<[Term]>, Term, Box<[Box<[Term]>]>),
}

/// The terms.
#[derive(Debug)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// The free variables: the index of a set.
    free: Vec<u32>,
    quantifiers: Vec<bool>,
    /// The first and the last unknown that occur.
    unknowns: Vec<Option<(Term, Term)>>,
    sets: Vec<Box<[Term]>>,
    set_ids: FxHashMap<Box<[Term]>, u32>,
    ids: FxHashMap<(Node, Sort), Term>,
    texts: Vec<String>,
    text_ids: FxHashMap<String, u32>,
    sort_texts: Vec<String>,
    sort_ids: FxHashMap<String, Sort>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Terms {
            nodes: Vec::new(),
            sorts: Vec::new(),
            free: Vec::new(),
            quantifiers: Vec::new(),
            unknowns: Vec::new(),
            sets: vec![Box::default()],
            set_ids: [(Box::default(), 0)].into_iter().collect(),
            ids: FxHashMap::default(),
            texts: Vec::new(),
            text_ids: FxHashMap::default(),
            sort_texts: Vec::new(),
            sort_ids: FxHashMap::default(),
        };
        // In the order of the constants.
        for sort in ["Bool", "Int", "Real"] {
            terms.sort(sort);
        }
        terms.add(Node::Bool(false), Sort::BOOL);
        terms.add(Node::Bool(true), Sort::BOOL);
        terms
    }
}

impl Terms {
    pub(crate) const FALSE: Term = Term(0);
    pub(crate) const TRUE: Term = Term(1);

    /// The sort with this text.
    pub(crate) fn sort(&mut self, text: &str) -> Sort {
        if let Some(sort) = self.sort_ids.get(text) {
            return *sort;
        }
        let sort = Sort(self.sort_texts.len() as u32);
        self.sort_texts.push(text.to_owned());
        self.sort_ids.insert(text.to_owned(), sort);
        sort
    }

    pub(crate) fn sort_text(&self, sort: Sort) -> &str {
        &self.sort_texts[sort.index()]
    }

    pub(crate) fn text_id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.text_ids.get(text) {
            return *id;
        }
        let id = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.text_ids.insert(text.to_owned(), id);
        id
    }

    pub(crate) fn text(&self, id: u32) -> &str {
        &self.texts[id as usize]
    }

    /// All terms; operands come before the terms that use them.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    pub(crate) fn sort_of(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// True if a bound variable occurs freely in it.
    pub(crate) fn is_open(&self, term: Term) -> bool {
        self.free[term.index()] != 0
    }

    /// The bound variables that occur freely in it.
    pub(crate) fn free(&self, term: Term) -> &[Term] {
        match self.free[term.index()] {
            0 => &[],
            set => &self.sets[set as usize],
        }
    }

    /// The first and the last unknown, in the order of creation, that occur in it.
    pub(crate) fn unknowns(&self, term: Term) -> Option<(Term, Term)> {
        self.unknowns[term.index()]
    }

    /// Applies an operator to other operands.
    pub(crate) fn rebuild(&mut self, op: &Op, args: &[Term], sort: Sort) -> Term {
        match (op, args) {
            (Op::Not, [a]) => self.not(*a),
            (Op::And | Op::Or, _) => self.junction(op.clone(), args),
            (Op::Ite, [a, b, c]) => self.ite(*a, *b, *c),
            (Op::Eq, [a, b]) => self.eq(*a, *b),
            (Op::Add, [a, b]) => self.add_terms(*a, *b),
            (Op::Sub, [a, b]) => self.sub_terms(*a, *b),
            (Op::Mul, [a, b]) => self.mul(*a, *b),
            (Op::Neg, [a]) => self.neg(*a),
            (Op::Lt, [a, b]) => self.lt(*a, *b),
            (Op::Le, [a, b]) => self.le(*a, *b),
            (Op::Select, [map, index]) => self.select(*map, *index, sort),
            (Op::Store, [map, index, value]) => self.store(*map, *index, *value),
            (Op::Get(c, f), [a]) => self.get(*c, *f, *a, sort),
            (Op::Is(c), [a]) => self.is(*c, *a),
            _ => self.app(op.clone(), args, sort),
        }
    }

    /// True if a quantifier occurs in it.
    pub(crate) fn has_quantifier(&self, term: Term) -> bool {
        self.quantifiers[term.index()]
    }

    /// True if its sort is `Int` or `Real`.
    pub(crate) fn is_number(&self, term: Term) -> bool {
        matches!(self.sort_of(term), Sort::INT | Sort::REAL)
    }

    fn union(&mut self, parts: &[Term], without: &[Term]) -> u32 {
        let mut sets: Vec<u32> = parts.iter().map(|p| self.free[p.index()]).filter(|s| *s != 0).collect();
        sets.sort_unstable();
        sets.dedup();
        if sets.is_empty() || sets.len() == 1 && without.is_empty() {
            return sets.first().copied().unwrap_or(0);
        }
        let mut all: Vec<Term> = sets.iter().flat_map(|s| self.sets[*s as usize].iter().copied()).collect();
        all.retain(|v| !without.contains(v));
        self.set(all)
    }

    fn set(&mut self, mut members: Vec<Term>) -> u32 {
        members.sort_unstable();
        members.dedup();
        let members = members.into_boxed_slice();
        if let Some(id) = self.set_ids.get(&members) {
            return *id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(members.clone());
        self.set_ids.insert(members, id);
        id
    }

    fn add(&mut self, node: Node, sort: Sort) -> Term {
        let key = (node, sort);
        if let Some(term) = self.ids.get(&key) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        let free = match &key.0 {
            Node::Bound(_) => self.set(vec![term]),
            Node::App(_, args) => self.union(args, &[]),
            Node::Quantified(_, vars, body, _) => self.union(&[*body], vars),
            _ => 0,
        };
        self.sorts.push(sort);
        self.free.push(free);
        let range = |parts: &mut dyn Iterator<Item = Term>| {
            let ranges = parts.filter_map(|p| self.unknowns[p.index()]);
            ranges.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        };
        let unknowns = match &key.0 {
            Node::Unknown(_) => Some((term, term)),
            Node::App(_, args) => range(&mut args.iter().copied()),
            Node::Quantified(_, _, body, patterns) => {
                range(&mut patterns.iter().flat_map(|p| p.iter().copied()).chain([*body]))
            }
            _ => None,
        };
        self.unknowns.push(unknowns);
        self.quantifiers.push(match &key.0 {
            Node::App(_, args) => args.iter().any(|a| self.has_quantifier(*a)),
            Node::Quantified(..) => true,
            _ => false,
        });
        self.nodes.push(key.0.clone());
        self.ids.insert(key, term);
        term
    }

    pub(crate) fn bool(&self, value: bool) -> Term {
        if value { Terms::TRUE } else { Terms::FALSE }
    }

    pub(crate) fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.add(Node::Int(value.into()), Sort::INT)
    }

    /// A literal with this text; equal literals must have equal texts.
    pub(crate) fn literal(&mut self, text: &str, sort: Sort) -> Term {
        let text = self.text_id(text);
        self.add(Node::Literal(text), sort)
    }

    pub(crate) fn unknown(&mut self, name: &str, sort: Sort) -> Term {
        let name = self.text_id(name);
        self.add(Node::Unknown(name), sort)
    }

    pub(crate) fn bound(&mut self, name: &str, sort: Sort) -> Term {
        let name = self.text_id(name);
        self.add(Node::Bound(name), sort)
    }

    pub(crate) fn quantified(
        &mut self,
        head: &str,
        vars: &[Term],
        body: Term,
        patterns: Vec<Vec<Term>>,
    ) -> Term {
        if matches!(self.node(body), Node::Bool(_)) {
            return body;
        }
        let head = self.text_id(head);
        let patterns = patterns.into_iter().map(Vec::into_boxed_slice).collect();
        self.add(Node::Quantified(head, vars.into(), body, patterns), Sort::BOOL)
    }

    /// An application without simplification rules.
    pub(crate) fn named(&mut self, head: &str, args: &[Term], sort: Sort) -> Term {
        let head = self.text_id(head);
        self.app(Op::Named(head), args, sort)
    }

    fn app(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        self.add(Node::App(op, args.into()), sort)
    }

    /// The operands, if it is this operation.
    fn args_of(&self, term: Term, op: &Op) -> Option<&[Term]> {
        match self.node(term) {
            Node::App(own, args) if own == op => Some(args),
            _ => None,
        }
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::App(Op::Not, args) => args[0],
            _ => self.app(Op::Not, &[a], Sort::BOOL),
        }
    }

    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.junction(Op::And, &[a, b])
    }

    pub(crate) fn or(&mut self, a: Term, b: Term) -> Term {
        self.junction(Op::Or, &[a, b])
    }

    pub(crate) fn or_all(&mut self, parts: &[Term]) -> Term {
        self.junction(Op::Or, parts)
    }

    fn junction(&mut self, op: Op, parts: &[Term]) -> Term {
        let (neutral, absorbing) =
            if op == Op::And { (Terms::TRUE, Terms::FALSE) } else { (Terms::FALSE, Terms::TRUE) };
        let mut kept: Vec<Term> = Vec::with_capacity(parts.len());
        for part in parts {
            if *part == absorbing {
                return absorbing;
            }
            if *part != neutral {
                kept.push(*part);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        let negated = |terms: &Terms, t: Term| terms.args_of(t, &Op::Not).map(|args| args[0]);
        let contradictory =
            kept.iter().any(|t| negated(self, *t).is_some_and(|n| kept.binary_search(&n).is_ok()));
        match kept[..] {
            [] => neutral,
            _ if contradictory => absorbing,
            [one] => one,
            [a, b] => match self.absorb(&op, a, b) {
                Some(term) => term,
                None => self.app(op, &[a, b], Sort::BOOL),
            },
            _ => self.app(op, &kept, Sort::BOOL),
        }
    }

    /// a ∧ (a ∧ b) is a ∧ b, a ∨ (a ∧ b) is a, and so on.
    fn absorb(&self, op: &Op, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            if self.args_of(y, op).is_some_and(|args| args.contains(&x)) {
                return Some(y);
            }
            let other = if *op == Op::And { Op::Or } else { Op::And };
            if self.args_of(y, &other).is_some_and(|args| args.contains(&x)) {
                return Some(x);
            }
        }
        None
    }

    pub(crate) fn implies(&mut self, a: Term, b: Term) -> Term {
        let a = self.not(a);
        self.or(a, b)
    }

    pub(crate) fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if a == b || condition == Terms::TRUE {
            return a;
        }
        if condition == Terms::FALSE {
            return b;
        }
        if let Some(args) = self.args_of(condition, &Op::Not) {
            let condition = args[0];
            return self.ite(condition, b, a);
        }
        // Under the same condition, only one branch matters.
        let a = self.args_of(a, &Op::Ite).filter(|args| args[0] == condition).map_or(a, |args| args[1]);
        let b = self.args_of(b, &Op::Ite).filter(|args| args[0] == condition).map_or(b, |args| args[2]);
        if a == b {
            return a;
        }
        let sort = self.sort_of(a);
        if sort == Sort::BOOL {
            match (self.node(a).clone(), self.node(b).clone()) {
                (Node::Bool(true), _) => return self.or(condition, b),
                (Node::Bool(false), _) => {
                    let not = self.not(condition);
                    return self.and(not, b);
                }
                (_, Node::Bool(true)) => return self.implies(condition, a),
                (_, Node::Bool(false)) => return self.and(condition, a),
                _ => {}
            }
        }
        self.app(Op::Ite, &[condition, a, b], sort)
    }

    fn is_literal(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Bool(_) | Node::Int(_) | Node::Literal(_))
    }

    pub(crate) fn eq(&mut self, a: Term, b: Term) -> Term {
        self.equal(a, b, 8)
    }

    /// Simplifies inside conditionals, up to a depth.
    fn equal(&mut self, a: Term, b: Term, depth: u32) -> Term {
        if a == b {
            return Terms::TRUE;
        }
        if self.is_literal(a) && self.is_literal(b) && self.sort_of(a) != Sort::REAL {
            return Terms::FALSE;
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (self.node(a), self.node(b)) {
            (Node::Bool(true), _) => return b,
            (Node::Bool(false), _) => return self.not(b),
            (Node::App(Op::Construct(m), xs), Node::App(Op::Construct(n), ys)) => {
                if m != n {
                    return Terms::FALSE;
                }
                let pairs: Vec<(Term, Term)> = xs.iter().copied().zip(ys.iter().copied()).collect();
                if depth > 0 {
                    let parts: Vec<Term> =
                        pairs.into_iter().map(|(x, y)| self.equal(x, y, depth - 1)).collect();
                    return self.junction(Op::And, &parts);
                }
            }
            _ => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            if depth > 0
                && self.is_literal(y)
                && let Some(&[condition, yes, no]) = self.args_of(x, &Op::Ite)
                && (self.is_literal(yes) || self.is_literal(no))
            {
                let yes = self.equal(yes, y, depth - 1);
                let no = self.equal(no, y, depth - 1);
                return self.ite(condition, yes, no);
            }
            // x + m == n
            if let Node::Int(n) = self.node(y)
                && let Some(&[base, m]) = self.args_of(x, &Op::Add)
                && let Node::Int(m) = self.node(m)
            {
                let rest = self.int(n - m);
                return self.equal(base, rest, depth.saturating_sub(1));
            }
        }
        self.app(Op::Eq, &[a, b], Sort::BOOL)
    }

    fn ints(&self, a: Term, b: Term) -> Option<(&BigInt, &BigInt)> {
        match (self.node(a), self.node(b)) {
            (Node::Int(a), Node::Int(b)) => Some((a, b)),
            _ => None,
        }
    }

    pub(crate) fn add_terms(&mut self, a: Term, b: Term) -> Term {
        if let Some((x, y)) = self.ints(a, b) {
            let sum = x + y;
            return self.int(sum);
        }
        // Numbers are on the right.
        let (a, b) = if matches!(self.node(a), Node::Int(_)) { (b, a) } else { (a, b) };
        if let Node::Int(n) = self.node(b).clone() {
            if n == BigInt::ZERO {
                return a;
            }
            if let Some(&[base, m]) = self.args_of(a, &Op::Add)
                && let Node::Int(m) = self.node(m)
            {
                let sum = self.int(m + n);
                return self.add_terms(base, sum);
            }
            if let Some(&[condition, yes, no]) = self.args_of(a, &Op::Ite)
                && self.is_literal(yes)
                && self.is_literal(no)
            {
                let (yes, no) = (self.add_terms(yes, b), self.add_terms(no, b));
                return self.ite(condition, yes, no);
            }
        }
        let sort = self.sort_of(a);
        self.app(Op::Add, &[a, b], sort)
    }

    pub(crate) fn sub_terms(&mut self, a: Term, b: Term) -> Term {
        if let Node::Int(n) = self.node(b) {
            let negated = -n;
            let negated = self.int(negated);
            return self.add_terms(a, negated);
        }
        let sort = self.sort_of(a);
        self.app(Op::Sub, &[a, b], sort)
    }

    pub(crate) fn mul(&mut self, a: Term, b: Term) -> Term {
        if let Some((x, y)) = self.ints(a, b) {
            let product = x * y;
            return self.int(product);
        }
        let sort = self.sort_of(a);
        self.app(Op::Mul, &[a, b], sort)
    }

    pub(crate) fn neg(&mut self, a: Term) -> Term {
        if let Node::Int(n) = self.node(a) {
            let negated = -n;
            return self.int(negated);
        }
        let sort = self.sort_of(a);
        self.app(Op::Neg, &[a], sort)
    }

    pub(crate) fn lt(&mut self, a: Term, b: Term) -> Term {
        self.compare(Op::Lt, a, b, 8)
    }

    pub(crate) fn le(&mut self, a: Term, b: Term) -> Term {
        self.compare(Op::Le, a, b, 8)
    }

    fn compare(&mut self, op: Op, a: Term, b: Term, depth: u32) -> Term {
        if a == b {
            return self.bool(op == Op::Le);
        }
        if let Some((x, y)) = self.ints(a, b) {
            return self.bool(if op == Op::Lt { x < y } else { x <= y });
        }
        for (x, y, left) in [(a, b, true), (b, a, false)] {
            if depth > 0
                && self.is_literal(y)
                && let Some(&[condition, yes, no]) = self.args_of(x, &Op::Ite)
                && (self.is_literal(yes) || self.is_literal(no))
            {
                let side = |terms: &mut Terms, part: Term| {
                    let (a, b) = if left { (part, y) } else { (y, part) };
                    terms.compare(op.clone(), a, b, depth - 1)
                };
                let (yes, no) = (side(self, yes), side(self, no));
                return self.ite(condition, yes, no);
            }
        }
        self.app(op, &[a, b], Sort::BOOL)
    }

    pub(crate) fn select(&mut self, map: Term, index: Term, sort: Sort) -> Term {
        let mut base = map;
        while let Some(&[inner, at, value]) = self.args_of(base, &Op::Store) {
            if at == index {
                return value;
            }
            if !(self.is_literal(at) && self.is_literal(index) && self.sort_of(at) != Sort::REAL) {
                break;
            }
            base = inner;
        }
        self.app(Op::Select, &[base, index], sort)
    }

    pub(crate) fn store(&mut self, map: Term, index: Term, value: Term) -> Term {
        let map = self.args_of(map, &Op::Store).filter(|args| args[1] == index).map_or(map, |args| args[0]);
        let sort = self.sort_of(map);
        self.app(Op::Store, &[map, index, value], sort)
    }

    pub(crate) fn construct(&mut self, constructor: u32, args: &[Term], sort: Sort) -> Term {
        self.app(Op::Construct(constructor), args, sort)
    }

    /// A field of a value; the solver decides the value of a field that the value does not have.
    pub(crate) fn get(&mut self, constructor: u32, field: u32, value: Term, sort: Sort) -> Term {
        match self.node(value) {
            Node::App(Op::Construct(c), args) if *c == constructor => args[field as usize],
            Node::App(Op::Ite, args) if self.constructed(args[1]) && self.constructed(args[2]) => {
                let (condition, a, b) = (args[0], args[1], args[2]);
                let a = self.get(constructor, field, a, sort);
                let b = self.get(constructor, field, b, sort);
                self.ite(condition, a, b)
            }
            _ => self.app(Op::Get(constructor, field), &[value], sort),
        }
    }

    fn constructed(&self, term: Term) -> bool {
        matches!(self.node(term), Node::App(Op::Construct(_), _))
    }

    pub(crate) fn is(&mut self, constructor: u32, value: Term) -> Term {
        match self.node(value) {
            Node::App(Op::Construct(c), _) => self.bool(*c == constructor),
            _ => self.app(Op::Is(constructor), &[value], Sort::BOOL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_fold() {
        let mut terms = Terms::default();
        let x = terms.unknown("x", Sort::INT);
        let c = terms.unknown("c", Sort::BOOL);
        let (one, two) = (terms.int(1), terms.int(2));
        let sum = terms.add_terms(x, one);
        let sum = terms.add_terms(sum, one);
        assert_eq!(sum, terms.add_terms(x, two));
        let choice = terms.ite(c, one, two);
        assert_eq!(terms.eq(choice, one), c);
        let not_c = terms.not(c);
        assert_eq!(terms.or(c, not_c), Terms::TRUE);
        assert_eq!(terms.and(c, not_c), Terms::FALSE);
        assert_eq!(terms.lt(choice, one), Terms::FALSE);
    }
}
