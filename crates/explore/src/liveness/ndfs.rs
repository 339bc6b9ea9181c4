//! Nested depth-first search, with one stack and two bits for each node [TR15 §4.2].
//!
//! A first search goes through the graph; when it comes back over a hot step, a second one goes on from the target of
//! the step, and looks for a node that the first one has still on its stack: from there the hot step is reached again.
//! The second search visits each node once in all, which is right because hot steps come back in postorder.
//!
//! Deviations:
//! 1. The paper looks for the target of the hot step. A cycle through the target need not go through the step: what has
//!    to be reached is its source, or a node on the stack, from which the source is reached.
//! 2. Cold steps are not part of the graph that is searched: where one leads, a new search begins.
//! 3. A cycle that was found may be unfair ([`super::fair`]). Then its component, and all that are reached from it,
//!    are looked at as wholes, and no search enters them again.

use super::edges::{Cursor, Edge};
use super::fair::{Component, Examiner, Source};
use crate::search::Stop;

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Nothing.
    White,
    /// On the stack of the first search.
    Cyan,
    /// The first search is done with it.
    Blue,
    /// So is the second.
    Red,
}

/// A node on a path, with the edges that are left and the one that was taken.
type Entered = (u32, Cursor, Option<Edge>);

/// Searches for a cycle from the initial nodes.
pub(crate) fn search<S: Source>(
    source: &mut S,
    initial: &[u32],
    property: u64,
    examiner: &mut Examiner,
) -> Result<Option<Component>, Stop> {
    let mut search = Ndfs { source, property, examiner, marks: Vec::new() };
    // The last one is the next: cold steps are followed soon.
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

    /// Goes on to a node, from the end of a path of so many bytes.
    fn enter(&mut self, node: u32, path: usize) -> Result<Entered, Stop> {
        self.set(node, Mark::Cyan);
        self.source.open(node, path + size_of_val(&*self.marks) + self.examiner.bytes())?;
        Ok((node, self.source.graph().edges_of(node), None))
    }

    /// The first search.
    fn first(&mut self, root: u32, roots: &mut Vec<u32>) -> Result<Option<Component>, Stop> {
        let mut path = vec![self.enter(root, 0)?];
        loop {
            let held = size_of_val(&*path);
            let Some((node, cursor, taken)) = path.last_mut() else { return Ok(None) };
            let (node, back) = (*node, taken.take());
            if let Some(edge) = back
                && self.source.graph().heat(edge, self.property).0
                && self.second(edge.to)
            {
                // Some unfair cycles tell nothing about others: whole components do.
                let held = held + size_of_val(&*self.marks);
                let found = self.examiner.examine(edge.to, self.source, held, |_| true)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            let Some(edge) = self.source.graph().next(cursor) else {
                path.pop();
                self.set(node, Mark::Blue);
                continue;
            };
            if self.source.graph().heat(edge, self.property).1 {
                if self.mark(edge.to) == Mark::White {
                    roots.push(edge.to);
                }
                continue;
            }
            *taken = Some(edge);
            if self.mark(edge.to) == Mark::White {
                let entered = self.enter(edge.to, held)?;
                path.push(entered);
            }
        }
    }

    /// The second search: whether a node on the stack is reached.
    fn second(&mut self, start: u32) -> bool {
        if self.mark(start) == Mark::Cyan {
            return !self.examiner.is_done(start);
        }
        if self.mark(start) == Mark::Red || self.examiner.is_done(start) {
            return false;
        }
        self.set(start, Mark::Red);
        let mut path = vec![self.source.graph().edges_of(start)];
        while let Some(cursor) = path.last_mut() {
            let graph = self.source.graph();
            let Some(edge) = graph.next(cursor) else {
                path.pop();
                continue;
            };
            if graph.heat(edge, self.property).1 || self.examiner.is_done(edge.to) {
                continue;
            }
            match self.mark(edge.to) {
                Mark::Cyan => return true,
                Mark::Blue => {
                    self.set(edge.to, Mark::Red);
                    path.push(self.source.graph().edges_of(edge.to));
                }
                // All that is reached from a node that the first search has left was entered.
                Mark::White | Mark::Red => {}
            }
        }
        false
    }
}
