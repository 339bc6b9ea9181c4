//! The summary on top of a trace: where the schedule deviates from the scheduler's order, and which values are chosen.

use crate::look::{Page, Style};
use crate::text::{Places, name};
use crate::{StatementKind, Trace};
use dally_explore::count;

/// Longer summaries are cut.
const MOST: usize = 12;

impl Trace {
    /// Numbers the steps of a trace that was written without numbers.
    pub(crate) fn number_steps(&mut self) {
        let (after, missing) = self.left_out.map_or((usize::MAX, 0), |gap| (gap.after, gap.steps));
        for (nth, step) in self.steps.iter_mut().enumerate() {
            step.number = if nth < after { nth + 1 } else { (nth + 1).saturating_add(missing) };
        }
    }
}

/// Writes the delays and choices of a trace, if there are any.
pub(crate) fn summary(trace: &Trace, places: &Places, page: &mut Page) {
    let (mut delays, mut choices, mut lines) = (0, 0, Vec::new());
    for step in &trace.steps {
        let number = step.number;
        if !step.delayed.is_empty() {
            let delayed: Vec<String> = step.delayed.iter().map(name).collect();
            delays += delayed.len();
            lines.push(format!("step {number} delays {}", delayed.join(", ")));
        }
        for statement in step.statements.iter().filter(|entry| entry.kind == StatementKind::Choice) {
            choices += 1;
            let at = statement.location.as_ref().map_or(String::new(), |at| match places.show(at) {
                line if line.chars().all(|c| c.is_ascii_digit()) => format!(" in line {line}"),
                place => format!(" at {place}"),
            });
            lines.push(format!("step {number} {}{at}", statement.text.trim_start_matches("· ")));
        }
    }
    if lines.is_empty() {
        return;
    }
    let many = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{} {what}s", count(n)),
    };
    let counts = [many(trace.schedule.steps.len(), "step")].into_iter();
    let counts = counts.chain((delays > 0).then(|| many(delays, "delay")));
    let counts: Vec<String> = counts.chain((choices > 0).then(|| many(choices, "choice"))).collect();
    let shown = if trace.left_out.is_some() { " in the steps shown" } else { "" };
    page.line(Style::Plain, &format!("  {}{shown}:", counts.join(", ")));
    for line in lines.iter().take(MOST) {
        page.line(Style::Deviation, &format!("    {line}"));
    }
    if lines.len() > MOST {
        page.line(Style::Plain, &format!("    … and {} more", count(lines.len() - MOST)));
    }
    page.end_line();
}
