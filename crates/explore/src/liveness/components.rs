//! Strongly connected components, by Tarjan's algorithm on a stack of its own.

/// A graph that is walked, and may come into being on the way.
pub(crate) trait Walk {
    /// How far the edges of a node have been walked.
    type Cursor;
    /// Why a walk may end.
    type Stop;

    /// A node is reached for the first time.
    fn open(&mut self, node: u32) -> Result<Self::Cursor, Self::Stop>;
    /// Where the next edge leads.
    fn next(&mut self, cursor: &mut Self::Cursor) -> Option<u32>;
}

/// The components that were found so far. Each node is looked at once.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// In which order nodes were reached, from 1; 0 for the others.
    index: Vec<u32>,
    /// The first node that is known to be reached from a node, as long as its component is open.
    low: Vec<u32>,
    reached: u32,
    /// Nodes whose component is open.
    open: Vec<u32>,
}

/// Marks nodes whose component is complete.
const CLOSED: u32 = u32::MAX;

impl Components {
    /// Whether the component of a node is known.
    pub(crate) fn has(&self, node: u32) -> bool {
        self.index.get(node as usize).is_some_and(|index| *index != 0)
    }

    fn reach(&mut self, node: u32) {
        let place = node as usize;
        if self.index.len() <= place {
            self.index.resize(place + 1, 0);
            self.low.resize(place + 1, 0);
        }
        self.reached += 1;
        self.index[place] = self.reached;
        self.low[place] = self.reached;
        self.open.push(node);
    }

    /// Shows all components that are reached from a node, and were not before, until one of them is the one.
    pub(crate) fn find<W: Walk, T>(
        &mut self,
        start: u32,
        walk: &mut W,
        mut is_the_one: impl FnMut(&mut W, &[u32]) -> Result<Option<T>, W::Stop>,
    ) -> Result<Option<T>, W::Stop> {
        if self.has(start) {
            return Ok(None);
        }
        self.reach(start);
        let mut path = vec![(start, walk.open(start)?)];
        while let Some((node, cursor)) = path.last_mut() {
            let node = *node;
            if let Some(to) = walk.next(cursor) {
                if !self.has(to) {
                    self.reach(to);
                    path.push((to, walk.open(to)?));
                } else if self.low[to as usize] != CLOSED {
                    self.low[node as usize] = self.low[node as usize].min(self.index[to as usize]);
                }
                continue;
            }
            path.pop();
            let low = self.low[node as usize];
            if let Some((parent, _)) = path.last() {
                let parent = *parent as usize;
                self.low[parent] = self.low[parent].min(low);
            }
            if low == self.index[node as usize] {
                let first = self.open.iter().rposition(|other| *other == node).unwrap_or(0);
                let component = &self.open[first..];
                component.iter().for_each(|node| self.low[*node as usize] = CLOSED);
                if let Some(found) = is_the_one(walk, component)? {
                    return Ok(Some(found));
                }
                self.open.truncate(first);
            }
        }
        Ok(None)
    }
}
