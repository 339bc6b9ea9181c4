//! Nested depth-first search, with one stack and two bits for each node [TR15 §4.2].
//!
//! A first depth-first search walks the graph. When it backtracks over a hot edge, a second one
//! starts at the target of the edge and looks for a node on the stack of the first: from there the
//! hot edge is reachable, so it is on a cycle. The second searches visit each node at most once in
//! total, which is sound because hot edges are backtracked in postorder.
//!
//! Deviations:
//! 1. The paper's second search looks for the target of the hot edge. A cycle through the target
//!    need not contain the edge; its source must be reached, or a node on the stack, from which the
//!    source is reachable.
//! 2. Cold edges are not part of the searched graph: a new search starts at their targets.
//! 3. A cycle may be unfair. Then [`super::fair`] examines its component and all components that
//!    are reachable from it, and no later search enters them.

use super::edges::{Cursor, Edge};
use super::fair::{Component, Examiner, Source};
use crate::search::Stop;

/// The colour of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Not visited.
    White,
    /// On the stack of the first search.
    Cyan,
    /// The first search has left it.
    Blue,
    /// A second search has visited it.
    Red,
}

/// A frame of the first search's stack.
struct Frame {
    node: u32,
    /// The next edge of the node.
    cursor: Cursor,
    /// The edge over which the search will backtrack.
    taken: Option<Edge>,
}

/// Searches for a violating cycle that is reachable from the initial nodes.
pub(crate) fn search<S: Source>(
    source: &mut S,
    initial: &[u32],
    property: u64,
    examiner: &mut Examiner,
) -> Result<Option<Component>, Stop> {
    let mut search = Ndfs { source, property, examiner, marks: Vec::new() };
    // A stack, so that targets of cold edges are searched soon.
    let mut roots: Vec<u32> = initial.iter().rev().copied().collect();
    while let Some(root) = roots.pop() {
        if search.mark(root) == Mark::White
            && let Some(found) = search.first(root, &mut roots)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

struct Ndfs<'s, S> {
    source: &'s mut S,
    property: u64,
    examiner: &'s mut Examiner,
    marks: Vec<Mark>,
}

impl<S: Source> Ndfs<'_, S> {
    fn mark(&self, node: u32) -> Mark {
        self.marks.get(node as usize).copied().unwrap_or(Mark::White)
    }

    fn set(&mut self, node: u32, mark: Mark) {
        if self.marks.len() <= node as usize {
            self.marks.resize(node as usize + 1, Mark::White);
        }
        self.marks[node as usize] = mark;
    }

    /// Enters a node in the first search. `held` is the size of the stack in bytes.
    fn enter(&mut self, node: u32, held: usize) -> Result<Frame, Stop> {
        self.set(node, Mark::Cyan);
        self.source.open(node, held + size_of_val(&*self.marks) + self.examiner.bytes())?;
        Ok(Frame { node, cursor: self.source.graph().edges_of(node), taken: None })
    }

    /// The first search.
    fn first(&mut self, root: u32, roots: &mut Vec<u32>) -> Result<Option<Component>, Stop> {
        let mut stack = vec![self.enter(root, 0)?];
        loop {
            let held = size_of_val(&*stack);
            let Some(Frame { node, cursor, taken }) = stack.last_mut() else { return Ok(None) };
            let (node, back) = (*node, taken.take());
            if let Some(edge) = back
                && self.source.graph().is_hot(edge, self.property)
                && self.second(edge.to)
            {
                // This cycle may be unfair while others are fair, so examine the component.
                let held = held + size_of_val(&*self.marks);
                let found = self.examiner.examine(edge.to, self.source, held, |_| true)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            let Some(edge) = self.source.graph().next(cursor) else {
                stack.pop();
                self.set(node, Mark::Blue);
                continue;
            };
            if self.source.graph().is_cold(edge, self.property) {
                if self.mark(edge.to) == Mark::White {
                    roots.push(edge.to);
                }
                continue;
            }
            *taken = Some(edge);
            if self.mark(edge.to) == Mark::White {
                let frame = self.enter(edge.to, held)?;
                stack.push(frame);
            }
        }
    }

    /// The second search. Returns true if it reaches a node on the stack of the first.
    fn second(&mut self, start: u32) -> bool {
        if self.mark(start) == Mark::Cyan {
            return !self.examiner.is_done(start);
        }
        if self.mark(start) == Mark::Red || self.examiner.is_done(start) {
            return false;
        }
        self.set(start, Mark::Red);
        let mut stack = vec![self.source.graph().edges_of(start)];
        while let Some(cursor) = stack.last_mut() {
            let graph = self.source.graph();
            let Some(edge) = graph.next(cursor) else {
                stack.pop();
                continue;
            };
            if graph.is_cold(edge, self.property) || self.examiner.is_done(edge.to) {
                continue;
            }
            match self.mark(edge.to) {
                Mark::Cyan => return true,
                Mark::Blue => {
                    self.set(edge.to, Mark::Red);
                    stack.push(self.source.graph().edges_of(edge.to));
                }
                // White is impossible, since the first search has visited all successors of blue
                // nodes.
                Mark::White | Mark::Red => {}
            }
        }
        false
    }
}
