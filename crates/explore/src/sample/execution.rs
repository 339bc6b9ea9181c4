//! One execution of a program, step by step, beside a delaying scheduler.
//!
//! The scheduler fixes the order of tasks while the program is sealed, and a failing execution is expressed
//! by its delays. It must propose every enabled task after finitely many delays.

use dally_schedule::sample::TaskSampler;
use dally_schedule::{DelayingScheduler, Ready, Scheduler, SchedulerName, Sealable, TaskId, Why};
use smallvec::SmallVec;

use crate::policy::{Happened, Listener};
use crate::sight::{Between, Sight};
use crate::successors::{Event, Special, Turn};
use crate::{Drawn, Failure, Fingerprint, Program, Successors};

/// The end of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// No task is enabled, and that is no deadlock.
    Terminated,
    /// The number of steps reached its limit.
    CutOff,
    /// No path of the step satisfies its assumptions, or too few do for one to be drawn; or the user
    /// excludes the state.
    Discarded,
    Failed(Failure),
}

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) task: TaskId,
    /// The tasks that were delayed before it.
    pub(crate) delayed: SmallVec<[TaskId; 2]>,
    pub(crate) drawn: SmallVec<[Drawn; 2]>,
}

/// An execution.
pub(crate) struct Execution<'p, P: Program> {
    program: &'p P,
    empty: Scheduler,
    scheduler: Sealable<Scheduler>,
    state: Option<P::State>,
    enabled: Vec<TaskId>,
    out: Successors<P::State>,
    /// The task that the scheduler has proposed at this point.
    proposed: Option<TaskId>,
    delayed: SmallVec<[TaskId; 2]>,
    pub(crate) initial: u32,
    pub(crate) steps: Vec<Taken>,
}

/// The scheduler and the sampler of an execution, which both see what happens.
struct Both<'a, 's> {
    scheduler: &'a mut Sealable<Scheduler>,
    sampler: Option<&'a mut (dyn TaskSampler + 's)>,
}

impl Listener for Both<'_, '_> {
    fn gets(&mut self, task: TaskId, why: Why) {
        self.scheduler.give(task, why);
        if let Some(sampler) = &mut self.sampler {
            sampler.give(task, why);
        }
    }

    fn completes(&mut self, task: TaskId) {
        self.scheduler.complete(task);
        if let Some(sampler) = &mut self.sampler {
            sampler.complete(task);
        }
    }

    fn seals(&mut self, sealed: bool) {
        self.scheduler.seal(sealed);
    }
}

impl<'p, P: Program> Execution<'p, P> {
    pub(crate) fn new(program: &'p P, scheduler: &SchedulerName) -> Self {
        let empty = scheduler.build();
        Execution {
            program,
            scheduler: Sealable::new(empty.clone()),
            empty,
            state: None,
            enabled: Vec::new(),
            out: Successors::default(),
            proposed: None,
            delayed: SmallVec::new(),
            initial: 0,
            steps: Vec::new(),
        }
    }

    /// Begins at an initial state, which `choose` selects by its index.
    pub(crate) fn begin(
        &mut self,
        choose: impl FnOnce(u64) -> u64,
        sampler: Option<&mut dyn TaskSampler>,
    ) -> Option<End> {
        self.scheduler = Sealable::new(self.empty.clone());
        self.steps.clear();
        self.out.clear();
        self.program.initial(&mut self.out);
        let options = self.out.len() as u64;
        self.initial = if options > 1 { (choose(options) % options) as u32 } else { 0 };
        self.out.keep(self.initial as usize);
        self.arrive(None, sampler)
    }

