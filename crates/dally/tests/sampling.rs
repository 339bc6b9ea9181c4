//! `dally check --sample`: verdicts, replay, flags.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::path::Path;

use common::dally;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

fn sample(flags: &[&str], program: &str) -> serde_json::Value {
    let output = dally(&[&["check", "--sample", "--json"], flags, &[&example(program)]].concat(), b"");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

#[test]
fn a_sampled_bug_is_shrunk_and_replays() {
    let trace = std::env::temp_dir().join(format!("dally-sampled-{}.json", std::process::id()));
    let trace = trace.to_str().unwrap();
    for (program, cost) in [
        ("deposit.bpl", "with 1 delay under rr"),
        ("lock_order.bpl", "with 1 delay under rr"),
        ("german.bpl", "with 0 delays and 1 choice under rr"),
        ("p/client_server.p", "with 1 delay under rtc"),
        ("p/german.p", "with 1 delay under rtc"),
    ] {
        let output = dally(&["check", "--sample", "--trace", trace, &example(program)], b"");
        assert_eq!(output.status.code(), Some(1), "{program}: {}", text(&output.stderr));
        let report = text(&output.stdout);
        assert!(report.lines().next().is_some_and(|line| line.ends_with(cost)), "{program}: {report}");
        assert!(report.contains("\nsampled ") && report.contains("was shrunk in "), "{program}: {report}");
        let again = dally(&["replay", trace], b"");
        assert_eq!(again.status.code(), Some(1), "{program}: {}", text(&again.stderr));
    }
    std::fs::remove_file(trace).unwrap();
}

#[test]
fn programs_without_a_bug_are_reported_with_the_number_of_executions() {
    let program = example("bank_account_fixed.bpl");
    let output = dally(&["check", "--sample", "--walks", "1000", "--seed", "7", &program], b"");
    assert_eq!(output.status.code(), Some(0));
    let verdict = "no bug found in 1,000 sampled executions (seed 7, longest 3 steps)\n";
    assert!(text(&output.stdout).starts_with(verdict), "{}", text(&output.stdout));

    let json = sample(&["--walks", "1000", "--steps", "2"], "bank_account_fixed.bpl");
    assert_eq!((json["verdict"].as_str(), &json["coverage"]), (Some("no-bug"), &serde_json::Value::Null));
    let sampled = &json["sampled"];
    assert_eq!((&sampled["walks"], &sampled["cut_off"]), (&1000.into(), &1000.into()), "{sampled}");
}

#[test]
fn threads_do_not_change_the_result() {
    let one = sample(&["--threads", "1"], "bluetooth.bpl");
    let two = sample(&["--threads", "2"], "bluetooth.bpl");
    assert_eq!(one["verdict"], "bug");
    assert_eq!((&one["sampled"], &one["trace"]), (&two["sampled"], &two["trace"]));
    assert_ne!(one["sampled"], sample(&["--seed", "5"], "bluetooth.bpl")["sampled"]);
}

#[test]
fn contradictory_flags_are_refused() {
    for (flags, why) in [
        (&["--sample", "--exact"][..], "--exact is about systematic search"),
        (&["--sample", "--delays", "1"], "--delays is about systematic search"),
        (&["--sample", "--scheduler", "dfs"], "use rr, rtc or random"),
        (&["--sample", "--scheduler", "rr,rtc"], "one scheduler: give one"),
        (&["--sample=ranom"], "there is no sampler `ranom`"),
        (&["--sample=pct"], "write, for example, `pct:3`"),
        (&["--walks", "7"], "--walks limits sampling"),
        (&["--sample", "--walks", "0"], "0 is not in 1.."),
    ] {
        let output = dally(&[&["check"], flags, &["-"]].concat(), b"procedure main() { }");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(text(&output.stderr).contains(why), "{flags:?}: {}", text(&output.stderr));
    }
}

/// Samples a program given as text, and returns the trace of its bug.
fn trace_of(flags: &[&str], program: &str) -> serde_json::Value {
    let output = dally(&[&["check", "--sample", "--json"], flags, &["-"]].concat(), program.as_bytes());
    let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["verdict"], "bug", "{json}");
    json["trace"].take()
}

/// Without a delay the task fails as well, after 20 yields.
#[test]
fn a_shrunk_execution_has_at_most_as_many_steps_as_allowed() {
    let program = "
        var done, flag: bool;
        procedure {:entrypoint} main() { done, flag := false, false; async call a(); async call s(); async call t(); }
        procedure a() { done := true; }
        procedure s() { if (!done) { flag := true; } }
        procedure t() { var i: int; i := 0; while (i < 20 && !flag) { yield; i := i + 1; } assert false; }";
    let steps = |flags: &[&str]| {
        let trace = trace_of(flags, program);
        trace["schedule"]["steps"].as_array().unwrap_or_else(|| panic!("{trace}")).len()
    };
    assert!(steps(&["--steps", "8"]) <= 8);
    assert!(steps(&[]) > 20);
}

/// Only the first option that has an outcome is free.
#[test]
fn the_cost_of_a_shrunk_execution_is_that_of_the_search() {
    let program = "
        var {:range 0, 8} x: int;
        procedure {:entrypoint} main() {
          havoc x;
          assume x * x > 10;
          assert x < 3;
        }";
    assert_eq!(trace_of(&["--choice-cost=1"], program)["cost"], 0);
}
