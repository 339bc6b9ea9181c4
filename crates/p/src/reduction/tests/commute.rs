//! The definition of `commutes`, checked by enumeration.

use std::collections::BTreeSet;

use dally_explore::{Fingerprint, Footprint};
use dally_testing::{for_seeds, say};
use rustc_hash::FxHashSet;

use super::generate::program;
use super::{Machine, Rule, Rules, State, enabled, machine, step};

/// The states of a program that are examined.
const STATES: usize = 120;
/// The states that the others reach from each of them, and the steps that they take.
const STATES_OF_OTHERS: usize = 60;
const STEPS_OF_OTHERS: usize = 4;

/// The first states of a program, in breadth-first order.
fn first_states(machine: &Machine, limit: usize) -> Vec<State> {
    let mut states = vec![machine.initial_state()];
    let mut seen: FxHashSet<Fingerprint> = states.iter().map(State::fingerprint).collect();
    let mut at = 0;
    while at < states.len() && states.len() < limit {
        let state = states[at].clone();
        for task in enabled(machine, &state) {
            let next = step(machine, &state, task).states;
            states.extend(next.into_iter().filter(|state| seen.insert(state.fingerprint())));
        }
        at += 1;
    }
    states
}

fn fingerprints(states: &[State]) -> BTreeSet<Fingerprint> {
    states.iter().map(State::fingerprint).collect()
}

/// Checks that a step of `task` commutes with a step of `other` in a state. Returns the reason if not.
fn check_pair(machine: &Machine, state: &State, task: u32, other: u32) -> Result<(), String> {
    let (first, second) = (step(machine, state, task), step(machine, state, other));
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for (start, last, expected, all) in
        [(&first, other, &second, &mut one), (&second, task, &first, &mut two)]
    {
        for state in &start.states {
            if !enabled(machine, state).contains(&last) {
                return Err(format!("{last} is disabled"));
            }
            let next = step(machine, state, last);
            if next.failures != expected.failures {
                return Err(format!("{last} fails differently: {:?} {:?}", next.failures, expected.failures));
            }
            all.extend(next.states);
        }
    }
    if fingerprints(&one) == fingerprints(&two) {
        Ok(())
    } else {
        Err(format!("{task} and {other} do not commute: {} and {} states", one.len(), two.len()))
    }
}

/// Checks a step that is said to commute with all that the others can do before it.
fn check_step(machine: &Machine, state: &State, task: u32) -> Result<(), String> {
    let mut seen: FxHashSet<Fingerprint> = FxHashSet::default();
    let mut layer = vec![state.clone()];
    for _ in 0..STEPS_OF_OTHERS {
        let mut next = Vec::new();
        for state in layer {
            let tasks = enabled(machine, &state);
            if !tasks.contains(&task) {
                return Err(format!("{task} is disabled"));
            }
            for other in tasks.into_iter().filter(|other| *other != task) {
                check_pair(machine, &state, task, other)?;
                let states = step(machine, &state, other).states;
                next.extend(states.into_iter().filter(|state| seen.insert(state.fingerprint())));
            }
            if seen.len() > STATES_OF_OTHERS {
                return Ok(());
            }
        }
        layer = next;
    }
    Ok(())
}

/// Counters of a check.
#[derive(Default)]
struct Checked {
    steps: usize,
    commute: usize,
    /// The steps that other machines can observe.
    observed: usize,
}

/// Checks all steps in the first states of a program.
fn check(machine: &Machine, checked: &mut Checked) -> Result<(), String> {
    for state in first_states(machine, STATES) {
        for task in enabled(machine, &state) {
            checked.steps += 1;
            if machine.commutes_alone(&state, task) {
                checked.commute += 1;
                let observed = machine.observed(&machine.taking(&state, task));
                checked.observed += usize::from(observed.is_some_and(|observed| !observed.is_local()));
                check_step(machine, &state, task)?;
            }
        }
    }
    Ok(())
}

