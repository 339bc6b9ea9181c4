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
use dally_text::source::{SourceFile, SourceMap, Span};

use crate::ast::{
    Ast, Expr, ExprId, ExprKind, Fun, FunId, Name, Stmt, StmtId, StmtKind, TypeExpr, TypeId, TypeKind,
};
use crate::lexer::{self, K, T, Token};
use verifier::Ignored;

/// The limit on nesting.
const DEEPEST: usize = 1000;

/// The error of a parsing function that has already reported a diagnostic.
#[derive(Debug)]
struct Reported;

type Parsed<A> = Result<A, Reported>;

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
            tokens,
            at: 0,
            ast,
            diagnostics,
            depth: 0,
            verifier_expressions: 0,
            ignored,
            last_error: None,
        };
        parser.program();
        (ast, diagnostics, ignored) = (parser.ast, parser.diagnostics, parser.ignored);
    }
    if let Some(warning) = verifier::warning(&ignored) {
        diagnostics.push(warning);
    }
    (ast, diagnostics)
}

struct Parser<'a> {
    file: &'a SourceFile,
    tokens: Vec<Token>,
    at: usize,
    ast: Ast,
    diagnostics: Diagnostics,
    depth: usize,
    /// The number of expressions of the verifier so far.
    verifier_expressions: usize,
    ignored: Ignored,
    /// The token of the last error: at most one error is reported per token.
    last_error: Option<usize>,
}

impl Parser<'_> {
    // Lookahead.

    fn peek(&self) -> T {
        self.tokens[self.at].kind
    }

    fn peek_at(&self, ahead: usize) -> T {
        self.tokens.get(self.at + ahead).map_or(T::Eof, |t| t.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The span from `start` to the end of the last token.
    fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).map_or(start, |i| self.tokens[i].span);
        if last.end >= start.start { start.to(last) } else { start }
    }

    fn text_of(&self, span: Span) -> &str {
        let local = |offset: u32| (offset - self.file.start) as usize;
        self.file.text.get(local(span.start)..local(span.end)).unwrap_or("")
    }

    fn is(&self, op: &str) -> bool {
        self.peek() == T::Op(op_of(op))
    }

    fn is_key(&self, key: K) -> bool {
        self.peek() == T::Key(key)
    }

    // Consuming tokens.

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != T::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, op: &str) -> bool {
        let found = self.is(op);
        if found {
            self.bump();
        }
        found
    }

    fn eat_key(&mut self, key: K) -> bool {
        let found = self.is_key(key);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, op: &str) -> Parsed<Span> {
        if self.is(op) { Ok(self.bump().span) } else { Err(self.unexpected(&format!("`{op}`"))) }
    }

    fn expect_key(&mut self, key: K) -> Parsed<Span> {
        if self.is_key(key) {
            Ok(self.bump().span)
        } else {
            Err(self.unexpected(&format!("`{}`", key.text())))
        }
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

    // Reporting.

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn unexpected(&mut self, wanted: &str) -> Reported {
        if self.last_error == Some(self.at) {
            return Reported;
        }
        self.last_error = Some(self.at);
        let token = self.tokens[self.at];
        let text = self.text_of(token.span).to_owned();
        let diagnostic = match token.kind {
            T::Bad => Diagnostic::new(Code::UNEXPECTED_CHARACTER, token.span, "invalid characters"),
            T::UnterminatedString => {
                Diagnostic::new(Code::UNTERMINATED_STRING, token.span, "this string has no closing quote")
            }
            T::UnterminatedComment => {
                Diagnostic::new(Code::UNTERMINATED_COMMENT, token.span, "this comment is not closed")
            }
            T::Ident => Diagnostic::new(
                Code::UNEXPECTED_TOKEN,
                token.span,
                format!("expected {wanted}, found `{text}`"),
            )
            .maybe_help(did_you_mean(&text, K::ALL.iter().map(|k| k.text()))),
            kind => {
                let message = format!("expected {wanted}, found {}", kind.describe());
                Diagnostic::new(Code::UNEXPECTED_TOKEN, token.span, message)
            }
        };
        self.report(diagnostic);
        Reported
    }

    /// Runs `f` one nesting level deeper; reports nesting beyond the limit.
    fn deeper<A>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<A>) -> Parsed<A> {
        if self.depth >= DEEPEST {
            let span = self.span();
            if self.last_error != Some(self.at) {
                self.report(Diagnostic::new(Code::TOO_DEEP, span, "nesting exceeds the limit"));
            }
            self.last_error = Some(self.at);
            return Err(Reported);
        }
        self.depth += 1;
        let result = dally_text::stack::grow(|| f(self));
        self.depth -= 1;
        result
    }

    /// Error recovery: skips to one of these tokens outside of nested braces, or to the closing brace of the current
    /// block, or past a semicolon.
    fn recover(&mut self, starts: &[T]) {
        let mut open = 0_usize;
        // The token of the error may itself be one of these.
        let first = self.at;
        loop {
            match self.peek() {
                T::Eof => return,
                T::Op("{") => open += 1,
                T::Op("}") if open == 0 => return,
                T::Op("}") => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        return;
                    }
                }
                T::Op(";") if open == 0 => {
                    self.bump();
                    return;
                }
                kind if open == 0 && self.at > first && starts.contains(&kind) => return,
                _ => {}
            }
            self.bump();
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

/// The operator of this text.
fn op_of(text: &str) -> &'static str {
    lexer::operator(text)
}
