//! The functions of `shuttle::thread`, which announce their operations.
//!
//! See [`sync`](crate::sync). Scoped threads and `park` are those of shuttle.

use std::time::Duration;

pub use shuttle::thread::{
    AccessError, LocalKey, Result, Scope, ScopedJoinHandle, Thread, ThreadId, current, panicking, park,
    park_timeout, scope,
};

use crate::operations;

/// An owned permission to wait for the termination of a thread.
#[derive(Debug)]
pub struct JoinHandle<T> {
    inner: shuttle::thread::JoinHandle<T>,
}

impl<T> JoinHandle<T> {
    fn new(inner: shuttle::thread::JoinHandle<T>) -> Self {
        operations::spawned(usize::from(inner.thread().id()));
        Self { inner }
    }

    /// Waits for the thread to terminate.
    #[allow(clippy::missing_errors_doc, reason = "as in std: an error if the thread has panicked")]
    pub fn join(self) -> Result<T> {
        let task = usize::from(self.inner.thread().id());
        let _operation = operations::announce_join(task);
        self.inner.join()
    }

    /// A handle to the thread.
    pub fn thread(&self) -> &Thread {
        self.inner.thread()
    }
}

/// The body of a thread, which announces its termination.
fn body<F, T>(f: F) -> impl FnOnce() -> T
where
    F: FnOnce() -> T,
{
    move || {
        let result = f();
        operations::exit();
        result
    }
}

/// Spawns a thread.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let _operation = operations::announce_spawn();
    JoinHandle::new(shuttle::thread::spawn(body(f)))
}

/// Lets other threads run.
pub fn yield_now() {
    let _operation = operations::announce_nothing();
    shuttle::thread::yield_now();
}

/// Lets other threads run: time does not pass on shuttle.
pub fn sleep(duration: Duration) {
    let _operation = operations::announce_nothing();
    shuttle::thread::sleep(duration);
}

/// The configuration of a new thread.
#[derive(Debug, Default)]
pub struct Builder {
    inner: shuttle::thread::Builder,
}

impl Builder {
    /// The default configuration.
    pub fn new() -> Self {
        Self { inner: shuttle::thread::Builder::new() }
    }

    /// The name of the thread.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Self { inner: self.inner.name(name) }
    }

    /// The size of its stack, in bytes.
    #[must_use]
    pub fn stack_size(self, size: usize) -> Self {
        Self { inner: self.inner.stack_size(size) }
    }

    /// Spawns the thread.
    #[allow(clippy::missing_errors_doc, reason = "as in std")]
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> std::io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let _operation = operations::announce_spawn();
        Ok(JoinHandle::new(self.inner.spawn(body(f))?))
    }
}
