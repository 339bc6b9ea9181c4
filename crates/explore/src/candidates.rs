//! The successors that a block of nodes reaches, before it is known which of them are new.
//!
//! Candidates are kept as parallel vectors, since the visited set needs only their keys. After the
//! keys are inserted, the candidates whose keys were new are the *winners*; they join the next
//! layer.

use crate::Fingerprint;
use crate::expand::Node;
use crate::ledger::Ledger;
use crate::policy::Policy;
use crate::tree::{Link, NodeId};
use crate::visited::part_of;

/// The candidates of one block, in the order in which they were reached.
pub(crate) struct Candidates<S, O: Policy> {
    pub(crate) keys: Vec<Fingerprint>,
    /// For each part of the visited set, the keys that belong to it.
    pub(crate) parts: Vec<Positions>,
    pub(crate) nodes: Vec<Node<S, O>>,
    links: Vec<Link>,
}

/// The positions of those keys that belong to one part of the visited set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    /// Inserting the keys into the visited set removes the positions of keys that were visited before.
    pub(crate) positions: Vec<u32>,
    /// Once the keys are inserted: the winners that were visited before, at a higher rank.
    pub(crate) lowered: Vec<u32>,
}

impl<S, O: Policy> Default for Candidates<S, O> {
    fn default() -> Self {
        Self { keys: Vec::new(), parts: Vec::new(), nodes: Vec::new(), links: Vec::new() }
    }
}

/// The candidates of one block that are new.
pub(crate) struct Winners<S, O: Policy, V> {
    pub(crate) nodes: Vec<Node<S, O>>,
    pub(crate) links: Vec<Link>,
    /// The number of suspended steps that were not visited before.
    pub(crate) suspended: usize,
    /// For each candidate, the index of its node if it has won. Empty unless the ledger records.
    pub(crate) indices: Vec<V>,
}

impl<S, O: Policy> Candidates<S, O> {
    /// The bytes of one candidate beside its node.
    pub(crate) const BYTES_BESIDE_NODE: usize =
        size_of::<Fingerprint>() + size_of::<u32>() + size_of::<Link>();

    /// Reserves room for the successors of `nodes` nodes: about two each, one of which is new.
    /// Growing step by step instead would allocate once for each step.
    pub(crate) fn reserve(&mut self, nodes: usize, parts: usize) {
        self.keys.reserve(2 * nodes);
        self.nodes.reserve(2 * nodes);
        self.links.reserve(2 * nodes);
        self.parts.resize_with(parts, Positions::default);
        self.parts.iter_mut().for_each(|part| part.positions.reserve(2 * nodes / parts));
    }

    /// Adds a candidate.
    #[inline]
    pub(crate) fn push(&mut self, key: Fingerprint, link: Link, node: Node<S, O>) {
        let Self { keys, parts, nodes, links } = self;
        let part = part_of(key, parts.len());
        parts[part].positions.push(keys.len() as u32);
        keys.push(key);
        nodes.push(node);
        links.push(link);
    }

    /// The capacity in bytes, without the nodes.
    pub(crate) fn bytes_beside_nodes(&self) -> usize {
        self.nodes.capacity() * Self::BYTES_BESIDE_NODE
    }

    /// The number of winners. Valid once the keys are inserted.
    pub(crate) fn count_new(&self) -> usize {
        self.parts.iter().map(|part| part.positions.len()).sum()
    }

    /// The positions of the winners, ascending. Valid once the keys are inserted.
    fn winning_positions(&self) -> Vec<u32> {
        let mut is_new = vec![false; self.nodes.len()];
        self.parts
            .iter()
            .flat_map(|part| &part.positions)
            .for_each(|position| is_new[*position as usize] = true);
        // Branch-free, since a branch on `is_new` is unpredictable.
        let (mut positions, mut count) = (vec![0; is_new.len()], 0);
        for (position, is_new) in (0..).zip(is_new) {
            positions[count] = position;
            count += usize::from(is_new);
        }
        positions.truncate(count);
        positions
    }

    /// Removes the winners, and numbers their nodes from `first` on.
    pub(crate) fn take_winners<L: Ledger>(&mut self, first: usize) -> Winners<S, O, L::Index> {
        let positions = self.winning_positions();
        let links = positions.iter().map(|position| self.links[*position as usize]).collect();
        let is_suspended = |position: &&u32| self.nodes[**position as usize].pending.is_some();
        let lowered = self.parts.iter().flat_map(|part| &part.lowered).filter(is_suspended).count();
        let mut nodes = take_at(&mut self.nodes, &positions);
        let suspended = nodes.iter().filter(|node| node.pending.is_some()).count() - lowered;
        (first..).zip(&mut nodes).for_each(|(index, node)| node.id = Some(NodeId::new(index)));
        let mut indices = Vec::new();
        if L::RECORDS {
            indices.resize(self.keys.len(), L::Index::default());
            let numbered = (first..).zip(positions);
            numbered.for_each(|(index, position)| indices[position as usize] = L::index(NodeId::new(index)));
        }
        Winners { nodes, links, suspended, indices }
    }

    /// Removes everything but the allocations. The nodes were removed by [`Self::take_winners`].
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.links.clear();
        for Positions { positions, lowered } in &mut self.parts {
            positions.clear();
            lowered.clear();
        }
    }
}

/// Items up to this size, in bytes, are cheap enough to move twice.
const CHEAP_TO_MOVE: usize = 64;

/// Moves the items at the given positions, which ascend, out of `all`, and drops the other items.
fn take_at<T>(all: &mut Vec<T>, positions: &[u32]) -> Vec<T> {
    let mut taken = Vec::with_capacity(positions.len());
    if size_of::<T>() <= CHEAP_TO_MOVE {
        // Swap the items to the front first: branch-free, as above.
        positions.iter().enumerate().for_each(|(to, from)| all.swap(to, *from as usize));
        taken.extend(all.drain(..positions.len()));
        all.clear();
    } else {
        let mut next = positions.iter().copied().peekable();
        let wanted = (0..).zip(all.drain(..)).filter(|(position, _)| next.next_if_eq(position).is_some());
        taken.extend(wanted.map(|(_, item)| item));
    }
    taken
}
