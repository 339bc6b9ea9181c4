//! Growth of delay-bounded exploration with the number of tasks: polynomial (Iᴷ), not exponential.
//!
//! The programs have n identical tasks, each of which yields once between two steps. The table
//! compares exact exploration with K = 2 delays to preemption bounding at the same bound, and to
//! the whole state space.
//!
//! ```text
//! cargo run --release -p dally-bench --bin growth
//! ```
#![allow(clippy::print_stdout, reason = "a benchmark is a command line")]

use dally_explore::policy::Policy;
use dally_explore::{
    Arrangement, Delays, Exhaustive, Options, Preemptions, Program, SchedulerName, Search, Successor,
    Successors, Switches, TaskId, Verdict,
};

/// Tasks of two steps; bits i and 64 + i are set after the first and second step of task i.
struct Tasks(u32);

impl Program for Tasks {
    type State = u128;

    fn initial(&self, out: &mut Successors<u128>) {
        (0..self.0).map(TaskId).fold(out.push(0), Successor::posts);
    }

    fn enabled(&self, state: &u128, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..self.0).filter(|task| state & (1 << (64 + task)) == 0).map(TaskId));
    }

    fn step(&self, state: &u128, task: TaskId, out: &mut Successors<u128>) {
        let first = 1 << task.0;
        if state & first == 0 {
            out.push(state | first);
        } else {
            out.push(state | (first << 64)).completes();
        }
    }
}

/// The number of states within the bound, unless there are too many.
fn states(tasks: u32, policy: &impl Policy, bound: Option<u32>) -> String {
    let options = Options { bound, exact: bound.is_some(), states: Some(3_000_000), ..Options::default() };
    let report = Search::new(&Tasks(tasks), policy, &options, &()).run();
    match report.verdict {
        Verdict::Inconclusive(_) => "more than 3 million".to_owned(),
        _ => report.coverage.states.to_string(),
    }
}

fn main() {
    let round_robin = Delays::named(&SchedulerName::Rr(Arrangement::Creation));
    println!("| tasks | 2 delays (rr) | 2 preemptions | all states |\n|---|---|---|---|");
    for tasks in [2, 4, 8, 16, 32, 64] {
        let delays = states(tasks, &round_robin, Some(2));
        let preemptions = states(tasks, &Preemptions(Switches::Preemptive), Some(2));
        println!("| {tasks} | {delays} | {preemptions} | {} |", states(tasks, &Exhaustive, None));
    }
}
