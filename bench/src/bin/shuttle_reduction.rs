//! Executions until everything is covered: exhaustive search, and dynamic partial-order reduction.
//!
//! Where exhaustive search has too many executions, their number is estimated: the product of the numbers of tasks that
//! can run along a random execution has that number as its mean \[Knuth: Estimating the efficiency of backtrack
//! programs, 1975\].
//!
//! ```text
//! cargo run --release -p dally-bench --features shuttle --bin shuttle_reduction
//! ```
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is a command line")]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use dally_bench::{Numbers, table};
use dally_shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use dally_shuttle::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
use dally_shuttle::{Config, Strategy, Verdict, explore, thread};
use shuttle::Runner;
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

/// Exhaustive search ends after this many executions.
const LIMIT: u64 = 300_000;

/// Random executions of an estimate.
const SAMPLES: u32 = 20_000;

type Program = Box<dyn Fn() + Send + Sync>;

fn threads(count: usize, body: impl Fn(usize) + Send + Sync + Clone + 'static) {
    let spawn = |nth| {
        let body = body.clone();
        thread::spawn(move || body(nth))
    };
    let handles: Vec<_> = (0..count).map(spawn).collect();
    handles.into_iter().for_each(|handle| handle.join().unwrap());
}

/// Threads that increment a counter under a lock.
fn locked(count: usize, times: usize) -> Program {
    Box::new(move || {
        let counter = Arc::new(Mutex::new(0));
        let shared = Arc::clone(&counter);
        threads(count, move |_| (0..times).for_each(|_| *shared.lock().unwrap() += 1));
        assert_eq!(*counter.lock().unwrap(), count * times);
    })
}

/// Threads that increment a counter of their own, and add it to a common one at the end.
fn sums(count: usize, times: usize) -> Program {
    Box::new(move || {
        let total = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&total);
        threads(count, move |_| {
            let own = Mutex::new(0);
            (0..times).for_each(|_| *own.lock().unwrap() += 1);
            shared.fetch_add(*own.lock().unwrap(), SeqCst);
        });
        assert_eq!(total.load(SeqCst), count * times);
    })
}

/// Philosophers who take their forks in the order of their numbers.
fn philosophers(count: usize) -> Program {
    Box::new(move || {
        let forks: Arc<Vec<_>> = Arc::new((0..count).map(|_| Mutex::new(())).collect());
        threads(count, move |nth| {
            let (one, two) = (nth, (nth + 1) % count);
            let first = forks[one.min(two)].lock().unwrap();
            let second = forks[one.max(two)].lock().unwrap();
            drop((first, second));
        });
    })
}

/// Threads that pass messages along a line of channels.
fn pipeline(stages: usize, messages: usize) -> Program {
    Box::new(move || {
        let (first, mut input) = mpsc::channel();
        let mut handles = Vec::new();
        for _ in 0..stages {
            let (output, next) = mpsc::channel();
            let from = std::mem::replace(&mut input, next);
            handles.push(thread::spawn(move || from.iter().for_each(|n: usize| output.send(n + 1).unwrap())));
        }
        (0..messages).for_each(|n| first.send(n).unwrap());
        drop(first);
        assert_eq!(input.iter().count(), messages);
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    })
}

/// A flag that readers read, and one writer sets.
fn readers(count: usize, times: usize) -> Program {
    Box::new(move || {
        let table = Arc::new(RwLock::new(0));
        threads(count, move |nth| {
            if nth == 0 {
                *table.write().unwrap() += 1;
            } else {
                (0..times).for_each(|_| assert!(*table.read().unwrap() <= 1));
            }
        });
    })
}

/// A producer and consumers with a condition variable.
fn consumers(count: usize) -> Program {
    Box::new(move || {
        let queue = Arc::new((Mutex::new(0), Condvar::new()));
        threads(count + 1, move |nth| {
            let (items, filled) = &*queue;
            if nth == 0 {
                *items.lock().unwrap() = count;
                filled.notify_all();
            } else {
                let mut left = filled.wait_while(items.lock().unwrap(), |left| *left == 0).unwrap();
                *left -= 1;
                if *left > 0 {
                    filled.notify_one();
                }
            }
        });
    })
}

