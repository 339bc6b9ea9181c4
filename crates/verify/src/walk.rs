//! From a model to a path: follows the branches that the model takes.

use std::rc::Rc;

use dally_bpl::ast::AttrArg;
use dally_bpl::check::{FunctionId, VarId};
use dally_bpl::literal::Literal;
use dally_text::source::Span;
use num_bigint::Sign;
use rustc_hash::FxHashMap;

use crate::emit::Emitter;
use crate::execute::{CallId, Event, Executor};
use crate::flow::{Block, BlockId, Instruction, Kind, Next};
use crate::inline::Axioms;
use crate::path::{Application, Binding, Division, Failed, Path, PathElement, Site, StepKind};
use crate::sexpr::Sexpr;
use crate::solver::{Solver, SolverError};
use crate::term::{Node, Op, Term, Terms};
use crate::value::{self, ModelValue, NoValue};

/// The values of terms in a model.
#[derive(Debug, Default)]
pub(crate) struct Model {
    values: FxHashMap<Term, ModelValue>,
}

impl Model {
    /// Evaluates terms in the model of the last query. The solver must know the terms, and its last answer must have been `sat`.
    pub(crate) fn ask(
        executor: &Executor<'_>,
        emitter: &Emitter,
        terms: &[Term],
        solver: &mut dyn Solver,
    ) -> Result<Model, SolverError> {
        // Some solvers are slow to read long lines.
        const AT_ONCE: usize = 1000;
        let logic = &executor.logic;
        let mut wanted: Vec<Term> =
            terms.iter().copied().filter(|t| emitter.is_observed(logic, *t)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut values = FxHashMap::default();
        for chunk in wanted.chunks(AT_ONCE) {
            let mut command = String::from("(get-value (");
            for term in chunk {
                emitter.reference(logic, *term, &mut command);
                command.push(' ');
            }
            command.push_str("))\n");
            let answer = solver.query(&command)?;
            let parsed = Sexpr::parse(&answer)?;
            let pairs = parsed.list().filter(|pairs| pairs.len() == chunk.len());
            let Some(pairs) = pairs else {
                let shown = crate::sexpr::shown(&answer);
                return Err(SolverError::Broken(format!("the answer to `get-value` is malformed: {shown}")));
            };
            for (term, pair) in chunk.iter().zip(pairs) {
                if let Some([_, text]) = pair.list() {
                    values.insert(*term, value::read(logic, logic.terms.sort_of(*term), text));
                }
            }
        }
        Ok(Model { values })
    }

    pub(crate) fn value(&self, terms: &Terms, term: Term) -> ModelValue {
        match terms.node(term) {
            Node::Bool(value) => Ok(Literal::Bool(*value)),
            Node::Int(n) => Ok(Literal::Int(n.clone())),
            _ => self.values.get(&term).cloned().unwrap_or(Err(NoValue::Arbitrary)),
        }
    }

    /// Sets the value of a term.
    pub(crate) fn set(&mut self, term: Term, value: Literal) {
        self.values.insert(term, Ok(value));
    }

    /// Adds further values.
    pub(crate) fn add(&mut self, more: Model) {
        self.values.extend(more.values);
    }

    /// True if a condition holds in the model; a condition without a value does not.
    pub(crate) fn holds(&self, terms: &Terms, term: Term) -> bool {
        self.value(terms, term) == Ok(Literal::Bool(true))
    }
}

/// All terms that a walk evaluates, of the instances from index `from` on.
pub(crate) fn conditions(executor: &Executor<'_>, from: usize) -> Vec<Term> {
    let mut terms = Vec::new();
    for instance in &executor.instances[from..] {
        for happened in instance.blocks.values() {
            terms.extend(happened.edges.iter().map(|(condition, _)| *condition));
            for event in &happened.events {
                match event {
                    Event::Checked(condition) => terms.push(*condition),
                    Event::Tag(place) => terms.extend(place),
                    Event::Call(call) => {
                        let open = executor.calls[*call].open.iter();
                        terms.extend(open.flat_map(|o| o.exits.iter().copied().chain([o.fails])));
                    }
                    Event::Plain | Event::Arbitrary(_) => {}
                }
            }
        }
    }
    terms
}

/// An application of a function without a definition.
struct Applied {
    function: FunctionId,
    args: Vec<Term>,
    /// The application itself.
    term: Term,
}

/// A division, or a remainder.
struct Divided {
    remainder: bool,
    dividend: Term,
    divisor: Term,
    /// The division itself.
    term: Term,
}

/// The applications of functions without a definition, of terms from index `from` on.
fn applications(executor: &Executor<'_>, from: usize) -> Vec<Applied> {
    let logic = &executor.logic;
    let heads: FxHashMap<&str, _> =
        logic.uninterpreted.iter().map(|u| (u.head.as_str(), u.function)).collect();
    let mut found = Vec::new();
    for term in logic.terms.ids().skip(from).filter(|t| !logic.terms.is_open(*t)) {
        if let Node::App(Op::Named(head), args) = logic.terms.node(term)
            && let Some(function) = heads.get(logic.terms.text(*head))
        {
            found.push(Applied { function: *function, args: args.to_vec(), term });
        }
    }
    found
}

/// Divisions whose divisor may be zero.
fn divisions(executor: &Executor<'_>, from: usize) -> Vec<Divided> {
    let terms = &executor.logic.terms;
    let division = |term: Term| match terms.node(term) {
        Node::App(Op::Named(head), args) => {
            let remainder = match terms.text(*head) {
                "div" | "/" => false,
                "mod" => true,
                _ => return None,
            };
            let [dividend, divisor] = args[..] else { return None };
            let known = matches!(terms.node(divisor), Node::Int(n) if n.sign() != Sign::NoSign);
            (!known).then_some(Divided { remainder, dividend, divisor, term })
        }
        _ => None,
    };
    terms.ids().skip(from).filter(|t| !terms.is_open(*t)).filter_map(division).collect()
}

/// The end of a walk.
enum End {
    /// The procedure returns.
    Left,
    /// A condition fails.
    Failed(Failed),
    /// The walk reaches an open call, or the model says too little.
    Open,
}

/// A walk along the path that a model describes.
pub(crate) struct Walk<'w, 'a> {
    executor: &'w Executor<'a>,
    model: &'w Model,
    steps: Vec<PathElement>,
    /// The open calls on the path.
    pub(crate) open: Vec<CallId>,
    /// The blocks on the path, in the order of execution.
    pub(crate) trail: Vec<BlockId>,
    activations: usize,
    /// Arbitrary values on the path: those of the program, and those that a translation has added.
    arbitrary: Vec<Term>,
    guessed: Vec<Term>,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(crate) fn new(executor: &'w Executor<'a>, model: &'w Model) -> Self {
        Walk {
            executor,
            model,
            steps: Vec::new(),
            open: Vec::new(),
            trail: Vec::new(),
            activations: 0,
            arbitrary: Vec::new(),
            guessed: Vec::new(),
        }
    }

