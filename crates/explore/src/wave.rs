//! One layer of a search, shared among threads, with the same result for any number of them.
//!
//! A wave takes some nodes of a layer, in order, in blocks, and goes through three phases:
//! 1. The threads expand blocks. What they reach becomes a candidate; the visited set is only read, and for what could
//!    be one only where most of what was reached lately was in it, or where nodes are large.
//! 2. The threads insert the candidates' keys, each thread into parts of the visited set of its own, in the order
//!    of the layer: of several candidates with one key, the first wins, as in a search by one thread.
//! 3. The winners join the next layer, in the order of the layer. If somebody wants to know their places, the threads enter
//!    these into the visited set, each into its parts.
//!
//! Invariant: after a wave, the visited set, the next layer and the trails are those that expanding the same nodes one by
//! one would give, and so is the frontier once it has [forgotten](Frontier::forget) what was visited. What is locked is
//! locked once for each block.
//!
//! A limit that is reached in the first phase ends the wave, and with it the search: nothing of it counts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::expand::{Expander, Found, Node, Scratch, Sink, Tally};
use crate::frontier::{Frontier, PutOff};
use crate::layer::BLOCK;
use crate::ledger::{Ledger, Taken};
use crate::policy::Policy;
use crate::report::{Coverage, Limit};
use crate::search::{Core, LOOK_EVERY, Stop, Watch};
use crate::team::{for_each, for_each_thread};
use crate::trails::{Hop, Trail};
use crate::visited::{Part, Visited, part_of};
use crate::{Fingerprint, Program, TaskId};

/// Nodes in a wave, for each thread: enough to balance, few enough to look at the limits often.
const NODES_PER_THREAD: usize = 32 * BLOCK;

/// Bytes of the candidates of a wave, for each thread, if about as many come from each node as lately: more would not stay in
/// the processor's cache until they are looked at again.
const BYTES_PER_THREAD: usize = 2 << 20;

/// Of how many layers that are worth sharing candidates must be, to be accepted by several threads.
const CANDIDATES_TO_SHARE: usize = 4;

/// If fewer than one in so many that were reached are new, the visited set is asked before they become candidates.
/// Otherwise that is not worth a look at memory that no cache holds.
const REACHED_PER_NEW: usize = 4;

/// Nor are nodes made in vain that take more bytes than this.
const LARGE: usize = 192;

/// Parts of the visited set, for each thread: a thread that comes late leaves some to the others.
const PARTS_PER_THREAD: usize = 4;

/// What several threads work with, kept from wave to wave: memory that is given back is slow to come by again.
pub(crate) struct Workers<S, O: Policy> {
    /// Those of the threads.
    pub(crate) scratches: Vec<Scratch<S>>,
    /// Empty, with room.
    spare: Vec<Candidates<S, O>>,
    /// Whether most of what is reached was visited before, or must not be kept in vain.
    sift: bool,
    /// How many nodes the next wave takes, about, for each thread. It begins with few: nobody knows what comes of them.
    nodes: usize,
}

impl<S, O: Policy> Default for Workers<S, O> {
    fn default() -> Self {
        Self { scratches: Vec::new(), spare: Vec::new(), sift: true, nodes: BLOCK }
    }
}

impl<S, O: Policy> Workers<S, O> {
    /// How many nodes a wave takes, about.
    pub(crate) fn nodes(&self, threads: usize) -> usize {
        threads * self.nodes
    }

    /// Candidates of so many bytes came of so many nodes.
    fn learn(&mut self, nodes: usize, bytes: usize) {
        let most = BYTES_PER_THREAD.saturating_mul(nodes) / bytes.max(1);
        self.nodes = (2 * self.nodes).min(NODES_PER_THREAD).min(most).max(1);
    }

    /// Keeps the room of candidates whose nodes have so many bytes, unless there is enough: blocks may be many and small, and
    /// each has had some that were larger.
    fn keep(&mut self, mut candidates: Candidates<S, O>, node: usize) {
        let room = self.bytes() + self.capacity() * node;
        if room < 2 * BYTES_PER_THREAD * self.scratches.len() {
            candidates.clear();
            self.spare.push(candidates);
        }
    }

