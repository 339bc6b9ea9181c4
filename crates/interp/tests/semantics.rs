//! The semantics, construct by construct: properties of all executions, and possible failures.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use dally_bpl::ProgramOptions;
use dally_bpl::literal::Literal;
use dally_explore::{
    Bug, Cycles, Delays, Exhaustive, FailureKind, Limit, Liveness, Method, SchedulerName, Search, StepLimits,
    Verdict, Watch, replay, replay_cycle,
};
use dally_interp::{Decision, FunctionPoint, Inputs, Machine, MachineOptions, Script, State};
use dally_text::source::{SourceMap, Span};
use dally_trace::{Explain, TaskNumbers};

fn machine_with(text: &str, options: &MachineOptions) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{:?} in {text}", d[0].message));
    Machine::new(&program, &sources, options).unwrap_or_else(|d| panic!("{:?} in {text}", d[0].message))
}

fn machine(text: &str) -> Machine {
    machine_with(text, &MachineOptions::default())
}

fn exhaust(machine: &Machine) -> Verdict {
    Search::new(machine, &Exhaustive, &dally_explore::Options::default(), &()).run().verdict
}

fn bug(text: &str) -> Bug {
    let machine = machine(text);
    let Verdict::Bug(bug) = exhaust(&machine) else { panic!("no bug in {text}: {:?}", exhaust(&machine)) };
    let replayed = replay(&machine, &bug.schedule, |_| {}).unwrap();
    assert_eq!(replayed.failure.as_ref(), Some(&bug.failure), "every bug replays");
    *bug
}

#[track_caller]
fn assert_proved(text: &str) {
    assert_eq!(exhaust(&machine(text)), Verdict::Proved, "{text}");
}

#[track_caller]
fn assert_fails(text: &str) {
    assert_eq!(bug(text).failure.kind, FailureKind::Assertion, "{text}");
}

/// A program whose `main` consists of these statements.
fn body(statements: &str) -> String {
    format!("var x, y, z: int; var b: bool; procedure main() {{ {statements} }}")
}

/// The smallest number of delays with which a scheduler finds the bug.
fn delays(text: &str, scheduler: &str) -> u32 {
    let machine = machine(text);
    let policy = Delays::named(&scheduler.parse::<SchedulerName>().unwrap());
    let report = Search::new(&machine, &policy, &dally_explore::Options::default(), &()).run();
    report.bug().unwrap_or_else(|| panic!("{:?} under {scheduler}", report.verdict)).cost
}

/// All final values of the globals.
fn finals(text: &str) -> BTreeSet<Vec<String>> {
    finals_of(&machine(text))
}

fn finals_of(machine: &Machine) -> BTreeSet<Vec<String>> {
    struct Collect<'a>(&'a Machine, Mutex<BTreeSet<Vec<String>>>);
    impl Watch<State> for Collect<'_> {
        fn final_state(&self, state: &State) {
            let values =
                self.0.variables(state, &TaskNumbers::default()).into_iter().map(|v| v.value).collect();
            self.1.lock().unwrap().insert(values);
        }
    }
    let collect = Collect(machine, Mutex::default());
    Search::new(machine, &Exhaustive, &dally_explore::Options::default(), &collect).run();
    collect.1.into_inner().unwrap()
}

fn set(values: &[&[&str]]) -> BTreeSet<Vec<String>> {
    values.iter().map(|v| v.iter().map(|s| (*s).to_owned()).collect()).collect()
}

#[test]
fn steps_stop_at_a_limit() {
    // The step ends by itself, with a failure, if the interrupt is not seen.
    let mut machine = machine(&body("x := 0; while (x < 100000) { x := x + 1; } assert false;"));
    let limits = StepLimits::default();
    limits.interrupt.store(true, Ordering::Relaxed);
    machine.limit_steps(limits);
    assert_eq!(exhaust(&machine), Verdict::Inconclusive(Limit::Cancelled));
}

#[test]
fn arithmetic() {
    assert_proved(&body(
        "x := 7 div 2; y := -7 mod 2; assert x == 3 && y == 1 && -7 div 2 == -4;
         x := 9223372036854775807; x := x + 1; assert x > 9223372036854775807;
         x := x * x; assert x div 9223372036854775808 == 9223372036854775808; x := x - x; assert x == 0;
         assert (if x == 0 then 1 else 2) == 1; assert (var k := x + 1; k * k == 1);
         assert x != 0 || (!(x < 0) && (x == 1 ==> false) && (true <==> x <= 0));",
    ));
    assert_fails(&body("x := 1; assert x + x == 3;"));
    assert_eq!(bug(&body("x := 0; y := 1 div x;")).failure.kind, FailureKind::Runtime);
}

