//! One step of a machine: from one scheduling point to the next.
//!
//! Scheduling points are before the creation of a machine, before an event is enqueued (after the monitors
//! have seen it), and where a machine dequeues an event, in a `receive` or after it has handled the
//! previous one. Raised events and state transitions belong to the step.
//!
//! Where no other machine can observe the difference, two steps of P are one step here: P dequeues an
//! event, and lets others run before the handler; here others run before the event is dequeued. New events
//! go to the end of a queue, so both dequeue the same event. If the queue is empty and `null` is handled,
//! there are two steps here as well.
//!
//! [`Runner`] is the [`Task`] of the step engine for P. Its stack changes with each instruction and is
//! copied at a choice point. The [`Effects`] change seldom, and are copied on change. The runner has no
//! access to queues: it is given the event that it dequeues, and returns the event that it sends.

mod cycle;
mod monitor;
mod ops;
mod update;

use std::hash::Hash;

use dally_explore::{Failure, Fingerprint, Fingerprinter};
use dally_step::Frame;
use dally_step::cycle::Visits;
use dally_step::engine::{MAX_CHOICES, Pause, Task};
use dally_step::meter::{Exhausted, Meter, StepBudget};
use dally_step::undo::{Saved, SavedMark};
use dally_text::source::Span;
use smallvec::SmallVec;

use crate::check::info::{EventId, HALT, NULL_EVENT};
use crate::code::{Action, Code, Op, State};
use crate::coverage::Marks;
use crate::state::{Local, Mode, Queued, Store, Then};
use crate::value::Value;

/// The budget of a step, on one path and on all paths together, in instructions and in elements of copied
/// values.
const BUDGET: StepBudget = StepBudget { fuel: 10_000_000, total: 400_000_000 };
/// The limit on the depth of calls.
const DEEPEST: usize = 10_000;
/// The limit on the options of a `choose`.
pub(crate) const MOST_CHOICES: i64 = 10_000;

/// The end of a step.
#[derive(Debug)]
pub(crate) enum End {
    /// The machine is at a scheduling point, and may be enabled.
    Stops,
    /// The machine has halted.
    Halts,
    /// A property failed.
    Fails(Box<Failure>),
}

/// The options of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// False, then true.
    Bools,
    /// The numbers below this one.
    Numbers(u32),
    /// The elements of a collection, or the keys of a map.
    Elements(Value),
}

/// The result of an instruction, or the pause of the step.
pub(crate) type Run<A> = Result<A, Pause<Choice, End>>;

pub(crate) fn fails<A>(message: impl Into<String>) -> Run<A> {
    failed(Failure::runtime(message))
}

pub(crate) fn failed<A>(failure: Failure) -> Run<A> {
    Err(fail(failure))
}

fn fail(failure: Failure) -> Pause<Choice, End> {
    Pause::Ends(End::Fails(Box::new(failure)))
}

/// The events of a step that an observer sees.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    /// The address of the next instruction, and the depth of calls.
    At(u32, usize),
    /// A variable was assigned to: one of the machine, or one of the function of this number.
    Set(Option<u32>, u32, Value),
    Takes(EventId, Value),
    FindsNothing,
    Raises(EventId, Value),
    Announces(EventId, Value),
    /// An event is about to be sent: the monitors see it first.
    Sending(u32, EventId, Value),
    Sends(u32, EventId, Value),
    Creates(u32, u32),
    Enters(u32),
    Halts,
    Chooses(Value),
    Prints(Value),
    /// The following notes are about this monitor, or about the machine again.
    Monitor(Option<u32>),
}

/// Watches a step.
pub(crate) trait Observer: dally_step::observer::Observer<Note> {}

impl<O: dally_step::observer::Observer<Note>> Observer for O {}

/// The context shared by all steps of a program.
pub(crate) type Context<'m> = dally_step::engine::Context<'m, Code, Store>;

