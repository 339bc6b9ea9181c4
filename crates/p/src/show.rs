//! Values as text.

use dally_bpl::stack;

use crate::check::info::Info;
use crate::check::types::{Kind, Ty};
use crate::code::Code;
use crate::value::{Data, Heap, Value};

/// A value as P writes it in a string.
pub(crate) fn write(context: &(&Code, &Heap), value: Value, out: &mut String) {
    let (code, heap) = context;
    // What is longer is not read by anybody; a program may make it without end.
    const MOST: usize = 1 << 16;
    if out.len() > MOST {
        return;
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Float(bits) => out.push_str(&f64::from_bits(bits).to_string()),
        Value::Str(text) => out.push_str(heap.text(text)),
        Value::Event(event) => out.push_str(&code.events[event as usize].0),
        Value::Machine { id, .. } => out.push_str(&format!("machine {id}")),
        Value::Data(id) => stack::grow(|| match heap.data(id) {
            Data::Tuple(values) | Data::Seq(values) => list(context, values, ("", ""), out),
            Data::Set(values) => list(context, values, ("<", ">"), out),
            Data::Map(entries) => {
                out.push('(');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ", <" } else { "<" });
                    write(context, *key, out);
                    out.push_str("->");
                    write(context, *value, out);
                    out.push('>');
                }
                out.push(')');
            }
        }),
    }
}

fn list(context: &(&Code, &Heap), values: &[Value], around: (&str, &str), out: &mut String) {
    out.push('(');
    for (i, value) in values.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        out.push_str(around.0);
        write(context, *value, out);
        out.push_str(around.1);
    }
    out.push(')');
}

/// Shows values by their types: fields and elements of enumerations have names.
pub(crate) struct Shower<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) info: &'a Info,
    pub(crate) text: &'a dyn Fn(dally_bpl::symbol::Sym) -> String,
    pub(crate) machine: &'a dyn Fn(u32) -> String,
    pub(crate) event: &'a dyn Fn(u32) -> String,
}

impl Shower<'_> {
    pub(crate) fn show(&self, value: Value, ty: Ty) -> String {
        let mut out = String::new();
        self.write(value, ty, &mut out);
        out
    }

    fn write(&self, value: Value, ty: Ty, out: &mut String) {
        const MOST: usize = 120;
        if out.len() > MOST {
            if !out.ends_with('…') {
                out.push('…');
            }
            return;
        }
        match (value, self.info.types.kind(ty)) {
            (Value::Null, _) => out.push_str("null"),
            (Value::Bool(b), _) => out.push_str(&b.to_string()),
            (Value::Int(n), Kind::Enum(e)) => {
                let elements = &self.info.enums[*e as usize].1;
                match elements.iter().find(|element| element.1 == n) {
                    Some(element) => out.push_str(&(self.text)(element.0)),
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
            (Data::Tuple(values), Kind::Named(fields)) => {
                self.many(values.iter().zip(fields), ("(", ")"), out, |s, (value, field), out| {
                    out.push_str(&(s.text)(field.0));
                    out.push_str(" = ");
                    s.write(*value, field.1, out);
                });
            }
            (Data::Tuple(values), Kind::Tuple(types)) => {
                self.many(values.iter().zip(types), ("(", ")"), out, |s, (v, t), out| s.write(*v, *t, out));
            }
            (Data::Tuple(values), _) => {
                self.many(values.iter(), ("(", ")"), out, |s, v, out| s.write(*v, element, out));
            }
            (Data::Seq(values), _) => {
                self.many(values.iter(), ("[", "]"), out, |s, v, out| s.write(*v, element, out));
            }
            (Data::Set(values), _) => {
                self.many(values.iter(), ("{", "}"), out, |s, v, out| s.write(*v, element, out));
            }
            (Data::Map(entries), kind) => {
                let (k, v) = if let Kind::Map(k, v) = kind { (*k, *v) } else { (any, any) };
                self.many(entries.iter(), ("{", "}"), out, |s, (key, value), out| {
                    s.write(*key, k, out);
                    out.push_str(" -> ");
                    s.write(*value, v, out);
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
            out.push_str(if i > 0 { ", " } else { "" });
            one(self, item, out);
        }
        out.push_str(around.1);
    }
}
