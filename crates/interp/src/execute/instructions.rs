//! What each instruction does.

use dally_explore::{Event, Failure, Post, TaskId};
use smallvec::SmallVec;

use super::{End, Flow, MAX_CALLS, MAX_CHOICES, MAX_TASKS, Observer, Run, first_frame};
use crate::bv;
use crate::code::{BvOp, Domain, Op, Place};
use crate::evaluate::{self as eval, Trouble};
use crate::state::{Frame, Meta};
use crate::value::Value;

impl<O: Observer> Run<'_, O> {
    /// Executes one instruction.
    pub(super) fn execute(&mut self, op: Op, forks: &mut Vec<Self>) -> Result<Flow, Trouble> {
        let heap = &self.store.heap;
        match op {
            Op::Const(value) => self.push(value),
            Op::Load(place) => return self.load(place, forks),
            Op::Stack(index) => self.push(self.values[self.values_base + index as usize]),
            Op::AssumeIs(place, constant) => {
                let value = self.code.constants[constant as usize];
                return self.assume_equal(place, value, forks);
            }
            Op::Not => {
                let value = eval::truth(self.pop())?;
                self.push(Value::Bool(!value));
            }
            Op::Neg => {
                let value = self.pop();
                self.push(eval::negate(heap, value)?);
            }
            Op::Arith(op) => {
                let (b, a) = (self.pop(), self.pop());
                self.push(eval::arith(heap, op, a, b)?);
            }
            Op::Compare(op) => {
                let (b, a) = (self.pop(), self.pop());
                self.push(eval::compare(heap, op, a, b)?);
            }
            Op::Eq | Op::Ne => {
                let (b, a) = (self.pop(), self.pop());
                self.push(Value::Bool(eval::equal(heap, a, b)? == (op == Op::Eq)));
            }
            Op::AndThen(to) | Op::OrElse(to) => {
                let value = eval::truth(self.values.last().copied().unwrap_or(Value::Unset))?;
                if value == matches!(op, Op::OrElse(_)) {
                    self.pc = to;
                    return Ok(Flow::On);
                }
                self.pop();
            }
            Op::Jump(to) => {
                self.pc = to;
                return Ok(Flow::On);
            }
            Op::JumpUnless(to) => {
                if !eval::truth(self.pop())? {
                    self.pc = to;
                    return Ok(Flow::On);
                }
            }
            Op::Set(place) => {
                self.leave_untried(forks);
                let value = self.pop();
                self.assign(place, value);
            }
            Op::Pop => {
                self.pop();
            }
            Op::Select(count, map_of_maps) => {
                let key = self.key(count);
                let map = self.pop();
                let value = heap.select(map, key?);
                if value == Value::Unset && !map_of_maps {
                    return Err(Trouble::Arbitrary);
                }
                self.push(value);
            }
            Op::Store(count) => {
                let value = self.pop();
                let key = self.key(count);
                let map = self.pop();
                self.push(heap.store(map, key?, value));
            }
            Op::Assume => {
                if !eval::truth(self.pop())? {
                    return Ok(self.stop(End::Discarded));
                }
            }
            Op::Choose(list) => {
                self.choose(list, forks);
                return Ok(Flow::On);
            }
            _ => return self.execute_rarer(op, forks),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    /// Goes on with the first option; the others become copies.
    pub(super) fn fork<V>(
        &mut self,
        forks: &mut Vec<Self>,
        options: impl DoubleEndedIterator<Item = V>,
        take: impl Fn(&mut Self, V),
    ) {
        self.leave_untried(forks);
        let mut options = options;
        let Some(first) = options.next() else { return };
        for option in options.rev() {
            let mut copy = self.clone();
            take(&mut copy, option);
            forks.push(copy);
        }
        take(self, first);
    }

    fn load(&mut self, place: Place, forks: &mut Vec<Self>) -> Result<Flow, Trouble> {
        let value = self.variable(place);
        if value != Value::Unset {
            self.push(value);
            self.pc += 1;
            return Ok(Flow::On);
        }
        // A value is chosen, and the variable is read again.
        let domain = self.domain(place);
        match domain {
            Domain::Map => {
                self.push(Value::Unset);
                self.pc += 1;
            }
            Domain::Values(values) => {
                self.fork(forks, values.iter().copied(), |run, v| run.assign(place, v));
            }
            Domain::Ints(low, high) => {
                if low.abs_diff(*high) >= MAX_CHOICES {
                    return Ok(self.give_up(format!("a choice among more than {MAX_CHOICES} values")));
                }
                self.fork(forks, *low..=*high, |run, n| run.assign(place, Value::Int(n)));
            }
            Domain::Bvs(low, high) => {
                if low.abs_diff(*high) >= MAX_CHOICES {
                    return Ok(self.give_up(format!("a choice among more than {MAX_CHOICES} values")));
                }
                self.fork(forks, *low..=*high, |run, n| run.assign(place, Value::Bv(n)));
            }
            Domain::Unbounded => return Err(Trouble::Arbitrary),
        }
        Ok(Flow::On)
    }

    /// Goes on only if the variable has the value; one that is arbitrary gets it.
    fn assume_equal(&mut self, place: Place, value: Value, forks: &mut Vec<Self>) -> Result<Flow, Trouble> {
        let old = self.variable(place);
        if old == Value::Unset && value != Value::Unset {
            if !self.domain(place).may_hold(value) {
                return Ok(self.stop(End::Discarded));
            }
            self.leave_untried(forks);
            self.assign(place, value);
        } else if !eval::equal(&self.store.heap, old, value)? {
            return Ok(self.stop(End::Discarded));
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    fn key(&mut self, count: u8) -> Result<Value, Trouble> {
        let from = self.values.len() - usize::from(count);
        let indices: SmallVec<[Value; 2]> = self.values.drain(from..).collect();
        if indices.contains(&Value::Unset) {
            return Err(Trouble::Arbitrary);
        }
        Ok(self.store.heap.key(&indices))
    }

    fn execute_rarer(&mut self, op: Op, forks: &mut Vec<Self>) -> Result<Flow, Trouble> {
        let heap = &self.store.heap;
        match op {
            Op::Bv(BvOp::Not | BvOp::Neg, _) | Op::Extract(..) | Op::SignExtend(..) | Op::ZeroExtend => {
                let value = self.pop();
                self.push(eval::bits_unary(op, value)?);
            }
            Op::Bv(op, width) => {
                let (b, a) = (eval::bits(self.pop())?, eval::bits(self.pop())?);
                self.push(bv::binary(op, a, b, width));
            }
            Op::Concat(width) => {
                let (b, a) = (eval::bits(self.pop())?, eval::bits(self.pop())?);
                self.push(Value::Bv(if width >= 64 { b } else { a << width | b }));
            }
            Op::ConstantMap => {
                let value = self.pop();
                self.push(heap.constant_map(value));
            }
            Op::Construct(constructor, count) => {
                let from = self.values.len() - usize::from(count);
                let value = heap.construct(constructor, &self.values[from..]);
                self.values.truncate(from);
                self.push(value);
            }
            Op::Field(list) => {
                let value = self.pop();
                self.push(eval::field(heap, &self.code.fields[list as usize], value)?);
            }
            Op::FieldUpdate(list) => {
                let (new, value) = (self.pop(), self.pop());
                self.push(eval::field_update(heap, &self.code.fields[list as usize], value, new)?);
            }
            Op::Is(constructor) => {
                let value = self.pop();
                self.push(eval::is_constructor(heap, constructor, value)?);
            }
            Op::Apply(to, count) => {
                if self.applications.len() >= MAX_CALLS {
                    return Ok(self.give_up(format!("functions that nest deeper than {MAX_CALLS}")));
                }
                self.applications.push((self.pc + 1, self.values_base as u32));
                self.values_base = self.values.len() - usize::from(count);
                self.pc = to;
                return Ok(Flow::On);
            }
            Op::Result => {
                let result = self.pop();
                self.values.truncate(self.values_base);
                self.push(result);
                if let Some((back, base)) = self.applications.pop() {
                    (self.pc, self.values_base) = (back, base as usize);
                }
                return Ok(Flow::On);
            }
            Op::Slide(count) => {
                let result = self.pop();
                self.values.truncate(self.values.len() - usize::from(count));
                self.push(result);
            }
            Op::Take(place) => {
                let value = self.variable(place);
                self.assign(place, Value::Unset);
                self.push(value);
            }
            Op::Pick(low, high, bits) => {
                if low.abs_diff(high) >= MAX_CHOICES {
                    return Ok(self.give_up(format!("a choice among more than {MAX_CHOICES} values")));
                }
                self.pc += 1;
                self.fork(forks, low..=high, |run, n| {
                    run.push(if bits { Value::Bv(n as u64) } else { Value::Int(n) });
                });
                return Ok(Flow::On);
            }
            Op::AssumeEq(place) => {
                let value = self.pop();
                return self.assume_equal(place, value, forks);
            }
            Op::Check(check) => {
                if !eval::truth(self.pop())? {
                    let check = &self.code.checks[check as usize];
                    let failure = Box::new(Failure::assertion(check.message.clone()));
                    return Ok(self.stop(End::Fails(failure, check.span)));
                }
            }
            _ => {
                self.leave_untried(forks);
                return self.execute_control(op);
            }
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    /// Calls, posts and waits.
    fn execute_control(&mut self, op: Op) -> Result<Flow, Trouble> {
        match op {
            Op::Call(procedure) => {
                let end = self.call(procedure);
                return Ok(self.stop_if(end));
            }
            Op::Return => {
                let end = self.return_from_call();
                return Ok(self.stop_if(end));
            }
            Op::Post(procedure, level, handle) => {
                if let Some(end) = self.post(procedure, level, handle) {
                    return Ok(self.stop(end));
                }
            }
            Op::Interrupt => {
                let end = self.interrupt();
                return Ok(self.stop_if(end));
            }
            Op::Wait(local) => return self.wait(local),
            Op::Await => {}
            Op::AwaitEnd(begin) => {
                if !eval::truth(self.pop())? {
                    self.pc = begin;
                    return Ok(self.stop(End::Blocks(None)));
                }
            }
            Op::Yield | Op::Zield => {
                self.pc += 1;
                return Ok(match (self.stack.atomic, op) {
                    (0, Op::Yield) => self.stop(End::Yields),
                    (0, _) => self.stop(End::Zields),
                    _ => Flow::On,
                });
            }
            Op::AtomicBegin => {
                let stack = self.stack.to_mut();
                stack.atomic = stack.atomic.saturating_add(1);
            }
            Op::AtomicEnd => {
                let stack = self.stack.to_mut();
                stack.atomic = stack.atomic.saturating_sub(1);
                let end = self.interrupt();
                return Ok(self.stop_if(end));
            }
            Op::Seal => self.events.push(Event::Sealed),
            Op::Unseal => self.events.push(Event::Unsealed),
            Op::ThreadId => self.push(Value::Int(i64::from(self.meta.task) + 1)),
            Op::ChildId => {
                if self.stack.child == 0 {
                    return Err(Trouble::Arbitrary);
                }
                self.push(Value::Int(i64::from(self.stack.child)));
            }
            // The others are executed elsewhere.
            _ => return Err(Trouble::Types),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    fn call(&mut self, procedure: u32) -> Option<End> {
        if self.stack.frames.len() >= MAX_CALLS {
            return Some(self.unsupported(format!("calls that nest deeper than {MAX_CALLS}")));
        }
        let callee = &self.code.procedures[procedure as usize];
        let stack = self.stack.to_mut();
        if let Some(frame) = stack.frames.last_mut() {
            frame.pc = self.pc + 1;
        }
        self.base = stack.values.len();
        let from = self.values.len() - callee.ins as usize;
        stack.values.extend(self.values.drain(from..));
        stack.values.resize(self.base + callee.variables.len(), Value::Unset);
        stack.frames.push(Frame { procedure, pc: callee.entry, base: self.base as u32 });
        (self.pc, self.procedure) = (callee.entry, procedure);
        None
    }

    fn return_from_call(&mut self) -> Option<End> {
        let callee = &self.code.procedures[self.procedure as usize];
        let outs = self.base + callee.ins as usize..self.base + (callee.ins + callee.outs) as usize;
        if self.stack.frames.len() <= 1 {
            return Some(End::Completes(self.stack.values[outs].first().copied().unwrap_or(Value::Unset)));
        }
        let stack = self.stack.to_mut();
        stack.frames.pop()?;
        let caller = stack.frames.last().copied()?;
        self.values.extend_from_slice(&stack.values[outs]);
        stack.values.truncate(self.base);
        (self.pc, self.base, self.procedure) = (caller.pc, caller.base as usize, caller.procedure);
        None
    }

    fn post(&mut self, procedure: u32, level: Option<u16>, handle: bool) -> Option<End> {
        if self.control.tasks.len() >= MAX_TASKS {
            return Some(self.unsupported(format!("more than {MAX_TASKS} tasks at a time")));
        }
        let task = self.free_id();
        let callee = &self.code.procedures[procedure as usize];
        let level = level.unwrap_or(self.meta.level);
        let meta = Meta { task, level, buffer: self.meta.buffer, handle };
        let from = self.values.len() - callee.ins as usize;
        let args: SmallVec<[Value; 4]> = self.values.drain(from..).collect();
        let stack = first_frame(self.code, procedure, callee.entry, &args);
        let kind = self.store.stack(&stack).fingerprint.low() | 1;
        let post = Post { by: None, level: u32::from(level), buffer: u32::from(meta.buffer), kind };
        self.events.push(Event::Posted(TaskId(task), post));
        let place = self.control.tasks.partition_point(|m| m.task < task);
        self.control.to_mut().tasks.insert(place, meta);
        self.posted.push((meta, stack));
        if self.code.numbers_tasks {
            self.stack.to_mut().child = task + 1;
        }
        self.interrupted |= level > self.meta.level;
        self.observer.posted(task, procedure);
        self.push(if handle { Value::Task(task) } else { Value::Unset });
        None
    }

    /// The least number that no task has, or that none has had.
    fn free_id(&mut self) -> u32 {
        if self.code.numbers_tasks {
            self.control.to_mut().next += 1;
            return self.control.next - 1;
        }
        let taken = |id: u32| self.control.place(id).is_some() || self.control.has_ended(id);
        (0..).find(|id| !taken(*id)).unwrap_or(u32::MAX)
    }

    /// Moves on, and stops if a task of a higher level waits to run.
    fn interrupt(&mut self) -> Option<End> {
        self.pc += 1;
        self.interrupted_here()
    }

    fn interrupted_here(&self) -> Option<End> {
        (self.interrupted && self.stack.atomic == 0).then_some(End::Interrupted)
    }

    fn wait(&mut self, local: u32) -> Result<Flow, Trouble> {
        let place = Place::Local(local);
        let Value::Task(task) = self.variable(place) else { return Err(Trouble::Arbitrary) };
        // Every wait is a point where others may run, even if there is nothing to wait for any more.
        if !self.fresh {
            return Ok(self.stop(End::Blocks(Some(task))));
        }
        match self.control.ended.iter().find(|(t, _)| *t == task) {
            Some((_, result)) => {
                let result = *result;
                self.assign(place, Value::Unset);
                self.push(result);
                self.pc += 1;
                Ok(Flow::On)
            }
            None => Ok(self.stop(End::Blocks(Some(task)))),
        }
    }
}
