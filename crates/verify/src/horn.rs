//! A program as constrained Horn clauses, whose satisfiability proves it for all iterations and recursion depths.
//!
//! A procedure, or a loop, `f` becomes a predicate over its inputs, the exit that it takes, whether it fails, and its results.
//! One clause defines it: the terms of its symbolic execution, with the predicates of the calls in it in the body. A call
//! that is not made, or that neither returns nor fails, is covered by a second clause, in which the results are arbitrary.
//! The goal says that the root does not fail. A solver that finds an interpretation of the predicates (an inductive
//! summary of each procedure) has proved the program.
//!
//! The clauses say less than the program: constants may have different values in different calls, and axioms are left out.
//! So only a proof counts. Programs with functions without a definition, datatypes, or quantifiers are left to the bounded
//! engine; so are `old` in programs with loops, and large programs.

use std::fmt::Write;
use std::rc::Rc;

use dally_bpl::Program;
use dally_bpl::ast::Expr;
use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;

use crate::emit::Emitter;
use crate::execute::{CallId, Eagerness, Executor, Outcome};
use crate::facts::Fact;
use crate::flow::{BlockId, FlowId, Flows};
use crate::limits::VerifyLimits;
use crate::logic::Logic;
use crate::merge::Values;
use crate::term::Term;
use crate::{facts, loops};

/// Procedures of at most 200 instructions, with all calls inlined, have no predicate of their own.
pub(crate) const EAGERNESS: Eagerness = Eagerness { size: 200, depth: 0, level: u32::MAX };
/// Larger programs are left to the bounded engine.
const MOST_INSTRUCTIONS: usize = 4_000;
/// Predicates with more arguments are too many for a solver.
const MOST_VARIABLES: usize = 300;

/// The clauses of a program, as SMT-LIB 2 up to `(check-sat)`: `sat` proves that no assertion fails. None if the program
/// cannot be expressed, or has neither loops nor recursion.
pub fn horn_clauses(program: &Program, root: Sym, limits: &VerifyLimits) -> Option<String> {
    let (flows, facts, root) = divisible(program, root)?;
    let logic = Logic::new(program, limits.clone()).ok()?;
    let mut executor = Executor::new(logic, flows, facts, EAGERNESS, limits.clone());
    let (_, outcome) = executor.root(root).ok()?;
    let mut clauses =
        Clauses { executor, todo: Vec::new(), known: FxHashSet::default(), predicates: String::new() };
    let mut text = clauses.goal(outcome.fails)?;
    while let Some((flow, entry)) = clauses.todo.pop() {
        text.push_str(&clauses.definition(flow, entry)?);
    }
    // A symbol with arguments cannot be quantified over.
    if !clauses.executor.logic.take_declarations().is_empty() {
        return None;
    }
    Some(format!("(set-logic HORN)\n{}{text}", clauses.predicates))
}

/// The control flow of a program whose procedures and loops can be taken by themselves. None for one that has neither loops
/// nor recursion, and for large ones.
pub(crate) fn divisible(program: &Program, root: Sym) -> Option<(Flows, Vec<Fact>, FlowId)> {
    let root = program.info.procedure(root)?;
    let mut flows = Flows::of(program, root).ok()?;
    loops::to_recursion(&mut flows);
    let facts = facts::find(&flows);
    let root = flows.procedure(root)?;
    let instructions: usize = flows.flows.iter().flat_map(|f| &f.blocks).map(|b| b.code.len()).sum();
    let variables = flows.flows.iter().map(|f| f.vars.len()).max().unwrap_or(0) + flows.globals.len();
    let has_loops = flows.flows.iter().any(|f| f.is_loop);
    let is_divisible = facts.iter().any(|fact| fact.recursive)
        && instructions <= MOST_INSTRUCTIONS
        && variables <= MOST_VARIABLES
        && !(has_loops && uses_old(program));
    is_divisible.then_some((flows, facts, root))
}

fn uses_old(program: &Program) -> bool {
    let exprs = &program.ast.exprs;
    exprs.ids().any(|e| matches!(exprs[e], Expr::Old(..)))
}

