//! Expressions: precedence climbing, from `<==>` down to atoms.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;

use super::{Parsed, Parser};
use crate::ast::{
    BinaryOp, Binder, BinderKind, Body, Expr, ExprId, Let, LetVar, Precedence, RoundingMode, UnaryOp,
};
use crate::codes;
use crate::lexer::T;

/// The bounds `high:low` of an extraction, parsed where an expression was expected.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// The placeholder expression; `brackets` replaces it.
    expr: ExprId,
    high: u32,
    low: u32,
}

/// The operator of a token, and true if its operands are swapped.
fn binary_op(token: T) -> Option<(BinaryOp, bool)> {
    let op = match token {
        T::Iff => BinaryOp::Iff,
        T::Implies => BinaryOp::Implies,
        T::Explies => return Some((BinaryOp::Implies, true)),
        T::And => BinaryOp::And,
        T::Or => BinaryOp::Or,
        T::Eq => BinaryOp::Eq,
        T::Neq => BinaryOp::Neq,
        T::Lt => BinaryOp::Lt,
        T::Gt => BinaryOp::Gt,
        T::Le => BinaryOp::Le,
        T::Ge => BinaryOp::Ge,
        T::PlusPlus => BinaryOp::Concat,
        T::Plus => BinaryOp::Add,
        T::Minus => BinaryOp::Sub,
        T::Star => BinaryOp::Mul,
        T::Div => BinaryOp::Div,
        T::Mod => BinaryOp::Mod,
        T::Slash => BinaryOp::RealDiv,
        T::StarStar => BinaryOp::Pow,
        _ => return None,
    };
    Some((op, false))
}

