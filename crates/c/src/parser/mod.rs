//! The parser: recursive descent with recovery, one file per level of the grammar.
//!
//! It always returns a tree, and all errors. It keeps track of the names that are types, which C's grammar needs.
//! Nesting is bounded, and the stack grows on demand.

mod attr;
mod decl;
mod declarator;
mod expr;
mod literal;
mod primary;
mod record;
mod specs;
mod stmt;

use dally_text::code::Code;
use dally_text::diagnostic::{Diagnostic, Diagnostics};
use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};
use rustc_hash::FxHashMap;

use crate::ast::{Ast, Expr, ExprId, ExprKind, Name, Stmt, StmtId, StmtKind};
use crate::codes;
use crate::token::{K, Op, T, Token};

/// The limit on nesting.
const DEEPEST: usize = 1000;
/// The limit on the height of expressions, which chains of operators reach without nesting.
const HIGHEST: u16 = 4000;

/// The error of a parsing function that has already reported a diagnostic.
#[derive(Debug)]
struct Reported;

type Parsed<A> = Result<A, Reported>;

/// What is parsed.
pub(crate) struct Input<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    /// The type names of the library.
    pub(crate) typedefs: &'a [Sym],
    /// True for a unit of the library itself.
    pub(crate) library: bool,
}

/// Parses a unit; also returns the names of types at file scope.
pub(crate) fn parse(input: &Input<'_>, symbols: &Symbols, diagnostics: &mut Diagnostics) -> (Ast, Vec<Sym>) {
    let mut parser = Parser {
        text: input.text,
        tokens: input.tokens,
        at: 0,
        symbols,
        soft: Soft::new(symbols),
        ast: Ast::default(),
        diagnostics,
        depth: 0,
        last_error: None,
        names: FxHashMap::default(),
        scopes: vec![Vec::new()],
    };
    for sym in input.typedefs {
        parser.declare(*sym, true);
    }
    parser.scopes.push(Vec::new());
    parser.unit();
    let mut own = Vec::new();
    if input.library {
        for sym in &parser.scopes[1] {
            if parser.names.get(sym).is_some_and(|kinds| kinds.last() == Some(&true)) {
                own.push(*sym);
            }
        }
    }
    (parser.ast, own)
}

/// Names that are keywords of C23 unless the program declares them.
struct Soft {
    bool_: Option<Sym>,
    thread_local: Option<Sym>,
    static_assert: Option<Sym>,
    alignas: Option<Sym>,
    alignof: Option<Sym>,
}

