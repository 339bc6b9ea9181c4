//! Exact state counts of spaces enumerated by hand, and the least bounds that find certain bugs.

mod common;

use common::{Op, Tasks};
use dally_explore::policy::Policy;
use dally_explore::{
    Delays, Depth, Exhaustive, FailureKind, Fingerprint, Limit, Options, Plan, Preemptions, Program, Report,
    SchedulerName, Search, StrategyName, Successors, Switches, TaskId, Verdict,
};

#[path = "../../../examples/two_phase_commit/model.rs"]
mod two_phase_commit;

fn under(name: &str) -> Delays {
    Delays::named(&name.parse::<SchedulerName>().expect("a good name"))
}

fn run(program: &Tasks, policy: &impl Policy, options: &Options) -> Report {
    Search::new(program, policy, options, &()).run()
}

fn exact(bound: u32) -> Options {
    Options { bound: Some(bound), exact: true, ..Options::default() }
}

/// The least cost of a bug. Asserts that exact and cached searches miss the bug at a lower bound.
fn least_bound(program: &Tasks, policy: &impl Policy) -> u32 {
    let report = run(program, policy, &Options { exact: true, bound: Some(30), ..Options::default() });
    let bound = report.bug().expect("there is a bug").cost;
    if let Some(below) = bound.checked_sub(1) {
        assert_eq!(run(program, policy, &exact(below)).verdict, Verdict::ProvedWithin(below));
        let cached = run(program, policy, &Options { exact: false, ..exact(below) });
        assert_eq!(cached.verdict, Verdict::NoBug);
    }
    bound
}

/// Two tasks of two steps each: a grid of 3 × 3 states, the state before they are posted, and with
/// the poster done.
#[test]
fn two_tasks_of_two_steps_make_a_grid() {
    let program = Tasks::new(&[&[Op::Post(1), Op::Post(1)], &[Op::Yield]]);
    let report = run(&program, &Exhaustive, &Options::default());
    assert_eq!(report.verdict, Verdict::Proved);
    // Each of the two goes from new to yielded to done: (0,0) … (2,2), and the initial state.
    assert_eq!(report.coverage.states, 1 + 9);
    // Each row and each column of the grid has 2 × 3 edges, and one leads from the initial state.
    assert_eq!(report.coverage.transitions, 1 + 12);
    assert_eq!(report.coverage.finals, 1);
    assert_eq!(report.coverage.completed_bound, Some(0));
}

/// Without delays there is one schedule: its length is the number of states.
#[test]
fn a_bound_of_zero_is_one_schedule() {
    let program = Tasks::new(&[&[Op::Post(1), Op::Post(1)], &[Op::Yield]]);
    for name in ["rr", "rr:reverse", "dfs", "df", "dfw", "rtc", "random:1"] {
        let report = run(&program, &under(name), &exact(0));
        assert_eq!((report.coverage.states, report.coverage.transitions), (6, 5), "{name}");
    }
    // One delay: at each of the four points with two tasks, the other one may be first.
    let report = run(&program, &under("rr"), &exact(1));
    assert_eq!(report.verdict, Verdict::ProvedWithin(1));
}

/// [POPL11] Fig. 3: p₁ posts p₂ and p₃. The depth-first scheduler runs p₂ first; with one delay it
/// runs p₃ first.
fn figure_3() -> Tasks {
    Tasks::new(&[&[Op::Post(1), Op::Post(2)], &[Op::Set(0, 1)], &[Op::Add(0, 1), Op::AssertNot(0, 1)]])
}

#[test]
fn figure_3_needs_one_delay() {
    for name in ["dfs", "df", "dfw", "rr"] {
        assert_eq!(least_bound(&figure_3(), &under(name)), 1, "{name}");
    }
    for name in ["rr:reverse", "rtc"] {
        assert_eq!(least_bound(&figure_3(), &under(name)), 0, "{name}");
    }
}

/// A lost update: both read before either writes.
fn lost_update() -> Tasks {
    // Global 0 counts the tasks between read and write; the assertion fails for the second one.
    let task: &[Op] = &[Op::AssertNot(0, 1), Op::Add(0, 1), Op::Yield, Op::Add(0, 7)];
    Tasks::new(&[&[Op::Post(1), Op::Post(1)], task])
}

