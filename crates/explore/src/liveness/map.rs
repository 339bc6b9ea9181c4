//! Maximal accepting predecessors, bound by bound: `CalculateMap` and `RefineMap` of
//! [TR15 §4.2, Figs. 3–5].
//!
//! The maximal accepting predecessor (MAP) of a node is the greatest target of a hot edge from
//! which the node is reachable. All nodes of a strongly connected component have the same MAP. If
//! the target of a hot edge is the MAP of its source, there is a cycle through the edge. If there
//! is no such edge, the nodes with equal MAPs form partitions, and MAPs are calculated again inside
//! each partition, without the edges that enter it. This is repeated until no node has a MAP.
//!
//! Deviations:
//! 1. The figures execute the steps of a state again whenever its value rises, with the scheduler
//!    and the delays of its first visit, which they store for each state. Here the edges are stored
//!    instead, 8 bytes each, and values propagate along them. That takes less memory, and no step
//!    is executed twice.
//! 2. Nodes that were found earlier are greater. Then most nodes have their final value when they
//!    are found; new nodes, which often have edges to old ones, raise no values there.
//! 3. The figures are recursive; here values propagate in rounds, which threads share. Cycles are
//!    looked for at the fixpoint, so that the result is the same for any number of threads.
//! 4. Fig. 3 refines one partition at a time; here one round refines all of them.
//! 5. Only partitions that have changed since the last bound are examined, after nodes that are not
//!    between cycles were trimmed from them, as the end of [TR15 §5.3] proposes.
//! 6. A cycle may be unfair ([`super::fair`]). Then its component is excluded for this bound.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use super::backwards::Backwards;
use super::edges::Edge;
use super::fair::{Component, Examiner, Source};
use super::graph::Graph;
use super::trim::{Partitions, Steps, trim};
use crate::search::Stop;
use crate::team::for_each_thread;

/// How work is shared among threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    pub(crate) threads: usize,
    /// The least number of nodes to be shared: waking threads takes longer than a small round.
    pub(crate) from: usize,
}

impl Sharing {
    /// The number of threads for work on this many nodes.
    pub(super) fn threads(self, nodes: usize) -> usize {
        if nodes < self.from { 1 } else { self.threads }
    }
}

/// Nodes that a thread visits of those it has queued itself, before the rest is shared in a new
/// round.
const OWN_NODES: usize = 2048;

/// Nodes that a thread takes from the shared list at a time.
const PIECE: usize = 256;

/// The value of a node as a MAP, and back. Earlier nodes are greater; the value 0 stands for no
/// MAP.
fn rank(node: u32) -> u32 {
    u32::MAX - node
}

/// The MAP of each node for one property, kept from bound to bound.
#[derive(Debug, Default)]
pub(crate) struct Map {
    values: Values,
    /// The nodes of the partitions that have changed since the last bound.
    changed: Vec<u32>,
}

/// Buffers for finding cycles and for refinement. Only the allocations are kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Refining {
    pub(crate) examiner: Examiner,
    /// The MAPs inside partitions.
    refined: Values,
    partitions: Partitions,
    backwards: Backwards,
}

impl Refining {
    pub(crate) fn bytes(&self) -> usize {
        self.examiner.bytes() + self.refined.bytes() + self.partitions.bytes() + self.backwards.bytes()
    }
}

/// A graph, for one property.
#[derive(Clone, Copy)]
struct View<'g> {
    graph: &'g Graph,
    /// The property, as a bit.
    property: u64,
}

/// A value for each node.
#[derive(Debug, Default)]
struct Values {
    values: Vec<AtomicU32>,
    /// True if the node is in a queue, to be visited.
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

