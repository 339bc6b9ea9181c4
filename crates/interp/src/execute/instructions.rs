//! The semantics of each instruction.

use dally_explore::{Event, Failure, Post, TaskId};
use smallvec::SmallVec;

use dally_step::Frame;

use super::{
    Application, Choice, End, Flow, Local, MAX_CALLS, MAX_CHOICES, MAX_TASKS, Note, Observer, Posted, Run,
    first_frame,
};
use crate::builtin;
use crate::bv;
use crate::code::{Arith, Binary, BvOp, Domain, Op, VarStorage};
use crate::evaluate::{self as eval, Trouble};
use crate::state::Meta;
use crate::value::Value;
use crate::wide;

impl<O: Observer> Run<'_, O> {
    /// Executes one instruction without the instructions fused with it.
    #[cold]
    fn execute_plain(&mut self) -> Result<Flow, Trouble> {
        self.execute(self.code.plain[self.pc as usize])
    }

    /// Executes one instruction.
    #[inline]
    pub(super) fn execute(&mut self, op: Op) -> Result<Flow, Trouble> {
        let heap = &self.store.heap;
        match op {
            Op::Const(value) => self.push(value),
            Op::Load(place) => return self.load(place),
            Op::Stack(index) => self.push(self.expression.values[self.expression.base + index as usize]),
            Op::AssumeIs(place, constant) => {
                let value = self.code.constants[constant as usize];
                return self.assume_equal(place, value);
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
                self.push(self.arith(op, a, b)?);
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
                if self.short_circuits(matches!(op, Op::OrElse(_)))? {
                    self.pc = to;
                    return Ok(Flow::On);
                }
            }
            Op::Jump(to) => {
                self.pc = to;
                return Ok(self.burn().unwrap_or(Flow::On));
            }
            Op::Yield if self.local.stack.atomic == 0 => {
                self.pc += 1;
                return Ok(self.stop(End::Yields));
            }
            Op::JumpUnless(to) => {
                if !eval::truth(self.pop())? {
                    self.store.sites.fail(self.pc);
                    self.pc = to;
                    return Ok(Flow::On);
                }
                self.store.sites.pass(self.pc);
            }
            Op::Set(place) => {
                let value = self.pop();
                self.assign(place, value);
            }
            Op::SetConst(place, constant) => {
                self.assign(place, self.code.constants[constant as usize]);
                self.pc += 1;
            }
            Op::Binary(op, a, b) => return self.binary(op, self.operand(a), self.operand(b)),
            Op::Pop => {
                self.pop();
            }
            Op::Select(count, map_of_maps) => self.select(count, map_of_maps)?,
            Op::Store(count) => self.update_map(count)?,
            Op::Assume => {
                if !eval::truth(self.pop())? {
                    return Ok(self.discard_here());
                }
                self.store.sites.pass(self.pc);
            }
            Op::Choose(list) => {
                let count = self.code.targets[list as usize].len() as u64;
                return Ok(self.choose(Choice::Targets(list), count));
            }
            _ => return self.execute_rarer(op),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    #[inline]
    fn update_map(&mut self, count: u8) -> Result<(), Trouble> {
        let value = self.pop();
        let key = self.key(count);
        let map = self.pop();
        let key = key?;
        if O::WATCHES {
            self.observer.note(Note::Element { key, value });
        }
        self.push(self.store.heap.store(map, key, value));
        Ok(())
    }

    /// Returns true if the value of the first operand decides the conjunction or disjunction; it stays on the stack then.
    #[inline]
    fn short_circuits(&mut self, is_or: bool) -> Result<bool, Trouble> {
        let value = eval::truth(self.expression.values.last().copied().unwrap_or(Value::Unset))?;
        if value != is_or {
            self.pop();
        }
        Ok(value == is_or)
    }

    /// Executes an operation that is fused with the loads of its operands.
    #[inline]
    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Result<Flow, Trouble> {
        if a == Value::Unset || b == Value::Unset {
            // Load the operands one by one: an arbitrary value has to be chosen first.
            return self.execute_plain();
        }
        let heap = &self.store.heap;
        self.push(match op {
            Binary::Eq => Value::Bool(eval::equal(heap, a, b)?),
            Binary::Ne => Value::Bool(!eval::equal(heap, a, b)?),
            Binary::Compare(op) => eval::compare(heap, op, a, b)?,
            Binary::Arith(op) => self.arith(op, a, b)?,
        });
        self.pc += 3;
        Ok(Flow::On)
    }

    #[inline]
    fn select(&mut self, count: u8, map_of_maps: bool) -> Result<(), Trouble> {
        let key = self.key(count);
        let map = self.pop();
        let value = self.store.heap.select(map, key?);
        if value == Value::Unset && !map_of_maps {
            return Err(Trouble::Arbitrary);
        }
        self.push(value);
        Ok(())
    }

    fn arith(&self, op: Arith, a: Value, b: Value) -> Result<Value, Trouble> {
        match (eval::arith(&self.store.heap, op, a, b), &self.code.by_zero) {
            (Err(Trouble::DivisionByZero), Some(known)) => {
                // For real division, integers are converted first.
                let dividend = if op == Arith::Quotient { eval::to_real(&self.store.heap, a)? } else { a };
                let same = known.iter().find(|it| (it.op, it.dividend) == (op, dividend));
                let zero = if op == Arith::Quotient {
                    eval::to_real(&self.store.heap, Value::Int(0))?
                } else {
                    Value::Int(0)
                };
                Ok(same.map_or(zero, |it| it.value))
            }
            (result, _) => result,
        }
    }

    fn load(&mut self, place: VarStorage) -> Result<Flow, Trouble> {
        let value = self.variable(place);
        if value != Value::Unset {
            self.push(value);
            self.pc += 1;
            return Ok(Flow::On);
        }
        if let Some(value) = self.take_given(place) {
            if !self.domain(place).may_hold(value) {
                return Ok(self.discard());
            }
            self.assign(place, value);
            self.push(value);
            self.pc += 1;
            return Ok(Flow::On);
        }
        // Choose a value, then read the variable again.
        match self.domain(place) {
            Domain::Map => {
                self.push(Value::Unset);
                self.pc += 1;
            }
            Domain::Unbounded => return Ok(self.give_up_on(place)),
            domain => match domain.len() {
                count if count > MAX_CHOICES => return Ok(self.give_up_choice(Some(place))),
                count => return Ok(self.choose(Choice::Values(place), count)),
            },
        }
        Ok(Flow::On)
    }

    /// The initial value that the script gives an arbitrary variable, if any.
    fn take_given(&mut self, place: VarStorage) -> Option<Value> {
        let given = self.declaration(place).given?;
        let beside = match place {
            VarStorage::Global(_) => VarStorage::Global(given),
            VarStorage::Local(_) => VarStorage::Local(given),
            VarStorage::ThreadLocal(_) => VarStorage::ThreadLocal(given),
        };
        let value = self.variable(beside);
        self.assign(beside, Value::Unset);
        (value != Value::Unset).then_some(value)
    }

    /// Continues only if the variable has the value. An arbitrary variable gets it.
    fn assume_equal(&mut self, place: VarStorage, value: Value) -> Result<Flow, Trouble> {
        let old = self.variable(place);
        if old == Value::Unset && value != Value::Unset {
            if !self.domain(place).may_hold(value) {
                return Ok(self.discard_here());
            }
            self.assign(place, value);
        } else if !eval::equal(&self.store.heap, old, value)? {
            return Ok(self.discard_here());
        }
        self.store.sites.pass(self.pc);
        self.pc += 1;
        Ok(Flow::On)
    }

    /// Tells an observer of an output.
    fn print(&mut self, print: u32) {
        if !O::WATCHES {
            return;
        }
        for argument in &self.code.telling.prints[print as usize].arguments {
            self.observer.note(Note::Argument { value: self.operand(*argument) });
        }
        self.observer.note(Note::Print { print });
    }

    /// Discards the execution at an assumption.
    fn discard_here(&mut self) -> Flow {
        self.store.sites.fail(self.pc);
        self.discard()
    }

    /// Fails: the domain of the variable is too large to enumerate.
    #[cold]
    fn give_up_on(&mut self, place: VarStorage) -> Flow {
        let variable = self.declaration(place);
        if variable.hidden {
            return self.give_up(Trouble::Arbitrary.message().to_owned());
        }
        let name = self.code.symbols.text(variable.name);
        self.give_up(match variable.is_number {
            true => format!(
                "the value of `{name}` is arbitrary: assign to it first, or declare the values to try, such as \
                 `{{:range 0, 3}} {name}`"
            ),
            false => format!(
                "the value of `{name}` is arbitrary, and the values of its type cannot be enumerated: assign to it first"
            ),
        })
    }

    #[cold]
    fn give_up_choice(&mut self, place: Option<VarStorage>) -> Flow {
        let variable = place.map(|place| self.declaration(place)).filter(|variable| !variable.hidden);
        let of = variable.map(|v| format!(" of `{}`", self.code.symbols.text(v.name))).unwrap_or_default();
        self.give_up(format!(
            "a choice among more than {MAX_CHOICES} values{of}: give a smaller `{{:range}}`"
        ))
    }

    fn key(&mut self, count: u8) -> Result<Value, Trouble> {
        let from = self.expression.values.len() - usize::from(count);
        let indices: SmallVec<[Value; 2]> = self.expression.values.drain(from..).collect();
        if indices.contains(&Value::Unset) {
            return Err(Trouble::Arbitrary);
        }
        Ok(self.store.heap.key(&indices))
    }

    /// Functions, quantifiers, choices and checks.
    fn execute_rarer(&mut self, op: Op) -> Result<Flow, Trouble> {
        match op {
            Op::Put(index) => {
                let value = self.pop();
                let place = self.expression.base + index as usize;
                self.expression.values[place] = value;
            }
            Op::Mentioned(kind) => self.mentioned(kind),
            Op::Each(quantifier, exit) => return self.each(quantifier, exit),
            Op::Again(quantifier, begin) => return self.again(quantifier, begin),
            Op::Undefined(value) => match self.skip_instance() {
                Some(flow) => return Ok(flow),
                None => self.push(value),
            },
            Op::IsKnown(index) => {
                let value = self.expression.values[self.expression.base + index as usize];
                let is_known = self.store.heap.is_known(value);
                self.push(Value::Bool(is_known));
            }
            Op::Recall(to) => return Ok(self.recall(to)),
            Op::Remember(function) => {
                let values = &self.expression.values;
                if let (Value::Int(argument), Some(Value::Int(result))) =
                    (values[self.expression.base], values.last())
                {
                    self.store.memo.put(function, argument, *result);
                }
                self.result();
                return Ok(Flow::On);
            }
            Op::Apply(to, count) => return Ok(self.apply(to, count)),
            Op::Result => {
                self.result();
                return Ok(Flow::On);
            }
            Op::Slide(count) => {
                let result = self.pop();
                self.expression.values.truncate(self.expression.values.len() - usize::from(count));
                self.push(result);
            }
            Op::Take(place) => {
                let value = self.variable(place);
                self.assign(place, Value::Unset);
                self.push(value);
            }
            Op::Pick(low, high, bits) => {
                self.pc += 1;
                let count = if low > high { 0 } else { low.abs_diff(high).saturating_add(1) };
                return Ok(match count {
                    count if count > MAX_CHOICES => self.give_up_choice(None),
                    count => self.choose(Choice::Numbers(low, bits), count),
                });
            }
            Op::AssumeEq(place) => {
                let value = self.pop();
                return self.assume_equal(place, value);
            }
            Op::Check(check) => {
                self.store.sites.pass(self.pc);
                if !eval::truth(self.pop())? {
                    return Ok(self.fail_check(check));
                }
            }
            Op::FollowTo(place, list) => return Ok(self.follow_to(place, list)),
            Op::Follow(place) => return Ok(self.follow_values(place)),
            _ => return self.execute_data(op),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    /// Returns the cached result of a function of one integer, or starts its evaluation.
    fn recall(&mut self, to: u32) -> Flow {
        let argument = self.pop();
        let known = match argument {
            Value::Int(argument) => self.store.memo.get(to, argument),
            _ => None,
        };
        let Some(result) = known else {
            self.push(argument);
            return self.apply(to, 1);
        };
        self.push(Value::Int(result));
        self.pc += 1;
        Flow::On
    }

    #[cold]
    fn fail_check(&mut self, check: u32) -> Flow {
        let check = &self.code.checks[check as usize];
        if self.code.only.is_some_and(|only| only != check.span) {
            return self.discard();
        }
        if check.unsupported {
            return self.give_up(check.message.clone());
        }
        let failure = Box::new(Failure::assertion(check.message.clone()));
        self.stop(End::Fails(failure, check.span))
    }

    /// Bitvectors, reals, constant maps and datatypes.
    fn execute_data(&mut self, op: Op) -> Result<Flow, Trouble> {
        let heap = &self.store.heap;
        match op {
            Op::Bv(BvOp::Not | BvOp::Neg, _) | Op::Extract(..) | Op::SignExtend(..) | Op::ZeroExtend => {
                let value = self.pop();
                self.push(eval::bits_unary(op, value)?);
            }
            Op::BuiltIn(number, count) => {
                let from = self.expression.values.len() - usize::from(count);
                let function = self.code.built_ins[number as usize];
                let value = builtin::apply(heap, function, &self.expression.values[from..])?;
                self.expression.values.truncate(from);
                self.push(value);
            }
            Op::Bv(op, width) => {
                let (b, a) = (eval::bits(self.pop())?, eval::bits(self.pop())?);
                self.push(bv::binary(op, a, b, width));
            }
            Op::Concat(width) => {
                let (b, a) = (eval::bits(self.pop())?, eval::bits(self.pop())?);
                self.push(Value::Bv(if width >= 64 { b } else { a << width | b }));
            }
            Op::Wide(op) if op.is_binary() => {
                let (b, a) = (self.pop(), self.pop());
                self.push(wide::binary(heap, op, a, b)?);
            }
            Op::Wide(op) => {
                let value = self.pop();
                self.push(wide::unary(heap, op, value)?);
            }
            Op::Floor => {
                let value = self.pop();
                self.push(eval::floor(heap, value)?);
            }
            Op::ToReal => {
                let value = self.pop();
                self.push(eval::to_real(heap, value)?);
            }
            Op::ConstantMap => {
                let value = self.pop();
                self.push(heap.constant_map(value));
            }
            Op::Construct(constructor, count) => {
                let from = self.expression.values.len() - usize::from(count);
                let value = heap.construct(constructor, &self.expression.values[from..]);
                self.expression.values.truncate(from);
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
            _ => return self.execute_control(op),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    /// Starts the evaluation of a function.
    fn apply(&mut self, to: u32, count: u8) -> Flow {
        if let Some(flow) = self.burn() {
            return flow;
        }
        if self.expression.applications.len() >= MAX_CALLS {
            return self.give_up(format!("function applications nested deeper than {MAX_CALLS}"));
        }
        let base = self.expression.base as u32;
        self.expression.applications.push(Application { back: self.pc + 1, base });
        self.expression.base = self.expression.values.len() - usize::from(count);
        self.pc = to;
        Flow::On
    }

    /// Returns from a function.
    fn result(&mut self) {
        let result = self.pop();
        self.expression.values.truncate(self.expression.base);
        self.push(result);
        if let Some(Application { back, base }) = self.expression.applications.pop() {
            (self.pc, self.expression.base) = (back, base as usize);
        }
    }

    /// Calls, posts and waits.
    fn execute_control(&mut self, op: Op) -> Result<Flow, Trouble> {
        match op {
            Op::Call(procedure) => {
                if let Some(flow) = self.burn() {
                    return Ok(flow);
                }
                let end = self.call(procedure);
                return Ok(self.stop_if(end));
            }
            Op::Return => {
                let end = self.return_from_call();
                return Ok(self.stop_if(end));
            }
            Op::Post(procedure, level, buffer, handle) => {
                if let Some(flow) = self.post(procedure, level, buffer, handle) {
                    return Ok(flow);
                }
            }
            Op::Interrupt => {
                let end = self.interrupt();
                return Ok(self.stop_or_pass(end));
            }
            Op::Wait(local) => return self.wait(local),
            Op::Await => {}
            Op::AwaitEnd(begin) => {
                if !eval::truth(self.pop())? {
                    self.pc = begin;
                    let task = self.awaited_task(begin);
                    return Ok(self.stop(End::Blocks(task)));
                }
                self.store.sites.pass(self.pc);
            }
            Op::Yield | Op::Zield | Op::YieldByLevel | Op::ZieldByLevel => {
                self.pc += 1;
                let end = self.scheduling_point(op);
                return Ok(self.stop_or_pass(end));
            }
            Op::AtomicBegin => {
                let stack = self.local_mut().stack.to_mut();
                stack.atomic = stack.atomic.saturating_add(1);
            }
            Op::AtomicEnd => {
                let stack = self.local_mut().stack.to_mut();
                stack.atomic = stack.atomic.saturating_sub(1);
                let end = self.interrupt();
                return Ok(self.stop_or_pass(end));
            }
            Op::Print(print) => self.print(print),
            Op::Seal => self.local_mut().events.push(Event::Sealed),
            Op::Unseal => self.local_mut().events.push(Event::Unsealed),
            Op::ThreadId => self.push(Value::Int(i64::from(self.meta.task) + 1)),
            Op::ChildId => {
                if self.local.stack.child == 0 {
                    return Err(Trouble::Arbitrary);
                }
                self.push(Value::Int(i64::from(self.local.stack.child)));
            }
            // `execute` and the functions above handle all others.
            _ => return Err(Trouble::Types),
        }
        self.pc += 1;
        Ok(Flow::On)
    }

    /// The end of the step at a yield or zield. Neither does anything in an atomic section.
    fn scheduling_point(&self, op: Op) -> Option<End> {
        if self.local.stack.atomic > 0 {
            return None;
        }
        let inserted = || self.code.preemption.at_level(u32::from(self.meta.level));
        match op {
            Op::Yield => Some(End::Yields),
            Op::Zield => Some(End::Zields),
            Op::YieldByLevel => inserted().yields.then_some(End::Yields),
            _ => inserted().zields.then_some(End::Zields),
        }
    }

    fn call(&mut self, procedure: u32) -> Option<End> {
        if self.local.stack.frames.len() >= MAX_CALLS {
            return Some(self.unsupported(format!("calls nested deeper than {MAX_CALLS}")));
        }
        let callee = &self.code.procedures[procedure as usize];
        let from = self.expression.values.len() - callee.ins as usize;
        let args: SmallVec<[Value; 4]> = self.expression.values.drain(from..).collect();
        let back = self.pc + 1;
        self.reset_dead(back);
        let local = self.local_mut();
        let stack = local.stack.to_mut();
        if let Some(frame) = stack.frames.last_mut() {
            frame.pc = back;
        }
        let base = stack.values.len();
        stack.values.extend(args);
        stack.values.resize(base + callee.variables.len(), Value::Unset);
        stack.frames.push(Frame { function: procedure, pc: callee.entry, base: base as u32 });
        (local.base, local.procedure) = (base, procedure);
        self.pc = callee.entry;
        None
    }

    fn return_from_call(&mut self) -> Option<End> {
        let Local { base, procedure, .. } = *self.local;
        let callee = &self.code.procedures[procedure as usize];
        let outs = base + callee.ins as usize..base + (callee.ins + callee.outs) as usize;
        if self.local.stack.frames.len() <= 1 {
            let result = self.local.stack.values[outs].first().copied();
            return Some(End::Completes(result.unwrap_or(Value::Unset)));
        }
        self.expression.values.extend_from_slice(&self.local.stack.values[outs]);
        let local = self.local_mut();
        let stack = local.stack.to_mut();
        stack.frames.pop()?;
        stack.values.truncate(base);
        let caller = stack.frames.last().copied()?;
        (local.base, local.procedure) = (caller.base as usize, caller.function);
        self.pc = caller.pc;
        self.store.sites.enter(caller.pc);
        None
    }

    fn post(
        &mut self,
        procedure: u32,
        level: Option<u16>,
        buffer: Option<u16>,
        handle: bool,
    ) -> Option<Flow> {
        if self.local.control.tasks.len() >= MAX_TASKS {
            return Some(self.give_up(format!("more than {MAX_TASKS} tasks at a time")));
        }
        let task = self.free_id();
        let callee = &self.code.procedures[procedure as usize];
        let level = level.unwrap_or(self.meta.level);
        let buffer = buffer.unwrap_or(self.meta.buffer);
        let meta = Meta { task, level, buffer, handle };
        let from = self.expression.values.len() - callee.ins as usize;
        let args: SmallVec<[Value; 4]> = self.expression.values.drain(from..).collect();
        let mut stack = first_frame(self.code, procedure, callee.entry, &args);
        if let Some(scripts) = &self.code.scripts {
            let Some(position) = self.posted_script() else { return Some(self.discard()) };
            stack.values[scripts.position as usize] = position;
        }
        let kind = self.store.stack(&stack).fingerprint.low() | 1;
        let post = Post { by: None, level: u32::from(level), buffer: u32::from(meta.buffer), kind };
        let numbers_tasks = self.code.numbers_tasks;
        let interrupts = buffer == self.meta.buffer && level > self.meta.level;
        let local = self.local_mut();
        local.events.push(Event::Posted(TaskId(task), post));
        let place = local.control.tasks.partition_point(|m| m.task < task);
        local.control.to_mut().tasks.insert(place, meta);
        local.posted.push(Posted { meta, stack });
        if numbers_tasks {
            local.stack.to_mut().child = task + 1;
        }
        local.interrupted |= interrupts;
        if O::WATCHES {
            self.observer.note(Note::Posted { task });
        }
        self.push(if handle { Value::Task(task) } else { Value::Unset });
        None
    }

    /// The smallest free task id; if the program observes ids, the smallest that was never used.
    fn free_id(&mut self) -> u32 {
        if self.code.keeps_ids {
            let next = &mut self.local_mut().control.to_mut().next;
            *next += 1;
            return *next - 1;
        }
        let control = &self.local.control;
        let taken = |id: u32| control.place(id).is_some() || control.has_ended(id);
        (0..).find(|id| !taken(*id)).unwrap_or(u32::MAX)
    }

    /// Stops at a scheduling point that was just passed, or goes on behind it.
    fn stop_or_pass(&mut self, end: Option<End>) -> Flow {
        if end.is_none() {
            self.store.sites.enter(self.pc);
        }
        self.stop_if(end)
    }

    /// Advances, and stops the task if it has posted a task of a higher level.
    fn interrupt(&mut self) -> Option<End> {
        self.pc += 1;
        self.interrupted_here()
    }

    fn interrupted_here(&self) -> Option<End> {
        (self.local.interrupted && self.local.stack.atomic == 0).then_some(End::Interrupted)
    }

    fn wait(&mut self, local: u32) -> Result<Flow, Trouble> {
        let place = VarStorage::Local(local);
        let Value::Task(task) = self.variable(place) else { return Err(Trouble::Arbitrary) };
        // Every wait is a scheduling point, even if the awaited task has already terminated. In an atomic
        // section, the task passes it without one then.
        let passes = self.fresh || self.local.stack.atomic > 0;
        match self.local.control.ended.iter().find(|(t, _)| *t == task) {
            Some((_, result)) if passes => {
                let result = *result;
                self.assign(place, Value::Unset);
                self.push(result);
                self.store.sites.pass(self.pc);
                self.pc += 1;
                Ok(Flow::On)
            }
            _ => Ok(self.stop(End::Blocks(Some(task)))),
        }
    }
}
