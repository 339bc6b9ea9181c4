//! What the command line does apart from programs: standard input, missing files, flags.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn dally(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn standard_input_is_read() {
    let output = dally(&["print", "-"], b"procedure main(){async call p();} procedure p(){}");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("  call {:async} p();\n"));
}

#[test]
fn several_files_are_one_program() {
    let path = std::env::temp_dir().join(format!("dally-library-{}.bpl", std::process::id()));
    std::fs::write(&path, "function twice(x: int): int;").unwrap();
    let output = dally(&["print", path.to_str().unwrap(), "-"], b"axiom twice(1) == 2;");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn missing_files_are_input_errors() {
    let output = dally(&["print", "does/not/exist.bpl"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error[E0008]: cannot read `does/not/exist.bpl`: "));

    let output = dally(&["print", "--json", "does/not/exist.bpl"], b"");
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"][0]["code"], "E0008");
    assert!(report["diagnostics"][0]["location"].is_null());
}

#[test]
fn usage_errors_have_exit_code_2() {
    for args in [&["print"][..], &["frobnicate"], &["print", "--no-such-flag", "x"], &[]] {
        assert_eq!(dally(args, b"").status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_reported_with_their_place() {
    let output = dally(&["print", "--json", "-"], b"axiom true;\naxiom \xff\xfe;");
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"][0]["code"], "E0001");
    assert_eq!(report["diagnostics"][0]["location"]["line"], 2);
    assert_eq!(report["diagnostics"][0]["location"]["column"], 7);
}

#[test]
fn json_has_the_program_or_the_errors() {
    let output = dally(&["print", "--json", "-"], b"axiom true;");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["verdict"], &report["program"]), (&"ok".into(), &"axiom true;\n".into()));

    let output = dally(&["print", "--json", "-"], b"procedure p() { yield; } yield invariant I();");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "unsupported");
    assert!(output.stderr.is_empty());
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    let plain = dally(&["print", "-"], b"axiom x;");
    assert!(!text(&plain.stderr).contains('\u{1b}'));
    let coloured = dally(&["print", "--color", "always", "-"], b"axiom x;");
    assert!(text(&coloured.stderr).contains('\u{1b}'));
}

#[test]
fn help_teaches() {
    let help = dally(&["print", "--help"], b"");
    assert!(text(&help.stdout).contains("async call p(e);"));
    let version = dally(&["--version"], b"");
    assert!(text(&version.stdout).starts_with("dally "));
    let script = dally(&["completions", "bash"], b"");
    assert!(text(&script.stdout).contains("complete -F _dally"));
}

#[test]
fn the_readme_shows_what_is_printed() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(["print", "examples/misspelt.bpl"])
        .current_dir(&root)
        .output()
        .unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let shown = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(text(&output.stderr).starts_with(shown), "{}", text(&output.stderr));
    let good = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(["print", "examples/deposit.bpl"])
        .current_dir(&root)
        .output()
        .unwrap();
    assert_eq!(good.status.code(), Some(0));
}
