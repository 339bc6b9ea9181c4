//! From a component to a lasso: how to get there, and a short way around.
//!
//! A walk begins at a node, and goes on to the nearest step that it still needs (a hot one; a step of a task that it
//! has starved, or to where that cannot move; the other way of a fair choice) until it needs none; then it goes back by
//! the shortest way. Walks from several nodes are tried, and the shortest is kept.

use std::collections::VecDeque;

use dally_schedule::{Ready, TaskId};

use super::edges::Edge;
use super::fair::Component;
use super::graph::Graph;
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::replay::replay;
use crate::{Program, Schedule, Step};

/// About how many edges are looked at for the sake of a short loop.
const EFFORT: usize = 4_000_000;

/// Something that a loop must do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Hot,
    Task(TaskId),
    Choice(u64, bool),
}

/// What a loop has to be.
#[derive(Clone, Copy)]
pub(crate) struct Demands<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) property: u64,
    pub(crate) fair: bool,
}

/// A node, and the steps of a loop from it back to it.
pub(crate) struct Loop {
    pub(crate) node: u32,
    pub(crate) steps: Vec<Step>,
}

/// The shortest loop that is found in a component all of whose edges make a cycle that counts.
pub(crate) fn shortest(component: &Component, demands: Demands<'_>) -> Option<Loop> {
    let nodes = component.nodes.len();
    let edges: usize = (0..nodes as u32).map(|place| component.out(place).len()).sum();
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
    let step = |edge: &Edge| {
        let label = demands.graph.label(edge.label);
        Step { task: label.task, cost: 0, choice: label.choice }
    };
    Some(Loop { node: component.nodes[start as usize], steps: walk.iter().map(step).collect() })
}

struct Walker<'c> {
    component: &'c Component,
    demands: Demands<'c>,
    start: u32,
}

impl Walker<'_> {
    /// A loop with fewer edges than this.
    fn walk(&self, most: usize) -> Option<Vec<Edge>> {
        let mut walk: Vec<Edge> = Vec::new();
        loop {
            let here = walk.last().map_or(self.start, |edge| edge.to);
            let mut around = walk.clone();
            if here != self.start {
                around.extend(self.nearest(here, |edge| edge.to == self.start)?);
            }
            if around.len() >= most {
                return None;
            }
            let needs = self.needs(&around);
            if needs.is_empty() {
                return Some(around);
            }
            walk.extend(self.nearest(here, |edge| needs.iter().any(|need| self.meets(edge, *need)))?);
        }
    }

    /// The shortest way from a place over an edge of a kind.
    fn nearest(&self, from: u32, wanted: impl Fn(Edge) -> bool) -> Option<Vec<Edge>> {
        let mut before: Vec<Option<(u32, Edge)>> = vec![None; self.component.nodes.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(place) = queue.pop_front() {
            for edge in self.component.out(place) {
                if wanted(*edge) {
                    let mut way = vec![*edge];
                    let mut at = place;
                    while at != from {
                        let (earlier, edge) = before[at as usize]?;
                        way.push(edge);
                        at = earlier;
                    }
                    way.reverse();
                    return Some(way);
                }
                if edge.to != from && before[edge.to as usize].is_none() {
                    before[edge.to as usize] = Some((place, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    fn can_move(&self, place: u32) -> &[TaskId] {
        let graph = self.demands.graph;
        graph.set(graph.set_of(self.component.nodes[place as usize]))
    }

    fn meets(&self, edge: Edge, need: Need) -> bool {
        let Demands { graph, property, .. } = self.demands;
        match need {
            Need::Hot => graph.heat(edge, property).0,
            Need::Task(task) => {
                graph.label(edge.label).task == task || !self.can_move(edge.to).contains(&task)
            }
            Need::Choice(choice, way) => graph.label(edge.label).fair.contains(&(choice, way)),
        }
    }

    /// What a loop lacks.
    fn needs(&self, walk: &[Edge]) -> Vec<Need> {
        let met = |need: &Need| walk.iter().any(|edge| self.meets(*edge, *need));
        let mut needs = vec![Need::Hot];
        if self.demands.fair {
            needs.extend(self.can_move(self.start).iter().map(|task| Need::Task(*task)));
            let labels = walk.iter().map(|edge| self.demands.graph.label(edge.label));
            for (choice, _) in labels.flat_map(|label| &label.fair) {
                for need in [Need::Choice(*choice, false), Need::Choice(*choice, true)] {
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

/// What the steps of a schedule cost under a policy, filled in from one step on; `None` if it does not propose them.
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

/// What it costs that the task is proposed, at the least or at a known cost.
fn cost_of<O: Policy>(
    policy: &O,
    place: &mut O::Place,
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
