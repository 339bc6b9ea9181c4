//! A reader-writer lock that announces its operations.

use super::{LockResult, TryLockResult, exclusive_guard, guard, lock, map, try_map};
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
}

lock!(RwLock);
guard!(RwLockReadGuard, Kind::ReleaseShared, |guard| guard.id);
exclusive_guard!(RwLockWriteGuard, |guard| guard.id);
