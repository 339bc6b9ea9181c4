//! Strongly connected components, by Tarjan's algorithm with an explicit stack.

/// A graph to be walked. It may be explored on the fly.
pub(crate) trait Walk {
    /// A position in the edges of a node.
    type Cursor;
    /// The reason to stop a walk early.
    type Stop;

    /// Called when a node is reached for the first time. `held` is the memory of the algorithm, in
    /// bytes.
    fn open(&mut self, node: u32, held: usize) -> Result<Self::Cursor, Self::Stop>;
    /// The target of the next edge.
    fn next(&mut self, cursor: &mut Self::Cursor) -> Option<u32>;
    /// Returns true if a node that was not reached yet is part of the graph. Edges to others are
    /// ignored.
    fn has(&self, node: u32) -> bool;
}

/// The components found so far. Each node is visited once.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// Marks with an index up to `since` are stale: their nodes count as unvisited.
    marks: Vec<Mark>,
    since: u32,
    /// The index of the node that was reached last.
    reached: u32,
    /// Tarjan's stack: nodes whose component is not complete.
    open: Vec<u32>,
}

/// The state of a node. Both fields are read together, so they share a cache line.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// Nodes are numbered as they are reached, from `since` + 1 on; 0 if not reached. Once the
    /// component is complete, the index of its root.
    index: u32,
    /// Tarjan's lowlink; [`CLOSED`] once the component is complete.
    low: u32,
}

/// All nodes of a component.
pub(crate) struct Members<'c> {
    pub(crate) nodes: &'c [u32],
    marks: &'c [Mark],
    /// The index of the root.
    index: u32,
}

impl Members<'_> {
    /// Returns true if a node is in the component.
    #[inline]
    pub(crate) fn has(&self, node: u32) -> bool {
        self.marks.get(node as usize).is_some_and(|mark| mark.index == self.index && mark.low == CLOSED)
    }
}

/// The `low` of nodes whose component is complete.
const CLOSED: u32 = u32::MAX;

impl Components {
    /// Removes all components before a graph of this many nodes is walked, and keeps the
    /// allocations.
    pub(crate) fn clear(&mut self, nodes: usize) {
        if self.reached as usize + nodes >= CLOSED as usize {
            self.marks.clear();
            self.reached = 0;
        }
        self.since = self.reached;
        self.open.clear();
    }

    /// Returns true if a node was visited.
    pub(crate) fn has(&self, node: u32) -> bool {
        self.mark(node).index != 0
    }

    #[inline]
    fn mark(&self, node: u32) -> Mark {
        let mark = self.marks.get(node as usize).filter(|mark| mark.index > self.since);
        mark.copied().unwrap_or_default()
    }

    /// The bytes in use between two walks.
    pub(crate) fn bytes(&self) -> usize {
        self.marks.capacity() * size_of::<Mark>() + self.open.capacity() * size_of::<u32>()
    }

    fn reach(&mut self, node: u32) {
        let position = node as usize;
        if self.marks.len() <= position {
            self.marks.resize(position + 1, Mark::default());
        }
        self.reached += 1;
        self.marks[position] = Mark { index: self.reached, low: self.reached };
        self.open.push(node);
    }

    /// Lowers the lowlink of a node.
    #[inline]
    fn lower(&mut self, node: u32, low: u32) {
        let mark = &mut self.marks[node as usize];
        mark.low = mark.low.min(low);
    }

    /// Calls `accept` with each unvisited component that is reachable from `start`, until it
    /// returns a result.
    pub(crate) fn find<W: Walk, T>(
        &mut self,
        start: u32,
        walk: &mut W,
        mut accept: impl FnMut(&mut W, &Members<'_>) -> Result<Option<T>, W::Stop>,
    ) -> Result<Option<T>, W::Stop> {
        if self.has(start) {
            return Ok(None);
        }
        self.reach(start);
        let mut path = vec![(start, walk.open(start, self.bytes())?)];
        while let Some((node, cursor)) = path.last_mut() {
            let node = *node;
            if let Some(to) = walk.next(cursor) {
                match self.mark(to) {
                    Mark { index: 0, .. } if walk.has(to) => {
                        self.reach(to);
                        let held = self.bytes() + size_of_val(&*path);
                        path.push((to, walk.open(to, held)?));
                    }
                    Mark { index: 0, .. } | Mark { low: CLOSED, .. } => {}
                    Mark { index, .. } => self.lower(node, index),
                }
                continue;
            }
            path.pop();
            let Mark { index, low } = self.mark(node);
            if let Some((parent, _)) = path.last() {
                self.lower(*parent, low);
            }
            if low == index {
                let first = self.open.iter().rposition(|other| *other == node).unwrap_or(0);
                let nodes = &self.open[first..];
                nodes.iter().for_each(|node| self.marks[*node as usize] = Mark { index, low: CLOSED });
                if let Some(found) = accept(walk, &Members { nodes, marks: &self.marks, index })? {
                    return Ok(Some(found));
                }
                self.open.truncate(first);
            }
        }
        Ok(None)
    }
}
