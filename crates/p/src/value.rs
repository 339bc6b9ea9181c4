//! Values: words, and the interned strings, tuples and collections that they refer to.
//!
//! Sets and maps are sorted by content: those with the same elements are equal, and the order that a program observes
//! depends on the elements alone.
//!
//! Deviation from P: there, programs iterate over sets and maps in the order of their hash tables.

use std::cmp::Ordering;
use std::hash::Hasher;

use dally_explore::store::Interner;
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::collection::{Content, Contents, Entry, Tree};
use dally_text::stack;
use serde::{Deserialize, Serialize};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Value {
    /// `null`.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A number; elements of enumerations are numbers too.
    Int(i64),
    /// A floating-point number, by its bits.
    Float(u64),
    /// A string.
    Str(u32),
    /// An event.
    Event(u32),
    /// A reference to a machine, with its permissions.
    Machine {
        /// Its number, in the order of creation.
        id: u32,
        /// The events that may be sent to it, as an index into the views of the program.
        view: u32,
    },
    /// A tuple, sequence, set or map.
    Data(u32),
}

impl Value {
    pub(crate) fn float(value: f64) -> Value {
        // Zeros of both signs are one value, and so are all NaNs.
        Value::Float(if value == 0.0 {
            0
        } else if value.is_nan() {
            f64::NAN.to_bits()
        } else {
            value.to_bits()
        })
    }
}

/// The list of names of tuples without names.
pub(crate) const UNNAMED: u32 = 0;

/// A compound value.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// A tuple, with the number of the list of its names; [`UNNAMED`] if it has none.
    Tuple(u32, Box<[Value]>),
    Seq(Tree<Value>),
    /// Ascending.
    Set(Tree<Value>),
    /// Ascending by key.
    Map(Tree<Entry<Value>>),
}

impl Data {
    /// The number of fields, elements or entries.
    pub(crate) fn len(&self) -> usize {
        match self {
            Data::Tuple(_, fields) => fields.len(),
            Data::Seq(values) | Data::Set(values) => values.len(),
            Data::Map(entries) => entries.len(),
        }
    }
}

/// The hash of elements of sequences.
pub(crate) struct InSeq<'h>(pub(crate) &'h Heap);

impl Content<Value> for InSeq<'_> {
    const ORDERED: bool = true;

    fn hash(&self, element: Value) -> Fingerprint {
        self.0.fingerprint_of(&[element])
    }
}

/// The hash of elements of sets.
pub(crate) struct InSet<'h>(pub(crate) &'h Heap);

impl Content<Value> for InSet<'_> {
    const ORDERED: bool = false;

    fn hash(&self, element: Value) -> Fingerprint {
        self.0.fingerprint_of(&[element])
    }
}

/// The hash of entries of maps.
pub(crate) struct InMap<'h>(pub(crate) &'h Heap);

impl Content<Entry<Value>> for InMap<'_> {
    const ORDERED: bool = false;

    fn hash(&self, entry: Entry<Value>) -> Fingerprint {
        self.0.fingerprint_of(&[entry.key, entry.value])
    }
}

/// The strings, tuples and collections of a program.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    strings: Interner<Box<str>>,
    data: Interner<Data>,
    /// True if references to one machine may have different permissions: such references are equal, but have different
    /// fingerprints.
    pub(crate) views: bool,
}

impl Heap {
    /// The number of strings and of other values.
    pub(crate) fn len(&self) -> [u32; 2] {
        [self.strings.len() as u32, self.data.len() as u32]
    }

    /// A heap with the first values of this one.
    pub(crate) fn prefix(&self, [strings, data]: [u32; 2]) -> Self {
        Heap { strings: self.strings.prefix(strings), data: self.data.prefix(data), views: self.views }
    }

    pub(crate) fn string(&self, text: &str) -> Value {
        Value::Str(self.strings.intern_as(Fingerprint::of(text), || (text.into(), text.len())).id)
    }

    pub(crate) fn text(&self, string: u32) -> &str {
        self.strings.get(string)
    }

    pub(crate) fn data(&self, data: u32) -> &Data {
        self.data.get(data)
    }

    /// Interns a collection that one update has made from an interned one.
    pub(crate) fn intern(&self, data: Data) -> Value {
        let bytes = match &data {
            Data::Tuple(_, fields) => size_of_val(&**fields),
            Data::Seq(values) | Data::Set(values) => values.update_bytes(),
            Data::Map(entries) => entries.update_bytes(),
        };
        self.intern_sized(data, bytes)
    }

