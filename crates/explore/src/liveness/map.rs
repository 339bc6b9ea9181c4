//! Maximal accepting predecessors, bound by bound: `CalculateMap` and `RefineMap` of [TR15 §4.2, Figs. 3–5].
//!
//! The greatest target of a hot step from which a node can be reached is its MAP; all nodes of a strongly connected
//! component have the same. If a hot step leads to the MAP of its own source, there is a cycle through it. If there is
//! no such step, nodes with one MAP are a partition, and MAPs are calculated anew inside of each, without the steps
//! that lead into it from outside. This goes on until no node has a MAP.
//!
//! Deviations:
//! 1. The figures take the steps of a state again whenever its value rises, with the scheduler and the delays of its
//!    first visit, which they keep for each state. Here the edges that these steps gave are kept instead, 8 bytes
//!    each, and values run along them: that takes less memory, and no step is taken twice.
//! 2. Nodes are ordered as they were found, and what was found earlier is greater: then most nodes have their value
//!    for good when they are found, and new ones, which often lead back to old ones, raise nothing there.
//! 3. The figures recur; here values spread in rounds, which threads share. Cycles are looked for when no value rises
//!    any more, so that the answer is the same for any number of threads.
//! 4. Fig. 3 refines one partition at a time; here one round refines all of them.
//! 5. Only partitions that have changed since the last bound are looked at, and what no cycle leads to and what leads to no
//!    cycle is left out of them first, as the end of [TR15 §5.3] proposes.
//! 6. A cycle may be unfair ([`super::fair`]). Then all of its component is set aside, for this bound.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use super::backwards::Backwards;
use super::edges::Edge;
use super::fair::{Component, Examiner, Source};
use super::graph::Graph;
use super::trim::{Partitions, Steps, trim};
use crate::search::Stop;
use crate::team::for_each_thread;

/// How work is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    pub(crate) threads: usize,
    /// Of how many nodes it must be: to wake other threads takes longer than a small round.
    pub(crate) from: usize,
}

impl Sharing {
    /// How many threads take part in work on so many nodes.
    pub(super) fn threads(self, nodes: usize) -> usize {
        if nodes < self.from { 1 } else { self.threads }
    }
}

/// How far a thread goes on with what it has found, before it shares that with others.
const FURTHER: usize = 2048;

/// How many nodes a thread takes at once.
const PIECE: usize = 256;

/// What stands for a node as the MAP of others; 0 is none. Earlier nodes are greater.
fn rank(node: u32) -> u32 {
    u32::MAX - node
}

/// The MAP of each node. They are kept from bound to bound.
#[derive(Debug, Default)]
pub(crate) struct Map {
    values: Values,
    /// The nodes of the partitions that have changed.
    changed: Vec<u32>,
}

/// What looking and refining need. Nothing in it counts between two times: it is kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Refining {
    pub(crate) examiner: Examiner,
    /// The values inside of partitions.
    finer: Values,
    partitions: Partitions,
    backwards: Backwards,
}

impl Refining {
    pub(crate) fn bytes(&self) -> usize {
        self.examiner.bytes() + self.finer.bytes() + self.partitions.bytes() + self.backwards.bytes()
    }
}

/// A value for each node.
#[derive(Debug, Default)]
struct Values {
    values: Vec<AtomicU32>,
    queued: Vec<AtomicBool>,
}

impl Values {
    fn grow(&mut self, nodes: usize) {
        self.values.resize_with(nodes, AtomicU32::default);
        self.queued.resize_with(nodes, AtomicBool::default);
    }

    fn bytes(&self) -> usize {
        self.values.capacity() * (size_of::<AtomicU32>() + size_of::<AtomicBool>())
    }

    fn get(&self, node: u32) -> u32 {
        self.values[node as usize].load(Ordering::Relaxed)
    }

