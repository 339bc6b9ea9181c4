//! Traces of P programs: the statements and events of a step, the states of machines and monitors, and their names.

use dally_explore::{Excerpt, Kept, TaskId, cut};
use dally_step::observer::Observer;
use dally_text::source::Span;
use dally_trace::{Change, CoverageItem, Explain, Explained, Line, LineKind, Taken, TaskNumbers};

use crate::check::types::{Kind, Ty, Types};
use crate::code::{EventCode, Op};
use crate::execute::{End, Note};
use crate::machine::Machine;
use crate::show::Shower;
use crate::state::{Mode, State};
use crate::value::Value;

/// Printed texts are cut to this length.
const LONGEST_PRINT: usize = 120;

/// An assignment.
#[derive(Clone)]
struct Set<'m> {
    /// The name and type of the variable.
    variable: &'m (String, Ty),
    value: Value,
}

/// An event of a run. It becomes a [`Line`] only if the trace keeps it: most events of a long step are left out.
#[derive(Clone)]
struct Recorded<'m> {
    note: Note,
    /// True for the rest of a statement, after a call in it has returned.
    returned: bool,
    /// The statement.
    span: Span,
    monitor: Option<u32>,
    changes: Vec<Set<'m>>,
}

/// The machine that a step creates.
#[derive(Clone, Copy)]
struct Created {
    id: u32,
    kind: u32,
}

/// A statement whose call has not returned, or the last statement: a candidate for the statement that is executed next.
#[derive(Clone, Copy)]
struct Caller {
    /// The number of its line; none if an earlier step has shown it.
    line: Option<usize>,
    span: Span,
    /// The depth of calls.
    depth: usize,
    /// True if statements of a callee follow its line.
    called: bool,
}

/// The position in the code of a machine or monitor.
#[derive(Clone, Default)]
struct Position {
    /// The last statement, the last one before it that is less deep, and so on. Calls return to them.
    callers: Vec<Caller>,
    /// The depth of the statement that is being executed.
    depth: usize,
}

/// A message that is being sent: the target, the event and the payload.
#[derive(Clone, Copy)]
struct Sending {
    target: u32,
    event: u32,
    payload: Value,
}

/// Records a run.
#[derive(Clone)]
struct Recorder<'m> {
    machine: &'m Machine,
    state: &'m State,
    task: u32,
    monitor: Option<u32>,
    created: Option<Created>,
    lines: Excerpt<Recorded<'m>>,
    position: Position,
    /// The position of the machine, while a monitor runs.
    outside: Option<Position>,
    sending: Option<Sending>,
}

impl<'m> Recorder<'m> {
    fn new(machine: &'m Machine, state: &'m State, task: u32) -> Self {
        let position = Position { callers: machine.begun(state, task), depth: 0 };
        let lines = Excerpt::of_a_step();
        let (monitor, created, outside, sending) = (None, None, None, None);
        Recorder { machine, state, task, monitor, created, lines, position, outside, sending }
    }

    fn record(&mut self, note: Note) {
        let span = self.current().map_or(Span::NONE, |caller| caller.span);
        self.push(note, span, false);
    }

    fn push(&mut self, note: Note, span: Span, returned: bool) {
        let monitor = self.monitor;
        self.lines.push(Recorded { note, returned, span, monitor, changes: Vec::new() });
    }

    /// The statement that is being executed.
    fn current(&mut self) -> Option<&mut Caller> {
        let Position { callers, depth } = &mut self.position;
        callers.iter_mut().rfind(|caller| caller.depth == *depth)
    }

    /// The next instruction belongs to this statement.
    fn at(&mut self, pc: u32, depth: usize) {
        // The payload of an event is checked before the first statement.
        let silent = matches!(self.machine.code.ops[pc as usize], Op::Takes(..));
        let span = if silent { Span::NONE } else { self.machine.span(pc) };
        if span == Span::NONE {
            return;
        }
        self.position.depth = depth;
        let callers = &mut self.position.callers;
        let caller = callers.iter().rfind(|caller| caller.depth <= depth);
        if caller.is_some_and(|caller| caller.span == span && caller.depth == depth) {
            return;
        }
        while callers.pop_if(|caller| caller.depth >= depth).is_some() {}
        callers.iter_mut().for_each(|caller| caller.called = true);
        callers.push(Caller { line: Some(self.lines.len()), span, depth, called: false });
        self.push(Note::At(pc, depth), span, false);
    }

