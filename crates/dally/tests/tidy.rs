//! Rules about the repository itself.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_text::code::{Code, Table};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The crates that each crate may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("testing", &[]),
    ("schedule", &[]),
    ("explore", &["schedule"]),
    ("step", &["explore", "schedule"]),
    ("text", &[]),
    ("bpl", &["text"]),
    ("interp", &["bpl", "explore", "schedule", "step", "text", "trace"]),
    ("sequentialize", &["bpl", "text"]),
    ("verify", &["bpl", "text"]),
    ("smt", &["verify"]),
    ("counterexample", &["bpl", "explore", "interp", "schedule", "sequentialize", "text", "trace", "verify"]),
    ("p", &["explore", "schedule", "step", "text", "trace"]),
    ("c", &["bpl", "text"]),
    ("trace", &["explore", "schedule", "text"]),
    ("report", &["explore", "text", "trace"]),
    ("explorer", &["explore", "text", "trace"]),
    ("dally-shuttle", &["explore", "schedule", "text", "trace"]),
    // The command line depends on all of them.
    (
        "dally",
        &[
            "text",
            "schedule",
            "explore",
            "step",
            "bpl",
            "interp",
            "p",
            "c",
            "sequentialize",
            "verify",
            "smt",
            "counterexample",
            "trace",
            "report",
            "explorer",
        ],
    ),
];

#[test]
fn the_crate_graph_has_only_allowed_edges() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let (_, allowed) = EDGES
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("the crate `{name}` is not in the design"));
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        for dependency in dependencies.into_iter().flat_map(|d| d.keys()) {
            if let Some(ours) = dependency.strip_prefix("dally-") {
                assert!(allowed.contains(&ours), "`{name}` must not depend on `{ours}`");
            }
        }
    }
}

/// The quoted paths of a document.
fn paths(text: &str) -> Vec<&str> {
    let looks_like_path = |s: &&str| {
        let known = ["crates", "bench", "fuzz", "examples", "docs", "scripts", ".ci"];
        known.contains(&s.split('/').next().unwrap_or(""))
            && !s.contains(char::is_whitespace)
            && !s.contains("::")
    };
    text.split('`').skip(1).step_by(2).filter(looks_like_path).collect()
}

#[test]
fn documents_name_paths_that_exist() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        for path in paths(&text) {
            assert!(root().join(path).exists(), "{document} names `{path}`, which does not exist");
        }
    }
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(paths(&architecture).len() > 10, "the code map is not recognised");
}

#[test]
fn links_between_documents_lead_somewhere() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("https://")) {
            assert!(root().join(link).exists(), "{document} links to `{link}`, which does not exist");
        }
    }
}

/// The expected output of all golden tests.
fn transcripts() -> String {
    let golden = root().join("crates/dally/tests/golden");
    let folders = std::fs::read_dir(golden).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|e| e == "expected"))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

/// The codes of all languages.
const TABLES: [Table; 4] =
    [Code::COMMON, dally_bpl::codes::TABLE, dally_p::codes::TABLE, dally_c::codes::TABLE];

#[test]
fn each_language_owns_its_range_of_codes() {
    for (i, table) in TABLES.iter().enumerate() {
        assert_eq!(table.validate(&TABLES[..i]), Ok(()));
    }
}

#[test]
fn every_diagnostic_is_documented() {
    let documented = std::fs::read_to_string(root().join("docs/diagnostics.md")).unwrap();
    let escape = |text: &str| text.replace('|', "\\|");
    for code in TABLES.iter().flat_map(|table| table.codes) {
        let word = code.severity().word();
        let row = format!("| {code} | {word} | {} | {} |\n", escape(code.title()), escape(code.advice()));
        assert!(documented.contains(&row), "docs/diagnostics.md has no row\n{row}");
    }
}

#[test]
fn every_diagnostic_is_shown_by_a_golden_test() {
    // These concern whole files, or commands other than `dally print`: other tests show them.
    const ELSEWHERE: &[Code] = &[
        Code::NOT_UTF8,
        Code::TOO_LARGE,
        Code::UNREADABLE,
        dally_bpl::codes::NO_ENTRY,
        dally_bpl::codes::NOT_EXPLICIT,
        dally_p::codes::BAD_PROJECT,
        dally_c::codes::FOREIGN_FILE,
        dally_c::codes::NOT_PREPROCESSED,
        dally_c::codes::TOO_MANY_VALUES,
        dally_c::codes::INTERNAL,
    ];
    let shown = transcripts();
    for code in TABLES.iter().flat_map(|table| table.codes).filter(|code| !ELSEWHERE.contains(code)) {
        assert!(shown.contains(&format!("[{code}]: ")), "no golden test shows {code}");
    }
}

#[test]
fn every_crate_is_in_the_code_map() {
    let architecture = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            architecture.contains(&format!("`crates/{name}`")),
            "ARCHITECTURE.md does not speak of {name}"
        );
    }
}
