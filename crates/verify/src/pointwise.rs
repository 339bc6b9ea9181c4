//! Pointwise quantifiers: `forall x: int :: P(M[x], N[x])`, as programs write them about memory.
//!
//! In such a quantifier, `x` occurs only as the index of maps that do not depend on `x`, or in an equation `x == t`
//! with a term that does not. It is in the array property fragment [BMS06]: it holds for a choice of maps if it
//! holds at the indices at which the program accesses them, since all other elements can be chosen freely. So
//! the solver sees an unknown truth value `q`, the instances `q ==> P(M[i], N[i])` for these indices, and
//! (through [`crate::witness`]) a counterexample if `q` does not hold, but no quantifier. It decides the query, where
//! it would answer `unknown` to the quantifier.
//!
//! The elements at all other indices get the values at one further index, the *spare* one, at which the quantifiers
//! hold as well ([`Pointwise::completion`]).
//!
//! Deviations:
//! 1. Indices are integers: there is always a spare one.
//! 2. Instances are added as the program is inlined, for maps that are connected by updates, conditionals or
//!    equations.
//! 3. If a map is accessed under another quantifier, at an index that depends on its variables, the solver gets the
//!    quantifier as well.

use dally_bpl::literal::Literal;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::logic::{Logic, Shape};
use crate::term::{Node, Op, Sort, Term, Terms};

/// A quantifier that is replaced by a truth value.
#[derive(Clone, Debug)]
struct Quantifier {
    /// The truth value.
    holds: Term,
    /// The quantifier itself.
    whole: Term,
    var: Term,
    body: Term,
    /// The maps that are accessed at the variable.
    maps: Vec<Term>,
    /// The terms that are compared with the variable.
    compared: Vec<Term>,
    /// True once the solver has the quantifier itself.
    stated: bool,
}

/// The pointwise quantifiers of a program, and the indices for which they are instantiated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointwise {
    quantifiers: Vec<Quantifier>,
    by_term: FxHashMap<Term, Term>,
    /// Maps that are connected: a forest.
    parents: FxHashMap<Term, Term>,
    /// Accesses: a map and an index.
    accesses: Vec<Access>,
    known: FxHashSet<Access>,
    /// Maps that are accessed at an index that depends on a bound variable.
    open: Vec<(Term, Term)>,
    instances: FxHashSet<(usize, Term)>,
    /// The number of terms that were searched for accesses.
    searched: usize,
    spare: Option<Term>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Access {
    map: Term,
    index: Term,
}

/// More instances than this are not made: the solver gets the quantifiers instead.
const MOST_INSTANCES: usize = 100_000;

impl Pointwise {
    /// The truth value that stands for a quantifier, if it has one.
    pub(crate) fn replacement(&self, quantified: Term) -> Option<Term> {
        self.by_term.get(&quantified).copied()
    }

    /// The map that represents all that are connected with this one.
    fn root(&self, mut map: Term) -> Term {
        while let Some(parent) = self.parents.get(&map) {
            map = *parent;
        }
        map
    }

