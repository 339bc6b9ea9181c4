//! A test as a transition system.
//!
//! Its tasks are the machines, numbered in the order of their creation. A machine that is sent something is woken;
//! one that is created is posted.

use dally_explore::store::Part;
use dally_explore::{Failure, Fingerprint, Limits, Program, Successors, TaskId};
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use smallvec::SmallVec;

use crate::check::info::{HALT, Info, NULL_EVENT, TestInfo};
use crate::code::{Action, Code};
use crate::compile;
use crate::execute::{Context, End, Observer, Runner, first};
use crate::state::{Local, Mode, Parts, Queue, State, Store};
use crate::value::Value;

/// A step with more outcomes than this is not explored.
const MAX_WAYS: usize = 1 << 18;

/// How many outcomes there are between two looks at what ends a step.
const WAYS_BETWEEN_LOOKS: usize = 256;

/// Likewise, of runs that stand before a choice.
const BRANCHES_BETWEEN_LOOKS: usize = 64;

/// A step that chooses more often than this is not explored.
const MAX_CHOICES: usize = 10_000;

/// What a step changes: places, what is there, and what will be.
type Changes = SmallVec<[(usize, Option<Part>, Part); 6]>;

/// A compiled test that can be explored.
#[derive(Debug)]
pub struct Machine {
    pub(crate) code: Code,
    pub(crate) store: Store,
    pub(crate) info: Info,
    pub(crate) symbols: dally_text::symbol::Symbols,
    sources: SourceMap,
    limits: Limits,
    empty: Part,
}

impl Machine {
    /// Compiles a test of a program; what cannot be run is reported.
    pub fn new(
        program: &crate::Program,
        test: &TestInfo,
        sources: &SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (code, heap) = compile::compile(program, test)?;
        let store = Store { heap, ..Store::default() };
        let empty = store.queue(&Queue::new());
        Ok(Machine {
            code,
            store,
            info: program.info.clone(),
            symbols: program.ast.symbols.clone(),
            sources: sources.clone(),
            limits: Limits::default(),
            empty,
        })
    }

