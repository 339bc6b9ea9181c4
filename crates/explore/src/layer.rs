//! Nodes in blocks: so they can be given to threads, and handed on, without being moved one by one.

use std::collections::VecDeque;

use crate::expand::Node;
use crate::policy::Policy;

/// Nodes in a block, about.
pub(crate) const BLOCK: usize = 512;

/// Nodes in a block that is too small to be one.
const SMALL: usize = BLOCK / 8;

/// A list has at least so many blocks for each thread, if it has the nodes: otherwise some threads wait for others.
const FEWEST_BLOCKS: usize = 6;

/// Nodes in order, in blocks, none of them empty.
pub(crate) struct Layer<S, O: Policy> {
    pub(crate) blocks: Vec<Vec<Node<S, O>>>,
}

impl<S, O: Policy> Default for Layer<S, O> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<S, O: Policy> Layer<S, O> {
    /// Adds a node at the end. So many are likely to come.
    pub(crate) fn push(&mut self, node: Node<S, O>, likely: usize) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(node),
            last => {
                // A list that is longer than a block fills the next one too.
                let room = if last.is_some() { BLOCK } else { likely.clamp(1, BLOCK) };
                let mut block = Vec::with_capacity(room);
                block.push(node);
                self.blocks.push(block);
            }
        }
    }

    /// Adds nodes at the end.
    pub(crate) fn append(&mut self, mut nodes: Vec<Node<S, O>>) {
        match self.blocks.last_mut() {
            // Small blocks are not worth a turn of their own; others are not worth being moved.
            Some(last) if nodes.len() <= SMALL && last.len() + nodes.len() <= BLOCK => {
                last.append(&mut nodes);
            }
            _ if nodes.is_empty() => {}
            _ => {
                // From large ones, parts are taken off at the end.
                let mut parts = Vec::new();
                while nodes.len() > 2 * BLOCK {
                    parts.push(nodes.split_off(nodes.len() - BLOCK));
                }
                self.blocks.push(nodes);
                self.blocks.extend(parts.into_iter().rev());
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// For how many nodes there is room.
    pub(crate) fn capacity(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }
}

/// Whether blocks hold so many nodes together.
pub(crate) fn hold<T>(blocks: &VecDeque<Vec<T>>, nodes: usize) -> bool {
    let mut left = nodes;
    blocks.iter().any(|block| {
        left = left.saturating_sub(block.len());
        left == 0
    })
}

/// Takes about so many nodes, or all: whole blocks, but for a block of more than that.
pub(crate) fn take<T>(blocks: &mut VecDeque<Vec<T>>, nodes: usize) -> Vec<Vec<T>> {
    let (mut taken, mut left) = (Vec::new(), nodes);
    while left > 0
        && let Some(mut block) = blocks.pop_front()
    {
        if taken.is_empty() && block.len() > left {
            blocks.push_front(block.split_off(left));
        }
        left = left.saturating_sub(block.len());
        taken.push(block);
    }
    taken
}

/// Splits blocks until there are enough for all threads.
pub(crate) fn split<T>(blocks: Vec<Vec<T>>, threads: usize) -> Vec<Vec<T>> {
    if blocks.len() >= threads * FEWEST_BLOCKS {
        return blocks;
    }
    let nodes: usize = blocks.iter().map(Vec::len).sum();
    let size = nodes.div_ceil(threads * FEWEST_BLOCKS).max(1);
    let mut smaller = Vec::new();
    for mut block in blocks {
        // Parts are taken off at the end, and put into order after that.
        let first = smaller.len();
        while block.len() > size {
            smaller.push(block.split_off((block.len() - 1) / size * size));
        }
        smaller.push(block);
        smaller[first..].reverse();
    }
    smaller
}

#[cfg(test)]
mod tests {
    use super::{hold, split, take};

    #[test]
    fn blocks_are_split_in_order() {
        for (sizes, threads) in [(vec![512, 100, 3], 2), (vec![1], 3), (vec![7, 7], 1), (vec![40; 9], 2)] {
            let mut next = 0..;
            let blocks: Vec<Vec<u32>> =
                sizes.iter().map(|size| next.by_ref().take(*size).collect()).collect();
            let nodes = blocks.iter().flatten().count();
            let split = split(blocks.clone(), threads);
            assert!(split.iter().all(|block| !block.is_empty()));
            assert!(split.len() >= nodes.min(threads * 4), "{sizes:?}");
            assert_eq!(split.concat(), blocks.concat());
        }
    }

    #[test]
    fn nodes_are_taken_in_order() {
        for nodes in [1, 3, 4, 5, 9, 100] {
            let mut blocks = [vec![1, 2, 3, 4], vec![5, 6], vec![7, 8, 9]].into();
            assert_eq!(hold(&blocks, nodes), nodes <= 9);
            let (mut all, mut turns) = (Vec::new(), 0);
            while !blocks.is_empty() {
                all.extend(take(&mut blocks, nodes).concat());
                turns += 1;
            }
            assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert!(turns <= 9_usize.div_ceil(nodes), "{nodes}");
        }
    }
}
