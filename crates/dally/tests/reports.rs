//! The reports of `dally check`: coverage and statistics.

#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A fresh file for one test.
fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    let _ = std::fs::remove_file(&file);
    file
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs `dally check`. Returns its output.
fn check(arguments: &[&str]) -> String {
    let output = common::dally(&[&["check", "--no-sample", "--threads", "1"], arguments].concat(), b"");
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A program with an event that is never sent, a handler that never runs, and a state that is never entered.
const GAPS: &str = "event eUsed; event eUnused; event eLate;
machine Main {
  start state Begin {
    entry { send this, eUsed; }
    on eUsed do { if ($) { goto End; } }
    on eUnused goto Nowhere;
  }
  state End { ignore eUsed; }
  state Nowhere { on eLate do { print \"late\"; } }
}
test T [main=Main]: { Main };
";

#[test]
fn a_verdict_names_what_was_never_reached() {
    let program = file("gaps.p");
    std::fs::write(&program, GAPS).unwrap();
    let text = check(&[program.to_str().unwrap()]);
    let never: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("reached ")).collect();
    assert!(
        never[0].starts_with(
            "reached 3 of 4 statements, 2 of 2 branches, 1 of 3 events, 2 of 3 states, 1 of 3 handlers, 1 of 2 transitions"
        ),
        "{text}"
    );
    let said = |what: &str| assert!(never.iter().any(|line| line.ends_with(what)), "{what}\n{text}");
    said("event `eUnused` is never sent");
    said("event `eLate` is never sent");
    said("state `Main.Nowhere` is never entered");
    said("handler `Main.Begin on eUnused` never runs");
    // A handler of a state that is never entered is not named on its own.
    assert!(!text.contains("Main.Nowhere on eLate"), "{text}");
    let json: Value = serde_json::from_str(&check(&["--json", program.to_str().unwrap()])).unwrap();
    assert_eq!(json["reached"]["counts"][2]["kind"], "event");
    assert_eq!(json["reached"]["counts"][2]["reached"], 1);
    assert!(json["reached"]["never"].as_array().unwrap().len() > 4);
}

#[test]
fn a_program_that_is_reached_completely_has_no_such_lines() {
    assert!(!check(&[&example("bank_account_fixed.bpl")]).contains("reached"));
}

/// The numbers that a record of lcov says, and those that its lines add up to.
fn sums(record: &str, entry: &str, found: &str, hit: &str) -> ([usize; 2], [usize; 2]) {
    let said = |key: &str| {
        record.lines().find_map(|line| line.strip_prefix(key)).map_or(0, |number| number.parse().unwrap())
    };
    let entries: Vec<&str> = record.lines().filter(|line| line.starts_with(entry)).collect();
    let is_hit = |line: &&&str| match entry {
        "FNDA:" => line.starts_with("FNDA:1,"),
        _ => line.ends_with(",1"),
    };
    ([said(found), said(hit)], [entries.len(), entries.iter().filter(is_hit).count()])
}

#[test]
fn lcov_adds_up() {
    let output = file("leader.info");
    check(&["--coverage", output.to_str().unwrap(), &example("p/leader_election_fixed.p")]);
    let record = std::fs::read_to_string(output).unwrap();
    assert!(record.starts_with("TN:\nSF:") && record.ends_with("end_of_record\n"));
    for (entry, found, hit) in [("DA:", "LF:", "LH:"), ("BRDA:", "BRF:", "BRH:"), ("FNDA:", "FNF:", "FNH:")] {
        let (said, counted) = sums(&record, entry, found, hit);
        assert_eq!(said, counted, "{entry}\n{record}");
        assert!(counted[1] > 0, "{entry}\n{record}");
    }
    // The handler of a second leader does not run.
    assert!(record.contains("FNDA:0,OneLeader.Elected on eLeader"), "{record}");
}

#[test]
fn lines_of_c_are_covered_without_the_library() {
    let output = file("peterson.info");
    check(&["--coverage", output.to_str().unwrap(), &example("c/peterson.c")]);
    let record = std::fs::read_to_string(output).unwrap();
    assert_eq!(record.matches("SF:").count(), 1, "{record}");
    assert!(record.contains("peterson.c\n"), "{record}");
    assert!(record.contains("\nBRDA:16,0,0,1\nBRDA:16,0,1,1\n"), "{record}");
}

#[test]
fn the_page_shows_lines_bounds_and_a_plot() {
    let output = file("german.html");
    check(&["--coverage", output.to_str().unwrap(), "--delays", "3", &example("german_fixed.bpl")]);
    let page = std::fs::read_to_string(output).unwrap();
    assert!(page.contains("<polyline class=\"states\"") && page.contains("class=\"hit\""), "{page}");
    assert!(!page.contains("<script"), "the page has no script");
}

#[test]
fn statistics_have_a_row_for_each_bound() {
    let output = file("german.csv");
    let text =
        check(&["--stats", output.to_str().unwrap(), "--bound", "3", "--json", &example("german_fixed.bpl")]);
    let json: Value = serde_json::from_str(&text).unwrap();
    let table = std::fs::read_to_string(output).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["strategy", "bound", "complete", "states"]);
    let bounds: Vec<&str> = rows[1..].iter().map(|row| row[1]).collect();
    assert_eq!(bounds, ["0", "1", "2", "3"], "{table}");
    // The last row has the numbers of the verdict, and what was new adds up to what was reached.
    let last = rows.last().unwrap();
    assert_eq!(last[3], json["coverage"]["states"].to_string());
    assert_eq!(last[4], json["coverage"]["transitions"].to_string());
    let new: usize = rows[1..].iter().map(|row| row[9].parse::<usize>().unwrap()).sum();
    assert_eq!(new.to_string(), last[8]);
}

#[test]
fn graphs_have_bounds_failures_and_cycles_up_to_a_limit() {
    let output = file("lock_order.dot");
    check(&["--graph", output.to_str().unwrap(), &example("lock_order.bpl")]);
    let graph = std::fs::read_to_string(&output).unwrap();
    assert!(graph.starts_with("digraph states {") && graph.contains("deadlock"), "{graph}");
    assert!(graph.contains("tooltip=\"bound 0\"") && graph.contains("tooltip=\"bound 1\""), "{graph}");
    let cycles = file("retry.dot");
    check(&["--graph", cycles.to_str().unwrap(), &example("liveness/retry.p")]);
    assert!(std::fs::read_to_string(&cycles).unwrap().contains("penwidth=2.2"));
    let large = file("large.dot");
    let arguments = ["check", "--graph", large.to_str().unwrap(), "--graph-states", "5"];
    let said = common::dally(&[&arguments[..], &[&example("lock_order.bpl")]].concat(), b"");
    assert!(String::from_utf8_lossy(&said.stderr).contains("more than 5 states; --graph-states"));
    assert!(!large.exists());
}

#[test]
fn continuous_integration_reads_bugs_and_errors() {
    let (xml, sarif) = (file("bug.xml"), file("bug.sarif"));
    let files = ["--junit", xml.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    check(&[&files[..], &[&example("deposit.bpl")]].concat());
    let read = |file: &Path| std::fs::read_to_string(file).unwrap();
    assert!(read(&xml).contains("failures=\"1\" errors=\"0\""), "{}", read(&xml));
    let log: Value = serde_json::from_str(&read(&sarif)).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!((result["ruleId"].as_str(), result["level"].as_str()), (Some("assertion"), Some("error")));
    assert!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().len() > 2);
    // A program with errors is an error of the test.
    let wrong = file("wrong.bpl");
    std::fs::write(&wrong, "procedure main() { x := 1; }").unwrap();
    let said = common::dally(&[&["check"], &files[..], &[wrong.to_str().unwrap()]].concat(), b"");
    assert_eq!(said.status.code(), Some(2));
    assert!(read(&xml).contains("errors=\"1\"") && read(&xml).contains("E0"), "{}", read(&xml));
    let log: Value = serde_json::from_str(&read(&sarif)).unwrap();
    assert!(log["runs"][0]["results"][0]["ruleId"].as_str().unwrap().starts_with('E'));
}

#[test]
fn entry_points_of_dally_verify_are_cases() {
    let (xml, sarif) = (file("verify.xml"), file("verify.sarif"));
    let files = ["verify", "--junit", xml.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    let read = |file: &Path| std::fs::read_to_string(file).unwrap();
    let program = b"var x: int;\nprocedure {:entrypoint} good() { assert true; }\n\
                    procedure {:entrypoint} bad() modifies x; { x := 1; assert x == 2; }\n";
    let arguments = [&files[..], &["--entry", "good,bad", "-"]].concat();
    assert_eq!(common::dally(&arguments, program).status.code(), Some(1));
    let suite = read(&xml);
    assert!(
        suite.contains("<testsuite name=\"dally verify\" tests=\"2\" failures=\"1\" errors=\"0\""),
        "{suite}"
    );
    assert!(suite.contains("name=\"good\"") && suite.contains("name=\"bad\""), "{suite}");
    let log: Value = serde_json::from_str(&read(&sarif)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!((results.len(), results[0]["ruleId"].as_str()), (1, Some("assertion")));
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    // A program with errors is an error of the test.
    let wrong = common::dally(&[&files[..], &["-"]].concat(), b"procedure main() { x := 1; }");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(read(&xml).contains("errors=\"1\"") && read(&xml).contains("E0"), "{}", read(&xml));
    let refused = common::dally(&["verify", "--junit", "/no/such/folder/file", "-"], program);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("cannot write `/no/such/folder/file`"));
}

#[test]
fn codes_are_explained() {
    let said = common::dally(&["explain", "E0306"], b"");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.starts_with("E0306: ") && text.lines().count() > 2, "{text}");
    assert_eq!(common::dally(&["explain", "306"], b"").stdout, said.stdout);
    assert_eq!(common::dally(&["explain", "E9999"], b"").status.code(), Some(2));
    let all = String::from_utf8(common::dally(&["explain"], b"").stdout).unwrap();
    assert!(all.lines().count() > 80 && all.contains("E0306"), "{all}");
}

#[test]
fn manual_pages_follow_from_the_flags() {
    let page = String::from_utf8(common::dally(&["man"], b"").stdout).unwrap();
    assert!(page.contains(".TH dally 1") && page.contains("dally\\-check(1)"), "{page}");
    let folder = file("man");
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(common::dally(&["man", folder.to_str().unwrap()], b"").status.code(), Some(0));
    let check = std::fs::read_to_string(folder.join("dally-check.1")).unwrap();
    assert!(check.contains("coverage") && check.contains("graph"), "{check}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_cannot_be_written_are_named_before_the_search() {
    let program = example("bank_account_fixed.bpl");
    for flag in ["--coverage", "--stats", "--graph", "--junit", "--sarif"] {
        let output = common::dally(&["check", flag, "/no/such/folder/file", &program], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write `/no/such/folder/file`"));
    }
}
