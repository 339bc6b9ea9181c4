//! Steps that cannot be executed: a task that loops without yielding, say, or an unsupported construct.
//!
//! A search goes on without them, since other schedules may have a bug. If it finds none, the verdict names
//! the first of them, in the order of the search. Such a step can take as long as a thousand others, so a
//! search ends after some of them.

use crate::Failure;

/// A search ends after this many steps that cannot be executed.
pub(crate) const MOST_ABANDONED: u64 = 16;

/// The steps that could not be executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abandoned {
    /// The message of the first of them.
    pub(crate) first: Option<String>,
    pub(crate) count: u64,
}

impl Abandoned {
    /// Adds a step, after those that were added before.
    pub(crate) fn add(&mut self, failure: Failure) {
        self.first.get_or_insert(failure.message);
        self.count += 1;
    }

    /// Adds later steps.
    pub(crate) fn append(&mut self, later: Self) {
        self.first = self.first.take().or(later.first);
        self.count += later.count;
    }

    /// True if the search ends here.
    pub(crate) fn is_too_many(&self) -> bool {
        self.count >= MOST_ABANDONED
    }
}
