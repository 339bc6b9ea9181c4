//! What a search keeps of the transitions that it takes.
//!
//! A search for failures keeps nothing, and pays nothing: its ledger is `()`. A search for cycles keeps the graph
//! ([`crate::liveness`]). Threads write drafts, in which targets are known by their fingerprints; drafts are settled
//! between waves, when every target has its place: then the visited set knows it.

use dally_schedule::TaskId;

use crate::Fingerprint;
use crate::successors::Event;
use crate::trails::Trail;
use crate::visited::Visited;

/// A transition, but for where it leads.
pub(crate) struct Taken<'a> {
    pub(crate) task: TaskId,
    pub(crate) choice: u32,
    pub(crate) hot: u64,
    pub(crate) cold: u64,
    pub(crate) events: &'a [Event],
}

/// Keeps transitions, or does not.
pub(crate) trait Ledger: Default + Send + Sync {
    /// Whether it does.
    const KEEPS: bool;
    /// What it wants the visited set to know of a node: where it is.
    type Place: Copy + Default + Send + Sync;
    /// What one thread has to enter.
    type Draft: Default + Send;

    /// The place of the node with this trail.
    fn place(trail: Trail) -> Self::Place;
    /// An empty draft.
    fn draft(&self) -> Self::Draft;
    /// The bytes of a draft.
    fn draft_bytes(draft: &Self::Draft) -> usize;
    /// Who can move at a node, if it is known from an earlier bound.
    fn enabled(&self, node: Trail) -> Option<&[TaskId]>;
    /// What follows are transitions from this node, at which these tasks can move.
    fn begin(&self, draft: &mut Self::Draft, node: Trail, enabled: &[TaskId]);
    /// A transition to the node with this key.
    fn transition(&self, draft: &mut Self::Draft, key: Fingerprint, taken: &Taken<'_>);
    /// There are so many nodes now. Enters drafts, in order; all targets have been visited.
    fn settle(
        &mut self,
        nodes: usize,
        drafts: Vec<Self::Draft>,
        visited: &Visited<Self::Place>,
        threads: usize,
    );
    /// The bytes that it holds.
    fn bytes(&self) -> usize;
}

impl Ledger for () {
    const KEEPS: bool = false;
    type Place = ();
    type Draft = ();

    #[inline]
    fn place(_: Trail) {}
    #[inline]
    fn draft(&self) {}
    #[inline]
    fn draft_bytes((): &()) -> usize {
        0
    }
    #[inline]
    fn enabled(&self, _: Trail) -> Option<&[TaskId]> {
        None
    }
    #[inline]
    fn begin(&self, (): &mut (), _: Trail, _: &[TaskId]) {}
    #[inline]
    fn transition(&self, (): &mut (), _: Fingerprint, _: &Taken<'_>) {}
    #[inline]
    fn settle(&mut self, _: usize, _: Vec<()>, _: &Visited, _: usize) {}

    fn bytes(&self) -> usize {
        0
    }
}
