//! `dally verify`: decide with a solver whether an assertion can fail.

mod plan;
mod replay;
mod report;
mod unbounded;

use std::cell::OnceCell;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dally_bpl::Program;
use dally_bpl::ast::DeclKind;
use dally_counterexample::Translated;
use dally_explore::{BoundCoverage, InliningCoverage};
use dally_interp::Inputs;
use dally_smt::{Budget, Portfolio};
use dally_verify::{Answer, Effort, InlineOptions, NoAnswer, Path, SolverError, Verifier};

use crate::budget;
use crate::cli::Verify;
use crate::language::Language;
use crate::output::{self, Exit};
use crate::traces;
use plan::{Plan, Text};
use replay::Replay;
use report::Finding;
use unbounded::Unbounded;

pub(crate) fn run(arguments: &Verify) -> Exit {
    let language = Language::of(&arguments.program.files);
    if !language.is_verifiable || arguments.program.test.is_some() {
        let message = match language.is_boogie && arguments.program.test.is_none() {
            true => "dally verify does not read C programs yet; dally check explores them",
            false => "dally verify is for Boogie programs; P programs are explored by dally check",
        };
        return report::Json::refuse(arguments.json, message);
    }
    if let Some(message) = language.refuses(&arguments.program.c.given()) {
        return report::Json::refuse(arguments.json, &message);
    }
    let budget = match start_budget(arguments) {
        Ok(budget) => budget,
        Err(message) => return report::Json::refuse(arguments.json, &message),
    };
    let loaded = match budget.loading(language.load(&arguments.program)) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            return report::Json::errors(arguments.json, &rejected.sources, &rejected.diagnostics);
        }
    };
    let (Some(program), sources) = (loaded.boogie(), loaded.sources()) else {
        budget.loaded();
        return report::Json::refuse(arguments.json, "the program was not lowered to Boogie");
    };
    let plan = Plan::new(arguments, program);
    budget.loaded();
    let plan = match plan {
        Ok(Ok(plan)) => plan,
        Ok(Err(message)) => return report::Json::refuse(arguments.json, &message),
        Err(diagnostics) => return report::Json::errors(arguments.json, sources, &diagnostics),
    };
    if arguments.solver.iter().any(|solver| solver.trim().is_empty()) {
        return report::Json::refuse(arguments.json, "--solver: it names no solver");
    }
    if let Some(message) = traces::cannot_go_to(&arguments.program, arguments.written.named()) {
        return report::Json::refuse(arguments.json, &message);
    }
    if let Err(message) = prepare_log(arguments, &plan) {
        return report::Json::refuse(arguments.json, &message);
    }
    let warnings = output::json(sources, &program.warnings);
    if !arguments.json {
        output::warn(sources, &program.warnings);
    }
    let remarks = unused_flags(arguments, &plan);
    remarks.iter().for_each(|remark| output::remark(remark));
    let started = Instant::now();
    let (cancelled, interrupt) = (Arc::clone(&budget.cancelled), Arc::clone(&budget.interrupt));
    let until = budget.until();
    let budget = Budget {
        query: arguments.query_time,
        until,
        cancelled: Arc::clone(&cancelled),
        decided: Arc::default(),
    };
    let found = Stages { arguments, program, plan: &plan, budget, interrupt: Arc::clone(&interrupt) }.run();
    let report = report::Reporter { arguments, sources, program, plan: &plan, remarks, started };
    let replayed = match &found.end {
        // Where the solver is not certain, functions may violate axioms, and a replay would show nothing.
        Ok(Some(bug))
            if (bug.path.certain || !has_axioms(program))
                && bug.path.left_out.is_empty()
                && !bug.path.forbidden =>
        {
            let replay = Replay {
                program,
                sources,
                arguments: &arguments.program,
                cancelled: &cancelled,
                interrupt: &interrupt,
            };
            let replayed = replay.run(&bug.inputs, plan.target(bug.at));
            Some(replayed.judged(bug.path.certain, dally_counterexample::unreadable(&bug.path)))
        }
        _ => None,
    };
    report.show(&found, replayed, warnings)
}

