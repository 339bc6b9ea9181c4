//! Liveness on random graphs and random programs: at every bound, all algorithms agree with a
//! simple reference (strongly connected components of the whole graph), and every lasso replays.
//!
//! `DALLY_PROGRAMS=n` runs n models of each kind; `DALLY_SEED=n` starts with a seed that was
//! printed.

mod cycles;

use cycles::loops::Loops;
use cycles::reference::{self, Graph};
use cycles::web::Web;
use cycles::{Model, Modelled, Random, for_seeds};
use dally_explore::policy::Policy;
use dally_explore::{
    Arrangement, Cycles, Delays, Exhaustive, Failure, FailureKind, Liveness, Method, NoCycle, Options,
    Preemptions, Program, ReplayError, Report, Schedule, ScheduleStep, SchedulerName, Search, Successors,
    Switches, TaskId, Verdict, replay_cycle, replay_under,
};

const METHODS: [Method; 3] = [Method::Map, Method::Ndfs, Method::IterativeNdfs];
/// The largest bound.
const BOUNDS: u32 = 4;

fn options(bound: Option<u32>, threads: usize) -> Options {
    Options { bound, threads, share_from: 1, ..Options::default() }
}

/// Asserts that a lasso replays, has the reported cost, and ends with a violating cycle.
fn confirm<M: Model, O: Policy>(model: &M, policy: &O, report: &Report, fair: bool, seed: u64) {
    let Some(bug) = report.bug() else { return };
    let program = Modelled(model);
    let text = bug.schedule.to_string();
    assert_eq!(text.parse().as_ref(), Ok(&bug.schedule), "{text}");
    let replayed = replay_cycle(&program, &bug.schedule, fair, |_| {});
    assert_eq!(replayed, Ok(bug.failure.clone()), "{text}, DALLY_SEED={seed}");
    assert_eq!(bug.failure.kind, FailureKind::Liveness);
    assert_eq!(bug.schedule.cost(), bug.cost, "{text}");
    if bug.schedule.strategy != SchedulerName::Bag.into() {
        replay_under(&program, policy, &bug.schedule)
            .unwrap_or_else(|e| panic!("{text}: {e}, DALLY_SEED={seed}"));
    }
    reference::check_lasso(model, &bug.schedule, fair, seed);
}

/// Asserts that all algorithms agree with the reference under a policy, at every bound.
fn agree<M: Model, O: Policy>(model: &M, policy: &O, seed: u64) {
    let program = Modelled(model);
    let graphs: Vec<Graph> = reference::graphs(model, policy, BOUNDS);
    for fair in [true, false] {
        let expected: Vec<bool> = graphs.iter().map(|graph| graph.has_cycle(fair)).collect();
        for (bound, graph) in graphs.iter().enumerate() {
            if let Some(all) = graph.has_cycle_by_enumeration(fair) {
                assert_eq!(expected[bound], all, "the reference is wrong at {bound}, DALLY_SEED={seed}");
            }
        }
        for method in METHODS {
            for (threads, bounds) in [(1, 0..=BOUNDS), (2, BOUNDS..=BOUNDS)] {
                for bound in bounds {
                    let options = options(Some(bound), threads);
                    let liveness = Liveness { method, fair };
                    let report = Cycles::new(&program, policy, &options, liveness, &()).run();
                    let context = format!(
                        "{method:?} under {}, fair: {fair}, {threads} threads, bound {bound}, DALLY_SEED={seed}",
                        policy.strategy()
                    );
                    confirm(model, policy, &report, fair, seed);
                    assert_eq!(report.bug().is_some(), expected[bound as usize], "{context}");
                    if method != Method::Ndfs && report.bug().is_some() {
                        let least = expected.iter().position(|found| *found);
                        assert_eq!(Some(report.coverage.bound as usize), least, "{context}");
                    }
                }
            }
        }
    }
}

/// Asserts that without a bound all algorithms agree with the reference on the whole program.
fn agree_in_the_limit<M: Model>(model: &M, policy: &Delays, seed: u64) {
    let program = Modelled(model);
    let whole = reference::graphs(model, &Exhaustive, 0).pop().expect("there is one graph for each bound");
    for fair in [true, false] {
        let expected = whole.has_cycle(fair);
        for method in METHODS {
            for threads in [1, 2] {
                let (options, liveness) = (options(None, threads), Liveness { method, fair });
                let report = Cycles::new(&program, policy, &options, liveness, &()).run();
                confirm(model, policy, &report, fair, seed);
                let context = format!("{method:?}, fair: {fair}, {threads} threads, DALLY_SEED={seed}");
                assert_eq!(report.bug().is_some(), expected, "{context}");
                if !expected {
                    assert_eq!(report.verdict, Verdict::Proved, "{context}");
                    assert_eq!(report.coverage.states, whole.nodes(), "{context}");
                }
            }
        }
    }
}

