//! Expands part of a layer on several threads, with the same result for any number of threads.
//!
//! A wave takes nodes from the front of a layer, in blocks, and runs three phases:
//! 1. Threads expand the blocks. Each successor becomes a candidate ([`crate::candidates`]); the
//!    visited set is read-only. Successors are looked up in it first if most of the last wave's
//!    were visited before, or if nodes are large.
//! 2. Threads insert the candidates' keys. Each thread owns some parts of the visited set, and
//!    takes keys in the order of the layer: of several candidates with one key the first wins, as
//!    in a search on one thread.
//! 3. The winners join the next layer, in the order of the layer. If the ledger records
//!    transitions, the threads also store the winners' indices in the visited set, each in its own
//!    parts.
//!
//! Invariant: after a wave, the visited set, the next layer and the search tree are those that
//! expanding the same nodes one by one would produce, and so is the frontier after
//! [`Frontier::remove_visited`]. A lock is taken once for each block.
//!
//! A limit reached in the first phase stops the wave and the search; the wave's results are
//! discarded.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::abandoned::Abandoned;
use crate::candidates::{Candidates, Positions, Winners};
use crate::expand::{Expander, Found, Node, Passage, Passages, Scratch, Sink, Tally};
use crate::frontier::{Deferred, Frontier, Known};
use crate::layer::BLOCK;
use crate::ledger::{Ledger, Transition};
use crate::order::Pass;
use crate::outcome::{Limit, StateCoverage};
use crate::packed::Standings;
use crate::policy::Policy;
use crate::reduce::Marks;
use crate::search::{Core, LOOK_EVERY, Stop, Watch};
use crate::team::{for_each, for_each_thread};
use crate::tree::{Link, NodeId};
use crate::visited::{Mark, Part, Rank, Visited};
use crate::{Failure, Fingerprint, Program, TaskId};

/// The most nodes in a wave, per thread: enough to balance the load, few enough to check limits
/// often.
const NODES_PER_THREAD: usize = 32 * BLOCK;

/// The most bytes of candidates in a wave, per thread, estimated from the last wave. Beyond this,
/// candidates leave the processor's cache before the second phase reads them.
const BYTES_PER_THREAD: usize = 2 << 20;

/// Phases 2 and 3 run on several threads from `share_from` × this many candidates on.
const CANDIDATES_TO_SHARE: usize = 4;

/// Probe the visited set in phase 1 if fewer than one in this many successors is new. Otherwise a
/// lookup, which usually misses the cache, costs more than an unneeded candidate.
const REACHED_PER_NEW: usize = 4;

/// Probe the visited set in phase 1 if a node has more bytes than this: building it is expensive.
const LARGE_NODE: usize = 192;

/// Parts of the visited set per thread: more than one, so that fast threads take work from slow
/// ones.
const PARTS_PER_THREAD: usize = 4;

/// Buffers and estimates that are reused from wave to wave, since allocation is slow.
pub(crate) struct Workers<S, O: Policy> {
    /// One for each thread.
    pub(crate) scratches: Vec<Scratch<S, O>>,
    /// Empty, with their allocations.
    spare: Vec<Candidates<S, O>>,
    /// True if phase 1 probes the visited set before it creates a candidate.
    probe_first: bool,
    /// Nodes that the next wave takes for each thread, approximately. Starts low, since nothing is
    /// known yet about the number of successors.
    nodes: usize,
}

impl<S, O: Policy> Default for Workers<S, O> {
    fn default() -> Self {
        Self { scratches: Vec::new(), spare: Vec::new(), probe_first: true, nodes: BLOCK }
    }
}

impl<S, O: Policy> Workers<S, O> {
    /// The number of nodes that the next wave takes, approximately.
    pub(crate) fn nodes(&self, threads: usize) -> usize {
        threads * self.nodes
    }

    /// Adapts the size of the next wave: `nodes` nodes have produced candidates of `bytes` bytes.
    fn adapt(&mut self, nodes: usize, bytes: usize) {
        let most = BYTES_PER_THREAD.saturating_mul(nodes) / bytes.max(1);
        self.nodes = (2 * self.nodes).min(NODES_PER_THREAD).min(most).max(1);
    }

