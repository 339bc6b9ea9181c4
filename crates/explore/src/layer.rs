//! Layers of the search, as lists of blocks: blocks can be assigned to threads and moved between
//! lists without moving single nodes.

use std::collections::VecDeque;

/// The usual number of nodes in a block.
pub(crate) const BLOCK: usize = 512;

/// Blocks of at most this many nodes are merged into the block before them.
const SMALL: usize = BLOCK / 8;

/// The least capacity of a block: a block that starts smaller is reallocated at its second node.
const FEW: usize = 4;

/// A wave has at least this many blocks for each thread, if it has enough nodes. With fewer, some
/// threads would be idle while others finish.
const BLOCKS_PER_THREAD: usize = 6;

/// Nodes in order. Invariant: no block is empty.
pub(crate) struct Layer<N> {
    pub(crate) blocks: Vec<Vec<N>>,
}

impl<N> Default for Layer<N> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<N> Layer<N> {
    /// Appends a node. The first block gets capacity for `expected` nodes.
    pub(crate) fn push(&mut self, node: N, expected: usize) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(node),
            last => {
                // A list that has filled one block will probably fill another one.
                let room = if last.is_some() { BLOCK } else { expected.clamp(FEW, BLOCK) };
                let mut block = Vec::with_capacity(room);
                block.push(node);
                self.blocks.push(block);
            }
        }
    }

    /// Appends nodes.
    pub(crate) fn append(&mut self, mut nodes: Vec<N>) {
        match self.blocks.last_mut() {
            // Copying a small block is cheaper than scheduling it.
            Some(last) if nodes.len() <= SMALL && last.len() + nodes.len() <= BLOCK => {
                last.append(&mut nodes);
            }
            _ if nodes.is_empty() => {}
            _ => {
                // Splits off blocks from the end, so that each node is moved at most once.
                let mut parts = Vec::new();
                while nodes.len() > 2 * BLOCK {
                    parts.push(nodes.split_off(nodes.len() - BLOCK));
                }
                self.blocks.push(nodes);
                self.blocks.extend(parts.into_iter().rev());
            }
        }
    }

    /// The number of nodes for which memory is allocated.
    pub(crate) fn capacity(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }
}

/// Returns true if the blocks have at least this many nodes in total.
pub(crate) fn holds_at_least<T>(blocks: &VecDeque<Vec<T>>, nodes: usize) -> bool {
    let mut left = nodes;
    blocks.iter().any(|block| {
        left = left.saturating_sub(block.len());
        left == 0
    })
}

/// Removes about `nodes` nodes, or all, from the front. Removes whole blocks, unless the first
/// block alone has more nodes.
pub(crate) fn take_front<T>(blocks: &mut VecDeque<Vec<T>>, nodes: usize) -> Vec<Vec<T>> {
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

/// Removes exactly `nodes` nodes, or all, from the front.
pub(crate) fn take_exactly<T>(blocks: &mut VecDeque<Vec<T>>, nodes: usize) -> Vec<Vec<T>> {
    let (mut taken, mut left) = (Vec::new(), nodes);
    while left > 0
        && let Some(mut block) = blocks.pop_front()
    {
        if block.len() > left {
            blocks.push_front(block.split_off(left));
        }
        left -= block.len();
        taken.push(block);
    }
    taken
}

/// Splits blocks, if needed, so that there are [`BLOCKS_PER_THREAD`] for each thread.
pub(crate) fn split_for_threads<T>(blocks: Vec<Vec<T>>, threads: usize) -> Vec<Vec<T>> {
    if blocks.len() >= threads * BLOCKS_PER_THREAD {
        return blocks;
    }
    let nodes: usize = blocks.iter().map(Vec::len).sum();
    let size = nodes.div_ceil(threads * BLOCKS_PER_THREAD).max(1);
    let mut smaller = Vec::new();
    for mut block in blocks {
        // Splits off from the end, so that each node is moved at most once; then restores the
        // order.
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
    use std::collections::VecDeque;

    use super::{holds_at_least, split_for_threads, take_exactly, take_front};

    #[test]
    fn splitting_preserves_the_order_of_nodes() {
        for (sizes, threads) in [(vec![512, 100, 3], 2), (vec![1], 3), (vec![7, 7], 1), (vec![40; 9], 2)] {
            let mut next = 0..;
            let blocks: Vec<Vec<u32>> =
                sizes.iter().map(|size| next.by_ref().take(*size).collect()).collect();
            let nodes = blocks.iter().flatten().count();
            let split = split_for_threads(blocks.clone(), threads);
            assert!(split.iter().all(|block| !block.is_empty()));
            assert!(split.len() >= nodes.min(threads * 4), "{sizes:?}");
            assert_eq!(split.concat(), blocks.concat());
        }
    }

    #[test]
    fn taking_from_the_front_preserves_the_order_of_nodes() {
        for nodes in [1, 3, 4, 5, 9, 100] {
            let mut blocks: VecDeque<_> = [vec![1, 2, 3, 4], vec![5, 6], vec![7, 8, 9]].into();
            assert_eq!(holds_at_least(&blocks, nodes), nodes <= 9);
            let (mut all, mut turns) = (Vec::new(), 0);
            while !blocks.is_empty() {
                let mut copy = blocks.clone();
                let before: usize = copy.iter().map(Vec::len).sum();
                assert_eq!(take_exactly(&mut copy, nodes).concat().len(), nodes.min(before));
                all.extend(take_front(&mut blocks, nodes).concat());
                turns += 1;
            }
            assert_eq!(all, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert!(turns <= 9_usize.div_ceil(nodes), "{nodes}");
        }
    }
}
