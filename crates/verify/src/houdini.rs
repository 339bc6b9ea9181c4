//! Invariants of loops and procedures by Houdini [FME01]: of many candidates, those that are inductive together.
//!
//! Each procedure and loop that is not simply inlined has a set of candidate preconditions, which hold wherever it is called,
//! and one of candidate postconditions, which hold wherever it returns; one of these says that it does not fail. A loop is a
//! procedure that calls itself (see [`crate::loops`]), so that its preconditions are the invariants of its head. All
//! candidates are assumed at first. A candidate is dropped if a body contradicts it, given the candidates that are left; the
//! rest is inductive.
//!
//! The candidates are those that the user marks (`{:existential true}`), and those of a few templates ([`Template`]).
//!
//! Deviations: candidates are dropped for a solver that cannot decide them within a limited effort, so that each query ends.

use std::rc::Rc;

use dally_bpl::Program;
use dally_bpl::ast::{Expr, ExprId};
use dally_bpl::check::VarId;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::emit::Emitter;
use crate::execute::{CallId, Executor, Outcome};
use crate::expr::{Scope, State};
use crate::flow::{BlockId, FlowId, Slot};
use crate::horn;
use crate::inline::NoAnswer;
use crate::limits::VerifyLimits;
use crate::logic::{Found, Logic};
use crate::merge::Values;
use crate::solver::{QueryMode, Solver};
use crate::term::{Sort, Term, Terms};

/// A procedure, or a loop from one of its entries.
type Key = (FlowId, BlockId);

/// A candidate: a condition on the variables before a call, and after it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Candidate {
    /// The template, of variables before the call.
    Before(Template),
    /// The template, of variables after the call.
    After(Template),
    /// A variable has its value from before, or is not below it, or not above it.
    Unchanged(Slot),
    NotBelow(Slot),
    NotAbove(Slot),
    /// The call does not fail.
    NeverFails,
    /// A condition of the user, before or after the call, and the constant that marks it.
    Given {
        condition: ExprId,
        mark: VarId,
        after: bool,
    },
}

impl Candidate {
    /// True for a precondition.
    fn is_before(&self) -> bool {
        matches!(self, Candidate::Before(_) | Candidate::Given { after: false, .. })
    }
}

/// A condition on one or two variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Template {
    True(Slot),
    False(Slot),
    AtLeast(Slot, i64),
    AtMost(Slot, i64),
    /// The first is at most the second.
    Ordered(Slot, Slot),
    /// The first is below the second.
    Below(Slot, Slot),
}

/// Numbers of the program that occur in templates, besides 0.
const MOST_NUMBERS: usize = 6;
/// Variables in the templates of one procedure or loop.
const MOST_VARIABLES: usize = 12;

/// Invariants that hold in every execution.
#[derive(Debug, Default)]
pub struct Invariants {
    by_key: FxHashMap<Key, Vec<Candidate>>,
    /// The constants that mark candidates of the user, and whether all of these hold.
    pub marks: Vec<(VarId, bool)>,
    /// The number of candidates.
    pub tried: usize,
}

impl Invariants {
    /// The number of candidates that hold.
    pub fn found(&self) -> usize {
        self.by_key.values().map(Vec::len).sum()
    }

    /// Finds the invariants of a sequential program. None if its procedures cannot be taken by themselves, or it has neither
    /// loops nor recursion.
    pub fn infer(
        program: &Program,
        root: Sym,
        limits: &VerifyLimits,
        solver: &mut dyn Solver,
    ) -> Result<Option<Invariants>, NoAnswer> {
        let Some((flows, facts, root)) = horn::divisible(program, root) else { return Ok(None) };
        let logic = Logic::new(program, limits.clone())?;
        let executor = Executor::new(logic, flows, facts, horn::EAGERNESS, limits.clone());
        let mut houdini = Houdini::new(executor, root)?;
        houdini.prune(solver)?;
        Ok(Some(houdini.invariants()))
    }

    /// The candidates that hold for a call.
    pub(crate) fn about(&self, flow: FlowId, entry: BlockId) -> &[Candidate] {
        self.by_key.get(&(flow, entry)).map_or(&[], Vec::as_slice)
    }
}