/// The machine at the beginning of a step, and the parts of the state that it depends on.
pub(crate) struct Start<'m> {
    /// Its number.
    pub(crate) id: u32,
    pub(crate) local: Local,
    /// The event that it dequeues.
    pub(crate) taken: Option<Queued>,
    /// The ids of the monitors.
    pub(crate) monitors: &'m [u32],
    /// The number of the next machine that is created.
    pub(crate) next: u32,
}

/// The hot and cold states that a monitor visited in a step.
#[derive(Clone, Copy, Default, Debug, Hash)]
pub(crate) struct Heat {
    pub(crate) hot: bool,
    pub(crate) cold: bool,
}

/// An event that was sent.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Sent {
    pub(crate) target: u32,
    pub(crate) queued: Queued,
}

/// A fair choice: where it was made, the option taken, and the number of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FairChoice {
    pub(crate) pc: u32,
    pub(crate) option: u32,
    pub(crate) options: u32,
}

/// The effects of a step on the rest of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub(crate) created: Option<Local>,
    pub(crate) sent: Option<Sent>,
    /// The monitors that have seen an event, as they are now.
    pub(crate) monitors: SmallVec<[(u32, Local); 2]>,
    /// The hot and cold states visited in each run of a monitor, in order.
    pub(crate) heat: SmallVec<[(u32, Heat); 2]>,
    /// The fair choices made in the step, without duplicates; none if the test has no liveness property.
    pub(crate) fair: SmallVec<[FairChoice; 2]>,
    /// True if the step has forbidden delays, false if it has allowed them again.
    pub(crate) sealed: Option<bool>,
    visits: Visits<Counters>,
}

/// Counters by which a repeated visit of a configuration tells what happened in between.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    /// Choices made, and the fair ones among them.
    chosen: u32,
    fair: u32,
    /// Raised events and state transitions.
    hops: u32,
    /// The length of [`Effects::heat`].
    heat: usize,
}

/// A point in the undo log.
pub(crate) struct Mark {
    local: Local,
    effects: SavedMark,
    counters: Counters,
    pc: u32,
}

/// A machine in the middle of a step.
pub(crate) struct Runner<'m, O> {
    pub(crate) code: &'m Code,
    pub(crate) store: &'m Store,
    pub(crate) meter: Meter<'m>,
    /// Its number.
    pub(crate) id: u32,
    /// The machine; while a monitor runs, the monitor.
    pub(crate) local: Local,
    in_monitor: bool,
    /// The number of the next machine that is created.
    pub(crate) next: u32,
    taken: Option<Queued>,
    pub(crate) effects: Saved<Effects>,
    /// The parts of the monitors.
    monitors: &'m [u32],
    /// The heat of the monitor that runs.
    heat: Heat,
    counters: Counters,
    /// The address of the current instruction.
    pub(crate) pc: u32,
    /// The state that failed, if the failure is not that of an instruction.
    failed_in: Option<Span>,
    begun: bool,
    /// Where coverage is marked.
    pub(crate) marks: &'m Marks,
    /// Monitors that see an event are listed in the effects, but do not run.
    pub(crate) skips_monitors: bool,
    pub(crate) observer: O,
}

impl<'m, O: Observer> Runner<'m, O> {
    pub(crate) fn new(context: &Context<'m>, start: Start<'m>, observer: O) -> Self {
        Runner {
            code: context.code,
            store: context.store,
            meter: Meter::new(context.limits, BUDGET),
            id: start.id,
            local: start.local,
            in_monitor: false,
            next: start.next,
            taken: start.taken,
            effects: Saved::new(Effects::default()),
            monitors: start.monitors,
            heat: Heat::default(),
            counters: Counters::default(),
            pc: 0,
            failed_in: None,
            begun: false,
            marks: &context.store.marks,
            skips_monitors: false,
            observer,
        }
    }

    pub(crate) fn machine(&self) -> u32 {
        if self.in_monitor { self.local.kind } else { self.code.kinds[self.local.kind as usize].machine }
    }

