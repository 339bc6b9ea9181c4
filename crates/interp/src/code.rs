//! Flat code: the compiler's output.
//!
//! One list of small instructions for the whole program. Expressions work on an operand stack. The stack is
//! empty before and after each statement, so a task between two steps consists of its frames alone.

use dally_bpl::Preemption;
use dally_bpl::check::Ty;
use dally_step::dead::Dead;
use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

use crate::builtin::BuiltIn;
use crate::canonical::HeapLayout;
use crate::notation::Telling;
use crate::quantifier::Kind;
use crate::script::Scripts;
use crate::value::Value;

pub(crate) use dally_step::effect::Address;

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    // Values: push an operand, or replace the topmost operands by a result.
    Const(Value),
    Load(VarStorage),
    /// Push the value of a hidden variable, arbitrary or not, and reset the variable.
    Take(VarStorage),
    /// Push a value on the operand stack, indexed from the base of the current function.
    Stack(u32),
    /// Pop the top and store it at this index.
    Put(u32),
    Not,
    Neg,
    Arith(Arith),
    Eq,
    Ne,
    Compare(Compare),
    /// The greatest integer that is at most the real.
    Floor,
    /// Convert an integer to a real.
    ToReal,
    Bv(BvOp, u8),
    /// The bits from `low` up to `high`.
    Extract(u8, u8),
    /// Concatenate; holds the width of the right operand.
    Concat(u8),
    /// Extension from one width to another.
    ZeroExtend,
    SignExtend(u8, u8),
    /// Apply one of [`Code::built_ins`] to this many arguments.
    BuiltIn(u32, u8),
    /// An operation with an operand or result of more than 64 bits.
    Wide(WideOp),
    /// Select from a map with this many indices. If the flag is set, the result is a map, which may be
    /// arbitrary.
    Select(u8, bool),
    Store(u8),
    ConstantMap,
    Construct(u32, u8),
    /// Select a field; the list gives its position in each constructor.
    Field(u32),
    FieldUpdate(u32),
    Is(u32),
    /// If the top is false, jump and keep it; otherwise pop it.
    AndThen(Address),
    /// If the top is true, jump and keep it; otherwise pop it.
    OrElse(Address),
    /// Call a memoised function of one integer.
    Recall(Address),
    /// Return from the memoised function that starts at this address, and cache its result.
    Remember(Address),
    /// Call a function with this many arguments.
    Apply(Address, u8),
    Result,
    /// Drop this many values below the top.
    Slide(u8),
    Pop,
    /// Push a tuple of the values of a kind that the execution mentions: the instances of a quantifier.
    Mentioned(u32),
    /// Push the next value of a tuple, given the number of values already tried. If none is left, pop both,
    /// push the value of the quantifier, and jump.
    Each(Quantifier, Address),
    /// If the top decides the quantifier, pop it and its loop state (value, counter, tuple) and push the
    /// result; otherwise jump back.
    Again(Quantifier, Address),
    /// The result of an uninterpreted function at arguments for which the inputs give no value.
    Undefined(Value),
    /// Push whether no part of a value on the stack is arbitrary.
    IsKnown(u32),

    // Statements.
    Set(VarStorage),
    /// Assign a constant of [`Code::constants`]; fuses two instructions.
    SetConst(VarStorage, u32),
    /// Push the result of an operation on two operands; fuses three instructions.
    Binary(Binary, Operand, Operand),
    Jump(Address),
    JumpUnless(Address),
    /// Jump to one of the addresses of a list, by nondeterministic choice.
    Choose(u32),
    /// Jump to the target of a list that the script selects; the first number is the decision site.
    FollowTo(u32, u32),
    /// Assign the values that the script gives for this decision site.
    Follow(u32),
    /// Push an integer or bitvector between these bounds, by nondeterministic choice.
    Pick(i64, i64, bool),
    Assume,
    /// Assume that a variable equals the top. An arbitrary variable gets that value.
    AssumeEq(VarStorage),
    /// Assume that a variable equals a constant of [`Code::constants`].
    AssumeIs(VarStorage, u32),
    /// Pop a condition; fail with the message in [`Code::checks`] if it is false.
    Check(u32),
    Call(u32),
    Return,
    /// Post a task: its procedure, its level unless it is the poster's, and true if a `wait` may name it.
    Post(u32, Option<u16>, Option<u16>, bool),
    /// Stop if a task of a higher level was posted.
    Interrupt,
    /// Wait for the task in a local variable, and push its result.
    Wait(u32),
    /// Evaluate the condition up to [`Op::AwaitEnd`].
    Await,
    AwaitEnd(Address),
    Yield,
    Zield,
    /// As the two above, unless [`Code::preemption`] suppresses them at the level of the task.
    YieldByLevel,
    ZieldByLevel,
    AtomicBegin,
    AtomicEnd,
    Seal,
    Unseal,
    /// One of the outputs of the program, which only observers see.
    Print(u32),
    ThreadId,
    ChildId,
}