#[test]
fn bitvectors() {
    assert_proved(
        "function {:bvbuiltin \"bvadd\"} add(bv8, bv8): bv8; function {:bvbuiltin \"bvslt\"} slt(bv8, bv8): bool;
         function {:bvbuiltin \"zero_extend 8\"} wide(bv8): bv16; function {:bvbuiltin \"sign_extend 8\"} sx(bv8): bv16;
         procedure main() { var a: bv8; a := 250bv8; a := add(a, 10bv8); assert a == 4bv8; assert slt(255bv8, 0bv8);
           assert a[3:1] == 2bv2; assert a ++ 1bv8 == 1025bv16; assert wide(255bv8) == 255bv16;
           assert sx(255bv8) == 65535bv16; }",
    );
}

#[test]
fn maps_and_datatypes() {
    assert_proved(
        "datatype List { Nil(), Cons(head: int, tail: List) }
         var m: [int]int; var two: [int, bool]int; var l: List; var ms: [int]List;
         procedure main() {
           var h: int; var t: List;
           m := (lambda i: int :: 0); m[3] := 4; m[5] := m[3]; m[3] := 1; assert m[5] == 4 && m[3] == 1 && m[7] == 0;
           assert m == m[9 := 0]; assert m != m[9 := 1]; two[1, true] := 2; assert two[1, true] == 2;
           l := Cons(1, Cons(2, Nil())); assert l is Cons && l->tail->head == 2;
           l->tail->head := 5; assert l == Cons(1, Cons(5, Nil())); l := l->(head := 9); assert l->head == 9;
           Cons(h, t) := l; assert h == 9 && t->head == 5;
           ms[1] := Nil(); ms[2] := l; ms[2]->head := 8; assert ms[2]->head == 8 && ms[1] is Nil; }",
    );
    let text =
        "datatype D { A(x: int), B() } procedure main() { var d: D; var k: int; d := B(); k := d->x; }";
    assert_eq!(bug(text).failure.kind, FailureKind::Runtime);
}

#[test]
fn control() {
    assert_proved(&body(
        "x := 0; while (x < 5) invariant x <= 5; { x := x + 1; if (x == 4) { break; } } assert x == 4;
         y := 0; outer: while (true) { while (true) { y := y + 1; break outer; } } assert y == 1;
         goto a; b: z := 2; goto c; a: z := 1; goto b; c: assert z == 2;",
    ));
    assert_fails(&body("x := 0; while (x < 5) invariant x <= 4; { x := x + 1; }"));
    let choices = finals(
        "var x: int; procedure main() { goto a, b, c; a: x := 1; return; b: x := 2; return; c: if (*) { x := 3; } else { x := 4; } }",
    );
    assert_eq!(choices, set(&[&["1"], &["2"], &["3"], &["4"]]));
}

#[test]
fn calls_and_contracts() {
    assert_proved(
        "var g: int;
         procedure fib(n: int) returns (r: int) requires n >= 0; ensures r >= n - 1;
         { var a, b: int; if (n < 2) { r := n; return; } call a := fib(n - 1); call b := fib(n - 2); r := a + b; }
         procedure bump() ensures g == old(g) + 1; { g := g + 1; assert old(g) == g - 1; }
         procedure swap(a: int, b: int) returns (c: int, d: int); 
         implementation swap(x: int, y: int) returns (u: int, v: int) { u, v := y, x; }
         procedure main() { var r, s: int; call r := fib(10); assert r == 55; g := 1; call bump(); assert g == 2;
           call r, s := swap(1, 2); assert r == 2 && s == 1; }",
    );
    assert_fails("procedure p(n: int) requires n > 0; { } procedure main() { call p(0); }");
    assert_fails(
        "procedure p() returns (r: int) ensures r > 0; { r := 0; } procedure main() { var x: int; call x := p(); }",
    );
    let chosen = finals(
        "var {:range 0, 9} g: int; procedure p(); modifies g; ensures 3 <= g && g < 5;
         procedure main() { g := 1; call p(); assert g >= 3; }",
    );
    assert_eq!(chosen, set(&[&["3"], &["4"]]));
}

#[test]
fn arbitrary_values() {
    assert_eq!(
        finals("var b: bool; var x: int; procedure main() { if (b) { x := 1; } else { x := 2; } }").len(),
        2
    );
    assert_eq!(finals("var {:range 2, 4} x: int; var y: int; procedure main() { y := x; }").len(), 3);
    assert_eq!(finals("var x: int; procedure main() { havoc {:range -1, 1} x; }").len(), 3);
    assert_eq!(
        finals("datatype C { R(), G(), B(on: bool) } var c: C; var d: C; procedure main() { d := c; }").len(),
        4
    );
    assert_proved(&body("assume x == 3 && y == x; assert y == 3;"));
    assert_proved(&body("assume 3 == x && x + 1 == y; assert y == 4;"));
    assert_proved("var x: int; procedure main() requires x == 3; { assert x == 3; }");
    assert_proved(&body("havoc x; x := 1; havoc y; assert x == 1;"));
    assert!(matches!(exhaust(&machine(&body("havoc x; assert x == 1;"))), Verdict::Unsupported(_)));
    assert_proved(
        "var x: int where x >= 1; var {:range 0, 3} y: int where y != 2; procedure main() { havoc y; assert y != 2; }",
    );
}

#[test]
fn constants() {
    assert_proved(
        "type T; const unique a, b: T; const n: int; axiom n == m + 1; const m: int; axiom m == 4;
         procedure main() { var t: T; t := a; assert t != b && n == 5; }",
    );
    assert_proved(
        "function f(x: int, y: int): int { if x <= 0 then y else f(x - 1, y + 2) } procedure main() { assert f(20, 1) == 41; }",
    );
}

#[test]
fn tasks_interleave_at_yields_only() {
    let race = "var x: int; procedure main() { x := 0; async call inc(); async call inc(); }
                procedure inc() { var t: int; t := x; yield; x := t + 1; }";
    assert_eq!(finals(race), set(&[&["1"], &["2"]]));
    assert_eq!(finals(&race.replace("yield;", "")), set(&[&["2"]]));
    assert_eq!(
        finals(
            &race
                .replace("t := x;", "call corral_atomic_begin(); t := x;")
                .replace("t + 1;", "t + 1; call corral_atomic_end();")
        ),
        set(&[&["2"]])
    );
    assert_eq!(finals(&race.replace("procedure inc", "procedure {:atomic} inc")), set(&[&["2"]]));
    let block = race
        .replace("t := x; yield; x := t + 1;", "if {:atomic} (true) { t := x; yield; x := t + 1; } yield;");
    assert_eq!(finals(&block), set(&[&["2"]]));
}

#[test]
fn preemption_precedes_statements_that_access_shared_variables() {
    let text = "var x: int; procedure main() { x := 0; async call inc(); async call inc(); }
                procedure inc() { var t: int; t := x; x := t + 1; }";
    assert_eq!(finals(text), set(&[&["2"]]));
    let preempted = machine_with(
        text,
        &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
    );
    assert_eq!(finals_of(&preempted), set(&[&["1"], &["2"]]));
    // There is no preemption before accesses to local variables.
    let local = text.replace("x := t + 1", "t := t + 1; x := 2");
    let preempted = machine_with(
        &local,
        &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
    );
    assert_eq!(finals_of(&preempted), set(&[&["2"]]));
}

/// The statement after an `await` belongs to it, but not the statement after a block that ends with one.
#[test]
fn preemption_precedes_a_statement_after_a_branch_that_ends_with_await() {
    let text = "var g: int; var seen: int;
        procedure main()
        {
          var l: int;
          l := 0;
          seen := 0;
          g := 0;
          call {:async} other();
          if (l < 0) { assume {:await} l >= 1; }
          seen := g;
        }
        procedure other() { g := 1; g := 0; }";
    let preempted = machine_with(
        text,
        &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
    );
    assert_eq!(finals_of(&preempted), set(&[&["0", "0"], &["0", "1"]]));
    let text = text.replace(
        "{ assume {:await} l >= 1; }\n          seen := g;",
        "{ assume {:await} l >= 1; } else { seen := g; }",
    );
    assert!(text.contains("else"));
    let preempted = machine_with(
        &text,
        &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
    );
    assert_eq!(finals_of(&preempted), set(&[&["0", "0"], &["0", "1"]]));
}

#[test]
fn preemption_precedes_atomic_sections() {
    let finals = |section: &str| {
        let text = format!(
            "var x: int; procedure main() {{ x := 0; async call inc(); async call inc(); }}
             procedure {{:atomic}} set(v: int) {{ x := v; }}
             procedure inc() {{ var t: int; t := x; {section} }}"
        );
        finals_of(&machine_with(
            &text,
            &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
        ))
    };
    for section in [
        "if {:atomic} (true) { x := t + 1; }",
        "call corral_atomic_begin(); x := t + 1; call corral_atomic_end();",
        "call set(t + 1);",
        // Arguments are evaluated before the scheduling point.
        "call set(x + 1);",
    ] {
        assert_eq!(finals(section), set(&[&["1"], &["2"]]), "{section}");
    }
    // There is no preemption between an `await` and the statement after it.
    assert_eq!(finals("assume {:await} x < 5; call set(x + 1);"), set(&[&["2"]]));
    // A nested section is part of the outer one.
    assert_eq!(finals("if {:atomic} (true) { t := x; call set(t + 1); }"), set(&[&["2"]]));
}

#[test]
fn waiting() {
    assert_proved(
        "procedure main() { var t, u: task int; var r: int; var d: task;
           call {:async} t := p(4); call {:async} u := p(5); call r := wait(t); assert r == 8;
           call r := wait(u); assert r == 10; call r := wait(t); assert r == 8; call {:async} d := q(); call wait(d); }
         procedure p(n: int) returns (r: int) { yield; r := 2 * n; } procedure q() { }",
    );
    // Two tasks that wait for each other.
    let text = "var first, second: task; var ready: bool;
                procedure main() { ready := false; call {:async} first := a(); call {:async} second := b(); ready := true; }
                procedure a() { assume {:await} ready; call wait(second); } procedure b() { assume {:await} ready; call wait(first); }";
    assert_eq!(bug(text).failure.kind, FailureKind::Deadlock);
}

