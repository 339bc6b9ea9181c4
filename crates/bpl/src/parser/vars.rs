//! Variables: globals, locals, parameters, fields, bound variables.

use dally_text::diagnostic::Diagnostic;

use super::{Parsed, Parser};
use crate::ast::{Attrs, BoundVar, DeclKind, Var, VarDecl};
use crate::codes;
use crate::lexer::T;

/// The contexts of variable declarations. They differ in the allowed clauses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VarContext {
    /// After `var`: the attributes come first and apply to all variables up to the semicolon.
    Statement,
    /// The parameters and results of a procedure.
    Procedure,
    /// The parameters and results of an implementation.
    Implementation,
    /// The fields of a constructor.
    Fields,
    /// After a quantifier or `lambda`.
    Binder,
}

impl VarContext {
    /// The description of the variables in contexts where `where` clauses are not allowed.
    fn without_where(self) -> Option<&'static str> {
        match self {
            VarContext::Statement | VarContext::Procedure => None,
            VarContext::Implementation => Some("the parameters of an implementation"),
            VarContext::Fields => Some("fields of a datatype"),
            VarContext::Binder => Some("bound variables"),
        }
    }
}

impl Parser<'_> {
    /// `var {:attrs} x, y: type where e, …;`, outside of all procedures.
    pub(super) fn global_vars(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let vars = self.var_statement()?;
        for VarDecl { attrs, var } in vars {
            self.push_decl(DeclKind::Var(var), attrs, start);
        }
        Ok(())
    }

    /// `var x: int; var y: bool; …`, in a body.
    pub(super) fn locals(&mut self) -> Parsed<Vec<VarDecl>> {
        let mut locals = Vec::new();
        while self.at(T::Var) {
            locals.extend(self.var_statement()?);
        }
        Ok(locals)
    }

    fn var_statement(&mut self) -> Parsed<Vec<VarDecl>> {
        self.expect(T::Var)?;
        let vars = self.variables(VarContext::Statement)?;
        self.expect(T::Semi)?;
        Ok(vars)
    }

    /// `(x: type, …)`
    pub(super) fn formals(&mut self, place: VarContext) -> Parsed<Vec<VarDecl>> {
        self.expect(T::LParen)?;
        let vars = if self.at(T::RParen) { Vec::new() } else { self.variables(place)? };
        self.expect(T::RParen)?;
        Ok(vars)
    }

    pub(super) fn bound_vars(&mut self) -> Parsed<Vec<BoundVar>> {
        let vars = self.variables(VarContext::Binder)?;
        Ok(vars.into_iter().map(|v| BoundVar { attrs: v.attrs, name: v.var.name, ty: v.var.ty }).collect())
    }

    /// `{:attrs} x, y: type where e, …`
    fn variables(&mut self, place: VarContext) -> Parsed<Vec<VarDecl>> {
        let mut vars: Vec<VarDecl> = Vec::new();
        loop {
            let first = vars.first().map(|v| v.attrs.clone()).filter(|_| place == VarContext::Statement);
            let own = self.attrs()?;
            let attrs = match first {
                Some(first) => {
                    self.no_attrs_between(&own);
                    first
                }
                None => own,
            };
            let names = self.idents()?;
            self.expect(T::Colon)?;
            let ty = self.ty()?;
            let where_clause = self.where_clause(place)?;
            let declare = |name| VarDecl { attrs: attrs.clone(), var: Var { name, ty, where_clause } };
            vars.extend(names.into_iter().map(declare));
            if !self.eat(T::Comma) {
                return Ok(vars);
            }
        }
    }

    fn where_clause(&mut self, place: VarContext) -> Parsed<Option<crate::ast::ExprId>> {
        let span = self.token_span();
        if !self.eat(T::Where) {
            return Ok(None);
        }
        let condition = self.expr()?;
        let Some(what) = place.without_where() else { return Ok(Some(condition)) };
        let message = format!("{what} cannot have a `where` clause");
        self.error(Diagnostic::new(codes::MISPLACED_CLAUSE, span, message));
        Ok(None)
    }

    /// Reports `var x: int, {:a} y: int;`, where it is unclear which variables the attribute applies to.
    fn no_attrs_between(&mut self, attrs: &Attrs) {
        if let Some(attr) = attrs.iter().next() {
            let message = "attributes must come right after `var`";
            let help = "attributes stand right behind `var`, and belong to all its variables: declare this one \
                        with a `var` of its own";
            self.error(Diagnostic::new(codes::MISPLACED_CLAUSE, attr.span, message).help(help));
        }
    }
}
