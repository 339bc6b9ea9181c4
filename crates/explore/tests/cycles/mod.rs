//! Random models with cycles, and a simple reference algorithm for their liveness.
#![allow(unreachable_pub, reason = "the module of a single test file")]

pub mod loops;
pub mod reference;
pub mod web;

use std::fmt::Debug;
use std::hash::Hash;

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

pub use dally_testing::{Random, for_seeds};
