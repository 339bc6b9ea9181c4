//! Every execution exactly once, those of cost 0 first, then those of cost 1, and so on.
//!
//! The *branches* of an execution are the points with more than one alternative, numbered in order. At each, an
//! execution takes the default or one of the alternatives after it. It is determined by its *deviations*: the
//! ascending list of the branches at which it does not take the default, in which a branch occurs n times if its n-th
//! alternative is taken.
//!
//! An execution without its last deviation is its parent; so the executions form a tree, whose root has no deviations. A
//! child follows its parent up to the branch at which it deviates, so that branch exists. To enumerate all children
//! of an execution, it suffices to know the number of its branches, and which of them are free. Hence no execution is
//! repeated to find its branches, as a depth-first search within a budget of K repeats those of less than K.
//!
//! A child that costs more than its parent belongs to the next *layer*, a child that costs the same to the
//! same layer. Within a layer, executions are run in the order of their last deviation, independently of their parents.

use std::ops::Range;

/// The branches at which an execution deviates from the default, ascending, with repetition.
pub(crate) type Branches = Vec<u32>;

/// The branches of an execution that has been run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Their number.
    pub(crate) branches: u32,
    /// The branches after the last deviation whose alternatives are free, ascending.
    pub(crate) free: Vec<u32>,
    /// The cost of one more deviation at the branch of the last deviation, if there is another alternative.
    pub(crate) further: Option<u32>,
    /// The only branches at which children deviate, ascending, if `restricted`.
    pub(crate) sites: Vec<u32>,
    pub(crate) restricted: bool,
}

impl Outcome {
    /// Removes all branches, and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        (self.branches, self.further, self.restricted) = (0, None, false);
        self.free.clear();
        self.sites.clear();
    }
}

/// An execution that may have children.
#[derive(Debug)]
struct Node {
    /// The range of its deviations in its layer.
    deviations: Range<usize>,
    /// Its last deviation.
    last: Option<u32>,
    /// The fields of its [`Outcome`]; the free branches are a range in its layer.
    branches: u32,
    free: Range<usize>,
    further: Option<u32>,
    /// If children deviate at some branches only: these, as a range in its layer.
    sites: Option<Range<usize>>,
}

impl Node {
    /// True if there is a child at this additional cost, in a search without restrictions.
    fn has_child_for(&self, price: u32) -> bool {
        let after_last = self.last.map_or(0, |last| last + 1);
        let later = self.branches.saturating_sub(after_last) as usize;
        let at_that_price = if price == 0 { self.free.len() } else { later - self.free.len() };
        at_that_price > 0 || self.further == Some(price)
    }
}

/// Executions with their deviations and their free branches, which are stored consecutively, so that no execution
/// allocates.
#[derive(Debug, Default)]
struct Layer {
    nodes: Vec<Node>,
    deviations: Vec<u32>,
    free: Vec<u32>,
    sites: Vec<u32>,
}

impl Layer {
    /// The node of an execution, before the caller decides to [keep](Self::keep) it.
    fn node(&self, deviations: &[u32], outcome: &Outcome) -> Node {
        let after = |list: &[u32], more: &[u32]| list.len()..list.len() + more.len();
        Node {
            deviations: after(&self.deviations, deviations),
            last: deviations.last().copied(),
            branches: outcome.branches,
            free: after(&self.free, &outcome.free),
            further: outcome.further,
            sites: outcome.restricted.then(|| after(&self.sites, &outcome.sites)),
        }
    }

    fn keep(&mut self, node: Node, deviations: &[u32], outcome: &Outcome) {
        self.nodes.push(node);
        self.deviations.extend_from_slice(deviations);
        self.free.extend_from_slice(&outcome.free);
        if outcome.restricted {
            self.sites.extend_from_slice(&outcome.sites);
        }
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.deviations.clear();
        self.free.clear();
        self.sites.clear();
    }

