//! The syntax tree of one unit: names are not resolved, except that type names are told from others.
//!
//! Expressions and statements are in lists and refer to each other by index, so that deep trees cost no stack when
//! they are dropped.

use dally_text::source::Span;
use dally_text::symbol::Sym;

use crate::hir::BinaryOp;

/// One of [`Ast::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExprId(pub(crate) u32);

/// One of [`Ast::stmts`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StmtId(pub(crate) u32);

/// A unit.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) exprs: Vec<Expr>,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) items: Vec<Item>,
}

impl Ast {
    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub(crate) fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }
}

/// A name and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) sym: Sym,
    pub(crate) span: Span,
}

/// A declaration at file scope.
#[derive(Debug)]
pub(crate) enum Item {
    Declaration(Declaration),
    Function(FunctionDefinition),
    StaticAssert(StaticAssert),
}

/// `_Static_assert(condition, "message")`
#[derive(Debug)]
pub(crate) struct StaticAssert {
    pub(crate) condition: ExprId,
    pub(crate) message: Option<String>,
    pub(crate) span: Span,
}

/// A declaration of variables, functions or types.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) specs: Specs,
    pub(crate) declarators: Vec<InitDeclarator>,
    pub(crate) span: Span,
}

/// A declarator, with its initialiser.
#[derive(Debug)]
pub(crate) struct InitDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) init: Option<Initialiser>,
}

/// A function with its body.
#[derive(Debug)]
pub(crate) struct FunctionDefinition {
    pub(crate) specs: Specs,
    pub(crate) declarator: Declarator,
    /// The declarations of the parameters of a K&R definition.
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) body: Vec<StmtId>,
}

/// The storage class and the like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Storage {
    pub(crate) is_typedef: bool,
    pub(crate) is_extern: bool,
    pub(crate) is_static: bool,
    pub(crate) is_inline: bool,
    pub(crate) thread_local: bool,
}

/// Qualifiers that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Quals {
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
    pub(crate) atomic: bool,
}

/// Attributes that matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attrs {
    pub(crate) noreturn: bool,
    pub(crate) packed: bool,
    /// `aligned(n)`, `_Alignas(n)`, or the largest alignment for `aligned` without a number.
    pub(crate) aligned: Vec<Alignment>,
    /// `mode(…)`, which changes the width of an integer.
    pub(crate) mode: Option<u8>,
    /// `vector_size`
    pub(crate) vector: Option<Span>,
    /// `alias("name")`: the function is another name of this one.
    pub(crate) alias: Option<String>,
    /// `constructor`: the function runs before `main`.
    pub(crate) constructor: Option<Priority>,
    /// `destructor`: the function runs at the end of the program.
    pub(crate) destructor: Option<Priority>,
    /// `cleanup(f)`: `f` is called with the address of the variable when its scope is left.
    pub(crate) cleanup: Option<Name>,
    /// The attributes of `dally.h`.
    pub(crate) events: Vec<EventAttr>,
}

/// `dally_entry(0, 1)` and the like.
#[derive(Clone, Debug)]
pub(crate) struct EventAttr {
    pub(crate) name: String,
    pub(crate) args: Vec<ExprId>,
    pub(crate) span: Span,
}

/// The priority of a constructor or destructor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Priority {
    /// None is given: the lowest one.
    Lowest,
    /// A constant expression; small numbers are constructed first and destroyed last.
    Value(ExprId),
}

/// A requested alignment.
#[derive(Clone, Debug)]
pub(crate) enum Alignment {
    Largest,
    Value(ExprId),
    Type(Box<TypeName>),
}

/// Declaration specifiers.
#[derive(Clone, Debug)]
pub(crate) struct Specs {
    pub(crate) storage: Storage,
    pub(crate) quals: Quals,
    pub(crate) attrs: Attrs,
    pub(crate) ty: TypeSpec,
    pub(crate) span: Span,
}

/// The type that the specifiers say.
#[derive(Clone, Debug)]
pub(crate) enum TypeSpec {
    Void,
    Bool,
    /// Width class and signedness; `char` is signed.
    Int(Width, bool),
    Float,
    Double,
    LongDouble,
    /// A type that dally does not support, by name.
    Unsupported(&'static str),
    VaList,
    Typedef(Name),
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
    TypeofExpr(ExprId),
    TypeofType(Box<TypeName>),
    Atomic(Box<TypeName>),
    /// `__auto_type`
    Auto,
    /// No type: `int` is meant.
    Missing,
}

/// The widths of integer types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
}

/// `struct tag { … }`
#[derive(Clone, Debug)]
pub(crate) struct RecordSpec {
    pub(crate) is_union: bool,
    pub(crate) tag: Option<Name>,
    pub(crate) members: Option<Vec<Member>>,
    pub(crate) attrs: Attrs,
    /// The largest alignment of members, which `#pragma pack` gives; 0 if there is none.
    pub(crate) pack: u8,
    pub(crate) span: Span,
}

