//! The syntax tree of a P program, all files together.
//!
//! Expressions, statements, types and functions live in arenas and refer to each other by id, so that no input
//! makes building, walking or dropping the tree exhaust the stack. An expression comes after its parts.

use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The same as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

ids! {
    /// An expression.
    ExprId;
    /// A statement.
    StmtId;
    /// A type as it is written.
    TypeId;
    /// A function: of the program, of a machine, or a handler without a name.
    FunId;
}

/// A name where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub sym: Sym,
    /// Where.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// The names.
    pub symbols: Symbols,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Types.
    pub types: Vec<TypeExpr>,
    /// All functions.
    pub funs: Vec<Fun>,
    /// The declarations of the program, by kind.
    pub typedefs: Vec<TypeDef>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Events.
    pub events: Vec<EventDecl>,
    /// Named sets of events.
    pub event_sets: Vec<EventSetDecl>,
    /// Interfaces.
    pub interfaces: Vec<InterfaceDecl>,
    /// Machines, specifications and scenarios.
    pub machines: Vec<Machine>,
    /// Functions outside of machines.
    pub globals: Vec<FunId>,
    /// Parameters of the program.
    pub params: Vec<VarDecl>,
    /// Named modules.
    pub modules: Vec<ModuleDecl>,
    /// Tests.
    pub tests: Vec<TestDecl>,
}

impl Ast {
    /// The text of a name.
    pub fn text(&self, sym: Sym) -> &str {
        self.symbols.text(sym)
    }
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "each is named as it is written")]
pub enum TypeKind {
    Bool,
    Int,
    Float,
    Str,
    Event,
    Machine,
    Data,
    Any,
    Seq(TypeId),
    Set(TypeId),
    Map(TypeId, TypeId),
    Tuple(Vec<TypeId>),
    Named(Vec<(Name, TypeId)>),
    Name(Sym),
}

/// `type T = …;`, or a foreign type.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// Its name.
    pub name: Name,
    /// What it stands for; nothing if it is foreign.
    pub body: Option<TypeId>,
}

/// `enum E { a, b = 2 }`.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its elements and their values.
    pub elements: Vec<(Name, i64)>,
}

/// `event E: T;`.
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// Its name.
    pub name: Name,
    /// What it carries.
    pub payload: Option<TypeId>,
}

/// `eventset S = { … };`.
#[derive(Clone, Debug)]
pub struct EventSetDecl {
    /// Its name.
    pub name: Name,
    /// Its events.
    pub events: Vec<Name>,
}

/// `interface I(T) receives …;`.
#[derive(Clone, Debug)]
pub struct InterfaceDecl {
    /// Its name.
    pub name: Name,
    /// What its constructor takes.
    pub payload: Option<TypeId>,
    /// What it receives.
    pub receives: Vec<Name>,
}

/// What kind of machine it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineKind {
    /// An ordinary machine.
    Machine,
    /// A monitor that must not fail or stay hot.
    Spec,
    /// A monitor that only tells what was covered.
    Scenario,
}

/// A machine or monitor.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: Name,
    /// What kind it is.
    pub kind: MachineKind,
    /// What it receives, if it says so.
    pub receives: Option<Vec<Name>>,
    /// What it sends, if it says so.
    pub sends: Option<Vec<Name>>,
    /// What a monitor observes.
    pub observes: Vec<Name>,
    /// Its variables, functions and states, in the order of the text.
    pub entries: Vec<Entry>,
}

/// One thing in a machine.
#[derive(Clone, Debug)]
pub enum Entry {
    /// Variables.
    Vars(VarDecl),
    /// A function.
    Fun(FunId),
    /// A state.
    State(State),
}

/// `var x, y: T;`.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The variables.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: TypeId,
}

/// Whether a monitor may stay in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temperature {
    /// It may not stay for ever.
    Hot,
    /// Nothing was said.
    Warm,
    /// All is well here.
    Cold,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// Whether the machine starts here.
    pub start: bool,
    /// Whether a monitor may stay here.
    pub temperature: Temperature,
    /// What it does, in the order of the text.
    pub items: Vec<Item>,
}

/// What is done: a function by name, or a block.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// A function of the machine.
    Named(Name),
    /// A block.
    Block(FunId),
}

/// One thing in a state.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where.
    pub span: Span,
}

/// The things in a state.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `entry …`.
    Entry(Action),
    /// `exit …`.
    Exit(Action),
    /// `defer …;`.
    Defer(Vec<Name>),
    /// `ignore …;`.
    Ignore(Vec<Name>),
    /// `on … do …`.
    Do(Vec<Name>, Action),
    /// `on … goto S with …`.
    Goto(Vec<Name>, Name, Option<Action>),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
}

