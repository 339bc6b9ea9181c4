//! The types of `shuttle::sync`, which announce their operations.
//!
//! They behave like those of shuttle, and can be used with any scheduler of shuttle. Under the strategies
//! [`dpor`](crate::Strategy::dpor) and [`conflicts`](crate::Strategy::conflicts), they tell which object an operation
//! accesses, and how; operations of shuttle's own types are taken to conflict with every other.
//!
//! ```
//! use dally_shuttle::sync::{Arc, Mutex};
//! use dally_shuttle::{Config, Strategy, Verdict, thread};
//!
//! let increments = || {
//!     let counter = Arc::new(Mutex::new(0));
//!     let threads = [(); 3].map(|()| {
//!         let counter = Arc::clone(&counter);
//!         thread::spawn(move || *counter.lock().unwrap() += 1)
//!     });
//!     for thread in threads {
//!         thread.join().unwrap();
//!     }
//!     assert_eq!(*counter.lock().unwrap(), 3);
//! };
//! let config = Config { strategies: vec![Strategy::dpor()], samplers: Vec::new(), ..Config::default() };
//! let report = dally_shuttle::explore(&config, increments);
//! assert_eq!(report.verdict, Verdict::Proved);
//! // One execution for each order of the three critical sections, and 32 random ones to compare.
//! assert_eq!(report.coverage.strategies[0].schedules, [6]);
//! ```

pub mod atomic;
mod condvar;
pub mod mpsc;
mod mutex;
mod rwlock;

pub use condvar::Condvar;
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use shuttle::sync::{
    Arc, Barrier, BarrierWaitResult, LockResult, Once, OnceState, PoisonError, TryLockError, TryLockResult,
    WaitTimeoutResult, Weak,
};

/// Applies a function to the guard in the result of a lock.
fn map<A, B>(result: LockResult<A>, wrap: impl FnOnce(A) -> B) -> LockResult<B> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

/// Applies a function to the guard in the result of an attempt to lock.
fn try_map<A, B>(result: TryLockResult<A>, wrap: impl FnOnce(A) -> B) -> TryLockResult<B> {
    match result {
        Ok(guard) => Ok(wrap(guard)),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(wrap(poisoned.into_inner()))))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}
