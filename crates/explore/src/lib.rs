//! Explicit-state exploration by few delays: programs, searches, schedules and their replay.
//!
//! A [`Program`] is a transition system of tasks. A [`Search`] explores its executions in ascending order of their
//! cost under a [policy](policy::Policy): [`Delays`] of a scheduler, [`Preemptions`], [`Depth`], or no cost at all
//! ([`Exhaustive`]). It returns a [`Report`] with a [`Verdict`] and the [`StateCoverage`]; a [`Bug`] comes with a
//! [`Schedule`] that can be printed, stored and [replayed](replay()).
//!
//! # A worked example
//!
//! Two clerks each increment a counter: they read it, and then write the value plus one.
//!
//! ```
//! use dally_explore::{Delays, Failure, Options, Program, SchedulerName, Search, Successors, TaskId, Verdict};
//!
//! struct Clerks;
//!
//! /// The value that each clerk has read, if it has; the clerks that are done; and the counter.
//! #[derive(Clone, Default, PartialEq, Eq, Hash)]
//! struct State {
//!     read: [Option<u8>; 2],
//!     done: [bool; 2],
//!     counter: u8,
//! }
//!
//! impl Program for Clerks {
//!     type State = State;
//!
//!     fn initial(&self, out: &mut Successors<State>) {
//!         out.push(State::default()).posts(TaskId(0)).posts(TaskId(1));
//!     }
//!
//!     fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
//!         tasks.extend((0..2).map(TaskId).filter(|clerk| !state.done[clerk.index()]));
//!     }
//!
//!     fn step(&self, state: &State, clerk: TaskId, out: &mut Successors<State>) {
//!         let mut next = state.clone();
//!         match state.read[clerk.index()] {
//!             None => {
//!                 next.read[clerk.index()] = Some(state.counter);
//!                 out.push(next);
//!             }
//!             Some(read) => {
//!                 next.counter = read + 1;
//!                 next.done[clerk.index()] = true;
//!                 let wrong = next.done == [true, true] && next.counter != 2;
//!                 let successor = out.push(next).completes();
//!                 if wrong {
//!                     successor.fails(Failure::assertion("an update was lost"));
//!                 }
//!             }
//!         }
//!     }
//! }
//!
//! // Round-robin, with no delay: one clerk after the other.
//! let round_robin = Delays::named(&"rr".parse::<SchedulerName>()?);
//! let options = Options { bound: Some(0), exact: true, ..Options::default() };
//! let report = Search::new(&Clerks, &round_robin, &options, &()).run();
//! assert_eq!(report.verdict, Verdict::ProvedWithin(0));
//!
//! // With as many delays as it takes, which is one: the first clerk is delayed after it has read.
//! let options = Options::default();
//! let report = Search::new(&Clerks, &round_robin, &options, &()).run();
//! let bug = report.bug().expect("an update can be lost");
//! assert_eq!(bug.cost, 1);
//! assert_eq!(bug.schedule.to_string(), "rr: 0 1+1 1 0");
//!
//! // The schedule is plain data; it replays.
//! let schedule = bug.schedule.to_string().parse()?;
//! let replayed = dally_explore::replay(&Clerks, &schedule, |_| {})?;
//! assert_eq!(replayed.failure.map(|failure| failure.message), Some("an update was lost".to_owned()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Liveness
//!
//! [`Cycles`] also finds infinite executions that violate a liveness property. A philosopher takes the fork whenever it
//! is free; another one needs it, and is enabled only while it is free.
//!
//! ```
//! use dally_explore::{Cycles, Delays, Liveness, Options, Program, SchedulerName, Successors, TaskId};
//!
//! struct Fork;
//!
//! impl Program for Fork {
//!     /// True if the first philosopher has the fork.
//!     type State = bool;
//!
//!     fn initial(&self, out: &mut Successors<bool>) {
//!         out.push(false).posts(TaskId(0)).posts(TaskId(1));
//!     }
//!
//!     fn enabled(&self, taken: &bool, tasks: &mut Vec<TaskId>) {
//!         tasks.push(TaskId(0));
//!         tasks.extend((!taken).then_some(TaskId(1)));
//!     }
//!
//!     fn step(&self, taken: &bool, philosopher: TaskId, out: &mut Successors<bool>) {
//!         match philosopher {
//!             // The other one waits while this one takes the fork and puts it back.
//!             TaskId(0) => out.push(!taken).accepting(),
//!             _ => out.push(false).cold(1),
//!         };
//!     }
//! }
//!
//! let round_robin = Delays::named(&"rr".parse::<SchedulerName>()?);
//! let options = Options::default();
//! let report = Cycles::new(&Fork, &round_robin, &options, Liveness::default(), &()).run();
//! let bug = report.bug().expect("the second philosopher may starve");
//! // The steps in parentheses are the cycle, which repeats forever.
//! assert_eq!(bug.schedule.to_string(), "rr: ( 0 0 )");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a search can miss
//!
//! - [`Verdict::Proved`] holds for every schedule, up to the [probability](StateCoverage::collision_chance) that
//!   two states have the same fingerprint, and modulo [seals](StateCoverage::sealed).
//! - [`Verdict::ProvedWithin`] (exact mode) holds for every execution within the bound.
//! - [`Verdict::NoBug`] (cached mode, with a bound) is not a proof: a state is expanded once, with the scheduler of its
//!   first visit, from which a failure may need more delays than from another.
//!
//! The bibliography is that of [`dally_schedule`].

mod abandoned;
mod candidates;
mod choices;
mod confirm;
mod excerpt;
mod expand;
mod fingerprint;
mod footprint;
mod frontier;
mod layer;
mod ledger;
mod limits;
mod liveness;
mod order;
mod outcome;
mod packed;
mod plan;
pub mod policy;
mod portfolio;
mod program;
mod properties;
mod reduce;
mod replay;
mod resolve;
mod running;
mod sample;
mod search;
mod shorten;
mod shrink;
mod sight;
mod state_graph;
pub mod store;
mod successors;
mod team;
mod tree;
mod visited;
pub mod walk;
mod wave;

pub use choices::{Path, Schedule, ScheduleError, ScheduleStep};
pub use confirm::confirm;
pub use dally_schedule::sample::SamplerName;
pub use dally_schedule::{
    Arrangement, NO_NAMES, Names, OwnScheduler, Post, SchedulerName, Seen, StateView, StrategyName, Symbol,
    TaskId, Unit,
};
pub use excerpt::{Excerpt, Kept, cut, is_long, value_text};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use footprint::{Footprint, Footprints, Object};
pub use limits::StepLimits;
pub use liveness::{Cycles, Liveness, Method, replay_cycle};
pub use outcome::{
    BoundCoverage, Bug, Coverage, Covered, ExecutionCoverage, Exit, InliningCoverage, Limit, Report,
    SamplerExecutions, StateCoverage, StrategyExecutions, Verdict, count, counted,
};
pub use plan::Plan;
pub use policy::{Delays, Depth, Exhaustive, Policy, Preemptions, Switches};
pub use program::{Choose, Drawn, DrawnPath, Failure, FailureKind, Program};
pub use properties::{Checked, CheckedReport, Tracked};
pub use replay::{Moment, NoCycle, ReplayError, Replayed, StepAt, replay, replay_under};
pub use running::Running;
pub use sample::{SampleOptions, Sampled, Sampler, Slice};
pub use search::{Explored, Options, Phase, Search, Watch};
pub use sight::Sight;
pub use state_graph::{GraphEdge, GraphNode, StateGraph, state_graph};
pub use successors::{Event, Label, Successor, Successors, Suspended, Turn};
