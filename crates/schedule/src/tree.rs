//! The tree of tasks of `df` and `dfw`: the posts of each task, in order, with the round of each task.
//!
//! [SPIN14 §3, Fig. 3]. The tree is a list in depth-first order with depths, so that copying, hashing
//! and traversing it are cheap. Completed tasks are removed, and their children take their place,
//! which keeps the order of all others. Only differences between rounds matter, so the least
//! round of the tree is always 0: trees that differ in nothing else are equal.

use crate::TaskId;

/// A task that has not completed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) task: TaskId,
    pub(crate) depth: u32,
    pub(crate) round: u32,
    /// The label R of [SPIN14]: it may be proposed. The label W otherwise.
    pub(crate) ready: bool,
    /// It was posted since the last wait of its parent: one of the `a` rightmost children.
    pub(crate) recent: bool,
    /// The task that it waits for.
    pub(crate) awaits: Option<TaskId>,
}

/// The tasks that have not completed, in depth-first order.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Tree {
    /// Invariant: the depth of a node is at most one more than that of the node before it.
    nodes: Vec<Node>,
}

reusing_clone!(Tree { nodes });

impl Tree {
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn node_mut(&mut self, place: usize) -> &mut Node {
        &mut self.nodes[place]
    }

    pub(crate) fn find(&self, task: TaskId) -> Option<usize> {
        self.nodes.iter().position(|node| node.task == task)
    }

    /// One past the last descendant of the node.
    fn end_of(&self, place: usize) -> usize {
        let depth = self.nodes[place].depth;
        let below = self.nodes[place + 1..].iter().take_while(|node| node.depth > depth).count();
        place + 1 + below
    }

    /// The descendants of the node, in order.
    pub(crate) fn below(&self, place: usize) -> &[Node] {
        &self.nodes[place + 1..self.end_of(place)]
    }

    /// Adds a task as the rightmost child of its poster, in the poster's round; as the last root if
    /// there is no poster.
    pub(crate) fn add(&mut self, task: TaskId, by: Option<TaskId>) {
        let parent = by.and_then(|by| self.find(by));
        let (place, depth, round) = match parent {
            Some(parent) => (self.end_of(parent), self.nodes[parent].depth + 1, self.nodes[parent].round),
            None => (self.nodes.len(), 0, 0),
        };
        self.nodes.insert(place, Node { task, depth, round, ready: true, recent: true, awaits: None });
    }

    /// The children of the node are no longer recent, since it has reached a wait.
    pub(crate) fn age_children(&mut self, place: usize) {
        let (depth, end) = (self.nodes[place].depth, self.end_of(place));
        for node in &mut self.nodes[place + 1..end] {
            node.recent &= node.depth != depth + 1;
        }
    }

    /// Removes a completed task, and returns its round. Its children take its place.
    pub(crate) fn remove(&mut self, task: TaskId) -> Option<u32> {
        let place = self.find(task)?;
        let end = self.end_of(place);
        let gone = self.nodes.remove(place);
        for node in &mut self.nodes[place..end - 1] {
            node.recent = if node.depth == gone.depth + 1 { gone.recent } else { node.recent };
            node.depth -= 1;
        }
        Some(gone.round)
    }

    /// The first node, in depth-first order, among those of the least round that qualify.
    pub(crate) fn least(&self, qualifies: impl Fn(&Node) -> bool) -> Option<TaskId> {
        self.nodes.iter().filter(|node| qualifies(node)).min_by_key(|node| node.round).map(|node| node.task)
    }

    /// Subtracts the least round from all rounds, and returns it.
    pub(crate) fn rebase(&mut self) -> u32 {
        let least = self.nodes.iter().map(|node| node.round).min().unwrap_or(0);
        if least > 0 {
            self.nodes.iter_mut().for_each(|node| node.round -= least);
        }
        least
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.nodes)
    }

    /// The number of delays after which each task has been in the least round, at most.
    pub(crate) fn patience(&self) -> usize {
        let most = self.nodes.iter().map(|node| node.round).max().unwrap_or(0);
        self.nodes.iter().map(|node| (most + 1 - node.round) as usize).sum::<usize>() + 1
    }
}
