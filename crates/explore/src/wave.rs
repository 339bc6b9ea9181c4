//! One layer of a search, shared among threads, with the same result for any number of them.
//!
//! A wave takes some nodes of a layer, in order, in blocks, and goes through three phases:
//! 1. The threads expand blocks. The visited set is only read; what is not in it becomes a candidate.
//! 2. The threads insert the candidates' keys, each thread into parts of the visited set of its own, in the order
//!    of the layer: of several candidates with one key, the first wins, as in a search by one thread.
//! 3. The winners join the next layer, in the order of the layer.
//!
//! Invariant: after a wave, the visited set, the next layer, the frontier and the trails are those that
//! expanding the same nodes one by one would give. Nothing is locked but the list of blocks.

use std::sync::Mutex;

use crate::expand::{Expander, Found, Node, Scratch, Sink, Tally};
use crate::frontier::{Frontier, PutOff};
use crate::layer::BLOCK;
use crate::ledger::{Ledger, Taken};
use crate::policy::Policy;
use crate::search::{Core, Watch};
use crate::team::{for_each, for_each_thread};
use crate::trails::{Hop, Trail};
use crate::visited::{Part, Visited};
use crate::{Fingerprint, Program, TaskId};

/// Nodes in a wave, for each thread: enough to balance, few enough to bound the memory.
const NODES_PER_THREAD: usize = 32 * BLOCK;

/// Of how many layers that are worth sharing candidates must be, to be accepted by several threads.
const CANDIDATES_TO_SHARE: usize = 4;

/// Parts of the visited set, for each thread: a thread that comes late leaves some to the others.
const PARTS_PER_THREAD: usize = 4;

/// How many nodes a wave takes, about.
pub(crate) fn nodes(threads: usize) -> usize {
    threads * NODES_PER_THREAD
}

/// What came out of a block.
struct Block<S, O: Policy, D> {
    keys: Vec<Fingerprint>,
    /// For each part of the visited set, which of the keys belong there; in the end, which of them were new.
    parts: Vec<Vec<u32>>,
    nodes: Vec<Node<S, O>>,
    hops: Vec<Hop>,
    frontier: Frontier<S, O>,
    /// The place of the first winner.
    first: usize,
    draft: D,
    tally: Tally,
    found: Option<Found>,
}

/// Gathers the candidates of a block.
struct Gather<'a, S, O: Policy, L: Ledger> {
    visited: &'a Visited,
    ledger: &'a L,
    draft: L::Draft,
    keys: Vec<Fingerprint>,
    parts: Vec<Vec<u32>>,
    nodes: Vec<Node<S, O>>,
    hops: Vec<Hop>,
    frontier: Frontier<S, O>,
}

impl<S, O: Policy, L: Ledger> Sink<S, O> for Gather<'_, S, O, L> {
    const KEEPS: bool = L::KEEPS;

    #[inline]
    fn enabled(&self, node: Trail) -> Option<&[TaskId]> {
        self.ledger.enabled(node)
    }

    #[inline]
    fn begin(&mut self, node: Option<Trail>, enabled: &[TaskId]) {
        if let Some(node) = node {
            self.ledger.begin(&mut self.draft, node, enabled);
        }
    }

    #[inline]
    fn transition(&mut self, key: Fingerprint, taken: &Taken<'_>) {
        self.ledger.transition(&mut self.draft, key, taken);
    }

    #[inline]
    fn offer(&mut self, key: Fingerprint, hop: Hop, make: impl FnOnce() -> Node<S, O>) {
        if !self.visited.contains(key) {
            let part = Visited::part_of(key, self.parts.len());
            self.parts[part].push(self.keys.len() as u32);
            self.keys.push(key);
            self.nodes.push(make());
            self.hops.push(hop);
        }
    }

    fn put_off(&mut self, rest: PutOff<S, O>) {
        self.frontier.push(rest, self.visited);
    }
}

/// Expands the blocks, and accepts what is new. There is one scratch for each thread.
pub(crate) fn expand<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    nodes: Vec<Vec<Node<P::State, O>>>,
    bound: u32,
    core: &mut Core<P::State, O, L>,
    scratches: &mut [Scratch<P::State>],
    tally: &mut Tally,
) -> Result<(), Found> {
    let threads = scratches.len();
    let mut blocks = expand_blocks(expander, nodes, bound, core, scratches);
    // Only what comes before the first failure counts.
    if let Some(first) = blocks.iter().position(|block| block.found.is_some()) {
        blocks.truncate(first + 1);
    }
    // To wake others takes longer than what is left to do for few candidates.
    let candidates: usize = blocks.iter().map(|block| block.keys.len()).sum();
    let few = CANDIDATES_TO_SHARE.saturating_mul(expander.options.share_from);
    let threads = if candidates < few { 1 } else { threads };
    insert_keys(&mut blocks, &mut core.visited, threads);
    let mut first = core.trails.end();
    for block in &mut blocks {
        block.first = first;
        first += block.parts.iter().map(Vec::len).sum::<usize>();
    }
    keep_winners::<_, _, L>(&mut blocks, threads);
    let mut drafts = Vec::new();
    for block in blocks {
        tally.add(&block.tally);
        core.frontier.append(block.frontier);
        core.accept_all(block.nodes, block.hops, &block.keys);
        drafts.push(block.draft);
        if let Some(found) = block.found {
            return Err(found);
        }
    }
    core.ledger.settle(drafts, threads);
    Ok(())
}

