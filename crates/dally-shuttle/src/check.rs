//! Checking a test: search for a failure, then diagnose it.

use std::env::VarError;
use std::sync::Arc;

use shuttle::Runner;

use crate::diagnose::diagnose;
use crate::hook::{self, Crash};
use crate::locate::Capture;
use crate::{Config, Deviations, Explorer, Strategy, TestReport, Verdict};

/// The environment variable with a schedule to replay.
pub const REPLAY: &str = "DALLY_REPLAY";

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
    let f = Arc::new(f);
    let replayed = match std::env::var(REPLAY) {
        Ok(schedule) => replay_if_it_fits(&config, &schedule, &f),
        Err(VarError::NotPresent) => None,
        Err(VarError::NotUnicode(text)) => {
            hook::fail(&format!("{REPLAY}={} is not a schedule", text.display()))
        }
    };
    insist(replayed.unwrap_or_else(|| run_all(&config, &Explorer::for_own_runner(&config), &f)))
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
    match parse(&config, schedule) {
        Ok((schedule, strategy)) => {
            let explorer = Explorer::replaying(&config, &strategy, &schedule, Capture::default());
            insist(run_all(&config, &explorer, &Arc::new(f)))
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
    let explorer = Explorer::replaying(config, &strategy, &schedule, Capture::default());
    let report = run_all(config, &explorer, f);
    let fits = match report.verdict {
        Verdict::Unsupported(_) => false,
        Verdict::Bug(_) => explorer.inspect(|search| search.run.fits()).unwrap_or(true),
        _ => true,
    };
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
    run_all(config, &Explorer::for_own_runner(config), &Arc::new(f))
}

/// Panics inside another check, since shuttle runs one execution per thread at a time.
#[track_caller]
fn refuse_inside() {
    let inside = shuttle::current::try_get_current_task().is_some();
    assert!(!inside, "a check cannot run inside another check, or inside a shuttle test");
}

#[track_caller]
fn insist(report: TestReport) -> TestReport {
    match report.verdict {
        Verdict::Bug(_) | Verdict::Unsupported(_) => hook::fail(&report.to_string()),
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
        Err(crash) => {
            let bug = diagnose(config, explorer, crash, |again, config| run_quietly(again, config, f));
            TestReport { verdict: Verdict::Bug(Box::new(bug)), ..report }
        }
    }
}

fn run_quietly<F>(explorer: &Explorer, config: shuttle::Config, f: &Arc<F>) -> Result<(), Crash>
where
    F: Fn() + Send + Sync + 'static,
{
    let f = Arc::clone(f);
    let scheduler = explorer.clone();
    hook::watch(explorer, || {
        Runner::new(scheduler, config).run(move || f());
    })
}
