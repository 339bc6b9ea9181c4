//! Checking a test: search for a failure, then diagnose it.

use std::env::VarError;
use std::sync::Arc;

use shuttle::Runner;

use crate::diagnose::diagnose;
use crate::hook::{self, Crash, Panic};
use crate::locate::Capture;
use crate::operations;
use crate::page;
use crate::shrink::{Failing, Plan, Shrinker, steps_of};
use crate::{BugKind, Config, Deviations, Explorer, Limit, Strategy, TestReport, Values, Verdict};

/// The environment variable with a schedule to replay.
pub const REPLAY: &str = "DALLY_REPLAY";

/// The environment variable that makes inconclusive tests fail, unless it is `0`.
pub const STRICT: &str = "DALLY_STRICT";

/// Runs a concurrent test under the schedules of the [default configuration](Config), those with the fewest
/// delays first.
///
/// # Panics
///
/// If the test panics, deadlocks, or exceeds the limit on steps under one of them. The message says which tasks
/// were delayed where, and how to replay that schedule. With [`DALLY_REPLAY`](REPLAY) in the environment, only
/// that schedule is run, unless it does not fit the test: then it belongs to another one.
#[track_caller]
pub fn check<F>(f: F) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    check_with(Config::default(), f)
}

/// Like [`check`], for any configuration.
///
/// # Panics
///
/// Like [`check`].
#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "callers write the configuration in the call")]
pub fn check_with<F>(config: Config, f: F) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    refuse_inside();
    let config = page::from_environment(config);
    let f = Arc::new(f);
    let replayed = match std::env::var(REPLAY) {
        Ok(schedule) => replay_if_it_fits(&config, &schedule, &f),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(text)) => {
            hook::fail(&format!("{REPLAY}={} is not a schedule", text.display()))
        }
    };
    insist(&config, replayed.unwrap_or_else(|| search(&config, &f)))
}

/// Runs a test under one schedule, as [`check`] printed it.
///
/// # Panics
///
/// If the test fails; or if the text is not a schedule, or does not fit the test.
#[track_caller]
pub fn replay<F>(schedule: &str, f: F) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    replay_with(Config::default(), schedule, f)
}

/// Like [`replay`], with a configuration that has custom strategies, or other limits than the default.
///
/// # Panics
///
/// Like [`replay`].
#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "callers write the configuration in the call")]
pub fn replay_with<F>(config: Config, schedule: &str, f: F) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    refuse_inside();
    let config = page::from_environment(config);
    match parse(&config, schedule) {
        Ok((schedule, strategy)) => {
            let f = Arc::new(f);
            let report = on_fresh_thread(|| {
                let explorer = Explorer::replaying(&config, &strategy, &schedule, Capture::default());
                run_all(&config, &explorer, &f)
            });
            // A single execution is never conclusive.
            insist(&Config { fail_if_inconclusive: false, ..config }, report)
        }
        Err(error) => hook::fail(&error.to_string()),
    }
}

/// Runs a test under one schedule. Returns `None` if the schedule belongs to another test.
#[track_caller]
#[allow(clippy::print_stderr, reason = "the user should know that the schedule was not replayed")]
fn replay_if_it_fits<F>(config: &Config, text: &str, f: &Arc<F>) -> Option<TestReport>
where
    F: Fn() + Send + Sync + 'static,
{
    let (schedule, strategy) = parse(config, text).unwrap_or_else(|error| hook::fail(&error.to_string()));
    let (report, fits) = on_fresh_thread(|| {
        let explorer = Explorer::replaying(config, &strategy, &schedule, Capture::default());
        let report = run_all(config, &explorer, f);
        let fits = match report.verdict {
            Verdict::Unsupported(_) => false,
            Verdict::Bug(_) => explorer.inspect(|search| search.run.fits()).unwrap_or(true),
            _ => true,
        };
        (report, fits)
    });
    if !fits {
        let here = std::panic::Location::caller();
        eprintln!("{REPLAY}={schedule} does not fit the check at {here}, which is run as usual");
    }
    fits.then_some(report)
}

/// A schedule, and the strategy that it deviates from: one of the configuration, or one known by its name.
fn parse(config: &Config, text: &str) -> Result<(Deviations, Strategy), Box<dyn std::error::Error>> {
    let schedule: Deviations = text.parse()?;
    let configured = config.strategies.iter().find(|strategy| *strategy.name() == schedule.strategy);
    let strategy =
        configured.map_or_else(|| schedule.strategy.to_string().parse(), |known| Ok(known.clone()))?;
    Ok((schedule, strategy))
}

/// Like [`check_with`], but returns a bug in the report, and ignores the environment.
///
/// # Panics
///
/// If it is called inside another check.
#[track_caller]
pub fn explore<F>(config: &Config, f: F) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    refuse_inside();
    search(config, &Arc::new(f))
}

