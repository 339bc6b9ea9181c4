//! The format `svg`: a picture for documents, with a lane for each task, a line for each step, and arrows for messages
//! and posts.

use std::fmt::Write;

use dally_explore::cut;
use dally_text::render::markup;
use dally_text::source::SourceMap;

use crate::arrows::{ArrowKind, Picture};
use crate::shorten::{Part, parts};
use crate::{End, Look, StatementKind, Trace, TraceStep};

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

const STYLE: &str = "text{font:12px ui-monospace,'DejaVu Sans Mono',monospace;fill:#1c2128;paint-order:stroke;stroke:#fff;stroke-width:4px}\
    .name{font-weight:bold;font-family:sans-serif}.dim{fill:#68707c}.delay{fill:#a35200}.choice{fill:#7a3fb0}\
    .failure{fill:#c01c28;font-weight:bold}.life{stroke:#d9dde3}.arrow{stroke:#38618c;fill:none;stroke-width:1.3}\
    .weak{stroke-dasharray:4 3}.lost{stroke:#c01c28}";

/// A picture as SVG.
pub fn svg(trace: &Trace, _: &SourceMap, _: &Look) -> String {
    let drawing = Drawing::of(trace);
    let (width, height) = (LEFT + drawing.picture.lanes.len().max(1) * LANE + 20, drawing.bottom() + 40);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}</style>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#38618c\"/></marker></defs>\n"
    );
    text(
        &mut out,
        12,
        20,
        "failure",
        &format!("{} {}", trace.failure.kind.mark(), cut(&trace.failure.message, width / 8)),
    );
    drawing.lanes(&mut out);
    drawing.arrows(&mut out);
    drawing.lines(&mut out);
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
}

impl Drawing {
    fn of(trace: &Trace) -> Self {
        let picture = Picture::of(trace);
        let mut drawing = Drawing { picture, lines: Vec::new(), line_of: vec![None; trace.steps.len()] };
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
            let (y1, y2) = (y(from) - 4, y(to) - if from == to { 0 } else { 4 });
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

/// Writes a text, escaped.
fn text(out: &mut String, x: usize, y: usize, class: &str, text: &str) {
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}", markup(&text.replace('\n', " ")));
    out.push_str("</text>\n");
}
