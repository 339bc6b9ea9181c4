//! Civl, Boogie's layered refinement language: recognised and reported as unsupported.

use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::Parser;
use crate::codes;
use crate::lexer::T;

pub(crate) const HELP: &str = "dally reads plain Boogie with asynchronous calls; Civl's layers and linear types are \
                    proof annotations for another tool";

/// The attributes of linear variables.
///
/// Boogie's library declares pure procedures with linear parameters. A program may include it without using Civl,
/// so only calls of such procedures are reported.
pub(crate) const LINEAR_ATTRS: [&str; 3] = ["linear", "linear_in", "linear_out"];

impl Parser<'_> {
    /// Returns true if a Civl declaration begins at the current token.
    pub(super) fn at_civl_decl(&self) -> bool {
        matches!(self.kind(), T::Action | T::Invariant | T::Yield | T::Left | T::Right | T::Both | T::Atomic)
    }

    /// Reports a Civl declaration and skips to the next declaration.
    pub(super) fn civl_decl(&mut self) {
        let start = self.token.start;
        while !matches!(self.kind(), T::Action | T::Invariant | T::Procedure | T::Eof) {
            self.bump();
        }
        self.bump();
        let span = self.span_from(start);
        let text = self.text[start..self.last_end].split_whitespace().collect::<Vec<_>>().join(" ");
        self.unsupported(span, &format!("`{}` is a Civl declaration", super::report::shorten(&text)));
        let mut depth = 0_u32;
        let mut ended = false;
        while !self.at(T::Eof) {
            if depth == 0 && ended && self.at_decl() {
                return;
            }
            match self.kind() {
                T::LBrace => depth += 1,
                T::RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            ended = matches!(self.kind(), T::Semi | T::RBrace);
            self.bump();
        }
    }

    /// Returns true if a Civl clause of a contract begins at the current token.
    pub(super) fn at_civl_clause(&mut self) -> bool {
        match self.kind() {
            T::Preserves | T::Asserts | T::Refines => true,
            T::Requires | T::Ensures => self.peek() == T::Call,
            _ => false,
        }
    }

    /// Reports a Civl clause and skips to the next one.
    pub(super) fn civl_clause(&mut self) {
        let start = self.token.start;
        let text = self.token_text();
        let message = match self.kind() {
            T::Requires | T::Ensures => format!("`{text} call` is a Civl clause"),
            _ => format!("`{text}` is a Civl clause"),
        };
        // `refines action A { … }` ends with the action's body.
        let braces = self.at(T::Refines);
        self.bump();
        if self.attrs().is_ok() {
            self.civl_rest(start, &message, braces);
        }
    }

    /// Returns true if `par a() | b();` follows, the older syntax of a parallel call.
    pub(super) fn at_civl_stmt(&mut self) -> bool {
        self.token_text() == "par" && (self.peek() == T::Ident || self.peek().is_soft())
    }

    pub(super) fn civl_stmt(&mut self) -> super::Reported {
        let span = self.token_span();
        self.civl_parallel_call(span);
        super::Reported
    }

    /// Reports the Civl construct that begins at `start` and extends to a semicolon or a closing brace.
    pub(super) fn civl_rest(&mut self, start: usize, message: &str, ends_with_brace: bool) {
        let mut depth = 0_u32;
        while !self.at(T::Eof) && !self.at_hard_decl() {
            let kind = self.kind();
            match kind {
                T::LBrace | T::LParen | T::LBracket => depth += 1,
                // The end of the enclosing block.
                T::RBrace if depth == 0 => break,
                T::RBrace | T::RParen | T::RBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if depth == 0 && (kind == T::Semi || kind == T::RBrace && ends_with_brace) {
                break;
            }
        }
        let span = self.span_from(start);
        self.unsupported(span, message);
    }

    /// Reports `call a() | b();`.
    pub(super) fn civl_parallel_call(&mut self, span: Span) {
        self.unsupported(span, "a parallel call is a Civl statement");
    }

    /// Reports attributes that only Civl uses.
    pub(super) fn recognise_civl_attr(&mut self, name: Sym, span: Span) {
        let text = self.ast.text(name);
        let linear = LINEAR_ATTRS.contains(&text) && !self.in_pure;
        if linear || matches!(text, "layer" | "yields" | "yield_invariant") {
            let message = format!("`:{text}` is a Civl attribute");
            self.unsupported(span, &message);
        }
    }

    fn unsupported(&mut self, span: Span, message: &str) {
        self.error(Diagnostic::new(codes::CIVL, span, message).help(HELP));
    }
}
