//! What happens in a step, for people.

use dally_explore::{Excerpt, Kept, TaskId};
use dally_text::source::Span;

use crate::check::types::{Kind, Ty, Types};
use crate::code::Op;
use crate::execute::{End, Note, Observer};
use crate::machine::Machine;
use crate::show::Shower;
use crate::state::{Local, Mode, State};
use crate::value::Value;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A statement of the program.
    Statement,
    /// Something that the machine does besides: it takes an event, or enters a state.
    Remark,
    /// An event was put into the queue of this machine.
    Send(TaskId),
    /// This machine was created.
    Create(TaskId),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub kind: LineKind,
    /// The statement; nothing for a remark.
    pub span: Span,
    /// The remark, or what is sent.
    pub text: String,
    /// The function or machine.
    pub function: String,
    /// How many calls deep it is, from 1.
    pub depth: usize,
    /// Variables that got a value.
    pub changes: Vec<(String, String)>,
}

/// Something that happened, before it is told: of most that happens in a long step nothing is.
#[derive(Clone)]
struct Recorded<'m> {
    note: Note,
    monitor: Option<u32>,
    /// Variables, with their types, and their values.
    changes: Vec<(&'m (String, Ty), Value)>,
}

/// Records a run.
#[derive(Clone)]
struct Recorder<'m> {
    machine: &'m Machine,
    state: &'m State,
    task: u32,
    monitor: Option<u32>,
    created: Option<(u32, u32)>,
    lines: Excerpt<Recorded<'m>>,
    /// The line of the last statement, and the statement.
    statement: Option<(usize, Span)>,
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
                self.machine.code.kinds[self.machine.local_of(self.state, self.task).kind as usize].machine
            }
        }
    }

    fn name(&self, machine: u32) -> String {
        match self.created {
            Some((id, kind)) if id == machine => self.machine.kind_name(kind, id),
            _ => self.machine.machine_name(self.state, machine),
        }
    }

    fn show(&self, value: Value, ty: Ty) -> String {
        self.machine.show_with(value, ty, &|id| self.name(id))
    }

    fn event(&self, event: u32, payload: Value) -> String {
        let (name, ty, _) = &self.machine.code.events[event as usize];
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

impl Observer for Recorder<'_> {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        match note {
            Note::At(pc, _) => {
                // What an event carries is looked at before the first statement.
                let silent = matches!(self.machine.code.ops[pc as usize], Op::Takes(..));
                let span = if silent { Span::NONE } else { self.machine.span(pc) };
                if span != Span::NONE && self.statement.is_none_or(|(_, last)| last != span) {
                    self.statement = Some((self.lines.len(), span));
                    self.record(note);
                }
            }
            Note::Set(function, slot, value) => {
                let code = &self.machine.code;
                let variables = match function {
                    Some(function) => &code.functions[function as usize].variables,
                    None => &code.machines[self.running() as usize].variables,
                };
                let line = self.statement.and_then(|(nth, _)| self.lines.get_mut(nth));
                if let (Some(variable), Some(line)) = (variables.get(slot as usize), line) {
                    line.changes.retain(|(other, _)| other.0 != variable.0);
                    line.changes.push((variable, value));
                }
            }
            Note::Creates(id, kind) => {
                self.created = Some((id, kind));
                self.record(note);
            }
            Note::Monitor(monitor) => self.monitor = monitor,
            _ => self.record(note),
        }
    }
}

