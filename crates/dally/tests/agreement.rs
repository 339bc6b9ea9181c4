//! `dally verify` and `dally check --exact` agree on random programs: whether an assertion can fail within K delays.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;
#[path = "../../sequentialize/tests/support/mod.rs"]
mod support;

use dally_bpl::ProgramOptions;
use dally_sequentialize::{Target, TranslationOptions};
use support::generate::{self, Features, RICH};
use support::random::for_seeds;

const FEATURES: Features = Features { asserts: true, atomic: true, posts: 3, choices: 10, ..RICH };

/// Returns true if `dally verify` finds a bug.
fn verified(text: &str, flags: &[&str]) -> bool {
    let (code, said) = common::verify(text, flags);
    match code {
        Some(0) if said.starts_with("proved") => false,
        Some(1) => true,
        _ => panic!("{said}\nfor {flags:?}\n{text}"),
    }
}

fn agrees(scheduler: &str, features: Features) {
    for_seeds(&format!("agreement ({scheduler})"), 60, |seed| {
        let text = generate::program(seed, features);
        let delays = (seed % 3) as u32;
        let expected = support::explore_named(&text, scheduler, Some(delays)).fails;
        let found = verified(&text, &["--scheduler", scheduler, "--delays", &delays.to_string()]);
        assert_eq!(
            found, expected,
            "verify (left), check (right), {delays} delays, DALLY_SEED={seed}\n{text}"
        );
        true
    });
}

#[test]
fn dfs() {
    agrees("dfs", FEATURES);
}

#[test]
fn df() {
    agrees("df", FEATURES);
}

#[test]
fn dfw() {
    agrees("dfw", FEATURES);
}

/// Against an evaluation of the translation that knows nothing of solvers.
#[test]
fn lal_reps_and_buffers() {
    for_seeds("agreement (lal-reps, buffers)", 60, |seed| {
        let buffers = seed % 2 == 0;
        let features = Features {
            levels: if buffers { 2 } else { 1 },
            waits: false,
            passed_tasks: false,
            posts: 2,
            globals: 1,
            atomic: false,
            ..FEATURES
        };
        let text = generate::program(seed, features);
        let rounds = 1 + (seed / 2 % 2) as u32;
        let shown = rounds.to_string();
        let (to, flags) = if buffers {
            (
                Target::Buffers { zields: 1, yields: rounds },
                vec!["--scheduler", "buffers", "--zields", "1", "--yields", &shown],
            )
        } else {
            (Target::LalReps { rounds }, vec!["--scheduler", "lal-reps", "--rounds", &shown])
        };
        let Some(expected) = support::run(&support::translated(&text, to), &generate::globals(features))
        else {
            return false;
        };
        assert_eq!(verified(&text, &flags), expected.fails, "{to:?}, DALLY_SEED={seed}\n{text}");
        true
    });
}

/// With the points that preemption inserts, zields included.
#[test]
fn preempted_buffers() {
    for_seeds("agreement (preempted buffers)", 40, |seed| {
        let features = Features {
            waits: false,
            passed_tasks: false,
            atomic: false,
            buffers: 2,
            posts: 1,
            globals: 1,
            choices: 0,
            suppress: true,
            ..FEATURES
        };
        let text = generate::program(seed, features);
        let to = Target::Buffers { zields: 2, yields: 1 };
        let options =
            TranslationOptions { program: ProgramOptions::preemptive(), ..TranslationOptions::new(to) };
        let Some(expected) = support::run(&support::printed(&text, &options), &generate::globals(features))
        else {
            return false;
        };
        let flags = ["--preempt", "--scheduler", "buffers", "--zields", "2", "--yields", "1"];
        assert_eq!(verified(&text, &flags), expected.fails, "DALLY_SEED={seed}\n{text}");
        true
    });
}
