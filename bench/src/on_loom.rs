//! The programs of `dally-shuttle` on loom, where it can run them: loom supports at most five
//! threads, and no tasks that can be aborted.
#![allow(missing_docs, clippy::unwrap_used, reason = "the programs are examples, not an interface")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub mod sync {
    pub use loom::sync::{Arc, Condvar, Mutex, atomic};
    pub use loom::thread;
}

#[path = "../../crates/dally-shuttle/examples/bugs/bank_account.rs"]
pub mod bank_account;
#[path = "../../crates/dally-shuttle/examples/bugs/bounded_buffer.rs"]
pub mod bounded_buffer;
#[path = "../../crates/dally-shuttle/examples/bugs/lazy_initialisation.rs"]
pub mod lazy_initialisation;
#[path = "../../crates/dally-shuttle/examples/bugs/lost_wakeup.rs"]
pub mod lost_wakeup;
#[path = "../../crates/dally-shuttle/examples/bugs/philosophers.rs"]
pub mod philosophers;
#[path = "../../crates/dally-shuttle/examples/bugs/reader_writer.rs"]
pub mod reader_writer;
#[path = "../../crates/dally-shuttle/examples/bugs/relay.rs"]
pub mod relay;
#[path = "../../crates/dally-shuttle/examples/bugs/token_ring.rs"]
pub mod token_ring;
#[path = "../../crates/dally-shuttle/examples/bugs/treiber_stack.rs"]
pub mod treiber_stack;
#[path = "../../crates/dally-shuttle/examples/bugs/two_stage.rs"]
pub mod two_stage;
#[path = "../../crates/dally-shuttle/examples/bugs/work_stealing.rs"]
pub mod work_stealing;
#[path = "../../crates/dally-shuttle/examples/bugs/writers.rs"]
pub mod writers;
#[path = "../../crates/dally-shuttle/examples/bugs/wrong_lock.rs"]
pub mod wrong_lock;

/// The program of this name, if loom can run it.
fn program(name: &str) -> Option<fn()> {
    Some(match name {
        "bank_account" => bank_account::run,
        "bounded_buffer" => bounded_buffer::run,
        "lazy_initialisation" => lazy_initialisation::run,
        "lost_wakeup" => lost_wakeup::run,
        "philosophers" => philosophers::run,
        "reader_writer" => reader_writer::run,
        "relay" => relay::run,
        "token_ring" => token_ring::run,
        "treiber_stack" => treiber_stack::run,
        "two_stage" => || two_stage::run(1),
        "work_stealing" => work_stealing::run,
        "writers_3" => || writers::run(3),
        "wrong_lock" => wrong_lock::run,
        _ => return None,
    })
}

/// The number of executions that loom runs until it finds the bug, up to a limit; `None` if it
/// cannot run the program. Runs [`answer`] in a child process, since loom aborts at a deadlock.
pub fn until_bug(name: &str) -> Option<Option<u64>> {
    program(name)?;
    let output = Command::new(std::env::current_exe().ok()?).args(["loom", name]).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}

/// Runs the program of this name on loom. When it fails, prints the number of executions and exits.
#[allow(clippy::print_stdout, reason = "the parent process reads the result from stdout")]
pub fn answer(name: &str, limit: u64) {
    let Some(program) = program(name) else { return };
    let runs = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&runs);
    std::panic::set_hook(Box::new(move |_| {
        println!("{}", runs.load(Relaxed));
        std::process::exit(1);
    }));
    let mut builder = loom::model::Builder::new();
    builder.max_permutations = Some(limit as usize);
    builder.check(move || {
        counter.fetch_add(1, Relaxed);
        program();
    });
}