/// In an atomic section, a wait for a task that has ended lets no other task run; one for a task that has not ended does.
#[test]
fn waiting_in_atomic_sections() {
    let program = |before: &str| {
        format!(
            "var x: int; procedure main() {{ var t: task; x := 0; call {{:async}} t := p(); {before}
               if {{:atomic}} (true) {{ call {{:async}} q(); call join(t); assert x == 0; }} }}
             procedure join(t: task) {{ call wait(t); }} procedure p() {{ }} procedure q() {{ x := 1; }}"
        )
    };
    assert_proved(&program("call wait(t);"));
    assert_fails(&program(""));
    let begin = program("call wait(t);").replace("if {:atomic} (true) {", "call corral_atomic_begin();");
    assert_proved(&begin.replace("assert x == 0; }", "assert x == 0; call corral_atomic_end();"));
}

#[test]
fn awaiting() {
    assert_proved(
        "var lock: int; var x: int; procedure main() { lock, x := 0, 0; async call p(); async call p(); async call q(); }
         procedure p() { var t: int; assume {:await} lock == 0; lock := 1; t := x; yield; x := t + 1; lock := 0; }
         procedure q() { assume {:await} x == 2; assert lock == 0; }",
    );
    assert_eq!(
        bug("var x: int; procedure main() { x := 0; assume {:await} x == 1; }").failure.kind,
        FailureKind::Deadlock
    );
    // A failed assumption is not a deadlock: the execution is discarded.
    assert_proved(
        "var x: int; procedure main() { x := 0; async call p(); } procedure p() { assume x == 1; assert false; }",
    );
}

