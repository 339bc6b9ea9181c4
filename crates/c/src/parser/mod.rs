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
use dally_text::parse::{Cursor, Kind as _, Malformed, Parse, Parsed};
use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};
use rustc_hash::FxHashMap;

use crate::ast::{Ast, Attrs, Expr, ExprId, ExprKind, Name, Stmt, StmtId, StmtKind};
use crate::codes;
use crate::pragma::Packs;
use crate::token::{T, Token};

/// The limit on the height of expressions, which chains of operators reach without nesting.
const HIGHEST: u16 = 4000;

/// The input of the parser.
pub(crate) struct Input<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) packs: &'a Packs,
    /// The type names of the library.
    pub(crate) typedefs: &'a [Sym],
    /// True for a unit of the library itself.
    pub(crate) library: bool,
}

/// Parses a unit; also returns the names of types at file scope.
pub(crate) fn parse(input: &Input<'_>, symbols: &Symbols, diagnostics: &mut Diagnostics) -> (Ast, Vec<Sym>) {
    let mut parser = Parser {
        cursor: Cursor::new(input.text, input.tokens, diagnostics),
        packs: input.packs,
        symbols,
        soft: Soft::new(symbols),
        ast: Ast::default(),
        pending: Attrs::default(),
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
    cursor: Cursor<'a, T>,
    packs: &'a Packs,
    symbols: &'a Symbols,
    soft: Soft,
    ast: Ast,
    /// The attributes before the declaration that follows.
    pending: Attrs,
    /// For each declared name, innermost last: true if it is a type.
    names: FxHashMap<Sym, Vec<bool>>,
    /// The names that each open scope declares.
    scopes: Vec<Vec<Sym>>,
}

impl<'a> Parse<'a> for Parser<'a> {
    type Kind = T;

    fn explain(&self, expected: &str) -> Diagnostic {
        let token = self.cursor.token();
        let text = self.cursor.text(token);
        let found = match token.kind {
            T::Bad => return Malformed::Characters.diagnostic(token.span),
            T::UnterminatedString => return Malformed::String.diagnostic(token.span),
            T::UnterminatedComment => return Malformed::Comment.diagnostic(token.span),
            T::Directive => {
                let message = format!("this text is not preprocessed: `{}`", text.trim());
                return Diagnostic::new(codes::NOT_PREPROCESSED, token.span, message);
            }
            T::Ident(_) | T::Number => format!("`{text}`"),
            kind => kind.describe(),
        };
        Diagnostic::new(Code::UNEXPECTED_TOKEN, token.span, format!("expected {expected}, found {found}"))
    }

    fn cursor(&self) -> &Cursor<'a, T> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<'a, T> {
        &mut self.cursor
    }

    /// Macros make a span over two files possible, but only over short distances. It would show neither.
    fn join(start: Span, last: Span) -> Span {
        const FAR: u32 = 1 << 20;
        if last.end >= start.start && last.end - start.start < FAR { start.to(last) } else { start }
    }
}

impl Parser<'_> {
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
