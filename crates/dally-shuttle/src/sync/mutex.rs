//! A mutex that announces its operations.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{LockResult, TryLockResult, map, try_map};
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

impl<T> Mutex<T> {
    /// A mutex in the unlocked state.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self { id: Id::new(), inner: shuttle::sync::Mutex::new(value) }
    }
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

    /// The value, which no other thread can access.
    #[allow(clippy::missing_errors_doc, reason = "as in std")]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }

    /// Consumes the mutex, and returns the value.
    #[allow(clippy::missing_errors_doc, reason = "as in std")]
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        let _operation = self.id.announce(Kind::Write);
        self.inner.into_inner()
    }

    /// Removes the mark that a thread has panicked while it held the mutex.
    pub fn clear_poison(&self) {
        self.id.touch(Kind::Write);
        self.inner.clear_poison();
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

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            let _operation = self.mutex.id.announce(Kind::Release);
            drop(inner);
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let Some(inner) = &self.inner else { unreachable!("the guard exists until it is dropped") };
        inner
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let Some(inner) = &mut self.inner else { unreachable!("the guard exists until it is dropped") };
        inner
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
