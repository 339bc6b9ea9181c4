//! The visited set: fingerprints in open-addressing tables, one for each shard.
//!
//! A state takes 16 bytes, and tables are between 54 % and 75 % full, so that a visited state takes at
//! most 30 bytes (small sets aside). Growing by less than a factor of two keeps it so, and growing
//! shard by shard keeps the peak low. Readers need no lock, and a set can be split into parts that
//! are written by one thread each.

use crate::Fingerprint;

/// Shards by the upper bits of a fingerprint.
const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// How many keys are looked for at once: as many as a processor can wait for, about.
const AT_ONCE: usize = 16;

/// A set of fingerprints.
#[derive(Debug)]
pub struct Visited {
    /// Invariant: `SHARDS` of them.
    shards: Vec<Shard>,
}

impl Default for Visited {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }
}

impl Visited {
    /// Adds a fingerprint, and says whether it is new.
    #[inline]
    pub fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        self.shards[shard_of(fingerprint)].insert(fingerprint)
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
        self.shards.iter().map(|shard| shard.buckets.capacity() * size_of::<Bucket>()).sum()
    }

    /// The chance that two states so far share a fingerprint, at the most.
    pub fn collision_chance(&self) -> f64 {
        let states = self.len() as f64;
        states * states / 2.0_f64.powi(129)
    }

    /// So many parts, each with shards of its own; some have none if there are more than shards.
    pub(crate) fn split(&mut self, parts: usize) -> Vec<Part<'_>> {
        let (mut rest, mut first) = (self.shards.as_mut_slice(), 0);
        let part = |nth: usize| {
            let end = ((nth + 1) * SHARDS).div_ceil(parts);
            let (shards, more) = std::mem::take(&mut rest).split_at_mut(end - first);
            rest = more;
            Part { first: std::mem::replace(&mut first, end), shards }
        };
        (0..parts).map(part).collect()
    }

    /// In which of so many parts a fingerprint belongs.
    #[inline]
    pub(crate) fn part_of(fingerprint: Fingerprint, parts: usize) -> usize {
        (shard_of(fingerprint) * parts) >> SHARD_BITS
    }
}

/// Some of the shards of a set.
pub(crate) struct Part<'a> {
    first: usize,
    shards: &'a mut [Shard],
}

impl Part<'_> {
    /// Adds some of the keys, all of which belong to this part, and keeps those in the list that are new.
    pub(crate) fn insert_all(&mut self, keys: &[Fingerprint], list: &mut Vec<u32>) {
        let mut kept = 0;
        for first in (0..list.len()).step_by(AT_ONCE) {
            let end = list.len().min(first + AT_ONCE);
            // To read all of their buckets takes hardly longer than to read one, if nothing depends on what is there.
            let touched = list[first..end].iter().fold(0, |sum, nth| sum ^ self.touch(keys[*nth as usize]));
            std::hint::black_box(touched);
            for place in first..end {
                let nth = list[place];
                if self.insert(keys[nth as usize]) {
                    list[kept] = nth;
                    kept += 1;
                }
            }
        }
        list.truncate(kept);
    }

    /// Something that is where a fingerprint belongs.
    #[inline]
    fn touch(&self, fingerprint: Fingerprint) -> u128 {
        let shard = &self.shards[shard_of(fingerprint) - self.first];
        shard.buckets[shard.home(key_of(fingerprint))].0[0]
    }

    /// Adds a fingerprint that [belongs](Visited::part_of) to this part, and says whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        self.shards[shard_of(fingerprint) - self.first].insert(fingerprint)
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

    /// The first free slot.
    #[inline]
    fn free(&self) -> Option<usize> {
        let taken = self.0.iter().map(|slot| usize::from(*slot != 0)).sum();
        (taken < SLOTS).then_some(taken)
    }
}

#[derive(Debug)]
struct Shard {
    /// Probed one after another, from the home bucket on. Invariant: a quarter of the slots is free.
    buckets: Vec<Bucket>,
    len: usize,
    /// When this many are in, it grows.
    limit: usize,
}

impl Default for Shard {
    fn default() -> Self {
        Self::with_buckets(2)
    }
}

impl Shard {
    fn with_buckets(count: usize) -> Self {
        Self { buckets: vec![Bucket::default(); count], len: 0, limit: count * (SLOTS - 1) }
    }

    /// The home bucket: the lower half of the key, scaled to the size of the table.
    #[inline]
    fn home(&self, key: u128) -> usize {
        ((u128::from(key as u64) * self.buckets.len() as u128) >> 64) as usize
    }

    /// The free slot where the key belongs, unless it is there.
    #[inline]
    fn place_for(&self, key: u128) -> Option<(usize, usize)> {
        let mut at = self.home(key);
        loop {
            let bucket = &self.buckets[at];
            if bucket.contains(key) {
                return None;
            }
            if let Some(slot) = bucket.free() {
                return Some((at, slot));
            }
            at = if at + 1 == self.buckets.len() { 0 } else { at + 1 };
        }
    }

    #[inline]
    fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.place_for(key_of(fingerprint)).is_none()
    }

    #[inline]
    fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let key = key_of(fingerprint);
        let Some((bucket, slot)) = self.place_for(key) else { return false };
        self.buckets[bucket].0[slot] = key;
        self.len += 1;
        if self.len >= self.limit {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        // By 7/5: from 75 % full to 54 % full.
        let mut larger = Self::with_buckets((self.buckets.len() * 7).div_ceil(5));
        for key in self.buckets.iter().flat_map(|bucket| bucket.0).filter(|key| *key != 0) {
            if let Some((bucket, slot)) = larger.place_for(key) {
                larger.buckets[bucket].0[slot] = key;
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
        for parts in [1, 2, 3, 7, 8, 64, 100] {
            let mut visited = Visited::default();
            let all: Vec<_> = (0..1000_u64).map(|n| Fingerprint::of(&n)).collect();
            for again in [false, true] {
                let mut split = visited.split(parts);
                assert_eq!(split.len(), parts);
                let new = all.iter().filter(|it| split[Visited::part_of(**it, parts)].insert(**it));
                assert_eq!(new.count(), if again { 0 } else { 1000 });
            }
            assert_eq!(visited.len(), 1000);
        }
    }

    #[test]
    fn all_at_once_is_one_by_one() {
        // Some come up again at once, some later, and tables grow on the way.
        let keys: Vec<_> = (0..5000_u64).map(|n| Fingerprint::of(&(n / 3 * n % 3001))).collect();
        let (mut at_once, mut one_by_one) = (Visited::default(), Visited::default());
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
