//! `dally check`: search for a bug, or say what was covered.

mod monitor;
mod report;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_explore::policy::Policy;
use dally_explore::{
    Delays, Depth, Exhaustive, Name, Options, Preemptions, Report, Search, Switches, Verdict, portfolio,
};
use dally_interp::{Limits, Machine};

use crate::cli::{Bounded, Check};
use crate::input;
use crate::output::{self, Exit};
use crate::traces::{self, Machines};

pub(crate) fn run(arguments: &Check) -> Exit {
    let sources = match input::read(&arguments.program.files) {
        Ok(sources) => sources,
        Err(error) => {
            let (sources, diagnostic) = error.into_diagnostic();
            return report::errors(arguments, &sources, &[diagnostic]);
        }
    };
    let schedulers = match schedulers(arguments) {
        Ok(schedulers) => schedulers,
        Err(message) => return output::complain(&message),
    };
    let mut machines = match Machines::new(&sources, &arguments.program) {
        Ok(machines) => machines,
        Err(diagnostics) => return report::errors(arguments, &sources, &diagnostics),
    };
    let warnings = output::json(&sources, &machines.warnings);
    if !arguments.json {
        output::warn(&sources, &machines.warnings);
    }
    let cancelled = Arc::new(AtomicBool::new(false));
    let interrupt = Arc::new(AtomicBool::new(false));
    let memory = memory(arguments);
    machines.limit_steps(Limits { interrupt: Arc::clone(&interrupt), memory: memory.unwrap_or(usize::MAX) });
    if let Err(error) = monitor::on_interrupt(&cancelled, &interrupt) {
        return output::complain(&format!("cannot watch for Ctrl-C: {error}"));
    }
    if let Some(time) = arguments.time {
        monitor::interrupt_after(time, interrupt);
    }
    let monitor = monitor::Monitor::new(arguments.time, cancelled, !arguments.json);
    let found = search(&machines.searched, &schedulers, arguments, &monitor);
    monitor.finish();
    let trace = match &found.verdict {
        Verdict::Bug(bug) => match traces::explain(&machines, &sources, &arguments.program, bug) {
            Ok(trace) => Some(trace),
            Err(error) => {
                return output::complain(&format!(
                    "this is a defect of dally, please report it: the bug that was found does not replay: {error}"
                ));
            }
        },
        _ => None,
    };
    let exit = report::verdict(arguments, &found, trace.as_ref(), &monitor, warnings);
    match (&trace, &arguments.trace) {
        (Some(trace), Some(file)) => match traces::write(trace, file) {
            Ok(()) => exit,
            // The bug was found and shown all the same.
            Err(message) => {
                output::complain(&message);
                exit
            }
        },
        _ => exit,
    }
}

/// The schedulers that were asked for, unless options contradict each other.
fn schedulers(arguments: &Check) -> Result<Vec<Name>, String> {
    let text = arguments.scheduler.as_deref().unwrap_or("rr");
    if arguments.bounded == Bounded::Nothing && arguments.delays.is_some() {
        return Err("--delays is a bound, and `--bounded nothing` has none".to_owned());
    }
    if arguments.bounded != Bounded::Delays && (arguments.scheduler.is_some() || arguments.seed.is_some()) {
        return Err(
            "--scheduler and --seed go with `--bounded delays`: only delays deviate from an order".to_owned()
        );
    }
    let mut names = Vec::new();
    for name in text.split(';').map(str::trim) {
        match name {
            "" => return Err(format!("a scheduler is missing in `{text}`")),
            "portfolio" => names.extend(Name::portfolio()),
            // Without a seed of its own, so that it can be given.
            "random" => names.push(Name::Random(arguments.seed.unwrap_or(0))),
            name => names.push(parse_scheduler(name)?),
        }
    }
    if let Some(seed) = arguments.seed {
        if !text.split(';').any(|name| matches!(name.trim(), "random" | "portfolio")) {
            let why = if text.contains("random:") { "has a seed already" } else { "makes no random choices" };
            return Err(format!("--seed goes with `--scheduler random`: `{text}` {why}"));
        }
        let random = names.iter_mut().filter(|name| **name == Name::Random(1));
        random.for_each(|name| *name = Name::Random(seed));
    }
    let endless = names.iter().find(|name| matches!(name, Name::Df | Name::Dfw | Name::Pct(..)));
    let limited = arguments.delays.is_some() || arguments.time.is_some();
    match endless {
        Some(name) if arguments.exact && !limited => Err(format!(
            "with --exact, `{name}` never runs out of delays: give the most with --delays, or a --time"
        )),
        _ => Ok(names),
    }
}

fn parse_scheduler(name: &str) -> Result<Name, String> {
    name.parse::<Name>().map_err(|error| match error.to_string() {
        list if list.contains("; there are ") => format!("{list}, and `portfolio`"),
        other => other,
    })
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

fn search(machine: &Machine, schedulers: &[Name], arguments: &Check, monitor: &monitor::Monitor) -> Report {
    let options = Options {
        bound: arguments.delays,
        exact: arguments.exact,
        choice_cost: u32::from(arguments.choice_cost),
        threads: usize::from(arguments.threads),
        memory: memory(arguments),
        ..Options::default()
    };
    match arguments.bounded {
        Bounded::Delays => match schedulers {
            [one] => one_search(machine, &Delays::named(one), &options, monitor),
            several => {
                let policies: Vec<Delays> = several.iter().map(Delays::named).collect();
                let found = portfolio(machine, &policies, &options, monitor);
                found.unwrap_or_else(|| one_search(machine, &Exhaustive, &options, monitor))
            }
        },
        Bounded::Preemptions => one_search(machine, &Preemptions(Switches::Preemptive), &options, monitor),
        Bounded::Depth => one_search(machine, &Depth, &options, monitor),
        Bounded::Nothing => one_search(machine, &Exhaustive, &options, monitor),
    }
}

fn one_search<P: Policy>(
    machine: &Machine,
    policy: &P,
    options: &Options,
    monitor: &monitor::Monitor,
) -> Report {
    Search::new(machine, policy, options, monitor).run()
}
