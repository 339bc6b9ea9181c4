//! The typed tree of a program: names are resolved, types are known, and every conversion is explicit.
//!
//! The front end makes it of one or more preprocessed files, and the lowering reads nothing else. Invariants:
//!
//! - An lvalue is read only by [`ExprKind::Load`], [`ExprKind::Assign`], [`ExprKind::Update`],
//!   [`ExprKind::AddressOf`], [`ExprKind::Decay`], [`ExprKind::Member`] and the operands of builtins that take one.
//! - Operands of an arithmetic operator have the same, unqualified type: the usual conversions are
//!   [`ExprKind::Cast`]s. Conditions have scalar type and are compared with zero by the lowering.
//! - The type of an expression is the type of its value; that of an lvalue keeps `_Atomic` and `volatile`.
//! - Constant expressions that C requires (sizes, cases, enumerators, initialisers of integers) are folded.

pub(crate) mod walk;

use dally_text::source::Span;

use crate::types::{TypeId, Types};

/// A whole program: the units are linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// The variables with static storage: globals, and `static` locals.
    pub globals: Vec<Global>,
    /// The functions, with or without a body.
    pub functions: Vec<Function>,
    /// The string literals: bytes including the final NUL.
    pub strings: Vec<Vec<u8>>,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// The index into the list of the program or function.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// One of [`Program::globals`].
    GlobalId;
    /// One of [`Program::functions`].
    FunctionId;
    /// One of [`Program::strings`].
    StringId;
    /// One of [`Function::locals`].
    LocalId;
    /// One of [`Function::labels`].
    LabelId;
}

/// A variable with static storage.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name in the text; names of `static` variables may occur more than once.
    pub name: String,
    /// The function that declares it, for a `static` local.
    pub function: Option<FunctionId>,
    /// The type; complete.
    pub ty: TypeId,
    /// True for `__thread` and `_Thread_local`: each thread has a copy.
    pub thread_local: bool,
    /// True if no unit defines it.
    pub external: bool,
    /// The initialiser; everything that it does not mention is zero.
    pub init: Option<Init>,
    /// The declarator.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The type of the result.
    pub result: TypeId,
    /// The parameters: the first locals.
    pub params: Vec<LocalId>,
    /// True if it is declared with `...`, or as `f()` without a body.
    pub variadic: bool,
    /// True if it never returns (`_Noreturn`, `noreturn`).
    pub noreturn: bool,
    /// For a function that runs before `main`, its priority: small ones run first.
    pub constructor: Option<u16>,
    /// For a function that runs at the end of the program, its priority: small ones run last.
    pub destructor: Option<u16>,
    /// The marks of `dally.h`.
    pub events: Events,
    /// True for a function of the library that is part of dally. Calls of it are inlined and atomic.
    pub library: bool,
    /// The parameters and local variables.
    pub locals: Vec<Local>,
    /// The names of labels.
    pub labels: Vec<String>,
    /// The body, if a unit defines it.
    pub body: Option<Vec<Stmt>>,
    /// The declarator.
    pub span: Span,
}

/// The marks that `dally.h` gives to a function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Events {
    /// The function is an entry point.
    pub entry: Option<Home>,
    /// The function handles an interrupt.
    pub interrupt: Option<Interrupt>,
    /// No yields are inserted into its body.
    pub no_yields: bool,
    /// No zields are inserted into its body.
    pub no_zields: bool,
    /// No yields are inserted into tasks of these levels.
    pub no_yields_at: Vec<u16>,
    /// No zields are inserted into tasks of these levels.
    pub no_zields_at: Vec<u16>,
}

/// Where a task runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Home {
    /// The buffer.
    pub buffer: u16,
    /// The priority level.
    pub level: u16,
}

/// An interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interrupt {
    /// The buffer whose tasks it interrupts, and its level.
    pub home: Home,
    /// When it fires.
    pub fires: Fires,
}

/// When an interrupt fires.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fires {
    /// Any time while it is enabled.
    WhileEnabled,
    /// Once after each time that it is raised, while it is enabled.
    WhenRaised,
    /// As [`Fires::WhenRaised`], and enabled from the start.
    Timer,
}

/// An operation on an interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LineOp {
    /// It may fire from now on.
    Enable,
    /// It does not fire from now on.
    Disable,
    /// It fires as soon as it is enabled and may interrupt.
    Raise,
    /// It is no longer raised; true if it was.
    Clear,
    /// True if it is raised.
    IsRaised,
}

/// Functions of the library that the lowering calls: at the end of each thread, at the end of the program, and to
/// register functions that run there.
pub const HOOKS: [&str; 3] = ["__dally_thread_end", "__dally_program_end", "__dally_at_end"];

/// A parameter or local variable with automatic storage.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name; empty for an unnamed parameter and for a compound literal.
    pub name: String,
    /// The type. Arrays of variable length have the type of a pointer to their elements: see [`StmtKind::Vla`].
    pub ty: TypeId,
    /// True if `&`, or the decay of an array outside of a subscript, gives its address to code that the front
    /// end cannot follow. The lowering refines this: an address that is only an argument of a library function or
    /// builtin does not escape.
    pub address_taken: bool,
    /// The declarator.
    pub span: Span,
}

