//! The steps of a node: those that commute first, and no others if one of them suffices ([`crate::reduce`]).

use dally_schedule::TaskId;

use super::fuse::Fusing;
use super::{Expander, Found, Node, Sink, Tally};
use crate::order::Pass;
use crate::policy::{Policy, Proposal};
use crate::reduce::{self, Mutant, Reduction};
use crate::search::Watch;
use crate::successors::Successors;
use crate::visited::Mark;
use crate::{Footprints, Program};

impl<P: Program, O: Policy, W: Watch<P::State>> Expander<'_, P, O, W> {
    /// Takes the steps that commute: that of the proposed task first, then those of others, ahead of their turns.
    /// Returns the mark of the node if it needs no other.
    #[inline(never)]
    pub(super) fn take_commuting(
        &self,
        node: &Node<P::State, O>,
        proposal: Proposal,
        enabled: &[TaskId],
        steps: &mut Steps<'_, P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<Option<Mark>, Found> {
        let proposed = match proposal {
            Proposal::Run(task) => Some(task),
            Proposal::Pass | Proposal::End => None,
        };
        let others = enabled.iter().copied().filter(|task| Some(*task) != proposed);
        for task in proposed.into_iter().chain(others) {
            if self.commutes(node, task, steps) {
                if let Some(mark) = self.take(node, task, true, steps, sink)? {
                    return Ok(Some(mark));
                }
                steps.taken.push(task);
            }
        }
        // None of the others commutes.
        steps.reduction = Reduction::Off;
        Ok(None)
    }

    #[inline]
    pub(super) fn commutes(
        &self,
        node: &Node<P::State, O>,
        task: TaskId,
        steps: &mut Steps<'_, P::State, O>,
    ) -> bool {
        steps.reduction != Reduction::Off && self.program.commutes(&node.state, task, steps.footprints)
    }

    /// Takes a step of a task. Returns the mark of the node if it needs no other.
    #[inline]
    pub(super) fn take(
        &self,
        node: &Node<P::State, O>,
        task: TaskId,
        commutes: bool,
        steps: &mut Steps<'_, P::State, O>,
        sink: &mut impl Sink<P::State, O>,
    ) -> Result<Option<Mark>, Found> {
        steps.successors.clear();
        self.program.step(&node.state, task, steps.successors);
        let Steps { successors, fusing, tally, pass, reduction, .. } = steps;
        tally.charged += u64::from(self.defer_costly(node, task, *pass, successors, sink));
        tally.count(successors.ended(), successors.len());
        let mut from = self.origin(node, task, None, *pass);
        from.chain = if commutes { node.chain.saturating_add(1) } else { 0 };
        if !self.effort.reduces {
            self.deliver(&from, successors, (0, &mut []), sink)?;
            return Ok(None);
        }
        let suffices = |successors: &mut Successors<P::State>| match commutes && *reduction == Reduction::On {
            true => reduce::suffices(self.program, self.options, successors, |key| sink.mark_of(key)),
            false => None,
        };
        let early =
            reduce::mutant(self.options, Mutant::UnfusedOutcomesSuffice).then(|| suffices(successors));
        if self.fuses(fusing) {
            self.fuse(&from, successors, 0, fusing, tally, sink);
        }
        let mark = early.unwrap_or_else(|| suffices(successors));
        self.deliver_fused(&from, successors, 0, fusing, sink)?;
        tally.reduced += u64::from(mark.is_some());
        Ok(mark)
    }
}

/// The steps of a node that are being taken.
pub(super) struct Steps<'s, S, O: Policy> {
    /// The tasks that have taken their steps out of order.
    pub(super) taken: &'s mut Vec<TaskId>,
    pub(super) successors: &'s mut Successors<S>,
    pub(super) footprints: &'s mut Footprints,
    pub(super) fusing: &'s mut Fusing<S, O>,
    pub(super) tally: &'s mut Tally,
    pub(super) pass: Pass,
    pub(super) reduction: Reduction,
}
