//! The task that keeps a bound from completing.

use dally_explore::{
    Cycles, Delays, Failure, Limit, Liveness, Options, Program, Report, Search, Successors, TaskId, Verdict,
    replay,
};

/// Tasks that count: the first `endless` ones for ever, the others to 3. The state has their counts.
struct Counters {
    endless: usize,
    /// The step of task 0 with this number is interrupted, as by a time limit.
    interrupted_at: u32,
}

const ONE: Counters = Counters { endless: 1, interrupted_at: u32::MAX };

impl Program for Counters {
    type State = [u32; 4];

    fn initial(&self, out: &mut Successors<Self::State>) {
        let successor = out.push([0; 4]);
        (0..4).fold(successor, |successor, task| successor.posts(TaskId(task)));
    }

    fn enabled(&self, state: &Self::State, tasks: &mut Vec<TaskId>) {
        let is_enabled = |task: &u32| (*task as usize) < self.endless || state[*task as usize] < 3;
        tasks.extend((0..4).filter(is_enabled).map(TaskId));
    }

    fn step(&self, state: &Self::State, task: TaskId, out: &mut Successors<Self::State>) {
        let mut next = *state;
        next[task.0 as usize] += 1;
        let successor = out.push(next);
        if task == TaskId(0) && next[0] == self.interrupted_at {
            successor.fails(Failure::interrupted(Limit::Time));
        }
    }
}

fn options(states: usize) -> Options {
    Options { states: Some(states), ..Options::default() }
}

fn search(program: &Counters, scheduler: &str, options: &Options) -> Report {
    let policy = Delays::named(&scheduler.parse().expect("a good name"));
    Search::new(program, &policy, options, &()).run()
}

#[test]
fn the_endless_task_is_named() {
    for scheduler in ["rr", "rr:reverse", "dfs", "rtc"] {
        for exact in [false, true] {
            let options = Options { exact, ..options(10_000) };
            let report = search(&ONE, scheduler, &options);
            assert_eq!(report.verdict, Verdict::Inconclusive(Limit::States), "{scheduler}");
            let running = report.running.expect("task 0 runs for ever");
            assert_eq!(running.task, TaskId(0), "{scheduler}");
            // Some of the other tasks may not have had their turn.
            assert!(running.of - running.steps <= 3 * 3 && running.of >= 256, "{scheduler}: {running:?}");
            let schedule = running.schedule(&ONE, || true).expect("it is resolved");
            assert_eq!(schedule.steps.len(), running.of, "{scheduler}");
            assert!(schedule.steps.iter().all(|step| step.cost == 0), "{scheduler}: bound 0 is not complete");
            let replayed = replay(&ONE, &schedule, |_| {}).expect("the execution is possible");
            assert_eq!(replayed.state[0] as usize, running.steps, "{scheduler}");
            assert_eq!(running.schedule(&ONE, || false), None);
            // What was resolved before the time is up names the task as well.
            let mut polls = 3;
            let cut = running.schedule(&ONE, || {
                polls -= 1;
                polls > 0
            });
            let cut = cut.expect("task 0 takes most steps");
            assert_eq!(cut.steps.last().map(|step| step.task), Some(TaskId(0)), "{scheduler}");
            assert!(schedule.steps.starts_with(&cut.steps) && cut.steps.len() > 64, "{scheduler}");
        }
    }
}

#[test]
fn a_search_for_cycles_names_it_as_well() {
    let policy = Delays::named(&"rr".parse().expect("a good name"));
    let report = Cycles::new(&ONE, &policy, &options(10_000), Liveness::default(), &()).run();
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::States));
    assert_eq!(report.running.map(|running| running.task), Some(TaskId(0)));
}

#[test]
fn an_interrupted_step_counts() {
    let program = Counters { interrupted_at: 300, ..ONE };
    let options = Options { bound: Some(0), ..Options::default() };
    let report = search(&program, "rr", &options);
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Time));
    let running = report.running.expect("task 0 runs for ever");
    assert_eq!(running.task, TaskId(0));
    // The step before the interrupted one is the last that is shown.
    let schedule = running.schedule(&program, || true).expect("it is resolved");
    assert_eq!(schedule.steps.len(), running.of);
    assert!((297..300).contains(&running.steps), "{running:?}");
}

#[test]
fn short_executions_and_other_verdicts_name_nothing() {
    let report = search(&ONE, "rr", &options(200));
    assert_eq!((report.verdict, report.running), (Verdict::Inconclusive(Limit::States), None));
    let report = search(&Counters { endless: 0, ..ONE }, "rr", &Options::default());
    assert_eq!((report.verdict, report.running), (Verdict::Proved, None));
}

#[test]
fn no_task_is_named_if_none_takes_half_of_the_steps() {
    // In a random order, each of three tasks takes a third of the steps.
    let report = search(&Counters { endless: 3, ..ONE }, "random:1", &options(10_000));
    assert_eq!((report.verdict, report.running), (Verdict::Inconclusive(Limit::States), None));
}
