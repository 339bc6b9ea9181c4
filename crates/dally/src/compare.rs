//! `dally compare`: [TR15] Table 2 for a user's program. Which scheduler finds its bug at the smallest bound, or covers
//! most of it, differs from program to program.

use std::sync::Arc;

use dally_explore::{Limit, Options, Plan, Report, SchedulerName, StepLimits, Verdict};
use dally_schedule::{ListContext, StrategyName, Vocabulary};
use dally_text::render::printable;
use serde::Serialize;

use crate::budget::{self, Budget, RunLimits};
use crate::check::monitor::{Monitor, interrupt_after};
use crate::cli::Compare;
use crate::input::Rejected;
use crate::language::{Explorable, Language};
use crate::output::{self, Exit};
use crate::own::OwnSchedulers;
use crate::rules::Rules;

/// The schedulers that are compared by default.
const DEFAULT: &str = "rr,rr:reverse,rtc,random:1,dfs,dfw,pct:1,3";

/// The result of one search.
#[derive(Serialize)]
struct Row {
    scheduler: String,
    /// `bug`, `proved`, `no-bug`, `inconclusive` or `unsupported`.
    verdict: &'static str,
    /// The limit that ended the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    /// The bound at which the bug was found, or else the last one that was completed.
    bound: Option<u32>,
    states: usize,
    transitions: u64,
    /// The steps of the execution with the bug.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    seconds: f64,
    /// True if seals left out executions.
    sealed: bool,
}

/// The object that `dally compare --json` prints.
#[derive(Serialize)]
struct Json<'a> {
    schedulers: &'a [Row],
}

pub(crate) fn run(arguments: &Compare, own: &OwnSchedulers) -> Exit {
    compare(arguments, own).unwrap_or_else(|exit| exit)
}

fn compare(arguments: &Compare, own: &OwnSchedulers) -> Result<Exit, Exit> {
    let language = Language::of(&arguments.program.files);
    let complain = |message: String| output::complain(&message);
    let flags = arguments.program.language_flags();
    language.refuses(&flags).map_or(Ok(()), |message| Err(complain(message)))?;
    let reject = |Rejected { sources, diagnostics }| output::show(&sources, &diagnostics);
    let rules = Rules::read(&arguments.order).map_err(reject)?;
    let schedulers = schedulers(arguments, language, own, rules.as_ref()).map_err(complain)?;
    let loaded = language.load(&arguments.program).map_err(reject)?;
    output::warn(loaded.sources(), loaded.warnings());
    // Each search has a program of its own: a program keeps the parts of the states that it has met.
    let compile = || {
        let compiled = loaded.compile(&arguments.program);
        compiled.map_err(|diagnostics| output::show(loaded.sources(), &diagnostics))
    };
    rules.map_or(Ok(()), |rules| rules.check(&compile()?.names()).map_err(reject))?;
    let mut rows = Vec::new();
    for scheduler in schedulers {
        let row = search(arguments, compile()?, scheduler);
        let is_cancelled = row.limit.as_deref() == Some(Limit::Cancelled.to_string().as_str());
        rows.push(row);
        if is_cancelled {
            break;
        }
    }
    let written = match (arguments.json, arguments.csv) {
        (true, _) => output::write_json(&Json { schedulers: &rows }),
        (_, true) => output::stdout(csv(&rows).as_bytes()),
        _ => output::stdout(table(&rows).as_bytes()),
    };
    let found = rows.iter().any(|row| row.verdict == "bug");
    Ok(output::exit_after(written, if found { Exit::Bug } else { Exit::Success }))
}

