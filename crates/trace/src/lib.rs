//! Error traces: executions as data, and the formats in which they are shown.
//!
//! A language, or a model in Rust, implements [`Explain`] for its programs. Then [`trace()`] replays a bug and records
//! what each step did. The [`Trace`] is independent of the language; [`FORMATS`] lists the formats in which it can be written, one
//! file each.
//!
//! ```
//! use dally_explore::{Delays, Failure, Options, Program, SchedulerName, Search, Successors, TaskId};
//! use dally_text::source::SourceMap;
//! use dally_trace::{Explain, Source};
//!
//! /// The first of two clerks to find the cake on the table eats it; the other one complains.
//! struct Clerks;
//!
//! impl Program for Clerks {
//!     type State = Option<TaskId>;
//!
//!     fn initial(&self, out: &mut Successors<Self::State>) {
//!         out.push(None).posts(TaskId(0)).posts(TaskId(1));
//!     }
//!
//!     fn enabled(&self, _: &Self::State, tasks: &mut Vec<TaskId>) {
//!         tasks.extend([TaskId(0), TaskId(1)]);
//!     }
//!
//!     fn step(&self, eater: &Self::State, clerk: TaskId, out: &mut Successors<Self::State>) {
//!         let successor = out.push(Some(clerk));
//!         if eater.is_some_and(|other| other != clerk) {
//!             successor.fails(Failure::assertion("there is no cake"));
//!         }
//!     }
//! }
//!
//! impl Explain for Clerks {
//!     fn task_name(&self, _: &Self::State, _: TaskId) -> String {
//!         "clerk".to_owned()
//!     }
//! }
//!
//! let round_robin = Delays::named(&"rr".parse::<SchedulerName>()?);
//! let report = Search::new(&Clerks, &round_robin, &Options::default(), &()).run();
//! let bug = report.bug().expect("one clerk gets no cake");
//! let trace = dally_trace::trace(&Clerks, bug, &SourceMap::default(), Source::default(), false)?;
//! let text = dally_trace::text(&trace, &dally_trace::Look::default());
//! let lines: Vec<&str> = text.lines().map(str::trim).collect();
//! assert_eq!(lines, [
//!     "2 steps, 1 delay:",
//!     "step 2 delays clerk (task 0)",
//!     "",
//!     "1  clerk (task 0)",
//!     "~ delay: clerk (task 0)",
//!     "2  clerk (task 1)",
//!     "✗ there is no cake",
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrows;
mod assemble;
mod brief;
mod coverage;
mod data;
mod explain;
mod format;
mod html;
mod json;
mod last_step;
mod left_out;
mod look;
mod mermaid;
mod numbers;
mod sequence;
mod shorten;
mod summary;
mod svg;
mod text;

pub use assemble::{statements, trace};
pub use brief::brief;
pub use coverage::{CoverageItem, ItemKind};
pub use dally_text::source::Location;
pub use data::{
    Change, End, Failed, Given, Kind, Message, Source, Statement, StatementKind, TaskName, Trace, TraceStep,
    VERSION,
};
pub use explain::{Explain, Explained, Line, LineKind, Taken};
pub use format::{FORMATS, OutputFormat};
pub use html::html;
pub use json::{ReadError, from_json, json};
pub use last_step::{LastStep, last_step};
pub use left_out::LeftOut;
pub use look::Look;
pub use mermaid::mermaid;
pub use numbers::{MovedObjects, TaskNumbers};
pub use sequence::sequence;
pub use svg::svg;
pub use text::{text, titled};
