//! The outcomes of a step, and the events in it.

use dally_schedule::{Post, TaskId};

use crate::visited::Recent;
use crate::{Failure, Fingerprint, Path};

/// The name of a wakeup, such as an event: [`Program::label`](crate::Program::label) has its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// An effect of a step on other tasks or on the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl Event {
    /// Returns true if the event changes whether the order of tasks is open.
    pub(crate) fn seals(&self) -> bool {
        matches!(self, Event::Sealed | Event::Unsealed)
    }
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
    /// Choices among at most this many values are enumerated; the step is suspended at others.
    pub(crate) inline: u64,
    /// If wanted, the paths of the outcomes.
    pub(crate) paths: Option<Vec<Path>>,
    /// True if the program suspends steps: then their outcomes cost nothing.
    pub(crate) suspends: bool,
    /// The number of outcomes in which the step is suspended.
    pub(crate) suspensions: usize,
}

/// A step that is suspended at a nondeterministic choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// The options taken before that choice.
    pub path: Path,
    /// The number of options.
    pub options: u32,
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
    /// Set in few outcomes. One field for both cases: outcomes are dropped for each step, field by field.
    pub(crate) special: Option<Box<Special>>,
}

/// An outcome other than a state in which the step has ended without a failure.
#[derive(Clone, Debug)]
pub(crate) enum Special {
    Failure(Failure),
    /// The step has not ended: there is no state, and the `fingerprint` of the outcome is that of the task's
    /// configuration.
    Suspended(Suspended),
}

impl Outcome {
    #[inline]
    pub(crate) fn failure(&self) -> Option<&Failure> {
        match self.special.as_deref()? {
            Special::Failure(failure) => Some(failure),
            Special::Suspended(_) => None,
        }
    }

    #[inline]
    pub(crate) fn suspended(&self) -> Option<&Suspended> {
        match self.special.as_deref()? {
            Special::Suspended(suspended) => Some(suspended),
            Special::Failure(_) => None,
        }
    }
}

impl<S> Default for Successors<S> {
    fn default() -> Self {
        Self {
            outcomes: Vec::new(),
            states: Vec::new(),
            events: Vec::new(),
            recent: None,
            inline: u64::MAX,
            paths: None,
            suspends: false,
            suspensions: 0,
        }
    }
}

impl<S> Successors<S> {
    /// An empty buffer; steps are suspended at choices among more than `inline` values.
    pub fn suspending_above(inline: u64) -> Self {
        Self { inline, ..Self::default() }
    }

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
            special: None,
        });
        Successor { all: self }
    }

    /// The step has not ended: it is suspended at a choice among this many options, after those of `path`.
    /// The search [resumes](crate::Program::resume) it with each option. Two suspensions of the same step with
    /// the same `configuration` have the same outcomes.
    ///
    /// # Panics
    ///
    /// If there are 2³² options or more.
    pub fn suspend(&mut self, path: &[u32], options: u64, configuration: Fingerprint) {
        let options = u32::try_from(options).expect("a choice has fewer than 2³² options");
        self.add(false, Some(configuration));
        self.suspensions += 1;
        if let Some(outcome) = self.outcomes.last_mut() {
            let suspended = Suspended { path: Path::from_slice(path), options };
            outcome.special = Some(Box::new(Special::Suspended(suspended)));
        }
    }

    /// The program [suspends](Self::suspend) steps at choices among more values than this returns. So
    /// several outcomes of a step are not options that cost extra.
    pub fn begin_suspendable(&mut self) -> u64 {
        self.suspends = true;
        self.inline
    }

    /// The number of outcomes in which the step has ended.
    pub(crate) fn ended(&self) -> u64 {
        (self.outcomes.len() - self.suspensions.min(self.outcomes.len())) as u64
    }

    /// Records the options taken on the way to the outcome just added, if the caller wants to know them. By
    /// default, the number of an outcome is the only option.
    pub fn took(&mut self, path: &[u32]) {
        if let Some(paths) = &mut self.paths {
            paths.push(Path::from_slice(path));
        }
    }

    /// Returns true if the program has to call [`took`](Self::took) after each outcome.
    pub fn wants_paths(&self) -> bool {
        self.paths.is_some()
    }

    /// The choice at which the step is suspended in the n-th outcome, if it is.
    pub fn suspended(&self, nth: usize) -> Option<&Suspended> {
        self.outcomes.get(nth)?.suspended()
    }

    /// The path to the n-th outcome.
    pub(crate) fn path_to(&self, nth: usize) -> Path {
        match &self.paths {
            Some(paths) if nth < paths.len() => paths[nth].clone(),
            _ if self.len() > 1 => Path::from_slice(&[nth as u32]),
            _ => Path::new(),
        }
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

    /// Returns true if an outcome fails.
    pub fn has_failed(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.failure().is_some())
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
    #[inline]
    pub fn clear(&mut self) {
        self.outcomes.clear();
        self.states.clear();
        self.events.clear();
        (self.suspends, self.suspensions) = (false, 0);
        if let Some(paths) = &mut self.paths {
            paths.clear();
        }
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
    pub fn blocks(self, on: Option<TaskId>) -> Self {
        self.stops(Turn::Blocks(on))
    }

    /// The task has terminated.
    pub fn completes(self) -> Self {
        self.stops(Turn::Completes)
    }

    /// Sets how the task stops. By default it yields.
    pub fn stops(mut self, turn: Turn) -> Self {
        self.last().turn = turn;
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
        self.last().special = Some(Box::new(Special::Failure(failure)));
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
