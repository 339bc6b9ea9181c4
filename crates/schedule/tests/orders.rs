//! The order of each scheduler, by hand, from the papers' definitions and figures.

use dally_schedule::{DelayBudget, DelayingScheduler, Post, Ready, Scheduler, SchedulerName, TaskId, Why};

/// A scheduler with all of its tasks enabled, and tasks as letters.
struct Run {
    scheduler: Scheduler,
    alive: Vec<TaskId>,
}

fn id(letter: char) -> TaskId {
    TaskId(letter as u32 - 'a' as u32)
}

impl Run {
    /// The first task is `a`.
    fn new(name: &str) -> Self {
        let mut run =
            Self { scheduler: name.parse::<SchedulerName>().expect("a good name").build(), alive: vec![] };
        run.first("a");
        run
    }

    fn first(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.alive.push(id(letter));
            self.scheduler.give(id(letter), Why::Posted(Post::default()));
        }
    }

    fn post(&mut self, by: char, letters: &str) {
        for letter in letters.chars() {
            self.alive.push(id(letter));
            self.scheduler.give(id(letter), Why::Posted(Post { by: Some(id(by)), ..Post::default() }));
        }
    }

    fn take(&mut self) -> char {
        self.alive.sort_unstable();
        let task = self.scheduler.take(&Ready::new(&self.alive)).expect("a task is enabled");
        char::from(b'a' + u8::try_from(task.0).expect("a letter"))
    }

    fn delay(&mut self) {
        let next = self.take();
        self.scheduler.delay(id(next));
    }

    fn complete(&mut self, letter: char) {
        self.alive.retain(|task| *task != id(letter));
        self.scheduler.complete(id(letter));
    }

    /// All tasks run to completion, without posting more.
    fn order(mut self) -> String {
        let mut order = String::new();
        while !self.alive.is_empty() {
            let next = self.take();
            order.push(next);
            self.complete(next);
        }
        order
    }

    /// `a` posts the others and completes.
    fn family(name: &str) -> Self {
        let mut run = Self::new(name);
        assert_eq!(run.take(), 'a');
        run.post('a', "bcd");
        run.complete('a');
        run
    }
}

#[test]
fn siblings_run_in_the_base_order() {
    assert_eq!(Run::family("rr").order(), "bcd");
    assert_eq!(Run::family("rr:reverse").order(), "dcb");
    assert_eq!(Run::family("dfs").order(), "bcd");
    assert_eq!(Run::family("dfs:reverse").order(), "dcb");
    assert_eq!(Run::family("df").order(), "bcd");
    assert_eq!(Run::family("dfw").order(), "bcd");
    assert_eq!(Run::family("rtc").order(), "dcb");
}

#[test]
fn one_delay_postpones_one_task() {
    for (name, expected) in [("rr", "cdb"), ("dfs", "cdb"), ("df", "cdb"), ("dfw", "cdb"), ("rtc", "cbd")] {
        let mut run = Run::family(name);
        run.delay();
        assert_eq!(run.order(), expected, "{name}");
    }
}

/// [POPL11] Fig. 3: p₁ posts p₂ and p₃, which run in this order.
#[test]
fn figure_3_of_popl11() {
    assert_eq!(Run::family("dfs").order(), "bcd");
}

#[test]
fn a_yielding_task_comes_after_its_children_in_dfs_and_before_them_elsewhere() {
    for (name, expected) in
        [("dfs", "bca"), ("dfs:reverse", "cba"), ("df", "abc"), ("dfw", "abc"), ("rr", "abc"), ("rtc", "cba")]
    {
        let mut run = Run::new(name);
        assert_eq!(run.take(), 'a');
        run.post('a', "bc");
        run.scheduler.give(id('a'), Why::Yielded);
        assert_eq!(run.order(), expected, "{name}");
    }
}

/// Grandchildren before uncles.
#[test]
fn depth_first_goes_down_before_it_goes_on() {
    for (name, expected) in [("dfs", "efcd"), ("df", "efcd"), ("dfw", "efcd"), ("rr", "cdef")] {
        let mut run = Run::family(name);
        assert_eq!(run.take(), 'b');
        run.post('b', "ef");
        run.complete('b');
        assert_eq!(run.order(), expected, "{name}");
    }
}

/// [POPL11] Fig. 4: a delayed task and what it posts belong to the next round.
#[test]
fn delayed_tasks_run_in_the_next_round() {
    for name in ["dfs", "df", "dfw"] {
        let mut run = Run::family(name);
        run.delay(); // b
        assert_eq!(run.take(), 'c');
        run.post('c', "e");
        run.complete('c');
        assert_eq!(run.order(), "edb", "{name}");
    }
}

#[test]
fn df_proposes_a_waiting_task_and_dfw_does_not() {
    for (name, expected) in [("df", 'a'), ("dfw", 'b')] {
        let mut run = Run::new(name);
        assert_eq!(run.take(), 'a');
        run.post('a', "b");
        run.scheduler.give(id('a'), Why::Blocked(Some(id('b'))));
        run.alive.retain(|task| *task != id('a'));
        assert_eq!(run.take(), expected, "{name}");
    }
}

