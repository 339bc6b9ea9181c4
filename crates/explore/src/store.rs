//! States as short vectors of interned parts.
//!
//! Where states are large and steps change little of them (one task's stack, one machine's queue), a
//! program stores each part once, in an [`Interner`], and a state is a [`Parts`]: a vector of their ids. A
//! step interns only the parts that it changed, and the fingerprint of the vector is updated incrementally.
//!
//! ```
//! use dally_explore::store::{Interner, Parts};
//!
//! let queues = Interner::default();
//! let (empty, full) = (queues.intern(vec![]), queues.intern(vec![1, 2]));
//! assert_eq!(queues.get(full.id), &[1, 2]);
//! assert_eq!(queues.intern(vec![1, 2]), full);
//!
//! let mut state: Parts = [empty, empty].into_iter().collect();
//! let before = state.clone();
//! state.replace(1, empty, full);
//! assert_ne!(state.fingerprint(), before.fingerprint());
//! state.replace(1, full, empty);
//! assert_eq!(state, before);
//! ```
//!
//! Invariant: fingerprints depend on the values of parts only, not on their ids, which depend on the order
//! in which threads intern them.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use smallvec::SmallVec;

use crate::Fingerprint;

/// An interned part: its id, and the fingerprint of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its index in the interner.
    pub id: u32,
    /// The fingerprint of its value.
    pub fingerprint: Fingerprint,
}

/// A table that stores each value once. All threads share it; reading takes no lock.
///
/// Two values with the same fingerprint are taken to be equal, as two states are.
pub struct Interner<T> {
    /// A lossy cache of ids (plus one) by fingerprint. Most values are interned repeatedly, and a hit here
    /// needs no lock. It is allocated after [`FEW`] lookups: clearing it costs more than small programs gain.
    recent: OnceLock<Box<[AtomicU32]>>,
    ids: Vec<CacheAligned<Mutex<Ids>>>,
    values: Values<T>,
    counts: CacheAligned<Counts>,
}

type Ids = HashMap<Fingerprint, u32, BuildHasherDefault<Identity>>;

/// Data that threads write, on its own cache lines, away from data that they only read.
#[derive(Default)]
#[repr(align(128))]
struct CacheAligned<T>(T);

#[derive(Default)]
struct Counts {
    next: AtomicU32,
    /// The lookups before there was a cache.
    uncached: AtomicU32,
    /// The bytes that the values hold on the heap, as reported by the callers.
    heap: AtomicUsize,
}

/// The number of locks, so that threads seldom contend.
const SHARDS: usize = 64;

/// The number of lookups up to which there is no lossy cache.
const FEW: u32 = 256;

/// The size of the lossy cache.
const RECENT: usize = 1 << 14;

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            recent: OnceLock::new(),
            ids: (0..SHARDS).map(|_| CacheAligned::default()).collect(),
            values: Values::default(),
            counts: CacheAligned::default(),
        }
    }
}

impl<T> fmt::Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interner").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T: Hash> Interner<T> {
    /// Interns a value: returns the existing part, or a new one.
    pub fn intern(&self, value: T) -> Part {
        self.intern_sized(value, 0)
    }

    /// Interns a value that holds this many bytes on the heap, for [`bytes`](Self::bytes).
    pub fn intern_sized(&self, value: T, heap: usize) -> Part {
        self.intern_as(Fingerprint::of(&value), || (value, heap))
    }
}

