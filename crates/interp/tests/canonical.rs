//! Canonical numbers of objects: the same verdicts as without them, in fewer states.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_explore::{Exhaustive, Report, Search, Verdict};
use dally_interp::{Machine, MachineOptions};
use dally_text::source::SourceMap;

/// A heap of objects with two cells each. Object 1 is static; its two cells are roots.
const HEAP: &str = "
    var {:heap_cells} mem: [int]int;
    var {:heap_objects -1} size: [int]int;
    var {:heap_counter 1000, 16} heap: int;

    procedure alloc() returns (p: int) {
      p := (1000 + heap) * 65536;
      size[1000 + heap] := 2;
      mem[p] := 0;
      mem[p + 1] := 0;
      heap := heap + 1;
    }
    procedure release(p: int) { size[p div 65536] := -1; }
    procedure init() {
      mem := (lambda i: int :: 0);
      size := (lambda i: int :: 0);
      heap := 0;
      size[1] := 2;
    }
";

fn plain() -> String {
    HEAP.replace("{:heap_cells}", "")
        .replace("{:heap_objects -1}", "")
        .replace("{:heap_counter 1000, 16}", "")
}

fn explore(text: &str) -> Report {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{:?} in {text}", d[0].message));
    let machine = Machine::new(&program, &sources, &MachineOptions::default()).unwrap();
    Search::new(&machine, &Exhaustive, &dally_explore::Options::default(), &()).run()
}

/// The states of a proof.
#[track_caller]
fn proved(text: &str) -> usize {
    let report = explore(text);
    assert_eq!(report.verdict, Verdict::Proved, "{text}");
    report.coverage.states
}

#[test]
fn a_loop_that_allocates_and_frees_is_finite() {
    let main = "procedure main() { var p: int; call init(); while (true) { call p := alloc(); yield; call release(p); } }";
    assert!(proved(&format!("{HEAP}{main}")) < 5);
}

#[test]
fn a_lost_object_leaves_no_trace() {
    let main = "procedure main() { var p: int; call init(); while (true) { call p := alloc(); mem[p] := p; p := 0; yield; } }";
    assert!(proved(&format!("{HEAP}{main}")) < 5);
}

/// Two tasks push an object each to lists of their own: the order of allocation is not observed.
#[test]
fn allocations_of_different_tasks_commute() {
    let main = "
        var a, b: int;
        procedure main() { call init(); a := 0; b := 0; call {:async} left(); call {:async} right(); }
        procedure left() { var p: int; call p := alloc(); yield; mem[p] := a; yield; a := p; }
        procedure right() { var p: int; call p := alloc(); yield; mem[p] := b; yield; b := p; }
    ";
    let (with, without) = (proved(&format!("{HEAP}{main}")), proved(&format!("{}{main}", plain())));
    assert!(with < without, "{with} and {without} states");
}

#[test]
fn a_freed_object_is_kept_while_it_is_referenced() {
    let main = "
        procedure main() {
          var p, q: int;
          call init();
          call p := alloc();
          call release(p);
          yield;
          call q := alloc();
          yield;
          assert p != q && size[p div 65536] == -1 && size[q div 65536] == 2;
        }
    ";
    proved(&format!("{HEAP}{main}"));
}

/// Random programs of two tasks that allocate, free and link objects, and check a property of the result.
#[test]
fn random_programs_have_the_same_verdicts() {
    dally_testing::for_inputs(1_000, |u| {
        let mut task = |name: &str| -> dally_testing::arbitrary::Result<String> {
            let mut body = String::new();
            for _ in 0..u.int_in_range(1..=5)? {
                let (x, y) = (*u.choose(&["a", "b", "p"])?, *u.choose(&["a", "b", "p", "q"])?);
                body += &match u.int_in_range(0..=7)? {
                    0 | 1 => format!("call {x} := alloc();"),
                    2 => format!("if ({x} > 65536) {{ call release({x}); {x} := 0; }}"),
                    3 => format!("if (size[{x} div 65536] > 0) {{ mem[{x} + 1] := {y}; }}"),
                    4 => format!("if (size[{y} div 65536] > 0) {{ {x} := mem[{y} + 1]; }}"),
                    5 => format!("if (size[{x} div 65536] > 0) {{ mem[{x}] := mem[{x}] + 1; }}"),
                    6 => format!("{x} := {y};"),
                    _ => format!("mem[65536] := {x};"),
                };
                body += " yield; ";
            }
            Ok(format!("procedure {name}() {{ var p, q: int; p := 0; q := 0; {body} }}"))
        };
        let (left, right) = (task("left")?, task("right")?);
        let property = *u.choose(&[
            "a == 0 || b == 0 || a != b",
            "size[a div 65536] >= 0",
            "mem[65536] == 0 || size[mem[65536] div 65536] != -1",
            "a == 0 || size[a div 65536] < 1 || mem[a] < 2",
            "b == 0 || size[b div 65536] < 1 || mem[b + 1] != b",
        ])?;
        let main = format!(
            "var a, b: int;
             procedure main() {{
               var l, r: task;
               call init(); a := 0; b := 0;
               call {{:async}} l := left(); call {{:async}} r := right(); call wait(l); call wait(r);
               assert {property};
             }}
             {left} {right}"
        );
        let (with, without) = (explore(&format!("{HEAP}{main}")), explore(&format!("{}{main}", plain())));
        let is_bug = |report: &Report| matches!(report.verdict, Verdict::Bug(_));
        assert_eq!(is_bug(&with), is_bug(&without), "{main}");
        assert!(is_bug(&with) || with.coverage.states <= without.coverage.states, "{main}");
        Ok(())
    });
}
