//! Running a task for one step: until it yields, blocks, ends, or fails.
//!
//! Where the task chooses, the run is copied: each copy goes on with one of the options, in the order of the
//! options, so that the outcomes of a step are numbered the same way each time.

mod instructions;

use std::borrow::Cow;

use dally_bpl::source::Span;
use dally_explore::{Event, Failure};
use smallvec::SmallVec;

use crate::code::{Code, Domain, Op, Place};
use crate::evaluate::{self as eval, Trouble};
use crate::machine::MAX_WAYS;
use crate::state::{Control, Frame, Meta, Stack, Store};
use crate::value::Value;

/// A step that runs longer than this without a yield is not explored any further.
const MAX_OPS: u32 = 50_000_000;
/// Calls that nest deeper than this are not followed.
const MAX_CALLS: usize = 10_000;
/// More tasks than this are not kept at a time.
const MAX_TASKS: usize = 10_000;
/// A choice among more values than this is not made.
const MAX_CHOICES: u64 = 1 << 16;

/// Somebody who watches a run. Most runs are watched by nobody.
pub(crate) trait Observer: Clone {
    /// Whether it does: then a choice is made by copies at once, so that each has seen its own way only.
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

/// A task in the middle of a step.
#[derive(Clone)]
pub(crate) struct Run<'m, O> {
    code: &'m Code,
    store: &'m Store,
    pub(crate) meta: Meta,
    // What a run does not change is not copied.
    pub(crate) globals: Cow<'m, [Value]>,
    pub(crate) stack: Lazy<'m, Stack>,
    pub(crate) control: Lazy<'m, Control>,
    /// The tasks that it has posted.
    pub(crate) posted: Vec<(Meta, Stack)>,
    pub(crate) events: Vec<Event>,
    pub(crate) observer: O,
    pc: u32,
    /// Where the variables of the current frame begin.
    base: usize,
    procedure: u32,
    values: SmallVec<[Value; 4]>,
    /// Functions that are being evaluated: where to return to, and where their caller's values begin.
    applications: Vec<(u32, u32)>,
    /// Where the values of the current function begin.
    values_base: usize,
    /// The last choice: its list of targets, and the next one to try. Nothing has changed since.
    untried: Option<(u32, u32)>,
    /// How the run ends, once it does.
    end: Option<End>,
    /// No instruction has been executed yet.
    fresh: bool,
    interrupted: bool,
    ops: u32,
}

impl<'m, O: Observer> Run<'m, O> {
    /// The task at the beginning of a step.
    pub(crate) fn new(
        code: &'m Code,
        store: &'m Store,
        meta: Meta,
        globals: &'m [Value],
        stack: &'m Stack,
        control: &'m Control,
        observer: O,
    ) -> Self {
        let top = stack.frames.last().copied();
        Run {
            code,
            store,
            meta,
            globals: Cow::Borrowed(globals),
            stack: Lazy::Shared(stack),
            control: Lazy::Shared(control),
            posted: Vec::new(),
            events: Vec::new(),
            observer,
            pc: top.map_or(0, |f| f.pc),
            base: top.map_or(0, |f| f.base as usize),
            procedure: top.map_or(0, |f| f.procedure),
            values: SmallVec::new(),
            applications: Vec::new(),
            values_base: 0,
            untried: None,
            end: None,
            fresh: true,
            interrupted: false,
            ops: 0,
        }
    }

