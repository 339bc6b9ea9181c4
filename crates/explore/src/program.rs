//! Programs as transition systems of tasks.
//!
//! [TR15 §2]: states, an initial one, the processes that are enabled in a state, and a step of one of them. A step
//! has several outcomes where the task makes a nondeterministic choice, and none where an `assume` fails.
//!
//! Deviations:
//! 1. There, a step is a function; here, as in its implementation, it may have several outcomes.
//! 2. A step reports its events, since schedulers order tasks by their posts and wakeups.
//! 3. There, a transition is accepting or not. Here there may be several liveness properties, and a step is hot or
//!    cold, or neither, for each of them.

use std::fmt;
use std::hash::Hash;

use dally_schedule::{StateView, TaskId};
use smallvec::{SmallVec, smallvec};

use crate::footprint::{Footprint, Footprints};
use crate::successors::Label;
use crate::{Fingerprint, Limit, Successors};

/// A program whose tasks take steps.
///
/// Three methods are required. A state is any value; small `Copy` states are the fastest, and
/// [`store`](crate::store) helps where states are large and steps change little of them.
pub trait Program: Sync {
    /// A complete state: equal states have equal behaviour.
    type State: Clone + Hash + Send + Sync;

    /// Pushes the initial states, each with its first tasks, which are [posted](crate::Successor::posts) by no task.
    fn initial(&self, out: &mut Successors<Self::State>);

    /// Appends the tasks that can take a step to `tasks`, ascending and without repetition.
    fn enabled(&self, state: &Self::State, tasks: &mut Vec<TaskId>);

    /// Pushes the outcomes of a step of an enabled task: one for each combination of its nondeterministic choices. The
    /// order of outcomes is the same each time.
    fn step(&self, state: &Self::State, task: TaskId, out: &mut Successors<Self::State>);

    /// Pushes the outcomes of a step that begin with `path`, which lists the options taken at its first
    /// choices. A step that [was suspended](Successors::suspend) is continued with this. By default, a step
    /// has one choice, whose options are the outcomes of [`step`](Self::step).
    fn resume(&self, state: &Self::State, task: TaskId, path: &[u32], out: &mut Successors<Self::State>) {
        out.clear();
        self.step(state, task, out);
        if let [nth, ..] = path {
            out.keep(*nth as usize);
        }
    }

    /// Executes a step along one path: `by` draws the option of each nondeterministic choice as the task
    /// reaches it, from the number of options. Pushes the outcome, if there is one, and returns the options
    /// taken, which are a path of [`resume`](Self::resume). They are the drawn ones, unless an assumption
    /// refutes those. By default, a step has one choice, whose options are the outcomes of
    /// [`step`](Self::step).
    fn draw(
        &self,
        state: &Self::State,
        task: TaskId,
        by: Choose<'_>,
        out: &mut Successors<Self::State>,
    ) -> DrawnPath {
        out.clear();
        self.step(state, task, out);
        let options = out.len();
        if options < 2 {
            return SmallVec::new();
        }
        let option = by(options as u64) as usize % options;
        out.keep(option);
        smallvec![Drawn { option: option as u32, options: options as u32, is_value: true }]
    }

    /// Returns true if the program describes the footprints of its steps: then a search
    /// [reduces](crate::Options::reduction) where steps commute. By default it does not, at no cost. A program
    /// that [excludes](Self::is_excluded) states must not return true.
    fn has_footprints(&self) -> bool {
        false
    }