/// Phase 1.
fn expand_blocks<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    nodes: Vec<Vec<Node<P::State, O>>>,
    bound: u32,
    core: &Core<P::State, O, L>,
    scratches: &mut [Scratch<P::State>],
) -> Vec<Block<P::State, O, L::Draft>> {
    let (visited, ledger, parts) = (&core.visited, &core.ledger, PARTS_PER_THREAD * scratches.len());
    let results: Vec<_> = nodes.iter().map(|_| Mutex::new(None)).collect();
    let queue = Mutex::new(nodes.into_iter().enumerate());
    // What was delivered lately, this thread has delivered in this wave or before. It takes its blocks in order,
    // so that of several candidates with one key it is the first that is kept.
    let work = |scratch: &mut Scratch<P::State>| {
        loop {
            let next = queue.lock().expect("no thread panics with the lock").next();
            let Some((nth, nodes)) = next else { break };
            let block = expand_block(expander, nodes, bound, parts, (visited, ledger), scratch);
            *results[nth].lock().expect("each is locked once") = Some(block);
        }
    };
    for_each_thread(scratches.iter_mut().collect(), work);
    let done = |result: Mutex<Option<_>>| result.into_inner().expect("no thread panics with the lock");
    results.into_iter().map(|result| done(result).expect("every block was expanded")).collect()
}

fn expand_block<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    nodes: Vec<Node<P::State, O>>,
    bound: u32,
    parts: usize,
    (visited, ledger): (&Visited, &L),
    scratch: &mut Scratch<P::State>,
) -> Block<P::State, O, L::Draft> {
    scratch.tally = Tally::default();
    let (draft, frontier) = (L::Draft::default(), Frontier::default());
    // A node leads to about one that is new.
    let (room, keys, hops) = (nodes.len(), Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    let parts = (0..parts).map(|_| Vec::with_capacity(room / parts)).collect();
    let mut gather =
        Gather { visited, ledger, draft, keys, parts, nodes: Vec::with_capacity(room), hops, frontier };
    let expand_all =
        || nodes.into_iter().try_for_each(|node| expander.expand(node, bound, scratch, &mut gather));
    let found = expand_all().err();
    let Gather { keys, parts, nodes, hops, frontier, draft, .. } = gather;
    Block { keys, parts, nodes, hops, frontier, first: 0, draft, tally: scratch.tally, found }
}

/// The keys of a block, and which of them belong to a part of the visited set.
type Keys<'a> = (&'a [Fingerprint], &'a mut Vec<u32>);

/// Phase 2.
fn insert_keys<S: Send, O: Policy, D: Send>(
    blocks: &mut [Block<S, O, D>],
    visited: &mut Visited,
    threads: usize,
) {
    let parts = blocks.first().map_or(0, |block| block.parts.len());
    let mut work: Vec<_> = visited.split(parts).into_iter().map(|part| (part, Vec::new())).collect();
    for Block { keys, parts, .. } in blocks {
        work.iter_mut().zip(parts).for_each(|((_, lists), list)| lists.push((keys.as_slice(), list)));
    }
    let insert = |(mut part, lists): (Part<'_>, Vec<Keys<'_>>)| {
        for (keys, list) in lists {
            list.retain(|nth| part.insert(keys[*nth as usize]));
        }
    };
    for_each(work, threads, insert);
}

/// Phase 3, as far as it can be shared.
fn keep_winners<S: Send, O: Policy, L: Ledger>(blocks: &mut [Block<S, O, L::Draft>], threads: usize) {
    let each = blocks.len().div_ceil(threads).max(1);
    for_each_thread(blocks.chunks_mut(each).collect(), |blocks: &mut [Block<S, O, L::Draft>]| {
        for Block { parts, nodes, hops, keys, first, .. } in blocks {
            let mut won = vec![false; nodes.len()];
            std::mem::take(parts).iter().flatten().for_each(|nth| won[*nth as usize] = true);
            keep(nodes, &won);
            keep(hops, &won);
            (*first..).zip(nodes).for_each(|(place, node)| node.trail = Some(Trail::at(place)));
            if L::KEEPS {
                keep(keys, &won);
            } else {
                *keys = Vec::new();
            }
        }
    });
}

/// Keeps what has won.
fn keep<T>(all: &mut Vec<T>, won: &[bool]) {
    let mut won = won.iter();
    all.retain(|_| won.next() == Some(&true));
    if all.capacity() > 2 * all.len() {
        all.shrink_to_fit();
    }
}
