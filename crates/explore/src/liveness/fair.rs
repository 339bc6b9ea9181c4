//! Whether a strongly connected part of the graph has a cycle that counts.
//!
//! For one property, cold steps are left out of the graph; a cycle violates it if one of its steps is hot. A cycle is
//! *fair* if
//! - every task that can move all along it takes a step in it (weak fairness: infinitely often, the task cannot move
//!   or does), and
//! - every fair choice that is made in it is made both ways (infinitely often made, infinitely often each way).
//!
//! The first kind of condition, and the hot step, are a property of all edges and nodes together: if the largest cycle
//! of a component, which goes through all of it, lacks one, so does every other. The second kind can also be met by
//! never making the choice: where a choice is made one way only, all steps that make it are taken away, and what falls
//! apart is looked at again. This is the test of Emerson and Lei for the emptiness of Streett automata; in the end
//! there is a fair cycle if and only if some component is left.

use std::collections::BTreeMap;
use std::convert::Infallible;

use smallvec::SmallVec;

use super::components::{Components, Members, Walk};
use super::edges::{Cursor, Edge};
use super::graph::{Graph, Label};
use crate::TaskId;
use crate::search::Stop;

/// Where edges come from: a graph that was explored, or one that is explored on the way.
pub(crate) trait Source {
    /// The graph as far as it is known.
    fn graph(&self) -> &Graph;
    /// Makes the edges of a node known. Called for each node once or more, by somebody who holds so many bytes.
    fn open(&mut self, node: u32, held: usize) -> Result<(), Stop>;
}

/// Strongly connected nodes, with some of the edges among them. Edges lead to places in `nodes`.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) nodes: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Component {
    /// The edges at a place, which lead to other places.
    pub(crate) fn out(&self, place: u32) -> &[Edge] {
        let end = self.starts.get(place as usize + 1).map_or(self.edges.len(), |end| *end as usize);
        &self.edges[self.starts[place as usize] as usize..end]
    }

    /// A component of these members, with these of the edges among them.
    fn new<E: Iterator<Item = Edge>>(
        members: &Members<'_>,
        places: &mut Vec<u32>,
        edges: impl Fn(u32) -> E,
    ) -> Self {
        let mut nodes = members.nodes.to_vec();
        nodes.sort_unstable();
        let most = nodes.last().map_or(0, |node| *node as usize + 1);
        if places.len() < most {
            places.resize(most, 0);
        }
        (0..).zip(&nodes).for_each(|(place, node)| places[*node as usize] = place);
        let (mut starts, mut kept) = (Vec::with_capacity(nodes.len()), Vec::new());
        for node in &nodes {
            starts.push(kept.len() as u32);
            let inside = edges(*node).filter(|edge| members.has(edge.to));
            kept.extend(inside.map(|edge| Edge { to: places[edge.to as usize], label: edge.label }));
        }
        Self { nodes, starts, edges: kept }
    }
}

/// What nodes and the steps among them are, each kind once: there are few.
struct Kinds<'g> {
    labels: Vec<&'g Label>,
    /// Who can move.
    sets: Vec<&'g [TaskId]>,
}

/// Which kinds were seen: none, before and after somebody looks.
#[derive(Debug, Default)]
struct Seen {
    labels: Vec<bool>,
    sets: Vec<bool>,
}

/// Each of them once. They are below `most`.
fn distinct(all: impl Iterator<Item = u32>, seen: &mut Vec<bool>, most: usize) -> Vec<u32> {
    seen.resize(most, false);
    let once: Vec<u32> = all.filter(|one| !std::mem::replace(&mut seen[*one as usize], true)).collect();
    once.iter().for_each(|one| seen[*one as usize] = false);
    once
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

    /// Whether no cycle of such steps counts, whichever of them it takes.
    fn lack_something(&self, property: u64, fair: bool) -> bool {
        let is_hot = |label: &&Label| label.hot & !label.cold & property != 0;
        !self.labels.iter().any(is_hot) || fair && self.starve()
    }

    /// Whether some task can move at every node and never does.
    fn starve(&self) -> bool {
        let mut sets = self.sets.iter();
        let mut always: SmallVec<[TaskId; 8]> = sets.next().map_or(&[][..], |set| *set).into();
        sets.for_each(|set| always.retain(|task| set.contains(task)));
        always.retain(|task| !self.labels.iter().any(|label| label.task == *task));
        !always.is_empty()
    }

    /// The fair choices that are made one way only.
    fn one_sided(&self) -> Vec<u64> {
        let mut ways: BTreeMap<u64, u8> = BTreeMap::new();
        for (choice, way) in self.labels.iter().flat_map(|label| &label.fair) {
            *ways.entry(*choice).or_default() |= 1 << u8::from(*way);
        }
        ways.into_iter().filter(|(_, ways)| *ways != 3).map(|(choice, _)| choice).collect()
    }
}