    /// Describes the objects that the next step of an enabled task may read and write, over all its
    /// outcomes, with those that decide whether it is enabled. The default is everything. Reduction and
    /// partial-order sampling use it.
    ///
    /// Two workers count what they have done, and then one of them updates the total. A worker's own steps
    /// touch nothing that the other sees, so their order does not matter:
    ///
    /// ```
    /// use dally_explore::{
    ///     Exhaustive, Footprint, Object, Options, Program, Search, Successors, TaskId, Verdict,
    /// };
    ///
    /// /// The total, and the number of steps of each worker.
    /// type State = (u32, [u32; 2]);
    /// struct Workers;
    /// const TOTAL: Object = Object(0);
    ///
    /// impl Program for Workers {
    ///     type State = State;
    ///
    ///     fn initial(&self, out: &mut Successors<State>) {
    ///         out.push((0, [0, 0])).posts(TaskId(0)).posts(TaskId(1));
    ///     }
    ///
    ///     fn enabled(&self, (_, steps): &State, tasks: &mut Vec<TaskId>) {
    ///         tasks.extend((0..2).filter(|task| steps[*task as usize] < 6).map(TaskId));
    ///     }
    ///
    ///     fn step(&self, (total, steps): &State, task: TaskId, out: &mut Successors<State>) {
    ///         let (mut total, mut steps, me) = (*total, *steps, task.0 as usize);
    ///         steps[me] += 1;
    ///         if steps[me] == 6 {
    ///             total = 2 * total + task.0;
    ///             out.push((total, steps)).completes();
    ///         } else {
    ///             out.push((total, steps));
    ///         }
    ///     }
    ///
    ///     fn has_footprints(&self) -> bool {
    ///         true
    ///     }
    ///
    ///     // The sixth step of a worker reads and writes the total. The others touch no object.
    ///     fn footprint(&self, (_, steps): &State, task: TaskId, out: &mut Footprint) {
    ///         if steps[task.0 as usize] == 5 {
    ///             out.writes(TOTAL);
    ///         }
    ///     }
    ///
    ///     // From here on, the other worker writes the total, unless it is done.
    ///     fn futures(&self, (_, steps): &State, task: TaskId, out: &mut Footprint) {
    ///         if steps[1 - task.0 as usize] < 6 {
    ///             out.writes(TOTAL);
    ///         }
    ///     }
    /// }
    ///
    /// let states = |reduction| {
    ///     let options = Options { reduction, ..Options::default() };
    ///     let report = Search::new(&Workers, &Exhaustive, &options, &()).run();
    ///     assert_eq!(report.verdict, Verdict::Proved);
    ///     report.coverage.states
    /// };
    /// assert_eq!((states(true), states(false)), (4, 50));
    /// ```
    fn footprint(&self, _state: &Self::State, _task: TaskId, out: &mut Footprint) {
        out.touches_everything();
    }

    /// Describes the objects that tasks other than `task` may read and write from here on, up to the next step
    /// of `task`: tasks that are blocked now and tasks that are posted later included. The default is
    /// everything.
    fn futures(&self, _state: &Self::State, _task: TaskId, out: &mut Footprint) {
        out.touches_everything();
    }

    /// Returns true if the next step of an enabled task stays enabled and commutes with every step that other
    /// tasks can take before it: then the task alone is a persistent set. By default, that is so if its
    /// [footprint](Self::footprint) does not conflict with the [futures](Self::futures) of the others.
    fn commutes(&self, state: &Self::State, task: TaskId, scratch: &mut Footprints) -> bool {
        let Footprints { step, others } = scratch;
        step.clear();
        self.footprint(state, task, step);
        if step.touches_all() {
            return false;
        }
        others.clear();
        self.futures(state, task, others);
        !step.conflicts(others)
    }

    /// The name of a wakeup, such as an event. The default has no names.
    fn label(&self, _label: Label) -> Option<&str> {
        None
    }

    /// A state by names, for schedulers that [look](dally_schedule::DelayingScheduler::looks) at them. The
    /// [labels](Self::label) of wakeups are the symbols of events. The default has no names.
    fn view<'a>(&'a self, _state: &'a Self::State) -> Option<Box<dyn StateView + 'a>> {
        None
    }

