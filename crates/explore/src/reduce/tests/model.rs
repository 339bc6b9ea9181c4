//! Models with footprints: tasks that run short procedures over a few globals.

use dally_testing::Random;
use smallvec::SmallVec;

use crate::{
    Drawn, Event, Failure, Fingerprint, Footprint, Object, Program, Successor, Successors, TaskId, Turn,
};

pub(super) const GLOBALS: usize = 4;

/// A statement of a task.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Set(usize, u8),
    Add(usize, u8),
    Copy(usize, usize),
    /// Sets a global to 0 or to 1.
    Choose(usize),
    /// Sets a global to 0, 1 or 2. The step is suspended here if that costs something.
    Pick(usize),
    /// Inverts the task's own variable.
    Flip,
    /// Adds 1 to the task's own counter.
    Tick,
    /// Blocks until the global has the value.
    Await(usize, u8),
    /// Discards the execution unless the global has the value.
    Assume(usize, u8),
    /// Fails if the global has the value.
    AssertNot(usize, u8),
    Post(usize),
    Yield,
    /// Waits for the last task that this one has posted.
    Wait,
    /// Goes back to an earlier statement, or on. A scheduling point.
    Repeat(usize),
    /// Goes back to an earlier statement. A scheduling point.
    Forever(usize),
    /// Fixes the order of tasks from here on.
    Seal,
}

/// A part of the footprints that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Omitted {
    /// The first global.
    Global,
    /// The guard of an await.
    Guards,
    /// The reads of assumptions and assertions.
    Tests,
    /// Tasks that are posted later.
    Posts,
    /// The operations of a loop after it goes back.
    Loops,
    /// Tasks that are blocked now.
    Blocked,
    /// Values that are chosen.
    Choices,
}

impl Omitted {
    /// All, each with a seed that notices it.
    pub(super) const ALL: [(Self, u64); 7] = [
        (Self::Global, 84),
        (Self::Guards, 365),
        (Self::Tests, 58),
        (Self::Posts, 58),
        (Self::Loops, 1067),
        (Self::Blocked, 210),
        (Self::Choices, 58),
    ];
}

/// A program. The initial task runs the first procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) procedures: Vec<Vec<Op>>,
    pub(super) omitted: Option<Omitted>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) globals: [u8; GLOBALS],
    /// In ascending order of their ids.
    tasks: Vec<Task>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Task {
    /// Derived from the poster's: it does not depend on the order of posts by different tasks.
    id: u32,
    procedure: usize,
    at: usize,
    /// True if the task has reached a scheduling point at the next statement.
    stopped: bool,
    posted: u32,
    own: u32,
}

/// The most tasks that one task posts.
const POSTS: u32 = 3;

impl Task {
    fn child(&self, nth: u32) -> u32 {
        self.id * (POSTS + 1) + nth
    }

    fn awaited(&self) -> Option<u32> {
        (self.posted > 0).then(|| self.child(self.posted))
    }
}

/// The object of a global.
fn global(number: usize) -> Object {
    Object(number as u64)
}

impl Model {
    /// Tasks that run these procedures side by side.
    pub(super) fn of(tasks: &[Vec<Op>]) -> Self {
        let main = (1..=tasks.len()).map(Op::Post).collect();
        Self { procedures: [vec![main], tasks.to_vec()].concat(), omitted: None }
    }

