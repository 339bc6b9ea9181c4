//! The search tree: for each visited node, the step that first reached it. Schedules of bugs are
//! read off the path from the root ([`crate::resolve`]).

use std::num::NonZeroU32;

use dally_schedule::TaskId;

/// The number of a node, in the order in which the search accepted nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(NonZeroU32);

impl NodeId {
    /// The id of the node with this index.
    #[inline]
    pub(crate) fn new(index: usize) -> Self {
        let number = u32::try_from(index).ok().and_then(|index| NonZeroU32::MIN.checked_add(index));
        Self(number.expect("a search has fewer than 2³² - 1 states"))
    }

    /// The index of the node: the number of nodes accepted before it.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0.get() - 1
    }
}

/// The edge of the search tree that leads to a node: a step, or a part of one that is suspended at a
/// choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The parent; none for initial states.
    pub(crate) from: Option<NodeId>,
    pub(crate) task: TaskId,
    pub(crate) branch: Branch,
    /// The cost spent at the parent.
    pub(crate) spent: Spent,
    /// The number of steps that are fused with this one, and follow it.
    pub(crate) fused: u8,
}

/// The outcome that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Branch(u32);

/// The bits for the outcome after a resumption. The step engine enumerates no more outcomes than that.
const NTH_BITS: u32 = 13;
/// Set if a suspended step was resumed.
const RESUMED: u32 = 1 << 31;

impl Branch {
    /// The n-th outcome of a step, or the n-th initial state.
    #[inline]
    pub(crate) fn step(nth: u32) -> Self {
        debug_assert!(nth < RESUMED, "a step has fewer than 2³¹ outcomes");
        Self(nth)
    }

    /// The n-th outcome after a suspended step was resumed with this option.
    #[inline]
    pub(crate) fn resumed(option: u32, nth: u32) -> Self {
        debug_assert!(nth >> NTH_BITS == 0 && option <= Self::MAX_OPTION);
        Self(RESUMED | option << NTH_BITS | nth)
    }

    /// The highest option with which a step can be resumed.
    pub(crate) const MAX_OPTION: u32 = (RESUMED >> NTH_BITS) - 1;

    /// The option with which a suspended step was resumed.
    pub(crate) fn option(self) -> Option<u32> {
        (self.0 & RESUMED != 0).then_some((self.0 & !RESUMED) >> NTH_BITS)
    }

    /// The number of the outcome.
    pub(crate) fn nth(self) -> u32 {
        if self.0 & RESUMED == 0 { self.0 } else { self.0 & ((1 << NTH_BITS) - 1) }
    }
}

/// A cost: of deviations, in the unit of the policy, and of options at nondeterministic choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Bytes, so that a cost takes three of them.
    deviations: [u8; 2],
    choices: u8,
}

impl Spent {
    #[inline]
    pub(crate) fn new(deviations: u32, choices: u32) -> Self {
        let deviations = u16::try_from(deviations).unwrap_or(u16::MAX);
        Self { deviations: deviations.to_le_bytes(), choices: u8::try_from(choices).unwrap_or(u8::MAX) }
    }

    #[inline]
    pub(crate) fn deviations(self) -> u32 {
        u32::from(u16::from_le_bytes(self.deviations))
    }

    #[inline]
    pub(crate) fn choices(self) -> u32 {
        u32::from(self.choices)
    }
}

const _: () = assert!(size_of::<Link>() == 16, "there is one for each state");

/// Links in a chunk that is filled one by one.
const CHUNK: usize = 1 << 15;

/// Batches smaller than this are copied into the last chunk; larger ones become chunks themselves.
const SMALL: usize = 256;

/// Consecutive links.
#[derive(Debug)]
struct Chunk {
    /// The index of the first link.
    first: usize,
    /// Invariant: not empty.
    links: Vec<Link>,
}

