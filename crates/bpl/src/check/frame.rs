//! Frame conditions: a body may assign only to the globals in its procedure's `modifies` clause.
//!
//! The clause is optional. Corral infers frames, so its programs seldom have them, and a bug finder needs them only
//! for procedures without a body. A procedure without any `modifies` clause gets the least frame that its bodies
//! need; a clause is enforced, as in Boogie. In a program that uses asynchrony or marks an entry point, clauses
//! that are too narrow are widened as in Corral, since another task may modify any global in between.

use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use rustc_hash::FxHashSet;

use super::components::components;
use super::frame_set::Union;
use super::{Checker, ProcedureId, VarId};
use crate::codes;

/// The effects of a body that determine frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) procedure: Option<ProcedureId>,
    /// The assignments to globals.
    pub(super) assigned: Vec<Assignment>,
    /// The calls. Posts are not included.
    pub(super) calls: Vec<CallSite>,
}

/// An assignment to a global variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) var: VarId,
    pub(super) span: Span,
}

/// A call of a procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    pub(super) callee: ProcedureId,
    pub(super) span: Span,
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
            for Assignment { var, span } in assigned {
                if !self.info[procedure].modifies.contains(*var) {
                    self.report_frame(procedure, *var, *span, None);
                }
            }
            self.check_calls(procedure, calls);
        }
    }

    /// Checks that the frames of called procedures are included in this procedure's. Reports each variable once.
    fn check_calls(&mut self, procedure: ProcedureId, calls: &[CallSite]) {
        let own = self.info[procedure].modifies.clone();
        let mut seen = FxHashSet::default();
        for CallSite { callee, span } in calls {
            if self.diagnostics.is_full() {
                return;
            }
            if !seen.insert(*callee) {
                continue;
            }
            let frame = self.info[*callee].modifies.clone();
            // Diagnostics beyond the limit would be dropped.
            for var in frame.without(&own).take(Diagnostics::LIMIT) {
                self.report_frame(procedure, var, *span, Some(*callee));
            }
        }
    }

    fn report_frame(&mut self, procedure: ProcedureId, var: VarId, span: Span, callee: Option<ProcedureId>) {
        let (name, procedure_name) = (self.text(self.info[var].name), self.text(self.info[procedure].name));
        let how = match callee {
            Some(callee) => format!("the call of `{}` may modify", self.text(self.info[callee].name)),
            None => "this changes".to_owned(),
        };
        let message = format!("{how} `{name}`, which is not in the `modifies` clause of `{procedure_name}`");
        self.error(
            Diagnostic::new(codes::NOT_IN_MODIFIES, span, message)
                .help(format!("add `{name}` to the clause of `{procedure_name}`, or remove the clause")),
        );
    }

    /// Extends each frame that is not fixed by the assigned globals and by the frames of the called procedures.
    ///
    /// Mutually recursive procedures have the same frame. Callees come before callers.
    fn infer_frames(&mut self, effects: &[Effects]) {
        let mut bodies: Vec<Vec<&Effects>> = vec![Vec::new(); self.info.procedures.len()];
        let mut callees: Vec<Vec<u32>> = vec![Vec::new(); self.info.procedures.len()];
        for body in effects {
            let Some(procedure) = body.procedure.filter(|p| !self.held_to_frame.contains(p)) else {
                continue;
            };
            bodies[procedure.index()].push(body);
            callees[procedure.index()].extend(body.calls.iter().map(|call| call.callee.0));
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
                for assignment in bodies[member].iter().flat_map(|b| &b.assigned) {
                    union.add(assignment.var);
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
