//! One step of a task: it runs until it yields, blocks, terminates or fails.
//!
//! [`Run`] is the [`Task`] of the step engine for Boogie: registers and an undo log. Assignments to globals
//! are logged. The stack and the task's surroundings seldom change before a choice, so they are copied at
//! their first change after a choice point.

mod instructions;
mod quantifier;
mod script;

use std::hash::Hash;
use std::sync::atomic::Ordering;

use dally_explore::{Event, Failure, Fingerprint, Fingerprinter};
use dally_step::Frame;
use dally_step::engine::{MAX_CHOICES as MAX_CHOICES_OF_STEP, Pause, Since, Task};
use dally_step::meter::{Exhausted, Meter, StepBudget};
use dally_step::undo::{Cells, CellsMark, Lazy, Saved, SavedMark};
use dally_text::source::Span;
use smallvec::SmallVec;

use crate::code::{Address, Code, Domain, Guard, Op, Operand, Target, VarStorage, Variable};
use crate::evaluate::{self as eval, Trouble};
use crate::state::{Control, Meta, Stack, Store};
use crate::value::Value;

/// The budget of a step, in jumps, calls and choices: on one path, and on all paths together.
const BUDGET: StepBudget = StepBudget { fuel: 10_000_000, total: 400_000_000 };
/// The limit on the depth of calls.
const MAX_CALLS: usize = 10_000;
/// The limit on the number of live tasks.
const MAX_TASKS: usize = 10_000;
/// The limit on the options of one choice.
const MAX_CHOICES: u64 = 1 << 16;

/// The events of a step that an observer sees.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    /// An instruction of this statement is about to be executed.
    At { span: Span, procedure: u32, calls: usize },
    /// A variable was assigned to.
    Set { at: Address, place: VarStorage, procedure: u32, value: Value },
    /// An element of a map was replaced. If the map is that of a variable, the variable is assigned to next.
    Element { key: Value, value: Value },
    /// An argument of the next output.
    Argument { value: Value },
    /// The program prints.
    Print { print: u32 },
    /// A task was posted.
    Posted { task: u32 },
}

/// Watches a step. An active observer sees every instruction, unfused.
pub(crate) trait Observer: dally_step::observer::Observer<Note> {}

impl<O: dally_step::observer::Observer<Note>> Observer for O {}

/// The control flow after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    /// Stop; [`Run::pause`] has the reason.
    Pause,
}

/// The end of a step.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// The task yields, and remains enabled.
    Yields,
    /// The task yields, and any buffer may run next.
    Zields,
    /// The task posted a task of a higher level, which runs first.
    Interrupted,
    /// The task waits for another task to terminate, or for a condition.
    Blocks(Option<u32>),
    /// The task terminates with this result.
    Completes(Value),
    /// A property fails at this statement.
    Fails(Box<Failure>, Span),
}

/// The stack of the task and its surroundings.
#[derive(Clone)]
pub(crate) struct Local<'m> {
    pub(crate) stack: Lazy<'m, Stack>,
    pub(crate) control: Lazy<'m, Control>,
    /// The tasks posted in this step.
    pub(crate) posted: Vec<Posted>,
    pub(crate) events: Vec<Event>,
    /// The index of the first variable of the current frame.
    base: usize,
    procedure: u32,
    /// True if a task of a higher level was posted.
    interrupted: bool,
}

/// A task that was posted in this step.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Posted {
    pub(crate) meta: Meta,
    pub(crate) stack: Stack,
}

impl Local<'_> {
    /// The bytes on the heap, without the arguments of posts.
    fn heap_bytes(&self) -> usize {
        let stack = self.stack.changed().map_or(0, Stack::heap_bytes);
        let control = self.control.changed().map_or(0, Control::heap_bytes);
        stack + control + size_of_val(&*self.posted) + size_of_val(&*self.events)
    }
}

/// A partially evaluated expression.
#[derive(Clone, Default, Hash)]
struct Expression {
    values: SmallVec<[Value; 4]>,
    /// Functions that are being evaluated, innermost last.
    applications: Vec<Application>,
    /// The current instances of quantifiers that are evaluated only for mentioned values.
    trials: Vec<quantifier::Trial>,
    /// The index of the first operand of the current function.
    base: usize,
}

