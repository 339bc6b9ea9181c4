//! Random programs with loops and recursion, and what the bounded engine says about them.
#![allow(dead_code, reason = "each test uses a part")]

use dally_bpl::Program;
use dally_smt::{Process, SolverBudget};
use dally_testing::Random;
use dally_text::source::SourceMap;
use dally_text::symbol::Sym;
use dally_verify::{Answer, InlineOptions, Verifier};

pub(crate) fn start() -> Process {
    Process::start("z3", None, SolverBudget::default()).unwrap()
}

/// A program and its entry point.
pub(crate) fn load(text: &str) -> (Program, Sym) {
    let mut sources = SourceMap::default();
    sources.add("program.bpl", text).unwrap();
    let program = dally_bpl::load(&sources).unwrap();
    let root = program.ast.symbols.get("main").unwrap();
    (program, root)
}

/// The answer of the bounded engine.
pub(crate) fn bounded(program: &Program, root: Sym, recursion: u32) -> Answer {
    let mut verifier = Verifier::new(program, root, &InlineOptions::default()).unwrap();
    verifier.run(recursion, &mut start()).unwrap()
}

/// A condition over the variables.
fn condition(random: &mut Random) -> String {
    let var = ["g", "h", "x"][random.below(3) as usize];
    let op = ["<", "<=", "==", "!=", ">="][random.below(5) as usize];
    format!("{var} {op} {}", random.below(4))
}

/// Statements; loops and calls as far as the depth allows.
fn statements(random: &mut Random, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let var = ["g", "h", "x"][random.below(3) as usize];
        text.push_str(&match random.below(if depth > 0 { 8 } else { 4 }) {
            0 => format!("{var} := {}; ", random.below(4)),
            1 => format!("{var} := {var} + 1; "),
            2 => format!("{var} := {}; ", ["g", "h", "x"][random.below(3) as usize]),
            3 => format!("assume {}; ", condition(random)),
            4 => format!("while (*) {{ {}}} ", statements(random, depth - 1)),
            5 => format!("while ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            6 => format!("if ({}) {{ {}}} ", condition(random), statements(random, depth - 1)),
            _ => "call x := f(x); ".to_owned(),
        });
    }
    text
}

pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (inner, outer) = (statements(&mut random, 1), statements(&mut random, 2));
    let (guard, claim) = (condition(&mut random), condition(&mut random));
    format!(
        "var g: int; var h: int;\n\
         procedure f(a: int) returns (x: int) modifies g, h; {{ x := a; if ({guard}) {{ return; }} {inner}}}\n\
         procedure main() modifies g, h; {{ var x: int; g := 0; h := 0; x := 0; {outer}assert {claim}; }}"
    )
}
