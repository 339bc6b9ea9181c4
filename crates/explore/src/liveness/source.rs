//! Graphs to be searched for cycles: explored before, or explored on the fly.

use std::collections::HashMap;

use super::fair::Source;
use super::graph::Graph;
use crate::expand::Node;
use crate::policy::Policy;
use crate::search::{SAMPLES, Search, Stop, Watch};
use crate::{Limit, Program};

/// Limits are checked once for this many nodes of an explored graph.
const POLL_EVERY: u32 = 1 << 16;

/// A graph that was explored before.
pub(crate) struct Explored<'g, F> {
    graph: &'g Graph,
    poll: &'g F,
    opened: u32,
}

impl<'g, F: Fn(usize) -> Result<(), Stop>> Explored<'g, F> {
    pub(crate) fn new(graph: &'g Graph, poll: &'g F) -> Self {
        Self { graph, poll, opened: 0 }
    }
}

impl<F: Fn(usize) -> Result<(), Stop>> Source for Explored<'_, F> {
    fn graph(&self) -> &Graph {
        self.graph
    }

    fn open(&mut self, _: u32, held: usize) -> Result<(), Stop> {
        self.opened = self.opened.wrapping_add(1);
        if self.opened.is_multiple_of(POLL_EVERY) { (self.poll)(held) } else { Ok(()) }
    }
}

/// Limits are checked once for this many nodes of a graph that is explored on the fly.
const CHECK_EVERY: u32 = 1 << 10;

/// A graph that is explored on the fly: a node is expanded when a search visits it.
pub(crate) struct OnTheFly<'s, 'a, P: Program, O: Policy, W> {
    search: &'s mut Search<'a, P, O, W, Graph>,
    /// Nodes that were reached and not expanded. Boxed, since a growing table exists twice for a
    /// while.
    unexpanded: HashMap<u32, Box<Node<P::State, O>>>,
    initial: u32,
    opened: u32,
}

impl<'s, 'a, P: Program, O: Policy, W: Watch<P::State>> OnTheFly<'s, 'a, P, O, W> {
    pub(crate) fn new(search: &'s mut Search<'a, P, O, W, Graph>) -> Result<Self, Stop> {
        search.begin()?;
        let initial = search.core.tree.initial();
        let mut graph = Self { search, unexpanded: HashMap::new(), initial, opened: 0 };
        graph.take_new();
        Ok(graph)
    }

    pub(crate) fn initial(&self) -> Vec<u32> {
        (0..self.initial).collect()
    }

    /// Moves the nodes of the search's next layer into `unexpanded`.
    fn take_new(&mut self) {
        for node in self.search.core.next.blocks.drain(..).flatten() {
            if let Some(id) = node.id {
                self.unexpanded.insert(id.index(), Box::new(node));
            }
        }
    }

    /// The bytes of the table while it grows.
    fn table_bytes(&self) -> usize {
        // Seven of eight slots are used before the table doubles; each slot has a control byte.
        let slots = self.unexpanded.capacity() / 7 * 8;
        slots * 3 / 2 * (size_of::<(u32, Box<Node<P::State, O>>)>() + 1)
    }

    /// Expands all remaining nodes.
    pub(crate) fn open_all(&mut self) -> Result<(), Stop> {
        while let Some(node) = self.unexpanded.keys().next().copied() {
            self.open(node, 0)?;
        }
        Ok(())
    }
}

impl<P: Program, O: Policy, W: Watch<P::State>> Source for OnTheFly<'_, '_, P, O, W> {
    fn graph(&self) -> &Graph {
        &self.search.core.ledger
    }

    fn open(&mut self, node: u32, held: usize) -> Result<(), Stop> {
        let Some(node) = self.unexpanded.remove(&node) else { return Ok(()) };
        self.search.open(*node)?;
        self.take_new();
        self.opened += 1;
        if self.opened.is_multiple_of(CHECK_EVERY) {
            if self.graph().is_full() {
                return Err(Stop::Limit(Limit::Memory));
            }
            self.search.core.ledger.analysis_bytes = held + self.table_bytes();
            let samples = self.unexpanded.values().map(|node| &**node).take(SAMPLES);
            self.search.check_limits(|| self.unexpanded.len(), samples)?;
        }
        Ok(())
    }
}
