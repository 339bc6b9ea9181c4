//! A cache of results of recursive functions of one integer. They are pure, and a search evaluates the same applications
//! again and again.
//!
//! Threads share the entries without a lock. Each entry has a checksum. Two threads that write one entry at the same time
//! may leave a mixture of both, which is not used, since its checksum is wrong but for a chance of 2⁻⁶³.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of results: a power of two.
const ENTRIES: usize = 1 << 12;

#[derive(Debug, Default)]
pub(crate) struct Memo(Box<[Entry]>);

#[derive(Debug, Default)]
struct Entry {
    argument: AtomicU64,
    result: AtomicU64,
    check: AtomicU64,
}

/// Hashes a number.
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ value >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// The checksum of an entry. It is not 0, the checksum of empty entries.
fn check(function: u32, argument: i64, result: i64) -> u64 {
    mix(mix(mix(u64::from(function) + 1) ^ argument as u64) ^ result as u64) | 1
}

impl Memo {
    /// An empty cache. ([`Memo::default`] stores nothing: it is for programs without such functions.)
    pub(crate) fn new() -> Self {
        Memo((0..ENTRIES).map(|_| Entry::default()).collect())
    }

    fn entry(&self, function: u32, argument: i64) -> Option<&Entry> {
        let mixed =
            (argument as u64 ^ u64::from(function).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0.get((mixed >> 52) as usize % ENTRIES)
    }

    /// The result of the function at this address for this argument, if it is cached.
    #[inline]
    pub(crate) fn get(&self, function: u32, argument: i64) -> Option<i64> {
        let entry = self.entry(function, argument)?;
        let (cached, result) = (entry.argument.load(Relaxed) as i64, entry.result.load(Relaxed) as i64);
        let same = cached == argument && entry.check.load(Relaxed) == check(function, argument, result);
        same.then_some(result)
    }

    /// Caches a result.
    pub(crate) fn put(&self, function: u32, argument: i64, result: i64) {
        let Some(entry) = self.entry(function, argument) else { return };
        entry.argument.store(argument as u64, Relaxed);
        entry.result.store(result as u64, Relaxed);
        entry.check.store(check(function, argument, result), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cached_results_are_found() {
        let memo = Memo::new();
        assert_eq!(memo.get(0, 0), None);
        for n in -100..100 {
            memo.put(7, n, n * n);
            assert_eq!(memo.get(7, n), Some(n * n));
            assert_eq!((memo.get(8, n), memo.get(7, n + 1000)), (None, None));
        }
        // Later results replace earlier ones.
        (0..100_000).for_each(|n| memo.put(9, n, -n));
        assert!((0..100_000).all(|n| memo.get(9, n).is_none_or(|result| result == -n)));
        assert_eq!(memo.get(9, 99_999), Some(-99_999));
        assert_eq!(Memo::default().get(1, 1), None);
    }

    #[test]
    fn entries_with_a_wrong_checksum_are_not_used() {
        let (one, other) = ((100, 17694, 8847), (100, 53116, 26558));
        for torn in 1..7 {
            let memo = Memo::new();
            let word = |nth: u32, a, b| if torn >> nth & 1 == 0 { a } else { b };
            for asked in [one.1, other.1, 35405] {
                let entry = memo.entry(100, asked).unwrap();
                entry.argument.store(word(0, one.1, other.1) as u64, Relaxed);
                entry.result.store(word(1, one.2, other.2) as u64, Relaxed);
                let check = |(function, argument, result)| check(function, argument, result);
                entry.check.store(word(2, check(one) as i64, check(other) as i64) as u64, Relaxed);
                assert_eq!(memo.get(100, asked), None, "{torn} {asked}");
            }
        }
    }
}
