//! The report of `dally verify`.

use std::time::Instant;

use dally_bpl::Program;
use dally_bpl::ast::{DeclKind, SpecKind, StmtKind, for_each_stmt_mut};
use dally_c::Caveat;
use dally_explore::{BoundCoverage, Coverage, InliningCoverage, Limit, Verdict};
use dally_interp::Inputs;
use dally_sequentialize::{Bounds, Target, waits_cost_delays};
use dally_text::render::{JsonDiagnostic, printable};
use dally_text::source::{SourceMap, Span};
use dally_trace::{Location, Trace};
use dally_verify::{Failed, NoAnswer, Path, SolverError, Theory};
use serde::Serialize;

use super::cases::{self, Cases, Ended};
use super::engine::{Basis, Tracked};
use super::entries::Entry;
use super::plan::Plan;
use super::replay::Evidence;
use crate::cli::Verify;
use crate::outcome::{OutcomeJson, SchedulingPoints, Timed};
use crate::output::{self, Exit};
use crate::traces;

/// A failing execution.
pub(crate) struct Bug {
    /// The index of the bound on schedules.
    pub(crate) at: usize,
    pub(crate) path: Box<Path>,
    /// The inputs of its execution.
    pub(crate) inputs: Inputs,
    /// The condition that fails, in the original program.
    pub(crate) failed: Failed,
}

/// The result of a run.
pub(crate) struct Finding {
    pub(crate) end: Result<Option<Bug>, NoAnswer>,
    pub(crate) coverage: InliningCoverage,
    pub(crate) basis: Basis,
}

/// The object that `dally verify --json` prints.
pub(crate) type Json<'a> = OutcomeJson<'a, InliningCoverage, More>;

/// The keys that only `dally verify` has.
#[derive(Default, Serialize)]
pub(crate) struct More {
    /// The entry point, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    failure: Option<JsonFailure>,
    /// Remarks on the flags, and on the limits of the verdict.
    remarks: Vec<String>,
    /// The globals that were tracked, unless all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    tracked: Option<Vec<String>>,
    /// Where tasks are switched: `explicit` or `accesses`; none if the program is sequential.
    scheduling_points: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonFailure {
    message: String,
    location: Option<Location>,
}

/// The limit of every verdict without a bug.
const DEADLOCKS: &str = "deadlocks are not covered: dally check reports tasks that wait forever";

/// The meaning of a bug where procedures are verified by themselves.
const WEAK: &str = "calls and loops have any effects that contracts and invariants allow: if these are too weak, the program may have no such execution";

/// A limit of verdicts without a bug, where procedures have measures.
const MEASURES: &str = "measures are not checked: loops and recursion may not terminate";

/// The context of a report.
pub(crate) struct Reporter<'r> {
    pub(crate) entry: &'r Entry,
    pub(crate) sources: &'r SourceMap,
    pub(crate) program: &'r Program,
    pub(crate) plan: &'r Plan,
    /// Remarks about the flags.
    pub(crate) remarks: Vec<String>,
    /// True if the program is in a language that is lowered to Boogie.
    pub(crate) is_lowered: bool,
    /// The limits of the model.
    pub(crate) caveats: &'r [Caveat],
    pub(crate) started: Instant,
}