    /// For how many nodes there is room.
    pub(crate) fn capacity(&self) -> usize {
        self.spare.iter().map(|candidates| candidates.nodes.capacity()).sum()
    }

    /// The bytes of this room, beside those of the nodes.
    pub(crate) fn bytes(&self) -> usize {
        self.spare.iter().map(Candidates::bytes_aside).sum()
    }
}

/// What there is at the beginning of a wave, and what may end it.
pub(crate) struct Budget<'a> {
    pub(crate) coverage: &'a Coverage,
    /// How many bytes may be taken.
    pub(crate) room: Option<usize>,
}

/// Ends a wave in its middle.
struct Brake<'a> {
    budget: Budget<'a>,
    limit: OnceLock<Limit>,
    taken: AtomicUsize,
    /// The first block in which something fails: those after it are of no interest.
    failing: AtomicUsize,
}

impl<'a> Brake<'a> {
    fn new(budget: Budget<'a>) -> Self {
        let (limit, taken, failing) = (OnceLock::new(), AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        Self { budget, limit, taken, failing }
    }

    /// Whether there is still something to do in a block.
    fn is_off(&self, nth: usize) -> bool {
        self.limit.get().is_none() && nth <= self.failing.load(Ordering::Relaxed)
    }

    /// So many more bytes are taken. It is time to see whether that is too much, and to ask who watches.
    fn look<S>(&self, bytes: usize, watch: &impl Watch<S>) {
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let too_much = self.budget.room.is_some_and(|room| taken >= room);
        let limit = if too_much { Some(Limit::Memory) } else { watch.poll(self.budget.coverage) };
        // If there are several, the first will do.
        limit.map(|limit| self.limit.set(limit));
    }
}

/// What was reached, in order.
struct Candidates<S, O: Policy> {
    keys: Vec<Fingerprint>,
    /// For each part of the visited set, which of the keys belong there; in the end, which of them were new.
    parts: Vec<Vec<u32>>,
    nodes: Vec<Node<S, O>>,
    hops: Vec<Hop>,
}

impl<S, O: Policy> Default for Candidates<S, O> {
    fn default() -> Self {
        Self { keys: Vec::new(), parts: Vec::new(), nodes: Vec::new(), hops: Vec::new() }
    }
}

/// Those of them that are new.
struct Winners<S, O: Policy, V> {
    nodes: Vec<Node<S, O>>,
    hops: Vec<Hop>,
    /// The place of each candidate if it has won; only if somebody wants to know.
    places: Vec<V>,
}

impl<S, O: Policy> Candidates<S, O> {
    /// Makes room for what so many nodes lead to: one that is new each, about, and another one. To grow step by step
    /// takes memory for each step.
    fn reserve(&mut self, nodes: usize, parts: usize) {
        self.keys.reserve(2 * nodes);
        self.nodes.reserve(2 * nodes);
        self.hops.reserve(2 * nodes);
        self.parts.resize_with(parts, Vec::new);
        self.parts.iter_mut().for_each(|part| part.reserve(2 * nodes / parts));
    }

    /// The bytes that are kept for each candidate, beside its node.
    const ASIDE: usize = size_of::<Fingerprint>() + size_of::<u32>() + size_of::<Hop>();

    fn bytes_aside(&self) -> usize {
        self.nodes.capacity() * Self::ASIDE
    }

