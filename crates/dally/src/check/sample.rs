//! `dally check --sample`: random executions instead of a search.

use dally_explore::{
    Limit, Report, SampleOptions, Sampled, SamplerName, SchedulerName, Slice, StateCoverage, StrategyName,
    Verdict, count, counted,
};

use crate::cli::Check;
use crate::language::Language;

/// The number of walks, if neither it nor the time is limited.
const WALKS: u64 = 10_000;

/// The options of sampling, if it is wanted, or the contradiction between flags.
pub(crate) fn options(
    arguments: &Check,
    strategies: &[StrategyName],
) -> Result<Option<SampleOptions>, String> {
    let Some(names) = &arguments.sample else {
        return match arguments.walks {
            Some(_) => Err("--walks limits sampling, and needs --sample".to_owned()),
            None => Ok(None),
        };
    };
    let search = [
        ("--delays", arguments.delays.is_some()),
        ("--bound", arguments.bound.is_some()),
        ("--exact", arguments.exact),
        ("--no-reduction", arguments.no_reduction),
        ("--no-sample", arguments.no_sample),
        ("--bounded", arguments.bounded.0.is_some()),
        ("--liveness", arguments.liveness.is_some()),
        ("--unfair", arguments.unfair),
    ];
    if let Some(flag) = given(&search) {
        return Err(format!("{flag} is about systematic search, and --sample replaces it"));
    }
    let samplers = SamplerName::parse_list(names).map_err(|error| error.to_string())?;
    let walks = arguments.walks.or_else(|| arguments.time.is_none().then_some(WALKS));
    Ok(Some(SampleOptions { samplers, walks, ..common(arguments, scheduler(strategies)?) }))
}

/// The options of sampling beside a systematic search: none if the user asks for a search within a bound, or for one of
/// its kinds.
pub(crate) fn beside(
    arguments: &Check,
    language: &Language,
    strategies: &[StrategyName],
) -> Option<SampleOptions> {
    if !is_possible(arguments) {
        return None;
    }
    let shown = scheduler(strategies).unwrap_or_else(|_| language.scheduler.clone());
    Some(common(arguments, shown))
}

/// True if executions are sampled, alone or beside a long search.
pub(crate) fn is_possible(arguments: &Check) -> bool {
    let bounded = arguments.delays.is_some() || arguments.bound.is_some() || arguments.bounded.0.is_some();
    arguments.sample.is_some() || !(arguments.no_sample || arguments.exact || bounded)
}

/// The options that follow from the command line.
fn common(arguments: &Check, scheduler: SchedulerName) -> SampleOptions {
    let defaults = SampleOptions::default();
    SampleOptions {
        scheduler,
        seed: arguments.seed.unwrap_or(0),
        steps: arguments.steps.map_or(defaults.steps, |steps| steps as usize),
        choice_cost: arguments.cost_of_choices(),
        free_options: arguments.free_options as usize,
        threads: arguments.thread_count(),
        ..defaults
    }
}

/// The first of these flags that is given.
fn given(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    flags.iter().find_map(|(flag, given)| given.then_some(*flag))
}

/// The scheduler relative to which a bug is shown.
fn scheduler(strategies: &[StrategyName]) -> Result<SchedulerName, String> {
    match strategies {
        [StrategyName::Delays(scheduler)] => match without_rules(scheduler) {
            SchedulerName::Rr(_) | SchedulerName::Rtc | SchedulerName::Random(_) => Ok(scheduler.clone()),
            other => Err(format!(
                "with --sample, `--scheduler {other}` does not work: it does not propose every enabled task; use \
                 rr, rtc or random"
            )),
        },
        _ => Err("--sample shows a bug as deviations from one scheduler: give one".to_owned()),
    }
}

fn without_rules(scheduler: &SchedulerName) -> &SchedulerName {
    match scheduler {
        SchedulerName::Ruled(base, _) => base,
        other => other,
    }
}

/// The outcome of sampling, as the report of a search.
pub(crate) fn report(options: &SampleOptions, slice: Slice, sampled: &Sampled) -> Report {
    let verdict = match slice {
        Slice::Bug(bug) => Verdict::Bug(bug),
        Slice::Limit(limit) if sampled.walks == 0 => Verdict::Inconclusive(limit),
        // There is nothing that more time would complete.
        Slice::Done | Slice::More | Slice::Limit(Limit::Time) => Verdict::NoBug,
        Slice::Limit(limit) => Verdict::Inconclusive(limit),
        Slice::Unsupported(construct) => Verdict::Unsupported(construct),
    };
    let strategy = options.scheduler.clone().into();
    Report {
        verdict,
        coverage: StateCoverage::default(),
        strategy,
        others: Vec::new(),
        sampled: None,
        running: None,
    }
}

/// The sampled executions, after "no bug found in".
pub(crate) fn executions(sampled: &Sampled) -> String {
    let Sampled { seed, longest, .. } = sampled;
    let walks = counted(number(sampled.walks), "sampled execution");
    format!("{walks} (seed {seed}, longest {})", counted(number(*longest), "step"))
}

/// The coverage, in one line.
pub(crate) fn covered(sampled: &Sampled, seconds: f64) -> String {
    let shrunk = match sampled.shrinking {
        0 => String::new(),
        steps => format!("; the failing one was shrunk in {}", counted(number(steps), "step")),
    };
    format!("{}, in {seconds:.2} s{shrunk}", beside_covered(sampled))
}

/// The coverage of samples that were taken beside a search, in one line.
pub(crate) fn beside_covered(sampled: &Sampled) -> String {
    let Sampled { steps, terminated, cut_off, discarded, final_states, .. } = sampled;
    let part = |walks: u64, what: &str| match walks {
        0 => String::new(),
        walks => format!(", {} {what}", count(number(walks))),
    };
    let ends = match final_states {
        0 => String::new(),
        states => format!(" in {}", counted(*states, "state")),
    };
    format!(
        "sampled {} with {}: {} terminated{ends}{}{}",
        counted(number(sampled.walks), "execution"),
        counted(number(*steps), "step"),
        count(number(*terminated)),
        part(*cut_off, "cut off by --steps"),
        part(*discarded, "ended by an assumption"),
    )
}

fn number(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
