//! Runs `dally check` on every test of every project of P's tutorials.
//!
//! ```text
//! p_tutorials PATH/Tutorial [--seconds N] [--only NAME] [--dally PATH]
//! ```
//!
//! Each test runs in a process of its own with the default settings and N seconds (60), so that a
//! crash costs one row. `--only` selects the tests whose project or name contains NAME. `--dally` is
//! the path of the program; by default it is in the folder of this benchmark.
//!
//! The last column is from P's manual: the schedules that its command explores, and its verdict. Bytes
//! are the peak resident memory of the process for each state, from 100,000 states on. The summary counts
//! verdicts, and lists the messages of bugs and of unsupported programs. Libraries and projects for P's
//! verifier have no tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dally_bench::files::{below, name};
use dally_bench::{memory, table};
use serde_json::Value;

struct Arguments {
    root: PathBuf,
    seconds: u64,
    only: String,
    dally: PathBuf,
}

/// The entries of P's manual: project, test, number of schedules, and true if it reports a bug.
const MANUAL: [(&str, &str, u32, bool); 8] = [
    ("1_ClientServer", "tcSingleClient", 1_000, false),
    ("1_ClientServer", "tcMultipleClients", 1_000, false),
    ("1_ClientServer", "tcAbstractServer", 1_000, true),
    ("2_TwoPhaseCommit", "tcSingleClientNoFailure", 10_000, false),
    ("2_TwoPhaseCommit", "tcMultipleClientsNoFailure", 10_000, true),
    ("2_TwoPhaseCommit", "tcMultipleClientsWithFailure", 10_000, true),
    ("4_FailureDetector", "tcTest_FailureDetector", 10_000, false),
    ("5_Paxos", "testBasicPaxos3on5", 1_000, false),
];

/// The samples that a test without a proof should have.
const SAMPLES: u64 = 10_000;

/// The states from which on fixed allocations do not distort the bytes for each state.
const MANY_STATES: u64 = 100_000;

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => return println!("{message}"),
    };
    let (mut rows, mut rejected, mut without_tests) = (Vec::new(), Vec::new(), 0);
    for project in below(&arguments.root, "pproj") {
        let tests = match tests(&arguments.dally, &project) {
            Ok(tests) => tests,
            Err(message) => {
                rejected.push(format!("{}: {message}", title(&project)));
                continue;
            }
        };
        without_tests += usize::from(tests.is_empty());
        for test in tests {
            let row = || Row::new(&project, &test, run(&arguments, &project, &test));
            if [title(&project), test.clone()].iter().any(|name| name.contains(&arguments.only)) {
                let row = row();
                progress(&row);
                rows.push(row);
            }
        }
    }
    let header =
        ["project", "test", "verdict", "cost", "samples", "covered", "states", "s", "B/state", "P's manual"];
    println!("{}", table(&header, &rows.iter().map(Row::cells).collect::<Vec<_>>()));
    println!("{}", summary(&rows));
    println!("projects without tests: {without_tests}, rejected: {}", rejected.len());
    rejected.iter().for_each(|project| println!("{project}"));
}

/// A long run shows that it proceeds.
fn progress(row: &Row) {
    let _ = writeln!(std::io::stderr(), "{}", row.cells().join(" | "));
}

fn arguments() -> Result<Arguments, String> {
    let usage = "usage: p_tutorials PATH/Tutorial [--seconds N] [--only NAME] [--dally PATH]";
    let (mut root, mut seconds, mut only, mut dally) = (None, 60, String::new(), None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| usage.to_owned());
        match arg.as_str() {
            "--seconds" => seconds = value()?.parse().map_err(|_| usage.to_owned())?,
            "--only" => only = value()?,
            "--dally" => dally = Some(value()?),
            _ if root.is_none() && !arg.starts_with('-') => root = Some(PathBuf::from(arg)),
            _ => return Err(usage.to_owned()),
        }
    }
    let root = root.ok_or_else(|| usage.to_owned())?;
    Ok(Arguments { root, seconds, only, dally: dally_bench::dally(dally.as_deref())? })
}

/// The name of a project in the table: its folder.
fn title(project: &Path) -> String {
    project.parent().map(name).unwrap_or_default()
}

/// The tests of a project, or why it was rejected.
fn tests(dally: &Path, project: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(dally).args(["check", "--list-tests"]).arg(project).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(errors.lines().next().unwrap_or("no message").to_owned())
}

/// The result of a run of dally.
struct Run {
    /// Its JSON, if it printed some.
    report: Option<Value>,
    peak: Option<u64>,
    seconds: f64,
}

