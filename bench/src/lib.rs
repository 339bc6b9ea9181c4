//! Benchmarks: one binary for each table, and this library of models, other tools, timers and
//! tables.
//!
//! Absolute times mean little on a shared machine, so every table has a column of ratios to a
//! baseline that was run in the same process or immediately before or after.
#![cfg_attr(
    feature = "shuttle",
    allow(clippy::duplicate_mod, reason = "the same programs run on shuttle's primitives and on loom's")
)]

pub mod boogie;
pub mod cpu;
pub mod files;
pub mod leader;
pub mod memory;
#[cfg(feature = "shuttle")]
pub mod on_loom;
#[cfg(feature = "shuttle")]
pub mod on_shuttle;
pub mod peterson;
pub mod reduction;
pub mod spin;
pub mod threads;
#[path = "../../examples/two_phase_commit/model.rs"]
mod two_phase_commit_model;
pub mod verify_suites;

/// Two-phase commit, the model of the example.
pub mod two_phase_commit {
    pub use super::two_phase_commit_model::*;
}

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The path of the program `dally`: the given one, or the one in the folder of this benchmark. If
/// there is none, the error says how to build it.
pub fn dally(given: Option<&str>) -> Result<PathBuf, String> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("dally"));
    let path = given.map(PathBuf::from).or_else(beside).unwrap_or_else(|| "dally".into());
    let missing = || {
        format!(
            "no program at {}: build it with `cargo build --release -p dally`, or pass its path",
            path.display()
        )
    };
    if path.is_file() { Ok(path) } else { Err(missing()) }
}

/// The shortest of several runs, which other processes have disturbed least.
pub fn best_of<R>(runs: usize, mut f: impl FnMut() -> R) -> (Duration, R) {
    let mut best: Option<(Duration, R)> = None;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let result = std::hint::black_box(f());
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(b, _)| time < *b) {
            best = Some((time, result));
        }
    }
    best.unwrap_or_else(|| unreachable!("there is at least one run"))
}

/// A pseudo-random number generator: generated programs are the same on every machine.
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

/// Formats rows as a Markdown table with aligned columns.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..header.len())
        .map(|i| {
            let cells = rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count());
            cells.chain([header[i].chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(c, w)| format!("{c}{}", " ".repeat(w - c.chars().count())))
            .collect();
        format!("| {} |\n", padded.join(" | "))
    };
    let mut text = line(header.to_vec());
    text.push_str(&line(widths.iter().map(|_| "-").collect()).replace("- ", "--"));
    for row in rows {
        text.push_str(&line(row.iter().map(String::as_str).collect()));
    }
    text
}
#[cfg(feature = "stateright")]
pub mod stateright_sets;
