//! The outcomes of a step, and the events in it.

use dally_schedule::{Post, TaskId};

use crate::visited::Recent;
use crate::{Failure, Fingerprint};

/// The name of a wakeup, such as an event: [`Program::label`](crate::Program::label) has its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// An effect of a step on other tasks or on the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It posted a task. The search fills in the poster.
    Posted(TaskId, Post),
    /// It sent a message or signal to a task, which may enable it.
    Woken(TaskId, Option<Label>),
    /// It terminated another task.
    Ended(TaskId),
    /// From here on the order of tasks is fixed.
    Sealed,
    /// From here on the order of tasks is open again.
    Unsealed,
    /// It made a fair choice, identified by the number, and took this option, of this many: an execution in
    /// which an option is available infinitely often takes it infinitely often.
    Chose(u64, u32, u32),
}

/// The status of the task after its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// It is still enabled.
    #[default]
    Yields,
    /// It is blocked: until the given task terminates, or by another condition.
    Blocks(Option<TaskId>),
    /// It has terminated.
    Completes,
}

/// The outcomes of a step, or the initial states: a buffer that programs push to.
#[derive(Clone, Debug)]
pub struct Successors<S> {
    pub(crate) outcomes: Vec<Outcome>,
    /// The states of those outcomes that have one, in order.
    pub(crate) states: Vec<S>,
    /// The events of all outcomes, concatenated.
    pub(crate) events: Vec<Event>,
    /// The fingerprints delivered recently; their states need not be built again.
    pub(crate) recent: Option<Recent>,
}

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// True if it has a state: none is built if the search received it recently.
    pub(crate) has_state: bool,
    /// The fingerprint of the state, if it is already known.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// The end of its events, which begin at the end of the previous outcome's.
    pub(crate) events_end: u32,
    pub(crate) turn: Turn,
    /// The liveness properties for which it is hot or cold, as bit sets.
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
    /// Adds an outcome: the state after the step, in which the task is still enabled. The methods of the
    /// result add the events of the step.
    pub fn push(&mut self, state: S) -> Successor<'_, S> {
        self.states.push(state);
        self.add(true, None)
    }

    /// Adds an outcome whose [fingerprint](crate::Program::fingerprint) is known. The state is built only
    /// if the search did not receive it recently: most steps lead to states that were visited before.
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

    /// The number of outcomes.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Returns true if there is no outcome.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// The size of the outcomes in bytes, without the heap memory of their states. A program may end a step
    /// whose outcomes are too large.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.outcomes) + size_of_val(&*self.states) + size_of_val(&*self.events)
    }

    /// Keeps only the n-th outcome of a step, if it exists.
    pub(crate) fn keep(&mut self, nth: usize) {
        if nth >= self.len() {
            return self.clear();
        }
        let events = self.events_of(nth).to_vec();
        let state = self.outcomes[..nth].iter().filter(|outcome| outcome.has_state).count();
        let mut outcome = self.outcomes.swap_remove(nth);
        outcome.events_end = events.len() as u32;
        let state = outcome.has_state.then(|| self.states.swap_remove(state));
        self.clear();
        self.outcomes.push(outcome);
        self.states.extend(state);
        self.events = events;
    }

    /// Removes all outcomes, and keeps the allocation.
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

/// The outcome just pushed, to which events can be added.
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

    /// The step sent a message or signal to a task, which may enable it.
    pub fn wakes(self, task: TaskId) -> Self {
        self.event(Event::Woken(task, None))
    }

    /// The step sent a message or signal of this name to a task, which may enable it.
    pub fn wakes_by(self, task: TaskId, label: Label) -> Self {
        self.event(Event::Woken(task, Some(label)))
    }

    /// The step terminated another task.
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

    /// The task is blocked: until the given task terminates, or by another condition.
    pub fn blocks(mut self, on: Option<TaskId>) -> Self {
        self.last().turn = Turn::Blocks(on);
        self
    }

    /// The task has terminated.
    pub fn completes(mut self) -> Self {
        self.last().turn = Turn::Completes;
        self
    }

    /// The transition is accepting: an execution that takes such transitions for ever violates the liveness property.
    pub fn accepting(self) -> Self {
        self.hot(1)
    }

    /// The step is hot for these [properties](crate::Program::properties), given as a bit set: they require
    /// a later cold step.
    pub fn hot(mut self, properties: u64) -> Self {
        self.last().hot |= properties;
        self
    }

    /// The step is cold for these properties, given as a bit set: it satisfies their requirement.
    pub fn cold(mut self, properties: u64) -> Self {
        self.last().cold |= properties;
        self
    }

    /// The step made a fair choice, identified by the number, and took an option, of this many: an execution
    /// in which an option is available infinitely often takes it infinitely often. Options count from 0.
    pub fn chooses(self, choice: u64, option: u32, options: u32) -> Self {
        self.event(Event::Chose(choice, option, options))
    }

    /// The step fails.
    pub fn fails(mut self, failure: Failure) -> Self {
        self.last().failure = Some(Box::new(failure));
        self
    }

    /// Adds an event of the step.
    pub fn event(mut self, event: Event) -> Self {
        self.all.events.push(event);
        let end = self.all.event_count();
        self.last().events_end = end;
        self
    }

    fn last(&mut self) -> &mut Outcome {
        self.all.outcomes.last_mut().expect("an outcome was pushed when this was made")
    }
}
