//! The graph of a small state space: states as nodes, steps as edges, each state with the least cost at which a search
//! reaches it.
//!
//! As in a cached search, a state is expanded once, at its least cost, in the order that the policy proposes there.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;

use dally_schedule::TaskId;

use crate::choices::Path;
use crate::liveness::components::{self, Components};
use crate::policy::Policy;
use crate::walk::{Arrival, Offer, Station, Walk};
use crate::{Failure, Fingerprint, Program};

/// A state of a graph.
#[derive(Clone, Debug)]
pub struct GraphNode<S> {
    /// The state.
    pub state: S,
    /// The least cost at which it is reached.
    pub cost: u32,
    /// True if executions begin in it.
    pub is_initial: bool,
    /// True if no task is enabled in it.
    pub is_final: bool,
    /// The failure of the program in this state: a deadlock, or the failure of the step that leads to it.
    pub failure: Option<Failure>,
    /// True if an execution can return to it.
    pub in_cycle: bool,
}

/// A step of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The index of the state before it.
    pub from: usize,
    /// The index of the state after it.
    pub to: usize,
    /// The task that runs.
    pub task: TaskId,
    /// The option taken at each nondeterministic choice.
    pub path: Path,
    /// The cost of the deviations before the step.
    pub cost: u32,
    /// True if an execution can take the step again and again.
    pub in_cycle: bool,
}

/// The states and steps of a program.
#[derive(Clone, Debug)]
pub struct StateGraph<S> {
    /// The states, in the order in which they were reached.
    pub nodes: Vec<GraphNode<S>>,
    /// The steps.
    pub edges: Vec<GraphEdge>,
    /// False if the graph has more states than the limit allows, so that some are missing.
    pub is_complete: bool,
}

/// The graph of the states that a policy reaches, up to a number of states.
pub fn state_graph<P: Program, O: Policy>(program: &P, policy: &O, limit: usize) -> StateGraph<P::State> {
    let walk = Walk::new(program, policy);
    let mut builder = Builder::<P, O> {
        program,
        graph: StateGraph { nodes: Vec::new(), edges: Vec::new(), is_complete: true },
        known: HashMap::new(),
        todo: BTreeMap::new(),
        limit,
    };
    for arrival in walk.initial() {
        if let Some(node) = builder.arrive(arrival, 0) {
            builder.graph.nodes[node].is_initial = true;
        }
    }
    while let Some((cost, (node, station))) = builder.next() {
        if builder.graph.nodes[node].cost < cost {
            continue;
        }
        for offer in walk.offers(&station) {
            for arrival in walk.step(&station, &offer) {
                builder.add(node, cost, &offer, arrival);
            }
        }
    }
    mark_cycles(&mut builder.graph);
    builder.graph
}

/// A state that waits to be expanded.
type Waiting<P, O> = (usize, Station<<P as Program>::State, <O as Policy>::SchedulerState>);

struct Builder<'p, P: Program, O: Policy> {
    program: &'p P,
    graph: StateGraph<P::State>,
    known: HashMap<(Fingerprint, bool), usize>,
    /// By cost.
    todo: BTreeMap<u32, VecDeque<Waiting<P, O>>>,
    limit: usize,
}

impl<P: Program, O: Policy> Builder<'_, P, O> {
    /// The next state to be expanded: one of least cost.
    fn next(&mut self) -> Option<(u32, Waiting<P, O>)> {
        let mut first = self.todo.first_entry()?;
        let cost = *first.key();
        let waiting = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        waiting.map(|waiting| (cost, waiting))
    }

    fn add(
        &mut self,
        from: usize,
        cost: u32,
        offer: &Offer<O::SchedulerState>,
        arrival: Arrival<P::State, O::SchedulerState>,
    ) {
        let path = arrival.path.clone();
        if let Some(to) = self.arrive(arrival, cost + offer.cost) {
            let (task, cost) = (offer.task, offer.cost);
            self.graph.edges.push(GraphEdge { from, to, task, path, cost, in_cycle: false });
        }
    }

    /// The node of a state; `None` if there is no room for it.
    fn arrive(&mut self, arrival: Arrival<P::State, O::SchedulerState>, cost: u32) -> Option<usize> {
        let Arrival { station, failure, .. } = arrival;
        let key = (self.program.fingerprint(&station.state), failure.is_some());
        if let Some(known) = self.known.get(&key) {
            let node = &mut self.graph.nodes[*known];
            // It waits with its higher cost, too, and is skipped then.
            if cost < node.cost {
                node.cost = cost;
                self.todo.entry(cost).or_default().push_back((*known, station));
            }
            return Some(*known);
        }
        if self.graph.nodes.len() >= self.limit {
            self.graph.is_complete = false;
            return None;
        }
        let node = self.graph.nodes.len();
        self.known.insert(key, node);
        self.graph.nodes.push(GraphNode {
            state: station.state.clone(),
            cost,
            is_initial: false,
            is_final: station.enabled.is_empty(),
            failure,
            in_cycle: false,
        });
        if !self.program.is_excluded(&station.state) {
            self.todo.entry(cost).or_default().push_back((node, station));
        }
        Some(node)
    }
}

/// The edges of a graph, for its components.
struct Targets(Vec<Vec<u32>>);

impl components::Walk for Targets {
    type Cursor = (u32, usize);
    type Stop = Infallible;

    fn open(&mut self, node: u32, _: usize) -> Result<Self::Cursor, Infallible> {
        Ok((node, 0))
    }

    fn next(&mut self, (node, nth): &mut Self::Cursor) -> Option<u32> {
        *nth += 1;
        self.0[*node as usize].get(*nth - 1).copied()
    }

    fn has(&self, _: u32) -> bool {
        true
    }
}

/// Marks the states and steps that executions can repeat.
fn mark_cycles<S>(graph: &mut StateGraph<S>) {
    let mut targets = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        targets[edge.from].push(edge.to as u32);
    }
    let mut component = vec![0; graph.nodes.len()];
    let (mut components, mut targets, mut number) = (Components::default(), Targets(targets), 0);
    for node in 0..graph.nodes.len() as u32 {
        let found: Result<Option<()>, Infallible> = components.find(node, &mut targets, |_, members| {
            number += 1;
            members.nodes.iter().for_each(|member| component[*member as usize] = number);
            Ok(None)
        });
        let Ok(_) = found;
    }
    for edge in &mut graph.edges {
        edge.in_cycle = component[edge.from] == component[edge.to];
        graph.nodes[edge.from].in_cycle |= edge.in_cycle;
    }
}
