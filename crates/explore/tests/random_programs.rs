//! Differential tests on small random programs: exact search against enumeration of executions,
//! cached against exhaustive search, one thread against two. Every counterexample is replayed.

mod common;

use std::collections::BTreeSet;
use std::sync::Mutex;

use common::{Globals, Reached, State, Tasks, enumerate, random_program};
use dally_explore::policy::Policy;
use dally_explore::{
    Delays, Depth, Exhaustive, Options, Plan, Preemptions, Report, SchedulerName, Search, StrategyName,
    Switches, Verdict, Watch, replay, replay_under,
};
use dally_testing::for_inputs;

const NAMES: [&str; 16] = [
    "bag",
    "rr",
    "rr:reverse",
    "rr:5",
    "dfs",
    "dfs:reverse",
    "df",
    "dfw",
    "rtc",
    "random:9",
    "priority(rr)",
    "pct:3,2",
    "rr with p1 before p0; p2 last; delay of p1 costs 2",
    "rtc with after creating p1 run receiver first; keep p0 and p2 together; after p0 enters s2 run it last",
    "rr:reverse with after p1 blocks run p0 first; p2 first; after p0 completes run p1 last",
    "random:4 with delay of any costs 3; p0 and p1 before p2",
];

fn scheduler(name: &str) -> Delays {
    Delays::named(&name.parse::<SchedulerName>().expect("a good name"))
}

/// Collects the values of the globals in final states.
#[derive(Default)]
struct Finals(Mutex<BTreeSet<Globals>>);

impl Watch<State> for Finals {
    fn final_state(&self, state: &State) {
        self.0.lock().expect("no thread panics with the lock").insert(state.globals);
    }
}

fn search<O: Policy>(program: &Tasks, policy: &O, options: &Options) -> (Report, BTreeSet<Globals>) {
    let finals = Finals::default();
    let report = Search::new(program, policy, options, &finals).run();
    confirm(program, policy, &report);
    (report, finals.0.into_inner().expect("no thread panics with the lock"))
}

/// Asserts that a counterexample replays with the same failure, and has the reported cost.
fn confirm<O: Policy>(program: &Tasks, policy: &O, report: &Report) {
    let Some(bug) = report.bug() else { return };
    assert_eq!(bug.schedule.strategy, policy.strategy());
    let text = bug.schedule.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&bug.schedule), "{text}");
    let json = serde_json::to_string(&bug.schedule).expect("plain data");
    assert_eq!(serde_json::from_str::<dally_explore::Schedule>(&json).expect("plain data"), bug.schedule);
    let replayed = replay(program, &bug.schedule, |_| {}).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(replayed.failure.as_ref(), Some(&bug.failure), "{text}");
    let replayed = replay_under(program, policy, &bug.schedule);
    assert_eq!(replayed.map(|replayed| replayed.failure), Ok(Some(bug.failure.clone())), "{text}");
    assert_eq!(bug.schedule.cost(), bug.cost, "{text}");
}

fn exact(bound: u32) -> Options {
    Options { bound: Some(bound), exact: true, ..Options::default() }
}

/// Asserts that exact search reaches at each bound the same final states as the enumeration of
/// executions, and finds a bug of least cost.
fn exact_agrees_with_enumeration<O: Policy>(program: &Tasks, policy: &O) {
    for bound in 0..3 {
        let (report, finals) = search(program, policy, &exact(bound));
        let Reached { finals: expected, fails } = enumerate(program, policy, bound);
        match report.bug() {
            Some(bug) => {
                assert!(fails && bug.cost <= bound, "{}: {bug:?}", policy.strategy());
                let cheaper = bug.cost.checked_sub(1).map(|bound| enumerate(program, policy, bound).fails);
                assert_ne!(cheaper, Some(true), "{}: {bug:?} in {program:?}", policy.strategy());
                return;
            }
            None => {
                assert!(!fails, "{} misses a bug at {bound} in {program:?}", policy.strategy());
                assert_eq!(finals, expected, "{} at {bound} in {program:?}", policy.strategy());
            }
        }
    }
}

#[test]
fn exact_search_agrees_with_enumeration() {
    // All orders of `bag` are free, so there are too many executions to enumerate.
    for name in NAMES.into_iter().filter(|name| *name != "bag") {
        let policy = scheduler(name);
        for_inputs(1_000, |u| {
            exact_agrees_with_enumeration(&random_program(u, u.len() % 2 == 0)?, &policy);
            Ok(())
        });
    }
}

#[test]
fn exact_preemption_bounding_agrees_with_enumeration() {
    for_inputs(1_000, |u| {
        let program = random_program(u, true)?;
        exact_agrees_with_enumeration(&program, &Preemptions(Switches::Preemptive));
        exact_agrees_with_enumeration(&program, &Preemptions(Switches::All));
        Ok(())
    });
}

fn is_bug(report: &Report) -> bool {
    report.bug().is_some()
}

/// Asserts that every cached search without a bound covers the whole program.
fn unbounded_searches_agree(program: &Tasks, awaits: bool) {
    let options = Options::default();
    let (all, finals) = search(program, &Exhaustive, &options);
    let same = |report: &Report, reached: &BTreeSet<Globals>| {
        assert_eq!(is_bug(report), is_bug(&all), "{} in {program:?}", report.strategy);
        if !is_bug(report) {
            assert_eq!(report.verdict, Verdict::Proved, "{} in {program:?}", report.strategy);
            assert_eq!(
                (reached, report.coverage.states),
                (&finals, all.coverage.states),
                "{}",
                report.strategy
            );
        }
    };
    for name in NAMES.into_iter().filter(|name| !(awaits && *name == "dfw")) {
        let (report, reached) = search(program, &scheduler(name), &options);
        same(&report, &reached);
    }
    let (report, reached) = search(program, &Depth, &options);
    same(&report, &reached);
    let (report, reached) = search(program, &Preemptions(Switches::Preemptive), &options);
    same(&report, &reached);
    let (report, reached) = search(program, &Preemptions(Switches::All), &options);
    same(&report, &reached);
    let strategies = SchedulerName::portfolio().into_iter().map(StrategyName::Delays).collect();
    let report = Plan { strategies, options, liveness: None, sampling: None }.search(program, &());
    assert_eq!(is_bug(&report), is_bug(&all));
}

