//! The obligations of a delaying scheduler, for every scheduler, on random sequences of events.
//!
//! A failure prints its seed; `DALLY_SEED=n` repeats it.

use std::collections::BTreeSet;

use dally_schedule::{DelayingScheduler, Post, Ready, Scheduler, SchedulerName, Sealable, TaskId, Why};
use dally_testing::arbitrary::{Result, Unstructured};
use dally_testing::for_inputs;

const NAMES: [&str; 17] = [
    "bag",
    "bounded-bag:1",
    "bounded-bag:2",
    "rr",
    "rr:reverse",
    "rr:7",
    "dfs",
    "dfs:reverse",
    "df",
    "dfw",
    "rtc",
    "random:3",
    "priority(rr)",
    "priority(dfs)",
    "priority(random:5)",
    "pct:7,3",
    "pct:1,0",
];

/// A program that is generated while it runs: its tasks, and which of them are enabled.
struct World {
    tasks: Vec<Task>,
    next: u32,
    clock: u64,
    /// Tasks wait for their children only, as in [SPIN14 §2]; otherwise they block at arbitrary points.
    structured: bool,
}

struct Task {
    id: TaskId,
    post: Post,
    blocked: bool,
    awaits: Option<TaskId>,
    dropped: bool,
}

impl World {
    fn new(structured: bool) -> Self {
        Self { tasks: Vec::new(), next: 0, clock: 0, structured }
    }

    fn enabled(&self) -> Vec<TaskId> {
        let done = |task: TaskId| self.tasks.iter().all(|other| other.id != task);
        let can_run = |task: &&Task| !task.blocked && task.awaits.is_none_or(done);
        let mut enabled: Vec<_> = self.tasks.iter().filter(can_run).map(|task| task.id).collect();
        enabled.sort_unstable();
        enabled
    }

    fn post(
        &mut self,
        u: &mut Unstructured<'_>,
        by: Option<TaskId>,
        scheduler: &mut Scheduler,
        copies: usize,
    ) -> Result<()> {
        let id = TaskId(self.next);
        self.next += 1;
        let post = Post {
            by,
            level: u.int_in_range(0..=2)?,
            buffer: u.int_in_range(0..=1)?,
            kind: u.int_in_range(0..=3)?,
        };
        let same = self.tasks.iter().filter(|task| task.post.kind == post.kind && !task.dropped).count();
        let dropped = post.kind != 0 && same >= copies;
        self.tasks.push(Task { id, post, blocked: false, awaits: None, dropped });
        scheduler.give(id, Why::Posted(post));
        Ok(())
    }

    /// The task runs a step, which is reported to the scheduler.
    fn step(
        &mut self,
        u: &mut Unstructured<'_>,
        task: TaskId,
        scheduler: &mut Scheduler,
        copies: usize,
    ) -> Result<()> {
        self.clock += 1;
        for _ in 0..u.int_in_range(0..=2)? {
            if self.tasks.len() < 7 {
                self.post(u, Some(task), scheduler, copies)?;
            }
        }
        if !self.structured && u.ratio(1, 3)? {
            let other = u.choose_index(self.tasks.len())?;
            if self.tasks[other].id != task {
                self.tasks[other].blocked = false;
                scheduler.give(self.tasks[other].id, Why::Woken(Some(task)));
            }
        }
        let children: Vec<_> =
            self.tasks.iter().filter(|other| other.post.by == Some(task)).map(|it| it.id).collect();
        let me = self.tasks.iter_mut().find(|other| other.id == task).expect("it runs");
        me.awaits = None;
        match u.int_in_range(0..=4)? {
            0 | 1 => {
                self.tasks.retain(|other| other.id != task);
                scheduler.complete(task);
            }
            2 if self.structured && !children.is_empty() => {
                let child = *u.choose(&children)?;
                me.awaits = Some(child);
                scheduler.give(task, Why::Blocked(Some(child)));
            }
            2 if !self.structured => {
                me.blocked = true;
                scheduler.give(task, Why::Blocked(None));
            }
            _ => scheduler.give(task, Why::Yielded),
        }
        Ok(())
    }

    /// The enabled tasks that this scheduler must be able to reach.
    fn reachable(&self, name: &str) -> BTreeSet<TaskId> {
        let enabled = self.enabled();
        let of = |id: &TaskId| self.tasks.iter().find(|task| task.id == *id).expect("it is there");
        let outranked = |id: &TaskId| {
            let me = of(id).post;
            enabled.iter().map(of).any(|it| it.post.buffer == me.buffer && it.post.level > me.level)
        };
        let within = |id: &&TaskId| match name.split(['(', ':']).next() {
            Some("priority") => !outranked(id),
            Some("bounded-bag") => !of(id).dropped,
            _ => true,
        };
        enabled.iter().filter(within).copied().collect()
    }
}

