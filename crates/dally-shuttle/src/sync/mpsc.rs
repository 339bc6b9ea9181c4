//! Channels that announce their operations.
//!
//! Every operation writes to its channel, so that operations on one channel are ordered in every way.

use std::sync::Arc;
use std::time::Duration;

pub use shuttle::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::operations::{Id, Kind};

/// A channel without a limit on the messages in it.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = shuttle::sync::mpsc::channel();
    let id = Arc::new(Id::new());
    (Sender { inner: Some(sender), id: Arc::clone(&id) }, Receiver { inner: Some(receiver), id })
}

/// A channel with at most this many messages in it.
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = shuttle::sync::mpsc::sync_channel(bound);
    let id = Arc::new(Id::new());
    (SyncSender { inner: Some(sender), id: Arc::clone(&id) }, Receiver { inner: Some(receiver), id })
}

macro_rules! handle {
    ($name:ident, $text:literal) => {
        #[doc = $text]
        #[derive(Debug)]
        pub struct $name<T> {
            /// Empty only while it is dropped.
            inner: Option<shuttle::sync::mpsc::$name<T>>,
            id: Arc<Id>,
        }

        impl<T> $name<T> {
            fn inner(&self) -> &shuttle::sync::mpsc::$name<T> {
                let Some(inner) = &self.inner else { unreachable!("the handle exists until it is dropped") };
                inner
            }
        }

        // The last sender, and the receiver, disconnect the channel when they are dropped.
        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.id.touch(Kind::Write);
                let _operation = self.id.announce(Kind::Write);
                drop(self.inner.take());
            }
        }
    };
}

handle!(Sender, "The sending half of a [`channel`].");
handle!(SyncSender, "The sending half of a [`sync_channel`].");
handle!(Receiver, "The receiving half of a channel.");

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.id.touch(Kind::Write);
        Self { inner: self.inner.clone(), id: Arc::clone(&self.id) }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.id.touch(Kind::Write);
        Self { inner: self.inner.clone(), id: Arc::clone(&self.id) }
    }
}

#[allow(clippy::missing_errors_doc, reason = "as in std: an error if the channel is disconnected")]
impl<T> Sender<T> {
    /// Sends a message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().send(message)
    }
}

#[allow(clippy::missing_errors_doc, reason = "as in std: an error if the channel is disconnected, or full")]
impl<T> SyncSender<T> {
    /// Sends a message, and blocks while the channel is full.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().send(message)
    }

    /// Sends a message if the channel is not full.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().try_send(message)
    }
}

#[allow(clippy::missing_errors_doc, reason = "as in std: an error if the channel is disconnected, or empty")]
impl<T> Receiver<T> {
    /// Receives a message, and blocks until there is one.
    pub fn recv(&self) -> Result<T, RecvError> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().recv()
    }

    /// Receives a message if there is one.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().try_recv()
    }

    /// As [`recv`](Self::recv): time does not pass on shuttle.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let _operation = self.id.announce(Kind::Write);
        self.inner().recv_timeout(timeout)
    }

    /// Receives messages until the channel is disconnected.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// Receives the messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}

/// The messages of a [`Receiver`], until the channel is disconnected.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

/// The messages that are in a channel.
#[derive(Debug)]
pub struct TryIter<'a, T>(&'a Receiver<T>);

/// As [`Iter`], with the receiver.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}