/// Asserts that the order in which bounds are explored does not matter in the limit, and that neither the
/// order nor the number of threads makes a cycle up.
fn rounds_agree<M: Model>(model: &M, policy: &Delays, seed: u64) {
    let program = Modelled(model);
    let whole = reference::graphs(model, &Exhaustive, 0).pop().expect("there is one graph for each bound");
    for fair in [true, false] {
        for horizon in [0, 1, 2, 3] {
            for (choice_cost, bound) in [(0, None), (1, None), (0, Some(1)), (1, Some(2))] {
                let find = |threads| {
                    let options = Options {
                        horizon: Some(horizon),
                        choice_cost,
                        free_options: 1,
                        ..options(bound, threads)
                    };
                    let liveness = Liveness { method: Method::Map, fair };
                    let mut report = Cycles::new(&program, policy, &options, liveness, &()).run();
                    report.coverage.peak_bytes = 0;
                    report
                };
                let report = find(1);
                let context = format!("fair: {fair}, horizon {horizon}, {bound:?}, DALLY_SEED={seed}");
                confirm(model, policy, &report, fair, seed);
                assert_eq!(report, find(2), "{context}");
                assert!(report.bug().is_none() || whole.has_cycle(fair), "{context}");
                if bound.is_none() {
                    assert_eq!(report.bug().is_some(), whole.has_cycle(fair), "{context}");
                }
                if bound.is_none() && report.bug().is_none() {
                    assert_eq!(report.verdict, Verdict::Proved, "{context}");
                    assert_eq!(report.coverage.states, whole.nodes(), "{context}");
                }
            }
        }
    }
}

fn policy(seed: u64) -> Delays {
    let names = ["rr", "rtc", "random:9", "rr:reverse", "dfw", "bag", "rr:5", "priority(rr)"];
    Delays::named(&names[seed as usize % names.len()].parse::<SchedulerName>().expect("a good name"))
}

fn all_agree<M: Model>(model: &M, seed: u64) {
    agree(model, &policy(seed), seed);
    agree_in_the_limit(model, &policy(seed), seed);
    rounds_agree(model, &policy(seed), seed);
    if seed.is_multiple_of(8) {
        agree(model, &Exhaustive, seed);
        agree(model, &Preemptions(Switches::Preemptive), seed);
    }
}

#[test]
fn random_graphs() {
    for_seeds("random_graphs", 300, |seed| all_agree(&Web::random(&mut Random::new(seed)), seed));
}

#[test]
fn random_programs() {
    for_seeds("random_programs", 100, |seed| all_agree(&Loops::random(&mut Random::new(seed)), seed));
}

/// Some models have a fair cycle, some only unfair ones, some none, and some need delays.
#[test]
fn random_models_cover_all_cases() {
    let (mut kinds, mut delayed) = ([0; 3], 0);
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let graphs = if seed % 2 == 0 {
            reference::graphs(&Web::random(random), &policy(seed), BOUNDS)
        } else {
            reference::graphs(&Loops::random(random), &policy(seed), BOUNDS)
        };
        let (first, last) = (&graphs[0], &graphs[BOUNDS as usize]);
        kinds[usize::from(last.has_cycle(true)) + usize::from(last.has_cycle(false))] += 1;
        delayed += usize::from(!first.has_cycle(true) && last.has_cycle(true));
    }
    assert!(kinds.iter().all(|count| *count >= 10) && delayed >= 5, "{kinds:?}, {delayed}");
}

/// One thread and two threads find the same lasso.
#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    for_seeds("the_report_is_the_same_for_any_number_of_threads", 50, |seed| {
        let model = Loops::random(&mut Random::new(seed));
        for method in [Method::Map, Method::IterativeNdfs] {
            let find = |threads| {
                let (options, liveness) = (options(None, threads), Liveness { method, fair: true });
                let mut report = Cycles::new(&Modelled(&model), &policy(seed), &options, liveness, &()).run();
                report.coverage.peak_bytes = 0;
                report
            };
            assert_eq!(find(1), find(2), "DALLY_SEED={seed}");
        }
    });
}

/// Task 1 counts to three, and task 0 polls the counter until then.
struct Counter {
    fails: bool,
}

impl Program for Counter {
    type State = u8;

    fn initial(&self, out: &mut Successors<u8>) {
        out.push(0).posts(TaskId(0)).posts(TaskId(1));
    }

    fn enabled(&self, state: &u8, tasks: &mut Vec<TaskId>) {
        tasks.push(TaskId(0));
        tasks.extend((*state < 3).then_some(TaskId(1)));
    }

    fn step(&self, state: &u8, task: TaskId, out: &mut Successors<u8>) {
        match task {
            TaskId(0) => {
                // Polls the counter: hot until it is three.
                let successor = out.push(*state);
                if *state < 3 {
                    successor.accepting();
                }
            }
            _ => {
                let successor = out.push(state + 1);
                if self.fails && *state == 2 {
                    successor.fails(Failure::assertion("three"));
                }
            }
        }
    }
}

fn count(fails: bool, method: Method, fair: bool) -> Report {
    let rr = policy(0);
    Cycles::new(&Counter { fails }, &rr, &options(None, 1), Liveness { method, fair }, &()).run()
}

