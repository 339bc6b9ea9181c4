//! Nodes of the frontier in less memory.
//!
//! About half of the states of a search wait in the frontier. Many of their nodes have the same scheduler,
//! the same position in its proposals and the same costs, so these are interned, and a waiting node has only
//! their number.

use crate::Fingerprint;
use crate::expand::{Node, Pending};
use crate::policy::Policy;
use crate::store::Interner;
use crate::tree::NodeId;

/// A scheduler, a position in its proposals, and the costs up to there.
#[derive(Debug)]
pub(crate) struct Standing<O: Policy> {
    scheduler: O::SchedulerState,
    cursor: O::Cursor,
    costs: Costs,
}

/// The costs of a [`Node`].
#[derive(Clone, Copy, Debug, Hash)]
struct Costs {
    cost: u32,
    cost_here: u32,
    choices: u32,
}

/// The distinct standings of a frontier.
pub(crate) type Standings<O> = Interner<Standing<O>>;

/// A node that waits, without its standing.
pub(crate) struct Packed<S> {
    state: S,
    /// The number of its standing.
    standing: u32,
    pub(crate) depth: u32,
    chain: u32,
    pub(crate) id: Option<NodeId>,
    pub(crate) pending: Option<Box<Pending>>,
}

impl<S> Packed<S> {
    pub(crate) fn new<O: Policy>(node: Node<S, O>, standings: &Standings<O>) -> Self {
        let Node { state, place, cursor, cost, cost_here, choices, depth, chain, id, pending } = node;
        let costs = Costs { cost, cost_here, choices };
        let key = Fingerprint::of(&place).with(Fingerprint::of(&(&cursor, costs)));
        let standing = standings.intern_as(key, || (Standing { scheduler: place, cursor, costs }, 0)).id;
        Self { state, standing, depth, chain, id, pending }
    }

    /// The cost of the node.
    pub(crate) fn cost<O: Policy>(&self, standings: &Standings<O>) -> u32 {
        standings.get(self.standing).costs.cost
    }

    pub(crate) fn unpack<O: Policy>(self, standings: &Standings<O>) -> Node<S, O> {
        let Self { state, standing, depth, chain, id, pending } = self;
        let Standing { scheduler, cursor, costs: Costs { cost, cost_here, choices } } =
            standings.get(standing);
        let (place, cursor) = (scheduler.clone(), cursor.clone());
        let (cost, cost_here, choices) = (*cost, *cost_here, *choices);
        Node { state, place, cursor, cost, cost_here, choices, depth, chain, id, pending }
    }
}
