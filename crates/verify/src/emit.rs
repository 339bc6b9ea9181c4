//! Terms as SMT-LIB 2.
//!
//! Each term that is not small gets a name by a `define-fun` without parameters, once: what is shared stays shared, and
//! what is sent is linear in the number of terms. Terms under a quantifier that depend on its variables are
//! written out.

use std::fmt::Write;

use num_bigint::{BigInt, Sign};
use rustc_hash::FxHashSet;

use crate::logic::Logic;
use crate::term::{Node, Op, Sort, Term};

/// Writes terms, each once.
#[derive(Debug, Default)]
pub(crate) struct Emitter {
    /// The terms that have a name already.
    named: Vec<bool>,
    /// Those with quantifiers that have a constant of their own.
    observed: FxHashSet<Term>,
}

impl Emitter {
    /// Whether the solver knows the term.
    pub(crate) fn is_named(&self, term: Term) -> bool {
        self.named.get(term.index()).copied().unwrap_or(false)
    }

    /// Terms that are written out where they are used.
    fn is_small(logic: &Logic<'_>, term: Term) -> bool {
        match logic.terms.node(term) {
            Node::App(Op::Not, _) => true,
            Node::App(..) | Node::Quantified(..) => logic.terms.is_open(term),
            _ => true,
        }
    }

    /// Gives names to a term and its parts, as far as they have none.
    pub(crate) fn define(&mut self, logic: &Logic<'_>, root: Term, out: &mut String) {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.is_named(term) {
                continue;
            }
            if !ready {
                todo.push((term, true));
                match logic.terms.node(term) {
                    Node::App(_, args) => todo.extend(args.iter().map(|a| (*a, false))),
                    Node::Quantified(_, _, body, patterns) => {
                        todo.push((*body, false));
                        todo.extend(patterns.iter().flat_map(|p| p.iter()).map(|a| (*a, false)));
                    }
                    _ => {}
                }
                continue;
            }
            if self.named.len() < logic.terms.len() {
                self.named.resize(logic.terms.len(), false);
            }
            self.named[term.index()] = true;
            if let Node::Unknown(name) = logic.terms.node(term) {
                let sort = logic.terms.sort_text(logic.terms.sort_of(term));
                let _ = writeln!(out, "(declare-fun {} () {sort})", logic.terms.text(*name));
            }
            if !Self::is_small(logic, term) {
                let sort = logic.terms.sort_text(logic.terms.sort_of(term));
                let _ = write!(out, "(define-fun t{} () {sort} ", term.index());
                self.write_node(logic, term, out);
                out.push_str(")\n");
            }
        }
    }

    /// Makes a term one that can be asked for in a model: solvers evaluate no quantifiers.
    pub(crate) fn observe(&mut self, logic: &Logic<'_>, term: Term, out: &mut String) {
        self.define(logic, term, out);
        if logic.terms.has_quantifier(term) && self.observed.insert(term) {
            let sort = logic.terms.sort_text(logic.terms.sort_of(term));
            let _ = write!(out, "(declare-fun o{} () {sort})\n(assert (= o{} ", term.index(), term.index());
            self.reference(logic, term, out);
            out.push_str("))\n");
        }
    }

    /// Whether a term can be asked for.
    pub(crate) fn is_observed(&self, logic: &Logic<'_>, term: Term) -> bool {
        self.is_named(term) && (!logic.terms.has_quantifier(term) || self.observed.contains(&term))
    }

    /// Writes a term that can be asked for.
    pub(crate) fn observed(&self, logic: &Logic<'_>, term: Term, out: &mut String) {
        if self.observed.contains(&term) {
            let _ = write!(out, "o{}", term.index());
        } else {
            self.reference(logic, term, out);
        }
    }

    /// Writes a term that has been defined.
    pub(crate) fn reference(&self, logic: &Logic<'_>, term: Term, out: &mut String) {
        if Self::is_small(logic, term) {
            dally_bpl::stack::grow(|| self.write_node(logic, term, out));
        } else {
            let _ = write!(out, "t{}", term.index());
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
