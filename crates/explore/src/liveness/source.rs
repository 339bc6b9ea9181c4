//! Graphs that are searched: one that was explored before, and one that is explored on the way.

use std::collections::HashMap;

use super::fair::Source;
use super::graph::Graph;
use crate::expand::Node;
use crate::policy::Policy;
use crate::search::{SAMPLES, Search, Stop, Watch};
use crate::{Limit, Program};

/// Limits are looked at every so many nodes.
const POLL_EVERY: u32 = 1 << 16;

/// A graph that was explored.
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

/// Likewise, where steps are taken: they take longer.
const CHECK_EVERY: u32 = 1 << 10;

type Waiting<S, O> = Box<Node<S, O>>;

/// A graph that is explored where somebody comes by.
pub(crate) struct OnTheWay<'s, 'a, P: Program, O: Policy, W> {
    search: &'s mut Search<'a, P, O, W, Graph>,
    /// Nodes that were reached, and nobody came by. A table that grows is there twice for a while: so it has no nodes in it.
    waiting: HashMap<u32, Waiting<P::State, O>>,
    initial: u32,
    opened: u32,
}

impl<'s, 'a, P: Program, O: Policy, W: Watch<P::State>> OnTheWay<'s, 'a, P, O, W> {
    pub(crate) fn new(search: &'s mut Search<'a, P, O, W, Graph>) -> Result<Self, Stop> {
        search.begin()?;
        let initial = search.core.trails.initial();
        let mut new = Self { search, waiting: HashMap::new(), initial, opened: 0 };
        new.take_new();
        Ok(new)
    }

    pub(crate) fn initial(&self) -> Vec<u32> {
        (0..self.initial).collect()
    }

    fn take_new(&mut self) {
        for node in self.search.core.next.blocks.drain(..).flatten() {
            if let Some(trail) = node.trail {
                self.waiting.insert(trail.place(), Box::new(node));
            }
        }
    }

    /// The bytes of the table, while it grows.
    fn table_bytes(&self) -> usize {
        // Seven of eight places are used before it grows to twice its size; each has a byte besides.
        let places = self.waiting.capacity() / 7 * 8;
        places * 3 / 2 * (size_of::<(u32, Waiting<P::State, O>)>() + 1)
    }

    /// Opens whatever nobody came by.
    pub(crate) fn open_all(&mut self) -> Result<(), Stop> {
        while let Some(node) = self.waiting.keys().next().copied() {
            self.open(node, 0)?;
        }
        Ok(())
    }
}

impl<P: Program, O: Policy, W: Watch<P::State>> Source for OnTheWay<'_, '_, P, O, W> {
    fn graph(&self) -> &Graph {
        &self.search.core.ledger
    }

    fn open(&mut self, node: u32, held: usize) -> Result<(), Stop> {
        let Some(node) = self.waiting.remove(&node) else { return Ok(()) };
        self.search.open(*node)?;
        self.take_new();
        self.opened += 1;
        if self.opened.is_multiple_of(CHECK_EVERY) {
            if self.graph().is_full() {
                return Err(Stop::Limit(Limit::Memory));
            }
            self.search.core.ledger.others = held + self.table_bytes();
            let samples = self.waiting.values().map(|node| &**node).take(SAMPLES);
            self.search.check_limits(|| self.waiting.len(), samples)?;
        }
        Ok(())
    }
}
