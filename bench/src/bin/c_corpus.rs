//! Runs `dally check` on public C programs with recorded verdicts.
//!
//! ```text
//! c_corpus CORPORA_DIR LIST.tsv [--seconds N] [--jobs N] [--only CORPUS]
//! ```
//!
//! A line of the list has five columns: the corpus, a note, the recorded verdict (`safe` or `unsafe`), the number of
//! lines, and the path of the program below the folder. Each program runs with the default settings, one thread and a
//! time limit, 10 seconds unless it is given; two programs run at a time unless `--jobs` says otherwise. For a safe
//! program, "no bug found" is right, also at the time limit if a bound was completed: it is what the verdict says. The
//! program `dally` is the one beside this benchmark, or `DALLY`.
//!
//! Columns of the table: *loaded* programs have no errors; *right* and *different* compare verdicts; *bounded* ones are
//! among the right ones, and reached the time limit; *inconclusive* programs reached it without a completed bound, or
//! without the recorded bug; *unsupported* ones use a construct that dally does not model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line of the list.
struct Case<'a> {
    corpus: &'a str,
    is_safe: bool,
    path: &'a str,
}

/// The outcome of a run, compared with the recorded verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    Bounded,
    Different,
    Inconclusive,
    Unsupported,
    Rejected,
    Crashed,
}

const OUTCOMES: [(Outcome, &str); 7] = [
    (Outcome::Right, "right"),
    (Outcome::Bounded, "bounded"),
    (Outcome::Different, "different"),
    (Outcome::Inconclusive, "inconclusive"),
    (Outcome::Unsupported, "unsupported"),
    (Outcome::Rejected, "rejected"),
    (Outcome::Crashed, "crashed"),
];

struct Arguments {
    folder: PathBuf,
    list: String,
    seconds: u64,
    jobs: usize,
    only: Option<String>,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let (mut positional, mut seconds, mut jobs, mut only) = (Vec::new(), 10, 2, None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => seconds = words.next()?.parse().ok()?,
            "--jobs" => jobs = words.next()?.parse().ok()?,
            "--only" => only = Some(words.next()?),
            _ => positional.push(word),
        }
    }
    let [folder, list] = <[String; 2]>::try_from(positional).ok()?;
    let list = std::fs::read_to_string(list).ok()?;
    Some(Arguments { folder: folder.into(), list, seconds, jobs, only })
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let Some(arguments) = arguments() else {
        println!("usage: c_corpus CORPORA_DIR LIST.tsv [--seconds N] [--jobs N] [--only CORPUS]");
        return;
    };
    let is_wanted = |case: &Case<'_>| arguments.only.as_ref().is_none_or(|only| only == case.corpus);
    let cases: Vec<Case<'_>> = arguments.list.lines().filter_map(case).filter(is_wanted).collect();
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<&str, BTreeMap<Outcome, usize>>::new()));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (outcome, message) = run(&arguments, case);
                    let Ok(mut counts) = counts.lock() else { return };
                    *counts.entry(case.corpus).or_default().entry(outcome).or_default() += 1;
                    if !matches!(outcome, Outcome::Right | Outcome::Bounded) {
                        println!("{}", describe(case, outcome, &message));
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_default();
    let words: Vec<&str> = OUTCOMES.iter().map(|(_, word)| *word).collect();
    println!("\n| corpus | programs | loaded | {} |", words.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(words.len()));
    let mut total: BTreeMap<Outcome, usize> = BTreeMap::new();
    for (corpus, counts) in &counts {
        println!("{}", row(corpus, counts));
        counts.iter().for_each(|(outcome, count)| *total.entry(*outcome).or_default() += count);
    }
    println!("{}", row("all", &total));
}

fn describe(case: &Case<'_>, outcome: Outcome, message: &str) -> String {
    let word = OUTCOMES.iter().find(|(other, _)| *other == outcome).map_or("", |(_, word)| word);
    let expected = if case.is_safe { "safe" } else { "unsafe" };
    format!("{word}: {} ({expected}): {message}", case.path)
}

fn case(line: &str) -> Option<Case<'_>> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [corpus, _, verdict, _, path] = columns[..] else { return None };
    Some(Case { corpus, is_safe: verdict == "safe", path })
}

fn row(corpus: &str, counts: &BTreeMap<Outcome, usize>) -> String {
    let count = |outcome| counts.get(&outcome).copied().unwrap_or(0);
    let all: usize = counts.values().sum();
    let loaded = all - count(Outcome::Rejected) - count(Outcome::Crashed);
    let cell = |outcome| match outcome {
        Outcome::Right => count(Outcome::Right) + count(Outcome::Bounded),
        other => count(other),
    };
    let cells: Vec<String> = OUTCOMES.iter().map(|(outcome, _)| cell(*outcome).to_string()).collect();
    format!("| {corpus} | {all} | {loaded} | {} |", cells.join(" | "))
}

/// The program `dally`.
fn dally() -> PathBuf {
    std::env::var_os("DALLY")
        .map_or_else(|| std::env::current_exe().unwrap_or_default().with_file_name("dally"), PathBuf::from)
}

/// Runs dally, and returns the message of its verdict.
fn run(arguments: &Arguments, case: &Case<'_>) -> (Outcome, String) {
    let file = arguments.folder.join(case.path);
    let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
    let mut command = Command::new(dally());
    command.args(["check", "--json", "--threads", "1", "--memory", "2G"]);
    command.args(["--time", &format!("{}s", arguments.seconds)]);
    let output = match command.arg(file.file_name().unwrap_or_default()).current_dir(folder).output() {
        Ok(output) => output,
        Err(error) => return (Outcome::Crashed, error.to_string()),
    };
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr);
    let message = json["message"].as_str().map_or_else(
        || errors.lines().next().unwrap_or("").to_owned(),
        |message| message.chars().take(200).collect(),
    );
    let completed = !json["coverage"]["completed_bound"].is_null();
    let outcome = match (json["verdict"].as_str(), case.is_safe) {
        (Some("bug"), false) | (Some("proved" | "no-bug"), true) => Outcome::Right,
        // After "no bug found", not all values were tried, or not all schedules.
        (Some("bug"), true) | (Some("proved" | "no-bug"), false) => Outcome::Different,
        (Some("inconclusive"), true) if completed => Outcome::Bounded,
        (Some("inconclusive"), _) => Outcome::Inconclusive,
        (Some("unsupported"), _) => Outcome::Unsupported,
        (Some("error"), _) => Outcome::Rejected,
        _ => Outcome::Crashed,
    };
    (outcome, message)
}
