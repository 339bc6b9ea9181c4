//! The visited set: fingerprints in open-addressing tables, one for each shard.
//!
//! A state takes 16 bytes, and tables are between 54 % and 75 % full, so that a visited state takes at
//! most 30 bytes (small sets aside). Growing by less than a factor of two keeps it so, and growing
//! shard by shard keeps the peak low. Readers need no lock, and a set can be split into parts that
//! are written by one thread each. Whoever wants to know more of a state than that it was visited has a value
//! for each, which stands beside the table and takes its bytes as well.

use crate::Fingerprint;

/// Shards by the upper bits of a fingerprint.
const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// How many keys are looked for at once: as many as a processor can wait for, about.
const AT_ONCE: usize = 16;

/// A set of fingerprints, with a value for each.
#[derive(Debug)]
pub struct Visited<V = ()> {
    /// Invariant: `SHARDS` of them.
    shards: Vec<Shard<V>>,
}

impl<V: Copy + Default> Default for Visited<V> {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }
}

impl Visited {
    /// Adds a fingerprint, and says whether it is new.
    #[inline]
    pub fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        self.insert_with(fingerprint, || ())
    }
}

impl<V: Copy + Default> Visited<V> {
    /// Adds a fingerprint with its value, and says whether it is new. If it is not, the value stays what it was.
    #[inline]
    pub fn insert_with(&mut self, fingerprint: Fingerprint, value: impl FnOnce() -> V) -> bool {
        self.shards[shard_of(fingerprint)].insert(fingerprint, value)
    }

    /// The values of fingerprints, one after another, if they are there.
    pub(crate) fn values(&self, fingerprints: &[Fingerprint], mut show: impl FnMut(usize, Option<V>)) {
        for first in (0..fingerprints.len()).step_by(AT_ONCE) {
            let some = &fingerprints[first..fingerprints.len().min(first + AT_ONCE)];
            touch(some.iter().map(|it| (&self.shards[shard_of(*it)], *it)));
            for (nth, fingerprint) in (first..).zip(some) {
                show(nth, self.shards[shard_of(*fingerprint)].value(*fingerprint));
            }
        }
    }

    /// Whether the fingerprint is there.
    #[inline]
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.shards[shard_of(fingerprint)].contains(fingerprint)
    }

    /// How many fingerprints there are.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the tables take.
    pub fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// The chance that two states so far share a fingerprint, at the most.
    pub fn collision_chance(&self) -> f64 {
        let states = self.len() as f64;
        states * states / 2.0_f64.powi(129)
    }

    /// So many parts, each with shards of its own; some have none if there are more than shards.
    pub(crate) fn split(&mut self, parts: usize) -> Vec<Part<'_, V>> {
        let (mut rest, mut first) = (self.shards.as_mut_slice(), 0);
        let part = |nth: usize| {
            let end = ((nth + 1) * SHARDS).div_ceil(parts);
            let (shards, more) = std::mem::take(&mut rest).split_at_mut(end - first);
            rest = more;
            Part { first: std::mem::replace(&mut first, end), shards }
        };
        (0..parts).map(part).collect()
    }
}

/// In which of so many parts of a visited set a fingerprint belongs.
#[inline]
pub(crate) fn part_of(fingerprint: Fingerprint, parts: usize) -> usize {
    (shard_of(fingerprint) * parts) >> SHARD_BITS
}

/// Reads what is where fingerprints belong. To read all of it takes hardly longer than to read one, if nothing depends on
/// what is there.
#[inline]
fn touch<'s, V: 's>(places: impl Iterator<Item = (&'s Shard<V>, Fingerprint)>) {
    let first_key = |(shard, it): (&Shard<V>, Fingerprint)| shard.buckets[shard.home(key_of(it))].0[0];
    std::hint::black_box(places.fold(0, |sum, place| sum ^ first_key(place)));
}

/// Some of the shards of a set.
pub(crate) struct Part<'a, V> {
    first: usize,
    shards: &'a mut [Shard<V>],
}

impl<V: Copy + Default> Part<'_, V> {
    /// Adds some of the keys, all of which belong to this part, and keeps those in the list that are new.
    pub(crate) fn insert_all(&mut self, keys: &[Fingerprint], list: &mut Vec<u32>) {
        let mut kept = 0;
        for first in (0..list.len()).step_by(AT_ONCE) {
            let end = list.len().min(first + AT_ONCE);
            self.touch(keys, &list[first..end]);
            for place in first..end {
                let nth = list[place];
                let key = keys[nth as usize];
                if self.shards[shard_of(key) - self.first].insert(key, V::default) {
                    list[kept] = nth;
                    kept += 1;
                }
            }
        }
        list.truncate(kept);
    }

    /// Gives some of the keys, which are in this part, their values.
    pub(crate) fn set_all(&mut self, keys: &[Fingerprint], list: &[u32], values: &[V]) {
        for some in list.chunks(AT_ONCE) {
            self.touch(keys, some);
            for nth in some {
                let key = keys[*nth as usize];
                self.shards[shard_of(key) - self.first].set(key, values[*nth as usize]);
            }
        }
    }

    fn touch(&self, keys: &[Fingerprint], list: &[u32]) {
        touch(list.iter().map(|nth| {
            let key = keys[*nth as usize];
            (&self.shards[shard_of(key) - self.first], key)
        }));
    }
}

