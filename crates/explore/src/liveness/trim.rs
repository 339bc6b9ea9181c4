//! Takes away from the partitions of a graph what no cycle inside of them leads to, step by step: nodes to which no
//! step leads from others of their partition that are left.
//!
//! Each node belongs to one thread, which alone counts the steps to it and takes it away. Whoever takes away another one
//! tells the owners of the nodes that it led to. Threads that counted in one place would wait for each other at each
//! step.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::graph::Graph;
use super::map::Sharing;
use crate::search::Stop;
use crate::team::for_each_thread;

/// What is known of a node, in one place: whoever comes by needs both.
#[derive(Debug, Default)]
struct Member {
    /// The partition; 0 is none.
    part: AtomicU32,
    /// How many steps lead to the node from others of its partition that are left.
    degree: AtomicU32,
}

/// In which partition each node is.
#[derive(Debug, Default)]
pub(crate) struct Partitions {
    members: Vec<Member>,
}

impl Partitions {
    /// New nodes are in none.
    pub(crate) fn grow(&mut self, nodes: usize) {
        self.members.resize_with(nodes, Member::default);
    }

    /// For how many nodes it is known.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<Member>()
    }

    /// The partition of a node; 0 is none.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> u32 {
        self.members[node as usize].part.load(Ordering::Relaxed)
    }

    pub(crate) fn put(&mut self, node: u32, part: u32) {
        *self.members[node as usize].part.get_mut() = part;
    }

    /// How many steps lead to a node from others of its partition, as they were left when they were [trimmed](trim).
    pub(super) fn degree(&self, node: u32) -> u32 {
        self.members[node as usize].degree.load(Ordering::Relaxed)
    }

    /// For somebody who is alone with the node, and need not wait for others.
    fn set_degree(&self, node: u32, degree: u32) {
        self.members[node as usize].degree.store(degree, Ordering::Relaxed);
    }

    /// Likewise.
    pub(super) fn take_away(&self, node: u32) {
        self.members[node as usize].part.store(0, Ordering::Relaxed);
    }
}

/// The steps that count for a property.
pub(super) struct Steps<'a> {
    pub(super) graph: &'a Graph,
    pub(super) property: u64,
    pub(super) partitions: &'a Partitions,
}

impl Steps<'_> {
    /// Shows where steps lead from a node, and its partition, unless it is in none.
    #[inline]
    pub(super) fn from(&self, node: u32, mut show: impl FnMut(u32, u32)) {
        let part = self.partitions.of(node);
        if part != 0 {
            let edges =
                self.graph.packed(node).iter().filter(|edge| !self.graph.heat(**edge, self.property).1);
            edges.for_each(|edge| show(edge.to, part));
        }
    }
}

/// Neighbours that belong to the same thread: what is known of them fills two lines of the processor's cache.
const NEIGHBOURS: u32 = 16;

/// To which of the threads a node belongs.
#[inline]
fn owner(node: u32, threads: usize) -> usize {
    let mixed = (node / NEIGHBOURS).wrapping_mul(0x9E37_79B9);
    ((u64::from(mixed) * threads as u64) >> 32) as usize
}

/// How many nodes are looked at together. To read something of all of them takes hardly longer than of one, if nothing
/// depends on what is there.
const AT_ONCE: usize = 16;

/// After how many nodes others are told.
const BEFORE_TELLING: usize = 1024;

/// After how many nodes a thread sees whether it may go on.
const IN_A_ROUND: usize = 1 << 16;

/// How often a thread that has nothing to do waits for others. It may be that they have not begun.
const PATIENCE: usize = 1 << 10;

/// A node to which a step leads, and the partition that the step comes from.
type Told = (u32, u32);

/// How threads hear of each other.
struct Mail {
    /// For each thread what it was told.
    boxes: Vec<Mutex<Vec<Told>>>,
    /// Nodes that are to be taken away, and what was told and not yet done.
    pending: AtomicUsize,
}

/// What a thread works on.
struct Hand {
    me: usize,
    /// Nodes of its own that wait.
    nodes: Vec<u32>,
    /// So many of them are done.
    done: usize,
    /// What it has taken on of what is pending.
    owes: usize,
    /// What it will tell each.
    tells: Vec<Vec<Told>>,
}

impl Hand {
    fn new(me: usize, threads: usize) -> Self {
        Self { me, nodes: Vec::new(), done: 0, owes: 0, tells: vec![Vec::new(); threads] }
    }

