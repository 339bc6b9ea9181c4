//! Stratified inlining, as in Corral: calls are inlined where counterexamples need them.
//!
//! The solver holds what has been inlined so far. With all open calls blocked, a model is a bug (an under-approximation of the
//! program). With open calls unconstrained, unsatisfiability is a proof (an over-approximation), and a model shows which open
//! calls to inline: those on its path. Calls beyond the recursion bound are blocked; if there is a model only without that,
//! the bound was reached.
//!
//! Deviations: a call is represented by the unknowns of its results, of whether it returns and of whether it fails, rather than
//! by a Boolean at its site; blocking it asserts that it does neither. A procedure is executed on terms at each call rather
//! than renamed from a template, so that known arguments are folded at once.

use std::rc::Rc;

use dally_bpl::Program;
use dally_bpl::check::VarId;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::axioms::Late;
use crate::contradiction::Theory;
use crate::emit::Emitter;
use crate::execute::{CallId, Eagerness, Executor, Guide, Outcome};
use crate::flow::{BlockId, Flows};
use crate::houdini::Invariants;
use crate::limits::VerifyLimits;
use crate::logic::{Found, Logic, Shape, unsupported};
use crate::path::Path;
use crate::sexpr::{Sexpr, shown};
use crate::solver::{QueryMode, Solver, SolverError};
use crate::term::{Term, Terms};
use crate::walk::{self, Model, Walk};
use crate::{abstraction, facts, loops, solve};

/// InlineOptions of inlining.
#[derive(Clone, Default, Debug)]
pub struct InlineOptions {
    /// Inline all calls up to the recursion bound before the first query: for comparison.
    pub full: bool,
    /// The most nested calls; an iteration of a loop is a call.
    pub calls: Option<u32>,
    /// Use quantifiers only where their triggers occur: for axioms that contradict each other as formulas. Such a run proves, and
    /// finds no bugs.
    pub only_triggers: bool,
    /// Limits on memory, and the flag that ends a run.
    pub limits: VerifyLimits,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No execution fails, and no bound was reached.
    Proved,
    /// No execution within the recursion bound fails.
    NoBug,
    /// An execution fails.
    Bug(Box<Path>),
}

/// The reasons why a run has no result.
#[derive(Clone, Debug)]
pub enum NoAnswer {
    /// The program uses a construct that is not supported.
    Unsupported(Vec<Diagnostic>),
    /// The solver has failed.
    Solver(SolverError),
    /// The solver answers `unknown`, for this reason.
    Unknown(String),
    /// The axioms or definitions that every proof rests on are contradictory.
    Contradiction(Theory),
    /// The inlined program is too large.
    TooLarge,
}

impl From<SolverError> for NoAnswer {
    fn from(error: SolverError) -> Self {
        NoAnswer::Solver(error)
    }
}

/// The work of a run.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The number of inlined calls.
    pub inlined: usize,
    /// The number of queries.
    pub queries: usize,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, more: Effort) {
        self.inlined += more.inlined;
        self.queries += more.queries;
    }
}

/// A program under verification. The recursion bound can be raised without starting anew.
#[derive(Debug)]
pub struct Verifier<'a> {
    pub(crate) executor: Executor<'a>,
    pub(crate) emitter: Emitter,
    root: CallId,
    pub(crate) fails: Term,
    open: Vec<CallId>,
    /// The number of instances that were sent to the solver, and of calls that were classified.
    told: usize,
    seen: usize,
    /// The number of terms that were searched for applications of functions.
    pointed: usize,
    pub(crate) started: bool,
    /// All that was sent, with names for the parts of the claim that the program fails; empty if the program has no axioms.
    pub(crate) sent: String,
    /// True if the solver has been told of a quantifier.
    quantified: bool,
    full: bool,
    /// See [`InlineOptions`].
    pub(crate) only_triggers: bool,
    most_calls: Option<u32>,
    effort: Effort,
    /// The blocks on the path of the last bug.
    trail: Vec<BlockId>,
}

/// The part of a program's executions that a [`Verifier`] considers.
#[derive(Default, Debug)]
pub(crate) struct Scope {
    /// Globals that are arbitrary wherever they are read.
    pub(crate) untracked: Vec<VarId>,
    /// The only path, if there is one.
    pub(crate) trail: Option<Vec<BlockId>>,
    /// Invariants that hold in all executions.
    pub(crate) invariants: Option<Invariants>,
}