/// The root, or a procedure or loop on arbitrary inputs.
struct Body {
    key: Option<Key>,
    call: CallId,
    inputs: Values,
    outcome: Outcome,
    /// The calls that are not inlined.
    calls: Vec<CallId>,
}

/// A condition under which a candidate does not hold.
struct Violation {
    key: Key,
    candidate: usize,
    condition: Term,
}

struct Houdini<'a> {
    executor: Executor<'a>,
    emitter: Emitter,
    bodies: Vec<Body>,
    candidates: FxHashMap<Key, Vec<Candidate>>,
    /// All candidates, for the report.
    tried: usize,
    /// The candidates of the user.
    given: Vec<(Key, Candidate)>,
}

impl<'a> Houdini<'a> {
    /// Executes all bodies, and makes the candidates.
    fn new(mut executor: Executor<'a>, root: FlowId) -> Found<Self> {
        let (call, outcome) = executor.root(root)?;
        let inputs = Rc::clone(&executor.calls[call].values);
        let calls = open_calls(&executor, 0);
        let mut bodies = vec![Body { key: None, call, inputs, outcome, calls }];
        let mut known: FxHashSet<Key> = FxHashSet::default();
        let mut next = 0;
        while next < bodies.len() {
            for call in bodies[next].calls.clone() {
                let key = (executor.calls[call].flow, executor.calls[call].entry);
                if known.insert(key) {
                    let first = executor.calls.len();
                    let (inputs, outcome) = executor.isolated(key.0, key.1)?;
                    let calls = open_calls(&executor, first + 1);
                    bodies.push(Body { key: Some(key), call: first, inputs, outcome, calls });
                }
            }
            next += 1;
        }
        let mut houdini = Houdini {
            executor,
            emitter: Emitter::default(),
            bodies,
            candidates: FxHashMap::default(),
            tried: 0,
            given: Vec::new(),
        };
        for key in known {
            let made = houdini.make(key);
            houdini.tried += made.len();
            houdini.candidates.insert(key, made);
        }
        Ok(houdini)
    }

    /// The candidates of a procedure or loop.
    fn make(&mut self, (flow, entry): Key) -> Vec<Candidate> {
        let flows = Rc::clone(&self.executor.flows);
        let of = &flows.flows[flow];
        let (given, ensured) = (&of.blocks[entry].candidates, &of.ensured);
        let mut made: Vec<Candidate> = Vec::new();
        for (list, after) in [(given, false), (ensured, true)] {
            for (mark, condition) in list {
                let candidate = Candidate::Given { condition: *condition, mark: *mark, after };
                self.given.push(((flow, entry), candidate.clone()));
                made.push(candidate);
                if of.is_loop {
                    // An invariant of the head may hold after the loop, too.
                    made.push(Candidate::Given { condition: *condition, mark: *mark, after: true });
                }
            }
        }
        made.push(Candidate::NeverFails);
        let Some(body) = self.bodies.iter().find(|body| body.key == Some((flow, entry))) else { return made };
        let globals = flows.globals.len();
        let is_input = |slot: &Slot| *slot < globals || of.is_loop || of.ins.contains(slot);
        let inputs: Vec<Slot> = (0..body.inputs.len()).filter(is_input).collect();
        let changes = &self.executor.facts[flow].changes;
        let results: Vec<Slot> = changes.iter().chain(&of.outs).copied().collect();
        let outputs: Vec<Slot> = inputs.iter().chain(&of.outs).copied().collect();
        let numbers = numbers(self.executor.logic.program);
        let sorts = |slots: &[Slot], sort: Sort| -> Vec<Slot> {
            let of_sort = |slot: &&Slot| self.executor.logic.terms.sort_of(body.inputs[**slot]) == sort;
            slots.iter().filter(of_sort).take(MOST_VARIABLES).copied().collect()
        };
        let templates = |slots: &[Slot], only: Option<&[Slot]>| {
            let mut made = Vec::new();
            let is_new = |slot: &Slot| only.is_none_or(|only| only.contains(slot));
            for slot in sorts(slots, Sort::BOOL).into_iter().filter(is_new) {
                made.extend([Template::True(slot), Template::False(slot)]);
            }
            let ints = sorts(slots, Sort::INT);
            for slot in ints.iter().copied().filter(is_new) {
                made.extend(
                    numbers.iter().flat_map(|n| [Template::AtLeast(slot, *n), Template::AtMost(slot, *n)]),
                );
            }
            for (a, b) in ints.iter().flat_map(|a| ints.iter().map(move |b| (*a, *b))) {
                if a != b && (is_new(&a) || is_new(&b)) {
                    made.extend([Template::Ordered(a, b), Template::Below(a, b)]);
                }
            }
            made
        };
        made.extend(templates(&inputs, None).into_iter().map(Candidate::Before));
        made.extend(templates(&outputs, Some(&results)).into_iter().map(Candidate::After));
        for slot in changes {
            made.push(Candidate::Unchanged(*slot));
            if self.executor.logic.terms.sort_of(body.inputs[*slot]) == Sort::INT {
                made.extend([Candidate::NotBelow(*slot), Candidate::NotAbove(*slot)]);
            }
        }
        made
    }

