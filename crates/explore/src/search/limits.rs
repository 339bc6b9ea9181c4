//! The limits of a search, and its coverage.

use super::{Core, LOOK_EVERY, SAMPLES, Search, Stop, Watch};
use crate::Program;
use crate::expand::{Node, Tally};
use crate::ledger::Ledger;
use crate::outcome::{Limit, StateCoverage};
use crate::packed::Packed;
use crate::policy::Policy;

#[expect(private_bounds, reason = "as for the search")]
impl<P: Program, O: Policy, W: Watch<P::State>, L: Ledger> Search<'_, P, O, W, L> {
    /// Checks the limits. `others` counts nodes that the caller holds; `samples` are some of them.
    pub(crate) fn check_limits<'n>(
        &mut self,
        others: impl FnOnce() -> usize,
        samples: impl Iterator<Item = &'n Node<P::State, O>>,
    ) -> Result<(), Stop>
    where
        P::State: 'n,
        O: 'n,
    {
        // Counting all bytes takes longer than expanding a narrow layer.
        if self.scratch.tally.work - self.weighed >= LOOK_EVERY || self.weighed == 0 {
            self.weighed = self.scratch.tally.work;
            self.held = self.held_bytes(others(), samples);
            self.coverage.peak_bytes = self.coverage.peak_bytes.max(self.held);
        }
        self.update_coverage();
        let options = self.expander.options;
        // Suspended steps count too: a step can make choices for ever.
        let limit = if options.states.is_some_and(|limit| self.core.visited.len() >= limit) {
            Some(Limit::States)
        } else if options.memory.is_some_and(|limit| self.held >= limit) {
            Some(Limit::Memory)
        } else {
            self.expander.watch.poll(&self.coverage)
        };
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    /// Checks the limits of an analysis of the explored graph that uses `held` bytes.
    pub(crate) fn check_analysis(&self, held: usize) -> Result<(), Stop> {
        let held = self.coverage.peak_bytes + held;
        let limit = match self.expander.options.memory {
            Some(limit) if held >= limit => Some(Limit::Memory),
            _ => self.expander.watch.poll(&self.coverage),
        };
        limit.map_or(Ok(()), |limit| Err(Stop::Limit(limit)))
    }

    pub(crate) fn update_coverage(&mut self) {
        let Self { core, coverage, scratch, .. } = self;
        let Tally { transitions, work, sealed, unproposed, finals, beyond, cut, .. } = scratch.tally;
        let Tally { excluded, depth, charged, reduced, fused, fused_ahead, .. } = scratch.tally;
        let counted =
            StateCoverage { transitions, work, sealed, unproposed, finals, beyond, cut, ..*coverage };
        *coverage = StateCoverage { excluded, depth, charged, reduced, fused, fused_ahead, ..counted };
        coverage.states = core.visited.len().saturating_sub(core.suspended);
        coverage.frontier = core.frontier.len() + scratch.tally.beyond as usize;
        coverage.visited_bytes = core.visited.bytes();
        coverage.collision_chance = core.visited.collision_chance();
        coverage.peak_bytes = coverage.peak_bytes.max(coverage.visited_bytes);
    }

    /// The bytes in use now. The heap bytes of states are estimated from samples.
    fn held_bytes<'n>(&self, others: usize, samples: impl Iterator<Item = &'n Node<P::State, O>>) -> usize
    where
        P::State: 'n,
        O: 'n,
    {
        let Core { ledger, visited, passages, tree, next, frontier, standings, .. } = &self.core;
        let every = next.blocks.len().div_ceil(SAMPLES).max(1);
        let newest = next.blocks.iter().rev().step_by(every).filter_map(|block| block.first());
        let heap = |node: &Node<P::State, O>| self.expander.heap_bytes(node);
        let heaps: Vec<usize> = samples.map(heap).chain(newest.map(heap)).collect();
        let heap = heaps.iter().sum::<usize>().div_ceil(heaps.len().max(1));
        let node = heap + size_of::<Node<P::State, O>>();
        let first: usize = self.first.iter().map(Vec::capacity).sum();
        let packed: usize = self.packed.iter().map(Vec::capacity).sum();
        visited.bytes()
            + ledger.bytes()
            + tree.bytes()
            + passages.bytes()
            + (next.capacity() + self.workers.capacity() + others + first + frontier.unvisited_capacity())
                * node
            + (packed + frontier.packed_capacity()) * (heap + size_of::<Packed<P::State>>())
            + standings.bytes()
            + self.workers.bytes()
            + self.expander.program.shared_bytes()
    }
}
