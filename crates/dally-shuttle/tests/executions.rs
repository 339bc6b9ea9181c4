//! The enumeration of executions: each exactly once, all without a bound, and their number at each bound.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/increments.rs"]
mod increments;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use dally_shuttle::{Config, Explorer, Limit, Strategy, Values, Verdict, explore};
use dally_testing::arbitrary::{Arbitrary, Unstructured};
use dally_testing::for_inputs;
use increments::increments;
use shuttle::rand::Rng;
use shuttle::scheduler::{DfsScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::{Runner, thread};

/// A scheduler that records the orders of tasks.
struct Recording<S> {
    inner: S,
    runs: Rc<RefCell<Vec<Vec<usize>>>>,
}

impl<S: Scheduler> Scheduler for Recording<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let schedule = self.inner.new_execution()?;
        self.runs.borrow_mut().push(Vec::new());
        Some(schedule)
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let task = self.inner.next_task(tasks, current, yielding)?;
        self.runs.borrow_mut().last_mut().unwrap().push(task.into());
        Some(task)
    }

    fn next_u64(&mut self) -> u64 {
        self.inner.next_u64()
    }
}

/// The orders of tasks of all executions, with repetitions.
fn sequence(
    scheduler: impl Scheduler + 'static,
    program: impl Fn() + Send + Sync + 'static,
) -> Vec<Vec<usize>> {
    let runs = Rc::default();
    let recording = Recording { inner: scheduler, runs: Rc::clone(&runs) };
    Runner::new(recording, shuttle::Config::default()).run(program);
    runs.take()
}

/// The orders of tasks of all executions, sorted.
fn orders(
    scheduler: impl Scheduler + 'static,
    program: impl Fn() + Send + Sync + 'static,
) -> Vec<Vec<usize>> {
    let mut orders = sequence(scheduler, program);
    orders.sort();
    orders
}

fn unlimited(strategy: &str) -> Config {
    Config {
        strategies: Strategy::list(strategy).unwrap(),
        samplers: Vec::new(),
        schedules: None,
        ..Config::default()
    }
}

/// An operation of a random program.
#[derive(Clone, Copy, Debug)]
enum Action {
    Lock,
    Add,
    Yield,
    Unpark,
    Park,
}

/// Two threads and a main thread, all with operations.
#[derive(Clone, Debug)]
struct Program([Vec<Action>; 3]);

impl<'a> Arbitrary<'a> for Program {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self, dally_testing::arbitrary::Error> {
        const ACTIONS: [Action; 5] = [Action::Lock, Action::Add, Action::Yield, Action::Unpark, Action::Park];
        let mut actions = |most: usize| -> Result<Vec<Action>, _> {
            (0..u.int_in_range(0..=most)?).map(|_| u.choose(&ACTIONS).copied()).collect()
        };
        Ok(Self([actions(1)?, actions(2)?, actions(1)?]))
    }
}

