//! `dally check`: search for a bug, or say what was covered.

pub(crate) mod monitor;
pub(crate) mod report;
mod reports;
mod running;
mod sample;
mod strategies;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dally_explore::{
    Liveness, Method, Options, Plan, Report, SampleOptions, Sampled, StepLimits, StrategyName, Verdict,
};
use dally_report::stats::Recorder;
use dally_text::source::SourceMap;
use dally_trace::Trace;

use crate::budget::{self, Budget};
use crate::cli::{Check, LivenessArg};
use crate::input::Rejected;
use crate::language::{Explorable, Language, LoadedProgram};
use crate::output::{self, Exit};
use crate::own::OwnSchedulers;
use crate::rules::Rules;
use crate::traces;
use dally_c::Caveat;
use monitor::Monitor;
use report::{Ended, LivenessCheck};
use reports::{Reached, Searched};
use running::Runner;

pub(crate) fn run(arguments: &Check, own: &OwnSchedulers) -> Exit {
    check(arguments, own).unwrap_or_else(|exit| exit)
}

/// The exit of a search, or of an error that prevents it.
fn check(arguments: &Check, own: &OwnSchedulers) -> Result<Exit, Exit> {
    let complain = |message: String| output::complain(&message);
    let language = Language::of(&arguments.program.files);
    language.refuses(&arguments.language_flags()).map_or(Ok(()), |message| Err(complain(message)))?;
    let reject = |Rejected { sources, diagnostics }| reports::reject(arguments, &sources, &diagnostics);
    let rules = Rules::read(&arguments.order).map_err(reject)?;
    let strategies = strategies::strategies(arguments, language, own, rules.as_ref()).map_err(complain)?;
    let scheduler =
        strategies.iter().find_map(StrategyName::scheduler).unwrap_or(&language.scheduler).clone();
    let sampling = sample::options(arguments, &strategies).map_err(complain)?;
    let budget = start_budget(arguments).map_err(complain)?;
    let mut loaded = budget.loading(language.load(&arguments.program)).map_err(reject)?;
    budget.loading(loaded.constrain(&arguments.constraint)).map_err(reject)?;
    if arguments.list_tests {
        budget.loaded();
        return Ok(list_tests(arguments, &*loaded));
    }
    let sources = loaded.sources();
    let compiled = loaded.compile(&arguments.program);
    budget.loaded();
    let mut program = compiled.map_err(|diagnostics| reports::reject(arguments, sources, &diagnostics))?;
    rules.map_or(Ok(()), |rules| rules.check(&program.names())).map_err(reject)?;
    if !arguments.json {
        output::warn(sources, loaded.warnings());
    }
    let files = arguments.written.named().chain(arguments.reports.named());
    let no_file = traces::cannot_go_to(&arguments.program, files);
    no_file.map_or(Ok(()), |message| Err(complain(message)))?;
    // Samples do not show that an execution makes no progress.
    let has_liveness = program.has_liveness() && sampling.is_none();
    let liveness = liveness(arguments, has_liveness).map_err(complain)?;
    let work = match sampling {
        Some(options) => Work::Sample(options),
        None => {
            let beside = sample::beside(arguments, language, &strategies);
            Work::Search(plan(arguments, strategies, liveness, beside))
        }
    };
    let recorder = Recorder::default();
    let (found, sampled, monitor) = search(arguments, &mut *program, &work, budget, &recorder);
    let items = program.coverage();
    let liveness = match liveness {
        Some(liveness) => LivenessCheck::Done(liveness),
        None if program.has_liveness() => LivenessCheck::Off,
        None => LivenessCheck::NoProperty,
    };
    let trace = trace(arguments, &found, &*program, sources)?;
    let mut warnings = output::json(sources, loaded.warnings());
    if found.verdict.is_clean() {
        let vacuous = program.vacuous().warnings();
        warnings.extend(output::json(sources, &vacuous));
        if !arguments.json {
            output::warn(sources, &vacuous);
        }
    }
    let points = program.scheduling_points();
    let running = found.running.as_ref().map(|running| Runner::new(running, &*program, sources));
    let (report, only_sampled, trace_of_bug) = (&found, sampled.as_ref(), trace.as_ref());
    let ended = Ended {
        arguments,
        report,
        only_sampled,
        liveness,
        monitor: &monitor,
        trace: trace_of_bug,
        points,
        running,
        caveats: &caveats(&*loaded, &*program),
        reached: &Reached::new(items.clone(), sources),
    };
    let exit = ended.show(warnings.clone());
    reports::write_cases(&arguments.reports, &ended.case(&warnings));
    reports::write_graph(&arguments.reports, &*program, &scheduler, sources);
    if let Some(trace) = &trace {
        traces::write_or_complain(trace, sources, &arguments.written);
    }
    let about = ended.about();
    let searched = Searched { report: &found, monitor: &monitor, recorder: &recorder, about };
    searched.write(&arguments.reports, items, sources);
    Ok(exit)
}

