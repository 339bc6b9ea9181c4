//! Output of the command line: closed and full outputs, long inputs, units, programs without a name.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::dally;

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A fresh folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dally-output-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn dally_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dally"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

const PROGRAM: &str = "var x: int; procedure main() { x := 1; assert x == 1; }";

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_is_an_error() {
    let full = folder("full", &[("a.bpl", PROGRAM)]);
    for args in [&["--help"][..], &["check", "--help"], &["--version"], &["check", "a.bpl"]] {
        let sink = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dally"));
        let output = command.args(args).current_dir(&full).stdout(sink).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).starts_with("error: cannot write the output: "), "{args:?}");
    }
    std::fs::remove_dir_all(full).unwrap();
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dally"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.arg("--help").stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn messages_quote_little_of_a_long_input() {
    let long = "x".repeat(2_000_000);
    let files = folder(
        "long",
        &[
            ("string.json", &format!("\"{long}\"")),
            ("schedule.json", &format!("{{\"schedule\":\"{long}\"}}")),
            ("a.pproj", &long),
            ("name.bpl", &format!("procedure main() {{ assert {long}; }}")),
            ("entry.bpl", &format!("procedure {long}() {{ }}")),
        ],
    );
    let flag = format!("--liveness={}", &long[..100_000]);
    for args in [
        &["replay", "string.json"][..],
        &["replay", "schedule.json"],
        &["check", "a.pproj"],
        &["check", "name.bpl"],
        &["check", "entry.bpl"],
        &["check", &flag, "name.bpl"],
        &["check", "--scheduler", &long[..100_000], "name.bpl"],
        &["check", &long[..100_000]],
    ] {
        for json in [&[][..], &["--json"]] {
            if !json.is_empty() && args[0] == "replay" {
                continue;
            }
            let output = dally_in(&files, &[args, json].concat());
            assert_ne!(output.status.code(), Some(0));
            let written = output.stdout.len() + output.stderr.len();
            assert!(written < 10_000, "{written} bytes for {:.20} {:.20}", args[0], args[1]);
        }
    }
    std::fs::remove_dir_all(files).unwrap();
}

