//! Declaration specifiers.

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, did_you_mean};
use dally_text::parse::{Parse, Parsed, Reported};
use dally_text::source::Span;

use super::Parser;
use crate::ast::{Attrs, Name, Quals, Specs, Storage, TypeName, TypeSpec, Width};
use crate::codes;
use crate::token::{K, Op, T};

/// The keywords of a basic type that were read so far.
#[derive(Default)]
struct Basic {
    char_: bool,
    short: bool,
    int: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
    float: bool,
    double: bool,
    void: bool,
    bool_: bool,
    /// The name of a type that is not supported.
    unsupported: Option<&'static str>,
    int128: Option<bool>,
    any: bool,
}

struct SpecsReader {
    storage: Storage,
    quals: Quals,
    attrs: Attrs,
    basic: Basic,
    ty: Option<TypeSpec>,
}

impl Parser<'_> {
    /// Returns true if a type name or specifier begins here.
    pub(super) fn starts_type(&self) -> bool {
        match self.peek() {
            T::Key(key) => is_specifier(key) && !matches!(key, K::Attribute),
            T::Ident(sym) => self.is_type_name(sym),
            _ => false,
        }
    }

    /// Returns true if a declaration begins here.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.peek() {
            T::Key(K::StaticAssert | K::Typedef | K::Extern | K::Static | K::Auto | K::Register) => true,
            T::Key(K::Inline | K::Noreturn | K::ThreadLocal) => true,
            T::Ident(_) => {
                self.starts_type()
                    || self.is_soft(self.soft.thread_local)
                    || self.is_soft(self.soft.alignas)
                    || (self.is_soft(self.soft.static_assert) && self.peek_at(1) == T::Op(Op::LParen))
            }
            _ => self.starts_type(),
        }
    }

    /// The specifiers of a declaration.
    pub(super) fn specs(&mut self) -> Parsed<Specs> {
        self.deeper(Self::specs_here)
    }

    fn specs_here(&mut self) -> Parsed<Specs> {
        let start = self.span();
        let mut reader = SpecsReader {
            storage: Storage::default(),
            quals: Quals::default(),
            attrs: std::mem::take(&mut self.pending),
            basic: Basic::default(),
            ty: None,
        };
        while self.spec(&mut reader)? {}
        let span = self.since(start);
        let ty = match reader.ty {
            Some(_) if reader.basic.any => return Err(self.contradictory(span)),
            Some(ty) => ty,
            None => match reader.basic.spec() {
                Some(ty) => ty,
                None => return Err(self.contradictory(span)),
            },
        };
        Ok(Specs { storage: reader.storage, quals: reader.quals, attrs: reader.attrs, ty, span })
    }

    fn contradictory(&mut self, span: Span) -> Reported {
        let message = "these words cannot stand together in a type";
        self.report(Diagnostic::new(codes::BAD_DECLARATION, span, message));
        self.cursor.note_error();
        Reported
    }

    /// Reads one specifier, if there is one.
    fn spec(&mut self, reader: &mut SpecsReader) -> Parsed<bool> {
        let typeless = reader.ty.is_none() && !reader.basic.any;
        match self.peek() {
            T::Ident(_) if self.is_soft(self.soft.thread_local) => reader.storage.thread_local = true,
            T::Ident(_) if self.is_soft(self.soft.alignas) => {
                self.alignas(&mut reader.attrs)?;
                return Ok(true);
            }
            T::Ident(sym) if typeless && self.is_type_name(sym) => {
                reader.ty = Some(TypeSpec::Typedef(Name { sym, span: self.span() }));
            }
            T::Key(key) => return self.keyword_spec(key, reader),
            T::Op(Op::LBracket) if self.peek_at(1) == T::Op(Op::LBracket) => {
                self.attributes(&mut reader.attrs)?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.bump();
        Ok(true)
    }

    fn keyword_spec(&mut self, key: K, reader: &mut SpecsReader) -> Parsed<bool> {
        let (storage, quals) = (&mut reader.storage, &mut reader.quals);
        match key {
            K::Typedef => storage.is_typedef = true,
            K::Extern => storage.is_extern = true,
            K::Static => storage.is_static = true,
            K::Inline => storage.is_inline = true,
            K::ThreadLocal => storage.thread_local = true,
            K::Noreturn => reader.attrs.noreturn = true,
            K::Auto | K::Register | K::Restrict | K::Extension => {}
            K::Const => quals.constant = true,
            K::Volatile => quals.volatile = true,
            K::Atomic if self.peek_at(1) != T::Op(Op::LParen) => quals.atomic = true,
            K::Attribute => {
                self.attributes(&mut reader.attrs)?;
                return Ok(true);
            }
            K::Alignas => {
                self.alignas(&mut reader.attrs)?;
                return Ok(true);
            }
            K::Struct | K::Union | K::Enum | K::Typeof | K::Atomic | K::AutoType | K::VaList => {
                let ty = self.complex_spec(key)?;
                if reader.ty.replace(ty).is_some() {
                    let span = self.span();
                    return Err(self.contradictory(span));
                }
                return Ok(true);
            }
            _ => {
                let unsigned = self.cursor.text(self.cursor.token()).contains('u');
                if !reader.basic.add(key, unsigned) {
                    return Ok(false);
                }
            }
        }
        self.bump();
        Ok(true)
    }

    fn complex_spec(&mut self, key: K) -> Parsed<TypeSpec> {
        match key {
            K::Struct | K::Union => self.record(),
            K::Enum => self.enumeration(),
            K::Typeof => {
                self.bump();
                self.expect(Op::LParen)?;
                let ty = if self.starts_type() {
                    TypeSpec::TypeofType(Box::new(self.type_name()?))
                } else {
                    TypeSpec::TypeofExpr(self.expr()?)
                };
                self.expect(Op::RParen)?;
                Ok(ty)
            }
            K::Atomic => {
                self.bump();
                self.expect(Op::LParen)?;
                let ty = TypeSpec::Atomic(Box::new(self.type_name()?));
                self.expect(Op::RParen)?;
                Ok(ty)
            }
            K::AutoType => {
                self.bump();
                Ok(TypeSpec::Auto)
            }
            _ => {
                self.bump();
                Ok(TypeSpec::VaList)
            }
        }
    }

    /// A type name, as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let start = self.span();
        if !self.starts_type() && !self.is(K::Attribute) {
            return Err(self.unexpected("a type"));
        }
        let specs = self.specs()?;
        let declarator = self.declarator()?;
        Ok(TypeName { specs, declarator, span: self.since(start) })
    }

    /// Reports a name that should be a type.
    pub(super) fn unknown_type(&mut self, name: Name) -> Reported {
        if self.cursor.note_error() {
            let text = self.symbols.text(name.sym);
            let types = self.names.iter().filter(|(_, kinds)| kinds.last() == Some(&true));
            let help = did_you_mean(text, types.map(|(sym, _)| self.symbols.text(*sym)));
            let message = format!("the type `{text}` is not declared");
            self.report(Diagnostic::new(Code::UNKNOWN_TYPE, name.span, message).maybe_help(help));
        }
        Reported
    }
}

