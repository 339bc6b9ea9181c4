//! The parts that were never reached: whole procedures, stretches of statements, outcomes of conditions, events, states, handlers.
//!
//! A gap inside of another is not listed: of a procedure that never runs, no statement; of a state that is never entered,
//! no handler; of a condition that is never true, only the statements that depend on it.

use std::collections::HashSet;

use dally_explore::{counted, cut};
use dally_text::render::printable;
use dally_text::source::{SourceMap, Span};
use dally_trace::{CoverageItem, ItemKind};

/// Longer texts of statements are cut.
const LONGEST: usize = 60;

/// Something that was never reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The number of statements in it.
    pub size: usize,
    /// Its place in the text.
    pub span: Span,
    /// It in words, in one line.
    pub text: String,
}

impl Gap {
    /// The gap as a line: its place, and its text.
    pub fn line(&self, sources: &SourceMap) -> String {
        match sources.location(self.span) {
            Some(at) => format!("{}: {}", printable(&at.to_string()), self.text),
            None => self.text.clone(),
        }
    }
}

/// The gaps, the shortest first.
pub fn gaps(items: &[CoverageItem], sources: &SourceMap) -> Vec<Gap> {
    let missed = |kind| items.iter().filter(move |item| item.kind == kind && !item.reached);
    let dead: HashSet<&str> = missed(ItemKind::Procedure).map(|item| &*item.name).collect();
    let states: HashSet<&str> = missed(ItemKind::State).map(|item| &*item.name).collect();
    let mut gaps: Vec<Gap> = Vec::new();
    for item in missed(ItemKind::Procedure) {
        let statements =
            items.iter().filter(|other| other.kind == ItemKind::Statement && other.name == item.name);
        let size = statements.count();
        let text = format!("`{}` is never called ({})", printable(&item.name), counted(size, "statement"));
        gaps.push(Gap { size, span: item.span, text });
    }
    let stretches = stretches(items, &dead, sources);
    let explained = |span: Span| stretches.iter().any(|gap| inside(gap.span, span));
    let reached: HashSet<Span> = items
        .iter()
        .filter(|item| item.kind == ItemKind::Statement && item.reached)
        .map(|item| item.span)
        .collect();
    for item in missed(ItemKind::Branch).filter(|item| reached.contains(&item.span) && !explained(item.span))
    {
        let text = match &*item.name {
            "true" | "false" => format!("`{}` is never {}", statement(item.span, sources), item.name),
            option if option.starts_with("outcome") => {
                format!("`{}` has only one outcome", statement(item.span, sources))
            }
            option => format!("{} of `{}` is never taken", printable(option), statement(item.span, sources)),
        };
        gaps.push(Gap { size: 0, span: item.span, text });
    }
    let mut name = |kind, does: &str, hidden: &dyn Fn(&str) -> bool| {
        for item in missed(kind).filter(|item| !hidden(&item.name)) {
            let text = format!("{} `{}` {does}", item.kind.word(), printable(&item.name));
            gaps.push(Gap { size: 0, span: item.span, text });
        }
    };
    let of_dead_state = |name: &str| name.split(" on ").next().is_some_and(|state| states.contains(state));
    let from_dead_state = |name: &str| name.split(" → ").next().is_some_and(|state| states.contains(state));
    name(ItemKind::Event, "is never sent", &|_| false);
    name(ItemKind::State, "is never entered", &|_| false);
    name(ItemKind::Handler, "never runs", &of_dead_state);
    name(ItemKind::Transition, "never happens", &from_dead_state);
    gaps.extend(stretches);
    gaps.sort_by_key(|gap| (gap.size, gap.span));
    gaps
}

fn inside(inner: Span, outer: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && inner != outer
}

/// Consecutive statements of a procedure that were not reached, outermost and first ones shown.
fn stretches(items: &[CoverageItem], dead: &HashSet<&str>, sources: &SourceMap) -> Vec<Gap> {
    let mut statements: Vec<&CoverageItem> =
        items.iter().filter(|item| item.kind == ItemKind::Statement && !dead.contains(&*item.name)).collect();
    statements.sort_by_key(|item| (item.span.start, std::cmp::Reverse(item.span.end)));
    let mut gaps: Vec<Gap> = Vec::new();
    let mut previous: Option<&CoverageItem> = None;
    for item in statements {
        let follows = previous.is_some_and(|previous| !previous.reached && previous.name == item.name);
        if !item.reached {
            match gaps.last_mut().filter(|_| follows) {
                Some(gap) => {
                    gap.size += 1;
                    gap.span.end = gap.span.end.max(item.span.end);
                }
                None => gaps.push(Gap { size: 1, span: item.span, text: statement(item.span, sources) }),
            }
        }
        previous = Some(item);
    }
    for gap in gaps.iter_mut().filter(|gap| gap.size > 1) {
        gap.text = format!("{} … and {} after it", gap.text, counted(gap.size - 1, "statement"));
    }
    gaps
}

/// The first line of a statement.
fn statement(span: Span, sources: &SourceMap) -> String {
    let text = sources.text(span).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().trim().trim_end_matches('{').trim_end();
    printable(&cut(line, LONGEST))
}
