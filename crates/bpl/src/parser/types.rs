//! Types.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;

use super::{Parsed, Parser, Reported};
use crate::ast::{Ident, MapType, TypeExpr, TypeId};
use crate::codes;
use crate::lexer::T;

/// A generous limit, since checking duplicates takes quadratic time.
const MAX_TYPE_PARAMS: usize = 1000;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        self.deeper(|p| {
            if p.at_ident() {
                let name = p.ident()?;
                let mut args = Vec::new();
                p.type_args(&mut args)?;
                return Ok(p.named_type(name, &args));
            }
            if p.at(T::LBracket) || p.at(T::Lt) { p.map_type() } else { p.type_atom() }
        })
    }

    /// Arguments of a type constructor: atoms and names without arguments, then perhaps one map type.
    fn type_args(&mut self, args: &mut Vec<TypeId>) -> Parsed<()> {
        loop {
            if self.at_ident() {
                let name = self.ident()?;
                let arg = self.named_type(name, &[]);
                args.push(arg);
            } else if self.at(T::LBracket) || self.at(T::Lt) {
                args.push(self.map_type()?);
                return Ok(());
            } else if matches!(self.kind(), T::IntType | T::RealType | T::BoolType | T::LParen) {
                args.push(self.type_atom()?);
            } else {
                return Ok(());
            }
        }
    }

    fn type_atom(&mut self) -> Parsed<TypeId> {
        let ty = match self.kind() {
            T::IntType => TypeExpr::Int,
            T::RealType => TypeExpr::Real,
            T::BoolType => TypeExpr::Bool,
            T::LParen => {
                self.bump();
                let ty = self.ty()?;
                self.expect(T::RParen)?;
                return Ok(ty);
            }
            _ => return Err(self.expected("a type")),
        };
        let span = self.token_span();
        self.bump();
        Ok(self.ast.types.add(ty, span))
    }

    fn map_type(&mut self) -> Parsed<TypeId> {
        let start = self.token.start;
        let params = self.type_params()?;
        self.expect(T::LBracket)?;
        let args = if self.at(T::RBracket) { Vec::new() } else { self.comma_separated(Self::ty)? };
        self.expect(T::RBracket)?;
        let result = self.ty()?;
        let args = self.ast.types.add_list(&args);
        let span = self.span_from(start);
        Ok(self.ast.types.add(TypeExpr::Map(Box::new(MapType { params, args, result })), span))
    }

    /// `<a, b>`, or nothing.
    pub(super) fn type_params(&mut self) -> Parsed<Vec<Ident>> {
        if !self.eat(T::Lt) {
            return Ok(Vec::new());
        }
        let params = self.idents()?;
        self.limit_type_params(&params)?;
        self.expect(T::Gt)?;
        Ok(params)
    }

    pub(super) fn limit_type_params(&mut self, params: &[Ident]) -> Parsed<()> {
        let Some(first) = params.get(MAX_TYPE_PARAMS) else { return Ok(()) };
        let message = format!("more than {MAX_TYPE_PARAMS} type variables are not supported");
        self.error(Diagnostic::new(codes::BAD_PARAMETER, first.span, message));
        Err(Reported)
    }

    fn named_type(&mut self, name: Ident, args: &[TypeId]) -> TypeId {
        let end = args.last().map_or(name.span, |last| self.ast.types.span(*last));
        let span = name.span.to(end);
        let built_in = self.built_in_type(name);
        if let (Some(_), [_, ..]) = (&built_in, args) {
            let message = format!("`{}` takes no type arguments", self.ast.text(name.name));
            self.error(Diagnostic::new(Code::WRONG_COUNT, span, message));
        }
        let list = self.ast.types.add_list(args);
        self.ast.types.add(built_in.unwrap_or(TypeExpr::Named(name.name, list)), span)
    }

    /// `bvN` and `floatSeE`, which are types in every context.
    fn built_in_type(&mut self, name: Ident) -> Option<TypeExpr> {
        let text = self.ast.text(name.name);
        let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if let Some(width) = text.strip_prefix("bv").filter(|w| is_number(w)) {
            let width = width.parse().ok();
            return Some(TypeExpr::Bv(self.in_range(width, name.span)));
        }
        let (significand, exponent) = text.strip_prefix("float")?.split_once('e')?;
        if !is_number(significand) || !is_number(exponent) {
            return None;
        }
        let (significand, exponent) = (significand.parse().ok(), exponent.parse().ok());
        Some(TypeExpr::Float(self.in_range(significand, name.span), self.in_range(exponent, name.span)))
    }

    /// Checks a number of bits; reports one that is out of range and returns 1 instead.
    pub(super) fn in_range(&mut self, bits: Option<u32>, span: Span) -> u32 {
        // Far beyond any machine word, and small enough that later arithmetic cannot overflow.
        const MOST: u32 = 1 << 20;
        bits.filter(|b| *b <= MOST).unwrap_or_else(|| {
            self.error(Diagnostic::new(
                Code::BAD_NUMBER,
                span,
                format!("more than {MOST} bits are not supported"),
            ));
            1
        })
    }
}