    /// True if a node of this layer has a child at this additional cost.
    fn has_child_for(&self, node: &Node, price: u32) -> bool {
        match &node.sites {
            None => node.has_child_for(price),
            Some(sites) => {
                self.sites[sites.clone()].iter().any(|site| self.price(node, *site) == Some(price))
            }
        }
    }

    /// The additional cost of the child of a node that also deviates at this branch, if there is such a child.
    fn price(&self, node: &Node, branch: u32) -> Option<u32> {
        if let Some(sites) = &node.sites
            && self.sites[sites.clone()].binary_search(&branch).is_err()
        {
            return None;
        }
        match node.last {
            Some(last) if branch < last => None,
            Some(last) if branch == last => node.further,
            _ if branch >= node.branches => None,
            _ => Some(u32::from(self.free[node.free.clone()].binary_search(&branch).is_err())),
        }
    }
}

/// The enumeration of all executions, layer by layer.
#[derive(Debug, Default)]
pub(crate) struct Enumeration {
    /// The highest cost to enumerate.
    limit: Option<u32>,
    /// The cost of the current layer.
    cost: u32,
    /// The executions of the previous layer that have children in the current layer.
    previous: Layer,
    /// The executions of the current layer that have children in it or in the next.
    present: Layer,
    /// True if an execution of the current layer has a child in the next.
    goes_on: bool,
    /// The last deviation of the next execution, and the number of parents that were tried for it: first `previous`,
    /// then `present`.
    branch: u32,
    tried: usize,
    /// The greatest number of branches of these parents.
    branches: u32,
    /// True if an execution of the current layer has a child in it.
    any_free: bool,
    begun: bool,
}

