//! Random small thread programs: the reduced search has the outcomes of exhaustive search, and each dependency is needed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex as Cell, PoisonError};

use dally_testing::arbitrary::{Result, Unstructured};
use dally_testing::for_inputs_of;
use shuttle::Runner;
use shuttle::scheduler::{DfsScheduler, Schedule, Scheduler, Task, TaskId};

use super::{Candidate, Mutation, Reduction};
use crate::operations;
use crate::sync::atomic::{AtomicU64, Ordering::SeqCst};
use crate::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use crate::sync::{Condvar, Mutex, RwLock};
use crate::thread;

/// Programs with more executions are skipped.
const MOST: usize = 3_000;

/// An operation of a thread.
#[derive(Clone, Debug)]
enum Op {
    Load(usize),
    Store(usize, u64),
    Add(usize, u64),
    Exchange(usize, u64, u64),
    Lock(usize, Vec<Op>),
    TryLock(usize),
    Read,
    Write(u64),
    Wait,
    WaitUntil,
    Notify(bool),
    Signal(bool),
    Send(u64),
    SendBounded(u64),
    Receive,
    TryReceive,
    Yield,
    Raw(u64),
    Spawn(Vec<Op>, bool),
}

fn op(u: &mut Unstructured<'_>, depth: usize) -> Result<Op> {
    let value = u.int_in_range(1..=3)?;
    let object = u.int_in_range(0..=1)?;
    Ok(match u.int_in_range(0..=if depth == 0 { 22 } else { 10 })? {
        0 | 1 => Op::Load(object),
        2 | 3 => Op::Store(object, value),
        4 => Op::Add(object, value),
        5 => Op::Exchange(object, u.int_in_range(0..=2)?, value),
        6 => Op::TryLock(object),
        7 => Op::Read,
        8 => Op::Write(value),
        9 => Op::Yield,
        10 => Op::Send(value),
        11 | 12 => Op::Lock(object, ops(u, 0..=2, depth + 1)?),
        13 => Op::Wait,
        14 => Op::WaitUntil,
        15 => Op::Notify(u.arbitrary()?),
        16 => Op::Signal(u.arbitrary()?),
        17 => Op::SendBounded(value),
        18 => Op::Receive,
        19 | 20 => Op::Raw(value),
        21 => Op::TryReceive,
        _ => Op::Spawn(ops(u, 1..=2, depth + 1)?, u.arbitrary()?),
    })
}

fn ops(u: &mut Unstructured<'_>, count: std::ops::RangeInclusive<usize>, depth: usize) -> Result<Vec<Op>> {
    (0..u.int_in_range(count)?).map(|_| op(u, depth)).collect()
}

/// The data that threads share.
struct Shared {
    atomics: [AtomicU64; 2],
    locks: [Mutex<u64>; 2],
    table: RwLock<u64>,
    condition: Condvar,
    raw: shuttle::sync::atomic::AtomicU64,
    log: Log,
}

/// The values that each thread has seen.
type Log = Arc<Cell<BTreeMap<u64, Vec<u64>>>>;

/// A thread of the program.
struct Thread {
    shared: Arc<Shared>,
    /// Its key in the log, and the number of its children.
    key: u64,
    children: std::cell::Cell<u64>,
    /// Only threads that send have senders: to drop one is an operation on the channel.
    sender: Option<Sender<u64>>,
    bounded: Option<SyncSender<u64>>,
    receiver: Option<Receiver<u64>>,
}

impl Thread {
    fn saw(&self, value: u64) {
        self.shared.log.lock().unwrap().entry(self.key).or_default().push(value);
    }

    fn run(&self, ops: &[Op]) {
        for op in ops {
            self.step(op);
        }
    }

