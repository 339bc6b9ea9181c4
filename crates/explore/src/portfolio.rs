//! Several searches side by side, and sampling beside them.
//!
//! The base order decides how many delays a bug needs. A portfolio explores under several schedulers: each
//! has its turn until it has finished a [pass](crate::order) or a slice of work, so that none keeps the
//! others from starting, and small programs are explored bound by bound. Each has a visited set of its
//! own; each may prove the program correct. After each round of turns, [sampling](crate::sample) takes as
//! many steps as the round has done work; where executions are long, it takes more until it has some
//! thousands of them, since one long execution says little. Work is counted in steps and outcomes and not
//! in seconds, so that a run can be repeated on any machine.

use crate::Program;
use crate::liveness::Cycles;
use crate::outcome::{Covered, Limit, Report, Verdict};
use crate::policy::Policy;
use crate::sample::{Sampled, Sampler, Slice};
use crate::search::{Search, Watch};

/// The work of one turn: a fraction of a second.
const SLICE: u64 = 1 << 18;

/// Sampling takes this many times the work of the searches while executions are long and few.
const LONG_SHARE: u64 = 4;

/// Executions are long from this mean number of steps on.
const LONG_STEPS: u64 = 500;

/// Executions are few below this number.
const FEW_WALKS: u64 = 10_000;

/// A search that proceeds in slices.
pub(crate) trait Deepen {
    /// Explores until a pass is done, or about this much work is done. Returns the report if the
    /// search has ended.
    fn advance(&mut self, work: u64) -> Option<Report>;
    /// The coverage so far.
    fn so_far(&self) -> Covered;
}

impl<P: Program, O: Policy, W: Watch<P::State>> Deepen for Search<'_, P, O, W> {
    fn advance(&mut self, work: u64) -> Option<Report> {
        self.advance(work)
    }

    fn so_far(&self) -> Covered {
        self.so_far()
    }
}

impl<P: Program, O: Policy, W: Watch<P::State>> Deepen for Cycles<'_, P, O, W> {
    fn advance(&mut self, work: u64) -> Option<Report> {
        self.advance(work)
    }

    fn so_far(&self) -> Covered {
        self.so_far()
    }
}

impl<D: Deepen + ?Sized> Deepen for Box<D> {
    fn advance(&mut self, work: u64) -> Option<Report> {
        (**self).advance(work)
    }

    fn so_far(&self) -> Covered {
        (**self).so_far()
    }
}

/// Runs searches of any kind side by side, and sampling beside them. Returns the first report with a bug or a proof, or
/// else the last report; `None` if there is no search.
pub(crate) fn side_by_side<D: Deepen, P: Program, W: Watch<P::State>>(
    searches: Vec<D>,
    sampler: Option<Sampler<'_, P, W>>,
) -> Option<Report> {
    Portfolio { searches, done: Vec::new(), sampler }.run()
}

struct Portfolio<'a, D, P: Program, W> {
    /// The searches that have not ended.
    searches: Vec<D>,
    /// The reports of those that have, in this order.
    done: Vec<Report>,
    sampler: Option<Sampler<'a, P, W>>,
}

impl<D: Deepen, P: Program, W: Watch<P::State>> Portfolio<'_, D, P, W> {
    fn run(mut self) -> Option<Report> {
        while !self.searches.is_empty() {
            let before = self.work();
            if let Some(settled) = self.round() {
                return Some(self.conclude(settled));
            }
            // A small program is explored before sampling begins.
            let (now, going) = (self.work(), !self.searches.is_empty());
            if going
                && now >= SLICE
                && let Some(found) = self.sample(now - before)
            {
                return Some(self.conclude(found));
            }
        }
        let last = self.done.pop()?;
        Some(self.conclude(last))
    }

    /// One turn of each search. Returns a report that settles the verdict.
    fn round(&mut self) -> Option<Report> {
        let mut nth = 0;
        while nth < self.searches.len() {
            match self.searches[nth].advance(SLICE) {
                None => nth += 1,
                Some(report) => {
                    self.searches.remove(nth);
                    if settles(&report.verdict) {
                        return Some(report);
                    }
                    self.done.push(report);
                }
            }
        }
        None
    }

    /// Samples for this many steps. Returns the report of a bug, with the coverage of the first search.
    fn sample(&mut self, work: u64) -> Option<Report> {
        let sampler = self.sampler.as_mut()?;
        match sampler.run_slice(share(sampler.sampled(), work)) {
            Slice::Bug(bug) => {
                let Covered { coverage, .. } = self.searches.remove(0).so_far();
                let strategy = bug.schedule.strategy.clone();
                Some(Report {
                    verdict: Verdict::Bug(bug),
                    coverage,
                    strategy,
                    others: Vec::new(),
                    sampled: None,
                    running: None,
                })
            }
            // The systematic searches check limits as well, and meet unsupported constructs.
            Slice::More | Slice::Done | Slice::Limit(_) | Slice::Unsupported(_) => None,
        }
    }

    /// The work of all searches.
    fn work(&self) -> u64 {
        let going = self.searches.iter().map(|search| search.so_far().coverage.work);
        going.chain(self.done.iter().map(|report| report.coverage.work)).sum()
    }

    /// The report of the portfolio: that of one search, with the coverage of the others.
    fn conclude(self, report: Report) -> Report {
        let done = self.done.into_iter().map(Report::into_covered);
        let others = done.chain(self.searches.iter().map(Deepen::so_far)).collect();
        let sampled = self.sampler.map(|sampler| sampler.sampled().clone()).filter(|it| it.walks > 0);
        Report { others, sampled, ..report }
    }
}

/// The steps of the next slice of sampling, beside this much work of the searches.
fn share(sampled: &Sampled, work: u64) -> u64 {
    let is_long = sampled.steps >= LONG_STEPS * sampled.walks.max(1);
    let times = if is_long && sampled.walks < FEW_WALKS { LONG_SHARE } else { 1 };
    work.max(1).saturating_mul(times)
}

/// True if no other search can change the verdict.
fn settles(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved | Verdict::Bug(_) | Verdict::Unsupported(_) => true,
        // Each search has its own limits on memory and states; the other limits hold for all.
        Verdict::Inconclusive(limit) => !matches!(limit, Limit::Memory | Limit::States),
        Verdict::ProvedWithin(_) | Verdict::NoBug => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_takes_more_where_executions_are_long_and_few() {
        let sampled = |walks, steps| Sampled { walks, steps, ..Sampled::default() };
        assert_eq!(share(&sampled(0, 0), 0), 1);
        assert_eq!(share(&sampled(100, 100 * LONG_STEPS - 1), 7), 7);
        assert_eq!(share(&sampled(100, 100 * LONG_STEPS), 7), 7 * LONG_SHARE);
        assert_eq!(share(&sampled(FEW_WALKS, FEW_WALKS * LONG_STEPS), 7), 7);
    }
}
