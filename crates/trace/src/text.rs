//! The format `text`: which task ran when, where the delays were spent, and which variables changed.
//!
//! Consecutive steps of one task form one block. Each statement has its line number on the left and its assignments on
//! the right.

use crate::left_out::are_left_out;
use crate::sequence;
use crate::{Change, End, Kind, Statement, TaskName, Trace, TraceStep};

/// The column at which changes are shown, if the statement leaves room.
const CHANGES_AT: usize = 52;

/// A trace for people. Control characters of the trace are not escaped.
pub fn text(trace: &Trace) -> String {
    let mut out = given(trace);
    if trace.schedule.cycle.is_some_and(|from| from > 0) {
        out.push_str("  ── stem\n");
    }
    let after = trace.left_out.map_or(trace.steps.len(), |left_out| left_out.after.min(trace.steps.len()));
    let (first, last) = trace.steps.split_at(after);
    let resumed = after + trace.left_out.map_or(0, |left_out| left_out.steps);
    out.push_str(&steps(trace, first, 0));
    out.push_str(&gap(trace, after, resumed));
    out.push_str(&steps(trace, last, resumed));
    if trace.schedule.cycle.is_some() {
        out.push_str("  └─ back to the start of the cycle\n");
    }
    out.push_str(&conclusion(trace));
    if !trace.messages.is_empty() {
        out.push('\n');
        if leaves_out(trace) {
            out.push_str("  messages of the steps shown:\n");
        }
        out.push_str(&sequence::chart(&trace.messages));
    }
    out
}

/// Marks the first step of a cycle.
const CYCLE: &str = "  ┌─ cycle: these steps repeat for ever\n";

/// Consecutive steps, the first of which is step `from` of the schedule.
fn steps(trace: &Trace, steps: &[TraceStep], from: usize) -> String {
    let mut out = String::new();
    let mut last: Option<&TraceStep> = None;
    let several = several_files(trace);
    for (nth, step) in (from..).zip(steps) {
        if trace.schedule.cycle == Some(nth) {
            out.push_str(CYCLE);
            last = None;
        }
        for delayed in &step.delayed {
            out.push_str(&format!("  ~ delay: {}\n", name(delayed)));
        }
        let again = last.is_some_and(|l| l.task == step.task) && step.delayed.is_empty();
        if !again {
            out.push_str(&format!("  {} (task {})\n", step.name, step.task));
        }
        for statement in &step.statements {
            out.push_str(&line(statement, several));
        }
        if let Some(note) = note(step) {
            out.push_str(&format!("         {note}\n"));
        }
        last = Some(step);
    }
    out
}

/// The placeholder for steps that are left out. A cycle may begin among them.
fn gap(trace: &Trace, from: usize, to: usize) -> String {
    let missing = |many: usize| match many {
        0 => String::new(),
        many => format!("  {}\n", are_left_out(many, "step")),
    };
    match trace.schedule.cycle.filter(|cycle| (from..to).contains(cycle)) {
        Some(cycle) => missing(cycle - from) + CYCLE + &missing(to - cycle),
        None => missing(to - from),
    }
}

/// True if steps or statements are left out.
fn leaves_out(trace: &Trace) -> bool {
    let mut statements = trace.steps.iter().flat_map(|step| &step.statements);
    trace.left_out.is_some() || statements.any(|statement| statement.left_out.is_some())
}

/// The values that come from outside the program.
fn given(trace: &Trace) -> String {
    // Solvers may give values to hundreds of terms.
    const MOST: usize = 20;
    if trace.given.is_empty() {
        return String::new();
    }
    let shown = trace.given.iter().take(MOST).map(|g| format!("{} = {}", g.term, g.value));
    let shown: Vec<String> = shown.collect();
    let rest = if trace.given.len() > MOST { ", …" } else { "" };
    format!("  where {}{rest}\n", shown.join(", "))
}

fn several_files(trace: &Trace) -> bool {
    trace.program.files.len() > 1
}

fn name(task: &TaskName) -> String {
    format!("{} (task {})", task.name, task.task)
}

