//! Expressions.

use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::ast::{Attrs, Body, Ident, TypeId};

/// An expression in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ExprId(u32);

impl ExprId {
    /// The index of the expression, for tables.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A list of expressions in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExprList {
    start: u32,
    len: u32,
}

impl ExprList {
    /// The number of elements.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Returns true if there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A quantifier or lambda in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BinderId(u32);

/// A `let` in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LetId(u32);

/// A code expression in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeId(u32);

/// An expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// `true`, `false`.
    Bool(bool),
    /// An integer literal, by its digits.
    Int(Sym),
    /// A real literal such as `1.5` or `2e10`, by its text.
    Real(Sym),
    /// A floating-point literal, by its text.
    Float(Sym),
    /// `digits bv width`.
    Bv(Sym, u32),
    /// A rounding mode.
    Rounding(RoundingMode),
    /// A string literal without its quotes; escapes are not decoded.
    Str(Sym),
    /// A variable or constant.
    Name(Sym),
    /// A function or constructor applied to arguments.
    Call(Sym, ExprList),
    /// `op e`.
    Unary(UnaryOp, ExprId),
    /// `e op e`.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if e then e else e`.
    Ite(ExprId, ExprId, ExprId),
    /// `old(e)`.
    Old(ExprId),
    /// `int(e)`: conversion from real.
    ToInt(ExprId),
    /// `real(e)`: conversion from int.
    ToReal(ExprId),
    /// `e[indices]`.
    Select(ExprId, ExprList),
    /// `e[indices := value]`.
    Store(ExprId, ExprList, ExprId),
    /// `e[high:low]`, the bits from `low` up to but not including `high`.
    Extract(ExprId, u32, u32),
    /// `e: type`.
    Coerce(ExprId, TypeId),
    /// `e->field`.
    Field(ExprId, Sym),
    /// `e->(field := value)`.
    FieldUpdate(ExprId, Sym, ExprId),
    /// `e is Constructor`.
    Is(ExprId, Sym),
    /// A quantifier or lambda.
    Binder(BinderId),
    /// `(var x := e; body)`.
    Let(LetId),
    /// `|{ … }|`.
    Code(CodeId),
    /// `*`, an arbitrary value; only as an argument of a `call`.
    Wildcard,
}

/// A unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// A binary operator. `a <== b` is parsed as `b ==> a`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the operators'")]
pub enum BinaryOp {
    Iff,
    Implies,
    And,
    Or,
    Eq,
    Neq,
    Lt,
    Le,
    Gt,
    Ge,
    Concat,
    Add,
    Sub,
    Mul,
    /// `div`, on integers.
    Div,
    Mod,
    /// `/`, on reals.
    RealDiv,
    Pow,
}

/// Precedence levels, from loosest to tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Precedence {
    /// Expressions that need parentheses as operands: `if then else`, coercions.
    Whole,
    Iff,
    Implies,
    Logical,
    Relational,
    Concat,
    Additive,
    Multiplicative,
    Power,
    Is,
    Unary,
    Postfix,
    Atom,
}

impl BinaryOp {
    /// The spelling of the operator.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Iff => "<==>",
            BinaryOp::Implies => "==>",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Eq => "==",
            BinaryOp::Neq => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Concat => "++",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "div",
            BinaryOp::Mod => "mod",
            BinaryOp::RealDiv => "/",
            BinaryOp::Pow => "**",
        }
    }

    /// The precedence of the operator.
    pub(crate) fn precedence(self) -> Precedence {
        match self {
            BinaryOp::Iff => Precedence::Iff,
            BinaryOp::Implies => Precedence::Implies,
            BinaryOp::And | BinaryOp::Or => Precedence::Logical,
            BinaryOp::Eq | BinaryOp::Neq | BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => {
                Precedence::Relational
            }
            BinaryOp::Concat => Precedence::Concat,
            BinaryOp::Add | BinaryOp::Sub => Precedence::Additive,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod | BinaryOp::RealDiv => Precedence::Multiplicative,
            BinaryOp::Pow => Precedence::Power,
        }
    }
}

