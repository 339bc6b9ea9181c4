//! Delay-bounded testing of concurrent Rust code, on the [shuttle] runtime.
//!
//! Shuttle replaces threads, locks, channels and futures, so that a scheduler selects the task of each step. This crate
//! provides such a scheduler: it follows a fixed order of tasks, and deviates from it systematically, a bounded number
//! of times. It runs the one execution without a deviation, or *delay*, then all with one, then all with two. With K
//! delays there are at most Iᴷ schedules of length I, however many threads there are, and real bugs show at
//! K = 0, 1, 2 [POPL11 §3, §4].
//!
//! A test is a closure, as for shuttle; an existing shuttle test changes in one line. Here a deposit is lost, because the
//! balance is read and written in two critical sections:
//!
//! ```
//! use std::sync::Arc;
//!
//! use dally_shuttle::{Config, Verdict};
//! use shuttle::sync::Mutex;
//! use shuttle::thread;
//!
//! fn deposits() {
//!     let balance = Arc::new(Mutex::new(0));
//!     let deposits = [10, 5].map(|amount| {
//!         let balance = Arc::clone(&balance);
//!         thread::spawn(move || {
//!             let seen = *balance.lock().unwrap();
//!             *balance.lock().unwrap() = seen + amount;
//!         })
//!     });
//!     for deposit in deposits {
//!         deposit.join().unwrap();
//!     }
//!     assert_eq!(*balance.lock().unwrap(), 15);
//! }
//!
//! // In a test, `dally_shuttle::check(deposits)` panics with a report. `explore` returns it:
//! let report = dally_shuttle::explore(&Config::default(), deposits);
//! let Verdict::Bug(bug) = report.verdict else { panic!("{report}") };
//! assert_eq!(bug.delays, 1);
//! assert!(bug.to_string().contains("was delayed"));
//!
//! // The schedule is a short text, and replays:
//! let schedule = bug.schedule.to_string();
//! let again = std::panic::catch_unwind(move || dally_shuttle::replay(&schedule, deposits));
//! assert!(again.is_err());
//!
//! // Without a delay, each strategy has one execution, and none fails:
//! let config = Config { delays: Some(0), ..Config::default() };
//! assert_eq!(dally_shuttle::check_with(config, deposits).verdict, Verdict::ProvedWithin(0));
//! ```
//!
//! [`check()`] fails a test, [`explore`] returns a report, and [`Explorer`] is the scheduler itself, for your own
//! runner. [`Config`] has the strategies and the limits; a [`Strategy`] is any [`DelayingScheduler`], or preemption
//! bounding for comparison. With `DALLY_REPLAY=rr/3` in the environment, [`check()`] runs that schedule only.
//!
//! Like shuttle itself, it covers sequentially consistent executions: weak memory is not modelled.
//!
//! [shuttle]: https://docs.rs/shuttle
//!
//! Bibliography:
//! - \[POPL11\] Emmi, Qadeer, Rakamarić: Delay-bounded scheduling (also MSR-TR-2010-123).

mod check;
mod config;
mod conflicts;
mod deviations;
mod diagnose;
mod end;
mod enumeration;
mod explorer;
mod hook;
mod interleaving;
mod level;
mod locate;
mod operations;
mod page;
mod policy;
mod reduction;
mod report;
mod run;
mod sampling;
mod search;
mod shrink;
mod strategy;
pub mod sync;
pub mod thread;
mod traces;

pub use check::{REPLAY, STRICT, check, check_with, explore, replay, replay_with};
pub use config::{Config, Values};
pub use dally_explore::{ExecutionCoverage, Limit, SamplerExecutions, StrategyExecutions};
pub use dally_schedule::sample::SamplerName;
pub use dally_schedule::{
    DelayingScheduler, NameError, Post, Ready, SchedulerName, StrategyName, TaskId, Unit, Why,
};
pub use deviations::{Deviations, DeviationsError};
pub use explorer::Explorer;
pub use interleaving::Moment;
pub use level::Level;
pub use locate::Site;
pub use page::HTML;
pub use report::{Bug, BugKind, Departure, Panicked, TaskName, TestReport, Verdict, Waiting};
pub use strategy::Strategy;
