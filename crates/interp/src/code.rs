//! Flat code: what a program is compiled to.
//!
//! One list of small instructions for the whole program. Expressions work on a stack of values; statements
//! begin and end with that stack empty, so that a task between two steps is nothing but its frames.

use dally_bpl::check::Ty;
use dally_step::dead::Dead;
use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

use crate::quantifier::Kind;
use crate::script::Scripts;
use crate::value::Value;

pub(crate) use dally_step::effect::Address;

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    // Values: push something, or replace the topmost values by a result.
    Const(Value),
    Load(Place),
    /// Push the value of a hidden variable, arbitrary or not, and forget it there.
    Take(Place),
    /// A value on the stack, counted from where the current function began.
    Stack(u32),
    /// Drop the top, and put it there.
    Put(u32),
    Not,
    Neg,
    Arith(Arith),
    Eq,
    Ne,
    Compare(Compare),
    /// The greatest integer that is not greater than a real.
    Floor,
    /// The real that an integer is.
    ToReal,
    Bv(BvOp, u8),
    /// The bits from `low` up to `high`.
    Extract(u8, u8),
    /// The width of the right operand.
    Concat(u8),
    /// Extension from one width to another.
    ZeroExtend,
    SignExtend(u8, u8),
    /// An operation in which a bitvector of more than 64 bits takes part.
    Wide(WideOp),
    /// The value of a map, given how many indices; one that is arbitrary is of use only if it is a map itself.
    Select(u8, bool),
    Store(u8),
    ConstantMap,
    Construct(u32, u8),
    /// The field of a value, given the list that says where each constructor has it.
    Field(u32),
    FieldUpdate(u32),
    Is(u32),
    /// If the top is false, go there and keep it; else drop it.
    AndThen(Address),
    /// If the top is true, go there and keep it; else drop it.
    OrElse(Address),
    /// Call a function of one integer whose results are remembered…
    Recall(Address),
    /// … and return from it: it begins here.
    Remember(Address),
    /// Call a function with so many arguments.
    Apply(Address, u8),
    Result,
    /// Drop so many values below the top.
    Slide(u8),
    Pop,
    /// Push the values of a kind that the execution mentions, as a tuple: a quantifier is evaluated for them.
    Mentioned(u32),
    /// Push the next one of a tuple of values, given how many have been tried. If there is none, drop both, push what the
    /// quantifier then comes to, and go there.
    Each(Quantifier, Address),
    /// If the top decides the quantifier, drop the value, the number and the tuple below it; else go back.
    Again(Quantifier, Address),
    /// What a function is of which nothing is said for these arguments.
    Unsaid(Value),

    // Statements.
    Set(Place),
    /// Assign a constant of [`Code::constants`]; stands for two instructions.
    SetConst(Place, u32),
    /// Push the result of an operation on two operands; stands for three instructions.
    Binary(Binary, Operand, Operand),
    Jump(Address),
    JumpUnless(Address),
    /// Go to one of the addresses of a list.
    Choose(u32),
    /// Go to the address of a list that the script says, given the number of this place.
    FollowTo(u32, u32),
    /// Give variables the values that the script says, likewise.
    Follow(u32),
    /// Push one of the values from the first to the second, integers or bitvectors.
    Pick(i64, i64, bool),
    Assume,
    /// Assume that a variable has the value on the top: if it has none yet, it gets it.
    AssumeEq(Place),
    /// Likewise, with a constant of [`Code::constants`].
    AssumeIs(Place, u32),
    /// The text for people is in [`Code::checks`].
    Check(u32),
    Call(u32),
    Return,
    /// The procedure, the level, if it is not the poster's, and whether somebody may wait for the task.
    Post(u32, Option<u16>, bool),
    /// Stop here if a task of a higher level was posted.
    Interrupt,
    /// Wait for the task in a local variable, and push its result.
    Wait(u32),
    /// Evaluate the condition up to [`Op::AwaitEnd`].
    Await,
    AwaitEnd(Address),
    Yield,
    Zield,
    AtomicBegin,
    AtomicEnd,
    Seal,
    Unseal,
    ThreadId,
    ChildId,
}

/// A quantifier in the middle of its evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantifier {
    /// `forall`, or else `exists`.
    pub(crate) forall: bool,
    /// Whether it is evaluated for all values of its type.
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

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Place(Place),
    /// One of [`Code::constants`].
    Const(u32),
    /// A value on the stack, counted from where the current function began.
    Stack(u32),
}

/// One option of an [`Op::Choose`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) to: Address,
    /// The guards that it begins with, as a part of [`Code::guards`].
    pub(crate) guards: (u32, u32),
}

impl From<Address> for Target {
    fn from(to: Address) -> Self {
        Target { to, guards: (0, 0) }
    }
}

/// An assumption about a variable: that it has a value, or has another one, or a smaller or larger one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guard {
    Bool(Place, bool),
    Int(Place, i64),
    NotInt(Place, i64),
    Compare(Compare, Place, i64),
}