    /// How many are new, once that is known.
    fn count_new(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Which of them are new, in order.
    fn won(&self) -> Vec<u32> {
        let mut is_new = vec![false; self.nodes.len()];
        self.parts.iter().flatten().for_each(|nth| is_new[*nth as usize] = true);
        // Without a branch: the processor could not guess it.
        let (mut won, mut count) = (vec![0; is_new.len()], 0);
        for (nth, is_new) in (0..).zip(is_new) {
            won[count] = nth;
            count += usize::from(is_new);
        }
        won.truncate(count);
        won
    }

    /// Takes out the nodes that are new, and whose trails begin at a place.
    fn winners<L: Ledger>(&mut self, first: usize) -> Winners<S, O, L::Place> {
        let won = self.won();
        let hops = won.iter().map(|nth| self.hops[*nth as usize]).collect();
        let mut nodes = take(&mut self.nodes, &won);
        (first..).zip(&mut nodes).for_each(|(place, node)| node.trail = Some(Trail::at(place)));
        let mut places = Vec::new();
        if L::KEEPS {
            places.resize(self.keys.len(), L::Place::default());
            (first..).zip(won).for_each(|(place, nth)| places[nth as usize] = L::place(Trail::at(place)));
        }
        Winners { nodes, hops, places }
    }

    /// Forgets everything, and keeps the memory.
    fn clear(&mut self) {
        self.keys.clear();
        self.hops.clear();
        self.parts.iter_mut().for_each(Vec::clear);
    }
}

/// What is larger is not moved more often than it must be.
const LIGHT: usize = 64;

/// Takes out what has won, given in order, and forgets the others.
fn take<T>(all: &mut Vec<T>, won: &[u32]) -> Vec<T> {
    let mut winners = Vec::with_capacity(won.len());
    if size_of::<T>() <= LIGHT {
        // They come to the front, again without a branch.
        won.iter().enumerate().for_each(|(place, nth)| all.swap(place, *nth as usize));
        winners.extend(all.drain(..won.len()));
        all.clear();
    } else {
        let mut next = won.iter().copied().peekable();
        let has_won = (0..).zip(all.drain(..)).filter(|(nth, _)| next.next_if_eq(nth).is_some());
        winners.extend(has_won.map(|(_, one)| one));
    }
    winners
}

/// What came out of a block.
struct Block<S, O: Policy, L: Ledger> {
    candidates: Candidates<S, O>,
    winners: Option<Winners<S, O, L::Place>>,
    /// The place of the first winner.
    first: usize,
    frontier: Frontier<S, O>,
    draft: L::Draft,
    tally: Tally,
    /// How many nodes were reached that had not been lately.
    reached: usize,
    found: Option<Found>,
}

type Blocks<P, O, L> = Vec<Block<<P as Program>::State, O, L>>;

/// What was known before a wave.
struct Known<'a, L: Ledger> {
    visited: &'a Visited<L::Place>,
    /// Whether the visited set is asked about what was reached.
    sift: bool,
    ledger: &'a L,
}

/// Gathers the candidates of a block.
struct Gather<'a, S, O: Policy, L: Ledger> {
    known: &'a Known<'a, L>,
    candidates: Candidates<S, O>,
    reached: usize,
    draft: L::Draft,
    frontier: Frontier<S, O>,
}

impl<S, O: Policy, L: Ledger> Sink<S, O> for Gather<'_, S, O, L> {
    const KEEPS: bool = L::KEEPS;

    #[inline]
    fn enabled(&self, node: Trail) -> Option<&[TaskId]> {
        self.known.ledger.enabled(node)
    }

    #[inline]
    fn begin(&mut self, node: Option<Trail>, enabled: &[TaskId]) {
        if let Some(node) = node {
            self.known.ledger.begin(&mut self.draft, node, enabled);
        }
    }

    #[inline]
    fn transition(&mut self, key: Fingerprint, taken: &Taken<'_>) {
        self.known.ledger.transition(&mut self.draft, key, taken);
    }

    #[inline]
    fn offer(&mut self, key: Fingerprint, hop: Hop, make: impl FnOnce() -> Node<S, O>) {
        self.reached += 1;
        if !self.known.sift || !self.known.visited.contains(key) {
            let Candidates { keys, parts, nodes, hops } = &mut self.candidates;
            let part = part_of(key, parts.len());
            parts[part].push(keys.len() as u32);
            keys.push(key);
            nodes.push(make());
            hops.push(hop);
        }
    }

    fn put_off(&mut self, rest: PutOff<S, O>) {
        self.frontier.push(rest, self.known.visited);
    }
}