    /// Keeps the allocations of `candidates`, whose nodes have `node_bytes` bytes, unless enough
    /// are kept. Blocks can be many and small while their vectors still have the capacity of larger
    /// ones.
    fn recycle(&mut self, mut candidates: Candidates<S, O>, node_bytes: usize) {
        let kept = self.bytes() + self.capacity() * node_bytes;
        if kept < 2 * BYTES_PER_THREAD * self.scratches.len() {
            candidates.clear();
            self.spare.push(candidates);
        }
    }

    /// The number of nodes for which memory is allocated.
    pub(crate) fn capacity(&self) -> usize {
        self.spare.iter().map(|candidates| candidates.nodes.capacity()).sum()
    }

    /// The bytes allocated, without the nodes.
    pub(crate) fn bytes(&self) -> usize {
        self.spare.iter().map(Candidates::bytes_beside_nodes).sum()
    }
}

/// The coverage at the beginning of a wave, and the memory that it may use.
pub(crate) struct WaveBudget<'a> {
    pub(crate) coverage: &'a StateCoverage,
    /// The bytes that the wave may allocate, if there is a limit.
    pub(crate) bytes_left: Option<usize>,
}

/// Stops phase 1 early: at a limit, or after a failure.
struct Cutoff<'a> {
    budget: WaveBudget<'a>,
    limit: OnceLock<Limit>,
    allocated: AtomicUsize,
    /// The first block with a failure: later blocks need not be expanded.
    first_failing: AtomicUsize,
}

impl<'a> Cutoff<'a> {
    fn new(budget: WaveBudget<'a>) -> Self {
        let (limit, allocated) = (OnceLock::new(), AtomicUsize::new(0));
        Self { budget, limit, allocated, first_failing: AtomicUsize::new(usize::MAX) }
    }

    /// Returns true if the block with this number must still be expanded.
    fn needs(&self, block: usize) -> bool {
        self.limit.get().is_none() && block <= self.first_failing.load(Ordering::Relaxed)
    }

    /// Adds `bytes` to the memory in use, and checks the limits.
    fn check<S>(&self, bytes: usize, watch: &impl Watch<S>) {
        let allocated = self.allocated.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let too_much = self.budget.bytes_left.is_some_and(|left| allocated >= left);
        let limit = if too_much { Some(Limit::Memory) } else { watch.poll(self.budget.coverage) };
        // Of several limits, any one may be reported.
        limit.map(|limit| self.limit.set(limit));
    }
}

/// The result of expanding one block.
struct Block<S, O: Policy, L: Ledger> {
    candidates: Candidates<S, O>,
    winners: Option<Winners<S, O, L::Index>>,
    /// The index of the first winner's node.
    first: usize,
    frontier: Frontier<S, O>,
    draft: L::Draft,
    tally: Tally,
    /// Successors reached, without those that this thread had reached recently.
    reached: usize,
    found: Option<Found>,
    marks: Marks,
    abandoned: Abandoned,
}

type Blocks<P, O, L> = Vec<Block<<P as Program>::State, O, L>>;

/// The results of earlier waves, read by all threads during phase 1.
struct Shared<'a, O: Policy, L: Ledger> {
    visited: &'a Visited<L::Index>,
    passages: &'a Passages,
    standings: &'a Standings<O>,
    probe_first: bool,
    ledger: &'a L,
}

/// Collects the candidates of one block.
struct Collector<'a, S, O: Policy, L: Ledger> {
    shared: &'a Shared<'a, O, L>,
    candidates: Candidates<S, O>,
    reached: usize,
    draft: L::Draft,
    frontier: Frontier<S, O>,
    marks: Marks,
    abandoned: Abandoned,
}

