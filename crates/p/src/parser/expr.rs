//! Expressions, by precedence climbing.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::parse::{Parse, Parsed};
use dally_text::source::Span;

use super::Parser;
use crate::ast::{Binary, ExprId, ExprKind, Name, Unary};
use crate::lexer::{K, T};

/// The precedence of `as` and `to`: between sums and comparisons.
const CAST: u8 = 6;
/// The precedence of `-` and `!`.
const PREFIX: u8 = 9;

/// The binary operator of a token, and its precedence.
fn binary(kind: T) -> Option<(Binary, u8)> {
    Some(match kind {
        T::Op("*") => (Binary::Mul, 8),
        T::Op("/") => (Binary::Div, 8),
        T::Op("%") => (Binary::Mod, 8),
        T::Op("+") => (Binary::Add, 7),
        T::Op("-") => (Binary::Sub, 7),
        T::Op("<") => (Binary::Lt, 5),
        T::Op(">") => (Binary::Gt, 5),
        T::Op(">=") => (Binary::Ge, 5),
        T::Op("<=") => (Binary::Le, 5),
        T::Key(K::In) => (Binary::In, 5),
        T::Op("==") => (Binary::Eq, 4),
        T::Op("!=") => (Binary::Ne, 4),
        T::Op("&&") => (Binary::And, 3),
        T::Op("||") => (Binary::Or, 2),
        T::Op("==>") => (Binary::Implies, 1),
        T::Op("<==>") => (Binary::Iff, 0),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.deeper(|p| p.operators(0))
    }

    /// Parses operators of at least this precedence.
    fn operators(&mut self, least: u8) -> Parsed<ExprId> {
        let start = self.span();
        let mut left = self.prefix()?;
        loop {
            let kind = self.peek();
            if let Some((op, tightness)) = binary(kind).filter(|(_, t)| *t >= least) {
                self.bump();
                let right = self.deeper(|p| p.operators(tightness + 1))?;
                left = self.add_expr(ExprKind::Binary(op, left, right), self.since(start));
            } else if let T::Key(key @ (K::As | K::To)) = kind
                && CAST >= least
            {
                self.bump();
                let ty = self.ty()?;
                let cast = if key == K::As { ExprKind::Cast(left, ty) } else { ExprKind::Coerce(left, ty) };
                left = self.add_expr(cast, self.since(start));
            } else {
                return Ok(left);
            }
        }
    }

    fn prefix(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let op = match self.peek() {
            T::Op("-") => Unary::Neg,
            T::Op("!") => Unary::Not,
            T::Key(K::Inflight | K::Sent) => {
                self.bump();
                self.deeper(|p| p.operators(PREFIX))?;
                return Ok(self.verifier_expr(start));
            }
            T::Key(K::Forall | K::Exists) => return self.quantifier(start),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.deeper(|p| p.operators(PREFIX))?;
        Ok(self.add_expr(ExprKind::Unary(op, operand), self.since(start)))
    }

    /// A placeholder for an expression of the verifier. A step that evaluates it is unsupported.
    fn verifier_expr(&mut self, start: Span) -> ExprId {
        let span = self.since(start);
        self.verifier_expressions += 1;
        self.add_expr(ExprKind::Verifier, span)
    }

    fn quantifier(&mut self, start: Span) -> Parsed<ExprId> {
        self.bump();
        self.eat(K::New);
        self.expect("(")?;
        self.params()?;
        self.expect(")")?;
        self.expect(":")?;
        self.expect(":")?;
        self.deeper(|p| p.operators(0))?;
        Ok(self.verifier_expr(start))
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut expr = self.primary()?;
        loop {
            match self.peek() {
                T::Op(".") if self.peek_at(1) == T::Int => {
                    self.bump();
                    let item = self.number()?;
                    expr = self.add_expr(ExprKind::Item(expr, item as u32), self.since(start));
                }
                T::Op(".") => {
                    self.bump();
                    let field = self.name()?;
                    expr = self.add_expr(ExprKind::Field(expr, field), self.since(start));
                }
                T::Op("[") => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect("]")?;
                    expr = self.add_expr(ExprKind::Index(expr, index), self.since(start));
                }
                T::Key(K::Is) => {
                    self.bump();
                    self.name()?;
                    expr = self.verifier_expr(start);
                }
                T::Key(K::Targets) => {
                    self.bump();
                    self.deeper(|p| p.operators(PREFIX))?;
                    expr = self.verifier_expr(start);
                }
                _ => return Ok(expr),
            }
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let kind = match self.peek() {
            T::Ident => return self.name_or_call(),
            T::Int if self.peek_at(1) == T::Op(".") && self.peek_at(2) == T::Int => return self.fraction(),
            T::Op(".") if self.peek_at(1) == T::Int => return self.fraction(),
            T::Int => {
                let value = self.number()?;
                return Ok(self.add_expr(ExprKind::Int(value), start));
            }
            T::Str => return self.string(start, false),
            T::Op("(") => return self.parenthesis(),
            T::Op("$") => ExprKind::Nondet { fair: false },
            T::Op("$$") => ExprKind::Nondet { fair: true },
            T::Key(key) => return self.keyword_expr(key, start),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        Ok(self.add_expr(kind, start))
    }

    fn keyword_expr(&mut self, key: K, start: Span) -> Parsed<ExprId> {
        let kind = match key {
            K::True => ExprKind::Bool(true),
            K::False => ExprKind::Bool(false),
            K::Null => ExprKind::Null,
            K::Halt => ExprKind::Halt,
            K::This => ExprKind::This,
            K::Keys => return self.function_of(Unary::Keys, start),
            K::Values => return self.function_of(Unary::Values, start),
            K::Sizeof => return self.function_of(Unary::Sizeof, start),
            K::Default => {
                self.bump();
                self.expect("(")?;
                let ty = self.ty()?;
                self.expect(")")?;
                return Ok(self.add_expr(ExprKind::Default(ty), self.since(start)));
            }
            K::Choose => {
                self.bump();
                self.expect("(")?;
                let from = if self.is(")") { None } else { Some(self.expr()?) };
                self.expect(")")?;
                return Ok(self.add_expr(ExprKind::Choose(from), self.since(start)));
            }
            K::New => {
                self.bump();
                let name = self.name()?;
                let args = self.arguments()?;
                return Ok(self.add_expr(ExprKind::New(name, args), self.since(start)));
            }
            K::Format => {
                self.bump();
                self.expect("(")?;
                return self.string(start, true);
            }
            K::Float => return self.power(start),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        Ok(self.add_expr(kind, start))
    }

    fn function_of(&mut self, op: Unary, start: Span) -> Parsed<ExprId> {
        self.bump();
        self.expect("(")?;
        let operand = self.expr()?;
        self.expect(")")?;
        Ok(self.add_expr(ExprKind::Unary(op, operand), self.since(start)))
    }

    fn name_or_call(&mut self) -> Parsed<ExprId> {
        let name = self.any_name();
        // In `assume x > y (2 wise) T`, the parentheses are not arguments.
        let wise = self.peek_at(1) == T::Int && self.peek_at(2) == T::Key(K::Wise);
        if self.is("(") && !wise {
            let args = self.arguments()?;
            return Ok(self.add_expr(ExprKind::Call(name, args), self.since(name.span)));
        }
        Ok(self.add_expr(ExprKind::Name(name.sym), name.span))
    }

    /// Arguments in parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.expect("(")?;
        let args = if self.is(")") { Vec::new() } else { self.list(Self::expr)? };
        self.expect(")")?;
        Ok(args)
    }

    /// A number with a fraction: `1.5` or `.5`.
    fn fraction(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        if self.peek() == T::Int {
            self.bump();
        }
        self.bump();
        self.bump();
        let span = self.since(start);
        let text: String = self.text_of(span).chars().filter(|c| !c.is_whitespace()).collect();
        match text.parse::<f64>() {
            Ok(value) => Ok(self.add_expr(ExprKind::Float(value), span)),
            Err(_) => {
                let message = "no space is allowed inside of a number";
                self.report(Diagnostic::new(Code::BAD_NUMBER, span, message));
                Ok(self.add_expr(ExprKind::Float(0.0), span))
            }
        }
    }

    /// `float(b, e)`: b times 10 to the power of e.
    fn power(&mut self, start: Span) -> Parsed<ExprId> {
        self.bump();
        self.expect("(")?;
        let base = self.number()?;
        self.expect(",")?;
        let exponent = self.number()?;
        self.expect(")")?;
        let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
        let value = base as f64 * 10_f64.powi(exponent);
        Ok(self.add_expr(ExprKind::Float(value), self.since(start)))
    }

    /// A string, or the rest of `format(…)`.
    fn string(&mut self, start: Span, format: bool) -> Parsed<ExprId> {
        if self.peek() != T::Str {
            return Err(self.unexpected("a string"));
        }
        let span = self.bump().span;
        let text = self.text_of(Span::new(span.start + 1, span.end - 1)).to_owned();
        let sym = self.ast.symbols.intern(&text);
        let mut args = Vec::new();
        if format {
            if self.eat(",") {
                args = self.list(Self::expr)?;
            }
            self.expect(")")?;
        }
        Ok(self.add_expr(ExprKind::Str(sym, args), self.since(start)))
    }

    /// A parenthesised expression, or a tuple.
    fn parenthesis(&mut self) -> Parsed<ExprId> {
        let start = self.bump().span;
        if self.peek() == T::Ident && self.peek_at(1) == T::Op("=") {
            return self.named_tuple(start);
        }
        let first = self.expr()?;
        if self.eat(")") {
            return Ok(first);
        }
        let mut fields = vec![first];
        while self.eat(",") {
            if self.is(")") && fields.len() == 1 {
                break;
            }
            fields.push(self.expr()?);
        }
        self.expect(")")?;
        Ok(self.add_expr(ExprKind::Tuple(fields), self.since(start)))
    }

    fn named_tuple(&mut self, start: Span) -> Parsed<ExprId> {
        let mut fields: Vec<(Name, ExprId)> = Vec::new();
        loop {
            let name = self.name()?;
            self.expect("=")?;
            fields.push((name, self.expr()?));
            let one_with_comma = fields.len() == 1 && self.peek_at(1) == T::Op(")");
            if !self.eat(",") || one_with_comma {
                break;
            }
        }
        if fields.len() == 1 && !matches!(self.cursor.last().kind, T::Op(",")) {
            return Err(self.unexpected("`,` (a tuple with one field ends with a comma)"));
        }
        self.expect(")")?;
        Ok(self.add_expr(ExprKind::Named(fields), self.since(start)))
    }
}
