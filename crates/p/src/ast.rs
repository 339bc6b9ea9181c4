//! The syntax tree of a P program, all files together.
//!
//! Expressions, statements, types and functions live in arenas and refer to each other by id, so that no input makes
//! building or dropping the tree overflow the stack. An expression comes after its subexpressions.

use dally_text::source::Span;
use dally_text::symbol::{Sym, Symbols};

use crate::lexer::K;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub(crate) struct $name(pub u32);

        impl $name {
            /// The index, for tables by id.
            pub(crate) fn index(self) -> usize {
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
pub(crate) struct Name {
    /// The name.
    pub(crate) sym: Sym,
    /// Its span.
    pub(crate) span: Span,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ast {
    /// The names.
    pub(crate) symbols: Symbols,
    /// Expressions.
    pub(crate) exprs: Vec<Expr>,
    /// Statements.
    pub(crate) stmts: Vec<Stmt>,
    /// Types.
    pub(crate) types: Vec<TypeExpr>,
    /// All functions.
    pub(crate) funs: Vec<Fun>,
    /// Type declarations.
    pub(crate) typedefs: Vec<TypeDef>,
    /// Enumerations.
    pub(crate) enums: Vec<Enum>,
    /// Events.
    pub(crate) events: Vec<EventDecl>,
    /// Named sets of events.
    pub(crate) event_sets: Vec<EventSetDecl>,
    /// Interfaces.
    pub(crate) interfaces: Vec<InterfaceDecl>,
    /// Machines, specifications and scenarios.
    pub(crate) machines: Vec<Machine>,
    /// Functions outside of machines.
    pub(crate) globals: Vec<FunId>,
    /// Global parameters.
    pub(crate) params: Vec<VarDecl>,
    /// Named modules.
    pub(crate) modules: Vec<ModuleDecl>,
    /// Tests.
    pub(crate) tests: Vec<TestDecl>,
}

impl Ast {
    /// The text of a name.
    pub(crate) fn text(&self, sym: Sym) -> &str {
        self.symbols.text(sym)
    }
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TypeExpr {
    /// Its kind.
    pub(crate) kind: TypeKind,
    /// Its span.
    pub(crate) span: Span,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeKind {
    /// A built-in type without components, by its keyword.
    BuiltIn(K),
    Seq(TypeId),
    Set(TypeId),
    Map(TypeId, TypeId),
    Tuple(Vec<TypeId>),
    Named(Vec<(Name, TypeId)>),
    Name(Sym),
}

/// `type T = …;`, or a foreign type.
#[derive(Clone, Debug)]
pub(crate) struct TypeDef {
    /// Its name.
    pub(crate) name: Name,
    /// The type that it abbreviates; none if it is foreign.
    pub(crate) body: Option<TypeId>,
}

/// `enum E { a, b = 2 }`.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    /// Its name.
    pub(crate) name: Name,
    /// Its elements.
    pub(crate) elements: Vec<Element>,
}

/// An element of an enumeration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Its name.
    pub(crate) name: Name,
    /// Its value.
    pub(crate) value: i64,
}

/// `event E: T;`.
#[derive(Clone, Debug)]
pub(crate) struct EventDecl {
    /// Its name.
    pub(crate) name: Name,
    /// The type of its payload.
    pub(crate) payload: Option<TypeId>,
}

/// `eventset S = { … };`.
#[derive(Clone, Debug)]
pub(crate) struct EventSetDecl {
    /// Its name.
    pub(crate) name: Name,
    /// Its events.
    pub(crate) events: Vec<Name>,
}

/// `interface I(T) receives …;`.
#[derive(Clone, Debug)]
pub(crate) struct InterfaceDecl {
    /// Its name.
    pub(crate) name: Name,
    /// The type of its constructor's argument.
    pub(crate) payload: Option<TypeId>,
    /// The events that it receives.
    pub(crate) receives: Vec<Name>,
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
pub(crate) struct Machine {
    /// Its name.
    pub(crate) name: Name,
    /// Its kind.
    pub(crate) kind: MachineKind,
    /// The events of its `receives` clause.
    pub(crate) receives: Option<Vec<Name>>,
    /// The events of its `sends` clause.
    pub(crate) sends: Option<Vec<Name>>,
    /// The events that a monitor observes.
    pub(crate) observes: Vec<Name>,
    /// Its variables, functions and states, in the order of the text.
    pub(crate) entries: Vec<Entry>,
}

/// A member of a machine.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// Variables.
    Vars(VarDecl),
    /// A function.
    Fun(FunId),
    /// A state.
    State(State),
}

/// `var x, y: T;`.
#[derive(Clone, Debug)]
pub(crate) struct VarDecl {
    /// The variables.
    pub(crate) names: Vec<Name>,
    /// Their type.
    pub(crate) ty: TypeId,
}

/// The annotations of a monitor's states for liveness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Temperature {
    /// The monitor must eventually leave hot states for a cold one.
    Hot,
    /// No annotation.
    Warm,
    /// The property is satisfied so far.
    Cold,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Its name.
    pub(crate) name: Name,
    /// True for the start state.
    pub(crate) start: bool,
    /// Its liveness annotation.
    pub(crate) temperature: Temperature,
    /// Its handlers, in the order of the text.
    pub(crate) items: Vec<Item>,
}

/// The action of a handler: a named function, or a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// A function of the machine.
    Named(Name),
    /// A block.
    Block(FunId),
}

/// A handler of a state.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its kind.
    pub(crate) kind: ItemKind,
    /// Its span.
    pub(crate) span: Span,
}

