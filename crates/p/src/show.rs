//! Formatting of values.

use dally_explore::{is_long, value_text};
use dally_step::collection::Entry;
use dally_text::stack;

use crate::check::info::Info;
use crate::check::types::{Kind, Ty};
use crate::code::Code;
use crate::value::{Data, Heap, Value};

/// Formats values as P's `format` does, except for machines and large floating-point numbers.
pub(crate) struct Writer<'a> {
    code: &'a Code,
    heap: &'a Heap,
    /// The remaining budget in bytes: shared values can be exponentially long as text.
    left: usize,
}

impl<'a> Writer<'a> {
    /// The budget in bytes.
    pub(crate) const LONGEST: usize = 1 << 16;

    pub(crate) fn new(code: &'a Code, heap: &'a Heap) -> Self {
        Writer { code, heap, left: Self::LONGEST }
    }

    /// Returns true if the budget was exceeded.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn text(&mut self, value: Value) -> String {
        let mut out = String::new();
        self.write(value, &mut out);
        out
    }

    fn write(&mut self, value: Value, out: &mut String) {
        let before = out.len();
        match value {
            _ if self.left == 0 => {}
            Value::Null => {}
            Value::Bool(b) => out.push_str(if b { "True" } else { "False" }),
            Value::Int(n) => out.push_str(&n.to_string()),
            Value::Float(bits) => out.push_str(&f64::from_bits(bits).to_string()),
            Value::Str(text) => out.push_str(self.heap.text(text)),
            Value::Event(event) => out.push_str(&self.code.events[event as usize].name),
            Value::Machine { id, .. } => out.push_str(&format!("machine {id}")),
            Value::Data(id) => return stack::grow(|| self.write_data(self.heap.data(id), out)),
        }
        self.left = self.left.saturating_sub(1 + out.len() - before);
    }

    fn write_data(&mut self, data: &Data, out: &mut String) {
        self.left = self.left.saturating_sub(1);
        match data {
            Data::Tuple(names, values) => {
                let names = &self.code.names[*names as usize];
                out.push('<');
                for (nth, value) in values.iter().enumerate() {
                    if let Some(name) = names.get(nth) {
                        out.push_str(&format!("{name}:"));
                    }
                    self.write(*value, out);
                    out.push_str(if names.is_empty() { "," } else { ", " });
                }
                out.push('>');
            }
            Data::Seq(values) => {
                let all: Vec<_> = values.iter().map(|value| self.text(value)).collect();
                out.push_str(&format!("({})", all.join(", ")));
            }
            Data::Set(values) => {
                let all = values.iter().map(|value| (self.text(value), String::new())).collect();
                sorted(all, out);
            }
            Data::Map(entries) => {
                let text = |e: Entry<Value>| (self.text(e.key), format!("->{}", self.text(e.value)));
                sorted(entries.iter().map(text).collect(), out);
            }
        }
    }
}

/// Writes elements, each with the text that follows it, in P's order: by UTF-16 code units.
fn sorted(mut elements: Vec<(String, String)>, out: &mut String) {
    elements.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
    let all: Vec<_> = elements.into_iter().map(|(key, rest)| format!("<{key}{rest}>")).collect();
    out.push_str(&format!("({})", all.join(", ")));
}

/// Formats values by their types, with the names of fields and of elements of enumerations.
pub(crate) struct Shower<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) info: &'a Info,
    pub(crate) text: &'a dyn Fn(dally_text::symbol::Sym) -> String,
    pub(crate) machine: &'a dyn Fn(u32) -> String,
    pub(crate) event: &'a dyn Fn(u32) -> String,
}

impl Shower<'_> {
    pub(crate) fn show(&self, value: Value, ty: Ty) -> String {
        value_text(|out| self.write(value, ty, out))
    }

    fn write(&self, value: Value, ty: Ty, out: &mut String) {
        if is_long(out) {
            return;
        }
        match (value, self.info.types.kind(ty)) {
            (Value::Null, _) => out.push_str("null"),
            (Value::Bool(b), _) => out.push_str(&b.to_string()),
            (Value::Int(n), Kind::Enum(e)) => {
                let elements = &self.info.enums[*e as usize].elements;
                match elements.iter().find(|element| element.value == n) {
                    Some(element) => out.push_str(&(self.text)(element.name)),
                    None => out.push_str(&n.to_string()),
                }
            }
            (Value::Int(n), _) => out.push_str(&n.to_string()),
            (Value::Float(bits), _) => out.push_str(&format!("{:?}", f64::from_bits(bits))),
            (Value::Str(text), _) => out.push_str(&format!("{:?}", self.heap.text(text))),
            (Value::Event(event), _) => out.push_str(&(self.event)(event)),
            (Value::Machine { id, .. }, _) => out.push_str(&(self.machine)(id)),
            (Value::Data(id), kind) => stack::grow(|| self.write_data(self.heap.data(id), kind, ty, out)),
        }
    }

    fn write_data(&self, data: &Data, kind: &Kind, any: Ty, out: &mut String) {
        let element = match kind {
            Kind::Seq(t) | Kind::Set(t) => *t,
            _ => any,
        };
        match (data, kind) {
            (Data::Tuple(_, values), Kind::Named(fields)) => {
                self.many(values.iter().zip(fields), ("(", ")"), out, |s, (value, field), out| {
                    out.push_str(&(s.text)(field.0));
                    out.push_str(" = ");
                    s.write(*value, field.1, out);
                });
            }
            (Data::Tuple(_, values), Kind::Tuple(types)) => {
                self.many(values.iter().zip(types), ("(", ")"), out, |s, (v, t), out| s.write(*v, *t, out));
            }
            (Data::Tuple(_, values), _) => {
                self.many(values.iter(), ("(", ")"), out, |s, v, out| s.write(*v, element, out));
            }
            (Data::Seq(values), _) => {
                self.many(values.iter(), ("[", "]"), out, |s, v, out| s.write(v, element, out));
            }
            (Data::Set(values), _) => {
                self.many(values.iter(), ("{", "}"), out, |s, v, out| s.write(v, element, out));
            }
            (Data::Map(entries), kind) => {
                let (k, v) = if let Kind::Map(k, v) = kind { (*k, *v) } else { (any, any) };
                self.many(entries.iter(), ("{", "}"), out, |s, entry, out| {
                    s.write(entry.key, k, out);
                    out.push_str(" -> ");
                    s.write(entry.value, v, out);
                });
            }
        }
    }

    fn many<A>(
        &self,
        all: impl Iterator<Item = A>,
        around: (&str, &str),
        out: &mut String,
        one: impl Fn(&Self, A, &mut String),
    ) {
        out.push_str(around.0);
        for (i, item) in all.enumerate() {
            if is_long(out) {
                return;
            }
            out.push_str(if i > 0 { ", " } else { "" });
            one(self, item, out);
        }
        out.push_str(around.1);
    }
}
