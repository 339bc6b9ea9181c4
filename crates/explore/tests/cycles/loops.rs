//! Random programs: tasks with a few statements over shared variables, which loop or terminate.

use super::{Choice, Model, Move, Random};

#[derive(Clone, Copy, Debug)]
enum Op {
    Set(usize, u8),
    Add(usize, u8),
    Await(usize, u8),
    /// Sets the variable to one of the numbers below the second number plus the value of the first variable: by
    /// a fair choice if the flag is set.
    Choose(usize, u8, bool),
    /// Jumps to the statement if the variable has the value.
    JumpIf(usize, u8, usize),
}

const GLOBALS: usize = 2;
const MODULUS: u8 = 3;

#[derive(Clone, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    at: Vec<usize>,
    globals: [u8; GLOBALS],
}

#[derive(Debug)]
pub struct Loops {
    tasks: Vec<Vec<Op>>,
    /// True for tasks that start over after their last statement.
    loops: Vec<bool>,
    modulus: u8,
}

impl Loops {
    pub fn random(random: &mut Random) -> Self {
        let tasks = 2 + random.below(2) as usize;
        let ops = |random: &mut Random| {
            let len = 1 + random.below(3) as usize;
            (0..len).map(|_| op(random, len)).collect()
        };
        let loops = (0..tasks).map(|_| random.chance(80)).collect();
        Self { tasks: (0..tasks).map(|_| ops(random)).collect(), loops, modulus: MODULUS }
    }

    /// A program with more states than are explored between two checks of the limits.
    pub fn large() -> Self {
        let task = vec![Op::Add(0, 1), Op::Add(1, 1)];
        Self { tasks: vec![task; 3], loops: vec![true; 3], modulus: 250 }
    }

    /// The bit sets of hot and cold properties of a step. Property 0: the first variable becomes 0
    /// after it was 1. Property 1: the second variable becomes 2 after a step of the first task.
    fn heat(&self, before: &State, task: u32, after: &State) -> (u64, u64) {
        let any = |holds: &dyn Fn(&State) -> bool| holds(before) || holds(after);
        let hot = u64::from(any(&|s| s.globals[0] == 1)) | u64::from(task == 0) << 1;
        let cold = u64::from(any(&|s| s.globals[0] == 0)) | u64::from(any(&|s| s.globals[1] == 2)) << 1;
        (hot, cold)
    }
}

fn op(random: &mut Random, len: usize) -> Op {
    let global = random.below(GLOBALS as u64) as usize;
    let value = random.below(u64::from(MODULUS)) as u8;
    match random.below(10) {
        0..=2 => Op::Set(global, value),
        3 | 4 => Op::Add(global, 1),
        5 | 6 => Op::Await(global, value),
        7 => Op::Choose(global, 1 + value, true),
        8 => Op::Choose(global, 2, false),
        _ => Op::JumpIf(global, value, random.below(len as u64) as usize),
    }
}

impl Model for Loops {
    type State = State;

    fn start(&self) -> State {
        State { at: vec![0; self.tasks.len()], globals: [1, 0] }
    }

    fn tasks(&self) -> u32 {
        self.tasks.len() as u32
    }

    fn moves(&self, state: &State, task: u32) -> Option<Vec<Move<State>>> {
        let me = task as usize;
        let op = *self.tasks[me].get(state.at[me])?;
        let mut next = state.clone();
        next.at[me] += 1;
        let mut choices = vec![(next.clone(), Vec::new())];
        match op {
            Op::Await(global, value) if state.globals[global] != value => return None,
            Op::Await(..) => {}
            Op::Set(global, value) => choices[0].0.globals[global] = value,
            Op::Add(global, value) => {
                choices[0].0.globals[global] =
                    ((u16::from(state.globals[global]) + u16::from(value)) % u16::from(self.modulus)) as u8;
            }
            Op::JumpIf(global, value, to) if state.globals[global] == value => choices[0].0.at[me] = to,
            Op::JumpIf(..) => {}
            Op::Choose(global, least, fair) => {
                let options = (least + if fair { state.globals[0] } else { 0 }).min(MODULUS);
                let outcome = |value: u8| {
                    let mut next = next.clone();
                    next.globals[global] = value;
                    let number = u64::from(task) << 8 | state.at[me] as u64;
                    (next, if fair { vec![(number, value.into(), options.into())] } else { Vec::new() })
                };
                choices = (0..options).map(outcome).collect();
            }
        }
        let finish = |(mut to, fair): (State, Vec<Choice>)| {
            if self.loops[me] && to.at[me] == self.tasks[me].len() {
                to.at[me] = 0;
            }
            let (hot, cold) = self.heat(state, task, &to);
            Move { to, hot, cold, fair }
        };
        Some(choices.into_iter().map(finish).collect())
    }

    fn properties(&self) -> u32 {
        2
    }
}
