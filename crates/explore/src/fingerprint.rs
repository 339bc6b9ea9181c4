//! Fingerprints: 128-bit hashes that represent states.
//!
//! The visited set stores fingerprints instead of states. Two states with one fingerprint would be taken for equal. With n
//! states the probability that this ever happens is below n² / 2¹²⁹: with a billion states, about 10⁻²¹. Searches
//! report it.
//!
//! The hash is XXH3 (128 bits) by Yann Collet, in the crate `xxhash-rust`: in wide use, and tested with SMHasher.
//! Instructions for keys of 1, 8 and 60 words, on their own: 59, 173 and 1260; SipHash-1-3 120, 243 and 1192; MuseAir 122,
//! 272 and 1499; HighwayHash 294, 713 and 4067. The two multiply-and-fold lanes that dally used before it took 42, 158 and
//! 1055, and whole searches take between 12 % fewer and 2 % more instructions than with them.
//!
//! Hashing a short key in one call is much faster than XXH3's streaming mode, whose state is larger than
//! most keys. So [`Fingerprinter`] collects a block, and hashes it when it is full: the next block starts
//! with that hash (the Merkle–Damgård construction).

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::xxh3_128;

/// A 128-bit hash that represents a state, or a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of a value.
    #[inline]
    pub fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut hasher = Fingerprinter::default();
        value.hash(&mut hasher);
        hasher.fingerprint()
    }

    /// The fingerprint of a pair, given the fingerprints of its parts.
    #[inline]
    pub fn with(self, other: Self) -> Self {
        let mut pair = [0; 32];
        pair[..16].copy_from_slice(&self.0.to_le_bytes());
        pair[16..].copy_from_slice(&other.0.to_le_bytes());
        Self(xxh3_128(&pair))
    }

    /// The fingerprint of a multiset, given the fingerprints of two multisets whose union it is. The order of
    /// elements does not matter: each element that has a position is hashed [with](Self::with) it.
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The lower 64 bits.
    pub fn low(self) -> u64 {
        self.0 as u64
    }
}

/// The bytes of a block. XXH3 uses another method with a higher fixed cost for longer inputs.
const BLOCK: usize = 128;

/// The bytes of a fingerprint.
const STATE: usize = 16;

/// A hasher that computes a [`Fingerprint`].
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    /// The fingerprint of all full blocks, if there are any, and the bytes after them.
    block: [u8; BLOCK],
    /// The bytes in use.
    len: usize,
}

impl Default for Fingerprinter {
    #[inline]
    fn default() -> Self {
        Self { block: [0; BLOCK], len: 0 }
    }
}

impl Fingerprinter {
    /// The fingerprint of the values that were written.
    #[inline]
    pub fn fingerprint(&self) -> Fingerprint {
        // States of one word are frequent. With a constant length, the hash is short enough to be inlined.
        match self.block.first_chunk::<8>() {
            Some(word) if self.len == 8 => Fingerprint(xxh3_128(word)),
            _ => self.fingerprint_of_block(),
        }
    }

    #[inline(never)]
    fn fingerprint_of_block(&self) -> Fingerprint {
        // Tells the compiler the maximal length, which rules out XXH3's code for longer inputs.
        Fingerprint(xxh3_128(&self.block[..self.len.min(BLOCK)]))
    }

    /// Starts the next block with the fingerprint of the full one, of [`STATE`] bytes.
    #[cold]
    fn chain(&mut self) {
        let state = self.fingerprint();
        self.block[..STATE].copy_from_slice(&state.0.to_le_bytes());
    }

    /// Writes bytes that do not fit into the block.
    #[cold]
    fn write_long(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.len == BLOCK {
                self.chain();
                self.len = STATE;
            }
            let (fitting, rest) = bytes.split_at(bytes.len().min(BLOCK - self.len));
            self.block[self.len..self.len + fitting.len()].copy_from_slice(fitting);
            self.len += fitting.len();
            bytes = rest;
        }
    }

    /// Writes a short sequence of bytes.
    #[inline]
    fn word<const N: usize>(&mut self, bytes: [u8; N]) {
        let mut at = self.len;
        if at > BLOCK - N {
            self.chain();
            at = STATE;
        }
        self.block[at..at + N].copy_from_slice(&bytes);
        self.len = at + N;
    }
}