/// An initialiser, flattened.
#[derive(Clone, Debug)]
pub struct Init {
    /// True if everything that is not in `parts` is zero.
    pub zero_rest: bool,
    /// Scalars, whole records that are copied, and character arrays that a string fills, by ascending offset.
    pub parts: Vec<InitPart>,
}

/// One part of an initialiser.
#[derive(Clone, Debug)]
pub struct InitPart {
    /// The offset in bytes from the start of the variable.
    pub offset: u64,
    /// For a bit-field, its place in the storage unit at the offset.
    pub bits: Option<crate::types::BitField>,
    /// The type of the part.
    pub ty: TypeId,
    /// The value, converted to the type; for a character array an [`ExprKind::String`].
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind.
    pub kind: ExprKind,
    /// The type of the value, or of the lvalue.
    pub ty: TypeId,
    /// The span in the user's file.
    pub span: Span,
}

/// The kinds of expressions. Those marked *lvalue* denote an object.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant of integer, enumeration, `_Bool` or pointer type, in the range of the type.
    Int(i128),
    /// A constant of floating type.
    Float(f64),
    /// *lvalue*: a string literal, an array of characters.
    String(StringId),
    /// *lvalue*: a local variable or parameter.
    Local(LocalId),
    /// *lvalue*: a variable with static storage.
    Global(GlobalId),
    /// *lvalue*: a compound literal: the local is initialised, and then denoted.
    Compound(LocalId, Box<Init>),
    /// *lvalue*: the target of a pointer. `a[i]` is `*(a + i)`, and `p->f` is `(*p).f`.
    Deref(Box<Expr>),
    /// *lvalue* if the operand is one: the member with this index of a struct or union. Members of anonymous
    /// members are reached through them.
    Member(Box<Expr>, u32),
    /// A function, converted to a pointer to it.
    Function(FunctionId),
    /// The value of an lvalue of scalar or record type.
    Load(Box<Expr>),
    /// The address of the first element of an array lvalue.
    Decay(Box<Expr>),
    /// The address of an lvalue.
    AddressOf(Box<Expr>),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands of equal type; comparisons have type `int`. The right operand of a shift
    /// may have another integer type. Pointers are compared here, too.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A pointer plus an integer of type `long` (`ptrdiff_t`), which counts elements of the pointee.
    PointerAdd(Box<Expr>, Box<Expr>),
    /// The difference of two pointers, in elements.
    PointerDiff(Box<Expr>, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; also `c ?: b`, where the middle is absent and the value is that of the condition.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// A conversion to the type of the expression; to `void` it discards the value.
    Cast(Box<Expr>),
    /// The lvalue gets the value; the result is the value as converted to the type of the lvalue.
    Assign(Box<Expr>, Box<Expr>),
    /// `lv op= e`, `++lv`, `lv++` and so on: see [`Update`].
    Update(Box<Update>),
    /// A call of a function.
    Call(Box<Expr>, Vec<Expr>),
    /// A call of a function that is known by name to the compiler, or to the library.
    Builtin(Builtin, Vec<Expr>),
    /// `({ … })`: the value is that of the last statement, if it is an expression.
    Block(Vec<Stmt>),
}

/// An assignment of a new value that depends on the old one.
#[derive(Clone, Debug)]
pub struct Update {
    /// The lvalue.
    pub target: Expr,
    /// The operation. For pointers it is [`BinaryOp::Add`] or [`BinaryOp::Sub`], and the operand counts elements.
    pub op: BinaryOp,
    /// The operand, converted to `compute`; for pointers and shifts as it is.
    pub operand: Expr,
    /// The type in which the operation is computed; the old value is converted to it, and the result back.
    pub compute: TypeId,
    /// True if the value of the expression is the old one (`lv++`).
    pub old: bool,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `~a`
    BitNot,
    /// `!a`, of any scalar type, as an `int`.
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the operators'")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// Operations that the lowering implements itself. The library of dally, which is written in C, is made of them.
///
/// Pointer operands marked *place* may be the address of any lvalue, which does not escape by that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    // Scheduling.
    /// `__dally_yield()`: a scheduling point.
    Yield,
    /// `__dally_await(e)`: blocks until the condition holds, and continues in the same step. It is evaluated
    /// without side effects.
    Await,
    /// `__dally_atomic_begin()`: no switches from here on.
    AtomicBegin,
    /// `__dally_atomic_end()`
    AtomicEnd,
    /// `__dally_spawn(f, argument, …)`: starts a thread that calls `f` and returns its number, from 1 on.
    Spawn,
    /// `__dally_post(level, buffer, f, argument)`: posts a task that calls `f`, at this level (the poster's if none) and in this
    /// buffer (the poster's own if none).
    Post(Option<u16>, Option<u16>),
    /// `__dally_zield()`: a point where another buffer may go on.
    Zield,
    /// `__dally_seal()`: no task is delayed from here on.
    Seal,
    /// `__dally_unseal()`
    Unseal,
    /// `__dally_enable(f)` and the like: an operation on the interrupt that the function handles.
    Line(LineOp),
    /// `__dally_interrupts_off()`, `__dally_interrupts_on()`: true if interrupts are masked from here on.
    Mask(bool),
    /// `__dally_self()`: the number of the running thread; 0 for the first one.
    SelfId,
    /// `__dally_threads()`: the number of threads created so far, the first one included.
    Threads,
    /// `__dally_ended(t)`: true if the thread has ended.
    Ended,
    /// `__dally_result(t)`: the result of a thread that has ended.
    ThreadResult,
    /// `__dally_exit_thread(result)`: ends the thread.
    ExitThread,
    /// `__dally_exit_program()`: ends the program in good order; this execution has nothing more to show.
    ExitProgram,

