//! What costs more than the present bound, by what it costs.
//!
//! Most of it are nodes that were accepted, with proposals left: they wait in blocks, and whole blocks are taken up
//! when their bound comes.

use std::collections::BTreeMap;

use crate::Fingerprint;
use crate::expand::{Found, Node};
use crate::layer::Layer;
use crate::policy::Policy;
use crate::trails::Hop;
use crate::visited::Visited;

/// Something that costs more than the present bound.
pub(crate) enum PutOff<S, O: Policy> {
    /// It was accepted; some of its proposals are left.
    Rest(Node<S, O>),
    /// It was not accepted yet.
    Whole(Fingerprint, Node<S, O>, Hop),
    /// A step that fails.
    Failing(Found),
}

/// What waits for one bound, in the order in which it was put off.
pub(crate) struct Waiting<S, O: Policy> {
    pub(crate) rests: Layer<S, O>,
    pub(crate) wholes: Vec<(Fingerprint, Node<S, O>, Hop)>,
    /// The first step that fails: no other will be reported.
    pub(crate) failing: Option<Found>,
}

impl<S, O: Policy> Default for Waiting<S, O> {
    fn default() -> Self {
        Self { rests: Layer::default(), wholes: Vec::new(), failing: None }
    }
}

impl<S, O: Policy> Waiting<S, O> {
    fn len(&self) -> usize {
        self.rests.len() + self.wholes.len() + usize::from(self.failing.is_some())
    }
}

/// Everything that was put off.
pub(crate) struct Frontier<S, O: Policy> {
    /// Invariant: none is empty.
    by_cost: BTreeMap<u32, Waiting<S, O>>,
    len: usize,
    /// How many nodes are likely to wait for the first bound.
    likely: usize,
}

impl<S, O: Policy> Default for Frontier<S, O> {
    fn default() -> Self {
        Self { by_cost: BTreeMap::new(), len: 0, likely: 0 }
    }
}

impl<S, O: Policy> Frontier<S, O> {
    /// For what is put off of so many nodes.
    pub(crate) fn for_nodes(nodes: usize) -> Self {
        Self { likely: nodes, ..Self::default() }
    }

    /// Gives back the room that was not needed.
    pub(crate) fn shrink(&mut self) {
        let layers = self.by_cost.values_mut().map(|waiting| &mut waiting.rests);
        layers.filter_map(|rests| rests.blocks.last_mut()).for_each(|block| {
            if block.len() < block.capacity() / 2 {
                block.shrink_to_fit();
            }
        });
    }

    /// Puts something off, unless it was reached at a lower cost: then there is no need to come back to it.
    pub(crate) fn push<V: Copy + Default>(&mut self, rest: PutOff<S, O>, visited: &Visited<V>) {
        let cost = match &rest {
            PutOff::Whole(key, ..) if visited.contains(*key) => return,
            PutOff::Rest(node) | PutOff::Whole(_, node, _) => node.cost,
            PutOff::Failing(found) => found.cost,
        };
        let waiting = self.by_cost.entry(cost).or_default();
        match rest {
            // Most nodes wait for the same bound.
            PutOff::Rest(node) => waiting.rests.push(node, std::mem::take(&mut self.likely)),
            PutOff::Whole(key, node, hop) => waiting.wholes.push((key, node, hop)),
            PutOff::Failing(_) if waiting.failing.is_some() => return,
            PutOff::Failing(found) => waiting.failing = Some(found),
        }
        self.len += 1;
    }

    /// Adds what was put off after all of this.
    pub(crate) fn append(&mut self, later: Self) {
        for (cost, waiting) in later.by_cost {
            let before = self.by_cost.entry(cost).or_default();
            self.len -= before.len();
            waiting.rests.blocks.into_iter().for_each(|block| before.rests.append(block));
            before.wholes.extend(waiting.wholes);
            before.failing = before.failing.take().or(waiting.failing);
            self.len += before.len();
        }
    }

    /// Takes up what costs least, if there is anything.
    pub(crate) fn take_cheapest(&mut self) -> Option<(u32, Waiting<S, O>)> {
        let (cost, waiting) = self.by_cost.pop_first()?;
        self.len -= waiting.len();
        Some((cost, waiting))
    }

    /// Forgets what has been reached at a lower cost after all.
    pub(crate) fn forget<V: Copy + Default>(&mut self, visited: &Visited<V>) {
        self.by_cost.retain(|_, waiting| {
            waiting.wholes.retain(|(key, ..)| !visited.contains(*key));
            waiting.len() > 0
        });
        self.len = self.by_cost.values().map(Waiting::len).sum();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_cost.is_empty()
    }

    /// For how many nodes there is room.
    pub(crate) fn capacity(&self) -> usize {
        self.by_cost.values().map(|it| it.rests.capacity() + it.wholes.capacity()).sum()
    }

    /// How much there is.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
