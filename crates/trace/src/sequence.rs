//! The format `sequence`: messages as a chart, with a column for each task and a line for each message.
//!
//! ```text
//!   Main(0)     Server(1)
//!      ├─ new ──────▶
//!      ├─ request ──▶
//!      │            ✗ request
//! ```
//!
//! The last line is the failure: the event that its task was handling, or the message whose sending failed.

use dally_explore::cut;

use crate::look::{Look, Page, Style};
use crate::{End, Message, StatementKind, TaskName, Trace};

/// The width of charts that are not for a terminal.
const WIDEST: usize = 150;
/// Messages are cut to this length.
const LONGEST: usize = 18;
/// If columns are narrower than this, the messages are shown as a list.
const NARROWEST: usize = 14;

/// The messages of a trace.
pub fn sequence(trace: &Trace, look: &Look) -> String {
    let mut page = Page::new(look);
    let trace = &*trace.shortened();
    if trace.messages.is_empty() {
        page.line(Style::Plain, "  no messages were sent");
    } else {
        chart(trace, look, &mut page);
    }
    page.finish()
}

/// A failure that belongs to no message: its task, and the event that the task was handling.
struct Failing {
    task: TaskName,
    event: String,
}

impl Failing {
    fn of(trace: &Trace) -> Option<Self> {
        let step = trace.steps.last().filter(|step| step.end == End::Fails)?;
        if trace.messages.last().is_some_and(|message| message.fails) {
            return None;
        }
        let taken = step.statements.iter().find(|entry| entry.kind == StatementKind::Dequeue);
        let event = taken.map_or("", |entry| entry.text.trim_start_matches("· dequeues "));
        let task = TaskName { task: step.task, name: step.name.clone() };
        Some(Failing { task, event: event.to_owned() })
    }
}

/// A chart of messages, or a list if the chart would be too wide.
pub(crate) fn chart(trace: &Trace, look: &Look, page: &mut Page) {
    let messages = &trace.messages;
    let failing = Failing::of(trace);
    let mut tasks: Vec<&TaskName> = Vec::new();
    let all = messages.iter().flat_map(|m| [&m.from, &m.to]).chain(failing.iter().map(|f| &f.task));
    for task in all {
        if !tasks.iter().any(|t| t.task == task.task) {
            tasks.push(task);
        }
    }
    let label = messages.iter().map(|m| cut(&m.text, LONGEST).chars().count()).max().unwrap_or(0);
    let name = tasks.iter().map(|t| t.name.chars().count()).max().unwrap_or(0);
    // The arrow to the next column has room for the message.
    let natural = (label + 6).max(name + 2);
    let available = look.width.unwrap_or(WIDEST).saturating_sub(2) / tasks.len().max(1);
    let width = natural.min(available);
    if width < NARROWEST.min(natural) {
        list(messages, failing.as_ref(), page);
    } else {
        Chart { tasks, width }.write(messages, failing.as_ref(), page);
    }
}

fn list(messages: &[Message], failing: Option<&Failing>, page: &mut Page) {
    for Message { from, to, text, fails, .. } in messages {
        let text = cut(text, LONGEST);
        if *fails {
            page.line(Style::Failure, &format!("  {} ─ {text} ✗ {}", from.name, to.name));
        } else {
            page.line(Style::Plain, &format!("  {} ─ {text} ▶ {}", from.name, to.name));
        }
    }
    if let Some(Failing { task, event }) = failing {
        page.line(Style::Failure, format!("  ✗ {} {}", task.name, cut(event, LONGEST)).trim_end());
    }
}

/// A chart with a column for each task.
struct Chart<'a> {
    tasks: Vec<&'a TaskName>,
    width: usize,
}

