//! A reader-writer lock that announces its operations.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::{LockResult, TryLockResult, map, try_map};
use crate::operations::{Id, Kind};

/// `shuttle::sync::RwLock`, which announces its operations.
pub struct RwLock<T: ?Sized> {
    id: Id,
    inner: shuttle::sync::RwLock<T>,
}

/// The guard of a reader.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    /// Empty only while it is dropped.
    inner: Option<shuttle::sync::RwLockReadGuard<'a, T>>,
    id: &'a Id,
}

/// The guard of a writer.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    /// Empty only while it is dropped.
    inner: Option<shuttle::sync::RwLockWriteGuard<'a, T>>,
    id: &'a Id,
}

impl<T> RwLock<T> {
    /// A lock that no thread holds.
    #[track_caller]
    pub const fn new(value: T) -> Self {
        Self { id: Id::new(), inner: shuttle::sync::RwLock::new(value) }
    }
}

#[allow(clippy::missing_errors_doc, reason = "as in std: an error if the lock is poisoned, or not free")]
impl<T: ?Sized> RwLock<T> {
    /// Acquires the lock for reading.
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let _operation = self.id.announce(Kind::AcquireShared);
        map(self.inner.read(), |inner| RwLockReadGuard { inner: Some(inner), id: &self.id })
    }

    /// Acquires the lock for writing.
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let _operation = self.id.announce(Kind::Acquire);
        map(self.inner.write(), |inner| RwLockWriteGuard { inner: Some(inner), id: &self.id })
    }

    /// Acquires the lock for reading, if no writer holds it.
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let _operation = self.id.announce(Kind::Read);
        try_map(self.inner.try_read(), |inner| {
            self.id.touch(Kind::TakenShared);
            RwLockReadGuard { inner: Some(inner), id: &self.id }
        })
    }

    /// Acquires the lock for writing, if no other thread holds it.
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let _operation = self.id.announce(Kind::Write);
        try_map(self.inner.try_write(), |inner| {
            self.id.touch(Kind::Taken);
            RwLockWriteGuard { inner: Some(inner), id: &self.id }
        })
    }

    /// The value, which no other thread can access.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }

    /// Consumes the lock, and returns the value.
    pub fn into_inner(self) -> LockResult<T>
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

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let _operation = self.id.announce(Kind::ReleaseShared);
        drop(self.inner.take());
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let _operation = self.id.announce(Kind::Release);
        drop(self.inner.take());
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let Some(inner) = &self.inner else { unreachable!("the guard exists until it is dropped") };
        inner
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        let Some(inner) = &self.inner else { unreachable!("the guard exists until it is dropped") };
        inner
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        let Some(inner) = &mut self.inner else { unreachable!("the guard exists until it is dropped") };
        inner
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
