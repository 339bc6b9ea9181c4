//! Two-phase commit with separate processes and channels: the protocol of
//! `examples/p/two_phase_commit_fixed.p`.
//!
//! The coordinator executes two transactions. It asks the participants to prepare and starts a
//! timer, decides when it has all votes, one refusal or the timer, and sends its decision. All
//! messages to the coordinator arrive in one queue.

use dally_explore::{Failure, Footprint, Object, Program, Successor, Successors, TaskId};

use super::append;

/// The tasks. Participant i is task i + 2.
const COORDINATOR: TaskId = TaskId(0);
const TIMER: TaskId = TaskId(1);

/// The kinds of messages.
const PREPARE: u8 = 1;
const DECIDED: u8 = 2;
const VOTE: u8 = 1;
const FIRED: u8 = 2;

/// The number of transactions.
const TRANSACTIONS: u8 = 2;

/// Two-phase commit among up to three participants.
#[derive(Clone, Copy, Debug)]
pub struct Commit<const N: usize> {
    /// If false, the coordinator counts votes for earlier transactions, which is a bug.
    pub is_correct: bool,
}

/// The end of the coordinator's queue.
const INBOX: Object = Object(0);

/// The control location of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// It asks a participant to prepare.
    Prepare(u8),
    /// It starts the timer.
    Fire,
    /// It waits for votes and the timer.
    Wait,
    /// It sends its decision to a participant: true for commit.
    Decide(bool, u8),
    /// It ignores messages.
    Done,
}

/// The state of the system. A queue has 8 bits for each message, the oldest lowest: its kind in two
/// bits, the transaction in two, and for a vote the participant and the vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State<const N: usize> {
    phase: Phase,
    transaction: u8,
    votes: u8,
    inbox: u64,
    /// The messages for each participant.
    queues: [u32; N],
    /// The transaction that a participant votes on next, or 0.
    voting: [u8; N],
    /// The transactions for which the timer is started.
    timers: u16,
    /// The transaction whose timer fires next, or 0.
    firing: u8,
    /// A bit for each transaction that a participant has refused.
    refused: u8,
}

/// The set of refusals of a transaction.
fn refusals(transaction: u8) -> Object {
    Object(1 + u64::from(transaction))
}

impl<const N: usize> State<N> {
    fn send(&mut self, participant: usize, kind: u8) {
        let queue = &mut self.queues[participant];
        *queue = append(*queue, kind | self.transaction << 2) as u32;
    }

    fn tell(&mut self, kind: u8, transaction: u8, from: usize, yes: bool) {
        let message = kind | transaction << 2 | (from as u8) << 4 | u8::from(yes) << 6;
        self.inbox = append(self.inbox, message) as u64;
    }

    /// Returns true if a participant is asked to prepare for a transaction, and has not yet voted.
    fn is_asked(&self, participant: usize, transaction: u8) -> bool {
        let asked = u32::from(PREPARE | transaction << 2);
        self.voting[participant] == transaction
            || self.queues[participant].to_le_bytes().iter().any(|message| u32::from(*message) == asked)
    }

    /// Returns true if a participant may vote before the coordinator moves, or after it.
    fn may_vote(&self, participant: usize) -> bool {
        let is_asked_later = match self.phase {
            Phase::Prepare(next) => usize::from(next) <= participant || self.transaction < TRANSACTIONS,
            Phase::Done => false,
            _ => self.transaction < TRANSACTIONS,
        };
        is_asked_later || (1..=TRANSACTIONS).any(|transaction| self.is_asked(participant, transaction))
    }

    /// Returns true if the timer may fire.
    fn may_fire(&self) -> bool {
        let is_started_later =
            matches!(self.phase, Phase::Prepare(_) | Phase::Fire) || self.transaction < TRANSACTIONS;
        self.firing != 0 || self.timers != 0 || is_started_later
    }

    fn is_enabled(&self, task: TaskId) -> bool {
        match task {
            COORDINATOR => !matches!(self.phase, Phase::Wait | Phase::Done) || self.inbox != 0,
            TIMER => self.firing != 0 || self.timers != 0,
            TaskId(participant) => {
                let participant = participant as usize - 2;
                self.voting[participant] != 0 || self.queues[participant] != 0
            }
        }
    }

    /// The coordinator handles the oldest message.
    fn receive(&mut self, is_correct: bool) {
        let message = self.inbox as u8;
        self.inbox >>= 8;
        let is_late = message >> 2 & 3 != self.transaction;
        if self.phase == Phase::Done || is_correct && is_late {
            return;
        }
        if message & 3 == FIRED || message >> 6 == 0 {
            self.phase = Phase::Decide(false, 0);
        } else {
            self.votes += 1;
            if usize::from(self.votes) == N {
                self.phase = Phase::Decide(true, 0);
            }
        }
    }
}

