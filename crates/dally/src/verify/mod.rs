//! `dally verify`: decide with a solver whether an assertion can fail.

mod cases;
mod engine;
mod entries;
mod plan;
mod progress;
mod race;
mod replay;
mod report;
mod stages;
mod unbounded;
mod work;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use dally_bpl::Program;
use dally_c::Caveat;
use dally_explore::Limit;
use dally_interp::Notation;
use dally_text::render::printable;
use dally_text::source::SourceMap;
use dally_verify::Path;

use crate::budget;
use crate::cli::Verify;
use crate::language::Language;
use crate::output::{self, Exit};
use crate::traces;
use cases::Cases;
use entries::Entry;
use plan::Plan;
use progress::{Display, Phase, Progress};
use replay::{Evidence, Replay};
use report::Finding;
use stages::{Stages, prepare_log};
use work::Message;

pub(crate) fn run(arguments: &Verify) -> Exit {
    let arguments = &arguments.settled();
    let cases = Cases::default();
    let language = Language::of(&arguments.program.files);
    if !language.is_verifiable || arguments.program.test.is_some() {
        let message = "dally verify is for Boogie and C programs; P programs are explored by dally check";
        return report::Json::refuse(arguments.json, message);
    }
    if let Some(message) = refused_in(language, arguments) {
        return report::Json::refuse(arguments.json, &message);
    }
    let budget = match start_budget(arguments) {
        Ok(budget) => budget,
        Err(message) => return report::Json::refuse(arguments.json, &message),
    };
    let loaded = match budget.loading(language.load(&arguments.program)) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            let exit = report::Json::errors(arguments.json, &rejected.sources, &rejected.diagnostics);
            cases.add_errors(None, exit, &rejected.sources, &rejected.diagnostics);
            cases.write(arguments);
            return exit;
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
    if let Some(message) = refused(arguments, program, &entries) {
        return report::Json::refuse(arguments.json, &message);
    }
    if !arguments.json {
        output::warn(sources, &program.warnings);
    }
    let (notation, caveats) = (loaded.notation(), loaded.caveats());
    let notation = notation.as_ref();
    Session { program, sources, budget: &budget, cases, notation, caveats }.run(arguments, &entries)
}

/// The flag that has no meaning for programs of this language.
fn refused_in(language: &Language, arguments: &Verify) -> Option<String> {
    let refused = language.refuses(&arguments.program.language_flags());
    let no_contracts = || {
        (language.name == "C" && arguments.modular)
            .then(|| "--modular is for Boogie programs: C programs have no contracts".to_owned())
    };
    let one_address = || {
        (arguments.program.c.reuse)
            .then(|| "--reuse is for dally check: dally verify does not reuse memory".to_owned())
    };
    refused.or_else(no_contracts).or_else(one_address)
}

/// The reason why a run with these flags cannot start, if there is one.
fn refused(arguments: &Verify, program: &Program, entries: &[Entry]) -> Option<String> {
    let Some(Ok(Ok(plan))) = entries.first().and_then(Entry::finished_plan) else { return None };
    if arguments.solver.iter().any(|solver| solver.trim().is_empty()) {
        return Some("--solver: it names no solver".to_owned());
    }
    if let Some(name) = stages::untrackable(arguments, program) {
        return Some(format!("--track: the program has no global variable `{}`", printable(name)));
    }
    if let (Some((flag, _)), 2..) = (arguments.written.named().next(), entries.len()) {
        return Some(format!("{flag} is for one entry point: name it with --entry"));
    }
    traces::cannot_go_to(&arguments.program, arguments.written.named().chain(arguments.cases.named()))
        .or_else(|| prepare_log(arguments, plan).err())
}

/// The program and the budget, which all entry points share.
struct Session<'s> {
    program: &'s Program,
    sources: &'s SourceMap,
    budget: &'s budget::Budget,
    cases: Cases,
    notation: Option<&'s Arc<dyn Notation>>,
    /// The limits of the model on which verdicts rest.
    caveats: &'s [Caveat],
}

impl<'s> Session<'s> {
    /// Verifies the entry points, as many at a time as there are cores, and reports them in their order.
    fn run(&self, arguments: &Verify, entries: &'s [Entry]) -> Exit {
        let display = Display::new(arguments.progress);
        std::thread::scope(|scope| {
            let mut exits = Vec::new();
            let mut abandoned = false;
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let mut begun: VecDeque<Result<Running<'_>, Limit>> = VecDeque::new();
            for (index, entry) in entries.iter().enumerate() {
                while begun.len() < cores && index + begun.len() < entries.len() {
                    let next = index + begun.len();
                    let ended = self.budget.reached().filter(|_| next > 0);
                    begun.push_back(ended.map_or_else(|| Ok(self.begin(scope, &entries[next])), Err));
                }
                exits.push(match begun.pop_front() {
                    Some(Ok(running)) => {
                        let (exit, alone) = self.finish(entry, running, &display);
                        abandoned |= alone;
                        exit
                    }
                    Some(Err(limit)) => self.not_begun(entry, limit),
                    None => self.not_begun(entry, Limit::Time),
                });
            }
            self.cases.write(arguments);
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

    /// Starts the verification of an entry point.
    fn begin<'scope>(
        &self,
        scope: &'scope std::thread::Scope<'scope, '_>,
        entry: &'s Entry,
    ) -> Running<'scope>
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
            notation: self.notation,
        };
        let worker = scope.spawn(move || work.run(&sender));
        Running { started, progress, messages, worker }
    }