impl<S, O: Policy, L: Ledger> Sink<S, O> for Collector<'_, S, O, L> {
    const RECORDS: bool = L::RECORDS;

    #[inline]
    fn enabled(&self, node: NodeId) -> Option<&[TaskId]> {
        self.shared.ledger.enabled(node)
    }

    #[inline]
    fn begin(&mut self, node: Option<NodeId>, enabled: &[TaskId]) {
        if let Some(node) = node {
            self.shared.ledger.begin(&mut self.draft, node, enabled);
        }
    }

    #[inline]
    fn transition(&mut self, key: Fingerprint, transition: &Transition<'_>) {
        self.shared.ledger.transition(&mut self.draft, key, transition);
    }

    #[inline]
    fn offer(&mut self, key: Fingerprint, link: Link, rank: Rank, make: impl FnOnce() -> Node<S, O>) {
        self.reached += 1;
        if !self.shared.probe_first || !self.shared.visited.contains(key, rank) {
            self.candidates.push(key, link, make());
        }
    }

    #[inline]
    fn mark_of(&self, key: Fingerprint) -> Mark {
        self.shared.visited.mark(key)
    }

    #[inline]
    fn mark(&mut self, key: Fingerprint, mark: Mark) {
        self.marks.add(key, mark);
    }

    #[inline]
    fn end_of_chain(&self, state: Fingerprint, cost: u32) -> Option<Fingerprint> {
        self.shared.passages.end(state, cost)
    }

    fn pass(&mut self, passages: &mut Vec<(Fingerprint, Passage)>) {
        self.marks.pass(passages);
    }

    fn defer(&mut self, deferred: Deferred<S, O>, pass: Pass) {
        let known = Known { visited: self.shared.visited, standings: self.shared.standings };
        self.frontier.push(deferred, pass, &known);
    }

    fn abandon(&mut self, failure: Failure) {
        self.abandoned.add(failure);
    }
}

/// A wave: the search that it belongs to, and the pass.
pub(crate) struct Wave<'w, 'e, P: Program, O: Policy, W, L: Ledger> {
    pub(crate) expander: &'w Expander<'e, P, O, W>,
    pub(crate) pass: Pass,
    pub(crate) core: &'w mut Core<P::State, O, L>,
    pub(crate) workers: &'w mut Workers<P::State, O>,
    pub(crate) tally: &'w mut Tally,
}

impl<P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Wave<'_, '_, P, O, W, L> {
    /// Expands the nodes, and adds those successors that are new to the next layer.
    pub(crate) fn run(self, nodes: Vec<Vec<Node<P::State, O>>>, budget: WaveBudget<'_>) -> Result<(), Stop> {
        let Self { expander, pass, core, workers, tally } = self;
        let sample = nodes.first().and_then(|block| block.first());
        let node_bytes = sample.map_or(0, |node| size_of_val(node) + expander.heap_bytes(node));
        let count: usize = nodes.iter().map(Vec::len).sum();

        let shared = Shared {
            visited: &core.visited,
            passages: &core.passages,
            standings: &core.standings,
            probe_first: workers.probe_first,
            ledger: &core.ledger,
        };
        let phase1 = Phase1 { expander, pass, shared, cutoff: Cutoff::new(budget) };
        let mut blocks = phase1.run(nodes, &mut workers.scratches, &mut workers.spare)?;

        // For few candidates, waking other threads takes longer than the work.
        let candidates: usize = blocks.iter().map(|block| block.candidates.keys.len()).sum();
        workers.adapt(count, candidates * (node_bytes + Candidates::<P::State, O>::BYTES_BESIDE_NODE));
        let few = CANDIDATES_TO_SHARE.saturating_mul(expander.options.share_from);
        let threads = if candidates < few { 1 } else { workers.scratches.len() };
        insert_keys(&mut blocks, &mut core.visited, pass.cost, threads);

        let (mut end, mut reached) = (core.tree.end(), 0);
        for block in &mut blocks {
            block.first = end;
            end += block.candidates.count_new();
            reached += block.reached;
        }
        workers.probe_first = node_bytes > LARGE_NODE || reached / REACHED_PER_NEW > end - core.tree.end();
        take_winners(&mut blocks, threads);
        if L::RECORDS {
            store_indices(&mut blocks, &mut core.visited, threads);
        }
        let mut drafts = Vec::new();
        for block in blocks {
            tally.add(&block.tally);
            core.frontier.append(block.frontier);
            if let Some(Winners { nodes, links, suspended, .. }) = block.winners {
                core.accept_all(nodes, links, suspended);
            }
            drafts.push(block.draft);
            workers.recycle(block.candidates, node_bytes);
            core.marks.append(block.marks);
            core.abandoned.append(block.abandoned);
            if core.abandoned.is_too_many() {
                return Err(Stop::Abandoned);
            }
            if let Some(found) = block.found {
                return Err(found.into());
            }
        }
        core.settle_all(drafts, threads);
        Ok(())
    }
}

