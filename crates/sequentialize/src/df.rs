//! DF(K): the depth-first scheduler of [SPIN14] with at most K delays; and, without a bound on delays, the
//! context-bounded search of Lal and Reps.
//!
//! [SPIN14 Fig. 6], without its translation of waits. A task is called at its post. In each round, it finds what the
//! tasks posted before it will leave (`x$next…`), and a guess of what it and its subtasks will leave takes
//! that place; the guess is confirmed when it has ended, whole vectors at a time.
//!
//! Unlike under [`crate::dfs`], a task that yields goes on before the tasks that it has posted: a piece ends only
//! where a task moves to another round, or ends.
//!
//! Deviations:
//! 1. Waits: [SPIN14 Fig. 7] removes them by a map of results in shared memory. Here a handle says when its task
//!    has ended ([`crate::tasks`]), so that nothing more needs to be guessed; only where a program keeps handles
//!    in globals, which are guessed, waits are removed as in the figure ([`crate::waits`]).
//! 2. At one preemption point a task may be delayed more than once.
//! 3. `lal-reps`: R rounds, and delays are free. Lal and Reps have a fixed number of threads; here tasks are
//!    created dynamically, as in POIROT and Corral (`/k:R`).

use dally_text::symbol::Sym;

use crate::Bounds;
use crate::build;
use crate::globals::{self, Globals};
use crate::posts::{self, Around};
use crate::root::{self, Root};
use crate::rounds::{self, Rounds};
use crate::tasks::Tasks;
use crate::unit::{Entry, Unit};
use crate::vectors::Vectors;

pub(crate) fn translate(unit: &mut Unit, entry: Entry, bounds: &Bounds, name: &str) -> Sym {
    let Globals { shared, thread_local } = Globals::of(&unit.ast);
    let ast = &mut unit.ast;
    let rounds = Rounds::declare(ast, bounds);
    let mut tasks = Tasks::lower(ast);
    let vectors = Vectors::declare(ast, shared, &rounds);

    let mut kept = vectors.keepers(ast);
    kept.extend(rounds.keepers(ast));
    let guess = globals::vector(ast, &vectors.shared, "guess", rounds.count);
    let first = vectors.pause.map(|pause| build::call(ast, &[], pause, &[])).into_iter().collect();
    let waits = rounds::declare_wait_by_place(unit, &rounds, first);
    posts::lower(unit, &mut tasks, &thread_local, Some(&rounds.place()), |ast, _| {
        let mut around =
            Around { locals: globals::vector_declarations(&vectors.shared, &guess), ..Around::default() };
        posts::keep(ast, &mut around, &kept);
        vectors.run_later(ast, &rounds, &guess, &mut around);
        around
    });
    rounds::lower_switches(unit, &rounds, vectors.pause, waits, None);

    let ast = &mut unit.ast;
    let (mut locals, init) = vectors.initial(ast);
    locals.extend(globals::vector_declarations(&vectors.shared, &guess));
    let mut before = vec![rounds.start(ast)];
    before.extend(vectors.begin(ast, &init, &guess));
    let after = vectors.finish(ast, &guess, &init);
    root::declare(unit, entry, name, Some(&rounds.place()), Root { locals, before, after }, |v| v)
}
