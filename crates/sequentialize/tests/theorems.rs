//! The theorems, on random programs.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use dally_bpl::ProgramOptions;
use dally_explore::Delays;
use dally_sequentialize::{Bounds, Target, TranslationOptions};
use support::generate::{self, Features, RICH, SMALL};
use support::random::for_seeds;
use support::{
    Outcomes, explore, explore_named, explore_preempted, load, printed, reordered, run, translated,
};

/// Checks that a translation reaches the same results as the scheduler, with the same number of delays.
fn agrees(test: &str, programs: u64, features: Features, scheduler: &str, to: impl Fn(Bounds) -> Target) {
    for_seeds(test, programs, |seed| {
        let text = generate::program(seed, features);
        let delays = (seed % 4) as u32;
        let sequential = translated(&text, to(Bounds::delays(delays)));
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let expected = explore_named(&text, scheduler, Some(delays));
        assert_eq!(
            found, expected,
            "sequential (left), {scheduler} (right), {delays} delays, DALLY_SEED={seed}\n{text}\n{sequential}"
        );
        true
    });
}

/// With levels and buffers.
const DRIVER: Features = Features { yields: true, levels: 3, buffers: 2, posts: 3, globals: 1, ..SMALL };

// [POPL11] Lemmas 2 to 4.

#[test]
fn dfs_without_yields() {
    agrees("dfs_without_yields", 240, SMALL, "dfs", Target::Dfs);
}

#[test]
fn dfs_with_yields() {
    agrees("dfs_with_yields", 240, Features { yields: true, atomic: true, ..SMALL }, "dfs", Target::Dfs);
}

#[test]
fn dfs_with_waits() {
    agrees("dfs_with_waits", 240, Features { awaits: true, atomic: true, ..RICH }, "dfs", Target::Dfs);
}

// [SPIN14] Theorems 1 and 2.

#[test]
fn df() {
    agrees("df", 240, Features { awaits: true, atomic: true, ..RICH }, "df", Target::Df);
}

#[test]
fn dfw() {
    agrees("dfw", 450, Features { atomic: true, ..RICH }, "dfw", Target::Dfw);
}

/// A program that tells the two readings of rule (ii) apart: with the round of a waiting subtask's label, rather than
/// the first round in which it can go on, the scheduler misses what Fig. 6 reaches.
#[test]
fn rule_two_of_dfw() {
    let text = include_str!("rule_two.bpl");
    let found = run(&translated(text, Target::Dfw(Bounds::delays(1))), &generate::globals(RICH)).unwrap();
    let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert!(found.finals.contains(&vec![value("g0", "1"), value("g1", "0")]));
    assert_eq!(explore_named(text, "dfw", Some(1)), found);
}

#[test]
fn df_is_part_of_dfw() {
    for_seeds("df_is_part_of_dfw", 240, |seed| {
        let text = generate::program(seed, RICH);
        let bounds = Bounds::delays((seed % 4) as u32);
        let globals = generate::globals(RICH);
        let Some(df) = run(&translated(&text, Target::Df(bounds)), &globals) else { return false };
        let Some(dfw) = run(&translated(&text, Target::Dfw(bounds)), &globals) else { return false };
        assert!(df.finals.is_subset(&dfw.finals), "{bounds:?}, DALLY_SEED={seed}\n{text}");
        true
    });
}

// Lal and Reps.

/// df, with delays only up to the last of some rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rounds {
    df: dally_schedule::Df,
    /// The round of each task.
    rounds: Vec<(dally_schedule::TaskId, u32)>,
    last: u32,
    proposed: Option<dally_schedule::TaskId>,
}

impl Rounds {
    fn round(&self, task: dally_schedule::TaskId) -> u32 {
        self.rounds.iter().find(|(t, _)| *t == task).map_or(0, |(_, round)| *round)
    }

    fn forget(&mut self, task: dally_schedule::TaskId) {
        self.rounds.retain(|(t, _)| *t != task);
    }
}

