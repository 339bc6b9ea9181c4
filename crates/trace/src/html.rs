//! The format `html`: one page that shows a trace in a browser, without a network and without other files.
//!
//! The page has the trace as JSON, and a script that shows it (`page/page.js`). Texts of the program reach the document
//! as text nodes only. The policy of the page allows its own script and style, and no requests.

use std::collections::BTreeSet;

use dally_explore::{Fingerprint, cut};
use dally_text::render::{markup, printable};
use dally_text::source::{SourceFile, SourceMap};
use serde::Serialize;

use crate::arrows::{Arrow, Lane, Picture};
use crate::{Look, Trace};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Files with more bytes are shown around the executed lines only.
const WHOLE_FILE: usize = 200_000;
/// The number of lines before and after an executed line.
const AROUND: usize = 30;
/// Longer lines of source text are cut.
const LONGEST_LINE: usize = 1000;

/// The data that the script of the page reads.
#[derive(Serialize)]
struct Data<'a> {
    trace: &'a Trace,
    /// The files of locations, which have their indices instead of their names.
    files: &'a [&'a str],
    lanes: &'a [Lane],
    arrows: &'a [Arrow],
    sources: Vec<SourceText>,
}

/// The text of a file, or the parts of it that were executed.
#[derive(Serialize)]
struct SourceText {
    file: String,
    parts: Vec<Lines>,
}

/// Consecutive lines.
#[derive(Serialize)]
struct Lines {
    /// The number of the first line.
    first: usize,
    lines: Vec<String>,
}

/// A page that shows the trace, with the source text of the files in it.
pub fn html(trace: &Trace, sources: &SourceMap, _: &Look) -> String {
    let Picture { lanes, arrows } = &Picture::of(trace);
    let files = files(trace);
    let data = Data { trace, files: &files, lanes, arrows, sources: texts(trace, sources) };
    // Traces have only string keys and finite numbers, so that serialisation cannot fail.
    let json = serde_json::to_string(&data).unwrap_or_default();
    let json = shortened(&json, &files);
    // JSON has these characters only inside of strings. `<` could end the script element.
    let json = printable(&json)
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    // A text in the data that knew the nonce would change it.
    let nonce = format!("{:032x}", Fingerprint::of(&json).0);
    let title = markup(&cut(&trace.failure.message, 80));
    let values =
        [("NONCE", &*nonce), ("TITLE", &title), ("STYLE", STYLE), ("SCRIPT", SCRIPT), ("DATA", &json)];
    filled(PAGE, &values)
}

/// The names of the files in which statements lie.
fn files(trace: &Trace) -> Vec<&str> {
    let statements = trace.steps.iter().flat_map(|step| &step.statements);
    let locations =
        statements.filter_map(|statement| statement.location.as_ref()).chain(&trace.failure.location);
    locations.map(|at| &*at.file).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Leaves out what most statements of a long trace do not have, and replaces the names of files by their indices. The
/// quotes of a string inside of JSON are escaped, so that no text of the program is changed.
fn shortened(json: &str, files: &[&str]) -> String {
    let json = json.replace(r#","changes":[],"posts":[]"#, "").replace(r#","posts":[]"#, "");
    files.iter().enumerate().fold(json, |json, (nth, file)| {
        let name = serde_json::to_string(file).unwrap_or_default();
        json.replace(&format!(r#""location":{{"file":{name},"#), &format!(r#""location":{{"file":{nth},"#))
    })
}

/// Replaces `@NAME@` by its value. Values are not searched for names.
fn filled(page: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut parts = page.split('@');
    out.push_str(parts.next().unwrap_or_default());
    let mut is_value = false;
    for part in parts {
        match values.iter().find(|(name, _)| *name == part) {
            Some((_, value)) => {
                out.push_str(value);
                is_value = true;
            }
            None => {
                if !is_value {
                    out.push('@');
                }
                is_value = false;
                out.push_str(part);
            }
        }
    }
    out
}

/// The texts of the files that the trace mentions.
fn texts(trace: &Trace, sources: &SourceMap) -> Vec<SourceText> {
    let statements = trace.steps.iter().flat_map(|step| &step.statements);
    let locations =
        statements.filter_map(|statement| statement.location.as_ref()).chain(&trace.failure.location);
    let executed: BTreeSet<(&str, usize)> = locations.map(|at| (&*at.file, at.line)).collect();
    let files: BTreeSet<&str> = executed.iter().map(|(file, _)| *file).collect();
    let named = |name: &str| sources.files().iter().find(|file| file.name == name);
    let text = |name: &&str| {
        let file = named(name)?;
        let lines = executed.iter().filter(|(file, _)| file == name).map(|(_, line)| *line);
        Some(SourceText { file: (*name).to_owned(), parts: parts(file, lines) })
    };
    files.iter().filter_map(text).collect()
}

/// The lines around the executed ones, or all lines of a file that is not large.
fn parts(file: &SourceFile, executed: impl Iterator<Item = usize>) -> Vec<Lines> {
    let all = file.text.lines().count();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    if file.text.len() <= WHOLE_FILE {
        ranges.push((1, all));
    } else {
        for line in executed {
            let (first, last) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(all));
            match ranges.last_mut() {
                Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
                _ => ranges.push((first, last)),
            }
        }
    }
    let line = |number| file.line_range(number).and_then(|range| file.text.get(range)).unwrap_or_default();
    let shown = |(first, last)| Lines {
        first,
        lines: (first..=last).map(|number| cut(line(number).trim_end_matches('\r'), LONGEST_LINE)).collect(),
    };
    ranges.into_iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_places_of_the_page_are_filled() {
        let values = [("A", "@B@"), ("B", "b")];
        assert_eq!(filled("x@y @A@ z@", &values), "x@y @B@ z@");
        assert_eq!(filled("@A@@B@", &values), "@B@b");
    }

    #[test]
    fn texts_of_the_program_cannot_end_the_script() {
        let mut trace = crate::text::tests::trace(None, 0);
        trace.failure.message = "</script><script>alert(1)</script> @DATA@ \u{202e}".to_owned();
        let page = html(&trace, &SourceMap::default(), &Look::default());
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert_eq!(page.matches("<script").count(), PAGE.matches("<script").count());
        assert!(!page.contains('\u{202e}'));
    }
}
