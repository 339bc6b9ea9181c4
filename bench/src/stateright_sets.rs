//! Two-phase commit for Stateright, as its users write models: a state of vectors and a set of messages, and
//! actions that are listed and then taken.

use std::collections::BTreeSet;

use stateright::{Model, Property};

/// Two-phase commit.
#[derive(Clone, Copy, Debug)]
pub struct Sets {
    /// How many take part, besides the one who decides.
    pub resource_managers: usize,
}

/// Where one who takes part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manager {
    /// At work.
    Working,
    /// Ready to commit.
    Prepared,
    /// Done.
    Committed,
    /// Given up.
    Aborted,
}

/// What was sent; it stays for all to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// One is ready.
    Prepared(usize),
    /// All shall commit.
    Commit,
    /// All shall give up.
    Abort,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    managers: Vec<Manager>,
    /// Of whom it is known that they are ready.
    ready: Vec<bool>,
    messages: BTreeSet<Message>,
}

impl State {
    fn is_decided(&self) -> bool {
        self.messages.contains(&Message::Commit) || self.messages.contains(&Message::Abort)
    }
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It is decided to commit.
    Commit,
    /// It is decided to give up.
    Abort,
    /// It is learnt that one is ready.
    Learn(usize),
    /// One becomes ready.
    Prepare(usize),
    /// One gives up by itself.
    GiveUp(usize),
    /// One follows the decision to commit.
    FollowCommit(usize),
    /// One follows the decision to give up.
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
