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

/// Implements the traits of a guard: access to the value, and a release that is announced when the guard is dropped.
///
/// The field `inner` holds the guard of shuttle until then.
macro_rules! guard {
    ($name:ident, $release:expr, |$guard:ident| $id:expr) => {
        impl<T: ?Sized> Drop for $name<'_, T> {
            fn drop(&mut self) {
                if let Some(inner) = self.inner.take() {
                    let $guard = &*self;
                    let _operation = $id.announce($release);
                    drop(inner);
                }
            }
        }

        impl<T: ?Sized> std::ops::Deref for $name<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                let Some(inner) = &self.inner else { unreachable!("the guard exists until it is dropped") };
                inner
            }
        }

        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T: ?Sized + std::fmt::Display> std::fmt::Display for $name<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

/// Implements the traits of an exclusive guard.
macro_rules! exclusive_guard {
    ($name:ident, |$guard:ident| $id:expr) => {
        $crate::sync::guard!($name, $crate::operations::Kind::Release, |$guard| $id);

        impl<T: ?Sized> std::ops::DerefMut for $name<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                let Some(inner) = &mut self.inner else {
                    unreachable!("the guard exists until it is dropped")
                };
                inner
            }
        }
    };
}

/// Implements the constructors and traits that a mutex and a read-write lock share.
macro_rules! lock {
    ($name:ident) => {
        impl<T> $name<T> {
            /// A lock that no thread holds.
            #[track_caller]
            pub const fn new(value: T) -> Self {
                Self { id: Id::new(), inner: shuttle::sync::$name::new(value) }
            }
        }

        #[allow(clippy::missing_errors_doc, reason = "as in std: an error if the lock is poisoned")]
        impl<T: ?Sized> $name<T> {
            /// The value, which no other thread can access.
            pub fn get_mut(&mut self) -> $crate::sync::LockResult<&mut T> {
                self.inner.get_mut()
            }

            /// Consumes the lock, and returns the value.
            pub fn into_inner(self) -> $crate::sync::LockResult<T>
            where
                T: Sized,
            {
                let _operation = self.id.announce(Kind::Write);
                self.inner.into_inner()
            }

            /// Removes the mark that a thread has panicked while it held the lock.
            pub fn clear_poison(&self) {
                self.id.touch(Kind::Write);
                self.inner.clear_poison();
            }
        }

        impl<T: Default> Default for $name<T> {
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.inner.fmt(f)
            }
        }
    };
}

use {exclusive_guard, guard, lock};