/// The loop of a quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantifier {
    /// True for `forall`, false for `exists`.
    pub(crate) forall: bool,
    /// True if the loop covers all values of the type.
    pub(crate) exact: bool,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Eq,
    Ne,
    Compare(Compare),
    Arith(Arith),
}

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    VarStorage(VarStorage),
    /// One of [`Code::constants`].
    Const(u32),
    /// A value on the operand stack, indexed from the base of the current function.
    Stack(u32),
}

/// One option of an [`Op::Choose`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) to: Address,
    /// The guards at its start, as a range of [`Code::guards`].
    pub(crate) guards: (u32, u32),
}

impl From<Address> for Target {
    fn from(to: Address) -> Self {
        Target { to, guards: (0, 0) }
    }
}

/// A comparison of a variable with a constant, which an option assumes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guard {
    Bool(VarStorage, bool),
    Int(VarStorage, i64),
    NotInt(VarStorage, i64),
    Compare(Compare, VarStorage, i64),
}

impl Guard {
    /// The number of unfused instructions that it replaces.
    #[inline]
    pub(crate) fn length(self) -> u32 {
        match self {
            Guard::Bool(..) | Guard::Int(..) => 1,
            Guard::NotInt(..) | Guard::Compare(..) => 4,
        }
    }
}

/// The storage of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarStorage {
    Global(u32),
    /// In the current frame.
    Local(u32),
    /// A copy for each task.
    ThreadLocal(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// Division of reals, or of integers with a real result.
    Quotient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operations of the SMT-LIB theory of bitvectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BvOp {
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    And,
    Or,
    Xor,
    Nand,
    Nor,
    Xnor,
    /// Equality, as a bitvector of one bit.
    Comp,
    Not,
    Neg,
    Shl,
    Lshr,
    Ashr,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Operations on bitvectors of any width, with as many operands as their counterparts on words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WideOp {
    Bv(BvOp, u32),
    /// The bits from the second up to the first.
    Extract(u32, u32),
    /// The width of the right operand. The result is wide.
    Concat(u32),
    ZeroExtend(u32),
    SignExtend(u32, u32),
}

impl WideOp {
    /// Returns true if the operation has two operands.
    pub(crate) fn is_binary(self) -> bool {
        match self {
            WideOp::Bv(op, _) => !matches!(op, BvOp::Not | BvOp::Neg),
            WideOp::Concat(_) => true,
            WideOp::Extract(..) | WideOp::ZeroExtend(_) | WideOp::SignExtend(..) => false,
        }
    }
}

/// The values that a variable may have, if they can be enumerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Too many to enumerate.
    Unbounded,
    /// A map: its values are looked up, not chosen.
    Map,
    /// A list.
    Values(Vec<Value>),
    /// The integers from the first to the second.
    Ints(i64, i64),
    /// The bitvectors from the first to the second.
    Bvs(u64, u64),
}

impl Domain {
    /// The number of values to choose from.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Domain::Unbounded | Domain::Map => 0,
            Domain::Values(values) => values.len() as u64,
            Domain::Ints(low, high) if low > high => 0,
            Domain::Ints(low, high) => low.abs_diff(*high).saturating_add(1),
            Domain::Bvs(low, high) => high.checked_sub(*low).map_or(0, |n| n.saturating_add(1)),
        }
    }

    /// The n-th value.
    pub(crate) fn nth(&self, nth: u64) -> Option<Value> {
        match self {
            Domain::Unbounded | Domain::Map => None,
            Domain::Values(values) => values.get(nth as usize).copied(),
            Domain::Ints(low, _) => Some(Value::Int(low.wrapping_add(nth as i64))),
            Domain::Bvs(low, _) => Some(Value::Bv(low.wrapping_add(nth))),
        }
    }

    /// Returns true if an arbitrary variable may take this value.
    pub(crate) fn may_hold(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Ints(low, high), Value::Int(n)) => (*low..=*high).contains(&n),
            (Domain::Bvs(low, high), Value::Bv(n)) => (*low..=*high).contains(&n),
            (Domain::Ints(..), Value::Big(_)) => false,
            _ => true,
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Sym,
    /// The type by which a notation writes its values.
    pub(crate) ty: Option<u32>,
    pub(crate) domain: Domain,
    /// True if its type admits `{:range}`.
    pub(crate) is_number: bool,
    /// Introduced by the compiler, and not shown in traces.
    pub(crate) hidden: bool,
    /// The hidden variable that holds the initial value that the script gives it.
    pub(crate) given: Option<u32>,
}

impl Variable {
    /// A variable that the compiler introduces.
    pub(crate) fn hidden(name: Sym) -> Self {
        Variable { name, ty: None, domain: Domain::Unbounded, is_number: false, hidden: true, given: None }
    }
}

