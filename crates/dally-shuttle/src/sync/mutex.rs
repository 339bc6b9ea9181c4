//! A mutex that announces its operations.

use super::{LockResult, TryLockResult, exclusive_guard, lock, map, try_map};
use crate::operations::{Id, Kind};

/// `shuttle::sync::Mutex`, which announces its operations.
pub struct Mutex<T: ?Sized> {
    pub(super) id: Id,
    inner: shuttle::sync::Mutex<T>,
}

/// The guard of a [`Mutex`].
pub struct MutexGuard<'a, T: ?Sized> {
    /// Empty only while it is dropped, or passed on.
    inner: Option<shuttle::sync::MutexGuard<'a, T>>,
    pub(super) mutex: &'a Mutex<T>,
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, and blocks until it can.
    #[allow(clippy::missing_errors_doc, reason = "as in std: an error if the mutex is poisoned")]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let _operation = self.id.announce(Kind::Acquire);
        map(self.inner.lock(), |inner| self.guard(inner))
    }

    /// Acquires the mutex if it is free.
    #[allow(clippy::missing_errors_doc, reason = "as in std")]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let _operation = self.id.announce(Kind::Write);
        try_map(self.inner.try_lock(), |inner| {
            self.id.touch(Kind::Taken);
            self.guard(inner)
        })
    }

    pub(super) fn guard<'a>(&'a self, inner: shuttle::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard { inner: Some(inner), mutex: self }
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The guard of shuttle's mutex, and the mutex.
    pub(super) fn into_parts(mut self) -> (shuttle::sync::MutexGuard<'a, T>, &'a Mutex<T>) {
        let Some(inner) = self.inner.take() else { unreachable!("a guard is passed on once") };
        (inner, self.mutex)
    }
}

lock!(Mutex);
exclusive_guard!(MutexGuard, |guard| guard.mutex.id);
