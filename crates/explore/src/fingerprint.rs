//! Fingerprints: 128 bits that stand for a state.
//!
//! The visited set keeps fingerprints instead of states. Two states with the same one would be taken
//! for equal, and with n states the chance that this ever happens is below n² / 2¹²⁹: with a billion
//! states, about 10⁻²¹. Searches report it.

use std::hash::{Hash, Hasher};

/// 128 bits that stand for a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of a value.
    pub fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut hasher = Fingerprinter::default();
        value.hash(&mut hasher);
        hasher.fingerprint()
    }

    /// The fingerprint of a pair, given by those of its parts.
    pub fn with(self, other: Self) -> Self {
        let mut hasher = Fingerprinter { a: high(self), b: low(self) };
        hasher.write_u128(other.0);
        hasher.fingerprint()
    }

    /// The fingerprint of a set of parts, given by those of its parts, each with something that tells it from the
    /// others: a sum of numbers without structure is one itself.
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The lower half.
    pub fn low(self) -> u64 {
        low(self)
    }
}

fn high(fingerprint: Fingerprint) -> u64 {
    (fingerprint.0 >> 64) as u64
}

fn low(fingerprint: Fingerprint) -> u64 {
    fingerprint.0 as u64
}

/// A hasher with 128 bits of state: two multiply-and-fold lanes that exchange what they have.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    a: u64,
    b: u64,
}

/// Odd constants without structure (digits of π), one for each lane.
const A: u64 = 0x243f_6a88_85a3_08d3;
const B: u64 = 0x1319_8a2e_0370_7345;

impl Default for Fingerprinter {
    fn default() -> Self {
        Self { a: 0xa409_3822_299f_31d0, b: 0x082e_fa98_ec4e_6c89 }
    }
}

impl Fingerprinter {
    /// The fingerprint of what was written.
    pub fn fingerprint(&self) -> Fingerprint {
        let (a, b) = (fold(self.a ^ B, self.b | 1) ^ self.b, fold(self.b ^ A, self.a | 1) ^ self.a);
        let (a, b) = (fold(a, A) ^ b.rotate_left(29), fold(b, B) ^ a.rotate_left(41));
        Fingerprint((u128::from(a) << 64) | u128::from(b))
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let (a, b) = (self.a ^ word, self.b.wrapping_add(word));
        self.a = fold(a, A) ^ b.rotate_left(32);
        self.b = fold(b, B).wrapping_add(a);
    }
}

/// The two halves of the product, folded into one.
#[inline]
fn fold(x: u64, y: u64) -> u64 {
    let product = u128::from(x) * u128::from(y);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Hasher for Fingerprinter {
    fn finish(&self) -> u64 {
        self.fingerprint().low()
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.word(u64::from_le_bytes(chunk.try_into().expect("a chunk of eight")));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(last));
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    #[inline]
    fn write_u128(&mut self, value: u128) {
        self.word(value as u64);
        self.word((value >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Each half, and each quarter, of the fingerprints of similar values must look random: with n
    /// values and 2ᵇ buckets we expect about n² / 2ᵇ⁺¹ collisions.
    #[test]
    fn similar_values_have_unlike_fingerprints() {
        let values = (0..60_000_u64).map(|n| Fingerprint::of(&(n % 40, n / 40, 7_u8)));
        let all: Vec<_> = values.chain((0..60_000_u64).map(|n| Fingerprint::of(&(n << 20)))).collect();
        for shift in [0, 32, 64, 96] {
            let parts: HashSet<_> = all.iter().map(|it| (it.0 >> shift) as u32).collect();
            let collisions = all.len() - parts.len();
            assert!(collisions < 10, "{collisions} collisions in 32 bits from bit {shift}");
        }
        let halves: HashSet<_> = all.iter().map(|it| it.low()).collect();
        assert_eq!(halves.len(), all.len());
    }

    #[test]
    fn order_matters() {
        assert_ne!(Fingerprint::of(&(1, 2)), Fingerprint::of(&(2, 1)));
        let (a, b) = (Fingerprint::of(&1), Fingerprint::of(&2));
        assert_ne!(a.with(b), b.with(a));
    }
}
