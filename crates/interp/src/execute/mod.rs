//! Running a task for one step: until it yields, blocks, ends, or fails.
//!
//! Where the task chooses, the run goes on with the first option, and comes back to the others later: what it
//! has changed since is undone. Most choices are among guards that do not hold, so that to try one must cost
//! next to nothing, and a way that ends in a new state no more than what it changed.

mod instructions;
mod quantifier;
mod script;

use dally_explore::{Event, Failure, Limits};
use dally_text::source::Span;
use smallvec::SmallVec;

use crate::code::{Code, Domain, Guard, Op, Operand, Place, Target, Variable};
use crate::evaluate::{self as eval, Trouble};
use crate::machine::MAX_WAYS;
use crate::state::{Control, Frame, Meta, Stack, Store};
use crate::value::Value;

/// A step that jumps and calls more often than this without a yield is not explored any further.
const MAX_JUMPS: u32 = 10_000_000;
/// Nor is one that does so on all of its ways together.
const MAX_ALL_JUMPS: u64 = 400_000_000;
/// How many jumps there are between two looks at what ends a step.
const TICKS: u32 = 256;
/// Calls that nest deeper than this are not followed.
const MAX_CALLS: usize = 10_000;
/// More tasks than this are not kept at a time.
const MAX_TASKS: usize = 10_000;
/// A choice among more values than this is not made.
const MAX_CHOICES: u64 = 1 << 16;

/// Somebody who watches a run. Most runs are watched by nobody; one that is follows a given way, and makes no choices.
pub(crate) trait Observer {
    /// Whether it does: then it sees every instruction, also those that are fused for others.
    const WATCHES: bool;

    /// An instruction of this statement is about to be executed.
    fn at(&mut self, span: Span, procedure: u32, calls: usize);
    /// A variable was assigned to.
    fn set(&mut self, place: Place, procedure: u32, value: Value);
    /// A task was posted.
    fn posted(&mut self, task: u32, procedure: u32);
}

impl Observer for () {
    const WATCHES: bool = false;

    fn at(&mut self, _: Span, _: u32, _: usize) {}
    fn set(&mut self, _: Place, _: u32, _: Value) {}
    fn posted(&mut self, _: u32, _: u32) {}
}

/// Something that is shared until it is changed.
#[derive(Clone)]
pub(crate) enum Lazy<'m, T> {
    Shared(&'m T),
    Own(Box<T>),
}

impl<T: Clone> Lazy<'_, T> {
    /// The thing itself, to be changed.
    pub(crate) fn to_mut(&mut self) -> &mut T {
        if let Lazy::Shared(shared) = self {
            *self = Lazy::Own(Box::new((*shared).clone()));
        }
        match self {
            Lazy::Own(own) => own,
            Lazy::Shared(_) => unreachable!("it is our own by now"),
        }
    }

    /// The thing, if it was changed.
    pub(crate) fn changed(&self) -> Option<&T> {
        match self {
            Lazy::Shared(_) => None,
            Lazy::Own(own) => Some(own),
        }
    }
}

impl<T> std::ops::Deref for Lazy<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Lazy::Shared(shared) => shared,
            Lazy::Own(own) => own,
        }
    }
}

impl Expression {
    /// Goes back to an expression, or to the end of a statement.
    fn restore(&mut self, before: Option<&Self>) {
        match before {
            Some(before) => self.clone_from(before),
            None => {
                self.values.clear();
                self.applications.clear();
                self.trials.clear();
                self.base = 0;
            }
        }
    }
}

/// Whether a run goes on after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    /// How it ends is noted.
    Stop,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// It could go on.
    Yields,
    /// It could go on, and so could any buffer.
    Zields,
    /// It posted a task of a higher level, which goes first.
    Interrupted,
    Blocks(Option<u32>),
    Completes(Value),
    /// An assumption does not hold: this execution does not exist.
    Discarded,
    Fails(Box<Failure>, Span),
}

/// What belongs to the task and its surroundings, and seldom changes before a choice is made.
#[derive(Clone)]
pub(crate) struct Local<'m> {
    pub(crate) stack: Lazy<'m, Stack>,
    pub(crate) control: Lazy<'m, Control>,
    /// The tasks that it has posted.
    pub(crate) posted: Vec<(Meta, Stack)>,
    pub(crate) events: Vec<Event>,
    /// Where the variables of the current frame begin.
    base: usize,
    procedure: u32,
    interrupted: bool,
}

