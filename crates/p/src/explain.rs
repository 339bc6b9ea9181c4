//! Traces of P programs: the statements and events of a step, the states of machines and monitors, and their names.

use dally_explore::{Excerpt, Kept, TaskId};
use dally_step::observer::Observer;
use dally_text::source::Span;
use dally_trace::{Change, Explain, Explained, Line, LineKind, Taken, TaskNumbers};

use crate::check::types::{Kind, Ty, Types};
use crate::code::{EventCode, Op};
use crate::execute::{End, Note};
use crate::machine::Machine;
use crate::show::Shower;
use crate::state::{Local, Mode, State};
use crate::value::Value;

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
    monitor: Option<u32>,
    changes: Vec<Set<'m>>,
}

/// The machine that a step creates.
#[derive(Clone, Copy)]
struct Created {
    id: u32,
    kind: u32,
}

/// The last statement, and the number of its line.
#[derive(Clone, Copy)]
struct LastStatement {
    line: usize,
    span: Span,
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
    statement: Option<LastStatement>,
}

impl<'m> Recorder<'m> {
    fn new(machine: &'m Machine, state: &'m State, task: u32) -> Self {
        let lines = Excerpt::of_a_step();
        Recorder { machine, state, task, monitor: None, created: None, lines, statement: None }
    }

    fn record(&mut self, note: Note) {
        self.lines.push(Recorded { note, monitor: self.monitor, changes: Vec::new() });
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
            Note::At(pc, _) => {
                // The payload of an event is checked before the first statement.
                let silent = matches!(self.machine.code.ops[pc as usize], Op::Takes(..));
                let span = if silent { Span::NONE } else { self.machine.span(pc) };
                if span != Span::NONE && self.statement.is_none_or(|last| last.span != span) {
                    self.statement = Some(LastStatement { line: self.lines.len(), span });
                    self.record(note);
                }
            }
            Note::Set(function, slot, value) => {
                let code = &self.machine.code;
                let variables = match function {
                    Some(function) => &code.functions[function as usize].variables,
                    None => &code.machines[self.running() as usize].variables,
                };
                let line = self.statement.and_then(|last| self.lines.get_mut(last.line));
                if let (Some(variable), Some(line)) = (variables.get(slot as usize), line) {
                    line.changes.retain(|other| other.variable.0 != variable.0);
                    line.changes.push(Set { variable, value });
                }
            }
            Note::Creates(id, kind) => {
                self.created = Some(Created { id, kind });
                self.record(note);
            }
            Note::Monitor(monitor) => self.monitor = monitor,
            _ => self.record(note),
        }
    }
}

// From recorded events to lines.
impl Recorder<'_> {
    fn line(&mut self, recorded: Recorded<'_>) -> Line {
        let Recorded { note, monitor, changes } = recorded;
        self.monitor = monitor;
        let procedure = match monitor {
            Some(monitor) => self.machine.monitor_name(monitor).to_owned(),
            None => self.machine.machine_name(self.state, self.task),
        };
        // A monitor runs inside the step of a machine, one level deeper.
        let depth = if monitor.is_some() { 2 } else { 1 };
        let (kind, posts) = match note {
            Note::At(..) => (LineKind::Statement, Vec::new()),
            Note::Sends(target, event, payload) => {
                let text = self.event(event, payload);
                (LineKind::Send { to: TaskId(target), text }, Vec::new())
            }
            Note::Creates(id, _) => (LineKind::Create(TaskId(id)), vec![TaskId(id)]),
            ref other => (LineKind::Remark(self.remark(other)), Vec::new()),
        };
        let (span, calls) = match note {
            Note::At(pc, calls) => (self.machine.span(pc), calls - 1),
            _ => (Span::NONE, 0),
        };
        let change = |Set { variable: (name, ty), value }: Set<'_>| Change {
            variable: name.clone(),
            shared: false,
            value: self.show(value, *ty),
        };
        let changes = changes.into_iter().map(change).collect();
        Line { kind, span, procedure, depth: depth + calls, changes, posts }
    }

    fn remark(&self, note: &Note) -> String {
        let text = match *note {
            Note::Takes(event, payload) => format!("dequeues {}", self.event(event, payload)),
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
            Note::Chooses(value) => format!("chooses {}", self.show(value, Types::ANY)),
            // Handled elsewhere: these become lines of other kinds.
            Note::At(..) | Note::Set(..) | Note::Sends(..) | Note::Creates(..) | Note::Monitor(_) => {
                String::new()
            }
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
        self.leave_out_rest(state, task, &mut lines.first);
        self.leave_out_beginning(observed.pc, &observed.end, &mut lines);
        Explained { lines, failed_at: observed.failed }
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
}

impl Machine {
    /// A step may begin in the middle of a statement, which the previous step has shown. It is shown again only if the
    /// rest of it changes a variable.
    fn leave_out_rest(&self, state: &State, task: u32, lines: &mut Vec<Line>) {
        let local = self.local_of(state, task);
        let Some(pc) = local.frames.last().map(|f| f.pc).filter(|_| local.mode == Mode::Running) else {
            return;
        };
        let span = self.span(pc);
        let continues = pc > 0 && self.span(pc - 1) == span && pc != self.function_entry(&local);
        let first = lines.iter().position(|l| l.kind == LineKind::Statement);
        if let Some(first) = first
            && continues
            && lines[first].span == span
            && lines[first].changes.is_empty()
        {
            lines.remove(first);
        }
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

    fn function_entry(&self, local: &Local) -> u32 {
        local.frames.last().map_or(0, |f| self.code.functions[f.function as usize].entry)
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
        if machine >= self.machine_count(state) {
            return format!("machine {machine}");
        }
        self.kind_name(self.record_of(state, machine).kind, machine)
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
