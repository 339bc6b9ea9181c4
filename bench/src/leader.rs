//! Leader election in a ring (Chang and Roberts), for every assignment of ids, as guarded actions.
//!
//! Each node sends its id around the ring. A node forwards ids greater than its own and drops
//! smaller ones; the node that receives its own id is the leader.

use dally_explore::{Failure, Program, Successor, Successors, TaskId};

/// The task that assigns the ids; node i is task i + 1.
const ENVIRONMENT: TaskId = TaskId(0);

/// Leader election among up to eight nodes.
#[derive(Clone, Copy, Debug)]
pub struct Leader<const N: usize>;

/// The state of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State<const N: usize> {
    ids: [u8; N],
    /// An id that the node has received and must forward, or 0.
    held: [u8; N],
    assigned: u8,
    started: u8,
    leader: u8,
    /// The channel from each node to the next: four bits for each message, the oldest lowest.
    channels: [u32; N],
}

impl<const N: usize> State<N> {
    fn new() -> Self {
        State { ids: [0; N], held: [0; N], assigned: 0, started: 0, leader: 0, channels: [0; N] }
    }

    fn started(&self, node: usize) -> bool {
        self.started & (1 << node) != 0
    }

    fn send(&mut self, node: usize, id: u8) {
        let messages = (u32::BITS - self.channels[node].leading_zeros()).div_ceil(4);
        self.channels[node] |= u32::from(id) << (4 * messages);
    }

    fn node_is_enabled(&self, node: usize) -> bool {
        let can_start = usize::from(self.assigned) == N && !self.started(node);
        self.held[node] != 0 || can_start || self.channels[before::<N>(node)] != 0
    }
}

fn before<const N: usize>(node: usize) -> usize {
    (node + N - 1) % N
}

impl<const N: usize> Leader<N> {
    fn node(state: &State<N>, node: usize, out: &mut Successors<State<N>>) {
        let mut next = *state;
        if state.held[node] != 0 {
            next.held[node] = 0;
            next.send(node, state.held[node]);
            out.push(next);
            return;
        }
        if usize::from(state.assigned) == N && !state.started(node) {
            next.started |= 1 << node;
            next.send(node, state.ids[node]);
            out.push(next);
        }
        if state.channels[before::<N>(node)] != 0 {
            Self::receive(*state, node, out);
        }
    }

    fn receive(mut next: State<N>, node: usize, out: &mut Successors<State<N>>) {
        let channel = &mut next.channels[before::<N>(node)];
        let id = (*channel & 15) as u8;
        *channel >>= 4;
        if id > next.ids[node] {
            next.held[node] = id;
        } else if id == next.ids[node] {
            next.leader = node as u8 + 1;
        }
        let wrong = next.leader != 0 && usize::from(next.ids[usize::from(next.leader) - 1]) != N;
        let successor = out.push(next);
        if wrong {
            successor.fails(Failure::assertion("the leader does not have the highest id"));
        }
    }
}

impl<const N: usize> Program for Leader<N> {
    type State = State<N>;

    fn initial(&self, out: &mut Successors<State<N>>) {
        let tasks = (0..=N as u32).map(TaskId);
        tasks.fold(out.push(State::new()), Successor::posts);
    }

    fn enabled(&self, state: &State<N>, tasks: &mut Vec<TaskId>) {
        if usize::from(state.assigned) < N {
            tasks.push(ENVIRONMENT);
        }
        tasks.extend((0..N).filter(|node| state.node_is_enabled(*node)).map(|node| TaskId(node as u32 + 1)));
    }

    fn step(&self, state: &State<N>, task: TaskId, out: &mut Successors<State<N>>) {
        if task != ENVIRONMENT {
            return Self::node(state, task.index() - 1, out);
        }
        for id in (1..=N as u8).filter(|id| !state.ids.contains(id)) {
            let mut next = *state;
            next.ids[usize::from(state.assigned)] = id;
            next.assigned += 1;
            out.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn the_number_of_states_agrees_with_spin() {
        let report = Search::new(&Leader::<5>, &Exhaustive, &Options::default(), &()).run();
        assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, 469_281));
    }
}
