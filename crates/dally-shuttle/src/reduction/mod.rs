//! Dynamic partial-order reduction: at least one execution of each trace, and few more.
//!
//! The search runs an execution, computes the races between its steps, and for each race an execution in which the
//! second step comes first is run later: at the node before the first step, a task is added to those to be run there
//! (source sets), unless one that leads to the reversal is already among them. Sleep sets prevent that a trace is run
//! again: a task whose step was run from a node sleeps in the executions of the other tasks from there, until a step
//! conflicts with its own. Stateless, with backtracking over the prefix of the last execution.
//!
//! - \[FG05\] Flanagan, Godefroid: Dynamic partial-order reduction for model checking software. POPL 2005
//! - \[AAJS14\] Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction. POPL 2014, Algorithm 1
//!
//! Deviations from \[AAJS14\]:
//! 1. Races are computed at the end of an execution, for its new events.
//! 2. Steps may disable others: locks, and condition variables with one notification for several waiters. A task that is
//!    disabled by the step of another one is added to the tasks at the node before that step, as in \[FG05\]: a
//!    safeguard, of which no test has shown that it is needed. Races of locks are computed as [`events`] says.
//! 3. A step whose accesses are unknown conflicts with every other.
//! 4. Footprints of sleeping steps are those of an earlier execution. Objects that were new at its node are numbered in
//!    the order of their first access, which may differ: all of them count as one.
//! 5. Threads may share data in ways that cannot be seen. So at the end, random executions are compared: each must
//!    be of a trace that was run. Otherwise the search is not complete, and says so.

mod events;
#[cfg(test)]
mod tests;

use dally_schedule::sample::Generator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::operations::{self, Footprint, Kind, Object};
use events::{Event, Order, Race, covers, fingerprint};

/// The number of random executions that are compared at the end.
pub(crate) const COMPARED: u32 = 32;

/// Executions with more steps are too long: the search ends.
const MOST_EVENTS: usize = 20_000;

/// A task that has taken this many steps without a switch lets others run: it may wait for them in a loop.
const QUANTUM: u32 = 50;

/// A dependency that is left out, to show that tests detect it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// None.
    None,
    /// Atomic accesses do not conflict.
    #[cfg(test)]
    Accesses,
    /// Locks are in no race.
    #[cfg(test)]
    Locks,
    /// Sleeping tasks are never woken.
    #[cfg(test)]
    Wakeups,
    /// Steps that are unknown conflict with nothing.
    #[cfg(test)]
    Unknown,
    /// The second of two racing events is taken to be an initial one always.
    #[cfg(test)]
    Initials,
}

/// A step that was run from a node.
#[derive(Clone, Debug)]
struct Sleeper {
    task: usize,
    footprint: Footprint,
    /// The first number of an object that was new at that node.
    fresh: Object,
}

impl Sleeper {
    fn is_woken_by(&self, footprint: &Footprint) -> bool {
        let is_new = |footprint: &Footprint| {
            footprint.accesses.iter().any(|it| is_program(it.object) && it.object >= self.fresh)
        };
        self.footprint.conflicts(footprint) || is_new(&self.footprint) && is_new(footprint)
    }
}

/// True if an object belongs to the program.
fn is_program(object: Object) -> bool {
    object < 1 << 48
}

/// A scheduling point of the current execution.
#[derive(Debug, Default)]
struct Node {
    /// The enabled tasks, ascending.
    enabled: Vec<usize>,
    /// The task that runs.
    task: usize,
    /// The tasks that need not be run here.
    sleep: Vec<Sleeper>,
    /// The tasks to be run here.
    backtrack: Vec<usize>,
    /// The tasks that were run here before.
    done: Vec<Sleeper>,
    fresh: Object,
}

impl Node {
    fn is_asleep(&self, task: usize) -> bool {
        self.sleep.iter().chain(&self.done).any(|sleeper| sleeper.task == task)
    }

    /// Requests that a task is run here.
    fn request(&mut self, task: usize) {
        if !self.backtrack.contains(&task) {
            self.backtrack.push(task);
        }
    }

    /// The next task to be run here.
    fn next(&self) -> Option<usize> {
        self.backtrack.iter().copied().find(|task| !self.is_asleep(*task))
    }
}

/// The state of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Exploring,
    /// All traces were run; this many random executions are left to be compared.
    Comparing(u32),
    Done,
    /// An execution differs from the one whose beginning it repeats.
    Unrepeatable,
    /// Given up: a reason for the user.
    Failed(&'static str),
}