/// Some of the keys that were offered last. Most states come up more than once in neighbouring nodes,
/// and this fits into the processor's cache, which the visited set does not.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    slots: Vec<Fingerprint>,
}

impl Default for Recent {
    fn default() -> Self {
        Self { slots: vec![Fingerprint::default(); 1 << Self::BITS] }
    }
}

impl Recent {
    const BITS: u32 = 14;

    fn slot(key: Fingerprint) -> usize {
        (key.low() >> (64 - Self::BITS)) as usize
    }

    /// Whether the key was offered recently.
    #[inline]
    pub(crate) fn contains(&self, key: Fingerprint) -> bool {
        // Zero marks a slot that was never used, so that the fingerprint zero is never recent.
        self.slots[Self::slot(key)] == key && key != Fingerprint::default()
    }

    /// The key is offered.
    #[inline]
    pub(crate) fn add(&mut self, key: Fingerprint) {
        self.slots[Self::slot(key)] = key;
    }
}

#[inline]
fn shard_of(fingerprint: Fingerprint) -> usize {
    (fingerprint.0 >> (128 - SHARD_BITS)) as usize
}

/// Zero marks a free slot; the fingerprint zero shares the slot of one.
#[inline]
fn key_of(fingerprint: Fingerprint) -> u128 {
    fingerprint.0.max(1)
}

/// Slots that share a cache line; zero is free, and the free ones come last.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u128; SLOTS]);

const SLOTS: usize = 4;

impl Bucket {
    /// Whether the key is there. All slots are compared without branching: whether a state is new is
    /// then the only thing for the processor to guess, and it can go on to the next state meanwhile.
    #[inline]
    fn contains(&self, key: u128) -> bool {
        self.0.iter().fold(false, |found, slot| found | (*slot == key))
    }

    /// The slot of a key.
    #[inline]
    fn slot_of(&self, key: u128) -> Option<usize> {
        self.0.iter().position(|slot| *slot == key)
    }

    /// The first free slot.
    #[inline]
    fn free(&self) -> Option<usize> {
        let taken = self.0.iter().map(|slot| usize::from(*slot != 0)).sum();
        (taken < SLOTS).then_some(taken)
    }
}

#[derive(Debug)]
struct Shard<V> {
    /// Probed one after another, from the home bucket on. Invariant: a quarter of the slots is free.
    buckets: Vec<Bucket>,
    /// The values of the slots.
    values: Vec<[V; SLOTS]>,
    len: usize,
    /// When this many are in, it grows.
    limit: usize,
}

impl<V: Copy + Default> Default for Shard<V> {
    fn default() -> Self {
        Self::with_buckets(2)
    }
}

impl<V> Shard<V> {
    fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>() + size_of_val(&*self.values)
    }

    /// The home bucket: the lower half of the key, scaled to the size of the table.
    #[inline]
    fn home(&self, key: u128) -> usize {
        ((u128::from(key as u64) * self.buckets.len() as u128) >> 64) as usize
    }

    /// The bucket of the key and whether it is there; if not, the bucket has a free slot.
    #[inline]
    fn find(&self, key: u128) -> (usize, bool) {
        let mut at = self.home(key);
        loop {
            let bucket = &self.buckets[at];
            if bucket.contains(key) {
                return (at, true);
            }
            if bucket.free().is_some() {
                return (at, false);
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
    }

    #[inline]
    fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.find(key_of(fingerprint)).1
    }
}

impl<V: Copy + Default> Shard<V> {
    fn with_buckets(count: usize) -> Self {
        let values = vec![[V::default(); SLOTS]; count];
        Self { buckets: vec![Bucket::default(); count], values, len: 0, limit: count * (SLOTS - 1) }
    }

    /// The free slot where the key belongs, unless it is there.
    #[inline]
    fn place_for(&self, key: u128) -> Option<(usize, usize)> {
        let (at, found) = self.find(key);
        if found { None } else { Some((at, self.buckets[at].free()?)) }
    }

    /// Where the key is, if it is there.
    #[inline]
    fn place_of(&self, key: u128) -> Option<(usize, usize)> {
        let (at, found) = self.find(key);
        if found { Some((at, self.buckets[at].slot_of(key)?)) } else { None }
    }