#[test]
fn steps_commute_as_the_analysis_says() {
    let mut checked = Checked::default();
    for_seeds("commutes of random P programs", 20, |seed| {
        let text = program(seed);
        let machine = machine(&text, "");
        check(&machine, &mut checked).unwrap_or_else(|why| panic!("{why}\n{text}"));
    });
    let Checked { steps, commute, observed } = checked;
    say(&format!("{commute} of {steps} steps commute, {observed} of them observed by other machines"));
    assert!(commute * 4 > steps && observed * 20 > commute);
}

/// Partial-order sampling compares the footprints of two steps.
#[test]
fn steps_that_do_not_conflict_commute() {
    let (mut pairs, mut commute) = (0, 0);
    for_seeds("footprints of random P programs", 20, |seed| {
        let text = program(seed);
        let machine = machine(&text, "");
        for state in first_states(&machine, STATES) {
            let footprint = |task: u32| {
                let mut footprint = Footprint::default();
                machine.footprint_of(&state, task, &mut footprint);
                footprint
            };
            let tasks = enabled(&machine, &state);
            for (nth, task) in tasks.iter().enumerate() {
                for other in &tasks[..nth] {
                    pairs += 1;
                    if !footprint(*task).conflicts(&footprint(*other)) {
                        commute += 1;
                        check_pair(&machine, &state, *task, *other)
                            .unwrap_or_else(|why| panic!("{why}\n{text}"));
                    }
                }
            }
        }
    });
    say(&format!("{commute} of {pairs} pairs of steps commute"));
    assert!(commute * 4 > pairs && commute < pairs);
}

/// The parent holds no reference that it sends to, but its child does.
const CHILD: &str = "event eA; event eB;
machine Sink { start state S { on eA do { } on eB do { } } }
machine Child { start state S { entry (x: machine) { send x, eB; } } }
machine Parent { start state S { entry (x: machine) { new Child(x); } } }
machine Other { start state S { entry (x: machine) { send x, eA; } } }
machine Main { start state S { entry { var s: machine; s = new Sink(); new Parent(s); new Other(s); } } }
test T [main=Main]: { Main, Sink, Child, Parent, Other };";

/// Only one machine sends to the sink, which handles `null` if it finds no event.
const DEFAULT: &str = "event eA;
machine Sink { var n: int; start state S { on null do { if (n < 2) { n = n + 1; } } on eA do { } } }
machine Other { start state S { entry (x: machine) { send x, eA; } } }
machine Main { start state S { entry { var s: machine; s = new Sink(); new Other(s); } } }
test T [main=Main]: { Main, Sink, Other };";

/// For each rule, a seed whose program needs it, or the program.
const NEEDED: [(Rule, Result<u64, &str>); 11] = [
    (Rule::Senders, Ok(2)),
    (Rule::Defaults, Err(DEFAULT)),
    (Rule::FindsNothing, Ok(6)),
    (Rule::Creates, Ok(5)),
    (Rule::Monitors, Ok(36)),
    (Rule::Own, Ok(2)),
    (Rule::Received, Ok(2)),
    (Rule::Queued, Ok(2)),
    (Rule::Wakes, Ok(50)),
    (Rule::Frames, Ok(3)),
    (Rule::Children, Err(CHILD)),
];

#[test]
fn each_rule_is_needed() {
    let needs = |rule: Rule, text: &str| {
        let mut machine = machine(text, "");
        machine.reduction.rules = Rules { dropped: Some(rule) };
        check(&machine, &mut Checked::default()).is_err()
    };
    let mut missing = Vec::new();
    for (rule, program_or_seed) in NEEDED {
        let needed = match program_or_seed {
            Ok(seed) => needs(rule, &program(seed)),
            Err(text) => {
                check(&machine(text, ""), &mut Checked::default()).unwrap_or_else(|why| panic!("{why}"));
                needs(rule, text)
            }
        };
        if !needed {
            // The generator has changed.
            missing.push((rule, (1..600).find(|seed| needs(rule, &program(*seed)))));
        }
    }
    assert!(missing.is_empty(), "other seeds need these rules: {missing:?}");
}