/// The application of a function.
#[derive(Clone, Copy, Hash)]
struct Application {
    /// The return address.
    back: u32,
    /// The base of the caller.
    base: u32,
}

impl Expression {
    /// Restores an earlier state of an expression; `None` is the state between two statements.
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

/// The options of a choice.
#[derive(Clone, Copy)]
pub(crate) enum Choice {
    /// The addresses of a list.
    Targets(u32),
    /// The values of a variable's domain.
    Values(VarStorage),
    /// Consecutive numbers from this one on, as integers or bitvectors.
    Numbers(i64, bool),
}

/// A point in the undo log.
pub(crate) struct Mark {
    globals: CellsMark,
    local: SavedMark,
    pc: u32,
    /// `None` between two statements.
    expression: Option<Box<Expression>>,
}

/// The context shared by all steps of a program.
pub(crate) type Context<'m> = dally_step::engine::Context<'m, Code, Store>;

/// A task at the beginning of a step.
pub(crate) struct Start<'m> {
    pub(crate) meta: Meta,
    pub(crate) globals: Vec<Value>,
    pub(crate) stack: &'m Stack,
    pub(crate) control: &'m Control,
}

/// A task in the middle of a step.
pub(crate) struct Run<'m, O> {
    code: &'m Code,
    store: &'m Store,
    pub(crate) meter: Meter<'m>,
    pub(crate) meta: Meta,
    pub(crate) globals: Cells<Value>,
    local: Saved<Local<'m>>,
    expression: Expression,
    pub(crate) observer: O,
    pc: u32,
    /// The number of instructions at the start of the chosen option whose guards are known to hold.
    passed: u32,
    /// The reason for a pause, set when the run pauses.
    pause: Option<Pause<Choice, End>>,
    /// True until the first instruction has been executed.
    fresh: bool,
}

impl<'m, O: Observer> Run<'m, O> {
    /// The task at the beginning of a step.
    pub(crate) fn new(context: &Context<'m>, start: Start<'m>, observer: O) -> Self {
        let Start { meta, globals, stack, control } = start;
        let top = stack.frames.last().copied();
        let local = Local {
            stack: Lazy::Shared(stack),
            control: Lazy::Shared(control),
            posted: Vec::new(),
            events: Vec::new(),
            base: top.map_or(0, |f| f.base as usize),
            procedure: top.map_or(0, |f| f.function),
            interrupted: false,
        };
        Run {
            code: context.code,
            store: context.store,
            meter: Meter::new(context.limits, BUDGET),
            meta,
            globals: Cells::new(globals),
            local: Saved::new(local),
            expression: Expression::default(),
            observer,
            pc: top.map_or(0, |f| f.pc),
            passed: 0,
            pause: None,
            fresh: true,
        }
    }