    /// The sequence of these values.
    pub(crate) fn seq(&self, values: Vec<Value>) -> Value {
        let values = Tree::new(values, &InSeq(self));
        let bytes = values.bytes();
        self.intern_sized(Data::Seq(values), bytes)
    }

    fn intern_sized(&self, data: Data, bytes: usize) -> Value {
        let mut hash = Fingerprinter::default();
        match &data {
            Data::Tuple(names, fields) => self.write_all(1 | u64::from(*names) << 8, fields, &mut hash),
            Data::Seq(values) => self.write_collection(2, values, &mut hash),
            Data::Set(values) => self.write_collection(3, values, &mut hash),
            Data::Map(entries) => match entries.content() {
                Contents::Flat(entries) => {
                    hash.write_u64(4);
                    for entry in entries {
                        self.write(entry.key, &mut hash);
                        self.write(entry.value, &mut hash);
                    }
                }
                Contents::Large(content) => write_large(4, content, &mut hash),
            },
        }
        Value::Data(self.data.intern_as(hash.fingerprint(), || (data, bytes)).id)
    }

    pub(crate) fn tuple(&self, names: u32, fields: &[Value]) -> Value {
        self.intern(Data::Tuple(names, fields.into()))
    }

    fn write_all(&self, tag: u64, values: &[Value], hash: &mut Fingerprinter) {
        hash.write_u64(tag);
        values.iter().for_each(|v| self.write(*v, hash));
    }

    fn write_collection(&self, tag: u64, values: &Tree<Value>, hash: &mut Fingerprinter) {
        match values.content() {
            Contents::Flat(values) => self.write_all(tag, values, hash),
            Contents::Large(content) => write_large(tag, content, hash),
        }
    }

    fn fingerprint_of(&self, values: &[Value]) -> Fingerprint {
        let mut hash = Fingerprinter::default();
        values.iter().for_each(|v| self.write(*v, &mut hash));
        hash.fingerprint()
    }

    /// Writes a value to a hash: its content, not its id, which depends on the order in which threads intern values.
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

    /// Compares values by content: a total order.
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
        let values = |a, b| self.compare(a, b);
        match (a, b) {
            (Data::Tuple(n, a), Data::Tuple(m, b)) => n.cmp(m).then_with(|| {
                let unequal = a.iter().zip(b).map(|(a, b)| self.compare(*a, *b)).find(|o| o.is_ne());
                unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
            }),
            (Data::Seq(a), Data::Seq(b)) | (Data::Set(a), Data::Set(b)) => a.compare(b, values),
            (Data::Map(a), Data::Map(b)) => {
                a.compare(b, |a, b| values(a.key, b.key).then_with(|| values(a.value, b.value)))
            }
            _ => rank_of(a).cmp(&rank_of(b)),
        }
    }

    /// The number of options of a choice among the elements of a collection, or the keys of a map.
    pub(crate) fn options(&self, collection: Value) -> usize {
        match collection {
            Value::Data(id) => self.data(id).len(),
            _ => 0,
        }
    }

    /// One of these options.
    pub(crate) fn option(&self, collection: Value, nth: usize) -> Value {
        let option = match collection {
            Value::Data(id) => match self.data(id) {
                Data::Map(entries) => entries.get(nth).map(|entry| entry.key),
                Data::Seq(values) | Data::Set(values) => values.get(nth),
                Data::Tuple(_, fields) => fields.get(nth).copied(),
            },
            _ => None,
        };
        option.unwrap_or_default()
    }

    /// The position of an element in a set, or the one at which it has to be inserted.
    pub(crate) fn find(&self, set: &Tree<Value>, value: Value) -> Result<usize, usize> {
        set.search(|other| self.compare(other, value))
    }

    /// The position of a key in a map, or the one at which it has to be inserted.
    pub(crate) fn find_key(&self, map: &Tree<Entry<Value>>, key: Value) -> Result<usize, usize> {
        map.search(|entry| self.compare(entry.key, key))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.strings.bytes() + self.data.bytes()
    }
}

/// Writes a large collection to a hash.
fn write_large(tag: u64, content: Fingerprint, hash: &mut Fingerprinter) {
    // No small collection and no tuple starts with this word.
    hash.write_u64(tag | 1 << 63);
    hash.write_u128(content.0);
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
