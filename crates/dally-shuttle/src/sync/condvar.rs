//! A condition variable that announces its operations.

use std::time::Duration;

use super::{LockResult, MutexGuard, PoisonError, WaitTimeoutResult, map};
use crate::operations::{Id, Kind};

/// `shuttle::sync::Condvar`, which announces its operations.
#[derive(Debug, Default)]
pub struct Condvar {
    id: Id,
    inner: shuttle::sync::Condvar,
}

#[allow(clippy::missing_errors_doc, reason = "as in std: an error if the mutex is poisoned")]
impl Condvar {
    /// A condition variable that no thread waits for.
    #[track_caller]
    pub const fn new() -> Self {
        Self { id: Id::new(), inner: shuttle::sync::Condvar::new() }
    }

    /// Releases the mutex, waits for a notification, and acquires the mutex again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (inner, mutex) = guard.into_parts();
        // The scheduling points of shuttle are before the mutex is released, where the thread is blocked, and before
        // the mutex is acquired.
        let _operation = self.id.announce_all(
            &[(&mutex.id, Kind::Release), (&self.id, Kind::Write)],
            &[(&self.id, Kind::Write)],
            &[(&mutex.id, Kind::Acquire)],
        );
        map(self.inner.wait(inner), |inner| mutex.guard(inner))
    }

    /// Waits as long as a condition holds.
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// As [`wait`](Self::wait): time does not pass on shuttle.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        duration: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (inner, mutex) = guard.into_parts();
        let _operation = self.id.announce_all(
            &[(&mutex.id, Kind::Release), (&self.id, Kind::Write)],
            &[(&self.id, Kind::Write)],
            &[(&mutex.id, Kind::Acquire)],
        );
        map(self.inner.wait_timeout(inner, duration), |(inner, result)| (mutex.guard(inner), result))
    }

    /// As [`wait_while`](Self::wait_while): time does not pass on shuttle.
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        guard: MutexGuard<'a, T>,
        duration: Duration,
        condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let (waited, poisoned) = match self.wait_while(guard, condition) {
            Ok(guard) => (guard, false),
            Err(error) => (error.into_inner(), true),
        };
        // The result has no constructor; a condition that does not hold does not wait.
        let (inner, mutex) = waited.into_parts();
        let result = map(self.inner.wait_timeout_while(inner, duration, |_| false), |(inner, result)| {
            (mutex.guard(inner), result)
        });
        match result {
            Ok(waited) if poisoned => Err(PoisonError::new(waited)),
            result => result,
        }
    }

    /// Wakes one waiting thread.
    pub fn notify_one(&self) {
        let _operation = self.id.announce(Kind::Write);
        self.inner.notify_one();
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        let _operation = self.id.announce(Kind::Write);
        self.inner.notify_all();
    }
}
