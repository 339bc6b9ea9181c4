//! Removes nodes that are not reachable from a cycle inside their partition: repeatedly, nodes
//! without an edge from a remaining node of their partition.
//!
//! Each node belongs to one thread, which alone updates its in-degree and removes it. A thread that
//! removes a node sends messages to the owners of the node's successors. With shared counters,
//! threads would contend for cache lines at each edge.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::graph::Graph;
use super::map::Sharing;
use crate::search::Stop;
use crate::team::for_each_thread;

/// The state of a node. Both fields are read together, so they share a cache line.
#[derive(Debug, Default)]
struct Member {
    /// The partition; 0 if the node belongs to none.
    part: AtomicU32,
    /// The number of edges to the node from remaining nodes of its partition.
    in_degree: AtomicU32,
}

/// The partition of each node.
#[derive(Debug, Default)]
pub(crate) struct Partitions {
    members: Vec<Member>,
}

impl Partitions {
    /// Adds nodes that belong to no partition.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.members.resize_with(nodes, Member::default);
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<Member>()
    }

    /// The partition of a node; 0 if it belongs to none.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> u32 {
        self.members[node as usize].part.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&mut self, node: u32, part: u32) {
        *self.members[node as usize].part.get_mut() = part;
    }

    /// The number of edges to a node from nodes of its partition that [`trim`] has not removed.
    pub(super) fn in_degree(&self, node: u32) -> u32 {
        self.members[node as usize].in_degree.load(Ordering::Relaxed)
    }

    /// Sets the in-degree. The caller owns the node, so a relaxed store suffices.
    fn set_in_degree(&self, node: u32, in_degree: u32) {
        self.members[node as usize].in_degree.store(in_degree, Ordering::Relaxed);
    }

    /// Removes a node from its partition. The caller owns the node, so a relaxed store suffices.
    pub(super) fn remove(&self, node: u32) {
        self.members[node as usize].part.store(0, Ordering::Relaxed);
    }
}

/// The edges that are not cold for a property, and the partitions of their nodes.
pub(super) struct Steps<'a> {
    pub(super) graph: &'a Graph,
    pub(super) property: u64,
    pub(super) partitions: &'a Partitions,
}

impl Steps<'_> {
    /// Calls `show` with the target of each edge of a node and the node's partition, unless the
    /// node belongs to none.
    #[inline]
    pub(super) fn from(&self, node: u32, mut show: impl FnMut(u32, u32)) {
        let part = self.partitions.of(node);
        if part != 0 {
            let edges =
                self.graph.packed(node).iter().filter(|edge| !self.graph.is_cold(**edge, self.property));
            edges.for_each(|edge| show(edge.to, part));
        }
    }
}

/// Consecutive nodes that belong to the same thread. Their members fill two cache lines.
const NEIGHBOURS: u32 = 16;

/// The thread that owns a node.
#[inline]
fn owner(node: u32, threads: usize) -> usize {
    let mixed = (node / NEIGHBOURS).wrapping_mul(0x9E37_79B9);
    ((u64::from(mixed) * threads as u64) >> 32) as usize
}

/// Nodes that are loaded into the cache together. The loads are independent of each other, so that
/// all of them take hardly longer than one.
const BATCH: usize = 16;

/// Messages are sent after this many removed nodes.
const NODES_PER_MESSAGE: usize = 1024;

/// Limits are checked after a thread has removed this many nodes.
const NODES_PER_ROUND: usize = 1 << 16;

/// Idle turns after which a thread ends its round: other threads may not have started.
const IDLE_TURNS: usize = 1 << 10;

/// An edge from a removed node.
#[derive(Clone, Copy, Debug)]
struct LostEdge {
    to: u32,
    /// The partition of the removed node.
    part: u32,
}

/// Messages between threads.
struct Mail {
    /// The inbox of each thread.
    inboxes: Vec<Mutex<Vec<LostEdge>>>,
    /// The number of nodes to be removed and of messages sent that are not processed.
    pending: AtomicUsize,
}

/// The work of one thread.
struct Worker {
    /// The number of the thread.
    me: usize,
    /// Own nodes to be removed.
    nodes: Vec<u32>,
    /// The number of `nodes` that are removed.
    done: usize,
    /// The part of [`Mail::pending`] that this thread has taken over.
    owed: usize,
    /// Messages to be sent to each thread.
    outboxes: Vec<Vec<LostEdge>>,
}

impl Worker {
    fn new(me: usize, threads: usize) -> Self {
        Self { me, nodes: Vec::new(), done: 0, owed: 0, outboxes: vec![Vec::new(); threads] }
    }

