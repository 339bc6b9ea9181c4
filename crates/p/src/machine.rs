//! A test as a transition system.
//!
//! Its tasks are the machines, numbered in the order of their creation. Sending to a machine wakes it;
//! creating a machine posts it.

use std::hash::Hasher;
use std::sync::{Arc, OnceLock};

use dally_explore::{
    Choose, DrawnPath, Failure, Fingerprint, Fingerprinter, Footprint, Footprints, Label, Path, Program,
    StateView, StepLimits, Successor, Successors, TaskId,
};
use dally_step::draw::Draws;
use dally_step::engine::{Pause, Reached, Step, Task};
use dally_step::memo::Cache;
use dally_step::sites::Sites;
use dally_text::source::{SourceMap, Span};
use smallvec::SmallVec;

use crate::check::info::{Info, TestInfo};
use crate::code::{Action, Code};
use crate::compile;
use crate::coverage::Marks;
use crate::execute::{Context, End, FairChoice, Observer, Runner, Start, first};
use crate::names::{NameTable, NamedState};
use crate::reduction::Reduction;
use crate::state::{Actor, Local, Mode, Queue, Queued, Record, State, Store, View};
use crate::value::Value;

/// The limit on the outcomes of a cached step.
const MOST_KEPT: usize = 64;

/// One outcome of a step, as a function of the machine, the event that it dequeues, and the monitors. The
/// same combination occurs in many states, so outcomes are cached.
#[derive(Debug)]
struct Outcome {
    /// The id of the machine after the step.
    local: u32,
    /// The monitors that changed: their position and their new id.
    monitors: SmallVec<[(u32, u32); 1]>,
    /// The receiver of the sent event, and the id of the message.
    sent: Option<(u32, u32)>,
    /// The id of the machine that was created.
    created: Option<u32>,
    /// The liveness properties for which the step is hot or cold, as bit sets.
    hot: u64,
    cold: u64,
    fair: SmallVec<[FairChoice; 2]>,
    /// True if the step forbids delays, false if it allows them again.
    sealed: Option<bool>,
}

/// The result of a step along one path.
#[derive(Debug)]
enum Reaches {
    Ended(Outcome),
    /// It is suspended at a choice among this many options, in this configuration.
    Suspended {
        path: Path,
        options: u64,
        configuration: Fingerprint,
    },
}

/// A step of a machine: the unpacked state before it, and the event that it dequeues.
pub(crate) struct Taking {
    pub(crate) view: View,
    pub(crate) task: u32,
    /// The id of the message that is dequeued.
    pub(crate) taken: Option<u32>,
    /// The queue without it.
    queue: Queue,
}

/// The parts that a step changes. All others stay the same.
struct Changed<'o> {
    monitors: &'o [(u32, u32)],
    task: u32,
    local: u32,
    queue: Queue,
    /// The receiver of an event, with its new queue.
    target: Option<(u32, Queue)>,
    created: Option<u32>,
}

/// A compiled test that can be explored.
#[derive(Debug)]
pub struct Machine {
    pub(crate) code: Arc<Code>,
    pub(crate) store: Store,
    /// The number of values on the heap that the code refers to.
    constants: [u32; 2],
    pub(crate) info: Info,
    pub(crate) symbols: dally_text::symbol::Symbols,
    sources: SourceMap,
    limits: StepLimits,
    /// The cache of outcomes.
    known: Cache<Vec<Reaches>>,
    pub(crate) reduction: Reduction,
    /// Made when a scheduler first looks at names.
    names: OnceLock<NameTable>,
}

impl Machine {
    /// Compiles a test of a program.
    pub fn new(program: &crate::Program, test: &TestInfo, sources: &SourceMap) -> Self {
        let (code, heap) = compile::compile(program, test);
        let sites = Arc::new(Sites::new(code.sites.len()));
        let constants = heap.len();
        let marks = Arc::new(Marks::new(&code));
        let store = Store { heap, sites, marks, packs: true, ..Store::default() };
        Machine {
            code: Arc::new(code),
            store,
            constants,
            info: program.info.clone(),
            symbols: program.ast.symbols.clone(),
            sources: sources.clone(),
            limits: StepLimits::default(),
            known: Cache::default(),
            reduction: Reduction::default(),
            names: OnceLock::new(),
        }
    }