impl dally_schedule::DelayingScheduler for Rounds {
    fn give(&mut self, task: dally_schedule::TaskId, why: dally_schedule::Why) {
        if let dally_schedule::Why::Posted(post) = why {
            let round = post.by.map_or(0, |by| self.round(by));
            self.forget(task);
            self.rounds.push((task, round));
            self.rounds.sort_unstable();
        }
        self.df.give(task, why);
    }

    fn take(&mut self, ready: &dally_schedule::Ready<'_>) -> Option<dally_schedule::TaskId> {
        self.proposed = self.df.take(ready);
        self.proposed
    }

    fn delay(&mut self, task: dally_schedule::TaskId) {
        let round = self.round(task);
        self.forget(task);
        self.rounds.push((task, round + 1));
        self.rounds.sort_unstable();
        self.df.delay(task);
    }

    fn complete(&mut self, task: dally_schedule::TaskId) {
        self.df.complete(task);
    }

    fn delay_cost(&self) -> u32 {
        0
    }

    fn can_delay(&self) -> bool {
        self.proposed.is_none_or(|task| self.round(task) < self.last)
    }
}

#[test]
fn lal_reps() {
    for_seeds("lal_reps", 240, |seed| {
        let text = generate::program(seed, RICH);
        let rounds = 1 + (seed % 3) as u32;
        let sequential = translated(&text, Target::LalReps { rounds });
        let Some(found) = run(&sequential, &generate::globals(RICH)) else { return false };
        let df = dally_schedule::Df::default();
        let scheduler = Rounds { df, rounds: Vec::new(), last: rounds - 1, proposed: None };
        let expected = explore(&text, &Delays::new("rounds", scheduler), Some(0));
        assert_eq!(found, expected, "{rounds} rounds, DALLY_SEED={seed}\n{text}\n{sequential}");
        true
    });
}

// Switches before each access to a shared variable.

#[test]
fn preemptions() {
    for_seeds("preemptions", 200, |seed| {
        let features = Features { posts: 2, atomic: true, awaits: true, choices: 10, ..RICH };
        let text = generate::program(seed, features);
        let delays = (seed % 3) as u32;
        let options = TranslationOptions {
            program: ProgramOptions::preemptive(),
            ..TranslationOptions::new(Target::Df(Bounds::delays(delays)))
        };
        let sequential = printed(&text, &options);
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let expected = explore_preempted(&text, "df", Some(delays));
        assert_eq!(found, expected, "{delays} delays, DALLY_SEED={seed}\n{text}\n{sequential}");
        true
    });
}

/// Small programs with levels and buffers in which tasks are preempted. Calls of atomic procedures, whose arguments are
/// evaluated in a step of their own, are left to [`preemptions`].
fn preempted_driver(seed: u64) -> Features {
    let (levels, buffers) = (1 + seed % 3, 1 + seed / 3 % 2);
    Features {
        awaits: true,
        suppress: seed.is_multiple_of(2),
        levels,
        buffers,
        posts: 2,
        choices: 0,
        ..DRIVER
    }
}

/// [FSE12 §6]: preemption inserts a yield and a zield before each access to a shared variable.
#[test]
fn preempted_programs_have_explicit_points() {
    for_seeds("preempted_programs_have_explicit_points", 400, |seed| {
        let features = preempted_driver(seed);
        let text = generate::program(seed, features);
        let explicit = generate::program(seed, Features { explicit: true, ..features });
        let found = explore_preempted(&text, "bag", None);
        let expected = explore_named(&explicit, "bag", None);
        assert_eq!(found, expected, "preempted (left), DALLY_SEED={seed}\n{text}\n{explicit}");
        true
    });
}