impl Enumeration {
    /// The enumeration of all executions up to a cost.
    pub(crate) fn new(limit: Option<u32>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The cost of the current layer.
    pub(crate) fn cost(&self) -> u32 {
        self.cost
    }

    /// Stores the deviations of the next execution of the current layer. Returns false if there is none.
    pub(crate) fn next_execution(&mut self, deviations: &mut Branches) -> bool {
        deviations.clear();
        if !std::mem::replace(&mut self.begun, true) {
            return true;
        }
        while self.branch < self.branches {
            let free = if self.any_free { self.present.nodes.len() } else { 0 };
            let previous = self.previous.nodes.len();
            while self.tried < previous + free {
                if self.previous.nodes.get(self.tried).is_some_and(|node| node.last > Some(self.branch)) {
                    // Nodes are in the order of their last deviation, so no later node qualifies.
                    self.tried = previous;
                    continue;
                }
                self.tried += 1;
                if let Some(parent) = self.parent(self.tried - 1) {
                    deviations.extend_from_slice(parent);
                    deviations.push(self.branch);
                    return true;
                }
            }
            (self.branch, self.tried) = (self.branch + 1, 0);
        }
        false
    }

    /// The deviations of the node at this index, if it has a child in the current layer that deviates at the current
    /// branch.
    fn parent(&self, place: usize) -> Option<&[u32]> {
        let (layer, place, price) = match place.checked_sub(self.previous.nodes.len()) {
            None => (&self.previous, place, 1),
            Some(place) => (&self.present, place, 0),
        };
        let node = &layer.nodes[place];
        let is_parent = layer.price(node, self.branch) == Some(price);
        is_parent.then(|| &layer.deviations[node.deviations.clone()])
    }

    /// Records an execution that has been run.
    pub(crate) fn record(&mut self, deviations: &[u32], outcome: &Outcome) {
        let node = self.present.node(deviations, outcome);
        let branches = node.branches;
        let children = if outcome.restricted {
            // The sites of a node are looked up in its layer.
            self.present.keep(node, deviations, outcome);
            let node = self.present.nodes.last();
            node.map(|node| [0, 1].map(|price| self.present.has_child_for(node, price)))
        } else {
            let children = [0, 1].map(|price| node.has_child_for(price));
            if children[1] && self.limit.is_none_or(|limit| self.cost < limit) || children[0] {
                self.present.keep(node, deviations, outcome);
            }
            Some(children)
        };
        let [free, costlier] = children.unwrap_or_default();
        self.goes_on |= costlier;
        self.any_free |= free;
        if free {
            self.branches = self.branches.max(branches);
        }
    }

    /// True if executions of the current layer have children that cost more.
    pub(crate) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Begins the next layer, after the current one was completed.
    pub(crate) fn deepen(&mut self) {
        std::mem::swap(&mut self.previous, &mut self.present);
        self.present.clear();
        let mut nodes = std::mem::take(&mut self.previous.nodes);
        nodes.retain(|node| self.previous.has_child_for(node, 1));
        self.previous.nodes = nodes;
        self.branches = self.previous.nodes.iter().map(|node| node.branches).max().unwrap_or(0);
        self.cost += 1;
        (self.goes_on, self.any_free) = (false, false);
        (self.branch, self.tried) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{DefaultHasher, Hash, Hasher};

    use dally_testing::for_inputs;

    use super::*;
    use crate::policy::Price;
    use crate::run::Run;

    /// A tree of decisions.
    struct Tree {
        seed: u64,
        depth: usize,
    }

    impl Tree {
        /// The number of alternatives, and the additional cost of each over the one before.
        fn fork(&self, path: &[usize]) -> (usize, impl Fn(usize) -> u32 + use<>) {
            let mut hasher = DefaultHasher::new();
            (self.seed, path).hash(&mut hasher);
            let hash = hasher.finish();
            (1 + (hash % 4) as usize, move |nth| (hash >> (32 + nth) & 1) as u32)
        }

        fn run(&self, run: &mut Run) -> Vec<usize> {
            let mut path = Vec::new();
            while path.len() < self.depth {
                let (ways, more) = self.fork(&path);
                let price = |nth| Price::new(more(1) > 0, more(nth + 1) > 0, (1..=nth).map(&more).sum());
                let nth = if ways == 1 { 0 } else { run.branch(ways, |nth| ((), price(nth))).1 };
                path.push(nth);
            }
            path
        }

        fn cost(&self, path: &[usize]) -> u32 {
            let price = |at: usize| (1..=path[at]).map(self.fork(&path[..at]).1).sum::<u32>();
            (0..path.len()).map(price).sum()
        }

        /// All paths, by exhaustive enumeration.
        fn paths(&self) -> HashSet<Vec<usize>> {
            let mut paths = vec![Vec::new()];
            for _ in 0..self.depth {
                let longer = |path: Vec<usize>| {
                    let ways = self.fork(&path).0;
                    (0..ways).map(move |nth| [&path[..], &[nth]].concat())
                };
                paths = paths.into_iter().flat_map(longer).collect();
            }
            paths.into_iter().collect()
        }
    }

    #[test]
    fn each_path_comes_exactly_once_in_the_order_of_costs() {
        for_inputs(1_000, |u| {
            let tree = Tree { seed: u.arbitrary()?, depth: u.int_in_range(0..=6)? };
            let limit = u.arbitrary::<Option<u8>>()?.map(|limit| u32::from(limit % 6));
            let mut left = tree.paths();
            let mut enumeration = Enumeration::new(limit);
            let mut deviations = Branches::new();
            loop {
                while enumeration.next_execution(&mut deviations) {
                    let mut run = Run::new(deviations.clone());
                    let path = tree.run(&mut run);
                    assert!(run.fits());
                    assert_eq!(tree.cost(&path), enumeration.cost(), "{path:?}");
                    assert_eq!(run.cost(), enumeration.cost(), "{path:?}");
                    assert!(left.remove(&path), "{path:?} comes twice");
                    enumeration.record(&deviations, run.outcome());
                }
                let more = left.iter().any(|path| tree.cost(path) > enumeration.cost());
                assert_eq!(enumeration.goes_on(), more);
                assert!(left.iter().all(|path| tree.cost(path) > enumeration.cost()));
                if !more || limit.is_some_and(|limit| enumeration.cost() == limit) {
                    return Ok(());
                }
                enumeration.deepen();
            }
        });
    }
}
