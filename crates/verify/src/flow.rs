//! Control flow: each procedure as blocks of instructions. The pass that makes it is [`crate::build`].

use dally_bpl::Program;
use dally_bpl::ast::{AttrArg, Attrs, ExprId};
use dally_bpl::check::{ProcedureId, VarId};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::Site;

/// A block of a [`Flow`].
pub(crate) type BlockId = usize;
/// A procedure of [`Flows`].
pub(crate) type FlowId = usize;
/// The index of a variable during execution: the globals first, then the procedure's own.
pub(crate) type Slot = usize;

/// The procedures of a program.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    pub(crate) flows: Vec<Flow>,
    /// The globals, in their slots.
    pub(crate) globals: Vec<VarId>,
    /// The slot of each variable, by its index.
    pub(crate) slots: Vec<Option<u32>>,
    pub(crate) by_procedure: FxHashMap<ProcedureId, FlowId>,
    /// The `where` clauses of variables.
    pub(crate) wheres: FxHashMap<VarId, ExprId>,
    /// The `{:range}` of arbitrary values of variables. Copies that a translation adds have none: they are guesses of values that
    /// need not be arbitrary.
    pub(crate) ranges: FxHashMap<VarId, (i64, i64)>,
    /// The slots for the values of code expressions.
    pub(crate) results: FxHashMap<ExprId, Slot>,
    /// Globals that are arbitrary wherever they are read: see [`crate::abstraction`].
    pub(crate) untracked: FxHashSet<Slot>,
}

/// A procedure, or a loop of one.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// The name in the text; a loop has the name of its procedure.
    pub(crate) name: Sym,
    /// Where it is declared.
    pub(crate) span: Span,
    /// True for a loop: it shares the variables of its procedure.
    pub(crate) is_loop: bool,
    pub(crate) ins: Vec<Slot>,
    pub(crate) outs: Vec<Slot>,
    /// The variables in its slots, after the globals; none for the value of a code expression.
    pub(crate) vars: Vec<Option<VarId>>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) entry: BlockId,
    /// The number of exits: one, unless it is a loop.
    pub(crate) exits: usize,
    /// Candidate postconditions: the constants that mark them, and the conditions.
    pub(crate) ensured: Vec<(VarId, ExprId)>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) code: Vec<Instruction>,
    /// Candidate invariants at its beginning: the constants that mark them, and the conditions.
    pub(crate) candidates: Vec<(VarId, ExprId)>,
    pub(crate) next: Next,
    /// The statement that decides the successor, if there is one, and its place in the text.
    pub(crate) site: Site,
    pub(crate) span: Span,
}

impl Block {
    /// A block without instructions.
    pub(crate) fn new(next: Next) -> Block {
        Block { code: Vec::new(), candidates: Vec::new(), next, site: Site::Added, span: Span::NONE }
    }
}

/// The successors of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// One of these, nondeterministically.
    Goto(Vec<BlockId>),
    /// The first if the condition holds, otherwise the second.
    If(ExprId, BlockId, BlockId),
    /// After a call of a loop: the one of the exit that was taken.
    Switch(Vec<BlockId>),
    /// The procedure is left by this exit.
    Exit(usize),
}

impl Next {
    pub(crate) fn targets(&self) -> Vec<BlockId> {
        match self {
            Next::Goto(targets) | Next::Switch(targets) => targets.clone(),
            Next::If(_, a, b) => vec![*a, *b],
            Next::Exit(_) => Vec::new(),
        }
    }

    pub(crate) fn redirect(&mut self, to: impl Fn(BlockId) -> BlockId) {
        match self {
            Next::Goto(targets) | Next::Switch(targets) => targets.iter_mut().for_each(|t| *t = to(*t)),
            Next::If(_, a, b) => (*a, *b) = (to(*a), to(*b)),
            Next::Exit(_) => {}
        }
    }
}

/// An instruction with its origin and its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) kind: Kind,
    pub(crate) site: Site,
    pub(crate) attrs: Attrs,
    pub(crate) span: Span,
}

/// The kind of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A condition that must hold, with the message for a failure.
    Assert(ExprId, &'static str),
    Assume(ExprId),
    /// Checked, or assumed on entry to the program.
    Requires(ExprId),
    /// Assigns arbitrary values that the `where` clauses allow.
    Havoc(Vec<VarId>),
    /// Variables, or parts of them, and their new values.
    Assign(Vec<(Slot, dally_bpl::ast::Lhs, ExprId)>),
    /// Stores the value of a code expression.
    Result(Slot, ExprId),
    /// `Constructor(vars) := value`
    Unpack(Sym, Vec<Option<Slot>>, ExprId),
    Call {
        callee: FlowId,
        args: Vec<ExprId>,
        outs: Vec<Option<Slot>>,
    },
    /// The loop, from this block of it on.
    Loop {
        callee: FlowId,
        entry: BlockId,
    },
}

impl Flows {
    /// The slot of a variable; constants and bound variables have none.
    pub(crate) fn slot(&self, var: VarId) -> Option<Slot> {
        self.slots[var.index()].map(|s| s as usize)
    }

    pub(crate) fn where_clause(&self, var: VarId) -> Option<ExprId> {
        self.wheres.get(&var).copied()
    }

    pub(crate) fn range(&self, var: VarId) -> Option<(i64, i64)> {
        self.ranges.get(&var).copied()
    }

    pub(crate) fn procedure(&self, id: ProcedureId) -> Option<FlowId> {
        self.by_procedure.get(&id).copied()
    }

    /// The variable in a slot of a procedure.
    pub(crate) fn var(&self, flow: FlowId, slot: Slot) -> Option<VarId> {
        match slot.checked_sub(self.globals.len()) {
            Some(own) => self.flows[flow].vars[own],
            None => Some(self.globals[slot]),
        }
    }

    /// The slot of a code expression.
    pub(crate) fn result(&self, code: ExprId) -> Option<Slot> {
        self.results.get(&code).copied()
    }
}

/// `{:range low, high}`
pub(crate) fn range(program: &Program, attrs: &Attrs) -> Option<(i64, i64)> {
    match program.ast.attr(attrs, "range")?.args[..] {
        [AttrArg::Expr(low), AttrArg::Expr(high)] => {
            Some((program.ast.int_literal(low)?, program.ast.int_literal(high)?))
        }
        _ => None,
    }
}

impl Flow {
    pub(crate) fn empty(name: Sym) -> Flow {
        Flow {
            name,
            span: Span::NONE,
            is_loop: false,
            ins: Vec::new(),
            outs: Vec::new(),
            vars: Vec::new(),
            blocks: Vec::new(),
            entry: 0,
            exits: 1,
            ensured: Vec::new(),
        }
    }
}
