//! Symbolic execution of a procedure: one pass over its blocks, all paths at once.
//!
//! The results are terms over the inputs: the condition under which each exit is reached, the values of modified variables,
//! and the condition under which an assertion fails. There are no other constraints, so that facts about a call that no
//! execution makes do no harm, and a call that is inlined late adds a few definitions.
//!
//! A call is *open* if it is not inlined: its results, whether it returns, and whether it fails are unknowns.

mod instruction;

use std::rc::Rc;
use std::sync::atomic::Ordering;

use dally_bpl::check::VarId;
use dally_text::stack::grow;
use rustc_hash::FxHashMap;

use crate::facts::{Fact, Orders};
use crate::flow::{BlockId, FlowId, Flows};
use crate::houdini::Invariants;
use crate::limits::VerifyLimits;
use crate::logic::{Found, Logic};
use crate::merge::{PathId, Paths, Values};
use crate::term::{Sort, Term, Terms};

pub(crate) type CallId = usize;
pub(crate) type InstanceId = usize;

/// A call site.
#[derive(Debug)]
pub(crate) struct CallSite {
    pub(crate) flow: FlowId,
    pub(crate) entry: BlockId,
    /// The call that makes it.
    pub(crate) parent: Option<CallId>,
    /// The number of calls of the same procedure from the root to this one.
    pub(crate) depth: u32,
    /// The number of calls from the root to this one; the root is 0, and iterations of loops are calls.
    pub(crate) level: u32,
    /// The values of variables on entry to the callee.
    pub(crate) values: Values,
    /// The globals to which `old` refers in a loop.
    old: Values,
    /// The path condition at the call, within the procedure that makes it.
    pub(crate) reached: Term,
    /// The unknowns for its results, while it is open.
    pub(crate) open: Option<Outcome>,
    /// The inlined procedure.
    pub(crate) instance: Option<InstanceId>,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The condition of each exit.
    pub(crate) exits: Vec<Term>,
    /// The condition under which an assertion fails.
    pub(crate) fails: Term,
    /// The values of modified variables, then the results.
    pub(crate) values: Vec<Term>,
}

/// A procedure that has been executed.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) flow: FlowId,
    pub(crate) entry: BlockId,
    /// Its variables on entry.
    pub(crate) values: Values,
    /// The events in each reachable block.
    pub(crate) blocks: FxHashMap<BlockId, Happened>,
}

/// The events in a block.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    /// One event for each instruction, until the path ends.
    pub(crate) events: Vec<Event>,
    /// The successors, each with its condition.
    pub(crate) edges: Vec<(Term, BlockId)>,
}

/// The event of an instruction.
#[derive(Debug)]
pub(crate) enum Event {
    Plain,
    /// A checked condition.
    Checked(Term),
    /// New values of variables.
    Arbitrary(Vec<(VarId, Term)>),
    /// A tag, with its place.
    Tag(Vec<Term>),
    Call(CallId),
}

/// How much is inlined before the first query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eagerness {
    /// Procedures of at most this many instructions, with all calls inlined.
    pub(crate) size: u64,
    /// Calls of recursive procedures up to this depth.
    pub(crate) depth: u32,
    /// Calls of at most this level.
    pub(crate) level: u32,
}

/// Executes procedures.
#[derive(Debug)]
pub(crate) struct Executor<'a> {
    pub(crate) logic: Logic<'a>,
    pub(crate) flows: Rc<Flows>,
    pub(crate) facts: Rc<Vec<Fact>>,
    pub(crate) calls: Vec<CallSite>,
    pub(crate) instances: Vec<Instance>,
    orders: Orders,
    pub(crate) eagerness: Eagerness,
    pub(crate) limits: VerifyLimits,
    /// The number of values in the frames of calls.
    frames: usize,
    /// The initial values of globals.
    pub(crate) initial: Vec<Term>,
    /// The only path to execute, if there is one.
    pub(crate) guide: Option<Guide>,
    /// Invariants that open calls satisfy.
    pub(crate) invariants: Option<Rc<Invariants>>,
}