impl Reporter<'_> {
    fn arguments(&self) -> &Verify {
        &self.entry.arguments
    }

    pub(crate) fn show(
        &self,
        finding: &Finding,
        replayed: Option<Evidence>,
        warnings: Vec<JsonDiagnostic>,
        cases: &Cases,
    ) -> Exit {
        if let Err(NoAnswer::Unsupported(diagnostics)) = &finding.end {
            self.entry.announce();
            let exit = Json::errors(self.arguments().json, self.sources, diagnostics);
            cases.add_errors(self.entry.name.clone(), exit, self.sources, diagnostics);
            return exit;
        }
        let failed = match &finding.end {
            Ok(Some(bug)) => Some(&bug.failed),
            _ => None,
        };
        let expected = failed.and_then(|f| self.sources.location(f.span));
        let replayed = replayed.map(|replayed| replayed.at(expected.as_ref()));
        let replayed = replayed.as_ref();
        let verdict = self.verdict(finding, replayed);
        let trace = match replayed {
            Some(Evidence::Trace(trace)) => Some(&**trace),
            _ => None,
        };
        let message = self.sentence(verdict.headline(), finding, replayed);
        let points = self.scheduling_points();
        let assumed = self.assumptions(finding, &verdict);
        cases.add(Ended {
            name: self.entry.name.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            result: cases::result(&verdict),
            message: message.clone(),
            location: expected.clone(),
            trace: trace.map(|trace| Box::new(trace.clone())),
            diagnostics: warnings.clone(),
        });
        let written = if self.arguments().json {
            let location = failed.and_then(|f| self.sources.location(f.span));
            let failure = failed.map(|f| JsonFailure { message: f.message.to_owned(), location });
            let last = finding.coverage.bounds.len().saturating_sub(1);
            output::write_json(&Json {
                verdict: verdict.word(),
                message: &message,
                policy: self.plan.target(last).map(Target::describe),
                coverage: Some(Timed::new(finding.coverage.clone(), self.started.elapsed())),
                trace,
                diagnostics: warnings,
                more: More {
                    entry: self.entry.name.clone(),
                    failure,
                    remarks: self.remarks.iter().cloned().chain(assumed.iter().cloned()).collect(),
                    tracked: finding.basis.tracked.as_ref().map(|tracked| tracked.names.clone()),
                    scheduling_points: points.map(SchedulingPoints::word),
                },
            })
        } else {
            let excerpt = || failed.and_then(|f| self.excerpt(f.span)).unwrap_or_default();
            let shown = match trace {
                Some(trace) if self.arguments().full_trace => {
                    format!("\n{}\n", dally_trace::text(trace, &output::look()))
                }
                Some(trace) => {
                    format!("\n{}\n", dally_trace::text(&dally_trace::brief(trace), &output::look()))
                }
                None => excerpt(),
            };
            let covered = finding.coverage.sentence("", self.started.elapsed());
            let assumption = points.and_then(|points| points.assumption(&verdict)).unwrap_or_default();
            let assumed: String = assumed.iter().map(|line| format!("{line}\n")).collect();
            self.entry.announce();
            output::coloured(&format!("{message}\n{assumption}{assumed}{shown}{covered}\n"))
        };
        self.write_trace(finding, trace);
        output::exit_after(written, verdict.exit())
    }

    /// Writes the trace of a bug to the files that the flags name, or says why there is none.
    fn write_trace(&self, finding: &Finding, trace: Option<&Trace>) {
        let files = &self.arguments().written;
        match trace {
            Some(trace) => traces::write_or_complain(trace, self.sources, files),
            None if matches!(finding.end, Ok(Some(_))) => {
                let why = "no execution was run again that fails";
                for (flag, file) in files.named() {
                    output::remark(&format!("{flag}: nothing is written to `{file}`, for {why}"));
                }
            }
            None => {}
        }
    }

    /// The assumptions of a verdict, and what it does not cover, a line each.
    fn assumptions(&self, finding: &Finding, verdict: &Verdict<()>) -> Vec<String> {
        let Basis { tracked, summaries, contradictory } = &finding.basis;
        let contradictory = contradictory.filter(|_| verdict.is_clean()).map(|theory| {
            format!(
                "{}, unless they are used only where their triggers occur, as in this proof",
                conflict(theory)
            )
        });
        let summaries = summaries.clone().filter(|_| *verdict == Verdict::Proved);
        let deadlocks = self.may_deadlock(verdict).then_some(DEADLOCKS);
        let fixed = deadlocks.into_iter().chain(self.modular(verdict)).map(str::to_owned);
        let clean = verdict.is_clean();
        let model = self.caveats.iter().filter(|_| clean).map(|caveat| caveat.message.clone());
        let found = summaries.into_iter().chain(contradictory);
        found.chain(tracked.as_ref().map(tracking)).chain(fixed).chain(model).collect()
    }

    /// A remark about a procedure that is verified by itself.
    fn modular(&self, verdict: &Verdict<()>) -> Option<&'static str> {
        if !self.arguments().modular {
            return None;
        }
        let measures = self.program.ast.decls.iter().any(|decl| match &decl.kind {
            DeclKind::Procedure(p) => p.specs.iter().any(|s| matches!(s.kind, SpecKind::Measure(_))),
            _ => false,
        });
        match verdict {
            Verdict::Bug(_) => Some(WEAK),
            _ if verdict.is_clean() && measures => Some(MEASURES),
            _ => None,
        }
    }

    /// Where tasks are switched; none if the program is sequential.
    fn scheduling_points(&self) -> Option<SchedulingPoints> {
        self.plan.sequential().is_none().then_some(match self.arguments().program.preempt {
            true => SchedulingPoints::Accesses,
            false if self.is_lowered => SchedulingPoints::Memory,
            false => SchedulingPoints::Explicit,
        })
    }

    /// True if a clean verdict says nothing about tasks that may wait forever.
    fn may_deadlock(&self, verdict: &Verdict<()>) -> bool {
        let blocks = |kind: &StmtKind| matches!(kind, StmtKind::Wait(..) | StmtKind::Await(_));
        verdict.is_clean() && self.plan.sequential().is_none() && has_stmt(self.program, blocks)
    }

    /// The verdict. A counterexample that no execution confirms is not a bug.
    fn verdict(&self, finding: &Finding, replayed: Option<&Evidence>) -> Verdict<()> {
        match &finding.end {
            Ok(Some(bug)) if self.doubt(bug, replayed).is_some() => Verdict::Inconclusive(Limit::Unconfirmed),
            Ok(Some(_)) if matches!(replayed, Some(Evidence::Not(_) | Evidence::Absent(_))) => {
                Verdict::Inconclusive(Limit::Unconfirmed)
            }
            Ok(Some(_)) => Verdict::Bug(Box::new(())),
            Ok(None) if self.caveats.iter().any(|caveat| caveat.weakens) => Verdict::NoBug,
            Ok(None) if finding.coverage.bounds.iter().all(|c| c.proved) => Verdict::Proved,
            Ok(None) => Verdict::NoBug,
            Err(failure) => Verdict::Inconclusive(limit(failure)),
        }
    }

    /// The verdict in one sentence, which begins with its headline.
    fn sentence(&self, headline: &str, finding: &Finding, replayed: Option<&Evidence>) -> String {
        match &finding.end {
            Ok(Some(bug)) => self.bug_sentence(headline, bug, replayed),
            Ok(None) => self.clean_sentence(headline, finding),
            Err(failure) => {
                let (why, known) = (reason(failure), self.known(finding));
                match (failure, known) {
                    (_, None) => format!("{headline}: nothing is known; {why}"),
                    // The solver that failed is not the source of what is known.
                    (NoAnswer::Solver(SolverError::Broken(_)), Some(known)) => {
                        format!("{headline}: {why}; all that is known is that {known}")
                    }
                    (_, Some(known)) => format!("{headline}: {known}; {why}"),
                }
            }
        }
    }

    fn bug_sentence(&self, headline: &str, bug: &Bug, replayed: Option<&Evidence>) -> String {
        let Failed { message, span } = bug.failed;
        let place = self.sources.location(span).map(|at| format!(" at {at}")).unwrap_or_default();
        let searched = self.plan.target(bug.at);
        let bound = searched.map(|t| at_most(t, replayed));
        let fewer = bound != searched && !self.counting(bug.at).is_empty();
        let counted = searched.filter(|_| fewer).map(|t| format!(" ({} if waiting counts)", within(t)));
        let bound = bound.map(|t| format!(", {}{}", within(t), counted.unwrap_or_default()));
        let bound = bound.unwrap_or_default();
        // The words of a language that was lowered, which name the place.
        let told = match replayed {
            Some(Evidence::Trace(trace)) => Some(trace.failure.message.as_str()),
            _ => None,
        };
        let told =
            told.filter(|told| self.is_lowered && !place.is_empty() && told.contains(&place[" at ".len()..]));
        let (message, place) = told.map_or((message, place.as_str()), |told| (told, ""));
        let what = format!("{}{}{bound}{}", printable(message), printable(place), self.caveat(&bug.path));
        if let Some(doubt) = self.doubt(bug, replayed) {
            let why = match replayed {
                Some(Evidence::Not(reason)) => {
                    format!(", and what it suggests could not be replayed: {}", printable(reason))
                }
                _ => String::new(),
            };
            return format!("{headline}: {doubt}{why}; perhaps {what}");
        }
        match replayed {
            Some(Evidence::Absent(_)) => format!(
                "{headline}: the solver has found a failing execution, but with its values the program does not fail \
                 there: this is a defect of dally, or of the solver; please report it, with the program and the log \
                 that --smt-log writes; perhaps {what}"
            ),
            Some(Evidence::Not(reason)) => format!(
                "{headline}: the solver has found a failing execution, but it could not be replayed: {}; perhaps \
                 {what}",
                printable(reason)
            ),
            _ => format!("{headline}: {what}"),
        }
    }

    fn clean_sentence(&self, headline: &str, finding: &Finding) -> String {
        let last = finding.coverage.bounds.len().saturating_sub(1);
        let bound = self.plan.target(last).map(within);
        let shown = bound.map(|b| format!(" {b}")).unwrap_or_default();
        let counting = self.counting(last);
        match finding.coverage.bounds.iter().map(|c| (!c.proved).then_some(c.recursion)).min().flatten() {
            None => format!("{headline}: no execution fails{shown}{counting}"),
            Some(recursion) => {
                let and = if shown.is_empty() { "" } else { " and" };
                format!("{headline}{shown}{and} {}{counting}", self.within_recursion(recursion))
            }
        }
    }

    /// The last bound about which something is known, in words; none if there is none.
    fn known(&self, finding: &Finding) -> Option<String> {
        let index = finding.coverage.bounds.iter().rposition(|c| c.recursion > 0 || c.proved)?;
        let BoundCoverage { recursion, proved, .. } = finding.coverage.bounds[index];
        let bound = self.plan.target(index).map(within);
        let counting = self.counting(index);
        Some(match (bound, proved) {
            (Some(bound), true) => format!("no execution {bound} fails{counting}"),
            (None, true) => "no execution fails".to_owned(),
            (Some(bound), false) => {
                format!("no bug was found {bound} and {}{counting}", recursively(recursion))
            }
            (None, false) => format!("no bug was found {}", recursively(recursion)),
        })
    }

    /// The reason to doubt a counterexample that has no trace: it is not replayed where axioms could exclude it.
    fn doubt(&self, bug: &Bug, replayed: Option<&Evidence>) -> Option<&'static str> {
        if bug.path.forbidden {
            return Some("all axioms together rule out the failure that was found, or contradict each other");
        }
        if !bug.path.left_out.is_empty() {
            return Some("the solver could not take all axioms into account");
        }
        if matches!(replayed, Some(Evidence::Trace(_))) {
            return None;
        }
        if !bug.path.certain {
            return Some("the solver could not check all quantifiers");
        }
        let early = matches!(self.plan.target(bug.at), Some(Target::Buffers { .. } | Target::Synce { .. }))
            && has_stmt(self.program, |kind| matches!(kind, StmtKind::Await(_)))
            && has_buffers(self.program);
        early.then_some("the translation lets other buffers run too early where a task waits for a condition")
    }

    /// The axioms that a counterexample depends on.
    fn caveat(&self, path: &Path) -> String {
        let places = path.left_out.iter().filter_map(|span| self.sources.location(*span));
        let places: Vec<String> = places.map(|at| at.to_string()).collect();
        if places.is_empty() {
            return String::new();
        }
        let what = match path.forbidden {
            true => "it can fail if these axioms, whose triggers nothing uses, are left out:",
            false => "unless these axioms forbid it:",
        };
        format!("; {what} {}", printable(&places.join(", ")))
    }

    /// Where costs differ from those of `dally check`.
    fn counting(&self, at: usize) -> &'static str {
        let waits = |kind: &StmtKind| matches!(kind, StmtKind::Wait(..) | StmtKind::Await(_));
        let urgent = |kind: &StmtKind| matches!(kind, StmtKind::Async(post) if post.level.is_some());
        match self.plan.target(at) {
            Some(Target::Dfw(_)) if waits_cost_delays(self.program) => {
                ", counting delays also for tasks that have to wait: dally check, which does not, may find a bug with fewer"
            }
            Some(Target::Buffers { .. } | Target::Synce { .. })
                if has_stmt(self.program, waits) && has_stmt(self.program, urgent) =>
            {
                ", where a task that has to wait keeps those of lower levels from running"
            }
            _ => "",
        }
    }

    /// The bounds on recursion and on nested calls, in words.
    fn within_recursion(&self, recursion: u32) -> String {
        match self.arguments().calls {
            None => recursively(recursion),
            Some(calls) if recursion == u32::MAX => format!("with calls at most {calls} deep"),
            Some(calls) => format!("with calls at most {calls} deep, {}", recursively(recursion)),
        }
    }

    /// The line of the text, with its number.
    fn excerpt(&self, span: Span) -> Option<String> {
        let file = self.sources.file_of(span)?;
        let line = file.line_column(span.start).line;
        let text = file.text.get(file.line_range(line)?)?;
        Some(format!("\n{line:>5} | {}\n\n", printable(&output::shortened(text.trim_end()))))
    }
}

