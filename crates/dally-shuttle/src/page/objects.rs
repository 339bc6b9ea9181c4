//! Locks, condition variables and channels: shuttle tells what happens to them as events of `tracing`, with the
//! address of the object.
//!
//! Only events of shuttle's own types are listened to. To format an event of the program under test could run its code, and
//! so change the execution.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_core::field::{Field, Visit};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Dispatch, Event, Metadata, Subscriber, dispatcher};

/// Events of one execution, at most; the last ones are dropped.
const MOST: usize = 1 << 20;

/// The events that shuttle has told about an execution.
#[derive(Debug, Default)]
pub(crate) struct Told {
    step: AtomicUsize,
    events: Mutex<Vec<(usize, Note)>>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// Something happens to an object.
    Object(Deed, Object, Option<ChannelState>),
    /// A panic begins.
    Panic,
}

/// The types of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Mutex,
    RwLock,
    Condvar,
    Channel,
}

/// An object, by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    pub(super) kind: Kind,
    address: usize,
}

/// An operation on an object, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Wants,
    Takes,
    TakesShared,
    Releases,
    Waits,
    Wakes,
    Sends,
    Receives,
    Blocks,
    /// Continues to send, or to receive, after it was blocked.
    SendsAtLast,
    ReceivesAtLast,
}

/// A channel before an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelState {
    pub(super) messages: usize,
    pub(super) senders: usize,
    pub(super) receivers: usize,
}

impl Told {
    pub(super) fn begin_step(&self, step: usize) {
        self.step.store(step, Ordering::Relaxed);
    }

    fn add(&self, note: Note) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < MOST {
            events.push((self.step.load(Ordering::Relaxed), note));
        }
    }

    /// The index of the step in which the last panic began.
    pub(super) fn last_panic(&self) -> Option<usize> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().rfind(|(_, note)| *note == Note::Panic).map(|(step, _)| *step)
    }

    /// The events up to the failure, by step: after it, shuttle unwinds all tasks, which releases their locks.
    pub(super) fn until_failure(&self) -> BTreeMap<usize, Vec<Note>> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let end = events.iter().rposition(|(_, note)| *note == Note::Panic).unwrap_or(events.len());
        let mut by_step: BTreeMap<usize, Vec<Note>> = BTreeMap::new();
        for (step, note) in &events[..end] {
            by_step.entry(*step).or_default().push(note.clone());
        }
        by_step
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Told>>> = const { RefCell::new(None) };
}

/// Runs an execution, and listens to what shuttle tells.
pub(crate) fn listen<T>(told: Arc<Told>, run: impl FnOnce() -> T) -> T {
    let outer = CURRENT.replace(Some(Arc::clone(&told)));
    let result = dispatcher::with_default(&Dispatch::new(Listener(told)), run);
    CURRENT.replace(outer);
    result
}

/// A panic begins on this thread.
pub(crate) fn panicked() {
    CURRENT.with(|current| {
        if let Ok(current) = current.try_borrow() {
            current.iter().for_each(|told| told.add(Note::Panic));
        }
    });
}

struct Listener(Arc<Told>);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("shuttle_std::sync")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        if let Some((deed, object)) = read(&words.message) {
            self.0.add(Note::Object(deed, object, channel_state(&words.state)));
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Words {
    message: String,
    state: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "state" => self.state = format!("{value:?}"),
            _ => {}
        }
    }
}

/// An event in words, which end with the type of the object and its address: `acquired mutex 0x7f…`. Versions of
/// shuttle may change them: then the page has no objects.
fn read(message: &str) -> Option<(Deed, Object)> {
    let (words, address) = message.rsplit_once(' ')?;
    let address = usize::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    let (words, kind) = words.rsplit_once(' ')?;
    let kind = match kind {
        "mutex" => Kind::Mutex,
        "rwlock" => Kind::RwLock,
        "condvar" => Kind::Condvar,
        "channel" => Kind::Channel,
        _ => return None,
    };
    let first = words.split(' ').next().unwrap_or_default();
    let deed = match (kind, first) {
        (Kind::Mutex, "waiting") | (Kind::RwLock, "acquiring") => Deed::Wants,
        (Kind::Mutex, "acquired") => Deed::Takes,
        (Kind::RwLock, "acquired") if words.contains("Read") => Deed::TakesShared,
        (Kind::RwLock, "acquired") => Deed::Takes,
        (Kind::Mutex | Kind::RwLock, "releasing") => Deed::Releases,
        (Kind::Condvar, "waiting") => Deed::Waits,
        (Kind::Condvar, "woken") => Deed::Wakes,
        (Kind::Channel, "sender") => Deed::Sends,
        (Kind::Channel, "starting") => Deed::Receives,
        (Kind::Channel, "blocking") => Deed::Blocks,
        (Kind::Channel, "unblocked") if words.contains("sender") => Deed::SendsAtLast,
        (Kind::Channel, "unblocked") => Deed::ReceivesAtLast,
        _ => return None,
    };
    Some((deed, Object { kind, address }))
}

/// `Channel { num_messages: 1 known_senders 1 known_receivers 1 …`.
fn channel_state(text: &str) -> Option<ChannelState> {
    let number = |name: &str| {
        let rest = text.split_once(name)?.1.trim_start_matches([':', ' ']);
        rest.split(' ').next()?.parse().ok()
    };
    Some(ChannelState {
        messages: number("num_messages")?,
        senders: number("known_senders")?,
        receivers: number("known_receivers")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        for (text, deed, kind) in [
            ("waiting to acquire mutex 0x1f", Deed::Wants, Kind::Mutex),
            ("acquired mutex 0x1f", Deed::Takes, Kind::Mutex),
            ("acquired Read lock on rwlock 0x1f", Deed::TakesShared, Kind::RwLock),
            ("releasing Write lock on rwlock 0x1f", Deed::Releases, Kind::RwLock),
            ("sender TaskId(1) starting send on channel 0x1f", Deed::Sends, Kind::Channel),
            ("unblocked receiver TaskId(1) on channel 0x1f", Deed::ReceivesAtLast, Kind::Channel),
        ] {
            assert_eq!(read(text), Some((deed, Object { kind, address: 31 })), "{text}");
        }
        for text in ["", "mutex 0x1f", "acquired mutex", "acquired mutex 31", "trying to acquire mutex 0x1f"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        let state = "Channel { num_messages: 2 known_senders 1 known_receivers 0 waiting_senders: [[]] }";
        assert_eq!(channel_state(state), Some(ChannelState { messages: 2, senders: 1, receivers: 0 }));
        assert_eq!(channel_state("Channel"), None);
    }
}