    /// The statement has assigned to a variable.
    fn set(&mut self, set: Set<'m>) {
        let next = self.lines.len();
        let Some(caller) = self.current() else { return };
        if caller.called || caller.line.is_none() {
            // The result of a call is shown after the statements of the callee.
            (caller.line, caller.called) = (Some(next), false);
            let Caller { span, depth, .. } = *caller;
            self.push(Note::At(0, depth), span, true);
        }
        let line = self.current().and_then(|caller| caller.line);
        if let Some(line) = line.and_then(|line| self.lines.get_mut(line)) {
            line.changes.retain(|other| other.variable.0 != set.variable.0);
            line.changes.push(set);
        }
    }

    /// The machine or monitor that runs, among those of the code.
    fn running(&self) -> u32 {
        match self.monitor {
            Some(monitor) => self.machine.code.monitors[monitor as usize].0,
            None => {
                self.machine.code.kinds[self.machine.record_of(self.state, self.task).kind as usize].machine
            }
        }
    }

    fn name(&self, machine: u32) -> String {
        match self.created {
            Some(Created { id, kind }) if id == machine => self.machine.kind_name(kind, id),
            _ => self.machine.machine_name(self.state, machine),
        }
    }

    fn show(&self, value: Value, ty: Ty) -> String {
        self.machine.show_with(value, ty, &|id| self.name(id))
    }

    fn event(&self, event: u32, payload: Value) -> String {
        let EventCode { name, payload: ty, .. } = &self.machine.code.events[event as usize];
        match (payload, *ty) {
            (Value::Null, _) | (_, Types::NULL) => name.clone(),
            (payload, ty) => {
                let shown = self.show(payload, ty);
                // A tuple has its own parentheses.
                let inner = shown.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
                let is_tuple = matches!(self.machine.info.types.kind(ty), Kind::Tuple(_) | Kind::Named(_));
                format!("{name}({})", inner.filter(|_| is_tuple).unwrap_or(&shown))
            }
        }
    }
}

impl Observer<Note> for Recorder<'_> {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        match note {
            Note::At(pc, depth) => self.at(pc, depth),
            Note::Set(function, slot, value) => {
                let code = &self.machine.code;
                let variables = match function {
                    Some(function) => &code.functions[function as usize].variables,
                    None => &code.machines[self.running() as usize].variables,
                };
                if let Some(variable) = variables.get(slot as usize) {
                    self.set(Set { variable, value });
                }
            }
            Note::Creates(id, kind) => {
                self.created = Some(Created { id, kind });
                self.record(note);
            }
            Note::Monitor(monitor) => {
                self.monitor = monitor;
                match monitor {
                    Some(_) => self.outside = Some(std::mem::take(&mut self.position)),
                    None => self.position = self.outside.take().unwrap_or_default(),
                }
            }
            Note::Sending(target, event, payload) => {
                self.sending = Some(Sending { target, event, payload });
            }
            _ => self.record(note),
        }
    }
}

