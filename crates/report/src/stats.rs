//! Statistics of a search: a row for each bound, as CSV and as a plot; and where each part of the program was reached
//! first.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::Duration;

use dally_explore::{Explored, StateCoverage, count};
use dally_trace::CoverageItem;

use crate::coverage::{First, Part};

/// The numbers of a search when a bound was complete, or when the search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The strategy of the search.
    pub strategy: String,
    /// The bound.
    pub bound: u32,
    /// True if the bound was explored completely.
    pub complete: bool,
    /// The states visited so far.
    pub states: usize,
    /// The transitions taken so far.
    pub transitions: u64,
    /// The states left for the next bound.
    pub frontier: usize,
    /// The time so far.
    pub elapsed: Duration,
    /// The most bytes that the search has held so far, as it counts them.
    pub bytes: usize,
    /// The parts of the program reached so far.
    pub reached: usize,
    /// The parts of them that were reached since the row before.
    pub new: usize,
}

/// Records what a search reaches, and when. Shared by the threads of a search.
#[derive(Debug, Default)]
pub struct Recorder(Mutex<Records>);

/// The records of a search.
#[derive(Debug, Default)]
struct Records {
    /// By part of the program.
    first: Vec<Option<First>>,
    rows: Vec<Row>,
    /// By strategy: the last bound that has a row.
    completed: BTreeMap<String, u32>,
    /// The number of parts reached at the last row.
    at_row: usize,
}

impl Recorder {
    /// A part of a search is over. `items` are the parts of the program.
    pub fn explored(&self, explored: &Explored<'_>, items: &[CoverageItem], elapsed: Duration) {
        let mut records = self.lock();
        records.reach(items, First::Bound(explored.cost));
        let strategy = explored.strategy.to_string();
        let Some(bound) = explored.coverage.completed_bound else { return };
        if records.completed.get(&strategy).is_none_or(|last| *last < bound) {
            records.completed.insert(strategy.clone(), bound);
            records.row(strategy, bound, true, explored.coverage, elapsed);
        }
    }

    /// Executions were sampled.
    pub fn sampled(&self, items: &[CoverageItem]) {
        self.lock().reach(items, First::Sample);
    }

    /// The rows. A bound that was not completed has a row of its own.
    pub fn rows(&self, last: &Explored<'_>, elapsed: Duration) -> Vec<Row> {
        let mut records = self.lock();
        let StateCoverage { bound, completed_bound, .. } = *last.coverage;
        if completed_bound.is_none_or(|completed| completed < bound) {
            records.row(last.strategy.to_string(), bound, false, last.coverage, elapsed);
        }
        records.rows.clone()
    }

