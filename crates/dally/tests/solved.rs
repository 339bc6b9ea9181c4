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

/// The exit code and the output of `dally replay` for a trace.
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
        assert_ne!(found.status.code(), Some(1), "{program}: {said}");
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
    let long = "a".repeat(100_000);
    let (code, said) = edit(&format!("/inputs/{long}"), json!([]));
    assert!(code == Some(2) && said.len() < 1000, "{said}");
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
    refused("/inputs/functions/f", json!([[["1"], "3"], [["1"], "4"]]), "`f(1)` cannot be both 3 and 4");
    refused("/inputs/variables", json!({"z": ["1"]}), "there is no variable `z`");
    refused("/inputs/divisions", json!([[false, "true", "3"]]), "a quotient by zero takes numbers");
    refused("/inputs/divisions", json!([[true, "1.0", "3"]]), "a remainder by zero takes integers");
    refused("/inputs/entries", json!([7]), "there is no script 7");
    refused("/inputs/scripts", json!([]), "there is no script 0");
    refused("/inputs/scripts/0", json!({"procedure": "q", "decisions": []}), "there is no procedure `q`");
    for (decision, why) in [
        (json!({"post": 12}), "there is no script 12"),
        (json!({"choose": [[1, 2], 1u64 << 40]}), "there is no option"),
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
    refused(
        "/inputs/constants/N",
        json!("123456789012345678901234567890"),
        "does not end in the failure of the trace",
    );
    refused("/inputs/scripts/0", json!({"procedure": "main", "decisions": []}), "does not replay");
}

/// A trace whose inputs violate axioms or ranges does not confirm a bug.
#[test]
fn axioms_and_ranges_hold_for_what_is_given() {
    let program = Scratch::new("ranges.bpl");
    let trace = Scratch::new("ranges.json");
    let text = "const N: int; const M: int; axiom N > 5; axiom M == N + 1; var {:range 0, 3} g: int;
                procedure main() { havoc g; if (*) { assert N != 9 || g != 2; } assert M != 4 && g < 9; }";
    std::fs::write(&program.0, text).unwrap();
    let folder = std::env::temp_dir();
    let found = dally(&folder, "verify", &["--trace", trace.name(), program.name()]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    assert_eq!(replayed(&folder, &trace).0, Some(1));
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut edited = trace.clone();
        edit(&mut edited);
        let (code, said) = replayed(&folder, &edited);
        assert_eq!(code, Some(2), "{said}");
    };
    edited(&|trace| trace["inputs"]["constants"] = json!({}));
    edited(&|trace| trace["inputs"]["constants"] = json!({"N": "9"}));
    edited(&|trace| trace["inputs"]["constants"] = json!({"N": "9", "M": "4"}));
    // Another value of the variable is no other bug; one out of its range is none.
    let set = trace["inputs"]["scripts"][0]["decisions"].as_array().unwrap().iter();
    let nth = set.clone().position(|decision| decision.get("set").is_some()).unwrap();
    for value in ["4", "-1", "100000000000000000000"] {
        edited(&|trace| {
            trace["inputs"]["scripts"][0]["decisions"][nth]["set"][1] = json!([["g", value]]);
        });
    }
}

/// Inputs that violate a quantified axiom do not confirm a bug. Functions are arbitrary where no axiom constrains them.
#[test]
fn quantified_axioms_hold_for_what_is_given() {
    let program = Scratch::new("quantified.bpl");
    let trace = Scratch::new("quantified.json");
    let text = "function f(x: int): int; function h(b: bool, x: int): int; const c: int;
                axiom (forall x: int :: {f(x)} f(x) >= 0);
                axiom (forall b: bool, x: int :: {h(b, x)} b ==> h(b, x) == x);
                procedure main() { assert !(c > 3 && f(c) == 7 && h(true, c) == c); }";
    std::fs::write(&program.0, text).unwrap();
    let folder = std::env::temp_dir();
    let found = dally(&folder, "verify", &["--trace", trace.name(), program.name()]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    assert_eq!(trace["notes"], Value::Null);
    for (function, point, expected) in [
        ("f", json!([["99"], "1"]), 1),
        ("f", json!([["99"], "-1"]), 2),
        ("h", json!([["false", "5"], "6"]), 1),
        ("h", json!([["true", "5"], "5"]), 1),
        ("h", json!([["true", "5"], "6"]), 2),
    ] {
        let mut edited = trace.clone();
        edited["inputs"]["functions"][function].as_array_mut().unwrap().push(point.clone());
        let (code, said) = replayed(&folder, &edited);
        assert_eq!(code, Some(expected), "{function} {point}: {said}");
    }
}

#[test]
fn older_traces_are_refused_with_a_reason() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/verify");
    let trace = Scratch::new("older.json");
    dally(&folder, "verify", &["--trace", trace.name(), "replay_equations.bpl"]);
    let mut older: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    older.as_object_mut().unwrap().remove("inputs").unwrap();
    let (code, said) = replayed(&folder, &older);
    assert_eq!(code, Some(2));
    assert!(said.contains("has no `inputs`"), "{said}");
}