    /// Reports an entry point whose verification has not begun.
    fn not_begun(&self, entry: &Entry, limit: Limit) -> Exit {
        let exit = report::not_begun(entry, limit);
        self.cases.add_without_verdict(entry, exit, &format!("{limit}, before it was verified"));
        exit
    }

    /// Waits for the verification of an entry point, and reports it. True if the verifying thread is still running.
    fn finish(&self, entry: &'s Entry, running: Running<'_>, display: &Display) -> (Exit, bool) {
        let Running { started, progress, messages, worker } = running;
        let done = work::wait(&messages, self.budget, &progress, display);
        let arguments = &entry.arguments;
        let (plan, done) = match (entry.finished_plan(), done) {
            (Some(Ok(Ok(plan))), Some(done)) => (plan, done),
            (Some(Ok(Err(message))), _) => {
                let exit = report::Json::refuse(arguments.json, message);
                self.cases.add_without_verdict(entry, exit, message);
                return (exit, false);
            }
            (Some(Err(diagnostics)), _) => {
                let exit = report::Json::errors(arguments.json, self.sources, diagnostics);
                self.cases.add_errors(entry.name.clone(), exit, self.sources, diagnostics);
                return (exit, false);
            }
            (None, Some(_)) => return (self.not_begun(entry, Limit::Time), true),
            (_, None) => match worker.join() {
                Ok(()) => {
                    return (report::Json::refuse(arguments.json, "the verification has ended early"), false);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            },
        };
        let remarks = unused_flags(arguments, plan);
        remarks.iter().for_each(|remark| output::remark(remark));
        let report = report::Reporter {
            entry,
            sources: self.sources,
            program: self.program,
            plan,
            remarks,
            is_lowered: self.notation.is_some(),
            caveats: self.caveats,
            started,
        };
        let warnings = output::json(self.sources, &self.program.warnings);
        (report.show(&done.finding, done.replayed, warnings, &self.cases), done.abandoned)
    }
}

/// A verification that is under way.
struct Running<'scope> {
    started: Instant,
    progress: Arc<Progress>,
    messages: Receiver<Message>,
    worker: ScopedJoinHandle<'scope, ()>,
}

/// The verification of one entry point, in a thread of its own.
struct Work<'t> {
    program: &'t Program,
    sources: &'t SourceMap,
    entry: &'t Entry,
    budget: budget::Budget,
    progress: Arc<Progress>,
    notation: Option<&'t Arc<dyn Notation>>,
}

impl Work<'_> {
    fn run(&self, sender: &Sender<Message>) {
        let Ok(Ok(plan)) = self.entry.plan(self.program) else { return };
        let stages = Stages::new(self.entry, self.program, plan, &self.budget, &self.progress);
        let found = Arc::new(stages.run());
        // Sending fails once the run is abandoned.
        let _ = sender.send(Message::Found(Arc::clone(&found)));
        let _ = sender.send(Message::Replayed(self.replay(&found, plan)));
    }

    /// Replays a failing execution. Where the solver is not certain, functions may violate axioms, and a replay would show
    /// nothing.
    fn replay(&self, found: &Finding, plan: &Plan) -> Option<Evidence> {
        let Ok(Some(bug)) = &found.end else { return None };
        let Path { certain, uses_axioms, left_out, forbidden, .. } = &*bug.path;
        if !certain && *uses_axioms || !left_out.is_empty() || *forbidden {
            return None;
        }
        self.progress.begin(Phase::Replaying);
        let arguments = &self.entry.arguments.program;
        let replay = Replay {
            program: self.program,
            sources: self.sources,
            arguments,
            budget: &self.budget,
            notation: self.notation,
        };
        let replayed = replay.run(&bug.inputs, plan.target(bug.at));
        Some(replayed.judged(*certain, dally_counterexample::unreadable(&bug.path)))
    }
}

/// Starts the clock of a verification.
fn start_budget(arguments: &Verify) -> Result<budget::Budget, String> {
    let limits = budget::RunLimits { time: arguments.time, memory: budget::memory(arguments.memory) };
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