#[test]
fn translations_insert_the_same_points() {
    for_seeds("translations_insert_the_same_points", 200, |seed| {
        let features = preempted_driver(seed);
        let features =
            Features { posts: 1, waits: features.buffers == 1 && features.levels == 1, ..features };
        let text = generate::program(seed, features);
        let explicit = generate::program(seed, Features { explicit: true, ..features });
        let globals = generate::globals(features);
        let bounds = Bounds::delays((seed % 2) as u32);
        let with_levels = [Target::Buffers { zields: 2, yields: 2 }, Target::Synce { rounds: 1 }];
        let rounds = [Target::Dfs(bounds), Target::Df(bounds), Target::Dfw(bounds)];
        let targets = if features.levels == 1 && features.buffers == 1 { &rounds[..] } else { &with_levels };
        for to in targets {
            let preempted =
                TranslationOptions { program: ProgramOptions::preemptive(), ..TranslationOptions::new(*to) };
            let Some(found) = run(&printed(&text, &preempted), &globals) else { return false };
            let Some(expected) = run(&translated(&explicit, *to), &globals) else { return false };
            assert_eq!(found, expected, "{to:?}, preempted (left), DALLY_SEED={seed}\n{text}\n{explicit}");
        }
        true
    });
}

#[test]
fn preempted_buffers_are_sound() {
    for_seeds("preempted_buffers_are_sound", 200, |seed| {
        let features = Features { awaits: false, posts: 1, buffers: 2, ..preempted_driver(seed) };
        let text = generate::program(seed, features);
        let to = Target::Buffers { zields: 1 + (seed % 3) as u32, yields: 1 + (seed / 3 % 2) as u32 };
        let options = TranslationOptions {
            program: ProgramOptions::preemptive(),
            reorder: true,
            ..TranslationOptions::new(to)
        };
        let Some(found) = run(&printed(&text, &options), &generate::globals(features)) else { return false };
        let all = explore_preempted(&text, "bag", None);
        assert!(found.finals.is_subset(&all.finals), "{to:?}, DALLY_SEED={seed}\n{text}");
        true
    });
}

/// Points are suppressed at levels.
#[test]
fn levels_suppress_points() {
    let text = "var {:range 0, 1} g0: int;
        procedure {:entrypoint} {:buffer 0} {:nozield 3} main() { g0 := 0; call {:async} {:level 3} high(); }
        procedure high() { g0 := 0; assert g0 == 0; }
        procedure {:entrypoint} {:buffer 1} other() { g0 := 1; }";
    for (attr, fails) in [("{:nozield 3}", false), ("{:nozield 0}", true), ("{:noyield 3}", true)] {
        let text = text.replace("{:nozield 3}", attr);
        assert_eq!(explore_preempted(&text, "bag", None).fails, fails, "{attr}");
        let to = Target::Buffers { zields: 3, yields: 1 };
        let options =
            TranslationOptions { program: ProgramOptions::preemptive(), ..TranslationOptions::new(to) };
        let found = run(&printed(&text, &options), &["g0".to_owned()]).unwrap();
        assert_eq!(found.fails, fails, "{attr}");
    }
}

// The two ways to go through a sequential program.

#[test]
fn explicit_guesses_come_to_the_same() {
    for_seeds("explicit_guesses_come_to_the_same", 60, |seed| {
        let features = Features { yields: true, posts: 2, globals: 1, choices: 10, ..SMALL };
        let text = generate::program(seed, features);
        let bounds = Bounds::delays((seed % 2) as u32);
        let globals = generate::globals(features);
        for to in [Target::Dfs(bounds), Target::Df(bounds), Target::Dfw(bounds)] {
            let sequential = translated(&text, to);
            let Some(found) = run(&sequential, &globals) else { return false };
            // Each access to a global is a step, so that states are told apart there.
            let explicit = explore_preempted(&sequential, "bag", None).only(&globals);
            assert_eq!(found, explicit, "{to:?}, DALLY_SEED={seed}\n{text}\n{sequential}");
        }
        true
    });
}

// Waits in atomic sections.

