//! Delaying schedulers: deterministic orders of tasks, from which explicit delays deviate.
//!
//! A scheduler fixes one order of the tasks of a program. A *delay* postpones the task that would run next, and the
//! scheduler proposes the next task of its order instead. With K delays there are at most Iᴷ schedules of length I,
//! however many tasks there are [POPL11 §3], and with enough delays every task is proposed [POPL11, Lemma 1].
//!
//! The trait is [`DelayingScheduler`]; each scheduler is one module, and [`Scheduler`] is any one of them, built from its
//! [`SchedulerName`]. [`Sealable`] and [`DelayBudget`] wrap any of them. [The table of strategies](table) lists their names.
//!
//! ```
//! use dally_schedule::{DelayingScheduler, Post, Ready, Rr, TaskId, Why};
//!
//! let (a, b) = (TaskId(0), TaskId(1));
//! let mut rr = Rr::default();
//! rr.give(a, Why::Posted(Post::default()));
//! rr.give(b, Why::Posted(Post::default()));
//!
//! let both = [a, b];
//! let ready = Ready::new(&both);
//! assert_eq!(rr.take(&ready), Some(a)); // creation order
//! rr.delay(a);
//! assert_eq!(rr.take(&ready), Some(b));
//! rr.complete(b);
//! assert_eq!(rr.take(&Ready::new(&[a])), Some(a));
//! ```
//!
//! Bibliography:
//! - \[POPL11\] Emmi, Qadeer, Rakamarić: Delay-bounded scheduling (also MSR-TR-2010-123).
//! - \[FSE12\] Emmi, Lal, Qadeer: Asynchronous programs with prioritized task-buffers.
//! - \[SPIN14\] Emmi, Kulahcioglu Ozkan, Tasiran: Exploiting synchronization in the analysis of
//!   shared-memory asynchronous programs.
//! - \[TR15\] Desai, Qadeer, Rajamani, Seshia: Iterative cycle detection via delaying explorers.
//! - \[PCT\] Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
//!   guarantees of finding bugs (ASPLOS 2010).
//! - \[POS\] Yuan, Yang, Gu: Partial order aware concurrency sampling (CAV 2018).
//! - \[URW\] Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing (ASPLOS 2025).

/// `Clone` whose `clone_from` reuses the buffers of the target: an explorer saves and restores
/// schedulers at every step, and must not allocate for it.
macro_rules! reusing_clone {
    ($name:ident $(<$param:ident>)? { $($field:ident),* $(,)? }) => {
        impl $(<$param: Clone>)? Clone for $name $(<$param>)? {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }
            fn clone_from(&mut self, other: &Self) {
                $(self.$field.clone_from(&other.$field);)*
            }
        }
    };
}

/// The methods of a wrapper that do as the wrapped scheduler does.
macro_rules! as_inner {
    () => {
        fn patience(&self) -> usize {
            self.inner.patience()
        }

        fn delay_cost(&self) -> u32 {
            self.inner.delay_cost()
        }
    };
}

/// The methods about single tasks, and about observing steps, of a wrapper that does as the wrapped scheduler does.
macro_rules! as_inner_observer {
    () => {
        fn cost_of_delay(&self, task: TaskId) -> u32 {
            self.inner.cost_of_delay(task)
        }

        fn seals(&self, task: TaskId) -> bool {
            self.inner.seals(task)
        }

        #[inline]
        fn looks(&self) -> bool {
            self.inner.looks()
        }

        fn observe(&mut self, step: &Observed<'_>) {
            self.inner.observe(step);
        }
    };
}

mod any;
mod bag;
mod bounded_bag;
mod budget;
mod df;
mod dfs;
mod dfw;
mod hash;
mod names;
mod own;
mod pct;
mod priority;
mod random;
mod rr;
mod rtc;
pub mod rules;
pub mod sample;
mod scheduler;
mod sealing;
pub mod table;
mod tree;
mod view;
mod vocabulary;

pub use any::Scheduler;
pub use bag::Bag;
pub use bounded_bag::BoundedBag;
pub use budget::DelayBudget;
pub use df::Df;
pub use dfs::Dfs;
pub use dfw::Dfw;
pub use names::{SchedulerName, StrategyName, Unit};
pub use own::{BoxedScheduler, OwnScheduler};
pub use pct::Pct;
pub use priority::Priority;
pub use random::Random;
pub use rr::{Arrangement, Rr};
pub use rtc::Rtc;
pub use scheduler::{DelayingScheduler, Post, Ready, TaskId, Why};
pub use sealing::Sealable;
pub use view::{Did, NO_NAMES, Names, Observed, Seen, StateView, Symbol};
pub use vocabulary::{ListContext, NameError, PORTFOLIO, SEPARATOR, StrategyList, Vocabulary};