/// Phase 1: expands blocks.
struct Phase1<'w, 'e, P, O: Policy, W, L: Ledger> {
    expander: &'w Expander<'e, P, O, W>,
    pass: Pass,
    shared: Shared<'w, O, L>,
    cutoff: Cutoff<'w>,
}

/// A block for a thread to expand.
struct Assignment<S, O: Policy> {
    /// The number of the block in the wave.
    block: usize,
    nodes: Vec<Node<S, O>>,
    /// Empty.
    candidates: Candidates<S, O>,
}

impl<P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Phase1<'_, '_, P, O, W, L> {
    /// Expands the blocks up to the first failure.
    fn run(
        &self,
        nodes: Vec<Vec<Node<P::State, O>>>,
        scratches: &mut [Scratch<P::State, O>],
        spare: &mut Vec<Candidates<P::State, O>>,
    ) -> Result<Blocks<P, O, L>, Stop> {
        let parts = PARTS_PER_THREAD * scratches.len();
        let results: Vec<_> = nodes.iter().map(|_| Mutex::new(None)).collect();
        let candidates: Vec<_> = nodes.iter().map(|_| spare.pop().unwrap_or_default()).collect();
        let assignments = nodes.into_iter().zip(candidates).enumerate();
        let queue = Mutex::new(assignments.map(|(block, (nodes, candidates))| Assignment {
            block,
            nodes,
            candidates,
        }));
        // A thread skips successors that it has delivered recently. Since it takes blocks in
        // ascending order, the candidate that it keeps is the first of those with the same key.
        let work = |scratch: &mut Scratch<P::State, O>| {
            loop {
                let next = queue.lock().expect("no thread panics with the lock").next();
                let Some(mut assignment) = next else { break };
                let number = assignment.block;
                if !self.cutoff.needs(number) {
                    break;
                }
                assignment.candidates.reserve(assignment.nodes.len(), parts);
                let block = self.expand(assignment, scratch);
                if block.found.is_some() || block.abandoned.is_too_many() {
                    self.cutoff.first_failing.fetch_min(number, Ordering::Relaxed);
                }
                *results[number].lock().expect("each is locked once") = Some(block);
            }
        };
        for_each_thread(scratches.iter_mut().collect(), work);
        if let Some(limit) = self.cutoff.limit.get() {
            return Err(Stop::Limit(*limit));
        }
        let failing = self.cutoff.first_failing.load(Ordering::Relaxed);
        let done = |result: Mutex<Option<_>>| result.into_inner().expect("no thread panics with the lock");
        let results = results.into_iter().take(failing.saturating_add(1));
        Ok(results.map(|result| done(result).expect("every block before a failure was expanded")).collect())
    }

    /// Expands one block, up to its first failure.
    fn expand(
        &self,
        assignment: Assignment<P::State, O>,
        scratch: &mut Scratch<P::State, O>,
    ) -> Block<P::State, O, L> {
        let Assignment { block, nodes, candidates } = assignment;
        scratch.tally = Tally::default();
        let (draft, frontier) = (self.shared.ledger.draft(), Frontier::for_nodes(nodes.len()));
        let mut collector = Collector {
            shared: &self.shared,
            candidates,
            reached: 0,
            draft,
            frontier,
            marks: Marks::default(),
            abandoned: Abandoned::default(),
        };
        let (mut checked, mut counted) = (0, 0);
        let mut found = None;
        for node in nodes {
            if !self.cutoff.needs(block) {
                break;
            }
            found = self.expander.expand(node, self.pass, scratch, &mut collector).err();
            if found.is_some() || collector.abandoned.is_too_many() {
                break;
            }
            if scratch.tally.work - checked >= LOOK_EVERY {
                checked = scratch.tally.work;
                let bytes = self.collected_bytes(&collector);
                // The estimate can fall, since nodes differ in size; what was counted stays
                // counted.
                self.cutoff.check(bytes.saturating_sub(counted), self.expander.watch);
                counted = counted.max(bytes);
            }
        }
        let Collector { candidates, reached, draft, mut frontier, marks, abandoned, .. } = collector;
        frontier.shrink();
        Block {
            candidates,
            winners: None,
            first: 0,
            frontier,
            draft,
            tally: scratch.tally,
            reached,
            found,
            marks,
            abandoned,
        }
    }

