//! Translations with one line missing do not pass the tests of the theorems.
//!
//! A mutant leaves out one `assume`, or forgets to put back one set of variables, wherever a procedure of its kind
//! (the wrappers of posts, one of the helpers, the root) has it. Each must be told from the translation by some
//! random program.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use dally_bpl::ast::{Ast, Block, Decl, DeclKind, Expr, Procedure, Stmt, StmtKind};
use dally_sequentialize::{Bounds, Target, TranslationOptions, sequentialize};
use dally_testing::say;
use support::generate::{self, Features, RICH};
use support::{Outcomes, explore_named, load, run};

/// The kind of a procedure that a translation adds: its name, or what follows the name of the original one.
fn kind(ast: &Ast, decl: &Decl, procedure: &Procedure) -> Option<String> {
    if ast.attr(&decl.attrs, "entrypoint").is_some() {
        return Some("root".to_owned());
    }
    let name = ast.text(procedure.signature.name.name);
    let suffix = |s: &str| name.split('$').any(|part| part == s).then(|| format!("p${s}"));
    let wrapper = ["post", "raise", "run"].into_iter().find_map(suffix);
    let helper = ast.attr(&decl.attrs, "inline").is_some() || ["join", "buffers"].contains(&name);
    wrapper.or_else(|| helper.then(|| name.to_owned()))
}

/// The kind of a statement whose removal must be noticed: it confirms a guess, enforces a bound, or restores a value.
fn candidate(ast: &Ast, stmt: &Stmt) -> Option<&'static str> {
    match &stmt.kind {
        StmtKind::Assume(_) if ast.attr(&stmt.attrs, "place").is_none() => Some("assume"),
        StmtKind::Assign(_, values) => {
            let kept = |e: &_| match ast.exprs[*e] {
                Expr::Name(name) => ast.text(name).contains("$poster") || ast.text(name).contains("$saved"),
                _ => false,
            };
            ast.exprs.list(*values).iter().all(kept).then_some("restore")
        }
        _ => None,
    }
}

/// Calls `f` for each candidate, until it says that the statement goes.
fn remove(ast: &Ast, block: &mut Block, f: &mut dyn FnMut(&Stmt, &'static str) -> bool) {
    block.stmts.retain_mut(|stmt| {
        match &mut stmt.kind {
            StmtKind::If(conditional) => {
                conditional.branches.iter_mut().for_each(|b| remove(ast, &mut b.block, f));
            }
            StmtKind::While(w) => remove(ast, &mut w.body, f),
            _ => {}
        }
        candidate(ast, stmt).is_none_or(|what| !f(stmt, what))
    });
}

/// The program without the nth candidate of each procedure of a kind; all such mutants, if none is given.
fn mutate(
    ast: &Ast,
    mutant: Option<&(String, usize)>,
    found: &mut BTreeSet<(String, usize, &'static str)>,
) -> Ast {
    let mut mutated = ast.clone();
    for decl in &mut mutated.decls {
        let original = decl.clone();
        let DeclKind::Procedure(procedure) = &mut decl.kind else { continue };
        let Some(kind) = kind(ast, &original, procedure) else { continue };
        let Some(body) = &mut procedure.body else { continue };
        let mut number = 0;
        remove(ast, &mut body.block, &mut |_, what| {
            found.insert((kind.clone(), number, what));
            number += 1;
            mutant.is_some_and(|(k, n)| *k == kind && *n + 1 == number)
        });
    }
    mutated
}

/// A comparison of the outcomes of a mutant with the expected ones.
type Right = fn(&Outcomes, &Outcomes) -> bool;

struct Case {
    name: &'static str,
    features: Features,
    to: Target,
    scheduler: &'static str,
    delays: Option<u32>,
    right: Right,
}

/// Programs that are looked at before a mutant counts as one that survives.
const MOST_PROGRAMS: u64 = 600;

impl Case {
    fn translation(&self, text: &str) -> Ast {
        let (program, _) = load(text);
        sequentialize(
            &program,
            &TranslationOptions { reorder: self.delays.is_none(), ..TranslationOptions::new(self.to) },
        )
        .unwrap()
        .program
        .ast
    }

    /// How many programs it takes to tell the mutant from the translation.
    fn programs_to_kill(&self, mutant: &(String, usize)) -> Option<u64> {
        (0..MOST_PROGRAMS).find(|seed| self.is_killed_by(*seed, mutant)).map(|seed| seed + 1)
    }

    fn is_killed_by(&self, seed: u64, mutant: &(String, usize)) -> bool {
        let text = generate::program(seed, self.features);
        let ast = self.translation(&text);
        let mutated = dally_bpl::print(&mutate(&ast, Some(mutant), &mut BTreeSet::new()));
        if mutated == dally_bpl::print(&ast) {
            return false;
        }
        let globals = generate::globals(self.features);
        // A failed assertion of the evaluator about the order of pieces also detects the mutant.
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&mutated, &globals)));
        match outcome {
            Err(_) => true,
            Ok(None) => false,
            Ok(Some(found)) => !(self.right)(&found, &explore_named(&text, self.scheduler, self.delays)),
        }
    }

    fn mutants(&self) -> BTreeSet<(String, usize, &'static str)> {
        let mut found = BTreeSet::new();
        for seed in 0..50 {
            let ast = self.translation(&generate::program(seed, self.features));
            mutate(&ast, None, &mut found);
        }
        found
    }

    fn test(&self) {
        let mut survivors = Vec::new();
        for (kind, number, what) in self.mutants() {
            let programs = self.programs_to_kill(&(kind.clone(), number));
            let shown = programs.map_or("survives".to_owned(), |n| format!("caught by program {n}"));
            say(&format!("\n| {} | {kind} | {what} {number} | {shown} |", self.name));
            if programs.is_none() {
                survivors.push((kind, number, what));
            }
        }
        assert!(survivors.is_empty(), "{}: {survivors:?}", self.name);
    }
}

