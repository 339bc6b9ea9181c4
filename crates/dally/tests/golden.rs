//! Golden tests: `dally` runs on each program under `golden/`; its standard output, standard error and exit code must
//! match the `.expected` file beside the program.
//!
//! The folder determines the command: `check/`, `p/`, `c/` and `examples/rules` run `dally check`, `sequentialize/` and `verify/` run the commands
//! of these names, the other folders `dally print`. A first line `// flags: …` adds flags. Times are not compared.
//! `scripts/bless` rewrites the expected files.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn programs(folder: &str) -> Vec<PathBuf> {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = match folder {
        "rules" => crate_root.join("../../examples/rules"),
        folder => crate_root.join("tests/golden").join(folder),
    };
    let suffixes: &[&str] = match folder {
        "p" => &["p"],
        "c" => &["c"],
        "rules" => &["bpl", "c", "p"],
        _ => &["bpl"],
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .and_then(|suffix| suffix.to_str())
                .is_some_and(|suffix| suffixes.contains(&suffix))
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no programs in {folder}");
    files
}

/// The text without times, and without counts of bytes, which say nothing about the program. The work of `verify` depends
/// on which solver answers first.
fn normalised(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let line = match line.rfind(", in ").filter(|_| line.starts_with("covered ")) {
            Some(place) if line[..place].contains(" inlined call") => {
                "covered … inlined calls, in … s\n".to_owned()
            }
            Some(place) => format!("{}, in … s\n", &line[..place]),
            None => line.to_owned(),
        };
        out.push_str(&without_number(&without_number(&line, "\"seconds\":"), "\"peak_bytes\":"));
    }
    out
}

/// The text without the number behind a key.
fn without_number(text: &str, key: &str) -> String {
    match text.split_once(key) {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || "e.-".contains(c));
            format!("{before}{key}…{rest}")
        }
        None => text.to_owned(),
    }
}

/// The exit code and all output.
fn transcript(program: &Path) -> String {
    let text = std::fs::read_to_string(program).unwrap();
    let flags = text.lines().next().and_then(|l| l.strip_prefix("// flags: ")).unwrap_or("");
    let folder = program.parent().and_then(Path::file_name).and_then(|f| f.to_str()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dally"))
        .arg(match folder {
            "check" | "p" | "c" | "rules" => "check",
            "sequentialize" | "verify" => folder,
            _ => "print",
        })
        .args(flags.split_whitespace())
        .arg(program.file_name().unwrap())
        .current_dir(program.parent().unwrap())
        .output()
        .unwrap();
    format!(
        "exit code {}\n--- standard output\n{}--- standard error\n{}",
        output.status.code().unwrap(),
        normalised(&String::from_utf8(output.stdout).unwrap()),
        String::from_utf8(output.stderr).unwrap()
    )
}

fn compare(folder: &str) {
    for program in programs(folder) {
        let expected = program.with_extension("expected");
        snapbox::assert_data_eq!(transcript(&program), snapbox::Data::read_from(&expected, None).raw());
    }
}

#[test]
fn print() {
    compare("print");
}

#[test]
fn check() {
    compare("check");
}

/// These tests need a solver, which `scripts/test` installs.
#[test]
fn verify() {
    compare("verify");
}

#[test]
fn sequentialize() {
    compare("sequentialize");
}

/// The output of `dally sequentialize` has no errors.
#[test]
fn sequential_programs_are_programs() {
    for program in programs("sequentialize") {
        let expected = std::fs::read_to_string(program.with_extension("expected")).unwrap();
        // JSON, and programs that were not blessed yet.
        let Some((_, text)) = expected.split_once("--- standard output\n") else { continue };
        if text.starts_with('{') {
            continue;
        }
        let text = text.split("--- standard error").next().unwrap();
        let mut sources = dally_text::source::SourceMap::default();
        sources.add("sequential.bpl", text).unwrap();
        let problems = dally_bpl::load(&sources).err().unwrap_or_default();
        assert!(problems.is_empty(), "{program:?}: {:?}", problems[0].message);
    }
}

/// These tests need a C compiler, which links Rust programs as well.
#[test]
fn c() {
    compare("c");
}

#[test]
fn p() {
    compare("p");
}

/// The examples of rules, which lower the bounds of their bugs.
#[test]
fn rules() {
    compare("rules");
}

#[test]
fn errors() {
    compare("errors");
}

#[test]
fn unsupported() {
    compare("unsupported");
}

/// `dally print` does not change its own output.
#[test]
fn print_is_idempotent() {
    for program in programs("print") {
        let once = Command::new(env!("CARGO_BIN_EXE_dally")).arg("print").arg(&program).output().unwrap();
        let canonical = std::env::temp_dir().join(format!("dally-golden-{}.bpl", std::process::id()));
        std::fs::write(&canonical, &once.stdout).unwrap();
        let twice = Command::new(env!("CARGO_BIN_EXE_dally")).arg("print").arg(&canonical).output().unwrap();
        std::fs::remove_file(&canonical).unwrap();
        assert_eq!(String::from_utf8(once.stdout).unwrap(), String::from_utf8(twice.stdout).unwrap());
    }
}