    /// Follows the path, and returns the condition that fails, unless an open call is reached.
    pub(crate) fn go(&mut self, root: CallId) -> Option<Failed> {
        match self.call(root, 0) {
            End::Failed(failed) => Some(failed),
            End::Left | End::Open => None,
        }
    }

    /// The terms of the path whose values are inputs of the program.
    pub(crate) fn inputs(&self) -> Vec<Term> {
        let constants = self.executor.logic.constants().into_iter().map(|(_, t)| t);
        let mut terms: Vec<Term> = self.executor.initial.iter().copied().chain(constants).collect();
        terms.extend(self.executor.logic.witnesses.iter().map(|(_, t)| *t));
        terms.extend(&self.arbitrary);
        terms.extend(points(self.executor, 0));
        terms
    }

    /// The terms of arbitrary values that a translation has added.
    pub(crate) fn guesses(&self) -> &[Term] {
        &self.guessed
    }

    /// Records arbitrary values at a place.
    fn note(&mut self, span: Span, terms: impl Iterator<Item = Term>) {
        let list = if span == Span::NONE { &mut self.guessed } else { &mut self.arbitrary };
        list.extend(terms);
    }

    fn terms(&self) -> &'w Terms {
        &self.executor.logic.terms
    }

    /// A step that is no statement.
    fn step(&mut self, activation: usize, kind: StepKind, span: Span) {
        self.steps.push(PathElement { activation, kind, site: Site::Added, span });
    }

