//! Attributes, assembler labels and alignment specifiers.

use super::Parser;
use crate::ast::{Alignment, Attrs, EventAttr, ExprId, Priority};
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    /// `__attribute__((…))` any number of times, assembler labels and `__extension__`.
    pub(super) fn attributes(&mut self, attrs: &mut Attrs) -> Parsed<()> {
        loop {
            match self.peek() {
                T::Key(K::Attribute) => {
                    self.bump();
                    self.attribute_list(attrs)?;
                }
                T::Key(K::Extension) => {
                    self.bump();
                }
                T::Op(Op::LBracket) if self.peek_at(1) == T::Op(Op::LBracket) => {
                    self.standard_attribute(attrs)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Returns true before `__attribute__` and `[[`.
    pub(super) fn starts_attribute(&self) -> bool {
        self.is(K::Attribute) || self.is(Op::LBracket) && self.peek_at(1) == T::Op(Op::LBracket)
    }

    /// `asm("name")` after a declarator.
    pub(super) fn assembler_label(&mut self) -> Parsed<()> {
        if self.eat(K::Asm) {
            self.expect(Op::LParen)?;
            self.skip_balanced(Op::RParen)?;
        }
        Ok(())
    }

    fn attribute_list(&mut self, attrs: &mut Attrs) -> Parsed<()> {
        self.expect(Op::LParen)?;
        self.expect(Op::LParen)?;
        while !self.is(Op::RParen) {
            if self.eat(Op::Comma) {
                continue;
            }
            self.attribute(attrs)?;
        }
        self.expect(Op::RParen)?;
        self.expect(Op::RParen)?;
        Ok(())
    }

    /// `[[noreturn]]` and the like.
    fn standard_attribute(&mut self, attrs: &mut Attrs) -> Parsed<()> {
        self.bump();
        self.bump();
        while !self.is(Op::RBracket) {
            if self.eat(Op::Comma) || self.eat(Op::Colon) {
                continue;
            }
            self.attribute(attrs)?;
        }
        self.expect(Op::RBracket)?;
        self.expect(Op::RBracket)?;
        Ok(())
    }

    fn attribute(&mut self, attrs: &mut Attrs) -> Parsed<()> {
        let token = match self.peek() {
            T::Ident(_) | T::Key(_) => self.bump(),
            _ => return Err(self.unexpected("an attribute")),
        };
        let name = self.cursor.text(token).trim_matches('_').to_owned();
        match name.as_str() {
            "noreturn" | "Noreturn" => attrs.noreturn = true,
            "packed" => attrs.packed = true,
            "vector_size" => attrs.vector = Some(token.span),
            "constructor" => attrs.constructor = Some(self.priority()?),
            "destructor" => attrs.destructor = Some(self.priority()?),
            _ => {}
        }
        if name.starts_with("dally_") {
            let args = self.event_arguments()?;
            attrs.events.push(EventAttr { name, args, span: token.span });
            return Ok(());
        }
        if !self.is(Op::LParen) {
            if name == "aligned" {
                attrs.aligned.push(Alignment::Largest);
            }
            return Ok(());
        }
        self.bump();
        if name == "alias" {
            let token = self.bump();
            attrs.alias = Some(self.cursor.text(token).trim_matches('"').to_owned());
        }
        if name == "aligned" {
            let value = self.constant()?;
            attrs.aligned.push(Alignment::Value(value));
            self.expect(Op::RParen)?;
            return Ok(());
        }
        if name == "cleanup" {
            attrs.cleanup = Some(self.name()?);
        }
        if let ("mode", T::Ident(sym)) = (name.as_str(), self.peek()) {
            attrs.mode = match self.symbols.text(sym).trim_matches('_') {
                "QI" | "byte" => Some(8),
                "HI" => Some(16),
                "SI" => Some(32),
                "DI" => Some(64),
                "word" | "pointer" => Some(0),
                _ => None,
            };
        }
        self.skip_balanced(Op::RParen)
    }

    /// `(0, 1)`, or nothing
    fn event_arguments(&mut self) -> Parsed<Vec<ExprId>> {
        let mut args = Vec::new();
        if !self.eat(Op::LParen) {
            return Ok(args);
        }
        while !self.eat(Op::RParen) {
            args.push(self.constant()?);
            if !self.is(Op::RParen) {
                self.expect(Op::Comma)?;
            }
        }
        Ok(args)
    }

    /// `(101)`, or nothing
    fn priority(&mut self) -> Parsed<Priority> {
        if !self.is(Op::LParen) {
            return Ok(Priority::Lowest);
        }
        self.bump();
        let value = self.constant()?;
        self.expect(Op::RParen)?;
        Ok(Priority::Value(value))
    }

    /// `_Alignas(…)`
    pub(super) fn alignas(&mut self, attrs: &mut Attrs) -> Parsed<()> {
        self.bump();
        self.expect(Op::LParen)?;
        let alignment = if self.starts_type() {
            Alignment::Type(Box::new(self.type_name()?))
        } else {
            Alignment::Value(self.constant()?)
        };
        attrs.aligned.push(alignment);
        self.expect(Op::RParen)?;
        Ok(())
    }

    /// Skips past the closing token that belongs to an opening one before.
    pub(super) fn skip_balanced(&mut self, close: Op) -> Parsed<()> {
        let mut open = 1_usize;
        while open > 0 {
            match self.peek() {
                T::Op(Op::LParen | Op::LBracket | Op::LBrace) => open += 1,
                T::Op(Op::RParen | Op::RBracket | Op::RBrace) => open -= 1,
                T::Eof => return Err(self.unexpected(&format!("`{}`", close.text()))),
                _ => {}
            }
            self.bump();
        }
        Ok(())
    }
}