    fn connect(&mut self, a: Term, b: Term) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            // Terms are connected with their operands, which are older.
            self.parents.insert(a.max(b), a.min(b));
        }
    }

    fn access(&mut self, map: Term, index: Term) {
        let access = Access { map, index };
        if self.known.insert(access) {
            self.accesses.push(access);
        }
    }

    /// Collects accesses and connections of terms that are new.
    fn search(&mut self, logic: &Logic<'_>) {
        let terms = &logic.terms;
        let is_map = |term: Term| matches!(logic.shape(terms.sort_of(term)), Shape::Map(..));
        for term in terms.ids().skip(self.searched) {
            let Node::App(op, args) = terms.node(term) else { continue };
            match (op, &args[..]) {
                (Op::Select, [map, index]) if !terms.is_open(*map) => {
                    if terms.is_open(*index) {
                        self.open.push((*map, *index));
                    } else {
                        self.access(*map, *index);
                    }
                }
                (Op::Store, [map, index, _]) if !terms.is_open(term) => {
                    self.connect(term, *map);
                    self.access(*map, *index);
                }
                (Op::Ite, [_, a, b]) if is_map(term) && !terms.is_open(term) => {
                    self.connect(term, *a);
                    self.connect(term, *b);
                }
                (Op::Eq, [a, b]) if is_map(*a) && !terms.is_open(term) => self.connect(*a, *b),
                _ => {}
            }
        }
        self.searched = terms.len();
    }

    /// The indices at which a map that is connected with `map` is accessed, and the spare one.
    fn indices(&self, map: Term) -> Vec<Term> {
        let root = self.root(map);
        let accessed = self.accesses.iter().filter(|access| self.root(access.map) == root);
        let mut indices: Vec<Term> = accessed.map(|access| access.index).chain(self.spare).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// True if a map is accessed under a quantifier that is not pointwise.
    fn is_accessed_elsewhere(&self, map: Term) -> bool {
        let root = self.root(map);
        let own = |index: Term| self.quantifiers.iter().any(|quantifier| quantifier.var == index);
        self.open.iter().any(|(map, index)| self.root(*map) == root && !own(*index))
    }

    /// For a map that pointwise quantifiers speak of: the terms whose values complete it.
    pub(crate) fn completion(&self, terms: &mut Terms, map: Term, value: Sort) -> Option<Completion> {
        let root = self.root(map);
        let concerned = |q: &Quantifier| q.maps.first().is_some_and(|map| self.root(*map) == root);
        let mut concerned = self.quantifiers.iter().filter(|q| concerned(q)).peekable();
        concerned.peek()?;
        let mut indices = self.indices(map);
        indices.extend(concerned.flat_map(|q| q.compared.iter().copied()));
        indices.retain(|index| Some(*index) != self.spare);
        let entries = indices.into_iter().map(|index| (index, terms.select(map, index, value))).collect();
        let default = terms.select(map, self.spare?, value);
        Some(Completion { entries, default })
    }
}

/// The terms whose values make up a map.
#[derive(Debug)]
pub(crate) struct Completion {
    /// Indices and the elements there.
    pub(crate) entries: Vec<(Term, Term)>,
    /// The element at all other indices.
    pub(crate) default: Term,
}

impl Completion {
    /// All terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> {
        self.entries.iter().flat_map(|(index, element)| [*index, *element]).chain([self.default])
    }

    /// The map, if all values are known.
    pub(crate) fn value(&self, value: impl Fn(Term) -> Option<Literal>) -> Option<Literal> {
        let entries = self.entries.iter().map(|(index, element)| Some((value(*index)?, value(*element)?)));
        Some(Literal::Map(entries.collect::<Option<_>>()?, Box::new(value(self.default)?)))
    }
}

