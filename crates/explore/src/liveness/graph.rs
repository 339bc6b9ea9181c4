//! The explored graph: nodes are states, edges are the steps that the search has taken.
//!
//! Nodes are numbered in the order in which the search accepted them, which does not depend on the
//! number of threads. Edges are packed between bounds ([`super::edges`]). An edge has a target and
//! a label; there are few distinct labels, and each is interned.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use dally_schedule::TaskId;
use smallvec::SmallVec;

use super::edges::{Batch, BatchSize, Cursor, Edge, Edges};
use crate::ledger::{Ledger, Transition};
use crate::store::Interner;
use crate::successors::Event;
use crate::team::for_each;
use crate::tree::{Branch, NodeId};
use crate::visited::Visited;
use crate::{Fingerprint, Fingerprinter};

/// The properties of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label {
    pub(crate) task: TaskId,
    pub(crate) branch: Branch,
    pub(crate) hot: u64,
    pub(crate) cold: u64,
    /// The fair choices that the step makes.
    pub(crate) fair: SmallVec<[FairChoice; 1]>,
}

/// A fair choice that a step makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FairChoice {
    pub(crate) choice: u64,
    /// The option that it takes.
    pub(crate) option: u32,
    /// The number of its options, explored or not.
    pub(crate) options: u32,
}

type Set = SmallVec<[TaskId; 8]>;

/// The properties for which a label is hot, and for which it is cold, as bit sets.
#[derive(Clone, Copy, Debug)]
struct Heat {
    hot: u64,
    cold: u64,
}

/// The explored graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: Edges,
    /// For each node the interned set of its enabled tasks, plus one; 0 if it is not known yet. An
    /// entry is written by one thread at a time.
    enabled: Vec<AtomicU32>,
    labels: Interner<Label>,
    sets: Interner<Set>,
    /// Copies of the interners' tables, which threads read without locks.
    known_labels: HashMap<Label, u32, BuildHasherDefault<Fingerprinter>>,
    known_sets: HashMap<Set, u32, BuildHasherDefault<Fingerprinter>>,
    /// For each label.
    heat: Vec<Heat>,
    /// Nodes with edges that were added since the last [`Graph::take_fresh`].
    fresh: Vec<u32>,
    full: bool,
    /// Empty drafts with their allocations: memory that another thread has freed is slow to reuse.
    spare: Mutex<Vec<Draft>>,
    /// The bytes that analyses of this graph keep for its nodes.
    pub(crate) analysis_bytes: usize,
}

/// Nodes and edges found by one thread.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    nodes: Vec<DraftNode>,
    /// The target of each edge, in the order of `nodes`.
    keys: Vec<Fingerprint>,
    /// The label of each edge.
    labels: Vec<u32>,
}

#[derive(Debug)]
struct DraftNode {
    node: u32,
    /// The set of enabled tasks, as in [`Graph::set_of`].
    enabled: u32,
    /// The number of its edges.
    edges: u32,
}

impl Draft {
    fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.labels.clear();
    }
}

