//! The graph of what a search has explored: which node leads where, by which step.
//!
//! Nodes are numbered in the order in which the search accepted them, which does not depend on the number of threads.
//! Edges are packed between bounds ([`super::edges`]). What is known of a step beyond where it leads is its label; there are
//! few of them, and each is kept once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use dally_schedule::TaskId;
use smallvec::SmallVec;

use super::edges::{Batch, Cursor, Edge, Edges};
use crate::ledger::{Ledger, Taken};
use crate::store::Interner;
use crate::successors::Event;
use crate::team::for_each;
use crate::trails::Trail;
use crate::visited::Visited;
use crate::{Fingerprint, Fingerprinter};

/// What a step is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label {
    pub(crate) task: TaskId,
    pub(crate) choice: u32,
    pub(crate) hot: u64,
    pub(crate) cold: u64,
    /// The fair choices that it made.
    pub(crate) fair: SmallVec<[(u64, bool); 1]>,
}

type Set = SmallVec<[TaskId; 8]>;

/// What was explored.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: Edges,
    /// For each node who can move there, plus one. Each is written by one thread at a time.
    enabled: Vec<AtomicU32>,
    labels: Interner<Label>,
    sets: Interner<Set>,
    /// Those that all threads know without asking.
    known_labels: HashMap<Label, u32, BuildHasherDefault<Fingerprinter>>,
    known_sets: HashMap<Set, u32, BuildHasherDefault<Fingerprinter>>,
    /// For each label what it is hot and cold for.
    heat: Vec<(u64, u64)>,
    /// Nodes that have new edges.
    fresh: Vec<u32>,
    full: bool,
    /// Drafts that are empty, with room: memory that one thread takes and another gives back is slow to come by again.
    spare: Mutex<Vec<Draft>>,
    /// The bytes that others keep for its nodes.
    pub(crate) others: usize,
}

/// What one thread has found.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Nodes, who can move there, and how many edges they have.
    nodes: Vec<(u32, u32, u32)>,
    /// Where the edges lead, and their labels.
    keys: Vec<Fingerprint>,
    labels: Vec<u32>,
}

impl Draft {
    fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.labels.clear();
    }
}

impl Graph {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.edges.nodes()
    }

    /// Whether there are more edges than can be counted.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The edges of a node, from the beginning.
    #[inline]
    pub(crate) fn edges_of(&self, node: u32) -> Cursor {
        self.edges.cursor(node)
    }

    /// Where the first edge of a node leads, if it is packed: to have looked there.
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

    /// What the steps of edges with this label are.
    pub(crate) fn label(&self, label: u32) -> &Label {
        self.labels.get(label)
    }

    /// How many labels there are.
    pub(crate) fn labels(&self) -> usize {
        self.labels.len()
    }

    /// All numbers for who can move are below this.
    pub(crate) fn sets(&self) -> usize {
        self.sets.len() + 1
    }

    /// Whether an edge is hot and not cold, and whether it is cold, for these properties.
    #[inline]
    pub(crate) fn heat(&self, edge: Edge, property: u64) -> (bool, bool) {
        let (hot, cold) = self.heat[edge.label as usize];
        (hot & !cold & property != 0, cold & property != 0)
    }

    /// A number for who can move at a node.
    pub(crate) fn set_of(&self, node: u32) -> u32 {
        self.enabled[node as usize].load(Ordering::Relaxed)
    }

    /// Who can move, for such a number.
    pub(crate) fn set(&self, set: u32) -> &[TaskId] {
        set.checked_sub(1).map_or(&[], |id| self.sets.get(id))
    }

    /// Takes the nodes that have got new edges since the last time, and packs these.
    pub(crate) fn take_fresh(&mut self, threads: usize) -> Vec<u32> {
        self.edges.pack(threads);
        std::mem::take(&mut self.fresh)
    }

    /// Enters edges, each thread those of some drafts.
    fn enter(&mut self, drafts: &[Draft], visited: &Visited<u32>, threads: usize) {
        let Self { edges, enabled, fresh, .. } = self;
        if edges.is_full_with(drafts.iter().map(|draft| draft.keys.len()).sum()) {
            self.full = true;
            return;
        }
        fresh.extend(drafts.iter().flat_map(|draft| &draft.nodes).map(|(node, ..)| *node));
        let sizes: Vec<_> = drafts.iter().map(|draft| (draft.nodes.len(), draft.keys.len())).collect();
        let work = drafts.iter().zip(edges.batches(&sizes)).collect();
        for_each(work, threads, |(draft, mut batch): (&Draft, Batch<'_>)| {
            visited.values(&draft.keys, |nth, to| {
                let to = to.expect("where a step leads was visited");
                batch.edges[nth] = Edge { to, label: draft.labels[nth] };
            });
            batch.assign(draft.nodes.iter().map(|(node, _, count)| (*node, *count)));
            for (node, set, _) in &draft.nodes {
                enabled[*node as usize].store(*set, Ordering::Relaxed);
            }
        });
    }
}

