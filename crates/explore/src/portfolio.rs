//! Several searches side by side, bound by bound.
//!
//! The base order decides how many delays a bug needs. A portfolio explores each bound under one
//! scheduler after the other before it raises the bound, so that it finds a bug at the least bound that
//! any of them needs. Each has a visited set of its own; each may prove the program correct.

use crate::Program;
use crate::liveness::Cycles;
use crate::outcome::{Covered, Report, Verdict};
use crate::policy::Policy;
use crate::search::{Options, Search, Watch};

/// A search that explores one bound after the other.
pub trait Deepen {
    /// Explores the next bound. Returns the report if the search has ended.
    fn deepen(&mut self) -> Option<Report>;
    /// The coverage so far.
    fn so_far(&self) -> Covered;
}

impl<P: Program, O: Policy, W: Watch<P::State>> Deepen for Search<'_, P, O, W> {
    fn deepen(&mut self) -> Option<Report> {
        self.deepen()
    }

    fn so_far(&self) -> Covered {
        self.so_far()
    }
}

impl<P: Program, O: Policy, W: Watch<P::State>> Deepen for Cycles<'_, P, O, W> {
    fn deepen(&mut self) -> Option<Report> {
        self.deepen()
    }

    fn so_far(&self) -> Covered {
        self.so_far()
    }
}

impl<D: Deepen + ?Sized> Deepen for Box<D> {
    fn deepen(&mut self) -> Option<Report> {
        (**self).deepen()
    }

    fn so_far(&self) -> Covered {
        (**self).so_far()
    }
}

/// Searches under each of the policies. Returns the first report with a bug or a proof, or else the last report; `None` if
/// there is no policy. The searches share the memory limit equally.
pub fn portfolio<P: Program, O: Policy, W: Watch<P::State>>(
    program: &P,
    policies: &[O],
    options: &Options,
    watch: &W,
) -> Option<Report> {
    let options = options.shared_by(policies.len());
    side_by_side(policies.iter().map(|policy| Search::new(program, policy, &options, watch)).collect())
}

/// Runs searches of any kind side by side, as [`portfolio`] does.
pub fn side_by_side<D: Deepen>(mut searches: Vec<D>) -> Option<Report> {
    // The reports of the searches that have ended, in this order.
    let mut done: Vec<Report> = Vec::new();
    while !searches.is_empty() {
        let mut going = Vec::new();
        let mut round = searches.into_iter();
        while let Some(mut search) = round.next() {
            match search.deepen() {
                None => going.push(search),
                Some(report) if settles(&report.verdict) => {
                    let others = going.iter().chain(round.as_slice()).map(Deepen::so_far);
                    let done = done.into_iter().map(Report::into_covered);
                    return Some(Report { others: done.chain(others).collect(), ..report });
                }
                Some(report) => done.push(report),
            }
        }
        searches = going;
    }
    let last = done.pop()?;
    Some(Report { others: done.into_iter().map(Report::into_covered).collect(), ..last })
}

/// True if no other search can change the verdict.
fn settles(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved | Verdict::Bug(_) | Verdict::Unsupported(_) => true,
        // Each search has its own limits on memory and states; the other limits hold for all.
        Verdict::Inconclusive(limit) => !matches!(limit, crate::Limit::Memory | crate::Limit::States),
        Verdict::ProvedWithin(_) | Verdict::NoBug => false,
    }
}
