//! Steps that cannot be executed: a search goes on without them, and says so if it finds no bug.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use common::{Op, State, Tasks, random_program};
use dally_explore::{
    Delays, Failure, Options, Program, Report, SampleOptions, Sampler, SchedulerName, Search, Slice,
    Successors, TaskId, Verdict,
};
use dally_testing::for_inputs;

/// Searches end after this many steps that cannot be executed.
const MOST: u64 = 16;

/// Steps into a state in which the first global has this value are discarded, or cannot be executed.
struct Broken<'t> {
    tasks: &'t Tasks,
    value: u8,
    discards: bool,
    abandoned: AtomicU64,
}

impl<'t> Broken<'t> {
    fn new(tasks: &'t Tasks, value: u8, discards: bool) -> Self {
        Self { tasks, value, discards, abandoned: AtomicU64::new(0) }
    }
}

impl Program for Broken<'_> {
    type State = State;

    fn initial(&self, out: &mut Successors<State>) {
        self.tasks.initial(out);
    }

    fn enabled(&self, state: &State, tasks: &mut Vec<TaskId>) {
        self.tasks.enabled(state, tasks);
    }

    fn step(&self, state: &State, task: TaskId, out: &mut Successors<State>) {
        let mut whole = Successors::default();
        self.tasks.step(state, task, &mut whole);
        if !whole.states().iter().any(|state| state.globals[0] == self.value) {
            return self.tasks.step(state, task, out);
        }
        if !self.discards {
            self.abandoned.fetch_add(1, Ordering::Relaxed);
            out.push(state.clone()).fails(Failure::unsupported(format!("task {task} loops")));
        }
    }
}

fn check(program: &Broken<'_>, threads: usize) -> Report {
    let rr = Delays::named(&"rr".parse::<SchedulerName>().expect("a good name"));
    let options = Options { threads, share_from: 1, ..Options::default() };
    let mut report = Search::new(program, &rr, &options, &()).run();
    report.coverage.peak_bytes = 0;
    report
}

#[test]
fn a_search_goes_on_without_steps_that_cannot_be_executed() {
    let (mut bugs, mut unsupported) = (0, 0);
    for_inputs(1_000, |u| {
        let (mut tasks, value) = (random_program(u, true)?, u.int_in_range(1..=3)?);
        // Many of the programs have a bug.
        if let Some(last) = tasks.procedures.last_mut() {
            last.push(Op::AssertNot(1, value));
        }
        let without = check(&Broken::new(&tasks, value, true), 1);
        let broken = Broken::new(&tasks, value, false);
        let report = check(&broken, 1);
        let abandoned = broken.abandoned.load(Ordering::Relaxed);
        let shared = check(&broken, 2);
        assert_eq!(report, shared, "{tasks:?}");
        match (&report.verdict, abandoned) {
            (Verdict::Unsupported(_), MOST..) => {}
            (verdict, 0) => assert_eq!(*verdict, without.verdict, "{tasks:?}"),
            (Verdict::Unsupported(_), _) => {
                assert_eq!(without.verdict, Verdict::Proved, "{tasks:?}");
                assert!(report.coverage.completed_bound < without.coverage.completed_bound, "{tasks:?}");
                unsupported += 1;
            }
            (verdict, _) => {
                assert_eq!(*verdict, without.verdict, "{tasks:?}");
                bugs += 1;
            }
        }
        Ok(())
    });
    assert!(bugs > 0 && unsupported > 0, "{bugs}, {unsupported}");
}

/// Task 0 never lets others run, task 1 fails, and there are others, which make many states.
struct Loop {
    others: u32,
    fails: bool,
}

impl Program for Loop {
    type State = u32;

    fn initial(&self, out: &mut Successors<u32>) {
        let successor = out.push(0);
        (0..2 + self.others).map(TaskId).fold(successor, dally_explore::Successor::posts);
    }

    fn enabled(&self, state: &u32, tasks: &mut Vec<TaskId>) {
        tasks.extend((0..2 + self.others).filter(|task| state & 1 << task == 0).map(TaskId));
    }

    fn step(&self, state: &u32, task: TaskId, out: &mut Successors<u32>) {
        let successor = out.push(state | 1 << task.0).completes();
        match task.0 {
            0 => drop(successor.fails(Failure::unsupported("task 0 loops"))),
            1 if self.fails => drop(successor.fails(Failure::assertion("task 1 fails"))),
            _ => {}
        }
    }
}

#[test]
fn sampling_goes_on_without_steps_that_cannot_be_executed() {
    for threads in [1, 2] {
        let sample = |others, fails, walks| {
            let options = SampleOptions { walks: Some(walks), threads, ..SampleOptions::default() };
            let program = Loop { others, fails };
            let mut sampler = Sampler::new(&program, options, &());
            (sampler.run(), sampler.sampled().clone())
        };
        let (slice, _) = sample(0, true, 1000);
        assert!(matches!(slice, Slice::Bug(bug) if bug.failure.message == "task 1 fails" && bug.cost == 1));
        let (slice, sampled) = sample(0, false, 10);
        assert_eq!((slice, sampled.abandoned), (Slice::Unsupported("task 0 loops".to_owned()), 10));
        // Each walk comes to the step that cannot be executed.
        let (slice, sampled) = sample(2, false, 1000);
        assert_eq!((slice, sampled.walks), (Slice::Unsupported("task 0 loops".to_owned()), MOST));
    }
}

#[test]
fn a_search_ends_after_some_steps_that_cannot_be_executed() {
    let rr = Delays::named(&"rr".parse::<SchedulerName>().expect("a good name"));
    let search = |threads| {
        let options = Options { threads, share_from: 1, ..Options::default() };
        let mut report = Search::new(&Loop { others: 8, fails: false }, &rr, &options, &()).run();
        report.coverage.peak_bytes = 0;
        report
    };
    let report = search(1);
    assert_eq!(report.verdict, Verdict::Unsupported("task 0 loops".to_owned()));
    assert_eq!(report, search(2));
    assert!(report.coverage.states < 1 << 8);
}