    /// Propagates values along edges inside partitions, from these nodes on, up to the fixpoint.
    /// Calls `after_round` with the nodes whose values have risen, some of them more than once.
    fn propagate(
        &self,
        view: View<'_>,
        from: Vec<u32>,
        sharing: Sharing,
        same_partition: impl Fn(u32, u32) -> bool + Sync,
        after_round: impl FnMut(&[u32]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let View { graph, property } = view;
        let visit = |node: u32, raised: &mut Vec<u32>| {
            // A thread that raises the value from now on queues the node again; a value raised
            // before is read below.
            self.queued[node as usize].swap(false, Ordering::AcqRel);
            for edge in graph.packed(node) {
                let hot = graph.is_hot(*edge, property);
                let value = self.get(node).max(if hot { rank(edge.to) } else { 0 });
                if !graph.is_cold(*edge, property)
                    && value > self.get(edge.to)
                    && same_partition(node, edge.to)
                    && self.values[edge.to as usize].fetch_max(value, Ordering::Relaxed) < value
                    && !self.queued[edge.to as usize].swap(true, Ordering::AcqRel)
                {
                    raised.push(edge.to);
                }
            }
        };
        // The first nodes are visited in any case, so raising their values must not queue them
        // again.
        from.iter().for_each(|node| self.queued[*node as usize].store(true, Ordering::Relaxed));
        visit_all(from, sharing, visit, after_round)
    }

    /// Examines the cycles inside partitions that hot edges to the MAP of their source reveal.
    fn find(
        &self,
        nodes: &[u32],
        sharing: Sharing,
        same_partition: impl Fn(u32, u32) -> bool + Sync,
        examiner: &mut Examiner,
        source: &mut impl Source,
    ) -> Result<Option<Component>, Stop> {
        let (graph, property) = (source.graph(), examiner.property());
        let is_on_cycle = |node: &&u32| {
            let value = self.get(**node);
            let closes = |edge: &Edge| {
                rank(edge.to) == value && graph.is_hot(*edge, property) && same_partition(**node, edge.to)
            };
            value != 0 && graph.packed(**node).iter().any(closes)
        };
        let candidates = share(nodes, sharing, |nodes, found| found.extend(nodes.iter().filter(is_on_cycle)));
        for node in candidates {
            // All nodes of a component have the same MAP, so its cycles stay inside.
            let value = self.get(node);
            let inside = |other| self.get(other) == value && same_partition(node, other);
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

    /// `CalculateMap`: propagates values from nodes with new edges.
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
        values.propagate(
            View { graph, property },
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

    /// A component with a violating cycle that the calculated values reveal, if there is one.
    pub(crate) fn find(
        &self,
        examiner: &mut Examiner,
        source: &mut impl Source,
        sharing: Sharing,
    ) -> Result<Option<Component>, Stop> {
        self.values.find(&self.changed, sharing, |_, _| true, examiner, source)
    }

    /// `RefineMap`: calculates MAPs inside partitions until no partition is left. The values of
    /// [`Self::calculate`] stay unchanged.
    pub(crate) fn refine(
        &self,
        Refining { examiner, refined, partitions, backwards }: &mut Refining,
        source: &mut impl Source,
        sharing: Sharing,
        poll: &mut impl FnMut() -> Result<(), Stop>,
    ) -> Result<Option<Component>, Stop> {
        let Self { values, changed } = self;
        // Nodes of unchanged partitions belong to no partition here.
        partitions.grow(values.values.len());
        refined.grow(values.values.len());
        changed.iter().for_each(|node| partitions.set(*node, values.get(*node)));
        let (mut nodes, property) = (changed.clone(), examiner.property());
        loop {
            for node in nodes.iter().filter(|node| examiner.is_done(**node)) {
                partitions.set(*node, 0);
            }
            let steps = Steps { graph: source.graph(), property, partitions };
            trim(&steps, &mut nodes, sharing, poll)?;
            if nodes.is_empty() {
                return Ok(None);
            }
            backwards.trim(&steps, &mut nodes);
            poll()?;
            let same = |from: u32, to: u32| partitions.of(from) == partitions.of(to);
            let view = View { graph: source.graph(), property };
            refined.propagate(view, nodes.clone(), sharing, same, |_| poll())?;
            let found = refined.find(&nodes, sharing, same, examiner, source)?;
            if found.is_some() {
                return Ok(found);
            }
            for node in &nodes {
                partitions.set(*node, std::mem::take(refined.values[*node as usize].get_mut()));
            }
        }
    }
}

/// Shares work on nodes among threads, and concatenates the resulting lists in order.
fn share(nodes: &[u32], sharing: Sharing, work: impl Fn(&[u32], &mut Vec<u32>) + Sync) -> Vec<u32> {
    let each = nodes.len().div_ceil(sharing.threads(nodes.len())).max(1);
    let mut parts: Vec<_> = nodes.chunks(each).map(|nodes| (nodes, Vec::new())).collect();
    for_each_thread(parts.iter_mut().collect(), |(nodes, part): &mut (&[u32], Vec<u32>)| work(nodes, part));
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

/// Visits nodes, and those that `visit` queues, until no node is left. Calls `after_round` with the
/// queued nodes. Threads take pieces of one shared list, so that nodes are visited approximately in
/// order: the greatest values propagate first. Then each thread goes on with the nodes that it has
/// queued, since most rounds are too short to be shared.
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
            while *done < queue.len().min(OWN_NODES) {
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