/// A wait for a task that has ended lets no other task run in an atomic section.
#[test]
fn waits_in_atomic_sections() {
    let text = "var {:range 0, 1} g0: int; var {:range 0, 1} g1: int;
        procedure main() { var t: task int; var l: int; g0 := 0; g1 := 0;
          call {:async} t := p(1); call l := wait(t);
          if {:atomic} (true) { call {:async} q(); call join(t); g1 := g0; } }
        procedure join(t: task int) { var l: int; call l := wait(t); }
        procedure p(a: int) returns ({:range 0, 1} r: int) { r := a; } procedure q() { g0 := 1; }";
    let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = [vec![value("g0", "1"), value("g1", "0")]].into();
    assert_eq!(explore_named(text, "bag", None).finals, expected);
    let bounds = Bounds::delays(2);
    let targets =
        [Target::Dfs(bounds), Target::Df(bounds), Target::Dfw(bounds), Target::LalReps { rounds: 2 }];
    for to in targets {
        let sequential = translated(text, to);
        let found = run(&sequential, &generate::globals(RICH)).unwrap();
        assert_eq!(found.finals, expected, "{to:?}\n{sequential}");
    }
}

// Assertions: [FSE12 App. A].

#[test]
fn assertions() {
    let features = Features { asserts: true, choices: 10, ..RICH };
    agrees("assertions (dfs)", 150, features, "dfs", Target::Dfs);
    agrees("assertions (df)", 150, features, "df", Target::Df);
    agrees("assertions (dfw)", 150, features, "dfw", Target::Dfw);
}

// [SPIN14] Fig. 7.

#[test]
fn waits_can_be_removed() {
    for_seeds("waits_can_be_removed", 240, |seed| {
        let features = Features { thread_locals: false, atomic: true, ..RICH };
        let text = generate::program(seed, features);
        let delays = Some((seed % 4) as u32);
        let (program, _) = load(&text);
        let waitless = dally_bpl::print(&dally_sequentialize::without_waits(&program, None).unwrap());
        let globals = generate::globals(features);
        for scheduler in ["df", "dfs"] {
            let expected = explore_named(&text, scheduler, delays);
            let found = explore_named(&waitless, scheduler, delays).only(&globals);
            assert_eq!(
                found, expected,
                "{scheduler}, {delays:?} delays, DALLY_SEED={seed}\n{text}\n{waitless}"
            );
        }
        true
    });
}

// [FSE12] Theorems 3 to 8.

#[test]
fn buffers_are_sound() {
    for_seeds("buffers_are_sound", 240, |seed| {
        let (features, text) = driver(seed);
        let (zields, yields) = (1 + (seed / 6 % 3) as u32, 1 + (seed / 18 % 3) as u32);
        let sequential = reordered(&text, Target::Buffers { zields, yields });
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let all = explore_named(&text, "bag", None);
        assert!(
            found.finals.is_subset(&all.finals),
            "{zields} zields, {yields} yields, DALLY_SEED={seed}\n{:?}\n{:?}\n{text}\n{sequential}",
            found.finals,
            all.finals
        );
        true
    });
}

fn driver(seed: u64) -> (Features, String) {
    let features = Features { levels: 1 + seed % 3, buffers: 1 + seed / 3 % 2, ..DRIVER };
    (features, generate::program(seed, features))
}

#[test]
fn buffers_are_complete_with_enough_rounds() {
    for_seeds("buffers_are_complete_with_enough_rounds", 200, |seed| {
        let features =
            Features { levels: 1 + seed % 3, buffers: 1 + seed / 3 % 2, posts: 2, choices: 0, ..DRIVER };
        let text = generate::program(seed, features);
        let all = explore_named(&text, "bag", None);
        for rounds in 1..=6 {
            let sequential = reordered(&text, Target::Buffers { zields: rounds, yields: rounds });
            let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
            if found == all {
                return true;
            }
        }
        panic!("not all is reached with 6 rounds, DALLY_SEED={seed}\n{:?}\n{text}", all.finals);
    });
}

