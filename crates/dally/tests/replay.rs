//! Traces of programs that have changed or moved, and traces as regression tests.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("dally-replays-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("traces")).unwrap();
        Folder(folder)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Runs `dally` in this folder.
    fn dally(&self, args: &[&str]) -> (Option<i32>, String) {
        dally_in(&self.0, args)
    }

    /// Writes a program, and the trace of its bug to `traces/NAME.json`.
    fn trace(&self, name: &str, program: &str) {
        let (file, trace) = (format!("{name}.bpl"), format!("traces/{name}.json"));
        self.write(&file, program);
        let (code, said) = self.dally(&["check", "--trace", &trace, &file]);
        assert_eq!(code, Some(1), "{said}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn dally_in(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_dally")).args(args).current_dir(folder).output();
    let Output { status, stdout, stderr } = run.unwrap();
    let said = String::from_utf8(stdout).unwrap() + std::str::from_utf8(&stderr).unwrap();
    (status.code(), said)
}

const PROGRAM: &str = "var x: int;
procedure unused() { x := 7; }
procedure main() {
  x := 1;
  call {:async} other();
  yield;
  assert x == 1;
}
procedure other() { x := 2; }
";

#[test]
fn edits_of_other_lines_are_tolerated() {
    let folder = Folder::new("edits");
    folder.trace("p", PROGRAM);
    let replay = |program: &str| {
        folder.write("p.bpl", program);
        folder.dally(&["replay", "traces/p.json"])
    };
    let (code, said) = replay(PROGRAM);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with("the bug is confirmed: an assertion does not hold (p.bpl:7:3)\n"), "{said}");
    // Lines before the failure move it.
    let (code, said) = replay(&PROGRAM.replace("x := 7;", "x := 8;\n\n"));
    assert_eq!(code, Some(1), "{said}");
    let expected = "an assertion does not hold (p.bpl:9:3) (the program has changed, but not the lines";
    assert!(said.contains(expected), "{said}");
    let (code, said) = replay(&PROGRAM.replace("x := 2;", "x := 3;"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("(the program has changed: step 2 executes `x := 3;` now)"), "{said}");
    let (code, said) = replay(&PROGRAM.replace("x := 2;", "x := 1;"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("passes: the program has changed"), "{said}");
    let (code, said) = replay(&PROGRAM.replace("x := 2;", "assert x == 5;"));
    assert_eq!(code, Some(1), "{said}");
    // The message is the expected one, but at an earlier step: the execution is shown up to it.
    assert!(said.contains("step 2 executes `assert x == 5;` now"), "{said}");
    let (code, said) = replay(&PROGRAM.replace("call {:async} other();", ""));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cannot be followed any more: step 2: task 1 is not enabled"), "{said}");
    let (code, said) = replay("procedure main() { x := 1; }");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("it has errors now") && said.contains("(p.bpl:1:20)"), "{said}");
    let (_, said) = replay(&PROGRAM.replace("x := 7;", "x := ;"));
    assert!(said.contains("it has errors now") && said.contains("(p.bpl:2:"), "{said}");
}

