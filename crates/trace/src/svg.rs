//! The format `svg`: a picture for documents, with a lane for each task, a line for each step, and arrows for messages
//! and posts.

use std::fmt::Write;

use dally_explore::cut;
use dally_text::render::markup;
use dally_text::source::SourceMap;

use crate::arrows::{ArrowKind, Picture};
use crate::shorten::{Part, parts};
use crate::{End, Failed, Look, StatementKind, Trace, TraceStep};

/// Of longer traces, the first and the last steps are drawn.
const MOST: usize = 400;
/// Texts are cut to this length.
const LONGEST: usize = 30;
/// The height of a line, the width of a lane, and the margin on the left, in pixels.
const LINE: usize = 24;
const LANE: usize = 230;
const LEFT: usize = 60;
/// Where the first line begins.
const TOP: usize = 64;

/// The width of a character, rounded up.
const GLYPH: usize = 8;
/// The most lines for the message of a failure.
const MESSAGE: usize = 12;

const STYLE: &str = "text{font:12px ui-monospace,'DejaVu Sans Mono',monospace;fill:#1c2128;paint-order:stroke;stroke:#fff;stroke-width:4px}\
    .name{font-weight:bold;font-family:sans-serif}.dim{fill:#68707c}.delay{fill:#a35200}.choice{fill:#7a3fb0}\
    .failure{fill:#c01c28;font-weight:bold}.life{stroke:#d9dde3}.arrow{stroke:#38618c;fill:none;stroke-width:1.3}\
    .weak{stroke-dasharray:4 3}.lost{stroke:#c01c28}";

/// A picture as SVG.
pub fn svg(trace: &Trace, _: &SourceMap, _: &Look) -> String {
    let drawing = Drawing::of(trace);
    let width = LEFT + drawing.picture.lanes.len().max(1) * LANE + 20;
    let wrapped = wrap(&trace.failure, width / GLYPH);
    let height = drawing.bottom() + (wrapped.len() + 1) * LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}</style>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#38618c\"/></marker></defs>\n"
    );
    let conclusion = format!("{} {}", trace.failure.kind.mark(), trace.failure.message);
    text(&mut out, 12, 20, "failure", &cut(&conclusion, width / GLYPH));
    drawing.lanes(&mut out);
    drawing.arrows(&mut out);
    drawing.lines(&mut out);
    for (nth, line) in wrapped.iter().enumerate() {
        text(&mut out, 12, drawing.bottom() + (nth + 1) * LINE, "failure", line);
    }
    out.push_str("</svg>\n");
    out
}

/// A line of the picture.
struct Drawn {
    lane: usize,
    class: &'static str,
    number: Option<usize>,
    text: String,
}

struct Drawing {
    picture: Picture,
    lines: Vec<Drawn>,
    /// The line of each step that is drawn, by its index.
    line_of: Vec<Option<usize>>,
    /// The line of the statement that fails, if it is not that of its step.
    failed_line: Option<usize>,
}

impl Drawing {
    fn of(trace: &Trace) -> Self {
        let picture = Picture::of(trace);
        let line_of = vec![None; trace.steps.len()];
        let mut drawing = Drawing { picture, lines: Vec::new(), line_of, failed_line: None };
        for part in parts(trace, MOST) {
            match part {
                Part::Gap(text) => drawing.add(0, "dim", None, text),
                Part::Step(index, step) => drawing.step(index, step, trace),
            }
        }
        if trace.schedule.cycle.is_some() {
            drawing.add(0, "dim", None, "└─ back to the start of the cycle".to_owned());
        }
        drawing
    }

    fn add(&mut self, lane: usize, class: &'static str, number: Option<usize>, text: String) {
        self.lines.push(Drawn { lane, class, number, text });
    }

    fn lane(&self, task: u32) -> usize {
        self.picture.lanes.iter().position(|lane| lane.task == task).unwrap_or(0)
    }

