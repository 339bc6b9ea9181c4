//! Random programs with threads have the outcomes that a simple interpreter enumerates: each sum of final values that it
//! finds is reachable, and no other is; and they deadlock if it says so.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/interleave.rs"]
mod interleave;
mod support;
#[path = "support/threads.rs"]
mod threads;

use dally_explore::Verdict;
use dally_testing::Random;
use threads::Program;

#[test]
fn random_threads_have_the_outcomes_of_the_interpreter() {
    dally_testing::for_seeds("threads", 150, |seed| {
        let program = Program::new(seed);
        let outcomes = program.outcomes();
        let sums: Vec<i64> = outcomes.sums.iter().copied().collect();
        if outcomes.deadlock {
            let text = program.text("1");
            let (verdict, boogie) = support::run(&text);
            assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
            return;
        }
        if sums.len() <= 60 {
            let any: Vec<String> = sums.iter().map(|sum| format!("sum == {sum}")).collect();
            let any = if any.is_empty() { "0".to_owned() } else { any.join(" || ") };
            let text = program.text(&any);
            let (verdict, boogie) = support::run(&text);
            assert!(matches!(verdict, Verdict::Proved), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
        }
        if !sums.is_empty() {
            let sum = sums[Random::new(seed).below(sums.len() as u64) as usize];
            let text = program.text(&format!("sum != {sum}"));
            let (verdict, boogie) = support::run(&text);
            assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
        }
    });
}