struct Clauses<'a> {
    executor: Executor<'a>,
    /// Predicates without a definition.
    todo: Vec<(FlowId, BlockId)>,
    known: FxHashSet<(FlowId, BlockId)>,
    /// The declarations of predicates.
    predicates: String,
}

impl Clauses<'_> {
    /// The root does not fail.
    fn goal(&mut self, fails: Term) -> Option<String> {
        self.clause(0, &[fails], |_, _| "false".to_owned())
    }

    /// The Horn clauses of a procedure or a loop.
    fn definition(&mut self, flow: FlowId, entry: BlockId) -> Option<String> {
        let first = self.executor.calls.len();
        let (inputs, outcome) = self.executor.isolated(flow, entry).ok()?;
        let inputs = self.inputs(flow, &inputs);
        let happens: Vec<Term> = outcome.exits.iter().copied().chain([outcome.fails]).collect();
        let happens = self.executor.logic.terms.or_all(&happens);
        let args: Vec<Term> = self.arguments(&inputs, &outcome);
        // The call itself is not among those that it makes.
        let defined = self.clause(first + 1, &[happens], |clauses, write| {
            format!("({} {})", name(flow, entry), write.all(clauses, &args))
        })?;
        let nothing = self.executor.no_outcome(flow).ok()?;
        let args = self.arguments(&inputs, &nothing);
        let from = self.executor.calls.len();
        let otherwise = self.clause(from, &[], |clauses, write| {
            format!("({} {})", name(flow, entry), write.all(clauses, &args))
        })?;
        Some(defined + &otherwise)
    }

    /// A clause whose body has some conditions, and the open calls from a number on.
    fn clause(
        &mut self,
        from: CallId,
        conditions: &[Term],
        head: impl FnOnce(&Self, &mut Writer) -> String,
    ) -> Option<String> {
        let open = (from..self.executor.calls.len()).filter(|c| self.executor.calls[*c].open.is_some());
        let open: Vec<CallId> = open.collect();
        let mut write = Writer::default();
        let mut body: Vec<String> = conditions.iter().map(|c| write.one(self, *c)).collect();
        for call in open {
            let (flow, entry) = (self.executor.calls[call].flow, self.executor.calls[call].entry);
            self.predicate(flow, entry);
            let inputs = self.inputs(flow, &self.executor.calls[call].values);
            let outcome = self.executor.calls[call].open.clone()?;
            let args = self.arguments(&inputs, &outcome);
            body.push(format!("({} {})", name(flow, entry), write.all(self, &args)));
        }
        let head = head(self, &mut write);
        write.clause(body, &head)
    }

    /// Declares a predicate.
    fn predicate(&mut self, flow: FlowId, entry: BlockId) {
        if !self.known.insert((flow, entry)) {
            return;
        }
        self.todo.push((flow, entry));
        let sites = &self.executor.calls;
        let site = sites.iter().find(|s| s.flow == flow && s.entry == entry && s.open.is_some());
        let Some((inputs, open)) = site.and_then(|s| Some((self.inputs(flow, &s.values), s.open.clone()?)))
        else {
            return;
        };
        let terms = &self.executor.logic.terms;
        let sorts = self.arguments(&inputs, &open).into_iter().map(|t| terms.sort_text(terms.sort_of(t)));
        let sorts = sorts.collect::<Vec<_>>().join(" ");
        let _ = writeln!(self.predicates, "(declare-fun {} ({sorts}) Bool)", name(flow, entry));
    }

    /// The inputs among the variables on entry: globals and parameters, or all variables of a loop.
    fn inputs(&self, flow: FlowId, values: &Values) -> Vec<Term> {
        let flows = &self.executor.flows;
        let (globals, of) = (flows.globals.len(), &flows.flows[flow]);
        let is_input = |slot: usize| slot < globals || of.is_loop || of.ins.contains(&slot);
        values.iter().enumerate().filter(|(slot, _)| is_input(*slot)).map(|(_, term)| *term).collect()
    }

    fn arguments(&self, inputs: &[Term], outcome: &Outcome) -> Vec<Term> {
        inputs.iter().chain(&outcome.exits).chain([&outcome.fails]).chain(&outcome.values).copied().collect()
    }
}

