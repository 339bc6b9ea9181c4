//! Translations as triples, and their composition.
//!
//! [FSE12 §4.1]. A translation ⟨code, S, f⟩ rewrites a program; an execution of the new program from globals g₀ to
//! globals g₁ stands for one of the old program if S(g₀, g₁) holds, and then f(g₀, g₁) are the globals of the
//! old one. Here S is a list of equations between variables at the start and variables at the end, and f names,
//! for each variable of the old program, where its first and its last value are found in the new one.

use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build;
use crate::globals::{self, Global};
use crate::root::{self, Root};
use crate::unit::{Entry, Unit};

/// S and f of a translation. The code has been rewritten in place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translation {
    /// S: the first variable has at the start the value that the second one has at the end.
    pub(crate) valid: Vec<(Sym, Sym)>,
    /// f, at the start: where the variables are that are not found under their own names.
    pub(crate) first: FxHashMap<Sym, Sym>,
    /// f, at the end.
    pub(crate) last: FxHashMap<Sym, Sym>,
}

fn found(map: &FxHashMap<Sym, Sym>, variable: Sym) -> Sym {
    map.get(&variable).copied().unwrap_or(variable)
}

impl Translation {
    /// This translation, and then another one: S = S₂ ∧ (S₁ ∘ f₂), f = f₁ ∘ f₂.
    #[must_use]
    pub(crate) fn then(self, second: &Translation) -> Translation {
        let through = |own: FxHashMap<Sym, Sym>, next: &FxHashMap<Sym, Sym>| {
            let mut all = next.clone();
            all.extend(own.into_iter().map(|(variable, place)| (variable, found(next, place))));
            all
        };
        let mut valid = second.valid.clone();
        let carried = |(a, b): (Sym, Sym)| (found(&second.first, a), found(&second.last, b));
        valid.extend(self.valid.into_iter().map(carried));
        Translation {
            valid,
            first: through(self.first, &second.first),
            last: through(self.last, &second.last),
        }
    }

    /// The root of the sequential program, which holds executions to S and ends with the last values of `globals`.
    pub(crate) fn close(&self, unit: &mut Unit, entry: Entry, suffix: &str, globals: &[Sym]) -> Sym {
        let by_name: FxHashMap<Sym, Global> =
            globals::declared(&unit.ast).map(|(_, g)| (g.name, g)).collect();
        let guessed: Vec<_> = self.valid.iter().filter_map(|(a, _)| by_name.get(a).cloned()).collect();
        let ast = &mut unit.ast;
        let kept = globals::copies(ast, &guessed, "init");
        let locals = globals::declarations(&guessed, &kept);
        let names = globals::names(&guessed);
        let set = |g: &Sym| unit.error == Some(*g) || unit.initially.iter().any(|(v, _)| v == g);
        let begin = globals.iter().filter(|g| !set(g)).map(|g| (found(&self.first, *g), *g));
        let begin: Vec<(Sym, Sym)> = begin.filter(|(place, g)| place != g).collect();
        let mut before = build::assign(ast, &begin);
        before.extend(build::assign(ast, &globals::pairs(&kept, &names)));
        let kept: FxHashMap<Sym, Sym> = names.into_iter().zip(kept).collect();
        let confirmed: Vec<(Sym, Sym)> =
            self.valid.iter().filter_map(|(a, b)| Some((*b, *kept.get(a)?))).collect();
        let mut after = build::assume_equal(ast, &confirmed);
        let moved = globals.iter().map(|g| (*g, found(&self.last, *g))).filter(|(g, place)| g != place);
        after.extend(build::assign(ast, &moved.collect::<Vec<_>>()));
        let root = Root { locals, before, after };
        root::declare(unit, entry, suffix, None, root, |variable| found(&self.first, variable))
    }
}
