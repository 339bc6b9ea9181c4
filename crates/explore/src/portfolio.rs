//! Several policies side by side, bound by bound.
//!
//! The base order decides how many delays a bug needs. A portfolio explores each bound under one
//! scheduler after the other before it raises the bound, so that it finds a bug at the least bound that
//! any of them needs. Each has a visited set of its own; each may prove the program correct.

use crate::Program;
use crate::policy::Policy;
use crate::report::{Report, Verdict};
use crate::search::{Options, Search, Watch};

/// Searches under each of the policies, and reports the first bug, or the first proof, or what the last
/// one has to say.
///
/// The memory budget is shared out evenly. Returns `None` if there is no policy.
pub fn portfolio<P: Program, O: Policy, W: Watch<P::State>>(
    program: &P,
    policies: &[O],
    options: &Options,
    watch: &W,
) -> Option<Report> {
    let memory = options.memory.map(|bytes| bytes / policies.len().max(1));
    let options = Options { memory, ..options.clone() };
    let mut searches: Vec<_> =
        policies.iter().map(|policy| Search::new(program, policy, &options, watch)).collect();
    // Searches that are over, the last one last.
    let mut done: Vec<Report> = Vec::new();
    while !searches.is_empty() {
        let mut going = Vec::new();
        let mut round = searches.into_iter();
        while let Some(mut search) = round.next() {
            match search.deepen() {
                None => going.push(search),
                Some(report) if settles(&report.verdict) => {
                    let others = going.iter().chain(round.as_slice()).map(Search::so_far);
                    let done = done.into_iter().map(|report| (report.policy, report.coverage));
                    return Some(Report { others: done.chain(others).collect(), ..report });
                }
                Some(report) => done.push(report),
            }
        }
        searches = going;
    }
    let last = done.pop()?;
    Some(Report { others: done.into_iter().map(|report| (report.policy, report.coverage)).collect(), ..last })
}

/// Whether nothing that another policy finds can change the verdict.
fn settles(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved | Verdict::Bug(_) | Verdict::Unsupported(_) => true,
        // One that gives up on memory leaves the others their chance; time and patience are shared.
        Verdict::Inconclusive(limit) => !matches!(limit, crate::Limit::Memory | crate::Limit::States),
        Verdict::ProvedWithin(_) | Verdict::NoBug => false,
    }
}