    /// Lets values spread along edges among nodes of the same partition, from these nodes on. Others that have a new
    /// value are shown after each round, some of them more than once.
    fn spread(
        &self,
        graph: &Graph,
        property: u64,
        from: Vec<u32>,
        sharing: Sharing,
        same: impl Fn(u32, u32) -> bool + Sync,
        after_round: impl FnMut(&[u32]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let spread_from = |node: u32, raised: &mut Vec<u32>| {
            // Who raises the value after this enters the node again; who did before is seen below.
            self.queued[node as usize].swap(false, Ordering::AcqRel);
            for edge in graph.packed(node) {
                let (hot, cold) = graph.heat(*edge, property);
                let value = self.get(node).max(if hot { rank(edge.to) } else { 0 });
                if !cold
                    && value > self.get(edge.to)
                    && same(node, edge.to)
                    && self.values[edge.to as usize].fetch_max(value, Ordering::Relaxed) < value
                    && !self.queued[edge.to as usize].swap(true, Ordering::AcqRel)
                {
                    raised.push(edge.to);
                }
            }
        };
        // They are visited anyway: who raises their value before that need not enter them.
        from.iter().for_each(|node| self.queued[*node as usize].store(true, Ordering::Relaxed));
        visit_all(from, sharing, spread_from, after_round)
    }

    /// Looks at the cycles that hot steps to the MAP of their source show, within partitions.
    fn look(
        &self,
        nodes: &[u32],
        sharing: Sharing,
        same: impl Fn(u32, u32) -> bool + Sync,
        examiner: &mut Examiner,
        source: &mut impl Source,
    ) -> Result<Option<Component>, Stop> {
        let (graph, property) = (source.graph(), examiner.property());
        let shows = |node: &&u32| {
            let value = self.get(**node);
            let shows = |e: &Edge| rank(e.to) == value && graph.heat(*e, property).0 && same(**node, e.to);
            value != 0 && graph.packed(**node).iter().any(shows)
        };
        let showing = share(nodes, sharing, |nodes, showing| showing.extend(nodes.iter().filter(shows)));
        for node in showing {
            // A component has one MAP, so that nothing is lost inside of those with this one.
            let value = self.get(node);
            let inside = |other| self.get(other) == value && same(node, other);
            if !examiner.is_done(node)
                && let Some(found) = examiner.examine(rank(value), source, 0, inside)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Map {
    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes() + self.changed.capacity() * size_of::<u32>()
    }

    /// `CalculateMap`: values spread from nodes that have new edges.
    pub(crate) fn calculate(
        &mut self,
        graph: &Graph,
        property: u64,
        fresh: &[u32],
        sharing: Sharing,
        poll: &mut impl FnMut() -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let values = &mut self.values;
        values.grow(graph.len());
        let mut raised = Vec::new();
        values.spread(
            graph,
            property,
            fresh.to_vec(),
            sharing,
            |_, _| true,
            |nodes| {
                raised.extend_from_slice(nodes);
                poll()
            },
        )?;
        let mut changed = vec![false; graph.len()];
        for node in fresh.iter().chain(&raised) {
            if let Some(changed) = changed.get_mut(rank(values.get(*node)) as usize) {
                *changed = true;
            }
        }
        let has_changed = |node: &u32| changed.get(rank(values.get(*node)) as usize) == Some(&true);
        self.changed.clear();
        self.changed.extend((0..graph.len() as u32).filter(has_changed));
        Ok(())
    }

    /// Whether what was calculated shows a cycle that counts.
    pub(crate) fn find(
        &self,
        examiner: &mut Examiner,
        source: &mut impl Source,
        sharing: Sharing,
    ) -> Result<Option<Component>, Stop> {
        self.values.look(&self.changed, sharing, |_, _| true, examiner, source)
    }

    /// `RefineMap`: calculates inside of partitions until there are none. What was calculated is kept.
    pub(crate) fn refine(
        &self,
        Refining { examiner, finer, partitions, backwards }: &mut Refining,
        source: &mut impl Source,
        sharing: Sharing,
        poll: &mut impl FnMut() -> Result<(), Stop>,
    ) -> Result<Option<Component>, Stop> {
        let Self { values, changed } = self;
        // Nodes of other partitions are in none here.
        partitions.grow(values.values.len());
        finer.grow(values.values.len());
        changed.iter().for_each(|node| partitions.put(*node, values.get(*node)));
        let (mut nodes, property) = (changed.clone(), examiner.property());
        loop {
            for node in nodes.iter().filter(|node| examiner.is_done(**node)) {
                partitions.put(*node, 0);
            }
            let steps = Steps { graph: source.graph(), property, partitions };
            trim(&steps, &mut nodes, sharing, poll)?;
            if nodes.is_empty() {
                return Ok(None);
            }
            backwards.trim(&steps, &mut nodes);
            poll()?;
            let same = |from: u32, to: u32| partitions.of(from) == partitions.of(to);
            finer.spread(source.graph(), property, nodes.clone(), sharing, same, |_| poll())?;
            let found = finer.look(&nodes, sharing, same, examiner, source)?;
            if found.is_some() {
                return Ok(found);
            }
            for node in &nodes {
                partitions.put(*node, std::mem::take(finer.values[*node as usize].get_mut()));
            }
        }
    }
}

/// Shares work on nodes among threads, and gathers what it puts into lists, in order.
fn share(nodes: &[u32], sharing: Sharing, work: impl Fn(&[u32], &mut Vec<u32>) + Sync) -> Vec<u32> {
    let each = nodes.len().div_ceil(sharing.threads(nodes.len())).max(1);
    let mut parts: Vec<_> = nodes.chunks(each).map(|nodes| (nodes, Vec::new())).collect();
    for_each_thread(parts.iter_mut().collect(), |(nodes, part): &mut (&[u32], Vec<u32>)| work(nodes, part));
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

/// Visits nodes, and those that this enters into lists, until there are none left; these are shown after each round.
/// Threads take nodes from one list, in pieces, so that they are visited about in order: the greatest values come first,
/// and are not overtaken. Then each goes on with its own for a while: most rounds would be too short to be shared.
fn visit_all(
    mut round: Vec<u32>,
    sharing: Sharing,
    visit: impl Fn(u32, &mut Vec<u32>) + Sync,
    mut after_round: impl FnMut(&[u32]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    while !round.is_empty() {
        let mut queues = vec![(Vec::new(), 0); sharing.threads(round.len())];
        let taken = AtomicUsize::new(0);
        for_each_thread(queues.iter_mut().collect(), |(queue, done): &mut (Vec<u32>, usize)| {
            while let Some(piece) = round.chunks(PIECE).nth(taken.fetch_add(1, Ordering::Relaxed)) {
                piece.iter().for_each(|node| visit(*node, queue));
            }
            while *done < queue.len().min(FURTHER) {
                visit(queue[*done], queue);
                *done += 1;
            }
        });
        let left = queues.iter().flat_map(|(queue, done)| &queue[*done..]).copied().collect();
        queues.iter().try_for_each(|(queue, _)| after_round(queue))?;
        round = left;
    }
    Ok(())
}
