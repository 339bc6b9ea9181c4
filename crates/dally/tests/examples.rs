//! Each program under `examples/` states in its header the verdict of `dally`, which these tests confirm:
//!
//! ```text
//! // check: bug 1                              a failed assertion, with exactly 1 delay
//! // check --scheduler dfw: deadlock 0         a deadlock, without delays
//! // check: runtime 2                          another run-time error, with exactly 2 delays
//! // check: loop 1                             a cycle that violates a liveness property, within 1 delay
//! // check: liveness 0                         the program terminates in a hot state, without delays
//! // check --preempt: proved                   no execution fails
//! // check: proved in 289 states               no execution fails, and 289 states are reachable
//! // print: error                              the program is not well-formed
//! // verify --delays 1: bug                    `dally verify` finds and replays a bug; or `proved`, or `no-bug`
//! ```
//!
//! A bug with `k` delays is missed with `k - 1`, its trace replays, and the portfolio finds it with at most 3.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/schema.rs"]
mod schema;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A claim of a header.
struct Claim {
    command: String,
    flags: Vec<String>,
    expected: Expected,
}

enum Expected {
    Failure {
        kind: &'static str,
        cost: u64,
    },
    Loop {
        bound: u64,
    },
    Proved {
        states: Option<u64>,
    },
    Error,
    /// The verdict of `dally verify`.
    Verified(String),
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The paths of the programs, relative to the root.
fn examples() -> Vec<String> {
    let (boogie, p) = (programs("examples", ".bpl"), programs("examples/p", ".p"));
    let loops = [programs("examples/liveness", ".bpl"), programs("examples/liveness", ".p")].concat();
    assert!(boogie.len() > 30 && p.len() >= 18 && loops.len() >= 14, "the examples were not found");
    let c = programs("examples/c", ".c");
    assert!(c.len() >= 15, "the examples in C were not found");
    [boogie, p, loops, c].concat()
}

fn programs(folder: &str, extension: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(extension))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    names.sort();
    names
}

fn claims(example: &str) -> Vec<Claim> {
    let text = std::fs::read_to_string(root().join(example)).unwrap();
    let header = text.lines().take_while(|line| line.starts_with("//"));
    header
        .filter_map(|line| {
            let claims = ["// check", "// print", "// verify"];
            claims.iter().any(|claim| line.starts_with(claim)).then(|| &line[3..])
        })
        .map(|line| claim(line).unwrap_or_else(|| panic!("{example}: the line `{line}` is not understood")))
        .collect()
}

fn claim(line: &str) -> Option<Claim> {
    let (command, expected) = line.rsplit_once(": ")?;
    let mut words = command.split_whitespace().map(str::to_owned);
    let expected = match expected.split_whitespace().collect::<Vec<_>>()[..] {
        [verdict] if command.starts_with("verify") => Expected::Verified(verdict.to_owned()),
        ["bug", cost] => Expected::Failure { kind: "assertion", cost: cost.parse().ok()? },
        ["runtime", cost] => Expected::Failure { kind: "runtime", cost: cost.parse().ok()? },
        ["deadlock", cost] => Expected::Failure { kind: "deadlock", cost: cost.parse().ok()? },
        ["liveness", cost] => Expected::Failure { kind: "liveness", cost: cost.parse().ok()? },
        ["loop", bound] => Expected::Loop { bound: bound.parse().ok()? },
        ["proved"] => Expected::Proved { states: None },
        ["proved", "in", states, "states"] => Expected::Proved { states: Some(states.parse().ok()?) },
        ["error"] => Expected::Error,
        _ => return None,
    };
    Some(Claim { command: words.next()?, flags: words.collect(), expected })
}

fn dally(command: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dally"))
        .arg(command)
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap()
}

