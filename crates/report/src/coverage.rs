//! Coverage: what of a program was reached, at which bound first, and what was not.

mod gaps;
mod lcov;
mod page;

use dally_text::source::SourceMap;
use dally_trace::{CoverageItem, ItemKind};
use serde::Serialize;

pub use gaps::{Gap, gaps};
pub use lcov::lcov;
pub use page::page;

/// Where a part of a program was reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum First {
    /// In executions of this cost.
    Bound(u32),
    /// In a sampled execution.
    Sample,
}

/// A part of a program, and where it was reached first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part.
    pub item: CoverageItem,
    /// Where it was reached first; `None` if it was not reached, or if that was not recorded.
    pub first: Option<First>,
}

/// The number of parts of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The kind.
    pub kind: ItemKind,
    /// The number of those that were reached.
    pub reached: usize,
    /// The number of all.
    pub all: usize,
}

/// Returns true if the text of the program declares the part. The library of a language has a file with a name in angle
/// brackets.
pub fn is_declared(item: &CoverageItem, sources: &SourceMap) -> bool {
    sources.file_of(item.span).is_none_or(|file| !file.name.starts_with('<'))
}

/// The number of parts of each kind that the program has.
pub fn counts(items: &[CoverageItem]) -> Vec<Count> {
    let count = |kind| {
        let same = || items.iter().filter(move |item| item.kind == kind);
        Count { kind, reached: same().filter(|item| item.reached).count(), all: same().count() }
    };
    ItemKind::ALL.into_iter().map(count).filter(|count| count.all > 0).collect()
}

/// The counts in words: `3 of 4 statements, 1 of 2 branches`.
pub fn in_words(counts: &[Count]) -> String {
    let shown = counts.iter().filter(|count| count.kind != ItemKind::Procedure);
    let words: Vec<String> =
        shown.map(|Count { kind, reached, all }| format!("{reached} of {all} {}", kind.plural())).collect();
    words.join(", ")
}
