//! The coverage of a run, for every command.
//!
//! The engines count different things: a search of states counts [states](StateCoverage), a search that runs every
//! execution from the start counts [executions](ExecutionCoverage), and the verifier counts
//! [inlined calls](InliningCoverage). Each type says in words what it has counted; the trait [`Coverage`] makes these words
//! a sentence, and all of them are serialised as the field `coverage` of a report.

use std::fmt;
use std::time::Duration;

use dally_schedule::StrategyName;
use dally_schedule::sample::SamplerName;
use serde::{Serialize, Serializer};

use super::wording::{count, counted};

/// The coverage of a run, so far or at its end.
pub trait Coverage: Serialize {
    /// The counts, separated by commas: `12 states, 30 transitions`.
    fn counts(&self) -> String;

    /// The sentence that ends a report. `up_to` names the bound, and ends with a colon and a space if it is not empty.
    fn sentence(&self, up_to: &str, elapsed: Duration) -> String {
        format!("covered {up_to}{}, in {:.2} s", self.counts(), elapsed.as_secs_f64())
    }
}

/// The coverage of a search of states. As JSON it has the fields that `docs/check.md` lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StateCoverage {
    /// The bound that is being explored, or was explored last.
    pub bound: u32,
    /// The last bound that was explored completely.
    pub completed_bound: Option<u32>,
    /// The states in the visited set.
    pub states: usize,
    /// The transitions taken.
    pub transitions: u64,
    /// The work done: executions of steps, and their outcomes. A portfolio divides it evenly.
    #[serde(skip)]
    pub work: u64,
    /// The states left for the next bound.
    pub frontier: usize,
    /// The states at which a seal excluded enabled tasks.
    pub sealed: u64,
    /// The states at which the strategy did not propose all enabled tasks, for another reason.
    #[serde(skip)]
    pub unproposed: u64,
    /// The states in which no task is enabled.
    #[serde(skip)]
    pub finals: u64,
    /// The greatest number of steps after which a state was expanded.
    pub depth: u32,
    /// The choices that were charged for: their options other than the first cost extra.
    #[serde(skip_serializing_if = "is_zero")]
    pub charged: u64,
    /// The states at which reduction left out enabled tasks.
    #[serde(skip_serializing_if = "is_zero")]
    pub reduced: u64,
    /// The steps that were fused with the step before them: the states in between are not counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub fused: u64,
    /// The fused steps that were taken although other tasks were enabled.
    #[serde(skip_serializing_if = "is_zero")]
    pub fused_ahead: u64,
    /// The states with proposals beyond the limit on delays.
    #[serde(skip)]
    pub beyond: u64,
    /// The states at which executions were cut off.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut: u64,
    /// The states that a constraint excludes.
    #[serde(skip_serializing_if = "is_zero")]
    pub excluded: u64,
    /// The most bytes that the search held, by its own count.
    pub peak_bytes: usize,
    /// The part of these in the visited set.
    #[serde(skip)]
    pub visited_bytes: usize,
    /// An upper bound of the probability that two states had the same fingerprint.
    pub collision_chance: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Coverage for StateCoverage {
    fn counts(&self) -> String {
        let left = match self.frontier {
            0 => String::new(),
            1 => ", 1 state is left for the next bound".to_owned(),
            states => format!(", {} states are left for the next bound", count(states)),
        };
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let some = |n: u64, what: &str| (n > 0).then(|| format!("{} {what}", count(number(n))));
        let fused = if self.fused == 1 { "step fused" } else { "steps fused" };
        let ahead = some(self.fused_ahead, "of them ahead of other tasks");
        let parts: Vec<String> =
            [some(self.reduced, "reduced"), some(self.fused, fused), ahead].into_iter().flatten().collect();
        let reduced = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let transitions = counted(number(self.transitions), "transition");
        format!("{}{reduced}, {transitions}{left}", counted(self.states, "state"))
    }
}

/// The coverage of a search that runs executions. As JSON it has these fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExecutionCoverage {
    /// The number of executions.
    pub schedules: u64,
    /// The number of distinct executions. Different strategies may run the same execution.
    pub distinct: u64,
    /// The number of their steps: runs of a task until the next scheduling point, and requests of values.
    pub steps: u64,
    /// The number of their branches: scheduling points at which more than one task could run, and requests of
    /// values that are chosen.
    pub branches: u64,
    /// The number of values that they requested.
    pub values: u64,
    /// The number of executions that were cut off by the limit on steps.
    pub cut: u64,
    /// The executions of each strategy, in the order of the configuration.
    pub strategies: Vec<StrategyExecutions>,
    /// The random walks of each sampler, in the order of the configuration.
    pub samplers: Vec<SamplerExecutions>,
    /// The number of seeds of random values for which the strategies have covered everything, but for the current one.
    pub seeds: u64,
}

/// The random walks of one sampler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SamplerExecutions {
    /// The sampler.
    #[serde(serialize_with = "by_name")]
    pub sampler: SamplerName,
    /// The number of walks.
    pub schedules: u64,
}