    /// The parts of the program, and where each was reached first.
    pub fn parts(&self, items: Vec<CoverageItem>) -> Vec<Part> {
        let records = self.lock();
        let first = |nth: usize| records.first.get(nth).copied().flatten();
        items.into_iter().enumerate().map(|(nth, item)| Part { item, first: first(nth) }).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Records {
    /// Attributes what was reached since the last call.
    fn reach(&mut self, items: &[CoverageItem], at: First) {
        self.first.resize(items.len(), None);
        for (first, item) in self.first.iter_mut().zip(items) {
            if item.reached && first.is_none() {
                *first = Some(at);
            }
        }
    }

    fn row(
        &mut self,
        strategy: String,
        bound: u32,
        complete: bool,
        so_far: &StateCoverage,
        elapsed: Duration,
    ) {
        let reached = self.first.iter().flatten().count();
        self.rows.push(Row {
            strategy,
            bound,
            complete,
            states: so_far.states,
            transitions: so_far.transitions,
            frontier: so_far.frontier,
            elapsed,
            bytes: so_far.peak_bytes,
            reached,
            new: reached - self.at_row,
        });
        self.at_row = reached;
    }
}

/// The columns of the table.
pub const COLUMNS: &str =
    "strategy,bound,complete,states,transitions,frontier,seconds,bytes,reached,new_reached";

/// The rows as CSV, with a line of column names.
pub fn csv(rows: &[Row]) -> String {
    let mut out = format!("{COLUMNS}\n");
    for row in rows {
        // Names of strategies have no commas and quotes, except for those of a program's own schedulers.
        let strategy = match row.strategy.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", row.strategy.replace('"', "\"\"")),
            false => row.strategy.clone(),
        };
        let _ = writeln!(
            out,
            "{strategy},{},{},{},{},{},{:.3},{},{},{}",
            row.bound,
            row.complete,
            row.states,
            row.transitions,
            row.frontier,
            row.elapsed.as_secs_f64(),
            row.bytes,
            row.reached,
            row.new
        );
    }
    out
}

/// The states and the reached parts by bound, as a picture inside of a page. Empty if there is at most one row.
pub fn plot(rows: &[Row]) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 200.0;
    const LEFT: f64 = 40.0;
    const TOP: f64 = 20.0;
    let Some(first) = rows.first() else { return String::new() };
    let rows: Vec<&Row> = rows.iter().filter(|row| row.strategy == first.strategy).collect();
    if rows.len() < 2 {
        return String::new();
    }
    let x = |nth: usize| LEFT + WIDTH * nth as f64 / (rows.len() - 1) as f64;
    let line = |value: &dyn Fn(&Row) -> f64| {
        let most = rows.iter().map(|row| value(row)).fold(1.0, f64::max);
        let point = |(nth, row): (usize, &&Row)| {
            format!("{:.1},{:.1}", x(nth), TOP + HEIGHT * (1.0 - value(row) / most))
        };
        rows.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
    };
    let last = rows[rows.len() - 1];
    let mut out = format!(
        "<h2>By bound</h2>\n<svg viewBox=\"0 0 {:.0} {:.0}\" width=\"{:.0}\" role=\"img\" aria-label=\"States and \
         reached parts by bound\">\n",
        WIDTH + 2.0 * LEFT + 120.0,
        HEIGHT + 60.0,
        WIDTH + 2.0 * LEFT + 120.0
    );
    let bottom = TOP + HEIGHT;
    let _ = writeln!(
        out,
        "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{}\" y2=\"{bottom}\"/>",
        LEFT + WIDTH
    );
    let _ = writeln!(out, "<polyline class=\"states\" points=\"{}\"/>", line(&|row| row.states as f64));
    let _ = writeln!(out, "<polyline class=\"reached\" points=\"{}\"/>", line(&|row| row.reached as f64));
    let every = rows.len().div_ceil(20);
    for (nth, row) in rows.iter().enumerate().step_by(every) {
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{}\">{}</text>", x(nth), bottom + 16.0, row.bound);
    }
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\">bound; each line is scaled to its highest value</text>",
        bottom + 34.0
    );
    let label = |y: f64, class: &str, text: String| {
        format!("<text class=\"{class}\" x=\"{}\" y=\"{y}\">{text}</text>\n", LEFT + WIDTH + 8.0)
    };
    out.push_str(&label(TOP + 4.0, "states-label", format!("{} states", count(last.states))));
    out.push_str(&label(TOP + 20.0, "reached-label", format!("{} parts reached", count(last.reached))));
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use dally_explore::StrategyName;
    use dally_text::source::Span;
    use dally_trace::ItemKind;

    use super::*;

    fn items(reached: [bool; 3]) -> Vec<CoverageItem> {
        let item = |reached| CoverageItem {
            kind: ItemKind::Statement,
            span: Span::NONE,
            name: String::new(),
            reached,
        };
        reached.map(item).to_vec()
    }

    #[test]
    fn parts_belong_to_the_bound_that_reached_them_first() {
        let recorder = Recorder::default();
        let strategy = StrategyName::Depth;
        let coverage = StateCoverage { completed_bound: Some(0), states: 3, ..StateCoverage::default() };
        fn at<'a>(strategy: &'a StrategyName, cost: u32, coverage: &'a StateCoverage) -> Explored<'a> {
            Explored { strategy, cost, coverage }
        }
        recorder.explored(&at(&strategy, 0, &coverage), &items([true, false, false]), Duration::ZERO);
        // A slice that does not complete a bound has no row.
        recorder.explored(&at(&strategy, 1, &coverage), &items([true, true, false]), Duration::ZERO);
        recorder.sampled(&items([true, true, true]));
        let coverage = StateCoverage { bound: 1, ..coverage };
        let rows = recorder.rows(&at(&strategy, 1, &coverage), Duration::ZERO);
        let seen: Vec<_> = rows.iter().map(|row| (row.bound, row.complete, row.reached, row.new)).collect();
        assert_eq!(seen, [(0, true, 1, 1), (1, false, 3, 2)]);
        let first: Vec<_> = recorder.parts(items([true; 3])).iter().map(|part| part.first).collect();
        assert_eq!(first, [Some(First::Bound(0)), Some(First::Bound(1)), Some(First::Sample)]);
        assert_eq!(csv(&rows).lines().nth(1), Some("depth,0,true,3,0,0,0.000,0,1,1"));
        assert!(plot(&rows).contains("<polyline"));
    }
}