    /// Drops candidates until those that are left are inductive.
    fn prune(&mut self, solver: &mut dyn Solver) -> Result<(), NoAnswer> {
        solver.send("(set-option :produce-models true)\n(push 1)\n")?;
        solver.set_mode(QueryMode::Limited)?;
        loop {
            let mut dropped = false;
            for body in 0..self.bodies.len() {
                while self.check(body, solver)? {
                    dropped = true;
                }
            }
            if !dropped {
                return Ok(());
            }
        }
    }

    /// Drops the candidates that one execution of a body violates. True if there are any.
    fn check(&mut self, body: usize, solver: &mut dyn Solver) -> Result<bool, NoAnswer> {
        self.executor.limits.hold(self.executor.held())?;
        let assumed = self.assumed(body)?;
        let violations = self.violations(body)?;
        let all: Vec<Term> = violations.iter().map(|violation| violation.condition).collect();
        let any = self.executor.logic.terms.or_all(&all);
        if any == Terms::FALSE {
            return Ok(false);
        }
        let mut text = String::new();
        self.executor.logic.instantiate();
        let axioms = std::mem::take(&mut self.executor.logic.axioms);
        text.push_str(&self.executor.logic.take_declarations());
        let logic = &self.executor.logic;
        for term in axioms.iter().chain(&assumed).chain(&all).chain([&any]) {
            self.emitter.observe(logic, *term, &mut text);
        }
        let assert = |term: Term, text: &mut String| {
            text.push_str("(assert ");
            self.emitter.reference(logic, term, text);
            text.push_str(")\n");
        };
        axioms.iter().for_each(|term| assert(*term, &mut text));
        text.push_str("(push 1)\n");
        assumed.iter().chain([&any]).for_each(|term| assert(*term, &mut text));
        solver.send(&text)?;
        let answer = solver.query("(check-sat)\n")?;
        let violated = match answer.trim() {
            "unsat" => Vec::new(),
            "sat" => self.holding(&violations, solver)?,
            // One by one: what the solver cannot decide is dropped.
            _ => self.undecided(&violations, solver)?,
        };
        solver.send("(pop 1)\n")?;
        // A model in which none of them holds would end in no progress.
        let stuck = answer.trim() != "unsat" && violated.is_empty();
        let violated = if stuck { (0..violations.len()).collect() } else { violated };
        let mut gone: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
        for index in violated {
            gone.entry(violations[index].key).or_default().push(violations[index].candidate);
        }
        for (key, gone) in &gone {
            let mut index = 0;
            if let Some(candidates) = self.candidates.get_mut(key) {
                candidates.retain(|_| {
                    index += 1;
                    !gone.contains(&(index - 1))
                });
            }
        }
        Ok(!gone.is_empty())
    }