impl Hasher for Fingerprinter {
    fn finish(&self) -> u64 {
        self.fingerprint().low()
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        if bytes.len() > BLOCK - self.len {
            return self.write_long(bytes);
        }
        self.block[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    // Fingerprints are the same on all platforms: numbers are little-endian, and a `usize` has 8 bytes.

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.word([value]);
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.word(value.to_le_bytes());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.word(value.to_le_bytes());
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.word(value.to_le_bytes());
    }

    #[inline]
    fn write_u128(&mut self, value: u128) {
        self.word(value.to_le_bytes());
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.word((value as u64).to_le_bytes());
    }
}

/// XXH3 has its own tests. These tests cover the code around it: blocks, pairs and sums. They follow
/// SMHasher, with bounds that a random function exceeds with a probability below 10⁻⁶. Keys are fixed, so
/// the tests are deterministic.
#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Keys of this many words, generated by SplitMix64.
    fn keys(words: usize, count: usize) -> impl Iterator<Item = Vec<u64>> {
        let mut state = words as u64;
        let mut next = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        };
        (0..count).map(move |_| (0..words).map(|_| next()).collect())
    }

    fn hash_words(words: &[u64]) -> u128 {
        let mut hasher = Fingerprinter::default();
        words.iter().for_each(|word| hasher.write_u64(*word));
        hasher.fingerprint().0
    }

    /// The fingerprint of a pair of words, by [`Fingerprint::with`].
    fn hash_pair(words: &[u64]) -> u128 {
        Fingerprint(words[0].into()).with(Fingerprint(words[1].into())).0
    }

    /// The sum of the words, each with its position: a state as a vector of parts.
    fn hash_sum(words: &[u64]) -> u128 {
        let parts = words.iter().enumerate();
        let hashes = parts.map(|(i, word)| Fingerprint(u128::from(*word)).with(Fingerprint(i as u128)));
        hashes.fold(Fingerprint::default(), Fingerprint::plus).0
    }

    /// Fails unless each bit of the output flips in half of the cases in which one bit of the input does.
    fn check_avalanche(words: usize, hash: fn(&[u64]) -> u128) {
        const TRIALS: usize = 1000;
        for bit in (0..64 * words).step_by(if words > 2 { 7 } else { 1 }) {
            let mut flips = [0_u32; 128];
            for mut key in keys(words, TRIALS) {
                let before = hash(&key);
                key[bit / 64] ^= 1 << (bit % 64);
                let differ = before ^ hash(&key);
                for (out, count) in flips.iter_mut().enumerate() {
                    *count += (differ >> out & 1) as u32;
                }
            }
            // The tolerance is seven standard deviations of 15.8 each.
            for (out, count) in flips.iter().enumerate() {
                let away = count.abs_diff(TRIALS as u32 / 2);
                assert!(away < 111, "{words} words, bit {bit}, output {out}: {count} of {TRIALS}");
            }
        }
    }

    #[test]
    fn every_bit_of_the_input_affects_every_bit_of_the_output() {
        for words in [1, 2, 3, 8, 16, 17, 30, 31, 45] {
            check_avalanche(words, hash_words);
        }
        check_avalanche(2, hash_pair);
        check_avalanche(5, hash_sum);
    }

    /// Fails if hashes of different keys collide more often than random numbers: with n of them in 32 bits we expect
    /// about n² / 2³³ collisions, and none in 64 bits.
    fn check_collisions(what: &str, hashes: &[u128]) {
        let expected = (hashes.len() as f64).powi(2) / 2_f64.powi(33);
        let most = expected + 6.0 * expected.sqrt() + 6.0;
        for shift in (0..=96).step_by(8) {
            let windows: HashSet<u32> = hashes.iter().map(|hash| (hash >> shift) as u32).collect();
            let collisions = hashes.len() - windows.len();
            assert!((collisions as f64) < most, "{what}: {collisions} collisions from bit {shift}");
        }
        for shift in [0, 32, 64] {
            let halves: HashSet<u64> = hashes.iter().map(|hash| (hash >> shift) as u64).collect();
            assert_eq!(halves.len(), hashes.len(), "{what}: 64 bits from bit {shift}");
        }
    }

    /// All keys of this many words with at most two bits set.
    fn sparse(words: usize) -> Vec<Vec<u64>> {
        let bits = 64 * words;
        let key = |set: &[usize]| {
            let mut key = vec![0; words];
            set.iter().for_each(|bit| key[bit / 64] |= 1 << (bit % 64));
            key
        };
        let pairs = (0..bits).flat_map(|a| (0..a).map(move |b| [a, b]));
        let ones = (0..bits).map(|bit| key(&[bit]));
        ones.chain(pairs.map(|pair| key(&pair))).chain([key(&[])]).collect()
    }

    #[test]
    fn sparse_keys_do_not_collide() {
        for (what, words, hash) in [
            ("words", 1, hash_words as fn(&[u64]) -> u128),
            ("words", 4, hash_words),
            ("words", 18, hash_words),
            ("pairs", 2, hash_pair),
            ("sums", 4, hash_sum),
        ] {
            let step = if words > 10 { 7 } else { 1 };
            let hashes: Vec<u128> = sparse(words).iter().step_by(step).map(|key| hash(key)).collect();
            check_collisions(what, &hashes);
        }
    }

    #[test]
    fn small_numbers_do_not_collide() {
        let grid = |n: u64| [n % 50, n / 50 % 50, n / 2500];
        let words: Vec<u128> = (0..125_000).map(|n| hash_words(&grid(n))).collect();
        let sums: Vec<u128> = (0..125_000).map(|n| hash_sum(&grid(n))).collect();
        let strings: Vec<u128> = (0..100_000).map(|n| Fingerprint::of(&format!("part {n}")).0).collect();
        check_collisions("words", &words);
        check_collisions("sums", &sums);
        check_collisions("strings", &strings);
    }

    #[test]
    fn lengths_and_blocks_are_part_of_the_key() {
        let zeros: Vec<u128> = (0..2000).map(|len| hash_words(&vec![0; len])).collect();
        check_collisions("zeros", &zeros);
        // One byte differs, at each position of several blocks.
        let one = |at: usize| {
            let mut bytes = [0_u8; 1000];
            bytes[at] = 1;
            Fingerprint::of(&bytes).0
        };
        check_collisions("positions", &(0..1000).map(one).collect::<Vec<_>>());
    }

    #[test]
    fn order_matters_except_in_sums() {
        assert_ne!(Fingerprint::of(&(1, 2)), Fingerprint::of(&(2, 1)));
        let (a, b) = (Fingerprint::of(&1), Fingerprint::of(&2));
        assert_ne!(a.with(b), b.with(a));
        assert_eq!(a.plus(b), b.plus(a));
    }

    /// Portable states and recorded schedules rely on it.
    #[test]
    fn fingerprints_are_portable() {
        assert_eq!(Fingerprint::of(&7_u64).0, xxh3_128(&7_u64.to_le_bytes()));
        assert_eq!(Fingerprint::of(""), Fingerprint(xxh3_128(&[0xff])));
    }
}
