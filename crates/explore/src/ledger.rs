//! The ledger: what a search records of the transitions that it takes.
//!
//! A search for safety bugs records nothing, at no cost: its ledger is `()`. A search for cycles
//! records the graph ([`crate::liveness`]). During a wave, threads write *drafts*, in which the
//! target of a transition is given by its fingerprint. Between waves drafts are *settled*: then
//! every target has an index, which the visited set stores.

use dally_schedule::TaskId;

use crate::Fingerprint;
use crate::successors::Event;
use crate::tree::{Branch, NodeId};
use crate::visited::Visited;

/// A transition, without its source and its target.
pub(crate) struct Transition<'a> {
    pub(crate) task: TaskId,
    pub(crate) branch: Branch,
    pub(crate) hot: u64,
    pub(crate) cold: u64,
    pub(crate) events: &'a [Event],
}

/// Records transitions, or does nothing.
pub(crate) trait Ledger: Default + Send + Sync {
    /// True if it records transitions.
    const RECORDS: bool;
    /// The index of a node, as the visited set stores it; `()` if nothing is recorded.
    type Index: Copy + Default + Send + Sync;
    /// Transitions that were recorded by one thread, and not settled yet.
    type Draft: Default + Send;

    /// The index of a node.
    fn index(node: NodeId) -> Self::Index;
    /// An empty draft.
    fn draft(&self) -> Self::Draft;
    /// The bytes of a draft.
    fn draft_bytes(draft: &Self::Draft) -> usize;
    /// The tasks that are enabled at a node, if an earlier bound recorded them.
    fn enabled(&self, node: NodeId) -> Option<&[TaskId]>;
    /// The transitions recorded from now on start at `node`, where the tasks `enabled` are enabled.
    fn begin(&self, draft: &mut Self::Draft, node: NodeId, enabled: &[TaskId]);
    /// Records a transition to the node with this key.
    fn transition(&self, draft: &mut Self::Draft, key: Fingerprint, transition: &Transition<'_>);
    /// Adds the drafts, in order, now that there are `nodes` nodes. All targets must be visited.
    fn settle(
        &mut self,
        nodes: usize,
        drafts: Vec<Self::Draft>,
        visited: &Visited<Self::Index>,
        threads: usize,
    );
    /// The bytes in use.
    fn bytes(&self) -> usize;
}

impl Ledger for () {
    const RECORDS: bool = false;
    type Index = ();
    type Draft = ();

    #[inline]
    fn index(_: NodeId) {}
    #[inline]
    fn draft(&self) {}
    #[inline]
    fn draft_bytes((): &()) -> usize {
        0
    }
    #[inline]
    fn enabled(&self, _: NodeId) -> Option<&[TaskId]> {
        None
    }
    #[inline]
    fn begin(&self, (): &mut (), _: NodeId, _: &[TaskId]) {}
    #[inline]
    fn transition(&self, (): &mut (), _: Fingerprint, _: &Transition<'_>) {}
    #[inline]
    fn settle(&mut self, _: usize, _: Vec<()>, _: &Visited, _: usize) {}

    fn bytes(&self) -> usize {
        0
    }
}
