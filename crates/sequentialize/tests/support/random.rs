//! Seeds and random numbers.

use std::io::Write;

/// SplitMix64.
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// With a chance in percent.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// The number in an environment variable.
fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, not a number")))
}

/// Shows a line, past the test harness, which hides what passing tests print.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stderr();
    writeln!(out, "{line}").unwrap();
}

/// Calls `f` for many seeds, which it prints, so that a run can be repeated: `DALLY_SEED=n cargo test name`.
/// `DALLY_PROGRAMS=n` sets how many there are. `f` says whether it could tell: some programs are too large.
pub(crate) fn for_seeds(test: &str, programs: u64, mut f: impl FnMut(u64) -> bool) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let first = setting("DALLY_SEED").unwrap_or(now.as_nanos() as u64 & 0xffff_ffff);
    let programs = setting("DALLY_PROGRAMS").unwrap_or(programs);
    say(&format!("{test}: {programs} programs from DALLY_SEED={first}"));
    let told = (first..first + programs).filter(|seed| f(*seed)).count() as u64;
    assert!(10 * told >= 6 * programs, "{test}: only {told} of {programs} programs were small enough");
}