    /// Limits the work of a step. A step that exceeds the limits fails with
    /// [`Interrupted`](dally_explore::FailureKind::Interrupted).
    pub fn limit_steps(&mut self, limits: StepLimits) {
        self.limits = limits;
    }

    /// Empties the cache of steps.
    #[cfg(test)]
    pub(crate) fn clear_cache(&mut self) {
        self.known = Cache::default();
    }

    /// The initial state.
    #[cfg(test)]
    pub(crate) fn initial_state(&self) -> State {
        self.first_state().unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// The outcomes of a step: states and failures.
    #[cfg(test)]
    pub(crate) fn outcomes(&self, state: &State, task: u32) -> Vec<Result<State, Failure>> {
        let taking = self.taking(state, task);
        let mut step = Step::along(self.start(&taking, ()), &[], u64::MAX);
        let mut outcomes = Vec::new();
        while let Some(Reached::End(end)) = step.next_outcome() {
            outcomes.push(match end {
                End::Fails(failure) => Err(*failure),
                end => {
                    let mut out = Successors::default();
                    self.push_end(state, &taking, step.task(), end, &mut out);
                    Ok(out.states()[0].clone())
                }
            });
        }
        outcomes
    }

    /// Observes all paths of a step.
    #[cfg(test)]
    pub(crate) fn observe_all<O: Observer>(&self, state: &State, task: u32, observer: O) {
        let taking = self.taking(state, task);
        let mut step = Step::along(self.start(&taking, observer), &[], u64::MAX);
        while step.next_outcome().is_some() {}
    }

    fn monitors(&self) -> usize {
        self.code.monitors.len()
    }

    pub(crate) fn view(&self, state: &State) -> View {
        View::new(state, self.monitors())
    }

    pub(crate) fn machine_count(&self, state: &State) -> u32 {
        self.view(state).machines()
    }

    /// The unpacked part of a machine.
    pub(crate) fn record_of(&self, state: &State, machine: u32) -> &Record {
        self.store.locals.get(self.view(state).machine(machine).local)
    }

    /// The unpacked part of a machine; `None` if the state has fewer machines.
    pub(crate) fn find_record(&self, state: &State, machine: u32) -> Option<&Record> {
        let mut numbers = state.numbers().into_iter().skip(self.monitors());
        for _ in 0..machine {
            let (_, length) = (numbers.next()?, numbers.next()?);
            numbers.by_ref().take(length as usize).for_each(drop);
        }
        numbers.next().map(|local| self.store.locals.get(local))
    }

    pub(crate) fn local_of(&self, state: &State, machine: u32) -> Local {
        self.store.unpack(self.view(state).machine(machine).local)
    }

    /// The events in the queue of a machine.
    pub(crate) fn queue_of(&self, state: &State, machine: u32) -> Vec<Queued> {
        let view = self.view(state);
        view.machine(machine).queue.iter().map(|id| *self.store.messages.get(*id)).collect()
    }

    pub(crate) fn monitor_of(&self, state: &State, monitor: u32) -> &Record {
        self.store.locals.get(self.view(state).monitors()[monitor as usize])
    }

    fn context(&self) -> Context<'_> {
        Context { code: &self.code, store: &self.store, limits: &self.limits }
    }

    /// The source position of a span, for messages.
    fn locate(&self, span: Span) -> String {
        self.sources.location(span).map_or(String::new(), |at| format!(" ({at})"))
    }

    pub(crate) fn span(&self, pc: u32) -> Span {
        self.code.spans.get(pc as usize).copied().unwrap_or(Span::NONE)
    }

    // Steps.

    /// Prepares a step of a machine: finds the event that it dequeues.
    pub(crate) fn taking(&self, state: &State, task: u32) -> Taking {
        let view = self.view(state);
        let actor = view.machine(task);
        let mut queue = Queue::from_slice(actor.queue);
        let local = self.store.locals.get(actor.local);
        let place = match local.mode {
            Mode::Idle => self.store.available(&self.code, local, &mut queue),
            Mode::Receiving(cases) => {
                let event_of = |id: &u32| self.store.messages.get(*id).event;
                queue.iter().position(|id| self.code.receives(cases, event_of(id)))
            }
            Mode::Running | Mode::Defaulting | Mode::Halted => None,
        };
        let taken = place.map(|place| queue.remove(place));
        Taking { view, task, taken, queue }
    }

