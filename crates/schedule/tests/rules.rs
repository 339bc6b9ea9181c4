//! Rules as schedulers: the obligations of the trait over random rules and random programs, and the errors.
//!
//! A failure prints its seed; `DALLY_SEED=n` repeats it.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeSet;

use dally_schedule::rules::RuleSet;
use dally_schedule::{
    DelayingScheduler, Did, Names, Observed, Post, Ready, Scheduler, SchedulerName, Seen, StateView, Symbol,
    TaskId, Why,
};
use dally_testing::arbitrary::{Result, Unstructured};
use dally_testing::for_inputs;

const TASKS: [&str; 4] = ["A", "B", "C", "D"];
const EVENTS: [&str; 2] = ["e", "f"];
const PLACES: [&str; 2] = ["S", "T"];
const BASES: [&str; 10] =
    ["rr", "rr:reverse", "rr:7", "rtc", "random:3", "pct:7,3", "dfs", "df", "dfw", "priority(rtc)"];

fn names() -> Names {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Names { tasks: list(&TASKS), events: list(&EVENTS), places: list(&PLACES), variables: list(&["x"]) }
}

/// A random rule. It may contradict others.
fn rule(u: &mut Unstructured<'_>) -> Result<String> {
    let task = |u: &mut Unstructured<'_>| u.choose(&TASKS).copied();
    let event = |u: &mut Unstructured<'_>| u.choose(&EVENTS).copied();
    let place = |u: &mut Unstructured<'_>| u.choose(&PLACES).copied();
    Ok(match u.int_in_range(0..=9)? {
        0 | 1 => format!("{} before {}", task(u)?, task(u)?),
        2 => format!("{} {}", task(u)?, u.choose(&["first", "last"])?),
        3 | 4 => {
            let trigger = match u.int_in_range(0..=5)? {
                0 => event(u)?.to_owned(),
                1 => format!("receiving {}", event(u)?),
                2 => format!("creating {}", task(u)?),
                3 => format!("{} completes", task(u)?),
                4 => format!("{} blocks", task(u)?),
                _ => format!("{} enters {}", task(u)?, place(u)?),
            };
            let run = *u.choose(&["A", "B", "it", "receiver"])?;
            format!("after {trigger} run {run} {}", u.choose(&["first", "last"])?)
        }
        5 => {
            let until = *u.choose(&["sends", "sends f", "receives e", "blocks", "completes", "enters S"])?;
            format!(
                "{} that receives {} runs until it {until}",
                u.choose(&["any", "A", "B and C"])?,
                event(u)?
            )
        }
        6 => format!("keep {} and {} together", task(u)?, task(u)?),
        7 => format!("delay of {} costs {}", u.choose(&["any", "A", "B and C"])?, u.int_in_range(1..=5)?),
        8 => format!("never delay {} while {}", task(u)?, condition(u, 0)?),
        _ => format!("delay only {} and {}", task(u)?, task(u)?),
    })
}

fn condition(u: &mut Unstructured<'_>, depth: usize) -> Result<String> {
    Ok(match u.int_in_range(0..=if depth < 3 { 5 } else { 2 })? {
        0 => format!("x {} {}", u.choose(&["==", "!=", "<", "<=", ">", ">=", "="])?, u.int_in_range(-2..=2)?),
        1 => format!("{} in {}", u.choose(&TASKS)?, u.choose(&PLACES)?),
        2 => format!("queue {} > {}", u.choose(&TASKS)?, u.int_in_range(0..=2)?),
        3 => format!("not ({})", condition(u, depth + 1)?),
        4 => format!("({}) and {}", condition(u, depth + 1)?, condition(u, depth + 1)?),
        _ => format!("{} or ({})", condition(u, depth + 1)?, condition(u, depth + 1)?),
    })
}

/// Rules without contradictions: those that contradict earlier ones are left out.
fn rules(u: &mut Unstructured<'_>) -> Result<Option<RuleSet>> {
    let mut text = String::new();
    let mut last = None;
    for _ in 0..u.int_in_range(1..=5)? {
        let longer = format!("{text}{}\n", rule(u)?);
        if let Ok(set) = RuleSet::parse(&longer) {
            (text, last) = (longer, Some(set));
        }
    }
    Ok(last)
}

