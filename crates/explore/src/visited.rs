//! The visited set: fingerprints in open-addressing hash tables, one for each shard.
//!
//! A fingerprint has 16 bytes, and tables are between 54 % and 75 % full, so that a visited state
//! takes at most 30 bytes (except in small sets). Growing by less than a factor of two keeps it so,
//! and growing shard by shard keeps the peak low. Readers need no lock, and a set can be split into
//! parts, each written by one thread. A set can store a value with each fingerprint; values are
//! kept in a table of their own, so that sets without values pay nothing.
//!
//! Each fingerprint is stored with the least cost at which it was visited. The cost replaces the lowest
//! bits of the fingerprint, so that it takes no memory.

use crate::Fingerprint;

/// The bits of a fingerprint that its cost replaces.
const COST_BITS: u32 = 8;
/// Costs from this one on are stored as this one.
pub(crate) const MAX_COST: u32 = (1 << COST_BITS) - 1;

/// The upper bits of a fingerprint select its shard.
const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// Keys that are looked up together: about as many as a processor can have cache misses in flight.
const BATCH: usize = 16;

/// A set of fingerprints, with a value for each.
#[derive(Debug)]
pub(crate) struct Visited<V = ()> {
    /// Invariant: `SHARDS` of them.
    shards: Vec<Shard<V>>,
}

impl<V: Copy + Default> Default for Visited<V> {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }
}

#[cfg(test)]
impl Visited {
    /// Inserts a fingerprint. Returns true if it is new.
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        self.insert_with(fingerprint, 0, || ()) == Visit::First
    }
}

/// The effect of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// The fingerprint is new.
    First,
    /// It was in the set with a higher cost.
    Cheaper,
    /// It was in the set with the same cost or a lower one.
    Again,
}

impl<V: Copy + Default> Visited<V> {
    /// Inserts a fingerprint that is visited at this cost, with a value. If it is in the set, its value is
    /// unchanged, and its cost is lowered if this one is lower.
    #[inline]
    pub(crate) fn insert_with(
        &mut self,
        fingerprint: Fingerprint,
        cost: u32,
        value: impl FnOnce() -> V,
    ) -> Visit {
        self.shards[shard_of(fingerprint)].insert(fingerprint, cost, value)
    }

    /// Calls `show` with the position and the value of each fingerprint, in order; `None` if it is
    /// absent.
    pub(crate) fn values(&self, fingerprints: &[Fingerprint], mut show: impl FnMut(usize, Option<V>)) {
        for first in (0..fingerprints.len()).step_by(BATCH) {
            let batch = &fingerprints[first..fingerprints.len().min(first + BATCH)];
            prefetch(batch.iter().map(|it| (&self.shards[shard_of(*it)], *it)));
            for (nth, fingerprint) in (first..).zip(batch) {
                show(nth, self.shards[shard_of(*fingerprint)].value(*fingerprint));
            }
        }
    }

    /// Returns true if the fingerprint was visited at this cost or a lower one.
    #[inline]
    pub(crate) fn contains(&self, fingerprint: Fingerprint, cost: u32) -> bool {
        self.shards[shard_of(fingerprint)].contains(fingerprint, cost)
    }

    /// The number of fingerprints.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.len).sum()
    }

    /// The bytes of the tables.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// An upper bound of the probability that two states so far share a fingerprint.
    pub(crate) fn collision_chance(&self) -> f64 {
        let states = self.len() as f64;
        states * states / 2.0_f64.powi(129 - COST_BITS as i32)
    }

    /// Splits the shards into disjoint parts. Some are empty if there are more parts than shards.
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

/// The part that a fingerprint belongs to, if a visited set is split into this many parts.
#[inline]
pub(crate) fn part_of(fingerprint: Fingerprint, parts: usize) -> usize {
    (shard_of(fingerprint) * parts) >> SHARD_BITS
}