#[test]
fn a_post_of_a_higher_level_interrupts() {
    let text =
        "var x: int; procedure main() { x := 0; call {:async} {:level 1} high(); assert x == 1; x := 2; }
                procedure high() { x := x + 1; }";
    assert_proved(text);
    assert_fails(&text.replace("{:level 1} ", ""));
    // A task posted at a lower level waits until its poster terminates; an interrupted task resumes first.
    assert_proved(
        "var x: int; procedure {:level 1} {:entrypoint} main() { x := 0; call {:async} {:level 0} low(); call {:async} {:level 1} same();
           call {:async} {:level 2} high(); assert x == 1; x := 2; }
         procedure low() { assert x == 3; } procedure same() { assert x == 2; x := 3; } procedure high() { x := 1; }",
    );
    // A yield switches only to tasks of the same level.
    assert_proved(
        "var x: int; procedure {:level 1} {:entrypoint} main() { x := 0; call {:async} {:level 0} low(); yield; yield; x := 1; }
         procedure low() { assert x == 1; }",
    );
}

#[test]
fn buffers_switch_at_zields_only() {
    let text = "var x: int;
        procedure {:entrypoint} {:buffer 0} soft() { x := 1; yield; assert x == 1; x := 3; }
        procedure {:entrypoint} {:buffer 1} hard() { x := 2; }";
    assert_proved(text);
    assert_fails(&text.replace("yield;", "zield;"));
    // If no task of the running buffer is enabled, another buffer may run.
    assert_proved(
        "var x: int; procedure {:entrypoint} {:buffer 0} a() { x := 0; assume {:await} x == 1; }
         procedure {:entrypoint} {:buffer 1} b() { x := 1; }",
    );
}

/// [FSE12 §6]: preemption inserts yields, and zields where there are several buffers.
#[test]
fn preemption_switches_buffers() {
    let preempted = |text: &str| {
        exhaust(&machine_with(
            text,
            &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
        ))
    };
    let text = "var x: int;
        procedure {:entrypoint} {:buffer 0} soft() { call first(); }
        procedure first() { x := 1; assert x == 1; x := 3; }
        procedure {:entrypoint} {:buffer 1} hard() { x := 2; }";
    assert_proved(text);
    assert!(matches!(preempted(text), Verdict::Bug(_)));
    let suppressed = text.replace("procedure first", "procedure {:nozield} first");
    assert_eq!(preempted(&suppressed), Verdict::Proved);
    // At another level, or of another kind, points are not suppressed.
    for (attr, proved) in [("{:nozield 0}", true), ("{:nozield 1, 2}", false), ("{:noyield}", false)] {
        let text = text.replace("procedure {:entrypoint}", &format!("procedure {attr} {{:entrypoint}}"));
        assert_eq!(preempted(&text) == Verdict::Proved, proved, "{attr}");
    }
    // Tasks of one buffer are switched by yields.
    let text = "var x: int; procedure main() { x := 0; call {:async} {:level 1} high(); }
                procedure high() { call {:async} inc(); call {:async} inc(); }
                procedure inc() { var t: int; t := x; x := t + 1; assert t == 0 || x == 2; x := 5; }";
    assert!(matches!(preempted(text), Verdict::Bug(_)));
    let suppressed = text.replace("procedure main", "procedure {:noyield 1} main");
    let expected = exhaust(&machine(&suppressed));
    assert_eq!(std::mem::discriminant(&preempted(&suppressed)), std::mem::discriminant(&expected));
}

