//! Stack space for recursive passes.
//!
//! Parsers bound the nesting of expressions, but the bound exceeds the default stack. So every recursive pass calls
//! [`grow`] at each level.

/// The stack space that must remain before a recursive call: more than one level of recursion needs.
const RED_ZONE: usize = 128 * 1024;
/// The size of the segment that is allocated otherwise.
const SEGMENT: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack space for one more level of recursion.
pub fn grow<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, f)
}
