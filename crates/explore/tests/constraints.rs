//! States that a program excludes from the search.

use dally_explore::{
    Cycles, Delays, Exhaustive, Failure, FailureKind, Liveness, Method, Options, Program, Report, Search,
    Successors, TaskId, Verdict,
};

/// A task that counts for ever, and another that counts to 1. The user cares for counts below `below`.
struct Service {
    below: u32,
    /// The count that the service must not reach.
    fails_at: u32,
    /// The count at which the service blocks.
    blocks_at: u32,
}

const SERVICE: Service = Service { below: 4, fails_at: u32::MAX, blocks_at: u32::MAX };

impl Program for Service {
    type State = (u32, u32);

    fn initial(&self, out: &mut Successors<Self::State>) {
        out.push((0, 0)).posts(TaskId(0)).posts(TaskId(1));
    }

    fn enabled(&self, state: &Self::State, tasks: &mut Vec<TaskId>) {
        tasks.extend((state.0 < self.blocks_at).then_some(TaskId(0)));
        tasks.extend((state.1 == 0).then_some(TaskId(1)));
    }

    fn step(&self, &(service, other): &Self::State, task: TaskId, out: &mut Successors<Self::State>) {
        if task == TaskId(1) {
            out.push((service, 1)).completes();
        } else if service + 1 == self.fails_at {
            out.push((service + 1, other)).fails(Failure::assertion("the count is too high"));
        } else {
            out.push((service + 1, other));
        }
    }

    fn deadlock(&self, _: &Self::State) -> Option<Failure> {
        Some(Failure::deadlock("the service is blocked"))
    }

    fn is_excluded(&self, state: &Self::State) -> bool {
        state.0 >= self.below
    }
}

fn exhaust(program: &Service) -> Report {
    Search::new(program, &Exhaustive, &Options::default(), &()).run()
}

#[test]
fn excluded_states_are_counted_and_not_expanded() {
    let report = exhaust(&SERVICE);
    assert_eq!(report.verdict, Verdict::NoBug, "what was left out may fail");
    // The counts 0 to 3 of the service, the excluded 4, each with both counts of the other task.
    assert_eq!((report.coverage.states, report.coverage.excluded), (2 * 5, 2));
    // No step begins in an excluded state: the other task takes its step at 4 counts.
    assert_eq!(report.coverage.transitions, 2 * 4 + 4);
}

#[test]
fn no_search_with_excluded_states_is_a_proof() {
    let delays = Delays::named(&"rr".parse().expect("a good name"));
    for (exact, bound) in [(false, None), (true, Some(1)), (true, Some(10))] {
        let options = Options { exact, bound, ..Options::default() };
        let report = Search::new(&SERVICE, &delays, &options, &()).run();
        assert_eq!(report.verdict, Verdict::NoBug, "exact: {exact}, bound: {bound:?}");
        assert!(report.coverage.excluded > 0);
    }
    for method in [Method::Map, Method::Ndfs, Method::IterativeNdfs] {
        let liveness = Liveness { method, fair: true };
        let report = Cycles::new(&SERVICE, &delays, &Options::default(), liveness, &()).run();
        assert_eq!(report.verdict, Verdict::NoBug, "{method:?}");
        assert_eq!(report.coverage.excluded, 2, "{method:?}");
    }
    let all = Service { below: u32::MAX, blocks_at: 3, ..SERVICE };
    assert_eq!(exhaust(&all).coverage.excluded, 0);
}

#[test]
fn a_step_into_an_excluded_state_can_fail() {
    let report = exhaust(&Service { fails_at: 4, ..SERVICE });
    assert_eq!(report.bug().map(|bug| bug.failure.kind), Some(FailureKind::Assertion));
    assert_eq!(exhaust(&Service { fails_at: 5, ..SERVICE }).verdict, Verdict::NoBug);
}

#[test]
fn a_deadlock_in_an_excluded_state_is_not_reported() {
    let report = exhaust(&Service { blocks_at: 3, ..SERVICE });
    assert_eq!(report.bug().map(|bug| bug.failure.kind), Some(FailureKind::Deadlock));
    assert_eq!(exhaust(&Service { blocks_at: 4, ..SERVICE }).verdict, Verdict::NoBug);
}