    /// The violations that hold in the solver's model.
    fn holding(&self, violations: &[Violation], solver: &mut dyn Solver) -> Result<Vec<usize>, NoAnswer> {
        let terms: Vec<Term> = violations.iter().map(|violation| violation.condition).collect();
        let model = crate::walk::Model::ask(&self.executor, &self.emitter, &terms, solver)?;
        let holds = |index: &usize| model.holds(&self.executor.logic.terms, violations[*index].condition);
        Ok((0..violations.len()).filter(holds).collect())
    }

    /// The violations that the solver does not refute.
    fn undecided(&self, violations: &[Violation], solver: &mut dyn Solver) -> Result<Vec<usize>, NoAnswer> {
        let mut undecided = Vec::new();
        for (index, violation) in violations.iter().enumerate() {
            if violation.condition == Terms::FALSE {
                continue;
            }
            let mut query = String::from("(push 1)\n(assert ");
            self.emitter.reference(&self.executor.logic, violation.condition, &mut query);
            query.push_str(")\n");
            solver.send(&query)?;
            if solver.query("(check-sat)\n")?.trim() != "unsat" {
                undecided.push(index);
            }
            solver.send("(pop 1)\n")?;
        }
        Ok(undecided)
    }

    /// The conditions that a body may rely on: its own preconditions, and the postconditions of its calls.
    fn assumed(&mut self, body: usize) -> Found<Vec<Term>> {
        let mut assumed = Vec::new();
        if let Some(key) = self.bodies[body].key {
            let inputs = Rc::clone(&self.bodies[body].inputs);
            for candidate in self.candidates[&key].clone().iter().filter(|candidate| candidate.is_before()) {
                assumed.push(self.executor.candidate(candidate, key.0, &inputs, None)?);
            }
        }
        for call in self.bodies[body].calls.clone() {
            let site = &self.executor.calls[call];
            let (key, inputs) = ((site.flow, site.entry), Rc::clone(&site.values));
            let Some(outcome) = site.open.clone() else { continue };
            let candidates = self.candidates[&key].clone();
            assumed.extend(self.executor.known(key.0, &inputs, &outcome, &candidates)?);
        }
        Ok(assumed)
    }

    /// The conditions that a body must guarantee: its own postconditions, and the preconditions of its calls.
    fn violations(&mut self, body: usize) -> Found<Vec<Violation>> {
        let mut violations = Vec::new();
        let Body { key, ref inputs, ref outcome, ref calls, call: start } = self.bodies[body];
        let (inputs, outcome, calls) = (Rc::clone(inputs), outcome.clone(), calls.clone());
        if let Some(key) = key {
            for (index, candidate) in self.candidates[&key].clone().iter().enumerate() {
                let condition = match candidate {
                    _ if candidate.is_before() => continue,
                    Candidate::NeverFails => outcome.fails,
                    _ => {
                        let holds = self.executor.candidate(candidate, key.0, &inputs, Some(&outcome))?;
                        let terms = &mut self.executor.logic.terms;
                        let (returns, not) = (terms.or_all(&outcome.exits), terms.not(holds));
                        terms.and(returns, not)
                    }
                };
                violations.push(Violation { key, candidate: index, condition });
            }
        }
        for call in calls {
            let site = &self.executor.calls[call];
            let (key, values) = ((site.flow, site.entry), Rc::clone(&site.values));
            let reached = self.executor.reached(call, start);
            for (index, candidate) in self.candidates[&key].clone().iter().enumerate() {
                if candidate.is_before() {
                    let holds = self.executor.candidate(candidate, key.0, &values, None)?;
                    let terms = &mut self.executor.logic.terms;
                    let not = terms.not(holds);
                    let condition = terms.and(reached, not);
                    violations.push(Violation { key, candidate: index, condition });
                }
            }
        }
        Ok(violations)
    }

    fn invariants(self) -> Invariants {
        let mut marks: Vec<(VarId, bool)> = Vec::new();
        for (key, candidate) in &self.given {
            let Candidate::Given { mark, .. } = candidate else { continue };
            let holds = self.candidates[key].contains(candidate);
            // A mark may be at several places: it holds if all of its candidates do.
            match marks.iter_mut().find(|(known, _)| known == mark) {
                Some((_, all)) => *all &= holds,
                None => marks.push((*mark, holds)),
            }
        }
        marks.sort_unstable();
        Invariants { marks, tried: self.tried, by_key: self.candidates }
    }
}