const DRIVER: Features = Features {
    waits: false,
    passed_tasks: false,
    thread_locals: false,
    levels: 3,
    buffers: 2,
    posts: 3,
    globals: 1,
    ..RICH
};

fn equal(found: &Outcomes, expected: &Outcomes) -> bool {
    found == expected
}

fn sound(found: &Outcomes, all: &Outcomes) -> bool {
    found.finals.is_subset(&all.finals)
}

const CASES: [Case; 5] = [
    Case {
        name: "dfs",
        features: RICH,
        to: Target::Dfs(Bounds { delays: Some(1), rounds: 2 }),
        scheduler: "dfs",
        delays: Some(1),
        right: equal,
    },
    Case {
        name: "df",
        features: RICH,
        to: Target::Df(Bounds { delays: Some(1), rounds: 2 }),
        scheduler: "df",
        delays: Some(1),
        right: equal,
    },
    Case {
        name: "dfw",
        features: RICH,
        to: Target::Dfw(Bounds { delays: Some(1), rounds: 2 }),
        scheduler: "dfw",
        delays: Some(1),
        right: equal,
    },
    Case {
        name: "lal-reps",
        features: RICH,
        to: Target::LalReps { rounds: 2 },
        scheduler: "bag",
        delays: None,
        right: sound,
    },
    Case {
        name: "buffers",
        features: DRIVER,
        to: Target::Buffers { zields: 2, yields: 2 },
        scheduler: "bag",
        delays: None,
        right: sound,
    },
];

macro_rules! tests {
    ($($name:ident = $case:literal;)*) => { $(#[test] fn $name() { CASES[$case].test(); })* };
}

tests! {
    dfs = 0;
    df = 1;
    dfw = 2;
    lal_reps = 3;
    buffers = 4;
}

/// Selects the lines that a mutation removes.
type Goes = fn(&str) -> bool;

/// The lines of SYNCE, each kind of which is left out in turn.
const LINES: [(&str, Goes); 4] = [
    ("assume, to begin or go on after a yield", |l| l.starts_with("assume") && l.contains("busy$")),
    ("assume, to go on after an interruption or a zield", |l| {
        l.starts_with("assume turn == 0 &&")
            || (l.starts_with("assume") && l.contains("count$") && !l.contains("busy$"))
    }),
    ("mark that a task is no longer busy", |l| l.starts_with("busy$") && l.ends_with(":= 0;")),
    ("count of a task that has ended", |l| l.starts_with("count$") && l.contains(" - 1;")),
];

/// SYNCE encodes levels in a program that is still asynchronous, and then does as lal-reps.
#[test]
fn synce() {
    let features = Features { levels: 2, ..DRIVER };
    for (name, goes) in LINES {
        let killed = (0..MOST_PROGRAMS).find(|seed| {
            let text = generate::program(*seed, features);
            let (program, _) = load(&text);
            let encoded = dally_bpl::print(&dally_sequentialize::without_levels(&program, None).unwrap());
            let kept: Vec<&str> = encoded.lines().filter(|line| !goes(line.trim_start())).collect();
            let found = explore_named(&kept.join("\n"), "bag", None).only(&generate::globals(features));
            found != explore_named(&text, "bag", None)
        });
        let shown = killed.map_or("survives".to_owned(), |n| format!("caught by program {}", n + 1));
        say(&format!("| synce | encoding | {name} | {shown} |"));
        assert!(killed.is_some(), "{name}");
    }
}
