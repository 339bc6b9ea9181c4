//! Resampling: walks with fewer deviations than the best execution.
//!
//! Local search keeps the free choices of the failing walk, and with them cheaper executions may not exist.
//! So executions are drawn whose number of delays is below the cost of the best one. Half of them keep its
//! choices; the others draw free options at random, and mostly take the first of those that cost something.

use dally_schedule::sample::Generator;

use super::deviations::Deviations;
use super::{Best, MORE_STEPS, Shrinker};
use crate::Program;
use crate::sample::End;

/// One of so many parts of the work goes into drawing executions, each time, and at most as many steps as
/// so many executions have.
const PART: u64 = 8;
const MAX_DRAWN: u64 = 1 << 12;

/// The most delays in a resampled execution.
const MAX_DELAYS: u32 = 8;

/// One of this many choices that cost something is drawn.
const COSTLY_ONE_IN: u64 = 8;

impl<P: Program> Shrinker<'_, P> {
    /// Draws executions until one is better. Returns true if one is.
    pub(super) fn resample(&mut self, best: &mut Best, random: &mut Generator) -> bool {
        let work = self.options.shrinking / PART;
        let until = self.steps + work.min(MAX_DRAWN * best.steps.len() as u64);
        // The limits on steps, each half of the one before, with the steps taken under it. All of them get
        // the same work, since a long execution may have a short counterpart.
        let most = self.most_steps(best);
        let halves = (0..).map(|halved| most >> halved);
        let halves = halves.take_while(|limit| *limit >= MORE_STEPS.min(most).max(1));
        let mut limits: Vec<(u64, usize)> = halves.map(|limit| (0, limit)).collect();
        while best.score.cost > 0 && self.steps < until && !self.is_over() {
            let Some((spent, limit)) = limits.iter_mut().min() else { return false };
            let before = self.steps;
            let end = self.draw(best, *limit, random);
            *spent += self.steps - before;
            if let Some(End::Failed(failure)) = end
                && self.replaces(&failure, best.deviations.initial, best)
            {
                return true;
            }
        }
        false
    }

    /// Draws an execution of at most so many steps.
    fn draw(&mut self, best: &Best, most: usize, random: &mut Generator) -> Option<End> {
        let keeps = random.one_in(2);
        let length = best.steps.len().min(most) as u64;
        let delays = random.below(u64::from(best.score.cost.min(MAX_DELAYS + 1)));
        let mut points: Vec<u64> = (0..delays).map(|_| random.below(length)).collect();
        points.sort_unstable_by(|a, b| b.cmp(a));
        let kept = &best.deviations;
        let none = Deviations::default();
        self.counters.clear();
        let mut end = self.execution.begin(|_| u64::from(kept.initial), None);
        while end.is_none() && self.execution.steps.len() < most {
            let step = self.execution.steps.len() as u64;
            let mut task = self.execution.proposal()?;
            while self.execution.can_choose() && points.pop_if(|point| *point <= step).is_some() {
                self.execution.delay();
                task = self.execution.proposal()?;
            }
            if self.execution.proposes_again() {
                return None;
            }
            let source = if keeps { kept } else { &none };
            let mut options = source.options(self.counters.next(task)).iter();
            self.counters.step(task);
            self.steps += 1;
            let (free, costs) = (self.options.free_options as u64, self.options.choice_cost > 0);
            let mut choose = |count: u64| match options.next() {
                Some(option) => u64::from(*option),
                None if keeps || costs && count > free && !random.one_in(COSTLY_ONE_IN) => 0,
                None => random.below(count),
            };
            end = self.execution.step(&mut choose, None);
        }
        self.count_abandoned(end.as_ref());
        end
    }
}
