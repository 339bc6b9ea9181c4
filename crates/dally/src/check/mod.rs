//! `dally check`: search for a bug, or say what was covered.

mod monitor;
mod report;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use dally_explore::policy::Policy;
use dally_explore::{
    Delays, Depth, Exhaustive, Name, Options, Preemptions, Report, Search, Switches, Verdict, portfolio,
};
use dally_interp::Machine;

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
    let machines = match Machines::new(&sources, &arguments.program) {
        Ok(machines) => machines,
        Err(diagnostics) => return report::errors(arguments, &sources, &diagnostics),
    };
    let warnings = output::json(&sources, &machines.warnings);
    if !arguments.json {
        output::warn(&sources, &machines.warnings);
    }
    let cancelled = Arc::new(AtomicBool::new(false));
    if let Err(error) = monitor::on_interrupt(&cancelled) {
        return output::complain(&format!("cannot watch for Ctrl-C: {error}"));
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
            Err(message) => output::complain(&message),
        },
        _ => exit,
    }
}

fn schedulers(arguments: &Check) -> Result<Vec<Name>, String> {
    if arguments.scheduler == "portfolio" {
        return Ok(Name::portfolio());
    }
    arguments
        .scheduler
        .split(';')
        .map(|name| {
            let seeded = match (name, arguments.seed) {
                ("random", Some(seed)) => format!("random:{seed}"),
                _ => name.to_owned(),
            };
            seeded.parse::<Name>().map_err(|e| e.to_string())
        })
        .collect()
}

fn search(machine: &Machine, schedulers: &[Name], arguments: &Check, monitor: &monitor::Monitor) -> Report {
    let options = Options {
        bound: arguments.delays,
        exact: arguments.exact,
        choice_cost: u32::from(arguments.choice_cost),
        threads: arguments.threads.max(1),
        memory: arguments.memory.map(|m| usize::try_from(m.as_u64()).unwrap_or(usize::MAX)),
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