#[test]
fn seals_fix_the_order() {
    let text = "var x: int; procedure main() { x := 0; assume {:seal} true; async call p(); async call q(); }
                procedure p() { x := 1; } procedure q() { assert x == 1; }";
    let sealed = machine(text);
    let policy = Delays::named(&"rr".parse::<SchedulerName>().unwrap());
    let report =
        Search::new(&sealed, &policy, &dally_explore::Options { exact: true, ..Default::default() }, &())
            .run();
    assert_eq!(report.verdict, Verdict::Proved);
    assert!(report.coverage.sealed > 0);
    assert_eq!(delays(&text.replace("assume {:seal} true;", ""), "rr"), 1);
}

#[test]
fn task_numbers() {
    assert_proved(
        "var stopped: [int]bool; var x: int; procedure main() { var c, me: int; stopped := (lambda i: int :: false);
           call me := corral_getThreadID(); async call p(); call c := corral_getChildThreadID(); assert c != me;
           async call p(); assume {:await} stopped[c]; }
         procedure p() { var t: int; call t := corral_getThreadID(); assert !stopped[t]; stopped[t] := true; }",
    );
}

#[test]
fn thread_local_variables_are_not_shared() {
    assert_proved(
        "var {:thread_local} mine: int; procedure main() { mine := 0; async call p(1); async call p(2); yield; assert mine == 0; }
         procedure p(n: int) { mine := n; yield; assert mine == n; }",
    );
}

#[test]
fn the_first_delay_finds_the_lost_update() {
    let text = "var x: int; procedure main() { var a, b: task; x := 0; call {:async} a := inc(); call {:async} b := inc(); call wait(a); call wait(b); assert x == 2; }
                procedure inc() { var t: int; t := x; yield; x := t + 1; }";
    assert_eq!(delays(text, "rr"), 1);
    assert_eq!(delays(text, "dfw"), 1);
    assert_eq!(delays(text, "rtc"), 1);
}

#[test]
fn infinite_steps_are_unsupported() {
    assert!(matches!(exhaust(&machine("procedure main() { while (true) { } }")), Verdict::Unsupported(_)));
    assert!(matches!(exhaust(&machine("procedure main() { call main(); }")), Verdict::Unsupported(_)));
}

#[test]
fn unsupported_expressions_are_reported_with_their_span() {
    for (text, at) in [
        ("function f(x: int): int; procedure main() { assert f(1) == 1; }", "f(1)"),
        ("procedure main() { assert (forall i: int :: i == i); }", "(forall i: int :: i == i)"),
        ("procedure main() { var r: real; r := 1e999999999; }", "1e999999999"),
        ("procedure main() { assert 1bv1048576 ++ 1bv1 == 1bv1 ++ 1bv1048576; }", "1bv1048576 ++ 1bv1"),
        ("procedure main() { var f: float24e40; f := 0x1.0e0f24e40; }", "0x1.0e0f24e40"),
        ("const c: int; procedure main() { assert c == 1; }", "c"),
    ] {
        let mut sources = SourceMap::default();
        sources.add("test.bpl", text).unwrap();
        let program = dally_bpl::load(&sources).unwrap();
        let diagnostics = Machine::new(&program, &sources, &MachineOptions::default()).unwrap_err();
        assert_eq!(sources.text(diagnostics[0].primary.span), Some(at));
        // In code that is not reachable, it is not reported.
        let elsewhere = text.replace("main", "other") + "procedure main() { }";
        assert_proved(&elsewhere);
    }
}

#[test]
fn atomic_sections_outlive_the_procedure_that_opens_them() {
    let text = "var g: int; procedure b() { call corral_atomic_begin(); } procedure e() { call corral_atomic_end(); }
                procedure w() { var r: int; call b(); r := g; yield; g := r + 1; call e(); }
                procedure main() { g := 0; async call w(); async call w(); }";
    assert_eq!(finals(text), set(&[&["2"]]));
    // An atomic procedure or block ends its section on every exit.
    let left = "var g: int; procedure {:atomic} a() { if {:atomic} (true) { return; } }
                procedure w() { var r: int; call a(); r := g; yield; g := r + 1; }
                procedure main() { g := 0; async call w(); async call w(); }";
    assert_eq!(finals(left), set(&[&["1"], &["2"]]));
}

