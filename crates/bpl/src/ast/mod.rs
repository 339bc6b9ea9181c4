//! The syntax tree.
//!
//! Expressions and type expressions live in arenas and refer to each other by small typed ids: a tree of any
//! depth is built, copied and dropped without recursion, a node is 28 bytes, and facts about nodes are kept
//! in tables indexed by id. Statements and declarations are ordinary trees; the parser bounds how deep they
//! nest.
//!
//! All spellings of asynchrony become the same tree: see [`StmtKind`] for the canonical one of each.

mod copy;
mod decl;
mod expr;
mod stmt;
mod types;

pub use decl::*;
pub use expr::*;
pub use stmt::*;
pub use types::*;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

use crate::lexer::KEYWORDS;

/// A whole program: its declarations and the arenas that they point into.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The names in use.
    pub symbols: Symbols,
    /// All expressions.
    pub exprs: Exprs,
    /// All type expressions.
    pub types: TypeExprs,
    /// The declarations, in the order of the text.
    pub decls: Vec<Decl>,
    /// State constraints that are not part of the text, such as those of the command line.
    pub constraints: Vec<ExprId>,
    /// The names that a translation has made of other names; a program as parsed has none.
    pub derived: FxHashMap<Sym, Derivation>,
    /// The places of statements, by their identities.
    stmts: Vec<Span>,
}

/// How a translation has made a name of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The other name, which may itself be derived.
    pub from: Sym,
    /// The meaning of the name.
    pub role: Role,
}

/// The meaning of a derived name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A variable that holds values of the variable.
    Copy,
    /// A procedure that runs the statements of the procedure.
    Version,
    /// A procedure that runs the statements of the procedure, where the procedure itself checks the contract around it.
    Body,
    /// A procedure that calls the procedure, within the same task.
    Wrapper,
    /// A procedure that posts the procedure.
    Poster,
}

impl Ast {
    /// The identity of a new statement at this place.
    pub fn new_stmt_id(&mut self, span: Span) -> StmtId {
        self.stmts.push(span);
        StmtId::new(self.stmts.len() as u32 - 1)
    }

    /// The places of statements, by their identities.
    pub fn stmt_spans(&self) -> &[Span] {
        &self.stmts
    }
}

/// An empty program. The keywords of Boogie come first among its symbols.
impl Default for Ast {
    fn default() -> Self {
        Ast {
            symbols: Symbols::with_keywords(KEYWORDS.iter().map(|(keyword, _)| *keyword)),
            exprs: Exprs::default(),
            types: TypeExprs::default(),
            decls: Vec::new(),
            constraints: Vec::new(),
            derived: FxHashMap::default(),
            stmts: Vec::new(),
        }
    }
}

/// An occurrence of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ident {
    /// The name.
    pub name: Sym,
    /// Its span.
    pub span: Span,
}

/// A list of attributes in the order of the text, usually empty.
///
/// Entities that are declared together (`var {:a} x, y: int;`) share one list.
#[derive(Clone, Debug, Default)]
pub struct Attrs(Option<Arc<[Attr]>>);

impl Attrs {
    /// No attributes.
    pub const NONE: Attrs = Attrs(None);

    /// The attributes as a slice.
    pub(crate) fn as_slice(&self) -> &[Attr] {
        self.0.as_deref().unwrap_or(&[])
    }

    /// Iterates over the attributes.
    pub fn iter(&self) -> std::slice::Iter<'_, Attr> {
        self.as_slice().iter()
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if both are the same shared, nonempty list.
    pub(crate) fn shared_with(&self, other: &Attrs) -> bool {
        matches!((&self.0, &other.0), (Some(a), Some(b)) if Arc::ptr_eq(a, b))
    }

    /// Returns true if both are empty, or the same shared list.
    pub(crate) fn same(&self, other: &Attrs) -> bool {
        self.is_empty() && other.is_empty() || self.shared_with(other)
    }

    /// The first attribute of this name.
    pub fn find(&self, name: Sym) -> Option<&Attr> {
        self.iter().find(|a| a.name == name)
    }

    /// The attributes without those of this name.
    #[must_use]
    pub fn without(&self, name: Sym) -> Attrs {
        self.iter().filter(|a| a.name != name).cloned().collect()
    }
}

impl FromIterator<Attr> for Attrs {
    fn from_iter<I: IntoIterator<Item = Attr>>(iter: I) -> Self {
        let mut iter = iter.into_iter().peekable();
        Attrs(iter.peek().is_some().then(|| iter.collect()))
    }
}

impl<'a> IntoIterator for &'a Attrs {
    type Item = &'a Attr;
    type IntoIter = std::slice::Iter<'a, Attr>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An attribute, `{:name arg, …}`.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The name, without the colon.
    pub name: Sym,
    /// The arguments.
    pub args: Vec<AttrArg>,
    /// From brace to brace.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, Copy, Debug)]
pub enum AttrArg {
    /// A string, without its quotes, as it was written.
    Str(Sym),
    /// An expression.
    Expr(ExprId),
}

impl Ast {
    /// The text of a name.
    pub fn text(&self, name: Sym) -> &str {
        self.symbols.text(name)
    }

    /// The value of an integer literal, negated or not, if the expression is one and it fits.
    pub fn int_literal(&self, expr: ExprId) -> Option<i64> {
        match self.exprs[expr] {
            Expr::Int(digits) => self.text(digits).parse().ok(),
            Expr::Unary(UnaryOp::Neg, inner) => match self.exprs[inner] {
                Expr::Int(digits) => self.text(digits).parse::<i64>().ok().map(|n| -n),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first attribute of this name, if any.
    pub fn attr<'a>(&self, attrs: &'a Attrs, name: &str) -> Option<&'a Attr> {
        attrs.find(self.symbols.get(name)?)
    }

    /// Returns true if the statement begins an atomic section.
    pub fn begins_section(&self, stmt: &Stmt) -> bool {
        match stmt.kind {
            StmtKind::AtomicBegin => true,
            StmtKind::If(_) => self.attr(&stmt.attrs, "atomic").is_some(),
            _ => false,
        }
    }
}