/// Cells that several threads write, each the next one.
fn indexer(count: usize) -> Program {
    Box::new(move || {
        let cells: Arc<Vec<_>> = Arc::new((0..16).map(|_| AtomicUsize::new(0)).collect());
        threads(count, move |nth| {
            for item in 1..=2 {
                let mut cell = (nth * 4 + item * 7) % 16;
                while cells[cell].compare_exchange(0, item, SeqCst, SeqCst).is_err() {
                    cell = (cell + 1) % 16;
                }
            }
        });
    })
}

fn programs() -> Vec<(String, Program)> {
    let mut all: Vec<(String, Program)> = Vec::new();
    for (count, times) in [(2, 1), (2, 2), (2, 3), (2, 5), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)] {
        all.push((format!("locked increments, {count} × {times}"), locked(count, times)));
    }
    for (count, times) in [(2, 5), (3, 3), (4, 5)] {
        all.push((format!("local locks, {count} × {times}"), sums(count, times)));
    }
    for count in [2, 3, 4, 5] {
        all.push((format!("ordered philosophers, {count}"), philosophers(count)));
    }
    for (stages, messages) in [(2, 2), (3, 2)] {
        all.push((format!("pipeline, {stages} stages, {messages} messages"), pipeline(stages, messages)));
    }
    for (count, times) in [(3, 2), (4, 3)] {
        all.push((format!("readers and a writer, {count} × {times}"), readers(count, times)));
    }
    for count in [1, 2, 3] {
        all.push((format!("producer, {count} consumers"), consumers(count)));
    }
    for count in [2, 3, 4] {
        all.push((format!("indexer, {count} threads"), indexer(count)));
    }
    all
}

/// The product of the numbers of tasks along random executions.
struct Estimate {
    random: Numbers,
    left: u32,
    product: f64,
    sum: Rc<RefCell<f64>>,
}

impl Scheduler for Estimate {
    fn new_execution(&mut self) -> Option<Schedule> {
        *self.sum.borrow_mut() += std::mem::replace(&mut self.product, 1.0);
        self.left = self.left.checked_sub(1)?;
        Some(Schedule::new(0))
    }

    fn next_task(&mut self, tasks: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        self.product *= tasks.len() as f64;
        Some(tasks[self.random.below(tasks.len() as u64) as usize].id())
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}

fn estimate(program: &Arc<Program>) -> f64 {
    let sum = Rc::new(RefCell::new(0.0));
    let random = Numbers::new(1);
    let scheduler = Estimate { random, left: SAMPLES, product: 0.0, sum: Rc::clone(&sum) };
    let program = Arc::clone(program);
    Runner::new(scheduler, shuttle::Config::default()).run(move || program());
    let sum = *sum.borrow();
    sum / f64::from(SAMPLES)
}

/// The number of executions of a complete search, if it ends, and the time.
fn search(program: &Arc<Program>, strategy: &str, schedules: u64) -> (Option<u64>, Duration) {
    let strategies = Strategy::list(strategy).unwrap();
    let schedules = Some(schedules);
    let config = Config { strategies, samplers: Vec::new(), schedules, ..Config::default() };
    let start = Instant::now();
    let program = Arc::clone(program);
    let report = explore(&config, move || program());
    let executions = report.coverage.strategies[0].schedules.iter().sum();
    match report.verdict {
        Verdict::Proved => (Some(executions), start.elapsed()),
        Verdict::Inconclusive(_) => (None, start.elapsed()),
        other => panic!("{other:?}"),
    }
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut rows = Vec::new();
    for (name, program) in programs().into_iter().filter(|(name, _)| name.contains(&only)) {
        let program = Arc::new(program);
        let (all, time) = search(&program, "rr", LIMIT);
        let (few, reduced_time) = search(&program, "dpor", LIMIT * 10);
        let before = all.map_or_else(|| estimate(&program), |all| all as f64);
        let number = |executions: f64| {
            if executions < 1e6 { format!("{executions:.0}") } else { format!("{executions:.1e}") }
        };
        let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
        rows.push(vec![
            name,
            format!("{}{}", if all.is_some() { "" } else { "about " }, number(before)),
            all.map_or("–".to_owned(), |_| seconds(time)),
            few.map_or("too many".to_owned(), |few| few.to_string()),
            seconds(reduced_time),
            few.map_or("–".to_owned(), |few| format!("{} ×", number(before / few as f64))),
        ]);
    }
    println!("{}", table(&["program", "executions", "time", "with reduction", "time", "fewer"], &rows));
}
