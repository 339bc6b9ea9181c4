//! Models for the comparison of partial-order reductions. Each is a Rust model here, and a Promela
//! and a P or Boogie program in `bench/models`, with the same processes and channels.

pub mod commit;
pub mod german;
pub mod ring;
pub mod window;