/// Starts the clock of a verification.
fn start_budget(arguments: &Verify) -> Result<budget::Budget, String> {
    let limits = budget::Limits { time: arguments.time, memory: None };
    let (json, files) = (arguments.json, arguments.program.files.clone());
    budget::Budget::start(limits, move |limit| report::Json::ended_early(json, &files, limit))
}

/// The flags that have no effect.
fn unused_flags(arguments: &Verify, plan: &Plan) -> Vec<String> {
    let mut unused = arguments.bounds.given();
    unused.extend(arguments.scheduler.is_some().then_some("--scheduler"));
    unused.extend(arguments.program.preempt.then_some("--preempt"));
    if plan.sequential().is_none() || unused.is_empty() {
        return Vec::new();
    }
    let makes = if unused.len() == 1 { "makes" } else { "make" };
    vec![format!("the program is sequential: {} {makes} no difference", unused.join(" and "))]
}

/// Checks that logs can be written, before the run.
fn prepare_log(arguments: &Verify, plan: &Plan) -> Result<(), String> {
    let Some(folder) = &arguments.smt_log else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::File::create(log(folder, plan, 0, 0)))
        .map(|_| ())
        .map_err(|error| format!("--smt-log: cannot write to `{folder}`: {error}"))
}

/// The solvers to start: those of `--solver`, else those of the environment, else z3.
fn solver_names(given: &[String]) -> Vec<String> {
    let environment = || std::env::var("DALLY_SOLVER").ok();
    let listed =
        |names: String| names.split(',').filter(|n| !n.trim().is_empty()).map(str::to_owned).collect();
    let names = if given.is_empty() { environment().map_or_else(Vec::new, listed) } else { given.to_vec() };
    if names.is_empty() { vec!["z3".to_owned()] } else { names }
}

/// The file of the log of the n-th process for a bound on schedules.
fn log(folder: &str, plan: &Plan, index: usize, nth: usize) -> std::path::PathBuf {
    let nth = if nth == 0 { String::new() } else { format!("-process-{}", nth + 1) };
    std::path::Path::new(folder).join(format!("{}{nth}.smt2", plan.file(index)))
}

fn has_axioms(program: &Program) -> bool {
    program.ast.decls.iter().any(|decl| match &decl.kind {
        DeclKind::Axiom(_) => true,
        DeclKind::Const(c) => !c.uses.is_empty(),
        DeclKind::Function(f) => !f.uses.is_empty(),
        _ => false,
    })
}

/// One bound on schedules.
struct Attempt<'t> {
    /// None once the result is final: its terms and its process are released.
    work: Option<(Verifier<'t>, Portfolio<'t>)>,
    effort: Effort,
    /// The highest recursion bound that is complete.
    recursion: u32,
    /// The final result: true for a proof.
    proved: Option<bool>,
    /// The search for a proof without a bound on recursion, once this bound was reached; none if it was not needed or cannot
    /// be made.
    unbounded: Option<Option<Unbounded>>,
    /// Set once that search has found a proof.
    summarised: Arc<AtomicBool>,
}

impl Attempt<'_> {
    /// The number of its terms.
    fn held(&self) -> usize {
        self.work.as_ref().map_or(0, |(verifier, _)| verifier.held())
    }

    /// Makes the result final if there is a proof without a bound on recursion.
    fn is_summarised(&mut self) -> bool {
        let summarised = self.summarised.load(Ordering::Relaxed);
        if summarised {
            (self.proved, self.work, self.unbounded) = (Some(true), None, None);
        }
        summarised
    }

    /// Makes the result final, unless it rests on a contradiction.
    fn close(&mut self, proved: bool) -> Result<(), NoAnswer> {
        self.proved = Some(false);
        self.unbounded = None;
        if let Some((verifier, mut solver)) = self.work.take() {
            match verifier.contradiction(&mut solver) {
                Ok(Some(theory)) => return Err(NoAnswer::Contradiction(theory)),
                // The result so far stands.
                Ok(None)
                | Err(NoAnswer::Solver(
                    SolverError::Time | SolverError::QueryTime | SolverError::Cancelled,
                )) => {}
                Err(other) => return Err(other),
            }
        }
        self.proved = Some(proved);
        Ok(())
    }
}

