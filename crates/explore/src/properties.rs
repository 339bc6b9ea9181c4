//! Properties of models: conditions that hold always, sometimes or eventually, as users of Stateright know them.
//!
//! [`Checked`] is a program with properties. Conditions of `always` are checked in every state; those of `sometimes` are
//! satisfied by one state; those of `eventually` must hold in some state of every execution that is maximal and fair.
//! For the latter, a state includes which conditions have held so far: two executions that lead to the same state of the
//! model, of which only one has satisfied a condition, are not taken for one another. An execution that never satisfies it
//! ends without it, or repeats a cycle without it, and a [search for cycles](crate::Liveness) finds both.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use dally_schedule::TaskId;

use crate::successors::{Outcome, Special};
use crate::{
    Choose, DrawnPath, Failure, Fingerprint, Liveness, Method, Plan, Program, Report, Successors, Verdict,
    Watch,
};

type Condition<S> = Box<dyn Fn(&S) -> bool + Send + Sync>;

/// A condition with a name.
struct Property<S> {
    name: String,
    holds: Condition<S>,
    /// True once a state has satisfied it.
    satisfied: AtomicBool,
}

impl<S> Property<S> {
    fn new(name: &str, holds: impl Fn(&S) -> bool + Send + Sync + 'static) -> Self {
        Property { name: name.to_owned(), holds: Box::new(holds), satisfied: AtomicBool::new(false) }
    }
}

/// A program with properties.
///
/// ```
/// use dally_explore::{Checked, Exhaustive, Plan, Program, Successors, TaskId, Verdict};
///
/// /// A lamp that a task switches on and off, or breaks.
/// struct Lamp;
///
/// #[derive(Clone, Copy, Hash, PartialEq)]
/// enum Light { Off, On, Broken }
///
/// impl Program for Lamp {
///     type State = Light;
///
///     fn initial(&self, out: &mut Successors<Light>) {
///         out.push(Light::Off).posts(TaskId(0));
///     }
///
///     fn enabled(&self, light: &Light, tasks: &mut Vec<TaskId>) {
///         tasks.extend((*light != Light::Broken).then_some(TaskId(0)));
///     }
///
///     fn step(&self, light: &Light, _: TaskId, out: &mut Successors<Light>) {
///         out.push(if *light == Light::Off { Light::On } else { Light::Off });
///         out.push(Light::Broken);
///     }
/// }
///
/// let checked = Checked::new(Lamp)
///     .sometimes("light", |light| *light == Light::On)
///     .eventually("it breaks", |light| *light == Light::Broken);
/// // It may be switched on and off for ever.
/// let checked_report = checked.check(&Plan::exhaustive());
/// assert!(matches!(checked_report.report.verdict, Verdict::Bug(_)));
/// ```
pub struct Checked<P: Program> {
    program: P,
    always: Vec<Property<P::State>>,
    sometimes: Vec<Property<P::State>>,
    eventually: Vec<Property<P::State>>,
}

impl<P: Program> fmt::Debug for Checked<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked").finish_non_exhaustive()
    }
}

/// A state, and the conditions of `eventually` that have held on the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tracked<S> {
    /// The state of the model.
    pub state: S,
    /// A bit for each condition.
    held: u64,
}

/// The result of a check.
#[derive(Debug)]
pub struct CheckedReport<'c> {
    /// The report of the search.
    pub report: Report,
    /// The conditions of `sometimes` that no explored state satisfies. If the verdict is `proved`, none does.
    pub never: Vec<&'c str>,
}

/// The most conditions of `eventually`: a search for cycles has at most 64 properties.
const MOST: usize = 32;

impl<P: Program> Checked<P> {
    /// A program without properties.
    pub fn new(program: P) -> Self {
        Checked { program, always: Vec::new(), sometimes: Vec::new(), eventually: Vec::new() }
    }

    /// The program.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// Adds a condition that must hold in every state.
    #[must_use]
    pub fn always(mut self, name: &str, holds: impl Fn(&P::State) -> bool + Send + Sync + 'static) -> Self {
        self.always.push(Property::new(name, holds));
        self
    }