/// The report of `dally check --json`.
fn check(example: &str, flags: &[String], more: &[&str]) -> Value {
    let mut arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
    arguments.extend(more);
    // The claims count delays alone.
    if !flags.iter().any(|flag| flag.starts_with("--choice-cost")) {
        arguments.push("--choice-cost=0");
    }
    arguments.extend(["--no-sample", "--json", example]);
    let output = dally("check", &arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{example} {flags:?}: {error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// The report of a bug of the given kind, whose trace fits the schema and replays.
fn bug(example: &str, flags: &[String], kind: &str) -> Value {
    let name = format!("dally-{}-{}.json", std::process::id(), example.replace('/', "-"));
    let trace = std::env::temp_dir().join(name);
    let trace = trace.to_str().unwrap();
    let report = check(example, flags, &["--trace", trace]);
    let message = &report["message"];
    assert_eq!(report["verdict"], "bug", "{example} {flags:?}: {message}");
    assert_eq!(report["trace"]["failure"]["kind"], kind, "{example} {flags:?}: {message}");
    let written: Value = serde_json::from_slice(&std::fs::read(trace).unwrap()).unwrap();
    if let Err(error) = schema::of_traces().validate(&written) {
        panic!("the trace of {example} {flags:?} does not fit docs/trace.schema.json: {error}");
    }
    let replayed = dally("replay", &[trace]);
    assert_eq!(replayed.status.code(), Some(1), "the trace of {example} {flags:?} does not replay");
    std::fs::remove_file(trace).unwrap();
    report
}

/// A bug of the given kind with exactly the given cost.
fn assert_fails(example: &str, flags: &[String], kind: &str, cost: u64) {
    let report = bug(example, flags, kind);
    assert_eq!(report["trace"]["cost"], cost, "{example} {flags:?}: {}", report["message"]);
    if let Some(less) = cost.checked_sub(1) {
        let report = check(example, flags, &["--exact", "--delays", &less.to_string()]);
        let message = &report["message"];
        assert_eq!(report["verdict"], "proved", "{example} {flags:?} with {less} delays: {message}");
    }
}

/// A cycle that is found at exactly the given bound.
fn assert_loops(example: &str, flags: &[String], bound: u64) {
    let report = bug(example, flags, "liveness");
    let context = format!("{example} {flags:?}: {}", report["message"]);
    assert_eq!(report["coverage"]["bound"], bound, "{context}");
    let (steps, from) = (&report["trace"]["steps"], &report["trace"]["schedule"]["loop"]);
    assert!(from.as_u64().unwrap() < steps.as_array().unwrap().len() as u64, "{context}");
    if let Some(less) = bound.checked_sub(1) {
        let report = check(example, flags, &["--delays", &less.to_string()]);
        assert_eq!(report["verdict"], "no-bug", "{example} {flags:?} within {less}: {}", report["message"]);
    }
}

fn assert_proved(example: &str, flags: &[String], states: Option<u64>) {
    let report = check(example, flags, &[]);
    assert_eq!(report["verdict"], "proved", "{example} {flags:?}: {}", report["message"]);
    if let Some(states) = states {
        assert_eq!(report["coverage"]["states"], states, "{example} {flags:?}");
    }
}

fn assert_verified(example: &str, flags: &[String], verdict: &str) {
    let mut arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
    arguments.extend(["--json", example]);
    let report: Value = serde_json::from_slice(&dally("verify", &arguments).stdout).unwrap();
    let context = format!("{example} {flags:?}: {}", report["message"]);
    assert_eq!(report["verdict"], verdict, "{context}");
    assert_eq!(report["trace"].is_null(), verdict != "bug", "{context}");
}

#[test]
fn examples_are_what_they_say() {
    for example in &examples() {
        let claims = claims(example);
        assert!(!claims.is_empty(), "{example} does not say what is found in it");
        for Claim { command, flags, expected } in claims {
            match expected {
                Expected::Failure { kind, cost } => assert_fails(example, &flags, kind, cost),
                Expected::Loop { bound } => assert_loops(example, &flags, bound),
                Expected::Proved { states } => assert_proved(example, &flags, states),
                Expected::Verified(verdict) => assert_verified(example, &flags, &verdict),
                Expected::Error => {
                    assert_eq!(dally(&command, &[example]).status.code(), Some(2), "{example}");
                }
            }
        }
    }
}

#[test]
fn the_portfolio_finds_every_bug_with_three_delays() {
    for example in &examples() {
        // Unfair cycles are found only with `--unfair`.
        let failing = |claim: &Claim| {
            matches!(claim.expected, Expected::Failure { .. } | Expected::Loop { .. })
                && !claim.flags.iter().any(|flag| flag == "--unfair")
        };
        let Some(claim) = claims(example).into_iter().find(failing) else { continue };
        // The flags that select what is run, without those of the search.
        let reading = claim
            .flags
            .iter()
            .map(String::as_str)
            .skip_while(|f| !["--preempt", "--test", "--atomic-width", "-D"].contains(f));
        let count = if claim.flags.iter().any(|f| ["--test", "--atomic-width", "-D"].contains(&f.as_str())) {
            2
        } else {
            1
        };
        let reading: Vec<&str> = reading.take(count).collect();
        let report =
            check(example, &[], &[&reading[..], &["--scheduler", "portfolio", "--delays", "3"]].concat());
        assert_eq!(report["verdict"], "bug", "{example}: {}", report["message"]);
    }
}

#[test]
fn the_table_names_every_example() {
    let table = std::fs::read_to_string(root().join("docs/examples.md")).unwrap();
    for example in &programs("examples", ".bpl") {
        let name = example.strip_prefix("examples/").unwrap();
        assert!(table.contains(&format!("(../examples/{name})")), "{name} is not in docs/examples.md");
    }
    let table = std::fs::read_to_string(root().join("docs/c.md")).unwrap();
    for example in programs("examples/c", ".c") {
        assert!(table.contains(&format!("(../{example})")), "{example} is not in docs/c.md");
    }
    let table = std::fs::read_to_string(root().join("docs/liveness.md")).unwrap();
    for example in [programs("examples/liveness", ".bpl"), programs("examples/liveness", ".p")].concat() {
        assert!(table.contains(&format!("(../{example})")), "{example} is not in docs/liveness.md");
    }
}