/// The tasks that successive delays propose, up to the scheduler's own `patience`.
fn proposals(scheduler: &Scheduler, ready: &Ready<'_>) -> Vec<TaskId> {
    let mut scheduler = scheduler.clone();
    let patience = scheduler.patience().min(1000);
    let mut all = Vec::new();
    while let Some(task) = scheduler.take(ready) {
        all.push(task);
        if all.len() > patience {
            break;
        }
        scheduler.delay(task);
    }
    all
}

/// Runs a random program under the scheduler, and checks the obligations at each step.
fn walk(u: &mut Unstructured<'_>, name: &str) -> Result<()> {
    let copies = name.strip_prefix("bounded-bag:").map_or(usize::MAX, |n| n.parse().expect("a number"));
    let blocking = name.contains("df") && name != "dfw";
    let mut scheduler = name.parse::<SchedulerName>().expect("a good name").build();
    let mut world = World::new(name == "dfw" || u.ratio(1, 4)?);
    for _ in 0..u.int_in_range(1..=3)? {
        world.post(u, None, &mut scheduler, copies)?;
    }
    for _ in 0..20 {
        let enabled = world.enabled();
        let ready = Ready::at(&enabled, world.clock);
        let there: BTreeSet<_> = world.tasks.iter().map(|task| task.id).collect();
        let all = proposals(&scheduler, &ready);

        let twin = scheduler.clone();
        assert_eq!(all, proposals(&twin, &ready), "{name} is not deterministic");
        assert!(
            all.iter().all(|task| there.contains(task)),
            "{name} does not refine bag: {all:?} of {there:?}"
        );
        if !blocking {
            assert!(all.iter().all(|task| ready.contains(*task)), "{name} proposes a blocked task");
        }
        let reached: BTreeSet<_> = all.iter().copied().filter(|task| ready.contains(*task)).collect();
        let must = world.reachable(name);
        assert!(must.is_subset(&reached), "{name} cannot reach all of {must:?}: {all:?}, {scheduler:?}");
        let cyclic = !blocking && name != "dfw";
        if cyclic {
            let first: BTreeSet<_> = all.iter().copied().take(must.len()).collect();
            assert_eq!(first, must, "{name} needs more than #enabled - 1 delays");
        }

        let Some(mut task) = scheduler.take(&ready) else { break };
        for _ in 0..u.int_in_range(0..=3)? {
            scheduler.delay(task);
            task = match scheduler.take(&ready) {
                Some(task) => task,
                None => return Ok(()),
            };
        }
        let mut patience = 200;
        while !ready.contains(task) && patience > 0 && !enabled.is_empty() {
            scheduler.delay(task);
            task = scheduler.take(&ready).expect("something is pending");
            patience -= 1;
        }
        if !ready.contains(task) {
            break;
        }
        if scheduler.stays(task, &ready) {
            let mut twin = scheduler.clone();
            twin.give(task, Why::Yielded);
            assert_eq!(twin.take(&ready), Some(task), "{name} does not stay");
            assert_eq!(twin, scheduler, "{name} does not stay the same");
        }
        world.step(u, task, &mut scheduler, copies)?;
    }
    Ok(())
}

#[test]
fn every_scheduler_keeps_its_obligations() {
    for name in NAMES {
        for_inputs(200, |u| walk(u, name));
    }
}

#[test]
fn cloning_into_a_used_scheduler_copies_all_of_it() {
    for name in NAMES {
        let mut a = name.parse::<SchedulerName>().expect("a good name").build();
        let mut b = a.clone();
        for n in 0..4 {
            a.give(TaskId(n), Why::Posted(Post { kind: 1, level: n, ..Post::default() }));
        }
        b.give(TaskId(9), Why::Posted(Post::default()));
        b.clone_from(&a);
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn while_sealed_nothing_is_delayed() {
    for name in NAMES {
        let mut scheduler = Sealable::new(name.parse::<SchedulerName>().expect("a good name").build());
        scheduler.give(TaskId(0), Why::Posted(Post::default()));
        assert!(scheduler.can_delay());
        scheduler.seal(true);
        assert!(!scheduler.can_delay() && scheduler.patience() == 0);
        assert_eq!(scheduler.take(&Ready::new(&[TaskId(0)])), Some(TaskId(0)));
        scheduler.seal(false);
        assert!(scheduler.can_delay());
    }
}
