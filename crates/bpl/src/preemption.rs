//! The scheduling points that `--preempt` inserts, and the attributes that suppress them.
//!
//! [FSE12 §6] inserts a yield and a zield before every access to a shared variable, and gives the user control over
//! both. Here `{:noyield}` and `{:nozield}` on a procedure suppress those in its body; with levels as arguments,
//! they suppress those of every task of these levels. Scheduling points in the text are never suppressed.

use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::ast::{Ast, AttrArg, Attrs, DeclKind};

/// The attributes that suppress inserted yields and zields.
pub(crate) const SUPPRESSING: [&str; 2] = ["noyield", "nozield"];

/// The scheduling points inserted at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// Tasks of the same buffer may run.
    pub yields: bool,
    /// Other buffers may run.
    pub zields: bool,
}

impl Points {
    /// Returns true if there is a scheduling point.
    pub fn any(self) -> bool {
        self.yields || self.zields
    }

    /// The points that both have.
    #[must_use]
    pub fn and(self, other: Points) -> Points {
        Points { yields: self.yields && other.yields, zields: self.zields && other.zields }
    }
}

/// The scheduling points that are inserted into a program.
#[derive(Clone, Debug, Default)]
pub struct Preemption {
    everywhere: Points,
    /// The procedures with fewer points.
    procedures: FxHashMap<Sym, Points>,
    /// The levels without yields, and those without zields.
    levels: [Vec<u32>; 2],
}

impl Preemption {
    /// The points that are inserted into a program; zields only if it has several buffers.
    pub fn new(ast: &Ast, several_buffers: bool) -> Self {
        let everywhere = Points { yields: true, zields: several_buffers };
        let mut preemption = Preemption { everywhere, ..Preemption::default() };
        for decl in &ast.decls {
            let name = match &decl.kind {
                DeclKind::Procedure(p) => p.signature.name.name,
                DeclKind::Implementation(i) => i.signature.name.name,
                _ => continue,
            };
            preemption.suppress(ast, name, &decl.attrs);
        }
        preemption
    }

    fn suppress(&mut self, ast: &Ast, procedure: Sym, attrs: &Attrs) {
        for (nth, attr) in SUPPRESSING.iter().enumerate() {
            let Some(attr) = ast.attr(attrs, attr) else { continue };
            if attr.args.is_empty() {
                let points = self.procedures.entry(procedure).or_insert(self.everywhere);
                *(if nth == 0 { &mut points.yields } else { &mut points.zields }) = false;
            }
            let levels = attr.args.iter().filter_map(|arg| level(ast, arg));
            self.levels[nth].extend(levels);
        }
    }

    /// The points inserted where no attribute suppresses them.
    pub fn of_program(&self) -> Points {
        self.everywhere
    }

    /// The points inserted into the body of a procedure.
    pub fn of_procedure(&self, procedure: Sym) -> Points {
        self.procedures.get(&procedure).copied().unwrap_or(self.everywhere)
    }

    /// The points inserted into tasks of a level.
    pub fn at_level(&self, level: u32) -> Points {
        let [yields, zields] = [0, 1].map(|nth: usize| !self.levels[nth].contains(&level));
        self.everywhere.and(Points { yields, zields })
    }

    /// Returns true if the points depend on the level of a task.
    pub fn depends_on_level(&self) -> bool {
        self.levels.iter().any(|levels| !levels.is_empty())
    }
}

/// Returns true if all arguments of an attribute are levels.
pub(crate) fn are_levels(ast: &Ast, args: &[AttrArg]) -> bool {
    args.iter().all(|arg| level(ast, arg).is_some())
}

/// A level, as an argument of an attribute.
fn level(ast: &Ast, arg: &AttrArg) -> Option<u32> {
    match arg {
        AttrArg::Expr(e) => ast.int_literal(*e).and_then(|n| u32::try_from(n).ok()),
        AttrArg::Str(_) => None,
    }
}