fn run(arguments: &Arguments, project: &Path, test: &str) -> Run {
    let started = Instant::now();
    let child = Command::new(&arguments.dally)
        .args(["check", "--json", "--time", &format!("{}s", arguments.seconds), "--test", test])
        .arg(project)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = child else { return Run { report: None, peak: None, seconds: 0.0 } };
    let process = child.id().to_string();
    // The report is printed at once, before the process frees its memory: the last look at the peak
    // is at most a pause old.
    let (sender, done) = std::sync::mpsc::channel::<()>();
    let waiter = std::thread::spawn(move || {
        let output = child.wait_with_output();
        drop(sender);
        output
    });
    let (mut peak, pause) = (None, Duration::from_millis(20));
    while done.recv_timeout(pause) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        peak = peak.max(memory::peak_of(&process));
    }
    let seconds = started.elapsed().as_secs_f64();
    let output = waiter.join().ok().and_then(Result::ok);
    let report = output.and_then(|o| serde_json::from_slice(&o.stdout).ok());
    Run { report, peak, seconds }
}

struct Row {
    project: String,
    test: String,
    verdict: String,
    message: String,
    cost: String,
    /// The walks sampled.
    samples: u64,
    covered: String,
    states: u64,
    seconds: f64,
    bytes: Option<u64>,
}

impl Row {
    fn new(project: &Path, test: &str, run: Run) -> Row {
        let report = run.report.unwrap_or(Value::Null);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let coverage = &report["coverage"];
        let states = coverage["states"].as_u64().unwrap_or(0);
        let verdict = text(&report["verdict"]).unwrap_or_else(|| "no report".into());
        Row {
            project: title(project),
            test: test.into(),
            cost: if verdict == "bug" { cost(&report["trace"]["schedule"]["steps"]) } else { "".into() },
            message: text(&report["message"]).unwrap_or_default(),
            samples: report["sampled"]["walks"].as_u64().unwrap_or(0),
            covered: covered(&verdict, coverage),
            bytes: run.peak.filter(|_| states >= MANY_STATES).map(|peak| peak / states),
            seconds: run.seconds,
            verdict,
            states,
        }
    }

    fn manual(&self) -> Option<(u32, bool)> {
        let entry =
            |(project, test, ..): &&(&str, &str, u32, bool)| *project == self.project && *test == self.test;
        MANUAL.iter().find(entry).map(|&(_, _, schedules, bug)| (schedules, bug))
    }

    fn cells(&self) -> Vec<String> {
        let manual = self.manual().map(|(schedules, bug)| {
            format!("{} {schedules} schedules", if bug { "bug within" } else { "no bug in" })
        });
        vec![
            self.project.clone(),
            // Parametric tests have long names: "test___a_1__b_2".
            self.test.replace("___", " ").replace("__", " "),
            self.verdict.clone(),
            self.cost.clone(),
            self.samples.to_string(),
            self.covered.clone(),
            self.states.to_string(),
            format!("{:.1}", self.seconds),
            self.bytes.map(|b| b.to_string()).unwrap_or_default(),
            manual.unwrap_or_default(),
        ]
    }
}

/// Delays and choices of a schedule.
fn cost(steps: &Value) -> String {
    let sum = |field: &str| -> u64 {
        steps.as_array().into_iter().flatten().filter_map(|step| step[field].as_u64()).sum()
    };
    format!("{} d, {} c", sum("cost"), sum("choice_cost"))
}

/// The coverage of the systematic search: a completed bound, or the depth reached.
fn covered(verdict: &str, coverage: &Value) -> String {
    match (verdict, coverage["completed_bound"].as_u64(), coverage["depth"].as_u64()) {
        ("proved", ..) => "all".into(),
        (_, Some(bound), _) => format!("bound {bound}"),
        (_, None, Some(depth)) => format!("depth {depth}"),
        (_, None, None) => String::new(),
    }
}

fn summary(rows: &[Row]) -> String {
    let count = |kept: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| kept(row)).count();
    let is = |verdict: &'static str| count(&|row| row.verdict == verdict);
    let clean = |row: &Row| row.verdict == "inconclusive" || row.verdict == "no bug";
    let mut text = format!(
        "{} tests: {} proved, {} with a bug, {} without a bug and {SAMPLES} samples or more, {} without a \
         bug and fewer samples, {} unsupported, {} without a report\n",
        rows.len(),
        is("proved"),
        is("bug"),
        count(&|row| clean(row) && row.samples >= SAMPLES),
        count(&|row| clean(row) && row.samples < SAMPLES),
        is("unsupported"),
        is("no report"),
    );
    let documented = MANUAL.iter().filter(|(_, _, _, bug)| *bug).count();
    let found = count(&|row| row.verdict == "bug" && row.manual().is_some_and(|(_, bug)| bug));
    text += &format!("documented bugs: {found} of {documented} found\n");
    let alarms = |row: &Row| row.verdict == "bug" && row.manual().is_some_and(|(_, bug)| !bug);
    text += &format!("bugs where P's manual has none: {}\n", count(&alarms));
    for row in rows.iter().filter(|row| row.verdict == "bug" || !(clean(row) || row.verdict == "proved")) {
        text += &format!("{} {}: {}\n", row.project, row.test, row.message);
    }
    text
}