impl Program {
    fn run(&self) {
        let shared = Arc::new((Mutex::new(0), AtomicUsize::new(0)));
        let main = thread::current();
        let spawn = |actions: &Vec<Action>| {
            let (shared, actions, main) = (Arc::clone(&shared), actions.clone(), main.clone());
            thread::spawn(move || actions.iter().for_each(|action| perform(*action, &shared, &main)))
        };
        let threads: Vec<_> = self.0[1..].iter().map(spawn).collect();
        self.0[0].iter().for_each(|action| perform(*action, &shared, &main));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

fn perform(action: Action, shared: &(Mutex<usize>, AtomicUsize), main: &thread::Thread) {
    match action {
        Action::Lock => *shared.0.lock().unwrap() += 1,
        Action::Add => {
            shared.1.fetch_add(1, SeqCst);
        }
        Action::Yield => thread::yield_now(),
        Action::Unpark => main.unpark(),
        // Another thread must unpark a parked one.
        Action::Park => {
            thread::current().unpark();
            thread::park();
        }
    }
}

#[test]
fn an_unbounded_search_runs_the_executions_of_shuttles_exhaustive_search() {
    for_inputs(1_000, |u| {
        let program = Program::arbitrary(u)?;
        let run = |program: &Program| {
            let program = program.clone();
            move || program.run()
        };
        let everything = orders(DfsScheduler::new(Some(3_000), false), run(&program));
        if everything.len() == 3_000 {
            return Ok(());
        }
        let names =
            ["rr", "rr:reverse", "rr:7", "rtc", "dfs", "df", "dfw", "random:3", "priority(rtc)", "pct:5,2"];
        let strategy = *u.choose(&[&names[..], &["preemptions"]].concat())?;
        let explorer = Explorer::new(&unlimited(strategy));
        let ours = orders(explorer.clone(), run(&program));
        assert_eq!(ours, everything, "{strategy} on {program:?}");
        let report = explorer.report();
        assert_eq!(report.verdict, Verdict::Proved);
        assert_eq!(report.coverage.distinct, everything.len() as u64);
        Ok(())
    });
}

fn counts(strategy: &str, delays: u32, program: impl Fn() + Send + Sync + 'static) -> Vec<u64> {
    let report = explore(&Config { delays: Some(delays), ..unlimited(strategy) }, program);
    assert_eq!(report.coverage.distinct, report.coverage.schedules);
    report.coverage.strategies[0].schedules.clone()
}

#[test]
fn delays_grow_more_slowly_than_preemptions() {
    // With at most 0, 1, 2 delays: 1, 48, 988. With at most 0, 1 preemptions: 73, 11,426.
    assert_eq!(counts("rr", 2, increments(4, 5)), [1, 47, 940]);
    assert_eq!(counts("preemptions", 1, increments(4, 5)), [73, 11_353]);
}

#[test]
fn two_threads_are_enumerated_by_hand() {
    // The main thread (0) has scheduling points before `spawn`, `sleep` and `join`, and in `join`, where it waits. The thread (1) has one
    // step. So there is a choice only before `sleep` and before `join`.
    let ours = orders(Explorer::new(&unlimited("rr")), || {
        let thread = thread::spawn(|| {});
        thread::sleep(std::time::Duration::ZERO);
        thread.join().unwrap();
    });
    assert_eq!(ours, [vec![0, 0, 0, 1, 0, 0], vec![0, 0, 1, 0, 0, 0]]);
}

#[test]
fn a_thread_that_spins_lets_others_run_at_no_cost() {
    for strategy in ["rr", "rr:reverse", "rtc", "dfs", "df", "dfw", "random:1", "priority(rr)", "preemptions"]
    {
        let config = Config { delays: Some(1), schedules: Some(3_000), ..unlimited(strategy) };
        let report = explore(&config, || {
            let flag = Arc::new(AtomicUsize::new(0));
            let spin = || {
                let flag = Arc::clone(&flag);
                thread::spawn(move || {
                    while flag.load(SeqCst) == 0 {
                        thread::yield_now();
                    }
                })
            };
            let threads = [spin(), spin()];
            let setter = Arc::clone(&flag);
            thread::spawn(move || setter.store(1, SeqCst)).join().unwrap();
            for thread in threads {
                thread.join().unwrap();
            }
        });
        assert_eq!(report.verdict, Verdict::ProvedWithin(1), "{strategy}");
    }
}

#[test]
fn threads_of_a_high_level_that_spin_let_those_of_a_low_one_run() {
    let config = Config {
        delays: Some(1),
        schedules: Some(3_000),
        steps: shuttle::MaxSteps::FailAfter(1_000),
        ..unlimited("priority(rr)")
    };
    let report = explore(&config, || {
        let flag = Arc::new(AtomicUsize::new(0));
        dally_shuttle::Level::set_for_children(5);
        let spin = || {
            let flag = Arc::clone(&flag);
            thread::spawn(move || {
                while flag.load(SeqCst) == 0 {
                    thread::yield_now();
                }
            })
        };
        let threads = [spin(), spin(), spin()];
        dally_shuttle::Level::set_for_children(0);
        let setter = Arc::clone(&flag);
        thread::spawn(move || setter.store(1, SeqCst)).join().unwrap();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(report.verdict, Verdict::ProvedWithin(1), "{report}");
}

#[test]
fn a_parked_thread_waits_at_no_cost() {
    let report = explore(&Config { delays: Some(0), ..unlimited("portfolio") }, || {
        let flag = Arc::new(AtomicUsize::new(0));
        let (setter, main) = (Arc::clone(&flag), thread::current());
        let thread = thread::spawn(move || {
            setter.store(1, SeqCst);
            main.unpark();
        });
        thread::park();
        assert_eq!(flag.load(SeqCst), 1, "woke up for no reason");
        thread.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::ProvedWithin(0));
}

#[test]
fn values_are_chosen_or_come_from_a_seed() {
    let dice = |sides: u32| {
        move || {
            let roll = shuttle::rand::thread_rng().gen_range(0..sides);
            assert_ne!(roll, sides - 1, "the highest number");
        }
    };
    let chosen = Config { values: Values::Choose(6), ..unlimited("rr") };
    let Verdict::Bug(bug) = explore(&chosen, dice(6)).verdict else { panic!("every value is tried") };
    assert_eq!((bug.delays, bug.schedule.to_string().as_str()), (0, "rr+choose6/0,0,0,0,0"));
    assert_eq!(explore(&chosen, dice(7)).verdict, Verdict::NoBug, "six values are not seven");

    let coin = || assert!(!shuttle::rand::thread_rng().r#gen::<bool>(), "heads");
    let fair = Config { values: Values::Choose(2), ..unlimited("rr") };
    assert!(matches!(explore(&fair, coin).verdict, Verdict::Bug(_)));

    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let values = Arc::clone(&seen);
    let report = explore(&Config { values: Values::Seed(1), ..unlimited("rr") }, move || {
        let values = Arc::clone(&values);
        let thread =
            thread::spawn(move || values.lock().unwrap().push(shuttle::rand::thread_rng().r#gen::<u64>()));
        thread::sleep(std::time::Duration::ZERO);
        thread.join().unwrap();
    });
    assert_eq!((&report.verdict, report.bound), (&Verdict::NoBug, None), "all schedules are covered");
    assert!(report.to_string().contains("with the values that `shuttle::rand` returned"), "{report}");
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    assert!(seen.len() >= 2);
    seen.dedup();
    assert_eq!(seen.len(), 1, "the same seed, but other values");
}

#[test]
fn only_priority_runs_high_levels_first() {
    let program = || {
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = Arc::clone(&order);
        dally_shuttle::Level::set_for_children(9);
        let starter = thread::spawn(move || {
            let spawn = |level: u32| {
                dally_shuttle::Level::set_for_children(level);
                let order = Arc::clone(&order);
                thread::spawn(move || order.lock().unwrap().push(level))
            };
            for thread in [spawn(1), spawn(3), spawn(2)] {
                thread.join().unwrap();
            }
        });
        starter.join().unwrap();
        assert_ne!(*seen.lock().unwrap(), [3, 2, 1], "in order");
    };
    let found = |strategy| explore(&Config { delays: Some(0), ..unlimited(strategy) }, program).verdict;
    assert_eq!(found("rr"), Verdict::ProvedWithin(0));
    assert!(matches!(found("priority(rr)"), Verdict::Bug(_)));
}

#[test]
fn a_bounded_search_is_a_prefix_of_the_unbounded_one() {
    for strategy in ["rr", "rr:reverse", "rtc", "dfw", "random:1", "priority(rr)", "preemptions"] {
        let explorer = Explorer::new(&unlimited(strategy));
        let whole = sequence(explorer.clone(), increments(2, 1));
        let counts = explorer.report().coverage.strategies[0].schedules.clone();
        for bound in 0..counts.len() {
            let config = Config { delays: Some(bound as u32), ..unlimited(strategy) };
            let begun = sequence(Explorer::new(&config), increments(2, 1));
            assert_eq!(begun.len() as u64, counts[..=bound].iter().sum::<u64>(), "{strategy} with {bound}");
            assert_eq!(begun, whole[..begun.len()], "{strategy} with {bound}");
        }
    }
}

#[test]
fn more_than_64_tasks_are_told_apart() {
    for strategy in ["rr", "rr:reverse", "rr:7", "rtc", "dfw", "random:1", "priority(rr)"] {
        let config = Config { schedules: Some(100), ..unlimited(strategy) };
        let mut orders = orders(Explorer::new(&config), increments(66, 1));
        orders.dedup();
        assert_eq!(orders.len(), 100, "{strategy} repeats itself");
    }
}

#[test]
fn limits_end_a_search() {
    let limited = |schedules| Config { schedules: Some(schedules), ..unlimited("rr, rtc") };
    let report = explore(&limited(17), increments(3, 2));
    assert_eq!((&report.verdict, report.coverage.schedules), (&Verdict::Inconclusive(Limit::Schedules), 17));
    assert_eq!(report.coverage.strategies[0].completed_bound, Some(0));

    assert_eq!(explore(&limited(0), increments(3, 2)).verdict, Verdict::Inconclusive(Limit::Schedules));
    let nothing = Config { strategies: Vec::new(), samplers: Vec::new(), ..Config::default() };
    assert!(matches!(explore(&nothing, increments(3, 2)).verdict, Verdict::Unsupported(_)));

    let in_no_time = Config { time: Some(std::time::Duration::ZERO), ..unlimited("rr") };
    assert_eq!(explore(&in_no_time, increments(3, 2)).verdict, Verdict::Inconclusive(Limit::Time));

    let steps = shuttle::MaxSteps::ContinueAfter(8);
    let report = explore(&Config { steps, delays: Some(1), ..unlimited("rr") }, increments(2, 2));
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Steps));
    assert_eq!(report.coverage.cut, report.coverage.schedules);
}

#[test]
fn a_limit_equal_to_the_number_of_schedules_is_not_reached() {
    let all = explore(&unlimited("rr"), increments(2, 1));
    let exactly = Config { schedules: Some(all.coverage.schedules), ..unlimited("rr") };
    assert_eq!(explore(&exactly, increments(2, 1)), all);
    assert_eq!(all.verdict, Verdict::Proved);
}

#[test]
fn one_value_is_not_all_values() {
    for values in [Values::Seed(3), Values::Choose(0), Values::Choose(1)] {
        let config = Config { values, delays: Some(0), ..unlimited("rr") };
        let report = explore(&config, || {
            let _ = shuttle::rand::thread_rng().r#gen::<bool>();
        });
        assert_eq!(report.verdict, Verdict::NoBug, "{values:?}");
    }
}

/// A scheduler that requests a report before each execution and at each step.
struct Curious(Explorer);

impl Scheduler for Curious {
    fn new_execution(&mut self) -> Option<Schedule> {
        assert_eq!(self.0.report().verdict, Verdict::Inconclusive(Limit::Unfinished));
        self.0.new_execution()
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        assert_eq!(self.0.report().verdict, Verdict::Inconclusive(Limit::Unfinished));
        self.0.next_task(tasks, current, yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[test]
fn a_report_during_the_search_does_not_change_it() {
    let expected = explore(&unlimited("rr, rtc"), increments(2, 1));
    let explorer = Explorer::new(&unlimited("rr, rtc"));
    Runner::new(Curious(explorer.clone()), shuttle::Config::default()).run(increments(2, 1));
    assert_eq!(explorer.report(), expected);
}

/// A scheduler that stops after one execution.
struct Once(Option<Explorer>, Explorer);

impl Scheduler for Once {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.0.take()?.new_execution()
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        self.1.next_task(tasks, current, yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.1.next_u64()
    }
}

#[test]
fn a_search_continues_under_another_runner() {
    let expected = explore(&unlimited("rr"), increments(2, 1));
    let explorer = Explorer::new(&unlimited("rr"));
    for _ in 0..3 {
        let once = Once(Some(explorer.clone()), explorer.clone());
        assert_eq!(Runner::new(once, shuttle::Config::default()).run(increments(2, 1)), 1);
        assert_eq!(explorer.report().verdict, Verdict::Inconclusive(Limit::Unfinished));
    }
    Runner::new(explorer.clone(), shuttle::Config::default()).run(increments(2, 1));
    assert_eq!(explorer.report(), expected);
}

#[test]
fn executions_that_a_custom_runner_cuts_off_are_not_proved() {
    let mut limited = shuttle::Config::default();
    for (steps, verdict) in [(5, Verdict::Inconclusive(Limit::Steps)), (1_000, Verdict::Proved)] {
        limited.max_steps = shuttle::MaxSteps::ContinueAfter(steps);
        let explorer = Explorer::new(&unlimited("rr"));
        let executions = Runner::new(explorer.clone(), limited.clone()).run(increments(2, 1));
        let report = explorer.report();
        assert_eq!(report.verdict, verdict, "{steps}");
        assert_eq!(report.coverage.cut, if steps == 5 { executions as u64 } else { 0 });
    }
}

#[test]
fn the_time_limit_cuts_off_an_infinite_execution() {
    let time = Some(std::time::Duration::from_millis(50));
    let config = Config { time, steps: shuttle::MaxSteps::None, ..unlimited("rr") };
    let report = explore(&config, || {
        loop {
            thread::yield_now();
        }
    });
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Time));
}
