//! One step of a machine: from one scheduling point to the next.
//!
//! Others may run before a machine is created, before an event is put into a queue (after the monitors have seen
//! it), and where a machine takes an event from its queue, in a `receive` or when it is done with the last one.
//! Events that are raised and states that are entered belong to the step.
//!
//! What P does in two steps is one here where no other machine can tell: it takes an event and then lets others run
//! before the handler; here others run before the event is taken. New events go to the end of a queue, so that the
//! same event is taken either way. Where it finds none, and handles `null`, there are two steps here as well.

mod ops;
mod update;

use std::hash::Hasher;

use dally_explore::{Failure, Fingerprint, Fingerprinter, Limits};
use dally_text::source::Span;
use smallvec::SmallVec;

use crate::check::info::{EventId, HALT, NULL_EVENT};
use crate::code::{Action, Code, Op, State};
use crate::liveness::starving;
use crate::state::{Frame, Local, Mode, Queue, Store, Then, spilled};
use crate::value::Value;

/// The work of a step that does not let others run: instructions, and the elements of values that it copies.
const FUEL: i64 = 10_000_000;
/// How much of it is used between two looks at what ends a step.
const FUEL_BETWEEN_LOOKS: i64 = 1 << 16;
/// Calls that are nested more deeply than this are not followed.
const DEEPEST: usize = 10_000;
/// Larger circles are not looked for.
const LARGEST_CIRCLE: usize = 64;
/// So many events are raised in one step only by a machine that may go in circles.
const MANY_HOPS: u32 = 32;
const FEW_HOPS: u32 = 2;
/// The most options of a `choose`.
pub(crate) const MOST_CHOICES: i64 = 10_000;

/// How a run ends, or stops for now.
#[derive(Debug)]
pub(crate) enum End {
    /// Others may run; the machine may be able to go on.
    Stops,
    /// The machine is no more.
    Halts,
    /// So many options: one is to be chosen.
    Chooses(u32),
    /// An assumption does not hold.
    Discarded,
    Fails(Box<Failure>),
}

/// What a failing instruction leaves behind.
pub(crate) type Run<A> = Result<A, End>;

pub(crate) fn fails<A>(message: impl Into<String>) -> Run<A> {
    Err(End::Fails(Box::new(Failure::runtime(message))))
}

/// What is worth telling.
#[derive(Clone, Debug)]
pub(crate) enum Note {
    /// An instruction of this number is next, so many calls deep.
    At(u32, usize),
    /// A variable has a new value: of the machine, or of the function of this number.
    Set(Option<u32>, u32, Value),
    Takes(EventId, Value),
    FindsNothing,
    Raises(EventId, Value),
    Announces(EventId, Value),
    Sends(u32, EventId, Value),
    Creates(u32, u32),
    Enters(u32),
    Halts,
    Chooses(Value),
    /// What follows is about this monitor, or about the machine again.
    Monitor(Option<u32>),
}

/// Watches a run.
pub(crate) trait Observer: Clone {
    /// Whether it does.
    const WATCHES: bool;
    fn note(&mut self, note: Note);
}

impl Observer for () {
    const WATCHES: bool = false;
    fn note(&mut self, _: Note) {}
}

/// What all runs share.
#[derive(Clone, Copy)]
pub(crate) struct Context<'m> {
    pub(crate) code: &'m Code,
    pub(crate) store: &'m Store,
    pub(crate) limits: &'m Limits,
}

/// What a monitor came by in a step.
#[derive(Clone, Copy, Default)]
pub(crate) struct Warmth {
    pub(crate) hot: bool,
    pub(crate) cold: bool,
}

/// Where a machine was in the middle of a step.
#[derive(Clone, Copy)]
struct Seen {
    here: Fingerprint,
    /// How often it had chosen, and how often of these in fairness.
    chosen: u32,
    fairly: u32,
    /// How many monitors had come by hot or cold states.
    warmth: usize,
}