    /// Adds a condition that should hold in some state.
    #[must_use]
    pub fn sometimes(
        mut self,
        name: &str,
        holds: impl Fn(&P::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.sometimes.push(Property::new(name, holds));
        self
    }

    /// Adds a condition that must hold in some state of every execution.
    ///
    /// # Panics
    ///
    /// If there are more than 32 of them.
    #[must_use]
    pub fn eventually(
        mut self,
        name: &str,
        holds: impl Fn(&P::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        assert!(self.eventually.len() < MOST, "a program has at most {MOST} conditions of `eventually`");
        self.eventually.push(Property::new(name, holds));
        self
    }

    /// Searches for a violation. If there are conditions of `eventually`, cycles are searched for as well.
    pub fn check(&self, plan: &Plan) -> CheckedReport<'_> {
        self.check_watched(plan, &())
    }

    /// As [`check`](Self::check), with an observer, which can stop the search.
    pub fn check_watched<W: Watch<Tracked<P::State>>>(&self, plan: &Plan, watch: &W) -> CheckedReport<'_> {
        let by_default = Liveness { method: Method::Map, fair: true };
        let liveness = plan.liveness.or((!self.eventually.is_empty()).then_some(by_default));
        let report = Plan { liveness, ..plan.clone() }.search(self, watch);
        let unsatisfied = self.sometimes.iter().filter(|property| !property.satisfied.load(Relaxed));
        CheckedReport { report, never: unsatisfied.map(|property| &*property.name).collect() }
    }

    /// The names of the conditions of `eventually`, and true for those that have held on the way to a state.
    pub fn held<'c>(&'c self, at: &Tracked<P::State>) -> impl Iterator<Item = (&'c str, bool)> + use<'c, P> {
        let held = at.held;
        self.eventually.iter().enumerate().map(move |(nth, it)| (&*it.name, held >> nth & 1 == 1))
    }

    /// The conditions that hold in a state, or have held before.
    fn hold(&self, state: &P::State, before: u64) -> u64 {
        let fresh = |(nth, property): (usize, &Property<P::State>)| {
            if before >> nth & 1 == 1 || (property.holds)(state) { 1 << nth } else { 0 }
        };
        self.eventually.iter().enumerate().map(fresh).sum()
    }

    /// The first violated condition of `always`. Marks those of `sometimes`.
    fn examine(&self, state: &P::State) -> Option<Failure> {
        for property in &self.sometimes {
            if !property.satisfied.load(Relaxed) && (property.holds)(state) {
                property.satisfied.store(true, Relaxed);
            }
        }
        let violated = self.always.iter().find(|property| !(property.holds)(state))?;
        Some(Failure::assertion(format!("`{}` does not always hold", violated.name)))
    }

    /// An empty list for the outcomes of the program, with the settings of `out`.
    fn inner(out: &Successors<Tracked<P::State>>) -> Successors<P::State> {
        Successors {
            inline: out.inline,
            paths: out.paths.as_ref().map(|_| Vec::new()),
            ..Successors::default()
        }
    }

    /// Adds the outcomes of the program to `out`.
    fn wrap(&self, inner: Successors<P::State>, held: u64, out: &mut Successors<Tracked<P::State>>) {
        let first_event = out.events.len() as u32;
        let mut states = inner.states.into_iter();
        for outcome in inner.outcomes {
            let state = if outcome.has_state { states.next() } else { None };
            let now = state.as_ref().map_or(held, |state| self.hold(state, held));
            let special = match (outcome.special, &state) {
                (None, Some(state)) => self.examine(state).map(|failure| Box::new(Special::Failure(failure))),
                (special, _) => special,
            };
            let is_suspended = matches!(special.as_deref(), Some(Special::Suspended(_)));
            // The properties of the program keep their numbers.
            let missing = !now & ((1 << self.eventually.len()) - 1);
            let own = self.program.properties();
            out.outcomes.push(Outcome {
                // Suspended steps differ by their configuration.
                fingerprint: is_suspended.then(|| Fingerprint::of(&(outcome.fingerprint, held))),
                has_state: outcome.has_state,
                events_end: first_event + outcome.events_end,
                turn: outcome.turn,
                hot: outcome.hot | missing << own,
                cold: outcome.cold,
                special,
            });
            out.suspensions += usize::from(is_suspended);
            out.states.extend(state.map(|state| Tracked { state, held: now }));
        }
        out.events.extend(inner.events);
        out.suspends |= inner.suspends;
        if let (Some(paths), Some(inner)) = (&mut out.paths, inner.paths) {
            paths.extend(inner);
        }
    }
}