/// The globals that an abstraction has tracked, in words.
fn tracking(tracked: &Tracked) -> String {
    /// More names are not listed.
    const MOST: usize = 12;
    let Tracked { names, of } = tracked;
    let mut listed = names.iter().take(MOST).map(|name| printable(name)).collect::<Vec<_>>();
    if names.len() > MOST {
        listed.push("…".to_owned());
    }
    let listed = if listed.is_empty() { String::new() } else { format!(" ({})", listed.join(", ")) };
    format!("tracked {} of {of} globals{listed}; the others were arbitrary", names.len())
}

/// Reports an entry point that was not verified because a limit was reached before.
pub(crate) fn not_begun(entry: &Entry, limit: Limit) -> Exit {
    let verdict = Verdict::<()>::Inconclusive(limit);
    let message = format!("{}: {limit}, before it was verified", verdict.headline());
    if !entry.arguments.json {
        entry.announce();
        return output::exit_after(output::coloured(&format!("{message}\n")), verdict.exit());
    }
    let json = Json {
        verdict: verdict.word(),
        message: &message,
        policy: None,
        coverage: None,
        trace: None,
        diagnostics: Vec::new(),
        more: More { entry: entry.name.clone(), ..More::default() },
    };
    output::exit_after(output::write_json(&json), verdict.exit())
}

