//! The instructions of a block, executed on terms.

use std::rc::Rc;

use dally_bpl::ast::{Access, AttrArg, ExprId, Lhs};
use dally_bpl::check::VarId;

use super::{Event, Executor, Front, Happened, Outcome, Run};
use crate::expr::{Scope, State};
use crate::flow::{BlockId, Flows, Instruction, Kind, Next, Slot};
use crate::logic::{Found, unsupported};
use crate::term::{Sort, Term, Terms};

impl Executor<'_> {
    pub(super) fn evaluate(&mut self, run: &Run, front: &Front, e: ExprId) -> Found<Term> {
        let flows = Rc::clone(&self.flows);
        let state = State { flows: &flows, now: &front.values, old: &run.old };
        self.logic.expr(e, &mut Scope::of(state))
    }

    pub(super) fn assume(&mut self, run: &mut Run, front: Front, condition: Term) -> Option<Front> {
        let path = run.paths.with(&mut self.logic.terms, front.path, condition)?;
        Some(Front { path, ..front })
    }

    pub(super) fn block(
        &mut self,
        flows: &Flows,
        run: &mut Run,
        block: BlockId,
        front: Front,
    ) -> Found<Happened> {
        let code = &flows.flows[run.flow].blocks[block];
        let mut happened = Happened::default();
        let mut front = Some(front);
        for instruction in &code.code {
            self.limits.hold(self.held())?;
            let Some(here) = front.take() else { return Ok(happened) };
            let (event, next) = self.instruction(flows, run, instruction, here)?;
            happened.events.push(event);
            front = next;
        }
        let Some(front) = front else { return Ok(happened) };
        let conditions: Vec<(Term, BlockId)> = match &code.next {
            Next::Exit(exit) => {
                run.exits[*exit].push((front.path, front.values));
                return Ok(happened);
            }
            Next::If(e, yes, no) => {
                let condition = self.evaluate(run, &front, *e)?;
                vec![(condition, *yes), (self.logic.terms.not(condition), *no)]
            }
            Next::Goto(targets) => self.choice(targets),
            Next::Switch(targets) => run.taken.iter().copied().zip(targets.iter().copied()).collect(),
        };
        let last = conditions.len();
        let mut path = Some(front.path);
        for (index, (condition, target)) in conditions.into_iter().enumerate() {
            let Some(here) = path else { break };
            // The exits cover all cases only together with the condition that the loop terminates.
            let complete = !matches!(code.next, Next::Switch(_));
            let condition = if index + 1 == last && complete { Terms::TRUE } else { condition };
            if let Some(there) = run.paths.with(&mut self.logic.terms, here, condition) {
                happened.edges.push((condition, target));
                run.waiting.entry(target).or_default().push((there, Rc::clone(&front.values)));
            }
            let otherwise = self.logic.terms.not(condition);
            path = run.paths.with(&mut self.logic.terms, here, otherwise);
        }
        Ok(happened)
    }

    /// Conditions for a nondeterministic choice between blocks.
    fn choice(&mut self, targets: &[BlockId]) -> Vec<(Term, BlockId)> {
        let mut conditions = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            let last = index + 1 == targets.len();
            let chosen = if last { Terms::TRUE } else { self.logic.unknown("choice", Sort::BOOL) };
            conditions.push((chosen, *target));
        }
        conditions
    }

    fn instruction(
        &mut self,
        flows: &Flows,
        run: &mut Run,
        instruction: &Instruction,
        front: Front,
    ) -> Found<(Event, Option<Front>)> {
        match &instruction.kind {
            Kind::Assume(e) => {
                let tag = self.tag(run, &front, instruction)?;
                let condition = self.evaluate(run, &front, *e)?;
                Ok((tag, self.assume(run, front, condition)))
            }
            Kind::Assert(e, _) => self.check(run, front, *e),
            Kind::Requires(e) if self.calls[run.call].parent.is_none() => {
                let condition = self.evaluate(run, &front, *e)?;
                Ok((Event::Plain, self.assume(run, front, condition)))
            }
            Kind::Requires(e) => self.check(run, front, *e),
            Kind::Havoc(vars) => {
                let range = crate::flow::range(self.logic.program, &instruction.attrs);
                self.havoc(flows, run, vars, range, front)
            }
            Kind::Assign(targets) => {
                let mut new = Vec::new();
                for (slot, lhs, value) in targets {
                    let value = self.evaluate(run, &front, *value)?;
                    let Some(var) = flows.var(run.flow, *slot) else { continue };
                    let ty = self.logic.program.info[var].ty;
                    let target = Target { ty, whole: front.values[*slot] };
                    new.push((*slot, self.update(run, &front, lhs, target, value)?));
                }
                Ok((Event::Plain, Some(set(front, new))))
            }
            Kind::Result(slot, e) => {
                let value = self.evaluate(run, &front, *e)?;
                Ok((Event::Plain, Some(set(front, [(*slot, value)]))))
            }
            Kind::Unpack(constructor, slots, value) => {
                let ty = self.logic.program.info.type_of(*value);
                let value = self.evaluate(run, &front, *value)?;
                let Some((is, parts)) = self.logic.take_apart(value, *constructor, ty) else {
                    return unsupported(instruction.span, "a constructor that is not known");
                };
                let front = self.assume(run, front, is);
                let new = slots.iter().zip(parts).filter_map(|(slot, part)| Some(((*slot)?, part)));
                Ok((Event::Plain, front.map(|front| set(front, new))))
            }
            Kind::Call { callee, args, outs } => {
                let args = args.iter().map(|a| self.evaluate(run, &front, *a)).collect::<Found<Vec<_>>>()?;
                let frame = self.frame(*callee, front.values.to_vec(), &args)?;
                let entry = flows.flows[*callee].entry;
                let call = self.site(*callee, entry, Some(run.call), frame, Rc::default());
                self.calls[call].reached = run.paths.all(front.path);
                let outcome = self.outcome_of(call)?;
                let facts = Rc::clone(&self.facts);
                let changes = &facts[*callee].changes;
                let results = outcome.values[changes.len()..].iter();
                let given = outs.iter().zip(results).filter_map(|(slot, value)| Some(((*slot)?, *value)));
                let new = changes.iter().copied().zip(outcome.values.iter().copied()).chain(given).collect();
                Ok((Event::Call(call), self.after(run, front, &outcome, new)))
            }
            Kind::Loop { callee, entry } => {
                let (values, old) = (Rc::clone(&front.values), Rc::clone(&run.old));
                let call = self.site(*callee, *entry, Some(run.call), values, old);
                self.calls[call].reached = run.paths.all(front.path);
                let outcome = self.outcome_of(call)?;
                run.taken.clone_from(&outcome.exits);
                let facts = Rc::clone(&self.facts);
                let new =
                    facts[*callee].changes.iter().copied().zip(outcome.values.iter().copied()).collect();
                Ok((Event::Call(call), self.after(run, front, &outcome, new)))
            }
        }
    }

    /// The values of a tag.
    fn tag(&mut self, run: &Run, front: &Front, instruction: &Instruction) -> Found<Event> {
        let Some(place) = self.logic.program.ast.attr(&instruction.attrs, "place") else {
            return Ok(Event::Plain);
        };
        let mut terms = Vec::new();
        for arg in &place.args {
            if let AttrArg::Expr(e) = arg {
                terms.push(self.evaluate(run, front, *e)?);
            }
        }
        Ok(Event::Tag(terms))
    }

    fn check(&mut self, run: &mut Run, front: Front, e: ExprId) -> Found<(Event, Option<Front>)> {
        let condition = self.evaluate(run, &front, e)?;
        let terms = &mut self.logic.terms;
        if run.paths.known(terms, front.path, condition) != Some(true) {
            let negated = terms.not(condition);
            let failure = terms.and(run.paths.all(front.path), negated);
            run.failures.push(failure);
        }
        Ok((Event::Checked(condition), self.assume(run, front, condition)))
    }

    fn havoc(
        &mut self,
        flows: &Flows,
        run: &mut Run,
        vars: &[VarId],
        range: Option<(i64, i64)>,
        front: Front,
    ) -> Found<(Event, Option<Front>)> {
        let mut new = Vec::new();
        for var in vars {
            new.push((*var, self.logic.arbitrary(*var)?));
        }
        let slots = new.iter().filter_map(|(v, t)| Some((flows.slot(*v)?, *t))).collect::<Vec<_>>();
        let mut front = Some(set(front, slots));
        for (var, term) in &new {
            let Some(range) = range.or_else(|| flows.range(*var)) else { continue };
            let condition = self.logic.in_range(*term, range);
            front = front.and_then(|here| self.assume(run, here, condition));
        }
        for var in vars {
            let (Some(condition), Some(here)) = (flows.where_clause(*var), front.as_ref()) else { continue };
            let condition = self.evaluate(run, here, condition)?;
            front = front.and_then(|here| self.assume(run, here, condition));
        }
        Ok((Event::Arbitrary(new), front))
    }

    /// The value of a whole variable after an assignment to a part of it.
    fn update(&mut self, run: &Run, front: &Front, lhs: &Lhs, target: Target, value: Term) -> Found<Term> {
        let Target { mut ty, mut whole } = target;
        let mut steps = Vec::new();
        for access in &lhs.path {
            match access {
                Access::Index(indices, _) => {
                    self.logic.sort(ty, lhs.span)?;
                    let indices = self.logic.program.ast.exprs.list(*indices);
                    let indices =
                        indices.iter().map(|i| self.evaluate(run, front, *i)).collect::<Found<Vec<_>>>()?;
                    let inner = self.logic.select(whole, &indices);
                    ty = self.logic.value_type(ty);
                    steps.push((whole, Part::Index(indices)));
                    whole = inner;
                }
                Access::Field(field) => {
                    let inner = self.logic.field(whole, ty, field.name, lhs.span)?;
                    steps.push((whole, Part::Field(ty, field.name)));
                    ty = self.logic.field_type(ty, field.name);
                    whole = inner;
                }
            }
        }
        let mut new = value;
        for (whole, step) in steps.into_iter().rev() {
            new = match step {
                Part::Index(indices) => self.logic.store(whole, &indices, new),
                Part::Field(ty, field) => self.logic.field_update(whole, ty, field, new, lhs.span)?,
            };
        }
        Ok(new)
    }

    /// The path after a call.
    fn after(
        &mut self,
        run: &mut Run,
        front: Front,
        outcome: &Outcome,
        new: Vec<(Slot, Term)>,
    ) -> Option<Front> {
        let terms = &mut self.logic.terms;
        if outcome.fails != Terms::FALSE {
            let failure = terms.and(run.paths.all(front.path), outcome.fails);
            run.failures.push(failure);
        }
        let returns = terms.or_all(&outcome.exits);
        let front = self.assume(run, front, returns)?;
        Some(set(front, new))
    }
}

/// A variable that is assigned to: its type and its value before the assignment.
#[derive(Clone, Copy)]
struct Target {
    ty: dally_bpl::check::Ty,
    whole: Term,
}

/// An access to a part of a value.
enum Part {
    Index(Vec<Term>),
    Field(dally_bpl::check::Ty, dally_text::symbol::Sym),
}

fn set(mut front: Front, new: impl IntoIterator<Item = (Slot, Term)>) -> Front {
    let values = Rc::make_mut(&mut front.values);
    for (slot, term) in new {
        values[slot] = term;
    }
    front
}