impl<const N: usize> Commit<N> {
    fn coordinator(self, state: &State<N>, out: &mut Successors<State<N>>) {
        let mut next = *state;
        match state.phase {
            Phase::Prepare(participant) => {
                next.send(usize::from(participant), PREPARE);
                let is_last = usize::from(participant) + 1 == N;
                next.phase = if is_last { Phase::Fire } else { Phase::Prepare(participant + 1) };
            }
            Phase::Fire => {
                next.timers = append(state.timers, state.transaction) as u16;
                next.phase = Phase::Wait;
            }
            Phase::Wait | Phase::Done => next.receive(self.is_correct),
            Phase::Decide(commit, participant) => {
                next.send(usize::from(participant), DECIDED);
                next.phase = Phase::Decide(commit, participant + 1);
                if usize::from(participant) + 1 == N {
                    (next.phase, next.votes) = (Phase::Done, 0);
                    if state.transaction < TRANSACTIONS {
                        (next.phase, next.transaction) = (Phase::Prepare(0), state.transaction + 1);
                    }
                }
                let successor = out.push(next);
                if commit && state.refused & 1 << state.transaction != 0 {
                    successor.fails(Failure::assertion("a participant has refused the transaction"));
                }
                return;
            }
        }
        out.push(next);
    }

    fn timer(state: &State<N>, out: &mut Successors<State<N>>) {
        let mut next = *state;
        if state.firing != 0 {
            next.tell(FIRED, state.firing, 0, false);
            next.firing = 0;
            out.push(next);
            return;
        }
        next.timers >>= 8;
        out.push(next);
        next.firing = state.timers as u8;
        out.push(next);
    }

    fn participant(state: &State<N>, me: usize, out: &mut Successors<State<N>>) {
        let mut next = *state;
        if state.voting[me] == 0 {
            let message = state.queues[me] as u8;
            next.queues[me] >>= 8;
            if message & 3 == PREPARE {
                next.voting[me] = message >> 2;
            }
            out.push(next);
            return;
        }
        next.voting[me] = 0;
        for yes in [true, false] {
            let mut next = next;
            next.tell(VOTE, state.voting[me], me, yes);
            if !yes {
                next.refused |= 1 << state.voting[me];
            }
            out.push(next);
        }
    }
}

impl<const N: usize> Program for Commit<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        let start = State {
            phase: Phase::Prepare(0),
            transaction: 1,
            votes: 0,
            inbox: 0,
            queues: [0; N],
            voting: [0; N],
            timers: 0,
            firing: 0,
            refused: 0,
        };
        (0..N as u32 + 2).map(TaskId).fold(out.push(start), Successor::posts);
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..N as u32 + 2).map(TaskId).filter(|task| state.is_enabled(*task)));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        match task {
            COORDINATOR => self.coordinator(state, out),
            TIMER => Self::timer(state, out),
            TaskId(participant) => Self::participant(state, participant as usize - 2, out),
        }
    }

    fn has_footprints(&self) -> bool {
        true
    }

    /// The queues of the participants and the timer have one sender and one receiver, which commute.
    /// The coordinator's queue has several senders, which do not.
    fn footprint(&self, state: &State<N>, task: TaskId, out: &mut Footprint) {
        match task {
            COORDINATOR => {
                if let Phase::Decide(true, _) = state.phase {
                    out.reads(refusals(state.transaction));
                }
            }
            TIMER if state.firing != 0 => out.writes(INBOX),
            TIMER => {}
            TaskId(participant) => {
                let transaction = state.voting[participant as usize - 2];
                if transaction != 0 {
                    out.writes(INBOX);
                    out.writes(refusals(transaction));
                }
            }
        }
    }

    fn futures(&self, state: &State<N>, task: TaskId, out: &mut Footprint) {
        if task == COORDINATOR {
            let others = (1..=TRANSACTIONS).filter(|of| (0..N).any(|other| state.is_asked(other, *of)));
            others.for_each(|transaction| out.writes(refusals(transaction)));
            return;
        }
        // The coordinator commits a transaction after it has all votes, so that its check does not
        // conflict with a refusal that is yet to come, unless it counts other votes.
        if !self.is_correct {
            (1..=TRANSACTIONS).for_each(|transaction| out.reads(refusals(transaction)));
        }
        let another = (0..N).any(|other| TaskId(other as u32 + 2) != task && state.may_vote(other));
        if another || task != TIMER && state.may_fire() {
            out.writes(INBOX);
        }
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn participants_agree_unless_votes_are_counted_late() {
        for (reduction, is_correct) in [(true, true), (false, true), (true, false), (false, false)] {
            let options = Options { reduction, ..Options::default() };
            let report = Search::new(&Commit::<2> { is_correct }, &Exhaustive, &options, &()).run();
            assert_eq!(report.verdict == Verdict::Proved, is_correct);
            assert_eq!(matches!(report.verdict, Verdict::Bug(_)), !is_correct);
        }
    }
}
