//! Runs dally on the regression tests of P.
//!
//! ```text
//! p_corpus PATH/Tst/RegressionTests [FILTER]
//! ```
//!
//! The name of a folder is the expected verdict: programs in `StaticError` must be rejected.
//! Programs in `Correct` and `DynamicError` must be accepted; they are explored with `rtc` for at
//! most 10 seconds, and a bug must be found in the latter and none in the former. A search that
//! reaches the time limit has found no bug. As in P's harness, the test is `DefaultImpl` or the
//! only test; a folder with a list of parametric tests must have exactly those. Most programs in
//! `Liveness`, which the harness does not run, declare no test: there, every specification is
//! asserted. Programs whose specifications have hot states are checked for liveness.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dally_bench::files::{folders, name, with_extension};
use dally_explore::{
    Cycles, Delays, Limit, Liveness, Options, SchedulerName, Search, StateCoverage, Verdict, Watch,
};
use dally_p::MachineKind;
use dally_text::source::SourceMap;

/// The expected verdict of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Expected {
    Correct,
    DynamicError,
    StaticError,
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(root) = args.first().map(Path::new) else {
        println!("usage: p_corpus PATH/Tst/RegressionTests [FILTER]");
        return;
    };
    let filter = args.get(1).map_or("", String::as_str);
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    let mut rates: BTreeMap<(String, Expected), (usize, usize)> = BTreeMap::new();
    for Case { category, expected, folder } in programs(root) {
        if !folder.to_string_lossy().contains(filter) {
            continue;
        }
        let outcome = run(&folder, expected);
        let (same, all) = rates.entry((category, expected)).or_default();
        *all += 1;
        match outcome {
            Ok(found) => {
                *same += 1;
                *outcomes.entry(found).or_default() += 1;
            }
            Err(reason) => println!("miss: {}: {reason}", folder.display()),
        }
    }
    println!("\n| folder | verdict | same | of |\n|---|---|---|---|");
    for ((category, expected), (same, all)) in &rates {
        println!("| {category} | {expected:?} | {same} | {all} |");
    }
    for (outcome, count) in &outcomes {
        println!("{outcome}: {count}");
    }
    let run: Vec<_> = rates.iter().filter(|((c, _), _)| harness_runs(c)).map(|(_, r)| r).collect();
    let (same, all) = run.iter().fold((0, 0), |(s, a), (same, all)| (s + same, a + all));
    println!(
        "\nprograms that P's harness runs: {same} of {all} as expected, {:.1} %",
        100.0 * same as f64 / all.max(1) as f64
    );
}

/// Returns true if P's harness runs the programs of this folder.
fn harness_runs(category: &str) -> bool {
    !["Feature5ModuleSystem", "Liveness"].contains(&category)
}

/// The folder of a program.
struct Case {
    category: String,
    expected: Expected,
    folder: PathBuf,
}

/// All programs.
fn programs(root: &Path) -> Vec<Case> {
    let mut found = Vec::new();
    for category in folders(root) {
        for verdict in folders(&category) {
            let expected = match name(&verdict).as_str() {
                "Correct" => Expected::Correct,
                "DynamicError" => Expected::DynamicError,
                "StaticError" => Expected::StaticError,
                _ => continue,
            };
            for program in folders(&verdict) {
                if !sources(&program).is_empty() {
                    found.push(Case { category: name(&category), expected, folder: program });
                }
            }
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    with_extension(folder, "p")
}

/// The outcome, or why it differs from the expected one.
fn run(folder: &Path, expected: Expected) -> Result<String, String> {
    let mut map = SourceMap::default();
    for file in sources(folder) {
        let text = std::fs::read(&file).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        map.add(file.display().to_string(), text).map_err(|_| "too large".to_owned())?;
    }
    if folder.components().any(|part| part.as_os_str() == "Liveness") {
        assert_specifications(&mut map)?;
    }
    match (dally_p::load(&map), expected) {
        (Err(_), Expected::StaticError) => Ok("rejected".to_owned()),
        (Ok(_), Expected::StaticError) => Err("accepted".to_owned()),
        (Err(diagnostics), _) => {
            let first = diagnostics.first();
            let place = first.and_then(|d| map.location(d.primary.span));
            let place = place.map_or(String::new(), |p| format!("{}:{}: ", p.line, p.column));
            Err(format!("rejected: {place}{}", first.map_or("", |d| &d.message)))
        }
        (Ok(program), expected) => explore(&program, &map, folder, expected),
    }
}

/// Declares a test that asserts every specification, if there is no test.
fn assert_specifications(map: &mut SourceMap) -> Result<(), String> {
    let Ok(program) = dally_p::load(map) else { return Ok(()) };
    let names = |kind: MachineKind| program.machines(kind).collect::<Vec<_>>().join(", ");
    let (specifications, machines) = (names(MachineKind::Spec), names(MachineKind::Machine));
    if program.declares_tests() || specifications.is_empty() {
        return Ok(());
    }
    let test = format!("test DefaultImpl [main=Main]: assert {specifications} in {{ {machines} }};");
    map.add("test", test).map(|_| ()).map_err(|_| "too large".to_owned())
}

/// Stops a search at its time limit.
struct Deadline(Instant);

impl<S> Watch<S> for Deadline {
    fn poll(&self, _: &StateCoverage) -> Option<Limit> {
        (self.0.elapsed() > Duration::from_secs(10)).then_some(Limit::Time)
    }
}

fn explore(
    program: &dally_p::Program,
    map: &SourceMap,
    folder: &Path,
    expected: Expected,
) -> Result<String, String> {
    let tests = &program.tests;
    let find = |name: &str| tests.iter().find(|test| test.name == name);
    if let Ok(list) = std::fs::read_to_string(folder.join("ExpectedParametricTests.txt")) {
        let wanted: Vec<&str> =
            list.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
        let missing = wanted.iter().find(|name| find(name).is_none());
        return match missing {
            Some(name) => Err(format!("there is no test {name}")),
            None if wanted.len() == tests.len() => Ok("has the expected tests".to_owned()),
            None => Err(format!("{} tests instead of {}", tests.len(), wanted.len())),
        };
    }
    let test = find("DefaultImpl").or(if tests.len() == 1 { tests.first() } else { None });
    let Some(test) = test else {
        return Err(format!("{} tests", tests.len()));
    };
    let machine = dally_p::Machine::new(program, test, map);
    let options = Options { memory: Some(3 << 30), ..Options::default() };
    let (rtc, deadline) = (Delays::named(&SchedulerName::Rtc), Deadline(Instant::now()));
    let report = if machine.has_hot_states() {
        Cycles::new(&machine, &rtc, &options, Liveness::default(), &deadline).run()
    } else {
        Search::new(&machine, &rtc, &options, &deadline).run()
    };
    let found = match &report.verdict {
        Verdict::Bug(bug) => format!("bug: {}", bug.failure),
        Verdict::Proved => "proved".to_owned(),
        Verdict::Unsupported(message) => return Err(format!("unsupported: {message}")),
        other => format!("no bug found: {other}"),
    };
    match (expected, &report.verdict) {
        (Expected::DynamicError, Verdict::Bug(_)) => Ok("bug found".to_owned()),
        (Expected::Correct, Verdict::Proved) => Ok("proved".to_owned()),
        (Expected::Correct, Verdict::Inconclusive(_)) => Ok("no bug found within the time limit".to_owned()),
        _ => Err(found),
    }
}