fn line(statement: &Statement, several: bool) -> String {
    let number = match &statement.location {
        Some(l) if several => format!("{}:{}", l.file, l.line),
        Some(l) => l.line.to_string(),
        None => String::new(),
    };
    let indent = "  ".repeat(statement.depth.saturating_sub(1).min(10));
    let mut text = format!("    {number:>4}   {indent}{}", statement.text);
    let mut notes: Vec<String> = statement.changes.iter().map(change).collect();
    notes.extend(statement.posts.iter().map(|t| format!("posts {}", name(t))));
    if !notes.is_empty() {
        let width = text.chars().count();
        text.push_str(&" ".repeat(CHANGES_AT.saturating_sub(width).max(2)));
        text.push_str(&notes.join(", "));
    }
    text.push('\n');
    text
}

fn change(change: &Change) -> String {
    format!("{} = {}", change.variable, change.value)
}

fn note(step: &TraceStep) -> Option<String> {
    match step.end {
        End::Blocks { task: Some(task) } => Some(format!("… blocks on task {task}")),
        End::Blocks { task: None } => Some("… blocks".to_owned()),
        End::Completes => Some("… terminates".to_owned()),
        End::Yields | End::Fails => None,
    }
}

fn conclusion(trace: &Trace) -> String {
    let mark = match trace.failure.kind {
        Kind::Assertion => "✗",
        Kind::Deadlock => "✗ deadlock:",
        Kind::Liveness => "✗ liveness:",
        Kind::Runtime => "✗ run-time error:",
    };
    let mut out = format!("  {mark} {}\n", trace.failure.message);
    if !trace.globals.is_empty() {
        let globals: Vec<String> = trace.globals.iter().map(change).collect();
        out.push_str(&format!("    with {}\n", globals.join(", ")));
    }
    trace.notes.iter().for_each(|note| out.push_str(&format!("    {note}\n")));
    out
}

#[cfg(test)]
mod tests {
    use dally_explore::{FailureKind, Schedule, Step, StrategyName, TaskId};

    use super::*;
    use crate::{Failed, LeftOut, Source, VERSION};

    /// A lasso of two steps, and of those that are left out between them.
    fn trace(left_out: Option<LeftOut>, cycle: usize) -> Trace {
        let task = TaskName { task: 0, name: "main".to_owned() };
        let step = |end| TraceStep {
            task: task.task,
            name: task.name.clone(),
            delayed: Vec::new(),
            statements: Vec::new(),
            end,
        };
        let steps = 2 + left_out.map_or(0, |left_out| left_out.steps);
        Trace {
            version: VERSION,
            program: Source::default(),
            failure: Failed { kind: FailureKind::Liveness.into(), message: "m".to_owned(), location: None },
            cost: 0,
            schedule: Schedule {
                steps: vec![Step::new(TaskId(0), 0); steps],
                cycle: Some(cycle),
                ..Schedule::new(StrategyName::Exhaustive)
            },
            unfair: false,
            steps: vec![step(End::Yields), step(End::Completes)],
            left_out,
            globals: Vec::new(),
            given: Vec::new(),
            solved: false,
            inputs: None,
            messages: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn lines(left_out: Option<LeftOut>, cycle: usize) -> String {
        let text = text(&trace(left_out, cycle));
        let short = text.lines().map(|line| match line.trim() {
            line if line.starts_with('┌') => "cycle",
            line => line,
        });
        let lines: Vec<&str> = short.filter(|line| !line.starts_with(['─', '└', '✗'])).collect();
        lines.join("|")
    }

    #[test]
    fn a_cycle_is_marked_at_its_first_step_even_if_that_is_left_out() {
        let left_out = Some(LeftOut { after: 1, steps: 1000 });
        assert_eq!(lines(None, 1), "main (task 0)|cycle|main (task 0)|… terminates");
        let all = "main (task 0)|cycle|… 1,000 steps are left out …|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 1), all);
        let some = "main (task 0)|… 1 step is left out …|cycle|… 999 steps are left out …|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 2), some);
        let none = "main (task 0)|… 1,000 steps are left out …|cycle|main (task 0)|… terminates";
        assert_eq!(lines(left_out, 1001), none);
    }
}
