//! The report of `dally check`: the verdict in a sentence, the trace of a bug, and the coverage.

use dally_c::Caveat;
use dally_explore::{
    Coverage, Covered, Failure, FailureKind, Liveness, Method, Report, Sampled, StateCoverage, StrategyName,
    Unit, Verdict, count, counted,
};
use dally_report::ci::{Case, CaseResult};
use dally_text::render::{JsonDiagnostic, printable};
use dally_trace::Trace;
use serde::Serialize;

use super::monitor::Monitor;
use super::reports::{self, Reached, ReachedJson};
use super::running::Runner;
use super::sample;
use crate::cli::{Check, ProgramArgs};
use crate::language::Language;
use crate::outcome::{OutcomeJson, SchedulingPoints, Timed};
use crate::output::{self, Exit};

/// The object that `dally check --json` prints.
pub(crate) type Json<'a> = OutcomeJson<'a, StateCoverage, Others>;

/// The keys that only `dally check` has.
#[derive(Default, Serialize)]
pub(crate) struct Others {
    /// The coverage of the other schedulers of a portfolio.
    others: Vec<JsonOther>,
    /// Where tasks are switched, if the language has a choice: `explicit` or `accesses`.
    scheduling_points: Option<&'static str>,
    /// The limits of the model on which the verdict rests, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    caveats: Vec<String>,
    /// The sampled executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<Sampled>,
    /// The task that keeps a bound from completing.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<Runner>,
    /// The parts of the program that were reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<ReachedJson>,
}

#[derive(Serialize)]
struct JsonOther {
    policy: String,
    coverage: Timed<StateCoverage>,
}

/// The search for liveness violations.
#[derive(Clone, Copy)]
pub(crate) enum LivenessCheck {
    /// It took place.
    Done(Liveness),
    /// It was switched off, though the program declares liveness properties.
    Off,
    /// The program declares no liveness property.
    NoProperty,
}

/// A search that has ended.
pub(crate) struct Ended<'a> {
    pub(crate) arguments: &'a Check,
    pub(crate) report: &'a Report,
    /// The sampled executions, if there was no search.
    pub(crate) only_sampled: Option<&'a Sampled>,
    pub(crate) liveness: LivenessCheck,
    pub(crate) monitor: &'a Monitor,
    /// The bug, explained.
    pub(crate) trace: Option<&'a Trace>,
    /// Where tasks are switched, if the language has a choice.
    pub(crate) points: Option<SchedulingPoints>,
    /// The task that keeps a bound from completing.
    pub(crate) running: Option<Runner>,
    /// The limits of the model, for languages that are modelled only in part.
    pub(crate) caveats: &'a [Caveat],
    /// The parts of the program that were reached.
    pub(crate) reached: &'a Reached,
}

impl LivenessCheck {
    /// Part of a proof, after "no execution fails".
    fn proved(self) -> &'static str {
        match self {
            Self::Done(Liveness { fair: true, .. }) => ", and no fair one violates a liveness property",
            Self::Done(_) => ", and none violates a liveness property",
            Self::Off | Self::NoProperty => "",
        }
    }

    /// The remark on liveness for a verdict that did not check it.
    fn unchecked(self) -> &'static str {
        match self {
            Self::Off => "; liveness was not checked (see --liveness)",
            Self::Done(_) | Self::NoProperty => "",
        }
    }

    fn is_done(self) -> bool {
        matches!(self, Self::Done(_))
    }
}