/// A machine that runs.
#[derive(Clone)]
pub(crate) struct Runner<'m, O> {
    pub(crate) code: &'m Code,
    pub(crate) store: &'m Store,
    limits: &'m Limits,
    /// Its number.
    pub(crate) id: u32,
    pub(crate) local: Local,
    /// Whether it is a monitor.
    monitor: bool,
    /// The number of the next machine.
    pub(crate) next: u32,
    pub(crate) queue: Queue,
    pub(crate) created: Option<Local>,
    pub(crate) sent: Option<(u32, EventId, Value)>,
    /// The monitors, and those that have changed.
    pub(crate) monitors: &'m [u32],
    pub(crate) changed: SmallVec<[(u32, Local); 2]>,
    /// As a monitor: whether it came by hot states, and by cold ones. Of monitors: the same.
    came_by: Warmth,
    pub(crate) warmth: SmallVec<[(u32, Warmth); 2]>,
    /// What there is to choose from.
    options: SmallVec<[Value; 2]>,
    /// The fair choices that it made: where, and which way.
    pub(crate) fair: SmallVec<[(u32, bool); 2]>,
    /// Until it looks at what ends a step, and after that.
    fuel: i64,
    reserve: i64,
    /// How often it chose, and how often of these in fairness.
    chosen: u32,
    fairly: u32,
    /// How often it raised an event or changed its state, and where it was after that was often, having chosen how
    /// often.
    hops: u32,
    seen: Vec<Seen>,
    /// The instruction that runs.
    pub(crate) pc: u32,
    /// The state that failed, if no instruction did.
    failed_in: Option<Span>,
    pub(crate) observer: O,
}

