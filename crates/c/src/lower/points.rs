//! Scheduling points: where other threads may run.

use dally_bpl::ast::{Attrs, Stmt, StmtKind};

use super::Lowerer;
use super::term::{T, Term};

impl Lowerer<'_> {
    /// A scheduling point before an access to shared data.
    pub(super) fn scheduling_point(&mut self) {
        self.proc.touched = true;
        if self.proc.atomic == 0 && self.facts.threaded {
            self.always_yield();
        }
    }

    /// A scheduling point before an assumption that may discard the execution, unless nothing has changed since the
    /// last one. Without it, other threads could not react to the changes.
    pub(super) fn point_before_assumption(&mut self, condition: &T) {
        if **condition == Term::Bool(true) {
            return;
        }
        match self.proc.atomic {
            0 if self.proc.dirty => self.scheduling_point(),
            0 => {}
            _ => self.proc.touched |= self.proc.dirty_before,
        }
    }

    /// A scheduling point.
    pub(super) fn always_yield(&mut self) {
        self.settle();
        let last = self.proc.blocks.last().and_then(|b| b.last());
        if !last.is_some_and(|s| self.is_point(s)) {
            let point = self.point_kind();
            self.push_raw(point);
            self.proc.dirty = false;
        }
    }

    /// `yield;`
    pub(super) fn plain_yield(&mut self) {
        self.settle();
        let last = self.proc.blocks.last().and_then(|b| b.last());
        if !last.is_some_and(|s| matches!(s.kind, StmtKind::Yield)) {
            self.push_raw(StmtKind::Yield);
        }
    }

    /// Inserts a scheduling point into the current block, unless there is one.
    pub(super) fn insert_yield(&mut self, at: usize) {
        let block = self.proc.blocks.last();
        let before = at.checked_sub(1).and_then(|i| block.and_then(|b| b.get(i)));
        if before.is_some_and(|s| self.is_point(s)) {
            return;
        }
        let point = self.point_kind();
        let stmt = self.stmt(point, Attrs::NONE);
        if let Some(block) = self.proc.blocks.last_mut() {
            block.insert(at, stmt);
        }
    }

    /// Returns true for statements that have no scheduling point and change nothing but temporaries.
    pub(super) fn is_idle(&self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Assert(_) | StmtKind::Assume(_) | StmtKind::Break(_) | StmtKind::Return => true,
            StmtKind::Assign(targets, _) => targets
                .iter()
                .all(|t| self.is_private(t.base.name) && self.ast.text(t.base.name).starts_with("$t")),
            StmtKind::If(inner) => {
                let blocks = inner.branches.iter().map(|b| &b.block).chain(&inner.otherwise);
                blocks.into_iter().all(|block| self.is_idle(&block.stmts))
            }
            _ => false,
        })
    }
}
