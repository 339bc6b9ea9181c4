//! Declarations and function definitions.

use dally_text::diagnostic::Diagnostic;

use super::Parser;
use crate::ast::{
    Attrs, Declaration, Declarator, Derived, Designator, FunctionDefinition, InitDeclarator, InitItem,
    Initialiser, Item, Name, Params, Specs, StaticAssert, StmtId, TypeSpec,
};
use crate::codes;
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

/// The result of parsing a declaration.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(FunctionDefinition),
}

impl Parser<'_> {
    /// A unit.
    pub(super) fn unit(&mut self) {
        while self.peek() != T::Eof && !self.cursor.is_full() {
            if self.eat(Op::Semi) {
                continue;
            }
            if self.item().is_err() {
                self.recover_item();
            }
        }
    }

    /// Skips to the end of a declaration at file scope.
    fn recover_item(&mut self) {
        while self.scopes.len() > 2 {
            self.close_scope();
        }
        self.recover(&[]);
        self.eat(Op::RBrace);
    }

    fn item(&mut self) -> Parsed<()> {
        if self.is(K::StaticAssert)
            || (self.is_soft(self.soft.static_assert) && self.peek_at(1) == T::Op(Op::LParen))
        {
            let assertion = self.static_assert()?;
            self.expect(Op::Semi)?;
            self.ast.items.push(Item::StaticAssert(assertion));
            return Ok(());
        }
        if self.eat(K::Asm) {
            self.expect(Op::LParen)?;
            self.skip_balanced(Op::RParen)?;
            self.expect(Op::Semi)?;
            return Ok(());
        }
        let item = match self.declaration()? {
            Declared::Declaration(declaration) => Item::Declaration(declaration),
            Declared::Function(function) => Item::Function(function),
        };
        self.ast.items.push(item);
        Ok(())
    }

    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let start = self.span();
        self.bump();
        self.expect(Op::LParen)?;
        let condition = self.constant()?;
        let mut message = None;
        if self.eat(Op::Comma) {
            let token = self.cursor.token();
            message = Some(self.cursor.text(token).to_owned());
            self.string()?;
        }
        self.expect(Op::RParen)?;
        Ok(StaticAssert { condition, message, span: self.since(start) })
    }

    /// A declaration or a function definition.
    pub(super) fn declaration(&mut self) -> Parsed<Declared> {
        let start = self.span();
        let typed = self.starts_declaration() || self.is(K::Extension) || self.starts_attribute();
        if !typed {
            self.untyped()?;
        }
        let specs = self.specs()?;
        if let (TypeSpec::Missing, T::Ident(sym), T::Ident(_)) = (&specs.ty, self.peek(), self.peek_at(1)) {
            let name = Name { sym, span: self.span() };
            return Err(self.unknown_type(name));
        }
        let mut declarators = Vec::new();
        while !self.is(Op::Semi) {
            let declarator = self.declarator()?;
            let Some(name) = declarator.name else { return Err(self.unexpected("a name")) };
            self.declare(name.sym, specs.storage.is_typedef);
            if let TypeSpec::Missing = specs.ty {
                self.implicit_int(name);
            }
            if declarators.is_empty() && self.begins_body(&declarator) {
                return Ok(Declared::Function(self.function(specs, declarator)?));
            }
            let init = if self.eat(Op::Assign) { Some(self.initialiser()?) } else { None };
            declarators.push(InitDeclarator { declarator, init });
            if !self.eat(Op::Comma) {
                break;
            }
        }
        self.expect(Op::Semi)?;
        Ok(Declared::Declaration(Declaration { specs, declarators, span: self.since(start) }))
    }

    /// A declaration that begins with no type: `f() { … }` means `int f() { … }`.
    fn untyped(&mut self) -> Parsed<()> {
        match (self.peek(), self.peek_at(1)) {
            (T::Ident(_), T::Op(Op::LParen | Op::Assign | Op::Semi | Op::Comma | Op::LBracket)) => Ok(()),
            (T::Ident(sym), T::Ident(_) | T::Op(Op::Star)) => {
                let name = Name { sym, span: self.span() };
                Err(self.unknown_type(name))
            }
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn implicit_int(&mut self, name: Name) {
        let message =
            format!("`{}` is declared without a type: `int` is assumed", self.symbols.text(name.sym));
        self.report(Diagnostic::new(codes::IMPLICIT_INT, name.span, message));
    }

    fn begins_body(&self, declarator: &Declarator) -> bool {
        match declarator.derived.last() {
            Some(Derived::Function(params)) => {
                self.is(Op::LBrace) || (!params.names.is_empty() && self.starts_declaration())
            }
            _ => false,
        }
    }

    fn function(&mut self, specs: Specs, declarator: Declarator) -> Parsed<FunctionDefinition> {
        self.open_scope();
        let mut declarations = Vec::new();
        while !self.is(Op::LBrace) {
            match self.declaration()? {
                Declared::Declaration(declaration) => declarations.push(declaration),
                Declared::Function(_) => return Err(self.unexpected("the declaration of a parameter")),
            }
        }
        if let Some(Derived::Function(Params { list, names, .. })) = declarator.derived.last() {
            for name in list.iter().filter_map(|p| p.declarator.name).chain(names.iter().copied()) {
                self.declare(name.sym, false);
            }
        }
        let body = self.body();
        self.close_scope();
        Ok(FunctionDefinition { specs, declarator, declarations, body: body? })
    }

    /// `{ … }`, in the scope that is open.
    pub(super) fn body(&mut self) -> Parsed<Vec<StmtId>> {
        self.expect(Op::LBrace)?;
        let mut stmts = Vec::new();
        while !self.is(Op::RBrace) {
            if self.peek() == T::Eof || self.cursor.is_full() {
                return Err(self.unexpected("`}`"));
            }
            stmts.push(self.statement_or_recover());
        }
        self.bump();
        Ok(stmts)
    }

    /// An initialiser.
    pub(super) fn initialiser(&mut self) -> Parsed<Initialiser> {
        if self.is(Op::LBrace) {
            self.deeper(Self::initialiser_list)
        } else {
            Ok(Initialiser::Expr(self.assignment()?))
        }
    }

    fn initialiser_list(&mut self) -> Parsed<Initialiser> {
        let start = self.span();
        self.bump();
        let mut items = Vec::new();
        while !self.is(Op::RBrace) {
            let designators = self.designators()?;
            items.push(InitItem { designators, value: self.initialiser()? });
            if !self.eat(Op::Comma) {
                break;
            }
        }
        let end = self.expect(Op::RBrace)?;
        Ok(Initialiser::List(items, Self::join(start, end)))
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        // The old form `name: value`.
        if let (T::Ident(_), T::Op(Op::Colon)) = (self.peek(), self.peek_at(1)) {
            let name = self.name()?;
            self.bump();
            return Ok(vec![Designator::Member(name)]);
        }
        let designators = self.designator_path()?;
        if !designators.is_empty() {
            // The old form `[index] value` has no sign.
            if let ([Designator::Index(..)], false) = (&designators[..], self.is(Op::Assign)) {
                return Ok(designators);
            }
            self.expect(Op::Assign)?;
        }
        Ok(designators)
    }

    /// `.name`, `[index]` and `[low ... high]`, any number of them.
    pub(super) fn designator_path(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            if self.eat(Op::Dot) {
                designators.push(Designator::Member(self.name()?));
            } else if self.is(Op::LBracket) {
                self.bump();
                let low = self.expr()?;
                let high = if self.eat(Op::Ellipsis) { Some(self.constant()?) } else { None };
                self.expect(Op::RBracket)?;
                designators.push(Designator::Index(low, high));
            } else {
                return Ok(designators);
            }
        }
    }

    /// Attributes that stand alone before a statement.
    pub(super) fn skip_attributes(&mut self) -> Parsed<()> {
        self.attributes(&mut Attrs::default())
    }
}