/// The executions of one strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StrategyExecutions {
    /// The strategy.
    #[serde(serialize_with = "by_name")]
    pub strategy: StrategyName,
    /// The numbers of executions with 0, 1, 2, … delays.
    pub schedules: Vec<u64>,
    /// The last bound that was explored completely.
    pub completed_bound: Option<u32>,
}

impl Coverage for ExecutionCoverage {
    fn counts(&self) -> String {
        let counted = |n: u64, what| counted(usize::try_from(n).unwrap_or(usize::MAX), what);
        let (schedules, distinct) = (counted(self.schedules, "schedule"), count(self.distinct as usize));
        let (steps, branches) = (counted(self.steps, "step"), counted(self.branches, "branch"));
        let cut =
            if self.cut > 0 { format!(", {} cut off", count(self.cut as usize)) } else { String::new() };
        format!("{schedules} ({distinct} distinct), {steps}, {branches}{cut}")
    }
}

/// The counts, and a line for each strategy.
impl fmt::Display for ExecutionCoverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.counts())?;
        let begun = self.strategies.iter().filter(|strategy| !strategy.schedules.is_empty());
        begun.into_iter().try_for_each(|strategy| write!(f, "\n  {strategy}"))?;
        let walked = self.samplers.iter().filter(|sampler| sampler.schedules > 0);
        walked.into_iter().try_for_each(|sampler| {
            let walks = counted(usize::try_from(sampler.schedules).unwrap_or(usize::MAX), "random walk");
            write!(f, "\n  {}: {walks}", sampler.sampler)
        })
    }
}

impl fmt::Display for StrategyExecutions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.strategy, summary(&self.schedules))?;
        match self.completed_bound {
            Some(bound) => write!(f, ", complete up to {bound}"),
            None => Ok(()),
        }
    }
}

/// The coverage of the verifier. As JSON it has the fields that `docs/verify.md` lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InliningCoverage {
    /// For each bound on schedules: what was covered of it.
    pub bounds: Vec<BoundCoverage>,
    /// The number of inlined calls.
    pub inlined: usize,
    /// The number of queries to the solver.
    pub queries: usize,
}

/// The coverage of the verifier for one bound on schedules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoundCoverage {
    /// The bound in words; none for a sequential program.
    pub bound: Option<String>,
    /// The complete recursion bound.
    pub recursion: u32,
    /// True if there is a proof for any recursion.
    pub proved: bool,
}

impl Coverage for InliningCoverage {
    fn counts(&self) -> String {
        format!("{}, {}", counted(self.inlined, "inlined call"), counted(self.queries, "query"))
    }
}

fn by_name<S: Serializer>(strategy: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(strategy)
}

/// The most numbers that are listed.
const LISTED: usize = 12;

/// The counts for the bounds 0, 1, 2, …, of which there may be thousands.
fn summary(counts: &[u64]) -> String {
    let mut parts = Vec::new();
    let mut bound = 0;
    for same in counts.chunk_by(|one, next| one == next) {
        bound += same.len();
        match same {
            [count, _, _, _, ..] => parts.push(format!("… {count} each up to bound {}", bound - 1)),
            few => parts.extend(few.iter().map(u64::to_string)),
        }
    }
    if let (true, Some(last)) = (parts.len() > LISTED, counts.last()) {
        parts.truncate(LISTED - 2);
        parts.push(format!("… + {last} with bound {}", counts.len() - 1));
    }
    parts.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_names_what_it_counts() {
        let states = StateCoverage { states: 1, transitions: 2000, frontier: 2, ..StateCoverage::default() };
        let up_to = "up to 1 delay under rr: ";
        assert_eq!(
            states.sentence(up_to, Duration::from_millis(1250)),
            "covered up to 1 delay under rr: 1 state, 2,000 transitions, 2 states are left for the next bound, in 1.25 s"
        );
        let executions = ExecutionCoverage {
            schedules: 3,
            distinct: 2,
            steps: 9,
            branches: 1,
            ..ExecutionCoverage::default()
        };
        assert_eq!(executions.counts(), "3 schedules (2 distinct), 9 steps, 1 branch");
        assert_eq!(
            ExecutionCoverage { cut: 1, ..executions }.counts().rsplit_once(", "),
            Some(("3 schedules (2 distinct), 9 steps, 1 branch", "1 cut off"))
        );
        let inlining = InliningCoverage { inlined: 1, queries: 2, ..InliningCoverage::default() };
        assert_eq!(inlining.sentence("", Duration::ZERO), "covered 1 inlined call, 2 queries, in 0.00 s");
    }

    #[test]
    fn many_bounds_are_summed_up() {
        for (counts, expected) in [
            (vec![], ""),
            (vec![1, 3, 3, 3, 2], "1 + 3 + 3 + 3 + 2"),
            ([vec![1, 3], vec![5; 39]].concat(), "1 + 3 + … 5 each up to bound 40"),
            ([vec![1], vec![5; 40], vec![2]].concat(), "1 + … 5 each up to bound 40 + 2"),
            ((1..=20).collect(), "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + … + 20 with bound 19"),
        ] {
            assert_eq!(summary(&counts), expected);
        }
    }
}
