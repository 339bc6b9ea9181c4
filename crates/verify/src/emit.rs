//! Terms as SMT-LIB 2.
//!
//! A term that is used more than once, or that is deep, gets a constant and an assertion that defines it: sharing is kept, and
//! the text is linear in the number of terms. (Z3 takes quadratic time to read nested `define-fun`s.) Terms under a
//! quantifier that depend on its variables are written out.

use std::fmt::Write;

use num_bigint::{BigInt, Sign};
use rustc_hash::FxHashMap;

use crate::logic::Logic;
use crate::term::{Node, Op, Sort, Term};

/// Writes terms, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitter {
    /// The terms that have a name, and the unknowns that are declared.
    named: Vec<bool>,
    /// Unknowns that equations define.
    pub(crate) definitions: FxHashMap<Term, Term>,
    /// True once there is a model, which a further assertion would discard: names are then abbreviations.
    pub(crate) has_model: bool,
}

/// Terms that nest deeper than this get a name.
const DEEP: u32 = 20;

impl Emitter {
    fn is_named(&self, term: Term) -> bool {
        self.named.get(term.index()).copied().unwrap_or(false)
    }

    /// True if the solver can evaluate a term in a model.
    pub(crate) fn is_observed(&self, logic: &Logic<'_>, term: Term) -> bool {
        match logic.terms.node(term) {
            Node::App(Op::Not, args) => self.is_observed(logic, args[0]),
            Node::Literal(_) => true,
            _ => self.is_named(term),
        }
    }

    /// Declares the symbols that a term needs.
    pub(crate) fn declare(&mut self, logic: &Logic<'_>, root: Term, out: &mut String) {
        self.emit(logic, root, false, out);
    }

    /// Declares a term so that the solver can evaluate it in a model.
    pub(crate) fn observe(&mut self, logic: &Logic<'_>, term: Term, out: &mut String) {
        let term = match logic.terms.node(term) {
            Node::App(Op::Not, args) => args[0],
            _ => term,
        };
        self.emit(logic, term, true, out);
    }

