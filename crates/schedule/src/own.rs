//! Schedulers from outside of this workspace, beside those of the table: a user's type behind a pointer.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use crate::{DelayingScheduler, Observed, Ready, TaskId, Why};

/// A user's scheduler, with its name: part of a [`SchedulerName`](crate::SchedulerName).
///
/// ```
/// use dally_schedule::{OwnScheduler, Rr, SchedulerName};
///
/// let mine = SchedulerName::from(OwnScheduler::new("mine", "as rr", Rr::default()));
/// assert_eq!(mine.to_string(), "mine");
/// ```
#[derive(Clone)]
pub struct OwnScheduler {
    name: Arc<str>,
    about: Arc<str>,
    empty: Arc<dyn AnyScheduler>,
}

impl OwnScheduler {
    /// A scheduler, given empty, with its name and one line about its order.
    pub fn new<S>(name: &str, about: &str, empty: S) -> Self
    where
        S: DelayingScheduler + fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    {
        OwnScheduler { name: name.into(), about: about.into(), empty: Arc::new(empty) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line about its order.
    pub fn about(&self) -> &str {
        &self.about
    }

    pub(crate) fn build(&self) -> BoxedScheduler {
        BoxedScheduler(self.empty.boxed())
    }
}

impl fmt::Debug for OwnScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnScheduler").field(&self.name).finish()
    }
}

/// Schedulers with the same name are the same.
impl PartialEq for OwnScheduler {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnScheduler {}

impl Hash for OwnScheduler {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.name.hash(hasher);
    }
}

/// A [`DelayingScheduler`] of any type.
pub struct BoxedScheduler(Box<dyn AnyScheduler>);

/// [`DelayingScheduler`] with methods that a pointer can have.
trait AnyScheduler: Send + Sync + UnwindSafe + RefUnwindSafe + fmt::Debug {
    fn boxed(&self) -> Box<dyn AnyScheduler>;
    fn is_equal(&self, other: &dyn AnyScheduler) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
    fn as_any(&self) -> &dyn Any;
    fn give(&mut self, task: TaskId, why: Why);
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId>;
    fn delay(&mut self, task: TaskId);
    fn complete(&mut self, task: TaskId);
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool;
    fn patience(&self) -> usize;
    fn delay_cost(&self) -> u32;
    fn cost_of_delay(&self, task: TaskId) -> u32;
    fn heap_bytes(&self) -> usize;
    fn allows_steps_ahead(&self) -> bool;
    fn can_delay(&self) -> bool;
    fn seals(&self, task: TaskId) -> bool;
    fn looks(&self) -> bool;
    fn observe(&mut self, step: &Observed<'_>);
}

impl<S> AnyScheduler for S
where
    S: DelayingScheduler + fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
{
    fn boxed(&self) -> Box<dyn AnyScheduler> {
        Box::new(self.clone())
    }
    fn is_equal(&self, other: &dyn AnyScheduler) -> bool {
        other.as_any().downcast_ref::<S>() == Some(self)
    }
    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn give(&mut self, task: TaskId, why: Why) {
        DelayingScheduler::give(self, task, why);
    }
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        DelayingScheduler::take(self, ready)
    }
    fn delay(&mut self, task: TaskId) {
        DelayingScheduler::delay(self, task);
    }
    fn complete(&mut self, task: TaskId) {
        DelayingScheduler::complete(self, task);
    }
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        DelayingScheduler::stays(self, task, ready)
    }
    fn patience(&self) -> usize {
        DelayingScheduler::patience(self)
    }
    fn delay_cost(&self) -> u32 {
        DelayingScheduler::delay_cost(self)
    }
    fn cost_of_delay(&self, task: TaskId) -> u32 {
        DelayingScheduler::cost_of_delay(self, task)
    }
    fn heap_bytes(&self) -> usize {
        DelayingScheduler::heap_bytes(self) + size_of::<S>()
    }
    fn allows_steps_ahead(&self) -> bool {
        DelayingScheduler::allows_steps_ahead(self)
    }
    fn can_delay(&self) -> bool {
        DelayingScheduler::can_delay(self)
    }
    fn seals(&self, task: TaskId) -> bool {
        DelayingScheduler::seals(self, task)
    }
    fn looks(&self) -> bool {
        DelayingScheduler::looks(self)
    }
    fn observe(&mut self, step: &Observed<'_>) {
        DelayingScheduler::observe(self, step);
    }
}

impl Clone for BoxedScheduler {
    fn clone(&self) -> Self {
        BoxedScheduler(self.0.boxed())
    }
}

impl fmt::Debug for BoxedScheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for BoxedScheduler {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_equal(&*other.0)
    }
}

impl Eq for BoxedScheduler {}

impl Hash for BoxedScheduler {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl DelayingScheduler for BoxedScheduler {
    fn give(&mut self, task: TaskId, why: Why) {
        self.0.give(task, why);
    }
    fn take(&mut self, ready: &Ready<'_>) -> Option<TaskId> {
        self.0.take(ready)
    }
    fn delay(&mut self, task: TaskId) {
        self.0.delay(task);
    }
    fn complete(&mut self, task: TaskId) {
        self.0.complete(task);
    }
    fn stays(&self, task: TaskId, ready: &Ready<'_>) -> bool {
        self.0.stays(task, ready)
    }
    fn patience(&self) -> usize {
        self.0.patience()
    }
    fn delay_cost(&self) -> u32 {
        self.0.delay_cost()
    }
    fn cost_of_delay(&self, task: TaskId) -> u32 {
        self.0.cost_of_delay(task)
    }
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
    fn allows_steps_ahead(&self) -> bool {
        self.0.allows_steps_ahead()
    }
    fn can_delay(&self) -> bool {
        self.0.can_delay()
    }
    fn seals(&self, task: TaskId) -> bool {
        self.0.seals(task)
    }
    fn looks(&self) -> bool {
        self.0.looks()
    }
    fn observe(&mut self, step: &Observed<'_>) {
        self.0.observe(step);
    }
}
