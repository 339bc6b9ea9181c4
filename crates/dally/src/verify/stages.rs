//! Bounds on schedules and on recursion, raised in turns: each stage doubles the recursion bounds of the open bounds on
//! schedules, and opens one more. [`Race`](super::race) has the engines that search them.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dally_bpl::Program;
use dally_bpl::ast::DeclKind;
use dally_counterexample::Translated;
use dally_explore::{InliningCoverage, Limit};
use dally_interp::Inputs;
use dally_smt::{Portfolio, SolverBudget};
use dally_verify::{Group, NoAnswer, Path, SolverError};

use super::engine::{Made, Method};
use super::entries::Entry;
use super::plan::Plan;
use super::progress::Progress;
use super::race::{Outcome, Race};
use super::report::{self, Finding};
use super::work;
use crate::budget;
use crate::cli::{Track, Verify};

/// The verification of one entry point.
pub(crate) struct Stages<'t> {
    pub(crate) arguments: &'t Verify,
    pub(crate) program: &'t Program,
    pub(crate) plan: &'t Plan,
    /// The budget of the solvers.
    pub(crate) budget: SolverBudget,
    /// The budget of the command.
    pub(crate) limits: &'t budget::Budget,
    pub(crate) progress: &'t Progress,
    /// The name of the entry point, if there are several.
    pub(crate) entry: Option<&'t str>,
    /// The number of engines so far.
    engines: AtomicUsize,
}

impl<'t> Stages<'t> {
    pub(crate) fn new(
        entry: &'t Entry,
        program: &'t Program,
        plan: &'t Plan,
        limits: &'t budget::Budget,
        progress: &'t Progress,
    ) -> Self {
        let (arguments, entry) = (&entry.arguments, entry.name.as_deref());
        let budget = SolverBudget {
            query: arguments.query_time,
            until: limits.until(),
            cancelled: Arc::clone(&limits.interrupt),
            decided: Arc::default(),
            processes: Arc::clone(limits.solvers()),
        };
        let engines = AtomicUsize::default();
        Stages { arguments, program, plan, budget, limits, progress, entry, engines }
    }

    pub(crate) fn run(&self) -> Finding {
        let texts: Vec<Made<'t>> = (0..self.plan.len()).map(|_| OnceLock::new()).collect();
        let outcome = std::thread::scope(|scope| Race::new(self, &texts, scope).run());
        let Outcome { end, bounds, effort, basis } = outcome;
        let end = end.map(|bug| {
            let (at, path) = bug?;
            let text = texts.get(at)?.get()?.as_ref().ok()?;
            Some(self.bug(at, &text.view(), path))
        });
        // A run is interrupted at a limit; which one it was, the budget knows.
        let end = end.map_err(|failure| match failure {
            NoAnswer::Solver(SolverError::Cancelled) => {
                NoAnswer::Solver(work::error(self.limits.reached().unwrap_or(Limit::Time)))
            }
            other => other,
        });
        let coverage = InliningCoverage { bounds, inlined: effort.inlined, queries: effort.queries };
        Finding { end, coverage, basis }
    }

    /// The number of one more engine.
    pub(crate) fn next_engine(&self) -> usize {
        self.engines.fetch_add(1, Ordering::Relaxed)
    }

    /// The bound on recursion that the user asks for.
    pub(crate) fn most_recursion(&self) -> Option<u32> {
        Some(self.arguments.recursion.unwrap_or(u32::MAX))
    }

    /// The method with which a bound is searched at first.
    pub(crate) fn method(&self) -> Method {
        match &self.arguments.track {
            Track::Auto | Track::All => Method::Inlining,
            Track::Only(_) => Method::Abstraction,
        }
    }

    /// True if variable abstraction may help where a search takes long.
    pub(crate) fn can_abstract(&self) -> bool {
        let text = |name| Some(self.program.ast.text(name).to_owned());
        self.arguments.track == Track::Auto
            && dally_verify::groups(self.program, &text, &self.at_first()).iter().any(|group| !group.tracked)
    }

    /// The globals of a translation, by the variable of the source whose values they hold.
    pub(crate) fn groups(&self, text: &Translated<'_>) -> Vec<Group> {
        let source = |name| Some(self.program.ast.text(text.origins.variable(name)?).to_owned());
        dally_verify::groups(text.program, &source, &self.at_first())
    }

