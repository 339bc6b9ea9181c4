//! Civl, Boogie's layered refinement language: recognised, and answered with `unsupported`.

use super::Parser;
use crate::diagnostic::{Code, Diagnostic};
use crate::lexer::T;
use crate::source::Span;
use crate::symbol::Sym;

const HELP: &str = "dally reads plain Boogie with asynchronous calls; Civl's layers and linear types are \
                    proof annotations for another tool";

impl Parser<'_> {
    /// Whether a declaration of Civl begins here.
    pub(super) fn at_civl_decl(&self) -> bool {
        match self.kind() {
            T::Action | T::Invariant => true,
            T::Yield => true,
            T::Pure | T::Left | T::Right | T::Both | T::Atomic => {
                !(self.at(T::Pure) && self.peek() == T::Procedure)
            }
            _ => false,
        }
    }

    /// Reports a declaration of Civl and moves on to the next declaration.
    pub(super) fn civl_decl(&mut self) {
        let start = self.token.start;
        while !matches!(self.kind(), T::Action | T::Invariant | T::Procedure | T::Eof) {
            self.bump();
        }
        self.bump();
        let span = self.span_from(start);
        let text = self.text[start..self.last_end].split_whitespace().collect::<Vec<_>>().join(" ");
        self.unsupported(span, &format!("`{}` is a declaration of Civl", super::shorten(&text)));
        let mut depth = 0_u32;
        let mut fresh = false;
        while !self.at(T::Eof) && !(depth == 0 && fresh && self.at_decl()) {
            match self.kind() {
                T::LBrace => depth += 1,
                T::RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            fresh = matches!(self.kind(), T::Semi | T::RBrace);
            self.bump();
        }
    }

    /// Reports `call a() | b();`.
    pub(super) fn civl_parallel_call(&mut self, span: Span) {
        self.unsupported(span, "a parallel call is a statement of Civl");
    }

    /// Reports attributes that only Civl gives a meaning.
    pub(super) fn recognise_civl_attr(&mut self, name: Sym, span: Span) {
        let text = self.ast.text(name);
        if matches!(text, "layer" | "linear" | "linear_in" | "linear_out" | "yields" | "yield_invariant") {
            let message = format!("the attribute `:{text}` belongs to Civl");
            self.unsupported(span, &message);
        }
    }

    fn unsupported(&mut self, span: Span, message: &str) {
        self.error(Diagnostic::new(Code::Civl, span, message).help(HELP));
    }
}
