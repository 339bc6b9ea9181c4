//! Reports of failures, and their replay.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Arc;

use dally_shuttle::{
    BugKind, Config, Limit, REPLAY, SamplerName, SchedulerName, Strategy, Values, Verdict, check, check_with,
    explore, replay, replay_with,
};
use shuttle::rand::Rng;
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::{future, thread};

fn under(strategy: &str) -> Config {
    Config { strategies: Strategy::list(strategy).unwrap(), samplers: Vec::new(), ..Config::default() }
}

/// The message that a function panics with.
fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(f).unwrap_err();
    *payload.downcast::<String>().unwrap()
}

fn lost_update() {
    let balance = Arc::new(Mutex::new(0));
    let deposit = |name: &str| {
        let balance = Arc::clone(&balance);
        let deposit = move || {
            let seen = *balance.lock().unwrap();
            *balance.lock().unwrap() = seen + 1; // LINE OF THE DELAY
        };
        thread::Builder::new().name(name.to_owned()).spawn(deposit).unwrap()
    };
    for deposit in [deposit("alice"), deposit("bob")] {
        deposit.join().unwrap();
    }
    assert_eq!(*balance.lock().unwrap(), 2, "a deposit is lost"); // LINE OF THE PANIC
}

/// The number of the line of this file that contains a text.
fn line(text: &str) -> usize {
    let source = include_str!("reports.rs");
    source.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn a_panic_is_reported_with_its_delays() {
    let text = message(|| {
        check_with(under("rr"), lost_update);
    });
    let expected = format!(
        "panic in the main thread, with 1 delay under rr
  assertion `left == right` failed: a deposit is lost
    left: 1
   right: 2 (tests/reports.rs:{})
thread 1 (\"alice\") was delayed at tests/reports.rs:{} before `lock`
interleaving (each step begins with the operation shown):
  step  the main thread
",
        line("// LINE OF THE PANIC"),
        line("// LINE OF THE DELAY"),
    );
    assert!(text.starts_with(expected.trim_end()), "{text}");
    assert!(text.contains("\n     ~ thread 1 (\"alice\") is delayed\n"), "{text}");
    let end = "schedule: rr/4
Run the test with DALLY_REPLAY='rr/4' to see it again, or call dally_shuttle::replay.

6 schedules (6 distinct), ";
    assert!(text.contains(end), "{text}");
}

#[test]
fn preemptions_are_reported_as_preemptions() {
    let text = message(|| {
        check_with(under("preemptions"), lost_update);
    });
    assert!(text.contains("with 1 preemption under preemptions"), "{text}");
    assert!(text.contains("was preempted at tests/reports.rs:"), "{text}");
    for (strategies, bound) in
        [("preemptions", "1 preemption"), ("rr, preemptions", "1 delay or preemption"), ("rr", "1 delay")]
    {
        let config = Config { delays: Some(1), ..under(strategies) };
        let text = explore(&config, three_yields).to_string();
        assert!(
            text.starts_with(&format!("proved: no schedule with at most {bound} fails, assuming sequential")),
            "{text}"
        );
    }
}

fn three_yields() {
    let threads = [(), (), ()].map(|()| thread::spawn(|| (0..3).for_each(|_| thread::yield_now())));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_bug_has_as_many_preemptions_as_its_bound() {
    // The main thread yields to the first thread at no cost, and to the second for one preemption.
    let overtaken = || {
        let number = Arc::new(AtomicUsize::new(0));
        let (first, second) = (Arc::clone(&number), Arc::clone(&number));
        let first = thread::spawn(move || first.store(1, SeqCst));
        let second = thread::spawn(move || assert_eq!(second.load(SeqCst), 1, "overtaken"));
        thread::yield_now();
        first.join().unwrap();
        second.join().unwrap();
    };
    let woken = || {
        let number = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&number);
        let parked = thread::spawn(move || {
            thread::park();
            assert_eq!(seen.load(SeqCst), 1, "woken too early");
        });
        thread::spawn(move || number.store(1, SeqCst)).join().unwrap();
        parked.thread().unpark();
        parked.join().unwrap();
    };
    for report in [explore(&under("preemptions"), overtaken), explore(&under("preemptions"), woken)] {
        let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
        assert_eq!(bug.delays as usize, report.coverage.strategies[0].schedules.len() - 1, "{report}");
        assert_eq!((bug.delays, bug.departures.len()), (1, 1), "{report}");
    }
}

#[test]
fn a_deadlock_is_reported_with_the_blocked_tasks() {
    let config = under("rr");
    let report = explore(&config, || {
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = Arc::clone(&locks);
        let thread = thread::spawn(move || {
            let _first = other.1.lock().unwrap();
            let _second = other.0.lock().unwrap(); // THE THREAD WAITS
        });
        let first = locks.0.lock().unwrap();
        let second = locks.1.lock().unwrap(); // MAIN WAITS
        drop((first, second));
        thread.join().unwrap();
    });
    let text = report.to_string();
    let Verdict::Bug(bug) = report.verdict else { panic!("{text}") };
    assert_eq!((bug.failure, bug.delays), (BugKind::Deadlock, 1));
    assert!(text.starts_with("deadlock, with 1 delay under rr\n"), "{text}");
    // The scheduler is not called after the last task blocks.
    let [main, thread] = ["// MAIN WAITS", "// THE THREAD WAITS"].map(line);
    let waits = format!(
        "the main thread waits, last seen at tests/reports.rs:{main} before `lock`\n\
         thread 1 waits at tests/reports.rs:{thread} in `lock`\n"
    );
    assert!(text.contains(&waits), "{text}");
}

#[test]
fn terminated_tasks_are_not_listed_in_a_deadlock() {
    let report = explore(&under("rr"), || {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        thread::spawn(move || *other.lock().unwrap() += 1).join().unwrap();
        *lock.lock().unwrap() += 1;
        thread::park();
    });
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    assert_eq!(bug.failure, BugKind::Deadlock);
    let waiting: Vec<_> = bug.waiting.iter().map(|waiting| (waiting.task.id, waiting.exact)).collect();
    assert_eq!(waiting, [(0, false)], "{report}");
    assert!(report.to_string().contains("\nthe main thread waits, last seen at "), "{report}");
}

#[test]
fn futures_that_wait_are_all_listed() {
    let report = explore(&under("rr"), || {
        future::block_on(async {
            let pending = future::spawn(std::future::pending::<()>());
            pending.await.unwrap();
        });
    });
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    let waiting: Vec<_> = bug.waiting.iter().map(|waiting| waiting.task.id).collect();
    assert_eq!((bug.failure, &waiting[..]), (BugKind::Deadlock, &[0, 1][..]), "{report}");
}

/// Locks when it is dropped.
struct Locks(Arc<Mutex<()>>);

impl Drop for Locks {
    fn drop(&mut self) {
        let _ = self.0.lock();
    }
}

#[test]
fn a_panic_that_leads_to_a_deadlock_is_reported() {
    let report = explore(&under("rr"), || {
        let lock = Arc::new(Mutex::new(()));
        let locks = Locks(Arc::clone(&lock));
        let _held = lock.lock();
        let thread = thread::spawn(move || {
            let _locks = locks;
            panic!("the cause"); // THE CAUSE
        });
        let _ = thread.join();
    });
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    assert_eq!(bug.failure, BugKind::Deadlock);
    let cause = format!("before that, a panic: the cause (tests/reports.rs:{})\n", line("// THE CAUSE"));
    assert!(report.to_string().contains(&cause), "{report}");
}

#[test]
fn a_thread_may_be_delayed_before_it_begins() {
    let report = explore(&under("rr"), || {
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let threads = [1, 2].map(|number| {
            let order = Arc::clone(&order);
            thread::spawn(move || order.lock().unwrap().push(number))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [1, 2]);
    });
    assert!(report.to_string().contains("\nthread 1 was delayed before it began\n"), "{report}");
}

#[test]
fn too_many_steps_are_a_failure_or_not() {
    let spin = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let setter = Arc::clone(&flag);
        let thread = thread::spawn(move || setter.store(2, SeqCst));
        while flag.load(SeqCst) != 1 {} // IT SPINS
        thread.join().unwrap();
    };
    let fails = Config { steps: shuttle::MaxSteps::FailAfter(1_000), ..under("rr") };
    let Verdict::Bug(bug) = explore(&fails, spin).verdict else { panic!("it exceeds the limit on steps") };
    assert_eq!((bug.failure, bug.delays, bug.repeatable), (BugKind::StepLimit, 0, true));
    let last = format!(
        "the main thread ran last, last seen at tests/reports.rs:{} before `load`",
        line("// IT SPINS")
    );
    assert!(bug.to_string().contains(&last), "{bug}");
    assert!(bug.to_string().contains("every thread that could run had its turns: a livelock"), "{bug}");
    let cut = Config { steps: shuttle::MaxSteps::ContinueAfter(1_000), delays: Some(0), ..under("rr") };
    assert_eq!(explore(&cut, spin).verdict, Verdict::Inconclusive(Limit::Steps));
}

#[test]
fn threads_that_spin_do_not_starve_others() {
    let spin = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let setter = Arc::clone(&flag);
        let thread = thread::spawn(move || setter.store(1, SeqCst));
        while flag.load(SeqCst) == 0 {}
        thread.join().unwrap();
    };
    for strategy in ["rr", "rr:reverse", "rtc", "random:1", "dfs", "priority(rr)", "preemptions"] {
        let config =
            Config { steps: shuttle::MaxSteps::FailAfter(5_000), schedules: Some(300), ..under(strategy) };
        let report = explore(&config, spin);
        assert!(!matches!(report.verdict, Verdict::Bug(_)), "{strategy}: {report}");
    }
}

/// A bug that needs two delays of `rr`, found by a sampler alone.
#[test]
fn failing_walks_are_shrunk() {
    for sampler in ["random", "urw", "pct:3", "delays"] {
        let samplers = vec![sampler.parse::<SamplerName>().unwrap()];
        let config = Config { strategies: Vec::new(), samplers, ..Config::default() };
        let report = explore(&config, lost_update);
        let Verdict::Bug(bug) = &report.verdict else { panic!("{sampler}: {report}") };
        assert_eq!(
            (bug.failure, bug.delays, bug.repeatable),
            (BugKind::Panic, 1, true),
            "{sampler}: {report}"
        );
        let schedule = bug.schedule.to_string();
        assert!(schedule.starts_with("rr"), "{schedule}");
        assert_eq!(report.coverage.samplers[0].schedules, report.coverage.schedules);
        let again = message(move || {
            replay(&schedule, lost_update);
        });
        assert!(again.contains("a deposit is lost"), "{again}");
    }
}

#[test]
fn values_vary() {
    // One value in sixteen fails: a fixed seed would find it in all executions, or in none.
    let dice = || {
        let roll = shuttle::rand::Rng::gen_range(&mut shuttle::rand::thread_rng(), 0..16);
        assert_ne!(roll, 7, "unlucky");
    };
    for samplers in [Vec::new(), SamplerName::portfolio()] {
        let report = explore(&Config { samplers, ..Config::default() }, dice);
        let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
        let schedule = bug.schedule.to_string();
        assert!(schedule.contains("+seed"), "{schedule}");
        let again = message(move || {
            replay(&schedule, dice);
        });
        assert!(again.contains("unlucky"), "{again}");
    }
}

#[test]
fn programs_that_differ_between_executions_are_not_proved() {
    static EXECUTIONS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let report = explore(&under("rr"), || {
        let threads = if EXECUTIONS.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 1 { 1 } else { 0 };
        let threads: Vec<_> = (0..threads).map(|_| thread::spawn(thread::yield_now)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let Verdict::Unsupported(reason) = &report.verdict else { panic!("{report}") };
    assert!(reason.contains("is not deterministic under a fixed schedule"), "{reason}");
}

#[test]
fn a_poisoned_lock_is_explained_by_the_first_panic() {
    let poisoned = || {
        let lock = Arc::new(Mutex::new(0));
        let held = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _guard = held.lock().unwrap();
            panic!("the root");
        });
        let _ = thread.join();
        *lock.lock().unwrap() += 1;
    };
    let report = explore(&under("rr"), poisoned);
    assert!(report.to_string().contains("the root"), "{report}");
}

#[test]
fn tests_without_concurrency_are_pointed_out() {
    let report = explore(&under("rr"), || {
        std::thread::spawn(|| {}).join().unwrap();
    });
    assert!(report.to_string().contains("warning: no two threads could run at the same time"), "{report}");
    let text = message(|| {
        let strict = Config { schedules: Some(1), fail_if_inconclusive: true, ..under("rr") };
        check_with(strict, three_yields);
    });
    assert!(text.contains("inconclusive"), "{text}");
}

#[test]
fn schedules_are_replayed() {
    let text = message(|| {
        replay("rr/4", lost_update);
    });
    assert!(text.starts_with("panic in the main thread, with 1 delay under rr\n"), "{text}");
    let passes = replay("rr/-", lost_update);
    assert_eq!((passes.coverage.schedules, &passes.verdict), (1, &Verdict::Inconclusive(Limit::Replay)));
    assert!(passes.to_string().starts_with("inconclusive: this schedule does not fail"), "{passes}");

    let dice = || assert_ne!(shuttle::rand::thread_rng().gen_range(0..6), 4);
    let Verdict::Bug(bug) = explore(&Config { values: Values::Choose(6), ..under("rtc") }, dice).verdict
    else {
        panic!("4 is chosen")
    };
    let text = message(move || {
        replay(&bug.schedule.to_string(), dice);
    });
    assert!(text.contains("the main thread got value 4 of 0..6 from `rand`"), "{text}");
}

#[test]
fn wrong_schedules_are_refused() {
    for (schedule, complaint) in [
        ("", "there is no `/`"),
        ("rr", "there is no `/`"),
        ("/3", "the name of a scheduler is missing"),
        ("rr/", "numbers are expected, or `-`"),
        ("rr/x", "numbers are expected, or `-`"),
        ("rr/5,3", "must be in ascending order"),
        ("rr/99999999999", "numbers are expected, or `-`"),
        ("rr+luck/1", "`+seedN` or `+chooseN` is expected"),
        ("rr+choose0/1", "`+seedN` or `+chooseN` is expected"),
        ("rrr/1", "did you mean `rr`?"),
        ("bag/1", "has no delays to bound"),
        ("rr/4000000000", "may be another test's"),
        ("rr/4000000000", "does not fit this program"),
        ("rr/0,0,0,0,0,0,0", "does not fit this program"),
    ] {
        let text = message(move || {
            replay(schedule, lost_update);
        });
        assert!(text.contains(complaint), "{schedule}: {text}");
    }
}

#[test]
fn the_report_says_if_the_replay_needs_the_configuration() {
    let mine = Config {
        strategies: vec![Strategy::delaying("mine+yours", "rr".parse::<SchedulerName>().unwrap().build())],
        ..under("rr")
    };
    let short = Config { steps: shuttle::MaxSteps::FailAfter(1_000), ..under("rr") };
    for config in [mine, short] {
        let Verdict::Bug(bug) = explore(&config, lost_update).verdict else { panic!("it has a bug") };
        let call = "or call dally_shuttle::replay_with and the same configuration.";
        assert!(bug.to_string().ends_with(call), "{bug}");
        let again = message(AssertUnwindSafe(move || {
            replay_with(config, &bug.schedule.to_string(), lost_update);
        }));
        assert!(again.contains("a deposit is lost"), "{again}");
    }
}

#[test]
fn a_check_inside_a_check_is_refused() {
    let report = explore(&under("rr"), || {
        check(|| {});
    });
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    assert!(bug.message.contains("a check cannot run inside another check"), "{report}");
    assert_eq!(check(|| {}).verdict, Verdict::Proved, "afterwards, all is well");
}

#[test]
fn only_schedulers_with_delays_are_offered() {
    let error = Strategy::list("something").unwrap_err().to_string();
    assert!(!error.contains("bag") && error.contains("`rr`"), "{error}");
}

#[test]
fn a_schedule_is_its_text() {
    for text in [
        "rr/-",
        "a+b+seed0/-",
        "a+b+choose2/1",
        "rr:reverse/3,17,17",
        "priority(rtc)+seed7/0",
        "pct:1,2+choose2/4",
        "preemptions/1",
    ] {
        assert_eq!(text.parse::<dally_shuttle::Deviations>().unwrap().to_string(), text);
    }
}

#[test]
fn strategies_are_listed_by_name() {
    let names = |list: &str| -> Vec<String> {
        Strategy::list(list).unwrap().iter().map(|strategy| strategy.name().to_string()).collect()
    };
    assert_eq!(names("rr, pct:1,2,rtc"), ["rr", "pct:1,2", "rtc"]);
    assert_eq!(names("portfolio,preemptions"), ["rr", "rr:reverse", "rtc", "random:1", "preemptions"]);
    assert_eq!(Strategy::list("").unwrap_err().to_string(), "a strategy is missing in ``");
    assert!(Strategy::list("rr,,rtc").is_err());
}

#[test]
fn futures_are_tasks_like_threads() {
    let report = explore(&under("rr"), || {
        future::block_on(async {
            let number = Arc::new(Mutex::new(0));
            let add = || {
                let number = Arc::clone(&number);
                future::spawn(async move {
                    let seen = *number.lock().unwrap();
                    future::yield_now().await;
                    *number.lock().unwrap() = seen + 1;
                })
            };
            let (first, second) = (add(), add());
            first.await.unwrap();
            second.await.unwrap();
            assert_eq!(*number.lock().unwrap(), 2, "lost");
        });
    });
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    assert_eq!((bug.delays, bug.repeatable), (0, true), "{report}");
}

#[test]
fn a_program_that_is_not_deterministic_is_unsupported() {
    let runs = AtomicRuns::default();
    let report = explore(&under("rr"), move || {
        if runs.next() == 0 {
            lost_update();
        }
    });
    assert!(matches!(report.verdict, Verdict::Unsupported(_)), "{report}");
}

#[test]
fn a_failure_that_does_not_repeat_is_reported_as_such() {
    let runs = AtomicRuns::default();
    let report = explore(&under("rr"), move || assert_ne!(runs.next(), 0, "the first time only"));
    let Verdict::Bug(bug) = &report.verdict else { panic!("{report}") };
    assert!(
        !bug.repeatable && report.to_string().contains("did not fail in the same way when it was run again")
    );
}

/// Counts executions in a static, which shuttle does not control.
#[derive(Default)]
struct AtomicRuns(std::sync::atomic::AtomicUsize);

impl AtomicRuns {
    fn next(&self) -> usize {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst)
    }
}

#[test]
fn panics_that_the_program_catches_are_not_failures() {
    let report = check(|| {
        let caught = catch_unwind(|| panic!("caught"));
        assert!(caught.is_err());
        thread::spawn(|| {}).join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Proved);
}

const NONE: Option<&str> = None;

/// Runs this test program again, for one of the ignored tests below.
fn in_a_process_of_its_own<S: AsRef<std::ffi::OsStr>>(test: &str, schedule: Option<S>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", test, "--nocapture"]).env_remove(REPLAY).env("RUST_BACKTRACE", "0");
    if let Some(schedule) = schedule {
        command.env(REPLAY, schedule);
    }
    let output = command.output().unwrap();
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
#[ignore = "it fails; another test looks at how"]
fn a_failing_test() {
    check(lost_update);
}

#[test]
fn the_environment_replays() {
    let output = in_a_process_of_its_own("a_failing_test", NONE);
    assert_eq!(output.matches("schedule: ").count(), 1, "{output}");
    assert_eq!(output.matches("failing schedule").count(), 0, "shuttle's own hook is silent: {output}");
    assert_eq!(output.matches("a deposit is lost").count(), 1, "{output}");
    let schedule = output.split("schedule: ").nth(1).unwrap().lines().next().unwrap();

    let again = in_a_process_of_its_own("a_failing_test", Some(schedule));
    assert!(again.contains(&format!("schedule: {schedule}\n")), "{again}");
    assert!(again.contains("\n1 schedule (1 distinct), "), "{again}");
    let wrong = in_a_process_of_its_own("a_failing_test", Some("nonsense"));
    assert!(wrong.contains("`nonsense` is not a schedule"), "{wrong}");
}

#[test]
#[ignore = "it fails; another test looks at how"]
fn a_test_of_two_checks() {
    check(|| {});
    check(lost_update);
}

#[test]
fn a_schedule_finds_the_check_that_it_belongs_to() {
    let output = in_a_process_of_its_own("a_test_of_two_checks", Some("rr/4"));
    assert!(output.contains("DALLY_REPLAY=rr/4 does not fit the check at "), "{output}");
    assert!(
        output.contains("a deposit is lost") && output.contains("\n1 schedule (1 distinct), "),
        "{output}"
    );
}

#[cfg(unix)]
#[test]
fn a_schedule_is_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let schedule = std::ffi::OsStr::from_bytes(b"rr/\xff");
    let output = in_a_process_of_its_own("a_failing_test", Some(schedule));
    assert!(output.contains("is not a schedule"), "{output}");
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("second");
    }
}

#[test]
#[ignore = "it aborts; another test looks at how"]
fn an_aborting_test() {
    check_with(under("rr"), || {
        let thread = thread::spawn(|| {
            let _bomb = Bomb;
            panic!("first");
        });
        thread.join().unwrap();
    });
}

#[test]
fn an_abort_prints_its_schedule() {
    let output = in_a_process_of_its_own("an_aborting_test", NONE);
    assert!(output.contains("first") && output.contains("second"), "{output}");
    assert!(output.contains("ends the process, under schedule rr/-"), "{output}");
}
