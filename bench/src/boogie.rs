//! The models as Boogie programs: guarded actions of one task.
//!
//! Each state is a valuation of the globals at the only `yield`. There is one state more than in
//! the other models: the one before the first step.

use dally_interp::{Machine, MachineOptions};
use dally_text::source::SourceMap;

/// A guarded action.
struct Action {
    guard: String,
    effect: String,
}

/// A program that executes enabled actions forever.
fn program(globals: &str, start: &str, actions: &[Action]) -> String {
    let labels: Vec<String> = (0..actions.len()).map(|i| format!("a{i}")).collect();
    let bodies: String = actions
        .iter()
        .zip(&labels)
        .map(|(a, label)| format!("{label}:\n  assume {};\n  {}\n  goto again;\n", a.guard, a.effect))
        .collect();
    format!(
        "{globals}procedure main()\n{{\n  {start}\nagain:\n  yield;\n  goto {};\n{bodies}}}\n",
        labels.join(", ")
    )
}

fn action(guard: impl Into<String>, effect: impl Into<String>) -> Action {
    Action { guard: guard.into(), effect: effect.into() }
}

/// `var p0, p1, …: ty;`
fn family(prefix: &str, n: usize, ty: &str) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("{prefix}{i}")).collect();
    format!("var {}: {ty};\n", names.join(", "))
}

/// `p0 := v; p1 := v; …`
fn each(prefix: &str, n: usize, value: &str) -> String {
    (0..n).map(|i| format!("{prefix}{i} := {value}; ")).collect()
}

/// Two-phase commit with n resource managers.
pub fn two_phase_commit(n: usize) -> String {
    let globals = family("rm", n, "int") + &family("sent", n, "bool") + &family("seen", n, "bool");
    let globals = globals + "var commit, abort: bool;\n";
    let start = each("rm", n, "0") + &each("sent", n, "false") + &each("seen", n, "false");
    let start = start + "commit := false; abort := false;";
    let all_seen: Vec<String> = (0..n).map(|i| format!("seen{i}")).collect();
    let mut actions = vec![
        action(format!("!commit && !abort && {}", all_seen.join(" && ")), "commit := true;"),
        action("!commit && !abort", "abort := true;"),
    ];
    for i in 0..n {
        actions.push(action(format!("!commit && !abort && sent{i}"), format!("seen{i} := true;")));
        actions.push(action(format!("rm{i} == 0"), format!("rm{i} := 1; sent{i} := true;")));
        actions.push(action(format!("rm{i} == 0"), format!("rm{i} := 3;")));
        actions.push(action("commit", format!("rm{i} := 2;")));
        actions.push(action("abort", format!("rm{i} := 3;")));
    }
    program(&globals, &start, &actions)
}

/// Peterson's mutual exclusion for four processes, which read one variable in a step.
pub fn peterson() -> String {
    let families = ["phase", "level", "seen", "last"];
    let globals: String = families.iter().map(|family_name| family(family_name, 4, "int")).collect();
    let start: String = families.iter().map(|family| each(family, 4, "0")).collect();
    let mut actions = Vec::new();
    for i in 0..4 {
        let at =
            |level: &str| format!("(if {level} == 1 then last1 else if {level} == 2 then last2 else last3)");
        let last = at(&format!("level{i}"));
        let below = |k: usize| if k == i { "true".to_owned() } else { format!("level{k} < level{i}") };
        actions.push(action(format!("phase{i} == 0"), format!("level{i} := 1; phase{i} := 1;")));
        for level in 1..4 {
            actions.push(action(
                format!("phase{i} == 1 && level{i} == {level}"),
                format!("last{level} := {i}; phase{i} := 2;"),
            ));
        }
        let rise = format!(
            "seen{i} := 0; if (level{i} == 3) {{ phase{i} := 3; }} else {{ level{i} := level{i} + 1; phase{i} := 1; }}"
        );
        for k in 0..4 {
            let waits = format!("phase{i} == 2 && seen{i} == {k}");
            let sees = if k == 3 { rise.clone() } else { format!("seen{i} := {};", k + 1) };
            actions.push(action(format!("{waits} && {}", below(k)), sees));
            if k != i {
                actions.push(action(format!("{waits} && !({})", below(k)), format!("phase{i} := 4;")));
            }
        }
        actions.push(action(format!("phase{i} == 4 && {last} != {i}"), rise));
        actions.push(action(format!("phase{i} == 4 && {last} == {i}"), format!("phase{i} := 2;")));
        actions.push(action(format!("phase{i} == 3"), format!("level{i} := 0; phase{i} := 0;")));
    }
    program(&globals, &start, &actions)
}

