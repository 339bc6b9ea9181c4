//! Values: words, and what they refer to, interned.
//!
//! Strings, tuples and collections are kept once. Sets and maps are sorted by content, so that those with the same
//! elements are the same, and what a program sees of their order does not depend on how they came about.
//!
//! Deviation from P: there, sets and maps are gone through in the order in which their hash tables hold them.

use std::cmp::Ordering;
use std::hash::Hasher;

use dally_explore::store::Interner;
use dally_explore::{Fingerprint, Fingerprinter};
use dally_text::stack;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Value {
    /// `null`.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A number; elements of enumerations are numbers too.
    Int(i64),
    /// A number with a fraction, by its bits.
    Float(u64),
    /// A string.
    Str(u32),
    /// An event.
    Event(u32),
    /// A machine, and which events may be sent to it.
    Machine {
        /// Its number, in the order of creation.
        id: u32,
        /// What it may be sent, among the views of the program.
        view: u32,
    },
    /// A tuple, sequence, set or map.
    Data(u32),
}

impl Value {
    pub(crate) fn float(value: f64) -> Value {
        // Zero has no sign here, and there is one value that is no number.
        Value::Float(if value == 0.0 {
            0
        } else if value.is_nan() {
            f64::NAN.to_bits()
        } else {
            value.to_bits()
        })
    }
}

/// What tuples without names have for them.
pub(crate) const UNNAMED: u32 = 0;

/// What is made of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Data {
    /// With the number of the list of its names; [`UNNAMED`] if it has none.
    Tuple(u32, Box<[Value]>),
    Seq(Box<[Value]>),
    /// Ascending.
    Set(Box<[Value]>),
    /// By keys, ascending.
    Map(Box<[(Value, Value)]>),
}

/// All that values refer to.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    strings: Interner<Box<str>>,
    data: Interner<Data>,
    /// Whether there are references to one machine with different permissions: they are equal, but not the same.
    pub(crate) views: bool,
}

impl Heap {
    pub(crate) fn string(&self, text: &str) -> Value {
        Value::Str(self.strings.intern_as(Fingerprint::of(text), || (text.into(), text.len())).id)
    }

    pub(crate) fn text(&self, string: u32) -> &str {
        self.strings.get(string)
    }

    pub(crate) fn data(&self, data: u32) -> &Data {
        self.data.get(data)
    }

    pub(crate) fn intern(&self, data: Data) -> Value {
        let mut hash = Fingerprinter::default();
        let size = match &data {
            Data::Tuple(names, values) => self.write_all(1 | u64::from(*names) << 8, values, &mut hash),
            Data::Seq(values) => self.write_all(2, values, &mut hash),
            Data::Set(values) => self.write_all(3, values, &mut hash),
            Data::Map(entries) => {
                hash.write_u64(4);
                for (key, value) in entries {
                    self.write(*key, &mut hash);
                    self.write(*value, &mut hash);
                }
                size_of_val(&**entries)
            }
        };
        Value::Data(self.data.intern_as(hash.fingerprint(), || (data, size)).id)
    }

    pub(crate) fn tuple(&self, names: u32, fields: &[Value]) -> Value {
        self.intern(Data::Tuple(names, fields.into()))
    }

    fn write_all(&self, tag: u64, values: &[Value], hash: &mut Fingerprinter) -> usize {
        hash.write_u64(tag);
        values.iter().for_each(|v| self.write(*v, hash));
        size_of_val(values)
    }

    /// Adds a value to a hash; it depends on what the value is, never on where it is kept.
    #[inline]
    pub(crate) fn write(&self, value: Value, hash: &mut Fingerprinter) {
        match value {
            Value::Null => hash.write_u64(0),
            Value::Bool(b) => hash.write_u64(1 + u64::from(b)),
            Value::Int(n) => {
                hash.write_u64(3);
                hash.write_u64(n as u64);
            }
            Value::Float(bits) => {
                hash.write_u64(4);
                hash.write_u64(bits);
            }
            Value::Event(event) => hash.write_u64(5 | u64::from(event) << 8),
            Value::Machine { id, view } => hash.write_u64(6 | u64::from(view) << 8 | u64::from(id) << 32),
            Value::Str(id) => {
                hash.write_u64(7);
                hash.write_u128(self.strings.part(id).fingerprint.0);
            }
            Value::Data(id) => {
                hash.write_u64(8);
                hash.write_u128(self.data.part(id).fingerprint.0);
            }
        }
    }

    pub(crate) fn equal(&self, a: Value, b: Value) -> bool {
        match (a, b) {
            (Value::Machine { id: a, .. }, Value::Machine { id: b, .. }) => a == b,
            (Value::Data(_), Value::Data(_)) if self.views => self.compare(a, b) == Ordering::Equal,
            _ => a == b,
        }
    }

    /// An order on all values.
    pub(crate) fn compare(&self, a: Value, b: Value) -> Ordering {
        match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(&b),
            (Value::Int(a), Value::Int(b)) => a.cmp(&b),
            (Value::Float(a), Value::Float(b)) => f64::from_bits(a).total_cmp(&f64::from_bits(b)),
            (Value::Event(a), Value::Event(b)) => a.cmp(&b),
            (Value::Machine { id: a, .. }, Value::Machine { id: b, .. }) => a.cmp(&b),
            (Value::Str(a), Value::Str(b)) => self.text(a).cmp(self.text(b)),
            (Value::Data(x), Value::Data(y)) if x == y => Ordering::Equal,
            (Value::Data(a), Value::Data(b)) => stack::grow(|| self.compare_data(self.data(a), self.data(b))),
            _ => rank(a).cmp(&rank(b)),
        }
    }

    fn compare_data(&self, a: &Data, b: &Data) -> Ordering {
        let all = |a: &[Value], b: &[Value]| {
            let differ = a.iter().zip(b).map(|(a, b)| self.compare(*a, *b)).find(|o| o.is_ne());
            differ.unwrap_or_else(|| a.len().cmp(&b.len()))
        };
        match (a, b) {
            (Data::Tuple(n, a), Data::Tuple(m, b)) => n.cmp(m).then_with(|| all(a, b)),
            (Data::Seq(a), Data::Seq(b)) | (Data::Set(a), Data::Set(b)) => all(a, b),
            (Data::Map(a), Data::Map(b)) => {
                let entry = |(a, b): (&(Value, Value), &(Value, Value))| {
                    self.compare(a.0, b.0).then_with(|| self.compare(a.1, b.1))
                };
                let differ = a.iter().zip(b).map(entry).find(|o| o.is_ne());
                differ.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            _ => rank_of(a).cmp(&rank_of(b)),
        }
    }

    /// Where a value is in a sorted list, or would be.
    pub(crate) fn find(&self, sorted: &[Value], value: Value) -> Result<usize, usize> {
        sorted.binary_search_by(|other| self.compare(*other, value))
    }

    /// Where a key is in a map, or would be.
    pub(crate) fn find_key(&self, entries: &[(Value, Value)], key: Value) -> Result<usize, usize> {
        entries.binary_search_by(|entry| self.compare(entry.0, key))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.strings.bytes() + self.data.bytes()
    }
}

fn rank(value: Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) => 2,
        Value::Float(_) => 3,
        Value::Str(_) => 4,
        Value::Event(_) => 5,
        Value::Machine { .. } => 6,
        Value::Data(_) => 7,
    }
}

fn rank_of(data: &Data) -> u8 {
    match data {
        Data::Tuple(..) => 0,
        Data::Seq(_) => 1,
        Data::Set(_) => 2,
        Data::Map(_) => 3,
    }
}
