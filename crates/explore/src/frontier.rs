//! The frontier: the work of later [passes](crate::order), sorted by pass.
//!
//! Most of it are visited nodes that are partly expanded. They are kept in blocks, so that a later
//! pass can resume whole blocks.

use std::collections::BTreeMap;

use crate::abandoned::Abandoned;
use crate::expand::{Found, Node};
use crate::layer::Layer;
use crate::order::Pass;
use crate::packed::{Packed, Standings};
use crate::policy::Policy;
use crate::tree::Link;
use crate::visited::Visited;
use crate::{FailureKind, Fingerprint};

/// The data structures of a search that the frontier reads when it defers a node.
pub(crate) struct Known<'a, V, O: Policy> {
    pub(crate) visited: &'a Visited<V>,
    pub(crate) standings: &'a Standings<O>,
}

/// Work for a later pass.
pub(crate) enum Deferred<S, O: Policy> {
    /// A visited node, some of whose proposals are left.
    Partial(Node<S, O>),
    /// A node that is not in the visited set yet.
    Unvisited(Unvisited<S, O>),
    /// A step that fails.
    Failing(Found),
}

/// A node that is not in the visited set yet.
pub(crate) struct Unvisited<S, O: Policy> {
    pub(crate) key: Fingerprint,
    pub(crate) node: Node<S, O>,
    pub(crate) link: Link,
}

/// The deferred work of one pass, in the order in which it was deferred.
pub(crate) struct Bucket<S, O: Policy> {
    pub(crate) partial: Layer<Packed<S>>,
    pub(crate) unvisited: Vec<Unvisited<S, O>>,
    /// The first step that fails. Later ones are dropped, since only one is reported.
    pub(crate) failing: Option<Found>,
    /// Steps that cannot be executed.
    pub(crate) abandoned: Abandoned,
}

impl<S, O: Policy> Default for Bucket<S, O> {
    fn default() -> Self {
        Self {
            partial: Layer::default(),
            unvisited: Vec::new(),
            failing: None,
            abandoned: Abandoned::default(),
        }
    }
}

impl<S, O: Policy> Bucket<S, O> {
    fn len(&self) -> usize {
        self.partial.len()
            + self.unvisited.len()
            + usize::from(self.failing.is_some())
            + self.abandoned.count as usize
    }
}

/// All deferred work.
pub(crate) struct Frontier<S, O: Policy> {
    /// Invariant: no bucket is empty.
    by_pass: BTreeMap<Pass, Bucket<S, O>>,
    /// Invariant: the sum of the buckets' lengths.
    len: usize,
    /// How many nodes the first bucket should have room for.
    expected: usize,
}

impl<S, O: Policy> Default for Frontier<S, O> {
    fn default() -> Self {
        Self { by_pass: BTreeMap::new(), len: 0, expected: 0 }
    }
}

impl<S, O: Policy> Frontier<S, O> {
    /// An empty frontier for the expansion of `nodes` nodes.
    pub(crate) fn for_nodes(nodes: usize) -> Self {
        Self { expected: nodes, ..Self::default() }
    }

    /// Frees unused capacity.
    pub(crate) fn shrink(&mut self) {
        let layers = self.by_pass.values_mut().map(|bucket| &mut bucket.partial);
        layers.filter_map(|partial| partial.blocks.last_mut()).for_each(|block| {
            if block.len() < block.capacity() / 2 {
                block.shrink_to_fit();
            }
        });
    }

    /// Defers work to a pass. A node that was visited at the same cost or a lower one is dropped.
    pub(crate) fn push<V: Copy + Default>(
        &mut self,
        deferred: Deferred<S, O>,
        pass: Pass,
        known: &Known<'_, V, O>,
    ) {
        if let Deferred::Unvisited(new) = &deferred
            && known.visited.contains(new.key, new.node.rank())
        {
            return;
        }
        let bucket = self.by_pass.entry(pass).or_default();
        match deferred {
            // Most nodes belong to the same pass, so the first bucket gets the reserved capacity.
            Deferred::Partial(node) => {
                let packed = Packed::new(node, known.standings);
                bucket.partial.push(packed, std::mem::take(&mut self.expected));
            }
            Deferred::Unvisited(new) => bucket.unvisited.push(new),
            Deferred::Failing(Found { failure, .. }) if failure.kind == FailureKind::Unsupported => {
                bucket.abandoned.add(failure);
            }
            Deferred::Failing(_) if bucket.failing.is_some() => return,
            Deferred::Failing(found) => bucket.failing = Some(found),
        }
        self.len += 1;
    }

    /// Adds work that was deferred after all work in `self`.
    pub(crate) fn append(&mut self, later: Self) {
        for (pass, bucket) in later.by_pass {
            let before = self.by_pass.entry(pass).or_default();
            self.len -= before.len();
            bucket.partial.blocks.into_iter().for_each(|block| before.partial.append(block));
            before.unvisited.extend(bucket.unvisited);
            before.failing = before.failing.take().or(bucket.failing);
            before.abandoned.append(bucket.abandoned);
            self.len += before.len();
        }
    }

    /// Removes the bucket of the first pass whose cost is at most `bound`, and returns it.
    pub(crate) fn take_next(&mut self, bound: u32) -> Option<(Pass, Bucket<S, O>)> {
        let pass = *self.by_pass.keys().find(|pass| pass.cost <= bound)?;
        let bucket = self.by_pass.remove(&pass)?;
        self.len -= bucket.len();
        Some((pass, bucket))
    }

    /// The least cost of deferred work.
    pub(crate) fn least_cost(&self) -> Option<u32> {
        self.by_pass.keys().map(|pass| pass.cost).min()
    }

    /// The buckets of the deferred work of least cost.
    pub(crate) fn cheapest(&self) -> impl Iterator<Item = &Bucket<S, O>> {
        let least = self.least_cost();
        self.by_pass.iter().filter(move |(pass, _)| Some(pass.cost) == least).map(|(_, bucket)| bucket)
    }

    /// Drops unvisited nodes that have been reached at a lower cost since they were deferred.
    pub(crate) fn remove_visited<V: Copy + Default>(&mut self, visited: &Visited<V>) {
        self.by_pass.retain(|_, bucket| {
            bucket.unvisited.retain(|new| !visited.contains(new.key, new.node.rank()));
            bucket.len() > 0
        });
        self.len = self.by_pass.values().map(Bucket::len).sum();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_pass.is_empty()
    }

    /// The number of unvisited nodes for which memory is allocated.
    pub(crate) fn unvisited_capacity(&self) -> usize {
        self.by_pass.values().map(|bucket| bucket.unvisited.capacity()).sum()
    }

    /// The number of packed nodes for which memory is allocated.
    pub(crate) fn packed_capacity(&self) -> usize {
        self.by_pass.values().map(|bucket| bucket.partial.capacity()).sum()
    }

    /// The number of deferred nodes and steps.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
