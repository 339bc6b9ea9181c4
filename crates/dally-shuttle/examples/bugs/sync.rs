//! The primitives that the programs use. The benchmarks replace them with loom's.

pub use shuttle::sync::{Arc, Condvar, Mutex, atomic};
pub use shuttle::thread;
