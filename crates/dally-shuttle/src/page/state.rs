//! The state of locks and channels along an execution: which tasks hold a lock or wait, and how many messages there are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::objects::{ChannelState, Deed, Kind, Object};

/// The objects of an execution at some point of it. Tasks are numbers.
#[derive(Debug, Default)]
pub(super) struct State {
    objects: BTreeMap<Object, Status>,
    /// The number of objects of each type so far.
    counts: BTreeMap<Kind, usize>,
    /// The objects of the current step.
    touched: BTreeSet<Object>,
}

#[derive(Debug, Default)]
struct Status {
    /// Its number among the objects of its type, in the order in which they were used.
    number: usize,
    /// The tasks that hold the lock; several if they share it.
    holders: Vec<usize>,
    /// True if the holders share it.
    shared: bool,
    /// The tasks that have asked for the lock, or wait on the condition variable.
    waiting: Vec<usize>,
    /// The messages in the channel: those whose senders are known have an index.
    messages: usize,
    known: VecDeque<usize>,
    /// The value that was shown last.
    shown: String,
}

/// A message that a task has sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The next message was sent.
    Sent(Object),
    /// The message with this index was received.
    Received(usize),
}

impl State {
    /// A task does something to an object. `tries`: without blocking. `index`: that of the next message.
    pub(super) fn apply(
        &mut self,
        task: usize,
        (deed, object, channel): (Deed, Object, Option<ChannelState>),
        tries: bool,
        index: usize,
    ) -> Option<Passed> {
        let counts = &mut self.counts;
        let status = self.objects.entry(object).or_insert_with(|| {
            let count = counts.entry(object.kind).or_default();
            *count += 1;
            let shown = Status::default().value(object.kind, &|_| String::new());
            Status { number: *count, shown, ..Status::default() }
        });
        self.touched.insert(object);
        match deed {
            Deed::Wants | Deed::Waits => status.waiting.push(task),
            Deed::Wakes => status.waiting.retain(|waiting| *waiting != task),
            Deed::Takes | Deed::TakesShared => {
                status.waiting.retain(|waiting| *waiting != task);
                status.shared = deed == Deed::TakesShared;
                if !status.shared {
                    status.holders.clear();
                }
                status.holders.push(task);
            }
            Deed::Releases => {
                if let Some(at) = status.holders.iter().position(|holder| *holder == task) {
                    status.holders.remove(at);
                }
            }
            Deed::Blocks => {
                // The operation had not taken place.
                if channel.is_some_and(|channel| channel.messages < status.messages) {
                    status.known.pop_back();
                }
                status.messages = channel.map_or(status.messages, |channel| channel.messages);
                status.waiting.push(task);
            }
            Deed::Sends | Deed::Receives | Deed::SendsAtLast | Deed::ReceivesAtLast => {
                status.waiting.retain(|waiting| *waiting != task);
                return status.pass(deed, channel?, tries, index, object);
            }
        }
        None
    }

    /// The objects of the current step whose values have changed, with their values. Ends the step.
    pub(super) fn changes(&mut self, title: impl Fn(usize) -> String) -> Vec<(String, String)> {
        let mut changes = Vec::new();
        for object in std::mem::take(&mut self.touched) {
            let Some(status) = self.objects.get_mut(&object) else { continue };
            let value = status.value(object.kind, &title);
            if value != status.shown {
                status.shown.clone_from(&value);
                changes.push((status.name(object.kind), value));
            }
        }
        changes
    }

    /// All objects with their values.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        self.objects.iter().map(|(object, status)| (status.name(object.kind), status.shown.clone())).collect()
    }

    /// All objects with the values that they have before they are used.
    pub(super) fn unused(&self) -> Vec<(String, String)> {
        let unused = |kind| Status::default().value(kind, &|_| String::new());
        self.objects.iter().map(|(object, status)| (status.name(object.kind), unused(object.kind))).collect()
    }

    /// The name of an object.
    pub(super) fn name(&self, object: Object) -> String {
        self.objects.get(&object).map(|status| status.name(object.kind)).unwrap_or_default()
    }

    /// True if the task waits for a lock that another task holds.
    pub(super) fn is_blocked(&self, task: usize) -> bool {
        self.objects.values().any(|status| status.waiting.contains(&task) && status.is_held_by_others(task))
    }
}

impl Status {
    /// Counts a message that a task sends or receives. `None` if it does not pass: the operation fails, or blocks, as the next event says.
    fn pass(
        &mut self,
        deed: Deed,
        channel: ChannelState,
        tries: bool,
        index: usize,
        object: Object,
    ) -> Option<Passed> {
        self.messages = channel.messages;
        let sends = matches!(deed, Deed::Sends | Deed::SendsAtLast);
        if tries || (sends && channel.receivers == 0) {
            return None;
        }
        if sends {
            self.messages += 1;
            self.known.push_back(index);
            return Some(Passed::Sent(object));
        }
        if self.messages == 0 {
            return None;
        }
        self.messages -= 1;
        // Messages of `try_send` are not known. They may have been before this one.
        if self.known.len() > self.messages + 1 {
            self.known.drain(..self.known.len() - self.messages - 1);
        }
        self.known.pop_front().map(Passed::Received)
    }

    fn is_held_by_others(&self, task: usize) -> bool {
        self.holders.iter().any(|holder| *holder != task)
    }

    fn name(&self, kind: Kind) -> String {
        let word = match kind {
            Kind::Mutex => "mutex",
            Kind::RwLock => "rwlock",
            Kind::Condvar => "condvar",
            Kind::Channel => "channel",
        };
        format!("{word} {}", self.number)
    }

    fn value(&self, kind: Kind, title: &impl Fn(usize) -> String) -> String {
        let list = |tasks: &[usize]| tasks.iter().map(|task| title(*task)).collect::<Vec<_>>().join(", ");
        let mut value = match kind {
            Kind::Condvar => return format!("waiting: {}", or_none(list(&self.waiting))),
            Kind::Channel => match self.messages {
                0 => "empty".to_owned(),
                1 => "1 message".to_owned(),
                messages => format!("{messages} messages"),
            },
            Kind::Mutex | Kind::RwLock if self.holders.is_empty() => "free".to_owned(),
            Kind::RwLock if self.shared => format!("read by {}", list(&self.holders)),
            Kind::RwLock => format!("written by {}", list(&self.holders)),
            Kind::Mutex => format!("held by {}", list(&self.holders)),
        };
        let waiting: Vec<usize> = match kind {
            Kind::Channel => self.waiting.clone(),
            _ => self.waiting.iter().copied().filter(|task| self.is_held_by_others(*task)).collect(),
        };
        if !waiting.is_empty() {
            value.push_str(&format!("; waiting: {}", list(&waiting)));
        }
        value
    }
}

fn or_none(list: String) -> String {
    if list.is_empty() { "no thread".to_owned() } else { list }
}
