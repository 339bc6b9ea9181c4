//! Coverage against a plain recount: every step of every state is observed.

use std::collections::BTreeSet;

use dally_explore::{Exhaustive, Options, Search, Verdict};
use dally_step::observer::Observer;
use dally_testing::for_seeds;
use dally_text::source::Span;
use dally_trace::{Explain, ItemKind};

use crate::check::info::EventId;
use crate::execute::Note;
use crate::machine::Machine;
use crate::reduction::tests::{enabled, generate, machine, step};

/// The instructions that steps execute, and the events that they send.
#[derive(Default)]
struct Counter {
    addresses: BTreeSet<u32>,
    events: BTreeSet<EventId>,
}

impl Observer<Note> for &mut Counter {
    const WATCHES: bool = true;

    fn note(&mut self, note: Note) {
        match note {
            Note::At(address, _) => {
                self.addresses.insert(address);
            }
            Note::Sends(_, event, _) | Note::Raises(event, _) | Note::Announces(event, _) => {
                self.events.insert(event);
            }
            _ => {}
        }
    }
}

/// Everything that executions do, by plain enumeration. `None` if there are too many states.
fn recount(machine: &Machine) -> Option<Counter> {
    let mut counter = Counter::default();
    let mut todo = vec![machine.initial_state()];
    let mut seen = BTreeSet::new();
    while let Some(state) = todo.pop() {
        if !seen.insert(state.fingerprint().0) {
            continue;
        }
        if seen.len() > 2000 {
            return None;
        }
        for task in enabled(machine, &state) {
            machine.observe_all(&state, task, &mut counter);
            todo.extend(step(machine, &state, task).states);
        }
    }
    Some(counter)
}

#[test]
fn marks_agree_with_a_recount() {
    let mut compared = 0;
    for_seeds("coverage of P", 25, |seed| {
        let text = generate::program(seed);
        let searched = machine(&text, "T");
        let options = Options { states: Some(4000), ..Options::default() };
        let report = Search::new(&searched, &Exhaustive, &options, &()).run();
        if report.verdict != Verdict::Proved {
            return;
        }
        let recounted = machine(&text, "T");
        let Some(expected) = recount(&recounted) else { return };
        let span = |address: &u32| recounted.code.spans[*address as usize];
        let mut statements: BTreeSet<Span> = expected.addresses.iter().map(span).collect();
        statements.remove(&Span::NONE);
        let reached = |kind| {
            let items = searched.coverage().into_iter().filter(move |item| item.kind == kind && item.reached);
            items.collect::<Vec<_>>()
        };
        // The entry functions of monitors run before the first step.
        let marked: BTreeSet<Span> = reached(ItemKind::Statement).iter().map(|item| item.span).collect();
        assert!(statements.is_subset(&marked), "{text}");
        let before: BTreeSet<Span> = recounted
            .coverage()
            .into_iter()
            .filter(|item| item.reached && item.kind == ItemKind::Statement)
            .map(|item| item.span)
            .collect();
        assert!(marked.is_subset(&before), "{text}");
        let events: BTreeSet<String> = reached(ItemKind::Event).into_iter().map(|item| item.name).collect();
        let name = |event: &EventId| recounted.code.events[*event as usize].name.clone();
        let sent: BTreeSet<String> = expected.events.iter().map(name).filter(|name| name != "halt").collect();
        assert_eq!(events, sent, "{text}");
        compared += 1;
    });
    assert!(compared > 8, "{compared}");
}

#[test]
fn events_states_handlers_and_transitions_are_listed() {
    let text = "event eA; event eB; event eC;
    machine Main {
      start state First {
        entry { send this, eA; }
        on eA do { if ($) { goto Second; } }
        on eB goto Third;
      }
      state Second { ignore eA; on eC do { helper(); } }
      state Third { entry { raise eC; } on eC do { } }
      fun helper() { send this, eB; }
    }
    test T [main=Main]: { Main };";
    let machine = machine(text, "T");
    Search::new(&machine, &Exhaustive, &Options::default(), &()).run();
    let items = |reached| {
        let items = machine.coverage().into_iter().filter(move |item| {
            item.reached == reached && !matches!(item.kind, ItemKind::Statement | ItemKind::Branch)
        });
        items.map(|item| format!("{} {}", item.kind.word(), item.name)).collect::<Vec<_>>()
    };
    assert_eq!(
        items(true),
        [
            "event eA",
            "state Main.First",
            "handler Main.First on eA",
            "transition Main.First → Second",
            "state Main.Second",
        ]
    );
    assert_eq!(
        items(false),
        [
            "procedure helper",
            "event eB",
            "event eC",
            "handler Main.First on eB",
            "transition Main.First → Third",
            "handler Main.Second on eC",
            "state Main.Third",
            "handler Main.Third on eC",
        ]
    );
}
