//! Runs the front end on the test folders of Boogie and Corral.
//!
//! ```text
//! corpus boogie PATH/Test [--lib PATH/Source/Core]
//! corpus corral PATH/test
//! ```
//!
//! `boogie` counts the programs outside of `civl` that get the expected result: if the expectation
//! has a parse, resolution or type error, the program must be rejected, otherwise accepted. A
//! program that is run with `-lib:NAME` is loaded together with that library. `corral` counts the
//! programs that are accepted, and accepted again after printing. A file that is part of a program
//! is loaded together with the other parts.

use dally_text::code::Severity;
use std::path::{Path, PathBuf};

use dally_text::diagnostic::Diagnostic;
use dally_text::source::SourceMap;

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["boogie", root] => boogie(Path::new(root), None),
        ["boogie", root, "--lib", lib] => boogie(Path::new(root), Some(Path::new(lib))),
        ["corral", root] => corral(Path::new(root)),
        _ => println!("usage: corpus boogie PATH/Test [--lib PATH/Source/Core] | corpus corral PATH/test"),
    }
}

/// All programs below a folder, sorted.
fn programs(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "bpl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Loads and prints a program, then loads and prints the result: both texts must be equal.
fn round_trip(files: &[PathBuf], prelude: &str) -> (SourceMap, Result<(), Vec<Diagnostic>>) {
    let mut sources = SourceMap::default();
    if sources.add("prelude", prelude).is_err() {
        return (sources, Err(Vec::new()));
    }
    for file in files {
        let text = std::fs::read(file).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
        if sources.add(file.display().to_string(), text).is_err() {
            return (sources, Err(Vec::new()));
        }
    }
    let result = dally_bpl::load(&sources).and_then(|program| {
        let text = dally_bpl::print(&program.ast);
        let mut printed = SourceMap::default();
        match printed.add("printed", text.clone()) {
            Ok(_) => dally_bpl::load(&printed).and_then(|again| {
                if dally_bpl::print(&again.ast) == text { Ok(()) } else { Err(Vec::new()) }
            }),
            Err(_) => Err(Vec::new()),
        }
    });
    (sources, result)
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn boogie(root: &Path, lib: Option<&Path>) {
    let (mut total, mut same) = (0, 0);
    for program in programs(root).iter().filter(|p| !p.components().any(|c| c.as_os_str() == "civl")) {
        let expectation = program.with_extension("bpl.expect");
        let Ok(expectation) = std::fs::read_to_string(expectation) else { continue };
        let expect_reject = ["parse", "name resolution", "type checking"]
            .iter()
            .any(|kind| expectation.contains(&format!("{kind} errors detected")));
        let text = std::fs::read(program).unwrap_or_default();
        let mut files = vec![program.clone()];
        files.extend(libraries(&String::from_utf8_lossy(&text), lib));
        let (sources, result) = round_trip(&files, "");
        total += 1;
        if result.is_err() == expect_reject {
            same += 1;
        } else {
            report(program, &sources, result.err());
        }
    }
    println!("boogie: {same} of {total} as expected ({:.1} %)", 100.0 * f64::from(same) / f64::from(total));
}

/// The libraries that the program's header names.
fn libraries(text: &str, lib: Option<&Path>) -> Vec<PathBuf> {
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines().filter(|l| l.contains("RUN:")) {
        for word in line.split_whitespace() {
            if let Some(name) = word.strip_prefix("-lib:").or_else(|| word.strip_prefix("/lib:"))
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    lib.into_iter().flat_map(|lib| names.iter().map(move |n| lib.join(format!("{n}.bpl")))).collect()
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn corral(root: &Path) {
    let (mut total, mut accepted) = (0, 0);
    for folder in ["regression", "fwdbck", "old-regressions"] {
        for program in programs(&root.join(folder)) {
            let (sources, result) = round_trip(&with_concatenated(&program), prelude(&program));
            total += 1;
            match result {
                Ok(()) => accepted += 1,
                Err(diagnostics) => report(&program, &sources, Some(diagnostics)),
            }
        }
    }
    println!("corral: {accepted} of {total} accepted and round-tripped");
}

/// The program with the files that its `config` concatenates: they are parts of one program.
fn with_concatenated(program: &Path) -> Vec<PathBuf> {
    let config = std::fs::read_to_string(program.with_file_name("config")).unwrap_or_default();
    let mut others = config.lines().filter_map(|l| l.trim().strip_prefix("/concat:")).peekable();
    if others.peek().is_none() {
        return vec![program.to_owned()];
    }
    let mut files: Vec<PathBuf> = others.map(|name| program.with_file_name(name)).collect();
    if files.iter().any(|file| file == program) {
        files = program.parent().map(programs).unwrap_or_default();
    } else {
        files.push(program.to_owned());
    }
    files
}

/// Declarations that a file needs. One file is a library of stubs for programs translated from C#,
/// and uses declarations that the translator writes into each program.
fn prelude(program: &Path) -> &'static str {
    if program.file_name().is_some_and(|name| name == "poirot_stubs.bpl") {
        "type Ref; type Union = Ref; type Type;
         function Int2Union(int): Union; function Union2Int(Union): int; function $DynamicType(Ref): Type;
         procedure Alloc() returns (x: Ref);"
    } else {
        ""
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
fn report(program: &Path, sources: &SourceMap, diagnostics: Option<Vec<Diagnostic>>) {
    let Some(diagnostics) = diagnostics else { return println!("{}: accepted", program.display()) };
    let unsupported = diagnostics.iter().all(|d| d.severity() == Severity::Unsupported);
    let word = if unsupported && !diagnostics.is_empty() { "unsupported" } else { "rejected" };
    println!("{}: {word}", program.display());
    if let Some(d) = diagnostics.first() {
        let line = sources.location(d.primary.span).map_or(0, |p| p.line);
        println!("    line {line}: {}: {}", d.code, d.message);
    }
}