    /// The stack of the task and its surroundings.
    pub(crate) fn local(&self) -> &Local<'m> {
        &self.local
    }

    /// Mutable access to the stack of the task and its surroundings.
    pub(crate) fn local_mut(&mut self) -> &mut Local<'m> {
        self.local.get_mut()
    }

    /// The globals that were assigned to, possibly with duplicates.
    pub(crate) fn changed_globals(&self) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        self.globals.log().iter().map(|assigned| assigned.cell)
    }

    /// The values of a global in this step before its current value.
    pub(crate) fn earlier_values(&self, global: u32) -> impl Iterator<Item = Value> + '_ {
        let log = self.globals.log().iter();
        log.filter(move |assigned| assigned.cell == global).map(|assigned| assigned.before)
    }

    /// Burns fuel for a jump, a call or a choice: every infinite execution makes infinitely many. Pauses
    /// the run if the fuel is used up.
    #[inline]
    fn burn(&mut self) -> Option<Flow> {
        if self.meter.burn(1) { None } else { self.refill() }
    }

    #[cold]
    fn refill(&mut self) -> Option<Flow> {
        let bytes = self.bytes();
        let why = self.meter.refill(|| bytes).err()?;
        let end = self.exhausted(why);
        Some(self.stop(end))
    }

    fn is_between_statements(&self) -> bool {
        self.expression.values.is_empty() && self.expression.applications.is_empty()
    }

    /// Pauses before a choice, unless it has only one option.
    fn choose(&mut self, options: Choice, count: u64) -> Flow {
        if let Some(flow) = self.burn() {
            return flow;
        }
        if count == 1 {
            self.passed = 0;
            self.take(options, 0);
            return Flow::On;
        }
        self.pause = Some(Pause::Chooses(options, count));
        Flow::Pause
    }

    /// The number of instructions replaced by the leading guards of a target that hold, up to the first
    /// that has to be executed. `None` if a guard does not hold.
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

    /// Resets the locals of the current frame that are dead at an address.
    fn reset_dead(&mut self, from: u32) {
        let code = self.code;
        for local in code.dead.at(from) {
            let place = self.local.base + *local as usize;
            if self.local.stack.values[place] != Value::Unset {
                self.local_mut().stack.to_mut().values[place] = Value::Unset;
            }
        }
    }

    /// Stores the program counter in the frame.
    fn keep_pc(&mut self) {
        let pc = self.pc;
        self.reset_dead(pc);
        if self.local.stack.frames.last().is_some_and(|f| f.pc != pc)
            && let Some(frame) = self.local_mut().stack.to_mut().frames.last_mut()
        {
            frame.pc = pc;
        }
    }

    /// Returns true if the condition of the task's current `await` holds, and `None` if it cannot be
    /// evaluated.
    pub(crate) fn await_holds(&mut self) -> Option<bool> {
        loop {
            self.pc += 1;
            match self.code.ops[self.pc as usize] {
                Op::AwaitEnd(_) => return eval::truth(*self.expression.values.last()?).ok(),
                op => {
                    let before = self.pc;
                    if !matches!(self.execute(op), Ok(Flow::On)) {
                        return None;
                    }
                    // `execute` advances the program counter, so the loop does too.
                    debug_assert_ne!(before, self.pc, "an expression always moves on");
                    self.pc = self.pc.wrapping_sub(1);
                }
            }
        }
    }

    /// The statement that is being executed. A function belongs to the statement that applies it.
    fn span(&self) -> Span {
        let outermost = self.expression.applications.first().map_or(self.pc, |call| call.back - 1);
        self.code.spans[outermost as usize]
    }

    fn stop(&mut self, end: End) -> Flow {
        self.pause = Some(Pause::Ends(end));
        Flow::Pause
    }

    fn stop_if(&mut self, end: Option<End>) -> Flow {
        end.map_or(Flow::On, |end| self.stop(end))
    }

    /// Discards the execution: an assumption does not hold.
    fn discard(&mut self) -> Flow {
        self.pause = Some(Pause::Discarded);
        Flow::Pause
    }

    fn give_up(&mut self, message: String) -> Flow {
        let end = self.unsupported(message);
        self.stop(end)
    }

    fn unsupported(&self, message: String) -> End {
        End::Fails(Box::new(Failure::unsupported(message)), self.span())
    }

    /// The end of a step in which an expression has no value.
    #[cold]
    fn trouble(&self, trouble: Trouble) -> End {
        match trouble {
            Trouble::Arbitrary => self.unsupported(self.arbitrary_element()),
            Trouble::TooLarge | Trouble::Unspecified => self.unsupported(trouble.message().to_owned()),
            _ => End::Fails(Box::new(Failure::runtime(trouble.message())), self.span()),
        }
    }

    /// The message for a value that depends on an element of a map, or a field, to which nothing was assigned. It names the
    /// last map that the statement has read.
    #[cold]
    fn arbitrary_element(&self) -> String {
        let span = self.code.spans[self.pc as usize];
        let statement = (0..=self.pc).rev().take_while(|a| self.code.spans[*a as usize] == span);
        let map = statement.filter_map(|address| match self.code.plain[address as usize] {
            Op::Load(place) => Some(self.declaration(place)),
            _ => None,
        });
        match { map }.find(|v| !v.hidden && v.domain == Domain::Map) {
            Some(map) => {
                let name = self.code.symbols.text(map.name);
                if self.code.telling.notation.is_some() {
                    return format!(
                        "this reads an element of `{name}` to which nothing was assigned: assign to it first, or initialise \
                         the whole array, as in `int a[4] = {{0}};`"
                    );
                }
                format!(
                    "this depends on an element of `{name}` that is arbitrary: assign to this element first, or to the \
                     whole map, such as `{name} := (lambda i: int :: 0);`"
                )
            }
            None => Trouble::Arbitrary.message().to_owned(),
        }
    }

    fn pop(&mut self) -> Value {
        self.expression.values.pop().unwrap_or(Value::Unset)
    }

    fn push(&mut self, value: Value) {
        self.expression.values.push(value);
    }

    #[inline]
    fn variable(&self, place: VarStorage) -> Value {
        match place {
            VarStorage::Global(i) => self.globals[i as usize],
            VarStorage::Local(i) => self.local.stack.values[self.local.base + i as usize],
            VarStorage::ThreadLocal(i) => self.local.stack.values[i as usize],
        }
    }

    /// The task whose end a blocked `await` waits for, if it says so and the task is alive.
    fn awaited_task(&self, begin: Address) -> Option<u32> {
        let Value::Int(task) = self.operand(*self.code.ends.get(&begin)?) else { return None };
        let task = u32::try_from(task).ok()?;
        self.local.control.place(task).map(|_| task)
    }

    #[inline]
    fn operand(&self, operand: Operand) -> Value {
        match operand {
            Operand::VarStorage(place) => self.variable(place),
            Operand::Const(index) => self.code.constants[index as usize],
            Operand::Stack(index) => self.expression.values[self.expression.base + index as usize],
        }
    }

    fn assign(&mut self, place: VarStorage, value: Value) {
        if self.variable(place) != value {
            let base = self.local.base;
            match place {
                VarStorage::Global(i) => {
                    let hot = &self.code.hot;
                    // Keep the entries in which a hot global was false: they matter for liveness.
                    self.globals.set(i, value, |assigned| {
                        assigned.before == Value::Bool(false) && hot.contains(&assigned.cell)
                    });
                }
                VarStorage::Local(i) => self.local_mut().stack.to_mut().values[base + i as usize] = value,
                VarStorage::ThreadLocal(i) => self.local_mut().stack.to_mut().values[i as usize] = value,
            }
        }
        if O::WATCHES {
            let procedure = self.local.procedure;
            self.observer.note(Note::Set { at: self.pc, place, procedure, value });
        }
    }

    fn declaration(&self, place: VarStorage) -> &'m Variable {
        match place {
            VarStorage::Global(i) => &self.code.globals[i as usize],
            VarStorage::Local(i) => {
                let procedure = &self.code.procedures[self.local.procedure as usize];
                &procedure.variables[i as usize]
            }
            VarStorage::ThreadLocal(i) => &self.code.thread_locals[i as usize],
        }
    }

    fn domain(&self, place: VarStorage) -> &'m Domain {
        &self.declaration(place).domain
    }
}