/// Walks some edges of a component.
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

/// Walks what a source has for one property, as far as it is of interest.
struct Region<'s, S, F> {
    source: &'s mut S,
    property: u64,
    inside: F,
    /// The bytes that others hold meanwhile.
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
            if !graph.heat(edge, self.property).1 {
                return Some(edge.to);
            }
        }
    }

    fn has(&self, node: u32) -> bool {
        (self.inside)(node)
    }
}

/// Looks for components with a cycle that counts, each component once.
#[derive(Debug, Default)]
pub(crate) struct Examiner {
    property: u64,
    fair: bool,
    components: Components,
    places: Vec<u32>,
    seen: Seen,
}

impl Examiner {
    /// For the property of this bit; unfair cycles count as well unless `fair`.
    pub(crate) fn new(property: u64, fair: bool) -> Self {
        Self { property, fair, ..Self::default() }
    }

    /// Begins anew, with a graph of so many nodes, and keeps the memory.
    pub(crate) fn begin(&mut self, property: u64, fair: bool, nodes: usize) {
        (self.property, self.fair) = (property, fair);
        self.components.clear(nodes);
    }

    /// The property, as a bit.
    pub(crate) fn property(&self) -> u64 {
        self.property
    }

    /// Whether the component of the node was looked at. It had no cycle that counts.
    pub(crate) fn is_done(&self, node: u32) -> bool {
        self.components.has(node)
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.components.bytes() + self.places.capacity() * size_of::<u32>()
    }

    /// Looks at all components that are reached from a node through nodes that are of interest, for somebody who holds so
    /// many bytes meanwhile.
    pub(crate) fn examine<S: Source>(
        &mut self,
        start: u32,
        source: &mut S,
        held: usize,
        inside: impl Fn(u32) -> bool,
    ) -> Result<Option<Component>, Stop> {
        let Self { property, fair, components, places, seen } = self;
        let (property, fair) = (*property, *fair);
        let held = held + places.capacity() * size_of::<u32>();
        let mut region = Region { source, property, inside, held };
        components.find(start, &mut region, |region, members| {
            let graph = region.source.graph();
            let edges = |node| graph.out(node).filter(|edge| !graph.heat(*edge, property).1);
            // Most components are single nodes without a step to themselves, and most others are seen not to count.
            let all = members.nodes.iter().flat_map(|node| edges(*node));
            let mut inside = all.filter(|edge| members.has(edge.to)).peekable();
            if inside.peek().is_none() {
                return Ok(None);
            }
            if Kinds::of(members.nodes, inside, graph, seen).lack_something(property, fair) {
                return Ok(None);
            }
            let component = Component::new(members, places, edges);
            Ok(counting_part(component, graph, seen, property, fair))
        })
    }
}

/// A part of the component all of whose edges together make a cycle that counts, if there is one.
fn counting_part(
    component: Component,
    graph: &Graph,
    seen: &mut Seen,
    property: u64,
    fair: bool,
) -> Option<Component> {
    let mut todo = vec![component];
    let mut places = Vec::new();
    while let Some(part) = todo.pop() {
        let kinds = Kinds::of(&part.nodes, part.edges.iter().copied(), graph, seen);
        if kinds.lack_something(property, fair) {
            continue;
        }
        let banned = if fair { kinds.one_sided() } else { Vec::new() };
        if banned.is_empty() {
            return Some(part);
        }
        let keep =
            |edge: Edge| !graph.label(edge.label).fair.iter().any(|(choice, _)| banned.contains(choice));
        let mut components = Components::default();
        for place in 0..part.nodes.len() as u32 {
            let Ok(_) = components.find(place, &mut Inside { component: &part, keep }, |_, members| {
                let kept = |place| part.out(place).iter().copied().filter(|edge| keep(*edge));
                let mut smaller = Component::new(members, &mut places, kept);
                smaller.nodes.iter_mut().for_each(|node| *node = part.nodes[*node as usize]);
                todo.push(smaller);
                Ok::<Option<()>, Infallible>(None)
            });
        }
    }
    None
}
