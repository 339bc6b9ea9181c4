//! `dally verify`: decide with a solver whether an assertion can fail.

mod entries;
mod plan;
mod progress;
mod replay;
mod report;
mod unbounded;
mod work;

use std::cell::OnceCell;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;

use dally_bpl::Program;
use dally_bpl::ast::DeclKind;
use dally_counterexample::Translated;
use dally_explore::{BoundCoverage, InliningCoverage, Limit};
use dally_interp::Inputs;
use dally_smt::{Budget, Portfolio};
use dally_text::source::SourceMap;
use dally_verify::{Answer, Effort, InlineOptions, NoAnswer, Path, SolverError, Verifier};

use crate::budget;
use crate::cli::Verify;
use crate::language::Language;
use crate::output::{self, Exit};
use crate::traces;
use entries::Entry;
use plan::{Plan, Text};
use progress::{Display, Phase, Progress};
use replay::{Replay, Replayed};
use report::Finding;
use unbounded::Unbounded;
use work::Message;

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
    let entries = entries::named(arguments, program);
    if let Ok(entries) = &entries {
        // The plan of the first entry point is part of loading.
        let _ = entries.first().map(|entry| entry.plan(program));
    }
    budget.loaded();
    let entries = match entries {
        Ok(entries) => entries,
        Err(message) => return report::Json::refuse(arguments.json, &message),
    };
    if let Some(message) = refused(arguments, &entries) {
        return report::Json::refuse(arguments.json, &message);
    }
    if !arguments.json {
        output::warn(sources, &program.warnings);
    }
    Session { program, sources, budget: &budget }.run(arguments, &entries)
}

/// The reason why a run with these flags cannot start, if there is one.
fn refused(arguments: &Verify, entries: &[Entry]) -> Option<String> {
    let Some(Ok(Ok(plan))) = entries.first().and_then(Entry::finished_plan) else { return None };
    if arguments.solver.iter().any(|solver| solver.trim().is_empty()) {
        return Some("--solver: it names no solver".to_owned());
    }
    if let (Some((flag, _)), 2..) = (arguments.written.named().next(), entries.len()) {
        return Some(format!("{flag} is for one entry point: name it with --entry"));
    }
    traces::cannot_go_to(&arguments.program, arguments.written.named())
        .or_else(|| prepare_log(arguments, plan).err())
}

/// The program and the budget, which all entry points share.
struct Session<'s> {
    program: &'s Program,
    sources: &'s SourceMap,
    budget: &'s budget::Budget,
}

impl<'s> Session<'s> {
    /// Verifies one entry point after the other.
    fn run(&self, arguments: &Verify, entries: &'s [Entry]) -> Exit {
        let display = Display::new(arguments.progress);
        std::thread::scope(|scope| {
            let mut exits = Vec::new();
            let mut abandoned = false;
            for entry in entries {
                let ended = self.budget.reached().filter(|_| !exits.is_empty());
                exits.push(match ended {
                    Some(limit) => report::not_begun(entry, limit),
                    None => {
                        let (exit, alone) = self.verify(scope, entry, &display);
                        abandoned |= alone;
                        exit
                    }
                });
            }
            if entries.len() > 1 && !arguments.json {
                output::coloured(&format!("{}\n", entries::summary(&exits)));
            }
            let exit = entries::exit(&exits);
            if abandoned {
                // The verifying thread would keep the process running.
                std::process::exit(exit.code().into());
            }
            exit
        })
    }

    /// Verifies one entry point. True if the verifying thread is still running.
    fn verify<'scope>(
        &self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        entry: &'s Entry,
        display: &Display,
    ) -> (Exit, bool)
    where
        's: 'scope,
    {
        let started = Instant::now();
        let progress = Arc::new(Progress::new(Arc::clone(self.budget.solvers())));
        let (sender, messages) = mpsc::channel();
        let work = Work {
            program: self.program,
            sources: self.sources,
            entry,
            budget: self.budget.clone(),
            progress: Arc::clone(&progress),
        };
        let worker = scope.spawn(move || work.run(&sender));
        let done = work::wait(&messages, self.budget, &progress, display);
        let arguments = &entry.arguments;
        let (plan, done) = match (entry.finished_plan(), done) {
            (Some(Ok(Ok(plan))), Some(done)) => (plan, done),
            (Some(Ok(Err(message))), _) => return (report::Json::refuse(arguments.json, message), false),
            (Some(Err(diagnostics)), _) => {
                return (report::Json::errors(arguments.json, self.sources, diagnostics), false);
            }
            (None, Some(_)) => return (report::not_begun(entry, Limit::Time), true),
            (_, None) => match worker.join() {
                Ok(()) => {
                    return (report::Json::refuse(arguments.json, "the verification has ended early"), false);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            },
        };
        let remarks = unused_flags(arguments, plan);
        remarks.iter().for_each(|remark| output::remark(remark));
        let report =
            report::Reporter { entry, sources: self.sources, program: self.program, plan, remarks, started };
        let warnings = output::json(self.sources, &self.program.warnings);
        (report.show(&done.finding, done.replayed, warnings), done.abandoned)
    }
}

/// The verification of one entry point, in a thread of its own.
struct Work<'t> {
    program: &'t Program,
    sources: &'t SourceMap,
    entry: &'t Entry,
    budget: budget::Budget,
    progress: Arc<Progress>,
}

