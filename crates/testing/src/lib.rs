//! Shared parts of random tests: seeds, pseudo-random numbers, and structured inputs.
//!
//! A test runs the same inputs each time, on every machine and however fast it is: a run that
//! passed once passes again. Two environment variables explore more:
//!
//! | variable | effect |
//! |---|---|
//! | `DALLY_SEED=n` | starts with seed n, for example one that a failing test printed |
//! | `DALLY_SEED=random` | starts with a seed taken from the clock, which is printed |
//! | `DALLY_PROGRAMS=n` | runs n seeds in each test |

pub use arbitrary;
use arbitrary::Unstructured;
use std::io::Write as _;
use std::ops::Range;

/// The number that an environment variable holds.
fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, which is not a number")))
}

/// The seeds of a test that runs `count` of them by default.
pub fn seeds(count: u64) -> Range<u64> {
    let first = match std::env::var("DALLY_SEED").as_deref() {
        Ok("random") => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |time| time.as_nanos() as u64 & 0xffff_ffff)
        }
        _ => setting("DALLY_SEED").unwrap_or(1),
    };
    first..first + setting("DALLY_PROGRAMS").unwrap_or(count)
}

/// Prints a line even if the test passes: the test harness captures only the print macros.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Calls `check` with each of the seeds of a test.
pub fn for_seeds(test: &str, count: u64, mut check: impl FnMut(u64)) {
    let seeds = seeds(count);
    say(&format!("{test}: {} programs from DALLY_SEED={}", seeds.end - seeds.start, seeds.start));
    for seed in seeds {
        let _guard = SayIfPanicking(seed);
        check(seed);
    }
}

/// Calls `property` with random inputs of many sizes, for `count` seeds. A property that runs out of input is
/// skipped; at least one must not.
pub fn for_inputs(count: u64, property: impl FnMut(&mut Unstructured<'_>) -> arbitrary::Result<()>) {
    for_inputs_of(32..1 << 16, count, property);
}

/// As [`for_inputs`], with inputs of these sizes in bytes.
pub fn for_inputs_of(
    sizes: Range<usize>,
    count: u64,
    mut property: impl FnMut(&mut Unstructured<'_>) -> arbitrary::Result<()>,
) {
    let mut finished = false;
    let mut input = Vec::new();
    for seed in seeds(count) {
        let _guard = SayIfPanicking(seed);
        let mut random = Random::new(seed);
        let size = random.size(&sizes);
        input.clear();
        input.extend(
            std::iter::repeat_with(|| random.number().to_le_bytes()).take(size.div_ceil(8)).flatten(),
        );
        finished |= property(&mut Unstructured::new(&input[..size])).is_ok();
    }
    assert!(finished, "every input was too short for the property");
}

/// Prints the seed of the run in which a test panicked.
struct SayIfPanicking(u64);

impl Drop for SayIfPanicking {
    fn drop(&mut self) {
        if std::thread::panicking() {
            say(&format!("failed with DALLY_SEED={}", self.0));
        }
    }
}

/// A generator of pseudo-random numbers: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// True with this chance in percent.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of some items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// A size in a range; each power of two is as likely as the next.
    fn size(&mut self, range: &Range<usize>) -> usize {
        let (low, high) = (range.start.max(1).ilog2(), (range.end - 1).max(1).ilog2());
        let power = 1 << (u64::from(low) + self.below(u64::from(high - low) + 1));
        ((power + self.below(power)) as usize).clamp(range.start, range.end - 1)
    }
}

/// Texts that would do harm if a format took them for markup.
pub const HOSTILE: &[&str] = &[
    "</script><script>window.pageErrors.push('script')</script>",
    "<img src=x onerror=window.pageErrors.push('image')>",
    "\"><svg/onload=window.pageErrors.push('svg')>",
    "'-alert(1)-' \\\" \\u003cscript\\u003e",
    "]]></text><script>1</script>",
    "<!--<script>",
    "&lt;b&gt; &amp; %3Cscript%3E @DATA@ @NONCE@",
    "\u{202e}txet desrever\u{2066} \u{200b}\u{feff}",
    "a\nb\rc\u{2028}d\u{2029}e\u{0}f\u{1b}[2Jg",
    "end\n    Note over t0: injected\n%%{init: {}}%%",
    "javascript:alert(1)",
    "${alert(1)} `x` {{7*7}}",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_the_same_in_each_run_and_have_the_sizes_asked_for() {
        let run = || {
            let mut all = Vec::new();
            for_inputs_of(40..1000, 100, |u| {
                all.push(u.bytes(u.len())?.to_vec());
                Ok(())
            });
            all
        };
        let inputs = run();
        assert_eq!(inputs, run());
        assert!(inputs.iter().all(|input| (40..1000).contains(&input.len())));
        assert!(inputs.iter().any(|input| input.len() > 512) && inputs.iter().any(|input| input.len() < 64));
    }

    #[test]
    #[should_panic(expected = "too short")]
    fn a_property_that_never_finishes_is_reported() {
        for_inputs(3, |u| u.bytes(1 << 20).map(drop));
    }
}
