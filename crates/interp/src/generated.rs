//! Random programs, which the tests of translations generate.

#[allow(dead_code, clippy::unwrap_used, reason = "shared with the tests of translations")]
#[path = "../../sequentialize/tests/support/generate.rs"]
pub(crate) mod generate;
#[allow(dead_code, reason = "shared with the tests of translations")]
#[path = "../../sequentialize/tests/support/random.rs"]
mod random;