/// The blocks of one path through the program, calls included, in the order of execution. It ends in the block that fails.
#[derive(Debug)]
pub(crate) struct Guide {
    pub(crate) trail: Vec<BlockId>,
    /// The number of blocks that have been executed.
    pub(crate) at: usize,
}

impl Guide {
    fn next(&mut self) -> Option<BlockId> {
        self.at += 1;
        self.trail.get(self.at - 1).copied()
    }

    fn has_ended(&self) -> bool {
        self.at >= self.trail.len()
    }
}

/// One execution of a procedure.
struct Run {
    call: CallId,
    flow: FlowId,
    paths: Paths,
    old: Values,
    waiting: FxHashMap<BlockId, Vec<(PathId, Values)>>,
    failures: Vec<Term>,
    exits: Vec<Vec<(PathId, Values)>>,
    /// The exit conditions of the loop that the block called last.
    taken: Vec<Term>,
}

/// A path through a block, up to the current instruction.
struct Front {
    path: PathId,
    values: Values,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(
        logic: Logic<'a>,
        flows: Flows,
        facts: Vec<Fact>,
        eagerness: Eagerness,
        limits: VerifyLimits,
    ) -> Self {
        Executor {
            logic,
            flows: Rc::new(flows),
            facts: Rc::new(facts),
            calls: Vec::new(),
            instances: Vec::new(),
            orders: Orders::default(),
            eagerness,
            limits,
            frames: 0,
            initial: Vec::new(),
            guide: None,
            invariants: None,
        }
    }

    /// The number of terms, and of other data that takes as much memory.
    pub(crate) fn held(&self) -> usize {
        // A term takes as much memory as this many values.
        const VALUES: usize = 64;
        self.logic.terms.len() + self.frames / VALUES + self.calls.len()
    }

    /// The call in which the program starts.
    pub(crate) fn root(&mut self, flow: FlowId) -> Found<(CallId, Outcome)> {
        let flows = Rc::clone(&self.flows);
        for var in &flows.globals {
            let value = self.logic.arbitrary(*var)?;
            self.initial.push(value);
        }
        let values = self.frame(flow, self.initial.clone(), &[])?;
        let call = self.site(flow, flows.flows[flow].entry, None, values, Rc::default());
        let outcome = self.inline(call)?;
        Ok((call, outcome))
    }

    pub(crate) fn site(
        &mut self,
        flow: FlowId,
        entry: BlockId,
        parent: Option<CallId>,
        values: Values,
        old: Values,
    ) -> CallId {
        let mut depth = 1;
        // Only a recursive procedure can occur among its callers.
        let mut at = parent.filter(|_| self.facts[flow].recursive);
        while let Some(call) = at {
            if self.calls[call].flow == flow {
                depth += self.calls[call].depth;
                break;
            }
            at = self.calls[call].parent;
        }
        self.frames += values.len();
        let above = parent.map_or(0, |p| self.calls[p].level);
        let level = above + u32::from(parent.is_some());
        self.calls.push(CallSite {
            flow,
            entry,
            parent,
            depth,
            level,
            values,
            old,
            reached: Terms::TRUE,
            open: None,
            instance: None,
        });
        self.calls.len() - 1
    }

    /// The variables on entry to a procedure: globals and parameters are given, all others are arbitrary.
    pub(crate) fn frame(&mut self, flow: FlowId, mut values: Vec<Term>, args: &[Term]) -> Found<Values> {
        let flows = Rc::clone(&self.flows);
        values.truncate(flows.globals.len());
        for (index, var) in flows.flows[flow].vars.iter().enumerate() {
            let slot = flows.globals.len() + index;
            let given = flows.flows[flow].ins.iter().position(|s| *s == slot).and_then(|i| args.get(i));
            values.push(match given {
                Some(term) => *term,
                None => self.logic.arbitrary_of(*var)?,
            });
        }
        Ok(Rc::new(values))
    }

