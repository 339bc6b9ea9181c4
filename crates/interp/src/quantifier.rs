//! The values that an execution mentions: the instances of quantifiers over types too large to enumerate.
//!
//! They are the values of literals, constants, inputs, globals and visible locals, all values contained in
//! maps and datatypes among these, and, for numbers, one above the maximum and one below the minimum. For
//! each quantifier that matters to a failure, the inputs contain a witness.

use dally_bpl::check::Ty;
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use crate::code::{Arith, Code};
use crate::evaluate::arith;
use crate::real::Real;
use crate::value::{DataValue, Heap, Value};

/// The limit on the instances of a quantifier.
const MOST: usize = 256;
/// The limit on the values visited in search of instances.
const MOST_VISITS: usize = 1 << 14;

/// A runtime description of a type, by which values are tested for membership. Parts are indices into
/// [`Code::kinds`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Bool,
    Int,
    Real,
    Bv(u32),
    /// A type without a definition.
    Abstract(Ty),
    Map(Vec<u32>, u32),
    /// The constructors of a datatype, with their fields.
    Data(Vec<(u32, Vec<u32>)>),
    /// Not describable: it has no members.
    Unknown,
}

/// Collects the mentioned values of a kind.
pub(crate) struct Mentioned<'m> {
    code: &'m Code,
    heap: &'m Heap,
    kind: &'m Kind,
    seen: FxHashSet<(u8, u64)>,
    found: Vec<Value>,
}

impl<'m> Mentioned<'m> {
    pub(crate) fn new(code: &'m Code, heap: &'m Heap, kind: u32) -> Self {
        let kind = &code.kinds[kind as usize];
        let mut this = Mentioned { code, heap, kind, seen: FxHashSet::default(), found: Vec::new() };
        this.look(code.mentioned.iter().copied());
        this
    }

    /// Visits values and all values that they contain.
    pub(crate) fn look(&mut self, values: impl Iterator<Item = Value>) {
        let mut todo: Vec<Value> = values.collect();
        todo.reverse();
        while let Some(value) = todo.pop() {
            if self.found.len() >= MOST || self.seen.len() >= MOST_VISITS {
                return;
            }
            if value == Value::Unset || !self.seen.insert(value.word()) {
                continue;
            }
            if self.belongs_to(value, self.kind) {
                self.found.push(value);
            }
            match value {
                Value::Map(id) => {
                    let map = self.heap.maps.get(id);
                    let from = todo.len();
                    todo.extend(map.entries.iter().flat_map(|entry| [entry.key, entry.value]));
                    todo[from..].reverse();
                    todo.push(map.default);
                }
                Value::Data(id) => todo.extend(self.heap.data.get(id).fields.iter().rev()),
                _ => {}
            }
        }
    }

    /// The values found, and for numbers one beyond each end, as a tuple.
    pub(crate) fn tuple(mut self) -> Value {
        for (op, beyond) in
            [(Arith::Add, std::cmp::Ordering::Greater), (Arith::Sub, std::cmp::Ordering::Less)]
        {
            let extreme =
                self.found.iter().copied().reduce(|a, b| if self.order(a, b) == beyond { a } else { b });
            let number = matches!(self.kind, Kind::Int | Kind::Real);
            let next = extreme.filter(|_| number).map(|value| arith(self.heap, op, value, Value::Int(1)));
            self.found.extend(next.and_then(Result::ok));
        }
        self.heap.construct(DataValue::TUPLE, &self.found)
    }

    fn order(&self, a: Value, b: Value) -> std::cmp::Ordering {
        let number = |value| self.heap.as_real(value).unwrap_or_else(|| Real::from_int(BigInt::ZERO));
        number(a).cmp(&number(b))
    }

    /// Returns true if a value is of a kind.
    fn belongs_to(&self, value: Value, kind: &Kind) -> bool {
        let part = |value: Value, kind: &u32| {
            dally_text::stack::grow(|| self.belongs_to(value, &self.code.kinds[*kind as usize]))
        };
        match (kind, value) {
            (Kind::Bool, Value::Bool(_)) | (Kind::Int, Value::Int(_) | Value::Big(_)) => true,
            (Kind::Real, Value::Real(_)) => true,
            (Kind::Bv(width), Value::Bv(n)) => *width <= 64 && crate::bv::wrap(n, *width as u8) == n,
            (Kind::Bv(width), Value::Wide(id)) => {
                *width > 64 && self.heap.wides.get(id).bits() <= u64::from(*width)
            }
            (Kind::Abstract(ty), Value::Atom(n)) => self.code.atom_types[n as usize] == Some(*ty),
            (Kind::Map(indices, result), Value::Map(id)) => {
                let map = self.heap.maps.get(id);
                let is_key = |key: Value| match (&indices[..], key) {
                    ([index], _) => part(key, index),
                    (_, Value::Data(id)) => {
                        let fields = &self.heap.data.get(id).fields;
                        fields.len() == indices.len() && fields.iter().zip(indices).all(|(f, i)| part(*f, i))
                    }
                    _ => false,
                };
                part(map.default, result)
                    && map.entries.iter().all(|entry| is_key(entry.key) && part(entry.value, result))
            }
            (Kind::Data(constructors), Value::Data(id)) => {
                let data = self.heap.data.get(id);
                let own = constructors.iter().find(|(constructor, _)| *constructor == data.constructor);
                own.is_some_and(|(_, kinds)| data.fields.iter().zip(kinds).all(|(f, kind)| part(*f, kind)))
            }
            _ => false,
        }
    }
}
