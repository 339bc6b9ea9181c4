//! Strongly connected components, by Tarjan's algorithm on a stack of its own.

/// A graph that is walked, and may come into being on the way.
pub(crate) trait Walk {
    /// How far the edges of a node have been walked.
    type Cursor;
    /// Why a walk may end.
    type Stop;

    /// A node is reached for the first time. Whoever walks holds so many bytes for it.
    fn open(&mut self, node: u32, held: usize) -> Result<Self::Cursor, Self::Stop>;
    /// Where the next edge leads.
    fn next(&mut self, cursor: &mut Self::Cursor) -> Option<u32>;
    /// Whether a node that was not reached is part of the graph. If not, edges that lead there do not count.
    fn has(&self, node: u32) -> bool;
}

/// The components that were found so far. Each node is looked at once.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// Those of nodes that were reached up to `since` are from another time: they are none.
    marks: Vec<Mark>,
    since: u32,
    reached: u32,
    /// Nodes whose component is open.
    open: Vec<u32>,
}

/// What is known of a node, in one place: whoever comes by needs both.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// In which order nodes were reached, from `since` + 1 on; 0 for the others. Once its component is complete, that
    /// of its first.
    index: u32,
    /// The first node that is known to be reached from this one, as long as its component is open.
    low: u32,
}

/// All nodes of a component.
pub(crate) struct Members<'c> {
    pub(crate) nodes: &'c [u32],
    marks: &'c [Mark],
    /// That of the first.
    index: u32,
}

impl Members<'_> {
    /// Whether a node is one of them.
    #[inline]
    pub(crate) fn has(&self, node: u32) -> bool {
        self.marks.get(node as usize).is_some_and(|mark| mark.index == self.index && mark.low == CLOSED)
    }
}

/// Marks nodes whose component is complete.
const CLOSED: u32 = u32::MAX;

impl Components {
    /// Forgets all components, before a graph of so many nodes is walked, and keeps the memory.
    pub(crate) fn clear(&mut self, nodes: usize) {
        if self.reached as usize + nodes >= CLOSED as usize {
            self.marks.clear();
            self.reached = 0;
        }
        self.since = self.reached;
        self.open.clear();
    }

    /// Whether the component of a node is known.
    pub(crate) fn has(&self, node: u32) -> bool {
        self.mark(node).index != 0
    }

    #[inline]
    fn mark(&self, node: u32) -> Mark {
        let mark = self.marks.get(node as usize).filter(|mark| mark.index > self.since);
        mark.copied().unwrap_or_default()
    }

    /// The bytes that are held between two walks.
    pub(crate) fn bytes(&self) -> usize {
        self.marks.capacity() * size_of::<Mark>() + self.open.capacity() * size_of::<u32>()
    }

    fn reach(&mut self, node: u32) {
        let place = node as usize;
        if self.marks.len() <= place {
            self.marks.resize(place + 1, Mark::default());
        }
        self.reached += 1;
        self.marks[place] = Mark { index: self.reached, low: self.reached };
        self.open.push(node);
    }

    /// From a node something is reached that was reached so early.
    #[inline]
    fn lower(&mut self, node: u32, low: u32) {
        let mark = &mut self.marks[node as usize];
        mark.low = mark.low.min(low);
    }

    /// Shows all components that are reached from a node, and were not before, until one of them is the one.
    pub(crate) fn find<W: Walk, T>(
        &mut self,
        start: u32,
        walk: &mut W,
        mut is_the_one: impl FnMut(&mut W, &Members<'_>) -> Result<Option<T>, W::Stop>,
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
                if let Some(found) = is_the_one(walk, &Members { nodes, marks: &self.marks, index })? {
                    return Ok(Some(found));
                }
                self.open.truncate(first);
            }
        }
        Ok(None)
    }
}