/// A rounding mode of floating-point arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    Rne,
    /// To nearest, ties away from zero.
    Rna,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
    /// Toward zero.
    Rtz,
}

impl RoundingMode {
    /// The mode with this spelling, in Boogie or in full.
    pub fn named(text: &str) -> Option<RoundingMode> {
        Some(match text {
            "RNE" | "roundNearestTiesToEven" => RoundingMode::Rne,
            "RNA" | "roundNearestTiesToAway" => RoundingMode::Rna,
            "RTP" | "roundTowardPositive" => RoundingMode::Rtp,
            "RTN" | "roundTowardNegative" => RoundingMode::Rtn,
            "RTZ" | "roundTowardZero" => RoundingMode::Rtz,
            _ => return None,
        })
    }

    /// The spelling of the mode.
    pub fn spelling(self) -> &'static str {
        match self {
            RoundingMode::Rne => "RNE",
            RoundingMode::Rna => "RNA",
            RoundingMode::Rtp => "RTP",
            RoundingMode::Rtn => "RTN",
            RoundingMode::Rtz => "RTZ",
        }
    }
}

/// The kinds of binders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinderKind {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `lambda`
    Lambda,
}

impl BinderKind {
    /// The spelling of the binder.
    pub fn spelling(self) -> &'static str {
        match self {
            BinderKind::Forall => "forall",
            BinderKind::Exists => "exists",
            BinderKind::Lambda => "lambda",
        }
    }
}

/// `(forall<params> vars :: {:attrs} {triggers} body)`.
#[derive(Clone, Debug)]
pub struct Binder {
    /// Its kind.
    pub kind: BinderKind,
    /// The type variables that it binds.
    pub type_params: Vec<Ident>,
    /// The variables that it binds.
    pub vars: Vec<BoundVar>,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its triggers.
    pub triggers: Vec<Trigger>,
    /// Its body.
    pub body: ExprId,
}

/// A variable of a binder.
#[derive(Clone, Debug)]
pub struct BoundVar {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeId,
}

/// `{e, …}`, or `{:nopats e}`.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// False for `{:nopats e}`.
    pub positive: bool,
    /// The patterns.
    pub exprs: ExprList,
    /// From brace to brace.
    pub span: Span,
}

/// `(var vars := values; {:attrs} body)`.
#[derive(Clone, Debug)]
pub struct Let {
    /// The variables.
    pub vars: Vec<LetVar>,
    /// Their values. The checker reports a number that differs from that of the variables.
    pub values: ExprList,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its body.
    pub body: ExprId,
}

/// A variable of a `let`. Its type is that of its value.
#[derive(Clone, Debug)]
pub struct LetVar {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its name.
    pub name: Ident,
}

/// The arena of expressions.
///
/// Invariants: an expression comes after its subexpressions, so a pass that needs no context is a loop over the
/// arena; and an expression has at most one parent, so that tables by id can hold facts that depend on the
/// context. Only variables that are declared together share their `where` clause and attributes.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<(Expr, Span)>,
    lists: Vec<ExprId>,
    binders: Vec<Binder>,
    lets: Vec<Let>,
    codes: Vec<Body>,
}