/// Expands the blocks, and accepts what is new.
pub(crate) fn expand<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    nodes: Vec<Vec<Node<P::State, O>>>,
    bound: u32,
    core: &mut Core<P::State, O, L>,
    workers: &mut Workers<P::State, O>,
    budget: Budget<'_>,
    tally: &mut Tally,
) -> Result<(), Stop> {
    let sample = nodes.first().and_then(|block| block.first());
    let size = sample.map_or(0, |node| size_of_val(node) + expander.heap_bytes(node));
    let count: usize = nodes.iter().map(Vec::len).sum();
    let mut blocks = expand_blocks(expander, nodes, bound, core, workers, &Brake::new(budget))?;
    // To wake others takes longer than what is left to do for few candidates.
    let candidates: usize = blocks.iter().map(|block| block.candidates.keys.len()).sum();
    workers.learn(count, candidates * (size + Candidates::<P::State, O>::ASIDE));
    let few = CANDIDATES_TO_SHARE.saturating_mul(expander.options.share_from);
    let threads = if candidates < few { 1 } else { workers.scratches.len() };
    insert_keys(&mut blocks, &mut core.visited, threads);
    let (mut end, mut reached) = (core.trails.end(), 0);
    for block in &mut blocks {
        block.first = end;
        end += block.candidates.count_new();
        reached += block.reached;
    }
    workers.sift = size > LARGE || reached / REACHED_PER_NEW > end - core.trails.end();
    take_winners(&mut blocks, threads);
    if L::KEEPS {
        enter_places(&mut blocks, &mut core.visited, threads);
    }
    let mut drafts = Vec::new();
    for block in blocks {
        tally.add(&block.tally);
        core.frontier.append(block.frontier);
        if let Some(Winners { nodes, hops, .. }) = block.winners {
            core.accept_all(nodes, hops);
        }
        drafts.push(block.draft);
        workers.keep(block.candidates, size);
        if let Some(found) = block.found {
            return Err(found.into());
        }
    }
    core.settle_all(drafts, threads);
    Ok(())
}

/// Phase 1: the blocks up to the first failure.
fn expand_blocks<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    nodes: Vec<Vec<Node<P::State, O>>>,
    bound: u32,
    core: &Core<P::State, O, L>,
    workers: &mut Workers<P::State, O>,
    brake: &Brake<'_>,
) -> Result<Blocks<P, O, L>, Stop> {
    let Workers { scratches, spare, sift, .. } = workers;
    let known = Known { visited: &core.visited, sift: *sift, ledger: &core.ledger };
    let parts = PARTS_PER_THREAD * scratches.len();
    let results: Vec<_> = nodes.iter().map(|_| Mutex::new(None)).collect();
    let candidates: Vec<_> = nodes.iter().map(|_| spare.pop().unwrap_or_default()).collect();
    let queue = Mutex::new(nodes.into_iter().zip(candidates).enumerate());
    // What was delivered lately, this thread has delivered in this wave or before. It takes its blocks in order,
    // so that of several candidates with one key it is the first that is kept.
    let work = |scratch: &mut Scratch<P::State>| {
        loop {
            let next = queue.lock().expect("no thread panics with the lock").next();
            let Some((nth, (nodes, mut candidates))) = next else { break };
            if !brake.is_off(nth) {
                break;
            }
            candidates.reserve(nodes.len(), parts);
            let block = expand_block(expander, (nth, nodes), bound, candidates, &known, scratch, brake);
            if block.found.is_some() {
                brake.failing.fetch_min(nth, Ordering::Relaxed);
            }
            *results[nth].lock().expect("each is locked once") = Some(block);
        }
    };
    for_each_thread(scratches.iter_mut().collect(), work);
    if let Some(limit) = brake.limit.get() {
        return Err(Stop::Limit(*limit));
    }
    let failing = brake.failing.load(Ordering::Relaxed);
    let done = |result: Mutex<Option<_>>| result.into_inner().expect("no thread panics with the lock");
    let results = results.into_iter().take(failing.saturating_add(1));
    Ok(results.map(|result| done(result).expect("every block before a failure was expanded")).collect())
}

