//! Structs, unions and enumerations.

use super::Parser;
use crate::ast::{
    Attrs, Declarator, EnumSpec, Member, MemberDeclarator, Name, Quals, RecordSpec, Specs, Storage, TypeSpec,
};
use crate::token::{K, Op, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    pub(super) fn record(&mut self) -> Parsed<TypeSpec> {
        let start = self.span();
        let is_union = self.bump().kind == T::Key(K::Union);
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        let span = self.since(start);
        let pack = self.packs.at(self.cursor.token().start);
        let members = if self.is(Op::LBrace) { Some(self.members()?) } else { None };
        if members.is_some() {
            self.attributes(&mut attrs)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or `{`"));
        }
        Ok(TypeSpec::Record(Box::new(RecordSpec { is_union, tag, members, attrs, pack, span })))
    }

    fn tag(&mut self) -> Option<Name> {
        match self.peek() {
            T::Ident(sym) => Some(Name { sym, span: self.bump().span }),
            _ => None,
        }
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        self.expect(Op::LBrace)?;
        let mut members = Vec::new();
        while !self.is(Op::RBrace) {
            if self.peek() == T::Eof {
                return Err(self.unexpected("`}`"));
            }
            if self.eat(Op::Semi) {
                continue;
            }
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => self.recover(&[]),
            }
        }
        self.bump();
        Ok(members)
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.span();
        if self.is(K::StaticAssert) || self.is_soft(self.soft.static_assert) {
            let assertion = self.static_assert()?;
            let specs = Specs {
                storage: Storage::default(),
                quals: Quals::default(),
                attrs: Attrs::default(),
                ty: TypeSpec::Missing,
                span: start,
            };
            let assertion = Some(assertion.condition);
            return Ok(Member { specs, declarators: Vec::new(), assertion, span: start });
        }
        if let (T::Ident(sym), T::Ident(_) | T::Op(Op::Star)) = (self.peek(), self.peek_at(1))
            && !self.starts_declaration()
        {
            return Err(self.unknown_type(Name { sym, span: start }));
        }
        if !self.starts_declaration() && !self.is(K::Extension) && !self.starts_attribute() {
            return Err(self.unexpected("a member"));
        }
        let specs = self.specs()?;
        let mut declarators = Vec::new();
        while !self.is(Op::Semi) {
            declarators.push(self.member_declarator()?);
            if !self.eat(Op::Comma) {
                break;
            }
        }
        let span = self.since(start);
        // GNU C accepts the last member without a semicolon.
        if !self.is(Op::RBrace) {
            self.expect(Op::Semi)?;
        }
        Ok(Member { specs, declarators, assertion: None, span })
    }

    fn member_declarator(&mut self) -> Parsed<MemberDeclarator> {
        let span = self.span();
        let mut declarator = if self.is(Op::Colon) {
            Declarator { name: None, derived: Vec::new(), attrs: Attrs::default(), span }
        } else {
            self.declarator()?
        };
        let width = if self.eat(Op::Colon) { Some(self.constant()?) } else { None };
        self.attributes(&mut declarator.attrs)?;
        Ok(MemberDeclarator { declarator, width })
    }

    pub(super) fn enumeration(&mut self) -> Parsed<TypeSpec> {
        let start = self.span();
        self.bump();
        let mut attrs = Attrs::default();
        self.attributes(&mut attrs)?;
        let tag = self.tag();
        let span = self.since(start);
        let enumerators = if self.is(Op::LBrace) { Some(self.enumerators()?) } else { None };
        if enumerators.is_some() {
            self.attributes(&mut attrs)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or `{`"));
        }
        Ok(TypeSpec::Enum(Box::new(EnumSpec { tag, enumerators, packed: attrs.packed, span })))
    }

    fn enumerators(&mut self) -> Parsed<Vec<(Name, Option<crate::ast::ExprId>)>> {
        self.expect(Op::LBrace)?;
        let mut all = Vec::new();
        while !self.is(Op::RBrace) {
            let name = self.name()?;
            self.attributes(&mut Attrs::default())?;
            let value = if self.eat(Op::Assign) { Some(self.constant()?) } else { None };
            self.declare(name.sym, false);
            all.push((name, value));
            if !self.eat(Op::Comma) {
                break;
            }
        }
        self.expect(Op::RBrace)?;
        Ok(all)
    }
}
