//! Benchmarks: one binary for each table, and what they share.

pub mod cpu;
pub mod leader;
pub mod peterson;
pub mod spin;
#[path = "../../examples/two_phase_commit/model.rs"]
mod two_phase_commit_model;

/// Two-phase commit, the model of the example.
pub mod two_phase_commit {
    pub use super::two_phase_commit_model::*;
}
