//! Every program of the repository goes through every translation: what comes out resolves and type checks, or there is
//! a diagnostic.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_text::code::Severity;
use std::path::{Path, PathBuf};

use dally_bpl::ProgramOptions;
use dally_sequentialize::{Bounds, Target, TranslationOptions, sequentialize};
use dally_text::source::SourceMap;

const TARGETS: [Target; 7] = [
    Target::Dfs(Bounds { delays: Some(0), rounds: 1 }),
    Target::Dfs(Bounds { delays: Some(2), rounds: 2 }),
    Target::Df(Bounds { delays: Some(1), rounds: 2 }),
    Target::Dfw(Bounds { delays: Some(2), rounds: 3 }),
    Target::LalReps { rounds: 2 },
    Target::Buffers { zields: 2, yields: 3 },
    Target::Synce { rounds: 2 },
];

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        "examples",
        "crates/bpl/tests",
        "crates/dally/tests/golden/print",
        "crates/dally/tests/golden/check",
    ];
    let files =
        folders.iter().flat_map(|f| std::fs::read_dir(root.join(f)).unwrap()).map(|f| f.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "bpl")).collect();
    files.sort();
    files
}

fn load(text: String) -> Result<dally_bpl::Program, String> {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    dally_bpl::load(&sources).map_err(|d| d[0].message.clone())
}

#[test]
fn all_programs_go_through() {
    let (mut translated, mut refused) = (0, 0);
    for file in programs() {
        let Ok(program) = load(std::fs::read_to_string(&file).unwrap()) else { continue };
        for to in TARGETS {
            for preempt in [false, true] {
                let options = TranslationOptions {
                    program: ProgramOptions { entry: None, preempt },
                    reorder: preempt,
                    ..TranslationOptions::new(to)
                };
                match sequentialize(&program, &options) {
                    Err(diagnostics) => {
                        refused += 1;
                        assert!(!diagnostics.is_empty(), "{file:?} to {to:?}");
                        for d in diagnostics {
                            let known =
                                d.severity() == Severity::Unsupported || d.message.contains("to start in");
                            assert!(
                                known && !d.message.contains("cannot be translated"),
                                "{file:?}: {}",
                                d.message
                            );
                        }
                    }
                    Ok(sequential) => {
                        translated += 1;
                        let (_, problems) = dally_bpl::check(&sequential.program.ast);
                        assert!(problems.are_warnings(), "{file:?} to {to:?}: {:?}", problems.iter().next());
                        let text = dally_bpl::print(&sequential.program.ast);
                        let again = load(text.clone()).unwrap_or_else(|e| panic!("{file:?} to {to:?}: {e}"));
                        assert_eq!(dally_bpl::print(&again.ast), text, "{file:?} to {to:?}");
                        for word in ["{:async}", "yield;", "zield;", "wait("] {
                            assert!(!text.contains(word), "{file:?} to {to:?} still has `{word}`");
                        }
                    }
                }
            }
        }
    }
    assert!(translated > 200, "{translated} translated, {refused} refused");
}
