//! Translations from asynchronous to sequential Boogie programs, so that any sequential analysis becomes a
//! concurrency analysis.
//!
//! A posted task becomes a call, made where the task is posted, with a guess of what the globals will be when it
//! really runs; the guesses are confirmed at the end, so that the executions that remain are those of the
//! asynchronous program under some scheduler, within some bound.
//!
//! ```
//! use dally_bpl::{load, print};
//! use dally_text::source::SourceMap;
//! use dally_sequentialize::{Bounds, TranslationOptions, Target, sequentialize};
//!
//! let mut sources = SourceMap::default();
//! sources.add("example.bpl", "
//!     var x: int;
//!     procedure main() { x := 0; call {:async} bump(); assert x == 0; }
//!     procedure bump() { x := x + 1; }
//! ").unwrap();
//! let program = load(&sources).expect("no errors");
//!
//! let options = TranslationOptions::new(Target::Dfs(Bounds::delays(1)));
//! let sequential = sequentialize(&program, &options).expect("dfs knows all of this");
//! assert!(print(&sequential.program.ast).contains("call bump$post();"));
//! ```
//!
//! # The translations
//!
//! | [`Target`] | executions | from | file |
//! |---|---|---|---|
//! | [`Dfs`](Target::Dfs) | of the scheduler `dfs`, with K delays | [POPL11 §5] | `dfs.rs` |
//! | [`Df`](Target::Df) | of the scheduler `df`, with K delays | [SPIN14 §5] | `df.rs` |
//! | [`Dfw`](Target::Dfw) | of the scheduler `dfw`, with K delays | [SPIN14 §5] | `dfw.rs` |
//! | [`LalReps`](Target::LalReps) | of the scheduler `df`, in R rounds | Lal and Reps | `df.rs` |
//! | [`Buffers`](Target::Buffers) | with levels and buffers, in K₁ rounds through the buffers and K₂ rounds of each level | [FSE12 §4, §5] | `buffers.rs`, `yields.rs`, `priorities.rs` |
//! | [`Synce`](Target::Synce) | with levels and buffers encoded in shared memory, in R rounds | [FSE12 §6] | `synce.rs` |
//!
//! Each is a list of passes over the tree. What they share: contracts become statements (`contracts.rs`), atomic
//! sections lose their yields (`atomicity.rs`), assertions become a flag (`assertions.rs`), posts become calls of
//! wrappers (`posts.rs`), tags say where each piece of a task belongs in the original order (`tags.rs`).
//! Globals are copied as scalars, one for each round.
//!
//! # What they assume
//!
//! A task is waited for only through its handle: a handle that nothing was assigned to may denote any task. A construct that a
//! translation cannot handle is an `unsupported` diagnostic.
//!
//! The bibliography is in `ARCHITECTURE.md`.

mod assertions;
mod atomicity;
mod buffers;
mod build;
mod contracts;
mod df;
mod dfs;
mod dfw;
mod ends;
mod frames;
mod globals;
mod levels;
mod lower;
mod modular;
mod monomorphic;
mod numbers;
mod options;
mod origins;
mod posts;
mod preempt;
mod priorities;
mod root;
mod rounds;
mod synce;
mod tags;
mod tasks;
mod translation;
mod unit;
mod unpacks;
mod vectors;
mod waits;
mod yields;

use dally_bpl::Program;
use dally_bpl::ast::{Ast, StmtKind};
use dally_bpl::codes;
use dally_text::code::Severity;
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;

pub use crate::ends::waits_cost_delays;
pub use crate::modular::{is_inlined, modular};
pub use crate::monomorphic::monomorphic;
pub use crate::options::{Bounds, Target, TranslationOptions};
pub use crate::origins::{Check, Origins, Procedure, Source};
use crate::unit::Unit;
pub use crate::unpacks::checked_unpacks;

/// A sequential program.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The program: it has no asynchrony.
    pub program: Program,
    /// The procedure in which it starts. At its end, each global of the original program has its final value.
    pub root: Sym,
    /// Where its variables, procedures and statements come from.
    pub origins: Origins,
}

