//! The primitives that the programs use. The benchmarks put loom's in their place.

pub use shuttle::sync::{Arc, Condvar, Mutex, atomic};
pub use shuttle::thread;
