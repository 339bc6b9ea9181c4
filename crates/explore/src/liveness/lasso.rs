//! Builds a short lasso from a component.
//!
//! A walk starts at a node and repeatedly follows the shortest path to an edge that its cycle still
//! lacks: a hot edge; a step of a starved task, or an edge to a node where the task is disabled;
//! an option of a fair choice. When nothing is lacking, it returns to its start on a
//! shortest path. Walks from several nodes are tried, and the shortest is kept.

use std::collections::{HashMap, HashSet, VecDeque};

use dally_schedule::{Ready, TaskId};

use super::edges::Edge;
use super::fair::Component;
use super::graph::Graph;
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::replay::{StepAt, replay};
use crate::resolve::Segment;
use crate::tree::Spent;
use crate::{Program, Schedule};

/// Approximately how many edges are visited to make the cycle short.
const EFFORT: usize = 4_000_000;

/// The requirements that a cycle does not meet yet.
#[derive(Default)]
struct Needs {
    hot: bool,
    /// A step of each task, or a node where it is disabled.
    tasks: Vec<TaskId>,
    /// Options of fair choices: the choice and the option.
    options: HashSet<(u64, u32)>,
}

impl Needs {
    fn is_empty(&self) -> bool {
        !self.hot && self.tasks.is_empty() && self.options.is_empty()
    }
}

/// The requirements for a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Demands<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) property: u64,
    pub(crate) fair: bool,
}

/// A cycle: a node, and steps from it back to it.
pub(crate) struct Cycle {
    pub(crate) node: u32,
    pub(crate) segments: Vec<Segment>,
}

/// The shortest cycle that is found. The edges of the component, all together, must form a
/// violating cycle.
pub(crate) fn shortest(component: &Component, demands: Demands<'_>) -> Option<Cycle> {
    let mut best: Option<(u32, Vec<Edge>)> = None;
    let mut effort = 0;
    for start in 0..component.nodes.len() as u32 {
        let most = best.as_ref().map_or(usize::MAX, |(_, walk)| walk.len());
        if most == 1 || effort >= EFFORT && best.is_some() {
            break;
        }
        let mut walker = Walker { component, demands, start, visited: 0 };
        if let Some(walk) = walker.walk(most) {
            best = Some((start, walk));
        }
        effort += walker.visited;
    }
    let (start, walk) = best?;
    // A suspended step must not be split: begin the cycle where a step begins.
    let label = |edge: &Edge| demands.graph.label(edge.label);
    let begin = walk.iter().position(|edge| label(edge).branch.option().is_none())?;
    let before = begin.checked_sub(1).map_or(start, |nth| walk[nth].to);
    let segment = |edge: &Edge| {
        let label = label(edge);
        Segment { task: label.task, branch: label.branch, spent: Spent::default(), fused: 0 }
    };
    let segments = walk[begin..].iter().chain(&walk[..begin]).map(segment).collect();
    Some(Cycle { node: component.nodes[before as usize], segments })
}

struct Walker<'c> {
    component: &'c Component,
    demands: Demands<'c>,
    start: u32,
    /// The number of edges visited, some of them several times.
    visited: usize,
}

