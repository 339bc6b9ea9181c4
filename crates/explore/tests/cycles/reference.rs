//! A simple reference algorithm for liveness, independent of the library's.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dally_explore::policy::{Happened, Point, Policy, Proposal};
use dally_explore::{Event, Post, Program, Schedule, TaskId, Turn};
use dally_schedule::Ready;

use super::{Choice, Model, Modelled, Move};

/// An edge of the graph.
#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    task: u32,
    hot: u64,
    cold: u64,
    fair: Vec<Choice>,
}

/// The graph explored within a bound.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The enabled tasks of each node.
    enabled: Vec<Vec<u32>>,
    edges: Vec<Edge>,
    properties: u32,
}

/// A state to be expanded.
struct Node<S, O: Policy> {
    id: usize,
    state: S,
    place: O::SchedulerState,
    cursor: O::Cursor,
    cost: u32,
}

/// The graph of each bound: states, and the steps taken from their first visit within the bound.
pub fn graphs<M: Model, O: Policy>(model: &M, policy: &O, bounds: u32) -> Vec<Graph> {
    let program = Modelled(model);
    let mut ids: BTreeMap<M::State, usize> = BTreeMap::new();
    let mut graph = Graph { properties: model.properties(), ..Graph::default() };
    let events: Vec<Event> = (0..model.tasks()).map(|t| Event::Posted(TaskId(t), Post::default())).collect();
    let place = policy
        .after(&policy.start(), &Happened { task: None, events: &events, turn: Turn::Yields, sight: None });
    let start = model.start();
    ids.insert(start.clone(), 0);
    graph.enabled.push(enabled(model, &start));
    let mut rest = vec![Node { id: 0, state: start, place, cursor: O::Cursor::default(), cost: 0 }];
    let mut all = Vec::new();
    for bound in 0..=bounds {
        let mut queue: VecDeque<Node<M::State, O>> = rest.drain(..).collect();
        while let Some(mut node) = queue.pop_front() {
            let ready: Vec<TaskId> = graph.enabled[node.id].iter().map(|t| TaskId(*t)).collect();
            if ready.is_empty() {
                continue;
            }
            let hash = program.fingerprint(&node.state).low();
            let point = Point { ready: Ready::at(&ready, hash), exact: false };
            loop {
                if node.cost > bound {
                    rest.push(node);
                    break;
                }
                if let Proposal::Run(task) = policy.propose(&mut node.place, &mut node.cursor, &point) {
                    for Move { to, hot, cold, fair } in
                        model.moves(&node.state, task.0).expect("the task is enabled")
                    {
                        let new = ids.len();
                        let id = *ids.entry(to.clone()).or_insert(new);
                        let events: Vec<Event> =
                            fair.iter().map(|(c, o, of)| Event::Chose(*c, *o, *of)).collect();
                        graph.edges.push(Edge { from: node.id, to: id, task: task.0, hot, cold, fair });
                        if id == new {
                            graph.enabled.push(enabled(model, &to));
                            let blocks = model.moves(&to, task.0).is_none();
                            let turn = if blocks { Turn::Blocks(None) } else { Turn::Yields };
                            let happened = Happened { task: Some(task), events: &events, turn, sight: None };
                            let place = policy.after(&node.place, &happened);
                            let (cursor, cost) = (O::Cursor::default(), node.cost);
                            queue.push_back(Node { id, state: to, place, cursor, cost });
                        }
                    }
                }
                match policy.advance(&mut node.place, &mut node.cursor, &point) {
                    Some(more) => node.cost += more,
                    None => break,
                }
            }
        }
        all.push(graph.clone());
    }
    all
}

fn enabled<M: Model>(model: &M, state: &M::State) -> Vec<u32> {
    (0..model.tasks()).filter(|task| model.moves(state, *task).is_some()).collect()
}

impl Graph {
    pub fn nodes(&self) -> usize {
        self.enabled.len()
    }

    /// The edges that are not cold for the property.
    fn not_cold(&self, property: u32) -> Vec<&Edge> {
        self.edges.iter().filter(|edge| edge.cold >> property & 1 == 0).collect()
    }

    /// Returns true if some property is violated on a cycle.
    pub fn has_cycle(&self, fair: bool) -> bool {
        (0..self.properties)
            .any(|property| self.component_with_cycle(&self.not_cold(property), property, fair))
    }

    fn component_with_cycle(&self, edges: &[&Edge], property: u32, fair: bool) -> bool {
        for nodes in components(self.nodes(), edges) {
            let inside = |edge: &&Edge| nodes.contains(&edge.from) && nodes.contains(&edge.to);
            let own: Vec<&Edge> = edges.iter().copied().filter(inside).collect();
            if own.is_empty() || !own.iter().any(|edge| edge.hot >> property & 1 == 1) {
                continue;
            }
            if !fair {
                return true;
            }
            if !self.weakly_fair(&own) {
                continue;
            }
            let bad = neglected(&own);
            if bad.is_empty() {
                return true;
            }
            let cannot_take = |edge: &&Edge| {
                bad.iter().all(|(bad, option)| edge.fair.iter().all(|(c, _, of)| c != bad || of <= option))
            };
            let left: Vec<&Edge> = own.into_iter().filter(cannot_take).collect();
            if self.component_with_cycle(&left, property, fair) {
                return true;
            }
        }
        false
    }

    /// Returns true if every task takes a step or is disabled at some node.
    fn weakly_fair(&self, edges: &[&Edge]) -> bool {
        let steps = |task: &u32| edges.iter().any(|edge| edge.task == *task);
        let always = |task: &u32| edges.iter().all(|edge| self.enabled[edge.from].contains(task));
        self.enabled[edges[0].from].iter().all(|task| steps(task) || !always(task))
    }

