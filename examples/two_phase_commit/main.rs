//! A model in Rust: two-phase commit, explored exhaustively and with bounded delays.
//!
//! ```text
//! cargo run --release --example two_phase_commit -- 7
//! ```
//!
//! With 7 resource managers there are 296,448 states, and the verdict is `proved`.

mod model;

use dally_explore::{Delays, Exhaustive, Options, Report, SchedulerName, Search};
use model::TwoPhaseCommit;

fn main() {
    let resource_managers = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let program = TwoPhaseCommit { resource_managers };
    let options = Options::default();
    show(&Search::new(&program, &Exhaustive, &options, &()).run());

    let round_robin = Delays::named(&SchedulerName::Rr(dally_explore::Arrangement::Creation));
    for bound in 0..3 {
        let options = Options { bound: Some(bound), exact: true, ..Options::default() };
        show(&Search::new(&program, &round_robin, &options, &()).run());
    }
}

#[allow(clippy::print_stdout, reason = "an example is a command line")]
fn show(report: &Report) {
    let Report { verdict, coverage, strategy, .. } = report;
    println!("{strategy}: {verdict}; {} states, {} transitions", coverage.states, coverage.transitions);
}
