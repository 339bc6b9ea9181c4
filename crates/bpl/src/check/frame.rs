//! Frame conditions: what a body assigns to must be in its procedure's `modifies` clause.
//!
//! Clauses may be left out. Corral works out frames by itself, and so its programs seldom have them; a bug
//! finder needs them only at procedures without a body. So a procedure without any `modifies` clause gets
//! the frame that its bodies need, and one with a clause is held to it, as in Boogie. In a program that uses
//! asynchrony, or that marks an entry point, clauses that are too narrow are widened as well: a task that
//! runs in between can change anything, and Corral does the same.

use rustc_hash::FxHashSet;

use super::{Checker, ProcedureId, VarId};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// What a body does that its callers must know of.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) procedure: Option<ProcedureId>,
    /// The globals that it assigns to.
    pub(super) assigned: Vec<(VarId, Span)>,
    /// The procedures that it calls, not counting those that it posts.
    pub(super) calls: Vec<(ProcedureId, Span)>,
}

impl Checker<'_> {
    pub(super) fn check_frames(&mut self) {
        let mut effects = std::mem::take(&mut self.effects);
        for e in &mut effects {
            sort_once(&mut e.assigned);
            sort_once(&mut e.calls);
        }
        if self.uses_asynchrony {
            self.held_to_frame.clear();
        }
        self.infer_frames(&effects);
        for Effects { procedure, assigned, calls } in &effects {
            let Some(procedure) = procedure.filter(|p| self.held_to_frame.contains(p)) else { continue };
            for (var, span) in assigned {
                self.require_frame(procedure, *var, *span, None);
            }
            for (callee, span) in calls {
                // Most calls are to procedures that change nothing or the same.
                if self.info[*callee].modifies != self.info[procedure].modifies {
                    for var in self.info[*callee].modifies.clone() {
                        self.require_frame(procedure, var, *span, Some(*callee));
                    }
                }
            }
        }
    }

    fn require_frame(&mut self, procedure: ProcedureId, var: VarId, span: Span, callee: Option<ProcedureId>) {
        if self.diagnostics.is_full() || self.info[procedure].modifies.binary_search(&var).is_ok() {
            return;
        }
        let (name, procedure_name) = (self.text(self.info[var].name), self.text(self.info[procedure].name));
        let how = match callee {
            Some(callee) => format!("`{}`, called here, may change", self.text(self.info[callee].name)),
            None => "this changes".to_owned(),
        };
        let message = format!("{how} `{name}`, which is not in the `modifies` clause of `{procedure_name}`");
        self.error(
            Diagnostic::new(Code::NotInModifies, span, message)
                .help(format!("add `{name}` to the clause of `{procedure_name}`, or leave the clause out")),
        );
    }

    /// Adds to each frame that is not fixed what the body assigns to, and the frames of what it calls.
    fn infer_frames(&mut self, effects: &[Effects]) {
        let mut callers: Vec<FxHashSet<ProcedureId>> = vec![FxHashSet::default(); self.info.procedures.len()];
        let mut todo: Vec<ProcedureId> = Vec::new();
        for Effects { procedure, assigned, calls } in effects {
            let Some(procedure) = procedure.filter(|p| !self.held_to_frame.contains(p)) else { continue };
            self.widen_frame(procedure, assigned.iter().map(|(v, _)| *v));
            for (callee, _) in calls {
                callers[callee.index()].insert(procedure);
                todo.push(*callee);
            }
        }
        while let Some(callee) = todo.pop() {
            let frame = self.info[callee].modifies.clone();
            for caller in &callers[callee.index()] {
                if *caller != callee && self.widen_frame(*caller, frame.iter().copied()) {
                    todo.push(*caller);
                }
            }
        }
    }

    /// Adds globals to a frame; true if it grew.
    fn widen_frame(&mut self, procedure: ProcedureId, vars: impl Iterator<Item = VarId>) -> bool {
        let modifies = &mut self.info.procedures[procedure.index()].modifies;
        let before = modifies.len();
        modifies.extend(vars);
        modifies.sort_unstable();
        modifies.dedup();
        modifies.len() > before
    }
}

/// Keeps the first place of each.
fn sort_once<I: Ord + Copy>(items: &mut Vec<(I, Span)>) {
    items.sort_unstable();
    items.dedup_by_key(|(item, _)| *item);
}