impl Soft {
    fn new(symbols: &Symbols) -> Self {
        Soft {
            bool_: symbols.get("bool"),
            thread_local: symbols.get("thread_local"),
            static_assert: symbols.get("static_assert"),
            alignas: symbols.get("alignas"),
            alignof: symbols.get("alignof"),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    symbols: &'a Symbols,
    soft: Soft,
    ast: Ast,
    diagnostics: &'a mut Diagnostics,
    depth: usize,
    /// The token of the last error: at most one error is reported per token.
    last_error: Option<usize>,
    /// For each declared name, innermost last: true if it is a type.
    names: FxHashMap<Sym, Vec<bool>>,
    /// The names that each open scope declares.
    scopes: Vec<Vec<Sym>>,
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
        join(start, last)
    }

    fn is(&self, op: Op) -> bool {
        self.peek() == T::Op(op)
    }

    fn is_key(&self, key: K) -> bool {
        self.peek() == T::Key(key)
    }

    fn token_text(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    // Consuming tokens.

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.at];
        if token.kind != T::Eof {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, op: Op) -> bool {
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

    fn expect(&mut self, op: Op) -> Parsed<Span> {
        if self.is(op) { Ok(self.bump().span) } else { Err(self.unexpected(&format!("`{}`", op.text()))) }
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.peek() {
            T::Ident(sym) => Ok(Name { sym, span: self.bump().span }),
            _ => Err(self.unexpected("a name")),
        }
    }

    // Names of types.

    fn declare(&mut self, sym: Sym, is_type: bool) {
        self.names.entry(sym).or_default().push(is_type);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(sym);
        }
    }

    fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn close_scope(&mut self) {
        for sym in self.scopes.pop().unwrap_or_default() {
            if let Some(kinds) = self.names.get_mut(&sym) {
                kinds.pop();
            }
        }
    }

    fn is_declared(&self, sym: Sym) -> bool {
        self.names.get(&sym).is_some_and(|kinds| !kinds.is_empty())
    }

    fn is_type_name(&self, sym: Sym) -> bool {
        match self.names.get(&sym).and_then(|kinds| kinds.last()) {
            Some(is_type) => *is_type,
            None => Some(sym) == self.soft.bool_,
        }
    }

    /// Returns true if the token is this keyword of C23, and the program does not declare the name.
    fn is_soft(&self, soft: Option<Sym>) -> bool {
        matches!(self.peek(), T::Ident(sym) if Some(sym) == soft && !self.is_declared(sym))
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
        let text = self.token_text(token);
        let diagnostic = match token.kind {
            T::Bad => Diagnostic::new(Code::UNEXPECTED_CHARACTER, token.span, "invalid characters"),
            T::UnterminatedString => {
                Diagnostic::new(Code::UNTERMINATED_STRING, token.span, "this string has no closing quote")
            }
            T::UnterminatedComment => {
                Diagnostic::new(Code::UNTERMINATED_COMMENT, token.span, "this comment is not closed")
            }
            T::Directive => {
                let message = format!("this text is not preprocessed: `{}`", text.trim());
                Diagnostic::new(codes::NOT_PREPROCESSED, token.span, message)
            }
            T::Ident(_) | T::Number => {
                let message = format!("expected {wanted}, found `{text}`");
                Diagnostic::new(Code::UNEXPECTED_TOKEN, token.span, message)
            }
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
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = dally_text::stack::grow(|| f(self));
        self.depth -= 1;
        result
    }

    /// Reports nesting beyond the limit. The rest of the unit is skipped, since it would be misread.
    fn too_deep(&mut self) -> Reported {
        if self.last_error != Some(self.at) {
            let span = self.span();
            self.report(Diagnostic::new(Code::TOO_DEEP, span, "nesting exceeds the limit"));
        }
        self.at = self.tokens.len() - 1;
        self.last_error = Some(self.at);
        Reported
    }

    /// Error recovery: skips past the next semicolon, or to the closing brace of the current block.
    fn recover(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                T::Eof => return,
                T::Op(Op::LBrace) => open += 1,
                T::Op(Op::RBrace) if open == 0 => return,
                T::Op(Op::RBrace) => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        return;
                    }
                }
                T::Op(Op::Semi) if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    // Adding to the tree.

    fn add(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let height = self.height(&kind);
        if height > HIGHEST {
            return Err(self.too_deep());
        }
        self.ast.exprs.push(Expr { kind, span, height });
        Ok(ExprId(self.ast.exprs.len() as u32 - 1))
    }

    /// The height of a tree; of those operands by which a chain can grow without nesting.
    fn height(&self, kind: &ExprKind) -> u16 {
        let of = |id: &ExprId| self.ast.expr(*id).height;
        let below = match kind {
            ExprKind::Unary(_, a)
            | ExprKind::Call(a, _)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _)
            | ExprKind::Cast(_, a) => of(a),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Assign(_, a, b) => of(a).max(of(b)),
            ExprKind::Conditional(a, _, b) => of(a).max(of(b)),
            _ => 0,
        };
        below + 1
    }

    fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.ast.stmts.push(Stmt { kind, span });
        StmtId(self.ast.stmts.len() as u32 - 1)
    }

    fn expr_span(&self, id: ExprId) -> Span {
        self.ast.expr(id).span
    }
}

/// The span from one to another; the first alone if they are in different files or in the wrong order.
fn join(start: Span, last: Span) -> Span {
    // A span over two files would show neither: macros make this possible, but only over short distances.
    const FAR: u32 = 1 << 20;
    if last.end >= start.start && last.end - start.start < FAR { start.to(last) } else { start }
}
