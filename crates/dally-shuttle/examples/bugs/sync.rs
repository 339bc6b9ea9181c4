//! The primitives that the programs use. The benchmarks replace them with loom's.

pub use dally_shuttle::sync::{Arc, Condvar, Mutex, atomic};
pub use dally_shuttle::thread;
