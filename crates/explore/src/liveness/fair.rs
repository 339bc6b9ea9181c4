//! Decides if a strongly connected component contains a violating cycle.
//!
//! For one property, cold edges are removed from the graph; a cycle is *violating* if one of its
//! edges is hot and, where fairness is required, the cycle is *fair*:
//! 1. Every task that is enabled at all of its nodes takes a step in it (weak fairness: infinitely
//!    often, the task is disabled or takes a step).
//! 2. Every option of a fair choice that is available in it is taken in it (strong fairness: an
//!    option that is available infinitely often is taken infinitely often). An option is available
//!    where the choice is made, explored or not: a cycle is unfair if the bound or the cost of an
//!    option kept it out of the graph. The number of options may vary from one time to the next, for
//!    instance if they are the elements of a set.
//!
//! A hot edge and the first condition are Büchi conditions: if the cycle through all edges of a
//! component lacks one of them, so does every other cycle in the component. The second is a Streett
//! condition, which a cycle can also meet where the option is never available. So if an option is not
//! taken in a component, all edges that could have taken it are removed, and the remaining components
//! are examined in the same way. This is the emptiness check for Streett automata of \[EL87\]: a fair
//! cycle exists if and only if some component is left in the end.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use smallvec::SmallVec;

use super::components::{Components, Members, Walk};
use super::edges::{Cursor, Edge};
use super::graph::{FairChoice, Graph, Label};
use crate::TaskId;
use crate::search::Stop;

/// A graph to be searched: explored before, or explored on the fly.
pub(crate) trait Source {
    /// The part of the graph that is explored.
    fn graph(&self) -> &Graph;
    /// Explores the edges of a node, unless they are explored. `held` is the memory of the caller,
    /// in bytes, for limits.
    fn open(&mut self, node: u32, held: usize) -> Result<(), Stop>;
}

/// A strongly connected component, with some of the edges among its nodes. The targets of its edges
/// are positions in `nodes`.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Ascending.
    pub(crate) nodes: Vec<u32>,
    /// For each position, the start of its edges.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Component {
    /// The edges of the node at this position.
    pub(crate) fn out(&self, position: u32) -> &[Edge] {
        let end = self.starts.get(position as usize + 1).map_or(self.edges.len(), |end| *end as usize);
        &self.edges[self.starts[position as usize] as usize..end]
    }

    /// The component of these members, with those of the given edges that stay inside. `positions`
    /// is a buffer.
    fn new<E: Iterator<Item = Edge>>(
        members: &Members<'_>,
        positions: &mut Vec<u32>,
        edges: impl Fn(u32) -> E,
    ) -> Self {
        let mut nodes = members.nodes.to_vec();
        nodes.sort_unstable();
        let most = nodes.last().map_or(0, |node| *node as usize + 1);
        if positions.len() < most {
            positions.resize(most, 0);
        }
        (0..).zip(&nodes).for_each(|(position, node)| positions[*node as usize] = position);
        let (mut starts, mut kept) = (Vec::with_capacity(nodes.len()), Vec::new());
        for node in &nodes {
            starts.push(kept.len() as u32);
            let inside = edges(*node).filter(|edge| members.has(edge.to));
            kept.extend(inside.map(|edge| Edge { to: positions[edge.to as usize], label: edge.label }));
        }
        Self { nodes, starts, edges: kept }
    }
}

/// The distinct labels and sets of enabled tasks of some edges and nodes. There are few.
struct Kinds<'g> {
    labels: Vec<&'g Label>,
    /// Sets of enabled tasks.
    sets: Vec<&'g [TaskId]>,
}

/// Buffers of [`Kinds::of`]. Invariant: all entries are false between calls.
#[derive(Debug, Default)]
struct Seen {
    labels: Vec<bool>,
    sets: Vec<bool>,
}

/// The distinct numbers among `all`, which are below `end`.
fn distinct(all: impl Iterator<Item = u32>, seen: &mut Vec<bool>, end: usize) -> Vec<u32> {
    seen.resize(end, false);
    let distinct: Vec<u32> = all.filter(|n| !std::mem::replace(&mut seen[*n as usize], true)).collect();
    distinct.iter().for_each(|n| seen[*n as usize] = false);
    distinct
}