    fn name(&self) -> &'m str {
        &self.code.machines[self.machine() as usize].name
    }

    fn state(&self) -> &'m State {
        &self.code.machines[self.machine() as usize].states[self.local.state as usize]
    }

    /// The span of the failure.
    pub(crate) fn failed_at(&self) -> Span {
        let statement = self.code.spans.get(self.pc as usize).copied();
        self.failed_in.or(statement).unwrap_or(Span::NONE)
    }

    #[inline]
    fn note(&mut self, note: Note) {
        if O::WATCHES {
            self.observer.note(note);
        }
    }

    /// Burns fuel for an instruction and a value of this size.
    #[inline]
    fn burn(&mut self, size: usize) -> Run<()> {
        if self.meter.burn(1 + size as i64) { Ok(()) } else { self.refill() }
    }

    #[cold]
    fn refill(&mut self) -> Run<()> {
        let bytes = self.bytes();
        match self.meter.refill(|| bytes) {
            Ok(()) => Ok(()),
            Err(why) => Err(Pause::Ends(self.exhausted(why))),
        }
    }

    // Steps.

    /// Begins a step.
    fn begin(&mut self) -> Run<()> {
        let mode = std::mem::replace(&mut self.local.mode, Mode::Running);
        if let Some(Queued { event, payload }) = self.taken {
            self.note(Note::Takes(event, payload));
        }
        match (mode, self.taken) {
            (Mode::Running, _) => Ok(()),
            (Mode::Halted, _) => {
                self.local.mode = mode;
                Err(Pause::Ends(End::Halts))
            }
            (Mode::Receiving(cases), Some(Queued { event, payload })) => {
                match self.code.cases[cases as usize].targets[event as usize] {
                    Some(target) => {
                        self.local.values.push(payload);
                        self.marks.ops.enter(target);
                        self.jump(target);
                        Ok(())
                    }
                    None => self.raise(event, payload),
                }
            }
            (Mode::Receiving(_), None) => {
                self.local.mode = mode;
                Err(Pause::Ends(End::Stops))
            }
            (Mode::Idle, Some(Queued { event, payload })) => self.handle(event, payload),
            (Mode::Idle, None) => {
                // Events that arrive from now on do not prevent the `null` handler.
                self.local.mode = Mode::Defaulting;
                self.note(Note::FindsNothing);
                Err(Pause::Ends(End::Stops))
            }
            (Mode::Defaulting, _) => self.handle(NULL_EVENT, Value::Null),
        }
    }

    /// Executes instructions until the step pauses.
    fn execute_all(&mut self) -> Run<()> {
        if let Some(frame) = self.local.frames.last() {
            self.marks.ops.enter(frame.pc);
        }
        loop {
            match self.local.frames.last() {
                Some(frame) => {
                    self.pc = frame.pc;
                    self.execute()?;
                }
                None => self.proceed()?,
            }
        }
    }

    /// Continues when all functions have returned.
    fn proceed(&mut self) -> Run<()> {
        match self.local.then {
            Then::Rest => {
                self.local.mode = Mode::Idle;
                Err(Pause::Ends(End::Stops))
            }
            Then::Leave(target, Some(function)) => {
                self.local.then = Then::Enter(target);
                self.invoke(function, self.local.payload)
            }
            Then::Leave(target, None) | Then::Enter(target) => self.enter(target),
            Then::Unhandled if self.local.event == HALT => self.halt(),
            Then::Unhandled => self.unhandled(self.local.event),
        }
    }

    fn unhandled(&mut self, event: EventId) -> Run<()> {
        // The failure belongs to the state, not to an instruction.
        self.failed_in = Some(self.state().span);
        let (machine, state) = (self.name(), &self.state().name);
        let who = if self.in_monitor { "the monitor " } else { "" };
        let event = &self.code.events[event as usize].name;
        fails(format!("{who}`{machine}` does not handle `{event}` in state `{state}`"))
    }

    fn halt(&mut self) -> Run<()> {
        self.note(Note::Halts);
        self.local = Local::halted(self.local.kind);
        Err(Pause::Ends(End::Halts))
    }

    /// Calls a handler, with the payload of the event if it takes that.
    fn invoke(&mut self, function: u32, payload: Value) -> Run<()> {
        if self.code.functions[function as usize].params > 0 {
            self.local.values.push(payload);
        }
        self.call(function)
    }

    fn call(&mut self, number: u32) -> Run<()> {
        let function = &self.code.functions[number as usize];
        self.burn(function.defaults.len())?;
        if self.local.frames.len() >= DEEPEST {
            let message =
                format!("calls are nested deeper than {DEEPEST}: `{}` may not terminate", function.name);
            return failed(Failure::unsupported(message));
        }
        let base = self.local.values.len() as u32 - function.params;
        self.local.values.extend_from_slice(&function.defaults);
        self.local.frames.push(Frame { function: number, pc: function.entry, base });
        self.marks.ops.enter(function.entry);
        Ok(())
    }

    /// Enters a state.
    fn enter(&mut self, target: u32) -> Run<()> {
        self.marks.change_state(self.code, self.machine(), self.local.state, target);
        let payload = std::mem::take(&mut self.local.payload);
        (self.local.state, self.local.then, self.local.event) = (target, Then::Rest, NULL_EVENT);
        self.note(Note::Enters(target));
        let State { entry, hot, cold, .. } = *self.state();
        self.heat.hot |= hot;
        self.heat.cold |= cold;
        entry.map_or(Ok(()), |function| self.invoke(function, payload))
    }

    /// Exits the state; `then` is the continuation.
    fn leave(&mut self, then: Then, event: EventId, payload: Value) -> Run<()> {
        (self.local.then, self.local.event, self.local.payload) = (then, event, payload);
        self.state().exit.map_or(Ok(()), |function| self.invoke(function, Value::Null))
    }

    /// Performs the action of the state on an event.
    fn handle(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.burn(0)?;
        self.marks.handle(self.machine(), self.local.state, event);
        match self.code.action(self.machine(), self.local.state, event) {
            Action::Do(function) => self.invoke(function, payload),
            Action::Goto(target, function) => self.leave(Then::Leave(target, function), event, payload),
            Action::Defer | Action::Ignore => Ok(()),
            Action::Unhandled if self.in_monitor => self.unhandled(event),
            Action::Unhandled => self.leave(Then::Unhandled, event, Value::Null),
        }
    }

    /// Drops all calls, unless the machine is in a state transition.
    fn unwind(&mut self) -> Run<()> {
        if self.local.then != Then::Rest {
            let name = self.name();
            return fails(format!("`{name}` raises an event or changes its state while it exits one"));
        }
        let fields = self.code.machines[self.machine() as usize].fields.len();
        self.local.values.truncate(fields);
        self.local.frames.clear();
        Ok(())
    }

    fn raise(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.unwind()?;
        self.note(Note::Raises(event, payload));
        self.marks.events.enter(event);
        self.look_for_cycle(event, payload)?;
        self.handle(event, payload)
    }

    /// Records a choice for fairness. `$` is not fair: it may have the same outcome for ever.
    fn note_fair_choice(&mut self, option: u32, options: u32) {
        let is_fair = matches!(self.code.ops[self.pc as usize], Op::FairNondet | Op::Choose);
        if !is_fair || options < 2 || self.code.liveness.is_empty() {
            return;
        }
        self.counters.fair += 1;
        // In an infinite execution, the number of times does not matter.
        let made = FairChoice { pc: self.pc, option, options };
        if !self.effects.fair.contains(&made) {
            self.effects.get_mut().fair.push(made);
        }
    }

    /// Resets the variables of each call that are dead where the call resumes.
    fn reset_dead(&mut self) {
        let Local { frames, values, mode, .. } = &mut self.local;
        let top = frames.len().saturating_sub(1);
        for (nth, frame) in frames.iter().enumerate() {
            // A `receive` resumes in one of its cases: the variables dead at its own instruction are dead
            // in all of them.
            let in_receive = nth == top && matches!(mode, Mode::Receiving(_));
            for slot in self.code.dead.at(frame.pc - u32::from(in_receive)) {
                values[(frame.base + slot) as usize] = Value::Null;
            }
        }
    }
}

