//! Formatted output and input: `printf`, `snprintf`, `scanf` and the like.
//!
//! A literal format is taken apart here. Each conversion becomes a call of a function of the library, which reads or writes
//! through the argument as C's library does, so that a bad pointer is found. `lib/variadic.c` interprets formats that are not literals.

use dally_text::code::Code;
use dally_text::source::Span;

use super::basic::Class;
use super::scope::Entity;
use super::{Checked, Checker};
use crate::ast::ExprId;
use crate::format::{Amount, Conversion, Piece, conversions, pieces};
use crate::hir::{Builtin, Expr, ExprKind, Init, InitPart, Stmt, StmtKind};
use crate::types::TypeId;

/// Where formatted text goes, and the position.
struct Sink {
    buffer: Expr,
    room: Expr,
    /// The variable with the position.
    at: Expr,
}

/// The arguments of a format, and the statements that they make.
pub(super) struct Formatted {
    pub(super) stmts: Vec<Stmt>,
    arguments: std::vec::IntoIter<Expr>,
    pub(super) span: Span,
}

impl Checker<'_> {
    /// A call of a function that takes a format; none if there is none of this name.
    pub(super) fn formatted_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        discards: bool,
        span: Span,
    ) -> Option<Checked<Expr>> {
        Some(match name {
            "printf" | "__dally_print" => self.print(arguments, discards, span),
            "fprintf" => self.print_on(arguments, true, discards, span),
            "dprintf" | "syslog" => self.print_on(arguments, false, discards, span),
            "sprintf" => self.print_to(arguments, false, span),
            "snprintf" => self.print_to(arguments, true, span),
            "scanf" => self.scan(arguments, span),
            "fscanf" => self.scan_on(arguments, span),
            "sscanf" => self.scan_text(arguments, span),
            _ => return None,
        })
    }

    /// `printf`, whose value is not used if `discards`; and the like after their first arguments.
    pub(super) fn print(&mut self, arguments: &[ExprId], discards: bool, span: Span) -> Checked<Expr> {
        let Some((format, arguments)) = arguments.split_first() else { return self.no_format(span) };
        let format = self.value(*format)?;
        let values = self.extra_arguments(arguments)?;
        let Some(text) = self.literal_text(&format) else {
            let arguments = [format].into_iter().chain(values).collect();
            return self.library_value("__dally_print_format", arguments, span);
        };
        let pieces = pieces(&text, false);
        if discards && !self.needs_reads(&pieces, &values) {
            return Some(self.print_builtin(format, values, span));
        }
        let mut formatted = self.temporaries(values, span)?;
        let all = formatted.arguments.as_slice().to_vec();
        if discards && !conversions(&pieces).any(|c| c.letter == 'n') {
            self.read_strings(&pieces, &mut formatted)?;
            let shown = self.print_builtin(format, all, span);
            return Some(block(formatted.stmts, shown, span));
        }
        let null = self.int_expr(0, self.basic.char_ptr, span);
        let room = self.int_expr(0, self.basic.ulong, span);
        let at = self.put_pieces(&pieces, null, room, &mut formatted)?;
        let shown = self.print_builtin(format, all, span);
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(shown), span });
        let length = self.decay(at)?;
        let length = self.convert(length, self.basic.int);
        Some(block(formatted.stmts, length, span))
    }

    /// `fprintf`, `dprintf` and `syslog`: the first argument is a stream, or a number.
    pub(super) fn print_on(
        &mut self,
        arguments: &[ExprId],
        is_stream: bool,
        discards: bool,
        span: Span,
    ) -> Checked<Expr> {
        let Some((target, rest)) = arguments.split_first() else { return self.no_format(span) };
        let target = self.value(*target)?;
        let target = match is_stream {
            true => self.library_value("__dally_stream", vec![target], span)?,
            false => target,
        };
        let target = self.convert(target, self.basic.void);
        let print = self.print(rest, discards, span)?;
        let ty = print.ty;
        Some(Expr { kind: ExprKind::Comma(Box::new(target), Box::new(print)), ty, span })
    }

    fn extra_arguments(&mut self, arguments: &[ExprId]) -> Checked<Vec<Expr>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.value(*argument)?;
            values.push(self.extra_argument(value)?);
        }
        Some(values)
    }

    /// Returns true unless all strings of a format are literals, and there is one argument for each conversion.
    fn needs_reads(&self, pieces: &[Piece], values: &[Expr]) -> bool {
        let stars = |c: &Conversion| {
            [c.width, c.precision].iter().filter(|a| matches!(a, Some(Amount::Argument))).count()
        };
        let mut next = 0;
        for conversion in conversions(pieces) {
            next += stars(conversion);
            let Some(value) = values.get(next) else { return true };
            let reads = conversion.letter == 's' && self.literal_text(value).is_none();
            if reads || conversion.letter == 'n' {
                return true;
            }
            next += 1;
        }
        false
    }

    /// `snprintf`; `sprintf` without a size.
    pub(super) fn print_to(&mut self, arguments: &[ExprId], sized: bool, span: Span) -> Checked<Expr> {
        let first = 1 + usize::from(sized);
        let (Some(buffer), Some(format)) = (arguments.first(), arguments.get(first)) else {
            return self.no_format(span);
        };
        let mut formatted = self.formatted(arguments, first + 1, span)?;
        let (char_ptr, ulong) = (self.basic.char_ptr, self.basic.ulong);
        let buffer = self.value(*buffer)?;
        let buffer = self.assignable(buffer, char_ptr, "this argument")?;
        let buffer = self.temporary(buffer, &mut formatted)?;
        let size = match sized {
            true => self.value(arguments[1])?,
            false => self.int_expr(i128::from(u32::MAX), ulong, span),
        };
        let size = self.assignable(size, ulong, "this argument")?;
        let size = self.temporary(size, &mut formatted)?;
        let format = self.value(*format)?;
        let Some(text) = self.literal_text(&format) else {
            let arguments = [buffer, size, format].into_iter().chain(formatted.arguments).collect();
            let length = self.library_value("__dally_put_format", arguments, span)?;
            return Some(block(formatted.stmts, length, span));
        };
        let room = self.library_value("__dally_room", vec![size.clone()], span)?;
        let room = self.temporary(room, &mut formatted)?;
        let at = self.put_pieces(&pieces(&text, false), buffer.clone(), room, &mut formatted)?;
        let at = self.decay(at)?;
        let length = self.library_value("__dally_end_text", vec![buffer, size, at], span)?;
        Some(block(formatted.stmts, length, span))
    }

    /// The arguments after the format, evaluated in their order.
    pub(super) fn formatted(&mut self, arguments: &[ExprId], first: usize, span: Span) -> Checked<Formatted> {
        let values = self.extra_arguments(arguments.get(first..).unwrap_or_default())?;
        self.temporaries(values, span)
    }

    fn temporaries(&mut self, values: Vec<Expr>, span: Span) -> Checked<Formatted> {
        let mut formatted = Formatted { stmts: Vec::new(), arguments: Vec::new().into_iter(), span };
        let mut arguments = Vec::with_capacity(values.len());
        for value in values {
            // Literals need no variable, and the lowering does not compute with floating-point numbers.
            let is_plain = self.literal_text(&value).is_some()
                || matches!(value.kind, ExprKind::Int(_))
                || matches!(self.class(value.ty), Class::Float(_));
            arguments.push(if is_plain { value } else { self.temporary(value, &mut formatted)? });
        }
        formatted.arguments = arguments.into_iter();
        Some(formatted)
    }

    /// Reads the strings that a format prints.
    fn read_strings(&mut self, pieces: &[Piece], formatted: &mut Formatted) -> Checked<()> {
        for conversion in conversions(pieces) {
            let (_, precision) = self.amounts(conversion, formatted)?;
            let Some(argument) = self.argument(formatted) else { continue };
            if conversion.letter == 's' && self.literal_text(&argument).is_none() {
                self.read_string(conversion, argument, precision, formatted)?;
            }
        }
        Some(())
    }

    fn read_string(
        &mut self,
        conversion: &Conversion,
        argument: Expr,
        limit: Expr,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        if conversion.length.contains('l') {
            self.push_unsupported("strings of wide characters", formatted);
            return Some(());
        }
        let argument = self.convert(argument, self.basic.char_ptr);
        self.library_call("__dally_read_string", vec![argument, limit], formatted)
    }

    /// Writes the pieces; returns the variable with the position behind them.
    fn put_pieces(
        &mut self,
        pieces: &[Piece],
        buffer: Expr,
        room: Expr,
        formatted: &mut Formatted,
    ) -> Checked<Expr> {
        let (ulong, span) = (self.basic.ulong, formatted.span);
        let zero = self.int_expr(0, ulong, span);
        let at = self.variable(zero, formatted)?;
        let sink = Sink { buffer, room, at };
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let text = self.string_expr(text, span);
                    let text = self.decay(text)?;
                    let rest = vec![text, self.int(0, span), self.long(0, span), self.long(-1, span)];
                    self.put("__dally_put_text", rest, &sink, formatted)?;
                }
                Piece::Conversion(conversion) => self.put_conversion(conversion, &sink, formatted)?,
            }
        }
        Some(sink.at)
    }

    fn put_conversion(
        &mut self,
        conversion: &Conversion,
        sink: &Sink,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        let span = formatted.span;
        let (width, precision) = self.amounts(conversion, formatted)?;
        let Some(argument) = self.argument(formatted) else { return Some(()) };
        let flags = self.int(i128::from(conversion.flags), span);
        match conversion.letter {
            's' if conversion.length.is_empty() => {
                let text = self.convert(argument, self.basic.char_ptr);
                self.put("__dally_put_text", vec![text, flags, width, precision], sink, formatted)
            }
            'c' if conversion.length.is_empty() => {
                let c = self.convert(argument, self.basic.int);
                self.put("__dally_put_char", vec![c, flags, width], sink, formatted)
            }
            'd' | 'i' => {
                let value = self.integer_argument(argument, conversion, true);
                self.put("__dally_put_signed", vec![value, flags, width, precision], sink, formatted)
            }
            _ if conversion.is_integer() => {
                let value = self.integer_argument(argument, conversion, false);
                let rest = vec![
                    value,
                    self.int(0, span),
                    self.int(conversion.base(), span),
                    flags,
                    width,
                    precision,
                ];
                self.put("__dally_put_digits", rest, sink, formatted)
            }
            'n' => {
                let at = self.decay(sink.at.clone())?;
                self.write_through(argument, conversion, at, formatted)
            }
            letter => {
                self.push_unsupported(&format!("the conversion %{}{letter}", conversion.length), formatted);
                Some(())
            }
        }
    }

    /// `*argument = value;`, where the type of the target is that of an integer conversion.
    pub(super) fn write_through(
        &mut self,
        argument: Expr,
        conversion: &Conversion,
        value: Expr,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        let span = formatted.span;
        let ty = self.integer_type(conversion, conversion.letter != 'u' && conversion.letter != 'x');
        let pointer = self.pointer(ty);
        let pointer = self.convert(argument, pointer);
        let target = Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span };
        let value = self.convert(value, ty);
        let store = self.assign(target, value, span)?;
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(store), span });
        Some(())
    }

    /// An integer as its conversion takes it, widened.
    fn integer_argument(&mut self, argument: Expr, conversion: &Conversion, signed: bool) -> Expr {
        let ty = self.integer_type(conversion, signed);
        let value = self.convert(argument, ty);
        let wide = self.long_long(signed);
        self.convert(value, wide)
    }

    pub(super) fn integer_type(&mut self, conversion: &Conversion, signed: bool) -> TypeId {
        match conversion.length.as_str() {
            "hh" => self.types.int(8, signed),
            "h" => self.types.int(16, signed),
            "" => self.types.int(32, signed),
            "ll" | "q" | "j" | "L" => self.long_long(signed),
            _ if signed => self.basic.long,
            _ => self.basic.ulong,
        }
    }

    /// The width and the precision of a conversion, 0 and -1 if it has none.
    fn amounts(&mut self, conversion: &Conversion, formatted: &mut Formatted) -> Checked<(Expr, Expr)> {
        let mut amount = |amount: Option<Amount>, otherwise: i128| match amount {
            None => Some(self.long(otherwise, formatted.span)),
            Some(Amount::Fixed(n)) => Some(self.long(i128::from(n), formatted.span)),
            Some(Amount::Argument) => {
                let argument = self.argument(formatted)?;
                let number = self.convert(argument, self.basic.int);
                Some(self.convert(number, self.basic.long))
            }
        };
        let width = amount(conversion.width, 0)?;
        let precision = amount(conversion.precision, -1)?;
        Some((width, precision))
    }

    /// The next argument. A format that has none left is a bug where it is executed.
    pub(super) fn argument(&mut self, formatted: &mut Formatted) -> Option<Expr> {
        let next = formatted.arguments.next();
        if next.is_none() {
            let fail = self.fail("an argument of the format is missing", formatted.span);
            formatted.stmts.push(Stmt { kind: StmtKind::Expr(fail), span: formatted.span });
        }
        next
    }

    /// `at = name(buffer, room, at, …);`
    fn put(&mut self, name: &str, rest: Vec<Expr>, sink: &Sink, formatted: &mut Formatted) -> Checked<()> {
        let at = self.decay(sink.at.clone())?;
        let arguments = [sink.buffer.clone(), sink.room.clone(), at].into_iter().chain(rest).collect();
        let value = self.library_value(name, arguments, formatted.span)?;
        let store = self.assign(sink.at.clone(), value, formatted.span)?;
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(store), span: formatted.span });
        Some(())
    }

    // Parts of trees.

    fn print_builtin(&self, format: Expr, arguments: Vec<Expr>, span: Span) -> Expr {
        let operands = [format].into_iter().chain(arguments).collect();
        Expr { kind: ExprKind::Builtin(Builtin::Print, operands), ty: self.basic.int, span }
    }

    /// Reports a call without a format.
    pub(super) fn no_format<A>(&mut self, span: Span) -> Checked<A> {
        self.error(Code::WRONG_COUNT, span, "this call has no format");
        None
    }

    /// A new variable with an initial value.
    pub(super) fn variable(&mut self, value: Expr, formatted: &mut Formatted) -> Checked<Expr> {
        let (ty, span) = (self.types.unqualified(value.ty), formatted.span);
        let local = self.add_local("", ty, span)?;
        let part = InitPart { offset: 0, bits: None, ty, value };
        let init = Init { zero_rest: false, parts: vec![part] };
        formatted.stmts.push(Stmt { kind: StmtKind::Declare(local, Some(init)), span });
        Some(Expr { kind: ExprKind::Local(local), ty, span })
    }

    /// The value of an expression that is evaluated here, once.
    pub(super) fn temporary(&mut self, value: Expr, formatted: &mut Formatted) -> Checked<Expr> {
        let variable = self.variable(value, formatted)?;
        self.decay(variable)
    }

    pub(super) fn library_call(
        &mut self,
        name: &str,
        arguments: Vec<Expr>,
        formatted: &mut Formatted,
    ) -> Checked<()> {
        let call = self.library_value(name, arguments, formatted.span)?;
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(call), span: formatted.span });
        Some(())
    }

    /// A call of a function of the library.
    pub(super) fn library_value(&mut self, name: &str, arguments: Vec<Expr>, span: Span) -> Checked<Expr> {
        let entity = self.symbols.get(name).and_then(|sym| self.scopes.library(sym));
        let Some(Entity::Function(id)) = entity else { return None };
        let function = self.function_expr(id, span);
        self.call_value(function, arguments, span)
    }

    pub(super) fn push_unsupported(&mut self, what: &str, formatted: &mut Formatted) {
        let stop = self.unsupported_here(what, formatted.span);
        formatted.stmts.push(Stmt { kind: StmtKind::Expr(stop), span: formatted.span });
    }

    /// `__dally_fail(text)`
    pub(super) fn fail(&mut self, text: &str, span: Span) -> Expr {
        let text = self.string_expr(text, span);
        let text = Expr { kind: ExprKind::Decay(Box::new(text)), ty: self.basic.char_ptr, span };
        Expr { kind: ExprKind::Builtin(Builtin::Fail, vec![text]), ty: self.basic.void, span }
    }

    /// The text of a string literal, up to its end.
    pub(super) fn literal_text(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::Decay(inner) | ExprKind::Cast(inner) => self.literal_text(inner),
            ExprKind::String(id) => {
                let bytes = &self.strings[id.index()];
                let end = bytes.iter().position(|b| *b == 0)?;
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }

    pub(super) fn int(&self, value: i128, span: Span) -> Expr {
        self.int_expr(value, self.basic.int, span)
    }

    pub(super) fn long(&self, value: i128, span: Span) -> Expr {
        self.int_expr(value, self.basic.long, span)
    }
}

/// `({ …; value; })`
pub(super) fn block(mut stmts: Vec<Stmt>, value: Expr, span: Span) -> Expr {
    let ty = value.ty;
    stmts.push(Stmt { kind: StmtKind::Expr(value), span });
    Expr { kind: ExprKind::Block(stmts), ty, span }
}
