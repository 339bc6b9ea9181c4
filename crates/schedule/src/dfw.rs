//! `dfw`: depth-first by rounds; waiting tasks are not proposed.
//!
//! Like [`df`](crate::Df), but a waiting task is not proposed, so that waiting costs no delay; and
//! before a task resumes after a wait, the current round of all of its subtasks runs, whether it waits
//! for them or not. The scheduler DFW of [SPIN14 §3]. What it reaches with K delays is exactly what
//! the sequentialisation of [SPIN14 §5] reaches.
//!
//! The rules, as we read them (k is the round of task i, k' the round in which the task that it waits
//! for has completed, and k if it does not wait):
//! - a task that reaches a wait, or is delayed, is labelled W: it waits;
//! - (i) it becomes ready, in round max(k, k'), once the task that it waits for has completed, and
//! - (ii) once each of its descendants that has not completed, outside of the subtrees of the children
//!   that it has posted since its last wait, can resume only in rounds above max(k, k'). A descendant
//!   that waits for a task of a later round resumes in that later round, so i need not wait for
//!   it: Fig. 6 of the paper then runs i in its own round, before any task of the later one.
//!
//! It is delay-accessible for programs of [SPIN14 §2], in which tasks wait for tasks that they or their
//! callers have posted.
//!
//! Deviations:
//! 1. Rounds count from the least one that is in use, so that equal orders are equal values; a
//!    completed task whose round is not above that is forgotten, since max(k, k') = k then.
//! 2. Tasks may also be blocked for other reasons than waits (a lock, a condition). Such a task is not proposed, and
//!    rule (ii) does not wait for it.
//! 3. The labels are updated until a fixed point is reached, where the paper updates them once for each
//!    (small) step.

use crate::tree::{Node, Tree};
use crate::{DelayingScheduler, Ready, TaskId, Why};

/// Depth-first by rounds, exploiting synchronisation.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Dfw {
    tree: Tree,
    /// The rounds of completed tasks, if they are above the least round in use; ascending by task.
    completed: Vec<(TaskId, u32)>,
}

reusing_clone!(Dfw { tree, completed });

impl Dfw {
    /// The round in which the waiting task would resume, if rule (i) allows it.
    fn round_after_wait(&self, node: &Node) -> Option<u32> {
        let Some(awaited) = node.awaits else { return Some(node.round) };
        if self.tree.find(awaited).is_some() {
            return None;
        }
        let known = self.completed.binary_search_by_key(&awaited, |(task, _)| *task);
        Some(known.map_or(0, |place| self.completed[place].1).max(node.round))
    }

    /// A lower bound of the round in which the task resumes, from its chain of waits.
    fn earliest_round(&self, node: &Node) -> u32 {
        let mut round = node.round;
        let mut next = node.awaits;
        // A chain longer than the tree is a cycle of waits: a deadlock.
        for _ in 0..self.tree.nodes().len() {
            let Some(place) = next.and_then(|task| self.tree.find(task)) else { break };
            let awaited = &self.tree.nodes()[place];
            round = round.max(awaited.round);
            next = awaited.awaits;
        }
        round
    }

    /// Rule (ii), which does not wait for subtasks that are blocked.
    fn subtasks_done(&self, place: usize, round: u32, blocked: &impl Fn(&Node) -> bool) -> bool {
        let depth = self.tree.nodes()[place].depth;
        let mut recent = false;
        self.tree.below(place).iter().all(|node| {
            if node.depth == depth + 1 {
                recent = node.recent;
            }
            recent || self.earliest_round(node) > round || blocked(node)
        })
    }

    /// Makes every waiting task ready that the rules allow to resume.
    fn settle(&mut self) {
        self.settle_past(|_| false);
    }

    /// Does so if some subtasks are blocked for another reason than a wait.
    fn settle_past(&mut self, blocked: impl Fn(&Node) -> bool) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for place in 0..self.tree.nodes().len() {
                let node = &self.tree.nodes()[place];
                if node.ready {
                    continue;
                }
                let Some(round) = self.round_after_wait(node) else { continue };
                if self.subtasks_done(place, round, &blocked) {
                    let node = self.tree.node_mut(place);
                    (node.ready, node.round) = (true, round);
                    changed = true;
                }
            }
        }
        self.rebase();
    }

    fn rebase(&mut self) {
        let fell = self.tree.rebase();
        self.completed.retain_mut(|(_, round)| {
            *round = round.saturating_sub(fell);
            *round > 0
        });
    }

    fn forget(&mut self, task: TaskId) {
        self.completed.retain(|(other, _)| *other != task);
    }
}

impl DelayingScheduler for Dfw {
    fn give(&mut self, task: TaskId, why: Why) {
        match why {
            Why::Posted(post) => {
                self.forget(task);
                self.tree.add(task, post.by);
            }
            Why::Yielded => {
                if let Some(place) = self.tree.find(task) {
                    self.tree.node_mut(place).awaits = None;
                }
                self.settle();
            }
            Why::Blocked(awaits) => {
                if let Some(place) = self.tree.find(task) {
                    let node = self.tree.node_mut(place);
                    node.awaits = awaits;
                    if awaits.is_some() {
                        node.ready = false;
                        self.tree.age_children(place);
                    }
                }
                self.settle();
            }
            Why::Woken(_) => {}
        }
    }

    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        // A subtask that does not wait and is not enabled is blocked for another reason.
        self.settle_past(|node| node.awaits.is_none() && !ready.contains(node.task));
        self.tree.least(|node| node.ready && ready.contains(node.task))
    }

    fn delay(&mut self, task: TaskId) {
        if let Some(place) = self.tree.find(task) {
            let node = self.tree.node_mut(place);
            (node.ready, node.round) = (false, node.round + 1);
        }
        self.settle();
    }

    fn complete(&mut self, task: TaskId) {
        if let Some(round) = self.tree.remove(task).filter(|round| *round > 0) {
            let place = self.completed.partition_point(|(other, _)| *other < task);
            self.completed.insert(place, (task, round));
        }
        self.settle();
    }

    fn patience(&self) -> usize {
        // Each delay makes one task wait for its subtasks, which then come first.
        self.tree.patience() + self.tree.nodes().len()
    }

    fn heap_bytes(&self) -> usize {
        self.tree.heap_bytes() + size_of_val(&*self.completed)
    }
}
