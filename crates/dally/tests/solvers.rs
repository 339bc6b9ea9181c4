//! Solvers that crash, hang, or talk nonsense: a message and exit code 3, and never a verdict.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Runs `dally verify` with a shell script in the place of the solver: exit code and output.
fn verify_with(name: &str, script: &str, flags: &[&str]) -> (i32, String) {
    verify_text(name, script, flags, "procedure main() { var x: int; assert x * x != 17; }")
}

fn verify_text(name: &str, script: &str, flags: &[&str], text: &str) -> (i32, String) {
    let folder = std::env::temp_dir().join(format!("dally-solvers-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let solver = folder.join("z3");
    std::fs::write(&solver, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).unwrap();
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

fn fails(name: &str, script: &str, flags: &[&str], message: &str) {
    let (code, said) = verify_with(name, script, flags);
    assert_eq!(code, 3, "{name}: {said}");
    assert!(said.starts_with("inconclusive: "), "{name}: {said}");
    assert!(said.contains(message), "{name}: {said}");
}

#[test]
fn a_solver_that_ends_at_once() {
    fails("ends", "exit 7", &[], "has ended unexpectedly");
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
    let expected = format!("inconclusive: the solver `false` has ended unexpectedly; {known}\n");
    assert!(said.starts_with(&expected), "{said}");
}

#[test]
fn a_solver_with_flags_of_its_own() {
    let (code, said) = verify_by_name("echo  maybe", &["--scheduler", "df", "--delays", "1"]);
    assert_eq!(code, 3, "{said}");
    // It may have ended before it is asked.
    assert!(said.contains("`maybe`"), "{said}");
    let (code, said) = verify_by_name("no-such-solver -in", &["--delays", "1"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("the solver `no-such-solver` is not installed"), "{said}");
}

#[test]
fn what_a_solver_has_started_ends_with_it() {
    let file = std::env::temp_dir().join(format!("dally-started-{}", std::process::id()));
    let script = format!("sleep 1000 & echo $! > '{}'; cat > /dev/null; wait", file.display());
    fails("starts", &script, &["--query-time", "500ms"], "longer than --query-time allows");
    let started = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let state = || {
        let output = Command::new("ps").args(["-o", "stat=", "-p", started.trim()]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // Somebody else has to notice that it has ended.
    let ended = (0..50).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        state().trim().is_empty() || state().contains('Z')
    });
    assert!(ended, "{}", state());
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
        "does not accept this: line 1",
    );
    fails("half", "echo dally; echo '(sat'; exit 0", &[], "has ended unexpectedly");
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
    let started = std::time::Instant::now();
    let (code, said) = verify_text("exponential", "exec cat", &["--full-inlining", "--time", "1s"], &text);
    assert_eq!(code, 3, "{said}");
    assert!(said.starts_with("inconclusive: nothing is known; the time is up"), "{said}");
    assert!(started.elapsed().as_secs() < 10, "{said}");
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