    /// The machine at the beginning of its step.
    pub(crate) fn start<'m, O: Observer>(&'m self, taking: &'m Taking, observer: O) -> Runner<'m, O> {
        let start = Start {
            id: taking.task,
            local: self.store.unpack(taking.view.machine(taking.task).local),
            taken: taking.taken.map(|id| *self.store.messages.get(id)),
            monitors: taking.view.monitors(),
            next: taking.view.machines(),
        };
        Runner::new(&self.context(), start, observer)
    }

    /// The outcome of a step along a complete path, seen by an observer.
    pub(crate) fn observe<O: Observer>(
        &self,
        state: &State,
        task: u32,
        path: &[u32],
        observer: O,
    ) -> Option<Observed<O>> {
        let taking = self.taking(state, task);
        let mut step = Step::along(self.start(&taking, observer), path, u64::MAX);
        let Reached::End(end) = step.next_outcome()? else { return None };
        let runner = step.into_task();
        let failed = matches!(end, End::Fails(_)).then(|| runner.failed_at());
        Some(Observed { pc: runner.pc, end, failed, observer: runner.observer })
    }

    /// The fingerprint of everything that the outcomes of a step depend on.
    fn key(&self, taking: &Taking, inline: u64) -> Fingerprint {
        let Taking { view, task, taken, .. } = taking;
        let mut hash = Fingerprinter::default();
        hash.write_u64(inline);
        hash.write_u64(u64::from(*task) << 32 | u64::from(view.machine(*task).local));
        hash.write_u64(u64::from(view.machines()) << 32 | taken.map_or(0, |id| u64::from(id) + 1));
        view.monitors().iter().for_each(|monitor| hash.write_u32(*monitor));
        hash.fingerprint()
    }

    /// The outcome of a run.
    fn outcome(&self, view: &View, runner: &Runner<'_, ()>) -> Outcome {
        let effects = &runner.effects;
        let monitors = effects.monitors.iter();
        let (hot, cold) = if self.has_hot_states() { self.heat(view, runner) } else { (0, 0) };
        let sent = effects.sent.map(|sent| (sent.target, self.store.message(sent.queued).id));
        Outcome {
            local: self.store.local(&runner.local).id,
            monitors: monitors.map(|(number, local)| (*number, self.store.local(local).id)).collect(),
            sent,
            created: effects.created.as_ref().map(|local| self.store.local(local).id),
            hot,
            cold,
            fair: effects.fair.clone(),
            sealed: effects.sealed,
        }
    }