impl Local<'_> {
    /// The bytes that it takes, about: those of arguments of posts are left out.
    fn bytes(&self) -> usize {
        let stack = self.stack.changed().map_or(0, Stack::heap_bytes);
        let control = self.control.changed().map_or(0, Control::heap_bytes);
        size_of_val(self) + stack + control + size_of_val(&*self.posted) + size_of_val(&*self.events)
    }
}

/// The values of an expression in the middle of its evaluation.
#[derive(Clone, Default)]
struct Expression {
    values: SmallVec<[Value; 4]>,
    /// Functions that are being evaluated: where to return to, and where their caller's values begin.
    applications: Vec<(u32, u32)>,
    /// The values that are being tried for quantifiers which are evaluated for some values only.
    trials: Vec<quantifier::Trial>,
    /// Where the values of the current function begin.
    base: usize,
}

/// The options of a choice.
#[derive(Clone, Copy)]
enum Options {
    /// Go to one of the addresses of a list.
    Targets(u32),
    /// Give a variable one of the values of its domain.
    Values(Place),
    /// Push a number from this one on, as an integer or a bitvector.
    Numbers(i64, bool),
}

/// A choice to come back to, and all that it takes.
struct Choice<'m> {
    options: Options,
    /// The next one, and how many there are.
    next: u64,
    count: u64,
    pc: u32,
    jumps: u32,
    /// How many choices had been made before.
    depth: usize,
    /// How many globals had been changed.
    changes: usize,
    /// As it was, if it has changed since.
    local: Option<Box<Local<'m>>>,
    /// None between two statements.
    expression: Option<Box<Expression>>,
}

/// A task in the middle of a step.
pub(crate) struct Run<'m, O> {
    code: &'m Code,
    store: &'m Store,
    limits: &'m Limits,
    pub(crate) meta: Meta,
    pub(crate) globals: Vec<Value>,
    /// The globals that were changed, and what they were before, in order.
    changes: SmallVec<[(u32, Value); 4]>,
    local: Local<'m>,
    expression: Expression,
    pub(crate) observer: O,
    pc: u32,
    choices: SmallVec<[Choice<'m>; 1]>,
    /// Which option each choice on this way has taken.
    pub(crate) path: SmallVec<[u32; 4]>,
    /// The options to take, if only one way is of interest.
    follow: Option<&'m [u32]>,
    /// How many ways have been gone to their end.
    ways: usize,
    /// The bytes that the outcomes of these ways take.
    pub(crate) delivered: usize,
    /// How the run ends, once it does.
    end: Option<End>,
    /// No instruction has been executed yet.
    fresh: bool,
    /// Jumps, calls and choices on this way, and on all ways that were left.
    jumps: u32,
    all_jumps: u64,
    /// All of these, ever.
    ticks: u32,
}

impl<'m, O: Observer> Run<'m, O> {
    /// The task at the beginning of a step.
    #[expect(clippy::too_many_arguments, reason = "all that a run depends on")]
    pub(crate) fn new(
        code: &'m Code,
        store: &'m Store,
        limits: &'m Limits,
        meta: Meta,
        globals: Vec<Value>,
        stack: &'m Stack,
        control: &'m Control,
        observer: O,
    ) -> Self {
        let top = stack.frames.last().copied();
        let local = Local {
            stack: Lazy::Shared(stack),
            control: Lazy::Shared(control),
            posted: Vec::new(),
            events: Vec::new(),
            base: top.map_or(0, |f| f.base as usize),
            procedure: top.map_or(0, |f| f.procedure),
            interrupted: false,
        };
        Run {
            code,
            store,
            limits,
            meta,
            globals,
            changes: SmallVec::new(),
            local,
            expression: Expression::default(),
            observer,
            pc: top.map_or(0, |f| f.pc),
            choices: SmallVec::new(),
            path: SmallVec::new(),
            follow: None,
            ways: 0,
            delivered: 0,
            end: None,
            fresh: true,
            jumps: 0,
            all_jumps: 0,
            ticks: 0,
        }
    }

    /// Takes these options where there is a choice, and no others.
    pub(crate) fn follow(&mut self, path: &'m [u32]) {
        self.follow = Some(path);
    }