/// The schedulers to compare: each alone, and with the rules, if there are any.
fn schedulers(
    arguments: &Compare,
    language: &Language,
    own: &OwnSchedulers,
    rules: Option<&Rules>,
) -> Result<Vec<SchedulerName>, String> {
    let portfolio = (language.portfolio)();
    let context = ListContext { portfolio: &portfolio, seed: None, own: &own.0 };
    let text = arguments.scheduler.as_deref().unwrap_or(DEFAULT);
    let list = Vocabulary::SCHEDULERS.parse_list(text, context).map_err(|error| error.to_string())?;
    let delays = |strategy| match strategy {
        StrategyName::Delays(scheduler) => Some(scheduler),
        _ => None,
    };
    let mut all: Vec<SchedulerName> = list.strategies.into_iter().filter_map(delays).collect();
    if arguments.scheduler.is_none() {
        all.extend(own.0.iter().map(|own| own.clone().into()));
    }
    if let Some(rules) = rules {
        for scheduler in all.clone() {
            all.push(rules.around_one(scheduler)?);
        }
    }
    Ok(all)
}

/// Searches under one scheduler.
fn search(arguments: &Compare, mut program: Box<dyn Explorable>, scheduler: SchedulerName) -> Row {
    let name = scheduler.to_string();
    let memory = budget::memory(arguments.memory);
    let limits = RunLimits { time: Some(arguments.time), memory };
    let budget = Budget::unwatched(limits, Arc::default(), Arc::default());
    let interrupt = Arc::clone(&budget.interrupt);
    interrupt_after(arguments.time, Arc::clone(&interrupt));
    program.limit_steps(StepLimits { interrupt, memory: memory.unwrap_or(usize::MAX) });
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        delays: arguments.delays,
        reduction: !arguments.no_reduction,
        choice_cost: 1,
        threads: arguments.threads.map_or_else(cores, usize::from),
        memory,
        ..Options::default()
    };
    let plan = Plan { options, ..Plan::under(scheduler.into()) };
    let monitor = Monitor::new(budget, false);
    let report = program.search(&plan, &monitor, None);
    row(name, &report, monitor.elapsed().as_secs_f64())
}

fn row(scheduler: String, report: &Report, seconds: f64) -> Row {
    let coverage = &report.coverage;
    let (limit, bug) = match &report.verdict {
        Verdict::Inconclusive(limit) => (Some(limit.to_string()), None),
        Verdict::Bug(bug) => (None, Some(bug)),
        _ => (None, None),
    };
    Row {
        scheduler,
        verdict: report.verdict.word(),
        limit,
        bound: bug.map_or(coverage.completed_bound, |bug| Some(bug.cost)),
        states: coverage.states,
        transitions: coverage.transitions,
        steps: bug.map(|bug| bug.schedule.steps.len()),
        seconds,
        sealed: coverage.sealed > 0,
    }
}

const TITLES: [&str; 7] =
    ["scheduler", "result", "bound", "states", "transitions", "steps to the bug", "seconds"];

impl Row {
    fn cells(&self) -> [String; 7] {
        let number =
            |number: Option<usize>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let result = match &self.limit {
            Some(limit) => format!("{} ({limit})", self.verdict),
            None if self.sealed => format!("{} (modulo seals)", self.verdict),
            None => self.verdict.to_owned(),
        };
        [
            self.scheduler.clone(),
            result,
            number(self.bound.map(|bound| bound as usize)),
            self.states.to_string(),
            self.transitions.to_string(),
            number(self.steps),
            format!("{:.2}", self.seconds),
        ]
    }
}

/// The rows with aligned columns: names to the left, numbers to the right.
fn table(rows: &[Row]) -> String {
    let lines: Vec<[String; 7]> =
        std::iter::once(TITLES.map(ToOwned::to_owned)).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 | 1 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += printable(cells.collect::<Vec<_>>().join("  ").trim_end()).as_ref();
        text.push('\n');
    }
    text
}

fn csv(rows: &[Row]) -> String {
    let quoted = |cell: &str| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        format!("{}\n", cells.join(","))
    };
    let titles = line(&TITLES.map(ToOwned::to_owned));
    titles + &rows.iter().map(|row| line(&row.cells())).collect::<String>()
}
