//! What happens in a step, statement by statement, for people.

use dally_explore::{Excerpt, Kept, TaskId, is_long, value_text};
use dally_step::collection::Entry;
use dally_step::observer::Observer;
use dally_text::source::Span;

use crate::code::{Arith, Place};
use crate::execute::{End, Note};
use crate::machine::Machine;
use crate::state::State;
use crate::value::{DataValue, Value};

/// A statement that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The statement.
    pub span: Span,
    /// The procedure that it belongs to.
    pub procedure: String,
    /// How many calls deep it is, from 1.
    pub depth: usize,
    /// What it assigned.
    pub changes: Vec<Change>,
    /// The tasks that it posted: id and procedure.
    pub posts: Vec<(TaskId, String)>,
}

/// A variable that got a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// Whether other tasks see it.
    pub shared: bool,
    /// Its new value.
    pub value: String,
}

/// Where a statement is executed.
#[derive(Clone, Copy)]
struct At {
    span: Span,
    procedure: u32,
    depth: usize,
}

/// A statement that was executed, before it is told: of most statements of a long step nothing is.
struct Recorded<'m> {
    at: At,
    /// Variables, whether they are shared, and their values.
    changes: Vec<(&'m str, bool, Value)>,
    /// Tasks and their procedures.
    posts: Vec<(u32, u32)>,
}

/// Records a run.
struct Recorder<'m> {
    machine: &'m Machine,
    lines: Excerpt<Recorded<'m>>,
    /// The last line, the last one before it that is less deep, and so on, in the order of lines: where calls return to.
    callers: Vec<(usize, At)>,
    /// The line of the statement that is being executed: after a call, that of the call.
    current: usize,
}

impl Recorder<'_> {
    fn line(&mut self, at: At) {
        self.current = self.lines.len();
        self.lines.push(Recorded { at, changes: Vec::new(), posts: Vec::new() });
        while self.callers.pop_if(|(_, caller)| caller.depth >= at.depth).is_some() {}
        self.callers.push((self.current, at));
    }
}

impl Observer<Note> for Recorder<'_> {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        match note {
            Note::At { span, procedure, calls } => self.at(span, procedure, calls),
            Note::Set { place, procedure, value } => self.set(place, procedure, value),
            Note::Posted { task, procedure } => {
                if let Some(line) = self.lines.get_mut(self.current) {
                    line.posts.push((task, procedure));
                }
            }
        }
    }
}

impl Recorder<'_> {
    fn at(&mut self, span: Span, procedure: u32, calls: usize) {
        if span == Span::NONE {
            return;
        }
        let caller = self.callers.iter().rfind(|(_, at)| at.depth <= calls);
        match caller.filter(|(_, at)| at.span == span && at.depth == calls) {
            Some((same, _)) => self.current = *same,
            None => self.line(At { span, procedure, depth: calls }),
        }
    }

    fn set(&mut self, place: Place, procedure: u32, value: Value) {
        let Some(variable) = self.machine.variable_name(place, procedure) else { return };
        // What a call returns comes after what it did.
        let call = self.callers.iter().rfind(|(nth, _)| *nth == self.current);
        if let Some((_, at)) = call.copied().filter(|_| self.current + 1 < self.lines.len()) {
            self.line(at);
        }
        if let Some(line) = self.lines.get_mut(self.current) {
            line.changes.retain(|(other, ..)| *other != variable);
            line.changes.push((variable, matches!(place, Place::Global(_)), value));
        }
    }
}

impl Machine {
    /// The statements of one outcome of a step, and where it failed, if it did.
    pub fn explain(&self, state: &State, task: TaskId, choice: u32) -> (Kept<Line>, Option<Span>) {
        let recorder =
            Recorder { machine: self, lines: Excerpt::of_a_step(), callers: Vec::new(), current: 0 };
        let Some((recorder, end)) = self.outcome(state, task.0, choice, recorder) else {
            return (Kept::default(), None);
        };
        let failed = match end {
            End::Fails(_, span) => Some(span),
            _ => None,
        };
        (recorder.lines.finish().map(|line| self.tell(line)), failed)
    }

