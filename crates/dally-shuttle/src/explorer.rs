//! The search as a scheduler of shuttle.

use std::cell::RefCell;
use std::rc::Rc;

use shuttle::scheduler::{Scheduler, Task, TaskId};

use crate::end::{End, Watch};
use crate::locate::Capture;
use crate::policy::Point;
use crate::search::{QUANTUM, Search};
use crate::shrink::Plan;
use crate::{Config, Deviations, Strategy, TestReport, Values};

/// A systematic search, as a shuttle `Scheduler`: it enumerates all executions without a delay, then all with
/// one, and so on, each exactly once, until a limit is reached or all are covered.
///
/// [`check`](crate::check()) and related functions use it, and diagnose failures. Use it directly with your own
/// `shuttle::Runner`, whose limits hold as well: executions that the runner cuts off are counted. A clone is
/// a handle to the same search, for its [report](Explorer::report) at any time.
///
/// ```
/// use dally_shuttle::{Config, Explorer, Strategy, Verdict};
/// use shuttle::{Runner, thread};
///
/// let config = Config { strategies: vec![Strategy::default()], ..Config::default() };
/// let explorer = Explorer::new(&config);
/// let runner = Runner::new(explorer.clone(), shuttle::Config::default());
/// let executions = runner.run(|| {
///     thread::spawn(thread::yield_now);
/// });
/// let report = explorer.report();
/// assert_eq!(report.verdict, Verdict::Proved);
/// assert_eq!(report.coverage.schedules, executions as u64);
/// ```
pub struct Explorer {
    search: Rc<RefCell<Search>>,
    /// True if an execution was begun through this handle.
    begun: bool,
    /// True if the runner with this handle does not cut executions off.
    unlimited: bool,
}

impl Explorer {
    /// A search with this configuration. Its time limit starts now.
    pub fn new(config: &Config) -> Self {
        let explorer = Self::for_own_runner(config);
        explorer.search.borrow_mut().watch = Some(Watch::default());
        explorer
    }

    fn of(search: Search) -> Self {
        Self { search: Rc::new(RefCell::new(search)), begun: false, unlimited: false }
    }

    /// A search for a runner with the limits of this configuration.
    pub(crate) fn for_own_runner(config: &Config) -> Self {
        Self::of(Search::new(config, &config.strategies))
    }

    /// Repeats some executions at the end, so that a program that is not deterministic is not called proved.
    pub(crate) fn repeating(self) -> Self {
        self.search.borrow_mut().repeat_some();
        self
    }

    /// A search of a single execution.
    pub(crate) fn replaying(
        config: &Config,
        strategy: &Strategy,
        schedule: &Deviations,
        capture: Capture,
    ) -> Self {
        let config =
            Config { values: schedule.values, schedules: None, samplers: Vec::new(), ..config.clone() };
        let mut search = Search::of_one(&config, strategy, schedule.branches.clone());
        search.capture = Some(capture);
        Self::of(search)
    }

    /// A search of the single execution that follows a plan.
    pub(crate) fn planned(config: &Config, values: Values, plan: Plan) -> Self {
        let config = Config { values, schedules: None, samplers: Vec::new(), ..config.clone() };
        Self::of(Search::planned(&config, plan))
    }

    /// The report, at the end or so far. It contains no failures, which the runner reports, and does not know of
    /// executions that a wrapping scheduler ended early.
    pub fn report(&self) -> TestReport {
        self.search.borrow().report()
    }

    /// Inspects the search, unless it is borrowed.
    pub(crate) fn inspect<T>(&self, look: impl FnOnce(&Search) -> T) -> Option<T> {
        self.search.try_borrow().ok().map(|search| look(&search))
    }

    /// The locations that were captured.
    pub(crate) fn into_capture(self) -> Option<Capture> {
        self.search.borrow_mut().capture.take()
    }
}

impl std::fmt::Debug for Explorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explorer").finish_non_exhaustive()
    }
}

impl Clone for Explorer {
    fn clone(&self) -> Self {
        Self { search: Rc::clone(&self.search), begun: false, unlimited: false }
    }
}

impl Scheduler for Explorer {
    fn new_execution(&mut self) -> Option<shuttle::scheduler::Schedule> {
        crate::hook::begin_execution();
        let mut search = self.search.borrow_mut();
        // A handle has one runner, and a runner one limit.
        self.unlimited |= std::mem::replace(&mut self.begun, true) && search.ended() == Some(End::Unlimited);
        search.new_execution()
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let mut search = self.search.borrow_mut();
        let (step, history) = (search.run.trace.len(), search.run.history());
        let yielding = yielding || search.run.has_used_quantum(QUANTUM);
        let point = Point { tasks, current, yielding, step, history };
        if step >= search.next_look && !search.look(&point, self.unlimited) {
            return None;
        }
        search.next_task(&point)
    }

    fn next_u64(&mut self) -> u64 {
        self.search.borrow_mut().next_value()
    }
}
