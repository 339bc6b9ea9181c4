//! Solvers that crash, hang, or talk nonsense: a message and exit code 3, and never a verdict.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// Runs `dally verify` with a shell script in the place of the solver: exit code and output.
fn verify_with(name: &str, script: &str, flags: &[&str]) -> (i32, String) {
    verify_text(name, script, flags, "procedure main() { var x: int; assert x * x != 17; }")
}

fn verify_text(name: &str, script: &str, flags: &[&str], text: &str) -> (i32, String) {
    let folder = std::env::temp_dir().join(format!("dally-solvers-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let solver = folder.join("z3");
    write_executable(&solver, &format!("#!/bin/sh\n{script}\n"));
    let program = folder.join("program.bpl");
    std::fs::write(&program, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dally"))
        .arg("verify")
        .arg("--solver")
        .arg(&solver)
        .args(flags)
        .arg(&program)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Writes a script that can be run. Another process writes it: if this one did, a child that another test starts at the
/// same time could inherit the open file, and a file that is open for writing cannot be run.
fn write_executable(path: &Path, text: &str) {
    let write = "printf %s \"$2\" > \"$1\" && chmod +x \"$1\"";
    let status = Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(text).status().unwrap();
    assert!(status.success(), "{}", path.display());
}

fn fails(name: &str, script: &str, flags: &[&str], message: &str) {
    let (code, said) = verify_with(name, script, flags);
    assert_eq!(code, 3, "{name}: {said}");
    assert!(said.starts_with("inconclusive: "), "{name}: {said}");
    assert!(said.contains(message), "{name}: {said}");
}

#[test]
fn a_solver_that_ends_at_once() {
    fails("ends", "exit 7", &[], "terminated unexpectedly (exit status: 7)\n");
    let message =
        "terminated unexpectedly (exit status: 7); its output is `usage`; its error output is `no license`\n";
    fails("complains", "echo no license >&2; printf usage; exit 7", &[], message);
    // Processes that hold its error output open do not hold up the report.
    fails("leaves", "sleep 1000 > /dev/null & exit 7", &[], "terminated unexpectedly (exit status: 7)\n");
    fails("killed", "kill -9 $$", &[], "terminated unexpectedly (signal: 9 (SIGKILL))\n");
    fails("reads", "cat > /dev/null", &["--time", "1s"], "the time is up");
}

/// Runs `dally verify` with the name of a solver: exit code and output.
fn verify_by_name(solver: &str, flags: &[&str]) -> (i32, String) {
    let text = "var g: int;
                procedure main() { var t: task; g := 0; call {:async} t := p(); call wait(t); assert g == 2; }
                procedure p() { var t: task; g := g + 1; call {:async} t := q(); call wait(t); }
                procedure q() { g := g + 1; }";
    let program =
        std::env::temp_dir().join(format!("dally-named-{}-{}.bpl", std::process::id(), solver.len()));
    std::fs::write(&program, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dally"));
    let output = command.args(["verify", "--solver", solver]).args(flags).arg(&program).output().unwrap();
    std::fs::remove_file(&program).unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// With no delays, there is nothing to ask.
#[test]
fn what_is_known_comes_after_what_breaks() {
    let (code, said) = verify_by_name("false", &["--scheduler", "df", "--delays", "1"]);
    assert_eq!(code, 3, "{said}");
    let known = "all that is known is that no execution with at most 0 delays under df fails";
    let expected =
        format!("inconclusive: the solver `false` terminated unexpectedly (exit status: 1); {known}\n");
    assert!(said.starts_with(&expected), "{said}");
}

#[test]
fn a_solver_with_flags_of_its_own() {
    let (code, said) = verify_by_name("echo  maybe", &["--scheduler", "df", "--delays", "1"]);
    assert_eq!(code, 3, "{said}");
    let message =
        "inconclusive: `echo  maybe` does not answer as a solver does, but with `maybe`; all that is known";
    assert!(said.starts_with(message), "{said}");
    let (code, said) = verify_by_name("no-such-solver -in", &["--delays", "1"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("the solver `no-such-solver` is not installed"), "{said}");
}

#[test]
fn a_solver_that_hangs() {
    fails("hangs", "exec sleep 1000", &["--query-time", "300ms"], "longer than --query-time allows");
    fails("total", "exec sleep 1000", &["--time", "300ms"], "the time is up");
}

#[test]
fn a_solver_that_talks_nonsense() {
    fails("nonsense", "echo dally; echo maybe; exec cat > /dev/null", &[], "the solver answers `maybe`");
    fails(
        "error",
        "echo dally; echo '(error \"line 1\")'; exec cat > /dev/null",
        &[],
        "reports an error: line 1",
    );
    let message = "terminated unexpectedly (exit status: 0); its output is `(sat`\n";
    fails("half", "echo dally; echo '(sat'; exit 0", &[], message);
    fails("endless", "yes '(' ", &["--time", "1s"], "");
}

/// `sat` without a model that leads to a failure is no bug.
#[test]
fn a_solver_that_lies() {
    let script = "while read line; do case \"$line\" in *echo*) echo dally;; *check-sat*) echo sat;; *get-value*) echo '()';; esac; done";
    fails("lies", script, &["--time", "5s"], "");
}

#[test]
fn an_answer_to_nothing() {
    let message = "does not answer as a solver does, but with `unsat`";
    fails("unasked", "echo unsat; exec cat > /dev/null", &[], message);
    fails("always", "exec yes unsat", &[], message);
}

/// An answer of `unsat` cannot be told from a true one, but it has to be that word.
#[test]
fn words_that_begin_like_an_answer() {
    fails(
        "unsatisfied",
        "echo dally; echo unsatisfied; exec cat > /dev/null",
        &[],
        "the solver answers `unsatisfied`",
    );
}

/// A program with 2^40 calls: the time ends inlining in its middle.
#[test]
fn time_ends_inlining() {
    let mut text = String::from("var g: int;\nprocedure main() { call p0(); }\n");
    for i in 0..40 {
        let next = i + 1;
        text += &format!("procedure p{i}() {{ g := g * 3 + {i}; call p{next}(); call p{next}(); }}\n");
    }
    text += "procedure p40() { assert g != 7; }\n";
    // Without the limit it would not terminate.
    let (code, said) = verify_text("exponential", "exec cat", &["--full-inlining", "--time", "1s"], &text);
    assert_eq!(code, 3, "{said}");
    assert!(said.starts_with("inconclusive: nothing is known; the time is up"), "{said}");
}

/// One that forgets what it was told has a model for everything. Nothing fails when it is run.
#[test]
fn a_solver_that_forgets() {
    let forgets = "sed -u 's/^(assert .*$/(push 1)(pop 1)/' | z3 \"$@\"";
    let (code, said) =
        verify_text("forgets", forgets, &[], "procedure main() { var x: int; assert x * x >= 0; }");
    assert_eq!(code, 3, "{said}");
    assert!(said.starts_with("inconclusive: ") && said.contains("or of the solver"), "{said}");
}
