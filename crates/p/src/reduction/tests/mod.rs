//! The analysis against an oracle: on random programs, steps that are said to commute do commute, and a
//! search that takes them alone finds the same failures and final states as a full search.
//!
//! | file | what it checks |
//! |---|---|
//! | `commute` | the definition, state by state; each rule is needed |
//! | `search` | a reduced search against a full one; states of the examples |

mod commute;
pub(crate) mod generate;
mod search;

use dally_explore::{Failure, Program as _, TaskId};
use dally_text::source::SourceMap;

use super::{Rule, Rules};
use crate::machine::Machine;
use crate::state::State;

/// The test of this name, or the first one.
pub(crate) fn machine(text: &str, test: &str) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("test.p", text).unwrap();
    let program = crate::load(&sources).unwrap_or_else(|d| panic!("{text}\n{d:?}"));
    let test = program.tests.iter().find(|t| t.name == test).unwrap_or(&program.tests[0]);
    Machine::new(&program, test, &sources)
}

pub(crate) fn enabled(machine: &Machine, state: &State) -> Vec<u32> {
    let mut tasks = Vec::new();
    machine.enabled(state, &mut tasks);
    tasks.iter().map(|TaskId(task)| *task).collect()
}

/// The outcomes of a step: states and failures.
#[derive(Default)]
pub(crate) struct Outcomes {
    pub(crate) states: Vec<State>,
    pub(crate) failures: Vec<Failure>,
}

pub(crate) fn step(machine: &Machine, state: &State, task: u32) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for outcome in machine.outcomes(state, task) {
        match outcome {
            Ok(state) => outcomes.states.push(state),
            Err(failure) => outcomes.failures.push(failure),
        }
    }
    outcomes.failures.sort_by(|a, b| a.message.cmp(&b.message));
    outcomes.failures.dedup();
    outcomes
}