/// A declaration inside of a struct or union.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) specs: Specs,
    pub(crate) declarators: Vec<MemberDeclarator>,
    /// `_Static_assert` among the members.
    pub(crate) assertion: Option<ExprId>,
    pub(crate) span: Span,
}

/// A member, possibly a bit-field.
#[derive(Clone, Debug)]
pub(crate) struct MemberDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) width: Option<ExprId>,
}

/// `enum tag { … }`
#[derive(Clone, Debug)]
pub(crate) struct EnumSpec {
    pub(crate) tag: Option<Name>,
    pub(crate) enumerators: Option<Vec<(Name, Option<ExprId>)>>,
    pub(crate) packed: bool,
    pub(crate) span: Span,
}

/// A declarator. The type is found by applying the derivations in order to the type of the specifiers.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Option<Name>,
    pub(crate) derived: Vec<Derived>,
    pub(crate) attrs: Attrs,
    pub(crate) span: Span,
}

/// One step of the derivation of a type.
#[derive(Clone, Debug)]
pub(crate) enum Derived {
    Pointer(Quals),
    Array { size: Option<ExprId>, span: Span },
    Function(Params),
}

/// The parameters of a function type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    pub(crate) list: Vec<Param>,
    pub(crate) variadic: bool,
    /// `()`, or a list of names: nothing is said about the types.
    pub(crate) unspecified: bool,
    /// The names of a K&R definition.
    pub(crate) names: Vec<Name>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) specs: Specs,
    pub(crate) declarator: Declarator,
}

/// A type name, as in a cast.
#[derive(Clone, Debug)]
pub(crate) struct TypeName {
    pub(crate) specs: Specs,
    pub(crate) declarator: Declarator,
    pub(crate) span: Span,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub(crate) enum Initialiser {
    Expr(ExprId),
    List(Vec<InitItem>, Span),
}

/// An element of a braced initialiser.
#[derive(Clone, Debug)]
pub(crate) struct InitItem {
    pub(crate) designators: Vec<Designator>,
    pub(crate) value: Initialiser,
}

/// `.name`, `[index]` or `[low ... high]`
#[derive(Clone, Copy, Debug)]
pub(crate) enum Designator {
    Member(Name),
    Index(ExprId, Option<ExprId>),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// The height of the tree.
    pub(crate) height: u16,
}

/// The prefix of a string or character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    None,
    Wide,
    Utf16,
    Utf32,
}

/// The suffix and base of an integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IntSuffix {
    pub(crate) unsigned: bool,
    /// The number of `l`s.
    pub(crate) longs: u8,
    pub(crate) decimal: bool,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Plus,
    Neg,
    BitNot,
    Not,
    Deref,
    AddressOf,
    /// `++` or `--`, before or after the operand.
    Step {
        op: BinaryOp,
        old: bool,
    },
    /// `__real__`, `__imag__`
    Complex,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Op(BinaryOp),
    And,
    Or,
    Comma,
}

/// The kinds of expressions.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Error,
    Ident(Sym),
    Int(u64, IntSuffix),
    Float(f64, crate::types::FloatType),
    Char(i64, Prefix),
    Str(Vec<u32>, Prefix),
    Func,
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    Assign(Option<BinaryOp>, ExprId, ExprId),
    Conditional(ExprId, Option<ExprId>, ExprId),
    Cast(Box<TypeName>, ExprId),
    Compound(Box<TypeName>, Box<Initialiser>),
    SizeofExpr(ExprId),
    SizeofType(Box<TypeName>),
    AlignofExpr(ExprId),
    AlignofType(Box<TypeName>),
    Call(ExprId, Vec<ExprId>),
    Index(ExprId, ExprId),
    Member(ExprId, Name),
    Arrow(ExprId, Name),
    Block(Vec<StmtId>),
    Generic(ExprId, Vec<(Option<TypeName>, ExprId)>),
    Offsetof(Box<TypeName>, Vec<Designator>),
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    VaArg(ExprId, Box<TypeName>),
    Nondet(Box<TypeName>),
    LabelAddress,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    /// The whole of a simple statement, the head of a compound one.
    pub(crate) span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(ExprId),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// A function inside of a function.
    NestedFunction,
    /// `__label__ a, b;`
    LocalLabels(Vec<Name>),
    Block(Vec<StmtId>),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For(Option<StmtId>, Option<ExprId>, Option<ExprId>, StmtId),
    Switch(ExprId, StmtId),
    Case(ExprId, Option<ExprId>, StmtId),
    Default(StmtId),
    Label(Name, StmtId),
    Break,
    Continue,
    Goto(Name),
    /// `goto *e;`
    ComputedGoto,
    Return(Option<ExprId>),
    /// An assembler statement; true if it has operands.
    Asm(bool),
    Empty,
}
