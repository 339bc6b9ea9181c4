//! Values, each 16 bytes and `Copy`. Larger values are interned, so that equal values are equal words.

use dally_explore::store::Interner;
use dally_explore::{Fingerprint, Fingerprinter};
use dally_step::collection::{Content, Contents, Entry, Tree};
use num_bigint::{BigInt, BigUint};
use std::hash::Hasher;

use crate::real::Real;

/// A value of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Value {
    /// An arbitrary value: that of a variable which was havocked, or never assigned to.
    ///
    /// A variable of a finite type gets one of its values when it is first read, by a nondeterministic choice;
    /// an execution that reads one of an infinite type cannot be explored.
    #[default]
    Unset,
    /// A boolean.
    Bool(bool),
    /// An integer of 64 bits; all others are [`Value::Big`].
    Int(i64),
    /// An integer beyond 64 bits, in the heap.
    Big(u32),
    /// A real, in the heap.
    Real(u32),
    /// A bitvector of up to 64 bits; its width is known from its type.
    Bv(u64),
    /// A bitvector of more than 64 bits, in the heap.
    Wide(u32),
    /// A map, in the heap.
    Map(u32),
    /// A value of a datatype, or a tuple of indices, in the heap.
    Data(u32),
    /// A value of a type without a definition, distinct from all others of its type.
    Atom(u32),
    /// A task.
    Task(u32),
}

impl Value {
    /// The boolean, if it is one.
    pub(crate) fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The integer, if it is one of 64 bits.
    pub(crate) fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The value as a kind and a word. Kinds below 8 need no heap.
    pub(crate) fn word(self) -> (u8, u64) {
        match self {
            Value::Unset => (0, 0),
            Value::Bool(b) => (1, u64::from(b)),
            Value::Int(n) => (2, n as u64),
            Value::Bv(n) => (3, n),
            Value::Atom(n) => (4, u64::from(n)),
            Value::Task(n) => (5, u64::from(n)),
            Value::Big(id) => (8, u64::from(id)),
            Value::Map(id) => (9, u64::from(id)),
            Value::Data(id) => (10, u64::from(id)),
            Value::Real(id) => (11, u64::from(id)),
            Value::Wide(id) => (12, u64::from(id)),
        }
    }

    /// The value of a kind and a word, as [`word`](Self::word) gives them.
    pub(crate) fn from_word(kind: u8, word: u64) -> Self {
        match kind {
            1 => Value::Bool(word != 0),
            2 => Value::Int(word as i64),
            3 => Value::Bv(word),
            4 => Value::Atom(word as u32),
            5 => Value::Task(word as u32),
            8 => Value::Big(word as u32),
            9 => Value::Map(word as u32),
            10 => Value::Data(word as u32),
            11 => Value::Real(word as u32),
            12 => Value::Wide(word as u32),
            _ => Value::Unset,
        }
    }
}

/// A map: finitely many entries, and a default value for all other keys.
///
/// Invariants: the entries are sorted by [`order`] of their keys, and the value of none is the default.
#[derive(Debug)]
pub(crate) struct MapValue {
    /// The value of all other keys.
    pub(crate) default: Value,
    /// The entries.
    pub(crate) entries: Tree<Entry<Value>>,
    /// The number of values that are not [known](Heap::is_known), the default included.
    unknown: usize,
}

/// The entries of a map, as fingerprints see them. Their order depends on the heap where keys are not words.
struct Entries<'h>(&'h Heap);

impl Content<Entry<Value>> for Entries<'_> {
    const ORDERED: bool = false;

    fn hash(&self, entry: Entry<Value>) -> Fingerprint {
        self.0.fingerprint_of(u64::MAX - 1, &[entry.key, entry.value])
    }
}

/// A constructor applied to values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DataValue {
    /// Which constructor; [`DataValue::TUPLE`] for several indices of a map.
    pub(crate) constructor: u32,
    /// The fields.
    pub(crate) fields: Box<[Value]>,
    /// True if no part of it is arbitrary.
    pub(crate) known: bool,
}

impl DataValue {
    /// The constructor of tuples.
    pub(crate) const TUPLE: u32 = u32::MAX;
}

/// The values that do not fit into a word, interned, for all states.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    /// Integers beyond 64 bits.
    pub(crate) bigs: Interner<BigInt>,
    /// Reals.
    pub(crate) reals: Interner<Real>,
    /// Bitvectors beyond 64 bits.
    pub(crate) wides: Interner<BigUint>,
    /// Maps.
    pub(crate) maps: Interner<MapValue>,
    /// Values of datatypes.
    pub(crate) data: Interner<DataValue>,
}