/// A procedure with a body.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) name: Sym,
    /// True if its statements are shown in traces.
    pub(crate) told: bool,
    pub(crate) entry: Address,
    /// The entry for the first task of a program, where preconditions are assumed.
    pub(crate) assuming_entry: Address,
    /// The end of its code, which starts at the entry.
    pub(crate) end: Address,
    pub(crate) ins: u32,
    /// The number of results. They directly follow the parameters.
    pub(crate) outs: u32,
    /// All variables of a frame: parameters, results, locals and hidden variables.
    pub(crate) variables: Vec<Variable>,
}

/// A property that must hold.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) message: String,
    pub(crate) span: Span,
    /// True for an assertion that executions are expected to reach: one other than `assert false`.
    pub(crate) expected: bool,
    /// True if an execution that fails it is not supported.
    pub(crate) unsupported: bool,
}

/// An entry point of the program.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) procedure: u32,
    pub(crate) buffer: u16,
    pub(crate) level: u16,
}

/// A constant, or a function at one point, whose value comes from the inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GivenValue {
    pub(crate) name: Sym,
    /// The arguments of a function; none for a constant.
    pub(crate) args: Option<Vec<Value>>,
    pub(crate) value: Value,
}

/// The result of a division by zero, which comes from the inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quotient {
    pub(crate) op: Arith,
    pub(crate) dividend: Value,
    pub(crate) value: Value,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// The code without fused instructions, at the same addresses.
    pub(crate) plain: Vec<Op>,
    /// For each instruction, the span of its statement.
    pub(crate) spans: Vec<Span>,
    pub(crate) procedures: Vec<Procedure>,
    /// The dead locals at each address where a task may stop or to which a call returns.
    pub(crate) dead: Dead,
    pub(crate) globals: Vec<Variable>,
    /// The globals marked `{:hot}`, which must become false infinitely often.
    pub(crate) hot: Vec<u32>,
    /// The state constraints: the address of the [`Op::Await`] of each.
    pub(crate) constraints: Vec<Address>,
    /// The objects that are allocated at run time, if they are to be numbered canonically.
    pub(crate) heap: Option<HeapLayout>,
    pub(crate) thread_locals: Vec<Variable>,
    pub(crate) checks: Vec<Check>,
    /// The attributes by which executions are told.
    pub(crate) telling: Telling,
    /// At an [`Op::Await`] for the end of a task: the id of that task.
    pub(crate) ends: rustc_hash::FxHashMap<Address, Operand>,
    /// The [`Op::Await`]s at which a task may wait forever.
    pub(crate) daemons: rustc_hash::FxHashSet<Address>,
    /// The addresses of the jumps of `if` and `while` statements whose conditions are not literals, ascending.
    pub(crate) branches: Vec<Address>,
    /// The addresses of `assume false` in branches.
    pub(crate) cuts: Vec<Address>,
    pub(crate) constants: Vec<Value>,
    /// Lists of options, for [`Op::Choose`].
    pub(crate) targets: Vec<Vec<Target>>,
    /// The guards of those options, concatenated.
    pub(crate) guards: Vec<Guard>,
    /// Functions of SMT-LIB without an instruction of their own.
    pub(crate) built_ins: Vec<BuiltIn>,
    /// For each field, the constructors that have it, with its position in each.
    pub(crate) fields: Vec<Vec<(u32, u32)>>,
    /// Names of constructors and atoms, for messages.
    pub(crate) constructors: Vec<Sym>,
    pub(crate) atoms: Vec<Sym>,
    /// The types of atoms, where known.
    pub(crate) atom_types: Vec<Option<Ty>>,
    /// The kinds of values for which quantifiers are evaluated, and the kinds of their parts. Empty if each
    /// quantifier covers all values of its type.
    pub(crate) kinds: Vec<Kind>,
    /// True if some quantifier is evaluated only for mentioned values. (A lambda is arbitrary where it was
    /// not evaluated.)
    pub(crate) partly: bool,
    /// True if some axiom is evaluated only for mentioned values.
    pub(crate) tries_axioms: bool,
    /// The values that the text and the inputs mention; empty if `kinds` is.
    pub(crate) mentioned: Vec<Value>,
    pub(crate) entries: Vec<Entry>,
    /// The scheduling points that preemption inserts; none without preemption.
    pub(crate) preemption: Preemption,
    /// The names.
    pub(crate) symbols: Symbols,
    /// True if the program observes task ids.
    pub(crate) numbers_tasks: bool,
    /// True if no id of a task may be reused: the program observes them, or waits for the ends of tasks by their ids.
    pub(crate) keeps_ids: bool,
    /// The scripts that resolve nondeterministic choices, if the inputs have any.
    pub(crate) scripts: Option<Box<Scripts>>,
    /// The span of the only failure to report, if it is known.
    pub(crate) only: Option<Span>,
    /// The constants and the function applications with values from the inputs.
    pub(crate) given: Vec<GivenValue>,
    /// The results of divisions by zero, if they are not errors.
    pub(crate) by_zero: Option<Vec<Quotient>>,
    /// True if some function is memoised.
    pub(crate) remembers: bool,
}
