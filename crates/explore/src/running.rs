//! The task that keeps a bound from completing.
//!
//! A search that a limit ends has open nodes. One of the deepest among those of least cost shows why the
//! bound is not complete: if its execution is long, and one task takes most of the last steps, that task
//! keeps running. The execution is kept as links of the search tree, since resolving it takes steps of the
//! program, and the limit that ended the search would interrupt them.

use std::cmp::Reverse;

use dally_schedule::{StrategyName, TaskId};

use crate::expand::Finder;
use crate::expand::Node;
use crate::ledger::Ledger;
use crate::order::HORIZON;
use crate::packed::{Packed, Standings};
use crate::policy::Policy;
use crate::resolve::{Resolver, Segment};
use crate::search::{Search, Watch};
use crate::tree::{Link, NodeId};
use crate::{Program, Schedule};

/// Shorter executions show nothing.
const LONG: usize = HORIZON as usize;

/// A task that takes at least half of this many last steps keeps running.
const RECENT: usize = 200;

/// The steps that are resolved between two checks whether to go on.
const POLL_EVERY: usize = 64;

/// A task that keeps a bound from completing, in a long execution that was not explored to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The task.
    pub task: TaskId,
    /// The number of its steps.
    pub steps: usize,
    /// The number of all steps of the execution.
    pub of: usize,
    strategy: StrategyName,
    initial: u32,
    inline: u64,
    /// The execution up to the last step of the task.
    segments: Vec<Segment>,
}

impl Running {
    /// The execution up to the last step of the task, in which a task may have reused the id of an earlier
    /// one. Takes all of its steps; as soon as `go_on` returns false, up to the last of those that were taken. `None` if
    /// the task took none of them.
    pub fn schedule<P: Program>(&self, program: &P, mut go_on: impl FnMut() -> bool) -> Option<Schedule> {
        let mut resolver =
            Resolver::new(program, self.strategy.clone(), self.initial, Finder::new(self.inline));
        for segments in self.segments.chunks(POLL_EVERY) {
            if !go_on() {
                let mut schedule = resolver.finish();
                // The last step may lack choices.
                schedule.steps.pop();
                let last = schedule.steps.iter().rposition(|step| step.task == self.task)?;
                schedule.steps.truncate(last + 1);
                return Some(schedule);
            }
            resolver.follow(segments.iter().copied());
        }
        Some(resolver.finish())
    }

    /// The number of steps in which the task must have taken at least one of two, to be reported.
    pub const RECENT: usize = RECENT;
}

/// An open node.
#[derive(Clone, Copy)]
struct Open {
    /// The node, or its parent if it is not in the search tree.
    at: Option<NodeId>,
    /// The link from the parent.
    last: Option<Link>,
    cost: u32,
    depth: u32,
    /// True if the last step has not ended.
    suspended: bool,
}

impl Open {
    fn new<S, O: Policy>(node: &Node<S, O>, link: Option<Link>) -> Self {
        let at = link.map_or(node.id, |link| link.from);
        Self { at, last: link, cost: node.cost, depth: node.depth, suspended: node.pending.is_some() }
    }

    fn packed<S, O: Policy>(node: &Packed<S>, standings: &Standings<O>) -> Self {
        let Packed { id, depth, pending, .. } = node;
        let cost = node.cost(standings);
        Self { at: *id, last: None, cost, depth: *depth, suspended: pending.is_some() }
    }
}

#[expect(private_bounds, reason = "as for the search")]
impl<P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Search<'_, P, O, W, L> {
    /// The task that keeps running, if there is one.
    pub(crate) fn running(&self) -> Option<Running> {
        let Open { at, last, suspended, .. } = self.deepest()?;
        let links = self.core.tree.path(at, last);
        let (first, links) = links.split_first()?;
        let mut segments: Vec<Segment> = links.iter().map(Segment::from).collect();
        if suspended {
            segments.truncate(segments.iter().rposition(Segment::begins)?);
        }
        // Most fused steps are those of the same task.
        let tasks = |segment: &Segment| {
            std::iter::repeat_n(segment.task, usize::from(segment.begins()) + usize::from(segment.fused))
        };
        let steps: Vec<TaskId> = segments.iter().flat_map(tasks).collect();
        if steps.len() < LONG {
            return None;
        }
        let task = most_frequent(&steps[steps.len() - RECENT..])?;
        let begins = segments.iter().rposition(|segment| segment.begins() && segment.task == task)?;
        let parts = segments[begins + 1..].iter().take_while(|segment| !segment.begins()).count();
        segments.truncate(begins + 1 + parts);
        Some(Running {
            task,
            steps: steps.iter().filter(|other| **other == task).count(),
            of: steps.len(),
            strategy: self.expander.policy.strategy(),
            initial: first.branch.nth(),
            inline: self.expander.options.inline(),
            segments,
        })
    }

    /// A node of the greatest depth among the open nodes of least cost.
    fn deepest(&self) -> Option<Open> {
        let nodes = self.layer.iter().chain(&self.first).chain(&self.core.next.blocks).flatten();
        let buckets = || self.core.frontier.cheapest();
        let unvisited = buckets().flat_map(|bucket| &bucket.unvisited);
        let unvisited = unvisited.map(|new| Open::new(&new.node, Some(new.link)));
        let packed = buckets().flat_map(|bucket| &bucket.partial.blocks).chain(&self.packed).flatten();
        let deferred = packed.map(|node| Open::packed(node, &self.core.standings)).chain(unvisited);
        let open = nodes.map(|node| Open::new(node, None)).chain(deferred).chain(self.interrupted());
        open.min_by_key(|open| (open.cost, Reverse(open.depth)))
    }

    /// The node whose expansion was interrupted.
    fn interrupted(&self) -> Option<Open> {
        let (at, cost) = self.interrupted_at?;
        let links = self.core.tree.path(Some(at), None);
        let steps = |link: &Link| u32::from(link.branch.option().is_none()) + u32::from(link.fused);
        let depth = links.iter().skip(1).map(steps).sum();
        Some(Open { at: Some(at), last: None, cost, depth, suspended: true })
    }
}

/// The task that takes at least half of the steps.
fn most_frequent(steps: &[TaskId]) -> Option<TaskId> {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|one, next| one == next).max_by_key(|same| (same.len(), Reverse(same[0])))?;
    (2 * most.len() >= steps.len()).then_some(most[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_steps_suffice() {
        let steps = |tasks: &[u32]| tasks.iter().map(|task| TaskId(*task)).collect::<Vec<_>>();
        assert_eq!(most_frequent(&steps(&[2, 1, 2, 3])), Some(TaskId(2)));
        assert_eq!(most_frequent(&steps(&[2, 1, 2, 1])), Some(TaskId(1)));
        assert_eq!(most_frequent(&steps(&[1, 2, 3])), None);
        assert_eq!(most_frequent(&[]), None);
    }
}