impl Ended<'_> {
    /// Prints the report.
    pub(crate) fn show(&self, warnings: Vec<JsonDiagnostic>) -> Exit {
        let Report { strategy, coverage, others, sampled, .. } = self.report;
        let weaker = self.weakened().then_some(Verdict::NoBug);
        let verdict = weaker.as_ref().unwrap_or(&self.report.verdict);
        let message = self.sentence();
        let written = if self.arguments.json {
            let other = |other: &Covered| JsonOther {
                policy: other.strategy.to_string(),
                coverage: self.timed(&other.coverage),
            };
            output::write_json(&Json {
                verdict: verdict.word(),
                message: &message,
                policy: Some(strategy.to_string()),
                coverage: self.only_sampled.is_none().then(|| self.timed(coverage)),
                trace: self.trace,
                diagnostics: warnings,
                more: Others {
                    others: others.iter().map(other).collect(),
                    scheduling_points: self.points.map(SchedulingPoints::word),
                    sampled: self.only_sampled.or(sampled.as_ref()).cloned(),
                    running: self.running.clone(),
                    caveats: self.caveats.iter().map(|caveat| caveat.message.clone()).collect(),
                    reached: Some(self.reached.json()),
                },
            })
        } else {
            let steps = self.trace.map(|trace| format!("\n{}\n", dally_trace::text(trace, &output::look())));
            let assumption = self.points.and_then(|points| points.assumption(verdict)).unwrap_or_default();
            let language = Language::of(&self.arguments.program.files);
            let running = self.running.as_ref().map(|runner| runner.text(language)).unwrap_or_default();
            let (steps, caveats) = (steps.unwrap_or_default(), self.caveat_lines());
            let reached = if verdict.is_clean() { self.reached.text() } else { String::new() };
            let covered = self.covered();
            let text = format!("{message}\n{assumption}{caveats}{running}{steps}{covered}{reached}\n");
            output::coloured(&text)
        };
        output::exit_after(written, verdict.exit())
    }

    /// The run as a test case.
    pub(crate) fn case<'t>(&'t self, diagnostics: &'t [JsonDiagnostic]) -> Case<'t> {
        let result = match &self.report.verdict {
            Verdict::Bug(_) => CaseResult::Failed,
            verdict if verdict.is_clean() => CaseResult::Passed,
            verdict => CaseResult::NoVerdict(verdict.word()),
        };
        let seconds = self.monitor.elapsed().as_secs_f64();
        let mut message = self.sentence();
        if matches!(result, CaseResult::Passed) {
            message = format!("{message}\n{}", self.covered());
        }
        reports::case(self.arguments, seconds, result, message, self.trace, diagnostics)
    }

    /// The program, the verdict and what was covered, a line each.
    pub(crate) fn about(&self) -> Vec<String> {
        let ProgramArgs { files, test, .. } = &self.arguments.program;
        let test = test.as_ref().map_or(String::new(), |test| format!(", test {test}"));
        vec![format!("{}{test}", files.join(" ")), self.sentence(), self.covered()]
    }

    /// The limits of the model, one line each, for verdicts without a bug.
    fn caveat_lines(&self) -> String {
        match self.report.verdict.is_clean() {
            true => self.caveats.iter().map(|caveat| format!("{}\n", printable(&caveat.message))).collect(),
            false => String::new(),
        }
    }

    fn timed(&self, coverage: &StateCoverage) -> Timed<StateCoverage> {
        Timed::new(coverage.clone(), self.monitor.elapsed())
    }

    /// True if a proof covers only a part of what the program can do.
    fn weakened(&self) -> bool {
        let proved = matches!(self.report.verdict, Verdict::Proved | Verdict::ProvedWithin(_));
        proved && self.caveats.iter().any(|caveat| caveat.weakens)
    }

    fn unit(&self) -> Unit {
        self.report.strategy.unit()
    }

    /// True if the search counted nothing: it has no bound, or went depth-first.
    fn is_unbounded(&self) -> bool {
        let depth_first = matches!(self.liveness, LivenessCheck::Done(Liveness { method: Method::Ndfs, .. }));
        self.unit() == Unit::Nothing || depth_first && self.arguments.delays.is_none()
    }

    /// The verdict in one sentence.
    fn sentence(&self) -> String {
        let Report { verdict, coverage, .. } = self.report;
        let (headline, unit, unchecked) = (verdict.headline(), self.unit(), self.liveness.unchecked());
        match verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) if self.weakened() => {
                let bound = match verdict {
                    Verdict::ProvedWithin(bound) => format!(" with at most {}", unit.count(*bound)),
                    _ => String::new(),
                };
                let headline = Verdict::<()>::NoBug.headline();
                format!(
                    "{headline}: no explored execution{bound} fails; not everything was modelled{unchecked}"
                )
            }
            // A seal disables tasks, so a cycle may only seem to be unfair: liveness is not checked then.
            Verdict::Proved if coverage.sealed > 0 => {
                let unchecked =
                    if self.liveness.is_done() { LivenessCheck::Off.unchecked() } else { unchecked };
                format!("{headline}: no execution fails, whatever the schedule outside of seals{unchecked}")
            }
            Verdict::Proved => {
                let live = self.liveness.proved();
                format!("{headline}: no execution fails{live}, whatever the schedule{unchecked}")
            }
            Verdict::ProvedWithin(bound) => {
                let sealed = if coverage.sealed > 0 { ", with the order inside of seals fixed" } else { "" };
                format!(
                    "{headline}: no execution with at most {} fails{sealed}{unchecked}",
                    unit.count(*bound)
                )
            }
            Verdict::NoBug if let Some(sampled) = self.only_sampled => {
                format!("{headline} in {}", sample::executions(sampled))
            }
            Verdict::NoBug => {
                let reasons = self.reasons_for_no_proof();
                let within = match self.arguments.delays {
                    Some(delays) if self.arguments.bound.is_none() && self.unit() == Unit::Delay => {
                        let choices = if coverage.charged > 0 { ", with any choices" } else { "" };
                        format!("{}{choices}", unit.count(delays.min(coverage.bound)))
                    }
                    _ => self.bound(coverage.bound),
                };
                format!("{headline} within {within}{reasons}{unchecked}")
            }
            Verdict::Bug(bug) => {
                let message = self.trace.map_or(&bug.failure.message, |trace| &trace.failure.message);
                let spent = if self.is_unbounded() {
                    String::new()
                } else if bug.schedule.cycle.is_some() {
                    format!(", within {} under {}", self.bound(coverage.bound), self.report.strategy)
                } else {
                    let (deviations, choices) = (bug.schedule.deviations(), bug.schedule.choice_cost());
                    let choices = match choices / self.arguments.cost_of_choices().max(1) {
                        0 => String::new(),
                        choices => format!(" and {}", counted(choices as usize, "choice")),
                    };
                    format!(", with {}{choices} under {}", unit.count(deviations), self.report.strategy)
                };
                format!("{headline}: {}{}{spent}", kind(&bug.failure), printable(message))
            }
            Verdict::Inconclusive(limit) => format!("{headline}: {limit}; {}", self.known_so_far()),
            Verdict::Unsupported(construct) => {
                // The verifier reads Boogie only, and checks safety only.
                let language = Language::of(&self.arguments.program.files);
                // In C, constructs that cannot be explored are not modelled at all.
                let reads = language.is_verifiable && language.name != "C";
                let verifiable = reads && !self.liveness.is_done();
                let instead = match language.name {
                    "C" => "; `#ifdef __DALLY__` can put other code in its place (docs/c.md)",
                    _ if verifiable => "; `dally verify` may decide it",
                    _ => "",
                };
                format!("{headline}: {}{instead}", printable(construct))
            }
        }
    }

    /// The bounds that were completed before a limit ended the search, in words.
    fn known_so_far(&self) -> String {
        let coverage = &self.report.coverage;
        let known = match coverage.completed_bound {
            None if let Some(sampled) = self.only_sampled => {
                format!("no bug was found in {}", sample::executions(sampled))
            }
            Some(bound) => format!("no bug was found within {}", self.bound(bound)),
            None => format!("no bound was completed, {}", self.reached()),
        };
        let known = match (&self.report.sampled, coverage.completed_bound) {
            (Some(sampled), Some(_)) => format!("{known}, nor in {}", sample::executions(sampled)),
            (Some(sampled), None) => {
                format!("{known}; no bug was found in {}", sample::executions(sampled))
            }
            (None, _) => known,
        };
        let excluded = match coverage.excluded {
            0 => String::new(),
            states => format!("; {}", left_out(states)),
        };
        format!("{known}{excluded}")
    }

    /// Why a search without a bug is not a proof.
    fn reasons_for_no_proof(&self) -> String {
        let Report {
            strategy,
            coverage: StateCoverage { sealed, unproposed, cut, excluded, reduced, fused_ahead, .. },
            ..
        } = self.report;
        let mut reasons = Vec::new();
        if !self.arguments.exact {
            reasons.push("each state was expanded once".to_owned());
        }
        if reduced + fused_ahead > 0 {
            reasons.push("steps that commute were taken in one order".to_owned());
        }
        if !self.arguments.exact && !self.liveness.is_done() && cut + excluded == 0 {
            reasons.push("`--exact` covers every execution within this bound".to_owned());
        }
        if let (Some(steps), 1..) = (self.arguments.steps, *cut) {
            let steps = counted(steps as usize, "step");
            reasons.push(format!("executions were cut off after {steps}"));
        }
        if *excluded > 0 {
            reasons.push(left_out(*excluded));
        }
        if *sealed > 0 {
            reasons.push("inside of seals, only one order was explored".to_owned());
        }
        if *sealed > 0 && self.liveness.is_done() {
            reasons.push("because of the seals, liveness violations may have been missed".to_owned());
        }
        if *unproposed > 0 && strategy.drops_tasks() {
            reasons.push(format!("tasks for which {strategy} has no room were dropped"));
        } else if *unproposed > 0 {
            reasons.push(format!("{strategy} did not propose every enabled task"));
        }
        reasons.iter().map(|reason| format!("; {reason}")).collect()
    }

    /// The coverage, in one line for each strategy.
    fn covered(&self) -> String {
        if let Some(sampled) = self.only_sampled {
            return sample::covered(sampled, self.monitor.elapsed().as_secs_f64());
        }
        let Report { strategy, coverage, others, sampled, .. } = self.report;
        let collisions = if coverage.collision_chance > 1e-15 {
            format!(
                "; probability that two states had the same fingerprint: {:.0e}",
                coverage.collision_chance
            )
        } else {
            String::new()
        };
        let bound = if self.is_unbounded() {
            String::new()
        } else {
            // A bug usually ends the search before the bound is completed.
            up_to(strategy, coverage)
        };
        let other = |Covered { strategy, coverage }: &Covered| {
            format!("\n        {}{}", up_to(strategy, coverage), counted(coverage.states, "state"))
        };
        let sentence = coverage.sentence(&bound, self.monitor.elapsed());
        let unreduced = if self.liveness.is_done() { "; liveness is checked without reduction" } else { "" };
        let others: String = others.iter().map(other).collect();
        let sampled = sampled.as_ref().map(|sampled| format!("\n{}", sample::beside_covered(sampled)));
        format!("{sentence}{unreduced}{collisions}{others}{}", sampled.unwrap_or_default())
    }

    /// A bound of the search in words.
    fn bound(&self, bound: u32) -> String {
        in_words(self.unit(), bound, &self.report.coverage)
    }

    /// How far a search without a complete bound has come.
    fn reached(&self) -> String {
        format!(
            "executions were explored to a depth of {}",
            counted(self.report.coverage.depth as usize, "step")
        )
    }
}

