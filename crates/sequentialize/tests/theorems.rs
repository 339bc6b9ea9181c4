//! The theorems, on random programs.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_sequentialize::{Bounds, Target};
use support::generate::{self, Features};
use support::random::for_seeds;
use support::{explore_named, reordered, run, translated};

/// What a translation reaches is what the scheduler reaches, with the same number of delays.
fn agrees(test: &str, programs: u64, features: Features, scheduler: &str, to: impl Fn(Bounds) -> Target) {
    for_seeds(test, programs, |seed| {
        let text = generate::program(seed, features);
        let delays = (seed % 4) as u32;
        let sequential = translated(&text, to(Bounds::delays(delays)));
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let expected = explore_named(&text, scheduler, Some(delays));
        assert_eq!(
            found, expected,
            "sequential (left), {scheduler} (right), {delays} delays, DALLY_SEED={seed}\n{text}\n{sequential}"
        );
        true
    });
}

const SMALL: Features = Features {
    yields: false,
    waits: false,
    passed_tasks: false,
    asserts: false,
    awaits: false,
    atomic: false,
    thread_locals: false,
    levels: 1,
    buffers: 1,
    posts: 4,
    high: 1,
    globals: 2,
    choices: 30,
};

#[test]
fn dfs_without_yields() {
    agrees("dfs_without_yields", 1000, SMALL, "dfs", Target::Dfs);
}

#[test]
fn dfs_with_yields() {
    agrees("dfs_with_yields", 1000, Features { yields: true, ..SMALL }, "dfs", Target::Dfs);
}

#[test]
fn df() {
    let features = Features { yields: true, waits: true, passed_tasks: true, ..SMALL };
    agrees("df", 1000, features, "df", Target::Df);
}

#[test]
fn dfs_with_waits() {
    let features = Features { yields: true, waits: true, passed_tasks: true, ..SMALL };
    agrees("dfs_with_waits", 1000, features, "dfs", Target::Dfs);
}

#[test]
fn dfw() {
    let features = Features { yields: true, waits: true, passed_tasks: true, ..SMALL };
    agrees("dfw", 1000, features, "dfw", Target::Dfw);
}

/// With levels and buffers.
const DRIVER: Features = Features { yields: true, levels: 3, buffers: 2, posts: 3, globals: 1, ..SMALL };

#[test]
fn buffers_are_sound() {
    for_seeds("buffers_are_sound", 1000, |seed| {
        let mut features = DRIVER;
        (features.levels, features.buffers) = (1 + seed % 3, 1 + seed / 3 % 2);
        let text = generate::program(seed, features);
        let (zields, yields) = (1 + (seed / 6 % 3) as u32, 1 + (seed / 18 % 3) as u32);
        let sequential = reordered(&text, Target::Buffers { zields, yields });
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let all = explore_named(&text, "bag", None);
        assert!(
            found.finals.is_subset(&all.finals),
            "{zields} zields, {yields} yields, DALLY_SEED={seed}\n{:?}\n{:?}\n{text}\n{sequential}",
            found.finals,
            all.finals
        );
        true
    });
}
