//! The visited set: fingerprints in open-addressing hash tables, one for each shard.
//!
//! A fingerprint has 16 bytes, and tables are between 54 % and 75 % full, so that a visited state
//! takes at most 30 bytes (except in small sets). Growing by less than a factor of two keeps it so,
//! and growing shard by shard keeps the peak low. Readers need no lock, and a set can be split into
//! parts, each written by one thread. A set can store a value with each fingerprint; values are
//! kept in a table of their own, so that sets without values pay nothing.
//!
//! Each fingerprint is stored with the least cost at which it was visited. The cost replaces the lowest
//! bits of the fingerprint, so that it takes no memory. Where executions are cut off after a number of
//! steps, the least depth is stored as well, and a visit at a lower cost or a lower depth counts: steps
//! beyond the limit may now be within it.
//!
//! Where a search [reduces](crate::reduce), keys have a mark: open, closed or grounded.

use crate::Fingerprint;

/// The bits of a fingerprint that its cost replaces.
const COST_BITS: u32 = 8;
/// Costs from this one on are stored as this one.
pub(crate) const MAX_COST: u32 = (1 << COST_BITS) - 1;

/// The bits of a fingerprint that its depth replaces, above those of its cost.
const DEPTH_BITS: u32 = 24;
/// Depths from this one on are stored as this one.
const MAX_DEPTH: u32 = (1 << DEPTH_BITS) - 1;

/// The cost and the depth of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rank {
    pub(crate) cost: u32,
    pub(crate) depth: u32,
}

/// The mark of a state in a search that [reduces](crate::reduce).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The state is not expanded yet, or proposals at it are left.
    Open,
    /// Its expansion has begun, and is done after the current portion of the layer.
    Closed,
    /// It was expanded fully, or a step leads to a state that was grounded before.
    Grounded,
}

/// The bits of a slot that are not part of the fingerprint: the cost, then the depth if it is stored, then the
/// mark if there are marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RankBits {
    count: u32,
    /// The bits of the cost and of the depth.
    rank: u128,
    /// The bits of the mark, or 0.
    closed: u128,
    grounded: u128,
}

impl RankBits {
    fn new(depths: bool, closes: bool) -> Self {
        let ranks = if depths { COST_BITS + DEPTH_BITS } else { COST_BITS };
        let marks = u32::from(closes);
        let closed = u128::from(marks) << ranks;
        Self { count: ranks + 2 * marks, rank: (1 << ranks) - 1, closed, grounded: closed << 1 }
    }

    fn mask(self) -> u128 {
        self.rank | self.closed | self.grounded
    }

    /// The content of the slot of a fingerprint, which is open. It is never zero, which marks a free slot.
    #[inline]
    fn key_of(self, fingerprint: Fingerprint, rank: Rank) -> u128 {
        let bits = fingerprint.0 >> self.count;
        let rank = rank.depth.min(MAX_DEPTH) << COST_BITS | rank.cost.min(MAX_COST);
        bits.max(1) << self.count | u128::from(rank) & self.rank
    }

    /// Returns true if two slots have the same fingerprint.
    #[inline]
    fn same(self, slot: u128, key: u128) -> bool {
        (slot ^ key) >> self.count == 0
    }

    /// The slot with the lower cost and the lower depth of two slots with the same fingerprint. It has the
    /// mark of the first.
    #[inline]
    fn lower(self, slot: u128, key: u128) -> u128 {
        let cost = u128::from(MAX_COST);
        let depth = self.rank & !cost;
        slot & !self.rank | (slot & cost).min(key & cost) | (slot & depth).min(key & depth)
    }
}

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
    bits: RankBits,
    depths: bool,
}

impl<V: Copy + Default> Default for Visited<V> {
    fn default() -> Self {
        Self::new(false, false)
    }
}

#[cfg(test)]
impl Visited {
    /// Inserts a fingerprint. Returns true if it is new.
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        self.insert_with(fingerprint, Rank::default(), || ()) == Visit::First
    }
}

/// The effect of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// The fingerprint is new.
    First,
    /// It was in the set with a higher cost or a greater depth.
    Lower,
    /// It was in the set, and neither its cost nor its depth was higher.
    Again,
}

impl<V: Copy + Default> Visited<V> {
    /// An empty set. It stores the depth of visits beside their cost if `depths` is true; its keys have
    /// [marks](Self::mark_all) if `closes` is.
    pub(crate) fn new(depths: bool, closes: bool) -> Self {
        let bits = RankBits::new(depths, closes);
        Self { shards: (0..SHARDS).map(|_| Shard::with_buckets(2, bits)).collect(), bits, depths }
    }