impl<'g> Kinds<'g> {
    fn of(nodes: &[u32], edges: impl Iterator<Item = Edge>, graph: &'g Graph, seen: &mut Seen) -> Self {
        let labels = distinct(edges.map(|edge| edge.label), &mut seen.labels, graph.labels());
        let sets = distinct(nodes.iter().map(|node| graph.set_of(*node)), &mut seen.sets, graph.sets());
        Self {
            labels: labels.into_iter().map(|label| graph.label(label)).collect(),
            sets: sets.into_iter().map(|set| graph.set(set)).collect(),
        }
    }

    /// Returns true if no cycle of such edges is violating, because no edge is hot or a task
    /// starves.
    fn exclude_violation(&self, property: u64, fair: bool) -> bool {
        let is_hot = |label: &&Label| label.hot & !label.cold & property != 0;
        !self.labels.iter().any(is_hot) || fair && self.starve_a_task()
    }

    /// Returns true if some task is enabled at every node and takes no step.
    fn starve_a_task(&self) -> bool {
        let mut sets = self.sets.iter();
        let mut always: SmallVec<[TaskId; 8]> = sets.next().map_or(&[][..], |set| *set).into();
        sets.for_each(|set| always.retain(|task| set.contains(task)));
        always.retain(|task| !self.labels.iter().any(|label| label.task == *task));
        !always.is_empty()
    }

    /// The options of fair choices that are available and not taken.
    fn neglected(&self) -> Neglected {
        Neglected::of(self.labels.iter().flat_map(|label| label.fair.iter().copied()))
    }
}

/// For each fair choice that neglects an option, the least such option.
#[derive(Debug, Default)]
pub(super) struct Neglected(BTreeMap<u64, u32>);

impl Neglected {
    /// The options that these choices neglect, all together.
    pub(super) fn of(made: impl Iterator<Item = FairChoice>) -> Self {
        let mut choices: BTreeMap<u64, (BTreeSet<u32>, u32)> = BTreeMap::new();
        for FairChoice { choice, option, options } in made {
            let (taken, most) = choices.entry(choice).or_default();
            taken.insert(option);
            *most = options.max(*most);
        }
        let least = choices.into_iter().filter_map(|(choice, (taken, most))| {
            let least = (0..most).find(|option| !taken.contains(option))?;
            Some((choice, least))
        });
        Self(least.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a neglected option is available where this choice is made.
    fn concerns(&self, made: &FairChoice) -> bool {
        self.0.get(&made.choice).is_some_and(|least| made.options > *least)
    }
}

/// Walks those edges of a component that `keep` selects.
struct Inside<'c, F> {
    component: &'c Component,
    keep: F,
}

impl<F: Fn(Edge) -> bool> Walk for Inside<'_, F> {
    type Cursor = (u32, usize);
    type Stop = Infallible;

    fn open(&mut self, node: u32, _: usize) -> Result<(u32, usize), Infallible> {
        Ok((node, 0))
    }

    fn next(&mut self, (node, at): &mut (u32, usize)) -> Option<u32> {
        let edge = self.component.out(*node)[*at..].iter().find(|edge| {
            *at += 1;
            (self.keep)(**edge)
        });
        edge.map(|edge| edge.to)
    }

    fn has(&self, _: u32) -> bool {
        true
    }
}

/// Walks the edges of a source that are not cold, among the nodes that `inside` selects.
struct Region<'s, S, F> {
    source: &'s mut S,
    property: u64,
    inside: F,
    /// The bytes that the caller holds.
    held: usize,
}

impl<S: Source, F: Fn(u32) -> bool> Walk for Region<'_, S, F> {
    type Cursor = Cursor;
    type Stop = Stop;

    fn open(&mut self, node: u32, held: usize) -> Result<Cursor, Stop> {
        self.source.open(node, self.held + held)?;
        Ok(self.source.graph().edges_of(node))
    }

    fn next(&mut self, cursor: &mut Cursor) -> Option<u32> {
        let graph = self.source.graph();
        loop {
            let edge = graph.next(cursor)?;
            if !graph.is_cold(edge, self.property) {
                return Some(edge.to);
            }
        }
    }

    fn has(&self, node: u32) -> bool {
        (self.inside)(node)
    }
}