    /// Names the parts of a term that need a name and have none.
    fn emit(&mut self, logic: &Logic<'_>, root: Term, name_it: bool, out: &mut String) {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if ready {
                order.push(term);
                continue;
            }
            if self.is_named(term) {
                continue;
            }
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count > 1 {
                continue;
            }
            todo.push((term, true));
            self.parts(logic, term, &mut |part| todo.push((part, false)));
        }
        let mut depths: FxHashMap<Term, u32> = FxHashMap::default();
        for term in order {
            let mut depth = 0;
            self.parts(logic, term, &mut |part| depth = depth.max(depths.get(&part).map_or(0, |d| d + 1)));
            let compound = matches!(logic.terms.node(term), Node::App(..) | Node::Quantified(..))
                && !logic.terms.is_open(term);
            let negation = matches!(logic.terms.node(term), Node::App(Op::Not, _));
            let wanted =
                compound && !negation && (uses[&term] > 1 || depth > DEEP || name_it && term == root);
            if wanted || matches!(logic.terms.node(term), Node::Unknown(_)) {
                self.name(logic, term, out);
            } else {
                depths.insert(term, depth);
            }
        }
    }

    /// The operands of a term; the operand of a defined unknown is its definition.
    fn parts(&self, logic: &Logic<'_>, term: Term, f: &mut dyn FnMut(Term)) {
        match logic.terms.node(term) {
            Node::App(_, args) => args.iter().for_each(|a| f(*a)),
            Node::Quantified(_, _, body, patterns) => {
                f(*body);
                patterns.iter().flat_map(|p| p.iter()).for_each(|a| f(*a));
            }
            Node::Unknown(_) => self.definitions.get(&term).into_iter().for_each(|d| f(*d)),
            _ => {}
        }
    }

    fn name(&mut self, logic: &Logic<'_>, term: Term, out: &mut String) {
        let sort = logic.terms.sort_text(logic.terms.sort_of(term));
        let own = format!("t{}", term.index());
        let (name, known) = match logic.terms.node(term) {
            Node::Unknown(name) => (logic.terms.text(*name), self.definitions.get(&term).copied()),
            _ => (own.as_str(), Some(term)),
        };
        let abbreviates = known.is_some() && self.has_model;
        if !abbreviates {
            let _ = writeln!(out, "(declare-fun {name} () {sort})");
        }
        if let Some(known) = known {
            let _ = match abbreviates {
                true => write!(out, "(define-fun {name} () {sort} "),
                false => write!(out, "(assert (= {name} "),
            };
            if known == term {
                self.write_node(logic, known, out);
            } else {
                self.reference(logic, known, out);
            }
            out.push_str(if abbreviates { ")\n" } else { "))\n" });
        }
        if self.named.len() < logic.terms.len() {
            self.named.resize(logic.terms.len(), false);
        }
        self.named[term.index()] = true;
    }

    /// Writes a term that has been declared.
    pub(crate) fn reference(&self, logic: &Logic<'_>, term: Term, out: &mut String) {
        let compound = matches!(logic.terms.node(term), Node::App(..) | Node::Quantified(..));
        if compound && self.is_named(term) {
            let _ = write!(out, "t{}", term.index());
        } else {
            dally_text::stack::grow(|| self.write_node(logic, term, out));
        }
    }

    fn write_node(&self, logic: &Logic<'_>, term: Term, out: &mut String) {
        let terms = &logic.terms;
        match terms.node(term) {
            Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Node::Int(n) => write_int(n, out),
            Node::Literal(text) | Node::Unknown(text) | Node::Bound(text) => out.push_str(terms.text(*text)),
            Node::Quantified(head, _, body, patterns) => {
                let _ = write!(out, "({} ", terms.text(*head));
                out.push_str(if patterns.is_empty() { "" } else { "(! " });
                self.reference(logic, *body, out);
                for pattern in patterns {
                    out.push_str(" :pattern (");
                    self.write_args(logic, pattern, out);
                    out.push(')');
                }
                out.push_str(if patterns.is_empty() { ")" } else { "))" });
            }
            Node::App(op, args) => {
                let head = self.head(logic, op, terms.sort_of(term), args);
                if args.is_empty() {
                    out.push_str(&head);
                    return;
                }
                let _ = write!(out, "({head}");
                for arg in args {
                    out.push(' ');
                    self.reference(logic, *arg, out);
                }
                out.push(')');
            }
        }
    }

    fn write_args(&self, logic: &Logic<'_>, args: &[Term], out: &mut String) {
        for (i, arg) in args.iter().enumerate() {
            out.push_str(if i > 0 { " " } else { "" });
            self.reference(logic, *arg, out);
        }
    }

    fn head(&self, logic: &Logic<'_>, op: &Op, sort: Sort, args: &[Term]) -> String {
        let of_argument = || args.first().map_or(Sort::BOOL, |a| logic.terms.sort_of(*a));
        let plain = match op {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Add => "+",
            Op::Sub | Op::Neg => "-",
            Op::Mul => "*",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Select => "select",
            Op::Store => "store",
            Op::Named(text) => logic.terms.text(*text),
            Op::Construct(c) => &logic.constructors(sort)[*c as usize].name,
            Op::Get(c, f) => &logic.constructors(of_argument())[*c as usize].fields[*f as usize].0,
            Op::Is(c) => {
                return format!("(_ is {})", logic.constructors(of_argument())[*c as usize].name);
            }
        };
        plain.to_owned()
    }
}

fn write_int(n: &BigInt, out: &mut String) {
    let _ = match n.sign() {
        Sign::Minus => write!(out, "(- {})", n.magnitude()),
        _ => write!(out, "{n}"),
    };
}
