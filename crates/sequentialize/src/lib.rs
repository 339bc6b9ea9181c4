//! Translations from asynchronous to sequential Boogie programs.
mod assertions;
mod atomicity;
mod build;
mod contracts;
mod df;
mod dfs;
mod dfw;
mod frames;
mod globals;
mod lower;
mod posts;
mod preempt;
mod root;
mod rounds;
mod tags;
mod tasks;
mod unit;
mod vectors;

use dally_bpl::Program;
use dally_bpl::ast::Ast;
use dally_bpl::diagnostic::{Code, Diagnostic};
use dally_bpl::source::Span;
use dally_bpl::symbol::Sym;

use crate::unit::Unit;

/// How far executions may deviate from the scheduler's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most delays in all; free if none.
    pub delays: Option<u32>,
    /// The number of rounds: one more than delays by default, which is as many as they can reach.
    pub rounds: u32,
}

impl Bounds {
    /// At most this many delays, and as many rounds as they can reach.
    pub fn delays(delays: u32) -> Bounds {
        Bounds { delays: Some(delays), rounds: delays + 1 }
    }

    /// This many rounds, and as many delays as one likes.
    pub fn rounds(rounds: u32) -> Bounds {
        Bounds { delays: None, rounds }
    }
}

/// Which translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The depth-first scheduler of [POPL11].
    Dfs(Bounds),
    /// The depth-first scheduler of [SPIN14].
    Df(Bounds),
    /// The one that exploits synchronisation.
    Dfw(Bounds),
    /// Context-bounded search: rounds of DF, and free delays.
    LalReps {
        /// The number of rounds.
        rounds: u32,
    },
}

/// How to translate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which translation.
    pub to: Target,
    /// The procedure in which execution starts; otherwise those marked `{:entrypoint}`, or `main`.
    pub entry: Option<String>,
    /// Whether tasks may be switched before each statement that touches a shared variable.
    pub preempt: bool,
}

/// A sequential program.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The program: it has no asynchrony.
    pub ast: Ast,
    /// The procedure in which it starts.
    pub root: Sym,
}

/// Translates a program.
pub fn sequentialize(program: &Program, options: &Options) -> Result<Sequential, Vec<Diagnostic>> {
    let mut unit = Unit::new(program, options.entry.as_deref());
    if options.preempt {
        preempt::insert(&mut unit, &program.info);
    }
    lower::odds_and_ends(&mut unit, &program.info);
    contracts::lower(&mut unit, &program.info);
    atomicity::lower(&mut unit, false);
    lower::awaits(&mut unit.ast);
    assertions::lower(&mut unit, false);
    let Some(entry) = lower::single_entry(&mut unit, "dfs") else { return Err(unit.problems.sorted()) };
    if !unit.problems.is_empty() {
        return Err(unit.problems.sorted());
    }
    let root = match options.to {
        Target::Dfs(bounds) => dfs::translate(&mut unit, entry, &bounds),
        Target::Df(bounds) => df::translate(&mut unit, entry, &bounds, "df"),
        Target::Dfw(bounds) => dfw::translate(&mut unit, entry, &bounds),
        Target::LalReps { rounds } => df::translate(&mut unit, entry, &Bounds::rounds(rounds), "lal_reps"),
    };
    finish(unit, root)
}

fn finish(unit: Unit, root: Sym) -> Result<Sequential, Vec<Diagnostic>> {
    let Unit { mut ast, problems, .. } = unit;
    if !problems.is_empty() {
        return Err(problems.sorted());
    }
    frames::single_entry_point(&mut ast, root);
    let (info, diagnostics) = dally_bpl::check(&ast);
    if let Some(first) = diagnostics.iter().next() {
        let message = format!("this program cannot be translated: {}", first.message);
        return Err(vec![Diagnostic::new(Code::NotSequential, Span::NONE, message)]);
    }
    frames::complete(&mut ast, &info);
    Ok(Sequential { ast, root })
}
