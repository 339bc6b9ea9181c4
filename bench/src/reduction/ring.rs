//! Leader election in a unidirectional ring [Dolev, Klawe and Rodeh: An O(n log n) unidirectional
//! distributed algorithm for extrema finding in a circle, 1982], for every assignment of ids.
//!
//! An active node sends its value, and forwards the value of its active left neighbour to the next
//! active node. A node whose left neighbour has a greater value than itself and the neighbour's
//! neighbour takes over that value; the others become passive. A node that receives its own value
//! announces the winner.

use dally_explore::{Failure, Footprint, Object, Program, Successor, Successors, TaskId};

use super::append;

/// The task that assigns the ids; node i is task i + 1.
const ENVIRONMENT: TaskId = TaskId(0);

/// The number of leaders.
const LEADERS: Object = Object(0);

/// Leader election among up to eight nodes.
#[derive(Clone, Copy, Debug)]
pub struct Ring<const N: usize>;

/// The kinds of messages: a value, the value of a neighbour, the winner.
const ONE: u8 = 1;
const TWO: u8 = 2;
const WINNER: u8 = 3;

/// A message: its kind and value in 8 bits. No message is 0.
fn message(kind: u8, value: u8) -> u8 {
    value << 2 | kind
}

/// A node of the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Node {
    id: u8,
    max: u8,
    left: u8,
    /// The message that the node sends next, or 0.
    pending: u8,
    passive: bool,
    known: bool,
    done: bool,
}

/// The state of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State<const N: usize> {
    nodes: [Node; N],
    /// The channel from each node to the next, the oldest message lowest.
    channels: [u32; N],
    assigned: u8,
    leaders: u8,
}

impl<const N: usize> State<N> {
    fn send(&mut self, node: usize, message: u8) {
        self.channels[node] = append(self.channels[node], message) as u32;
    }

    fn is_enabled(&self, node: usize) -> bool {
        let Node { done, pending, .. } = self.nodes[node];
        usize::from(self.assigned) == N && (pending != 0 || !done && self.channels[(node + N - 1) % N] != 0)
    }

    /// The oldest message for a node.
    fn oldest(&self, node: usize) -> u8 {
        self.channels[(node + N - 1) % N] as u8
    }
}

impl Node {
    /// Handles a message. Returns true if the node is the leader.
    fn receives(&mut self, kind: u8, value: u8) -> bool {
        match kind {
            WINNER => {
                self.done = true;
                self.pending = if self.known { 0 } else { message(WINNER, value) };
                return value == self.id;
            }
            _ if self.passive => self.pending = message(kind, value),
            ONE if value == self.max => {
                (self.known, self.pending) = (true, message(WINNER, value));
            }
            ONE => (self.left, self.pending) = (value, message(TWO, value)),
            _ if self.left > value && self.left > self.max => {
                (self.max, self.pending) = (self.left, message(ONE, self.left));
            }
            _ => self.passive = true,
        }
        false
    }
}

impl<const N: usize> Program for Ring<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        let start = State { nodes: [Node::default(); N], channels: [0; N], assigned: 0, leaders: 0 };
        (0..=N as u32).map(TaskId).fold(out.push(start), Successor::posts);
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        if usize::from(state.assigned) < N {
            tasks.push(ENVIRONMENT);
        }
        tasks.extend((0..N).filter(|node| state.is_enabled(*node)).map(|node| TaskId(node as u32 + 1)));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        if task == ENVIRONMENT {
            for id in (1..=N as u8).filter(|id| state.nodes.iter().all(|node| node.id != *id)) {
                let mut next = *state;
                next.nodes[usize::from(state.assigned)] =
                    Node { id, max: id, pending: message(ONE, id), ..Node::default() };
                next.assigned += 1;
                out.push(next);
            }
            return;
        }
        let (mut next, me) = (*state, task.index() - 1);
        if state.nodes[me].pending != 0 {
            next.nodes[me].pending = 0;
            next.send(me, state.nodes[me].pending);
            out.push(next);
            return;
        }
        let received = state.oldest(me);
        next.channels[(me + N - 1) % N] >>= 8;
        if !next.nodes[me].receives(received & 3, received >> 2) {
            out.push(next);
            return;
        }
        next.leaders += 1;
        let successor = out.push(next);
        if next.leaders > 1 || usize::from(next.nodes[me].id) != N {
            successor.fails(Failure::assertion("the leader is not the node with the greatest id"));
        }
    }

    fn has_footprints(&self) -> bool {
        true
    }

    /// A node alone appends to its channel, and a node alone removes from it: they commute, so a
    /// channel is not an object. The election of a leader counts leaders.
    fn footprint(&self, state: &State<N>, task: TaskId, out: &mut Footprint) {
        if task == ENVIRONMENT {
            return;
        }
        let me = task.index() - 1;
        let Node { pending, id, .. } = state.nodes[me];
        if pending == 0 && state.oldest(me) == message(WINNER, id) {
            out.writes(LEADERS);
        }
    }

    fn futures(&self, _: &State<N>, _: TaskId, out: &mut Footprint) {
        out.writes(LEADERS);
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn a_ring_of_four_has_one_leader_with_and_without_reduction() {
        for reduction in [true, false] {
            let options = Options { reduction, ..Options::default() };
            let report = Search::new(&Ring::<4>, &Exhaustive, &options, &()).run();
            assert_eq!(report.verdict, Verdict::Proved);
        }
    }
}
