//! Translations from asynchronous to sequential Boogie programs.
mod assertions;
mod atomicity;
mod buffers;
mod build;
mod contracts;
mod df;
mod dfs;
mod dfw;
mod frames;
mod globals;
mod levels;
mod lower;
mod posts;
mod preempt;
mod priorities;
mod root;
mod rounds;
mod tags;
mod tasks;
mod translation;
mod unit;
mod vectors;
mod waits;
mod yields;

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
    /// Prioritised task buffers, [FSE12].
    Buffers {
        /// Rounds through all buffers, K₁.
        zields: u32,
        /// Rounds of the tasks of each level, K₂.
        yields: u32,
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
    /// Whether each posted task may be put off before it begins: what [FSE12] needs to reach all orders of tasks.
    pub reorder: bool,
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
    let levels = matches!(options.to, Target::Buffers { .. });
    atomicity::lower(&mut unit, levels);
    lower::awaits(&mut unit.ast);
    if options.reorder {
        lower::make_reorderable(&mut unit);
    }
    assertions::lower(&mut unit, levels);
    let root = match options.to {
        Target::Buffers { zields, yields } => buffers(&mut unit, zields, yields),
        _ => rounds(&mut unit, options.to),
    };
    finish(unit, root)
}

fn rounds(unit: &mut Unit, to: Target) -> Option<Sym> {
    let entry = lower::single_entry(unit, "dfs")?;
    if !unit.problems.is_empty() {
        return None;
    }
    Some(match to {
        Target::Dfs(bounds) => dfs::translate(unit, entry, &bounds),
        Target::Df(bounds) => df::translate(unit, entry, &bounds, "df"),
        Target::Dfw(bounds) => dfw::translate(unit, entry, &bounds),
        Target::LalReps { rounds } => df::translate(unit, entry, &Bounds::rounds(rounds), "lal_reps"),
        Target::Buffers { .. } => return None,
    })
}

/// Θ_P ∘ Θ_Y(K₂) ∘ Θ_M(K₁)
fn buffers(unit: &mut Unit, zields: u32, yields: u32) -> Option<Sym> {
    waits::remove(unit);
    levels::entry_per_buffer(unit);
    if let [only] = unit.entries[..]
        && only.level > 0
    {
        let base = lower::post_all(unit, &[only]);
        unit.entries = vec![unit::Entry { level: 0, ..base }];
    }
    if !unit.problems.is_empty() {
        return None;
    }
    let shared = globals::names(&globals::Globals::of(&unit.ast).shared);
    levels::specialise(unit, false);
    let (one_buffer, zields) = buffers::translate(unit, zields);
    levels::chain(unit, true);
    let translation = one_buffer.then(yields::translate(unit, yields, zields)).then(priorities::translate(unit));
    let entry = *unit.entries.first()?;
    Some(translation.close(unit, entry, "buffers", &shared))
}

fn finish(unit: Unit, root: Option<Sym>) -> Result<Sequential, Vec<Diagnostic>> {
    let Unit { mut ast, problems, .. } = unit;
    let Some(root) = root.filter(|_| problems.is_empty()) else { return Err(problems.sorted()) };
    frames::sort(&mut ast);
    frames::single_entry_point(&mut ast, root);
    let (info, diagnostics) = dally_bpl::check(&ast);
    if let Some(first) = diagnostics.iter().next() {
        let message = format!("this program cannot be translated: {}", first.message);
        return Err(vec![Diagnostic::new(Code::NotSequential, Span::NONE, message)]);
    }
    frames::complete(&mut ast, &info);
    Ok(Sequential { ast, root })
}