/// Loads the home buckets of fingerprints into the cache. The loads are independent of each other,
/// so that all of them take hardly longer than one.
#[inline]
fn prefetch<'s, V: 's>(places: impl Iterator<Item = (&'s Shard<V>, Fingerprint)>) {
    let first_key = |(shard, it): (&Shard<V>, Fingerprint)| shard.buckets[shard.home(key_of(it, 0))].0[0];
    std::hint::black_box(places.fold(0, |sum, place| sum ^ first_key(place)));
}

/// Some of the shards of a visited set.
pub(crate) struct Part<'a, V> {
    /// The number of the first shard.
    first: usize,
    shards: &'a mut [Shard<V>],
}

impl<V: Copy + Default> Part<'_, V> {
    /// Inserts the keys at these positions, all of which belong to this part, with this cost. Removes the
    /// positions of keys that were in the set with this cost or a lower one.
    pub(crate) fn insert_all(&mut self, keys: &[Fingerprint], cost: u32, positions: &mut Vec<u32>) {
        let mut kept = 0;
        for first in (0..positions.len()).step_by(BATCH) {
            let end = positions.len().min(first + BATCH);
            self.prefetch(keys, &positions[first..end]);
            for at in first..end {
                let position = positions[at];
                let key = keys[position as usize];
                if self.shards[shard_of(key) - self.first].insert(key, cost, V::default) != Visit::Again {
                    positions[kept] = position;
                    kept += 1;
                }
            }
        }
        positions.truncate(kept);
    }

    /// Sets the values of the keys at these positions, all of which are in this part.
    pub(crate) fn set_all(&mut self, keys: &[Fingerprint], positions: &[u32], values: &[V]) {
        for batch in positions.chunks(BATCH) {
            self.prefetch(keys, batch);
            for position in batch {
                let key = keys[*position as usize];
                self.shards[shard_of(key) - self.first].set(key, values[*position as usize]);
            }
        }
    }

    fn prefetch(&self, keys: &[Fingerprint], positions: &[u32]) {
        prefetch(positions.iter().map(|position| {
            let key = keys[*position as usize];
            (&self.shards[shard_of(key) - self.first], key)
        }));
    }
}

/// A lossy cache of the keys that were offered most recently. Most states are reached several times
/// from neighbouring nodes, and this table fits into the processor's cache; the visited set does
/// not.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    /// Plain numbers, so that the table is allocated as zeroed memory and not cleared.
    slots: Vec<u128>,
}

impl Default for Recent {
    fn default() -> Self {
        Self { slots: vec![0; 1 << Self::BITS] }
    }
}

impl Recent {
    const BITS: u32 = 14;

    fn slot(key: Fingerprint) -> usize {
        (key.low() >> (64 - Self::BITS)) as usize
    }

    /// Returns true if the key was offered recently. May return false although it was.
    #[inline]
    pub(crate) fn contains(&self, key: Fingerprint) -> bool {
        // Zero marks an unused slot, so the fingerprint zero never counts as recent.
        self.slots[Self::slot(key)] == key.0 && key.0 != 0
    }

    /// Removes all keys.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Adds a key, and overwrites another one if they share a slot.
    #[inline]
    pub(crate) fn add(&mut self, key: Fingerprint) {
        self.slots[Self::slot(key)] = key.0;
    }
}

#[inline]
fn shard_of(fingerprint: Fingerprint) -> usize {
    (fingerprint.0 >> (128 - SHARD_BITS)) as usize
}

/// The content of the slot of a fingerprint. It is never zero, which marks a free slot.
#[inline]
fn key_of(fingerprint: Fingerprint, cost: u32) -> u128 {
    let bits = fingerprint.0 >> COST_BITS;
    bits.max(1) << COST_BITS | u128::from(cost.min(MAX_COST))
}

/// Returns true if two slots have the same fingerprint.
#[inline]
fn same(slot: u128, key: u128) -> bool {
    (slot ^ key) >> COST_BITS == 0
}