    /// A step of an instruction.
    fn execute(&mut self, activation: usize, kind: StepKind, instruction: &Instruction) {
        self.steps.push(PathElement { activation, kind, site: instruction.site, span: instruction.span });
    }

    /// A step that decides the successor of a block.
    fn decide(&mut self, activation: usize, kind: StepKind, block: &Block) {
        self.steps.push(PathElement { activation, kind, site: block.site, span: block.span });
    }

    fn call(&mut self, call: CallId, caller: usize) -> End {
        dally_text::stack::grow(|| self.call_here(call, caller).0)
    }

    /// Follows a call, and returns its end and the exit that was taken.
    fn call_here(&mut self, call: CallId, caller: usize) -> (End, usize) {
        let site = &self.executor.calls[call];
        let Some(instance) = site.instance else { return self.open_call(call) };
        let instance = &self.executor.instances[instance];
        let flows = Rc::clone(&self.executor.flows);
        let flow = &flows.flows[instance.flow];
        let activation = if flow.is_loop { caller } else { self.enter(call) };
        let mut at = instance.entry;
        loop {
            self.trail.push(at);
            let Some(happened) = instance.blocks.get(&at) else { return (End::Open, 0) };
            let block = &flow.blocks[at];
            let mut exit = 0;
            for (instruction, event) in block.code.iter().zip(&happened.events) {
                match self.instruction(instruction, event, activation) {
                    (End::Left, taken) => exit = taken,
                    ended => return ended,
                }
            }
            if happened.events.len() < block.code.len() {
                return (End::Open, 0);
            }
            match &block.next {
                Next::Exit(exit) => {
                    if !flow.is_loop {
                        self.step(activation, StepKind::Leave, Span::NONE);
                    }
                    return (End::Left, *exit);
                }
                Next::Switch(targets) => match targets.get(exit) {
                    Some(target) => at = *target,
                    None => return (End::Open, 0),
                },
                next => {
                    let terms = self.terms();
                    let taken = happened.edges.iter().find(|(c, _)| self.model.holds(terms, *c));
                    let Some((_, target)) = taken else { return (End::Open, 0) };
                    let which = next.targets().iter().position(|t| t == target).unwrap_or(0);
                    match next {
                        Next::Goto(targets) if targets.len() > 1 => {
                            self.decide(activation, StepKind::Choice(which), block);
                        }
                        Next::If(..) => self.decide(activation, StepKind::Branch(which == 0), block),
                        _ => {}
                    }
                    at = *target;
                }
            }
        }
    }

    fn enter(&mut self, call: CallId) -> usize {
        self.activations += 1;
        let flows = Rc::clone(&self.executor.flows);
        let Some(instance) = self.executor.calls[call].instance else { return self.activations };
        let instance = &self.executor.instances[instance];
        let flow = &flows.flows[instance.flow];
        let own = flow.vars.iter().zip(&instance.values[flows.globals.len()..]);
        self.note(flow.span, own.clone().map(|(_, t)| *t));
        let value = |t: Term| self.model.value(self.terms(), t);
        let variables = own.filter_map(|(v, t)| Some(Binding { var: (*v)?, value: value(*t) })).collect();
        let kind = StepKind::Enter { procedure: flow.name, variables };
        self.step(self.activations, kind, flow.span);
        self.activations
    }

    fn open_call(&mut self, call: CallId) -> (End, usize) {
        self.open.push(call);
        let Some(outcome) = &self.executor.calls[call].open else { return (End::Open, 0) };
        let terms = self.terms();
        if self.model.holds(terms, outcome.fails) {
            return (End::Open, 0);
        }
        match outcome.exits.iter().position(|e| self.model.holds(terms, *e)) {
            Some(exit) => (End::Left, exit),
            None => (End::Open, 0),
        }
    }

