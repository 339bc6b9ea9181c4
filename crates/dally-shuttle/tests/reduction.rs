//! The strategies that know which operations conflict.
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc as Hidden;
use std::sync::atomic::{AtomicUsize as HiddenCounter, Ordering};

use dally_shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use dally_shuttle::sync::{Arc, Mutex};
use dally_shuttle::{BugKind, Config, Limit, Strategy, TestReport, Verdict, explore, replay, thread};

fn search(strategies: &str, test: impl Fn() + Send + Sync + 'static) -> TestReport {
    let strategies = Strategy::list(strategies).unwrap();
    explore(&Config { strategies, samplers: Vec::new(), ..Config::default() }, test)
}

fn spawn_all(count: usize, body: impl Fn(usize) + Send + Sync + Clone + 'static) {
    let spawn = |nth| {
        let body = body.clone();
        thread::spawn(move || body(nth))
    };
    let handles: Vec<_> = (0..count).map(spawn).collect();
    handles.into_iter().for_each(|handle| handle.join().unwrap());
}

fn locked(threads: usize, times: usize) -> impl Fn() + Send + Sync {
    move || {
        let counter = Arc::new(Mutex::new(0));
        let shared = Arc::clone(&counter);
        spawn_all(threads, move |_| (0..times).for_each(|_| *shared.lock().unwrap() += 1));
        assert_eq!(*counter.lock().unwrap(), threads * times);
    }
}

#[test]
fn one_execution_for_each_order_of_critical_sections() {
    // The multinomial coefficients.
    for (threads, times, orders) in [(2, 1, 2), (2, 2, 6), (2, 3, 20), (3, 1, 6), (3, 2, 90), (4, 1, 24)] {
        let report = search("dpor", locked(threads, times));
        assert_eq!(report.verdict, Verdict::Proved);
        assert_eq!(report.coverage.strategies[0].schedules, [orders], "{threads} threads, {times} times");
    }
}

#[test]
fn operations_on_different_objects_commute() {
    let test = || {
        let cells = Arc::new([(); 4].map(|()| AtomicUsize::new(0)));
        spawn_all(4, move |nth| {
            for value in 0..5 {
                cells[nth].store(value, SeqCst);
            }
        });
    };
    let report = search("dpor", test);
    assert_eq!(report.verdict, Verdict::Proved);
    assert_eq!(report.coverage.strategies[0].schedules, [1]);
}

#[test]
fn bugs_are_found_and_replay() {
    let test = || {
        let forks = Arc::new([Mutex::new(()), Mutex::new(())]);
        spawn_all(2, move |nth| {
            let _one = forks[nth].lock().unwrap();
            let _two = forks[1 - nth].lock().unwrap();
        });
    };
    let report = search("dpor", test);
    let Verdict::Bug(bug) = report.verdict else { panic!("{report}") };
    assert_eq!(bug.failure, BugKind::Deadlock);
    assert!(bug.repeatable);
    let schedule = bug.schedule.to_string();
    assert!(std::panic::catch_unwind(move || replay(&schedule, test)).is_err());
}

#[test]
fn the_default_proves_with_reduction() {
    let report = explore(&Config::default(), locked(3, 2));
    assert_eq!(report.verdict, Verdict::Proved, "{report}");
    assert!(report.coverage.schedules < 1_000, "{report}");
}

#[test]
fn a_test_without_announced_operations_is_not_searched() {
    let test = || {
        shuttle::thread::spawn(|| {}).join().unwrap();
    };
    let report = search("dpor", test);
    assert!(
        matches!(&report.verdict, Verdict::Unsupported(reason) if reason.contains("dally_shuttle::sync")),
        "{report}"
    );
    assert_eq!(search("dpor, rr", test).verdict, Verdict::Proved);
}

#[test]
fn hidden_sharing_is_noticed() {
    // The threads share a counter of `std`, which is not announced, and its value decides how many steps they take.
    let test = || {
        let (hidden, cell) = (Hidden::new(HiddenCounter::new(0)), Arc::new(AtomicUsize::new(0)));
        spawn_all(3, move |_| {
            thread::yield_now();
            for _ in 0..hidden.fetch_add(1, Ordering::SeqCst) {
                cell.fetch_add(1, SeqCst);
            }
        });
    };
    let report = search("dpor", test);
    assert!(matches!(&report.verdict, Verdict::Unsupported(reason) if reason.contains("share")), "{report}");
    // Other strategies go on.
    let report = search("dpor, rr", test);
    assert!(report.notes.iter().any(|note| note.contains("share")), "{report}");
}

#[test]
fn delays_before_conflicting_operations() {
    // One access of many conflicts: the increments of the common counter are not atomic.
    let test = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&counter);
        spawn_all(2, move |_| {
            let own = AtomicUsize::new(0);
            (0..20).for_each(|_| own.store(own.load(SeqCst) + 1, SeqCst));
            let seen = shared.load(SeqCst);
            shared.store(seen + 1, SeqCst);
        });
        assert_eq!(counter.load(SeqCst), 2);
    };
    let found = |strategies: &str| {
        let report = search(strategies, test);
        let Verdict::Bug(bug) = report.verdict else { panic!("{report}") };
        assert_eq!(bug.delays, 1);
        report.coverage.schedules
    };
    let (all, few) = (found("rr"), found("conflicts(rr)"));
    assert!(few * 4 < all, "{few} of {all}");
}

#[test]
fn conflicts_prove_nothing() {
    let config = Config {
        strategies: Strategy::list("conflicts(rr), conflicts(rr:reverse)").unwrap(),
        samplers: Vec::new(),
        delays: Some(1),
        ..Config::default()
    };
    let report = explore(&config, locked(2, 1));
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Conflicts));
    assert!(report.to_string().contains("executions with other delays were not run"), "{report}");
    assert_eq!(search("conflicts(rr)", locked(2, 1)).verdict, Verdict::Inconclusive(Limit::Conflicts));
}

#[test]
fn names_are_parsed() {
    let names = |list: &str| -> Vec<String> {
        Strategy::list(list).unwrap().iter().map(ToString::to_string).collect()
    };
    assert_eq!(names("dpor"), ["dpor"]);
    assert_eq!(names("rr, conflicts(rtc) , dpor"), ["rr", "conflicts(rtc)", "dpor"]);
    assert!(Strategy::list("conflicts(nothing)").is_err());
    assert!(Strategy::list("").is_err());
}