impl Chart<'_> {
    fn write(&self, messages: &[Message], failing: Option<&Failing>, page: &mut Page) {
        let Chart { tasks, width } = self;
        let header: String = tasks.iter().map(|t| format!("{:<width$}", cut(&t.name, width - 2))).collect();
        page.line(Style::Task, &format!("  {}", header.trim_end()));
        let mut alive = vec![false; tasks.len()];
        for message in messages {
            let (from, to) = (self.column(&message.from), self.column(&message.to));
            alive[from] = true;
            let mut line = self.lifelines(&alive);
            let text = cut(&message.text, LONGEST.min(width.saturating_sub(6)));
            draw(&mut line, from * width, to * width, &text, message.fails);
            let style = if message.fails { Style::Failure } else { Style::Plain };
            self.line(line, style, page);
            alive[to] = true;
        }
        if let Some(Failing { task, event }) = failing {
            let mut line = self.lifelines(&alive);
            let at = self.column(task) * width;
            put(&mut line, at, &format!("✗ {}", cut(event, LONGEST)));
            self.line(line, Style::Failure, page);
        }
    }

    fn column(&self, task: &TaskName) -> usize {
        self.tasks.iter().position(|t| t.task == task.task).unwrap_or(0)
    }

    fn lifelines(&self, alive: &[bool]) -> Vec<char> {
        let mut line = vec![' '; self.tasks.len() * self.width];
        for (i, _) in alive.iter().enumerate().filter(|(_, alive)| **alive) {
            line[i * self.width] = '│';
        }
        line
    }

    fn line(&self, line: Vec<char>, style: Style, page: &mut Page) {
        let line: String = line.into_iter().collect();
        page.line(style, &format!("  {}", line.trim_end()));
    }
}

/// Writes a text into a line from a column on.
fn put(line: &mut Vec<char>, at: usize, text: &str) {
    let text: Vec<char> = text.chars().collect();
    line.resize(line.len().max(at + text.len()), ' ');
    line[at..at + text.len()].copy_from_slice(&text);
}

/// Draws an arrow with the message on it.
fn draw(line: &mut Vec<char>, from: usize, to: usize, text: &str, fails: bool) {
    let (left, right) = (from.min(to), from.max(to));
    if left == right {
        return put(line, left + 2, &format!("{} {text}", if fails { '✗' } else { '↻' }));
    }
    line[left..=right].fill('─');
    let (rightwards, leftwards) = if fails { ('✗', '✗') } else { ('▶', '◀') };
    (line[from], line[to]) = if from < to { ('├', rightwards) } else { ('┤', leftwards) };
    put(line, left + 2, &format!(" {text} "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: u32, to: u32, text: &str) -> Message {
        let task = |n: u32| TaskName { task: n, name: format!("M({n})") };
        Message {
            from: task(from),
            to: task(to),
            text: text.to_owned(),
            step: 1,
            received: None,
            creates: false,
            fails: false,
        }
    }

    fn chart_of(messages: Vec<Message>, look: &Look) -> String {
        let mut trace = crate::text::tests::trace(None, 0);
        trace.messages = messages;
        sequence(&trace, look)
    }

    #[test]
    fn arrows_lead_from_column_to_column() {
        let messages = vec![message(0, 1, "a"), message(1, 0, "b"), message(1, 1, "c")];
        let chart = chart_of(messages, &Look::default());
        let expected = "  M(0)   M(1)\n  ├─ a ──▶\n  ◀─ b ──┤\n  │      │ ↻ c\n";
        assert_eq!(chart, expected);
    }

    #[test]
    fn a_message_that_fails_does_not_arrive() {
        let fails = |message| Message { fails: true, ..message };
        let chart = chart_of(vec![message(0, 1, "a"), fails(message(1, 0, "b"))], &Look::default());
        assert_eq!(chart, "  M(0)   M(1)\n  ├─ a ──▶\n  ✗─ b ──┤\n");
    }

    #[test]
    fn a_chart_is_fitted_or_becomes_a_list() {
        let many: Vec<Message> = (0..40).map(|n| message(n, n + 1, "event")).collect();
        assert!(chart_of(many, &Look::default()).starts_with("  M(0) ─ event ▶ M(1)\n"));
        let few = || (0..3).map(|n| message(n, n + 1, "a_long_event_name")).collect();
        let widest = |width| {
            let chart = chart_of(few(), &Look { width: Some(width), colours: false });
            chart.lines().map(|line| line.chars().count()).max()
        };
        assert_eq!(widest(150), Some(2 + 3 * 23 + 4));
        assert!(widest(80).is_some_and(|widest| widest <= 80));
        assert!(widest(60).is_some_and(|widest| widest <= 60));
    }
}
