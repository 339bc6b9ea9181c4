//! The graph of what a search has explored: which node leads where, by which step.
//!
//! Nodes are numbered in the order in which the search accepted them, which does not depend on the number of threads.
//! The edges of a node come in runs, one for each bound at which it was expanded; between bounds they are packed, node
//! by node, because whoever walks the graph would wait for memory at each run. What is known of a step beyond where it
//! leads is its label; there are few of them, and each is kept once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Mutex;

use dally_schedule::TaskId;
use smallvec::SmallVec;

use crate::ledger::{Ledger, Taken};
use crate::store::{Identity, Interner};
use crate::successors::Event;
use crate::team::for_each_thread;
use crate::trails::Trail;
use crate::{Fingerprint, Fingerprinter};

/// A step to another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) label: u32,
}

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

/// The edges of a node that were found together. They end where those of the next run begin.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The one before of the same node, plus one.
    before: u32,
    start: u32,
}

/// Goes through the edges of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    before: u32,
    at: u32,
    end: u32,
}

type Ids = HashMap<Fingerprint, u32, BuildHasherDefault<Identity>>;

/// Tables, by fingerprint.
const SHARDS: usize = 64;

/// What was explored.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// For each node its last run, plus one.
    heads: Vec<u32>,
    runs: Vec<Run>,
    /// Those that are packed, then those of the runs.
    edges: Vec<Edge>,
    /// Where the packed edges of each node end, which is where those of the next begin.
    ends: Vec<u32>,
    /// For each node who can move there, plus one.
    enabled: Vec<u32>,
    labels: Interner<Label>,
    sets: Interner<Set>,
    /// Those that all threads know without asking.
    known_labels: HashMap<Label, u32, BuildHasherDefault<Fingerprinter>>,
    known_sets: HashMap<Set, u32, BuildHasherDefault<Fingerprinter>>,
    /// For each label what it is hot and cold for.
    heat: Vec<(u64, u64)>,
    /// The node of each key; there are `SHARDS` tables, or none yet.
    ids: Vec<Ids>,
    /// The keys of the last nodes, which are not in there yet.
    new: Vec<Fingerprint>,
    /// Nodes that have new edges.
    fresh: Vec<u32>,
    full: bool,
}

/// What one thread has found.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Nodes, who can move there, and how many edges they have.
    nodes: Vec<(u32, u32, u32)>,
    edges: Vec<(Fingerprint, u32)>,
}

impl Graph {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are more edges than can be counted.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The edges of a node, from the beginning.
    #[inline]
    pub(crate) fn edges_of(&self, node: u32) -> Cursor {
        let node = node as usize;
        let before = self.heads[node];
        let Some(end) = self.ends.get(node).copied() else { return Cursor { before, at: 0, end: 0 } };
        let at = node.checked_sub(1).map_or(0, |last| self.ends[last]);
        Cursor { before, at, end }
    }

    /// The next edge.
    #[inline]
    pub(crate) fn next(&self, cursor: &mut Cursor) -> Option<Edge> {
        while cursor.at == cursor.end {
            let nth = cursor.before.checked_sub(1)? as usize;
            let run = self.runs[nth];
            let end = self.runs.get(nth + 1).map_or(self.edges.len() as u32, |next| next.start);
            *cursor = Cursor { before: run.before, at: run.start, end };
        }
        cursor.at += 1;
        Some(self.edges[cursor.at as usize - 1])
    }

    /// The edges of a node.
    pub(crate) fn out(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        self.rest(self.edges_of(node))
    }

