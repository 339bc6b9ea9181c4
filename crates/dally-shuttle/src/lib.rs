//! Delay-bounded testing of concurrent Rust code, on the shuttle runtime.

mod check;
mod config;
mod diagnose;
mod enumeration;
mod explorer;
mod hook;
mod level;
mod locate;
mod policy;
mod report;
mod run;
mod schedule;
mod statistics;
mod strategy;

pub use check::{REPLAY, check, check_with, explore, replay, replay_with};
pub use config::{Config, Values};
pub use dally_schedule::{DelayingScheduler, Name, Post, Ready, TaskId, Why};
pub use explorer::Explorer;
pub use level::Level;
pub use locate::Place;
pub use report::{Bug, Departure, Failure, Limit, Report, TaskName, Verdict};
pub use schedule::{Schedule, ScheduleError};
pub use statistics::{Statistics, StrategyStatistics};
pub use strategy::{Strategy, StrategyError};
