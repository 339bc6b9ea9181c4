//! Searches with reduction against searches without it, on random models; and mutants, which must differ.

mod model;

use std::collections::BTreeSet;
use std::sync::Mutex;

use dally_testing::{Random, for_seeds, say, seeds};

use super::Mutant;
use crate::policy::Policy;
use crate::{
    Delays, Depth, Exhaustive, Limit, Options, Preemptions, Report, SchedulerName, Search, Switches, Verdict,
    Watch,
};
use model::{GLOBALS, Model, Omitted, Op, State};

const NAMES: [&str; 8] = ["bag", "rr", "rr:reverse", "dfs", "df", "rtc", "random:9", "priority(rr)"];

#[derive(Default)]
struct Finals(Mutex<BTreeSet<[u8; GLOBALS]>>);

impl Watch<State> for Finals {
    fn final_state(&self, state: &State) {
        self.0.lock().expect("no thread panics with the lock").insert(state.globals);
    }
}

fn search<O: Policy>(model: &Model, policy: &O, options: &Options) -> (Report, BTreeSet<[u8; GLOBALS]>) {
    let finals = Finals::default();
    let report = Search::new(model, policy, options, &finals).run();
    if let Some(bug) = report.bug() {
        let replayed = crate::replay_under(model, policy, &bug.schedule).unwrap_or_else(|error| {
            panic!("{}: {error}: {:?} of {model:?}", policy.strategy(), bug.schedule);
        });
        assert_eq!(replayed.failure.as_ref(), Some(&bug.failure));
        assert_eq!(bug.schedule.cost(), bug.cost);
    }
    (report, finals.0.into_inner().expect("no thread panics with the lock"))
}

/// The number of reduced states, or a difference between a search with reduction and one without.
fn differs<O: Policy>(model: &Model, policy: &O, options: &Options, finals: &Expected) -> Option<String> {
    let (one, reached) = search(model, policy, options);
    let two = Options { threads: 2, share_from: 1, ..options.clone() };
    let (two, _) = search(model, policy, &two);
    let counts = |report: &Report| {
        let it = &report.coverage;
        (it.states, it.transitions, it.reduced, it.fused, it.completed_bound, it.depth)
    };
    let strategy = policy.strategy();
    if one.verdict != two.verdict || one.bug().is_none() && counts(&one) != counts(&two) {
        return Some(format!("{strategy}: {:?} with one thread, {:?} with two", counts(&one), counts(&two)));
    }
    match (&finals.0, &one.verdict) {
        (None, Verdict::Bug(_)) => None,
        (Some(expected), Verdict::Proved) if *expected == reached => None,
        (expected, verdict) => {
            Some(format!("{strategy}: {verdict:?} and {reached:?}, expected {expected:?} in {model:?}"))
        }
    }
}

/// The final states of a program without failures; `None` if the program can fail.
struct Expected(Option<BTreeSet<[u8; GLOBALS]>>);

fn expected(model: &Model) -> Expected {
    let options = Options { reduction: false, ..Options::default() };
    let (report, finals) = search(model, &Exhaustive, &options);
    Expected((report.verdict == Verdict::Proved).then_some(finals))
}

fn options_of(seed: u64) -> Options {
    let choice_cost = (seed % 2) as u32;
    Options { choice_cost, states: Some(200_000), ..Options::default() }
}

/// Compares all policies. Returns the first difference.
fn any_differs(model: &Model, options: &Options) -> Option<String> {
    let expected = expected(model);
    let named = NAMES.iter().map(|name| Delays::named(&name.parse::<SchedulerName>().expect("a good name")));
    let delays = named.map(|policy| differs(model, &policy, options, &expected));
    delays
        .chain([
            differs(model, &Exhaustive, options, &expected),
            differs(model, &Depth, options, &expected),
            differs(model, &Preemptions(Switches::Preemptive), options, &expected),
            differs(model, &Preemptions(Switches::All), options, &expected),
        ])
        .flatten()
        .next()
}

#[test]
fn reduction_preserves_failures_and_final_states() {
    let (mut bugs, mut proofs, mut reduced, mut fewer) = (0, 0, 0, 0);
    for_seeds("reduction", 300, |seed| {
        let model = Model::random(&mut Random::new(seed));
        let difference = any_differs(&model, &options_of(seed));
        assert_eq!(difference, None);
        let (with, _) = search(&model, &Exhaustive, &Options::default());
        let (without, _) = search(&model, &Exhaustive, &Options { reduction: false, ..Options::default() });
        *if with.bug().is_some() { &mut bugs } else { &mut proofs } += 1;
        reduced += u64::from(with.coverage.reduced + with.coverage.fused_ahead > 0);
        fewer += u64::from(with.coverage.states < without.coverage.states);
    });
    say(&format!("{bugs} with bugs, {proofs} without; {reduced} reduced, {fewer} to fewer states"));
    if seeds(300).end - seeds(300).start >= 100 {
        assert!(bugs > 20 && proofs > 20 && reduced > 50 && fewer > 30);
    }
}

