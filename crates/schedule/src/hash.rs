//! Pseudo-random numbers as functions of their arguments, since the state of a scheduler is a plain value.

/// A well mixed function of two numbers (the finaliser of SplitMix64, twice).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    scramble(scramble(a).wrapping_add(b).wrapping_add(0x9e37_79b9_7f4a_7c15))
}

fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
