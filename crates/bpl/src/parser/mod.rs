//! The parser.
//!
//! Recursive descent with one token of lookahead. The parser always returns a tree: after an error it resumes at
//! the next statement or declaration, so that one run reports all errors. Nesting is bounded, and the stack grows
//! on demand within that bound, so that no input overflows it.

mod asynchrony;
mod attr;
pub(crate) mod civl;
mod decl;
mod expr;
mod handles;
mod report;
mod stmt;
mod types;
mod vars;

use dally_text::diagnostic::Diagnostics;
use dally_text::parse::{Parsed, Reported};
use dally_text::source::{SourceFile, SourceMap, Span};
use dally_text::symbol::Sym;

use crate::ast::{Ast, ExprId, Ident};
use crate::lexer::{Lexer, T, Token};

/// Expressions and types nest at most this deep. Chains such as `a + b + …` do not count.
const MAX_DEPTH: u32 = 10_000;
/// Statements nest at most this deep.
const MAX_BLOCK_DEPTH: u32 = 1_000;

/// Parses all files of a program into one tree.
pub fn parse(sources: &SourceMap) -> (Ast, Diagnostics) {
    let mut ast = Ast::default();
    let diagnostics = parse_more(&mut ast, sources);
    (ast, diagnostics)
}

/// Adds the declarations of the files to a tree.
pub fn parse_more(ast: &mut Ast, sources: &SourceMap) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let (mut waits, mut handles) = (false, false);
    for (index, file) in sources.files().iter().enumerate() {
        let mut parser = Parser::new(file, index, ast, &mut diagnostics);
        parser.program();
        waits |= parser.waits;
        handles |= parser.handles;
    }
    if waits {
        asynchrony::lower_waits(ast, &mut diagnostics);
    }
    if handles {
        handles::retype(ast);
    }
    diagnostics
}

/// Adds the expressions in the files from `first` on to the constraints of the tree.
pub(crate) fn parse_constraints(ast: &mut Ast, sources: &SourceMap, first: usize) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for (index, file) in sources.files().iter().enumerate().skip(first) {
        let mut parser = Parser::new(file, index, ast, &mut diagnostics);
        if let Ok(constraint) = parser.whole_expr() {
            ast.constraints.push(constraint);
        }
    }
    diagnostics
}

struct Parser<'a> {
    text: &'a str,
    /// The offset of the file in the space of all files.
    base: u32,
    lexer: Lexer<'a>,
    /// The current token; never `Bad`.
    token: Token,
    /// The lookahead token, if it has been lexed; may be `Bad`.
    ahead: Option<Token>,
    /// The symbol of the current token, if it is a name or keyword.
    word: Option<Sym>,
    /// The end of the previous token.
    last_end: usize,
    ast: &'a mut Ast,
    diagnostics: &'a mut Diagnostics,
    depth: u32,
    block_depth: u32,
    /// The bounds `high:low` that were parsed in place of an expression and not consumed yet.
    bounds: Option<expr::Bounds>,
    /// True inside of a code expression, where `return` takes an expression.
    in_code: bool,
    /// True in the signature of a pure procedure, where linear parameters are allowed and ignored.
    in_pure: bool,
    /// True if the program calls `wait`.
    waits: bool,
    /// True if a post assigns to a task handle.
    handles: bool,
    /// The offset of the last error: at most one error is reported per token.
    last_error: Option<usize>,
}

impl<'a> Parser<'a> {
    fn new(file: &'a SourceFile, index: usize, ast: &'a mut Ast, diagnostics: &'a mut Diagnostics) -> Self {
        let mut parser = Parser {
            text: &file.text,
            base: file.start,
            lexer: Lexer::new(&file.text, index),
            token: Token { kind: T::Eof, start: 0, end: 0 },
            ahead: None,
            word: None,
            last_end: 0,
            ast,
            diagnostics,
            depth: 0,
            block_depth: 0,
            bounds: None,
            in_code: false,
            in_pure: false,
            waits: false,
            handles: false,
            last_error: None,
        };
        parser.bump();
        parser
    }

    // Tokens.

    fn kind(&self) -> T {
        self.token.kind
    }

    fn at(&self, kind: T) -> bool {
        self.token.kind == kind
    }

    fn at_ident(&self) -> bool {
        self.at(T::Ident) || self.kind().is_soft()
    }

    /// The kind of the token after the current one.
    fn peek(&mut self) -> T {
        let token = *self.ahead.get_or_insert_with(|| self.lexer.next_token());
        if token.kind != T::Ident {
            return token.kind;
        }
        let symbol = self.ast.symbols.get(&self.text[token.start..token.end]);
        symbol.and_then(|s| T::keyword(s.index())).unwrap_or(T::Ident)
    }

    /// Advances to the next token; reports and skips bad ones.
    fn bump(&mut self) {
        self.last_end = self.token.end;
        self.word = None;
        let mut bad = false;
        loop {
            if self.diagnostics.is_full() {
                return self.stop();
            }
            self.token = self.ahead.take().unwrap_or_else(|| self.lexer.next_token());
            match self.token.kind {
                T::Bad(kind) => self.report_bad(kind),
                _ => break,
            }
            bad = true;
        }
        // After a bad token, a missing token here would be a follow-up error.
        if bad {
            self.last_error = Some(self.token.start);
        }
        if self.at(T::Ident) {
            self.intern_word();
        }
    }

    fn intern_word(&mut self) {
        let text = &self.text[self.token.start..self.token.end];
        if let Some(escaped) = text.strip_prefix('\\') {
            self.word = Some(self.ast.symbols.intern(escaped));
            return;
        }
        let symbol = self.ast.symbols.intern(text);
        self.word = Some(symbol);
        if let Some(keyword) = T::keyword(symbol.index()) {
            self.token.kind = keyword;
        }
    }

    /// Skips the rest of the file.
    fn stop(&mut self) {
        let end = self.text.len();
        self.lexer = Lexer::new("", 0);
        self.ahead = None;
        self.token = Token { kind: T::Eof, start: end, end };
        self.word = None;
        self.last_error = Some(end);
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: T) -> Parsed<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.expected(kind.describe())) }
    }

    fn ident(&mut self) -> Parsed<Ident> {
        match self.word {
            Some(name) if self.at_ident() => {
                let span = self.token_span();
                self.bump();
                Ok(Ident { name, span })
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// `item, item, …`
    fn comma_separated<R>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<R>) -> Parsed<Vec<R>> {
        let mut items = vec![item(self)?];
        while self.eat(T::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn idents(&mut self) -> Parsed<Vec<Ident>> {
        self.comma_separated(Self::ident)
    }

    /// An expression that is all of the text.
    fn whole_expr(&mut self) -> Parsed<ExprId> {
        let expr = self.expr()?;
        if self.at(T::Eof) { Ok(expr) } else { Err(self.expected("an operator or the end")) }
    }

    // Positions.

    fn span_at(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }

    fn token_span(&self) -> Span {
        self.span_at(self.token.start, self.token.end)
    }

    /// From `start` up to the end of the token before the current one.
    fn span_from(&self, start: usize) -> Span {
        self.span_at(start, self.last_end.max(start))
    }

    fn token_text(&self) -> &'a str {
        &self.text[self.token.start..self.token.end]
    }

    /// Runs `f` one nesting level deeper, with enough stack.
    fn deeper<R>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<R>) -> Parsed<R> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        let result = dally_text::stack::grow(|| f(self));
        self.depth -= 1;
        result
    }
}