fn name(flow: FlowId, entry: BlockId) -> String {
    format!("flow!{flow}!{entry}")
}

/// Writes the terms of a clause.
#[derive(Default)]
struct Writer {
    emitter: Emitter,
    /// Declarations and definitions of the names in the terms, a line each.
    lines: String,
    failed: bool,
}

impl Writer {
    fn one(&mut self, clauses: &Clauses<'_>, term: Term) -> String {
        let logic = &clauses.executor.logic;
        self.failed |= logic.terms.has_quantifier(term);
        self.emitter.declare(logic, term, &mut self.lines);
        let mut text = String::new();
        self.emitter.reference(logic, term, &mut text);
        text
    }

    fn all(&mut self, clauses: &Clauses<'_>, terms: &[Term]) -> String {
        terms.iter().map(|term| self.one(clauses, *term)).collect::<Vec<_>>().join(" ")
    }

    /// The clause: names become variables, and their definitions part of the body.
    fn clause(self, mut body: Vec<String>, head: &str) -> Option<String> {
        let mut variables = String::new();
        for line in self.lines.lines() {
            if let Some(declared) = line.strip_prefix("(declare-fun ").and_then(|l| l.strip_suffix(')')) {
                let (name, sort) = declared.split_once(" () ")?;
                let _ = write!(variables, "({name} {sort}) ");
            } else {
                body.push(line.strip_prefix("(assert ")?.strip_suffix(')')?.to_owned());
            }
        }
        if self.failed {
            return None;
        }
        let clause = format!("(=> (and true {}) {head})", body.join(" "));
        Some(match variables.is_empty() {
            true => format!("(assert {clause})\n"),
            false => format!("(assert (forall ({}) {clause}))\n", variables.trim_end()),
        })
    }
}

impl Executor<'_> {
    /// Executes a procedure or a loop on arbitrary inputs.
    pub(crate) fn isolated(
        &mut self,
        flow: FlowId,
        entry: BlockId,
    ) -> crate::logic::Found<(Values, Outcome)> {
        let flows = Rc::clone(&self.flows);
        let globals =
            flows.globals.iter().map(|var| self.logic.arbitrary(*var)).collect::<Result<Vec<_>, _>>()?;
        let values = self.frame(flow, globals, &[])?;
        let call = self.site(flow, entry, Some(0), Rc::clone(&values), Rc::clone(&values));
        let outcome = self.inline(call)?;
        Ok((values, outcome))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "test code")]
mod tests {
    use super::*;

    fn clauses(text: &str) -> Option<String> {
        let mut sources = dally_text::source::SourceMap::default();
        sources.add("program.bpl", text).unwrap();
        let program = dally_bpl::load(&sources).unwrap();
        let root = program.ast.symbols.get("main").unwrap();
        horn_clauses(&program, root, &VerifyLimits::default())
    }

    #[test]
    fn a_loop_is_one_predicate_with_two_clauses() {
        let text =
            clauses("procedure main() { var x: int; x := 0; while (*) { x := x + 1; } assert x >= 0; }");
        let text = text.unwrap();
        assert_eq!(text.matches("(declare-fun ").count(), 1, "{text}");
        assert_eq!(text.matches("(assert ").count(), 3, "{text}");
    }

    #[test]
    fn invariants_are_checked_in_the_clauses() {
        let text = "procedure main() { var x, n: int; x := 0; assume n >= 0; \
                    while (x < n) invariant x <= n; { x := x + 1; } assert x == n; }";
        assert!(clauses(text).is_some());
    }

    #[test]
    fn programs_that_clauses_cannot_express_have_none() {
        assert_eq!(clauses("procedure main() { assert true; }"), None);
        let applied =
            "function f(int): int; procedure main() { var x: int; while (*) { x := f(x); } assert x > 0; }";
        assert_eq!(clauses(applied), None);
        let old = "var g: int; procedure main() modifies g; { while (*) { g := old(g) + 1; } assert g > 0; }";
        assert_eq!(clauses(old), None);
    }
}