/// The calls that are not inlined, from a number on.
fn open_calls(executor: &Executor<'_>, from: CallId) -> Vec<CallId> {
    (from..executor.calls.len()).filter(|call| executor.calls[*call].open.is_some()).collect()
}

/// The numbers that templates compare with: 0, and the first numbers of the program's text.
fn numbers(program: &Program) -> Vec<i64> {
    let exprs = &program.ast.exprs;
    let literals = exprs.ids().filter(|e| matches!(exprs[*e], Expr::Int(_)));
    let mut numbers = vec![0];
    for number in literals.filter_map(|e| program.ast.int_literal(e)) {
        if !numbers.contains(&number) && numbers.len() <= MOST_NUMBERS {
            numbers.push(number);
        }
    }
    numbers
}

impl Executor<'_> {
    /// The conditions that candidates impose on the result of a call.
    pub(crate) fn known(
        &mut self,
        flow: FlowId,
        inputs: &Values,
        outcome: &Outcome,
        candidates: &[Candidate],
    ) -> Found<Vec<Term>> {
        let returns = self.logic.terms.or_all(&outcome.exits);
        let mut known = Vec::new();
        for candidate in candidates.iter().filter(|candidate| !candidate.is_before()) {
            let condition = match candidate {
                Candidate::NeverFails => self.logic.terms.not(outcome.fails),
                _ => {
                    let holds = self.candidate(candidate, flow, inputs, Some(outcome))?;
                    self.logic.terms.implies(returns, holds)
                }
            };
            if condition != Terms::TRUE {
                known.push(condition);
            }
        }
        Ok(known)
    }

    /// A candidate as a condition on the values before a call, and after it.
    fn candidate(
        &mut self,
        candidate: &Candidate,
        flow: FlowId,
        inputs: &Values,
        outcome: Option<&Outcome>,
    ) -> Found<Term> {
        let flows = Rc::clone(&self.flows);
        let mut after = inputs.to_vec();
        let slots = self.facts[flow].changes.iter().chain(&flows.flows[flow].outs);
        for (slot, value) in slots.zip(outcome.iter().flat_map(|outcome| &outcome.values)) {
            after[*slot] = *value;
        }
        let terms = &mut self.logic.terms;
        Ok(match candidate {
            Candidate::Before(template) => template.of(terms, inputs),
            Candidate::After(template) => template.of(terms, &after),
            Candidate::Unchanged(slot) => terms.eq(inputs[*slot], after[*slot]),
            Candidate::NotBelow(slot) => terms.le(inputs[*slot], after[*slot]),
            Candidate::NotAbove(slot) => terms.le(after[*slot], inputs[*slot]),
            Candidate::NeverFails => Terms::TRUE,
            Candidate::Given { condition, .. } => {
                let state = State { flows: &flows, now: &after, old: inputs };
                self.logic.expr(*condition, &mut Scope::of(state))?
            }
        })
    }

    /// The condition under which a body makes a call.
    fn reached(&mut self, call: CallId, body: CallId) -> Term {
        let mut all = self.calls[call].reached;
        let mut at = self.calls[call].parent;
        while let Some(parent) = at.filter(|parent| *parent != body) {
            all = self.logic.terms.and(all, self.calls[parent].reached);
            at = self.calls[parent].parent;
        }
        all
    }
}

impl Template {
    fn of(&self, terms: &mut Terms, values: &[Term]) -> Term {
        match *self {
            Template::True(slot) => values[slot],
            Template::False(slot) => terms.not(values[slot]),
            Template::AtLeast(slot, number) => {
                let number = terms.int(number);
                terms.le(number, values[slot])
            }
            Template::AtMost(slot, number) => {
                let number = terms.int(number);
                terms.le(values[slot], number)
            }
            Template::Ordered(a, b) => terms.le(values[a], values[b]),
            Template::Below(a, b) => terms.lt(values[a], values[b]),
        }
    }
}