/// Programs of at most this size, with all calls inlined, are inlined at once: the solver decides them in one query.
const SMALL_PROGRAM: u64 = 60_000;
/// The names of the parts of the claim that the program fails begin with this.
pub(crate) const CLAIM: &str = "claim!";

/// In larger programs, procedures of at most this size are inlined at once.
const SMALL_PROCEDURE: u64 = 100;

/// How a bug depends on axioms.
#[derive(Default)]
pub(crate) struct Axioms {
    /// The axioms that were left out where it was found.
    pub(crate) left_out: Vec<Span>,
    /// True if there is no bug with them.
    pub(crate) forbid: bool,
    /// True if an axiom matters to the symbols in use.
    pub(crate) in_use: bool,
}

/// The answer to a satisfiability query.
pub(crate) enum Sat {
    Yes,
    No,
    Unknown,
}

impl<'a> Verifier<'a> {
    /// Prepares a sequential program that starts in the procedure `root`.
    pub fn new(program: &'a Program, root: Sym, options: &InlineOptions) -> Result<Verifier<'a>, NoAnswer> {
        Verifier::within_scope(program, root, options, Scope::default())
    }

    /// Prepares a sequential program of which invariants are known: calls that are not inlined satisfy them, so that a proof
    /// need not inline all calls.
    pub fn assuming(
        program: &'a Program,
        root: Sym,
        options: &InlineOptions,
        invariants: Invariants,
    ) -> Result<Verifier<'a>, NoAnswer> {
        let scope = Scope { invariants: Some(invariants), ..Scope::default() };
        Verifier::within_scope(program, root, options, scope)
    }

