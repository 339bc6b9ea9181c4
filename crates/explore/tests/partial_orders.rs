//! Partial-order sampling of programs with footprints.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use dally_explore::{
    Failure, Footprint, Object, Program, SampleOptions, Sampled, Sampler, SamplerName, Slice, Successors,
    TaskId, Watch, replay,
};

/// Tasks, each of which writes these objects one by one; 0 is no object. A state is the list of the tasks that
/// took a step.
#[derive(Default)]
struct Writers {
    tasks: Vec<Vec<u64>>,
    /// The execution that fails.
    bug: Option<Vec<u32>>,
    /// The number of footprints that were asked for.
    asked: AtomicUsize,
}

impl Writers {
    fn new(tasks: &[&[u64]]) -> Self {
        Writers { tasks: tasks.iter().map(|objects| objects.to_vec()).collect(), ..Writers::default() }
    }

    /// The objects that a task has still to write.
    fn left(&self, turns: &[u32], task: u32) -> &[u64] {
        let done = turns.iter().filter(|turn| **turn == task).count();
        &self.tasks[task as usize][done..]
    }
}

impl Program for Writers {
    type State = Vec<u32>;

    fn initial(&self, out: &mut Successors<Vec<u32>>) {
        let first = out.push(Vec::new());
        (0..self.tasks.len() as u32).map(TaskId).fold(first, dally_explore::Successor::posts);
    }

    fn enabled(&self, turns: &Vec<u32>, tasks: &mut Vec<TaskId>) {
        let all = 0..self.tasks.len() as u32;
        tasks.extend(all.filter(|task| !self.left(turns, *task).is_empty()).map(TaskId));
    }

    fn step(&self, turns: &Vec<u32>, task: TaskId, out: &mut Successors<Vec<u32>>) {
        let completes = self.left(turns, task.0).len() == 1;
        let turns: Vec<u32> = turns.iter().copied().chain([task.0]).collect();
        let fails = self.bug.as_ref() == Some(&turns);
        let mut next = out.push(turns);
        if completes {
            next = next.completes();
        }
        if fails {
            next.fails(Failure::assertion("this order fails"));
        }
    }

    fn footprint(&self, turns: &Vec<u32>, task: TaskId, out: &mut Footprint) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let object = self.left(turns, task.0)[0];
        if object != 0 {
            out.writes(Object(object));
        }
    }
}

/// Counts the executions.
#[derive(Default)]
struct Orders(Mutex<BTreeMap<Vec<u32>, u64>>);

impl Watch<Vec<u32>> for Orders {
    fn final_state(&self, turns: &Vec<u32>) {
        *self.0.lock().expect("no thread panics").entry(turns.clone()).or_default() += 1;
    }
}

const WALKS: u64 = 20_000;

fn options(samplers: &str) -> SampleOptions {
    let samplers = SamplerName::parse_list(samplers).expect("good names");
    SampleOptions { samplers, walks: Some(WALKS), ..SampleOptions::default() }
}

/// The executions of a program without a bug, with the number of walks of each.
fn orders(program: &Writers, samplers: &str) -> BTreeMap<Vec<u32>, u64> {
    let orders = Orders::default();
    assert_eq!(Sampler::new(program, options(samplers), &orders).run(), Slice::Done);
    orders.0.into_inner().expect("no thread panics")
}

/// The number of walks per thousand in which the first task runs first, up to its end.
fn first_runs_first(tasks: &[&[u64]], samplers: &str) -> u64 {
    let orders = orders(&Writers::new(tasks), samplers);
    let first = orders.iter().filter(|(turns, _)| turns[..tasks[0].len()].iter().all(|task| *task == 0));
    first.map(|(_, walks)| walks).sum::<u64>() * 1_000 / WALKS
}

#[test]
fn conflicts_come_from_footprints() {
    for (one, two, expected) in [
        // The second task has the lowest of five priorities.
        (&[1, 1, 1, 1][..], &[2, 2, 2, 2][..], 1_000 / 5),
        (&[0, 0, 0, 0], &[0, 0, 0, 0], 1_000 / 5),
        // Each of four priorities is the higher one of two that are drawn anew.
        (&[1, 1, 1, 1], &[1, 1, 1, 1], 1_000 / 16),
        // The second task loses two draws of two others, each time against two steps.
        (&[1, 2, 1, 2], &[2, 2, 2, 2], 1_000 / 9),
    ] {
        let found = first_runs_first(&[one, two], "pos");
        assert!(found.abs_diff(expected) <= 10, "{one:?} {two:?}: {found}, {expected}");
        let uniform = first_runs_first(&[one, two], "random");
        assert!(uniform.abs_diff(1_000 / 16) <= 10, "{one:?} {two:?}: {uniform}");
    }
}

#[test]
fn every_execution_is_sampled() {
    // The number of executions is that of the orders of six or seven steps, by tasks.
    for (tasks, count) in [
        (&[&[0, 0][..], &[0, 0], &[0, 0]][..], 90),
        (&[&[1, 1], &[1, 1], &[1, 1]], 90),
        (&[&[1, 2], &[2, 1], &[0, 1]], 90),
        (&[&[0, 0, 0, 1], &[1, 2, 1]], 35),
    ] {
        let orders = orders(&Writers::new(tasks), "pos");
        assert_eq!(orders.len(), count, "{tasks:?}: {orders:?}");
    }
}

#[test]
fn other_samplers_ask_for_no_footprints() {
    let asked = |samplers| {
        let program = Writers::new(&[&[1, 1], &[1, 2]]);
        orders(&program, samplers);
        program.asked.into_inner()
    };
    assert_eq!(asked("random,pct:3,urw,delays"), 0);
    assert!(asked("pos") > 0);
}

/// The long task writes without conflicts before the short one takes its only step.
#[test]
fn a_late_step_is_found_and_replays() {
    const STEPS: usize = 24;
    let found = |samplers: &str, threads: usize| -> (Slice, Sampled) {
        let bug = Some(vec![0; STEPS]);
        let program = Writers { bug, ..Writers::new(&[&[1; STEPS], &[2]]) };
        let mut sampler = Sampler::new(&program, SampleOptions { threads, ..options(samplers) }, &());
        let slice = sampler.run();
        if let Slice::Bug(bug) = &slice {
            let replayed = replay(&program, &bug.schedule, |_| {}).expect("the schedule replays");
            assert_eq!(replayed.failure.as_ref(), Some(&bug.failure));
        }
        (slice, sampler.sampled().clone())
    };
    let one = found("pos", 1);
    assert!(matches!(one.0, Slice::Bug(_)) && one.1.walks < 500, "{one:?}");
    assert_eq!(found("pos", 2), one);
    assert_eq!(found("pos", 3), one);
    assert_eq!(found("random", 1).0, Slice::Done);
}