#[test]
fn a_lost_update_needs_one_delay_or_one_preemption() {
    for name in ["rr", "rr:reverse", "df", "dfw", "rtc"] {
        assert_eq!(least_bound(&lost_update(), &under(name)), 1, "{name}");
    }
    // In dfs a yielding task resumes after the tasks that it has posted: there are none.
    assert_eq!(least_bound(&lost_update(), &under("dfs")), 1);
    assert_eq!(least_bound(&lost_update(), &Preemptions(Switches::Preemptive)), 1);
    assert_eq!(least_bound(&lost_update(), &Preemptions(Switches::All)), 2);
    assert_eq!(least_bound(&lost_update(), &Depth), 3);
}

/// The task created last must run first. That takes one delay for each earlier task in creation
/// order, none in reverse order, and none for the portfolio.
#[test]
fn the_base_order_decides_the_least_bound() {
    for others in 1..5_u32 {
        let mut main = vec![Op::Post(1); others as usize];
        main.push(Op::Post(2));
        let program = Tasks { procedures: vec![main, vec![Op::Set(0, 1)], vec![Op::AssertNot(0, 0)]] };
        assert_eq!(least_bound(&program, &under("rr")), others);
        assert_eq!(least_bound(&program, &under("rr:reverse")), 0);
        assert_eq!(least_bound(&program, &Preemptions(Switches::Preemptive)), 0);
        let strategies = SchedulerName::portfolio().into_iter().map(StrategyName::Delays).collect();
        let plan = Plan { strategies, options: Options::default(), liveness: None, sampling: None };
        let report = plan.search(&program, &());
        assert_eq!(report.bug().map(|bug| bug.cost), Some(0));
    }
}

/// [SPIN14] Fig. 4, with three waits: each costs df a delay, and dfw nothing.
#[test]
fn waiting_costs_df_a_delay_and_dfw_nothing() {
    let wait: &[Op] = &[Op::Post(1), Op::Wait, Op::Add(0, 1)];
    let main = [wait, wait, wait, &[Op::AssertNot(0, 3)]].concat();
    let program = Tasks { procedures: vec![main, vec![]] };
    assert_eq!(least_bound(&program, &under("dfw")), 0);
    assert_eq!(least_bound(&program, &under("df")), 3);
    assert_eq!(least_bound(&program, &under("rr")), 0);
}

#[test]
fn a_deadlock_is_a_bug() {
    let program = Tasks::new(&[&[Op::Await(0, 1)]]);
    let report = run(&program, &under("rr"), &Options::default());
    let bug = report.bug().expect("no task sets the global");
    assert_eq!((bug.failure.kind, bug.schedule.steps.len()), (FailureKind::Deadlock, 0));
}

/// While sealed, only the scheduler's order is explored; a cached search then claims no proof.
#[test]
fn seals_prune_delays() {
    let sealed: &[Op] = &[Op::Post(1), Op::Post(2), Op::Seal];
    let unseal = [Op::Set(0, 1), Op::Unseal];
    let program = Tasks::new(&[sealed, &unseal, &[Op::AssertNot(0, 0)]]);
    for (exact, verdict) in [(true, Verdict::Proved), (false, Verdict::NoBug)] {
        let report = run(&program, &under("rr"), &Options { exact, ..Options::default() });
        assert_eq!((report.verdict, report.coverage.sealed), (verdict, 1));
    }
    let open = Tasks::new(&[&sealed[..2], &unseal[..1], &[Op::AssertNot(0, 0)]]);
    assert_eq!(least_bound(&open, &under("rr")), 1);
}

#[test]
fn choices_are_free_by_default() {
    let program = Tasks::new(&[&[Op::Choose(0), Op::AssertNot(0, 1)]]);
    assert_eq!(least_bound(&program, &under("rr")), 0);
    let costly = Options { choice_cost: 1, free_options: 1, ..exact(0) };
    assert_eq!(run(&program, &under("rr"), &costly).verdict, Verdict::ProvedWithin(0));
    let report = run(&program, &under("rr"), &Options { bound: Some(1), ..costly });
    assert_eq!(report.bug().map(|bug| bug.cost), Some(1));
}

#[test]
fn a_failed_assumption_discards_the_execution() {
    let program = Tasks::new(&[&[Op::Choose(0), Op::Assume(0, 0), Op::AssertNot(0, 1)]]);
    assert_eq!(run(&program, &Exhaustive, &Options::default()).verdict, Verdict::Proved);
}