    /// The edges that are left.
    pub(crate) fn rest(&self, mut cursor: Cursor) -> impl Iterator<Item = Edge> + '_ {
        std::iter::from_fn(move || self.next(&mut cursor))
    }

    /// The step of an edge.
    pub(crate) fn label(&self, edge: Edge) -> &Label {
        self.labels.get(edge.label)
    }

    /// Whether an edge is hot and not cold, and whether it is cold, for these properties.
    #[inline]
    pub(crate) fn heat(&self, edge: Edge, property: u64) -> (bool, bool) {
        let (hot, cold) = self.heat[edge.label as usize];
        (hot & !cold & property != 0, cold & property != 0)
    }

    /// A number for who can move at a node.
    pub(crate) fn set_of(&self, node: u32) -> u32 {
        self.enabled[node as usize]
    }

    /// Who can move, for such a number.
    pub(crate) fn set(&self, set: u32) -> &[TaskId] {
        set.checked_sub(1).map_or(&[], |id| self.sets.get(id))
    }

    /// Takes the nodes that have got new edges since the last time, and packs these.
    pub(crate) fn take_fresh(&mut self) -> Vec<u32> {
        self.pack();
        std::mem::take(&mut self.fresh)
    }

    /// Puts the edges of each node side by side.
    fn pack(&mut self) {
        let mut packed = Vec::with_capacity(self.edges.len());
        let mut ends = Vec::with_capacity(self.len());
        for node in 0..self.len() as u32 {
            packed.extend(self.out(node));
            ends.push(packed.len() as u32);
        }
        (self.edges, self.ends) = (packed, ends);
        self.heads.fill(0);
        self.runs.clear();
    }

    /// How many numbers are kept for nodes.
    fn words(&self) -> usize {
        self.heads.capacity() + self.enabled.capacity() + self.fresh.capacity() + self.ends.capacity()
    }

    fn id(&self, key: Fingerprint) -> u32 {
        self.ids[shard(key)][&key]
    }

    fn resolve(&self, draft: &Draft) -> Vec<Edge> {
        draft.edges.iter().map(|(key, label)| Edge { to: self.id(*key), label: *label }).collect()
    }

    /// Enters the keys of new nodes, each thread into tables of its own.
    fn enter_new(&mut self, threads: usize) {
        self.ids.resize_with(SHARDS, HashMap::default);
        let new = std::mem::take(&mut self.new);
        let first = (self.heads.len() - new.len()) as u32;
        let each = SHARDS.div_ceil(threads);
        let parts = self.ids.chunks_mut(each).enumerate().collect();
        for_each_thread(parts, |(nth, tables): (usize, &mut [Ids])| {
            for (node, key) in (first..).zip(&new) {
                if let Some(table) = tables.get_mut(shard(*key).wrapping_sub(nth * each)) {
                    table.insert(*key, node);
                }
            }
        });
    }

    fn enter(&mut self, draft: Draft, edges: &[Edge]) {
        if self.edges.len() + edges.len() >= u32::MAX as usize {
            self.full = true;
            return;
        }
        let mut start = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        for (node, set, count) in draft.nodes {
            let head = &mut self.heads[node as usize];
            self.runs.push(Run { before: *head, start });
            *head = self.runs.len() as u32;
            self.enabled[node as usize] = set;
            self.fresh.push(node);
            start += count;
        }
    }
}

#[inline]
fn shard(key: Fingerprint) -> usize {
    // The tables look at the upper half.
    key.low() as usize % SHARDS
}

impl Ledger for Graph {
    const KEEPS: bool = true;
    type Draft = Draft;

    fn enabled(&self, node: Trail) -> Option<&[TaskId]> {
        match self.enabled.get(node.place() as usize) {
            None | Some(0) => None,
            Some(set) => Some(self.set(*set)),
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
        draft.edges.push((key, known.unwrap_or_else(|| self.labels.intern(label).id)));
        if let Some((_, _, count)) = draft.nodes.last_mut() {
            *count += 1;
        }
    }

    fn accept(&mut self, keys: &[Fingerprint]) {
        self.new.extend_from_slice(keys);
        self.heads.resize(self.heads.len() + keys.len(), 0);
        self.enabled.resize(self.heads.len(), 0);
    }

    fn settle(&mut self, drafts: Vec<Draft>, threads: usize) {
        self.enter_new(threads);
        for id in self.heat.len() as u32..self.labels.len() as u32 {
            let label = self.labels.get(id);
            self.heat.push((label.hot, label.cold));
            self.known_labels.insert(label.clone(), id);
        }
        for id in self.known_sets.len() as u32..self.sets.len() as u32 {
            self.known_sets.insert(self.sets.get(id).clone(), id);
        }
        if threads == 1 {
            for draft in drafts {
                let edges = self.resolve(&draft);
                self.enter(draft, &edges);
            }
            return;
        }
        let results: Vec<_> = drafts.iter().map(|_| Mutex::new(Vec::new())).collect();
        let queue = Mutex::new(drafts.iter().zip(&results));
        for_each_thread(vec![(); threads], |()| {
            loop {
                let next = queue.lock().expect("no thread panics with the lock").next();
                let Some((draft, result)) = next else { break };
                *result.lock().expect("each is locked once") = self.resolve(draft);
            }
        });
        for (draft, edges) in drafts.into_iter().zip(results) {
            let edges = edges.into_inner().expect("no thread panics with the lock");
            self.enter(draft, &edges);
        }
    }

    fn bytes(&self) -> usize {
        let tables: usize =
            self.ids.iter().map(|ids| ids.capacity() * (size_of::<(Fingerprint, u32)>() + 1)).sum();
        tables
            + self.words() * size_of::<u32>()
            + self.runs.capacity() * size_of::<Run>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.labels.bytes()
            + self.sets.bytes()
    }
}