/// The links of all nodes, by node index.
#[derive(Debug, Default)]
pub(crate) struct SearchTree {
    /// In chunks, so that growing moves no link. Invariant: a node comes after its parent.
    chunks: Vec<Chunk>,
    len: usize,
}

impl SearchTree {
    /// The index of the node that is added next.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.len
    }

    /// Adds a node.
    #[inline]
    pub(crate) fn push(&mut self, link: Link) -> NodeId {
        let id = NodeId::new(self.len);
        match self.chunks.last_mut() {
            Some(last) if last.links.len() < CHUNK => last.links.push(link),
            last => {
                let mut links = Vec::with_capacity(if last.is_some() { CHUNK } else { 1 });
                links.push(link);
                self.chunks.push(Chunk { first: self.len, links });
            }
        }
        self.len += 1;
        id
    }

    /// Adds several nodes.
    pub(crate) fn append(&mut self, mut links: Vec<Link>) {
        let (first, more) = (self.len, links.len());
        match self.chunks.last_mut() {
            Some(last) if more < SMALL && last.links.len() < CHUNK => last.links.append(&mut links),
            _ if more == 0 => {}
            _ => self.chunks.push(Chunk { first, links }),
        }
        self.len += more;
    }

    fn get(&self, id: NodeId) -> Link {
        let index = id.index() as usize;
        let chunk = &self.chunks[self.chunks.partition_point(|chunk| chunk.first <= index) - 1];
        chunk.links[index - chunk.first]
    }

    /// The number of initial states. They are the first nodes.
    pub(crate) fn initial(&self) -> u32 {
        let links = self.chunks.iter().flat_map(|chunk| &chunk.links);
        links.take_while(|link| link.from.is_none()).count() as u32
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.links.capacity()).sum::<usize>() * size_of::<Link>()
    }

    /// The links from the root to node `to`, followed by `last`, if there is one. The first is the link of an
    /// initial state.
    pub(crate) fn path(&self, to: Option<NodeId>, last: Option<Link>) -> Vec<Link> {
        let mut links: Vec<Link> = last.into_iter().collect();
        let mut from = to;
        while let Some(id) = from {
            let link = self.get(id);
            links.push(link);
            from = link.from;
        }
        links.reverse();
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_index_whether_pushed_or_appended() {
        let link = |index: usize| Link {
            from: index.checked_sub(3).map(NodeId::new),
            task: TaskId(index as u32),
            branch: Branch::step(0),
            spent: Spent::new(1, 0),
            fused: 0,
        };
        let mut tree = SearchTree::default();
        for more in [1, 5, SMALL, 0, 1, 2 * SMALL, 3, CHUNK, 1, SMALL - 1, SMALL + 1] {
            let end = tree.end();
            tree.append((end..end + more).map(link).collect());
            assert_eq!(tree.push(link(end + more)).index() as usize, end + more);
        }
        assert_eq!(tree.initial(), 3);
        assert!(tree.bytes() >= 16 * tree.end());
        assert!((0..tree.end()).all(|index| tree.get(NodeId::new(index)).task.0 as usize == index));
        let last = NodeId::new(tree.end() - 1);
        assert_eq!(tree.path(Some(last), None).len(), last.index() as usize / 3 + 1);
    }

    #[test]
    fn branches_and_costs_are_read_as_they_were_packed() {
        for nth in [0, 1, 4095, (1 << 31) - 1] {
            let branch = Branch::step(nth);
            assert_eq!((branch.option(), branch.nth()), (None, nth));
        }
        for (option, nth) in [(0, 0), (1, 4095), (65_535, 7), (Branch::MAX_OPTION, (1 << NTH_BITS) - 1)] {
            let branch = Branch::resumed(option, nth);
            assert_eq!((branch.option(), branch.nth()), (Some(option), nth));
        }
        for (deviations, choices) in [(0, 0), (3, 1), (65_535, 255)] {
            let spent = Spent::new(deviations, choices);
            assert_eq!((spent.deviations(), spent.choices()), (deviations, choices));
        }
    }
}
