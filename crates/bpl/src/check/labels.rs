//! Labels, `goto` and `break`.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;

use super::Checker;
use crate::ast::{Block, Ident, StmtKind};
use crate::codes;

/// An enclosing statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosing {
    /// Its label.
    pub(super) label: Option<Sym>,
    pub(super) is_loop: bool,
}

impl Checker<'_> {
    /// Collects the labels of a body up front, since a `goto` may jump forward.
    pub(super) fn collect_labels(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Label(label) => self.collect_label(*label),
                StmtKind::If(conditional) => {
                    for branch in &conditional.branches {
                        self.collect_labels(&branch.block);
                    }
                    if let Some(otherwise) = &conditional.otherwise {
                        self.collect_labels(otherwise);
                    }
                }
                StmtKind::While(w) => self.collect_labels(&w.body),
                _ => {}
            }
        }
    }

    fn collect_label(&mut self, label: Ident) {
        let Some(current) = &mut self.current else { return };
        if let Some(first) = current.labels.insert(label.name, label.span) {
            self.report_duplicate("the label", label.name, label.span, Some(first));
        }
    }

    pub(super) fn goto(&mut self, targets: &[Ident]) {
        for target in targets {
            let Some(current) = &self.current else { return };
            if current.labels.contains_key(&target.name) {
                continue;
            }
            let known = |c: &Self| {
                c.current.iter().flat_map(|c| c.labels.keys().copied()).collect::<Vec<_>>().into_iter()
            };
            let help = self.suggest(target.name, known);
            let message = format!("there is no label `{}` in this body", self.text(target.name));
            self.error(Diagnostic::new(codes::UNKNOWN_LABEL, target.span, message).maybe_help(help));
        }
    }

    pub(super) fn break_out(&mut self, label: Option<Ident>, span: dally_text::source::Span) {
        let enclosing = self.current.as_ref().map_or(&[][..], |c| &c.enclosing);
        match label {
            None if !enclosing.iter().any(|e| e.is_loop) => {
                self.report(Code::MISPLACED_BREAK, span, "`break` outside of a loop");
            }
            Some(label) if !enclosing.iter().any(|e| e.label == Some(label.name)) => {
                let message = format!(
                    "no statement that encloses this `break` has the label `{}`",
                    self.text(label.name)
                );
                let help = "`break L` leaves an enclosing `while` or `if` with the label `L`";
                self.error(Diagnostic::new(Code::MISPLACED_BREAK, label.span, message).help(help));
            }
            _ => {}
        }
    }
}