    /// Takes away the next nodes.
    fn take_some(&mut self, steps: &Steps<'_>) {
        let Self { me, nodes, done, tells, .. } = self;
        let threads = tells.len();
        let next = &nodes[*done..nodes.len().min(*done + AT_ONCE)];
        black_box(next.iter().fold(0, |sum, node| sum ^ steps.graph.first_target(*node)));
        for node in next {
            steps.from(*node, |to, part| tells[owner(to, threads)].push((to, part)));
            // Nobody else looks at the node: no step leads there any more.
            steps.partitions.take_away(*node);
        }
        *done += next.len();
        lose(steps, &tells[*me], nodes);
        tells[*me].clear();
    }

    /// Tells others.
    fn tell(&mut self, mail: &Mail) {
        for (told, with) in self.tells.iter_mut().zip(&mail.boxes).filter(|(told, _)| !told.is_empty()) {
            mail.pending.fetch_add(told.len(), Ordering::Relaxed);
            with.lock().expect("no thread panics with the lock").append(told);
        }
    }

    /// Takes away what can be, until there is nothing left, or for a while.
    fn take_away(&mut self, steps: &Steps<'_>, mail: &Mail) {
        let (mut left, mut patience) = (IN_A_ROUND, PATIENCE);
        while left > 0 {
            let told =
                std::mem::take(&mut *mail.boxes[self.me].lock().expect("no thread panics with the lock"));
            self.owes += told.len();
            lose(steps, &told, &mut self.nodes);
            let before = self.done;
            while self.done < self.nodes.len().min(before + BEFORE_TELLING) {
                self.take_some(steps);
            }
            self.tell(mail);
            left = left.saturating_sub(self.done - before);
            if self.done < self.nodes.len() {
                continue;
            }
            self.nodes.clear();
            self.done = 0;
            let owed = std::mem::take(&mut self.owes);
            let pending = mail.pending.fetch_sub(owed, Ordering::AcqRel) - owed;
            patience = if owed == 0 { patience - 1 } else { PATIENCE };
            if pending == 0 || patience == 0 {
                break;
            }
            std::thread::yield_now();
        }
    }
}

/// Steps are lost. The nodes that lose their last one are next.
fn lose(steps: &Steps<'_>, told: &[Told], next: &mut Vec<u32>) {
    let Steps { partitions, .. } = steps;
    for told in told.chunks(AT_ONCE) {
        black_box(told.iter().fold(0, |sum, (to, _)| sum ^ partitions.of(*to)));
        for (to, _) in told.iter().filter(|(to, part)| partitions.of(*to) == *part) {
            let left = partitions.degree(*to) - 1;
            partitions.set_degree(*to, left);
            if left == 0 {
                next.push(*to);
            }
        }
    }
}

/// Takes away from the partitions of these nodes, which are all of theirs, what no cycle inside of them leads to, and out of the
/// list.
pub(super) fn trim(
    steps: &Steps<'_>,
    nodes: &mut Vec<u32>,
    sharing: Sharing,
    poll: &mut impl FnMut() -> Result<(), Stop>,
) -> Result<(), Stop> {
    let partitions = steps.partitions;
    // By one thread: it reads the edges in the order of memory, and others would only wait for its nodes.
    nodes.iter().for_each(|node| partitions.set_degree(*node, 0));
    for node in &*nodes {
        steps.from(*node, |to, part| {
            if partitions.of(to) == part {
                partitions.set_degree(to, partitions.degree(to) + 1);
            }
        });
    }
    let threads = sharing.threads(nodes.len());
    let mut hands: Vec<_> = (0..threads).map(|me| Hand::new(me, threads)).collect();
    for node in nodes.iter().filter(|node| partitions.of(**node) != 0 && partitions.degree(**node) == 0) {
        let hand = &mut hands[owner(*node, threads)];
        hand.nodes.push(*node);
        hand.owes += 1;
    }
    let boxes = (0..threads).map(|_| Mutex::default()).collect();
    let pending = AtomicUsize::new(hands.iter().map(|hand| hand.owes).sum());
    let mail = &Mail { boxes, pending };
    while mail.pending.load(Ordering::Relaxed) > 0 {
        poll()?;
        for_each_thread(hands.iter_mut().collect(), |hand: &mut Hand| hand.take_away(steps, mail));
    }
    nodes.retain(|node| partitions.of(*node) != 0);
    Ok(())
}
