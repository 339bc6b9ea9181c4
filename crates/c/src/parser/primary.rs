//! Names, literals, parenthesised expressions, and what follows them.

use super::Parser;
use crate::ast::{Designator, ExprId, ExprKind, Unary};
use crate::hir::BinaryOp as B;
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.peek() {
            T::Ident(sym) => {
                self.bump();
                self.add(ExprKind::Ident(sym), start)
            }
            T::Number => self.number(),
            T::Char => self.character(),
            T::Str => self.string(),
            T::Key(K::Func) => {
                self.bump();
                self.add(ExprKind::Func, start)
            }
            T::Op(Op::LParen) if self.peek_at(1) == T::Op(Op::LBrace) => self.block_expression(),
            T::Op(Op::LParen) => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Op::RParen)?;
                Ok(inner)
            }
            T::Key(K::Generic) => self.generic(),
            T::Key(key @ (K::Offsetof | K::TypesCompatible | K::VaArg | K::Nondet)) => self.with_type(key),
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `({ … })`
    fn block_expression(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.bump();
        self.open_scope();
        let body = self.body();
        self.close_scope();
        let stmts = body?;
        self.expect(Op::RParen)?;
        self.add(ExprKind::Block(stmts), self.since(start))
    }

    fn generic(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.bump();
        self.expect(Op::LParen)?;
        let selector = self.assignment()?;
        let mut cases = Vec::new();
        while self.eat(Op::Comma) {
            let ty = if self.eat(K::Default) { None } else { Some(self.type_name()?) };
            self.expect(Op::Colon)?;
            cases.push((ty, self.assignment()?));
        }
        self.expect(Op::RParen)?;
        self.add(ExprKind::Generic(selector, cases), self.since(start))
    }

    /// Functions of the compiler that take the name of a type.
    fn with_type(&mut self, key: K) -> Parsed<ExprId> {
        let start = self.span();
        self.bump();
        self.expect(Op::LParen)?;
        let kind = match key {
            K::Offsetof => {
                let ty = Box::new(self.type_name()?);
                self.expect(Op::Comma)?;
                let mut path = vec![Designator::Member(self.name()?)];
                path.extend(self.designator_path()?);
                ExprKind::Offsetof(ty, path)
            }
            K::TypesCompatible => {
                let first = Box::new(self.type_name()?);
                self.expect(Op::Comma)?;
                ExprKind::TypesCompatible(first, Box::new(self.type_name()?))
            }
            K::VaArg => {
                let list = self.assignment()?;
                self.expect(Op::Comma)?;
                ExprKind::VaArg(list, Box::new(self.type_name()?))
            }
            _ => ExprKind::Nondet(Box::new(self.type_name()?)),
        };
        self.expect(Op::RParen)?;
        self.add(kind, self.since(start))
    }

    /// Subscripts, calls, members and steps after an expression; chains of them take no stack.
    pub(super) fn postfix(&mut self, mut base: ExprId) -> Parsed<ExprId> {
        loop {
            let start = self.expr_span(base);
            let kind = match self.peek() {
                T::Op(Op::LBracket) => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Op::RBracket)?;
                    ExprKind::Index(base, index)
                }
                T::Op(Op::LParen) => {
                    self.bump();
                    let arguments = self.arguments()?;
                    ExprKind::Call(base, arguments)
                }
                T::Op(Op::Dot) => {
                    self.bump();
                    ExprKind::Member(base, self.name()?)
                }
                T::Op(Op::Arrow) => {
                    self.bump();
                    ExprKind::Arrow(base, self.name()?)
                }
                T::Op(Op::Increment) => {
                    self.bump();
                    ExprKind::Unary(Unary::Step { op: B::Add, old: true }, base)
                }
                T::Op(Op::Decrement) => {
                    self.bump();
                    ExprKind::Unary(Unary::Step { op: B::Sub, old: true }, base)
                }
                _ => return Ok(base),
            };
            let last = self.cursor.last().span;
            base = self.add(kind, Self::join(start, last))?;
        }
    }

    /// The arguments of a call, after the opening parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        let mut arguments = Vec::new();
        if !self.is(Op::RParen) {
            arguments.push(self.assignment()?);
            while self.eat(Op::Comma) {
                arguments.push(self.assignment()?);
            }
        }
        self.expect(Op::RParen)?;
        Ok(arguments)
    }
}
