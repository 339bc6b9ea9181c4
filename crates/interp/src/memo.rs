//! What recursive functions of one integer gave lately: they are pure, and a search asks for the same again and again.
//!
//! Threads share the entries without a lock. Each word of an entry is mixed with the result, so that one that two threads
//! have written at the same time fits no question.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many results are kept: a power of two.
const ENTRIES: usize = 1 << 12;

#[derive(Debug, Default)]
pub(crate) struct Memo(Box<[Entry]>);

#[derive(Debug, Default)]
struct Entry {
    function: AtomicU64,
    argument: AtomicU64,
    result: AtomicU64,
}

impl Memo {
    /// For a program with such functions.
    pub(crate) fn new() -> Self {
        let empty = || Entry { function: AtomicU64::new(u64::MAX), ..Entry::default() };
        Memo((0..ENTRIES).map(|_| empty()).collect())
    }

    fn entry(&self, function: u32, argument: i64) -> Option<&Entry> {
        let mixed =
            (argument as u64 ^ u64::from(function).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0.get((mixed >> 52) as usize % ENTRIES)
    }

    /// What the function at this address gave for this argument, if it is known.
    #[inline]
    pub(crate) fn get(&self, function: u32, argument: i64) -> Option<i64> {
        let entry = self.entry(function, argument)?;
        let result = entry.result.load(Relaxed);
        let same = entry.function.load(Relaxed) ^ result == u64::from(function)
            && entry.argument.load(Relaxed) ^ result == argument as u64;
        same.then_some(result as i64)
    }

    /// It gave this.
    pub(crate) fn put(&self, function: u32, argument: i64, result: i64) {
        let Some(entry) = self.entry(function, argument) else { return };
        let result = result as u64;
        entry.function.store(u64::from(function) ^ result, Relaxed);
        entry.argument.store(argument as u64 ^ result, Relaxed);
        entry.result.store(result, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_put_is_found() {
        let memo = Memo::new();
        assert_eq!(memo.get(0, 0), None);
        for n in -100..100 {
            memo.put(7, n, n * n);
            assert_eq!(memo.get(7, n), Some(n * n));
            assert_eq!((memo.get(8, n), memo.get(7, n + 1000)), (None, None));
        }
        // Later results take the places of earlier ones.
        (0..100_000).for_each(|n| memo.put(9, n, -n));
        assert!((0..100_000).all(|n| memo.get(9, n).is_none_or(|result| result == -n)));
        assert_eq!(memo.get(9, 99_999), Some(-99_999));
        assert_eq!(Memo::default().get(1, 1), None);
    }
}