    fn step(&self, op: &Op) {
        let Shared { atomics, locks, table, condition, raw, .. } = &*self.shared;
        match op {
            Op::Load(object) => self.saw(atomics[*object].load(SeqCst)),
            Op::Store(object, value) => atomics[*object].store(*value, SeqCst),
            Op::Add(object, value) => self.saw(atomics[*object].fetch_add(*value, SeqCst)),
            Op::Exchange(object, old, new) => {
                let result = atomics[*object].compare_exchange(*old, *new, SeqCst, SeqCst);
                self.saw(result.unwrap_or_else(|current| 10 + current));
            }
            Op::Lock(object, inner) => {
                let mut guard = locks[*object].lock().unwrap();
                self.saw(*guard);
                *guard = *guard * 2 + 1;
                self.run(inner);
            }
            Op::TryLock(object) => {
                let seen = locks[*object].try_lock().map_or(99, |mut guard| {
                    *guard += 1;
                    *guard
                });
                self.saw(seen);
            }
            Op::Read => self.saw(*table.read().unwrap()),
            Op::Write(value) => *table.write().unwrap() += value,
            Op::Wait => self.saw(*condition.wait(locks[0].lock().unwrap()).unwrap()),
            Op::WaitUntil => {
                let guard = condition.wait_while(locks[0].lock().unwrap(), |value| *value == 0).unwrap();
                self.saw(*guard);
            }
            Op::Notify(true) => condition.notify_all(),
            Op::Notify(false) => condition.notify_one(),
            Op::Signal(all) => {
                *locks[0].lock().unwrap() += 1;
                if *all { condition.notify_all() } else { condition.notify_one() }
            }
            Op::Send(value) => {
                self.saw(self.sender.as_ref().map_or(96, |it| u64::from(it.send(*value).is_ok())));
            }
            Op::SendBounded(value) => {
                self.saw(self.bounded.as_ref().map_or(96, |it| u64::from(it.send(*value).is_ok())));
            }
            Op::Receive => self.saw(self.receiver.as_ref().map_or(0, |it| it.recv().unwrap_or(98))),
            Op::TryReceive => self.saw(self.receiver.as_ref().map_or(0, |it| it.try_recv().unwrap_or(97))),
            Op::Yield => thread::yield_now(),
            Op::Raw(value) => self.saw(raw.swap(*value, SeqCst)),
            Op::Spawn(ops, joined) => {
                let child = self.child(ops, None);
                let ops = ops.clone();
                let handle = thread::spawn(move || child.run(&ops));
                if *joined {
                    handle.join().unwrap();
                }
            }
        }
    }

    fn child(&self, ops: &[Op], receiver: Option<Receiver<u64>>) -> Self {
        let text = format!("{ops:?}");
        self.children.update(|children| children + 1);
        Self {
            shared: Arc::clone(&self.shared),
            key: self.key * 10 + self.children.get(),
            children: std::cell::Cell::new(0),
            sender: self.sender.clone().filter(|_| text.contains("Send(")),
            bounded: self.bounded.clone().filter(|_| text.contains("SendBounded(")),
            receiver,
        }
    }
}

/// A program: the operations of its threads, and whether the main thread waits for each of them.
#[derive(Clone, Debug)]
struct Program(Vec<(Vec<Op>, bool)>);

impl Program {
    fn arbitrary(u: &mut Unstructured<'_>) -> Result<Self> {
        let threads = u.int_in_range(2..=3)?;
        let longest = if threads == 2 { 4 } else { 2 };
        let thread = |_| Ok((ops(u, 1..=longest, 0)?, u.ratio(4, 5)?));
        (0..threads).map(thread).collect::<Result<_>>().map(Self)
    }