    /// Executes the procedure of a call.
    pub(crate) fn inline(&mut self, call: CallId) -> Found<Outcome> {
        grow(|| self.run(call))
    }

    fn run(&mut self, call: CallId) -> Found<Outcome> {
        let CallSite { flow, entry, .. } = self.calls[call];
        let values = Rc::clone(&self.calls[call].values);
        let old = if self.flows.flows[flow].is_loop {
            Rc::clone(&self.calls[call].old)
        } else {
            Rc::clone(&values)
        };
        let instance = self.instances.len();
        let started = Instance { flow, entry, values: Rc::clone(&values), blocks: FxHashMap::default() };
        self.instances.push(started);
        self.limits.inlined.fetch_add(1, Ordering::Relaxed);
        self.calls[call].instance = Some(instance);
        let exits = vec![Vec::new(); self.flows.flows[flow].exits];
        let mut run = Run {
            call,
            flow,
            paths: Paths::default(),
            old,
            waiting: FxHashMap::default(),
            failures: Vec::new(),
            exits,
            taken: Vec::new(),
        };
        run.waiting.insert(entry, vec![(PathId::START, values)]);
        if !self.flows.flows[flow].is_loop {
            self.assume_ranges(&mut run, entry);
        }
        if self.calls[call].parent.is_none() {
            self.assume_globals(&mut run, entry)?;
        }
        if self.guide.is_some() {
            self.follow(&mut run, instance)?;
            return self.outcome(run);
        }
        for block in self.orders.from(&self.flows, flow, entry).iter() {
            self.arrive(&mut run, instance, *block)?;
        }
        self.outcome(run)
    }

