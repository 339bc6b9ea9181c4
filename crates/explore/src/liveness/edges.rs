//! The edges of a growing graph, as adjacency lists.
//!
//! Each expansion of a node adds a *run* of edges. Following the runs of a node would cost a cache
//! miss for each of them, so runs are *packed* between bounds: all edges of a node become adjacent.
//! Packing works on segments of consecutive nodes, so that at most one segment is moved at a time,
//! and threads share the work.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use crate::team::for_each;

/// An edge, without its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) label: u32,
}

/// The edges of one expansion of a node. They end where those of the next run begin.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The previous run of the same node, plus one; 0 if there is none.
    before: u32,
    start: u32,
}

/// Nodes per segment. Tests use small graphs.
const SEGMENT: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// The packed edges of consecutive nodes.
#[derive(Debug, Default)]
struct Segment {
    edges: Vec<Edge>,
    /// For each node the end of its edges, which is the start of the next node's.
    ends: Vec<u32>,
}

/// All edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// For each node its last run, plus one; 0 if there is none.
    heads: Vec<AtomicU32>,
    runs: Vec<Run>,
    /// The edges of all runs.
    recent: Vec<Edge>,
    segments: Vec<Segment>,
    /// The number of packed edges.
    packed: usize,
}

/// A position in the edges of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    before: u32,
    at: u32,
    end: u32,
    segment: u32,
}

/// In place of a segment's number: the cursor is in a run.
const RECENT: u32 = u32::MAX;

/// The packed edges of a node.
#[derive(Clone, Copy, Default)]
struct PackedRange {
    segment: usize,
    start: usize,
    end: usize,
}

/// The size of a [`Batch`].
#[derive(Clone, Copy)]
pub(crate) struct BatchSize {
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
}

impl Edges {
    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.heads.len()
    }

    /// Adds nodes without edges, up to this number of nodes.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.heads.resize_with(nodes, AtomicU32::default);
    }

    /// Returns true if 32 bits cannot count the edges together with this many more.
    pub(crate) fn is_full_with(&self, more: usize) -> bool {
        self.packed + self.recent.len() + more >= u32::MAX as usize
    }

    pub(crate) fn bytes(&self) -> usize {
        let edges =
            self.recent.capacity() + self.segments.iter().map(|it| it.edges.capacity()).sum::<usize>();
        let ends: usize = self.segments.iter().map(|segment| segment.ends.capacity()).sum();
        edges * size_of::<Edge>()
            + self.runs.capacity() * size_of::<Run>()
            + (self.heads.capacity() + ends) * size_of::<u32>()
    }

    /// The packed edges of a node, if it was packed.
    #[inline]
    fn packed_range(&self, node: u32) -> Option<PackedRange> {
        let (segment, offset) = (node as usize / SEGMENT, node as usize % SEGMENT);
        let ends = &self.segments.get(segment)?.ends;
        let end = *ends.get(offset)? as usize;
        let start = offset.checked_sub(1).map_or(0, |before| ends[before] as usize);
        Some(PackedRange { segment, start, end })
    }

    /// The last run of a node, plus one; 0 if there is none.
    #[inline]
    fn head(&self, node: u32) -> u32 {
        if self.runs.is_empty() { 0 } else { self.heads[node as usize].load(Ordering::Relaxed) }
    }

    /// A cursor at the first edge of a node.
    #[inline]
    pub(crate) fn cursor(&self, node: u32) -> Cursor {
        let PackedRange { segment, start, end } = self.packed_range(node).unwrap_or_default();
        Cursor { before: self.head(node), at: start as u32, end: end as u32, segment: segment as u32 }
    }

    /// The next edge.
    #[inline]
    pub(crate) fn next(&self, cursor: &mut Cursor) -> Option<Edge> {
        while cursor.at == cursor.end {
            let nth = cursor.before.checked_sub(1)? as usize;
            let Run { before, start } = self.runs[nth];
            *cursor = Cursor { before, at: start, end: self.run_end(nth) as u32, segment: RECENT };
        }
        cursor.at += 1;
        let edges = match cursor.segment {
            RECENT => &self.recent,
            segment => &self.segments[segment as usize].edges,
        };
        Some(edges[cursor.at as usize - 1])
    }

    fn run_end(&self, nth: usize) -> usize {
        self.runs.get(nth + 1).map_or(self.recent.len(), |next| next.start as usize)
    }

    /// The numbers of a run and of the node's earlier runs. `run` is the number of the run, plus one.
    fn chain(&self, run: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(run.checked_sub(1), |nth| self.runs[*nth as usize].before.checked_sub(1))
    }

    /// The edges of the run with this number.
    fn run(&self, nth: u32) -> &[Edge] {
        &self.recent[self.runs[nth as usize].start as usize..self.run_end(nth as usize)]
    }

    /// The edges of a run and of the node's earlier runs. `run` is the number of the run, plus one.
    fn runs_from(&self, run: u32) -> impl Iterator<Item = &[Edge]> + '_ {
        self.chain(run).map(|nth| self.run(nth))
    }

    /// The packed edges of a node.
    #[inline]
    pub(crate) fn packed(&self, node: u32) -> &[Edge] {
        let packed = self.packed_range(node);
        packed.map_or(&[], |packed| &self.segments[packed.segment].edges[packed.start..packed.end])
    }

    /// The edges of a node.
    #[inline]
    pub(crate) fn out(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        self.packed(node).iter().chain(self.runs_from(self.head(node)).flatten()).copied()
    }

    /// The target of the first packed edge of a node, or 0.
    #[inline]
    pub(crate) fn first_target(&self, node: u32) -> u32 {
        self.packed(node).first().map_or(0, |edge| edge.to)
    }

    /// Allocates batches of these sizes. [`Self::is_full_with`] must be false for their sum.
    pub(crate) fn batches(&mut self, sizes: &[BatchSize]) -> Vec<Batch<'_>> {
        let (mut first, mut start) = (self.runs.len(), self.recent.len());
        self.runs.resize(first + sizes.iter().map(|size| size.nodes).sum::<usize>(), Run::default());
        self.recent.resize(start + sizes.iter().map(|size| size.edges).sum::<usize>(), Edge::default());
        let (mut all_runs, mut all_edges) = (&mut self.runs[first..], &mut self.recent[start..]);
        let batch = |size: &BatchSize| {
            let (runs, rest) = std::mem::take(&mut all_runs).split_at_mut(size.nodes);
            all_runs = rest;
            let (edges, rest) = std::mem::take(&mut all_edges).split_at_mut(size.edges);
            all_edges = rest;
            let batch = Batch { heads: &self.heads, first: first as u32, runs, start: start as u32, edges };
            (first, start) = (first + batch.runs.len(), start + batch.edges.len());
            batch
        };
        sizes.iter().map(batch).collect()
    }

    /// Moves the edges of all runs into segments, so that the edges of each node are adjacent.
    pub(crate) fn pack(&mut self, threads: usize) {
        let mut segments = std::mem::take(&mut self.segments);
        segments.resize_with(self.nodes().div_ceil(SEGMENT), Segment::default);
        let work = segments.iter_mut().zip(self.heads.chunks(SEGMENT)).collect();
        let all = &*self;
        for_each(work, threads, |(segment, heads): (&mut Segment, &[AtomicU32])| segment.pack(heads, all));
        self.segments = segments;
        self.packed += self.recent.len();
        self.recent.clear();
        self.runs.clear();
    }
}

