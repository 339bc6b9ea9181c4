//! `dally check`: search for a bug, or say what was covered.

pub(crate) mod monitor;
pub(crate) mod report;
mod search;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dally_explore::{
    Arrangement, Liveness, Method, Options, Program, Report, SchedulerName, StrategyName, Verdict,
};

use crate::cli::{Check, LivenessArg};
use crate::output::{self, Exit};
use crate::subject::{Rejected, Subject};
use crate::{p, traces};
use report::{Ended, LivenessCheck};
use search::Searcher;

pub(crate) fn run(arguments: &Check) -> Exit {
    let strategies =
        match check_language(arguments).and_then(|()| search::strategies(arguments, &defaults(arguments))) {
            Ok(strategies) => strategies,
            Err(message) => return output::complain(&message),
        };
    if arguments.list_tests {
        return list_tests(arguments);
    }
    let (sources, mut subject) = match Subject::load(&arguments.program) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            return report::Json::errors(arguments.json, &rejected.sources, &rejected.diagnostics);
        }
    };
    let warnings = output::json(&sources, subject.warnings());
    if !arguments.json {
        output::warn(&sources, subject.warnings());
    }
    if let Some(message) = traces::cannot_go_to(&arguments.program, arguments.trace.as_deref()) {
        return output::complain(&message);
    }
    let liveness = match liveness(arguments, &subject) {
        Ok(liveness) => liveness,
        Err(message) => return output::complain(&message),
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    let interrupt = Arc::new(AtomicBool::new(false));
    let memory = memory(arguments);
    subject.limit_steps(Arc::clone(&interrupt), memory.unwrap_or(usize::MAX));
    if let Err(error) = monitor::on_interrupt(&cancelled, &interrupt) {
        return output::complain(&format!("cannot watch for Ctrl-C: {error}"));
    }
    if let Some(time) = arguments.time {
        monitor::interrupt_after(time, interrupt);
    }
    let monitor = monitor::Monitor::new(arguments.time, Arc::clone(&cancelled), !arguments.json);
    let found = match &subject {
        Subject::Boogie(machines) => search(&machines.searched, &strategies, arguments, liveness, &monitor),
        Subject::P(test) => search(&test.machine, &strategies, arguments, liveness, &monitor),
    };
    monitor.finish();
    // What was found is told without limits: a trace is short, and its steps take as long as they did in the search. Whoever
    // does not want to wait for it can end the process at once.
    subject.limit_steps(Arc::default(), usize::MAX);
    cancelled.store(true, Ordering::Relaxed);
    let trace = match &found.verdict {
        Verdict::Bug(bug) => match subject.explain(&sources, &arguments.program, bug, arguments.unfair) {
            Ok(trace) => Some(trace),
            Err(error) => {
                return output::complain(&format!(
                    "this is a defect of dally, please report it: the bug that was found does not replay: {error}"
                ));
            }
        },
        _ => None,
    };
    let liveness = match liveness {
        Some(liveness) => LivenessCheck::Done(liveness),
        None if subject.has_liveness() => LivenessCheck::Off,
        None => LivenessCheck::NoProperty,
    };
    let ended = Ended { arguments, report: &found, liveness, monitor: &monitor, trace: trace.as_ref() };
    let exit = ended.show(warnings);
    if let (Some(trace), Some(file)) = (&trace, &arguments.trace) {
        traces::write_or_complain(trace, file);
    }
    exit
}

/// Refuses flags that have no meaning for the language of the program.
fn check_language(arguments: &Check) -> Result<(), String> {
    let program = &arguments.program;
    match p::is_p(&program.files) {
        true if program.entry.is_some() || program.preempt => {
            Err("--entry and --preempt are for Boogie programs; a P program is run by a --test".to_owned())
        }
        false if program.test.is_some() || arguments.list_tests => {
            Err("--test and --list-tests are for P programs: files `.p` or `.pproj`, or a folder".to_owned())
        }
        _ => Ok(()),
    }
}

/// Prints the names of the tests of a P program.
fn list_tests(arguments: &Check) -> Exit {
    let (sources, own) = match p::read(&arguments.program.files) {
        Ok(read) => read,
        Err(error) => {
            let Rejected { sources, diagnostics } = error.into();
            return report::Json::errors(arguments.json, &sources, &diagnostics);
        }
    };
    match p::Loaded::new(&sources, own) {
        Ok(loaded) if arguments.json => output::write_json(&loaded.tests()),
        Ok(loaded) => {
            let lines: String = loaded.tests().iter().map(|name| format!("{name}\n")).collect();
            output::stdout(lines.as_bytes())
        }
        Err(diagnostics) => report::Json::errors(arguments.json, &sources, &diagnostics),
    }
}

/// The schedulers of a language, where flags name none.
fn defaults(arguments: &Check) -> search::Defaults {
    if p::is_p(&arguments.program.files) {
        search::Defaults { scheduler: SchedulerName::Rtc, portfolio: SchedulerName::message_portfolio() }
    } else {
        let scheduler = SchedulerName::Rr(Arrangement::Creation);
        search::Defaults { scheduler, portfolio: SchedulerName::portfolio() }
    }
}

/// How much memory a search may take.
fn memory(arguments: &Check) -> Option<usize> {
    match arguments.memory {
        Some(memory) => Some(usize::try_from(memory.as_u64()).unwrap_or(usize::MAX)),
        None => free_memory(),
    }
}

/// The same if nobody says: most of what is free, where the system tells.
fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    // The search counts only what it holds itself.
    Some(kib * 1024 / 5 * 3)
}

/// Whether and how cycles are looked for: where the program has something that must not be waited for in vain, unless
/// flags say otherwise.
fn liveness(arguments: &Check, subject: &Subject) -> Result<Option<Liveness>, String> {
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
    if !subject.has_liveness() {
        return if asked || arguments.unfair {
            Err("there is nothing that must not be waited for in vain: no spec with hot states that the test asserts, and \
                 no global marked {:hot}"
                .to_owned())
        } else {
            Ok(None)
        };
    }
    let fits = !arguments.exact && !arguments.choice_cost && arguments.bounded.0 != Some(StrategyName::Depth);
    if asked && !fits {
        return Err("--liveness does not go with --exact, --choice-cost and `--bounded depth`: cycles are cycles of the \
                    program, not of its scheduler, and cost nothing by themselves"
            .to_owned());
    }
    Ok(method.filter(|_| fits).map(|method| Liveness { method, fair: !arguments.unfair }))
}

fn search<P: Program>(
    program: &P,
    strategies: &[StrategyName],
    arguments: &Check,
    liveness: Option<Liveness>,
    monitor: &monitor::Monitor,
) -> Report {
    let options = Options {
        bound: arguments.delays,
        exact: arguments.exact,
        choice_cost: u32::from(arguments.choice_cost),
        threads: usize::from(arguments.threads),
        memory: memory(arguments),
        ..Options::default()
    };
    Searcher { program, options, liveness, monitor }.run(strategies)
}