#[test]
fn time_and_memory_need_units() {
    for (flag, unit) in [("--time", "time unit needed"), ("--memory", "memory unit needed, for example 4G")] {
        let output = dally(&["check", flag, "4", "-"], PROGRAM.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(unit), "{}", stderr(&output));
    }
    let output = dally(&["check", "--time", "banana", "-"], PROGRAM.as_bytes());
    assert!(stderr(&output).contains("such as 30s"), "{}", stderr(&output));
    for memory in ["4G", "500M", "1.5GB", "64 MiB"] {
        let output = dally(&["check", "--memory", memory, "-"], PROGRAM.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{memory}: {}", stderr(&output));
    }
}

#[test]
fn the_program_of_the_current_folder_needs_no_name() {
    let one = folder("one", &[("a.bpl", PROGRAM), ("notes.txt", ""), (".hidden.bpl", "")]);
    for command in ["check", "sequentialize"] {
        assert_eq!(dally_in(&one, &[command]).status.code(), Some(0), "{command}");
    }
    let trace = dally_in(&one, &["check", "--json"]);
    assert!(stdout(&trace).contains("\"verdict\":\"proved\""));

    let project = "<Project><ProjectName>T</ProjectName><InputFiles><PFile>./</PFile></InputFiles></Project>";
    let machine = "machine M { start state S { entry { assert true; } } } test t [main = M]: { M };";
    let files = [("t.pproj", project), ("a.p", machine), ("b.p", "event unused;"), ("c.bpl", PROGRAM)];
    let project = folder("project", &files);
    assert_eq!(stdout(&dally_in(&project, &["check", "--list-tests"])), "t\n");

    let two = folder("two", &[("a.bpl", PROGRAM), ("b.bpl", PROGRAM)]);
    let none = folder("none", &[]);
    for (folder, why) in [(&two, "2 programs, such as `a.bpl` and `b.bpl`"), (&none, "there is no program")] {
        let output = dally_in(folder, &["check"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    for folder in [one, project, two, none] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn nested_depth_first_search_counts_the_states_before_a_failure() {
    let program = "var {:hot} waits: bool; var x: int;
        procedure main() { waits := true; x := 0; call {:async} a(); yield; x := 1; }
        procedure a() { assert x == 0; waits := false; }";
    let output = dally(&["check", "--liveness", "ndfs", "-"], program.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let covered = stdout(&output).lines().last().unwrap().to_owned();
    assert!(covered.starts_with("covered 4 states, 4 transitions"), "{covered}");
}

/// A bug ends the search of its bound, which is not covered then.
#[test]
fn a_bug_does_not_claim_its_bound_as_covered() {
    let program = "var x: int; procedure main() { x := 0; call {:async} a(); yield; x := 1; }
        procedure a() { assert x == 1; }";
    let output = dally(&["check", "--scheduler", "rr", "-"], program.as_bytes());
    let covered = stdout(&output).lines().last().unwrap().to_owned();
    assert!(covered.starts_with("covered up to 1 delay under rr (not completed): "), "{covered}");
    let json = dally(&["check", "--scheduler", "rr", "--json", "-"], program.as_bytes());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["coverage"]["bound"], &json["coverage"]["completed_bound"]), (&1.into(), &0.into()));
}

#[test]
fn verdicts_name_the_scheduling_points() {
    let program = "var x: int; procedure main() { x := 0; call {:async} a(); } procedure a() { x := 1; }";
    let line = "tasks switch only where they yield, wait or end; --preempt adds each access";
    for (command, flags) in [("check", &[][..]), ("verify", &["--delays", "1"])] {
        for (preempt, word) in [(&[][..], "explicit"), (&["--preempt"], "accesses")] {
            let args = [&[command, "-"], flags, preempt].concat();
            let text = stdout(&dally(&args, program.as_bytes()));
            assert_eq!(text.contains(line), preempt.is_empty(), "{args:?}: {text}");
            let json = dally(&[&args[..], &["--json"]].concat(), program.as_bytes());
            let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
            assert_eq!(json["scheduling_points"], word, "{args:?}");
        }
        // A sequential program has one task.
        let text = stdout(&dally(&[&[command, "-"], &[][..]].concat(), PROGRAM.as_bytes()));
        assert!(text.starts_with("proved") && !text.contains(line), "{text}");
    }
}

/// A program whose second task never ends, with a statement at which it yields.
const SERVICE: &str = "var x: int;
procedure main() { x := 0; async call serve(); async call client(); }
procedure serve()
{
    while (true)
    {
        x := x + 1;
        yield;
    }
}
procedure client() { yield; assert x >= 0; }
";

#[test]
fn an_inconclusive_verdict_says_which_task_keeps_running() {
    let again = "procedure main() { async call again(0); }
        procedure again(n: int) { async call again(n + 1); }";
    let p = "event eTick: int;
        machine Main { start state Run { entry { send this, eTick, 0; }
            on eTick do (n: int) { send this, eTick, n + 1; } } }
        test only [main = Main]: { Main };";
    let files = folder("running", &[("serve.bpl", SERVICE), ("again.bpl", again), ("tick.p", p)]);
    let check = |file: &str, more: &[&str]| {
        let flags = ["check", "--memory", "2M", "--threads", "1", file];
        let output = dally_in(&files, &[&flags[..], more].concat());
        assert_eq!(output.status.code(), Some(3), "{file}");
        stdout(&output)
    };
    let serve = check("serve.bpl", &[]);
    assert!(serve.contains("\nserve (task 1) keeps running: it took "), "{serve}");
    assert!(
        serve.contains(" steps of an execution that goes on, such as the one at serve.bpl:8:9\n"),
        "{serve}"
    );
    assert!(
        serve.contains("give it an end, cut executions off with --steps N, or leave states out"),
        "{serve}"
    );
    let json: serde_json::Value = serde_json::from_str(&check("serve.bpl", &["--json"])).unwrap();
    assert_eq!(json["running"]["task"]["name"], "serve");
    assert_eq!(json["running"]["location"]["line"], 8);
    assert_eq!(json["running"]["reposted"], false);
    let again = check("again.bpl", &[]);
    assert!(again.contains("\ntasks such as again (task "), "{again}");
    assert!(again.contains(" are posted again and again, in an execution of "), "{again}");
    let tick = check("tick.p", &[]);
    assert!(tick.contains("\nMain(0) keeps running: it took "), "{tick}");
    assert!(tick.contains("give it an end, or cut executions off with --steps N\n"), "{tick}");
    // With these, bounds complete.
    for flag in [["--steps", "300"], ["--constraint", "x < 300"]] {
        let output = dally_in(&files, &["check", "--delays", "1", flag[0], flag[1], "serve.bpl"]);
        assert_eq!(output.status.code(), Some(0), "{flag:?}");
        assert!(stdout(&output).starts_with("no bug found within 1 delay"), "{flag:?}: {}", stdout(&output));
    }
    std::fs::remove_dir_all(files).unwrap();
}