#[test]
fn every_unbounded_search_covers_the_program() {
    for_inputs(1_000, |u| {
        unbounded_searches_agree(&random_program(u, false)?, false);
        Ok(())
    });
    for_inputs(1_000, |u| {
        unbounded_searches_agree(&random_program(u, true)?, true);
        Ok(())
    });
}

/// The generator produces programs with bugs and without: otherwise the tests above would be
/// vacuous.
#[test]
fn random_programs_cover_both_verdicts() {
    let (bugs, proofs) = (Mutex::new(0), Mutex::new(0));
    for_inputs(1_000, |u| {
        let program = random_program(u, true)?;
        let (report, _) = search(&program, &Exhaustive, &Options::default());
        let count = if is_bug(&report) { &bugs } else { &proofs };
        *count.lock().expect("no panics here") += 1;
        Ok(())
    });
    let (bugs, proofs) = (bugs.into_inner().expect("no panics"), proofs.into_inner().expect("no panics"));
    assert!(bugs > 10 && proofs > 10, "{bugs} with bugs, {proofs} without");
}

/// If a scheduler never proposes some task, a search that misses a bug must not claim a proof.
#[test]
fn incomplete_schedulers_never_prove_a_program_with_a_bug() {
    for_inputs(1_000, |u| {
        let program = random_program(u, true)?;
        let (all, _) = search(&program, &Exhaustive, &Options::default());
        for name in ["dfw", "bounded-bag:1", "priority(dfw)"] {
            let (report, _) =
                search(&program, &scheduler(name), &Options { bound: Some(20), ..Options::default() });
            if is_bug(&all) {
                assert_ne!(report.verdict, Verdict::Proved, "{name} in {program:?}");
            } else {
                assert!(!is_bug(&report));
            }
        }
        Ok(())
    });
}

/// One thread and two threads produce the same report.
#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    for_inputs(200, |u| {
        let program = random_program(u, true)?;
        for name in ["rr", "dfs", "rtc", "random:2"] {
            for (exact, choice_cost) in [(false, 0), (true, 0), (false, 1), (true, 2)] {
                let free_options = 1;
                let one = Options { bound: Some(6), exact, choice_cost, free_options, ..Options::default() };
                let two = Options { threads: 2, share_from: 1, ..one.clone() };
                let ((one, finals_one), (two, finals_two)) =
                    (search(&program, &scheduler(name), &one), search(&program, &scheduler(name), &two));
                assert_eq!(one.verdict, two.verdict, "{name} in {program:?}");
                assert_eq!(one.coverage.bound, two.coverage.bound);
                assert_eq!(one.coverage.completed_bound, two.coverage.completed_bound);
                if !is_bug(&one) {
                    assert_eq!(one.coverage.frontier, two.coverage.frontier);
                    assert_eq!(finals_one, finals_two);
                    assert_eq!(one.coverage.states, two.coverage.states);
                    assert_eq!(one.coverage.transitions, two.coverage.transitions);
                }
            }
        }
        Ok(())
    });
}

/// Dovetailing, costs of choices and limits on delays change the order of an unbounded search, and not its result.
#[test]
fn the_order_of_a_search_does_not_change_its_result() {
    for_inputs(100, |u| {
        let program = random_program(u, true)?;
        let (all, _) = search(&program, &Exhaustive, &Options::default());
        for name in ["rr", "rr:reverse", "rtc", "random:2"] {
            for horizon in [None, Some(0), Some(1), Some(3)] {
                for (choice_cost, free_options) in [(0, 2), (1, 1), (3, 1)] {
                    let options = Options { horizon, choice_cost, free_options, ..Options::default() };
                    let (report, _) = search(&program, &scheduler(name), &options);
                    assert_eq!(is_bug(&report), is_bug(&all), "{name}, {options:?} in {program:?}");
                    if !is_bug(&all) {
                        assert_eq!(report.coverage.states, all.coverage.states, "{name}, {options:?}");
                    }
                    let threads = Options { threads: 2, share_from: 1, ..options };
                    let (shared, _) = search(&program, &scheduler(name), &threads);
                    assert_eq!(shared.verdict, report.verdict, "{name}, {threads:?} in {program:?}");
                    assert_eq!(shared.coverage.completed_bound, report.coverage.completed_bound);
                }
            }
        }
        Ok(())
    });
}

/// A search that is cut off after some steps proves nothing if an execution is longer.
#[test]
fn executions_that_are_cut_off_are_no_proof() {
    for_inputs(1_000, |u| {
        let program = random_program(u, true)?;
        let (all, _) = search(&program, &scheduler("rr"), &Options::default());
        for steps in [1, 3, 6] {
            let options = Options { steps: Some(steps), ..Options::default() };
            let (report, _) = search(&program, &scheduler("rr"), &options);
            assert!(!is_bug(&report) || is_bug(&all));
            match report.verdict {
                dally_explore::Verdict::Proved => assert_eq!(report.coverage.states, all.coverage.states),
                _ => assert!(is_bug(&report) || report.coverage.cut > 0, "{report:?}"),
            }
        }
        Ok(())
    });
}
