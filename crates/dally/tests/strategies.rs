//! The help and the documentation list the strategies of the table, and no others.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use common::dally;
use dally_schedule::sample::names::{SAMPLERS, SamplerRow};
use dally_schedule::table::{Family, Row, STRATEGIES};
use dally_schedule::{PORTFOLIO, Vocabulary};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The lines of the first table of a section, without its head.
fn table<'a>(document: &'a str, section: &str) -> Vec<&'a str> {
    let section = document.split(&format!("\n## {section}\n")).nth(1).expect("the section exists");
    let section = section.split("\n## ").next().unwrap();
    section
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .collect()
}

/// The names in backquotes in the first column of a table.
fn names<'a>(rows: &[&'a str]) -> Vec<&'a str> {
    let first = |row: &&'a str| row.split('|').nth(1).unwrap_or("");
    rows.iter().map(first).flat_map(|column| column.split('`').skip(1).step_by(2)).collect()
}

fn quoted(row: &Row) -> String {
    row.forms.iter().map(|form| format!("`{form}`")).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_documentation_of_check_has_the_rows_of_the_table() {
    let document = document("check.md");
    let schedulers = Vocabulary::SCHEDULERS
        .rows()
        .map(|row| format!("| {} | {} | {} |", quoted(row), row.order, row.deviation));
    let documented = table(&document, "Schedulers");
    let (portfolio, documented) = documented.split_last().unwrap();
    assert_eq!(documented, schedulers.collect::<Vec<_>>());
    assert!(portfolio.starts_with(&format!("| `{PORTFOLIO}` |")), "{portfolio}");

    let baselines = STRATEGIES.iter().filter(|row| row.family == Family::Baseline);
    let baselines: Vec<String> =
        baselines.map(|row| format!("| {} | {} | {} |", quoted(row), row.order, row.deviation)).collect();
    assert_eq!(table(&document, "Other bounds"), baselines);
}

#[test]
fn the_documentation_and_the_help_have_the_rows_of_the_table_of_samplers() {
    let forms = |row: &SamplerRow| row.forms.iter().map(|form| format!("`{form}`")).collect::<Vec<_>>();
    let rows = SAMPLERS.iter().map(|row| format!("| {} | {} |", forms(row).join(", "), row.order));
    assert_eq!(table(&document("check.md"), "Sampling"), rows.collect::<Vec<_>>());
    let help = dally(&["check", "--help"], b"").stdout;
    let help = String::from_utf8(help).unwrap();
    let (_, samplers) = help.split_once("\nSamplers, one or a list such as random,pct:3:\n").unwrap();
    let listed = samplers.lines().take_while(|line| !line.is_empty());
    let listed = listed.filter(|line| !line.starts_with("   ")).map(str::trim);
    assert!(listed.eq(SAMPLERS.iter().map(|row| row.forms.join(", "))), "{samplers}");
}

#[test]
fn the_documentation_of_tests_of_rust_code_names_the_strategies_that_run_there() {
    let document = document("shuttle.md");
    let documented: BTreeSet<_> = names(&table(&document, "Which strategy")).into_iter().collect();
    let usable =
        STRATEGIES.iter().filter(|row| row.family == Family::Delaying || row.keyword == "preemptions");
    // These two need to know the operations of threads, which only tests of Rust code tell.
    let conflicts = ["dpor", "conflicts(S)"];
    let expected: BTreeSet<_> =
        usable.flat_map(|row| row.forms).copied().chain([PORTFOLIO]).chain(conflicts).collect();
    assert_eq!(documented, expected);
}

#[test]
fn the_help_lists_the_schedulers_and_the_baselines() {
    let help = dally(&["check", "--help"], b"").stdout;
    let help = String::from_utf8(help).unwrap();
    let (flags, schedulers) = help.split_once("\nSchedulers, one or a list such as rr,rtc:\n").unwrap();
    let listed =
        schedulers.lines().filter(|line| !line.starts_with("   ")).flat_map(|line| line.trim().split(", "));
    let expected: Vec<_> = Vocabulary::SCHEDULERS.forms().chain([PORTFOLIO]).collect();
    assert_eq!(listed.collect::<Vec<_>>(), expected);
    for row in STRATEGIES.iter().filter(|row| row.family == Family::Baseline) {
        assert!(flags.contains(&format!("- {}:", row.keyword)), "{flags}");
    }
}

#[test]
fn lists_of_schedulers_are_separated_by_commas() {
    for list in ["rr,rtc", "rr, rtc", "rr;rtc"] {
        let output = dally(&["check", "--scheduler", list, "-"], b"procedure main() { }");
        let output = String::from_utf8(output.stdout).unwrap();
        assert!(output.contains(" under rr: ") && output.contains(" under rtc"), "{list}: {output}");
    }
}
