//! The edges of a graph that grows, node by node.
//!
//! The edges of a node come in runs, one for each time that it is expanded. Whoever walks the graph would wait for memory
//! at each run: so now and then they are packed, node by node. They are packed in segments, those of neighbours together:
//! then no more than that is moved at a time, and threads share the work.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::team::for_each;

/// A step to another node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) label: u32,
}

/// The edges of a node that were found together. They end where those of the next run begin.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The one before of the same node, plus one.
    before: u32,
    start: u32,
}

/// How many nodes have their edges in one segment. Tests have small graphs.
const SEGMENT: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// The packed edges of neighbours.
#[derive(Debug, Default)]
struct Segment {
    edges: Vec<Edge>,
    /// Where the edges of each node end, which is where those of the next begin.
    ends: Vec<u32>,
}

/// All edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// For each node its last run, plus one. Each is written by one thread at a time.
    heads: Vec<AtomicU32>,
    runs: Vec<Run>,
    /// Those of the runs.
    recent: Vec<Edge>,
    segments: Vec<Segment>,
    /// How many there are in segments.
    packed: usize,
}

/// Goes through the edges of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    before: u32,
    at: u32,
    end: u32,
    segment: u32,
}

/// Stands for the edges of runs, where others are in a segment.
const RECENT: u32 = u32::MAX;

impl Edges {
    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.heads.len()
    }

    /// There are so many nodes now.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.heads.resize_with(nodes, AtomicU32::default);
    }

    /// Whether there are more than can be counted with so many more.
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

    /// Those of a node that are packed: its segment, and where they are in there.
    #[inline]
    fn packed_of(&self, node: u32) -> Option<(usize, usize, usize)> {
        let (segment, place) = (node as usize / SEGMENT, node as usize % SEGMENT);
        let ends = &self.segments.get(segment)?.ends;
        let end = *ends.get(place)? as usize;
        Some((segment, place.checked_sub(1).map_or(0, |last| ends[last] as usize), end))
    }

    /// The last run of a node, plus one.
    #[inline]
    fn head(&self, node: u32) -> u32 {
        if self.runs.is_empty() { 0 } else { self.heads[node as usize].load(Ordering::Relaxed) }
    }

    /// The edges of a node, from the beginning.
    #[inline]
    pub(crate) fn cursor(&self, node: u32) -> Cursor {
        let (segment, at, end) = self.packed_of(node).unwrap_or_default();
        Cursor { before: self.head(node), at: at as u32, end: end as u32, segment: segment as u32 }
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

    /// The edges of a run and of those before it, given by its number plus one.
    fn of_runs(&self, run: u32) -> impl Iterator<Item = &[Edge]> + '_ {
        let runs =
            std::iter::successors(run.checked_sub(1), |nth| self.runs[*nth as usize].before.checked_sub(1));
        runs.map(|nth| &self.recent[self.runs[nth as usize].start as usize..self.run_end(nth as usize)])
    }

    /// The edges of a node that are packed.
    #[inline]
    pub(crate) fn packed(&self, node: u32) -> &[Edge] {
        let packed = self.packed_of(node);
        packed.map_or(&[], |(segment, start, end)| &self.segments[segment].edges[start..end])
    }

    /// The edges of a node.
    #[inline]
    pub(crate) fn out(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        self.packed(node).iter().chain(self.of_runs(self.head(node)).flatten()).copied()
    }

    /// Where the first edge of a node leads, if it is packed: to have looked there.
    #[inline]
    pub(crate) fn first_target(&self, node: u32) -> u32 {
        self.packed(node).first().map_or(0, |edge| edge.to)
    }

    /// Makes room for batches of so many nodes and edges each. There must be [room](Self::is_full_with).
    pub(crate) fn batches(&mut self, sizes: &[(usize, usize)]) -> Vec<Batch<'_>> {
        let (mut first, mut start) = (self.runs.len(), self.recent.len());
        self.runs.resize(first + sizes.iter().map(|(nodes, _)| nodes).sum::<usize>(), Run::default());
        self.recent.resize(start + sizes.iter().map(|(_, edges)| edges).sum::<usize>(), Edge::default());
        let (mut all_runs, mut all_edges) = (&mut self.runs[first..], &mut self.recent[start..]);
        let batch = |(nodes, edges): &(usize, usize)| {
            let (runs, rest) = std::mem::take(&mut all_runs).split_at_mut(*nodes);
            all_runs = rest;
            let (edges, rest) = std::mem::take(&mut all_edges).split_at_mut(*edges);
            all_edges = rest;
            let batch = Batch { heads: &self.heads, first: first as u32, runs, start: start as u32, edges };
            (first, start) = (first + batch.runs.len(), start + batch.edges.len());
            batch
        };
        sizes.iter().map(batch).collect()
    }

    /// Puts the edges of each node side by side.
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
    /// Takes in the edges of runs. Those that were here are moved towards the end, from the last one on, to make room,
    /// until there are none.
    fn pack(&mut self, heads: &[AtomicU32], all: &Edges) {
        let Self { edges, ends } = self;
        let runs = heads.iter().map(|head| head.load(Ordering::Relaxed));
        let new: usize = runs.flat_map(|run| all.of_runs(run)).map(<[Edge]>::len).sum();
        ends.resize(heads.len(), edges.len() as u32);
        let mut end = edges.len() + new;
        edges.resize(end, Edge::default());
        for (node, head) in heads.iter().enumerate().rev() {
            let start = node.checked_sub(1).map_or(0, |before| ends[before] as usize);
            let packed = start..std::mem::replace(&mut ends[node], end as u32) as usize;
            for more in all.of_runs(head.swap(0, Ordering::Relaxed)) {
                end -= more.len();
                edges[end..end + more.len()].copy_from_slice(more);
            }
            if packed.end == end {
                // Nothing is new before.
                break;
            }
            end -= packed.len();
            edges.copy_within(packed, end);
        }
        // Runs without edges.
        heads.iter().for_each(|head| head.store(0, Ordering::Relaxed));
    }
}

/// Room for the edges of some nodes.
pub(crate) struct Batch<'a> {
    heads: &'a [AtomicU32],
    /// The number of the first run.
    first: u32,
    runs: &'a mut [Run],
    /// Where the edges begin.
    start: u32,
    pub(crate) edges: &'a mut [Edge],
}

impl Batch<'_> {
    /// The edges belong to these nodes, so many to each.
    pub(crate) fn assign(&mut self, nodes: impl Iterator<Item = (u32, u32)>) {
        let mut start = self.start;
        for ((run, nth), (node, count)) in self.runs.iter_mut().zip(self.first..).zip(nodes) {
            let head = &self.heads[node as usize];
            *run = Run { before: head.load(Ordering::Relaxed), start };
            head.store(nth + 1, Ordering::Relaxed);
            start += count;
        }
    }
}