#[test]
fn results_are_assigned_to_shared_variables_in_a_separate_step() {
    let text = "var g: int; procedure inc() returns (r: int) { r := g; r := r + 1; } procedure w() { call g := inc(); }
                procedure main() { g := 0; async call w(); async call w(); }";
    assert_eq!(finals(text), set(&[&["2"]]));
    let preempted = machine_with(
        text,
        &MachineOptions { program: ProgramOptions::preemptive(), ..MachineOptions::default() },
    );
    assert_eq!(finals_of(&preempted), set(&[&["1"], &["2"]]));
}

#[test]
fn task_handles_can_be_results() {
    assert_proved(
        "procedure q() returns (r: int) { r := 7; } procedure p() returns (t: task int) { call {:async} t := q(); }
         procedure n() returns (r: int) { r := 8; }
         procedure main() { var a: task (task int); var b, c: task int; var x: int; call {:async} a := p(); yield;
           call {:async} c := n(); call b := wait(a); call x := wait(b); assert x == 7; }",
    );
}

#[test]
fn where_clauses_hold_from_the_start() {
    assert_proved("var x: bool where x; procedure main() { assert x; }");
    assert_proved("procedure main() { var {:range 0, 9} x: int where x > 5; assert x > 5; }");
}

#[test]
fn programs_without_a_sound_answer_are_unsupported() {
    for text in [
        "procedure main() { var m: [int]bool; var x, y: bool; x := m[1]; y := m[1]; assert x == y; }",
        "procedure main() { var x: int; x := 0; l: x := x + 1; goto l, e; e: assert x > 0; }",
        "procedure main() { var x, i: int; x, i := 3, 0; while (i < 40) { x := x * x; i := i + 1; } }",
    ] {
        assert!(matches!(exhaust(&machine(text)), Verdict::Unsupported(_)), "{text}");
    }
    let text = "procedure main() { var m, n: [bool]int; m := (lambda i: bool :: 0); n := m; assert m == n; }";
    let mut sources = SourceMap::default();
    sources.add("test.bpl", text).unwrap();
    assert!(Machine::new(&dally_bpl::load(&sources).unwrap(), &sources, &MachineOptions::default()).is_err());
    assert_proved("var {:range 0, 3} x: int; procedure main() { havoc x; assume x == 7; assert false; }");
}

/// Updates of maps cost logarithmic time and memory, so that a step can build large ones.
#[test]
fn one_step_builds_large_maps() {
    assert_proved(
        "var m, n: [int]int;
         procedure main() { var i: int; m := (lambda i: int :: 0); n := m; i := 0;
           while (i < 100001) { m[i] := i + 1; n[100000 - i] := 100001 - i; i := i + 1; }
           assert m == n && m[777] == 778 && m[100000] == 100001 && m[-1] == 0;
           m[5] := 5; assert m != n; n[5] := 5; assert m == n;
           i := 0; while (i < 100001) { m[i] := 0; i := i + 1; } assert m == (lambda i: int :: 0); }",
    );
}

#[test]
fn long_lists_do_not_overflow_the_stack() {
    assert_proved(
        "datatype L { Nil(), Cons(h: int, t: L) } procedure q() { }
         procedure main() { var i: int; var l: L; var t: task; i := 0; l := Nil();
           while (i < 100000) { l := Cons(i, l); i := i + 1; } call {:async} t := q(); call wait(t); }",
    );
}

#[test]
fn backtracking_restores_the_configuration_before_the_choice() {
    // Effects before the choice belong to every outcome, effects after it to one.
    let text = "var x, y: int;
        procedure main() {
            var l: int;
            x, y, l := 0, 0, 0;
            call {:async} p(10);
            call l := twice(1);
            goto a, b, c;
            a: x := l; call {:async} p(20); goto e;
            b: call l := twice(l); x := l; goto e;
            c: l := 7; assume l == 8;
            e: x := x + l;
        }
        procedure twice(n: int) returns (r: int) { r := n; if (*) { r := r + n; } }
        procedure p(n: int) { y := y + n; }";
    // l is 1 or 2 after the first call. With option a, x = 2 l and both tasks run; with option b, l is
    // doubled or not.
    let expected: [&[&str]; 5] = [&["2", "30"], &["4", "30"], &["2", "10"], &["4", "10"], &["8", "10"]];
    assert_eq!(finals(text), set(&expected));
}

#[test]
fn fused_instructions_make_the_same_choices() {
    let text = "var {:range 0, 2} a, b: int; var x: bool;
        procedure main() { x := a + b == 3; assert x ==> a != b; assert !x || a == 1 || b == 1; }";
    assert_proved(text);
    assert_fails("var {:range 0, 2} a, b: int; procedure main() { assert a * b < 4; }");
    assert_proved("var {:range 0, 2} a, b: int; procedure main() { assert a <= 2; assert b - a <= 2; }");
}

