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

/// A solver that holds a pipe open tells by it when it is gone.
#[test]
fn solvers_end_with_a_dally_that_is_killed() {
    use std::io::{BufRead, BufReader, Read};
    let folder = std::env::temp_dir().join(format!("dally-solvers-{}-orphan", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (solver, pipe, program) = (folder.join("z3"), folder.join("pipe"), folder.join("program.bpl"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // It has started another process, answers no query, and does not end with its input.
    let script = format!("#!/bin/sh\nexec 3> {}\nsleep 100 &\necho started >&3\nsleep 100\n", pipe.display());
    write_executable(&solver, &script);
    std::fs::write(&program, "procedure main() { var x: int; assert x * x != 17; }").unwrap();
    let mut dally = Command::new(env!("CARGO_BIN_EXE_dally"))
        .args(["verify", "--solver"])
        .args([&solver, &program])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut pipe = BufReader::new(std::fs::File::open(&pipe).unwrap());
    let mut line = String::new();
    pipe.read_line(&mut line).unwrap();
    assert_eq!(line, "started\n");
    let started = std::time::Instant::now();
    dally.kill().unwrap();
    dally.wait().unwrap();
    // The pipe ends when all processes that hold it are gone.
    assert_eq!(pipe.read_to_string(&mut line).unwrap(), 0);
    assert!(started.elapsed().as_secs() < 90, "the solver has ended by itself");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn memory_of_solvers_counts() {
    // The script stands for a solver that needs 200 MB, without an answer.
    let script = "exec tail -c 200000000 /dev/zero";
    fails("memory", script, &["--memory", "100M"], "the memory is used up");
}

/// Each entry point has its own result; a bug of one is a bug.
#[test]
fn several_entry_points_are_verified_in_turn() {
    let program = "var g: int;\n\
                   procedure good() modifies g; { g := 1; assert g == 1; }\n\
                   procedure bad() { var x: int; assert x != 17; }\n\
                   procedure none();\n";
    let output = |flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dally"));
        let mut child = command
            .args(["verify", "-"])
            .args(flags)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), program.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = output(&["--entry", "*"]);
    assert_eq!(code, Some(1), "{said}");
    let (good, bad) = (said.find("\ngood:\nproved").unwrap(), said.find("\nbad:\nbug").unwrap());
    assert!(good < bad, "{said}");
    assert!(said.ends_with("\n2 entry points: 1 with a bug, 1 without a bug\n"), "{said}");
    let (code, said) = output(&["--entry", "good, bad", "--json"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((code, lines.len()), (Some(1), 2), "{said}");
    assert!(lines[0].contains("\"verdict\":\"proved\"") && lines[0].contains("\"entry\":\"good\""));
    assert!(lines[1].contains("\"verdict\":\"bug\"") && lines[1].contains("\"entry\":\"bad\""));
    let (code, said) = output(&["--entry", "good,missing"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, said) = output(&["--entry", "good"]);
    assert_eq!((code, said.starts_with("proved")), (Some(0), true), "{said}");
    let (code, _) = output(&["--entry", "*", "--trace", "t.json"]);
    assert_eq!(code, Some(2));
}
