//! The parser: recursive descent with recovery, one file per level of the grammar.
//!
//! The parser always returns a tree, and all errors. Nesting is bounded, and the stack grows on demand.

mod decl;
mod expr;
mod module;
mod stmt;
mod verifier;

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, Diagnostics, did_you_mean};
use dally_text::parse::{Cursor, Kind as _, Malformed, Parse, Parsed};
use dally_text::source::{SourceFile, SourceMap, Span};

use crate::ast::{
    Ast, Expr, ExprId, ExprKind, Fun, FunId, Name, Stmt, StmtId, StmtKind, TypeExpr, TypeId, TypeKind,
};
use crate::lexer::{self, K, T};
use verifier::Ignored;

/// Parses all files as one program.
pub(crate) fn parse(sources: &SourceMap) -> (Ast, Diagnostics) {
    let mut ast = Ast::default();
    for event in ["null", "halt"] {
        ast.symbols.intern(event);
    }
    let mut diagnostics = Diagnostics::default();
    let mut ignored = Ignored::default();
    for file in sources.files() {
        let tokens = lexer::tokens(&file.text, file.start);
        let mut parser = Parser {
            file,
            cursor: Cursor::new(&file.text, &tokens, &mut diagnostics),
            ast,
            verifier_expressions: 0,
            ignored,
        };
        parser.program();
        (ast, ignored) = (parser.ast, parser.ignored);
    }
    if let Some(warning) = verifier::warning(&ignored) {
        diagnostics.push(warning);
    }
    (ast, diagnostics)
}

struct Parser<'a> {
    file: &'a SourceFile,
    cursor: Cursor<'a, T>,
    ast: Ast,
    /// The number of expressions of the verifier so far.
    verifier_expressions: usize,
    ignored: Ignored,
}

impl<'a> Parse<'a> for Parser<'a> {
    type Kind = T;

    fn explain(&self, expected: &str) -> Diagnostic {
        let token = self.cursor.token();
        let text = self.cursor.text(token);
        let (found, help) = match token.kind {
            T::Bad => return Malformed::Characters.diagnostic(token.span),
            T::UnterminatedString => return Malformed::String.diagnostic(token.span),
            T::UnterminatedComment => return Malformed::Comment.diagnostic(token.span),
            T::Ident => (format!("`{text}`"), did_you_mean(text, K::ALL.iter().map(|k| k.text()))),
            kind => (kind.describe(), None),
        };
        let message = format!("expected {expected}, found {found}");
        Diagnostic::new(Code::UNEXPECTED_TOKEN, token.span, message).maybe_help(help)
    }

    fn cursor(&self) -> &Cursor<'a, T> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<'a, T> {
        &mut self.cursor
    }
}

impl Parser<'_> {
    fn text_of(&self, span: Span) -> &str {
        let local = |offset: u32| (offset - self.file.start) as usize;
        self.file.text.get(local(span.start)..local(span.end)).unwrap_or("")
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.peek() {
            T::Ident => Ok(self.any_name()),
            _ => Err(self.unexpected("a name")),
        }
    }

    /// The name of an event, including `halt`.
    fn event_name(&mut self) -> Parsed<Name> {
        match self.peek() {
            T::Ident | T::Key(K::Halt) => Ok(self.any_name()),
            _ => Err(self.unexpected("an event name")),
        }
    }

    fn any_name(&mut self) -> Name {
        let span = self.bump().span;
        let text = self.text_of(span).to_owned();
        Name { sym: self.ast.symbols.intern(&text), span }
    }

    /// A nonempty list, separated by commas.
    fn list<A>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<A>) -> Parsed<Vec<A>> {
        let mut all = vec![one(self)?];
        while self.eat(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// An integer literal, of at most 32 bits as in P.
    fn number(&mut self) -> Parsed<i64> {
        if self.peek() != T::Int {
            return Err(self.unexpected("a number"));
        }
        let span = self.bump().span;
        match self.text_of(span).parse::<i32>() {
            Ok(value) => Ok(i64::from(value)),
            Err(_) => {
                let message = "this number is out of range: the largest is 2147483647";
                self.report(Diagnostic::new(Code::BAD_NUMBER, span, message));
                Ok(0)
            }
        }
    }

    // Adding to arenas.

    fn add_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.exprs.push(Expr { kind, span });
        ExprId(self.ast.exprs.len() as u32 - 1)
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.ast.stmts.push(Stmt { kind, span });
        StmtId(self.ast.stmts.len() as u32 - 1)
    }

    fn add_fun(&mut self, fun: Fun) -> FunId {
        self.ast.funs.push(fun);
        FunId(self.ast.funs.len() as u32 - 1)
    }

    // Types.

    fn ty(&mut self) -> Parsed<TypeId> {
        self.deeper(Self::ty_here)
    }

    fn ty_here(&mut self) -> Parsed<TypeId> {
        let start = self.span();
        let kind = match self.peek() {
            T::Key(
                key @ (K::Bool | K::Int | K::Float | K::Str | K::Event | K::Machine | K::Data | K::Any),
            ) => TypeKind::BuiltIn(key),
            T::Ident => {
                let name = self.any_name();
                return Ok(self.add_type(TypeKind::Name(name.sym), start));
            }
            T::Key(key @ (K::Seq | K::Set)) => {
                self.bump();
                self.expect("[")?;
                let element = self.ty()?;
                self.expect("]")?;
                let kind = if key == K::Seq { TypeKind::Seq(element) } else { TypeKind::Set(element) };
                return Ok(self.add_type(kind, start));
            }
            T::Key(K::Map) => {
                self.bump();
                self.expect("[")?;
                let key = self.ty()?;
                self.expect(",")?;
                let value = self.ty()?;
                self.expect("]")?;
                return Ok(self.add_type(TypeKind::Map(key, value), start));
            }
            T::Op("(") => return self.tuple_type(start),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(self.add_type(kind, start))
    }

    fn tuple_type(&mut self, start: Span) -> Parsed<TypeId> {
        self.bump();
        let named = self.peek() == T::Ident && self.peek_at(1) == T::Op(":");
        let kind = if named {
            TypeKind::Named(self.list(|p| {
                let name = p.name()?;
                p.expect(":")?;
                Ok((name, p.ty()?))
            })?)
        } else {
            TypeKind::Tuple(self.list(Self::ty)?)
        };
        self.expect(")")?;
        Ok(self.add_type(kind, start))
    }

    fn add_type(&mut self, kind: TypeKind, start: Span) -> TypeId {
        let span = self.since(start);
        self.ast.types.push(TypeExpr { kind, span });
        TypeId(self.ast.types.len() as u32 - 1)
    }
}