/// The limit that a verifier without an answer has met.
fn limit(failure: &NoAnswer) -> Limit {
    match failure {
        NoAnswer::Solver(SolverError::Time) => Limit::Time,
        NoAnswer::Solver(SolverError::QueryTime) => Limit::Query,
        NoAnswer::Solver(SolverError::Memory) => Limit::Memory,
        NoAnswer::Solver(SolverError::Cancelled) => Limit::Cancelled,
        NoAnswer::Solver(SolverError::Broken(_)) => Limit::Solver,
        NoAnswer::Unknown(_) | NoAnswer::Unsupported(_) => Limit::Unknown,
        NoAnswer::Contradiction(_) => Limit::Contradiction,
        NoAnswer::TooLarge => Limit::Size,
    }
}

/// The reason why a run has no result, in words.
fn reason(failure: &NoAnswer) -> String {
    let limit = limit(failure);
    match failure {
        NoAnswer::Solver(SolverError::Broken(message)) => multi_line(message),
        NoAnswer::Unknown(reason) => format!("{limit}: {}", unknown(reason)),
        NoAnswer::Contradiction(theory) => format!("{}, which would prove anything", conflict(*theory)),
        NoAnswer::Solver(_) | NoAnswer::TooLarge | NoAnswer::Unsupported(_) => limit.to_string(),
    }
}