impl Guard {
    /// How many instructions it stands for, of those that are not fused.
    #[inline]
    pub(crate) fn length(self) -> u32 {
        match self {
            Guard::Bool(..) | Guard::Int(..) => 1,
            Guard::NotInt(..) | Guard::Compare(..) => 4,
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Global(u32),
    /// In the current frame.
    Local(u32),
    /// Each task has its own.
    ThreadLocal(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// The real that comes out where numbers are divided.
    Quotient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operations of the theory of bitvectors.
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
    /// One bit: whether they are equal.
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

/// The operations of bitvectors of any width. There are two operands where the others have two.
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
    /// Whether there are two operands.
    pub(crate) fn is_binary(self) -> bool {
        match self {
            WideOp::Bv(op, _) => !matches!(op, BvOp::Not | BvOp::Neg),
            WideOp::Concat(_) => true,
            WideOp::Extract(..) | WideOp::ZeroExtend(_) | WideOp::SignExtend(..) => false,
        }
    }
}

/// The values that a variable may have, as far as they can be tried one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// Too many.
    Unbounded,
    /// A map: its values are looked up, not chosen.
    Map,
    /// These.
    Values(Vec<Value>),
    /// The integers from the first to the second.
    Ints(i64, i64),
    /// The bitvectors from the first to the second.
    Bvs(u64, u64),
}

impl Domain {
    /// How many values there are to choose from.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Domain::Unbounded | Domain::Map => 0,
            Domain::Values(values) => values.len() as u64,
            Domain::Ints(low, high) if low > high => 0,
            Domain::Ints(low, high) => low.abs_diff(*high).saturating_add(1),
            Domain::Bvs(low, high) => high.checked_sub(*low).map_or(0, |n| n.saturating_add(1)),
        }
    }

    /// One of them.
    pub(crate) fn nth(&self, nth: u64) -> Option<Value> {
        match self {
            Domain::Unbounded | Domain::Map => None,
            Domain::Values(values) => values.get(nth as usize).copied(),
            Domain::Ints(low, _) => Some(Value::Int(low.wrapping_add(nth as i64))),
            Domain::Bvs(low, _) => Some(Value::Bv(low.wrapping_add(nth))),
        }
    }

    /// Whether a variable that is arbitrary may turn out to have this value.
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
    pub(crate) domain: Domain,
    /// Made by the compiler: of no interest to people.
    pub(crate) hidden: bool,
    /// The variable beside it that has the value which it turns out to have when it is first read, if that is known.
    pub(crate) given: Option<u32>,
}

impl Variable {
    /// One that the compiler has made.
    pub(crate) fn hidden(name: Sym) -> Self {
        Variable { name, domain: Domain::Unbounded, hidden: true, given: None }
    }
}

/// A procedure with a body.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) name: Sym,
    pub(crate) entry: Address,
    /// Where the first task of a program begins: there, preconditions are assumed.
    pub(crate) assuming_entry: Address,
    /// Where its code ends, which begins at the entry.
    pub(crate) end: Address,
    pub(crate) ins: u32,
    /// The results come right behind the parameters.
    pub(crate) outs: u32,
    /// All variables of a frame: parameters, results, locals, and hidden ones.
    pub(crate) variables: Vec<Variable>,
}

/// Something that must hold.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) message: String,
    pub(crate) span: Span,
}

/// Where execution starts.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) procedure: u32,
    pub(crate) buffer: u16,
    pub(crate) level: u16,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    /// The same without instructions that stand for several. Addresses are the same.
    pub(crate) plain: Vec<Op>,
    /// For each instruction, where the statement that it belongs to stands.
    pub(crate) spans: Vec<Span>,
    pub(crate) procedures: Vec<Procedure>,
    /// The dead locals at each address where a task may stop, or where a call returns to.
    pub(crate) dead: Dead,
    pub(crate) globals: Vec<Variable>,
    /// The globals that must become false again and again.
    pub(crate) hot: Vec<u32>,
    pub(crate) thread_locals: Vec<Variable>,
    pub(crate) checks: Vec<Check>,
    pub(crate) constants: Vec<Value>,
    /// Lists of options, for [`Op::Choose`].
    pub(crate) targets: Vec<Vec<Target>>,
    /// The guards of those options, one after another.
    pub(crate) guards: Vec<Guard>,
    /// For a field: the constructors that have it, and which of their fields it is.
    pub(crate) fields: Vec<Vec<(u32, u32)>>,
    /// Names of constructors and atoms, for people.
    pub(crate) constructors: Vec<Sym>,
    pub(crate) atoms: Vec<Sym>,
    /// The types of atoms, as far as they are known.
    pub(crate) atom_types: Vec<Option<Ty>>,
    /// The kinds of values for which quantifiers are evaluated, and their parts; none if each is evaluated for all values.
    pub(crate) kinds: Vec<Kind>,
    /// Whether there are quantifiers that are evaluated so. (Lambdas are arbitrary where they were not evaluated.)
    pub(crate) partly: bool,
    /// Whether there are axioms that are looked at for the values only that are mentioned.
    pub(crate) tries_axioms: bool,
    /// What the text and what comes from outside mention, if there are such kinds.
    pub(crate) mentioned: Vec<Value>,
    pub(crate) entries: Vec<Entry>,
    /// What the names are.
    pub(crate) symbols: Symbols,
    /// Whether the program looks at the numbers of tasks, so that none may be used twice.
    pub(crate) numbers_tasks: bool,
    /// What tasks do where they could do otherwise, if that is given.
    pub(crate) scripts: Option<Box<Scripts>>,
    /// The only failure that counts, if it is known: where it is.
    pub(crate) only: Option<Span>,
    /// The constants and functions whose values are given: a function at arguments.
    pub(crate) given: Vec<(Sym, Option<Vec<Value>>, Value)>,
    /// What comes out where numbers are divided by zero, if that is no error.
    pub(crate) by_zero: Option<Vec<(Arith, Value, Value)>>,
    /// Whether there are functions whose results are remembered.
    pub(crate) remembers: bool,
}