// Telling what was recorded.
impl Recorder<'_> {
    fn tell(&mut self, recorded: Recorded<'_>) -> Line {
        let Recorded { note, monitor, changes } = recorded;
        self.monitor = monitor;
        let function = match monitor {
            Some(monitor) => self.machine.monitor_name(monitor).to_owned(),
            None => self.machine.machine_name(self.state, self.task),
        };
        let depth = if monitor.is_some() { 2 } else { 1 };
        let (kind, text) = match note {
            Note::At(..) => (LineKind::Statement, String::new()),
            Note::Sends(target, event, payload) => {
                (LineKind::Send(TaskId(target)), self.event(event, payload))
            }
            Note::Creates(id, _) => (LineKind::Create(TaskId(id)), self.name(id)),
            ref other => (LineKind::Remark, self.remark(other)),
        };
        let (span, calls) = match note {
            Note::At(pc, calls) => (self.machine.span(pc), calls - 1),
            _ => (Span::NONE, 0),
        };
        let changes = changes.into_iter();
        let changes = changes.map(|((name, ty), value)| (name.clone(), self.show(value, *ty))).collect();
        Line { kind, span, text, function, depth: depth + calls, changes }
    }

    fn remark(&self, note: &Note) -> String {
        let text = match *note {
            Note::Takes(event, payload) => format!("takes {}", self.event(event, payload)),
            Note::FindsNothing => "finds nothing to take".to_owned(),
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
            // These are no remarks.
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

impl Machine {
    /// What happens in one outcome of a step, and where it failed, if it did.
    pub fn explain(&self, state: &State, task: TaskId, choice: u32) -> (Kept<Line>, Option<Span>) {
        let mut found = (Kept::default(), None);
        let mut index = 0;
        self.outcomes(state, task.0, Recorder::new(self, state, task.0), |runner, end| {
            if index == choice {
                let failed = matches!(end, End::Fails(_)).then(|| runner.failed_at());
                let mut teller = runner.observer.clone();
                let mut lines = runner.observer.clone().lines.finish().map(|line| teller.tell(line));
                self.leave_out_rest(state, task.0, &mut lines.first);
                self.leave_out_beginning(runner.pc, &end, &mut lines);
                found = (lines, failed);
            }
            index += 1;
            index <= choice
        });
        found
    }

    /// A step may begin in the middle of a statement, which was shown when it was begun: if nothing comes of the
    /// rest, it is not shown again.
    fn leave_out_rest(&self, state: &State, task: u32, lines: &mut Vec<Line>) {
        let local = self.local_of(state, task);
        let Some(pc) = local.frames.last().map(|f| f.pc).filter(|_| local.mode == Mode::Running) else {
            return;
        };
        let span = self.span(pc);
        let goes_on = pc > 0 && self.span(pc - 1) == span && pc != self.function_entry(local);
        let first = lines.iter().position(|l| l.kind == LineKind::Statement);
        if let Some(first) = first
            && goes_on
            && lines[first].span == span
            && lines[first].changes.is_empty()
        {
            lines.remove(first);
        }
    }

    /// A step that ends where a machine is about to be created does not show the statement: the next one does.
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
        &self.code.events[event as usize].0
    }

    fn monitor_name(&self, monitor: u32) -> &str {
        &self.code.machines[self.code.monitors[monitor as usize].0 as usize].name
    }

    fn kind_name(&self, kind: u32, id: u32) -> String {
        let machine = self.code.kinds[kind as usize].machine;
        format!("{}({id})", self.code.machines[machine as usize].name)
    }

    /// What a machine is, and its number.
    pub fn machine_name(&self, state: &State, machine: u32) -> String {
        if machine >= self.machine_count(state) {
            return format!("machine {machine}");
        }
        self.kind_name(self.local_of(state, machine).kind, machine)
    }

    fn show_with(&self, value: Value, ty: Ty, machine: &dyn Fn(u32) -> String) -> String {
        let text = |sym| self.symbols.text(sym).to_owned();
        let event = |event: u32| self.event_name(event).to_owned();
        Shower { heap: &self.store.heap, info: &self.info, text: &text, machine, event: &event }
            .show(value, ty)
    }

    /// The monitors, their states and variables; then each machine with its state and what waits for it.
    pub fn describe(&self, state: &State) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let parts = &state.parts;
        if parts.len() < self.code.monitors.len() {
            return all;
        }
        for (monitor, (machine, _)) in (0_u32..).zip(&self.code.monitors) {
            let machine = &self.code.machines[*machine as usize];
            let state = &machine.states[self.monitor_of(state, monitor).state as usize];
            let heat = if state.hot { " (hot)" } else { "" };
            all.push((format!("monitor {}", machine.name), format!("{}{heat}", state.name)));
        }
        for id in 0..self.machine_count(state) {
            let local = self.local_of(state, id);
            let machine = &self.code.machines[self.code.kinds[local.kind as usize].machine as usize];
            let mut text = match local.mode {
                Mode::Halted => "halted".to_owned(),
                _ => machine.states[local.state as usize].name.clone(),
            };
            let queue = self.queue_of(state, id);
            if !queue.is_empty() {
                let events: Vec<&str> = queue.iter().map(|(e, _)| self.event_name(*e)).collect();
                text.push_str(&format!(" with {} waiting", events.join(", ")));
            }
            all.push((self.machine_name(state, id), text));
        }
        all
    }
}
