//! The cost of the choices of an execution, by the rule of the search: of a choice with many options, the
//! first option that has an outcome is free.

use std::collections::HashMap;

use dally_schedule::TaskId;

use crate::sample::{SampleOptions, Taken};
use crate::{Drawn, Fingerprint, Path, Program, Successors};

/// A choice: the state and the task of the step, and the options taken before in the step.
type Choice = (Fingerprint, TaskId, Path);

/// Calculates the cost of choices.
pub(crate) struct Prices<'a, P: Program> {
    program: &'a P,
    options: &'a SampleOptions,
    out: Successors<P::State>,
    /// For each choice that was examined, the options that have no outcome: those below this one.
    refuted: HashMap<Choice, u32>,
}

impl<'a, P: Program> Prices<'a, P> {
    pub(crate) fn new(program: &'a P, options: &'a SampleOptions) -> Self {
        // Steps are suspended where the search suspends them.
        let out = Successors::suspending_above(options.free_options as u64);
        Prices { program, options, out, refuted: HashMap::new() }
    }

    /// Returns true if the option costs something, unless no option before it has an outcome.
    pub(crate) fn may_cost(&self, drawn: &Drawn) -> bool {
        let has_many = drawn.options as usize > self.options.free_options;
        self.options.choice_cost > 0 && drawn.is_value && drawn.option > 0 && has_many
    }

    /// The cost of the choices of each step of an execution.
    pub(crate) fn of(&mut self, initial: u32, steps: &[Taken]) -> Vec<u32> {
        let mut costs = vec![0; steps.len()];
        let costly = |step: &Taken| step.drawn.iter().any(|drawn| self.may_cost(drawn));
        let Some(last) = steps.iter().rposition(costly) else { return costs };
        self.out.clear();
        self.program.initial(&mut self.out);
        let mut state = self.out.states().get(initial as usize).cloned();
        for (step, cost) in steps[..=last].iter().zip(&mut costs) {
            let Some(before) = state else { return costs };
            *cost = self.of_step(&before, step);
            let path: Path = step.drawn.iter().map(|drawn| drawn.option).collect();
            self.program.resume(&before, step.task, &path, &mut self.out);
            state = self.out.states().first().cloned();
        }
        costs
    }

    fn of_step(&mut self, state: &P::State, step: &Taken) -> u32 {
        let mut path = Path::new();
        let mut cost = 0;
        for drawn in &step.drawn {
            if self.may_cost(drawn) && self.has_outcome_below(state, step.task, &path, drawn.option) {
                cost += self.options.choice_cost;
            }
            path.push(drawn.option);
        }
        cost
    }

    /// Returns true if the choice at the end of the path has an option below this one with an outcome.
    fn has_outcome_below(&mut self, state: &P::State, task: TaskId, path: &Path, option: u32) -> bool {
        let choice = (self.program.fingerprint(state), task, path.clone());
        let mut first = self.refuted.get(&choice).copied().unwrap_or(0);
        let mut tried = path.clone();
        while first < option {
            tried.push(first);
            self.program.resume(state, task, &tried, &mut self.out);
            tried.pop();
            if !self.out.is_empty() {
                break;
            }
            first += 1;
        }
        self.refuted.insert(choice, first);
        first < option
    }
}
