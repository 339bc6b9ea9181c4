//! Random models with cycles, and a simple reference algorithm for their liveness.
#![allow(unreachable_pub, reason = "the module of a single test file")]

pub mod loops;
pub mod reference;
pub mod web;

use std::fmt::Debug;
use std::hash::Hash;
use std::io::Write;

use dally_explore::{Program, Successors, TaskId};

/// A fair choice: its number, the option taken, and the number of options.
pub type Choice = (u64, u32, u32);

/// One outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move<S> {
    pub to: S,
    pub hot: u64,
    pub cold: u64,
    /// Fair choices.
    pub fair: Vec<Choice>,
}

/// An explicit transition system.
pub trait Model: Sync {
    type State: Clone + Debug + Hash + Ord + Send + Sync;
    fn start(&self) -> Self::State;
    fn tasks(&self) -> u32;
    /// The outcomes of a step; `None` if the task is not enabled.
    fn moves(&self, state: &Self::State, task: u32) -> Option<Vec<Move<Self::State>>>;
    fn properties(&self) -> u32;
}

/// A model as a [`Program`].
pub struct Modelled<'m, M>(pub &'m M);

impl<M: Model> Program for Modelled<'_, M> {
    type State = M::State;

    fn initial(&self, out: &mut Successors<M::State>) {
        let successor = out.push(self.0.start());
        (0..self.0.tasks()).map(TaskId).fold(successor, dally_explore::Successor::posts);
    }

    fn enabled(&self, state: &M::State, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..self.0.tasks()).filter(|t| self.0.moves(state, *t).is_some()).map(TaskId));
    }

    fn step(&self, state: &M::State, task: TaskId, out: &mut Successors<M::State>) {
        for Move { to, hot, cold, fair } in
            self.0.moves(state, task.0).expect("only enabled tasks take steps")
        {
            let blocks = self.0.moves(&to, task.0).is_none();
            let successor = out.push(to).hot(hot).cold(cold);
            let successor =
                fair.into_iter().fold(successor, |s, (choice, option, of)| s.chooses(choice, option, of));
            if blocks {
                successor.blocks(None);
            }
        }
    }

    fn properties(&self) -> u32 {
        self.0.properties()
    }
}

/// A pseudo-random number generator (xorshift).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// Calls `check` with consecutive seeds, and prints the first, so that a run can be repeated with
/// `DALLY_SEED=n cargo test name`. `DALLY_PROGRAMS=n` sets the number of seeds.
pub fn for_seeds(test: &str, programs: u64, check: impl Fn(u64)) {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("the clock is after 1970");
    let first = setting("DALLY_SEED").unwrap_or(now.as_nanos() as u64 & 0xffff_ffff);
    let programs = setting("DALLY_PROGRAMS").unwrap_or(programs);
    // `eprintln!` would be captured by the test harness if the test passes.
    let _ = writeln!(std::io::stderr(), "{test}: {programs} programs from DALLY_SEED={first}");
    (first..first + programs).for_each(check);
}
