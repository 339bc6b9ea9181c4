//! Comments, messages and documents use the terms of the field, in plain sentences. These phrases have been rewritten,
//! and must not come back.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};

/// Phrases that must not occur, in lower case.
const PHRASES: &[&str] = &[
    "whoever",
    "somebody",
    "nobody",
    "in vain",
    "came by",
    "comes by",
    "of course",
    "values that a quantifier is about",
    "layers that are worth sharing",
    "alone with the node",
    "no trace of dally",
    "wait for a higher bound",
    "waits for a higher bound",
    "other ways to reach the same states",
    "must not be waited for",
    "who has won",
];

/// Words with which a doc comment must not open.
const OPENERS: &[&str] = &["likewise", "what", "who", "whether", "those", "of which", "of what"];

/// The suffixes of sources, documents and programs.
const SUFFIXES: &[&str] = &["rs", "md", "bpl", "p"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All files of these kinds below a folder, except for build outputs, hidden files and this file.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') || name == "target" || path.ends_with(file!()) {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|suffix| SUFFIXES.iter().any(|known| suffix == *known)) {
            found.push(path);
        }
    }
}

/// A line without comment markers, in lower case.
fn prose(line: &str) -> String {
    line.trim().trim_start_matches(['/', '!', '*', '>', ' ']).to_lowercase()
}

/// True if the phrase occurs in the text as whole words, beginning before this position.
fn occurs(text: &str, phrase: &str, before: usize) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| {
        let after = text[at + phrase.len()..].chars().next();
        at < before && !is_word(text[..at].chars().next_back()) && !is_word(after)
    })
}

/// The phrases of a text, with the numbers of their lines. A phrase may continue on the next line.
fn hits(text: &str) -> Vec<(usize, &'static str)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut hits = Vec::new();
    for (number, line) in (1..).zip(&lines) {
        let start = prose(line);
        let next = lines.get(number).map_or(String::new(), |line| prose(line));
        // Identifiers, too.
        let joined = format!("{start} {next}").replace('_', " ");
        let phrases = PHRASES.iter().filter(|phrase| occurs(&joined, phrase, start.len()));
        hits.extend(phrases.map(|phrase| (number, *phrase)));
        let is_doc = |line: &str| line.trim().starts_with("///") || line.trim().starts_with("//!");
        let opens = is_doc(line) && (number == 1 || !is_doc(lines[number - 2]));
        let begins = |word: &str| {
            start.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let openers = OPENERS.iter().filter(|word| opens && begins(word));
        hits.extend(openers.map(|word| (number, *word)));
    }
    hits
}

#[test]
fn prose_uses_the_terms_of_the_field() {
    let root = root();
    let mut all = Vec::new();
    files(&root, &mut all);
    all.sort();
    let mut report = String::new();
    for path in &all {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        for (line, phrase) in hits(&std::fs::read_to_string(path).unwrap()) {
            report.push_str(&format!("{name}:{line}: `{phrase}`\n"));
        }
    }
    assert!(all.len() > 100, "the sources were not found");
    assert!(report.is_empty(), "say what the thing is, in the terms of the field:\n{report}");
}

#[test]
fn phrases_are_found() {
    assert_eq!(hits("/// For whoever waits in\n/// vain."), [(1, "whoever"), (1, "in vain")]);
    assert_eq!(hits("fn nobody_waits() {}\n// Likewise."), [(1, "nobody")]);
    assert_eq!(hits("/// One.\n/// Likewise.\n"), []);
    assert_eq!(hits("x\n  /// Likewise.\n"), [(2, "likewise")]);
    assert_eq!(hits("/// What it holds.\nx\n/// Whatever it holds."), [(1, "what")]);
    assert_eq!(hits("/// In vainglory, nobodys."), []);
}
