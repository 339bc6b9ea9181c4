//! The semantics of each instruction.

use dally_explore::Failure;
use dally_step::engine::Pause;

use super::{Choice, End, MOST_CHOICES, Note, Observer, Run, Runner, Sent, failed, fails, first};
use crate::ast::Binary;
use crate::check::info::{EventId, HALT, NULL_EVENT};
use crate::code::{Foreign, Op, Shape};
use crate::show::Writer;
use crate::state::{Mode, Queued, Then};
use crate::value::{Data, Value};

/// The cost of interning a value, besides its size.
pub(super) const NEW: usize = 8;

impl<O: Observer> Runner<'_, O> {
    pub(super) fn pop(&mut self) -> Value {
        self.local.values.pop().unwrap_or_default()
    }

    pub(super) fn push(&mut self, value: Value) {
        self.local.values.push(value);
    }

    fn base(&self) -> usize {
        self.local.frames.last().map_or(0, |f| f.base as usize)
    }

    pub(super) fn jump(&mut self, target: u32) {
        if let Some(frame) = self.local.frames.last_mut() {
            frame.pc = target;
        }
    }

    /// Executes the next instruction.
    #[inline]
    pub(super) fn execute(&mut self) -> Run<()> {
        self.burn(0)?;
        let op = self.code.ops[self.pc as usize];
        if O::WATCHES {
            self.note(Note::At(self.pc, self.local.frames.len()));
        }
        self.jump(self.pc + 1);
        match op {
            Op::Const(number) => self.push(self.code.constants[number as usize]),
            Op::Local(slot) => self.push(self.local.values[self.base() + slot as usize]),
            Op::Field(field) => self.push(self.local.values[field as usize]),
            Op::SetLocal(slot) => {
                let (value, place) = (self.pop(), self.base() + slot as usize);
                self.local.values[place] = value;
                if O::WATCHES {
                    let function = self.local.frames.last().map(|f| f.function);
                    self.note(Note::Set(function, slot, value));
                }
            }
            Op::SetField(field) => {
                let value = self.pop();
                self.local.values[field as usize] = value;
                self.note(Note::Set(None, field, value));
            }
            Op::Update(path, change) => self.update(path, change)?,
            Op::Pop => {
                self.pop();
            }
            Op::Print => {
                let text = self.pop();
                self.note(Note::Prints(text));
            }
            Op::PrintFormat(text, count) => self.print_format(text, count),
            Op::Jump(target) => self.jump(target),
            Op::JumpIfNot(target) => {
                let goes_on = self.pop() == Value::Bool(true);
                self.marks.ops.decide(self.pc, goes_on);
                if !goes_on {
                    self.jump(target);
                }
            }
            Op::JumpIf(when, target) => {
                if self.local.values.last() == Some(&Value::Bool(when)) {
                    self.jump(target);
                } else {
                    self.pop();
                }
            }
            Op::This => {
                let view = self.code.kinds[self.local.kind as usize].own_view;
                self.push(Value::Machine { id: self.id, view });
            }
            Op::Call(function) => self.call(function)?,
            Op::Takes(slot, shape) => {
                let place = self.base() + slot as usize;
                self.local.values[place] =
                    self.expect_shape(self.local.values[place], shape, "the payload of the event")?;
            }
            Op::Return => {
                let value = self.pop();
                let base = self.base();
                self.local.values.truncate(base);
                self.local.frames.pop();
                // The result of a handler is dropped.
                if let Some(frame) = self.local.frames.last() {
                    self.marks.ops.enter(frame.pc);
                    self.push(value);
                }
            }
            Op::Foreach(slot, end) => self.foreach(slot, end),
            Op::Reach(assertion) => self.store.sites.pass(assertion),
            Op::Fail => return self.fail(),
            Op::Foreign(number) => return self.foreign(number),
            Op::Seal(seals) => self.effects.get_mut().sealed = Some(seals),
            Op::Assume(site) => self.assume(site)?,
            Op::Yield => return Err(Pause::Ends(End::Stops)),
            _ => self.compute(op)?,
        }
        Ok(())
    }

    /// Pops the arguments of a text; makes the text only if it is observed.
    fn print_format(&mut self, text: u32, count: u32) {
        if O::WATCHES {
            let (text, _) = self.formatted(text, count);
            let text = self.store.heap.string(&text);
            self.note(Note::Prints(text));
        } else {
            let from = self.local.values.len().saturating_sub(count as usize);
            self.local.values.truncate(from);
        }
    }

    /// Pops a condition, and discards the execution if it is false.
    fn assume(&mut self, site: Option<u32>) -> Run<()> {
        let holds = self.pop() == Value::Bool(true);
        let sites = &self.store.sites;
        site.into_iter().for_each(|site| sites.decide(site, holds));
        self.marks.ops.decide(self.pc, holds);
        if holds { Ok(()) } else { Err(Pause::Discarded) }
    }

    /// Fails at code that cannot be executed. For a foreign function, says how to write a stub.
    #[cold]
    fn foreign(&mut self, number: u32) -> Run<()> {
        let foreign = &self.code.foreign;
        let Foreign::Function { name, stub } = &foreign[number as usize] else {
            return failed(Failure::unsupported("an expression for P's verifier in a statement"));
        };
        let functions = foreign.iter().filter(|foreign| matches!(foreign, Foreign::Function { .. }));
        let others = match functions.count() - 1 {
            0 => String::new(),
            1 => " (this test can call 1 other foreign function)".to_owned(),
            n => format!(" (this test can call {n} other foreign functions)"),
        };
        failed(Failure::unsupported(format!(
            "the function `{name}` is foreign, and has no body in P; write one in a file, say stubs.p, and name that \
             file on the command line, too: `{stub}`{others}"
        )))
    }

    /// Instructions that send, raise, receive or choose.
    fn interact(&mut self, op: Op) -> Run<()> {
        match op {
            Op::New(interface) => self.create(interface),
            Op::Send => self.send()?,
            Op::Enqueue => self.enqueue(),
            Op::Announce => {
                let payload = self.pop();
                let event = self.event("announces")?;
                if event == HALT {
                    return fails(format!("`{}` announces `halt`, which cannot be announced", self.name()));
                }
                self.note(Note::Announces(event, payload));
                self.marks.events.enter(event);
                self.announce(event, payload)?;
            }
            Op::Raise => {
                let payload = self.pop();
                let event = self.event("raises")?;
                self.raise(event, payload)?;
            }
            Op::Goto(state) => {
                let payload = self.pop();
                self.unwind()?;
                self.look_for_cycle(NULL_EVENT, payload)?;
                self.leave(Then::Leave(state, None), NULL_EVENT, payload)?;
            }
            Op::Receive(cases) => {
                self.local.mode = Mode::Receiving(cases);
                return Err(Pause::Ends(End::Stops));
            }
            Op::Conform => self.conform()?,
            Op::Nondet | Op::FairNondet => {
                return Err(Pause::Chooses(Choice::Bools, 2));
            }
            Op::Choose => return self.choices(),
            _ => return fails("an instruction that cannot be executed"),
        }
        Ok(())
    }

    fn fail(&mut self) -> Run<()> {
        let message = match self.pop() {
            Value::Str(text) => self.store.heap.text(text).to_owned(),
            _ => "the assertion does not hold".to_owned(),
        };
        failed(Failure::assertion(message))
    }

    /// Pops an event.
    fn event(&mut self, does: &str) -> Run<EventId> {
        match self.pop() {
            Value::Event(event) => Ok(event),
            _ => fails(format!("`{}` {does} `null` instead of an event", self.name())),
        }
    }

    /// Checks the payload of an announced event. A missing payload is the default value, unless that is a
    /// reference, as in P.
    fn conform(&mut self) -> Run<()> {
        let payload = self.pop();
        let Some(Value::Event(event)) = self.local.values.last().copied() else {
            self.push(payload);
            return Ok(());
        };
        let shape = self.code.event_shapes[event as usize];
        let is_plain = matches!(
            self.code.shapes[shape as usize].0,
            Shape::Bool | Shape::Int | Shape::Float | Shape::Str
        );
        let payload = match payload {
            Value::Null if is_plain => self.code.events[event as usize].default,
            payload => payload,
        };
        let payload = self.expect_shape(payload, shape, "the payload of the event")?;
        self.push(payload);
        Ok(())
    }

    /// Checks a sent event and announces it to the monitors; a scheduling point follows.
    fn send(&mut self) -> Run<()> {
        let [.., target, event, payload] = self.local.values[..] else { return fails("nothing to send") };
        let Value::Event(event) = event else {
            return fails(format!("`{}` sends `null` instead of an event", self.name()));
        };
        let name = &self.code.events[event as usize].name;
        let Value::Machine { view, id } = target else {
            return fails(format!("`{}` sends `{name}` to `null`", self.name()));
        };
        if !self.code.kinds[self.local.kind as usize].sends.contains(event) {
            return fails(format!(
                "`{}` sends `{name}`, which is not among the events that it sends",
                self.name()
            ));
        }
        if !self.code.views[view as usize].contains(event) {
            return fails(format!(
                "`{}` sends `{name}` to a machine that may not be sent this event",
                self.name()
            ));
        }
        self.note(Note::Sending(id, event, payload));
        self.announce(event, payload)?;
        Err(Pause::Ends(End::Stops))
    }

    fn enqueue(&mut self) {
        let (payload, event, target) = (self.pop(), self.pop(), self.pop());
        if let (Value::Machine { id, .. }, Value::Event(event)) = (target, event) {
            self.note(Note::Sends(id, event, payload));
            self.marks.events.enter(event);
            self.effects.get_mut().sent = Some(Sent { target: id, queued: Queued { event, payload } });
        }
    }

    fn create(&mut self, interface: u32) {
        let payload = self.pop();
        let kind = self.code.kinds[self.local.kind as usize].links[interface as usize];
        let code = &self.code.kinds[kind as usize];
        self.note(Note::Creates(self.next, kind));
        self.marks.create(self.code, code.machine);
        self.effects.get_mut().created = Some(first(self.code, kind, code.machine, payload, false));
        self.push(Value::Machine { id: self.next, view: code.view });
    }

    fn foreach(&mut self, slot: u32, end: u32) {
        let place = self.base() + slot as usize;
        let (collection, index) = (self.local.values[place], self.local.values[place + 1]);
        let element = match (collection, index) {
            (Value::Data(id), Value::Int(i)) => match self.store.heap.data(id) {
                Data::Seq(values) | Data::Set(values) => values.get(i as usize).map(|v| (v, i)),
                _ => None,
            },
            _ => None,
        };
        self.marks.ops.decide(self.pc, element.is_some());
        match element {
            Some((value, i)) => {
                self.local.values[place + 1] = Value::Int(i + 1);
                self.push(value);
            }
            None => self.jump(end),
        }
    }

    /// Pauses before the choice of a number below the operand, or of an element of it.
    fn choices(&mut self) -> Run<()> {
        let from = self.pop();
        let (options, count) = match from {
            Value::Int(n) if n < 0 => return fails(format!("there are {n} options to choose from")),
            // As in P, `choose(0)` yields 0.
            Value::Int(n) => (Choice::Numbers(n.clamp(1, MOST_CHOICES) as u32), n.max(1)),
            collection => (Choice::Elements(collection), self.store.heap.options(collection) as i64),
        };
        match count {
            0 => fails("there is nothing to choose from: the collection is empty"),
            n if n > MOST_CHOICES => {
                fails(format!("there are {n} options to choose from, above the limit of {MOST_CHOICES}"))
            }
            n => Err(Pause::Chooses(options, n as u64)),
        }
    }

    /// Instructions that only compute.
    fn compute(&mut self, op: Op) -> Run<()> {
        let value = match op {
            Op::Binary(op) => {
                let (right, left) = (self.pop(), self.pop());
                self.binary(op, left, right)?
            }
            Op::Neg => match self.pop() {
                Value::Int(n) => Value::Int(n.wrapping_neg()),
                Value::Float(bits) => Value::float(-f64::from_bits(bits)),
                other => other,
            },
            Op::Not => Value::Bool(self.pop() != Value::Bool(true)),
            Op::Item(item) => match self.pop() {
                Value::Data(id) => match self.store.heap.data(id) {
                    Data::Tuple(_, fields) if (item as usize) < fields.len() => fields[item as usize],
                    _ => return fails("the tuple has no such field"),
                },
                _ => return fails("a field of `null` is read"),
            },
            Op::Index => {
                let (index, collection) = (self.pop(), self.pop());
                self.index(collection, index)?
            }
            Op::Keys | Op::Values => match self.pop() {
                Value::Data(id) => match self.store.heap.data(id) {
                    Data::Map(entries) => {
                        self.burn(NEW + entries.len())?;
                        let keys = op == Op::Keys;
                        if !keys && entries.iter().any(|entry| entry.value == Value::Null) {
                            return fails("a value of the map is `null`, which `values` cannot return");
                        }
                        let list = entries.iter().map(|entry| if keys { entry.key } else { entry.value });
                        self.store.heap.seq(list.collect())
                    }
                    _ => return fails("`keys` or `values` is applied to a value that is not a map"),
                },
                _ => return fails("`keys` or `values` is applied to `null`"),
            },
            Op::Sizeof => match self.pop() {
                Value::Data(id) => Value::Int(self.store.heap.data(id).len() as i64),
                _ => return fails("`sizeof` is applied to `null`"),
            },
            Op::Tuple(names, count) => {
                self.burn(NEW + count as usize)?;
                let from = self.local.values.len().saturating_sub(count as usize);
                let value = self.store.heap.tuple(names, &self.local.values[from..]);
                self.local.values.truncate(from);
                value
            }
            Op::Cast(shape) => {
                let value = self.pop();
                self.expect_shape(value, shape, "the value that is cast")?
            }
            Op::ToInt => match self.pop() {
                Value::Float(bits) => Value::Int(f64::from_bits(bits) as i64),
                other => other,
            },
            Op::ToFloat => match self.pop() {
                Value::Int(n) => Value::float(n as f64),
                other => other,
            },
            Op::View(view) => match self.pop() {
                Value::Machine { id, view: old } => {
                    let (wanted, has) = (&self.code.views[view as usize], &self.code.views[old as usize]);
                    if wanted.first_outside(has).is_some() {
                        return fails("the reference lacks permissions that its new type requires");
                    }
                    Value::Machine { id, view }
                }
                _ => return fails("`null` cannot be cast to a machine type"),
            },
            Op::Format(text, count) => self.format(text, count)?,
            _ => return self.interact(op),
        };
        self.push(value);
        Ok(())
    }

    fn index(&mut self, collection: Value, index: Value) -> Run<Value> {
        let heap = &self.store.heap;
        let Value::Data(id) = collection else {
            return fails("an element of `null` is read");
        };
        match (heap.data(id), index) {
            (Data::Seq(values) | Data::Set(values), Value::Int(i)) => {
                match usize::try_from(i).ok().and_then(|i| values.get(i)) {
                    Some(value) => Ok(value),
                    None => {
                        fails(format!("the index {i} is out of range: there are {} elements", values.len()))
                    }
                }
            }
            (Data::Map(entries), key) => {
                match heap.find_key(entries, key).ok().and_then(|place| entries.get(place)) {
                    Some(entry) => Ok(entry.value),
                    None => fails("the map does not have this key"),
                }
            }
            _ => fails("the index of an element is not an integer"),
        }
    }

    fn binary(&mut self, op: Binary, left: Value, right: Value) -> Run<Value> {
        let heap = &self.store.heap;
        Ok(match (op, left, right) {
            (Binary::Eq | Binary::Iff, a, b) => Value::Bool(heap.equal(a, b)),
            (Binary::Ne, a, b) => Value::Bool(!heap.equal(a, b)),
            (Binary::In, value, Value::Data(id)) => Value::Bool(match heap.data(id) {
                Data::Map(_) if value == Value::Null => return fails("`null` cannot be a key of a map"),
                Data::Seq(values) => {
                    let found = values.iter().any(|v| heap.equal(v, value));
                    self.burn(values.len())?;
                    found
                }
                Data::Set(values) => heap.find(values, value).is_ok(),
                Data::Tuple(_, fields) => fields.iter().any(|field| heap.equal(*field, value)),
                Data::Map(entries) => heap.find_key(entries, value).is_ok(),
            }),
            (op, Value::Int(a), Value::Int(b)) => match op {
                Binary::Add => Value::Int(a.wrapping_add(b)),
                Binary::Sub => Value::Int(a.wrapping_sub(b)),
                Binary::Mul => Value::Int(a.wrapping_mul(b)),
                Binary::Div | Binary::Mod if b == 0 => return fails("division by zero"),
                Binary::Div | Binary::Mod if a == i64::MIN && b == -1 => {
                    return fails("the quotient is too large for an integer");
                }
                Binary::Div => Value::Int(a / b),
                Binary::Mod => Value::Int(a % b),
                Binary::Lt => Value::Bool(a < b),
                Binary::Le => Value::Bool(a <= b),
                Binary::Gt => Value::Bool(a > b),
                _ => Value::Bool(a >= b),
            },
            (op, Value::Float(a), Value::Float(b)) => {
                let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                match op {
                    Binary::Add => Value::float(a + b),
                    Binary::Sub => Value::float(a - b),
                    Binary::Mul => Value::float(a * b),
                    Binary::Div => Value::float(a / b),
                    Binary::Mod => Value::float(a % b),
                    Binary::Lt => Value::Bool(a < b),
                    Binary::Le => Value::Bool(a <= b),
                    Binary::Gt => Value::Bool(a > b),
                    _ => Value::Bool(a >= b),
                }
            }
            (op, Value::Str(a), Value::Str(b)) => {
                let (a, b) = (heap.text(a), heap.text(b));
                match op {
                    Binary::Add => {
                        let text = format!("{a}{b}");
                        self.burn(text.len())?;
                        self.store.heap.string(&text)
                    }
                    Binary::Lt => Value::Bool(a < b),
                    Binary::Le => Value::Bool(a <= b),
                    Binary::Gt => Value::Bool(a > b),
                    _ => Value::Bool(a >= b),
                }
            }
            (Binary::In, ..) => return fails("`in` is applied to `null`"),
            _ => return fails("the operation is not defined for these values"),
        })
    }

    /// Returns true if a value has a shape without reordering fields.
    fn has_shape(&mut self, value: Value, shape: u32) -> Run<bool> {
        let code = self.code;
        self.burn(0)?;
        Ok(match (&code.shapes[shape as usize].0, value) {
            (Shape::Any, _)
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Int, Value::Int(_))
            | (Shape::Float, Value::Float(_))
            | (Shape::Str, Value::Str(_))
            | (Shape::Event, Value::Event(_) | Value::Null)
            | (Shape::Machine, Value::Machine { .. } | Value::Null)
            | (Shape::Tuple(..) | Shape::Seq(_) | Shape::Set(_) | Shape::Map(..), Value::Null) => true,
            (shape, Value::Data(id)) => match (shape, self.store.heap.data(id)) {
                (Shape::Tuple(names, shapes), Data::Tuple(own, fields)) => {
                    let parts = fields.iter().copied().zip(shapes.iter().copied());
                    names == own && shapes.len() == fields.len() && self.have_shapes(parts)?
                }
                (Shape::Seq(shape), Data::Seq(values)) | (Shape::Set(shape), Data::Set(values)) => {
                    self.have_shapes(values.iter().map(|value| (value, *shape)))?
                }
                (Shape::Map(key, value), Data::Map(entries)) => {
                    let parts = entries.iter().flat_map(|e| [(e.key, *key), (e.value, *value)]);
                    self.have_shapes(parts)?
                }
                _ => false,
            },
            _ => false,
        })
    }

    fn have_shapes(&mut self, parts: impl Iterator<Item = (Value, u32)>) -> Run<bool> {
        for (value, shape) in parts {
            if !dally_text::stack::grow(|| self.has_shape(value, shape))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value as one of a shape, if it is one. P finds the fields of a tuple by their names: the fields
    /// of a tuple with the same names in another order are reordered to match the shape.
    fn shaped(&mut self, value: Value, shape: u32) -> Run<Option<Value>> {
        if self.has_shape(value, shape)? {
            return Ok(Some(value));
        }
        let (code, store) = (self.code, self.store);
        let (Shape::Tuple(names, shapes), Value::Data(id)) = (&code.shapes[shape as usize].0, value) else {
            return Ok(None);
        };
        let Data::Tuple(own, fields) = store.heap.data(id) else { return Ok(None) };
        let (theirs, ours) = (&code.names[*own as usize], &code.names[*names as usize]);
        if theirs.len() != ours.len() || fields.len() != ours.len() {
            return Ok(None);
        }
        let mut ordered = Vec::new();
        for (name, shape) in ours.iter().zip(shapes) {
            let Some(place) = theirs.iter().position(|other| other == name) else { return Ok(None) };
            match dally_text::stack::grow(|| self.shaped(fields[place], *shape))? {
                Some(field) => ordered.push(field),
                None => return Ok(None),
            }
        }
        Ok(Some(store.heap.tuple(*names, &ordered)))
    }

    /// Fails if a value does not have a shape; the message describes the value.
    fn expect_shape(&mut self, value: Value, shape: u32, what: &str) -> Run<Value> {
        if let Some(value) = self.shaped(value, shape)? {
            return Ok(value);
        }
        let shown = match value {
            Value::Null => "null".to_owned(),
            value => Writer::new(self.code, &self.store.heap).text(value),
        };
        fails(format!("{what} is {shown}, which is not of type `{}`", self.code.shapes[shape as usize].1))
    }

    fn format(&mut self, text: u32, count: u32) -> Run<Value> {
        let (out, is_full) = self.formatted(text, count);
        if is_full {
            let message = format!("a string of more than {} bytes", Writer::LONGEST);
            return failed(Failure::unsupported(message));
        }
        self.burn(out.len())?;
        Ok(self.store.heap.string(&out))
    }

    /// Pops the arguments and formats a text. The second result is true if the text is cut off.
    fn formatted(&mut self, text: u32, count: u32) -> (String, bool) {
        let from = self.local.values.len().saturating_sub(count as usize);
        let args: Vec<Value> = self.local.values.drain(from..).collect();
        let Value::Str(text) = self.code.constants[text as usize] else { return (String::new(), false) };
        let mut out = String::new();
        let mut writer = Writer::new(self.code, &self.store.heap);
        let mut chars = self.store.heap.text(text).chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '{' if chars.peek() == Some(&'{') => {
                    chars.next();
                    out.push('{');
                }
                '}' => {
                    chars.next();
                    out.push('}');
                }
                '{' => {
                    let digits: String = chars.by_ref().take_while(|c| *c != '}').collect();
                    let arg = digits.parse::<usize>().ok().and_then(|i| args.get(i));
                    out.push_str(&writer.text(arg.copied().unwrap_or_default()));
                }
                c => out.push(c),
            }
        }
        (out, writer.is_full())
    }
}