    /// Appends a state to `out` in an encoding that is valid in every process. Returns false if states of
    /// this program have no such encoding, as by default.
    fn encode(&self, _state: &Self::State, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Decodes a state that was [encoded](Self::encode) here or in another process. Returns `None` if the
    /// bytes are not a valid state.
    fn decode(&self, _bytes: &[u8]) -> Option<Self::State> {
        None
    }

    /// Called for states in which no task is enabled. Returns a failure if the program must not terminate
    /// there; by default it may.
    fn deadlock(&self, _state: &Self::State) -> Option<Failure> {
        None
    }

    /// Returns true if the user excludes this state from the search: it is neither expanded nor
    /// examined for a deadlock. The default excludes none.
    fn is_excluded(&self, _state: &Self::State) -> bool {
        false
    }

    /// The number of liveness properties, at most 64. A cycle violates one of them if some of its steps is
    /// [hot](crate::Successor::hot) for it and none is [cold](crate::Successor::cold). The default has one,
    /// which [accepting](crate::Successor::accepting) steps violate.
    fn properties(&self) -> u32 {
        1
    }

    /// Describes the violation of a property by a cycle through this state.
    fn starves(&self, _property: u32, _state: &Self::State) -> Failure {
        Failure::liveness("accepting steps are taken for ever")
    }

    /// The key of a state in the visited set. States with equal fingerprints are taken to be equal. The default
    /// hashes the state.
    fn fingerprint(&self, state: &Self::State) -> Fingerprint {
        Fingerprint::of(state)
    }

    /// Bytes that the state holds beyond its own size, for the memory budget.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }

    /// Bytes that the program holds for all states together (interned parts), for the memory budget.
    fn shared_bytes(&self) -> usize {
        0
    }

    /// A copy of the program without the interned parts of states. Sampling stores no states: it runs on a
    /// copy, and drops it before its [`shared_bytes`](Self::shared_bytes) grow large. Executions and
    /// fingerprints must be the same; states need not be. `None` if the program interns nothing.
    fn without_states(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// Draws an option of a nondeterministic choice from the number of options.
pub type Choose<'a> = &'a mut (dyn FnMut(u64) -> u64 + 'a);

/// The options taken in a step.
pub type DrawnPath = SmallVec<[Drawn; 2]>;

/// An option taken at a nondeterministic choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The option, counted from 0.
    pub option: u32,
    /// The number of options.
    pub options: u32,
    /// True for a choice of a value, and false for one of control flow, which costs nothing.
    pub is_value: bool,
}

/// A violated property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The message for the user.
    pub message: String,
}

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An assertion does not hold.
    Assertion,
    /// No task is enabled, and some task waits.
    Deadlock,
    /// A liveness property is violated.
    Liveness,
    /// A run-time error: an index out of range, a missing key, an unhandled event.
    Runtime,
    /// No failure: the execution is a path that ends before any step fails.
    Path,
    /// Not a failure of the program: it uses a construct that cannot be explored.
    Unsupported,
    /// Not a failure of the program: a limit ended the search in the middle of the step.
    Interrupted(Limit),
}

impl Failure {
    /// An assertion that does not hold.
    pub fn assertion(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Assertion, message: message.into() }
    }

    /// No task is enabled, and some task waits.
    pub fn deadlock(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Deadlock, message: message.into() }
    }

    /// A liveness property is violated.
    pub fn liveness(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Liveness, message: message.into() }
    }

    /// A run-time error.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Runtime, message: message.into() }
    }

    /// The end of a path no step of which fails.
    pub fn path() -> Self {
        Self { kind: FailureKind::Path, message: "the path ends here, and no step of it fails".to_owned() }
    }

    /// A limit ends the search before the step ends.
    pub fn interrupted(limit: Limit) -> Self {
        Self { kind: FailureKind::Interrupted(limit), message: limit.to_string() }
    }

    /// The program uses a construct that cannot be explored.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Unsupported, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FailureKind::Assertion => "assertion failed",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Liveness => "liveness",
            FailureKind::Runtime => "run-time error",
            FailureKind::Path => "no failure",
            FailureKind::Unsupported => "unsupported",
            FailureKind::Interrupted(_) => "interrupted",
        };
        write!(f, "{kind}: {}", self.message)
    }
}