/// Slots that share a cache line. Zero marks a free slot. Invariant: free slots come last.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u128; SLOTS]);

const SLOTS: usize = 4;

impl Bucket {
    /// Returns true if the key is in the bucket. Compares all slots without branching, so that the
    /// result is the only branch for the processor to predict.
    #[inline]
    fn contains(&self, key: u128) -> bool {
        self.0.iter().fold(false, |found, slot| found | same(*slot, key))
    }

    /// The slot of the key, if it is in the bucket.
    #[inline]
    fn slot_of(&self, key: u128) -> Option<usize> {
        self.0.iter().position(|slot| same(*slot, key))
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
    /// Linear probing from the home bucket on. Invariant: at least a quarter of the slots is free.
    buckets: Vec<Bucket>,
    /// The value of each slot.
    values: Vec<[V; SLOTS]>,
    len: usize,
    /// The table grows when it has this many keys.
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

    /// The bucket of the key, and true if the key is in it. Otherwise the bucket has a free slot.
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
    fn contains(&self, fingerprint: Fingerprint, cost: u32) -> bool {
        let key = key_of(fingerprint, cost);
        let (at, found) = self.find(key);
        found && self.buckets[at].slot_of(key).is_some_and(|slot| self.buckets[at].0[slot] <= key)
    }
}

impl<V: Copy + Default> Shard<V> {
    fn with_buckets(count: usize) -> Self {
        let values = vec![[V::default(); SLOTS]; count];
        Self { buckets: vec![Bucket::default(); count], values, len: 0, limit: count * (SLOTS - 1) }
    }

    /// The bucket and the slot of the key, if it is in the table.
    #[inline]
    fn slot_of(&self, key: u128) -> Option<(usize, usize)> {
        let (at, found) = self.find(key);
        if found { Some((at, self.buckets[at].slot_of(key)?)) } else { None }
    }

    #[inline]
    fn insert(&mut self, fingerprint: Fingerprint, cost: u32, value: impl FnOnce() -> V) -> Visit {
        let key = key_of(fingerprint, cost);
        let (at, found) = self.find(key);
        let bucket = &mut self.buckets[at];
        if found {
            let known = bucket.0.iter_mut().find(|slot| same(**slot, key));
            return match known {
                Some(slot) if *slot > key => {
                    *slot = key;
                    Visit::Cheaper
                }
                _ => Visit::Again,
            };
        }
        if let Some(slot) = bucket.free() {
            bucket.0[slot] = key;
            self.values[at][slot] = value();
        }
        self.len += 1;
        if self.len >= self.limit {
            self.grow();
        }
        Visit::First
    }

    #[inline]
    fn value(&self, fingerprint: Fingerprint) -> Option<V> {
        let (bucket, slot) = self.slot_of(key_of(fingerprint, 0))?;
        Some(self.values[bucket][slot])
    }

    #[inline]
    fn set(&mut self, fingerprint: Fingerprint, value: V) {
        if let Some((bucket, slot)) = self.slot_of(key_of(fingerprint, 0)) {
            self.values[bucket][slot] = value;
        }
    }

