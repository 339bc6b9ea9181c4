//! A program as a transition system.

use std::borrow::Cow;
use std::sync::atomic::Ordering;

use dally_explore::store::Parts;
use dally_explore::{
    Choose, DrawnPath, Failure, Fingerprint, Footprint, Post, Program, StateView, StepLimits, Successors,
    TaskId,
};
use dally_step::draw::Draws;
use dally_step::engine::{Reached, Step, Task};
use dally_step::sites::Sites;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::{SourceMap, Span};
use dally_text::symbol::Sym;
use dally_trace::Explain;
use smallvec::SmallVec;

use crate::code::{Code, Op, VarStorage, Variable};
use crate::compile::{self, MachineOptions};
use crate::execute::{Context, End, Observer, Run, Start, first_frame};
use crate::footprint::Footprints;
use crate::memo::Memo;
use crate::names::{NameTable, NamedState};
use crate::script::Scripts;
use crate::state::{CONTROL, Control, Meta, STACKS, Stack, State, Store};
use crate::value::Value;

/// A compiled program that can be explored.
#[derive(Debug)]
pub struct Machine {
    pub(crate) code: Code,
    pub(crate) store: Store,
    pub(crate) limits: StepLimits,
    /// The footprints of steps, if they are known.
    pub(crate) footprints: Option<Footprints>,
    sources: SourceMap,
    pub(crate) names: NameTable,
}

impl Machine {
    /// Compiles a program. Reports constructs that an explicit-state search cannot evaluate.
    pub fn new(
        program: &dally_bpl::Program,
        sources: &SourceMap,
        options: &MachineOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (code, heap) = compile::compile(program, options)?;
        let mut store = Store::new(heap, code.globals.len() as u32);
        if code.remembers {
            store.memo = Memo::new();
        }
        store.sites = Sites::new(code.ops.len());
        let (limits, sources) = (StepLimits::default(), sources.clone());
        let mut machine =
            Machine { code, store, limits, footprints: None, sources, names: NameTable::default() };
        if machine.is_concurrent() {
            machine.footprints = Footprints::new(&machine.code);
        }
        Ok(machine)
    }

    /// Limits the work of a step. A step that exceeds the limits fails with
    /// [`Interrupted`](dally_explore::FailureKind::Interrupted).
    pub fn limit_steps(&mut self, limits: StepLimits) {
        self.limits = limits;
    }

    /// Returns true if an execution has read a variable whose value was arbitrary, and was chosen from its range.
    pub fn has_chosen_values(&self) -> bool {
        self.store.chosen.load(Ordering::Relaxed)
    }

    /// Returns true if there can be several tasks.
    pub fn is_concurrent(&self) -> bool {
        self.code.entries.len() > 1 || self.code.plain.iter().any(|op| matches!(op, Op::Post(..)))
    }

    /// Returns true if preemption inserts scheduling points.
    pub fn is_preempted(&self) -> bool {
        self.code.preemption.of_program().any()
    }

    /// Returns true if executions are told in the terms of another language.
    pub fn has_notation(&self) -> bool {
        self.code.telling.notation.is_some()
    }

    pub(crate) fn text(&self, name: Sym) -> &str {
        self.code.symbols.text(name)
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context { code: &self.code, store: &self.store, limits: &self.limits }
    }

    /// The source text of a span.
    pub(crate) fn source_text(&self, span: Span) -> &str {
        self.sources.text(span).unwrap_or_default()
    }

    /// The source position of a span, for messages.
    fn locate(&self, span: Span) -> String {
        self.sources.location(span).map_or(String::new(), |at| format!(" ({at})"))
    }

    // State accessors.

    pub(crate) fn control_of(&self, state: &State) -> &Control {
        self.store.controls.get(state.ids()[CONTROL])
    }

    pub(crate) fn stack_of(&self, state: &State, task: u32) -> Option<(Meta, &Stack)> {
        let control = self.control_of(state);
        let place = control.place(task)?;
        Some((control.tasks[place], self.store.stacks.get(state.ids()[STACKS + place])))
    }

    /// The next instruction of a task.
    fn next_op(&self, stack: &Stack) -> Op {
        stack.frames.last().map_or(Op::Return, |f| self.code.ops[f.pc as usize])
    }

