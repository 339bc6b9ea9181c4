//! Builds a short lasso from a component.
//!
//! A walk starts at a node and repeatedly follows the shortest path to an edge that its cycle still
//! lacks: a hot edge; a step of a starved task, or an edge to a node where the task is disabled;
//! the other outcome of a fair choice. When nothing is lacking, it returns to its start on a
//! shortest path. Walks from several nodes are tried, and the shortest is kept.

use std::collections::VecDeque;

use dally_schedule::{Ready, TaskId};

use super::edges::Edge;
use super::fair::Component;
use super::graph::{FairChoice, Graph};
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::replay::replay;
use crate::resolve::Segment;
use crate::tree::Spent;
use crate::{Program, Schedule};

/// Approximately how many edges are visited to make the cycle short.
const EFFORT: usize = 4_000_000;

/// Something that a cycle must contain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Hot,
    /// A step of the task, or a node where it is disabled.
    Task(TaskId),
    Choice(FairChoice),
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
    let nodes = component.nodes.len();
    let edges: usize = (0..nodes as u32).map(|position| component.out(position).len()).sum();
    let tries = (EFFORT / edges.max(1)).clamp(1, nodes);
    let mut best: Option<(u32, Vec<Edge>)> = None;
    for start in 0..tries as u32 {
        let most = best.as_ref().map_or(usize::MAX, |(_, walk)| walk.len());
        if most == 1 {
            break;
        }
        if let Some(walk) = (Walker { component, demands, start }).walk(most) {
            best = Some((start, walk));
        }
    }
    let (start, walk) = best?;
    // A suspended step must not be split: begin the cycle where a step begins.
    let label = |edge: &Edge| demands.graph.label(edge.label);
    let begin = walk.iter().position(|edge| label(edge).branch.option().is_none())?;
    let before = begin.checked_sub(1).map_or(start, |nth| walk[nth].to);
    let segment = |edge: &Edge| {
        let label = label(edge);
        Segment { task: label.task, branch: label.branch, spent: Spent::default() }
    };
    let segments = walk[begin..].iter().chain(&walk[..begin]).map(segment).collect();
    Some(Cycle { node: component.nodes[before as usize], segments })
}

struct Walker<'c> {
    component: &'c Component,
    demands: Demands<'c>,
    start: u32,
}

impl Walker<'_> {
    /// A cycle with fewer than `limit` edges.
    fn walk(&self, limit: usize) -> Option<Vec<Edge>> {
        let mut walk: Vec<Edge> = Vec::new();
        loop {
            let here = walk.last().map_or(self.start, |edge| edge.to);
            let mut closed = walk.clone();
            if here != self.start {
                closed.extend(self.nearest(here, |edge| edge.to == self.start)?);
            }
            if closed.len() >= limit {
                return None;
            }
            let needs = self.needs(&closed);
            if needs.is_empty() {
                return Some(closed);
            }
            walk.extend(self.nearest(here, |edge| needs.iter().any(|need| self.meets(edge, *need)))?);
        }
    }

    /// The shortest path from a position that ends with a wanted edge.
    fn nearest(&self, from: u32, wanted: impl Fn(Edge) -> bool) -> Option<Vec<Edge>> {
        let mut before: Vec<Option<(u32, Edge)>> = vec![None; self.component.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(position) = queue.pop_front() {
            for edge in self.component.out(position) {
                if wanted(*edge) {
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

    fn meets(&self, edge: Edge, need: Need) -> bool {
        let Demands { graph, property, .. } = self.demands;
        match need {
            Need::Hot => graph.is_hot(edge, property),
            Need::Task(task) => {
                graph.label(edge.label).task == task || !self.enabled(edge.to).contains(&task)
            }
            Need::Choice(choice) => graph.label(edge.label).fair.contains(&choice),
        }
    }

    /// The needs that a cycle does not meet.
    fn needs(&self, walk: &[Edge]) -> Vec<Need> {
        let met = |need: &Need| walk.iter().any(|edge| self.meets(*edge, *need));
        let mut needs = vec![Need::Hot];
        if self.demands.fair {
            needs.extend(self.enabled(self.start).iter().map(|task| Need::Task(*task)));
            let labels = walk.iter().map(|edge| self.demands.graph.label(edge.label));
            for FairChoice { choice, .. } in labels.flat_map(|label| &label.fair) {
                for outcome in [false, true] {
                    let need = Need::Choice(FairChoice { choice: *choice, outcome });
                    if !needs.contains(&need) {
                        needs.push(need);
                    }
                }
            }
        }
        needs.retain(|need| !met(need));
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
        if let Some((nth, step)) = moment.step {
            enabled.clear();
            program.enabled(moment.before, &mut enabled);
            let hash = program.fingerprint(moment.before).low();
            let point = Point { ready: Ready::at(&enabled, hash), exact: true };
            let known = (nth < from).then_some(step.cost);
            costs.push(cost_of(policy, &mut place, &point, step.task, known));
        }
        let task = moment.step.map(|(_, step)| step.task);
        place = policy.after(&place, &Happened { task, events: moment.events, turn: moment.turn });
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
