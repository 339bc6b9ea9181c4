//! Statements.

use dally_text::source::Span;
use std::num::NonZeroU32;

use crate::ast::{Attrs, ExprId, ExprList, Exprs, Ident, VarDecl};

/// The body of a procedure: its variables, then its statements.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The local variables.
    pub locals: Vec<VarDecl>,
    /// The statements.
    pub block: Block,
}

/// Statements between braces.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements. A label is a statement of its own, before the statement that it labels.
    pub stmts: Vec<Stmt>,
    /// The span of the closing brace.
    pub end: Span,
}

/// Identifies a statement of a program. Copies that a translation makes keep it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StmtId(NonZeroU32);

impl StmtId {
    /// The first number is 0.
    pub(super) fn new(index: u32) -> StmtId {
        StmtId(NonZeroU32::MIN.saturating_add(index))
    }

    /// An index into [`Ast::stmt_spans`](super::Ast::stmt_spans).
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A statement with its attributes.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its identity; none for most statements that a translation adds.
    pub id: Option<StmtId>,
    /// Its kind.
    pub kind: StmtKind,
    /// Its attributes, without those that are part of its kind.
    pub attrs: Attrs,
    /// Its span.
    pub span: Span,
}

/// The kinds of statements.
///
/// The parser normalises the spellings of asynchronous statements:
///
/// | variant | canonical | also accepted |
/// |---|---|---|
/// | [`Async`](Self::Async) | `call {:async} t := p(e);` | `async call p(e);`, `call {:async t} r := p(e);` |
/// | [`Wait`](Self::Wait) | `call r := wait(t);` | `assume {:wait r, t} true;` |
/// | [`Yield`](Self::Yield) | `yield;` | `assume {:yield} true;`, `call corral_yield();` |
/// | [`Zield`](Self::Zield) | `zield;` | `assume {:zield} true;` |
/// | [`Await`](Self::Await) | `assume {:await} e;` | |
/// | [`AtomicBegin`](Self::AtomicBegin) | `call corral_atomic_begin();` | |
/// | [`AtomicEnd`](Self::AtomicEnd) | `call corral_atomic_end();` | |
/// | [`Seal`](Self::Seal), [`Unseal`](Self::Unseal) | `assume {:seal} true;`, `assume {:unseal} true;` | |
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `name:`
    Label(Ident),
    /// `assert e;`
    Assert(ExprId),
    /// `assume e;`
    Assume(ExprId),
    /// `havoc x, y;`
    Havoc(Vec<Ident>),
    /// `lhs, … := e, …;`
    Assign(Vec<Lhs>, ExprList),
    /// `Constructor(x, y) := e;`
    Unpack(Box<Unpack>),
    /// `call outs := p(args);`
    Call(Box<Call>),
    /// `if (g) { … } else if (g) { … } else { … }`
    If(Box<If>),
    /// `while (g) invariant …; { … }`
    While(Box<While>),
    /// `break;`, `break label;`
    Break(Option<Ident>),
    /// `return;`
    Return,
    /// `return e;`, in a code expression.
    ReturnExpr(ExprId),
    /// `goto a, b;`
    Goto(Vec<Ident>),
    /// `measure e, …;`
    Measure(ExprList),
    /// `reveal f;`, `hide f;`, `reveal *;`, `hide *;`
    Reveal(Visibility, Option<Ident>),
    /// `push;`, `pop;`
    Scope(Scope),
    /// Posts a task.
    Async(Box<Async>),
    /// Waits for a task and assigns its result.
    Wait(Option<Ident>, ExprId),
    /// A point where the scheduler may switch tasks.
    Yield,
    /// A point where the scheduler may switch to another buffer.
    Zield,
    /// Blocks until the condition holds, and continues in the same step.
    Await(ExprId),
    /// Begins an atomic section: no switch until its end.
    AtomicBegin,
    /// Ends an atomic section.
    AtomicEnd,
    /// Begins a section in which the search does not delay tasks.
    Seal,
    /// Ends the section that [`Seal`](Self::Seal) began.
    Unseal,
}

impl StmtKind {
    /// The accesses of the statement itself. Those of nested blocks are not included; the guards of conditionals
    /// and loops are.
    pub fn accesses(&self, exprs: &Exprs) -> Accesses {
        let list = |l: ExprList| exprs.list(l).to_vec();
        let guard = |g: &Guard| match g {
            Guard::Expr(e) => Some(*e),
            Guard::Any => None,
        };
        let (evaluated, assigned) = match self {
            StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::Await(e) => (vec![*e], Vec::new()),
            StmtKind::Havoc(vars) => (Vec::new(), vars.clone()),
            StmtKind::Assign(targets, values) => {
                let mut evaluated = list(*values);
                for access in targets.iter().flat_map(|t| &t.path) {
                    if let Access::Index(indices, _) = access {
                        evaluated.extend(list(*indices));
                    }
                }
                (evaluated, targets.iter().map(|t| t.base).collect())
            }
            StmtKind::Unpack(u) => (vec![u.value], u.vars.clone()),
            StmtKind::Call(c) => (list(c.args), c.outs.iter().flatten().copied().collect()),
            StmtKind::Async(a) => (list(a.args), a.handle.into_iter().collect()),
            StmtKind::Wait(out, task) => (vec![*task], out.iter().copied().collect()),
            StmtKind::If(i) => (i.branches.iter().filter_map(|b| guard(&b.guard)).collect(), Vec::new()),
            StmtKind::While(w) => (guard(&w.guard).into_iter().collect(), Vec::new()),
            _ => (Vec::new(), Vec::new()),
        };
        Accesses { evaluated, assigned }
    }
}