    /// Returns true if a task is not blocked; levels and buffers are not considered.
    fn is_unblocked(&self, state: &State, control: &Control, place: usize) -> bool {
        let stack = self.store.stacks.get(state.ids()[STACKS + place]);
        match self.next_op(stack) {
            Op::Wait(local) => {
                let base = stack.frames.last().map_or(0, |f| f.base);
                match stack.values[(base + local) as usize] {
                    Value::Task(task) => control.has_ended(task),
                    // An instruction that cannot start a step is an error, which the step reports.
                    _ => true,
                }
            }
            Op::Await => {
                let (meta, globals) = (control.tasks[place], state.globals.iter().collect());
                let start = Start { meta, globals, stack, control };
                Run::new(&self.context(), start, ()).await_holds() != Some(false)
            }
            _ => true,
        }
    }

    /// The tasks of a buffer that may run: the enabled tasks of the highest level, if it is above that of
    /// the task stopped last; otherwise, that stopped task.
    fn candidates(&self, state: &State, control: &Control, buffer: u16, out: &mut Vec<TaskId>) {
        let level_of = |task: u32| control.place(task).map(|p| control.tasks[p]);
        let stopped = control.stopped.iter().rev().filter_map(|t| level_of(*t)).find(|m| m.buffer == buffer);
        let mut best: Option<u16> = None;
        let first = out.len();
        for (place, meta) in control.tasks.iter().enumerate() {
            let above_stopped = stopped.is_none_or(|s| meta.level > s.level);
            if meta.buffer != buffer || !above_stopped || best.is_some_and(|b| meta.level < b) {
                continue;
            }
            if self.is_unblocked(state, control, place) {
                if best.is_none_or(|b| meta.level > b) {
                    out.truncate(first);
                    best = Some(meta.level);
                }
                out.push(TaskId(meta.task));
            }
        }
        if best.is_none()
            && let Some(stopped) = stopped
        {
            out.push(TaskId(stopped.task));
        }
    }

    // Steps.

    /// A run of a task, before its first instruction.
    fn start<'m, O: Observer>(&'m self, state: &'m State, task: u32, observer: O) -> Option<Run<'m, O>> {
        let (meta, stack) = self.stack_of(state, task)?;
        let (globals, control) = (state.globals.iter().collect(), self.control_of(state));
        let mut run = Run::new(&self.context(), Start { meta, globals, stack, control }, observer);
        if control.zield || control.active != meta.buffer || control.stopped.contains(&task) {
            let control = run.local_mut().control.to_mut();
            (control.zield, control.active) = (false, meta.buffer);
            control.stopped.retain(|t| *t != task);
        }
        Some(run)
    }

    /// Pushes the outcomes of a step that begin with `path`, in the order of the choices.
    fn outcomes(&self, state: &State, task: u32, path: &[u32], out: &mut Successors<State>) {
        let Some(run) = self.start(state, task, ()) else { return };
        let mut step = Step::along(run, path, out.begin_suspendable());
        let mut heap = 0;
        while let Some(reached) = step.next_outcome() {
            match reached {
                Reached::End(end) => {
                    let before = out.states().len();
                    let continues = self.push(state, step.task_mut(), end, out);
                    heap += out.states()[before..].iter().map(State::heap_bytes).sum::<usize>();
                    step.task_mut().meter.delivered = heap + out.bytes();
                    out.took(step.path());
                    // A search stops at the first failure of a step, so the remaining outcomes are not
                    // needed.
                    if !continues {
                        return;
                    }
                }
                Reached::Choice(options) => {
                    out.suspend(step.path(), options, step.task().configuration());
                    out.took(step.path());
                }
            }
        }
    }

    /// The outcome of a step along a complete path, seen by an observer.
    pub(crate) fn outcome<O: Observer>(
        &self,
        state: &State,
        task: u32,
        path: &[u32],
        observer: O,
    ) -> Option<(O, End)> {
        let (run, end) = self.run_along(state, task, path, observer)?;
        Some((run.observer, end))
    }