    /// Executes the blocks of the only path, up to an exit or its end.
    fn follow(&mut self, run: &mut Run, instance: InstanceId) -> Found<()> {
        while let Some(block) = self.guide.as_mut().and_then(Guide::next) {
            // Other successors of the block before are not on the path.
            run.waiting.retain(|target, _| *target == block);
            if !self.arrive(run, instance, block)? || run.waiting.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Executes a block, unless no path leads to it.
    fn arrive(&mut self, run: &mut Run, instance: InstanceId, block: BlockId) -> Found<bool> {
        let Some(incoming) = run.waiting.remove(&block) else { return Ok(false) };
        let Some((path, values)) = run.paths.merge(&mut self.logic.terms, incoming) else {
            return Ok(false);
        };
        let flows = Rc::clone(&self.flows);
        let happened = self.block(&flows, run, block, Front { path, values })?;
        self.instances[instance].blocks.insert(block, happened);
        Ok(true)
    }

    /// Assumes the `{:range}` of variables that are arbitrary on entry.
    fn assume_ranges(&mut self, run: &mut Run, entry: BlockId) {
        let flows = Rc::clone(&self.flows);
        let flow = &flows.flows[run.flow];
        let Some((path, values)) = run.waiting.remove(&entry).and_then(|mut w| w.pop()) else { return };
        let is_root = self.calls[run.call].parent.is_none();
        let first = if is_root { 0 } else { flows.globals.len() };
        let mut front = Some(Front { path, values });
        for slot in
            (first..flows.globals.len() + flow.vars.len()).filter(|s| is_root || !flow.ins.contains(s))
        {
            let range = flows.var(run.flow, slot).and_then(|v| flows.range(v));
            let (Some(range), Some(here)) = (range, &front) else { continue };
            let condition = self.logic.in_range(here.values[slot], range);
            front = front.and_then(|here| self.assume(run, here, condition));
        }
        if let Some(front) = front {
            run.waiting.insert(entry, vec![(front.path, front.values)]);
        }
    }

    /// Assumes the `where` clauses of globals at the start, and those of the parameters of the root.
    fn assume_globals(&mut self, run: &mut Run, entry: BlockId) -> Found<()> {
        let flows = Rc::clone(&self.flows);
        let Some((path, values)) = run.waiting.remove(&entry).and_then(|mut w| w.pop()) else {
            return Ok(());
        };
        let mut front = Some(Front { path, values });
        let flow = run.flow;
        let params = flows.flows[flow].ins.iter().filter_map(|s| flows.var(flow, *s));
        for var in flows.globals.iter().copied().chain(params) {
            let Some(condition) = flows.where_clause(var) else { continue };
            let Some(here) = front.take() else { return Ok(()) };
            let condition = self.evaluate(run, &here, condition)?;
            front = self.assume(run, here, condition);
        }
        if let Some(front) = front {
            run.waiting.insert(entry, vec![(front.path, front.values)]);
        }
        Ok(())
    }

    fn outcome(&mut self, run: Run) -> Found<Outcome> {
        let flows = Rc::clone(&self.flows);
        let facts = Rc::clone(&self.facts);
        let Run { mut paths, failures, exits, flow, .. } = run;
        let terms = &mut self.logic.terms;
        let fails = terms.or_all(&failures);
        let mut conditions = Vec::new();
        let mut reached = Vec::new();
        for incoming in exits {
            match paths.merge(terms, incoming) {
                Some((path, values)) => {
                    conditions.push(paths.all(path));
                    reached.push((path, values));
                }
                None => conditions.push(Terms::FALSE),
            }
        }
        let values = match paths.merge(terms, reached) {
            Some((_, values)) => values,
            // It never returns: any values will do.
            None => Rc::clone(&self.calls[run.call].values),
        };
        let slots = facts[flow].changes.iter().chain(&flows.flows[flow].outs);
        Ok(Outcome { exits: conditions, fails, values: slots.map(|s| values[*s]).collect() })
    }

    /// The result of a call: inlined if it is small, otherwise open.
    fn outcome_of(&mut self, call: CallId) -> Found<Outcome> {
        let CallSite { flow, depth, level, .. } = self.calls[call];
        if let Some(guide) = &self.guide {
            return if guide.has_ended() { self.no_outcome(flow) } else { self.inline(call) };
        }
        let fact = &self.facts[flow];
        let small = fact.size <= self.eagerness.size && level <= self.eagerness.level;
        if small && (!fact.recursive || depth <= self.eagerness.depth) {
            return self.inline(call);
        }
        let outcome = self.unknown_outcome(flow)?;
        self.calls[call].open = Some(outcome.clone());
        if let Some(invariants) = self.invariants.clone() {
            let inputs = Rc::clone(&self.calls[call].values);
            let known = invariants.about(flow, self.calls[call].entry);
            let known = self.known(flow, &inputs, &outcome, known)?;
            self.logic.axioms.extend(known);
        }
        Ok(outcome)
    }

    /// The result of a call that neither returns nor fails.
    pub(crate) fn no_outcome(&mut self, flow: FlowId) -> Found<Outcome> {
        let mut outcome = self.unknown_outcome(flow)?;
        outcome.exits.fill(Terms::FALSE);
        Ok(Outcome { fails: Terms::FALSE, ..outcome })
    }

    pub(crate) fn unknown_outcome(&mut self, flow: FlowId) -> Found<Outcome> {
        let (flows, facts) = (Rc::clone(&self.flows), Rc::clone(&self.facts));
        let exits = (0..flows.flows[flow].exits).map(|_| self.logic.unknown("returns", Sort::BOOL)).collect();
        let fails = if facts[flow].can_fail { self.logic.unknown("fails", Sort::BOOL) } else { Terms::FALSE };
        let slots = facts[flow].changes.iter().chain(&flows.flows[flow].outs);
        let values =
            slots.map(|s| self.logic.arbitrary_of(flows.var(flow, *s))).collect::<Found<Vec<_>>>()?;
        Ok(Outcome { exits, fails, values })
    }
}