impl Graph {
    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.edges.nodes()
    }

    /// Returns true if there are more edges than 32 bits can count.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// A cursor at the first edge of a node.
    #[inline]
    pub(crate) fn edges_of(&self, node: u32) -> Cursor {
        self.edges.cursor(node)
    }

    /// The target of the first packed edge of a node, or 0. Callers use it to load the edges into
    /// the cache.
    #[inline]
    pub(crate) fn first_target(&self, node: u32) -> u32 {
        self.edges.first_target(node)
    }

    /// The next edge.
    #[inline]
    pub(crate) fn next(&self, cursor: &mut Cursor) -> Option<Edge> {
        self.edges.next(cursor)
    }

    /// The edges of a node, once all are packed.
    #[inline]
    pub(crate) fn packed(&self, node: u32) -> &[Edge] {
        self.edges.packed(node)
    }

    /// The edges of a node.
    #[inline]
    pub(crate) fn out(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        self.edges.out(node)
    }

    /// The label with this number.
    pub(crate) fn label(&self, label: u32) -> &Label {
        self.labels.get(label)
    }

    /// The number of labels.
    pub(crate) fn labels(&self) -> usize {
        self.labels.len()
    }

    /// The numbers of sets of enabled tasks are below this.
    pub(crate) fn sets(&self) -> usize {
        self.sets.len() + 1
    }

    /// Returns true if an edge is hot, and not cold, for the property of this bit.
    #[inline]
    pub(crate) fn is_hot(&self, edge: Edge, property: u64) -> bool {
        let Heat { hot, cold } = self.heat[edge.label as usize];
        hot & !cold & property != 0
    }

    /// Returns true if an edge is cold for the property of this bit.
    #[inline]
    pub(crate) fn is_cold(&self, edge: Edge, property: u64) -> bool {
        self.heat[edge.label as usize].cold & property != 0
    }

    /// The number of the set of tasks that are enabled at a node; 0 if it is not known yet.
    pub(crate) fn set_of(&self, node: u32) -> u32 {
        self.enabled[node as usize].load(Ordering::Relaxed)
    }

    /// The set of enabled tasks with this number.
    pub(crate) fn set(&self, set: u32) -> &[TaskId] {
        set.checked_sub(1).map_or(&[], |id| self.sets.get(id))
    }

    /// Packs the edges, and returns the nodes that have new edges since the last call.
    pub(crate) fn take_fresh(&mut self, threads: usize) -> Vec<u32> {
        self.edges.pack(threads);
        std::mem::take(&mut self.fresh)
    }

    /// Adds the edges of drafts, in parallel.
    fn add_drafts(&mut self, drafts: &[Draft], visited: &Visited<u32>, threads: usize) {
        let Self { edges, enabled, fresh, .. } = self;
        if edges.is_full_with(drafts.iter().map(|draft| draft.keys.len()).sum()) {
            self.full = true;
            return;
        }
        fresh.extend(drafts.iter().flat_map(|draft| &draft.nodes).map(|node| node.node));
        let size = |draft: &Draft| BatchSize { nodes: draft.nodes.len(), edges: draft.keys.len() };
        let sizes: Vec<_> = drafts.iter().map(size).collect();
        let work = drafts.iter().zip(edges.batches(&sizes)).collect();
        for_each(work, threads, |(draft, mut batch): (&Draft, Batch<'_>)| {
            visited.values(&draft.keys, |nth, to| {
                let to = to.expect("the target of every recorded step is in the visited set");
                batch.edges[nth] = Edge { to, label: draft.labels[nth] };
            });
            batch.assign(draft.nodes.iter().map(|node| (node.node, node.edges)));
            for node in &draft.nodes {
                enabled[node.node as usize].store(node.enabled, Ordering::Relaxed);
            }
        });
    }
}

impl Ledger for Graph {
    const RECORDS: bool = true;
    type Index = u32;
    type Draft = Draft;

    fn index(node: NodeId) -> u32 {
        node.index()
    }

    fn draft(&self) -> Draft {
        self.spare.lock().expect("no thread panics with the lock").pop().unwrap_or_default()
    }

    fn draft_bytes(draft: &Draft) -> usize {
        size_of_val(&*draft.nodes) + size_of_val(&*draft.keys) + size_of_val(&*draft.labels)
    }

    fn enabled(&self, node: NodeId) -> Option<&[TaskId]> {
        match self.set_of(node.index()) {
            0 => None,
            set => Some(self.set(set)),
        }
    }

    fn begin(&self, draft: &mut Draft, node: NodeId, enabled: &[TaskId]) {
        let enabled = match self.set_of(node.index()) {
            0 => {
                let known = self.known_sets.get(enabled).copied();
                known.unwrap_or_else(|| self.sets.intern(Set::from_slice(enabled)).id) + 1
            }
            known => known,
        };
        draft.nodes.push(DraftNode { node: node.index(), enabled, edges: 0 });
    }

    fn transition(&self, draft: &mut Draft, key: Fingerprint, transition: &Transition<'_>) {
        let Transition { task, branch, hot, cold, events } = *transition;
        let fair = events.iter().filter_map(|event| match *event {
            Event::Chose(choice, option, options) => Some(FairChoice { choice, option, options }),
            _ => None,
        });
        let label = Label { task, branch, hot, cold, fair: fair.collect() };
        let known = self.known_labels.get(&label).copied();
        draft.keys.push(key);
        draft.labels.push(known.unwrap_or_else(|| self.labels.intern(label).id));
        if let Some(node) = draft.nodes.last_mut() {
            node.edges += 1;
        }
    }