impl Logic<'_> {
    /// A truth value that stands for a quantifier of the program, if it is pointwise.
    pub(crate) fn pointwise(&mut self, quantified: Term) -> Option<Term> {
        if let Some(holds) = self.pointwise.replacement(quantified) {
            return Some(holds);
        }
        let Node::Quantified(head, vars, body, _) = self.terms.node(quantified) else { return None };
        let ([var], body) = (&vars[..], *body) else { return None };
        let var = *var;
        if !self.terms.text(*head).starts_with("forall")
            || self.terms.sort_of(var) != Sort::INT
            || self.terms.is_open(quantified)
            || self.terms.has_quantifier(body)
        {
            return None;
        }
        let (maps, compared) = uses(&self.terms, body, var)?;
        let holds = self.unknown("forall", Sort::BOOL);
        let first = maps[0];
        maps.iter().for_each(|map| self.pointwise.connect(*map, first));
        let quantifier = Quantifier { holds, whole: quantified, var, body, maps, compared, stated: false };
        self.pointwise.quantifiers.push(quantifier);
        self.pointwise.by_term.insert(quantified, holds);
        Some(holds)
    }

    /// Adds the instances of pointwise quantifiers for all accesses so far to the axioms.
    pub(crate) fn instantiate(&mut self) {
        if self.pointwise.quantifiers.is_empty() {
            return;
        }
        if self.pointwise.spare.is_none() {
            let spare = self.unknown("spare", Sort::INT);
            self.pointwise.spare = Some(spare);
        }
        // An instance accesses the maps of its quantifier, at an index that they have already.
        loop {
            let mut pointwise = std::mem::take(&mut self.pointwise);
            pointwise.search(self);
            let before = pointwise.instances.len();
            for nth in 0..pointwise.quantifiers.len() {
                self.instantiate_one(&mut pointwise, nth);
            }
            let done = pointwise.instances.len() == before;
            self.pointwise = pointwise;
            if done {
                return;
            }
        }
    }

    fn instantiate_one(&mut self, pointwise: &mut Pointwise, nth: usize) {
        let quantifier = pointwise.quantifiers[nth].clone();
        let Some(map) = quantifier.maps.first() else { return };
        let refuted = self.terms.not(quantifier.holds);
        let too_many = pointwise.instances.len() > MOST_INSTANCES;
        if !quantifier.stated && (too_many || pointwise.is_accessed_elsewhere(*map)) {
            pointwise.quantifiers[nth].stated = true;
            let stated = self.terms.or(refuted, quantifier.whole);
            self.axioms.push(stated);
        }
        if too_many {
            return;
        }
        for index in pointwise.indices(*map).into_iter().chain(quantifier.compared.iter().copied()) {
            if !pointwise.instances.insert((nth, index)) {
                continue;
            }
            let instance = replace(&mut self.terms, quantifier.body, quantifier.var, index);
            let fact = self.terms.or(refuted, instance);
            self.axioms.push(fact);
            if Some(index) == pointwise.spare {
                for other in &quantifier.compared {
                    let equal = self.terms.eq(index, *other);
                    let differ = self.terms.not(equal);
                    self.axioms.push(differ);
                }
            }
        }
    }
}

/// The maps that a term accesses at a variable, and the terms that it compares with it; `None` if it uses the variable
/// in another way, or accesses no map.
fn uses(terms: &Terms, body: Term, var: Term) -> Option<(Vec<Term>, Vec<Term>)> {
    let (mut maps, mut compared) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    let mut todo = vec![body];
    while let Some(term) = todo.pop() {
        if !terms.is_open(term) || !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::App(Op::Select, args) if args[1] == var && !terms.is_open(args[0]) => maps.push(args[0]),
            Node::App(Op::Eq, args) if args[0] == var && !terms.is_open(args[1]) => compared.push(args[1]),
            Node::App(Op::Eq, args) if args[1] == var && !terms.is_open(args[0]) => compared.push(args[0]),
            Node::App(_, args) => todo.extend(args.iter().copied()),
            _ => return None,
        }
    }
    (!maps.is_empty()).then_some((maps, compared))
}

/// The term with a value for a bound variable.
pub(crate) fn replace(terms: &mut Terms, root: Term, var: Term, value: Term) -> Term {
    let mut done: FxHashMap<Term, Term> = [(var, value)].into_iter().collect();
    let mut todo = vec![root];
    while let Some(term) = todo.last().copied() {
        let Node::App(op, args) = terms.node(term) else {
            done.entry(term).or_insert(term);
            todo.pop();
            continue;
        };
        if !terms.is_open(term) {
            done.insert(term, term);
            todo.pop();
            continue;
        }
        let (op, args) = (op.clone(), args.clone());
        let before = todo.len();
        todo.extend(args.iter().copied().filter(|arg| !done.contains_key(arg)));
        if todo.len() == before {
            let new: Vec<Term> = args.iter().map(|arg| done[arg]).collect();
            let sort = terms.sort_of(term);
            let replaced = terms.rebuild(&op, &new, sort);
            done.insert(term, replaced);
            todo.pop();
        }
    }
    done[&root]
}