    /// The maps that are tracked from the start: those that the user names, or those that assertions mention.
    fn at_first(&self) -> Box<dyn Fn(&str) -> bool + '_> {
        match &self.arguments.track {
            Track::Only(names) => Box::new(|name| names.iter().any(|given| given == name)),
            Track::All => Box::new(|_| true),
            Track::Auto => {
                let asserted = dally_verify::asserted(self.program);
                let names = asserted.into_iter().map(|name| self.program.ast.text(name).to_owned());
                let names: Vec<String> = names.collect();
                Box::new(move |name| names.iter().any(|asserted| asserted == name))
            }
        }
    }

    fn bug(&self, at: usize, text: &Translated<'_>, path: Box<Path>) -> report::Bug {
        let failed = dally_counterexample::failure(text, &path);
        let inputs = dally_counterexample::inputs(self.program, text, &path);
        report::Bug { at, path, inputs: Inputs { failure: Some(failed.span), ..inputs }, failed }
    }

    /// Starts the solvers for a bound; the logs of an engine have a name of their own.
    pub(crate) fn start_solver(
        &self,
        index: usize,
        engine: &str,
        decided: &Arc<AtomicBool>,
    ) -> Result<Portfolio<'t>, SolverError> {
        let names = solver_names(&self.arguments.solver);
        let (folder, plan, entry) = (self.arguments.smt_log.as_deref(), self.plan, self.entry);
        let engine = engine.to_owned();
        let logs = move |process: usize| {
            let Some(folder) = folder else { return Ok(None) };
            let path = log(folder, plan, index, LogOf { entry, engine: &engine, process });
            let file = std::fs::File::create(&path).map_err(|error| {
                SolverError::Broken(format!("cannot write `{}`: {error}", path.display()))
            })?;
            Ok(Some(Box::new(BufWriter::new(file)) as Box<dyn Write>))
        };
        let budget = SolverBudget { decided: Arc::clone(decided), ..self.budget.clone() };
        Portfolio::start(&names, Box::new(logs), budget)
    }
}

/// The name of `--track` that no global has, if there is one.
pub(crate) fn untrackable<'a>(arguments: &'a Verify, program: &Program) -> Option<&'a str> {
    let Track::Only(names) = &arguments.track else { return None };
    let is_global = |name: &str| {
        program.ast.decls.iter().any(|decl| match &decl.kind {
            DeclKind::Var(var) => program.ast.text(var.name.name) == name,
            _ => false,
        })
    };
    names.iter().map(String::as_str).find(|name| !is_global(name))
}

/// The solvers to start: those of `--solver`, else those of the environment, else z3.
pub(crate) fn solver_names(given: &[String]) -> Vec<String> {
    let environment = || std::env::var("DALLY_SOLVER").ok();
    let listed =
        |names: String| names.split(',').filter(|n| !n.trim().is_empty()).map(str::to_owned).collect();
    let names = if given.is_empty() { environment().map_or_else(Vec::new, listed) } else { given.to_vec() };
    if names.is_empty() { vec!["z3".to_owned()] } else { names }
}

/// Checks that logs can be written, before the run.
pub(crate) fn prepare_log(arguments: &Verify, plan: &Plan) -> Result<(), String> {
    let Some(folder) = &arguments.smt_log else { return Ok(()) };
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::File::create(log(folder, plan, 0, LogOf::default())))
        .map(|_| ())
        .map_err(|error| format!("--smt-log: cannot write to `{folder}`: {error}"))
}

/// Which process of a bound a log is of.
#[derive(Clone, Copy, Default)]
struct LogOf<'a> {
    /// The name of the entry point, if there are several.
    entry: Option<&'a str>,
    /// The engine, unless it is the first one.
    engine: &'a str,
    /// The number of the process, from 0.
    process: usize,
}

/// The file of a log.
fn log(folder: &str, plan: &Plan, index: usize, of: LogOf<'_>) -> std::path::PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let entry: String = of.entry.into_iter().flat_map(|name| name.chars().map(plain).chain(['-'])).collect();
    let nth = if of.process == 0 { String::new() } else { format!("-process-{}", of.process + 1) };
    std::path::Path::new(folder).join(format!("{entry}{}{}{nth}.smt2", plan.file(index), of.engine))
}
