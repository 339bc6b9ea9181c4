//! A trace as text: one glance shows which task ran when, where the delays were spent, and what changed.
//!
//! Consecutive steps of one task are one block. To the left stand the lines of the file, to the right what a
//! statement changed.

use crate::sequence::sequence;
use crate::{Change, End, Kind, Statement, TaskName, Trace, TraceStep};

/// The column at which changes are shown, if the statement leaves room.
const CHANGES_AT: usize = 52;

/// Shows a trace. The text is plain; control characters in it are those of the trace.
pub fn text(trace: &Trace) -> String {
    let mut out = String::new();
    let mut last: Option<&TraceStep> = None;
    let several = several_files(trace);
    out.push_str(&given(trace));
    if trace.schedule.cycle.is_some_and(|from| from > 0) {
        out.push_str("  ── the stem: how to get there\n");
    }
    for (nth, step) in trace.steps.iter().enumerate() {
        if trace.schedule.cycle == Some(nth) {
            out.push_str("  ┌─ the loop: from here on for ever\n");
            last = None;
        }
        for delayed in &step.delayed {
            out.push_str(&format!("  ~ delay: {} is put off\n", name(delayed)));
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
    if trace.schedule.cycle.is_some() {
        out.push_str("  └─ back to the beginning of the loop\n");
    }
    out.push_str(&conclusion(trace));
    if !trace.messages.is_empty() {
        out.push('\n');
        out.push_str(&sequence(&trace.messages));
    }
    out
}

/// What constants and functions are, before anything happens.
fn given(trace: &Trace) -> String {
    // More than anyone reads.
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
        End::Blocks { task: Some(task) } => Some(format!("… waits for task {task}")),
        End::Blocks { task: None } => Some("… waits".to_owned()),
        End::Completes => Some("… ends".to_owned()),
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