/// A program that is generated while it runs. Its tasks have names, places and queues.
#[derive(Clone)]
struct World {
    names: Names,
    tasks: Vec<Task>,
    next: u32,
    x: i64,
}

#[derive(Clone)]
struct Task {
    id: TaskId,
    name: u32,
    place: u32,
    blocked: bool,
    queue: Vec<Symbol>,
}

impl StateView for World {
    fn names(&self) -> &Names {
        &self.names
    }
    fn tasks(&self) -> Vec<TaskId> {
        self.tasks.iter().map(|task| task.id).collect()
    }
    fn name(&self, task: TaskId) -> Option<Symbol> {
        self.of(task).map(|task| Symbol(task.name))
    }
    fn place(&self, task: TaskId) -> Option<Symbol> {
        self.of(task).map(|task| Symbol(task.place))
    }
    fn queue(&self, task: TaskId) -> Vec<Symbol> {
        self.of(task).map_or(Vec::new(), |task| task.queue.clone())
    }
    fn next_event(&self, task: TaskId) -> Option<Symbol> {
        self.of(task)?.queue.first().copied()
    }
    fn variable(&self, _: Symbol) -> Option<Seen> {
        Some(Seen::Int(self.x))
    }
}

impl World {
    fn of(&self, task: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|other| other.id == task)
    }

    fn enabled(&self) -> Vec<TaskId> {
        self.tasks.iter().filter(|task| !task.blocked).map(|task| task.id).collect()
    }

    fn post(&mut self, u: &mut Unstructured<'_>, by: Option<TaskId>, to: &mut Scheduler) -> Result<Did> {
        let id = TaskId(self.next);
        self.next += 1;
        let name = u.int_in_range(0..=3)?;
        self.tasks.push(Task { id, name, place: 0, blocked: false, queue: Vec::new() });
        to.give(id, Why::Posted(Post { by, ..Post::default() }));
        Ok(Did::Posted(id))
    }

    /// A step of a task: it takes an event, posts or sends, and then waits, ends or goes on.
    fn step(&mut self, u: &mut Unstructured<'_>, task: TaskId, to: &mut Scheduler) -> Result<()> {
        let before = self.clone();
        let mut did = Vec::new();
        let me = self.tasks.iter_mut().find(|other| other.id == task).unwrap();
        if !me.queue.is_empty() {
            did.push(Did::Received(me.queue.remove(0)));
        }
        let place = u.int_in_range(0..=1)?;
        let enters = (me.place != place).then_some(Did::Entered(Symbol(place)));
        me.place = place;
        self.x = u.int_in_range(-2..=2)?;
        if self.tasks.len() < 6 && u.ratio(1, 3)? {
            did.push(self.post(u, Some(task), to)?);
        }
        if u.ratio(1, 2)? {
            let other = u.choose_index(self.tasks.len())?;
            let event = Symbol(u.int_in_range(0..=1)?);
            let receiver = &mut self.tasks[other];
            receiver.queue.push(event);
            if receiver.id != task {
                receiver.blocked = false;
                to.give(receiver.id, Why::Woken(Some(task)));
            }
            did.push(Did::Sent { to: receiver.id, event: Some(event) });
        }
        did.extend(enters);
        match u.int_in_range(0..=4)? {
            0 => {
                self.tasks.retain(|other| other.id != task);
                to.complete(task);
                did.push(Did::Completed);
            }
            1 => {
                self.tasks.iter_mut().find(|other| other.id == task).unwrap().blocked = true;
                to.give(task, Why::Blocked(None));
                did.push(Did::Blocked);
            }
            _ => to.give(task, Why::Yielded),
        }
        to.observe(&Observed { task: Some(task), did: &did, before: Some(&before), after: self });
        Ok(())
    }
}

/// The tasks that successive delays propose, whether seals allow them or not.
fn proposals(scheduler: &Scheduler, ready: &Ready<'_>, most: usize) -> Vec<TaskId> {
    let mut scheduler = scheduler.clone();
    let mut all = Vec::new();
    while let Some(task) = scheduler.take(ready).filter(|_| all.len() < most) {
        all.push(task);
        scheduler.delay(task);
    }
    all
}

