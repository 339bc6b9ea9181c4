//! Θ_P: from one buffer with levels, without yields, to a sequential program.
//!
//! [FSE12 §5.2, Fig. 5]. A posted task is called at its post. For each level m, `x$m` is what the next task of that
//! level will find. A task of the same or a lower level will run later: it takes its globals from there, and
//! leaves a guess of what it will itself leave behind. One that interrupts runs now: its level begins with a
//! guess of what it will leave for the next of its level, and the poster goes on with what the last one of that level
//! has left.
//!
//! Deviations:
//! 1. The branches are those of the design: the text of the figure that we have has lost lines of both.
//! 2. Levels are known in the text ([`crate::levels`]), so that each post has the code of its case only.
//! 3. `done` is left out: S is asked for at the end of the program, not of every state on the way.

use dally_bpl::ast::Ast;
use dally_text::symbol::Sym;

use crate::build;
use crate::globals::{self, Globals, pairs};
use crate::posts::{self, Around, Post};
use crate::tasks::Tasks;
use crate::translation::Translation;
use crate::unit::Unit;

pub(crate) fn translate(unit: &mut Unit) -> Translation {
    let Globals { shared, thread_local } = Globals::of(&unit.ast);
    let levels = unit.levels.clone();
    let most = levels.values().copied().max().unwrap_or(0);
    let ast = &mut unit.ast;
    let vars = globals::names(&shared);
    let next = globals::declare_vector(ast, &shared, "", most + 1);
    let guess = globals::copies(ast, &shared, "guess");
    let kept = posts::keepers(ast, &shared);
    let kept_next: Vec<Vec<_>> = (0..=most)
        .map(|level| {
            let copies = globals::copies(ast, &shared, &format!("{level}$poster"));
            next[level as usize].iter().copied().zip(globals::declarations(&shared, &copies)).collect()
        })
        .collect();
    posts::lower(unit, &mut Tasks::default(), &thread_local, None, |ast: &mut Ast, post: Post| {
        let level = levels.get(&post.procedure).copied().unwrap_or(0);
        let next: &[Sym] = &next[level as usize];
        let mut around = Around { locals: globals::declarations(&shared, &guess), ..Around::default() };
        if level > post.from {
            around.before = build::havoc(&guess);
            around.before.extend(build::assign(ast, &pairs(next, &guess)));
            around.after = build::assume_equal(ast, &pairs(&vars, &guess));
            around.after.extend(build::assign(ast, &pairs(&vars, next)));
        } else {
            posts::keep(ast, &mut around, &kept);
            for between in level + 1..=post.from {
                posts::keep(ast, &mut around, &kept_next[between as usize]);
            }
            around.before.extend(build::havoc(&guess));
            let mut moves = pairs(&vars, next);
            moves.extend(pairs(next, &guess));
            around.before.extend(build::assign(ast, &moves));
            around.after = build::assume_equal(ast, &pairs(&vars, &guess));
        }
        around
    });
    Translation {
        valid: pairs(&next[0], &vars),
        last: pairs(&vars, &next[0]).into_iter().collect(),
        ..Translation::default()
    }
}