impl Heap {
    /// Writes a value to a hash: its content, not its id, which depends on the order in which threads intern values.
    pub(crate) fn write(&self, value: Value, hash: &mut Fingerprinter) {
        match value {
            Value::Big(id) => hash.write_u128(self.bigs.part(id).fingerprint.0),
            Value::Real(id) => hash.write_u128(self.reals.part(id).fingerprint.0),
            Value::Wide(id) => hash.write_u128(self.wides.part(id).fingerprint.0),
            Value::Map(id) => hash.write_u128(self.maps.part(id).fingerprint.0),
            Value::Data(id) => hash.write_u128(self.data.part(id).fingerprint.0),
            _ => {
                let (kind, word) = value.word();
                hash.write_u64(word.wrapping_mul(8).wrapping_add(u64::from(kind)) ^ (word >> 61));
            }
        }
    }

    fn fingerprint_of(&self, tag: u64, values: &[Value]) -> Fingerprint {
        let mut hash = Fingerprinter::default();
        hash.write_u64(tag);
        for value in values {
            self.write(*value, &mut hash);
        }
        hash.fingerprint()
    }

    /// The value of an integer. Equal integers have equal values.
    pub(crate) fn int(&self, n: BigInt) -> Value {
        match i64::try_from(&n) {
            Ok(n) => Value::Int(n),
            Err(_) => {
                let bytes = n.bits() as usize / 8;
                Value::Big(self.bigs.intern_sized(n, bytes).id)
            }
        }
    }

    /// The integer, if the value is one.
    pub(crate) fn big(&self, value: Value) -> Option<BigInt> {
        match value {
            Value::Int(n) => Some(n.into()),
            Value::Big(id) => Some(self.bigs.get(id).clone()),
            _ => None,
        }
    }

    /// The value of a real.
    pub(crate) fn real(&self, n: Real) -> Value {
        let bytes = n.bits() as usize / 8;
        Value::Real(self.reals.intern_sized(n, bytes).id)
    }

    /// The real that is equal to a number.
    pub(crate) fn as_real(&self, value: Value) -> Option<Real> {
        match value {
            Value::Real(id) => Some(self.reals.get(id).clone()),
            _ => self.big(value).map(Real::from_int),
        }
    }

    /// The bitvector of a width with these bits.
    pub(crate) fn bits(&self, n: BigUint, width: u32) -> Value {
        if width <= 64 {
            return Value::Bv(n.iter_u64_digits().next().unwrap_or(0));
        }
        let bytes = n.bits() as usize / 8;
        Value::Wide(self.wides.intern_sized(n, bytes).id)
    }

    /// A value of a datatype.
    pub(crate) fn construct(&self, constructor: u32, fields: &[Value]) -> Value {
        let fingerprint = self.fingerprint_of(u64::from(constructor), fields);
        let value = || {
            let known = fields.iter().all(|field| self.is_known(*field));
            (DataValue { constructor, fields: fields.into(), known }, size_of_val(fields))
        };
        let part = self.data.intern_as(fingerprint, value);
        Value::Data(part.id)
    }

    /// The key for these indices.
    pub(crate) fn key(&self, indices: &[Value]) -> Value {
        match indices {
            [index] => *index,
            _ => self.construct(DataValue::TUPLE, indices),
        }
    }

    /// The map with this value at every key.
    pub(crate) fn constant_map(&self, default: Value) -> Value {
        self.intern_map(self.without_entries(default))
    }

    /// True if no part of a value is arbitrary.
    pub(crate) fn is_known(&self, value: Value) -> bool {
        match value {
            Value::Unset => false,
            Value::Map(id) => self.maps.get(id).unknown == 0,
            Value::Data(id) => self.data.get(id).known,
            _ => true,
        }
    }

    fn without_entries(&self, default: Value) -> MapValue {
        MapValue { default, entries: Tree::default(), unknown: usize::from(!self.is_known(default)) }
    }

    fn intern_map(&self, map: MapValue) -> Value {
        let contents = match map.entries.content() {
            Contents::Flat(entries) => {
                let hashes = entries.iter().map(|entry| Entries(self).hash(*entry));
                hashes.fold(Fingerprint::default(), Fingerprint::plus)
            }
            Contents::Large(hash) => hash,
        };
        let fingerprint = self.fingerprint_of(u64::MAX, &[map.default]).plus(contents);
        let sized = || {
            let bytes = map.entries.update_bytes();
            (map, bytes)
        };
        Value::Map(self.maps.intern_as(fingerprint, sized).id)
    }