    /// The enabled tasks at this point, and a hash of the state for schedulers whose order depends on it.
    pub(crate) fn ready(&self) -> Ready<'_> {
        let state = self.state.as_ref();
        Ready::at(&self.enabled, state.map_or(0, |state| self.program.fingerprint(state).low()))
    }

    /// Returns true if the scheduler fixes the next task: its proposal cannot be delayed.
    pub(crate) fn is_sealed(&mut self) -> bool {
        !self.scheduler.can_delay() || self.is_proposal_sealed()
    }

    /// Returns true if the scheduler itself forbids to delay its proposal.
    fn is_proposal_sealed(&mut self) -> bool {
        self.scheduler.looks() && self.proposal().is_some_and(|task| self.scheduler.seals(task))
    }

    /// Returns true if the scheduler may propose another task.
    pub(crate) fn can_choose(&mut self) -> bool {
        self.enabled.len() > 1 && !self.is_sealed()
    }

    /// The cost of delaying these tasks.
    pub(crate) fn cost_of_delays(&self, tasks: &[TaskId]) -> u32 {
        tasks.iter().map(|task| self.scheduler.cost_of_delay(*task)).sum()
    }

    /// The number of enabled tasks.
    pub(crate) fn enabled(&self) -> usize {
        self.enabled.len()
    }

    /// The enabled tasks.
    pub(crate) fn tasks(&self) -> &[TaskId] {
        &self.enabled
    }

    pub(crate) fn program(&self) -> &'p P {
        self.program
    }

    /// The events of the last step.
    pub(crate) fn events(&self) -> &[Event] {
        &self.out.events
    }

    pub(crate) fn state(&self) -> Option<&P::State> {
        self.state.as_ref()
    }

    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.state.as_ref().map(|state| self.program.fingerprint(state))
    }

    /// The task that the scheduler proposes, after the delays so far.
    pub(crate) fn proposal(&mut self) -> Option<TaskId> {
        if self.proposed.is_none() {
            let state = self.state.as_ref();
            let hash = state.map_or(0, |state| self.program.fingerprint(state).low());
            self.proposed = self.scheduler.take(&Ready::at(&self.enabled, hash));
        }
        self.proposed
    }

    /// True if the proposed task was already delayed at this point. Searches and replays look at the first
    /// proposal of each task only.
    pub(crate) fn proposes_again(&self) -> bool {
        self.proposed.is_some_and(|task| self.delayed.contains(&task))
    }

    /// Delays the proposed task.
    pub(crate) fn delay(&mut self) {
        if let Some(task) = self.proposed.take() {
            self.scheduler.delay(task);
            self.delayed.push(task);
        }
    }

    /// Delays the scheduler until it proposes this enabled task. Returns false if it does not.
    pub(crate) fn delay_until(&mut self, task: TaskId) -> bool {
        for _ in 0..=self.scheduler.patience().saturating_mul(2) {
            match self.proposal() {
                Some(proposed) if proposed == task => return true,
                Some(_) if !self.is_sealed() => self.delay(),
                _ => return false,
            }
        }
        false
    }

    /// Runs the proposed task, which is enabled. Returns the end of the execution, if it ends.
    pub(crate) fn step(
        &mut self,
        choose: &mut dyn FnMut(u64) -> u64,
        sampler: Option<&mut dyn TaskSampler>,
    ) -> Option<End> {
        let (Some(state), Some(task)) = (&self.state, self.proposed.take()) else {
            return Some(End::Discarded);
        };
        let drawn = self.program.draw(state, task, choose, &mut self.out);
        self.steps.push(Taken { task, delayed: std::mem::take(&mut self.delayed), drawn });
        self.arrive(Some(task), sampler)
    }

    /// Moves on to the outcome of a step, or to the initial state.
    fn arrive(&mut self, task: Option<TaskId>, sampler: Option<&mut dyn TaskSampler>) -> Option<End> {
        let Some(outcome) = self.out.outcomes.pop() else { return Some(End::Discarded) };
        if let Some(Special::Failure(failure)) = outcome.special.map(|special| *special) {
            return Some(End::Failed(failure));
        }
        let before = std::mem::replace(&mut self.state, self.out.states.pop());
        let turn: Turn = outcome.turn;
        let before = before.as_ref().filter(|_| task.is_some());
        let sight = self.state.as_ref().map(|after| Between { program: self.program, before, after });
        let sight = sight.as_ref().map(|sight| sight as &dyn Sight);
        let happened = Happened { task, events: &self.out.events, turn, sight };
        happened.tell(&mut Both { scheduler: &mut self.scheduler, sampler });
        happened.show(&mut self.scheduler);
        self.proposed = None;
        self.delayed.clear();
        self.enabled.clear();
        let state = self.state.as_ref()?;
        if self.program.is_excluded(state) {
            return Some(End::Discarded);
        }
        self.program.enabled(state, &mut self.enabled);
        if self.enabled.is_empty() {
            return Some(self.program.deadlock(state).map_or(End::Terminated, End::Failed));
        }
        None
    }
}