/// Bounds on schedules and on recursion, raised in turns: each stage doubles the recursion bounds of the open bounds on schedules,
/// and opens one more.
struct Stages<'t> {
    arguments: &'t Verify,
    program: &'t Program,
    plan: &'t Plan,
    budget: Budget,
    interrupt: Arc<AtomicBool>,
}

impl<'t> Stages<'t> {
    fn run(self) -> Finding {
        let texts: Vec<OnceCell<Text<'t>>> = (0..self.plan.len()).map(|_| OnceCell::new()).collect();
        let mut attempts: Vec<Attempt<'_>> = Vec::new();
        for stage in 0.. {
            if let Some(text) = texts.get(stage) {
                let held = attempts.iter().map(Attempt::held).sum();
                match self.begin(text, stage, held) {
                    Ok(attempt) => attempts.push(attempt),
                    Err(failure) => return self.finding(&attempts, Err(failure)),
                }
            }
            for index in 0..attempts.len() {
                let held: usize = attempts.iter().map(Attempt::held).sum();
                let attempt = &mut attempts[index];
                if attempt.is_summarised() {
                    continue;
                }
                let Some((verifier, solver)) = &mut attempt.work else { continue };
                let most = self.arguments.recursion.unwrap_or(u32::MAX);
                let steps = u32::try_from(stage - index).unwrap_or(u32::MAX);
                let recursion = 1u32.checked_shl(steps).unwrap_or(u32::MAX).min(most);
                let others = held - verifier.held();
                verifier.allow(dally_verify::Limits::TERMS.saturating_sub(others));
                let answer = verifier.run(recursion, solver);
                attempt.effort = verifier.effort();
                let closed = match answer {
                    Ok(Answer::Proved) => attempt.close(true),
                    Ok(Answer::NoBug) if recursion == most => attempt.close(false),
                    Ok(Answer::NoBug) => {
                        if attempt.unbounded.is_none() {
                            attempt.unbounded = Some(self.prove(index, &texts[index], &attempt.summarised));
                        }
                        Ok(())
                    }
                    Err(NoAnswer::Solver(SolverError::Cancelled)) if attempt.is_summarised() => continue,
                    Ok(Answer::Bug(path)) => {
                        let bug = texts[index].get().map(|text| self.bug(index, text.view(), path));
                        return self.finding(&attempts, Ok(bug));
                    }
                    Err(failure) => Err(failure),
                };
                if let Err(failure) = closed {
                    return self.finding(&attempts, Err(failure));
                }
                attempt.recursion = recursion;
            }
            if attempts.len() == texts.len() && attempts.iter().all(|a| a.proved.is_some()) {
                return self.finding(&attempts, Ok(None));
            }
            if self.budget.until.is_some_and(|until| Instant::now() >= until) {
                return self.finding(&attempts, Err(NoAnswer::Solver(SolverError::Time)));
            }
        }
        self.finding(&attempts, Ok(None))
    }