    /// Returns true if the set stores the depth of visits.
    pub(crate) fn has_depths(&self) -> bool {
        self.depths
    }

    /// Marks keys of the set. A key that is grounded stays so.
    pub(crate) fn mark_all(&mut self, fingerprints: &[Fingerprint], mark: Mark) {
        for batch in fingerprints.chunks(BATCH) {
            prefetch(batch.iter().map(|it| (&self.shards[shard_of(*it)], *it)));
            batch.iter().for_each(|it| self.shards[shard_of(*it)].mark(*it, mark));
        }
    }

    /// The mark of a key; a key that is not in the set is open.
    #[inline]
    pub(crate) fn mark(&self, fingerprint: Fingerprint) -> Mark {
        self.shards[shard_of(fingerprint)].mark_of(fingerprint)
    }

    /// Inserts a fingerprint that is visited at this cost and depth, with a value. If it is in the set, its
    /// cost and its depth are lowered where these are lower; then it gets the value as well.
    #[inline]
    pub(crate) fn insert_with(
        &mut self,
        fingerprint: Fingerprint,
        rank: Rank,
        value: impl FnOnce() -> V,
    ) -> Visit {
        self.shards[shard_of(fingerprint)].insert(fingerprint, rank, value)
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

    /// Returns true if another visit of this rank would be no [lower](Visit::Lower) one.
    #[inline]
    pub(crate) fn contains(&self, fingerprint: Fingerprint, rank: Rank) -> bool {
        self.shards[shard_of(fingerprint)].contains(fingerprint, rank)
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
        states * states / 2.0_f64.powi(129 - self.bits.count as i32)
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
    let first_key = |(shard, it): (&Shard<V>, Fingerprint)| {
        shard.buckets[shard.home(shard.bits.key_of(it, Rank::default()))].0[0]
    };
    std::hint::black_box(places.fold(0, |sum, place| sum ^ first_key(place)));
}

/// Some of the shards of a visited set.
pub(crate) struct Part<'a, V> {
    /// The number of the first shard.
    first: usize,
    shards: &'a mut [Shard<V>],
}

impl<V: Copy + Default> Part<'_, V> {
    /// Inserts the keys at these positions, all of which belong to this part, with their ranks. Removes the
    /// positions of keys that were [visited](Visit::Again) before, and adds those of keys that were visited at a
    /// higher rank to `lowered`.
    pub(crate) fn insert_all(
        &mut self,
        keys: &[Fingerprint],
        rank: impl Fn(u32) -> Rank,
        positions: &mut Vec<u32>,
        lowered: &mut Vec<u32>,
    ) {
        let mut kept = 0;
        for first in (0..positions.len()).step_by(BATCH) {
            let end = positions.len().min(first + BATCH);
            self.prefetch(keys, &positions[first..end]);
            for at in first..end {
                let position = positions[at];
                let key = keys[position as usize];
                let visit = self.shards[shard_of(key) - self.first].insert(key, rank(position), V::default);
                if visit != Visit::Again {
                    positions[kept] = position;
                    kept += 1;
                }
                if visit == Visit::Lower {
                    lowered.push(position);
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

/// Slots that share a cache line. Zero marks a free slot. Invariant: free slots come last.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([u128; SLOTS]);

const SLOTS: usize = 4;

impl Bucket {
    /// Returns true if the key is in the bucket. Compares all slots without branching, so that the
    /// result is the only branch for the processor to predict.
    #[inline]
    fn contains(&self, key: u128, bits: RankBits) -> bool {
        self.0.iter().fold(false, |found, slot| found | bits.same(*slot, key))
    }

    /// The slot of the key, if it is in the bucket.
    #[inline]
    fn slot_of(&self, key: u128, bits: RankBits) -> Option<usize> {
        self.0.iter().position(|slot| bits.same(*slot, key))
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
    bits: RankBits,
}

impl<V> Shard<V> {
    fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>() + size_of_val(&*self.values)
    }

    /// The home bucket: the lower half of the key without its rank, scaled to the size of the table.
    #[inline]
    fn home(&self, key: u128) -> usize {
        ((u128::from((key & !self.bits.mask()) as u64) * self.buckets.len() as u128) >> 64) as usize
    }

    /// The bucket of the key, and true if the key is in it. Otherwise the bucket has a free slot.
    #[inline]
    fn find(&self, key: u128) -> (usize, bool) {
        let mut at = self.home(key);
        loop {
            let bucket = &self.buckets[at];
            if bucket.contains(key, self.bits) {
                return (at, true);
            }
            if bucket.free().is_some() {
                return (at, false);
            }
            at = self.after(at);
        }
    }

    /// The bucket after this one.
    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }

    #[inline]
    fn contains(&self, fingerprint: Fingerprint, rank: Rank) -> bool {
        let key = self.bits.key_of(fingerprint, rank);
        let (at, found) = self.find(key);
        let bucket = &self.buckets[at];
        found
            && bucket.slot_of(key, self.bits).is_some_and(|slot| {
                let known = bucket.0[slot];
                self.bits.lower(known, key) == known
            })
    }
}

impl<V: Copy + Default> Shard<V> {
    fn mark(&mut self, fingerprint: Fingerprint, mark: Mark) {
        if let Some((at, slot)) = self.slot_of(self.bits.key_of(fingerprint, Rank::default())) {
            let slot = &mut self.buckets[at].0[slot];
            match mark {
                Mark::Open => *slot &= !self.bits.closed,
                Mark::Closed => *slot |= self.bits.closed,
                Mark::Grounded => *slot |= self.bits.grounded,
            }
        }
    }

    #[inline]
    fn mark_of(&self, fingerprint: Fingerprint) -> Mark {
        let slot = self.slot_of(self.bits.key_of(fingerprint, Rank::default()));
        let slot = slot.map_or(0, |(at, slot)| self.buckets[at].0[slot]);
        if slot & self.bits.grounded != 0 {
            Mark::Grounded
        } else if slot & self.bits.closed != 0 {
            Mark::Closed
        } else {
            Mark::Open
        }
    }

    fn with_buckets(count: usize, bits: RankBits) -> Self {
        let values = vec![[V::default(); SLOTS]; count];
        Self { buckets: vec![Bucket::default(); count], values, len: 0, limit: count * (SLOTS - 1), bits }
    }

    /// The bucket and the slot of the key, if it is in the table.
    #[inline]
    fn slot_of(&self, key: u128) -> Option<(usize, usize)> {
        let (at, found) = self.find(key);
        if found { Some((at, self.buckets[at].slot_of(key, self.bits)?)) } else { None }
    }

    #[inline]
    fn insert(&mut self, fingerprint: Fingerprint, rank: Rank, value: impl FnOnce() -> V) -> Visit {
        let bits = self.bits;
        let key = bits.key_of(fingerprint, rank);
        let (at, found) = self.find(key);
        let bucket = &mut self.buckets[at];
        if found {
            let Some(slot) = bucket.slot_of(key, bits) else { return Visit::Again };
            let lower = bits.lower(bucket.0[slot], key);
            if lower == bucket.0[slot] {
                return Visit::Again;
            }
            bucket.0[slot] = lower;
            self.values[at][slot] = value();
            return Visit::Lower;
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
        let (bucket, slot) = self.slot_of(self.bits.key_of(fingerprint, Rank::default()))?;
        Some(self.values[bucket][slot])
    }

    #[inline]
    fn set(&mut self, fingerprint: Fingerprint, value: V) {
        if let Some((bucket, slot)) = self.slot_of(self.bits.key_of(fingerprint, Rank::default())) {
            self.values[bucket][slot] = value;
        }
    }

    #[cold]
    fn grow(&mut self) {
        // By 7/5: from 75 % full to 54 % full.
        let mut larger = Self::with_buckets((self.buckets.len() * 7).div_ceil(5), self.bits);
        for (bucket, values) in self.buckets.iter().zip(&self.values) {
            for (key, value) in bucket.0.iter().zip(values).filter(|(key, _)| **key != 0) {
                // The keys differ, so the first free slot is the place of the key.
                let mut at = larger.home(*key);
                let slot = loop {
                    match larger.buckets[at].free() {
                        Some(slot) => break slot,
                        None => at = larger.after(at),
                    }
                };
                larger.buckets[at].0[slot] = *key;
                larger.values[at][slot] = *value;
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

    fn at(cost: u32, depth: u32) -> Rank {
        Rank { cost, depth }
    }

    #[test]
    fn agrees_with_a_hash_set() {
        let (mut ours, mut theirs) = (Visited::default(), HashSet::new());
        for n in 0..50_000_u64 {
            let fingerprint = Fingerprint::of(&(n * n % 30_011));
            assert_eq!(ours.insert(fingerprint), theirs.insert(fingerprint));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(theirs.iter().all(|fingerprint| ours.contains(*fingerprint, Rank::default())));
        assert!(!ours.contains(Fingerprint::of(&"absent"), at(MAX_COST, 0)));
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
        assert!(!visited.contains(Fingerprint(0), Rank::default()));
        assert!(visited.insert(Fingerprint(0)));
        assert!(visited.contains(Fingerprint(0), Rank::default()));
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
                    part.insert_all(&all, |_| Rank::default(), &mut new, &mut vec![]);
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
        let mut visit = |n: u64, cost| visited.insert_with(Fingerprint::of(&n), at(cost, 0), || ());
        for n in 0..1000 {
            assert_eq!(visit(n, 3), Visit::First);
        }
        for n in 0..1000 {
            assert_eq!(visit(n, 3), Visit::Again);
            assert_eq!(visit(n, 1000), Visit::Again);
            assert_eq!(visit(n, 1), Visit::Lower);
            assert_eq!(visit(n, 2), Visit::Again);
        }
        assert_eq!(visited.len(), 1000);
        assert!(visited.contains(Fingerprint::of(&7_u64), at(1, 9)));
        assert!(!visited.contains(Fingerprint::of(&7_u64), at(0, 9)));
    }

    #[test]
    fn the_least_depth_is_kept_where_it_matters() {
        let mut visited = Visited::<()>::new(true, false);
        let mut visit =
            |n: u64, cost, depth| visited.insert_with(Fingerprint::of(&n), at(cost, depth), || ());
        for n in 0..1000 {
            assert_eq!(visit(n, 1, 300), Visit::First);
            assert_eq!(visit(n, 2, 300), Visit::Again);
            assert_eq!(visit(n, 2, 299), Visit::Lower);
            assert_eq!(visit(n, 0, 1000), Visit::Lower);
            assert_eq!(visit(n, 1, 299), Visit::Again);
            assert_eq!(visit(n, 255, 0), Visit::Lower);
            assert_eq!(visit(n, 0, 0), Visit::Again);
        }
        assert_eq!(visited.len(), 1000);
        assert!(visited.contains(Fingerprint::of(&7_u64), at(0, MAX_DEPTH)));
    }

    #[test]
    fn keys_keep_their_marks() {
        for depths in [false, true] {
            let mut visited = Visited::<()>::new(depths, true);
            let keys: Vec<_> = (0..5000_u32).map(|n| Fingerprint::of(&n)).collect();
            for key in &keys[..2000] {
                assert_eq!(visited.insert_with(*key, at(3, 1000), || ()), Visit::First);
                assert_eq!(visited.mark(*key), Mark::Open);
            }
            visited.mark_all(&keys[500..2000], Mark::Closed);
            visited.mark_all(&keys[700..900], Mark::Grounded);
            visited.mark_all(&keys[500..1000], Mark::Open);
            for key in &keys {
                assert_eq!(
                    visited.insert_with(*key, at(4, 1000), || ()) == Visit::Again,
                    keys[..2000].contains(key)
                );
                assert_ne!(visited.insert_with(*key, at(1, 1000), || ()), Visit::Again);
                assert!(visited.contains(*key, at(2, 1000)) && !visited.contains(*key, at(0, 1000)));
            }
            let marked = |mark| keys.iter().filter(|key| visited.mark(**key) == mark).count();
            assert_eq!((marked(Mark::Closed), marked(Mark::Grounded), visited.len()), (1000, 200, 5000));
        }
    }

    #[test]
    fn values_stay_with_their_keys() {
        let mut visited = Visited::default();
        let keys: Vec<_> = (0..5000_u32).map(|n| Fingerprint::of(&n)).collect();
        for (key, value) in keys.iter().zip(1_u32..) {
            assert_eq!(visited.insert_with(*key, Rank::default(), || value), Visit::First);
            assert_eq!(visited.insert_with(*key, Rank::default(), || 0), Visit::Again);
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
            batched.split(1)[0].insert_all(keys, |_| Rank::default(), &mut list, &mut vec![]);
            assert_eq!(list, new);
        }
        assert_eq!(batched.len(), one_by_one.len());
        assert!(batched.len() > 1000 && batched.len() < 4000, "{}", batched.len());
    }
}