/// The tasks that hold a lock.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    exclusive: bool,
    shared: u32,
}

/// A task at a scheduling point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) task: usize,
    /// False if only a spurious wake-up lets it run.
    pub(crate) runnable: bool,
}

/// The search.
#[derive(Debug)]
pub(crate) struct Reduction {
    stage: Stage,
    #[cfg_attr(not(test), allow(dead_code, reason = "only tests mutate the search"))]
    mutation: Mutation,
    nodes: Vec<Node>,
    events: Vec<Event>,
    /// The number of nodes that the current execution takes over from the last one.
    prefix: usize,
    /// The current execution: locks, the enabled tasks before the last step, when tasks were enabled, consecutive steps of a task.
    held: FxHashMap<Object, Holders>,
    enabled: Vec<usize>,
    since: Vec<(Option<usize>, bool)>,
    streak: u32,
    stopped: bool,
    running: bool,
    random: Generator,
    seen: FxHashSet<u64>,
    /// True if some operation was announced.
    informed: bool,
}

impl Default for Reduction {
    fn default() -> Self {
        Self::mutated(Mutation::None)
    }
}

impl Reduction {
    pub(crate) fn mutated(mutation: Mutation) -> Self {
        Self {
            stage: Stage::Exploring,
            mutation,
            nodes: Vec::new(),
            events: Vec::new(),
            prefix: 0,
            held: FxHashMap::default(),
            enabled: Vec::new(),
            since: Vec::new(),
            streak: 0,
            stopped: false,
            running: false,
            random: Generator::new(0, 0),
            seen: FxHashSet::default(),
            informed: false,
        }
    }

    /// True if all traces were run.
    pub(crate) fn is_complete(&self) -> bool {
        self.stage == Stage::Done
    }