    fn step(&mut self, index: usize, step: &TraceStep, trace: &Trace) {
        if trace.schedule.cycle == Some(step.number.saturating_sub(1)) {
            self.add(0, "dim", None, "┌─ cycle: these steps repeat for ever".to_owned());
        }
        for delayed in &step.delayed {
            self.add(self.lane(delayed.task), "delay", None, "~ delay".to_owned());
        }
        self.line_of[index] = Some(self.lines.len());
        let lane = self.lane(step.task);
        let class = if step.end == End::Fails { "failure" } else { "" };
        self.add(lane, class, Some(step.number), main_text(step));
        if step.end == End::Fails
            && let Some(last) = step.statements.last()
            && last.text != main_text(step)
        {
            self.failed_line = Some(self.lines.len());
            self.add(lane, class, None, last.text.clone());
        }
        for choice in step.statements.iter().filter(|entry| entry.kind == StatementKind::Choice) {
            self.add(lane, "choice", None, choice.text.clone());
        }
    }

    fn bottom(&self) -> usize {
        TOP + self.lines.len() * LINE
    }

    fn lanes(&self, out: &mut String) {
        for (index, lane) in self.picture.lanes.iter().enumerate() {
            text(out, x(index), TOP - 18, "name", &cut(&lane.title, LONGEST));
            let (x, top, bottom) = (x(index), TOP - 12, self.bottom());
            let _ =
                writeln!(out, "<line class=\"life\" x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{bottom}\"/>");
        }
    }

    fn arrows(&self, out: &mut String) {
        for arrow in &self.picture.arrows {
            let line = |step: usize| self.line_of.get(step).copied().flatten();
            let (Some(from), Some(to)) = (line(arrow.sent), arrow.received.map_or(line(arrow.sent), line))
            else {
                continue;
            };
            let class = match (arrow.fails, arrow.kind) {
                (true, _) => "arrow lost",
                (false, ArrowKind::Message) => "arrow",
                (false, ArrowKind::Create | ArrowKind::Post) => "arrow weak",
            };
            let (x1, x2) = (x(arrow.from), x(arrow.to));
            // An arrow begins below the text of its line, so that the text can be read.
            let begin = if arrow.fails { self.failed_line.unwrap_or(from) } else { from };
            let y1 = y(begin) + 6;
            let y2 = if from == to { y1 } else { y(to) - 4 };
            let marker = if arrow.fails { "" } else { " marker-end=\"url(#head)\"" };
            let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x1} {y1} L{x2} {y2}\"{marker}/>");
        }
    }

    fn lines(&self, out: &mut String) {
        for (nth, line) in self.lines.iter().enumerate() {
            if let Some(number) = line.number {
                text(out, 12, y(nth), "dim", &number.to_string());
            }
            text(out, x(line.lane) + 6, y(nth), line.class, &cut(&line.text, LONGEST));
        }
    }
}

fn x(lane: usize) -> usize {
    LEFT + lane * LANE
}

fn y(line: usize) -> usize {
    TOP + line * LINE + LINE / 2
}

/// The text of a step: the event that it takes or sends, or its first statement, or how it ends.
fn main_text(step: &TraceStep) -> String {
    let first = |kind| step.statements.iter().find(|entry| entry.kind == kind);
    let event = first(StatementKind::Dequeue).or_else(|| first(StatementKind::Send));
    let entry = event.or_else(|| first(StatementKind::Statement)).or(step.statements.first());
    match (entry, step.end) {
        (Some(entry), _) => entry.text.clone(),
        (None, End::Yields) => "yields".to_owned(),
        (None, End::Blocks { .. }) => "blocks".to_owned(),
        (None, End::Completes) => "terminates".to_owned(),
        (None, End::Fails) => "fails".to_owned(),
    }
}

/// The message of a failure, in lines of at most this many characters; long words are cut.
fn wrap(failure: &Failed, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![failure.kind.mark().to_string()];
    for word in failure.message.split_whitespace() {
        let word = cut(word, columns.saturating_sub(2));
        let full = lines.len() == MESSAGE;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(&word);
            }
            Some(line) if full => {
                line.push('…');
                break;
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines
}

/// Writes a text, escaped.
fn text(out: &mut String, x: usize, y: usize, class: &str, text: &str) {
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}", markup(&text.replace('\n', " ")));
    out.push_str("</text>\n");
}
