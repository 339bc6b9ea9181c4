//! Traces of Boogie programs: the statements of a step, the values of variables, and the names of tasks.

use std::borrow::Cow;

use dally_explore::{Excerpt, TaskId, is_long, value_text};
use dally_step::collection::Entry;
use dally_step::observer::Observer;
use dally_text::source::Span;
use dally_trace::{
    Change, CoverageItem, Explain, Explained, Given, Line, LineKind, MovedObjects, Taken, TaskNumbers,
};

use crate::code::{Address, Arith, GivenValue, Quotient, VarStorage};
use crate::execute::{End, Note};
use crate::machine::Machine;
use crate::notation::unescaped;
use crate::state::State;
use crate::value::{DataValue, Value};

/// The note of executions in which quantifiers are evaluated only for mentioned values.
const MENTIONS: &str = "quantifiers were evaluated for the values that the execution mentions";

/// The position of a statement in an execution.
#[derive(Clone, Copy)]
struct At {
    span: Span,
    procedure: u32,
    depth: usize,
}

/// A statement whose call has not returned, or the last statement: a candidate for the statement that is executed next.
#[derive(Clone, Copy)]
struct Caller {
    /// The number of its line.
    line: usize,
    at: At,
}

/// An assignment.
struct Set<'m> {
    variable: Cow<'m, str>,
    shared: bool,
    value: Value,
    ty: Option<u32>,
}

/// An executed statement. It becomes a [`Line`] only if the trace keeps it: most statements of a long step are left out.
struct Recorded<'m> {
    at: At,
    kind: LineKind,
    changes: Vec<Set<'m>>,
    posts: Vec<TaskId>,
}

/// Records a run.
struct Recorder<'m> {
    machine: &'m Machine,
    tasks: &'m TaskNumbers,
    lines: Excerpt<Recorded<'m>>,
    /// The last line, the last line before it that is less deep, and so on, in the order of lines. Calls return to them.
    callers: Vec<Caller>,
    /// The line of the statement that is being executed: after a call, that of the call.
    current: usize,
    /// The element that was replaced last, until its map is assigned.
    element: Option<(Value, Value)>,
    /// The arguments of the next output.
    arguments: Vec<Value>,
}

impl Recorder<'_> {
    fn line(&mut self, at: At, kind: LineKind) {
        self.current = self.lines.len();
        self.lines.push(Recorded { at, kind, changes: Vec::new(), posts: Vec::new() });
        while self.callers.pop_if(|caller| caller.at.depth >= at.depth).is_some() {}
        self.callers.push(Caller { line: self.current, at });
    }
}

impl Observer<Note> for Recorder<'_> {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        match note {
            Note::At { span, procedure, calls } => self.at(span, procedure, calls),
            Note::Set { at, place, procedure, value } => self.set(at, place, procedure, value),
            Note::Element { key, value } => self.element = Some((key, value)),
            Note::Argument { value } => self.arguments.push(value),
            Note::Print { print } => self.print(print),
            Note::Posted { task } => {
                if let Some(line) = self.lines.get_mut(self.current) {
                    line.posts.push(TaskId(task));
                }
            }
        }
    }
}

impl<'m> Recorder<'m> {
    fn at(&mut self, span: Span, procedure: u32, calls: usize) {
        if span == Span::NONE || !self.machine.code.procedures[procedure as usize].told {
            return;
        }
        let caller = self.callers.iter().rfind(|caller| caller.at.depth <= calls);
        match caller.filter(|caller| caller.at.span == span && caller.at.depth == calls) {
            Some(same) => self.current = same.line,
            None => self.line(At { span, procedure, depth: calls }, LineKind::Statement),
        }
    }

    fn set(&mut self, at: Address, place: VarStorage, procedure: u32, value: Value) {
        let element = self.element.take();
        let Some((variable, value, ty)) = self.assigned(at, place, procedure, value, element) else { return };
        // The results of a call are shown after the statements of the callee.
        let call = self.callers.iter().rfind(|caller| caller.line == self.current);
        if let Some(caller) = call.copied().filter(|_| self.current + 1 < self.lines.len()) {
            self.line(caller.at, LineKind::Return);
        }
        if let Some(line) = self.lines.get_mut(self.current) {
            line.changes.retain(|other| other.variable != variable);
            line.changes.push(Set { variable, shared: matches!(place, VarStorage::Global(_)), value, ty });
        }
    }

    /// The assigned place, the value and its type, as they are shown.
    fn assigned(
        &self,
        at: Address,
        place: VarStorage,
        procedure: u32,
        value: Value,
        element: Option<(Value, Value)>,
    ) -> Option<(Cow<'m, str>, Value, Option<u32>)> {
        let (machine, told) = (self.machine, &self.machine.code.telling);
        if let Some((name, ty)) = told.shows.get(&at) {
            let value = element.map_or(value, |(_, value)| value);
            return Some((unescaped(machine.text(*name)).into(), value, Some(*ty)));
        }
        if told.notation.is_some()
            && (value == Value::Unset || element.is_none() && matches!(value, Value::Map(_)))
        {
            return None;
        }
        if matches!(place, VarStorage::Local(_)) && !machine.code.procedures[procedure as usize].told {
            return None;
        }
        let variable = machine.declaration(place, procedure);
        let name = (!variable.hidden).then(|| machine.text(variable.name))?;
        match (element, &told.notation) {
            (Some((key, value)), Some(_)) => {
                let key = machine.show(key, &TaskNumbers::default());
                Some((format!("{name}[{key}]").into(), value, variable.ty))
            }
            _ => Some((name.into(), value, variable.ty)),
        }
    }

