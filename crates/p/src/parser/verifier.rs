//! Constructs of P's verifier.
//!
//! Its declarations are parsed and ignored, and one [`warning`] names them. Pure functions can be called, unless their
//! bodies are expressions that only the verifier evaluates.

use std::collections::BTreeMap;

use dally_text::diagnostic::Diagnostic;
use dally_text::parse::{Parse, Parsed};
use dally_text::source::Span;

use super::Parser;
use crate::ast::{Body, Fun, StmtKind};
use crate::codes;
use crate::lexer::{K, T};

/// The ignored constructs, each with its first occurrence.
pub(super) type Ignored = BTreeMap<&'static str, Span>;

/// One warning that names all ignored constructs.
pub(super) fn warning(ignored: &Ignored) -> Option<Diagnostic> {
    let first = ignored.values().min()?;
    let names: Vec<String> = ignored.keys().map(|name| format!("`{name}`")).collect();
    let message = match names.as_slice() {
        [others @ .., last] if !others.is_empty() => {
            format!("{} and {last} are for P's verifier, and are not checked", others.join(", "))
        }
        names => format!("{} is for P's verifier, and is not checked", names.concat()),
    };
    Some(Diagnostic::new(codes::VERIFIER_ONLY, *first, message).help(codes::VERIFIER_ONLY.advice()))
}

impl Parser<'_> {
    /// Notes a construct that is ignored.
    pub(super) fn ignored(&mut self, span: Span, name: &'static str) {
        self.ignored.entry(name).or_insert(span);
    }

    /// A declaration for the verifier.
    pub(super) fn verifier_decl(&mut self, key: K) -> Parsed<()> {
        let start = self.span();
        if key == K::Pure {
            return self.pure();
        }
        self.ignored(start, key.text());
        self.verifier_decl_here(key)
    }

    fn verifier_decl_here(&mut self, key: K) -> Parsed<()> {
        self.bump();
        match key {
            K::Invariant => {
                self.name()?;
                self.expect(":")?;
                self.expr()?;
                self.expect(";")?;
            }
            K::Axiom | K::Init => {
                self.expr()?;
                self.expect(";")?;
            }
            K::Proof => self.proof()?,
            _ => {
                self.name()?;
                self.expect("{")?;
                while self.is(K::Invariant) {
                    self.verifier_decl_here(K::Invariant)?;
                }
                self.expect("}")?;
            }
        }
        Ok(())
    }

    /// `pure f(x: T): U = e;`. Without a definition that can be evaluated it is a foreign function.
    fn pure(&mut self) -> Parsed<()> {
        let start = self.bump().span;
        let name = self.name()?;
        self.expect("(")?;
        let params = if self.is(")") { Vec::new() } else { self.params()? };
        self.expect(")")?;
        self.expect(":")?;
        let ret = Some(self.ty()?);
        let span = self.since(start);
        let mut body = None;
        if self.eat("=") {
            let expressions = self.verifier_expressions;
            let value = self.expr()?;
            if self.verifier_expressions == expressions {
                let returned = self.add_stmt(StmtKind::Return(Some(value)), self.since(start));
                body = Some(Body { vars: Vec::new(), stmts: vec![returned] });
            }
        }
        self.expect(";")?;
        let creates = Vec::new();
        let fun = self.add_fun(Fun { name: Some(name), span, params, ret, body, creates, is_pure: true });
        self.ast.globals.push(fun);
        Ok(())
    }

    fn proof(&mut self) -> Parsed<()> {
        if self.peek() == T::Ident {
            self.bump();
        }
        self.expect("{")?;
        while self.eat(K::Prove) {
            if !self.eat("*") && !self.eat(K::Default) {
                self.list(Self::expr)?;
            }
            if self.eat(K::Using) && !self.eat("*") {
                self.list(Self::expr)?;
            }
            if self.eat(K::Except) {
                self.list(Self::expr)?;
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        Ok(())
    }
}
