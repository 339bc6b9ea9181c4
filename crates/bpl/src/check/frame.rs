//! Frame conditions: what a body assigns to must be in its procedure's `modifies` clause.
//!
//! Clauses may be left out. Corral works out frames by itself, and so its programs seldom have them; a bug
//! finder needs them only at procedures without a body. So a procedure without any `modifies` clause gets
//! the frame that its bodies need, and one with a clause is held to it, as in Boogie. In a program that uses
//! asynchrony, or that marks an entry point, clauses that are too narrow are widened as well: a task that
//! runs in between can change anything, and Corral does the same.

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
        let effects = std::mem::take(&mut self.effects);
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
        let count = self.info.procedures.len();
        let mut callers: Vec<Vec<ProcedureId>> = vec![Vec::new(); count];
        for Effects { procedure, assigned, calls } in effects {
            let Some(procedure) = procedure.filter(|p| !self.held_to_frame.contains(p)) else { continue };
            let mut assigned: Vec<VarId> = assigned.iter().map(|(v, _)| *v).collect();
            assigned.sort_unstable();
            assigned.dedup();
            self.widen_frame(procedure, &assigned);
            for (callee, _) in calls {
                callers[callee.index()].push(procedure);
            }
        }
        let mut todo: Vec<ProcedureId> = (0..count as u32).rev().map(ProcedureId).collect();
        let mut queued = vec![true; count];
        while let Some(callee) = todo.pop() {
            queued[callee.index()] = false;
            let frame = std::mem::take(&mut self.info.procedures[callee.index()].modifies);
            for caller in &callers[callee.index()] {
                let grew = *caller != callee && self.widen_frame(*caller, &frame);
                if grew && !std::mem::replace(&mut queued[caller.index()], true) {
                    todo.push(*caller);
                }
            }
            self.info.procedures[callee.index()].modifies = frame;
        }
    }

    /// Adds globals, which are sorted, to a frame; true if it grew.
    fn widen_frame(&mut self, procedure: ProcedureId, vars: &[VarId]) -> bool {
        let modifies = &mut self.info.procedures[procedure.index()].modifies;
        let before = modifies.len();
        for var in vars {
            if modifies[..before].binary_search(var).is_err() {
                modifies.push(*var);
            }
        }
        if modifies.len() > before {
            modifies.sort_unstable();
        }
        modifies.len() > before
    }
}