impl Exprs {
    /// Adds an expression.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.nodes.push((expr, span));
        ExprId((self.nodes.len() - 1) as u32)
    }

    /// All expressions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Expr> {
        self.nodes.iter().map(|(expr, _)| expr)
    }

    /// Replaces the operator of a binary expression.
    pub fn set_operator(&mut self, id: ExprId, op: BinaryOp) {
        if let (Expr::Binary(old, ..), _) = &mut self.nodes[id.index()] {
            *old = op;
        }
    }

    /// Replaces the arguments of an application.
    pub fn set_arguments(&mut self, id: ExprId, arguments: ExprList) {
        if let (Expr::Call(_, old), _) = &mut self.nodes[id.index()] {
            *old = arguments;
        }
    }

    /// The ids of all expressions.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.nodes.len() as u32).map(ExprId)
    }

    /// Adds a list of expressions.
    pub fn add_list(&mut self, items: &[ExprId]) -> ExprList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        ExprList { start, len: items.len() as u32 }
    }

    /// Adds a quantifier or lambda.
    pub fn add_binder(&mut self, binder: Binder, span: Span) -> ExprId {
        self.binders.push(binder);
        self.add(Expr::Binder(BinderId((self.binders.len() - 1) as u32)), span)
    }

    /// Adds a `let`.
    pub fn add_let(&mut self, binding: Let, span: Span) -> ExprId {
        self.lets.push(binding);
        self.add(Expr::Let(LetId((self.lets.len() - 1) as u32)), span)
    }

    /// Adds a code expression.
    pub fn add_code(&mut self, code: Body, span: Span) -> ExprId {
        self.codes.push(code);
        self.add(Expr::Code(CodeId((self.codes.len() - 1) as u32)), span)
    }

    /// Its span.
    pub fn span(&self, id: ExprId) -> Span {
        self.nodes[id.index()].1
    }

    /// Widens the span of an expression, as parentheses around it do.
    pub(crate) fn set_span(&mut self, id: ExprId, span: Span) {
        self.nodes[id.index()].1 = span;
    }

    /// The expressions of a list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// A quantifier or lambda.
    pub fn binder(&self, id: BinderId) -> &Binder {
        &self.binders[id.0 as usize]
    }

    /// A `let`.
    pub fn binding(&self, id: LetId) -> &Let {
        &self.lets[id.0 as usize]
    }

    /// A code expression.
    pub fn code(&self, id: CodeId) -> &Body {
        &self.codes[id.0 as usize]
    }

    /// Takes all code expressions out of the arena, so that a pass can change them while it reads the rest.
    pub(crate) fn take_codes(&mut self) -> Vec<Body> {
        std::mem::take(&mut self.codes)
    }

    /// Puts back the code expressions that [`take_codes`](Self::take_codes) took.
    pub(crate) fn put_codes(&mut self, codes: Vec<Body>) {
        self.codes = codes;
    }

    /// The number of expressions: every index of an expression is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no expressions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns true if the test holds for an expression or one of its subexpressions. Triggers, attributes and
    /// the statements of code expressions are not visited.
    pub fn any(&self, root: ExprId, test: &mut dyn FnMut(ExprId) -> bool) -> bool {
        let mut todo = vec![root];
        while let Some(e) = todo.pop() {
            if test(e) {
                return true;
            }
            match self[e] {
                Expr::Call(_, list) => todo.extend_from_slice(self.list(list)),
                Expr::Unary(_, a) | Expr::Old(a) | Expr::ToInt(a) | Expr::ToReal(a) => todo.push(a),
                Expr::Extract(a, _, _) | Expr::Coerce(a, _) | Expr::Field(a, _) | Expr::Is(a, _) => {
                    todo.push(a);
                }
                Expr::Binary(_, a, b) | Expr::FieldUpdate(a, _, b) => todo.extend([a, b]),
                Expr::Ite(a, b, c) => todo.extend([a, b, c]),
                Expr::Select(a, list) => {
                    todo.push(a);
                    todo.extend_from_slice(self.list(list));
                }
                Expr::Store(a, list, b) => {
                    todo.extend([a, b]);
                    todo.extend_from_slice(self.list(list));
                }
                Expr::Binder(b) => todo.push(self.binder(b).body),
                Expr::Let(l) => {
                    let binding = self.binding(l);
                    todo.push(binding.body);
                    todo.extend_from_slice(self.list(binding.values));
                }
                _ => {}
            }
        }
        false
    }

    /// The leftmost operand, if the text of the expression begins with one.
    ///
    /// Long chains (`a && b && …`, `m[i := v][j := w]…`) are deep on this side only. A pass that descends to the
    /// left in a loop therefore recurses only as deep as the text nests.
    pub fn left_part(&self, id: ExprId) -> Option<ExprId> {
        match self[id] {
            Expr::Binary(_, e, _)
            | Expr::Select(e, _)
            | Expr::Store(e, _, _)
            | Expr::Extract(e, _, _)
            | Expr::Coerce(e, _)
            | Expr::Field(e, _)
            | Expr::FieldUpdate(e, _, _)
            | Expr::Is(e, _) => Some(e),
            _ => None,
        }
    }
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()].0
    }
}
