//! The format `mermaid`: a sequence diagram for documents, as Markdown renderers draw it.

use std::fmt::Write;

use crate::arrows::{Arrow, ArrowKind, Picture};
use crate::shorten::{Part, parts};
use crate::{End, Look, Statement, StatementKind, Trace, TraceStep};
use dally_explore::cut;
use dally_text::render::printable;
use dally_text::source::SourceMap;

/// Renderers refuse diagrams of many thousand lines: of longer traces, the first and the last steps are drawn.
const MOST: usize = 300;
/// Texts are cut to this length.
const LONGEST: usize = 60;

/// A sequence diagram in the notation of Mermaid.
pub fn mermaid(trace: &Trace, _: &SourceMap, _: &Look) -> String {
    let picture = Picture::of(trace);
    let mut out = String::from("sequenceDiagram\n");
    for (index, lane) in picture.lanes.iter().enumerate() {
        let _ = writeln!(out, "    participant t{index} as {}", escaped(&lane.title));
    }
    let mut arrows = picture.arrows.iter().peekable();
    let all = picture.lanes.len().saturating_sub(1);
    for part in parts(trace, MOST) {
        match part {
            Part::Gap(text) => {
                let _ = writeln!(out, "    Note over t0,t{all}: {}", escaped(&text));
            }
            Part::Step(index, step) => {
                while arrows.next_if(|arrow| arrow.sent < index).is_some() {}
                let own: Vec<&Arrow> = std::iter::from_fn(|| arrows.next_if(|a| a.sent == index)).collect();
                write_step(&picture, step, &own, &mut out);
            }
        }
    }
    let _ = writeln!(
        out,
        "    Note over t0,t{all}: {} {}",
        trace.failure.kind.mark(),
        escaped(&trace.failure.message)
    );
    out
}

fn write_step(picture: &Picture, step: &TraceStep, arrows: &[&Arrow], out: &mut String) {
    let lane = |task: u32| picture.lanes.iter().position(|lane| lane.task == task).unwrap_or(0);
    for delayed in &step.delayed {
        let _ = writeln!(out, "    Note over t{}: step {} delays this task", lane(delayed.task), step.number);
    }
    let at = lane(step.task);
    for (nth, statement) in step.statements.iter().enumerate() {
        let mut sent = arrows.iter().filter(|arrow| arrow.statement == nth).peekable();
        if sent.peek().is_none() && is_worth_a_note(statement) {
            let _ = writeln!(out, "    Note right of t{at}: {}", escaped(&told(statement)));
        }
        for Arrow { from, to, kind, text, fails, .. } in sent {
            let line = match (fails, kind) {
                (true, _) => "-x",
                (false, ArrowKind::Message) => "->>",
                (false, ArrowKind::Create | ArrowKind::Post) => "-->>",
            };
            let text = if *kind == ArrowKind::Post { format!("posts {text}") } else { text.clone() };
            let _ = writeln!(out, "    t{from}{line}t{to}: {}", escaped(&text));
        }
    }
    if step.end == End::Fails {
        let _ = writeln!(out, "    Note right of t{at}: ✗ step {} fails", step.number);
    }
}

/// Notes are for choices and for statements that change shared variables: others would hide the messages.
fn is_worth_a_note(statement: &Statement) -> bool {
    statement.kind == StatementKind::Choice || statement.changes.iter().any(|change| change.shared)
}

/// A statement with the values that it changes.
fn told(statement: &Statement) -> String {
    let changes = statement.changes.iter().filter(|change| change.shared);
    let changes: Vec<String> =
        changes.map(|change| format!("{} = {}", change.variable, change.value)).collect();
    if changes.is_empty() { statement.text.clone() } else { changes.join(", ") }
}

/// A text for a diagram. Characters that Mermaid or a page could interpret become entity codes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(&cut(text, LONGEST)).chars() {
        match c {
            '\n' => out.push(' '),
            ' ' | '_' | '.' | ',' | '=' | '(' | ')' | '+' | '\u{fffd}' => out.push(c),
            c if c.is_alphanumeric() || !c.is_ascii() => out.push(c),
            c => {
                let _ = write!(out, "#{};", c as u32);
            }
        }
    }
    if out.trim().is_empty() { "#32;".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_line() {
        assert_eq!(escaped("a; b\n<c>#1"), "a#59; b #60;c#62;#35;1");
        assert_eq!(escaped("\u{202e}x%%{init}"), "\u{fffd}x#37;#37;#123;init#125;");
        assert_eq!(escaped(""), "#32;");
    }
}
