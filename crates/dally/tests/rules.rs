//! `--rules`, `--rule` and `dally compare`: bounds, replay, sampling and contradictions between flags.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::path::Path;

use common::dally;
use serde_json::Value;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

fn json(arguments: &[&str]) -> Value {
    let output = dally(arguments, b"");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

/// A rule file of one line lowers the bound to 0, and the trace replays without the file.
#[test]
fn rules_lower_the_bound_and_replay() {
    let trace = std::env::temp_dir().join(format!("dally-rules-{}.json", std::process::id()));
    let trace = trace.to_str().unwrap();
    for (program, rules) in [
        ("rules/driver.bpl", "rules/driver.rules"),
        ("rules/timers.p", "rules/timers.rules"),
        ("rules/workers.c", "rules/workers.rules"),
    ] {
        let (program, rules) = (example(program), example(rules));
        assert!(std::fs::read_to_string(&rules).unwrap().lines().count() <= 5);
        let found = json(&["check", "--json", "--trace", trace, "--rules", &rules, &program]);
        assert_eq!((&found["verdict"], &found["trace"]["cost"]), (&"bug".into(), &0.into()), "{program}");
        let again = dally(&["replay", trace], b"");
        assert_eq!(again.status.code(), Some(1), "{program}: {}", text(&again.stderr));
    }
    std::fs::remove_file(trace).unwrap();
}

/// No scheduler of the table finds the bug of the driver with five delays; `rr` is left to the measurements.
#[test]
fn compare_shows_each_scheduler_alone_and_with_rules() {
    let names = ["rtc", "dfs", "dfs:reverse"];
    let arguments = ["compare", "--json", "--delays", "5", "--time", "100s", "--rule", "CleanUp last"];
    let program = example("rules/driver.bpl");
    let found = json(&[&arguments[..], &["--scheduler", &names.join(","), &program]].concat());
    let rows = found["schedulers"].as_array().unwrap();
    assert_eq!(rows.len(), 2 * names.len());
    for (nth, row) in rows.iter().enumerate() {
        let name = names[nth % names.len()];
        let expected = match nth < names.len() {
            true => (name.to_owned(), "no-bug", 5),
            false => (format!("{name} with CleanUp last"), "bug", 0),
        };
        let row = (
            row["scheduler"].as_str().unwrap().to_owned(),
            row["verdict"].as_str().unwrap(),
            row["bound"].as_u64(),
        );
        assert_eq!(row, (expected.0, expected.1, Some(expected.2)));
    }
    let csv = dally(&["compare", "--csv", "--scheduler", "rtc", "--rule", "CleanUp last", &program], b"");
    assert!(text(&csv.stdout).starts_with("scheduler,result,bound,states,"), "{}", text(&csv.stdout));
}

/// Without seals, rules leave the verdict of a search without a bound as it is.
#[test]
fn rules_are_sound_in_the_limit() {
    for (program, rules, verdict) in [
        ("german_fixed.bpl", "client before directory", "proved"),
        ("p/german_fixed.p", "Host last; after eGrant run Client first", "proved"),
        ("p/switch_led_fixed.p", "delay of any costs 2", "proved"),
        ("lock_order.bpl", "main last", "bug"),
    ] {
        let found = json(&["check", "--json", "--rule", rules, &example(program)]);
        assert_eq!(found["verdict"], verdict, "{program} with {rules}: {}", found["message"]);
    }
}

#[test]
fn rules_go_with_samples_but_not_without_an_order() {
    let program = example("rules/driver.bpl");
    let rule = ["--rule", "CleanUp last"];
    // Sampled bugs are shown, and replayed, as deviations from the order of the rules.
    let german = example("p/german.p");
    let sampled = json(&["check", "--json", "--sample", "--rule", "Host last", &german]);
    assert_eq!((&sampled["verdict"], &sampled["policy"]), (&"bug".into(), &"rtc with Host last".into()));
    for flags in [&["--scheduler", "bag"][..], &["--bounded", "depth"], &["--scheduler", "rr,bounded-bag:2"]]
    {
        let refused = dally(&[&["check"], flags, &rule[..], &[&program]].concat(), b"");
        assert_eq!(refused.status.code(), Some(2), "{flags:?}: {}", text(&refused.stderr));
    }
    let missing = dally(&["check", "--rules", "no/such.rules", &program], b"");
    assert_eq!(missing.status.code(), Some(2));
}
