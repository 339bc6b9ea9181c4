//! What `dally check` says in the end.

use dally_explore::{
    Coverage, Covered, FailureKind, Limit, Liveness, Method, Report, StrategyName, Unit, Verdict,
};
use dally_text::diagnostic::Diagnostic;
use dally_text::render::{JsonDiagnostic, printable};
use dally_text::source::SourceMap;
use dally_trace::{Trace, count};
use serde::Serialize;

use super::monitor::Monitor;
use crate::cli::Check;
use crate::language::Language;
use crate::output::{self, Exit};

/// What `dally check --json` writes.
#[derive(Serialize)]
struct Json<'a> {
    /// `proved`, `no-bug`, `bug`, `inconclusive`, `unsupported` or `error`.
    verdict: &'a str,
    /// The verdict in words.
    message: &'a str,
    policy: Option<String>,
    coverage: Option<JsonCoverage>,
    /// What the other schedulers of a portfolio covered.
    others: Vec<JsonOther>,
    trace: Option<&'a Trace>,
    diagnostics: Vec<JsonDiagnostic>,
}

#[derive(Serialize)]
struct JsonOther {
    policy: String,
    coverage: JsonCoverage,
}

#[derive(Serialize)]
struct JsonCoverage {
    bound: u32,
    completed_bound: Option<u32>,
    states: usize,
    transitions: u64,
    frontier: usize,
    sealed: u64,
    peak_bytes: usize,
    collision_chance: f64,
    seconds: f64,
}

/// So many of something.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Reports a program that could not be searched.
pub(crate) fn errors(arguments: &Check, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Exit {
    if !arguments.json {
        return output::show(sources, diagnostics);
    }
    let exit = Exit::of(diagnostics);
    let verdict = if exit == Exit::Inconclusive { "unsupported" } else { "error" };
    let json = Json {
        verdict,
        message: diagnostics.first().map_or("", |d| &d.message),
        policy: None,
        coverage: None,
        others: Vec::new(),
        trace: None,
        diagnostics: output::json(sources, diagnostics),
    };
    output::exit_after(output::write_json(&json), exit)
}

/// Reports how a search ended.
pub(crate) fn verdict(
    arguments: &Check,
    report: &Report,
    trace: Option<&Trace>,
    (monitor, looked): (&Monitor, Looked),
    warnings: Vec<JsonDiagnostic>,
) -> Exit {
    let (word, exit) = match &report.verdict {
        Verdict::Proved | Verdict::ProvedWithin(_) => ("proved", Exit::Success),
        Verdict::NoBug => ("no-bug", Exit::Success),
        Verdict::Bug(_) => ("bug", Exit::Bug),
        Verdict::Inconclusive(_) => ("inconclusive", Exit::Inconclusive),
        Verdict::Unsupported(_) => ("unsupported", Exit::Inconclusive),
    };
    let message = sentence(arguments, report, trace, looked);
    let written = if arguments.json {
        let json = Json {
            verdict: word,
            message: &message,
            policy: Some(report.strategy.to_string()),
            coverage: Some(coverage_json(&report.coverage, monitor)),
            others: report
                .others
                .iter()
                .map(|other| JsonOther {
                    policy: other.strategy.to_string(),
                    coverage: coverage_json(&other.coverage, monitor),
                })
                .collect(),
            trace,
            diagnostics: warnings,
        };
        output::write_json(&json)
    } else {
        let steps = trace.map(|t| format!("\n{}\n", printable(&dally_trace::text(t)))).unwrap_or_default();
        let text = format!("{message}\n{steps}{}\n", covered(arguments, report, monitor, looked));
        output::stdout(text.as_bytes())
    };
    output::exit_after(written, exit)
}

/// Whether cycles were looked for.
#[derive(Clone, Copy)]
pub(crate) enum Looked {
    /// They were.
    For(Liveness),
    /// They were not, though there may be some that count.
    Not,
    /// There was nothing to look for.
    Nothing,
}

impl Looked {
    /// Whether the search went depth first, and counted no delays.
    fn counts_nothing(self, arguments: &Check) -> bool {
        matches!(self, Looked::For(Liveness { method: Method::Ndfs, .. })) && arguments.delays.is_none()
    }

    fn no_cycle(self) -> &'static str {
        match self {
            Looked::For(Liveness { fair: true, .. }) => ", and no fair one waits in vain for ever",
            Looked::For(_) => ", and none waits in vain for ever",
            Looked::Not | Looked::Nothing => "",
        }
    }

    fn left_out(self) -> &'static str {
        match self {
            Looked::Not => "; executions that wait in vain for ever were not looked for (see --liveness)",
            Looked::For(_) | Looked::Nothing => "",
        }
    }
}