    /// Runs a step along a complete path.
    pub(crate) fn run_along<'s, O: Observer>(
        &'s self,
        state: &'s State,
        task: u32,
        path: &[u32],
        observer: O,
    ) -> Option<(Run<'s, O>, End)> {
        let mut step = Step::along(self.start(state, task, observer)?, path, u64::MAX);
        match step.next_outcome()? {
            Reached::End(end) => Some((step.into_task(), end)),
            Reached::Choice(_) => None,
        }
    }

    /// Observes all paths of a step.
    #[cfg(test)]
    pub(crate) fn observe_all<O: Observer>(&self, state: &State, task: u32, observer: O) -> O {
        let run = self.start(state, task, observer).expect("the task exists");
        let mut step = Step::along(run, &[], u64::MAX);
        while step.next_outcome().is_some() {}
        step.into_task().observer
    }

    /// Records in the control state how a run ended.
    pub(crate) fn end_run(&self, before: &State, run: &mut Run<'_, impl Observer>, end: &End) {
        let (task, handle) = (run.meta.task, run.meta.handle);
        match end {
            End::Completes(result) => {
                let control = run.local_mut().control.to_mut();
                if let Some(place) = control.place(task) {
                    control.tasks.remove(place);
                }
                if handle {
                    let place = control.ended.partition_point(|(t, _)| *t < task);
                    control.ended.insert(place, (task, *result));
                }
            }
            End::Zields => {
                let control = run.local_mut().control.to_mut();
                control.zield = true;
                control.stopped.push(task);
            }
            End::Interrupted => run.local_mut().control.to_mut().stopped.push(task),
            _ => {}
        }
        if !run.local().control.ended.is_empty() {
            self.remove_terminated(before, run);
        }
    }

    /// The parts of the state after a run.
    fn parts_after<'s>(&self, before: &'s State, run: &Run<'_, impl Observer>) -> Cow<'s, Parts> {
        let mut parts = Cow::Borrowed(&before.parts);
        if let Some(control) = run.local().control.changed() {
            let (old, new) = (self.store.controls.part(before.ids()[CONTROL]), self.store.control(control));
            parts.to_mut().replace(CONTROL, old, new);
        }
        self.replace_stacks(before, run, &mut parts);
        parts
    }

    /// Puts the stacks of the tasks after a step into the state.
    fn replace_stacks(&self, before: &State, run: &Run<'_, impl Observer>, after: &mut Cow<'_, Parts>) {
        let old = self.control_of(before);
        let local = run.local();
        let same_tasks = local.posted.is_empty() && local.control.tasks.len() == old.tasks.len();
        if same_tasks {
            if let (Some(stack), Some(place)) = (local.stack.changed(), old.place(run.meta.task)) {
                let place = STACKS + place;
                after.to_mut().replace(
                    place,
                    self.store.stacks.part(before.ids()[place]),
                    self.store.stack(stack),
                );
            }
            return;
        }
        let after = after.to_mut();
        while after.len() > STACKS {
            let last = after.ids()[after.len() - 1];
            after.pop(self.store.stacks.part(last));
        }
        for meta in &local.control.tasks {
            let part = match local.posted.iter().find(|posted| posted.meta.task == meta.task) {
                Some(posted) => self.store.stack(&posted.stack),
                None if meta.task == run.meta.task => self.store.stack(&local.stack),
                None => {
                    let place = old.place(meta.task).map_or(0, |p| STACKS + p);
                    self.store.stacks.part(before.ids()[place])
                }
            };
            after.push(part);
        }
    }

    /// Adds an outcome of a step. Returns false if it has failed.
    fn push(&self, state: &State, run: &mut Run<'_, ()>, end: End, out: &mut Successors<State>) -> bool {
        self.end_run(state, run, &end);
        let parts = self.parts_after(state, run);
        let mut successor = match self.renumbered(state, run, self.store.controls.part(parts.ids()[CONTROL]))
        {
            Some(canonical) => out.push_with(canonical.fingerprint(), || canonical),
            None => {
                let globals_sum = self.store.sum_after(state, &run.globals, &run.changed_globals());
                let fingerprint = parts.fingerprint().plus(Fingerprint(globals_sum));
                out.push_with(fingerprint, || {
                    let globals = state.globals.with(&run.globals, run.changed_globals());
                    State { globals, globals_sum, parts: parts.into_owned() }
                })
            }
        };
        if self.has_hot_globals() {
            let (hot, cold) = self.heat(state, run);
            successor = successor.hot(hot).cold(cold);
        }
        for event in &run.local().events {
            successor = successor.event(*event);
        }
        match end {
            End::Completes(_) => {
                successor.completes();
            }
            End::Blocks(on) => {
                successor.blocks(on.map(TaskId));
            }
            End::Fails(failure, span) => {
                let message = format!("{}{}", failure.message, self.locate(span));
                successor.fails(Failure { message, ..*failure });
                return false;
            }
            End::Yields | End::Zields | End::Interrupted => {}
        }
        true
    }

    /// Removes the terminated tasks to which no handle is left.
    fn remove_terminated(&self, before: &State, run: &mut Run<'_, impl Observer>) {
        let old = self.control_of(before);
        let local = run.local();
        let held = |task: u32| {
            let handle = Value::Task(task);
            let others = local.control.tasks.iter().filter(|m| m.task != run.meta.task);
            self.holds(&run.globals, handle)
                || local.control.ended.iter().any(|(_, result)| self.holds(&[*result], handle))
                || local.control.place(run.meta.task).is_some() && self.holds(&local.stack.values, handle)
                || local.posted.iter().any(|posted| self.holds(&posted.stack.values, handle))
                || others.filter_map(|m| old.place(m.task)).any(|place| {
                    let stack = self.store.stacks.get(before.ids()[STACKS + place]);
                    self.holds(&stack.values, handle)
                })
        };
        let kept: SmallVec<[_; 2]> = local.control.ended.iter().copied().filter(|(t, _)| held(*t)).collect();
        if kept.len() != local.control.ended.len() {
            run.local_mut().control.to_mut().ended = kept;
        }
    }

    /// Returns true if a value is, or contains, the handle of the task.
    fn holds(&self, values: &[Value], handle: Value) -> bool {
        values.iter().any(|v| match v {
            Value::Map(id) => dally_text::stack::grow(|| {
                let map = self.store.heap.maps.get(*id);
                self.holds(&[map.default], handle)
                    || map.entries.iter().any(|entry| self.holds(&[entry.key, entry.value], handle))
            }),
            Value::Data(id) => {
                dally_text::stack::grow(|| self.holds(&self.store.heap.data.get(*id).fields, handle))
            }
            other => *other == handle,
        })
    }
}