    /// What belongs to the task and its surroundings.
    pub(crate) fn local(&self) -> &Local<'m> {
        &self.local
    }

    /// The same, to be changed: the last choice keeps it as it is.
    pub(crate) fn local_mut(&mut self) -> &mut Local<'m> {
        if let Some(choice) = self.choices.last_mut()
            && choice.local.is_none()
        {
            choice.local = Some(Box::new(self.local.clone()));
        }
        &mut self.local
    }

    /// The globals that were changed, perhaps more than once.
    pub(crate) fn changed_globals(&self) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        self.changes.iter().map(|(global, _)| *global)
    }

    /// The values that a global had in the step, but for the last.
    pub(crate) fn earlier_values(&self, global: u32) -> impl Iterator<Item = Value> + '_ {
        self.changes.iter().filter(move |(changed, _)| *changed == global).map(|(_, before)| *before)
    }

    /// Runs to the end of the step. Then [`next_way`](Self::next_way) may lead to another one.
    pub(crate) fn run(&mut self) -> End {
        loop {
            let ops = if O::WATCHES { &self.code.plain } else { &self.code.ops };
            let op = ops[self.pc as usize];
            if O::WATCHES {
                self.observer.at(self.span(), self.local.procedure, self.local.stack.frames.len());
            }
            let result = self.execute(op);
            self.fresh = false;
            match result {
                Ok(Flow::On) => {}
                Ok(Flow::Stop) => match self.end.take() {
                    Some(End::Discarded) if self.next_way() => {}
                    Some(End::Discarded) | None => return End::Discarded,
                    Some(end) => {
                        self.keep_pc();
                        return end;
                    }
                },
                Err(trouble) => {
                    return match trouble {
                        Trouble::Arbitrary | Trouble::TooLarge => {
                            self.unsupported(trouble.message().to_owned())
                        }
                        _ => End::Fails(Box::new(Failure::runtime(trouble.message())), self.span()),
                    };
                }
            }
        }
    }

    /// Counts a jump, a call or a choice: without those, nothing goes on for ever. Whether there were too many.
    fn is_exhausted(&mut self) -> bool {
        self.jumps += 1;
        self.ticks = self.ticks.wrapping_add(1);
        self.jumps > MAX_JUMPS
            || self.all_jumps > MAX_ALL_JUMPS
            || self.choices.len() + self.ways > MAX_WAYS
            || self.ticks.is_multiple_of(TICKS) && self.limit().is_some()
    }

    /// The failure that ends the step, if a limit is reached.
    fn limit(&self) -> Option<Failure> {
        self.limits.reached(|| {
            let kept = self.choices.iter().filter_map(|choice| choice.local.as_ref());
            self.store.bytes() + kept.map(|local| local.bytes()).sum::<usize>() + self.delivered
        })
    }

    /// Ends a step that goes on for too long.
    #[cold]
    fn exhausted(&mut self) -> Flow {
        let (many_ways, limit) = (self.choices.len() + self.ways > MAX_WAYS, self.limit());
        self.choices.clear();
        if let Some(failure) = limit {
            let end = End::Fails(Box::new(failure), self.span());
            return self.stop(end);
        }
        self.give_up(if many_ways {
            format!("a step that can go on in more than {MAX_WAYS} ways")
        } else {
            format!("a step that does not yield within {MAX_JUMPS} jumps and calls")
        })
    }

    /// Takes the first of some options that can be taken; the others are come back to. Whether there is one.
    /// The options are tried in order, so that the ways of a step are numbered the same each time.
    fn choose(&mut self, options: Options, count: u64) -> bool {
        if let Some(nth) = self.follow.and_then(|path| path.get(self.path.len())) {
            self.path.push(*nth);
            self.take(options, u64::from(*nth));
            return true;
        }
        let between_statements = self.is_between_statements();
        self.choices.push(Choice {
            options,
            next: 0,
            count,
            pc: self.pc,
            jumps: self.jumps,
            depth: self.path.len(),
            changes: self.changes.len(),
            local: None,
            expression: (!between_statements).then(|| Box::new(self.expression.clone())),
        });
        self.next_way()
    }

    fn is_between_statements(&self) -> bool {
        self.expression.values.is_empty() && self.expression.applications.is_empty()
    }

    /// Whether nothing has changed since the choice was made that comes next: what else it leads to is tried there.
    fn goes_in_circles(&self) -> bool {
        // A way that is followed makes all of its choices, but for one that it comes back to.
        if let Some(path) = self.follow {
            return path.len() == self.path.len();
        }
        let mut unchanged = self.choices.iter().rev().take_while(|choice| {
            choice.changes == self.changes.len() && choice.local.is_none() && choice.expression.is_none()
        });
        self.is_between_statements() && unchanged.any(|choice| choice.pc == self.pc)
    }

    /// How a way ends that goes in circles: nobody else will ever run, and what is hot stays hot.
    #[cold]
    fn circle(&self) -> End {
        let hot = self.code.hot.iter().find(|global| self.globals[**global as usize] != Value::Bool(false));
        let Some(hot) = hot else { return End::Discarded };
        let name = |name| self.code.symbols.text(name);
        let message = format!(
            "`{}` may stay true for ever: `{}` can go in circles here and never let others run",
            name(self.code.globals[*hot as usize].name),
            name(self.code.procedures[self.local.procedure as usize].name),
        );
        End::Fails(Box::new(Failure::liveness(message)), self.span())
    }

    /// Goes back to the last choice that has an option left, and takes it. Whether there is one.
    pub(crate) fn next_way(&mut self) -> bool {
        while let Some(choice) = self.choices.last_mut() {
            if choice.local.is_some() || self.changes.len() > choice.changes {
                self.ways += 1;
                for (global, before) in self.changes.drain(choice.changes..).rev() {
                    self.globals[global as usize] = before;
                }
                if let Some(local) = choice.local.take() {
                    self.local = *local;
                }
            }
            self.all_jumps += u64::from(self.jumps - choice.jumps);
            self.jumps = choice.jumps;
            let (options, count, mut nth) = (choice.options, choice.count, choice.next);
            let mut passed = 0;
            if let Options::Targets(list) = options {
                let rest = &self.code.targets[list as usize][nth as usize..];
                let open = rest.iter().map(|target| self.guards_passed(target)).position(|p| {
                    passed = p.unwrap_or(0);
                    p.is_some()
                });
                nth += open.unwrap_or(rest.len()) as u64;
            }
            let Some(choice) = self.choices.last_mut() else { return false };
            if nth >= count {
                self.choices.pop();
                continue;
            }
            choice.next = nth + 1;
            self.path.truncate(choice.depth);
            self.path.push(nth as u32);
            self.pc = choice.pc;
            self.expression.restore(choice.expression.as_deref());
            if nth + 1 == count {
                self.choices.pop();
            }
            self.take(options, nth);
            self.pc += passed;
            return true;
        }
        false
    }

    /// How many instructions the guards of a target stand for that hold, up to one that has to be executed; none if one
    /// does not hold.
    #[inline]
    fn guards_passed(&self, target: &Target) -> Option<u32> {
        let (from, to) = target.guards;
        let mut passed = 0;
        for guard in &self.code.guards[from as usize..to as usize] {
            let holds = match *guard {
                Guard::Bool(place, b) => self.variable(place).as_bool().map(|value| value == b),
                Guard::Int(place, n) => self.variable(place).as_int().map(|value| value == n),
                Guard::NotInt(place, n) => self.variable(place).as_int().map(|value| value != n),
                Guard::Compare(op, place, n) => {
                    self.variable(place).as_int().map(|value| eval::ordered(op, value.cmp(&n)))
                }
            };
            match holds {
                Some(true) => passed += guard.length(),
                Some(false) => return None,
                None => return Some(passed),
            }
        }
        Some(passed)
    }

    /// Takes an option.
    fn take(&mut self, options: Options, nth: u64) {
        match options {
            Options::Targets(list) => self.pc = self.code.targets[list as usize][nth as usize].to,
            Options::Values(place) => {
                if let Some(value) = self.domain(place).nth(nth) {
                    self.assign(place, value);
                }
            }
            Options::Numbers(low, bits) => {
                let n = low.wrapping_add(nth as i64);
                self.push(if bits { Value::Bv(n as u64) } else { Value::Int(n) });
            }
        }
    }

    /// Forgets the locals of the current frame that nobody reads from an address on.
    fn forget_dead(&mut self, from: u32) {
        let dead = &self.code.dead_lists[self.code.dead[from as usize] as usize];
        for local in dead {
            let place = self.local.base + *local as usize;
            if self.local.stack.values[place] != Value::Unset {
                self.local_mut().stack.to_mut().values[place] = Value::Unset;
            }
        }
    }

    /// Notes in the frame where it goes on.
    fn keep_pc(&mut self) {
        let pc = self.pc;
        self.forget_dead(pc);
        if self.local.stack.frames.last().is_some_and(|f| f.pc != pc)
            && let Some(frame) = self.local_mut().stack.to_mut().frames.last_mut()
        {
            frame.pc = pc;
        }
    }

    /// Whether the condition of the `await` at which the task stands holds; none if that cannot be said.
    pub(crate) fn await_holds(&mut self) -> Option<bool> {
        loop {
            self.pc += 1;
            match self.code.ops[self.pc as usize] {
                Op::AwaitEnd(_) => return eval::truth(*self.expression.values.last()?).ok(),
                op => {
                    let before = self.pc;
                    let result = self.execute(op);
                    if !matches!(result, Ok(Flow::On)) || !self.choices.is_empty() {
                        return None;
                    }
                    // `execute` has moved on; the loop does so too.
                    debug_assert_ne!(before, self.pc, "an expression always moves on");
                    self.pc = self.pc.wrapping_sub(1);
                }
            }
        }
    }

    /// The statement that is being executed; functions are part of the one that applies them.
    fn span(&self) -> Span {
        let outermost = self.expression.applications.first().map_or(self.pc, |(back, _)| back - 1);
        self.code.spans[outermost as usize]
    }

    fn stop(&mut self, end: End) -> Flow {
        self.end = Some(end);
        Flow::Stop
    }

    fn stop_if(&mut self, end: Option<End>) -> Flow {
        end.map_or(Flow::On, |end| self.stop(end))
    }

    fn give_up(&mut self, message: String) -> Flow {
        let end = self.unsupported(message);
        self.stop(end)
    }

    fn unsupported(&self, message: String) -> End {
        End::Fails(Box::new(Failure::unsupported(message)), self.span())
    }

    fn pop(&mut self) -> Value {
        self.expression.values.pop().unwrap_or(Value::Unset)
    }

    fn push(&mut self, value: Value) {
        self.expression.values.push(value);
    }

    #[inline]
    fn variable(&self, place: Place) -> Value {
        match place {
            Place::Global(i) => self.globals[i as usize],
            Place::Local(i) => self.local.stack.values[self.local.base + i as usize],
            Place::ThreadLocal(i) => self.local.stack.values[i as usize],
        }
    }

    #[inline]
    fn operand(&self, operand: Operand) -> Value {
        match operand {
            Operand::Place(place) => self.variable(place),
            Operand::Const(index) => self.code.constants[index as usize],
            Operand::Stack(index) => self.expression.values[self.expression.base + index as usize],
        }
    }

    fn assign(&mut self, place: Place, value: Value) {
        let before = self.variable(place);
        if before != value {
            let base = self.local.base;
            *match place {
                Place::Global(i) => {
                    self.note_change(i, before);
                    &mut self.globals[i as usize]
                }
                Place::Local(i) => &mut self.local_mut().stack.to_mut().values[base + i as usize],
                Place::ThreadLocal(i) => &mut self.local_mut().stack.to_mut().values[i as usize],
            } = value;
        }
        self.observer.set(place, self.local.procedure, value);
    }

    /// Notes what a global was, so that the last choice can be come back to. Only the first change since then
    /// matters for that.
    fn note_change(&mut self, global: u32, before: Value) {
        self.changes.push((global, before));
        let since = self.choices.last().map_or(0, |choice| choice.changes);
        if self.changes.len() - since > 2 * self.globals.len() + 32 {
            let (mut seen, mut cold) = (vec![false; self.globals.len()], Vec::new());
            let first = self.changes.drain(since..).filter(|(i, before)| {
                // Whether a hot global was false in between matters as well.
                let was_cold =
                    *before == Value::Bool(false) && self.code.hot.contains(i) && !cold.contains(i);
                cold.extend(was_cold.then_some(*i));
                !std::mem::replace(&mut seen[*i as usize], true) || was_cold
            });
            let first: Vec<_> = first.collect();
            self.changes.extend(first);
        }
    }

    fn declaration(&self, place: Place) -> &'m Variable {
        match place {
            Place::Global(i) => &self.code.globals[i as usize],
            Place::Local(i) => {
                let procedure = &self.code.procedures[self.local.procedure as usize];
                &procedure.variables[i as usize]
            }
            Place::ThreadLocal(i) => &self.code.thread_locals[i as usize],
        }
    }

    fn domain(&self, place: Place) -> &'m Domain {
        &self.declaration(place).domain
    }
}

/// The stack of a new task.
pub(crate) fn first_frame(code: &Code, procedure: u32, entry: u32, args: &[Value]) -> Stack {
    let base = code.thread_locals.len();
    let mut stack = Stack::default();
    stack.values.resize(base, Value::Unset);
    stack.values.extend_from_slice(args);
    stack.values.resize(base + code.procedures[procedure as usize].variables.len(), Value::Unset);
    stack.frames.push(Frame { procedure, pc: entry, base: base as u32 });
    stack
}
