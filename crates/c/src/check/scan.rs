//! Formatted input. `sscanf` reads its string; the input of `scanf` is arbitrary, and may end at any conversion.

use dally_text::source::Span;

use super::print::{Formatted, block};
use super::{Checked, Checker};
use crate::ast::{Binary, ExprId};
use crate::format::{Amount, Conversion, Piece, conversions, pieces};
use crate::hir::{BinaryOp, Builtin, Expr, ExprKind, Stmt, StmtKind};

/// The text that is read, and how far.
struct Source {
    text: Expr,
    /// The variable with the position; negative after a mismatch.
    at: Expr,
    /// The variable with the number of assignments.
    count: Expr,
}

impl Checker<'_> {
    /// `scanf`, after its first arguments.
    pub(super) fn scan(&mut self, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let mut formatted = self.formatted(arguments, 1, span)?;
        let Some(pieces) = self.scan_format(arguments.first(), &mut formatted)? else {
            return Some(block(formatted.stmts, self.int(0, span), span));
        };
        let assigned = |c: &&Conversion| !c.suppressed && c.letter != 'n';
        let most = conversions(&pieces).filter(assigned).count() as i128;
        let choice = vec![self.int(most + 2, span)];
        let choice = Expr { kind: ExprKind::Builtin(Builtin::Choose, choice), ty: self.basic.int, span };
        let end = self.int(1, span);
        let count = self.binary(Binary::Op(BinaryOp::Sub), choice, end, span)?;
        let count = self.temporary(count, &mut formatted)?;
        let mut number = 0;
        for conversion in conversions(&pieces).filter(|c| !c.suppressed) {
            let Some(argument) = self.argument(&mut formatted) else { break };
            let outer = std::mem::take(&mut formatted.stmts);
            self.input(conversion, argument, &mut formatted)?;
            let then = std::mem::replace(&mut formatted.stmts, outer);
            let (done, limit) = (count.clone(), self.int(number, span));
            let condition = self.binary(Binary::Op(BinaryOp::Gt), done, limit, span)?;
            push_if(condition, then, &mut formatted);
            number += i128::from(conversion.letter != 'n');
        }
        Some(block(formatted.stmts, count, span))
    }

    /// `fscanf`
    pub(super) fn scan_on(&mut self, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let Some((stream, rest)) = arguments.split_first() else { return self.no_format(span) };
        let stream = self.value(*stream)?;
        let check = self.library_value("__dally_stream", vec![stream], span)?;
        let scan = self.scan(rest, span)?;
        let ty = scan.ty;
        Some(Expr { kind: ExprKind::Comma(Box::new(check), Box::new(scan)), ty, span })
    }

    /// Writes an arbitrary value through the argument.
    fn input(&mut self, conversion: &Conversion, argument: Expr, formatted: &mut Formatted) -> Checked<()> {
        let span = formatted.span;
        let arbitrary = |ty| Expr { kind: ExprKind::Builtin(Builtin::Nondet, Vec::new()), ty, span };
        match conversion.letter {
            's' if conversion.length.is_empty() => {
                let to = self.convert(argument, self.basic.char_ptr);
                let width = self.scan_width(conversion, 0, span);
                self.library_call("__dally_input_word", vec![to, width], formatted)
            }
            'c' if conversion.length.is_empty()
                && matches!(conversion.width, None | Some(Amount::Fixed(1))) =>
            {
                let byte = Conversion { length: "hh".to_owned(), ..conversion.clone() };
                let value = arbitrary(self.basic.char);
                self.write_through(argument, &byte, value, formatted)
            }
            _ if conversion.is_integer() || conversion.letter == 'n' => {
                let ty = self.integer_type(conversion, !"ouxX".contains(conversion.letter));
                self.write_through(argument, conversion, arbitrary(ty), formatted)
            }
            letter => {
                self.push_unsupported(
                    &format!("input by the conversion %{}{letter}", conversion.length),
                    formatted,
                );
                Some(())
            }
        }
    }

    /// `sscanf`
    pub(super) fn scan_text(&mut self, arguments: &[ExprId], span: Span) -> Checked<Expr> {
        let mut formatted = self.formatted(arguments, 2, span)?;
        let Some(text) = arguments.first() else { return self.no_format(span) };
        let text = self.value(*text)?;
        let text = self.assignable(text, self.basic.char_ptr, "this argument")?;
        let text = self.temporary(text, &mut formatted)?;
        let Some(pieces) = self.scan_format(arguments.get(1), &mut formatted)? else {
            return Some(block(formatted.stmts, self.int(0, span), span));
        };
        let (start, none) = (self.long(0, span), self.int(0, span));
        let (at, count) = (self.variable(start, &mut formatted)?, self.variable(none, &mut formatted)?);
        let source = Source { text, at, count };
        for piece in &pieces {
            match piece {
                Piece::Text(text) => self.match_text(text, &source, &mut formatted)?,
                Piece::Conversion(conversion) => self.scan_conversion(conversion, &source, &mut formatted)?,
            }
        }
        let count = self.decay(source.count)?;
        Some(block(formatted.stmts, count, span))
    }

    fn match_text(&mut self, text: &str, source: &Source, formatted: &mut Formatted) -> Checked<()> {
        for c in text.bytes() {
            match c.is_ascii_whitespace() {
                true => self.advance("__dally_skip_space", Vec::new(), source, formatted)?,
                false => {
                    let c = self.int(i128::from(c), formatted.span);
                    self.note_end(source, formatted)?;
                    self.advance("__dally_match", vec![c], source, formatted)?;
                }
            }
        }
        Some(())
    }

    fn scan_conversion(
        &mut self,
        conversion: &Conversion,
        source: &Source,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        let span = formatted.span;
        let argument = match conversion.suppressed {
            true => None,
            false => match self.argument(formatted) {
                Some(argument) => Some(argument),
                None => return Some(()),
            },
        };
        if conversion.letter == 'n' {
            let Some(argument) = argument else { return Some(()) };
            let at = self.decay(source.at.clone())?;
            return self.when_matched(source, formatted, |checker, inner| {
                checker.write_through(argument, conversion, at, inner)
            });
        }
        if "dioxXus".contains(conversion.letter) {
            self.advance("__dally_skip_space", Vec::new(), source, formatted)?;
        }
        self.note_end(source, formatted)?;
        let wants = match conversion.letter {
            's' | 'c' if conversion.length.is_empty() => {
                let (name, width) = match conversion.letter {
                    's' => ("__dally_scan_word", self.scan_width(conversion, -1, span)),
                    _ => ("__dally_scan_chars", self.scan_width(conversion, 1, span)),
                };
                let null = self.int_expr(0, self.basic.char_ptr, span);
                let to = argument.clone().map_or(null, |a| self.convert(a, self.basic.char_ptr));
                self.advance(name, vec![width, to], source, formatted)?;
                None
            }
            _ if conversion.is_integer() => {
                let long = self.long_long(true);
                let zero = self.int_expr(0, long, span);
                let value = self.variable(zero, formatted)?;
                let address = self.pointer(long);
                let address = Expr { kind: ExprKind::AddressOf(Box::new(value.clone())), ty: address, span };
                let base = if conversion.letter == 'i' { 0 } else { conversion.base() };
                let rest = vec![self.scan_width(conversion, 0, span), self.int(base, span), address];
                self.advance("__dally_scan_number", rest, source, formatted)?;
                Some(self.decay(value)?)
            }
            letter => {
                self.push_unsupported(&format!("the conversion %{}{letter}", conversion.length), formatted);
                return Some(());
            }
        };
        let Some(argument) = argument else { return Some(()) };
        let count = source.count.clone();
        self.when_matched(source, formatted, |checker, inner| {
            if let Some(value) = wants {
                checker.write_through(argument, conversion, value, inner)?;
            }
            let (old, one) = (checker.decay(count.clone())?, checker.int(1, span));
            let next = checker.binary(Binary::Op(BinaryOp::Add), old, one, span)?;
            let store = checker.assign(count, next, span)?;
            inner.stmts.push(Stmt { kind: StmtKind::Expr(store), span });
            Some(())
        })
    }

    /// The result is `EOF` if the text ends before the first conversion.
    fn note_end(&mut self, source: &Source, formatted: &mut Formatted) -> Checked<()> {
        let span = formatted.span;
        let (at, count) = (self.decay(source.at.clone())?, self.decay(source.count.clone())?);
        let value = self.library_value("__dally_scanned", vec![source.text.clone(), at, count], span)?;
        let store = self.assign(source.count.clone(), value, span)?;
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(store), span });
        Some(())
    }

    /// `if (at >= 0) { … }`
    fn when_matched(
        &mut self,
        source: &Source,
        formatted: &mut Formatted,
        then: impl FnOnce(&mut Self, &mut Formatted) -> Checked<()>,
    ) -> Checked<()> {
        let span = formatted.span;
        let outer = std::mem::take(&mut formatted.stmts);
        then(self, formatted)?;
        let stmts = std::mem::replace(&mut formatted.stmts, outer);
        let (at, zero) = (self.decay(source.at.clone())?, self.long(0, span));
        let condition = self.binary(Binary::Op(BinaryOp::Ge), at, zero, span)?;
        push_if(condition, stmts, formatted);
        Some(())
    }

    /// `at = name(text, at, …);`
    fn advance(
        &mut self,
        name: &str,
        rest: Vec<Expr>,
        source: &Source,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        let at = self.decay(source.at.clone())?;
        let arguments = [source.text.clone(), at].into_iter().chain(rest).collect();
        let value = self.library_value(name, arguments, formatted.span)?;
        let store = self.assign(source.at.clone(), value, formatted.span)?;
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(store), span: formatted.span });
        Some(())
    }

    fn scan_width(&self, conversion: &Conversion, otherwise: i128, span: Span) -> Expr {
        match conversion.width {
            Some(Amount::Fixed(width)) => self.long(i128::from(width), span),
            _ => self.long(otherwise, span),
        }
    }

    /// The pieces of a format; none if it is not literal, which is not supported.
    fn scan_format(
        &mut self,
        format: Option<&ExprId>,
        formatted: &mut Formatted,
    ) -> Checked<Option<Vec<Piece>>> {
        let Some(format) = format else { return self.no_format(formatted.span) };
        let format = self.value(*format)?;
        if let Some(text) = self.literal_text(&format) {
            return Some(Some(pieces(&text, true)));
        }
        let format = self.temporary(format, formatted)?;
        let limit = self.long(-1, formatted.span);
        self.library_call("__dally_read_string", vec![format, limit], formatted)?;
        self.push_unsupported("a format that is not a literal", formatted);
        Some(None)
    }
}

fn push_if(condition: Expr, then: Vec<Stmt>, formatted: &mut Formatted) {
    let span = formatted.span;
    let then = Stmt { kind: StmtKind::Block(then), span };
    formatted.stmts.push(Stmt { kind: StmtKind::If(condition, Box::new(then), None), span });
}