impl<T> Interner<T> {
    /// Interns a value under a given fingerprint; `value` returns it with the bytes that it holds on the
    /// heap. For values that refer to other parts by id: their fingerprints depend on those of the other
    /// parts.
    pub fn intern_as(&self, fingerprint: Fingerprint, value: impl FnOnce() -> (T, usize)) -> Part {
        let recent = self.recent.get().map(|cache| &cache[(fingerprint.low() >> 32) as usize % RECENT]);
        if let Some(id) = recent.and_then(|slot| slot.load(Ordering::Acquire).checked_sub(1))
            && self.values.get(id).1 == fingerprint
        {
            return Part { id, fingerprint };
        }
        let shard = &self.ids[fingerprint.low() as usize % SHARDS].0;
        let mut ids = shard.lock().expect("no thread panics with the lock");
        let id = *ids.entry(fingerprint).or_insert_with(|| {
            let id = self.counts.0.next.fetch_add(1, Ordering::Relaxed);
            let (value, heap) = value();
            self.values.set(id, value, fingerprint);
            self.counts.0.heap.fetch_add(heap, Ordering::Relaxed);
            id
        });
        match recent {
            Some(slot) => slot.store(id + 1, Ordering::Release),
            None if self.counts.0.uncached.fetch_add(1, Ordering::Relaxed) >= FEW => {
                self.recent.get_or_init(|| (0..RECENT).map(|_| AtomicU32::new(0)).collect());
            }
            None => {}
        }
        Part { id, fingerprint }
    }

    /// The value of a part.
    ///
    /// # Panics
    ///
    /// If the id is not from this interner.
    pub fn get(&self, id: u32) -> &T {
        &self.values.get(id).0
    }

    /// The part with this id.
    ///
    /// # Panics
    ///
    /// If the id is not from this interner.
    pub fn part(&self, id: u32) -> Part {
        Part { id, fingerprint: self.values.get(id).1 }
    }

    /// A table with the first parts of this one, under the same ids.
    pub fn prefix(&self, len: u32) -> Self
    where
        T: Clone,
    {
        let prefix = Self::default();
        for id in 0..len {
            let copy = prefix.intern_as(self.part(id).fingerprint, || (self.get(id).clone(), 0));
            debug_assert_eq!(copy.id, id, "ids are consecutive");
        }
        prefix
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.counts.0.next.load(Ordering::Relaxed) as usize
    }

    /// True if there are no parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let ids = self.len() * 2 * size_of::<(Fingerprint, u32)>();
        ids + self.values.bytes() + self.counts.0.heap.load(Ordering::Relaxed)
    }
}

/// A list that grows without moving its elements: chunks, each twice the size of the previous one.
struct Values<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; 27],
}

/// A value and its fingerprint, once set.
type Slot<T> = OnceLock<(T, Fingerprint)>;

/// The size of the first chunk.
const FIRST: u32 = 32;

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self { chunks: [const { OnceLock::new() }; 27] }
    }
}

impl<T> Values<T> {
    /// The chunk of an id, and the index in it.
    fn locate(id: u32) -> (usize, usize) {
        let place = u64::from(id) + u64::from(FIRST);
        let chunk = place.ilog2() - FIRST.ilog2();
        (chunk as usize, (place - (u64::from(FIRST) << chunk)) as usize)
    }

    fn set(&self, id: u32, value: T, fingerprint: Fingerprint) {
        let (chunk, place) = Self::locate(id);
        let new_chunk = || (0..(FIRST as usize) << chunk).map(|_| OnceLock::new()).collect();
        let slots = self.chunks[chunk].get_or_init(new_chunk);
        let free = slots[place].set((value, fingerprint)).is_ok();
        debug_assert!(free, "an id is given once");
    }

    /// The bytes of all slots, used or not.
    fn bytes(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|slots| size_of_val(&**slots)).sum()
    }

    fn get(&self, id: u32) -> &(T, Fingerprint) {
        let (chunk, place) = Self::locate(id);
        let slot = self.chunks[chunk].get().and_then(|slots| slots[place].get());
        slot.expect("an id of this interner")
    }
}

/// A hasher that returns part of a fingerprint, which is already a hash.
#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("fingerprints are hashed as one number")
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = (value >> 64) as u64;
    }
}

/// A state as a short vector of parts, with its fingerprint. Up to this many ids are stored inline; longer
/// vectors allocate, which is slow if several threads allocate and free.
#[derive(Debug, Default)]
pub struct Parts<const INLINE: usize = 10> {
    ids: SmallVec<[u32; INLINE]>,
    /// The sum of the parts' contributions, by value and position.
    sum: u128,
}