/// The formulas that contradict each other, in words.
fn conflict(theory: Theory) -> &'static str {
    match theory {
        Theory::Axioms => "the axioms contradict each other",
        Theory::Definitions => "definitions of recursive functions contradict themselves",
        Theory::Constants => "there are more unique constants than their type has values",
        Theory::Both => "the axioms and the definitions of recursive functions contradict each other",
    }
}

/// The reason for `unknown`, in words.
fn unknown(reason: &str) -> String {
    let known = [
        ("quantifier", "it cannot check all quantifiers"),
        ("arithmetic", "its arithmetic is incomplete"),
        ("mem", "it has run out of memory"),
        ("timeout", "it has given up"),
        ("resource", "it has given up"),
        ("canceled", "it has given up"),
        ("incomplete", "what it does is incomplete"),
    ];
    let found = known.into_iter().find(|(word, _)| reason.contains(word));
    found.map_or_else(|| printable(reason), |(_, words)| words.to_owned())
}

/// Escapes a message, line by line.
fn multi_line(message: &str) -> String {
    message.lines().map(printable).collect::<Vec<_>>().join("\n")
}

/// The bound on recursion, in words.
pub(super) fn recursively(recursion: u32) -> String {
    let plural = if recursion == 1 { "" } else { "s" };
    format!("within {recursion} iteration{plural} of each loop and {recursion} level{plural} of recursion")
}