#[test]
fn files_are_found_from_any_folder() {
    let folder = Folder::new("folders");
    folder.trace("p", PROGRAM);
    let traces = folder.0.join("traces");
    let (code, said) = dally_in(&traces, &["replay", "p.json"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("(../p.bpl:7:3)"), "{said}");
    // A trace that was moved alone: the files are in the current folder.
    let elsewhere = Folder::new("elsewhere");
    std::fs::rename(traces.join("p.json"), elsewhere.0.join("p.json")).unwrap();
    let moved = elsewhere.0.join("p.json");
    let (code, said) = folder.dally(&["replay", moved.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = elsewhere.dally(&["replay", "p.json"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cannot read `p.bpl`"), "{said}");
}

#[cfg(unix)]
#[test]
fn traces_in_subfolders_are_replayed() {
    let folder = Folder::new("subfolders");
    std::fs::create_dir_all(folder.0.join("traces/b/deep")).unwrap();
    for name in ["c", "b/deep/x", "b/a"] {
        let trace = format!("traces/{name}.json");
        folder.write("p.bpl", PROGRAM);
        let (code, said) = folder.dally(&["check", "--trace", &trace, "p.bpl"]);
        assert_eq!(code, Some(1), "{said}");
    }
    // A cycle of folders.
    std::os::unix::fs::symlink("..", folder.0.join("traces/b/up")).unwrap();
    let (code, said) = folder.dally(&["replay", "traces"]);
    assert_eq!(code, Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    for (line, file) in lines.iter().zip(["b/a", "b/deep/x", "c"]) {
        assert!(line.starts_with(&format!("still fails         traces/{file}.json: ")), "{said}");
    }
    assert_eq!(lines[3], "3 traces: 3 still fail");
}

#[test]
fn a_folder_of_traces_is_a_regression_test() {
    let folder = Folder::new("regressions");
    let program = |expected: u32| format!("procedure main() {{ assert {expected} == 1; }}");
    for name in ["a", "b", "c"] {
        folder.trace(name, PROGRAM);
    }
    folder.trace("d", &program(2));
    let (code, said) = folder.dally(&["replay", "traces"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.ends_with("\n4 traces: 4 still fail\n"), "{said}");
    folder.write("b.bpl", &PROGRAM.replace("x := 2;", "x := 1;"));
    folder.write("c.bpl", &PROGRAM.replace("call {:async} other();", ""));
    folder.write("d.bpl", &program(1));
    folder.write("traces/e\u{1b}.json", "{}");
    folder.write("traces/notes.txt", "not a trace");
    let (code, said) = folder.dally(&["replay", "traces"]);
    assert_eq!(code, Some(1), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("still fails         traces/a.json: an assertion does not hold"), "{said}");
    assert_eq!(lines[1], "passes now          traces/b.json");
    assert!(lines[2].starts_with("cannot be followed  traces/c.json: the program has changed"), "{said}");
    assert_eq!(lines[3], "passes now          traces/d.json");
    assert!(lines[4].starts_with("cannot be followed  traces/e\u{fffd}.json: "), "{said}");
    assert_eq!(lines[5], "5 traces: 1 still fails, 2 pass now, 2 cannot be followed");
    let (code, said) = folder.dally(&["replay", "--json", "traces"]);
    assert_eq!(code, Some(1), "{said}");
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["traces"][1]["outcome"], "passes");
    assert_eq!(json["traces"][4]["file"], "traces/e\u{1b}.json");
    assert!(!said.contains('\u{1b}'));
    // Without a trace that fails, those that cannot be followed decide; without them, all is well.
    assert_eq!(folder.dally(&["replay", "traces/b.json", "traces/c.json"]).0, Some(3));
    assert_eq!(folder.dally(&["replay", "traces/b.json", "traces/d.json"]).0, Some(0));
    let (code, said) = folder.dally(&["replay", "."]);
    assert_eq!(code, Some(1), "folders below are searched: {said}");
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    folder.write("empty/notes.txt", "not a trace");
    let (code, said) = folder.dally(&["replay", "empty"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there are no traces"), "{said}");
}

#[test]
fn untrusted_text_is_escaped() {
    let folder = Folder::new("escapes");
    let program =
        "machine Main { start state S { entry { print \"a\u{9b}2Jb\"; assert false, \"c\u{202e}d\"; } } }";
    folder.write("p\u{1b}.p", program);
    let flags: [&[&str]; 3] = [&["--color", "never"], &["--color", "always"], &["--json"]];
    for flags in flags {
        let args = [&["check", "--trace", "traces/p.json"], flags, &["p\u{1b}.p"]].concat();
        let (code, said) = folder.dally(&args);
        assert_eq!(code, Some(1), "{said}");
        let colours = said.contains('\u{1b}');
        assert_eq!(colours, flags.contains(&"always"), "{said:?}");
        let plain = said.replace("\u{1b}[1;31m", "").replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
        let plain = plain.replace("\u{1b}[36m", "").replace("\u{1b}[0m", "");
        assert!(!plain.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{plain:?}");
    }
    for format in ["text", "sequence", "json"] {
        let (_, said) = folder.dally(&["replay", "--format", format, "traces/p.json"]);
        assert!(!said.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{said:?}");
    }
}