    /// The parts that an outcome changes.
    fn changed<'o>(&self, taking: &Taking, outcome: &'o Outcome) -> Changed<'o> {
        let Taking { view, task, .. } = taking;
        let mut queue = taking.queue.clone();
        let mut target = None;
        match outcome.sent {
            Some((to, message)) if to == *task => queue.push(message),
            Some((to, message)) => target = self.deliver(view, to, message).map(|queue| (to, queue)),
            None => {}
        }
        let local = self.store.locals.get(outcome.local);
        match local.mode {
            Mode::Idle => {
                self.store.available(&self.code, local, &mut queue);
            }
            Mode::Halted => queue.clear(),
            Mode::Running | Mode::Defaulting | Mode::Receiving(_) => {}
        }
        let (local, created) = (outcome.local, outcome.created);
        Changed { monitors: &outcome.monitors, task: *task, local, queue, target, created }
    }

    /// Enqueues a message, unless the receiver has halted, or is idle and would ignore the event when it
    /// looks for the next one. So its queue is the same if it becomes idle after the message arrives.
    fn deliver(&self, view: &View, target: u32, message: u32) -> Option<Queue> {
        let actor = view.machine(target);
        let record = self.store.locals.get(actor.local);
        let event = self.store.messages.get(message).event;
        let is_ignored = || {
            record.mode == Mode::Idle
                && self.code.actions(record)[event as usize] == Action::Ignore
                && !self.store.has_available(&self.code, record, actor.queue.iter().copied())
        };
        if record.mode == Mode::Halted || is_ignored() {
            return None;
        }
        let mut queue = Queue::from_slice(actor.queue);
        queue.push(message);
        Some(queue)
    }

    /// The fingerprint of the state after these changes.
    fn fingerprint_after(&self, before: &State, view: &View, changed: &Changed<'_>) -> Fingerprint {
        let mut sum = before.fingerprint().0;
        let mut add = |place: usize, old: Option<Actor<'_>>, new: Actor<'_>| {
            let old = old.map_or(0, |old| self.store.contribution(place, old));
            sum = sum.wrapping_sub(old).wrapping_add(self.store.contribution(place, new));
        };
        for (monitor, new) in changed.monitors {
            let old = view.monitors()[*monitor as usize];
            if old != *new {
                add(*monitor as usize, Some(alone(old)), alone(*new));
            }
        }
        let place = |machine: u32| self.monitors() + machine as usize;
        let (task, actor) = (changed.task, Actor { local: changed.local, queue: &changed.queue });
        add(place(task), Some(view.machine(task)), actor);
        if let Some((target, queue)) = &changed.target {
            let old = view.machine(*target);
            add(place(*target), Some(old), Actor { queue, ..old });
        }
        if let Some(created) = changed.created {
            add(place(view.machines()), None, alone(created));
        }
        Fingerprint(sum)
    }

    /// The state after these changes, whose fingerprint is known.
    fn state_after(&self, view: &View, changed: &Changed<'_>, fingerprint: Fingerprint) -> State {
        let mut numbers: SmallVec<[u32; 48]> = SmallVec::from_slice(view.monitors());
        for (monitor, new) in changed.monitors {
            numbers[*monitor as usize] = *new;
        }
        // The machines that change, in their order; all numbers between them are copied.
        let own = (changed.task, changed.local, &changed.queue);
        let target = changed.target.as_ref().filter(|(to, _)| *to != changed.task && *to < view.machines());
        let target = target.map(|(target, queue)| (*target, view.machine(*target).local, queue));
        let (first, second) = match target {
            Some(target) if target.0 < own.0 => (target, Some(own)),
            _ => (own, target),
        };
        let mut last = None;
        for (machine, local, queue) in [first].into_iter().chain(second) {
            numbers.extend_from_slice(view.between(last, machine));
            numbers.extend_from_slice(&[local, queue.len() as u32]);
            numbers.extend_from_slice(queue);
            last = Some(machine);
        }
        numbers.extend_from_slice(view.between(last, view.machines()));
        if let Some(created) = changed.created {
            numbers.extend_from_slice(&[created, 0]);
        }
        State::new(&numbers, fingerprint)
    }

    /// Adds an outcome to those of a step.
    fn push<'s>(
        &self,
        state: &State,
        taking: &Taking,
        outcome: &Outcome,
        out: &'s mut Successors<State>,
    ) -> Successor<'s, State> {
        let changed = self.changed(taking, outcome);
        let fingerprint = self.fingerprint_after(state, &taking.view, &changed);
        let mut successor =
            out.push_with(fingerprint, || self.state_after(&taking.view, &changed, fingerprint));
        if outcome.created.is_some() {
            successor = successor.posts(TaskId(taking.view.machines()));
        }
        if let Some((target, message)) = outcome.sent {
            successor = successor.wakes_by(TaskId(target), Label(self.store.messages.get(message).event));
        }
        successor = successor.hot(outcome.hot).cold(outcome.cold);
        for FairChoice { pc, option, options } in &outcome.fair {
            let choice = u64::from(taking.task) << 32 | u64::from(*pc);
            successor = successor.chooses(choice, *option, *options);
        }
        if let Some(sealed) = outcome.sealed {
            successor = if sealed { successor.seals() } else { successor.unseals() };
        }
        if self.store.locals.get(outcome.local).mode == Mode::Halted {
            successor.completes()
        } else if !self.store.can_move(&self.code, outcome.local, changed.queue.iter().copied()) {
            successor.blocks(None)
        } else {
            successor
        }
    }

    /// Adds the outcome with which a run has ended. Returns it, unless it has failed.
    fn push_end(
        &self,
        state: &State,
        taking: &Taking,
        runner: &Runner<'_, ()>,
        end: End,
        out: &mut Successors<State>,
    ) -> Option<Outcome> {
        let outcome = self.outcome(&taking.view, runner);
        let successor = self.push(state, taking, &outcome, out);
        match end {
            End::Fails(failure) => {
                let message = format!("{}{}", failure.message, self.locate(runner.failed_at()));
                successor.fails(Failure { message, ..*failure });
                None
            }
            End::Stops | End::Halts => Some(outcome),
        }
    }

    /// Executes a step along the paths that begin with `path`. Returns its results if they may be cached.
    fn execute(
        &self,
        state: &State,
        taking: &Taking,
        path: &[u32],
        out: &mut Successors<State>,
    ) -> Option<Vec<Reaches>> {
        let mut kept = Some(Vec::new());
        let mut step = Step::along(self.start(taking, ()), path, out.begin_suspendable());
        while let Some(reached) = step.next_outcome() {
            let result = match reached {
                Reached::End(end) => {
                    let outcome = self.push_end(state, taking, step.task(), end, out);
                    out.took(step.path());
                    // A search stops at the first failure of a step, so the remaining outcomes are not
                    // needed.
                    Reaches::Ended(outcome?)
                }
                Reached::Choice(options) => {
                    let configuration = step.task().configuration();
                    out.suspend(step.path(), options, configuration);
                    out.took(step.path());
                    Reaches::Suspended { path: Path::from_slice(step.path()), options, configuration }
                }
            };
            step.task_mut().meter.delivered = out.bytes() + state.heap_bytes() * out.len();
            kept = kept.filter(|kept| kept.len() < MOST_KEPT);
            if let Some(kept) = &mut kept {
                kept.push(result);
            }
        }
        kept
    }

    /// The initial state: the monitors and the main machine.
    fn first_state(&self) -> Result<State, Box<Failure>> {
        let kind = &self.code.kinds[self.code.main as usize];
        let main = first(&self.code, self.code.main, kind.machine, Value::Null, false);
        let mut numbers = Vec::new();
        for monitor in 0..self.monitors() as u32 {
            let start = Start { id: 0, local: main.clone(), taken: None, monitors: &[], next: 0 };
            let mut runner = Runner::new(&self.context(), start, ());
            match runner.first_monitor(monitor) {
                Ok(local) => numbers.push(self.store.local(&local).id),
                Err(Pause::Ends(End::Fails(failure))) => {
                    let message = format!("{}{}", failure.message, self.locate(runner.failed_at()));
                    return Err(Box::new(Failure { message, ..*failure }));
                }
                Err(_) => return Err(Box::new(Failure::unsupported("a monitor that cannot be initialised"))),
            }
        }
        numbers.push(self.store.local(&main).id);
        let contributions = numbers.iter().enumerate();
        let contributions = contributions.map(|(place, id)| self.store.contribution(place, alone(*id)));
        let sum = contributions.fold(0, u128::wrapping_add);
        numbers.push(0);
        Ok(State::new(&numbers, Fingerprint(sum)))
    }
}

