//! Properties of random models, against a plain reference: `always`, `sometimes` and `eventually`.

use std::collections::BTreeSet;

use dally_explore::{
    Checked, Liveness, Method, Plan, Program, StrategyName, Successor, Successors, TaskId, Verdict,
};
use dally_testing::{Random, for_seeds, say};

/// A random graph. Conditions are sets of states.
#[derive(Clone)]
struct Graph {
    tasks: u32,
    /// For each state and task, the states to which it steps; empty if the task is not enabled.
    steps: Vec<Vec<Vec<u32>>>,
    always: BTreeSet<u32>,
    sometimes: [BTreeSet<u32>; 2],
    eventually: Vec<BTreeSet<u32>>,
}

impl Graph {
    fn random(random: &mut Random) -> Self {
        let (states, tasks) = (2 + random.below(7) as u32, 1 + random.below(3) as u32);
        let disabled = *random.pick(&[10, 40, 70]);
        let targets = |random: &mut Random| -> Vec<u32> {
            let count = if random.chance(disabled) { 0 } else { 1 + random.below(2) };
            (0..count).map(|_| random.below(u64::from(states)) as u32).collect()
        };
        let steps = (0..states).map(|_| (0..tasks).map(|_| targets(random)).collect()).collect();
        let set = |random: &mut Random, percent| (0..states).filter(|_| random.chance(percent)).collect();
        let often = *random.pick(&[100, 100, 90]);
        let conditions = random.below(3);
        Graph {
            tasks,
            steps,
            always: set(random, often),
            sometimes: [set(random, 15), set(random, 40)],
            eventually: (0..conditions).map(|_| set(random, 45)).collect(),
        }
    }

    /// The states that some execution reaches from the first one without leaving a set.
    fn reached_within(&self, inside: impl Fn(u32) -> bool) -> BTreeSet<u32> {
        let mut reached = BTreeSet::new();
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            if inside(state) && reached.insert(state) {
                open.extend(self.steps[state as usize].iter().flatten());
            }
        }
        reached
    }

    /// True if a maximal and fair execution never satisfies a condition: it stays among the states without it, and ends there,
    /// or moves for ever through a set of states in which each task is disabled somewhere, or takes a step.
    fn avoids(&self, condition: &BTreeSet<u32>) -> bool {
        let states = self.reached_within(|state| !condition.contains(&state));
        let ends = |state: &u32| self.steps[*state as usize].iter().all(Vec::is_empty);
        states.iter().any(ends) || states.iter().any(|state| self.repeats(&self.component(*state, &states)))
    }

    /// The states that a state reaches within a set, and that reach it.
    fn component(&self, state: u32, inside: &BTreeSet<u32>) -> BTreeSet<u32> {
        let reaches = |from: u32| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(next) = open.pop() {
                let targets = self.steps[next as usize].iter().flatten().copied();
                open.extend(targets.filter(|to| inside.contains(to) && reached.insert(*to)));
            }
            reached
        };
        let forth = reaches(state);
        forth.into_iter().filter(|other| reaches(*other).contains(&state)).collect()
    }

    /// True if an execution can repeat all of these states, which reach one another, and be fair.
    fn repeats(&self, component: &BTreeSet<u32>) -> bool {
        let is_served = |task: usize| {
            component.iter().any(|state| {
                let targets = &self.steps[*state as usize][task];
                targets.is_empty() || targets.iter().any(|to| component.contains(to))
            })
        };
        !component.is_empty() && (0..self.tasks as usize).all(is_served)
    }

    fn checked(&self) -> Checked<&Graph> {
        let among = |set: &BTreeSet<u32>| {
            let set = set.clone();
            move |state: &u32| set.contains(state)
        };
        let checked = Checked::new(self).always("always", among(&self.always));
        let checked =
            checked.sometimes("0", among(&self.sometimes[0])).sometimes("1", among(&self.sometimes[1]));
        self.eventually.iter().fold(checked, |checked, set| checked.eventually("eventually", among(set)))
    }
}

impl Program for &Graph {
    type State = u32;

    fn initial(&self, out: &mut Successors<u32>) {
        let successor = out.push(0);
        (0..self.tasks).map(TaskId).fold(successor, Successor::posts);
    }

    fn enabled(&self, state: &u32, tasks: &mut Vec<TaskId>) {
        let steps = &self.steps[*state as usize];
        tasks.extend((0..self.tasks).filter(|task| !steps[*task as usize].is_empty()).map(TaskId));
    }

    fn step(&self, state: &u32, task: TaskId, out: &mut Successors<u32>) {
        for to in &self.steps[*state as usize][task.0 as usize] {
            let successor = out.push(*to);
            if self.steps[*to as usize][task.0 as usize].is_empty() {
                successor.blocks(None);
            }
        }
    }
}

fn plans() -> Vec<Plan> {
    let rr: StrategyName = "rr".parse().expect("a good name");
    let mut all = vec![Plan::exhaustive(), Plan::under(rr.clone())];
    for method in [Method::Ndfs, Method::IterativeNdfs] {
        all.push(Plan { liveness: Some(Liveness { method, fair: true }), ..Plan::under(rr.clone()) });
    }
    all
}

#[test]
fn properties_agree_with_a_plain_reference() {
    let (mut proved, mut ends, mut never) = (0, 0, 0);
    for_seeds("properties", 1500, |seed| {
        let graph = Graph::random(&mut Random::new(seed));
        let reached = graph.reached_within(|_| true);
        let avoided = graph.eventually.iter().any(|condition| graph.avoids(condition));
        let violated = avoided || !reached.is_subset(&graph.always);
        let unsatisfied: Vec<&str> = [(0, "0"), (1, "1")]
            .into_iter()
            .filter(|(nth, _)| graph.sometimes[*nth].is_disjoint(&reached))
            .map(|(_, name)| name)
            .collect();
        for plan in plans() {
            let checked = graph.checked();
            let report = checked.check(&plan);
            let context = format!("{:?}, {:?}, DALLY_SEED={seed}", plan.strategies, plan.liveness);
            if violated {
                assert!(matches!(report.report.verdict, Verdict::Bug(_)), "{context}: {:?}", report.report);
                assert!(!report.is_satisfied(), "{context}");
            } else {
                assert_eq!(report.report.verdict, Verdict::Proved, "{context}");
                assert_eq!(report.never, unsatisfied, "{context}");
                assert_eq!(report.is_proved(), unsatisfied.is_empty(), "{context}");
            }
        }
        proved += u32::from(!violated && !graph.eventually.is_empty() && reached.len() > 2);
        ends += u32::from(avoided);
        never += u32::from(!violated && !unsatisfied.is_empty());
    });
    say(&format!("{proved} with conditions hold, {ends} avoid a condition, {never} never satisfy one"));
    if std::env::var_os("DALLY_PROGRAMS").is_none() {
        assert!(proved > 50 && ends > 100 && never > 50, "{proved}, {ends}, {never}");
    }
}
