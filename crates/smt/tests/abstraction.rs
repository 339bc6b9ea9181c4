//! Variable abstraction against the verifier that tracks everything, on random programs with maps.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

use dally_smt::{Process, SolverBudget};
use dally_testing::{Random, for_seeds};
use dally_text::source::SourceMap;
use dally_verify::{
    Abstraction, Answer, Group, InlineOptions, Solver, SolverError, Verifier, asserted, groups,
};

fn start() -> Result<Box<dyn Solver>, SolverError> {
    Ok(Box::new(Process::start("z3", None, SolverBudget::default())?))
}

/// An element of one of the maps, or a scalar.
fn place(random: &mut Random) -> String {
    match random.below(6) {
        0 => "x".to_owned(),
        1 => "g".to_owned(),
        n => {
            format!("{}[{}]", ["a", "b", "c", "d"][n as usize - 2], ["0", "1", "x"][random.below(3) as usize])
        }
    }
}

fn condition(random: &mut Random) -> String {
    let op = ["<", "==", "!=", ">="][random.below(4) as usize];
    let right = if random.below(3) == 0 { place(random) } else { random.below(3).to_string() };
    format!("{} {op} {right}", place(random))
}

fn statements(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        text.push_str(&match random.below(if depth > 0 { 9 } else { 6 }) {
            0 | 1 => format!("{} := {}; ", place(random), random.below(3)),
            2 => format!("{} := {} + 1; ", place(random), place(random)),
            3 => format!("{}, {} := {}, {}; ", "x", "g", place(random), place(random)),
            4 => format!("assume {} && {}; ", condition(random), condition(random)),
            5 => format!("havoc {}; ", ["a", "b", "x", "g"][random.below(4) as usize]),
            6 => format!("while ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            7 => format!("if ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            _ => "call x := f(x); ".to_owned(),
        });
    }
    text
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (inner, outer) = (statements(&mut random, 1), statements(&mut random, 2));
    let (guard, claim) = (condition(&mut random), condition(&mut random));
    format!(
        "var a, b, c, d: [int]int; var g: int;\n\
         procedure f(n: int) returns (x: int) modifies a, b, c, d, g; {{ x := n; if ({guard}) {{ return; }} {inner}}}\n\
         procedure main() modifies a, b, c, d, g; {{ var x: int; g := 0; x := 0; a[0] := 0; b[0] := 1; {outer}assert {claim}; }}"
    )
}

/// The answer of an abstraction that tracks no map at first, and the names of those that it tracks in the end.
fn abstracted(text: &str, recursion: u32, from_start: &dyn Fn(&str) -> bool) -> (Answer, Vec<String>) {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let root = program.ast.symbols.get("main").unwrap();
    let groups = groups(&program, &|name| Some(program.ast.text(name).to_owned()), from_start);
    let mut abstraction =
        Abstraction::new(&program, root, &InlineOptions::default(), groups, Box::new(start));
    let answer = abstraction.run(recursion).unwrap();
    let tracked = |group: &&Group| group.tracked;
    (answer, abstraction.groups().iter().filter(tracked).map(|group| group.name.clone()).collect())
}

fn plain(text: &str, recursion: u32) -> Answer {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let root = program.ast.symbols.get("main").unwrap();
    let mut verifier = Verifier::new(&program, root, &InlineOptions::default()).unwrap();
    verifier.run(recursion, start().unwrap().as_mut()).unwrap()
}

#[test]
fn abstraction_agrees_with_tracking_everything() {
    let (mut bugs, mut clean, mut fewer) = (0, 0, 0);
    for_seeds("abstraction_agrees_with_tracking_everything", 80, |seed| {
        let text = program(seed);
        let expected = plain(&text, 2);
        let (found, tracked) = abstracted(&text, 2, &|_| false);
        let is_bug = |answer: &Answer| matches!(answer, Answer::Bug(_));
        assert_eq!(is_bug(&found), is_bug(&expected), "{tracked:?}, {found:?}, {expected:?}\n{text}");
        // With fewer globals tracked a proof without a bound may come earlier, but never of less.
        if is_bug(&found) {
            bugs += 1;
        } else {
            clean += 1;
            fewer += u32::from(tracked.len() < 5);
        }
    });
    assert!(bugs > 10 && clean > 10 && fewer > 10, "{bugs} bugs, {clean} clean, {fewer} with fewer globals");
}

#[test]
fn only_the_maps_that_matter_are_tracked() {
    let text = "var a, b, c: [int]int; procedure main() modifies a, b, c; {
                  a[0] := 1; b[1] := a[0]; c[2] := 7; while (*) { c[3] := b[1]; } assert b[1] == 1; }";
    let (answer, tracked) = abstracted(text, 3, &|_| false);
    assert!(!matches!(answer, Answer::Bug(_)), "{answer:?}");
    assert_eq!(tracked, ["a", "b"]);
}

#[test]
fn a_feasible_path_is_a_bug_with_the_values_of_all_maps() {
    let text =
        "var a, b: [int]int; procedure main() { assume b[3] == 4; if (a[b[3]] == 5) { assert false; } }";
    let (answer, tracked) = abstracted(text, 1, &|_| false);
    let Answer::Bug(path) = answer else { panic!("{answer:?}") };
    assert!(path.certain && tracked.is_empty(), "{tracked:?}");
    let shown = format!("{:?}", path.globals);
    assert!(shown.contains('4') && shown.contains('5'), "{shown}");
}

#[test]
fn assertions_say_which_maps_to_begin_with() {
    let text =
        "var a, b, c: [int]int; procedure p() requires c[0] == 0; { while (true) invariant a[1] == 1; { } }
                procedure main() { assume b[0] == 0; assert true; }";
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let mut names: Vec<&str> = asserted(&program).into_iter().map(|name| program.ast.text(name)).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "c"]);
}