/// A monitor, or a machine whose queue is empty.
fn alone(local: u32) -> Actor<'static> {
    Actor { local, queue: &[] }
}

/// One outcome of a step, as an observer has seen it.
pub(crate) struct Observed<O> {
    pub(crate) observer: O,
    /// The last instruction.
    pub(crate) pc: u32,
    pub(crate) end: End,
    /// The span of the failure, if it failed.
    pub(crate) failed: Option<Span>,
}

impl Program for Machine {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        match self.first_state() {
            Ok(state) => {
                out.push(state).posts(TaskId(0));
            }
            Err(failure) => {
                out.push(State::new(&[], Fingerprint(0))).fails(*failure);
            }
        }
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        let numbers = state.numbers();
        let mut rest = numbers.get(self.monitors()..).unwrap_or_default();
        let mut machine = 0;
        while let [local, length, after @ ..] = rest {
            let (queue, others) = after.split_at(*length as usize);
            if self.store.can_move(&self.code, *local, queue.iter().copied()) {
                tasks.push(TaskId(machine));
            }
            rest = others;
            machine += 1;
        }
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let taking = self.taking(state, task.0);
        if out.wants_paths() {
            // The cache has no paths.
            self.execute(state, &taking, &[], out);
            return;
        }
        let key = self.key(&taking, out.begin_suspendable());
        let push = |results: &Vec<Reaches>| {
            for result in results {
                match result {
                    Reaches::Ended(outcome) => {
                        self.push(state, &taking, outcome, out);
                    }
                    Reaches::Suspended { path, options, configuration } => {
                        out.suspend(path, *options, *configuration);
                    }
                }
            }
        };
        if self.known.read(key, push).is_none()
            && let Some(results) = self.execute(state, &taking, &[], out)
        {
            let heap = size_of_val(&*results);
            self.known.put(key, results, heap);
        }
    }

    fn resume(&self, state: &State, task: TaskId, path: &[u32], out: &mut Successors<State>) {
        out.clear();
        self.execute(state, &self.taking(state, task.0), path, out);
    }

    fn draw(&self, state: &State, task: TaskId, by: Choose<'_>, out: &mut Successors<State>) -> DrawnPath {
        out.clear();
        let taking = self.taking(state, task.0);
        let mut draws = Draws::new(by);
        if let Some((runner, end)) = draws.execute(|| Some(self.start(&taking, ()))) {
            self.push_end(state, &taking, &runner, end, out);
        }
        draws.drawn()
    }

    fn has_footprints(&self) -> bool {
        !self.code.has_seals
    }

    fn footprint(&self, state: &State, task: TaskId, out: &mut Footprint) {
        self.footprint_of(state, task.0, out);
    }

    fn commutes(&self, state: &State, task: TaskId, _: &mut Footprints) -> bool {
        self.commutes_alone(state, task.0)
    }

    fn view<'a>(&'a self, state: &'a State) -> Option<Box<dyn StateView + 'a>> {
        let table = self.names.get_or_init(|| NameTable::new(&self.code));
        Some(Box::new(NamedState { machine: self, table, state }))
    }

    fn label(&self, label: Label) -> Option<&str> {
        self.code.events.get(label.0 as usize).map(|event| event.name.as_str())
    }

    fn deadlock(&self, state: &State) -> Option<Failure> {
        let mut waiting = Vec::new();
        for machine in 0..self.machine_count(state) {
            if let Mode::Receiving(cases) = self.record_of(state, machine).mode {
                let local = self.local_of(state, machine);
                let targets = (0..).zip(&self.code.cases[cases as usize].targets);
                let events =
                    targets.filter(|(_, t)| t.is_some()).map(|(e, _)| format!("`{}`", self.event_name(e)));
                let events: Vec<String> = events.collect();
                let pc = local.frames.last().map_or(0, |f| f.pc.saturating_sub(1));
                let (name, events) = (self.machine_name(state, machine), events.join(" or "));
                waiting.push(format!("{name} waits to receive {events}{}", self.locate(self.span(pc))));
            }
        }
        if !waiting.is_empty() {
            return Some(Failure::deadlock(waiting.join("; ")));
        }
        self.hot_at_termination(state)
    }

    fn properties(&self) -> u32 {
        self.code.liveness.len() as u32
    }

    fn starves(&self, property: u32, state: &State) -> Failure {
        self.stays_hot(property, state)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        state.fingerprint()
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }

    fn shared_bytes(&self) -> usize {
        self.store.bytes() + self.known.bytes() + self.reduction.bytes()
    }

    fn without_states(&self) -> Option<Self> {
        let heap = self.store.heap.prefix(self.constants);
        Some(Machine {
            code: Arc::clone(&self.code),
            store: Store {
                heap,
                sites: Arc::clone(&self.store.sites),
                marks: Arc::clone(&self.store.marks),
                ..Store::default()
            },
            constants: self.constants,
            info: self.info.clone(),
            symbols: self.symbols.clone(),
            sources: self.sources.clone(),
            limits: self.limits.clone(),
            known: Cache::default(),
            reduction: self.reduction.without_states(),
            names: OnceLock::new(),
        })
    }
}