    fn run(&self, log: &Log) {
        log.lock().unwrap().clear();
        let (sender, receiver) = channel();
        let (bounded, bounded_receiver) = sync_channel(1);
        let shared = Arc::new(Shared {
            atomics: [AtomicU64::new(0), AtomicU64::new(0)],
            locks: [Mutex::new(0), Mutex::new(0)],
            table: RwLock::new(0),
            condition: Condvar::new(),
            raw: shuttle::sync::atomic::AtomicU64::new(0),
            log: Arc::clone(log),
        });
        let main = Thread {
            shared,
            key: 0,
            children: std::cell::Cell::new(0),
            sender: Some(sender),
            bounded: Some(bounded),
            receiver: None,
        };
        let mut receivers = [Some(receiver), Some(bounded_receiver)].into_iter();
        let mut handles = Vec::new();
        for (ops, joined) in &self.0 {
            let child = main.child(ops, receivers.next().flatten());
            let ops = ops.clone();
            let handle = thread::spawn(move || child.run(&ops));
            if *joined {
                handles.push(handle);
            }
        }
        let Thread { shared, key, sender, bounded, .. } = main;
        drop((sender, bounded));
        for handle in handles {
            handle.join().unwrap();
        }
        let values =
            [shared.atomics[0].load(SeqCst), shared.atomics[1].load(SeqCst), *shared.table.read().unwrap()];
        shared.log.lock().unwrap().entry(key).or_default().extend(values);
    }
}

/// Executions and their outcomes.
struct Observed<S> {
    scheduler: S,
    log: Log,
    /// The values that the threads have seen, and whether it is a deadlock.
    outcomes: BTreeSet<(bool, BTreeMap<u64, Vec<u64>>)>,
    executions: usize,
    /// True if the outcome of the current execution is not recorded yet.
    open: bool,
}

impl<S> Observed<S> {
    fn record(&mut self, failed: bool) {
        if std::mem::take(&mut self.open) {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).clone();
            self.outcomes.insert((failed, log));
        }
    }
}

/// A scheduler whose executions count.
trait Search: Scheduler {
    /// True if the current execution is one of those that are compared at the end: its outcome does not count.
    fn compares(&self) -> bool {
        false
    }
}

impl Search for DfsScheduler {}

impl Search for Reduced {
    fn compares(&self) -> bool {
        self.0.compares()
    }
}

/// A scheduler that outlives the runner of a failing execution.
struct Handle<S>(Rc<RefCell<Observed<S>>>);

impl<S: Search> Scheduler for Handle<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        let mut observed = self.0.borrow_mut();
        observed.record(false);
        if observed.executions >= MOST {
            return None;
        }
        let schedule = observed.scheduler.new_execution()?;
        observed.open = !observed.scheduler.compares();
        observed.executions += usize::from(observed.open);
        Some(schedule)
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let mut observed = self.0.borrow_mut();
        let task = observed.scheduler.next_task(tasks, current, yielding);
        // An execution that is stopped has no outcome.
        observed.open &= task.is_some();
        task
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}

/// The reduced search as a scheduler.
struct Reduced(Reduction);

impl Scheduler for Reduced {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.0.end();
        operations::begin(self.0.goes_on());
        self.0.goes_on().then(|| {
            self.0.begin();
            Schedule::new(0)
        })
    }

    fn next_task(&mut self, tasks: &[&Task], current: Option<TaskId>, yielding: bool) -> Option<TaskId> {
        let candidate = |task: &&Task| Candidate { task: task.id().into(), runnable: task.runnable() };
        let tasks: Vec<Candidate> = tasks.iter().map(candidate).collect();
        self.0.next_task(&tasks, current.map(usize::from), yielding).map(TaskId::from)
    }

    fn next_u64(&mut self) -> u64 {
        0
    }
}

/// Runs a program under a scheduler, up to the limit on executions, also after failures.
fn run<S: Search + 'static>(program: &Program, scheduler: S) -> Rc<RefCell<Observed<S>>> {
    let log = Log::default();
    let observed =
        Observed { scheduler, log: Arc::clone(&log), outcomes: BTreeSet::new(), executions: 0, open: false };
    let observed = Rc::new(RefCell::new(observed));
    loop {
        let mut config = shuttle::Config::default();
        config.failure_persistence = shuttle::FailurePersistence::None;
        let runner = Runner::new(Handle(Rc::clone(&observed)), config);
        let (program, log) = (program.clone(), Arc::clone(&log));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || {
                program.run(&log);
                operations::main_ends();
            })
        }));
        if ended.is_ok() {
            operations::begin(false);
            return observed;
        }
        observed.borrow_mut().record(true);
    }
}