/// Translates a program.
pub fn sequentialize(program: &Program, options: &TranslationOptions) -> Result<Sequential, Vec<Diagnostic>> {
    let mut unit = prepare(program, options);
    let root = match options.to.with_rounds() {
        Target::Buffers { zields, yields } => to_buffers(&mut unit, options, zields, yields),
        Target::Synce { rounds } => to_synce(&mut unit, rounds),
        to => to_rounds(&mut unit, to),
    };
    finish(program, unit, root)
}

/// The procedure in which a program starts that needs no translation: nothing that it reaches posts tasks, waits, or asks
/// for the number of its task. None if it does, or if it starts in several procedures.
pub fn sequential_entry(program: &Program, entry: Option<&str>) -> Result<Option<Sym>, Vec<Diagnostic>> {
    let mut unit = Unit::new(program, entry);
    if unit.entries.is_empty() {
        return Err(unit.problems.sorted());
    }
    let [only] = unit.entries[..] else { return Ok(None) };
    contracts::lower(&mut unit, &program.info);
    let numbers = numbers::procedures(&mut unit.ast);
    let asynchronous = unit.closure(|s| match &s.kind {
        StmtKind::Async(_) | StmtKind::Wait(..) | StmtKind::Await(_) => true,
        StmtKind::Call(call) => numbers.contains(&call.procedure.name),
        _ => false,
    });
    Ok((!asynchronous.contains(&unit.entries[0].procedure)).then_some(only.procedure))
}

/// True if tasks have levels, or there is more than one buffer: only [`Target::Buffers`] and [`Target::Synce`] support these.
pub fn has_levels(program: &Program, entry: Option<&str>) -> bool {
    let mut unit = Unit::new(program, entry);
    let place = |e: &unit::Entry| (e.level, e.buffer);
    let own = unit.entries.first().map_or((0, 0), place);
    let mut found = unit.entries.iter().any(|e| place(e) != own);
    build::each_stmt(&mut unit.ast, |_, s| {
        found |= matches!(&s.kind, StmtKind::Async(post) if post.level.is_some_and(|l| l != own.0));
    });
    found
}

/// The program without its waits, by [SPIN14 Fig. 7]: each task leaves its result in shared memory.
///
/// It is still asynchronous, and starts in `entry`, or in the one procedure that is marked, or in `main`.
pub fn without_waits(program: &Program, entry: Option<&str>) -> Result<Ast, Vec<Diagnostic>> {
    let mut unit = Unit::new(program, entry);
    lower::odds_and_ends(&mut unit, &program.info);
    atomicity::lower(&mut unit, false);
    atomicity::forget(&mut unit.ast);
    waits::remove(&mut unit);
    lower::start_with(&mut unit);
    if unit.problems.is_empty() { Ok(unit.ast) } else { Err(unit.problems.sorted()) }
}

/// The program with its levels and buffers encoded in shared memory, as [FSE12 §6] has it for comparison.
///
/// It is still asynchronous, and has one level and one buffer.
pub fn without_levels(program: &Program, entry: Option<&str>) -> Result<Ast, Vec<Diagnostic>> {
    let mut unit = Unit::new(program, entry);
    lower::odds_and_ends(&mut unit, &program.info);
    contracts::lower(&mut unit, &program.info);
    numbers::keep(&mut unit);
    atomicity::lower(&mut unit, true);
    atomicity::forget(&mut unit.ast);
    lower::awaits(&mut unit, true);
    waits::remove(&mut unit);
    if unit.problems.is_empty() {
        let homes = levels::specialise(&mut unit, true);
        synce::encode(&mut unit, homes);
        lower::start_with(&mut unit);
    }
    if let (Some(entry), true) = (unit.entries.first(), unit.problems.is_empty()) {
        frames::single_entry_point(&mut unit.ast, entry.procedure);
        frames::mark_entry_point(&mut unit.ast, entry.procedure);
        return Ok(unit.ast);
    }
    Err(unit.problems.sorted())
}

