//! Shortened traces of long executions, trace files, and formats.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

use std::path::PathBuf;

use common::dally;
use serde_json::Value;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("dally-traces-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Finds a bug and replays its trace. Returns the trace, and the lines that both commands print.
fn round_trip(command: &str, name: &str, program: &str) -> (Value, Vec<String>) {
    let folder = Folder::new(name);
    let (file, trace) = (folder.file(name), folder.file("trace.json"));
    std::fs::write(&file, program).unwrap();
    let found = dally(&[command, "--trace", &trace, &file], b"");
    assert_eq!(found.status.code(), Some(1), "{}{}", text(&found.stdout), text(&found.stderr));
    let replayed = dally(&["replay", &trace], b"");
    let said = text(&replayed.stdout).strip_prefix("the bug is confirmed: ").unwrap();
    let shown = said.split_once("\n\n").unwrap().1;
    assert!(text(&found.stdout).contains(shown), "{shown}");
    let trace = serde_json::from_slice(&std::fs::read(&trace).unwrap()).unwrap();
    (trace, shown.lines().map(str::to_owned).collect())
}

/// The number of statements of a step, including those left out, and the number of its entries.
fn statements(step: &Value) -> (u64, usize) {
    let all = step["statements"].as_array().unwrap();
    (all.iter().map(|statement| statement["left_out"].as_u64().unwrap_or(1)).sum(), all.len())
}

#[test]
fn a_long_step_is_shortened() {
    let program = "procedure main() {\n  var i: int;\n  i := 0;\n  while (i < 5000) {\n    i := i + 1;\n  }\n  assert i == 0;\n}\n";
    let (trace, shown) = round_trip("check", "long.bpl", program);
    assert_eq!(statements(&trace["steps"][0]), (10_003, 501));
    assert!(trace["left_out"].is_null());
    assert!(shown.iter().any(|line| line.trim() == "… 9,503 statements are left out …"), "{shown:?}");
    assert!(shown[499].contains("i := i + 1;") && shown[499].ends_with("i = 5000"), "{}", shown[499]);
    assert!(shown[501].contains("assert i == 0;"), "{}", shown[501]);
}

#[test]
fn calls_are_shown_even_if_their_statements_are_left_out() {
    let program = "var g: int;\nprocedure main() {\n  var r: int;\n  call r := work();\n  assert r == 0;\n}\n\
                   procedure work() returns (r: int) {\n  r := 0;\n  while (r < 5000) {\n    r := r + 1;\n  }\n}\n";
    let (_, shown) = round_trip("check", "call.bpl", program);
    assert!(shown[1].contains("call r := work();") && !shown[1].contains(" = "), "{}", shown[1]);
    let returns = shown.iter().rfind(|line| line.contains("↩")).unwrap();
    assert!(returns.ends_with("r = 5000"), "{returns}");
}

/// The last value of a variable of a C program's trace, and its values step by step.
fn values(program: &str, variable: &str) -> Vec<String> {
    let folder = Folder::new("locks");
    let trace = folder.file("trace.json");
    let program = format!("{}/tests/golden/c/{program}", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(dally(&["check", "--trace", &trace, &program], b"").status.code(), Some(1));
    let trace: Value = serde_json::from_slice(&std::fs::read(&trace).unwrap()).unwrap();
    let named = |changes: &Value| {
        let changes = changes.as_array().into_iter().flatten();
        let found = changes.filter(|change| change["variable"] == variable);
        found.map(|change| change["value"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let steps = trace["steps"].as_array().unwrap().iter().flat_map(|step| named(&step["variables"]));
    named(&trace["initial"]).into_iter().chain(steps).chain(named(&trace["globals"])).collect()
}

#[test]
fn locks_of_c_are_values_of_the_trace() {
    let held = "held by main (task 0)";
    let waiting = format!("{held}, waiting: other (task 1)");
    let expected = ["free", held, &waiting, &waiting];
    assert_eq!(values("deadlock.c", "mutex a"), expected);
    let heap = values("deadlock_heap.c", "mutex in objects");
    assert_eq!(heap.first().map(String::as_str), Some("free"), "{heap:?}");
    let last = heap.last().unwrap();
    for part in [
        "object 3",
        "object 4",
        "held by move (task 1), waiting: move (task 2)",
        "held by move (task 2), waiting: move (task 1)",
    ] {
        assert!(last.contains(part), "{heap:?}");
    }
}

#[test]
fn a_long_execution_is_shortened() {
    let program = "var g: int;\nprocedure main() {\n  var i: int;\n  g := 0;\n  call {:async} w();\n  i := 0;\n\
                   while (i < 15000) {\n    i := i + 1;\n    yield;\n  }\n  assert g == 0;\n}\nprocedure w() { g := 1; }\n";
    let (trace, shown) = round_trip("check", "steps.bpl", program);
    let (kept, left_out) = (trace["steps"].as_array().unwrap().len(), &trace["left_out"]);
    let missing = left_out["steps"].as_u64().unwrap() as usize;
    assert_eq!(kept + missing, trace["schedule"]["steps"].as_array().unwrap().len());
    assert!(missing > 3000 && left_out["after"].as_u64().unwrap() as usize > 4000 && kept > 9000);
    assert!(shown.iter().any(|line| line.ends_with(" steps are left out …")) && shown.len() < 5_100);
}

#[test]
fn a_long_step_of_a_p_machine_is_shortened() {
    let program = "event e: int;\nmachine Main {\n  start state S {\n    entry {\n      var i: int;\n      var m: machine;\n\
                   m = new Other();\n      while (i < 2000) {\n        send m, e, i;\n        i = i + 1;\n      }\n\
                   assert i == 0;\n    }\n  }\n}\n\
                   machine Other {\n  var last: int;\n  start state S {\n    on e do (n: int) {\n      while (last < 2000) {\n        last = last + 1;\n      }\n\
                   assert n > 0;\n    }\n  }\n}\ntest T [main=Main]: { Main, Other };\n";
    let (trace, shown) = round_trip("check", "long.p", program);
    let long = trace["steps"].as_array().unwrap().iter().map(statements).max().unwrap();
    assert!(long.0 > 4000 && long.1 == 501, "{long:?}");
    assert!(shown.iter().any(|line| line.ends_with(" statements are left out …")), "{shown:?}");
    assert!(shown.iter().any(|line| line == "  messages of the steps shown:"), "{shown:?}");
}

#[test]
fn the_destination_of_a_trace_is_checked_before_the_search() {
    let folder = Folder::new("nowhere");
    let (file, program) = (folder.file("file"), b"procedure main() { assert false; }");
    std::fs::write(&file, "").unwrap();
    let nowhere = [folder.file("missing/t.json"), folder.file("file/t.json"), folder.file("")];
    for command in ["check", "verify"] {
        for trace in &nowhere {
            let output = dally(&[command, "--trace", trace, "-"], program);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command}: {said}");
            assert!(said.contains(&format!("cannot write `{trace}`: ")), "{command}: {said}");
            assert!(output.stdout.is_empty());
        }
    }
}

#[test]
fn replay_reads_a_program_from_standard_input_again() {
    let folder = Folder::new("input");
    let (trace, program) = (folder.file("t.json"), b"procedure main() { assert false; }");
    assert_eq!(dally(&["check", "--trace", &trace, "-"], program).status.code(), Some(1));
    assert_eq!(dally(&["replay", &trace], program).status.code(), Some(1));
    for other in [&b""[..], b"procedure main() {}"] {
        let output = dally(&["replay", &trace], other);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains("of a program on standard input: give the same text there again"), "{said}");
    }
}

#[test]
fn a_trace_is_printed_in_the_chosen_format() {
    let folder = Folder::new("formats");
    let (file, trace) = (folder.file("ping.p"), folder.file("t.json"));
    let program = "event ping;\nmachine Main {\n  start state S {\n    entry { send this, ping; }\n\
                   on ping do { assert false; }\n  }\n}\n";
    std::fs::write(&file, program).unwrap();
    assert_eq!(dally(&["check", "--trace", &trace, &file], b"").status.code(), Some(1));
    let replay = |format: &str| dally(&["replay", "--format", format, &trace], b"");
    assert_eq!(text(&replay("json").stdout), std::fs::read_to_string(&trace).unwrap());
    let chart = replay("sequence");
    assert!(
        text(&chart.stdout).ends_with("\n\n  Main(0)\n  │ ↻ ping\n  ✗ ping\n"),
        "{}",
        text(&chart.stdout)
    );
    assert_eq!(dally(&["replay", &trace], b"").stdout, replay("text").stdout);
    assert_eq!(replay("no such format").status.code(), Some(2));
}