/// The next tighter level.
fn tighter(precedence: Precedence) -> Precedence {
    match precedence {
        Precedence::Whole => Precedence::Iff,
        Precedence::Iff => Precedence::Implies,
        Precedence::Implies => Precedence::Logical,
        Precedence::Logical => Precedence::Relational,
        Precedence::Relational => Precedence::Concat,
        Precedence::Concat => Precedence::Additive,
        Precedence::Additive => Precedence::Multiplicative,
        Precedence::Multiplicative => Precedence::Power,
        _ => Precedence::Is,
    }
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        let expr = self.expr_or_bounds()?;
        if let Some(bounds) = self.bounds.take() {
            let span = self.ast.exprs.span(bounds.expr);
            self.error(
                Diagnostic::new(
                    codes::BAD_EXTRACT,
                    span,
                    "bounds `high:low` are allowed only as `e[high:low]`",
                )
                .help("write `e[high:low]`"),
            );
        }
        Ok(expr)
    }

    fn expr_or_bounds(&mut self) -> Parsed<ExprId> {
        let expr = self.deeper(|p| p.binary(Precedence::Iff, false));
        // Drop bounds that were parsed before an error.
        if expr.is_err() {
            self.bounds = None;
        }
        expr
    }

    fn add(&mut self, expr: Expr, start: usize) -> ExprId {
        let span = self.span_from(start);
        self.ast.exprs.add(expr, span)
    }

    /// Parses operators that bind at least as tightly as `min`. `implied` is true on the right of `==>`.
    fn binary(&mut self, min: Precedence, implied: bool) -> Parsed<ExprId> {
        let start = self.token.start;
        let mut left = self.unary()?;
        let mut last: Option<T> = None;
        loop {
            if self.at(T::Is) {
                self.bump();
                let constructor = self.ident()?.name;
                left = self.add(Expr::Is(left, constructor), start);
                continue;
            }
            let token = self.kind();
            let Some((op, swapped)) = binary_op(token) else { return Ok(left) };
            let precedence = op.precedence();
            if precedence < min {
                return Ok(left);
            }
            self.check_mixture(last, token, implied);
            last = Some(token);
            self.bump();
            let right = match precedence {
                Precedence::Implies if !swapped => self.deeper(|p| p.binary(Precedence::Implies, true))?,
                Precedence::Power => self.deeper(|p| p.binary(Precedence::Power, false))?,
                _ => self.binary(tighter(precedence), false)?,
            };
            let operands = if swapped { (right, left) } else { (left, right) };
            left = self.add(Expr::Binary(op, operands.0, operands.1), start);
        }
    }

    /// Reports operators that must not be mixed without parentheses.
    fn check_mixture(&mut self, last: Option<T>, token: T, implied: bool) {
        let relational = |t| binary_op(t).is_some_and(|(op, _)| op.precedence() == Precedence::Relational);
        let message = match (last, token) {
            (Some(T::And), T::Or) | (Some(T::Or), T::And) => "`&&` and `||` mixed without parentheses",
            (Some(T::Explies), T::Implies) => "`==>` and `<==` mixed without parentheses",
            (_, T::Explies) if implied => "`==>` and `<==` mixed without parentheses",
            (Some(before), _) if relational(before) && relational(token) => "comparisons do not chain",
            _ => return,
        };
        let span = self.token_span();
        self.error(
            Diagnostic::new(codes::AMBIGUOUS_OPERATORS, span, message)
                .help("add parentheses to say which is meant"),
        );
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let op = match self.kind() {
            T::Minus => UnaryOp::Neg,
            T::Not => UnaryOp::Not,
            _ => return self.coercion(),
        };
        let start = self.token.start;
        self.bump();
        let operand = self.deeper(Self::unary)?;
        Ok(self.add(Expr::Unary(op, operand), start))
    }

    /// `e: type`, or the bounds `high:low` of an extraction.
    fn coercion(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        let mut expr = self.postfix()?;
        while self.at(T::Colon) {
            self.bump();
            if self.at(T::Int) {
                self.read_bounds(expr);
            } else {
                let ty = self.ty()?;
                expr = self.add(Expr::Coerce(expr, ty), start);
            }
        }
        Ok(expr)
    }

    fn read_bounds(&mut self, high_expr: ExprId) {
        let number = |text: &str| text.parse::<u32>().ok();
        let low = number(self.token_text());
        let span = self.ast.exprs.span(high_expr).to(self.token_span());
        self.bump();
        let Expr::Int(digits) = self.ast.exprs[high_expr] else {
            self.error(Diagnostic::new(
                codes::BAD_EXTRACT,
                span,
                "the bounds of an extraction must be two numbers",
            ));
            return;
        };
        let high = number(self.ast.text(digits));
        let (high, low) = (self.in_range(high, span), self.in_range(low, span));
        self.bounds = Some(Bounds { expr: high_expr, high, low });
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        let mut expr = self.atom()?;
        loop {
            match self.kind() {
                T::LBracket => expr = self.brackets(expr, start)?,
                T::Arrow => expr = self.field(expr, start)?,
                _ => return Ok(expr),
            }
        }
    }

    /// `[i, j]`, `[i := v]` or `[high:low]` after an expression.
    fn brackets(&mut self, base: ExprId, start: usize) -> Parsed<ExprId> {
        self.bump();
        let mut indices = Vec::new();
        let mut bounds = None;
        if !self.at(T::RBracket) && !self.at(T::Assign) {
            loop {
                let index = self.expr_or_bounds()?;
                indices.push(index);
                if let Some(found) = self.bounds.take() {
                    bounds = Some(found);
                }
                if !self.eat(T::Comma) {
                    break;
                }
            }
        }
        let value = if self.eat(T::Assign) { Some(self.expr()?) } else { None };
        self.expect(T::RBracket)?;
        if let Some(bounds) = bounds {
            if indices != [bounds.expr] || value.is_some() {
                let span = self.span_from(start);
                let message = "an extraction takes exactly two bounds";
                self.error(Diagnostic::new(codes::BAD_EXTRACT, span, message));
            }
            return Ok(self.add(Expr::Extract(base, bounds.high, bounds.low), start));
        }
        let indices = self.ast.exprs.add_list(&indices);
        Ok(match value {
            Some(value) => self.add(Expr::Store(base, indices, value), start),
            None => self.add(Expr::Select(base, indices), start),
        })
    }

    /// `->f` or `->(f := e)` after an expression.
    fn field(&mut self, base: ExprId, start: usize) -> Parsed<ExprId> {
        self.bump();
        if !self.eat(T::LParen) {
            let field = self.ident()?.name;
            return Ok(self.add(Expr::Field(base, field), start));
        }
        let field = self.ident()?.name;
        self.expect(T::Assign)?;
        let value = self.expr()?;
        self.expect(T::RParen)?;
        Ok(self.add(Expr::FieldUpdate(base, field, value), start))
    }

    fn atom(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        if let Some(expr) = self.literal() {
            self.bump();
            return Ok(self.add(expr, start));
        }
        match self.kind() {
            T::Old => self.wrapped(Expr::Old),
            T::IntType => self.wrapped(Expr::ToInt),
            T::RealType => self.wrapped(Expr::ToReal),
            T::LParen => self.parenthesised(),
            T::If => self.if_then_else(),
            T::LCode => self.code(),
            _ if self.at_ident() => {
                let name = self.ident()?.name;
                if !self.at(T::LParen) {
                    return Ok(self.add(Expr::Name(name), start));
                }
                let args = self.arguments()?;
                let args = self.ast.exprs.add_list(&args);
                Ok(self.add(Expr::Call(name, args), start))
            }
            _ => Err(self.expected("an expression")),
        }
    }

    /// `(e, e, …)`
    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.argument_list(Self::expr)
    }

    /// `(e, *, …)`, the arguments of a `call`: `*` is an arbitrary value.
    pub(super) fn call_arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.argument_list(|p| {
            let start = p.token.start;
            if p.eat(T::Star) { Ok(p.add(Expr::Wildcard, start)) } else { p.expr() }
        })
    }

    fn argument_list(&mut self, arg: impl FnMut(&mut Self) -> Parsed<ExprId>) -> Parsed<Vec<ExprId>> {
        self.expect(T::LParen)?;
        let args = if self.at(T::RParen) { Vec::new() } else { self.comma_separated(arg)? };
        self.expect(T::RParen)?;
        Ok(args)
    }

    /// The literal at the current token; does not consume it.
    fn literal(&mut self) -> Option<Expr> {
        Some(match self.kind() {
            T::True => Expr::Bool(true),
            T::False => Expr::Bool(false),
            T::Int => Expr::Int(self.digits(self.token_text())),
            T::Real => Expr::Real(self.ast.symbols.intern(self.token_text())),
            T::Float => Expr::Float(self.float()),
            T::BvLit => self.bitvector(),
            T::Str => Expr::Str(self.string()),
            T::Rne => Expr::Rounding(RoundingMode::Rne),
            T::Rna => Expr::Rounding(RoundingMode::Rna),
            T::Rtp => Expr::Rounding(RoundingMode::Rtp),
            T::Rtn => Expr::Rounding(RoundingMode::Rtn),
            T::Rtz => Expr::Rounding(RoundingMode::Rtz),
            _ => return None,
        })
    }

    /// Interns a number without its leading zeros.
    fn digits(&mut self, text: &str) -> Sym {
        let significant = text.trim_start_matches('0');
        self.ast.symbols.intern(if significant.is_empty() { "0" } else { significant })
    }

    fn string(&mut self) -> Sym {
        let text = self.token_text();
        self.ast.symbols.intern(&text[1..text.len() - 1])
    }

    fn bitvector(&mut self) -> Expr {
        let (digits, width) = self.token_text().split_once("bv").unwrap_or_default();
        let span = self.token_span();
        let width = self.in_range(width.parse().ok(), span);
        Expr::Bv(self.digits(digits), width)
    }

    fn float(&mut self) -> Sym {
        let text = self.token_text();
        if let Err(message) = crate::float::check(text) {
            let span = self.token_span();
            self.error(Diagnostic::new(Code::BAD_NUMBER, span, message));
        }
        self.ast.symbols.intern(text)
    }

    /// `keyword(e)`
    fn wrapped(&mut self, make: impl FnOnce(ExprId) -> Expr) -> Parsed<ExprId> {
        let start = self.token.start;
        self.bump();
        self.expect(T::LParen)?;
        let inner = self.expr()?;
        self.expect(T::RParen)?;
        Ok(self.add(make(inner), start))
    }

    fn if_then_else(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        self.bump();
        let condition = self.expr()?;
        self.expect(T::Then)?;
        let then = self.expr()?;
        self.expect(T::Else)?;
        let otherwise = self.expr()?;
        Ok(self.add(Expr::Ite(condition, then, otherwise), start))
    }

    fn parenthesised(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        self.bump();
        let expr = match self.kind() {
            T::Forall => self.binder(BinderKind::Forall, start)?,
            T::Exists => self.binder(BinderKind::Exists, start)?,
            T::Lambda => self.binder(BinderKind::Lambda, start)?,
            T::Var => self.let_expr(start)?,
            _ => self.expr()?,
        };
        self.expect(T::RParen)?;
        let span = self.span_from(start);
        self.ast.exprs.set_span(expr, span);
        Ok(expr)
    }

    fn binder(&mut self, kind: BinderKind, start: usize) -> Parsed<ExprId> {
        self.bump();
        let type_params = self.type_params()?;
        let vars =
            if self.at(T::ColonColon) && !type_params.is_empty() { Vec::new() } else { self.bound_vars()? };
        self.expect(T::ColonColon)?;
        let (attrs, triggers) = self.attrs_and_triggers()?;
        if kind == BinderKind::Lambda && !triggers.is_empty() {
            let span = triggers[0].span;
            self.error(Diagnostic::new(codes::MISPLACED_CLAUSE, span, "a lambda has no triggers"));
        }
        let body = self.expr()?;
        let span = self.span_from(start);
        let binder = Binder { kind, type_params, vars, attrs, triggers, body };
        Ok(self.ast.exprs.add_binder(binder, span))
    }

    /// `var x, y := e, f; body`
    fn let_expr(&mut self, start: usize) -> Parsed<ExprId> {
        self.bump();
        let vars = self.comma_separated(|p| Ok(LetVar { attrs: p.attrs()?, name: p.ident()? }))?;
        self.expect(T::Assign)?;
        let values = self.comma_separated(Self::expr)?;
        self.expect(T::Semi)?;
        let attrs = self.attrs()?;
        let body = self.expr()?;
        let values = self.ast.exprs.add_list(&values);
        let span = self.span_from(start);
        Ok(self.ast.exprs.add_let(Let { vars, values, attrs, body }, span))
    }

    /// `|{ locals; label: … return e; }|`
    fn code(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        self.bump();
        let outer = std::mem::replace(&mut self.in_code, true);
        let body = self.locals().and_then(|locals| Ok(Body { locals, block: self.block_rest(T::RCode)? }));
        self.in_code = outer;
        let body = body?;
        let span = self.span_from(start);
        Ok(self.ast.exprs.add_code(body, span))
    }
}