    /// Lets steps end in the middle, with a failure of the kind
    /// [`Interrupted`](dally_explore::FailureKind::Interrupted).
    pub fn limit_steps(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn monitors(&self) -> usize {
        self.code.monitors.len()
    }

    /// The parts of the monitors.
    fn monitor_parts<'s>(&self, state: &'s State) -> &'s [u32] {
        &state.parts.ids()[..self.monitors()]
    }

    pub(crate) fn machine_count(&self, state: &State) -> u32 {
        ((state.parts.len() - self.monitors()) / 2) as u32
    }

    fn place(&self, machine: u32) -> usize {
        self.monitors() + 2 * machine as usize
    }

    pub(crate) fn local_of(&self, state: &State, machine: u32) -> &Local {
        self.store.locals.get(state.parts.ids()[self.place(machine)])
    }

    pub(crate) fn queue_of(&self, state: &State, machine: u32) -> &Queue {
        self.store.queues.get(state.parts.ids()[self.place(machine) + 1])
    }

    pub(crate) fn monitor_of(&self, state: &State, monitor: u32) -> &Local {
        self.store.locals.get(state.parts.ids()[monitor as usize])
    }

    fn context(&self) -> Context<'_> {
        Context { code: &self.code, store: &self.store, limits: &self.limits }
    }

    /// Where something stands, for messages.
    fn locate(&self, span: Span) -> String {
        let place = self.sources.place(span);
        place.map_or(String::new(), |p| format!(" ({}:{}:{})", p.file, p.line, p.column))
    }

    pub(crate) fn span(&self, pc: u32) -> Span {
        self.code.spans.get(pc as usize).copied().unwrap_or(Span::NONE)
    }

    /// Whether a machine can take a step.
    fn can_move(&self, local: &Local, queue: &Queue) -> bool {
        match local.mode {
            Mode::Running | Mode::Defaulting => true,
            Mode::Halted => false,
            Mode::Receiving(cases) => {
                let targets = &self.code.cases[cases as usize].targets;
                queue.iter().any(|(event, _)| *event == HALT || targets[*event as usize].is_some())
            }
            Mode::Idle => {
                let actions = self.actions(local);
                let takes = |event: u32| !matches!(actions[event as usize], Action::Defer | Action::Ignore);
                actions[NULL_EVENT as usize] != Action::Unhandled
                    || queue.iter().any(|(event, _)| takes(*event))
            }
        }
    }

    fn actions(&self, local: &Local) -> &[Action] {
        let machine = self.code.kinds[local.kind as usize].machine;
        &self.code.machines[machine as usize].states[local.state as usize].actions
    }

    // Steps.

    /// All outcomes of a step, each with its run, in the order of the choices, as long as they are wanted.
    pub(crate) fn outcomes<O: Observer>(
        &self,
        state: &State,
        task: u32,
        observer: O,
        mut each: impl FnMut(&mut Runner<'_, O>, End) -> bool,
    ) {
        let (local, queue) =
            (self.local_of(state, task).clone(), Queue::from_slice(self.queue_of(state, task)));
        let around = (self.monitor_parts(state), self.machine_count(state));
        let mut runner = Runner::new(self.context(), task, local, queue, around, observer);
        let mut end = match runner.start() {
            Ok(()) => runner.run(),
            Err(end) => end,
        };
        // Runs that stand before a choice, with the options that are left.
        let mut branches: Vec<(Runner<'_, O>, u32, u32)> = Vec::new();
        let bytes_of = |branches: &[(Runner<'_, O>, u32, u32)]| -> usize {
            branches.iter().map(|(runner, ..)| runner.bytes()).sum()
        };
        let mut ways = 0;
        loop {
            if let End::Chooses(options) = end {
                if branches.len() >= MAX_CHOICES {
                    let message = format!("a machine chooses more than {MAX_CHOICES} times in one step");
                    each(&mut runner, End::Fails(Box::new(Failure::unsupported(message))));
                    return;
                }
                if options > 1 {
                    branches.push((runner.clone(), 1, options));
                    if branches.len().is_multiple_of(BRANCHES_BETWEEN_LOOKS)
                        && let Some(failure) =
                            self.limits.reached(|| self.store.bytes() + bytes_of(&branches))
                    {
                        each(&mut runner, End::Fails(Box::new(failure)));
                        return;
                    }
                }
                runner.choose(0);
                end = runner.run();
                continue;
            }
            ways += 1;
            if ways % WAYS_BETWEEN_LOOKS == 0 {
                let too_many = || {
                    let message = format!("a step has more than {MAX_WAYS} outcomes");
                    (ways > MAX_WAYS).then(|| Failure::unsupported(message))
                };
                let outcome = size_of::<State>() + state.parts.heap_bytes() + size_of_val(&*runner.fair);
                let bytes = || self.store.bytes() + bytes_of(&branches) + ways * outcome;
                if let Some(failure) = self.limits.reached(bytes).or_else(too_many) {
                    each(&mut runner, End::Fails(Box::new(failure)));
                    return;
                }
            }
            if !matches!(end, End::Discarded) && !each(&mut runner, end) {
                return;
            }
            let Some((waiting, next, options)) = branches.last_mut() else { return };
            runner = waiting.clone();
            runner.choose(*next);
            *next += 1;
            if next == options {
                branches.pop();
            }
            end = runner.run();
        }
    }

    /// What a run changes.
    fn changes<O: Observer>(&self, state: &State, runner: &Runner<'_, O>) -> Changes {
        let mut changes = Changes::new();
        for (monitor, local) in &runner.changed {
            let old = self.store.locals.part(state.parts.ids()[*monitor as usize]);
            changes.push((*monitor as usize, Some(old), self.store.local(local)));
        }
        let place = self.place(runner.id);
        let old = self.store.locals.part(state.parts.ids()[place]);
        changes.push((place, Some(old), self.store.local(&runner.local)));
        if runner.queue != *self.queue_of(state, runner.id) {
            let old = self.store.queues.part(state.parts.ids()[place + 1]);
            changes.push((place + 1, Some(old), self.store.queue(&runner.queue)));
        }
        if let Some((target, event, payload)) = runner.sent
            && target != runner.id
        {
            self.deliver(state, target, (event, payload), &mut changes);
        }
        if let Some(created) = &runner.created {
            let place = self.place(runner.next);
            changes.push((place, None, self.store.local(created)));
            changes.push((place + 1, None, self.empty));
        }
        changes
    }

    /// Puts an event into a queue, unless its machine is no more, or rests and would drop it next.
    fn deliver(&self, state: &State, target: u32, event: (u32, Value), changes: &mut Changes) {
        let local = self.local_of(state, target);
        let ignored = local.mode == Mode::Idle
            && self.actions(local)[event.0 as usize] == Action::Ignore
            && !self.can_move(local, self.queue_of(state, target));
        if local.mode == Mode::Halted || ignored {
            return;
        }
        let place = self.place(target) + 1;
        let mut queue = Queue::from_slice(self.queue_of(state, target));
        queue.push(event);
        let old = self.store.queues.part(state.parts.ids()[place]);
        changes.push((place, Some(old), self.store.queue(&queue)));
    }

    /// The monitors as they begin, and the first machine.
    fn first_parts(&self) -> Result<Parts, Box<Failure>> {
        let kind = &self.code.kinds[self.code.main as usize];
        let main = first(&self.code, self.code.main, kind.machine, Value::Null, false);
        let mut parts = Parts::default();
        for monitor in 0..self.monitors() as u32 {
            let mut runner = Runner::new(self.context(), 0, main.clone(), Queue::new(), (&[], 0), ());
            match runner.first_monitor(monitor) {
                Ok(local) => parts.push(self.store.local(&local)),
                Err(End::Fails(failure)) => {
                    let message = format!("{}{}", failure.message, self.locate(runner.failed_at()));
                    return Err(Box::new(Failure { message, ..*failure }));
                }
                Err(_) => return Err(Box::new(Failure::unsupported("a monitor that does not begin"))),
            }
        }
        parts.push(self.store.local(&main));
        parts.push(self.empty);
        Ok(parts)
    }
}

impl Program for Machine {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        match self.first_parts() {
            Ok(parts) => {
                out.push(State { parts }).posts(TaskId(0));
            }
            Err(failure) => {
                out.push(State { parts: Parts::default() }).fails(*failure);
            }
        }
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        if state.parts.len() >= self.monitors() {
            let all = 0..self.machine_count(state);
            let can_move =
                |machine: &u32| self.can_move(self.local_of(state, *machine), self.queue_of(state, *machine));
            tasks.extend(all.filter(can_move).map(TaskId));
        }
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        self.outcomes(state, task.0, (), |runner, end| {
            if let End::Fails(failure) = end {
                let message = format!("{}{}", failure.message, self.locate(runner.failed_at()));
                let parts = state.parts.after(&self.changes(state, runner));
                out.push(State { parts }).fails(Failure { message, ..*failure });
                // A search ends with the first failure of a step: what comes after it does not matter.
                return false;
            }
            let changes = self.changes(state, runner);
            let fingerprint = state.parts.fingerprint_after(&changes);
            let mut successor = out.push_with(fingerprint, || State { parts: state.parts.after(&changes) });
            if runner.created.is_some() {
                successor = successor.posts(TaskId(runner.next));
            }
            if let Some((target, ..)) = runner.sent {
                successor = successor.wakes(TaskId(target));
            }
            if self.has_hot_states() {
                let (hot, cold) = self.heat(state, runner);
                successor = successor.hot(hot).cold(cold);
            }
            for (pc, way) in &runner.fair {
                successor = successor.chooses(u64::from(task.0) << 32 | u64::from(*pc), *way);
            }
            if matches!(end, End::Halts) {
                successor.completes();
            } else if !self.can_move(&runner.local, &runner.queue) {
                successor.blocks(None);
            }
            true
        });
    }

    fn deadlock(&self, state: &State) -> Option<Failure> {
        let mut waiting = Vec::new();
        for machine in 0..self.machine_count(state) {
            let local = self.local_of(state, machine);
            if let Mode::Receiving(cases) = local.mode {
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
        self.hot_at_the_end(state)
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
        state.parts.heap_bytes()
    }

    fn shared_bytes(&self) -> usize {
        self.store.bytes()
    }
}