    fn begin<'p>(
        &self,
        text: &'p OnceCell<Text<'t>>,
        index: usize,
        held: usize,
    ) -> Result<Attempt<'p>, NoAnswer> {
        let translated = self.plan.translate(self.program, index).map_err(NoAnswer::Unsupported)?;
        let translated = text.get_or_init(|| translated);
        let limits = dally_verify::Limits {
            interrupt: Arc::clone(&self.interrupt),
            terms: dally_verify::Limits::TERMS.saturating_sub(held),
        };
        let options =
            InlineOptions { full: self.arguments.full_inlining, calls: self.arguments.calls, limits };
        let view = translated.view();
        let verifier = Verifier::new(view.program, view.root, &options)?;
        let summarised: Arc<AtomicBool> = Arc::default();
        let solver = self.start_solver(index, &summarised)?;
        let effort = verifier.effort();
        let work = Some((verifier, solver));
        Ok(Attempt { work, effort, recursion: 0, proved: None, unbounded: None, summarised })
    }

    /// Starts the search for a proof without a bound on recursion, unless the user asks for one.
    fn prove(&self, index: usize, text: &OnceCell<Text<'t>>, proved: &Arc<AtomicBool>) -> Option<Unbounded> {
        let arguments = self.arguments;
        if arguments.recursion.is_some() || arguments.calls.is_some() || arguments.full_inlining {
            return None;
        }
        let view = text.get()?.view();
        let limits = dally_verify::Limits { interrupt: Arc::clone(&self.interrupt), ..Default::default() };
        let clauses = dally_verify::horn_clauses(view.program, view.root, &limits)?;
        let solvers = solver_names(&arguments.solver);
        let log = arguments
            .smt_log
            .as_deref()
            .map(|folder| std::path::Path::new(folder).join(format!("{}-horn.smt2", self.plan.file(index))));
        let log = log.and_then(|path| std::fs::File::create(path).ok());
        let log = log.map(|file| Box::new(BufWriter::new(file)) as Box<dyn Write + Send>);
        Some(Unbounded::start(clauses, &solvers, log, &self.budget, Arc::clone(proved)))
    }

    fn bug(&self, at: usize, text: Translated<'_>, path: Box<Path>) -> report::Bug {
        let failed = dally_counterexample::failure(&text, &path);
        let inputs = dally_counterexample::inputs(self.program, &text, &path);
        report::Bug { at, path, inputs: Inputs { failure: Some(failed.span), ..inputs }, failed }
    }

    fn start_solver(&self, index: usize, decided: &Arc<AtomicBool>) -> Result<Portfolio<'t>, SolverError> {
        let names = solver_names(&self.arguments.solver);
        let (folder, plan) = (self.arguments.smt_log.as_deref(), self.plan);
        let logs = move |nth: usize| {
            let Some(folder) = folder else { return Ok(None) };
            let path = log(folder, plan, index, nth);
            let file = std::fs::File::create(&path).map_err(|error| {
                SolverError::Broken(format!("cannot write `{}`: {error}", path.display()))
            })?;
            Ok(Some(Box::new(BufWriter::new(file)) as Box<dyn Write>))
        };
        let budget = Budget { decided: Arc::clone(decided), ..self.budget.clone() };
        Portfolio::start(&names, Box::new(logs), budget)
    }

    fn finding(self, attempts: &[Attempt<'_>], end: Result<Option<report::Bug>, NoAnswer>) -> Finding {
        // Without Ctrl-C, only the clock interrupts a run.
        let cancelled = self.budget.cancelled.load(Ordering::Relaxed);
        let end = end.map_err(|failure| match failure {
            NoAnswer::Solver(SolverError::Cancelled) if !cancelled => NoAnswer::Solver(SolverError::Time),
            other => other,
        });
        let bound = |(index, attempt): (usize, &Attempt<'_>)| BoundCoverage {
            bound: self.plan.target(index).map(report::within),
            recursion: attempt.recursion,
            proved: attempt.proved == Some(true),
        };
        let coverage = InliningCoverage {
            bounds: attempts.iter().enumerate().map(bound).collect(),
            inlined: attempts.iter().map(|a| a.effort.inlined).sum(),
            queries: attempts.iter().map(|a| a.effort.queries).sum(),
        };
        let summarised = attempts.iter().any(|a| a.summarised.load(Ordering::Relaxed));
        Finding { end, coverage, summarised }
    }
}
