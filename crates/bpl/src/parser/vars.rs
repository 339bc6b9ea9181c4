//! Variables: globals, locals, parameters, fields, bound variables.

use super::{Parsed, Parser};
use crate::ast::{Attrs, BoundVar, DeclKind, Var, VarDecl};
use crate::codes;
use crate::lexer::T;
use dally_text::diagnostic::Diagnostic;

/// Where variables are declared, which decides what may be said about them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind `var`: the attributes come first, and belong to all variables up to the semicolon.
    Statement,
    /// The parameters and results of a procedure.
    Procedure,
    /// Those of an implementation.
    Implementation,
    /// The fields of a constructor.
    Fields,
    /// Behind a quantifier or `lambda`.
    Binder,
}

impl Place {
    /// What the variables are called where none may have a `where` clause.
    fn without_where(self) -> Option<&'static str> {
        match self {
            Place::Statement | Place::Procedure => None,
            Place::Implementation => Some("the parameters of an implementation"),
            Place::Fields => Some("fields of a datatype"),
            Place::Binder => Some("bound variables"),
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
        let vars = self.variables(Place::Statement)?;
        self.expect(T::Semi)?;
        Ok(vars)
    }

    /// `(x: type, …)`
    pub(super) fn formals(&mut self, place: Place) -> Parsed<Vec<VarDecl>> {
        self.expect(T::LParen)?;
        let vars = if self.at(T::RParen) { Vec::new() } else { self.variables(place)? };
        self.expect(T::RParen)?;
        Ok(vars)
    }

    pub(super) fn bound_vars(&mut self) -> Parsed<Vec<BoundVar>> {
        let vars = self.variables(Place::Binder)?;
        Ok(vars.into_iter().map(|v| BoundVar { attrs: v.attrs, name: v.var.name, ty: v.var.ty }).collect())
    }

    /// `{:attrs} x, y: type where e, …`
    fn variables(&mut self, place: Place) -> Parsed<Vec<VarDecl>> {
        let mut vars: Vec<VarDecl> = Vec::new();
        loop {
            let first = vars.first().map(|v| v.attrs.clone()).filter(|_| place == Place::Statement);
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

    fn where_clause(&mut self, place: Place) -> Parsed<Option<crate::ast::ExprId>> {
        let span = self.token_span();
        if !self.eat(T::Where) {
            return Ok(None);
        }
        let condition = self.expr()?;
        let Some(what) = place.without_where() else { return Ok(Some(condition)) };
        let message = format!("no `where` clause is allowed on {what}");
        self.error(Diagnostic::new(codes::MISPLACED_CLAUSE, span, message));
        Ok(None)
    }

    /// In `var x: int, {:a} y: int;` it would be unclear whom the attribute belongs to.
    fn no_attrs_between(&mut self, attrs: &Attrs) {
        if let Some(attr) = attrs.iter().next() {
            let message = "an attribute in the middle of a `var`";
            let help = "attributes stand right behind `var`, and belong to all its variables: declare this one \
                        with a `var` of its own";
            self.error(Diagnostic::new(codes::MISPLACED_CLAUSE, attr.span, message).help(help));
        }
    }
}