impl<'m, O: Observer> Runner<'m, O> {
    pub(crate) fn new(
        Context { code, store, limits }: Context<'m>,
        id: u32,
        local: Local,
        queue: Queue,
        (monitors, next): (&'m [u32], u32),
        observer: O,
    ) -> Self {
        Runner {
            code,
            store,
            limits,
            id,
            local,
            monitor: false,
            next,
            queue,
            created: None,
            sent: None,
            monitors,
            changed: SmallVec::new(),
            came_by: Warmth::default(),
            warmth: SmallVec::new(),
            options: SmallVec::new(),
            fair: SmallVec::new(),
            fuel: FUEL_BETWEEN_LOOKS,
            reserve: FUEL - FUEL_BETWEEN_LOOKS,
            chosen: 0,
            fairly: 0,
            hops: 0,
            seen: Vec::new(),
            pc: 0,
            failed_in: None,
            observer,
        }
    }

    pub(crate) fn machine(&self) -> u32 {
        if self.monitor { self.local.kind } else { self.code.kinds[self.local.kind as usize].machine }
    }

    /// Where it failed.
    pub(crate) fn failed_at(&self) -> Span {
        let statement = self.code.spans.get(self.pc as usize).copied();
        self.failed_in.or(statement).unwrap_or(Span::NONE)
    }

    fn note(&mut self, note: Note) {
        if O::WATCHES {
            self.observer.note(note);
        }
    }

    /// Uses up some fuel.
    fn burn(&mut self, size: usize) -> Run<()> {
        self.fuel -= 1 + size as i64;
        if self.fuel >= 0 { Ok(()) } else { self.refuel() }
    }

    #[cold]
    fn refuel(&mut self) -> Run<()> {
        if let Some(failure) = self.limits.reached(|| self.store.bytes()) {
            return Err(End::Fails(Box::new(failure)));
        }
        self.reserve += self.fuel;
        if self.reserve < 0 {
            let name = &self.code.machines[self.machine() as usize].name;
            let message = format!(
                "`{name}` does more in one step than can be explored: perhaps it never lets others run"
            );
            return Err(End::Fails(Box::new(Failure::unsupported(message))));
        }
        self.fuel = FUEL_BETWEEN_LOOKS.min(self.reserve);
        self.reserve -= self.fuel;
        Ok(())
    }

    // Steps.

    /// Begins a step.
    pub(crate) fn start(&mut self) -> Result<(), End> {
        match self.local.mode {
            Mode::Running => Ok(()),
            Mode::Halted => Err(End::Halts),
            Mode::Receiving(cases) => {
                let targets = &self.code.cases[cases as usize].targets;
                let wanted = |event: EventId| event == HALT || targets[event as usize].is_some();
                let Some(place) = self.queue.iter().position(|e| wanted(e.0)) else { return Err(End::Stops) };
                let (event, payload) = self.queue.remove(place);
                self.note(Note::Takes(event, payload));
                self.local.mode = Mode::Running;
                match targets[event as usize] {
                    Some(target) => {
                        self.local.values.push(payload);
                        if let Some(frame) = self.local.frames.last_mut() {
                            frame.pc = target;
                        }
                        Ok(())
                    }
                    None => self.raise(event, payload),
                }
            }
            Mode::Idle => match self.available() {
                Some(place) => {
                    self.local.mode = Mode::Running;
                    let (event, payload) = self.queue.remove(place);
                    self.note(Note::Takes(event, payload));
                    self.handle(event, payload)
                }
                None => {
                    // What comes in from now on is too late.
                    self.local.mode = Mode::Defaulting;
                    self.note(Note::FindsNothing);
                    Err(End::Stops)
                }
            },
            Mode::Defaulting => {
                self.local.mode = Mode::Running;
                self.handle(NULL_EVENT, Value::Null)
            }
        }
    }

    /// The first event in the queue that the state does not defer; those before it that it ignores are dropped.
    fn available(&mut self) -> Option<usize> {
        let actions = &self.code.machines[self.machine() as usize].states[self.local.state as usize].actions;
        let mut place = 0;
        while let Some((event, _)) = self.queue.get(place) {
            match actions[*event as usize] {
                Action::Ignore => {
                    self.queue.remove(place);
                }
                Action::Defer => place += 1,
                _ => return Some(place),
            }
        }
        None
    }

    /// Runs until others may.
    pub(crate) fn run(&mut self) -> End {
        loop {
            let done = match self.local.frames.last() {
                Some(frame) => {
                    self.pc = frame.pc;
                    self.execute()
                }
                None => self.proceed(),
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    /// The bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let changed = self.changed.iter().map(|(_, local)| local.heap_bytes());
        size_of_val(self) + self.local.heap_bytes() + spilled(&self.queue) + changed.sum::<usize>()
    }

    /// Goes on after a choice.
    pub(crate) fn choose(&mut self, option: u32) {
        let value = match self.options.get(option as usize) {
            Some(value) => *value,
            None => Value::Int(i64::from(option)),
        };
        self.options.clear();
        self.chosen += 1;
        if self.code.ops[self.pc as usize] == Op::FairNondet {
            self.fairly += 1;
            // For executions that go on for ever, how often does not matter.
            let made = (self.pc, value == Value::Bool(true));
            if !self.fair.contains(&made) {
                self.fair.push(made);
            }
        }
        self.note(Note::Chooses(value));
        self.local.values.push(value);
    }

    /// What comes when the functions are done.
    fn proceed(&mut self) -> Run<()> {
        match self.local.then {
            Then::Rest => {
                self.local.mode = Mode::Idle;
                if !self.monitor {
                    self.available();
                }
                Err(End::Stops)
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
        let machine = &self.code.machines[self.machine() as usize];
        let state = &machine.states[self.local.state as usize];
        // No instruction fails here: the state does.
        self.failed_in = Some(state.span);
        let state = &state.name;
        let who = if self.monitor { "the monitor " } else { "" };
        let event = &self.code.events[event as usize].0;
        fails(format!("{who}`{}` does not handle `{event}` in state `{state}`", machine.name))
    }

    fn halt(&mut self) -> Run<()> {
        self.note(Note::Halts);
        let kind = self.local.kind;
        self.local = halted(kind);
        self.queue.clear();
        Err(End::Halts)
    }

    /// Calls a handler, with what the event carries if it takes that.
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
                format!("more than {DEEPEST} calls are nested: perhaps `{}` never returns", function.name);
            return Err(End::Fails(Box::new(Failure::unsupported(message))));
        }
        let base = self.local.values.len() as u32 - function.params;
        self.local.values.extend_from_slice(&function.defaults);
        self.local.frames.push(Frame { function: number, pc: function.entry, base });
        Ok(())
    }

    /// Enters a state.
    fn enter(&mut self, target: u32) -> Run<()> {
        let payload = std::mem::take(&mut self.local.payload);
        (self.local.state, self.local.then, self.local.event) = (target, Then::Rest, NULL_EVENT);
        self.note(Note::Enters(target));
        let State { entry, hot, cold, .. } =
            self.code.machines[self.machine() as usize].states[target as usize];
        self.came_by.hot |= hot;
        self.came_by.cold |= cold;
        entry.map_or(Ok(()), |function| self.invoke(function, payload))
    }

    /// Leaves the state, to do next what `then` says.
    fn leave(&mut self, then: Then, event: EventId, payload: Value) -> Run<()> {
        (self.local.then, self.local.event, self.local.payload) = (then, event, payload);
        let exit = self.code.machines[self.machine() as usize].states[self.local.state as usize].exit;
        exit.map_or(Ok(()), |function| self.invoke(function, Value::Null))
    }

    /// Does what the state does about an event.
    fn handle(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.burn(0)?;
        match self.code.action(self.machine(), self.local.state, event) {
            Action::Do(function) => self.invoke(function, payload),
            Action::Goto(target, function) => self.leave(Then::Leave(target, function), event, payload),
            Action::Defer | Action::Ignore => Ok(()),
            Action::Unhandled if self.monitor => self.unhandled(event),
            Action::Unhandled => self.leave(Then::Unhandled, event, Value::Null),
        }
    }

    /// Gives up all calls, unless the machine is on the way to another state.
    fn unwind(&mut self) -> Run<()> {
        if self.local.then != Then::Rest {
            let name = &self.code.machines[self.machine() as usize].name;
            return fails(format!("`{name}` raises an event or changes its state while it leaves one"));
        }
        let fields = self.code.machines[self.machine() as usize].fields.len();
        self.local.values.truncate(fields);
        self.local.frames.clear();
        Ok(())
    }

    fn raise(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.unwind()?;
        self.note(Note::Raises(event, payload));
        self.look_for_circle(event, payload)?;
        self.handle(event, payload)
    }

    /// Ends a run that goes in circles. A machine may choose to raise one event after another without end; what else
    /// it can choose was looked at when it came by the first time. One that has no choice never lets others run.
    fn look_for_circle(&mut self, event: EventId, payload: Value) -> Run<()> {
        self.hops += 1;
        // A circle that matters is shown, and should be short.
        let matters = self.chosen > 0 && !self.code.liveness.is_empty();
        if self.hops < if matters { FEW_HOPS } else { MANY_HOPS } {
            return Ok(());
        }
        let mut here =
            self.store.local(&self.local).fingerprint.with(self.store.queue(&self.queue).fingerprint);
        for (monitor, local) in &self.changed {
            here = here.with(Fingerprint::of(monitor)).with(self.store.local(local).fingerprint);
        }
        let mut hash = Fingerprinter::default();
        hash.write_u32(self.pc);
        hash.write_u32(event);
        self.store.heap.write(payload, &mut hash);
        let here = here.with(hash.fingerprint());
        if let Some(seen) = self.seen.iter().find(|seen| seen.here == here) {
            if seen.chosen < self.chosen {
                return Err(self.circle(*seen));
            }
            let name = &self.code.machines[self.machine() as usize].name;
            return fails(format!("`{name}` goes in circles for ever, and never lets others run"));
        }
        // Larger circles run out of fuel.
        if self.seen.len() >= LARGEST_CIRCLE {
            self.seen.clear();
        }
        let (chosen, fairly) = (self.chosen, self.fairly);
        self.seen.push(Seen { here, chosen, fairly, warmth: self.warmth.len() });
        Ok(())
    }

    /// How a run ends that has chosen to go in circles: monitors that are hot on the way and never cold stay so for ever. With
    /// fair choices on the way it is not that simple, and the run just ends.
    fn circle(&self, from: Seen) -> End {
        let machines = &self.code.machines;
        let state_of = |monitor: u32| {
            let changed = self.changed.iter().find(|(number, _)| *number == monitor);
            let local = changed.map(|(_, local)| local);
            let local = local.unwrap_or_else(|| self.store.locals.get(self.monitors[monitor as usize]));
            let machine = &machines[self.code.monitors[monitor as usize].0 as usize];
            (&machine.name, &machine.states[local.state as usize])
        };
        let starves = |monitor: &&u32| {
            let way = self.warmth[from.warmth..].iter().filter(|(other, _)| other == *monitor);
            let (hot, cold) = way.fold((false, false), |(hot, cold), (_, w)| (hot | w.hot, cold | w.cold));
            !cold && (hot || state_of(**monitor).1.hot)
        };
        let found = self.code.liveness.iter().find(starves).filter(|_| self.fairly == from.fairly);
        let Some((monitor, state)) = found.map(|monitor| state_of(*monitor)) else {
            return End::Discarded;
        };
        let starving = starving(monitor, &state.name, state.hot);
        let machine = &machines[self.machine() as usize].name;
        let message = format!("{starving}: `{machine}` can go in circles here and never let others run");
        End::Fails(Box::new(Failure::liveness(message)))
    }

    // Monitors.

    /// Lets the monitors see an event.
    fn announce(&mut self, event: EventId, payload: Value) -> Run<()> {
        let code = self.code;
        for monitor in &code.kinds[self.local.kind as usize].monitors[event as usize] {
            let place = self.changed.iter().position(|c| c.0 == *monitor);
            let place = place.unwrap_or_else(|| {
                let part = self.monitors[*monitor as usize];
                self.changed.push((*monitor, self.store.locals.get(part).clone()));
                self.changed.len() - 1
            });
            let (_, local) = self.changed[place].clone();
            self.changed[place].1 =
                self.run_monitor(*monitor, local, |runner| runner.handle(event, payload))?;
        }
        Ok(())
    }

    /// Runs a monitor from its beginning on.
    fn run_monitor(
        &mut self,
        monitor: u32,
        local: Local,
        begin: impl FnOnce(&mut Runner<'m, O>) -> Run<()>,
    ) -> Run<Local> {
        let context = Context { code: self.code, store: self.store, limits: self.limits };
        let mut runner = Runner::new(
            context,
            self.id,
            local,
            Queue::new(),
            (self.monitors, self.next),
            self.observer.clone(),
        );
        runner.monitor = true;
        (runner.fuel, runner.reserve) = (self.fuel, self.reserve);
        runner.note(Note::Monitor(Some(monitor)));
        let end = match begin(&mut runner) {
            Ok(()) => runner.run(),
            Err(end) => end,
        };
        runner.note(Note::Monitor(None));
        self.observer = runner.observer;
        if runner.came_by.hot || runner.came_by.cold {
            self.warmth.push((monitor, runner.came_by));
        }
        (self.fuel, self.reserve) = (runner.fuel, runner.reserve);
        match end {
            End::Stops => Ok(runner.local),
            End::Fails(failure) => {
                // The instruction that failed is the monitor's.
                (self.pc, self.failed_in) = (runner.pc, runner.failed_in);
                Err(End::Fails(failure))
            }
            // A monitor neither halts nor chooses; the checker sees to that.
            End::Halts | End::Chooses(_) | End::Discarded => Err(End::Discarded),
        }
    }

    /// A monitor at its beginning.
    pub(crate) fn first_monitor(&mut self, monitor: u32) -> Run<Local> {
        let (machine, _) = self.code.monitors[monitor as usize];
        let local = first(self.code, machine, machine, Value::Null, true);
        self.run_monitor(monitor, local, |_| Ok(()))
    }
}

/// What is left of a machine.
fn halted(kind: u32) -> Local {
    Local {
        kind,
        state: 0,
        mode: Mode::Halted,
        then: Then::Rest,
        event: NULL_EVENT,
        payload: Value::Null,
        frames: SmallVec::new(),
        values: SmallVec::new(),
    }
}

/// A machine at its beginning. If there is nothing to do on entry, it waits for events at once.
pub(crate) fn first(code: &Code, kind: u32, machine: u32, payload: Value, monitor: bool) -> Local {
    let machine = &code.machines[machine as usize];
    let mut local = Local {
        kind,
        state: machine.start,
        mode: if monitor { Mode::Running } else { Mode::Idle },
        values: machine.fields.iter().copied().collect(),
        ..halted(kind)
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
