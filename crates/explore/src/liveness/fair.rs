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

use super::components::{Components, Walk};
use super::graph::{Cursor, Edge, Graph};
use crate::TaskId;
use crate::search::Stop;

/// Where edges come from: a graph that was explored, or one that is explored on the way.
pub(crate) trait Source {
    /// The graph as far as it is known.
    fn graph(&self) -> &Graph;
    /// Makes the edges of a node known. Called for each node once or more.
    fn open(&mut self, node: u32) -> Result<(), Stop>;
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

    /// A component of these nodes, with those edges that `keep` wants.
    fn new(
        nodes: &[u32],
        places: &mut Vec<u32>,
        edges: impl Fn(u32, &mut dyn FnMut(Edge)),
        keep: impl Fn(Edge) -> bool,
    ) -> Self {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        let most = nodes.last().map_or(0, |node| *node as usize + 1);
        if places.len() < most {
            places.resize(most, 0);
        }
        (0..).zip(&nodes).for_each(|(place, node)| places[*node as usize] = place);
        let (mut starts, mut kept) = (Vec::with_capacity(nodes.len()), Vec::new());
        for node in &nodes {
            starts.push(kept.len() as u32);
            edges(*node, &mut |edge| {
                // Places of other components are out of date, and found out.
                let place = places.get(edge.to as usize).copied().unwrap_or(u32::MAX);
                if nodes.get(place as usize) == Some(&edge.to) && keep(edge) {
                    kept.push(Edge { to: place, label: edge.label });
                }
            });
        }
        Self { nodes, starts, edges: kept }
    }

    /// The tasks that can move at every node and never do.
    fn starved(&self, graph: &Graph) -> bool {
        let mut sets: Vec<u32> = self.nodes.iter().map(|node| graph.set_of(*node)).collect();
        sets.sort_unstable();
        sets.dedup();
        let mut sets = sets.into_iter().map(|set| graph.set(set));
        let mut always: SmallVec<[TaskId; 8]> = sets.next().unwrap_or(&[]).iter().copied().collect();
        sets.for_each(|set| always.retain(|task| set.contains(task)));
        for edge in &self.edges {
            if always.is_empty() {
                break;
            }
            let task = graph.label(*edge).task;
            always.retain(|other| *other != task);
        }
        !always.is_empty()
    }

    /// The fair choices that are made one way only.
    fn one_sided(&self, graph: &Graph) -> Vec<u64> {
        let mut ways: BTreeMap<u64, u8> = BTreeMap::new();
        for edge in &self.edges {
            for (choice, way) in &graph.label(*edge).fair {
                *ways.entry(*choice).or_default() |= 1 << u8::from(*way);
            }
        }
        ways.into_iter().filter(|(_, ways)| *ways != 3).map(|(choice, _)| choice).collect()
    }
}

/// Walks a component.
struct Inside<'c>(&'c Component);

impl Walk for Inside<'_> {
    type Cursor = (u32, usize);
    type Stop = Infallible;

    fn open(&mut self, node: u32) -> Result<(u32, usize), Infallible> {
        Ok((node, 0))
    }

    fn next(&mut self, (node, at): &mut (u32, usize)) -> Option<u32> {
        *at += 1;
        self.0.out(*node).get(*at - 1).map(|edge| edge.to)
    }
}

/// Walks what a source has for one property, as far as it is of interest.
struct Region<'s, S, F> {
    source: &'s mut S,
    property: u64,
    inside: F,
}

impl<S: Source, F: Fn(u32) -> bool> Walk for Region<'_, S, F> {
    type Cursor = Cursor;
    type Stop = Stop;

    fn open(&mut self, node: u32) -> Result<Cursor, Stop> {
        self.source.open(node)?;
        Ok(self.source.graph().edges_of(node))
    }

    fn next(&mut self, cursor: &mut Cursor) -> Option<u32> {
        let graph = self.source.graph();
        loop {
            let edge = graph.next(cursor)?;
            if !graph.heat(edge, self.property).1 && (self.inside)(edge.to) {
                return Some(edge.to);
            }
        }
    }
}

/// Looks for components with a cycle that counts, each component once.
#[derive(Debug)]
pub(crate) struct Examiner {
    property: u64,
    fair: bool,
    components: Components,
    places: Vec<u32>,
}

impl Examiner {
    /// For the property of this bit; unfair cycles count as well unless `fair`.
    pub(crate) fn new(property: u64, fair: bool) -> Self {
        Self { property, fair, components: Components::default(), places: Vec::new() }
    }

    /// The property, as a bit.
    pub(crate) fn property(&self) -> u64 {
        self.property
    }

    /// Whether the component of the node was looked at. It had no cycle that counts.
    pub(crate) fn is_done(&self, node: u32) -> bool {
        self.components.has(node)
    }

    /// Looks at all components that are reached from a node through nodes that are of interest.
    pub(crate) fn examine<S: Source>(
        &mut self,
        start: u32,
        source: &mut S,
        inside: impl Fn(u32) -> bool,
    ) -> Result<Option<Component>, Stop> {
        let Self { property, fair, components, places } = self;
        let (property, fair) = (*property, *fair);
        let mut region = Region { source, property, inside };
        components.find(start, &mut region, |region, nodes| {
            let graph = region.source.graph();
            // Most components are single nodes without a step to themselves.
            if let [node] = nodes
                && !graph.out(*node).any(|edge| edge.to == *node)
            {
                return Ok(None);
            }
            let edges = |node, each: &mut dyn FnMut(Edge)| graph.out(node).for_each(each);
            let component = Component::new(nodes, places, edges, |edge| !graph.heat(edge, property).1);
            Ok(counting_part(component, graph, property, fair))
        })
    }
}

/// A part of the component all of whose edges together make a cycle that counts, if there is one.
fn counting_part(component: Component, graph: &Graph, property: u64, fair: bool) -> Option<Component> {
    let mut todo = vec![component];
    let mut places = Vec::new();
    while let Some(part) = todo.pop() {
        if !part.edges.iter().any(|edge| graph.heat(*edge, property).0) || fair && part.starved(graph) {
            continue;
        }
        let banned = if fair { part.one_sided(graph) } else { Vec::new() };
        if banned.is_empty() {
            return Some(part);
        }
        let keep = |edge: Edge| !graph.label(edge).fair.iter().any(|(choice, _)| banned.contains(choice));
        let all: Vec<u32> = (0..part.nodes.len() as u32).collect();
        let within = |place, each: &mut dyn FnMut(Edge)| part.out(place).iter().copied().for_each(each);
        let thinned = Component::new(&all, &mut places, within, keep);
        let mut components = Components::default();
        for place in 0..thinned.nodes.len() as u32 {
            let Ok(_) = components.find(place, &mut Inside(&thinned), |_, nodes| {
                let within =
                    |place, each: &mut dyn FnMut(Edge)| thinned.out(place).iter().copied().for_each(each);
                let mut smaller = Component::new(nodes, &mut places, within, |_| true);
                smaller.nodes.iter_mut().for_each(|node| *node = part.nodes[*node as usize]);
                todo.push(smaller);
                Ok::<Option<()>, Infallible>(None)
            });
        }
    }
    None
}