impl<'m, O: Observer> Task<'m> for Run<'m, O> {
    type Choice = Choice;
    type Mark = Mark;
    type End = End;

    fn run(&mut self) -> Pause<Choice, End> {
        if self.fresh {
            self.store.sites.enter(self.pc);
        }
        loop {
            let ops = if O::WATCHES { &self.code.plain } else { &self.code.ops };
            let op = ops[self.pc as usize];
            if O::WATCHES {
                let (span, procedure) = (self.span(), self.local.procedure);
                self.observer.note(Note::At { span, procedure, calls: self.local.stack.frames.len() });
            }
            let result = self.execute(op);
            self.fresh = false;
            match result {
                Ok(Flow::On) => {}
                Ok(Flow::Pause) => match self.pause.take() {
                    Some(Pause::Ends(end)) => {
                        self.keep_pc();
                        return Pause::Ends(end);
                    }
                    Some(pause) => return pause,
                    None => return Pause::Discarded,
                },
                Err(trouble) => return Pause::Ends(self.trouble(trouble)),
            }
        }
    }

    fn mark(&mut self) -> Mark {
        let expression = (!self.is_between_statements()).then(|| Box::new(self.expression.clone()));
        Mark { globals: self.globals.mark(), local: self.local.mark(), pc: self.pc, expression }
    }

    fn rewind(&mut self, mark: &Mark) {
        self.globals.rewind(mark.globals);
        self.local.rewind(mark.local);
        self.pc = mark.pc;
        self.expression.restore(mark.expression.as_deref());
    }

    fn release(&mut self, mark: Mark) {
        self.globals.release(mark.globals);
        self.local.release(mark.local);
    }

    fn next_option(&mut self, options: Choice, from: u64) -> u64 {
        self.passed = 0;
        if let Choice::Targets(list) = options
            && !O::WATCHES
        {
            let rest = &self.code.targets[list as usize][from as usize..];
            for (nth, target) in (from..).zip(rest) {
                if let Some(passed) = self.guards_passed(target) {
                    self.passed = passed;
                    return nth;
                }
            }
            return from + rest.len() as u64;
        }
        from
    }

    fn chooses_value(options: Choice) -> bool {
        match options {
            Choice::Targets(_) => false,
            Choice::Values(_) | Choice::Numbers(..) => true,
        }
    }

    fn configuration(&self) -> Fingerprint {
        let mut hash = Fingerprinter::default();
        self.globals.hash(&mut hash);
        // A step in which a hot global was false is cold.
        let was_false = |global: &u32| self.earlier_values(*global).any(|value| value == Value::Bool(false));
        self.code.hot.iter().for_each(|global| was_false(global).hash(&mut hash));
        let Local { stack, control, posted, events, base, procedure, interrupted } = self.local();
        (&**stack, &**control, posted, events).hash(&mut hash);
        (base, procedure, interrupted, self.pc, &self.expression).hash(&mut hash);
        hash.fingerprint()
    }

    fn take(&mut self, options: Choice, nth: u64) {
        match options {
            Choice::Targets(list) => {
                let to = self.code.targets[list as usize][nth as usize].to;
                self.pc = to + self.passed;
                // The guards that are known to hold are not executed.
                self.store.sites.enter(to);
                self.store.sites.enter(self.pc);
            }
            Choice::Values(place) => {
                if let Some(value) = self.domain(place).nth(nth) {
                    self.store.chosen.store(true, Ordering::Relaxed);
                    self.assign(place, value);
                }
            }
            Choice::Numbers(low, bits) => {
                let n = low.wrapping_add(nth as i64);
                self.push(if bits { Value::Bv(n as u64) } else { Value::Int(n) });
            }
        }
    }

    fn since(&self, mark: &Mark) -> Since {
        let changed = self.globals.is_changed(mark.globals)
            || self.local.is_changed(mark.local)
            || mark.expression.is_some()
            || !self.is_between_statements();
        match changed {
            true => Since::Changed,
            false if mark.pc == self.pc => Since::Back,
            false => Since::Elsewhere,
        }
    }

    /// The result of a cycle inside a step: a liveness failure if a hot global stays true, since no other
    /// task ever runs.
    #[cold]
    fn cycle(&mut self, mark: &Mark) -> Pause<Choice, End> {
        let stays = |global: &&u32| {
            self.globals[**global as usize] != Value::Bool(false)
                && !self.globals.is_assigned_since(**global, mark.globals)
        };
        let hot = self.code.hot.iter().find(stays);
        let Some(hot) = hot else { return Pause::Discarded };
        let name = |name| self.code.symbols.text(name);
        let message = format!(
            "`{}` may stay true for ever: `{}` can repeat a cycle here and never let other tasks run",
            name(self.code.globals[*hot as usize].name),
            name(self.code.procedures[self.local.procedure as usize].name),
        );
        let end = End::Fails(Box::new(Failure::liveness(message)), self.span());
        self.keep_pc();
        Pause::Ends(end)
    }

    #[cold]
    fn exhausted(&mut self, why: Exhausted) -> End {
        let message = match why {
            Exhausted::Limit(failure) => return End::Fails(Box::new(failure), self.span()),
            Exhausted::Choices => format!("a step that makes more than {MAX_CHOICES_OF_STEP} choices"),
            Exhausted::Fuel => {
                format!("a step that does not yield within {} jumps and calls", BUDGET.fuel)
            }
        };
        self.unsupported(message)
    }

    fn meter(&mut self) -> &mut Meter<'m> {
        &mut self.meter
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.globals.bytes() + self.local.bytes(Local::heap_bytes)
    }
}

/// The stack of a new task.
pub(crate) fn first_frame(code: &Code, procedure: u32, entry: u32, args: &[Value]) -> Stack {
    let base = code.thread_locals.len();
    let mut stack = Stack::default();
    stack.values.resize(base, Value::Unset);
    stack.values.extend_from_slice(args);
    stack.values.resize(base + code.procedures[procedure as usize].variables.len(), Value::Unset);
    stack.frames.push(Frame { function: procedure, pc: entry, base: base as u32 });
    stack
}