/// Looks for components with a violating cycle. Examines each component once.
#[derive(Debug, Default)]
pub(crate) struct Examiner {
    property: u64,
    fair: bool,
    components: Components,
    /// A buffer of [`Component::new`].
    positions: Vec<u32>,
    seen: Seen,
}

impl Examiner {
    /// Examines cycles that violate the property of this bit: all, or only fair ones.
    pub(crate) fn new(property: u64, fair: bool) -> Self {
        Self { property, fair, ..Self::default() }
    }

    /// Starts over with a graph of this many nodes, and keeps the allocations.
    pub(crate) fn begin(&mut self, property: u64, fair: bool, nodes: usize) {
        (self.property, self.fair) = (property, fair);
        self.components.clear(nodes);
    }

    /// The property, as a bit.
    pub(crate) fn property(&self) -> u64 {
        self.property
    }

    /// Returns true if the component of the node was examined, and has no violating cycle.
    pub(crate) fn is_done(&self, node: u32) -> bool {
        self.components.has(node)
    }

    /// The bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.components.bytes() + self.positions.capacity() * size_of::<u32>()
    }

    /// Examines all components that are reachable from `start` through nodes that `inside` selects,
    /// until one has a violating cycle. `held` is the memory of the caller, in bytes.
    pub(crate) fn examine<S: Source>(
        &mut self,
        start: u32,
        source: &mut S,
        held: usize,
        inside: impl Fn(u32) -> bool,
    ) -> Result<Option<Component>, Stop> {
        let Self { property, fair, components, positions, seen } = self;
        let (property, fair) = (*property, *fair);
        let held = held + positions.capacity() * size_of::<u32>();
        let mut region = Region { source, property, inside, held };
        components.find(start, &mut region, |region, members| {
            let graph = region.source.graph();
            let edges = |node| graph.out(node).filter(|edge| !graph.is_cold(*edge, property));
            // Most components are single nodes without a self-loop, and most others are excluded by
            // their kinds: check both before building the component.
            let all = members.nodes.iter().flat_map(|node| edges(*node));
            let mut inside = all.filter(|edge| members.has(edge.to)).peekable();
            if inside.peek().is_none() {
                return Ok(None);
            }
            if Kinds::of(members.nodes, inside, graph, seen).exclude_violation(property, fair) {
                return Ok(None);
            }
            let component = Component::new(members, positions, edges);
            Ok(violating_part(component, graph, seen, property, fair))
        })
    }
}

/// A part of the component whose edges, all together, form a violating cycle, if there is one.
fn violating_part(
    component: Component,
    graph: &Graph,
    seen: &mut Seen,
    property: u64,
    fair: bool,
) -> Option<Component> {
    let mut todo = vec![component];
    let mut positions = Vec::new();
    while let Some(part) = todo.pop() {
        let kinds = Kinds::of(&part.nodes, part.edges.iter().copied(), graph, seen);
        if kinds.exclude_violation(property, fair) {
            continue;
        }
        let neglected = if fair { kinds.neglected() } else { Neglected::default() };
        if neglected.is_empty() {
            return Some(part);
        }
        let keep = |edge: Edge| !graph.label(edge.label).fair.iter().any(|made| neglected.concerns(made));
        let mut components = Components::default();
        for position in 0..part.nodes.len() as u32 {
            let Ok(_) = components.find(position, &mut Inside { component: &part, keep }, |_, members| {
                let kept = |position| part.out(position).iter().copied().filter(|edge| keep(*edge));
                let mut smaller = Component::new(members, &mut positions, kept);
                smaller.nodes.iter_mut().for_each(|node| *node = part.nodes[*node as usize]);
                todo.push(smaller);
                Ok::<Option<()>, Infallible>(None)
            });
        }
    }
    None
}