    /// The bytes of what was collected, estimated from the last candidate.
    fn collected_bytes(&self, collector: &Collector<'_, P::State, O, L>) -> usize {
        let nodes = &collector.candidates.nodes;
        let heap = nodes.last().map_or(0, |node| self.expander.heap_bytes(node));
        let beside = Candidates::<P::State, O>::BYTES_BESIDE_NODE;
        let each = heap + size_of::<Node<P::State, O>>() + beside;
        nodes.len() * each + L::draft_bytes(&collector.draft)
    }
}

/// Phase 2: inserts the keys of all candidates.
fn insert_keys<S: Send + Sync, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Index>,
    cost: u32,
    threads: usize,
) {
    let has_depths = visited.has_depths();
    for_each_part(blocks, visited, threads, |part, keys| {
        let PartKeys { all, nodes, at, .. } = keys;
        // All nodes of a wave have the cost of its pass.
        let depth = |nth: u32| if has_depths { nodes[nth as usize].depth } else { 0 };
        let rank = |nth: u32| Core::<S, O, L>::rank(Rank { cost, depth: depth(nth) });
        part.insert_all(all, rank, &mut at.positions, &mut at.lowered);
    });
}

/// Phase 3: takes the winners out of the candidates.
fn take_winners<S: Send, O: Policy, L: Ledger>(blocks: &mut [Block<S, O, L>], threads: usize) {
    let each = blocks.len().div_ceil(threads).max(1);
    for_each_thread(blocks.chunks_mut(each).collect(), |blocks: &mut [Block<S, O, L>]| {
        for block in blocks {
            block.winners = Some(block.candidates.take_winners::<L>(block.first));
        }
    });
}

/// Phase 3: stores the indices of the winners in the visited set.
fn store_indices<S: Send + Sync, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Index>,
    threads: usize,
) {
    for_each_part(blocks, visited, threads, |part, keys| {
        part.set_all(keys.all, &keys.at.positions, keys.indices);
    });
}

/// The keys of one block that belong to one part of the visited set.
struct PartKeys<'a, S, O: Policy, V> {
    /// All keys of the block.
    all: &'a [Fingerprint],
    /// Their nodes, until the winners are taken.
    nodes: &'a [Node<S, O>],
    /// The keys that belong to the part.
    at: &'a mut Positions,
    /// For each key of the block, the index of its node, once it is known.
    indices: &'a [V],
}

/// The keys of all blocks that belong to one part of the visited set.
type PartWork<'v, 'b, S, O, V> = (Part<'v, V>, Vec<PartKeys<'b, S, O, V>>);

/// Calls `run` for each part of the visited set and each block, in the order of the blocks.
fn for_each_part<S: Send + Sync, O: Policy, L: Ledger>(
    blocks: &mut [Block<S, O, L>],
    visited: &mut Visited<L::Index>,
    threads: usize,
    run: impl Fn(&mut Part<'_, L::Index>, PartKeys<'_, S, O, L::Index>) + Sync,
) {
    let parts = blocks.first().map_or(0, |block| block.candidates.parts.len());
    let mut work: Vec<_> = visited.split(parts).into_iter().map(|part| (part, Vec::new())).collect();
    for Block { candidates: Candidates { keys, parts, nodes, .. }, winners, .. } in blocks {
        let indices = winners.as_ref().map_or(&[][..], |winners| &winners.indices);
        for ((_, lists), at) in work.iter_mut().zip(parts) {
            lists.push(PartKeys { all: keys.as_slice(), nodes: nodes.as_slice(), at, indices });
        }
    }
    for_each(work, threads, |(mut part, lists): PartWork<'_, '_, S, O, L::Index>| {
        lists.into_iter().for_each(|keys| run(&mut part, keys));
    });
}