impl Program for Machine {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        let mut control = Control::default();
        let mut parts = Vec::new();
        let mut posts = Vec::new();
        for (task, entry) in (0_u32..).zip(&self.code.entries) {
            let meta = Meta { task, level: entry.level, buffer: entry.buffer, handle: false };
            control.tasks.push(meta);
            let procedure = &self.code.procedures[entry.procedure as usize];
            let args = vec![Value::Unset; procedure.ins as usize];
            let mut stack = first_frame(&self.code, entry.procedure, procedure.assuming_entry, &args);
            if let Some(scripts) = &self.code.scripts {
                stack.values[scripts.position as usize] = Scripts::beginning(scripts.entries[task as usize]);
            }
            parts.push(self.store.stack(&stack));
            let post =
                Post { level: u32::from(entry.level), buffer: u32::from(entry.buffer), ..Post::default() };
            posts.push((TaskId(task), post));
        }
        control.next = control.tasks.len() as u32;
        control.active = self.code.entries.iter().map(|e| e.buffer).min().unwrap_or(0);
        let parts = [self.store.control(&control)].into_iter().chain(parts).collect();
        let state = self.store.state(&vec![Value::Unset; self.code.globals.len()], parts);
        let mut successor = out.push(state);
        for (task, post) in posts {
            successor = successor.posts_as(task, post);
        }
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        let control = self.control_of(state);
        if !control.zield {
            self.candidates(state, control, control.active, tasks);
            if !tasks.is_empty() {
                return;
            }
        }
        let mut buffers: SmallVec<[u16; 4]> = control.tasks.iter().map(|m| m.buffer).collect();
        buffers.sort_unstable();
        buffers.dedup();
        for buffer in buffers {
            self.candidates(state, control, buffer, tasks);
        }
        tasks.sort_unstable();
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        self.outcomes(state, task.0, &[], out);
    }

    fn resume(&self, state: &State, task: TaskId, path: &[u32], out: &mut Successors<State>) {
        out.clear();
        self.outcomes(state, task.0, path, out);
    }

    fn draw(&self, state: &State, task: TaskId, by: Choose<'_>, out: &mut Successors<State>) -> DrawnPath {
        out.clear();
        let mut draws = Draws::new(by);
        if let Some((mut run, end)) = draws.execute(|| self.start(state, task.0, ())) {
            self.push(state, &mut run, end, out);
        }
        draws.drawn()
    }

    fn has_footprints(&self) -> bool {
        self.footprints.is_some()
    }

    fn footprint(&self, state: &State, task: TaskId, out: &mut Footprint) {
        self.footprint_of(state, task, out);
    }

    fn commutes(&self, state: &State, task: TaskId, _: &mut dally_explore::Footprints) -> bool {
        self.step_commutes(state, task)
    }

    fn view<'a>(&'a self, state: &'a State) -> Option<Box<dyn StateView + 'a>> {
        Some(Box::new(NamedState { machine: self, state }))
    }

    fn deadlock(&self, state: &State) -> Option<Failure> {
        let control = self.control_of(state);
        let blocked = control.tasks.iter().filter(|m| !self.is_daemon(state, m.task));
        let waiting: Vec<String> = blocked.map(|m| self.describe_waiting(state, m.task)).collect();
        if self.code.only.is_some() {
            return None;
        }
        if waiting.is_empty() {
            return self.hot_at_termination(state);
        }
        Some(Failure::deadlock(waiting.join("; ")))
    }

    fn is_excluded(&self, state: &State) -> bool {
        !self.code.constraints.is_empty() && self.violates_constraint(state)
    }

    fn properties(&self) -> u32 {
        self.code.hot.len() as u32
    }

    fn starves(&self, property: u32, _: &State) -> Failure {
        self.stays_hot(property)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        state.fingerprint()
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }

    fn shared_bytes(&self) -> usize {
        self.store.bytes()
    }
}