/// The expressions and variables that a statement accesses.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// The expressions that it evaluates.
    pub evaluated: Vec<ExprId>,
    /// The variables that it assigns to.
    pub assigned: Vec<Ident>,
}

/// `reveal` or `hide`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// `reveal`
    Reveal,
    /// `hide`
    Hide,
}

/// `push` or `pop`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// `push`
    Push,
    /// `pop`
    Pop,
}

/// The left-hand side of an assignment: a variable, then indices and fields.
#[derive(Clone, Debug)]
pub struct Lhs {
    /// The variable.
    pub base: Ident,
    /// The indices and fields, outermost first.
    pub path: Vec<Access>,
    /// The span of the whole left-hand side.
    pub span: Span,
}

/// An index or a field of a left-hand side.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// `[indices]`
    Index(ExprList, Span),
    /// `->field`
    Field(Ident),
}

/// `Constructor(vars) := value;`
#[derive(Clone, Debug)]
pub struct Unpack {
    /// The constructor.
    pub constructor: Ident,
    /// The variables that receive its fields.
    pub vars: Vec<Ident>,
    /// The value that is unpacked.
    pub value: ExprId,
}

/// `call outs := p(args);`
#[derive(Clone, Debug)]
pub struct Call {
    /// `free call`.
    pub free: bool,
    /// The variables that receive the results; `None` for `*`, an ignored result.
    pub outs: Vec<Option<Ident>>,
    /// The procedure.
    pub procedure: Ident,
    /// The arguments; one may be [`Expr::Wildcard`](crate::ast::Expr::Wildcard).
    pub args: ExprList,
}

/// `call {:async} {:level n} handle := p(args);`
#[derive(Clone, Debug)]
pub struct Async {
    /// The variable that receives the task handle. A variable of the result's type, as in Corral, receives an
    /// arbitrary value.
    pub handle: Option<Ident>,
    /// The result variable of c2s's syntax. The wait assigns to it, so here it is only checked to have the
    /// result's type, and not printed.
    pub result: Option<Ident>,
    /// The procedure.
    pub procedure: Ident,
    /// The arguments.
    pub args: ExprList,
    /// The priority level; the poster's level if absent.
    pub level: Option<u32>,
    /// The buffer; the poster's own if absent.
    pub buffer: Option<u32>,
}

/// `if (guard) { … }`, with any number of `else if` branches and an optional `else`.
#[derive(Clone, Debug)]
pub struct If {
    /// The guarded branches. The attributes of the first are those of the statement.
    pub branches: Vec<Branch>,
    /// The last `else`.
    pub otherwise: Option<Block>,
}

/// `if {:attrs} (guard) { block }`
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its attributes; none for the first branch, whose attributes are the statement's.
    pub attrs: Attrs,
    /// The guard.
    pub guard: Guard,
    /// The guarded block.
    pub block: Block,
}

/// A condition, or `*`.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    /// `*`: a nondeterministic choice.
    Any,
    /// A condition.
    Expr(ExprId),
}

/// `while (guard) invariant e; { … }`
#[derive(Clone, Debug)]
pub struct While {
    /// The guard.
    pub guard: Guard,
    /// Invariants and measures, in the order of the text.
    pub specs: Vec<LoopSpec>,
    /// The body.
    pub body: Block,
}

/// `[free] invariant {:attrs} e;` or `measure {:attrs} e, …;`
#[derive(Clone, Debug)]
pub struct LoopSpec {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its kind.
    pub kind: LoopSpecKind,
}

/// The kinds of loop annotations.
#[derive(Clone, Copy, Debug)]
pub enum LoopSpecKind {
    /// Holds on entry and after each iteration; a free one is assumed, not checked.
    Invariant {
        /// Assumed, not checked.
        free: bool,
        /// The condition.
        expr: ExprId,
    },
    /// A tuple that decreases with each iteration.
    Measure(ExprList),
}

/// Calls `f` for each statement of a block and of the blocks inside it.
///
/// Recursion is as deep as statements nest, which the parser bounds.
pub fn for_each_stmt_mut(block: &mut Block, f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::If(conditional) => {
                for branch in &mut conditional.branches {
                    for_each_stmt_mut(&mut branch.block, f);
                }
                if let Some(otherwise) = &mut conditional.otherwise {
                    for_each_stmt_mut(otherwise, f);
                }
            }
            StmtKind::While(w) => for_each_stmt_mut(&mut w.body, f),
            _ => {}
        }
        f(stmt);
    }
}