    /// A random model.
    pub(super) fn random(random: &mut Random) -> Self {
        let count = 2 + random.below(3) as usize;
        let mut procedures = Vec::new();
        for nth in 0..count {
            let globals = [random.below(GLOBALS as u64) as usize, random.below(GLOBALS as u64) as usize];
            let mut ops = Vec::new();
            if nth == 0 {
                ops.extend((0..2).map(|_| Op::Post(1 + random.below(count as u64 - 1) as usize)));
            }
            for at in 0..1 + random.below(5) as usize {
                ops.push(random_op(random, globals, nth, (count, at)));
            }
            if nth == 1 && count > 2 && random.chance(50) {
                ops.push(Op::Post(2 + random.below(count as u64 - 2) as usize));
            }
            // Only two posts of a task, so that few tasks run.
            let mut posts = 0;
            ops.retain(|op| {
                posts += u32::from(matches!(op, Op::Post(_)));
                !matches!(op, Op::Post(_)) || posts <= 2
            });
            // Endless tasks that no other one can observe.
            if nth > 0 && random.chance(15) {
                let first = *random.pick(&[Op::Flip, Op::Pick(globals[0])]);
                ops = vec![first, Op::Yield, Op::Forever(0)];
            }
            procedures.push(ops);
        }
        for (nth, ops) in procedures.iter_mut().enumerate() {
            // A procedure that posts does not repeat it, and the last ones do not post: executions stay small.
            let posts = ops.iter().any(|op| matches!(op, Op::Post(_)));
            ops.retain(|op| !matches!(op, Op::Repeat(_) | Op::Forever(_)) || !posts);
            ops.retain(|op| !matches!(op, Op::Post(_)) || nth < 2);
        }
        Self { procedures, omitted: None }
    }

    fn omits(&self, part: Omitted) -> bool {
        self.omitted == Some(part)
    }

    fn is_enabled(&self, state: &State, task: &Task) -> bool {
        match self.procedures[task.procedure].get(task.at) {
            Some(Op::Wait) if task.stopped => {
                task.awaited().is_none_or(|child| state.tasks.iter().all(|other| other.id != child))
            }
            Some(Op::Await(global, value)) => state.globals[*global] == *value,
            _ => true,
        }
    }

    /// Adds what a statement reads and writes to a footprint.
    fn touch(&self, op: Op, out: &mut Footprint) {
        let object = |number: usize| (!self.omits(Omitted::Global) || number != 0).then(|| global(number));
        match op {
            Op::Choose(number) | Op::Pick(number) if !self.omits(Omitted::Choices) => {
                object(number).into_iter().for_each(|it| out.writes(it));
            }
            Op::Set(number, _) | Op::Add(number, _) => {
                object(number).into_iter().for_each(|it| out.writes(it));
            }
            Op::Copy(to, from) => {
                object(to).into_iter().for_each(|it| out.writes(it));
                object(from).into_iter().for_each(|it| out.reads(it));
            }
            Op::Await(number, _) if !self.omits(Omitted::Guards) => {
                object(number).into_iter().for_each(|it| out.reads(it));
            }
            Op::Assume(number, _) | Op::AssertNot(number, _) if !self.omits(Omitted::Tests) => {
                object(number).into_iter().for_each(|it| out.reads(it));
            }
            _ => {}
        }
    }

    /// Adds what a procedure may do from a statement on, tasks that it posts included.
    fn future(&self, procedure: usize, at: usize, seen: &mut Vec<(usize, usize)>, out: &mut Footprint) {
        if seen.contains(&(procedure, at)) {
            return;
        }
        seen.push((procedure, at));
        let Some(op) = self.procedures[procedure].get(at) else { return };
        self.touch(*op, out);
        match op {
            Op::Post(other) if !self.omits(Omitted::Posts) => self.future(*other, 0, seen, out),
            Op::Repeat(to) | Op::Forever(to) if !self.omits(Omitted::Loops) => {
                self.future(procedure, *to, seen, out);
            }
            _ => {}
        }
        self.future(procedure, at + 1, seen, out);
    }

