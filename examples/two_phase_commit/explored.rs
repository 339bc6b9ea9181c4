//! A model in Rust with properties, to be read beside Stateright's `examples/2pc.rs`: two-phase commit after the TLA⁺
//! specification TwoPhase of Lamport and Gray, "Consensus on transaction commit".
//!
//! ```text
//! cargo run --release -p dally-explorer --example two_phase_commit_explored -- check 3
//! cargo run --release -p dally-explorer --example two_phase_commit_explored -- explore 3
//! ```
//!
//! | Stateright | dally |
//! |---|---|
//! | `Model::init_states` | [`Program::initial`], which also posts the tasks |
//! | `Model::actions`, `Model::next_state` | [`Program::enabled`] and [`Program::step`]: the actions of one task are the outcomes of its step |
//! | `Model::properties` | [`Checked::always`], [`Checked::sometimes`], [`Checked::eventually`] |
//! | `Model::format_action` | [`Explain::action`] |
//! | `Checker::spawn_bfs().join()` | [`Checked::check`] |
//! | `Checker::serve` | [`Server::serve`] |
//!
//! With 3 resource managers there are 288 states, as Stateright counts. A transaction manager that never decides leaves
//! everything open for ever, so that "all have decided" is an `eventually` only of fair executions.

use std::collections::BTreeSet;

use dally_explore::{Checked, Plan, Program, Successors, TaskId};
use dally_explorer::{Explorer, Server};
use dally_trace::{Change, Explain, Taken, TaskNumbers};

/// The protocol. The transaction manager is the first task; resource manager i is task i + 1.
struct TwoPhaseCommit {
    resource_managers: u32,
}

const TRANSACTION_MANAGER: TaskId = TaskId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Resource {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Decision {
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    Prepared(u32),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    resources: Vec<Resource>,
    decision: Decision,
    /// The resource managers of whose preparation the transaction manager knows.
    prepared: Vec<bool>,
    /// Messages are never lost, and never removed.
    messages: BTreeSet<Message>,
}

impl State {
    fn with(&self, change: impl FnOnce(&mut State)) -> State {
        let mut next = self.clone();
        change(&mut next);
        next
    }
}

impl Program for TwoPhaseCommit {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        let count = self.resource_managers as usize;
        let state = State {
            resources: vec![Resource::Working; count],
            decision: Decision::Open,
            prepared: vec![false; count],
            messages: BTreeSet::new(),
        };
        let initial = out.push(state).posts(TRANSACTION_MANAGER);
        (1..=self.resource_managers).fold(initial, |initial, task| initial.posts(TaskId(task)));
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        if state.decision == Decision::Open {
            tasks.push(TRANSACTION_MANAGER);
        }
        let decided = state.decision != Decision::Open;
        let can_run = |rm: &u32| decided || state.resources[*rm as usize] == Resource::Working;
        tasks.extend((0..self.resource_managers).filter(can_run).map(|rm| TaskId(rm + 1)));
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let Some(rm) = task.0.checked_sub(1) else { return self.transaction_manager(state, out) };
        let at = rm as usize;
        if state.resources[at] == Resource::Working {
            out.push(state.with(|next| {
                next.resources[at] = Resource::Prepared;
                next.messages.insert(Message::Prepared(rm));
            }));
            out.push(state.with(|next| next.resources[at] = Resource::Aborted));
        }
        if state.messages.contains(&Message::Commit) {
            out.push(state.with(|next| next.resources[at] = Resource::Committed));
        }
        if state.messages.contains(&Message::Abort) {
            out.push(state.with(|next| next.resources[at] = Resource::Aborted));
        }
    }
}

impl TwoPhaseCommit {
    fn transaction_manager(&self, state: &State, out: &mut Successors<State>) {
        for rm in 0..self.resource_managers {
            if state.messages.contains(&Message::Prepared(rm)) {
                out.push(state.with(|next| next.prepared[rm as usize] = true));
            }
        }
        if state.prepared.iter().all(|prepared| *prepared) {
            out.push(state.with(|next| {
                next.decision = Decision::Committed;
                next.messages.insert(Message::Commit);
            }));
        }
        out.push(state.with(|next| {
            next.decision = Decision::Aborted;
            next.messages.insert(Message::Abort);
        }));
    }
}

