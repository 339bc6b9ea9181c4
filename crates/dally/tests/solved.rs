//! Traces of `dally verify`: with the values and choices of the solver, each runs again. These tests need a solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn dally(folder: &Path, command: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dally"))
        .arg(command)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A file that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        // Tests run side by side.
        let own = format!("dally-solved-{}-{:?}-{name}", std::process::id(), std::thread::current().id());
        Scratch(std::env::temp_dir().join(own))
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What `dally replay` says of a trace.
fn replayed(folder: &Path, trace: &Value) -> (Option<i32>, String) {
    let file = Scratch::new("edited.json");
    std::fs::write(&file.0, trace.to_string()).unwrap();
    let output = dally(folder, "replay", &[file.name()]);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// Verifies a program; if there is a trace, it is run again. Whether there is.
fn round_trip(folder: &Path, program: &str, flags: &[&str]) -> bool {
    let trace = Scratch::new(program);
    let found = dally(folder, "verify", &[flags, &["--trace", trace.name(), program]].concat());
    if !trace.0.exists() {
        let said = String::from_utf8(found.stdout).unwrap();
        let shown = found.status.code() == Some(1);
        assert!(!shown || said.contains("the execution was not run again"), "{program}: {said}");
        return false;
    }
    let output = dally(folder, "replay", &[trace.name()]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{program}: {said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("the bug is confirmed: "), "{program}: {said}");
    true
}

fn programs(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".bpl"));
    names.sort();
    names
}

#[test]
fn whatever_is_found_in_golden_programs_runs_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/verify");
    let mut traces = 0;
    for program in programs(&folder) {
        let text = std::fs::read_to_string(folder.join(&program)).unwrap();
        let flags = text.lines().next().and_then(|l| l.strip_prefix("// flags: ")).unwrap_or("");
        let flags: Vec<&str> = flags.split_whitespace().collect();
        traces += usize::from(round_trip(&folder, &program, &flags));
    }
    assert!(traces >= 20, "{traces}");
}

#[test]
fn whatever_is_found_in_examples_runs_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for example in [
        "bluetooth",
        "deposit",
        "fse12_example1",
        "fse12_example2",
        "fse12_fig7",
        "fse12_fig8",
        "lazy_initialisation",
        "lock_check_then_set",
        "popl11_fig3",
        "spin14_chain",
        "spin14_fig1",
        "spin14_fig4",
        "two_stage",
        "work_stealing",
        "wrong_lock",
    ] {
        assert!(round_trip(&folder, &format!("{example}.bpl"), &[]), "{example}");
    }
}

const PROGRAM: &str = "
type T; datatype D { C(n: int, b: bv8), E() }
const N: int; const m: [int]int; function f(x: int): int; var g: D;
procedure main() {
  var x: int; var b: bool; var t: T; var u: T;
  havoc x, b, t, u;
  async call p(x);
  if (*) { x := x + 1; }
  yield;
  assert !(b && t != u && x == N && f(x) == 7 && m[3] == 4 && g == C(5, 6bv8));
}
procedure p(x: int) { var y: [int, int]bool; assume y[x, N] && !y[0, 0]; }
";

/// Each of these is refused, for a reason; none is a crash.
#[test]
fn inputs_that_are_not_those_of_the_program_are_refused() {
    let program = Scratch::new("program.bpl");
    let trace = Scratch::new("trace.json");
    std::fs::write(&program.0, PROGRAM).unwrap();
    let folder = std::env::temp_dir();
    let found = dally(&folder, "verify", &["--delays", "1", "--trace", trace.name(), program.name()]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    assert_eq!(replayed(&folder, &trace).0, Some(1));
    let edit = |path: &str, value: Value| {
        let mut edited = trace.clone();
        let (parent, last) = path.rsplit_once('/').unwrap();
        match edited.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[last.parse::<usize>().unwrap()] = value,
            object => object[last] = value,
        }
        replayed(&folder, &edited)
    };
    let refused = |path: &str, value: Value, why: &str| {
        let (code, said) = edit(path, value);
        assert_eq!(code, Some(2), "{path}: {said}");
        assert!(said.contains(why), "{path}: {said}");
    };
    let all = "/inputs";
    refused(all, json!(5), "cannot be read");
    refused(all, Value::Null, "has no `inputs`");
    refused("/inputs/more", json!([]), "unknown field `more`");
    refused("/inputs/constants/N", json!("true"), "the constant `N` cannot be true");
    refused("/inputs/constants/N", json!(5), "cannot be read");
    refused("/inputs/constants/N", json!("5bv8"), "cannot be 5bv8");
    refused("/inputs/constants/N", json!("9".repeat(200_000)), "too long");
    refused("/inputs/constants/N", json!("f(".repeat(200_000)), "nested too deep");
    refused("/inputs/constants/M", json!("5"), "there is no constant `M`");
    refused("/inputs/constants/m", json!("[else true]"), "the constant `m` cannot be [else true]");
    refused("/inputs/functions/f", json!([[["1", "2"], "3"]]), "`f(1, 2)` cannot be 3");
    refused("/inputs/functions/f", json!([[["true"], "3"]]), "`f(true)` cannot be 3");
    refused("/inputs/functions/h", json!([[["1"], "3"]]), "there is no function `h`");
    refused("/inputs/divisions", json!([[false, "true", "3"]]), "only numbers are divided");
    refused("/inputs/entries", json!([7]), "there is no script 7");
    refused("/inputs/scripts", json!([]), "there is no script 0");
    refused("/inputs/scripts/0", json!({"procedure": "q", "decisions": []}), "there is no procedure `q`");
    for (decision, why) in [
        (json!({"post": 12}), "there is no script 12"),
        (json!({"choose": [[1, 2], 1u64 << 40]}), "nothing can be chosen"),
        (json!({"set": [[1, 2], [["x", "true"]]]}), "the variable `x` cannot be true"),
        (json!({"set": [[1, 2], [["z", "1"]]]}), "there is no variable `z`"),
        (json!({"set": [[1, 2], [["g", "C(1, 256bv8)"]]]}), "the variable `g` cannot be C(1, 256bv8)"),
        (json!({"set": [[1, 2], [["g", "C(1)"]]]}), "the variable `g` cannot be C(1)"),
        (json!({"set": [[2, 1], [["y", "[else true]"]]]}), "the variable `y` cannot be [else true]"),
        (json!({"jump": 1}), "unknown variant `jump`"),
    ] {
        refused("/inputs/scripts", json!([{"procedure": "main", "decisions": [decision]}]), why);
    }
    // These are about the program, but lead elsewhere.
    refused("/inputs/constants/N", json!("123456789012345678901234567890"), "what it comes to is not");
    refused("/inputs/scripts/0", json!({"procedure": "main", "decisions": []}), "does not replay");
}

#[test]
fn older_traces_are_refused_with_a_reason() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/verify");
    let trace = Scratch::new("older.json");
    dally(&folder, "verify", &["--trace", trace.name(), "run_again_equations.bpl"]);
    let mut older: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    older.as_object_mut().unwrap().remove("inputs").unwrap();
    let (code, said) = replayed(&folder, &older);
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot be run by its schedule alone"), "{said}");
}