    /// Removes the next batch of nodes.
    fn remove_batch(&mut self, steps: &Steps<'_>) {
        let Self { me, nodes, done, outboxes, .. } = self;
        let threads = outboxes.len();
        let next = &nodes[*done..nodes.len().min(*done + BATCH)];
        black_box(next.iter().fold(0, |sum, node| sum ^ steps.graph.first_target(*node)));
        for node in next {
            steps.from(*node, |to, part| outboxes[owner(to, threads)].push(LostEdge { to, part }));
            // No other thread reads this: the node has no edge from its partition any more.
            steps.partitions.remove(*node);
        }
        *done += next.len();
        process(steps, &outboxes[*me], nodes);
        outboxes[*me].clear();
    }

    /// Sends the messages to other threads.
    fn send(&mut self, mail: &Mail) {
        let messages = self.outboxes.iter_mut().zip(&mail.inboxes);
        for (outbox, inbox) in messages.filter(|(outbox, _)| !outbox.is_empty()) {
            mail.pending.fetch_add(outbox.len(), Ordering::Relaxed);
            inbox.lock().expect("no thread panics with the lock").append(outbox);
        }
    }

    /// Removes nodes until none is left to any thread, or the round is over.
    fn run_round(&mut self, steps: &Steps<'_>, mail: &Mail) {
        let (mut left, mut idle_turns) = (NODES_PER_ROUND, IDLE_TURNS);
        while left > 0 {
            let inbox = &mail.inboxes[self.me];
            let received = std::mem::take(&mut *inbox.lock().expect("no thread panics with the lock"));
            self.owed += received.len();
            process(steps, &received, &mut self.nodes);
            let before = self.done;
            while self.done < self.nodes.len().min(before + NODES_PER_MESSAGE) {
                self.remove_batch(steps);
            }
            self.send(mail);
            left = left.saturating_sub(self.done - before);
            if self.done < self.nodes.len() {
                continue;
            }
            self.nodes.clear();
            self.done = 0;
            let owed = std::mem::take(&mut self.owed);
            let pending = mail.pending.fetch_sub(owed, Ordering::AcqRel) - owed;
            idle_turns = if owed == 0 { idle_turns - 1 } else { IDLE_TURNS };
            if pending == 0 || idle_turns == 0 {
                break;
            }
            std::thread::yield_now();
        }
    }
}

/// Lowers the in-degrees of the targets, and adds those that reach 0 to `next`.
fn process(steps: &Steps<'_>, lost: &[LostEdge], next: &mut Vec<u32>) {
    let Steps { partitions, .. } = steps;
    for lost in lost.chunks(BATCH) {
        black_box(lost.iter().fold(0, |sum, edge| sum ^ partitions.of(edge.to)));
        for LostEdge { to, .. } in lost.iter().filter(|edge| partitions.of(edge.to) == edge.part) {
            let left = partitions.in_degree(*to) - 1;
            partitions.set_in_degree(*to, left);
            if left == 0 {
                next.push(*to);
            }
        }
    }
}

/// Removes nodes that are not reachable from a cycle from their partitions and from `nodes`, which
/// must be all nodes of these partitions.
pub(super) fn trim(
    steps: &Steps<'_>,
    nodes: &mut Vec<u32>,
    sharing: Sharing,
    poll: &mut impl FnMut() -> Result<(), Stop>,
) -> Result<(), Stop> {
    let partitions = steps.partitions;
    // One thread reads the edges sequentially; several would contend for the in-degrees.
    nodes.iter().for_each(|node| partitions.set_in_degree(*node, 0));
    for node in &*nodes {
        steps.from(*node, |to, part| {
            if partitions.of(to) == part {
                partitions.set_in_degree(to, partitions.in_degree(to) + 1);
            }
        });
    }
    let threads = sharing.threads(nodes.len());
    let mut workers: Vec<_> = (0..threads).map(|me| Worker::new(me, threads)).collect();
    let is_unreached = |node: &&u32| partitions.of(**node) != 0 && partitions.in_degree(**node) == 0;
    for node in nodes.iter().filter(is_unreached) {
        let worker = &mut workers[owner(*node, threads)];
        worker.nodes.push(*node);
        worker.owed += 1;
    }
    let inboxes = (0..threads).map(|_| Mutex::default()).collect();
    let pending = AtomicUsize::new(workers.iter().map(|worker| worker.owed).sum());
    let mail = &Mail { inboxes, pending };
    while mail.pending.load(Ordering::Relaxed) > 0 {
        poll()?;
        for_each_thread(workers.iter_mut().collect(), |worker: &mut Worker| worker.run_round(steps, mail));
    }
    nodes.retain(|node| partitions.of(*node) != 0);
    Ok(())
}
