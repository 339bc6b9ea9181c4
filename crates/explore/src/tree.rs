//! The search tree: for each visited node, the step that first reached it. Schedules of bugs are
//! read off the path from the root.

use std::num::NonZeroU32;

use dally_schedule::TaskId;

use crate::choices::{Schedule, Step};

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

/// The edge of the search tree that leads to a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The parent; none for initial states.
    pub(crate) from: Option<NodeId>,
    pub(crate) task: TaskId,
    /// The index of the outcome among those of the step, or of the initial state.
    pub(crate) choice: u32,
    /// The cost spent at the parent on this step.
    pub(crate) cost: u32,
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

    /// Continues a schedule without steps to node `to`, followed by the step `last`, if there is
    /// one.
    pub(crate) fn schedule(
        &self,
        mut schedule: Schedule,
        to: Option<NodeId>,
        last: Option<Link>,
    ) -> Schedule {
        let mut from = to;
        match last {
            Some(Link { from: None, choice, .. }) => schedule.initial = choice,
            Some(link) => schedule.steps.push(Step { task: link.task, cost: link.cost, choice: link.choice }),
            None => {}
        }
        while let Some(id) = from {
            let link = self.get(id);
            match link.from {
                Some(_) => {
                    schedule.steps.push(Step { task: link.task, cost: link.cost, choice: link.choice });
                }
                None => schedule.initial = link.choice,
            }
            from = link.from;
        }
        schedule.steps.reverse();
        schedule
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
            choice: 0,
            cost: 1,
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
        let empty = "rr:".parse().expect("a schedule without steps");
        assert_eq!(tree.schedule(empty, Some(last), None).steps.len(), last.index() as usize / 3);
    }
}
