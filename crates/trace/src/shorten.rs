//! The steps of a picture that has room for some of them: the first and the last.

use crate::left_out::are_left_out;
use crate::{Trace, TraceStep};

/// A part of a picture.
pub(crate) enum Part<'a> {
    /// A step, with its index among those of the trace.
    Step(usize, &'a TraceStep),
    /// Says how many steps are left out.
    Gap(String),
}

/// At most `most` steps of a trace, with a placeholder for those between them.
pub(crate) fn parts(trace: &Trace, most: usize) -> Vec<Part<'_>> {
    let (all, half) = (trace.steps.len(), most / 2);
    let (before, after) = if all > most { (half, all - half) } else { (all, all) };
    let mut parts = Vec::new();
    let mut last: usize = 0;
    for (index, step) in
        trace.steps.iter().enumerate().filter(|(index, _)| *index < before || *index >= after)
    {
        if step.number > last.saturating_add(1) {
            parts.push(Part::Gap(are_left_out(step.number - last - 1, "step")));
        }
        last = step.number;
        parts.push(Part::Step(index, step));
    }
    parts
}