/// The states that constraints exclude.
fn left_out(states: u64) -> String {
    format!(
        "states outside of the constraint were left out: {}",
        count(usize::try_from(states).unwrap_or(usize::MAX))
    )
}

/// The kind of a failure; an assertion is not mentioned.
fn kind(failure: &Failure) -> &'static str {
    match failure.kind {
        FailureKind::Deadlock => "deadlock: ",
        FailureKind::Liveness => "liveness: ",
        FailureKind::Runtime => "run-time error: ",
        FailureKind::Assertion
        | FailureKind::Path
        | FailureKind::Unsupported
        | FailureKind::Interrupted(_) => "",
    }
}

/// A bound in words: of delays, and of choices if some were charged for.
fn in_words(unit: Unit, bound: u32, coverage: &StateCoverage) -> String {
    let choices = if coverage.charged > 0 { " and choices" } else { "" };
    format!("{}{choices}", unit.count(bound))
}

/// The bound up to which a strategy was explored.
fn up_to(strategy: &StrategyName, coverage: &StateCoverage) -> String {
    let bound = in_words(strategy.unit(), coverage.bound, coverage);
    if coverage.completed_bound == Some(coverage.bound) {
        format!("up to {bound} under {strategy}: ")
    } else {
        format!("up to {bound} under {strategy} (not completed): ")
    }
}
