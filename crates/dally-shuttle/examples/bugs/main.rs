//! Runs one of the programs under the default portfolio, or lists them.
//!
//! ```text
//! cargo run -p dally-shuttle --example bugs -- philosophers
//! ```
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "an example is a command line"
)]

use dally_shuttle::{Config, explore};

#[path = "all.rs"]
mod bugs;

fn main() {
    let name = std::env::args().nth(1);
    for program in bugs::PROGRAMS {
        if name.is_none() {
            println!("{}", program.name);
        } else if name.as_deref() == Some(program.name) {
            println!("{}", explore(&Config::default(), program.run));
        }
    }
}