/// A search under bounded bag must not claim to have covered the tasks that the scheduler drops.
#[test]
fn a_lossy_scheduler_proves_nothing() {
    use dally_explore::{Failure, Post, Program, Successors, TaskId};
    /// Two copies of a task; the second one to run fails.
    struct Copies;
    impl Program for Copies {
        type State = u32;
        fn initial(&self, out: &mut Successors<u32>) {
            let post = Post { kind: 1, ..Post::default() };
            out.push(0).posts_as(TaskId(0), post).posts_as(TaskId(1), post);
        }
        fn enabled(&self, done: &u32, tasks: &mut Vec<TaskId>) {
            tasks.extend((0..2).filter(|task| done & (1 << task) == 0).map(TaskId));
        }
        fn step(&self, done: &u32, task: TaskId, out: &mut Successors<u32>) {
            let successor = out.push(done | (1 << task.0)).completes();
            if *done != 0 {
                successor.fails(Failure::assertion("two"));
            }
        }
    }
    let verdict = |name| Search::new(&Copies, &under(name), &Options::default(), &()).run().verdict;
    assert_eq!(verdict("bounded-bag:1"), Verdict::NoBug);
    assert!(matches!(verdict("bounded-bag:2"), Verdict::Bug(_)));
    assert!(matches!(verdict("bag"), Verdict::Bug(_)));
}

#[test]
fn limits_make_the_verdict_inconclusive() {
    let program = two_phase_commit::TwoPhaseCommit { resource_managers: 6 };
    let run = |options: Options| Search::new(&program, &Exhaustive, &options, &()).run();
    let report = run(Options { states: Some(5000), ..Options::default() });
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::States));
    assert!(report.coverage.states >= 5000 && report.coverage.completed_bound.is_none());
    let report = run(Options { memory: Some(100_000), ..Options::default() });
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Memory));

    struct Impatient;
    impl<S> dally_explore::Watch<S> for Impatient {
        fn poll(&self, _: &dally_explore::StateCoverage) -> Option<Limit> {
            Some(Limit::Cancelled)
        }
    }
    let report = Search::new(&program, &Exhaustive, &Options::default(), &Impatient).run();
    assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Cancelled));
}

/// A layer whose nodes have many outcomes: one or more threads check limits inside the layer.
#[test]
fn limits_stop_a_search_inside_a_layer() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use dally_explore::{Program, Successors, TaskId};
    const NODES: u64 = 1 << 12;
    #[derive(Default)]
    struct Wide {
        steps: AtomicUsize,
    }
    impl Program for Wide {
        type State = u64;
        fn initial(&self, out: &mut Successors<u64>) {
            out.push(0);
        }
        fn enabled(&self, state: &u64, tasks: &mut Vec<TaskId>) {
            tasks.extend((*state <= NODES).then_some(TaskId(0)));
        }
        fn step(&self, state: &u64, _: TaskId, out: &mut Successors<u64>) {
            self.steps.fetch_add(1, Ordering::Relaxed);
            let outcomes = if *state == 0 { 1..=NODES } else { state << 20..=(state << 20) + 256 };
            for next in outcomes {
                out.push(next);
            }
        }
    }
    struct Impatient<'p>(&'p Wide);
    impl dally_explore::Watch<u64> for Impatient<'_> {
        fn poll(&self, _: &dally_explore::StateCoverage) -> Option<Limit> {
            (self.0.steps.load(Ordering::Relaxed) >= 100).then_some(Limit::Cancelled)
        }
    }
    for threads in [1, 2] {
        let (watched, weighed) = (Wide::default(), Wide::default());
        let options = Options { threads, share_from: 1, ..Options::default() };
        let report = Search::new(&watched, &Exhaustive, &options, &Impatient(&watched)).run();
        assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Cancelled));
        assert!(watched.steps.into_inner() < 400, "{threads} threads");
        let options = Options { memory: Some(16 << 20), ..options };
        let report = Search::new(&weighed, &Exhaustive, &options, &()).run();
        assert_eq!(report.verdict, Verdict::Inconclusive(Limit::Memory));
        assert!(weighed.steps.into_inner() < 2000, "{threads} threads");
    }
}

