//! Coverage in the format of `lcov`, which `genhtml`, editors and services read.
//!
//! Lines, functions and branches are counted once if they were reached, since a search does not count executions. A line
//! is reached if a statement that begins in it is.

use std::collections::BTreeMap;
use std::fmt::Write;

use dally_text::render::printable;
use dally_text::source::SourceMap;
use dally_trace::ItemKind;

use super::Part;

/// The contents of a file, by line.
#[derive(Default)]
struct File {
    lines: BTreeMap<usize, bool>,
    functions: Vec<(usize, String, bool)>,
    branches: BTreeMap<usize, Vec<bool>>,
}

/// The coverage as text for `lcov`.
pub fn lcov(parts: &[Part], sources: &SourceMap) -> String {
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for Part { item, .. } in parts {
        let Some(at) = sources.location(item.span) else { continue };
        let file = files.entry(at.file).or_default();
        match item.kind {
            ItemKind::Statement => *file.lines.entry(at.line).or_default() |= item.reached,
            ItemKind::Branch => file.branches.entry(at.line).or_default().push(item.reached),
            ItemKind::Procedure | ItemKind::Handler => {
                file.functions.push((at.line, one_line(&item.name), item.reached));
            }
            ItemKind::Event | ItemKind::State | ItemKind::Transition => {}
        }
    }
    files.iter().map(|(name, file)| file.record(name)).collect()
}

/// A name that does not end the record.
fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\r'], " "))
}

impl File {
    fn record(&self, name: &str) -> String {
        let mut out = format!("TN:\nSF:{}\n", one_line(name));
        for (line, function, _) in &self.functions {
            let _ = writeln!(out, "FN:{line},{function}");
        }
        for (_, function, reached) in &self.functions {
            let _ = writeln!(out, "FNDA:{},{function}", u8::from(*reached));
        }
        let hit = self.functions.iter().filter(|(_, _, reached)| *reached).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{hit}", self.functions.len());
        for (line, outcomes) in &self.branches {
            for (nth, reached) in outcomes.iter().enumerate() {
                let _ = writeln!(out, "BRDA:{line},0,{nth},{}", u8::from(*reached));
            }
        }
        let outcomes = || self.branches.values().flatten();
        let _ = writeln!(out, "BRF:{}\nBRH:{}", outcomes().count(), outcomes().filter(|it| **it).count());
        for (line, reached) in &self.lines {
            let _ = writeln!(out, "DA:{line},{}", u8::from(*reached));
        }
        let hit = self.lines.values().filter(|reached| **reached).count();
        let _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", self.lines.len());
        out
    }
}