/// A function or handler.
#[derive(Clone, Debug)]
pub struct Fun {
    /// Its name; a handler has none.
    pub name: Option<Name>,
    /// Where it begins.
    pub span: Span,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it returns.
    pub ret: Option<TypeId>,
    /// Its body; a foreign function has none.
    pub body: Option<Body>,
    /// The interfaces that a foreign function says it creates.
    pub creates: Vec<Name>,
}

/// Variables and statements.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// The statements.
    pub stmts: Vec<StmtId>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// One case of a `receive`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The events.
    pub events: Vec<Name>,
    /// What is done.
    pub fun: FunId,
}

/// The statements.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each is named as it is written")]
pub enum StmtKind {
    Block(Vec<StmtId>),
    Assert(ExprId, Option<ExprId>),
    Assume(ExprId, Option<ExprId>),
    Print(ExprId),
    Return(Option<ExprId>),
    Break,
    Continue,
    Assign(ExprId, ExprId),
    /// `place += (key, value);`.
    Insert(ExprId, ExprId, ExprId),
    /// `place += (value);`.
    Add(ExprId, ExprId),
    Remove(ExprId, ExprId),
    While(ExprId, StmtId),
    Foreach(Name, ExprId, StmtId),
    If(ExprId, StmtId, Option<StmtId>),
    New(Name, Vec<ExprId>),
    Call(Name, Vec<ExprId>),
    Raise(ExprId, Vec<ExprId>),
    Send(ExprId, ExprId, Vec<ExprId>),
    Announce(ExprId, Vec<ExprId>),
    Goto(Name, Vec<ExprId>),
    Receive(Vec<Case>),
    Nothing,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unary {
    Neg,
    Not,
    Keys,
    Values,
    Sizeof,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Lt,
    Gt,
    Ge,
    Le,
    In,
    Eq,
    Ne,
    And,
    Or,
    Implies,
    Iff,
}

/// The expressions.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ExprKind {
    Name(Sym),
    Bool(bool),
    Int(i64),
    Float(f64),
    Null,
    /// `$`, or `$$` if it is fair.
    Nondet {
        fair: bool,
    },
    Halt,
    This,
    /// A string as it is written between its quotes, with what fills its places.
    Str(Sym, Vec<ExprId>),
    Tuple(Vec<ExprId>),
    Named(Vec<(Name, ExprId)>),
    Field(ExprId, Name),
    Item(ExprId, u32),
    Index(ExprId, ExprId),
    Default(TypeId),
    New(Name, Vec<ExprId>),
    Call(Name, Vec<ExprId>),
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    /// `e as T`.
    Cast(ExprId, TypeId),
    /// `e to T`.
    Coerce(ExprId, TypeId),
    Choose(Option<ExprId>),
    /// Something that only the verifier of P knows.
    Verifier,
}

/// `module M = …;`.
#[derive(Clone, Debug)]
pub struct ModuleDecl {
    /// Its name.
    pub name: Name,
    /// What it stands for.
    pub body: ModuleExpr,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModuleExpr {
    /// What it is.
    pub kind: ModuleKind,
    /// Where.
    pub span: Span,
}

/// The module expressions.
#[derive(Clone, Debug)]
pub enum ModuleKind {
    /// `{ M, A -> B }`: machines, each with the interface to which it is bound, if that has another name.
    Bind(Vec<(Name, Option<Name>)>),
    /// A named module.
    Name(Name),
    /// `compose` or `union`.
    Join {
        /// Whether it is `compose`.
        compose: bool,
        /// The modules.
        parts: Vec<ModuleExpr>,
    },
    /// `hidee … in …`.
    HideEvents(Vec<Name>, Box<ModuleExpr>),
    /// `hidei … in …`.
    HideInterfaces(Vec<Name>, Box<ModuleExpr>),
    /// `assert … in …`.
    Assert(Vec<Name>, Box<ModuleExpr>),
    /// `rename old to new in …`.
    Rename(Name, Name, Box<ModuleExpr>),
    /// `main M in …`.
    Main(Name, Box<ModuleExpr>),
}

/// A value of a parameter of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literal {
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// `test T [main=M]: …;`, or an implementation.
#[derive(Clone, Debug)]
pub struct TestDecl {
    /// Its name.
    pub name: Name,
    /// The machine with which it begins, if it says so.
    pub main: Option<Name>,
    /// What it runs.
    pub body: ModuleExpr,
    /// What that should refine.
    pub refines: Option<ModuleExpr>,
    /// The values of the parameters.
    pub params: Vec<(Name, Vec<(Literal, Span)>)>,
    /// Which of the combinations count.
    pub assume: Option<ExprId>,
    /// How many parameters are combined in all ways, if it says so.
    pub wise: Option<(i64, Span)>,
    /// Whether it is an `implementation`.
    pub implementation: bool,
}