impl<P: Program> Program for Checked<P> {
    type State = Tracked<P::State>;

    fn initial(&self, out: &mut Successors<Self::State>) {
        let mut inner = Self::inner(out);
        self.program.initial(&mut inner);
        self.wrap(inner, 0, out);
    }

    fn enabled(&self, at: &Self::State, tasks: &mut Vec<TaskId>) {
        self.program.enabled(&at.state, tasks);
    }

    fn step(&self, at: &Self::State, task: TaskId, out: &mut Successors<Self::State>) {
        let mut inner = Self::inner(out);
        self.program.step(&at.state, task, &mut inner);
        self.wrap(inner, at.held, out);
    }

    fn resume(&self, at: &Self::State, task: TaskId, path: &[u32], out: &mut Successors<Self::State>) {
        out.clear();
        let mut inner = Self::inner(out);
        self.program.resume(&at.state, task, path, &mut inner);
        self.wrap(inner, at.held, out);
    }

    fn draw(
        &self,
        at: &Self::State,
        task: TaskId,
        by: Choose<'_>,
        out: &mut Successors<Self::State>,
    ) -> DrawnPath {
        out.clear();
        let mut inner = Self::inner(out);
        let drawn = self.program.draw(&at.state, task, by, &mut inner);
        self.wrap(inner, at.held, out);
        drawn
    }

    /// An execution that ends without a condition of `eventually` violates it.
    fn deadlock(&self, at: &Self::State) -> Option<Failure> {
        let missing = || {
            let (name, _) = self.held(at).find(|(_, held)| !held)?;
            Some(Failure::liveness(format!("an execution ends, and `{name}` has not held")))
        };
        self.program.deadlock(&at.state).or_else(missing)
    }

    fn is_excluded(&self, at: &Self::State) -> bool {
        self.program.is_excluded(&at.state)
    }

    fn properties(&self) -> u32 {
        self.program.properties() + self.eventually.len() as u32
    }

    fn starves(&self, property: u32, at: &Self::State) -> Failure {
        let own = self.program.properties();
        match property.checked_sub(own).and_then(|nth| self.eventually.get(nth as usize)) {
            Some(property) => {
                Failure::liveness(format!("an execution never ends, and `{}` never holds", property.name))
            }
            None => self.program.starves(property, &at.state),
        }
    }

    fn fingerprint(&self, at: &Self::State) -> Fingerprint {
        match self.eventually.is_empty() {
            true => self.program.fingerprint(&at.state),
            false => Fingerprint::of(&(self.program.fingerprint(&at.state), at.held)),
        }
    }

    fn heap_bytes(&self, at: &Self::State) -> usize {
        self.program.heap_bytes(&at.state)
    }

    fn shared_bytes(&self) -> usize {
        self.program.shared_bytes()
    }
}

impl CheckedReport<'_> {
    /// Returns true if no property is violated, and each condition of `sometimes` was satisfied.
    pub fn is_satisfied(&self) -> bool {
        self.report.verdict.is_clean() && self.never.is_empty()
    }

    /// Returns true if the search has covered everything, and no property is violated.
    pub fn is_proved(&self) -> bool {
        self.report.verdict == Verdict::Proved && self.never.is_empty()
    }
}
