//! Nodes of the frontier in less memory.
//!
//! About half of the states of a search wait in the frontier. Many of their nodes have the same scheduler
//! and the same position in its proposals, so these are interned, and a waiting node has only their number.

use crate::Fingerprint;
use crate::expand::{Node, Pending};
use crate::policy::Policy;
use crate::store::Interner;
use crate::tree::NodeId;

/// A scheduler, and a position in its proposals.
#[derive(Debug)]
pub(crate) struct Standing<O: Policy> {
    scheduler: O::SchedulerState,
    cursor: O::Cursor,
}

/// The distinct schedulers and positions of a frontier.
pub(crate) type Standings<O> = Interner<Standing<O>>;

/// A node that waits, without its scheduler.
pub(crate) struct Packed<S> {
    state: S,
    /// The number of its standing.
    standing: u32,
    pub(crate) cost: u32,
    cost_here: u32,
    choices: u32,
    pub(crate) depth: u32,
    pub(crate) id: Option<NodeId>,
    pub(crate) pending: Option<Box<Pending>>,
}

impl<S> Packed<S> {
    pub(crate) fn new<O: Policy>(node: Node<S, O>, standings: &Standings<O>) -> Self {
        let Node { state, place, cursor, cost, cost_here, choices, depth, id, pending } = node;
        let key = Fingerprint::of(&place).with(Fingerprint::of(&cursor));
        let standing = standings.intern_as(key, || (Standing { scheduler: place, cursor }, 0)).id;
        Self { state, standing, cost, cost_here, choices, depth, id, pending }
    }

    pub(crate) fn unpack<O: Policy>(self, standings: &Standings<O>) -> Node<S, O> {
        let Self { state, standing, cost, cost_here, choices, depth, id, pending } = self;
        let Standing { scheduler, cursor } = standings.get(standing);
        let (place, cursor) = (scheduler.clone(), cursor.clone());
        Node { state, place, cursor, cost, cost_here, choices, depth, id, pending }
    }
}