/// Starts the clock of a check.
fn start_budget(arguments: &Check) -> Result<Budget, String> {
    let limits = budget::RunLimits { time: arguments.time, memory: budget::memory(arguments.memory) };
    let (json, files) = (arguments.json, arguments.program.files.clone());
    Budget::start(limits, move |limit| report::Json::ended_early(json, &files, limit))
}

/// How bugs are looked for.
enum Work {
    Search(Plan),
    Sample(SampleOptions),
}

/// Searches or samples until a limit, or Ctrl-C, ends it.
fn search(
    arguments: &Check,
    program: &mut dyn Explorable,
    work: &Work,
    budget: Budget,
    recorder: &Recorder,
) -> (Report, Option<Sampled>, Monitor) {
    let recorder = arguments.reports.record_bounds().then_some(recorder);
    let memory = budget::memory(arguments.memory).unwrap_or(usize::MAX);
    program.limit_steps(StepLimits { interrupt: Arc::clone(&budget.interrupt), memory });
    let cancelled = Arc::clone(&budget.cancelled);
    let monitor = Monitor::new(budget, !arguments.json);
    let (found, sampled) = match work {
        Work::Search(plan) => (program.search(plan, &monitor, recorder), None),
        Work::Sample(options) => {
            let (slice, sampled) = program.sample(options, &monitor, recorder);
            (sample::report(options, slice, &sampled), Some(sampled))
        }
    };
    monitor.finish();
    // A bug is replayed without limits, in about the time that its steps took in the search. From here on, Ctrl-C ends the
    // process at once.
    program.limit_steps(StepLimits { interrupt: Arc::default(), memory: usize::MAX });
    cancelled.store(true, Ordering::Relaxed);
    (found, sampled, monitor)
}

/// The trace of the bug, if one was found.
fn trace(
    arguments: &Check,
    found: &Report,
    program: &dyn Explorable,
    sources: &SourceMap,
) -> Result<Option<Trace>, Exit> {
    let Verdict::Bug(bug) = &found.verdict else { return Ok(None) };
    program.trace(bug, sources, arguments.unfair).map(Some).map_err(|error| {
        output::complain(&format!(
            "this is a defect of dally, please report it: the bug that was found does not replay: {error}"
        ))
    })
}

/// Prints the names of the tests of a program.
fn list_tests(arguments: &Check, program: &dyn LoadedProgram) -> Exit {
    let tests = program.tests();
    if arguments.json {
        return output::write_json(&tests);
    }
    let lines: String = tests.iter().map(|name| format!("{name}\n")).collect();
    output::stdout(lines.as_bytes())
}

fn plan(
    arguments: &Check,
    strategies: Vec<StrategyName>,
    liveness: Option<Liveness>,
    sampling: Option<SampleOptions>,
) -> Plan {
    let options = Options {
        // Only delays are told apart from other costs.
        bound: arguments.bound.or_else(|| arguments.delays.filter(|_| arguments.bounded.0.is_some())),
        delays: arguments.delays.filter(|_| arguments.bounded.0.is_none()),
        exact: arguments.exact,
        reduction: !arguments.no_reduction,
        choice_cost: arguments.cost_of_choices(),
        free_options: arguments.free_options as usize,
        steps: arguments.steps,
        threads: arguments.thread_count(),
        memory: budget::memory(arguments.memory),
        ..Options::default()
    };
    Plan { strategies, options, liveness, sampling }
}

/// How cycles are searched for: by default if the program declares a liveness property.
fn liveness(arguments: &Check, has_liveness: bool) -> Result<Option<Liveness>, String> {
    let method = match arguments.liveness {
        Some(LivenessArg::Off) => None,
        None | Some(LivenessArg::Map) => Some(Method::Map),
        Some(LivenessArg::Ndfs) => Some(Method::Ndfs),
        Some(LivenessArg::IterativeNdfs) => Some(Method::IterativeNdfs),
    };
    let asked = arguments.liveness.is_some() && method.is_some();
    if arguments.unfair && method.is_none() {
        return Err("--unfair is about cycles, and `--liveness off` does not look for them".to_owned());
    }
    if !has_liveness {
        return if asked || arguments.unfair {
            Err("the program declares no liveness property, so that `--liveness` has nothing to check: the test asserts no \
                 spec with hot states, and no global is marked {:hot}"
                .to_owned())
        } else {
            Ok(None)
        };
    }
    let fits = !arguments.exact && arguments.bounded.0 != Some(StrategyName::Depth);
    if asked && !fits {
        return Err("--liveness does not go with --exact and `--bounded depth`: cycles are cycles of the program, not of \
                    its scheduler, and cost nothing by themselves"
            .to_owned());
    }
    Ok(method.filter(|_| fits).map(|method| Liveness { method, fair: !arguments.unfair }))
}

/// The limits of the model, for languages that are modelled only in part.
fn caveats(loaded: &dyn LoadedProgram, program: &dyn Explorable) -> Vec<Caveat> {
    let mut caveats = loaded.caveats().to_vec();
    if program.has_chosen_values() && !caveats.iter().any(|caveat| caveat.weakens) {
        let message =
            "values that are read before they are written were chosen from a small range (see --nondet)";
        caveats.push(Caveat { message: message.to_owned(), weakens: true });
    }
    caveats
}