    fn print(&mut self, print: u32) {
        let text = self.machine.printed(print, &std::mem::take(&mut self.arguments), self.tasks);
        let Some(at) = self.callers.last().map(|caller| caller.at) else { return };
        self.lines.push(Recorded { at, kind: LineKind::Print(text), changes: Vec::new(), posts: Vec::new() });
    }
}

impl Explain for Machine {
    fn task_name(&self, state: &State, task: TaskId) -> String {
        let bottom = self.stack_of(state, task.0).and_then(|(_, s)| s.frames.first().copied());
        bottom.map_or(String::new(), |frame| self.procedure_name(frame.function))
    }

    fn explain(&self, taken: &Taken<'_, State>) -> Explained {
        let recorder = Recorder {
            machine: self,
            tasks: taken.tasks,
            lines: Excerpt::of_a_step(),
            callers: Vec::new(),
            current: 0,
            element: None,
            arguments: Vec::new(),
        };
        let Some((recorder, end)) = self.outcome(taken.before, taken.task.0, taken.choices, recorder) else {
            return Explained::default();
        };
        let failed_at = match end {
            End::Fails(_, span) => Some(span),
            _ => None,
        };
        Explained { lines: recorder.lines.finish().map(|line| self.trace_line(line, taken.tasks)), failed_at }
    }

    fn variables(&self, state: &State, tasks: &TaskNumbers) -> Vec<Change> {
        let all = self.code.globals.iter().zip(state.globals.iter());
        let named = all.filter(|(global, _)| !global.hidden);
        let change = |(global, value): (&crate::code::Variable, Value)| Change {
            variable: self.text(global.name).to_owned(),
            shared: true,
            value: self.show_typed(value, global.ty, tasks),
        };
        named.map(change).chain(self.locks(state, tasks)).collect()
    }

    fn coverage(&self) -> Vec<CoverageItem> {
        self.coverage_items()
    }

    fn moved_objects(&self, taken: &Taken<'_, State>) -> Option<MovedObjects> {
        self.moved(taken.before, taken.task.0, taken.choices)
    }

    /// Constants and functions whose values come from a solver, and divisions by zero.
    fn given(&self) -> Vec<Given> {
        let show = |value: &Value| self.show(*value, &TaskNumbers::default());
        let given = self.code.given.iter().map(|GivenValue { name, args, value }| {
            let name = self.text(*name);
            let term = match args {
                None => name.to_owned(),
                Some(args) => format!("{name}({})", args.iter().map(show).collect::<Vec<_>>().join(", ")),
            };
            Given { term, value: show(value) }
        });
        let divisions = self.code.by_zero.iter().flatten().map(|Quotient { op, dividend, value }| {
            let by = match op {
                Arith::Mod => "mod 0",
                Arith::Quotient => "/ 0.0",
                _ => "div 0",
            };
            Given { term: format!("{} {by}", show(dividend)), value: show(value) }
        });
        given.chain(divisions).collect()
    }

    fn notes(&self) -> Vec<String> {
        if self.mentions() { vec![MENTIONS.to_owned()] } else { Vec::new() }
    }
}

impl Machine {
    fn trace_line(&self, line: Recorded<'_>, tasks: &TaskNumbers) -> Line {
        let change = |set: Set<'_>| Change {
            variable: set.variable.into_owned(),
            shared: set.shared,
            value: self.show_typed(set.value, set.ty, tasks),
        };
        Line {
            kind: line.kind,
            span: line.at.span,
            procedure: self.procedure_name(line.at.procedure),
            depth: line.at.depth,
            changes: line.changes.into_iter().map(change).collect(),
            posts: line.posts,
        }
    }

    fn procedure_name(&self, procedure: u32) -> String {
        self.text(self.code.procedures[procedure as usize].name).to_owned()
    }

    /// Returns true if quantifiers are evaluated only for the values that an execution mentions.
    pub fn mentions(&self) -> bool {
        self.code.partly
    }

    /// Returns true if axioms are evaluated for these values; executions that violate one are discarded.
    pub fn tries_axioms(&self) -> bool {
        self.code.tries_axioms
    }

    /// A value in the syntax of Boogie, with the tasks in it numbered as in the trace.
    pub(crate) fn show(&self, value: Value, tasks: &TaskNumbers) -> String {
        value_text(|out| self.write(value, tasks, out))
    }

    fn write(&self, value: Value, tasks: &TaskNumbers, out: &mut String) {
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
            Value::Task(n) => out.push_str(&format!("task {}", tasks.of(TaskId(n)))),
            Value::Map(id) => {
                let map = self.store.heap.maps.get(id);
                out.push('[');
                for Entry { key, value } in map.entries.iter() {
                    if is_long(out) {
                        return;
                    }
                    self.write(key, tasks, out);
                    out.push_str(" := ");
                    self.write(value, tasks, out);
                    out.push_str(", ");
                }
                out.push_str("else ");
                self.write(map.default, tasks, out);
                out.push(']');
            }
            Value::Data(id) => {
                let data = self.store.heap.data.get(id);
                if let Ok(float) = self.store.heap.as_float(value) {
                    return out.push_str(&float.to_string());
                }
                if let Ok(mode) = self.store.heap.as_rounding(value) {
                    return out.push_str(mode.spelling());
                }
                if data.constructor != DataValue::TUPLE {
                    out.push_str(self.text(self.code.constructors[data.constructor as usize]));
                }
                out.push('(');
                for (i, field) in data.fields.iter().enumerate() {
                    if is_long(out) {
                        return;
                    }
                    out.push_str(if i > 0 { ", " } else { "" });
                    dally_text::stack::grow(|| self.write(*field, tasks, out));
                }
                out.push(')');
            }
        }
    }
}
