//! A sliding window protocol (go back N) over channels that lose messages.
//!
//! The sender sends the items of its window, each with a sequence number, and then handles
//! acknowledgements. When there is none, it sends the window again, up to a number of retries. The
//! receiver acknowledges each message with the number of the item that it expects next.

use dally_explore::{Failure, Footprint, Object, Program, Successor, Successors, TaskId};

use super::append;

const SENDER: TaskId = TaskId(0);
const RECEIVER: TaskId = TaskId(1);

/// The end of the queue of acknowledgements. The sender reads it where it finds the queue empty.
const ACKS: Object = Object(0);

const ITEMS: u8 = 6;
const WINDOW: u8 = 2;

/// The protocol with this many sequence numbers. It is correct if they are more than two, the size of
/// the window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The number of sequence numbers.
    pub numbers: u8,
    /// How often the sender sends its window again: at most 7 times, since a queue holds 16 messages.
    pub retries: u8,
}

/// The state of the protocol. A queue has 8 bits for each message, the oldest lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    base: u8,
    next: u8,
    retries: u8,
    done: bool,
    expected: u8,
    /// True if the receiver sends or loses an acknowledgement next.
    acknowledges: bool,
    /// Item numbers plus 1. The sequence number follows from the item.
    data: u128,
    /// Sequence numbers plus 1.
    acks: u128,
}

impl State {
    fn is_sending(&self) -> bool {
        !self.done && self.next < self.base + WINDOW && self.next < ITEMS
    }

    /// Returns true if the sender looks for acknowledgements and finds none.
    fn finds_none(&self) -> bool {
        !self.done && !self.is_sending() && self.acks == 0
    }
}

impl Window {
    fn sender(self, state: &State, out: &mut Successors<State>) {
        let mut next = *state;
        if state.is_sending() {
            next.next += 1;
            out.push(next);
            next.data = append(state.data, state.next + 1);
        } else if state.acks != 0 {
            let ack = state.acks as u8 - 1;
            next.acks >>= 8;
            if !state.done {
                next.base += (ack + self.numbers - state.base % self.numbers) % self.numbers;
                next.next = next.next.max(next.base);
            }
        } else if state.retries < self.retries && state.base < ITEMS {
            (next.retries, next.next) = (state.retries + 1, state.base);
        } else {
            next.done = true;
        }
        out.push(next);
    }

    fn receiver(self, state: &State, out: &mut Successors<State>) {
        let mut next = *state;
        if state.acknowledges {
            next.acknowledges = false;
            out.push(next);
            next.acks = append(state.acks, state.expected % self.numbers + 1);
            out.push(next);
            return;
        }
        let item = state.data as u8 - 1;
        next.data >>= 8;
        next.acknowledges = true;
        let is_expected = item % self.numbers == state.expected % self.numbers;
        next.expected += u8::from(is_expected);
        let successor = out.push(next);
        if is_expected && item != state.expected {
            successor.fails(Failure::assertion("an item is delivered out of order"));
        }
    }
}

impl Program for Window {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        [SENDER, RECEIVER].into_iter().fold(out.push(State::default()), Successor::posts);
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        if !state.done || state.acks != 0 {
            tasks.push(SENDER);
        }
        if state.acknowledges || state.data != 0 {
            tasks.push(RECEIVER);
        }
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        match task {
            SENDER => self.sender(state, out),
            _ => self.receiver(state, out),
        }
    }

    fn has_footprints(&self) -> bool {
        true
    }

    fn footprint(&self, state: &State, task: TaskId, out: &mut Footprint) {
        if task == SENDER && state.finds_none() {
            out.reads(ACKS);
        }
        if task == RECEIVER && state.acknowledges {
            out.writes(ACKS);
        }
    }

    fn futures(&self, state: &State, task: TaskId, out: &mut Footprint) {
        if task == SENDER && (state.acknowledges || state.data != 0) {
            out.writes(ACKS);
        }
        if task == RECEIVER && !state.done {
            out.reads(ACKS);
        }
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn items_arrive_in_order_with_enough_sequence_numbers() {
        for (reduction, numbers) in [(true, 3), (false, 3), (true, 2), (false, 2)] {
            let options = Options { reduction, ..Options::default() };
            let report = Search::new(&Window { numbers, retries: 3 }, &Exhaustive, &options, &()).run();
            assert_eq!(report.verdict == Verdict::Proved, numbers == 3);
            assert_eq!(matches!(report.verdict, Verdict::Bug(_)), numbers == 2);
        }
    }
}
