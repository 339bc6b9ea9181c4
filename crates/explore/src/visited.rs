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
        self.shards[shard_of(fingerprint)].find(key_of(fingerprint)).is_ok()
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
        self.shards.iter().map(|shard| shard.slots.capacity() * size_of::<u128>()).sum()
    }

    /// The chance that two states so far share a fingerprint, at the most.
    pub fn collision_chance(&self) -> f64 {
        let states = self.len() as f64;
        states * states / 2.0_f64.powi(129)
    }

    /// At most so many parts, each with shards of its own.
    pub(crate) fn split(&mut self, parts: usize) -> Vec<Part<'_>> {
        let each = SHARDS.div_ceil(parts.max(1));
        let chunks = self.shards.chunks_mut(each).enumerate();
        chunks.map(|(nth, shards)| Part { first: nth * each, shards }).collect()
    }
}

/// Some of the shards of a set.
pub(crate) struct Part<'a> {
    first: usize,
    shards: &'a mut [Shard],
}

impl Part<'_> {
    /// Adds a fingerprint if it belongs to this part, and says whether it does and is new.
    #[inline]
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let shard = shard_of(fingerprint).wrapping_sub(self.first);
        self.shards.get_mut(shard).is_some_and(|shard| shard.insert(fingerprint))
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

#[derive(Debug)]
struct Shard {
    /// Linear probing from the home slot on; zero is free. Invariant: at least a quarter is free.
    slots: Vec<u128>,
    len: usize,
    /// When this many are in, it grows.
    limit: usize,
}

impl Default for Shard {
    fn default() -> Self {
        Self::with_capacity(8)
    }
}

impl Shard {
    fn with_capacity(capacity: usize) -> Self {
        Self { slots: vec![0; capacity], len: 0, limit: capacity / 4 * 3 }
    }

    /// The home slot: the lower half of the key, scaled to the size of the table.
    #[inline]
    fn home(&self, key: u128) -> usize {
        ((u128::from(key as u64) * self.slots.len() as u128) >> 64) as usize
    }

    /// The slot of the key, or the free slot where it belongs.
    #[inline]
    fn find(&self, key: u128) -> Result<usize, usize> {
        let mut slot = self.home(key);
        loop {
            match self.slots[slot] {
                found if found == key => return Ok(slot),
                0 => return Err(slot),
                _ => slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 },
            }
        }
    }

    #[inline]
    fn insert(&mut self, fingerprint: Fingerprint) -> bool {
        let key = key_of(fingerprint);
        let Err(slot) = self.find(key) else { return false };
        self.slots[slot] = key;
        self.len += 1;
        if self.len >= self.limit {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        // By 7/5: from 75 % full to 54 % full.
        let mut larger = Self::with_capacity((self.slots.len() * 7 / 5).next_multiple_of(8));
        for key in self.slots.iter().copied().filter(|key| *key != 0) {
            if let Err(slot) = larger.find(key) {
                larger.slots[slot] = key;
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
        let mut visited = Visited::default();
        let all: Vec<_> = (0..1000_u64).map(|n| Fingerprint::of(&n)).collect();
        let mut parts = visited.split(3);
        let new = parts.iter_mut().flat_map(|part| all.iter().map(|it| part.insert(*it)).collect::<Vec<_>>());
        assert_eq!(new.filter(|new| *new).count(), 1000);
        assert_eq!(visited.len(), 1000);
    }
}
