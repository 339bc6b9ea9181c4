//! Pseudo-random numbers, the same on every machine.

use crate::hash::mix;

/// A generator of pseudo-random numbers: SplitMix64, which passes the usual tests and has one word of state.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
}

impl Generator {
    /// The numbers that belong to a seed and an index.
    pub fn new(seed: u64, index: u64) -> Self {
        Generator { state: mix(seed, index) }
    }

    /// The next number.
    #[inline]
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`, or 0 if `end` is 0.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        // The bias of at most end / 2⁶⁴ does not matter for sampling.
        ((u128::from(self.next_number()) * u128::from(end)) >> 64) as u64
    }

    /// True with a probability of one in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform() {
        let mut random = Generator::new(0, 0);
        let mut counts = [0; 7];
        (0..70_000).for_each(|_| counts[random.below(7) as usize] += 1);
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn walks_have_different_numbers() {
        let first = |seed, index| Generator::new(seed, index).next_number();
        let mut numbers: Vec<u64> = (0..100).flat_map(|seed| (0..100).map(move |i| first(seed, i))).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 10_000);
    }
}