/// Verifies a program of which the bug is known, and runs it again: what was said.
fn found_in(text: &str) -> String {
    let program = Scratch::new("found.bpl");
    let trace = Scratch::new("found.json");
    std::fs::write(&program.0, text).unwrap();
    let folder = std::env::temp_dir();
    let found = dally(&folder, "verify", &["--trace", trace.name(), program.name()]);
    let said = String::from_utf8(found.stdout).unwrap();
    assert_eq!(found.status.code(), Some(1), "{text}: {said}");
    assert!(said.starts_with("bug: ") && !said.contains("defect"), "{text}: {said}");
    let output = dally(&folder, "replay", &[trace.name()]);
    let again = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}: {again}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.contains(MENTIONS), again.contains(MENTIONS));
    said
}

const MENTIONS: &str = "quantifiers were evaluated for the values that the execution mentions";

#[test]
fn bugs_with_reals_run_again() {
    let said = found_in(
        "procedure main() { var x, y: real; assume x > 0.0 && y == x / 3.0 && int(x) == 2; assert x + y < 2.75; }",
    );
    assert!(said.contains("x = ") && !said.contains(MENTIONS), "{said}");
    // A map of reals, a field, a constant, and what comes out of a division by zero.
    found_in(
        "datatype D { C(r: real) } const c: real; axiom c > 1.5 && c < 1.75; var m: [real]real; var d: D;
         procedure main() { assert !(m[c] == 0.25 && m[2.0 * c] == -1e-3 && d == C(c) && d->r / 0.0 == 7.5); }",
    );
}

#[test]
fn bugs_with_wide_bitvectors_run_again() {
    let said = found_in(
        "function {:bvbuiltin \"bvmul\"} mul(a: bv128, b: bv128): bv128;
         function {:bvbuiltin \"bvugt\"} gt(a: bv128, b: bv128): bool;
         procedure main() {
           var a: bv128; var m: [bv128]bv65;
           assume gt(a, 1bv128);
           assume mul(a, 3bv128) == 1bv128 && m[a][65:1] == 9bv64;
           assert a[128:64] == 0bv64;
         }",
    );
    // The inverse of 3 modulo 2^128.
    assert!(said.contains("226854911280625642308916404954512140971"), "{said}");
}

#[test]
fn bugs_with_quantifiers_run_again() {
    for text in [
        // In an assertion: the solver names a value for which it does not hold.
        "procedure main() { var m: [int]int; var n: int; assume n > 40;
           assert (forall i: int :: 17 < i && i < n ==> m[i] != i + 5); }",
        // In an assumption.
        "procedure main() { var m: [int]int; assume (exists i: int :: i > 1000 && m[i] == 7 && m[i + 1] == 8);
           assert (forall i: int :: m[i] != 8); }",
        // In a contract of a procedure that is called.
        "procedure p(m: [int]int, n: int) requires (forall i: int :: 0 <= i && i < n ==> m[i] >= 0); { }
         procedure main() { var m: [int]int; var n: int; assume n > 100 && m[5] == 1; call p(m, n); }",
        // One inside of another, over reals.
        "procedure main() { var m: [real]bool; assert (forall x: real :: x > 3.0 ==>
           (exists y: real :: y > x && m[y])); }",
        // In a function that the program defines.
        "function sorted(m: [int]int, n: int): bool { (forall i, j: int :: 0 <= i && i < j && j < n ==> m[i] <= m[j]) }
         procedure main() { var m: [int]int; assume sorted(m, 3); m[0] := m[2]; assert sorted(m, 3); }",
        // Over a type without a definition.
        "type T; procedure main() { var s: [T]bool; var a: T; assume s[a]; assert (forall t: T :: s[t]); }",
    ] {
        assert!(found_in(text).contains(MENTIONS), "{text}");
    }
    // Axioms are the solver's; what there is few of is tried out.
    let said = found_in(
        "function f(x: int): int; axiom (forall x: int :: {f(x)} f(x) >= 0); datatype C { Red(), Green(b: bool) }
         procedure main() { var m: [C]bool; var b: bv4;
           assume (forall c: C :: c is Green ==> m[c]); assert (exists c: C :: !m[c]) && f(3) != 8; }",
    );
    assert!(!said.contains(MENTIONS), "{said}");
}