impl<const INLINE: usize> Parts<INLINE> {
    /// The ids of the parts.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no parts.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a part at the end.
    pub fn push(&mut self, part: Part) {
        self.sum = self.sum.wrapping_add(contribution(self.ids.len(), part));
        self.ids.push(part.id);
    }

    /// Removes the last part, which is this one.
    pub fn pop(&mut self, part: Part) {
        debug_assert_eq!(self.ids.last(), Some(&part.id));
        self.ids.pop();
        self.sum = self.sum.wrapping_sub(contribution(self.ids.len(), part));
    }

    /// Replaces the part at a position.
    pub fn replace(&mut self, place: usize, old: Part, new: Part) {
        debug_assert_eq!(self.ids[place], old.id);
        self.ids[place] = new.id;
        let sum = self.sum.wrapping_sub(contribution(place, old));
        self.sum = sum.wrapping_add(contribution(place, new));
    }

    /// The fingerprint of the state, which depends on the parts and their positions. It is a sum, to which
    /// other fingerprints can be [added](Fingerprint::plus).
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.sum)
    }

    /// The bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        if self.ids.spilled() { self.ids.capacity() * size_of::<u32>() } else { 0 }
    }
}

fn contribution(place: usize, part: Part) -> u128 {
    part.fingerprint.with(Fingerprint(place as u128)).0
}

impl<const INLINE: usize> Clone for Parts<INLINE> {
    fn clone(&self) -> Self {
        // `SmallVec::clone` copies element by element.
        Parts { ids: SmallVec::from_slice(&self.ids), sum: self.sum }
    }
}

impl<const INLINE: usize> FromIterator<Part> for Parts<INLINE> {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all.push(part));
        all
    }
}

impl<const INLINE: usize> PartialEq for Parts<INLINE> {
    fn eq(&self, other: &Self) -> bool {
        self.sum == other.sum && self.ids == other.ids
    }
}

impl<const INLINE: usize> Eq for Parts<INLINE> {}

impl<const INLINE: usize> Hash for Parts<INLINE> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fingerprint().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_intern_each_value_once() {
        let interner = Interner::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in (0..5000_u64).map(|n| n % 777) {
                        assert_eq!(interner.get(interner.intern(n).id), &n);
                    }
                });
            }
        });
        assert_eq!(interner.len(), 777);
        assert!((0..777).all(|id| interner.part(id) == interner.intern(*interner.get(id))));
        assert!(interner.bytes() > 777 * 24);
    }

    #[test]
    fn fingerprints_depend_only_on_values_and_positions() {
        let (one, other) = (Interner::default(), Interner::default());
        other.intern("first");
        let parts = |interner: &Interner<_>, words: &[&'static str]| -> Parts {
            words.iter().map(|word| interner.intern(*word)).collect()
        };
        assert_eq!(parts(&one, &["a", "b"]).fingerprint(), parts(&other, &["a", "b"]).fingerprint());
        assert_ne!(parts(&one, &["a", "b"]).fingerprint(), parts(&one, &["b", "a"]).fingerprint());
        assert_ne!(parts(&one, &["a"]).fingerprint(), parts(&one, &["a", "a"]).fingerprint());
        let mut changed = parts(&one, &["a", "b"]);
        changed.replace(0, one.intern("a"), one.intern("c"));
        changed.push(one.intern("d"));
        assert_eq!(changed, parts(&one, &["c", "b", "d"]));
        assert_eq!(changed.fingerprint(), parts(&other, &["c", "b", "d"]).fingerprint());
        let mut long = parts(&one, &["a"; 20]);
        assert!(long.heap_bytes() > 0);
        let last = one.intern("a");
        (1..20).for_each(|_| long.pop(last));
        assert_eq!(long.fingerprint(), parts(&one, &["a"]).fingerprint());
    }
}
