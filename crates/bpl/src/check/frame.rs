//! Frame conditions: what a body assigns to must be in its procedure's `modifies` clause.
//!
//! Clauses may be left out. Corral works out frames by itself, and so its programs seldom have them; a bug
//! finder needs them only at procedures without a body. So a procedure without any `modifies` clause gets
//! the frame that its bodies need, and one with a clause is held to it, as in Boogie. In a program that uses
//! asynchrony, or that marks an entry point, clauses that are too narrow are widened as well: a task that
//! runs in between can change anything, and Corral does the same.

use crate::codes;
use rustc_hash::FxHashSet;

use super::components::components;
use super::frame_set::Union;
use super::{Checker, ProcedureId, VarId};
use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;

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
                if !self.info[procedure].modifies.contains(*var) {
                    self.report_frame(procedure, *var, *span, None);
                }
            }
            self.check_calls(procedure, calls);
        }
    }

    /// Checks that a procedure may change what those may change that it calls. Each is reported once.
    fn check_calls(&mut self, procedure: ProcedureId, calls: &[(ProcedureId, Span)]) {
        let own = self.info[procedure].modifies.clone();
        let mut seen = FxHashSet::default();
        for (callee, span) in calls {
            if self.diagnostics.is_full() {
                return;
            }
            if !seen.insert(*callee) {
                continue;
            }
            let frame = self.info[*callee].modifies.clone();
            // As many as can be reported.
            for var in frame.without(&own).take(Diagnostics::LIMIT) {
                self.report_frame(procedure, var, *span, Some(*callee));
            }
        }
    }

    fn report_frame(&mut self, procedure: ProcedureId, var: VarId, span: Span, callee: Option<ProcedureId>) {
        let (name, procedure_name) = (self.text(self.info[var].name), self.text(self.info[procedure].name));
        let how = match callee {
            Some(callee) => format!("`{}`, called here, may change", self.text(self.info[callee].name)),
            None => "this changes".to_owned(),
        };
        let message = format!("{how} `{name}`, which is not in the `modifies` clause of `{procedure_name}`");
        self.error(
            Diagnostic::new(codes::NOT_IN_MODIFIES, span, message)
                .help(format!("add `{name}` to the clause of `{procedure_name}`, or leave the clause out")),
        );
    }

    /// Adds to each frame that is not fixed what the bodies assign to, and the frames of what they call.
    ///
    /// Procedures that call each other have the same frame. Those that are called come first.
    fn infer_frames(&mut self, effects: &[Effects]) {
        let mut bodies: Vec<Vec<&Effects>> = vec![Vec::new(); self.info.procedures.len()];
        let mut callees: Vec<Vec<u32>> = vec![Vec::new(); self.info.procedures.len()];
        for body in effects {
            let Some(procedure) = body.procedure.filter(|p| !self.held_to_frame.contains(p)) else {
                continue;
            };
            bodies[procedure.index()].push(body);
            callees[procedure.index()].extend(body.calls.iter().map(|(callee, _)| callee.0));
        }
        for list in &mut callees {
            list.sort_unstable();
            list.dedup();
        }
        let mut union = Union::default();
        for component in components(&callees) {
            for member in &component {
                let member = *member as usize;
                union.add_all(&self.info.procedures[member].modifies);
                for (var, _) in bodies[member].iter().flat_map(|b| &b.assigned) {
                    union.add(*var);
                }
                for callee in &callees[member] {
                    union.add_all(&self.info.procedures[*callee as usize].modifies);
                }
            }
            let frame = union.take();
            for member in component {
                self.info.procedures[member as usize].modifies = frame.clone();
            }
        }
    }
}
