//! Room on the stack for recursive passes.
//!
//! The parser bounds how deep expressions nest, but that deep they may nest: whatever recurs over them calls
//! [`grow`] at each level.

/// What must be left before a recursive call: more than any one level of recursion needs.
const RED_ZONE: usize = 128 * 1024;
/// How much is added when it is not.
const SEGMENT: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack left for one more level of recursion.
pub fn grow<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, f)
}
