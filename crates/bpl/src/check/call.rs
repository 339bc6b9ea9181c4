//! Calls of procedures.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;

use super::frame::CallSite;
use super::types::Instance;
use super::{Checker, ProcedureId};
use crate::ast::{Call, DeclKind, ExprList, Ident, VarDecl};
use crate::codes;
use crate::parser::civl::{self, LINEAR_ATTRS};

impl Checker<'_> {
    /// The procedure of this name; reports one that is not declared.
    pub(super) fn procedure(&mut self, name: Ident) -> Option<ProcedureId> {
        if let Some(procedure) = self.info.procedure(name.name) {
            return Some(procedure);
        }
        let mut help = self.suggest_procedure(name);
        if self.function_names.contains_key(&name.name) {
            help = Some("it is a function: apply it in an expression".to_owned());
        }
        let message = format!("there is no procedure `{}`", self.text(name.name));
        self.error(Diagnostic::new(codes::UNKNOWN_PROCEDURE, name.span, message).maybe_help(help));
        None
    }

    pub(super) fn suggest_procedure(&mut self, name: Ident) -> Option<String> {
        self.suggest(name.name, |c| c.info.procedure_names.keys().copied().collect::<Vec<_>>().into_iter())
    }

    pub(super) fn call_stmt(&mut self, call: &Call) {
        let procedure = self.procedure(call.procedure);
        let Some(procedure) = procedure else {
            for arg in self.ast.exprs.list(call.args) {
                self.expr(*arg);
            }
            self.finish();
            for out in call.outs.iter().flatten() {
                self.assign_to(*out);
            }
            return;
        };
        self.check_linear_call(procedure, call);
        let instance = self.arguments(procedure, call.procedure, call.args);
        self.results(procedure, call, &instance);
        self.finish();
        if !self.info[procedure].pure {
            self.require_impure(call.procedure.span, "can only call pure procedures");
        }
        if let Some(current) = &mut self.current {
            current.effects.calls.push(CallSite { callee: procedure, span: call.procedure.span });
        }
    }

    /// Reports an operation that is not allowed in the current procedure if that is pure.
    pub(super) fn require_impure(&mut self, span: Span, what: &str) {
        let procedure = self.current.as_ref().and_then(|c| c.procedure);
        if procedure.is_some_and(|p| self.info[p].pure) {
            self.report(codes::IMPURE, span, format!("a pure procedure {what}"));
        }
    }

    /// Reports calls of procedures without a body that have linear parameters: these are Civl primitives.
    fn check_linear_call(&mut self, procedure: ProcedureId, call: &Call) {
        let ast = self.ast;
        let Some(decl) = self.info[procedure].decl else { return };
        let DeclKind::Procedure(callee) = &ast.decls[decl].kind else { return };
        let linear = |v: &VarDecl| LINEAR_ATTRS.iter().any(|name| ast.attr(&v.attrs, name).is_some());
        if callee.flavour.is_pure() && callee.body.is_none() && callee.signature.ins.iter().any(linear) {
            let message = format!("`{}` is a Civl primitive", self.text(call.procedure.name));
            self.error(Diagnostic::new(codes::CIVL, call.procedure.span, message).help(civl::HELP));
        }
    }

    /// Checks the arguments of a call. Returns the types inferred for the procedure's type variables.
    pub(super) fn arguments(&mut self, procedure: ProcedureId, name: Ident, args: ExprList) -> Instance {
        let instance = self.instantiate(self.info[procedure].type_params);
        let expected = self.info[procedure].ins.len();
        let text = self.text(name.name);
        if args.len() != expected {
            self.report_count(name.span, &format!("`{text}`"), "arguments", expected, args.len());
        }
        for (i, arg) in self.ast.exprs.list(args).iter().enumerate() {
            let ty = self.expr(*arg);
            if let Some(param) = self.info[procedure].ins.get(i).copied() {
                let param = self.in_instance(param, &instance);
                if !self.unify(ty, param) {
                    let what = format!("argument {} of `{text}`", i + 1);
                    self.expect_type(Code::TYPE_MISMATCH, self.span(*arg), ty, param, &what);
                }
            }
        }
        instance
    }

    fn results(&mut self, procedure: ProcedureId, call: &Call, instance: &Instance) {
        self.check_distinct(&call.outs.iter().flatten().copied().collect::<Vec<_>>());
        let (expected, found) = (self.info[procedure].outs.len(), call.outs.len());
        if found != expected {
            let name = self.text(call.procedure.name);
            let message = match expected {
                0 => format!("`{name}` returns no result"),
                1 => format!("`{name}` returns 1 result, but the call assigns {found}"),
                _ => format!("`{name}` returns {expected} results, but the call assigns {found}"),
            };
            let help = (found == 0).then(|| "write `*` to ignore a result".to_owned());
            self.error(Diagnostic::new(Code::WRONG_COUNT, call.procedure.span, message).maybe_help(help));
        }
        for (i, out) in call.outs.iter().enumerate() {
            let Some(out) = *out else { continue };
            let Some(var) = self.assign_to(out) else { continue };
            let Some(result) = self.info[procedure].outs.get(i).copied() else { continue };
            let result = self.in_instance(result, instance);
            let ty = self.info[var].ty;
            let what = format!("the variable for result {}", i + 1);
            self.expect_type(Code::TYPE_MISMATCH, out.span, ty, result, &what);
        }
    }
}