impl Machine {
    /// The event that a blocked task waits for, for messages.
    /// Returns true for a task at an `await` that may wait forever.
    fn is_daemon(&self, state: &State, task: u32) -> bool {
        let Some((_, stack)) = self.stack_of(state, task) else { return false };
        stack.frames.last().is_some_and(|frame| self.code.daemons.contains(&frame.pc))
    }

    fn describe_waiting(&self, state: &State, task: u32) -> String {
        let Some((_, stack)) = self.stack_of(state, task) else { return String::new() };
        let place = stack.frames.last().map_or(Span::NONE, |f| self.code.spans[f.pc as usize]);
        let what = match self.next_op(stack) {
            Op::Wait(local) => {
                let base = stack.frames.last().map_or(0, |f| f.base);
                match stack.values[(base + local) as usize] {
                    Value::Task(other) if other == task => "waits for itself".to_owned(),
                    Value::Task(other) if self.stack_of(state, other).is_some() => {
                        format!("waits for {}", self.task_name(state, TaskId(other)))
                    }
                    _ => "waits for a task".to_owned(),
                }
            }
            Op::Await => self.awaited(state, stack).unwrap_or_else(|| "waits for its condition".to_owned()),
            _ => "cannot move".to_owned(),
        };
        let number = if self.has_notation() { format!(" (task {task})") } else { String::new() };
        format!("{}{number} {what}{}", self.task_name(state, TaskId(task)), self.locate(place))
    }

    /// The declaration of a variable.
    pub(crate) fn declaration(&self, place: VarStorage, procedure: u32) -> &Variable {
        match place {
            VarStorage::Global(i) => &self.code.globals[i as usize],
            VarStorage::Local(i) => &self.code.procedures[procedure as usize].variables[i as usize],
            VarStorage::ThreadLocal(i) => &self.code.thread_locals[i as usize],
        }
    }
}