/// Runs a random program under random rules around the base, and checks the obligations at each step.
fn walk(u: &mut Unstructured<'_>, base: &str) -> Result<()> {
    let Some(set) = rules(u)? else { return Ok(()) };
    let name = base.parse::<SchedulerName>().unwrap().with_rules(set.clone()).unwrap();
    assert_eq!(name.to_string().parse::<SchedulerName>().unwrap(), name, "`{name}` does not read back");
    let mut scheduler = name.build();
    let mut world = World { names: names(), tasks: Vec::new(), next: 0, x: 0 };
    let mut did = Vec::new();
    for _ in 0..u.int_in_range(1..=3)? {
        did.push(world.post(u, None, &mut scheduler)?);
    }
    scheduler.observe(&Observed { task: None, did: &did, before: None, after: &world });
    for clock in 0..25 {
        let enabled = world.enabled();
        let ready = Ready::at(&enabled, clock);
        let all = proposals(&scheduler, &ready, enabled.len());
        assert_eq!(all, proposals(&scheduler.clone(), &ready, enabled.len()), "{name} is not deterministic");
        // Lossless, refines bag, non-blocking and delay-accessible, in fewer delays than there are enabled tasks.
        let proposed: BTreeSet<TaskId> = all.iter().copied().collect();
        assert_eq!(
            proposed,
            enabled.iter().copied().collect(),
            "{name}: {all:?} of {enabled:?}, {scheduler:?}"
        );
        assert!(scheduler.patience() >= enabled.len());
        let Some(mut task) = scheduler.take(&ready) else { return Ok(()) };
        for _ in 0..u.int_in_range(0..=2)? {
            assert!((1..=100).contains(&scheduler.cost_of_delay(task)), "a delay costs something");
            if !scheduler.seals(task) {
                scheduler.delay(task);
                task = scheduler.take(&ready).unwrap();
            }
        }
        assert!(set.has_seals() || !scheduler.seals(task), "{name} seals without a rule");
        world.step(u, task, &mut scheduler)?;
    }
    Ok(())
}

#[test]
fn random_rules_keep_the_obligations() {
    for base in BASES {
        for_inputs(400, |u| walk(u, base));
    }
}

#[test]
fn random_text_is_read_or_refused() {
    for_inputs(2000, |u| {
        let words = [
            "A", "before", "after", "run", "first", "never", "delay", "while", "(", ")", "not", "and", ";",
            "\n", "3", "\"", "e", "é", "==", "keep", "together", "costs", "of", "#", "in",
        ];
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=12)? {
            text += u.choose(&words)?;
            text += " ";
        }
        match RuleSet::parse(&text) {
            Ok(set) => assert_eq!(RuleSet::parse(&set.to_string()).unwrap(), set, "{text}"),
            Err(errors) => {
                for error in errors {
                    assert!(text.get(error.span.clone()).is_some(), "{text}: {error:?}");
                }
            }
        }
        Ok(())
    });
}

/// Every error, with the part of the text that it is about.
#[test]
fn errors_point_to_the_mistake() {
    for (text, part, message) in [
        ("", "", "there is no rule here"),
        ("A befor B", "befor", "did you mean `before`?"),
        (
            "A before B before A",
            "A before B before A",
            "a cycle of priorities: `A` runs before `B`, and also after it",
        ),
        ("A before B; B before C; C before A", "C before A", "a cycle of priorities"),
        ("A before A", "A before A", "`A` runs before itself"),
        ("A first, A last", "A last", "runs before"),
        ("B before A; A first", "A first", "a cycle of priorities"),
        ("delay of A costs 0", "0", "a delay costs at least 1"),
        ("delay of A costs 2; delay of A costs 3", "A", "costs 2 already"),
        ("never delay A; delay of A costs 2", "A", "another rule says that it is never delayed"),
        ("delay only A; delay only B", "delay only B", "there is a rule `delay only` already"),
        ("keep A and B together; keep B and C together", "B", "is in such a group already"),
        ("after e run first", "first", "is a word of rules"),
        ("after e run A frist", "frist", "did you mean `first`?"),
        ("A before %", "%", "is not part of a rule"),
        ("\"A before B", "\"A before B", "closing quotation mark"),
        ("\"A\u{1b}[31m\" first", "\"A\u{1b}[31m\"", "a control character"),
        ("never delay any while x == \"\u{202e}\"", "\"\u{202e}\"", "a control character"),
        ("A first second", "second", "expected the end of the rule"),
        ("keep A together", "together", "expected `and`"),
        ("never delay A while", "while", "the rule ends here"),
        ("never delay A while x > ", ">", "a value is missing"),
    ] {
        let errors = RuleSet::parse(text).unwrap_err();
        let found = errors.iter().any(|error| {
            error.to_string().contains(message) && (part.is_empty() || &text[error.span.clone()] == part)
        });
        assert!(found, "{text}: {errors:?}");
    }
    let deep = format!("never delay A while {}x", "(".repeat(100_000));
    assert!(RuleSet::parse(&deep).is_err());
    let long = format!("never delay A while x{}", " or x".repeat(100_000));
    assert!(RuleSet::parse(&long).is_err());
}