/// A state reached with and without a seal: a cached search that expands it sealed claims no proof.
#[test]
fn a_sealed_visit_does_not_cover_unsealed_ones() {
    use dally_explore::{Failure, Program, Successors, TaskId};
    /// Two tasks; it is an error if the second one runs first.
    struct Order {
        sealed_first: bool,
    }
    impl Program for Order {
        type State = u32;
        fn initial(&self, out: &mut Successors<u32>) {
            for seals in [self.sealed_first, !self.sealed_first] {
                let successor = out.push(0).posts(TaskId(0)).posts(TaskId(1));
                if seals {
                    successor.seals();
                }
            }
        }
        fn enabled(&self, done: &u32, tasks: &mut Vec<TaskId>) {
            tasks.extend((0..2).filter(|task| done & (1 << task) == 0).map(TaskId));
        }
        fn step(&self, done: &u32, task: TaskId, out: &mut Successors<u32>) {
            let successor = out.push(done | (1 << task.0)).completes();
            if *done == 0 && task.0 == 1 {
                successor.fails(Failure::assertion("the second is first"));
            }
        }
    }
    for (sealed_first, exact) in [(true, true), (true, false), (false, true), (false, false)] {
        let (program, options) = (Order { sealed_first }, Options { exact, ..Options::default() });
        let report = Search::new(&program, &under("rr"), &options, &()).run();
        if sealed_first && !exact {
            assert_eq!(report.verdict, Verdict::NoBug);
        } else {
            assert_eq!(report.bug().map(|bug| bug.cost), Some(1), "{sealed_first} {exact}");
        }
    }
}

/// The numbers of states agree with the TLA⁺ specification and with other model checkers.
#[test]
fn two_phase_commit_has_the_known_number_of_states() {
    for (resource_managers, states) in [(3, 288), (5, 8_832), (6, 50_816)] {
        let program = two_phase_commit::TwoPhaseCommit { resource_managers };
        for threads in [1, 2] {
            let options = Options { threads, share_from: 256, ..Options::default() };
            let report = Search::new(&program, &Exhaustive, &options, &()).run();
            assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, states));
        }
    }
    // Exact searches terminate too if the scheduler has finitely many states.
    let program = two_phase_commit::TwoPhaseCommit { resource_managers: 2 };
    for name in ["rr", "rr:reverse", "rtc", "random:1", "dfs", "bag"] {
        let options = Options { exact: true, ..Options::default() };
        let report = Search::new(&program, &under(name), &options, &()).run();
        assert_eq!(report.verdict, Verdict::Proved, "{name}");
    }
    let program = two_phase_commit::TwoPhaseCommit { resource_managers: 4 };
    let report = Search::new(&program, &under("rr"), &Options::default(), &()).run();
    assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, 1_568));
}

/// Task 0 takes five steps to a state that task 1 reaches in one. There, task 0 chooses one of five values.
struct Shortcut;

impl Program for Shortcut {
    type State = u8;

    fn initial(&self, out: &mut Successors<u8>) {
        out.push(0).posts(TaskId(0)).posts(TaskId(1));
    }

    fn enabled(&self, state: &u8, tasks: &mut Vec<TaskId>) {
        tasks.extend((*state <= 5).then_some(TaskId(0)));
        tasks.extend((*state == 0).then_some(TaskId(1)));
    }

    fn step(&self, state: &u8, task: TaskId, out: &mut Successors<u8>) {
        self.resume(state, task, &[], out);
    }

    fn resume(&self, state: &u8, task: TaskId, path: &[u32], out: &mut Successors<u8>) {
        out.clear();
        out.begin_suspendable();
        match (*state, task, path) {
            (0, TaskId(1), _) => drop(out.push(5).completes()),
            (5, _, []) => out.suspend(path, 5, Fingerprint::of(&0)),
            (5, _, [option, ..]) => drop(out.push(6 + *option as u8).completes()),
            _ => drop(out.push(state + 1)),
        }
    }
}

/// A suspended step that is visited again at a lower cost is still no state.
#[test]
fn states_are_counted_once_whatever_the_order() {
    let rr = under("rr");
    for horizon in [None, Some(1)] {
        for threads in [1, 2] {
            let options = Options { horizon, threads, share_from: 1, choice_cost: 1, ..Options::default() };
            let report = Search::new(&Shortcut, &rr, &options, &()).run();
            assert_eq!((report.verdict, report.coverage.states), (Verdict::Proved, 11), "{options:?}");
        }
    }
}