#[test]
fn a_cycle_that_starves_an_enabled_task_is_unfair() {
    for method in METHODS {
        assert_eq!(count(false, method, true).verdict, Verdict::Proved);
        let unfair = count(false, method, false);
        let bug = unfair.bug().expect("without fairness, task 0 can poll forever");
        assert_eq!(bug.failure.kind, FailureKind::Liveness);
        let (_, cycle) = bug.schedule.steps.split_at(bug.schedule.cycle.expect("the schedule is a lasso"));
        assert!(cycle.len() == 1 && cycle[0].task == TaskId(0), "{}", bug.schedule);
    }
}

#[test]
fn replay_says_why_a_cycle_is_not_a_violation() {
    let replayed = |steps: &[u32], from: usize| {
        let step = |task: &u32| ScheduleStep::new(TaskId(*task), 0);
        let steps = steps.iter().map(step).collect();
        let empty = Schedule::new(SchedulerName::Rr(Arrangement::Creation).into());
        let schedule = Schedule { steps, cycle: Some(from), ..empty };
        replay_cycle(&Counter { fails: false }, &schedule, true, |_| {})
    };
    let rejected = |why| Err(ReplayError::NoCycle(why));
    assert_eq!(replayed(&[0, 1], 0), rejected(NoCycle::MovesOn));
    assert_eq!(replayed(&[0, 1], 2), rejected(NoCycle::MovesOn));
    assert_eq!(replayed(&[1, 0], 1), rejected(NoCycle::Starves(TaskId(1))));
    assert_eq!(replayed(&[1, 1, 1, 0], 3), rejected(NoCycle::NothingHot));
}

#[test]
fn liveness_searches_find_safety_bugs() {
    for method in METHODS {
        let report = count(true, method, true);
        assert_eq!(report.bug().map(|bug| bug.failure.message.as_str()), Some("three"), "{method:?}");
    }
}

#[test]
fn options_that_liveness_does_not_support_are_reported() {
    let rr = policy(0);
    let program = Counter { fails: false };
    let exact = Options { exact: true, ..options(Some(1), 1) };
    let report = Cycles::new(&program, &rr, &exact, Liveness::default(), &()).run();
    assert!(matches!(report.verdict, Verdict::Unsupported(_)), "{report:?}");
    let (depth, options) = (dally_explore::Depth, options(Some(1), 1));
    let report = Cycles::new(&program, &depth, &options, Liveness::default(), &()).run();
    assert!(matches!(report.verdict, Verdict::Unsupported(_)), "{report:?}");
}

/// A safety search proves the counter, although it has an unfair cycle.
#[test]
fn safety_searches_ignore_cycles() {
    let rr = policy(0);
    assert_eq!(
        Search::new(&Counter { fails: false }, &rr, &options(None, 1), &()).run().verdict,
        Verdict::Proved
    );
}

#[test]
fn a_memory_limit_makes_the_verdict_inconclusive() {
    let rr = policy(0);
    for method in METHODS {
        let options = Options { memory: Some(1), ..options(None, 1) };
        let liveness = Liveness { method, fair: true };
        let model = Loops::large();
        let report = Cycles::new(&Modelled(&model), &rr, &options, liveness, &()).run();
        assert_eq!(report.verdict, Verdict::Inconclusive(dally_explore::Limit::Memory), "{method:?}");
    }
}

/// A service that counts for ever, and a task that polls for ever if it is delayed before the other.
struct Service;

impl Program for Service {
    type State = (u32, u8);

    fn initial(&self, out: &mut Successors<Self::State>) {
        out.push((0, 0)).posts(TaskId(0)).posts(TaskId(1)).posts(TaskId(2));
    }

    fn enabled(&self, state: &Self::State, tasks: &mut Vec<TaskId>) {
        tasks.extend((state.1 < 2).then_some(TaskId(0)));
        tasks.extend((state.1 == 0).then_some(TaskId(1)));
        tasks.extend((state.1 == 0 || state.1 == 2).then_some(TaskId(2)));
    }

    fn step(&self, &(count, phase): &Self::State, task: TaskId, out: &mut Successors<Self::State>) {
        match task.0 {
            0 => drop(out.push((count + 1, phase))),
            // The other task blocks, and the service counts.
            1 => drop(out.push((count, 1)).completes()),
            // The service ends, and this task polls.
            _ => drop(out.push((count, 2)).accepting()),
        }
    }
}

/// Without delays the service never ends, and there is no cycle.
#[test]
fn a_lasso_is_found_although_a_bound_does_not_end() {
    let rr = policy(0);
    for threads in [1, 2] {
        let report = Cycles::new(&Service, &rr, &options(None, threads), Liveness::default(), &()).run();
        let bug = report.bug().expect("two delays lead to a cycle");
        assert_eq!((bug.failure.kind, bug.cost), (FailureKind::Liveness, 2), "{}", bug.schedule);
        assert_eq!(report.coverage.completed_bound, None);
    }
}
