//! The globals of a state, packed: a byte for each, or two where numbers are larger, and nine more for a value that does
//! not fit into that.
//!
//! States wait by the million, and most values of most programs are small.

use smallvec::SmallVec;

use crate::value::Value;

/// Packed values.
#[derive(Debug)]
pub(crate) struct Packed {
    /// How many values there are.
    len: u32,
    /// Whether the code of a value takes two bytes.
    wide: bool,
    /// The codes of the values, then the words of the large ones.
    bytes: SmallVec<[u8; 36]>,
}

impl Clone for Packed {
    fn clone(&self) -> Self {
        // Copying a slice is much faster than the general way.
        Packed { len: self.len, wide: self.wide, bytes: SmallVec::from_slice(&self.bytes) }
    }
}

/// Marks a value whose word comes later.
const LARGE: u16 = u16::MAX;
/// The same in one byte; smaller codes fit into one.
const NARROW_LARGE: u8 = u8::MAX;
/// A kind and eight bytes.
const WORD: usize = 9;
/// The codes of small integers begin here.
const FIRST_INT: u16 = 3;

/// The code of a value, or [`LARGE`].
#[inline]
fn code_of(value: Value) -> u16 {
    match value {
        Value::Unset => 0,
        Value::Bool(b) => 1 + u16::from(b),
        Value::Int(n) if (0..i64::from(LARGE - FIRST_INT)).contains(&n) => FIRST_INT + n as u16,
        _ => LARGE,
    }
}

/// The value of a code that is not [`LARGE`].
#[inline]
fn value_of(code: u16) -> Value {
    match code {
        0 => Value::Unset,
        1 | 2 => Value::Bool(code == 2),
        _ => Value::Int(i64::from(code - FIRST_INT)),
    }
}

/// The code in one byte, if it fits.
#[inline]
fn narrow(code: u16) -> Option<u8> {
    u8::try_from(code).ok().filter(|byte| *byte != NARROW_LARGE)
}

#[inline]
fn widen(byte: u8) -> u16 {
    if byte == NARROW_LARGE { LARGE } else { u16::from(byte) }
}

impl Packed {
    /// Packs some values.
    pub(crate) fn new(values: &[Value]) -> Self {
        let codes = values.iter().map(|value| code_of(*value));
        let wide = codes.clone().any(|code| code != LARGE && narrow(code).is_none());
        let mut bytes: SmallVec<[u8; 36]> = if wide {
            codes.flat_map(u16::to_le_bytes).collect()
        } else {
            codes.map(|code| narrow(code).unwrap_or(NARROW_LARGE)).collect()
        };
        for value in values.iter().filter(|value| code_of(**value) == LARGE) {
            let (kind, word) = value.word();
            bytes.push(kind);
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        Packed { len: values.len() as u32, wide, bytes }
    }

    /// The code of a value.
    #[inline]
    fn code(&self, index: usize) -> u16 {
        if self.wide {
            u16::from_le_bytes([self.bytes[2 * index], self.bytes[2 * index + 1]])
        } else {
            widen(self.bytes[index])
        }
    }

    /// The words of the large values.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let codes = self.len as usize * if self.wide { 2 } else { 1 };
        self.bytes[codes..].chunks_exact(WORD)
    }

    /// One value.
    pub(crate) fn get(&self, index: usize) -> Value {
        match self.code(index) {
            LARGE => {
                let before = (0..index).filter(|i| self.code(*i) == LARGE).count();
                self.words().nth(before).map_or(Value::Unset, large)
            }
            code => value_of(code),
        }
    }

    /// All values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let mut words = self.words();
        (0..self.len as usize).map(move |index| match self.code(index) {
            LARGE => words.next().map_or(Value::Unset, large),
            code => value_of(code),
        })
    }

    /// The same with other values, given all of them, and the places of those that may differ.
    pub(crate) fn with(&self, values: &[Value], changed: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut packed = self.clone();
        let few = changed.len() <= values.len();
        if few && changed.map(|i| i as usize).all(|i| packed.set(i, values[i])) {
            return packed;
        }
        Packed::new(values)
    }

    /// Changes one value in place. Whether that could be done; if not, all have to be packed anew.
    fn set(&mut self, index: usize, value: Value) -> bool {
        let code = code_of(value);
        if code == LARGE || self.code(index) == LARGE {
            return false;
        }
        match narrow(code) {
            _ if self.wide => self.bytes[2 * index..2 * index + 2].copy_from_slice(&code.to_le_bytes()),
            Some(byte) => self.bytes[index] = byte,
            None => return false,
        }
        true
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        if self.bytes.spilled() { self.bytes.capacity() } else { 0 }
    }
}

/// The value of a word.
fn large(word: &[u8]) -> Value {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&word[1..WORD]);
    Value::from_word(word[0], u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &Packed) -> Vec<Value> {
        packed.iter().collect()
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let mut values = vec![
            Value::Int(7),
            Value::Int(-1),
            Value::Unset,
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(i64::MIN),
            Value::Int(251),
            Value::Bv(u64::MAX),
            Value::Big(3),
            Value::Map(u32::MAX),
            Value::Data(0),
            Value::Atom(1),
            Value::Task(9),
        ];
        for more in [252, 253, 0xfffb, 0xfffc] {
            let packed = Packed::new(&values);
            assert_eq!(unpacked(&packed), values);
            assert!((0..values.len()).all(|i| packed.get(i) == values[i]));
            values.push(Value::Int(more));
        }
    }

    #[test]
    fn small_values_are_changed_in_place() {
        let mut packed = Packed::new(&[Value::Int(1), Value::Int(-1), Value::Bool(true)]);
        assert!(packed.set(0, Value::Int(2)) && packed.set(2, Value::Unset));
        assert!(
            !packed.set(1, Value::Int(0))
                && !packed.set(0, Value::Int(-5))
                && !packed.set(0, Value::Int(252))
        );
        assert_eq!(unpacked(&packed), [Value::Int(2), Value::Int(-1), Value::Unset]);

        let mut packed = Packed::new(&[Value::Int(1), Value::Int(-1), Value::Int(1000)]);
        assert!(packed.set(0, Value::Int(999)) && packed.set(2, Value::Unset));
        assert!(!packed.set(1, Value::Int(0)) && !packed.set(0, Value::Int(0xfffc)));
        assert_eq!(unpacked(&packed), [Value::Int(999), Value::Int(-1), Value::Unset]);
    }
}