    #[cold]
    fn grow(&mut self) {
        // By 7/5: from 75 % full to 54 % full.
        let mut larger = Self::with_buckets((self.buckets.len() * 7).div_ceil(5));
        for (bucket, values) in self.buckets.iter().zip(&self.values) {
            for (key, value) in bucket.0.iter().zip(values).filter(|(key, _)| **key != 0) {
                let (at, _) = larger.find(*key);
                if let Some(slot) = larger.buckets[at].free() {
                    larger.buckets[at].0[slot] = *key;
                    larger.values[at][slot] = *value;
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
    fn agrees_with_a_hash_set() {
        let (mut ours, mut theirs) = (Visited::default(), HashSet::new());
        for n in 0..50_000_u64 {
            let fingerprint = Fingerprint::of(&(n * n % 30_011));
            assert_eq!(ours.insert(fingerprint), theirs.insert(fingerprint));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(theirs.iter().all(|fingerprint| ours.contains(*fingerprint, 0)));
        assert!(!ours.contains(Fingerprint::of(&"absent"), MAX_COST));
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
    fn the_fingerprint_zero_can_be_inserted() {
        let mut visited = Visited::default();
        assert!(!visited.contains(Fingerprint(0), 0));
        assert!(visited.insert(Fingerprint(0)));
        assert!(visited.contains(Fingerprint(0), 0));
    }

    #[test]
    fn splitting_covers_every_fingerprint_once() {
        let all: Vec<_> = (0..1000_u64).map(|n| Fingerprint::of(&n)).collect();
        let numbers: Vec<u32> = (0..1000).collect();
        for parts in [1, 2, 3, 7, 8, 64, 100] {
            let mut visited = Visited::<u32>::default();
            for again in [false, true] {
                let mut split = visited.split(parts);
                assert_eq!(split.len(), parts);
                for (nth, part) in split.iter_mut().enumerate() {
                    let belongs = |position: &u32| part_of(all[*position as usize], parts) == nth;
                    let own: Vec<u32> = numbers.iter().copied().filter(belongs).collect();
                    let mut new = own.clone();
                    part.insert_all(&all, 0, &mut new);
                    assert_eq!(new, if again { vec![] } else { own });
                    part.set_all(&all, &new, &numbers);
                }
            }
            assert_eq!(visited.len(), 1000);
            visited.values(&all, |nth, value| assert_eq!(value, Some(numbers[nth])));
        }
    }

    #[test]
    fn the_least_cost_is_kept() {
        let mut visited = Visited::<()>::default();
        let mut visit = |n: u64, cost| visited.insert_with(Fingerprint::of(&n), cost, || ());
        for n in 0..1000 {
            assert_eq!(visit(n, 3), Visit::First);
        }
        for n in 0..1000 {
            assert_eq!(visit(n, 3), Visit::Again);
            assert_eq!(visit(n, 1000), Visit::Again);
            assert_eq!(visit(n, 1), Visit::Cheaper);
            assert_eq!(visit(n, 2), Visit::Again);
        }
        assert_eq!(visited.len(), 1000);
        assert!(visited.contains(Fingerprint::of(&7_u64), 1));
        assert!(!visited.contains(Fingerprint::of(&7_u64), 0));
    }

    #[test]
    fn values_stay_with_their_keys() {
        let mut visited = Visited::default();
        let keys: Vec<_> = (0..5000_u32).map(|n| Fingerprint::of(&n)).collect();
        for (key, value) in keys.iter().zip(1_u32..) {
            assert_eq!(visited.insert_with(*key, 0, || value), Visit::First);
            assert_eq!(visited.insert_with(*key, 0, || 0), Visit::Again);
        }
        visited.values(&keys, |nth, value| assert_eq!(value, Some(nth as u32 + 1)));
        visited.values(&[Fingerprint::of("absent")], |_, value| assert_eq!(value, None));
    }

    #[test]
    fn inserting_in_batches_agrees_with_inserting_one_by_one() {
        // Some keys repeat within a batch, some in later batches, and tables grow in between.
        let keys: Vec<_> = (0..5000_u64).map(|n| Fingerprint::of(&(n / 3 * n % 3001))).collect();
        let (mut batched, mut one_by_one) = (Visited::<()>::default(), Visited::default());
        for keys in keys.chunks(700) {
            let new: Vec<u32> =
                (0..keys.len() as u32).filter(|nth| one_by_one.insert(keys[*nth as usize])).collect();
            let mut list: Vec<u32> = (0..keys.len() as u32).collect();
            batched.split(1)[0].insert_all(keys, 0, &mut list);
            assert_eq!(list, new);
        }
        assert_eq!(batched.len(), one_by_one.len());
        assert!(batched.len() > 1000 && batched.len() < 4000, "{}", batched.len());
    }
}