#[test]
fn dead_variables_do_not_distinguish_states() {
    let states = |forget: &str| {
        let text = format!(
            "var x: int; procedure main() {{ x := 0; async call p(); async call p(); async call p(); }}
             procedure p() {{ var t: int; t := x; yield; x := t + 1; {forget} yield; call q(); x := x mod 7; }}
             procedure q() {{ var v: int; v := x; yield; x := v * 2; yield; }}"
        );
        let machine = machine(&text);
        let report = Search::new(&machine, &Exhaustive, &dally_explore::Options::default(), &()).run();
        (report.verdict, report.coverage.states)
    };
    assert_eq!(states(""), states("havoc t;"));
    // A live variable keeps its value.
    assert_fails(
        "var x: int; procedure main() { x := 0; async call p(); async call p(); }
         procedure p() { var t: int; t := x; yield; x := 5; yield; call q(); assert t == 0; x := 1; }
         procedure q() { yield; }",
    );
    assert_proved(
        "var x: int; procedure main() { x := 0; async call p(); }
         procedure p() { var t: int; var i: int; t, i := 3, 0; while (i < 2) { yield; i := i + 1; } call q(); assert t == 3; }
         procedure q() { yield; }",
    );
}

/// Checks that `hot` can, or cannot, stay true for ever.
#[track_caller]
fn assert_loops(text: &str, fair: bool, expected: bool) {
    let machine = machine(text);
    for method in [Method::Map, Method::Ndfs, Method::IterativeNdfs] {
        let (options, liveness) = (dally_explore::Options::default(), Liveness { method, fair });
        let report = Cycles::new(&machine, &Exhaustive, &options, liveness, &()).run();
        assert_eq!(report.bug().is_some(), expected, "{method:?}, fair: {fair}, {text}: {}", report.verdict);
        if let Some(bug) = report.bug() {
            assert_eq!(bug.failure.kind, FailureKind::Liveness);
            let replayed = replay_cycle(&machine, &bug.schedule, fair, |_| {});
            assert_eq!(replayed, Ok(bug.failure.clone()), "{text}");
        }
    }
}

#[test]
fn hot_globals_must_become_false() {
    let program = |main: &str, other: &str| {
        format!(
            "var {{:hot}} hot: bool; var x: int;
             procedure main() {{ hot := true; x := 0; call {{:async}} other(); while (x == 0) {{ {main} yield; }} {main} }}
             procedure other() {{ {other} }}"
        )
    };
    // The other task makes it false in every fair execution.
    assert_loops(&program("", "x := 1; hot := false;"), true, false);
    assert_loops(&program("", "x := 1; hot := false;"), false, true);
    // No task makes it false.
    assert_loops(&program("", "hot := true;"), true, true);
    // It is false only in the middle of a step.
    assert_loops(&program("hot := false; hot := true;", "yield;"), false, false);
    // It is true when the program terminates.
    assert_eq!(bug(&program("", "x := 1;")).failure.kind, FailureKind::Liveness);
    assert_proved(&program("", "x := 1; hot := false;"));
}

/// Compaction of the undo log keeps the fact that a hot global was false during the step.
#[test]
fn hot_globals_are_observed_throughout_long_steps() {
    let text = "var {:hot} hot: bool; var x: int;
                procedure main() { var i: int; x := 0;
                    while (true) {
                        hot := true; hot := false; hot := true; i := 0;
                        while (i < 200) { x := (x + 1) mod 3; i := i + 1; }
                        x := 0; i := 0; yield;
                    } }";
    assert_loops(text, true, false);
}

fn given(constants: &[(&str, i64)], functions: &[(&str, i64, i64)]) -> Inputs {
    let int = |n: i64| Literal::Int(n.into());
    let mut inputs = Inputs::default();
    inputs.constants.extend(constants.iter().map(|(name, n)| ((*name).to_owned(), int(*n))));
    for (name, at, value) in functions {
        let point = FunctionPoint { args: vec![int(*at)], value: int(*value) };
        inputs.functions.entry((*name).to_owned()).or_default().push(point);
    }
    inputs
}

fn explored_with(text: &str, inputs: Inputs) -> Verdict {
    exhaust(&machine_with(text, &MachineOptions { inputs: Some(inputs), ..MachineOptions::default() }))
}

#[test]
fn inputs_satisfy_the_axioms_that_can_be_evaluated() {
    let text = "const N: int; function f(x: int): int; axiom N > 3 && f(N) == 1;
                procedure main() { assert f(N) != 1; }";
    assert!(matches!(explored_with(text, given(&[("N", 4)], &[("f", 4, 1)])), Verdict::Bug(_)));
    assert_eq!(explored_with(text, given(&[("N", 2)], &[("f", 2, 1)])), Verdict::Proved);
    assert_eq!(explored_with(text, given(&[("N", 4)], &[("f", 4, 2)])), Verdict::Proved);
    // An axiom about a function without values in the inputs is not evaluated.
    let other = "const N: int; function f(x: int): int; axiom f(1) == 5; procedure main() { assert N != 2; }";
    assert!(matches!(explored_with(other, given(&[("N", 2)], &[])), Verdict::Bug(_)));
}

