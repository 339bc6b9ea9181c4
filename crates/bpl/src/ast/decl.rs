//! Declarations.

use dally_text::source::Span;

use crate::ast::{Attrs, Body, ExprId, ExprList, Ident, TypeId};

/// A declaration with its attributes.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The declared entity.
    pub kind: DeclKind,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its span.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `type name params;`, `type name params = body;`
    Type(TypeDecl),
    /// `datatype name<params> { constructors }`
    Datatype(Datatype),
    /// `const unique names: type uses { axioms }`
    Const(Const),
    /// `function name<params>(args): result { body }`
    Function(Box<Function>),
    /// `axiom e;`
    Axiom(Axiom),
    /// `var name: type where e;`
    Var(Var),
    /// `procedure name<params>(ins) returns (outs) specs { body }`
    Procedure(Box<Procedure>),
    /// `implementation name<params>(ins) returns (outs) { body }`
    Implementation(Box<Implementation>),
}

/// A type constructor, or a synonym.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters. The names of a constructor's parameters have no meaning.
    pub params: Vec<Ident>,
    /// The type that a synonym abbreviates; none for a constructor.
    pub body: Option<TypeId>,
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Ident>,
    /// Its constructors.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<VarDecl>,
}

/// Constants of one type.
#[derive(Clone, Debug)]
pub struct Const {
    /// True if their values differ from those of all other unique constants of the type.
    pub unique: bool,
    /// Their names.
    pub names: Vec<Ident>,
    /// Their type.
    pub ty: TypeId,
    /// The axioms of the `uses` clause.
    pub uses: Vec<UsedAxiom>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// `revealed function`.
    pub revealed: bool,
    /// Its name.
    pub name: Ident,
    /// The type variables that it binds.
    pub type_params: Vec<Ident>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its result.
    pub result: Param,
    /// Its body.
    pub body: Option<ExprId>,
    /// The axioms of the `uses` clause.
    pub uses: Vec<UsedAxiom>,
}

/// A parameter or result of a function. The name is optional.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its name.
    pub name: Option<Ident>,
    /// Its type.
    pub ty: TypeId,
}

/// An axiom.
#[derive(Clone, Copy, Debug)]
pub struct Axiom {
    /// `hideable axiom`.
    pub hideable: bool,
    /// The formula.
    pub expr: ExprId,
    /// Its span.
    pub span: Span,
}

/// An axiom of a `uses` clause.
#[derive(Clone, Debug)]
pub struct UsedAxiom {
    /// Its attributes.
    pub attrs: Attrs,
    /// The axiom.
    pub axiom: Axiom,
}

/// A variable with its type and an optional `where` clause, a condition that `havoc` and initial values satisfy.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeId,
    /// The condition.
    pub where_clause: Option<ExprId>,
}

/// A variable that is not a top-level declaration: a parameter, a local, a field.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Its attributes.
    pub attrs: Attrs,
    /// The variable.
    pub var: Var,
}

/// The signature of a procedure or implementation.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name.
    pub name: Ident,
    /// The type variables that it binds.
    pub type_params: Vec<Ident>,
    /// The parameters.
    pub ins: Vec<VarDecl>,
    /// The results.
    pub outs: Vec<VarDecl>,
}

/// The kind of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flavour {
    /// `procedure`
    Plain,
    /// `pure procedure`: it neither reads nor writes global variables.
    Pure,
    /// `pure action`: a pure procedure that Civl can refer to. Without Civl the two are equivalent.
    PureAction,
}

impl Flavour {
    /// Returns true if the procedure neither reads nor writes global variables.
    pub(crate) fn is_pure(self) -> bool {
        self != Flavour::Plain
    }

    /// The keywords that begin a declaration of this kind.
    pub(crate) fn spelling(self) -> &'static str {
        match self {
            Flavour::Plain => "procedure",
            Flavour::Pure => "pure procedure",
            Flavour::PureAction => "pure action",
        }
    }
}

/// A procedure, with or without a body.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its kind.
    pub flavour: Flavour,
    /// Its name and parameters.
    pub signature: Signature,
    /// Its contract.
    pub specs: Vec<Spec>,
    /// Its body, if the declaration has one.
    pub body: Option<Body>,
}

/// A body for a procedure declared elsewhere.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// Its name and parameters.
    pub signature: Signature,
    /// Its body.
    pub body: Body,
}

/// A clause of a procedure's contract.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its attributes.
    pub attrs: Attrs,
    /// Its kind.
    pub kind: SpecKind,
    /// Its span.
    pub span: Span,
}

/// The kinds of clauses of a procedure's contract.
#[derive(Clone, Debug)]
pub enum SpecKind {
    /// `[free] requires e;`
    Requires {
        /// Assumed in the body, not checked at calls.
        free: bool,
        /// The condition.
        expr: ExprId,
    },
    /// `[free] ensures e;`
    Ensures {
        /// Assumed after calls, not checked in the body.
        free: bool,
        /// The condition.
        expr: ExprId,
    },
    /// `modifies x, y;`
    Modifies(Vec<Ident>),
    /// `measure e, …;`
    Measure(ExprList),
}