    fn settle(&mut self, nodes: usize, mut drafts: Vec<Draft>, visited: &Visited<u32>, threads: usize) {
        self.edges.grow(nodes);
        self.enabled.resize_with(nodes, AtomicU32::default);
        for id in self.heat.len() as u32..self.labels.len() as u32 {
            let label = self.labels.get(id);
            self.heat.push(Heat { hot: label.hot, cold: label.cold });
            self.known_labels.insert(label.clone(), id);
        }
        for id in self.known_sets.len() as u32..self.sets.len() as u32 {
            self.known_sets.insert(self.sets.get(id).clone(), id);
        }
        self.add_drafts(&drafts, visited, threads);
        drafts.iter_mut().for_each(Draft::clear);
        self.spare.get_mut().expect("no thread panics with the lock").append(&mut drafts);
    }

    fn bytes(&self) -> usize {
        (self.enabled.capacity() + self.fresh.capacity()) * size_of::<u32>()
            + self.edges.bytes()
            + self.labels.bytes()
            + self.sets.bytes()
            + self.analysis_bytes
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::visited::Rank;

    /// The graph in which node `n` has edges to the nodes `out[n]`.
    pub(crate) fn graph_of(out: &[Vec<u64>]) -> Graph {
        let (mut graph, mut visited) = (Graph::default(), Visited::default());
        for node in 0..out.len() {
            visited.insert_with(Fingerprint::of(&(node as u64)), Rank::default(), || node as u32);
        }
        graph.settle(out.len(), vec![], &visited, 1);
        let nodes: Vec<_> = out.iter().map(Vec::as_slice).enumerate().collect();
        graph.settle(out.len(), vec![draft(&graph, &nodes, 0)], &visited, 1);
        graph.take_fresh(1);
        graph
    }

    /// A draft of nodes, each with its targets; all steps are of one task.
    fn draft(graph: &Graph, nodes: &[(usize, &[u64])], task: u32) -> Draft {
        let mut draft = Draft::default();
        for (node, targets) in nodes {
            graph.begin(&mut draft, NodeId::new(*node), &[TaskId(task)]);
            let branch = Branch::step(0);
            let step = Transition { task: TaskId(task), branch, hot: 0, cold: 0, events: &[] };
            targets.iter().for_each(|to| graph.transition(&mut draft, Fingerprint::of(to), &step));
        }
        draft
    }

    #[test]
    fn packing_preserves_all_edges() {
        let (mut graph, mut visited) = (Graph::default(), Visited::default());
        let mut expected: Vec<Vec<u32>> = Vec::new();
        let bounds: [&[(usize, &[u64])]; 6] = [
            &[(0, &[1, 2]), (2, &[]), (1, &[0])],
            &[(3, &[3]), (1, &[])],
            &[(5, &[0, 1, 2, 3, 4, 5])],
            &[(2, &[4])],
            &[(4, &[]), (0, &[])],
            &[(0, &[7, 6]), (7, &[0]), (1, &[1])],
        ];
        for (bound, nodes) in bounds.into_iter().enumerate() {
            let more = if bound < 4 { 3 } else { 0 };
            let new = expected.len()..expected.len() + more;
            for node in new {
                visited.insert_with(Fingerprint::of(&(node as u64)), Rank::default(), || node as u32);
            }
            expected.resize(expected.len() + more, Vec::new());
            graph.settle(expected.len(), vec![], &visited, 1);
            for task in 0..2 {
                let drafts = nodes.iter().map(|node| draft(&graph, &[*node], task)).collect();
                graph.settle(expected.len(), drafts, &visited, 1);
                nodes.iter().for_each(|(node, to)| expected[*node].extend(to.iter().map(|to| *to as u32)));
            }
            let edges = |graph: &Graph| -> Vec<Vec<u32>> {
                let sorted = |node| {
                    let mut to: Vec<_> = graph.out(node).map(|edge| edge.to).collect();
                    to.sort_unstable();
                    to
                };
                (0..graph.len() as u32).map(sorted).collect()
            };
            let sorted = |edges: &[Vec<u32>]| -> Vec<Vec<u32>> {
                edges
                    .iter()
                    .map(|to| {
                        let mut to = to.clone();
                        to.sort_unstable();
                        to
                    })
                    .collect()
            };
            assert_eq!(edges(&graph), sorted(&expected), "before packing {bound}");
            assert_eq!(graph.take_fresh(1 + bound % 2).len(), 2 * nodes.len());
            assert_eq!(edges(&graph), sorted(&expected), "after packing {bound}");
        }
    }
}
