//! The globals of a state, packed: one byte for each, and nine more for each value that does not fit into a byte.
//!
//! A frontier has millions of states, and most values of most programs are small.

use smallvec::SmallVec;

use crate::value::Value;

/// Packed values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The number of values.
    len: u32,
    /// A byte for each value, then the words of the large values.
    bytes: SmallVec<[u8; 36]>,
}

impl Clone for Packed {
    fn clone(&self) -> Self {
        // `SmallVec::clone` copies element by element.
        Packed { len: self.len, bytes: SmallVec::from_slice(&self.bytes) }
    }
}

/// The byte of a value whose word comes later.
const LARGE: u8 = u8::MAX;
/// The bytes of a word: a kind and eight bytes.
const WORD: usize = 9;
/// The byte of the integer 0.
const FIRST_INT: u8 = 3;

/// The byte of a value, or [`LARGE`].
fn byte_of(value: Value) -> u8 {
    match value {
        Value::Unset => 0,
        Value::Bool(b) => 1 + u8::from(b),
        Value::Int(n) if (0..i64::from(LARGE - FIRST_INT)).contains(&n) => FIRST_INT + n as u8,
        _ => LARGE,
    }
}

/// The value of a byte that is not [`LARGE`].
fn value_of(byte: u8) -> Value {
    match byte {
        0 => Value::Unset,
        1 | 2 => Value::Bool(byte == 2),
        _ => Value::Int(i64::from(byte - FIRST_INT)),
    }
}

impl Packed {
    /// Packs values.
    pub(crate) fn new(values: &[Value]) -> Self {
        let mut bytes: SmallVec<[u8; 36]> = values.iter().map(|v| byte_of(*v)).collect();
        for value in values.iter().filter(|v| byte_of(**v) == LARGE) {
            let (kind, word) = value.word();
            bytes.push(kind);
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        Packed { len: values.len() as u32, bytes }
    }

    /// The bytes of all values, and the words of the large values.
    fn parts(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.len as usize)
    }

    /// One value.
    pub(crate) fn get(&self, index: usize) -> Value {
        let (bytes, words) = self.parts();
        match bytes[index] {
            LARGE => {
                let nth = bytes[..index].iter().filter(|b| **b == LARGE).count();
                large(&words[nth * WORD..])
            }
            byte => value_of(byte),
        }
    }

    /// All values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let (bytes, words) = self.parts();
        let mut words = words.chunks_exact(WORD);
        bytes.iter().map(move |byte| match *byte {
            LARGE => words.next().map_or(Value::Unset, large),
            byte => value_of(byte),
        })
    }

    /// The packed form of these values, of which only those at the given places may differ from `self`.
    pub(crate) fn with(&self, values: &[Value], changed: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut packed = self.clone();
        let few = changed.len() <= values.len();
        if few && changed.map(|i| i as usize).all(|i| packed.set(i, values[i])) {
            return packed;
        }
        Packed::new(values)
    }

    /// Replaces one value in place. Returns false, and changes nothing, if the old or the new value is large.
    fn set(&mut self, index: usize, value: Value) -> bool {
        let byte = byte_of(value);
        let fits = byte != LARGE && self.bytes[index] != LARGE;
        if fits {
            self.bytes[index] = byte;
        }
        fits
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        if self.bytes.spilled() { self.bytes.capacity() } else { 0 }
    }
}

/// The value of a word of [`WORD`] bytes.
fn large(word: &[u8]) -> Value {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&word[1..WORD]);
    Value::from_word(word[0], u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_restores_all_values() {
        let values = [
            Value::Int(7),
            Value::Int(-1),
            Value::Unset,
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(i64::MIN),
            Value::Int(251),
            Value::Int(252),
            Value::Bv(u64::MAX),
            Value::Big(3),
            Value::Map(u32::MAX),
            Value::Data(0),
            Value::Atom(1),
            Value::Task(9),
            Value::Real(2),
            Value::Wide(4),
        ];
        let packed = Packed::new(&values);
        assert_eq!(packed.iter().collect::<Vec<_>>(), values);
        assert!((0..values.len()).all(|i| packed.get(i) == values[i]));
    }

    #[test]
    fn small_values_are_replaced_in_place() {
        let mut packed = Packed::new(&[Value::Int(1), Value::Int(1000), Value::Bool(true)]);
        assert!(packed.set(0, Value::Int(2)) && packed.set(2, Value::Unset));
        assert_eq!(packed, Packed::new(&[Value::Int(2), Value::Int(1000), Value::Unset]));
        assert!(!packed.set(1, Value::Int(0)) && !packed.set(0, Value::Int(-5)));
        assert_eq!(packed, Packed::new(&[Value::Int(2), Value::Int(1000), Value::Unset]));
    }
}
