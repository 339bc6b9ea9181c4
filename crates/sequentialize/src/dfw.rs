//! DFW(K): the depth-first scheduler of [SPIN14] that exploits synchronisation, with at most K delays.
//!
//! [SPIN14 Fig. 6]. As in [`crate::df`], and a wait costs no delay: the task confirms what it has guessed to leave so
//! far, goes on after everything that its subtasks do in these rounds (`G := Next`), guesses anew, and moves to
//! the round in which the task that it waits for has ended, if that is later.
//!
//! Deviations:
//! 1. The guess is kept over a post with `G`, as in the figure, but as globals rather than a local pair.
//! 2. At one preemption point a task may be delayed more than once.
//! 3. A task that blocks at an `await` may go on only where its condition holds in the order of df: the scheduler
//!    passes such a task over at no cost, the translation spends delays. An `await` for the end of a task is a wait ([`crate::ends`]).

use dally_bpl::ast::{Attrs, BinaryOp};
use dally_text::symbol::Sym;

use crate::Bounds;
use crate::build;
use crate::ends::Ends;
use crate::globals::{self, Globals};
use crate::posts::{self, Around};
use crate::root::{self, Root};
use crate::rounds::{self, Rounds};
use crate::tasks::Tasks;
use crate::unit::{Entry, Unit};
use crate::vectors::Vectors;

pub(crate) fn translate(unit: &mut Unit, entry: Entry, bounds: &Bounds) -> Sym {
    let Globals { shared, thread_local } = Globals::of(&unit.ast);
    let ast = &mut unit.ast;
    let rounds = Rounds::declare(ast, bounds);
    let mut tasks = Tasks::lower(ast);
    let vectors = Vectors::declare(ast, shared, &rounds);
    let guess = globals::declare_vector(ast, &vectors.shared, "guess", rounds.count);

    let mut kept = vectors.keepers(ast);
    kept.extend(vectors.keepers_of(ast, &guess, "guess$poster"));
    kept.extend(rounds.keepers(ast));
    let ends = Ends::declare(unit);
    let waits = declare_wait(unit, &vectors, &rounds, &guess, ends.is_some());
    posts::lower(unit, &mut tasks, &thread_local, Some(&rounds.place()), |ast, _| {
        let mut around = Around::default();
        posts::keep(ast, &mut around, &kept);
        vectors.run_later(ast, &rounds, &guess, &mut around);
        around.after.splice(0..0, ends.map(|ends| ends.record(ast, rounds.round)));
        around
    });
    rounds::lower_switches(unit, &rounds, vectors.pause, waits, ends.as_ref());

    let ast = &mut unit.ast;
    let (locals, init) = vectors.initial(ast);
    let mut before = vec![rounds.start(ast)];
    before.extend(ends.map(|ends| ends.start(ast)));
    before.extend(vectors.begin(ast, &init, &guess));
    let after = vectors.finish(ast, &guess, &init);
    root::declare(unit, entry, "dfw", Some(&rounds.place()), Root { locals, before, after }, |v| v)
}

/// `procedure join(ended, at)`: the running task goes on after its subtasks, not before round `ended`.
fn declare_wait(
    unit: &mut Unit,
    vectors: &Vectors,
    rounds: &Rounds,
    guess: &[Vec<Sym>],
    awaits_ends: bool,
) -> Option<Sym> {
    let ast = &mut unit.ast;
    if !awaits_ends && !rounds::has_waits(ast) {
        return None;
    }
    let (wait, ended, at) = (build::fresh(ast, "join"), build::fresh(ast, "ended"), build::fresh(ast, "at"));
    let ins = [ended, at].map(|p| build::local_int(ast, p, Attrs::NONE)).to_vec();
    let mut stmts = vec![rounds.place().pauses(ast)];
    stmts.extend(vectors.confirm(ast, guess));
    stmts.extend(vectors.advance(ast, guess));
    stmts.extend(rounds.begin_piece(ast));
    let later = build::relate(ast, rounds.round, BinaryOp::Lt, ended);
    let catch_up = build::assign(ast, &[(rounds.round, ended)]);
    stmts.push(build::when(later, catch_up));
    stmts.extend(rounds.maybe_delay(ast));
    stmts.push(vectors.load(ast));
    stmts.push(rounds.place().resumes(ast));
    build::declare_procedure(ast, build::signature(wait, ins, vec![]), vec![], stmts, Attrs::NONE);
    Some(wait)
}
