//! Random programs compute what the system's C compiler makes of them.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/random.rs"]
mod random;
mod support;

use compiled::{compiled, with_check};
use dally_explore::Verdict;
use random::Program;

/// Programs that are compiled together.
const BATCH: u64 = 20;

#[test]
fn random_programs_agree_with_the_compiler() {
    let all = dally_testing::seeds(60);
    for batch in all.clone().step_by(BATCH as usize) {
        let seeds: Vec<u64> = (batch..all.end.min(batch + BATCH)).collect();
        let programs: Vec<String> = (0..).zip(&seeds).map(|(n, seed)| Program::text(*seed, n)).collect();
        let results = compiled(&programs, batch);
        assert_eq!(results.len(), programs.len(), "a program from seed {batch} on does not end well");
        for (n, (program, expected)) in (0..).zip(programs.iter().zip(results)) {
            let seed = seeds[n as usize];
            let text = with_check(program, n, expected);
            let (verdict, boogie) = support::run(&text);
            assert!(matches!(verdict, Verdict::Proved), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
            let (verdict, _) = support::run(&with_check(program, n, expected.wrapping_add(1)));
            assert!(matches!(verdict, Verdict::Bug(_)), "seed {seed}: {verdict:?}\n{text}");
        }
    }
}