/// Searches for a failure.
fn search<F>(config: &Config, f: &Arc<F>) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    on_fresh_thread(|| run_all(config, &Explorer::for_own_runner(config).repeating(), f))
}

/// Runs a search on a thread of its own: thread-local variables that an earlier search, or the test, has set would
/// make executions differ.
fn on_fresh_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut builder = std::thread::Builder::new();
    if let Some(name) = std::thread::current().name() {
        builder = builder.name(name.to_owned());
    }
    std::thread::scope(|scope| match builder.spawn_scoped(scope, work) {
        Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(error) => hook::fail(&format!("the thread of the search cannot be started: {error}")),
    })
}

/// Panics inside another check, since shuttle runs one execution per thread at a time.
#[track_caller]
fn refuse_inside() {
    let inside = shuttle::current::try_get_current_task().is_some();
    assert!(!inside, "a check cannot run inside another check, or inside a shuttle test");
}

#[track_caller]
fn insist(config: &Config, report: TestReport) -> TestReport {
    let strict = config.fail_if_inconclusive || std::env::var_os(STRICT).is_some_and(|value| value != "0");
    match report.verdict {
        Verdict::Bug(_) | Verdict::Unsupported(_) => hook::fail(&report.to_string()),
        Verdict::Inconclusive(limit) if strict && limit != Limit::Replay => hook::fail(&report.to_string()),
        Verdict::Proved | Verdict::ProvedWithin(_) | Verdict::NoBug | Verdict::Inconclusive(_) => report,
    }
}

/// Runs the executions of a search until one fails.
fn run_all<F>(config: &Config, explorer: &Explorer, f: &Arc<F>) -> TestReport
where
    F: Fn() + Send + Sync + 'static,
{
    let result = run_quietly(explorer, config.for_shuttle(), f);
    let report = explorer.report();
    match result {
        Ok(()) => report,
        Err(crash) => match internal(&crash) {
            Some(reason) => TestReport { verdict: Verdict::Unsupported(reason), ..report },
            None => {
                let (failing, crash) = shrink(config, explorer, crash, f);
                let bug = diagnose(config, &failing, crash, |again, config| run_quietly(again, config, f));
                TestReport { verdict: Verdict::Bug(Box::new(bug)), ..report }
            }
        },
    }
}

/// The reason, if all panics of a failing execution are panics of shuttle itself: then shuttle does not support the
/// program, or the program misuses it.
fn internal(crash: &Crash) -> Option<String> {
    let is_shuttles = |panic: &Panic| panic.place.as_ref().is_some_and(|(file, _)| hook::is_in_shuttle(file));
    let last = crash.panics.first()?;
    let is_panic = BugKind::of(&crash.message) == BugKind::Panic;
    let (file, line) = last.place.as_ref().filter(|_| is_panic && crash.panics.iter().all(is_shuttles))?;
    Some(format!(
        "shuttle itself panicked, at {file}:{line}: {}. The program misuses a type of shuttle, or shuttle does not \
         support it",
        last.message.trim_end()
    ))
}

/// If a failing execution is a random walk: a simpler one that fails in the same way.
fn shrink<F>(config: &Config, explorer: &Explorer, crash: Crash, f: &Arc<F>) -> (Explorer, Crash)
where
    F: Fn() + Send + Sync + 'static,
{
    let walk = explorer
        .inspect(|search| Some((search.walk()?, search.schedule().values, steps_of(&search.run.trace))));
    let Some((plan, values, steps)) = walk.flatten() else { return (explorer.clone(), crash) };
    if matches!(values, Values::Choose(_)) {
        // The values of a walk belong to its interleaving.
        return (explorer.clone(), crash);
    }
    let signature = crash.signature();
    let first = Failing { plan, steps, found: (explorer.clone(), crash) };
    let run = |plan: Plan| {
        let again = Explorer::planned(config, values, plan);
        let crash = run_quietly(&again, config.for_shuttle(), f).err();
        let (plan, steps) =
            again.inspect(|search| (search.plan(), steps_of(&search.run.trace))).unwrap_or_default();
        let all = steps.values().sum::<u32>() as usize;
        let same = crash.filter(|crash| crash.signature() == signature);
        (same.map(|crash| Failing { plan, steps, found: (again, crash) }), all)
    };
    Shrinker::new(first, run).shrink().found
}

fn run_quietly<F>(explorer: &Explorer, config: shuttle::Config, f: &Arc<F>) -> Result<(), Crash>
where
    F: Fn() + Send + Sync + 'static,
{
    let f = Arc::clone(f);
    let scheduler = explorer.clone();
    hook::watch(explorer, || {
        Runner::new(scheduler, config).run(move || {
            f();
            operations::main_ends();
        });
    })
}