/// Leader election in a ring of five, for every assignment of ids. A queue is a number in base 6;
/// `room` is the weight of its next digit.
pub fn leader() -> String {
    let globals = family("id", 5, "int") + &family("started", 5, "bool") + &family("held", 5, "int");
    let globals =
        globals + &family("q", 5, "int") + &family("room", 5, "int") + "var assigned, leader: int;\n";
    let start =
        each("id", 5, "0") + &each("started", 5, "false") + &each("held", 5, "0") + &each("q", 5, "0");
    let start = start + &each("room", 5, "1") + "assigned := 0; leader := 0;";
    let mut actions = Vec::new();
    for x in 1..=5 {
        let taken: Vec<String> = (0..5).map(|i| format!("id{i} != {x}")).collect();
        for place in 0..5 {
            actions.push(action(
                format!("assigned == {place} && {}", taken.join(" && ")),
                format!("id{place} := {x}; assigned := assigned + 1;"),
            ));
        }
    }
    for i in 0..5 {
        let from = (i + 4) % 5;
        let send = |what: &str| format!("q{i} := q{i} + {what} * room{i}; room{i} := 6 * room{i};");
        actions.push(action(
            format!("assigned == 5 && !started{i} && held{i} == 0"),
            format!("started{i} := true; {}", send(&format!("id{i}"))),
        ));
        actions.push(action(
            format!("held{i} == 0 && q{from} != 0"),
            format!(
                "held{i} := q{from} mod 6; q{from} := q{from} div 6; room{from} := room{from} div 6;
                 if (held{i} == id{i}) {{ leader := {}; }} if (held{i} <= id{i}) {{ held{i} := 0; }}",
                i + 1
            ),
        ));
        actions.push(action(format!("held{i} != 0"), format!("{} held{i} := 0;", send(&format!("held{i}")))));
    }
    program(&globals, &start, &actions)
}

/// Peterson's mutual exclusion for four processes with a task for each.
pub fn peterson_tasks(count: usize) -> String {
    let start = each("level", count, "0") + &each("last", count, "0") + "inside := 0;";
    let calls: String = (0..count).map(|i| format!("async call process{i}();\n")).collect();
    let processes: String = (0..count)
        .map(|i| {
            let levels: String = (1..count).map(|level| peterson_level(count, i, level)).collect();
            let leave = format!("inside := inside - 1; level{i} := 0;");
            format!(
                "procedure process{i}()\n{{\ntop:\n  yield;\n{levels}  inside := inside + 1; assert inside == 1; yield; \
                 {leave}\n  goto top;\n}}\n"
            )
        })
        .collect();
    let globals = family("level", count, "int") + &family("last", count, "int") + "var inside: int;\n";
    format!("{globals}procedure main()\n{{\n{start}\n{calls}}}\n{processes}")
}

/// A process enters a level, and waits until the others are below it or another process enters it.
fn peterson_level(count: usize, process: usize, level: usize) -> String {
    let reads: String = (0..count)
        .filter(|other| *other != process)
        .map(|other| {
            format!(
                "w{level}_{other}: yield; if (level{other} >= {level}) {{ yield; if (last{level} == {process}) \
                 {{ goto w{level}_{other}; }} goto up{level}; }}\n"
            )
        })
        .collect();
    format!("level{process} := {level}; yield; last{level} := {process};\n{reads}up{level}:\n")
}

/// Compiles a program.
///
/// # Panics
///
/// Panics if the program has errors. The programs of this module have none.
pub fn machine(text: &str) -> Machine {
    let mut sources = SourceMap::default();
    sources.add("model.bpl", text).expect("models are small");
    let show =
        |d: Vec<dally_text::diagnostic::Diagnostic>| dally_text::render::render(&sources, &d[0], false);
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{}", show(d)));
    Machine::new(&program, &sources, &MachineOptions::default()).unwrap_or_else(|d| panic!("{}", show(d)))
}