/// A task that waits for a condition lets the tasks of other buffers run, too: at once, where a program lets them run only if
/// no other task of its own buffer can. So all that the program reaches is reached, and perhaps more.
#[test]
fn awaits_of_buffers() {
    awaits("awaits_of_buffers", 2, |found, all| all.finals.is_subset(&found.finals));
}

/// Where each buffer has one task, there is no difference.
#[test]
fn awaits_of_tasks_that_are_alone() {
    awaits("awaits_of_tasks_that_are_alone", 0, |found, all| found == all);
}

/// Compares programs in which tasks of two buffers wait for conditions with their translations, with ever more rounds.
fn awaits(test: &str, posts: u64, agree: impl Fn(&Outcomes, &Outcomes) -> bool) {
    for_seeds(test, 200, |seed| {
        let features = Features { awaits: true, levels: 1, buffers: 2, posts, choices: 0, ..DRIVER };
        let text = generate::program(seed, features);
        let all = explore_named(&text, "bag", None);
        for rounds in 1..=6 {
            let sequential = reordered(&text, Target::Buffers { zields: rounds, yields: rounds });
            let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
            if agree(&found, &all) {
                return true;
            }
        }
        panic!("{test}: 6 rounds do not suffice, DALLY_SEED={seed}\n{:?}\n{text}", all.finals);
    });
}

#[test]
fn assertions_of_buffers() {
    for_seeds("assertions_of_buffers", 200, |seed| {
        let features = Features { asserts: true, levels: 1 + seed % 3, buffers: 1 + seed / 3 % 2, ..DRIVER };
        fails_only_if_it_can(seed, features, Target::Buffers { zields: 2, yields: 2 })
    });
}

/// An assertion of the translation fails only if one of the program can.
fn fails_only_if_it_can(seed: u64, features: Features, to: Target) -> bool {
    let text = generate::program(seed, features);
    let Some(found) = run(&reordered(&text, to), &generate::globals(features)) else { return false };
    let all = explore_named(&text, "bag", None);
    assert!(!found.fails || all.fails, "{to:?}, DALLY_SEED={seed}\n{text}");
    true
}

// SYNCE.

#[test]
fn levels_can_be_encoded() {
    for_seeds("levels_can_be_encoded", 240, |seed| {
        let (features, text) = driver(seed);
        let (program, _) = load(&text);
        let encoded = dally_bpl::print(&dally_sequentialize::without_levels(&program, None).unwrap());
        let expected = explore_named(&text, "bag", None);
        let found = explore_named(&encoded, "bag", None).only(&generate::globals(features));
        assert_eq!(found, expected, "DALLY_SEED={seed}\n{text}\n{encoded}");
        true
    });
}

/// The counts of SYNCE are guessed, too: little else may be.
const TINY: Features = Features { yields: true, posts: 1, globals: 1, choices: 0, ..SMALL };

#[test]
fn synce_is_sound() {
    for_seeds("synce_is_sound", 200, |seed| {
        let features = Features { levels: 1 + seed % 2, buffers: 1 + seed / 2 % 2, ..TINY };
        let text = generate::program(seed, features);
        let rounds = 1 + (seed / 4 % 2) as u32;
        let sequential = translated(&text, Target::Synce { rounds });
        let Some(found) = run(&sequential, &generate::globals(features)) else { return false };
        let all = explore_named(&text, "bag", None);
        assert!(found.finals.is_subset(&all.finals), "DALLY_SEED={seed}\n{text}\n{sequential}");
        true
    });
}

#[test]
fn assertions_of_synce() {
    for_seeds("assertions_of_synce", 200, |seed| {
        let features = Features { asserts: true, levels: 1 + seed % 2, ..TINY };
        fails_only_if_it_can(seed, features, Target::Synce { rounds: 2 })
    });
}
