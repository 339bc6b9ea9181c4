//! Declarations.

use dally_text::diagnostic::Diagnostic;

use super::vars::VarContext;
use super::{Parsed, Parser, Reported};
use crate::ast::{
    Attrs, Axiom, Body, Const, Constructor, Datatype, Decl, DeclKind, Flavour, Function, Ident,
    Implementation, Param, Procedure, Signature, Spec, SpecKind, TypeDecl, TypeExpr, UsedAxiom,
};
use crate::codes;
use crate::lexer::T;

/// The keywords that begin declarations.
const DECL_KEYWORDS: &[&str] =
    &["axiom", "const", "datatype", "function", "implementation", "procedure", "pure", "type", "var"];

impl Parser<'_> {
    /// Parses a whole file.
    pub(super) fn program(&mut self) {
        while !self.at(T::Eof) {
            let before = self.token.start;
            if self.at_civl_decl() {
                self.civl_decl();
            } else if self.decl().is_err() {
                self.skip_decl(before);
            }
        }
    }

    /// Returns true if the current token is a keyword that can only begin a declaration.
    pub(super) fn at_hard_decl(&self) -> bool {
        matches!(
            self.kind(),
            T::Procedure | T::Implementation | T::Function | T::Axiom | T::Const | T::Type | T::Datatype
        )
    }

    /// Returns true if a declaration begins at the current token.
    pub(super) fn at_decl(&self) -> bool {
        self.at_hard_decl()
            || matches!(self.kind(), T::Var | T::Revealed | T::Hideable | T::Pure)
            || self.at_civl_decl()
    }

    fn skip_decl(&mut self, before: usize) {
        if self.token.start == before {
            self.bump();
        }
        while !self.at(T::Eof) && !self.at_hard_decl() && !self.at(T::Var) {
            self.bump();
        }
    }

    fn decl(&mut self) -> Parsed<()> {
        let start = self.token.start;
        match self.kind() {
            T::Type => self.type_decls(),
            T::Datatype => self.datatype(),
            T::Const => self.constant(),
            T::Function | T::Revealed => self.function(),
            T::Axiom | T::Hideable => {
                let UsedAxiom { attrs, axiom } = self.axiom()?;
                self.push_decl(DeclKind::Axiom(axiom), attrs, start);
                Ok(())
            }
            T::Var => self.global_vars(),
            T::Procedure | T::Pure => self.procedure(),
            T::Implementation => self.implementation(),
            _ => {
                let help = super::report::misspelt(self.token_text(), DECL_KEYWORDS);
                Err(self.expected_or("a declaration", help))
            }
        }
    }

    pub(super) fn push_decl(&mut self, kind: DeclKind, attrs: Attrs, start: usize) {
        let span = self.span_from(start);
        self.ast.decls.push(Decl { kind, attrs, span });
    }

    fn type_decls(&mut self) -> Parsed<()> {
        self.bump();
        let attrs = self.attrs()?;
        loop {
            let start = self.token.start;
            let name = self.ident()?;
            let mut params = Vec::new();
            while self.at_ident() {
                params.push(self.ident()?);
            }
            self.limit_type_params(&params)?;
            let body = if self.eat(T::Equals) { Some(self.ty()?) } else { None };
            self.push_decl(DeclKind::Type(TypeDecl { name, params, body }), attrs.clone(), start);
            if !self.eat(T::Comma) {
                return self.expect(T::Semi);
            }
        }
    }

    fn datatype(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.bump();
        let attrs = self.attrs()?;
        let name = self.ident()?;
        let params = self.type_params()?;
        self.expect(T::LBrace)?;
        let constructors = self.comma_separated(|p| {
            let name = p.ident()?;
            Ok(Constructor { name, fields: p.formals(VarContext::Fields)? })
        })?;
        self.expect(T::RBrace)?;
        self.push_decl(DeclKind::Datatype(Datatype { name, params, constructors }), attrs, start);
        Ok(())
    }

    fn constant(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.bump();
        let attrs = self.attrs()?;
        let unique = self.eat(T::Unique);
        let names = self.idents()?;
        self.expect(T::Colon)?;
        let ty = self.ty()?;
        let uses = if self.at(T::Uses) { self.uses()? } else { self.expect(T::Semi).map(|()| Vec::new())? };
        self.push_decl(DeclKind::Const(Const { unique, names, ty, uses }), attrs, start);
        Ok(())
    }

    /// `uses { axiom e; … }`
    fn uses(&mut self) -> Parsed<Vec<UsedAxiom>> {
        self.expect(T::Uses)?;
        self.expect(T::LBrace)?;
        let mut axioms = Vec::new();
        while !self.at(T::RBrace) {
            axioms.push(self.axiom()?);
        }
        self.bump();
        Ok(axioms)
    }

    fn axiom(&mut self) -> Parsed<UsedAxiom> {
        let start = self.token.start;
        let hideable = self.eat(T::Hideable);
        self.expect(T::Axiom)?;
        let attrs = self.attrs()?;
        let expr = self.expr()?;
        self.expect(T::Semi)?;
        Ok(UsedAxiom { attrs, axiom: Axiom { hideable, expr, span: self.span_from(start) } })
    }

    fn function(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let revealed = self.eat(T::Revealed);
        self.expect(T::Function)?;
        let attrs = self.attrs()?;
        let name = self.ident()?;
        let type_params = self.type_params()?;
        self.expect(T::LParen)?;
        let params = if self.at(T::RParen) { Vec::new() } else { self.comma_separated(Self::param)? };
        self.expect(T::RParen)?;
        let params = self.name_params(params);
        let result = self.function_result()?;
        let body = if self.eat(T::LBrace) {
            let body = self.expr()?;
            self.expect(T::RBrace)?;
            Some(body)
        } else {
            None
        };
        let uses = match self.kind() {
            T::Uses => self.uses()?,
            _ if body.is_some() => Vec::new(),
            _ => self.expect(T::Semi).map(|()| Vec::new())?,
        };
        let function = Function { revealed, name, type_params, params, result, body, uses };
        self.push_decl(DeclKind::Function(Box::new(function)), attrs, start);
        Ok(())
    }

    fn function_result(&mut self) -> Parsed<Param> {
        if self.eat(T::Colon) {
            return Ok(Param { attrs: Attrs::NONE, name: None, ty: self.ty()? });
        }
        if !self.eat(T::Returns) {
            return Err(self.expected("`:` or `returns`"));
        }
        self.expect(T::LParen)?;
        let result = self.param()?;
        self.expect(T::RParen)?;
        Ok(result)
    }

    /// `type`, or `name: type`.
    fn param(&mut self) -> Parsed<Param> {
        let attrs = self.attrs()?;
        let ty = self.ty()?;
        if !self.eat(T::Colon) {
            return Ok(Param { attrs, name: None, ty });
        }
        let name = match self.ast.types[ty] {
            TypeExpr::Named(name, args) if self.ast.types.list(args).is_empty() => {
                Some(Ident { name, span: self.ast.types.span(ty) })
            }
            _ => {
                let span = self.ast.types.span(ty);
                self.error(Diagnostic::new(codes::BAD_PARAMETER, span, "expected a name before `:`"));
                None
            }
        };
        Ok(Param { attrs, name, ty: self.ty()? })
    }

    /// Corrects parameters such as `f(x, y: int)`, where `x` was parsed as a type but is a name of type `int`.
    fn name_params(&mut self, mut params: Vec<Param>) -> Vec<Param> {
        if params.iter().all(|p| p.name.is_none()) {
            return params;
        }
        let mut ty = None;
        for param in params.iter_mut().rev() {
            let span = self.ast.types.span(param.ty);
            match (param.name, &self.ast.types[param.ty], ty) {
                (Some(_), _, _) => ty = Some(param.ty),
                (None, TypeExpr::Named(name, args), Some(ty)) if self.ast.types.list(*args).is_empty() => {
                    param.name = Some(Ident { name: *name, span });
                    param.ty = ty;
                }
                (None, _, Some(_)) => self.diagnostics.push(Diagnostic::new(
                    codes::BAD_PARAMETER,
                    span,
                    "expected a name for this parameter",
                )),
                (None, _, None) => {
                    let message = "the type of the last parameter is missing";
                    self.diagnostics.push(Diagnostic::new(codes::BAD_PARAMETER, span, message));
                    break;
                }
            }
        }
        params
    }

    /// `name<params>(ins) returns (outs)`
    fn signature(&mut self, context: VarContext) -> Parsed<Signature> {
        let name = self.ident()?;
        let type_params = self.type_params()?;
        let ins = self.formals(context)?;
        let outs = if self.eat(T::Returns) { self.formals(context)? } else { Vec::new() };
        Ok(Signature { name, type_params, ins, outs })
    }

    fn procedure(&mut self) -> Parsed<()> {
        let start = self.token.start;
        let pure = self.eat(T::Pure);
        let flavour = match pure {
            true if self.eat(T::Action) => Flavour::PureAction,
            true => self.expect(T::Procedure).map(|()| Flavour::Pure)?,
            false => self.expect(T::Procedure).map(|()| Flavour::Plain)?,
        };
        let attrs = self.attrs()?;
        self.in_pure = pure;
        let signature = self.signature(VarContext::Procedure);
        self.in_pure = false;
        let signature = signature?;
        let bodiless = self.eat(T::Semi);
        let specs = self.specs()?;
        let body = if bodiless { None } else { Some(self.body()?) };
        let procedure = Procedure { flavour, signature, specs, body };
        self.push_decl(DeclKind::Procedure(Box::new(procedure)), attrs, start);
        Ok(())
    }

    fn implementation(&mut self) -> Parsed<()> {
        let start = self.token.start;
        self.bump();
        let attrs = self.attrs()?;
        let signature = self.signature(VarContext::Implementation)?;
        let body = self.body()?;
        self.push_decl(DeclKind::Implementation(Box::new(Implementation { signature, body })), attrs, start);
        Ok(())
    }

    /// `{ locals; statements }`
    fn body(&mut self) -> Parsed<Body> {
        if !self.eat(T::LBrace) {
            return Err(self.expected("`;` or `{`"));
        }
        let locals = match self.locals() {
            Ok(locals) => locals,
            // After an error in a local declaration, continue with the statements.
            Err(Reported) => {
                while !matches!(self.kind(), T::Semi | T::RBrace | T::Eof) {
                    self.bump();
                }
                self.eat(T::Semi);
                self.locals()?
            }
        };
        Ok(Body { locals, block: self.block_rest(T::RBrace)? })
    }

    fn specs(&mut self) -> Parsed<Vec<Spec>> {
        let mut specs = Vec::new();
        loop {
            if self.at_civl_clause() {
                self.civl_clause();
                continue;
            }
            match self.spec()? {
                Some(spec) => specs.push(spec),
                None => return Ok(specs),
            }
        }
    }

    fn spec(&mut self) -> Parsed<Option<Spec>> {
        let start = self.token.start;
        let free = self.at(T::Free);
        if free {
            self.bump();
        }
        let keyword = self.kind();
        match keyword {
            T::Requires | T::Ensures | T::Measure => self.bump(),
            T::Modifies if !free => self.bump(),
            _ if free => return Err(self.expected("`requires` or `ensures`")),
            _ => return Ok(None),
        }
        let attrs = self.attrs()?;
        let kind = match keyword {
            T::Requires => SpecKind::Requires { free, expr: self.expr()? },
            T::Ensures => SpecKind::Ensures { free, expr: self.expr()? },
            T::Modifies if self.at(T::Semi) => SpecKind::Modifies(Vec::new()),
            T::Modifies => SpecKind::Modifies(self.idents()?),
            _ => {
                let exprs = self.comma_separated(Self::expr)?;
                SpecKind::Measure(self.ast.exprs.add_list(&exprs))
            }
        };
        self.expect(T::Semi)?;
        Ok(Some(Spec { attrs, kind, span: self.span_from(start) }))
    }
}