#[test]
fn names_are_compared_with_the_program() {
    for (text, part, message) in [
        ("Aa before B", "Aa", "did you mean `A`?"),
        ("after g run A first", "g", "expected an event"),
        ("after A enters Q run A first", "Q", "a state or procedure"),
        ("never delay A while y > 1", "y", "expected a variable"),
        ("never delay A while Q in S", "Q", "a task or a monitor"),
        ("after creating e run it first", "e", "expected a task"),
    ] {
        let errors = text.parse::<RuleSet>().unwrap().check(&names());
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].to_string().contains(message), "{text}: {errors:?}");
        assert_eq!(&text[errors[0].span.clone()], part);
    }
}

/// The effect of each kind of rule on three tasks that are all enabled.
#[test]
fn rules_do_what_they_say() {
    fn order(rules: &str, did: &[Did], ran: u32) -> Vec<u32> {
        let mut scheduler =
            "rr".parse::<SchedulerName>().unwrap().with_rules(rules.parse().unwrap()).unwrap().build();
        let mut world = World { names: names(), tasks: Vec::new(), next: 3, x: 0 };
        let mut first = Vec::new();
        for name in 0..3 {
            let id = TaskId(name);
            world.tasks.push(Task { id, name, place: 0, blocked: false, queue: Vec::new() });
            scheduler.give(id, Why::Posted(Post::default()));
            first.push(Did::Posted(id));
        }
        scheduler.observe(&Observed { task: None, did: &first, before: None, after: &world });
        let all = world.enabled();
        if !did.is_empty() {
            let ready = Ready::new(std::slice::from_ref(&all[ran as usize]));
            scheduler.take(&ready);
            scheduler.give(TaskId(ran), Why::Yielded);
            scheduler.observe(&Observed {
                task: Some(TaskId(ran)),
                did,
                before: Some(&world),
                after: &world,
            });
        }
        proposals(&scheduler, &Ready::new(&all), 3).into_iter().map(|task| task.0).collect()
    }
    let sent = [Did::Sent { to: TaskId(1), event: Some(Symbol(0)) }];
    assert_eq!(order("C before B", &[], 0), [0, 2, 1]);
    assert_eq!(order("C first; A last", &[], 0), [2, 1, 0]);
    assert_eq!(order("C before B before A", &[], 0), [2, 1, 0]);
    assert_eq!(order("after e run C first", &sent, 0), [2, 0, 1]);
    assert_eq!(order("after e run receiver first", &sent, 0), [1, 2, 0]);
    assert_eq!(order("after e run it last", &sent, 0), [1, 2, 0]);
    assert_eq!(order("after f run C first", &sent, 0), [0, 1, 2]);
    assert_eq!(
        order("A last; A that receives e runs until it sends", &[Did::Received(Symbol(0))], 0),
        [0, 1, 2]
    );
    assert_eq!(
        order("A last; A that receives f runs until it sends", &[Did::Received(Symbol(0))], 0),
        [1, 2, 0]
    );
    assert_eq!(order("keep A and C together", &[Did::Blocked], 0), [0, 2, 1]);
}