#[test]
fn only_the_given_failure_is_reported() {
    let text = "procedure main() { if (*) { assert false; } assume {:await} false; }";
    assert!(matches!(explored_with(text, Inputs::default()), Verdict::Bug(_)));
    let start = text.find("assume").unwrap() as u32;
    let failure = Some(Span::new(start + 1, start + 2));
    assert_eq!(explored_with(text, Inputs { failure, ..Inputs::default() }), Verdict::Proved);
}

#[test]
fn scripts_resolve_nondeterministic_choices() {
    let text = "procedure main() { var x: int; havoc x; if (*) { x := x + 1; } assert x != 8; }";
    // Source positions start at 1.
    let span = |from: &str, to: &str| {
        let start = text.find(from).unwrap();
        let end = start + text[start..].find(to).unwrap();
        Span::new(start as u32 + 1, end as u32 + 2)
    };
    let run = |x: i64, option: usize| {
        let values = vec![("x".to_owned(), Literal::Int(x.into()))];
        let decisions = vec![
            Decision::Enter(span("main", "n"), Vec::new()),
            Decision::Set(span("havoc", ";"), values),
            Decision::Choose(span("if", "}"), option),
        ];
        let scripts = vec![Script { procedure: "main".to_owned(), decisions }];
        explored_with(text, Inputs { scripts, entries: vec![0], ..Inputs::default() })
    };
    assert!(matches!(run(7, 0), Verdict::Bug(_)));
    assert!(matches!(run(8, 1), Verdict::Bug(_)));
    assert_eq!(run(7, 1), Verdict::Proved);
    assert_eq!(run(8, 0), Verdict::Proved);
}

/// A step that can choose to repeat a cycle for ever violates a liveness property, also if the cycle changes
/// variables on the way, or if several paths of the step enter it.
#[test]
fn a_step_can_choose_to_repeat_a_cycle() {
    let loops = [
        ("while (*) { }", true),
        ("l: goto e, l2; l2: goto l; e:", true),
        ("while (*) { y := !y; }", true),
        ("havoc x; y := x > 1; while (true) { havoc x; if (x == 3) { break; } y := !y; }", true),
        ("while (*) { h := false; h := true; }", false),
    ];
    for (text, fails) in loops {
        let text = format!(
            "var {{:hot}} h: bool; var y: bool; var {{:range 0, 3}} x: int;
             procedure main() {{ h := true; y := false; {text} h := false; }}"
        );
        for choice_cost in [0, 1] {
            let options = dally_explore::Options { choice_cost, ..Default::default() };
            let machine = machine(&text);
            let report = Search::new(&machine, &dally_explore::Exhaustive, &options, &()).run();
            match report.verdict {
                Verdict::Bug(bug) if fails => {
                    assert_eq!(bug.failure.kind, dally_explore::FailureKind::Liveness, "{text}");
                    let replayed = dally_explore::replay(&machine, &bug.schedule, |_| {}).unwrap();
                    assert_eq!(replayed.failure, Some(bug.failure), "{text}");
                }
                verdict => assert!(!fails && verdict == Verdict::Proved, "{text}: {verdict}"),
            }
        }
    }
}

#[test]
fn constraints_exclude_states() {
    let loops = |attrs: &str, init: &str| {
        format!(
            "var {attrs} x: int; var y: int; function small(n: int): bool {{ n < 3 }}
             procedure main() {{ {init} while (true) {{ x := x + 1; yield; assert x < 9; }} }}"
        )
    };
    let report = |text: &str| {
        let machine = machine(text);
        Search::new(&machine, &Exhaustive, &dally_explore::Options::default(), &()).run()
    };
    // The initial state has an arbitrary x, which excludes nothing; then x is 1, 2, and 3.
    for attrs in ["{:constraint x < 3}", "{:constraint small(x)}", "{:constraint x < 3} {:constraint x < 5}"]
    {
        let report = report(&loops(attrs, "x := 0;"));
        assert_eq!((report.verdict, report.coverage.states), (Verdict::NoBug, 4), "{attrs}");
        assert_eq!(report.coverage.excluded, 1, "{attrs}");
    }
    // A constraint over a variable that stays arbitrary, or one that divides by zero, excludes nothing.
    for attrs in ["", "{:constraint y < 3}", "{:constraint x < 3 || 1 div 0 == 1}"] {
        let report = report(&loops(attrs, "x := 0;"));
        assert_eq!(report.bug().map(|bug| bug.failure.kind), Some(FailureKind::Assertion), "{attrs}");
    }
    // Inputs are those of a counterexample, from which nothing is left out.
    let given = MachineOptions { inputs: Some(Inputs::default()), ..MachineOptions::default() };
    let machine = machine_with(&loops("{:constraint x < 3}", "x := 0;"), &given);
    assert!(matches!(exhaust(&machine), Verdict::Bug(_)));
}