impl<'m, O: Observer> Task<'m> for Runner<'m, O> {
    type Choice = Choice;
    type Mark = Mark;
    type End = End;

    fn run(&mut self) -> Pause<Choice, End> {
        let begun = if std::mem::replace(&mut self.begun, true) { Ok(()) } else { self.begin() };
        match begun.and_then(|()| self.execute_all()) {
            Err(pause) => {
                if matches!(pause, Pause::Ends(End::Stops)) {
                    self.reset_dead();
                }
                pause
            }
            Ok(()) => Pause::Discarded,
        }
    }

    fn mark(&mut self) -> Mark {
        Mark { local: self.local.clone(), effects: self.effects.mark(), counters: self.counters, pc: self.pc }
    }

    fn rewind(&mut self, mark: &Mark) {
        self.local.clone_from(&mark.local);
        self.effects.rewind(mark.effects);
        (self.counters, self.pc) = (mark.counters, mark.pc);
    }

    fn release(&mut self, mark: Mark) {
        self.effects.release(mark.effects);
    }

    fn chooses_value(_: Choice) -> bool {
        true
    }

    fn configuration(&self) -> Fingerprint {
        let mut hash = Fingerprinter::default();
        let Effects { created, sent, monitors, heat, fair, sealed, visits: _ } = &*self.effects;
        (&self.local, self.pc, self.heat, self.in_monitor, self.next).hash(&mut hash);
        (created, sent, monitors, heat, fair, sealed).hash(&mut hash);
        hash.fingerprint()
    }

    fn take(&mut self, options: Choice, nth: u64) {
        let (value, options) = match options {
            Choice::Bools => (Value::Bool(nth == 1), 2),
            Choice::Numbers(count) => (Value::Int(nth as i64), count),
            Choice::Elements(collection) => {
                let heap = &self.store.heap;
                (heap.option(collection, nth as usize), heap.options(collection) as u32)
            }
        };
        self.counters.chosen += 1;
        self.note_fair_choice(nth as u32, options);
        self.note(Note::Chooses(value));
        self.local.values.push(value);
    }

    #[cold]
    fn cycle(&mut self, mark: &Mark) -> Pause<Choice, End> {
        self.chosen_cycle(mark.counters)
    }

    #[cold]
    fn exhausted(&mut self, why: Exhausted) -> End {
        let failure = match why {
            Exhausted::Limit(failure) => failure,
            Exhausted::Choices => {
                Failure::unsupported(format!("a step that makes more than {MAX_CHOICES} choices"))
            }
            Exhausted::Fuel => Failure::unsupported(format!(
                "`{}` does more in one step than can be explored: perhaps it never lets other machines run",
                self.name()
            )),
        };
        End::Fails(Box::new(failure))
    }

    fn meter(&mut self) -> &mut Meter<'m> {
        &mut self.meter
    }

    fn bytes(&self) -> usize {
        let effects =
            |effects: &Effects| effects.monitors.iter().map(|(_, local)| local.heap_bytes()).sum::<usize>();
        self.store.bytes() + self.effects.bytes(effects)
    }
}

/// A machine before its first step. Without an entry function, it waits for events at once.
pub(crate) fn first(code: &Code, kind: u32, machine: u32, payload: Value, monitor: bool) -> Local {
    let machine = &code.machines[machine as usize];
    let mut local = Local {
        kind,
        state: machine.start,
        mode: if monitor { Mode::Running } else { Mode::Idle },
        values: machine.fields.iter().copied().collect(),
        ..Local::halted(kind)
    };
    if let Some(entry) = machine.states[machine.start as usize].entry {
        let function = &code.functions[entry as usize];
        local.mode = Mode::Running;
        let base = local.values.len() as u32;
        local.values.extend((function.params > 0).then_some(payload));
        local.values.extend_from_slice(&function.defaults);
        local.frames.push(Frame { function: entry, pc: function.entry, base });
    }
    local
}
