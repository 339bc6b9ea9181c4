//! Coverage as a page for a browser: one file without scripts. Each line of the program with the bound at which it was
//! reached first, lists of events, states, handlers and transitions, and a plot of the bounds.

use std::collections::BTreeMap;
use std::fmt::Write;

use dally_explore::{Fingerprint, cut};
use dally_text::render::markup;
use dally_text::source::{SourceFile, SourceMap};
use dally_trace::ItemKind;

use super::{First, Part, counts};
use crate::stats::{Row, plot};

const STYLE: &str = include_str!("page.css");

/// Longer lines are cut.
const LONGEST_LINE: usize = 1000;

/// The meaning of the colours.
const LEGEND: &str = "<p class=\"legend\"><span class=\"hit\">reached</span> <span class=\"part\">a statement or branch of the \
                      line was not</span> <span class=\"miss\">not reached</span></p>\n";

/// The heads of the columns of a listing.
const HEADS: &str = "<tr><th>line</th><th title=\"the bound at which the line was reached first\">bound</th>\
                     <th title=\"branches taken, of all\">branches</th><th></th></tr>\n";

/// The state of a line.
#[derive(Default)]
struct LineCoverage {
    statements: usize,
    reached: usize,
    /// The least bound at which a statement of the line was reached.
    first: Option<First>,
    branches: usize,
    taken: usize,
}

/// A page that shows what was reached. `rows` are the bounds of the search, for the plot.
pub fn page(about: &[String], parts: &[Part], sources: &SourceMap, rows: &[Row]) -> String {
    let mut body = heading(about);
    body.push_str(&summary(parts));
    body.push_str(&plot(rows));
    body.push_str(&others(parts, sources));
    let lines = lines(parts, sources);
    for file in sources.files() {
        if let Some(lines) = lines.get(&*file.name) {
            body.push_str(&listing(file, lines));
        }
    }
    // A text that knew the nonce would change it.
    let nonce = format!("{:032x}", Fingerprint::of(&body).0);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"dally\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'nonce-{nonce}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <title>Coverage</title>\n<style nonce=\"{nonce}\">\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// The program, and what is known about it.
fn heading(about: &[String]) -> String {
    let mut out = String::from("<h1>Coverage</h1>\n");
    for line in about {
        let _ = writeln!(out, "<p>{}</p>", markup(line));
    }
    out
}

/// The number of parts of each kind.
fn summary(parts: &[Part]) -> String {
    let items: Vec<_> = parts.iter().map(|part| part.item.clone()).collect();
    let mut out = String::from("<table class=\"summary\">\n");
    for count in counts(&items) {
        let percent = 100 * count.reached / count.all.max(1);
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"number\">{} of {}</td><td class=\"number\">{percent} %</td></tr>",
            count.kind.plural(),
            count.reached,
            count.all
        );
    }
    out.push_str("</table>\n");
    out
}

/// The bound at which something was reached, in a few characters.
fn first(first: Option<First>) -> String {
    match first {
        Some(First::Bound(bound)) => bound.to_string(),
        Some(First::Sample) => "sampled".to_owned(),
        None => String::new(),
    }
}

/// The parts that are not lines.
fn others(parts: &[Part], sources: &SourceMap) -> String {
    let mut out = String::new();
    let kinds =
        [ItemKind::Event, ItemKind::State, ItemKind::Handler, ItemKind::Transition, ItemKind::Procedure];
    for kind in kinds {
        let mut same = parts.iter().filter(|part| part.item.kind == kind).peekable();
        if same.peek().is_none() {
            continue;
        }
        let plural = kind.plural();
        let _ = writeln!(
            out,
            "<h2>{}{}</h2>\n<table>\n<tr><th></th><th>bound</th><th></th><th></th></tr>",
            plural[..1].to_uppercase(),
            &plural[1..]
        );
        for Part { item, first: at } in same {
            let (class, mark) = if item.reached { ("hit", "✓") } else { ("miss", "✗") };
            let place = sources.location(item.span).map(|at| format!("{}:{}", at.file, at.line));
            let _ = writeln!(
                out,
                "<tr class=\"{class}\"><td>{mark}</td><td class=\"number\">{}</td><td>{}</td><td class=\"place\">{}</td></tr>",
                first(*at),
                markup(&cut(&item.name, 200)),
                markup(&place.unwrap_or_default())
            );
        }
        out.push_str("</table>\n");
    }
    out
}

/// By file and line.
fn lines<'s>(parts: &[Part], sources: &'s SourceMap) -> BTreeMap<&'s str, BTreeMap<usize, LineCoverage>> {
    let mut files: BTreeMap<&str, BTreeMap<usize, LineCoverage>> = BTreeMap::new();
    for Part { item, first } in parts {
        let Some(file) = sources.file_of(item.span) else { continue };
        let lines = files.entry(&file.name).or_default();
        let number = file.line_column(item.span.start).line;
        match item.kind {
            ItemKind::Statement => {
                let line = lines.entry(number).or_default();
                line.statements += 1;
                line.reached += usize::from(item.reached);
                line.first = [line.first, *first].into_iter().flatten().min();
            }
            ItemKind::Branch => {
                let line = lines.entry(number).or_default();
                line.branches += 1;
                line.taken += usize::from(item.reached);
            }
            _ => {}
        }
    }
    files
}

fn listing(file: &SourceFile, lines: &BTreeMap<usize, LineCoverage>) -> String {
    let mut out = format!("<h2>{}</h2>\n{LEGEND}<table class=\"source\">\n{HEADS}", markup(&file.name));
    for (number, text) in (1..).zip(file.text.lines()) {
        let line = lines.get(&number);
        let class = match line {
            None => "",
            Some(line) if line.statements > 0 && line.reached == 0 => "miss",
            Some(line) if line.reached < line.statements || line.taken < line.branches => "part",
            Some(_) => "hit",
        };
        let branches = line.filter(|line| line.branches > 0);
        let branches = branches.map(|line| format!("{}/{}", line.taken, line.branches)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr class=\"{class}\"><td class=\"number\">{number}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{branches}</td><td><pre>{}</pre></td></tr>",
            first(line.and_then(|line| line.first)),
            markup(&cut(text, LONGEST_LINE))
        );
    }
    out.push_str("</table>\n");
    out
}
