//! Declarators and parameters.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;

use super::Parser;
use crate::ast::{Attrs, Declarator, Derived, Name, Param, Params, Quals, TypeSpec};
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

/// The most derivations in one declarator.
const LONGEST: usize = 200;

impl Parser<'_> {
    /// A declarator, with or without a name.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        self.deeper(Self::declarator_here)
    }

    fn declarator_here(&mut self) -> Parsed<Declarator> {
        let start = self.span();
        let mut attrs = Attrs::default();
        let mut derived = self.pointers(&mut attrs)?;
        let mut inner = Vec::new();
        let mut name = None;
        let mut span = start;
        match self.peek() {
            T::Ident(sym) => {
                span = self.bump().span;
                name = Some(Name { sym, span });
            }
            T::Op(Op::LParen) if self.groups() => {
                self.bump();
                let nested = self.declarator()?;
                self.expect(Op::RParen)?;
                (inner, name, span) = (nested.derived, nested.name, nested.span);
                attrs.noreturn |= nested.attrs.noreturn;
                attrs.alias = attrs.alias.or(nested.attrs.alias);
                attrs.constructor = attrs.constructor.or(nested.attrs.constructor);
                attrs.cleanup = attrs.cleanup.or(nested.attrs.cleanup);
                attrs.destructor = attrs.destructor.or(nested.attrs.destructor);
                attrs.events.extend(nested.attrs.events);
                attrs.aligned.extend(nested.attrs.aligned);
            }
            _ => {}
        }
        let mut suffixes = self.suffixes()?;
        suffixes.reverse();
        derived.append(&mut suffixes);
        derived.append(&mut inner);
        if derived.len() > LONGEST {
            let message = "this declarator has too many parts";
            self.report(Diagnostic::new(Code::TOO_DEEP, span, message));
            derived.truncate(LONGEST);
        }
        self.assembler_label()?;
        self.attributes(&mut attrs)?;
        Ok(Declarator { name, derived, attrs, span })
    }

    fn pointers(&mut self, attrs: &mut Attrs) -> Parsed<Vec<Derived>> {
        let mut derived = Vec::new();
        loop {
            self.attributes(attrs)?;
            if !self.eat(Op::Star) {
                return Ok(derived);
            }
            let mut quals = Quals::default();
            loop {
                match self.peek() {
                    T::Key(K::Restrict) => {}
                    T::Key(K::Const) => quals.constant = true,
                    T::Key(K::Volatile) => quals.volatile = true,
                    T::Key(K::Atomic) => quals.atomic = true,
                    T::Key(K::Attribute | K::Extension) => {
                        self.attributes(attrs)?;
                        continue;
                    }
                    _ => break,
                }
                self.bump();
            }
            derived.push(Derived::Pointer(quals));
        }
    }

    /// Returns true if the parenthesis here groups a declarator, rather than opening parameters.
    fn groups(&self) -> bool {
        match self.peek_at(1) {
            T::Op(Op::Star | Op::LParen | Op::LBracket) | T::Key(K::Attribute) => true,
            T::Ident(sym) => !self.is_type_name(sym),
            _ => false,
        }
    }

    fn suffixes(&mut self) -> Parsed<Vec<Derived>> {
        let mut suffixes = Vec::new();
        loop {
            match self.peek() {
                T::Op(Op::LBracket) if self.peek_at(1) != T::Op(Op::LBracket) => suffixes.push(self.array()?),
                T::Op(Op::LParen) => {
                    self.bump();
                    suffixes.push(Derived::Function(self.params()?));
                }
                _ => return Ok(suffixes),
            }
        }
    }

    fn array(&mut self) -> Parsed<Derived> {
        let start = self.span();
        self.bump();
        while matches!(self.peek(), T::Key(K::Static | K::Const | K::Restrict | K::Volatile)) {
            self.bump();
        }
        let star = self.is(Op::Star) && self.peek_at(1) == T::Op(Op::RBracket);
        let size = if star || self.is(Op::RBracket) {
            if star {
                self.bump();
            }
            None
        } else {
            Some(self.assignment()?)
        };
        self.expect(Op::RBracket)?;
        Ok(Derived::Array { size, span: self.since(start) })
    }

    /// Parameters, after the opening parenthesis.
    fn params(&mut self) -> Parsed<Params> {
        if self.eat(Op::RParen) {
            return Ok(Params { unspecified: true, ..Params::default() });
        }
        if self.is(K::Void) && self.peek_at(1) == T::Op(Op::RParen) {
            self.bump();
            self.bump();
            return Ok(Params::default());
        }
        if let (T::Ident(sym), T::Op(Op::Comma | Op::RParen)) = (self.peek(), self.peek_at(1))
            && !self.is_type_name(sym)
        {
            return self.kr_names();
        }
        self.open_scope();
        let params = self.param_list();
        self.close_scope();
        params
    }

    /// The names of the parameters of a K&R definition.
    fn kr_names(&mut self) -> Parsed<Params> {
        let mut names = vec![self.name()?];
        while self.eat(Op::Comma) {
            names.push(self.name()?);
        }
        self.expect(Op::RParen)?;
        Ok(Params { unspecified: true, names, ..Params::default() })
    }

    fn param_list(&mut self) -> Parsed<Params> {
        let mut params = Params::default();
        loop {
            if self.eat(Op::Ellipsis) {
                params.variadic = true;
                break;
            }
            params.list.push(self.param()?);
            if !self.eat(Op::Comma) {
                break;
            }
        }
        self.expect(Op::RParen)?;
        Ok(params)
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.span();
        let specs = self.specs()?;
        if let TypeSpec::Missing = specs.ty {
            self.missing_type()?;
        }
        let declarator = self.declarator()?;
        if let Some(name) = declarator.name {
            self.declare(name.sym, false);
        }
        let span = self.since(start);
        Ok(Param {
            specs,
            declarator: Declarator { span: declarator.name.map_or(span, |n| n.span), ..declarator },
        })
    }

    /// Specifiers without a type: an error, unless they say something else.
    pub(super) fn missing_type(&mut self) -> Parsed<()> {
        match self.peek() {
            T::Ident(sym)
                if matches!(self.peek_at(1), T::Ident(_) | T::Op(Op::Star | Op::RParen | Op::Comma)) =>
            {
                let name = Name { sym, span: self.span() };
                Err(self.unknown_type(name))
            }
            T::Ident(_) => Ok(()),
            _ => Err(self.unexpected("a type")),
        }
    }
}
