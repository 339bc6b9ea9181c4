//! Declarations: axioms, functions, contracts, and the bodies of procedures and implementations.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;

use super::collect::SignatureTypes;
use super::info::TypeParams;
use super::{BodyVars, Checker, ProcedureId, State, Ty, VarKind};
use crate::ast::{
    Attrs, Axiom, Decl, DeclKind, ExprId, Function, Implementation, Procedure, Signature, SpecKind,
    UsedAxiom, Var,
};
use crate::codes;

impl Checker<'_> {
    pub(super) fn check_decls(&mut self) {
        let ast = self.ast;
        let mut before: Option<&Decl> = None;
        let mut about_variables = false;
        for (index, decl) in ast.decls.iter().enumerate() {
            if self.diagnostics.is_full() {
                return;
            }
            // Entities that are declared together share their attributes: check them once.
            let shared = before.is_some_and(|b| b.attrs.shared_with(&decl.attrs));
            let before = before.replace(decl);
            match &decl.kind {
                _ if self.is_overridden(index) => {}
                DeclKind::Type(_) | DeclKind::Datatype(_) if shared => {}
                DeclKind::Type(_) | DeclKind::Datatype(_) => self.attrs(&decl.attrs),
                DeclKind::Const(constant) => {
                    self.attrs(&decl.attrs);
                    self.axioms(&constant.uses);
                }
                DeclKind::Var(var) => {
                    if !shared {
                        self.attrs(&decl.attrs);
                        about_variables = self.are_about_variables(&decl.attrs);
                    }
                    let before = before.and_then(|b| match &b.kind {
                        DeclKind::Var(before) => before.where_clause,
                        _ => None,
                    });
                    self.global_var(var, before, about_variables.then_some(&decl.attrs));
                }
                DeclKind::Axiom(axiom) => self.axiom(axiom, &decl.attrs),
                DeclKind::Function(function) => self.function_decl(function, &decl.attrs),
                DeclKind::Procedure(procedure) => self.procedure_decl(procedure, &decl.attrs, index),
                DeclKind::Implementation(i) => self.implementation(i, &decl.attrs, index),
            }
        }
    }

    /// Checks a global variable. `before` is the `where` clause of the previous one, which it may share.
    fn global_var(&mut self, var: &Var, before: Option<ExprId>, attrs: Option<&Attrs>) {
        if let (Some(id), Some(attrs)) = (self.info.global(var.name.name), attrs) {
            self.var_attrs(attrs, id, var.where_clause);
        }
        match var.where_clause {
            Some(e) if before != Some(e) => {
                self.in_state(State::One, |c| c.condition(e, "the `where` clause"));
            }
            _ => {}
        }
    }

    /// Checks the constraints that are not part of the text.
    pub(super) fn check_constraints(&mut self) {
        let ast = self.ast;
        for constraint in &ast.constraints {
            self.in_state(State::One, |c| c.condition(*constraint, "the constraint"));
        }
    }

    fn axioms(&mut self, axioms: &[UsedAxiom]) {
        for UsedAxiom { attrs, axiom } in axioms {
            self.axiom(axiom, attrs);
        }
    }

    fn axiom(&mut self, axiom: &Axiom, attrs: &Attrs) {
        self.attrs(attrs);
        self.in_state(State::None, |c| c.condition(axiom.expr, "an axiom"));
    }

    fn function_decl(&mut self, function: &Function, attrs: &Attrs) {
        self.scoped(|c| {
            // `collect` has resolved the types; here they are needed in scope.
            c.declare_type_vars(&function.type_params);
            let types = c.quietly(|c| c.tys(function.params.iter().map(|p| p.ty)));
            let params = function.params.iter().zip(types);
            let vars = params.map(|(p, ty)| p.name.map(|n| c.declare(n, ty, VarKind::In))).collect();
            if let Some(id) = c.function_names.get(&function.name.name) {
                c.info.function_vars.insert(*id, vars);
            }
            let result = c.quietly(|c| c.ty(function.result.ty));
            if let Some(name) = function.result.name {
                c.declare(name, result, VarKind::Out);
            }
            c.function_attrs(function, attrs);
            for param in function.params.iter().chain([&function.result]) {
                c.attrs(&param.attrs);
            }
            if let Some(body) = function.body {
                c.in_state(State::None, |c| {
                    c.whole(body, result, Code::TYPE_MISMATCH, "the body of the function");
                });
            }
        });
        self.axioms(&function.uses);
    }

    /// Runs `f` without reporting diagnostics, for a second check of the same text.
    fn quietly<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let diagnostics = std::mem::take(&mut self.diagnostics);
        let result = f(self);
        self.diagnostics = diagnostics;
        result
    }

    /// Checks a procedure. As in Boogie, the results are in scope in postconditions, but not in preconditions and
    /// the `where` clauses of parameters.
    fn procedure_decl(&mut self, procedure: &Procedure, attrs: &Attrs, index: usize) {
        let signature = &procedure.signature;
        let id = self.info.procedure(signature.name.name).filter(|p| self.info[*p].decl == Some(index));
        let state = |s| if procedure.flavour.is_pure() { State::None } else { s };
        self.procedure_attrs(attrs);
        self.scoped(|c| {
            let types = c.quietly(|c| c.signature_types(signature, ""));
            let ins = c.declare_all(&signature.ins, &types.ins, VarKind::In);
            c.in_state(state(State::One), |c| {
                c.check_vars(&signature.ins, &ins);
                c.preconditions(procedure);
            });
            let outs = c.declare_all(&signature.outs, &types.outs, VarKind::Out);
            c.in_state(state(State::One), |c| c.check_vars(&signature.outs, &outs));
            c.attrs(attrs);
            c.in_state(state(State::Two), |c| c.postconditions(procedure));
            if let Some(id) = id {
                c.info.signatures.insert(id, [&ins[..], &outs].concat());
            }
            if let Some(body) = &procedure.body {
                let vars = BodyVars { ins, outs, locals: Vec::new() };
                c.in_state(state(State::Two), |c| c.body(body, id, vars, index));
            }
        });
    }

    /// Checks the clauses about the state before a call.
    fn preconditions(&mut self, procedure: &Procedure) {
        let mut measured = false;
        for spec in &procedure.specs {
            match &spec.kind {
                SpecKind::Requires { expr, .. } => {
                    self.stmt_attrs(&spec.attrs, spec.span);
                    self.condition(*expr, "a precondition");
                }
                SpecKind::Measure(exprs) => {
                    self.stmt_attrs(&spec.attrs, spec.span);
                    self.measure(*exprs);
                    if std::mem::replace(&mut measured, true) {
                        self.report(
                            codes::MISPLACED_CLAUSE,
                            spec.span,
                            "a procedure can have only one measure",
                        );
                    }
                }
                SpecKind::Ensures { .. } | SpecKind::Modifies(_) => {}
            }
        }
    }

    /// Checks the clauses about the state after a call.
    fn postconditions(&mut self, procedure: &Procedure) {
        for spec in &procedure.specs {
            match &spec.kind {
                SpecKind::Ensures { expr, .. } => {
                    self.stmt_attrs(&spec.attrs, spec.span);
                    self.condition(*expr, "a postcondition");
                }
                SpecKind::Modifies(_) => self.stmt_attrs(&spec.attrs, spec.span),
                SpecKind::Requires { .. } | SpecKind::Measure(_) => {}
            }
        }
    }

    fn implementation(&mut self, implementation: &Implementation, attrs: &Attrs, index: usize) {
        let signature = &implementation.signature;
        let procedure = self.procedure_of(implementation);
        self.scoped(|c| {
            let types = c.signature_types(signature, "the parameters");
            if let Some(procedure) = procedure {
                c.match_signature(signature, procedure, &types);
            }
            let vars = c.declare_signature(signature, &types.ins, &types.outs);
            c.attrs(attrs);
            let pure = procedure.is_some_and(|p| c.info[p].pure);
            c.in_state(if pure { State::None } else { State::Two }, |c| {
                c.check_vars(&signature.ins, &vars.ins);
                c.check_vars(&signature.outs, &vars.outs);
                c.body(&implementation.body, procedure, vars, index);
            });
        });
    }

    fn procedure_of(&mut self, implementation: &Implementation) -> Option<ProcedureId> {
        let name = implementation.signature.name;
        let procedure = self.info.procedure(name.name);
        if procedure.is_none() {
            let help = self.suggest_procedure(name);
            let message =
                format!("the procedure `{}` of this implementation is not declared", self.text(name.name));
            self.error(Diagnostic::new(codes::UNKNOWN_PROCEDURE, name.span, message).maybe_help(help));
        }
        procedure
    }

    /// Checks that an implementation has the same types as its procedure; names may differ.
    fn match_signature(&mut self, signature: &Signature, procedure: ProcedureId, types: &SignatureTypes) {
        let SignatureTypes { type_params: TypeParams { first, count }, ins, outs } = types;
        let declared = self.info[procedure].clone();
        let counts = [
            (declared.type_params.count as usize, *count as usize, "type variables"),
            (declared.ins.len(), ins.len(), "parameters"),
            (declared.outs.len(), outs.len(), "results"),
        ];
        for (expected, found, what) in counts {
            if expected != found {
                let name = self.text(declared.name);
                let message =
                    format!("`{name}` is declared with {expected} {what}, but implemented with {found}");
                self.error(
                    Diagnostic::new(codes::SIGNATURE_MISMATCH, signature.name.span, message)
                        .with(declared.span, "declared here"),
                );
                return;
            }
        }
        // Type variables correspond by order of occurrence, not of declaration.
        let shape = |c: &mut Self, first, ins: &[Ty], outs: &[Ty]| {
            c.info.types.close(first, *count, &[ins, outs].concat(), Ty::BOOL)
        };
        if shape(self, declared.type_params.first, &declared.ins, &declared.outs)
            == shape(self, *first, ins, outs)
        {
            return;
        }
        let params: Vec<Ty> =
            (*first..first + count).map(|p| self.info.types.intern(super::TyKind::Param(p))).collect();
        let pairs = declared.ins.iter().zip(ins).zip(&signature.ins);
        let results = declared.outs.iter().zip(outs).zip(&signature.outs);
        for ((expected, found), var) in pairs.chain(results) {
            let expected = self.info.types.subst_params(*expected, declared.type_params.first, &params);
            if !self.unify(expected, *found) {
                let message = format!(
                    "`{}` is declared with type `{}`, but implemented with type `{}`",
                    self.text(var.var.name.name),
                    self.show(expected),
                    self.show(*found)
                );
                self.error(
                    Diagnostic::new(codes::SIGNATURE_MISMATCH, var.var.name.span, message)
                        .with(declared.span, "declared here"),
                );
            }
        }
    }
}