#[test]
fn lambdas_run_again_where_they_are_read() {
    found_in(
        "procedure main() { var m: [int]int; var k: int; m := (lambda i: int :: i * 2 + k); assert m[7] != 27; }",
    );
}

#[test]
fn the_only_task_has_the_number_one() {
    let said = found_in(
        "procedure main(a: int) { var t: int; call t := corral_getThreadID(); assert t == 1; assert a == 0; }",
    );
    assert!(said.contains("t = 1") && said.contains("a = "), "{said}");
}

/// A counterexample that cannot be replayed is not reported as a bug, in text and as JSON.
#[test]
fn values_that_cannot_be_read_are_told_apart() {
    for (text, why) in [
        ("procedure main(x: real) { assert x <= 0.0 || x * x != 2.0; }", "that are not fractions"),
        ("procedure main(x: real) { assert x != 1e9000 * 1e9000; }", "that have too many digits"),
        (
            "var m: [int]int; procedure main() {
               assume (forall x: int :: m[x] == (if x > 3 then 1 else 0)); assert m[5] == 0; }",
            "that it gives as formulas",
        ),
    ] {
        let program = Scratch::new("unreadable.bpl");
        std::fs::write(&program.0, text).unwrap();
        let found = dally(&std::env::temp_dir(), "verify", &[program.name()]);
        let said = String::from_utf8(found.stdout).unwrap();
        assert_eq!(found.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("it depends on values of the solver {why}")), "{said}");
    }
}

#[test]
fn what_cannot_be_run_again_is_inconclusive() {
    let text = "datatype D { C(n: int), E() } procedure main() { var d: D; d := E(); assert d->n != 7; }";
    let program = Scratch::new("not.bpl");
    std::fs::write(&program.0, text).unwrap();
    let folder = std::env::temp_dir();
    let trace = Scratch::new("not.json");
    let found = dally(&folder, "verify", &["--trace", trace.name(), program.name()]);
    let said = String::from_utf8(found.stdout).unwrap();
    assert_eq!(found.status.code(), Some(3), "{said}");
    assert!(said.starts_with("inconclusive: the solver has found a failing execution"), "{said}");
    assert!(said.contains("perhaps an assertion does not hold at "), "{said}");
    assert!(!trace.0.exists());
    assert!(String::from_utf8(found.stderr).unwrap().contains("nothing is written to"));
    let json = dally(&folder, "verify", &["--json", program.name()]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["verdict"], "inconclusive");
    assert_eq!(json["failure"]["location"]["line"], 1);
    assert!(json["trace"].is_null());
}

#[test]
fn a_long_trace_is_told_in_part() {
    let (program, trace) = (Scratch::new("long.bpl"), Scratch::new("long.json"));
    let text = format!(
        "procedure main(x: int) {{ var y: int; y := x; {}assert y != 7; }}",
        "y := y + 1; ".repeat(600)
    );
    std::fs::write(&program.0, text).unwrap();
    let found = dally(Path::new("."), "verify", &["--trace", trace.name(), program.name()]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace.0).unwrap()).unwrap();
    assert_eq!(trace["steps"][0]["statements"][250]["left_out"], 102);
    let (code, said) = replayed(Path::new("."), &trace);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("… 102 statements are left out …") && said.contains(" y = 7"), "{said}");
}