    /// Runs to the end of the step. Other ways to go on are added to `forks`, the next one last.
    pub(crate) fn run(&mut self, forks: &mut Vec<Self>) -> End {
        loop {
            self.ops += 1;
            if self.ops > MAX_OPS {
                let message = format!("a step that does not yield within {MAX_OPS} instructions");
                return self.unsupported(message);
            }
            if forks.len() > MAX_WAYS {
                forks.clear();
                self.untried = None;
                return self.unsupported(format!("a step that can go on in more than {MAX_WAYS} ways"));
            }
            let op = self.code.ops[self.pc as usize];
            if O::WATCHES {
                self.observer.at(self.span(), self.procedure, self.stack.frames.len());
            }
            let result = self.execute(op, forks);
            self.fresh = false;
            match result {
                Ok(Flow::On) => {}
                Ok(Flow::Stop) => match self.end.take() {
                    Some(End::Discarded) if self.try_next() => {}
                    Some(End::Discarded) | None => return End::Discarded,
                    Some(end) => {
                        self.leave_untried(forks);
                        self.keep_pc();
                        return end;
                    }
                },
                Err(trouble) => {
                    self.leave_untried(forks);
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

    /// Goes to one of several targets. The others are tried if the first one leads to an assumption that does
    /// not hold before anything has changed, and otherwise left to a copy.
    fn choose(&mut self, list: u32, forks: &mut Vec<Self>) {
        self.leave_untried(forks);
        let targets = &self.code.targets[list as usize];
        if O::WATCHES {
            return self.fork(forks, targets.iter().copied(), |run, to| run.pc = to);
        }
        self.pc = targets[0];
        self.untried = Some((list, 1));
    }

    /// Tries the next target of the last choice, if nothing has changed since.
    fn try_next(&mut self) -> bool {
        let Some((list, next)) = self.untried else { return false };
        let Some(to) = self.code.targets[list as usize].get(next as usize) else { return false };
        self.untried = Some((list, next + 1));
        self.restart_at(*to);
        true
    }

    /// Goes on at the beginning of a statement.
    fn restart_at(&mut self, pc: u32) {
        self.pc = pc;
        self.values.clear();
        self.applications.clear();
        self.values_base = 0;
    }

    /// Something is about to change: what has not been tried is left to a copy.
    fn leave_untried(&mut self, forks: &mut Vec<Self>) {
        let Some((list, next)) = self.untried.take() else { return };
        if let Some(to) = self.code.targets[list as usize].get(next as usize) {
            let mut copy = self.clone();
            copy.untried = Some((list, next + 1));
            copy.restart_at(*to);
            forks.push(copy);
        }
    }

    /// Notes in the frame where it goes on.
    fn keep_pc(&mut self) {
        let pc = self.pc;
        if self.stack.frames.last().is_some_and(|f| f.pc != pc)
            && let Some(frame) = self.stack.to_mut().frames.last_mut()
        {
            frame.pc = pc;
        }
    }

    /// Whether the condition of the `await` at which the task stands holds; none if that cannot be said.
    pub(crate) fn await_holds(&mut self) -> Option<bool> {
        loop {
            self.pc += 1;
            match self.code.ops[self.pc as usize] {
                Op::AwaitEnd(_) => return eval::truth(*self.values.last()?).ok(),
                op => {
                    let mut forks = Vec::new();
                    let before = self.pc;
                    let result = self.execute(op, &mut forks);
                    if !matches!(result, Ok(Flow::On)) || !forks.is_empty() {
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
        let outermost = self.applications.first().map_or(self.pc, |(back, _)| back - 1);
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

    /// Ends the step here, since there would be too much of it.
    pub(crate) fn give_up_step(&self, message: String) -> End {
        self.unsupported(message)
    }

    fn unsupported(&self, message: String) -> End {
        End::Fails(Box::new(Failure::unsupported(message)), self.span())
    }

    fn pop(&mut self) -> Value {
        self.values.pop().unwrap_or(Value::Unset)
    }

    fn push(&mut self, value: Value) {
        self.values.push(value);
    }

    fn variable(&self, place: Place) -> Value {
        match place {
            Place::Global(i) => self.globals[i as usize],
            Place::Local(i) => self.stack.values[self.base + i as usize],
            Place::ThreadLocal(i) => self.stack.values[i as usize],
        }
    }

    fn assign(&mut self, place: Place, value: Value) {
        if self.variable(place) != value {
            *match place {
                Place::Global(i) => &mut self.globals.to_mut()[i as usize],
                Place::Local(i) => &mut self.stack.to_mut().values[self.base + i as usize],
                Place::ThreadLocal(i) => &mut self.stack.to_mut().values[i as usize],
            } = value;
        }
        self.observer.set(place, self.procedure, value);
    }

    fn domain(&self, place: Place) -> &'m Domain {
        match place {
            Place::Global(i) => &self.code.globals[i as usize].domain,
            Place::Local(i) => &self.code.procedures[self.procedure as usize].variables[i as usize].domain,
            Place::ThreadLocal(i) => &self.code.thread_locals[i as usize].domain,
        }
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