/// A task without end must not keep the others from running.
fn endless() -> Vec<Model> {
    let service = vec![Op::Tick, Op::Yield, Op::Forever(0)];
    let producer = vec![Op::Tick, Op::Yield, Op::Add(1, 1), Op::Yield, Op::Tick, Op::Yield, Op::Forever(0)];
    let consumer = vec![Op::Await(1, 3), Op::Set(1, 0), Op::Yield, Op::AssertNot(0, 0)];
    let slow =
        vec![Op::Yield, Op::Yield, Op::Yield, Op::Yield, Op::Set(0, 1), Op::Yield, Op::AssertNot(0, 1)];
    [
        vec![service.clone(), vec![Op::AssertNot(0, 0)]],
        vec![service.clone(), service.clone(), slow.clone()],
        vec![producer, consumer],
        vec![service.clone(), slow.clone(), service],
    ]
    .into_iter()
    .map(|tasks| Model::of(&tasks))
    .collect()
}

fn misses_endless(mutant: Option<Mutant>) -> bool {
    endless().iter().any(|model| {
        NAMES.iter().any(|name| {
            let policy = Delays::named(&name.parse::<SchedulerName>().expect("a good name"));
            let options = Options { states: Some(20_000), mutant, ..Options::default() };
            let (report, _) = search(model, &policy, &options);
            report.verdict == Verdict::Inconclusive(Limit::States)
        })
    })
}

#[test]
fn endless_executions_do_not_starve_other_tasks() {
    assert!(!misses_endless(None));
}

/// The assertion fails if the third task runs before the second. The first one, which no other task observes, fixes the
/// order; so a search must not take its step alone.
fn misses_before_seal(mutant: Option<Mutant>) -> bool {
    let sealing = vec![Op::Seal, Op::Yield, Op::Tick];
    let fixed = [vec![Op::Set(0, 1)], vec![Op::AssertNot(0, 0)]];
    // The second model comes to the step that seals in a chain.
    let local = [vec![Op::Tick, Op::Yield], sealing.clone()].concat();
    [sealing, local].iter().any(|first| {
        let model = Model::of(&[std::slice::from_ref(first), &fixed[..]].concat());
        ["rr", "rtc", "df"].iter().any(|name| {
            let policy = Delays::named(&name.parse::<SchedulerName>().expect("a good name"));
            let options = Options { mutant, ..Options::default() };
            search(&model, &policy, &options).0.bug().is_none()
        })
    })
}

#[test]
fn steps_that_seal_do_not_suffice() {
    assert!(!misses_before_seal(None));
    assert!(misses_before_seal(Some(Mutant::SealsSuffice)));
    assert!(misses_before_seal(Some(Mutant::FusesSeals)));
}

/// The number of random models within which each mutant must be noticed, from a seed on that notices it.
const MODELS: u64 = 20_000;

/// The first seed that notices a mutant.
fn noticed(from: u64, model: impl Fn(Model) -> Model, mutant: Option<Mutant>) -> Option<u64> {
    (from..from + MODELS).find(|seed| {
        let options = Options { mutant, ..options_of(*seed) };
        any_differs(&model(Model::random(&mut Random::new(*seed))), &options).is_some()
    })
}

#[test]
fn mutants_are_noticed() {
    assert!(misses_endless(Some(Mutant::NoChainLimit)));
    for (mutant, from) in [
        (Mutant::NoProviso, 5179),
        (Mutant::ClosedStatesSuffice, 5179),
        (Mutant::OpenStatesGround, 7427),
        (Mutant::BlockedStepsSuffice, 577),
        (Mutant::SuspendedStepsSuffice, 1577),
        (Mutant::UnfusedOutcomesSuffice, 5179),
        (Mutant::FusesConflicts, 24),
        (Mutant::FusesLastOutcomes, 3),
        (Mutant::EndsInPassage, 5179),
    ] {
        let noticed = noticed(from, |model| model, Some(mutant));
        say(&format!("{mutant:?}: noticed by seed {noticed:?}"));
        assert!(noticed.is_some(), "{mutant:?}");
    }
    for (omitted, from) in Omitted::ALL {
        let noticed = noticed(from, |model| Model { omitted: Some(omitted), ..model }, None);
        say(&format!("{omitted:?}: noticed by seed {noticed:?}"));
        assert!(noticed.is_some(), "{omitted:?}");
    }
}