    fn instruction(&mut self, instruction: &Instruction, event: &Event, activation: usize) -> (End, usize) {
        let span = instruction.span;
        match event {
            Event::Call(call) => {
                self.execute(activation, StepKind::Statement, instruction);
                return dally_text::stack::grow(|| self.call_here(*call, activation));
            }
            Event::Plain => self.execute(activation, StepKind::Statement, instruction),
            Event::Arbitrary(new) => {
                let terms = self.terms();
                self.note(span, new.iter().map(|(_, t)| *t));
                let bind = |(v, t): &(VarId, Term)| Binding { var: *v, value: self.model.value(terms, *t) };
                let values = new.iter().map(bind).collect();
                self.execute(activation, StepKind::Havoc(values), instruction);
            }
            Event::Tag(place) => {
                let terms = self.terms();
                let place = place.iter().map(|t| self.model.value(terms, *t)).collect();
                let (name, procedure) = self.tag(instruction);
                self.execute(activation, StepKind::Tag { name, procedure, place }, instruction);
            }
            Event::Checked(condition) => {
                self.execute(activation, StepKind::Statement, instruction);
                if self.model.value(self.terms(), *condition) == Ok(Literal::Bool(false)) {
                    let message = match instruction.kind {
                        Kind::Assert(_, message) => message,
                        _ => "a precondition does not hold",
                    };
                    return (End::Failed(Failed { message, span }), 0);
                }
            }
        }
        (End::Left, 0)
    }

    fn tag(&self, instruction: &Instruction) -> (String, Option<String>) {
        let ast = &self.executor.logic.program.ast;
        let Some(attr) = instruction.attrs.iter().find(|a| ast.text(a.name) != "place") else {
            return (String::new(), None);
        };
        let procedure = attr.args.iter().find_map(|arg| match arg {
            AttrArg::Str(text) => Some(ast.text(*text).to_owned()),
            AttrArg::Expr(_) => None,
        });
        (ast.text(attr.name).to_owned(), procedure)
    }

    /// The path, with the inputs of the model.
    pub(crate) fn path(self, failure: Failed, certain: bool, axioms: Axioms) -> Path {
        let (executor, model) = (self.executor, self.model);
        let value = |t: Term| model.value(&executor.logic.terms, t);
        let globals = executor.flows.globals.iter().zip(&executor.initial);
        let functions = applications(executor, 0).into_iter().map(|it| Application {
            function: it.function,
            args: it.args.into_iter().map(value).collect(),
            value: value(it.term),
        });
        let is_zero = |v: ModelValue| match v {
            Ok(Literal::Int(n)) => n.sign() == Sign::NoSign,
            Ok(Literal::Real(n)) => n.numerator().sign() == Sign::NoSign,
            _ => false,
        };
        let bind = |var: VarId, term: Term| Binding { var, value: value(term) };
        let by_zero = divisions(executor, 0).into_iter().filter(|it| is_zero(value(it.divisor)));
        Path {
            divisions: by_zero
                .map(|it| Division {
                    remainder: it.remainder,
                    dividend: value(it.dividend),
                    value: value(it.term),
                })
                .collect(),
            globals: globals.map(|(v, t)| bind(*v, *t)).collect(),
            constants: executor.logic.constants().into_iter().map(|(v, t)| bind(v, t)).collect(),
            functions: functions.collect(),
            witnesses: executor.logic.witnesses.iter().map(|(v, t)| bind(*v, *t)).collect(),
            steps: self.steps,
            failure,
            certain,
            uses_axioms: axioms.in_use,
            left_out: axioms.left_out,
            forbidden: axioms.forbid,
        }
    }
}

/// The applications of uninterpreted functions, of terms from index `from` on, with their arguments.
pub(crate) fn points(executor: &Executor<'_>, from: usize) -> Vec<Term> {
    let functions = applications(executor, from);
    let functions = functions.into_iter().flat_map(|it| it.args.into_iter().chain([it.term]));
    let divisions = divisions(executor, from).into_iter().flat_map(|it| [it.dividend, it.divisor, it.term]);
    functions.chain(divisions).collect()
}