    #[inline]
    fn insert(&mut self, fingerprint: Fingerprint, value: impl FnOnce() -> V) -> bool {
        let key = key_of(fingerprint);
        let Some((bucket, slot)) = self.place_for(key) else { return false };
        self.buckets[bucket].0[slot] = key;
        self.values[bucket][slot] = value();
        self.len += 1;
        if self.len >= self.limit {
            self.grow();
        }
        true
    }

    #[inline]
    fn value(&self, fingerprint: Fingerprint) -> Option<V> {
        let (bucket, slot) = self.place_of(key_of(fingerprint))?;
        Some(self.values[bucket][slot])
    }

    #[inline]
    fn set(&mut self, fingerprint: Fingerprint, value: V) {
        if let Some((bucket, slot)) = self.place_of(key_of(fingerprint)) {
            self.values[bucket][slot] = value;
        }
    }

    #[cold]
    fn grow(&mut self) {
        // By 7/5: from 75 % full to 54 % full.
        let mut larger = Self::with_buckets((self.buckets.len() * 7).div_ceil(5));
        for (bucket, values) in self.buckets.iter().zip(&self.values) {
            for (key, value) in bucket.0.iter().zip(values).filter(|(key, _)| **key != 0) {
                if let Some((bucket, slot)) = larger.place_for(*key) {
                    larger.buckets[bucket].0[slot] = *key;
                    larger.values[bucket][slot] = *value;
                }
            }
        }
        larger.len = self.len;
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn it_is_a_set() {
        let (mut ours, mut theirs) = (Visited::default(), HashSet::new());
        for n in 0..50_000_u64 {
            let fingerprint = Fingerprint::of(&(n * n % 30_011));
            assert_eq!(ours.insert(fingerprint), theirs.insert(fingerprint));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(theirs.iter().all(|fingerprint| ours.contains(*fingerprint)));
        assert!(!ours.contains(Fingerprint::of(&"absent")));
    }

    #[test]
    fn a_visited_state_takes_at_most_32_bytes() {
        let mut visited = Visited::default();
        for n in 0..200_000_u64 {
            visited.insert(Fingerprint::of(&n));
            if n > 20_000 {
                assert!(visited.bytes() <= 32 * visited.len(), "{} for {}", visited.bytes(), visited.len());
            }
        }
    }

    #[test]
    fn zero_is_a_fingerprint_too() {
        let mut visited = Visited::default();
        assert!(!visited.contains(Fingerprint(0)));
        assert!(visited.insert(Fingerprint(0)));
        assert!(visited.contains(Fingerprint(0)));
    }

    #[test]
    fn parts_take_what_is_theirs() {
        let all: Vec<_> = (0..1000_u64).map(|n| Fingerprint::of(&n)).collect();
        let numbers: Vec<u32> = (0..1000).collect();
        for parts in [1, 2, 3, 7, 8, 64, 100] {
            let mut visited = Visited::<u32>::default();
            for again in [false, true] {
                let mut split = visited.split(parts);
                assert_eq!(split.len(), parts);
                for (nth, part) in split.iter_mut().enumerate() {
                    let is_its = |it: &u32| part_of(all[*it as usize], parts) == nth;
                    let its: Vec<u32> = numbers.iter().copied().filter(is_its).collect();
                    let mut new = its.clone();
                    part.insert_all(&all, &mut new);
                    assert_eq!(new, if again { vec![] } else { its });
                    part.set_all(&all, &new, &numbers);
                }
            }
            assert_eq!(visited.len(), 1000);
            visited.values(&all, |nth, value| assert_eq!(value, Some(numbers[nth])));
        }
    }

    #[test]
    fn values_stay_with_their_keys() {
        let mut visited = Visited::default();
        let keys: Vec<_> = (0..5000_u32).map(|n| Fingerprint::of(&n)).collect();
        for (key, value) in keys.iter().zip(1_u32..) {
            assert!(visited.insert_with(*key, || value) && !visited.insert_with(*key, || 0));
        }
        visited.values(&keys, |nth, value| assert_eq!(value, Some(nth as u32 + 1)));
        visited.values(&[Fingerprint::of("absent")], |_, value| assert_eq!(value, None));
    }

    #[test]
    fn all_at_once_is_one_by_one() {
        // Some come up again at once, some later, and tables grow on the way.
        let keys: Vec<_> = (0..5000_u64).map(|n| Fingerprint::of(&(n / 3 * n % 3001))).collect();
        let (mut at_once, mut one_by_one) = (Visited::<()>::default(), Visited::default());
        for keys in keys.chunks(700) {
            let new: Vec<u32> =
                (0..keys.len() as u32).filter(|nth| one_by_one.insert(keys[*nth as usize])).collect();
            let mut list: Vec<u32> = (0..keys.len() as u32).collect();
            at_once.split(1)[0].insert_all(keys, &mut list);
            assert_eq!(list, new);
        }
        assert_eq!(at_once.len(), one_by_one.len());
        assert!(at_once.len() > 1000 && at_once.len() < 4000, "{}", at_once.len());
    }
}