/// The passes that all translations start with.
fn prepare(program: &Program, options: &TranslationOptions) -> Unit {
    let mut unit = Unit::new(program, options.program.entry.as_deref());
    let levels = matches!(options.to, Target::Buffers { .. } | Target::Synce { .. });
    globals::drop_constraints(&mut unit.ast);
    if options.program.preempt {
        preempt::insert(&mut unit, &program.info, levels);
    }
    lower::odds_and_ends(&mut unit, &program.info);
    contracts::lower(&mut unit, &program.info);
    numbers::keep(&mut unit);
    atomicity::lower(&mut unit, levels);
    lower::awaits(&mut unit, levels);
    if options.reorder {
        lower::make_reorderable(&mut unit);
    }
    assertions::lower(&mut unit, levels);
    unit
}

/// The translations for one buffer and one level.
fn to_rounds(unit: &mut Unit, to: Target) -> Option<Sym> {
    if let Some(span) = tasks::in_globals(&unit.ast) {
        if matches!(to, Target::Dfw(_)) {
            let message = "`dfw` knows tasks in local variables only";
            unit.unsupported(span, message, "pass the task as an argument, or use `--to df`");
        }
        waits::remove(unit);
    }
    let entry = lower::single_entry(unit, to.name())?;
    if !unit.problems.is_empty() {
        return None;
    }
    Some(match to {
        Target::Dfs(bounds) => dfs::translate(unit, entry, &bounds),
        Target::Df(bounds) => df::translate(unit, entry, &bounds, "df"),
        Target::Dfw(bounds) => dfw::translate(unit, entry, &bounds),
        Target::LalReps { rounds } => df::translate(unit, entry, &Bounds::rounds(rounds), "lal_reps"),
        Target::Buffers { .. } | Target::Synce { .. } => return None,
    })
}

/// Θ_P ∘ Θ_Y(K₂) ∘ Θ_M(K₁)
fn to_buffers(unit: &mut Unit, options: &TranslationOptions, zields: u32, yields: u32) -> Option<Sym> {
    waits::remove(unit);
    let by_rank = levels::rank(unit);
    levels::entry_per_buffer(unit);
    if !unit.problems.is_empty() {
        return None;
    }
    let shared = globals::names(&globals::Globals::of(&unit.ast).shared);
    levels::specialise(unit, false);
    preempt::suppress_by_level(unit, |rank| by_rank.get(rank as usize).copied().unwrap_or(rank));
    let (one_buffer, zields) = buffers::translate(unit, zields);
    levels::chain(unit, options.chains);
    if !unit.problems.is_empty() {
        return None;
    }
    let translation =
        one_buffer.then(&yields::translate(unit, yields, zields)).then(&priorities::translate(unit));
    let entry = *unit.entries.first()?;
    Some(translation.close(unit, entry, "buffers", &shared))
}

fn to_synce(unit: &mut Unit, rounds: u32) -> Option<Sym> {
    waits::remove(unit);
    if !unit.problems.is_empty() {
        return None;
    }
    let homes = levels::specialise(unit, true);
    preempt::suppress_by_level(unit, |level| level);
    synce::encode(unit, homes);
    let entry = lower::single_entry(unit, "synce")?;
    Some(df::translate(unit, entry, &Bounds::rounds(rounds), "synce"))
}

fn finish(source: &Program, unit: Unit, root: Option<Sym>) -> Result<Sequential, Vec<Diagnostic>> {
    let Unit { mut ast, problems, lowered, .. } = unit;
    let Some(root) = root.filter(|_| problems.is_empty()) else { return Err(problems.sorted()) };
    frames::sort(&mut ast);
    frames::single_entry_point(&mut ast, root);
    frames::plain_variables(&mut ast);
    let (info, diagnostics) = dally_bpl::check(&ast);
    if let Some(first) = diagnostics.iter().find(|d| d.severity() != Severity::Warning) {
        let message = format!("this program cannot be translated: {}", first.message);
        return Err(vec![Diagnostic::new(codes::NOT_SEQUENTIAL, first.primary.span, message)]);
    }
    frames::complete(&mut ast, &info);
    let origins = Origins::new(&source.ast, std::mem::take(&mut ast.derived), lowered);
    Ok(Sequential { program: Program { ast, info, warnings: Vec::new() }, root, origins })
}
