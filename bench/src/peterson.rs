//! Peterson's mutual exclusion for N processes (the filter lock), as guarded actions.

use dally_explore::{Failure, Program, Successors, TaskId};

/// The number of processes.
const N: usize = 4;

/// The filter lock for four processes.
#[derive(Clone, Copy, Debug)]
pub struct Peterson;

/// Where a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Phase {
    #[default]
    Idle,
    Enter,
    Wait,
    Critical,
}

/// Phase and level of each process, and who came last to each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    phase: [Phase; N],
    level: [u8; N],
    last: [u8; N],
}

/// Packs the state into one word: hashing is most of the work.
impl std::hash::Hash for State {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        let word = (0..N).fold(0_u64, |word, i| {
            word << 8 | (self.phase[i] as u64) << 4 | u64::from(self.level[i] << 2 | self.last[i])
        });
        hasher.write_u64(word);
    }
}

impl State {
    fn can_move(&self, me: usize) -> bool {
        let level = self.level[me];
        let below = |other: usize| other == me || self.level[other] < level;
        self.phase[me] != Phase::Wait || usize::from(self.last[usize::from(level)]) != me || (0..N).all(below)
    }
}

impl Program for Peterson {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        (0..N as u32).fold(out.push(State::default()), |initial, process| initial.posts(TaskId(process)));
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..N as u32).filter(|process| state.can_move(*process as usize)).map(TaskId));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let (mut next, me) = (*state, task.index());
        let level = usize::from(state.level[me]);
        match state.phase[me] {
            Phase::Idle => (next.level[me], next.phase[me]) = (1, Phase::Enter),
            Phase::Enter => (next.last[level], next.phase[me]) = (me as u8, Phase::Wait),
            Phase::Wait if level + 1 == N => next.phase[me] = Phase::Critical,
            Phase::Wait => (next.level[me], next.phase[me]) = (state.level[me] + 1, Phase::Enter),
            Phase::Critical => (next.level[me], next.phase[me]) = (0, Phase::Idle),
        }
        let inside = next.phase.iter().filter(|phase| **phase == Phase::Critical).count();
        let successor = out.push(next);
        if inside > 1 {
            successor.fails(Failure::assertion("two processes are in the critical section"));
        }
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn it_has_as_many_states_as_in_spin() {
        let report = Search::new(&Peterson, &Exhaustive, &Options::default(), &()).run();
        assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, 4_752));
    }
}
