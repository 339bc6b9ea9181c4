//! Asynchronous calls, tasks and waits; entry points, buffers and ranges.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;

use super::info::TypeParams;
use super::{Checker, Frame, ProcedureInfo, Ty, TyKind, VarId, VarInfo, VarKind};
use crate::ast::{Async, Attr, AttrArg, Attrs, ExprId, Ident, Stmt, StmtKind};
use crate::codes;

/// Corral's procedures that return a thread id. Programs may call them without a declaration.
const THREAD_ID_PROCEDURES: [&str; 2] = ["corral_getThreadID", "corral_getChildThreadID"];

impl Checker<'_> {
    /// Declares the thread-id procedures that the program does not declare itself.
    pub(super) fn collect_thread_ids(&mut self) {
        for name in THREAD_ID_PROCEDURES {
            let Some(name) = self.ast.symbols.get(name) else { continue };
            if self.info.procedure(name).is_some() {
                continue;
            }
            self.add_procedure(ProcedureInfo {
                name,
                type_params: TypeParams::default(),
                ins: Vec::new(),
                outs: vec![Ty::INT],
                modifies: Frame::default(),
                pure: false,
                span: Span::NONE,
                decl: None,
            });
        }
    }

    pub(super) fn asynchronous(&mut self, stmt: &Stmt) {
        self.uses_asynchrony = true;
        self.require_impure(stmt.span, "cannot post tasks, wait or yield");
        match &stmt.kind {
            StmtKind::Async(post) => self.post(post),
            StmtKind::Wait(out, task) => self.wait(*out, *task),
            StmtKind::Await(e) => self.condition(*e, "the condition of `:await`"),
            _ => {}
        }
    }

    fn post(&mut self, post: &Async) {
        let Some(procedure) = self.procedure(post.procedure) else { return };
        let instance = self.arguments(procedure, post.procedure, post.args);
        if let Some(variable) = post.result
            && let Some(var) = self.assign_to(variable)
            && let [out] = self.info[procedure].outs[..]
        {
            let (ty, out) = (self.info[var].ty, self.in_instance(out, &instance));
            self.expect_type(Code::TYPE_MISMATCH, variable.span, ty, out, "the variable for the result");
        }
        if let Some(handle) = post.handle
            && let Some(var) = self.assign_to(handle)
        {
            let result = match self.info[procedure].outs[..] {
                [] => None,
                [out] => Some(self.in_instance(out, &instance)),
                _ => {
                    let name = self.text(post.procedure.name);
                    let message = format!("`{name}` has several results, so it cannot have a task handle");
                    let help = "declare at most one result, or return values in global variables";
                    self.error(Diagnostic::new(codes::BAD_ASYNC, handle.span, message).help(help));
                    return self.finish();
                }
            };
            let task = self.info.types.intern(TyKind::Task(result));
            let ty = self.info[var].ty;
            // In Corral, the result of an asynchronous call is an arbitrary value.
            if result.is_some_and(|result| self.unify(ty, result)) {
                return self.finish();
            }
            self.expect_type(Code::TYPE_MISMATCH, handle.span, ty, task, "the variable for the task");
        }
        self.finish();
    }

    fn wait(&mut self, out: Option<Ident>, task: ExprId) {
        let ty = self.expr(task);
        let ty = self.unknowns.shallow(&self.info.types, ty);
        let result = match self.info.types.kind(ty) {
            TyKind::Task(result) => *result,
            TyKind::Error => Some(Ty::ERROR),
            _ => {
                let message = format!("`wait` takes a task, not a value of type `{}`", self.show(ty));
                let help = "declare the variable `var t: task int;` and post with `call {:async} t := p(e);`";
                self.error(Diagnostic::new(Code::TYPE_MISMATCH, self.span(task), message).help(help));
                Some(Ty::ERROR)
            }
        };
        if let Some(out) = out
            && let Some(var) = self.assign_to(out)
        {
            match result {
                Some(result) => {
                    let ty = self.info[var].ty;
                    self.expect_type(
                        Code::TYPE_MISMATCH,
                        out.span,
                        ty,
                        result,
                        "the variable for the result",
                    );
                }
                None => self.report(codes::BAD_ASYNC, out.span, "this task returns no result"),
            }
        }
        self.finish();
    }

    /// Checks `:entrypoint` and `:buffer` of a procedure.
    pub(super) fn procedure_attrs(&mut self, attrs: &Attrs) {
        for attr in attrs {
            match self.text(attr.name) {
                "buffer" if self.number_arg(attr).is_none() => {
                    let message = "`:buffer` takes a number";
                    let help = "write `{:buffer 1}`";
                    self.error(Diagnostic::new(codes::BAD_ATTRIBUTE, attr.span, message).help(help));
                }
                "entrypoint" => self.uses_asynchrony = true,
                _ => {}
            }
        }
    }

    fn number_arg(&self, attr: &Attr) -> Option<i64> {
        match attr.args[..] {
            [AttrArg::Expr(e)] => self.ast.int_literal(e),
            _ => None,
        }
    }

    /// `{:range lo, hi}`: the values that an explicit search chooses from for this variable.
    pub(super) fn range_attr(&mut self, attrs: &Attrs, var: VarId) {
        let Some(attr) = self.ast.attr(attrs, "range") else { return };
        let bounds = match attr.args[..] {
            [AttrArg::Expr(low), AttrArg::Expr(high)] => {
                self.ast.int_literal(low).zip(self.ast.int_literal(high))
            }
            _ => None,
        };
        if bounds.is_none_or(|(low, high)| low > high) {
            let message = "`:range` takes two numbers of at most 64 bits, the lower one first";
            let help = "write `{:range 0, 3}`";
            self.error(Diagnostic::new(codes::BAD_ATTRIBUTE, attr.span, message).help(help));
        }
        let ty = self.info[var].ty;
        if !matches!(self.info.types.kind(ty), TyKind::Int | TyKind::Bv(_) | TyKind::Error) {
            let shown = self.show(ty);
            let message = format!("`:range` applies to integers and bitvectors, not to type `{shown}`");
            self.error(
                Diagnostic::new(codes::BAD_ATTRIBUTE, attr.span, message)
                    .with(self.info[var].span, format!("`{shown}`")),
            );
        }
    }

    /// `{:hot}`: a global that must be false infinitely often.
    pub(super) fn hot_attr(&mut self, attrs: &Attrs, var: VarId) {
        let Some(attr) = self.ast.attr(attrs, "hot") else { return };
        let VarInfo { ty, kind, span, .. } = self.info[var];
        if kind != VarKind::Global || self.ast.attr(attrs, "thread_local").is_some() {
            let message = "`:hot` applies only to global variables";
            self.report(codes::BAD_ATTRIBUTE, attr.span, message);
        } else if !matches!(self.info.types.kind(ty), TyKind::Bool | TyKind::Error) {
            let shown = self.show(ty);
            let message = format!("`:hot` applies to variables of type `bool`, not `{shown}`");
            let diagnostic = Diagnostic::new(codes::BAD_ATTRIBUTE, attr.span, message);
            self.error(diagnostic.with(span, format!("`{shown}`")));
        } else if !attr.args.is_empty() {
            self.report(codes::BAD_ATTRIBUTE, attr.span, "`:hot` takes no arguments");
        }
    }

    /// `{:constraint e}`: a search leaves out the states in which `e` is false. Its argument is checked with
    /// all attributes.
    pub(super) fn constraint_attr(&mut self, attrs: &Attrs, var: VarId) {
        if let Some(attr) = self.ast.attr(attrs, "constraint")
            && self.info[var].kind != VarKind::Global
        {
            let message = "`:constraint` applies only to global variables";
            self.report(codes::BAD_ATTRIBUTE, attr.span, message);
        }
    }

    pub(super) fn range_attr_of_havoc(&mut self, stmt: &Stmt, vars: &[Ident]) {
        if stmt.attrs.is_empty() {
            return;
        }
        for name in vars {
            if let Some(var) = self.var_of[name.name.index()] {
                self.range_attr(&stmt.attrs, var);
            }
        }
    }
}