// From recorded events to lines.
impl Recorder<'_> {
    fn line(&mut self, recorded: Recorded<'_>) -> Line {
        let Recorded { note, returned, span, monitor, changes } = recorded;
        self.monitor = monitor;
        let procedure = match monitor {
            Some(monitor) => self.machine.monitor_name(monitor).to_owned(),
            None => self.machine.machine_name(self.state, self.task),
        };
        // A monitor runs inside the step of a machine, one level deeper.
        let depth = if monitor.is_some() { 2 } else { 1 };
        let (kind, posts) = match note {
            Note::At(..) if returned => (LineKind::Return, Vec::new()),
            Note::At(..) => (LineKind::Statement, Vec::new()),
            Note::Sends(target, event, payload) => {
                let text = self.event(event, payload);
                (LineKind::Send { to: TaskId(target), text, fails: false }, Vec::new())
            }
            Note::Creates(id, _) => (LineKind::Create(TaskId(id)), vec![TaskId(id)]),
            Note::Takes(event, payload) => (LineKind::Dequeue(self.event(event, payload)), Vec::new()),
            Note::Chooses(value) => (LineKind::Choice(self.show(value, Types::ANY)), Vec::new()),
            Note::Prints(value) => (LineKind::Print(self.printed(value)), Vec::new()),
            ref other => (LineKind::Remark(self.remark(other)), Vec::new()),
        };
        let calls = if let Note::At(_, depth) = note { depth - 1 } else { 0 };
        let change = |Set { variable: (name, ty), value }: Set<'_>| Change {
            variable: name.clone(),
            shared: false,
            value: self.show(value, *ty),
        };
        let changes = changes.into_iter().map(change).collect();
        Line { kind, span, procedure, depth: depth + calls, changes, posts }
    }

    /// The text that a `print` has evaluated.
    fn printed(&self, value: Value) -> String {
        let text = match value {
            Value::Str(text) => cut(self.machine.store.heap.text(text), LONGEST_PRINT),
            other => self.show(other, Types::ANY),
        };
        format!("\"{text}\"")
    }

    /// The message that the machine was sending when it failed.
    fn failing_message(&self, end: &End) -> Option<Line> {
        let Sending { target, event, payload } = self.sending.filter(|_| matches!(end, End::Fails(_)))?;
        Some(Line {
            kind: LineKind::Send { to: TaskId(target), text: self.event(event, payload), fails: true },
            span: Span::NONE,
            procedure: self.machine.machine_name(self.state, self.task),
            depth: 1,
            changes: Vec::new(),
            posts: Vec::new(),
        })
    }

    fn remark(&self, note: &Note) -> String {
        let text = match *note {
            Note::FindsNothing => "finds no event to dequeue".to_owned(),
            Note::Raises(event, payload) => format!("raises {}", self.event(event, payload)),
            Note::Announces(event, payload) => format!("announces {}", self.event(event, payload)),
            Note::Enters(state) => {
                let machine = &self.machine.code.machines[self.running() as usize];
                let state = &machine.states[state as usize];
                let heat = if state.hot { " (hot)" } else { "" };
                format!("enters {}{heat}", state.name)
            }
            Note::Halts => "halts".to_owned(),
            // Handled elsewhere: these become lines of other kinds.
            _ => String::new(),
        };
        match self.monitor {
            Some(monitor) => format!("monitor {}: {text}", self.machine.monitor_name(monitor)),
            None => text,
        }
    }
}

impl Explain for Machine {
    fn task_name(&self, state: &State, task: TaskId) -> String {
        self.machine_name(state, task.0)
    }

    fn explain(&self, taken: &Taken<'_, State>) -> Explained {
        let Taken { before: state, task: TaskId(task), choices, .. } = *taken;
        let Some(observed) = self.observe(state, task, choices, Recorder::new(self, state, task)) else {
            return Explained::default();
        };
        let mut recorder = observed.observer;
        let recorded = std::mem::replace(&mut recorder.lines, Excerpt::of_a_step()).finish();
        let mut lines = recorded.map(|line| recorder.line(line));
        self.leave_out_beginning(observed.pc, &observed.end, &mut lines);
        let end = if lines.last.is_empty() { &mut lines.first } else { &mut lines.last };
        end.extend(recorder.failing_message(&observed.end));
        Explained { lines, failed_at: observed.failed }
    }

    fn coverage(&self) -> Vec<CoverageItem> {
        self.coverage_items()
    }

    /// The state of each monitor; then the state of each machine, and the events in its queue.
    fn variables(&self, state: &State, _: &TaskNumbers) -> Vec<Change> {
        if self.view(state).monitors().len() < self.code.monitors.len() {
            return Vec::new();
        }
        let monitors = 0..self.code.monitors.len() as u32;
        let monitors = monitors.map(|monitor| {
            (format!("monitor {}", self.monitor_name(monitor)), self.monitor_state(state, monitor))
        });
        let machines = 0..self.machine_count(state);
        let machines = machines.map(|id| (self.machine_name(state, id), self.machine_state(state, id)));
        let all = monitors.chain(machines);
        all.map(|(variable, value)| Change { variable, shared: true, value }).collect()
    }

    /// The variables of the machines that have not halted.
    fn task_variables(&self, state: &State, _: &TaskNumbers) -> Vec<Change> {
        (0..self.machine_count(state)).flat_map(|id| self.fields_of(state, id)).collect()
    }
}