impl Ledger for Graph {
    const KEEPS: bool = true;
    type Place = u32;
    type Draft = Draft;

    fn place(trail: Trail) -> u32 {
        trail.place()
    }

    fn draft(&self) -> Draft {
        self.spare.lock().expect("no thread panics with the lock").pop().unwrap_or_default()
    }

    fn draft_bytes(draft: &Draft) -> usize {
        size_of_val(&*draft.nodes) + size_of_val(&*draft.keys) + size_of_val(&*draft.labels)
    }

    fn enabled(&self, node: Trail) -> Option<&[TaskId]> {
        match self.set_of(node.place()) {
            0 => None,
            set => Some(self.set(set)),
        }
    }

    fn begin(&self, draft: &mut Draft, node: Trail, enabled: &[TaskId]) {
        let set = match self.set_of(node.place()) {
            0 => {
                let known = self.known_sets.get(enabled).copied();
                known.unwrap_or_else(|| self.sets.intern(Set::from_slice(enabled)).id) + 1
            }
            known => known,
        };
        draft.nodes.push((node.place(), set, 0));
    }

    fn transition(&self, draft: &mut Draft, key: Fingerprint, taken: &Taken<'_>) {
        let Taken { task, choice, hot, cold, events } = *taken;
        let fair = events.iter().filter_map(|event| match event {
            Event::Chose(choice, way) => Some((*choice, *way)),
            _ => None,
        });
        let label = Label { task, choice, hot, cold, fair: fair.collect() };
        let known = self.known_labels.get(&label).copied();
        draft.keys.push(key);
        draft.labels.push(known.unwrap_or_else(|| self.labels.intern(label).id));
        if let Some((_, _, count)) = draft.nodes.last_mut() {
            *count += 1;
        }
    }

    fn settle(&mut self, nodes: usize, mut drafts: Vec<Draft>, visited: &Visited<u32>, threads: usize) {
        self.edges.grow(nodes);
        self.enabled.resize_with(nodes, AtomicU32::default);
        for id in self.heat.len() as u32..self.labels.len() as u32 {
            let label = self.labels.get(id);
            self.heat.push((label.hot, label.cold));
            self.known_labels.insert(label.clone(), id);
        }
        for id in self.known_sets.len() as u32..self.sets.len() as u32 {
            self.known_sets.insert(self.sets.get(id).clone(), id);
        }
        self.enter(&drafts, visited, threads);
        drafts.iter_mut().for_each(Draft::clear);
        self.spare.get_mut().expect("no thread panics with the lock").append(&mut drafts);
    }

    fn bytes(&self) -> usize {
        (self.enabled.capacity() + self.fresh.capacity()) * size_of::<u32>()
            + self.edges.bytes()
            + self.labels.bytes()
            + self.sets.bytes()
            + self.others
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The graph in which steps lead from each node to these.
    pub(crate) fn graph_of(out: &[Vec<u64>]) -> Graph {
        let (mut graph, mut visited) = (Graph::default(), Visited::default());
        for node in 0..out.len() {
            assert!(visited.insert_with(Fingerprint::of(&(node as u64)), || node as u32));
        }
        graph.settle(out.len(), vec![], &visited, 1);
        let nodes: Vec<_> = out.iter().map(Vec::as_slice).enumerate().collect();
        graph.settle(out.len(), vec![draft(&graph, &nodes, 0)], &visited, 1);
        graph.take_fresh(1);
        graph
    }

    /// A draft of these nodes, with steps to these nodes, by this task.
    fn draft(graph: &Graph, nodes: &[(usize, &[u64])], task: u32) -> Draft {
        let mut draft = Draft::default();
        for (node, targets) in nodes {
            graph.begin(&mut draft, Trail::at(*node), &[TaskId(task)]);
            let taken = Taken { task: TaskId(task), choice: 0, hot: 0, cold: 0, events: &[] };
            targets.iter().for_each(|to| graph.transition(&mut draft, Fingerprint::of(to), &taken));
        }
        draft
    }

    #[test]
    fn packing_changes_no_edge() {
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
                assert!(visited.insert_with(Fingerprint::of(&(node as u64)), || node as u32));
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
