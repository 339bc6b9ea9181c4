//! What a step leads to, and what happened in it.

use dally_schedule::{Post, TaskId};

use crate::visited::Recent;
use crate::{Failure, Fingerprint};

/// Something that a step did to other tasks or to the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It posted a task. Who posted it is filled in by the search.
    Posted(TaskId, Post),
    /// It sent something to a task, which may enable it.
    Woken(TaskId),
    /// It ended another task.
    Ended(TaskId),
    /// From here on the order of tasks is fixed…
    Sealed,
    /// … to here.
    Unsealed,
    /// It made a choice that is fair: who makes it again and again takes both ways again and again. The number
    /// tells it from other choices.
    Chose(u64, bool),
}

/// How the task that took the step left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// It could go on.
    #[default]
    Yields,
    /// It waits: for the given task to complete, or for anything else.
    Blocks(Option<TaskId>),
    /// It has ended.
    Completes,
}

/// The outcomes of a step, or the initial states: a buffer that programs push to.
#[derive(Clone, Debug)]
pub struct Successors<S> {
    pub(crate) outcomes: Vec<Outcome>,
    /// The states of those outcomes that have one, in order.
    pub(crate) states: Vec<S>,
    /// The events of all outcomes, one after another.
    pub(crate) events: Vec<Event>,
    /// States that were delivered lately, and need not be made again.
    pub(crate) recent: Option<Recent>,
}

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Whether it has a state: it has none if that was delivered lately.
    pub(crate) has_state: bool,
    /// That of the state, if it is known already.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// Its events end here, and begin where those of the outcome before it end.
    pub(crate) events_end: u32,
    pub(crate) turn: Turn,
    /// The liveness properties that it is hot and cold for, as bits.
    pub(crate) hot: u64,
    pub(crate) cold: u64,
    pub(crate) failure: Option<Box<Failure>>,
}

impl<S> Default for Successors<S> {
    fn default() -> Self {
        Self { outcomes: Vec::new(), states: Vec::new(), events: Vec::new(), recent: None }
    }
}

impl<S> Successors<S> {
    /// Adds an outcome: the state after the step, in which the task could go on. The result says what
    /// else happened.
    pub fn push(&mut self, state: S) -> Successor<'_, S> {
        self.states.push(state);
        self.add(true, None)
    }

    /// Likewise, where the [fingerprint](crate::Program::fingerprint) of the state is known before the state
    /// is: most steps lead to states that were seen before, and such a state need not be made.
    pub fn push_with(&mut self, fingerprint: Fingerprint, state: impl FnOnce() -> S) -> Successor<'_, S> {
        let seen = self.recent.as_ref().is_some_and(|recent| recent.contains(fingerprint));
        if !seen {
            self.states.push(state());
        }
        self.add(!seen, Some(fingerprint))
    }

    fn add(&mut self, has_state: bool, fingerprint: Option<Fingerprint>) -> Successor<'_, S> {
        let events_end = self.event_count();
        self.outcomes.push(Outcome {
            has_state,
            fingerprint,
            events_end,
            turn: Turn::Yields,
            hot: 0,
            cold: 0,
            failure: None,
        });
        Successor { all: self }
    }

    /// The states of the outcomes, in order.
    pub fn states(&self) -> &[S] {
        &self.states
    }

    /// How many outcomes there are.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Whether there is no outcome.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The bytes that the outcomes take, beside what their states hold on the heap: for programs that end a step in its middle
    /// if it takes too many.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.outcomes) + size_of_val(&*self.states) + size_of_val(&*self.events)
    }

    /// Removes all outcomes, and keeps the memory.
    pub fn clear(&mut self) {
        self.outcomes.clear();
        self.states.clear();
        self.events.clear();
    }

    /// The events of one outcome.
    pub(crate) fn events_of(&self, choice: usize) -> &[Event] {
        let start = if choice == 0 { 0 } else { self.outcomes[choice - 1].events_end as usize };
        &self.events[start..self.outcomes[choice].events_end as usize]
    }

    fn event_count(&self) -> u32 {
        u32::try_from(self.events.len()).expect("a step has fewer than 2³² events")
    }
}

/// The outcome just pushed: says what else happened in the step.
#[derive(Debug)]
pub struct Successor<'a, S> {
    all: &'a mut Successors<S>,
}

impl<S> Successor<'_, S> {
    /// The step posted a task.
    pub fn posts(self, task: TaskId) -> Self {
        self.posts_as(task, Post::default())
    }

    /// The step posted a task, at a level, to a buffer.
    pub fn posts_as(self, task: TaskId, post: Post) -> Self {
        self.event(Event::Posted(task, post))
    }

    /// The step sent something to a task, which may enable it.
    pub fn wakes(self, task: TaskId) -> Self {
        self.event(Event::Woken(task))
    }

    /// The step ended another task.
    pub fn ends(self, task: TaskId) -> Self {
        self.event(Event::Ended(task))
    }

    /// From here on the order of tasks is fixed.
    pub fn seals(self) -> Self {
        self.event(Event::Sealed)
    }

    /// The order of tasks is open again.
    pub fn unseals(self) -> Self {
        self.event(Event::Unsealed)
    }

    /// The task now waits: for the given task to complete, or for anything else.
    pub fn blocks(mut self, on: Option<TaskId>) -> Self {
        self.last().turn = Turn::Blocks(on);
        self
    }

    /// The task has ended.
    pub fn completes(mut self) -> Self {
        self.last().turn = Turn::Completes;
        self
    }

    /// The transition counts for liveness: to take such transitions for ever is a failure.
    pub fn accepting(self) -> Self {
        self.hot(1)
    }

    /// The step is hot for these [properties](crate::Program::properties), given as bits: each waits for something.
    pub fn hot(mut self, properties: u64) -> Self {
        self.last().hot |= properties;
        self
    }

    /// The step is cold for these properties, given as bits: each has what it waited for.
    pub fn cold(mut self, properties: u64) -> Self {
        self.last().cold |= properties;
        self
    }

    /// The step made a fair choice: who makes it again and again takes both ways again and again. The number tells
    /// it from other choices.
    pub fn chooses(self, choice: u64, way: bool) -> Self {
        self.event(Event::Chose(choice, way))
    }

    /// The step fails.
    pub fn fails(mut self, failure: Failure) -> Self {
        self.last().failure = Some(Box::new(failure));
        self
    }

    fn event(mut self, event: Event) -> Self {
        self.all.events.push(event);
        let end = self.all.event_count();
        self.last().events_end = end;
        self
    }

    fn last(&mut self) -> &mut Outcome {
        self.all.outcomes.last_mut().expect("an outcome was pushed when this was made")
    }
}