impl Work<'_> {
    fn run(&self, sender: &Sender<Message>) {
        let Ok(Ok(plan)) = self.entry.plan(self.program) else { return };
        let arguments = &self.entry.arguments;
        let budget = Budget {
            query: arguments.query_time,
            until: self.budget.until(),
            cancelled: Arc::clone(&self.budget.interrupt),
            decided: Arc::default(),
            processes: Arc::clone(self.budget.solvers()),
        };
        let stages = Stages {
            arguments,
            program: self.program,
            plan,
            budget,
            limits: &self.budget,
            progress: &self.progress,
            entry: self.entry.name.as_deref(),
        };
        let found = Arc::new(stages.run());
        // Sending fails once the run is abandoned.
        let _ = sender.send(Message::Found(Arc::clone(&found)));
        let _ = sender.send(Message::Replayed(self.replay(&found, plan)));
    }

    /// Replays a failing execution. Where the solver is not certain, functions may violate axioms, and a replay would show
    /// nothing.
    fn replay(&self, found: &Finding, plan: &Plan) -> Option<Replayed> {
        let Ok(Some(bug)) = &found.end else { return None };
        let Path { certain, left_out, forbidden, .. } = &*bug.path;
        if !certain && has_axioms(self.program) || !left_out.is_empty() || *forbidden {
            return None;
        }
        self.progress.begin(Phase::Replaying);
        let arguments = &self.entry.arguments.program;
        let replay = Replay { program: self.program, sources: self.sources, arguments, budget: &self.budget };
        let replayed = replay.run(&bug.inputs, plan.target(bug.at));
        Some(replayed.judged(*certain, dally_counterexample::unreadable(&bug.path)))
    }
}

/// Starts the clock of a verification.
fn start_budget(arguments: &Verify) -> Result<budget::Budget, String> {
    let limits = budget::Limits { time: arguments.time, memory: budget::memory(arguments.memory) };
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
        .and_then(|()| std::fs::File::create(log(folder, plan, 0, LogOf::default())))
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

/// Which process of a bound a log is of.
#[derive(Clone, Copy, Default)]
struct LogOf<'a> {
    /// The name of the entry point, if there are several.
    entry: Option<&'a str>,
    /// The number of the process, from 0.
    process: usize,
}

/// The file of a log.
fn log(folder: &str, plan: &Plan, index: usize, of: LogOf<'_>) -> std::path::PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let entry: String = of.entry.into_iter().flat_map(|name| name.chars().map(plain).chain(['-'])).collect();
    let nth = if of.process == 0 { String::new() } else { format!("-process-{}", of.process + 1) };
    std::path::Path::new(folder).join(format!("{entry}{}{nth}.smt2", plan.file(index)))
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
    /// The budget of the command.
    limits: &'t budget::Budget,
    progress: &'t Progress,
    /// The name of the entry point, if there are several.
    entry: Option<&'t str>,
}

impl<'t> Stages<'t> {
    fn run(&self) -> Finding {
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
                self.progress.search(self.plan.target(index).map(report::within), recursion);
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
                let bounds = self.bounds(&attempts);
                self.progress.complete(&bounds[index].clone(), bounds);
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
        self.progress.begin(Phase::Translating);
        let translated = self.plan.translate(self.program, index).map_err(NoAnswer::Unsupported)?;
        let translated = text.get_or_init(|| translated);
        let limits = dally_verify::Limits {
            interrupt: Arc::clone(&self.limits.interrupt),
            terms: dally_verify::Limits::TERMS.saturating_sub(held),
            inlined: Arc::clone(&self.progress.inlined),
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
        let limits =
            dally_verify::Limits { interrupt: Arc::clone(&self.limits.interrupt), ..Default::default() };
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
        let (folder, plan, entry) = (self.arguments.smt_log.as_deref(), self.plan, self.entry);
        let logs = move |nth: usize| {
            let Some(folder) = folder else { return Ok(None) };
            let path = log(folder, plan, index, LogOf { entry, process: nth });
            let file = std::fs::File::create(&path).map_err(|error| {
                SolverError::Broken(format!("cannot write `{}`: {error}", path.display()))
            })?;
            Ok(Some(Box::new(BufWriter::new(file)) as Box<dyn Write>))
        };
        let budget = Budget { decided: Arc::clone(decided), ..self.budget.clone() };
        Portfolio::start(&names, Box::new(logs), budget)
    }

    fn finding(&self, attempts: &[Attempt<'_>], end: Result<Option<report::Bug>, NoAnswer>) -> Finding {
        // A run is interrupted at a limit; which one it was, the budget knows.
        let end = end.map_err(|failure| match failure {
            NoAnswer::Solver(SolverError::Cancelled) => {
                NoAnswer::Solver(work::error(self.limits.reached().unwrap_or(Limit::Time)))
            }
            other => other,
        });
        let coverage = InliningCoverage {
            bounds: self.bounds(attempts),
            inlined: attempts.iter().map(|a| a.effort.inlined).sum(),
            queries: attempts.iter().map(|a| a.effort.queries).sum(),
        };
        let summarised = attempts.iter().any(|a| a.summarised.load(Ordering::Relaxed));
        Finding { end, coverage, summarised }
    }

    /// The coverage of each bound.
    fn bounds(&self, attempts: &[Attempt<'_>]) -> Vec<BoundCoverage> {
        let bound = |(index, attempt): (usize, &Attempt<'_>)| BoundCoverage {
            bound: self.plan.target(index).map(report::within),
            recursion: attempt.recursion,
            proved: attempt.proved == Some(true),
        };
        attempts.iter().enumerate().map(bound).collect()
    }
}