    /// Prepares the part of a program's executions that a scope describes.
    pub(crate) fn within_scope(
        program: &'a Program,
        root: Sym,
        options: &InlineOptions,
        scope: Scope,
    ) -> Result<Verifier<'a>, NoAnswer> {
        let Some(root) = program.info.procedure(root) else { return Err(NoAnswer::Unsupported(Vec::new())) };
        let mut flows = Flows::of(program, root).map_err(NoAnswer::Unsupported)?;
        loops::to_recursion(&mut flows);
        abstraction::forget(program, &mut flows, &scope.untracked);
        let facts = facts::find(&flows);
        let Some(root) = flows.procedure(root) else { return Err(NoAnswer::Unsupported(Vec::new())) };
        let size = match () {
            () if options.full => u64::MAX,
            () if facts[root].size <= SMALL_PROGRAM => SMALL_PROGRAM,
            () => SMALL_PROCEDURE,
        };
        let logic = Logic::new(program, options.limits.clone())?;
        let mut executor = Executor::new(
            logic,
            flows,
            facts,
            Eagerness { size, depth: 0, level: options.calls.unwrap_or(u32::MAX) },
            options.limits.clone(),
        );
        executor.invariants = scope.invariants.map(Rc::new);
        executor.guide = scope.trail.map(|trail| Guide { trail, at: 0 });
        let mut verifier = Verifier {
            executor,
            emitter: Emitter::default(),
            root: 0,
            fails: Terms::FALSE,
            open: Vec::new(),
            told: 0,
            seen: 0,
            pointed: 0,
            started: false,
            sent: String::new(),
            quantified: false,
            full: options.full,
            only_triggers: options.only_triggers,
            most_calls: options.calls,
            effort: Effort::default(),
            trail: Vec::new(),
        };
        verifier.begin(root)?;
        Ok(verifier)
    }

    fn begin(&mut self, root: usize) -> Found<()> {
        let (call, outcome) = self.executor.root(root)?;
        (self.root, self.fails) = (call, outcome.fails);
        self.find_open();
        Ok(())
    }

    /// The work so far.
    pub fn effort(&self) -> Effort {
        Effort { inlined: self.executor.instances.len(), ..self.effort }
    }

    /// The blocks on the path of the last bug.
    pub(crate) fn trail(&self) -> &[BlockId] {
        &self.trail
    }

    /// The number of terms, and of other data that takes as much memory.
    pub fn held(&self) -> usize {
        self.executor.held()
    }

    /// Sets the limit on terms.
    pub fn allow(&mut self, terms: usize) {
        self.executor.limits.terms = terms;
    }

    fn find_open(&mut self) {
        let new = self.seen..self.executor.calls.len();
        self.seen = self.executor.calls.len();
        let calls = &self.executor.calls;
        self.open.extend(new.filter(|c| calls[*c].open.is_some() && calls[*c].instance.is_none()));
    }

    /// Searches for a failing execution with at most this many nested calls of a procedure, and as many iterations of a loop.
    pub fn run(&mut self, recursion: u32, solver: &mut dyn Solver) -> Result<Answer, NoAnswer> {
        self.search(recursion, solver).map_err(|failure| self.blame(failure))
    }

    /// An error about a built-in function that the solver does not have means that the program is not supported.
    fn blame(&self, failure: NoAnswer) -> NoAnswer {
        let NoAnswer::Solver(SolverError::Broken(message)) = &failure else { return failure };
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
        let named = |head: &str| {
            let head = head.trim_start_matches("(_ ").trim_end_matches(')');
            head.len() > 2 && message.split(|c| !is_word(c)).any(|word| word == head)
        };
        match self.executor.logic.built_ins.iter().find(|(head, _)| named(head)) {
            Some((head, span)) => {
                let what =
                    format!("the built-in function `{head}`, which the solver does not have in this form,");
                unsupported::<()>(*span, what).err().unwrap_or(failure)
            }
            None => failure,
        }
    }

    fn search(&mut self, recursion: u32, solver: &mut dyn Solver) -> Result<Answer, NoAnswer> {
        if self.full {
            self.inline_all(recursion)?;
        }
        if self.only_triggers {
            solver.set_mode(QueryMode::Triggers)?;
        }
        loop {
            self.tell(solver)?;
            if self.fails == Terms::FALSE {
                return Ok(Answer::Proved);
            }
            let within: Vec<CallId> =
                self.open.iter().copied().filter(|c| self.within(*c, recursion)).collect();
            let beyond: Vec<CallId> =
                self.open.iter().copied().filter(|c| !self.within(*c, recursion)).collect();
            let all = self.open.clone();
            match self.check(&all, solver)? {
                Sat::Yes if self.only_triggers => {
                    return Err(NoAnswer::Unknown("quantifiers have no triggers that refute it".to_owned()));
                }
                Sat::Yes => return self.confirmed(&all, solver),
                Sat::No if self.open.is_empty() => return Ok(Answer::Proved),
                Sat::No => {}
                Sat::Unknown => {
                    let reason = self.reason(solver)?;
                    if !self.only_triggers
                        && let Some(answer) = self.candidate(&reason, solver)?
                    {
                        return Ok(answer);
                    }
                    if within.is_empty() {
                        return Err(NoAnswer::Unknown(reason));
                    }
                }
            }
            // Any model will do: it only shows which calls to inline.
            match self.check_quickly(&beyond, solver)? {
                Sat::No => {
                    let proved = beyond.is_empty() || matches!(self.check_quickly(&[], solver)?, Sat::No);
                    return Ok(if proved { Answer::Proved } else { Answer::NoBug });
                }
                Sat::Yes => {
                    let touched = self.touched(recursion, solver)?;
                    // The model says too little: any open call may matter.
                    self.inline(if touched.is_empty() { &within } else { &touched }, recursion)?;
                }
                Sat::Unknown => {
                    let reason = self.reason(solver)?;
                    let touched =
                        if may_have_model(&reason) { self.touched(recursion, solver)? } else { Vec::new() };
                    self.inline(if touched.is_empty() { &within } else { &touched }, recursion)?;
                }
            }
        }
    }

    /// The open calls on the path of the solver's model.
    fn touched(&self, recursion: u32, solver: &mut dyn Solver) -> Result<Vec<CallId>, NoAnswer> {
        let model = Model::ask(&self.executor, &self.emitter, &self.asked(), solver)?;
        let mut walk = Walk::new(&self.executor, &model);
        walk.go(self.root);
        let mut touched = walk.open;
        touched.retain(|c| self.within(*c, recursion));
        Ok(touched)
    }

    /// A failing execution from the model of a solver that cannot check all axioms.
    fn candidate(&mut self, reason: &str, solver: &mut dyn Solver) -> Result<Option<Answer>, NoAnswer> {
        if !may_have_model(reason) {
            return Ok(None);
        }
        match self.bug(false, Axioms::default(), solver) {
            Ok(answer) => Ok(Some(answer)),
            Err(NoAnswer::Solver(SolverError::Broken(_))) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// True if a call may be inlined. A loop with this many iterations exits in one more call.
    fn within(&self, call: CallId, recursion: u32) -> bool {
        let site = &self.executor.calls[call];
        let extra = u32::from(self.executor.flows.flows[site.flow].is_loop);
        site.depth <= recursion.saturating_add(extra) && self.most_calls.is_none_or(|most| site.level <= most)
    }

    fn inline_all(&mut self, recursion: u32) -> Result<(), NoAnswer> {
        loop {
            let within: Vec<CallId> =
                self.open.iter().copied().filter(|c| self.within(*c, recursion)).collect();
            if within.is_empty() {
                return Ok(());
            }
            self.inline(&within, recursion)?;
        }
    }

    fn inline(&mut self, calls: &[CallId], recursion: u32) -> Result<(), NoAnswer> {
        for call in calls {
            // Deep recursion is unrolled in steps that grow.
            let depth = self.executor.calls[*call].depth;
            self.executor.eagerness.depth = depth.saturating_mul(2).min(recursion);
            let Some(open) = self.executor.calls[*call].open.take() else { continue };
            let known = self.executor.inline(*call)?;
            self.define(&open, &known);
        }
        self.executor.eagerness.depth = 0;
        let calls = &self.executor.calls;
        self.open.retain(|c| calls[*c].instance.is_none());
        self.find_open();
        Ok(())
    }

    /// Defines the unknowns of a call by its result.
    fn define(&mut self, open: &Outcome, known: &Outcome) {
        let logic = &mut self.executor.logic;
        let pairs = open.values.iter().zip(&known.values).chain(open.exits.iter().zip(&known.exits));
        for (unknown, term) in pairs.chain([(&open.fails, &known.fails)]) {
            let equal = logic.terms.eq(*unknown, *term);
            if equal != Terms::TRUE {
                logic.axioms.push(equal);
            }
        }
    }

    /// Sends declarations and assertions that the solver does not have yet.
    fn tell(&mut self, solver: &mut dyn Solver) -> Result<(), NoAnswer> {
        let mut text = String::new();
        if !self.started {
            // Z3 is incremental from the first push on. Before, it uses a tactic that leaves no model where it answers `unknown`.
            text.push_str("(set-option :produce-models true)\n(push 1)\n");
        }
        let logic = &mut self.executor.logic;
        logic.instantiate();
        let axioms = std::mem::take(&mut logic.axioms);
        text.push_str(&logic.take_declarations());
        let mut claims = Vec::new();
        if !self.started {
            let kept = self.open.iter().flat_map(|c| self.blocking(*c)).collect();
            let solved =
                solve::solve(&mut self.executor.logic.terms, self.fails, &kept, &self.executor.limits)?;
            if solved.rest.contains(&Terms::FALSE) {
                self.fails = Terms::FALSE;
                return Ok(());
            }
            self.emitter.definitions = solved.definitions;
            claims = solved.rest;
        }
        self.assert(&axioms, &mut text)?;
        self.sent.push_str(&text);
        for claim in claims {
            self.claim(claim, &mut text)?;
        }
        let before = text.len();
        let mut shown = walk::conditions(&self.executor, self.told);
        shown.extend(walk::points(&self.executor, self.pointed));
        self.pointed = self.executor.logic.terms.len();
        for call in &self.open {
            shown.extend(self.blocking(*call));
        }
        for term in shown {
            self.executor.limits.poll()?;
            self.quantified |= self.executor.logic.terms.has_quantifier(term);
            self.emitter.observe(&self.executor.logic, term, &mut text);
        }
        self.told = self.executor.instances.len();
        self.started = true;
        self.sent.push_str(&text[before..]);
        if self.executor.logic.waiting.is_empty() && !self.executor.logic.defines {
            // No axiom can contradict another one.
            self.sent.clear();
        }
        solver.send(&text)?;
        Ok(())
    }

    /// Asserts a part of the claim that the program fails. It has a name in the copy of what was sent.
    fn claim(&mut self, claim: Term, text: &mut String) -> Result<(), NoAnswer> {
        self.executor.limits.poll()?;
        self.quantified |= self.executor.logic.terms.has_quantifier(claim);
        let mut part = String::new();
        self.emitter.declare(&self.executor.logic, claim, &mut part);
        let mut own = String::new();
        self.emitter.reference(&self.executor.logic, claim, &mut own);
        self.sent.push_str(&format!("{part}(assert (! {own} :named {CLAIM}{}))\n", claim.index()));
        text.push_str(&format!("{part}(assert {own})\n"));
        Ok(())
    }

    /// Writes assertions.
    pub(crate) fn assert(&mut self, terms: &[Term], text: &mut String) -> Result<(), NoAnswer> {
        for term in terms {
            self.executor.limits.poll()?;
            self.quantified |= self.executor.logic.terms.has_quantifier(*term);
            self.emitter.declare(&self.executor.logic, *term, text);
            text.push_str("(assert ");
            self.emitter.reference(&self.executor.logic, *term, text);
            text.push_str(")\n");
        }
        Ok(())
    }

    /// The terms that must be false for a call to be blocked.
    fn blocking(&self, call: CallId) -> Vec<Term> {
        let open = self.executor.calls[call].open.iter();
        open.flat_map(|o| o.exits.iter().copied().chain([o.fails])).filter(|t| *t != Terms::FALSE).collect()
    }

    /// Checks without a search for a model in which quantifiers hold.
    fn check_quickly(&mut self, blocked: &[CallId], solver: &mut dyn Solver) -> Result<Sat, NoAnswer> {
        if !self.quantified || self.only_triggers {
            return self.check(blocked, solver);
        }
        solver.set_mode(QueryMode::Triggers)?;
        let answer = self.check(blocked, solver);
        solver.set_mode(QueryMode::Models)?;
        answer
    }

    pub(crate) fn check(&mut self, blocked: &[CallId], solver: &mut dyn Solver) -> Result<Sat, NoAnswer> {
        self.effort.queries += 1;
        let mut command = String::from("(check-sat-assuming (");
        for term in blocked.iter().flat_map(|c| self.blocking(*c)) {
            command.push_str("(not ");
            self.emitter.reference(&self.executor.logic, term, &mut command);
            command.push_str(") ");
        }
        command.push_str("))\n");
        if blocked.is_empty() {
            command = "(check-sat)\n".to_owned();
        }
        let answer = solver.query(&command)?;
        match answer.trim() {
            "sat" => Ok(Sat::Yes),
            "unsat" => Ok(Sat::No),
            "unknown" => Ok(Sat::Unknown),
            other => Err(SolverError::Broken(format!("the solver answers {}", shown(other))).into()),
        }
    }

    fn reason(&self, solver: &mut dyn Solver) -> Result<String, NoAnswer> {
        let answer = solver.query("(get-info :reason-unknown)\n")?;
        let parsed = Sexpr::parse(&answer)?;
        let reason = parsed.list().and_then(|l| l.last()).and_then(Sexpr::word).unwrap_or("no reason given");
        Ok(reason.trim_matches('"').to_owned())
    }

    /// All terms that a walk evaluates.
    fn asked(&self) -> Vec<Term> {
        walk::conditions(&self.executor, 0)
    }

    /// The bug of the last answer, checked against all axioms about symbols in use. That they exclude it proves nothing: many
    /// programs have axioms that contradict each other except for their triggers.
    fn confirmed(&mut self, blocked: &[CallId], solver: &mut dyn Solver) -> Result<Answer, NoAnswer> {
        let Late { asserted, mut left_out, quantified } = self.executor.logic.assert_left_out()?;
        if asserted.is_empty() {
            return self.bug(true, Axioms { left_out, ..Axioms::default() }, solver);
        }
        let mut text = self.executor.logic.take_declarations();
        text.push_str("(push 1)\n");
        let axioms = std::mem::take(&mut self.executor.logic.axioms);
        let before = self.emitter.clone();
        self.assert(&axioms, &mut text)?;
        for point in walk::points(&self.executor, self.pointed) {
            self.emitter.observe(&self.executor.logic, point, &mut text);
        }
        solver.send(&text)?;
        // Without quantifiers they are no harder than the queries before.
        solver.set_mode(if quantified { QueryMode::Limited } else { QueryMode::Models })?;
        let answer = self.check(blocked, solver)?;
        solver.set_mode(QueryMode::Models)?;
        if matches!(answer, Sat::Yes) {
            return self.bug(true, Axioms { left_out, ..Axioms::default() }, solver);
        }
        solver.send("(pop 1)\n")?;
        self.emitter = before;
        // Without these axioms there is a bug.
        left_out.extend(asserted);
        match self.check(blocked, solver)? {
            Sat::Yes => {
                self.bug(true, Axioms { left_out, forbid: matches!(answer, Sat::No), in_use: true }, solver)
            }
            Sat::No | Sat::Unknown => Err(NoAnswer::Unknown(self.reason(solver)?)),
        }
    }

    fn bug(&mut self, certain: bool, axioms: Axioms, solver: &mut dyn Solver) -> Result<Answer, NoAnswer> {
        let in_use = self.executor.logic.uses_axioms();
        let mut model = Model::ask(&self.executor, &self.emitter, &self.asked(), solver)?;
        let mut walk = Walk::new(&self.executor, &model);
        if walk.go(self.root).is_none() {
            return Err(
                SolverError::Broken("the solver's model does not lead to a failure".to_owned()).into()
            );
        }
        let inputs = walk.inputs();
        let all = [&inputs, walk.guesses()].concat();
        model.add(Model::ask(&self.executor, &self.emitter, &all, solver)?);
        self.explain(&mut model, &inputs, solver)?;
        self.complete(&mut model, &inputs, solver)?;
        let mut walk = Walk::new(&self.executor, &model);
        match walk.go(self.root) {
            Some(failed) => {
                self.trail = std::mem::take(&mut walk.trail);
                let axioms = Axioms { in_use, ..axioms };
                Ok(Answer::Bug(Box::new(walk.path(failed, certain, axioms))))
            }
            None => Err(SolverError::Broken("the solver's model has changed".to_owned()).into()),
        }
    }

    /// Completes the maps that pointwise quantifiers speak of: the solver knows about the elements that are
    /// accessed, and all others must satisfy the quantifiers too.
    fn complete(
        &mut self,
        model: &mut Model,
        inputs: &[Term],
        solver: &mut dyn Solver,
    ) -> Result<(), NoAnswer> {
        let logic = &mut self.executor.logic;
        let mut completions = Vec::new();
        for map in inputs {
            let Shape::Map(_, value) = *logic.shape(logic.terms.sort_of(*map)) else { continue };
            if let Some(completion) = logic.pointwise.completion(&mut logic.terms, *map, value) {
                completions.push((*map, completion));
            }
        }
        let terms: Vec<Term> = completions.iter().flat_map(|(_, completion)| completion.terms()).collect();
        let values = self.evaluate(&terms, solver)?;
        let terms = &self.executor.logic.terms;
        for (map, completion) in completions {
            if let Some(value) = completion.value(|term| values.value(terms, term).ok()) {
                model.set(map, value);
            }
        }
        Ok(())
    }

    /// Evaluates terms that the solver may not have seen, without discarding its model.
    fn evaluate(&self, wanted: &[Term], solver: &mut dyn Solver) -> Result<Model, NoAnswer> {
        let mut emitter = self.emitter.clone();
        emitter.has_model = true;
        let mut text = String::new();
        for term in wanted {
            self.executor.limits.poll()?;
            emitter.observe(&self.executor.logic, *term, &mut text);
        }
        solver.send(&text)?;
        Ok(Model::ask(&self.executor, &emitter, wanted, solver)?)
    }

    /// Adds the values of inputs that the solver has not seen because equations define them.
    fn explain(&self, model: &mut Model, inputs: &[Term], solver: &mut dyn Solver) -> Result<(), NoAnswer> {
        let logic = &self.executor.logic;
        let mut emitter = self.emitter.clone();
        emitter.has_model = true;
        let mut text = String::new();
        for term in inputs.iter().filter(|t| self.emitter.definitions.contains_key(t)) {
            self.executor.limits.poll()?;
            emitter.observe(logic, *term, &mut text);
        }
        if text.is_empty() {
            return Ok(());
        }
        solver.send(&text)?;
        // A term that is not declared even now is not used.
        match Model::ask(&self.executor, &emitter, inputs, solver) {
            Ok(more) => model.add(more),
            // Some solvers discard their model at the first definition: then these values are not known.
            Err(SolverError::Broken(_)) => {}
            Err(other) => return Err(other.into()),
        }
        Ok(())
    }
}

/// True if a solver that answers `unknown` has a model, up to quantifiers that it cannot check.
fn may_have_model(reason: &str) -> bool {
    ["incomplete", "quantifier"].iter().any(|word| reason.contains(word))
}
