//! A cache of fixed size.
//!
//! A step of a machine depends on a small part of the state, which occurs in many states. The cache keeps
//! the latest result for each slot. A key is the fingerprint of everything that the result depends on. A
//! thread that finds its slot locked computes the result itself: no thread waits.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, RwLock};

use dally_explore::Fingerprint;

/// Slots are allocated in chunks, on first use.
const CHUNKS: usize = 1 << 9;
const SLOTS_IN_CHUNK: usize = 1 << 6;

/// Results by key. The result of a search does not depend on the content of the cache.
pub struct Cache<V> {
    chunks: Box<[OnceLock<Chunk<V>>]>,
    /// The bytes of the chunks and of the entries.
    bytes: AtomicUsize,
}

type Chunk<V> = Box<[Slot<V>]>;

type Slot<V> = RwLock<Option<Box<Entry<V>>>>;

struct Entry<V> {
    key: Fingerprint,
    value: V,
    bytes: usize,
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        let chunks: Box<[_]> = (0..CHUNKS).map(|_| OnceLock::new()).collect();
        let bytes = AtomicUsize::new(size_of_val(&*chunks));
        Cache { chunks, bytes }
    }
}

impl<V> fmt::Debug for Cache<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

impl<V> Cache<V> {
    /// The chunk of a key, and the index of its slot in it.
    fn place(key: Fingerprint) -> (usize, usize) {
        let slot = key.low() as usize % (CHUNKS * SLOTS_IN_CHUNK);
        (slot / SLOTS_IN_CHUNK, slot % SLOTS_IN_CHUNK)
    }

    /// Reads the result for a key, if it is cached.
    #[inline]
    pub fn read<R>(&self, key: Fingerprint, read: impl FnOnce(&V) -> R) -> Option<R> {
        let (chunk, place) = Self::place(key);
        let slot = self.chunks[chunk].get()?[place].try_read().ok()?;
        let entry = slot.as_ref().filter(|entry| entry.key == key)?;
        Some(read(&entry.value))
    }

    /// Stores a result, and replaces the one in its slot; `heap` is the size of the result on the heap in
    /// bytes.
    pub fn put(&self, key: Fingerprint, value: V, heap: usize) {
        let (chunk, place) = Self::place(key);
        let slots = self.chunks[chunk].get_or_init(|| {
            let slots: Box<[_]> = (0..SLOTS_IN_CHUNK).map(|_| RwLock::new(None)).collect();
            self.bytes.fetch_add(size_of_val(&*slots), Ordering::Relaxed);
            slots
        });
        let Ok(mut slot) = slots[place].try_write() else { return };
        let bytes = size_of::<Entry<V>>() + heap;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let old = slot.replace(Box::new(Entry { key, value, bytes }));
        self.bytes.fetch_sub(old.map_or(0, |old| old.bytes), Ordering::Relaxed);
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_under_its_key_only() {
        let cache = Cache::default();
        let key = |n: u64| Fingerprint::of(&n);
        let empty = cache.bytes();
        for n in 0..200_000 {
            assert_eq!(cache.read(key(n), |value| *value), None);
            cache.put(key(n), n, 8);
            assert_eq!(cache.read(key(n), |value| *value), Some(n));
        }
        assert!((0..200_000).all(|n| cache.read(key(n), |value| *value == n) != Some(false)));
        let slots = CHUNKS * SLOTS_IN_CHUNK;
        let most = slots * (size_of::<Slot<u64>>() + size_of::<Entry<u64>>() + 8);
        assert!(cache.bytes() <= empty + most);
    }

    #[test]
    fn threads_do_not_wait_for_each_other() {
        let cache = Cache::default();
        let key = Fingerprint::of(&1);
        cache.put(key, 1, 0);
        let seen = cache.read(key, |value| {
            cache.put(key, 2, 0);
            (*value, cache.read(key, |value| *value))
        });
        assert_eq!(seen, Some((1, Some(1))));
    }
}