impl Segment {
    /// Adds the edges of runs. Works in place, from the last node to the first: a node's packed
    /// edges move towards the end to make room for its new ones.
    fn pack(&mut self, heads: &[AtomicU32], all: &Edges) {
        let Self { edges, ends } = self;
        let runs = heads.iter().map(|head| head.load(Ordering::Relaxed));
        let new: usize = runs.flat_map(|run| all.runs_from(run)).map(<[Edge]>::len).sum();
        ends.resize(heads.len(), edges.len() as u32);
        let mut end = edges.len() + new;
        edges.resize(end, Edge::default());
        for (node, head) in heads.iter().enumerate().rev() {
            let start = node.checked_sub(1).map_or(0, |before| ends[before] as usize);
            let packed = start..std::mem::replace(&mut ends[node], end as u32) as usize;
            // Threads may have added runs of one node in any order.
            let mut runs: SmallVec<[u32; 4]> = all.chain(head.swap(0, Ordering::Relaxed)).collect();
            runs.sort_unstable();
            for more in runs.into_iter().rev().map(|nth| all.run(nth)) {
                end -= more.len();
                edges[end..end + more.len()].copy_from_slice(more);
            }
            if packed.end == end {
                // No earlier node has new edges.
                break;
            }
            end -= packed.len();
            edges.copy_within(packed, end);
        }
        // The loop skips runs without edges.
        heads.iter().for_each(|head| head.store(0, Ordering::Relaxed));
    }
}

/// Allocated room for the edges of some nodes, to be filled by one thread.
pub(crate) struct Batch<'a> {
    heads: &'a [AtomicU32],
    /// The number of the batch's first run.
    first: u32,
    runs: &'a mut [Run],
    /// The position of the batch's first edge.
    start: u32,
    pub(crate) edges: &'a mut [Edge],
}

impl Batch<'_> {
    /// Assigns the batch's edges to nodes. Items are a node and the number of its edges, in order.
    pub(crate) fn assign(&mut self, nodes: impl Iterator<Item = (u32, u32)>) {
        let mut start = self.start;
        for ((run, nth), (node, count)) in self.runs.iter_mut().zip(self.first..).zip(nodes) {
            // Another thread may add edges of the same node: it can be deferred twice, with the rest of its
            // proposals and with costly outcomes.
            let before = self.heads[node as usize].swap(nth + 1, Ordering::Relaxed);
            *run = Run { before, start };
            start += count;
        }
    }
}
