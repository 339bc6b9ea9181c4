//! Sampling and shrinking on small programs, against exact search.

mod common;

use common::{Op, Tasks, random_program};
use dally_explore::{
    Delays, Exhaustive, Limit, Options, Program, SampleOptions, Sampled, Sampler, SamplerName, SchedulerName,
    Search, Slice, Successors, TaskId, Verdict, Watch, replay, replay_under,
};
use dally_schedule::sample::Generator;
use dally_testing::arbitrary::Unstructured;

/// Random programs, the same in each run.
fn programs(count: u64, seals: bool) -> impl Iterator<Item = Tasks> {
    (0..count).map(move |nth| {
        let mut random = Generator::new(7, nth);
        let bytes: Vec<u8> = (0..512).map(|_| random.next_number() as u8).collect();
        let mut program = random_program(&mut Unstructured::new(&bytes), nth % 2 == 0).expect("enough bytes");
        // Many of the programs have a bug.
        let (global, value) = (nth as usize % common::GLOBALS, nth as u8 / 3 % 3 + 1);
        if let Some(last) = program.procedures.last_mut() {
            last.push(Op::AssertNot(global, value));
        }
        if seals {
            for procedure in &mut program.procedures {
                procedure.insert(procedure.len() / 2, Op::Seal);
                procedure.push(Op::Unseal);
            }
        }
        program
    })
}

fn scheduler(name: &str) -> SchedulerName {
    name.parse().expect("a good name")
}

fn options(name: &str) -> SampleOptions {
    SampleOptions { scheduler: scheduler(name), walks: Some(2_000), ..SampleOptions::default() }
}

/// Samples, and confirms that a bug replays under the scheduler with the reported cost.
fn sample<P: Program>(program: &P, options: SampleOptions) -> (Slice, Sampled) {
    let policy = Delays::named(&options.scheduler);
    let mut sampler = Sampler::new(program, options, &());
    let slice = sampler.run();
    if let Slice::Bug(bug) = &slice {
        let text = bug.schedule.to_string();
        let replayed =
            replay(program, &bug.schedule, |_| {}).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(replayed.failure.as_ref(), Some(&bug.failure), "{text}");
        let replayed = replay_under(program, &policy, &bug.schedule);
        let replayed = replayed.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(replayed.failure.as_ref(), Some(&bug.failure), "{text}");
        assert_eq!(bug.schedule.cost(), bug.cost, "{text}");
    }
    (slice, sampler.sampled().clone())
}

#[test]
fn samples_find_the_bugs_that_exhaustive_search_finds() {
    let mut bugs = 0;
    for program in programs(150, false) {
        let exhaustive = Search::new(&program, &Exhaustive, &Options::default(), &()).run();
        let fails = exhaustive.bug().is_some();
        bugs += usize::from(fails);
        let (slice, _) = sample(&program, options("rr"));
        assert_eq!(matches!(slice, Slice::Bug(_)), fails, "{slice:?}: {program:?}");
    }
    assert!((30..120).contains(&bugs), "{bugs}");
}

#[test]
fn each_sampler_finds_bugs() {
    for sampler in
        ["random", "pct:3", "urw", "pos", "delays", "delays(rr:reverse)", "delays(dfs)", "delays(dfw)"]
    {
        let samplers = SamplerName::parse_list(sampler).expect("a good name");
        let found = programs(60, false).filter(|program| {
            let options = SampleOptions { samplers: samplers.clone(), ..options("rtc") };
            matches!(sample(program, options).0, Slice::Bug(_))
        });
        let found = found.count();
        assert!(found > 12, "{sampler} finds {found}");
    }
}

#[test]
fn the_order_in_seals_is_that_of_the_scheduler() {
    let mut bugs = 0;
    for program in programs(150, true) {
        let policy = Delays::named(&scheduler("rr"));
        let exact = Options { exact: true, ..Options::default() };
        let fails = Search::new(&program, &policy, &exact, &()).run().bug().is_some();
        let (slice, _) = sample(&program, options("rr"));
        assert_eq!(matches!(slice, Slice::Bug(_)), fails, "{slice:?}: {program:?}");
        bugs += usize::from(fails);
    }
    assert!(bugs > 10, "{bugs}");
}

