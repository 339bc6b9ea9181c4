//! Small asynchronous programs for tests: tasks that post, yield, wait, choose and assert over a
//! few globals; a generator of random programs; and a reference that enumerates executions one by
//! one.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use dally_explore::policy::{Happened, Point, Policy, Proposal};
use dally_explore::{
    Event, Failure, Names, Program, Schedule, Seen, Sight, StateView, StrategyName, Successor, Successors,
    Symbol, TaskId, Turn,
};
use dally_schedule::Ready;
use dally_testing::arbitrary::{Result, Unstructured};

/// A statement of a task.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Set(usize, u8),
    Add(usize, u8),
    /// Sets a global to 0 or to 1.
    Choose(usize),
    Post(usize),
    Yield,
    /// Waits for the last task that this one has posted. Always a scheduling point.
    Wait,
    /// Blocks until the global has the value.
    Await(usize, u8),
    /// Discards the execution unless the global has the value.
    Assume(usize, u8),
    /// Fails if the global has the value.
    AssertNot(usize, u8),
    Seal,
    Unseal,
}

pub const GLOBALS: usize = 3;
pub type Globals = [u8; GLOBALS];

/// A program. The initial task runs the first procedure.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    pub procedures: Vec<Vec<Op>>,
}

/// A state by names: `p0` is the first procedure, and `g0` the first global.
struct Named<'a>(&'a State);

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let list = |letter: char| (0..8).map(|nth| format!("{letter}{nth}")).collect::<Vec<_>>();
    Names { tasks: list('p'), places: list('s'), variables: list('g'), events: Vec::new() }
});

impl StateView for Named<'_> {
    fn names(&self) -> &Names {
        &NAMES
    }

    fn tasks(&self) -> Vec<TaskId> {
        self.0.tasks.iter().map(|task| TaskId(task.id)).collect()
    }

    fn name(&self, task: TaskId) -> Option<Symbol> {
        let task = self.0.tasks.iter().find(|other| other.id == task.0)?;
        Some(Symbol(task.procedure as u32))
    }

    fn place(&self, task: TaskId) -> Option<Symbol> {
        let task = self.0.tasks.iter().find(|other| other.id == task.0)?;
        Some(Symbol(task.at.min(7) as u32))
    }

    fn variable(&self, variable: Symbol) -> Option<Seen> {
        self.0.globals.get(variable.index()).map(|value| Seen::Int(i64::from(*value)))
    }
}

/// The states around a step.
pub struct Around<'a> {
    pub program: &'a Tasks,
    pub before: Option<&'a State>,
    pub after: &'a State,
}

impl Sight for Around<'_> {
    fn before(&self) -> Option<Box<dyn StateView + '_>> {
        self.program.view(self.before?)
    }

    fn after(&self) -> Option<Box<dyn StateView + '_>> {
        self.program.view(self.after)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub globals: Globals,
    pub tasks: Vec<Task>,
    next: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Task {
    id: u32,
    procedure: usize,
    at: usize,
    /// True if the task has reached a scheduling point at the next statement.
    stopped: bool,
    child: Option<u32>,
}

impl Tasks {
    pub fn new(procedures: &[&[Op]]) -> Self {
        Self { procedures: procedures.iter().map(|ops| ops.to_vec()).collect() }
    }

    fn op(&self, task: &Task) -> Option<Op> {
        self.procedures[task.procedure].get(task.at).copied()
    }

    fn is_enabled(&self, state: &State, task: &Task) -> bool {
        match self.op(task) {
            Some(Op::Wait) => {
                task.child.is_none_or(|child| state.tasks.iter().all(|other| other.id != child))
            }
            Some(Op::Await(global, value)) => state.globals[global] == value,
            _ => true,
        }
    }

