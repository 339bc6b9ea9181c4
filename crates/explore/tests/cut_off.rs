//! Executions that are cut off after some steps: a search finds every state within the limit, whatever
//! order it visits states in. The reference is plain enumeration.
//!
//! `DALLY_PROGRAMS=n` runs n models of each kind; `DALLY_SEED=n` starts with a seed that was printed.

#[expect(dead_code, reason = "the reference for cycles is not used here")]
mod cycles;

use std::collections::BTreeMap;

use cycles::loops::Loops;
use cycles::web::Web;
use cycles::{Model, Modelled, Random, for_seeds};
use dally_explore::{
    Delays, Failure, Options, Program, Report, SchedulerName, Search, Successors, TaskId, replay_under,
};

/// The number of steps on the shortest execution to each state, up to `most`.
fn distances<M: Model>(model: &M, most: u32) -> BTreeMap<M::State, u32> {
    let mut known = BTreeMap::from([(model.start(), 0)]);
    let mut layer = vec![model.start()];
    for depth in 1..=most {
        let mut next = Vec::new();
        for state in &layer {
            for step in (0..model.tasks()).filter_map(|task| model.moves(state, task)).flatten() {
                if !known.contains_key(&step.to) {
                    known.insert(step.to.clone(), depth);
                    next.push(step.to);
                }
            }
        }
        layer = next;
    }
    known
}

/// A model in which steps into one state fail.
struct Failing<'m, M: Model> {
    model: &'m M,
    target: M::State,
}

impl<M: Model> Program for Failing<'_, M> {
    type State = M::State;

    fn initial(&self, out: &mut Successors<M::State>) {
        Modelled(self.model).initial(out);
    }

    fn enabled(&self, state: &M::State, tasks: &mut Vec<TaskId>) {
        Modelled(self.model).enabled(state, tasks);
    }

    fn step(&self, state: &M::State, task: TaskId, out: &mut Successors<M::State>) {
        for step in self.model.moves(state, task.0).into_iter().flatten() {
            let fails = step.to == self.target;
            let successor = out.push(step.to);
            if fails {
                successor.fails(Failure::assertion("the target is reached"));
            }
        }
    }

    fn properties(&self) -> u32 {
        0
    }
}

const MOST: u32 = 9;

fn scheduler(seed: u64) -> Delays {
    let names = ["rr", "rtc", "random:9", "rr:reverse", "bag", "rr:5"];
    Delays::named(&names[seed as usize % names.len()].parse::<SchedulerName>().expect("a good name"))
}

/// The options of searches that are cut off after so many steps.
fn searches(steps: u32) -> impl Iterator<Item = Options> {
    let horizons = [None, Some(1), Some(2), Some(256)];
    let costs = [(0, 2), (1, 1)];
    let all = horizons.into_iter().flat_map(move |horizon| costs.map(|costs| (horizon, costs)));
    all.flat_map(move |(horizon, (choice_cost, free_options))| {
        [1, 2].map(|threads| Options {
            horizon,
            choice_cost,
            free_options,
            threads,
            share_from: 1,
            steps: Some(steps),
            ..Options::default()
        })
    })
}

fn finds_all<M: Model>(model: &M, seed: u64) {
    let known = distances(model, MOST);
    let policy = scheduler(seed);
    for steps in 0..MOST {
        let within = known.values().filter(|distance| **distance <= steps).count();
        let mut by_threads: Vec<Report> = Vec::new();
        for options in searches(steps) {
            let report = Search::new(&Modelled(model), &policy, &options, &()).run();
            assert_eq!(report.coverage.states, within, "{options:?}, DALLY_SEED={seed}");
            by_threads.push(Report { coverage: report.coverage.clone(), ..report });
        }
        for pair in by_threads.chunks(2) {
            let [one, two] = [&pair[0].coverage, &pair[1].coverage];
            assert_eq!((one.transitions, one.cut), (two.transitions, two.cut), "DALLY_SEED={seed}");
        }
    }
}

fn finds_bugs<M: Model>(model: &M, seed: u64) {
    let known = distances(model, MOST);
    let policy = scheduler(seed);
    let Some((target, distance)) = known.iter().nth(seed as usize % known.len()) else { return };
    let program = Failing { model, target: target.clone() };
    for steps in (0..MOST).filter(|_| *distance > 0) {
        for options in searches(steps) {
            // An exact search with free delays does not end.
            let exact = options.horizon.is_none() && seed % 6 != 4;
            for exact in [false, exact] {
                let options = Options { exact, ..options.clone() };
                let report = Search::new(&program, &policy, &options, &()).run();
                let context = format!("{options:?}, {}, DALLY_SEED={seed}", policy_name(seed));
                assert_eq!(report.bug().is_some(), *distance <= steps, "{context}");
                if let Some(bug) = report.bug() {
                    assert!(bug.schedule.steps.len() <= steps as usize, "{context}");
                    let replayed = replay_under(&program, &policy, &bug.schedule).expect(&context);
                    assert_eq!(replayed.failure.as_ref(), Some(&bug.failure), "{context}");
                }
            }
        }
    }
}

fn policy_name(seed: u64) -> String {
    use dally_explore::policy::Policy;
    scheduler(seed).strategy().to_string()
}

#[test]
fn every_state_within_the_limit_is_visited() {
    for_seeds("every_state_within_the_limit_is_visited", 100, |seed| {
        finds_all(&Web::random(&mut Random::new(seed)), seed);
    });
}

#[test]
fn every_state_of_a_program_within_the_limit_is_visited() {
    for_seeds("every_state_of_a_program_within_the_limit_is_visited", 20, |seed| {
        finds_all(&Loops::random(&mut Random::new(seed)), seed);
    });
}

#[test]
fn a_bug_is_found_if_it_is_within_the_limit() {
    for_seeds("a_bug_is_found_if_it_is_within_the_limit", 100, |seed| {
        finds_bugs(&Web::random(&mut Random::new(seed)), seed);
    });
}
