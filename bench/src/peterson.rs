//! Peterson's mutual exclusion for N processes (the filter lock), as guarded actions.

use dally_explore::{Failure, Program, Successors, TaskId};

/// The filter lock for up to eight processes.
#[derive(Clone, Copy, Debug)]
pub struct Peterson<const N: usize>;

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Enter,
    Wait,
    Critical,
}

/// Phase and level of each process, and who came last to each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const N: usize> {
    phase: [Phase; N],
    level: [u8; N],
    last: [u8; N],
}

/// Packs the state into one word: hashing is most of the work.
impl<const N: usize> std::hash::Hash for State<N> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        let word = (0..N).fold(0_u64, |word, i| {
            word << 8 | (self.phase[i] as u64) << 6 | u64::from(self.level[i] << 3 | self.last[i])
        });
        hasher.write_u64(word);
    }
}

impl<const N: usize> State<N> {
    fn can_move(&self, me: usize) -> bool {
        let level = self.level[me];
        let below = |other: usize| other == me || self.level[other] < level;
        self.phase[me] != Phase::Wait || usize::from(self.last[usize::from(level)]) != me || (0..N).all(below)
    }
}

impl<const N: usize> Program for Peterson<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        (0..N as u32).fold(
            out.push(State { phase: [Phase::Idle; N], level: [0; N], last: [0; N] }),
            |initial, process| initial.posts(TaskId(process)),
        );
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..N as u32).filter(|process| state.can_move(*process as usize)).map(TaskId));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
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
        let report = Search::new(&Peterson::<4>, &Exhaustive, &Options::default(), &()).run();
        assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, 4_752));
    }
}
