//! Peterson's mutual exclusion for N processes (the filter lock), as guarded actions.

use dally_explore::{Failure, Footprint, Object, Program, Successors, TaskId};

/// The filter lock for up to five processes.
#[derive(Clone, Copy, Debug)]
pub struct Peterson<const N: usize> {
    /// If true, a waiting process reads one variable in a step, repeatedly, as real code would;
    /// otherwise it reads all of them in one step.
    pub one_by_one: bool,
}

/// The program counter of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Enter,
    Wait,
    /// The process has seen another one that is not below its level.
    Check,
    Critical,
}

/// For each process its phase, its level, and the number of others that it has seen below its
/// level; for each level the process that entered it last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const N: usize> {
    phase: [Phase; N],
    level: [u8; N],
    seen: [u8; N],
    last: [u8; N],
}

/// Hashes the state as one word, since hashing dominates the search.
impl<const N: usize> std::hash::Hash for State<N> {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        let word = (0..N).fold(0_u64, |word, i| {
            let phase = (self.phase[i] as u64) << 9 | u64::from(self.seen[i]) << 6;
            word << 12 | phase | u64::from(self.level[i] << 3 | self.last[i])
        });
        hasher.write_u64(word);
    }
}

impl<const N: usize> State<N> {
    /// Returns true if another process has entered the level of `me` later.
    fn is_pushed(&self, me: usize) -> bool {
        usize::from(self.last[usize::from(self.level[me])]) != me
    }

    /// Returns true if `other` is below the level of `me`.
    fn is_below(&self, other: usize, me: usize) -> bool {
        other == me || self.level[other] < self.level[me]
    }

    /// Moves a process from waiting to the next level, or into the critical section.
    fn rise(&mut self, me: usize) {
        self.seen[me] = 0;
        if usize::from(self.level[me]) + 1 == N {
            self.phase[me] = Phase::Critical;
        } else {
            (self.level[me], self.phase[me]) = (self.level[me] + 1, Phase::Enter);
        }
    }
}

impl<const N: usize> Peterson<N> {
    fn is_enabled(self, state: &State<N>, me: usize) -> bool {
        self.one_by_one
            || state.phase[me] != Phase::Wait
            || state.is_pushed(me)
            || (0..N).all(|other| state.is_below(other, me))
    }
}

impl<const N: usize> Program for Peterson<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        (0..N as u32).fold(
            out.push(State { phase: [Phase::Idle; N], level: [0; N], seen: [0; N], last: [0; N] }),
            |initial, process| initial.posts(TaskId(process)),
        );
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..N as u32).filter(|process| self.is_enabled(state, *process as usize)).map(TaskId));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        let (mut next, me) = (*state, task.index());
        match state.phase[me] {
            Phase::Idle => (next.level[me], next.phase[me]) = (1, Phase::Enter),
            Phase::Enter => {
                (next.last[usize::from(state.level[me])], next.phase[me]) = (me as u8, Phase::Wait);
            }
            Phase::Wait if !self.one_by_one => next.rise(me),
            Phase::Wait if !state.is_below(usize::from(state.seen[me]), me) => next.phase[me] = Phase::Check,
            Phase::Wait if usize::from(state.seen[me]) + 1 == N => next.rise(me),
            Phase::Wait => next.seen[me] += 1,
            Phase::Check if state.is_pushed(me) => next.rise(me),
            Phase::Check => next.phase[me] = Phase::Wait,
            Phase::Critical => (next.level[me], next.phase[me]) = (0, Phase::Idle),
        }
        let inside = next.phase.iter().filter(|phase| **phase == Phase::Critical).count();
        let successor = out.push(next);
        if inside > 1 {
            successor.fails(Failure::assertion("two processes are in the critical section"));
        }
    }
}

/// The filter lock with its footprints. A waiting process reads one variable in a step, except where
/// it would compare its level with itself.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<const N: usize>;

impl<const N: usize> Reduced<N> {
    const LOCK: Peterson<N> = Peterson { one_by_one: true };
}

impl<const N: usize> Program for Reduced<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        Self::LOCK.initial(out);
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        Self::LOCK.enabled(state, tasks);
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        Self::LOCK.step(state, task, out);
    }

    fn has_footprints(&self) -> bool {
        true
    }

    /// The processes may write all variables from here on, so one object stands for all of them.
    fn footprint(&self, state: &State<N>, task: TaskId, out: &mut Footprint) {
        let me = task.index();
        let is_last = usize::from(state.seen[me]) + 1 == N;
        if state.phase[me] != Phase::Wait || usize::from(state.seen[me]) != me || is_last {
            out.writes(Object(0));
        }
    }

    fn futures(&self, _: &State<N>, _: TaskId, out: &mut Footprint) {
        out.writes(Object(0));
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn the_number_of_states_agrees_with_spin() {
        for (one_by_one, states) in [(false, 4_752), (true, 217_120)] {
            let report =
                Search::new(&Peterson::<4> { one_by_one }, &Exhaustive, &Options::default(), &()).run();
            assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, states));
        }
    }
}