impl Machine {
    /// The statements that are being executed at the beginning of a step, and that earlier steps have shown. They are
    /// shown again only if the rest of them changes a variable.
    fn begun(&self, state: &State, task: u32) -> Vec<Caller> {
        let local = self.local_of(state, task);
        if local.mode != Mode::Running {
            return Vec::new();
        }
        let top = local.frames.len();
        let begun = (1..).zip(&local.frames).filter_map(|(depth, frame)| {
            let last = frame.pc.checked_sub(1)?;
            let (span, at_entry) = (self.span(last), frame.pc == self.function_entry(frame.function));
            // The step that creates a machine shows the statement, not the one that ends before it.
            let is_new = at_entry || self.span(frame.pc) != span || self.code.ops[last as usize] == Op::Yield;
            (depth < top || !is_new).then_some(Caller { line: None, span, depth, called: true })
        });
        begun.collect()
    }

    /// A step that ends right before the creation of a machine does not show that statement: the next step does.
    fn leave_out_beginning(&self, pc: u32, end: &End, lines: &mut Kept<Line>) {
        let lines = if lines.last.is_empty() { &mut lines.first } else { &mut lines.last };
        let creates = matches!(end, End::Stops) && self.code.ops[pc as usize] == Op::Yield;
        let nothing_yet = lines.last().is_some_and(|l| l.kind == LineKind::Statement && l.changes.is_empty());
        if creates && nothing_yet {
            lines.pop();
        }
    }

    fn function_entry(&self, function: u32) -> u32 {
        self.code.functions[function as usize].entry
    }

    pub(crate) fn event_name(&self, event: u32) -> &str {
        &self.code.events[event as usize].name
    }

    fn monitor_name(&self, monitor: u32) -> &str {
        &self.code.machines[self.code.monitors[monitor as usize].0 as usize].name
    }

    fn kind_name(&self, kind: u32, id: u32) -> String {
        let machine = self.code.kinds[kind as usize].machine;
        format!("{}({id})", self.code.machines[machine as usize].name)
    }

    /// The type of a machine and its number.
    pub(crate) fn machine_name(&self, state: &State, machine: u32) -> String {
        match self.find_record(state, machine) {
            Some(record) => self.kind_name(record.kind, machine),
            None => format!("machine {machine}"),
        }
    }

    fn show_with(&self, value: Value, ty: Ty, machine: &dyn Fn(u32) -> String) -> String {
        let text = |sym| self.symbols.text(sym).to_owned();
        let event = |event: u32| self.event_name(event).to_owned();
        Shower { heap: &self.store.heap, info: &self.info, text: &text, machine, event: &event }
            .show(value, ty)
    }

    fn monitor_state(&self, state: &State, monitor: u32) -> String {
        let machine = &self.code.machines[self.code.monitors[monitor as usize].0 as usize];
        let state = &machine.states[self.monitor_of(state, monitor).state as usize];
        format!("{}{}", state.name, if state.hot { " (hot)" } else { "" })
    }

    fn fields_of(&self, state: &State, id: u32) -> Vec<Change> {
        let local = self.local_of(state, id);
        if local.mode == Mode::Halted {
            return Vec::new();
        }
        let name = self.machine_name(state, id);
        let machine = |other| self.machine_name(state, other);
        let variables = &self.code.machines[self.code.kinds[local.kind as usize].machine as usize].variables;
        let shown = variables.iter().zip(&local.values).map(|((variable, ty), value)| Change {
            variable: format!("{name}.{variable}"),
            shared: false,
            value: self.show_with(*value, *ty, &machine),
        });
        shown.collect()
    }

    fn machine_state(&self, state: &State, id: u32) -> String {
        let local = self.record_of(state, id);
        let machine = &self.code.machines[self.code.kinds[local.kind as usize].machine as usize];
        let name = match local.mode {
            Mode::Halted => "halted",
            _ => &machine.states[local.state as usize].name,
        };
        match self.queue_of(state, id) {
            queue if queue.is_empty() => name.to_owned(),
            queue => {
                let events: Vec<&str> = queue.iter().map(|queued| self.event_name(queued.event)).collect();
                format!("{name} with {} in its queue", events.join(", "))
            }
        }
    }
}
