//! Two-phase commit for Stateright, in the style of its users: a state has vectors and a set of
//! messages, and a model lists its enabled actions before it executes them.

use std::collections::BTreeSet;

use stateright::{Model, Property};

/// Two-phase commit.
#[derive(Clone, Copy, Debug)]
pub struct Sets {
    /// The number of resource managers, without the transaction manager.
    pub resource_managers: usize,
}

/// The state of a resource manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manager {
    /// Working.
    Working,
    /// Ready to commit.
    Prepared,
    /// Committed.
    Committed,
    /// Aborted.
    Aborted,
}

/// A message. Messages are never removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// A resource manager is prepared.
    Prepared(usize),
    /// The transaction manager decides to commit.
    Commit,
    /// The transaction manager decides to abort.
    Abort,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    managers: Vec<Manager>,
    /// The resource managers that the transaction manager knows to be prepared.
    ready: Vec<bool>,
    messages: BTreeSet<Message>,
}

impl State {
    fn is_decided(&self) -> bool {
        self.messages.contains(&Message::Commit) || self.messages.contains(&Message::Abort)
    }
}

/// An action of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The transaction manager decides to commit.
    Commit,
    /// The transaction manager decides to abort.
    Abort,
    /// The transaction manager receives the message of a prepared resource manager.
    Learn(usize),
    /// A resource manager prepares.
    Prepare(usize),
    /// A resource manager aborts by itself.
    GiveUp(usize),
    /// A resource manager receives the decision to commit.
    FollowCommit(usize),
    /// A resource manager receives the decision to abort.
    FollowAbort(usize),
}

impl Model for Sets {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let n = self.resource_managers;
        vec![State { managers: vec![Manager::Working; n], ready: vec![false; n], messages: BTreeSet::new() }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let decided = state.is_decided();
        if !decided && state.ready.iter().all(|ready| *ready) {
            actions.push(Action::Commit);
        }
        if !decided {
            actions.push(Action::Abort);
        }
        for (i, manager) in state.managers.iter().enumerate() {
            if !decided && state.messages.contains(&Message::Prepared(i)) {
                actions.push(Action::Learn(i));
            }
            if *manager == Manager::Working {
                actions.extend([Action::Prepare(i), Action::GiveUp(i)]);
            }
            if state.messages.contains(&Message::Commit) {
                actions.push(Action::FollowCommit(i));
            }
            if state.messages.contains(&Message::Abort) {
                actions.push(Action::FollowAbort(i));
            }
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut state = state.clone();
        match action {
            Action::Commit => {
                state.messages.insert(Message::Commit);
            }
            Action::Abort => {
                state.messages.insert(Message::Abort);
            }
            Action::Learn(i) => state.ready[i] = true,
            Action::Prepare(i) => {
                state.managers[i] = Manager::Prepared;
                state.messages.insert(Message::Prepared(i));
            }
            Action::FollowCommit(i) => state.managers[i] = Manager::Committed,
            Action::GiveUp(i) | Action::FollowAbort(i) => state.managers[i] = Manager::Aborted,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::<Self>::always("consistent", |_, state| {
            let has = |manager| state.managers.contains(&manager);
            !(has(Manager::Committed) && has(Manager::Aborted))
        })]
    }
}
