//! Attributes and triggers.

use dally_text::diagnostic::Diagnostic;

use super::{Parsed, Parser};
use crate::ast::{Attr, AttrArg, Attrs, Expr, Trigger};
use crate::codes;
use crate::lexer::T;

impl Parser<'_> {
    fn at_attr(&mut self) -> bool {
        self.at(T::LBrace) && self.peek() == T::Colon
    }

    /// `{:name args} {:name args} …`
    pub(super) fn attrs(&mut self) -> Parsed<Attrs> {
        let mut attrs = Vec::new();
        while self.at_attr() {
            attrs.push(self.attr()?);
        }
        Ok(attrs.into_iter().collect())
    }

    fn attr(&mut self) -> Parsed<Attr> {
        let start = self.token.start;
        self.bump();
        self.bump();
        let name = self.ident()?;
        let args = if self.at(T::RBrace) { Vec::new() } else { self.comma_separated(Self::attr_arg)? };
        self.close_attr()?;
        let span = self.span_from(start);
        self.recognise_civl_attr(name.name, span);
        Ok(Attr { name: name.name, args, span })
    }

    fn close_attr(&mut self) -> Parsed<()> {
        // The lexer reads the end of `{:x}|` as the end of a code expression.
        if self.at(T::RCode) {
            self.token.kind = T::Bar;
            self.last_end = self.token.start + 1;
            return Ok(());
        }
        self.expect(T::RBrace)
    }

    fn attr_arg(&mut self) -> Parsed<AttrArg> {
        let at_string = self.at(T::Str);
        let expr = self.expr()?;
        // A bare string is an argument of its own kind; in parentheses it is an expression.
        match self.ast.exprs[expr] {
            Expr::Str(text) if at_string => Ok(AttrArg::Str(text)),
            _ => Ok(AttrArg::Expr(expr)),
        }
    }

    /// Attributes and triggers of a quantifier, in any order.
    pub(super) fn attrs_and_triggers(&mut self) -> Parsed<(Attrs, Vec<Trigger>)> {
        let mut attrs = Vec::new();
        let mut triggers = Vec::new();
        while self.at(T::LBrace) {
            let start = self.token.start;
            if self.at_attr() {
                let attr = self.attr()?;
                match (self.ast.text(attr.name), &attr.args[..]) {
                    ("nopats", [AttrArg::Expr(e)]) => {
                        let exprs = self.ast.exprs.add_list(&[*e]);
                        triggers.push(Trigger { positive: false, exprs, span: attr.span });
                    }
                    ("nopats", _) => self.error(Diagnostic::new(
                        codes::BAD_ATTRIBUTE,
                        attr.span,
                        "`:nopats` takes one expression",
                    )),
                    _ => attrs.push(attr),
                }
                continue;
            }
            self.bump();
            let exprs = self.comma_separated(Self::expr)?;
            self.expect(T::RBrace)?;
            let exprs = self.ast.exprs.add_list(&exprs);
            triggers.push(Trigger { positive: true, exprs, span: self.span_from(start) });
        }
        Ok((attrs.into_iter().collect(), triggers))
    }
}