impl Walker<'_> {
    /// A cycle with fewer than `limit` edges.
    fn walk(&mut self, limit: usize) -> Option<Vec<Edge>> {
        let mut walk: Vec<Edge> = Vec::new();
        loop {
            let here = walk.last().map_or(self.start, |edge| edge.to);
            let mut closed = walk.clone();
            if here != self.start {
                let start = self.start;
                closed.extend(self.nearest(here, |_, edge| edge.to == start)?);
            }
            if closed.len() >= limit {
                return None;
            }
            let needs = self.needs(&closed);
            if needs.is_empty() {
                return Some(closed);
            }
            walk.extend(self.nearest(here, |walker, edge| walker.meets(edge, &needs))?);
        }
    }

    /// The shortest path from a position that ends with a wanted edge.
    fn nearest(&mut self, from: u32, wanted: impl Fn(&Self, Edge) -> bool) -> Option<Vec<Edge>> {
        let component = self.component;
        let mut before: Vec<Option<(u32, Edge)>> = vec![None; component.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(position) = queue.pop_front() {
            for edge in component.out(position) {
                self.visited += 1;
                if wanted(self, *edge) {
                    let mut path = vec![*edge];
                    let mut at = position;
                    while at != from {
                        let (earlier, edge) = before[at as usize]?;
                        path.push(edge);
                        at = earlier;
                    }
                    path.reverse();
                    return Some(path);
                }
                if edge.to != from && before[edge.to as usize].is_none() {
                    before[edge.to as usize] = Some((position, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    fn enabled(&self, position: u32) -> &[TaskId] {
        let graph = self.demands.graph;
        graph.set(graph.set_of(self.component.nodes[position as usize]))
    }

    /// Returns true if the edge is a step of the task, or leads to a node where the task is disabled.
    fn is_fair_to(&self, task: TaskId, edge: Edge) -> bool {
        self.demands.graph.label(edge.label).task == task || !self.enabled(edge.to).contains(&task)
    }

    /// Returns true if the edge meets one of the needs.
    fn meets(&self, edge: Edge, needs: &Needs) -> bool {
        let Demands { graph, property, .. } = self.demands;
        needs.hot && graph.is_hot(edge, property)
            || needs.tasks.iter().any(|task| self.is_fair_to(*task, edge))
            || !needs.options.is_empty()
                && graph.label(edge.label).fair.iter().any(|m| needs.options.contains(&(m.choice, m.option)))
    }

    /// The needs that a cycle does not meet.
    fn needs(&mut self, walk: &[Edge]) -> Needs {
        self.visited += walk.len();
        let Demands { graph, property, fair } = self.demands;
        let mut needs =
            Needs { hot: !walk.iter().any(|edge| graph.is_hot(*edge, property)), ..Needs::default() };
        if !fair {
            return needs;
        }
        let is_starved = |task: &TaskId| !walk.iter().any(|edge| self.is_fair_to(*task, *edge));
        needs.tasks = self.enabled(self.start).iter().copied().filter(is_starved).collect();
        let made = || walk.iter().flat_map(|edge| &graph.label(edge.label).fair);
        let mut most: HashMap<u64, u32> = HashMap::new();
        for made in made() {
            let options = most.entry(made.choice).or_default();
            *options = made.options.max(*options);
        }
        let available = |(choice, options): (u64, u32)| (0..options).map(move |option| (choice, option));
        needs.options = most.into_iter().flat_map(available).collect();
        for made in made() {
            needs.options.remove(&(made.choice, made.option));
        }
        needs
    }
}

/// Computes the costs of a schedule's steps under a policy, from step `from` on; `None` if the
/// policy does not propose them.
pub(crate) fn price<P: Program, O: Policy>(
    program: &P,
    policy: &O,
    mut schedule: Schedule,
    from: usize,
) -> Option<Schedule> {
    let mut place = policy.start();
    let mut enabled = Vec::new();
    let mut costs = Vec::new();
    let replayed = replay(program, &schedule, |moment| {
        if let Some(StepAt { index, step }) = moment.step {
            enabled.clear();
            program.enabled(moment.before, &mut enabled);
            let hash = program.fingerprint(moment.before).low();
            let point = Point { ready: Ready::at(&enabled, hash), exact: true };
            let known = (index < from).then_some(step.cost);
            costs.push(cost_of(policy, &mut place, &point, step.task, known));
        }
        let task = moment.step.map(|at| at.step.task);
        let sight = moment.sight(program);
        let (events, turn) = (moment.events, moment.turn);
        place = policy.after(&place, &Happened { task, events, turn, sight: Some(&sight) });
    });
    replayed.ok()?;
    for (step, cost) in schedule.steps.iter_mut().zip(costs) {
        step.cost = cost?;
    }
    Some(schedule)
}

/// The least cost at which the policy proposes the task, or the `known` cost if it does so at that.
fn cost_of<O: Policy>(
    policy: &O,
    place: &mut O::SchedulerState,
    point: &Point<'_>,
    task: TaskId,
    known: Option<u32>,
) -> Option<u32> {
    let (mut cursor, mut spent) = (O::Cursor::default(), 0);
    loop {
        let proposal = policy.propose(place, &mut cursor, point);
        if proposal == Proposal::Run(task) && known.is_none_or(|cost| cost == spent) {
            return Some(spent);
        }
        spent += policy.advance(place, &mut cursor, point)?;
    }
}
