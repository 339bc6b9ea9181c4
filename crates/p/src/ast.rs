//! The syntax tree of a P program, all files together.
//!
//! Expressions, statements, types and functions live in arenas and refer to each other by id, so that no input makes
//! building or dropping the tree overflow the stack. An expression comes after its subexpressions.

use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The index, for tables by id.
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
    /// A function: global, of a machine, or an anonymous handler.
    FunId;
}

/// An occurrence of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub sym: Sym,
    /// Its span.
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
    /// Type declarations.
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
    /// Global parameters.
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
    /// Its kind.
    pub kind: TypeKind,
    /// Its span.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "named after the syntax")]
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
    /// The type that it abbreviates; none if it is foreign.
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
    /// The type of its payload.
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
    /// The type of its constructor's argument.
    pub payload: Option<TypeId>,
    /// The events that it receives.
    pub receives: Vec<Name>,
}

/// The kinds of machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineKind {
    /// An ordinary machine.
    Machine,
    /// A monitor of a safety or liveness property.
    Spec,
    /// A monitor that records coverage.
    Scenario,
}

/// A machine or monitor.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: Name,
    /// Its kind.
    pub kind: MachineKind,
    /// The events of its `receives` clause.
    pub receives: Option<Vec<Name>>,
    /// The events of its `sends` clause.
    pub sends: Option<Vec<Name>>,
    /// The events that a monitor observes.
    pub observes: Vec<Name>,
    /// Its variables, functions and states, in the order of the text.
    pub entries: Vec<Entry>,
}

/// A member of a machine.
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

/// The annotations of a monitor's states for liveness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temperature {
    /// The monitor must eventually leave hot states for a cold one.
    Hot,
    /// No annotation.
    Warm,
    /// The property is satisfied so far.
    Cold,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// True for the start state.
    pub start: bool,
    /// Its liveness annotation.
    pub temperature: Temperature,
    /// Its handlers, in the order of the text.
    pub items: Vec<Item>,
}

/// The action of a handler: a named function, or a block.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// A function of the machine.
    Named(Name),
    /// A block.
    Block(FunId),
}

/// A handler of a state.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// Its span.
    pub span: Span,
}

/// The kinds of handlers.
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
    /// Its name; none for an anonymous handler.
    pub name: Option<Name>,
    /// The span of its head.
    pub span: Span,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type of its result.
    pub ret: Option<TypeId>,
    /// Its body; none for a foreign function.
    pub body: Option<Body>,
    /// The interfaces that a foreign function declares to create.
    pub creates: Vec<Name>,
}

/// Variables and statements.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The variables.
    pub vars: Vec<VarDecl>,
    /// The kinds of statements.
    pub stmts: Vec<StmtId>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Its span.
    pub span: Span,
}

/// One case of a `receive`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The events.
    pub events: Vec<Name>,
    /// The action.
    pub fun: FunId,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named after the syntax")]
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
    /// Its kind.
    pub kind: ExprKind,
    /// Its span.
    pub span: Span,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named after the syntax")]
pub enum Unary {
    Neg,
    Not,
    Keys,
    Values,
    Sizeof,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named after the syntax")]
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

/// The kinds of expressions.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "named after the syntax")]
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
    /// A string literal without its quotes, escapes not decoded, and the arguments of its placeholders.
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
    /// A construct of P's verifier.
    Verifier,
}

/// `module M = …;`.
#[derive(Clone, Debug)]
pub struct ModuleDecl {
    /// Its name.
    pub name: Name,
    /// The named module.
    pub body: ModuleExpr,
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModuleExpr {
    /// Its kind.
    pub kind: ModuleKind,
    /// Its span.
    pub span: Span,
}

/// The kinds of module expressions.
#[derive(Clone, Debug)]
pub enum ModuleKind {
    /// `{ M, A -> B }`: machines, each with the interface to which it is bound if that is given.
    Bind(Vec<(Name, Option<Name>)>),
    /// A named module.
    Name(Name),
    /// `compose` or `union`.
    Join {
        /// True if it is `compose`.
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
    /// The main machine, if it is given.
    pub main: Option<Name>,
    /// The module under test.
    pub body: ModuleExpr,
    /// The module that it should refine.
    pub refines: Option<ModuleExpr>,
    /// The values of the parameters.
    pub params: Vec<(Name, Vec<(Literal, Span)>)>,
    /// The condition on combinations of values.
    pub assume: Option<ExprId>,
    /// The number of parameters whose combinations must all be covered, if given.
    pub wise: Option<(i64, Span)>,
    /// True if it is an `implementation`.
    pub implementation: bool,
}