#[test]
fn results_do_not_depend_on_threads_and_slices() {
    for (nth, program) in programs(40, false).enumerate() {
        let samplers = SamplerName::parse_list("portfolio,pos").expect("good names");
        let one = SampleOptions { seed: nth as u64, choice_cost: nth as u32 % 2, samplers, ..options("rr") };
        let expected = sample(&program, one.clone());
        for threads in [2, 4] {
            assert_eq!(sample(&program, SampleOptions { threads, ..one.clone() }), expected, "{program:?}");
        }
        let mut sampler = Sampler::new(&program, one, &());
        let slices = std::iter::repeat_with(|| sampler.run_slice(1_000));
        let end = slices.into_iter().find(|slice| *slice != Slice::More).expect("the walks end");
        assert_eq!((end, sampler.sampled().clone()), expected);
    }
}

#[test]
fn shrunk_executions_have_few_deviations() {
    let (mut ratios, mut bugs) = (Vec::new(), 0);
    for (nth, program) in programs(200, false).enumerate() {
        let policy = Delays::named(&scheduler("rr"));
        let report = Search::new(&program, &policy, &Options::default(), &()).run();
        let Some(systematic) = report.bug() else { continue };
        let (Slice::Bug(bug), _) = sample(&program, SampleOptions { seed: nth as u64, ..options("rr") })
        else {
            continue;
        };
        bugs += 1;
        // They may be different bugs.
        if bug.failure == systematic.failure {
            ratios.push((bug.cost, systematic.cost));
        }
    }
    let most = ratios.iter().filter(|(shrunk, systematic)| *shrunk > (2 * systematic).max(1)).count();
    let more = ratios.iter().filter(|(shrunk, systematic)| shrunk > systematic).count();
    assert!(bugs > 50 && ratios.len() > 40, "{bugs}, {}", ratios.len());
    assert_eq!(most, 0, "{ratios:?}");
    assert!(more * 10 < ratios.len(), "{more} of {}: {ratios:?}", ratios.len());
}

/// Tasks that take turns: the n-th step of the execution fails unless its task is in the list.
struct Turns(Vec<u32>);

impl Program for Turns {
    type State = Vec<u32>;

    fn initial(&self, out: &mut Successors<Vec<u32>>) {
        let mut first = out.push(Vec::new());
        for task in 0..3 {
            first = first.posts(TaskId(task));
        }
    }

    fn enabled(&self, turns: &Vec<u32>, tasks: &mut Vec<TaskId>) {
        // Task n takes part in every (n + 1)-th step.
        tasks.extend((0..3).filter(|n| turns.len().is_multiple_of(*n as usize + 1)).map(TaskId));
    }

    fn step(&self, turns: &Vec<u32>, task: TaskId, out: &mut Successors<Vec<u32>>) {
        let mut turns = turns.clone();
        turns.push(task.0);
        let fails = turns.len() == self.0.len() && turns == self.0;
        let next = if turns.len() == self.0.len() { Vec::new() } else { turns };
        let successor = out.push(next);
        if fails {
            successor.fails(dally_explore::Failure::assertion("these turns fail"));
        }
    }
}

/// A candidate of shrinking that delays all tasks in turns is no execution under the scheduler: the replay in
/// `sample` would refuse it.
#[test]
fn shrinking_delays_each_task_at_most_once_at_a_point() {
    let mut bugs = 0;
    for nth in 0..60_u64 {
        let mut random = Generator::new(11, nth);
        let turn = |step: usize, drawn: u32| if step.is_multiple_of(drawn as usize + 1) { drawn } else { 0 };
        let program = Turns((0..7).map(|step| turn(step, random.below(3) as u32)).collect());
        for (name, shrinking) in [("rtc", 100), ("rr", 100), ("rtc", 3_000)] {
            let limits = SampleOptions { shrinking, steps: 300, seed: nth, ..options(name) };
            bugs += usize::from(matches!(sample(&program, limits).0, Slice::Bug(_)));
        }
    }
    assert!(bugs > 100, "{bugs}");
}