    /// Runs the task to its next scheduling point.
    fn run(&self, mut run: Run, out: &mut Successors<State>) {
        loop {
            let task = &mut run.state.tasks[run.me];
            let Some(op) = self.procedures[task.procedure].get(task.at).copied() else {
                run.state.tasks.remove(run.me);
                return run.finish(Turn::Completes, None, out);
            };
            let resumes = std::mem::take(&mut task.stopped);
            match op {
                Op::Wait | Op::Yield if !resumes => {
                    task.stopped = true;
                    let child = task.child.map(TaskId);
                    let turn = if matches!(op, Op::Wait) { Turn::Blocks(child) } else { Turn::Yields };
                    return run.finish(turn, None, out);
                }
                Op::Await(global, value) if run.state.globals[global] != value => {
                    return run.finish(Turn::Blocks(None), None, out);
                }
                Op::Assume(global, value) if run.state.globals[global] != value => return,
                Op::AssertNot(global, value) if run.state.globals[global] == value => {
                    let failure = Failure::assertion(format!("global {global} is {value}"));
                    return run.finish(Turn::Yields, Some(failure), out);
                }
                Op::Choose(global) => {
                    task.at += 1;
                    let mut other = run.clone();
                    run.state.globals[global] = 0;
                    other.state.globals[global] = 1;
                    self.run(run, out);
                    return self.run(other, out);
                }
                Op::Set(global, value) => run.state.globals[global] = value,
                Op::Add(global, value) => run.state.globals[global] = (run.state.globals[global] + value) % 8,
                Op::Post(procedure) => run.post(procedure),
                Op::Seal => run.events.push(Event::Sealed),
                Op::Unseal => run.events.push(Event::Unsealed),
                Op::Wait | Op::Yield | Op::Await(..) | Op::Assume(..) | Op::AssertNot(..) => {}
            }
            run.state.tasks[run.me].at += 1;
        }
    }
}

/// A step that is being executed.
#[derive(Clone)]
struct Run {
    state: State,
    me: usize,
    events: Vec<Event>,
}

impl Run {
    fn post(&mut self, procedure: usize) {
        let id = self.state.next;
        self.state.next += 1;
        self.state.tasks[self.me].child = Some(id);
        self.state.tasks.push(Task { id, procedure, at: 0, stopped: false, child: None });
        self.events.push(Event::Posted(TaskId(id), dally_explore::Post::default()));
    }

    fn finish(self, turn: Turn, failure: Option<Failure>, out: &mut Successors<State>) {
        let successor = self.events.into_iter().fold(out.push(self.state), Successor::event).stops(turn);
        if let Some(failure) = failure {
            successor.fails(failure);
        }
    }
}

impl Program for Tasks {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        let main = Task { id: 0, procedure: 0, at: 0, stopped: false, child: None };
        out.push(State { tasks: vec![main], next: 1, ..State::default() }).posts(TaskId(0));
    }

    fn view<'a>(&'a self, state: &'a State) -> Option<Box<dyn StateView + 'a>> {
        Some(Box::new(Named(state)))
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        tasks.extend(
            state.tasks.iter().filter(|task| self.is_enabled(state, task)).map(|task| TaskId(task.id)),
        );
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let me = state.tasks.iter().position(|other| other.id == task.0).expect("an enabled task");
        self.run(Run { state: state.clone(), me, events: vec![] }, out);
    }

    fn deadlock(&self, state: &State) -> Option<Failure> {
        (!state.tasks.is_empty()).then(|| Failure::deadlock(format!("{} tasks wait", state.tasks.len())))
    }
}

/// A random program. A procedure posts only later ones, so that every execution terminates.
pub fn random_program(u: &mut Unstructured<'_>, awaits: bool) -> Result<Tasks> {
    let count = u.int_in_range(2..=4)?;
    let mut procedures = Vec::new();
    for nth in 0..count {
        let mut ops = Vec::new();
        if nth == 0 {
            ops.extend([Op::Post(1), Op::Post(u.int_in_range(1..=count - 1)?)]);
        }
        for _ in 0..u.int_in_range(1..=4)? {
            ops.push(random_op(u, nth, count, awaits)?);
        }
        procedures.push(ops);
    }
    while instances(&procedures, 0) > MAX_TASKS {
        let last = procedures.iter_mut().flatten().rev().find(|op| matches!(op, Op::Post(_)));
        *last.expect("one task posts no other") = Op::Add(0, 1);
    }
    Ok(Tasks { procedures })
}

/// The most tasks of a random program: its executions are enumerated one by one.
const MAX_TASKS: usize = 5;

/// The number of tasks that a task creates, itself included.
fn instances(procedures: &[Vec<Op>], procedure: usize) -> usize {
    let posts = procedures[procedure].iter().map(|op| match op {
        Op::Post(other) => instances(procedures, *other),
        _ => 0,
    });
    1 + posts.sum::<usize>()
}