/// [SPIN14 §3]: before proceeding past a wait, the current round of all created subtasks runs.
#[test]
fn dfw_runs_all_subtasks_before_it_goes_past_a_wait() {
    let mut run = Run::new("dfw");
    assert_eq!(run.take(), 'a');
    run.post('a', "bc");
    run.scheduler.give(id('a'), Why::Blocked(Some(id('b'))));
    assert_eq!(run.take(), 'b');
    run.complete('b');
    assert_eq!(run.take(), 'c', "a waits for b only, but c comes first");
    let mut delayed = Run { scheduler: run.scheduler.clone(), alive: run.alive.clone() };
    run.complete('c');
    assert_eq!(run.take(), 'a');
    delayed.delay(); // c goes to the next round
    assert_eq!(delayed.take(), 'a');
}

/// [SPIN14] Fig. 6 continues in round 0 with a task whose subtask waits for a task of round 1.
#[test]
fn dfw_does_not_wait_for_subtasks_that_wait_for_a_later_round() {
    let mut run = Run::new("dfw");
    assert_eq!(run.take(), 'a');
    run.post('a', "bc");
    run.scheduler.give(id('a'), Why::Blocked(Some(id('c'))));
    assert_eq!(run.take(), 'b');
    run.post('b', "d");
    run.scheduler.give(id('b'), Why::Blocked(Some(id('d'))));
    run.delay(); // d goes to round 1, and with it what is left of b
    assert_eq!(run.take(), 'c');
    run.complete('c');
    assert_eq!(run.order(), "adb");
}

/// A task that is delayed lets the subtasks run that it posted before its last wait, not those since.
#[test]
fn dfw_lets_recent_children_wait() {
    let mut run = Run::new("dfw");
    assert_eq!(run.take(), 'a');
    run.post('a', "bc");
    run.delay_running('a');
    // Round 0 goes on with the children, then round 1 with a.
    assert_eq!(run.order(), "bca");
}

impl Run {
    fn delay_running(&mut self, letter: char) {
        self.scheduler.give(id(letter), Why::Yielded);
        assert_eq!(self.take(), letter);
        self.scheduler.delay(id(letter));
    }
}

#[test]
fn the_receiver_runs_next_under_rtc() {
    let mut run = Run::family("rtc");
    assert_eq!(run.take(), 'd');
    run.scheduler.give(id('b'), Why::Woken(Some(id('d'))));
    run.scheduler.give(id('d'), Why::Yielded);
    assert_eq!(run.order(), "bdc");
}

#[test]
fn blocked_tasks_are_passed_over() {
    let mut run = Run::family("rr");
    run.alive.retain(|task| *task != id('b'));
    assert_eq!(run.take(), 'c');
    run.scheduler.give(id('c'), Why::Yielded);
    run.alive.push(id('b'));
    assert_eq!(run.order(), "cdb", "the current task stays current");
}

#[test]
fn high_levels_come_first_within_a_buffer() {
    let mut run =
        Run { scheduler: "priority(rr)".parse::<SchedulerName>().expect("good").build(), alive: vec![] };
    for (letter, level, buffer) in [('a', 0, 0), ('b', 2, 0), ('c', 1, 0), ('d', 0, 1)] {
        run.alive.push(id(letter));
        run.scheduler.give(id(letter), Why::Posted(Post { level, buffer, ..Post::default() }));
    }
    assert_eq!(run.take(), 'b');
    run.delay();
    assert_eq!(run.take(), 'd', "another buffer, another highest level");
    run.complete('b');
    run.complete('d');
    assert_eq!(run.order(), "ca");
}

#[test]
fn random_orders_are_functions_of_seed_and_state() {
    let all: Vec<_> = (0..6).map(TaskId).collect();
    let order = |seed: u64, state: u64| {
        let mut scheduler = SchedulerName::Random(seed).build();
        let ready = Ready::at(&all, state);
        let mut order = Vec::new();
        while let Some(task) = scheduler.take(&ready) {
            order.push(task);
            scheduler.delay(task);
        }
        order
    };
    assert_eq!(order(1, 1), order(1, 1));
    assert_ne!(order(1, 1), order(1, 2));
    assert_ne!(order(1, 1), order(2, 1));
    assert_eq!(order(1, 1).len(), 6);
}

#[test]
fn a_budget_allows_so_many_delays() {
    let mut scheduler = DelayBudget::new(SchedulerName::Rtc.build(), 1);
    scheduler.give(TaskId(0), Why::Posted(Post::default()));
    assert!(scheduler.can_delay());
    let task = scheduler.take(&Ready::new(&[TaskId(0)])).expect("it can run");
    scheduler.delay(task);
    assert!(!scheduler.can_delay() && scheduler.left() == 0);
}