/// The kinds of handlers.
#[derive(Clone, Debug)]
pub(crate) enum ItemKind {
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
pub(crate) struct Param {
    /// Its name.
    pub(crate) name: Name,
    /// Its type.
    pub(crate) ty: TypeId,
}

/// A function or handler.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    /// Its name; none for an anonymous handler.
    pub(crate) name: Option<Name>,
    /// The span of its head.
    pub(crate) span: Span,
    /// Its parameters.
    pub(crate) params: Vec<Param>,
    /// The type of its result.
    pub(crate) ret: Option<TypeId>,
    /// Its body; none for a foreign function.
    pub(crate) body: Option<Body>,
    /// The interfaces that a foreign function declares to create.
    pub(crate) creates: Vec<Name>,
    /// True for `pure`: a function of P's verifier, whose body need not be an expression of P.
    pub(crate) is_pure: bool,
}

impl Fun {
    /// True if another function of the same name may be its stub.
    pub(crate) fn may_have_stub(&self) -> bool {
        self.body.is_none() || self.is_pure
    }
}

/// Variables and statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// The variables.
    pub(crate) vars: Vec<VarDecl>,
    /// The kinds of statements.
    pub(crate) stmts: Vec<StmtId>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    /// Its kind.
    pub(crate) kind: StmtKind,
    /// Its span.
    pub(crate) span: Span,
}

/// One case of a `receive`.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The events.
    pub(crate) events: Vec<Name>,
    /// The action.
    pub(crate) fun: FunId,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
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
pub(crate) struct Expr {
    /// Its kind.
    pub(crate) kind: ExprKind,
    /// Its span.
    pub(crate) span: Span,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Neg,
    Not,
    Keys,
    Values,
    Sizeof,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
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
pub(crate) enum ExprKind {
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
pub(crate) struct ModuleDecl {
    /// Its name.
    pub(crate) name: Name,
    /// The named module.
    pub(crate) body: ModuleExpr,
}

/// A module expression.
#[derive(Clone, Debug)]
pub(crate) struct ModuleExpr {
    /// Its kind.
    pub(crate) kind: ModuleKind,
    /// Its span.
    pub(crate) span: Span,
}

/// The kinds of module expressions.
#[derive(Clone, Debug)]
pub(crate) enum ModuleKind {
    /// `{ M, A -> B }`.
    Bind(Vec<Binding>),
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
    /// `main M in …`. As in P's checker, the test determines the main machine, and `M` is ignored.
    Main(Box<ModuleExpr>),
}

/// A machine in a module, with the interface to which it is bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    /// The machine.
    pub(crate) machine: Name,
    /// The interface; that of the machine's own name if absent.
    pub(crate) interface: Option<Name>,
}

/// A value of a parameter of a test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Literal {
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// `x in [1, 2]`: a parameter of a test and its values.
#[derive(Clone, Debug)]
pub(crate) struct ParamDomain {
    /// The parameter.
    pub(crate) name: Name,
    /// The values.
    pub(crate) values: Vec<ParamValue>,
}

/// A value in the domain of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamValue {
    /// The value.
    pub(crate) value: Literal,
    /// Its span.
    pub(crate) span: Span,
}

/// `(n wise)` or `pairwise`: combinations of each `n` parameters are covered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wise {
    /// The number of parameters.
    pub(crate) n: i64,
    /// Its span.
    pub(crate) span: Span,
}

/// `test T [main=M]: …;`, or an implementation.
#[derive(Clone, Debug)]
pub(crate) struct TestDecl {
    /// Its name.
    pub(crate) name: Name,
    /// The main machine, if it is given.
    pub(crate) main: Option<Name>,
    /// The module under test.
    pub(crate) body: ModuleExpr,
    /// The module that it should refine.
    pub(crate) refines: Option<ModuleExpr>,
    /// The values of the parameters.
    pub(crate) params: Vec<ParamDomain>,
    /// The condition on combinations of values.
    pub(crate) assume: Option<ExprId>,
    /// The number of parameters whose combinations must all be covered, if given.
    pub(crate) wise: Option<Wise>,
}
