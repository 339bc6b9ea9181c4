//! Peterson's mutual exclusion for N processes (the filter lock), as guarded actions.

use dally_explore::{Failure, Program, Successors, TaskId};

/// The filter lock for up to five processes.
#[derive(Clone, Copy, Debug)]
pub struct Peterson<const N: usize> {
    /// Whether a process that waits looks at one of the others at a time, as it would have to in memory, instead of at
    /// all of them in one step.
    pub one_by_one: bool,
}

/// Where a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    Enter,
    Wait,
    Critical,
}

/// Phase and level of each process, how many others it has seen below its level, and who came last to each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<const N: usize> {
    phase: [Phase; N],
    level: [u8; N],
    seen: [u8; N],
    last: [u8; N],
}

/// Packs the state into one word: hashing is most of the work.
impl<const N: usize> std::hash::Hash for State<N> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        let word = (0..N).fold(0_u64, |word, i| {
            let phase = (self.phase[i] as u64) << 9 | u64::from(self.seen[i]) << 6;
            word << 11 | phase | u64::from(self.level[i] << 3 | self.last[i])
        });
        hasher.write_u64(word);
    }
}

impl<const N: usize> State<N> {
    /// Whether somebody else came later to the level of a process.
    fn is_pushed(&self, me: usize) -> bool {
        usize::from(self.last[usize::from(self.level[me])]) != me
    }

    /// Whether another one is below the level of a process.
    fn is_below(&self, other: usize, me: usize) -> bool {
        other == me || self.level[other] < self.level[me]
    }

    /// A process need not wait any more.
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
    /// Whether a process that waits sees that it is not up to those whom it looks at next.
    fn sees_below(self, state: &State<N>, me: usize) -> bool {
        let all = usize::from(state.seen[me])..N;
        all.take(if self.one_by_one { 1 } else { N }).all(|other| state.is_below(other, me))
    }

    fn can_move(self, state: &State<N>, me: usize) -> bool {
        state.phase[me] != Phase::Wait || state.is_pushed(me) || self.sees_below(state, me)
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
        tasks.extend((0..N as u32).filter(|process| self.can_move(state, *process as usize)).map(TaskId));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        let (mut next, me) = (*state, task.index());
        match state.phase[me] {
            Phase::Idle => (next.level[me], next.phase[me]) = (1, Phase::Enter),
            Phase::Enter => {
                (next.last[usize::from(state.level[me])], next.phase[me]) = (me as u8, Phase::Wait);
            }
            Phase::Wait => {
                // Where it reads one by one, it may look at either.
                if self.one_by_one && self.sees_below(state, me) {
                    let mut seen = *state;
                    seen.seen[me] += 1;
                    if usize::from(seen.seen[me]) == N {
                        seen.rise(me);
                    }
                    push(seen, out);
                    if !state.is_pushed(me) {
                        return;
                    }
                }
                next.rise(me);
            }
            Phase::Critical => (next.level[me], next.phase[me]) = (0, Phase::Idle),
        }
        push(next, out);
    }
}

fn push<const N: usize>(next: State<N>, out: &mut Successors<State<N>>) {
    let inside = next.phase.iter().filter(|phase| **phase == Phase::Critical).count();
    let successor = out.push(next);
    if inside > 1 {
        successor.fails(Failure::assertion("two processes are in the critical section"));
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn it_has_as_many_states_as_in_spin() {
        for (one_by_one, states) in [(false, 4_752), (true, 51_488)] {
            let report =
                Search::new(&Peterson::<4> { one_by_one }, &Exhaustive, &Options::default(), &()).run();
            assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, states));
        }
    }
}