fn random_op(u: &mut Unstructured<'_>, nth: usize, count: usize, awaits: bool) -> Result<Op> {
    let global = u.int_in_range(0..=GLOBALS - 1)?;
    let value = u.int_in_range(0..=3)?;
    Ok(match u.int_in_range(0..=10)? {
        0 => Op::Set(global, value),
        1 | 2 => Op::Add(global, value.max(1)),
        3 => Op::Choose(global),
        4 if nth + 1 < count => Op::Post(u.int_in_range(nth + 1..=count - 1)?),
        5..=7 => Op::Yield,
        8 => Op::Wait,
        9 if awaits => Op::Await(global, value),
        _ => Op::AssertNot(global, value + 4),
    })
}

/// The results of all executions within a bound.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reached {
    pub finals: BTreeSet<Globals>,
    pub fails: bool,
}

/// Enumerates all executions of cost at most `bound`, one by one.
pub fn enumerate<O: Policy>(program: &Tasks, policy: &O, bound: u32) -> Reached {
    let mut reached = Reached::default();
    let mut initial = Successors::default();
    program.initial(&mut initial);
    let state = State {
        tasks: vec![Task { id: 0, procedure: 0, at: 0, stopped: false, child: None }],
        next: 1,
        ..State::default()
    };
    let events = [Event::Posted(TaskId(0), dally_explore::Post::default())];
    let sight = Around { program, before: None, after: &state };
    let place = policy.after(
        &policy.start(),
        &Happened { task: None, events: &events, turn: Turn::Yields, sight: Some(&sight) },
    );
    walk(program, policy, &state, place, bound, &mut reached);
    reached
}

fn walk<O: Policy>(
    program: &Tasks,
    policy: &O,
    state: &State,
    mut place: O::SchedulerState,
    left: u32,
    reached: &mut Reached,
) {
    let mut enabled = Vec::new();
    program.enabled(state, &mut enabled);
    if enabled.is_empty() {
        if state.tasks.is_empty() {
            reached.finals.insert(state.globals);
        } else {
            reached.fails = true;
        }
        return;
    }
    let hash = program.fingerprint(state).low();
    let point = Point { ready: Ready::at(&enabled, hash), exact: true };
    let (mut cursor, mut spent) = (O::Cursor::default(), 0);
    while spent <= left {
        if let Proposal::Run(task) = policy.propose(&mut place, &mut cursor, &point) {
            for outcome in outcomes(program, state, task) {
                match outcome {
                    None => reached.fails = true,
                    Some((next, events, turn)) => {
                        let sight = Around { program, before: Some(state), after: &next };
                        let (task, sight) = (Some(task), Some(&sight as &dyn Sight));
                        let after = policy.after(&place, &Happened { task, events: &events, turn, sight });
                        if let Some(left) = (left - spent).checked_sub(policy.step_cost()) {
                            walk(program, policy, &next, after, left, reached);
                        }
                    }
                }
            }
        }
        match policy.advance(&mut place, &mut cursor, &point) {
            Some(more) => spent += more,
            None => break,
        }
    }
}

/// The outcomes of a step, obtained by replaying schedules of one step; `None` is a failure.
fn outcomes(program: &Tasks, state: &State, task: TaskId) -> Vec<Option<(State, Vec<Event>, Turn)>> {
    let from_here = StartingAt { program, state };
    let mut all = Vec::new();
    for choice in 0.. {
        let choices = dally_explore::Path::from_slice(&[choice]);
        let step = dally_explore::ScheduleStep { choices, ..dally_explore::ScheduleStep::new(task, 0) };
        let schedule = Schedule { steps: vec![step], ..Schedule::new(StrategyName::Exhaustive) };
        let mut taken = None;
        let replayed = dally_explore::replay(&from_here, &schedule, |moment| {
            if moment.step.is_some() {
                let next = (moment.after.clone(), moment.events.to_vec(), moment.turn);
                taken = Some(moment.failure.is_none().then_some(next));
            }
        });
        match (replayed, taken) {
            (Ok(_), Some(taken)) => all.push(taken),
            _ => return all,
        }
    }
    all
}

/// The program, started in another state.
struct StartingAt<'a> {
    program: &'a Tasks,
    state: &'a State,
}

impl Program for StartingAt<'_> {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        out.push(self.state.clone());
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        self.program.enabled(state, tasks);
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        self.program.step(state, task, out);
    }
}