    /// True if there is another execution.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(self.stage, Stage::Exploring | Stage::Comparing(_))
    }

    /// True if the next execution is a random one, to be compared.
    pub(crate) fn compares(&self) -> bool {
        matches!(self.stage, Stage::Comparing(_))
    }

    /// True if an execution differs from the one whose beginning it repeats.
    pub(crate) fn is_unrepeatable(&self) -> bool {
        self.stage == Stage::Unrepeatable
    }

    /// The reason why the search was given up.
    pub(crate) fn failure(&self) -> Option<&'static str> {
        if let Stage::Failed(reason) = self.stage { Some(reason) } else { None }
    }

    /// True if the current execution was stopped, since another one has shown its trace.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// Begins an execution.
    pub(crate) fn begin(&mut self) {
        if let Stage::Comparing(left) = self.stage {
            self.random = Generator::new(0, u64::from(left));
        }
        self.events.clear();
        self.held.clear();
        self.enabled.clear();
        self.since.clear();
        (self.streak, self.stopped, self.running) = (0, false, true);
    }

    /// The next task; `None` if the execution shows nothing new.
    pub(crate) fn next_task(
        &mut self,
        tasks: &[Candidate],
        current: Option<usize>,
        yields: bool,
    ) -> Option<usize> {
        let gone = current.is_some_and(|current| tasks.iter().all(|it| it.task != current));
        if current.is_some() {
            let mut footprint = Footprint::default();
            operations::end_step(&mut footprint, gone);
            self.stepped(footprint);
        }
        let enabled: Vec<usize> =
            tasks.iter().filter(|it| !self.waits_for_lock(it.task)).map(|it| it.task).collect();
        self.note_enabled(&enabled);
        let depth = self.events.len();
        if depth >= MOST_EVENTS {
            self.stage = Stage::Failed("an execution is too long for `dpor`");
        }
        let task = match self.stage {
            // Shuttle reports the deadlock.
            _ if enabled.is_empty() => tasks[0].task,
            Stage::Exploring if depth < self.prefix && self.nodes[depth].enabled == enabled => {
                self.nodes[depth].task
            }
            Stage::Exploring if depth < self.prefix => {
                (self.stage, self.stopped) = (Stage::Unrepeatable, true);
                return None;
            }
            Stage::Exploring => self.first_task(&enabled, tasks, current, yields)?,
            _ => enabled[self.random.below(enabled.len() as u64) as usize],
        };
        self.streak = if Some(task) == current { self.streak + 1 } else { 0 };
        let (enabled_by, caused) = self.since.get(task).copied().unwrap_or_default();
        self.events.push(Event { task, footprint: Footprint::default(), enabled_by, caused });
        self.enabled = enabled;
        operations::begin_step(task);
        Some(task)
    }

    /// The last step had these accesses.
    fn stepped(&mut self, mut footprint: Footprint) {
        #[cfg(test)]
        match self.mutation {
            Mutation::Accesses => {
                footprint
                    .accesses
                    .retain(|it| !matches!(it.kind, Kind::Read | Kind::Write) || !is_program(it.object));
            }
            Mutation::Unknown => footprint.unknown = false,
            _ => {}
        }
        for access in &footprint.accesses {
            let holders = self.held.entry(access.object).or_default();
            match access.kind {
                Kind::Acquire | Kind::Taken => holders.exclusive = true,
                Kind::Release => holders.exclusive = false,
                Kind::AcquireShared | Kind::TakenShared => holders.shared += 1,
                Kind::ReleaseShared => holders.shared = holders.shared.saturating_sub(1),
                Kind::Read | Kind::Write => {}
            }
        }
        if let Some(event) = self.events.last_mut() {
            footprint.accesses.shrink_to_fit();
            event.footprint = footprint;
        }
    }

    /// True if the next step of a task acquires a lock that is not free.
    fn waits_for_lock(&self, task: usize) -> bool {
        operations::pending(task).accesses.iter().any(|access| {
            let holders = self.held.get(&access.object).copied().unwrap_or_default();
            match access.kind {
                Kind::Acquire => holders.exclusive || holders.shared > 0,
                Kind::AcquireShared => holders.exclusive,
                _ => false,
            }
        })
    }

    /// Notes which tasks the last step has enabled and disabled.
    fn note_enabled(&mut self, enabled: &[usize]) {
        let Some(last) = self.events.len().checked_sub(1) else { return };
        for task in enabled {
            if self.since.len() <= *task {
                self.since.resize(*task + 1, (None, false));
            }
            if *task == self.events[last].task {
                self.since[*task] = (None, false);
            } else if !self.enabled.contains(task) {
                let is_acquire = |kind| matches!(kind, Kind::Acquire | Kind::AcquireShared);
                let acquires = operations::pending(*task).accesses.iter().any(|it| is_acquire(it.kind));
                self.since[*task] = (Some(last), !acquires);
            }
        }
        if self.stage != Stage::Exploring {
            return;
        }
        for task in &self.enabled {
            if *task != self.events[last].task && !enabled.contains(task) {
                self.nodes.get_mut(last).into_iter().for_each(|node| node.request(*task));
            }
        }
    }

    /// The task of a new node: the current one, if it can go on.
    fn first_task(
        &mut self,
        enabled: &[usize],
        tasks: &[Candidate],
        current: Option<usize>,
        yields: bool,
    ) -> Option<usize> {
        let sleep = self.sleep_after_last();
        let awake = |task: &usize| sleep.iter().all(|sleeper| sleeper.task != *task);
        let willing = |task: &usize| tasks.iter().any(|it| it.task == *task && it.runnable);
        let goes_on = current.filter(|_| !yields && self.streak < QUANTUM);
        let goes_on = goes_on.filter(|task| enabled.contains(task) && willing(task) && awake(task));
        // In cyclic order, so that tasks that wait in loops do not starve the others.
        let later = |task: &&usize| Some(**task) > current;
        let cyclic = || enabled.iter().filter(later).chain(enabled.iter().filter(|task| !later(task)));
        let chosen = goes_on
            .or_else(|| cyclic().copied().find(|task| willing(task) && awake(task)))
            .or_else(|| cyclic().copied().find(awake));
        let Some(task) = chosen else {
            self.stopped = true;
            return None;
        };
        let fresh = operations::next_object();
        let enabled = enabled.to_vec();
        self.nodes.push(Node { enabled, task, sleep, backtrack: vec![task], done: Vec::new(), fresh });
        Some(task)
    }

    /// The tasks that sleep after the last step.
    fn sleep_after_last(&self) -> Vec<Sleeper> {
        let (Some(node), Some(event)) = (self.nodes.last(), self.events.last()) else { return Vec::new() };
        let stays = |it: &&Sleeper| {
            it.task != event.task && (self.never_wakes() || !it.is_woken_by(&event.footprint))
        };
        node.sleep.iter().chain(&node.done).filter(stays).cloned().collect()
    }

    /// The current execution has ended without a failure.
    pub(crate) fn end(&mut self) {
        if !std::mem::take(&mut self.running) {
            return;
        }
        if !self.stopped {
            let mut footprint = Footprint::default();
            operations::end_execution(&mut footprint);
            self.stepped(footprint);
        }
        self.informed |= operations::announced() > 0;
        match self.stage {
            Stage::Exploring if !self.informed => {
                self.stage = Stage::Failed("the test uses no type of `dally_shuttle::sync`");
            }
            Stage::Exploring => {
                if !self.stopped {
                    self.seen.insert(fingerprint(&self.events));
                }
                self.analyse();
                self.advance();
            }
            Stage::Comparing(_) if !self.seen.contains(&fingerprint(&self.events)) => {
                self.stage = Stage::Failed(
                    "threads share something that is not of `dally_shuttle::sync`: a random execution was not among \
                     those of `dpor`",
                );
            }
            Stage::Comparing(1) => self.stage = Stage::Done,
            Stage::Comparing(left) => self.stage = Stage::Comparing(left - 1),
            Stage::Done | Stage::Failed(_) | Stage::Unrepeatable => {}
        }
    }

    /// Requests the reversals of the races of the new events.
    fn analyse(&mut self) {
        let executed = self.events.len();
        if !self.stopped {
            // Steps that did not take place, since the execution has ended before, are in races as well.
            for task in operations::unfinished() {
                let footprint = operations::pending(task);
                self.events.push(Event { task, footprint, ..Event::default() });
            }
        }
        let new = self.prefix.saturating_sub(1);
        let mut order = Order::default();
        let mut races = Vec::new();
        for second in 0..self.events.len() {
            order.add(&self.events, |race| {
                if second >= new {
                    races.push(race);
                }
            });
        }
        for race in races {
            if race.first < executed {
                self.reverse(&order, &race);
            }
        }
        self.events.truncate(executed);
    }

    /// Requests an execution in which the second event of a race does not happen after the first one.
    fn reverse(&mut self, order: &Order, race: &Race) {
        if self.skips(race) {
            return;
        }
        let Race { first, second, before_second } = race;
        let (first, second) = (*first, *second);
        let (of_first, number) = (self.events[first].task, order.numbers[first]);
        // The first event of each task among those that do not happen after the first event of the race.
        let mut heads: Vec<(usize, u32, &events::Clock)> = Vec::new();
        for event in first + 1..=second {
            let task = self.events[event].task;
            let clock = if event == second { before_second } else { &order.clocks[event] };
            if !covers(clock, of_first, number) && heads.iter().all(|head| head.0 != task) {
                heads.push((task, order.numbers[event], clock));
            }
        }
        let is_initial = |head: &&(usize, u32, &events::Clock)| {
            heads.iter().all(|other| other.0 == head.0 || !covers(head.2, other.0, other.1))
        };
        let mut initials: Vec<usize> = heads.iter().filter(is_initial).map(|head| head.0).collect();
        if self.takes_second() {
            initials = vec![self.events[second].task];
        }
        let node = &mut self.nodes[first];
        if initials.iter().any(|task| node.backtrack.contains(task) || node.is_asleep(*task)) {
            return;
        }
        let preferred = self.events[second].task;
        let enabled = |task: &usize| node.enabled.contains(task);
        if let Some(task) = initials.iter().copied().filter(enabled).max_by_key(|task| *task == preferred) {
            node.request(task);
        } else if !initials.contains(&preferred) {
            // Not expected: every initial step is enabled.
            for task in node.enabled.clone() {
                node.request(task);
            }
        }
    }

    /// Selects the next execution.
    fn advance(&mut self) {
        while let Some(mut node) = self.nodes.pop() {
            let depth = self.nodes.len();
            if let Some(event) = self.events.get(depth) {
                let footprint = event.footprint.clone();
                node.done.push(Sleeper { task: node.task, footprint, fresh: node.fresh });
            }
            if let Some(task) = node.next() {
                node.task = task;
                self.nodes.push(node);
                self.prefix = depth + 1;
                return;
            }
        }
        self.prefix = 0;
        self.stage = Stage::Comparing(COMPARED);
    }

    fn never_wakes(&self) -> bool {
        #[cfg(test)]
        return self.mutation == Mutation::Wakeups;
        #[cfg(not(test))]
        false
    }

    fn takes_second(&self) -> bool {
        #[cfg(test)]
        return self.mutation == Mutation::Initials;
        #[cfg(not(test))]
        false
    }

    /// True if a race is left out.
    fn skips(&self, race: &Race) -> bool {
        #[cfg(test)]
        {
            let second = &self.events[race.second].footprint.accesses;
            let locks = second.iter().any(|it| matches!(it.kind, Kind::Acquire | Kind::AcquireShared));
            self.mutation == Mutation::Locks && locks
        }
        #[cfg(not(test))]
        {
            let _ = race;
            false
        }
    }
}