    // Verdicts.
    /// `__dally_check(condition, "what is wrong")`: a bug if the condition does not hold.
    Check,
    /// `__dally_fail("what is wrong")`: a bug.
    Fail,
    /// `__dally_assume(condition)`: discards the execution if the condition does not hold.
    Assume,
    /// `__dally_restrict(condition)`: as `__dally_assume`, of a value that was just chosen. Since another choice
    /// satisfies the condition, no behaviour of other threads is lost.
    Restrict,
    /// `__dally_unsupported("what")`: dally cannot go on from here.
    Unsupported,

    // Values.
    /// `__dally_nondet(T)`, by the type of the call: an arbitrary value, chosen when it is used.
    Nondet,
    /// `__dally_choose(n)`: a number from 0 to n - 1, for a constant n.
    Choose,

    // Memory.
    /// `__dally_allocate(size, zero)`: a new object with arbitrary contents, or with zeros.
    Allocate,
    /// `__dally_release(p)`: the object at this address no longer exists. `p` may be null.
    Release,
    /// `__dally_object_size(p)`: the size of the object that a valid pointer points into.
    ObjectSize,
    /// `__dally_copy(to, from, n)`: as `memmove`, in one step.
    Copy,
    /// `__dally_move(to, from, n)`: as `memmove`. Other threads may run between pieces of 8 bytes.
    Move,
    /// `__dally_overlap(p, q, n)`: true if the n bytes from two different pointers on have bytes in common.
    Overlap,
    /// `__dally_fill(p, byte, n)`: as `memset`, in such pieces.
    Fill,
    /// `__dally_access(p, n)`: a bug unless the bytes belong to an object.
    Access,
    /// `alloca`: an object that exists until the function returns.
    Alloca,

    // Atomic accesses; the type is that of the target of the first operand, a *place*.
    /// `__atomic_load_n(p, order)`
    AtomicLoad,
    /// `__atomic_store_n(p, v, order)`
    AtomicStore,
    /// `__atomic_exchange_n(p, v, order)`
    AtomicExchange,
    /// `__atomic_compare_exchange_n(p, expected, desired, weak, success, failure)`; `expected` is a *place*.
    AtomicCompareExchange,
    /// `__atomic_fetch_add(p, v, order)` and the like: the old value.
    AtomicFetch(BinaryOp),
    /// `__atomic_fetch_nand`, the old value.
    AtomicFetchNand,
    /// `__atomic_nand_fetch`, the new value.
    AtomicNandFetch,
    /// `__atomic_add_fetch(p, v, order)` and the like: the new value.
    AtomicUpdate(BinaryOp),
    /// `__sync_val_compare_and_swap(p, old, new)`: the old value.
    SyncValCas,
    /// `__sync_bool_compare_and_swap(p, old, new)`: true if it has stored.
    SyncBoolCas,
    /// `__atomic_thread_fence`, `__sync_synchronize`: no operation, under sequential consistency.
    Fence,

    // Output.
    /// `printf` and the like: the format and its arguments, for traces. The strings were read before.
    Print,

    // Variadic functions.
    /// The address of the arguments that have no parameter, as `__builtin_va_start` needs it; null if there are none.
    VaArguments,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// The span in the user's file: of the whole simple statement with its semicolon, or of the head of a
    /// compound one (`while (x < 3)`).
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression, evaluated for its effects.
    Expr(Expr),
    /// A local variable begins to exist, with arbitrary contents or an initialiser.
    Declare(LocalId, Option<Init>),
    /// An array of variable length begins to exist: its number of elements.
    Vla(LocalId, Expr),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `if (c) … else …`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (c) …`
    While(Expr, Box<Stmt>),
    /// `do … while (c);`
    DoWhile(Box<Stmt>, Expr),
    /// `for (init; c; step) …`: the condition, the step and the body. `init` precedes it, in a block around both.
    For(Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `switch (e) …`; the labels are [`StmtKind::Case`] and [`StmtKind::Default`] anywhere in the body.
    Switch(Expr, Box<Stmt>),
    /// `case low ... high:`, before the statement that it labels.
    Case(i128, i128),
    /// `default:`
    Default,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto label;`
    Goto(LabelId),
    /// `label:`, before the statement that it labels.
    Label(LabelId),
    /// `return e;`
    Return(Option<Expr>),
    /// `;`, and assembler statements without operands.
    Empty,
}