    /// The result of [`Self::has_cycle`], computed from all strongly connected sets of edges;
    /// `None` if there are too many.
    pub fn has_cycle_by_enumeration(&self, fair: bool) -> Option<bool> {
        const FEW: usize = 9;
        let mut found = false;
        for property in 0..self.properties {
            let edges = self.not_cold(property);
            if edges.len() > FEW {
                return None;
            }
            found |= (1_u32..1 << edges.len()).any(|set| {
                let own: Vec<&Edge> =
                    (0..edges.len()).filter(|i| set >> i & 1 == 1).map(|i| edges[i]).collect();
                own.iter().any(|edge| edge.hot >> property & 1 == 1)
                    && connected(&own)
                    && (!fair || self.weakly_fair(&own) && neglected(&own).is_empty())
            });
        }
        Some(found)
    }
}

/// The options of fair choices that could be taken and are not: the choice and the option.
fn neglected(edges: &[&Edge]) -> BTreeSet<(u64, u32)> {
    neglected_by(edges.iter().flat_map(|edge| &edge.fair))
}

fn neglected_by<'a>(made: impl Iterator<Item = &'a Choice> + Clone) -> BTreeSet<(u64, u32)> {
    let available = made.clone().flat_map(|(choice, _, of)| (0..*of).map(move |option| (*choice, option)));
    let taken: BTreeSet<(u64, u32)> = made.map(|(choice, option, _)| (*choice, *option)).collect();
    available.filter(|option| !taken.contains(option)).collect()
}

/// Returns true if the edges are strongly connected.
fn connected(edges: &[&Edge]) -> bool {
    let nodes: BTreeSet<usize> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    nodes.iter().all(|from| nodes.iter().all(|to| reaches(edges, *from, *to)))
}

/// Returns true if there is a non-empty path.
fn reaches(edges: &[&Edge], from: usize, to: usize) -> bool {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
    while let Some(node) = todo.pop() {
        for edge in edges.iter().filter(|edge| edge.from == node) {
            if edge.to == to {
                return true;
            }
            if seen.insert(edge.to) {
                todo.push(edge.to);
            }
        }
    }
    false
}

/// Strongly connected components, by the recursive version of Tarjan's algorithm.
fn components(nodes: usize, edges: &[&Edge]) -> Vec<BTreeSet<usize>> {
    struct Tarjan {
        out: Vec<Vec<usize>>,
        index: Vec<Option<usize>>,
        low: Vec<usize>,
        stack: Vec<usize>,
        count: usize,
        found: Vec<BTreeSet<usize>>,
    }
    impl Tarjan {
        fn visit(&mut self, node: usize) {
            (self.index[node], self.low[node]) = (Some(self.count), self.count);
            self.count += 1;
            self.stack.push(node);
            for to in self.out[node].clone() {
                match self.index[to] {
                    None => {
                        self.visit(to);
                        self.low[node] = self.low[node].min(self.low[to]);
                    }
                    Some(index) if self.stack.contains(&to) => self.low[node] = self.low[node].min(index),
                    Some(_) => {}
                }
            }
            if self.index[node] == Some(self.low[node]) {
                let first =
                    self.stack.iter().position(|other| *other == node).expect("the root is on the stack");
                self.found.push(self.stack.drain(first..).collect());
            }
        }
    }
    let mut out = vec![Vec::new(); nodes];
    edges.iter().for_each(|edge| out[edge.from].push(edge.to));
    let mut tarjan =
        Tarjan { out, index: vec![None; nodes], low: vec![0; nodes], stack: vec![], count: 0, found: vec![] };
    for node in 0..nodes {
        if tarjan.index[node].is_none() {
            tarjan.visit(node);
        }
    }
    tarjan.found
}

/// Asserts that a schedule is a lasso whose cycle is violating and, if required, fair.
pub fn check_lasso<M: Model>(model: &M, schedule: &Schedule, fair: bool, seed: u64) {
    let from = schedule.cycle.expect("the schedule is a lasso");
    let mut state = model.start();
    let mut begin = None;
    let mut walk: Vec<Move<M::State>> = Vec::new();
    let mut tasks = BTreeSet::new();
    let mut always: BTreeSet<u32> = (0..model.tasks()).collect();
    for (nth, step) in schedule.steps.iter().enumerate() {
        if nth == from {
            begin = Some(state.clone());
        }
        let taken = model
            .moves(&state, step.task.0)
            .expect("the task is enabled")
            .remove(step.choices.first().map_or(0, |nth| *nth as usize));
        if nth >= from {
            let here = enabled(model, &state);
            always.retain(|task| here.contains(task));
            tasks.insert(step.task.0);
            walk.push(taken.clone());
        }
        state = taken.to;
    }
    let context = format!("{schedule}, fair: {fair}, DALLY_SEED={seed}");
    assert_eq!(begin, Some(state), "{context}");
    let violates = |p: u32| {
        walk.iter().any(|taken| taken.hot >> p & 1 == 1) && walk.iter().all(|taken| taken.cold >> p & 1 == 0)
    };
    assert!((0..model.properties()).any(violates), "{context}");
    if fair {
        assert!(always.is_subset(&tasks), "{context}");
        let neglected = neglected_by(walk.iter().flat_map(|taken| &taken.fair));
        assert!(neglected.is_empty(), "{neglected:?}, {context}");
    }
}
