//! Statements.

use dally_text::parse::{Parse, Parsed};
use dally_text::source::Span;

use super::Parser;
use super::decl::Declared;
use crate::ast::{Attrs, Name, StmtId, StmtKind};
use crate::token::{K, Op, T};

/// The most conditions in a chain of `else if`.
const LONGEST_CHAIN: usize = 4000;

impl Parser<'_> {
    /// A statement; after an error the rest of it is skipped.
    pub(super) fn statement_or_recover(&mut self) -> StmtId {
        let start = self.span();
        let scopes = self.scopes.len();
        match self.statement() {
            Ok(stmt) => stmt,
            Err(_) => {
                while self.scopes.len() > scopes {
                    self.close_scope();
                }
                self.recover(&[]);
                self.add_stmt(StmtKind::Empty, start)
            }
        }
    }

    pub(super) fn statement(&mut self) -> Parsed<StmtId> {
        self.deeper(Self::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        match self.peek() {
            T::Op(Op::LBrace) => {
                self.open_scope();
                let body = self.body();
                self.close_scope();
                Ok(self.add_stmt(StmtKind::Block(body?), start))
            }
            T::Op(Op::Semi) => {
                self.bump();
                Ok(self.add_stmt(StmtKind::Empty, start))
            }
            T::Ident(sym) if self.peek_at(1) == T::Op(Op::Colon) => {
                let name = Name { sym, span: self.bump().span };
                self.bump();
                self.skip_attributes()?;
                let body = self.labelled()?;
                Ok(self.add_stmt(StmtKind::Label(name, body), Self::join(start, name.span)))
            }
            _ if self.starts_attribute() => {
                let mut attrs = Attrs::default();
                self.attributes(&mut attrs)?;
                if self.starts_declaration() {
                    self.pending = attrs;
                }
                self.labelled()
            }
            T::Key(K::Extension) => {
                self.bump();
                self.statement()
            }
            T::Key(K::Label) => {
                self.bump();
                let mut names = vec![self.name()?];
                while self.eat(Op::Comma) {
                    names.push(self.name()?);
                }
                self.expect(Op::Semi)?;
                Ok(self.add_stmt(StmtKind::LocalLabels(names), start))
            }
            T::Key(key) => match self.keyword_statement(key, start) {
                Some(stmt) => stmt,
                None => self.simple(start),
            },
            _ => self.simple(start),
        }
    }

    /// The statement after a label; none at the end of a block.
    fn labelled(&mut self) -> Parsed<StmtId> {
        if self.is(Op::RBrace) {
            let span = self.span();
            return Ok(self.add_stmt(StmtKind::Empty, span));
        }
        self.statement()
    }

    /// A declaration or an expression.
    fn simple(&mut self, start: Span) -> Parsed<StmtId> {
        if self.starts_declaration() {
            return self.local_declaration(start);
        }
        if let (T::Ident(sym), T::Ident(_)) = (self.peek(), self.peek_at(1)) {
            return Err(self.unknown_type(Name { sym, span: start }));
        }
        let expr = self.expr()?;
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(StmtKind::Expr(expr), self.since(start)))
    }

    fn local_declaration(&mut self, start: Span) -> Parsed<StmtId> {
        if self.is(K::StaticAssert) || self.is_soft(self.soft.static_assert) {
            let assertion = self.static_assert()?;
            self.expect(Op::Semi)?;
            return Ok(self.add_stmt(StmtKind::StaticAssert(assertion), self.since(start)));
        }
        let kind = match self.declaration()? {
            Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
            Declared::Function(_) => StmtKind::NestedFunction,
        };
        Ok(self.add_stmt(kind, self.since(start)))
    }

    /// A statement that begins with a keyword of its own.
    fn keyword_statement(&mut self, key: K, start: Span) -> Option<Parsed<StmtId>> {
        Some(match key {
            K::If => self.if_statement(start),
            K::While => self.while_statement(start),
            K::Do => self.do_statement(),
            K::For => self.for_statement(start),
            K::Switch => self.switch_statement(start),
            K::Case | K::Default => self.case(key, start),
            K::Break => self.jump(StmtKind::Break, start),
            K::Continue => self.jump(StmtKind::Continue, start),
            K::Goto => self.goto(start),
            K::Return => self.return_statement(start),
            K::Asm => self.assembler(start),
            _ => return None,
        })
    }

    /// `(condition)` of a statement.
    fn condition(&mut self) -> Parsed<crate::ast::ExprId> {
        self.bump();
        self.expect(Op::LParen)?;
        let condition = self.expr()?;
        self.expect(Op::RParen)?;
        Ok(condition)
    }

    /// `if (c) … else if (d) … else …`: a chain has no depth, since generated programs have long ones.
    fn if_statement(&mut self, start: Span) -> Parsed<StmtId> {
        let mut chain = Vec::new();
        let mut start = start;
        let mut otherwise = None;
        loop {
            if chain.len() == LONGEST_CHAIN {
                return Err(self.too_deep());
            }
            let condition = self.condition()?;
            let head = self.since(start);
            chain.push((condition, self.statement()?, head));
            if !self.eat(K::Else) {
                break;
            }
            start = self.span();
            if !self.is(K::If) {
                otherwise = Some(self.statement()?);
                break;
            }
        }
        for (condition, then, head) in chain.into_iter().rev() {
            otherwise = Some(self.add_stmt(StmtKind::If(condition, then, otherwise), head));
        }
        otherwise.ok_or_else(|| self.unexpected("`if`"))
    }

    fn while_statement(&mut self, start: Span) -> Parsed<StmtId> {
        let condition = self.condition()?;
        let head = self.since(start);
        let body = self.statement()?;
        Ok(self.add_stmt(StmtKind::While(condition, body), head))
    }

    fn do_statement(&mut self) -> Parsed<StmtId> {
        self.bump();
        let body = self.statement()?;
        if !self.is(K::While) {
            return Err(self.unexpected("`while`"));
        }
        let tail = self.span();
        let condition = self.condition()?;
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(StmtKind::DoWhile(body, condition), self.since(tail)))
    }

    fn switch_statement(&mut self, start: Span) -> Parsed<StmtId> {
        let value = self.condition()?;
        let head = self.since(start);
        let body = self.statement()?;
        Ok(self.add_stmt(StmtKind::Switch(value, body), head))
    }

    fn for_statement(&mut self, start: Span) -> Parsed<StmtId> {
        self.open_scope();
        let parsed = self.for_here(start);
        self.close_scope();
        parsed
    }

    fn for_here(&mut self, start: Span) -> Parsed<StmtId> {
        self.bump();
        self.expect(Op::LParen)?;
        let init = if self.eat(Op::Semi) {
            None
        } else {
            self.attributes(&mut Attrs::default())?;
            let from = self.span();
            Some(self.simple(from)?)
        };
        let condition = if self.is(Op::Semi) { None } else { Some(self.expr()?) };
        self.expect(Op::Semi)?;
        let step = if self.is(Op::RParen) { None } else { Some(self.expr()?) };
        self.expect(Op::RParen)?;
        let head = self.since(start);
        let body = self.statement()?;
        Ok(self.add_stmt(StmtKind::For(init, condition, step, body), head))
    }

    fn case(&mut self, key: K, start: Span) -> Parsed<StmtId> {
        self.bump();
        if key == K::Default {
            self.expect(Op::Colon)?;
            let head = self.since(start);
            self.skip_attributes()?;
            let body = self.labelled()?;
            return Ok(self.add_stmt(StmtKind::Default(body), head));
        }
        let low = self.constant()?;
        let high = if self.eat(Op::Ellipsis) { Some(self.constant()?) } else { None };
        self.expect(Op::Colon)?;
        let head = self.since(start);
        self.skip_attributes()?;
        let body = self.labelled()?;
        Ok(self.add_stmt(StmtKind::Case(low, high, body), head))
    }

    fn jump(&mut self, kind: StmtKind, start: Span) -> Parsed<StmtId> {
        self.bump();
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(kind, self.since(start)))
    }

    fn goto(&mut self, start: Span) -> Parsed<StmtId> {
        self.bump();
        let kind = if self.eat(Op::Star) {
            self.expr()?;
            StmtKind::ComputedGoto
        } else {
            StmtKind::Goto(self.name()?)
        };
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(kind, self.since(start)))
    }

    fn return_statement(&mut self, start: Span) -> Parsed<StmtId> {
        self.bump();
        let value = if self.is(Op::Semi) { None } else { Some(self.expr()?) };
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(StmtKind::Return(value), self.since(start)))
    }

    /// `asm volatile ("text" : outputs : inputs : clobbers);`
    fn assembler(&mut self, start: Span) -> Parsed<StmtId> {
        self.bump();
        while matches!(self.peek(), T::Key(K::Volatile | K::Inline | K::Goto | K::Const)) {
            self.bump();
        }
        self.expect(Op::LParen)?;
        let first = self.cursor.at;
        self.skip_balanced(Op::RParen)?;
        let inside = &self.cursor.tokens[first..self.cursor.at - 1];
        // The text and the clobbers are strings; operands are expressions in parentheses. An instruction without
        // operands can still do anything, but those that programs use are barriers and hints.
        let operands = inside.iter().any(|t| t.kind == T::Op(Op::LParen));
        self.expect(Op::Semi)?;
        Ok(self.add_stmt(StmtKind::Asm(operands), self.since(start)))
    }
}
