//! An explorer: a page in a browser in which one walks through the state space of a program, step by step.
//!
//! [`Server::bind`] listens on the loopback interface only, at an address with a random token, and
//! [`Server::serve`] answers for one program: the page, and three questions about a path from an initial state. The server
//! keeps nothing between requests: the page sends the whole path each time. [`Explorer`] answers the questions without a
//! network. A model in Rust implements [`Explain`](dally_trace::Explain), of which only the names of tasks are required:
//!
//! ```no_run
//! use dally_explore::{Program, Successors, TaskId};
//! use dally_explorer::{Explorer, Server};
//! use dally_trace::{Explain, Source};
//!
//! /// Two tasks count to three.
//! struct Counter;
//!
//! impl Program for Counter {
//!     type State = u32;
//!     fn initial(&self, out: &mut Successors<u32>) {
//!         out.push(0).posts(TaskId(0)).posts(TaskId(1));
//!     }
//!     fn enabled(&self, count: &u32, tasks: &mut Vec<TaskId>) {
//!         tasks.extend((0..2).filter(|_| *count < 3).map(TaskId));
//!     }
//!     fn step(&self, count: &u32, _: TaskId, out: &mut Successors<u32>) {
//!         out.push(count + 1);
//!     }
//! }
//!
//! impl Explain for Counter {
//!     fn task_name(&self, _: &u32, _: TaskId) -> String {
//!         "counter".to_owned()
//!     }
//! }
//!
//! let server = Server::bind(0)?;
//! println!("{}", server.url());
//! server.serve(&Explorer::of_model(&Counter, &"rr".parse()?))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod explorer;
mod from_state;
mod server;
mod view;

pub use explorer::{Explorer, ExplorerLimits};
pub use server::Server;
pub use view::{OfferView, OutcomeView, PathStep, View, WalkPath};