/// Compares the reduced search with exhaustive search. Returns the executions of both if all outcomes were found, and
/// `None` if not.
fn compare(program: &Program, mutation: Mutation) -> Option<(usize, usize)> {
    let all = run(program, DfsScheduler::new(None, false));
    let all = all.borrow();
    if all.executions >= MOST {
        return Some((0, 0));
    }
    let reduced = run(program, Reduced(Reduction::mutated(mutation)));
    let reduced = reduced.borrow();
    let informed = reduced.scheduler.0.informed;
    let same = !informed || reduced.scheduler.0.is_complete() && reduced.outcomes == all.outcomes;
    same.then_some((all.executions, reduced.executions))
}

fn silence() {
    // Shuttle installs its hook with the first execution.
    Runner::new(DfsScheduler::new(Some(1), false), shuttle::Config::default()).run(|| {});
    std::panic::set_hook(Box::new(|info| {
        if !info.payload_as_str().is_some_and(|text| text.starts_with("deadlock!")) {
            dally_testing::say(&info.to_string());
        }
    }));
}

#[test]
fn reduced_and_exhaustive_search_have_the_same_outcomes() {
    silence();
    let (mut programs, mut all, mut few) = (0, 0, 0);
    for_inputs_of(64..512, 120, |u| {
        let program = Program::arbitrary(u)?;
        let Some((exhaustive, reduced)) = compare(&program, Mutation::None) else {
            panic!("outcomes differ: {program:#?}");
        };
        programs += usize::from(exhaustive > 0);
        all += exhaustive;
        few += reduced;
        Ok(())
    });
    dally_testing::say(&format!("{programs} programs: {all} executions, {few} with reduction"));
    assert!(programs > 0 && few * 2 < all);
}

#[test]
fn each_dependency_is_needed() {
    silence();
    for mutation in
        [Mutation::Accesses, Mutation::Locks, Mutation::Wakeups, Mutation::Unknown, Mutation::Initials]
    {
        let unknown = Program(vec![(vec![Op::Raw(1), Op::Yield], true), (vec![Op::Raw(2), Op::Yield], true)]);
        let mut detected = compare(&unknown, mutation).is_none().then_some(0);
        let mut number = 0;
        for_inputs_of(64..512, 200, |u| {
            if detected.is_some() {
                return Ok(());
            }
            number += 1;
            if compare(&Program::arbitrary(u)?, mutation).is_none() {
                detected = Some(number);
            }
            Ok(())
        });
        dally_testing::say(&format!("{mutation:?}: {detected:?}"));
        assert!(detected.is_some(), "{mutation:?} is not detected");
    }
}

/// The release of a lock is an unknown step here, so that it conflicts with the step that acquires the lock next. Their race
/// cannot be reversed; that of both acquisitions can.
#[test]
fn locks_that_are_released_in_unknown_steps_are_in_races() {
    silence();
    let write = || vec![Op::Write(3), Op::Raw(3)];
    let programs = [
        Program(vec![(write(), true), (vec![Op::Read], true)]),
        Program(vec![(write(), false), (vec![Op::Store(1, 2)], true)]),
        Program(vec![(write(), false), (vec![Op::Lock(0, vec![Op::Store(1, 2)])], true)]),
    ];
    for program in programs {
        let (exhaustive, reduced) = compare(&program, Mutation::None).unwrap();
        assert!(0 < reduced && reduced < exhaustive, "{program:?}: {reduced} of {exhaustive}");
    }
}
