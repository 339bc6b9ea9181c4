//! Seeds and random numbers.

pub(crate) use dally_testing::Random;

/// Calls `f` for many seeds; `f` returns false for a program that is too large to decide.
pub(crate) fn for_seeds(test: &str, programs: u64, mut f: impl FnMut(u64) -> bool) {
    let (mut run, mut decided) = (0, 0);
    dally_testing::for_seeds(test, programs, |seed| {
        run += 1;
        decided += u64::from(f(seed));
    });
    assert!(10 * decided >= 6 * run, "{test}: only {decided} of {run} programs were small enough");
}