fn expand_block<P: Program, O: Policy, W: Watch<P::State>, L: Ledger>(
    expander: &Expander<'_, P, O, W>,
    (nth, nodes): (usize, Vec<Node<P::State, O>>),
    bound: u32,
    candidates: Candidates<P::State, O>,
    known: &Known<'_, L>,
    scratch: &mut Scratch<P::State>,
    brake: &Brake<'_>,
) -> Block<P::State, O, L> {
    scratch.tally = Tally::default();
    let (draft, frontier) = (known.ledger.draft(), Frontier::for_nodes(nodes.len()));
    let mut gather = Gather { known, candidates, reached: 0, draft, frontier };
    let (mut looked, mut weighed) = (0, 0);
    let mut found = None;
    for node in nodes {
        if !brake.is_off(nth) {
            break;
        }
        found = expander.expand(node, bound, scratch, &mut gather).err();
        if found.is_some() {
            break;
        }
        if scratch.tally.transitions - looked >= LOOK_EVERY {
            looked = scratch.tally.transitions;
            let kept = &gather.candidates.nodes;
            let heap = kept.last().map_or(0, |node| expander.heap_bytes(node));
            let each = heap + size_of::<Node<P::State, O>>() + Candidates::<P::State, O>::ASIDE;
            let bytes = kept.len() * each + L::draft_bytes(&gather.draft);
            // Nodes may be smaller than those before.
            brake.look(bytes.saturating_sub(weighed), expander.watch);
            weighed = weighed.max(bytes);
        }
    }
    let Gather { candidates, reached, draft, mut frontier, .. } = gather;
    frontier.shrink();
    Block { candidates, winners: None, first: 0, frontier, draft, tally: scratch.tally, reached, found }
}

/// Phase 2.
fn insert_keys<S: Send, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Place>,
    threads: usize,
) {
    for_each_part(blocks, visited, threads, |part, keys, list, _| part.insert_all(keys, list));
}

/// Phase 3, as far as it can be shared.
fn take_winners<S: Send, O: Policy, L: Ledger>(blocks: &mut [Block<S, O, L>], threads: usize) {
    let each = blocks.len().div_ceil(threads).max(1);
    for_each_thread(blocks.chunks_mut(each).collect(), |blocks: &mut [Block<S, O, L>]| {
        for block in blocks {
            block.winners = Some(block.candidates.winners::<L>(block.first));
        }
    });
}

/// Likewise, for those who want to know.
fn enter_places<S: Send, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Place>,
    threads: usize,
) {
    for_each_part(blocks, visited, threads, |part, keys, list, places| part.set_all(keys, list, places));
}

/// The keys of a block, which of them belong to a part of the visited set, and the places of those that have won.
type Keys<'a, V> = (&'a [Fingerprint], &'a mut Vec<u32>, &'a [V]);

/// Does something with each part of the visited set and the keys that belong there, block by block.
fn for_each_part<S: Send, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Place>,
    threads: usize,
    run: impl Fn(&mut Part<'_, L::Place>, &[Fingerprint], &mut Vec<u32>, &[L::Place]) + Sync,
) {
    let parts = blocks.first().map_or(0, |block| block.candidates.parts.len());
    let mut work: Vec<_> = visited.split(parts).into_iter().map(|part| (part, Vec::new())).collect();
    for Block { candidates: Candidates { keys, parts, .. }, winners, .. } in blocks {
        let places = winners.as_ref().map_or(&[][..], |winners| &winners.places);
        work.iter_mut().zip(parts).for_each(|((_, lists), list)| lists.push((keys.as_slice(), list, places)));
    }
    for_each(work, threads, |(mut part, lists): (Part<'_, L::Place>, Vec<Keys<'_, L::Place>>)| {
        lists.into_iter().for_each(|(keys, list, places)| run(&mut part, keys, list, places));
    });
}