/// Two tasks that count to three for ever; one of them can be discarded, since no outcome is left.
struct Service;

impl Program for Service {
    type State = (u8, u8);

    fn initial(&self, out: &mut Successors<(u8, u8)>) {
        out.push((0, 0)).posts(TaskId(0)).posts(TaskId(1));
    }

    fn enabled(&self, _: &(u8, u8), tasks: &mut Vec<TaskId>) {
        tasks.extend([TaskId(0), TaskId(1)]);
    }

    fn step(&self, state: &(u8, u8), task: TaskId, out: &mut Successors<(u8, u8)>) {
        match task {
            TaskId(0) => {
                out.push(((state.0 + 1) % 3, state.1));
            }
            _ if state == &(2, 2) => {}
            _ => {
                out.push((state.0, (state.1 + 1) % 3));
            }
        }
    }
}

#[test]
fn walks_are_cut_off_and_discarded() {
    let limited = SampleOptions { walks: Some(100), steps: 20, ..SampleOptions::default() };
    let (slice, sampled) = sample(&Service, limited);
    assert_eq!(slice, Slice::Done);
    assert_eq!(sampled.walks, 100);
    assert_eq!(sampled.longest, 20);
    assert_eq!(sampled.cut_off + sampled.discarded, 100);
    assert!(sampled.cut_off > 0 && sampled.discarded > 0, "{sampled:?}");
    assert_eq!((sampled.terminated, sampled.final_states), (0, 0));
}

struct Never;

impl<S> Watch<S> for Never {
    fn poll_samples(&self, sampled: &Sampled) -> Option<Limit> {
        (sampled.walks >= 64).then_some(Limit::Time)
    }
}

#[test]
fn limits_end_a_slice() {
    let mut sampler = Sampler::new(&Service, SampleOptions { steps: 50, ..SampleOptions::default() }, &Never);
    assert_eq!(sampler.run_slice(10), Slice::More);
    assert_eq!(sampler.run(), Slice::Limit(Limit::Time));
    let walks = sampler.sampled().walks;
    assert!((64..200).contains(&walks), "{walks}");
    // Without failures the verdict of a search is about states, and sampling has none.
    let options = Options { bound: Some(0), ..Options::default() };
    let report = Search::new(&Service, &Delays::named(&scheduler("rr")), &options, &()).run();
    assert_eq!(report.verdict, Verdict::NoBug);
}

/// A program in which this many tasks are enabled, each of which takes one step.
struct Crowd(u32);

impl Program for Crowd {
    type State = u32;

    fn initial(&self, out: &mut Successors<u32>) {
        let successor = out.push(0);
        (0..self.0 + 30).map(TaskId).fold(successor, dally_explore::Successor::posts);
    }

    fn enabled(&self, state: &u32, tasks: &mut Vec<TaskId>) {
        if *state < 30 {
            tasks.extend((0..self.0).map(TaskId));
        }
    }

    fn step(&self, state: &u32, _: TaskId, out: &mut Successors<u32>) {
        out.push(state + 1);
    }
}

/// Counts the looks at the limits.
#[derive(Default)]
struct Looks(std::sync::atomic::AtomicUsize);

impl Watch<u32> for Looks {
    fn poll_samples(&self, _: &Sampled) -> Option<Limit> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        None
    }
}

/// Steps take long where many tasks are enabled: limits are looked at in the middle of a short walk.
#[test]
fn limits_are_looked_at_more_often_if_many_tasks_are_enabled() {
    let looks = |tasks| {
        let looks = Looks::default();
        let options = SampleOptions { walks: Some(1), ..options("rr") };
        assert_eq!(Sampler::new(&Crowd(tasks), options, &looks).run(), Slice::Done);
        looks.0.into_inner()
    };
    assert!(looks(1) < 5, "a walk of 30 steps is short");
    assert!(looks(5000) >= 30);
}
