//! dfs(K): the depth-first scheduler of [POPL11] with at most K delays.
//!
//! [POPL11 §5, Fig. 6]. A posted task is called at its post, with a guess of what the globals will be when it
//! really runs. In each round i, `x$i` is the value that the next piece of a task of that round will find: a piece
//! takes it, and leaves there a guess, `x$guess`, of what it will itself leave behind; the guess is confirmed
//! where the piece ends, at a yield or at the end of the task. The values at the beginnings of rounds are
//! guessed at the start, and confirmed at the end, when the rounds before them are known.
//!
//! Deviations:
//! 1. §5.2 is missing from the text that we have; the extension to rounds is that of the design.
//! 2. The guess of the running piece is a global that posts keep and put back, where Fig. 6 makes it a parameter
//!    and a result of every procedure.
//! 3. Waits, which [POPL11] does not have: a task that waits gives up control as at a yield, and may go on once
//!    the other task has ended earlier in the order. Its handle says when that was ([`crate::tasks`]), so
//!    nothing needs to be guessed.

use dally_bpl::ast::Ast;
use dally_text::symbol::Sym;

use crate::Bounds;
use crate::build;
use crate::globals::{self, Global, Globals, pairs, vector_pairs};
use crate::posts::{self, Around};
use crate::root::{self, Root};
use crate::rounds::{self, Rounds};
use crate::tasks::Tasks;
use crate::unit::{Entry, Unit};

/// The copies of the globals.
struct Copies {
    shared: Vec<Global>,
    vars: Vec<Sym>,
    /// The globals that the next piece of each round finds.
    next: Vec<Vec<Sym>>,
    /// The guessed globals at the end of the running piece.
    guess: Vec<Sym>,
}

pub(crate) fn translate(unit: &mut Unit, entry: Entry, bounds: &Bounds) -> Sym {
    let Globals { shared, thread_local } = Globals::of(&unit.ast);
    let ast = &mut unit.ast;
    let rounds = Rounds::declare(ast, bounds);
    let mut tasks = Tasks::lower(ast);
    let next = globals::declare_vector(ast, &shared, "", bounds.rounds);
    let guess = globals::declare_copies(ast, &shared, "guess");
    let copies = Copies { vars: globals::names(&shared), shared, next, guess };
    let piece = declare_piece(ast, &copies, &rounds);

    let mut kept = posts::keepers(ast, &copies.shared);
    let guesses: Vec<Sym> = globals::copies(ast, &copies.shared, "guess$poster");
    kept.extend(copies.guess.iter().copied().zip(globals::declarations(&copies.shared, &guesses)));
    kept.extend(rounds.keepers(ast));
    let yields = declare_yield(ast, &copies, &rounds, piece);
    let first = vec![build::call(ast, &[], yields, &[])];
    let waits = rounds::declare_wait_by_place(unit, &rounds, first);
    posts::lower(unit, &mut tasks, &thread_local, Some(&rounds.place()), |ast, _| {
        let mut around = Around::default();
        posts::keep(ast, &mut around, &kept);
        around.before.extend(rounds.maybe_delay(ast));
        around.before.push(build::call(ast, &[], piece, &[]));
        around.after = build::assume_equal(ast, &pairs(&copies.vars, &copies.guess));
        around
    });
    rounds::lower_switches(unit, &rounds, Some(yields), waits, None);
    let root = start(&mut unit.ast, &copies, &rounds);
    root::declare(unit, entry, "dfs", Some(&rounds.place()), root, |v| v)
}

/// `procedure piece()`: the running piece takes its globals, and a guess of what it will leave takes their place.
fn declare_piece(ast: &mut Ast, copies: &Copies, rounds: &Rounds) -> Sym {
    let mut stmts = build::havoc(&copies.guess);
    stmts.extend(rounds.begin_piece(ast));
    let take = |ast: &mut Ast, next: &Vec<Sym>| {
        let mut moves = pairs(&copies.vars, next);
        moves.extend(pairs(next, &copies.guess));
        build::assign(ast, &moves)
    };
    let cases = copies.next.iter().map(|next| take(ast, next)).collect();
    stmts.extend(build::by_value(ast, rounds.round, cases));
    let name = build::fresh(ast, "piece");
    build::declare_helper(ast, name, Vec::new(), stmts);
    name
}

fn declare_yield(ast: &mut Ast, copies: &Copies, rounds: &Rounds, piece: Sym) -> Sym {
    let mut stmts = vec![rounds.place().pauses(ast)];
    stmts.extend(build::assume_equal(ast, &pairs(&copies.vars, &copies.guess)));
    stmts.extend(rounds.maybe_delay(ast));
    stmts.push(build::call(ast, &[], piece, &[]));
    stmts.push(rounds.place().resumes(ast));
    let name = build::fresh(ast, "pause");
    build::declare_helper(ast, name, Vec::new(), stmts);
    name
}

fn start(ast: &mut Ast, copies: &Copies, rounds: &Rounds) -> Root {
    let init = globals::vector(ast, &copies.shared, "init", rounds.count);
    let locals = globals::vector_declarations(&copies.shared, &init);
    let mut before = vec![rounds.start(ast)];
    before.extend(build::assign(ast, &vector_pairs(&copies.next, &init)));
    before.extend(build::assign(ast, &pairs(&copies.guess, &init[0])));
    let mut after = build::assume_equal(ast, &pairs(&copies.vars, &copies.guess));
    after.extend(build::assume_equal(ast, &vector_pairs(&copies.next, &init[1..])));
    if let Some(last) = copies.next.last() {
        after.extend(build::assign(ast, &pairs(&copies.vars, last)));
    }
    Root { locals, before, after }
}