/// A bound on schedules, in words.
pub(super) fn within(target: Target) -> String {
    let plural = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let name = target.name();
    match target {
        Target::Dfs(b) | Target::Df(b) | Target::Dfw(b) => match b.delays {
            Some(delays) if b.rounds == delays + 1 => {
                format!("with at most {} under {name}", plural(delays, "delay"))
            }
            Some(delays) => {
                format!(
                    "with at most {} in {} under {name}",
                    plural(delays, "delay"),
                    plural(b.rounds, "round")
                )
            }
            None => format!("in {} under {name}", plural(b.rounds, "round")),
        },
        Target::LalReps { rounds } | Target::Synce { rounds } => {
            format!("in {} under {name}", plural(rounds, "round"))
        }
        Target::Buffers { zields, yields } => {
            format!(
                "with {} and {} under {name}",
                plural(zields, "zield round"),
                plural(yields, "yield round")
            )
        }
    }
}

/// The bound of a bug: at most the cost of the execution that was found.
fn at_most(target: Target, replayed: Option<&Evidence>) -> Target {
    let Some(Evidence::Trace(trace)) = replayed else { return target };
    let spent = |bounds: Bounds| match bounds.delays {
        Some(delays) if trace.cost < delays && bounds.rounds == delays + 1 => Bounds::delays(trace.cost),
        Some(delays) => Bounds { delays: Some(delays.min(trace.cost)), ..bounds },
        None => bounds,
    };
    match target {
        Target::Dfs(bounds) => Target::Dfs(spent(bounds)),
        Target::Df(bounds) => Target::Df(spent(bounds)),
        Target::Dfw(bounds) => Target::Dfw(spent(bounds)),
        other => other,
    }
}

/// True if there is such a statement.
fn has_stmt(program: &Program, is_one: impl Fn(&StmtKind) -> bool) -> bool {
    let ast = &program.ast;
    let mut found = false;
    for block in ast.decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::Procedure(p) => p.body.as_ref().map(|b| &b.block),
        DeclKind::Implementation(i) => Some(&i.body.block),
        _ => None,
    }) {
        for_each_stmt_mut(&mut block.clone(), &mut |stmt| found |= is_one(&stmt.kind));
    }
    found
}

fn has_buffers(program: &Program) -> bool {
    program.ast.decls.iter().any(|decl| program.ast.attr(&decl.attrs, "buffer").is_some())
}