/// Keywords that begin a type name, or stand among its specifiers.
pub(super) fn is_specifier(key: K) -> bool {
    matches!(
        key,
        K::Char
            | K::Const
            | K::Double
            | K::Enum
            | K::Float
            | K::Int
            | K::Long
            | K::Restrict
            | K::Short
            | K::Signed
            | K::Struct
            | K::Union
            | K::Unsigned
            | K::Void
            | K::Volatile
            | K::Alignas
            | K::Atomic
            | K::Bool
            | K::Complex
            | K::Attribute
            | K::Typeof
            | K::AutoType
            | K::Int128
            | K::Float128
            | K::Float32
            | K::Float64
            | K::Float64x
            | K::VaList
    )
}

impl Basic {
    /// Adds a keyword; false if it is not one of a basic type.
    fn add(&mut self, key: K, unsigned: bool) -> bool {
        match key {
            K::Char => self.char_ = true,
            K::Short => self.short = true,
            K::Int => self.int = true,
            K::Long => self.long += 1,
            K::Signed => self.signed = true,
            K::Unsigned => self.unsigned = true,
            K::Float | K::Float32 => self.float = true,
            K::Double | K::Float64 => self.double = true,
            K::Void => self.void = true,
            K::Bool => self.bool_ = true,
            K::Complex => self.unsupported = Some("_Complex"),
            K::Float128 | K::Float64x => {
                self.double = true;
                self.long = 1;
            }
            K::Int128 => self.int128 = Some(unsigned),
            _ => return false,
        }
        self.any = true;
        true
    }

    /// The type; none if the words contradict each other.
    fn spec(&self) -> Option<TypeSpec> {
        if !self.any {
            return Some(TypeSpec::Missing);
        }
        if let Some(name) = self.unsupported {
            return Some(TypeSpec::Unsupported(name));
        }
        let signs = self.signed || self.unsigned;
        let others =
            [self.char_, self.short, self.float, self.double, self.void, self.bool_, self.int128.is_some()];
        let count = others.iter().filter(|b| **b).count();
        if count > 1 || (self.signed && self.unsigned) || self.long > 2 {
            return None;
        }
        let signed = !self.unsigned;
        let plain = !signs && !self.int && self.long == 0;
        Some(match self {
            Basic { void: true, .. } if plain => TypeSpec::Void,
            Basic { bool_: true, .. } if plain => TypeSpec::Bool,
            Basic { float: true, .. } if plain => TypeSpec::Float,
            Basic { double: true, .. } if plain => TypeSpec::Double,
            Basic { double: true, long: 1, .. } if !signs && !self.int => TypeSpec::LongDouble,
            Basic { void: true, .. } | Basic { bool_: true, .. } => return None,
            Basic { float: true, .. } | Basic { double: true, .. } => return None,
            Basic { int128: Some(unsigned), .. } => TypeSpec::Int(Width::Int128, signed && !unsigned),
            Basic { char_: true, .. } if !self.int && self.long == 0 => TypeSpec::Int(Width::Char, signed),
            Basic { char_: true, .. } => return None,
            Basic { short: true, .. } if self.long == 0 => TypeSpec::Int(Width::Short, signed),
            Basic { short: true, .. } => return None,
            Basic { long: 2, .. } => TypeSpec::Int(Width::LongLong, signed),
            Basic { long: 1, .. } => TypeSpec::Int(Width::Long, signed),
            _ => TypeSpec::Int(Width::Int, signed),
        })
    }
}
