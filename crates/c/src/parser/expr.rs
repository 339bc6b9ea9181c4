//! Expressions with operators.

use super::Parser;
use crate::ast::{Binary, ExprId, ExprKind, Unary};
use crate::hir::BinaryOp as B;
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    /// An expression, possibly with commas.
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment()?;
        while self.eat(Op::Comma) {
            let right = self.assignment()?;
            left = self.binary_node(Binary::Comma, left, right)?;
        }
        Ok(left)
    }

    /// An expression that is evaluated by the compiler.
    pub(super) fn constant(&mut self) -> Parsed<ExprId> {
        self.conditional()
    }

    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        let left = self.conditional()?;
        let T::Op(op) = self.peek() else { return Ok(left) };
        let op = match op {
            Op::Assign => None,
            Op::MulAssign => Some(B::Mul),
            Op::DivAssign => Some(B::Div),
            Op::RemAssign => Some(B::Rem),
            Op::AddAssign => Some(B::Add),
            Op::SubAssign => Some(B::Sub),
            Op::ShlAssign => Some(B::Shl),
            Op::ShrAssign => Some(B::Shr),
            Op::AndAssign => Some(B::BitAnd),
            Op::XorAssign => Some(B::BitXor),
            Op::OrAssign => Some(B::BitOr),
            _ => return Ok(left),
        };
        self.bump();
        let right = self.deeper(Self::assignment)?;
        let span = Self::join(self.expr_span(left), self.expr_span(right));
        self.add(ExprKind::Assign(op, left, right), span)
    }

    fn conditional(&mut self) -> Parsed<ExprId> {
        let condition = self.binary(1)?;
        if !self.eat(Op::Question) {
            return Ok(condition);
        }
        let then = if self.is(Op::Colon) { None } else { Some(self.deeper(Self::expr)?) };
        self.expect(Op::Colon)?;
        let otherwise = self.deeper(Self::conditional)?;
        let span = Self::join(self.expr_span(condition), self.expr_span(otherwise));
        self.add(ExprKind::Conditional(condition, then, otherwise), span)
    }

    /// Operators of at least this precedence; chains of one operator take no stack.
    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let mut left = self.cast()?;
        while let T::Op(op) = self.peek() {
            let Some((precedence, kind)) = operator(op) else { break };
            if precedence < least {
                break;
            }
            self.bump();
            let right = self.binary(precedence + 1)?;
            left = self.binary_node(kind, left, right)?;
        }
        Ok(left)
    }

    fn binary_node(&mut self, kind: Binary, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        let span = Self::join(self.expr_span(left), self.expr_span(right));
        self.add(ExprKind::Binary(kind, left, right), span)
    }

    pub(super) fn cast(&mut self) -> Parsed<ExprId> {
        self.deeper(Self::cast_here)
    }

    fn cast_here(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        if !self.opens_type() {
            return self.unary();
        }
        self.bump();
        let ty = Box::new(self.type_name()?);
        self.expect(Op::RParen)?;
        if self.is(Op::LBrace) {
            return self.compound(ty, start);
        }
        let operand = self.cast()?;
        let span = Self::join(start, self.expr_span(operand));
        self.add(ExprKind::Cast(ty, operand), span)
    }

    /// Returns true if a parenthesis with a type name begins here.
    fn opens_type(&self) -> bool {
        if !self.is(Op::LParen) {
            return false;
        }
        match self.peek_at(1) {
            T::Ident(sym) => self.is_type_name(sym),
            T::Key(K::Extension) => false,
            _ => self.type_follows(),
        }
    }

    fn type_follows(&self) -> bool {
        matches!(self.peek_at(1), T::Key(key) if super::specs::is_specifier(key))
    }

    /// A compound literal, after its type.
    fn compound(&mut self, ty: Box<crate::ast::TypeName>, start: dally_text::source::Span) -> Parsed<ExprId> {
        let init = self.initialiser()?;
        let span = self.since(start);
        let literal = self.add(ExprKind::Compound(ty, Box::new(init)), span)?;
        self.postfix(literal)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let op = match self.peek() {
            T::Op(Op::Plus) => Unary::Plus,
            T::Op(Op::Minus) => Unary::Neg,
            T::Op(Op::Tilde) => Unary::BitNot,
            T::Op(Op::Bang) => Unary::Not,
            T::Op(Op::Star) => Unary::Deref,
            T::Op(Op::Amp) => Unary::AddressOf,
            T::Op(Op::Increment) => Unary::Step { op: B::Add, old: false },
            T::Op(Op::Decrement) => Unary::Step { op: B::Sub, old: false },
            T::Key(K::Real | K::Imag) => Unary::Complex,
            T::Key(K::Extension) => {
                self.bump();
                return self.cast();
            }
            T::Key(K::Sizeof | K::Alignof) => return self.sizeof(),
            T::Ident(_) if self.is_soft(self.soft.alignof) && self.peek_at(1) == T::Op(Op::LParen) => {
                return self.sizeof();
            }
            T::Op(Op::AndAnd) => {
                self.bump();
                self.name()?;
                return self.add(ExprKind::LabelAddress, self.since(start));
            }
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        self.bump();
        let operand = self.cast()?;
        let span = Self::join(start, self.expr_span(operand));
        self.add(ExprKind::Unary(op, operand), span)
    }

    /// `sizeof` and `_Alignof`
    fn sizeof(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let size = self.bump().kind == T::Key(K::Sizeof);
        if self.opens_type() {
            let open = self.bump().span;
            let ty = Box::new(self.type_name()?);
            self.expect(Op::RParen)?;
            if self.is(Op::LBrace) {
                let literal = self.compound(ty, open)?;
                let kind = if size { ExprKind::SizeofExpr(literal) } else { ExprKind::AlignofExpr(literal) };
                return self.add(kind, self.since(start));
            }
            let kind = if size { ExprKind::SizeofType(ty) } else { ExprKind::AlignofType(ty) };
            return self.add(kind, self.since(start));
        }
        let operand = self.deeper(Self::unary)?;
        let kind = if size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        self.add(kind, self.since(start))
    }
}

/// The precedence of an operator with two operands.
fn operator(op: Op) -> Option<(u8, Binary)> {
    Some(match op {
        Op::OrOr => (1, Binary::Or),
        Op::AndAnd => (2, Binary::And),
        Op::Pipe => (3, Binary::Op(B::BitOr)),
        Op::Caret => (4, Binary::Op(B::BitXor)),
        Op::Amp => (5, Binary::Op(B::BitAnd)),
        Op::EqEq => (6, Binary::Op(B::Eq)),
        Op::Ne => (6, Binary::Op(B::Ne)),
        Op::Lt => (7, Binary::Op(B::Lt)),
        Op::Gt => (7, Binary::Op(B::Gt)),
        Op::Le => (7, Binary::Op(B::Le)),
        Op::Ge => (7, Binary::Op(B::Ge)),
        Op::Shl => (8, Binary::Op(B::Shl)),
        Op::Shr => (8, Binary::Op(B::Shr)),
        Op::Plus => (9, Binary::Op(B::Add)),
        Op::Minus => (9, Binary::Op(B::Sub)),
        Op::Star => (10, Binary::Op(B::Mul)),
        Op::Slash => (10, Binary::Op(B::Div)),
        Op::Percent => (10, Binary::Op(B::Rem)),
        _ => return None,
    })
}
