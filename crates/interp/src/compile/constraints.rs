//! State constraints: conditions over the globals, given by `{:constraint e}` or on the command line. A search
//! does not expand the states in which one of them is false.
//!
//! A constraint is compiled as the condition of an `await` that no procedure contains.

use dally_bpl::ast::{AttrArg, DeclKind, ExprId};
use dally_bpl::check::Ref;
use dally_bpl::codes;
use dally_text::diagnostic::Diagnostic;

use super::{Compiler, Meaning};
use crate::code::{Op, VarStorage};

impl Compiler<'_> {
    /// Compiles all constraints. An execution with given inputs is a counterexample of the verifier, which
    /// leaves nothing out.
    pub(super) fn constraints(&mut self) {
        if self.options.inputs.is_some() {
            return;
        }
        for constraint in self.all_constraints() {
            self.depth = 0;
            self.span = self.ast.exprs.span(constraint);
            self.reject_thread_locals(constraint);
            let begin = self.emit(Op::Await);
            self.expr(constraint);
            self.emit(Op::AwaitEnd(begin));
            self.code.constraints.push(begin);
        }
    }

    fn all_constraints(&self) -> Vec<ExprId> {
        let globals = self.ast.decls.iter().filter(|decl| matches!(decl.kind, DeclKind::Var(_)));
        let attrs = globals.flat_map(|decl| &decl.attrs);
        let mut found: Vec<ExprId> = attrs
            .filter(|attr| self.text(attr.name) == "constraint")
            .flat_map(|attr| &attr.args)
            .filter_map(|arg| match arg {
                AttrArg::Expr(e) => Some(*e),
                AttrArg::Str(_) => None,
            })
            .collect();
        // Variables that are declared together share attributes.
        found.dedup();
        found.extend(&self.ast.constraints);
        found
    }

    fn reject_thread_locals(&mut self, constraint: ExprId) {
        let mut found = None;
        self.ast.exprs.any(constraint, &mut |part| {
            if let Some(Ref::Var(var)) = self.info.meaning(part)
                && let Some(Meaning::VarStorage(VarStorage::ThreadLocal(_))) = self.meanings.get(&var)
            {
                found = Some((var, self.ast.exprs.span(part)));
            }
            found.is_some()
        });
        if let Some((var, span)) = found {
            let name = self.text(self.info[var].name);
            let message = format!("a constraint is about shared variables, and `{name}` is thread-local");
            self.diagnostics.push(Diagnostic::new(codes::NOT_EXPLICIT, span, message));
        }
    }
}
