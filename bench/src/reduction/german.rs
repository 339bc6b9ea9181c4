//! German's cache coherence protocol with clients that ask once: the protocol of
//! `examples/p/german_fixed.p`.
//!
//! A host grants shared or exclusive access. Before it grants exclusive access, or any access while a
//! client has exclusive access, it invalidates the copies of all clients and waits for their
//! acknowledgements.

use dally_explore::{Failure, Footprint, Object, Program, Successor, Successors, TaskId};

use super::append;

/// The number of clients.
const CLIENTS: usize = 3;

/// The task of the host. Client i is task i + 1.
const HOST: TaskId = TaskId(0);

/// The ends of the host's queues, and the clients that hold a copy.
const ASKS: Object = Object(0);
const ACKS: Object = Object(1);
const HOLDERS: Object = Object(2);

/// The messages to a client: grants of shared and exclusive access, and an invalidation.
const READ: u8 = 1;
const WRITE: u8 = 2;
const INVALIDATE: u8 = 3;

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct German {
    /// If false, the host grants access without invalidating copies, which is a bug.
    pub is_correct: bool,
}

/// The control location of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Phase {
    /// It waits for a request.
    #[default]
    Idle,
    /// It invalidates the copy of the first of these clients.
    Invalidate(u8),
    /// It waits for acknowledgements.
    Wait,
    /// It grants access.
    Grant,
}

/// The control location of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Client {
    /// It asks for access.
    #[default]
    Ask,
    /// It waits for access.
    Wait,
    /// It has access, until it is invalidated.
    Hold,
    /// It acknowledges.
    Acknowledge,
    Done,
}

/// The state of the system. Sets of clients are bit sets; a queue has 8 bits for each message, the
/// oldest lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    phase: Phase,
    sharers: u8,
    exclusive: bool,
    waiting: u8,
    asks: u32,
    acks: u32,
    /// The client that the host serves, and whether it asks for exclusive access.
    current: (u8, bool),
    clients: [Client; CLIENTS],
    queues: [u16; CLIENTS],
    readers: u8,
    writers: u8,
}

impl State {
    fn send(&mut self, client: usize, message: u8) {
        self.queues[client] = append(self.queues[client], message) as u16;
    }

    fn is_enabled(&self, task: TaskId) -> bool {
        if task == HOST {
            return match self.phase {
                Phase::Idle => self.asks != 0,
                Phase::Wait => self.acks != 0,
                Phase::Invalidate(_) | Phase::Grant => true,
            };
        }
        let me = task.index() - 1;
        match self.clients[me] {
            Client::Ask | Client::Acknowledge => true,
            Client::Wait | Client::Hold => self.queues[me] != 0,
            Client::Done => false,
        }
    }

    /// The objects that the step of a client touches at this control point.
    fn objects(client: Client) -> Option<Object> {
        match client {
            Client::Ask => Some(ASKS),
            Client::Wait | Client::Hold => Some(HOLDERS),
            Client::Acknowledge => Some(ACKS),
            Client::Done => None,
        }
    }

    /// The host waits for acknowledgements, or grants access.
    fn serve(&mut self) {
        self.phase = if self.waiting == 0 { Phase::Grant } else { Phase::Wait };
    }
}

impl German {
    fn host(self, state: &State, out: &mut Successors<State>) {
        let mut next = *state;
        match state.phase {
            Phase::Idle => {
                let ask = state.asks as u8;
                next.asks >>= 8;
                next.current = (ask >> 2, ask & 3 == WRITE);
                let invalidates = self.is_correct && (ask & 3 == WRITE || state.exclusive);
                next.phase = match invalidates && state.sharers != 0 {
                    true => Phase::Invalidate(state.sharers),
                    false => Phase::Grant,
                };
            }
            Phase::Invalidate(clients) => {
                next.send(clients.trailing_zeros() as usize, INVALIDATE);
                next.waiting += 1;
                next.phase = Phase::Invalidate(clients & (clients - 1));
                if next.phase == Phase::Invalidate(0) {
                    next.serve();
                }
            }
            Phase::Wait => {
                let client = state.acks as u8 - 1;
                next.acks >>= 8;
                next.sharers &= !(1 << client);
                next.waiting -= 1;
                next.serve();
            }
            Phase::Grant => {
                let (client, write) = state.current;
                next.phase = Phase::Idle;
                next.exclusive = write;
                next.sharers |= 1 << client;
                next.current = (0, false);
                next.send(usize::from(client), if write { WRITE } else { READ });
            }
        }
        out.push(next);
    }

    fn client(state: &State, me: usize, out: &mut Successors<State>) {
        let mut next = *state;
        match state.clients[me] {
            Client::Ask => {
                for access in [READ, WRITE] {
                    let asks = append(state.asks, (me as u8) << 2 | access) as u32;
                    next.clients[me] = Client::Wait;
                    out.push(State { asks, ..next });
                }
                return;
            }
            Client::Wait => {
                let is_read = state.queues[me] as u8 == READ;
                next.queues[me] >>= 8;
                next.clients[me] = Client::Hold;
                *(if is_read { &mut next.readers } else { &mut next.writers }) |= 1 << me;
                let successor = out.push(next);
                if next.writers.count_ones() > 1 || next.writers != 0 && next.readers != 0 {
                    successor.fails(Failure::assertion("a client writes while another one has access"));
                }
                return;
            }
            Client::Hold => {
                next.queues[me] >>= 8;
                next.readers &= !(1 << me);
                next.writers &= !(1 << me);
                next.clients[me] = Client::Acknowledge;
            }
            Client::Acknowledge => {
                next.acks = append(state.acks, me as u8 + 1) as u32;
                next.clients[me] = Client::Done;
            }
            Client::Done => {}
        }
        out.push(next);
    }
}

impl Program for German {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        (0..=CLIENTS as u32).map(TaskId).fold(out.push(State::default()), Successor::posts);
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..=CLIENTS as u32).map(TaskId).filter(|task| state.is_enabled(*task)));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        match task {
            HOST => self.host(state, out),
            TaskId(client) => Self::client(state, client as usize - 1, out),
        }
    }

    fn has_footprints(&self) -> bool {
        true
    }

    /// The host alone receives from its queues, and alone sends to the clients: its steps commute with
    /// those of the clients.
    fn footprint(&self, state: &State, task: TaskId, out: &mut Footprint) {
        if task != HOST {
            State::objects(state.clients[task.index() - 1]).into_iter().for_each(|object| out.writes(object));
        }
    }

    /// A client takes its steps in order: each may touch the objects of its next step and later ones.
    fn futures(&self, state: &State, task: TaskId, out: &mut Footprint) {
        let order = [Client::Ask, Client::Wait, Client::Hold, Client::Acknowledge];
        for (other, client) in state.clients.iter().enumerate() {
            if other + 1 != task.index() {
                let later = order.iter().skip_while(|step| *step != client);
                later.filter_map(|step| State::objects(*step)).for_each(|object| out.writes(object));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use dally_explore::{Exhaustive, Options, Search, Verdict};

    use super::*;

    #[test]
    fn copies_are_coherent_if_the_host_invalidates_them() {
        for (reduction, is_correct) in [(true, true), (false, true), (true, false), (false, false)] {
            let options = Options { reduction, ..Options::default() };
            let report = Search::new(&German { is_correct }, &Exhaustive, &options, &()).run();
            assert_eq!(report.verdict == Verdict::Proved, is_correct);
            assert_eq!(matches!(report.verdict, Verdict::Bug(_)), !is_correct);
        }
    }
}