    /// Runs the task to its next scheduling point, along a path.
    fn run(&self, mut run: Run, path: &[u32], out: &mut Successors<State>) {
        loop {
            let Run { state, me, .. } = &mut run;
            let task = &mut state.tasks[*me];
            let Some(op) = self.procedures[task.procedure].get(task.at).copied() else {
                state.tasks.remove(*me);
                return run.finish(Turn::Completes, None, out);
            };
            let resumes = std::mem::take(&mut task.stopped);
            match op {
                Op::Yield | Op::Wait | Op::Repeat(_) | Op::Forever(_) if !resumes => {
                    task.stopped = true;
                    let turn = match op {
                        Op::Wait => Turn::Blocks(task.awaited().map(TaskId)),
                        _ => Turn::Yields,
                    };
                    return run.finish(turn, None, out);
                }
                Op::Await(global, value) if state.globals[global] != value => {
                    return run.finish(Turn::Blocks(None), None, out);
                }
                Op::Assume(global, value) if state.globals[global] != value => return,
                Op::AssertNot(global, value) if state.globals[global] == value => {
                    let failure = Failure::assertion(format!("global {global} is {value}"));
                    return run.finish(Turn::Yields, Some(failure), out);
                }
                Op::Choose(global) => {
                    return self.branch(&run, path, 2, out, |state, me, n| {
                        state.globals[global] = n as u8;
                        state.tasks[me].at += 1;
                    });
                }
                Op::Pick(global) => {
                    return self.branch(&run, path, 3, out, |state, me, n| {
                        state.globals[global] = n as u8;
                        state.tasks[me].at += 1;
                    });
                }
                Op::Repeat(to) => {
                    return self.branch(&run, path, 2, out, |state, me, n| {
                        let task = &mut state.tasks[me];
                        task.at = if n == 0 { to } else { task.at + 1 };
                    });
                }
                Op::Set(global, value) => state.globals[global] = value,
                Op::Add(global, value) => state.globals[global] = (state.globals[global] + value) % 4,
                Op::Copy(to, from) => state.globals[to] = state.globals[from],
                Op::Flip => task.own ^= 1,
                Op::Tick => task.own += 1,
                Op::Post(procedure) => run.post(procedure),
                Op::Seal => run.events.push(Event::Sealed),
                Op::Forever(to) => {
                    task.at = to;
                    continue;
                }
                Op::Wait | Op::Yield | Op::Await(..) | Op::Assume(..) | Op::AssertNot(..) => {}
            }
            run.state.tasks[run.me].at += 1;
        }
    }

    /// Takes an option of a choice, or all, or suspends the step.
    fn branch(
        &self,
        run: &Run,
        path: &[u32],
        options: u32,
        out: &mut Successors<State>,
        take: impl Fn(&mut State, usize, u32),
    ) {
        let mut one = |option: u32, rest: &[u32]| {
            let mut run = run.clone();
            run.path.push(option);
            take(&mut run.state, run.me, option);
            self.run(run, rest, out);
        };
        match path {
            [option, rest @ ..] => one(*option, rest),
            [] if u64::from(options) <= run.inline => (0..options).for_each(|option| one(option, &[])),
            [] => {
                let configuration = Fingerprint::of(&(&run.state, &run.path));
                out.suspend(&run.path, u64::from(options), configuration);
                out.took(&run.path);
            }
        }
    }

    fn begin(&self, state: &State, task: TaskId, path: &[u32], out: &mut Successors<State>) {
        let me = state.tasks.iter().position(|other| other.id == task.0).expect("an enabled task");
        let inline = out.begin_suspendable();
        self.run(Run { state: state.clone(), me, events: vec![], path: vec![], inline }, path, out);
    }
}

fn random_op(random: &mut Random, globals: [usize; 2], nth: usize, (count, at): (usize, usize)) -> Op {
    let global = *random.pick(&globals);
    let value = random.below(3) as u8;
    match random.below(18) {
        0 => Op::Set(global, value),
        1 | 2 => Op::Add(global, value.max(1)),
        3 => Op::Copy(global, *random.pick(&globals)),
        4 => Op::Choose(global),
        5 => Op::Pick(global),
        6 => Op::Flip,
        7 if nth + 1 < count => Op::Post(nth + 1 + random.below((count - nth - 1) as u64) as usize),
        8 => Op::Wait,
        9 => Op::Await(global, value),
        10 => Op::Assume(global, value),
        11 => Op::AssertNot(global, 2 + value / 2),
        12 if at > 0 => Op::Repeat(random.below(at as u64) as usize),
        13 if at > 0 => Op::Forever(random.below(at as u64) as usize),
        _ => Op::Yield,
    }
}

/// A step that is being executed.
#[derive(Clone)]
struct Run {
    state: State,
    me: usize,
    events: Vec<Event>,
    path: Vec<u32>,
    inline: u64,
}

impl Run {
    fn post(&mut self, procedure: usize) {
        let task = &mut self.state.tasks[self.me];
        if task.posted == POSTS {
            return;
        }
        task.posted += 1;
        let id = task.child(task.posted);
        let at = self.state.tasks.partition_point(|other| other.id < id);
        self.state.tasks.insert(at, Task { id, procedure, ..Task::default() });
        // A child's id is greater than that of its poster.
        debug_assert!(at > self.me);
        self.events.push(Event::Posted(TaskId(id), crate::Post::default()));
    }