    fn tell(&self, line: Recorded<'_>) -> Line {
        let name = |procedure: u32| self.text(self.code.procedures[procedure as usize].name).to_owned();
        let changes = line.changes.into_iter().map(|(variable, shared, value)| {
            let value = self.show(value);
            Change { variable: variable.to_owned(), shared, value }
        });
        Line {
            span: line.at.span,
            procedure: name(line.at.procedure),
            depth: line.at.depth,
            changes: changes.collect(),
            posts: line.posts.into_iter().map(|(task, procedure)| (TaskId(task), name(procedure))).collect(),
        }
    }

    /// What constants are whose values come from outside, functions at points, and divisions by zero: as they are written, and
    /// their values.
    pub fn given(&self) -> Vec<(String, String)> {
        let what = |name: &str, args: &Option<Vec<Value>>| match args {
            None => name.to_owned(),
            Some(args) => {
                let args: Vec<String> = args.iter().map(|arg| self.show(*arg)).collect();
                format!("{name}({})", args.join(", "))
            }
        };
        let given = self.code.given.iter();
        let given = given.map(|(name, args, value)| (what(self.text(*name), args), self.show(*value)));
        let divisions = self.code.by_zero.iter().flatten().map(|(op, dividend, value)| {
            let by = match op {
                Arith::Mod => "mod 0",
                Arith::Quotient => "/ 0.0",
                _ => "div 0",
            };
            (format!("{} {by}", self.show(*dividend)), self.show(*value))
        });
        given.chain(divisions).collect()
    }

    /// Whether quantifiers are evaluated for the values only that an execution mentions.
    pub fn mentions(&self) -> bool {
        self.code.partly
    }

    /// Whether axioms are looked at for those values, which execution goes on from only if they hold there.
    pub fn tries_axioms(&self) -> bool {
        self.code.tries_axioms
    }

    /// The procedure that a task runs, and its number.
    pub fn task_name(&self, state: &State, task: TaskId) -> String {
        let bottom = self.stack_of(state, task.0).and_then(|(_, s)| s.frames.first().copied());
        match bottom {
            Some(frame) => self.text(self.code.procedures[frame.function as usize].name).to_owned(),
            None => String::new(),
        }
    }

    /// A value as it is written.
    pub fn show(&self, value: Value) -> String {
        value_text(|out| self.write(value, out))
    }

    fn write(&self, value: Value, out: &mut String) {
        if is_long(out) {
            return;
        }
        match value {
            Value::Unset => out.push('*'),
            Value::Bool(b) => out.push_str(if b { "true" } else { "false" }),
            Value::Int(n) => out.push_str(&n.to_string()),
            Value::Bv(n) => out.push_str(&n.to_string()),
            Value::Real(id) => out.push_str(&self.store.heap.reals.get(id).to_string()),
            Value::Wide(id) => out.push_str(&self.store.heap.wides.get(id).to_string()),
            Value::Big(id) => out.push_str(&self.store.heap.bigs.get(id).to_string()),
            Value::Atom(n) => out.push_str(self.text(self.code.atoms[n as usize])),
            Value::Task(n) => out.push_str(&format!("task {n}")),
            Value::Map(id) => {
                let map = self.store.heap.maps.get(id);
                out.push('[');
                for Entry { key, value } in map.entries.iter() {
                    if is_long(out) {
                        return;
                    }
                    self.write(key, out);
                    out.push_str(" := ");
                    self.write(value, out);
                    out.push_str(", ");
                }
                out.push_str("else ");
                self.write(map.default, out);
                out.push(']');
            }
            Value::Data(id) => {
                let data = self.store.heap.data.get(id);
                if data.constructor != DataValue::TUPLE {
                    out.push_str(self.text(self.code.constructors[data.constructor as usize]));
                }
                out.push('(');
                for (i, field) in data.fields.iter().enumerate() {
                    if is_long(out) {
                        return;
                    }
                    out.push_str(if i > 0 { ", " } else { "" });
                    dally_text::stack::grow(|| self.write(*field, out));
                }
                out.push(')');
            }
        }
    }
}
