//! Θ_M(K): from several buffers to one, in K rounds through all of them.
//!
//! [FSE12 §4, Fig. 3]. The buffers run one after the other, each through all of its rounds, on copies of the globals,
//! one for each round; a buffer may move to a later round at a `zield`. The values at the beginnings of rounds are
//! guessed at the start, and S says that each round begins where the one before it ended. Levels go up by
//! one, so that all tasks of a buffer are done before the next buffer begins.
//!
//! Deviations:
//! 1. Where the figure reads and writes `G[k]`, the copy of the current round is the variable itself, and moving
//!    to the next round swaps it with the copy of that: so the text of tasks stays as it is, and there is no
//!    copy that is out of date, and would have to be guessed by the translations that follow.
//! 2. A buffer other than the first may begin in any round. In the figure each begins in the first one, so that
//!    the buffers always begin in the order of their numbers, however large K is, which contradicts Theorem 4.
//! 3. A program with one buffer is left as it is.

use dally_bpl::ast::{Ast, Attrs, BinaryOp, Stmt, StmtKind};
use dally_text::symbol::Sym;

use crate::build;
use crate::globals::{self, Globals};
use crate::lower;
use crate::translation::Translation;
use crate::unit::{Entry, Unit};

/// The parts of this translation that others need.
#[derive(Clone, Debug)]
pub(crate) struct Zields {
    /// The task that runs the buffers, which the translation has added.
    pub(crate) main: Sym,
    /// The tasks that it posts.
    pub(crate) entries: Vec<Sym>,
    /// The procedure that may move to another round.
    pub(crate) procedure: Sym,
    /// The round.
    pub(crate) round: Sym,
}

pub(crate) fn translate(unit: &mut Unit, rounds: u32) -> (Translation, Option<Zields>) {
    if unit.entries.len() == 1 {
        build::rewrite_bodies(&mut unit.ast, |_, s, out| {
            if !matches!(s.kind, StmtKind::Zield) {
                out.push(s);
            }
        });
        return (Translation::default(), None);
    }
    let Globals { shared, .. } = Globals::of(&unit.ast);
    let ast = &mut unit.ast;
    let vars = globals::names(&shared);
    // `others[i]` is for round i + 1 while the buffer is in an earlier one, and for round i from then on.
    let others = globals::declare_vector(ast, &shared, "z", rounds - 1);
    let range = build::range(ast, rounds - 1);
    let round = build::global_int(ast, "z", range);
    let forward = declare_forward(ast, &vars, &others, round);
    let rewind = declare_rewind(ast, &vars, &others, round);
    build::rewrite_bodies(ast, |ast, mut s, out| {
        match &mut s.kind {
            StmtKind::Zield => s.kind = build::call(ast, &[], forward, &[]).kind,
            StmtKind::Async(post) => post.level = post.level.map(|level| level + 1),
            _ => {}
        }
        out.push(s);
    });
    for level in unit.levels.values_mut() {
        *level += 1;
    }
    let entries = unit.entries.iter().map(|e| e.procedure).collect();
    let main = build::fresh(&mut unit.ast, "buffers");
    let zields = Zields { main, entries, procedure: forward, round };
    declare_main(unit, &zields, rewind);
    let at_end: Vec<&Vec<Sym>> = [&vars].into_iter().chain(&others).collect();
    let valid = others.iter().zip(&at_end).flat_map(|(begin, end)| globals::pairs(begin, end)).collect();
    let last = at_end.last().map(|last| globals::pairs(&vars, last)).unwrap_or_default();
    (Translation { valid, last: last.into_iter().collect(), ..Translation::default() }, Some(zields))
}

/// `x, other := other, x;`
fn swap(ast: &mut Ast, vars: &[Sym], others: &[Sym]) -> Vec<Stmt> {
    let mut moves = globals::pairs(vars, others);
    moves.extend(globals::pairs(others, vars));
    build::assign(ast, &moves)
}

/// `z := in(z, K-1)`
fn declare_forward(ast: &mut Ast, vars: &[Sym], others: &[Vec<Sym>], round: Sym) -> Sym {
    let last = others.len() as u32;
    let to = build::fresh(ast, "to");
    let range = build::range(ast, last);
    let locals = vec![build::local_int(ast, to, range)];
    let mut stmts = build::havoc(&[to]);
    let (from, within) =
        (build::relate(ast, round, BinaryOp::Le, to), build::compare(ast, to, BinaryOp::Le, last));
    stmts.push(build::assume(build::binary(ast, BinaryOp::And, from, within)));
    for (next, other) in (1..).zip(others) {
        let below = build::compare(ast, round, BinaryOp::Lt, next);
        let reached = build::compare(ast, to, BinaryOp::Ge, next);
        let passed = build::binary(ast, BinaryOp::And, below, reached);
        let moves = swap(ast, vars, other);
        stmts.push(build::when(passed, moves));
    }
    stmts.extend(build::assign(ast, &[(round, to)]));
    let name = build::fresh(ast, "forward");
    build::declare_helper(ast, name, locals, stmts);
    name
}

/// Back to the first round.
fn declare_rewind(ast: &mut Ast, vars: &[Sym], others: &[Vec<Sym>], round: Sym) -> Sym {
    let mut stmts = Vec::new();
    for (at, other) in (1..).zip(others).collect::<Vec<(u32, _)>>().into_iter().rev() {
        let here = build::compare(ast, round, BinaryOp::Ge, at);
        let moves = swap(ast, vars, other);
        stmts.push(build::when(here, moves));
    }
    stmts.push(build::set_int(ast, round, 0));
    let name = build::fresh(ast, "rewind");
    build::declare_helper(ast, name, Vec::new(), stmts);
    name
}

/// The task, of the lowest level, that lets one buffer run after the other.
fn declare_main(unit: &mut Unit, zields: &Zields, rewind: Sym) {
    let (mut stmts, mut locals) = (vec![build::set_int(&mut unit.ast, zields.round, 0)], Vec::new());
    for (number, entry) in unit.entries.clone().into_iter().enumerate() {
        if number > 0 {
            stmts.push(build::call(&mut unit.ast, &[], zields.procedure, &[]));
        }
        let post = lower::post_entry(unit, &entry, entry.level + 1, &mut locals);
        stmts.push(post);
        stmts.push(build::call(&mut unit.ast, &[], rewind, &[]));
    }
    let main = zields.main;
    build::declare_procedure(
        &mut unit.ast,
        build::signature(main, vec![], vec![]),
        locals,
        stmts,
        Attrs::NONE,
    );
    unit.levels.insert(main, 0);
    let span = unit.entries.first().map_or(dally_text::source::Span::NONE, |e| e.span);
    unit.entries = vec![Entry { procedure: main, buffer: 0, level: 0, span }];
}