fn sentence(arguments: &Check, report: &Report, trace: Option<&Trace>, looked: Looked) -> String {
    let coverage = &report.coverage;
    let (no_cycle, left_out) = (looked.no_cycle(), looked.left_out());
    let unit = report.strategy.unit();
    match &report.verdict {
        // A seal keeps tasks from running, and so makes cycles unfair that are not.
        Verdict::Proved if coverage.sealed > 0 => format!(
            "proved: no execution fails, whatever the schedule, as long as the order inside of seals is fixed{}",
            if no_cycle.is_empty() { left_out } else { Looked::Not.left_out() }
        ),
        Verdict::Proved => {
            format!("proved: no execution fails{no_cycle}, whatever the schedule{left_out}")
        }
        Verdict::ProvedWithin(bound) => {
            let sealed = if coverage.sealed > 0 { ", with the order inside of seals fixed" } else { "" };
            format!("proved: no execution with at most {} fails{sealed}{left_out}", unit.count(*bound))
        }
        Verdict::NoBug => {
            let not_covered = not_covered(arguments, report, looked);
            format!("no bug found within {}{not_covered}{left_out}", unit.count(coverage.bound))
        }
        Verdict::Bug(bug) => {
            let message = trace.map_or(&bug.failure.message, |t| &t.failure.message);
            let spent = match unit {
                Unit::Nothing => String::new(),
                _ if looked.counts_nothing(arguments) => String::new(),
                _ if bug.schedule.cycle.is_some() => {
                    format!(", within {} under {}", unit.count(coverage.bound), report.strategy)
                }
                _ => format!(", with {} under {}", unit.count(bug.cost), report.strategy),
            };
            let kind = match bug.failure.kind {
                FailureKind::Deadlock => "deadlock: ",
                FailureKind::Liveness => "liveness: ",
                FailureKind::Runtime => "run-time error: ",
                FailureKind::Assertion | FailureKind::Unsupported | FailureKind::Interrupted(_) => "",
            };
            format!("bug: {kind}{}{spent}", printable(message))
        }
        Verdict::Inconclusive(limit) => {
            let why = match limit {
                Limit::Time => "the time is up",
                Limit::Memory => "the memory is used up",
                Limit::States => "there are too many states",
                Limit::Cancelled => "interrupted",
            };
            let done = match coverage.completed_bound {
                Some(bound) => format!("no bug was found within {}", unit.count(bound)),
                None => "no bound was completed".to_owned(),
            };
            format!("inconclusive: {why}; {done}")
        }
        Verdict::Unsupported(message) => {
            // It reads Boogie programs, and does not search for cycles.
            let reads = Language::of(&arguments.program.files).is_boogie;
            let decides = reads && !matches!(looked, Looked::For(_));
            let instead = if decides { "; `dally verify` may decide it" } else { "" };
            format!("unsupported: {}{instead}", printable(message))
        }
    }
}

/// Why that nothing was found is no proof.
fn not_covered(arguments: &Check, report: &Report, looked: Looked) -> String {
    let Coverage { sealed, unproposed, .. } = report.coverage;
    let mut reasons = Vec::new();
    if !arguments.exact {
        let hint = if matches!(looked, Looked::For(_)) { "" } else { " (see --exact)" };
        reasons.push(format!("other ways to reach the same states were not followed{hint}"));
    }
    if sealed > 0 {
        reasons.push("inside of seals, only one order was followed".to_owned());
    }
    if sealed > 0 && matches!(looked, Looked::For(_)) {
        reasons.push(
            "because of the seals, executions that wait in vain for ever may have been missed".to_owned(),
        );
    }
    if unproposed > 0 && report.strategy.to_string().contains("bounded-bag") {
        reasons.push(format!("tasks for which {} has no room were dropped", report.strategy));
    } else if unproposed > 0 {
        reasons.push(format!("{} did not propose every task that could run", report.strategy));
    }
    reasons.iter().map(|reason| format!("; {reason}")).collect()
}

fn covered(arguments: &Check, report: &Report, monitor: &Monitor, looked: Looked) -> String {
    let Coverage { states, transitions, frontier, collision_chance, .. } = report.coverage;
    let waiting = match frontier {
        0 => String::new(),
        1 => ", 1 state waits for a higher bound".to_owned(),
        n => format!(", {} states wait for a higher bound", count(n)),
    };
    let chance = if collision_chance > 1e-15 {
        format!("; chance that two states were taken for one: {collision_chance:.0e}")
    } else {
        String::new()
    };
    let unit = report.strategy.unit();
    let reached = match unit {
        Unit::Nothing => String::new(),
        _ if looked.counts_nothing(arguments) => String::new(),
        // A bug ends the search wherever it is.
        _ if matches!(report.verdict, Verdict::Bug(_)) => {
            format!("up to {} under {}: ", unit.count(report.coverage.bound), report.strategy)
        }
        _ => up_to(&report.strategy, &report.coverage),
    };
    let others = report.others.iter().map(|Covered { strategy, coverage }| {
        let reached = up_to(strategy, coverage);
        format!("\n        {reached}{}", counted(coverage.states, "state"))
    });
    let others: String = others.collect();
    format!(
        "covered {reached}{}, {}{waiting}, in {:.2} s{chance}{others}",
        counted(states, "state"),
        counted(usize::try_from(transitions).unwrap_or(usize::MAX), "transition"),
        monitor.elapsed().as_secs_f64()
    )
}

/// Up to which bound a policy has come. A bound that was not completed was only begun.
fn up_to(strategy: &StrategyName, coverage: &Coverage) -> String {
    let bound = strategy.unit().count(coverage.bound);
    if coverage.completed_bound == Some(coverage.bound) {
        format!("up to {bound} under {strategy}: ")
    } else {
        format!("with up to {bound} under {strategy} (not all): ")
    }
}

fn coverage_json(coverage: &Coverage, monitor: &Monitor) -> JsonCoverage {
    JsonCoverage {
        bound: coverage.bound,
        completed_bound: coverage.completed_bound,
        states: coverage.states,
        transitions: coverage.transitions,
        frontier: coverage.frontier,
        sealed: coverage.sealed,
        peak_bytes: coverage.peak_bytes,
        collision_chance: coverage.collision_chance,
        seconds: monitor.elapsed().as_secs_f64(),
    }
}
