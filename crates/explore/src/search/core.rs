//! The data structures of a search, which receive what expansion finds.

use crate::abandoned::Abandoned;
use crate::expand::{Node, Passage, Passages, Sink};
use crate::frontier::{Deferred, Frontier, Known};
use crate::layer::Layer;
use crate::ledger::{Ledger, Transition};
use crate::order::Pass;
use crate::packed::Standings;
use crate::policy::Policy;
use crate::reduce::Marks;
use crate::tree::{Link, NodeId, SearchTree};
use crate::visited::{Mark, Rank, Visit, Visited};
use crate::{Failure, Fingerprint, TaskId};

/// The data structures of a search.
pub(crate) struct Core<S, O: Policy, L: Ledger> {
    pub(crate) ledger: L,
    pub(super) draft: L::Draft,
    pub(crate) visited: Visited<L::Index>,
    pub(crate) tree: SearchTree,
    /// Visited nodes, to be expanded in the next layer.
    pub(crate) next: Layer<Node<S, O>>,
    /// Work for later passes.
    pub(crate) frontier: Frontier<S, O>,
    /// The schedulers of the frontier's nodes.
    pub(crate) standings: Standings<O>,
    /// The number of suspended steps in the visited set. They are not states of the program.
    pub(crate) suspended: usize,
    /// Steps that cannot be executed.
    pub(crate) marks: Marks,
    pub(crate) passages: Passages,
    pub(crate) abandoned: Abandoned,
}

impl<S, O: Policy, L: Ledger> Core<S, O, L> {
    /// The rank of a visit. A recorded graph does not tell depths apart: the target of an edge would depend on
    /// the number of nodes that are settled together.
    #[inline]
    pub(crate) fn rank(rank: Rank) -> Rank {
        if L::RECORDS { Rank { depth: 0, ..rank } } else { rank }
    }

    /// Adds nodes, whose ids are set, to the search tree and to the next layer. Of those, `suspended` are new
    /// suspended steps.
    pub(crate) fn accept_all(&mut self, nodes: Vec<Node<S, O>>, links: Vec<Link>, suspended: usize) {
        debug_assert!(nodes.first().is_none_or(|node| node.id == Some(NodeId::new(self.tree.end()))));
        self.tree.append(links);
        self.suspended += suspended;
        self.next.append(nodes);
    }

    /// Settles the ledger's draft.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if L::RECORDS {
            let draft = std::mem::replace(&mut self.draft, self.ledger.draft());
            self.settle_all(vec![draft], 1);
        }
    }

    /// Settles drafts of several threads.
    pub(crate) fn settle_all(&mut self, drafts: Vec<L::Draft>, threads: usize) {
        self.ledger.settle(self.tree.end(), drafts, &self.visited, threads);
    }
}

impl<S, O: Policy, L: Ledger> Sink<S, O> for Core<S, O, L> {
    const RECORDS: bool = L::RECORDS;

    #[inline]
    fn enabled(&self, node: NodeId) -> Option<&[TaskId]> {
        self.ledger.enabled(node)
    }

    #[inline]
    fn begin(&mut self, node: Option<NodeId>, enabled: &[TaskId]) {
        if let Some(node) = node {
            self.ledger.begin(&mut self.draft, node, enabled);
        }
    }

    #[inline]
    fn transition(&mut self, key: Fingerprint, transition: &Transition<'_>) {
        self.ledger.transition(&mut self.draft, key, transition);
    }

    #[inline]
    fn offer(&mut self, key: Fingerprint, link: Link, rank: Rank, make: impl FnOnce() -> Node<S, O>) {
        let tree = &self.tree;
        let visit = self.visited.insert_with(key, Self::rank(rank), || L::index(NodeId::new(tree.end())));
        if visit != Visit::Again {
            let mut node = make();
            node.id = Some(self.tree.push(link));
            self.suspended += usize::from(visit == Visit::First && node.pending.is_some());
            self.next.push(node, 1);
        }
    }

    #[inline]
    fn mark_of(&self, key: Fingerprint) -> Mark {
        self.visited.mark(key)
    }

    #[inline]
    fn mark(&mut self, key: Fingerprint, mark: Mark) {
        self.marks.add(key, mark);
    }

    #[inline]
    fn end_of_chain(&self, state: Fingerprint, cost: u32) -> Option<Fingerprint> {
        self.passages.end(state, cost)
    }

    fn pass(&mut self, passages: &mut Vec<(Fingerprint, Passage)>) {
        self.marks.pass(passages);
    }

    fn defer(&mut self, deferred: Deferred<S, O>, pass: Pass) {
        let known = Known { visited: &self.visited, standings: &self.standings };
        self.frontier.push(deferred, pass, &known);
    }

    fn abandon(&mut self, failure: Failure) {
        self.abandoned.add(failure);
    }
}