    /// The map with these entries, in any order.
    pub(crate) fn map_of(&self, default: Value, mut entries: Vec<Entry<Value>>) -> Value {
        entries.retain(|entry| entry.value != default);
        entries.sort_unstable_by_key(|entry| order(entry.key));
        let unknown = entries.iter().filter(|entry| !self.is_known(entry.value)).count();
        let unknown = unknown + usize::from(!self.is_known(default));
        self.intern_map(MapValue { default, entries: Tree::new(entries, &Entries(self)), unknown })
    }

    /// The position of the first entry of a map whose key is at least this one.
    pub(crate) fn position(&self, map: &MapValue, key: Value) -> usize {
        search(map, key).unwrap_or_else(|place| place)
    }

    /// The value of a map at a key.
    pub(crate) fn select(&self, map: Value, key: Value) -> Value {
        let Value::Map(id) = map else { return Value::Unset };
        let map = self.maps.get(id);
        let found = search(map, key).ok().and_then(|place| map.entries.get(place));
        found.map_or(map.default, |entry| entry.value)
    }

    /// The map with another value at a key. A value that is not yet a map becomes one whose other values
    /// are arbitrary.
    pub(crate) fn store(&self, map: Value, key: Value, value: Value) -> Value {
        let nothing = self.without_entries(Value::Unset);
        let old = match map {
            Value::Map(id) => self.maps.get(id),
            _ => &nothing,
        };
        let place = search(old, key);
        let before = place.ok().and_then(|place| old.entries.get(place)).map(|entry| entry.value);
        if before == Some(value) {
            return map;
        }
        let (entries, new) = (&old.entries, Entry { key, value });
        let entries = match place {
            Ok(place) if value == old.default => entries.remove(place, &Entries(self)),
            Ok(place) => entries.replace(place, new, &Entries(self)),
            Err(_) if value == old.default => {
                return if let Value::Map(_) = map { map } else { self.constant_map(old.default) };
            }
            Err(place) => entries.insert(place, new, &Entries(self)),
        };
        let is_unknown = |value| usize::from(!self.is_known(value));
        let after = if value == old.default { None } else { Some(value) };
        let unknown = old.unknown + after.map_or(0, is_unknown) - before.map_or(0, is_unknown);
        self.intern_map(MapValue { default: old.default, entries, unknown })
    }

    /// The approximate size of the values in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bigs.bytes() + self.reals.bytes() + self.wides.bytes() + self.maps.bytes() + self.data.bytes()
    }
}

/// The position of a key among the entries of a map, or the one at which it has to be inserted.
fn search(map: &MapValue, key: Value) -> Result<usize, usize> {
    let key = order(key);
    map.entries.search(|entry| order(entry.key).cmp(&key))
}

/// A total order on values, by which the entries of maps are sorted.
fn order(value: Value) -> (u8, i64) {
    match value {
        Value::Unset => (0, 0),
        Value::Bool(b) => (1, i64::from(b)),
        Value::Int(n) => (2, n),
        Value::Big(id) => (3, i64::from(id)),
        Value::Bv(n) => (4, n as i64),
        Value::Map(id) => (5, i64::from(id)),
        Value::Data(id) => (6, i64::from(id)),
        Value::Atom(n) => (7, i64::from(n)),
        Value::Task(n) => (8, i64::from(n)),
        Value::Real(id) => (9, i64::from(id)),
        Value::Wide(id) => (10, i64::from(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_equal_if_their_values_are() {
        let heap = Heap::default();
        let zero = heap.constant_map(Value::Int(0));
        let one = heap.store(zero, Value::Int(5), Value::Int(1));
        assert_ne!(zero, one);
        assert_eq!(heap.select(one, Value::Int(5)), Value::Int(1));
        assert_eq!(heap.select(one, Value::Int(6)), Value::Int(0));
        assert_eq!(heap.store(one, Value::Int(5), Value::Int(0)), zero);
        let a = heap.store(one, Value::Int(3), Value::Int(2));
        let b = heap.store(heap.store(zero, Value::Int(3), Value::Int(2)), Value::Int(5), Value::Int(1));
        assert_eq!(a, b);
    }

    #[test]
    fn integers_have_one_form() {
        let heap = Heap::default();
        assert_eq!(heap.int(BigInt::from(7)), Value::Int(7));
        let large: BigInt = BigInt::from(i64::MAX) + 1;
        assert_eq!(heap.int(large.clone()), heap.int(large.clone()));
        assert_eq!(heap.int(large - 1), Value::Int(i64::MAX));
    }
}