impl Explain for TwoPhaseCommit {
    fn task_name(&self, _: &State, task: TaskId) -> String {
        match task {
            TRANSACTION_MANAGER => "transaction manager".to_owned(),
            TaskId(task) => format!("resource manager {}", task - 1),
        }
    }

    fn action(&self, taken: &Taken<'_, State>) -> Option<String> {
        let Taken { before, after, task, .. } = taken;
        if *task == TRANSACTION_MANAGER {
            let learns =
                before.prepared.iter().zip(&after.prepared).position(|(before, after)| before != after);
            return Some(match (after.decision, learns) {
                (Decision::Committed, _) => "commits".to_owned(),
                (Decision::Aborted, _) => "aborts".to_owned(),
                (Decision::Open, Some(rm)) => format!("learns that {rm} is prepared"),
                (Decision::Open, None) => "hears again that one is prepared".to_owned(),
            });
        }
        let at = task.0 as usize - 1;
        Some(match (before.resources[at], after.resources[at]) {
            (Resource::Working, Resource::Prepared) => "prepares".to_owned(),
            (Resource::Working, Resource::Aborted) => "chooses to abort".to_owned(),
            (_, Resource::Committed) => "receives the commit".to_owned(),
            _ => "receives the abort".to_owned(),
        })
    }

    fn variables(&self, state: &State, _: &TaskNumbers) -> Vec<Change> {
        let change = |variable: String, value: String| Change { variable, shared: true, value };
        let resources = state.resources.iter().enumerate();
        let resources = resources.map(|(rm, it)| change(format!("resource manager {rm}"), format!("{it:?}")));
        let messages: Vec<String> = state.messages.iter().map(|message| format!("{message:?}")).collect();
        let rest = [
            change("decision".to_owned(), format!("{:?}", state.decision)),
            change("messages".to_owned(), messages.join(", ")),
        ];
        resources.chain(rest).collect()
    }
}

/// The protocol with the properties of Stateright's example.
fn model(resource_managers: u32) -> Checked<TwoPhaseCommit> {
    Checked::new(TwoPhaseCommit { resource_managers })
        .sometimes("abort agreement", |state| state.resources.iter().all(|it| *it == Resource::Aborted))
        .sometimes("commit agreement", |state| state.resources.iter().all(|it| *it == Resource::Committed))
        .always("consistent", |state| {
            let has = |it| state.resources.contains(&it);
            !(has(Resource::Aborted) && has(Resource::Committed))
        })
}

#[allow(clippy::print_stdout, reason = "an example is a command line")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let resource_managers = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(3);
    let model = model(resource_managers);
    if command == "explore" {
        let server = Server::bind(0)?;
        println!("exploring at {}", server.url());
        server.serve(&Explorer::of_model(&model, &"rr".parse()?))?;
    }
    let checked = model.check(&Plan::exhaustive());
    println!("{}; {} states", checked.report.verdict, checked.report.coverage.states);
    checked.never.iter().for_each(|name| println!("no state satisfies `{name}`"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_those_that_stateright_counts() {
        for (resource_managers, states) in [(3, 288), (5, 8832)] {
            let model = model(resource_managers);
            let checked = model.check(&Plan::exhaustive());
            assert!(checked.is_proved());
            assert_eq!(checked.report.coverage.states, states);
        }
    }

    #[test]
    fn a_fair_execution_decides() {
        let decided = |state: &State| state.decision != Decision::Open;
        let unfinished = |state: &State| state.resources.contains(&Resource::Prepared);
        // The transaction manager may hear of preparations for ever.
        let checked = model(2).eventually("decided", decided);
        assert!(!checked.check(&Plan::exhaustive()).is_satisfied());
        let never = model(2).eventually("one is prepared", unfinished);
        assert!(!never.check(&Plan::exhaustive()).is_satisfied());
    }
}