    fn finish(self, turn: Turn, failure: Option<Failure>, out: &mut Successors<State>) {
        let successor = self.events.into_iter().fold(out.push(self.state), Successor::event).stops(turn);
        if let Some(failure) = failure {
            successor.fails(failure);
        }
        out.took(&self.path);
    }
}

impl Program for Model {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        let main = Task { id: 1, ..Task::default() };
        out.push(State { tasks: vec![main], ..State::default() }).posts(TaskId(1));
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        let enabled = state.tasks.iter().filter(|task| self.is_enabled(state, task));
        tasks.extend(enabled.map(|task| TaskId(task.id)));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        self.begin(state, task, &[], out);
    }

    fn resume(&self, state: &State, task: TaskId, path: &[u32], out: &mut Successors<State>) {
        out.clear();
        self.begin(state, task, path, out);
    }

    fn draw(
        &self,
        state: &State,
        task: TaskId,
        choose: &mut dyn FnMut(u64) -> u64,
        out: &mut Successors<State>,
    ) -> SmallVec<[Drawn; 2]> {
        let (mut path, mut drawn) = (Vec::new(), SmallVec::new());
        loop {
            // Suspends the step at its next choice, if there is one.
            let mut next = Successors::suspending_above(0);
            self.begin(state, task, &path, &mut next);
            let Some(options) = next.suspended(0).map(|at| at.options) else { break };
            let option = (choose(u64::from(options)) % u64::from(options)) as u32;
            path.push(option);
            drawn.push(Drawn { option, options, is_value: true });
        }
        out.clear();
        self.begin(state, task, &path, out);
        drawn
    }

    fn properties(&self) -> u32 {
        0
    }

    fn deadlock(&self, state: &State) -> Option<Failure> {
        (!state.tasks.is_empty()).then(|| Failure::deadlock(format!("{} tasks wait", state.tasks.len())))
    }

    fn has_footprints(&self) -> bool {
        true
    }

    // The end of a task is no object: a task that waits for it does nothing before.
    fn footprint(&self, state: &State, task: TaskId, out: &mut Footprint) {
        let task = state.tasks.iter().find(|other| other.id == task.0).expect("an enabled task");
        let ops = &self.procedures[task.procedure];
        let (mut at, mut first) = (task.at, task.stopped);
        // Over-approximates loops: what comes before a scheduling point on any path.
        let mut pending = vec![];
        let mut seen = vec![];
        loop {
            let is_first = std::mem::take(&mut first);
            match ops.get(at).filter(|_| !seen.contains(&at) || is_first) {
                None => {}
                Some(Op::Repeat(to)) if is_first => pending.extend([*to, at + 1]),
                Some(Op::Forever(to)) if is_first => pending.push(*to),
                Some(Op::Yield | Op::Wait) if is_first => pending.push(at + 1),
                Some(Op::Yield | Op::Wait | Op::Repeat(_) | Op::Forever(_)) => {}
                Some(op) => {
                    self.touch(*op, out);
                    pending.push(at + 1);
                }
            }
            seen.push(at);
            match pending.pop() {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    fn futures(&self, state: &State, task: TaskId, out: &mut Footprint) {
        // Tasks that wait for this one, directly or not, do nothing before it does.
        let mut waiting = vec![task.0];
        let waits = |other: &Task, waiting: &[u32]| {
            let op = self.procedures[other.procedure].get(other.at);
            matches!(op, Some(Op::Wait))
                && other.stopped
                && other.awaited().is_some_and(|it| waiting.contains(&it))
        };
        while let Some(other) =
            state.tasks.iter().find(|other| !waiting.contains(&other.id) && waits(other, &waiting))
        {
            waiting.push(other.id);
        }
        for other in state.tasks.iter().filter(|other| !waiting.contains(&other.id)) {
            if self.omits(Omitted::Blocked) && !self.is_enabled(state, other) {
                continue;
            }
            self.future(other.procedure, other.at, &mut vec![], out);
        }
    }
}
