//! Replaying a schedule.

use std::fmt;

use dally_schedule::{Ready, TaskId};

use crate::choices::{Schedule, ScheduleStep};
use crate::policy::{Happened, Point, Policy, Proposal};
use crate::sight::Between;
use crate::successors::{Event, Successors, Turn};
use crate::{Failure, Program};

/// A step of a schedule, with its index.
#[derive(Clone, Copy, Debug)]
pub struct StepAt<'a> {
    /// The number of steps before it.
    pub index: usize,
    /// The step.
    pub step: &'a ScheduleStep,
}

/// One step of a replay, as its observer sees it.
#[derive(Debug)]
pub struct Moment<'a, S> {
    /// The step; `None` for the initial state.
    pub step: Option<StepAt<'a>>,
    /// The state before it; at the initial state, that state.
    pub before: &'a S,
    /// The state after it.
    pub after: &'a S,
    /// Its events.
    pub events: &'a [Event],
    /// The state of its task at its end.
    pub turn: Turn,
    /// The liveness properties for which it is hot, as a bit set.
    pub hot: u64,
    /// The liveness properties for which it is cold.
    pub cold: u64,
    /// Its failure.
    pub failure: Option<&'a Failure>,
}

impl<'a, S> Moment<'a, S> {
    /// The states around the step.
    pub(crate) fn sight<P: Program<State = S>>(&self, program: &'a P) -> Between<'a, P> {
        Between { program, before: self.step.map(|_| self.before), after: self.after }
    }
}

/// The end of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed<S> {
    /// The last state.
    pub state: S,
    /// The failure of the last step, or the deadlock after it.
    pub failure: Option<Failure>,
}

/// A schedule that the program cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// There is no such initial state.
    NoInitial(u32),
    /// The task of this step is not enabled.
    NotEnabled(usize, TaskId),
    /// This step has no such outcome.
    NoOutcome(usize),
    /// The program fails before the last step.
    FailsEarly(usize, Failure),
    /// The policy does not propose the task of this step at the cost that the schedule gives.
    NotProposed(usize, TaskId, u32),
    /// The cycle violates no liveness property.
    NoCycle(NoCycle),
}

/// The reason why the cycle of a lasso violates no liveness property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCycle {
    /// Its last state is not its first.
    MovesOn,
    /// No property is hot all along.
    NothingHot,
    /// It is unfair to this task, which is enabled all along and never runs.
    Starves(TaskId),
    /// It never takes an option of a fair choice that it makes.
    NeverTaken,
}

