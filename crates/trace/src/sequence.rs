//! The format `sequence`: messages as a chart, with a column for each task and a line for each message.
//!
//! ```text
//!   Main(0)     Server(1)
//!      ├─ new ──────▶
//!      ├─ request ──▶
//! ```

use std::fmt::Write;

use dally_explore::cut;

use crate::{Message, TaskName, Trace};

/// Charts wider than this are shown as lists.
const WIDEST: usize = 150;
/// Messages are cut to this length.
const LONGEST: usize = 18;

/// The messages of a trace.
pub fn sequence(trace: &Trace) -> String {
    match &trace.messages[..] {
        [] => "  no messages were sent\n".to_owned(),
        messages => chart(messages),
    }
}

/// A chart of messages, or a list if the chart would be too wide.
pub(crate) fn chart(messages: &[Message]) -> String {
    let mut tasks: Vec<&TaskName> = Vec::new();
    for task in messages.iter().flat_map(|m| [&m.from, &m.to]) {
        if !tasks.iter().any(|t| t.task == task.task) {
            tasks.push(task);
        }
    }
    let label = messages.iter().map(|m| cut(&m.text, LONGEST).chars().count()).max().unwrap_or(0);
    let name = tasks.iter().map(|t| t.name.chars().count()).max().unwrap_or(0);
    // The arrow to the next column has room for the message.
    let width = (label + 6).max(name + 2);
    if tasks.len() * width > WIDEST { list(messages) } else { columns(messages, &tasks, width) }
}

fn list(messages: &[Message]) -> String {
    let mut out = String::new();
    for Message { from, to, text, .. } in messages {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {} ─ {} ▶ {}", from.name, cut(text, LONGEST), to.name);
    }
    out
}

fn columns(messages: &[Message], tasks: &[&TaskName], width: usize) -> String {
    let mut out = String::new();
    let header: String = tasks.iter().map(|t| format!("{:<width$}", t.name)).collect();
    let _ = writeln!(out, "  {}", header.trim_end());
    let column = |task: u32| tasks.iter().position(|t| t.task == task).unwrap_or(0);
    let mut alive = vec![false; tasks.len()];
    for message in messages {
        let (from, to) = (column(message.from.task), column(message.to.task));
        alive[from] = true;
        let mut line: Vec<char> = vec![' '; tasks.len() * width];
        for (i, _) in alive.iter().enumerate().filter(|(_, alive)| **alive) {
            line[i * width] = '│';
        }
        draw(&mut line, from * width, to * width, &cut(&message.text, LONGEST));
        let line: String = line.into_iter().collect();
        let _ = writeln!(out, "  {}", line.trim_end());
        alive[to] = true;
    }
    out
}

/// Draws an arrow with the message on it.
fn draw(line: &mut Vec<char>, from: usize, to: usize, text: &str) {
    let (left, right) = (from.min(to), from.max(to));
    if left == right {
        let label: Vec<char> = format!("↻ {text}").chars().collect();
        line.resize(line.len().max(left + 2 + label.len()), ' ');
        line[left + 2..left + 2 + label.len()].copy_from_slice(&label);
        return;
    }
    line[left..=right].fill('─');
    (line[from], line[to]) = if from < to { ('├', '▶') } else { ('┤', '◀') };
    for (place, c) in line[left + 2..].iter_mut().zip(format!(" {text} ").chars()) {
        *place = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: u32, to: u32, text: &str) -> Message {
        let task = |n: u32| TaskName { task: n, name: format!("M({n})") };
        Message { from: task(from), to: task(to), text: text.to_owned(), creates: false }
    }

    #[test]
    fn arrows_lead_from_column_to_column() {
        let chart = chart(&[message(0, 1, "a"), message(1, 0, "b"), message(1, 1, "c")]);
        let expected = "  M(0)   M(1)\n  ├─ a ──▶\n  ◀─ b ──┤\n  │      │ ↻ c\n";
        assert_eq!(chart, expected);
    }

    #[test]
    fn a_chart_that_is_too_wide_becomes_a_list() {
        let many: Vec<Message> = (0..40).map(|n| message(n, n + 1, "event")).collect();
        assert!(chart(&many).starts_with("  M(0) ─ event ▶ M(1)\n"));
    }
}