impl fmt::Display for NoCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MovesOn => f.write_str("the cycle does not end in the state in which it begins"),
            Self::NothingHot => f.write_str("no liveness property is hot all along the cycle"),
            Self::Starves(task) => {
                write!(f, "the cycle is not fair: task {task} is enabled all along, and never runs")
            }
            Self::NeverTaken => {
                f.write_str("the cycle is not fair: it never takes some option of a fair choice")
            }
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInitial(nth) => write!(f, "there is no initial state {nth}"),
            // Messages count steps from 1.
            Self::NotEnabled(at, task) => write!(f, "step {}: task {task} is not enabled", at + 1),
            Self::NoOutcome(at) => write!(f, "step {}: the task cannot make these choices", at + 1),
            Self::FailsEarly(at, failure) => write!(f, "step {at} fails, and is not the last: {failure}"),
            Self::NoCycle(why) => why.fmt(f),
            Self::NotProposed(at, task, cost) => {
                write!(f, "step {}: the scheduler does not propose task {task} at the cost of {cost}", at + 1)
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Replays a schedule, and shows each step to `watch`.
pub fn replay<P: Program>(
    program: &P,
    schedule: &Schedule,
    mut watch: impl FnMut(&Moment<'_, P::State>),
) -> Result<Replayed<P::State>, ReplayError> {
    let mut successors = Successors::default();
    let mut enabled = Vec::new();
    program.initial(&mut successors);
    let missing = ReplayError::NoInitial(schedule.initial);
    let (mut state, mut failure) =
        take(&successors, schedule.initial, None, None, &mut watch).ok_or(missing)?;
    for (index, step) in schedule.steps.iter().enumerate() {
        if let Some(failure) = failure {
            return Err(ReplayError::FailsEarly(index, failure));
        }
        enabled.clear();
        program.enabled(&state, &mut enabled);
        if !enabled.contains(&step.task) {
            return Err(ReplayError::NotEnabled(index, step.task));
        }
        program.resume(&state, step.task, &step.choices, &mut successors);
        // A complete path has one outcome.
        let taken = take(&successors, 0, Some(StepAt { index, step }), Some(&state), &mut watch);
        (state, failure) = taken.ok_or(ReplayError::NoOutcome(index))?;
    }
    enabled.clear();
    program.enabled(&state, &mut enabled);
    if failure.is_none() && enabled.is_empty() {
        failure = program.deadlock(&state);
    }
    Ok(Replayed { state, failure })
}

/// Takes one outcome, and shows it to `watch`.
fn take<S: Clone>(
    successors: &Successors<S>,
    choice: u32,
    step: Option<StepAt<'_>>,
    before: Option<&S>,
    watch: &mut impl FnMut(&Moment<'_, S>),
) -> Option<(S, Option<Failure>)> {
    let outcome = successors.outcomes.get(choice as usize)?;
    // Replay suppresses no duplicates, so each outcome has its state.
    let state = successors.states.get(choice as usize)?;
    watch(&Moment {
        step,
        before: before.unwrap_or(state),
        after: state,
        events: successors.events_of(choice as usize),
        turn: outcome.turn,
        hot: outcome.hot,
        cold: outcome.cold,
        failure: outcome.failure(),
    });
    Some((state.clone(), outcome.failure().cloned()))
}

/// Replays a schedule, and confirms that the policy proposes each step at the cost that the schedule gives.
pub fn replay_under<P: Program, O: Policy>(
    program: &P,
    policy: &O,
    schedule: &Schedule,
) -> Result<Replayed<P::State>, ReplayError> {
    let mut follower = Follower::new(policy);
    let replayed = replay(program, schedule, |moment| {
        follower.step(program, moment);
    })?;
    follower.refused.map_or(Ok(replayed), Err)
}

/// Runs a policy alongside a replay, and checks that it proposes each step at the cost that the schedule gives.
pub(crate) struct Follower<'a, O: Policy> {
    policy: &'a O,
    place: O::SchedulerState,
    enabled: Vec<TaskId>,
    delayed: Vec<TaskId>,
    /// The first step that the policy does not propose.
    pub(crate) refused: Option<ReplayError>,
}

impl<'a, O: Policy> Follower<'a, O> {
    pub(crate) fn new(policy: &'a O) -> Self {
        let place = policy.start();
        Follower { policy, place, enabled: Vec::new(), delayed: Vec::new(), refused: None }
    }

    /// Follows a step. Returns the tasks that the policy proposed before the one that ran, and that were delayed.
    pub(crate) fn step<P: Program>(&mut self, program: &P, moment: &Moment<'_, P::State>) -> &[TaskId] {
        self.delayed.clear();
        if let Some(StepAt { index, step }) = moment.step {
            self.enabled.clear();
            program.enabled(moment.before, &mut self.enabled);
            let hash = program.fingerprint(moment.before).low();
            let point = Point { ready: Ready::at(&self.enabled, hash), exact: true };
            let cost = step.cost.saturating_sub(self.policy.step_cost());
            match passed_over(self.policy, &mut self.place, &point, step.task, cost) {
                Some(tasks) => self.delayed = tasks,
                None => {
                    self.refused.get_or_insert(ReplayError::NotProposed(index, step.task, step.cost));
                }
            }
        }
        let task = moment.step.map(|at| at.step.task);
        let (events, turn, sight) = (moment.events, moment.turn, moment.sight(program));
        let happened = Happened { task, events, turn, sight: Some(&sight) };
        self.place = self.policy.after(&self.place, &happened);
        &self.delayed
    }
}

/// Advances the policy to the proposal of this task at exactly this cost. Returns the tasks that were passed over at a
/// cost, or `None` if there is no such proposal.
fn passed_over<O: Policy>(
    policy: &O,
    place: &mut O::SchedulerState,
    point: &Point<'_>,
    task: TaskId,
    cost: u32,
) -> Option<Vec<TaskId>> {
    let (mut cursor, mut spent) = (O::Cursor::default(), 0);
    let mut before = Vec::new();
    while spent <= cost {
        let proposal = policy.propose(place, &mut cursor, point);
        if proposal == Proposal::Run(task) && spent == cost {
            return Some(before);
        }
        let more = policy.advance(place, &mut cursor, point)?;
        if let Proposal::Run(other) = proposal
            && more > 0
        {
            before.push(other);
        }
        spent += more;
    }
    None
}
